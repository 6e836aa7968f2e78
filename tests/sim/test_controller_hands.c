// The arm and the people around it, on the simulated table, with a person whose every act the test
// decides: what must not move while somebody's hand may be there, what "done" means when nobody
// asked for it, where a stone in hand goes, and what is left to do after an interruption.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "controller/play.h"
#include "controller/sim/world.h"
#include "tests/sim/sim_settings.h"

enum {
    NEWS_SIZE = 16384,
    SETTINGS_MORE = 6,
    ROBOT = 1, // seats, and colours
    PERSON = 2,
};
static const int64_t TICK_NS = 20 * NS_PER_MS;
static const double STANDS_MM = 0.01, OVER_TRAY_MM = 20;

struct rig {
    struct loop *loop;
    struct play *play;
    struct loop_source *timer;
    struct settings settings;
    enum robot_state state;
    int64_t entered[ROBOT_STATES]; // when last
    bool (*condition)(struct rig *rig);
    int64_t until;
    bool met;
    double from[3], strayed;         // the tool, since stand()
    bool visited[SETUP_COLOURS + 1]; // these trays, since stand()
    char news[NEWS_SIZE];
    size_t news_size;
    char folder[32];
};
static struct rig rig;

static const struct world *world(void)
{
    return table_world(play_table(rig.play));
}

static const struct robot_counts *counts(void)
{
    return robot_counts(play_robot(rig.play));
}

static bool said(const char *text)
{
    return strstr(rig.news, text);
}

// --- running ---

