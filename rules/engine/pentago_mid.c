#include "rules/engine/pentago_mid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"

// A set of block standings of one parity. Standing (r0 r1 r2 r3), quarter turns clockwise of each
// lane, is bit r0 + 4·r1 + 16·r2 of word r3 / 2; the parity of the sum gives r3's lowest bit.
struct half {
    uint64_t word[2];
};

// The value of a position after a marble was placed and before the twist, for the one who placed.
struct worth {
    struct half win, not_loss;
};

struct solver {
    int k;            // holes left at the start
    uint64_t base[2]; // marbles at the start: the side to move's, the other's
    uint64_t hole[PENTAGO_MID_HOLES_MAX];
    uint32_t *rank; // [1 << k]: place of a subset among those of its size
    uint32_t choose[PENTAGO_MID_HOLES_MAX + 2][PENTAGO_MID_HOLES_MAX + 2];
    struct half *five[2];   // [side][subset << 1 | parity]
    struct worth *slice[2]; // by number of marbles placed, alternating
    int64_t deadline_ns;
    atomic_int *stop;
};

static struct half half_or(struct half a, struct half b)
{
    return (struct half){{a.word[0] | b.word[0], a.word[1] | b.word[1]}};
}

static uint64_t turn_one_lane(uint64_t x)
{
    // Lane 0: within groups of 4 bits; lane 1: within 16; lane 2: within 64.
    uint64_t lane0 = (x << 1 & 0xEEEEEEEEEEEEEEEEu) | (x >> 3 & 0x1111111111111111u) |
                     (x >> 1 & 0x7777777777777777u) | (x << 3 & 0x8888888888888888u);
    uint64_t lane1 = (x << 4 & 0xFFF0FFF0FFF0FFF0u) | (x >> 12 & 0x000F000F000F000Fu) |
                     (x >> 4 & 0x0FFF0FFF0FFF0FFFu) | (x << 12 & 0xF000F000F000F000u);
    uint64_t lane2 = x << 16 | x >> 48 | x >> 16 | x << 48;
    return lane0 | lane1 | lane2;
}

// All standings from which one quarter turn of one block leads into the set. Of lane 3's two turns
// one keeps the word and the other changes it.
static struct half one_twist(struct half x)
{
    uint64_t lane3 = x.word[0] | x.word[1];
    return (struct half){{turn_one_lane(x.word[0]) | lane3, turn_one_lane(x.word[1]) | lane3}};
}

static uint32_t lane_lines(uint64_t marbles, unsigned lane, int quarters)
{
    for (; quarters; quarters--)
        marbles = pentago_turned(marbles, lane, PENTAGO_CLOCKWISE);
    uint32_t lines = pentago_lane_lines[marbles >> 16 * lane & PENTAGO_LANE];
    return lane ? pentago_rotl32(lines, 8 * lane) : lines;
}

// The standings, of both parities, in which the marbles have a five.
static void find_fives(uint64_t marbles, struct half five[2])
{
    uint32_t lines[4][4];
    for (unsigned lane = 0; lane < 4; lane++)
        for (int r = 0; r < 4; r++)
            lines[lane][r] = lane_lines(marbles, lane, r);
    memset(five, 0, 2 * sizeof *five);
    for (int r3 = 0; r3 < 4; r3++) {
        for (int r2 = 0; r2 < 4; r2++) {
            uint32_t upper = lines[3][r3] & lines[2][r2];
            if (!upper)
                continue;
            for (int r1 = 0; r1 < 4; r1++) {
                uint32_t three = upper & lines[1][r1];
                for (int r0 = 0; three && r0 < 4; r0++)
                    if (three & lines[0][r0])
                        five[(r0 + r1 + r2 + r3) & 1].word[r3 >> 1] |= (uint64_t)1
                                                                       << (r0 + 4 * r1 + 16 * r2);
            }
        }
    }
}

static int cancelled(const struct solver *s)
{
    return (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed)) ||
           (s->deadline_ns && clock_monotonic_ns() >= s->deadline_ns);
}

static uint64_t spread(const struct solver *s, uint32_t subset)
{
    uint64_t marbles = 0;
    for (; subset; subset &= subset - 1)
        marbles |= s->hole[__builtin_ctz(subset)];
    return marbles;
}

static int most_own(int k)
{
    return (k + 1) / 2;
}

static int prepare(struct solver *s)
{
    uint32_t subsets = 1u << s->k, seen[PENTAGO_MID_HOLES_MAX + 1] = {0};
    for (int n = 0; n < PENTAGO_MID_HOLES_MAX + 2; n++)
        for (int r = 0; r <= n; r++)
            s->choose[n][r] = r == 0 || r == n ? 1 : s->choose[n - 1][r - 1] + s->choose[n - 1][r];
    s->rank = malloc(subsets * sizeof *s->rank);
    for (int side = 0; side < 2; side++)
        s->five[side] = malloc((size_t)subsets * 2 * sizeof *s->five[side]);
    if (!s->rank || !s->five[0] || !s->five[1])
        return -ENOMEM;
    // In increasing order, subsets of one size come in the order of their ranks whatever the
    // number of holes: the rank of a subset doesn't depend on k.
    for (uint32_t subset = 0; subset < subsets; subset++) {
        int size = __builtin_popcount(subset);
        s->rank[subset] = seen[size]++;
        if ((subset & 0xfff) == 0 && cancelled(s))
            return -ECANCELED;
        if (size > most_own(s->k))
            continue;
        for (int side = 0; side < 2; side++)
            find_fives(s->base[side] | spread(s, subset), &s->five[side][subset << 1]);
    }
    return 0;
}

