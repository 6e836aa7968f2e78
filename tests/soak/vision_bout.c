#include "tests/soak/vision_bout.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "controller/onlooker.h"
#include "controller/sim/table.h"
#include "controller/sim/world.h"
#include "rules/notation.h"

enum {
    FPS = 15,
    WHILE_HAND = 3, // of so many frames one is looked at while the hand is over the board
    PATIENCE_S = 9, // until a turn counts as missed
    NAMING_S = 6,   // until a mistake counts as not reported
    QUEUE_MAX = 8,  // turns made and not yet read
    TRIES = 400,    // at a random point that fits
    BUMPS_MAX = 2,  // further ones would push the board out of the picture
    POINTS_SHOWN = 8,
    TASK_S_MAX = 120, // a person's task never takes longer
};

#define HAND_OFF_MM (-30.0) // the finger tips' y: no part of the hand is over the board any more
#define OFF_POINT   0.4     // of the pitch: further off its point no stone has to be read

struct bout {
    const struct bout_options *o;
    struct bout_totals *totals;
    struct error *err;
    struct rng rng;
    struct table_setup setup;
    struct loop *loop;
    struct table *table;
    struct onlooker *onlooker;
    struct game truth;
    struct move queue[QUEUE_MAX]; // made, not yet read
    int queued;
    struct point late[CAPTURED_MAX]; // captured and left lying
    int lates;
    int frame, bumps;
    bool doing, mistaken;
    bool asked, named; // in this turn
    bool over, failed; // the bout ends
    int64_t off_ns;    // when the hand left the board
    int64_t read_ns;   // when the last commit came
    uint8_t *jpeg;     // the last picture, for --keep
    size_t jpeg_size, jpeg_room;
    char told[ONLOOKER_TEXT_MAX];
};

static const struct {
    const char *name;
    int share; // of 1000 turns
    bool mistake;
} TROUBLE[TROUBLES] = {
    [TROUBLE_NONE] = {"nothing", 420, false},
    [TROUBLE_HESITATES] = {"hesitates", 60, false},
    [TROUBLE_RESTS] = {"hand rests", 50, false},
    [TROUBLE_NUDGE] = {"stone nudged", 70, false},
    [TROUBLE_FAST] = {"fast play", 70, false},
    [TROUBLE_LATE_LIFT] = {"lifts late", 60, false},
    [TROUBLE_LAMP] = {"lamp switched", 50, false},
    [TROUBLE_CLOUD] = {"cloud", 40, false},
    [TROUBLE_GLARE] = {"glare", 40, false},
    [TROUBLE_DRIFT] = {"exposure drifts", 20, false},
    [TROUBLE_BUMP] = {"camera bumped", 30, false},
    [TROUBLE_TRUNCATED] = {"broken frames", 20, false},
    [TROUBLE_WRONG_COLOUR] = {"wrong colour", 25, true},
    [TROUBLE_TWO_STONES] = {"two stones", 20, true},
    [TROUBLE_MOVED] = {"stone moved", 25, true},
};

const char *bout_trouble_name(enum bout_trouble trouble)
{
    return TROUBLE[trouble].name;
}

bool bout_trouble_is_mistake(enum bout_trouble trouble)
{
    return TROUBLE[trouble].mistake;
}

static enum bout_trouble choose_trouble(struct rng *rng)
{
    int dice = (int)rng_below(rng, 1000);
    for (int t = 0; t < TROUBLES; t++) {
        dice -= TROUBLE[t].share;
        if (dice < 0)
            return (enum bout_trouble)t;
    }
    return TROUBLE_NONE;
}

// --- what the eyes say ---

// What the eyes made of the points that were not as the truth has them.
static void print_points(const struct bout *b)
{
    const struct observation *seen = onlooker_seen(b->onlooker);
    const int n = b->truth.rules.size;
    int left = POINTS_SHOWN;
    printf("    scene: %s\n", scene_state_name(seen->scene.state));
    for (int i = 0; i < n * n && left > 0; i++) {
        const struct observation_point *p = &seen->point[i];
        char name[MOVE_TEXT_MAX];
        if (p->best == game_at(&b->truth, i % n, i / n))
            continue;
        left--;
        printf("    %s, truly %d:",
               point_format((struct point){(int8_t)(i % n), (int8_t)(i / n)}, name),
               (int)game_at(&b->truth, i % n, i / n));
        for (int c = 0; c <= seen->colours; c++)
            printf(" %d %.1f", c, (double)p->log_likelihood[c]);
        printf(" unknown %.1f\n", (double)p->log_likelihood[OBSERVATION_UNKNOWN]);
    }
}

