// Machine-proved tactics: the first move of a forced win, the only defences. A sample of the data
// under TESSERA_DATA, searched by a fixed number of nodes so that a slow machine sees the same; and
// positions of our own that are always tried.
#include "tests/unit/engine_helper.h"

enum { NODES = 60000, STEP = 9 };

static struct game game;

static int listed(const char *list, const char *move)
{
    size_t length = strlen(move);
    for (const char *at = list; (at = strstr(at, move)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

// Tries every STEP-th line: column 2 holds the moves, column 4 the good answers.
static void try_file(const char *name, int at_least)
{
    static char line[65536];
    FILE *file = open_data(name);
    struct engine *engine = new_engine(10, 1);
    int tried = 0, right = 0;
    for (int n = 0; fgets(line, sizeof line, file);) {
        char *field[5] = {0}, *rest = line, text[MOVE_TEXT_MAX];
        if (line[0] == '#' || n++ % STEP)
            continue;
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < 5 && rest; i++)
            field[i] = strsep(&rest, "\t");
        if (!field[4] || !*field[4])
            continue; // every move loses
        play_text(&game, "pente", field[2]);
        engine_forget(engine);
        struct engine_thought *thought = think(engine, &game, NODES, 0);
        move_format(&game.rules, thought->line[0].move, text);
        tried++;
        right += listed(field[4], text);
    }
    fclose(file);
    engine_free(engine);
    print_message("%s: %d of %d\n", name, right, tried);
    assert_true(tried > 10);
    assert_true(right * 100 >= tried * at_least);
}

static void test_forced_wins(void **state)
{
    (void)state;
    try_file("tactics/forced_wins.tsv", 99);
}

static void test_must_defend(void **state)
{
    (void)state;
    try_file("tactics/must_defend.tsv", 95);
}

// Positions of our own: moves, and the answers that are right.
static const struct {
    const char *moves, *answers;
} own[] = {
    {"K10 A1 L10 A3 M10 A5 N10 A7", "J10 O10"}, // five
    {"K10 A1 L10 A3 M10 A5 N10", "J10 O10"},    // … or at least stop one of them
    {"K10 K9 A1 K8 A3 K7 A5 K6", "K5"},         // stop a four
    {"K10 L10 A1 M10", "N10"},                  // nothing else to do: take the pair
    {"K10 L8 L10 A1 M10 A3 L9 A5 N10", "L11"},  // an open four: only taking a pair out helps
};

static void test_own_positions(void **state)
{
    (void)state;
    struct engine *engine = new_engine(10, 1);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char moves[256], text[MOVE_TEXT_MAX];
        snprintf(moves, sizeof moves, "%s", own[i].moves);
        play_text(&game, "pente-free", moves);
        engine_forget(engine);
        move_format(&game.rules, think(engine, &game, 20000, 0)->line[0].move, text);
        if (!listed(own[i].answers, text))
            fail_msg("%s: %s instead of %s", own[i].moves, text, own[i].answers);
    }
    engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_positions),
        cmocka_unit_test(test_forced_wins),
        cmocka_unit_test(test_must_defend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
