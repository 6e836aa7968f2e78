// Homing: z first, then x and y together; each cycle seeks the switch, pulls off, comes back
// slowly and pulls off again. Silent all the while (F15): what is asked is answered afterwards.
#include <math.h>

#include "config/base/clock.h"
#include "controller/sim/plotter_private.h"

enum { CYCLES = 2, PASSES = 4 };

#define SEARCH_SCALAR 1.5  // of the travel
#define LOCATE_SCALAR 5.0  // of the pull-off
#define RATE_LEAST    0.01 // mm/s

static bool home_at_min(const struct plotter *p, int axis)
{
    return ((int)p->eeprom.setting[S_HOMING_DIR] >> axis) & 1;
}

// Time to go `way` mm from rest; a switch stops it dead, a pull-off ends at rest.
static double pass_time(double way, double rate, double accel, bool decelerates)
{
    const double ramps = decelerates ? 2 : 1, ramp = rate * rate / (2 * accel);
    if (way >= ramps * ramp)
        return ramps * rate / accel + (way - ramps * ramp) / rate;
    return ramps * sqrt(2 * (way / ramps) / accel);
}

static double pass_way(double t, double way, double rate, double accel, bool decelerates)
{
    const double total = pass_time(way, rate, accel, decelerates);
    if (t >= total)
        return way;
    double s;
    const double ramp = fmin(rate / accel, decelerates ? total / 2 : total);
    if (t <= ramp)
        s = accel * t * t / 2;
    else if (!decelerates || t <= total - ramp)
        s = accel * ramp * ramp / 2 + accel * ramp * (t - ramp);
    else
        s = way - accel * (total - t) * (total - t) / 2;
    return fmin(s, way);
}

static void pass_start(struct plotter *p)
{
    struct plotter_home *h = &p->home;
    const bool approach = h->pass % 2 == 0;
    const double *setting = p->eeprom.setting;
    h->rate = setting[h->pass == 2 ? S_HOMING_FEED : S_HOMING_SEEK] / 60;
    h->decelerates = !approach;
    h->accel = INFINITY;
    h->t0_ns = p->now_ns;
    double longest = 0;
    for (int a = 0; a < 3; a++) {
        h->axis[a] = h->cycle == 0 ? a == 2 : a < 2;
        h->from[a] = plotter_plan_mm(p, a, p->position[a]);
        h->way[a] = 0;
        if (h->axis[a]) {
            h->rate = fmin(h->rate, setting[S_RATE + a] / 60);
            h->accel = fmin(h->accel, setting[S_ACCEL + a]);
        }
    }
    h->rate = fmax(h->rate, RATE_LEAST);
    for (int a = 0; a < 3; a++) {
        if (!h->axis[a])
            continue;
        const bool at_min = home_at_min(p, a);
        double way = setting[S_PULL_OFF];
        if (approach) {
            const double most = h->pass == 0 ? SEARCH_SCALAR * setting[S_TRAVEL + a]
                                             : LOCATE_SCALAR * setting[S_PULL_OFF];
            way = fmax(0, p->ops->switch_distance(p->user, a, at_min));
            h->failed = h->failed || way > most;
            way = fmin(way, most);
        }
        h->way[a] = at_min == approach ? -way : way;
        longest = fmax(longest, pass_time(way, h->rate, h->accel, h->decelerates));
    }
    h->rest_ns = p->now_ns + clock_span_ns(longest);
    h->end_ns = h->rest_ns + (int64_t)(setting[S_HOMING_DEBOUNCE] * NS_PER_MS);
}

void plotter_home_start(struct plotter *p)
{
    plotter_plan_reset(p);
    p->home = (struct plotter_home){0};
    p->state = PLOTTER_HOME;
    pass_start(p);
    if (p->flavour == SETUP_GRBLHAL)
        plotter_report_realtime(p);
}

void plotter_home_position(const struct plotter *p, int64_t t_ns, double ret[3])
{
    const struct plotter_home *h = &p->home;
    const double t = (double)(t_ns - h->t0_ns) / 1e9;
    for (int a = 0; a < 3; a++) {
        const double way = pass_way(t, fabs(h->way[a]), h->rate, h->accel, h->decelerates);
        ret[a] = h->from[a] + copysign(way, h->way[a]);
    }
}

static void take_position(struct plotter *p, const double at[3])
{
    for (int a = 0; a < 3; a++) {
        p->position[a] = plotter_plan_steps(p, a, at[a]);
        p->plan_position[a] = p->position[a];
        p->parser_at[a] = at[a];
    }
}

static void cycle_over(struct plotter *p)
{
    struct plotter_home *h = &p->home;
    const double *setting = p->eeprom.setting;
    double at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = plotter_plan_mm(p, a, p->position[a]);
        if (h->axis[a])
            at[a] = home_at_min(p, a) ? setting[S_PULL_OFF] - setting[S_TRAVEL + a]
                                      : -setting[S_PULL_OFF];
    }
    take_position(p, at);
    p->ops->renamed(p->user, p->now_ns, at, h->axis, true);
}

void plotter_home_stop(struct plotter *p)
{
    struct plotter_home *h = &p->home;
    double at[3], speed[3] = {0};
    plotter_home_position(p, p->now_ns, at);
    if (p->now_ns < h->rest_ns)
        for (int a = 0; a < 3; a++)
            speed[a] = h->axis[a] ? copysign(h->rate, h->way[a]) : 0;
    h->end_ns = 0;
    take_position(p, at);
    p->ops->stopped_dead(p->user, p->now_ns, speed);
}

void plotter_home_pass_over(struct plotter *p)
{
    struct plotter_home *h = &p->home;
    double at[3];
    plotter_home_position(p, p->now_ns, at);
    take_position(p, at);
    if (h->failed) {
        h->end_ns = 0;
        p->alarm = ALARM_HOME_APPROACH;
        return;
    }
    h->pass++;
    if (h->pass == PASSES) {
        cycle_over(p);
        h->pass = 0;
        h->cycle++;
    }
    if (h->cycle == CYCLES)
        h->end_ns = 0;
    else
        pass_start(p);
}
