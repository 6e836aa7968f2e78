// The game beside the board: turns, choices, draws and resignations, limits, undo, free positions.
#include "tests/unit/rules_data.h"

#include "rules/game.h"
#include "rules/notation.h"
#include "rules/perft.h"

static struct game game;
static struct effect effect;

static struct move parse(const char *text)
{
    struct move move;
    if (!move_parse(&game.rules, text, strlen(text), &move))
        fail_msg("%s is no move", text);
    return move;
}

static enum reason play(const char *text)
{
    return game_play(&game, parse(text), &effect);
}

static void play_all(const char *moves)
{
    char copy[512], *save;
    snprintf(copy, sizeof copy, "%s", moves);
    for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save))
        assert_int_equal(play(word), REASON_NONE);
}

static void start(const char *variant)
{
    game_init(&game, variant_find(variant));
}

static struct move by(enum move_kind kind, unsigned colour)
{
    struct move move = move_choice(kind);
    move.colour = (uint8_t)colour;
    return move;
}

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

static void free_positions(void **state)
{
    (void)state;
    static struct setup setup;
    struct error err;
    const struct variant *pente = variant_find("pente");
    game_init(&game, pente);
    uint64_t hash = game_hash(&game);
    setup.stone_count = 1;
    setup.stones[0].colour = 1;
    setup.stones[0].at = (struct point){19, 0};
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    assert_string_equal(err.code, "BadSetup");
    setup.stones[0].at = (struct point){0, 0};
    setup.stones[0].colour = 3;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stones[0].colour = 0;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stones[0].colour = 2;
    setup.stones[1] = setup.stones[0];
    setup.stone_count = 2;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stone_count = POINTS_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.stone_count = 1;
    setup.ply = SETUP_PLY_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.ply = 7;
    setup.captures[2] = SETUP_COUNTER_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, &err), -EINVAL);
    setup.captures[2] = 0;
    setup.stones_taken[1] = SETUP_COUNTER_MAX + 1;
    assert_int_equal(game_setup(&game, pente, &setup, NULL), -EINVAL);
    setup.stones_taken[1] = 4;
    assert_true(game_hash(&game) == hash); // nothing of that changed the game
    assert_int_equal(game_setup(&game, pente, &setup, &err), 0);
    assert_int_equal(game_next_colour(&game), 2);
    assert_int_equal(game_next_seat(&game), 2);
    assert_false(game_undo(&game)); // there is no history to take back
    assert_int_equal(game_at(&game, 0, 0), 2);
    assert_int_equal(game_at(&game, -1, 0), 0);
    assert_int_equal(game_at(&game, 0, 19), 0);
}

static void full_setup_is_over(void **state)
{
    (void)state;
    static struct setup setup;
    struct move legal[LEGAL_MAX];
    struct variant rules = *variant_find("pente-free");
    rules.size = 5;
    memset(&setup, 0, sizeof setup);
    for (int i = 0; i < 25; i++) {
        setup.stones[i].colour = (uint8_t)(1 + (i / 2) % 2);
        setup.stones[i].at = (struct point){(int8_t)(i % 5), (int8_t)(i / 5)};
    }
    setup.stone_count = 25;
    setup.ply = 25;
    assert_int_equal(game_setup(&game, &rules, &setup, NULL), 0);
    assert_true(game.result.over);
    assert_int_equal(game.result.how, HOW_FULL);
    assert_int_equal(game_legal(&game, legal), 0);
}

