// loopback-camera DEVICE yuyv|mjpeg FRAMES-SOCKET [LOG]: shows the simulated table on a
// v4l2loopback device. LOG as usb-camera's; the checksum is of what was written to the device.
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <turbojpeg.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/crc32c.h"
#include "hil/frame_feed.h"

enum { WIDTH = 1280, HEIGHT = 720, PIXELS = WIDTH * HEIGHT, PICTURE_MAX = 2 << 20 };

static uint8_t jpeg[PICTURE_MAX], planes[PIXELS * 3], packed[PIXELS * 2];

static int open_device(const char *path, bool yuyv)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    struct v4l2_format f = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    f.fmt.pix.width = WIDTH;
    f.fmt.pix.height = HEIGHT;
    f.fmt.pix.pixelformat = yuyv ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_MJPEG;
    f.fmt.pix.field = V4L2_FIELD_NONE;
    f.fmt.pix.sizeimage = PIXELS * 2;
    f.fmt.pix.bytesperline = yuyv ? WIDTH * 2 : 0;
    int type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    // Without STREAMON this driver does not count a writer, and hides the device from its readers.
    if (fd < 0 || ioctl(fd, VIDIOC_S_FMT, &f) < 0 || ioctl(fd, VIDIOC_STREAMON, &type) < 0) {
        perror(path);
        exit(1);
    }
    return fd;
}

// A JPEG of a 4:2:0 or 4:2:2 camera as that camera's raw picture.
static bool unpack(tjhandle decoder, size_t size)
{
    int width, height, sampling;
    if (tjDecompressHeader2(decoder, jpeg, size, &width, &height, &sampling) < 0 ||
        width != WIDTH || height != HEIGHT || (sampling != TJSAMP_420 && sampling != TJSAMP_422))
        return false;
    if (tjDecompressToYUV2(decoder, jpeg, size, planes, WIDTH, 1, HEIGHT, 0) < 0)
        return false;
    const int lower = sampling == TJSAMP_420 ? 1 : 0; // lines that share their colour
    const uint8_t *blue = planes + PIXELS, *red = blue + (PIXELS / 2 >> lower);
    for (int y = 0; y < HEIGHT; y++) {
        const uint8_t *light = planes + y * WIDTH;
        const int colour = (y >> lower) * (WIDTH / 2);
        uint8_t *to = packed + y * WIDTH * 2;
        for (int x = 0; x < WIDTH / 2; x++) {
            to[4 * x] = light[2 * x];
            to[4 * x + 1] = blue[colour + x];
            to[4 * x + 2] = light[2 * x + 1];
            to[4 * x + 3] = red[colour + x];
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "Usage: loopback-camera DEVICE yuyv|mjpeg FRAMES-SOCKET [LOG]\n");
        return 2;
    }
    const bool yuyv = strcmp(argv[2], "yuyv") == 0;
    FILE *log = argc > 4 ? fopen(argv[4], "a") : NULL;
    tjhandle decoder = tjInitDecompress();
    struct frame_feed *feed = frame_feed_new(argv[3]);
    const int fd = open_device(argv[1], yuyv);
    for (;;) {
        size_t size = frame_feed_next(feed, jpeg, sizeof jpeg, 1000);
        const uint8_t *data = jpeg;
        if (!size)
            continue;
        if (yuyv) {
            if (!unpack(decoder, size)) {
                fprintf(stderr, "loopback-camera: a picture can't be unpacked\n");
                return 1;
            }
            data = packed;
            size = sizeof packed;
        }
        // Noted first: a reader may be faster than the line after the writing.
        if (log) {
            fprintf(log, "%lld %08x %zu\n", (long long)clock_monotonic_ns(),
                    (unsigned)crc32c(0, data, size), size);
            fflush(log);
        }
        if (write(fd, data, size) != (ssize_t)size) {
            perror(argv[1]);
            return 1;
        }
    }
}
