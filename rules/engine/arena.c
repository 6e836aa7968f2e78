// tessera-arena: matches between two GTP programs. See --help.
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/rng.h"
#include "rules/engine/balanced.h"
#include "rules/engine/gtp_player.h"
#include "rules/notation.h"

static const char help_text[] =
    "Usage: tessera-arena [OPTIONS] COMMAND_A COMMAND_B\n"
    "Plays pairs of games from balanced random openings, colours swapped.\n"
    "\n"
    "  --variant NAME   the game (default pente)\n"
    "  --pairs N        at most N pairs of games (default 50)\n"
    "  --time MS        time for each move (default 100); 0 = the commands say it themselves\n"
    "  --opening N      random stones at the start (default 4)\n"
    "  --balance N      an opening counts as balanced up to this value (default 60)\n"
    "  --sprt E0,E1     stop when it is clear whether A is E1 or only E0 Elo stronger\n"
    "  --seed N         for the openings (default 1)\n"
    "  --games          print every game\n"
    "  --fault WHAT     a player crashes, hangs or breaks the rules:\n"
    "                     lose   it loses that game and is started anew (default)\n"
    "                     again  the game is played once more, at most three times\n"
    "                     stop   the match ends there\n"
    "  --patience MS    how much longer than the time of two moves an answer may take (60000)\n"
    "  --open           run the players without the sandbox\n"
    "\n"
    "The players run in the sandbox of tessera-engine (files to read only, no network, memory\n"
    "within 4 GiB). Exit status: 0, or 1 when there was a fault.\n";

enum { MOVES_MAX = 600, TRIES = 3 };

enum fault { FAULT_LOSE, FAULT_AGAIN, FAULT_STOP };
static const char *const fault_names[] = {"lose", "again", "stop"};

struct match {
    const char *variant_name;
    struct variant variant;
    struct gtp_player *player[2];
    const char *command[2];
    char launcher[4096]; // of the sandbox; empty = none
    enum fault on_fault;
    bool stopped;
    long pairs, time_ms, opening, balance, patience_ms;
    double elo0, elo1;
    bool sprt, games;
    struct rng rng;
    struct engine *judge;
    long won, lost, drawn, faults[2];
    long pair_score[5]; // pairs by points of A: 0, ½, 1, 1½, 2
};

static const char *colour_name(unsigned colour)
{
    static const char *const names[] = {"", "b", "w", "3", "4"};
    return names[colour];
}

static int start_player(struct match *m, int who, struct error *err)
{
    return gtp_player_new(m->launcher[0] ? m->launcher : NULL, m->command[who], &m->player[who],
                          err);
}

static int64_t patience(const struct match *m)
{
    return m->patience_ms * NS_PER_MS + m->time_ms * NS_PER_MS * 2;
}

// What went wrong, for whoever watches; the player has lost the game unless it is played again.
static void tell_fault(struct match *m, int who, const char *text)
{
    fprintf(stderr, "player %c (%.60s): %s\n", 'A' + who, m->command[who], text);
    m->faults[who]++;
}

static int ask(struct match *m, int who, char *answer, const char *command)
{
    struct error err;
    int r = gtp_player_ask(m->player[who], patience(m), answer, 64, &err, "%s", command);
    if (r < 0)
        tell_fault(m, who, err.text);
    return r;
}

// Tells both players the game and its opening. Returns who failed, −1 = nobody.
static int prepare(struct match *m, const struct game *opening)
{
    char command[128], text[MOVE_TEXT_MAX];
    for (int who = 0; who < 2; who++) {
        snprintf(command, sizeof command, "tessera-set_game %s", m->variant_name);
        // A foreign program may not know other games; then the board's size must do.
        if (gtp_player_ask(m->player[who], patience(m), NULL, 0, NULL, "%s", command) < 0) {
            snprintf(command, sizeof command, "boardsize %d", m->variant.size);
            if (ask(m, who, NULL, command) < 0)
                return who;
        }
        if (ask(m, who, NULL, "clear_board") < 0)
            return who;
        snprintf(command, sizeof command, "tessera-move_time %ld", m->time_ms);
        if (m->time_ms)
            gtp_player_ask(m->player[who], patience(m), NULL, 0, NULL, "%s", command);
        for (unsigned i = 0; i < opening->entries; i++) {
            struct move move = game_move(opening, i);
            snprintf(command, sizeof command, "play %s %s",
                     colour_name(move.colour ? move.colour : 1u),
                     move_format(&m->variant, move, text));
            if (ask(m, who, NULL, command) < 0)
                return who;
        }
    }
    return -1;
}

