// Planning: a job to its steps.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "motion/program.h"

static const double same_place = 0.0005; // mm: below G-code's third decimal
static const double jog_feed = 20;       // mm/s when a jog names none

// A plan in the making: where the cup is and what it holds after the steps so far.
struct build {
    const struct arm_scene *scene;
    const struct arm_config *config;
    struct arm_program *program;
    struct error *err;
    double at[3];
    double picked[2]; // where the carried stone was lifted: it is no obstacle to itself
    bool holding, picked_here;
    bool down; // stands on or in something
};

static struct arm_step *add(struct build *b, enum arm_step_kind kind)
{
    // Every job's steps are counted in its function; none comes near the limit.
    struct arm_step *step = &b->program->step[b->program->count++];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    return step;
}

// Along the line from b->at to p at the configured share of the machine's speed; 0 = rapid.
static double share_feed(const struct build *b, const double p[3], double wanted)
{
    double length = 0, most = INFINITY;
    for (int i = 0; i < 3; i++)
        length += (p[i] - b->at[i]) * (p[i] - b->at[i]);
    length = sqrt(length);
    if (b->config->speed >= 1 && wanted <= 0)
        return 0;
    for (int i = 0; i < 3; i++) {
        double d = fabs(p[i] - b->at[i]);
        if (d > 0)
            most = fmin(most, b->scene->limits->speed[i] * length / d);
    }
    return wanted > 0 ? fmin(wanted, most) : most;
}

static int in_travel(const struct build *b, const double p[3])
{
    static const char axis[] = "XYZ";
    const double *travel = b->scene->travel;
    for (int i = 0; i < 3; i++) {
        if (!isfinite(p[i]))
            return error_set(b->err, -EINVAL, "The place to go to is not a number.");
        double low = travel ? -travel[i] + b->config->margin : 0, high = -b->config->margin;
        if (travel && (p[i] < low || p[i] > high))
            return error_set_code(b->err, -ERANGE, "SoftLimit",
                                  "%c %.1f mm is outside the arm's travel (%.1f to %.1f mm). "
                                  "Nothing was moved. Check the calibration or the place.",
                                  axis[i], p[i], low, high);
    }
    return 0;
}

static int add_point(struct build *b, struct arm_step *leg, double x, double y, double z,
                     double feed)
{
    double p[3] = {round(x * 1000) / 1000, round(y * 1000) / 1000, round(z * 1000) / 1000};
    if (fabs(p[0] - b->at[0]) < same_place && fabs(p[1] - b->at[1]) < same_place &&
        fabs(p[2] - b->at[2]) < same_place)
        return 0;
    int r = in_travel(b, p);
    if (r < 0)
        return r;
    leg->feed[leg->points] = share_feed(b, p, feed);
    memcpy(leg->point[leg->points++], p, sizeof p);
    memcpy(b->at, p, sizeof p);
    return 0;
}

// A stone lying at o, if it is in the way and not the one just gripped, raises *floor.
static void go_over(const struct build *b, const struct travel_body *body, const double to[2],
                    const struct travel_obstacle *o, double *floor)
{
    bool own = b->holding && b->picked_here &&
               hypot(o->x - b->picked[0], o->y - b->picked[1]) < b->config->stone_radius;
    if (!own)
        *floor = travel_height(body, b->at, to, o, 1, *floor, 0);
}

// What is known to lie in feeders and trays stands in the way like any stone.
static void go_over_stores(const struct build *b, const struct travel_body *body,
                           const double to[2], double *floor)
{
    for (int i = 0; i < b->scene->stores->count; i++) {
        const struct store *s = &b->scene->stores->store[i];
        int slots = s->kind == STORE_TRAY ? s->columns * s->rows : 1;
        for (int k = 0; k < slots; k++) {
            int row = s->kind == STORE_TRAY ? k / s->columns : 0;
            bool full = s->kind == STORE_TRAY ? s->full[k] : s->count > 0;
            struct travel_obstacle o = {s->x + s->step_x * (k - row * s->columns),
                                        s->y + s->step_y * row, b->config->stone_radius,
                                        s->z_contact};
            if (full)
                go_over(b, body, to, &o, floor);
        }
    }
}

// How high the cup must be to go straight from b->at to `to`, where something stands up to `top`.
static double travel_z(const struct build *b, const double to[2], double top)
{
    const struct arm_config *c = b->config;
    struct travel_body body = {
        .radius = b->holding ? c->stone_radius : c->cup_radius,
        .below = b->holding ? c->stone_height : 0,
        .clearance = c->clearance,
        .side = c->side_clearance,
    };
    // Never below the tops of stones with the cup itself, whatever is known of them.
    double floor = fmax(arm_config_contact(c), top + body.below);
    if (b->down)
        floor = fmax(floor, b->at[2]);
    floor += c->clearance;
    go_over_stores(b, &body, to, &floor);
    if (!b->scene->obstacles)
        return travel_height(&body, b->at, to, NULL, 0, floor, arm_config_contact(c));
    for (int i = 0; i < b->scene->obstacle_count; i++)
        go_over(b, &body, to, &b->scene->obstacles[i], &floor);
    return floor;
}

