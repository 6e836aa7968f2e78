#include "controller/robot_log.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/base/json.h"
#include "rules/daemon/journal.h"

struct robot_log {
    struct journal *journal;
};

// The string member, cut to size; "" when there is none.
static void take_string(const json_t *line, const char *key, char *ret, size_t size)
{
    const char *text = "";
    json_member_string(line, key, &text, NULL);
    strncpy(ret, text, size - 1);
    ret[size - 1] = 0;
}

static void take_game(const json_t *line, struct robot_log_game *ret)
{
    int64_t number = 0;
    take_string(line, "game", ret->game, sizeof ret->game);
    take_string(line, "variant", ret->variant, sizeof ret->variant);
    if (json_member_int(line, "size", 0, BOARD_SIZE_MAX, &number, NULL) == 1)
        ret->size = (unsigned)number;
    if (json_member_int(line, "robot_seats", 0, (1 << SEATS_MAX) - 1, &number, NULL) == 1)
        ret->robot_seats = (unsigned)number;
    if (json_member_int(line, "level", 0, 10, &number, NULL) == 1)
        ret->level = (int)number;
    if (json_member_int(line, "seed", INT64_MIN, INT64_MAX, &number, NULL) == 1)
        ret->seed = (uint64_t)number;
    json_member_bool(line, "sim", &ret->sim, NULL);
    json_member_bool(line, "auto", &ret->automatic, NULL);
}

static void take_colour(const json_t *line, unsigned *ret)
{
    int64_t number = *ret;
    json_member_int(line, "colour", 0, COLOURS_MAX, &number, NULL);
    *ret = (unsigned)number;
}

static void take_undo(const json_t *line, struct robot_log_past *past)
{
    int64_t entries = 0;
    take_string(line, "pending", past->undo_pending, sizeof past->undo_pending);
    past->undo_open = json_member_int(line, "entries", 0, INT32_MAX, &entries, NULL) == 1;
    past->undo_entries = (unsigned)entries;
}

static void take_found(const json_t *line, struct robot_log_past *past)
{
    unsigned colour = 0;
    take_colour(line, &colour);
    past->fallen &= ~(1u << colour);
    take_string(line, "pending", past->pending, sizeof past->pending);
}

static int on_line(void *user, const char *text, size_t size, int64_t seq, struct error *err)
{
    (void)seq;
    struct robot_log_past *past = user;
    json_t *line;
    int r = json_read_text(text, size, NULL, &line, err);
    if (r < 0)
        return r;
    char what[16];
    take_string(line, "do", what, sizeof what);
    if (strcmp(what, "begin") == 0) {
        *past = (struct robot_log_past){.open = true};
        take_game(line, &past->game);
    } else if (strcmp(what, "end") == 0) {
        past->open = past->step_open = false;
    } else if (strcmp(what, "intent") == 0) {
        past->step_open = true;
        take_string(line, "step", past->step, sizeof past->step);
        json_member_bool(line, "held", &past->held, NULL);
        past->colour = 0;
        take_colour(line, &past->colour);
    } else if (strcmp(what, "done") == 0) {
        past->step_open = false;
        json_member_bool(line, "held", &past->held, NULL);
    } else if (strcmp(what, "fell") == 0) {
        past->step_open = false;
        json_member_bool(line, "held", &past->held, NULL);
        unsigned colour = past->colour;
        take_colour(line, &colour);
        past->fallen |= 1u << colour;
    } else if (strcmp(what, "found") == 0) {
        take_found(line, past);
    } else if (strcmp(what, "undo") == 0) {
        take_undo(line, past);
    } else if (strcmp(what, "refused") == 0) { // the undo
        past->undo_open = false;
    } else if (strcmp(what, "change") == 0) {
        take_string(line, "pending", past->pending, sizeof past->pending);
        past->undo_open = false;
        past->changed = past->pending[0] != 0;
    } else if (strcmp(what, "seen") == 0) {
        past->fallen = 0;
        past->changed = past->undo_open = false;
        past->pending[0] = 0;
    }
    json_decref(line);
    return 0;
}

static int refuse_second(const char *folder, struct error *err)
{
    return error_set_code(err, -EBUSY, "TableInUse",
                          "another tessera is playing with the state in %s; end that game, or give "
                          "this one a folder of its own with --state.",
                          folder);
}

bool robot_log_wait(const char *folder, int tries)
{
    enum { TRIES = 20, TRIES_LEFT_LOCKED = 200 };
    const struct timespec pause = {.tv_nsec = 50000000};
    if (tries >= (journal_left_locked(folder) ? TRIES_LEFT_LOCKED : TRIES))
        return false;
    nanosleep(&pause, NULL);
    return true;
}

