// bench_known [STEP]: what the engine makes of positions whose answers are known ($TESSERA_DATA),
// every STEP-th of them (default 1): the shared tactics, and Pentago's exact values. A figure is
// the share of good answers, its "spread" the number of positions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/engine.h"
#include "rules/notation.h"

enum { HASH_MIB = 64, SOLVER_MIB = 300, LINE_BYTES = 65536 };

static struct game game;
static struct engine_thought thought;
static struct engine *engine;
static long step = 1;

static FILE *open_data(const char *name)
{
    char path[4096];
    const char *folder = getenv("TESSERA_DATA");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
    FILE *file = folder ? fopen(path, "r") : NULL;
    if (!file)
        fprintf(stderr, "%s is not there (TESSERA_DATA): skipped\n", name);
    return file;
}

static void report(const char *what, int64_t ms, int good, int tried)
{
    if (tried)
        printf("engine %s, %g s\t%.1f\t%d\t%%\n", what, (double)ms / 1000, 100.0 * good / tried,
               tried);
    fflush(stdout);
}

static int think(int64_t ms)
{
    engine_forget(engine); // takes its own time, which is not the position's
    struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + ms * NS_PER_MS};
    return engine_think(engine, &game, &limits, true, NULL, NULL, NULL, &thought, NULL);
}

static int listed(const char *list, const char *move)
{
    size_t length = strlen(move);
    for (const char *at = list; (at = strstr(at, move)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

static int play_all(char *moves)
{
    char *save = NULL;
    game_init(&game, variant_find("pente"));
    for (char *word = strtok_r(moves, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        struct move move;
        if (!move_parse(&game.rules, word, strlen(word), &move) ||
            game_play(&game, move, NULL) != REASON_NONE)
            return -1;
    }
    return 0;
}

// Column 2 holds the moves, column 4 the good answers (none: every move loses, not counted).
static void try_tactics(const char *what, const char *name, int64_t ms)
{
    static char line[LINE_BYTES];
    FILE *file = open_data(name);
    int tried = 0, good = 0;
    for (long n = 0; file && fgets(line, sizeof line, file);) {
        char *field[5] = {0}, *rest = line, text[MOVE_TEXT_MAX];
        if (line[0] == '#' || n++ % step)
            continue;
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < 5 && rest; i++)
            field[i] = strsep(&rest, "\t");
        if (!field[4] || !*field[4] || play_all(field[2]) < 0 || think(ms) < 0)
            continue;
        tried++;
        if (listed(field[4], move_format(&game.rules, thought.line[0].move, text)))
            good++;
        else
            printf("# %s (%s): %s instead of %s\n", field[0], what, text, field[4]);
    }
    if (file)
        fclose(file);
    report(what, ms, good, tried);
}

static int set_board(const char *text)
{
    struct setup setup = {0};
    for (int i = 0; i < PENTAGO_HOLES; i++) {
        if (text[i] == '.')
            continue;
        setup.stones[setup.stone_count].colour = (uint8_t)(text[i] - '0');
        setup.stones[setup.stone_count++].at = (struct point){(int8_t)(i % 6), (int8_t)(5 - i / 6)};
    }
    setup.ply = setup.stone_count;
    return game_setup(&game, variant_find("pentago"), &setup, NULL);
}

// The value of a turn in a list of "cell:block:dir=value", or of its place in a list of
// "cell=value"; −2 when it isn't there.
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
    if (!at) {
        snprintf(key, sizeof key, " %d=", cell);
        at = strstr(list, key);
    }
    return at ? atoi(at + strlen(key)) : -2;
}

// Keeps the value, and (second figure) says that it is proved.
static void try_pentago(const char *what, const char *name, int low, int high, int64_t ms)
{
    static char line[LINE_BYTES];
    char proved_text[128];
    FILE *file = open_data(name);
    int tried = 0, good = 0, proved = 0;
    for (long n = 0; file && fgets(line, sizeof line, file);) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (strlen(line) < 38 || set_board(line) < 0 || game.stones < low || game.stones > high ||
            n++ % step)
            continue;
        int value = atoi(line + 37);
        if (think(ms) < 0)
            continue;
        const struct engine_line *best = &thought.line[0];
        tried++;
        good += listed_value(line, best->move) == value;
        proved += best->proven && (best->score > 0) - (best->score < 0) == value;
    }
    if (file)
        fclose(file);
    report(what, ms, good, tried);
    snprintf(proved_text, sizeof proved_text, "%s, value proved", what);
    report(proved_text, ms, proved, tried);
}

static int renew_engine(unsigned hash_mib, const char *variant)
{
    struct engine_settings settings = {
        .level = ENGINE_LEVELS, .threads = 1, .hash_mib = hash_mib, .seed = 1};
    struct error err;
    engine = engine_free(engine);
    int r = engine_new(&settings, &engine, &err);
    return r < 0 ? r : engine_prepare(engine, variant_find(variant));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        step = strtol(argv[1], NULL, 10);
    if (step < 1) {
        fprintf(stderr, "Usage: bench_known [STEP]\n");
        return 2;
    }
    if (renew_engine(HASH_MIB, "pente") < 0)
        return 1;
    try_tactics("forced wins", "tactics/forced_wins.tsv", 100);
    try_tactics("must-defend", "tactics/must_defend.tsv", 100);
    try_tactics("must-defend", "tactics/must_defend.tsv", 1000);
    if (renew_engine(SOLVER_MIB, "pentago") < 0)
        return 1;
    try_pentago("pentago, 0-4 marbles", "pentago/exact_open_0to5.txt", 0, 4, 10);
    try_pentago("pentago, 5 marbles", "pentago/exact_open_0to5.txt", 5, 5, 1000);
    try_pentago("pentago, 20-21 marbles", "pentago/exact_late_20to28.txt", 20, 21, 2000);
    try_pentago("pentago, 22-28 marbles", "pentago/exact_late_20to28.txt", 22, 36, 2000);
    try_pentago("pentago, hard 22-24", "pentago/exact_late_hard_22to24.txt", 22, 24, 2000);
    try_pentago("pentago, lines of play", "pentago/exact_placements_db.txt", 0, 36, 100);
    engine_free(engine);
    return 0;
}
