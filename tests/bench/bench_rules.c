// How fast the rules are on one core: Pente make + undo, Pentago placement + twist, and what else
// the robot waits for. Each figure is the median of several runs, with half the spread between the
// fastest and the slowest.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/explain.h"
#include "rules/perft.h"
#include "rules/record.h"

enum { RUNS = 7 };

static uint64_t sink; // results end here, so that no work can be left out

// Seconds of processor time: what other programs take from this core is no cost of the rules.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Runs `work` several times; it returns how many operations it did.
static void measure(const char *name, const char *unit, uint64_t (*work)(void))
{
    double rates[RUNS];
    work(); // warm
    for (int i = 0; i < RUNS; i++) {
        double start = now();
        uint64_t count = work();
        rates[i] = (double)count / (now() - start);
    }
    qsort(rates, RUNS, sizeof rates[0], ascending);
    printf("%s\t%.3g\t%.2g\t%s\n", name, rates[RUNS / 2], (rates[RUNS - 1] - rates[0]) / 2, unit);
    fflush(stdout);
}

// Whole random games forwards and backwards: stones, captures and the end are all in it.
static struct move games[64][GAME_ENTRIES_MAX];
static unsigned lengths[64];

static void prepare_games(const char *variant)
{
    static struct game game;
    for (unsigned k = 0; k < 64; k++) {
        game_playout(&game, variant_find(variant), k, false);
        lengths[k] = game.entries;
        for (unsigned i = 0; i < game.entries; i++)
            games[k][i] = game_move(&game, i);
    }
}

static uint64_t make_undo(const char *variant, unsigned rounds)
{
    static struct game game;
    uint64_t count = 0;
    game_init(&game, variant_find(variant));
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned k = 0; k < 64; k++) {
            for (unsigned i = 0; i < lengths[k]; i++)
                sink += game_play(&game, games[k][i], NULL);
            sink ^= game.stones_hash;
            while (game_undo(&game))
                count++;
        }
    return count;
}

static uint64_t pente(void)
{
    return make_undo("pente", 150);
}

static uint64_t team(void)
{
    return make_undo("pente-team", 100);
}

static uint64_t pentago(void)
{
    return make_undo("pentago", 600);
}

// The solver's way: bitboards alone. Every hole and every twist of positions of all ages, five
// looked for after the marble and, for both, after the twist.
static uint64_t bitboards(void)
{
    uint64_t count = 0, rng = playout_seed(7);
    for (unsigned position = 0; position < 20000; position++) {
        struct pentago p = {{0, 0}};
        for (unsigned i = 0, n = position % 30; i < n; i++)
            p.marbles[i & 1] |= 1ull << pentago_bit_of[playout_below(&rng, 36)];
        p.marbles[1] &= ~p.marbles[0];
        uint64_t empty = PENTAGO_ALL & ~pentago_occupied(p);
        for (; empty; empty &= empty - 1) {
            struct pentago placed = p;
            placed.marbles[0] |= empty & (0 - empty);
            if (pentago_five(placed.marbles[0])) {
                count++;
                continue;
            }
            for (unsigned lane = 0; lane < 4; lane++)
                for (int turn = -1; turn <= 1; turn += 2) {
                    struct pentago t = pentago_twist(placed, lane, (enum pentago_turn)turn);
                    sink += pentago_five(t.marbles[0]) + 2u * pentago_five(t.marbles[1]);
                    count++;
                }
        }
    }
    return count;
}

static uint64_t effects(void)
{
    static struct game game;
    struct effect effect;
    uint64_t count = 0;
    game_init(&game, variant_find("pente"));
    for (unsigned round = 0; round < 4; round++)
        for (unsigned k = 0; k < 64; k++) {
            for (unsigned i = 0; i < lengths[k]; i++, count++) {
                game_play(&game, games[k][i], &effect);
                sink += effect.calls;
            }
            while (game_undo(&game))
                ;
        }
    return count;
}

static uint64_t explain(void)
{
    static struct game game;
    static struct explanation found;
    seen_board seen;
    uint64_t count = 0;
    game_init(&game, variant_find("pente"));
    for (unsigned i = 0; i < 60; i++)
        game_play(&game, games[3][i], NULL);
    for (unsigned i = 0; i < 50; i++, count++) {
        game_play(&game, games[3][60], NULL);
        game_seen(&game, seen);
        game_undo(&game);
        game_explain(&game, seen, &found);
        sink += found.move_count;
    }
    return count;
}

static uint64_t records(void)
{
    static struct record record;
    static char text[RECORD_WRITE_MAX];
    static struct game game;
    size_t length = 0;
    game_playout(&game, variant_find("pente"), 3, false);
    record_init(&record, &game);
    record_write(&record, RECORD_PENTEORG, text, sizeof text, &length, NULL);
    for (unsigned i = 0; i < 200; i++) {
        record_read(text, length, RECORD_PENTEORG, NULL, NULL, &record, NULL);
        sink += record.stated_moves;
    }
    return 200;
}

int main(void)
{
    prepare_games("pente");
    measure("rules pente make+undo", "pairs/s", pente);
    measure("rules pente play with effect", "moves/s", effects);
    measure("rules explain a seen board", "boards/s", explain);
    measure("rules read a pente.org record", "records/s", records);
    prepare_games("pente-team");
    measure("rules team make+undo", "pairs/s", team);
    prepare_games("pentago");
    measure("rules pentago make+undo", "pairs/s", pentago);
    measure("rules pentago placements+twists", "twists/s", bitboards);
    fprintf(stderr, "(checksum %llx)\n", (unsigned long long)sink);
    return 0;
}
