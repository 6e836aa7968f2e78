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
    MENACE_DEPTH = 2,
    // Judged by matches, like all numbers here; in points of value, for each ply of depth.
    GOOD_DEPTH = 3,
    GOOD_MARGIN = 60,
    FUTILITY_DEPTH = 3,
    FUTILITY_MARGIN = 70,
    HISTORY_STEP = 3000, // of history for one ply more or less
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

// All moves near stones with their order; `menace` is where the other side threatens to begin.
static int all_moves(struct worker *w, int ply, int hash_move, int menace, struct picked *list)
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
        else if (cell == menace)
            order += 400;
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

// How far proofs look: own moves, 0 = no proof is wanted.
static int proof_moves(const struct worker *w, int depth)
{
    int moves = depth <= 0 ? LEAF_PROOF_MOVES : INNER_PROOF_MOVES, cap = w->shared->proof_moves;
    return cap < 0 ? 0 : cap && moves > cap ? cap : moves;
}

// Proves a win by threats if there is a quick one. Returns the plies it takes, 0 = none found.
static int prove(struct worker *w, int depth, uint16_t *ret_cell)
{
    struct sboard *b = &w->board;
    int me = b->side, moves = proof_moves(w, depth);
    if (b->rules.line.two_a_turn || !moves)
        return 0; // proofs by threats know one stone a turn
    int near_goal = b->rules.goal && b->rules.goal - b->taken[me] <= 6;
    if (!b->sets.count[me][SB_FOUR] && !(near_goal && b->sets.count[me][SB_TAKE]))
        return 0;
    uint64_t nodes = (uint64_t)LEAF_PROOF_NODES << (depth <= 0 ? 0 : depth < 4 ? depth : 4);
    int win = threat_win(&w->threat, b, moves, nodes, ret_cell);
    return win ? 2 * win - 1 : 0;
}

// Where the other side would begin to win by threats if it were their turn; 0 = nowhere known.
static int menaced_cell(struct worker *w, int depth)
{
    struct sboard *b = &w->board;
    int moves = proof_moves(w, 0);
    uint16_t cell = 0;
    if (depth < MENACE_DEPTH || !moves || b->rules.poof || b->rules.boat ||
        b->rules.line.two_a_turn || !b->sets.count[1 - b->side][SB_FOUR])
        return 0;
    sb_pass(b);
    int win = threat_win(&w->threat, b, moves, 2 * LEAF_PROOF_NODES, &cell);
    sb_pass(b);
    return win ? cell : 0;
}

int worker_after(struct worker *w, int side, int depth, int alpha, int beta, int ply)
{
    return w->board.side == side ? worker_search(w, depth, alpha, beta, ply)
                                 : -worker_search(w, depth, -beta, -alpha, ply);
}

// The position being searched.
struct node {
    int depth, alpha, beta, ply;
    int pv; // the window is open: exact values are wanted
    int eval;
    int forced; // only moves that stop a win at once are tried
};

// Whether the i-th move is not worth a search: quiet, and far below what is wanted already.
static int is_futile(const struct node *n, int quiet, int i, int best)
{
    return quiet && i > 0 && !n->forced && !n->pv && n->depth <= FUTILITY_DEPTH &&
           best > -SEARCH_PROVEN &&
           n->eval + FUTILITY_MARGIN * n->depth + FUTILITY_MARGIN / 2 <= n->alpha;
}

static int reduction_of(const struct worker *w, const struct node *n, int i, int quiet, int cell)
{
    if (n->forced)
        return 0;
    int r = reduction(n->depth, i, quiet, n->pv);
    if (!quiet || n->depth < 2 || i < 3)
        return r;
    // What has often been good is looked at deeper, what never was less deep.
    r -= w->history[w->board.side][cell] / HISTORY_STEP;
    return r < 0 ? 0 : r > n->depth - 1 ? n->depth - 1 : r;
}