static void fail_bout(struct bout *b, const char *what, const char *detail)
{
    printf("  seed %llu, ply %d: %s %s\n", (unsigned long long)b->o->seed, b->truth.ply, what,
           detail);
    print_points(b);
    b->over = b->failed = true;
    if (!b->o->keep || !b->jpeg_size)
        return;
    char path[600];
    snprintf(path, sizeof path, "%s/seed%llu-ply%d.jpg", b->o->keep, (unsigned long long)b->o->seed,
             b->truth.ply);
    FILE *f = fopen(path, "wb");
    if (f) {
        fwrite(b->jpeg, 1, b->jpeg_size, f);
        fclose(f);
    }
}

static bool same_place(struct move a, struct move b)
{
    return a.x == b.x && a.y == b.y && a.colour == b.colour;
}

static void unqueue(struct bout *b, int at)
{
    memmove(&b->queue[at], &b->queue[at + 1], (size_t)(b->queued - at - 1) * sizeof b->queue[0]);
    b->queued--;
}

// One stone of a commit: the next that was laid, or the other one of the same turn (Connect6).
static bool take_stone(struct bout *b, struct move stone)
{
    for (int i = 0; i < b->queued && i < 2; i++) {
        if (b->queue[i].colour != b->queue[0].colour || !same_place(b->queue[i], stone))
            continue;
        unqueue(b, i);
        return true;
    }
    return false;
}

static void on_commit(struct bout *b, struct move move)
{
    char text[MOVE_TEXT_MAX];
    struct move first = move, second = move;
    second.x = move.x2;
    second.y = move.y2;
    bool right =
        !b->mistaken && take_stone(b, first) && (move.kind != MOVE_PAIR || take_stone(b, second));
    b->read_ns = loop_now(b->loop);
    if (right)
        return;
    b->totals->wrong++;
    fail_bout(b, "WRONG COMMIT of", move_format(&b->truth.rules, move, text));
}

static void on_event(void *user, const struct onlooker_event *e)
{
    struct bout *b = user;
    if (b->o->chatty)
        printf("    %6.2f s %s\n", (double)e->time_ns / 1e9, e->text);
    if (e->kind == ONLOOKER_MOVE) {
        on_commit(b, e->move);
    } else if (e->kind == ONLOOKER_ASKS) {
        snprintf(b->told, sizeof b->told, "%s", e->text);
        if (b->mistaken)
            b->named = true;
        else
            b->asked = true;
    }
}

// --- time ---

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void stop(void *user, int64_t now_ns)
{
    (void)now_ns;
    loop_exit(user, 0);
}

static int run_until(struct bout *b, int64_t when)
{
    struct loop_source *timer;
    int r = loop_add_timer(b->loop, when, stop, b->loop, &timer);
    if (r == 0) {
        r = loop_run(b->loop);
        loop_source_free(timer);
    }
    return r < 0 ? error_set(b->err, r, "the virtual loop has stopped") : 0;
}

static void keep_picture(struct bout *b, const struct frame *frame)
{
    if (!b->o->keep)
        return;
    if (frame->size > b->jpeg_room) {
        uint8_t *jpeg = realloc(b->jpeg, frame->size);
        if (!jpeg)
            return;
        b->jpeg = jpeg;
        b->jpeg_room = frame->size;
    }
    memcpy(b->jpeg, frame->data, frame->size);
    b->jpeg_size = frame->size;
}

static bool hand_is_over(const struct bout *b)
{
    const struct world *w = table_world(b->table);
    return w->hand.present && w->hand.y > HAND_OFF_MM;
}

