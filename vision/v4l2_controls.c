#include "vision/v4l2_controls.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "vision/v4l2.h"

// A thing with an automatic mode and the value it finds.
struct automatic {
    const char *name;
    uint32_t mode;  // the control that turns the automatic on and off
    int on[2], off; // its values; the second "on" is tried when the first is refused
    uint32_t value; // what it adjusts
};

static const struct automatic AUTOMATIC[] = {
    {"exposure",
     V4L2_CID_EXPOSURE_AUTO,
     {V4L2_EXPOSURE_APERTURE_PRIORITY, V4L2_EXPOSURE_AUTO},
     V4L2_EXPOSURE_MANUAL,
     V4L2_CID_EXPOSURE_ABSOLUTE},
    {"gain", V4L2_CID_AUTOGAIN, {1, 1}, 0, V4L2_CID_GAIN},
    {"white balance", V4L2_CID_AUTO_WHITE_BALANCE, {1, 1}, 0, V4L2_CID_WHITE_BALANCE_TEMPERATURE},
    {"focus", V4L2_CID_FOCUS_AUTO, {1, 1}, 0, V4L2_CID_FOCUS_ABSOLUTE},
};

enum { AUTOMATICS = sizeof AUTOMATIC / sizeof AUTOMATIC[0] };

static int get(int fd, uint32_t id, int *ret)
{
    struct v4l2_control c = {.id = id};
    const int r = v4l2_ioctl(fd, VIDIOC_G_CTRL, &c);
    if (r == 0)
        *ret = c.value;
    return r;
}

static int set(int fd, uint32_t id, int value)
{
    struct v4l2_control c = {.id = id, .value = value};
    return v4l2_ioctl(fd, VIDIOC_S_CTRL, &c);
}

static bool has(int fd, uint32_t id)
{
    struct v4l2_queryctrl q = {.id = id};
    return v4l2_ioctl(fd, VIDIOC_QUERYCTRL, &q) == 0 && !(q.flags & V4L2_CTRL_FLAG_DISABLED);
}

void v4l2_controls_adjust(int fd, int power_line_hz)
{
    for (int k = 0; k < AUTOMATICS; k++)
        if (has(fd, AUTOMATIC[k].mode) && set(fd, AUTOMATIC[k].mode, AUTOMATIC[k].on[0]) != 0)
            set(fd, AUTOMATIC[k].mode, AUTOMATIC[k].on[1]);
    const int filter = power_line_hz == 50   ? V4L2_CID_POWER_LINE_FREQUENCY_50HZ
                       : power_line_hz == 60 ? V4L2_CID_POWER_LINE_FREQUENCY_60HZ
                                             : V4L2_CID_POWER_LINE_FREQUENCY_DISABLED;
    if (has(fd, V4L2_CID_POWER_LINE_FREQUENCY))
        set(fd, V4L2_CID_POWER_LINE_FREQUENCY, filter);
    // Exposure may not make the frame rate sink in the dark.
    if (has(fd, V4L2_CID_EXPOSURE_AUTO_PRIORITY))
        set(fd, V4L2_CID_EXPOSURE_AUTO_PRIORITY, 0);
}

// Some cameras jump to an old value when their automatic is switched off: the value found by it is
// written back, and what then stands is compared.
static const char *lock_one(int fd, const struct automatic *a)
{
    int value = 0, now = 0;
    if (!has(fd, a->mode))
        return has(fd, a->value) ? "fixed" : "missing";
    const bool readable = get(fd, a->value, &value) == 0;
    if (set(fd, a->mode, a->off) != 0)
        return "refused";
    if (!readable)
        return "locked";
    set(fd, a->value, value);
    if (get(fd, a->mode, &now) != 0 || now != a->off)
        return "refused";
    if (get(fd, a->value, &now) != 0 || now != value)
        return "locked at another value";
    return "locked";
}

void v4l2_controls_lock(int fd, char *report)
{
    for (int k = 0; k < AUTOMATICS; k++) {
        const char *result = lock_one(fd, &AUTOMATIC[k]);
        const size_t used = report ? strlen(report) : V4L2_REPORT_MAX;
        if (used + 1 < V4L2_REPORT_MAX)
            snprintf(report + used, V4L2_REPORT_MAX - used, "; %s %s", AUTOMATIC[k].name, result);
    }
}