// One leg: up as far as needed, over (rising or sinking on the way where that is safe), then to z.
// z_end NAN: stay at travel height. top: what is to be touched there; -INFINITY = nothing.
static int travel(struct build *b, const double to[2], double z_end, double top, double feed)
{
    double x = to[0], y = to[1];
    if (!isfinite(x) || !isfinite(y) || isinf(z_end))
        return error_set(b->err, -EINVAL, "The place to go to is not a number.");
    double height = fmin(travel_z(b, to, top), b->config->safe_z);
    struct arm_step *leg = add(b, ARM_STEP_LEG);
    int r = 0;
    if (b->at[2] < height)
        r = add_point(b, leg, b->at[0], b->at[1], height, feed);
    double over = !isnan(z_end) && z_end > height ? z_end : height;
    double back = b->config->backlash;
    if (r == 0 && back > 0 && (b->at[0] > x - same_place || b->at[1] > y - same_place) &&
        hypot(b->at[0] - x, b->at[1] - y) > same_place)
        r = add_point(b, leg, x - back, y - back, over, feed);
    if (r == 0)
        r = add_point(b, leg, x, y, over, feed);
    if (r == 0 && !isnan(z_end))
        r = add_point(b, leg, x, y, z_end, feed);
    if (leg->points == 0)
        b->program->count--; // already there
    b->down = false;
    return r;
}

static struct arm_step *expect(struct build *b, enum arm_step_kind kind)
{
    struct arm_step *step = add(b, kind);
    step->x = b->at[0];
    step->y = b->at[1];
    step->z = b->at[2];
    step->lifted_z = fmin(b->at[2] + b->config->clearance, b->config->safe_z);
    return step;
}

static void add_dwell(struct build *b, int64_t ns)
{
    add(b, ARM_STEP_DWELL)->dwell_ns = ns;
}

// Returns the check.
static struct arm_step *grip_here(struct build *b)
{
    add(b, ARM_STEP_GRIP);
    add_dwell(b, b->config->grip_ns);
    struct arm_step *check = expect(b, ARM_STEP_EXPECT_HELD);
    b->holding = true;
    b->down = true;
    b->picked_here = true;
    b->picked[0] = b->at[0];
    b->picked[1] = b->at[1];
    return check;
}

static void release_here(struct build *b)
{
    add(b, ARM_STEP_RELEASE);
    add_dwell(b, b->config->release_ns);
    expect(b, ARM_STEP_EXPECT_FREE);
    b->holding = false;
    b->down = true;
    b->picked_here = false;
}

// Straight up, out of whatever the cup stands in.
static int withdraw(struct build *b)
{
    if (b->scene->stay_low)
        return 0;
    double here[2] = {b->at[0], b->at[1]};
    return travel(b, here, NAN, -INFINITY, 0);
}

static int pick(struct build *b, int store)
{
    struct store_point point;
    int r = stores_next_pick(b->scene->stores, store, &point, b->err);
    if (r == 0)
        r = travel(b, (double[]){point.x, point.y}, point.z, point.z, 0);
    if (r < 0)
        return r;
    grip_here(b);
    add(b, ARM_STEP_TOOK)->store = point;
    return 0;
}

static int drop(struct build *b, int store)
{
    struct store_point point;
    int r = stores_next_drop(b->scene->stores, store, &point, b->err);
    if (r == 0)
        r = travel(b, (double[]){point.x, point.y}, point.z, -INFINITY, 0);
    if (r < 0)
        return r;
    expect(b, ARM_STEP_EXPECT_CARRIED);
    release_here(b);
    add(b, ARM_STEP_PUT)->store = point;
    return withdraw(b);
}

static int need_held(const struct build *b, bool held, const char *what)
{
    if (b->holding == held)
        return 0;
    return error_set(b->err, -EINVAL,
                     held ? "To %s, the arm must hold a stone; it holds none."
                          : "To %s, the cup must be free; it holds a stone.",
                     what);
}

static int plan_pick(struct build *b, const struct arm_job *job, bool wait)
{
    int r = wait && b->holding ? 0 : need_held(b, false, "pick a stone");
    if (r == 0 && !b->holding)
        r = pick(b, job->store);
    if (r < 0)
        return r;
    return wait ? travel(b, b->config->wait, NAN, -INFINITY, 0) : withdraw(b);
}

static int plan_place(struct build *b, const struct arm_job *job)
{
    int r = job->store < 0 ? need_held(b, true, "place a stone") : 0;
    if (r == 0 && !b->holding)
        r = pick(b, job->store);
    if (r == 0)
        r = travel(b, (double[]){job->x, job->y}, arm_config_contact(b->config), -INFINITY, 0);
    if (r < 0)
        return r;
    expect(b, ARM_STEP_EXPECT_CARRIED);
    release_here(b);
    return withdraw(b);
}

