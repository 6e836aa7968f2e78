// Reading moves of every variant from drawings: what lies on the board, and what is said about it.
//
// A drawing shows the board as seen, top row first: '.' empty, '1'..'4' colours, '?' covered by
// something foreign, '~' nothing that can be told. A new mistake of the reader is a new drawing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "controller/move_reader.h"
#include "rules/notation.h"
#include "tests/unit/observed.h"

struct drawing {
    const char *variant, *options; // "size=7 capture=2"
    const char *moves;             // played before, space between
    const char *seen;
    const char *says;
    int left;       // captured stones that lie there still
    int moves_made; // that may have been made; 0 = 1
};

static const struct drawing PENTE[] = {
    // A capture in three stages: nothing, one or both stones lifted.
    {"pente-free", "size=7", "B4 C4 A1 D4",
     ".......\n.......\n.......\n.122 1..\n.......\n.......\n1......\n", "E4", 2, 0},
    {"pente-free", "size=7", "B4 C4 A1 D4",
     ".......\n.......\n.......\n.1.2 1..\n.......\n.......\n1......\n", "E4", 1, 0},
    {"pente-free", "size=7", "B4 C4 A1 D4",
     ".......\n.......\n.......\n.1.. 1..\n.......\n.......\n1......\n", "E4", 0, 0},
    // Two pairs by one stone, one pair lifted.
    {"pente-free", "size=7", "A1 B2 A7 C3 A4 B6 G7 C5",
     "1.....1\n.2.....\n..2....\n1..1...\n.......\n.......\n1......\n", "D4", 2, 0},
    // The captured stones are gone, but where is the stone that took them?
    {"pente-free", "size=7", "B4 C4 A1 D4",
     ".......\n.......\n.......\n.1.....\n.......\n.......\n1......\n",
     "two red stones are gone: C4 and D4", 0, 0},
    // A hand's stone too many.
    {"pente-free", "size=7", "D4",
     "2......\n.......\n.......\n...1...\n.......\n.......\n......2\n",
     "two red stones are new: G1 and A7", 0, 0},
    // A move, and a neighbour of the same colour pushed one point on.
    {"pente-free", "size=7", "D4 A1",
     ".......\n.......\n.......\n....1..\n.......\n.1.....\n2......\n",
     "a blue stone is new: B2; the blue stone on D4 has moved to E4", 0, 0},
    // Covered points are never guessed.
    {"pente-free", "size=7", "D4",
     ".......\n.......\n....2..\n...1...\n.......\n.......\n......?\n",
     "G1 can't be made out clearly", 0, 0},
    // Poof: a pair laid into a bracket is lost, both stones, and may lie there still.
    {"pente-free", "size=7 poof=true", "E4 C4 A1 F4",
     ".......\n.......\n.......\n..2112.\n.......\n.......\n1......\n", "D4", 2, 0},
    {"pente-free", "size=7 poof=true", "E4 C4 A1 F4",
     ".......\n.......\n.......\n..21 .2.\n.......\n.......\n1......\n", "D4", 1, 0},
    // Two fast moves before the camera had a quiet moment.
    {"pente-free", "size=7", "D4",
     ".......\n.......\n....2..\n...1...\n.1.....\n.......\n.......\n", "E5 and then B3", 0, 2},
    {"pente-free", "size=7", "B4 C4 A1 D4",
     ".......\n.......\n...2...\n.1.. 1..\n.......\n.......\n1......\n", "E4 and then D5", 0, 2},
    // Where one move is all that may have happened, the same is wrong.
    {"pente-free", "size=7", "D4",
     ".......\n.......\n....2..\n...1...\n.1.....\n.......\n.......\n",
     "a blue stone is new: B3; a red stone is new: E5", 0, 0},
};

static const struct drawing MANY_COLOURS[] = {
    {"pente-team", "size=7", "D4 A1 A7",
     "3......\n.......\n.......\n...1..4\n.......\n.......\n2......\n", "G4", 0, 0},
    {"pente-team", "size=7", "D4 A1 A7",
     "3......\n.......\n.......\n...1..1\n.......\n.......\n2......\n",
     "a blue stone is new: G4, but it is amber's turn", 0, 0},
    {"pente-team", "size=7", "D4 A1 A7",
     "4......\n.......\n.......\n...1...\n.......\n.......\n2......\n",
     "on A7 lies an amber stone instead of a green one", 0, 0},
    // Captured: one red and one amber stone, one of them lifted.
    {"pente-points4", "size=7 opening=free", "B4 C4 A1 D4",
     ".......\n.......\n.......\n.12.1..\n.......\n.......\n3......\n", "E4", 1, 0},
};

