#include "rules/engine/reach.h"

static const int dx[4] = {1, 0, 1, 1}, dy[4] = {0, 1, 1, -1};

static int step_of(int d)
{
    return dy[d] * GAME_STRIDE + dx[d];
}

static int run(const uint8_t *from, int step, unsigned colour)
{
    int length = 0;
    for (const uint8_t *at = from + step; *at == colour; at += step)
        length++;
    return length;
}

int reach_takes(const struct game *game, int x, int y, unsigned colour)
{
    int count = 0;
    for (int d = 0; d < 8; d++) {
        int step = d < 4 ? step_of(d) : -step_of(d - 4), length = 0;
        const uint8_t *at = game->cells + game_cell(x, y) + step;
        for (; length < 4 && *at && *at < GAME_BORDER && *at != colour; at += step)
            length++;
        count += length && length < 4 && *at == colour && (game->rules.capture >> length & 1);
    }
    return count;
}

int reach_row(const struct game *game, int x, int y, unsigned colour)
{
    const uint8_t *at = game->cells + game_cell(x, y);
    int longest = 0;
    for (int d = 0; d < 4; d++) {
        int length = 1 + run(at, step_of(d), colour) + run(at, -step_of(d), colour);
        longest = length > longest ? length : longest;
    }
    return longest;
}

int reach_open(const struct game *game, int x, int y, unsigned colour)
{
    const struct variant *v = &game->rules;
    int length = v->win_len, most = 0;
    for (int d = 0; d < 4; d++) {
        for (int back = 0; back < length; back++) {
            int sx = x - back * dx[d], sy = y - back * dy[d];
            int ex = sx + (length - 1) * dx[d], ey = sy + (length - 1) * dy[d];
            if (sx < 0 || sy < 0 || sy >= v->size || ex >= v->size || ey < 0 || ey >= v->size)
                continue;
            const uint8_t *at = game->cells + game_cell(sx, sy);
            int own = 0, others = 0;
            for (int i = 0; i < length; i++, at += step_of(d)) {
                own += *at && v->sides[*at] == v->sides[colour];
                others += *at && v->sides[*at] != v->sides[colour];
            }
            if (!others && own > most)
                most = own;
        }
    }
    return most;
}
