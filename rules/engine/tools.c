#include "rules/engine/tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/perft.h"

static int usage(const char *text)
{
    fprintf(stderr, "tessera-engine: %s\n", text);
    return 2;
}

static int fault(const struct error *err)
{
    fprintf(stderr, "tessera-engine: %s\n", err->text);
    return 2;
}

static int read_number(const char *text, long low, long high, long *ret)
{
    char *end;
    errno = 0;
    *ret = strtol(text, &end, 10);
    return !errno && end != text && !*end && *ret >= low && *ret <= high;
}

static int make_variant(const char *name, char **changes, int count, struct variant *ret,
                        struct error *err)
{
    int r = variant_init(ret, name, err);
    for (int i = 0; r == 0 && i < count; i++) {
        char field[64], *equals = strchr(changes[i], '=');
        if (!equals || equals - changes[i] >= (int)sizeof field)
            return error_set(err, -EINVAL, "\"%s\" is not of the form field=value.", changes[i]);
        snprintf(field, sizeof field, "%.*s", (int)(equals - changes[i]), changes[i]);
        r = variant_set(ret, field, equals + 1, err);
    }
    return r < 0 ? r : variant_validate(ret, err);
}

int tool_perft(int argc, char **argv)
{
    static struct game game;
    struct variant variant;
    struct error err;
    long size, depth;
    if (argc < 3 || !read_number(argv[1], BOARD_SIZE_MIN, BOARD_SIZE_MAX, &size) ||
        !read_number(argv[2], 0, PERFT_DEPTH_MAX, &depth))
        return usage("perft VARIANT SIZE DEPTH [FIELD=VALUE]...");
    if (make_variant(argv[0], argv + 3, argc - 3, &variant, &err) < 0)
        return fault(&err);
    char text[16];
    snprintf(text, sizeof text, "%ld", size);
    if (variant_set(&variant, "size", text, &err) < 0 || variant_validate(&variant, &err) < 0)
        return fault(&err);
    game_init(&game, &variant);
    for (unsigned d = 1; d <= (unsigned)depth; d++) {
        struct perft p;
        game_perft(&game, d, &p);
        printf("depth %u: leaves %llu capturing %llu stones %llu wins %llu draws %llu\n", d,
               (unsigned long long)p.leaves, (unsigned long long)p.capturing,
               (unsigned long long)p.stones, (unsigned long long)p.wins,
               (unsigned long long)p.draws);
        fflush(stdout);
    }
    return 0;
}

int tool_playouts(int argc, char **argv)
{
    static struct game game;
    struct variant variant;
    struct error err;
    struct playouts p;
    long count;
    if (argc < 2 || !read_number(argv[1], 1, 100000000, &count))
        return usage("playouts VARIANT COUNT [FIELD=VALUE]...");
    if (make_variant(argv[0], argv + 2, argc - 2, &variant, &err) < 0)
        return fault(&err);
    game_playouts(&variant, (uint32_t)count, false, &p);
    printf("[playouts] variant=%s count=%ld hash=%016llx\n", variant.name, count,
           (unsigned long long)p.hash);
    printf("  plies %llu longest %u stones-removed %llu draws %u wins {",
           (unsigned long long)p.plies, p.longest, (unsigned long long)p.removed, p.draws);
    for (unsigned side = 1; side <= variant_side_count(&variant); side++)
        printf("%s%u: %u", side > 1 ? ", " : "", side, p.wins[side]);
    printf("}\n  first four:");
    for (uint64_t k = 0; k < 4; k++) {
        uint64_t hash = game_playout(&game, &variant, k, false);
        printf("%s %016llx plies %u winner %u", k ? ";" : "", (unsigned long long)hash,
               game.entries, game.result.winner);
    }
    printf("\n");
    return 0;
}
