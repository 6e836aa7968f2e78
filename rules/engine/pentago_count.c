#include "rules/engine/pentago_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_FIRST = 1 << 10 };

#define SEQUENCES_MAX (UINT64_MAX >> 1)

// A position of the ply; a free slot has no sequences. Who is to move follows from the marbles.
struct slot {
    struct pentago position;
    uint64_t sequences : 63; // that lead here
    uint64_t over : 1;
};

struct table {
    struct slot *slots;
    size_t capacity, used; // capacity is a power of two
};

struct pentago_count {
    struct game start, game;
    struct table here;
    unsigned plies; // gone so far
};

static struct slot *find(const struct table *table, struct pentago position)
{
    size_t i = pentago_hash(position) & (table->capacity - 1);
    while (table->slots[i].sequences > 0 &&
           (table->slots[i].position.marbles[0] != position.marbles[0] ||
            table->slots[i].position.marbles[1] != position.marbles[1]))
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

static int table_new(struct table *table, size_t capacity)
{
    *table = (struct table){calloc(capacity, sizeof(struct slot)), capacity, 0};
    return table->slots ? 0 : -ENOMEM;
}

static int grow(struct table *table)
{
    struct table larger;
    int r = table_new(&larger, 2 * table->capacity);
    if (r < 0)
        return r;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].sequences > 0)
            *find(&larger, table->slots[i].position) = table->slots[i];
    larger.used = table->used;
    free(table->slots);
    *table = larger;
    return 0;
}

// Adds the sequences that lead to where the game stands.
static int add(struct table *table, const struct game *game, uint64_t sequences)
{
    struct slot *slot = find(table, game->pentago);
    if (slot->sequences > 0) {
        slot->sequences = (slot->sequences + sequences) & SEQUENCES_MAX;
        return 0;
    }
    if (table->used == PENTAGO_COUNT_POSITIONS_MAX)
        return -ENOSPC;
    if (4 * (table->used + 1) > 3 * table->capacity) {
        int r = grow(table);
        if (r < 0)
            return r;
        slot = find(table, game->pentago);
    }
    *slot = (struct slot){game->pentago, sequences & SEQUENCES_MAX, game->result.over};
    table->used++;
    return 0;
}

int pentago_count_new(const struct game *game, struct pentago_count **ret, struct error *err)
{
    if (game->rules.family != FAMILY_PENTAGO)
        return error_set(err, -EINVAL, "%s is not a game of Pentago.", game->rules.name);
    struct pentago_count *count = calloc(1, sizeof *count);
    if (!count || table_new(&count->here, TABLE_FIRST) < 0) {
        free(count);
        return error_set(err, -ENOMEM, "Not enough memory to count positions.");
    }
    count->start = *game;
    add(&count->here, game, 1);
    *ret = count;
    return 0;
}

// Sets the game to a position that lies `plies` after the start.
static int enter(struct pentago_count *count, struct pentago position)
{
    struct setup setup = {.ply = (uint16_t)(count->start.ply + count->plies)};
    for (unsigned hole = 0; hole < PENTAGO_HOLES; hole++)
        for (unsigned colour = 1; colour <= 2; colour++)
            if (position.marbles[colour - 1] >> pentago_bit_of[hole] & 1) {
                setup.stones[setup.stone_count].colour = (uint8_t)colour;
                setup.stones[setup.stone_count++].at =
                    (struct point){(int8_t)(hole % 6), (int8_t)(hole / 6)};
            }
    return game_setup(&count->game, &count->start.rules, &setup, NULL);
}

// All moves from one position, which `sequences` lead to.
static int expand(struct pentago_count *count, struct table *next, uint64_t sequences,
                  struct pentago_ply *ply)
{
    struct game *game = &count->game;
    struct move moves[LEGAL_MAX];
    size_t legal = game_legal(game, moves);
    for (size_t i = 0; i < legal; i++) {
        if (sequences > SEQUENCES_MAX - ply->leaves.leaves)
            return -EOVERFLOW;
        game_play(game, moves[i], NULL);
        int r = add(next, game, sequences);
        ply->leaves.leaves += sequences;
        if (game->result.over)
            *(game->result.winner ? &ply->leaves.wins : &ply->leaves.draws) += sequences;
        game_undo(game);
        if (r < 0)
            return r;
    }
    return 0;
}

