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
#include "controller/cli/arm_orders.h"
#include "controller/cli/commands.h"
#include "controller/controls.h"

enum { RECOVERIES_MAX = 5 };                      // faults without a finished round in between
static const int64_t PATIENCE_NS = 30 * NS_PER_S; // for a plotter that does not answer

// What the arm is doing for us.
enum phase {
    STARTING, // waits for the plotter
    ORDERS,   // the jobs asked for
    CLEARING, // lets go what may hang on the cup, then goes on with the orders
    MENDING,  // a cycle after a fault: homes, clears the cup and the point it worked at
};

struct by_hand {
    struct loop *loop;
    struct devices devices;
    struct controls *controls;
    struct gripper *gripper;
    struct arm *arm;
    struct arm_link *link;
    struct loop_source *patience; // looks every second for a sign of life
    int64_t give_up_ns;
    bool heard; // bytes, whether they made sense or not
    struct arm_orders orders;
    enum phase phase;
    int next, round, mending; // index of the next job; rounds done; step of MENDING
    int recoveries, recoveries_in_a_row, retries;
    bool json;
    enum exit_code code;
};

static void end(struct by_hand *h, enum exit_code code)
{
    h->code = code;
    loop_exit(h->loop, 0);
}

static void be_patient(struct by_hand *h)
{
    h->give_up_ns = loop_now(h->loop) + PATIENCE_NS;
    loop_source_set_due(h->patience, loop_now(h->loop) + NS_PER_S);
}

// --- what is told ---

static void tell_json(const struct by_hand *h, bool known, const double at[3])
{
    static const char *const held[] = {
        [ARM_HELD_NO] = "no", [ARM_HELD_YES] = "yes", [ARM_HELD_UNKNOWN] = "unknown"};
    const struct grbl_machine *m = grbl_machine(arm_grbl(h->arm));
    json_t *o = json_pack("{s:s, s:b, s:[f,f,f], s:[f,f,f], s:s}", "state",
                          arm_state_name(arm_state(h->arm)), "known", known, "position", at[0],
                          at[1], at[2], "travel", m->travel[0], m->travel[1], m->travel[2], "held",
                          held[arm_held(h->arm)]);
    if (h->orders.rounds > 1)
        json_object_update_new(o, json_pack("{s:i, s:i, s:i}", "rounds", h->round, "retries",
                                            h->retries, "recoveries", h->recoveries));
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
}

static void tell_status(const struct by_hand *h)
{
    double at[3] = {0};
    bool known = arm_position(h->arm, at);
    const struct grbl_machine *m = grbl_machine(arm_grbl(h->arm));
    if (h->json) {
        tell_json(h, known, at);
        return;
    }
    printf("%s", arm_state_name(arm_state(h->arm)));
    if (known)
        printf(" at %.2f, %.2f, %.2f mm", at[0], at[1], at[2]);
    if (known && arm_held(h->arm) != ARM_HELD_NO)
        printf(", %s",
               arm_held(h->arm) == ARM_HELD_YES ? "holding a stone" : "perhaps holding a stone");
    printf("; travel %.0f x %.0f x %.0f mm\n", m->travel[0], m->travel[1], m->travel[2]);
    if (h->orders.rounds > 1)
        printf("%d stones laid and lifted; %d more tries at gripping or letting go, %d recoveries "
               "from a fault\n",
               h->round, h->retries, h->recoveries);
}

// --- carrying out ---

static void submit(struct by_hand *h, struct arm_job job)
{
    struct error err;
    if (arm_submit(h->arm, &job, loop_now(h->loop), NULL, &err) < 0)
        end(h, options_fail(&err));
    arm_link_update(h->link);
}

// Unlike the state, this is right also while a failure is being told.
static bool knows_place(const struct by_hand *h)
{
    double at[3];
    return arm_position(h->arm, at);
}

static bool touches_stones(enum arm_job_kind kind)
{
    return kind == ARM_JOB_PICK || kind == ARM_JOB_READY || kind == ARM_JOB_PLACE ||
           kind == ARM_JOB_LIFT;
}

