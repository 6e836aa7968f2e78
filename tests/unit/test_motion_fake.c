#include "test_motion_fake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "motion/travel.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

static const struct travel_limits limits = {{200, 200, 50}, {1000, 1000, 300}, 0};
static const double home_corner[3] = {-598, -538, -2};

static const char *const settings[] = {
    "$0=10",    "$1=255",     "$10=1",      "$20=1",     "$21=1",     "$22=1",
    "$23=3",    "$24=100",    "$25=3000",   "$27=2.000", "$100=250",  "$101=250",
    "$102=250", "$110=12000", "$111=12000", "$112=3000", "$120=1000", "$121=1000",
    "$122=300", "$130=600",   "$131=540",   "$132=60",
};

static void note(struct fake *f, const char *text)
{
    int n = (int)strlen(text);
    if (f->log_length + n + 2 >= FAKE_LOG)
        f->log_length = 0; // keeps the newest
    memcpy(f->log + f->log_length, text, (size_t)n);
    f->log_length += n;
    f->log[f->log_length++] = '\n';
    f->log[f->log_length] = '\0';
}

static void say(struct fake *f, const char *text, bool banner)
{
    if (f->fd < 0)
        return;
    for (int copy = 0; copy < 1 + f->duplicate && f->outs < FAKE_OUT; copy++) {
        struct fake_out *o = &f->out[f->outs++];
        snprintf(o->text, sizeof o->text, "%s\r\n", f->garbled ? "\xf8\x80\x06xx\xfe" : text);
        o->due = f->now + f->latency;
        if (o->due < f->stalled_until)
            o->due = f->stalled_until;
        if (f->outs > 1 && o->due < f->out[f->outs - 2].due)
            o->due = f->out[f->outs - 2].due; // one line after the other
        o->banner = banner;
    }
    f->duplicate = false;
}

static void stop_motion(struct fake *f)
{
    fake_position(f, f->pos);
    f->moves = 0;
    f->hold = false;
    f->jogging = false;
}

static void boot(struct fake *f, int64_t banner_at)
{
    stop_motion(f);
    f->homing = f->critical = f->waits_for_rest = f->pump = false;
    f->length = f->rx_count = 0;
    f->banner_at = banner_at;
}

static void power_up(struct fake *f, int64_t now)
{
    memset(f->pos, 0, sizeof f->pos);
    f->outs = 0;
    boot(f, f->silent_open ? INT64_MAX : now + SECOND);
    memset(f->pos, 0, sizeof f->pos);
    f->locked = true;
}

void fake_init(struct fake *f, int64_t now)
{
    memset(f, 0, sizeof *f);
    f->fd = f->host_fd = -1;
    f->now = now;
    f->latency = 2 * MS;
    f->replug_at = 0;
    f->banner_at = INT64_MAX;
    f->first_reset_byte_at = -1;
}

