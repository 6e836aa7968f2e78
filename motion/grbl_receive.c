// Reading: lines to replies, each to whom it concerns.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "motion/grbl_impl.h"
#include "motion/grbl_text.h"

enum {
    RESENDS_MAX = 10,   // of one line
    READS_A_CALL = 16,  // a firmware that floods must not keep the loop busy for ever
    READ_TRIES_MAX = 5, // $$ refused because the machine is not idle
};

static const int64_t own_reset_wait = 1000 * MS; // alarms after which the firmware resets itself
static const double mm_per_inch = 25.4;
static const int64_t setup_timeout = 3 * SECOND;
static const int64_t boot_wait = 300 * MS; // from Marlin's "start" until it reads lines

void grbl_read_settings(struct grbl *g, int64_t now)
{
    g->next_read = INT64_MAX;
    grbl_drop_lines(g);
    for (const char *const *word = g->dialect->introduce; *word; word++)
        grbl_enqueue(g, *word, setup_timeout, 0, true);
    grbl_flush(g, now);
}

// The firmware is at its beginning: what is known of it is asked anew.
static void greet(struct grbl *g, const char *text, int64_t now)
{
    g->resetting = g->synced = g->stoppable = false;
    g->read_tries = 0;
    g->number = 0;
    memset(&g->machine, 0, sizeof g->machine);
    memset(&g->status, 0, sizeof g->status);
    memset(g->has_setting, 0, sizeof g->has_setting);
    g->has_offset = false;
    g->machine.hal = strstr(text, "GrblHAL") != NULL;
    g->machine.planner_blocks = 15;
    g->machine.rx_bytes = 128;
    grbl_set_link(g, GRBL_LINK_READING, now);
    grbl_read_settings(g, now);
}

static void on_banner(struct grbl *g, const struct grbl_reply *reply, int64_t now)
{
    bool asked_for = g->resetting;
    g->counts.banners++;
    g->resetting = false;
    g->open_wait = GRBL_OPEN_WAIT; // it speaks
    if (!asked_for)
        grbl_void_epoch(g, GRBL_VOID_BANNER, 0, now);
    if (g->link == GRBL_LINK_DOWN || g->resetting)
        return; // the callback reset it
    if (g->dialect->numbered) {
        grbl_await_banner(g, now + boot_wait, now); // answers to older lines may still follow
    } else if (strstr(reply->text, "Grbl 0.")) {
        grbl_note(g,
                  "The plotter's firmware is too old: it reports otherwise than Grbl 1.1. Put Grbl "
                  "1.1h or grblHAL on its board.",
                  now);
        grbl_lost(g, NULL, now);
    } else {
        greet(g, reply->text, now);
    }
}

static double setting_or_zero(const struct grbl *g, int number)
{
    return g->has_setting[number] ? g->setting[number] : 0;
}

// Without these no motion can be planned or checked: a line lost on the way is asked for again.
static bool settings_complete(const struct grbl *g)
{
    static const int needed[] = {22, 100, 110, 120, 130};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        for (int k = 0; k < (needed[i] < 100 ? 1 : GRBL_AXES); k++) {
            if (!g->has_setting[needed[i] + k])
                return false;
        }
    }
    return true;
}

