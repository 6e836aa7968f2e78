// Carries out a parsed line, stage by stage, in Grbl's order of execution. A stage that has to wait
// (for the planner, for motion to end, for a dwell) returns false and is asked again later.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

enum {
    STAGE_VALUES,
    STAGE_SPINDLE,
    STAGE_COOLANT,
    STAGE_DWELL,
    STAGE_DWELLING,
    STAGE_MODES,
    STAGE_NONMODAL,
    STAGE_MOVE,
    STAGE_STORED,
    STAGE_PROBE,
    STAGE_FLOW,
    STAGE_STOPPED,
    STAGE_REPLY,
};

#define NO_LIMIT 1e9 // a rapid has no feed of its own

int plotter_job_start(struct plotter *p, const char *line, bool jog)
{
    struct plotter_job job = {.jog = jog};
    const int error = plotter_gcode(p, line, &job);
    if (error)
        return error;
    job.active = true;
    p->job = job;
    return GOES_ON;
}

// Everything planned has been executed. What is planned but not running is started.
static bool synced(struct plotter *p)
{
    if (p->block_count && p->state == PLOTTER_IDLE) {
        p->state = PLOTTER_RUN;
        plotter_steppers_start(p);
    }
    return p->block_count == 0 && (p->state == PLOTTER_IDLE || p->state == PLOTTER_CHECK);
}

static bool outside(const struct plotter *p, const double target[3])
{
    for (int a = 0; a < 3; a++)
        if (target[a] > 1e-6 || target[a] < -p->eeprom.setting[S_TRAVEL + a] - 1e-6)
            return true;
    return false;
}

// Checks the target and plans it. Returns false while it has to wait.
static bool move(struct plotter *p, const double target[3], bool rapid, bool probing)
{
    struct plotter_job *job = &p->job;
    const bool limited = p->eeprom.setting[S_SOFT_LIMITS] != 0;
    if (job->jog && limited && outside(p, target)) {
        p->hal_stuck = p->hal_jog_trap;
        plotter_report_status_message(p, E_JOG_TRAVEL);
        job->active = false;
        return true;
    }
    if (p->hal_stuck && !job->jog) {
        plotter_report_status_message(p, E_JOG_TRAVEL);
        job->active = false;
        return true;
    }
    if (limited && outside(p, target) && p->state != PLOTTER_CHECK) {
        if (p->cycle) { // comes to rest first
            plotter_steppers_hold(p);
            return false;
        }
        job->active = false; // no reply (F2)
        plotter_raise(p, ALARM_SOFT_LIMIT);
        return true;
    }
    if (p->state != PLOTTER_CHECK) {
        if (plotter_plan_full(p)) {
            if (p->state == PLOTTER_IDLE) {
                p->state = job->jog ? PLOTTER_JOG : PLOTTER_RUN;
                plotter_steppers_start(p);
            }
            return false;
        }
        plotter_plan_line(p, target, job->feed, rapid, probing);
        if (job->jog && p->state == PLOTTER_IDLE && p->block_count) {
            p->state = PLOTTER_JOG;
            plotter_steppers_start(p);
        }
    }
    memcpy(p->parser_at, target, sizeof p->parser_at);
    job->stage++;
    return true;
}

static bool probe(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    if (job->nonmodal || p->modal.motion != 38 || !job->moves) {
        job->stage++;
        return true;
    }
    if (!synced(p))
        return false;
    // probe_ok is set by plotter_pins() at the contact.
    if (!p->probe_ok && p->modal.probe % 2 == 0 && p->state != PLOTTER_CHECK)
        plotter_raise(p, ALARM_PROBE_CONTACT);
    plotter_sync_parser(p);
    plotter_report_probe(p);
    job->stage++;
    return true;
}

static bool start_move(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    if (!job->moves) {
        job->stage++;
        return true;
    }
    const bool probing = !job->nonmodal && job->modal.motion == 38;
    if (probing && p->state != PLOTTER_CHECK) {
        if (!synced(p))
            return false;
        p->probe_ok = false;
        if (p->probe_pin == (job->modal.probe < 4)) {
            plotter_raise(p, ALARM_PROBE_INITIAL);
            job->stage = STAGE_REPLY;
            return true;
        }
    }
    const bool rapid = job->nonmodal >= 280 ? true : job->modal.motion == 0;
    return move(p, job->target, rapid, probing);
}

static bool spindle(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    const bool change = p->modal.spindle != job->modal.spindle ||
                        (job->modal.spindle != 5 && p->speed != job->speed);
    if (change) {
        if (!synced(p))
            return false;
        p->modal.spindle = job->modal.spindle;
        p->speed = job->speed;
        plotter_outputs(p, p->modal.spindle != 5, p->modal.mist, p->modal.flood);
    }
    p->speed = job->speed;
    job->stage++;
    return true;
}