// One frame time: everything goes on, and the eyes may look.
static int step(struct bout *b)
{
    struct frame frame;
    int r = run_until(b, loop_now(b->loop) + NS_PER_S / FPS);
    if (r < 0)
        return r;
    bool over = hand_is_over(b);
    if (over)
        b->off_ns = loop_now(b->loop) + NS_PER_S / FPS;
    b->frame++;
    if (over && !b->o->every_frame && b->frame % WHILE_HAND != 0)
        return 0;
    struct frame_source *camera = table_camera(b->table);
    r = camera->ops->read(camera->impl, &frame, b->err);
    if (r < 0)
        return r == -EAGAIN ? 0 : r;
    keep_picture(b, &frame);
    double before = cpu_s();
    r = onlooker_look(b->onlooker, &frame, b->err);
    b->totals->cpu_vision_s += cpu_s() - before;
    b->totals->frames++;
    return r == -EBADMSG ? 0 : r;
}

static int wait_s(struct bout *b, double seconds)
{
    int r = 0;
    for (int i = 0; r == 0 && i < seconds * FPS && !b->over; i++)
        r = step(b);
    return r;
}

// --- the person ---

static void on_done(void *user, int result)
{
    struct bout *b = user;
    b->doing = false;
    if (result < 0 && result != -ECANCELED && b->o->chatty)
        printf("    the person could not do all of it (%s)\n", strerror(-result));
}

static int finish_task(struct bout *b, int begun)
{
    if (begun < 0)
        return error_set(b->err, begun, "the person refuses the task");
    b->doing = true;
    int r = 0;
    for (int i = 0; r == 0 && b->doing && i < TASK_S_MAX * FPS; i++)
        r = step(b);
    return r;
}

static int do_task(struct bout *b, const struct person_task *task)
{
    return finish_task(b, person_do(table_person(b->table), task, on_done, b));
}

static void add_lift(struct person_task *task, struct point p)
{
    if (task->lifts == PERSON_LIFTS_MAX)
        return;
    task->lift[task->lifts][0] = (int)p.x;
    task->lift[task->lifts++][1] = (int)p.y;
}

// Is every stone where the game has it, and near enough to its point to be read?
static bool board_is_fair(const struct bout *b)
{
    int8_t lies[SETUP_LINES_MAX * SETUP_LINES_MAX];
    const struct setup_board *board = &b->setup.board;
    const struct world *w = table_world(b->table);
    table_truth(b->table, lies);
    for (int i = 0; i < board->columns * board->rows; i++) {
        int want = (int)game_at(&b->truth, i % board->columns, i / board->columns);
        bool late = false;
        for (int k = 0; k < b->lates; k++)
            late |= b->late[k].y * board->columns + b->late[k].x == i;
        if (!late && lies[i] != want)
            return false;
    }
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        double u = s->x / board->pitch_x, v = s->y / board->pitch_y;
        bool on = u > -0.5 && v > -0.5 && u < board->columns - 0.5 && v < board->rows - 0.5;
        if (s->place == PLACE_TABLE && on && hypot(u - round(u), v - round(v)) > OFF_POINT)
            return false;
    }
    return true;
}

// --- what is played ---

static bool is_late(const struct bout *b, struct move m)
{
    for (int i = 0; i < b->lates; i++) {
        if (b->late[i].x == m.x && b->late[i].y == m.y)
            return true;
    }
    return false;
}

static bool has_neighbour(const struct game *g, int x, int y)
{
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            struct point p = {(int8_t)(x + dx), (int8_t)(y + dy)};
            if ((dx || dy) && point_on_board(p, g->rules.size) && game_at(g, p.x, p.y))
                return true;
        }
    }
    return false;
}

// A capture if there is one, mostly; otherwise near other stones, mostly.
static bool choose_move(struct bout *b, struct move *ret)
{
    struct move legal[LEGAL_MAX];
    int count = (int)game_legal(&b->truth, legal);
    bool take = rng_below(&b->rng, 10) < 7, near = rng_below(&b->rng, 10) < 7;
    for (int i = 0; take && i < count; i++) {
        struct effect effect;
        if (legal[i].kind == MOVE_PLACE && !is_late(b, legal[i]) &&
            game_check(&b->truth, legal[i], &effect) == REASON_NONE &&
            effect.captured_count + effect.poofed_count > 0) {
            *ret = legal[i];
            return true;
        }
    }
    for (int i = 0; count > 0 && i < TRIES; i++) {
        struct move m = legal[rng_below(&b->rng, (uint32_t)count)];
        if (m.kind == MOVE_PLACE && !is_late(b, m) &&
            (!near || i > TRIES / 2 || has_neighbour(&b->truth, m.x, m.y))) {
            *ret = m;
            return true;
        }
    }
    return false;
}

