// soak_pull [COUNT] [--seed N] [--chatty]
//
// What the robot makes of a cable that is pulled, or a vacuum that fails, while it carries a stone.
// COUNT games (100) play by themselves on the simulated table; in each, at a random moment of a
// carry, the cable is pulled or the pump dies for a while. Told apart, by what the camera's side of
// the program claims and what the world knows:
//
//   right   the board is as the game says, and nobody was asked or had to press anything
//   asked   a question was asked, or somebody had to press reset
//   wrong   the program took the board for right and it was not
//   stuck   neither within two minutes
//
// Exit 0: at least 95 % right, none wrong, none stuck. A case runs alone by --seed N and COUNT 1.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "controller/play.h"
#include "controller/sim/world.h"
#include "tests/sim/sim_settings.h"

enum { PERCENT_RIGHT = 95, PROGRESS_S = 60, MOVES_MAX = 4 };
static const int64_t TICK_NS = 20 * NS_PER_MS;
static const int64_t CASE_NS = 120 * NS_PER_S; // after the strike
static const int64_t GAME_NS = 600 * NS_PER_S; // until then

enum kind { CABLE, VACUUM, KINDS };
static const char *const KIND_NAMES[KINDS] = {"cable pulled", "vacuum cut"};

enum outcome { RIGHT, ASKED, WRONG, STUCK, OUTCOMES };
static const char *const OUTCOME_NAMES[OUTCOMES] = {"right", "asked", "wrong", "stuck"};

struct pull {
    enum kind kind;
    int after_moves;                // accepted before the strike
    int64_t into_carry, mend_after; // ns
    bool chatty;

    struct loop *loop;
    struct play *play;
    struct loop_source *timer;
    enum robot_state state;
    int64_t carried_ns, struck_ns, mended_ns; // 0 = not yet
    bool for_the_board;                       // what is carried was not picked ahead
    bool decided;
    enum outcome outcome;
    char question[512];
};

static void decide(struct pull *p, enum outcome outcome)
{
    if (p->decided)
        return;
    p->decided = true;
    p->outcome = outcome;
    loop_exit(p->loop, 0);
}

static void strike(struct pull *p, bool on)
{
    struct table *table = play_table(p->play);
    if (p->kind == VACUUM)
        table_fault(table, FAULT_PUMP_DEAD, on);
    else
        table_fault(table, on ? FAULT_UNPLUG : FAULT_REPLUG, 0);
}

static bool carries(const struct pull *p)
{
    const struct world_tool *tool = &table_world(play_table(p->play))->tool;
    return p->state == ROBOT_WORKING && p->for_the_board && tool->held && tool->moving &&
           robot_counts(play_robot(p->play))->moves >= p->after_moves;
}

static void on_tick(void *user, int64_t now)
{
    struct pull *p = user;
    loop_source_set_due(p->timer, now + TICK_NS);
    if (!play_robot(p->play))
        return;
    if (!p->struck_ns) {
        if (!carries(p))
            p->carried_ns = 0;
        else if (!p->carried_ns)
            p->carried_ns = now;
        if (p->carried_ns && now - p->carried_ns >= p->into_carry) {
            p->struck_ns = now;
            strike(p, true);
        }
    } else if (!p->mended_ns && now - p->struck_ns >= p->mend_after) {
        p->mended_ns = now;
        strike(p, false);
    }
    if (now > (p->struck_ns ? p->struck_ns + CASE_NS : GAME_NS))
        decide(p, STUCK);
}

// --- what the game says ---

static void on_news(void *user, enum robot_news kind, const char *text)
{
    struct pull *p = user;
    if (p->chatty)
        printf("  %8.2f  %s\n", (double)loop_now(p->loop) / (double)NS_PER_S, text);
    if (kind == ROBOT_NEWS_DOING)
        p->for_the_board = strncmp(text, "placing", 7) == 0 || strncmp(text, "lifting", 7) == 0;
    if (kind == ROBOT_NEWS_QUESTION && p->struck_ns)
        snprintf(p->question, sizeof p->question, "%s", text);
}

static void on_state(void *user, enum robot_state state)
{
    struct pull *p = user;
    p->state = state;
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
}

// The robot believes the board to be right: is it?
static void on_confirmed(void *user, const struct game *game)
{
    struct pull *p = user;
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    if (!p->struck_ns)
        return;
    table_truth(play_table(p->play), truth);
    int size = game->rules.size, differing = 0;
    for (int i = 0; i < size * size; i++)
        differing += truth[i] != (int)game_at(game, i % size, i / size);
    decide(p, differing ? WRONG : p->question[0] ? ASKED : RIGHT);
}

static void on_over(void *user, const struct game *game)
{
    on_confirmed(user, game);
}

static void on_ready(void *user)
{
    (void)user;
}

