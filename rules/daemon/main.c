// tessera-rulesd: the one authority on every game.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/log.h"
#include "rules/daemon/arena.h"
#include "rules/daemon/server.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
    const char *socket, *state;
    bool stdio, salvage;
    enum log_level level;
};

static const char usage[] =
    "Usage: tessera-rulesd --socket PATH --state DIR\n"
    "       tessera-rulesd --stdio [--state DIR]\n"
    "Judges every move of every game: JSON-RPC 2.0, one object a line.\n\n"
    "  --socket PATH  listen on a Unix socket (not needed when systemd hands one over)\n"
    "  --state DIR    keep the games in DIR; under systemd $STATE_DIRECTORY is used\n"
    "  --stdio        serve one client on standard input and output; ends with its input\n"
    "  --salvage      when the journal is damaged, begin with what stands before the damage;\n"
    "                 the rest is kept beside it\n"
    "  --verbose      say more on standard error\n"
    "  --quiet        say only what is wrong\n"
    "  --help, --version\n";

// -1 = go on, otherwise the exit code.
static int parse_options(int argc, char **argv, struct options *options)
{
    enum { SOCKET = 256, STATE, STDIO, SALVAGE };
    static const struct option table[] = {
        {"socket", required_argument, NULL, SOCKET},
        {"state", required_argument, NULL, STATE},
        {"stdio", no_argument, NULL, STDIO},
        {"salvage", no_argument, NULL, SALVAGE},
        {"verbose", no_argument, NULL, 'v'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "hV", table, NULL)) != -1;) {
        switch (c) {
        case SOCKET:
            options->socket = optarg;
            break;
        case STATE:
            options->state = optarg;
            break;
        case STDIO:
            options->stdio = true;
            break;
        case SALVAGE:
            options->salvage = true;
            break;
        case 'v':
            options->level = LOG_LEVEL_DEBUG;
            break;
        case 'q':
            options->level = LOG_LEVEL_WARNING;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        case 'V':
            puts("tessera-rulesd " TESSERA_VERSION);
            return EXIT_DONE;
        default:
            fputs("Try tessera-rulesd --help.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        log_error("\"%s\" is no option; try tessera-rulesd --help", argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

static void notice(void *user, const char *text)
{
    (void)user;
    log_warning("%s", text);
}

static int open_state(struct store *store, const struct options *options)
{
    struct journal_settings settings = {.folder = options->state, .salvage = options->salvage};
    struct journal_report report;
    struct error err;
    int64_t begin = clock_monotonic_ns();
    int r = store_open(store, &settings, &report, &err);
    if (r < 0) {
        log_struct_error(LOG_LEVEL_ERROR, &err);
        return r;
    }
    if (report.torn_bytes && report.torn_path[0])
        log_warning("the end of the journal (%zu bytes from line %lld) was not whole, as after a "
                    "power cut; nothing in it had been answered. It is kept in %s",
                    report.torn_bytes, (long long)report.torn_line, report.torn_path);
    else if (report.torn_bytes)
        log_warning("the end of the journal (%zu bytes from line %lld) was not whole, as after a "
                    "power cut; nothing in it had been answered. It was cut off",
                    report.torn_bytes, (long long)report.torn_line);
    for (uint32_t number = 1; number <= store_game_count(store); number++) {
        struct summary summary;
        store_summary(store, number, &summary);
        if (summary.damage)
            log_warning("game g%u ends early: %s", number, summary.damage);
    }
    log_info("%lld journal lines, %u games, read in %lld ms", (long long)report.lines,
             store_game_count(store), (long long)((clock_monotonic_ns() - begin) / NS_PER_MS));
    return 0;
}

static int open_sockets(struct server *server, const struct options *options)
{
    struct error err;
    int r = 0, handed = sd_listen_fds(1);
    for (int i = 0; i < handed && r == 0; i++)
        r = server_add_listener(server, SD_LISTEN_FDS_START + i, &err);
    if (r == 0 && options->socket && handed <= 0)
        r = server_listen(server, options->socket, &err);
    if (r == 0 && options->stdio)
        r = server_add_stdio(server, STDIN_FILENO, STDOUT_FILENO, &err);
    if (r < 0) {
        log_struct_error(LOG_LEVEL_ERROR, &err);
        return r;
    }
    return handed;
}

static int run(struct store *store, const struct options *options)
{
    struct server *server;
    int r = server_new(store, notice, NULL, &server);
    if (r < 0) {
        log_error("out of memory");
        return r;
    }
    r = open_sockets(server, options);
    if (r >= 0) {
        sd_notify(0, "READY=1");
        r = server_run(server);
        if (r < 0)
            log_error("waiting for clients failed: %s", strerror(-r));
        sd_notify(0, "STOPPING=1");
    }
    server_free(server);
    return r;
}

// Signals are taken by the server's own loop; a client that hangs up or a limit on the size of
// files is no reason to die.
static void prepare_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    struct options options = {.level = LOG_LEVEL_NOTICE};
    log_open("tessera-rulesd", LOG_LEVEL_NOTICE);
    int code = parse_options(argc, argv, &options);
    if (code >= 0)
        return code;
    log_set_level(options.level);
    if (!options.state && !options.stdio)
        options.state = getenv("STATE_DIRECTORY");
    if (!options.socket && !options.stdio && sd_listen_fds(0) <= 0) {
        log_error("say where to listen: --socket PATH, or --stdio; see tessera-rulesd --help");
        return EXIT_USAGE;
    }
    if (!options.state && !options.stdio) {
        log_error("say where to keep the games: --state DIR");
        return EXIT_USAGE;
    }
    prepare_signals();
    arena_install();
    struct store *store;
    if (store_new(&store) < 0) {
        log_error("out of memory");
        return EXIT_FAILED;
    }
    int r = options.state ? open_state(store, &options) : 0;
    if (r == 0)
        r = run(store, &options);
    store_free(store);
    return r < 0 ? EXIT_FAILED : EXIT_DONE;
}
