// The planner: up to 15 straight blocks, looking ahead over all of them, as Grbl's planner.c does
// (junction deviation after Sonny Jeon); and the steppers, which execute the oldest one.
//
// Where the real one cuts motion into short segments, this keeps the present block's motion as a
// closed formula of time (struct plotter_profile), made anew when something changes it.
#include <math.h>
#include <string.h>

#include "config/base/clock.h"
#include "controller/sim/plotter_private.h"

#define STRAIGHT   0.999999
#define STEPS_MOST 1e9        // a difference of two still fits 32 bits
#define SPEED_TOP  1e12       // (mm/s)²: no limit
#define FEED_LEAST (1.0 / 60) // mm/s: Grbl's MINIMUM_FEED_RATE

int32_t plotter_plan_steps(const struct plotter *p, int axis, double mm)
{
    const double steps = mm * p->eeprom.setting[S_STEPS + axis];
    return (int32_t)lround(fmax(-STEPS_MOST, fmin(STEPS_MOST, steps)));
}

double plotter_plan_mm(const struct plotter *p, int axis, int32_t steps)
{
    return steps / p->eeprom.setting[S_STEPS + axis];
}

bool plotter_plan_full(const struct plotter *p)
{
    return p->block_count == PLOTTER_BLOCKS;
}

static struct plotter_block *block_at(struct plotter *p, int i)
{
    return &p->block[(p->block_tail + i) % PLOTTER_BLOCKS];
}

static const struct plotter_block *present(const struct plotter *p)
{
    return &p->block[p->block_tail];
}

// --- the profile ---

double plotter_steppers_way(const struct plotter *p, int64_t t_ns)
{
    const struct plotter_profile *f = &p->profile;
    if (!f->active || p->block_count == 0)
        return p->block_count ? present(p)->done : 0;
    double t = (double)(t_ns - f->t0_ns) / 1e9, v = f->v0, s = present(p)->done;
    for (int i = 0; i < 3 && t > 0; i++) {
        const double dt = fmin(t, f->time[i]);
        s += v * dt + f->accel[i] * dt * dt / 2;
        v += f->accel[i] * dt;
        t -= dt;
    }
    return fmin(s, present(p)->mm);
}

double plotter_steppers_speed(const struct plotter *p, int64_t t_ns)
{
    const struct plotter_profile *f = &p->profile;
    if (!f->active)
        return 0;
    double t = (double)(t_ns - f->t0_ns) / 1e9, v = f->v0;
    for (int i = 0; i < 3 && t > 0; i++) {
        const double dt = fmin(t, f->time[i]);
        v += f->accel[i] * dt;
        t -= dt;
    }
    return fmax(0, v);
}

static void end_profile_after(struct plotter_profile *f)
{
    const double total = f->time[0] + f->time[1] + f->time[2];
    f->end_ns = f->t0_ns + (int64_t)ceil(total * 1e9);
}

// Slows down with all the block allows; ends at rest or, still moving, at the block's end.
static void make_hold_profile(struct plotter_profile *f, const struct plotter_block *b, double v)
{
    const double left = b->mm - b->done, rest = v * v / (2 * b->accel);
    const double v_end = rest <= left ? 0 : sqrt(fmax(0, v * v - 2 * b->accel * left));
    f->time[0] = (v - v_end) / b->accel;
    f->accel[0] = -b->accel;
    f->time[1] = f->time[2] = 0;
}

static void make_run_profile(struct plotter_profile *f, const struct plotter_block *b, double v,
                             double v_exit)
{
    const double a = b->accel, left = b->mm - b->done;
    const double top = fmin(b->nominal * b->nominal, (2 * a * left + v * v + v_exit * v_exit) / 2);
    const double v_top = sqrt(fmax(fmax(v * v, v_exit * v_exit), top));
    const double up = (v_top * v_top - v * v) / (2 * a);
    const double down = (v_top * v_top - v_exit * v_exit) / (2 * a);
    f->time[0] = (v_top - v) / a;
    f->accel[0] = a;
    f->time[1] = v_top > 0 ? fmax(0, left - up - down) / v_top : 0;
    f->accel[1] = 0;
    f->time[2] = (v_top - v_exit) / a;
    f->accel[2] = -a;
}

