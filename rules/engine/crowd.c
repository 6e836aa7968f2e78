#include "rules/engine/crowd.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/points.h"
#include "rules/engine/reach.h"

enum {
    WIN = 20000,
    PROVEN = 15000,
    DEPTH_MAX = 12,
    WIDTH_ROOT = 24,
    WIDTH = 10,
    // In the variants that score a point is all that counts; a strong position is a hope for the
    // bonus of a row, always worth less than to have it.
    POINT_VALUE = 100,
    BONUS_HOPED = 700,
    BONUS_HALF = 500, // lead in strength for half of that
    POLL_EVERY = 8,   // nodes: each looks at hundreds of points
    DELAYS = 2,       // own moves a win is put off for points
};

struct crowd {
    struct game game;
    const struct engine_limits *limits;
    atomic_int *stop;
    unsigned me; // side that thinks
    uint64_t nodes;
    int finished;
};

struct candidate {
    struct move move;
    int value; // order, then the value found
};

static const int dx[4] = {1, 0, 1, 1}, dy[4] = {0, 1, 1, -1};

// What a stretch of win_len points is worth to the one colour that has `stones` in it: each further
// stone multiplies. In Connect6 two stones may be added in a turn.
static int stretch_value(const struct variant *v, int stones)
{
    static const int by_missing[] = {4000, 320, 60, 12, 3, 1};
    int missing = v->win_len - stones - (v->connect6 && stones > 2);
    return missing < 0 ? by_missing[0] : missing > 5 ? 0 : by_missing[missing];
}

static int capture_value(const struct variant *v)
{
    if (!v->goal)
        return v->capture ? 10 : 0;
    int captures = v->goal_unit == GOAL_STONES ? v->goal / 2 : v->goal;
    return 700 / (captures ? captures : 1);
}

// Each side's strength on the board: open stretches and captures.
static void strengths(const struct game *g, int value[COLOURS_MAX + 1])
{
    const struct variant *v = &g->rules;
    int size = v->size, length = v->win_len;
    memset(value, 0, (COLOURS_MAX + 1) * sizeof *value);
    for (int d = 0; d < 4; d++) {
        int step = dy[d] * GAME_STRIDE + dx[d];
        for (int y = 0; y < size; y++) {
            for (int x = 0; x < size; x++) {
                int ex = x + dx[d] * (length - 1), ey = y + dy[d] * (length - 1);
                if (ex >= size || ey >= size || ey < 0)
                    continue;
                const uint8_t *at = g->cells + game_cell(x, y);
                int stones = 0, colour = 0, mixed = 0;
                for (int i = 0; i < length; i++, at += step) {
                    if (!*at)
                        continue;
                    mixed |= colour && *at != colour;
                    colour = *at;
                    stones++;
                }
                if (stones && !mixed)
                    value[v->sides[colour]] += stretch_value(v, stones);
            }
        }
    }
    int each = capture_value(v);
    for (unsigned c = 1; c <= v->colours; c++) {
        int taken = v->goal_unit == GOAL_STONES ? g->stones_taken[c] / 2 : g->captures[c];
        value[v->sides[c]] += taken * each + taken * taken * each / 8;
    }
}

// The value for the side that thinks; `ply` from the root makes it win soon and lose late.
static int evaluate(const struct crowd *c, int ply)
{
    const struct game *g = &c->game;
    bool scored = points_count(&g->rules);
    int points = scored ? POINT_VALUE * points_lead(g, c->me) : 0;
    if (g->result.over && scored)
        return points > 0 ? points - ply : points + ply;
    if (g->result.over)
        return !g->result.winner ? 0 : g->result.winner == c->me ? WIN - ply : ply - WIN;
    int value[COLOURS_MAX + 1], most = 0;
    strengths(g, value);
    unsigned turn = g->rules.sides[game_next_colour(g)];
    for (unsigned s = 1; s <= COLOURS_MAX; s++) {
        value[s] += s == turn ? value[s] / 4 : 0;
        if (s != c->me && value[s] > most)
            most = value[s];
    }
    int lead = value[c->me] - most;
    if (scored)
        return points + BONUS_HOPED * lead / (abs(lead) + BONUS_HALF);
    return lead > PROVEN - 1 ? PROVEN - 1 : lead < 1 - PROVEN ? 1 - PROVEN : lead;
}

