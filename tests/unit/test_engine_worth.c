// What was learned about Pente: the numbering of lines, and that a position's value depends neither
// on how the board is turned nor on which colour is which.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "rules/engine/eval.h"
#include "rules/engine/worth.h"

enum { SIZE = SB_SIZE_MAX, POINTS = SIZE * SIZE, CODES = LINE_CLOSED(WORTH_REACH) };

static const struct sb_rules pente = {
    .size = SIZE, .line = {.win_length = 5, .pairs = 1}, .goal = 10};

// A line as text, left to right without its middle: '.', '1', '2', '#' beyond the edge.
static uint32_t code_of(const char *text)
{
    uint32_t code = 0;
    for (int i = 0; i < 2 * WORTH_REACH; i++) {
        uint32_t point = (uint32_t)(strchr(".12#", text[i]) - ".12#");
        code |= point << 2 * i;
    }
    return code;
}

static void test_numbers(void **state)
{
    (void)state;
    static uint16_t number[CODES];
    static int used[WORTH_CODES];
    worth_number(number);
    for (uint32_t code = 0; code < CODES; code++) {
        if (number[code] == WORTH_NO_CODE)
            continue;
        assert_in_range(number[code], 0, WORTH_CODES - 1);
        used[number[code]]++;
    }
    for (int i = 0; i < WORTH_CODES; i++)
        assert_in_range(used[i], 1, 2);
    assert_int_equal(number[code_of("..12.1..")], number[code_of("..1.21..")]);
    assert_int_not_equal(number[code_of("..12.1..")], number[code_of("..21.2..")]);
    assert_int_equal(number[code_of("##1..2.#")], number[code_of("#.2..1##")]);
    assert_int_equal(number[code_of("#.#.....")], WORTH_NO_CODE);
    assert_int_equal(number[code_of("....#..1")], WORTH_NO_CODE);
    assert_int_equal(worth_swap(code_of("#.12.1.#")), code_of("#.21.2.#"));
}

// Lines without stones are worth nothing, or a value would depend on how far the edge is.
static void test_empty_lines(void **state)
{
    (void)state;
    static const char *const empty[] = {"........", "#.......", "###....#", "########"};
    static uint16_t number[CODES];
    struct worth *worth;
    worth_number(number);
    assert_int_equal(worth_new(&worth), 0);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        assert_int_equal(worth->line[number[code_of(empty[i])]], 0);
    // Four in a row with a gap to fill are worth more to who is to move.
    int16_t mine = worth->line[number[code_of(".111....")]];
    int16_t yours = worth->line[number[code_of(".222....")]];
    assert_true(mine > 0 && yours < 0);
    worth_free(worth);
}

static int value_of(struct sboard *b, const uint8_t *stones, const int taken[2], int side)
{
    sb_set(b, stones, taken, side, 1);
    return eval_position(b);
}

static void test_symmetry(void **state)
{
    (void)state;
    static struct sboard board;
    struct line_table *table;
    struct rng rng;
    rng_seed(&rng, 5);
    assert_int_equal(line_table_new(&pente.line, &table), 0);
    assert_non_null(table->learned);
    sb_init(&board, &pente, table);
    for (int round = 0; round < 60; round++) {
        uint8_t stones[POINTS] = {0}, turned[POINTS], swapped[POINTS];
        int taken[2] = {2 * (int)rng_below(&rng, 5), 2 * (int)rng_below(&rng, 5)};
        const int other[2] = {taken[1], taken[0]};
        for (int i = 0; i < 30; i++)
            stones[(3 + rng_below(&rng, 9)) * SIZE + rng_below(&rng, 10)] = 1 + (uint8_t)(i & 1);
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++)
                turned[x * SIZE + (SIZE - 1 - y)] = stones[y * SIZE + x];
        for (int i = 0; i < POINTS; i++)
            swapped[i] = stones[i] ? 3 - stones[i] : 0;
        int value = value_of(&board, stones, taken, 0);
        assert_int_equal(value_of(&board, turned, taken, 0), value);
        assert_int_equal(value_of(&board, swapped, other, 1), value);
    }
    line_table_free(table);
}

// Pairs taken are worth something, unless captures can't win.
static void test_goals(void **state)
{
    (void)state;
    static struct sboard board;
    static const uint8_t stones[POINTS] = {[9 * SIZE + 9] = 1, [9 * SIZE + 11] = 2};
    static const int none[2] = {0, 0}, some[2] = {6, 0};
    struct line_table *table;
    assert_int_equal(line_table_new(&pente.line, &table), 0);
    for (int goal = 0; goal <= 10; goal += 10) {
        struct sb_rules rules = pente;
        rules.goal = goal;
        sb_init(&board, &rules, table);
        int before = value_of(&board, stones, none, 0), after = value_of(&board, stones, some, 0);
        if (goal)
            assert_true(after > before + 100);
        else
            assert_int_equal(after, before);
    }
    line_table_free(table);
}

// Other rules keep values of their own.
static void test_other_rules(void **state)
{
    (void)state;
    struct line_rules keryo = {.win_length = 5, .pairs = 1, .triples = 1};
    struct line_table *table;
    assert_int_equal(line_table_new(&keryo, &table), 0);
    assert_null(table->learned);
    line_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_empty_lines),
        cmocka_unit_test(test_symmetry),    cmocka_unit_test(test_goals),
        cmocka_unit_test(test_other_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
