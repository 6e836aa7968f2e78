// bench_arm: seconds of simulated robot moves beside the lower bound of the machine's physics
// (trapezoids by the slower axis, Z with XY where that is safe, dwells), and what the host spends.
//
// One figure a line: name, median, spread (max - min), unit. Exit 1 when a figure misses its bar.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/base/rng.h"
#include "motion/capture_order.h"
#include "tests/sim/test_motion_table.h"

enum { ROUNDS = 12, JOBS_MAX = 20, PATH_SEGMENTS = 400 };

static const double over_bar = 0.1, cpu_bar = 3, first_byte_bar = 2;
static int misses;

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double print_figure(const char *name, double *v, int n, const char *unit)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    printf("%s\t%.4g\t%.2g\t%s\n", name, v[n / 2], v[n - 1] - v[0], unit);
    return v[n - 1];
}

static void bar(const char *name, double value, double limit)
{
    if (value <= limit)
        return;
    fprintf(stderr, "bench_arm: %s is %.3f, above its bar of %.3f.\n", name, value, limit);
    misses++;
}

// The lower bound of jobs done one after the other, from where the arm is.
static double bound_of(struct table_rig *rig, const struct arm_job *jobs, int count)
{
    struct travel_limits limits;
    struct stores stores = rig->stores;
    struct arm_scene scene = {.config = arm_get_config(rig->arm),
                              .stores = &stores,
                              .limits = &limits,
                              .travel = grbl_machine(arm_grbl(rig->arm))->travel,
                              .holding = arm_held(rig->arm) == ARM_HELD_YES};
    double total = 0;
    arm_limits(rig->arm, &limits);
    arm_position(rig->arm, scene.at);
    for (int i = 0; i < count; i++) {
        struct arm_job job = jobs[i];
        struct arm_program program;
        struct error err = {0};
        if (job.kind == ARM_JOB_PLACE || job.kind == ARM_JOB_LIFT) {
            double at[2];
            board_map_to_machine(&rig->map, (double[]){job.x, job.y}, at);
            job.x = at[0];
            job.y = at[1];
        }
        scene.stay_low = i + 1 < count;
        if (arm_program_plan(&scene, &job, &program, &err) < 0) {
            fprintf(stderr, "bench_arm: %s\n", err.text);
            exit(1);
        }
        total += arm_program_seconds(&program, &limits, scene.at);
        memcpy(scene.at, program.end, sizeof scene.at);
        scene.down = scene.stay_low && job.kind != ARM_JOB_PARK;
        scene.holding = job.kind == ARM_JOB_READY || job.kind == ARM_JOB_PICK;
        for (int k = 0; k < program.count; k++) {
            if (program.step[k].kind == ARM_STEP_PUT)
                stores_put(&stores, &program.step[k].store);
        }
    }
    return total;
}

static void must(struct table_rig *rig, bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "bench_arm: a job failed: %s\n", rig->text);
    exit(1);
}

static double timed(struct table_rig *rig, struct arm_job *jobs, int count)
{
    int64_t start = loop_now(rig->loop);
    must(rig, table_rig_jobs(rig, jobs, count));
    // To the millisecond the rig looks at; the events are exact.
    return (double)(rig->last_ns - start) / 1e9;
}

static void compare(const char *name, double *measured, double *bound, int n)
{
    double over[ROUNDS];
    char line[64];
    for (int i = 0; i < n; i++)
        over[i] = measured[i] - bound[i];
    snprintf(line, sizeof line, "arm_%s_measured", name);
    print_figure(line, measured, n, "s");
    snprintf(line, sizeof line, "arm_%s_lower_bound", name);
    print_figure(line, bound, n, "s");
    snprintf(line, sizeof line, "arm_%s_over_bound", name);
    bar(line, print_figure(line, over, n, "s"), over_bar);
}

static struct arm_job at_point(enum arm_job_kind kind, int column, int row, int store)
{
    return (struct arm_job){.kind = kind, .x = 22.0 * column, .y = 22.0 * row, .store = store};
}