static bool coolant(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    if (p->modal.mist != job->modal.mist || p->modal.flood != job->modal.flood) {
        if (!synced(p))
            return false;
        p->modal.mist = job->modal.mist;
        p->modal.flood = job->modal.flood;
        plotter_outputs(p, p->modal.spindle != 5, p->modal.mist, p->modal.flood);
    }
    job->stage++;
    return true;
}

static bool dwell(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    job->stage = STAGE_MODES;
    if (job->nonmodal != 40 || p->state == PLOTTER_CHECK)
        return true;
    if (!synced(p)) {
        job->stage = STAGE_DWELL;
        return false;
    }
    const double ticks = ceil(fmin(job->dwell, 1e6) * 1e9 / (double)DWELL_TICK_NS - 1e-9);
    if (ticks > 0)
        plotter_wait_for(p, PLOTTER_WAIT_DWELL, (int64_t)ticks * DWELL_TICK_NS);
    return true;
}

static void store_coord(struct plotter *p, int coord, const double value[3])
{
    memcpy(p->eeprom.coord[coord], value, sizeof p->eeprom.coord[coord]);
    plotter_wait_for(p, PLOTTER_WAIT_EEPROM, EEPROM_NS);
    p->wco_counter = 0;
}

static bool nonmodal(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    const bool stores = job->nonmodal == 100 || job->nonmodal == 281 || job->nonmodal == 301;
    if (stores && !synced(p))
        return false;
    job->stage++;
    if (job->nonmodal == 100)
        store_coord(p, job->coord_select, job->offset);
    else if (job->nonmodal == 281)
        store_coord(p, 6, p->parser_at);
    else if (job->nonmodal == 301)
        store_coord(p, 7, p->parser_at);
    else if (job->nonmodal == 920)
        memcpy(p->g92, job->offset, sizeof p->g92);
    else if (job->nonmodal == 921)
        memset(p->g92, 0, sizeof p->g92);
    if (job->nonmodal == 920 || job->nonmodal == 921)
        p->wco_counter = 0;
    return true;
}

static bool modes(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    if (!job->jog) {
        if (p->modal.coord != job->modal.coord)
            p->wco_counter = 0;
        const struct plotter_modal old = p->modal;
        p->modal = job->modal;
        p->modal.spindle = old.spindle;
        p->modal.mist = old.mist;
        p->modal.flood = old.flood;
        p->modal.flow = 0;
        if (job->tool_length)
            p->tool_length = job->tool_length == 431 ? job->offset[2] : 0;
    }
    job->stage++;
    return true;
}

static void program_end(struct plotter *p)
{
    p->modal.motion = 1;
    p->modal.plane = 17;
    p->modal.relative = false;
    p->modal.coord = 0;
    p->modal.spindle = 5;
    p->modal.mist = p->modal.flood = false;
    plotter_outputs(p, false, false, false);
    plotter_report_message(p, "Pgm End");
}

static bool flow(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    const int code = job->modal.flow;
    job->stage = STAGE_REPLY;
    if (!code)
        return true;
    if (!synced(p)) {
        job->stage = STAGE_FLOW;
        return false;
    }
    if (code == 99 || code == 1) { // M0; M1 needs a switch that is not there
        if (code == 99 && p->state != PLOTTER_CHECK) {
            p->state = PLOTTER_HOLD;
            p->held = true;
            job->stage = STAGE_STOPPED;
        }
        return true;
    }
    program_end(p);
    return true;
}

static void values(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    if (!job->jog) {
        p->feed = job->feed;
        if (job->tool >= 0)
            p->tool = job->tool;
    }
    job->stage = job->jog ? STAGE_MODES : STAGE_SPINDLE;
}

bool plotter_job_go_on(struct plotter *p)
{
    struct plotter_job *job = &p->job;
    switch (job->stage) {
    case STAGE_VALUES:
        values(p);
        return true;
    case STAGE_SPINDLE:
        return spindle(p);
    case STAGE_COOLANT:
        return coolant(p);
    case STAGE_DWELL:
        return dwell(p);
    case STAGE_MODES:
        return modes(p);
    case STAGE_NONMODAL:
        return nonmodal(p);
    case STAGE_MOVE:
        return start_move(p);
    case STAGE_STORED:
        if (job->stored < 0) {
            job->stage++;
            return true;
        }
        return move(p, p->eeprom.coord[job->stored], true, false);
    case STAGE_PROBE:
        return probe(p);
    case STAGE_FLOW:
        return flow(p);
    case STAGE_STOPPED:
        if (p->state == PLOTTER_HOLD)
            return false;
        job->stage = STAGE_REPLY;
        return true;
    default:
        job->active = false;
        if (job->silent)
            plotter_say(p, ":ok\r\n");
        else
            plotter_report_status_message(p, E_OK);
        return true;
    }
}
