// Move counts and checksums: the reference file when it is there, and always the facts below.
#include "tests/unit/rules_data.h"

#include "rules/perft.h"

static void set(struct variant *rules, const char *field, const char *value)
{
    struct error err;
    if (variant_set(rules, field, value, &err) != 0)
        fail_msg("%s", err.text);
}

// "options={'size': 9, 'tria': 'simple', 'place_wins': False}" as fields.
static void set_options(struct variant *rules, char *options)
{
    char *save;
    for (char *item = strtok_r(options, "{,}", &save); item; item = strtok_r(NULL, "{,}", &save)) {
        char field[32], value[32];
        if (sscanf(item, " '%31[^']': '%31[^']'", field, value) != 2 &&
            sscanf(item, " '%31[^']': %31s", field, value) != 2)
            fail_msg("cannot read the option %s", item);
        if (strcmp(value, "False") == 0)
            strcpy(value, "false");
        set(rules, field, value);
    }
}

static struct variant line_rules(const char *line)
{
    char name[VARIANT_NAME_MAX], options[128];
    struct variant rules;
    struct error err;
    const char *at = strstr(line, "variant=");
    assert_int_equal(sscanf(at, "variant=%31s", name), 1);
    if (variant_init(&rules, name, &err) != 0)
        fail_msg("%s", err.text);
    const char *size = strstr(line, "size=");
    if (size && sscanf(size, "size=%31s", options) == 1)
        set(&rules, "size", options);
    const char *open = strstr(line, "options={");
    size_t length = strcspn(open, "}") + 1;
    assert_in_range(length, 10, sizeof options);
    memcpy(options, open + 8, length - 8);
    options[length - 8] = '\0';
    set_options(&rules, options);
    return rules;
}

static void play_listed(struct game *game, const char *line)
{
    const char *at = strstr(line, "moves=") + 6;
    int x, y, used;
    for (; sscanf(at, " %d,%d%n", &x, &y, &used) == 2; at += used)
        assert_int_equal(game_play(game, move_place(0, x, y), NULL), REASON_NONE);
}

static void check_depth(struct game *game, const char *line)
{
    struct perft expected, got;
    unsigned depth;
    unsigned long long leaves, capturing, stones, wins, draws;
    int read = sscanf(line, "depth %u: leaves %llu capturing %llu stones %llu wins %llu draws %llu",
                      &depth, &leaves, &capturing, &stones, &wins, &draws);
    assert_int_equal(read, 6);
    expected = (struct perft){leaves, capturing, stones, wins, draws};
    uint64_t hash = game_hash(game);
    game_perft(game, depth, &got);
    assert_memory_equal(&expected, &got, sizeof got);
    assert_true(game_hash(game) == hash);
}

static void check_playouts(const char *line)
{
    struct variant rules = line_rules(line);
    unsigned count;
    unsigned long long hash;
    const char *at = strstr(line, "count=");
    assert_int_equal(sscanf(at, "count=%u hash=%llx", &count, &hash), 2);
    struct playouts got;
    game_playouts(&rules, count, line[1] == 'c', &got);
    if (got.hash != hash)
        fail_msg("%s\n  got %016llx", line, (unsigned long long)got.hash);
}

static void reference_file(void **state)
{
    (void)state;
    char *text = read_file(data_path("rules/perft.txt"), NULL), *save;
    static struct game game;
    unsigned checks = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "[perft]", 7) == 0) {
            struct variant rules = line_rules(line);
            game_init(&game, &rules);
            play_listed(&game, line);
        } else if (strncmp(line, "depth ", 6) == 0) {
            check_depth(&game, line);
            checks++;
        } else if (strncmp(line, "[playouts]", 10) == 0 || strncmp(line, "[calls]", 7) == 0) {
            check_playouts(line);
            checks++;
        }
    }
    print_message("%u counts and checksums\n", checks);
    assert_true(checks > 60);
    free(text);
}

