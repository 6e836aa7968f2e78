#include "tests/sim/fault_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/play.h"
#include "controller/sim/world.h"

static void press_estop(struct play *play)
{
    table_estop(play_table(play), true);
}

static void release_estop(struct play *play)
{
    table_estop(play_table(play), false);
}

static void open_lid(struct play *play)
{
    table_lid(play_table(play), true);
}

static void shut_lid(struct play *play)
{
    table_lid(play_table(play), false);
}

static void open_door(struct play *play)
{
    table_fault(play_table(play), FAULT_DOOR, 1);
}

static void shut_door(struct play *play)
{
    table_fault(play_table(play), FAULT_DOOR, 0);
}

static void unplug(struct play *play)
{
    table_fault(play_table(play), FAULT_UNPLUG, 0);
}

static void replug(struct play *play)
{
    table_fault(play_table(play), FAULT_REPLUG, 0);
}

static void brown_out(struct play *play)
{
    table_fault(play_table(play), FAULT_BROWN_OUT, 0);
}

static void take_camera(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_GONE, 1);
}

static void give_camera(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_GONE, 0);
}

static void stall_camera(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_STALL, 1);
}

static void wake_camera(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_STALL, 0);
}

static void cut_frames(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_TRUNCATE, 100);
}

static void mend_frames(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_TRUNCATE, 0);
}

static void bump_camera(struct play *play)
{
    table_fault(play_table(play), FAULT_CAMERA_BUMP, 2);
}

static void dim_light(struct play *play)
{
    table_fault(play_table(play), FAULT_LIGHT_GAIN, 0.6);
}

static void fail_picks(struct play *play)
{
    table_fault(play_table(play), FAULT_PICK_FAILS, 2);
}

static void kill_pump(struct play *play)
{
    table_fault(play_table(play), FAULT_PUMP_DEAD, 1);
}

static void lose_stone(struct play *play)
{
    table_fault(play_table(play), FAULT_LOSE_STONE, 0.1);
}

static void trip_limit(struct play *play)
{
    table_fault(play_table(play), FAULT_LIMIT_TRIP, 0);
}

static void reach_in(struct play *play)
{
    assert_int_equal(0, person_reach(table_person(play_table(play)), 9, 2, 8, NULL, NULL));
}

static void lose_steps(struct play *play)
{
    table_fault(play_table(play), FAULT_LOSE_STEPS, 3.5);
}

static void resign(struct play *play)
{
    struct error err;
    assert_int_equal(0, play_say(play, "resign", &err));
}

static void tidy_and_resign(struct play *play)
{
    struct error err;
    assert_int_equal(0, play_say(play, "tidy", &err));
    resign(play);
}

// As if what hangs on the cup would not come off.
static void stick(struct play *play)
{
    table_fault(play_table(play), FAULT_SENSOR_STUCK, 1);
}

static void unstick(struct play *play)
{
    table_fault(play_table(play), FAULT_SENSOR_STUCK, -1);
}

static void nothing(struct play *play)
{
    (void)play;
}

