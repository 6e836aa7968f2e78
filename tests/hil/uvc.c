// Numbers: USB Device Class Definition for Video Devices 1.1, tables 3-3 … 4-47 and A-4 … A-8.
#include "hil/uvc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define LE2(x) (uint8_t)((x)&255), (uint8_t)((x) >> 8 & 255)
#define LE4(x) LE2(x), (uint8_t)((x) >> 16 & 255), (uint8_t)((x) >> 24 & 255)

// --- controls ---

enum { CAMERA_TERMINAL = 1, OUTPUT_TERMINAL = 2, PROCESSING_UNIT = 3 };
enum { MODE_MANUAL = 1, MODE_APERTURE = 8 };
enum { AUTO_UPDATE = 0x08 }; // GET_INFO: the value changes by itself

enum request {
    SET_CUR = 0x01,
    GET_CUR = 0x81,
    GET_MIN,
    GET_MAX,
    GET_RES,
    GET_LEN,
    GET_INFO,
    GET_DEF,
};

struct control {
    uint8_t unit, selector, size;
    bool flags;            // GET_RES is a set of allowed values
    uint8_t automatic;     // selector of the control that adjusts this one, 0 = none
    int32_t manual;        // its value when it does not
    int32_t min, max, res; // what the host may set
    int32_t now;
};

// clang-format off
static struct control controls[] = {
    {CAMERA_TERMINAL, 2, 1, true, 0, 0, 1, 8, 9, MODE_APERTURE},  // exposure mode
    {CAMERA_TERMINAL, 3, 1, false, 0, 0, 0, 1, 1, 1},             // rate may sink in the dark
    {CAMERA_TERMINAL, 4, 4, false, 2, 1, 3, 2047, 1, 250},        // exposure, 0.1 ms
    {CAMERA_TERMINAL, 8, 1, false, 0, 0, 0, 1, 1, 1},             // focus automatic
    {CAMERA_TERMINAL, 6, 2, false, 8, 0, 0, 250, 5, 60},          // focus
    {PROCESSING_UNIT, 4, 2, false, 0, 0, 0, 255, 1, 64},          // gain
    {PROCESSING_UNIT, 5, 1, false, 0, 0, 0, 2, 1, 2},             // mains: off, 50, 60 Hz
    {PROCESSING_UNIT, 0x0b, 1, false, 0, 0, 0, 1, 1, 1},          // white balance automatic
    {PROCESSING_UNIT, 0x0a, 2, false, 0x0b, 0, 2800, 6500, 10, 4600}, // white balance, K
};
// clang-format on

enum { CONTROLS = sizeof controls / sizeof controls[0] };

static struct control *find(uint8_t unit, uint8_t selector)
{
    for (int i = 0; i < CONTROLS; i++)
        if (controls[i].unit == unit && controls[i].selector == selector)
            return &controls[i];
    return NULL;
}

// An automatic wanders, as they do: whoever reads twice sees two values.
static void wander(struct control *c)
{
    const struct control *automatic = c->automatic ? find(c->unit, c->automatic) : NULL;
    if (!automatic || automatic->now == c->manual)
        return;
    c->now += 7 * c->res;
    if (c->now > c->max)
        c->now = c->min;
}

// Switched off, it forgets what it had found, as some do: the value is what it was without it.
static void forget(const struct control *automatic)
{
    for (int i = 0; i < CONTROLS; i++)
        if (controls[i].unit == automatic->unit && controls[i].automatic == automatic->selector &&
            automatic->now == controls[i].manual)
            controls[i].now = controls[i].max;
}

static int put(uint8_t *data, int32_t value, uint8_t size)
{
    for (int i = 0; i < size; i++)
        data[i] = (uint8_t)((uint32_t)value >> 8 * i);
    return size;
}

static int control_request(uint8_t request, struct control *c, uint8_t *data, size_t size)
{
    switch (request) {
    case SET_CUR:
        if (size >= c->size) {
            uint32_t value = 0;
            for (int i = 0; i < c->size; i++)
                value |= (uint32_t)data[i] << 8 * i;
            c->now = (int32_t)value;
            forget(c);
        }
        return 0;
    case GET_CUR:
        wander(c);
        return put(data, c->now, c->size);
    case GET_MIN:
        return put(data, c->min, c->size);
    case GET_MAX:
        return put(data, c->max, c->size);
    case GET_RES:
        return put(data, c->res, c->size);
    case GET_DEF:
        return put(data, c->min, c->size);
    case GET_LEN:
        return put(data, c->size, 2);
    case GET_INFO:
        // Can be read and set; what an automatic adjusts must not be taken from the driver's
        // memory.
        return put(data, c->automatic ? 3 | AUTO_UPDATE : 3, 1);
    default:
        return -EINVAL;
    }
}

