#include <errno.h>
#include <libserialport.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/hardware.h"
#include "motion/transport.h"

static void copy(char *ret, size_t size, const char *text)
{
    (void)snprintf(ret, size, "%s", text ? text : "");
}

static void describe(const struct sp_port *port, struct hardware_serial *ret)
{
    memset(ret, 0, sizeof *ret);
    copy(ret->path, sizeof ret->path, sp_get_port_name(port));
    hardware_by_id("/dev/serial/by-id", ret->path, ret->by_id, sizeof ret->by_id);
    ret->usb_vendor = ret->usb_product = -1;
    if (sp_get_port_transport(port) == SP_TRANSPORT_USB) {
        (void)sp_get_port_usb_vid_pid(port, &ret->usb_vendor, &ret->usb_product);
        copy(ret->usb_serial, sizeof ret->usb_serial, sp_get_port_usb_serial(port));
        copy(ret->name, sizeof ret->name, sp_get_port_usb_product(port));
    }
    if (ret->name[0] == '\0')
        copy(ret->name, sizeof ret->name, sp_get_port_description(port));
    ret->readable = access(ret->path, R_OK | W_OK) == 0;
}

int hardware_serials(struct hardware_serial *ret, struct error *err)
{
    struct sp_port **ports;
    // Where /sys isn't mounted (a container, a bare chroot) there is no hardware to list, as with
    // cameras and GPIO chips; libserialport calls that a failure.
    if (access("/sys/class/tty", F_OK) < 0)
        return 0;
    if (sp_list_ports(&ports) != SP_OK)
        return error_set(err, -EIO, "cannot list the serial ports");
    int count = 0;
    for (int i = 0; ports[i] && count < HARDWARE_MAX; i++)
        describe(ports[i], &ret[count++]);
    sp_free_port_list(ports);
    return count;
}

static void ignore_reply(void *user, uint64_t tag, int error, int64_t now_ns)
{
    (void)user;
    (void)tag;
    (void)error;
    (void)now_ns;
}

static void ignore_void(void *user, enum grbl_void_reason reason, int number, int64_t now_ns)
{
    (void)user;
    (void)reason;
    (void)number;
    (void)now_ns;
}

static void ignore_status(void *user, const struct grbl_status *status, int64_t now_ns)
{
    (void)user;
    (void)status;
    (void)now_ns;
}

static void ignore_link(void *user, enum grbl_link link, int64_t now_ns)
{
    (void)user;
    (void)link;
    (void)now_ns;
}

// Runs the client until the firmware has told everything or the time is over.
static int ask(struct grbl *grbl, int64_t until_ns)
{
    while (grbl_link(grbl) != GRBL_LINK_READY) {
        int64_t now = clock_monotonic_ns();
        if (now >= until_ns)
            return -ETIMEDOUT;
        int64_t due = grbl_deadline(grbl) < until_ns ? grbl_deadline(grbl) : until_ns;
        int wait_ms = due > now ? (int)((due - now) / NS_PER_MS) + 1 : 0;
        struct pollfd poll_fd = {.fd = grbl_fd(grbl), .events = grbl_events_wanted(grbl)};
        if (poll(&poll_fd, 1, wait_ms) < 0 && errno != EINTR)
            return -errno;
        grbl_process(grbl, clock_monotonic_ns(), poll_fd.revents);
    }
    return 0;
}

static void explain(const struct grbl *grbl, int r, const char *path, struct error *err)
{
    const char *trouble = grbl_last_trouble(grbl);
    error_set(err, r, "%s: %s", path,
              r != -ETIMEDOUT ? strerror(-r)
              : trouble[0]    ? trouble
                              : "nobody speaks GRBL here");
}

int hardware_serial_ask(const char *path, int baud, int seconds, struct grbl_machine *ret,
                        struct error *err)
{
    int64_t now = clock_monotonic_ns();
    struct transport_serial_options options = {
        .path = path, .baud = baud, .dtr = TRANSPORT_DTR_KEEP};
    struct transport *port;
    // libserialport refuses ptys, which is where a simulated plotter is.
    int r = strncmp(path, "/dev/pts/", 9) == 0 ? transport_open_device(path, &port, err)
                                               : transport_open_serial(&options, &port, err);
    if (r < 0)
        return r;
    const struct grbl_options client = {
        .baud = baud,
        .events = {.reply = ignore_reply,
                   .voided = ignore_void,
                   .status = ignore_status,
                   .link = ignore_link},
    };
    struct grbl *grbl;
    r = grbl_new(&client, port, now, &grbl);
    if (r == 0) {
        r = ask(grbl, now + seconds * NS_PER_S);
        if (r == 0)
            *ret = *grbl_machine(grbl);
        else
            explain(grbl, r, path, err);
        grbl_free(grbl);
    }
    transport_free(port);
    return r;
}