void fake_close(struct fake *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

int fake_open(void *user, int *ret_fd, void *err_unused)
{
    (void)err_unused;
    struct fake *f = user;
    int pair[2];
    if (f->now < f->replug_at)
        return -19; // ENODEV
    fake_close(f);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    f->fd = pair[0];
    *ret_fd = pair[1];
    power_up(f, f->now); // opening the port resets the board
    return 0;
}

void fake_position(const struct fake *f, double ret[3])
{
    memcpy(ret, f->pos, sizeof f->pos);
    if (f->moves == 0)
        return;
    int64_t now = f->hold ? f->hold_at : f->now;
    double done = 1 - (double)(f->move_end - now) / (double)f->move[0].duration;
    done = fmin(1, fmax(0, done));
    for (int i = 0; i < 3; i++)
        ret[i] = f->pos[i] + done * (f->move[0].to[i] - f->pos[i]);
}

static void report(struct fake *f)
{
    double p[3];
    char text[160];
    fake_position(f, p);
    const char *state = f->locked    ? "Alarm"
                        : f->hold    ? "Hold:0"
                        : f->jogging ? "Jog"
                        : f->moves   ? "Run"
                                     : "Idle";
    snprintf(text, sizeof text, "<%s|MPos:%.3f,%.3f,%.3f|FS:0,0%s%s>", state, p[0], p[1], p[2],
             f->hold_pressed ? "|Pn:H" : "", f->polls % 10 == 0 ? "|WCO:0.000,0.000,0.000" : "");
    say(f, text, false);
}

static void alarm_now(struct fake *f, int number)
{
    char text[32];
    snprintf(text, sizeof text, "ALARM:%d", number);
    stop_motion(f);
    f->length = f->rx_count = 0;
    f->waits_for_rest = false;
    f->locked = true;
    say(f, text, true);
    if (number <= 2) {
        f->critical = true;
        f->heard_from = f->now + 500 * MS;
        f->said_reset_message = false;
    }
}

static void soft_reset(struct fake *f)
{
    f->resets++;
    if (f->first_reset_byte_at < 0)
        f->first_reset_byte_at = f->now;
    if ((f->critical && f->now < f->heard_from) || f->stands_in == 10)
        return; // discarded
    bool moving = f->moves > 0 && !f->hold;
    if (f->homing) {
        say(f, "ALARM:6", true);
        say(f, "ok", false); // the aborted $H is answered all the same
        f->locked = true;
    } else if (moving) {
        say(f, "ALARM:3", true);
        f->locked = true;
    }
    boot(f, f->now);
}

static bool parse_axes(const char *line, const double at[3], bool relative, double to[3])
{
    memcpy(to, at, 3 * sizeof *to);
    for (int i = 0; i < 3; i++) {
        const char *p = strchr(line, "XYZ"[i]);
        if (!p)
            continue;
        char *end;
        double v = strtod(p + 1, &end);
        if (end == p + 1)
            return false;
        to[i] = relative ? at[i] + v : v;
    }
    return true;
}

static void plan(struct fake *f, const double to[3])
{
    const double *from = f->moves ? f->move[f->moves - 1].to : f->pos;
    int64_t duration = (int64_t)(1e9 * travel_line(&limits, from, to, 0));
    if (duration <= 0 || f->moves == FAKE_MOVES)
        return;
    struct fake_move *m = &f->move[f->moves];
    memcpy(m->to, to, sizeof m->to);
    m->duration = duration;
    if (f->moves++ == 0)
        f->move_end = f->now + 4 * MS + duration;
}

static void motion(struct fake *f, const char *line, bool jog)
{
    double to[3], at[3];
    f->motion_lines++;
    if (f->host_was_told)
        f->violations++;
    if (f->locked) {
        say(f, "error:9", false);
        return;
    }
    memcpy(at, f->moves ? f->move[f->moves - 1].to : f->pos, sizeof at);
    if (!parse_axes(line, at, jog, to)) {
        say(f, "error:2", false);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double low[3] = {-600, -540, -60};
        if (to[i] > 0 || to[i] < low[i]) {
            if (jog)
                say(f, "error:15", false);
            else
                alarm_now(f, 2); // and no ok for this line
            return;
        }
    }
    f->jogging = jog;
    plan(f, to);
    say(f, "ok", false);
}

static void home(struct fake *f)
{
    f->homings++;
    f->homing = true;
    f->host_was_told = false;
    f->locked = false;
    f->home_end = f->now + 4 * SECOND;
}

static void obey(struct fake *f, const char *line)
{
    f->lines++;
    note(f, line);
    if (strlen(line) > 70)
        f->overlong++;
    if (strcmp(line, "$H") == 0) {
        home(f);
    } else if (strcmp(line, "$$") == 0) {
        size_t count = sizeof settings / sizeof *settings - (f->withheld > 0);
        f->withheld -= f->withheld > 0;
        for (size_t i = 0; i < count; i++)
            say(f, settings[i], false);
        if (f->extra)
            say(f, f->extra, false);
        say(f, "ok", false);
    } else if (strcmp(line, "$I") == 0) {
        say(f, "[VER:1.1h.20190825:]", false);
        say(f, "[OPT:V,15,128]", false);
        say(f, "ok", false);
    } else if (strncmp(line, "$J=", 3) == 0) {
        motion(f, line, true);
    } else if (line[0] == '\0') {
        say(f, "ok", false);
    } else if (f->locked) {
        if (strncmp(line, "G53G", 4) == 0)
            motion(f, line, false);
        else
            say(f, "error:9", false);
    } else if (strncmp(line, "G53G0", 5) == 0 || strncmp(line, "G53G1", 5) == 0) {
        motion(f, line, false);
    } else if (strncmp(line, "G4P", 3) == 0 || line[0] == 'M') {
        f->waits_for_rest = true;
        if (line[0] == 'M')
            f->pump = line[1] == '3';
    } else if (strcmp(line, "G21G90G94G17G54") == 0) {
        say(f, "ok", false);
    } else {
        say(f, "error:20", false);
    }
}

static void hold(struct fake *f)
{
    if (f->hold)
        return;
    f->hold = true;
    f->hold_at = f->now;
}

void fake_press_hold(struct fake *f, bool pressed)
{
    f->hold_pressed = pressed;
    if (pressed)
        hold(f);
}

void fake_press_start(struct fake *f)
{
    if (!f->hold)
        return;
    f->hold = false;
    f->move_end += f->now - f->hold_at;
}

static void take(struct fake *f, unsigned char c)
{
    if (f->lose_in && c != 0x18 && c != '!') {
        f->lose_in = false;
        return;
    }
    switch (c) {
    case 0x18:
        note(f, "<18>");
        soft_reset(f);
        return;
    case '!':
        f->holds++;
        note(f, "<!>");
        if (f->moves)
            hold(f);
        return;
    case '~':
        note(f, "<~>");
        fake_press_start(f);
        return;
    case 0x85:
        if (f->jogging)
            stop_motion(f);
        return;
    case '?':
        f->polls++;
        if (!f->homing && !f->critical && f->banner_at == INT64_MAX)
            report(f);
        return;
    default:
        if (f->rx_count < FAKE_RX - 1)
            f->rx[f->rx_count++] = (char)c;
        else
            f->overflows++; // lost without a word, as in GRBL
    }
}

// The parser takes a line when it has nothing else to do.
static void parse(struct fake *f)
{
    while (f->rx_count && !f->critical && !f->homing && !f->waits_for_rest && !f->door &&
           f->banner_at == INT64_MAX && f->moves < FAKE_MOVES) {
        char c = f->rx[0];
        memmove(f->rx, f->rx + 1, (size_t)--f->rx_count);
        if (c == '\n') {
            f->line[f->length] = '\0';
            f->length = 0;
            obey(f, f->line);
        } else if (f->length < FAKE_LINE - 1) {
            f->line[f->length++] = c;
        }
    }
}

static bool receive(struct fake *f)
{
    char buf[256];
    bool any = false;
    while (f->fd >= 0) {
        ssize_t n = read(f->fd, buf, sizeof buf);
        if (n <= 0)
            break;
        any = true;
        for (ssize_t i = 0; i < n; i++)
            take(f, (unsigned char)buf[i]);
    }
    parse(f);
    return any;
}

static bool send_due(struct fake *f)
{
    bool any = false;
    while (f->outs && f->out[0].due <= f->now && f->fd >= 0) {
        struct fake_out o = f->out[0];
        memmove(f->out, f->out + 1, sizeof o * (size_t)--f->outs);
        size_t n = strlen(o.text);
        bool intact = !f->lose_out;
        if (f->lose_out && n > 2) {
            size_t at = (size_t)(o.due / MS) % (n - 2);
            memmove(o.text + at, o.text + at + 1, n - at);
            n--;
            f->lose_out = false;
        }
        f->bytes_out += n;
        if (send(f->fd, o.text, n, MSG_NOSIGNAL) != (ssize_t)n)
            break;
        // What the host wrote before it could read this is not its fault.
        receive(f);
        if (o.banner && intact)
            f->host_was_told = true;
        any = true;
    }
    return any;
}

static bool pass_time(struct fake *f)
{
    bool any = false;
    while (f->moves && !f->hold && f->move_end <= f->now) {
        memcpy(f->pos, f->move[0].to, sizeof f->pos);
        memmove(f->move, f->move + 1, sizeof *f->move * (size_t)--f->moves);
        if (f->moves)
            f->move_end += f->move[0].duration;
        any = true;
    }
    if (!f->moves)
        f->jogging = false;
    if (f->waits_for_rest && !f->moves) {
        f->waits_for_rest = false;
        say(f, "ok", false);
        any = true;
    }
    if (f->homing && f->home_end <= f->now) {
        f->homing = false;
        for (int i = 0; i < 3; i++)
            f->pos[i] = f->zero_corner ? 0 : home_corner[i];
        say(f, "ok", false);
        any = true;
    }
    if (f->critical && !f->said_reset_message && f->heard_from <= f->now) {
        f->said_reset_message = true;
        say(f, "[MSG:Reset to continue]", false);
        any = true;
    }
    if (f->banner_at <= f->now) {
        f->banner_at = INT64_MAX;
        say(f, "", false);
        say(f, f->banner ? f->banner : "Grbl 1.1h ['$' for help]", true);
        if (f->locked)
            say(f, "[MSG:'$H'|'$X' to unlock]", false);
        if (f->stands_in)
            alarm_now(f, f->stands_in);
        if (f->door)
            say(f, "[MSG:Check Door]", false);
        any = true;
    }
    return any;
}

bool fake_step(struct fake *f, int64_t now)
{
    f->now = now;
    bool any = pass_time(f);
    any |= receive(f);
    any |= pass_time(f);
    parse(f);
    any |= send_due(f);
    return any;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t fake_next(const struct fake *f)
{
    int64_t next = f->banner_at;
    if (f->moves && !f->hold)
        next = sooner(next, f->move_end);
    if (f->homing)
        next = sooner(next, f->home_end);
    if (f->critical && !f->said_reset_message)
        next = sooner(next, f->heard_from);
    if (f->outs)
        next = sooner(next, f->out[0].due);
    return next;
}

void fake_hurt(struct fake *f, enum fake_fault fault, int64_t amount_ns)
{
    receive(f);
    switch (fault) {
    case FAKE_LOSE_BYTE_OUT:
        f->lose_out = true;
        break;
    case FAKE_LOSE_BYTE_IN:
        f->lose_in = true;
        break;
    case FAKE_DUPLICATE:
        f->duplicate = true;
        break;
    case FAKE_GARBAGE:
        say(f, "\x01\xff<Idle|MPos:1,2", false);
        break;
    case FAKE_LATE:
    case FAKE_STALL:
        f->stalled_until = f->now + amount_ns;
        break;
    case FAKE_ALARM:
        alarm_now(f, 1);
        break;
    case FAKE_RESTART:
        power_up(f, f->now);
        break;
    case FAKE_SILENT:
        power_up(f, f->now);
        f->banner_at = INT64_MAX;
        break;
    case FAKE_UNPLUG:
        fake_close(f);
        f->outs = 0;
        f->replug_at = f->now + amount_ns;
        break;
    case FAKE_FAULTS:
        break;
    }
}