// The stones of one task, played in the truth. Fills the task's lifts.
static void play_move(struct bout *b, struct move move, bool lifts, struct person_task *task)
{
    struct effect effect;
    move.colour = (uint8_t)game_next_colour(&b->truth);
    *task = (struct person_task){.colour = move.colour, .column = move.x, .row = move.y};
    game_play(&b->truth, move, &effect);
    b->queue[b->queued++] = move;
    for (int i = 0; i < b->lates; i++)
        add_lift(task, b->late[i]);
    b->lates = 0;
    for (int k = 0; k < effect.captured_count + effect.poofed_count; k++) {
        struct point p = k < effect.captured_count ? effect.captured[k]
                                                   : effect.poofed[k - effect.captured_count];
        if (lifts)
            add_lift(task, p);
        else
            b->late[b->lates++] = p;
    }
}

// --- trouble ---

static unsigned blunder_of(enum bout_trouble trouble)
{
    switch (trouble) {
    case TROUBLE_HESITATES:
        return PERSON_HESITATES;
    case TROUBLE_RESTS:
        return PERSON_RESTS;
    case TROUBLE_NUDGE:
        return PERSON_NUDGES;
    case TROUBLE_WRONG_COLOUR:
        return PERSON_WRONG_COLOUR;
    case TROUBLE_TWO_STONES:
        return PERSON_TWO_STONES;
    default:
        return 0;
    }
}

// What comes over camera and light just before the hand does. Returns seconds to let pass.
static double disturb(struct bout *b, enum bout_trouble trouble)
{
    double pause = rng_below(&b->rng, 2) ? rng_range(&b->rng, 0.3, 2) : 0;
    switch (trouble) {
    case TROUBLE_LAMP:
        table_fault(b->table, FAULT_LIGHT_GAIN, rng_range(&b->rng, 0.55, 1.2));
        return pause;
    case TROUBLE_CLOUD:
        table_fault(b->table, FAULT_LIGHT_CLOUD, rng_range(&b->rng, 0.5, 0.85));
        return 0;
    case TROUBLE_GLARE:
        table_fault(b->table, FAULT_LIGHT_GLARE, rng_range(&b->rng, 0.1, 0.7));
        return pause;
    case TROUBLE_DRIFT:
        table_fault(b->table, FAULT_EXPOSURE_DRIFT, rng_range(&b->rng, -0.15, 0.15));
        return 0;
    case TROUBLE_BUMP:
        if (b->bumps++ < BUMPS_MAX)
            table_fault(b->table, FAULT_CAMERA_BUMP, rng_range(&b->rng, 1, 6));
        return pause;
    case TROUBLE_TRUNCATED:
        table_fault(b->table, FAULT_CAMERA_TRUNCATE, 1 + rng_below(&b->rng, 6));
        return 0;
    default:
        return 0;
    }
}

// Lets the mistake lie until it is named, then has it put right by `mend`.
static int be_told(struct bout *b)
{
    b->totals->mistakes++;
    int r = 0;
    for (int i = 0; r == 0 && !b->named && !b->over && i < NAMING_S * FPS; i++)
        r = step(b);
    if (b->named)
        b->totals->named++;
    else if (!b->over)
        fail_bout(b, "a mistake was not named:", "");
    return r;
}

static int lay_wrongly(struct bout *b, enum bout_trouble trouble, struct move move)
{
    int8_t lies[SETUP_LINES_MAX * SETUP_LINES_MAX];
    struct person_task task = {.colour = (int)game_next_colour(&b->truth),
                               .column = move.x,
                               .row = move.y,
                               .blunders = blunder_of(trouble)};
    b->mistaken = true;
    int r = do_task(b, &task);
    if (r == 0)
        r = be_told(b);
    // Everything the game doesn't know goes back.
    struct person_task mend = {0};
    int n = b->setup.board.columns;
    table_truth(b->table, lies);
    for (int i = 0; i < n * b->setup.board.rows; i++) {
        if (lies[i] > 0 && game_at(&b->truth, i % n, i / n) == 0)
            add_lift(&mend, (struct point){(int8_t)(i % n), (int8_t)(i / n)});
    }
    if (r == 0 && mend.lifts)
        r = do_task(b, &mend);
    return r;
}

