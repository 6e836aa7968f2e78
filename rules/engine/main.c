// tessera-engine: the player as a program. See --help.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "rules/engine/gomocup.h"
#include "rules/engine/gtp.h"
#include "rules/engine/sandbox.h"
#include "rules/engine/tools.h"

enum {
    OPT_GTP = 256,
    OPT_GOMOCUP,
    OPT_NODES,
    OPT_SEED,
    OPT_JSON,
    OPT_VERSION,
    OPT_RESIGN,
    OPT_PONDER,
    OPT_BRAIN
};

static const char help_text[] =
    "Usage: tessera-engine [OPTIONS] [COMMAND]\n"
    "Plays Pente, Pentago and their relatives: speaks GTP 2 on standard input and output.\n"
    "\n"
    "  --gtp                 the Go Text Protocol (the default)\n"
    "  --gomocup             the protocol of the Gomocup tournaments\n"
    "  --variant NAME        the game to start with (default pente)\n"
    "  --level 1..10         playing strength; 10 is full strength (default)\n"
    "  --time MS             time for each move without a clock (default 1000)\n"
    "  --nodes N             at most about N nodes for each move: results can be repeated\n"
    "  --threads N           search threads, 1..64 (default 1)\n"
    "  --hash MIB            memory for what the search remembers (default 256)\n"
    "  --seed N              for variety and mistakes (default: from the clock)\n"
    "  --resign              give up positions that are proved lost\n"
    "  --ponder              go on thinking while the other side does (GTP)\n"
    "  --brain COMMAND       let a Gomocup program choose the moves, in the sandbox\n"
    "  --help, --version\n"
    "\n"
    "Commands\n"
    "  bench [--json]                speed and signature on fixed positions\n"
    "  book [POSITIONS [NODES]]      makes the opening book anew, as C source\n"
    "  perft VARIANT SIZE DEPTH      exact move counts, a line for each depth; also with\n"
    "        [FIELD=VALUE]... [\"options={'tria': 'simple', ...}\"] [\"moves=4,4 7,7 ...\"]\n"
    "  perft generator               check values of the random numbers and the checksum\n"
    "  perft marbles                 Pentago: arrangements of n marbles\n"
    "  playouts VARIANT COUNT        checksum of random games; also with\n"
    "        [SIZE] [FIELD=VALUE]... [\"options={...}\"] [calls]\n"
    "  sandbox COMMAND [WORD]...     runs a foreign program without files to write, network and\n"
    "                                more than 4 GiB of memory\n"
    "  solve VARIANT FILE            proves or refutes wins, a position a line\n";

struct command_line {
    struct session_options options;
    bool gomocup, json;
    bool timed;
};

static const struct option option_table[] = {
    {"gtp", no_argument, NULL, OPT_GTP},         {"gomocup", no_argument, NULL, OPT_GOMOCUP},
    {"variant", required_argument, NULL, 'v'},   {"level", required_argument, NULL, 'l'},
    {"time", required_argument, NULL, 't'},      {"nodes", required_argument, NULL, OPT_NODES},
    {"threads", required_argument, NULL, 'j'},   {"hash", required_argument, NULL, 'm'},
    {"seed", required_argument, NULL, OPT_SEED}, {"resign", no_argument, NULL, OPT_RESIGN},
    {"ponder", no_argument, NULL, OPT_PONDER},   {"brain", required_argument, NULL, OPT_BRAIN},
    {"json", no_argument, NULL, OPT_JSON},       {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION}, {NULL, 0, NULL, 0},
};

static int wrong(const char *text, const char *value)
{
    fprintf(stderr, "tessera-engine: %s: %s. Try --help.\n", text, value);
    return 2;
}

static int number(const char *text, unsigned long long low, unsigned long long high,
                  unsigned long long *ret)
{
    char *end;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return !errno && end != text && !*end && *text != '-' && *ret >= low && *ret <= high;
}

