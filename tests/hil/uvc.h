// uvc: what a USB camera says about itself (USB Video Class 1.1): one MJPEG format, one size and
// rate, and the controls a robot wants to lock, each with an automatic that never stands still.
#pragma once

#include <linux/usb/ch9.h>
#include <stddef.h>
#include <stdint.h>

enum { UVC_PAYLOAD = 16384, UVC_PACKET = 512, UVC_ENDPOINT = 0x81 };

struct uvc {
    unsigned width, height, fps;
};

// The configuration descriptor with all that belongs to it; returns its size (below 512).
size_t uvc_configuration(const struct uvc *uvc, uint8_t *ret);

// Answers a class request as usb_device_model.request does.
int uvc_request(const struct uvc *uvc, const struct usb_ctrlrequest *request, uint8_t *data,
                size_t size);
