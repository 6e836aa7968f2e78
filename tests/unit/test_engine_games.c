// Whole games of every variant: the engine never plays an illegal move, every game ends, and a
// random player has no chance.
#include "tests/unit/engine_helper.h"

#include "config/base/rng.h"

enum { ENTRIES_MAX = 420 };

static struct game game;
static struct move legal[LEGAL_MAX];

static struct move random_move(struct rng *rng)
{
    static const enum move_kind choices[] = {MOVE_FIRST, MOVE_SECOND};
    if (game_choice_pending(&game))
        return move_choice(choices[rng_below(rng, 2)]);
    size_t count = game_legal(&game, legal);
    return legal[rng_below(rng, (uint32_t)count)];
}

// Plays one game in which the engine acts for the seats of `seats` (bit s) and chance for the rest.
// Returns the winning side, 0 for a draw.
static unsigned play_game(struct engine *engine, const struct variant *variant, unsigned seats,
                          uint64_t nodes, struct rng *rng)
{
    game_init(&game, variant);
    while (!game.result.over && game.entries < ENTRIES_MAX) {
        unsigned seat =
            game_choice_pending(&game) ? game_choice_pending(&game) : game_next_seat(&game);
        struct move move;
        if (seats >> seat & 1)
            move = think(engine, &game, nodes, 0)->line[0].move;
        else
            move = random_move(rng);
        struct effect effect;
        if (game_play(&game, move, &effect) != REASON_NONE)
            fail_msg("%s, move %u: %s", variant->name, game.entries + 1u,
                     reason_name(effect.reason));
    }
    return game.result.over ? game.result.winner : 0;
}

static void test_beats_chance(void **state)
{
    (void)state;
    static const struct {
        const char *variant;
        int games;
    } matches[] = {{"pente", 10},   {"keryo", 4},    {"poof", 4},
                   {"boat", 4},     {"gomoku", 4},   {"o-pente", 4},
                   {"connect6", 2}, {"pentago", 10}, {"swap2-pente", 4}};
    struct engine *engine = new_engine(10, 1);
    struct rng rng;
    rng_seed(&rng, 2026);
    for (size_t i = 0; i < sizeof matches / sizeof *matches; i++) {
        const struct variant *v = variant_find(matches[i].variant);
        for (int g = 0; g < matches[i].games; g++) {
            unsigned seat = 1 + (unsigned)g % 2;
            unsigned winner = play_game(engine, v, 1u << seat, 2000, &rng);
            // The seat's colour may have been swapped by a choice.
            if (winner != v->sides[game_seat_colour(&game, seat)])
                fail_msg("%s, game %d: lost against chance", v->name, g);
        }
    }
    engine_free(engine);
}

// Even the weakest level is a player.
static void test_level_1_beats_chance(void **state)
{
    (void)state;
    struct engine *engine = new_engine(1, 4);
    struct rng rng;
    rng_seed(&rng, 7);
    int won = 0;
    for (int g = 0; g < 10; g++)
        won += play_game(engine, variant_find("pente"), 1u << (1 + g % 2), 0, &rng) ==
               1u + (unsigned)g % 2;
    assert_true(won >= 9);
    engine_free(engine);
}

static void test_every_variant(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t i = 0; i < variant_table_count; i++) {
        struct engine *engine = new_engine(10, i);
        play_game(engine, &variant_table[i], ~0u, 150, &rng);
        assert_true(game.result.over || game.entries >= ENTRIES_MAX);
        engine_free(engine);
        engine = new_engine(1 + (int)(i % 9), i);
        play_game(engine, &variant_table[i], ~0u, 200, &rng);
        engine_free(engine);
    }
}

// The same seed, the same game; and a level below 10 forgets what it learnt before.
static void test_repeats_itself(void **state)
{
    (void)state;
    static const char *const names[] = {"pente", "pentago", "connect6", "pente-points3"};
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            struct engine *engine = new_engine(10, 42);
            play_game(engine, variant_find(names[i]), ~0u, 500, &rng);
            hash[k] = game_hash(&game);
            engine_free(engine);
        }
        assert_true(hash[0] == hash[1]);
    }
}

// Several threads on one table: legal moves, the same strength of character, no hang.
static void test_threads(void **state)
{
    (void)state;
    static const struct engine_settings settings = {10, 3, 16, 1};
    struct engine *engine;
    struct rng rng;
    struct error err;
    rng_seed(&rng, 5);
    assert_int_equal(engine_new(&settings, &engine, &err), 0);
    for (int g = 0; g < 2; g++)
        assert_int_equal(play_game(engine, variant_find("pente"), 1u << 1, 3000, &rng), 1);
    atomic_int stop = 1;
    struct engine_limits limits = {0};
    static struct engine_thought thought;
    game_init(&game, variant_find("pente"));
    assert_int_equal(engine_think(engine, &game, &limits, true, &stop, NULL, NULL, &thought, &err),
                     0);
    assert_int_equal(game_check(&game, thought.line[0].move, NULL), REASON_NONE);
    engine_free(engine);
}

// House rules: any board and any row length that the rules core accepts.
static void test_house_variants(void **state)
{
    (void)state;
    static const char *const changes[][3] = {
        {"pente", "size", "13"},    {"pente", "size", "7"},
        {"pente", "win_len", "4"},  {"gomoku-free", "size", "9"},
        {"connect6", "size", "11"}, {"pentago", "twist", "always"},
        {"keryo", "poof", "true"},  {"pentago", "place_wins", "false"},
    };
    struct rng rng;
    rng_seed(&rng, 3);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct variant v = *variant_find(changes[i][0]);
        struct error err;
        if (variant_set(&v, changes[i][1], changes[i][2], &err) < 0)
            fail_msg("%s", err.text);
        struct engine *engine = new_engine(10, 1);
        play_game(engine, &v, ~0u, 300, &rng);
        engine_free(engine);
    }
}

static void test_settings_are_checked(void **state)
{
    (void)state;
    struct engine *engine;
    struct error err;
    struct engine_settings bad[] = {
        {0, 1, 16, 0}, {11, 1, 16, 0}, {10, 0, 16, 0}, {10, 65, 16, 0}, {10, 1, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(engine_new(&bad[i], &engine, &err), -22);
    engine = new_engine(10, 1);
    assert_int_equal(engine_set_level(engine, 0, &err), -22);
    game_init(&game, variant_find("pente"));
    struct engine_limits limits = {.nodes = 1};
    static struct engine_thought thought;
    assert_int_equal(game_play(&game, (struct move){.kind = MOVE_RESIGN}, NULL), REASON_NONE);
    assert_int_equal(engine_think(engine, &game, &limits, true, NULL, NULL, NULL, &thought, &err),
                     -22);
    assert_null(engine_free(engine));
    assert_null(engine_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_are_checked),
        cmocka_unit_test(test_beats_chance),
        cmocka_unit_test(test_level_1_beats_chance),
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_repeats_itself),
        cmocka_unit_test(test_house_variants),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
