#include "controller/player_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/child.h"
#include "controller/gtp.h"
#include "rules/notation.h"

static const int64_t ANSWER_NS = 15 * NS_PER_S; // for a command that needs no thinking
static const int64_t THINK_NS = 120 * NS_PER_S; // beyond the time it was given

struct engine {
    struct loop *loop;
    struct player_events events;
    unsigned seat;
    char program[CHILD_PATH_MAX];
    char words[ENGINE_COMMAND_MAX]; // of a foreign command, cut at blanks
    char numbers[5][24];            // arguments of our own engine
    const char *argv[ENGINE_ARGS_MAX];
    double move_time;
    bool foreign;  // a command of somebody else's
    bool stranger; // … that speaks GTP itself and may know nothing of our additions to it
    char name[64]; // of the program, for messages
    struct gtp *gtp;
    struct loop_source *later; // starts and failures come from the loop, not from within a call
    struct game game;          // as the program should know it
    struct game sent;          // as it does know it
    bool synced;               // `sent` holds
    bool want_move;            // it is its turn
    int asked;                 // genmoves under way; only the answer to the last counts
    bool thinking;             // … and only if it was not stopped
    bool failed;
    struct error error;
};

static void fail(struct engine *e, int number, const char *text)
{
    if (e->failed)
        return;
    error_set_code(&e->error, number, "EngineFailed", "%s", text);
    e->failed = true;
    e->synced = false;
    loop_source_set_due(e->later, 0);
}

static void on_command(void *user, int status, const char *text)
{
    struct engine *e = user;
    if (status == 0 || e->failed)
        return;
    char sentence[ERROR_TEXT_MAX];
    snprintf(sentence, sizeof sentence, "%s does not understand the game: %s", e->name, text);
    fail(e, status, status == -EPROTO ? sentence : text);
}

static void on_genmove(void *user, int status, const char *text)
{
    struct engine *e = user;
    if (--e->asked > 0 || !e->thinking || e->failed)
        return;
    e->thinking = false;
    if (status < 0) {
        fail(e, status, text);
        return;
    }
    struct move move;
    char sentence[ERROR_TEXT_MAX], why[256];
    if (!move_parse(&e->game.rules, text, strlen(text), &move)) {
        snprintf(sentence, sizeof sentence, "%s answered \"%.40s\", which is no move.", e->name,
                 text);
        fail(e, -EPROTO, sentence);
        return;
    }
    struct effect effect;
    if (move.kind != MOVE_RESIGN && move.kind != MOVE_DRAW &&
        game_check(&e->game, move, &effect) != REASON_NONE) {
        snprintf(sentence, sizeof sentence, "%s wants to play %.40s, which is not allowed: %s",
                 e->name, text, reason_explain(effect.reason, &e->game, &move, why, sizeof why));
        fail(e, -EPROTO, sentence);
        return;
    }
    e->want_move = false;
    if (move.kind != MOVE_RESIGN && move.kind != MOVE_DRAW)
        game_play(&e->sent, move, NULL); // the program has played it on its own board
    e->events.move(e->events.user, e->seat, move);
}

static const char *gtp_colour(unsigned colour)
{
    static const char *const names[] = {"", "b", "w", "3", "4"};
    return names[colour];
}

static void send_all(struct engine *e, int64_t timeout, gtp_reply_fn *fn, const char *line)
{
    if (gtp_send(e->gtp, timeout, fn, e, "%s", line) < 0)
        fail(e, -EPIPE, "the engine takes no more commands.");
}

static bool same_entry(const struct game *a, const struct game *b, size_t i)
{
    return move_equal(game_move(a, i), game_move(b, i));
}

