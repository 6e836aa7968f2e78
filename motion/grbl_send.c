// Writing: real-time bytes ahead of everything, then lines, as many as the protocol allows.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "motion/grbl_impl.h"

enum {
    POLL_SHARE = 20, // at most 1/20 of the line for reports
};

static const int64_t answer_wait = 1000 * MS; // for one status report
static const int64_t ask_timeout = 3 * SECOND;

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

void grbl_push_rt(struct grbl *g, const char *bytes)
{
    for (; *bytes && g->rt_count < GRBL_RT_MAX; bytes++)
        g->rt[g->rt_count++] = *bytes;
}

// Only the answer to the newest one counts: older ones may still be on their way.
void grbl_push_reset(struct grbl *g)
{
    char number[12];
    const char *word = g->dialect->reset, *hole = strstr(word, "%u");
    g->synced = false;
    snprintf(number, sizeof number, "%u", ++g->sync);
    for (; *word; word++) {
        if (word != hole) {
            grbl_push_rt(g, (const char[]){*word, 0});
            continue;
        }
        grbl_push_rt(g, number);
        word++;
    }
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
    if (!g->options.count_window || g->dialect->numbered || g->link == GRBL_LINK_READING)
        return g->begun == 0;
    return g->in_flight + line->length < (size_t)g->machine.rx_bytes;
}

// "N12 G1 X5*97": the checksum is the exclusive or of all bytes before the '*'.
static void frame(struct grbl *g, struct grbl_line *line)
{
    char text[sizeof line->text];
    line->number = ++g->number;
    line->text[line->length - 1] = '\0';
    int n = snprintf(text, sizeof text, "N%u %s", line->number, line->text);
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= (unsigned char)text[i];
    line->length = (size_t)snprintf(line->text, sizeof line->text, "%.*s*%u\n",
                                    (int)sizeof text - 8, text, sum);
    g->resends = 0;
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
            if (g->dialect->numbered)
                frame(g, grbl_nth(g, g->begun));
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

int grbl_realtime(struct grbl *g, const char *bytes, int64_t now_ns)
{
    if (g->link == GRBL_LINK_DOWN)
        return -ENOTCONN;
    if (!bytes)
        return 0;
    grbl_push_rt(g, bytes);
    grbl_flush_rt(g, now_ns);
    return 0;
}

// Takes its turn among the lines, where nothing moves any more: only then is there an answer that
// means something. The line's own deadline watches over it.
static void ask_by_line(struct grbl *g, int64_t now)
{
    if (g->count || grbl_enqueue(g, g->dialect->ask, ask_timeout, 0, true) < 0)
        return;
    g->asked = true;
    g->answer_by = INT64_MAX;
    g->counts.polls++;
    grbl_flush(g, now);
}

void grbl_ask(struct grbl *g, int64_t now_ns)
{
    if (g->asked || g->resetting || g->link != GRBL_LINK_READY || g->pace == GRBL_PACE_SILENT)
        return;
    g->next_ask = now_ns + grbl_poll_interval(g);
    if (!g->dialect->asks_by_byte) {
        ask_by_line(g, now_ns);
        return;
    }
    g->asked = true;
    g->answer_by = now_ns + answer_wait;
    g->counts.polls++;
    grbl_push_rt(g, g->dialect->ask);
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
