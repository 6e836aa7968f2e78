#include "controller/player_sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/sim/world.h"

static const int64_t AGAIN_NS = 2 * NS_PER_S; // until he does something about a complaint
enum { COMPLAINTS_MAX = 3 };                  // then he lays the stone anew

struct sim_player {
    struct loop *loop;
    struct table *table;
    struct player brain; // empty: moves are typed
    bool lifts, turn;
    unsigned seat;
    struct player_events events;
    struct game game;
    struct move move; // the last one he laid
    bool laid;
    int complaints;
    struct loop_source *again;
};

static void on_hand_done(void *user, int result)
{
    // Not enough stones in his bowl, or a stone to lift that is not there: the robot will see it.
    (void)user, (void)result;
}

static int lay(struct sim_player *s, struct move move, bool press)
{
    struct effect effect;
    struct person_task task = {
        .column = move.x, .row = move.y, .block = move.block, .turn = move.turn, .press = press};
    task.colour = move.colour ? move.colour : (int)game_next_colour(&s->game);
    if (s->lifts && game_check(&s->game, move, &effect) == REASON_NONE) {
        for (int i = 0; i < effect.captured_count; i++) {
            struct point at = effect.captured[i]; // on the board, so not negative
            task.lift[i][0] = (uint8_t)at.x;
            task.lift[i][1] = (uint8_t)at.y;
        }
        task.lifts = effect.captured_count;
    }
    int r = person_do(table_person(s->table), &task, on_hand_done, s);
    if (r == 0) {
        s->move = move;
        s->laid = true;
    }
    return r;
}

static void on_brain_move(void *user, unsigned seat, struct move move)
{
    struct sim_player *s = user;
    if (!s->turn)
        return;
    if (move.kind != MOVE_PLACE) {
        s->turn = false;
        s->events.move(s->events.user, seat, move); // said, not laid
        return;
    }
    struct error err;
    if (lay(s, move, true) < 0) {
        error_set(&err, -EBUSY, "the simulated person's hand is busy.");
        s->events.failed(s->events.user, s->seat, &err);
    }
}

static void on_brain_failed(void *user, unsigned seat, const struct error *err)
{
    struct sim_player *s = user;
    s->events.failed(s->events.user, seat, err);
}

// There is one stone more of his colour than in the game: counted, since a block may have moved
// those of Pentago.
static bool has_laid(const struct sim_player *s)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    const unsigned colour = game_next_colour(&s->game);
    const int size = s->game.rules.size;
    int more = 0;
    table_truth(s->table, truth);
    for (int i = 0; i < size * size; i++) {
        more += truth[i] == (int)colour;
        more -= game_at(&s->game, i % size, i / size) == colour;
    }
    return more > 0;
}

// What he still has to do to a Pentago board after an interruption: a block stands half turned, or
// his marble lies and none was turned. Which one he had meant to turn he may have forgotten.
static bool turn_is_due(const struct sim_player *s, const int8_t *truth, struct person_task *ret)
{
    const struct world *world = table_world(s->table);
    const int size = s->game.rules.size;
    int extra = 0, others = 0;
    *ret = (struct person_task){.block = 1, .turn = PENTAGO_CLOCKWISE, .press = true};
    if (s->game.rules.family != FAMILY_PENTAGO)
        return false;
    for (int b = 0; b < WORLD_BLOCKS; b++) {
        if (world->block_turn[b] != 0) {
            ret->block = b + 1;
            ret->turn = world->block_turn[b] > 0 ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE;
            return true;
        }
    }
    for (int i = 0; i < size * size; i++) {
        const int was = (int)game_at(&s->game, i % size, i / size);
        const int lies = (int)truth[i];
        const bool his = !was && lies == (int)game_next_colour(&s->game);
        extra += his;
        others += !his && lies != was;
    }
    if (s->laid && s->move.block) {
        ret->block = (int)s->move.block;
        ret->turn = (int)s->move.turn;
    }
    return extra == 1 && !others && !world_turned_since(world) && !(s->laid && !s->move.block);
}