static void setup_and_protocols(void **state)
{
    (void)state;
    static struct setup setup;
    memset(&setup, 0, sizeof setup);
    for (unsigned i = 0; i < 4; i++) {
        setup.stones[i].colour = (uint8_t)(1 + i % 2);
        setup.stones[i].at = (struct point){(int8_t)(3 * i), 2};
    }
    setup.stone_count = setup.ply = 4;
    assert_int_equal(game_setup(&game, variant_find("d-pente"), &setup, NULL), 0);
    assert_int_equal(game_choice_pending(&game), 2);
    assert_int_equal(game_setup(&game, variant_find("d-pente-pbm"), &setup, NULL), 0);
    assert_int_equal(game_choice_pending(&game), 1);
    assert_int_equal(game_setup(&game, variant_find("swap2-pente"), &setup, NULL), 0);
    assert_int_equal(game_choice_pending(&game), 0); // later than the choice: nobody swapped
    assert_false(game_choice_allowed(&game, MOVE_FIRST));
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

static void calls_and_their_points(void **state)
{
    (void)state;
    struct call calls[CALLS_MAX];
    start("pente");
    play_all("K10,A1,N10,C1,L10,E1");
    play_all("M10"); // K L M N: an unblocked four
    assert_int_equal(effect.calls, CALL_TESSERA);
    assert_int_equal(effect.call_count, 1);
    assert_int_equal(effect.call[0].stone_count, 4);
    assert_int_equal(effect.call[0].block_count, 2);
    char text[MOVE_TEXT_MAX];
    assert_string_equal(point_format(effect.call[0].blocks[0], text), "J10");
    assert_string_equal(point_format(effect.call[0].blocks[1], text), "O10");
    assert_int_equal(game_calls_at(&game, 9, 9, 1, calls), 1);
    assert_int_equal(game_calls_at(&game, 9, 9, 2, calls), 0);
    start("connect6"); // no calls there
    assert_int_equal(game_calls_at(&game, 9, 9, 1, calls), 0);
    start("pentago");
    assert_int_equal(game_calls_at(&game, 3, 3, 1, calls), 0);
    assert_int_equal(game_count_runs(&game, 1, 3, RUN_MIN), 0);
    uint16_t scores[COLOURS_MAX + 1] = {9, 9, 9, 9, 9};
    game_scores(&game, scores);
    assert_int_equal(scores[1], 0);
}

// XX.XX.XX… in three directions makes more fours at once than are listed; the list ends cleanly.
static void many_calls_at_once(void **state)
{
    (void)state;
    static struct setup setup;
    struct call calls[CALLS_MAX];
    uint64_t rng = playout_seed(1);
    size_t most = 0;
    for (unsigned board = 0; board < 200 && most < CALLS_MAX; board++) {
        memset(&setup, 0, sizeof setup);
        setup.ply = 24;
        for (int y = 0; y < 19; y++)
            for (int x = 0; x < 19; x++)
                if ((x + y) % 3 != 0 && playout_below(&rng, 20) != 0) {
                    setup.stones[setup.stone_count].colour = 1;
                    setup.stones[setup.stone_count++].at = (struct point){(int8_t)x, (int8_t)y};
                }
        assert_int_equal(game_setup(&game, variant_find("pente"), &setup, NULL), 0);
        for (int i = 0; i < 361; i++) {
            size_t count = game_calls_at(&game, i % 19, i / 19, 1, calls);
            most = count > most ? count : most;
            assert_true(count <= CALLS_MAX);
        }
    }
    assert_int_equal(most, CALLS_MAX);
}

static void reasons(void **state)
{
    (void)state;
    char text[256];
    struct move far = move_place(0, 10, 10);
    for (enum reason r = REASON_MALFORMED; r < REASON_COUNT; r++) {
        start(r == REASON_TWIST_REQUIRED ? "pentago" : "pente");
        reason_explain(r, &game, &far, text, sizeof text);
        assert_true(strlen(reason_name(r)) > 2);
        assert_true(strlen(text) > 15 && text[strlen(text) - 1] == '.');
        for (enum reason other = REASON_MALFORMED; other < r; other++)
            assert_string_not_equal(reason_name(r), reason_name(other));
    }
    assert_string_equal(reason_name(REASON_NONE), "");
    assert_string_equal(reason_name(REASON_COUNT), "");
    assert_string_equal(reason_explain(REASON_NONE, &game, &far, text, sizeof text), "");
    start("pente-tournament");
    reason_explain(REASON_TOO_CLOSE, &game, &far, text, sizeof text);
    assert_non_null(strstr(text, "K10"));
    start("g-pente");
    reason_explain(REASON_TOO_CLOSE, &game, &far, text, sizeof text);
    assert_non_null(strstr(text, "K14"));
    start("pentago");
    game_play(&game, move_twist(0, 0, 5, 0, 0), NULL);
    struct move taken = move_twist(0, 0, 5, 1, 1);
    assert_int_equal(game_play(&game, taken, NULL), REASON_OCCUPIED);
    reason_explain(REASON_OCCUPIED, &game, &taken, text, sizeof text);
    assert_string_equal(text, "There is already a marble on 1/1. Choose an empty hole.");
    reason_explain(REASON_OFF_BOARD, &game, &taken, text, sizeof text);
    assert_non_null(strstr(text, "from 1/1 to 4/9"));
    start("connect6");
    play_all("K10");
    struct move pair = move_pair(0, (struct point){0, 0}, (struct point){9, 9});
    assert_int_equal(game_play(&game, pair, NULL), REASON_OCCUPIED);
    reason_explain(REASON_OCCUPIED, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "K10"));
    start("swap2-pente");
    play_all("A1,B1,C1");
    reason_explain(REASON_BAD_CHOICE, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "pass"));
    struct variant always = *variant_find("pentago");
    game_init(&game, &always);
    reason_explain(REASON_NO_CHOICE_PENDING, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "marble"));
    always.twist = TWIST_ALWAYS;
    game_init(&game, &always);
    reason_explain(REASON_TWIST_REQUIRED, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "After your marble"));
    always.twist = TWIST_OPTIONAL;
    always.neutral = NEUTRAL_ROTSYM;
    game_init(&game, &always);
    reason_explain(REASON_TWIST_REQUIRED, &game, &pair, text, sizeof text);
    assert_non_null(strstr(text, "look the same"));
    assert_string_equal(reason_explain(REASON_COUNT, &game, &pair, text, sizeof text), "");
}

