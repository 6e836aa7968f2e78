// Homing, and what the stones laid since say of it: is the arm where it believes it is?
#include <math.h>
#include <stdio.h>

#include "controller/robot_private.h"
#include "rules/notation.h"

// --- homing ---

// A stone may hang on the cup, and where is not known: it is let go before anything is done.
static bool submit_homing(struct robot *r)
{
    robot_ahead_check(r);
    eye_set_arm(r->eye, VISION_ARM_OVER_BOARD);
    arm_forget_obstacles(r->arm); // nobody knows what lies there now
    r->homing = true;
    r->counts.homings++;
    r->moves_since_home = 0;
    r->home_due = false; // again, if it is cancelled
    const struct arm_job job = {.kind = ARM_JOB_HOME, .store = -1, .tag = ROBOT_TAG_HOME};
    return robot_submit(r, job) && robot_vent(r);
}

// The arm stops itself when it can't home. What fails behind that, on its way over the tray or to
// its parking place, would be tried for ever.
static void ask_about_homing(struct robot *r)
{
    r->question_board = false;
    snprintf(r->question, sizeof r->question,
             "the arm was sent home %d times and did not come to its parking place: "
             "%.300s",
             ROBOT_ATTEMPTS, r->failure[0] ? r->failure : "the plotter was lost each time");
    robot_raise(r, ROBOT_EV_WRONG);
}

void robot_act_home(struct robot *r)
{
    if (++r->homing_tries > ROBOT_ATTEMPTS)
        ask_about_homing(r);
    else if (robot_hands_let_home(r))
        robot_home_now(r);
}

void robot_home_now(struct robot *r)
{
    r->submitted = true;
    r->work_began_ns = loop_now(r->loop);
    robot_news(r, ROBOT_NEWS_DOING, "the arm finds its home corner");
    if (submit_homing(r))
        robot_park(r, ROBOT_TAG_PARK);
}

bool robot_homing_is_due(const struct robot *r)
{
    int every = r->settings->machine.home_every;
    return r->home_due || (every && r->moves_since_home >= every);
}

bool robot_home_first(struct robot *r)
{
    robot_news(r, ROBOT_NEWS_DOING, "the arm checks its home corner");
    if (!submit_homing(r))
        return false;
    robot_tell_obstacles(r);
    return true;
}

// --- the stones laid since ---

static const char *stone_name(const struct robot *r)
{
    return r->colours.marbles ? "marble" : "stone";
}

static void doubt_home(struct robot *r, struct point where, double far)
{
    char name[MOVE_TEXT_MAX];
    robot_news(r, ROBOT_NEWS_TROUBLE,
               "the %s on %s lies %.1f mm beside its point; the arm will check its home corner "
               "before it moves again",
               stone_name(r), points_text_named(&where, 1, &r->colours, name, sizeof name), far);
}

static void ask_about_home(struct robot *r, struct point where, double far)
{
    char name[MOVE_TEXT_MAX];
    r->question_board = false;
    snprintf(r->question, sizeof r->question,
             "the arm has found its home corner anew, and the %s on %s still lies %.1f mm beside "
             "its point. Is something in its way, a belt loose, or has the board been moved? "
             "`tessera-config calibrate arm` measures it again.",
             stone_name(r), points_text_named(&where, 1, &r->colours, name, sizeof name), far);
    robot_raise(r, ROBOT_EV_WRONG);
}

// A stone that was let go over its point is seen `offset` beside it: the map is off by that.
static void learn(struct robot *r, int step, const double offset[2], bool moved)
{
    struct point at = r->steps[step].at;
    double seen[2];
    settings_board_at(&r->settings->board, at.x, at.y, seen);
    seen[0] += offset[0];
    seen[1] += offset[1];
    if (moved)
        map_learner_move(&r->learner, seen, r->commanded[step]);
    else if (!map_learner_add(&r->learner, seen, r->commanded[step]))
        return;
    map_learner_get(&r->learner, &r->map);
}

// What is off a little teaches the map, far off means lost steps or a wrong home corner.
static enum home_verdict judge_stone(struct robot *r, int step)
{
    struct point at = r->steps[step].at;
    double offset[2], limit = r->settings->safety.placing_error;
    evidence_offset(&r->evidence, at.y * r->evidence.columns + at.x, offset);
    double far = hypot(offset[0], offset[1]);
    enum home_verdict verdict = home_check_stone(&r->home, offset, limit);
    switch (verdict) {
    case HOME_RIGHT:
        learn(r, step, offset, false);
        robot_straighten_note(r, step);
        break;
    case HOME_MAP:
        learn(r, step, offset, true);
        robot_news(r, ROBOT_NEWS_TROUBLE,
                   "the %ss lie %.1f mm beside their points, homed or not: the board must have "
                   "been moved. The arm follows it.",
                   stone_name(r), far);
        break;
    case HOME_DOUBT:
        doubt_home(r, at, far);
        break;
    case HOME_WRONG:
        ask_about_home(r, at, far);
        break;
    }
    r->home_due = r->home_due || verdict == HOME_DOUBT || verdict == HOME_WRONG;
    return verdict;
}

// A stone that somebody else laid says nothing of the arm. Nor does one that was straightened:
// lifted and laid by one map, it lies right by any.
bool robot_check_placing(struct robot *r)
{
    int count = r->step_count < r->straighten_from ? r->step_count : r->straighten_from;
    r->step_count = 0;
    for (int i = 0; i < count; i++) {
        if (r->steps[i].lift || !r->carried_out[i])
            continue;
        enum home_verdict verdict = judge_stone(r, i);
        if (verdict == HOME_DOUBT || verdict == HOME_WRONG)
            return verdict == HOME_DOUBT;
    }
    return true;
}
