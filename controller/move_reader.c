#include "controller/move_reader.h"

#include <stdio.h>
#include <string.h>

#include "controller/explanations.h"
#include "controller/twist_reader.h"
#include "rules/notation.h"

// Looks at every point: does it agree with the board `b`? Fills left, unsure and wrong; what is
// wrong is told against the position people know.
static void verify(const struct game *game, const struct evidence *e, const struct sureness *sure,
                   const struct explanation_way *way, struct reading *r)
{
    const struct board_sets *b = &way->board;
    struct game after = *game;
    if (way->move.colour)
        game_play(&after, way->move, NULL);
    if (way->then.colour)
        game_play(&after, way->then, NULL);
    r->left_count = r->unsure_count = r->wrong.count = 0;
    for (int y = 0; y < b->size; y++) {
        for (int x = 0; x < b->size; x++) {
            int seen;
            struct point at = {(int8_t)x, (int8_t)y};
            switch (board_sets_fit(b, e, sure, x, y, &seen)) {
            case FIT_WRONG:
                differences_add(&r->wrong, x, y, game_at(game, x, y), (unsigned)seen);
                break;
            case FIT_UNSURE:
                r->unsure[r->unsure_count++] = at;
                break;
            case FIT_GOOD:
                if (board_sets_seen(b, e, x, y) != (int)game_at(&after, x, y))
                    r->left[r->left_count++] = at;
                break;
            }
        }
    }
}

// No turn explains the board: says what differs from the position people know, not from the best
// guess.
static void name_differences(const struct game *game, const struct evidence *e,
                             const struct sureness *sure, const struct board_target *pending,
                             struct reading *r)
{
    struct explanation_way none = {0};
    r->kind = READING_WRONG;
    board_sets_of(game, pending, &none.board);
    verify(game, e, sure, &none, r);
    r->unsure_count = r->left_count = 0;
}

static void judge(const struct game *game, const struct evidence *e, const struct sureness *sure,
                  const struct board_target *pending, int moves, struct reading *r)
{
    struct explanations x;
    explanations_weigh(game, e, pending, moves, &x);
    r->move = x.best.move;
    r->then = x.best.then;
    r->second = x.second.move;
    r->odds = x.best.gain - x.second.gain;
    verify(game, e, sure, &x.best, r);
    bool torn = r->unsure_count || r->odds < sure->wrong;
    if (r->wrong.count)
        name_differences(game, e, sure, pending, r);
    else if (torn)
        r->kind = r->move.colour || r->unsure_count ? READING_DOUBT : READING_NOTHING;
    else
        r->kind = r->move.colour ? READING_MOVE : READING_NOTHING;
}

void move_reader_judge_with(const struct game *game, const struct evidence *e,
                            const struct sureness *sure, const struct reading_options *options,
                            struct reading *ret)
{
    int size = game->rules.size;
    memset(ret, 0, sizeof *ret);
    ret->kind = READING_WAIT;
    if (e->frames < sure->frames || e->columns != size || e->rows != size)
        return;
    judge(game, e, sure, options->pending, 1, ret);
    if (ret->kind == READING_MOVE || ret->kind == READING_NOTHING)
        return;
    if (twist_reader_judge(game, e, sure, ret) || options->moves < 2)
        return;
    // Two moves only where one can't explain it; what is said to people stays the simpler reading.
    struct reading both = {0};
    judge(game, e, sure, options->pending, options->moves, &both);
    if (both.kind == READING_MOVE)
        *ret = both;
}

void move_reader_judge(const struct game *game, const struct evidence *e,
                       const struct sureness *sure, struct reading *ret)
{
    move_reader_judge_with(game, e, sure, &(struct reading_options){.moves = 1}, ret);
}

// --- for people ---

static char *doubt_text(const struct reading *r, const struct game *game,
                        const struct colour_names *names, char *buf, size_t size)
{
    char a[MOVE_TEXT_MAX], b[MOVE_TEXT_MAX], points[128];
    const char *stone = names->marbles ? "marble" : "stone";
    if (r->unsure_count)
        snprintf(buf, size, "%s can't be made out clearly",
                 points_text_named(r->unsure, r->unsure_count, names, points, sizeof points));
    else if (r->second.colour)
        snprintf(buf, size, "this may be %s or %s", move_format(&game->rules, r->move, a),
                 move_format(&game->rules, r->second, b));
    else
        snprintf(buf, size, "there may be a %s on %s, or none", stone,
                 move_format(&game->rules, r->move, a));
    return buf;
}

static char *partial_text(const struct reading *r, const struct game *game, char *buf, size_t size)
{
    char move[MOVE_TEXT_MAX];
    if (!r->block)
        snprintf(buf, size, "the marble lies on %s; now turn a block by a quarter",
                 move_format(&game->rules, r->move, move));
    else
        snprintf(buf, size, "block %d stands half turned; turn it until it rests in its place",
                 r->block);
    return buf;
}

char *move_reading_text(const struct reading *r, const struct game *game,
                        const struct colour_names *names, char *buf, size_t size)
{
    char move[MOVE_TEXT_MAX], then[MOVE_TEXT_MAX];
    buf[0] = 0;
    switch (r->kind) {
    case READING_WAIT:
        snprintf(buf, size, "the board is not still yet");
        break;
    case READING_NOTHING:
        snprintf(buf, size, "no new %s on the board", names->marbles ? "marble" : "stone");
        break;
    case READING_MOVE:
        snprintf(buf, size, "%s%s%s", move_format(&game->rules, r->move, move),
                 r->then.colour ? " and then " : "",
                 r->then.colour ? move_format(&game->rules, r->then, then) : "");
        break;
    case READING_PARTIAL:
        partial_text(r, game, buf, size);
        break;
    case READING_DOUBT:
        doubt_text(r, game, names, buf, size);
        break;
    case READING_WRONG:
        if (r->block)
            snprintf(buf, size,
                     "block %d was turned %s before a marble was laid; turn it back, lay the "
                     "marble, then turn a block",
                     r->block, r->turn == PENTAGO_CLOCKWISE ? "clockwise" : "anticlockwise");
        else
            differences_text(&r->wrong, game, names, buf, size);
        break;
    }
    return buf;
}
