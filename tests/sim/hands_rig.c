#include "tests/sim/hands_rig.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "controller/child.h"
#include "tests/sim/sim_settings.h"
#include "tests/unit/mortal_rulesd.h"

static const int64_t TICK_NS = 20 * NS_PER_MS;
static const double STANDS_MM = 0.01, OVER_TRAY_MM = 20;
enum { SETTINGS_MORE = 16 };

struct rig rig;

const struct world *rig_world(void)
{
    return table_world(play_table(rig.play));
}

const struct robot_counts *rig_counts(void)
{
    return robot_counts(play_robot(rig.play));
}

bool rig_said(const char *text)
{
    return strstr(rig.news, text);
}

// --- running ---

static void watch_tool(void)
{
    const struct world_tool *t = &rig_world()->tool;
    for (int a = 0; a < 3; a++)
        rig.strayed = fmax(rig.strayed, fabs(t->machine[a] - rig.from[a]));
    for (int c = 1; c <= PERSON; c++) {
        const struct setup_place *tray = &rig_world()->setup.tray[c - 1];
        if (hypot(t->machine[0] - tray->x, t->machine[1] - tray->y) < OVER_TRAY_MM)
            rig.visited[c] = true;
    }
}

static void on_tick(void *user, int64_t now)
{
    (void)user;
    loop_source_set_due(rig.timer, now + TICK_NS);
    if (!rig.play || !play_robot(rig.play))
        return;
    const char *words = rig.words;
    rig.words = NULL;
    if (words)
        rig_say(words);
    watch_tool();
    rig.met = rig.condition && rig.condition(&rig);
    if (rig.met || now >= rig.until)
        loop_exit(rig.loop, 0);
}

void rig_stand(void)
{
    memcpy(rig.from, rig_world()->tool.machine, sizeof rig.from);
    rig.strayed = 0;
    memset(rig.visited, 0, sizeof rig.visited);
}

void rig_assert_stands(void)
{
    if (rig.strayed >= STANDS_MM)
        fail_msg("the arm moved by %.2f mm; news:\n%s", rig.strayed, rig.news);
}

bool rig_until(bool (*condition)(struct rig *rig), double seconds)
{
    rig.condition = condition;
    rig.met = false;
    rig.until = loop_now(rig.loop) + (int64_t)(seconds * (double)NS_PER_S);
    assert_int_equal(loop_run(rig.loop), 0);
    return rig.met;
}

bool rig_is_watching(struct rig *g)
{
    return g->state == ROBOT_WATCHING;
}

bool rig_carries_over_the_board(struct rig *g)
{
    const struct world_tool *t = &rig_world()->tool;
    return g->state == ROBOT_WORKING && t->held && t->z > 9 && t->x > 0 && t->y > 0;
}

bool rig_is_working(struct rig *g)
{
    return g->state == ROBOT_WORKING;
}

bool rig_hand_is_there(struct rig *g)
{
    (void)g;
    return rig_world()->hand.present && rig_world()->hand.y > 0;
}

bool rig_hand_is_gone(struct rig *g)
{
    (void)g;
    return !rig_world()->hand.present;
}

bool rig_two_more_are_laid(struct rig *g)
{
    (void)g;
    return g->state == ROBOT_WATCHING && rig_counts()->moves >= 3;
}

bool rig_straightens(struct rig *g)
{
    return strstr(g->news, "straightening") && !rig_world()->tool.held;
}

// --- the game's news ---

static void on_news(void *user, enum robot_news kind, const char *text)
{
    (void)user, (void)kind;
    if (getenv("HANDS_CHATTY"))
        printf("  %8.2f  %s\n", (double)loop_now(rig.loop) / (double)NS_PER_S, text);
    size_t room = sizeof rig.news - rig.news_size;
    int n = snprintf(rig.news + rig.news_size, room, "%s\n", text);
    rig.news_size += n > 0 && (size_t)n < room ? (size_t)n : 0;
}

static void on_state(void *user, enum robot_state state)
{
    (void)user;
    rig.state = state;
    rig.entered[state] = loop_now(rig.loop);
    if (rig.presses[state])
        robot_press_done(play_robot(rig.play));
    rig.presses[state] = false;
    if (rig.says[state]) {
        rig.words = rig.says[state];
        rig.says[state] = NULL;
        loop_source_set_due(rig.timer, 0);
    }
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
    if (rig.dies)
        rig_die();
}

static void on_over(void *user, const struct game *game)
{
    (void)user, (void)game;
}

static void on_ready(void *user)
{
    (void)user;
}

static void on_failed(void *user, const struct error *err)
{
    (void)user;
    fail_msg("%s", err->text);
}

