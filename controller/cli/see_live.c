#include "controller/cli/see_live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/clock.h"
#include "config/base/log.h"
#include "config/base/text.h"
#include "config/calibration.h"
#include "config/paths.h"
#include "controller/cli/sight.h"
#include "controller/devices.h"
#include "controller/robot_log.h"
#include "rules/variant.h"
#include "vision/png_write.h"

// Times of the pictures, which a recording has too.
static const int64_t LASTS_NS = 2 * NS_PER_S / 5; // a hand or the like, until it is worth a line
static const int64_t DOUBTS_NS = NS_PER_S;        // between two lines that differ in doubts only
static const int64_t SETTLED_NS = NS_PER_S / 2;   // still for so long: a reading for --once
static const int64_t PICTURE_NS = NS_PER_S;       // between two drawings
static const int64_t PATIENCE_NS = 15 * NS_PER_S; // for --once, by the loop's clock
enum { IDLE_RATE = 5 };                           // pictures a second while nothing moves

struct live {
    struct see_live_options options;
    const struct settings *settings;
    struct loop *loop;
    struct devices devices;
    struct eye *eye;
    struct colour_names names;
    struct board_style style;
    bool blocks;

    bool greeted; // the camera has given a picture
    bool seen;    // one was read
    bool ended;
    bool settled; // --once: `reading` may be told; its drawing comes with it
    struct observation reading;
    struct sight now, told, drawn; // drawn: the last board that was printed
    bool has_told, has_drawn;
    int64_t began_ns, scene_ns, told_ns, picture_ns; // times of pictures; scene_ns: since when
    bool picture_due;
    enum exit_code code;
};

// The first end counts: what else comes before the loop has stopped changes nothing.
static void end(struct live *l, enum exit_code code)
{
    if (l->ended)
        return;
    l->ended = true;
    l->code = code;
    loop_exit(l->loop, 0);
}

static void fail(struct live *l, const struct error *err)
{
    if (!l->ended)
        end(l, options_fail(err));
}

// --- what is told ---

static void tell_json(const struct live *l, const struct observation *o)
{
    json_t *all = json_pack("{s:f}", "time", (double)(o->time_ns - l->began_ns) / (double)NS_PER_S);
    json_t *sight = sight_json(&l->now, o, &l->names);
    if (all && sight) {
        json_object_update(all, sight);
        json_dumpf(all, stdout, JSON_COMPACT | JSON_REAL_PRECISION(4));
        putchar('\n');
    }
    json_decref(sight);
    json_decref(all);
}

static void tell_text(struct live *l, const struct observation *o)
{
    char text[SIGHT_TEXT_MAX];
    char board[BOARD_VIEW_MAX];
    sight_text(&l->now, &l->names, text, sizeof text);
    printf("%6.1f s  %s\n", (double)(o->time_ns - l->began_ns) / (double)NS_PER_S, text);
    if (l->now.scene != SCENE_STILL || (l->has_drawn && sight_same_board(&l->now, &l->drawn)))
        return;
    fputs(board_view_seen(&l->now.board, &l->style, board, sizeof board), stdout);
    for (unsigned c = 1; c <= COLOURS_MAX && l->names.name[c]; c++)
        printf("%s%s", c == 1 ? "    " : "   ", board_legend(&l->style, c, text, sizeof text));
    putchar('\n');
    l->drawn = l->now;
    l->has_drawn = true;
}

static void tell(struct live *l, const struct observation *o)
{
    if (l->options.json)
        tell_json(l, o);
    else
        tell_text(l, o);
    l->told = l->now;
    l->told_ns = o->time_ns;
    l->has_told = l->picture_due = true;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    struct error err;
    if (errno == EPIPE) { // whoever read it has enough
        end(l, EXIT_STOPPED);
        return;
    }
    error_set(&err, -errno, "what is seen can't be written: %s.", strerror(errno));
    fail(l, &err);
}

// A position is told at once; doubts alone less often, and other scenes when they last.
static bool worth_telling(const struct live *l, int64_t now)
{
    if (l->has_told && sight_same(&l->now, &l->told))
        return false;
    if (l->now.scene != SCENE_STILL)
        return now - l->scene_ns >= LASTS_NS;
    if (!l->has_told || l->told.scene != SCENE_STILL ||
        memcmp(l->now.board.at, l->told.board.at, sizeof l->now.board.at) != 0)
        return true;
    return now - l->told_ns >= DOUBTS_NS;
}

// --- what the eye reports ---

static void draw_when_due(struct live *l, int64_t now)
{
    l->picture_due = l->picture_due || l->now.scene != SCENE_STILL;
    if (!l->options.picture || !l->picture_due || now < l->picture_ns)
        return;
    l->picture_due = false;
    l->picture_ns = now + PICTURE_NS;
    eye_draw(l->eye);
}

