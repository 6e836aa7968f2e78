#include "test_motion_chaos.h"

#include <stdio.h>
#include <string.h>

#include "config/base/rng.h"
#include "test_motion_rig.h"

#define SECOND 1000000000LL

enum { FAULTS_A_RUN = 12, JOBS_AHEAD = 3 };

struct chaos {
    struct rig rig;
    struct rng rng;
    struct chaos_result *result;
    int submitted, ended;
    int seen; // rig.event[] looked at so far
    FILE *trace;
};

static void trace_bytes(void *user, enum transport_direction direction, const void *data,
                        size_t size)
{
    struct chaos *c = user;
    const unsigned char *p = data;
    fprintf(c->trace, "%9.3f %s ", (double)c->rig.now / 1e9, direction == TRANSPORT_IN ? "<" : ">");
    for (size_t i = 0; i < size; i++)
        fprintf(c->trace, p[i] >= ' ' && p[i] < 0x7f ? "%c" : "\\%02x", p[i]);
    fputc('\n', c->trace);
}

static void note_events(struct chaos *c)
{
    for (; c->seen < c->rig.events; c->seen++) {
        const struct arm_event *e = &c->rig.event[c->seen];
        if (c->trace)
            fprintf(c->trace, "%9.3f   event %d job %llu %s: %s\n", (double)c->rig.now / 1e9,
                    (int)e->kind, (unsigned long long)e->job, arm_reason_name(e->reason),
                    arm_state_name(e->state));
        if (e->kind == ARM_EVENT_DONE)
            c->result->jobs_done++;
        else if (e->kind == ARM_EVENT_FAILED)
            c->result->jobs_failed++;
        else
            continue;
        c->ended++;
    }
    // Room for more: everything up to here was counted.
    c->rig.events = c->seen = 0;
}

static void run_for(struct chaos *c, int64_t ns)
{
    rig_run(&c->rig, c->rig.now + ns);
    note_events(c);
}

static void submit(struct chaos *c, struct arm_job job)
{
    if (rig_submit(&c->rig, job))
        c->submitted++;
}

static void work(struct chaos *c)
{
    struct arm *arm = c->rig.arm;
    struct error err = {0};
    if (arm_state(arm) == ARM_FAULTED) {
        arm_reset(arm, c->rig.now, &err);
    } else if (arm_state(arm) == ARM_UNKNOWN && !arm_busy(arm)) {
        submit(c, (struct arm_job){.kind = ARM_JOB_HOME});
        c->result->homings++;
    } else if (arm_state(arm) == ARM_HOMED && !arm_busy(arm)) {
        if (arm_held(arm) != ARM_HELD_NO)
            submit(c, (struct arm_job){.kind = ARM_JOB_VENT, .store = 2});
        int jobs = 1 + (int)rng_below(&c->rng, JOBS_AHEAD);
        for (int i = 0; i < jobs; i++) {
            struct arm_job job = {.kind = ARM_JOB_PLACE,
                                  .x = rng_range(&c->rng, -490, -110),
                                  .y = rng_range(&c->rng, -460, -80),
                                  .store = (int)rng_below(&c->rng, 2)};
            if (rng_below(&c->rng, 3) == 0) {
                job.kind = ARM_JOB_LIFT;
                job.store += 2;
            }
            submit(c, job);
        }
        submit(c, (struct arm_job){.kind = ARM_JOB_PARK});
    }
    for (int i = 2; i < 4; i++)
        memset(c->rig.stores.store[i].full, 0, sizeof c->rig.stores.store[i].full);
}

static void stop_by_hand(struct chaos *c)
{
    struct fake *f = &c->rig.fake;
    int64_t before = c->rig.now;
    f->first_reset_byte_at = -1;
    arm_stop(c->rig.arm, ARM_STOP_HAND, c->rig.now);
    rig_run(&c->rig, c->rig.now);
    if (f->fd >= 0 && f->first_reset_byte_at >= 0 &&
        f->first_reset_byte_at - before > c->result->worst_stop_ns)
        c->result->worst_stop_ns = f->first_reset_byte_at - before;
}

