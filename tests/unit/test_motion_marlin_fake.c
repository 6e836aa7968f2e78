#include "test_motion_marlin_fake.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "motion/travel.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

enum { STEPS_PER_MM = 80 };

static const struct travel_limits limits = {{200, 200, 50}, {1000, 1000, 300}, 0};
static const double travel[3] = {600, 540, 60};

static void say(struct marlin *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct marlin *m, const char *format, ...)
{
    if (m->fd < 0 || m->outs == MARLIN_OUT)
        return;
    char text[sizeof m->out->text - 1];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (m->lose_ok && strcmp(text, "ok") == 0) {
        m->lose_ok = false;
        return;
    }
    struct marlin_out *o = &m->out[m->outs++];
    snprintf(o->text, sizeof o->text, "%s\n", text);
    o->due = m->now + m->latency;
}

void marlin_init(struct marlin *m)
{
    memset(m, 0, sizeof *m);
    m->fd = -1;
    m->latency = 2 * MS;
}

void marlin_close(struct marlin *m)
{
    if (m->fd >= 0)
        close(m->fd);
    m->fd = -1;
}

// Where the tool is: on its way along the first planned line.
static void place(const struct marlin *m, double ret[3])
{
    memcpy(ret, m->pos, sizeof m->pos);
    if (!m->moves)
        return;
    double share = 1 - (double)(m->ends_at - m->now) / (double)m->duration[0];
    share = fmin(1, fmax(0, share));
    for (int i = 0; i < 3; i++)
        ret[i] = m->pos[i] + share * (m->target[0][i] - m->pos[i]);
}

static void stand(struct marlin *m)
{
    place(m, m->pos);
    m->moves = 0;
    m->homing_until = 0;
}

void marlin_restart(struct marlin *m)
{
    stand(m);
    m->homed = m->halted = false;
    m->queued = m->rx_length = 0;
    m->last_number = 0;
    m->busy_at = 0;
    m->boots_at = m->now + SECOND;
}

int marlin_open(struct marlin *m)
{
    int pair[2];
    marlin_close(m);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    m->fd = pair[0];
    m->outs = 0;
    if (!m->keeps_running)
        marlin_restart(m);
    return pair[1];
}

// --- commands ---

static void move(struct marlin *m, const char *line)
{
    double to[3];
    m->motion_lines++;
    if (!m->homed) {
        m->blind++;
        say(m, "echo:Home XYZ First");
        return;
    }
    const double *from = m->moves ? m->target[m->moves - 1] : m->pos;
    memcpy(to, from, sizeof to);
    for (int i = 0; i < 3; i++) {
        const char *p = strchr(line, "XYZ"[i]);
        if (p)
            to[i] = fmax(0, fmin(travel[i], strtod(p + 1, NULL)));
    }
    const char *f = strchr(line, 'F');
    double seconds = travel_line(&limits, from, to, f ? strtod(f + 1, NULL) / 60 : 0);
    if (seconds <= 0)
        return;
    memcpy(m->target[m->moves], to, sizeof to);
    m->duration[m->moves] = (int64_t)(seconds * 1e9);
    if (m->moves++ == 0)
        m->ends_at = m->now + m->duration[0];
}

static void tell_place(struct marlin *m)
{
    double at[3];
    const double *planned = m->moves ? m->target[m->moves - 1] : m->pos;
    place(m, at);
    say(m, "X:%.2f Y:%.2f Z:%.2f E:0.00 Count X:%ld Y:%ld Z:%ld", planned[0], planned[1],
        planned[2], lround(at[0] * STEPS_PER_MM), lround(at[1] * STEPS_PER_MM),
        lround(at[2] * STEPS_PER_MM));
}

static void tell_settings(struct marlin *m)
{
    say(m, "echo:; Steps per unit:");
    say(m, "echo:  M92 X%d.00 Y%d.00 Z%d.00 E93.00", STEPS_PER_MM, STEPS_PER_MM, STEPS_PER_MM);
    say(m, "echo:; Max feedrates (units/s):");
    say(m, "echo:  M203 X200.00 Y200.00 Z50.00 E25.00");
    say(m, "echo:  M201 X1000.00 Y1000.00 Z300.00 E10000.00");
}

// False: it has to wait; it stays at the head of the queue.
static bool obey(struct marlin *m, const char *line)
{
    bool resting = !m->moves && !m->homing_until;
    if (strncmp(line, "G1 ", 3) == 0 || strncmp(line, "G0 ", 3) == 0) {
        if (m->moves == MARLIN_PLANNER)
            return false;
        move(m, line);
    } else if (strcmp(line, "G28") == 0) {
        if (!m->homing_until && m->homed && m->pos[0] == 0 && m->pos[2] == travel[2] && resting)
            return true;
        if (!m->homing_until)
            m->homing_until = m->now + 4 * SECOND;
        return false; // ends in pass_time()
    } else if (strcmp(line, "M400") == 0) {
        return resting;
    } else if (strcmp(line, "M114") == 0) {
        tell_place(m);
    } else if (strcmp(line, "M115") == 0) {
        say(m, "FIRMWARE_NAME:Marlin 2.1.2 (simulated) PROTOCOL_VERSION:1.0 MACHINE_TYPE:table");
        say(m, "Cap:EMERGENCY_PARSER:%d", !m->no_emergency_parser);
    } else if (strcmp(line, "M211") == 0) {
        say(m, "echo:Soft endstops: On  Min: X0.00 Y0.00 Z0.00  Max: X%.2f Y%.2f Z%.2f", travel[0],
            travel[1], travel[2]);
    } else if (strcmp(line, "M503") == 0) {
        tell_settings(m);
    } else if (strncmp(line, "M118 ", 5) == 0) {
        say(m, "%s", line + 5);
    } else if (strcmp(line, "G21") != 0 && strcmp(line, "G90") != 0 && strcmp(line, "M410") != 0 &&
               strncmp(line, "M110", 4) != 0) {
        m->unknown++;
        say(m, "echo:Unknown command: \"%s\"", line);
    }
    return true;
}