// Firmware that does not tell how it homes is expected to do it as most are built.
static void assume_homing(struct grbl *g)
{
    static const struct {
        int number;
        double value;
    } rows[] = {{22, 1}, {23, 3}, {27, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        g->setting[rows[i].number] = rows[i].value;
        g->has_setting[rows[i].number] = true;
    }
}

// grblHAL can keep single axes on ($37). Marlin's own time is minutes, and not in its settings.
static bool motors_hold(const struct grbl *g)
{
    enum { FOR_EVER = 255, ALL_AXES = 7 };
    return !g->has_setting[1] || g->setting[1] >= FOR_EVER ||
           (g->machine.hal && ((int)setting_or_zero(g, 37) & ALL_AXES) == ALL_AXES);
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
    m->motors_hold = motors_hold(g);
    m->laser = setting_or_zero(g, 32) != 0;
    m->report_mask = (int)setting_or_zero(g, 10);
    m->report_inches = setting_or_zero(g, 13) != 0;
    m->soft_limits = setting_or_zero(g, 20) != 0;
    m->hard_limits = setting_or_zero(g, 21) != 0;
    m->homing_enabled = ((int)setting_or_zero(g, 22) & 1) != 0;
    m->homing_mask = (int)setting_or_zero(g, 23);
    m->homing_feed = setting_or_zero(g, 24) / 60;
    m->homing_seek = setting_or_zero(g, 25) / 60;
    m->homing_pull_off = setting_or_zero(g, 27);
    g->next_ask = now;
    g->reset_tries = 0;
    g->trouble[0] = '\0';
    grbl_forget_note(g);
    grbl_set_link(g, GRBL_LINK_READY, now);
}

// ---- reading -----------------------------------------------------------------------------------

static void internal_reply(struct grbl *g, int error, int64_t now)
{
    if (g->link == GRBL_LINK_READY) {
        g->asked = false; // a question by line, and what it was to bring has come or not
        return;
    }
    if (!g->dialect->settings_all)
        assume_homing(g);
    if (error || (g->count == 0 && !settings_complete(g))) {
        // Not idle yet (error:8), or bytes were lost: once more, a little later.
        grbl_drop_lines(g);
        if (++g->read_tries > READ_TRIES_MAX)
            grbl_lost(g, "it does not tell its settings whole", now);
        else
            g->next_read = now + 500 * MS;
    } else if (g->count == 0 && g->dialect->numbered && !g->stoppable) {
        grbl_lost(g,
                  "its firmware was built without EMERGENCY_PARSER, so a stop would wait for the "
                  "motion before it",
                  now);
    } else if (g->count == 0) {
        settings_read(g, now);
    }
}

// A line with a broken checksum was thrown away; its ok says only that it can be sent anew.
static void send_again(struct grbl *g, int64_t now)
{
    struct grbl_line *line = grbl_nth(g, 0);
    g->resend = false;
    g->counts.resends++;
    g->written = 0;
    line->deadline = now + line->timeout;
    grbl_flush(g, now);
}

static void on_resend(struct grbl *g, int number, int64_t now)
{
    if (g->resetting || g->begun == 0)
        return;
    struct grbl_line *line = grbl_nth(g, 0);
    if (number != (int)line->number)
        line->deadline = now; // another one than was sent: as if it were never answered
    else if (++g->resends <= RESENDS_MAX)
        g->resend = true;
    else
        grbl_lost(g, "every line arrives there garbled; check the cable and the baud rate", now);
}

static void on_reply(struct grbl *g, int error, int64_t now)
{
    if (g->resetting && g->synced && !error) {
        g->open_wait = GRBL_OPEN_WAIT;
        greet(g, "", now);
        return;
    }
    bool whole = g->begun > 1 || (g->begun == 1 && g->written == grbl_nth(g, 0)->length);
    if (g->resetting || !whole) {
        g->counts.stray_oks++;
        return;
    }
    if (g->resend) {
        send_again(g, now);
        return;
    }
    if (!error)
        error = g->refusal;
    g->refusal = 0;
    if (error)
        g->counts.errors++;
    else
        g->counts.oks++;
    struct grbl_line done = *grbl_nth(g, 0);
    g->in_flight -= done.length;
    g->head = (g->head + 1) % GRBL_QUEUE;
    g->count--;
    g->begun--;
    if (done.internal)
        internal_reply(g, error, now);
    else if (g->options.events.reply)
        g->options.events.reply(g->options.user, done.tag, error, now);
    grbl_flush(g, now);
}

// Alarms after which GRBL resets itself and sends its banner unasked: reset in motion and all the
// homing failures. After the others it is mute until it gets 0x18.
static bool resets_itself(int alarm)
{
    return alarm == 3 || (alarm >= 6 && alarm <= 9);
}

static void note_alarm(struct grbl *g, int number, int64_t now)
{
    const struct grbl_text *t = grbl_alarm_text(number, g->machine.hal);
    char text[sizeof g->standing];
    snprintf(text, sizeof text, "The plotter stands in alarm %d (%s): %s %s", number, t->name,
             t->means, t->advice);
    grbl_note(g, text, now);
}

static void on_alarm(struct grbl *g, int number, int64_t now)
{
    const bool reading = g->link == GRBL_LINK_READING;
    g->counts.alarms++;
    if (number == 11 && reading)
        return; // grblHAL: "homing required", said at every start; nothing is lost by it
    if ((g->resetting || reading) && number != 3 && number != 11)
        note_alarm(g, number, now);
    if (g->resetting)
        return; // "ALARM:3" on the way to the banner that was asked for
    grbl_void_epoch(g, GRBL_VOID_ALARM, number, now);
    if (g->link == GRBL_LINK_DOWN || g->resetting)
        return;
    if (reading) // a pressed switch, a faulty motor: a reset at once would only find it again
        grbl_await_again(g, now);
    else
        grbl_await_banner(g, resets_itself(number) ? now + own_reset_wait : now, now);
}

static void on_status(struct grbl *g, struct grbl_status *s, size_t size, int64_t now)
{
    g->counts.reports++;
    g->report_size = size + 2;
    if (g->resetting || g->link != GRBL_LINK_READY)
        return;
    if (g->dialect->from_zero) {
        for (int i = 0; i < GRBL_AXES; i++) {
            double steps = g->machine.steps_per_mm[i];
            double at = s->has_steps && steps > 0 ? s->steps[i] / steps : s->work[i];
            s->machine[i] = at - g->machine.travel[i];
        }
        s->has_machine = true;
    }
    g->asked = false;
    g->misses = 0;
    if (g->machine.report_inches) {
        for (int i = 0; i < GRBL_AXES; i++) {
            s->machine[i] *= mm_per_inch;
            s->work[i] *= mm_per_inch;
            s->offset[i] *= mm_per_inch;
        }
        s->feed *= mm_per_inch;
    }
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

// What the firmware stands behind before it reads lines. Its other messages say nothing new.
static void note_message(struct grbl *g, const char *text, int64_t now)
{
    static const struct {
        const char *holds, *means;
    } rows[] = {
        {"Door", "The plotter's own door input is active. Shut the door or lid; where there is "
                 "none, check the wire of that input."},
        {"Limits", "A limit switch of the plotter is pressed. Free the arm by hand; if it stands "
                   "free, check the switches and $5."},
        {"mergency", "The plotter's own emergency stop is pressed. Release it."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strstr(text, rows[i].holds))
            grbl_note(g, rows[i].means, now);
    }
}

static void on_message(struct grbl *g, const struct grbl_reply *reply, int64_t now)
{
    const char *text = reply->text;
    if (g->link != GRBL_LINK_READY && strncmp(text, "[MSG:", 5) == 0)
        note_message(g, text, now);
    // GRBL says this right after its banner and at no other time: the banner itself was lost.
    if (g->link == GRBL_LINK_READY && strstr(text, "to unlock"))
        on_banner(g, reply, now);
    if (g->resetting && strstr(text, "Reset to continue"))
        g->next_reset = now; // now it will be heard
    // In its compatible mode grblHAL greets as Grbl does.
    if (g->link == GRBL_LINK_READING && strstr(text, "[FIRMWARE:grblHAL"))
        g->machine.hal = true;
}

static void take_axes(struct grbl *g, const struct grbl_reply *reply)
{
    const bool speed = reply->number == 110; // Marlin's are mm/s, GRBL's mm/min
    for (int i = 0; i < GRBL_AXES; i++) {
        g->setting[reply->number + i] = reply->value3[i] * (speed ? 60 : 1);
        g->has_setting[reply->number + i] = true;
    }
}

// Which firmware it is shows at its start: Grbl by its banner, Marlin by "start", and by its name
// where its board did not restart when the port was opened.
static void recognize(struct grbl *g, int64_t now)
{
    struct grbl_reply as_grbl, as_marlin;
    grbl_parse(g->rx, g->rx_length, &as_grbl);
    dialect_marlin_parse(g->rx, g->rx_length, &as_marlin);
    const struct dialect *heard = g->dialect;
    if (as_grbl.kind == GRBL_REPLY_BANNER)
        heard = &dialect_grbl;
    else if (as_marlin.kind == GRBL_REPLY_BANNER || strstr(as_marlin.text, "Marlin"))
        heard = &dialect_marlin;
    if (heard == g->dialect)
        return;
    g->dialect = heard;
    g->reset_tries = 0;
    g->next_reset = now + boot_wait;
}

static void take_line(struct grbl *g, int64_t now)
{
    struct grbl_reply reply;
    if (g->resetting && !g->options.dialect)
        recognize(g, now);
    g->dialect->parse(g->rx, g->rx_length, &reply);
    switch (reply.kind) {
    case GRBL_REPLY_NONE:
    case GRBL_REPLY_BUSY:
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
    case GRBL_REPLY_AXES:
        take_axes(g, &reply);
        break;
    case GRBL_REPLY_STOPPABLE:
        g->stoppable = reply.number != 0;
        break;
    case GRBL_REPLY_SYNC:
        g->synced = g->resetting && reply.number == (int)g->sync;
        break;
    case GRBL_REPLY_RESEND:
        on_resend(g, reply.number, now);
        break;
    case GRBL_REPLY_REFUSAL:
        g->refusal = g->begun ? reply.number : 0;
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

void grbl_receive(struct grbl *g, int64_t now)
{
    char buf[512];
    for (int i = 0; i < READS_A_CALL && g->link != GRBL_LINK_DOWN; i++) {
        ssize_t n = transport_read(g->transport, buf, sizeof buf);
        if (n == -EAGAIN)
            return;
        if (n < 0) {
            grbl_forget_note(g);
            grbl_lost(g, "it was unplugged or switched off", now);
            return;
        }
        take_bytes(g, buf, (size_t)n, now);
    }
}
