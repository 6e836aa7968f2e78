// Pentago: the opening table and the solver against exact values (TESSERA_DATA) and against a plain
// search on the rules core.
#include "tests/unit/engine_helper.h"

#include "config/base/rng.h"
#include "rules/engine/pentago_mid.h"
#include "rules/engine/pentago_opening.h"

static struct game game;

// The board as the data files draw it: 36 characters, the top row first.
static void set_board(const char *text)
{
    struct setup setup = {0};
    struct error err;
    for (int i = 0; i < PENTAGO_HOLES; i++) {
        if (text[i] == '.')
            continue;
        setup.stones[setup.stone_count].colour = (uint8_t)(text[i] - '0');
        setup.stones[setup.stone_count++].at = (struct point){(int8_t)(i % 6), (int8_t)(5 - i / 6)};
    }
    setup.ply = setup.stone_count;
    if (game_setup(&game, variant_find("pentago"), &setup, &err) < 0)
        fail_msg("%s", err.text);
}

// The value of "cell:block:dir=value" in the list for a move; −2 when it is not listed.
static int listed_value(const char *list, struct move move)
{
    char key[32];
    int cell = (5 - move.y) * 6 + move.x;
    if (move.block)
        snprintf(key, sizeof key, " %d:%d:%s=", cell, move.block - 1,
                 move.turn == PENTAGO_CLOCKWISE ? "cw" : "ccw");
    else
        snprintf(key, sizeof key, " %d:0:none=", cell);
    const char *at = strstr(list, key);
    return at ? atoi(at + strlen(key)) : -2;
}

static void try_exact(const char *name, int low, int high, int step, int64_t ms, uint64_t nodes)
{
    static char line[65536];
    FILE *file = open_data(name);
    struct engine *engine = new_engine(10, 3);
    int tried = 0;
    for (int n = 0; fgets(line, sizeof line, file);) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        set_board(line);
        if (game.stones < low || game.stones > high || n++ % step)
            continue;
        int value = atoi(line + 37);
        struct engine_thought *thought = think(engine, &game, nodes, ms);
        assert_int_equal(listed_value(line, thought->line[0].move), value);
        assert_true(thought->line[0].proven);
        tried++;
    }
    fclose(file);
    engine_free(engine);
    assert_true(tried > 3);
}

static void test_openings(void **state)
{
    (void)state;
    try_exact("pentago/exact_open_0to5.txt", 0, 4, 1, 0, 1);
}

static void test_late(void **state)
{
    (void)state;
    try_exact("pentago/exact_late_20to28.txt", 22, 36, 5, 0, 1);
    try_exact("pentago/exact_late_hard_22to24.txt", 22, 36, 8, 0, 1);
}

// Every class of the table once, against the list it was made from: value and a move that keeps it.
static void test_table_is_the_list(void **state)
{
    (void)state;
    static char line[4096];
    FILE *file = open_data("pentago/opening.txt");
    int tried = 0;
    while (fgets(line, sizeof line, file)) {
        uint64_t marbles[2] = {0, 0};
        struct pentago_opening_entry entry;
        if (line[0] == '#')
            continue;
        for (int i = 0; i < PENTAGO_HOLES; i++)
            if (line[i] != '.')
                marbles[line[i] - '1'] |= pentago_bit((unsigned)i % 6, 5 - (unsigned)i / 6);
        assert_int_equal(pentago_opening_find(marbles, &entry), 0);
        assert_int_equal(entry.value, atoi(line + 37));
        assert_int_equal((marbles[0] | marbles[1]) >> entry.move.bit & 1, 0);
        tried++;
    }
    fclose(file);
    assert_int_equal(tried, PENTAGO_OPENING_CLASSES);
}

// Symmetric positions have symmetric answers.
static void test_table_symmetries(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    for (int k = 0; k < 200; k++) {
        uint64_t marbles[2] = {0, 0}, mapped[2];
        for (int n = 0; n < 4;) {
            uint64_t bit = 1ull << pentago_bit_of[rng_below(&rng, PENTAGO_HOLES)];
            if ((marbles[0] | marbles[1]) & bit)
                continue;
            marbles[n++ & 1] |= bit;
        }
        struct pentago_opening_entry a, b;
        assert_int_equal(pentago_opening_find(marbles, &a), 0);
        for (unsigned s = 0; s < 8; s++) {
            for (int i = 0; i < 2; i++)
                mapped[i] = pentago_map_marbles(marbles[i], s);
            for (int i = 0; i < 2; i++)
                assert_true(pentago_map_marbles(mapped[i], pentago_inverse(s)) == marbles[i]);
            assert_int_equal(pentago_opening_find(mapped, &b), 0);
            assert_int_equal(a.value, b.value);
            assert_int_equal(a.ease, b.ease);
        }
    }
}