// --- one game ---

void rig_begin(bool resume)
{
    struct error err;
    const struct play_options options = {.settings = &rig.settings,
                                         .variant = rig.settings.game.variant,
                                         .seats = rig.seats,
                                         .fast = !rig.unhurried,
                                         .level = 2,
                                         .seed = 5,
                                         .state = rig.folder,
                                         .rulesd = rig.rulesd[0] ? rig.rulesd : NULL,
                                         .resume = resume};
    const struct play_events events = {
        .robot = {.news = on_news, .state = on_state, .position = on_position, .over = on_over},
        .ready = on_ready,
        .failed = on_failed};
    rig.news_size = 0;
    rig.news[0] = 0;
    rig.state = ROBOT_STOPPED;
    assert_int_equal(0, loop_new_virtual(0, &rig.loop));
    assert_int_equal(0, loop_add_timer(rig.loop, TICK_NS, on_tick, NULL, &rig.timer));
    assert_int_equal(0, play_new(rig.loop, &options, &events, &rig.play, &err));
}

void rig_end(void)
{
    rig.play = play_free(rig.play);
    rig.loop = loop_free(rig.loop);
}

// A quarter of the pixels: what is tried here is not how well it sees.
void rig_load(const char *const *settings)
{
    struct error err;
    const char *more[SETTINGS_MORE + 3] = {"camera.width=640", "camera.height=360"};
    for (int i = 0; i < SETTINGS_MORE && settings[i]; i++)
        more[2 + i] = settings[i];
    if (sim_settings_load(rig.folder, more, &rig.settings, &err) < 0)
        fail_msg("%s", err.text);
}

void rig_sit_down(const char *const *settings)
{
    rig_load(settings);
    rig_begin(false);
    AWAIT(rig_is_watching);
}

void rig_lay_beside(double mm, const char *const *settings)
{
    rig_load(settings);
    rig_begin(false);
    AWAIT(rig_carries_over_the_board);
    table_fault(play_table(rig.play), FAULT_LOSE_STEPS, mm);
    AWAIT(rig_is_watching);
}

void rig_say(const char *words)
{
    struct error err;
    if (play_say(rig.play, words, &err) < 0)
        fail_msg("%s: %s", words, err.text);
}

void rig_die(void)
{
    kill(getpid(), SIGKILL);
}

// What fails in there ends that process alone, by a group of tests of its own.
void rig_killed_in(void (*game)(void **state))
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(game)};
        cmocka_set_test_filter(NULL);
        _exit(cmocka_run_group_tests_name("killed", tests, NULL, NULL));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail_msg("it was not killed, but ended by itself: 0x%x", (unsigned)status);
}

void rig_take_back_a_pair(void)
{
    rig_say("E5");
    AWAIT(rig_two_more_are_laid);
    rig_say("undo");
}

static bool is_retreating(struct rig *g)
{
    return g->state == ROBOT_RETREATING;
}

void rig_lose_stone(int column, int row)
{
    const struct settings_board *board = &rig.settings.board;
    struct table *table = play_table(rig.play);
    const struct world *w = rig_world();
    int lost = 0;
    while (lost < w->stone_count && w->stone[lost].place != PLACE_CUP)
        lost++;
    assert_true(lost < w->stone_count);
    table_fault(table, FAULT_LOSE_STONE, 0.01);
    AWAIT(is_retreating);
    const int8_t colour = w->stone[lost].colour;
    assert_int_equal(table_take_stone(table, w->stone[lost].x, w->stone[lost].y), 0);
    table_put_stone(table, colour, column * board->pitch_x, row * board->pitch_y);
}

void rig_assert_only_first_stone(void)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    for (int i = 0; i < 19 * 19; i++)
        assert_int_equal(truth[i], i == 9 * 19 + 9 ? ROBOT : 0);
}

void rig_find_programs(void)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", bin ? bin : ".", old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
}

void rig_make_rules_mortal(void)
{
    struct error err;
    char program[CHILD_PATH_MAX];
    if (child_find_program("tessera-rulesd", program, &err) < 0)
        fail_msg("%s", err.text);
    mortal_rulesd_write(rig.folder, "mortal", program);
    snprintf(rig.rulesd, sizeof rig.rulesd, "%s/mortal", rig.folder);
}

int rig_set_up(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    snprintf(rig.folder, sizeof rig.folder, "/tmp/tessera-hands-XXXXXX");
    return mkdtemp(rig.folder) ? 0 : -1;
}

int rig_tear_down(void **state)
{
    (void)state;
    char command[64];
    rig_end();
    snprintf(command, sizeof command, "rm -rf %s", rig.folder);
    return system(command);
}
