// hands_rig: one game of the robot against a person whose every act the test decides, on the
// simulated table and on virtual time. There is one rig at a time; each test gets a fresh folder
// (rig_set_up).
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/play.h"
#include "controller/sim/world.h"

enum {
    NEWS_SIZE = 16384,
    ROBOT = 1, // seats, and colours
    PERSON = 2,
};

struct rig {
    struct loop *loop;
    struct play *play;
    struct loop_source *timer;
    struct settings settings;
    enum play_seats seats; // who plays; the robot is first unless a test says otherwise
    bool unhurried;        // pictures as often as at a real table
    enum robot_state state;
    int64_t entered[ROBOT_STATES]; // when last
    bool (*condition)(struct rig *rig);
    int64_t until;
    bool met;
    bool dies;                       // by SIGKILL, when the game has become another one
    bool presses[ROBOT_STATES];      // "done", when this state is entered next
    const char *says[ROBOT_STATES];  // typed just after it is
    const char *words;               // which are due
    double from[3], strayed;         // the tool, since stand()
    bool visited[SETUP_COLOURS + 1]; // these trays, since stand()
    char news[NEWS_SIZE];
    size_t news_size;
    char folder[32], rulesd[64]; // rulesd: its program; "" = the usual one
};
extern struct rig rig;

void rig_find_programs(void); // in the folder TESSERA_BIN
// The rules daemon is to be one that dies as files in rig.folder want it (mortal_rulesd.h).
void rig_make_rules_mortal(void);
int rig_set_up(void **state); // of cmocka
int rig_tear_down(void **state);

// Settings: "key=value", NULL at the end; with a quarter of the pixels.
void rig_load(const char *const *settings);
void rig_begin(bool resume);
void rig_end(void);
// All three; the robot has laid its first stone and waits for the person's; most tests want that.
void rig_sit_down(const char *const *settings);
// The same, but the first stone is laid so far off its point, in x and in y.
void rig_lay_beside(double mm, const char *const *settings);
void rig_say(const char *words); // what a person types

const struct world *rig_world(void);
const struct robot_counts *rig_counts(void);
bool rig_said(const char *text); // the robot has, since rig_begin()

// From here on it is noted how far the tool moves, and over which trays.
void rig_stand(void);
void rig_assert_stands(void);

// A process of its own plays this game, in the same folder; it must die by SIGKILL in it.
void rig_killed_in(void (*game)(void **state));
void rig_die(void);

// The person plays E5, the robot answers, and both are taken back: a stone of each is to be lifted.
void rig_take_back_a_pair(void);
void rig_assert_only_first_stone(void); // on the board, the robot's on K10
// What the arm carries is lost on its way, and lies on that point when the robot looks.
void rig_lose_stone(int column, int row);

bool rig_is_watching(struct rig *g);
bool rig_is_working(struct rig *g);
bool rig_hand_is_there(struct rig *g);
bool rig_hand_is_gone(struct rig *g);
bool rig_two_more_are_laid(struct rig *g);
bool rig_straightens(struct rig *g);
bool rig_carries_over_the_board(struct rig *g);
// Runs for so long, or until the condition holds: true.
bool rig_until(bool (*condition)(struct rig *rig), double seconds);

#define AWAIT(condition)                                                                           \
    do {                                                                                           \
        if (!rig_until(condition, 120))                                                            \
            fail_msg("never: " #condition "; state %s; news:\n%s", robot_state_name(rig.state),    \
                     rig.news);                                                                    \
    } while (0)