static size_t slice_size(const struct solver *s, int placed)
{
    int own = (placed + 1) / 2, enemy = placed / 2;
    return (size_t)s->choose[s->k][own] * s->choose[s->k - own][enemy];
}

// Positions with `own` of the first side's marbles placed are grouped by which; within a group by
// which of the holes still left the other side filled (as a subset of those left).
struct group {
    uint32_t own;                          // subset of all holes
    int width;                             // holes not in it
    uint32_t hole[PENTAGO_MID_HOLES_MAX];  // those, as subsets of one
    uint32_t lower[1 << 9], upper[1 << 9]; // pieces of subsets of those, spread out again
    size_t child[PENTAGO_MID_HOLES_MAX];   // where the next slice's groups start
    size_t same;                           // … and the group with the same own marbles
};

static void open_group(const struct solver *s, uint32_t own, int placed, struct group *g)
{
    int next_own = (placed + 2) / 2, next_enemy = (placed + 1) / 2;
    g->own = own;
    g->width = 0;
    for (int i = 0; i < s->k; i++)
        if (!(own >> i & 1))
            g->hole[g->width++] = 1u << i;
    int low = g->width < 9 ? g->width : 9, high = g->width - low;
    g->lower[0] = g->upper[0] = 0;
    for (uint32_t p = 1; p < 1u << low; p++)
        g->lower[p] = g->lower[p & (p - 1)] | g->hole[__builtin_ctz(p)];
    for (uint32_t p = 1; p < 1u << high; p++)
        g->upper[p] = g->upper[p & (p - 1)] | g->hole[9 + __builtin_ctz(p)];
    if (placed == s->k)
        return;
    uint32_t each = s->choose[s->k - next_own][next_enemy];
    g->same = (size_t)s->rank[own] * each;
    for (int j = 0; j < g->width; j++)
        g->child[j] = (size_t)s->rank[own | g->hole[j]] * each;
}

// What the side to move next can reach: the best of all holes, for all standings at once.
static struct worth best_reply(const struct solver *s, const struct group *g, uint32_t enemy,
                               int placed, const struct worth *next)
{
    struct worth best = {{{0, 0}}, {{0, 0}}};
    if (placed == s->k) // the board is full: without a five the game is drawn
        return (struct worth){{{0, 0}}, {{~0ull, ~0ull}}};
    int own_next = placed % 2 == 0;
    for (int j = 0; j < g->width; j++) {
        if (enemy >> j & 1)
            continue;
        size_t at;
        if (own_next) {
            // Hole j is no longer among those left to the other side.
            uint32_t low = (1u << j) - 1;
            at = g->child[j] + s->rank[(enemy & low) | (enemy >> 1 & ~low)];
        } else {
            at = g->same + s->rank[enemy | 1u << j];
        }
        best.win = half_or(best.win, next[at].win);
        best.not_loss = half_or(best.not_loss, next[at].not_loss);
    }
    return best;
}

// The value after the twist, for the one who twisted: fives first, then the other's best reply.
static struct worth after_twist(const struct half *mine, const struct half *yours,
                                const struct worth *reply)
{
    struct worth w;
    for (int i = 0; i < 2; i++) {
        uint64_t five = mine->word[i], enemy = yours->word[i];
        w.win.word[i] = ~enemy & (five | ~reply->not_loss.word[i]);
        w.not_loss.word[i] = five | (~enemy & ~reply->win.word[i]);
    }
    return w;
}

static struct worth solve_one(const struct solver *s, const struct group *g, uint32_t enemy,
                              int placed, const struct worth *next)
{
    uint32_t spread_enemy = g->lower[enemy & 0x1ff] | g->upper[enemy >> 9];
    int mover = placed % 2 == 0, parity = placed & 1; // who has just placed; standings after twist
    const struct half *five[2] = {&s->five[0][g->own << 1], &s->five[1][spread_enemy << 1]};
    struct worth reply = best_reply(s, g, enemy, placed, next);
    struct worth then = after_twist(&five[mover][parity], &five[1 - mover][parity], &reply);
    const struct half *at_once = &five[mover][1 - parity];
    return (struct worth){half_or(*at_once, one_twist(then.win)),
                          half_or(*at_once, one_twist(then.not_loss))};
}

static uint32_t next_subset(uint32_t x)
{
    uint32_t low = x & -x, up = x + low;
    return up | (((x ^ up) >> 2) / low);
}

