// Tria and tessera: which formations a move made, and the points that matter about them (A9, B13).
//
// A line of the board is read into two sets of bits, own stones and empty points, position 0 first.
// Everything about formations is then arithmetic on short windows of those sets. The enemy and the
// edge are simply neither.
#include <string.h>

#include "rules/game_internal.h"

struct line {
    uint32_t own, empty;
    unsigned start; // cell of position 0
    int step;
    unsigned length;
};

// The line through a cell along an axis, from the edge on.
static struct line read_line(const struct game *game, unsigned cell, unsigned axis, unsigned colour)
{
    int step = direction_step[axis];
    while (game->cells[(int)cell - step] != GAME_BORDER)
        cell = (unsigned)((int)cell - step);
    struct line line = {0, 0, cell, step, 0};
    for (; game->cells[cell] != GAME_BORDER; cell = (unsigned)((int)cell + step)) {
        line.own |= (uint32_t)(game->cells[cell] == colour) << line.length;
        line.empty |= (uint32_t)(game->cells[cell] == 0) << line.length;
        line.length++;
    }
    return line;
}

// A formation on one line: its stones and the points that matter, as sets of positions.
struct formation {
    enum call_kind kind;
    uint32_t stones, points;
};

enum { FORMATIONS_MAX = 2 * BOARD_SIZE_MAX };

struct formations {
    unsigned count;
    struct formation list[FORMATIONS_MAX];
};

static unsigned ones(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

// The same stones can be seen in several windows. A threat then gains a winning point; a formation
// that one stone can spoil keeps only the points that spoil it in every window.
enum merge { MERGE_ALL, MERGE_COMMON };

static void add(struct formations *f, enum call_kind kind, enum merge merge, uint32_t stones,
                uint32_t points)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->list[i].kind == kind && f->list[i].stones == stones) {
            f->list[i].points =
                merge == MERGE_ALL ? f->list[i].points | points : f->list[i].points & points;
            return;
        }
    if (f->count < FORMATIONS_MAX)
        f->list[f->count++] = (struct formation){kind, stones, points};
}

static uint32_t window(unsigned from, unsigned length)
{
    return ((1u << length) - 1) << from;
}

// Length of the own row that contains position i, once i is filled.
static unsigned filled_row(uint32_t own, unsigned i)
{
    own |= 1u << i;
    unsigned length = 1;
    for (unsigned j = i; j > 0 && own >> (j - 1) & 1; j--)
        length++;
    for (unsigned j = i + 1; own >> j & 1; j++)
        length++;
    return length;
}

// `n` consecutive points with n - 1 stones and an empty one: the next stone wins (also with an
// exact row length, where it must not make the row too long).
static void find_threats(const struct variant *v, const struct line *line, unsigned n,
                         enum call_kind kind, struct formations *f)
{
    for (unsigned i = 0; i + n <= line->length; i++) {
        uint32_t w = window(i, n), stones = line->own & w, empty = line->empty & w;
        if (ones(stones) != n - 1 || ones(empty) != 1)
            continue;
        if (v->exact && filled_row(line->own, (unsigned)__builtin_ctz(empty)) != n)
            continue;
        add(f, kind, MERGE_ALL, stones, empty);
    }
}

// Maximal rows of exactly n stones; with `open` both neighbours must be empty.
static void find_solid(const struct line *line, unsigned n, bool open, enum call_kind kind,
                       struct formations *f)
{
    for (unsigned i = 0; i + n <= line->length; i++) {
        uint32_t w = window(i, n);
        uint32_t sides = 1u << (i + n) | (i > 0 ? 1u << (i - 1) : 0);
        if ((line->own & w) != w || line->own & sides)
            continue;
        if (open && (i == 0 || (line->empty & sides) != sides))
            continue;
        add(f, kind, MERGE_ALL, w, line->empty & sides);
    }
}

// n points of which n - 1 are stones, both outer neighbours on the board and empty: one more stone
// makes a row of n that nobody can close in one move.
static void find_open_threes(const struct line *line, unsigned n, struct formations *f)
{
    for (unsigned i = 1; i + n < line->length; i++) {
        uint32_t w = window(i, n), sides = 1u << (i - 1) | 1u << (i + n);
        uint32_t stones = line->own & w, empty = line->empty & w;
        if (ones(stones) == n - 1 && ones(empty) == 1 && (line->empty & sides) == sides)
            add(f, CALL_TRIA, MERGE_COMMON, stones, empty | sides);
    }
}

// .XXX. and .XX.X. / .X.XX. with empty ends.
static void find_simple_threes(const struct line *line, struct formations *f)
{
    find_solid(line, 3, true, CALL_TRIA, f);
    for (unsigned i = 1; i + 4 < line->length; i++) {
        uint32_t w = window(i, 4), ends = 1u << i | 8u << i;
        uint32_t sides = 1u << (i - 1) | 1u << (i + 4);
        uint32_t stones = line->own & w, empty = line->empty & w;
        if (ones(stones) == 3 && ones(empty) == 1 && (stones & ends) == ends &&
            (line->empty & sides) == sides)
            add(f, CALL_TRIA, MERGE_COMMON, stones, empty | sides);
    }
}

