#include "rules/engine/eval.h"

#include <math.h>
#include <stddef.h>

#include "rules/engine/worth.h"

// All weights of the evaluation (here and in line.c) were fitted by logistic regression to the
// results of the engine's own games; see README.md. 180 points are a factor e in the odds.
enum {
    TEMPO = 85,
    HANGING = 14,     // a point where either side can capture helps who moves next
    HANGING_NEAR = 5, // per stone already taken
    LINES_PERCENT = 55,
    POINTS_MAX_COUNTED = 12,
    // Won or lost by a five is a difference of ten points of score, and at even chances 180 of
    // value move a quarter of that.
    SCORE_STONE = 36, // a stone taken, in the variants where a pair is a point
};

// The worth of each point where the side to move, or the other, makes a four, an open three, or
// captures: what one can do next counts for more than what the other can, except fours.
static const struct {
    enum sb_set set;
    int mine, yours;
} point_worth[] = {{SB_FOUR, 35, 42}, {SB_THREE, 19, 9}, {SB_TAKE, 83, 63}};

// The worth of stones taken grows faster than their number: the last pair wins.
static int taken_value(const struct sboard *b, int player)
{
    int goal = b->rules.goal, taken = b->taken[player];
    if (!goal)
        return 0;
    return (170 * taken + 275 * taken * taken / goal) / goal;
}

static int hanging_value(const struct sboard *b, int player)
{
    int points = b->sets.count[player][SB_TAKE] < 3 ? b->sets.count[player][SB_TAKE] : 3;
    return b->rules.goal ? HANGING_NEAR * points * b->taken[player] * 10 / b->rules.goal : 0;
}

static int counted(int points)
{
    return points < POINTS_MAX_COUNTED ? points : POINTS_MAX_COUNTED;
}

// What the points without a stone are worth to the side to move.
static int points_value(const struct sboard *b, int me, int you)
{
    int lines = sb_worth(b, me);
    if (b->rules.line.two_a_turn)
        return lines / 2 + TEMPO;
    int value = lines * LINES_PERCENT / 200 + TEMPO;
    for (size_t i = 0; i < sizeof point_worth / sizeof *point_worth; i++) {
        enum sb_set set = point_worth[i].set;
        value += point_worth[i].mine * counted(b->sets.count[me][set]) -
                 point_worth[i].yours * counted(b->sets.count[you][set]);
    }
    return value;
}

// With another goal, pairs count by the part of it that they are; without one, not at all.
static int pairs_taken(const struct sboard *b, int player)
{
    if (!b->rules.goal)
        return 0;
    int pairs = b->taken[player] * WORTH_PAIRS / b->rules.goal;
    return pairs < WORTH_PAIRS ? pairs : WORTH_PAIRS - 1;
}

// The value of a position of Pente, whose lines' worth was learned.
static int learned_value(const struct sboard *b)
{
    const struct worth *w = b->table->learned;
    int me = b->side, you = 1 - me, value = sb_worth(b, me) + w->tempo;
    for (int i = 0; i < WORTH_SETS; i++) {
        value += w->points[i][0][worth_points(b->sets.count[me][SB_FOUR + i])];
        value += w->points[i][1][worth_points(b->sets.count[you][SB_FOUR + i])];
    }
    int mine = pairs_taken(b, me), yours = pairs_taken(b, you);
    value += w->takes[0][mine][worth_takes(b->sets.count[me][SB_TAKE])];
    value += w->takes[1][yours][worth_takes(b->sets.count[you][SB_TAKE])];
    return (value + w->taken[mine][yours]) / WORTH_UNIT;
}

int eval_position(const struct sboard *b)
{
    int me = b->side, you = 1 - me, value;
    if (b->table->learned) {
        value = learned_value(b);
    } else {
        value = points_value(b, me, you) + taken_value(b, me) - taken_value(b, you);
        if (b->sets.count[me][SB_TAKE] | b->sets.count[you][SB_TAKE]) {
            value += HANGING * (b->sets.count[me][SB_TAKE] + b->sets.count[you][SB_TAKE]);
            value += hanging_value(b, me) - hanging_value(b, you);
        }
    }
    if (b->rules.scored)
        value += SCORE_STONE * (b->taken[me] - b->taken[you]);
    return value > EVAL_LIMIT ? EVAL_LIMIT : value < -EVAL_LIMIT ? -EVAL_LIMIT : value;
}

static int promise(const struct sboard *b, int player, int cell)
{
    uint32_t c = sb_counts(b, player, cell);
    int fours = (int)LINE_FOURS(c), threes = (int)LINE_OPEN_THREES(c);
    int value = sb_score(b, player, cell);
    value += 600 * (int)LINE_OPEN_FOURS(c) + 1000 * (int)LINE_FIVES(c);
    if (fours > 1 || (fours && threes))
        value += 300;
    if (threes > 1)
        value += 120;
    int takes = sb_takes_at(b, player, cell);
    if (takes)
        value += 25 * takes + 6 * takes * b->taken[player];
    return value;
}

int eval_move(const struct sboard *b, int cell)
{
    int me = b->side;
    int exposed = (int)LINE_EXPOSED(sb_counts(b, me, cell));
    return 4 * promise(b, me, cell) + 3 * promise(b, 1 - me, cell) - 60 * exposed;
}

double eval_win_chance(int value)
{
    return 1.0 / (1.0 + exp(-value / 180.0));
}

int eval_candidates(const struct sboard *b, int limit, uint16_t *cells)
{
    int size = b->rules.size, count = 0;
    uint32_t wide[SB_SIZE_MAX + 4] = {0}, board = ((1u << size) - 1) << 2;
    for (int y = 0; y < size + 4; y++) {
        uint32_t row = b->rows[y];
        wide[y] = row | row << 1 | row << 2 | row >> 1 | row >> 2;
    }
    for (int y = 0; y < size; y++) {
        uint32_t near = wide[y] | wide[y + 1] | wide[y + 2] | wide[y + 3] | wide[y + 4];
        for (near &= board & ~b->rows[y + 2]; near; near &= near - 1) {
            if (count == limit)
                return count;
            cells[count++] = (uint16_t)sb_cell(__builtin_ctz(near) - 2, y);
        }
    }
    return count;
}
