// The small readers: points, moves, drawings, fields of a variant. The first byte chooses.
#include "tests/fuzz/fuzz_record.h"

#include "rules/notation.h"
#include "rules/position.h"

static void points_and_moves(const char *text, size_t size, const struct variant *rules)
{
    struct point p, q;
    struct move move, again;
    char out[MOVE_TEXT_MAX];
    if (point_parse(text, size, &p)) {
        MUST(point_on_board(p, BOARD_SIZE_MAX));
        point_format(p, out);
        MUST(point_parse(out, strlen(out), &q) && point_equal(p, q));
    }
    if (point_parse_traditional(text, size, 19, &p)) {
        point_format_traditional(p, 19, out);
        MUST(point_parse_traditional(out, strlen(out), 19, &q) && point_equal(p, q));
    }
    if (move_parse(rules, text, size, &move)) {
        move_format(rules, move, out);
        MUST(move_parse(rules, out, strlen(out), &again) && move_equal(move, again));
        static struct game game;
        game_init(&game, rules);
        game_play(&game, move, NULL);
        MUST(game_hash(&game) == game_hash_recomputed(&game));
    }
}

static void drawing(const char *text, size_t size)
{
    seen_board seen;
    unsigned lines;
    struct error err;
    if (position_parse(text, size, seen, &lines, &err) != 0) {
        MUST(err.line >= 0 && err.column >= 1);
        return;
    }
    MUST(lines >= BOARD_SIZE_MIN && lines <= BOARD_SIZE_MAX);
}

// "field=value" lines: whatever is accepted reads back, and valid rules can be played.
static void fields(const char *text, size_t size, struct variant rules)
{
    char copy[512], value[256], *save;
    if (size >= sizeof copy)
        return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = '\0';
        if (variant_set(&rules, line, equals + 1, NULL) != 0)
            continue;
        MUST(variant_get(&rules, line, value, sizeof value) == 0);
        struct variant again = rules;
        MUST(variant_set(&again, line, value, NULL) == 0 && variant_same_rules(&again, &rules));
    }
    if (variant_validate(&rules, NULL) != 0)
        return;
    static struct game game;
    struct move legal[LEGAL_MAX];
    game_init(&game, &rules);
    for (size_t i = 0, count; i < 200 && (count = game_legal(&game, legal)) > 0; i++)
        MUST(game_play(&game, legal[i * 37 % count], NULL) == REASON_NONE);
    MUST(game_hash(&game) == game_hash_recomputed(&game));
    while (game_undo(&game))
        ;
    MUST(game.stones == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    const struct variant *rules = &variant_table[(data[0] >> 2) % variant_table_count];
    switch (data[0] & 3) {
    case 0:
        points_and_moves(text, size - 1, rules);
        break;
    case 1:
        drawing(text, size - 1);
        break;
    default:
        fields(text, size - 1, *rules);
    }
    return 0;
}
