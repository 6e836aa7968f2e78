// usb_place: which USB socket a serial port hangs on. It tells one chip without a serial number
// (most CH340) from another.
#pragma once

#include <stdbool.h>

enum { USB_PLACE_MAX = 64 };

// "1-1.2" (bus, then the sockets on the way) out of a device's path in sysfs:
// "/sys/devices/…/usb1/1-1/1-1.2/1-1.2:1.0/ttyUSB0". false, nothing written: no USB device.
bool usb_place_of_path(const char *path, char ret[USB_PLACE_MAX]);

// The same of "/dev/ttyUSB0", as the kernel has it now.
bool usb_place_of_port(const char *port, char ret[USB_PLACE_MAX]);
