// A stone that fell off the cup: it may lie anywhere, until the board has been seen whole.
#include <stdio.h>

#include "controller/robot_private.h"

void robot_note_fall(struct robot *r, unsigned colour, bool held)
{
    struct error err;
    if (!r->fallen) // who may have laid what looks like the first one had time since then
        r->fell_ns = r->gripped_ns ? r->gripped_ns : loop_now(r->loop); // or any time since
    r->fallen |= 1u << colour;
    r->fell_step = (struct target_step){0};
    r->adrift = true;
    if (!held)
        r->ahead_colour = 0;
    if (r->o.log && robot_log_fell(r->o.log, colour, held, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
}

static bool stone_fell(const struct robot *r, unsigned colour)
{
    return colour && colour <= COLOURS_MAX && r->fallen >> colour & 1;
}

static void note_found(struct robot *r, unsigned colour)
{
    char pending[POINTS_MAX + 1];
    struct error err;
    if (!r->o.log || r->undo_asked) // the log tells how the board may be after it
        return;
    board_target_format(&r->target, pending);
    r->change_logged = true;
    if (robot_log_found(r->o.log, colour, pending, &err) < 0)
        robot_news(r, ROBOT_NEWS_TROUBLE, "%s", err.text);
}

// It slipped before it was off its point, or dropped onto the one it was meant for.
void robot_find_in_place(struct robot *r)
{
    const struct target_step *step = &r->fell_step;
    const struct evidence *e = &r->evidence;
    int point = step->at.y * e->columns + step->at.x;
    double margin;
    if (!stone_fell(r, step->colour) || evidence_covered(e, point) ||
        evidence_best(e, point, &margin) != step->colour || margin < r->sure.doubt)
        return;
    r->fallen &= ~(1u << step->colour);
    note_found(r, step->colour);
}

// It did not fall after all: found on the cup, it was let go over its tray.
void robot_note_kept(struct robot *r)
{
    if (!stone_fell(r, r->hand_colour))
        return;
    r->fallen &= ~(1u << r->hand_colour);
    note_found(r, r->hand_colour);
}

void robot_tell_fallen(struct robot *r)
{
    const char *stone = r->colours.marbles ? "marble" : "stone";
    for (unsigned colour = 0; colour <= COLOURS_MAX; colour++) {
        if (!(r->fallen >> colour & 1))
            continue;
        robot_news(r, ROBOT_NEWS_HINT,
                   "the %s%s%s that hung on the cup is not on the board: look for it beside the "
                   "board and in the trays",
                   colour ? robot_colour_name(r, colour) : "", colour ? " " : "", stone);
    }
}

// A stone fell off the cup and now lies where no stone should be: it is ours to put away. Only one,
// of the colour that hung there, and only where the point should be empty; anything more is for
// people to judge. The log keeps it, or after an interruption with another stone on the cup there
// would be two.
bool robot_claim_fallen(struct robot *r, const struct target_report *report)
{
    const struct board_difference *d = &report->wrong.list[0];
    char name[MOVE_TEXT_MAX];
    if (report->verdict != TARGET_WRONG || report->wrong.count != 1 || d->expected ||
        !stone_fell(r, d->seen))
        return false;
    r->fallen &= ~(1u << d->seen);
    r->target.before[d->at.y * r->target.size + d->at.x] = d->seen;
    note_found(r, d->seen);
    robot_news(r, ROBOT_NEWS_DOING,
               "the %s %s on %s must be the one that hung on the cup; it goes into the tray",
               robot_colour_name(r, d->seen), r->colours.marbles ? "marble" : "stone",
               points_text_named(&d->at, 1, &r->colours, name, sizeof name));
    return true; // seen as work from the next picture on
}

// Colours of the new stones that may be one that fell off the cup.
unsigned robot_may_have_fallen(const struct robot *r, const struct target_report *report)
{
    unsigned colours = 0;
    for (int i = 0; i < report->wrong.count; i++) {
        const struct board_difference *d = &report->wrong.list[i];
        if (!d->expected && stone_fell(r, d->seen))
            colours |= 1u << d->seen;
    }
    return colours;
}

bool robot_is_next(const struct robot *r, unsigned colours)
{
    const struct game *game = robot_game(r);
    unsigned seat = game_next_seat(game);
    return seat && r->o.players[seat - 1].at_board && colours >> game_next_colour(game) & 1;
}

bool robot_may_be_moved(const struct robot *r, unsigned fallen)
{
    bool watched =
        r->fell_ns && r->reached_ns <= r->fell_ns && robot_sees_often(r); // a hand comes and goes
    return robot_is_next(r, fallen) && !watched;
}

// It lies where it would be a good move, and only a person knows whether it is one.
void robot_ask_whose(struct robot *r, const struct target_report *report, unsigned colours)
{
    char text[DIFFERENCES_TEXT_MAX / 2];
    const char *stone = r->colours.marbles ? "marble" : "stone";
    r->question_board = true;
    r->whose = colours;
    r->whose_at = report->wrong.list[0].at;
    for (int i = 0; i < report->wrong.count; i++) {
        const struct board_difference *d = &report->wrong.list[i];
        if (!d->expected && colours >> d->seen & 1)
            r->whose_at = d->at;
    }
    snprintf(r->question, sizeof r->question,
             "a %s fell off the cup, and the board shows: %s. If that is the one, take it off the "
             "board. If it is your move, press \"done\".",
             stone, differences_text(&report->wrong, NULL, &r->colours, text, sizeof text));
    robot_raise(r, ROBOT_EV_WRONG);
}

bool robot_whose_asked(const struct robot *r, struct point *ret)
{
    if (r->state != ROBOT_ASKING || !r->whose)
        return false;
    *ret = r->whose_at;
    return true;
}

void robot_fallen_taken(struct robot *r)
{
    r->fallen &= ~r->whose;
    r->whose = 0;
}

void robot_answer_whose(struct robot *r)
{
    r->pressed = r->whose != 0;
    robot_fallen_taken(r);
}
