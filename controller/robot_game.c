// Turns, players and the rules daemon.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "controller/robot_private.h"
#include "rules/notation.h"

const struct game *robot_game(const struct robot *r)
{
    return referee_game(r->o.referee);
}

void robot_stop_players(struct robot *r)
{
    for (unsigned seat = 1; seat <= robot_game(r)->rules.seat_count; seat++) {
        struct player *p = robot_player(r, seat);
        p->ops->stop(p->impl);
    }
}

// --- the result ---

static void describe_result(const struct robot *r, char *buf, size_t size)
{
    const struct result *result = &robot_game(r)->result;
    unsigned bits = result->how;
    char how[64] = "";
    for (const char *name; (name = how_name(&bits));)
        snprintf(how + strlen(how), sizeof how - strlen(how), "%s%s", how[0] ? " and " : "", name);
    if (!result->winner) {
        snprintf(buf, size, "the game is a draw (%s)", how);
        return;
    }
    const struct variant *rules = &robot_game(r)->rules;
    for (unsigned seat = 1; seat <= rules->seat_count; seat++) {
        unsigned colour = game_seat_colour(robot_game(r), seat);
        if (rules->sides[colour] == result->winner) {
            const struct player *p = &r->o.players[seat - 1];
            snprintf(buf, size, "%s (%s) %s (%s)", p->name, robot_colour_name(r, colour),
                     player_is_you(p) ? "win" : "wins", how);
            return;
        }
    }
}

// Told, and on disk, before the stones are put away: nobody goes on with a board half cleared.
static void tell_result(struct robot *r)
{
    char text[ROBOT_TEXT] = "the game has ended";
    struct error err;
    if (r->result_told)
        return;
    r->result_told = true;
    describe_result(r, text, sizeof text);
    robot_news(r, ROBOT_NEWS_RESULT, "%s", text);
    if (r->o.log && robot_log_end(r->o.log, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
}

// --- turns ---

static unsigned seat_in(const struct game *game)
{
    unsigned choice = game_choice_pending(game);
    return choice ? choice : game_next_seat(game);
}

static unsigned seat_to_move(const struct robot *r)
{
    return seat_in(robot_game(r));
}

static void begin_tidying(struct robot *r)
{
    r->tidying = true;
    r->turn.state = TURN_NONE;
    robot_stop_players(r);
    tell_result(r);
    robot_news(r, ROBOT_NEWS_DOING, "the arm puts the stones away");
    board_target_clear(&r->target);
    robot_expect(r);
    robot_raise(r, ROBOT_EV_CHANGED);
}

void robot_act_decide(struct robot *r)
{
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_FAULT, false); // whatever was asked is answered
    if (referee_stale(r->o.referee)) {
        robot_raise(r, ROBOT_EV_STALE); // before anybody moves in a game that may be another one
        return;
    }
    if (robot_game(r)->result.over) {
        bool able = arm_state(r->arm) == ARM_HOMED;
        if (able && robot_ahead_colour(r))
            robot_raise(r, ROBOT_EV_PUT_BACK);
        else if (able && (r->tidy || r->settings->game.tidy) && !r->tidying)
            begin_tidying(r);
        else
            robot_raise(r, ROBOT_EV_GAME_OVER);
        return;
    }
    unsigned seat = seat_to_move(r);
    robot_raise(r, robot_player(r, seat)->at_board ? ROBOT_EV_PERSON : ROBOT_EV_NAMER);
}

void robot_act_watch(struct robot *r)
{
    unsigned seat = seat_to_move(r);
    struct player *p = robot_player(r, seat);
    bool done = r->pressed && r->moved_early;
    r->pressed = r->moved_early = false;
    r->hint[0] = 0;
    r->doubt_since_ns = 0;
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_TURN, true);
    if (game_choice_pending(robot_game(r)))
        robot_news(r, ROBOT_NEWS_TURN, "%s may choose: first, second%s", p->name,
                   game_choice_allowed(robot_game(r), MOVE_PASS) ? " or pass" : "");
    else if (player_is_you(p))
        robot_news(r, ROBOT_NEWS_TURN, "your move, %s",
                   robot_colour_name(r, game_next_colour(robot_game(r))));
    else
        robot_news(r, ROBOT_NEWS_TURN, "%s to move with %s", p->name,
                   robot_colour_name(r, game_next_colour(robot_game(r))));
    p->ops->think(p->impl, robot_game(r));
    if (done)
        robot_raise(r, ROBOT_EV_PRESSED);
}

