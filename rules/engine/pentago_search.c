#include "rules/engine/pentago_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/pentago_lines.h"
#include "rules/engine/tt.h"

enum { DEPTH_MAX = 31, POLL_EVERY = 1024 };

// Counting bits is half of the evaluation, and the oldest x86-64 has no instruction for it: the
// function is built twice and chosen when the program starts.
#ifdef __x86_64__
#define WITH_POPCOUNT __attribute__((target_clones("popcnt", "default")))
#else
#define WITH_POPCOUNT
#endif

struct pentago_search {
    struct tt *tt;
    uint64_t nodes, next_poll;
    const struct pentago_search_limits *limits;
    atomic_int *stop;
    int finished;
    int32_t history[2][64 * 8];
};

// A position after a turn, seen by the side to move next.
struct child {
    uint64_t own, enemy;
    int32_t order;
    uint16_t move; // bit of the hole · 8 + lane · 2 + anticlockwise, plus 1
    int8_t drawn;  // the turn ended the game in a draw
};

// What a position shows without search, for the side to move.
struct glance {
    int wins;      // this turn wins
    int threatens; // the other side would win if it were their turn
    int value;
};

// Worth of open lines with one, two, three marbles of the side to move and of the other, summed
// over the eight twists; and of a middle, beyond what its lines say. Fitted to own games
// (README.md).
static const int line_worth[2][3] = {{11, 42, 165}, {9, 22, 84}};
enum { MIDDLE_WORTH = -180, WORTH_SCALE = 8 };
#define MIDDLES 0x0100010001000100ull

static inline __attribute__((always_inline)) int weigh(const struct pentago_line_sum *s,
                                                       const int worth[3])
{
    int value = 0;
    for (int marbles = 1; marbles <= 3; marbles++)
        value += worth[marbles - 1] * __builtin_popcount(pentago_lines_with(s, marbles));
    return value;
}

// Whether the side with `mine` can win by one turn: five by the marble, or after a twist that does
// not give the other side five as well.
static int can_win(const struct pentago_line_sum mine[9], const struct pentago_line_sum yours[9])
{
    if (pentago_lines_with(&mine[0], 4))
        return 1;
    for (int t = 1; t < 9; t++)
        if ((pentago_lines_with(&mine[t], 5) | pentago_lines_with(&mine[t], 4)) &&
            !pentago_lines_with(&yours[t], 5))
            return 1;
    return 0;
}

static void sums_of(uint64_t own, uint64_t enemy, struct pentago_line_sum ret[9])
{
    struct pentago_block_sum sum[4][3];
    pentago_block_sums(own, enemy, sum);
    pentago_all_sums(sum, ret);
}

int pentago_wins_now(uint64_t own, uint64_t enemy)
{
    struct pentago_line_sum mine[9], yours[9];
    sums_of(own, enemy, mine);
    sums_of(enemy, own, yours);
    return can_win(mine, yours);
}

WITH_POPCOUNT static struct glance look(uint64_t own, uint64_t enemy)
{
    struct pentago_line_sum mine[9], yours[9];
    struct glance g = {0, 0, 0};
    sums_of(own, enemy, mine);
    sums_of(enemy, own, yours);
    g.wins = can_win(mine, yours);
    if (g.wins)
        return g;
    g.threatens = can_win(yours, mine);
    int value = MIDDLE_WORTH *
                (__builtin_popcountll(own & MIDDLES) - __builtin_popcountll(enemy & MIDDLES));
    for (int t = 1; t < 9; t++)
        value += weigh(&mine[t], line_worth[0]) - weigh(&yours[t], line_worth[1]);
    g.value = value / WORTH_SCALE;
    return g;
}

static int poll_now(struct pentago_search *s)
{
    if (s->finished || s->nodes < s->next_poll)
        return s->finished;
    s->next_poll = s->nodes + POLL_EVERY;
    if ((s->stop && atomic_load_explicit(s->stop, memory_order_relaxed)) ||
        (s->limits->nodes && s->nodes >= s->limits->nodes) ||
        (s->limits->deadline_ns && clock_monotonic_ns() >= s->limits->deadline_ns))
        s->finished = 1;
    return s->finished;
}

static uint64_t hash_of(uint64_t own, uint64_t enemy)
{
    uint64_t h = own * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32 ^ enemy) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static struct pentago_turn_move decode(int move)
{
    move--;
    return (struct pentago_turn_move){
        (uint8_t)(move >> 3), (uint8_t)(move >> 1 & 3),
        (int8_t)(move & 1 ? PENTAGO_ANTICLOCKWISE : PENTAGO_CLOCKWISE)};
}

