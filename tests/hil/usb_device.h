// usb_device: the far end of a USB cable: a device played through /dev/raw-gadget on a dummy_hcd
// bus, so that the kernel's own driver binds to it. Whoever plays it answers the requests of its
// class.
//
// The end of the process, however it comes, is the cable pulled out.
// Little-endian machines only, as USB's descriptors are.
#pragma once

#include <linux/usb/ch9.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USB_DEVICE_STRINGS = 3, USB_ANSWER_MAX = 512 };

struct usb_device;

struct usb_device_model {
    struct usb_device_descriptor device; // its string numbers are 1 … USB_DEVICE_STRINGS
    const char *string[USB_DEVICE_STRINGS];
    const uint8_t *configuration; // with all that belongs to it
    size_t configuration_size;
    enum usb_device_speed speed;
    // The host has chosen the configuration: endpoints may be opened.
    void (*configured)(void *user, struct usb_device *device);
    // A request of the class or vendor. Towards the host: fill data, return its length (the host
    // gets no more than it asked for). From the host: data[0..size) is what it sent; return 0.
    // Negative: refused (the endpoint stalls); in the latter direction asked before with size 0.
    int (*request)(void *user, const struct usb_ctrlrequest *request, uint8_t *data, size_t size);
    void *user;
};

// Plugs it into the bus "dummy_udc.BUS". Prints why and ends the process when that fails, since a
// test's far end has nothing better to do.
struct usb_device *usb_device_plug(const struct usb_device_model *model, int bus);
void usb_device_run(struct usb_device *device); // answers requests; does not return

int usb_device_endpoint(struct usb_device *device, uint8_t address, uint16_t packet); // bulk
// Both block until the host takes or sends; negative errno: -EINTR, or the host is not listening.
// The last packet of a transfer is a short one, unless `more` of it follows.
int usb_device_write(struct usb_device *device, int endpoint, const void *data, size_t size,
                     bool more);
int usb_device_read(struct usb_device *device, int endpoint, void *data, size_t size);
