// Faults in the middle of a game that plays by itself on the simulated table: whatever breaks, the
// game goes on once it is mended, or asks a question that says what to do. Never is a wrong move
// committed, a stone lost from the books, or anything struck that the fault doesn't explain.
//
// A case waits for a moment (say, the third move's stone hangs on the cup), sets the fault off,
// mends it some seconds later, and ends a few moves further on.
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
    MOVES_BEFORE = 1, // accepted before the fault
    MOVES_AFTER = 2,
    MOVES_LATEST = 6, // for what must be told
};
static const int64_t TICK_NS = 20 * NS_PER_MS;
static const int64_t CASE_NS = 200 * NS_PER_S; // no case may take longer (virtual)
static const double CARRIED = 12;              // mm: the lip is this high with a stone on its way

enum moment { AT_PICK, AT_CARRY, AT_PLACE, AT_WATCH, AT_HOMING };

struct rig;
typedef void act_fn(struct rig *rig);

struct fault_case {
    const char *name;
    enum moment moment;
    act_fn *strike, *mend; // mend NULL = nothing to mend
    double mend_after;     // seconds
    const char *told;      // must be among the news, NULL = nothing needs to be said
    unsigned allowed;      // incidents the fault explains: 1 << kind
    bool asks;             // ends in a question that nobody can answer by trying again
    bool still;            // from half a second after the strike until mending the arm stands
    const char *setting;   // key=value, or NULL
    bool empties;          // no stone lies on the board in the end
};

struct rig {
    const struct fault_case *c;
    struct loop *loop;
    struct play *play;
    struct loop_source *timer;
    enum robot_state state;
    int64_t struck_ns, mended_ns;
    int moves_at_strike, stones, disagreements;
    double stood[3]; // the tool, once it should stand
    bool standing, moved, over, gave_up, asked;
    char news[NEWS_SIZE];
    size_t news_size;
};

static struct table *table_of(struct rig *g)
{
    return play_table(g->play);
}

static const struct robot_counts *counts(struct rig *g)
{
    return robot_counts(play_robot(g->play));
}

// --- the faults ---

static void press_estop(struct rig *g)
{
    table_estop(table_of(g), true);
}

static void release_estop(struct rig *g)
{
    table_estop(table_of(g), false);
}

static void open_lid(struct rig *g)
{
    table_lid(table_of(g), true);
}

static void shut_lid(struct rig *g)
{
    table_lid(table_of(g), false);
}

static void open_door(struct rig *g)
{
    table_fault(table_of(g), FAULT_DOOR, 1);
}

static void shut_door(struct rig *g)
{
    table_fault(table_of(g), FAULT_DOOR, 0);
}

static void unplug(struct rig *g)
{
    table_fault(table_of(g), FAULT_UNPLUG, 0);
}

static void replug(struct rig *g)
{
    table_fault(table_of(g), FAULT_REPLUG, 0);
}

static void brown_out(struct rig *g)
{
    table_fault(table_of(g), FAULT_BROWN_OUT, 0);
}

static void take_camera(struct rig *g)
{
    table_fault(table_of(g), FAULT_CAMERA_GONE, 1);
}

static void give_camera(struct rig *g)
{
    table_fault(table_of(g), FAULT_CAMERA_GONE, 0);
}

static void stall_camera(struct rig *g)
{
    table_fault(table_of(g), FAULT_CAMERA_STALL, 1);
}

static void wake_camera(struct rig *g)
{
    table_fault(table_of(g), FAULT_CAMERA_STALL, 0);
}

static void cut_frames(struct rig *g)
{
    table_fault(table_of(g), FAULT_CAMERA_TRUNCATE, 5);
}

static void bump_camera(struct rig *g)
{
    table_fault(table_of(g), FAULT_CAMERA_BUMP, 2);
}

static void dim_light(struct rig *g)
{
    table_fault(table_of(g), FAULT_LIGHT_GAIN, 0.6);
}

static void fail_picks(struct rig *g)
{
    table_fault(table_of(g), FAULT_PICK_FAILS, 2);
}

static void kill_pump(struct rig *g)
{
    table_fault(table_of(g), FAULT_PUMP_DEAD, 1);
}

static void lose_stone(struct rig *g)
{
    table_fault(table_of(g), FAULT_LOSE_STONE, 0.1);
}

static void trip_limit(struct rig *g)
{
    table_fault(table_of(g), FAULT_LIMIT_TRIP, 0);
}

static void reach_in(struct rig *g)
{
    assert_int_equal(0, person_reach(table_person(table_of(g)), 9, 2, 5, NULL, NULL));
}

static void lose_steps(struct rig *g)
{
    table_fault(table_of(g), FAULT_LOSE_STEPS, 3.5);
}

