// tessera-engine book: makes the opening book anew (see book.h) and prints it as book_pente.c.
#include <stdlib.h>
#include <string.h>

#include "rules/engine/book.h"
#include "rules/engine/engine.h"
#include "rules/engine/tools.h"
#include "rules/notation.h"

enum { POSITIONS_MAX = 20000, FOLLOWED = 3, FIRST_REPLIES = 6, LINES = 6, HASH_MIB = 64 };

struct node {
    struct book_entry entry;
    uint8_t ply;
    struct point move[BOOK_PLIES_MAX]; // that lead there
};

struct maker {
    struct engine *engine;
    struct node *node; // those done, then those still to be done
    size_t count, limit;
    uint64_t nodes;
};

static int replay(const struct node *n, struct game *game)
{
    game_init(game, variant_find("pente"));
    for (int i = 0; i < n->ply; i++)
        if (game_play(game, move_place(0, n->move[i].x, n->move[i].y), NULL) != REASON_NONE)
            return -1;
    return 0;
}

// The position after a move. False when the game ends there.
static bool follow(const struct node *from, struct move move, struct node *ret)
{
    static struct game after;
    unsigned symmetries;
    if (from->ply == BOOK_PLIES_MAX)
        return false;
    *ret = *from;
    ret->move[ret->ply++] = (struct point){move.x, move.y};
    if (replay(ret, &after) < 0 || after.result.over)
        return false;
    ret->entry = (struct book_entry){.key = book_key(&after, &symmetries)};
    return true;
}

// Adds a position once, while there is room.
static void add(struct maker *m, const struct node *next)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->node[i].entry.key == next->entry.key)
            return;
    if (m->count < m->limit)
        m->node[m->count++] = *next;
}

// Analyses one position: keeps its good moves and adds what comes after them.
static int analyse(struct maker *m, size_t at, struct error *err)
{
    static struct game game;
    static struct engine_thought thought;
    struct node n = m->node[at], next;
    // Few stones are full of mirror images: more candidates, of which one of each kind is kept.
    struct engine_limits limits = {.nodes = m->nodes,
                                   .lines = n.ply < 3 ? ENGINE_LINES_MAX : LINES};
    uint64_t seen[ENGINE_LINES_MAX];
    int kinds = 0;
    unsigned symmetries;
    if (replay(&n, &game) < 0)
        return error_set(err, -1, "A position of the book cannot be played.");
    engine_forget(m->engine);
    int r = engine_think(m->engine, &game, &limits, true, NULL, NULL, NULL, &thought, err);
    if (r < 0)
        return r;
    book_key(&game, &symmetries);
    unsigned symmetry = (unsigned)__builtin_ctz(symmetries);
    for (int i = 0; i < thought.line_count; i++) {
        const struct engine_line *line = &thought.line[i];
        bool good = line->score >= thought.line[0].score - BOOK_KEEP, known = false;
        if (!follow(&n, line->move, &next))
            continue;
        for (int k = 0; k < kinds; k++)
            known |= seen[k] == next.entry.key;
        if (known)
            continue;
        seen[kinds++] = next.entry.key;
        if (good && m->node[at].entry.count < BOOK_MOVES_MAX) {
            struct point p =
                point_map((struct point){line->move.x, line->move.y}, symmetry, BOARD_SIZE_MAX);
            struct book_entry *e = &m->node[at].entry;
            e->move[e->count++] =
                (struct book_move){(uint8_t)p.x, (uint8_t)p.y, (int16_t)line->score};
        }
        // The second stone is where people differ most: more of those are followed.
        if (n.ply == 1 ? kinds <= FIRST_REPLIES : good && kinds <= FOLLOWED)
            add(m, &next);
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    return (x->entry.key > y->entry.key) - (x->entry.key < y->entry.key);
}

static void print(struct maker *m, size_t done)
{
    qsort(m->node, done, sizeof *m->node, by_key);
    printf(
        "// Made by `tessera-engine book %zu %llu`: %zu positions, %llu nodes each. See book.h.\n"
        "#include \"rules/engine/book.h\"\n\n"
        "// clang-format off\n"
        "const struct book_entry book_table[] = {\n",
        m->limit, (unsigned long long)m->nodes, done, (unsigned long long)m->nodes);
    for (size_t i = 0; i < done; i++) {
        const struct node *n = &m->node[i];
        char text[MOVE_TEXT_MAX];
        printf("    {0x%016llx, %d, {", (unsigned long long)n->entry.key, n->entry.count);
        for (int k = 0; k < n->entry.count; k++)
            printf("%s{%d, %d, %d}", k ? ", " : "", n->entry.move[k].x, n->entry.move[k].y,
                   n->entry.move[k].score);
        printf("}}, //");
        for (int k = 0; k < n->ply; k++)
            printf(" %s", point_format(n->move[k], text));
        printf("\n");
    }
    printf("};\n// clang-format on\n\n"
           "const size_t book_count = sizeof book_table / sizeof *book_table;\n");
}

int tool_book(int count, char **words)
{
    struct maker m = {.limit = 100, .nodes = 100000};
    struct engine_settings settings = {
        .level = ENGINE_LEVELS, .threads = 1, .hash_mib = HASH_MIB, .seed = 1};
    struct error err;
    if (count > 0)
        m.limit = (size_t)strtoul(words[0], NULL, 10);
    if (count > 1)
        m.nodes = strtoull(words[1], NULL, 10);
    if (count > 2 || m.limit < 1 || m.limit > POSITIONS_MAX || m.nodes < 1000) {
        fprintf(stderr, "tessera-engine: book [POSITIONS 1..%d [NODES, at least 1000]]\n",
                POSITIONS_MAX);
        return 2;
    }
    m.node = calloc(m.limit, sizeof *m.node);
    if (!m.node) {
        fprintf(stderr, "tessera-engine: there is not enough memory\n");
        return 1;
    }
    int r = engine_new(&settings, &m.engine, &err);
    static struct game empty;
    unsigned symmetries;
    game_init(&empty, variant_find("pente"));
    size_t done = 0;
    if (r == 0)
        m.node[m.count++] = (struct node){.entry = {.key = book_key(&empty, &symmetries)}};
    for (; r == 0 && done < m.count; done++) {
        r = analyse(&m, done, &err);
        if (done % 50 == 49)
            fprintf(stderr, "%zu positions, %zu to do\n", done + 1, m.count - done - 1);
    }
    if (r == 0)
        print(&m, done);
    else
        fprintf(stderr, "tessera-engine: %s\n", err.text);
    engine_free(m.engine);
    free(m.node);
    return r < 0;
}