static void park(struct table_rig *rig)
{
    must(rig, table_rig_job(rig, (struct arm_job){.kind = ARM_JOB_PARK}));
}

static void bench_place(struct table_rig *rig, struct rng *rng, bool prepicked)
{
    double measured[ROUNDS], bound[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct arm_job jobs[] = {
            at_point(ARM_JOB_PLACE, (int)rng_below(rng, 19), (int)rng_below(rng, 19),
                     prepicked ? -1 : 0),
        };
        if (prepicked)
            must(rig, table_rig_job(rig, (struct arm_job){.kind = ARM_JOB_READY, .store = 0}));
        bound[i] = bound_of(rig, jobs, 1);
        measured[i] = timed(rig, jobs, 1);
        park(rig);
        table_take_stone(rig->table, jobs[0].x, jobs[0].y);
    }
    compare(prepicked ? "place_prepicked" : "place", measured, bound, ROUNDS);
}

// Two pairs of the person's stones around a point go into the trays, in the best order.
static int plan_captures(struct table_rig *rig, int column, int row, struct arm_job *jobs)
{
    static const int offset[4][2] = {{1, 0}, {2, 0}, {0, 1}, {0, 2}};
    struct capture_stone stones[4];
    struct capture_drop drops[1];
    struct capture_step steps[4];
    struct travel_limits limits;
    double at[3], board[4][2];
    arm_limits(rig->arm, &limits);
    arm_position(rig->arm, at);
    for (int i = 0; i < 4; i++) {
        double machine[2];
        board[i][0] = 22.0 * (column + offset[i][0]);
        board[i][1] = 22.0 * (row + offset[i][1]);
        board_map_to_machine(&rig->map, board[i], machine);
        stones[i] = (struct capture_stone){machine[0], machine[1], 1};
        if (table_put_stone(rig->table, 2, board[i][0], board[i][1]) < 0)
            exit(1);
    }
    drops[0] = (struct capture_drop){rig->stores.store[3].x, rig->stores.store[3].y, 12};
    struct capture_problem p = {&limits, at, NULL, 0, stones, 4, drops, 1};
    if (capture_order(&p, steps, NULL, NULL) < 0)
        exit(1);
    for (int i = 0; i < 4; i++)
        jobs[i] = (struct arm_job){.kind = ARM_JOB_LIFT,
                                   .x = board[steps[i].stone][0],
                                   .y = board[steps[i].stone][1],
                                   .store = 3};
    return 4;
}

static void bench_capture(struct table_rig *rig, struct rng *rng)
{
    double measured[ROUNDS], bound[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct arm_job jobs[JOBS_MAX];
        int column = (int)rng_below(rng, 16), row = (int)rng_below(rng, 16);
        // From over the stone just placed, as in a game.
        must(rig, table_rig_job(rig, at_point(ARM_JOB_PLACE, column, row, 0)));
        int n = plan_captures(rig, column, row, jobs);
        bound[i] = bound_of(rig, jobs, n);
        measured[i] = timed(rig, jobs, n);
        park(rig);
        table_take_stone(rig->table, 22.0 * column, 22.0 * row);
        table_empty_tray(rig->table, 2);
        memset(rig->stores.store[3].full, 0, sizeof rig->stores.store[3].full);
    }
    compare("two_pairs", measured, bound, ROUNDS);
}

// ---- host --------------------------------------------------------------------------------------

static double first_byte_at;

static void on_byte(void *user, enum transport_direction direction, const void *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    if (direction == TRANSPORT_OUT && first_byte_at == 0)
        first_byte_at = now_s(CLOCK_MONOTONIC);
}