static int move_wrongly(struct bout *b)
{
    int n = b->setup.board.columns, from[2] = {-1, -1}, to[2] = {-1, -1};
    for (int i = 0; i < TRIES && (from[0] < 0 || to[0] < 0); i++) {
        int x = (int)rng_below(&b->rng, (uint32_t)n), y = (int)rng_below(&b->rng, (uint32_t)n);
        int *at = game_at(&b->truth, x, y) ? from : to;
        if (at == to && has_neighbour(&b->truth, x, y) && rng_below(&b->rng, 4))
            continue; // mostly far from the others, where it is surely not in anybody's way
        at[0] = x;
        at[1] = y;
    }
    if (from[0] < 0 || to[0] < 0)
        return 0;
    b->mistaken = true;
    int r = finish_task(b, person_move_stone(table_person(b->table), from, to, on_done, b));
    if (r == 0)
        r = be_told(b);
    if (r == 0)
        r = finish_task(b, person_move_stone(table_person(b->table), to, from, on_done, b));
    return r;
}

// The mistake has been put right: from here on the board is fair again.
static int after_mistake(struct bout *b)
{
    int r = wait_s(b, 0.3);
    b->mistaken = b->named = b->asked = false;
    if (r == 0 && !board_is_fair(b))
        b->over = true; // the hand pushed something else: nothing can be concluded from here
    return r;
}

// --- turns ---

static void count_turn(struct bout *b, enum bout_trouble trouble, int turns)
{
    struct bout_totals *t = b->totals;
    t->moves += turns;
    t->trouble[trouble] += turns;
    if (b->queued == 0 && !b->asked) {
        t->committed += turns;
    } else {
        t->trouble_failed[trouble] += turns;
        t->asked += b->queued == 0 ? turns : 0;
        t->missed += b->queued ? turns : 0;
    }
    if (b->queued == 0 && t->delays < BOUT_MOVES_MAX)
        t->delay[t->delays++] = (float)fmax(0, (double)(b->read_ns - b->off_ns) / 1e9);
}

static int await_reading(struct bout *b, enum bout_trouble trouble, int turns)
{
    int r = 0;
    for (int i = 0; r == 0 && b->queued && !b->over && i < PATIENCE_S * FPS; i++)
        r = step(b);
    if (r < 0)
        return r;
    count_turn(b, trouble, turns);
    if (b->over)
        return 0;
    if (b->queued)
        fail_bout(b, "missed a turn;", b->told[0] ? b->told : "nothing was said");
    else if (game_hash(onlooker_game(b->onlooker)) != game_hash(&b->truth))
        fail_bout(b, "the games differ after", bout_trouble_name(trouble));
    else if (b->asked)
        printf("  seed %llu, ply %d, %s: asked \"%s\"\n", (unsigned long long)b->o->seed,
               b->truth.ply, bout_trouble_name(trouble), b->told);
    return 0;
}

static int one_move(struct bout *b, struct move move, enum bout_trouble trouble)
{
    struct person_task task;
    play_move(b, move, trouble != TROUBLE_LATE_LIFT, &task);
    task.blunders = bout_trouble_is_mistake(trouble) ? 0 : blunder_of(trouble);
    int r = do_task(b, &task);
    // A stone pushed too far is no fair test of the eyes: the game ends here, uncounted.
    if (r == 0 && !board_is_fair(b))
        b->over = true;
    return r;
}

static int take_turn(struct bout *b)
{
    struct move move;
    enum bout_trouble trouble = choose_trouble(&b->rng);
    b->asked = b->named = false;
    b->told[0] = 0;
    if (!choose_move(b, &move)) {
        b->over = true;
        return 0;
    }
    if (trouble == TROUBLE_TWO_STONES && b->truth.rules.connect6)
        trouble = TROUBLE_NONE; // there it is a turn
    int r = wait_s(b, disturb(b, trouble));
    if (r == 0 && bout_trouble_is_mistake(trouble)) {
        r = trouble == TROUBLE_MOVED ? move_wrongly(b) : lay_wrongly(b, trouble, move);
        if (r == 0 && !b->over)
            r = after_mistake(b);
    }
    if (r < 0 || b->over)
        return r;
    int turns = 1;
    r = one_move(b, move, trouble);
    if (r == 0 && trouble == TROUBLE_FAST && !b->over && !b->truth.result.over &&
        choose_move(b, &move)) {
        r = one_move(b, move, TROUBLE_NONE);
        turns++;
    }
    if (r == 0 && !b->over)
        r = await_reading(b, trouble, turns);
    if (b->truth.result.over)
        b->over = true;
    return r;
}

