#include "rules/engine/book.h"

#include <stdlib.h>

bool book_covers(const struct variant *v)
{
    return v->family == FAMILY_PENTE && v->size == BOARD_SIZE_MAX && v->colours == 2 &&
           v->win_len == 5 && !v->exact && v->capture == 1u << 2 && v->goal_unit == GOAL_STONES &&
           v->goal == 10 && !v->poof && !v->boat && !v->connect6 && v->protocol == PROTOCOL_NONE &&
           v->scoring == SCORING_NONE;
}

// Stirs 64 bits (splitmix64's finaliser). Part of the table's meaning: not to be changed.
static uint64_t stir(uint64_t v)
{
    v = (v + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    v = (v ^ v >> 27) * 0x94D049BB133111EBull;
    return v ^ v >> 31;
}

uint64_t book_key(const struct game *game, unsigned *ret_symmetries)
{
    uint64_t sum[SYMMETRIES] = {0};
    for (int y = 0; y < BOARD_SIZE_MAX; y++) {
        for (int x = 0; x < BOARD_SIZE_MAX; x++) {
            unsigned colour = game_at(game, x, y);
            for (unsigned s = 0; colour && s < SYMMETRIES; s++) {
                struct point p = point_map((struct point){(int8_t)x, (int8_t)y}, s, BOARD_SIZE_MAX);
                sum[s] += stir((uint64_t)(p.y * BOARD_SIZE_MAX + p.x) * 4 + colour);
            }
        }
    }
    unsigned best = 0;
    for (unsigned s = 1; s < SYMMETRIES; s++)
        if (sum[s] < sum[best])
            best = s;
    *ret_symmetries = 0;
    for (unsigned s = 0; s < SYMMETRIES; s++)
        *ret_symmetries |= (unsigned)(sum[s] == sum[best]) << s;
    return stir(sum[best] + stir(game_next_colour(game) + 16ull * game->stones_taken[1] +
                                 4096ull * game->stones_taken[2]));
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = ((const struct book_entry *)b)->key;
    return (x > y) - (x < y);
}

int book_find(const struct game *game, struct rng *rng, struct move *ret, int *ret_score)
{
    struct move good[BOOK_MOVES_MAX];
    int score[BOOK_MOVES_MAX];
    uint32_t count = 0;
    unsigned symmetries, symmetry;
    if (!book_covers(&game->rules) || game->stones > BOOK_PLIES_MAX)
        return 0;
    uint64_t key = book_key(game, &symmetries);
    do
        symmetry = rng ? rng_below(rng, SYMMETRIES) : (unsigned)__builtin_ctz(symmetries);
    while (!(symmetries >> symmetry & 1));
    const struct book_entry *e = bsearch(&key, book_table, book_count, sizeof *e, by_key);
    for (int i = 0; e && i < e->count; i++) {
        struct point p = {(int8_t)e->move[i].x, (int8_t)e->move[i].y};
        p = point_map(p, symmetry_inverse(symmetry), BOARD_SIZE_MAX);
        struct move m = move_place(game_next_colour(game), p.x, p.y);
        if (game_check(game, m, NULL) != REASON_NONE ||
            (count && e->move[i].score < score[0] - BOOK_PLAY))
            continue;
        score[count] = e->move[i].score;
        good[count++] = m;
    }
    if (!count)
        return 0;
    uint32_t chosen = rng ? rng_below(rng, count) : 0;
    *ret = good[chosen];
    *ret_score = score[chosen];
    return 1;
}
