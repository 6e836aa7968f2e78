#include "controller/referee.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"

enum { ATTEMPTS = 4 };
static const int64_t RETRY_NS = 500 * NS_PER_MS;

enum request_kind { NO_REQUEST, BEGIN, CONTINUE, PLAY, UNDO, RESIGN, DRAW, LOOK };

struct request {
    enum request_kind kind;
    char variant[VARIANT_TEXT_MAX];
    struct rules_player players[SEATS_MAX];
    unsigned count; // of players; plies to undo; side that resigns or offers
    struct move move;
    int ply;
    referee_fn *fn;
    void *user;
    int attempts;
    bool looking;      // the connection was lost: has it been done?
    struct error lost; // why the last attempt failed
};

struct referee {
    struct loop *loop;
    struct rules_client *client;
    struct loop_source *io, *timer, *retry;
    int fd; // what `io` watches
    bool holding;
    char name[RULES_GAME_NAME_MAX]; // of the game
    bool stale;                     // as of referee_stale()
    struct request request;
    struct rules_state state;
    struct game game;
};

// Watches what the client waits for; keeps virtual time still while an answer is due.
static void update(struct referee *r)
{
    int fd = rules_client_fd(r->client);
    if (fd != r->fd) {
        r->io = loop_source_free(r->io);
        r->fd = fd;
    }
    if (r->io)
        loop_source_set_events(r->io, rules_client_events(r->client));
    int64_t deadline = rules_client_deadline(r->client);
    loop_source_set_due(r->timer, deadline == INT64_MIN ? 0 : deadline);
    bool open = rules_client_is_up(r->client) && rules_client_open_calls(r->client) > 0;
    if (open && !r->holding)
        loop_hold(r->loop);
    if (!open && r->holding)
        loop_release(r->loop);
    r->holding = open;
}

static void process(struct referee *r);

static void on_io(void *user, int fd, uint32_t revents)
{
    (void)fd, (void)revents;
    process(user);
}

static void on_deadline(void *user, int64_t now)
{
    (void)now;
    process(user);
}

static void watch(struct referee *r)
{
    // What can be sent at once is: while an answer is due, timers of a virtual clock stand still.
    if (rules_client_deadline(r->client) == INT64_MIN)
        rules_client_process(r->client, loop_now(r->loop));
    update(r);
    if (r->fd >= 0 && !r->io &&
        loop_add_io(r->loop, r->fd, rules_client_events(r->client), on_io, r, &r->io) < 0)
        r->fd = -1;
}

static void process(struct referee *r)
{
    rules_client_process(r->client, loop_now(r->loop));
    watch(r);
}

// --- answers ---

static void answer(struct referee *r, const struct rules_effect *effect, const struct error *err)
{
    struct request done = r->request;
    r->request.kind = NO_REQUEST;
    // A refused move changes nothing; but that nothing can be taken back, or nobody resign any
    // more, is known here: refused, it tells of a game that somebody else has changed. Of any other
    // failure only the daemon's game tells how far it came.
    r->stale = err && (done.kind != PLAY || strcmp(err->code, "IllegalMove") != 0);
    done.fn(done.user, effect, err);
}

// Plays the daemon's moves through our own rules: both must come to the same board.
static int follow(struct referee *r, const struct rules_state *state, struct error *err)
{
    struct game *game = &r->game;
    r->state = *state;
    memcpy(r->name, state->game, sizeof r->name);
    game_init(game, &state->rules);
    for (unsigned i = 0; i < state->move_count; i++) {
        if (game_play(game, state->moves[i], NULL) != REASON_NONE)
            return error_set_code(
                err, -EPROTO, "RulesDiffer",
                "move %u of game %s is legal for the rules daemon and illegal for "
                "this program. They are of different versions: install both anew.",
                i + 1, state->game);
    }
    game->result = state->result; // resignation and agreement are not among the moves
    if (state->rules.family == FAMILY_PENTE && game_differences(game, state->board, NULL) > 0)
        return error_set_code(err, -EPROTO, "RulesDiffer",
                              "the rules daemon and this program disagree about the board of game "
                              "%s. They are of different versions: install both anew.",
                              state->game);
    return 0;
}

