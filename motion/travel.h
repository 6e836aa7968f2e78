// travel: how long the machine needs, and how high it must lift. Pure functions.
//
// GRBL moves in straight lines and scales a move by its slowest axis: from rest to rest a line of
// length d takes d/v + v/a (or 2·sqrt(d/a) when it never gets to v), with v and a along the line
// limited by each axis. With equal X and Y limits the time depends on max(|dx|,|dy|) alone.
#pragma once

#include <stdbool.h>

enum { TRAVEL_AXES = 3 };

struct travel_limits {
    double speed[TRAVEL_AXES];        // mm/s
    double acceleration[TRAVEL_AXES]; // mm/s²
    double junction;                  // mm, $11: how far corners may be cut; 0 = stop at each
};

// Seconds from rest to rest over distance mm at the given limits. 0 for no distance.
double travel_trapezoid(double distance, double speed, double acceleration);

// Seconds of one straight line from rest to rest; feed (mm/s along the line) 0 = as fast as it
// goes.
double travel_line(const struct travel_limits *limits, const double from[3], const double to[3],
                   double feed);

enum { TRAVEL_PATH_MAX = 512 };

// Seconds for straight lines one after the other, from rest to rest, as GRBL's planner blends them:
// a corner is passed at the speed of a circle that cuts it by `junction`, so a sharp one is almost,
// but not quite, a stop. points[n], feed[n] (NULL = rapid). At most TRAVEL_PATH_MAX lines; what is
// beyond them is timed from rest to rest. Source: gnea/grbl planner.c, the model in its comments.
double travel_path(const struct travel_limits *limits, const double from[3],
                   const double (*points)[3], const double *feed, int n);

// What stands on the table: upright cylinders.
struct travel_obstacle {
    double x, y;   // machine mm
    double radius; // mm
    double top;    // machine z of its top, mm
};

// The body that moves: the cup alone, or a cup with a stone below it.
struct travel_body {
    double radius;    // mm: half the width of cup or carried stone, whichever is wider
    double below;     // mm from the cup's lip down to the lowest part (0 without a stone)
    double clearance; // mm to keep above things
    double side;      // mm to keep beside them
};

// Lowest safe z of the cup's lip for travelling straight from `from` to `to` (x, y): above `floor`
// and above every obstacle closer to the path than the two radii and `side`. Obstacles
// NULL: nothing is known, every place may be occupied up to `everywhere_top`.
double travel_height(const struct travel_body *body, const double from[2], const double to[2],
                     const struct travel_obstacle *obstacles, int count, double floor,
                     double everywhere_top);

// Distance of a point from a segment, mm.
double travel_segment_distance(const double point[2], const double from[2], const double to[2]);
