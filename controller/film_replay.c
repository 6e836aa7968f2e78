// The other half of film.h: a film through the onlooker.
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "controller/devices.h"
#include "controller/film.h"
#include "controller/onlooker.h"
#include "controller/session_setup.h"
#include "rules/notation.h"

struct show {
    replay_decision_fn *fn;
    void *user;
    struct replay_report report;
    const struct colour_names *names;
    uint8_t *jpeg; // the last picture
    size_t size, room;
};

static json_t *points_json(const struct differences *d, bool gone, const struct colour_names *names)
{
    json_t *list = json_array();
    for (int i = 0; i < d->count; i++) {
        char text[MOVE_TEXT_MAX * 2];
        if (gone ? d->list[i].expected : d->list[i].seen)
            json_array_append_new(
                list, json_string(points_text_named(&d->list[i].at, 1, names, text, sizeof text)));
    }
    return list;
}

static void decide(struct show *s, json_t *decision)
{
    char *text = json_dumps(decision, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(decision);
    if (!text)
        return;
    s->report.decisions++;
    s->fn(s->user, text);
    free(text);
}

static void on_event(void *user, const struct onlooker_event *e)
{
    static const char *const KEY[] = {[ONLOOKER_MOVE] = "move",
                                      [ONLOOKER_LEFT] = "left",
                                      [ONLOOKER_ASKS] = "asks",
                                      [ONLOOKER_AGREES] = "agrees",
                                      [ONLOOKER_OVER] = "over"};
    struct show *s = user;
    json_t *decision = json_pack("{s:s}", KEY[e->kind], e->text);
    if (e->kind == ONLOOKER_ASKS && e->reading->kind == READING_WRONG) {
        json_object_set_new(decision, "gone", points_json(&e->reading->wrong, true, s->names));
        json_object_set_new(decision, "new", points_json(&e->reading->wrong, false, s->names));
    }
    decide(s, decision);
}

// --- setup ---

static int make_onlooker(struct show *s, const char *text, struct onlooker_settings *settings,
                         struct onlooker **ret, struct error *err)
{
    struct settings values;
    struct game *game = malloc(sizeof *game);
    json_t *setup = json_loads(text, 0, NULL);
    int r = game ? session_setup_settings(setup, &values, err)
                 : error_set(err, -ENOMEM, "out of memory");
    if (r == 0)
        r = film_game(&values, game, err);
    if (r == 0)
        r = session_setup_play(setup, game, err);
    if (r == 0) {
        const struct vision_settings eyes = devices_vision_settings(&values);
        *settings = onlooker_settings_for(game, &eyes);
        s->names = &settings->names;
        r = onlooker_new(settings, game, on_event, s, ret, err);
    }
    json_decref(setup);
    free(game);
    return r;
}

// --- frames ---

static int show_frame(struct show *s, struct onlooker *o, const struct session_event *event,
                      struct error *err)
{
    const struct frame frame = {.format = FRAME_JPEG,
                                .data = s->jpeg,
                                .size = s->size,
                                .time_ns = event->time_ns,
                                .sequence = (uint32_t)s->report.frames++};
    int r = onlooker_look(o, &frame, err);
    return r == -EBADMSG ? 0 : r; // a camera delivers broken pictures now and then
}

static int feed(struct show *s, struct onlooker *o, const struct session_event *event,
                struct error *err)
{
    if (event->jpeg) {
        if (event->jpeg_size > s->room) {
            uint8_t *jpeg = realloc(s->jpeg, event->jpeg_size);
            if (!jpeg)
                return error_set(err, -ENOMEM, "out of memory");
            s->jpeg = jpeg;
            s->room = event->jpeg_size;
        }
        memcpy(s->jpeg, event->jpeg, event->jpeg_size);
        s->size = event->jpeg_size;
        return show_frame(s, o, event, err);
    }
    if (strcmp(event->channel, "again") != 0)
        return 0;
    if (!s->size)
        return error_set(err, -EBADMSG, "events.jsonl, line %d: there is no picture to show again",
                         event->line);
    return show_frame(s, o, event, err);
}

int film_replay(struct session_reader *reader, const char *setup, int64_t until_ns,
                replay_decision_fn *fn, void *user, struct replay_report *ret, struct error *err)
{
    struct show show = {.fn = fn, .user = user};
    struct onlooker_settings settings;
    struct onlooker *o = NULL;
    struct session_event event;
    int64_t first_ns = -1, last_ns = 0;
    int r = make_onlooker(&show, setup, &settings, &o, err);
    while (r == 0) {
        r = session_reader_next(reader, &event, err);
        if (r < 0 || event.time_ns >= until_ns)
            break;
        if (first_ns < 0)
            first_ns = event.time_ns;
        last_ns = event.time_ns;
        r = feed(&show, o, &event, err);
    }
    onlooker_free(o);
    free(show.jpeg);
    if (r < 0 && r != -ENODATA)
        return r;
    show.report.span_ns = first_ns < 0 ? 0 : last_ns - first_ns;
    *ret = show.report;
    return 0;
}
