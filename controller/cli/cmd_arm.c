// tessera arm: the arm by hand. Whoever types it is the explicit act that a stopped arm waits for.
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/base/log.h"
#include "config/calibration.h"
#include "config/paths.h"
#include "controller/arm_link.h"
#include "controller/cli/commands.h"
#include "controller/controls.h"
#include "controller/devices.h"
#include "rules/notation.h"

enum { JOBS_MAX = 256 };
static const int64_t PATIENCE_NS = 90 * NS_PER_S; // for a plotter that does not answer

struct by_hand {
    struct loop *loop;
    struct devices devices;
    struct controls *controls;
    struct gripper *gripper;
    struct arm *arm;
    struct arm_link *link;
    struct arm_job job[JOBS_MAX];
    int count, next;
    bool json, started;
    enum exit_code code;
};

static void end(struct by_hand *h, enum exit_code code)
{
    h->code = code;
    loop_exit(h->loop, 0);
}

static void tell_status(struct by_hand *h)
{
    double at[3] = {0};
    bool known = arm_position(h->arm, at);
    const struct grbl_machine *m = grbl_machine(arm_grbl(h->arm));
    if (h->json) {
        json_t *o = json_pack("{s:s, s:b, s:[f,f,f], s:[f,f,f]}", "state",
                              arm_state_name(arm_state(h->arm)), "known", known, "position", at[0],
                              at[1], at[2], "travel", m->travel[0], m->travel[1], m->travel[2]);
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(o);
        return;
    }
    printf("%s", arm_state_name(arm_state(h->arm)));
    if (known)
        printf(" at %.2f, %.2f, %.2f mm", at[0], at[1], at[2]);
    printf("; travel %.0f x %.0f x %.0f mm\n", m->travel[0], m->travel[1], m->travel[2]);
}

static void submit_next(struct by_hand *h)
{
    struct error err;
    if (h->next == h->count) {
        tell_status(h);
        end(h, EXIT_DONE);
        return;
    }
    if (arm_submit(h->arm, &h->job[h->next++], loop_now(h->loop), NULL, &err) < 0)
        end(h, options_fail(&err));
    arm_link_update(h->link);
}

static void on_event(void *user, const struct arm_event *e, int64_t now)
{
    (void)now;
    struct by_hand *h = user;
    if (e->kind == ARM_EVENT_STATE && e->state == ARM_UNKNOWN && !h->started) {
        h->started = true;
        submit_next(h);
    } else if (e->kind == ARM_EVENT_DONE) {
        log_info("%s: done in %.2f s", arm_job_class(e->job_kind)->name,
                 (double)e->took_ns / (double)NS_PER_S);
        submit_next(h);
    } else if (e->kind == ARM_EVENT_FAILED) {
        log_error("%s: %s", arm_job_class(e->job_kind)->name, e->text);
        end(h, e->reason == ARM_LINK_LOST ? EXIT_NO_DEVICE : EXIT_FAILED);
    } else if (e->kind == ARM_EVENT_RETRY || e->kind == ARM_EVENT_WARNING) {
        log_notice("%s", e->text);
    }
}

static void on_estop(void *user, bool stop)
{
    struct by_hand *h = user;
    arm_set_stop_input(h->arm, ARM_STOP_ESTOP, stop, loop_now(h->loop));
    if (!stop)
        return;
    log_error("stopped: the emergency stop is pressed.");
    end(h, EXIT_STOPPED);
}

static void on_pressed(void *user, enum gpio_line button)
{
    (void)user, (void)button;
}

static void on_lost(void *user, const char *text)
{
    struct by_hand *h = user;
    log_error("%s", text);
    arm_stop(h->arm, ARM_STOP_ESTOP, loop_now(h->loop));
    end(h, EXIT_NO_DEVICE);
}

static void on_signal(void *user, int signo)
{
    (void)signo;
    struct by_hand *h = user;
    arm_stop(h->arm, ARM_STOP_PERSON, loop_now(h->loop));
    end(h, EXIT_STOPPED);
}

static void on_patience(void *user, int64_t now)
{
    (void)now;
    struct by_hand *h = user;
    if (h->started)
        return;
    log_error("the plotter does not answer. %s", grbl_last_trouble(arm_grbl(h->arm)));
    end(h, EXIT_NO_DEVICE);
}

// --- what to do ---

static struct arm_job *add_job(struct by_hand *h, enum arm_job_kind kind)
{
    struct arm_job *job = &h->job[h->count];
    *job = (struct arm_job){.kind = kind, .store = -1};
    h->count += h->count < JOBS_MAX - 1;
    return job;
}