static int search_move(struct worker *w, const struct node *n, int cell, int i, int r, int next)
{
    struct sboard *b = &w->board;
    int side = b->side, ply = n->ply + 1, score;
    w->played[n->ply] = (uint16_t)cell;
    w->nodes++;
    sb_make(b, cell);
    tt_prefetch(w->shared->tt, b->hash);
    if (i == 0) {
        score = worker_after(w, side, next, n->alpha, n->beta, ply);
    } else {
        score = worker_after(w, side, next - r, n->alpha, n->alpha + 1, ply);
        if (score > n->alpha && r)
            score = worker_after(w, side, next, n->alpha, n->alpha + 1, ply);
        if (score > n->alpha && score < n->beta)
            score = worker_after(w, side, next, n->alpha, n->beta, ply);
    }
    sb_unmake(b);
    return score;
}

static int loop(struct worker *w, struct picked *list, int count, struct node *n,
                int *ret_best_cell)
{
    int best = -SEARCH_WIN, limit = n->forced ? count : move_limit(n->depth);
    for (int i = 0; i < count; i++) {
        if (i >= limit && best > -SEARCH_PROVEN)
            break;
        pick(list, i, count);
        int cell = list[i].cell, quiet = is_quiet(&w->board, cell);
        if (is_futile(n, quiet, i, best))
            continue;
        int next = n->forced && count <= 2 ? n->depth : n->depth - 1;
        int r = reduction_of(w, n, i, quiet, cell);
        int score = search_move(w, n, cell, i, r, next);
        if (atomic_load_explicit(&w->shared->finished, memory_order_relaxed))
            return 0;
        if (score <= best)
            continue;
        best = score;
        *ret_best_cell = cell;
        if (score > n->alpha) {
            n->alpha = score;
            extend_pv(w, n->ply, (uint16_t)cell);
        }
        if (score >= n->beta) {
            if (quiet)
                remember_good(w, w->board.side, cell, n->depth, n->ply, list, i);
            break;
        }
    }
    return best;
}

// Whether the value is known without a search: the game is over, the next stone wins, the line is
// too long, or nothing here can matter for the window (which it narrows to what can still happen).
static int is_settled(struct worker *w, struct node *n, int *ret)
{
    struct sboard *b = &w->board;
    struct worker_pv *pv = &w->pv[n->ply];
    if (b->winner >= 0) {
        *ret = b->winner == 2         ? 0
               : b->winner == b->side ? SEARCH_WIN - n->ply
                                      : n->ply - SEARCH_WIN;
        return 1;
    }
    if ((w->nodes & (POLL_EVERY - 1)) == 0 && worker_poll(w)) {
        *ret = 0;
        return 1;
    }
    if (sb_winning_cells(b, b->side, 1, pv->cell)) {
        pv->length = 1;
        *ret = SEARCH_WIN - n->ply - 1;
        return 1;
    }
    if (b->left == 2 && b->sets.count[b->side][SB_FOUR]) { // this stone and the next make the row
        pv->length = sb_members(b, b->side, SB_FOUR, 1, pv->cell);
        *ret = SEARCH_WIN - n->ply - 2;
        return 1;
    }
    if (n->ply >= WORKER_PLY_MAX || b->depth >= SB_DEPTH_MAX - 4) {
        *ret = eval_position(b);
        return 1;
    }
    // No line from here can be better than winning with the next move but one, or worse than losing
    // to the next.
    if (n->beta > SEARCH_WIN - n->ply - 3)
        n->beta = SEARCH_WIN - n->ply - 3;
    if (n->alpha < n->ply + 2 - SEARCH_WIN)
        n->alpha = n->ply + 2 - SEARCH_WIN;
    *ret = n->alpha;
    return n->alpha >= n->beta;
}

