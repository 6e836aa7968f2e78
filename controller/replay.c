#include "controller/replay.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/base/json.h"
#include "config/settings.h"
#include "controller/film.h"
#include "controller/player_board.h"
#include "controller/recorder.h"
#include "controller/replay_edges.h"
#include "controller/robot.h"
#include "controller/session_setup.h"
#include "rules/notation.h"
#include "vision/session.h"

static const int64_t AFTER_NS = 5 * NS_PER_S; // what the last inputs lead to

struct replay {
    struct loop *loop;
    const char *folder;
    struct session_reader *reader;
    struct session_event event; // the next one to be fed
    bool has_event;
    int64_t last_ns, exposed_ns;
    uint8_t *jpeg; // the last picture
    size_t jpeg_size, jpeg_room;
    struct settings settings;
    json_t *setup;
    size_t moves_before; // of the setup, already played
    struct devices devices;
    struct replay_panel *panel;
    struct replay_line *line;
    struct referee *referee;
    struct recorder *recorder;
    struct player players[SEATS_MAX];
    struct robot *robot;
    struct loop_source *timer;
    struct replay_report report;
    replay_decision_fn *fn;
    void *user;
    int result;
    struct error *err;
};

static void end(struct replay *r, int result)
{
    r->result = result;
    loop_exit(r->loop, 0);
}

static int broken(struct replay *r, const char *what)
{
    char file[ERROR_FILE_MAX];
    snprintf(file, sizeof file, "%.140s/events.jsonl", r->folder);
    return error_set_at(r->err, -EBADMSG, file, r->event.line, 0, "%s", what);
}

// --- feeding ---

static int show(struct replay *r, uint32_t sequence)
{
    const struct frame frame = {.format = FRAME_JPEG,
                                .data = r->jpeg,
                                .size = r->jpeg_size,
                                .time_ns = r->exposed_ns,
                                .sequence = sequence};
    r->report.frames++;
    robot_push_frame(r->robot, &frame);
    return 0;
}

static int feed_frame(struct replay *r)
{
    if (r->event.jpeg_size > r->jpeg_room) {
        uint8_t *jpeg = realloc(r->jpeg, r->event.jpeg_size);
        if (!jpeg)
            return error_set(r->err, -ENOMEM, "out of memory");
        r->jpeg = jpeg;
        r->jpeg_room = r->event.jpeg_size;
    }
    memcpy(r->jpeg, r->event.jpeg, r->event.jpeg_size);
    r->jpeg_size = r->event.jpeg_size;
    return show(r, r->event.sequence);
}

static int feed_again(struct replay *r, const json_t *data)
{
    if (!r->jpeg_size)
        return broken(r, "there is no picture to show again");
    return show(r, (uint32_t)json_integer_value(json_object_get(data, "seq")));
}

// Text of Latin-1 characters back to the bytes it stands for.
static size_t to_bytes(const char *text, char *bytes)
{
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p < 0x80)
            bytes[n++] = (char)*p;
        else if ((*p & 0xFC) == 0xC0 && (p[1] & 0xC0) == 0x80) {
            bytes[n++] = (char)((*p & 3) << 6 | (p[1] & 0x3F));
            p++;
        }
    }
    return n;
}

static int feed_serial(struct replay *r, const json_t *data)
{
    const char *text = json_string_value(json_object_get(data, "in"));
    const char *out = json_string_value(json_object_get(data, "out"));
    if (out) // the robot says it again by itself
        replay_line_recorded(r->line, out, strlen(out));
    if (!text)
        return 0;
    char *bytes = malloc(strlen(text) + 1);
    if (!bytes)
        return error_set(r->err, -ENOMEM, "out of memory");
    size_t n = to_bytes(text, bytes);
    r->report.serial_bytes += n;
    int result = replay_line_say(r->line, bytes, n);
    free(bytes);
    return result < 0 ? error_set(r->err, result, "the recorded bytes can't be fed.") : 0;
}

static int feed_gpio(struct replay *r, const json_t *data)
{
    const char *name = json_string_value(json_object_get(data, "line"));
    enum gpio_line line;
    if (!name || gpio_line_from_name(name, &line) < 0)
        return broken(r, "no such line of the panel");
    if (line != GPIO_PICK_SENSOR) // its readings were collected beforehand
        replay_panel_set(r->panel, line, (int)json_integer_value(json_object_get(data, "level")));
    return 0;
}

