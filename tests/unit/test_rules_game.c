// The game beside the board: turns, choices, draws and resignations, limits, undo.
#include "tests/unit/game_fixture.h"

#include "rules/perft.h"

static void resignation(void **state)
{
    (void)state;
    start("pente");
    play_all("K10,L11");
    assert_int_equal(play("resign"), REASON_NONE); // colour 1 is to move
    assert_true(effect.result.over);
    assert_int_equal(effect.result.winner, 2);
    assert_int_equal(effect.result.how, HOW_RESIGN);
    assert_int_equal(effect.next_colour, 0);
    assert_int_equal(play("K11"), REASON_GAME_OVER);
    assert_int_equal(play("resign"), REASON_GAME_OVER);
    assert_int_equal(game_move(&game, 2).kind, MOVE_RESIGN);
    assert_int_equal(game_move(&game, 2).colour, 1);
    // Taken back, the game goes on.
    assert_true(game_undo(&game));
    assert_int_equal(game_next_colour(&game), 1);
    // The other one may give up too, out of turn.
    assert_int_equal(game_play(&game, by(MOVE_RESIGN, 2), NULL), REASON_NONE);
    assert_int_equal(game.result.winner, 1);
    start("pente");
    assert_int_equal(game_play(&game, by(MOVE_RESIGN, 3), NULL), REASON_NO_SUCH_SIDE);
    start("pente-team");
    assert_int_equal(game_play(&game, by(MOVE_RESIGN, 3), NULL), REASON_NONE);
    assert_int_equal(game.result.winner, 2); // the partners of 3 lose with it
    start("pente-points3");
    assert_int_equal(game_play(&game, by(MOVE_RESIGN, 2), NULL), REASON_NONE);
    assert_true(game.result.over);
    assert_int_equal(game.result.winner, 0);
}

static void agreed_draw(void **state)
{
    (void)state;
    start("pente");
    play_all("K10");
    assert_int_equal(game_play(&game, by(MOVE_DRAW, 1), &effect), REASON_NONE);
    assert_false(effect.result.over);
    assert_int_equal(game.draw_offers, 1u << 1);
    // The same side asking twice is still one side.
    assert_int_equal(game_play(&game, by(MOVE_DRAW, 1), NULL), REASON_NONE);
    assert_false(game.result.over);
    // A stone answers the offer with no.
    play_all("L11");
    assert_int_equal(game.draw_offers, 0);
    assert_int_equal(game_play(&game, by(MOVE_DRAW, 2), NULL), REASON_NONE);
    assert_int_equal(play("draw"), REASON_NONE); // colour 1, to move, accepts
    assert_true(effect.result.over);
    assert_int_equal(effect.result.winner, 0);
    assert_int_equal(effect.result.how, HOW_AGREED);
    assert_int_equal(game.entries, 3);
    assert_true(game_undo(&game));
    assert_false(game.result.over);
    // Three players must all agree.
    start("pente-points3");
    for (unsigned c = 1; c <= 3; c++) {
        assert_false(game.result.over);
        assert_int_equal(game_play(&game, by(MOVE_DRAW, c), NULL), REASON_NONE);
    }
    assert_true(game.result.over);
    assert_int_equal(game_play(&game, by(MOVE_DRAW, 1), NULL), REASON_GAME_OVER);
}

static void names_of_endings(void **state)
{
    (void)state;
    unsigned bits = HOW_FIVE | HOW_CAPTURES;
    assert_string_equal(how_name(&bits), "five");
    assert_string_equal(how_name(&bits), "captures");
    assert_null(how_name(&bits));
    bits = HOW_FULL | HOW_BOTH | HOW_LENGTH | HOW_RESIGN | HOW_AGREED;
    assert_string_equal(how_name(&bits), "full");
    assert_string_equal(how_name(&bits), "both");
    assert_string_equal(how_name(&bits), "length");
    assert_string_equal(how_name(&bits), "resign");
    assert_string_equal(how_name(&bits), "agreed");
}