// The same facts for a copy of the project without the reference data: hash of 1,000 playouts.
static const struct {
    const char *variant;
    uint64_t hash;
} facts[] = {
    {"pente", 0x40e3a1e4cd72b561},         {"pente-tournament", 0x6cdaaf6c12dd6e9a},
    {"pente-free", 0xbed63d3bd7392a6c},    {"pente-points", 0x4a398c85df0a638d},
    {"pente-team", 0x6f97d60ccd752954},    {"pente-points3", 0x29f44450335dd791},
    {"pente-points4", 0x44a75f2ffc1993f9}, {"keryo", 0xb8530d32576f161f},
    {"g-pente", 0x187038c61d098404},       {"d-pente", 0x5c71d9980842e6a5},
    {"d-pente-pbm", 0x107f6df64e8165fc},   {"dk-pente", 0x0f8d749cf2af538d},
    {"swap2-pente", 0x0574b9c182168d7e},   {"swap2-keryo", 0x3e1bc68d3a43b293},
    {"poof", 0xdd97ef1d74d9a985},          {"boat", 0x56f7ba5f6e6d8b34},
    {"o-pente", 0x63bcbfd763dfe47a},       {"gomoku", 0x72993500594893e8},
    {"gomoku-free", 0xd457d33d85bbf0d6},   {"connect6", 0xef23e153f0100db8},
    {"pentago", 0x034055b30540bd56},
};

static void checksums(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct playouts got;
        game_playouts(variant_find(facts[i].variant), 1000, false, &got);
        if (got.hash != facts[i].hash)
            fail_msg("%s: %016llx", facts[i].variant, (unsigned long long)got.hash);
    }
}

static void tallies(void **state)
{
    (void)state;
    struct playouts got;
    game_playouts(variant_find("pente"), 1000, false, &got);
    assert_int_equal(got.plies, 153951);
    assert_int_equal(got.longest, 248);
    assert_int_equal(got.removed, 5426);
    assert_int_equal(got.draws, 0);
    assert_int_equal(got.wins[1], 513);
    assert_int_equal(got.wins[2], 487);
    assert_int_equal(got.five, 888);
    assert_int_equal(got.captures, 108);
    assert_int_equal(got.five_and_captures, 4);
    game_playouts(variant_find("pentago"), 1000, false, &got);
    assert_int_equal(got.draws, 48);
}

static void generator(void **state)
{
    (void)state;
    uint64_t s = playout_seed(0);
    assert_true(s == 0x9e3779b97f4a7c15);
    assert_true(playout_next(&s) == 0x0d83b3e29a21487a);
    assert_true(playout_next(&s) == 0x54c44c79f1fe9d67);
    s = playout_seed(0);
    assert_int_equal(playout_below(&s, 361), 360);
    assert_int_equal(playout_below(&s, 361), 302);
    assert_true(fnv1a(FNV1A_START, "pente", 5) == 0x6f1283848567666b);
    static struct game game;
    assert_true(game_playout(&game, variant_find("pente"), 0, false) == 0x5fcb9259a1168408);
    assert_true(game.result.over);
    assert_int_equal(game.result.winner, 1);
}

static void depth_zero_and_too_deep(void **state)
{
    (void)state;
    static struct game game;
    struct perft got;
    game_init(&game, variant_find("pentago"));
    game_perft(&game, 0, &got);
    assert_int_equal(got.leaves, 1);
    game_perft(&game, PERFT_DEPTH_MAX + 1, &got);
    assert_int_equal(got.leaves, 0);
    // A board with one point left: the only move is a draw.
    struct variant small = *variant_find("pente-free");
    small.size = 5;
    struct setup setup = {.ply = 24};
    static const char *const rows[] = {"22112", "22112", "11221", "11221", "2211."};
    for (int i = 0; i < 24; i++) {
        setup.stones[i].colour = (uint8_t)(rows[i / 5][i % 5] - '0');
        setup.stones[i].at = (struct point){(int8_t)(i % 5), (int8_t)(4 - i / 5)};
    }
    setup.stone_count = 24;
    assert_int_equal(game_setup(&game, &small, &setup, NULL), 0);
    game_perft(&game, 1, &got);
    assert_int_equal(got.draws, 1);
    assert_int_equal(got.wins, 0);
    game_init(&game, variant_find("pentago"));
    // 36 holes, each with no twist or one of eight.
    game_perft(&game, 1, &got);
    assert_int_equal(got.leaves, 324);
    game_perft(&game, 2, &got);
    assert_int_equal(got.leaves, 102060);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator),      cmocka_unit_test(depth_zero_and_too_deep),
        cmocka_unit_test(tallies),        cmocka_unit_test(checksums),
        cmocka_unit_test(reference_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
