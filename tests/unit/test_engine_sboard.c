// The search's own board against the rules core: random games of every two-colour variant, move by
// move, and make/unmake against a board laid afresh.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "rules/engine/sboard.h"
#include "rules/game.h"

static const char *const variants[] = {
    "pente",  "pente-tournament", "pente-free", "pente-points", "pente-partners",
    "keryo",  "g-pente",          "poof",       "boat",         "o-pente",
    "gomoku", "gomoku-free",      "connect6",
};

static struct sboard board, fresh;
static struct game game;

static struct sb_rules rules_of(const struct variant *v)
{
    return (struct sb_rules){
        .size = v->size,
        .line = {v->win_len, v->exact, v->capture >> 2 & 1, v->capture >> 3, v->connect6},
        .goal = v->goal,
        .poof = v->poof,
        .boat = v->boat};
}

static void assert_same_board(const struct game *g, const struct sboard *b)
{
    for (int y = 0; y < g->rules.size; y++)
        for (int x = 0; x < g->rules.size; x++)
            assert_int_equal(game_at(g, x, y), b->state[sb_cell(x, y)]);
    for (int p = 0; p < 2; p++)
        assert_int_equal(g->stones_taken[p + 1], b->taken[p]);
    if (g->result.over)
        assert_int_equal(b->winner, g->result.winner ? g->result.winner - 1 : 2);
    else
        assert_int_equal(b->winner, -1);
}

// Everything kept up to date must equal what a board laid afresh computes.
static void assert_same_tables(const struct sboard *a, const struct sboard *b)
{
    assert_int_equal(a->hash, b->hash);
    assert_true(a->totals == b->totals);
    assert_memory_equal(a->sets.count, b->sets.count, sizeof a->sets.count);
    assert_memory_equal(a->sets.set, b->sets.set, sizeof a->sets.set);
    assert_memory_equal(a->rows, b->rows, sizeof a->rows);
    assert_int_equal(a->empty, b->empty);
    for (int y = 0; y < a->rules.size; y++) {
        for (int x = 0; x < a->rules.size; x++) {
            int cell = sb_cell(x, y);
            assert_memory_equal(&a->point[cell], &b->point[cell], sizeof a->point[cell]);
        }
    }
}

static void lay_fresh(const struct sboard *from)
{
    uint8_t stones[SB_SIZE_MAX * SB_SIZE_MAX];
    int size = from->rules.size, taken[2] = {from->taken[0], from->taken[1]};
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            stones[y * size + x] = from->state[sb_cell(x, y)];
    sb_init(&fresh, &from->rules, from->table);
    sb_set(&fresh, stones, taken, from->side, from->left);
}

// A point for the next move: mostly near others, so that captures and rows happen.
static struct move random_move(const struct game *g, struct rng *rng)
{
    static struct move legal[LEGAL_MAX];
    size_t count = game_legal(g, legal);
    struct move m = legal[rng_below(rng, (uint32_t)count)];
    for (int tries = 0; tries < 8; tries++) {
        int near = 0;
        for (int d = 0; d < 9; d++) {
            int x = m.x + d % 3 - 1, y = m.y + d / 3 - 1;
            near += x >= 0 && y >= 0 && x < g->rules.size && y < g->rules.size && game_at(g, x, y);
        }
        if (near)
            break;
        m = legal[rng_below(rng, (uint32_t)count)];
    }
    return m;
}

static void play_one(const struct variant *v, const struct line_table *table, struct rng *rng)
{
    struct sb_rules rules = rules_of(v);
    sb_init(&board, &rules, table);
    game_init(&game, v);
    while (!game.result.over && board.depth < SB_DEPTH_MAX - 1) {
        struct move m = random_move(&game, rng);
        int cell = sb_cell(m.x, m.y), player = board.side;
        int wins = sb_wins_at(&board, player, cell);
        int takes = sb_takes_at(&board, player, cell);
        struct effect effect;
        assert_int_equal(game_play(&game, m, &effect), REASON_NONE);
        sb_make(&board, cell);
        assert_same_board(&game, &board);
        assert_int_equal(wins, board.winner == player);
        assert_int_equal(takes, effect.captured_count);
        if (!game.result.over && board.depth % 7 == 0) {
            lay_fresh(&board);
            assert_same_tables(&board, &fresh);
        }
    }
    while (board.depth) {
        sb_unmake(&board);
        game_undo(&game);
        assert_same_board(&game, &board);
    }
    sb_init(&fresh, &rules, table);
    assert_same_tables(&board, &fresh);
}

static void test_random_games(void **state)
{
    (void)state;
    static const int sizes[] = {19, 7, 9};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct variant v = *variant_find(variants[i]);
            struct line_table *table;
            struct rng rng;
            v.size = (uint8_t)sizes[s];
            struct sb_rules rules = rules_of(&v);
            assert_int_equal(line_table_new(&rules.line, &table), 0);
            rng_seed(&rng, i * 100 + s);
            for (int k = 0; k < 12; k++)
                play_one(&v, table, &rng);
            line_table_free(table);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