// Asks `who` for a move, plays it and tells the other. Returns 0; the player at fault + 1 (a crash,
// silence, a move that is none); or −1 when `who` resigned.
static int play_move(struct match *m, struct game *game, int who)
{
    char answer[64], command[128], complaint[400], why[256];
    unsigned colour = game_next_colour(game);
    struct move move;
    struct effect effect;
    snprintf(command, sizeof command, "genmove %s", colour_name(colour));
    if (ask(m, who, answer, command) < 0)
        return who + 1;
    if (!move_parse(&m->variant, answer, strlen(answer), &move)) {
        snprintf(complaint, sizeof complaint, "\"%s\" is no move.", answer);
        tell_fault(m, who, complaint);
        return who + 1;
    }
    if (move.kind == MOVE_RESIGN)
        return -1;
    const struct game before = *game;
    if (game_play(game, move, &effect) != REASON_NONE) {
        snprintf(complaint, sizeof complaint, "%s at move %u is not allowed: %s", answer,
                 game->entries + 1u,
                 reason_explain(effect.reason, &before, &move, why, sizeof why));
        tell_fault(m, who, complaint);
        return who + 1;
    }
    snprintf(command, sizeof command, "play %s %s", colour_name(colour), answer);
    return ask(m, 1 - who, NULL, command) < 0 ? 2 - who : 0;
}

static void print_game(const struct match *m, const struct game *game, int first, int points)
{
    char text[MOVE_TEXT_MAX];
    printf("[%s \"%s\"] ", first == 0 ? "A B" : "B A",
           points == 2   ? "A"
           : points == 0 ? "B"
                         : "draw");
    for (unsigned i = 0; i < game->entries; i++)
        printf("%s ", move_format(&m->variant, game_move(game, i), text));
    printf("\n");
}

// One game; `first` plays the colour to move after the opening. Returns A's points doubled (0, 1,
// 2), and in *ret_faulty who broke it off, −1 = nobody.
static int play_game(struct match *m, const struct game *opening, int first, int *ret_faulty)
{
    static struct game game;
    game = *opening;
    unsigned first_seat = game_next_seat(&game);
    int faulty = prepare(m, opening), loser = faulty;
    while (loser < 0 && !game.result.over && game.entries < MOVES_MAX) {
        int who = (game_next_seat(&game) == first_seat) ? first : 1 - first;
        int r = play_move(m, &game, who);
        if (r > 0)
            faulty = loser = r - 1;
        else if (r < 0)
            loser = who;
    }
    int points = 1;
    if (loser >= 0) {
        points = loser == 0 ? 0 : 2;
    } else if (game.result.over && game.result.winner) {
        // Sides 1 and 2 belong to the players by who moved first after the opening.
        unsigned first_side = m->variant.sides[game_seat_colour(&game, first_seat)];
        int winner = game.result.winner == first_side ? first : 1 - first;
        points = winner == 0 ? 2 : 0;
    }
    if (m->games)
        print_game(m, &game, first, points);
    *ret_faulty = faulty;
    return points;
}

// The same, with what was chosen for faults. A faulty player is started anew: it may be dead, or
// still busy with its last question.
static int play_fairly(struct match *m, const struct game *opening, int first)
{
    for (int attempt = 1;; attempt++) {
        int faulty, points = play_game(m, opening, first, &faulty);
        struct error err;
        if (faulty < 0)
            return points;
        m->stopped = m->on_fault == FAULT_STOP;
        m->player[faulty] = gtp_player_free(m->player[faulty]);
        if (!m->stopped && start_player(m, faulty, &err) < 0) {
            tell_fault(m, faulty, err.text);
            m->stopped = true;
        }
        if (m->stopped || m->on_fault != FAULT_AGAIN || attempt == TRIES)
            return points;
        fprintf(stderr, "The game is played once more.\n");
    }
}

static double expected(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

struct estimate {
    double pairs, score, elo, error, llr; // without pairs the others mean nothing
};

// From the pairs' scores (pentanomial): pairs from one opening are not independent games.
static struct estimate estimate(const struct match *m)
{
    double n = 0, mean = 0, variance = 0;
    for (int i = 0; i < 5; i++) {
        n += (double)m->pair_score[i];
        mean += (double)m->pair_score[i] * i / 4;
    }
    if (n < 1)
        return (struct estimate){0};
    mean /= n;
    for (int i = 0; i < 5; i++)
        variance += (double)m->pair_score[i] * (i / 4.0 - mean) * (i / 4.0 - mean);
    // A pair of each kind that was never seen keeps the variance honest in short matches.
    variance = (variance + 0.05) / (n + 1);
    double clipped = fmin(fmax(mean, 0.5 / (n * 2 + 1)), 1 - 0.5 / (n * 2 + 1));
    double deviation = sqrt(variance / n), s0 = expected(m->elo0), s1 = expected(m->elo1);
    struct estimate e = {.pairs = n, .score = mean, .elo = -400 * log10(1 / clipped - 1)};
    double slope = 400 / log(10) / (clipped * (1 - clipped));
    e.error = 1.96 * deviation * slope;
    e.llr = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance);
    return e;
}

static void report(const struct match *m, const char *end)
{
    struct estimate e = estimate(m);
    printf("A: +%ld -%ld =%ld", m->won, m->lost, m->drawn);
    if (e.pairs > 0)
        printf("  score %.1f%%  Elo %+.0f ± %.0f", 100 * e.score, e.elo, e.error);
    if (m->sprt && e.pairs > 0)
        printf("  LLR %.2f [-2.94, 2.94]", e.llr);
    if (m->faults[0] || m->faults[1])
        printf("  faults A %ld B %ld", m->faults[0], m->faults[1]);
    fputs(end, stdout);
    fflush(stdout);
}