// The game, with the fields that house rules change; titles are for people.
static void send_rules(struct engine *e)
{
    const struct variant *rules = &e->game.rules;
    char line[VARIANT_TEXT_MAX + 32], value[VARIANT_VALUE_MAX];
    int used = snprintf(line, sizeof line, "tessera-set_game %s", rules->name);
    for (size_t i = 0; i < variant_field_count() && used < (int)sizeof line; i++) {
        const char *field = variant_field_name(i);
        if (strcmp(field, "title") != 0 && strcmp(field, "source") != 0 &&
            variant_differs(rules, i, value, sizeof value))
            used += snprintf(line + used, sizeof line - (size_t)used, " %s=%s", field, value);
    }
    send_all(e, ANSWER_NS, e->stranger ? NULL : on_command, line);
}

// For a stranger who knows neither our games' names nor our way to tell the time, the board's size
// and the standard's way must do; a move against the rules will be noticed.
static void introduce_game(struct engine *e)
{
    char line[64];
    send_rules(e);
    if (e->stranger) {
        snprintf(line, sizeof line, "boardsize %d", e->game.rules.size);
        send_all(e, ANSWER_NS, on_command, line);
    }
    send_all(e, ANSWER_NS, on_command, "clear_board");
    if (e->move_time <= 0)
        return;
    if (e->stranger) {
        double seconds = e->move_time < 1 ? 1 : e->move_time; // the standard's are whole ones
        snprintf(line, sizeof line, "time_settings 0 %.0f 1", seconds);
        send_all(e, ANSWER_NS, NULL, line);
    }
    snprintf(line, sizeof line, "tessera-move_time %.0f", e->move_time * 1000);
    send_all(e, ANSWER_NS, e->stranger ? NULL : on_command, line);
}

// Brings the program from what it knows to the present position: takes back, then plays on.
static void sync_moves(struct engine *e)
{
    char line[64], text[MOVE_TEXT_MAX];
    size_t common = 0;
    if (e->synced && variant_same_rules(&e->sent.rules, &e->game.rules)) {
        while (common < e->sent.entries && common < e->game.entries &&
               same_entry(&e->sent, &e->game, common))
            common++;
        for (size_t i = common; i < e->sent.entries; i++)
            send_all(e, ANSWER_NS, on_command, "undo");
    } else {
        introduce_game(e);
    }
    for (size_t i = common; i < e->game.entries; i++) {
        struct move move = game_move(&e->game, i);
        snprintf(line, sizeof line, "play %s %s", gtp_colour(move.colour ? move.colour : 1),
                 move_format(&e->game.rules, move, text));
        send_all(e, ANSWER_NS, on_command, line);
    }
    e->sent = e->game;
    e->synced = true;
}

static void ask(struct engine *e)
{
    if (!e->gtp || !gtp_alive(e->gtp)) {
        struct error err;
        e->gtp = gtp_free(e->gtp);
        e->synced = false;
        if (gtp_start(e->loop, e->argv, &e->gtp, &err) < 0) {
            fail(e, err.number, err.text);
            return;
        }
        gtp_call(e->gtp, e->name);
    }
    sync_moves(e);
    char line[32];
    unsigned colour = game_next_colour(&e->game);
    snprintf(line, sizeof line, "genmove %s", gtp_colour(colour ? colour : 1));
    e->thinking = true;
    e->asked++;
    send_all(e, THINK_NS + (int64_t)(e->move_time * (double)NS_PER_S), on_genmove, line);
}

static void on_later(void *user, int64_t now)
{
    (void)now;
    struct engine *e = user;
    if (e->failed) {
        // The process goes: whatever state it is in, the next question starts a fresh one.
        bool tell = e->want_move;
        e->failed = e->thinking = e->want_move = false;
        e->asked = 0;
        e->gtp = gtp_free(e->gtp);
        if (tell) {
            e->events.failed(e->events.user, e->seat, &e->error);
        }
    } else if (e->want_move && !e->thinking) {
        ask(e);
    }
}

static int engine_begin(void *impl, const struct game *game, struct error *err)
{
    struct engine *e = impl;
    (void)err;
    e->game = *game;
    return 0;
}