static const struct drawing CONNECT6[] = {
    {"connect6", "size=7", "D4", ".......\n.......\n..2....\n...1...\n....2..\n.......\n.......\n",
     "E3+C5", 0, 0},
    {"connect6", "size=7", "D4", ".......\n.......\n..2....\n...1...\n.......\n.......\n.......\n",
     "C5", 0, 0},
    {"connect6", "size=7", "D4", ".......\n..2....\n..2....\n...1...\n....2..\n.......\n.......\n",
     "three red stones are new: E3, C5 and C6", 0, 0},
    {"connect6", "size=7", "D4 C5",
     ".......\n.......\n..2....\n...1...\n....2..\n.......\n.......\n", "E3", 0, 0},
};

static const struct drawing PENTAGO[] = {
    // The marble on 2/5, block 1 turned (it is empty: nothing to be seen of that).
    {"pentago", "", "", "......\n....1.\n......\n......\n......\n......\n", "2/5", 0, 0},
    // The marble laid on 2/4, block 2 turned clockwise: it arrives on 2/2.
    {"pentago", "", "1/1 3L", "1...2.\n......\n......\n......\n......\n......\n", "2/2", 0, 0},
    // Blocks that are not empty tell how they were turned.
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "..1..2\n......\n......\n..12..\n...1..\n......\n", "4/2 4L", 0, 0},
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "..1..2\n......\n......\n..1...\n....1.\n.....2\n", "4/5 4R", 0, 0},
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "1....2\n......\n......\n..1..2\n....1.\n......\n", "4/5 1L", 0, 0},
    // Half a turn: the marble lies, no block was turned.
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "..1..2\n......\n......\n..1..2\n....1.\n......\n",
     "the marble lies on 4/5; now turn a block by a quarter", 0, 0},
    // A block between two positions.
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     ".~~..2\n~..1..\n~~....\n..1..2\n......\n......\n",
     "block 1 stands half turned; turn it until it rests in its place", 0, 0},
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "..1..2\n......\n......\n..1???\n...?1?\n...???\n",
     "block 4 stands half turned; turn it until it rests in its place", 0, 0},
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "?2?..2\n?..1..\n.?....\n..1..2\n......\n......\n",
     "block 1 stands half turned; turn it until it rests in its place", 0, 0},
    // Turned before a marble was laid.
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     ".....2\n......\n..1...\n..1..2\n......\n......\n",
     "block 1 was turned clockwise before a marble was laid; turn it back, lay the marble, then "
     "turn a block",
     0, 0},
    // The other's marble.
    {"pentago", "", "1/1 1R 2/1 2R 3/1 3R 4/1 4R",
     "..1..2\n......\n......\n..1..2\n....2.\n......\n",
     "a white marble is new: 4/5, but it is black's turn", 0, 0},
};

static struct game game;
static struct evidence evidence;
static struct observation seen;

static void set_options(struct variant *variant, const char *options)
{
    char text[128];
    struct error err = {0};
    (void)snprintf(text, sizeof text, "%s", options);
    for (char *save = NULL, *o = strtok_r(text, " ", &save); o; o = strtok_r(NULL, " ", &save)) {
        char *value = strchr(o, '=');
        *value++ = 0;
        if (variant_set(variant, o, value, &err) != 0)
            fail_msg("%s=%s: %s", o, value, err.text);
    }
}

static void play(const char *moves)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%s", moves);
    const char *save = text, *end = text + strlen(text);
    while (save < end) {
        // A Pentago turn is two words: "2/4 1R".
        size_t n = strcspn(save, " ");
        if (game.rules.family == FAMILY_PENTAGO && save[n] && strchr("1234", save[n + 1]) &&
            strchr("RL", save[n + 2]))
            n += 3;
        struct move move;
        if (!move_parse(&game.rules, save, n, &move) || game_play(&game, move, NULL) != REASON_NONE)
            fail_msg("%.*s can't be played", (int)n, save);
        save += n + (save[n] == ' ');
    }
}

static void draw(const char *drawing)
{
    int x = 0, y = game.rules.size - 1;
    observed_game(&seen, &game);
    seen.colours = game.rules.colours;
    for (const char *c = drawing; *c; c++) {
        if (*c == ' ')
            continue;
        if (*c == '\n') {
            assert_int_equal(x, game.rules.size);
            x = 0;
            y--;
        } else if (*c == '~') {
            observed_point(&seen, x++, y, 0, 0);
        } else {
            observed_point(&seen, x++, y,
                           *c == '?'   ? OBSERVATION_UNKNOWN
                           : *c == '.' ? 0
                                       : *c - '0',
                           OBSERVED_SURE);
        }
    }
    assert_int_equal(y, -1);
}

