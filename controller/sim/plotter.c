// The firmware's main program: bytes, lines, real-time commands, alarms; and its time.
#include "controller/sim/plotter.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

// --- small things ---

void plotter_wait_for(struct plotter *p, enum plotter_wait wait, int64_t ns)
{
    p->wait = wait;
    p->wait_ns = p->now_ns + ns;
}

void plotter_raise(struct plotter *p, int alarm)
{
    if (!p->alarm)
        p->alarm = alarm;
}

void plotter_sync_parser(struct plotter *p)
{
    for (int a = 0; a < 3; a++)
        p->parser_at[a] = plotter_plan_mm(p, a, p->plan_position[a]);
}

void plotter_outputs(struct plotter *p, bool spindle, bool mist, bool flood)
{
    p->ops->outputs(p->user, p->now_ns, spindle, mist, flood);
}

static bool in_motion(const struct plotter *p)
{
    return p->profile.active || p->state == PLOTTER_HOME;
}

// --- beginning ---

void plotter_init(struct plotter *p, const struct table_setup *setup)
{
    memset(p, 0, sizeof *p);
    p->flavour = setup->firmware.flavour;
    p->rx_size = p->flavour == SETUP_GRBLHAL ? PLOTTER_RX_SIZE_HAL : PLOTTER_RX_SIZE;
    plotter_settings_factory(p, setup);
    p->factory = p->eeprom;
    p->modal = (struct plotter_modal){.plane = 17, .spindle = 5};
}

void plotter_attach(struct plotter *p, const struct plotter_ops *ops, void *user)
{
    p->ops = ops;
    p->user = user;
}

// What any reset forgets: buffers, parser state, outputs.
void plotter_forget(struct plotter *p)
{
    p->rx_head = p->rx_count = 0;
    p->line_length = 0;
    p->line_overflow = p->in_comment = p->in_semicolon = false;
    p->realtime = 0;
    p->alarm = 0;
    p->job = (struct plotter_job){0};
    p->modal = (struct plotter_modal){.plane = 17, .spindle = 5};
    p->feed = p->speed = 0;
    p->tool = 0;
    memset(p->g92, 0, sizeof p->g92);
    p->tool_length = 0;
    p->cycle = p->held = p->jog_cancel = false;
    p->door_restore = 0;
    p->wco_counter = p->ovr_counter = 0;
    p->hal_jog_trap = p->hal_stuck = false;
    plotter_outputs(p, false, false, false);
}

void plotter_restart(struct plotter *p, int64_t t_ns)
{
    if (p->powered)
        plotter_advance(p, t_ns);
    p->now_ns = t_ns;
    if (p->state == PLOTTER_HOME && p->home.end_ns)
        plotter_home_stop(p);
    else if (p->profile.active)
        plotter_steppers_stop(p);
    p->powered = true;
    plotter_forget(p);
    memset(p->position, 0, sizeof p->position);
    p->block_count = 0;
    plotter_plan_reset(p);
    plotter_sync_parser(p);
    p->state = p->eeprom.setting[S_HOMING] != 0 ? PLOTTER_ALARM : PLOTTER_IDLE;
    p->hal_locked = p->state == PLOTTER_ALARM;
    p->tx_free_ns = t_ns;
    p->ops->renamed(p->user, t_ns, (const double[3]){0, 0, 0}, (const bool[3]){true, true, true},
                    false);
    plotter_wait_for(p, PLOTTER_WAIT_BOOT, BOOT_NS);
}

// --- bytes ---

static void process(struct plotter *p);

void plotter_receive(struct plotter *p, int64_t t_ns, uint8_t byte)
{
    plotter_advance(p, t_ns);
    if (!p->powered || p->wait == PLOTTER_WAIT_BOOT)
        return; // the boot loader swallows it
    if (p->wait == PLOTTER_WAIT_EEPROM) {
        p->rx_lost++; // interrupts are off (F9)
        return;
    }
    if (!plotter_realtime_byte(p, byte)) {
        if (p->rx_count == p->rx_size) {
            p->rx_lost++; // silently (F12)
            return;
        }
        p->rx[(p->rx_head + p->rx_count) % p->rx_size] = byte;
        p->rx_count++;
    }
    process(p);
}

// Takes one character into the line as Grbl's main loop does. True: a line is complete.
static bool line_character(struct plotter *p, char c)
{
    if (c == '\n' || c == '\r')
        return true;
    if (p->in_comment || p->in_semicolon) {
        if (c == ')' && p->in_comment)
            p->in_comment = false;
    } else if (c <= ' ' || c == '/') {
        // white space and block delete mean nothing
    } else if (c == '(') {
        p->in_comment = true;
    } else if (c == ';') {
        p->in_semicolon = true;
    } else if (p->line_length >= PLOTTER_LINE - 1) {
        p->line_overflow = true;
    } else {
        p->line[p->line_length++] = (char)toupper((unsigned char)c);
    }
    return false;
}

