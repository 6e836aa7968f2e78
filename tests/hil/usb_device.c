#include "hil/usb_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/usb/raw_gadget.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TRANSFER_MAX = 16384, LANGUAGE_ENGLISH = 0x0409 };

struct usb_device {
    struct usb_device_model model;
    int fd;
    bool configured;
};

union transfer {
    struct usb_raw_ep_io head; // its data follow it
    uint8_t room[sizeof(struct usb_raw_ep_io) + TRANSFER_MAX];
};

union event {
    struct usb_raw_event head;
    uint8_t room[sizeof(struct usb_raw_event) + sizeof(struct usb_ctrlrequest)];
};

static void die(const char *what)
{
    fprintf(stderr, "usb device: %s: %s\n", what, strerror(errno));
    exit(1);
}

struct usb_device *usb_device_plug(const struct usb_device_model *model, int bus)
{
    struct usb_device *d = calloc(1, sizeof *d);
    struct usb_raw_init init = {.speed = (uint8_t)model->speed};
    if (!d)
        die("no memory");
    d->model = *model;
    snprintf((char *)init.driver_name, sizeof init.driver_name, "dummy_udc");
    snprintf((char *)init.device_name, sizeof init.device_name, "dummy_udc.%d", bus);
    d->fd = open("/dev/raw-gadget", O_RDWR | O_CLOEXEC);
    if (d->fd < 0 || ioctl(d->fd, USB_RAW_IOCTL_INIT, &init) < 0 ||
        ioctl(d->fd, USB_RAW_IOCTL_RUN, 0) < 0)
        die("it can't be plugged in");
    return d;
}

int usb_device_endpoint(struct usb_device *d, uint8_t address, uint16_t packet)
{
    struct usb_endpoint_descriptor e = {.bLength = USB_DT_ENDPOINT_SIZE,
                                        .bDescriptorType = USB_DT_ENDPOINT,
                                        .bEndpointAddress = address,
                                        .bmAttributes = USB_ENDPOINT_XFER_BULK,
                                        .wMaxPacketSize = packet};
    const int endpoint = ioctl(d->fd, USB_RAW_IOCTL_EP_ENABLE, &e);
    if (endpoint < 0)
        die("an endpoint can't be opened");
    return endpoint;
}

int usb_device_write(struct usb_device *d, int endpoint, const void *data, size_t size, bool more)
{
    union transfer t = {.head = {.ep = (uint16_t)endpoint, .length = (uint32_t)size}};
    if (size > TRANSFER_MAX)
        return -EMSGSIZE;
    t.head.flags = more ? 0 : USB_RAW_IO_FLAGS_ZERO;
    memcpy(t.head.data, data, size);
    const int n = ioctl(d->fd, USB_RAW_IOCTL_EP_WRITE, &t);
    return n < 0 ? -errno : n;
}

int usb_device_read(struct usb_device *d, int endpoint, void *data, size_t size)
{
    union transfer t = {.head = {.ep = (uint16_t)endpoint}};
    t.head.length = (uint32_t)(size < TRANSFER_MAX ? size : TRANSFER_MAX);
    const int n = ioctl(d->fd, USB_RAW_IOCTL_EP_READ, &t);
    if (n < 0)
        return -errno;
    memcpy(data, t.head.data, (size_t)n);
    return n;
}

// --- requests ---

static int describe_string(const struct usb_device *d, unsigned number, uint8_t *data)
{
    size_t n = 2;
    if (number > USB_DEVICE_STRINGS)
        return -1;
    const char *text = number ? d->model.string[number - 1] : "";
    if (number == 0) {
        data[n++] = LANGUAGE_ENGLISH & 255;
        data[n++] = LANGUAGE_ENGLISH >> 8;
    }
    for (; *text && n + 2 < USB_ANSWER_MAX; text++) {
        data[n++] = (uint8_t)*text;
        data[n++] = 0;
    }
    data[0] = (uint8_t)n;
    data[1] = USB_DT_STRING;
    return (int)n;
}

static int describe(const struct usb_device *d, uint16_t value, uint8_t *data)
{
    const struct usb_device_descriptor *device = &d->model.device;
    switch (value >> 8) {
    case USB_DT_DEVICE:
        memcpy(data, device, USB_DT_DEVICE_SIZE);
        return USB_DT_DEVICE_SIZE;
    case USB_DT_DEVICE_QUALIFIER: {
        if (d->model.speed != USB_SPEED_HIGH)
            return -1; // a full-speed device has no other speed
        const struct usb_qualifier_descriptor q = {.bLength = sizeof q,
                                                   .bDescriptorType = USB_DT_DEVICE_QUALIFIER,
                                                   .bcdUSB = device->bcdUSB,
                                                   .bDeviceClass = device->bDeviceClass,
                                                   .bDeviceSubClass = device->bDeviceSubClass,
                                                   .bDeviceProtocol = device->bDeviceProtocol,
                                                   .bMaxPacketSize0 = device->bMaxPacketSize0,
                                                   .bNumConfigurations = 1};
        memcpy(data, &q, sizeof q);
        return sizeof q;
    }
    case USB_DT_CONFIG:
        memcpy(data, d->model.configuration, d->model.configuration_size);
        return (int)d->model.configuration_size;
    case USB_DT_STRING:
        return describe_string(d, value & 255, data);
    default:
        return -1;
    }
}

static int configure(struct usb_device *d)
{
    if (d->configured)
        return 0;
    d->configured = true;
    d->model.configured(d->model.user, d);
    ioctl(d->fd, USB_RAW_IOCTL_VBUS_DRAW, 50);
    return ioctl(d->fd, USB_RAW_IOCTL_CONFIGURE, 0);
}

static int answer(struct usb_device *d, const struct usb_ctrlrequest *r, uint8_t *data)
{
    if ((r->bRequestType & USB_TYPE_MASK) != USB_TYPE_STANDARD)
        return d->model.request(d->model.user, r, data, 0);
    switch (r->bRequest) {
    case USB_REQ_GET_DESCRIPTOR:
        return describe(d, r->wValue, data);
    case USB_REQ_SET_CONFIGURATION:
        return configure(d);
    case USB_REQ_SET_INTERFACE:
        return 0;
    default:
        return -1;
    }
}

static void control(struct usb_device *d, const struct usb_ctrlrequest *r)
{
    union transfer t = {.head = {.ep = 0}};
    const bool to_host = r->bRequestType & USB_DIR_IN;
    const int n = answer(d, r, t.head.data);
    if (n < 0 || r->wLength > TRANSFER_MAX) {
        ioctl(d->fd, USB_RAW_IOCTL_EP0_STALL, 0);
        return;
    }
    t.head.length = to_host && (size_t)n < r->wLength ? (uint32_t)n : r->wLength;
    const int got = ioctl(d->fd, to_host ? USB_RAW_IOCTL_EP0_WRITE : USB_RAW_IOCTL_EP0_READ, &t);
    if (!to_host && got > 0 && (r->bRequestType & USB_TYPE_MASK) != USB_TYPE_STANDARD)
        d->model.request(d->model.user, r, t.head.data, (size_t)got);
}

void usb_device_run(struct usb_device *d)
{
    for (;;) {
        struct usb_ctrlrequest request;
        union event event = {.head = {.length = sizeof request}};
        if (ioctl(d->fd, USB_RAW_IOCTL_EVENT_FETCH, &event) < 0) {
            if (errno == EINTR)
                continue;
            die("no more events");
        }
        if (event.head.type == USB_RAW_EVENT_CONTROL) {
            memcpy(&request, event.head.data, sizeof request);
            control(d, &request);
        }
    }
}