int robot_log_look(const char *folder, struct robot_log_past *ret, struct error *err)
{
    struct robot_log_past past = {0};
    int r = journal_look(folder, on_line, &past, err);
    if (r == -EBUSY)
        return refuse_second(folder, err);
    if (r == 0)
        *ret = past;
    return r;
}

int robot_log_open(const char *folder, struct robot_log **ret, struct robot_log_past *ret_past,
                   struct error *err)
{
    struct robot_log *log = calloc(1, sizeof *log);
    if (!log)
        return error_set(err, -ENOMEM, "out of memory");
    struct robot_log_past past = {0};
    struct journal_report report;
    // What is lost here can be seen on the board: a damaged log must not keep anybody from playing.
    struct journal_settings settings = {.folder = folder, .salvage = true};
    int r = journal_open(&settings, on_line, &past, &log->journal, &report, err);
    if (r == -EBUSY)
        refuse_second(folder, err);
    if (r < 0) {
        free(log);
        return r;
    }
    past.torn = report.torn_bytes > 0;
    if (past.open && (past.held || past.step_open)) {
        past.fallen |= 1u << past.colour;
        r = robot_log_fell(log, past.colour, false, err);
    }
    if (r < 0) {
        robot_log_free(log);
        return r;
    }
    *ret_past = past;
    *ret = log;
    return 0;
}

struct robot_log *robot_log_free(struct robot_log *log)
{
    if (!log)
        return NULL;
    journal_free(log->journal);
    free(log);
    return NULL;
}

// Writes the object's members (it is stolen) and waits for the disk.
static int append(struct robot_log *log, json_t *object, struct error *err)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text)
        return error_set(err, -ENOMEM, "out of memory");
    int64_t seq;
    int r = journal_append(log->journal, text + 1, strlen(text) - 2, &seq); // without its braces
    free(text);
    if (r < 0)
        return error_set(err, r, "the robot's log can't be written: %s.", strerror(-r));
    return journal_commit(log->journal, err);
}

int robot_log_begin(struct robot_log *log, const struct robot_log_game *g, struct error *err)
{
    return append(log,
                  json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:b, s:b}", "do", "begin", "game",
                            g->game, "variant", g->variant, "size", (int)g->size, "robot_seats",
                            (int)g->robot_seats, "level", g->level, "seed", (json_int_t)g->seed,
                            "sim", g->sim, "auto", g->automatic),
                  err);
}

int robot_log_end(struct robot_log *log, struct error *err)
{
    return append(log, json_pack("{s:s}", "do", "end"), err);
}

int robot_log_intent(struct robot_log *log, const char *what, unsigned colour, bool held,
                     struct error *err)
{
    return append(log,
                  json_pack("{s:s, s:s, s:i, s:b}", "do", "intent", "step", what, "colour",
                            (int)colour, "held", held),
                  err);
}

int robot_log_done(struct robot_log *log, bool held, struct error *err)
{
    return append(log, json_pack("{s:s, s:b}", "do", "done", "held", held), err);
}

int robot_log_fell(struct robot_log *log, unsigned colour, bool held, struct error *err)
{
    return append(
        log, json_pack("{s:s, s:i, s:b}", "do", "fell", "colour", (int)colour, "held", held), err);
}

int robot_log_change(struct robot_log *log, const char *pending, struct error *err)
{
    return append(log, json_pack("{s:s, s:s}", "do", "change", "pending", pending), err);
}

int robot_log_found(struct robot_log *log, unsigned colour, const char *pending, struct error *err)
{
    return append(
        log, json_pack("{s:s, s:i, s:s}", "do", "found", "colour", (int)colour, "pending", pending),
        err);
}

int robot_log_undo(struct robot_log *log, unsigned entries, const char *pending, struct error *err)
{
    return append(log,
                  json_pack("{s:s, s:I, s:s}", "do", "undo", "entries", (json_int_t)entries,
                            "pending", pending),
                  err);
}

int robot_log_settle_undo(struct robot_log *log, struct robot_log_past *past, unsigned entries,
                          struct error *err)
{
    if (!past->undo_open)
        return 0;
    bool done = entries <= past->undo_entries;
    int r = done ? robot_log_change(log, past->undo_pending, err)
                 : append(log, json_pack("{s:s}", "do", "refused"), err);
    if (r < 0)
        return r;
    if (done) {
        memcpy(past->pending, past->undo_pending, sizeof past->pending);
        past->changed = past->pending[0] != 0;
    }
    past->undo_open = false;
    return 0;
}

int robot_log_seen(struct robot_log *log, struct error *err)
{
    return append(log, json_pack("{s:s}", "do", "seen"), err);
}
