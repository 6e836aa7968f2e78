// perft and playouts: counts and checksums in the words of the reference counts, so that a line of
// the one can be compared with a line of the other.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/pentago_count.h"
#include "rules/engine/tool_rules.h"
#include "rules/engine/tools.h"
#include "rules/perft.h"

enum { PLAYOUTS_MAX = 100000000 };

static const char perft_usage[] =
    "perft VARIANT SIZE DEPTH [FIELD=VALUE]... [\"options={...}\"] [\"moves=x,y ...\"], "
    "perft generator or perft marbles";
static const char playouts_usage[] =
    "playouts VARIANT COUNT [SIZE] [FIELD=VALUE]... [\"options={...}\"] [calls]";

static int usage(const char *text)
{
    fprintf(stderr, "tessera-engine: Use it like this: %s.\n", text);
    return 2;
}

static int fault(const struct error *err)
{
    fprintf(stderr, "tessera-engine: %s\n", err->text);
    return 2;
}

// An argument that must be a number.
static int read_number(const char *name, const char *text, long low, long high, long *ret,
                       struct error *err)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < low || number > high)
        return error_set(err, -EINVAL, "%s is a number from %ld to %ld, not \"%s\".", name, low,
                         high, text);
    *ret = number;
    return 0;
}

// Section 1 of the reference: the generator and the hash.
static int print_generator(void)
{
    static const uint64_t seeds[] = {0, 1, 9999};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        uint64_t state = playout_seed(seeds[i]);
        printf("seed_of(%llu) = %016llx; next() x4 =", (unsigned long long)seeds[i],
               (unsigned long long)state);
        for (int n = 0; n < 4; n++)
            printf(" %016llx", (unsigned long long)playout_next(&state));
        printf("\n");
    }
    uint64_t state = playout_seed(0);
    printf("Rng(seed_of(0)): below(361) x8 =");
    for (int n = 0; n < 8; n++)
        printf(" %u", playout_below(&state, 361));
    printf("\nfnv of nothing = %016llx\n", FNV1A_START);
    printf("fnv of the bytes \"pente\" = %016llx\n",
           (unsigned long long)fnv1a(FNV1A_START, "pente", 5));
    return 0;
}

// The table of section 3.
static int print_marbles(void)
{
    struct pentago_arrangements table[PENTAGO_HOLES + 1], sum = {0};
    pentago_arrangements(table);
    printf("n marbles: arrangements, up to 8 board symmetries, up to those and free block turns "
           "(2048)\n");
    for (unsigned n = 0; n <= PENTAGO_HOLES; n++) {
        printf("%2u: %llu %llu %llu\n", n, (unsigned long long)table[n].all,
               (unsigned long long)table[n].board, (unsigned long long)table[n].blocks);
        sum.all += table[n].all;
        sum.board += table[n].board;
        sum.blocks += table[n].blocks;
    }
    printf("sum: %llu %llu %llu\n", (unsigned long long)sum.all, (unsigned long long)sum.board,
           (unsigned long long)sum.blocks);
    return 0;
}

static void print_depth(unsigned depth, const struct perft *p)
{
    printf("depth %u: leaves %llu capturing %llu stones %llu wins %llu draws %llu\n", depth,
           (unsigned long long)p->leaves, (unsigned long long)p->capturing,
           (unsigned long long)p->stones, (unsigned long long)p->wins,
           (unsigned long long)p->draws);
    fflush(stdout);
}

// Pentago: equal positions are counted together, which also tells how many there are.
static int count_pentago(const struct game *game, unsigned depth)
{
    struct pentago_count *count;
    struct error err;
    int r = pentago_count_new(game, &count, &err);
    if (r < 0)
        return fault(&err);
    for (unsigned d = 1; r == 0 && d <= depth; d++) {
        struct pentago_ply ply;
        r = pentago_count_step(count, &ply, &err);
        if (r < 0)
            break;
        print_depth(d, &ply.leaves);
        printf("ply %u: distinct positions %llu, move sequences %llu, ended %llu\n", d,
               (unsigned long long)ply.positions, (unsigned long long)ply.leaves.leaves,
               (unsigned long long)ply.ended);
        fflush(stdout);
    }
    pentago_count_free(count);
    return r < 0 ? fault(&err) : 0;
}

static void print_perft_head(const struct tool_rules *rules)
{
    static const char *const openings[] = {"empty board", "centre opening", "tournament opening",
                                           "G-Pente opening"};
    const char *moves = rules->moves;
    printf("[perft] variant=%s size=%u options={%s} moves=%s   # %s\n", rules->variant.name,
           rules->variant.size, rules->options, *moves ? moves : "-",
           *moves ? "middle game" : openings[rules->variant.opening]);
}

