// soak_games N [SEED]: plays N games on the simulated table with seeds SEED, SEED+1, … (default 1).
//
// After every move the world's truth, the rules and what the robot has seen must agree on all
// points, and no stone may have been lost. Prints one line a game and a summary; exit 0 when all is
// well.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "controller/play.h"
#include "controller/sim/world.h"
#include "rules/notation.h"
#include "tests/sim/sim_settings.h"

struct totals {
    int games, finished, moves, captured, placed, lifted;
    int retried, failed, questions, hints, hands, stops;
    int checks, disagreements, lost;
    int incidents[INCIDENT_KINDS];
    double sum_see, worst_see; // mm between a stone's centre as seen and where it lies
    int sees;
    int64_t working_ns;
    int worked;
};

struct soak {
    struct loop *loop;
    struct play *play;
    struct totals *totals;
    unsigned seed;
    int stones; // in the world at the start
    int result;
    int told; // incidents
    bool chatty;
    char trouble[ERROR_TEXT_MAX];
};

static void disagree(struct soak *s, const char *what, int x, int y, int expected, int found)
{
    char name[MOVE_TEXT_MAX];
    s->totals->disagreements++;
    printf("seed %u, move %d: %s has %d on %s, the game %d\n", s->seed, play_game(s->play)->ply,
           what, found, point_format((struct point){(int8_t)x, (int8_t)y}, name), expected);
}

static void check_stones(struct soak *s)
{
    struct table_ledger ledger;
    table_ledger(play_table(s->play), &ledger);
    if (!s->stones)
        s->stones = ledger.total;
    int lost = ledger.floor + ledger.beside + (s->stones - ledger.total);
    if (lost > 0)
        printf("seed %u, move %d: %d stones are lost\n", s->seed, play_game(s->play)->ply, lost);
    s->totals->lost += lost;
}

static void tell_incidents(struct soak *s)
{
    const struct world *world = table_world(play_table(s->play));
    for (; s->told < world->incident_count; s->told++) {
        const struct world_incident *i = &world->incident[s->told % WORLD_INCIDENTS_KEPT];
        if (s->chatty)
            printf("      %8.2f  %s at %.1f, %.1f\n", (double)i->time_ns / (double)NS_PER_S,
                   world_incident_name((enum world_incident_kind)i->kind), i->x, i->y);
    }
}

// How far stones lie from their intersections, and how well the eye tells their centres.
static void measure_stones(struct soak *s, const struct evidence *e)
{
    const struct world *world = table_world(play_table(s->play));
    for (int i = 0; e->frames && i < world->stone_count; i++) {
        const struct world_stone *stone = &world->stone[i];
        int x = (int)lround(stone->x / 22), y = (int)lround(stone->y / 22);
        if (stone->place != PLACE_TABLE || x < 0 || y < 0 || x > 18 || y > 18)
            continue;
        double seen[2], off[2] = {stone->x - x * 22, stone->y - y * 22};
        evidence_offset(e, y * 19 + x, seen);
        double error = hypot(seen[0] - off[0], seen[1] - off[1]);
        s->totals->sees++;
        s->totals->sum_see += error;
        if (error > s->totals->worst_see)
            s->totals->worst_see = error;
        if (s->chatty)
            printf("      stone %d at %d,%d: lies %+.2f %+.2f, seen %+.2f %+.2f\n", stone->colour,
                   x, y, off[0], off[1], seen[0], seen[1]);
    }
}

static void on_confirmed(void *user, const struct game *game)
{
    struct soak *s = user;
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(s->play), truth);
    const struct evidence *e = robot_evidence(play_robot(s->play));
    int size = game->rules.size;
    s->totals->checks++;
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            int i = y * size + x, expected = (int)game_at(game, x, y);
            if (truth[i] != expected)
                disagree(s, "the world", x, y, expected, truth[i]);
            int seen = evidence_best(e, i, NULL);
            if (e->frames && seen != expected)
                disagree(s, "the robot's eye", x, y, expected, seen);
        }
    }
    check_stones(s);
    measure_stones(s, e);
    tell_incidents(s);
}

static void on_news(void *user, enum robot_news kind, const char *text)
{
    struct soak *s = user;
    if (s->chatty || kind == ROBOT_NEWS_QUESTION || kind == ROBOT_NEWS_TROUBLE)
        snprintf(s->trouble, sizeof s->trouble, "%s", text);
    if (s->chatty)
        printf("    %8.2f  %s\n", (double)loop_now(s->loop) / (double)NS_PER_S, text);
}

static void on_state(void *user, enum robot_state state)
{
    (void)user, (void)state;
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
}

static void on_over(void *user, const struct game *game)
{
    struct soak *s = user;
    (void)game;
    s->result = 0;
    loop_exit(s->loop, 0);
}

static void on_ready(void *user)
{
    (void)user;
}

static void on_failed(void *user, const struct error *err)
{
    struct soak *s = user;
    snprintf(s->trouble, sizeof s->trouble, "%s", err->text);
    loop_exit(s->loop, 1);
}

