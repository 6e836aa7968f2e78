#include "controller/explanations.h"

#include <math.h>
#include <string.h>

enum {
    FIRSTS = 6, // first moves that are followed by a second one
    PAIRED = 4, // stones from which the pairs of Connect6 are formed: the best two and the next
                // best pair are always among them, since no stone changes another's evidence
};

// --- boards ---

void board_sets_of(const struct game *game, const struct board_target *pending,
                   struct board_sets *ret)
{
    ret->size = game->rules.size;
    for (int i = 0; i < ret->size * ret->size; i++) {
        unsigned colour = game_at(game, i % ret->size, i / ret->size);
        ret->may[i] = (uint8_t)(1u << colour);
        if (pending && pending->before[i] != TARGET_SETTLED && pending->want[i] == colour)
            ret->may[i] |= (uint8_t)(1u << pending->before[i]);
    }
}

// The board after a stone of `colour` was laid on `move`: what it removed may lie there still.
static void sets_after(const struct board_sets *before, const struct game *after, struct move move,
                       struct board_sets *ret)
{
    bool lifts = after->rules.family == FAMILY_PENTE;
    ret->size = before->size;
    for (int i = 0; i < ret->size * ret->size; i++) {
        unsigned now = game_at(after, i % ret->size, i / ret->size);
        ret->may[i] = (uint8_t)(1u << now);
        if (lifts && !now)
            ret->may[i] |= before->may[i];
    }
    // A stone that is lost with its own row (poof) was laid all the same.
    if (lifts)
        ret->may[move.y * ret->size + move.x] |= (uint8_t)(1u << move.colour);
}

static double log_of_set(const struct evidence *e, int point, unsigned set, int *ret_class)
{
    double best = -INFINITY;
    for (int c = 0; c <= e->colours; c++) {
        double log = set >> c & 1 ? evidence_log(e, point, c) : -INFINITY;
        if (log > best) {
            best = log;
            if (ret_class)
                *ret_class = c;
        }
    }
    return best;
}

int board_sets_seen(const struct board_sets *b, const struct evidence *e, int x, int y)
{
    int class = 0;
    log_of_set(e, y * e->columns + x, b->may[y * b->size + x], &class);
    return class;
}

enum point_fit board_sets_fit(const struct board_sets *b, const struct evidence *e,
                              const struct sureness *sure, int x, int y, int *ret_seen)
{
    int point = y * e->columns + x;
    int best = evidence_best(e, point, NULL);
    bool covered = evidence_covered(e, point);
    double against =
        evidence_log(e, point, best) - log_of_set(e, point, b->may[y * b->size + x], NULL);
    if (ret_seen)
        *ret_seen = best;
    if (against > sure->wrong && !covered)
        return FIT_WRONG;
    return against > sure->doubt || covered ? FIT_UNSURE : FIT_GOOD;
}

double board_sets_gain(const struct board_sets *b, const struct board_sets *base,
                       const struct evidence *e)
{
    double gain = 0;
    for (int i = 0; i < b->size * b->size; i++) {
        if (b->may[i] != base->may[i])
            gain += log_of_set(e, i, b->may[i], NULL) - log_of_set(e, i, base->may[i], NULL);
    }
    return gain;
}

// --- weighing ---

struct scale {
    const struct evidence *e;
    struct board_sets base; // no move
    struct explanations *best;
};

static bool same_board(const struct board_sets *a, const struct board_sets *b)
{
    return memcmp(a->may, b->may, (size_t)a->size * (size_t)a->size) == 0;
}

// Of several turns that lead to the same board the one without a twist is meant.
static bool is_plainer(const struct explanation_way *a, const struct explanation_way *b)
{
    return !a->move.block && b->move.block && same_board(&a->board, &b->board);
}

static void weigh(struct scale *s, const struct explanation_way *way)
{
    struct explanations *x = s->best;
    if (way->gain > x->best.gain || is_plainer(way, &x->best)) {
        if (!same_board(&way->board, &x->best.board))
            x->second = x->best;
        x->best = *way;
    } else if (way->gain > x->second.gain && !same_board(&way->board, &x->best.board)) {
        x->second = *way;
    }
}