static void start(struct referee *r);

static void on_retry(void *user, int64_t now)
{
    (void)now;
    struct referee *r = user;
    if (r->request.kind == NO_REQUEST)
        return;
    struct error err;
    if (!rules_client_is_up(r->client) && rules_client_reconnect(r->client, &err) < 0) {
        r->request.lost = err;
        if (++r->request.attempts >= ATTEMPTS)
            answer(r, NULL, &r->request.lost);
        else
            loop_source_set_due(r->retry, loop_now(r->loop) + RETRY_NS);
        watch(r);
        return;
    }
    start(r);
}

// True when the failure is the connection's and the request will be tried again.
static bool try_again(struct referee *r, const struct error *err)
{
    bool lost = err->number == -ECONNRESET || err->number == -ETIMEDOUT || err->number == -ENOTCONN;
    // Taking back, resigning and offering a draw can't be repeated without looking first.
    bool safe = r->request.kind == BEGIN || r->request.kind == CONTINUE || r->request.kind == PLAY;
    if (!lost || ++r->request.attempts >= ATTEMPTS)
        return false;
    r->request.looking = !safe;
    loop_source_set_due(r->retry, loop_now(r->loop) + RETRY_NS);
    return true;
}

static void on_state(void *user, const struct rules_state *state, const struct error *err)
{
    struct referee *r = user;
    if (err && try_again(r, err))
        return;
    struct error differ;
    if (!err && follow(r, state, &differ) < 0)
        err = &differ;
    answer(r, NULL, err);
}

static bool is_done(const struct referee *r, const struct rules_state *state)
{
    const struct request *q = &r->request;
    if (q->kind == UNDO)
        return state->move_count < r->game.entries;
    return state->result.over || (q->kind == DRAW && state->draw_offers >> q->count & 1);
}

static void on_looked(void *user, const struct rules_state *state, const struct error *err)
{
    struct referee *r = user;
    if (!err && !is_done(r, state)) {
        r->request.looking = false;
        start(r);
        return;
    }
    on_state(r, state, err);
}

static bool is_refusal(const struct error *err)
{
    return strcmp(err->code, "IllegalMove") == 0 || strcmp(err->code, "NotYourTurn") == 0 ||
           strcmp(err->code, "WrongPly") == 0;
}

static void on_played(void *user, const struct rules_effect *effect,
                      const struct rules_state *state, const struct error *err)
{
    struct referee *r = user;
    if (err && try_again(r, err))
        return;
    struct error told;
    struct effect expected;
    bool allowed = game_check(&r->game, r->request.move, &expected) == REASON_NONE;
    if (!err && state && follow(r, state, &told) < 0)
        err = &told;
    if (!err && effect && effect->effect.reason != REASON_NONE) {
        error_set_code(&told, -EINVAL, "IllegalMove", "%s", effect->sentence);
        err = &told;
    }
    if (err && allowed && is_refusal(err)) {
        struct error refusal = *err;
        error_set_code(&told, refusal.number, "GameChanged", "%s", refusal.text);
        err = &told;
    }
    answer(r, effect, err);
}

// --- requests ---

static int start_game(struct referee *r)
{
    const struct request *q = &r->request;
    struct variant rules;
    struct error err;
    int result = variant_parse(&rules, q->variant, &err);
    if (result == 0)
        return rules_client_new_game(r->client, rules.name, rules_client_options(&rules),
                                     q->players, q->count, on_state, r);
    on_state(r, NULL, &err);
    return 0;
}

