// make_films FOLDER [NAME]: makes the rendered films of tests/sessions again, all or one.
//
// Each is a script for the simulated person, in words:
//   K10            the next stone, its captured stones taken off
//   K10:late       …left lying            K10:rest      …with the hand resting on the board after
//   K10:nudge      …pushing a neighbour   K10:hover     …after hesitating
//   K10:wrong      a stone of the next colour, which is not a move
//   lift:K10       takes a stone off      move:K10-L10  moves one
//   lamp:0.6 cloud:0.5 glare:0.5 bump:4   what happens to light and camera
//   wait:2         seconds
// Frames are small, and noise repeats, so that an unchanged picture is kept once.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/base/clock.h"
#include "controller/film.h"
#include "controller/sim/table.h"
#include "controller/sim/world.h"
#include "rules/notation.h"

enum { FPS = 10, WHILE_HAND = 2, TASK_S_MAX = 60 };

struct script {
    const char *name, *variant, *light, *words;
    int surface, colours;
    enum stone_colour colour[4];
    double pace; // seconds of a move
    uint64_t seed;
};

static const struct script SCRIPTS[] = {
    {"slow-play",
     "pente",
     "one lamp",
     "wait:1.5 K10 wait:3 L11 wait:4 J9 wait:3 M12 wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     2.4,
     1},
    {"fast-play",
     "pente",
     "one lamp",
     "wait:1.5 K10 L11 wait:0.8 J9 M12 wait:0.8 K8 K12 wait:0.8 H10 wait:1.5",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.1,
     2},
    {"captures",
     "pente-free",
     "one lamp",
     "wait:1.5 K10 wait:1 L10 wait:1 D4 wait:1 M10 wait:1 N10 wait:1.5 K12:late wait:1.5 K11 "
     "wait:2",
     SETUP_WOOD,
     2,
     {STONE_BLACK, STONE_WHITE},
     1.5,
     3},
    {"multi-capture",
     "pente-free",
     "one lamp",
     "wait:1.5 A1 L10 wait:0.8 A19 M10 wait:0.8 N10 K11 wait:0.8 K13 K12 wait:0.8 K10:late "
     "wait:2 T2 wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.2,
     4},
    {"glare",
     "pente-free",
     "a lamp mirrored in the sheet",
     "wait:1.5 K10 wait:1 glare:0.5 wait:1 L11 wait:1 glare:0.6 J9 wait:1.5 glare:0 wait:1 M12 "
     "wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     5},
    {"lamp-switched",
     "pente-free",
     "a lamp goes off and on",
     "wait:1.5 K10 wait:1 lamp:0.6 wait:1 L11 lamp:1.1 J9 wait:1.5 lamp:0.75 wait:1 M12 wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     6},
    {"cloud",
     "pente-free",
     "daylight with clouds",
     "wait:1.5 K10 cloud:0.55 wait:1 L11 wait:4 cloud:0.7 J9 wait:4",
     SETUP_WOOD,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     7},
    {"bump",
     "pente-free",
     "one lamp",
     "wait:1.5 K10 wait:1 bump:3 wait:2 L11 wait:1 bump:4 J9 wait:3 M12 wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     8},
    {"hand-resting",
     "pente-free",
     "one lamp",
     "wait:1.5 K10:rest wait:1 D4:rest wait:1 F2:rest wait:1 L11:hover wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     9},
    {"stone-nudged",
     "pente-free",
     "one lamp",
     "wait:1.5 K10 wait:1 L11:nudge wait:1 D4 wait:1 E5:nudge wait:1.5 move:L11-M12 wait:4 "
     "move:M12-L11 wait:2",
     SETUP_VINYL_CREAM,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     10},
    {"wrong-stone",
     "pente-free",
     "one lamp",
     "wait:1.5 K10 wait:1 L11:wrong wait:4 lift:L11 wait:1 L11 wait:1.5 move:K10-D4 wait:4 "
     "move:D4-K10 wait:2",
     SETUP_WOOD,
     2,
     {STONE_BLUE, STONE_RED},
     1.6,
     11},
    {"four-colours",
     "pente-team",
     "one lamp",
     "wait:1.5 K10 wait:1 L10 wait:1 J12 wait:1 H8 wait:1 L9 wait:1 K9 wait:1 M13 wait:2",
     SETUP_VINYL_CREAM,
     4,
     {STONE_BLUE, STONE_RED, STONE_GREEN, STONE_AMBER},
     1.4,
     13},
};
enum { SCRIPT_COUNT = sizeof SCRIPTS / sizeof SCRIPTS[0] };

struct shoot {
    const struct script *script;
    struct settings settings;
    struct loop *loop;
    struct table *table;
    struct film *film;
    struct game game;
    struct point late[CAPTURED_MAX];
    int lates, frame;
    bool doing;
    struct error err;
};

static void die(struct shoot *s, const char *what)
{
    fprintf(stderr, "%s: %s %s\n", s->script->name, what, s->err.text);
    exit(1);
}

// --- time ---

static void stop(void *user, int64_t now_ns)
{
    (void)now_ns;
    loop_exit(user, 0);
}

static void step(struct shoot *s)
{
    struct loop_source *timer;
    struct frame frame;
    if (loop_add_timer(s->loop, loop_now(s->loop) + NS_PER_S / FPS, stop, s->loop, &timer) < 0 ||
        loop_run(s->loop) < 0)
        die(s, "the loop has stopped");
    loop_source_free(timer);
    bool hand = table_world(s->table)->hand.present;
    if (s->frame++ % WHILE_HAND != 0 && hand)
        return;
    struct frame_source *camera = table_camera(s->table);
    int r = camera->ops->read(camera->impl, &frame, &s->err);
    if (r == -EAGAIN)
        return;
    if (r < 0 || film_frame(s->film, loop_now(s->loop), frame.data, frame.size, &s->err) < 0)
        die(s, "no picture:");
}

static void wait_s(struct shoot *s, double seconds)
{
    for (int i = 0; i < seconds * FPS; i++)
        step(s);
}

static void on_done(void *user, int result)
{
    struct shoot *s = user;
    s->doing = false;
    if (result < 0)
        fprintf(stderr, "%s: the person could not do all (%s)\n", s->script->name,
                strerror(-result));
}

static void finish(struct shoot *s, int begun)
{
    if (begun < 0)
        die(s, "the person refuses");
    s->doing = true;
    for (int i = 0; s->doing && i < TASK_S_MAX * FPS; i++)
        step(s);
}

// --- words ---

static struct point parse_point(struct shoot *s, const char *text, size_t n)
{
    struct move move;
    if (!move_parse(&s->game.rules, text, n, &move))
        die(s, text);
    return (struct point){move.x, move.y};
}

static void add_lift(struct person_task *task, struct point p)
{
    task->lift[task->lifts][0] = (int)p.x;
    task->lift[task->lifts++][1] = (int)p.y;
}

static void lay(struct shoot *s, struct point at, const char *how)
{
    struct person_task task = {
        .colour = (int)game_next_colour(&s->game), .column = at.x, .row = at.y};
    struct move move = move_place(game_next_colour(&s->game), at.x, at.y);
    struct effect effect = {0};
    bool wrong = strcmp(how, "wrong") == 0, late = strcmp(how, "late") == 0;
    task.blunders = strcmp(how, "rest") == 0    ? PERSON_RESTS
                    : strcmp(how, "nudge") == 0 ? PERSON_NUDGES
                    : strcmp(how, "hover") == 0 ? PERSON_HESITATES
                    : wrong                     ? PERSON_WRONG_COLOUR
                                                : 0;
    for (int i = 0; i < s->lates; i++)
        add_lift(&task, s->late[i]);
    s->lates = 0;
    if (!wrong && game_play(&s->game, move, &effect) != REASON_NONE)
        die(s, "the script's move is not legal");
    for (int i = 0; i < effect.captured_count; i++) {
        if (late)
            s->late[s->lates++] = effect.captured[i];
        else
            add_lift(&task, effect.captured[i]);
    }
    finish(s, person_do(table_person(s->table), &task, on_done, s));
}

static void move_stone(struct shoot *s, const char *text)
{
    const char *dash = strchr(text, '-');
    struct point a = parse_point(s, text, (size_t)(dash - text));
    struct point b = parse_point(s, dash + 1, strlen(dash + 1));
    const int from[2] = {a.x, a.y}, to[2] = {b.x, b.y};
    finish(s, person_move_stone(table_person(s->table), from, to, on_done, s));
}

static bool disturb(struct shoot *s, const char *word, double value)
{
    static const struct {
        const char *word;
        enum table_fault fault;
    } faults[] = {{"lamp", FAULT_LIGHT_GAIN},
                  {"cloud", FAULT_LIGHT_CLOUD},
                  {"glare", FAULT_LIGHT_GLARE},
                  {"bump", FAULT_CAMERA_BUMP}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (strcmp(word, faults[i].word) != 0)
            continue;
        table_fault(s->table, faults[i].fault, value);
        return true;
    }
    return false;
}

static void do_word(struct shoot *s, char *word)
{
    char *colon = strchr(word, ':');
    const char *value = colon ? colon + 1 : "";
    if (colon)
        *colon = 0;
    if (strcmp(word, "wait") == 0) {
        wait_s(s, atof(value));
    } else if (strcmp(word, "lift") == 0) {
        struct person_task task = {0};
        add_lift(&task, parse_point(s, value, strlen(value)));
        finish(s, person_do(table_person(s->table), &task, on_done, s));
    } else if (strcmp(word, "move") == 0) {
        move_stone(s, value);
    } else if (!disturb(s, word, atof(value))) {
        lay(s, parse_point(s, word, strlen(word)), value);
    }
}

// --- a film ---

static void set_table(const struct script *script, struct table_setup *t)
{
    table_setup_default(t);
    t->seed = script->seed;
    t->board.surface = (enum setup_surface)script->surface;
    t->stones.colours = script->colours;
    for (int c = 0; c < script->colours; c++)
        t->stones.colour[c] = script->colour[c];
    // Half the size, with the same field of view.
    t->camera.width = 640;
    t->camera.height = 360;
    t->camera.lens.f /= 2;
    t->camera.lens.cx /= 2;
    t->camera.lens.cy /= 2;
    t->camera.fps = FPS;
    t->camera.jpeg_quality = 60;
    t->camera.noise = 1;
    t->camera.noise_frames = 1;
    t->person.move_s = script->pace;
    t->person.hesitation = 0;
}

static void set_settings(const struct table_setup *t, const char *variant, struct settings *ret)
{
    settings_default(ret);
    snprintf(ret->game.variant, sizeof ret->game.variant, "%s", variant);
    ret->board.columns = t->board.columns;
    ret->board.rows = t->board.rows;
    ret->board.pitch_x = t->board.pitch_x;
    ret->board.pitch_y = t->board.pitch_y;
    ret->stones.diameter = t->stones.diameter;
    ret->stones.height = t->stones.height;
    for (int c = 0; c < SETTINGS_COLOURS; c++)
        ret->stones.colour[c] =
            c < t->stones.colours
                ? (enum settings_stone_colour)((int)t->stones.colour[c] + SETTINGS_STONE_CLEAR)
                : SETTINGS_STONE_NONE;
}

static void open_film(struct shoot *s, const char *folder)
{
    struct table_setup setup;
    char meta[1024];
    set_table(s->script, &setup);
    set_settings(&setup, s->script->variant, &s->settings);
    snprintf(
        meta, sizeof meta,
        "name: %s\nboard: %d lines of %g mm\ncamera: RENDERED by the simulated table, 640x360\n"
        "lens: simulated, k1 -0.11\nlight: %s\nvariant: %s\nnotes: |\n  Script: %s\n"
        "  Made by make_films (tests/sessions/README.md).\n",
        s->script->name, setup.board.columns, setup.board.pitch_x, s->script->light,
        s->script->variant, s->script->words);
    if (loop_new_virtual(0, &s->loop) < 0 ||
        table_new(&setup, s->loop, NULL, &s->table, &s->err) < 0 ||
        film_game(&s->settings, &s->game, &s->err) < 0 ||
        film_new(folder, meta, &s->settings, &s->game, &s->film, &s->err) < 0)
        die(s, "can't begin:");
}

static void on_decision(void *user, const char *json)
{
    fprintf(user, "%s\n", json);
    printf("  %s\n", json);
}

static void make(const struct script *script, const char *parent)
{
    char folder[1024], path[1200], words[1024];
    struct shoot *s = calloc(1, sizeof *s);
    struct replay_report report;
    if (!s)
        exit(1);
    s->script = script;
    snprintf(folder, sizeof folder, "%s/%s", parent, script->name);
    snprintf(path, sizeof path, "rm -rf '%s'", folder);
    if (system(path) != 0)
        exit(1);
    open_film(s, folder);
    snprintf(words, sizeof words, "%s", script->words);
    for (char *save = NULL, *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        do_word(s, w);
    if (film_close(s->film, &s->err) < 0)
        die(s, "can't end:");
    snprintf(path, sizeof path, "%s/expected.jsonl", folder);
    FILE *expected = fopen(path, "w");
    printf("%s\n", folder);
    if (!expected || replay_run(folder, on_decision, expected, &report, &s->err) < 0)
        die(s, "can't be replayed:");
    fclose(expected);
    table_free(s->table);
    loop_free(s->loop);
    free(s);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: make_films FOLDER [NAME]\n");
        return 2;
    }
    int made = 0;
    for (int i = 0; i < SCRIPT_COUNT; i++) {
        if (argc == 3 && strcmp(argv[2], SCRIPTS[i].name) != 0)
            continue;
        make(&SCRIPTS[i], argv[1]);
        made++;
    }
    return made ? 0 : (fprintf(stderr, "there is no film \"%s\"\n", argv[2]), 2);
}