// Without a colour it is the person who acts that gives up: in the opening protocols that is not
// always the one whose colour is next.
static void who_resigns(void **state)
{
    (void)state;
    static const struct {
        const char *variant, *moves;
        unsigned winner;
    } games[] = {{"pente", "K10", 1},
                 {"pente-partners", "K10,A1,L10", 1},
                 {"connect6", "K10,A1", 1},
                 {"d-pente", "K10", 2},                // seat 1 lays for both
                 {"d-pente", "K10,A1,B1,C1", 1},       // seat 2 chooses
                 {"d-pente", "K10,A1,B1,C1,first", 2}, // seat 2 plays colour 1
                 {"d-pente", "K10,A1,B1,C1,second", 2},
                 {"d-pente-pbm", "K10,A1", 1},
                 {"d-pente-pbm", "K10,A1,B1,C1", 2},
                 {"swap2-pente", "K10,A1,B1", 1},
                 {"swap2-pente", "K10,A1,B1,pass", 1},
                 {"swap2-pente", "K10,A1,B1,pass,C1,D1", 2}};
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++) {
        start(games[i].variant);
        play_all(games[i].moves);
        assert_int_equal(play("resign"), REASON_NONE);
        if (game.result.winner != games[i].winner)
            fail_msg("%s after %s: %u wins", games[i].variant, games[i].moves, game.result.winner);
        assert_int_not_equal(game_move(&game, game.entries - 1u).colour, games[i].winner);
    }
    start("d-pente");
    play_all("K10");
    assert_int_equal(play("draw"), REASON_NONE);
    assert_int_equal(game.draw_offers, 1 << 1);
}

static void swap2_choices(void **state)
{
    (void)state;
    struct move legal[LEGAL_MAX];
    start("swap2-pente");
    assert_int_equal(game_next_seat(&game), 1);
    play_all("A1,B1");
    assert_int_equal(game_next_seat(&game), 1); // seat 1 lays three
    assert_int_equal(play("second"), REASON_NO_CHOICE_PENDING);
    play_all("C3");
    assert_int_equal(effect.choice_pending, 2);
    assert_int_equal(effect.next_seat, 2);
    assert_int_equal(game_legal(&game, legal), 3);
    assert_int_equal(legal[2].kind, MOVE_PASS);
    assert_int_equal(play("D4"), REASON_CHOICE_PENDING);
    char sentence[200];
    reason_explain(REASON_CHOICE_PENDING, &game, &legal[0], sentence, sizeof sentence);
    assert_non_null(strstr(sentence, "Player 2"));
    assert_non_null(strstr(sentence, "or pass (lay two more"));
    struct game at_choice = game;
    // First: seat 2 takes colour 1, so seat 1 moves colour 2 next.
    assert_true(game_choice_allowed(&game, MOVE_PASS));
    assert_false(game_choice_allowed(&game, MOVE_PLACE));
    assert_int_equal(play("resign"), REASON_NONE);
    assert_false(game_choice_allowed(&game, MOVE_FIRST)); // nothing to choose after the end
    assert_int_equal(game_choice_pending(&game), 0);
    assert_true(game_undo(&game));
    play_all("first");
    assert_int_equal(effect.next_colour, 2);
    assert_int_equal(effect.next_seat, 1);
    assert_int_equal(game_seat_colour(&game, 2), 1);
    assert_true(game_undo(&game));
    assert_int_equal(game_choice_pending(&game), 2);
    assert_true(game_hash(&game) == game_hash(&at_choice));
    // Pass: seat 2 lays colours 2 and 1, then seat 1 chooses.
    play_all("pass");
    assert_int_equal(effect.next_seat, 2);
    assert_int_equal(effect.next_colour, 2);
    play_all("D4,E5");
    assert_int_equal(effect.choice_pending, 1);
    assert_int_equal(play("pass"), REASON_BAD_CHOICE);
    reason_explain(REASON_BAD_CHOICE, &game, &legal[2], sentence, sizeof sentence);
    assert_null(strstr(sentence, "or pass"));
    assert_int_equal(game_legal(&game, legal), 2);
    play_all("second");
    assert_int_equal(effect.next_seat, 1);
    assert_int_equal(game_seat_colour(&game, 1), 2);
    assert_int_equal(game_seat_colour(&game, 3), 0);
    assert_int_equal(game_seat_colour(&game, 0), 0);
    while (game_undo(&game))
        ;
    assert_int_equal(game.stage, 1);
}