static void make_profile(struct plotter *p, double v)
{
    struct plotter_profile *f = &p->profile;
    struct plotter_block *b = block_at(p, 0);
    f->active = true;
    f->t0_ns = p->now_ns;
    f->v0 = v;
    if (f->holding)
        make_hold_profile(f, b, v);
    else
        make_run_profile(f, b, v, p->block_count > 1 ? sqrt(block_at(p, 1)->entry_sqr) : 0);
    end_profile_after(f);
}

// The present block begins anew from where it is.
static double rebase(struct plotter *p)
{
    const double v = plotter_steppers_speed(p, p->now_ns);
    block_at(p, 0)->done = plotter_steppers_way(p, p->now_ns);
    p->profile.active = false;
    return v;
}

// --- looking ahead ---

static void recalculate(struct plotter *p)
{
    const bool running = p->profile.active;
    const double v = running ? rebase(p) : 0;
    const int n = p->block_count;
    double exit_sqr = 0;
    for (int i = n - 1; i >= 1; i--) {
        struct plotter_block *b = block_at(p, i);
        b->entry_sqr = fmin(b->max_entry_sqr, exit_sqr + 2 * b->accel * (b->mm - b->done));
        exit_sqr = b->entry_sqr;
    }
    block_at(p, 0)->entry_sqr = v * v;
    for (int i = 0; i + 1 < n; i++) {
        const struct plotter_block *b = block_at(p, i);
        struct plotter_block *next = block_at(p, i + 1);
        next->entry_sqr = fmin(next->entry_sqr, b->entry_sqr + 2 * b->accel * (b->mm - b->done));
    }
    if (running)
        make_profile(p, v);
}

// The least of the axes' limits along a direction.
static double limit_along(const struct plotter *p, int setting, const double unit[3])
{
    double limit = SPEED_TOP;
    for (int a = 0; a < 3; a++)
        if (unit[a] != 0)
            limit = fmin(limit, p->eeprom.setting[setting + a] / fabs(unit[a]));
    return limit;
}

static double junction_sqr(const struct plotter *p, const double unit[3])
{
    if (!p->have_prev || p->block_count == 0)
        return 0;
    double cosine = 0, diff[3], length = 0;
    for (int a = 0; a < 3; a++) {
        cosine -= p->prev_unit[a] * unit[a];
        diff[a] = unit[a] - p->prev_unit[a];
        length += diff[a] * diff[a];
    }
    if (cosine > STRAIGHT)
        return 0; // turns back
    if (cosine < -STRAIGHT)
        return SPEED_TOP;
    for (int a = 0; a < 3; a++)
        diff[a] /= sqrt(length);
    const double accel = limit_along(p, S_ACCEL, diff);
    const double sin_half = sqrt(0.5 * (1 - cosine));
    return fmax(0, accel * p->eeprom.setting[S_JUNCTION] * sin_half / (1 - sin_half));
}

bool plotter_plan_line(struct plotter *p, const double target[3], double feed, bool rapid,
                       bool probing)
{
    struct plotter_block *b = block_at(p, p->block_count);
    *b = (struct plotter_block){.probing = probing};
    double way[3];
    for (int a = 0; a < 3; a++) {
        b->from[a] = p->plan_position[a];
        b->steps[a] = plotter_plan_steps(p, a, target[a]) - p->plan_position[a];
        way[a] = plotter_plan_mm(p, a, b->steps[a]);
        b->mm += way[a] * way[a];
    }
    b->mm = sqrt(b->mm);
    if (b->mm == 0)
        return false;
    for (int a = 0; a < 3; a++)
        b->unit[a] = way[a] / b->mm;
    b->accel = limit_along(p, S_ACCEL, b->unit);
    const double fastest = limit_along(p, S_RATE, b->unit) / 60;
    b->nominal = fmax(rapid ? fastest : fmin(feed, fastest), FEED_LEAST);
    b->max_entry_sqr = fmin(junction_sqr(p, b->unit), b->nominal * b->nominal);
    b->max_entry_sqr = fmin(b->max_entry_sqr, p->prev_nominal * p->prev_nominal);
    memcpy(p->prev_unit, b->unit, sizeof b->unit);
    p->prev_nominal = b->nominal;
    p->have_prev = true;
    for (int a = 0; a < 3; a++)
        p->plan_position[a] += b->steps[a];
    p->block_count++;
    recalculate(p);
    return true;
}

