#include "rules/reason.h"

#include <stdio.h>

#include "rules/game.h"
#include "rules/notation.h"

// Name and, where it does not depend on the game, the sentence.
static const struct {
    const char *name, *sentence;
} reasons[REASON_COUNT] = {
    [REASON_NONE] = {"", ""},
    [REASON_MALFORMED] = {"malformed", NULL},
    [REASON_GAME_OVER] = {"game_over", NULL},
    [REASON_WRONG_TURN] = {"wrong_turn", NULL},
    [REASON_OFF_BOARD] = {"off_board", NULL},
    [REASON_OCCUPIED] = {"occupied", NULL},
    [REASON_CENTRE_REQUIRED] = {"centre_required", NULL},
    [REASON_TOO_CLOSE] = {"too_close", NULL},
    [REASON_CHOICE_PENDING] = {"choice_pending", NULL},
    [REASON_NO_CHOICE_PENDING] = {"no_choice_pending", NULL},
    [REASON_BAD_CHOICE] = {"bad_choice", NULL},
    [REASON_TWIST_REQUIRED] = {"twist_required", NULL},
    [REASON_BAD_TWIST] = {"bad_twist", "A block turns by a quarter: one of the blocks 1 to 4, to "
                                       "the right (R) or to the left (L)."},
    [REASON_ONE_STONE] = {"one_stone", NULL},
    [REASON_NO_SUCH_SIDE] = {"no_such_side", NULL},
    [REASON_MATCH_OVER] = {"match_over", "The match has been decided already. Start a new match."},
    [REASON_BAD_POINT] = {"bad_point", "That is no point of the board."},
    [REASON_NO_RESULT] = {"no_result", "The text ends without a result."},
    [REASON_BAD_HEADER] = {"bad_header", "This line should be a header like [Game \"Pente\"]."},
    [REASON_UNKNOWN_GAME] = {"unknown_game", "The record is of a game that is not known here."},
    [REASON_BAD_CAPTURES] = {"bad_captures", "The record takes other stones off the board than the "
                                             "rules do."},
    [REASON_TOO_LONG] = {"too_long", "The record is longer than a game can be."},
    [REASON_BAD_SETUP] = {"bad_setup", "The stones that the record sets up cannot stand there."},
    [REASON_WRONG_RESULT] = {"wrong_result", "The record says that another player won than the "
                                             "board shows."},
    [REASON_BAD_TEXT] = {"bad_text", "The text breaks off or is not a record of this kind."},
};

const char *reason_name(enum reason reason)
{
    return (unsigned)reason < REASON_COUNT ? reasons[reason].name : "";
}

static const char *stone_word(const struct game *game)
{
    return game->rules.family == FAMILY_PENTAGO ? "marble" : "stone";
}

static void explain_game_over(const struct game *game, char *buf, size_t size)
{
    const struct result *result = &game->result;
    char end[32];
    if (result->winner != 0)
        snprintf(end, sizeof end, "%s %u has won",
                 variant_side_count(&game->rules) == game->rules.colours ? "colour" : "side",
                 result->winner);
    else
        snprintf(end, sizeof end, "%s",
                 result->how & HOW_RESIGN ? "somebody gave up" : "it is a draw");
    snprintf(buf, size, "The game is over: %s. No move can follow.", end);
}

