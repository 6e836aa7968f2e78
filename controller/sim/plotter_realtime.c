// Real-time commands: what takes effect between two instructions of the main program, whatever it
// is doing: resets, holds, doors, resuming; and alarms.
#include "controller/sim/plotter_private.h"

#define DOOR_SPINDLE_NS INT64_C(4000000000)
#define DOOR_COOLANT_NS INT64_C(1000000000)

// Banner, and then the start-up lines unless locked.
void plotter_greet(struct plotter *p)
{
    plotter_report_banner(p);
    p->startup_line = 2;
    if (p->state == PLOTTER_ALARM) {
        if (p->flavour == SETUP_GRBLHAL && p->hal_locked)
            plotter_say(p, "ALARM:%d\r\n", ALARM_HOME_REQUIRED);
        plotter_report_message(p, "'$H'|'$X' to unlock");
    } else {
        p->state = PLOTTER_IDLE;
        p->startup_line = 0;
    }
}

// 0x18 was carried out: everything anew, but position and lock stay.
static void soft_reset(struct plotter *p)
{
    plotter_plan_reset(p);
    plotter_forget(p);
    plotter_sync_parser(p);
    p->wait = PLOTTER_WAIT_NONE;
    plotter_greet(p);
}

// --- bytes ---

// The interrupt handler's half of 0x18: outputs off, motion stopped dead.
static void reset_byte(struct plotter *p)
{
    if (p->realtime & REALTIME_RESET)
        return;
    p->realtime |= REALTIME_RESET;
    plotter_outputs(p, false, false, false);
    if (p->state == PLOTTER_HOME) {
        plotter_home_stop(p);
        plotter_raise(p, ALARM_HOME_RESET);
        p->wait = PLOTTER_WAIT_NONE;
    } else if (p->profile.active) {
        plotter_steppers_stop(p);
        plotter_raise(p, ALARM_ABORT);
    }
}

bool plotter_realtime_byte(struct plotter *p, uint8_t byte)
{
    switch (byte) {
    case '?':
        p->realtime |= REALTIME_STATUS;
        return true;
    case '!':
        p->realtime |= REALTIME_HOLD;
        return true;
    case '~':
        p->realtime |= REALTIME_START;
        return true;
    case 0x18:
        reset_byte(p);
        return true;
    case 0x84:
        p->realtime |= REALTIME_DOOR;
        return true;
    case 0x85:
        if (p->state == PLOTTER_JOG)
            p->realtime |= REALTIME_CANCEL;
        return true;
    default:
        return byte >= 0x80; // overrides, and what is reserved
    }
}

// --- commands ---

static void open_door(struct plotter *p)
{
    if (p->state == PLOTTER_ALARM || p->state == PLOTTER_CHECK || p->state == PLOTTER_SLEEP)
        return;
    plotter_report_message(p, "Check Door");
    if (p->wait == PLOTTER_WAIT_DOOR)
        p->wait = PLOTTER_WAIT_NONE;
    p->jog_cancel = p->jog_cancel || p->state == PLOTTER_JOG;
    p->state = PLOTTER_DOOR;
    p->door_restore = (p->modal.spindle != 5 ? 1 : 0) | (p->modal.mist || p->modal.flood ? 2 : 0);
    if (p->profile.active) {
        p->held = false;
        plotter_steppers_hold(p);
    } else {
        p->held = true;
        plotter_outputs(p, false, false, false);
    }
}

static void hold(struct plotter *p)
{
    if (p->state == PLOTTER_JOG) {
        p->jog_cancel = true;
        plotter_steppers_hold(p);
    } else if (p->state == PLOTTER_RUN || p->state == PLOTTER_IDLE) {
        p->held = !p->profile.active;
        p->state = PLOTTER_HOLD;
        plotter_steppers_hold(p);
    }
}

void plotter_resume(struct plotter *p)
{
    p->held = false;
    if (p->jog_cancel) {
        p->jog_cancel = false;
        plotter_plan_reset(p);
        plotter_sync_parser(p);
    }
    p->state = p->block_count ? PLOTTER_RUN : PLOTTER_IDLE;
    if (p->block_count)
        plotter_steppers_start(p);
}

void plotter_cycle_start(struct plotter *p)
{
    if (p->state == PLOTTER_HOLD && p->held) {
        plotter_resume(p);
    } else if (p->state == PLOTTER_DOOR && p->held && !p->door_ajar &&
               p->wait != PLOTTER_WAIT_DOOR) {
        if (p->door_restore)
            plotter_outputs(p, p->modal.spindle != 5, p->modal.mist, p->modal.flood);
        plotter_wait_for(p, PLOTTER_WAIT_DOOR,
                         (p->door_restore & 1 ? DOOR_SPINDLE_NS : 0) +
                             (p->door_restore & 2 ? DOOR_COOLANT_NS : 0));
    } else if (p->state == PLOTTER_IDLE && p->block_count) {
        p->state = PLOTTER_RUN;
        plotter_steppers_start(p);
    }
}

// Steppers have come to rest: the end of a cycle, of a hold, of a cancelled jog.
void plotter_cycle_stopped(struct plotter *p)
{
    if (p->jog_cancel && p->state == PLOTTER_JOG) {
        p->jog_cancel = false;
        p->hal_jog_trap = p->flavour == SETUP_GRBLHAL;
        plotter_plan_reset(p);
        plotter_sync_parser(p);
        p->job = p->job.jog ? (struct plotter_job){0} : p->job;
        p->state = PLOTTER_IDLE;
    } else if (p->state == PLOTTER_HOLD) {
        p->held = true;
    } else if (p->state == PLOTTER_DOOR) {
        p->held = true;
        plotter_outputs(p, false, false, false);
    } else if (p->state == PLOTTER_RUN || p->state == PLOTTER_JOG) {
        p->state = PLOTTER_IDLE;
        if (p->profile.holding) // a soft limit or a probe contact stopped it
            p->profile.holding = false;
    }
}

// A printed alarm blocks half a second; a limit alarm then mutes the board until 0x18 (F1).
void plotter_alarm(struct plotter *p)
{
    const int number = p->alarm;
    const bool critical = number == ALARM_HARD_LIMIT || number == ALARM_SOFT_LIMIT;
    p->alarm = 0;
    p->state = PLOTTER_ALARM;
    if (critical) {
        plotter_outputs(p, false, false, false);
        plotter_plan_reset(p);
        p->job.active = false;
    }
    plotter_say(p, "ALARM:%d\r\n", number);
    p->critical = critical;
    plotter_wait_for(p, PLOTTER_WAIT_ALARM, ALARM_DELAY_NS);
}

void plotter_realtime(struct plotter *p)
{
    if (p->realtime & REALTIME_RESET) {
        // The line at hand is dropped; only $H still says the ok it always ends with (F15).
        if (p->homing_reply)
            plotter_report_status_message(p, E_OK);
        p->homing_reply = false;
        soft_reset(p);
        return;
    }
    const unsigned flags = p->realtime;
    p->realtime = 0;
    if (flags & REALTIME_STATUS)
        plotter_report_realtime(p);
    if (flags & REALTIME_DOOR)
        open_door(p);
    if (flags & REALTIME_CANCEL && p->state == PLOTTER_JOG) {
        p->jog_cancel = true;
        plotter_steppers_hold(p);
    }
    if (flags & REALTIME_HOLD)
        hold(p);
    if (flags & REALTIME_START)
        plotter_cycle_start(p);
}
