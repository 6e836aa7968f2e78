// Stones that the arm could not lift: where they lie is known less well than the cup needs, as of
// one that fell and leans against another. The next time the arm looks for it in other places than
// before (arm_program_spot()), also after people said "retry": the same tries would fail again.
#include <math.h>
#include <string.h>

#include "controller/robot_private.h"

static const double MOVED_MM = 2; // seen so far from where it was: somebody has touched it

static struct robot_search *search_of(struct robot *r, const struct target_step *step)
{
    return &r->search[step->at.y * r->target.size + step->at.x];
}

int robot_search_round(struct robot *r, const struct target_step *step)
{
    struct robot_search *search = search_of(r, step);
    if (hypot(search->at[0] - step->offset[0], search->at[1] - step->offset[1]) > MOVED_MM)
        search->rounds = 0;
    return search->rounds;
}

void robot_search_failed(struct robot *r, const struct target_step *step)
{
    struct robot_search *search = search_of(r, step);
    search->rounds++;
    search->at[0] = step->offset[0];
    search->at[1] = step->offset[1];
}

void robot_search_forget(struct robot *r)
{
    memset(r->search, 0, sizeof r->search);
}