// --- the stream ---

static uint32_t interval(const struct uvc *uvc)
{
    return 10000000 / uvc->fps; // 100 ns
}

// What is offered when asked, whatever was asked for: there is one format.
static int stream_request(const struct uvc *uvc, uint8_t request, uint8_t *data)
{
    // clang-format off
    const uint8_t offer[34] = {
        LE2(1), 1, 1, LE4(interval(uvc)),
        LE2(0), LE2(0), LE2(0), LE2(0), LE2(0),
        LE4(uvc->width * uvc->height * 2), LE4(UVC_PAYLOAD),
        LE4(48000000), 0, 0, 0, 0,
    };
    // clang-format on
    switch (request) {
    case SET_CUR:
        return 0;
    case GET_LEN:
        return put(data, sizeof offer, 2);
    case GET_INFO:
        return put(data, 3, 1);
    default:
        memcpy(data, offer, sizeof offer);
        return sizeof offer;
    }
}

int uvc_request(const struct uvc *uvc, const struct usb_ctrlrequest *r, uint8_t *data, size_t size)
{
    const uint8_t selector = (uint8_t)(r->wValue >> 8), unit = (uint8_t)(r->wIndex >> 8);
    const uint8_t interface = (uint8_t)r->wIndex;
    if ((r->bRequestType & USB_TYPE_MASK) != USB_TYPE_CLASS)
        return -EINVAL;
    if (interface == 1)
        return stream_request(uvc, r->bRequest, data);
    struct control *c = find(unit, selector);
    return c ? control_request(r->bRequest, c, data, size) : -EINVAL;
}

size_t uvc_configuration(const struct uvc *uvc, uint8_t *ret)
{
    enum { CONTROL = 13 + 18 + 12 + 9, STREAM = 14 + 11 + 30 };
    const uint32_t size = uvc->width * uvc->height * 2, rate = size * 8 * uvc->fps;
    // clang-format off
    const uint8_t c[] = {
        9, USB_DT_CONFIG, LE2(9 + 8 + 9 + CONTROL + 9 + STREAM + 7), 2, 1, 0, 0x80, 250,
        8, USB_DT_INTERFACE_ASSOCIATION, 0, 2, 0x0e, 3, 0, 0,
        // Control: a camera, its controls, the way to the host.
        9, USB_DT_INTERFACE, 0, 0, 0, 0x0e, 1, 0, 0,
        13, 0x24, 1, LE2(0x110), LE2(CONTROL), LE4(48000000), 1, 1,
        18, 0x24, 2, CAMERA_TERMINAL, LE2(0x201), 0, 0, LE2(0), LE2(0), LE2(0), 3,
        0x2e, 0x00, 0x02, // exposure mode, priority, time; focus and its automatic
        12, 0x24, 5, PROCESSING_UNIT, CAMERA_TERMINAL, LE2(0), 2,
        0x40, 0x16, // white balance and its automatic, gain, mains
        0, 0,
        9, 0x24, 3, OUTPUT_TERMINAL, LE2(0x101), 0, PROCESSING_UNIT, 0,
        // Stream: MJPEG in one size, by bulk transfers (dummy_hcd has no isochronous ones).
        9, USB_DT_INTERFACE, 1, 0, 1, 0x0e, 2, 0, 0,
        14, 0x24, 1, 1, LE2(STREAM), UVC_ENDPOINT, 0, OUTPUT_TERMINAL, 0, 0, 0, 1, 0,
        11, 0x24, 6, 1, 1, 1, 1, 0, 0, 0, 0,
        30, 0x24, 7, 1, 0, LE2(uvc->width), LE2(uvc->height), LE4(rate), LE4(rate), LE4(size),
        LE4(interval(uvc)), 1, LE4(interval(uvc)),
        7, USB_DT_ENDPOINT, UVC_ENDPOINT, USB_ENDPOINT_XFER_BULK, LE2(UVC_PACKET), 0,
    };
    // clang-format on
    memcpy(ret, c, sizeof c);
    return sizeof c;
}