static int fault(int number, struct error *err)
{
    switch (number) {
    case -ENOSPC:
        return error_set(err, number,
                         "More than %d different positions: too many to count. "
                         "Take a smaller DEPTH.",
                         PENTAGO_COUNT_POSITIONS_MAX);
    case -EOVERFLOW:
        return error_set(err, number, "More sequences of moves than a 63-bit number can count.");
    default:
        return error_set(err, number, "Not enough memory to count positions.");
    }
}

int pentago_count_step(struct pentago_count *count, struct pentago_ply *ret, struct error *err)
{
    struct pentago_ply ply = {0};
    struct table next, *here = &count->here;
    int r = table_new(&next, TABLE_FIRST);
    for (size_t i = 0; r == 0 && i < here->capacity; i++) {
        const struct slot *slot = &here->slots[i];
        if (slot->sequences == 0 || slot->over)
            continue;
        r = enter(count, slot->position);
        if (r == 0)
            r = expand(count, &next, slot->sequences, &ply);
    }
    if (r < 0) {
        free(next.slots);
        return fault(r, err);
    }
    ply.positions = next.used;
    for (size_t i = 0; i < next.capacity; i++)
        ply.ended += next.slots[i].over;
    free(here->slots);
    *here = next;
    count->plies++;
    *ret = ply;
    return 0;
}

struct pentago_count *pentago_count_free(struct pentago_count *count)
{
    if (count)
        free(count->here.slots);
    free(count);
    return NULL;
}

enum { HALF = PENTAGO_HOLES / 2 };

// Arrangements that a map of the holes leaves as they are, by marbles of colour 1 and 2: each cycle
// is empty or of one colour.
struct fixed {
    uint64_t by[HALF + 1][HALF + 1];
};

static void count_fixed(const uint8_t map[PENTAGO_HOLES], struct fixed *ret)
{
    uint64_t seen = 0;
    *ret = (struct fixed){.by = {{1}}};
    for (unsigned first = 0; first < PENTAGO_HOLES; first++) {
        unsigned length = 0;
        for (unsigned hole = first; !(seen >> hole & 1); hole = map[hole], length++)
            seen |= 1ull << hole;
        if (length == 0)
            continue;
        // Downwards, so that what is added does not have this cycle yet.
        for (unsigned a = HALF + 1; a-- > 0;)
            for (unsigned b = HALF + 1; b-- > 0;)
                ret->by[a][b] += (a >= length ? ret->by[a - length][b] : 0) +
                                 (b >= length ? ret->by[a][b - length] : 0);
    }
}

// Where a hole goes when every block is turned (two bits of `turns` each) and then the board is
// mapped.
static unsigned mapped(unsigned hole, unsigned turns, unsigned symmetry)
{
    unsigned x = hole % 6, y = hole / 6, block = x / 3 + y / 3 * 2;
    struct point inside = {(int8_t)(x % 3), (int8_t)(y % 3)};
    inside = point_map(inside, turns >> 2 * block & 3, 3);
    struct point p = {(int8_t)(x / 3 * 3 + (unsigned)inside.x),
                      (int8_t)(y / 3 * 3 + (unsigned)inside.y)};
    p = point_map(p, symmetry, PENTAGO_SIZE);
    return (unsigned)(p.y * 6 + p.x);
}

void pentago_arrangements(struct pentago_arrangements ret[PENTAGO_HOLES + 1])
{
    enum { TURNS = 256 };
    memset(ret, 0, (PENTAGO_HOLES + 1) * sizeof *ret);
    for (unsigned symmetry = 0; symmetry < SYMMETRIES; symmetry++)
        for (unsigned turns = 0; turns < TURNS; turns++) {
            uint8_t map[PENTAGO_HOLES];
            struct fixed fixed;
            for (unsigned hole = 0; hole < PENTAGO_HOLES; hole++)
                map[hole] = (uint8_t)mapped(hole, turns, symmetry);
            count_fixed(map, &fixed);
            for (unsigned n = 0; n <= PENTAGO_HOLES; n++) {
                uint64_t same = fixed.by[(n + 1) / 2][n / 2];
                ret[n].blocks += same;
                ret[n].board += turns == 0 ? same : 0;
                ret[n].all += turns == 0 && symmetry == 0 ? same : 0;
            }
        }
    for (unsigned n = 0; n <= PENTAGO_HOLES; n++) {
        ret[n].board /= SYMMETRIES;
        ret[n].blocks /= SYMMETRIES * TURNS;
    }
}