static void watch_tool(void)
{
    const struct world_tool *t = &world()->tool;
    for (int a = 0; a < 3; a++)
        rig.strayed = fmax(rig.strayed, fabs(t->machine[a] - rig.from[a]));
    for (int c = 1; c <= PERSON; c++) {
        const struct setup_place *tray = &world()->setup.tray[c - 1];
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
    watch_tool();
    rig.met = rig.condition && rig.condition(&rig);
    if (rig.met || now >= rig.until)
        loop_exit(rig.loop, 0);
}

// From here on it is noted how far the tool moves, and over which trays.
static void stand(void)
{
    memcpy(rig.from, world()->tool.machine, sizeof rig.from);
    rig.strayed = 0;
    memset(rig.visited, 0, sizeof rig.visited);
}

static void assert_stands(void)
{
    if (rig.strayed >= STANDS_MM)
        fail_msg("the arm moved by %.2f mm; news:\n%s", rig.strayed, rig.news);
}

// Runs for so long, or until the condition holds: true.
static bool until(bool (*condition)(struct rig *rig), double seconds)
{
    rig.condition = condition;
    rig.met = false;
    rig.until = loop_now(rig.loop) + (int64_t)(seconds * (double)NS_PER_S);
    assert_int_equal(loop_run(rig.loop), 0);
    return rig.met;
}

#define AWAIT(condition)                                                                           \
    do {                                                                                           \
        if (!until(condition, 120))                                                                \
            fail_msg("never: " #condition "; state %s; news:\n%s", robot_state_name(rig.state),    \
                     rig.news);                                                                    \
    } while (0)

static bool is_watching(struct rig *g)
{
    return g->state == ROBOT_WATCHING;
}

static bool is_asking(struct rig *g)
{
    return g->state == ROBOT_ASKING;
}

static bool is_working(struct rig *g)
{
    return g->state == ROBOT_WORKING;
}

static bool is_retreating(struct rig *g)
{
    return g->state == ROBOT_RETREATING;
}

static bool pump_is_off(struct rig *g)
{
    (void)g;
    return !world()->vacuum.pump;
}

static bool is_turning(struct rig *g)
{
    return g->state == ROBOT_TURNING;
}

static bool hand_is_there(struct rig *g)
{
    (void)g;
    return world()->hand.present && world()->hand.y > 0;
}

static bool hand_is_gone(struct rig *g)
{
    (void)g;
    return !world()->hand.present;
}

static bool cup_is_free(struct rig *g)
{
    (void)g;
    return world_count(world(), PLACE_CUP, 0) == 0;
}

static bool two_more_are_laid(struct rig *g)
{
    (void)g;
    return g->state == ROBOT_WATCHING && counts()->moves >= 3;
}

static bool move_is_read(struct rig *g)
{
    (void)g;
    return counts()->moves >= 2;
}

static bool one_is_lifted(struct rig *g)
{
    (void)g;
    return counts()->lifted == 1;
}

static bool carries_to_a_tray(struct rig *g)
{
    (void)g;
    return world()->tool.held && world()->tool.machine[0] > -75;
}

static bool carries_over_the_board(struct rig *g)
{
    const struct world_tool *t = &world()->tool;
    return g->state == ROBOT_WORKING && t->held && t->z > 9 && t->x > 0 && t->y > 0;
}

static bool straightens(struct rig *g)
{
    return strstr(g->news, "straightening") && !world()->tool.held;
}

static bool is_holding(struct rig *g)
{
    return g->state == ROBOT_HOLDING;
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
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
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

static void begin(bool resume)
{
    struct error err;
    const struct play_options options = {.settings = &rig.settings,
                                         .variant = rig.settings.game.variant,
                                         .seats = PLAY_ROBOT_FIRST,
                                         .fast = true,
                                         .level = 2,
                                         .seed = 5,
                                         .state = rig.folder,
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

static void end(void)
{
    rig.play = play_free(rig.play);
    rig.loop = loop_free(rig.loop);
}

// Half the pixels: what is tried here is not how well it sees.
static void load(const char *const *settings)
{
    struct error err;
    const char *more[SETTINGS_MORE + 3] = {"camera.width=960", "camera.height=540"};
    for (int i = 0; i < SETTINGS_MORE && settings[i]; i++)
        more[2 + i] = settings[i];
    if (sim_settings_load(rig.folder, more, &rig.settings, &err) < 0)
        fail_msg("%s", err.text);
}

// The robot has laid its first stone and waits for the person's; most tests want that.
static void sit_down(const char *const *settings)
{
    load(settings);
    begin(false);
    AWAIT(is_watching);
}

// The same, but the first stone is laid so far off its point, in x and in y.
static void lay_beside(double mm, const char *const *settings)
{
    load(settings);
    begin(false);
    AWAIT(carries_over_the_board);
    table_fault(play_table(rig.play), FAULT_LOSE_STEPS, mm);
    AWAIT(is_watching);
}

static void say(const char *words)
{
    struct error err;
    if (play_say(rig.play, words, &err) < 0)
        fail_msg("%s: %s", words, err.text);
}

static int set_up(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    snprintf(rig.folder, sizeof rig.folder, "/tmp/tessera-hands-XXXXXX");
    return mkdtemp(rig.folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    end();
    snprintf(command, sizeof command, "rm -rf %s", rig.folder);
    return system(command);
}

// --- what must not move ---

// People who were asked for help may have their hands anywhere: however long the stone has waited
// on the cup, nothing moves before they have answered.
static void test_asking_stands_still(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=4 s", NULL});
    const struct error trouble = {.text = "the test wants to be asked."};
    robot_on_player_failed(play_robot(rig.play), PERSON, &trouble);
    AWAIT(is_asking);
    assert_int_equal(world_count(world(), PLACE_CUP, 0), 1);
    stand();
    assert_false(until(cup_is_free, 20));
    assert_int_equal(rig.state, ROBOT_ASKING);
    assert_stands();
    say("retry");
    AWAIT(cup_is_free);
    assert_true(said("putting the waiting blue stone away"));
}

static void test_putting_back_waits_for_a_hand(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=6 s", NULL});
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 4, 15, NULL, NULL));
    AWAIT(hand_is_there);
    stand();
    AWAIT(hand_is_gone);
    assert_stands();
    assert_int_equal(world_count(world(), PLACE_CUP, 0), 1);
    AWAIT(cup_is_free);
    assert_int_equal(world()->incident_count, 0);
}

// Where it is the arm does not know any more, and would look for its home corner: not under a hand.
static void test_cable_pulled_under_a_hand(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    say("E5");
    AWAIT(carries_over_the_board);
    struct table *table = play_table(rig.play);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 12, NULL, NULL));
    AWAIT(is_holding);
    until(NULL, 1); // it brakes
    stand();
    table_fault(table, FAULT_UNPLUG, 0);
    until(NULL, 1);
    table_fault(table, FAULT_REPLUG, 0);
    until(NULL, 6);
    assert_true(hand_is_there(&rig));
    assert_stands();
    assert_int_equal(rig.state, ROBOT_HOLDING);
    AWAIT(two_more_are_laid);
    assert_int_equal(world()->incident_kind[INCIDENT_HAND], 0);
}

// The other order: the hand comes while nobody knows where the arm is.
static void test_homing_waits_for_a_hand(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    say("E5");
    AWAIT(carries_over_the_board);
    struct table *table = play_table(rig.play);
    table_fault(table, FAULT_UNPLUG, 0);
    assert_int_equal(0, person_reach(table_person(table), 9, 2, 15, NULL, NULL));
    AWAIT(hand_is_there);
    until(NULL, 2);
    stand();
    table_fault(table, FAULT_REPLUG, 0);
    until(NULL, 8);
    assert_true(hand_is_there(&rig));
    assert_int_equal(rig.state, ROBOT_HOMING);
    assert_true(said("finds its home corner when the board is clear"));
    assert_stands();
    AWAIT(two_more_are_laid);
    assert_int_equal(world()->incident_kind[INCIDENT_HAND], 0);
}

// The stone that waits falls off: the pump has nothing to hold any more, and the arm stays where it
// is.
static void test_fallen_stone_stops_the_pump(void **state)
{
    (void)state;
    sit_down((const char *const[]){NULL});
    assert_true(world()->vacuum.pump);
    stand();
    table_fault(play_table(rig.play), FAULT_LOSE_STONE, 0.01);
    AWAIT(pump_is_off);
    assert_true(said("has fallen off"));
    assert_false(until(is_working, 5));
    assert_stands();
}

// --- what people say when nobody asked ---

// The simulated person would press again some seconds later; the robot must not have needed it.
static void test_done_while_putting_back(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=1 s", NULL});
    AWAIT(is_working);
    const struct settings_board *board = &rig.settings.board;
    assert_int_equal(
        0, table_put_stone(play_table(rig.play), PERSON, 4 * board->pitch_x, 4 * board->pitch_y));
    say("done");
    AWAIT(move_is_read);
    assert_true(said("that you are done is noted"));
    assert_int_equal(rig.entered[ROBOT_READING], rig.entered[ROBOT_WATCHING]);
}

static void test_done_without_a_move(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=1 s", NULL});
    AWAIT(is_working);
    say("done");
    AWAIT(is_watching);
    assert_false(until(move_is_read, 5));
    assert_int_equal(rig.entered[ROBOT_READING], 0);
    assert_int_equal(counts()->hints, 0);
}

// A block is turned for the robot, and the own move made at once: nobody presses twice for that.
static void test_done_for_a_block_and_a_move(void **state)
{
    (void)state;
    load((const char *const[]){"game.variant=pentago", "board.columns=6", "board.rows=6",
                               "gripper.wait_time=0 s", "game.still_time=8 s", NULL});
    begin(false);
    AWAIT(is_turning);
    AWAIT(hand_is_there); // the helper's
    AWAIT(hand_is_gone);
    assert_int_equal(rig.state, ROBOT_TURNING);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    struct person_task move = {.colour = PERSON, .block = 2, .turn = 1, .press = true};
    move.column = truth[0] ? 1 : 0;
    assert_int_equal(0, person_do(table_person(play_table(rig.play)), &move, NULL, NULL));
    AWAIT(move_is_read);
    assert_int_equal(rig.entered[ROBOT_READING], rig.entered[ROBOT_WATCHING]);
    assert_int_equal(counts()->hints, 0);
}

// --- where a stone in hand goes ---

// A position in doubt is found anew first; what waited on the cup is let go over its tray then.
static void test_doubt_homes_before_putting_back(void **state)
{
    (void)state;
    lay_beside(0.7,
               (const char *const[]){"gripper.wait_time=6 s", "safety.placing_error=0.5 mm", NULL});
    assert_true(said("will check its home corner before it moves again"));
    int homings = counts()->homings;
    AWAIT(cup_is_free);
    assert_int_equal(counts()->homings, homings + 1);
    AWAIT(is_watching);
    struct table_ledger ledger;
    table_ledger(play_table(rig.play), &ledger);
    assert_int_equal(ledger.tray[ROBOT], 1);
}

// The move of the person and the robot's answer are taken back: a stone of each colour is lifted.
static void take_back_a_pair(void)
{
    say("E5");
    AWAIT(two_more_are_laid);
    say("undo");
}

// A stone that will not come off goes on into the tray of its own colour, whatever came next.
static void test_stuck_stone_keeps_its_tray(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    take_back_a_pair();
    AWAIT(carries_to_a_tray);
    int colour = (uint8_t)world()->stone[world()->tool.sealed].colour;
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, 1);
    AWAIT(is_retreating);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, -1);
    stand();
    AWAIT(is_working);
    assert_true(rig.visited[colour]);
    assert_false(rig.visited[ROBOT + PERSON - colour]);
    AWAIT(is_watching);
    assert_int_equal(world_count(world(), PLACE_TABLE, 0), 3); // the first one, and two in trays
}

