// Properties that hold in every game, tried on random games of every variant. A failure prints the
// variant and the number of the game; TESSERA_SEED=N starts with another set of games.
#include "tests/unit/rules_data.h"

#include "rules/explain.h"
#include "rules/notation.h"
#include "rules/perft.h"
#include "rules/record.h"

enum { GAMES = 8 };

static const struct variant *variant;
static uint64_t seed;
static struct game game, other;

#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s, game %llu, entry %u: %s does not hold", variant->name,                   \
                     (unsigned long long)seed, game.entries, #condition);                          \
    } while (0)

static void for_all_games(void (*property)(void))
{
    const char *given = getenv("TESSERA_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1000;
    print_message("games %llu to %llu of every variant\n", (unsigned long long)first,
                  (unsigned long long)first + GAMES - 1);
    for (size_t i = 0; i < variant_table_count; i++)
        for (seed = first; seed < first + GAMES; seed++) {
            variant = &variant_table[i];
            property();
        }
}

// Everything but the entries of the history that undo leaves behind.
static bool same_state(const struct game *a, const struct game *b)
{
    return memcmp(a, b, offsetof(struct game, history)) == 0;
}

static void make_undo_is_identity(void)
{
    static struct game before[GAME_ENTRIES_MAX + 1];
    static struct move moves[GAME_ENTRIES_MAX];
    game_playout(&other, variant, seed, false);
    game_init(&game, variant);
    for (unsigned i = 0; i < other.entries; i++) {
        memcpy(&before[i], &game, offsetof(struct game, history));
        moves[i] = game_move(&other, i);
        HOLDS(game_check(&game, moves[i], NULL) == REASON_NONE);
        HOLDS(game_play(&game, moves[i], NULL) == REASON_NONE);
    }
    HOLDS(game_hash(&game) == game_hash(&other));
    for (unsigned i = other.entries; i-- > 0;) {
        struct move move = game_move(&game, i);
        HOLDS(move_equal(move, moves[i]));
        HOLDS(game_undo(&game));
        HOLDS(same_state(&game, &before[i]));
    }
    HOLDS(!game_undo(&game));
}

static void hash_is_recomputed_hash(void)
{
    game_playout(&other, variant, seed, false);
    game_init(&game, variant);
    for (unsigned i = 0; i < other.entries; i++) {
        game_play(&game, game_move(&other, i), NULL);
        HOLDS(game_hash(&game) == game_hash_recomputed(&game));
    }
    while (game_undo(&game))
        HOLDS(game_hash(&game) == game_hash_recomputed(&game));
}

static struct move mapped_move(struct move move, unsigned s)
{
    unsigned size = variant->size;
    struct point p = point_map((struct point){move.x, move.y}, s, size);
    if (move.kind != MOVE_PLACE)
        return move;
    move.x = p.x;
    move.y = p.y;
    if (move.block != 0) {
        struct point middle = {(int8_t)((move.block - 1) % 2 * 3 + 1),
                               (int8_t)(move.block <= 2 ? 4 : 1)};
        middle = point_map(middle, s, size);
        move.block = (int8_t)((middle.y < 3 ? 3 : 1) + (middle.x < 3 ? 0 : 1));
        move.turn = (int8_t)(s & 4 ? -move.turn : move.turn);
    }
    return move;
}

static void symmetric_games_are_alike(void)
{
    game_playout(&other, variant, seed, false);
    for (unsigned s = 1; s < SYMMETRIES; s++) {
        game_init(&game, variant);
        for (unsigned i = 0; i < other.entries; i++)
            HOLDS(game_play(&game, mapped_move(game_move(&other, i), s), NULL) == REASON_NONE);
        HOLDS(memcmp(&game.result, &other.result, sizeof game.result) == 0);
        HOLDS(memcmp(game.stones_taken, other.stones_taken, sizeof game.stones_taken) == 0);
        for (int y = 0; y < variant->size; y++)
            for (int x = 0; x < variant->size; x++) {
                struct point p = point_map((struct point){(int8_t)x, (int8_t)y}, s, variant->size);
                HOLDS(game_at(&game, p.x, p.y) == game_at(&other, x, y));
            }
        if (variant->family == FAMILY_PENTAGO)
            for (unsigned c = 0; c < 2; c++)
                HOLDS(pentago_map(other.pentago.marbles[c], s) == game.pentago.marbles[c]);
    }
}

// The counters say where every stone is: laid = on the board + taken + taken from partners.
static void no_stone_is_lost(void)
{
    game_playout(&game, variant, seed, false);
    unsigned gone = 0;
    for (unsigned c = 1; c <= variant->colours; c++)
        gone += game.stones_taken[c] + game.friendly[c];
    HOLDS(game.ply == game.stones + gone);
    HOLDS(game.result.over);
    HOLDS(game_next_colour(&game) == 0 && game_next_seat(&game) == 0);
}

static void refused_moves_change_nothing(void)
{
    uint64_t rng = playout_seed(seed);
    game_playout(&other, variant, seed, false);
    game_init(&game, variant);
    for (unsigned i = 0; i < other.entries; i++) {
        static struct game before;
        struct effect effect;
        memcpy(&before, &game, offsetof(struct game, history));
        struct move wild = {
            (uint8_t)playout_below(&rng, 9),       (uint8_t)playout_below(&rng, 6),
            (int8_t)(playout_below(&rng, 24) - 2), (int8_t)(playout_below(&rng, 24) - 2),
            (int8_t)(playout_below(&rng, 24) - 2), (int8_t)(playout_below(&rng, 24) - 2),
            (int8_t)(playout_below(&rng, 7) - 1),  (int8_t)(playout_below(&rng, 5) - 2)};
        enum reason checked = game_check(&game, wild, &effect);
        HOLDS(same_state(&game, &before));
        HOLDS(effect.reason == checked);
        if (checked != REASON_NONE) {
            HOLDS(game_play(&game, wild, NULL) == checked);
            HOLDS(same_state(&game, &before));
            char sentence[256];
            HOLDS(strlen(reason_explain(checked, &game, &wild, sentence, sizeof sentence)) > 10);
        }
        game_play(&game, game_move(&other, i), NULL);
    }
}

// What is listed as legal is accepted, and nothing else is.
static void legal_moves_are_the_legal_ones(void)
{
    struct move legal[LEGAL_MAX];
    if (seed % 4 != 0)
        return;
    game_playout(&other, variant, seed, false);
    game_init(&game, variant);
    for (unsigned i = 0; i < other.entries; i += 1) {
        size_t count = game_legal(&game, legal), placed = 0;
        for (size_t j = 0; j < count; j++)
            HOLDS(game_check(&game, legal[j], NULL) == REASON_NONE);
        for (int hole = 0; hole < variant->size * variant->size; hole++)
            placed += game_check(&game, move_place(0, hole % variant->size, hole / variant->size),
                                 NULL) == REASON_NONE;
        bool pentago = variant->family == FAMILY_PENTAGO;
        HOLDS(game_choice_pending(&game) ? placed == 0 && count >= 2
              : pentago                  ? count >= placed
                                         : count == placed);
        game_play(&game, game_move(&other, i), NULL);
    }
    HOLDS(game_legal(&game, legal) == 0);
}

static void moves_survive_text(void)
{
    game_playout(&game, variant, seed, false);
    for (unsigned i = 0; i < game.entries; i++) {
        char text[MOVE_TEXT_MAX];
        struct move move = game_move(&game, i), read;
        move_format(variant, move, text);
        HOLDS(move_parse(variant, text, strlen(text), &read));
        read.colour = move.colour;
        HOLDS(move_equal(read, move));
    }
}

static void records_survive_text(void)
{
    static struct record record, read;
    static char text[RECORD_WRITE_MAX], again[RECORD_WRITE_MAX];
    game_playout(&game, variant, seed, false);
    // Also games that nobody finished: the last moves taken back.
    for (unsigned i = 0; i < seed % 5; i++)
        game_undo(&game);
    record_init(&record, &game);
    record_set_tag(&record, "Player 1 Name", "A \"B\" [C] \\D: \xC3\xA9");
    record_set_tag(&record, "Date", "03/17/2021");
    unsigned written = 0;
    for (unsigned f = RECORD_PENTEORG; f <= RECORD_NUMBER; f++) {
        size_t length, second;
        struct error err;
        enum record_format format = (enum record_format)f;
        int rc = record_write(&record, format, text, sizeof text, &length, &err);
        if (rc == -ENOTSUP)
            continue;
        HOLDS(rc == 0 && strlen(text) == length);
        bool names_rules = format == RECORD_PENTEORG || format == RECORD_SGF;
        HOLDS(record_read(text, length, format, names_rules ? NULL : variant, NULL, &read, &err) ==
              0);
        if (read.fault.reason != REASON_NONE)
            fail_msg("%s, game %llu as %s: %s\n%s", variant->name, (unsigned long long)seed,
                     record_format_name(format), read.fault.text, text);
        HOLDS(read.game.entries == game.entries);
        HOLDS(game_hash(&read.game) == game_hash(&game));
        HOLDS(memcmp(&read.game.result, &game.result, sizeof game.result) == 0);
        HOLDS(read.game.rules.opening == variant->opening);
        for (unsigned i = 0; i < game.entries; i++)
            HOLDS(format == RECORD_NUMBER ||
                  move_equal(game_move(&read.game, i), game_move(&game, i)));
        if (names_rules)
            HOLDS(strcmp(record_tag(&read, "Player 1 Name"), "A \"B\" [C] \\D: \xC3\xA9") == 0);
        HOLDS(record_write(&read, format, again, sizeof again, &second, &err) == 0);
        HOLDS(strcmp(text, again) == 0);
        written++;
    }
    HOLDS(written > 0);
}

// Whatever move was made, the board after it is explained by that move.
static void seen_boards_are_explained(void)
{
    static struct explanation found;
    seen_board seen;
    if (seed % 4 != 0)
        return;
    game_playout(&other, variant, seed, false);
    game_init(&game, variant);
    for (unsigned i = 0; i < other.entries; i++) {
        struct move move = game_move(&other, i);
        bool look = i % 16 == 3 || i + 1 == other.entries;
        if (look && move.kind == MOVE_PLACE) {
            static struct game after;
            after = game;
            game_play(&after, move, NULL);
            game_seen(&after, seen);
            game_explain(&game, seen, &found);
            bool listed = false;
            for (size_t j = 0; j < found.move_count; j++)
                listed |= move_equal(found.moves[j], move);
            HOLDS(listed);
            HOLDS(found.has_nearest && found.nearest_count == 0);
            HOLDS(found.unchanged == (found.difference_count == 0));
            HOLDS(variant->family == FAMILY_PENTAGO || found.move_count == 1);
        }
        game_play(&game, move, NULL);
    }
}

static void four_twists_are_identity(void **state)
{
    (void)state;
    uint64_t rng = playout_seed(77);
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t a = playout_next(&rng) & PENTAGO_ALL, b = playout_next(&rng) & PENTAGO_ALL & ~a;
        struct pentago p = {{a, b}}, q = p;
        for (unsigned lane = 0; lane < 4; lane++) {
            for (unsigned turn = 0; turn < 4; turn++)
                q = pentago_twist(q, lane, PENTAGO_CLOCKWISE);
            assert_memory_equal(&p, &q, sizeof p);
            q = pentago_twist(pentago_twist(p, lane, PENTAGO_CLOCKWISE), lane,
                              PENTAGO_ANTICLOCKWISE);
            assert_memory_equal(&p, &q, sizeof p);
            bool same = pentago_twist(p, lane, PENTAGO_CLOCKWISE).marbles[0] == a &&
                        pentago_twist(p, lane, PENTAGO_CLOCKWISE).marbles[1] == b;
            assert_int_equal(same, pentago_lane_symmetric(p, lane));
            assert_true(!pentago_lane_neutral(p, lane) || same);
            assert_int_equal(pentago_lane(pentago_block(lane)), lane);
        }
        assert_true(pentago_from_number(pentago_number(p), &q));
        assert_memory_equal(&p, &q, sizeof p);
        for (unsigned s = 0; s < SYMMETRIES; s++) {
            uint64_t there = pentago_map(a, s);
            assert_true(pentago_map(there, symmetry_inverse(s)) == a);
            assert_int_equal(__builtin_popcount(pentago_lines(there)),
                             __builtin_popcount(pentago_lines(a)));
        }
        // A quarter turn of the board is a rotation by one lane.
        assert_true(pentago_map(a, 1) == (a << 16 | a >> 48));
    }
}

