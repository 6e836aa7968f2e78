// bench_points [GAMES [NODES]]: what playing for points is worth. The engine that knows that the
// game is Points Pente plays against the same engine told that it is plain Pente, colours swapped,
// from random openings; prints the mean lead in points of the first and how many games each won.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base/rng.h"
#include "rules/engine/engine.h"
#include "rules/engine/points.h"

enum { GAMES = 40, NODES = 4000, OPENING_STONES = 4, HASH_MIB = 16 };

static struct game scored, plain;

static int play(struct engine *const engine[2], unsigned knowing, uint64_t nodes)
{
    static struct engine_thought thought;
    struct engine_limits limits = {.nodes = nodes};
    while (!scored.result.over) {
        unsigned colour = game_next_colour(&scored);
        int knows = colour == knowing;
        if (engine_think(engine[knows], knows ? &scored : &plain, &limits, true, NULL, NULL, NULL,
                         &thought, NULL) < 0 ||
            game_play(&scored, thought.line[0].move, NULL) != REASON_NONE ||
            game_play(&plain, thought.line[0].move, NULL) != REASON_NONE)
            return -1;
    }
    return 0;
}

static int open_game(struct rng *rng)
{
    static struct move legal[LEGAL_MAX];
    game_init(&scored, variant_find("pente-points"));
    game_init(&plain, variant_find("pente"));
    for (int i = 0; i < OPENING_STONES;) {
        size_t count = game_legal(&scored, legal);
        struct move m = legal[rng_below(rng, (uint32_t)count)];
        if (abs(m.x - 9) > 3 || abs(m.y - 9) > 3)
            continue;
        if (game_play(&scored, m, NULL) != REASON_NONE || game_play(&plain, m, NULL) != REASON_NONE)
            return -1;
        i++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int games = argc > 1 ? atoi(argv[1]) : GAMES, won[2] = {0, 0};
    uint64_t nodes = argc > 2 ? strtoull(argv[2], NULL, 10) : NODES;
    struct engine_settings settings = {
        .level = ENGINE_LEVELS, .threads = 1, .hash_mib = HASH_MIB, .seed = 1};
    struct engine *engine[2];
    struct error err;
    struct rng rng;
    double sum = 0, squares = 0;
    rng_seed(&rng, 9);
    for (int i = 0; i < 2; i++) {
        if (engine_new(&settings, &engine[i], &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    for (int g = 0; g < games; g++) {
        static struct rng opening;
        unsigned knowing = 1 + (unsigned)g % 2;
        if (g % 2 == 0)
            opening = rng;
        struct rng same = opening; // both games of a pair begin alike
        if (open_game(&same) < 0 || play(engine, knowing, nodes) < 0)
            return 1;
        rng = same;
        int lead = points_lead(&scored, knowing);
        sum += lead;
        squares += lead * lead;
        won[0] += scored.result.winner == knowing;
        won[1] += scored.result.winner == 3 - knowing;
    }
    double mean = sum / games, spread = 2 * sqrt((squares / games - mean * mean) / games);
    printf("engine for points, mean lead\t%.2f\t%.2f\tpoints\n", mean, spread);
    printf("engine for points, games won\t%d\t%d\tgames lost\n", won[0], won[1]);
    for (int i = 0; i < 2; i++)
        engine_free(engine[i]);
    return 0;
}
