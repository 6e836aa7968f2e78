#include "vision/v4l2.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "vision/v4l2_controls.h"

enum { BUFFERS = 4, DEVICES_MAX = 64, FRESH_WAIT_MS = 500 };

// A picture that waited longer than this while all buffers were full is not the newest there is.
static const int64_t STALE_NS = 150 * 1000000;

struct camera {
    int fd;
    bool streaming;
    enum frame_format format;
    int width, height, stride;
    int buffers;
    uint8_t *map[BUFFERS];
    size_t size[BUFFERS];
    int held; // buffer handed out last, -1: none
    char device[128];
};

struct v4l2_settings v4l2_settings_default(const char *device)
{
    struct v4l2_settings s = {.width = 1280,
                              .height = 720,
                              .frames_per_second = 15,
                              .power_line_hz = 50,
                              .settle_ms = 1500,
                              .lock = true};
    snprintf(s.device, sizeof s.device, "%s", device);
    return s;
}

int v4l2_ioctl(int fd, unsigned long request, void *argument)
{
    int r;
    do
        r = ioctl(fd, request, argument);
    while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : 0;
}

static void say(char *report, const char *format, const char *a, int b, int c)
{
    if (!report)
        return;
    const size_t used = strlen(report);
    if (used + 1 < V4L2_REPORT_MAX)
        snprintf(report + used, V4L2_REPORT_MAX - used, format, a, b, c);
}

// --- format --------------------------------------------------------------------------------------

