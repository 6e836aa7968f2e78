// soak_calibrate N [SEED]: N unknown robots (simulated tables of seeds SEED, SEED + 1, …; default
// 1) are calibrated by all wizards, then each plays a game of 30 moves by what was measured.
//
// For every robot what was found is compared with the world's truth: the map over all
// intersections, what the eye sees in the game, where the arm's stones lie. Prints one line a robot
// and a summary; exit 0 when all pass, no point was misread and the placing error is within 1 mm
// (p99). SOAK_CHATTY=1 prints what each wizard says.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/calibrate/sim_seed.h"
#include "config/calibrate/wizard.h"
#include "config/paths.h"
#include "controller/devices.h"
#include "controller/play.h"
#include "controller/sim/world.h"
#include "tests/sim/sim_settings.h"

enum {
    MOVES = 30,
    NEWS_MAX = 200, // between two moves; after so many nothing gets on any more
    NOISE_FRAMES = 4,
    PLACINGS_MAX = 1 << 16,
    POINTS = SETUP_LINES_MAX * SETUP_LINES_MAX,
};

static const double PLACING_LIMIT = 1.0; // mm, p99

struct totals {
    int robots, passed, played, misread, placings;
    double placing[PLACINGS_MAX]; // mm
    double map_rms[PLACINGS_MAX], map_max[PLACINGS_MAX];
    int maps;
};

struct robot_run {
    struct totals *totals;
    uint64_t seed;
    struct settings settings;
    struct table_setup table;
    struct loop *loop;
    struct play *play;
    int laid[POINTS]; // 1 + the ply at which the robot's stone there was first seen; 0 = none is
    bool measured[POINTS];
    int misread, placings, retried;
    int moves, earlier; // in all games; in those that are over
    int news;           // since the last move
    double worst;
    bool over;
    bool chatty;
    char words[ERROR_TEXT_MAX]; // why it failed
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, int count, double q)
{
    if (count == 0)
        return 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(int)fmin(count - 1, q * count)];
}

// --- calibration ---

static void say(void *user, const char *text)
{
    const struct robot_run *run = user;
    if (run->chatty)
        (void)printf("    %s\n", text);
}

static bool ask(void *user, const char *text)
{
    (void)user, (void)text;
    return false;
}

static bool measure(void *user, const char *text, double proposed, double *ret)
{
    (void)user, (void)text;
    *ret = proposed;
    return true;
}

static void judge_map(struct robot_run *run, const struct table_setup *setup,
                      const struct board_map *map)
{
    struct totals *t = run->totals;
    double sum = 0;
    double worst = 0;
    int columns = setup->board.columns;
    int rows = setup->board.rows;
    for (int i = 0; i < columns * rows; i++) {
        int row = i / columns;
        double board[2] = {i % columns * setup->board.pitch_x, row * setup->board.pitch_y};
        double ours[2];
        double truth[2];
        board_map_to_machine(map, board, ours);
        world_table_to_machine(setup, board, truth);
        double error = hypot(ours[0] - truth[0], ours[1] - truth[1]);
        sum += error * error;
        worst = fmax(worst, error);
    }
    t->map_rms[t->maps] = sqrt(sum / (columns * rows));
    t->map_max[t->maps++] = worst;
    (void)printf("  map off by %.2f mm RMS, %.2f at worst", sqrt(sum / (columns * rows)), worst);
}

static bool run_wizards(struct robot_run *run, struct bench *bench)
{
    for (int i = 0; i < wizard_count; i++) {
        struct wizard_result result;
        struct error err = {0};
        int r = wizard_run(&wizards[i], bench, &result, &err);
        if (run->chatty && r == 0)
            (void)printf("  %s: %.3g %s; %s\n", wizards[i].name, result.figure, result.what,
                         result.words);
        if (r == 0 && strcmp(wizards[i].name, "arm") == 0)
            judge_map(run, table_setup_of(bench_table(bench)), &bench_calibration(bench)->arm.map);
        if (r < 0 || !result.passed) {
            (void)snprintf(run->words, sizeof run->words, "%s: %.3g %s %.250s", wizards[i].name,
                           r < 0 ? 0 : result.figure, r < 0 ? "" : result.what,
                           r < 0 ? err.text : result.words);
            return false;
        }
    }
    return true;
}

