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
