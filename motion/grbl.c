#include "motion/grbl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS     1000000LL
#define SECOND (1000 * MS)

enum {
    RT_MAX = 16,         // real-time bytes that may wait while the line takes none
    READS_A_CALL = 16,   // a firmware that floods must not keep the loop busy for ever
    RESETS_MAX = 12,     // 0x18 without a banner before the port is given up
    MISSES_MAX = 3,      // status questions in a row without an answer
    READ_TRIES_MAX = 5,  // $$ refused because the machine is not idle
    POLL_SHARE = 20,     // at most 1/20 of the line for reports
    REPORT_TYPICAL = 64, // bytes of a report before one was seen
};

static const int64_t banner_wait = 2500 * MS;    // an Arduino's boot loader takes 1 to 2 s
static const int64_t reset_every = 600 * MS;     // GRBL discards 0x18 for 500 ms after an alarm
static const int64_t own_reset_wait = 1000 * MS; // alarms after which the firmware resets itself
static const int64_t answer_wait = 1000 * MS;    // for one status report
static const int64_t setup_timeout = 3 * SECOND;
static const int64_t open_wait_first = 500 * MS, open_wait_last = 10 * SECOND;

struct line {
    char text[GRBL_SEND_MAX + 2]; // with '\n' and NUL
    size_t length;                // with '\n'
    uint64_t tag;
    bool internal; // $I and $$: no reply callback
    int64_t timeout, deadline;
};

struct grbl {
    struct grbl_options options;
    struct transport *transport;
    enum grbl_link link;
    struct grbl_machine machine;
    struct grbl_counts counts;
    double setting[GRBL_SETTINGS];
    bool has_setting[GRBL_SETTINGS];
    struct grbl_status status;
    double offset[GRBL_AXES]; // newest WCO
    bool has_offset;
    char trouble[256];

    char rx[GRBL_LINE_MAX];
    size_t rx_length;
    bool rx_overlong;

    // Lines in order: queue[head] is the oldest. The first `begun` are wholly or partly written;
    // only the last of those may be partial, `written` bytes of it.
    struct line queue[GRBL_QUEUE];
    int head, count, begun;
    size_t written, in_flight;
    uint8_t rt[RT_MAX];
    int rt_count;

    bool resetting;     // 0x18 was sent or is due; only a banner counts now
    int64_t next_reset; // STARTING: when to send 0x18 (again)
    int reset_tries;
    int64_t next_open, open_wait; // DOWN
    int64_t next_read;            // READING: when to ask again after a refusal
    int read_tries;

    bool paused;
    int64_t paused_at;

    enum grbl_pace pace;
    bool asked;
    int64_t answer_by, next_ask;
    int misses;
    size_t report_size;
};

static void flush(struct grbl *g, int64_t now);
static void lost(struct grbl *g, const char *why, int64_t now);

const char *grbl_link_name(enum grbl_link link)
{
    static const char *const names[] = {"down", "starting", "reading settings", "ready"};
    return (unsigned)link < sizeof names / sizeof *names ? names[link] : "?";
}

static struct line *nth(struct grbl *g, int i)
{
    return &g->queue[(g->head + i) % GRBL_QUEUE];
}

static void set_link(struct grbl *g, enum grbl_link link, int64_t now)
{
    if (g->link == link)
        return;
    g->link = link;
    if (g->options.events.link)
        g->options.events.link(g->options.user, link, now);
}

static void drop_lines(struct grbl *g)
{
    g->head = g->count = g->begun = 0;
    g->written = g->in_flight = 0;
    g->paused = false;
}

static void void_epoch(struct grbl *g, enum grbl_void_reason reason, int number, int64_t now)
{
    drop_lines(g);
    g->asked = false;
    g->misses = 0;
    if (g->options.events.voided)
        g->options.events.voided(g->options.user, reason, number, now);
}

// From here on only a banner counts; the first 0x18 goes out at `first`.
static void await_banner(struct grbl *g, int64_t first, int64_t now)
{
    g->resetting = true;
    g->reset_tries = 0;
    g->next_reset = first;
    g->asked = false;
    set_link(g, GRBL_LINK_STARTING, now);
}

