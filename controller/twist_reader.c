#include "controller/twist_reader.h"

#include "controller/explanations.h"

enum { RIM_STRAYS_MIN = 2 }; // holes of a half-turned block that disagree, at least

int twist_block_at(int x, int y)
{
    return (y >= 3 ? 1 : 3) + (x >= 3);
}

// The middle of a block stays where it is when the block turns.
static bool is_rim_of(int block, int x, int y)
{
    return twist_block_at(x, y) == block && !(x % 3 == 1 && y % 3 == 1);
}

// The hole doesn't show what it should, or nothing that could be told from anything else: between
// two positions a marble lies half in one hole and half in none.
static bool strays(const struct board_sets *b, const struct evidence *e,
                   const struct sureness *sure, int x, int y)
{
    double margin;
    evidence_best(e, y * e->columns + x, &margin);
    return margin < sure->tell || board_sets_fit(b, e, sure, x, y, NULL) != FIT_GOOD;
}

// Every hole agrees, those on the rim of block `but` (0 = none) aside.
static bool fits(const struct board_sets *b, const struct evidence *e, const struct sureness *sure,
                 int but)
{
    for (int y = 0; y < b->size; y++) {
        for (int x = 0; x < b->size; x++) {
            if (!(but && is_rim_of(but, x, y)) && strays(b, e, sure, x, y))
                return false;
        }
    }
    return true;
}

static int rim_strays(const struct board_sets *b, const struct evidence *e,
                      const struct sureness *sure, int block)
{
    int count = 0;
    for (int y = 0; y < b->size; y++) {
        for (int x = 0; x < b->size; x++)
            count += is_rim_of(block, x, y) && strays(b, e, sure, x, y);
    }
    return count;
}

// The hole where a new marble of the mover is likeliest. False: every hole is taken.
static bool likeliest_marble(const struct game *game, const struct board_sets *base,
                             const struct evidence *e, int but, struct move *ret)
{
    unsigned colour = game_next_colour(game);
    double best = 0;
    for (int y = 0; y < base->size; y++) {
        for (int x = 0; x < base->size; x++) {
            int p = y * e->columns + x;
            double gain = evidence_log(e, p, (int)colour) - evidence_log(e, p, 0);
            if (game_at(game, x, y) || gain <= best || (but && is_rim_of(but, x, y)))
                continue;
            best = gain;
            *ret = move_place(colour, x, y);
        }
    }
    return best > 0;
}

static void lay(struct board_sets *b, struct move m)
{
    b->may[m.y * b->size + m.x] = (uint8_t)(1u << m.colour);
}

static bool twist_is_missing(const struct game *game, const struct board_sets *base,
                             const struct evidence *e, const struct sureness *sure,
                             struct reading *ret)
{
    struct board_sets laid = *base;
    struct move marble;
    if (!likeliest_marble(game, base, e, 0, &marble))
        return false;
    lay(&laid, marble);
    if (!fits(&laid, e, sure, 0))
        return false;
    ret->kind = READING_PARTIAL;
    ret->move = marble;
    ret->block = 0;
    return true;
}

static bool turned_without_marble(const struct game *game, const struct evidence *e,
                                  const struct sureness *sure, struct reading *ret)
{
    for (int block = 1; block <= PENTAGO_BLOCKS; block++) {
        for (int turn = PENTAGO_ANTICLOCKWISE; turn <= PENTAGO_CLOCKWISE; turn += 2) {
            struct pentago after = pentago_twist(game->pentago, pentago_lane((unsigned)block),
                                                 (enum pentago_turn)turn);
            struct board_sets turned = {.size = PENTAGO_SIZE};
            for (unsigned i = 0; i < PENTAGO_HOLES; i++) {
                uint64_t bit = pentago_bit(i % 6, i / 6);
                turned.may[i] = after.marbles[0] & bit ? 2 : after.marbles[1] & bit ? 4 : 1;
            }
            if (!fits(&turned, e, sure, 0))
                continue;
            ret->kind = READING_WRONG;
            ret->block = block;
            ret->turn = turn;
            return true;
        }
    }
    return false;
}

static bool stands_between(const struct game *game, const struct board_sets *base,
                           const struct evidence *e, const struct sureness *sure,
                           struct reading *ret)
{
    for (int block = 1; block <= PENTAGO_BLOCKS; block++) {
        struct board_sets laid = *base;
        struct move marble = {0};
        if (rim_strays(base, e, sure, block) < RIM_STRAYS_MIN)
            continue;
        if (!fits(&laid, e, sure, block)) {
            if (!likeliest_marble(game, base, e, block, &marble))
                continue;
            lay(&laid, marble);
            if (!fits(&laid, e, sure, block))
                continue;
        }
        ret->kind = READING_PARTIAL;
        ret->move = marble;
        ret->block = block;
        return true;
    }
    return false;
}

bool twist_reader_judge(const struct game *game, const struct evidence *e,
                        const struct sureness *sure, struct reading *ret)
{
    struct board_sets base;
    if (game->rules.family != FAMILY_PENTAGO || !game_next_colour(game))
        return false;
    board_sets_of(game, NULL, &base);
    return twist_is_missing(game, &base, e, sure, ret) ||
           turned_without_marble(game, e, sure, ret) || stands_between(game, &base, e, sure, ret);
}
