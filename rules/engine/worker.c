#include "rules/engine/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/eval.h"

enum {
    PROOF_SLOTS = 1 << 16,
    POLL_EVERY = 256, // nodes
    FORCED_MAX = 64,
    HISTORY_LIMIT = 8192,
    LEAF_PROOF_MOVES = 6,
    LEAF_PROOF_NODES = 40,
    INNER_PROOF_MOVES = 12,
};

struct picked {
    uint16_t cell;
    int32_t order;
};

static int poll_threat(void *user)
{
    return worker_poll(user);
}

int worker_init(struct worker *w)
{
    int r = threat_init(&w->threat, PROOF_SLOTS);
    if (r < 0)
        return r;
    w->threat.poll = poll_threat;
    w->threat.user = w;
    return 0;
}

void worker_done(struct worker *w)
{
    threat_done(&w->threat);
}

void worker_forget(struct worker *w)
{
    threat_forget(&w->threat);
    memset(w->history, 0, sizeof w->history);
    memset(w->killer, 0, sizeof w->killer);
    memset(w->counter, 0, sizeof w->counter);
}

int worker_poll(struct worker *w)
{
    struct worker_shared *s = w->shared;
    if (atomic_load_explicit(&s->finished, memory_order_relaxed))
        return 1;
    int over = (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed)) ||
               (s->node_limit && worker_nodes(w) >= s->node_limit) ||
               (s->deadline_ns && clock_monotonic_ns() >= s->deadline_ns);
    if (over)
        atomic_store_explicit(&s->finished, 1, memory_order_relaxed);
    return over;
}

// Values of proven wins count plies from the root; in the table, from the position itself.
static int to_table(int score, int ply)
{
    return score > SEARCH_PROVEN ? score + ply : score < -SEARCH_PROVEN ? score - ply : score;
}

static int from_table(int score, int ply)
{
    return score > SEARCH_PROVEN ? score - ply : score < -SEARCH_PROVEN ? score + ply : score;
}

static void extend_pv(struct worker *w, int ply, uint16_t cell)
{
    struct worker_pv *to = &w->pv[ply], *from = &w->pv[ply + 1];
    int n = from->length < SEARCH_PV_MAX - 1 ? from->length : SEARCH_PV_MAX - 1;
    to->cell[0] = cell;
    memcpy(to->cell + 1, from->cell, (size_t)n * sizeof *to->cell);
    to->length = n + 1;
}

static void remember_good(struct worker *w, int side, int cell, int depth, int ply,
                          const struct picked *tried, int tried_count)
{
    if (w->killer[ply][0] != cell) {
        w->killer[ply][1] = w->killer[ply][0];
        w->killer[ply][0] = (uint16_t)cell;
    }
    if (ply > 0)
        w->counter[side][w->played[ply - 1]] = (uint16_t)cell;
    int bonus = depth * depth + depth;
    if (bonus > 400)
        bonus = 400;
    // Each entry drifts towards ±HISTORY_LIMIT, the slower the nearer it is.
    int32_t *h = &w->history[side][cell];
    *h += bonus - *h * bonus / HISTORY_LIMIT;
    for (int i = 0; i < tried_count; i++) {
        h = &w->history[side][tried[i].cell];
        *h -= bonus + *h * bonus / HISTORY_LIMIT;
    }
}

// When the other side would win at once, only a stone on a winning point or a capture can help.
static int forced_moves(const struct sboard *b, const uint16_t *wins, int win_count,
                        struct picked *list)
{
    uint16_t takes[FORCED_MAX];
    int count = 0, take_count = sb_members(b, b->side, SB_TAKE, FORCED_MAX, takes);
    for (int i = 0; i < win_count; i++)
        list[count++] = (struct picked){wins[i], 100000 + eval_move(b, wins[i])};
    for (int i = 0; i < take_count; i++) {
        int known = 0;
        for (int k = 0; k < win_count; k++)
            known |= wins[k] == takes[i];
        if (!known)
            list[count++] = (struct picked){takes[i], eval_move(b, takes[i])};
    }
    return count;
}

// Connect6: the other side's next turn could make a row. Only stones on such a row's empty points
// help, and those are the points where a stone of theirs makes a five or completes a row.
static int two_stone_danger(const struct sboard *b, uint16_t *cells)
{
    int you = 1 - b->side, count = sb_members(b, you, SB_WIN_ROW, FORCED_MAX, cells);
    uint16_t fours[FORCED_MAX];
    int four_count = sb_members(b, you, SB_FOUR, FORCED_MAX, fours);
    for (int i = 0; i < four_count && count < FORCED_MAX; i++)
        if (!sb_has(b, you, SB_WIN_ROW, fours[i]))
            cells[count++] = fours[i];
    return count;
}

