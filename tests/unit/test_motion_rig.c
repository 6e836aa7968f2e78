#include "test_motion_rig.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define SECOND 1000000000LL

static int open_again(void *user, int *ret_fd, struct error *err)
{
    int r = fake_open(user, ret_fd, NULL);
    return r < 0 ? error_set(err, -ENODEV, "The fake is unplugged.") : 0;
}

static void update_cup(struct rig *rig)
{
    if (rig->pump && !rig->vented && !rig->stone_on_cup) {
        if (rig->fail_grips > 0)
            rig->fail_grips--;
        else
            rig->stone_on_cup = true;
    } else if (!rig->pump && rig->stone_on_cup) {
        if (rig->sticky_releases > 0)
            rig->sticky_releases--;
        else
            rig->stone_on_cup = false;
    }
}

static int set_pump(void *user, int on)
{
    struct rig *rig = user;
    rig->pump = on;
    if (!on)
        return 0;
    update_cup(rig);
    return 0;
}

static int set_valve(void *user, int vented)
{
    struct rig *rig = user;
    rig->vented = vented;
    if (vented)
        update_cup(rig);
    return 0;
}

static int get_sensor(void *user)
{
    struct rig *rig = user;
    return rig->no_sensor ? -ENOENT : rig->stone_on_cup;
}

static void on_event(void *user, const struct arm_event *event, int64_t now)
{
    struct rig *rig = user;
    (void)now;
    if (event->kind == ARM_EVENT_FAILED)
        snprintf(rig->text, sizeof rig->text, "%s", event->text);
    if (event->kind == ARM_EVENT_WARNING) {
        snprintf(rig->warning, sizeof rig->warning, "%s", event->text);
        rig->warnings++;
    }
    if (rig->events == RIG_EVENTS) {
        memmove(rig->event, rig->event + 1, sizeof *rig->event * (RIG_EVENTS - 1));
        rig->events--;
    }
    rig->event[rig->events] = *event;
    rig->event[rig->events++].text = NULL;
    if (rig->home_at_once && event->kind == ARM_EVENT_STATE && event->state == ARM_UNKNOWN)
        rig->home_at_once = rig_submit(rig, (struct arm_job){.kind = ARM_JOB_HOME}) == 0;
}

static int on_intent(void *user, const struct arm_intent *intent, int64_t now)
{
    struct rig *rig = user;
    (void)now;
    if (rig->refuse_intent)
        return rig->refuse_intent;
    rig->intent[rig->intents++ % RIG_INTENTS] = *intent;
    return 0;
}

static void on_done(void *user, const struct arm_intent *intent, int64_t now)
{
    struct rig *rig = user;
    (void)intent;
    (void)now;
    rig->dones++;
}

static void add_store(struct stores *s, const char *name, enum store_role role,
                      enum store_kind kind, int colour, double x, double y)
{
    struct store *t = &s->store[s->count++];
    *t = (struct store){.kind = kind,
                        .role = role,
                        .colour = colour,
                        .x = x,
                        .y = y,
                        .z_contact = -42,
                        .z_release = -42,
                        .columns = 2,
                        .rows = 5,
                        .step_x = 20,
                        .step_y = -20,
                        .capacity = 60,
                        .count = kind == STORE_FEEDER ? 50 : 0,
                        .low = 5};
    snprintf(t->name, sizeof t->name, "%s", name);
}

void rig_setup(struct rig *rig, bool mcode)
{
    memset(rig, 0, sizeof *rig);
    fake_init(&rig->fake, 0);
    struct error err = {0};
    int fd = -1;
    fake_open(&rig->fake, &fd, NULL);
    transport_new_fd(fd, "fake", open_again, &rig->fake, &rig->transport, &err);
    add_store(&rig->stores, "store 1", STORE_SUPPLY, STORE_FEEDER, 1, -560, -300);
    add_store(&rig->stores, "store 2", STORE_SUPPLY, STORE_FEEDER, 2, -560, -200);
    add_store(&rig->stores, "tray 1", STORE_CAPTURED, STORE_TRAY, 1, -50, -300);
    add_store(&rig->stores, "tray 2", STORE_CAPTURED, STORE_TRAY, 2, -50, -200);
    if (mcode) {
        struct gripper_words words = {.grip = "M3S1000", .release = "M5"};
        gripper_new_mcode(&words, &rig->gripper, &err);
    } else {
        struct gripper_lines lines = {rig, set_pump, set_valve, get_sensor};
        gripper_new_gpio(&lines, &rig->gripper);
    }
    struct arm_config config = arm_config_default();
    struct arm_hooks hooks = {on_event, on_intent, on_done, rig};
    arm_new(&config, 115200, rig->transport, rig->gripper, &rig->stores, &hooks, 0, &rig->arm,
            &err);
}