static int64_t poll_interval(const struct grbl *g)
{
    int64_t bytes_s = (g->options.baud ? g->options.baud : 115200) / 10;
    int64_t cheapest = (int64_t)(g->report_size + 1) * POLL_SHARE * SECOND / bytes_s;
    int64_t wanted = g->pace == GRBL_PACE_MOVING ? 200 * MS : 1000 * MS;
    return wanted > cheapest ? wanted : cheapest;
}

// ---- writing -----------------------------------------------------------------------------------

static void push_rt(struct grbl *g, uint8_t byte)
{
    if (g->rt_count < RT_MAX)
        g->rt[g->rt_count++] = byte;
}

// False: the line takes no more, or is gone.
static bool write_some(struct grbl *g, const void *data, size_t size, size_t *ret, int64_t now)
{
    ssize_t n = transport_write(g->transport, data, size);
    if (n == -EAGAIN)
        return false;
    if (n < 0) {
        lost(g, "writing failed", now);
        return false;
    }
    *ret = (size_t)n;
    return true;
}

static bool flush_rt(struct grbl *g, int64_t now)
{
    while (g->rt_count) {
        size_t n = 0;
        if (!write_some(g, g->rt, (size_t)g->rt_count, &n, now))
            return false;
        g->rt_count -= (int)n;
        memmove(g->rt, g->rt + n, (size_t)g->rt_count);
    }
    return true;
}

// Whether the next line fits: exact bytes, the line end included. This is the only place that
// decides it, and `in_flight` changes only here, in take_reply() and in drop_lines().
static bool may_begin(const struct grbl *g, const struct line *line)
{
    if (g->resetting || (g->link != GRBL_LINK_READY && g->link != GRBL_LINK_READING))
        return false;
    if (!g->options.count_window || g->link == GRBL_LINK_READING)
        return g->begun == 0;
    return g->in_flight + line->length < (size_t)g->machine.rx_bytes;
}

static void flush(struct grbl *g, int64_t now)
{
    if (g->link == GRBL_LINK_DOWN || !flush_rt(g, now))
        return;
    while (g->count) {
        bool partial = g->begun && g->written < nth(g, g->begun - 1)->length;
        if (!partial) {
            if (g->begun == g->count || !may_begin(g, nth(g, g->begun)))
                return;
            g->in_flight += nth(g, g->begun)->length;
            if (g->in_flight > g->counts.peak_in_flight)
                g->counts.peak_in_flight = g->in_flight;
            g->begun++;
            g->written = 0;
        }
        struct line *line = nth(g, g->begun - 1);
        size_t n = 0;
        if (!write_some(g, line->text + g->written, line->length - g->written, &n, now))
            return;
        g->written += n;
        if (g->written == line->length) {
            g->counts.lines_sent++;
            line->deadline = now + line->timeout;
        }
    }
}

static int enqueue(struct grbl *g, const char *text, int64_t timeout, uint64_t tag, bool internal)
{
    size_t n = strlen(text);
    if (n > GRBL_SEND_MAX)
        return -EMSGSIZE;
    for (size_t i = 0; i < n; i++) {
        // '!', '~' and '?' would be taken out of the line and obeyed at once.
        if (text[i] < ' ' || text[i] > '}' || strchr("!?", text[i]))
            return -EINVAL;
    }
    if (g->count == GRBL_QUEUE)
        return -EAGAIN;
    struct line *line = nth(g, g->count++);
    memcpy(line->text, text, n);
    line->text[n] = '\n';
    line->text[n + 1] = '\0';
    line->length = n + 1;
    line->tag = tag;
    line->internal = internal;
    line->timeout = timeout;
    line->deadline = INT64_MAX;
    return 0;
}

int grbl_send(struct grbl *g, const char *text, int64_t timeout_ns, uint64_t tag, int64_t now_ns)
{
    if (g->link != GRBL_LINK_READY)
        return -ENOTCONN;
    int r = enqueue(g, text, timeout_ns, tag, false);
    if (r == 0)
        flush(g, now_ns);
    return r;
}

int grbl_realtime(struct grbl *g, uint8_t byte, int64_t now_ns)
{
    if (g->link == GRBL_LINK_DOWN)
        return -ENOTCONN;
    push_rt(g, byte);
    flush_rt(g, now_ns);
    return 0;
}