static bool next_line(struct plotter *p)
{
    while (p->rx_count) {
        const char c = (char)p->rx[p->rx_head];
        p->rx_head = (p->rx_head + 1) % p->rx_size;
        p->rx_count--;
        if (line_character(p, c))
            return true;
    }
    return false;
}

// --- the main loop ---

static int64_t parse_time(const char *line)
{
    if (line[0] == '$' && line[1] != 'J')
        return PARSE_SYSTEM_NS;
    return strpbrk(line, "XYZ") ? PARSE_MOTION_NS : PARSE_NS;
}

static void execute(struct plotter *p)
{
    int error;
    p->line[p->line_length] = '\0';
    if (p->line_overflow)
        error = E_OVERFLOW;
    else if (!p->line_length)
        error = E_OK;
    else if (p->line[0] == '$')
        error = plotter_system(p, p->line);
    else if (p->state == PLOTTER_ALARM || p->state == PLOTTER_JOG)
        error = E_LOCKED;
    else
        error = plotter_job_start(p, p->line, false);
    p->line_length = 0;
    p->line_overflow = p->in_comment = p->in_semicolon = false;
    if (p->wait == PLOTTER_WAIT_EEPROM)
        p->owed_reply = error; // told when it is written
    else if (error != GOES_ON)
        plotter_report_status_message(p, error);
}

static bool run_startup_line(struct plotter *p)
{
    if (p->startup_line >= 2 || p->state != PLOTTER_IDLE)
        return false;
    const char *line = p->eeprom.startup[p->startup_line++];
    if (*line) {
        plotter_say(p, ">%s", line);
        const int error = plotter_job_start(p, line, false);
        p->job.silent = true;
        if (error != GOES_ON)
            plotter_say(p, ":error:%d\r\n", error);
    }
    return true;
}

static void wait_over(struct plotter *p)
{
    const enum plotter_wait wait = p->wait;
    if (wait == PLOTTER_WAIT_CRITICAL)
        return;
    p->wait = PLOTTER_WAIT_NONE;
    if (wait == PLOTTER_WAIT_BOOT) {
        p->realtime = 0;
        plotter_greet(p);
    } else if (wait == PLOTTER_WAIT_PARSE) {
        execute(p);
    } else if (wait == PLOTTER_WAIT_EEPROM && !p->job.active) {
        plotter_report_status_message(p, p->owed_reply);
    } else if (wait == PLOTTER_WAIT_DOOR) {
        plotter_resume(p);
    } else if (wait == PLOTTER_WAIT_ALARM && p->critical) {
        plotter_report_message(p, "Reset to continue");
        p->realtime &= ~(unsigned)REALTIME_RESET; // one sent too early is lost (F1)
        p->wait = PLOTTER_WAIT_CRITICAL;
    }
}

static void home_over(struct plotter *p)
{
    p->wait = PLOTTER_WAIT_NONE;
    if (p->alarm) { // not found: Grbl resets itself after the alarm
        p->realtime |= REALTIME_RESET;
        return;
    }
    if (p->realtime & REALTIME_STATUS)
        plotter_report_realtime(p); // the one late <Home|…>
    p->realtime &= ~(unsigned)(REALTIME_STATUS | REALTIME_HOLD | REALTIME_START);
    p->state = PLOTTER_IDLE;
    p->homing_reply = p->hal_locked = false;
    plotter_report_status_message(p, E_OK);
}

// One step of the main program. False: it waits for something.
static bool step(struct plotter *p)
{
    if (p->wait == PLOTTER_WAIT_CRITICAL) {
        if (p->flavour == SETUP_GRBLHAL && p->realtime & REALTIME_STATUS) {
            p->realtime &= ~(unsigned)REALTIME_STATUS;
            plotter_report_realtime(p);
        }
        if (!(p->realtime & REALTIME_RESET))
            return false;
        plotter_realtime(p);
        return true;
    }
    if (p->wait == PLOTTER_WAIT_BOOT || p->wait == PLOTTER_WAIT_ALARM ||
        p->wait == PLOTTER_WAIT_EEPROM || p->wait == PLOTTER_WAIT_PARSE)
        return false;
    if (p->wait == PLOTTER_WAIT_HOME && !p->alarm)
        return false;
    if (p->alarm) {
        plotter_alarm(p);
        return true;
    }
    if (p->realtime) {
        plotter_realtime(p);
        return true;
    }
    if (p->wait != PLOTTER_WAIT_NONE || p->state == PLOTTER_HOLD || p->state == PLOTTER_DOOR)
        return false; // a hold suspends the main program too
    if (p->job.active)
        return plotter_job_go_on(p);
    if (p->state == PLOTTER_SLEEP)
        return false;
    if (run_startup_line(p))
        return true;
    if (next_line(p)) {
        p->line[p->line_length] = '\0';
        plotter_wait_for(p, PLOTTER_WAIT_PARSE, parse_time(p->line));
        return true;
    }
    if (p->state == PLOTTER_IDLE && p->block_count) {
        plotter_cycle_start(p);
        return true;
    }
    return false;
}

