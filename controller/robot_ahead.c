// The stone picked ahead: when the arm has laid its stone it takes the next one at once and parks
// with it, so that the reply needs only to be laid. All of it happens before the person is asked to
// move: while it is a person's turn the arm stands still.
#include <stdio.h>

#include "config/base/clock.h"
#include "controller/next_stone.h"
#include "controller/robot_private.h"

unsigned robot_ahead_colour(const struct robot *r)
{
    return arm_held(r->arm) == ARM_HELD_YES ? r->ahead_colour : 0;
}

unsigned robot_seats(const struct robot *r)
{
    unsigned seats = 0;
    for (unsigned seat = 1; seat <= robot_game(r)->rules.seat_count; seat++)
        seats |= r->o.players[seat - 1].at_board ? 0 : 1u << (seat - 1);
    return seats;
}

// --- taking it ---

// Without a sensor nobody would know whether it still hangs there minutes later. A stone that the
// next homing would have to be put away for is not taken either.
static bool may_wait(const struct robot *r)
{
    int every = r->settings->machine.home_every;
    return r->settings->gripper.wait_time > 0 && !r->ahead_failed && arm_sensor(r->arm) >= 0 &&
           !(every && r->moves_since_home >= every);
}

bool robot_ahead_pick(struct robot *r, const struct stores *left)
{
    struct arm_job job = {.kind = ARM_JOB_PICK, .tag = ROBOT_TAG_AHEAD};
    const double *from = r->commanded[r->step_count - 1];
    struct error err;
    int back;
    unsigned colour = may_wait(r) ? next_stone(robot_game(r), robot_seats(r)) : 0;
    if (!colour || stores_supply(left, (int)colour, from[0], from[1], &job.store, &err) < 0 ||
        stores_return(left, (int)colour, from[0], from[1], &back, &err) < 0)
        return true; // asked for when it is needed
    r->ahead_asked = colour;
    return robot_submit(r, job);
}

void robot_ahead_taken(struct robot *r)
{
    r->ahead_colour = r->ahead_asked;
    r->ahead_since_ns = loop_now(r->loop);
    r->counts.ahead++;
}

// The work itself is done: the arm parks without a stone, and the next try is made when one is due.
void robot_ahead_not_taken(struct robot *r)
{
    r->ahead_failed = true;
    if (arm_held(r->arm) == ARM_HELD_NO || robot_vent(r))
        robot_park(r, ROBOT_TAG_PARK);
}

// --- waiting ---

bool robot_ahead_check(struct robot *r)
{
    if (!r->ahead_colour || arm_busy(r->arm) || arm_check_held(r->arm) != ARM_HELD_NO)
        return true;
    robot_news(r, ROBOT_NEWS_TROUBLE,
               "the %s %s that waited on the cup has fallen off; it should lie where the arm "
               "was. Please put it back into its store",
               robot_colour_name(r, r->ahead_colour), r->colours.marbles ? "marble" : "stone");
    robot_note_fall(r, r->ahead_colour, false);
    return false;
}

// Nothing hangs there any more that the pump would have to hold. The arm stays where it is.
static void rest(struct robot *r)
{
    struct error err;
    const struct arm_job job = {.kind = ARM_JOB_REST, .store = -1, .tag = ROBOT_TAG_REST};
    if (arm_submit(r->arm, &job, loop_now(r->loop), NULL, &err) == 0)
        arm_link_update(r->arm_link); // if it can't, the next job begins with that
}

// While a person thinks the arm moves only over a board on which nobody does anything; never while
// people were asked for help, who may have their hands anywhere.
static bool undisturbed(const struct robot *r)
{
    struct target_report report;
    if (!robot_is_clear(r))
        return false;
    if (r->state == ROBOT_TURNING)
        robot_turn_compare(r, false, &report);
    else
        board_target_compare(&r->target, &r->evidence, &r->sure, &report);
    return report.verdict == TARGET_SAME;
}

void robot_ahead_watch(struct robot *r)
{
    if (!r->parked)
        return;
    if (!robot_ahead_check(r))
        rest(r);
    bool waits = r->state == ROBOT_WATCHING || r->state == ROBOT_TURNING;
    int64_t most = (int64_t)(r->settings->gripper.wait_time * (double)NS_PER_S);
    if (waits && robot_ahead_colour(r) && loop_now(r->loop) - r->ahead_since_ns >= most &&
        undisturbed(r))
        robot_raise(r, ROBOT_EV_PUT_BACK);
}

// --- using it, or not ---

// The first step that lays the waiting stone where nothing has to be lifted before.
static int find_step(const struct robot *r, unsigned colour)
{
    for (int i = 0; i < r->step_count; i++) {
        const struct target_step *step = &r->steps[i];
        int before = r->target.before[step->at.y * r->target.size + step->at.x];
        if (!step->lift && step->colour == colour && (before == 0 || before == TARGET_SETTLED))
            return i;
    }
    return -1;
}

bool robot_ahead_in_the_way(const struct robot *r)
{
    unsigned colour = robot_ahead_colour(r);
    return colour && (robot_homing_is_due(r) || find_step(r, colour) < 0);
}

enum robot_ahead robot_ahead_use(struct robot *r)
{
    robot_ahead_check(r);
    unsigned colour = robot_ahead_colour(r);
    if (!colour)
        return ROBOT_AHEAD_NONE;
    int i = find_step(r, colour);
    if (i < 0)
        return ROBOT_AHEAD_IN_THE_WAY;
    struct target_step step = r->steps[i];
    for (; i > 0; i--)
        r->steps[i] = r->steps[i - 1];
    r->steps[0] = step;
    return ROBOT_AHEAD_FIRST;
}

bool robot_ahead_put_back(struct robot *r)
{
    const struct stores *stores = &r->o.devices->stores;
    const struct arm_job job = {.kind = ARM_JOB_DROP,
                                .store = robot_store_back(r, r->ahead_colour, stores),
                                .tag = ROBOT_TAG_BACK};
    if (!stores_room(stores, job.store)) {
        robot_ask_to_empty(r, 1u << job.store);
        return false;
    }
    return robot_submit(r, job);
}

bool robot_put_away(struct robot *r)
{
    bool stands =
        r->state == ROBOT_WATCHING || r->state == ROBOT_TURNING || r->state == ROBOT_ASKING;
    if (!stands || !r->parked || !robot_ahead_colour(r) || arm_state(r->arm) != ARM_HOMED)
        return false;
    recorder_person(r->o.recorder, "leave", 0);
    robot_raise(r, ROBOT_EV_PUT_BACK);
    return true;
}

void robot_act_put_back(struct robot *r)
{
    robot_stop_players(r);
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
    r->step_count = r->straighten_from = 0;
    r->submitted = false;
    r->work_began_ns = loop_now(r->loop);
    if (arm_state(r->arm) != ARM_HOMED) {
        robot_raise(r, arm_state(r->arm) == ARM_FAULTED ? ROBOT_EV_STOP : ROBOT_EV_ARM_LOST);
        return;
    }
    r->putting_away = true;
    robot_work_if_clear(r);
    if (!r->submitted)
        robot_hands_wait(r, "put away what waits on its cup");
}

void robot_ahead_away(struct robot *r)
{
    r->putting_away = false;
    robot_tell_obstacles(r);
    // Where the arm is may be in doubt: then it homes, and lets the stone go as always after that.
    bool away = robot_homing_is_due(r) ? robot_home_first(r)
                                       : !robot_ahead_colour(r) || robot_ahead_put_back(r);
    if (away)
        robot_park(r, ROBOT_TAG_PARK);
}