static int feed_exposed(struct replay *r, const json_t *data)
{
    r->exposed_ns = (int64_t)json_integer_value(json_object_get(data, "ns"));
    return 0;
}

static int feed_player(struct replay *r, const json_t *data)
{
    unsigned seat = (unsigned)json_integer_value(json_object_get(data, "seat"));
    const char *move = json_string_value(json_object_get(data, "move"));
    const char *failed = json_string_value(json_object_get(data, "failed"));
    const struct variant *rules = &referee_game(r->referee)->rules;
    struct move parsed;
    if (seat < 1 || seat > rules->seat_count)
        return broken(r, "no such seat");
    if (failed) {
        struct error err;
        error_set(&err, -EPROTO, "%s", failed);
        robot_on_player_failed(r->robot, seat, &err);
        return 0;
    }
    if (!move || !move_parse(rules, move, strlen(move), &parsed))
        return broken(r, "that is no move");
    robot_on_player_move(r->robot, seat, parsed);
    return 0;
}

static int feed_person(struct replay *r, const json_t *data)
{
    const char *does = json_string_value(json_object_get(data, "does"));
    unsigned seat = (unsigned)json_integer_value(json_object_get(data, "seat"));
    if (!does)
        return broken(r, "what does the person do?");
    if (strcmp(does, "done") == 0)
        robot_press_done(r->robot);
    else if (strcmp(does, "reset") == 0)
        robot_reset(r->robot);
    else if (strcmp(does, "retry") == 0)
        robot_retry(r->robot);
    else if (strcmp(does, "leave") == 0)
        robot_put_away(r->robot);
    else if (strcmp(does, "tidy") == 0)
        robot_tidy(r->robot);
    else if (strcmp(does, "stop") == 0)
        robot_stop(r->robot, "somebody has stopped it");
    else if (strcmp(does, "undo") == 0)
        robot_undo(r->robot, seat);
    else if (strcmp(does, "resign") == 0)
        robot_resign(r->robot, seat);
    else if (strcmp(does, "draw") == 0)
        robot_offer_draw(r->robot, seat);
    else
        return broken(r, "no person can do that");
    return 0;
}

static int feed(struct replay *r)
{
    static const struct {
        const char *channel;
        int (*feed)(struct replay *r, const json_t *data);
    } channels[] = {
        {"serial", feed_serial}, {"gpio", feed_gpio},     {"exposed", feed_exposed},
        {"again", feed_again},   {"player", feed_player}, {"person", feed_person},
    };
    if (r->event.jpeg)
        return feed_frame(r);
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
        if (strcmp(r->event.channel, channels[i].channel) != 0)
            continue;
        json_t *data;
        int result = json_read_text(r->event.data, strlen(r->event.data), NULL, &data, r->err);
        if (result < 0)
            return result;
        result = channels[i].feed(r, data);
        json_decref(data);
        return result;
    }
    return 0; // decisions, and whatever later versions record
}

static int next_event(struct replay *r)
{
    int result = session_reader_next(r->reader, &r->event, r->err);
    r->has_event = result == 0;
    return result == -ENODATA ? 0 : result;
}

// One event at a time: what it causes comes before the next, as it did then.
static void on_time(void *user, int64_t now)
{
    struct replay *r = user;
    if (!r->has_event) {
        end(r, 0);
        return;
    }
    r->last_ns = r->event.time_ns;
    int result = feed(r);
    if (result == 0)
        result = next_event(r);
    if (result < 0) {
        end(r, result);
        return;
    }
    int64_t due = r->has_event ? r->event.time_ns : now + AFTER_NS;
    loop_source_set_due(r->timer, due > now ? due : now);
}

// --- the robot ---

static void on_news(void *user, enum robot_news kind, const char *text)
{
    (void)user, (void)kind, (void)text;
}

static void on_state(void *user, enum robot_state state)
{
    (void)user, (void)state;
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
}

static void on_over(void *user, const struct game *game)
{
    (void)user, (void)game;
}