static void connect6_pairs(void **state)
{
    (void)state;
    start("connect6");
    assert_int_equal(play("A1+A2"), REASON_ONE_STONE);
    play_all("K10");
    assert_int_equal(game_stones_due(&game), 2);
    assert_int_equal(play("K10+A2"), REASON_OCCUPIED);
    assert_int_equal(play("A2+K10"), REASON_OCCUPIED);
    assert_int_equal(play("A2+A2"), REASON_OCCUPIED);
    assert_int_equal(
        game_play(&game, move_pair(0, (struct point){0, 0}, (struct point){19, 0}), NULL),
        REASON_OFF_BOARD);
    assert_int_equal(
        game_play(&game, move_pair(1, (struct point){0, 0}, (struct point){1, 0}), NULL),
        REASON_WRONG_TURN);
    play_all("A1+B1");
    assert_int_equal(effect.board_count, 3);
    assert_int_equal(effect.next_colour, 1);
    assert_int_equal(game.entries, 2 + 1);
    play_all("A5,A6"); // the two stones of a turn may also come one by one
    assert_int_equal(effect.next_colour, 2);
    play_all("A10");
    assert_int_equal(effect.next_colour, 2);
    assert_int_equal(play("A11+A12"), REASON_ONE_STONE);
    // Six on the first stone of a pair: the second is not laid.
    start("connect6");
    play_all("K10,A1+B1,K11+K12,C1+D1,T1+T2,E1+F1");
    assert_int_equal(effect.result.winner, 2);
    assert_true(game_undo(&game));
    assert_int_equal(play("K19+K18"), REASON_ONE_STONE);
    start("connect6");
    play_all("K10,A1+B1,K11+K12,C1+D1,T1+T2,E1+H8,T3+T4,F1+G1");
    assert_int_equal(game.entries, 1 + 2 * 6 + 1);
    assert_int_equal(game_at(&game, 6, 0), 0);
    assert_int_equal(effect.result.winner, 2);
    // On a board with an even number of points one stone is left for the last turn.
    struct variant even = *variant_find("connect6");
    even.size = 6;
    game_init(&game, &even);
    struct setup setup = {.ply = 35};
    for (unsigned i = 0; i < 35; i++) {
        setup.stones[i].colour = (uint8_t)(1 + (i % 6 / 2 + i / 6) % 2);
        setup.stones[i].at = (struct point){(int8_t)(i % 6), (int8_t)(i / 6)};
    }
    setup.stone_count = 35;
    assert_int_equal(game_setup(&game, &even, &setup, NULL), 0);
    assert_int_equal(game_stones_due(&game), 1);
    assert_int_equal(game_play(&game, move_place(0, 5, 5), &effect), REASON_NONE);
    assert_int_equal(effect.result.how, HOW_FULL);
    // Pairs are for Connect6 only.
    start("pente");
    assert_int_equal(
        game_play(&game, move_pair(0, (struct point){0, 0}, (struct point){1, 0}), NULL),
        REASON_MALFORMED);
    start("pentago");
    assert_int_equal(
        game_play(&game, move_pair(0, (struct point){0, 0}, (struct point){1, 0}), NULL),
        REASON_MALFORMED);
}

static void malformed_moves(void **state)
{
    (void)state;
    start("pente");
    assert_int_equal(game_play(&game, move_twist(0, 9, 9, 1, 1), NULL), REASON_MALFORMED);
    assert_int_equal(game_play(&game, by((enum move_kind)9, 0), NULL), REASON_MALFORMED);
    assert_int_equal(play("pass"), REASON_NO_CHOICE_PENDING);
    start("pentago");
    assert_int_equal(game_play(&game, move_twist(0, 0, 0, 5, 1), NULL), REASON_BAD_TWIST);
    assert_int_equal(game_play(&game, move_twist(0, 0, 0, -1, 1), NULL), REASON_BAD_TWIST);
    assert_int_equal(game_play(&game, move_twist(0, 0, 0, 1, 2), NULL), REASON_BAD_TWIST);
    assert_int_equal(game_play(&game, move_twist(0, 6, 0, 1, 1), NULL), REASON_OFF_BOARD);
    assert_int_equal(game_play(&game, move_twist(0, 0, -1, 1, 1), NULL), REASON_OFF_BOARD);
    assert_int_equal(game.ply, 0);
}