static void hurt(struct chaos *c)
{
    int which = (int)rng_below(&c->rng, FAKE_FAULTS + 3);
    int64_t amount = (int64_t)(rng_range(&c->rng, 0.01, 3) * 1e9);
    c->result->faults++;
    if (c->trace)
        fprintf(c->trace, "%9.3f   fault %d, %.3f s\n", (double)c->rig.now / 1e9, which,
                (double)amount / 1e9);
    c->rig.fake.now = c->rig.now;
    if (which == FAKE_STALL)
        amount += 10 * SECOND;
    if (which < FAKE_FAULTS)
        fake_hurt(&c->rig.fake, (enum fake_fault)which, amount);
    else if (which == FAKE_FAULTS)
        c->rig.fail_grips = 1 + (int)rng_below(&c->rng, 5);
    else if (which == FAKE_FAULTS + 1)
        c->rig.stone_on_cup = false;
    else
        stop_by_hand(c);
}

static bool broken(struct chaos *c, const char *why)
{
    if (c->result->why[0] == '\0')
        snprintf(c->result->why, sizeof c->result->why, "%s at %.3f s", why,
                 (double)c->rig.now / 1e9);
    return true;
}

// A place job must succeed within a while, now that nothing is hurt any more.
static bool works_again(struct chaos *c)
{
    struct fake *f = &c->rig.fake;
    c->rig.fail_grips = 0;
    f->lose_in = f->lose_out = f->duplicate = false;
    if (f->stalled_until > c->rig.now)
        f->stalled_until = c->rig.now;
    int done = c->result->jobs_done;
    int64_t until = c->rig.now + 240 * SECOND;
    while (c->rig.now < until && c->result->jobs_done < done + 3) {
        work(c);
        run_for(c, SECOND / 2);
    }
    int64_t end = c->rig.now + 120 * SECOND;
    while (arm_busy(c->rig.arm) && c->rig.now < end)
        run_for(c, SECOND / 2);
    return c->result->jobs_done >= done + 3 && !arm_busy(c->rig.arm);
}

void chaos_run(uint64_t seed, FILE *trace, struct chaos_result *ret)
{
    static struct chaos c; // too large for a stack
    memset(&c, 0, sizeof c);
    memset(ret, 0, sizeof *ret);
    c.result = ret;
    rng_seed(&c.rng, seed);
    rig_setup(&c.rig, rng_below(&c.rng, 4) == 0);
    c.trace = trace;
    if (trace) {
        c.rig.transport->tap = trace_bytes;
        c.rig.transport->tap_user = &c;
    }
    c.rig.fake.silent_open = rng_below(&c.rng, 4) == 0;
    c.rig.fake.latency = (int64_t)(rng_range(&c.rng, 0.0005, 0.02) * 1e9);
    for (int i = 0; i < 2; i++) {
        c.rig.stores.store[i].capacity = 10000;
        c.rig.stores.store[i].count = 5000;
    }
    for (int i = 0; i < FAULTS_A_RUN; i++) {
        int64_t gap = (int64_t)(rng_range(&c.rng, 0.05, 12) * 1e9), end = c.rig.now + gap;
        while (c.rig.now < end) {
            work(&c);
            run_for(&c, SECOND / 4 < end - c.rig.now ? SECOND / 4 : end - c.rig.now);
        }
        hurt(&c);
    }
    bool bad = false;
    if (!works_again(&c))
        bad = broken(&c, "the arm did not come back to work");
    if (c.rig.fake.violations)
        bad = broken(&c, "a motion line was sent while the position was unknown");
    if (c.ended != c.submitted)
        bad = broken(&c, "a job did not end exactly once");
    if (c.rig.fake.overlong)
        bad = broken(&c, "a line was longer than 70 characters");
    if (c.rig.fake.overflows)
        bad = broken(&c, "the firmware's receive buffer overflowed");
    if (ret->worst_stop_ns > 0)
        bad = broken(&c, "stop bytes were late");
    ret->violations = c.rig.fake.violations;
    ret->seconds = (double)c.rig.now / 1e9;
    ret->ok = !bad;
    rig_teardown(&c.rig);
}