static void add_counts(struct totals *t, const struct robot_counts *n)
{
    t->moves += n->moves;
    t->captured += n->captured;
    t->placed += n->placed;
    t->lifted += n->lifted;
    t->retried += n->picks_retried;
    t->failed += n->picks_failed;
    t->questions += n->questions;
    t->hints += n->hints;
    t->hands += n->hands;
    t->stops += n->stops - 1; // the one at the start is no event
    t->working_ns += n->working_ns;
    t->worked += n->worked;
}

static int play_one(struct soak *s, const char *state)
{
    struct settings settings;
    struct error err;
    char seed[32];
    const char *const more[] = {seed, NULL};
    snprintf(seed, sizeof seed, "sim.seed=%u", s->seed);
    if (sim_settings_load(state, more, &settings, &err) < 0)
        return printf("%s\n", err.text), 1;
    const struct play_options options = {
        .settings = &settings,
        .variant = "pente",
        .seats = s->seed % 2 ? PLAY_ROBOT_FIRST : PLAY_ROBOT_SECOND,
        .automatic = true,
        .fast = true,
        .level = 1 + (int)(s->seed % 5),
        .seed = s->seed,
        .state = state,
    };
    const struct play_events events = {.robot = {.news = on_news,
                                                 .state = on_state,
                                                 .position = on_position,
                                                 .confirmed = on_confirmed,
                                                 .over = on_over,
                                                 .user = s},
                                       .ready = on_ready,
                                       .failed = on_failed};
    s->result = 1;
    if (loop_new_virtual(0, &s->loop) < 0)
        return 1;
    if (play_new(s->loop, &options, &events, &s->play, &err) < 0) {
        snprintf(s->trouble, sizeof s->trouble, "%s", err.text);
    } else {
        loop_run(s->loop);
        if (play_robot(s->play)) {
            const struct world *world = table_world(play_table(s->play));
            for (int i = 0; i < INCIDENT_KINDS; i++)
                s->totals->incidents[i] += world->incident_kind[i];
            add_counts(s->totals, robot_counts(play_robot(s->play)));
        }
    }
    return s->result;
}

static double cpu_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void summarise(const struct totals *t, double cpu)
{
    printf("games\t%d\nfinished\t%d\nmoves\t%d\nstones captured\t%d\nplaced\t%d\nlifted\t%d\n"
           "picks tried again\t%d\npicks failed\t%d\nquestions asked\t%d\nhints given\t%d\n"
           "hands waited for\t%d\nstops\t%d\nboards compared\t%d\npoints that disagree\t%d\n"
           "stones lost\t%d\n",
           t->games, t->finished, t->moves, t->captured, t->placed, t->lifted, t->retried,
           t->failed, t->questions, t->hints, t->hands, t->stops, t->checks, t->disagreements,
           t->lost);
    for (int i = 0; i < INCIDENT_KINDS; i++) {
        if (t->incidents[i])
            printf("incidents: %s\t%d\n", world_incident_name((enum world_incident_kind)i),
                   t->incidents[i]);
    }
    if (t->sees)
        printf("error of centres seen\t%.2f mm mean, %.2f worst\n", t->sum_see / t->sees,
               t->worst_see);
    if (t->worked)
        printf("seconds of arm a move\t%.2f\n",
               (double)t->working_ns / (double)NS_PER_S / t->worked);
    printf("processor seconds a game\t%.1f\n", cpu / (t->games ? t->games : 1));
}

// The other programs are in TESSERA_BIN, not beside this one.
static void find_programs(void)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    if (!bin)
        return;
    snprintf(path, sizeof path, "%s:%s", bin, old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
}

int main(int argc, char **argv)
{
    find_programs();
    int games = argc > 1 ? atoi(argv[1]) : 10;
    unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    struct totals totals = {0};
    char state[] = "/tmp/tessera-soak-XXXXXX";
    if (games <= 0 || !mkdtemp(state)) {
        fprintf(stderr, "usage: soak_games N [SEED]\n");
        return 2;
    }
    for (int i = 0; i < games; i++) {
        struct soak s = {.totals = &totals,
                         .seed = first + (unsigned)i,
                         .chatty = getenv("SOAK_CHATTY") != NULL};
        double began = cpu_seconds();
        int moves = totals.moves, captured = totals.captured;
        totals.games++;
        int r = play_one(&s, state);
        totals.finished += r == 0;
        printf("seed %u: %s, %d moves, %d captured, %.1f s of processor%s%s\n", s.seed,
               r == 0 ? "finished" : "NOT FINISHED", totals.moves - moves,
               totals.captured - captured, cpu_seconds() - began, r == 0 ? "" : ": ",
               r == 0 ? "" : s.trouble);
        fflush(stdout);
        play_free(s.play);
        loop_free(s.loop);
    }
    summarise(&totals, cpu_seconds());
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", state);
    bool well = totals.finished == totals.games && !totals.disagreements && !totals.lost;
    return system(command) || !well;
}
