// The firmware's main program: bytes, lines, real-time commands, alarms; and its time.
#include "controller/sim/plotter.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "controller/sim/plotter_private.h"

#define DOOR_SPINDLE_NS INT64_C(4000000000)
#define DOOR_COOLANT_NS INT64_C(1000000000)

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
static void forget(struct plotter *p)
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
    forget(p);
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

// Banner, and then the start-up lines unless locked.
static void greet(struct plotter *p)
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
    forget(p);
    plotter_sync_parser(p);
    p->wait = PLOTTER_WAIT_NONE;
    greet(p);
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

static bool realtime_byte(struct plotter *p, uint8_t byte)
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
    if (!realtime_byte(p, byte)) {
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

// --- real-time commands ---

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

static void resume_motion(struct plotter *p)
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

static void cycle_start(struct plotter *p)
{
    if (p->state == PLOTTER_HOLD && p->held) {
        resume_motion(p);
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
static void cycle_stopped(struct plotter *p)
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
static void alarm(struct plotter *p)
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

static void realtime(struct plotter *p)
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
        cycle_start(p);
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
        greet(p);
    } else if (wait == PLOTTER_WAIT_PARSE) {
        execute(p);
    } else if (wait == PLOTTER_WAIT_EEPROM && !p->job.active) {
        plotter_report_status_message(p, p->owed_reply);
    } else if (wait == PLOTTER_WAIT_DOOR) {
        resume_motion(p);
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
        realtime(p);
        return true;
    }
    if (p->wait == PLOTTER_WAIT_BOOT || p->wait == PLOTTER_WAIT_ALARM ||
        p->wait == PLOTTER_WAIT_EEPROM || p->wait == PLOTTER_WAIT_PARSE)
        return false;
    if (p->wait == PLOTTER_WAIT_HOME && !p->alarm)
        return false;
    if (p->alarm) {
        alarm(p);
        return true;
    }
    if (p->realtime) {
        realtime(p);
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
        cycle_start(p);
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
            cycle_stopped(p);
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
