#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/notation.h"
#include "tests/soak/vision_bout_private.h"

enum {
    WHILE_HAND = 3, // of so many frames one is looked at while the hand is over the board
    PATIENCE_S = 9, // until a turn counts as missed
    POINTS_SHOWN = 8,
};

#define HAND_OFF_MM (-30.0) // the finger tips' y: no part of the hand is over the board any more

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

void bout_fail(struct bout *b, const char *what, const char *detail)
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
    bout_fail(b, "WRONG COMMIT of", move_format(&b->truth.rules, move, text));
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
int bout_step(struct bout *b)
{
    struct frame frame;
    int r = run_until(b, loop_now(b->loop) + NS_PER_S / BOUT_FPS);
    if (r < 0)
        return r;
    bool over = hand_is_over(b);
    if (over)
        b->off_ns = loop_now(b->loop) + NS_PER_S / BOUT_FPS;
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

int bout_wait(struct bout *b, double seconds)
{
    int r = 0;
    for (int i = 0; r == 0 && i < seconds * BOUT_FPS && !b->over; i++)
        r = bout_step(b);
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
    for (int i = 0; r == 0 && b->queued && !b->over && i < PATIENCE_S * BOUT_FPS; i++)
        r = bout_step(b);
    if (r < 0)
        return r;
    count_turn(b, trouble, turns);
    if (b->over)
        return 0;
    if (b->queued)
        bout_fail(b, "missed a turn;", b->told[0] ? b->told : "nothing was said");
    else if (game_hash(onlooker_game(b->onlooker)) != game_hash(&b->truth))
        bout_fail(b, "the games differ after", bout_trouble_name(trouble));
    else if (b->asked)
        printf("  seed %llu, ply %d, %s: asked \"%s\"\n", (unsigned long long)b->o->seed,
               b->truth.ply, bout_trouble_name(trouble), b->told);
    return 0;
}

static int one_move(struct bout *b, struct move move, enum bout_trouble trouble)
{
    struct person_task task;
    bout_play_move(b, move, trouble != TROUBLE_LATE_LIFT, &task);
    task.blunders = bout_trouble_is_mistake(trouble) ? 0 : bout_blunder(trouble);
    int r = bout_do_task(b, &task);
    // A stone pushed too far is no fair test of the eyes: the game ends here, uncounted.
    if (r == 0 && !bout_is_fair(b))
        b->over = true;
    return r;
}

static int take_turn(struct bout *b)
{
    struct move move;
    enum bout_trouble trouble = bout_choose_trouble(&b->rng);
    b->asked = b->named = false;
    b->told[0] = 0;
    if (!bout_choose_move(b, &move)) {
        b->over = true;
        return 0;
    }
    if (trouble == TROUBLE_TWO_STONES && b->truth.rules.connect6)
        trouble = TROUBLE_NONE; // there it is a turn
    int r = bout_wait(b, bout_disturb(b, trouble));
    if (r == 0 && bout_trouble_is_mistake(trouble)) {
        r = trouble == TROUBLE_MOVED ? bout_move_wrongly(b) : bout_lay_wrongly(b, trouble, move);
        if (r == 0 && !b->over)
            r = bout_after_mistake(b);
    }
    if (r < 0 || b->over)
        return r;
    int turns = 1;
    r = one_move(b, move, trouble);
    if (r == 0 && trouble == TROUBLE_FAST && !b->over && !b->truth.result.over &&
        bout_choose_move(b, &move)) {
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
    return r == 0 ? bout_wait(b, 1.2) : r;
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
