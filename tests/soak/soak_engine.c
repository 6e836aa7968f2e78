// soak_engine N [SEED [VARIANT]]: N fast games of the engine against itself, the variants in turn
// (or only the one), at every level, by nodes or by a few milliseconds a move, now and then with
// candidates, a stop that comes at once, or everything forgotten.
//
// An illegal move, a refusal, a game that does not end, or an answer later than its time by more
// than LATE_NS of the engine's own work counts as a fault; so does, with a sanitizer build,
// whatever it finds. Prints progress and a summary; exit 0 when there was no fault.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "rules/engine/engine.h"
#include "rules/notation.h"

enum { ENTRIES_MAX = 800, HASH_MIB = 2, REPORT_EVERY = 100 };
#define LATE_NS (20 * NS_PER_MS)

struct totals {
    long games, finished, unfinished, moves, illegal, refused;
    long timed, late, disturbed; // late by own work; late on the wall's clock only
    int64_t worst_ns;            // over the budget, own work
};

struct soak {
    struct engine *engine[2];
    struct rng rng;
    struct totals totals;
    struct game game;
};

static int64_t own_work_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static struct engine_limits random_limits(struct soak *s, int64_t now)
{
    struct engine_limits limits = {0};
    if (rng_below(&s->rng, 4) == 0)
        limits.deadline_ns = now + (1 + (int64_t)rng_below(&s->rng, 6)) * NS_PER_MS;
    else
        limits.nodes = 1 + rng_below(&s->rng, 250);
    if (rng_below(&s->rng, 40) == 0)
        limits.lines = 2 + (int)rng_below(&s->rng, ENGINE_LINES_MAX - 1);
    return limits;
}

static void judge_time(struct totals *t, int64_t budget, int64_t wall, int64_t work)
{
    t->timed++;
    if (work - budget > t->worst_ns)
        t->worst_ns = work - budget;
    if (work > budget + LATE_NS)
        t->late++;
    else if (wall > budget + LATE_NS)
        t->disturbed++;
}

// Asks for a move and plays it. Returns 0, or -1 when the game can't go on.
static int play_move(struct soak *s)
{
    static struct engine_thought thought;
    struct game *game = &s->game;
    struct error err;
    struct effect effect;
    char text[MOVE_TEXT_MAX];
    unsigned pending = game_choice_pending(game), seat = pending ? pending : game_next_seat(game);
    struct engine *engine = s->engine[seat % 2];
    if (rng_below(&s->rng, 200) == 0)
        engine_forget(engine);
    atomic_int stop = rng_below(&s->rng, 100) == 0;
    int64_t start = clock_monotonic_ns(), work = own_work_ns();
    struct engine_limits limits = random_limits(s, start);
    bool full = !limits.deadline_ns && rng_below(&s->rng, 20) == 0;
    int r = engine_think(engine, game, &limits, full, &stop, NULL, NULL, &thought, &err);
    if (limits.deadline_ns)
        judge_time(&s->totals, limits.deadline_ns - start, clock_monotonic_ns() - start,
                   own_work_ns() - work);
    if (r < 0) {
        s->totals.refused++;
        printf("%s, move %u: %s\n", game->rules.name, game->entries + 1u, err.text);
        return -1;
    }
    s->totals.moves++;
    if (game_play(game, thought.line[0].move, &effect) != REASON_NONE) {
        s->totals.illegal++;
        printf("%s, move %u: %s is illegal: %s\n", game->rules.name, game->entries + 1u,
               move_format(&game->rules, thought.line[0].move, text), reason_name(effect.reason));
        return -1;
    }
    return 0;
}

static void play_game(struct soak *s, const struct variant *variant)
{
    struct error err;
    game_init(&s->game, variant);
    for (int i = 0; i < 2; i++) {
        engine_set_level(s->engine[i], 1 + (int)rng_below(&s->rng, ENGINE_LEVELS), &err);
        engine_prepare(s->engine[i], variant); // as the program does, before any clock runs
    }
    while (!s->game.result.over && s->game.entries < ENTRIES_MAX)
        if (play_move(s) < 0)
            break;
    s->totals.games++;
    if (s->game.result.over)
        s->totals.finished++;
    else
        s->totals.unfinished++;
}

static void report(const struct totals *t)
{
    printf("%ld games, %ld finished, %ld moves: %ld illegal, %ld refused, %ld of %ld late "
           "(worst %+.1f ms; %ld more only on the wall's clock), %ld without end\n",
           t->games, t->finished, t->moves, t->illegal, t->refused, t->late, t->timed,
           (double)t->worst_ns / (double)NS_PER_MS, t->disturbed, t->unfinished);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct soak s;
    long games = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (games < 1) {
        fprintf(stderr, "Usage: soak_engine GAMES [SEED [VARIANT]]\n");
        return 2;
    }
    const struct variant *only = argc > 3 ? variant_find(argv[3]) : NULL;
    if (argc > 3 && !only) {
        fprintf(stderr, "There is no variant %s.\n", argv[3]);
        return 2;
    }
    rng_seed(&s.rng, seed);
    for (int i = 0; i < 2; i++) {
        struct error err;
        struct engine_settings settings = {
            .level = 10, .threads = 1, .hash_mib = HASH_MIB, .seed = seed + (uint64_t)i};
        if (engine_new(&settings, &s.engine[i], &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    for (long g = 0; g < games; g++) {
        play_game(&s, only ? only : &variant_table[(size_t)g % variant_table_count]);
        if (s.totals.games % REPORT_EVERY == 0)
            report(&s.totals);
    }
    report(&s.totals);
    for (int i = 0; i < 2; i++)
        engine_free(s.engine[i]);
    const struct totals *t = &s.totals;
    return t->illegal || t->refused || t->late || t->unfinished;
}
