// Faults in the middle of a game that plays by itself on the simulated table: whatever breaks, the
// game goes on once it is mended, or asks a question that says what to do. Never is a wrong move
// committed, a stone lost from the books, or anything struck that the fault doesn't explain.
//
// A case waits for a moment (say, the third move's stone hangs on the cup), sets the fault off,
// mends it some seconds later, and ends a few moves further on. Half of the time went into sitting
// down to a game: those that need nothing special go on with the game of the case before, a few
// cases to a game. `test_controller_faults NAME` plays those with that name alone.
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
#include "tests/sim/fault_cases.h"
#include "tests/sim/sim_settings.h"

enum {
    NEWS_SIZE = 16384,
    MOVES_BEFORE = 1, // accepted before the fault
    MOVES_AFTER = 2,
    MOVES_LATEST = 6, // for what must be told
    GAME_CASES = 8,   // at one table, in one game, if it lasts
};
static const int64_t TICK_NS = 20 * NS_PER_MS;
static const int64_t CASE_NS = 200 * NS_PER_S; // no case may take longer (virtual)
static const double CARRIED = 12;              // mm: the lip is this high with a stone on its way

struct rig {
    // the game
    char folder[32];
    struct settings settings;
    struct loop *loop;
    struct play *play;
    struct loop_source *timer;
    enum robot_state state;
    bool over, gave_up;
    int cases; // tried in it
    bool fit;  // the last one went well: another may follow
    // the case
    const struct fault_case *c;
    int64_t began_ns, struck_ns, mended_ns;
    int moves_at_strike, disagreements;
    int lost_before, incidents_before[INCIDENT_KINDS];
    double stood[3]; // the tool, once it should stand
    bool standing, moved, asked;
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
    int64_t from = g->struck_ns + (int64_t)(g->c->still * (double)NS_PER_S);
    if (g->c->still <= 0 || g->mended_ns || now < from)
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
        g->c->strike(g->play);
    } else if (g->struck_ns) {
        watch_standing(g, now);
        if (!g->mended_ns && now - g->struck_ns > (int64_t)(g->c->mend_after * (double)NS_PER_S)) {
            g->mended_ns = now;
            if (g->c->mend)
                g->c->mend(g->play);
        }
    }
    if (now - g->began_ns > CASE_NS)
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

static void sit_down(struct rig *g, const char *setting)
{
    struct error err;
    // A quarter of the pixels: what is tried here is not how well it sees.
    const char *const more[] = {"camera.width=640", "camera.height=360", setting, NULL};
    *g = (struct rig){.folder = "/tmp/tessera-faults-XXXXXX"};
    assert_non_null(mkdtemp(g->folder));
    assert_int_equal(0, sim_settings_load(g->folder, more, &g->settings, &err));
    const struct play_options options = {.settings = &g->settings,
                                         .variant = "pente",
                                         .seats = PLAY_ROBOT_FIRST,
                                         .automatic = true,
                                         .fast = true,
                                         .level = 2,
                                         .seed = 5,
                                         .state = g->folder};
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

static void rise(struct rig *g)
{
    char command[64];
    if (!g->folder[0])
        return;
    play_free(g->play);
    loop_free(g->loop);
    snprintf(command, sizeof command, "rm -rf %s", g->folder);
    assert_int_equal(0, system(command));
    g->folder[0] = 0;
}

// What the case before let fall where the arm parks is picked up, as the robot has asked: the next
// one would fall on it.
static void pick_up(struct rig *g)
{
    const struct world *w = table_world(table_of(g));
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        bool board = s->x > -11 && s->x < 407 && s->y > -11 && s->y < 407;
        if (s->place == PLACE_TABLE && !board && world_tray_at(&w->setup, s->x, s->y) < 0)
            table_take_stone(table_of(g), s->x, s->y);
    }
}

static void begin(struct rig *g, const struct fault_case *c)
{
    g->c = c;
    g->fit = false;
    g->cases++;
    g->began_ns = loop_now(g->loop);
    g->struck_ns = g->mended_ns = 0;
    g->moves_at_strike = g->disagreements = 0;
    g->standing = g->moved = g->asked = false;
    g->news_size = 0;
    g->news[0] = 0;
    if (g->cases > 1) {
        pick_up(g);
        g->lost_before = lost_stones(g);
        memcpy(g->incidents_before, table_world(table_of(g))->incident_kind,
               sizeof g->incidents_before);
    }
}

static int unexplained(struct rig *g)
{
    const struct world *w = table_world(table_of(g));
    int count = 0;
    for (int k = 0; k < INCIDENT_KINDS; k++) {
        int more = w->incident_kind[k] - g->incidents_before[k];
        if (more && !(g->c->allowed & 1u << k)) {
            printf("%s: %d times %s\n", g->c->name, more,
                   world_incident_name((enum world_incident_kind)k));
            count += more;
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
    int strange = unexplained(g), lost = lost_stones(g) - g->lost_before;
    if ((g->c->asks ? !g->asked : !well) || !told || strange || (lost && !dropped) ||
        g->disagreements || g->moved)
        fail_msg("%s: %s, %s, %d incidents, %d stones lost, %d points differ%s; news:\n%s",
                 g->c->name, well ? "goes on" : "does NOT go on", told ? "told" : "NOT told",
                 strange, lost, g->disagreements, g->moved ? ", the arm MOVED" : "", g->news);
}

// Needs a game as it is by default, from its second move on.
static bool may_follow(const struct fault_case *c)
{
    return !c->setting && !c->asks && !c->empties && c->moment != AT_HOMING;
}

static void run(struct rig *g, const struct fault_case *c)
{
    begin(g, c);
    assert_int_equal(0, loop_run(g->loop));
}

static void try_case(struct rig *g, const struct fault_case *c)
{
    run(g, c);
    if (g->over && g->cases > 1) { // the game of the cases before ended in it: it may be half tried
        rise(g);
        sit_down(g, NULL);
        run(g, c);
    }
    assert_true(g->struck_ns > 0);
    check(g);
    g->fit = !g->over;
}

static struct rig at_one_table;

static void test_fault(void **user)
{
    const struct fault_case *c = *user;
    struct rig *g = &at_one_table;
    if (may_follow(c)) {
        if (!g->fit || g->cases == GAME_CASES) {
            rise(g);
            sit_down(g, NULL);
        }
        try_case(g, c);
        return;
    }
    static struct rig own;
    sit_down(&own, c->setting);
    try_case(&own, c);
    rise(&own);
}

static int leave(void **user)
{
    (void)user;
    rise(&at_one_table);
    return 0;
}

int main(int argc, char **argv)
{
    char path[8192];
    const char *bin = getenv("TESSERA_BIN"), *old = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", bin ? bin : ".", old ? old : "/usr/bin:/bin");
    setenv("PATH", path, 1);
    struct CMUnitTest *tests = calloc(fault_case_count, sizeof *tests);
    size_t count = 0;
    for (size_t i = 0; tests && i < fault_case_count; i++) {
        if (argc < 2 || strstr(fault_cases[i].name, argv[1]))
            tests[count++] = (struct CMUnitTest){.name = fault_cases[i].name,
                                                 .test_func = test_fault,
                                                 .initial_state = (void *)&fault_cases[i]};
    }
    int failed = _cmocka_run_group_tests("faults", tests, count, NULL, leave);
    free(tests);
    return failed;
}