// All positions one turn can lead to, when no turn wins. Turns that give only the other side five
// are left out. `owner` says whose history to use. Returns how many.
static int expand(const struct pentago_search *s, uint64_t own, uint64_t enemy, int owner,
                  int hash_move, struct child *list)
{
    int count = 0;
    for (uint64_t left = PENTAGO_ALL & ~(own | enemy); left; left &= left - 1) {
        uint64_t bit = left & -left, mine = own | bit;
        int hole = __builtin_ctzll(bit), neutral_seen = 0;
        for (unsigned t = 0; t < 8; t++) {
            unsigned lane = t >> 1;
            // A block with an empty rim looks the same after any turn.
            if (!((mine | enemy) >> 16 * lane & PENTAGO_RIM) && neutral_seen++)
                continue;
            enum pentago_turn turn = t & 1 ? PENTAGO_ANTICLOCKWISE : PENTAGO_CLOCKWISE;
            struct child *c = &list[count];
            c->own = pentago_turned(enemy, lane, turn);
            c->enemy = pentago_turned(mine, lane, turn);
            c->drawn = 0;
            if (pentago_five(c->own)) {
                if (!pentago_five(c->enemy))
                    continue;
                c->drawn = 1;
            }
            c->move = (uint16_t)(hole * 8 + (int)t + 1);
            c->order = c->move == hash_move ? INT32_MAX : s->history[owner][c->move - 1];
            count++;
        }
    }
    return count;
}

static int search(struct pentago_search *s, uint64_t own, uint64_t enemy, int depth, int alpha,
                  int beta, int ply);

// The value, for the side that made the turn, of a position reached.
static int child_value(struct pentago_search *s, const struct child *c, int depth, int alpha,
                       int beta, int ply)
{
    if (c->drawn || (c->own | c->enemy) == PENTAGO_ALL)
        return 0;
    return -search(s, c->own, c->enemy, depth, -beta, -alpha, ply);
}

static void remember_good(struct pentago_search *s, int owner, int move, int depth)
{
    int32_t *h = &s->history[owner][move - 1];
    *h += depth * depth * 16;
    if (*h > 1 << 20)
        for (int i = 0; i < 64 * 8; i++)
            s->history[owner][i] /= 2;
}

static void pick(struct child *list, int from, int count)
{
    int best = from;
    for (int i = from + 1; i < count; i++)
        if (list[i].order > list[best].order)
            best = i;
    struct child c = list[best];
    list[best] = list[from];
    list[from] = c;
}

// Before a deeper search: looks at each child once. Children where the other side wins at once go
// last and keep their value; the rest are ordered by what they show.
static int order_children(struct pentago_search *s, struct child *list, int count)
{
    int alive = 0;
    for (int i = 0; i < count; i++) {
        struct child c = list[i];
        s->nodes++;
        if (c.drawn) {
            c.order = c.order == INT32_MAX ? c.order : 0;
        } else {
            struct glance g = look(c.own, c.enemy);
            if (g.wins)
                continue;
            if (c.order != INT32_MAX)
                c.order = c.order / 256 - 4 * g.value + (g.threatens ? 400 : 0);
        }
        list[i] = list[alive];
        list[alive++] = c;
    }
    return alive;
}

