#include "controller/onlooker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/notation.h"

// The same trouble must last before anybody is told: a hand may come back, light may settle.
static const int64_t WRONG_PATIENCE_NS = 2 * NS_PER_S;
static const int64_t UNSURE_PATIENCE_NS = 4 * NS_PER_S;

struct onlooker {
    struct onlooker_settings settings;
    struct sureness sure;
    void (*on_event)(void *user, const struct onlooker_event *event);
    void *user;
    struct game game;
    struct board_target target; // what captured stones may lie there still
    struct vision *vision;
    struct observation seen;
    struct evidence evidence;
    struct reading reading;
    int64_t doubt_since_ns; // 0 = all is well
    bool asked;
    char told[ONLOOKER_TEXT_MAX]; // the last ASKS
    char text[ONLOOKER_TEXT_MAX];
};

struct onlooker_settings onlooker_settings_for(const struct game *game,
                                               const struct vision_settings *vision)
{
    struct onlooker_settings s = {.vision = *vision, .moves = 2};
    for (int c = 1; c <= vision->colours; c++)
        s.names.name[c] = stone_colour_name(vision->colour[c - 1]);
    s.names.marbles = game->rules.family == FAMILY_PENTAGO;
    return s;
}

static void expect(struct onlooker *o)
{
    vision_expect(o->vision, o->target.want);
}

int onlooker_new(const struct onlooker_settings *settings, const struct game *game,
                 void (*on_event)(void *user, const struct onlooker_event *event), void *user,
                 struct onlooker **ret, struct error *err)
{
    const struct vision_settings *v = &settings->vision;
    if (v->columns != game->rules.size || v->rows != game->rules.size)
        return error_set(err, -EINVAL, "%s is played on %d lines, but the board has %dx%d.",
                         game->rules.title, game->rules.size, v->columns, v->rows);
    if (v->colours < game->rules.colours)
        return error_set(err, -EINVAL, "%s needs %d colours of stones, but only %d are named.",
                         game->rules.title, game->rules.colours, v->colours);
    struct onlooker *o = calloc(1, sizeof *o);
    if (!o)
        return error_set(err, -ENOMEM, "out of memory");
    o->settings = *settings;
    o->sure = sureness_default();
    o->on_event = on_event;
    o->user = user;
    o->game = *game;
    board_target_init(&o->target, game->rules.size);
    board_target_set(&o->target, game);
    board_target_settle(&o->target);
    int r = vision_new(v, &o->vision, err);
    if (r < 0) {
        free(o);
        return r;
    }
    vision_set_arm(o->vision, VISION_ARM_PARKED);
    expect(o);
    *ret = o;
    return 0;
}

struct onlooker *onlooker_free(struct onlooker *onlooker)
{
    if (onlooker) {
        vision_free(onlooker->vision);
        free(onlooker);
    }
    return NULL;
}

static void report(struct onlooker *o, enum onlooker_report kind, struct move move,
                   const struct reading *reading)
{
    const struct onlooker_event event = {.kind = kind,
                                         .time_ns = o->seen.time_ns,
                                         .move = move,
                                         .text = o->text,
                                         .reading = reading};
    o->on_event(o->user, &event);
}

// A captured stone that has been seen gone is gone: from then on a stone there is a new one.
static void settle_points(struct onlooker *o)
{
    struct board_target *t = &o->target;
    for (int i = 0; i < t->size * t->size; i++) {
        double margin;
        if (t->before[i] == TARGET_SETTLED)
            continue;
        int best = evidence_best(&o->evidence, i, &margin);
        if (t->before[i] == t->want[i] || t->want[i] != 0 ||
            (best == 0 && margin > o->sure.wrong && !evidence_covered(&o->evidence, i)))
            t->before[i] = TARGET_SETTLED;
    }
}

static void commit(struct onlooker *o, struct move move)
{
    game_play(&o->game, move, NULL);
    board_target_set(&o->target, &o->game);
    move_format(&o->game.rules, move, o->text);
    report(o, ONLOOKER_MOVE, move, &o->reading);
}

static void tell_left(struct onlooker *o)
{
    const struct reading *r = &o->reading;
    char points[128];
    if (!r->left_count)
        return;
    snprintf(o->text, sizeof o->text, "captured and still on the board: %s",
             points_text_named(r->left, r->left_count, &o->settings.names, points, sizeof points));
    report(o, ONLOOKER_LEFT, (struct move){0}, NULL);
}

static void agree(struct onlooker *o)
{
    o->doubt_since_ns = 0;
    if (!o->asked)
        return;
    o->asked = false;
    o->told[0] = 0;
    snprintf(o->text, sizeof o->text, "the board is as the game says again");
    report(o, ONLOOKER_AGREES, (struct move){0}, &o->reading);
}

static void take_turn(struct onlooker *o)
{
    o->doubt_since_ns = 0;
    o->asked = false;
    o->told[0] = 0;
    const struct reading r = o->reading;
    commit(o, r.move);
    if (r.then.colour)
        commit(o, r.then);
    tell_left(o);
    settle_points(o);
    expect(o);
    if (!o->game.result.over)
        return;
    snprintf(o->text, sizeof o->text, "the game is over");
    report(o, ONLOOKER_OVER, (struct move){0}, NULL);
}

static void doubt(struct onlooker *o)
{
    int64_t now = o->seen.time_ns;
    int64_t patience = o->reading.kind == READING_DOUBT ? UNSURE_PATIENCE_NS : WRONG_PATIENCE_NS;
    if (!o->doubt_since_ns)
        o->doubt_since_ns = now;
    if (now - o->doubt_since_ns < patience)
        return;
    move_reading_text(&o->reading, &o->game, &o->settings.names, o->text, sizeof o->text);
    if (strcmp(o->text, o->told) == 0)
        return;
    memcpy(o->told, o->text, sizeof o->told);
    o->asked = true;
    report(o, ONLOOKER_ASKS, (struct move){0}, &o->reading);
}

static void judge(struct onlooker *o)
{
    const struct reading_options options = {.pending = &o->target, .moves = o->settings.moves};
    move_reader_judge_with(&o->game, &o->evidence, &o->sure, &options, &o->reading);
    switch (o->reading.kind) {
    case READING_WAIT:
        break;
    case READING_NOTHING:
        settle_points(o);
        agree(o);
        break;
    case READING_MOVE:
        if (o->evidence.until_ns - o->evidence.since_ns >= o->settings.still_ns)
            take_turn(o);
        break;
    case READING_PARTIAL:
    case READING_DOUBT:
    case READING_WRONG:
        doubt(o);
        break;
    }
}

int onlooker_look(struct onlooker *o, const struct frame *frame, struct error *err)
{
    int r = vision_observe(o->vision, frame, &o->seen, err);
    if (r < 0)
        return r;
    evidence_add(&o->evidence, &o->seen);
    if (!o->evidence.frames)
        o->doubt_since_ns = 0;
    else
        judge(o);
    return 0;
}

const struct game *onlooker_game(const struct onlooker *onlooker)
{
    return &onlooker->game;
}

const struct observation *onlooker_seen(const struct onlooker *onlooker)
{
    return &onlooker->seen;
}

const struct evidence *onlooker_evidence(const struct onlooker *onlooker)
{
    return &onlooker->evidence;
}