static void submit_next(struct by_hand *h)
{
    const struct arm_orders *o = &h->orders;
    h->phase = ORDERS;
    if (o->until && h->next == o->until) {
        h->recoveries_in_a_row = 0;
        if (++h->round < o->rounds)
            h->next = o->again;
    }
    if (h->next == o->count) {
        tell_status(h);
        end(h, EXIT_DONE);
        return;
    }
    struct arm_job job = arm_orders_job(o, h->next, h->round);
    // After homing nobody knows what hangs on the cup, unless a sensor says so.
    if (touches_stones(job.kind) && arm_held(h->arm) == ARM_HELD_UNKNOWN && o->tray >= 0) {
        h->phase = CLEARING;
        submit(h, (struct arm_job){.kind = ARM_JOB_VENT, .store = o->tray});
        return;
    }
    h->next++;
    submit(h, job);
}

// A cycle after a fault: home if the position was lost, let go over the tray what may hang on the
// cup, take away what may lie at the point of this round, and begin it anew.
static void mend_next(struct by_hand *h)
{
    const struct arm_orders *o = &h->orders;
    struct arm_job job = arm_orders_job(o, o->again, h->round);
    switch (h->mending++) {
    case 0:
        if (!knows_place(h)) {
            submit(h, (struct arm_job){.kind = ARM_JOB_HOME, .store = -1});
            return;
        }
        h->mending++;
        // fall through
    case 1:
        if (arm_held(h->arm) != ARM_HELD_NO) {
            submit(h, (struct arm_job){.kind = ARM_JOB_VENT, .store = o->tray});
            return;
        }
        h->mending++;
        // fall through
    case 2:
        job.kind = ARM_JOB_LIFT;
        job.store = o->tray;
        submit(h, job);
        return;
    default:
        h->next = o->restart;
        submit_next(h);
    }
}

static void go_on(struct by_hand *h)
{
    if (h->phase == MENDING)
        mend_next(h);
    else
        submit_next(h);
}

static bool can_recover(const struct by_hand *h, enum arm_reason reason)
{
    static const unsigned machine = 1u << ARM_ALARM | 1u << ARM_REFUSED | 1u << ARM_RESTARTED |
                                    1u << ARM_LINK_LOST | 1u << ARM_TIMEOUT | 1u << ARM_OFF_TARGET |
                                    1u << ARM_STONE_LOST | 1u << ARM_NOTHING_GRIPPED;
    return h->orders.until && machine & 1u << reason && h->recoveries_in_a_row < RECOVERIES_MAX;
}

static void on_failed(struct by_hand *h, const struct arm_event *e)
{
    const char *name = arm_job_class(e->job_kind)->name;
    if (e->reason == ARM_CANCELLED)
        return;
    if (h->phase == MENDING && e->job_kind == ARM_JOB_LIFT && e->reason == ARM_NOTHING_GRIPPED) {
        mend_next(h); // nothing lay there: all the better
        return;
    }
    log_error("%s: %s", name, e->text);
    if (!can_recover(h, e->reason)) {
        end(h, e->reason == ARM_LINK_LOST ? EXIT_NO_DEVICE : EXIT_FAILED);
        return;
    }
    log_notice("going on after the fault (%d of at most %d in a row)", h->recoveries_in_a_row + 1,
               RECOVERIES_MAX);
    h->recoveries++;
    h->recoveries_in_a_row++;
    h->phase = MENDING;
    h->mending = 0;
    if (knows_place(h))
        mend_next(h);
    else
        be_patient(h);
}

static void on_state(struct by_hand *h, const struct arm_event *e)
{
    bool waits = h->phase == STARTING || (h->phase == MENDING && h->mending == 0);
    if (e->state == ARM_UNKNOWN && waits) {
        loop_source_set_due(h->patience, INT64_MAX);
        go_on(h);
    } else if (e->state == ARM_FAULTED && h->phase != STARTING) {
        log_error("the arm has stopped: %s.", e->text);
        end(h, EXIT_FAILED);
    }
}