// --- the table ---

static void choose_game(struct bout *b)
{
    static const struct {
        const char *variant, *size;
        int share;
    } games[] = {
        {"pente-free", "19", 28}, {"pente", "19", 10},        {"keryo", "19", 8},
        {"pente-team", "19", 14}, {"pente-points4", "19", 8}, {"poof", "19", 6},
        {"connect6", "19", 8},    {"gomoku-free", "15", 8},   {"pente-free", "13", 6},
        {"pente-free", "9", 4},
    };
    struct variant rules;
    int dice = (int)rng_below(&b->rng, 100), i = 0;
    while ((dice -= games[i].share) >= 0)
        i++;
    variant_init(&rules, games[i].variant, NULL);
    variant_set(&rules, "size", games[i].size, NULL);
    game_init(&b->truth, &rules);
}

static void choose_table(struct bout *b)
{
    struct table_setup *s = &b->setup;
    table_setup_random(b->o->seed, s);
    s->stones.colours = b->truth.rules.colours;
    s->camera.noise_frames = 8;
    int lines = b->truth.rules.size;
    if (lines == 19)
        return;
    // A smaller sheet of the same kind, and the camera as much nearer.
    double scale = (lines - 1) / (s->board.columns - 1.0);
    s->board.columns = s->board.rows = lines;
    for (int a = 0; a < 3; a++) {
        s->camera.eye[a] *= scale;
        s->camera.target[a] *= scale;
    }
}

static struct vision_settings eyes_for(const struct table_setup *s)
{
    struct vision_settings v = vision_settings_default();
    v.columns = s->board.columns;
    v.rows = s->board.rows;
    v.pitch_x = s->board.pitch_x;
    v.pitch_y = s->board.pitch_y;
    v.stone_diameter = s->stones.diameter;
    v.stone_height = s->stones.height;
    v.colours = s->stones.colours;
    for (int c = 0; c < v.colours; c++)
        v.colour[c] = s->stones.colour[c];
    return v;
}

static int open_bout(struct bout *b)
{
    rng_seed(&b->rng, b->o->seed ^ 0x626f7574);
    choose_game(b);
    choose_table(b);
    struct vision_settings eyes = eyes_for(&b->setup);
    struct onlooker_settings settings = onlooker_settings_for(&b->truth, &eyes);
    int r = loop_new_virtual(0, &b->loop);
    if (r < 0)
        return error_set(b->err, r, "no virtual loop");
    r = table_new(&b->setup, b->loop, NULL, &b->table, b->err);
    if (r == 0)
        r = onlooker_new(&settings, &b->truth, on_event, b, &b->onlooker, b->err);
    return r == 0 ? wait_s(b, 1.2) : r;
}

static void close_bout(struct bout *b)
{
    onlooker_free(b->onlooker);
    table_free(b->table);
    loop_free(b->loop);
    free(b->jpeg);
}

int bout_play(const struct bout_options *options, struct bout_totals *totals, struct error *err)
{
    struct bout *b = calloc(1, sizeof *b);
    if (!b)
        return error_set(err, -ENOMEM, "out of memory");
    b->o = options;
    b->totals = totals;
    b->err = err;
    totals->bouts++;
    int r = open_bout(b);
    int last = totals->moves + options->moves, begun = totals->moves;
    while (r == 0 && !b->over && totals->moves < last)
        r = take_turn(b);
    if (r == 0)
        printf("seed %llu: %s on %d lines, %s/%s, %s: %d turns%s\n",
               (unsigned long long)options->seed, b->truth.rules.name, b->truth.rules.size,
               stone_colour_name(b->setup.stones.colour[0]),
               stone_colour_name(b->setup.stones.colour[1]),
               b->setup.board.surface == SETUP_WOOD ? "wood" : "vinyl", totals->moves - begun,
               b->failed ? ", FAILED" : "");
    close_bout(b);
    free(b);
    return r;
}