const struct fault_case fault_cases[] = {
    {"e-stop while carrying", AT_CARRY, press_estop, release_estop, 4, "emergency stop",
     1u << INCIDENT_DROPPED, false, 0.5, NULL, false}, // the pump has no power either
    {"e-stop while placing", AT_PLACE, press_estop, release_estop, 4, "emergency stop",
     1u << INCIDENT_DROPPED, false, 0.5, NULL, false},
    // The next stone hangs on the cup already and loses its vacuum.
    {"e-stop while a person plays", AT_WATCH, press_estop, release_estop, 4, "has fallen off",
     1u << INCIDENT_DROPPED | 1u << INCIDENT_FLOOR, false, 0.5, NULL, false},
    {"e-stop while a person plays, nothing picked ahead", AT_WATCH, press_estop, release_estop, 4,
     "emergency stop", 0, false, 0.5, "gripper.wait_time=0 s", false},
    {"the waiting stone falls off", AT_WATCH, lose_stone, NULL, 1, "has fallen off",
     1u << INCIDENT_DROPPED | 1u << INCIDENT_FLOOR, false, 0, NULL, false},
    {"brown-out while a stone waits", AT_WATCH, brown_out, NULL, 1, NULL, 0, false, 0, NULL, false},
    {"steps lost while a stone waits", AT_WATCH, lose_steps, NULL, 1,
     "the arm checks its home corner", 0, false, 0, NULL, false},
    {"a stone waits too long", AT_WATCH, nothing, NULL, 1, "putting the waiting blue stone away", 0,
     false, 0, "gripper.wait_time=0.5 s", false},
    {"resigning while a stone waits", AT_WATCH, resign, NULL, 0,
     "putting the waiting blue stone away", 0, false, 0, NULL, false},
    {"the stones are put away", AT_WATCH, resign, NULL, 0, "the arm puts the stones away", 0, false,
     0, "game.tidy=true", true},
    {"the stones are put away when asked", AT_WATCH, tidy_and_resign, NULL, 0,
     "the arm puts the stones away", 0, false, 0, NULL, true},
    {"lid opened while carrying", AT_CARRY, open_lid, shut_lid, 4, "the lid is open", 0, false, 0.5,
     NULL, false},
    {"lid opened while a stone waits", AT_WATCH, open_lid, shut_lid, 4, "the lid is open", 0, false,
     0.5, NULL, false},
    {"the plotter's door opened while carrying", AT_CARRY, open_door, shut_door, 4, "own door", 0,
     false, 0.5, NULL, false},
    {"hand over the board", AT_CARRY, reach_in, NULL, 8, "hand", 0, false, 4, NULL, false},
    {"cable pulled at the pick", AT_PICK, unplug, replug, 5, "plotter", 0, false, 0, NULL, false},
    {"cable pulled while carrying", AT_CARRY, unplug, replug, 5, "plotter", 0, false, 0, NULL,
     false},
    {"cable pulled while placing", AT_PLACE, unplug, replug, 5, "plotter", 0, false, 0, NULL,
     false},
    {"cable pulled while homing", AT_HOMING, unplug, replug, 5, "plotter", 0, false, 0, NULL,
     false},
    {"the valve sticks while homing", AT_HOMING, stick, unstick, 48,
     "did not come to its parking place", 0, false, 0, NULL, false},
    {"cable pulled while a person plays", AT_WATCH, unplug, replug, 3, NULL, 0, false, 0, NULL,
     false},
    {"brown-out while carrying", AT_CARRY, brown_out, NULL, 1, "start", 1u << INCIDENT_DROPPED,
     false, 0, NULL, false},
    {"limit switch trips", AT_CARRY, trip_limit, NULL, 1, "larm", 0, false, 0, NULL, false},
    {"camera gone while carrying", AT_CARRY, take_camera, give_camera, 8, "camera is gone", 0,
     false, 2.5, NULL, false},
    {"camera gone while a person plays", AT_WATCH, take_camera, give_camera, 8, "camera is gone", 0,
     false, 0, NULL, false},
    {"camera stalls while carrying", AT_CARRY, stall_camera, wake_camera, 12, "camera is gone", 0,
     false, 4.5, NULL, false},
    {"camera stalls while a person plays", AT_WATCH, stall_camera, wake_camera, 12,
     "camera is gone", 0, false, 0, NULL, false},
    {"frames cut off while carrying", AT_CARRY, cut_frames, mend_frames, 8, "sees nothing", 0,
     false, 3.5, NULL, false},
    {"frames cut off while a person plays", AT_WATCH, cut_frames, mend_frames, 3, NULL, 0, false, 0,
     NULL, false},
    {"camera bumped", AT_CARRY, bump_camera, NULL, 1, NULL, 0, false, 0, NULL, false},
    {"camera bumped while a person plays", AT_WATCH, bump_camera, NULL, 1, NULL, 0, false, 0, NULL,
     false},
    {"lamp switched", AT_WATCH, dim_light, NULL, 1, NULL, 0, false, 0, NULL, false},
    {"two picks fail", AT_WATCH, fail_picks, NULL, 1, "one more try", 0, false, 0, NULL, false},
    {"the pump is dead", AT_WATCH, kill_pump, NULL, 1, "this did not work",
     1u << INCIDENT_DROPPED | 1u << INCIDENT_FLOOR, true, 0, NULL, false},
    {"a stone falls off", AT_CARRY, lose_stone, NULL, 1, NULL, 1u << INCIDENT_DROPPED, false, 0,
     NULL, false},
};
const size_t fault_case_count = sizeof fault_cases / sizeof fault_cases[0];
