// Clocks: whoever uses what the clock allows never oversteps, whether the true clock is told or
// not; and a search comes home at its deadline and at once when it is stopped.
#include "tests/unit/engine_helper.h"

#include <poll.h>
#include <pthread.h>

#include "config/base/rng.h"
#include "rules/engine/gameclock.h"

// What the other side of the table counts, by the same rules but on its own.
struct referee {
    int64_t left;
    int stones; // 0 = main time
    bool lost;
};

struct setting {
    int64_t main_ms, byo_ms;
    int stones;
    int64_t increment_ms;
};

static void count_move(struct referee *r, const struct setting *s, int64_t ns)
{
    r->left -= ns;
    if (r->stones == 0 && r->left < 0 && s->byo_ms) {
        r->left += s->byo_ms * NS_PER_MS;
        r->stones = s->stones;
    }
    if (r->left < 0)
        r->lost = true;
    r->left += s->increment_ms * NS_PER_MS;
    if (r->stones > 0 && --r->stones == 0) {
        r->left = s->byo_ms * NS_PER_MS;
        r->stones = s->stones;
    }
}

static void test_never_oversteps(void **state)
{
    (void)state;
    static const struct setting settings[] = {
        {60000, 0, 0, 0},       {2000, 0, 0, 0},     {1000, 0, 0, 100},   {60000, 0, 0, 2000},
        {180000, 0, 0, 2000},   {10, 0, 0, 50},      {10000, 5000, 1, 0}, {0, 30000, 10, 0},
        {60000, 300000, 25, 0}, {1000, 10000, 5, 0}, {0, 1000, 1, 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const struct setting *s = &settings[i];
        for (int told = 0; told < 2; told++) {
            struct gameclock clock;
            struct referee referee = {s->main_ms * NS_PER_MS, 0, false};
            if (!s->main_ms)
                referee = (struct referee){s->byo_ms * NS_PER_MS, s->stones, false};
            gameclock_start(&clock, s->main_ms * NS_PER_MS, s->byo_ms * NS_PER_MS, s->stones,
                            s->increment_ms * NS_PER_MS);
            assert_true(clock.set);
            int64_t used = 0;
            for (int move = 0; move < 200; move++) {
                if (told)
                    gameclock_tell(&clock, 2, referee.left, referee.stones);
                int64_t budget = gameclock_budget(&clock, 2, move < 14 ? 22 - move : 8);
                assert_true(budget >= 0);
                count_move(&referee, s, budget);
                gameclock_spend(&clock, 2, budget);
                used += budget;
                if (referee.lost)
                    fail_msg("setting %zu, told %d: time is over at move %d", i + 1, told, move);
            }
            // Thrift is no virtue either: most of the main time is used.
            assert_true(used > s->main_ms * NS_PER_MS / 2);
        }
    }
}

static void test_no_clock(void **state)
{
    (void)state;
    struct gameclock clock;
    gameclock_start(&clock, 0, 10 * NS_PER_S, 0, 0); // GTP 2: no limit
    assert_false(clock.set);
    gameclock_tell(&clock, 1, 5 * NS_PER_S, 0);
    assert_true(clock.set);
    assert_true(gameclock_budget(&clock, 1, 10) > 0);
    assert_true(gameclock_budget(&clock, 1, 10) < NS_PER_S);
}

static const struct {
    const char *variant;
    int level, threads;
    int stones; // of a random position
    unsigned hash_mib;
} searches[] = {
    {"pente", 10, 1, 12, 16},       {"pente", 10, 2, 12, 16},    {"gomoku", 4, 1, 9, 16},
    {"connect6", 10, 1, 7, 16},     {"boat", 10, 1, 8, 16},      {"pente-team", 10, 1, 9, 16},
    {"pentago", 10, 1, 7, 16},      {"pentago", 10, 1, 19, 600}, {"pente-points", 10, 1, 10, 16},
    {"pente-points4", 7, 1, 9, 16},
};

enum { TRIES = 20, LATE_MS = 20 };

static struct game game;
static struct engine *engine;
static atomic_int stop;
static struct engine_thought thought;

static void begin(size_t i)
{
    static struct move legal[LEGAL_MAX];
    struct error err;
    struct rng rng;
    struct engine_settings settings = {.level = searches[i].level,
                                       .threads = searches[i].threads,
                                       .hash_mib = searches[i].hash_mib,
                                       .seed = 1};
    assert_int_equal(engine_new(&settings, &engine, &err), 0);
    rng_seed(&rng, 77);
    do {
        game_init(&game, variant_find(searches[i].variant));
        while (!game.result.over && game.ply < searches[i].stones) {
            struct move m = legal[rng_below(&rng, (uint32_t)game_legal(&game, legal))];
            if (game.rules.size < 19 || (abs(m.x - 9) < 4 && abs(m.y - 9) < 4))
                game_play(&game, m, NULL);
        }
    } while (game.result.over);
    assert_int_equal(engine_prepare(engine, &game.rules), 0);
}

// The least lateness of a few tries: what the engine itself needs, without the other programs that
// a busy machine runs in between.
static void test_deadline(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        int64_t least = INT64_MAX;
        begin(i);
        for (int k = 0; k < TRIES && least > LATE_MS * NS_PER_MS; k++) {
            struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + 50 * NS_PER_MS};
            // A hint now and then, at whatever level.
            assert_int_equal(
                engine_think(engine, &game, &limits, k == 1, NULL, NULL, NULL, &thought, NULL), 0);
            int64_t late = clock_monotonic_ns() - limits.deadline_ns;
            least = late < least ? late : least;
        }
        if (least > LATE_MS * NS_PER_MS)
            fail_msg("%s: %.1f ms late", searches[i].variant, (double)least / NS_PER_MS);
        engine_free(engine);
    }
}

static void *think_long(void *back_ns)
{
    struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + 30 * NS_PER_S};
    engine_think(engine, &game, &limits, true, &stop, NULL, NULL, &thought, NULL);
    *(int64_t *)back_ns = clock_monotonic_ns();
    return NULL;
}

static void test_stop_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        int64_t least = INT64_MAX;
        begin(i);
        for (int k = 0; k < TRIES && least > LATE_MS * NS_PER_MS; k++) {
            pthread_t thread;
            int64_t back_ns;
            atomic_store(&stop, 0);
            assert_int_equal(pthread_create(&thread, NULL, think_long, &back_ns), 0);
            poll(NULL, 0, 40 + 7 * k);
            int64_t asked_ns = clock_monotonic_ns();
            atomic_store(&stop, 1);
            pthread_join(thread, NULL);
            assert_int_equal(game_check(&game, thought.line[0].move, NULL), REASON_NONE);
            least = back_ns - asked_ns < least ? back_ns - asked_ns : least;
        }
        if (least > LATE_MS * NS_PER_MS)
            fail_msg("%s: stopped after %.1f ms", searches[i].variant, (double)least / NS_PER_MS);
        engine_free(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_oversteps),
        cmocka_unit_test(test_no_clock),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_stop_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
