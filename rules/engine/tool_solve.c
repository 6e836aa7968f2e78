#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/base/io.h"
#include "rules/engine/tools.h"
#include "rules/notation.h"

enum {
    FILE_MAX = 64 << 20,
    FIELDS_MAX = 16,
};

struct solving {
    struct engine *engine;
    struct variant variant;
    struct game game;
    const struct session_options *options;
    int proven, open;
};

static int words(const char *text)
{
    int count = 0, inside = 0;
    for (; *text; text++) {
        count += *text != ' ' && !inside;
        inside = *text != ' ';
    }
    return count;
}

static int play_moves(struct solving *s, char *text, struct error *err)
{
    char *save = NULL, why[256];
    int number = 0;
    game_init(&s->game, &s->variant);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        struct move move;
        number++;
        if (!move_parse(&s->variant, word, strlen(word), &move))
            return error_set(err, -EINVAL, "move %d: \"%.20s\" is not a move", number, word);
        enum reason reason = game_play(&s->game, move, NULL);
        if (reason != REASON_NONE)
            return error_set(err, -EINVAL, "move %d, %.20s: %s", number, word,
                             reason_explain(reason, &s->game, &move, why, sizeof why));
    }
    return 0;
}

static int set_marbles(struct solving *s, const char *text, struct error *err)
{
    struct setup setup = {0};
    for (int i = 0; i < PENTAGO_HOLES; i++) {
        if (text[i] == '.')
            continue;
        if (text[i] != '1' && text[i] != '2')
            return error_set(err, -EINVAL, "a Pentago board is 36 characters of '.', '1', '2'");
        setup.stones[setup.stone_count].colour = (uint8_t)(text[i] - '0');
        setup.stones[setup.stone_count++].at = (struct point){(int8_t)(i % 6), (int8_t)(5 - i / 6)};
    }
    setup.ply = setup.stone_count;
    return game_setup(&s->game, &s->variant, &setup, err);
}

static int solve_position(struct solving *s, const char *name, struct error *err)
{
    static struct engine_thought thought;
    char text[MOVE_TEXT_MAX];
    if (s->game.result.over) {
        printf("%s\tover\n", name);
        return 0;
    }
    int64_t start = clock_monotonic_ns();
    struct engine_limits limits = {.nodes = s->options->nodes};
    if (!limits.nodes)
        limits.deadline_ns = start + s->options->move_time_ns;
    int r = engine_think(s->engine, &s->game, &limits, true, NULL, NULL, NULL, &thought, err);
    if (r < 0)
        return r;
    const struct engine_line *best = &thought.line[0];
    s->proven += best->proven;
    s->open += !best->proven;
    printf("%s\t%s\t%d\t%s\t%llu nodes\t%.1f ms", name,
           !best->proven     ? "open"
           : best->score > 0 ? "win"
           : best->score < 0 ? "loss"
                             : "draw",
           (best->plies + 1) / 2, move_format(&s->variant, best->move, text),
           (unsigned long long)thought.nodes,
           (double)(clock_monotonic_ns() - start) / (double)NS_PER_MS);
    for (int i = 0; i < best->pv_length; i++)
        printf("%s%s", i ? " " : "\t", move_format(&s->variant, best->pv[i], text));
    printf("\n");
    fflush(stdout);
    return 0;
}

static int solve_line(struct solving *s, char *line, int number, struct error *err)
{
    char *field[FIELDS_MAX], name[32];
    int count = 0, longest = 0;
    for (char *rest = line; rest && count < FIELDS_MAX;)
        field[count++] = strsep(&rest, "\t");
    for (int i = 1; i < count; i++)
        if (words(field[i]) > words(field[longest]))
            longest = i;
    snprintf(name, sizeof name, "%d", number);
    int r;
    if (s->variant.family == FAMILY_PENTAGO && strcspn(field[0], " ") == PENTAGO_HOLES)
        r = set_marbles(s, field[0], err);
    else
        r = play_moves(s, field[longest], err);
    return r < 0 ? r : solve_position(s, longest ? field[0] : name, err);
}

static int solve_text(struct solving *s, char *text)
{
    int number = 0, failed = 0;
    for (char *line; (line = strsep(&text, "\n"));) {
        struct error err;
        number++;
        line[strcspn(line, "\r#")] = '\0';
        if (!words(line))
            continue;
        if (solve_line(s, line, number, &err) < 0) {
            fprintf(stderr, "tessera-engine: line %d: %s\n", number, err.text);
            failed++;
        }
    }
    fprintf(stderr, "%d decided, %d open, %d could not be read\n", s->proven, s->open, failed);
    return failed ? 1 : 0;
}

int tool_solve(const struct session_options *options, int argc, char **argv)
{
    static struct solving s;
    struct error err;
    char *text = NULL;
    size_t size = 0;
    if (argc != 2) {
        fprintf(stderr, "tessera-engine: solve VARIANT FILE\n");
        return 2;
    }
    const char *path = strcmp(argv[1], "-") == 0 ? "/dev/stdin" : argv[1];
    s.options = options;
    int r = variant_init(&s.variant, argv[0], &err);
    if (r == 0)
        r = io_read_file(&io_system, path, FILE_MAX, &text, &size, &err);
    if (r < 0) {
        fprintf(stderr, "tessera-engine: %s\n", err.text);
        return 2;
    }
    r = engine_new(&options->engine, &s.engine, &err);
    int code = r < 0 ? 2 : solve_text(&s, text);
    if (r < 0)
        fprintf(stderr, "tessera-engine: %s\n", err.text);
    engine_free(s.engine);
    free(text);
    return code;
}