static int search(struct pentago_search *s, uint64_t own, uint64_t enemy, int depth, int alpha,
                  int beta, int ply)
{
    s->nodes++;
    if (poll_now(s))
        return 0;
    struct glance g = look(own, enemy);
    if (g.wins)
        return PENTAGO_WIN - ply - 1;
    if (depth <= 0 && !(g.threatens && depth > -2))
        return g.value;
    if (alpha < ply + 2 - PENTAGO_WIN)
        alpha = ply + 2 - PENTAGO_WIN;
    if (beta > PENTAGO_WIN - ply - 3)
        beta = PENTAGO_WIN - ply - 3;
    if (alpha >= beta)
        return alpha;
    uint64_t hash = hash_of(own, enemy);
    struct tt_hit hit = {0};
    int found = tt_get(s->tt, hash, &hit);
    if (found && (hit.depth >= depth || abs(hit.score) > PENTAGO_PROVEN)) {
        int score = hit.score > PENTAGO_PROVEN    ? hit.score - ply
                    : hit.score < -PENTAGO_PROVEN ? hit.score + ply
                                                  : hit.score;
        if (hit.bound == TT_EXACT || (hit.bound == TT_LOWER && score >= beta) ||
            (hit.bound == TT_UPPER && score <= alpha))
            return score;
    }
    struct child list[PENTAGO_MOVES_MAX];
    int owner = __builtin_popcountll(own | enemy) & 1;
    int count = expand(s, own, enemy, owner, found ? hit.move : 0, list);
    int best = ply + 2 - PENTAGO_WIN, best_move = 0, old_alpha = alpha;
    count = order_children(s, list, count);
    for (int i = 0; i < count; i++) {
        pick(list, i, count);
        int r = depth >= 3 && i > 8 ? 1 + (i > 40) : 0;
        int score = i == 0 ? child_value(s, &list[i], depth - 1, alpha, beta, ply + 1)
                           : child_value(s, &list[i], depth - 1 - r, alpha, alpha + 1, ply + 1);
        if (i && score > alpha && (r || score < beta))
            score = child_value(s, &list[i], depth - 1, alpha, beta, ply + 1);
        if (s->finished)
            return 0;
        if (score > best) {
            best = score;
            best_move = list[i].move;
        }
        if (best > alpha)
            alpha = best;
        if (alpha >= beta) {
            remember_good(s, owner, list[i].move, depth > 0 ? depth : 1);
            break;
        }
    }
    struct tt_hit store = {
        .score = best > PENTAGO_PROVEN    ? best + ply
                 : best < -PENTAGO_PROVEN ? best - ply
                                          : best,
        .depth = depth,
        .move = best_move,
        .bound = best >= beta       ? TT_LOWER
                 : best > old_alpha ? TT_EXACT
                                    : TT_UPPER,
    };
    tt_put(s->tt, hash, &store);
    return best;
}

int pentago_search_new(unsigned hash_mib, struct pentago_search **ret)
{
    struct pentago_search *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    int r = tt_new(hash_mib, &s->tt);
    if (r < 0) {
        free(s);
        return r;
    }
    *ret = s;
    return 0;
}

struct pentago_search *pentago_search_free(struct pentago_search *s)
{
    if (!s)
        return NULL;
    tt_free(s->tt);
    free(s);
    return NULL;
}

void pentago_search_forget(struct pentago_search *s)
{
    tt_clear(s->tt);
    memset(s->history, 0, sizeof s->history);
}

// Follows the table's best moves from the position after the line's move.
static void find_pv(const struct pentago_search *s, uint64_t own, uint64_t enemy,
                    struct pentago_line *line)
{
    struct pentago_turn_move move = line->move;
    line->pv_length = 0;
    for (;;) {
        line->pv[line->pv_length++] = move;
        uint64_t mine = own | 1ull << move.bit;
        if (pentago_five(mine) || line->pv_length == PENTAGO_PV_MAX)
            return;
        own = pentago_turned(enemy, move.lane, (enum pentago_turn)move.turn);
        enemy = pentago_turned(mine, move.lane, (enum pentago_turn)move.turn);
        struct tt_hit hit;
        if (pentago_five(own) || pentago_five(enemy) || !tt_get(s->tt, hash_of(own, enemy), &hit) ||
            !hit.move)
            return;
        move = decode(hit.move);
        if ((own | enemy) >> move.bit & 1)
            return;
    }
}

// The turn that wins at once; there is one.
static struct pentago_turn_move winning_turn(uint64_t own, uint64_t enemy)
{
    struct pentago_turn_move move = {0, 0, PENTAGO_CLOCKWISE};
    for (uint64_t left = PENTAGO_ALL & ~(own | enemy); left; left &= left - 1) {
        uint64_t mine = own | (left & -left);
        move.bit = (uint8_t)__builtin_ctzll(left);
        if (pentago_five(mine))
            return move;
    }
    for (uint64_t left = PENTAGO_ALL & ~(own | enemy); left; left &= left - 1) {
        uint64_t mine = own | (left & -left);
        for (unsigned t = 0; t < 8; t++) {
            move = decode(__builtin_ctzll(left) * 8 + (int)t + 1);
            if (pentago_five(pentago_turned(mine, move.lane, (enum pentago_turn)move.turn)) &&
                !pentago_five(pentago_turned(enemy, move.lane, (enum pentago_turn)move.turn)))
                return move;
        }
    }
    return move;
}

static void sort_lines(struct pentago_line *line, int count)
{
    for (int i = 1; i < count; i++) {
        struct pentago_line l = line[i];
        int k = i;
        for (; k > 0 && line[k - 1].score < l.score; k--)
            line[k] = line[k - 1];
        line[k] = l;
    }
}