// Nobody lays a stone where a captured one lies still: that it lies there is no new stone.
static bool is_taken(const struct scale *s, struct move move)
{
    int i = move.y * s->base.size + move.x;
    return (s->base.may[i] & ~1u) != 0;
}

// Plays `move` on *game, describes the board, and takes it back. False: it isn't legal.
static bool try_move(const struct scale *s, struct game *game, const struct board_sets *before,
                     struct move move, struct explanation_way *ret)
{
    if (game_play(game, move, NULL) != REASON_NONE)
        return false;
    struct move first = move;
    if (move.kind == MOVE_PAIR)
        first.kind = MOVE_PLACE;
    sets_after(before, game, first, &ret->board);
    game_undo(game);
    ret->gain = board_sets_gain(&ret->board, &s->base, s->e);
    return true;
}

// The best so many single moves, best first; returns how many.
static int keep_firsts(struct explanation_way *firsts, int count, int most,
                       const struct explanation_way *way)
{
    int at = count < most ? count : most;
    while (at > 0 && firsts[at - 1].gain < way->gain) {
        if (at < most)
            firsts[at] = firsts[at - 1];
        at--;
    }
    if (at < most)
        firsts[at] = *way;
    return count < most ? count + 1 : most;
}

static int weigh_singles(struct scale *s, struct game *game, struct explanation_way firsts[FIRSTS])
{
    struct move legal[LEGAL_MAX];
    size_t count = game_legal(game, legal);
    unsigned colour = game_next_colour(game);
    int kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct explanation_way way = {.move = legal[i]};
        if (way.move.kind != MOVE_PLACE || is_taken(s, way.move))
            continue;
        way.move.colour = (uint8_t)colour;
        if (!try_move(s, game, &s->base, way.move, &way))
            continue;
        weigh(s, &way);
        kept = keep_firsts(firsts, kept, FIRSTS, &way);
    }
    return kept;
}

static void weigh_pairs(struct scale *s, struct game *game, const struct explanation_way *firsts,
                        int count)
{
    for (int a = 0; a < count && a < PAIRED; a++) {
        for (int b = a + 1; b < count && b < PAIRED; b++) {
            struct move m = firsts[a].move, n = firsts[b].move;
            struct explanation_way way = {
                .move = move_pair(m.colour, (struct point){m.x, m.y}, (struct point){n.x, n.y})};
            if (try_move(s, game, &s->base, way.move, &way))
                weigh(s, &way);
        }
    }
}

static void weigh_answers(struct scale *s, struct game *game, const struct explanation_way *first)
{
    struct move legal[LEGAL_MAX];
    if (game_play(game, first->move, NULL) != REASON_NONE)
        return;
    size_t count = game_legal(game, legal);
    for (size_t i = 0; i < count; i++) {
        struct explanation_way way = {.move = first->move, .then = legal[i]};
        if (way.then.kind != MOVE_PLACE || is_taken(s, way.then))
            continue;
        way.then.colour = (uint8_t)game_next_colour(game);
        if (try_move(s, game, &first->board, way.then, &way))
            weigh(s, &way);
    }
    game_undo(game);
}

void explanations_weigh(const struct game *game, const struct evidence *e,
                        const struct board_target *pending, int moves, struct explanations *ret)
{
    struct scale s = {.e = e, .best = ret};
    struct explanation_way firsts[FIRSTS];
    struct game work = *game;
    board_sets_of(game, pending, &s.base);
    *ret = (struct explanations){.best.board = s.base, .second.gain = -INFINITY};
    if (game->result.over)
        return;
    int count = weigh_singles(&s, &work, firsts);
    if (game->rules.connect6 && game_stones_due(game) == 2)
        weigh_pairs(&s, &work, firsts, count);
    for (int i = 0; moves > 1 && i < count; i++)
        weigh_answers(&s, &work, &firsts[i]);
}