static void on_event(void *user, const struct arm_event *e, int64_t now)
{
    (void)now;
    struct by_hand *h = user;
    switch (e->kind) {
    case ARM_EVENT_STATE:
        on_state(h, e);
        break;
    case ARM_EVENT_DONE:
        log_info("%s: done in %.2f s", arm_job_class(e->job_kind)->name,
                 (double)e->took_ns / (double)NS_PER_S);
        go_on(h);
        break;
    case ARM_EVENT_FAILED:
        on_failed(h, e);
        break;
    case ARM_EVENT_RETRY:
        h->retries++;
        log_notice("one more try (%d)", e->number);
        break;
    case ARM_EVENT_WARNING:
        log_notice("%s", e->text);
        if (!arm_held_up(h->arm))
            break;
        // Nobody may be here to say that it can go on.
        arm_stop(h->arm, ARM_STOP_PERSON, loop_now(h->loop));
        log_error("stopped: the plotter's own door or hold button has halted it.");
        end(h, EXIT_STOPPED);
        break;
    case ARM_EVENT_STARTED:
        break;
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

static void on_lid(void *user, bool open)
{
    struct by_hand *h = user;
    arm_set_stop_input(h->arm, ARM_STOP_LID, open, loop_now(h->loop));
    if (!open)
        return;
    log_error("stopped: the lid is open.");
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

// Nothing at all, or noise: the first two things to look at differ.
static const char *why_mute(const struct by_hand *h, char *buf, size_t size)
{
    const char *trouble = grbl_last_trouble(arm_grbl(h->arm));
    const struct settings_serial *s = &h->devices.settings->serial;
    if (trouble[0])
        return trouble;
    if (h->heard)
        snprintf(buf, size,
                 "What comes makes no sense: is %d baud (serial.baud) its speed? Grbl's is 115200.",
                 s->baud);
    else
        snprintf(buf, size,
                 "Nothing comes at all: is it switched on, is %s its port, and %d baud its speed?",
                 s->port, s->baud);
    return buf;
}

static void on_patience(void *user, int64_t now)
{
    struct by_hand *h = user;
    h->heard = h->heard || h->devices.transport->bytes_read; // since it was last opened
    if (now < h->give_up_ns) {
        loop_source_set_due(h->patience, now + NS_PER_S);
        return;
    }
    char text[ERROR_TEXT_MAX];
    log_error("the plotter does not answer. %s", why_mute(h, text, sizeof text));
    end(h, EXIT_NO_DEVICE);
}

// --- running ---

static int open_arm(struct by_hand *h, struct error *err)
{
    const struct settings *s = h->devices.settings;
    const struct controls_events events = {
        .estop = on_estop, .lid = on_lid, .pressed = on_pressed, .lost = on_lost, .user = h};
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
    if (h->controls) {
        arm_set_stop_input(h->arm, ARM_STOP_ESTOP, controls_estop(h->controls), loop_now(h->loop));
        arm_set_stop_input(h->arm, ARM_STOP_LID, controls_lid(h->controls), loop_now(h->loop));
    }
    r = loop_add_endings(h->loop, on_signal, h, NULL);
    if (r < 0)
        return error_set(err, r, "Signals can't be watched: %s.", strerror(-r));
    r = arm_reset(h->arm, loop_now(h->loop), err);
    arm_link_update(h->link);
    return r;
}

static enum exit_code run(struct by_hand *h)
{
    struct error err;
    int r = open_arm(h, &err);
    if (r == 0)
        r = loop_add_timer(h->loop, INT64_MAX, on_patience, h, &h->patience);
    if (r == 0)
        be_patient(h);
    if (r == 0)
        r = loop_run(h->loop);
    enum exit_code code = r < 0 ? options_fail(&err) : h->code;
    arm_link_free(h->link);
    arm_free(h->arm);
    gripper_free(h->gripper);
    controls_free(h->controls);
    return code;
}

static void join(const char *const *words, int count, char *ret, size_t size)
{
    ret[0] = 0;
    for (int i = 0; i < count; i++) {
        size_t used = strlen(ret);
        snprintf(ret + used, size - used, "%s%s", i && words[i][0] != ' ' ? " " : "", words[i]);
    }
}

struct by_hand_options {
    const char *const *words;
    int word_count;
    const char *plot;
    bool dry;
};

static enum exit_code open_and_run(struct by_hand *h, const struct settings *settings,
                                   const struct by_hand_options *o)
{
    struct error err;
    struct calibration calibration;
    char path[PATHS_MAX], title[96];
    bool calibrated = paths_calibration(settings, path, sizeof path) == 0 &&
                      calibration_load(path, settings->machine.name, &calibration, &err) == 0;
    bool sim = strcmp(settings->serial.port, "sim") == 0;
    int r = sim ? loop_new_virtual(0, &h->loop) : loop_new_real(&h->loop);
    if (r < 0)
        return EXIT_FAILED;
    // What is asked for is judged before any device is touched.
    r = devices_configure(h->loop, settings, calibrated ? &calibration : NULL, &h->devices, &err);
    if (r == 0)
        r = arm_orders_read(&h->devices, o->words, o->word_count, &h->orders, &err);
    join(o->words, o->word_count, title, sizeof title);
    enum arm_paper paper = !o->dry ? ARM_PAPER_NONE : h->json ? ARM_PAPER_JSON : ARM_PAPER_TEXT;
    if (r == 0 && (o->dry || o->plot))
        r = arm_orders_print(&h->orders, &h->devices, paper, o->plot, title, &err);
    if (r == 0 && !o->dry)
        r = devices_open(h->loop, settings, calibrated ? &calibration : NULL,
                         DEVICES_ARM | DEVICES_PANEL, NULL, &h->devices, &err);
    enum exit_code code = r < 0 ? options_fail(&err) : o->dry ? EXIT_DONE : run(h);
    if (!o->dry && r >= 0)
        devices_close(&h->devices);
    loop_free(h->loop);
    return code;
}

// Machine millimetres are negative, and getopt takes "-100,-5" for an option: a blank hides them.
static void hide_numbers(int argc, char **argv)
{
    static char hidden[3][64];
    int used = 0;
    for (int i = 1; i < argc && used < 3; i++) {
        if (argv[i][0] != '-' || !strchr("0123456789.", argv[i][1]) || !argv[i][1])
            continue;
        snprintf(hidden[used], sizeof hidden[used], " %s", argv[i]);
        argv[i] = hidden[used++];
    }
}

enum exit_code cmd_arm(int argc, char **argv)
{
    hide_numbers(argc, argv);
    const struct command *command = options_find_command("arm");
    struct common_options common;
    struct settings settings;
    const char *port = NULL;
    char setting[SETTINGS_PATH_MAX + 16];
    struct by_hand_options o = {0};
    const struct option_row rows[] = {
        {"port", "PORT", "the plotter, instead of serial.port", OPTION_TEXT, &port, 0, 0},
        {"dry-run", NULL, "print the G-code and its times; open nothing", OPTION_FLAG, &o.dry, 0,
         0},
        {"plot", "OUT.svg", "draw the planned path, seen from above", OPTION_TEXT, &o.plot, 0, 0},
        {0},
    };
    enum exit_code code;
    int first = options_parse(command, rows, &common, argc, argv, &code);
    if (first < 0)
        return code;
    if (argc - first < 1 || argc - first > 3)
        return options_usage(command, "arm takes a verb and at most two arguments");
    if (o.plot && strcmp(o.plot, "-") == 0)
        return options_usage(command, "--plot writes a file: name one, such as path.svg");
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
    o.words = (const char *const *)argv + first;
    o.word_count = argc - first;
    code = open_and_run(h, &settings, &o);
    free(h);
    return code;
}
