#include "motion/program.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRIP_TRIES_MAX = 11 };

static const double same_place = 0.0005;           // mm: below G-code's third decimal
static const int64_t stuck_release_ns = 500000000; // vents longer when a stone sticks

struct arm_config arm_config_default(void)
{
    return (struct arm_config){
        .board_z = -50,
        .stone_height = 8,
        .stone_radius = 8,
        .cup_radius = 3,
        .clearance = 4,
        .side_clearance = 1.5,
        .safe_z = -5,
        .park = {-590, -5},
        .wait = {-520, -270},
        .margin = 0.5,
        .speed = 1,
        .grip_ns = 200000000,
        .release_ns = 150000000,
        .grip_tries = 4,
        .grip_step = 1,
        .release_tries = 3,
    };
}

int arm_config_check(const struct arm_config *c, struct error *err)
{
    const double numbers[] = {c->board_z,   c->stone_height, c->stone_radius,  c->cup_radius,
                              c->clearance, c->safe_z,       c->park[0],       c->park[1],
                              c->wait[0],   c->wait[1],      c->margin,        c->backlash,
                              c->speed,     c->grip_step,    c->side_clearance};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!isfinite(numbers[i]))
            return error_set(err, -EINVAL, "A measure of the arm is not a number.");
    }
    if (c->stone_height <= 0 || c->stone_radius <= 0 || c->cup_radius <= 0)
        return error_set(err, -EINVAL, "Stone height, stone size and cup size must be above 0.");
    if (c->clearance < 0.5 || c->side_clearance < 0)
        return error_set(err, -EINVAL, "The clearance above stones must be at least 0.5 mm.");
    if (c->board_z + 2 * c->stone_height + c->clearance > c->safe_z)
        return error_set(err, -EINVAL,
                         "A carried stone would not clear a standing one below the safe height. "
                         "Raise the arm's safe height or mount the board lower.");
    if (c->speed < 0.05 || c->speed > 1)
        return error_set(err, -EINVAL, "The arm's speed must be 0.05 to 1 of the machine's.");
    if (c->backlash < 0 || c->backlash > 10 || c->margin < 0 || c->grip_step < 0)
        return error_set(err, -EINVAL,
                         "Backlash must be 0 to 10 mm, margin and grip step not "
                         "negative.");
    if (c->grip_ns < 0 || c->release_ns < 0 || c->grip_tries < 1 ||
        c->grip_tries > GRIP_TRIES_MAX || c->release_tries < 1 || c->release_tries > 5)
        return error_set(err, -EINVAL,
                         "Dwells must not be negative; 1 to %d tries at gripping and 1 to 5 at "
                         "letting go are possible.",
                         GRIP_TRIES_MAX);
    return 0;
}

double arm_config_contact(const struct arm_config *config)
{
    return config->board_z + config->stone_height;
}

static const struct arm_job_class classes[ARM_JOB_KINDS] = {
    [ARM_JOB_HOME] = {"home", false, true, true},
    [ARM_JOB_PARK] = {"park", true, true, true},
    [ARM_JOB_PICK] = {"pick", true, true, true},
    [ARM_JOB_READY] = {"ready", true, true, true},
    [ARM_JOB_PLACE] = {"place", true, true, true},
    [ARM_JOB_LIFT] = {"lift", true, true, true},
    [ARM_JOB_DROP] = {"drop", true, true, true},
    [ARM_JOB_VENT] = {"vent", true, true, true},
    [ARM_JOB_GOTO] = {"goto", true, true, false},
    [ARM_JOB_JOG] = {"jog", true, true, false},
    [ARM_JOB_GRIP] = {"grip", false, false, false},
    [ARM_JOB_RELEASE] = {"release", false, false, false},
    [ARM_JOB_REST] = {"rest", false, false, false},
};

const struct arm_job_class *arm_job_class(enum arm_job_kind kind)
{
    return (unsigned)kind < ARM_JOB_KINDS ? &classes[kind] : NULL;
}
// ---- further tries -----------------------------------------------------------------------------

static struct arm_step leg3(double x0, double y0, double x1, double y1, double up, double down)
{
    struct arm_step leg = {.kind = ARM_STEP_LEG};
    const double p[3][3] = {{x0, y0, up}, {x1, y1, up}, {x1, y1, down}};
    for (int i = 0; i < 3; i++) {
        if (i == 1 && hypot(x1 - x0, y1 - y0) < same_place)
            continue;
        for (int k = 0; k < 3; k++)
            leg.point[leg.points][k] = round(p[i][k] * 1000) / 1000;
        leg.points++;
    }
    return leg;
}

