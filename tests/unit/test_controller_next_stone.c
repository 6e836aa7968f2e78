// Which stone the robot's arm may take ahead, told from positions of many games.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "controller/next_stone.h"
#include "rules/notation.h"

enum { FIRST = 1u << 0, SECOND = 1u << 1, THIRD = 1u << 2, FOURTH = 1u << 3 };

struct row {
    const char *variant, *moves;
    unsigned robot_seats, expected;
};

static const struct row ROWS[] = {
    // The person is to move and nothing can be captured.
    {"pente-free; size=9", "E5", FIRST, 1},
    {"pente-free; size=9", "E5 F6 C4", FIRST, 1},
    {"pente-free; size=9", "", SECOND, 2},
    // The robot itself is to move, whatever it may capture then.
    {"pente-free; size=9", "E5 F5 A1 G5", FIRST, 1},
    {"pente-free; size=9", "E5 F5 A1", SECOND, 2},
    // The person could take D5 and E5 with C5 or F5: what must be lifted then needs an empty cup.
    {"pente-free; size=9", "D5 C5 E5", FIRST, 0},
    {"gomoku-free; size=9", "D5 C5 E5", FIRST, 1},
    // Keryo: three in a row can be taken as well.
    {"keryo; size=9; opening=free", "D5 C5 E5 A1 F5", FIRST, 0},
    {"pente-free; size=9", "D5 C5 E5 A1 F5", FIRST, 1},
    // A person's own pair laid into a bracket would be lost.
    {"pente-free; size=7; poof=true", "B4 C4 A1 D7 E4", FIRST, 0},
    {"pente-free; size=7", "B4 C4 A1 D7 E4", FIRST, 1},
    // Who lays which colour is still to be chosen.
    {"swap2-pente", "", SECOND, 0},
    {"swap2-pente", "K10 L10 M10", FIRST, 0},
    {"swap2-pente", "K10 L10", SECOND, 0},
    // Connect6: two stones of the person's first, then two of the robot's.
    {"connect6", "K10", FIRST, 1},
    {"connect6", "K10 A1", FIRST, 1},
    {"connect6", "K10 A1 B1", FIRST, 1},
    {"connect6", "K10 A1 B1", SECOND, 2},
    // Four at the table. Two people in a row: the second one's capture may hang on the first one.
    {"pente-team", "K10", FOURTH, 0},
    {"pente-team", "K10 A1 C1", FOURTH, 4},
    {"pente-team", "K10 A1", FIRST | THIRD, 3},
    // The last point but one, and a game that has ended.
    {"gomoku-free; size=9", "A1 A3 B1 B3 C1 C3 D1 D3 E1", SECOND, 0},
};

static bool play_all(struct game *game, const char *moves)
{
    char list[256], *rest;
    snprintf(list, sizeof list, "%s", moves);
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct move move;
        if (!move_parse(&game->rules, word, strlen(word), &move) ||
            game_play(game, move, NULL) != REASON_NONE)
            return false;
    }
    return true;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct row *row = &ROWS[i];
        struct variant variant;
        struct error err = {0};
        static struct game game, before;
        if (variant_parse(&variant, row->variant, &err) < 0)
            fail_msg("%s: %s", row->variant, err.text);
        game_init(&game, &variant);
        if (!play_all(&game, row->moves))
            fail_msg("%s: \"%s\" can't be played", row->variant, row->moves);
        before = game;
        unsigned colour = next_stone(&game, row->robot_seats);
        if (colour != row->expected)
            fail_msg("%s after \"%s\": colour %u, not %u", row->variant, row->moves, colour,
                     row->expected);
        assert_memory_equal(&game, &before, sizeof game);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