// Takes one option. Returns −1 to go on, otherwise the exit code.
static int take(struct command_line *c, int option)
{
    unsigned long long n = 0;
    struct session_options *o = &c->options;
    switch (option) {
    case OPT_GTP:
        c->gomocup = false;
        return -1;
    case OPT_GOMOCUP:
        c->gomocup = true;
        return -1;
    case OPT_JSON:
        c->json = true;
        return -1;
    case OPT_RESIGN:
        o->resign = true;
        return -1;
    case OPT_PONDER:
        o->ponder = true;
        return -1;
    case OPT_BRAIN:
        o->brain = optarg;
        return -1;
    case 'v':
        o->variant = optarg;
        return -1;
    case 'l':
        if (!number(optarg, 1, ENGINE_LEVELS, &n))
            return wrong("--level is a number from 1 to 10", optarg);
        o->engine.level = (int)n;
        return -1;
    case 't':
        if (!number(optarg, 1, 86400000, &n))
            return wrong("--time is a number of milliseconds", optarg);
        o->move_time_ns = (int64_t)n * NS_PER_MS;
        c->timed = true;
        return -1;
    case 'j':
        if (!number(optarg, 1, 64, &n))
            return wrong("--threads is a number from 1 to 64", optarg);
        o->engine.threads = (int)n;
        return -1;
    case 'm':
        if (!number(optarg, 1, 65536, &n))
            return wrong("--hash is a number of MiB from 1 to 65536", optarg);
        o->engine.hash_mib = (unsigned)n;
        return -1;
    case OPT_NODES:
        if (!number(optarg, 1, 1ull << 50, &n))
            return wrong("--nodes is a number above 0", optarg);
        o->nodes = n;
        return -1;
    case OPT_SEED:
        if (!number(optarg, 0, UINT64_MAX, &n))
            return wrong("--seed is a number", optarg);
        o->engine.seed = n;
        return -1;
    case 'h':
        fputs(help_text, stdout);
        return 0;
    case OPT_VERSION:
        puts("tessera-engine " TESSERA_VERSION);
        return 0;
    default:
        return 2; // getopt has said what is wrong
    }
}

static int talk(struct command_line *c)
{
    struct session *session;
    struct error err;
    int r = session_new(&c->options, STDIN_FILENO, stdout,
                        c->gomocup ? gomocup_is_stop : gtp_is_stop, &session, &err);
    if (r < 0) {
        fprintf(stderr, "tessera-engine: %s\n", err.text);
        return 2;
    }
    r = c->gomocup ? gomocup_run(session) : gtp_run(session);
    session_free(session);
    return r < 0 ? 1 : 0;
}

// Becomes the foreign program. Returns only when that fails.
static int lock_in(char **words)
{
    struct error err;
    if (sandbox_enter(SANDBOX_MEMORY_MIB, &err) < 0) {
        fprintf(stderr, "tessera-engine: %s\n", err.text);
        return 1;
    }
    signal(SIGPIPE, SIG_DFL);
    execvp(words[0], words);
    fprintf(stderr, "tessera-engine: %s does not start: %s.\n", words[0], strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    struct command_line c = {.options = {
                                 .engine = {.level = ENGINE_LEVELS,
                                            .threads = 1,
                                            .hash_mib = ENGINE_HASH_MIB,
                                            .seed = (uint64_t)clock_realtime_ns()},
                                 .variant = "pente",
                                 .move_time_ns = NS_PER_S,
                             }};
    // A reader that went away is an ordinary end, not a death by signal.
    signal(SIGPIPE, SIG_IGN);
    // Before options are read: those that follow are the foreign program's.
    if (argc > 2 && strcmp(argv[1], "sandbox") == 0)
        return lock_in(argv + 2);
    for (int option; (option = getopt_long(argc, argv, "h", option_table, NULL)) != -1;) {
        int code = take(&c, option);
        if (code >= 0)
            return code;
    }
    char **rest = argv + optind;
    int count = argc - optind;
    if (count == 0)
        return talk(&c);
    if (strcmp(rest[0], "bench") == 0 && count == 1)
        return tool_bench(&c.options, c.json);
    if (strcmp(rest[0], "book") == 0)
        return tool_book(count - 1, rest + 1);
    if (strcmp(rest[0], "perft") == 0)
        return tool_perft(count - 1, rest + 1);
    if (strcmp(rest[0], "playouts") == 0)
        return tool_playouts(count - 1, rest + 1);
    if (strcmp(rest[0], "solve") == 0)
        return tool_solve(&c.options, count - 1, rest + 1);
    return wrong("unknown command", rest[0]);
}