static void on_decision(void *user, const char *json)
{
    struct replay *r = user;
    r->report.decisions++;
    r->fn(r->user, json);
}

static int seat_players(struct replay *r)
{
    json_t *players = json_object_get(r->setup, "players");
    for (unsigned i = 0; i < referee_game(r->referee)->rules.seat_count; i++) {
        const json_t *player = json_array_get(players, i);
        const char *name = json_string_value(json_object_get(player, "name"));
        int result = player_board_new(name ? name : "somebody", &r->players[i], r->err);
        if (result < 0)
            return result;
        r->players[i].at_board = json_is_true(json_object_get(player, "at_board"));
    }
    return 0;
}

static int make_robot(struct replay *r)
{
    const struct robot_options options = {
        .loop = r->loop,
        .settings = &r->settings,
        .devices = &r->devices,
        .referee = r->referee,
        .recorder = r->recorder,
        .players = r->players,
        .resumed = json_is_true(json_object_get(r->setup, "resumed")),
        .fallen = (unsigned)json_integer_value(json_object_get(r->setup, "fallen")),
        .pending = json_string_value(json_object_get(r->setup, "pending")),
        .changed = json_is_true(json_object_get(r->setup, "changed")),
        .fast = json_is_true(json_object_get(r->setup, "fast")),
    };
    const struct robot_events events = {
        .news = on_news, .state = on_state, .position = on_position, .over = on_over, .user = r};
    int result = seat_players(r);
    if (result == 0)
        result = robot_new(&options, &events, &r->robot, r->err);
    if (result == 0)
        result = next_event(r);
    if (result < 0)
        return result;
    robot_start(r->robot);
    return loop_source_set_due(r->timer, r->has_event ? r->event.time_ns : loop_now(r->loop));
}

static void on_game(void *user, const struct rules_effect *effect, const struct error *err)
{
    struct replay *r = user;
    (void)effect;
    if (err) {
        *r->err = *err;
        end(r, err->number);
        return;
    }
    // The moves that had been made before the recording began.
    const char *text =
        json_string_value(json_array_get(json_object_get(r->setup, "moves"), r->moves_before));
    struct move move;
    int result;
    if (!text)
        result = make_robot(r);
    else if (move_parse(&referee_game(r->referee)->rules, text, strlen(text), &move))
        result = referee_play(r->referee, move, on_game, r);
    else
        result = broken(r, "the moves before the recording can't be read");
    r->moves_before++;
    if (result < 0)
        end(r, result);
}

// --- setting up ---

// The pick sensor is read in the middle of other work: its readings are laid out in advance.
static int collect_readings(struct replay *r)
{
    int result;
    session_reader_rewind(r->reader);
    while ((result = session_reader_next(r->reader, &r->event, r->err)) == 0) {
        if (strcmp(r->event.channel, "gpio") != 0)
            continue;
        json_t *data;
        result = json_read_text(r->event.data, strlen(r->event.data), NULL, &data, r->err);
        if (result < 0)
            return result;
        const char *line = json_string_value(json_object_get(data, "line"));
        if (line && strcmp(line, gpio_line_name(GPIO_PICK_SENSOR)) == 0)
            result = replay_panel_sensor(r->panel,
                                         (int)json_integer_value(json_object_get(data, "level")));
        json_decref(data);
        if (result < 0)
            return error_set(r->err, result, "out of memory");
    }
    session_reader_rewind(r->reader);
    return result == -ENODATA ? 0 : result;
}

static int open_panel(struct replay *r)
{
    size_t i;
    json_t *name;
    int result = replay_panel_new(&r->panel);
    if (result < 0)
        return error_set(r->err, result, "no panel to replay on.");
    json_t *wired = json_object_get(r->setup, "wired");
    json_array_foreach(wired, i, name)
    {
        enum gpio_line line;
        if (json_string_value(name) && gpio_line_from_name(json_string_value(name), &line) == 0)
            replay_panel_wire(r->panel, line);
    }
    r->devices.gpio = replay_panel_gpio(r->panel);
    r->devices.has_gpio = json_array_size(wired) > 0;
    return collect_readings(r);
}

