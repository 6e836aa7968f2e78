#include "motion/travel.h"

#include <math.h>
#include <stddef.h>

double travel_trapezoid(double distance, double speed, double acceleration)
{
    if (distance <= 0)
        return 0;
    if (distance < speed * speed / acceleration)
        return 2 * sqrt(distance / acceleration);
    return distance / speed + speed / acceleration;
}

double travel_line(const struct travel_limits *limits, const double from[3], const double to[3],
                   double feed)
{
    double d[TRAVEL_AXES], length = 0;
    for (int i = 0; i < TRAVEL_AXES; i++) {
        d[i] = fabs(to[i] - from[i]);
        length += d[i] * d[i];
    }
    length = sqrt(length);
    if (length <= 0)
        return 0;
    double speed = INFINITY, acceleration = INFINITY;
    for (int i = 0; i < TRAVEL_AXES; i++) {
        if (d[i] <= 0)
            continue;
        speed = fmin(speed, limits->speed[i] * length / d[i]);
        acceleration = fmin(acceleration, limits->acceleration[i] * length / d[i]);
    }
    if (feed > 0)
        speed = fmin(speed, feed);
    return travel_trapezoid(length, speed, acceleration);
}

// One line of a path: its direction, and the limits along it.
struct segment {
    double unit[TRAVEL_AXES], length, speed, acceleration;
    double entry; // (mm/s)² at its beginning
};

static double along(const double limit[TRAVEL_AXES], const double unit[TRAVEL_AXES])
{
    double most = INFINITY;
    for (int i = 0; i < TRAVEL_AXES; i++) {
        if (unit[i] != 0)
            most = fmin(most, limit[i] / fabs(unit[i]));
    }
    return most;
}

static bool make_segment(const struct travel_limits *limits, const double from[3],
                         const double to[3], double feed, struct segment *s)
{
    s->length = 0;
    for (int i = 0; i < TRAVEL_AXES; i++)
        s->length += (to[i] - from[i]) * (to[i] - from[i]);
    s->length = sqrt(s->length);
    if (s->length <= 0)
        return false;
    for (int i = 0; i < TRAVEL_AXES; i++)
        s->unit[i] = (to[i] - from[i]) / s->length;
    s->speed = along(limits->speed, s->unit);
    s->acceleration = along(limits->acceleration, s->unit);
    if (feed > 0)
        s->speed = fmin(s->speed, feed);
    return true;
}

// Square of the highest speed at which the corner between two lines may be passed.
static double corner(const struct travel_limits *limits, const struct segment *a,
                     const struct segment *b)
{
    double cosine = 0, across[TRAVEL_AXES], norm = 0;
    for (int i = 0; i < TRAVEL_AXES; i++) {
        cosine -= a->unit[i] * b->unit[i];
        across[i] = b->unit[i] - a->unit[i];
        norm += across[i] * across[i];
    }
    double least = fmin(a->speed, b->speed);
    if (cosine > 0.999999)
        return 0; // straight back
    if (cosine < -0.999999)
        return least * least; // straight on
    for (int i = 0; i < TRAVEL_AXES; i++)
        across[i] /= sqrt(norm);
    double half_sine = sqrt(0.5 * (1 - cosine));
    double square =
        along(limits->acceleration, across) * limits->junction * half_sine / (1 - half_sine);
    return fmin(square, least * least);
}

// Seconds over a length from speed² in to speed² out.
static double ramp(const struct segment *s, double in, double out)
{
    double a = s->acceleration, v0 = sqrt(in), v1 = sqrt(out);
    double peak = fmin(sqrt((2 * a * s->length + in + out) / 2), s->speed);
    double rest = s->length - (2 * peak * peak - in - out) / (2 * a);
    return (2 * peak - v0 - v1) / a + fmax(0, rest) / peak;
}

double travel_path(const struct travel_limits *limits, const double from[3],
                   const double (*points)[3], const double *feed, int n)
{
    struct segment s[TRAVEL_PATH_MAX];
    const double *at = from;
    double seconds = 0;
    int count = 0;
    for (int i = 0; i < n; i++) {
        double f = feed ? feed[i] : 0;
        if (i >= TRAVEL_PATH_MAX)
            seconds += travel_line(limits, at, points[i], f);
        else if (make_segment(limits, at, points[i], f, &s[count]))
            count++;
        at = points[i];
    }
    for (int i = 0; i < count; i++)
        s[i].entry = i ? corner(limits, &s[i - 1], &s[i]) : 0;
    // No faster into a line than can be braked away on it, nor than could be reached before it.
    for (int i = count - 1; i >= 0; i--) {
        double out = i + 1 < count ? s[i + 1].entry : 0;
        s[i].entry = fmin(s[i].entry, out + 2 * s[i].acceleration * s[i].length);
    }
    for (int i = 0; i + 1 < count; i++)
        s[i + 1].entry = fmin(s[i + 1].entry, s[i].entry + 2 * s[i].acceleration * s[i].length);
    for (int i = 0; i < count; i++)
        seconds += ramp(&s[i], s[i].entry, i + 1 < count ? s[i + 1].entry : 0);
    return seconds;
}

double travel_segment_distance(const double point[2], const double from[2], const double to[2])
{
    double dx = to[0] - from[0], dy = to[1] - from[1];
    double px = point[0] - from[0], py = point[1] - from[1];
    double square = dx * dx + dy * dy;
    double t = square > 0 ? (px * dx + py * dy) / square : 0;
    t = fmin(1, fmax(0, t));
    return hypot(px - t * dx, py - t * dy);
}

double travel_height(const struct travel_body *body, const double from[2], const double to[2],
                     const struct travel_obstacle *obstacles, int count, double floor,
                     double everywhere_top)
{
    double extra = body->below + body->clearance;
    if (!obstacles)
        return fmax(floor, everywhere_top + extra);
    double height = floor;
    for (int i = 0; i < count; i++) {
        const struct travel_obstacle *o = &obstacles[i];
        double centre[2] = {o->x, o->y};
        if (o->top + extra > height &&
            travel_segment_distance(centre, from, to) < o->radius + body->radius + body->side)
            height = o->top + extra;
    }
    return height;
}
