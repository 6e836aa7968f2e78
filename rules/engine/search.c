#include "rules/engine/search.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/rng.h"
#include "rules/engine/eval.h"
#include "rules/engine/worker.h"

enum {
    DEPTH_MAX = 64,
    ASPIRATION = 40,
    ROOT_PROOF_MOVES = 30,
};

struct search {
    struct tt *tt;
    int threads;
    struct worker *worker; // [threads]
};

// One thread's root: the moves and what is known of them.
struct root {
    int count;
    struct search_line line[SEARCH_ROOT_MAX];
};

struct helper {
    pthread_t thread;
    struct worker *worker;
    struct root *root;
    int number;
};

int search_new(unsigned hash_mib, int threads, struct search **ret)
{
    if (threads < 1 || threads > SEARCH_THREADS_MAX)
        return -EINVAL;
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    int r = tt_new(hash_mib, &s->tt);
    if (r < 0)
        goto fail;
    s->worker = calloc((size_t)threads, sizeof *s->worker);
    if (!s->worker) {
        r = -ENOMEM;
        goto fail;
    }
    for (; s->threads < threads; s->threads++) {
        r = worker_init(&s->worker[s->threads]);
        if (r < 0)
            goto fail;
    }
    *ret = s;
    return 0;
fail:
    search_free(s);
    return r;
}

struct search *search_free(struct search *s)
{
    if (!s)
        return NULL;
    for (int i = 0; i < s->threads; i++)
        worker_done(&s->worker[i]);
    free(s->worker);
    tt_free(s->tt);
    free(s);
    return NULL;
}

void search_forget(struct search *s)
{
    tt_clear(s->tt);
    for (int i = 0; i < s->threads; i++)
        worker_forget(&s->worker[i]);
}

static int stopped(const struct worker *w)
{
    return atomic_load_explicit(&w->shared->finished, memory_order_relaxed);
}

static void take_pv(const struct worker *w, struct search_line *line)
{
    const struct worker_pv *pv = &w->pv[1];
    int n = pv->length < SEARCH_PV_MAX - 1 ? pv->length : SEARCH_PV_MAX - 1;
    line->pv[0] = line->cell;
    memcpy(line->pv + 1, pv->cell, (size_t)n * sizeof *line->pv);
    line->pv_length = n + 1;
}

static void move_to_front(struct root *root, int from, int to)
{
    struct search_line line = root->line[from];
    memmove(&root->line[to + 1], &root->line[to], (size_t)(from - to) * sizeof line);
    root->line[to] = line;
}

// Searches all root moves once. Keeps root->line sorted: exact values first, best first; moves
// that only failed low keep their former order. Returns the best value.
static int search_root(struct worker *w, struct root *root, int depth, int alpha, int beta)
{
    struct sboard *b = &w->board;
    int exact = 0, lines = w->shared->lines, side = b->side;
    for (int i = 0; i < root->count; i++) {
        struct search_line *line = &root->line[i];
        // The value a move must beat to be among the lines that are wanted.
        int floor = exact < lines ? alpha : root->line[lines - 1].score;
        if (floor < alpha)
            floor = alpha;
        uint64_t before = worker_nodes(w);
        w->played[0] = line->cell;
        w->nodes++;
        sb_make(b, line->cell);
        int score, r = 0;
        if (exact < lines) {
            score = worker_after(w, side, depth - 1, floor, beta, 1);
        } else {
            r = depth >= 3 && i > 5 ? 1 + (i > 15) + (i > 40) : 0;
            score = worker_after(w, side, depth - 1 - r, floor, floor + 1, 1);
            if (score > floor && r)
                score = worker_after(w, side, depth - 1, floor, floor + 1, 1);
            if (score > floor && score < beta)
                score = worker_after(w, side, depth - 1, floor, beta, 1);
        }
        sb_unmake(b);
        if (stopped(w))
            break;
        if (score > -SEARCH_PROVEN && score < SEARCH_PROVEN)
            score += line->bias;
        line->nodes += worker_nodes(w) - before;
        line->depth = depth;
        if (score <= floor && exact >= lines) {
            line->score = (int16_t)score;
            continue;
        }
        line->score = (int16_t)score;
        take_pv(w, line);
        int at = 0;
        while (at < exact && root->line[at].score >= score)
            at++;
        move_to_front(root, i, at);
        if (exact < lines)
            exact++;
        if (score >= beta)
            break;
    }
    return root->line[0].score;
}

