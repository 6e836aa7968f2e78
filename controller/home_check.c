#include "controller/home_check.h"

#include <math.h>
#include <string.h>

static const double SAME_MM = 1.5; // two stones laid by the same map, each slipping a little

void home_check_homed(struct home_check *check)
{
    check->checked = false;
}

enum home_verdict home_check_stone(struct home_check *check, const double offset[2], double limit)
{
    if (hypot(offset[0], offset[1]) <= limit) {
        *check = (struct home_check){.checked = true};
        return HOME_RIGHT;
    }
    bool again = check->misses && !check->checked;
    bool same = hypot(offset[0] - check->missed[0], offset[1] - check->missed[1]) <= SAME_MM;
    memcpy(check->missed, offset, sizeof check->missed);
    check->checked = false;
    check->misses++;
    if (!again)
        return HOME_DOUBT;
    if (!same || check->map_mistaken)
        return HOME_WRONG;
    check->map_mistaken = true;
    return HOME_MAP;
}