static void check_one(const struct drawing *d)
{
    static const struct colour_names STONES = {{NULL, "blue", "red", "green", "amber"}, false};
    static const struct colour_names MARBLES = {{NULL, "black", "white"}, true};
    struct sureness sure = sureness_default();
    struct reading reading;
    struct variant variant;
    char text[DIFFERENCES_TEXT_MAX];
    assert_int_equal(variant_init(&variant, d->variant, NULL), 0);
    set_options(&variant, d->options);
    game_init(&game, &variant);
    play(d->moves);
    memset(&evidence, 0, sizeof evidence);
    draw(d->seen);
    observed_add(&evidence, &seen, 4);
    const struct reading_options options = {.moves = d->moves_made ? d->moves_made : 1};
    move_reader_judge_with(&game, &evidence, &sure, &options, &reading);
    move_reading_text(&reading, &game, variant.family == FAMILY_PENTAGO ? &MARBLES : &STONES, text,
                      sizeof text);
    if (strcmp(text, d->says) != 0 || reading.left_count != d->left)
        fail_msg("%s after \"%s\" shows\n%s\nexpected: %s (%d left)\nread:     %s (%d left)",
                 d->variant, d->moves, d->seen, d->says, d->left, text, reading.left_count);
    // What is read can be played.
    if (reading.kind == READING_MOVE) {
        assert_int_equal(game_play(&game, reading.move, NULL), REASON_NONE);
        if (reading.then.colour)
            assert_int_equal(game_play(&game, reading.then, NULL), REASON_NONE);
    }
}

static void check_all(const struct drawing *drawings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_one(&drawings[i]);
}

#define CHECK(list) check_all(list, sizeof(list) / sizeof(list)[0])

static void test_pente(void **state)
{
    (void)state;
    CHECK(PENTE);
}

static void test_many_colours(void **state)
{
    (void)state;
    CHECK(MANY_COLOURS);
}

static void test_connect6(void **state)
{
    (void)state;
    CHECK(CONNECT6);
}

static void test_pentago(void **state)
{
    (void)state;
    CHECK(PENTAGO);
}

// Every Pentago turn from a crowded position is read back as one that leads to the same board.
static void test_every_pentago_turn(void **state)
{
    (void)state;
    struct sureness sure = sureness_default();
    struct reading reading;
    struct move legal[LEGAL_MAX];
    game_init(&game, variant_find("pentago"));
    play("1/1 1R 2/4 3L 3/7 2R 4/2 4L 1/6 2L 3/3 1L 2/8 3R 4/9 4R");
    size_t count = game_legal(&game, legal);
    assert_true(count > 150);
    for (size_t i = 0; i < count; i++) {
        struct game after = game, read = game;
        assert_int_equal(game_play(&after, legal[i], NULL), REASON_NONE);
        memset(&evidence, 0, sizeof evidence);
        observed_game(&seen, &after);
        observed_add(&evidence, &seen, 4);
        move_reader_judge(&game, &evidence, &sure, &reading);
        assert_int_equal(reading.kind, READING_MOVE);
        assert_int_equal(game_play(&read, reading.move, NULL), REASON_NONE);
        assert_memory_equal(&read.pentago, &after.pentago, sizeof after.pentago);
    }
}

// Captured stones that stay on the board past the next move are no new stones.
static void test_late_lifts(void **state)
{
    (void)state;
    struct sureness sure = sureness_default();
    struct board_target pending;
    struct reading reading;
    struct variant variant;
    assert_int_equal(variant_init(&variant, "pente-free", NULL), 0);
    set_options(&variant, "size=7");
    game_init(&game, &variant);
    play("B4 C4 A1 D4");
    board_target_init(&pending, 7);
    board_target_set(&pending, &game);
    board_target_settle(&pending);
    play("E4");
    board_target_set(&pending, &game);
    const struct reading_options options = {.pending = &pending, .moves = 1};
    static const struct {
        const char *seen;
        enum reading_kind kind;
        int left;
    } looks[] = {
        {".......\n.......\n.......\n.122 1..\n.......\n.......\n1......\n", READING_NOTHING, 2},
        {".......\n.......\n.......\n.1.2 1..\n.......\n.......\n1......\n", READING_NOTHING, 1},
        {".......\n.......\n.......\n.122 1..\n.......\n.......\n1.....2\n", READING_MOVE, 2},
        {".......\n.......\n.......\n.1.. 1..\n.......\n.......\n1.....2\n", READING_MOVE, 0},
        {".......\n.......\n.......\n.1.. 1..\n.......\n.......\n1.....1\n", READING_WRONG, 0},
    };
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        memset(&evidence, 0, sizeof evidence);
        draw(looks[i].seen);
        observed_add(&evidence, &seen, 4);
        move_reader_judge_with(&game, &evidence, &sure, &options, &reading);
        assert_int_equal(reading.kind, looks[i].kind);
        assert_int_equal(reading.left_count, looks[i].left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pente),
        cmocka_unit_test(test_many_colours),
        cmocka_unit_test(test_connect6),
        cmocka_unit_test(test_pentago),
        cmocka_unit_test(test_every_pentago_turn),
        cmocka_unit_test(test_late_lifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