// Points straight out from the centre that G-Pente forbids beside the square, as far as the board
// has them: "F10, G10, … or K14".
static void forbidden_points(const struct variant *v, char *buf, size_t size)
{
    static const int8_t directions[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    int centre = v->size / 2, count = 0;
    struct point points[8];
    for (int d = 0; d < 4; d++)
        for (int distance = 3; distance <= 4; distance++) {
            struct point p = {(int8_t)(centre + directions[d][0] * distance),
                              (int8_t)(centre + directions[d][1] * distance)};
            if (point_on_board(p, v->size))
                points[count++] = p;
        }
    buf[0] = '\0';
    for (int i = 0, used = 0; i < count && used < (int)size; i++) {
        char point[MOVE_TEXT_MAX];
        used += snprintf(buf + used, size - (size_t)used, "%s%s",
                         i == 0           ? ""
                         : i == count - 1 ? " or "
                                          : ", ",
                         point_format(points[i], point));
    }
}

static void explain_opening(enum reason reason, const struct game *game, char *buf, size_t size)
{
    const struct variant *v = &game->rules;
    int8_t middle = (int8_t)(v->size / 2);
    char centre[MOVE_TEXT_MAX], low[MOVE_TEXT_MAX], high[MOVE_TEXT_MAX], more[64] = "";
    point_format((struct point){middle, middle}, centre);
    if (reason == REASON_CENTRE_REQUIRED) {
        snprintf(buf, size, "The first stone of the game goes on the centre, %s.", centre);
        return;
    }
    point_format((struct point){(int8_t)(middle - 2), (int8_t)(middle - 2)}, low);
    point_format((struct point){(int8_t)(middle + 2), (int8_t)(middle + 2)}, high);
    if (v->opening == OPENING_GPENTE)
        forbidden_points(v, more, sizeof more);
    snprintf(buf, size,
             "%s must lie at least three intersections from the centre %s: outside the square from "
             "%s to %s%s%s.",
             v->seat_count == 2 ? "The first player's second stone" : "The third stone of the game",
             centre, low, high, more[0] ? ", and not on " : "", more);
}

// What whoever chooses may say.
static const char *choices(const struct game *game)
{
    return game_choice_allowed(game, MOVE_PASS)
               ? "first (the stones that began), second (the other ones) or pass (lay two more "
                 "stones)"
               : "first (the stones that began) or second (the other ones)";
}

static void explain_choice(enum reason reason, const struct game *game, char *buf, size_t size)
{
    const char *start = reason == REASON_CHOICE_PENDING ? "No stone is laid now."
                        : reason == REASON_BAD_CHOICE   ? "There is no passing now."
                                                        : "That is not a move now.";
    snprintf(buf, size, "%s Player %u chooses which stones to play: %s.", start,
             game_choice_pending(game), choices(game));
}

static void explain_off_board(const struct game *game, char *buf, size_t size)
{
    char corner[MOVE_TEXT_MAX];
    int8_t last = (int8_t)(game->rules.size - 1);
    point_format((struct point){last, last}, corner);
    if (game->rules.family == FAMILY_PENTAGO)
        snprintf(buf, size,
                 "There is no such hole. The board has four blocks with nine holes "
                 "each, from 1/1 to 4/9.");
    else
        snprintf(buf, size, "There is no such point on this board. Its corners are A1 and %s.",
                 corner);
}

static void explain_occupied(const struct game *game, const struct move *move, char *buf,
                             size_t size)
{
    // The point as people of this game write it: K10, or 2/5.
    struct move place = move_place(0, move->x, move->y);
    char point[MOVE_TEXT_MAX];
    bool free = game_at(game, move->x, move->y) == 0;
    if (move->kind == MOVE_PAIR && free && move->x == move->x2 && move->y == move->y2) {
        snprintf(buf, size, "Two stones can't lie on one point. Choose two different points.");
        return;
    }
    if (move->kind == MOVE_PAIR && free)
        place = move_place(0, move->x2, move->y2);
    snprintf(buf, size, "There is already a %s on %s. Choose an empty %s.", stone_word(game),
             move_format(&game->rules, place, point),
             game->rules.family == FAMILY_PENTAGO ? "hole" : "point");
}

// How a move is written in this game.
static void explain_malformed(const struct game *game, char *buf, size_t size)
{
    static const char start[] = "That is not a move in this game.";
    const struct variant *v = &game->rules;
    char middle[MOVE_TEXT_MAX], corner[MOVE_TEXT_MAX];
    int8_t last = (int8_t)(v->size - 1), half = (int8_t)(v->size / 2);
    point_format((struct point){half, half}, middle);
    point_format((struct point){last, last}, corner);
    if (game_choice_pending(game) != 0)
        explain_choice(REASON_MALFORMED, game, buf, size);
    else if (v->family == FAMILY_PENTAGO)
        snprintf(buf, size,
                 "%s Write the block and its hole, such as 2/5, then the block that you turn and R "
                 "or L for right or left: 2/5 1R.",
                 start);
    else
        snprintf(buf, size,
                 "%s Write a point such as %s: a letter from A to %c%s, then a number from 1 to "
                 "%u.%s",
                 start, middle, corner[0], v->size > 8 ? " (there is no I)" : "", v->size,
                 game_stones_due(game) == 2 ? " Two stones are written with + between them." : "");
}

static const char *one_stone_sentence(const struct game *game)
{
    if (!game->rules.connect6)
        return "In this game one stone is laid at a time.";
    if (game->ply == 0)
        return "The game begins with one stone. From then on everybody lays two.";
    return game->ply % 2 == 0 ? "One of your two stones lies already. Lay just the second one."
                              : "There is room for one stone only.";
}

static const char *twist_sentence(const struct variant *rules)
{
    if (rules->twist == TWIST_ALWAYS)
        return "After your marble you must turn one block a quarter, to the right or to the left.";
    if (rules->neutral == NEUTRAL_ROTSYM)
        return "You must turn a block a quarter now. You may only leave it out while some block "
               "would look the same after a turn.";
    return "You must turn a block a quarter now. You may only leave it out while some block is "
           "empty or has nothing but its middle marble.";
}

char *reason_explain(enum reason reason, const struct game *game, const struct move *move,
                     char *buf, size_t size)
{
    switch (reason) {
    case REASON_GAME_OVER:
        explain_game_over(game, buf, size);
        break;
    case REASON_OFF_BOARD:
        explain_off_board(game, buf, size);
        break;
    case REASON_OCCUPIED:
        explain_occupied(game, move, buf, size);
        break;
    case REASON_CENTRE_REQUIRED:
    case REASON_TOO_CLOSE:
        explain_opening(reason, game, buf, size);
        break;
    case REASON_CHOICE_PENDING:
    case REASON_BAD_CHOICE:
        explain_choice(reason, game, buf, size);
        break;
    case REASON_MALFORMED:
        explain_malformed(game, buf, size);
        break;
    case REASON_NO_CHOICE_PENDING:
        snprintf(buf, size, "There is nothing to choose now. Put a %s on the board.",
                 stone_word(game));
        break;
    case REASON_WRONG_TURN:
        snprintf(buf, size, "It is not your turn: player %u lays a %s of colour %u now.",
                 game_next_seat(game), stone_word(game), game_next_colour(game));
        break;
    case REASON_ONE_STONE:
        snprintf(buf, size, "%s", one_stone_sentence(game));
        break;
    case REASON_NO_SUCH_SIDE:
        snprintf(buf, size,
                 "There is no such player: this game is played with the colours 1 to %u.",
                 game->rules.colours);
        break;
    case REASON_TWIST_REQUIRED:
        snprintf(buf, size, "%s", twist_sentence(&game->rules));
        break;
    default: // the sentence stands in the table
        snprintf(buf, size, "%s", (unsigned)reason < REASON_COUNT ? reasons[reason].sentence : "");
    }
    return buf;
}