void arm_program_spot(const struct arm_config *config, int number, double ret[2])
{
    // What told where the stone lies is seldom off by much, and more often along y, in which a
    // camera before the board looks at it.
    static const double spot[ARM_SPOTS][2] = {
        {0, 0},      {0, 1},      {0, -1},   {1, 0},   {-1, 0},   {1.5, 1.5}, {-1.5, -1.5},
        {1.5, -1.5}, {-1.5, 1.5}, {0, -2.5}, {0, 2.5}, {-2.5, 0}, {2.5, 0},
    };
    ret[0] = spot[number % ARM_SPOTS][0] * config->grip_step;
    ret[1] = spot[number % ARM_SPOTS][1] * config->grip_step;
}

void arm_program_place(const struct arm_config *config, const struct arm_step *expect, int attempt,
                       const double *travel, double ret[2])
{
    const double place[2] = {expect->x, expect->y};
    arm_program_spot(config, expect->first_spot + attempt, ret);
    for (int i = 0; i < 2; i++) {
        ret[i] += place[i];
        if (travel && travel[i] > 0)
            ret[i] = fmin(fmax(ret[i], config->margin - travel[i]), -config->margin);
    }
}

int arm_program_regrip(const struct arm_config *config, const struct arm_step *expect_step,
                       const double *travel, struct arm_step ret[ARM_RETRY_STEPS])
{
    double from[2], to[2];
    int attempt = expect_step->attempt + 1, n = 0;
    arm_program_place(config, expect_step, expect_step->attempt, travel, from);
    arm_program_place(config, expect_step, attempt, travel, to);
    // Without vacuum while it goes down, or the stone jumps up and is taken by its edge.
    ret[n++] = (struct arm_step){.kind = ARM_STEP_RELEASE};
    ret[n++] = leg3(from[0], from[1], to[0], to[1], expect_step->lifted_z, expect_step->z);
    ret[n++] = (struct arm_step){.kind = ARM_STEP_GRIP};
    ret[n++] = (struct arm_step){.kind = ARM_STEP_DWELL, .dwell_ns = config->grip_ns};
    ret[n] = *expect_step;
    ret[n++].attempt = attempt;
    return n;
}

int arm_program_rerelease(const struct arm_step *expect_step, struct arm_step ret[ARM_RETRY_STEPS])
{
    const struct arm_step *e = expect_step;
    int n = 0;
    ret[n] = (struct arm_step){.kind = ARM_STEP_LEG, .points = 1};
    ret[n].point[0][0] = e->x;
    ret[n].point[0][1] = e->y;
    ret[n++].point[0][2] = e->lifted_z;
    ret[n++] = (struct arm_step){.kind = ARM_STEP_RELEASE};
    ret[n++] = (struct arm_step){.kind = ARM_STEP_DWELL, .dwell_ns = stuck_release_ns};
    ret[n] = (struct arm_step){.kind = ARM_STEP_LEG, .points = 1};
    ret[n].point[0][0] = e->x;
    ret[n].point[0][1] = e->y;
    ret[n++].point[0][2] = e->z;
    ret[n] = *e;
    ret[n++].attempt = e->attempt + 1;
    return n;
}

void arm_program_withdraw(const struct arm_config *config, const double at[3], bool release,
                          struct arm_program *ret)
{
    memset(ret, 0, sizeof *ret);
    memcpy(ret->end, at, sizeof ret->end);
    if (release)
        ret->step[ret->count++] = (struct arm_step){.kind = ARM_STEP_RELEASE};
    double contact = arm_config_contact(config), up = contact + config->clearance;
    if (at[2] < up) {
        struct arm_step *leg = &ret->step[ret->count++];
        leg->kind = ARM_STEP_LEG;
        leg->points = 1;
        leg->point[0][0] = at[0];
        leg->point[0][1] = at[1];
        leg->point[0][2] = ret->end[2] = up;
    }
}

// ---- time --------------------------------------------------------------------------------------

double arm_step_seconds(const struct arm_step *step, const struct travel_limits *limits,
                        const double from[3])
{
    if (step->kind == ARM_STEP_DWELL)
        return (double)step->dwell_ns / 1e9;
    return travel_path(limits, from, step->point, step->feed, step->points);
}

double arm_program_seconds(const struct arm_program *program, const struct travel_limits *limits,
                           const double from[3])
{
    double seconds = 0;
    const double *at = from;
    for (int i = 0; i < program->count; i++) {
        const struct arm_step *step = &program->step[i];
        seconds += arm_step_seconds(step, limits, at);
        if (step->points > 0)
            at = step->point[step->points - 1];
    }
    return seconds;
}
