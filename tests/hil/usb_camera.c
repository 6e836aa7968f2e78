// usb-camera BUS FRAMES [LOG [WxH@RATE]]: a USB camera that shows the simulated table; the kernel's
// own uvcvideo makes /dev/videoN of it. Ending the process pulls it out; SIGSTOP freezes its
// picture. It offers one size and rate (1280x720@15), which must be the pictures'.
//
// LOG gets a line "NANOSECONDS CRC32C SIZE" for every picture that was sent whole.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/crc32c.h"
#include "hil/frame_feed.h"
#include "hil/usb_device.h"
#include "hil/uvc.h"

enum {
    PICTURE_MAX = 2 << 20,
    HEADER = 2,
    HEADER_END = 0x02,
    HEADER_LAST = 0x80,
    NO_PICTURE_MS = 1000
};

struct camera {
    struct uvc uvc;
    struct usb_device *usb;
    struct frame_feed *feed;
    FILE *log;
    int endpoint;
    uint8_t picture[PICTURE_MAX];
};

// One picture as payloads, each with a header that says whose it is. 0, or the host has stopped.
static int send_picture(struct camera *c, size_t size, unsigned parity)
{
    uint8_t payload[UVC_PAYLOAD];
    for (size_t at = 0; at < size;) {
        size_t n = size - at < UVC_PAYLOAD - HEADER ? size - at : UVC_PAYLOAD - HEADER;
        const bool last = at + n == size;
        payload[0] = HEADER;
        payload[1] = (uint8_t)(HEADER_LAST | parity | (last ? HEADER_END : 0));
        for (size_t i = 0; i < n; i++)
            payload[HEADER + i] = c->picture[at + i];
        const int r =
            usb_device_write(c->usb, c->endpoint, payload, n + HEADER, n + HEADER == UVC_PAYLOAD);
        if (r < 0)
            return r;
        at += n;
    }
    return 0;
}

static void *stream(void *user)
{
    struct camera *c = user;
    for (unsigned parity = 0;;) {
        const size_t size = frame_feed_next(c->feed, c->picture, sizeof c->picture, NO_PICTURE_MS);
        if (!size)
            continue;
        if (send_picture(c, size, parity) < 0) {
            usleep(20000);
            continue;
        }
        parity ^= 1;
        if (c->log) {
            fprintf(c->log, "%lld %08x %zu\n", (long long)clock_monotonic_ns(),
                    (unsigned)crc32c(0, c->picture, size), size);
            fflush(c->log);
        }
    }
    return NULL;
}

static void start(void *user, struct usb_device *usb)
{
    struct camera *c = user;
    pthread_t thread;
    c->endpoint = usb_device_endpoint(usb, UVC_ENDPOINT, UVC_PACKET);
    if (pthread_create(&thread, NULL, stream, c))
        exit(1);
}

static int on_request(void *user, const struct usb_ctrlrequest *request, uint8_t *data, size_t size)
{
    struct camera *c = user;
    return uvc_request(&c->uvc, request, data, size);
}

int main(int argc, char **argv)
{
    static struct camera c = {.uvc = {.width = 1280, .height = 720, .fps = 15}};
    static uint8_t configuration[USB_ANSWER_MAX];
    if (argc < 3 ||
        (argc > 4 && sscanf(argv[4], "%ux%u@%u", &c.uvc.width, &c.uvc.height, &c.uvc.fps) != 3)) {
        fprintf(stderr, "Usage: usb-camera BUS FRAMES [LOG [WxH@RATE]]\n");
        return 2;
    }
    const struct usb_device_model model = {
        .device = {.bLength = USB_DT_DEVICE_SIZE,
                   .bDescriptorType = USB_DT_DEVICE,
                   .bcdUSB = 0x0200,
                   .bDeviceClass = 0xef, // several interfaces, one function
                   .bDeviceSubClass = 2,
                   .bDeviceProtocol = 1,
                   .bMaxPacketSize0 = 64,
                   .idVendor = 0x1d6b,
                   .idProduct = 0x0102,
                   .bcdDevice = 0x0100,
                   .iManufacturer = 1,
                   .iProduct = 2,
                   .iSerialNumber = 3,
                   .bNumConfigurations = 1},
        .string = {"Tessera", "Table camera", "C1"},
        .configuration = configuration,
        .configuration_size = uvc_configuration(&c.uvc, configuration),
        .speed = USB_SPEED_HIGH,
        .configured = start,
        .request = on_request,
        .user = &c,
    };
    c.log = argc > 3 ? fopen(argv[3], "a") : NULL;
    if (argc > 3 && !c.log) {
        perror(argv[3]);
        return 1;
    }
    c.feed = frame_feed_new(argv[2]);
    c.usb = usb_device_plug(&model, atoi(argv[1]));
    usb_device_run(c.usb);
}