static void engine_follow(void *impl, const struct game *game)
{
    struct engine *e = impl;
    e->game = *game;
}

static void engine_think(void *impl, const struct game *game)
{
    struct engine *e = impl;
    e->game = *game;
    e->want_move = true;
    loop_source_set_due(e->later, 0);
}

static void engine_stop(void *impl)
{
    struct engine *e = impl;
    e->want_move = e->thinking = false;
    e->synced = false;
}

static void engine_free(void *impl)
{
    struct engine *e = impl;
    gtp_free(e->gtp);
    loop_source_free(e->later);
    free(e);
}

static const struct player_ops engine_ops = {
    .begin = engine_begin,
    .follow = engine_follow,
    .think = engine_think,
    .stop = engine_stop,
    .free = engine_free,
};

// Our own engine gets what its options say; a foreign command is taken as it stands.
static int build_command(struct engine *e, const struct engine_options *o, struct error *err)
{
    int n = 0, r = child_find_program("tessera-engine", e->program, err);
    if (r < 0)
        return r;
    e->argv[n++] = e->program;
    if (e->foreign) {
        snprintf(e->words, sizeof e->words, "%s", o->command);
        e->argv[n++] = o->gomocup ? "--brain" : "sandbox";
        if (o->gomocup) {
            e->argv[n++] = e->words;
            return 0;
        }
        char *save = NULL;
        int before = n;
        for (char *w = strtok_r(e->words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
            if (n == ENGINE_ARGS_MAX - 1)
                return error_set(err, -E2BIG, "the engine's command has more than %d words.",
                                 ENGINE_ARGS_MAX - 1);
            e->argv[n++] = w;
        }
        return n > before ? 0 : error_set(err, -EINVAL, "the engine's command is empty.");
    }
    e->argv[n++] = "--gtp";
    const struct {
        const char *option;
        unsigned long long value;
    } numbers[] = {
        {"--level", (unsigned)o->level},
        {"--seed", o->seed},
        {"--threads", (unsigned)o->threads},
        {"--hash", (unsigned)o->hash},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!numbers[i].value)
            continue;
        snprintf(e->numbers[i], sizeof e->numbers[i], "%llu", numbers[i].value);
        e->argv[n++] = numbers[i].option;
        e->argv[n++] = e->numbers[i];
    }
    return 0;
}

// The file's name without its folder and arguments.
static void name_program(struct engine *e, const struct engine_options *o)
{
    const char *command = e->foreign ? o->command + strspn(o->command, " ") : "tessera-engine";
    size_t length = strcspn(command, " ");
    const char *slash = memrchr(command, '/', length), *name = slash ? slash + 1 : command;
    snprintf(e->name, sizeof e->name, "%.*s", (int)(command + length - name), name);
}

int player_engine_new(struct loop *loop, const struct engine_options *options, unsigned seat,
                      const struct player_events *events, struct player *ret, struct error *err)
{
    struct engine *e = calloc(1, sizeof *e);
    if (!e)
        return error_set(err, -ENOMEM, "out of memory");
    e->loop = loop;
    e->events = *events;
    e->seat = seat;
    e->move_time = options->move_time;
    e->foreign = options->command && options->command[0];
    e->stranger = e->foreign && !options->gomocup;
    name_program(e, options);
    int r = build_command(e, options, err);
    if (r == 0) {
        r = loop_add_timer(loop, INT64_MAX, on_later, e, &e->later);
        if (r < 0)
            error_set(err, r, "the engine can't be watched: %s.", strerror(-r));
    }
    if (r < 0) {
        engine_free(e);
        return r;
    }
    *ret = (struct player){.ops = &engine_ops, .impl = e};
    if (e->foreign)
        snprintf(ret->name, sizeof ret->name, "%.60s", e->name);
    else
        snprintf(ret->name, sizeof ret->name, "Tessera, level %d", options->level);
    return 0;
}
