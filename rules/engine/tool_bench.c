#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/tools.h"
#include "rules/notation.h"
#include "rules/perft.h"

// Middle games from real play (openings known from many games), and Pentago positions.
static const struct {
    const char *variant, *moves;
} positions[] = {
    {"pente", "K10 L9 K14 L11 H12 J11 H10 L10"},
    {"pente", "K10 M9 N9 M11 M10 L11 N11 O8 K11 K9 K12 L9"},
    {"pente", "K10 K9 N10 L8 M7 J10 N12 H9 N11 N9 N13 N14 G8 K11"},
    {"keryo", "K10 J11 K13 J13 H10 J12 J10 L10 M11 L12"},
    {"gomoku-free", "H8 J9 G9 J7 J8 F8 G10"},
    {"poof", "K10 L11 O10 L9 L8 N9 O8 M9"},
    {"pentago", "2/5 1R, 3/5 1L, 1/5 4R, 4/5 3L, 1/1 2R, 2/1 4L"},
    {"pentago", "2/4 1R, 3/5 1L, 1/8 4R, 4/2 3L, 1/1 2R, 2/7 4L, 3/3 1R, 4/8 2L"},
};

enum { NODES = 400000 };

static int play(struct game *game, const struct variant *variant, const char *moves)
{
    const char *separator = variant->family == FAMILY_PENTAGO ? "," : " ";
    game_init(game, variant);
    while (*moves) {
        struct move move;
        moves += strspn(moves, ", ");
        size_t length = strcspn(moves, separator);
        if (!move_parse(variant, moves, length, &move) ||
            game_play(game, move, NULL) != REASON_NONE)
            return -1;
        moves += length;
    }
    return 0;
}

struct total {
    uint64_t nodes, signature;
    int64_t ns;
};

static int run_one(struct engine *engine, size_t i, bool json, struct total *total)
{
    static struct game game;
    static struct engine_thought thought;
    struct variant variant;
    struct error err;
    char text[MOVE_TEXT_MAX];
    if (variant_init(&variant, positions[i].variant, &err) < 0 ||
        play(&game, &variant, positions[i].moves) < 0) {
        fprintf(stderr, "tessera-engine: bench position %zu cannot be played\n", i + 1);
        return 1;
    }
    engine_forget(engine);
    struct engine_limits limits = {.nodes = NODES};
    int64_t start = clock_monotonic_ns();
    if (engine_think(engine, &game, &limits, true, NULL, NULL, NULL, &thought, &err) < 0) {
        fprintf(stderr, "tessera-engine: %s\n", err.text);
        return 1;
    }
    int64_t ns = clock_monotonic_ns() - start;
    move_format(&variant, thought.line[0].move, text);
    total->signature = fnv1a(total->signature, text, strlen(text));
    total->signature = fnv1a(total->signature, &thought.nodes, sizeof thought.nodes);
    total->nodes += thought.nodes;
    total->ns += ns;
    double seconds = (double)ns / (double)NS_PER_S;
    printf(json ? "%s{\"variant\":\"%s\",\"move\":\"%s\",\"depth\":%d,\"nodes\":%llu,"
                  "\"seconds\":%.4f,\"nodes_per_second\":%.0f}"
                : "%s%-12s %-8s depth %2d  %8llu nodes  %7.3f s  %9.0f nodes/s\n",
           json && i ? "," : "", variant.name, text, thought.depth,
           (unsigned long long)thought.nodes, seconds, (double)thought.nodes / seconds);
    return 0;
}

int tool_bench(const struct session_options *options, bool json)
{
    struct engine_settings settings = {
        .level = ENGINE_LEVELS, .threads = 1, .hash_mib = options->engine.hash_mib, .seed = 1};
    struct engine *engine;
    struct error err;
    struct total total = {.signature = FNV1A_START};
    if (engine_new(&settings, &engine, &err) < 0) {
        fprintf(stderr, "tessera-engine: %s\n", err.text);
        return 1;
    }
    if (json)
        printf("{\"positions\":[");
    int failed = 0;
    for (size_t i = 0; i < sizeof positions / sizeof *positions && !failed; i++)
        failed = run_one(engine, i, json, &total);
    engine_free(engine);
    double seconds = (double)total.ns / (double)NS_PER_S;
    printf(json ? "],\"nodes\":%llu,\"nodes_per_second\":%.0f,\"signature\":\"%016llx\"}\n"
                : "total %llu nodes, %.0f nodes/s, signature %016llx\n",
           (unsigned long long)total.nodes, (double)total.nodes / seconds,
           (unsigned long long)total.signature);
    return failed;
}