void grbl_reset(struct grbl *g, bool hold_first, int64_t now_ns)
{
    if (g->link == GRBL_LINK_DOWN)
        return;
    g->rt_count = 0;
    if (hold_first)
        push_rt(g, '!');
    push_rt(g, 0x18);
    g->counts.resets++;
    if (!flush_rt(g, now_ns) && g->link == GRBL_LINK_DOWN)
        return;
    void_epoch(g, GRBL_VOID_RESET, 0, now_ns);
    await_banner(g, now_ns + reset_every, now_ns);
}

void grbl_ask(struct grbl *g, int64_t now_ns)
{
    if (g->asked || g->resetting || g->link != GRBL_LINK_READY || g->pace == GRBL_PACE_SILENT)
        return;
    g->asked = true;
    g->answer_by = now_ns + answer_wait;
    g->next_ask = now_ns + poll_interval(g);
    g->counts.polls++;
    push_rt(g, '?');
    flush_rt(g, now_ns);
}

void grbl_set_pace(struct grbl *g, enum grbl_pace pace, int64_t now_ns)
{
    if (g->pace == pace)
        return;
    g->pace = pace;
    g->misses = 0;
    if (pace == GRBL_PACE_SILENT)
        g->asked = false; // GRBL keeps the question and answers it late; nobody waits
    g->next_ask = now_ns + poll_interval(g);
}

void grbl_set_paused(struct grbl *g, bool paused, int64_t now_ns)
{
    if (paused == g->paused)
        return;
    g->paused = paused;
    if (paused) {
        g->paused_at = now_ns;
        return;
    }
    for (int i = 0; i < g->begun; i++) {
        if (nth(g, i)->deadline != INT64_MAX)
            nth(g, i)->deadline += now_ns - g->paused_at;
    }
}

// ---- opening and starting ----------------------------------------------------------------------

static void opened(struct grbl *g, int64_t now)
{
    g->rx_length = 0;
    g->rx_overlong = false;
    g->rt_count = 0;
    g->open_wait = open_wait_first;
    drop_lines(g);
    g->trouble[0] = '\0';
    await_banner(g, now + banner_wait, now);
}

static void lost(struct grbl *g, const char *why, int64_t now)
{
    if (g->link == GRBL_LINK_DOWN)
        return;
    transport_hang_up(g->transport);
    snprintf(g->trouble, sizeof g->trouble,
             "The plotter on %s is gone: %s. It is opened again as soon as it is back.",
             g->transport->name, why);
    g->link = GRBL_LINK_DOWN; // before the callback: nothing may be sent from it
    g->resetting = false;
    g->rt_count = 0;
    g->next_open = now + g->open_wait;
    void_epoch(g, GRBL_VOID_LOST, 0, now);
    if (g->options.events.link)
        g->options.events.link(g->options.user, GRBL_LINK_DOWN, now);
}

static void try_open(struct grbl *g, int64_t now)
{
    struct error err = {0};
    int r = transport_reopen(g->transport, &err);
    if (r < 0) {
        snprintf(g->trouble, sizeof g->trouble, "%.250s", err.text);
        g->next_open = now + g->open_wait;
        g->open_wait = g->open_wait * 2 < open_wait_last ? g->open_wait * 2 : open_wait_last;
        return;
    }
    g->counts.reopens++;
    opened(g, now);
}

static void send_reset(struct grbl *g, int64_t now)
{
    if (++g->reset_tries > RESETS_MAX) {
        // Wait longer each time it opens but never speaks, too.
        g->open_wait = g->open_wait * 2 < open_wait_last ? g->open_wait * 2 : open_wait_last;
        lost(g, "it does not answer a reset", now);
        return;
    }
    g->next_reset = now + reset_every;
    g->counts.resets++;
    push_rt(g, 0x18);
    flush_rt(g, now);
}

static void read_settings(struct grbl *g, int64_t now)
{
    g->next_read = INT64_MAX;
    drop_lines(g);
    enqueue(g, "$I", setup_timeout, 0, true);
    enqueue(g, "$$", setup_timeout, 0, true);
    flush(g, now);
}