// "I see no new stone": he presses again, since the robot may just have looked too early; in the
// end he looks for himself whether his stone lies there and puts another one if not.
static void on_again(void *user, int64_t now)
{
    struct sim_player *s = user;
    if (!s->turn)
        return;
    if (person_busy(table_person(s->table))) {
        loop_source_set_due(s->again, now + AGAIN_NS);
        return;
    }
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(s->table, truth);
    struct person_task turn;
    if (turn_is_due(s, truth, &turn)) {
        person_do(table_person(s->table), &turn, on_hand_done, s);
        return;
    }
    bool there = s->game.rules.family == FAMILY_PENTAGO
                     ? has_laid(s)
                     : truth[s->move.y * s->game.rules.size + s->move.x] != 0;
    if (s->laid && !there && s->complaints >= COMPLAINTS_MAX)
        lay(s, s->move, true);
    else
        table_press(s->table, GPIO_BUTTON_DONE);
}

static int sim_begin(void *impl, const struct game *game, struct error *err)
{
    struct sim_player *s = impl;
    s->game = *game;
    return s->brain.ops ? s->brain.ops->begin(s->brain.impl, game, err) : 0;
}

static void sim_follow(void *impl, const struct game *game)
{
    struct sim_player *s = impl;
    s->game = *game;
    s->turn = s->laid = false;
    s->complaints = 0;
    if (s->brain.ops)
        s->brain.ops->follow(s->brain.impl, game);
}

// After an interruption his stone may lie there already: then he only presses the button.
static void sim_think(void *impl, const struct game *game)
{
    struct sim_player *s = impl;
    s->game = *game;
    s->turn = true;
    s->complaints = 0;
    if (!game_choice_pending(game) && has_laid(s))
        loop_source_set_due(s->again, loop_now(s->loop) + AGAIN_NS);
    else if (s->brain.ops)
        s->brain.ops->think(s->brain.impl, game);
}

static void sim_stop(void *impl)
{
    struct sim_player *s = impl;
    s->turn = false;
    loop_source_set_due(s->again, INT64_MAX);
    if (s->brain.ops)
        s->brain.ops->stop(s->brain.impl);
}

static void sim_complain(void *impl, const char *text)
{
    struct sim_player *s = impl;
    (void)text;
    s->complaints++;
    if (s->brain.ops)
        loop_source_set_due(s->again, loop_now(s->loop) + AGAIN_NS);
}

static void sim_free(void *impl)
{
    struct sim_player *s = impl;
    player_free(&s->brain);
    loop_source_free(s->again);
    free(s);
}

static const struct player_ops sim_ops = {
    .begin = sim_begin,
    .follow = sim_follow,
    .think = sim_think,
    .stop = sim_stop,
    .complain = sim_complain,
    .free = sim_free,
};

int player_sim_new(struct loop *loop, const struct player_sim_options *options, struct player *ret,
                   struct error *err)
{
    struct sim_player *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, -ENOMEM, "out of memory");
    s->loop = loop;
    s->table = options->table;
    s->lifts = options->lifts;
    s->seat = options->seat;
    s->events = options->events;
    int r = loop_add_timer(loop, INT64_MAX, on_again, s, &s->again);
    if (r < 0)
        error_set(err, r, "no timer: %s.", strerror(-r));
    if (r == 0 && options->engine) {
        const struct player_events events = {
            .move = on_brain_move, .failed = on_brain_failed, .user = s};
        r = player_engine_new(loop, options->engine, options->seat, &events, &s->brain, err);
    }
    if (r < 0) {
        sim_free(s);
        return r;
    }
    *ret = (struct player){.ops = &sim_ops, .impl = s, .at_board = true};
    if (options->engine)
        snprintf(ret->name, sizeof ret->name, "the simulated person");
    else
        snprintf(ret->name, sizeof ret->name, "you");
    return 0;
}

int player_sim_type(struct player *player, struct move move)
{
    struct sim_player *s = player->impl;
    if (!s->turn)
        return -EPERM;
    if (move.kind != MOVE_PLACE) {
        s->turn = false;
        s->events.move(s->events.user, s->seat, move);
        return 0;
    }
    return lay(s, move, true);
}