static int at_point(const struct by_hand *h, const char *text, struct arm_job *job,
                    struct error *err)
{
    struct point p;
    double machine[2];
    const struct settings_board *b = &h->devices.settings->board;
    if (!text || !point_parse(text, strlen(text), &p) || p.x >= b->columns || p.y >= b->rows)
        return error_set(err, -EINVAL, "\"%s\" is no point of this board; K10 is one.",
                         text ? text : "");
    const double board[2] = {p.x * b->pitch_x, p.y * b->pitch_y};
    board_map_to_machine(&h->devices.map, board, machine);
    job->x = machine[0];
    job->y = machine[1];
    return 0;
}

static int whole_number(const char *text, int low, int high, int *ret, struct error *err)
{
    char *rest;
    long n = text ? strtol(text, &rest, 10) : 0;
    if (!text || rest == text || *rest || n < low || n > high)
        return error_set(err, -EINVAL, "\"%s\" should be a whole number from %d to %d.",
                         text ? text : "", low, high);
    *ret = (int)n;
    return 0;
}

static int jog(struct arm_job *job, const char *text, struct error *err)
{
    char end_char;
    if (!text || sscanf(text, "%lf,%lf,%lf%c", &job->x, &job->y, &job->z, &end_char) != 3)
        return error_set(err, -EINVAL, "jog takes millimetres as X,Y,Z: jog 10,0,-2.");
    return 0;
}

// Takes a stone, lays it on the middle point, lifts it into its tray: what wears in a game.
static int cycle(struct by_hand *h, int times, struct error *err)
{
    int supply = devices_store(&h->devices.stores, STORE_SUPPLY, 1);
    int tray = devices_store(&h->devices.stores, STORE_CAPTURED, 1);
    if (supply < 0 || tray < 0)
        return error_set(err, -EINVAL, "cycle needs a store and a tray for colour 1.");
    for (int i = 0; i < times; i++) {
        struct arm_job *job = add_job(h, ARM_JOB_PLACE);
        job->store = supply;
        int r = at_point(h, "K10", job, err);
        struct arm_job *lift = add_job(h, ARM_JOB_LIFT);
        lift->store = tray;
        lift->x = job->x;
        lift->y = job->y;
        if (r < 0)
            return r;
    }
    return 0;
}

static int plan(struct by_hand *h, const char *verb, const char *argument, struct error *err)
{
    int number = 0, r;
    if (strcmp(verb, "status") == 0)
        return 0;
    add_job(h, ARM_JOB_HOME);
    if (strcmp(verb, "home") == 0)
        return 0;
    if (strcmp(verb, "park") == 0) {
        add_job(h, ARM_JOB_PARK);
        return 0;
    }
    if (strcmp(verb, "goto") == 0)
        return at_point(h, argument, add_job(h, ARM_JOB_GOTO), err);
    if (strcmp(verb, "jog") == 0)
        return jog(add_job(h, ARM_JOB_JOG), argument, err);
    if (strcmp(verb, "pick") == 0) {
        if ((r = whole_number(argument, 1, SETTINGS_COLOURS, &number, err)) < 0)
            return r;
        struct arm_job *job = add_job(h, ARM_JOB_PICK);
        job->store = devices_store(&h->devices.stores, STORE_SUPPLY, number);
        return job->store < 0 ? error_set(err, -EINVAL, "there is no store %d.", number) : 0;
    }
    if (strcmp(verb, "place") == 0) {
        struct arm_job *job = add_job(h, ARM_JOB_PLACE);
        job->store = devices_store(&h->devices.stores, STORE_SUPPLY, 1);
        return at_point(h, argument, job, err);
    }
    if (strcmp(verb, "lift") == 0) {
        struct arm_job *job = add_job(h, ARM_JOB_LIFT);
        job->store = devices_store(&h->devices.stores, STORE_CAPTURED, 1);
        return at_point(h, argument, job, err);
    }
    if (strcmp(verb, "cycle") == 0) {
        r = whole_number(argument, 1, (JOBS_MAX - 2) / 2, &number, err);
        return r < 0 ? r : cycle(h, number, err);
    }
    return error_set(err, -EINVAL,
                     "the arm knows no \"%s\"; `tessera arm --help` lists what it does.", verb);
}

// --- running ---

static int open_arm(struct by_hand *h, struct error *err)
{
    const struct settings *s = h->devices.settings;
    const struct controls_events events = {
        .estop = on_estop, .pressed = on_pressed, .lost = on_lost, .user = h};
    const struct arm_hooks hooks = {.event = on_event, .user = h};
    struct gripper_lines lines;
    int r = 0;
    if (h->devices.has_gpio) {
        r = controls_new(h->loop, &h->devices.gpio, &events, &h->controls, err);
        h->devices.has_gpio = r < 0;
    }
    if (r == 0 && s->safety.estop_required &&
        !(h->controls && controls_wired(h->controls, GPIO_ESTOP)))
        r = error_set(err, -ENODEV, "no emergency stop is wired, so the arm must not move.");
    if (h->controls)
        lines = controls_gripper(h->controls);
    if (r == 0)
        r = devices_gripper(s, h->controls ? &lines : NULL, &h->gripper, err);
    if (r == 0)
        r = arm_new(&h->devices.arm, s->serial.baud, h->devices.transport, h->gripper,
                    &h->devices.stores, &hooks, loop_now(h->loop), &h->arm, err);
    if (r == 0)
        r = arm_link_new(h->loop, h->arm, &h->link, err);
    if (r < 0)
        return r;
    if (h->controls)
        arm_set_stop_input(h->arm, ARM_STOP_ESTOP, controls_estop(h->controls), loop_now(h->loop));
    loop_add_signal(h->loop, SIGINT, on_signal, h, NULL);
    r = arm_reset(h->arm, loop_now(h->loop), err);
    arm_link_update(h->link);
    return r;
}

