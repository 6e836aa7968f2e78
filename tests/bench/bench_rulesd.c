// How fast the rules daemon answers, over its real socket: pipelined on one connection, one request
// at a time, plays that reach the disk, restart, and memory.
//
// Prints name, median, spread (half the distance between the quartiles) and unit.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../system/rulesd_daemon.h"
#include "config/base/clock.h"
#include "config/base/rng.h"
#include "rules/daemon/journal.h"
#include "rules/daemon/writer.h"

enum {
    ROUNDS = 7,
    PIPELINED = 60000, // requests in one round
    SINGLE = 10000,
    PLAYED = 2000,
    JOURNAL_MOVES = 100000,
    OPEN_GAMES = 1000,
    WINDOW = 128 * 1024, // bytes under way
};

static void give_up(const char *what)
{
    fprintf(stderr, "bench_rulesd: %s\n", what);
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, double *values, size_t count, const char *unit)
{
    qsort(values, count, sizeof *values, by_value);
    double spread = (values[count * 3 / 4] - values[count / 4]) / 2;
    printf("%s\t%.6g\t%.2g\t%s\n", name, values[count / 2], spread, unit);
    fflush(stdout);
}

// A position of `stones` random stones, with a move on an empty point.
static void put_position_check(struct writer *w, struct rng *rng, unsigned stones, int id)
{
    bool used[361] = {false};
    writer_format(w,
                  "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"position.check\",\"params\":{"
                  "\"variant\":\"pente\",\"setup\":{\"ply\":%u,\"stones\":[",
                  id, stones & ~1u);
    for (unsigned i = 0; i <= stones; i++) {
        unsigned at;
        do
            at = rng_below(rng, 361);
        while (used[at]);
        used[at] = true;
        if (i == stones)
            writer_format(w, "]},\"move\":[1,%u,%u]}}\n", at % 19, at / 19);
        else
            writer_format(w, "%s[%u,%u,%u]", i ? "," : "", i % 2 + 1, at % 19, at / 19);
    }
}

static size_t count_lines(const char *data, size_t size)
{
    size_t n = 0;
    for (const char *p = data; (p = memchr(p, '\n', (size_t)(data + size - p))); p++)
        n++;
    return n;
}

// Sends all requests with a bounded window and waits for as many replies.
static void run_pipeline(int fd, const char *data, size_t size, size_t replies)
{
    static char buffer[256 * 1024];
    size_t sent = 0;
    while (replies > 0) {
        if (sent < size) {
            size_t piece = size - sent < WINDOW ? size - sent : WINDOW;
            ssize_t n = send(fd, data + sent, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (n > 0)
                sent += (size_t)n;
        }
        ssize_t n = recv(fd, buffer, sizeof buffer, 0);
        if (n <= 0)
            give_up("the daemon hung up");
        replies -= count_lines(buffer, (size_t)n);
    }
}

// Processor time the daemon has used: what a rate is worth on a machine that others use as well.
static int64_t daemon_cpu_ns(const struct daemon *daemon)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(daemon->pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
        give_up("no processor time of the daemon");
    return used.tv_sec * NS_PER_S + used.tv_nsec;
}

static void bench_pipelined(const struct daemon *daemon)
{
    struct rng rng;
    struct writer w = {0};
    rng_seed(&rng, 1);
    for (int i = 0; i < PIPELINED; i++)
        put_position_check(&w, &rng, 10 + rng_below(&rng, 20), i);
    int fd = daemon_connect(daemon);
    double rates[ROUNDS], cpu_rates[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t begin = clock_monotonic_ns(), cpu_begin = daemon_cpu_ns(daemon);
        run_pipeline(fd, w.data, w.size, PIPELINED);
        rates[round] = PIPELINED * 1e9 / (double)(clock_monotonic_ns() - begin);
        cpu_rates[round] = PIPELINED * 1e9 / (double)(daemon_cpu_ns(daemon) - cpu_begin);
    }
    close(fd);
    writer_clear(&w);
    report("rulesd_position_check_pipelined", rates, ROUNDS, "requests/s");
    report("rulesd_position_check_pipelined_cpu", cpu_rates, ROUNDS, "requests/s of processor");
}

static void bench_single(const struct daemon *daemon)
{
    struct rng rng;
    struct writer w = {0};
    rng_seed(&rng, 2);
    int fd = daemon_connect(daemon);
    static double times[SINGLE];
    double medians[ROUNDS], tails[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SINGLE; i++) {
            writer_cut(&w, 0);
            put_position_check(&w, &rng, 10 + rng_below(&rng, 20), i);
            int64_t begin = clock_monotonic_ns();
            run_pipeline(fd, w.data, w.size, 1);
            times[i] = (double)(clock_monotonic_ns() - begin) / 1e6;
        }
        qsort(times, SINGLE, sizeof *times, by_value);
        medians[round] = times[SINGLE / 2];
        tails[round] = times[SINGLE * 99 / 100];
    }
    close(fd);
    writer_clear(&w);
    report("rulesd_position_check_p50", medians, ROUNDS, "ms");
    report("rulesd_position_check_p99", tails, ROUNDS, "ms");
}

