#include "controller/hand_watch.h"

bool hand_watch(const struct observation *o, double tool_row, bool seen)
{
    int covered = 0;
    for (int row = 0; row < o->rows && row < tool_row - HAND_WATCH_ROWS; row++) {
        for (int column = 0; column < o->columns; column++)
            covered += o->point[row * o->columns + column].best == OBSERVATION_UNKNOWN;
    }
    return covered >= (seen ? HAND_WATCH_RESTS : HAND_WATCH_POINTS);
}
