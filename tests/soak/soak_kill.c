// soak_kill [COUNT [SEED]]: kills the rules daemon at COUNT random moments under load.
//
// Three clients play and take back, each in its own game, several requests ahead of the answers.
// After every SIGKILL the daemon is started again and each game is compared with what its client
// knows: everything that was answered must be there, once and in order; of what was sent but not
// answered, any number from the first on may be there. Then the whole tail is sent again, as a
// client would that lost its connection, and nothing may happen twice.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../system/rulesd_daemon.h"
#include "config/base/clock.h"
#include "config/base/io.h"
#include "config/base/rng.h"
#include "rules/daemon/journal.h"

enum {
    PLAYERS = 3,
    OPS_MAX = 600,   // then the client begins a new game
    AHEAD = 8,       // requests under way
    LOAD_US = 25000, // longest time between start of the load and the kill
    POINTS = 361,
};

#define PATIENCE_NS (20 * NS_PER_S)

struct op {
    int16_t point; // -1 = undo
    int16_t ply;   // before it
};

struct player {
    struct rules_client *client;
    char game[RULES_GAME_NAME_MAX];
    struct op ops[OPS_MAX];
    int sent, answered;
    int refused;
    bool lost;
    // The position after everything that was sent.
    int16_t stones[OPS_MAX];
    int stone_count;
    bool used[POINTS];
};

static struct player players[PLAYERS];
static struct rng rng;
static long total_answered, total_kept; // answered; sent, not answered and yet there

static _Noreturn void fail(const char *what, const char *detail)
{
    fprintf(stderr, "soak_kill: %s: %s\n", what, detail);
    exit(1);
}

static const char *point_name(int point, char buf[16])
{
    snprintf(buf, 16, "%c%d", "ABCDEFGHJKLMNOPQRST"[point % 19], point / 19 + 1);
    return buf;
}

// ---- load

static void apply(struct player *player, struct op op)
{
    if (op.point < 0) {
        player->used[player->stones[--player->stone_count]] = false;
    } else {
        player->stones[player->stone_count++] = op.point;
        player->used[op.point] = true;
    }
}

static void answered(void *user, const json_t *result, const struct error *err)
{
    struct player *player = user;
    if (result) {
        player->answered++;
        total_answered++;
    } else if (err->number == -ECONNRESET) {
        player->lost = true;
    } else {
        fail("a request was refused", err->text);
    }
}

static json_t *op_params(const struct player *player, struct op op)
{
    char name[16];
    if (op.point < 0)
        return json_pack("{s:s}", "game", player->game);
    return json_pack("{s:s,s:s,s:i}", "game", player->game, "move", point_name(op.point, name),
                     "ply", op.ply);
}

static struct op choose_op(const struct player *player)
{
    struct op op = {-1, (int16_t)player->stone_count};
    if (player->stone_count > 0 && rng_below(&rng, 8) == 0)
        return op;
    do
        op.point = (int16_t)rng_below(&rng, POINTS);
    while (player->used[op.point]);
    return op;
}

static void send_ops(struct player *player)
{
    while (player->sent < OPS_MAX && player->stone_count < POINTS - 1 &&
           player->sent - player->answered < AHEAD) {
        struct op op = choose_op(player);
        if (rules_client_call(player->client, op.point < 0 ? "game.undo" : "game.play",
                              op_params(player, op), answered, player) < 0)
            return;
        apply(player, op);
        player->ops[player->sent++] = op;
    }
}

static void begin_game(struct player *player)
{
    struct rules_client *client = player->client;
    json_t *state;
    struct error err;
    json_t *params = json_pack("{s:s,s:{s:s,s:s,s:i}}", "variant", "pente-free", "options",
                               "capture", "none", "goal", "none", "win_len", 19);
    if (rules_client_call_wait(client, "game.new", params, 20000, &state, &err) < 0)
        fail("no new game", err.text);
    memset(player, 0, sizeof *player);
    player->client = client;
    snprintf(player->game, sizeof player->game, "%s",
             json_string_value(json_object_get(state, "game")));
    json_decref(state);
}

// Until the daemon is gone and every answer that was on its way has been read.
static void play_until_killed(const struct daemon *daemon, int64_t kill_at)
{
    bool killed = false;
    int64_t end = clock_monotonic_ns() + PATIENCE_NS;
    for (int up = PLAYERS; up > 0;) {
        up = 0;
        for (int i = 0; i < PLAYERS; i++) {
            struct player *player = &players[i];
            if (!rules_client_is_up(player->client))
                continue;
            up++;
            if (!killed)
                send_ops(player);
            rules_client_process(player->client, clock_monotonic_ns());
        }
        int64_t now = clock_monotonic_ns();
        if (!killed && now >= kill_at) {
            kill(daemon->pid, SIGKILL);
            killed = true;
        }
        if (now > end)
            fail("the daemon is killed", "but its connections stay");
        usleep(50);
    }
}

// ---- judging