// The table of lines against the definition: five holes in a row.
static void lines_are_the_lines(void **state)
{
    (void)state;
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    uint64_t lines[PENTAGO_LINES], rng = playout_seed(5);
    unsigned count = 0;
    for (int hole = 0; hole < 36; hole++)
        for (unsigned s = 0; s < 4; s++) {
            int x = hole % 6, y = hole / 6, ex = x + 4 * steps[s][0], ey = y + 4 * steps[s][1];
            if (ex < 0 || ex > 5 || ey < 0 || ey > 5)
                continue;
            lines[count] = 0;
            for (int i = 0; i < 5; i++)
                lines[count] |=
                    pentago_bit((unsigned)(x + i * steps[s][0]), (unsigned)(y + i * steps[s][1]));
            assert_int_equal(__builtin_popcount(pentago_lines(lines[count])), 1);
            count++;
        }
    assert_int_equal(count, PENTAGO_LINES);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t marbles = playout_next(&rng) & PENTAGO_ALL;
        if (i % 2)
            marbles |= playout_next(&rng) & PENTAGO_ALL;
        unsigned expected = 0;
        for (unsigned j = 0; j < PENTAGO_LINES; j++)
            expected += (marbles & lines[j]) == lines[j];
        assert_int_equal(__builtin_popcount(pentago_lines(marbles)), expected);
    }
    for (unsigned hole = 0; hole < 36; hole++)
        assert_int_equal(pentago_hole_of[pentago_bit_of[hole]], hole);
}