// Also on its way out of the picture after something failed.
static void test_a_retreat_halts_for_a_hand(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    take_back_a_pair();
    AWAIT(carries_to_a_tray);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, 1);
    AWAIT(is_retreating);
    table_fault(play_table(rig.play), FAULT_SENSOR_STUCK, -1);
    assert_int_equal(0, person_reach(table_person(play_table(rig.play)), 9, 2, 8, NULL, NULL));
    AWAIT(is_holding);
    until(NULL, 1); // it brakes
    stand();
    until(NULL, 4);
    assert_true(hand_is_there(&rig));
    assert_stands();
    AWAIT(is_watching);
    assert_int_equal(world()->incident_kind[INCIDENT_HAND], 0);
}

// --- stones that lie beside their points ---

static double off_centre(void)
{
    const struct settings_board *board = &rig.settings.board;
    double x = 9 * board->pitch_x, y = 9 * board->pitch_y;
    int stone = world_find(world(), x, y, 5);
    assert_true(stone >= 0);
    return hypot(world()->stone[stone].x - x, world()->stone[stone].y - y);
}

static void test_crooked_stone_is_straightened(void **state)
{
    (void)state;
    lay_beside(1.2, (const char *const[]){NULL});
    double before = off_centre();
    assert_true(before > 1);
    assert_int_equal(counts()->straightened, 0); // while the person plays it stands still
    say("E5");
    AWAIT(two_more_are_laid);
    assert_int_equal(counts()->straightened, 1);
    assert_true(said("straightening the blue stone on K10"));
    assert_true(off_centre() < before / 2); // this eye is not calibrated
    assert_int_equal(counts()->placed, 2);
    assert_int_equal(counts()->lifted, 0);
    assert_int_equal(world()->incident_count, 0);
}