static int all_moves(struct worker *w, int ply, int hash_move, struct picked *list)
{
    const struct sboard *b = &w->board;
    uint16_t cells[WORKER_MOVES_MAX];
    int count = eval_candidates(b, WORKER_MOVES_MAX, cells), side = b->side;
    int counter = ply > 0 ? w->counter[side][w->played[ply - 1]] : 0;
    for (int i = 0; i < count; i++) {
        int cell = cells[i];
        int32_t order = eval_move(b, cell) + w->history[side][cell] / 32;
        if (cell == hash_move)
            order += 1000000;
        else if (cell == w->killer[ply][0])
            order += 160;
        else if (cell == w->killer[ply][1])
            order += 120;
        else if (cell == counter)
            order += 100;
        list[i] = (struct picked){(uint16_t)cell, order};
    }
    if (!count && b->empty) { // an empty board
        int middle = b->rules.size / 2;
        list[count++] = (struct picked){(uint16_t)sb_cell(middle, middle), 0};
    }
    return count;
}

// Brings the best of list[from…] to list[from].
static void pick(struct picked *list, int from, int count)
{
    int best = from;
    for (int i = from + 1; i < count; i++)
        if (list[i].order > list[best].order)
            best = i;
    struct picked p = list[best];
    list[best] = list[from];
    list[from] = p;
}

static int log2_of(int n)
{
    return 31 - __builtin_clz((unsigned)n);
}

// How many moves are looked at this near to the leaves.
static int move_limit(int depth)
{
    static const int limit[] = {6, 6, 9, 13, 18, 24};
    return depth < 6 ? limit[depth < 0 ? 0 : depth] : 60;
}

static int reduction(int depth, int number, int quiet, int pv_node)
{
    if (depth < 2 || number < 3)
        return 0;
    int r = (log2_of(depth) * log2_of(number) + 1) / 2 + (number > 12);
    if (!quiet)
        r /= 2;
    if (pv_node && r)
        r--;
    return r < depth - 1 ? r : depth - 1;
}

// A move that changes the fight at once: it makes a four, takes, or stops the like.
static int is_quiet(const struct sboard *b, int cell)
{
    int me = b->side;
    return !sb_has(b, me, SB_FOUR, cell) && !sb_has(b, me, SB_TAKE, cell) &&
           !LINE_OPEN_FOURS(sb_counts(b, 1 - me, cell)) && !sb_has(b, me, SB_THREE, cell);
}

// Proves a win by threats if there is a quick one. Returns the plies it takes, 0 = none found.
static int prove(struct worker *w, int depth, uint16_t *ret_cell)
{
    struct sboard *b = &w->board;
    int me = b->side;
    if (b->rules.line.two_a_turn)
        return 0; // proofs by threats know one stone a turn
    int near_goal = b->rules.goal && b->rules.goal - b->taken[me] <= 6;
    if (!b->sets.count[me][SB_FOUR] && !(near_goal && b->sets.count[me][SB_TAKE]))
        return 0;
    int moves = depth <= 0 ? LEAF_PROOF_MOVES : INNER_PROOF_MOVES, cap = w->shared->proof_moves;
    if (cap && moves > cap)
        moves = cap;
    if (moves < 1)
        return 0;
    uint64_t nodes = (uint64_t)LEAF_PROOF_NODES << (depth <= 0 ? 0 : depth < 4 ? depth : 4);
    int win = threat_win(&w->threat, b, moves, nodes, ret_cell);
    return win ? 2 * win - 1 : 0;
}

int worker_after(struct worker *w, int side, int depth, int alpha, int beta, int ply)
{
    return w->board.side == side ? worker_search(w, depth, alpha, beta, ply)
                                 : -worker_search(w, depth, -beta, -alpha, ply);
}

static int loop(struct worker *w, struct picked *list, int count, int depth, int alpha, int beta,
                int ply, int forced, int *ret_best_cell)
{
    struct sboard *b = &w->board;
    int pv_node = beta - alpha > 1, best = -SEARCH_WIN, side = b->side;
    int limit = forced ? count : move_limit(depth);
    for (int i = 0; i < count; i++) {
        if (i >= limit && best > -SEARCH_PROVEN)
            break;
        pick(list, i, count);
        int cell = list[i].cell, quiet = is_quiet(b, cell);
        int next = forced && count <= 2 ? depth : depth - 1;
        w->played[ply] = (uint16_t)cell;
        w->nodes++;
        sb_make(b, cell);
        tt_prefetch(w->shared->tt, b->hash);
        int score;
        if (i == 0) {
            score = worker_after(w, side, next, alpha, beta, ply + 1);
        } else {
            int r = forced ? 0 : reduction(depth, i, quiet, pv_node);
            score = worker_after(w, side, next - r, alpha, alpha + 1, ply + 1);
            if (score > alpha && r)
                score = worker_after(w, side, next, alpha, alpha + 1, ply + 1);
            if (score > alpha && score < beta)
                score = worker_after(w, side, next, alpha, beta, ply + 1);
        }
        sb_unmake(b);
        if (atomic_load_explicit(&w->shared->finished, memory_order_relaxed))
            return 0;
        if (score <= best)
            continue;
        best = score;
        *ret_best_cell = cell;
        if (score > alpha) {
            alpha = score;
            extend_pv(w, ply, (uint16_t)cell);
        }
        if (score >= beta) {
            if (quiet)
                remember_good(w, side, cell, depth, ply, list, i);
            break;
        }
    }
    return best;
}