static int open_devices(struct replay *r)
{
    struct devices *d = &r->devices;
    struct calibration calibration;
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/calibration.json", r->folder);
    int result = calibration_load(path, NULL, &calibration, r->err);
    if (result < 0 && result != -ENOENT)
        return result;
    result = devices_configure(r->loop, &r->settings, result == 0 ? &calibration : NULL, d, r->err);
    d->no_camera = true;
    if (result == 0)
        result = open_panel(r);
    if (result == 0)
        result = replay_line_new(r->loop, &r->line, &d->transport, r->err);
    return result;
}

static int read_setup(struct replay *r, int64_t *ret_start)
{
    int result = session_reader_next(r->reader, &r->event, r->err);
    if (result < 0)
        return result == -ENODATA ? error_set(r->err, -EBADMSG, "%s is empty.", r->folder) : result;
    if (strcmp(r->event.channel, "setup") != 0)
        return broken(r, "a session begins with its setup; this one does not");
    *ret_start = r->event.time_ns;
    result = json_read_text(r->event.data, strlen(r->event.data), NULL, &r->setup, r->err);
    return result < 0 ? result : session_setup_settings(r->setup, &r->settings, r->err);
}

static int start(struct replay *r)
{
    int64_t begin = 0;
    int result = session_reader_new(r->folder, &r->reader, r->err);
    if (result == 0)
        result = read_setup(r, &begin);
    if (result == 0) {
        result = loop_new_virtual(begin, &r->loop);
        if (result == 0)
            result = loop_add_timer(r->loop, INT64_MAX, on_time, r, &r->timer);
        if (result == 0)
            result = recorder_new_listener(on_decision, r, &r->recorder);
        if (result < 0)
            error_set(r->err, result, "no event loop: %s.", strerror(-result));
    }
    if (result == 0)
        result = open_devices(r);
    const struct rules_client_settings rules = {.name = "tessera replay", .only_spawn = true};
    if (result == 0)
        result = referee_new(r->loop, &rules, &r->referee, r->err);
    const char *variant = json_string_value(json_object_get(r->setup, "variant"));
    if (result == 0)
        result = referee_begin(r->referee, variant ? variant : "pente", NULL, 0, on_game, r);
    r->report.span_ns = -begin;
    return result;
}

// A film has no robot in it: it is shown to the onlooker. 0: shown; 1: this is no film.
static int try_film(const char *folder, replay_decision_fn *fn, void *user,
                    struct replay_report *ret, struct error *err)
{
    struct session_reader *reader;
    struct session_event event;
    int r = session_reader_new(folder, &reader, err);
    if (r < 0)
        return r;
    r = session_reader_next(reader, &event, err);
    if (r == -ENODATA || (r == 0 && (!event.data || !film_is_setup(event.data)))) {
        r = 1;
    } else if (r == 0) {
        char *setup = strdup(event.data);
        r = setup ? film_replay(reader, setup, INT64_MAX, fn, user, ret, err)
                  : error_set(err, -ENOMEM, "out of memory");
        free(setup);
    }
    session_reader_free(reader);
    return r;
}

int replay_run(const char *folder, replay_decision_fn *fn, void *user, struct replay_report *ret,
               struct error *err)
{
    int film = try_film(folder, fn, user, ret, err);
    if (film <= 0)
        return film;
    struct replay *r = calloc(1, sizeof *r);
    if (!r)
        return error_set(err, -ENOMEM, "out of memory");
    r->folder = folder;
    r->fn = fn;
    r->user = user;
    r->err = err;
    int result = start(r);
    if (result == 0) {
        result = loop_run(r->loop);
        result = result < 0
                     ? error_set(err, result, "the event loop has stopped: %s.", strerror(-result))
                     : r->result;
    }
    r->report.span_ns += r->last_ns;
    r->report.deviation_mm = r->line ? replay_line_deviation(r->line) : 0;
    if (result == 0)
        *ret = r->report;
    robot_free(r->robot);
    recorder_free(r->recorder);
    referee_free(r->referee);
    transport_free(r->devices.transport);
    replay_line_free(r->line);
    replay_panel_free(r->panel);
    session_reader_free(r->reader);
    json_decref(r->setup);
    free(r->jpeg);
    loop_free(r->loop);
    free(r);
    return result;
}