// Told is what is drawn. So the next picture is drawn as long as the board lies still, and one that
// has settled is told when its drawing is there.
static void look_once(struct live *l, const struct observation *o)
{
    l->settled = o->scene.state == SCENE_STILL && o->scene.still_ns >= SETTLED_NS;
    l->reading = *o;
    if (l->options.picture && o->scene.state == SCENE_STILL)
        eye_draw(l->eye);
    if (!l->settled || l->options.picture)
        return;
    tell(l, o);
    end(l, EXIT_DONE);
}

static void on_observed(void *user, const struct observation *o, const struct frame *frame)
{
    (void)frame;
    struct live *l = user;
    if (l->ended)
        return;
    if (!l->seen)
        l->began_ns = l->scene_ns = l->picture_ns = o->time_ns;
    if (o->scene.state != l->now.scene)
        l->scene_ns = o->time_ns;
    struct sight before = l->now;
    sight_take(&l->now, o, l->seen ? &before : NULL, l->blocks);
    l->seen = true;
    if (l->options.once) {
        look_once(l, o);
        return;
    }
    if (worth_telling(l, o->time_ns))
        tell(l, o);
    draw_when_due(l, o->time_ns);
}

static void on_drawn(void *user, int width, int height, const uint8_t *rgb)
{
    struct live *l = user;
    struct error err;
    uint8_t *png;
    size_t size;
    if (l->ended || (l->options.once && !l->settled))
        return;
    if (l->options.once)
        tell(l, &l->reading);
    if (l->ended) // it could not be told
        return;
    int r = png_write_memory(rgb, width, height, &png, &size, &err);
    if (r == 0) {
        r = atomic_file_write(NULL, l->options.picture, png, size, 0644, &err);
        free(png);
    }
    if (r < 0)
        fail(l, &err);
    else if (l->options.once)
        end(l, EXIT_DONE);
}

// The error as a whole sentence, with what it means here after it.
static void explain(struct error *err, const char *more)
{
    size_t length = strlen(err->text);
    struct text t = {err->text, sizeof err->text, length};
    text_put(&t, "%s%s", length && err->text[length - 1] == '.' ? " " : ". ", more);
}

static void on_lost(void *user, const struct error *err)
{
    struct live *l = user;
    struct error why = *err;
    const bool ended = err->number == -ENODATA;
    const bool v4l2 = l->settings->camera.source == SETTINGS_CAMERA_V4L2;
    if (l->ended)
        return;
    if (ended && !l->options.once) {
        end(l, EXIT_DONE);
        return;
    }
    if (ended)
        explain(&why, "Nowhere in it does the board lie still for long enough to be read.");
    else if (err->number == -EBUSY)
        explain(&why, "If it is a game's, end that game; then look.");
    else if (v4l2 && (err->number == -ENOENT || err->number == -ENODEV)) {
        why.number = -ENODEV;
        if (!l->greeted)
            explain(&why, "Is it plugged in? `tessera-config ports` lists the cameras that are "
                          "there; `tessera see --sim` needs none.");
    }
    if (!l->greeted || l->options.once || ended) {
        fail(l, &why);
    } else {
        explain(&why, "It is waited for; Ctrl-C ends that.");
        log_warning("%s", why.text);
    }
}

static void on_back(void *user, const char *name)
{
    struct live *l = user;
    if (l->greeted)
        log_notice("%s is back.", name);
    else if (!l->options.once)
        log_notice("pictures come from %s; Ctrl-C ends it.", name);
    l->greeted = true;
}

static void on_impatience(void *user, int64_t now)
{
    (void)now;
    struct live *l = user;
    struct error err;
    error_set(&err, -ETIMEDOUT, "the board was not seen lying still for %d seconds: %s.",
              (int)(PATIENCE_NS / NS_PER_S),
              l->seen ? sight_scene_text(l->now.scene) : "the camera has sent no picture");
    fail(l, &err);
}

static void on_ending(void *user, int signo)
{
    (void)signo;
    end(user, EXIT_STOPPED);
}

// --- opening ---

static bool recorded(const struct settings *s)
{
    return s->camera.source == SETTINGS_CAMERA_SESSION || s->camera.source == SETTINGS_CAMERA_STILL;
}

// One camera serves one program, and a game's table is the game's.
static int refuse_in_game(const char *state, struct error *err)
{
    char folder[PATHS_MAX + 8];
    struct robot_log_past past;
    snprintf(folder, sizeof folder, "%s/robot", state);
    int r = robot_log_look(folder, &past, err);
    if (r == -EBUSY)
        return error_set_code(err, r, "TableInUse",
                              "a game is being played with the state in %s; it has the camera. End "
                              "that game, then look.",
                              state);
    return 0; // what else is wrong with it keeps nobody from looking
}

// The simulated table as the last game left it.
static const char *find_world(const struct live *l, const char *state, char *ret, size_t size)
{
    snprintf(ret, size, "%s/table.world", state);
    return l->settings->camera.source == SETTINGS_CAMERA_SIM && access(ret, R_OK | W_OK) == 0
               ? ret
               : NULL;
}

