#include "rules/engine/pentago_player.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/pentago_mid.h"
#include "rules/engine/pentago_opening.h"
#include "rules/engine/pentago_search.h"

struct pentago_player {
    struct pentago_search *search;
    size_t solver_bytes; // the solver may use so many
    struct pentago_result result;
    struct pentago_mid_values values;
};

// A turn with an exact value, and how hard the best reply is to find (small = hard).
struct exact_turn {
    struct pentago_turn_move move;
    int value, answers;
};

int pentago_player_new(unsigned hash_mib, struct pentago_player **ret)
{
    struct pentago_player *player = calloc(1, sizeof *player);
    if (!player)
        return -ENOMEM;
    // The search needs little when the solver needs much.
    unsigned table = hash_mib / 4 ? hash_mib / 4 : 1;
    player->solver_bytes = (size_t)(hash_mib - hash_mib / 4) << 20;
    int r = pentago_search_new(table, &player->search);
    if (r < 0) {
        free(player);
        return r;
    }
    *ret = player;
    return 0;
}

struct pentago_player *pentago_player_free(struct pentago_player *player)
{
    if (!player)
        return NULL;
    pentago_search_free(player->search);
    free(player);
    return NULL;
}

void pentago_player_forget(struct pentago_player *player)
{
    pentago_search_forget(player->search);
}

static struct move to_move(const struct game *game, struct pentago_turn_move m, bool twist)
{
    int hole = (uint8_t)pentago_hole_of[m.bit];
    if (!twist)
        return move_place(game_next_colour(game), hole % 6, hole / 6);
    return move_twist(game_next_colour(game), hole % 6, hole / 6, (int)pentago_block(m.lane),
                      m.turn);
}

// The move as the game takes it: a marble that wins at once is sent without a twist.
static struct move playable(const struct game *game, struct pentago_turn_move m)
{
    uint64_t own = game->pentago.marbles[game_next_colour(game) - 1] | 1ull << m.bit;
    return to_move(game, m, !(game->rules.place_wins && pentago_five(own)));
}

static void exact_line(const struct game *game, const struct exact_turn *turn,
                       struct engine_line *to)
{
    *to = (struct engine_line){
        .move = playable(game, turn->move),
        .score = turn->value * (PENTAGO_WIN - 100),
        .proven = true,
        .win_chance = (turn->value + 1) / 2.0,
        .pv_length = 1,
    };
    to->pv[0] = to->move;
}

// Among turns of the best value those whose answer is hardest to find, one of them at random.
static void choose_exact(const struct game *game, struct exact_turn *turn, int count, int lines,
                         struct rng *rng, struct engine_thought *ret)
{
    int chosen = 0;
    for (int i = 1; i < count; i++) {
        struct exact_turn t = turn[i];
        int k = i;
        for (; k > 0 && (turn[k - 1].value < t.value ||
                         (turn[k - 1].value == t.value && turn[k - 1].answers > t.answers));
             k--)
            turn[k] = turn[k - 1];
        turn[k] = t;
    }
    int equal = 1;
    while (equal < count && turn[equal].value == turn[0].value &&
           turn[equal].answers <= turn[0].answers + turn[0].answers / 8)
        equal++;
    if (lines <= 1)
        chosen = (int)rng_below(rng, (uint32_t)equal);
    struct exact_turn first = turn[chosen];
    turn[chosen] = turn[0];
    turn[0] = first;
    *ret = (struct engine_thought){0};
    for (int i = 0; i < count && i < lines && i < ENGINE_LINES_MAX; i++)
        exact_line(game, &turn[i], &ret->line[ret->line_count++]);
}

// All turns with their values from the opening table. Returns how many, 0 = not in the table.
static int opening_turns(const uint64_t marbles[2], struct exact_turn *turn)
{
    struct pentago_opening_entry entry;
    int side = __builtin_popcountll(marbles[0] | marbles[1]) & 1, count = 0;
    if (pentago_opening_find(marbles, &entry) < 0)
        return 0;
    if (__builtin_popcountll(marbles[0] | marbles[1]) == PENTAGO_OPENING_MARBLES) {
        turn[0] = (struct exact_turn){entry.move, entry.value, 0};
        return 1;
    }
    for (uint64_t left = PENTAGO_ALL & ~(marbles[0] | marbles[1]); left; left &= left - 1) {
        for (int t = 0; t < 8; t++) {
            struct pentago_turn_move m = {
                (uint8_t)__builtin_ctzll(left), (uint8_t)(t / 2),
                (int8_t)(t % 2 ? PENTAGO_ANTICLOCKWISE : PENTAGO_CLOCKWISE)};
            uint64_t after[2] = {marbles[0], marbles[1]};
            after[side] |= left & -left;
            for (int i = 0; i < 2; i++)
                after[i] = pentago_turned(after[i], m.lane, (enum pentago_turn)m.turn);
            if (pentago_opening_find(after, &entry) == 0)
                turn[count++] = (struct exact_turn){m, -entry.value, entry.ease};
        }
    }
    return count;
}

static int solved_turns(const struct pentago_mid_values *v, struct exact_turn *turn)
{
    int count = 0;
    for (int i = 0; i < v->count; i++) {
        for (int t = 0; t < PENTAGO_TWISTS; t++) {
            struct pentago_turn_move m = {
                v->bit[i], (uint8_t)(t / 2),
                (int8_t)(t % 2 ? PENTAGO_ANTICLOCKWISE : PENTAGO_CLOCKWISE)};
            turn[count++] = (struct exact_turn){m, v->twist[i][t], v->answers[i][t]};
            if (v->five[i])
                break;
        }
    }
    return count;
}

