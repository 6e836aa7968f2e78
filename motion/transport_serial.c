// Real serial ports through libserialport.
//
// The library finds and sets up the port; its descriptor is then used directly, because its own
// reads return 0 for ever after an unplug. Versions 0.1.1 and 0.1.2 differ (symlinks, locking):
// both are served by resolving the path and locking here.
#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <limits.h>
#include <linux/serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "motion/transport_impl.h"
#include "motion/usb_place.h"

enum { USB_SERIAL_MAX = 64 };

struct serial {
    char *path;
    int baud;
    enum transport_dtr dtr;
    struct sp_port *port; // NULL while closed
    int fd;
    // Who it was at the first open: a device that comes back as ttyUSB1 is found by this.
    bool usb;
    int vendor, product;
    char usb_serial[USB_SERIAL_MAX]; // "" = its chip has none: then the socket it hangs on counts
    char usb_place[USB_PLACE_MAX];
};

static int serial_fd(void *impl)
{
    return ((struct serial *)impl)->fd;
}

static ssize_t serial_read(void *impl, void *buf, size_t size)
{
    return transport_fd_read(((struct serial *)impl)->fd, buf, size);
}

static ssize_t serial_write(void *impl, const void *buf, size_t size)
{
    struct serial *s = impl;
    if (s->fd < 0)
        return -ENODEV;
    for (;;) {
        ssize_t n = write(s->fd, buf, size);
        if (n > 0)
            return n;
        if (n < 0 && errno == EINTR)
            continue;
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? -EAGAIN : -ENODEV;
    }
}

static void serial_hang_up(void *impl)
{
    struct serial *s = impl;
    if (s->port) {
        sp_close(s->port);
        sp_free_port(s->port);
    }
    s->port = NULL;
    s->fd = -1;
}

// Of the same make, with the same number if it has one.
static bool same_kind(const struct serial *s, const struct sp_port *port)
{
    int vendor, product;
    if (sp_get_port_transport(port) != SP_TRANSPORT_USB ||
        sp_get_port_usb_vid_pid(port, &vendor, &product) != SP_OK)
        return false;
    const char *number = sp_get_port_usb_serial(port);
    return vendor == s->vendor && product == s->product &&
           strcmp(number ? number : "", s->usb_serial) == 0;
}

// Two chips without numbers look alike: another machine may be behind the second one.
static bool same_usb(const struct serial *s, const struct sp_port *port)
{
    char place[USB_PLACE_MAX];
    return same_kind(s, port) &&
           (s->usb_serial[0] || !s->usb_place[0] ||
            (usb_place_of_port(sp_get_port_name(port), place) && strcmp(place, s->usb_place) == 0));
}

// Is the device of the first open behind this path? A name that became free may be a stranger's
// now.
static bool is_same_device(const struct serial *s, const char *path)
{
    struct sp_port *port;
    if (!s->usb)
        return true;
    if (sp_get_port_by_name(path, &port) != SP_OK)
        return false;
    const bool same = same_usb(s, port);
    sp_free_port(port);
    return same;
}

typedef bool serial_match_fn(const struct serial *s, const struct sp_port *port);

static bool find_elsewhere(const struct serial *s, serial_match_fn *matches, char path[PATH_MAX])
{
    struct sp_port **ports = NULL;
    bool found = false;
    if (!s->usb || sp_list_ports(&ports) != SP_OK)
        return false;
    for (int i = 0; ports[i] && !found; i++) {
        found = matches(s, ports[i]);
        if (found)
            snprintf(path, PATH_MAX, "%s", sp_get_port_name(ports[i]));
    }
    sp_free_port_list(ports);
    return found;
}

// The path to open now: where the link points, or where the same USB device has come back.
static int locate(const struct serial *s, char path[PATH_MAX], struct error *err)
{
    const bool there = realpath(s->path, path);
    char alike[PATH_MAX];
    if ((there && is_same_device(s, path)) || find_elsewhere(s, same_usb, path))
        return 0;
    if (find_elsewhere(s, same_kind, alike))
        return error_set_code(
            err, -ENODEV, "OtherSocket",
            "A device like the plotter is on %s, but on another USB socket, and its chip has no "
            "number to know it by: it may be another machine. Plug the plotter into the socket it "
            "was in, or start this program anew.",
            alike);
    if (there)
        return error_set_code(
            err, -ENODEV, "OtherDevice",
            "%s is another device now; it was a plotter before. Plug the plotter "
            "in again. A name under /dev/serial/by-id in serial.port always means "
            "the same device.",
            s->path);
    return error_set_code(err, -ENODEV, "NoDevice",
                          "%s is not there. Is the plotter plugged in and switched on? If it comes "
                          "and goes, brltty or ModemManager may be claiming it.",
                          s->path);
}

