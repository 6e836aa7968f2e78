// A stone of the robot's that came to lie beside its point is lifted and laid once more, in the
// robot's next turn, behind its own stone: the cup is free then, and nobody waits for a stone that
// lies well. Lifted at the centre seen and laid on its point by one map, what the map is off by
// cancels out, and so does the play that the stone had in its store: what is left is the slip.
#include <math.h>

#include "controller/robot_private.h"

static const double CROOKED_MM = 0.75; // the slip alone is seldom more

void robot_straighten_note(struct robot *r, int step)
{
    struct point at = r->steps[step].at;
    if (step < r->straighten_from)
        r->laid[at.y * r->target.size + at.x] = true;
}

void robot_straighten_forget(struct robot *r)
{
    for (int i = 0; i < r->target.size * r->target.size; i++)
        r->laid[i] = r->laid[i] && r->target.want[i];
}

// The stone that lies worst of those laid once; -1 = all lie well.
static int find(const struct robot *r, double ret_offset[2])
{
    double worst = CROOKED_MM;
    int found = -1;
    for (int i = 0; i < r->target.size * r->target.size; i++) {
        double offset[2];
        if (!r->laid[i] || r->target.before[i] != TARGET_SETTLED)
            continue;
        evidence_offset(&r->evidence, i, offset);
        if (hypot(offset[0], offset[1]) <= worst)
            continue;
        worst = hypot(offset[0], offset[1]);
        found = i;
        ret_offset[0] = offset[0];
        ret_offset[1] = offset[1];
    }
    return found;
}

static bool lays_a_stone(const struct robot *r)
{
    for (int i = 0; i < r->step_count; i++) {
        if (!r->steps[i].lift)
            return true;
    }
    return false;
}

void robot_straighten_add(struct robot *r)
{
    double offset[2] = {0};
    r->straighten_from = r->step_count;
    // The holes of Pentago's board put a marble straight by themselves. While it is not known
    // whether something was taken back, the log tells of that and could not tell of this.
    if (r->settings->game.straighten == SETTINGS_STRAIGHTEN_NEVER || r->tidying || r->undo_asked ||
        r->colours.marbles || !lays_a_stone(r) || robot_game(r)->result.over ||
        r->evidence.frames < r->sure.frames || r->evidence.columns != r->target.size ||
        r->step_count + 2 > TARGET_STEPS_MAX)
        return;
    int i = find(r, offset);
    if (i < 0)
        return;
    struct target_step step = {.lift = true,
                               .colour = r->target.want[i],
                               .at = {(int8_t)(i % r->target.size), (int8_t)(i / r->target.size)},
                               .offset = {offset[0], offset[1]}};
    r->steps[r->step_count++] = step;
    step.lift = false;
    r->steps[r->step_count++] = step;
    r->laid[i] = false;
    // If it is lost on the way, another one is laid there; also after an interruption.
    r->target.before[i] = 0;
    robot_note_change(r);
}
