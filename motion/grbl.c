#include "motion/grbl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/grbl_impl.h"

enum {
    RESETS_MAX = 12,     // 0x18 without a banner before the port is given up
    ASK_NAME_EVERY = 3,  // resets without a banner: Marlin tells its name, but takes no 0x18
    MISSES_MAX = 3,      // status questions in a row without an answer
    REPORT_TYPICAL = 64, // bytes of a report before one was seen
    BAUD_TYPICAL = 115200,
};

static const int64_t banner_wait = 2500 * MS; // an Arduino's boot loader takes 1 to 2 s
static const int64_t reset_every = 600 * MS;  // GRBL discards 0x18 for 500 ms after an alarm
static const int64_t open_wait_last = 10 * SECOND;

const char *grbl_link_name(enum grbl_link link)
{
    static const char *const names[] = {"down", "starting", "reading settings", "ready"};
    return (unsigned)link < sizeof names / sizeof *names ? names[link] : "?";
}

void grbl_set_link(struct grbl *g, enum grbl_link link, int64_t now)
{
    if (g->link == link)
        return;
    g->link = link;
    if (g->options.events.link)
        g->options.events.link(g->options.user, link, now);
}

void grbl_void_epoch(struct grbl *g, enum grbl_void_reason reason, int number, int64_t now)
{
    grbl_drop_lines(g);
    g->asked = false;
    g->misses = 0;
    if (g->options.events.voided)
        g->options.events.voided(g->options.user, reason, number, now);
}

void grbl_note(struct grbl *g, const char *text, int64_t now)
{
    g->standing_said = true;
    if (strcmp(text, g->standing) == 0)
        return;
    snprintf(g->standing, sizeof g->standing, "%s", text);
    if (g->options.events.message)
        g->options.events.message(g->options.user, g->standing, now);
}

void grbl_forget_note(struct grbl *g)
{
    g->standing[0] = '\0';
    g->standing_said = false;
}

void grbl_await_banner(struct grbl *g, int64_t first, int64_t now)
{
    g->resetting = true;
    g->reset_tries = 0;
    g->resend = g->synced = false;
    g->refusal = 0;
    g->next_reset = first;
    g->asked = false;
    grbl_set_link(g, GRBL_LINK_STARTING, now);
}

void grbl_await_again(struct grbl *g, int64_t now)
{
    const int tries = g->reset_tries;
    grbl_await_banner(g, now + reset_every, now);
    g->reset_tries = tries;
}

static void opened(struct grbl *g, int64_t now)
{
    g->rx_length = 0;
    g->rx_overlong = false;
    g->rt_count = 0;
    grbl_drop_lines(g);
    g->trouble[0] = '\0';
    g->dialect = g->options.dialect ? g->options.dialect : &dialect_grbl;
    grbl_await_banner(g, now + banner_wait, now);
}

void grbl_lost(struct grbl *g, const char *why, int64_t now)
{
    if (g->link == GRBL_LINK_DOWN)
        return;
    transport_hang_up(g->transport);
    g->trouble[0] = '\0';
    if (why)
        snprintf(g->trouble, sizeof g->trouble,
                 "The plotter on %s is gone: %s. It is opened again as soon as it is back.",
                 g->transport->name, why);
    g->link = GRBL_LINK_DOWN; // before the callback: nothing may be sent from it
    g->resetting = false;
    g->rt_count = 0;
    g->next_open = now + g->open_wait;
    grbl_void_epoch(g, GRBL_VOID_LOST, 0, now);
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

// It opens but does not get ready, however often it is reset. What to look at differs.
static void explain_silence(struct grbl *g, int64_t now)
{
    const struct transport *t = g->transport;
    const int baud = g->options.baud ? g->options.baud : BAUD_TYPICAL;
    char text[sizeof g->standing];
    if (g->standing_said)
        return;
    if (g->counts.banners > 0)
        snprintf(text, sizeof text,
                 "The plotter on %s answers nothing any more, not even a reset. Is it switched on? "
                 "It is tried again and again.",
                 t->name);
    else if (t->bytes_read > 0)
        snprintf(text, sizeof text,
                 "What comes from the plotter on %s makes no sense: is %d baud (serial.baud) its "
                 "speed? Grbl's is 115200. It is tried again and again.",
                 t->name, baud);
    else
        snprintf(
            text, sizeof text,
            "Nothing comes from %s: is the plotter switched on, is that its port (serial.port), "
            "and is %d baud (serial.baud) its speed? It is tried again and again.",
            t->name, baud);
    grbl_note(g, text, now);
    g->standing_said = false;
}

static void send_reset(struct grbl *g, int64_t now)
{
    if (++g->reset_tries > RESETS_MAX) {
        // One that opens but never speaks is tried less and less often, too.
        g->open_wait = g->open_wait * 2 < open_wait_last ? g->open_wait * 2 : open_wait_last;
        explain_silence(g, now);
        grbl_lost(g, NULL, now);
        return;
    }
    g->next_reset = now + reset_every;
    g->counts.resets++;
    // To Grbl, which is reset before and after, the question is an error that nobody waits for.
    if (!g->options.dialect && g->dialect == &dialect_grbl && g->reset_tries % ASK_NAME_EVERY == 0)
        grbl_push_rt(g, "\nM115\n");
    else
        grbl_push_reset(g);
    grbl_flush_rt(g, now);
}

// ---- time --------------------------------------------------------------------------------------

// Stop first, think afterwards: what is in the firmware's planner goes on otherwise.
static void reset(struct grbl *g, bool hold_first, enum grbl_void_reason reason, int64_t now)
{
    g->rt_count = 0;
    if (hold_first && g->dialect->hold)
        grbl_push_rt(g, g->dialect->hold);
    grbl_push_reset(g);
    g->counts.resets++;
    grbl_flush_rt(g, now);
    if (g->link == GRBL_LINK_DOWN)
        return; // found gone while writing, and told so
    grbl_void_epoch(g, reason, 0, now);
    if (g->link != GRBL_LINK_DOWN)
        grbl_await_banner(g, now + reset_every, now);
}

void grbl_reset(struct grbl *g, bool hold_first, int64_t now_ns)
{
    if (g->link != GRBL_LINK_DOWN)
        reset(g, hold_first, GRBL_VOID_RESET, now_ns);
}

static int64_t line_deadline(const struct grbl *g)
{
    const struct grbl_line *first = &g->queue[g->head];
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
        grbl_read_settings(g, now);
    if (now >= line_deadline(g))
        reset(g, true, GRBL_VOID_TIMEOUT, now);
    if (g->asked && now >= g->answer_by) {
        g->asked = false;
        if (++g->misses >= MISSES_MAX)
            reset(g, true, GRBL_VOID_MUTE, now);
        else
            grbl_ask(g, now);
    }
    if (now >= g->next_ask)
        grbl_ask(g, now);
}

void grbl_process(struct grbl *g, int64_t now_ns, short revents)
{
    if (g->link != GRBL_LINK_DOWN && revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
        grbl_receive(g, now_ns);
    grbl_flush(g, now_ns);
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
    const struct grbl_line *last = &g->queue[(g->head + g->begun + GRBL_QUEUE - 1) % GRBL_QUEUE];
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
    g->dialect = options->dialect ? options->dialect : &dialect_grbl; // until it has spoken
    g->transport = transport;
    g->report_size = REPORT_TYPICAL;
    g->next_read = INT64_MAX;
    g->open_wait = GRBL_OPEN_WAIT;
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

const struct dialect *grbl_dialect(const struct grbl *g)
{
    return g->dialect;
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
    return g->trouble[0] ? g->trouble : g->standing;
}