static void must(struct rules_client *client, const char *method, json_t *params)
{
    struct error err;
    if (rules_client_call_wait(client, method, params, 10000, NULL, &err) < 0)
        give_up(err.text);
}

// Plays of two points far apart, each on the disk before its reply.
static void bench_play(const struct daemon *daemon)
{
    struct rules_client *client = daemon_client(daemon);
    double rates[ROUNDS], times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        must(client, "game.new", json_pack("{s:s}", "variant", "pente-free"));
        char game[16];
        snprintf(game, sizeof game, "g%d", round + 1);
        int64_t begin = clock_monotonic_ns();
        for (int i = 0; i < 100; i++) // one at a time
            must(client, i % 2 ? "game.undo" : "game.play",
                 json_pack("{s:s,s:s}", "game", game, "move", "A1"));
        times[round] = (double)(clock_monotonic_ns() - begin) / 100 / 1e6;
        begin = clock_monotonic_ns();
        for (int i = 0; i < PLAYED; i++)
            rules_client_call(client, i % 2 ? "game.undo" : "game.play",
                              json_pack("{s:s,s:s}", "game", game, "move", "A1"), NULL, NULL);
        if (rules_client_wait(client, 60000) < 0)
            give_up("no answer");
        rates[round] = PLAYED * 1e9 / (double)(clock_monotonic_ns() - begin);
    }
    rules_client_free(client);
    report("rulesd_play_on_disk", times, ROUNDS, "ms");
    report("rulesd_play_on_disk_pipelined", rates, ROUNDS, "requests/s");
}

// ---- a long journal

// The i-th move of a game without captures and without five in a row: colours in pairs of columns,
// shifted from row to row.
static void put_quiet_move(char *buf, size_t size, int i)
{
    int at = i * 2 % 361 + (i * 2 >= 361); // every other point, then the rest
    at = (int)((unsigned)at * 7u % 361u);
    snprintf(buf, size, "%c%d", "ABCDEFGHJKLMNOPQRST"[at % 19], at / 19 + 1);
}

static void write_journal(const char *folder, int games, int moves_a_game)
{
    char path[160];
    static char line[1024];
    snprintf(path, sizeof path, "%s/" JOURNAL_FILE, folder);
    FILE *file = fopen(path, "w");
    if (!file)
        give_up(path);
    int64_t seq = 0;
    char members[256];
    for (int g = 1; g <= games; g++) {
        int n = snprintf(members, sizeof members,
                         "\"do\":\"new\",\"game\":\"g%d\",\"variant\":\"pente-free\","
                         "\"options\":{\"capture\":\"none\",\"goal\":\"none\",\"win_len\":19}",
                         g);
        n = journal_line_format(line, sizeof line, seq + 1, seq, members, (size_t)n);
        fwrite(line, 1, (size_t)n, file);
        seq++;
    }
    for (int i = 0; i < moves_a_game; i++)
        for (int g = 1; g <= games; g++, seq++) { // all games side by side
            char move[8];
            put_quiet_move(move, sizeof move, i);
            int n =
                snprintf(members, sizeof members,
                         "\"do\":\"play\",\"game\":\"g%d\",\"ply\":%d,\"move\":\"%s\"", g, i, move);
            n = journal_line_format(line, sizeof line, seq + 1, seq, members, (size_t)n);
            fwrite(line, 1, (size_t)n, file);
        }
    fclose(file);
}

static double memory_mib(pid_t pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    double kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %lf kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib / 1024;
}

static void check_games(const struct daemon *daemon)
{
    struct rules_client *client = daemon_client(daemon);
    json_t *state;
    struct error err;
    for (int g = 1; g <= OPEN_GAMES; g++) { // every position worked out once
        char game[16];
        snprintf(game, sizeof game, "g%d", g);
        if (rules_client_call_wait(client, "game.state", json_pack("{s:s}", "game", game), 10000,
                                   &state, &err) < 0)
            give_up(err.text);
        if (json_integer_value(json_object_get(state, "ply")) != JOURNAL_MOVES / OPEN_GAMES ||
            json_object_get(state, "damage"))
            give_up("a game came back wrong");
        json_decref(state);
    }
    rules_client_free(client);
}

static void bench_restart(struct daemon *daemon)
{
    daemon_stop(daemon, SIGTERM);
    write_journal(daemon->state, OPEN_GAMES, JOURNAL_MOVES / OPEN_GAMES);
    double times[ROUNDS], sizes[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t begin = clock_monotonic_ns();
        if (!daemon_start(daemon))
            give_up("the daemon does not start");
        times[round] = (double)(clock_monotonic_ns() - begin) / 1e9;
        check_games(daemon);
        sizes[round] = memory_mib(daemon->pid);
        daemon_stop(daemon, SIGTERM);
    }
    report("rulesd_restart_100000_moves", times, ROUNDS, "s");
    report("rulesd_memory_1000_games", sizes, ROUNDS, "MiB");
}

int main(void)
{
    struct daemon daemon;
    daemon_new(&daemon, false);
    if (!daemon_start(&daemon))
        give_up("the daemon does not start");
    bench_pipelined(&daemon);
    bench_single(&daemon);
    bench_play(&daemon);
    bench_restart(&daemon);
    daemon_free(&daemon);
    return 0;
}