static void on_banner(struct grbl *g, const struct grbl_reply *reply, int64_t now)
{
    bool asked_for = g->resetting;
    g->counts.banners++;
    g->resetting = false;
    g->read_tries = 0;
    memset(&g->status, 0, sizeof g->status);
    g->has_offset = false;
    if (!asked_for)
        void_epoch(g, GRBL_VOID_BANNER, 0, now);
    if (g->link == GRBL_LINK_DOWN || g->resetting)
        return; // the callback reset it
    memset(&g->machine, 0, sizeof g->machine);
    memset(g->has_setting, 0, sizeof g->has_setting);
    g->machine.hal = strcasestr(reply->text, "hal") != NULL;
    g->machine.planner_blocks = 15;
    g->machine.rx_bytes = 128;
    set_link(g, GRBL_LINK_READING, now);
    read_settings(g, now);
}

static double setting_or_zero(const struct grbl *g, int number)
{
    return g->has_setting[number] ? g->setting[number] : 0;
}

static void settings_read(struct grbl *g, int64_t now)
{
    struct grbl_machine *m = &g->machine;
    for (int i = 0; i < GRBL_AXES; i++) {
        m->steps_per_mm[i] = setting_or_zero(g, 100 + i);
        m->speed[i] = setting_or_zero(g, 110 + i) / 60;
        m->acceleration[i] = setting_or_zero(g, 120 + i);
        m->travel[i] = setting_or_zero(g, 130 + i);
    }
    m->junction = setting_or_zero(g, 11);
    m->report_mask = (int)setting_or_zero(g, 10);
    m->soft_limits = setting_or_zero(g, 20) != 0;
    m->hard_limits = setting_or_zero(g, 21) != 0;
    m->homing_enabled = ((int)setting_or_zero(g, 22) & 1) != 0;
    m->homing_mask = (int)setting_or_zero(g, 23);
    m->homing_feed = setting_or_zero(g, 24) / 60;
    m->homing_seek = setting_or_zero(g, 25) / 60;
    m->homing_pull_off = setting_or_zero(g, 27);
    g->next_ask = now;
    set_link(g, GRBL_LINK_READY, now);
}

// ---- reading -----------------------------------------------------------------------------------

static void internal_reply(struct grbl *g, int error, int64_t now)
{
    if (error) {
        // Not idle yet (error:8), or bytes were lost: once more, a little later.
        drop_lines(g);
        if (++g->read_tries > READ_TRIES_MAX)
            lost(g, "it refuses to tell its settings", now);
        else
            g->next_read = now + 500 * MS;
    } else if (g->count == 0) {
        settings_read(g, now);
    }
}

static void on_reply(struct grbl *g, int error, int64_t now)
{
    bool whole = g->begun > 1 || (g->begun == 1 && g->written == nth(g, 0)->length);
    if (g->resetting || !whole) {
        g->counts.stray_oks++;
        return;
    }
    if (error)
        g->counts.errors++;
    else
        g->counts.oks++;
    struct line done = *nth(g, 0);
    g->in_flight -= done.length;
    g->head = (g->head + 1) % GRBL_QUEUE;
    g->count--;
    g->begun--;
    if (done.internal)
        internal_reply(g, error, now);
    else if (g->options.events.reply)
        g->options.events.reply(g->options.user, done.tag, error, now);
    flush(g, now);
}

// Alarms after which GRBL resets itself and sends its banner unasked: reset in motion and all the
// homing failures. After the others it is mute until it gets 0x18.
static bool resets_itself(int alarm)
{
    return alarm == 3 || (alarm >= 6 && alarm <= 9);
}

static void on_alarm(struct grbl *g, int number, int64_t now)
{
    g->counts.alarms++;
    if (g->resetting)
        return; // "ALARM:3" on the way to the banner that was asked for
    if (number == 11 && g->link == GRBL_LINK_READING)
        return; // grblHAL: "homing required", said at every start; nothing is lost by it
    void_epoch(g, GRBL_VOID_ALARM, number, now);
    if (g->link == GRBL_LINK_DOWN || g->resetting)
        return;
    await_banner(g, resets_itself(number) ? now + own_reset_wait : now, now);
}