static bool work(struct marlin *m)
{
    bool any = false;
    while (m->queued && !m->halted) {
        if (!obey(m, m->queue[0])) {
            if (!m->busy_at)
                m->busy_at = m->now + 2 * SECOND;
            break;
        }
        m->busy_at = 0;
        m->queued--;
        memmove(m->queue[0], m->queue[1], sizeof m->queue[0] * (size_t)m->queued);
        say(m, "ok");
        any = true;
    }
    return any;
}

// --- bytes ---

static void ask_again(struct marlin *m, const char *why)
{
    m->resends++;
    say(m, "Error:%s, Last Line: %ld", why, m->last_number);
    say(m, "Resend: %ld", m->last_number + 1);
    say(m, "ok");
}

// The emergency parser sees the words before the queue does.
static void see_emergency(struct marlin *m, const char *words)
{
    if (m->no_emergency_parser)
        return;
    if (strcmp(words, "M410") == 0) {
        m->stops++;
        stand(m);
    } else if (strcmp(words, "M112") == 0) {
        stand(m);
        m->halted = true;
        say(m, "Error:Printer halted. kill() called!");
    }
}

static void take_line(struct marlin *m)
{
    char *words = m->rx, *star = strrchr(m->rx, '*');
    m->rx[m->rx_length] = '\0';
    m->rx_length = 0;
    if (!*words)
        return;
    m->lines++;
    if (m->flip_bytes > 0 && *words == 'N') {
        m->flip_bytes--;
        words[strlen(words) / 2] ^= 4;
        star = strrchr(m->rx, '*');
    }
    if (*words == 'N') {
        unsigned sum = 0;
        char *end;
        long n = strtol(words + 1, &end, 10);
        for (char *p = words; star && p < star; p++)
            sum ^= (unsigned char)*p;
        if (!star || sum != strtoul(star + 1, NULL, 10)) {
            ask_again(m, star ? "checksum mismatch" : "No Checksum with line number");
            return;
        }
        if (n != m->last_number + 1) {
            ask_again(m, "Line Number is not Last Line Number+1");
            return;
        }
        m->last_number = n;
        *star = '\0';
        words = end + strspn(end, " ");
    } else if (strncmp(words, "M110 N", 6) == 0) {
        m->last_number = strtol(words + 6, NULL, 10);
    }
    see_emergency(m, words);
    if (m->queued < MARLIN_QUEUE)
        snprintf(m->queue[m->queued++], MARLIN_LINE, "%s", words);
}

static bool receive(struct marlin *m)
{
    char buf[256];
    bool any = false;
    ssize_t n;
    while (m->fd >= 0 && (n = read(m->fd, buf, sizeof buf)) > 0) {
        any = true;
        for (ssize_t i = 0; i < n && m->boots_at == 0 && !m->halted; i++) {
            if (buf[i] == '\n') {
                take_line(m);
                work(m);
            } else if (m->rx_length < MARLIN_LINE - 1) {
                m->rx[m->rx_length++] = buf[i];
            }
        }
    }
    return any;
}

static bool pass_time(struct marlin *m)
{
    bool any = false;
    if (m->boots_at && m->boots_at <= m->now) {
        m->boots_at = 0;
        say(m, "start");
        say(m, "echo:Marlin 2.1.2");
        any = true;
    }
    while (m->moves && m->ends_at <= m->now) {
        memcpy(m->pos, m->target[0], sizeof m->pos);
        m->moves--;
        memmove(m->target[0], m->target[1], sizeof m->target[0] * (size_t)m->moves);
        memmove(m->duration, m->duration + 1, sizeof *m->duration * (size_t)m->moves);
        if (m->moves)
            m->ends_at += m->duration[0];
        any = true;
    }
    if (m->homing_until && m->homing_until <= m->now) {
        m->homing_until = 0;
        m->homed = true;
        m->pos[0] = m->pos[1] = 0;
        m->pos[2] = travel[2];
        any = true;
    }
    if (m->busy_at && m->busy_at <= m->now) {
        m->busy_at = m->now + 2 * SECOND;
        say(m, "echo:busy: processing");
        any = true;
    }
    return any;
}

bool marlin_step(struct marlin *m, int64_t now)
{
    m->now = now;
    bool any = pass_time(m);
    any |= receive(m);
    any |= work(m);
    while (m->outs && m->out[0].due <= m->now && m->fd >= 0) {
        struct marlin_out o = m->out[0];
        memmove(m->out, m->out + 1, sizeof o * (size_t)--m->outs);
        if (send(m->fd, o.text, strlen(o.text), MSG_NOSIGNAL) < 0)
            break;
        any = true;
    }
    return any;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return b > 0 && b < a ? b : a;
}

int64_t marlin_next(const struct marlin *m)
{
    int64_t next = sooner(INT64_MAX, m->boots_at);
    next = sooner(next, m->moves ? m->ends_at : 0);
    next = sooner(next, m->homing_until);
    next = sooner(next, m->busy_at);
    return sooner(next, m->outs ? m->out[0].due : 0);
}