// One iteration with a window around the last value, widened until the value is inside it.
static void iterate(struct worker *w, struct root *root, int depth)
{
    int guess = root->line[0].score, low = -SEARCH_WIN, high = SEARCH_WIN, width = ASPIRATION;
    if (depth > 3 && w->shared->lines == 1 && abs(guess) < SEARCH_PROVEN) {
        low = guess - width;
        high = guess + width;
    }
    for (;;) {
        int value = search_root(w, root, depth, low, high);
        if (stopped(w))
            return;
        width *= 3;
        if (value <= low && low > -SEARCH_WIN)
            low = width > 1000 ? -SEARCH_WIN : guess - width;
        else if (value >= high && high < SEARCH_WIN)
            high = width > 1000 ? SEARCH_WIN : guess + width;
        else
            return;
    }
}

static void *help(void *argument)
{
    struct helper *h = argument;
    for (int depth = 1 + h->number % 2; depth <= DEPTH_MAX && !stopped(h->worker); depth++)
        iterate(h->worker, h->root, depth);
    return NULL;
}

static int by_order(const void *a, const void *b)
{
    const struct search_line *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->cell > y->cell) - (x->cell < y->cell);
}

static void order_root(const struct sboard *b, const uint16_t *roots, int count,
                       const struct search_limits *limits, struct root *root)
{
    struct rng rng;
    rng_seed(&rng, limits->seed);
    root->count = count;
    for (int i = 0; i < count; i++) {
        int order = eval_move(b, roots[i]);
        int bias = limits->bias ? (int)rng_below(&rng, 2 * (uint32_t)limits->bias + 1) : 0;
        root->line[i] = (struct search_line){
            .cell = roots[i],
            .score = (int16_t)(order > 32000    ? 32000
                               : order < -32000 ? -32000
                                                : order),
            .bias = (int16_t)(bias - limits->bias),
            .pv = {roots[i]},
            .pv_length = 1,
        };
    }
    qsort(root->line, (size_t)count, sizeof *root->line, by_order);
    for (int i = 0; i < count; i++)
        root->line[i].score = 0;
}

// Moves worth a search at the root: legal, and near stones. When the other side is about to win,
// only what stops it (in poof and boat games other moves may help too). Falls back to all.
static int choose_roots(struct sboard *b, const uint16_t *legal, int count, uint16_t *ret)
{
    uint8_t wanted[SB_CELLS] = {0};
    uint16_t cells[SEARCH_ROOT_MAX];
    int near = 0, chosen = 0, me = b->side;
    if (!b->rules.poof && !b->rules.boat && !b->rules.line.two_a_turn &&
        !sb_winning_cells(b, me, 1, cells))
        near = sb_winning_cells(b, 1 - me, SEARCH_ROOT_MAX / 2, cells);
    if (near)
        near += sb_members(b, me, SB_TAKE, SEARCH_ROOT_MAX / 2, cells + near);
    else
        near = eval_candidates(b, SEARCH_ROOT_MAX, cells);
    for (int i = 0; i < near; i++)
        wanted[cells[i]] = 1;
    for (int i = 0; i < count; i++)
        if (wanted[legal[i]])
            ret[chosen++] = legal[i];
    if (!chosen) {
        memcpy(ret, legal, (size_t)count * sizeof *ret);
        chosen = count;
    }
    return chosen;
}

static void collect(const struct search *s, const struct root *root, int depth,
                    struct search_result *ret)
{
    ret->line_count = root->count;
    memcpy(ret->line, root->line, (size_t)root->count * sizeof *root->line);
    ret->depth = depth;
    ret->nodes = 0;
    ret->selective_depth = 0;
    for (int i = 0; i < s->threads; i++) {
        ret->nodes += worker_nodes(&s->worker[i]);
        if (s->worker[i].selective_depth > ret->selective_depth)
            ret->selective_depth = s->worker[i].selective_depth;
    }
}

