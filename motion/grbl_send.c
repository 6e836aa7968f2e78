// Writing: real-time bytes ahead of everything, then lines, as many as the protocol allows.
#include <errno.h>
#include <string.h>

#include "motion/grbl_impl.h"

enum {
    POLL_SHARE = 20, // at most 1/20 of the line for reports
};

static const int64_t answer_wait = 1000 * MS; // for one status report

struct grbl_line *grbl_nth(struct grbl *g, int i)
{
    return &g->queue[(g->head + i) % GRBL_QUEUE];
}

void grbl_drop_lines(struct grbl *g)
{
    g->head = g->count = g->begun = 0;
    g->written = g->in_flight = 0;
    g->paused = false;
}

int64_t grbl_poll_interval(const struct grbl *g)
{
    int64_t bytes_s = (g->options.baud ? g->options.baud : 115200) / 10;
    int64_t cheapest = (int64_t)(g->report_size + 1) * POLL_SHARE * SECOND / bytes_s;
    int64_t wanted = g->pace == GRBL_PACE_MOVING ? 200 * MS : 1000 * MS;
    return wanted > cheapest ? wanted : cheapest;
}

void grbl_push_rt(struct grbl *g, uint8_t byte)
{
    if (g->rt_count < GRBL_RT_MAX)
        g->rt[g->rt_count++] = byte;
}

// False: the line takes no more, or is gone.
static bool write_some(struct grbl *g, const void *data, size_t size, size_t *ret, int64_t now)
{
    ssize_t n = transport_write(g->transport, data, size);
    if (n == -EAGAIN)
        return false;
    if (n < 0) {
        grbl_lost(g, "writing failed", now);
        return false;
    }
    *ret = (size_t)n;
    return true;
}

bool grbl_flush_rt(struct grbl *g, int64_t now)
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
// decides it; `in_flight` grows only in grbl_flush() and shrinks only with a reply or a new epoch.
static bool may_begin(const struct grbl *g, const struct grbl_line *line)
{
    if (g->resetting || (g->link != GRBL_LINK_READY && g->link != GRBL_LINK_READING))
        return false;
    if (!g->options.count_window || g->link == GRBL_LINK_READING)
        return g->begun == 0;
    return g->in_flight + line->length < (size_t)g->machine.rx_bytes;
}

void grbl_flush(struct grbl *g, int64_t now)
{
    if (g->link == GRBL_LINK_DOWN || !grbl_flush_rt(g, now))
        return;
    while (g->count) {
        bool partial = g->begun && g->written < grbl_nth(g, g->begun - 1)->length;
        if (!partial) {
            if (g->begun == g->count || !may_begin(g, grbl_nth(g, g->begun)))
                return;
            g->in_flight += grbl_nth(g, g->begun)->length;
            if (g->in_flight > g->counts.peak_in_flight)
                g->counts.peak_in_flight = g->in_flight;
            g->begun++;
            g->written = 0;
            // Also for a line that never gets out whole.
            grbl_nth(g, g->begun - 1)->deadline = now + grbl_nth(g, g->begun - 1)->timeout;
        }
        struct grbl_line *line = grbl_nth(g, g->begun - 1);
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

int grbl_enqueue(struct grbl *g, const char *text, int64_t timeout, uint64_t tag, bool internal)
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
    struct grbl_line *line = grbl_nth(g, g->count++);
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
    int r = grbl_enqueue(g, text, timeout_ns, tag, false);
    if (r == 0)
        grbl_flush(g, now_ns);
    return r;
}

int grbl_realtime(struct grbl *g, uint8_t byte, int64_t now_ns)
{
    if (g->link == GRBL_LINK_DOWN)
        return -ENOTCONN;
    grbl_push_rt(g, byte);
    grbl_flush_rt(g, now_ns);
    return 0;
}

void grbl_ask(struct grbl *g, int64_t now_ns)
{
    if (g->asked || g->resetting || g->link != GRBL_LINK_READY || g->pace == GRBL_PACE_SILENT)
        return;
    g->asked = true;
    g->answer_by = now_ns + answer_wait;
    g->next_ask = now_ns + grbl_poll_interval(g);
    g->counts.polls++;
    grbl_push_rt(g, '?');
    grbl_flush_rt(g, now_ns);
}

void grbl_set_pace(struct grbl *g, enum grbl_pace pace, int64_t now_ns)
{
    if (g->pace == pace)
        return;
    g->pace = pace;
    g->misses = 0;
    if (pace == GRBL_PACE_SILENT)
        g->asked = false; // GRBL keeps the question and answers it late; nobody waits
    g->next_ask = now_ns + grbl_poll_interval(g);
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
        if (grbl_nth(g, i)->deadline != INT64_MAX)
            grbl_nth(g, i)->deadline += now_ns - g->paused_at;
    }
}