static void remember_usb(struct serial *s)
{
    if (sp_get_port_transport(s->port) != SP_TRANSPORT_USB ||
        sp_get_port_usb_vid_pid(s->port, &s->vendor, &s->product) != SP_OK)
        return;
    const char *number = sp_get_port_usb_serial(s->port);
    snprintf(s->usb_serial, sizeof s->usb_serial, "%s", number ? number : "");
    if (!usb_place_of_port(sp_get_port_name(s->port), s->usb_place))
        s->usb_place[0] = '\0';
    s->usb = true;
}

// FTDI chips hold back bytes for 16 ms unless asked not to. Others do not know the request.
static void lower_latency(int fd)
{
    struct serial_struct ss;
    if (ioctl(fd, TIOCGSERIAL, &ss) == 0) {
        ss.flags = (int)((unsigned)ss.flags | ASYNC_LOW_LATENCY);
        ioctl(fd, TIOCSSERIAL, &ss);
    }
}

static int refused(const char *path, struct error *err)
{
    int e = sp_last_error_code();
    if (e == EACCES)
        return error_set_code(err, -EACCES, "NoPermission",
                              "No permission to open %s. Add this user to the group dialout and "
                              "log in again.",
                              path);
    char *text = sp_last_error_message();
    int r = error_set(err, e == EBUSY ? -EBUSY : -ENODEV, "%s cannot be opened: %s.", path,
                      text ? text : strerror(e));
    sp_free_error_message(text);
    return r;
}

static int set_up(struct serial *s, const char *path, struct error *err)
{
    if (sp_get_port_handle(s->port, &s->fd) != SP_OK)
        return error_set(err, -ENODEV, "%s has no descriptor.", path);
    fcntl(s->fd, F_SETFD, FD_CLOEXEC);
    fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) | O_NONBLOCK);
    int r = transport_tty_lock(s->fd, path, err);
    if (r < 0)
        return r;
    if (sp_set_baudrate(s->port, s->baud) != SP_OK || sp_set_bits(s->port, 8) != SP_OK ||
        sp_set_parity(s->port, SP_PARITY_NONE) != SP_OK || sp_set_stopbits(s->port, 1) != SP_OK ||
        sp_set_flowcontrol(s->port, SP_FLOWCONTROL_NONE) != SP_OK)
        return error_set(err, -EINVAL, "%s does not take %d baud, 8N1.", path, s->baud);
    r = transport_tty_raw(s->fd, 0);
    if (r < 0)
        return error_set(err, r, "%s cannot be set to raw: %s.", path, strerror(-r));
    if (s->dtr == TRANSPORT_DTR_LOW)
        sp_set_dtr(s->port, SP_DTR_OFF);
    lower_latency(s->fd);
    return 0;
}

static int serial_reopen(void *impl, struct error *err)
{
    struct serial *s = impl;
    serial_hang_up(s);
    char path[PATH_MAX];
    int r = locate(s, path, err);
    if (r < 0)
        return r;
    if (sp_get_port_by_name(path, &s->port) != SP_OK) {
        s->port = NULL;
        return error_set_code(err, -ENODEV, "NoDevice", "%s is not a serial port.", path);
    }
    if (sp_open(s->port, SP_MODE_READ_WRITE) != SP_OK) {
        r = refused(path, err);
        sp_free_port(s->port);
        s->port = NULL;
        return r;
    }
    r = set_up(s, path, err);
    if (r < 0) {
        serial_hang_up(s);
        return r;
    }
    if (!s->usb)
        remember_usb(s);
    return 0;
}

static void serial_free(void *impl)
{
    struct serial *s = impl;
    serial_hang_up(s);
    free(s->path);
    free(s);
}

static const struct transport_ops serial_ops = {
    .fd = serial_fd,
    .read = serial_read,
    .write = serial_write,
    .reopen = serial_reopen,
    .hang_up = serial_hang_up,
    .free = serial_free,
};

int transport_open_serial(const struct transport_serial_options *options, struct transport **ret,
                          struct error *err)
{
    struct serial *s = calloc(1, sizeof *s);
    char *copy = strdup(options->path);
    if (!s || !copy) {
        free(s);
        free(copy);
        return error_set(err, -ENOMEM, "Out of memory.");
    }
    *s = (struct serial){.path = copy,
                         .baud = options->baud ? options->baud : 115200,
                         .dtr = options->dtr,
                         .fd = -1};
    int r = serial_reopen(s, err);
    if (r >= 0) {
        r = transport_make(&serial_ops, s, options->path, ret);
        if (r < 0)
            error_set(err, r, "Out of memory.");
    }
    if (r < 0)
        serial_free(s);
    return r;
}
