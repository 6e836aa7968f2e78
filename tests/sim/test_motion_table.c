#include "test_motion_table.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double contact_z = -42;

void table_rig_update(struct table_rig *rig)
{
    int fd = arm_fd(rig->arm);
    if (rig->io && fd != rig->fd)
        rig->io = loop_source_free(rig->io);
    if (rig->io)
        loop_source_set_events(rig->io, (uint32_t)arm_events(rig->arm));
    loop_source_set_due(rig->timer, arm_deadline(rig->arm));
}

static void on_io(void *user, int fd, uint32_t revents);

static void after(struct table_rig *rig)
{
    table_rig_update(rig);
    int fd = arm_fd(rig->arm);
    if (!rig->io && fd >= 0 &&
        loop_add_io(rig->loop, fd, (uint32_t)arm_events(rig->arm), on_io, rig, &rig->io) == 0)
        rig->fd = fd;
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void process(struct table_rig *rig, short revents)
{
    double start = cpu_now();
    arm_process(rig->arm, loop_now(rig->loop), revents);
    rig->cpu_s += cpu_now() - start;
    after(rig);
}

static void on_io(void *user, int fd, uint32_t revents)
{
    (void)fd;
    process(user, (short)revents);
}

static void on_timer(void *user, int64_t now)
{
    (void)now;
    process(user, 0);
}

static void on_alarm_clock(void *user, int64_t now)
{
    struct table_rig *rig = user;
    (void)now;
    rig->alarm_rang = true;
    loop_exit(rig->loop, 0);
}

static bool settled(void *user)
{
    struct table_rig *rig = user;
    return table_settled(rig->table, rig->transport->bytes_written, rig->transport->bytes_read);
}

static int open_serial(void *user, int *ret_fd, struct error *err)
{
    struct table_rig *rig = user;
    int r = table_serial_open(rig->table, ret_fd);
    return r < 0 ? error_set(err, -ENODEV, "The simulated plotter is unplugged.") : 0;
}

static int set_line(struct table_rig *rig, enum gpio_line line, int value)
{
    struct gpio *gpio = table_gpio(rig->table);
    return gpio->ops->set(gpio->impl, line, value);
}

static int set_pump(void *user, int on)
{
    return set_line(user, GPIO_PUMP, on);
}

static int set_valve(void *user, int vented)
{
    return set_line(user, GPIO_VALVE, vented);
}

static int get_sensor(void *user)
{
    struct gpio *gpio = table_gpio(((struct table_rig *)user)->table);
    return gpio->ops->get(gpio->impl, GPIO_PICK_SENSOR);
}

static void on_event(void *user, const struct arm_event *event, int64_t now)
{
    struct table_rig *rig = user;
    if (rig->verbose)
        fprintf(stderr, "%9.3f event %d job %llu %s %s: %s\n", (double)now / 1e9, (int)event->kind,
                (unsigned long long)event->job, arm_state_name(event->state),
                arm_reason_name(event->reason), event->text);
    if (event->kind == ARM_EVENT_RETRY)
        rig->retries++;
    rig->warnings += event->kind == ARM_EVENT_WARNING;
    if (event->kind != ARM_EVENT_DONE && event->kind != ARM_EVENT_FAILED)
        return;
    if (event->kind == ARM_EVENT_DONE)
        rig->jobs_done++;
    else
        rig->jobs_failed++;
    if (event->reason == ARM_CANCELLED)
        return;
    rig->last = *event;
    rig->last_ns = now;
    snprintf(rig->text, sizeof rig->text, "%s", event->text);
    rig->last.text = rig->text;
}

static void add_stores(struct table_rig *rig, const struct table_setup *s)
{
    rig->stores.count = 4;
    for (int c = 0; c < 2; c++) {
        struct store *feeder = &rig->stores.store[c], *tray = &rig->stores.store[2 + c];
        *feeder = (struct store){.kind = STORE_FEEDER,
                                 .colour = c + 1,
                                 .x = s->store[c].x,
                                 .y = s->store[c].y,
                                 .z_contact = contact_z,
                                 .z_release = contact_z,
                                 .capacity = 1000,
                                 .count = s->store[c].count,
                                 .low = 5};
        snprintf(feeder->name, sizeof feeder->name, "store %d", c + 1);
        *tray = (struct store){.kind = STORE_TRAY,
                               .role = STORE_CAPTURED,
                               .colour = c + 1,
                               .x = s->tray[c].x - 19,
                               .y = s->tray[c].y + 28.5,
                               .z_contact = contact_z,
                               .z_release = contact_z + 1,
                               .columns = 3,
                               .rows = 4,
                               .step_x = 19,
                               .step_y = -19};
        snprintf(tray->name, sizeof tray->name, "tray %d", c + 1);
    }
}

static int make_gripper(struct table_rig *rig, const struct setup_gripper *g, struct error *err)
{
    int (*sensor)(void *) = g->probe_is_sensor ? NULL : get_sensor;
    if (g->vacuum_by_mcode) {
        struct gripper_words words = {"M3S1000", "M5", NULL, rig, sensor};
        return gripper_new_mcode(&words, &rig->gripper, err);
    }
    struct gripper_lines lines = {rig, set_pump, set_valve, sensor};
    return gripper_new_gpio(&lines, &rig->gripper);
}

static int make_arm(struct table_rig *rig, const struct setup_gripper *g, struct error *err)
{
    int fd = -1, r = table_serial_open(rig->table, &fd);
    if (r == 0)
        r = transport_new_fd(fd, "simulated plotter", open_serial, rig, &rig->transport, err);
    if (r == 0)
        r = make_gripper(rig, g, err);
    if (r == 0)
        r = loop_add_settled(rig->loop, settled, rig);
    struct arm_config config = arm_config_default();
    config.probe_sensor = g->probe_is_sensor;
    struct arm_hooks hooks = {.event = on_event, .user = rig};
    if (r == 0)
        r = arm_new(&config, 115200, rig->transport, rig->gripper, &rig->stores, &hooks,
                    loop_now(rig->loop), &rig->arm, err);
    if (r == 0)
        r = loop_add_timer(rig->loop, INT64_MAX, on_timer, rig, &rig->timer);
    if (r == 0)
        r = loop_add_timer(rig->loop, INT64_MAX, on_alarm_clock, rig, &rig->alarm_clock);
    if (r == 0)
        after(rig);
    return r;
}

int table_rig_setup(struct table_rig *rig, const struct table_setup *setup, struct error *err)
{
    memset(rig, 0, sizeof *rig);
    rig->fd = -1;
    int r = loop_new_virtual(1000000000, &rig->loop);
    if (r == 0)
        r = table_new(setup, rig->loop, NULL, &rig->table, err);
    if (r < 0)
        return r;
    add_stores(rig, setup);
    const struct setup_machine *m = &setup->machine;
    rig->map = board_map_from_pose(m->a1_x, m->a1_y, m->rotation_deg, m->scale);
    return make_arm(rig, &setup->gripper, err);
}

void table_rig_teardown(struct table_rig *rig)
{
    rig->arm = arm_free(rig->arm);
    rig->gripper = gripper_free(rig->gripper);
    loop_source_free(rig->io);
    loop_source_free(rig->timer);
    loop_source_free(rig->alarm_clock);
    rig->transport = transport_free(rig->transport);
    rig->table = table_free(rig->table);
    rig->loop = loop_free(rig->loop);
}

bool table_rig_run(struct table_rig *rig, bool (*done)(struct table_rig *rig), double seconds)
{
    int64_t until = loop_now(rig->loop) + (int64_t)(seconds * 1e9);
    after(rig);
    while (!(done && done(rig))) {
        int64_t now = loop_now(rig->loop);
        if (now >= until)
            return false;
        // Looked at every 5 ms; times that matter come with the events.
        rig->alarm_rang = false;
        loop_source_set_due(rig->alarm_clock, now + 5000000 < until ? now + 5000000 : until);
        if (loop_run(rig->loop) < 0)
            return false;
    }
    return true;
}

void table_rig_wait(struct table_rig *rig, double seconds)
{
    table_rig_run(rig, NULL, seconds);
}

static bool idle(struct table_rig *rig)
{
    return !arm_busy(rig->arm);
}

static bool ready(struct table_rig *rig)
{
    return arm_state(rig->arm) == ARM_UNKNOWN || arm_state(rig->arm) == ARM_HOMED;
}

bool table_rig_jobs(struct table_rig *rig, struct arm_job *jobs, int count)
{
    int done = rig->jobs_done;
    for (int i = 0; i < count; i++) {
        struct arm_job job = jobs[i];
        struct error err = {0};
        if (job.kind == ARM_JOB_PLACE || job.kind == ARM_JOB_LIFT) {
            double at[2];
            board_map_to_machine(&rig->map, (double[]){job.x, job.y}, at);
            job.x = at[0];
            job.y = at[1];
        }
        if (arm_submit(rig->arm, &job, loop_now(rig->loop), NULL, &err) < 0) {
            snprintf(rig->text, sizeof rig->text, "%s", err.text);
            return false;
        }
    }
    table_rig_run(rig, idle, 300);
    return rig->jobs_done == done + count;
}

bool table_rig_job(struct table_rig *rig, struct arm_job job)
{
    return table_rig_jobs(rig, &job, 1);
}

bool table_rig_home(struct table_rig *rig)
{
    struct error err = {0};
    if (arm_reset(rig->arm, loop_now(rig->loop), &err) < 0 || !table_rig_run(rig, ready, 30))
        return false;
    return table_rig_job(rig, (struct arm_job){.kind = ARM_JOB_HOME}) &&
           (arm_held(rig->arm) == ARM_HELD_NO ||
            table_rig_job(rig, (struct arm_job){.kind = ARM_JOB_VENT, .store = 2}));
}