// A move that could not be read is answered with how it is written in this very game.
static void how_to_write_a_move(void **state)
{
    (void)state;
    char text[256];
    struct move none = {.kind = UINT8_MAX};
    start("pente");
    assert_int_equal(game_play(&game, none, NULL), REASON_MALFORMED);
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_string_equal(text,
                        "That is not a move in this game. Write a point such as K10: a letter "
                        "from A to T (there is no I), then a number from 1 to 19.");
    struct variant small = *variant_find("pente");
    small.size = 7;
    game_init(&game, &small);
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "such as D4: a letter from A to G, then a number from 1 to 7."));
    start("connect6");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_null(strstr(text, "+"));
    play_all("K10");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "+"));
    start("pentago");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "2/5 1R"));
    start("swap2-pente");
    play_all("A1,B1,C1");
    reason_explain(REASON_MALFORMED, &game, &none, text, sizeof text);
    assert_non_null(strstr(text, "Player 2 chooses"));
    // While a choice is due nobody has the turn, whatever colour the stone has.
    assert_int_equal(game_play(&game, move_place(1, 9, 9), NULL), REASON_CHOICE_PENDING);
    assert_int_equal(game_play(&game, move_place(2, 9, 9), NULL), REASON_CHOICE_PENDING);
    // In a game of four the third stone is not of whoever began.
    struct variant team = *variant_find("pente-team");
    team.opening = OPENING_TOURNAMENT;
    game_init(&game, &team);
    play_all("K10,A1");
    assert_int_equal(play("L10"), REASON_TOO_CLOSE);
    struct move close = move_place(0, 10, 9);
    reason_explain(REASON_TOO_CLOSE, &game, &close, text, sizeof text);
    assert_non_null(strstr(text, "The third stone"));
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