static void on_status(struct grbl *g, struct grbl_status *s, size_t size, int64_t now)
{
    g->counts.reports++;
    g->report_size = size + 2;
    if (g->resetting || g->link != GRBL_LINK_READY)
        return;
    g->asked = false;
    g->misses = 0;
    if (s->has_offset) {
        memcpy(g->offset, s->offset, sizeof g->offset);
        g->has_offset = true;
    }
    // With $10 bit 0 clear it reports work positions: the machine's follow once the offset is
    // known.
    if (!s->has_machine && s->has_work && g->has_offset) {
        for (int i = 0; i < GRBL_AXES; i++)
            s->machine[i] = s->work[i] + g->offset[i];
        s->has_machine = true;
    }
    g->status = *s;
    if (g->options.events.status)
        g->options.events.status(g->options.user, s, now);
}

static void on_message(struct grbl *g, const struct grbl_reply *reply, int64_t now)
{
    const char *text = reply->text;
    // GRBL says this right after its banner and at no other time: the banner itself was lost.
    if (g->link == GRBL_LINK_READY && strstr(text, "to unlock"))
        on_banner(g, reply, now);
    if (g->resetting && strstr(text, "Reset to continue"))
        g->next_reset = now; // now it will be heard
    if (g->options.events.message && strncmp(text, "[MSG:", 5) == 0)
        g->options.events.message(g->options.user, text, now);
}

static void take_line(struct grbl *g, int64_t now)
{
    struct grbl_reply reply;
    grbl_parse(g->rx, g->rx_length, &reply);
    switch (reply.kind) {
    case GRBL_REPLY_NONE:
    case GRBL_REPLY_VERSION:
    case GRBL_REPLY_OFFSET:
        break;
    case GRBL_REPLY_OK:
        on_reply(g, 0, now);
        break;
    case GRBL_REPLY_ERROR:
        on_reply(g, reply.number ? reply.number : -1, now);
        break;
    case GRBL_REPLY_ALARM:
        on_alarm(g, reply.number, now);
        break;
    case GRBL_REPLY_BANNER:
        on_banner(g, &reply, now);
        break;
    case GRBL_REPLY_STATUS:
        on_status(g, &reply.status, g->rx_length, now);
        break;
    case GRBL_REPLY_SETTING:
        if (reply.number < GRBL_SETTINGS) {
            g->setting[reply.number] = reply.value;
            g->has_setting[reply.number] = true;
        }
        break;
    case GRBL_REPLY_OPTIONS:
        if (reply.rx_bytes >= 32) {
            g->machine.planner_blocks = reply.planner_blocks;
            g->machine.rx_bytes = reply.rx_bytes;
        }
        break;
    case GRBL_REPLY_MESSAGE:
        on_message(g, &reply, now);
        break;
    case GRBL_REPLY_GARBAGE:
        g->counts.garbage++;
        break;
    }
}

static void take_bytes(struct grbl *g, const char *data, size_t size, int64_t now)
{
    for (size_t i = 0; i < size && g->link != GRBL_LINK_DOWN; i++) {
        char c = data[i];
        if (c == '\n') {
            if (g->rx_overlong)
                g->counts.garbage++;
            else
                take_line(g, now);
            g->rx_length = 0;
            g->rx_overlong = false;
        } else if (c == '\r') {
            continue;
        } else if (g->rx_length == GRBL_LINE_MAX) {
            g->rx_overlong = true;
        } else {
            g->rx[g->rx_length++] = c;
        }
    }
}

static void receive(struct grbl *g, int64_t now)
{
    char buf[512];
    for (int i = 0; i < READS_A_CALL && g->link != GRBL_LINK_DOWN; i++) {
        ssize_t n = transport_read(g->transport, buf, sizeof buf);
        if (n == -EAGAIN)
            return;
        if (n < 0) {
            lost(g, "it was unplugged or switched off", now);
            return;
        }
        take_bytes(g, buf, (size_t)n, now);
    }
}

// ---- time --------------------------------------------------------------------------------------

static void fault(struct grbl *g, enum grbl_void_reason reason, int64_t now)
{
    // Stop first: what is still in the firmware's planner goes on otherwise.
    g->rt_count = 0;
    push_rt(g, '!');
    push_rt(g, 0x18);
    g->counts.resets++;
    if (!flush_rt(g, now) && g->link == GRBL_LINK_DOWN)
        return;
    void_epoch(g, reason, 0, now);
    if (g->link != GRBL_LINK_DOWN && !g->resetting)
        await_banner(g, now + reset_every, now);
}

