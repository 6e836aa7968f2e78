#include "controller/hand_watch.h"

// The rim of a block that stands half turned is unknown whether something covers it or not; its
// middle tells.
static bool stands_aside(const struct observation *o, int column, int row)
{
    enum { SIDE = 3 };
    const int x = (o->half_turned - 1) % 2 * SIDE, y = (o->half_turned - 1) / 2 * SIDE;
    return o->half_turned && column / SIDE * SIDE == x && row / SIDE * SIDE == y &&
           o->point[(y + 1) * o->columns + x + 1].best != OBSERVATION_UNKNOWN;
}

bool hand_watch(const struct observation *o, double tool_row, bool seen)
{
    int covered = 0;
    for (int row = 0; row < o->rows && row < tool_row - HAND_WATCH_ROWS; row++) {
        for (int column = 0; column < o->columns; column++)
            covered += o->point[row * o->columns + column].best == OBSERVATION_UNKNOWN &&
                       !stands_aside(o, column, row);
    }
    return covered >= (seen ? HAND_WATCH_RESTS : HAND_WATCH_POINTS);
}
