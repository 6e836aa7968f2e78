// Opening protocols: who lays the first stones and who then chooses a colour (B41, B42).
#include "rules/game_internal.h"

enum { LAID_MAX = 5 };

struct protocol_steps {
    uint8_t layer[LAID_MAX]; // seat that lays ply 0, 1, …
    uint8_t choice_ply;      // after so many stones a colour is chosen …
    uint8_t chooser;         // … by this seat,
    uint8_t more_ply;        // who may instead have stones laid up to this ply (0 = may not);
    uint8_t last_chooser;    // then this seat chooses
};

static const struct protocol_steps steps[] = {
    [PROTOCOL_NONE] = {{0}, 0, 0, 0, 0},
    [PROTOCOL_DPENTE] = {{1, 1, 1, 1}, 4, 2, 0, 0},
    [PROTOCOL_DPENTE_PBM] = {{1, 2, 2, 2}, 4, 1, 0, 0},
    [PROTOCOL_SWAP2] = {{1, 1, 1, 2, 2}, 3, 2, 5, 1},
};

// A free position with more stones than the protocol lays counts as one where nobody swapped.
void stage_begin(struct game *game)
{
    const struct protocol_steps *s = &steps[game->rules.protocol];
    game->swapped = false;
    game->stage = STAGE_PLAY;
    if (game->rules.protocol != PROTOCOL_NONE && game->ply <= s->choice_ply)
        game->stage = game->ply < s->choice_ply ? STAGE_LAY : STAGE_CHOICE;
}

void stage_after_stone(struct game *game)
{
    const struct protocol_steps *s = &steps[game->rules.protocol];
    if (game->stage == STAGE_LAY && game->ply == s->choice_ply)
        game->stage = STAGE_CHOICE;
    else if (game->stage == STAGE_LAY_MORE && game->ply == s->more_ply)
        game->stage = STAGE_LAST_CHOICE;
}

bool stage_waits(const struct game *game)
{
    return game->stage == STAGE_CHOICE || game->stage == STAGE_LAST_CHOICE;
}

bool stage_allows(const struct game *game, enum move_kind choice)
{
    if (choice == MOVE_PASS)
        return game->stage == STAGE_CHOICE && steps[game->rules.protocol].more_ply != 0;
    return stage_waits(game) && (choice == MOVE_FIRST || choice == MOVE_SECOND);
}

void stage_choose(struct game *game, enum move_kind choice)
{
    if (choice == MOVE_PASS) {
        game->stage = STAGE_LAY_MORE;
        return;
    }
    unsigned colour = choice == MOVE_FIRST ? 1 : 2;
    game->swapped = stage_seat(game) != colour;
    game->stage = STAGE_PLAY;
}

// The person who acts now: lays, chooses, or plays the colour whose turn it is.
unsigned stage_seat(const struct game *game)
{
    const struct protocol_steps *s = &steps[game->rules.protocol];
    switch ((enum stage)game->stage) {
    case STAGE_LAY:
    case STAGE_LAY_MORE:
        return s->layer[game->ply];
    case STAGE_CHOICE:
        return s->chooser;
    case STAGE_LAST_CHOICE:
        return s->last_chooser;
    case STAGE_PLAY:
        break;
    }
    unsigned colour = game_turn_colour(game);
    if (game->rules.seat_count == 2)
        return game->swapped ? 3 - colour : colour;
    return game->ply % game->rules.seat_count + 1u;
}