void robot_act_explain(struct robot *r)
{
    r->counts.hints++;
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_TURN, true);
    robot_news(r, ROBOT_NEWS_HINT, "%s", r->hint);
    struct player *p = robot_player(r, seat_to_move(r));
    if (p->ops->complain)
        p->ops->complain(p->impl, r->hint);
}

void robot_act_think(struct robot *r)
{
    struct player *p = robot_player(r, seat_to_move(r));
    r->pressed = false;
    robot_news(r, ROBOT_NEWS_TURN, "%s is thinking", p->name);
    p->ops->think(p->impl, robot_game(r));
}

// --- the rules ---

// Taken back, resigned, agreed, or played on: not so after a draw was only offered, nor when the
// game was read anew and stands as it did.
static bool game_is_another(const struct robot *r)
{
    const struct game *game = robot_game(r);
    return game->entries != r->entries || game->result.over != r->over ||
           (game->entries && game_hash(game) != r->position);
}

static void follow_all(struct robot *r, const struct rules_effect *effect)
{
    const struct game *game = robot_game(r);
    r->entries = game->entries;
    r->position = game_hash(game);
    r->over = game->result.over;
    for (unsigned seat = 1; seat <= game->rules.seat_count; seat++) {
        struct player *p = robot_player(r, seat);
        p->ops->follow(p->impl, game);
    }
    r->events.position(r->events.user, game, effect);
}

static void announce_calls(struct robot *r, const struct effect *effect)
{
    bool by_robot = r->move_seat && !robot_player(r, r->move_seat)->at_board;
    if (by_robot && !r->settings->game.announce_calls)
        return;
    if (effect->calls & CALL_TESSERA)
        robot_news(r, ROBOT_NEWS_CALL, "tessera");
    else if (effect->calls & CALL_TRIA)
        robot_news(r, ROBOT_NEWS_CALL, "tria");
}

// r->move, r->move_seat; the referee's game is the one after it.
static void accept_move(struct robot *r, const struct rules_effect *effect)
{
    char text[MOVE_TEXT_MAX];
    recorder_decision(r->o.recorder, "move", move_format(&robot_game(r)->rules, r->move, text));
    r->effect = *effect;
    r->mover = r->move_seat;
    r->counts.moves++;
    r->counts.captured += effect->effect.captured_count;
    r->attempts = 0;
    robot_turn_accepted(r);
    robot_set_target(r);
    follow_all(r, effect);
    announce_calls(r, &effect->effect);
}

static void ask_about_rules(struct robot *r, const char *text)
{
    r->question_board = false;
    snprintf(r->question, sizeof r->question, "the rules: %.*s", ROBOT_TEXT - 16, text);
    robot_raise(r, ROBOT_EV_TROUBLE);
}

static void on_judged(void *user, const struct rules_effect *effect, const struct error *err)
{
    struct robot *r = user;
    bool at_board = r->move_seat && robot_player(r, r->move_seat)->at_board;
    if (err && at_board && strcmp(err->code, "IllegalMove") == 0) {
        snprintf(r->hint, sizeof r->hint, "%.*s", ROBOT_TEXT - 1, err->text);
        robot_raise(r, ROBOT_EV_REFUSED);
        return;
    }
    if (err && strcmp(err->code, "GameChanged") == 0) {
        robot_news(r, ROBOT_NEWS_TROUBLE, "the rules: %s The game is read anew.", err->text);
        r->refused = true;
        robot_raise(r, ROBOT_EV_CHANGED);
        return;
    }
    if (err) {
        ask_about_rules(r, err->text);
        return;
    }
    accept_move(r, effect);
    robot_raise(r, ROBOT_EV_ACCEPTED);
}