// Whether what the table holds answers the question.
static int is_known(const struct node *n, const struct tt_hit *hit, int *ret)
{
    int score = from_table(hit->score, n->ply);
    if (hit->depth < n->depth || (n->pv && n->depth > 0))
        return 0;
    *ret = score;
    return hit->bound == TT_EXACT || (hit->bound == TT_LOWER && score >= n->beta) ||
           (hit->bound == TT_UPPER && score <= n->alpha);
}

// A position without danger: a proof, its own value at a leaf, or a search of all moves.
static int search_quiet(struct worker *w, struct node *n, const struct tt_hit *hit, int *ret_stored,
                        int *ret_best_cell)
{
    struct sboard *b = &w->board;
    struct tt *tt = w->shared->tt;
    struct picked list[WORKER_MOVES_MAX];
    uint16_t cell;
    int proved =
        hit && hit->bound == TT_EXACT && hit->depth >= n->depth ? 0 : prove(w, n->depth, &cell);
    *ret_stored = 1;
    if (proved) {
        struct tt_hit proof = {SEARCH_WIN - proved, 0, 99, cell, TT_LOWER};
        w->pv[n->ply].cell[0] = cell;
        w->pv[n->ply].length = 1;
        tt_put(tt, b->hash, &proof);
        return SEARCH_WIN - n->ply - proved;
    }
    if (n->depth <= 0) {
        struct tt_hit leaf = {n->eval, n->eval, 0, 0, TT_EXACT};
        if (!hit)
            tt_put(tt, b->hash, &leaf);
        return n->eval;
    }
    // So good already that a few quiet plies won't change it.
    if (!n->pv && n->depth <= GOOD_DEPTH && n->eval - GOOD_MARGIN * n->depth >= n->beta &&
        n->beta > -SEARCH_PROVEN)
        return n->eval;
    if (n->depth >= 4 && !(hit && hit->move))
        n->depth--;
    int menace = menaced_cell(w, n->depth);
    int count = all_moves(w, n->ply, hit ? hit->move : 0, menace, list);
    *ret_stored = 0;
    return loop(w, list, count, n, ret_best_cell);
}

int worker_search(struct worker *w, int depth, int alpha, int beta, int ply)
{
    struct sboard *b = &w->board;
    struct node n = {.depth = depth, .alpha = alpha, .beta = beta, .ply = ply};
    struct tt_hit hit;
    uint16_t cells[FORCED_MAX];
    int best, best_cell = 0, stored = 0;
    w->pv[ply].length = 0;
    if (ply > w->selective_depth)
        w->selective_depth = ply;
    if (is_settled(w, &n, &best))
        return best;
    n.pv = n.beta - n.alpha > 1;
    int old_alpha = n.alpha, found = tt_get(w->shared->tt, b->hash, &hit);
    if (found && is_known(&n, &hit, &best))
        return best;
    n.eval = found ? hit.eval : eval_position(b);
    int danger = b->rules.line.two_a_turn ? two_stone_danger(b, cells)
                                          : sb_winning_cells(b, 1 - b->side, FORCED_MAX, cells);
    if (danger && !b->rules.poof && !b->rules.boat) {
        struct picked list[2 * FORCED_MAX];
        int count = forced_moves(b, cells, danger, list);
        n.forced = 1;
        n.depth = depth < 0 ? 0 : depth;
        best = loop(w, list, count, &n, &best_cell);
    } else {
        best = search_quiet(w, &n, found ? &hit : NULL, &stored, &best_cell);
    }
    if (atomic_load_explicit(&w->shared->finished, memory_order_relaxed))
        return 0;
    if (stored)
        return best;
    struct tt_hit store = {
        .score = to_table(best, ply),
        .eval = n.eval,
        .depth = n.depth,
        .move = best_cell,
        .bound = best >= n.beta     ? TT_LOWER
                 : best > old_alpha ? TT_EXACT
                                    : TT_UPPER,
    };
    tt_put(w->shared->tt, b->hash, &store);
    return best;
}