// It is lost on the way: another one is laid, and the lost one put into the tray.
static void test_straightened_stone_falls(void **state)
{
    (void)state;
    lay_beside(1.2, (const char *const[]){"gripper.wait_time=0 s", NULL});
    say("E5");
    AWAIT(straightens);
    AWAIT(carries_over_the_board);
    table_fault(play_table(rig.play), FAULT_LOSE_STONE, 0.01);
    AWAIT(two_more_are_laid);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    assert_int_equal(truth[9 * 19 + 9], ROBOT);
    assert_int_equal(counts()->questions, 0);
}

// --- after an interruption ---

static void test_undo_is_finished_later(void **state)
{
    (void)state;
    sit_down((const char *const[]){"gripper.wait_time=0 s", NULL});
    take_back_a_pair();
    AWAIT(one_is_lifted);
    end();
    begin(true);
    AWAIT(is_watching);
    assert_int_equal(counts()->questions, 0);
    assert_int_equal(counts()->lifted, 1);
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(play_table(rig.play), truth);
    for (int i = 0; i < 19 * 19; i++)
        assert_int_equal(truth[i], i == 9 * 19 + 9 ? ROBOT : 0);
}

int main(int argc, char **argv)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", bin ? bin : ".", old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_asking_stands_still, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_putting_back_waits_for_a_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cable_pulled_under_a_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fallen_stone_stops_the_pump, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_done_while_putting_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_done_without_a_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_done_for_a_block_and_a_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_doubt_homes_before_putting_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_homing_waits_for_a_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_retreat_halts_for_a_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stuck_stone_keeps_its_tray, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_crooked_stone_is_straightened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_straightened_stone_falls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_undo_is_finished_later, set_up, tear_down),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("hands", tests, NULL, NULL);
}
