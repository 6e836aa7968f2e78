#include "rules/engine/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/book.h"
#include "rules/engine/eval.h"
#include "rules/engine/points.h"
#include "rules/engine/search.h"

_Static_assert((int)ENGINE_WIN == (int)SEARCH_WIN, "scores are handed on as they are");

enum {
    EARLY_PLY = 10, // until here near-equal moves are varied
    EARLY_BIAS = 5, // values closer than this are equal in the opening
    DELAYS = 3,     // own moves a win is put off for points
};

struct rows {
    struct search *search;
    struct line_table *table;
    struct sb_rules rules; // of the table and of what the search has learnt
    struct sboard board;
    struct search_result result;
};

bool rows_plays(const struct variant *v)
{
    return v->family == FAMILY_PENTE && v->colours == 2 && v->size <= SB_SIZE_MAX &&
           v->win_len >= 3 && v->win_len <= 6 && !(v->exact && v->win_len > 5) &&
           !(v->connect6 && (v->capture || v->poof || v->boat));
}

int rows_new(unsigned hash_mib, int threads, struct rows **ret)
{
    struct rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        return -ENOMEM;
    int r = search_new(hash_mib, threads, &rows->search);
    if (r < 0) {
        free(rows);
        return r;
    }
    *ret = rows;
    return 0;
}

struct rows *rows_free(struct rows *rows)
{
    if (!rows)
        return NULL;
    search_free(rows->search);
    line_table_free(rows->table);
    free(rows);
    return NULL;
}

void rows_forget(struct rows *rows)
{
    search_forget(rows->search);
}

static struct sb_rules rules_of(const struct variant *v)
{
    struct sb_rules rules = {
        .size = v->size,
        .line = {.win_length = v->win_len,
                 .exact = v->exact,
                 .pairs = v->capture >> 2 & 1,
                 .triples = v->capture >> 3 & 1,
                 .two_a_turn = v->connect6},
        // A goal in captures is met soonest by the longest rows; pairs are what is mostly taken.
        .goal = v->goal_unit == GOAL_STONES ? v->goal : 2 * v->goal,
        .scored = points_count(v),
        .poof = v->poof,
        .boat = v->boat,
    };
    return rules;
}

int rows_prepare(struct rows *rows, const struct variant *variant)
{
    struct sb_rules rules = rules_of(variant);
    if (rows->table && memcmp(&rules, &rows->rules, sizeof rules) == 0)
        return 0;
    if (!rows->table || memcmp(&rules.line, &rows->rules.line, sizeof rules.line) != 0) {
        struct line_table *table;
        int r = line_table_new(&rules.line, &table);
        if (r < 0)
            return r;
        line_table_free(rows->table);
        rows->table = table;
    }
    rows->rules = rules;
    search_forget(rows->search);
    return 0;
}

// Makes the tables fit the variant and lays the game's position on the board.
static int lay(struct rows *rows, const struct game *game)
{
    int r = rows_prepare(rows, &game->rules);
    if (r < 0)
        return r;
    struct sb_rules rules = rows->rules;
    sb_init(&rows->board, &rules, rows->table);
    uint8_t stones[SB_SIZE_MAX * SB_SIZE_MAX];
    for (int y = 0; y < rules.size; y++)
        for (int x = 0; x < rules.size; x++)
            stones[y * rules.size + x] = (uint8_t)game_at(game, x, y);
    int taken[2];
    for (int p = 0; p < 2; p++)
        taken[p] = game->rules.goal_unit == GOAL_STONES ? game->stones_taken[p + 1]
                                                        : 2 * game->captures[p + 1];
    sb_set(&rows->board, stones, taken, (int)game_next_colour(game) - 1,
           (int)game_stones_due(game));
    return 0;
}

static struct move move_of(const struct game *game, int cell)
{
    return move_place(game_next_colour(game), sb_x(cell), sb_y(cell));
}

static void fill_line(const struct game *game, const struct search_line *from,
                      struct engine_line *to)
{
    memset(to, 0, sizeof *to);
    to->move = move_of(game, from->cell);
    to->score = from->score;
    to->proven = abs(from->score) > SEARCH_PROVEN;
    to->plies = to->proven ? SEARCH_WIN - abs(from->score) : 0;
    to->win_chance = to->proven ? from->score > 0 : eval_win_chance(from->score);
    to->depth = from->depth;
    to->nodes = from->nodes;
    unsigned colour = game_next_colour(game), left = game_stones_due(game);
    for (int i = 0; i < from->pv_length && i < ENGINE_PV_MAX; i++) {
        to->pv[i] = move_place(colour, sb_x(from->pv[i]), sb_y(from->pv[i]));
        to->pv_length = i + 1;
        if (--left == 0) {
            colour = 3 - colour;
            left = game->rules.connect6 ? 2 : 1;
        }
    }
}

static void fill(const struct game *game, const struct search_result *from, int lines,
                 struct engine_thought *to)
{
    to->line_count = 0;
    for (int i = 0; i < from->line_count && i < lines && i < ENGINE_LINES_MAX; i++)
        fill_line(game, &from->line[i], &to->line[to->line_count++]);
    to->depth = from->depth;
    to->selective_depth = from->selective_depth;
    to->nodes = from->nodes;
    to->book = false;
}

// Puts the line that ends the game with the most points before the others.
static void promote(const struct engine_line *first, struct engine_thought *ret)
{
    int at = 0;
    while (at < ret->line_count - 1 && !move_equal(ret->line[at].move, first->move))
        at++;
    for (; at > 0; at--)
        ret->line[at] = ret->line[at - 1];
    ret->line[0] = *first;
}

