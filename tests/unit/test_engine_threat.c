// Proofs by threats, checked by an independent verifier on the rules core: against every legal
// reply the proof's side wins within the moves it promised.
#include "tests/unit/engine_helper.h"

#include "rules/engine/threat.h"

enum { NODES = 40000, STEP = 24, PROOF_MOVES = 4 };

static struct sboard board;
static struct threat threat;
static struct line_table *table;

static void lay(const struct game *game)
{
    uint8_t stones[SB_SIZE_MAX * SB_SIZE_MAX];
    int size = game->rules.size;
    int taken[2] = {game->stones_taken[1], game->stones_taken[2]};
    struct sb_rules rules = {.size = size, .line = {5, 0, 1, 0, 0}, .goal = 10};
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            stones[y * size + x] = (uint8_t)game_at(game, x, y);
    sb_init(&board, &rules, table);
    sb_set(&board, stones, taken, (int)game_next_colour(game) - 1, 1);
}

static int find_proof(const struct game *game, int moves, struct move *ret)
{
    uint16_t cell = 0;
    lay(game);
    uint64_t hash = board.hash;
    int win = threat_win(&threat, &board, moves, NODES, &cell);
    assert_int_equal(board.hash, hash);
    assert_int_equal(board.depth, 0);
    *ret = move_place(0, sb_x(cell), sb_y(cell));
    return win;
}

// Plays the proof's moves on the core and tries every reply. The stack holds the games on the way;
// recursion is bounded by PROOF_MOVES.
static void verify(const struct game *game, int promised)
{
    struct game *after = malloc(2 * sizeof *after), *reply = after + 1;
    struct move move, *legal = malloc(LEGAL_MAX * sizeof *legal);
    assert_non_null(after);
    assert_non_null(legal);
    unsigned me = game_next_colour(game);
    int win = find_proof(game, promised, &move);
    assert_in_range(win, 1, promised);
    *after = *game;
    assert_int_equal(game_play(after, move, NULL), REASON_NONE);
    if (!after->result.over) {
        assert_true(win > 1);
        size_t count = game_legal(after, legal);
        for (size_t i = 0; i < count; i++) {
            *reply = *after;
            assert_int_equal(game_play(reply, legal[i], NULL), REASON_NONE);
            if (reply->result.over)
                fail_msg("the defender wins first");
            verify(reply, win - 1);
        }
    } else {
        assert_int_equal(after->result.winner, me);
    }
    free(legal);
    free(after);
}

static void test_proofs_hold(void **state)
{
    (void)state;
    static char line[65536];
    static struct game game;
    FILE *file = open_data("tactics/forced_wins.tsv");
    int tried = 0;
    for (int n = 0; fgets(line, sizeof line, file);) {
        char *field[4] = {0}, *rest = line;
        if (line[0] == '#' || n++ % STEP)
            continue;
        for (int i = 0; i < 4; i++)
            field[i] = strsep(&rest, "\t");
        int promised = atoi(field[1]);
        if (promised > 3)
            continue; // every reply to every reply: too many for a quick test
        play_text(&game, "pente", field[2]);
        verify(&game, promised);
        tried++;
    }
    fclose(file);
    assert_true(tried > 5);
}

// Quiet positions have no proof, and looking for one leaves the board alone.
static void test_no_proof_from_nothing(void **state)
{
    (void)state;
    static struct game game;
    static const char *const quiet[] = {"K10", "K10 L11", "K10 L11 N10 L9", "K10 A1 L10 A3"};
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        char moves[64];
        struct move move;
        snprintf(moves, sizeof moves, "%s", quiet[i]);
        play_text(&game, "pente", moves);
        assert_int_equal(find_proof(&game, 10, &move), 0);
    }
}

// A fifth pair wins like a five, and threatening it is a threat.
static void test_proof_by_captures(void **state)
{
    (void)state;
    static struct game game;
    struct setup setup = {.ply = 20, .stones_taken = {0, 8, 0}};
    struct error err;
    struct move move;
    static const struct {
        int colour, x, y;
    } stones[] = {{1, 3, 3},   {2, 4, 3},  {2, 5, 3},  {1, 12, 12}, {2, 12, 13},
                  {2, 12, 14}, {1, 3, 15}, {2, 4, 15}, {2, 5, 15}};
    for (size_t i = 0; i < sizeof stones / sizeof *stones; i++) {
        setup.stones[i].colour = (uint8_t)stones[i].colour;
        setup.stones[i].at = (struct point){(int8_t)stones[i].x, (int8_t)stones[i].y};
    }
    setup.stone_count = sizeof stones / sizeof *stones;
    assert_int_equal(game_setup(&game, variant_find("pente"), &setup, &err), 0);
    assert_int_equal(find_proof(&game, 5, &move), 1);
    // Three pairs hang and two are needed: the defender can save one of the last two only.
    setup.stones_taken[1] = 6;
    assert_int_equal(game_setup(&game, variant_find("pente"), &setup, &err), 0);
    assert_int_equal(find_proof(&game, 5, &move), 2);
    verify(&game, 2);
}

static int set_up(void **state)
{
    (void)state;
    struct line_rules rules = {5, 0, 1, 0, 0};
    return threat_init(&threat, 1 << 14) || line_table_new(&rules, &table);
}

static int tear_down(void **state)
{
    (void)state;
    threat_done(&threat);
    line_table_free(table);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_proof_from_nothing),
        cmocka_unit_test(test_proof_by_captures),
        cmocka_unit_test(test_proofs_hold),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