// Plain negamax on the rules core, from the side to move.
static int plain_value(struct game *g)
{
    struct move *legal = malloc(LEGAL_MAX * sizeof *legal);
    assert_non_null(legal);
    size_t count = game_legal(g, legal);
    unsigned me = game_next_colour(g);
    int best = -1;
    for (size_t i = 0; i < count && best < 1; i++) {
        assert_int_equal(game_play(g, legal[i], NULL), REASON_NONE);
        int value = !g->result.over          ? -plain_value(g)
                    : !g->result.winner      ? 0
                    : g->result.winner == me ? 1
                                             : -1;
        game_undo(g);
        if (value > best)
            best = value;
    }
    free(legal);
    return best;
}

static void check_moves(const struct pentago_mid_values *v)
{
    unsigned me = game_next_colour(&game);
    int best = -1;
    for (int i = 0; i < v->count; i++) {
        int hole = (uint8_t)pentago_hole_of[v->bit[i]];
        for (int t = 0; t < PENTAGO_TWISTS; t++) {
            struct move m =
                v->five[i] ? move_place(0, hole % 6, hole / 6)
                           : move_twist(0, hole % 6, hole / 6, (int)pentago_block((unsigned)t / 2),
                                        t % 2 ? PENTAGO_ANTICLOCKWISE : PENTAGO_CLOCKWISE);
            assert_int_equal(game_play(&game, m, NULL), REASON_NONE);
            int value = !game.result.over          ? -plain_value(&game)
                        : !game.result.winner      ? 0
                        : game.result.winner == me ? 1
                                                   : -1;
            game_undo(&game);
            assert_int_equal(v->twist[i][t], value);
            best = value > best ? value : best;
        }
    }
    assert_int_equal(v->value, best);
}

static void test_solver_against_plain_search(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    for (int k = 0; k < 120;) {
        char board[PENTAGO_HOLES + 1] = "....................................";
        int holes = 1 + k % 4;
        for (int n = 0; n < PENTAGO_HOLES - holes;) {
            uint32_t at = rng_below(&rng, PENTAGO_HOLES);
            if (board[at] == '.')
                board[at] = (char)('1' + n++ % 2);
        }
        set_board(board);
        const uint64_t *m = game.pentago.marbles;
        if (pentago_five(m[0]) || pentago_five(m[1]))
            continue;
        struct pentago_mid_values values;
        int side = (int)game_next_colour(&game) - 1;
        assert_int_equal(pentago_mid_solve(m[side], m[1 - side], 0, NULL, &values), 0);
        check_moves(&values);
        k++;
    }
}

static void test_solver_limits(void **state)
{
    (void)state;
    struct pentago_mid_values values;
    atomic_int stop = 1;
    assert_int_equal(pentago_mid_solve(0, 0, 0, NULL, &values), -7);
    assert_true(pentago_mid_memory(16) < (size_t)192 << 20);
    // A stop is obeyed at once, and nothing leaks.
    uint64_t own = 0, enemy = 0;
    for (unsigned i = 0; i < 20; i++)
        *(i % 2 ? &own : &enemy) |= 1ull << pentago_bit_of[(i * 7) % 36];
    assert_int_equal(pentago_mid_solve(own, enemy, 0, &stop, &values), -125);
}

// A marble that makes five wins without a twist; one that must twist says so.
static void test_wins_at_once(void **state)
{
    (void)state;
    struct engine *engine = new_engine(10, 1);
    set_board("1111..222.......2...................");
    struct engine_thought *thought = think(engine, &game, 100000, 0);
    assert_int_equal(thought->line[0].move.x, 4);
    assert_int_equal(thought->line[0].move.y, 5);
    assert_int_equal(thought->line[0].move.block, 0);
    assert_true(thought->line[0].proven && thought->line[0].plies == 1);
    engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wins_at_once),
        cmocka_unit_test(test_table_symmetries),
        cmocka_unit_test(test_solver_against_plain_search),
        cmocka_unit_test(test_solver_limits),
        cmocka_unit_test(test_table_is_the_list),
        cmocka_unit_test(test_openings),
        cmocka_unit_test(test_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
