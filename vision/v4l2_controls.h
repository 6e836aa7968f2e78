// v4l2_controls: what a camera adjusts by itself, and locking it. Internal to the v4l2 source.
#pragma once

// ioctl() that goes on after signals. 0 or negative errno.
int v4l2_ioctl(int fd, unsigned long request, void *argument);

// Everything automatic, so that the camera settles; mains flicker filtered (0, 50 or 60 Hz).
void v4l2_controls_adjust(int fd, int power_line_hz);

// Locks exposure, gain, white balance and focus at what they are, reads each back, and adds to the
// report (V4L2_REPORT_MAX bytes, may be NULL) what was locked, what the camera lacks and what would
// not stay.
void v4l2_controls_lock(int fd, char *report);