static int run(struct match *m)
{
    for (long pair = 0; pair < m->pairs; pair++) {
        static struct game opening;
        int total = 0;
        balanced_opening(m->judge, &m->variant, (int)m->opening, (int)m->balance, &m->rng,
                         &opening);
        for (int first = 0; first < 2 && !m->stopped; first++) {
            int points = play_fairly(m, &opening, first);
            m->won += points == 2;
            m->drawn += points == 1;
            m->lost += points == 0;
            total += points;
        }
        if (m->stopped) {
            fprintf(stderr, "The match ends here.\n");
            break;
        }
        m->pair_score[total]++;
        if (pair % 10 == 9)
            report(m, "\n");
        if (m->sprt && fabs(estimate(m).llr) > 2.94)
            break;
    }
    report(m, "  final\n");
    return m->faults[0] || m->faults[1] ? 1 : 0;
}

static const struct option option_table[] = {
    {"variant", required_argument, NULL, 'v'},
    {"pairs", required_argument, NULL, 'p'},
    {"time", required_argument, NULL, 't'},
    {"opening", required_argument, NULL, 'o'},
    {"balance", required_argument, NULL, 'b'},
    {"sprt", required_argument, NULL, 'e'},
    {"seed", required_argument, NULL, 's'},
    {"games", no_argument, NULL, 'g'},
    {"fault", required_argument, NULL, 'f'},
    {"open", no_argument, NULL, 'n'},
    {"patience", required_argument, NULL, 'w'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int take_fault(struct match *m, const char *name)
{
    for (size_t i = 0; i < sizeof fault_names / sizeof *fault_names; i++) {
        if (strcmp(name, fault_names[i]) == 0) {
            m->on_fault = (enum fault)i;
            return 0;
        }
    }
    return -1;
}

// tessera-engine stands beside this program. Without it there is no sandbox, which is told.
static void find_launcher(struct match *m)
{
    ssize_t n =
        readlink("/proc/self/exe", m->launcher, sizeof m->launcher - sizeof "tessera-engine");
    char *slash = n > 0 ? memrchr(m->launcher, '/', (size_t)n) : NULL;
    if (slash)
        memcpy(slash + 1, "tessera-engine", sizeof "tessera-engine");
    if (!slash || access(m->launcher, X_OK) != 0) {
        fprintf(stderr, "tessera-arena: no sandbox for the players, since tessera-engine is not "
                        "beside tessera-arena.\n");
        m->launcher[0] = '\0';
    }
}

static int take(struct match *m, int option, uint64_t *seed)
{
    long *number = option == 'p'   ? &m->pairs
                   : option == 't' ? &m->time_ms
                   : option == 'o' ? &m->opening
                   : option == 'b' ? &m->balance
                   : option == 'w' ? &m->patience_ms
                                   : NULL;
    char *end = NULL;
    if (number)
        *number = strtol(optarg, &end, 10);
    else if (option == 's')
        *seed = strtoull(optarg, &end, 10);
    else if (option == 'v')
        m->variant_name = optarg;
    else if (option == 'g')
        m->games = true;
    else if (option == 'n')
        m->launcher[0] = '\0';
    else if (option == 'f')
        return take_fault(m, optarg);
    else if (option == 'e' && sscanf(optarg, "%lf,%lf", &m->elo0, &m->elo1) == 2)
        m->sprt = true;
    else
        return -1;
    return end && *end ? -1 : 0;
}

int main(int argc, char **argv)
{
    static struct match m = {.variant_name = "pente",
                             .pairs = 50,
                             .time_ms = 100,
                             .opening = 4,
                             .balance = 60,
                             .patience_ms = 60000,
                             .elo1 = 20};
    struct error err;
    uint64_t seed = 1;
    find_launcher(&m);
    for (int option; (option = getopt_long(argc, argv, "", option_table, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help_text, stdout);
            return 0;
        }
        if (take(&m, option, &seed) < 0) {
            fprintf(stderr, "tessera-arena: bad option. Try --help.\n");
            return 2;
        }
    }
    if (argc - optind != 2 || m.pairs < 1 || m.time_ms < 0 || m.patience_ms < 1 || m.opening < 0 ||
        m.opening > MOVES_MAX / 2) {
        fputs(help_text, stderr);
        return 2;
    }
    rng_seed(&m.rng, seed);
    struct engine_settings settings = {
        .level = ENGINE_LEVELS, .threads = 1, .hash_mib = 16, .seed = seed};
    int r = variant_init(&m.variant, m.variant_name, &err);
    if (r == 0)
        r = engine_new(&settings, &m.judge, &err);
    for (int who = 0; r == 0 && who < 2; who++) {
        m.command[who] = argv[optind + who];
        r = start_player(&m, who, &err);
    }
    int code = 2;
    if (r == 0)
        code = run(&m);
    else
        fprintf(stderr, "tessera-arena: %s\n", err.text);
    for (int who = 0; who < 2; who++)
        gtp_player_free(m.player[who]);
    engine_free(m.judge);
    return code;
}