// Whether solving with so many holes left fits into the time: measured on one core of a 2023 x86
// server, tripling with each hole, with room for a machine twice as slow.
static bool worth_solving(int holes, const struct engine_limits *limits)
{
    int64_t need = 200 * NS_PER_MS;
    if (limits->nodes)
        return holes <= 14;
    for (int i = 14; i < holes; i++)
        need *= 3;
    for (int i = holes; i < 14; i++)
        need /= 3;
    return !limits->deadline_ns || limits->deadline_ns - clock_monotonic_ns() > need;
}

static double chance_of(int score)
{
    return 1.0 / (1.0 + exp(-score / 60.0));
}

static void search_line(const struct game *game, const struct pentago_line *from,
                        struct engine_line *to)
{
    *to = (struct engine_line){
        .move = playable(game, from->move),
        .score = from->score,
        .proven = abs(from->score) > PENTAGO_PROVEN,
        .depth = from->depth,
        .pv_length = from->pv_length,
    };
    to->plies = to->proven ? PENTAGO_WIN - abs(from->score) : 0;
    to->win_chance = to->proven ? from->score > 0 : chance_of(from->score);
    unsigned colour = game_next_colour(game);
    for (int i = 0; i < from->pv_length; i++) {
        to->pv[i] = to_move(game, from->pv[i], true);
        to->pv[i].colour = (uint8_t)(i % 2 ? 3 - colour : colour);
    }
    to->pv[0] = to->move;
}

struct relay {
    const struct game *game;
    int lines;
    engine_report *report;
    void *user;
};

static void fill(const struct game *game, const struct pentago_result *from, int lines,
                 struct engine_thought *to)
{
    *to = (struct engine_thought){.depth = from->depth, .nodes = from->nodes};
    to->selective_depth = from->depth;
    for (int i = 0; i < from->line_count && i < lines && i < ENGINE_LINES_MAX; i++)
        search_line(game, &from->line[i], &to->line[to->line_count++]);
}

static void pass_report(void *user, const struct pentago_result *result)
{
    struct relay *relay = user;
    struct engine_thought thought;
    fill(relay->game, result, relay->lines, &thought);
    relay->report(relay->user, &thought);
}

static void by_search(struct pentago_player *player, const struct game *game, uint64_t own,
                      uint64_t enemy, const struct engine_limits *limits, const struct level *level,
                      struct rng *rng, atomic_int *stop, engine_report *report, void *user,
                      struct engine_thought *ret)
{
    struct pentago_search_limits search = {.deadline_ns = limits->deadline_ns,
                                           .nodes = limits->nodes,
                                           .depth = limits->depth,
                                           .lines = limits->lines > 1 ? limits->lines : 1};
    if (level) {
        search.depth = level->pentago_depth;
        search.lines = search.lines > level->lines ? search.lines : level->lines;
        pentago_search_forget(player->search);
    }
    struct relay relay = {game, search.lines, report, user};
    pentago_search_run(player->search, own, enemy, &search, stop, report ? pass_report : NULL,
                       &relay, &player->result);
    fill(game, &player->result, search.lines, ret);
    if (!level)
        return;
    int scores[ENGINE_LINES_MAX];
    for (int i = 0; i < ret->line_count; i++)
        scores[i] = ret->line[i].score;
    int chosen = level_choose(level, scores, ret->line_count, rng);
    struct engine_line line = ret->line[chosen];
    ret->line[chosen] = ret->line[0];
    ret->line[0] = line;
}

int pentago_player_think(struct pentago_player *player, const struct game *game,
                         const struct engine_limits *limits, const struct level *level,
                         struct rng *rng, atomic_int *stop, engine_report *report, void *user,
                         struct engine_thought *ret)
{
    struct exact_turn turn[PENTAGO_MOVES_MAX];
    const uint64_t *marbles = game->pentago.marbles;
    int side = (int)game_next_colour(game) - 1, holes = (int)game_empty(game);
    int lines = limits->lines > 1 ? limits->lines : 1;
    // The table and the solver know the rule book's game only, with the turns in order.
    bool exact = !level && game->rules.place_wins && (game->stones & 1) == side;
    if (exact && game->stones <= PENTAGO_OPENING_MARBLES) {
        int count = opening_turns(marbles, turn);
        if (count && (count >= lines || lines == 1)) {
            choose_exact(game, turn, count, lines, rng, ret);
            ret->book = true;
            return 0;
        }
    }
    if (exact && holes <= PENTAGO_MID_HOLES_MAX && worth_solving(holes, limits) &&
        pentago_mid_memory(holes) <= player->solver_bytes &&
        !pentago_wins_now(marbles[side], marbles[1 - side])) {
        struct engine_limits first = *limits;
        // A quick search first: what is played should the solver not get ready after all.
        if (limits->deadline_ns) {
            int64_t now = clock_monotonic_ns();
            first.deadline_ns = now + (limits->deadline_ns - now) / 10;
            by_search(player, game, marbles[side], marbles[1 - side], &first, NULL, rng, stop, NULL,
                      NULL, ret);
        }
        int r = pentago_mid_solve(marbles[side], marbles[1 - side], limits->deadline_ns, stop,
                                  &player->values);
        if (r < 0 && limits->deadline_ns)
            return 0;
        if (r == 0) {
            choose_exact(game, turn, solved_turns(&player->values, turn), lines, rng, ret);
            ret->depth = holes;
            for (int i = 0; i < ret->line_count; i++)
                ret->line[i].depth = holes;
            return 0;
        }
    }
    by_search(player, game, marbles[side], marbles[1 - side], limits, level, rng, stop, report,
              user, ret);
    return 0;
}