static int plan_lift(struct build *b, const struct arm_job *job)
{
    const double contact = arm_config_contact(b->config);
    const struct arm_step around = {
        .x = job->x, .y = job->y, .first_spot = job->search % ARM_SPOTS * b->config->grip_tries};
    double to[2];
    if (job->search < 0)
        return error_set(b->err, -EINVAL, "A search has no round %d.", job->search);
    arm_program_place(b->config, &around, 0, b->scene->travel, to);
    int r = need_held(b, false, "lift a stone");
    if (r == 0)
        r = travel(b, to, contact, contact, 0);
    if (r < 0)
        return r;
    struct arm_step *expect = grip_here(b);
    expect->x = around.x;
    expect->y = around.y;
    expect->first_spot = around.first_spot;
    return job->store < 0 ? withdraw(b) : drop(b, job->store);
}

static int plan_drop(struct build *b, const struct arm_job *job)
{
    int r = need_held(b, true, "drop a stone");
    return r < 0 ? r : drop(b, job->store);
}

// Whatever may hang on the cup: carried high, let go, not asked about, and be the store full: the
// arm has to get home. What is known to hang there is set down: from high up it would roll beside
// its slot, where the next one meets it.
static int plan_vent(struct build *b, const struct arm_job *job)
{
    struct store_point point;
    bool sure = b->holding;
    int r = stores_next_drop(b->scene->stores, job->store, &point, b->err);
    if (r == -ENOSPC && !sure) {
        const struct store *full = &b->scene->stores->store[job->store];
        point = (struct store_point){.store = job->store, .x = full->x, .y = full->y};
        r = 0;
    }
    if (r < 0)
        return r;
    b->holding = true;
    r = travel(b, (double[]){point.x, point.y}, sure ? point.z : NAN, -INFINITY, 0);
    if (r < 0)
        return r;
    release_here(b);
    if (!sure)
        return 0;
    add(b, ARM_STEP_PUT)->store = point;
    return withdraw(b);
}

static int plan_jog(struct build *b, const struct arm_job *job)
{
    struct arm_step *step = add(b, ARM_STEP_JOG);
    int r = add_point(b, step, b->at[0] + job->x, b->at[1] + job->y, b->at[2] + job->z,
                      job->feed > 0 ? job->feed : jog_feed);
    if (r == 0 && step->points == 0)
        b->program->count--;
    return r;
}

static int plan_job(struct build *b, const struct arm_job *job)
{
    switch (job->kind) {
    case ARM_JOB_HOME:
        add(b, ARM_STEP_HOME);
        return 0;
    case ARM_JOB_PARK: {
        int r = travel(b, b->config->park, b->config->safe_z, -INFINITY, 0);
        if (r == 0 && !b->holding)
            add(b, ARM_STEP_REST);
        return r;
    }
    case ARM_JOB_PICK:
        return plan_pick(b, job, false);
    case ARM_JOB_READY:
        return plan_pick(b, job, true);
    case ARM_JOB_PLACE:
        return plan_place(b, job);
    case ARM_JOB_LIFT:
        return plan_lift(b, job);
    case ARM_JOB_DROP:
        return plan_drop(b, job);
    case ARM_JOB_VENT:
        return plan_vent(b, job);
    case ARM_JOB_GOTO:
        return travel(b, (double[]){job->x, job->y}, job->use_z ? job->z : NAN, -INFINITY,
                      job->feed);
    case ARM_JOB_JOG:
        return plan_jog(b, job);
    case ARM_JOB_GRIP:
        add(b, ARM_STEP_GRIP);
        add_dwell(b, b->config->grip_ns);
        return 0;
    case ARM_JOB_RELEASE:
        add(b, ARM_STEP_RELEASE);
        add_dwell(b, b->config->release_ns);
        return 0;
    case ARM_JOB_REST: {
        int r = need_held(b, false, "let the pump rest");
        if (r == 0)
            add(b, ARM_STEP_REST);
        return r;
    }
    case ARM_JOB_KINDS:
        break;
    }
    return error_set(b->err, -EINVAL, "There is no such job for the arm.");
}

int arm_program_plan(const struct arm_scene *scene, const struct arm_job *job,
                     struct arm_program *ret, struct error *err)
{
    struct arm_program program = {.count = 0};
    struct build b = {.scene = scene,
                      .config = scene->config,
                      .program = &program,
                      .err = err,
                      .holding = scene->holding,
                      .down = scene->down};
    memcpy(b.at, scene->at, sizeof b.at);
    int r = plan_job(&b, job);
    if (r < 0)
        return r;
    memcpy(program.end, b.at, sizeof program.end);
    *ret = program;
    return 0;
}