// Without a goal nothing stops two people from capturing back and forth; the limit does.
static void longest_game(void **state)
{
    (void)state;
    struct variant rules = *variant_find("pente-free");
    struct error err;
    assert_int_equal(variant_set(&rules, "goal", "none", &err), 0);
    assert_int_equal(variant_set(&rules, "win_len", "9", &err), 0);
    assert_int_equal(variant_set(&rules, "size", "9", &err), 0);
    assert_int_equal(variant_validate(&rules, &err), 0);
    uint64_t rng = playout_seed(3);
    struct move legal[LEGAL_MAX] = {{0}};
    bool reached = false;
    for (unsigned attempt = 0; attempt < 40 && !reached; attempt++) {
        game_init(&game, &rules);
        while (!game.result.over) {
            // Captures first: they keep the board open.
            size_t count = game_legal(&game, legal), best = 0;
            unsigned most = 0;
            for (size_t i = 0; i < count; i++) {
                game_play(&game, legal[i], NULL);
                unsigned captured = game.history[game.entries - 1].captured;
                bool ends = game.result.over && game.result.how != HOW_LENGTH;
                game_undo(&game);
                if (!ends && captured > most) {
                    most = captured;
                    best = i;
                }
            }
            if (most == 0)
                best = playout_below(&rng, (uint32_t)count);
            game_play(&game, legal[best], NULL);
        }
        reached = game.result.how == HOW_LENGTH;
    }
    assert_true(reached);
    assert_int_equal(game.entries, GAME_ENTRIES_MAX);
    assert_int_equal(game.result.winner, 0);
    assert_int_equal(game_play(&game, legal[0], NULL), REASON_GAME_OVER);
    assert_true(game_undo(&game));
    assert_false(game.result.over);
    while (game_undo(&game))
        assert_true(game_hash(&game) == game_hash_recomputed(&game));
    assert_int_equal(game.stones, 0);
}

static void undo_across_everything(void **state)
{
    (void)state;
    start("pente");
    uint64_t empty = game_hash(&game);
    play_all("K10,L11,K7,M12,N13"); // takes two
    assert_int_equal(effect.captured_count, 2);
    assert_int_equal(game.stones_taken[1], 2);
    assert_true(game_undo(&game));
    assert_int_equal(game.stones_taken[1], 0);
    assert_int_equal(game_at(&game, 10, 10), 2);
    assert_int_equal(game_next_colour(&game), 1);
    while (game_undo(&game))
        ;
    assert_true(game_hash(&game) == empty);
    start("pentago");
    empty = game_hash(&game);
    play_all("1/1 1R,2/5 2L,3/3");
    assert_true(game_undo(&game));
    assert_int_equal(game_at(&game, 2, 5), 1); // block 1 turned its corner
    assert_true(game_undo(&game) && game_undo(&game));
    assert_true(game_hash(&game) == empty);
}

static void seats_of_partners(void **state)
{
    (void)state;
    start("pente-partners");
    static const unsigned seats[] = {1, 2, 3, 4, 1};
    static const char *const moves[] = {"K10", "A1", "A3", "A5", "A7"};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(game_next_seat(&game), seats[i]);
        assert_int_equal(game_next_colour(&game), seats[i] % 2 ? 1 : 2);
        assert_int_equal(play(moves[i]), REASON_NONE);
    }
    assert_int_equal(game_seat_colour(&game, 3), 1);
}

static void equal_moves(void **state)
{
    (void)state;
    struct move a = move_twist(1, 2, 3, 1, 1), b = a;
    assert_true(move_equal(a, b));
    b.turn = -1;
    assert_false(move_equal(a, b));
    b.block = a.block = 0; // without a block the turn means nothing
    assert_true(move_equal(a, b));
    b.y = 4;
    assert_false(move_equal(a, b));
    b = a;
    b.x = 5;
    assert_false(move_equal(a, b));
    b = a;
    b.block = 2;
    assert_false(move_equal(a, b));
    b = a;
    b.colour = 2;
    assert_false(move_equal(a, b));
    assert_false(move_equal(a, move_choice(MOVE_PASS)));
    assert_true(move_equal(move_choice(MOVE_PASS), move_choice(MOVE_PASS)));
    struct point p = {1, 2}, q = {3, 4};
    assert_true(move_equal(move_pair(0, p, q), move_pair(0, p, q)));
    assert_false(move_equal(move_pair(0, p, q), move_pair(0, p, p)));
    assert_false(move_equal(move_pair(0, p, q), move_pair(0, q, q)));
    assert_false(move_equal(move_pair(0, p, q), move_pair(0, p, (struct point){3, 5})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resignation),
        cmocka_unit_test(agreed_draw),
        cmocka_unit_test(names_of_endings),
        cmocka_unit_test(who_resigns),
        cmocka_unit_test(swap2_choices),
        cmocka_unit_test(connect6_pairs),
        cmocka_unit_test(malformed_moves),
        cmocka_unit_test(longest_game),
        cmocka_unit_test(undo_across_everything),
        cmocka_unit_test(seats_of_partners),
        cmocka_unit_test(equal_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