static void resign(struct rig *g)
{
    struct error err;
    assert_int_equal(0, play_say(g->play, "resign", &err));
}

static void tidy_and_resign(struct rig *g)
{
    struct error err;
    assert_int_equal(0, play_say(g->play, "tidy", &err));
    resign(g);
}

// As if what hangs on the cup would not come off.
static void stick(struct rig *g)
{
    table_fault(table_of(g), FAULT_SENSOR_STUCK, 1);
}

static void unstick(struct rig *g)
{
    table_fault(table_of(g), FAULT_SENSOR_STUCK, -1);
}

static void nothing(struct rig *g)
{
    (void)g;
}

static const struct fault_case CASES[] = {
    {"e-stop while carrying", AT_CARRY, press_estop, release_estop, 4, "emergency stop",
     1u << INCIDENT_DROPPED, false, true, NULL, false}, // the pump has no power either
    {"e-stop while placing", AT_PLACE, press_estop, release_estop, 4, "emergency stop",
     1u << INCIDENT_DROPPED, false, true, NULL, false},
    // The next stone hangs on the cup already and loses its vacuum.
    {"e-stop while a person plays", AT_WATCH, press_estop, release_estop, 4, "has fallen off",
     1u << INCIDENT_DROPPED | 1u << INCIDENT_FLOOR, false, true, NULL, false},
    {"e-stop while a person plays, nothing picked ahead", AT_WATCH, press_estop, release_estop, 4,
     "emergency stop", 0, false, true, "gripper.wait_time=0 s", false},
    {"the waiting stone falls off", AT_WATCH, lose_stone, NULL, 1, "has fallen off",
     1u << INCIDENT_DROPPED | 1u << INCIDENT_FLOOR, false, false, NULL, false},
    {"brown-out while a stone waits", AT_WATCH, brown_out, NULL, 1, NULL, 0, false, false, NULL,
     false},
    {"steps lost while a stone waits", AT_WATCH, lose_steps, NULL, 1,
     "the arm checks its home corner", 0, false, false, NULL, false},
    {"a stone waits too long", AT_WATCH, nothing, NULL, 1, "putting the waiting blue stone away", 0,
     false, false, "gripper.wait_time=0.5 s", false},
    {"resigning while a stone waits", AT_WATCH, resign, NULL, 0,
     "putting the waiting blue stone away", 0, false, false, NULL, false},
    {"the stones are put away", AT_WATCH, resign, NULL, 0, "the arm puts the stones away", 0, false,
     false, "game.tidy=true", true},
    {"the stones are put away when asked", AT_WATCH, tidy_and_resign, NULL, 0,
     "the arm puts the stones away", 0, false, false, NULL, true},
    {"lid opened while carrying", AT_CARRY, open_lid, shut_lid, 4, "the lid is open", 0, false,
     true, NULL, false},
    {"lid opened while a stone waits", AT_WATCH, open_lid, shut_lid, 4, "the lid is open", 0, false,
     true, NULL, false},
    {"the plotter's door opened while carrying", AT_CARRY, open_door, shut_door, 4, "own door", 0,
     false, true, NULL, false},
    {"hand over the board", AT_CARRY, reach_in, NULL, 6, "hand", 0, false, false, NULL, false},
    {"cable pulled at the pick", AT_PICK, unplug, replug, 5, "plotter", 0, false, false, NULL,
     false},
    {"cable pulled while carrying", AT_CARRY, unplug, replug, 5, "plotter", 0, false, false, NULL,
     false},
    {"cable pulled while placing", AT_PLACE, unplug, replug, 5, "plotter", 0, false, false, NULL,
     false},
    {"cable pulled while homing", AT_HOMING, unplug, replug, 5, "plotter", 0, false, false, NULL,
     false},
    {"the valve sticks while homing", AT_HOMING, stick, unstick, 48,
     "did not come to its parking place", 0, false, false, NULL, false},
    {"cable pulled while a person plays", AT_WATCH, unplug, replug, 3, NULL, 0, false, false, NULL,
     false},
    {"brown-out while carrying", AT_CARRY, brown_out, NULL, 1, "start", 1u << INCIDENT_DROPPED,
     false, false, NULL, false},
    {"limit switch trips", AT_CARRY, trip_limit, NULL, 1, "larm", 0, false, false, NULL, false},
    {"camera gone while carrying", AT_CARRY, take_camera, give_camera, 8, "camera is gone", 0,
     false, false, NULL, false},
    {"camera gone while a person plays", AT_WATCH, take_camera, give_camera, 8, "camera is gone", 0,
     false, false, NULL, false},
    {"camera stalls while carrying", AT_CARRY, stall_camera, wake_camera, 12, "camera is gone", 0,
     false, false, NULL, false},
    {"camera stalls while a person plays", AT_WATCH, stall_camera, wake_camera, 12,
     "camera is gone", 0, false, false, NULL, false},
    {"frames cut off", AT_WATCH, cut_frames, NULL, 1, NULL, 0, false, false, NULL, false},
    {"camera bumped", AT_CARRY, bump_camera, NULL, 1, NULL, 0, false, false, NULL, false},
    {"camera bumped while a person plays", AT_WATCH, bump_camera, NULL, 1, NULL, 0, false, false,
     NULL, false},
    {"lamp switched", AT_WATCH, dim_light, NULL, 1, NULL, 0, false, false, NULL, false},
    {"two picks fail", AT_WATCH, fail_picks, NULL, 1, "one more try", 0, false, false, NULL, false},
    {"the pump is dead", AT_WATCH, kill_pump, NULL, 1, "this did not work",
     1u << INCIDENT_DROPPED | 1u << INCIDENT_FLOOR, true, false, NULL, false},
    {"a stone falls off", AT_CARRY, lose_stone, NULL, 1, NULL, 1u << INCIDENT_DROPPED, false, false,
     NULL, false},
};