static bool offers(int fd, uint32_t pixels)
{
    for (uint32_t k = 0; k < 64; k++) {
        struct v4l2_fmtdesc d = {.index = k, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
        if (v4l2_ioctl(fd, VIDIOC_ENUM_FMT, &d) != 0)
            return false;
        if (d.pixelformat == pixels)
            return true;
    }
    return false;
}

// Asking for a format may be answered with another one without an error: only what comes back
// counts.
static int set_format(struct camera *c, const struct v4l2_settings *t, struct error *err)
{
    const uint32_t wish[2] = {t->prefer_yuyv ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_MJPEG,
                              t->prefer_yuyv ? V4L2_PIX_FMT_MJPEG : V4L2_PIX_FMT_YUYV};
    for (int k = 0; k < 2; k++) {
        if (!offers(c->fd, wish[k]))
            continue;
        struct v4l2_format f = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
        f.fmt.pix.width = (uint32_t)t->width;
        f.fmt.pix.height = (uint32_t)t->height;
        f.fmt.pix.pixelformat = wish[k];
        f.fmt.pix.field = V4L2_FIELD_ANY;
        const int r = v4l2_ioctl(c->fd, VIDIOC_S_FMT, &f);
        if (r == -EBUSY)
            return error_set(err, r, "the camera %s is in use by another program", c->device);
        if (r != 0 || f.fmt.pix.pixelformat != wish[k])
            continue;
        c->format = wish[k] == V4L2_PIX_FMT_MJPEG ? FRAME_JPEG : FRAME_YUYV;
        c->width = (int)f.fmt.pix.width;
        c->height = (int)f.fmt.pix.height;
        c->stride = (int)f.fmt.pix.bytesperline;
        if (c->format == FRAME_YUYV && c->stride != 0 && c->stride != 2 * c->width)
            return error_set(err, -ENOTSUP, "the camera %s pads its lines; use MJPEG", c->device);
        return 0;
    }
    return error_set(err, -ENOTSUP,
                     "the camera %s offers neither MJPEG nor YUYV pictures; a CSI camera needs the "
                     "command source (rpicam-vid)",
                     c->device);
}

static void set_rate(const struct camera *c, int frames_per_second)
{
    struct v4l2_streamparm p = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    if (frames_per_second <= 0)
        return;
    p.parm.capture.timeperframe.numerator = 1;
    p.parm.capture.timeperframe.denominator = (uint32_t)frames_per_second;
    v4l2_ioctl(c->fd, VIDIOC_S_PARM, &p); // a wish: cameras have rates of their own
}

// --- buffers -------------------------------------------------------------------------------------

static int queue(struct camera *c, int index)
{
    struct v4l2_buffer b = {
        .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP, .index = (uint32_t)index};
    return v4l2_ioctl(c->fd, VIDIOC_QBUF, &b);
}

static int map_buffers(struct camera *c)
{
    struct v4l2_requestbuffers want = {
        .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    int r = v4l2_ioctl(c->fd, VIDIOC_REQBUFS, &want);
    if (r != 0)
        return r;
    if (want.count < 2)
        return -ENOMEM;
    c->buffers = want.count < BUFFERS ? (int)want.count : BUFFERS;
    for (int k = 0; k < c->buffers; k++) {
        struct v4l2_buffer b = {
            .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP, .index = (uint32_t)k};
        r = v4l2_ioctl(c->fd, VIDIOC_QUERYBUF, &b);
        if (r != 0)
            return r;
        void *map = mmap(NULL, b.length, PROT_READ, MAP_SHARED, c->fd, b.m.offset);
        if (map == MAP_FAILED)
            return -errno;
        c->map[k] = map;
        c->size[k] = b.length;
        r = queue(c, k);
        if (r != 0)
            return r;
    }
    return 0;
}

static int start(struct camera *c)
{
    int r = map_buffers(c);
    if (r != 0)
        return r;
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    r = v4l2_ioctl(c->fd, VIDIOC_STREAMON, &type);
    c->streaming = r == 0;
    return r;
}

// --- source --------------------------------------------------------------------------------------

static int camera_fd(void *impl)
{
    return ((struct camera *)impl)->fd;
}

static int64_t monotonic_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t time_of(const struct v4l2_buffer *b)
{
    if ((b->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return b->timestamp.tv_sec * INT64_C(1000000000) + b->timestamp.tv_usec * INT64_C(1000);
    return monotonic_now(); // an old driver: when it was read is the best there is
}

// Newest waiting buffer; those before it go straight back to the driver. *ret_waiting: how many
// there were. A buffer that the driver does not take back would be lost for the stream: -EIO.
static int dequeue_newest(struct camera *c, struct v4l2_buffer *ret, int *ret_waiting)
{
    int waiting = 0;
    while (waiting < 2 * BUFFERS) {
        struct v4l2_buffer b = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        const int r = v4l2_ioctl(c->fd, VIDIOC_DQBUF, &b);
        if (r == -EAGAIN)
            break;
        if (r != 0)
            return r;
        if (waiting++ && queue(c, (int)ret->index) != 0)
            return -EIO;
        *ret = b;
    }
    *ret_waiting = waiting;
    return waiting ? 0 : -EAGAIN;
}

// As dequeue_newest. A driver whose buffers are all full has nowhere to put newer pictures, so that
// after a pause the newest of them is as old as the pause: then the next one is waited for.
static int dequeue_fresh(struct camera *c, struct v4l2_buffer *ret)
{
    int waiting;
    const int r = dequeue_newest(c, ret, &waiting);
    if (r != 0 || waiting < c->buffers - 1 || monotonic_now() - time_of(ret) <= STALE_NS)
        return r;
    if (queue(c, (int)ret->index) != 0)
        return -EIO;
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    if (poll(&p, 1, FRESH_WAIT_MS) < 0 && errno != EINTR)
        return -errno;
    return dequeue_newest(c, ret, &waiting);
}

static int camera_read(void *impl, struct frame *ret, struct error *err)
{
    struct camera *c = impl;
    struct v4l2_buffer b = {0};
    int r = 0;
    if (c->held >= 0) {
        r = queue(c, c->held) != 0 ? -EIO : 0;
        c->held = -1;
    }
    if (r == 0)
        r = dequeue_fresh(c, &b);
    if (r == -EAGAIN)
        return r;
    if (r == -ENODEV || r == -EIO || r == -EINVAL)
        return error_set(err, -ENODEV, "the camera %s is gone (unplugged?)", c->device);
    if (r != 0)
        return error_set(err, r, "the camera %s can't be read (%s)", c->device, strerror(-r));
    c->held = (int)b.index;
    const size_t whole = (size_t)c->width * (size_t)c->height * 2;
    if ((b.flags & V4L2_BUF_FLAG_ERROR) || b.index >= (uint32_t)c->buffers || b.bytesused < 4 ||
        (c->format == FRAME_YUYV && b.bytesused < whole))
        return error_set(err, -EBADMSG, "the camera %s delivered half a frame", c->device);
    *ret = (struct frame){.format = c->format,
                          .data = c->map[b.index],
                          .size = b.bytesused,
                          .width = c->width,
                          .height = c->height,
                          .time_ns = time_of(&b),
                          .sequence = b.sequence};
    return 0;
}

static void camera_close(void *impl)
{
    struct camera *c = impl;
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (c->streaming)
        v4l2_ioctl(c->fd, VIDIOC_STREAMOFF, &type);
    for (int k = 0; k < c->buffers; k++)
        if (c->map[k])
            munmap(c->map[k], c->size[k]);
    if (c->fd >= 0)
        close(c->fd);
    free(c);
}

static const struct frame_source_ops CAMERA_OPS = {camera_fd, camera_read, camera_close};

// --- opening -------------------------------------------------------------------------------------

static int check_device(int fd, const char *device, struct v4l2_capability *ret, struct error *err)
{
    if (v4l2_ioctl(fd, VIDIOC_QUERYCAP, ret) != 0)
        return error_set(err, -ENOTSUP, "%s is no camera", device);
    const uint32_t caps =
        ret->capabilities & V4L2_CAP_DEVICE_CAPS ? ret->device_caps : ret->capabilities;
    if (!(caps & V4L2_CAP_VIDEO_CAPTURE) || !(caps & V4L2_CAP_STREAMING))
        return error_set(err, -ENOTSUP, "%s gives no stream of pictures; is it the right device?",
                         device);
    return 0;
}

// Lets the camera adjust itself to the light while frames flow, as it only does so then.
static void settle(struct camera *c, int milliseconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long passed =
            (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
        if (passed >= milliseconds)
            return;
        struct pollfd p = {.fd = c->fd, .events = POLLIN};
        struct v4l2_buffer b = {0};
        if (poll(&p, 1, 100) < 0 && errno != EINTR)
            return;
        int waiting;
        const int r = p.revents ? dequeue_newest(c, &b, &waiting) : -EAGAIN;
        if (r == 0)
            queue(c, (int)b.index);
        else if (r != -EAGAIN)
            return;
    }
}

static int open_camera(struct camera *c, const struct v4l2_settings *t, char *report,
                       struct error *err)
{
    struct v4l2_capability capability;
    c->fd = open(t->device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (c->fd < 0)
        return error_set(err, -errno, "the camera %s can't be opened (%s)", t->device,
                         strerror(errno));
    int r = check_device(c->fd, t->device, &capability, err);
    if (r == 0)
        r = set_format(c, t, err);
    if (r != 0)
        return r;
    set_rate(c, t->frames_per_second);
    v4l2_controls_adjust(c->fd, t->power_line_hz);
    r = start(c);
    if (r != 0)
        return error_set(err, r, "the camera %s can't be started (%s)", t->device, strerror(-r));
    say(report, "%s pictures of %dx%d", c->format == FRAME_JPEG ? "MJPEG" : "YUYV", c->width,
        c->height);
    if (t->lock) {
        settle(c, t->settle_ms);
        v4l2_controls_lock(c->fd, report);
    }
    return 0;
}

int v4l2_open(const struct v4l2_settings *settings, struct frame_source *ret, char *report,
              struct error *err)
{
    if (report)
        report[0] = 0;
    if (settings->width < 160 || settings->height < 120 || settings->width > 4096 ||
        settings->height > 4096)
        return error_set(err, -EINVAL, "a camera picture of %dx%d can't be used", settings->width,
                         settings->height);
    struct camera *c = calloc(1, sizeof *c);
    if (!c)
        return error_set(err, -ENOMEM, "out of memory");
    c->fd = c->held = -1;
    snprintf(c->device, sizeof c->device, "%.127s", settings->device);
    const int r = open_camera(c, settings, report, err);
    if (r != 0) {
        camera_close(c);
        return r;
    }
    *ret = (struct frame_source){.ops = &CAMERA_OPS, .impl = c};
    snprintf(ret->name, sizeof ret->name, "camera %.56s", c->device);
    return 0;
}

int v4l2_list(int index, char device[128], char card[64])
{
    int found = 0;
    for (int k = 0; k < DEVICES_MAX; k++) {
        char path[32];
        struct v4l2_capability capability;
        snprintf(path, sizeof path, "/dev/video%d", k);
        const int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        const bool usable = check_device(fd, path, &capability, NULL) == 0 &&
                            (offers(fd, V4L2_PIX_FMT_MJPEG) || offers(fd, V4L2_PIX_FMT_YUYV));
        close(fd);
        if (!usable || found++ != index)
            continue;
        snprintf(device, 128, "%s", path);
        snprintf(card, 64, "%.*s", (int)sizeof capability.card, (const char *)capability.card);
        return 0;
    }
    return -ENOENT;
}
