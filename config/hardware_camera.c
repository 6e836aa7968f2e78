#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config/hardware.h"

static int is_video(const struct dirent *entry)
{
    return strncmp(entry->d_name, "video", 5) == 0;
}

static void largest_size(int fd, __u32 pixel_format, struct hardware_format *ret)
{
    struct v4l2_frmsizeenum size = {.pixel_format = pixel_format};
    for (size.index = 0; size.index < 256 && ioctl(fd, VIDIOC_ENUM_FRAMESIZES, &size) == 0;
         size.index++) {
        bool discrete = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
        int width = (int)(discrete ? size.discrete.width : size.stepwise.max_width);
        int height = (int)(discrete ? size.discrete.height : size.stepwise.max_height);
        if ((int64_t)width * height > (int64_t)ret->width * ret->height) {
            ret->width = width;
            ret->height = height;
        }
        if (!discrete)
            break;
    }
}

static void ask_formats(int fd, struct hardware_camera *camera)
{
    struct v4l2_fmtdesc format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    for (; camera->formats < HARDWARE_FORMATS_MAX && ioctl(fd, VIDIOC_ENUM_FMT, &format) == 0;
         format.index++) {
        struct hardware_format *out = &camera->format[camera->formats++];
        __u32 code = format.pixelformat;
        (void)snprintf(out->name, sizeof out->name, "%c%c%c%c", (int)(code & 0x7F),
                       (int)(code >> 8 & 0x7F), (int)(code >> 16 & 0x7F), (int)(code >> 24 & 0x7F));
        largest_size(fd, code, out);
    }
}

// false: it is there but no camera (a codec, a camera's metadata).
static bool ask_camera(struct hardware_camera *camera)
{
    int fd = open(camera->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        camera->error = -errno;
        return true;
    }
    struct v4l2_capability capability;
    bool is_camera = false;
    if (ioctl(fd, VIDIOC_QUERYCAP, &capability) == 0) {
        __u32 caps = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps
                                                                    : capability.capabilities;
        is_camera = (caps & V4L2_CAP_VIDEO_CAPTURE) && (caps & V4L2_CAP_STREAMING) &&
                    !(caps & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE));
        (void)snprintf(camera->name, sizeof camera->name, "%s", (const char *)capability.card);
        (void)snprintf(camera->bus, sizeof camera->bus, "%s", (const char *)capability.bus_info);
        ask_formats(fd, camera);
    }
    (void)close(fd);
    return is_camera;
}

static int try_format(int fd, const char *name, int width, int height, struct hardware_format *ret)
{
    const __u32 code = v4l2_fourcc(name[0], name[1], name[2], name[3]);
    struct v4l2_format f = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    f.fmt.pix.width = (__u32)width;
    f.fmt.pix.height = (__u32)height;
    f.fmt.pix.pixelformat = code;
    f.fmt.pix.field = V4L2_FIELD_ANY;
    if (ioctl(fd, VIDIOC_TRY_FMT, &f) < 0)
        return -errno;
    if (f.fmt.pix.pixelformat != code)
        return -ENOTSUP;
    *ret = (struct hardware_format){.width = (int)f.fmt.pix.width, .height = (int)f.fmt.pix.height};
    (void)snprintf(ret->name, sizeof ret->name, "%s", name);
    return 0;
}

int hardware_camera_would_give(const char *path, const char *format, int width, int height,
                               struct hardware_format *ret)
{
    const char *const other = strcmp(format, "YUYV") == 0 ? "MJPG" : "YUYV";
    const int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int r = try_format(fd, format, width, height, ret);
    if (r < 0)
        r = try_format(fd, other, width, height, ret);
    (void)close(fd);
    return r;
}

int hardware_cameras(struct hardware_camera *ret, struct error *err)
{
    struct dirent **found;
    int n = scandir("/dev", &found, is_video, versionsort);
    if (n < 0)
        return error_set(err, -errno, "cannot look into /dev: %s", strerror(errno));
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (count < HARDWARE_MAX) {
            struct hardware_camera *camera = &ret[count];
            memset(camera, 0, sizeof *camera);
            (void)snprintf(camera->path, sizeof camera->path, "/dev/%.200s", found[i]->d_name);
            hardware_by_id("/dev/v4l/by-id", camera->path, camera->by_id, sizeof camera->by_id);
            count += ask_camera(camera);
        }
        free(found[i]);
    }
    free((void *)found);
    return count;
}