static enum exit_code run(struct by_hand *h)
{
    struct error err;
    int r = open_arm(h, &err);
    if (r == 0)
        loop_add_timer(h->loop, loop_now(h->loop) + PATIENCE_NS, on_patience, h, NULL);
    if (r == 0)
        r = loop_run(h->loop);
    enum exit_code code = r < 0 ? options_fail(&err) : h->code;
    arm_link_free(h->link);
    arm_free(h->arm);
    gripper_free(h->gripper);
    controls_free(h->controls);
    return code;
}

// G-code, times and nothing else.
static enum exit_code dry_run(const struct by_hand *h)
{
    const struct arm_config *c = &h->devices.arm;
    const struct settings_machine *m = &h->devices.settings->machine;
    const struct travel_limits limits = {
        .speed = {m->feed_xy, m->feed_xy, m->feed_z},
        .acceleration = {m->accel_xy, m->accel_xy, m->accel_z},
    };
    const double travel[3] = {m->travel_x, m->travel_y, m->travel_z};
    struct arm_scene scene = {.config = c,
                              .stores = &h->devices.stores,
                              .limits = &limits,
                              .travel = travel,
                              .at = {c->park[0], c->park[1], c->safe_z}};
    struct error err;
    for (int i = 0; i < h->count; i++) {
        struct arm_program program;
        char text[8192];
        if (arm_program_plan(&scene, &h->job[i], &program, &err) < 0)
            return options_fail(&err);
        arm_program_text(&program, &limits, scene.at, text, sizeof text);
        printf("; %s\n%s", arm_job_class(h->job[i].kind)->name, text);
        memcpy(scene.at, program.end, sizeof scene.at);
    }
    return EXIT_DONE;
}

static enum exit_code open_and_run(struct by_hand *h, const struct settings *settings,
                                   const char *verb, const char *argument, bool dry)
{
    struct error err;
    struct calibration calibration;
    char path[PATHS_MAX];
    bool calibrated = paths_calibration(settings, path, sizeof path) == 0 &&
                      calibration_load(path, settings->machine.name, &calibration, &err) == 0;
    bool sim = strcmp(settings->serial.port, "sim") == 0;
    int r = sim ? loop_new_virtual(0, &h->loop) : loop_new_real(&h->loop);
    if (r < 0)
        return EXIT_FAILED;
    r = dry ? devices_configure(h->loop, settings, calibrated ? &calibration : NULL, &h->devices,
                                &err)
            : devices_open(h->loop, settings, calibrated ? &calibration : NULL,
                           DEVICES_ARM | DEVICES_PANEL, NULL, &h->devices, &err);
    enum exit_code code;
    if (r < 0 || (r = plan(h, verb, argument, &err)) < 0)
        code = options_fail(&err);
    else
        code = dry ? dry_run(h) : run(h);
    if (!dry && r >= 0)
        devices_close(&h->devices);
    loop_free(h->loop);
    return code;
}

enum exit_code cmd_arm(int argc, char **argv)
{
    const struct command *command = options_find_command("arm");
    struct common_options common;
    struct settings settings;
    const char *port = NULL;
    char setting[SETTINGS_PATH_MAX + 16];
    bool dry = false;
    const struct option_row rows[] = {
        {"port", "PORT", "the plotter, instead of serial.port", OPTION_TEXT, &port, 0, 0},
        {"dry-run", NULL, "print the G-code and its times; open nothing", OPTION_FLAG, &dry, 0, 0},
        {0},
    };
    enum exit_code code;
    int first = options_parse(command, rows, &common, argc, argv, &code);
    if (first < 0)
        return code;
    if (argc - first < 1 || argc - first > 2)
        return options_usage(command, "arm takes a verb and at most one argument");
    if (port) {
        snprintf(setting, sizeof setting, "serial.port=%s", port);
        options_add_set(&common, setting);
    }
    code = options_settings(&common, &settings);
    if (code != EXIT_DONE)
        return code;
    struct by_hand *h = calloc(1, sizeof *h);
    if (!h)
        return EXIT_FAILED;
    h->json = common.json;
    code = open_and_run(h, &settings, argv[first], argc - first > 1 ? argv[first + 1] : NULL, dry);
    free(h);
    return code;
}
