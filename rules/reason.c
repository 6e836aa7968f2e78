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
    [REASON_GAME_OVER] = {"game_over", "The game is over. Start a new one to go on playing."},
    [REASON_WRONG_TURN] = {"wrong_turn", NULL},
    [REASON_OFF_BOARD] = {"off_board", NULL},
    [REASON_OCCUPIED] = {"occupied", NULL},
    [REASON_CENTRE_REQUIRED] = {"centre_required", NULL},
    [REASON_TOO_CLOSE] = {"too_close", NULL},
    [REASON_CHOICE_PENDING] = {"choice_pending", NULL},
    [REASON_NO_CHOICE_PENDING] = {"no_choice_pending", NULL},
    [REASON_BAD_CHOICE] = {"bad_choice", NULL},
    [REASON_TWIST_REQUIRED] = {"twist_required", NULL},
    [REASON_BAD_TWIST] = {"bad_twist", "Turn one of the blocks 1 to 4 by a quarter, to the right "
                                       "or to the left."},
    [REASON_ONE_STONE] = {"one_stone", "Only one stone may be laid now, not two."},
    [REASON_NO_SUCH_SIDE] = {"no_such_side", "There is no such player in this game."},
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

// The point of the move as people of this game write it: K10, or 2/5.
static const char *where(const struct game *game, struct move move, char *buf)
{
    move.kind = MOVE_PLACE;
    move.block = 0;
    struct point p = {move.x, move.y};
    if (game->rules.family == FAMILY_PENTAGO)
        return move_format(&game->rules, move, buf);
    return point_format(p, buf);
}

static const char *stone_word(const struct game *game)
{
    return game->rules.family == FAMILY_PENTAGO ? "marble" : "stone";
}

static void explain_opening(enum reason reason, const struct game *game, char *buf, size_t size)
{
    int8_t middle = (int8_t)(game->rules.size / 2);
    char centre[MOVE_TEXT_MAX];
    point_format((struct point){middle, middle}, centre);
    if (reason == REASON_CENTRE_REQUIRED)
        snprintf(buf, size, "The first stone of the game goes on the middle point, %s.", centre);
    else if (game->rules.opening == OPENING_GPENTE)
        snprintf(buf, size,
                 "This stone must be at least three lines away from the middle point %s. On the "
                 "two lines straight through %s it must even be five lines away.",
                 centre, centre);
    else
        snprintf(buf, size,
                 "%s at least three lines away from the middle point %s: outside the 5 by 5 square "
                 "around it. This one is too close.",
                 game->rules.seat_count == 2 ? "Whoever began must put their second stone"
                                             : "The third stone of the game must be put",
                 centre);
}

static void explain_bad_choice(const struct game *game, char *buf, size_t size)
{
    if (game->rules.protocol == PROTOCOL_SWAP2 && game_choice_allowed(game, MOVE_PASS))
        snprintf(buf, size,
                 "Choose one of these: first, second, or pass (then you lay two more "
                 "stones).");
    else
        snprintf(buf, size, "Here you can only choose which stones are yours: first or second.");
}

static void explain_point(enum reason reason, const struct game *game, const struct move *move,
                          char *buf, size_t size)
{
    char point[MOVE_TEXT_MAX];
    bool pentago = game->rules.family == FAMILY_PENTAGO;
    if (reason == REASON_OFF_BOARD) {
        snprintf(buf, size, "That is not on the board. The board has %u by %u %s.",
                 game->rules.size, game->rules.size, pentago ? "holes" : "points");
        return;
    }
    struct move second = *move;
    if (move->kind == MOVE_PAIR && game_at(game, move->x, move->y) == 0) {
        second.x = move->x2;
        second.y = move->y2;
    }
    snprintf(buf, size, "There is already a %s on %s. Choose an empty %s.", stone_word(game),
             where(game, second, point), pentago ? "hole" : "point");
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
        snprintf(buf, size, "%s Player %u says first or second%s.", start,
                 game_choice_pending(game),
                 game_choice_allowed(game, MOVE_PASS) ? ", or pass" : "");
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

static void explain_choice_pending(const struct game *game, char *buf, size_t size)
{
    snprintf(buf, size,
             "No stone now: player %u first chooses which stones to play, first or second%s.",
             game_choice_pending(game),
             game_choice_allowed(game, MOVE_PASS) ? ", or passes to lay two more" : "");
}

static const char *twist_sentence(const struct variant *rules)
{
    if (rules->twist == TWIST_ALWAYS)
        return "After your marble you must turn one block.";
    if (rules->neutral == NEUTRAL_ROTSYM)
        return "You must turn a block now. You may only leave it out while some block would look "
               "the same after a turn.";
    return "You must turn a block now. You may only leave it out while some block is empty or has "
           "nothing but its middle marble.";
}

char *reason_explain(enum reason reason, const struct game *game, const struct move *move,
                     char *buf, size_t size)
{
    switch (reason) {
    case REASON_OFF_BOARD:
    case REASON_OCCUPIED:
        explain_point(reason, game, move, buf, size);
        break;
    case REASON_CENTRE_REQUIRED:
    case REASON_TOO_CLOSE:
        explain_opening(reason, game, buf, size);
        break;
    case REASON_BAD_CHOICE:
        explain_bad_choice(game, buf, size);
        break;
    case REASON_MALFORMED:
        explain_malformed(game, buf, size);
        break;
    case REASON_NO_CHOICE_PENDING:
        snprintf(buf, size, "There is nothing to choose now. Put a %s on the board.",
                 stone_word(game));
        break;
    case REASON_WRONG_TURN:
        snprintf(buf, size, "It is not your turn: colour %u plays now.", game_next_colour(game));
        break;
    case REASON_CHOICE_PENDING:
        explain_choice_pending(game, buf, size);
        break;
    case REASON_TWIST_REQUIRED:
        snprintf(buf, size, "%s", twist_sentence(&game->rules));
        break;
    default: // the sentence stands in the table
        snprintf(buf, size, "%s", (unsigned)reason < REASON_COUNT ? reasons[reason].sentence : "");
    }
    return buf;
}