static void bench_host(struct table_rig *rig)
{
    double delay[ROUNDS], stop[ROUNDS], cpu[ROUNDS];
    rig->transport->tap = on_byte;
    for (int i = 0; i < ROUNDS; i++) {
        struct arm_job job = {
            .kind = ARM_JOB_GOTO, .x = i % 2 ? -100 : -500, .y = -100, .store = -1};
        int64_t from = loop_now(rig->loop);
        rig->cpu_s = 0;
        first_byte_at = 0;
        double start = now_s(CLOCK_MONOTONIC);
        must(rig, table_rig_job(rig, job));
        delay[i] = 1e3 * (first_byte_at - start);
        cpu[i] = 100 * rig->cpu_s / ((double)(loop_now(rig->loop) - from) / 1e9);
    }
    for (int i = 0; i < ROUNDS; i++) {
        first_byte_at = 0;
        double start = now_s(CLOCK_MONOTONIC);
        arm_stop(rig->arm, ARM_STOP_PERSON, loop_now(rig->loop));
        stop[i] = 1e3 * (first_byte_at - start);
        table_rig_update(rig);
        table_rig_wait(rig, 2);
        must(rig, table_rig_home(rig));
    }
    rig->transport->tap = NULL;
    bar("arm_decision_to_first_byte",
        print_figure("arm_decision_to_first_byte", delay, ROUNDS, "ms"), first_byte_bar);
    bar("arm_stop_to_wire", print_figure("arm_stop_to_wire", stop, ROUNDS, "ms"), 10);
    bar("arm_host_cpu_moving", print_figure("arm_host_cpu_moving", cpu, ROUNDS, "%_of_a_core"),
        cpu_bar);
    const struct grbl_counts *c = grbl_counts(arm_grbl(rig->arm));
    printf("arm_poll_bytes\t%.3g\t0\t%%_of_the_line\n",
           100 * (double)(c->reports * 66) / ((double)loop_now(rig->loop) / 1e9 * 11520));
}

// ---- a long path by character counting ---------------------------------------------------------

struct path {
    struct table_rig *rig;
    struct grbl *grbl;
    struct loop_source *io, *timer;
    int next, answered, idle_reports;
    bool go;
    int64_t start, end;
};

// Four rounds of a circle of 100 short segments around the middle of the board.
static void path_point(int i, double ret[3])
{
    double angle = 2 * 3.14159265358979 * (i + 1) / 100;
    ret[0] = round(10 * (-300 + 50 * cos(angle))) / 10;
    ret[1] = round(10 * (-270 + 50 * sin(angle))) / 10;
    ret[2] = -38;
}

static void path_feed(struct path *p, int64_t now)
{
    while (p->go && p->next < PATH_SEGMENTS) {
        struct arm_step step = {.kind = ARM_STEP_LEG, .points = 1, .feed = {60}};
        double from[3];
        char line[GRBL_SEND_MAX + 2];
        path_point(p->next, step.point[0]);
        path_point(p->next - 1, from);
        arm_step_line(&step, 0, from, line, sizeof line);
        if (grbl_send(p->grbl, line, 20000000000, 1, now) < 0)
            break;
        p->next++;
    }
    loop_source_set_due(p->timer, grbl_deadline(p->grbl));
}

static void path_reply(void *user, uint64_t tag, int error, int64_t now)
{
    struct path *p = user;
    if (error)
        fprintf(stderr, "bench_arm: error:%d in the path\n", error);
    if (tag == 1 && ++p->answered == PATH_SEGMENTS)
        grbl_send(p->grbl, "G4P0", 20000000000, 2, now);
    if (tag == 2)
        p->end = now;
    path_feed(p, now);
}

static void path_status(void *user, const struct grbl_status *s, int64_t now)
{
    struct path *p = user;
    (void)now;
    // At rest with segments still to come: the planner ran dry.
    if (p->go && p->answered > 1 && p->answered < PATH_SEGMENTS && s->state == GRBL_STATE_IDLE)
        p->idle_reports++;
}

static void path_io(void *user, int fd, uint32_t revents)
{
    struct path *p = user;
    (void)fd;
    grbl_process(p->grbl, loop_now(p->rig->loop), (short)revents);
    loop_source_set_due(p->timer, grbl_deadline(p->grbl));
}

static void path_timer(void *user, int64_t now)
{
    struct path *p = user;
    grbl_process(p->grbl, now, 0);
    loop_source_set_due(p->timer, grbl_deadline(p->grbl));
}

