// The opening book: every entry is reached by legal moves and holds legal ones, all eight images of
// a position find the same entry, it varies, and it keeps out of games with other rules.
#include "tests/unit/engine_helper.h"

#include "config/base/rng.h"
#include "rules/engine/book.h"

static struct game game;

static struct move in_game(struct point p, unsigned symmetry)
{
    p = point_map(p, symmetry, BOARD_SIZE_MAX);
    return move_place(0, p.x, p.y);
}

static void test_table_is_sorted(void **state)
{
    (void)state;
    assert_true(book_count > 20);
    for (size_t i = 0; i < book_count; i++) {
        assert_true(i == 0 || book_table[i - 1].key < book_table[i].key);
        assert_in_range(book_table[i].count, 1, BOOK_MOVES_MAX);
        for (int k = 0; k < book_table[i].count; k++)
            assert_true(book_table[i].move[k].x < BOARD_SIZE_MAX &&
                        book_table[i].move[k].y < BOARD_SIZE_MAX);
    }
}

// Plays book moves as far as they go; returns the number of stones.
static int walk(const char *variant, struct rng *rng, uint64_t *ret_hash)
{
    struct move move;
    int score;
    game_init(&game, variant_find(variant));
    while (book_find(&game, rng, &move, &score)) {
        assert_int_equal(game_play(&game, move, NULL), REASON_NONE);
        assert_true(abs(score) < 3000);
    }
    *ret_hash = game_hash(&game);
    return game.ply;
}

static void test_walks(void **state)
{
    (void)state;
    struct rng rng;
    uint64_t hash[40];
    int kinds = 0;
    rng_seed(&rng, 1);
    for (int i = 0; i < 40; i++) {
        bool known = false;
        assert_true(walk(i % 2 ? "pente" : "pente-tournament", &rng, &hash[kinds]) >= 2);
        for (int k = 0; k < kinds; k++)
            known |= hash[k] == hash[kinds];
        kinds += !known;
    }
    assert_true(kinds > 10); // nobody replays yesterday's game
    uint64_t again[2];
    for (int i = 0; i < 2; i++) {
        rng_seed(&rng, 9);
        walk("pente", &rng, &again[i]);
    }
    assert_true(again[0] == again[1]);
}

// The same key for every image of a game; the moves found are images of each other.
static void test_images(void **state)
{
    (void)state;
    static const struct point stones[] = {{9, 9}, {10, 8}, {9, 12}};
    uint64_t key = 0;
    for (unsigned s = 0; s < SYMMETRIES; s++) {
        unsigned symmetries;
        game_init(&game, variant_find("pente"));
        for (size_t i = 0; i < sizeof stones / sizeof *stones; i++)
            assert_int_equal(game_play(&game, in_game(stones[i], s), NULL), REASON_NONE);
        uint64_t this = book_key(&game, &symmetries);
        assert_int_equal(__builtin_popcount(symmetries), 1); // nothing symmetric about these
        assert_true(s == 0 || this == key);
        key = this;
    }
    game_init(&game, variant_find("pente"));
    unsigned symmetries;
    book_key(&game, &symmetries);
    assert_int_equal(symmetries, 0xff);
}

static void test_other_rules(void **state)
{
    (void)state;
    static const char *const others[] = {"keryo",        "poof",        "boat",    "gomoku",
                                         "pente-points", "swap2-pente", "pentago", "pente-team"};
    struct move move;
    int score;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        game_init(&game, variant_find(others[i]));
        assert_int_equal(book_find(&game, NULL, &move, &score), 0);
    }
}

// At full strength the engine uses it; lower levels and analysis think for themselves.
static void test_engine_uses_it(void **state)
{
    (void)state;
    struct engine *engine = new_engine(10, 1);
    struct error err;
    static struct engine_thought thought;
    struct engine_limits limits = {.nodes = 500, .lines = 3};
    game_init(&game, variant_find("pente"));
    assert_true(think(engine, &game, 500, 0)->book);
    engine_think(engine, &game, &limits, true, NULL, NULL, NULL, &thought, &err);
    assert_false(thought.book);
    assert_int_equal(engine_set_level(engine, 5, &err), 0);
    assert_false(think(engine, &game, 500, 0)->book);
    engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sorted), cmocka_unit_test(test_walks),
        cmocka_unit_test(test_images),          cmocka_unit_test(test_other_rules),
        cmocka_unit_test(test_engine_uses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
