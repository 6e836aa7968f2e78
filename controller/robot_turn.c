// Pentago: the arm lays the robot's marble; the block has to be turned by a person. Until the
// marble lies, the board should look as before the turn.
#include "controller/robot_private.h"

static void set_turn(struct robot *r, const struct move *move)
{
    r->turn =
        (struct robot_turn){.state = TURN_LATER, .block = move->block, .direction = move->turn};
}

void robot_turn_accepted(struct robot *r)
{
    r->turn.state = TURN_NONE;
    if (r->effect.effect.twisted && r->move_seat && !robot_player(r, r->move_seat)->at_board)
        set_turn(r, &r->move);
}

// All that the arm may still have to do is to lay the marble. A block that stands half turned is no
// work for it: its marbles lie a little like before and a little like after the turn.
static void expect_marble(struct robot *r)
{
    struct game before = *robot_game(r);
    board_target_init(&r->target, r->target.size);
    if (game_undo(&before)) {
        board_target_set(&r->target, &before);
        board_target_settle(&r->target);
    }
    robot_set_target(r);
    board_target_add(&r->target, r->o.pending);
}

// Nobody knows how far it came: compare() looks whether the block has been turned already.
void robot_turn_resume(struct robot *r)
{
    const struct game *game = robot_game(r);
    r->entries = game->entries;
    r->position = game_hash(game);
    if (game->rules.family != FAMILY_PENTAGO || !game->entries)
        return;
    if (game->result.how & (HOW_RESIGN | HOW_AGREED)) {
        board_target_settle(&r->target); // nobody need turn anything any more, least of all the arm
        return;
    }
    struct move move = game_move(game, game->entries - 1u);
    unsigned seat = game->rules.seat_count;
    while (seat && game_seat_colour(game, seat) != move.colour)
        seat--;
    // While an undo was under way, what is left of the game is all there.
    if (move.kind == MOVE_PLACE && move.block && seat && !r->o.changed &&
        !robot_player(r, seat)->at_board) {
        set_turn(r, &move);
        expect_marble(r);
    }
    robot_set_target(r);
}

// The game as it stands, or with the last turn not made.
static struct game position(const struct robot *r, bool turned)
{
    struct game game = *robot_game(r);
    if (!turned)
        game.pentago = pentago_twist(game.pentago, pentago_lane((unsigned)r->turn.block),
                                     r->turn.direction == PENTAGO_CLOCKWISE ? PENTAGO_ANTICLOCKWISE
                                                                            : PENTAGO_CLOCKWISE);
    return game;
}

void robot_set_target(struct robot *r)
{
    bool turned = r->turn.state != TURN_LATER && r->turn.state != TURN_GIVEN_UP;
    struct game game = position(r, turned);
    board_target_set(&r->target, &game);
    robot_straighten_forget(r);
    robot_expect(r);
}

void robot_turn_compare(const struct robot *r, bool turned, struct target_report *ret)
{
    struct board_target target;
    struct game game = position(r, turned);
    board_target_init(&target, r->target.size);
    board_target_set(&target, &game);
    board_target_settle(&target);
    board_target_compare(&target, &r->evidence, &r->sure, ret);
}

bool robot_turn_next(struct robot *r)
{
    if (r->turn.state == TURN_GIVEN_UP)
        return false;
    if (r->turn.state != TURN_LATER) {
        r->turn.state = TURN_NONE; // it has been seen
        return false;
    }
    r->turn.state = TURN_ASKED;
    robot_set_target(r);
    robot_raise(r, ROBOT_EV_TURN);
    return true;
}

bool robot_turned_already(struct robot *r)
{
    struct target_report report;
    if (r->turn.state != TURN_LATER && r->turn.state != TURN_GIVEN_UP)
        return false;
    robot_turn_compare(r, true, &report);
    if (report.verdict != TARGET_SAME)
        return false;
    r->step_count = 0; // its marble is no longer where it was laid
    r->turn.state = r->turn.state == TURN_LATER ? TURN_ASKED : TURN_NONE;
    robot_set_target(r);
    return true;
}

void robot_turn_ended(struct robot *r)
{
    if (r->turn.state == TURN_ASKED)
        r->turn.state = TURN_GIVEN_UP;
}

void robot_act_turn(struct robot *r)
{
    static const char *const where[] = {"far left", "far right", "near left", "near right"};
    r->doubt_since_ns = 0;
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_TURN, true);
    robot_news(r, ROBOT_NEWS_TURN, "please turn block %d (%s) %s, a quarter turn", r->turn.block,
               where[r->turn.block - 1],
               r->turn.direction == PENTAGO_CLOCKWISE ? "clockwise" : "anticlockwise");
}

bool robot_turn_asked(const struct robot *r, int *ret_block, int *ret_direction)
{
    if (r->turn.state != TURN_ASKED)
        return false;
    *ret_block = r->turn.block;
    *ret_direction = r->turn.direction;
    return true;
}
