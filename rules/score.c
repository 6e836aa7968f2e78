// Points of a finished game (A4, A8) and the rows they count (B14).
#include <string.h>

#include "rules/game_internal.h"

static unsigned count_run(unsigned run, unsigned length, enum run_rule rule)
{
    if (run < length)
        return 0;
    switch (rule) {
    case RUN_EXACT:
        return run == length;
    case RUN_MIN:
        return 1;
    case RUN_WINDOWS:
        return run - length + 1;
    }
    return 0;
}

unsigned game_count_runs(const struct game *game, unsigned colour, unsigned length,
                         enum run_rule rule)
{
    unsigned count = 0;
    if (game->rules.family != FAMILY_PENTE)
        return 0;
    for (unsigned cell = game_cell(0, 0); cell < GAME_CELLS; cell++) {
        if (game->cells[cell] != colour)
            continue;
        for (unsigned axis = 0; axis < 4; axis++)
            if (game->cells[(int)cell - direction_step[axis]] != colour)
                count += count_run(row_length(game, cell, axis), length, rule);
    }
    return count;
}

void game_scores(const struct game *game, uint16_t scores[COLOURS_MAX + 1])
{
    const struct variant *v = &game->rules;
    memset(scores, 0, sizeof(uint16_t) * (COLOURS_MAX + 1));
    if (v->scoring == SCORING_NONE)
        return;
    unsigned bonus = v->scoring == SCORING_POINTS2 ? 5 : 10;
    unsigned length = v->scoring == SCORING_POINTS2 ? 4 : 3;
    for (unsigned c = 1; c <= v->colours; c++)
        scores[c] = (uint16_t)(game->captures[c] + game_count_runs(game, c, length, v->run_rule));
    if (!(game->result.over && game->result.how & HOW_FIVE))
        return;
    // The row is the mover's, who laid the last stone; only Boat can hand the win to the other.
    unsigned maker = game_move(game, game->entries - 1u).colour;
    if (v->boat && v->sides[maker] != game->result.winner)
        maker = 3 - maker;
    scores[maker] = (uint16_t)(scores[maker] + bonus);
}
