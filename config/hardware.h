// hardware: what is plugged into this computer, found by asking the kernel.
//
// Nothing is configured, no line requested, no port opened, except that cameras and GPIO chips are
// opened for a moment to ask for their names, and hardware_serial_ask(), which says so.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/base/error.h"
#include "motion/grbl.h"

enum {
    HARDWARE_MAX = 32, // of each kind
    HARDWARE_PATH_MAX = 256,
    HARDWARE_NAME_MAX = 128,
    HARDWARE_FORMATS_MAX = 8,
    HARDWARE_LINES_MAX = 512, // of a GPIO chip
};

struct hardware_format {
    char name[8];      // "MJPG", "YUYV"
    int width, height; // largest picture; 0 = the driver does not say
};

struct hardware_camera {
    char path[HARDWARE_PATH_MAX];  // "/dev/video0"
    char by_id[HARDWARE_PATH_MAX]; // "/dev/v4l/by-id/…", stays the same after a restart; "" = none
    char name[HARDWARE_NAME_MAX], bus[HARDWARE_NAME_MAX];
    struct hardware_format format[HARDWARE_FORMATS_MAX];
    int formats;
    int error; // negative errno: it is there but could not be asked
};

struct hardware_serial {
    char path[HARDWARE_PATH_MAX], by_id[HARDWARE_PATH_MAX];
    char name[HARDWARE_NAME_MAX]; // "Arduino Uno", the driver's words without USB
    int usb_vendor, usb_product;  // -1: not on USB
    char usb_serial[HARDWARE_NAME_MAX];
    bool readable; // this user may open it
};

struct hardware_line {
    char name[HARDWARE_NAME_MAX / 2];     // "GPIO17"; "" = unnamed
    char consumer[HARDWARE_NAME_MAX / 2]; // who has it; "" = free
};

struct hardware_gpio {
    char path[HARDWARE_PATH_MAX], label[HARDWARE_NAME_MAX];
    int lines;
    struct hardware_line line[HARDWARE_LINES_MAX];
    int error;
};

// Each fills at most HARDWARE_MAX and returns how many there are, or a negative errno.
int hardware_cameras(struct hardware_camera *ret, struct error *err);
int hardware_serials(struct hardware_serial *ret, struct error *err);
int hardware_gpios(struct hardware_gpio *ret, struct error *err);

// Opens the port, lets the firmware tell who it is and what it is set to ($I, $$), and closes. An
// Arduino resets at this: never while the machine works. -ETIMEDOUT: nobody speaks GRBL there.
// Takes up to `seconds`.
int hardware_serial_ask(const char *path, int baud, int seconds, struct grbl_machine *ret,
                        struct error *err);

// What the kernel says this computer is ("Raspberry Pi 5 Model B Rev 1.0"); "" when it does not.
void hardware_model(char *ret, size_t size);

// The name under `folder` (/dev/v4l/by-id) that leads to `path`, "" when there is none.
void hardware_by_id(const char *folder, const char *path, char *ret, size_t size);

// The pictures that the camera at `path` would give to somebody who asks for this size and format
// ("MJPG", "YUYV"; the other one of the two where it has not that): a driver answers with another
// size rather than with an error. It may be in use. Negative errno: it can't be asked.
int hardware_camera_would_give(const char *path, const char *format, int width, int height,
                               struct hardware_format *ret);