// Does the game stand as it stood after the first `count` operations?
static bool stands_at(const struct player *player, const json_t *moves, int count)
{
    static struct player model;
    memset(&model, 0, sizeof model);
    for (int i = 0; i < count; i++)
        apply(&model, player->ops[i]);
    if ((int)json_array_size(moves) != model.stone_count)
        return false;
    for (int i = 0; i < model.stone_count; i++) {
        char name[16];
        const char *move = json_string_value(json_array_get(moves, (size_t)i));
        if (!move || strcmp(move, point_name(model.stones[i], name)) != 0)
            return false;
    }
    return true;
}

static json_t *get_moves(const struct player *player)
{
    json_t *state;
    struct error err;
    if (rules_client_call_wait(player->client, "game.state",
                               json_pack("{s:s}", "game", player->game), 20000, &state, &err) < 0)
        fail("a game is gone", err.text);
    json_t *moves = json_incref(json_object_get(state, "moves"));
    json_decref(state);
    return moves;
}

// Sends again what had not been answered, as far as that is safe: plays, up to the first undo.
static void repeat_tail(struct player *player, int first)
{
    for (int i = first; i < player->sent && player->ops[i].point >= 0; i++) {
        struct error err;
        if (rules_client_call_wait(player->client, "game.play", op_params(player, player->ops[i]),
                                   20000, NULL, &err) < 0)
            fail("a repeated move was refused", err.text);
    }
}

static void judge(struct player *player)
{
    json_t *moves = get_moves(player);
    int stands = -1;
    for (int count = player->answered; count <= player->sent && stands < 0; count++)
        if (stands_at(player, moves, count))
            stands = count;
    json_decref(moves);
    if (stands < 0)
        fail(player->game, "an answered move was lost, doubled or changed");
    total_kept += stands - player->answered;
    int repeated = player->answered;
    while (repeated < player->sent && player->ops[repeated].point >= 0)
        repeated++;
    // What stands beyond an undo that was not answered cannot be sent again blindly.
    int expected = stands > repeated ? stands : repeated;
    if (stands <= repeated)
        repeat_tail(player, player->answered);
    moves = get_moves(player);
    if (!stands_at(player, moves, expected))
        fail(player->game, "sending moves again changed more than it should");
    json_decref(moves);
    int answered_now = expected;
    static struct player model;
    memset(&model, 0, sizeof model);
    for (int i = 0; i < answered_now; i++)
        apply(&model, player->ops[i]);
    player->sent = player->answered = answered_now;
    memcpy(player->stones, model.stones, sizeof model.stones);
    memcpy(player->used, model.used, sizeof model.used);
    player->stone_count = model.stone_count;
}

// Some kills leave a torn line only after a power cut; so the journal is also cut at random here.
static void try_a_prefix(const struct daemon *daemon)
{
    char path[160];
    char *data;
    size_t size;
    struct daemon other;
    snprintf(path, sizeof path, "%s/" JOURNAL_FILE, daemon->state);
    if (io_read_file(NULL, path, (size_t)1 << 30, &data, &size, NULL) < 0)
        fail(path, "cannot be read");
    daemon_new(&other, false);
    snprintf(path, sizeof path, "%s/" JOURNAL_FILE, other.state);
    io_make_folder(other.state, 0700, NULL);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    size_t cut = rng_below(&rng, (uint32_t)size + 1);
    if (fd < 0 || io_write_all(NULL, fd, data, cut) < 0)
        fail(path, "cannot be written");
    close(fd);
    free(data);
    if (!daemon_start(&other))
        fail("a journal", "cut at a random byte does not recover");
    daemon_free(&other);
}

static void one_round(struct daemon *daemon)
{
    if (!daemon_start(daemon))
        fail("the daemon", "does not start again");
    for (int i = 0; i < PLAYERS; i++) {
        struct player *player = &players[i];
        struct error err;
        int r = 0;
        if (!player->client)
            player->client = daemon_client(daemon);
        else
            r = rules_client_reconnect(player->client, &err);
        if (r < 0)
            fail("no connection", err.text);
        player->lost = false;
        if (player->game[0])
            judge(player);
        if (!player->game[0] || player->sent > OPS_MAX - 2 * AHEAD ||
            player->stone_count > POINTS - 3 * AHEAD)
            begin_game(player);
    }
    play_until_killed(daemon, clock_monotonic_ns() + rng_below(&rng, LOAD_US) * NS_PER_US);
    daemon_stop(daemon, SIGKILL);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)clock_realtime_ns();
    printf("soak_kill: %d kills, seed %llu\n", count, (unsigned long long)seed);
    fflush(stdout);
    rng_seed(&rng, seed);
    signal(SIGPIPE, SIG_IGN);
    struct daemon daemon;
    daemon_new(&daemon, false);
    for (int round = 0; round < count; round++) {
        one_round(&daemon);
        if (round % 50 == 7)
            try_a_prefix(&daemon);
    }
    if (!daemon_start(&daemon))
        fail("the daemon", "does not start again");
    for (int i = 0; i < PLAYERS && count > 0; i++) {
        rules_client_reconnect(players[i].client, NULL);
        judge(&players[i]);
        rules_client_free(players[i].client);
    }
    daemon_free(&daemon);
    printf("soak_kill: %d kills, %ld moves answered, none lost, none doubled; %ld more had been "
           "kept without an answer\n",
           count, total_answered, total_kept);
    if (count > 0 && total_answered == 0)
        fail("no move was answered", "nothing was tested");
    return 0;
}