static bool calibrate(struct robot_run *run)
{
    struct calibration calibration;
    struct bench *bench = NULL;
    struct error err = {0};
    char path[PATHS_MAX];
    calibration_init(&calibration, run->settings.machine.name);
    const struct bench_options options = {
        .settings = &run->settings,
        .calibration = &calibration,
        .people = {.say = say, .ask = ask, .measure = measure, .user = run},
        .yes = true,
        .table = &run->table,
        .arm = true,
    };
    bool passed = bench_open(&options, &bench, &err) == 0 && run_wizards(run, bench);
    bench_free(bench);
    if (passed && (paths_calibration(&run->settings, path, sizeof path) < 0 ||
                   calibration_save(NULL, path, &calibration, &err) < 0))
        passed = false;
    if (!passed && !run->words[0])
        (void)snprintf(run->words, sizeof run->words, "%s", err.text);
    return passed;
}

// --- the game after it ---

// Every stone the arm has laid is measured once, after the robot's next turn: until then it may be
// laid anew (game.straighten). Odd seeds: the robot has colour 1.
static void measure_placings(struct robot_run *run, int ply)
{
    struct totals *t = run->totals;
    const struct table_setup *setup = table_setup_of(play_table(run->play));
    const struct world *world = table_world(play_table(run->play));
    int robot = run->seed % 2 ? 1 : 2;
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *stone = &world->stone[i];
        int x = (int)lround(stone->x / setup->board.pitch_x);
        int y = (int)lround(stone->y / setup->board.pitch_y);
        if (stone->place != PLACE_TABLE || stone->colour != robot || x < 0 || y < 0 ||
            x >= setup->board.columns || y >= setup->board.rows || t->placings == PLACINGS_MAX)
            continue;
        int point = y * setup->board.columns + x;
        if (!run->laid[point])
            run->laid[point] = 1 + ply;
        if (run->measured[point] || ply < run->laid[point] + 1)
            continue;
        run->measured[point] = true;
        double error =
            hypot(stone->x - x * setup->board.pitch_x, stone->y - y * setup->board.pitch_y);
        t->placing[t->placings++] = error;
        if (run->chatty)
            (void)printf("    the stone at %d,%d lies %+.2f %+.2f mm off\n", x, y,
                         stone->x - x * setup->board.pitch_x, stone->y - y * setup->board.pitch_y);
        run->placings++;
        run->worst = fmax(run->worst, error);
    }
}

static void on_confirmed(void *user, const struct game *game)
{
    struct robot_run *run = user;
    int8_t truth[POINTS];
    const struct evidence *e = robot_evidence(play_robot(run->play));
    table_truth(play_table(run->play), truth);
    int size = game->rules.size;
    for (int i = 0; i < size * size; i++) {
        int expected = (int)game_at(game, i % size, i / size);
        run->misread +=
            truth[i] != expected || (e->frames && evidence_best(e, i, NULL) != expected);
        if (expected == 0) { // another one may be laid there
            run->laid[i] = 0;
            run->measured[i] = false;
        }
    }
    measure_placings(run, (int)game->ply);
    run->words[0] = '\0'; // what was asked before is answered
    run->news = 0;
    run->moves = run->earlier + (int)game->ply;
    if (run->moves >= MOVES) {
        run->over = true;
        loop_exit(run->loop, 0);
    }
}

static void on_news(void *user, enum robot_news kind, const char *text)
{
    struct robot_run *run = user;
    if (kind == ROBOT_NEWS_QUESTION || kind == ROBOT_NEWS_TROUBLE)
        (void)snprintf(run->words, sizeof run->words, "%s", text);
    if (run->chatty)
        (void)printf("    %s\n", text);
    if (++run->news == NEWS_MAX) {
        (void)snprintf(run->words, sizeof run->words, "nothing gets on any more: %.200s", text);
        loop_exit(run->loop, 1);
    }
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
    struct robot_run *run = user;
    (void)game;
    run->over = true;
    loop_exit(run->loop, 0);
}

static void on_ready(void *user)
{
    (void)user;
}

static void on_failed(void *user, const struct error *err)
{
    struct robot_run *run = user;
    if (!run->words[0]) // else that is what it gives up on
        (void)snprintf(run->words, sizeof run->words, "%s", err->text);
    loop_exit(run->loop, 1);
}

// A game may end before its 30th move; then another one is played.
static bool play_one(struct robot_run *run, int number)
{
    struct error err = {0};
    const struct play_options options = {
        .settings = &run->settings,
        .variant = "pente",
        .seats = run->seed % 2 ? PLAY_ROBOT_FIRST : PLAY_ROBOT_SECOND,
        .automatic = true,
        .fast = true,
        .level = 1 + (int)(run->seed % 4),
        .seed = run->seed + 1000 * (uint64_t)number,
        .state = run->settings.paths.state,
        .table = &run->table,
    };
    const struct play_events events = {.robot = {.news = on_news,
                                                 .state = on_state,
                                                 .position = on_position,
                                                 .confirmed = on_confirmed,
                                                 .over = on_over,
                                                 .user = run},
                                       .ready = on_ready,
                                       .failed = on_failed};
    if (loop_new_virtual(0, &run->loop) < 0)
        return false;
    if (play_new(run->loop, &options, &events, &run->play, &err) < 0)
        (void)snprintf(run->words, sizeof run->words, "%s", err.text);
    else
        (void)loop_run(run->loop);
    if (play_robot(run->play))
        run->retried += robot_counts(play_robot(run->play))->picks_retried;
    play_free(run->play);
    loop_free(run->loop);
    return run->over;
}