// How much a stone at the point changes for its own colour and for the others, on all stretches
// through it.
static int promise(const struct game *g, int x, int y, unsigned colour)
{
    const struct variant *v = &g->rules;
    int length = v->win_len, total = 0;
    for (int d = 0; d < 4; d++) {
        int step = dy[d] * GAME_STRIDE + dx[d];
        for (int back = 0; back < length; back++) {
            int sx = x - back * dx[d], sy = y - back * dy[d];
            int ex = sx + (length - 1) * dx[d], ey = sy + (length - 1) * dy[d];
            if (sx < 0 || sy < 0 || sy >= v->size || ex >= v->size || ey < 0 || ey >= v->size)
                continue;
            const uint8_t *at = g->cells + game_cell(sx, sy);
            int stones = 0, owner = 0, mixed = 0;
            for (int i = 0; i < length; i++, at += step) {
                if (!*at)
                    continue;
                mixed |= owner && *at != owner;
                owner = *at;
                stones++;
            }
            if (mixed)
                continue;
            int worth = stretch_value(v, stones + 1);
            total += !stones || v->sides[owner] == v->sides[colour] ? worth : worth * 3 / 4;
        }
    }
    return total;
}

static int near_stone(const struct game *g, int x, int y)
{
    for (int b = -2; b <= 2; b++)
        for (int a = -2; a <= 2; a++)
            if (x + a >= 0 && y + b >= 0 && x + a < g->rules.size && y + b < g->rules.size &&
                g->cells[game_cell(x + a, y + b)])
                return 1;
    return 0;
}

static int best_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->move.y * 32 + x->move.x) - (y->move.y * 32 + y->move.x);
}

// The most promising legal stones, at most `width`, best first. Returns how many.
static int candidates(const struct game *g, int width, struct candidate *list)
{
    static _Thread_local struct move legal[LEGAL_MAX];
    static _Thread_local struct candidate all[LEGAL_MAX];
    unsigned colour = game_next_colour(g);
    size_t count = game_legal(g, legal);
    int found = 0, each = 3 * capture_value(&g->rules);
    for (int everywhere = 0; everywhere < 2 && !found; everywhere++) {
        for (size_t i = 0; i < count; i++) {
            struct move m = legal[i];
            if (m.kind != MOVE_PLACE || (!everywhere && !near_stone(g, m.x, m.y)))
                continue;
            int value = promise(g, m.x, m.y, colour);
            if (g->rules.capture) {
                value += each * reach_takes(g, m.x, m.y, colour);
                for (unsigned c = 1; c <= g->rules.colours; c++)
                    if (g->rules.sides[c] != g->rules.sides[colour])
                        value += each / 2 * reach_takes(g, m.x, m.y, c);
            }
            all[found++] = (struct candidate){m, value};
        }
    }
    qsort(all, (size_t)found, sizeof *all, best_first);
    if (found > width)
        found = width;
    memcpy(list, all, (size_t)found * sizeof *list);
    return found;
}

static int poll_now(struct crowd *c)
{
    if (!c->finished && c->nodes % POLL_EVERY == 0)
        c->finished = (c->stop && atomic_load_explicit(c->stop, memory_order_relaxed)) ||
                      (c->limits->deadline_ns && clock_monotonic_ns() >= c->limits->deadline_ns) ||
                      (c->limits->nodes && c->nodes >= c->limits->nodes);
    return c->finished;
}

