// tessera-arena: matches between two GTP programs. See --help.
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "  --games          print every game\n";

enum { MOVES_MAX = 600 };

struct match {
    const char *variant_name;
    struct variant variant;
    struct gtp_player *player[2];
    long pairs, time_ms, opening, balance;
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

static int ask(struct match *m, int who, char *answer, const char *command)
{
    struct error err;
    int r = gtp_player_ask(m->player[who], 60 * NS_PER_S + m->time_ms * NS_PER_MS * 2, answer, 64,
                           &err, "%s", command);
    if (r < 0)
        fprintf(stderr, "player %c: %s\n", 'A' + who, err.text);
    return r;
}

static int prepare(struct match *m, const struct game *opening)
{
    char command[128], text[MOVE_TEXT_MAX];
    for (int who = 0; who < 2; who++) {
        snprintf(command, sizeof command, "tessera-set_game %s", m->variant_name);
        // A foreign program may not know other games; then the board's size must do.
        if (gtp_player_ask(m->player[who], 10 * NS_PER_S, NULL, 0, NULL, "%s", command) < 0) {
            snprintf(command, sizeof command, "boardsize %d", m->variant.size);
            if (ask(m, who, NULL, command) < 0)
                return who;
        }
        if (ask(m, who, NULL, "clear_board") < 0)
            return who;
        snprintf(command, sizeof command, "tessera-move_time %ld", m->time_ms);
        if (m->time_ms)
            gtp_player_ask(m->player[who], 10 * NS_PER_S, NULL, 0, NULL, "%s", command);
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

// One game; `first` plays the colour to move after the opening. Returns A's points doubled (0, 1,
// 2).
static int play_game(struct match *m, const struct game *opening, int first)
{
    static struct game game;
    char answer[64], command[128], text[MOVE_TEXT_MAX];
    game = *opening;
    unsigned first_seat = game_next_seat(&game);
    int loser = prepare(m, opening);
    while (loser < 0 && !game.result.over && game.entries < MOVES_MAX) {
        int who = (game_next_seat(&game) == first_seat) ? first : 1 - first;
        unsigned colour = game_next_colour(&game);
        struct move move;
        snprintf(command, sizeof command, "genmove %s", colour_name(colour));
        if (ask(m, who, answer, command) < 0 ||
            !move_parse(&m->variant, answer, strlen(answer), &move)) {
            m->faults[loser = who]++;
            break;
        }
        if (move.kind == MOVE_RESIGN) {
            loser = who;
            break;
        }
        if (game_play(&game, move, NULL) != REASON_NONE) {
            fprintf(stderr, "player %c: illegal move %s\n", 'A' + who, answer);
            m->faults[loser = who]++;
            break;
        }
        snprintf(command, sizeof command, "play %s %s", colour_name(colour), answer);
        if (ask(m, 1 - who, NULL, command) < 0)
            m->faults[loser = 1 - who]++;
    }
    int points = 1;
    if (loser >= 0)
        points = loser == 0 ? 0 : 2;
    else if (game.result.over && game.result.winner) {
        // Sides 1 and 2 belong to the players by who moved first after the opening.
        unsigned first_side = m->variant.sides[game_seat_colour(&game, first_seat)];
        int winner = game.result.winner == first_side ? first : 1 - first;
        points = winner == 0 ? 2 : 0;
    }
    if (m->games) {
        printf("[%s \"%s\"] ", first == 0 ? "A B" : "B A",
               points == 2   ? "A"
               : points == 0 ? "B"
                             : "draw");
        for (unsigned i = 0; i < game.entries; i++)
            printf("%s ", move_format(&m->variant, game_move(&game, i), text));
        printf("\n");
    }
    return points;
}

static double expected(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

struct estimate {
    double score, elo, error, llr;
};

// From the pairs' scores (pentanomial): pairs from one opening are not independent games.
static struct estimate estimate(const struct match *m)
{
    double n = 0, mean = 0, variance = 0;
    for (int i = 0; i < 5; i++) {
        n += (double)m->pair_score[i];
        mean += (double)m->pair_score[i] * i / 4;
    }
    mean /= n;
    for (int i = 0; i < 5; i++)
        variance += (double)m->pair_score[i] * (i / 4.0 - mean) * (i / 4.0 - mean);
    // A pair of each kind that was never seen keeps the variance honest in short matches.
    variance = (variance + 0.05) / (n + 1);
    double clipped = fmin(fmax(mean, 0.5 / (n * 2 + 1)), 1 - 0.5 / (n * 2 + 1));
    double deviation = sqrt(variance / n), s0 = expected(m->elo0), s1 = expected(m->elo1);
    struct estimate e = {.score = mean, .elo = -400 * log10(1 / clipped - 1)};
    double slope = 400 / log(10) / (clipped * (1 - clipped));
    e.error = 1.96 * deviation * slope;
    e.llr = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance);
    return e;
}

static void report(const struct match *m, const char *end)
{
    struct estimate e = estimate(m);
    printf("A: +%ld -%ld =%ld  score %.1f%%  Elo %+.0f ± %.0f", m->won, m->lost, m->drawn,
           100 * e.score, e.elo, e.error);
    if (m->sprt)
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
        for (int first = 0; first < 2; first++) {
            int points = play_game(m, &opening, first);
            m->won += points == 2;
            m->drawn += points == 1;
            m->lost += points == 0;
            total += points;
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
    {"variant", required_argument, NULL, 'v'}, {"pairs", required_argument, NULL, 'p'},
    {"time", required_argument, NULL, 't'},    {"opening", required_argument, NULL, 'o'},
    {"balance", required_argument, NULL, 'b'}, {"sprt", required_argument, NULL, 'e'},
    {"seed", required_argument, NULL, 's'},    {"games", no_argument, NULL, 'g'},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

static int take(struct match *m, int option, uint64_t *seed)
{
    long *number = option == 'p'   ? &m->pairs
                   : option == 't' ? &m->time_ms
                   : option == 'o' ? &m->opening
                   : option == 'b' ? &m->balance
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
                             .elo1 = 20};
    struct error err;
    uint64_t seed = 1;
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
    if (argc - optind != 2 || m.pairs < 1 || m.time_ms < 0 || m.opening < 0 ||
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
    for (int who = 0; r == 0 && who < 2; who++)
        r = gtp_player_new(argv[optind + who], &m.player[who], &err);
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