static void start(struct referee *r)
{
    struct request *q = &r->request;
    int result = 0;
    switch (q->looking ? LOOK : q->kind) {
    case NO_REQUEST:
        return;
    case BEGIN:
        result = start_game(r);
        break;
    case CONTINUE:
        result = rules_client_state(r->client, r->name, on_state, r);
        break;
    case PLAY:
        result =
            rules_client_play(r->client, r->name, &r->state.rules, q->move, q->ply, on_played, r);
        break;
    case UNDO:
        result = rules_client_undo(r->client, r->name, q->count, on_state, r);
        break;
    case LOOK:
        result = rules_client_state(r->client, r->name, on_looked, r);
        break;
    case RESIGN:
        result = rules_client_resign(r->client, r->name, q->count, on_state, r);
        break;
    case DRAW:
        result = rules_client_draw(r->client, r->name, q->count, on_state, r);
        break;
    }
    if (result < 0) {
        struct error err;
        error_set(&err, result, "the rules daemon can't be asked: %s.", strerror(-result));
        on_state(r, NULL, &err);
    }
    watch(r);
}

static int request(struct referee *r, const struct request *wanted)
{
    if (r->request.kind != NO_REQUEST)
        return -EBUSY;
    if (r->stale && wanted->kind != BEGIN && wanted->kind != CONTINUE)
        return -ESTALE;
    r->request = *wanted;
    // From the loop, so that no answer comes before the caller has returned.
    return loop_source_set_due(r->retry, 0);
}

int referee_begin(struct referee *r, const char *variant, const struct rules_player *players,
                  unsigned player_count, referee_fn *fn, void *user)
{
    struct request q = {.kind = BEGIN, .fn = fn, .user = user};
    if (player_count > SEATS_MAX || strlen(variant) >= sizeof q.variant)
        return -EINVAL;
    memcpy(q.variant, variant, strlen(variant) + 1);
    for (unsigned i = 0; i < player_count; i++)
        q.players[i] = players[i];
    q.count = player_count;
    return request(r, &q);
}

int referee_continue(struct referee *r, const char *game, referee_fn *fn, void *user)
{
    if (strlen(game) >= sizeof r->name)
        return -EINVAL;
    memcpy(r->name, game, strlen(game) + 1);
    return request(r, &(struct request){.kind = CONTINUE, .fn = fn, .user = user});
}

int referee_play(struct referee *r, struct move move, referee_fn *fn, void *user)
{
    return request(r, &(struct request){
                          .kind = PLAY, .move = move, .ply = r->state.ply, .fn = fn, .user = user});
}

int referee_undo(struct referee *r, unsigned plies, referee_fn *fn, void *user)
{
    return request(r, &(struct request){.kind = UNDO, .count = plies, .fn = fn, .user = user});
}

int referee_resign(struct referee *r, unsigned side, referee_fn *fn, void *user)
{
    return request(r, &(struct request){.kind = RESIGN, .count = side, .fn = fn, .user = user});
}

int referee_draw(struct referee *r, unsigned side, referee_fn *fn, void *user)
{
    return request(r, &(struct request){.kind = DRAW, .count = side, .fn = fn, .user = user});
}

bool referee_busy(const struct referee *r)
{
    return r->request.kind != NO_REQUEST;
}

bool referee_stale(const struct referee *r)
{
    return r->stale;
}

const struct game *referee_game(const struct referee *r)
{
    return &r->game;
}

const struct rules_state *referee_state(const struct referee *r)
{
    return &r->state;
}

int referee_new(struct loop *loop, const struct rules_client_settings *settings,
                struct referee **ret, struct error *err)
{
    struct referee *r = calloc(1, sizeof *r);
    if (!r)
        return error_set(err, -ENOMEM, "out of memory");
    r->loop = loop;
    r->fd = -1;
    int result = rules_client_open(settings, &r->client, err);
    if (result == 0) {
        result = loop_add_timer(loop, INT64_MAX, on_deadline, r, &r->timer);
        if (result == 0)
            result = loop_add_timer(loop, INT64_MAX, on_retry, r, &r->retry);
        if (result < 0)
            error_set(err, result, "the rules daemon can't be watched: %s.", strerror(-result));
    }
    if (result < 0) {
        referee_free(r);
        return result;
    }
    watch(r);
    *ret = r;
    return 0;
}

struct referee *referee_free(struct referee *r)
{
    if (!r)
        return NULL;
    if (r->holding)
        loop_release(r->loop);
    loop_source_free(r->io);
    loop_source_free(r->timer);
    loop_source_free(r->retry);
    rules_client_free(r->client);
    free(r);
    return NULL;
}