// What is needed to hand on a running search's reports.
struct relay {
    const struct game *game;
    int lines;
    const struct engine_line *first; // NULL, or what ends the game with the most points
    engine_report *report;
    void *user;
};

static void pass_report(void *user, const struct search_result *result)
{
    struct relay *relay = user;
    struct engine_thought thought;
    fill(relay->game, result, relay->lines, &thought);
    if (relay->first)
        promote(relay->first, &thought);
    relay->report(relay->user, &thought);
}

static int legal_cells(const struct game *game, uint16_t *cells)
{
    static _Thread_local struct move legal[LEGAL_MAX];
    size_t count = game_legal(game, legal);
    int cell_count = 0;
    for (size_t i = 0; i < count && cell_count < SEARCH_ROOT_MAX; i++)
        if (legal[i].kind == MOVE_PLACE)
            cells[cell_count++] = (uint16_t)sb_cell(legal[i].x, legal[i].y);
    return cell_count;
}

// A weak player's oversight: takes what looks best for his own stones, as if the other had none.
static int own_plan(const struct sboard *b, const uint16_t *cells, int count, struct rng *rng)
{
    int best = cells[0], best_score = -1;
    for (int i = 0; i < count; i++) {
        int score = 4 * sb_score(b, b->side, cells[i]) + (int)rng_below(rng, 40);
        if (score > best_score) {
            best_score = score;
            best = cells[i];
        }
    }
    return best;
}

// Whether the level looks away this time; then the thought is one own plan.
static bool overlooks(struct rows *rows, const struct level *level, struct rng *rng,
                      const struct game *game, const uint16_t *cells, int count,
                      struct engine_thought *ret)
{
    struct sboard *b = &rows->board;
    uint16_t win[1];
    double chance = sb_winning_cells(b, 1 - b->side, 1, win) ? level->miss_four : level->oversight;
    if (sb_winning_cells(b, b->side, 1, win) || game->stones < 2 || rng_double(rng) >= chance)
        return false;
    struct search_line line = {.cell = (uint16_t)own_plan(b, cells, count, rng), .pv_length = 1};
    line.pv[0] = line.cell;
    *ret = (struct engine_thought){.line_count = 1};
    fill_line(game, &line, &ret->line[0]);
    return true;
}

static void play_down(const struct level *level, struct rng *rng, struct engine_thought *thought)
{
    int scores[ENGINE_LINES_MAX];
    for (int i = 0; i < thought->line_count; i++)
        scores[i] = thought->line[i].score;
    int chosen = level_choose(level, scores, thought->line_count, rng);
    struct engine_line line = thought->line[chosen];
    thought->line[chosen] = thought->line[0];
    thought->line[0] = line;
}

// A move of the book, when the position is in it.
static bool from_book(const struct game *game, struct rng *rng, struct engine_thought *ret)
{
    struct move move;
    int score;
    if (!book_find(game, rng, &move, &score))
        return false;
    *ret = (struct engine_thought){.line_count = 1, .book = true};
    struct engine_line *line = &ret->line[0];
    line->move = line->pv[0] = move;
    line->pv_length = 1;
    line->score = score;
    line->win_chance = eval_win_chance(score);
    return true;
}

int rows_think(struct rows *rows, const struct game *game, const struct engine_limits *limits,
               const struct level *level, struct rng *rng, atomic_int *stop, engine_report *report,
               void *user, struct engine_thought *ret)
{
    uint16_t cells[SEARCH_ROOT_MAX];
    if (!level && limits->lines <= 1 && from_book(game, rng, ret))
        return 0;
    int r = lay(rows, game), count = legal_cells(game, cells);
    if (r < 0)
        return r;
    if (count < 1)
        return -EINVAL;
    struct search_limits search = {
        .deadline_ns = limits->deadline_ns,
        .nodes = limits->nodes,
        .depth = limits->depth,
        .lines = limits->lines > 1 ? limits->lines : 1,
        .seed = rng_next(rng),
        .bias = game->ply < EARLY_PLY && limits->lines <= 1 ? EARLY_BIAS : 0,
    };
    if (level) {
        if (overlooks(rows, level, rng, game, cells, count, ret))
            return 0;
        if (level->nodes && (!search.nodes || search.nodes > level->nodes))
            search.nodes = level->nodes;
        if (level->depth && (!search.depth || search.depth > level->depth))
            search.depth = level->depth;
        search.proof_moves = level->proof_moves;
        if (search.lines < level->lines)
            search.lines = level->lines;
        // What an earlier move taught a stronger self must not leak into this one.
        if (level->nodes)
            search_forget(rows->search);
    }
    struct engine_thought end;
    int lead, ends = rows->rules.scored &&
                     points_end(game, limits, level ? level->delays : DELAYS, stop, &end, &lead);
    if (ends && limits->lines <= 1) {
        *ret = end;
        return 0;
    }
    struct relay relay = {game, search.lines, ends ? &end.line[0] : NULL, report, user};
    r = search_run(rows->search, &rows->board, cells, count, &search, stop,
                   report ? pass_report : NULL, &relay, &rows->result);
    if (r < 0)
        return r;
    fill(game, &rows->result, search.lines, ret);
    if (ends)
        promote(&end.line[0], ret);
    if (level)
        play_down(level, rng, ret);
    return 0;
}

int rows_value(struct rows *rows, const struct game *game, const struct engine_limits *limits,
               atomic_int *stop, int *ret_score)
{
    struct engine_thought thought = {0};
    struct rng rng;
    rng_seed(&rng, 0);
    int r = rows_think(rows, game, limits, NULL, &rng, stop, NULL, NULL, &thought);
    if (r == 0)
        *ret_score = thought.line[0].score;
    return r;
}
