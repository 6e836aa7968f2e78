#include "rules/engine/pentago_opening.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { NO_HOLE = 63, PER_COLOUR = PENTAGO_OPENING_MARBLES / 2 };

// Two bytes a class, low byte first; made from pentago_opening.bin by the build.
extern const uint8_t pentago_opening_data[2 * PENTAGO_OPENING_CLASSES];

static uint64_t mirror(uint64_t marbles)
{
    uint64_t ret = 0;
    for (; marbles; marbles &= marbles - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(marbles), i = bit & 15;
        // The rim is counted clockwise from the board's corner, mirrored anticlockwise.
        i = i == 0 || i == 8 ? i : 8 - i;
        ret |= 1ull << (((bit >> 4) ^ 1) << 4 | i);
    }
    return ret;
}

uint64_t pentago_map_marbles(uint64_t marbles, unsigned symmetry)
{
    if (symmetry & 4)
        marbles = mirror(marbles);
    unsigned by = 16 * (symmetry & 3);
    return by ? marbles << by | marbles >> (64 - by) : marbles;
}

struct pentago_turn_move pentago_map_move(struct pentago_turn_move move, unsigned symmetry)
{
    uint64_t bit = pentago_map_marbles(1ull << move.bit, symmetry);
    unsigned lane = symmetry & 4 ? move.lane ^ 1u : move.lane;
    return (struct pentago_turn_move){(uint8_t)__builtin_ctzll(bit),
                                      (uint8_t)((lane + (symmetry & 3)) & 3),
                                      (int8_t)(symmetry & 4 ? -move.turn : move.turn)};
}

unsigned pentago_inverse(unsigned symmetry)
{
    return symmetry & 4 ? symmetry : (4 - symmetry) & 3;
}

static uint32_t key_of(uint64_t first, uint64_t second)
{
    uint32_t key = 0;
    for (int i = 0; i < PER_COLOUR; i++, first &= first - 1)
        key = key << 6 | (first ? (uint32_t)__builtin_ctzll(first) : NO_HOLE);
    for (int i = 0; i < PER_COLOUR; i++, second &= second - 1)
        key = key << 6 | (second ? (uint32_t)__builtin_ctzll(second) : NO_HOLE);
    return key;
}

uint32_t pentago_class(const uint64_t marbles[2], unsigned *ret_symmetry)
{
    uint32_t best = UINT32_MAX;
    for (unsigned m = 0; m < 8; m += 4) {
        uint64_t a = m ? mirror(marbles[0]) : marbles[0];
        uint64_t b = m ? mirror(marbles[1]) : marbles[1];
        for (unsigned quarter = 0; quarter < 4; quarter++) {
            uint32_t key = key_of(a, b);
            if (key < best) {
                best = key;
                *ret_symmetry = m + quarter;
            }
            a = a << 16 | a >> 48;
            b = b << 16 | b >> 48;
        }
    }
    return best;
}

struct keys {
    uint32_t *key;
    int count;
};

static void add_if_first(struct keys *keys, uint64_t first, uint64_t second)
{
    unsigned symmetry;
    uint64_t marbles[2] = {first, second};
    uint32_t key = key_of(first, second);
    if (pentago_class(marbles, &symmetry) == key && keys->count < PENTAGO_OPENING_CLASSES)
        keys->key[keys->count++] = key;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Every subset of `from` with `count` (0 … 2) members, in turn; starts with *set = UINT64_MAX.
static int next_choice(uint64_t from, int count, uint64_t *set)
{
    static const uint64_t start = UINT64_MAX;
    if (count == 0) {
        int first = *set == start;
        *set = 0;
        return first;
    }
    if (*set == start) {
        uint64_t low = from & -from, rest = from & (from - 1);
        *set = count == 1 ? low : low | (rest & -rest);
        return 1;
    }
    uint64_t low = *set & -*set, high = *set & (*set - 1);
    uint64_t above = from & ~((high ? high : low) * 2 - 1);
    if (above) { // the highest moves on
        *set = (count == 1 ? 0 : low) | (above & -above);
        return 1;
    }
    if (count == 1)
        return 0;
    above = from & ~(low * 2 - 1);
    low = above & -above;
    above &= above - 1;
    if (!above)
        return 0;
    *set = low | (above & -above);
    return 1;
}

uint32_t *pentago_opening_keys(void)
{
    struct keys keys = {malloc(PENTAGO_OPENING_CLASSES * sizeof *keys.key), 0};
    if (!keys.key)
        return NULL;
    for (int marbles = 0; marbles <= PENTAGO_OPENING_MARBLES; marbles++) {
        uint64_t first = UINT64_MAX;
        while (next_choice(PENTAGO_ALL, (marbles + 1) / 2, &first)) {
            uint64_t second = UINT64_MAX;
            while (next_choice(PENTAGO_ALL & ~first, marbles / 2, &second))
                add_if_first(&keys, first, second);
        }
    }
    qsort(keys.key, (size_t)keys.count, sizeof *keys.key, by_value);
    return keys.key;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t *all_keys;

static void make_keys(void)
{
    all_keys = pentago_opening_keys();
}

// entry: value + 1 in bits 0–1, ease in 2–6, move in 7–15 as (hole · 4 + lane) · 2 + anticlockwise.
uint16_t pentago_opening_encode(const struct pentago_opening_entry *e)
{
    unsigned move = ((unsigned)pentago_hole_of[e->move.bit] * 4 + e->move.lane) * 2 +
                    (e->move.turn == PENTAGO_ANTICLOCKWISE);
    return (uint16_t)((unsigned)(e->value + 1) | (unsigned)e->ease << 2 | move << 7);
}

static void decode(uint16_t code, struct pentago_opening_entry *ret)
{
    unsigned move = code >> 7;
    ret->value = (int)(code & 3) - 1;
    ret->ease = code >> 2 & PENTAGO_EASE_MAX;
    ret->move =
        (struct pentago_turn_move){pentago_bit_of[move / 8], (uint8_t)(move / 2 % 4),
                                   (int8_t)(move % 2 ? PENTAGO_ANTICLOCKWISE : PENTAGO_CLOCKWISE)};
}

int pentago_opening_find(const uint64_t marbles[2], struct pentago_opening_entry *ret)
{
    unsigned symmetry;
    if (__builtin_popcountll(marbles[0] | marbles[1]) > PENTAGO_OPENING_MARBLES)
        return -ENOENT;
    pthread_once(&once, make_keys);
    if (!all_keys)
        return -ENOMEM;
    uint32_t key = pentago_class(marbles, &symmetry);
    const uint32_t *at = bsearch(&key, all_keys, PENTAGO_OPENING_CLASSES, sizeof key, by_value);
    if (!at)
        return -ENOENT;
    const uint8_t *data = pentago_opening_data + 2 * (at - all_keys);
    decode((uint16_t)(data[0] | data[1] << 8), ret);
    ret->move = pentago_map_move(ret->move, pentago_inverse(symmetry));
    return 0;
}