// A three whose stones all belong to a four threat of the same line is not a three as well.
static void find_threes(const struct variant *v, const struct line *line, struct formations *f)
{
    struct formations threes = {0}, fours = {0};
    find_threats(v, line, 5, CALL_TESSERA, &fours);
    if (v->tria == TRIA_STRICT)
        find_open_threes(line, 4, &threes);
    else
        find_simple_threes(line, &threes);
    for (unsigned i = 0; i < threes.count; i++) {
        bool part = false;
        for (unsigned j = 0; j < fours.count; j++)
            part |= (threes.list[i].stones & ~fours.list[j].stones) == 0;
        if (!part)
            add(f, CALL_TRIA, MERGE_ALL, threes.list[i].stones, threes.list[i].points);
    }
}

static void find_on_line(const struct variant *v, const struct line *line, struct formations *f)
{
    f->count = 0;
    // Where four in a row win (A8), a tria is what a tessera is elsewhere, and there is no tessera.
    if (v->win_len == 4 && v->tria != TRIA_OFF)
        find_threats(v, line, 4, CALL_TRIA, f);
    if (v->win_len != 5)
        return;
    if (v->tria == TRIA_ANY)
        find_solid(line, 3, false, CALL_TRIA, f);
    else if (v->tria != TRIA_OFF)
        find_threes(v, line, f);
    if (v->tessera == TESSERA_THREAT)
        find_threats(v, line, 5, CALL_TESSERA, f);
    else if (v->tessera != TESSERA_OFF)
        find_solid(line, 4, v->tessera == TESSERA_OPEN, CALL_TESSERA, f);
}

static uint8_t list_points(const struct line *line, uint32_t set, struct point *out)
{
    uint8_t count = 0;
    for (; set && count < CALL_POINTS_MAX; set &= set - 1) {
        unsigned i = (unsigned)__builtin_ctz(set);
        out[count++] = game_cell_point((unsigned)((int)line->start + line->step * (int)i));
    }
    return count;
}

static size_t append(struct call *out, size_t count, const struct line *line,
                     const struct formation *formation)
{
    if (count == CALLS_MAX)
        return count;
    struct call *call = &out[count];
    memset(call, 0, sizeof *call);
    call->kind = formation->kind;
    call->stone_count = list_points(line, formation->stones, call->stones);
    call->block_count = list_points(line, formation->points, call->blocks);
    return count + 1;
}

size_t game_calls_at(const struct game *game, int x, int y, unsigned colour,
                     struct call out[CALLS_MAX])
{
    size_t count = 0;
    if (game->rules.family != FAMILY_PENTE || game->rules.calls == CALLS_OFF)
        return 0;
    for (unsigned axis = 0; axis < 4; axis++) {
        struct line line = read_line(game, game_cell(x, y), axis, colour);
        struct formations found;
        find_on_line(&game->rules, &line, &found);
        for (unsigned i = 0; i < found.count; i++)
            count = append(out, count, &line, &found.list[i]);
    }
    return count;
}

static bool had(const struct formations *old, const struct formation *formation)
{
    for (unsigned i = 0; i < old->count; i++)
        if (old->list[i].kind == formation->kind && old->list[i].stones == formation->stones)
            return true;
    return false;
}

// Lines that changed: those through the new stone and through every stone that left the board.
struct changed_line {
    unsigned start, axis;
};

static unsigned add_changed(struct changed_line *list, unsigned count, const struct game *game,
                            struct point p)
{
    for (unsigned axis = 0; axis < 4; axis++) {
        unsigned start = read_line(game, game_cell(p.x, p.y), axis, 0).start;
        bool known = false;
        for (unsigned i = 0; i < count; i++)
            known |= list[i].start == start && list[i].axis == axis;
        if (!known)
            list[count++] = (struct changed_line){start, axis};
    }
    return count;
}

void calls_find(const struct game *before, const struct game *after, struct effect *effect)
{
    struct changed_line lines[4 * (1 + CAPTURED_MAX + POOFED_MAX)];
    const struct history_entry *entry = &after->history[after->entries - 1];
    if (after->rules.family != FAMILY_PENTE || after->rules.calls == CALLS_OFF)
        return;
    unsigned colour = game_turn_colour(before), count = 0;
    count = add_changed(lines, count, after, game_cell_point(entry->cell));
    for (unsigned i = 0; i < effect->captured_count; i++)
        count = add_changed(lines, count, after, effect->captured[i]);
    for (unsigned i = 0; i < effect->poofed_count; i++)
        count = add_changed(lines, count, after, effect->poofed[i]);
    for (unsigned i = 0; i < count; i++) {
        struct line was = read_line(before, lines[i].start, lines[i].axis, colour);
        struct line is = read_line(after, lines[i].start, lines[i].axis, colour);
        struct formations old, found;
        find_on_line(&after->rules, &was, &old);
        find_on_line(&after->rules, &is, &found);
        for (unsigned j = 0; j < found.count; j++) {
            if (had(&old, &found.list[j]))
                continue;
            effect->calls = (uint8_t)(effect->calls | found.list[j].kind);
            effect->call_count =
                (uint8_t)append(effect->call, effect->call_count, &is, &found.list[j]);
        }
    }
}
