// Rows of one colour through a cell, and whether the enemy could break one by a capture (Boat).
#include "rules/game_internal.h"

const int16_t direction_step[8] = {1,  GAME_STRIDE,  GAME_STRIDE + 1,  GAME_STRIDE - 1,
                                   -1, -GAME_STRIDE, -GAME_STRIDE - 1, -GAME_STRIDE + 1};

// Stones of the cell's colour that follow it in one direction.
static unsigned follow(const struct game *game, unsigned cell, int step)
{
    const uint8_t *at = game->cells + cell;
    uint8_t colour = *at;
    unsigned count = 0;
    while (*(at += step) == colour)
        count++;
    return count;
}

unsigned row_length(const struct game *game, unsigned cell, unsigned axis)
{
    int step = direction_step[axis];
    return 1 + follow(game, cell, step) + follow(game, cell, -step);
}

static bool length_wins(const struct variant *rules, unsigned length)
{
    return rules->exact ? length == rules->win_len : length >= rules->win_len;
}

bool row_wins(const struct game *game, unsigned cell)
{
    for (unsigned axis = 0; axis < 4; axis++)
        if (length_wins(&game->rules, row_length(game, cell, axis)))
            return true;
    return false;
}

// One enemy stone could capture the stone on this cell: along some axis it stands in a row of a
// capturable length with an enemy at one end and an empty point at the other.
static bool capturable(const struct game *game, unsigned cell)
{
    unsigned colour = game->cells[cell];
    for (unsigned axis = 0; axis < 4; axis++) {
        int step = direction_step[axis];
        unsigned ahead = follow(game, cell, step), behind = follow(game, cell, -step);
        unsigned length = 1 + ahead + behind;
        if (length > 3 || !(game->rules.capture >> length & 1))
            continue;
        unsigned a = game->cells[(int)cell + step * (int)(ahead + 1)];
        unsigned b = game->cells[(int)cell - step * (int)(behind + 1)];
        unsigned enemy = 3 - colour; // boat has two colours
        if ((a == enemy && b == 0) || (a == 0 && b == enemy))
            return true;
    }
    return false;
}

static bool row_breakable(const struct game *game, unsigned start, int step, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        if (capturable(game, (unsigned)((int)start + step * (int)i)))
            return true;
    return false;
}

bool row_standing(const struct game *game, unsigned colour, bool unbreakable)
{
    for (unsigned cell = game_cell(0, 0); cell < GAME_CELLS; cell++) {
        if (game->cells[cell] != colour)
            continue;
        for (unsigned axis = 0; axis < 4; axis++) {
            int step = direction_step[axis];
            if (game->cells[(int)cell - step] == colour)
                continue; // not the start of its row
            unsigned length = 1 + follow(game, cell, step);
            if (length_wins(&game->rules, length) &&
                !(unbreakable && row_breakable(game, cell, step, length)))
                return true;
        }
    }
    return false;
}