// The board has to follow what is no move; after an interruption only the log knows of it.
void robot_note_change(struct robot *r)
{
    char pending[POINTS_MAX + 1];
    struct error err;
    if (!r->o.log || !board_target_pending(&r->target))
        return;
    board_target_format(&r->target, pending);
    r->change_logged = true;
    if (robot_log_change(r->o.log, pending, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
}

// Killed between the rules' word and ours nobody would know that stones are still to be lifted. Not
// written, it is not done.
static int note_undo(struct robot *r, const struct game *game)
{
    struct board_target target = r->target;
    char pending[POINTS_MAX + 1];
    struct error err;
    if (!r->o.log)
        return 0;
    board_target_set(&target, game);
    board_target_format(&target, pending);
    int result = robot_log_undo(r->o.log, game->entries, pending, &err);
    if (result < 0) {
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
        return result;
    }
    r->undo_asked = r->change_logged = true;
    return 0;
}

// It was accepted, and the answer lost: found when the game was read anew. False: no such move.
static bool accept_late_move(struct robot *r)
{
    struct game earlier = *robot_game(r);
    struct rules_effect effect = {0};
    const int entries = earlier.entries - (int)r->entries;
    if (entries < 1 || entries > (earlier.rules.connect6 ? 2 : 1))
        return false;
    struct move move = game_move(&earlier, r->entries);
    const struct move last = game_move(&earlier, r->entries + (size_t)entries - 1);
    if (last.kind == MOVE_RESIGN || last.kind == MOVE_DRAW) // entries too, but nothing is laid
        return false;
    if (entries == 2)
        move =
            move_pair(move.colour, (struct point){move.x, move.y}, (struct point){last.x, last.y});
    r->move = move;
    for (int i = 0; i < entries; i++)
        game_undo(&earlier);
    r->move_seat = seat_in(&earlier);
    game_check(&earlier, r->move, &effect.effect);
    accept_move(r, &effect);
    return true;
}

// The players were stopped for it: they are asked anew once the board has been looked at and, since
// nobody knows whether it was done after all, the game read anew. Until then what the log says of
// an undo holds.
static void not_changed(struct robot *r, const struct error *err)
{
    if (r->state == ROBOT_JUDGING) {
        ask_about_rules(r, err->text);
        return;
    }
    robot_news(r, ROBOT_NEWS_TROUBLE, "the rules: %s Before the next move the game is read anew.",
               err->text);
    robot_raise(r, ROBOT_EV_CHANGED);
}

static void change_target(struct robot *r)
{
    r->mover = 0;
    if (robot_game(r)->entries < r->entries)
        r->turn.state = TURN_NONE; // taken back
    if (robot_game(r)->result.over)
        robot_turn_ended(r);
    r->tidying = r->result_told = false; // taken back: it goes on
    robot_set_target(r);
}

static void on_changed(void *user, const struct rules_effect *effect, const struct error *err)
{
    (void)effect;
    struct robot *r = user;
    if (err) {
        not_changed(r, err);
        return;
    }
    r->undo_asked = false;
    if (accept_late_move(r)) {
        robot_raise(r, ROBOT_EV_CHANGED);
        return;
    }
    bool another = game_is_another(r);
    if (another)
        change_target(r);
    follow_all(r, NULL);
    if (another)
        robot_note_change(r);
    robot_raise(r, ROBOT_EV_CHANGED);
}

void robot_act_judge(struct robot *r)
{
    if (r->controls)
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
    int result = 0;
    unsigned side = robot_game(r)->rules.sides[game_seat_colour(robot_game(r), r->move_seat)];
    if (r->move.kind == MOVE_RESIGN)
        result = referee_resign(r->o.referee, side, on_changed, r);
    else if (r->move.kind == MOVE_DRAW)
        result = referee_draw(r->o.referee, side, on_changed, r);
    else
        result = referee_play(r->o.referee, r->move, on_judged, r);
    if (result == -EBUSY)
        ask_about_rules(r, "they are still being asked something else");
    else if (result == -ESTALE)
        ask_about_rules(r, "what became of the last request is not known yet");
    else if (result < 0)
        ask_about_rules(r, strerror(-result));
}

static void on_reread(void *user, const struct rules_effect *effect, const struct error *err)
{
    struct robot *r = user;
    bool refused = r->refused;
    r->refused = false;
    if (!err && refused && !game_is_another(r)) { // or it would be tried for ever
        ask_about_rules(r, "they refuse a move that this program finds legal. The two are of "
                           "different versions: install both anew.");
        return;
    }
    if (!err)
        robot_news(r, ROBOT_NEWS_DOING, "the rules answer again: %s",
                   game_is_another(r) ? "the game has changed" : "the game stands as it did");
    on_changed(r, effect, err);
}

void robot_act_reread(struct robot *r)
{
    const char *game = referee_state(r->o.referee)->game;
    int result = referee_continue(r->o.referee, game, on_reread, r);
    if (result < 0 && result != -EBUSY) // busy: it is being read already, from before a stop
        ask_about_rules(r, strerror(-result));
}

void robot_on_player_move(void *robot, unsigned seat, struct move move)
{
    struct robot *r = robot;
    char text[MOVE_TEXT_MAX];
    recorder_player(r->o.recorder, seat, move_format(&robot_game(r)->rules, move, text));
    r->move = move;
    r->move_seat = seat;
    robot_raise(r, ROBOT_EV_MOVE);
}

void robot_on_player_failed(void *robot, unsigned seat, const struct error *err)
{
    struct robot *r = robot;
    recorder_player_failed(r->o.recorder, seat, err->text);
    r->question_board = false;
    snprintf(r->question, sizeof r->question, "%.*s", ROBOT_TEXT - 1, err->text);
    robot_raise(r, ROBOT_EV_TROUBLE);
}

void robot_act_ask(struct robot *r)
{
    r->counts.questions++;
    r->attempts = r->homing_tries = 0;
    r->pressed = false;
    if (r->controls) {
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
        controls_lamp(r->controls, GPIO_LAMP_FAULT, true);
    }
    robot_stop_players(r);
    size_t length = strlen(r->question);
    bool whole = length && strchr(".?!", r->question[length - 1]); // some come with their full stop
    robot_news(r, ROBOT_NEWS_QUESTION, "%s%s%s", r->question, whole ? "" : ".",
               r->whose || r->full ? ""
               : r->question_board
                   ? " Put it right and the game goes on; \"retry\" makes the robot try again."
                   : " \"retry\" tries again.");
}

// --- the end ---

void robot_act_finish(struct robot *r)
{
    if (r->controls) {
        controls_lamp(r->controls, GPIO_LAMP_TURN, false);
        controls_lamp(r->controls, GPIO_LAMP_FAULT, false);
    }
    robot_stop_players(r);
    tell_result(r);
    r->events.over(r->events.user, robot_game(r));
}

// --- what people may ask of the rules ---

int robot_undo(struct robot *r, unsigned seat)
{
    if (r->tidying)
        return -EPERM;
    if (referee_busy(r->o.referee))
        return -EBUSY;
    if (referee_stale(r->o.referee))
        return -ESTALE;
    struct game game = *robot_game(r);
    unsigned plies = 0;
    do {
        if (!game_undo(&game))
            return -ENODATA;
        plies++;
    } while (game_next_seat(&game) != seat);
    int result = note_undo(r, &game);
    if (result < 0)
        return result;
    recorder_person(r->o.recorder, "undo", seat);
    robot_stop_players(r);
    return referee_undo(r->o.referee, plies, on_changed, r);
}

static unsigned side_of(const struct robot *r, unsigned seat)
{
    return robot_game(r)->rules.sides[game_seat_colour(robot_game(r), seat)];
}

// 0: the rules may be asked how the game ends.
static int may_end(const struct robot *r)
{
    if (robot_game(r)->result.over)
        return -EALREADY;
    if (referee_busy(r->o.referee))
        return -EBUSY;
    if (referee_stale(r->o.referee))
        return -ESTALE;
    return 0;
}

int robot_resign(struct robot *r, unsigned seat)
{
    int result = may_end(r);
    if (result < 0)
        return result;
    recorder_person(r->o.recorder, "resign", seat);
    robot_stop_players(r);
    return referee_resign(r->o.referee, side_of(r, seat), on_changed, r);
}

// An answer is a move or the other's offer: nobody should wait for another one.
static void on_offered(void *user, const struct rules_effect *effect, const struct error *err)
{
    struct robot *r = user;
    on_changed(r, effect, err);
    if (!err && !robot_game(r)->result.over)
        robot_news(r, ROBOT_NEWS_DOING, "a draw is offered, until the next move; the game goes on");
}

int robot_offer_draw(struct robot *r, unsigned seat)
{
    int result = may_end(r);
    if (result < 0)
        return result;
    recorder_person(r->o.recorder, "draw", seat);
    return referee_draw(r->o.referee, side_of(r, seat), on_offered, r);
}