#define PROPERTY(name)                                                                             \
    static void name##_test(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        for_all_games(name);                                                                       \
    }

PROPERTY(make_undo_is_identity)
PROPERTY(hash_is_recomputed_hash)
PROPERTY(symmetric_games_are_alike)
PROPERTY(no_stone_is_lost)
PROPERTY(refused_moves_change_nothing)
PROPERTY(legal_moves_are_the_legal_ones)
PROPERTY(moves_survive_text)
PROPERTY(records_survive_text)
PROPERTY(seen_boards_are_explained)

// Positions reached by another order of moves have the same fingerprint, different ones have not.
static void hash_knows_positions(void **state)
{
    (void)state;
    static const struct move moves[] = {{MOVE_PLACE, 0, 9, 9, 0, 0, 0, 0},
                                        {MOVE_PLACE, 0, 3, 3, 0, 0, 0, 0},
                                        {MOVE_PLACE, 0, 15, 15, 0, 0, 0, 0},
                                        {MOVE_PLACE, 0, 3, 5, 0, 0, 0, 0}};
    static const unsigned order[] = {0, 3, 2, 1};
    game_init(&game, variant_find("pente"));
    game_init(&other, variant_find("pente"));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(game_play(&game, moves[i], NULL), REASON_NONE);
        assert_int_equal(game_play(&other, moves[order[i]], NULL), REASON_NONE);
        if (i == 1)
            assert_true(game_hash(&game) != game_hash(&other));
    }
    assert_true(game_hash(&game) == game_hash(&other));
    // The same stones with other counters or another turn are another position.
    struct setup setup = {.stone_count = 0, .ply = 24};
    uint64_t hashes[4];
    game_setup(&game, variant_find("pente"), &setup, NULL);
    hashes[0] = game_hash(&game);
    setup.ply = 25;
    game_setup(&game, variant_find("pente"), &setup, NULL);
    hashes[1] = game_hash(&game);
    setup.stones_taken[1] = 2;
    game_setup(&game, variant_find("pente"), &setup, NULL);
    hashes[2] = game_hash(&game);
    setup.captures[1] = 1;
    game_setup(&game, variant_find("pente"), &setup, NULL);
    hashes[3] = game_hash(&game);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(hashes[i] != hashes[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make_undo_is_identity_test),
        cmocka_unit_test(hash_is_recomputed_hash_test),
        cmocka_unit_test(hash_knows_positions),
        cmocka_unit_test(symmetric_games_are_alike_test),
        cmocka_unit_test(no_stone_is_lost_test),
        cmocka_unit_test(refused_moves_change_nothing_test),
        cmocka_unit_test(legal_moves_are_the_legal_ones_test),
        cmocka_unit_test(moves_survive_text_test),
        cmocka_unit_test(records_survive_text_test),
        cmocka_unit_test(seen_boards_are_explained_test),
        cmocka_unit_test(four_twists_are_identity),
        cmocka_unit_test(lines_are_the_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
