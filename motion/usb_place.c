#include "motion/usb_place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The last part with a colon is the interface: the device's name stands before it.
bool usb_place_of_path(const char *path, char ret[USB_PLACE_MAX])
{
    const char *found = NULL;
    size_t length = 0;
    for (const char *part = path; *part; part += strcspn(part, "/")) {
        part += strspn(part, "/");
        const size_t size = strcspn(part, "/"), name = strcspn(part, ":/");
        if (name < size && memchr(part, '-', name) && name < USB_PLACE_MAX) {
            found = part;
            length = name;
        }
    }
    if (!found)
        return false;
    memcpy(ret, found, length);
    ret[length] = '\0';
    return true;
}

bool usb_place_of_port(const char *port, char ret[USB_PLACE_MAX])
{
    char link[PATH_MAX], path[PATH_MAX];
    const char *name = strrchr(port, '/');
    const int size =
        snprintf(link, sizeof link, "/sys/class/tty/%s/device", name ? name + 1 : port);
    return size > 0 && size < PATH_MAX && realpath(link, path) && usb_place_of_path(path, ret);
}
