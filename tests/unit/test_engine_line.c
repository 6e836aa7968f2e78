// Line classes, drawn. '*' is the point the stone is laid on, X the player's stones, O the other's,
// '|' the edge; the drawing is centred on '*'.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/engine/line.h"

static uint32_t code_of(const struct line_table *table, const char *drawing)
{
    char span[12] = "...........";
    int reach = table->reach, last = 2 * reach, centre = (int)strcspn(drawing, "*");
    for (int i = 0; drawing[i]; i++) {
        int at = i - centre + reach;
        if (at >= 0 && at <= last)
            span[at] = drawing[i];
    }
    // What lies beyond an edge is off the board too.
    for (int at = reach; at > 0; at--)
        if (span[at] == '|')
            span[at - 1] = '|';
    for (int at = reach; at < last; at++)
        if (span[at] == '|')
            span[at + 1] = '|';
    uint32_t code = 0;
    unsigned shift = 0;
    for (int at = 0; at <= last; at++) {
        if (at == reach)
            continue;
        char c = span[at];
        code |= (c == 'X' ? 1u : c == 'O' ? 2u : c == '|' ? 3u : 0u) << shift;
        shift += 2;
    }
    return code;
}

static uint32_t counts_of(const struct line_table *table, const char *drawing)
{
    return (uint32_t)table->value[table->id[code_of(table, drawing)]].counts;
}

// The other player's half must say the same of the drawing with the colours swapped.
static uint32_t swapped_counts_of(const struct line_table *table, const char *drawing)
{
    char swapped[32];
    snprintf(swapped, sizeof swapped, "%s", drawing);
    for (char *c = swapped; *c; c++)
        *c = (char)(*c == 'X' ? 'O' : *c == 'O' ? 'X' : *c);
    return (uint32_t)(table->value[table->id[code_of(table, swapped)]].counts >> 32);
}

struct drawn {
    const char *line;
    uint32_t counts;
};

static void check(const struct line_rules *rules, const struct drawn *cases, size_t count)
{
    struct line_table *table;
    assert_int_equal(line_table_new(rules, &table), 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t got = counts_of(table, cases[i].line);
        if (got != cases[i].counts)
            fail_msg("%s: %#x instead of %#x", cases[i].line, got, cases[i].counts);
        assert_int_equal(swapped_counts_of(table, cases[i].line), got);
    }
    line_table_free(table);
}

#define FIVE       (1u << LINE_FIVE_SHIFT)
#define OPEN_FOUR  (1u << LINE_OPEN_FOUR_SHIFT)
#define FOUR       (1u << LINE_FOUR_SHIFT)
#define OPEN_THREE (1u << LINE_OPEN_THREE_SHIFT)
#define THREE      (1u << LINE_THREE_SHIFT)
#define PAIR       (1u << LINE_PAIR_SHIFT)
#define TRIPLE     (1u << LINE_TRIPLE_SHIFT)
#define MENACE     (1u << LINE_MENACE_SHIFT)
#define EXPOSED    (1u << LINE_EXPOSED_SHIFT)

static void test_pente(void **state)
{
    (void)state;
    static const struct drawn cases[] = {
        {"XXXX*", FIVE},
        {"XX*XX", FIVE},
        {"XXX*XXX", FIVE},
        {"*XXXX|", FIVE},
        {".XXX*.", OPEN_FOUR},
        {"X.XX*.X", OPEN_FOUR},
        {"OXXX*.", FOUR},
        {"XX.X*", FOUR},
        {"|XXX*.", FOUR},
        {"OXXX*O", 0},
        {"|XX.*O", 0},
        {"..XX*..", OPEN_THREE},
        {".X.X*.", OPEN_THREE},
        {"OXX*..", THREE},
        {"O.XX*.O", THREE},
        {"|XX*..", THREE},
        {"X.X.*", THREE},
        {"*OOX", PAIR},
        {"XOO*OOX", 2 * PAIR},
        {"*OOOX", 0},
        {"*OX", 0},
        {"*OO.", MENACE},
        {".OO*OOX", PAIR + MENACE},
        {"*OO|", 0},
        {"*OOO", 0},
        {"OX*.", EXPOSED},
        {".X*O", EXPOSED},
        {"OX*O", 0},
        {"OX*|", 0},
        {".X*.", 0},
        {"O*X.", EXPOSED},
        {"OX*X.", THREE},
    };
    check(&(struct line_rules){.win_length = 5, .pairs = 1}, cases, sizeof cases / sizeof *cases);
}

static void test_keryo(void **state)
{
    (void)state;
    static const struct drawn cases[] = {
        {"*OOOX", TRIPLE}, {"*OOO.", MENACE},           {"*OOX", PAIR},
        {"*OOOO", 0},      {"OXX*..", THREE + EXPOSED},
    };
    check(&(struct line_rules){.win_length = 5, .pairs = 1, .triples = 1}, cases,
          sizeof cases / sizeof *cases);
}

static void test_exact_five(void **state)
{
    (void)state;
    static const struct drawn cases[] = {
        {"OXXX*XO", FIVE}, {"OXXX*XXO", 0}, {".XXX*.", OPEN_FOUR}, {".XXX*.X", FOUR}, {"*OOX", 0},
    };
    check(&(struct line_rules){.win_length = 5, .exact = 1}, cases, sizeof cases / sizeof *cases);
}

static void test_refuses_other_rules(void **state)
{
    (void)state;
    struct line_table *table;
    assert_int_equal(line_table_new(&(struct line_rules){.win_length = 2}, &table), -22);
    assert_int_equal(line_table_new(&(struct line_rules){.win_length = 7}, &table), -22);
    assert_null(line_table_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pente),
        cmocka_unit_test(test_keryo),
        cmocka_unit_test(test_exact_five),
        cmocka_unit_test(test_refuses_other_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