// One iteration over the root's turns. Fills ret->line in the order of their values as far as it
// got; returns 0 when it was cut off before the first was done.
static int iterate(struct pentago_search *s, struct child *list, int count, int depth,
                   struct pentago_line *line)
{
    int done = 0, lines = s->limits->lines > 1 ? s->limits->lines : 1;
    for (int i = 0; i < count; i++) {
        int alpha = done < lines ? -PENTAGO_WIN : line[lines - 1].score;
        int score;
        if (done < lines) {
            score = child_value(s, &list[i], depth - 1, alpha, PENTAGO_WIN, 1);
        } else {
            score = child_value(s, &list[i], depth - 1, alpha, alpha + 1, 1);
            if (score > alpha)
                score = child_value(s, &list[i], depth - 1, alpha, PENTAGO_WIN, 1);
        }
        if (s->finished)
            break;
        if (done >= lines && score <= alpha)
            continue;
        struct pentago_line l = {.move = decode(list[i].move), .score = score, .depth = depth};
        l.pv[0] = l.move;
        l.pv_length = 1;
        line[done++] = l;
        sort_lines(line, done);
    }
    return done;
}

// Orders the root's turns for the next iteration: those with values first.
static void reorder(struct child *list, int count, const struct pentago_line *line, int lines)
{
    for (int k = lines - 1; k >= 0; k--) {
        int i = 0;
        while (i < count && list[i].move != line[k].move.bit * 8 + line[k].move.lane * 2 +
                                                (line[k].move.turn < 0) + 1)
            i++;
        if (i == count)
            continue;
        struct child c = list[i];
        memmove(&list[1], &list[0], (size_t)i * sizeof c);
        list[0] = c;
    }
}

static void finish(struct pentago_search *s, uint64_t own, uint64_t enemy, int depth,
                   struct pentago_result *ret)
{
    for (int i = 0; i < ret->line_count; i++)
        find_pv(s, own, enemy, &ret->line[i]);
    ret->depth = depth;
    ret->nodes = s->nodes;
}

// No turn wins at once: finds turns after which the other side can't win at once either, or, when
// there are none, the one that leaves the most to find.
static int root_children(struct pentago_search *s, uint64_t own, uint64_t enemy, struct child *list,
                         struct pentago_result *ret)
{
    int owner = __builtin_popcountll(own | enemy) & 1;
    int all = expand(s, own, enemy, owner, 0, list);
    struct pentago_line first = {.score = 2 - PENTAGO_WIN, .depth = 1};
    first.move =
        all ? decode(list[0].move) : decode(__builtin_ctzll(PENTAGO_ALL & ~(own | enemy)) * 8 + 1);
    ret->line[0] = first;
    ret->line_count = 1;
    int alive = order_children(s, list, all);
    for (int i = 0; i < alive; i++)
        pick(list, i, alive);
    return alive;
}

void pentago_search_run(struct pentago_search *s, uint64_t own, uint64_t enemy,
                        const struct pentago_search_limits *limits, atomic_int *stop,
                        pentago_report *report, void *user, struct pentago_result *ret)
{
    static _Thread_local struct child list[PENTAGO_MOVES_MAX];
    static _Thread_local struct pentago_line line[PENTAGO_MOVES_MAX];
    s->nodes = s->next_poll = 0;
    s->limits = limits;
    s->stop = stop;
    s->finished = 0;
    tt_age(s->tt);
    memset(s->history, 0, sizeof s->history);
    memset(ret, 0, sizeof *ret);
    if (pentago_wins_now(own, enemy)) {
        ret->line[0] = (struct pentago_line){
            .move = winning_turn(own, enemy), .score = PENTAGO_WIN - 1, .depth = 1};
        ret->line_count = 1;
        finish(s, own, enemy, 1, ret);
        return;
    }
    int count = root_children(s, own, enemy, list, ret);
    int last = limits->depth && limits->depth < DEPTH_MAX ? limits->depth : DEPTH_MAX;
    if (count) {
        ret->line[0].move = decode(list[0].move);
        ret->line[0].score = 0;
    }
    for (int depth = 1; count && depth <= last && !s->finished; depth++) {
        int done = iterate(s, list, count, depth, line);
        if (!done)
            break;
        memcpy(ret->line, line, (size_t)done * sizeof *line);
        ret->line_count = done;
        reorder(list, count, line, done);
        finish(s, own, enemy, depth, ret);
        if (report && !s->finished)
            report(user, ret);
        if (abs(line[0].score) > PENTAGO_PROVEN && limits->lines <= 1 && !s->finished)
            break;
    }
    finish(s, own, enemy, ret->depth, ret);
}
