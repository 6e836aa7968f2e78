#include "vision/observation.h"

const char *scene_state_name(enum scene_state state)
{
    static const char *const NAME[SCENE_STATE_COUNT] = {
        [SCENE_STILL] = "still",
        [SCENE_MOVING] = "moving",
        [SCENE_HAND] = "hand",
        [SCENE_ARM] = "arm",
        [SCENE_CAMERA_MOVED] = "camera moved",
        [SCENE_LIGHT] = "light changes",
        [SCENE_TOO_DARK] = "too dark",
        [SCENE_OVEREXPOSED] = "overexposed",
        [SCENE_BLURRED] = "out of focus",
        [SCENE_NO_BOARD] = "no board",
    };
    return (unsigned)state < SCENE_STATE_COUNT ? NAME[state] : "?";
}

int observation_index(const struct observation *o, int column, int row)
{
    if (column < 0 || row < 0 || column >= o->columns || row >= o->rows)
        return -1;
    return row * o->columns + column;
}