// One slice from the one with a marble more.
static int solve_slice(const struct solver *s, int placed)
{
    int own_count = (placed + 1) / 2, enemy_count = placed / 2;
    struct worth *slice = s->slice[placed & 1];
    const struct worth *next = s->slice[1 - (placed & 1)];
    static _Thread_local struct group g;
    size_t at = 0;
    for (uint32_t own = (1u << own_count) - 1; own < 1u << s->k; own = next_subset(own)) {
        open_group(s, own, placed, &g);
        if (cancelled(s))
            return -ECANCELED;
        if (!enemy_count) {
            slice[at++] = solve_one(s, &g, 0, placed, next);
        } else {
            for (uint32_t enemy = (1u << enemy_count) - 1; enemy < 1u << g.width;
                 enemy = next_subset(enemy))
                slice[at++] = solve_one(s, &g, enemy, placed, next);
        }
    }
    return 0;
}

static int standing_has(const struct half *set, const int r[4])
{
    return (int)(set->word[r[3] >> 1] >> (r[0] + 4 * r[1] + 16 * r[2]) & 1);
}

// How many holes let the opponent reach his best result at the standing.
static int count_answers(const struct solver *s, const struct group *g, const int r[4], int value)
{
    int count = 0;
    for (int j = 0; j < g->width; j++) {
        const struct worth *w = &s->slice[0][g->same + s->rank[1u << j]];
        count += value < 0    ? standing_has(&w->win, r)
                 : value == 0 ? standing_has(&w->not_loss, r)
                              : 1;
    }
    return count;
}

// Slice 2 is done: the values of all first moves.
static void read_root(const struct solver *s, struct pentago_mid_values *ret)
{
    static _Thread_local struct group g;
    ret->count = s->k;
    ret->value = -1;
    for (int i = 0; i < s->k; i++) {
        uint32_t own = 1u << i;
        const int still[4] = {0, 0, 0, 0};
        ret->bit[i] = (uint8_t)__builtin_ctzll(s->hole[i]);
        ret->five[i] = (uint8_t)standing_has(&s->five[0][own << 1], still);
        open_group(s, own, 1, &g);
        struct worth reply = best_reply(s, &g, 0, 1, s->slice[0]);
        struct worth w = after_twist(&s->five[0][own << 1 | 1], &s->five[1][1], &reply);
        for (int t = 0; t < PENTAGO_TWISTS; t++) {
            int r[4] = {0, 0, 0, 0};
            r[t / 2] = t % 2 ? 3 : 1;
            int value = ret->five[i] || standing_has(&w.win, r) ? 1
                        : standing_has(&w.not_loss, r)          ? 0
                                                                : -1;
            ret->twist[i][t] = (int8_t)value;
            ret->answers[i][t] = (uint8_t)(s->k > 1 ? count_answers(s, &g, r, value) : 0);
            if (value > ret->value)
                ret->value = value;
        }
    }
}

size_t pentago_mid_memory(int holes)
{
    if (holes < 1 || holes > PENTAGO_MID_HOLES_MAX)
        return SIZE_MAX;
    struct solver s = {.k = holes};
    for (int n = 0; n < PENTAGO_MID_HOLES_MAX + 2; n++)
        for (int r = 0; r <= n; r++)
            s.choose[n][r] = r == 0 || r == n ? 1 : s.choose[n - 1][r - 1] + s.choose[n - 1][r];
    size_t largest[2] = {0, 0};
    for (int placed = 2; placed <= holes; placed++)
        if (slice_size(&s, placed) > largest[placed & 1])
            largest[placed & 1] = slice_size(&s, placed);
    return (largest[0] + largest[1]) * sizeof(struct worth) +
           ((size_t)1 << holes) * (sizeof(uint32_t) + 4 * sizeof(struct half));
}

static int solve(struct solver *s, struct pentago_mid_values *ret)
{
    int r = prepare(s);
    if (r < 0)
        return r;
    for (int parity = 0; parity < 2; parity++) {
        size_t largest = 1;
        for (int placed = 2; placed <= s->k; placed++)
            if ((placed & 1) == parity && slice_size(s, placed) > largest)
                largest = slice_size(s, placed);
        s->slice[parity] = malloc(largest * sizeof *s->slice[parity]);
        if (!s->slice[parity])
            return -ENOMEM;
    }
    for (int placed = s->k; placed >= 2; placed--) {
        r = solve_slice(s, placed);
        if (r < 0)
            return r;
    }
    read_root(s, ret);
    return 0;
}

int pentago_mid_solve(uint64_t own, uint64_t enemy, int64_t deadline_ns, atomic_int *stop,
                      struct pentago_mid_values *ret)
{
    struct solver s = {.base = {own, enemy}, .deadline_ns = deadline_ns, .stop = stop};
    uint64_t left = PENTAGO_ALL & ~(own | enemy);
    if (__builtin_popcountll(left) > PENTAGO_MID_HOLES_MAX)
        return -E2BIG;
    for (; left; left &= left - 1)
        s.hole[s.k++] = left & -left;
    int r = solve(&s, ret);
    free(s.rank);
    for (int i = 0; i < 2; i++) {
        free(s.five[i]);
        free(s.slice[i]);
    }
    return r;
}