// --- watching ---

static bool over_board(const struct world_tool *t)
{
    return t->x > -11 && t->x < 407 && t->y > -11 && t->y < 407;
}

static bool is_moment(struct rig *g)
{
    const struct world *w = table_world(table_of(g));
    const struct world_tool *t = &w->tool;
    bool working = g->state == ROBOT_WORKING;
    if (g->c->moment == AT_HOMING)
        return g->state == ROBOT_HOMING && t->moving;
    if (counts(g)->moves < MOVES_BEFORE)
        return false;
    switch (g->c->moment) {
    case AT_PICK:
        return working && w->vacuum.pump && !t->held;
    case AT_CARRY:
        return working && t->held && t->z > CARRIED && over_board(t);
    case AT_PLACE:
        return working && t->held && t->z < CARRIED && over_board(t);
    case AT_WATCH:
        return g->state == ROBOT_WATCHING;
    case AT_HOMING:
        break;
    }
    return false;
}

// Once it should stand, the tool may not move by more than its backlash.
static void watch_standing(struct rig *g, int64_t now)
{
    const struct world_tool *t = &table_world(table_of(g))->tool;
    const double at[3] = {t->x, t->y, t->z};
    if (!g->c->still || g->mended_ns || now - g->struck_ns < NS_PER_S / 2)
        return;
    if (!g->standing)
        memcpy(g->stood, at, sizeof at);
    g->standing = true;
    for (int a = 0; a < 3; a++)
        g->moved = g->moved || fabs(at[a] - g->stood[a]) > 0.5;
}

static void on_tick(void *user, int64_t now)
{
    struct rig *g = user;
    loop_source_set_due(g->timer, now + TICK_NS);
    if (!play_robot(g->play))
        return;
    if (!g->struck_ns && is_moment(g)) {
        g->struck_ns = now;
        g->moves_at_strike = counts(g)->moves;
        g->c->strike(g);
    } else if (g->struck_ns) {
        watch_standing(g, now);
        if (!g->mended_ns && now - g->struck_ns > (int64_t)(g->c->mend_after * (double)NS_PER_S)) {
            g->mended_ns = now;
            if (g->c->mend)
                g->c->mend(g);
        }
    }
    if (now > CASE_NS)
        loop_exit(g->loop, 0);
}

// --- the game's news ---

static void on_news(void *user, enum robot_news kind, const char *text)
{
    struct rig *g = user;
    if (getenv("FAULTS_CHATTY"))
        printf("  %8.2f  %s\n", (double)loop_now(g->loop) / (double)NS_PER_S, text);
    g->asked = g->asked || (kind == ROBOT_NEWS_QUESTION && g->struck_ns);
    if (g->asked && g->c->asks)
        loop_exit(g->loop, 0);
    size_t room = sizeof g->news - g->news_size;
    int n = g->struck_ns ? snprintf(g->news + g->news_size, room, "%s\n", text) : 0;
    g->news_size += n > 0 && (size_t)n < room ? (size_t)n : 0;
}

static void on_state(void *user, enum robot_state state)
{
    struct rig *g = user;
    g->state = state;
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
}

static int lost_stones(struct rig *g)
{
    struct table_ledger ledger;
    table_ledger(table_of(g), &ledger);
    return ledger.floor + ledger.beside;
}

static void on_confirmed(void *user, const struct game *game)
{
    struct rig *g = user;
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(table_of(g), truth);
    int size = game->rules.size;
    for (int i = 0; i < size * size; i++)
        g->disagreements += truth[i] != (int)game_at(game, i % size, i / size);
    bool told = !g->c->told || strstr(g->news, g->c->told);
    int after = counts(g)->moves - g->moves_at_strike;
    if (g->mended_ns && (after >= MOVES_LATEST || (told && after >= MOVES_AFTER)))
        loop_exit(g->loop, 0);
}