static int read_perft(struct tool_rules *rules, long *depth, int argc, char **argv,
                      struct error *err)
{
    long size;
    int r = tool_rules_init(rules, argv[0], err);
    if (r == 0)
        r = read_number("SIZE", argv[1], BOARD_SIZE_MIN, BOARD_SIZE_MAX, &size, err);
    if (r == 0)
        r = read_number("DEPTH", argv[2], 0, PERFT_DEPTH_MAX, depth, err);
    if (r == 0)
        r = tool_rules_set(rules, "size", argv[1], false, err);
    if (r == 0)
        r = tool_rules_read(rules, argc - 3, argv + 3, err);
    if (r == 0 && rules->calls)
        r = error_set(err, -EINVAL, "calls belongs to playouts: perft counts moves only.");
    return r;
}

int tool_perft(int argc, char **argv)
{
    static struct game game;
    static struct tool_rules rules;
    struct error err;
    long depth = 0;
    if (argc == 1 && strcmp(argv[0], "generator") == 0)
        return print_generator();
    if (argc == 1 && strcmp(argv[0], "marbles") == 0)
        return print_marbles();
    if (argc < 3)
        return usage(perft_usage);
    if (read_perft(&rules, &depth, argc, argv, &err) < 0 ||
        tool_rules_start(&rules, &game, &err) < 0)
        return fault(&err);
    print_perft_head(&rules);
    if (depth > 0 && rules.variant.family == FAMILY_PENTAGO)
        return count_pentago(&game, (unsigned)depth);
    for (unsigned d = depth > 0; d <= (unsigned)depth; d++) {
        struct perft p;
        game_perft(&game, d, &p);
        print_depth(d, &p);
    }
    return 0;
}

// "{1: 513, 2: 487}": sides without a win are left out, as the reference does.
static void print_wins(const struct playouts *p, unsigned sides)
{
    const char *comma = "";
    printf("wins {");
    for (unsigned side = 1; side <= sides; side++)
        if (p->wins[side] > 0) {
            printf("%s%u: %u", comma, side, p->wins[side]);
            comma = ", ";
        }
    printf("}");
}

// How the games were won; the reference tells no reasons apart in Pentago.
static void print_how(const struct playouts *p, bool pentago)
{
    const struct {
        const char *name;
        uint32_t count;
    } hows[] = {{"captures", p->captures},
                {pentago ? "" : "five", p->five},
                {"five+captures", p->five_and_captures}};
    const char *comma = "";
    printf("how {");
    for (size_t i = 0; i < sizeof hows / sizeof hows[0]; i++)
        if (hows[i].count > 0) {
            printf("%s'%s': %u", comma, hows[i].name, hows[i].count);
            comma = ", ";
        }
    printf("}");
}

static void print_playouts(const struct tool_rules *rules, uint32_t count, const struct playouts *p)
{
    printf("[%s] variant=%s options={%s} count=%u hash=%016llx",
           rules->calls ? "calls" : "playouts", rules->variant.name, rules->options, count,
           (unsigned long long)p->hash);
    if (rules->calls) {
        printf(" plies %llu\n", (unsigned long long)p->plies);
        return;
    }
    printf("\n  plies %llu longest %u stones-removed %llu draws %u ", (unsigned long long)p->plies,
           p->longest, (unsigned long long)p->removed, p->draws);
    print_wins(p, variant_side_count(&rules->variant));
    printf(" ");
    print_how(p, rules->variant.family == FAMILY_PENTAGO);
    printf("\n  first four:");
    for (unsigned k = 0; k < PLAYOUTS_FIRST && k < count; k++)
        printf("%s %016llx plies %u winner %u", k ? ";" : "", (unsigned long long)p->first[k].hash,
               p->first[k].plies, p->first[k].winner);
    printf("\n");
}

static int read_playouts(struct tool_rules *rules, long *count, int argc, char **argv,
                         struct error *err)
{
    int used = 2;
    int r = tool_rules_init(rules, argv[0], err);
    if (r == 0)
        r = read_number("COUNT", argv[1], 1, PLAYOUTS_MAX, count, err);
    if (r == 0 && argc > 2 && strspn(argv[2], "-0123456789") == strlen(argv[2])) {
        long size;
        used = 3;
        r = read_number("SIZE", argv[2], BOARD_SIZE_MIN, BOARD_SIZE_MAX, &size, err);
        if (r == 0)
            r = tool_rules_set(rules, "size", argv[2], true, err);
    }
    if (r == 0)
        r = tool_rules_read(rules, argc - used, argv + used, err);
    if (r == 0 && *rules->moves)
        r = error_set(err, -EINVAL, "moves= belongs to perft: playouts start with an empty board.");
    return r;
}

int tool_playouts(int argc, char **argv)
{
    static struct tool_rules rules;
    struct error err;
    struct playouts p;
    long count = 0;
    if (argc < 2)
        return usage(playouts_usage);
    if (read_playouts(&rules, &count, argc, argv, &err) < 0)
        return fault(&err);
    game_playouts(&rules.variant, (uint32_t)count, rules.calls, &p);
    print_playouts(&rules, (uint32_t)count, &p);
    return 0;
}