static void process(struct plotter *p)
{
    while (step(p)) {
    }
}

// --- time ---

int64_t plotter_next(const struct plotter *p)
{
    int64_t next = INT64_MAX;
    if (!p->powered)
        return next;
    if (p->wait != PLOTTER_WAIT_NONE && p->wait != PLOTTER_WAIT_CRITICAL &&
        p->wait != PLOTTER_WAIT_HOME)
        next = p->wait_ns;
    if (p->profile.active && p->profile.end_ns < next)
        next = p->profile.end_ns;
    if (p->state == PLOTTER_HOME && p->home.end_ns && p->home.end_ns < next)
        next = p->home.end_ns;
    return next;
}

static void event(struct plotter *p)
{
    if (p->profile.active && p->profile.end_ns <= p->now_ns) {
        plotter_steppers_block_over(p);
        if (!p->profile.active)
            plotter_cycle_stopped(p);
    } else if (p->state == PLOTTER_HOME && p->home.end_ns && p->home.end_ns <= p->now_ns) {
        plotter_home_pass_over(p);
        if (!p->home.end_ns)
            home_over(p);
    } else {
        wait_over(p);
    }
    process(p);
}

void plotter_advance(struct plotter *p, int64_t t_ns)
{
    for (int64_t next; (next = plotter_next(p)) <= t_ns;) {
        if (next > p->now_ns)
            p->now_ns = next;
        event(p);
    }
    if (t_ns > p->now_ns)
        p->now_ns = t_ns;
}

void plotter_shift_time(struct plotter *p, int64_t delta_ns)
{
    p->now_ns += delta_ns;
    p->wait_ns += delta_ns;
    p->tx_free_ns += delta_ns;
    p->profile.t0_ns += delta_ns;
    p->profile.end_ns += delta_ns;
    p->home.t0_ns += delta_ns;
    p->home.rest_ns += delta_ns;
    if (p->home.end_ns)
        p->home.end_ns += delta_ns;
}

// --- pins ---

static void probe_contact(struct plotter *p)
{
    const struct plotter_block *b = &p->block[p->block_tail];
    const bool wanted = p->modal.probe < 4;
    if (!p->profile.active || !b->probing || p->probe_ok || p->probe_pin != wanted)
        return;
    p->probe_ok = true;
    plotter_position(p, p->now_ns, p->probe_at);
    // Comes to rest at once: probing is slow.
    plotter_plan_reset(p);
    p->cycle = false;
    p->state = PLOTTER_IDLE;
}

void plotter_pins(struct plotter *p, int64_t t_ns, const bool limit[3], bool probe)
{
    bool rises = false;
    plotter_advance(p, t_ns);
    for (int a = 0; a < 3; a++) {
        rises = rises || (limit[a] && !p->limit_pin[a]);
        p->limit_pin[a] = limit[a];
    }
    p->probe_pin = probe;
    if (!p->powered)
        return;
    probe_contact(p);
    // Noise counts too: the interrupt does not look twice (issue gnea/grbl#776).
    if (rises && p->eeprom.setting[S_HARD_LIMITS] != 0 && p->state != PLOTTER_ALARM &&
        p->state != PLOTTER_HOME && !p->alarm) {
        if (p->profile.active)
            plotter_steppers_stop(p);
        plotter_raise(p, ALARM_HARD_LIMIT);
    }
    process(p);
}

void plotter_door(struct plotter *p, int64_t t_ns, bool open)
{
    plotter_advance(p, t_ns);
    if (open && !p->door_ajar && p->state != PLOTTER_HOME)
        p->realtime |= REALTIME_DOOR;
    p->door_ajar = open;
    if (p->powered && in_motion(p) && p->state == PLOTTER_HOME && open) {
        plotter_home_stop(p);
        plotter_raise(p, ALARM_HOME_DOOR);
        p->wait = PLOTTER_WAIT_NONE;
        p->realtime |= REALTIME_RESET;
    }
    process(p);
}