static void on_failed(void *user, const struct error *err)
{
    struct pull *p = user;
    snprintf(p->question, sizeof p->question, "%s", err->text);
    decide(p, p->struck_ns ? ASKED : STUCK);
}

// --- one case ---

static int play(struct pull *p, uint64_t seed, const char *state)
{
    struct settings settings;
    struct error err;
    const struct play_options options = {.settings = &settings,
                                         .variant = "pente",
                                         .seats = PLAY_ROBOT_FIRST,
                                         .automatic = true,
                                         .fast = true,
                                         .level = 2,
                                         .seed = seed,
                                         .state = state};
    const struct play_events events = {.robot = {.news = on_news,
                                                 .state = on_state,
                                                 .position = on_position,
                                                 .confirmed = on_confirmed,
                                                 .over = on_over,
                                                 .user = p},
                                       .ready = on_ready,
                                       .failed = on_failed};
    int r = sim_settings_load(state, NULL, &settings, &err);
    if (r < 0)
        fprintf(stderr, "soak_pull: %s\n", err.text);
    if (r == 0)
        r = loop_new_virtual(0, &p->loop);
    if (r == 0)
        r = loop_add_timer(p->loop, TICK_NS, on_tick, p, &p->timer);
    if (r == 0 && (r = play_new(p->loop, &options, &events, &p->play, &err)) < 0)
        fprintf(stderr, "soak_pull: %s\n", err.text);
    if (r == 0)
        r = loop_run(p->loop);
    play_free(p->play);
    loop_free(p->loop);
    return r;
}

static int run_case(uint64_t seed, bool chatty, enum kind *ret_kind, enum outcome *ret)
{
    struct rng rng;
    char state[] = "/tmp/tessera-pull-XXXXXX", command[64];
    rng_seed(&rng, seed);
    struct pull p = {.kind = (enum kind)(seed % KINDS), .chatty = chatty};
    p.after_moves = 1 + (int)rng_below(&rng, MOVES_MAX);
    p.into_carry = (int64_t)(rng_range(&rng, 0, 1.2) * (double)NS_PER_S);
    p.mend_after = (int64_t)(rng_range(&rng, 0.3, 8) * (double)NS_PER_S);
    if (!mkdtemp(state))
        return -1;
    int r = play(&p, seed, state);
    snprintf(command, sizeof command, "rm -rf %s", state);
    if (system(command) != 0 || r < 0)
        return -1;
    *ret_kind = p.kind;
    *ret = p.outcome;
    if (p.outcome != RIGHT)
        printf("seed %llu, %s: %s%s%s\n", (unsigned long long)seed, KIND_NAMES[p.kind],
               OUTCOME_NAMES[p.outcome], p.question[0] ? ": " : "", p.question);
    return 0;
}

static int all(uint64_t first, uint64_t count, bool chatty)
{
    int total[KINDS][OUTCOMES] = {{0}}, right = 0, bad = 0;
    time_t next = time(NULL) + PROGRESS_S;
    for (uint64_t seed = first; seed < first + count; seed++) {
        enum kind kind;
        enum outcome outcome;
        if (run_case(seed, chatty, &kind, &outcome) < 0)
            return 1;
        total[kind][outcome]++;
        right += outcome == RIGHT;
        bad += outcome == WRONG || outcome == STUCK;
        if (time(NULL) >= next) {
            next += PROGRESS_S;
            fprintf(stderr, "soak_pull: %llu of %llu cases, %d right\n",
                    (unsigned long long)(seed - first + 1), (unsigned long long)count, right);
        }
    }
    for (int k = 0; k < KINDS; k++) {
        printf("%s:", KIND_NAMES[k]);
        for (int o = 0; o < OUTCOMES; o++)
            printf(" %s %d%s", OUTCOME_NAMES[o], total[k][o], o + 1 < OUTCOMES ? "," : "\n");
    }
    printf("right board without a person: %.1f %% of %llu (bar: %d %%)\n",
           100.0 * right / (double)count, (unsigned long long)count, PERCENT_RIGHT);
    return bad || 100 * (uint64_t)right < PERCENT_RIGHT * count;
}

int main(int argc, char **argv)
{
    unsigned long long count = 100, first = 1;
    bool chatty = false;
    for (int i = 1; i < argc; i++) {
        char *end = argv[i];
        if (strcmp(argv[i], "--chatty") == 0) {
            chatty = true;
            continue;
        }
        bool seed = strcmp(argv[i], "--seed") == 0 && i + 1 < argc;
        unsigned long long n = strtoull(argv[i + seed], &end, 10);
        if (*end || end == argv[i + seed] || (!seed && n == 0)) {
            fprintf(stderr, "usage: soak_pull [COUNT] [--seed N] [--chatty]\n");
            return 2;
        }
        *(seed ? &first : &count) = n;
        i += seed;
    }
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", bin ? bin : ".", old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
    return all(first, count, chatty);
}