static int64_t line_deadline(const struct grbl *g)
{
    const struct line *first = &g->queue[g->head];
    return g->begun && !g->resetting && !g->paused ? first->deadline : INT64_MAX;
}

static void expire(struct grbl *g, int64_t now)
{
    if (g->link == GRBL_LINK_DOWN && now >= g->next_open)
        try_open(g, now);
    if (g->link == GRBL_LINK_DOWN)
        return;
    if (g->resetting && now >= g->next_reset)
        send_reset(g, now);
    if (g->link == GRBL_LINK_READING && now >= g->next_read)
        read_settings(g, now);
    if (now >= line_deadline(g))
        fault(g, GRBL_VOID_TIMEOUT, now);
    if (g->asked && now >= g->answer_by) {
        g->asked = false;
        if (++g->misses >= MISSES_MAX)
            fault(g, GRBL_VOID_MUTE, now);
        else
            grbl_ask(g, now);
    }
    if (now >= g->next_ask)
        grbl_ask(g, now);
}

void grbl_process(struct grbl *g, int64_t now_ns, short revents)
{
    if (g->link != GRBL_LINK_DOWN && revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
        receive(g, now_ns);
    flush(g, now_ns);
    expire(g, now_ns);
}

int64_t grbl_deadline(const struct grbl *g)
{
    if (g->link == GRBL_LINK_DOWN)
        return g->next_open;
    int64_t due = line_deadline(g);
    if (g->resetting && g->next_reset < due)
        due = g->next_reset;
    if (g->link == GRBL_LINK_READING && g->next_read < due)
        due = g->next_read;
    if (g->asked && g->answer_by < due)
        due = g->answer_by;
    if (!g->asked && !g->resetting && g->link == GRBL_LINK_READY && g->pace != GRBL_PACE_SILENT &&
        g->next_ask < due)
        due = g->next_ask;
    return due;
}

short grbl_events_wanted(const struct grbl *g)
{
    if (g->link == GRBL_LINK_DOWN)
        return 0;
    const struct line *last = &g->queue[(g->head + g->begun + GRBL_QUEUE - 1) % GRBL_QUEUE];
    bool stuck = g->rt_count || (g->begun && g->written < last->length);
    return stuck ? POLLIN | POLLOUT : POLLIN;
}

int grbl_new(const struct grbl_options *options, struct transport *transport, int64_t now_ns,
             struct grbl **ret)
{
    struct grbl *g = calloc(1, sizeof *g);
    if (!g)
        return -ENOMEM;
    g->options = *options;
    g->transport = transport;
    g->report_size = REPORT_TYPICAL;
    g->next_read = INT64_MAX;
    g->open_wait = open_wait_first;
    g->machine.planner_blocks = 15;
    g->machine.rx_bytes = 128;
    g->link = GRBL_LINK_DOWN;
    if (transport_fd(transport) >= 0) {
        // No callback: the caller does not have its object yet. It reads grbl_link() after this.
        g->link = GRBL_LINK_STARTING;
        opened(g, now_ns);
    } else {
        g->next_open = now_ns;
    }
    *ret = g;
    return 0;
}

struct grbl *grbl_free(struct grbl *g)
{
    free(g);
    return NULL;
}

int grbl_fd(const struct grbl *g)
{
    return g->link == GRBL_LINK_DOWN ? -1 : transport_fd(g->transport);
}

enum grbl_link grbl_link(const struct grbl *g)
{
    return g->link;
}

const struct grbl_machine *grbl_machine(const struct grbl *g)
{
    return &g->machine;
}

const struct grbl_counts *grbl_counts(const struct grbl *g)
{
    return &g->counts;
}

const struct grbl_status *grbl_last_status(const struct grbl *g)
{
    return &g->status;
}

bool grbl_setting(const struct grbl *g, int number, double *ret)
{
    if (number < 0 || number >= GRBL_SETTINGS || !g->has_setting[number])
        return false;
    *ret = g->setting[number];
    return true;
}

int grbl_pending(const struct grbl *g)
{
    return g->count;
}

const char *grbl_last_trouble(const struct grbl *g)
{
    return g->trouble;
}