// Where the steppers are now, in whole steps.
static void present_position(const struct plotter *p, int64_t t_ns, int32_t ret[3])
{
    memcpy(ret, p->position, sizeof p->position);
    if (p->block_count == 0)
        return;
    const struct plotter_block *b = present(p);
    const double share = plotter_steppers_way(p, t_ns) / b->mm;
    for (int a = 0; a < 3; a++)
        ret[a] = b->from[a] + (int32_t)lround(b->steps[a] * share);
}

void plotter_plan_reset(struct plotter *p)
{
    int32_t at[3];
    present_position(p, p->now_ns, at);
    memcpy(p->position, at, sizeof at);
    memcpy(p->plan_position, at, sizeof at);
    p->block_count = 0;
    p->have_prev = false;
    p->profile = (struct plotter_profile){0};
}

// --- the steppers ---

void plotter_steppers_start(struct plotter *p)
{
    if (p->block_count == 0 || p->profile.active)
        return;
    p->profile.holding = false;
    block_at(p, 0)->entry_sqr = 0;
    recalculate(p);
    p->cycle = true;
    make_profile(p, 0);
}

void plotter_steppers_hold(struct plotter *p)
{
    if (!p->profile.active || p->profile.holding)
        return;
    const double v = rebase(p);
    p->profile.holding = true;
    make_profile(p, v);
}

void plotter_steppers_block_over(struct plotter *p)
{
    struct plotter_profile *f = &p->profile;
    const double v = plotter_steppers_speed(p, f->end_ns);
    struct plotter_block *b = block_at(p, 0);
    const double way = plotter_steppers_way(p, f->end_ns);
    f->active = false;
    const bool whole = b->mm - way < 1e-6;
    if (whole) {
        for (int a = 0; a < 3; a++)
            p->position[a] = b->from[a] + b->steps[a];
        p->block_tail = (p->block_tail + 1) % PLOTTER_BLOCKS;
        p->block_count--;
    } else {
        b->done = way;
    }
    const bool at_rest = f->holding && (v < 1e-6 || !whole);
    if (at_rest || p->block_count == 0) {
        p->cycle = false;
        p->have_prev = p->have_prev && p->block_count > 0;
        return;
    }
    block_at(p, 0)->entry_sqr = v * v;
    make_profile(p, v);
}

void plotter_steppers_stop(struct plotter *p)
{
    const double v = plotter_steppers_speed(p, p->now_ns);
    double speed[3] = {0};
    if (p->block_count)
        for (int a = 0; a < 3; a++)
            speed[a] = present(p)->unit[a] * v;
    if (v > 0)
        p->ops->stopped_dead(p->user, p->now_ns, speed);
    plotter_plan_reset(p);
    p->cycle = false;
}

void plotter_position(const struct plotter *p, int64_t t_ns, double ret[3])
{
    if (p->state == PLOTTER_HOME && p->home.end_ns) {
        plotter_home_position(p, t_ns, ret);
        return;
    }
    int32_t at[3];
    present_position(p, t_ns, at);
    for (int a = 0; a < 3; a++)
        ret[a] = plotter_plan_mm(p, a, at[a]);
}

bool plotter_moving(const struct plotter *p)
{
    return p->profile.active || (p->state == PLOTTER_HOME && p->home.end_ns);
}