static int search(struct crowd *c, int depth, int alpha, int beta, int ply)
{
    c->nodes++;
    if (poll_now(c))
        return 0;
    if (c->game.result.over || depth <= 0)
        return evaluate(c, ply);
    bool mine = c->game.rules.sides[game_next_colour(&c->game)] == c->me;
    struct candidate list[WIDTH];
    int count = candidates(&c->game, WIDTH, list), best = mine ? -WIN : WIN;
    for (int i = 0; i < count; i++) {
        if (game_play(&c->game, list[i].move, NULL) != REASON_NONE)
            continue;
        int value = search(c, depth - 1, alpha, beta, ply + 1);
        game_undo(&c->game);
        if (c->finished)
            return 0;
        if (mine ? value > best : value < best)
            best = value;
        if (mine && best > alpha)
            alpha = best;
        if (!mine && best < beta)
            beta = best;
        if (alpha >= beta)
            break;
    }
    return best;
}

// One iteration over the root. Returns how many candidates got a value.
static int iterate(struct crowd *c, struct candidate *list, int count, int depth, int lines)
{
    int best = -WIN;
    for (int i = 0; i < count; i++) {
        if (game_play(&c->game, list[i].move, NULL) != REASON_NONE)
            continue;
        int floor = lines > 1 ? -WIN : best - 1;
        int value = search(c, depth - 1, floor, WIN, 1);
        game_undo(&c->game);
        if (c->finished)
            return i;
        list[i].value = value;
        if (value > best)
            best = value;
    }
    return count;
}

static void fill(const struct crowd *c, const struct candidate *list, int count, int depth,
                 struct engine_thought *ret)
{
    *ret = (struct engine_thought){.depth = depth, .selective_depth = depth, .nodes = c->nodes};
    for (int i = 0; i < count && i < ENGINE_LINES_MAX; i++) {
        struct engine_line *line = &ret->line[ret->line_count++];
        line->move = line->pv[0] = list[i].move;
        line->pv_length = 1;
        line->score = list[i].value;
        line->win_chance = 1.0 / (1.0 + exp(-list[i].value / 300.0));
        line->depth = depth;
    }
}

static void play_down(const struct level *level, struct rng *rng, struct engine_thought *thought)
{
    int scores[ENGINE_LINES_MAX];
    for (int i = 0; i < thought->line_count; i++)
        scores[i] = thought->line[i].score;
    int chosen = level_choose(level, scores, thought->line_count, rng);
    struct engine_line line = thought->line[chosen];
    thought->line[chosen] = thought->line[0];
    thought->line[0] = line;
}

int crowd_think(const struct game *game, const struct engine_limits *limits,
                const struct level *level, struct rng *rng, atomic_int *stop, engine_report *report,
                void *user, struct engine_thought *ret)
{
    static _Thread_local struct crowd c;
    struct candidate list[WIDTH_ROOT];
    c = (struct crowd){.limits = limits, .stop = stop};
    c.game = *game;
    c.me = game->rules.sides[game_next_colour(game)];
    int count = candidates(game, WIDTH_ROOT, list), last = DEPTH_MAX;
    if (count < 1)
        return -EINVAL;
    int lead;
    if (points_count(&game->rules) &&
        points_end(game, limits, level ? level->delays : DELAYS, stop, ret, &lead))
        return 0;
    if (limits->depth && limits->depth < last)
        last = limits->depth;
    int lines = limits->lines > 1 ? limits->lines : 1;
    if (level) {
        last = level->depth && level->depth < last ? level->depth : last;
        lines = level->lines > lines ? level->lines : lines;
    }
    int shown = lines < count ? lines : count;
    fill(&c, list, shown, 0, ret);
    for (int depth = 1; depth <= last && !c.finished; depth++) {
        int done = iterate(&c, list, count, depth, lines);
        if (!done)
            break;
        qsort(list, (size_t)done, sizeof *list, best_first);
        fill(&c, list, shown < done ? shown : done, depth, ret);
        if (report && !c.finished)
            report(user, ret);
        if (abs(list[0].value) > PROVEN && lines == 1)
            break;
    }
    if (level)
        play_down(level, rng, ret);
    return 0;
}
