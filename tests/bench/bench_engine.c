// Speed of the engine's parts: search board, whole search, Pentago search and solver.
#include <stdio.h>
#include <stdlib.h>

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "rules/engine/engine.h"
#include "rules/engine/pentago_mid.h"
#include "rules/engine/pentago_opening.h"
#include "rules/engine/sboard.h"
#include "rules/notation.h"

#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };

#define MIDDLE_GAME "K10,L9,K14,L11,H12,J11,H10,L10"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, double *value, const char *unit)
{
    qsort(value, ROUNDS, sizeof *value, by_size);
    printf("%s\t%.7g\t%.2g\t%s\n", name, value[ROUNDS / 2], value[ROUNDS - 1] - value[0], unit);
}

static void bench_board(void)
{
    static struct sboard b;
    struct line_table *table;
    struct sb_rules rules = {.size = 19, .line = {5, 0, 1, 0, 0}, .goal = 10};
    struct rng rng;
    double value[ROUNDS];
    int cells[64];
    if (line_table_new(&rules.line, &table) < 0)
        return;
    sb_init(&b, &rules, table);
    rng_seed(&rng, 1);
    while (b.depth < 24) {
        int cell = sb_cell(5 + (int)rng_below(&rng, 9), 5 + (int)rng_below(&rng, 9));
        if (!b.state[cell] && !sb_wins_at(&b, b.side, cell))
            sb_make(&b, cell);
    }
    for (int i = 0; i < 64;) {
        int cell = sb_cell(5 + (int)rng_below(&rng, 9), 5 + (int)rng_below(&rng, 9));
        if (!b.state[cell])
            cells[i++] = cell;
    }
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = clock_monotonic_ns();
        for (int i = 0; i < 200000; i++) {
            sb_make(&b, cells[i & 63]);
            sb_unmake(&b);
        }
        value[round] = 200000 * 1e3 / (double)(clock_monotonic_ns() - start);
    }
    report("engine board make+unmake", value, "M/s");
    line_table_free(table);
}

// Time on a processor: what others do on the machine meanwhile hardly matters.
static int64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int play_all(struct game *game, const char *variant, const char *moves)
{
    char text[256], *save = NULL;
    snprintf(text, sizeof text, "%s", moves);
    game_init(game, variant_find(variant));
    for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        struct move move;
        if (!move_parse(&game->rules, word, strlen(word), &move) ||
            game_play(game, move, NULL) != REASON_NONE)
            return -1;
    }
    return 0;
}

// Speed, and time and nodes to a depth. The nodes are the search's signature: one thread, a seed
// and a depth give the same number on every machine, until the search is changed.
static void bench_search(const char *name, const char *variant, const char *moves, uint64_t nodes,
                         int depth)
{
    static struct game game;
    static struct engine_thought thought;
    struct engine_settings settings = {.level = 10, .threads = 1, .hash_mib = 64, .seed = 1};
    struct engine_limits speedy = {.nodes = nodes}, deep = {.depth = depth};
    struct engine *engine;
    struct error err;
    double speed[ROUNDS], time[ROUNDS], signature[ROUNDS];
    char text[64];
    if (play_all(&game, variant, moves) < 0 || engine_new(&settings, &engine, &err) < 0)
        return;
    engine_prepare(engine, &game.rules);
    for (int round = 0; round < ROUNDS; round++) {
        engine_forget(engine);
        int64_t start = processor_ns();
        engine_think(engine, &game, &speedy, true, NULL, NULL, NULL, &thought, NULL);
        speed[round] = (double)thought.nodes * 1e3 / (double)(processor_ns() - start);
        engine_forget(engine);
        start = processor_ns();
        engine_think(engine, &game, &deep, true, NULL, NULL, NULL, &thought, NULL);
        time[round] = (double)(processor_ns() - start) / (double)NS_PER_MS;
        signature[round] = (double)thought.nodes;
    }
    snprintf(text, sizeof text, "engine %s nodes", name);
    report(text, speed, "M/s");
    snprintf(text, sizeof text, "engine %s, to depth %d", name, depth);
    report(text, time, "ms");
    snprintf(text, sizeof text, "engine %s, signature at depth %d", name, depth);
    report(text, signature, "nodes");
    engine_free(engine);
}

// Nodes that two threads make for each that one makes, in the same time (which needs two idle
// cores), and in the same processor time (which shows what sharing the table costs, on any machine:
// 1 = nothing).
static void bench_threads(void)
{
    static struct game game;
    static struct engine_thought thought;
    double ratio[ROUNDS], cost[ROUNDS];
    struct engine *engine[2];
    struct error err;
    if (play_all(&game, "pente", MIDDLE_GAME) < 0)
        return;
    for (int i = 0; i < 2; i++) {
        struct engine_settings settings = {
            .level = 10, .threads = 1 + i, .hash_mib = 64, .seed = 1};
        if (engine_new(&settings, &engine[i], &err) < 0)
            return;
        engine_prepare(engine[i], &game.rules);
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t nodes[2];
        int64_t work[2];
        for (int i = 0; i < 2; i++) {
            engine_forget(engine[i]);
            work[i] = processor_ns();
            struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + 700 * NS_PER_MS};
            engine_think(engine[i], &game, &limits, true, NULL, NULL, NULL, &thought, NULL);
            nodes[i] = thought.nodes;
            work[i] = processor_ns() - work[i];
        }
        ratio[round] = (double)nodes[1] / (double)nodes[0];
        cost[round] = ratio[round] * (double)work[0] / (double)work[1];
    }
    report("engine pente, nodes of 2 threads to 1", ratio, "times");
    report("engine pente, the same per processor time", cost, "times");
    for (int i = 0; i < 2; i++)
        engine_free(engine[i]);
}

static void bench_solver(void)
{
    double value[ROUNDS];
    struct rng rng;
    rng_seed(&rng, 9);
    for (int round = 0; round < ROUNDS;) {
        uint64_t m[2] = {0, 0};
        for (int n = 0; n < 22;) {
            uint64_t bit = 1ull << pentago_bit_of[rng_below(&rng, 36)];
            if ((m[0] | m[1]) & bit)
                continue;
            m[n++ & 1] |= bit;
        }
        if (pentago_five(m[0]) || pentago_five(m[1]))
            continue;
        struct pentago_mid_values values;
        int64_t start = clock_monotonic_ns();
        pentago_mid_solve(m[0], m[1], 0, NULL, &values);
        value[round++] = (double)(clock_monotonic_ns() - start) / (double)NS_PER_MS;
    }
    report("engine pentago solver, 22 marbles", value, "ms");
}

int main(void)
{
    bench_board();
    bench_search("pente", "pente", MIDDLE_GAME, 200000, 8);
    bench_search("keryo", "keryo", "K10,J11,K13,J13,H10,J12,J10,L10,M11,L12", 200000, 7);
    bench_search("pentago", "pentago", "2/5 1R,3/5 1L,1/5 4R,4/5 3L,1/1 2R,2/1 4L", 1000000, 3);
    bench_threads();
    bench_solver();
    return 0;
}