static int start_helpers(struct search *s, const struct root *root, struct helper *helper)
{
    int started = 0;
    for (int i = 1; i < s->threads; i++) {
        struct helper *h = &helper[started];
        h->worker = &s->worker[i];
        h->number = i;
        h->root = malloc(sizeof *h->root);
        if (!h->root)
            break;
        *h->root = *root;
        if (pthread_create(&h->thread, NULL, help, h) != 0) {
            free(h->root);
            break;
        }
        started++;
    }
    return started;
}

// With the whole budget open, first asks for a win by threats from the root itself: it is found
// much sooner than by depth.
static int prove_root(struct worker *w, struct root *root, uint64_t nodes)
{
    uint16_t cell;
    int win = threat_win(&w->threat, &w->board, ROOT_PROOF_MOVES, nodes, &cell);
    if (!win)
        return 0;
    for (int i = 0; i < root->count; i++) {
        if (root->line[i].cell != cell)
            continue;
        root->line[i].score = (int16_t)(SEARCH_WIN - (2 * win - 1));
        root->line[i].depth = 2 * win - 1;
        move_to_front(root, i, 0);
        return 1;
    }
    return 0; // the winning move is not among those allowed
}

static int solved(const struct root *root, const struct search_limits *limits, int depth)
{
    int wanted = limits->lines > 1 ? limits->lines : 1;
    for (int i = 0; i < wanted && i < root->count; i++) {
        int value = root->line[i].score;
        // A win as short as this depth can show, or a loss that more depth would only confirm.
        if (abs(value) <= SEARCH_PROVEN || SEARCH_WIN - abs(value) > depth + 2)
            return 0;
    }
    return 1;
}

int search_run(struct search *s, const struct sboard *board, const uint16_t *roots, int root_count,
               const struct search_limits *limits, atomic_int *stop, search_report *report,
               void *user, struct search_result *ret)
{
    if (root_count < 1)
        return -EINVAL;
    struct worker_shared shared = {
        .tt = s->tt,
        .stop = stop,
        .deadline_ns = limits->deadline_ns,
        .node_limit = limits->nodes,
        .lines = limits->lines > 1 ? limits->lines : 1,
        .proof_moves = limits->proof_moves,
    };
    static _Thread_local struct root root;
    uint16_t chosen[SEARCH_ROOT_MAX];
    tt_age(s->tt);
    for (int i = 0; i < s->threads; i++) {
        struct worker *w = &s->worker[i];
        w->shared = &shared;
        w->board = *board;
        w->nodes = w->threat.nodes = 0;
        w->selective_depth = 0;
        memset(w->killer, 0, sizeof w->killer);
    }
    struct worker *w = &s->worker[0];
    order_root(board, chosen, choose_roots(&w->board, roots, root_count, chosen), limits, &root);
    if (shared.lines > root.count)
        shared.lines = root.count;
    collect(s, &root, 0, ret);
    uint64_t budget = limits->nodes ? limits->nodes / 8 : 200000;
    if (shared.lines == 1 && !limits->proof_moves && !board->rules.line.two_a_turn &&
        prove_root(w, &root, budget)) {
        collect(s, &root, root.line[0].depth, ret);
        if (report)
            report(user, ret);
        return 0;
    }
    struct helper helper[SEARCH_THREADS_MAX];
    int helpers = root.count > 1 ? start_helpers(s, &root, helper) : 0;
    int last = limits->depth && limits->depth < DEPTH_MAX ? limits->depth : DEPTH_MAX;
    for (int depth = 1; depth <= last; depth++) {
        iterate(w, &root, depth);
        // A stopped iteration still counts as far as it went: its first move was searched first.
        collect(s, &root, stopped(w) ? depth - 1 : depth, ret);
        if (stopped(w))
            break;
        if (report)
            report(user, ret);
        if (solved(&root, limits, depth) || root.count == 1)
            break;
    }
    atomic_store(&shared.finished, 1);
    for (int i = 0; i < helpers; i++) {
        pthread_join(helper[i].thread, NULL);
        free(helper[i].root);
    }
    return 0;
}