void rig_teardown(struct rig *rig)
{
    rig->arm = arm_free(rig->arm);
    rig->gripper = gripper_free(rig->gripper);
    rig->transport = transport_free(rig->transport);
    fake_close(&rig->fake);
}

// One round: everything that can happen now; then the clock jumps. False: at `until`.
static bool tick(struct rig *rig, int64_t until)
{
    bool any = fake_step(&rig->fake, rig->now);
    struct pollfd p = {arm_fd(rig->arm), arm_events(rig->arm), 0};
    short revents = 0;
    if (p.fd >= 0 && poll(&p, 1, 0) > 0)
        revents = p.revents;
    if (revents || arm_deadline(rig->arm) <= rig->now) {
        arm_process(rig->arm, rig->now, revents);
        any = true;
    }
    if (any)
        return true;
    int64_t next = fake_next(&rig->fake), own = arm_deadline(rig->arm);
    if (own < next)
        next = own;
    if (next > until) {
        rig->now = until;
        return false;
    }
    if (next > rig->now)
        rig->now = next;
    return true;
}

void rig_run(struct rig *rig, int64_t until)
{
    while (tick(rig, until))
        continue;
}

bool rig_settle(struct rig *rig, double seconds)
{
    int64_t until = rig->now + (int64_t)(seconds * 1e9);
    while (arm_busy(rig->arm)) {
        if (!tick(rig, until))
            return !arm_busy(rig->arm);
    }
    return true;
}

bool rig_reach(struct rig *rig, enum arm_state state, double seconds)
{
    int64_t until = rig->now + (int64_t)(seconds * 1e9);
    while (arm_state(rig->arm) != state) {
        if (!tick(rig, until))
            return arm_state(rig->arm) == state;
    }
    return true;
}

uint64_t rig_submit(struct rig *rig, struct arm_job job)
{
    struct error err = {0};
    uint64_t id = 0;
    if (arm_submit(rig->arm, &job, rig->now, &id, &err) < 0) {
        snprintf(rig->text, sizeof rig->text, "%s", err.text);
        return 0;
    }
    return id;
}

bool rig_home(struct rig *rig)
{
    struct error err = {0};
    if (arm_reset(rig->arm, rig->now, &err) < 0 || !rig_reach(rig, ARM_UNKNOWN, 20))
        return false;
    uint64_t id = rig_submit(rig, (struct arm_job){.kind = ARM_JOB_HOME});
    rig_settle(rig, 60);
    const struct arm_event *e = rig_result(rig, id);
    if (!e || e->kind != ARM_EVENT_DONE || arm_state(rig->arm) != ARM_HOMED)
        return false;
    // Nothing is known about the cup without a sensor.
    if (arm_held(rig->arm) == ARM_HELD_UNKNOWN) {
        id = rig_submit(rig, (struct arm_job){.kind = ARM_JOB_VENT, .store = 2});
        rig_settle(rig, 60);
        e = rig_result(rig, id);
    }
    return e && e->kind == ARM_EVENT_DONE;
}

const struct arm_event *rig_result(const struct rig *rig, uint64_t job)
{
    for (int i = rig->events - 1; i >= 0 && job; i--) {
        const struct arm_event *e = &rig->event[i];
        if (e->job == job && (e->kind == ARM_EVENT_DONE || e->kind == ARM_EVENT_FAILED))
            return e;
    }
    return NULL;
}
