#include "controller/next_stone.h"

enum { LOOK_AHEAD = 2 * SEATS_MAX }; // stones of people before the robot's turn

// What a stone of a person's may lead to.
enum quiet {
    LOUD,  // a stone may come off the board, a choice may follow
    QUIET, // none of it, whatever is played; one such move has been played
    OVER,  // whatever is played, it is the last
};

static enum quiet play_any(struct game *game)
{
    struct move legal[LEGAL_MAX], quiet = {0};
    size_t count = game_legal(game, legal);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        struct effect effect;
        if (game_play(game, legal[i], &effect) != REASON_NONE)
            continue;
        game_undo(game);
        if (effect.captured_count || effect.poofed_count || effect.choice_pending)
            return LOUD;
        if (!effect.result.over) {
            quiet = legal[i];
            found = true;
        }
    }
    if (!found)
        return OVER;
    game_play(game, quiet, NULL);
    return QUIET;
}

static bool can_capture(const struct variant *rules)
{
    return rules->capture || rules->poof;
}

unsigned next_stone(const struct game *game, unsigned robot_seats)
{
    struct game ahead = *game;
    for (int stones = 0; stones < LOOK_AHEAD; stones++) {
        if (ahead.result.over || game_choice_pending(&ahead))
            return 0;
        if (robot_seats & 1u << (game_next_seat(&ahead) - 1))
            return game_next_colour(&ahead);
        // What a second stone takes depends on where the first one lies.
        if (stones && can_capture(&ahead.rules))
            return 0;
        if (play_any(&ahead) != QUIET)
            return 0;
    }
    return 0;
}