static void on_over(void *user, const struct game *game)
{
    (void)game;
    struct rig *g = user;
    g->over = true;
    loop_exit(g->loop, 0);
}

static void on_ready(void *user)
{
    (void)user;
}

static void on_failed(void *user, const struct error *err)
{
    struct rig *g = user;
    on_news(g, ROBOT_NEWS_TROUBLE, err->text);
    g->gave_up = true;
    loop_exit(g->loop, 0);
}

// --- one case ---

static void begin(struct rig *g, const struct settings *settings, const char *state)
{
    struct error err;
    const struct play_options options = {.settings = settings,
                                         .variant = "pente",
                                         .seats = PLAY_ROBOT_FIRST,
                                         .automatic = true,
                                         .fast = true,
                                         .level = 2,
                                         .seed = 5,
                                         .state = state};
    const struct play_events events = {.robot = {.news = on_news,
                                                 .state = on_state,
                                                 .position = on_position,
                                                 .confirmed = on_confirmed,
                                                 .over = on_over,
                                                 .user = g},
                                       .ready = on_ready,
                                       .failed = on_failed};
    assert_int_equal(0, loop_new_virtual(0, &g->loop));
    assert_int_equal(0, loop_add_timer(g->loop, TICK_NS, on_tick, g, &g->timer));
    assert_int_equal(0, play_new(g->loop, &options, &events, &g->play, &err));
}

static int unexplained(struct rig *g)
{
    const struct world *w = table_world(table_of(g));
    int count = 0;
    for (int k = 0; k < INCIDENT_KINDS; k++) {
        if (w->incident_kind[k] && !(g->c->allowed & 1u << k)) {
            printf("%s: %d times %s\n", g->c->name, w->incident_kind[k],
                   world_incident_name((enum world_incident_kind)k));
            count += w->incident_kind[k];
        }
    }
    for (int i = 0; count && i < w->incident_count && i < WORLD_INCIDENTS_KEPT; i++)
        printf("  at %.2f s, %.0f, %.0f: %s\n", (double)w->incident[i].time_ns / (double)NS_PER_S,
               w->incident[i].x, w->incident[i].y, world_incident_name(w->incident[i].kind));
    return count;
}

static int left_on_board(struct rig *g)
{
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    const struct game *game = play_game(g->play);
    int count = 0, size = game->rules.size;
    table_truth(table_of(g), truth);
    for (int i = 0; i < size * size; i++)
        count += truth[i] != 0;
    return count;
}

static void check(struct rig *g)
{
    if (g->c->empties)
        assert_int_equal(left_on_board(g), 0);
    bool well = g->over || (!g->gave_up && g->mended_ns &&
                            counts(g)->moves >= g->moves_at_strike + MOVES_AFTER);
    bool told = !g->c->told || strstr(g->news, g->c->told);
    bool dropped = g->c->allowed & 1u << INCIDENT_DROPPED;
    int strange = unexplained(g), lost = lost_stones(g);
    if ((g->c->asks ? !g->asked : !well) || !told || strange || (lost && !dropped) ||
        g->disagreements || g->moved)
        fail_msg("%s: %s, %s, %d incidents, %d stones lost, %d points differ%s; news:\n%s",
                 g->c->name, well ? "goes on" : "does NOT go on", told ? "told" : "NOT told",
                 strange, lost, g->disagreements, g->moved ? ", the arm MOVED" : "", g->news);
}

static void test_fault(void **user)
{
    struct rig g = {.c = *user};
    char state[] = "/tmp/tessera-faults-XXXXXX", command[64];
    struct settings settings;
    assert_non_null(mkdtemp(state));
    struct error err;
    const char *const more[] = {g.c->setting, NULL};
    assert_int_equal(0, sim_settings_load(state, more, &settings, &err));
    begin(&g, &settings, state);
    assert_int_equal(0, loop_run(g.loop));
    assert_true(g.struck_ns > 0);
    check(&g);
    play_free(g.play);
    loop_free(g.loop);
    snprintf(command, sizeof command, "rm -rf %s", state);
    assert_int_equal(0, system(command));
}

int main(int argc, char **argv)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", bin ? bin : ".", old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
    enum { COUNT = sizeof CASES / sizeof CASES[0] };
    struct CMUnitTest tests[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (argc < 2 || strstr(CASES[i].name, argv[1]))
            tests[count++] = (struct CMUnitTest){
                .name = CASES[i].name, .test_func = test_fault, .initial_state = (void *)&CASES[i]};
    }
    return _cmocka_run_group_tests("faults", tests, count, NULL, NULL);
}