static bool play(struct robot_run *run)
{
    for (int number = 0; run->moves < MOVES; number++) {
        run->over = false;
        run->earlier = run->moves;
        memset(run->laid, 0, sizeof run->laid);
        memset(run->measured, 0, sizeof run->measured);
        if (!play_one(run, number))
            return false;
        if (run->moves == run->earlier)
            break; // nothing was played: it would go on for ever
    }
    return run->moves >= MOVES;
}

// --- all of it ---

static int load_settings(struct robot_run *run, const char *state)
{
    struct sim_seed seed;
    struct error err = {0};
    const char *more[SIM_SEED_SETTINGS + 1] = {NULL};
    sim_seed_settings(run->seed, &seed);
    for (int i = 0; i < seed.count; i++)
        more[i] = seed.text[i];
    int r = sim_settings_load(state, more, &run->settings, &err);
    if (r < 0)
        (void)snprintf(run->words, sizeof run->words, "%s", err.text);
    // Noise that repeats spares the rendering of a picture in which nothing has changed.
    if (r == 0)
        devices_table_setup(&run->settings, &run->table);
    run->table.camera.noise_frames = NOISE_FRAMES;
    return r;
}

static void run_robot(struct totals *t, uint64_t seed)
{
    char state[] = "/tmp/tessera-soak-XXXXXX";
    struct robot_run *run = calloc(1, sizeof *run);
    if (!run || !mkdtemp(state))
        exit(1);
    run->totals = t;
    run->seed = seed;
    run->chatty = getenv("SOAK_CHATTY") != NULL;
    t->robots++;
    (void)printf("seed %llu:", (unsigned long long)seed);
    bool passed = load_settings(run, state) == 0 && calibrate(run);
    t->passed += passed;
    bool played = passed && play(run);
    t->played += played;
    t->misread += run->misread;
    if (played)
        (void)printf("; PASS; %d moves, %d placings, worst %.2f mm, %d picks tried "
                     "again, %d misread\n",
                     run->moves, run->placings, run->worst, run->retried, run->misread);
    else
        (void)printf("; %s: %s\n", passed ? "game NOT PLAYED" : "FAIL", run->words);
    (void)fflush(stdout);
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf %s", state);
    if (system(command) != 0) // NOLINT: the path is our own
        (void)fprintf(stderr, "%s is left behind\n", state);
    free(run);
}

int main(int argc, char **argv)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN");
    const char *old = getenv("PATH");
    if (bin) {
        (void)snprintf(path, sizeof path, "%s:%s", bin, old ? old : "/usr/bin:/bin");
        (void)setenv("PATH", path, 1);
    }
    int robots = argc > 1 ? atoi(argv[1]) : 10;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct totals *t = calloc(1, sizeof *t);
    if (robots <= 0 || !t) {
        (void)fprintf(stderr, "usage: soak_calibrate N [SEED]\n");
        free(t);
        return 2;
    }
    clock_t began = clock();
    for (int i = 0; i < robots; i++)
        run_robot(t, first + (uint64_t)i);
    double p99 = quantile(t->placing, t->placings, 0.99);
    (void)printf("robots\t%d\npassed\t%d\ngames played\t%d\npoints misread\t%d\nplacings\t%d\n"
                 "placing error\t%.2f mm median, %.2f p99, %.2f worst\n"
                 "map error RMS\t%.2f mm median, %.2f worst\nmap error at worst point\t%.2f mm "
                 "median, %.2f worst\nprocessor seconds a robot\t%.1f\n",
                 t->robots, t->passed, t->played, t->misread, t->placings,
                 quantile(t->placing, t->placings, 0.5), p99, quantile(t->placing, t->placings, 1),
                 quantile(t->map_rms, t->maps, 0.5), quantile(t->map_rms, t->maps, 1),
                 quantile(t->map_max, t->maps, 0.5), quantile(t->map_max, t->maps, 1),
                 (double)(clock() - began) / CLOCKS_PER_SEC / robots);
    bool well =
        t->passed == t->robots && t->played == t->robots && t->misread == 0 && p99 <= PLACING_LIMIT;
    free(t);
    return well ? 0 : 1;
}