// It may have been for another game than the settings'.
static int check_world(const struct live *l, const char *world, struct error *err)
{
    if (!l->devices.table)
        return 0;
    const struct setup_board *b = &table_setup_of(l->devices.table)->board;
    const struct settings_board *s = &l->settings->board;
    if (b->columns == s->columns && b->rows == s->rows)
        return 0;
    return error_set(err, -EINVAL,
                     "the simulated table in %s has a board of %dx%d lines, the settings one of "
                     "%dx%d: add --set board.columns=%d --set board.rows=%d and its game.variant.",
                     world ? world : "memory", b->columns, b->rows, s->columns, s->rows, b->columns,
                     b->rows);
}

static bool load_calibration(const struct settings *settings, struct calibration *ret)
{
    char path[PATHS_MAX];
    struct error err;
    int r = paths_calibration(settings, path, sizeof path);
    if (r < 0)
        return false;
    r = calibration_load(path, settings->machine.name, ret, &err);
    if (r < 0 && r != -ENOENT)
        log_warning("without the calibration: %s", err.text);
    return r == 0;
}

static int open_devices(struct live *l, struct error *err)
{
    char state[PATHS_MAX], file[PATHS_MAX + 16];
    const char *world = NULL;
    struct calibration calibration;
    int r = 0;
    if (!recorded(l->settings) && paths_state(l->settings, state, sizeof state) == 0) {
        r = refuse_in_game(state, err);
        world = find_world(l, state, file, sizeof file);
    }
    if (r < 0)
        return r;
    bool calibrated = load_calibration(l->settings, &calibration);
    r = devices_open(l->loop, l->settings, calibrated ? &calibration : NULL, DEVICES_CAMERA, world,
                     &l->devices, err);
    if (r < 0)
        return r;
    r = check_world(l, world, err);
    if (r < 0)
        devices_close(&l->devices);
    return r;
}

static int open_eye(struct live *l, struct error *err)
{
    const struct eye_options options = {
        .vision = l->devices.vision,
        .open = devices_open_camera,
        .open_user = &l->devices,
        .rate_full = l->settings->camera.fps,
        .rate_idle = IDLE_RATE,
        .follow_motion = true,
    };
    const struct eye_events events = {
        .observed = on_observed, .lost = on_lost, .back = on_back, .drawn = on_drawn, .user = l};
    int r = eye_new(l->loop, &options, &events, &l->eye, err);
    if (r < 0)
        return r;
    if (recorded(l->settings))
        eye_set_pace(l->eye, EYE_FULL); // every picture of it
    if (l->devices.has_geometry)
        eye_set_geometry(l->eye, &l->devices.geometry);
    if (l->devices.has_models)
        eye_set_models(l->eye, &l->devices.models);
    return 0;
}

static void name_things(struct live *l)
{
    struct variant variant;
    const struct vision_settings v = devices_vision_settings(l->settings);
    for (int c = 1; c <= v.colours; c++)
        l->names.name[c] = stone_colour_name(v.colour[c - 1]);
    if (settings_variant(l->settings, l->settings->game.variant, &variant, NULL) == 0)
        l->blocks = l->names.marbles = variant.family == FAMILY_PENTAGO;
    l->style = board_style_for(STDOUT_FILENO, &l->names);
}

static int run(struct live *l, struct error *err)
{
    // Before there is another thread, which would get the signals otherwise.
    int r = loop_add_endings(l->loop, on_ending, l, NULL);
    if (r == 0 && l->options.once)
        r = loop_add_timer(l->loop, loop_now(l->loop) + PATIENCE_NS, on_impatience, l, NULL);
    if (r < 0)
        return error_set(err, r, "the event loop can't be used: %s.", strerror(-r));
    r = open_eye(l, err);
    if (r < 0)
        return r;
    r = loop_run(l->loop);
    return r < 0 ? error_set(err, r, "the event loop has stopped: %s.", strerror(-r)) : 0;
}

enum exit_code see_live(const struct settings *settings, const struct see_live_options *options)
{
    struct error err;
    struct live *l = calloc(1, sizeof *l);
    if (!l)
        return EXIT_FAILED;
    l->settings = settings;
    l->options = *options;
    name_things(l);
    // Nobody has to wait for a recording, nor for a simulated table on which nothing happens.
    bool fast =
        recorded(settings) || (options->once && settings->camera.source == SETTINGS_CAMERA_SIM);
    int r = fast ? loop_new_virtual(0, &l->loop) : loop_new_real(&l->loop);
    if (r < 0)
        error_set(&err, r, "no event loop: %s.", strerror(-r));
    if (r == 0)
        r = open_devices(l, &err);
    if (r == 0) {
        r = run(l, &err);
        eye_free(l->eye);
        devices_close(&l->devices);
    }
    loop_free(l->loop);
    enum exit_code code = r < 0 ? options_fail(&err) : l->code;
    free(l);
    return code;
}