int worker_search(struct worker *w, int depth, int alpha, int beta, int ply)
{
    struct sboard *b = &w->board;
    w->pv[ply].length = 0;
    if (ply > w->selective_depth)
        w->selective_depth = ply;
    if (b->winner >= 0)
        return b->winner == 2 ? 0 : b->winner == b->side ? SEARCH_WIN - ply : ply - SEARCH_WIN;
    if ((w->nodes & (POLL_EVERY - 1)) == 0 && worker_poll(w))
        return 0;
    uint16_t cells[FORCED_MAX];
    if (sb_winning_cells(b, b->side, 1, cells)) {
        w->pv[ply].cell[0] = cells[0];
        w->pv[ply].length = 1;
        return SEARCH_WIN - ply - 1;
    }
    int two = b->rules.line.two_a_turn;
    if (b->left == 2 && b->sets.count[b->side][SB_FOUR]) { // this stone and the next make the row
        w->pv[ply].length = sb_members(b, b->side, SB_FOUR, 1, w->pv[ply].cell);
        return SEARCH_WIN - ply - 2;
    }
    if (ply >= WORKER_PLY_MAX || b->depth >= SB_DEPTH_MAX - 4)
        return eval_position(b);
    // No line from here can be better than winning with the next move but one, or worse than losing
    // to the next.
    if (beta > SEARCH_WIN - ply - 3)
        beta = SEARCH_WIN - ply - 3;
    if (alpha < ply + 2 - SEARCH_WIN)
        alpha = ply + 2 - SEARCH_WIN;
    if (alpha >= beta)
        return alpha;
    int pv_node = beta - alpha > 1;
    struct tt_hit hit = {0};
    int found = tt_get(w->shared->tt, b->hash, &hit);
    if (found && hit.depth >= depth && (!pv_node || depth <= 0)) {
        int score = from_table(hit.score, ply);
        if (hit.bound == TT_EXACT || (hit.bound == TT_LOWER && score >= beta) ||
            (hit.bound == TT_UPPER && score <= alpha))
            return score;
    }
    int danger =
        two ? two_stone_danger(b, cells) : sb_winning_cells(b, 1 - b->side, FORCED_MAX, cells);
    int strict = !b->rules.poof && !b->rules.boat;
    struct picked list[WORKER_MOVES_MAX];
    int count, best_cell = 0, best;
    int old_alpha = alpha;
    if (danger && strict) {
        count = forced_moves(b, cells, danger, list);
        if (depth < 0)
            depth = 0;
        best = loop(w, list, count, depth, alpha, beta, ply, 1, &best_cell);
    } else {
        int plies =
            found && hit.bound == TT_EXACT && hit.depth >= depth ? 0 : prove(w, depth, cells);
        if (plies) {
            w->pv[ply].cell[0] = cells[0];
            w->pv[ply].length = 1;
            struct tt_hit proof = {SEARCH_WIN - plies, 0, 99, cells[0], TT_LOWER};
            tt_put(w->shared->tt, b->hash, &proof);
            return SEARCH_WIN - ply - plies;
        }
        int eval = found ? hit.eval : eval_position(b);
        if (depth <= 0) {
            struct tt_hit leaf = {eval, eval, 0, 0, TT_EXACT};
            if (!found)
                tt_put(w->shared->tt, b->hash, &leaf);
            return eval;
        }
        if (depth >= 4 && !(found && hit.move))
            depth--;
        count = all_moves(w, ply, found ? hit.move : 0, list);
        best = loop(w, list, count, depth, alpha, beta, ply, 0, &best_cell);
    }
    if (atomic_load_explicit(&w->shared->finished, memory_order_relaxed))
        return 0;
    struct tt_hit store = {
        .score = to_table(best, ply),
        .eval = found ? hit.eval : eval_position(b),
        .depth = depth,
        .move = best_cell,
        .bound = best >= beta       ? TT_LOWER
                 : best > old_alpha ? TT_EXACT
                                    : TT_UPPER,
    };
    tt_put(w->shared->tt, b->hash, &store);
    return best;
}