// A row that stood before a free position was set up is judged like any other.
static void boat_with_a_standing_row(void **state)
{
    (void)state;
    static struct setup setup;
    static const int stones[][3] = {{1, 4, 4}, {1, 5, 4}, {1, 6, 4}, {1, 7, 4}, {1, 8, 4},
                                    {1, 6, 5}, {2, 6, 3}, {2, 3, 5}, {2, 6, 7}};
    memset(&setup, 0, sizeof setup);
    for (unsigned i = 0; i < 9; i++) {
        setup.stones[i].colour = (uint8_t)stones[i][0];
        setup.stones[i].at = (struct point){(int8_t)stones[i][1], (int8_t)stones[i][2]};
    }
    setup.stone_count = 9;
    setup.ply = 24; // its owner is to move: the row is still breakable, the game goes on
    assert_int_equal(game_setup(&game, variant_find("boat"), &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(1, 15, 15), &effect), REASON_NONE);
    assert_false(effect.result.over);
    assert_int_equal(game_play(&game, move_place(2, 15, 14), &effect), REASON_NONE);
    assert_int_equal(effect.result.winner, 1);
    // In O-Pente its owner can lose it by a poof: E5 and the new F6 stand between D4 and G7.
    static const int poof[][3] = {{1, 4, 4}, {1, 5, 4}, {1, 6, 4}, {1, 7, 4},
                                  {1, 8, 4}, {2, 3, 3}, {2, 6, 6}};
    for (unsigned i = 0; i < 7; i++) {
        setup.stones[i].colour = (uint8_t)poof[i][0];
        setup.stones[i].at = (struct point){(int8_t)poof[i][1], (int8_t)poof[i][2]};
    }
    setup.stone_count = 7;
    assert_int_equal(game_setup(&game, variant_find("o-pente"), &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(1, 5, 5), &effect), REASON_NONE);
    assert_int_equal(effect.poofed_count, 2);
    assert_false(effect.result.over);
    assert_int_equal(game_play(&game, move_place(2, 15, 15), &effect), REASON_NONE);
    assert_false(effect.result.over);
}

// Boat hands the five to whoever made it, also in a points game.
static void boat_with_points(void **state)
{
    (void)state;
    struct variant rules = *variant_find("boat");
    static struct setup setup;
    rules.scoring = SCORING_POINTS2;
    memset(&setup, 0, sizeof setup);
    static const int stones[][3] = {{1, 4, 4}, {1, 5, 4}, {1, 6, 4}, {1, 7, 4},
                                    {1, 8, 4}, {1, 6, 5}, {2, 6, 3}};
    for (unsigned i = 0; i < 7; i++) {
        setup.stones[i].colour = (uint8_t)stones[i][0];
        setup.stones[i].at = (struct point){(int8_t)stones[i][1], (int8_t)stones[i][2]};
    }
    setup.stone_count = 7;
    setup.ply = 25;
    assert_int_equal(game_setup(&game, &rules, &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(2, 15, 15), &effect), REASON_NONE);
    assert_int_equal(effect.result.winner, 1);
    assert_true(effect.scored);
    assert_int_equal(effect.scores[1], 5);
    assert_int_equal(effect.scores[2], 0);
    // A five that nobody can break scores for the one who lays it.
    setup.stone_count = 4;
    setup.ply = 24;
    assert_int_equal(game_setup(&game, &rules, &setup, NULL), 0);
    assert_int_equal(game_play(&game, move_place(1, 8, 4), &effect), REASON_NONE);
    assert_int_equal(effect.scores[1], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resignation),
        cmocka_unit_test(agreed_draw),
        cmocka_unit_test(names_of_endings),
        cmocka_unit_test(swap2_choices),
        cmocka_unit_test(connect6_pairs),
        cmocka_unit_test(malformed_moves),
        cmocka_unit_test(longest_game),
        cmocka_unit_test(free_positions),
        cmocka_unit_test(full_setup_is_over),
        cmocka_unit_test(setup_and_protocols),
        cmocka_unit_test(undo_across_everything),
        cmocka_unit_test(calls_and_their_points),
        cmocka_unit_test(many_calls_at_once),
        cmocka_unit_test(reasons),
        cmocka_unit_test(who_resigns),
        cmocka_unit_test(how_to_write_a_move),
        cmocka_unit_test(seats_of_partners),
        cmocka_unit_test(equal_moves),
        cmocka_unit_test(boat_with_points),
        cmocka_unit_test(boat_with_a_standing_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