static void path_voided(void *user, enum grbl_void_reason reason, int number, int64_t now)
{
    (void)user;
    (void)now;
    fprintf(stderr, "bench_arm: the path was cut short (%d, %d)\n", (int)reason, number);
}

// Homed by the arm before; its client is replaced by one that counts characters.
static void bench_path(const struct table_setup *setup)
{
    struct table_rig rig;
    struct error err = {0};
    struct path p = {.rig = &rig};
    if (table_rig_setup(&rig, setup, &err) < 0)
        exit(1);
    must(&rig, table_rig_home(&rig));
    must(
        &rig,
        table_rig_job(
            &rig,
            (struct arm_job){
                .kind = ARM_JOB_GOTO, .x = -250, .y = -270, .z = -38, .use_z = true, .store = -1}));
    rig.io = loop_source_free(rig.io);
    loop_source_set_due(rig.timer, INT64_MAX);
    struct grbl_options options = {.count_window = true,
                                   .events = {path_reply, path_voided, path_status, NULL, NULL},
                                   .user = &p};
    if (grbl_new(&options, rig.transport, loop_now(rig.loop), &p.grbl) < 0)
        exit(1);
    loop_add_io(rig.loop, transport_fd(rig.transport), 1, path_io, &p, &p.io);
    loop_add_timer(rig.loop, grbl_deadline(p.grbl), path_timer, &p, &p.timer);
    // A reset at rest keeps the position; the client asks for its banner by itself.
    for (int i = 0; i < 60000 && !p.end; i++) {
        loop_source_set_due(rig.alarm_clock, loop_now(rig.loop) + 1000000);
        if (loop_run(rig.loop) < 0)
            exit(1);
        if (!p.go && grbl_link(p.grbl) == GRBL_LINK_READY) {
            p.go = true;
            p.start = loop_now(rig.loop);
            grbl_set_pace(p.grbl, GRBL_PACE_MOVING, p.start);
            path_feed(&p, p.start);
        }
    }
    static double points[PATH_SEGMENTS][3], feeds[PATH_SEGMENTS];
    struct travel_limits limits;
    double from[3];
    for (int i = 0; i < PATH_SEGMENTS; i++) {
        path_point(i, points[i]);
        feeds[i] = 60;
    }
    path_point(-1, from);
    arm_limits(rig.arm, &limits);
    double ideal = travel_path(&limits, from, (const double(*)[3])points, feeds, PATH_SEGMENTS);
    printf("arm_path_400_measured\t%.4g\t0\ts\n", (double)(p.end - p.start) / 1e9);
    printf("arm_path_400_lower_bound\t%.4g\t0\ts\n", ideal);
    printf("arm_path_ran_dry\t%d\t0\ttimes\n", p.idle_reports);
    printf("arm_path_peak_in_flight\t%llu\t0\tbytes_of_128\n",
           (unsigned long long)grbl_counts(p.grbl)->peak_in_flight);
    printf("arm_path_bytes_lost\t%llu\t0\tbytes\n", (unsigned long long)table_overflows(rig.table));
    bar("arm_path_ran_dry", p.idle_reports, 0);
    bar("arm_path_bytes_lost", (double)table_overflows(rig.table), 0);
    if (!p.end) {
        fprintf(stderr, "bench_arm: the path did not end.\n");
        misses++;
    }
    loop_source_free(p.io);
    loop_source_free(p.timer);
    grbl_free(p.grbl);
    table_rig_teardown(&rig);
}

int main(void)
{
    struct table_setup setup;
    struct table_rig rig;
    struct rng rng;
    struct error err = {0};
    table_setup_default(&setup);
    rng_seed(&rng, 1);
    if (table_rig_setup(&rig, &setup, &err) < 0) {
        fprintf(stderr, "bench_arm: %s\n", err.text);
        return 1;
    }
    must(&rig, table_rig_home(&rig));
    park(&rig);
    bench_place(&rig, &rng, false);
    bench_place(&rig, &rng, true);
    bench_capture(&rig, &rng);
    bench_host(&rig);
    table_rig_teardown(&rig);
    bench_path(&setup);
    return misses ? 1 : 0;
}
