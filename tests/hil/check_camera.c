// check-camera loopback|usb|vivid: the camera edge (vision/v4l2) on the kernel's own drivers. Run
// by test_camera.sh; pictures come from the simulated table.
//
//   loopback SOCKET  v4l2loopback, which shows what is written to it: formats, every byte
//   usb SOCKET       uvcvideo on a USB camera: rate, age, locked controls, unplugging
//   vivid            the driver that fails to order
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "config/base/crc32c.h"
#include "hil/far_end.h"
#include "vision/v4l2.h"

enum { FRAMES = 40, LOG_MAX = 4096, PATIENCE_MS = 10000 };

static const char *frames_socket;
static const char *const SENT = "/run/hil/sent"; // what the far end put into the device
static const char *const LOOPBACK = "/dev/video0", *const VIVID = "/dev/video10";
static pid_t far;

// --- reading ---

static struct frame_source open_as(const struct v4l2_settings *settings, char *report)
{
    struct frame_source source;
    struct error err = {0};
    int r = -1;
    // A writer has to come first, and a driver takes a moment to make its device.
    for (int i = 0; i < 100 && r < 0; i++) {
        r = v4l2_open(settings, &source, report, &err);
        if (r < 0)
            usleep(50000);
    }
    if (r < 0)
        fail_msg("%s", err.text);
    return source;
}

static struct v4l2_settings settings_for(const char *device)
{
    struct v4l2_settings s = v4l2_settings_default(device);
    s.lock = false;
    return s;
}

// The next frame, or the error that came instead; -ETIME: nothing at all.
static int next(struct frame_source *source, int timeout_ms, struct frame *ret)
{
    const int64_t until = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
    struct error err;
    for (;;) {
        const int r = source->ops->read(source->impl, ret, &err);
        if (r != -EAGAIN)
            return r;
        struct pollfd p = {.fd = source->ops->fd(source->impl), .events = POLLIN};
        if (clock_monotonic_ns() > until)
            return -ETIME;
        if (poll(&p, 1, 100) > 0 && !(p.revents & POLLIN))
            usleep(10000); // an error condition stays readable
    }
}

static void close_source(struct frame_source *source)
{
    source->ops->close(source->impl);
}

// --- what was sent ---

static bool was_sent(uint32_t crc, size_t size)
{
    FILE *log = fopen(SENT, "r");
    unsigned sent;
    size_t length;
    bool found = false;
    assert_non_null(log);
    while (!found && fscanf(log, "%*d %x %zu", &sent, &length) == 2)
        found = sent == crc && length == size;
    (void)fclose(log);
    return found;
}

static void assert_identical(struct frame_source *source, enum frame_format format, int skip)
{
    struct frame f;
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(next(source, PATIENCE_MS, &f), 0);
        assert_int_equal(f.format, format);
        const uint32_t crc = crc32c(0, f.data, f.size);
        const size_t size = f.size;
        if (i < skip)
            continue;
        usleep(20000); // the far end notes it after the last byte
        if (!was_sent(crc, size))
            fail_msg("picture %d of %zu bytes is none of those sent", i, size);
    }
    printf("  %d %s pictures, every byte as sent\n", FRAMES - skip,
           format == FRAME_JPEG ? "MJPEG" : "YUYV");
}

static int end_far(void **state)
{
    (void)state;
    if (far)
        far_end_kill(far);
    far = 0;
    unlink(SENT);
    return 0;
}

// --- v4l2loopback ---

static void start_loopback(const char *format)
{
    const char *const arguments[] = {LOOPBACK, format, frames_socket, SENT, NULL};
    far = far_end_start("loopback-camera", arguments);
}

// The driver hands what lay in its ring before we came with a wrong length: the first four are his.
static void loopback_mjpeg(void **state)
{
    (void)state;
    char report[V4L2_REPORT_MAX];
    start_loopback("mjpeg");
    struct v4l2_settings s = settings_for(LOOPBACK);
    struct frame_source source = open_as(&s, report);
    assert_non_null(strstr(report, "MJPEG pictures of 1280x720"));
    assert_identical(&source, FRAME_JPEG, 4);
    close_source(&source);
}

static void loopback_yuyv(void **state)
{
    (void)state;
    char report[V4L2_REPORT_MAX];
    start_loopback("yuyv");
    struct v4l2_settings s = settings_for(LOOPBACK);
    // MJPEG is asked for first; what the camera has not is not got.
    struct frame_source source = open_as(&s, report);
    assert_non_null(strstr(report, "YUYV pictures of 1280x720"));
    assert_identical(&source, FRAME_YUYV, 4);
    close_source(&source);
}

static void nobody_writes(void **state)
{
    (void)state;
    struct frame_source source;
    struct error err = {0};
    struct v4l2_settings s = settings_for(LOOPBACK);
    assert_int_equal(v4l2_open(&s, &source, NULL, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, LOOPBACK));
}

// --- a USB camera ---

static char usb_device[128];

static bool usb_there(void)
{
    char device[128], card[64];
    for (int i = 0; v4l2_list(i, device, card) == 0; i++)
        if (strstr(card, "Table camera")) {
            snprintf(usb_device, sizeof usb_device, "%s", device);
            return true;
        }
    return false;
}

static void plug_camera(void)
{
    const char *const arguments[] = {"1", frames_socket, SENT, NULL};
    far = far_end_start("usb-camera", arguments);
    assert_true(far_end_wait(usb_there, PATIENCE_MS));
}

static void usb_frames(void **state)
{
    (void)state;
    struct frame f;
    plug_camera();
    struct v4l2_settings s = settings_for(usb_device);
    struct frame_source source = open_as(&s, NULL);
    assert_identical(&source, FRAME_JPEG, 0);
    int64_t begin = clock_monotonic_ns(), oldest = 0;
    int count = 0;
    while (clock_monotonic_ns() - begin < 3 * NS_PER_S && next(&source, 1000, &f) == 0) {
        const int64_t age = clock_monotonic_ns() - f.time_ns;
        oldest = age > oldest ? age : oldest;
        count++;
    }
    printf("  %.1f pictures a second of 15 asked for, oldest %.0f ms\n", count / 3.0,
           (double)oldest / 1e6);
    assert_true(count >= 3 * 3); // a busy machine has less time for it
    assert_true(oldest < NS_PER_S);
    close_source(&source);
}

// Whoever looks away finds the picture of now, not the one that waited for him.
static void stale_frames_are_not_used(void **state)
{
    (void)state;
    struct frame f;
    plug_camera();
    struct v4l2_settings s = settings_for(usb_device);
    struct frame_source source = open_as(&s, NULL);
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    for (int pause_ms = 1500; pause_ms <= 2500; pause_ms += 500) {
        usleep((useconds_t)pause_ms * 1000);
        assert_int_equal(next(&source, 1000, &f), 0);
        const int64_t age = clock_monotonic_ns() - f.time_ns;
        printf("  after %d ms without looking: %.0f ms old\n", pause_ms, (double)age / 1e6);
        assert_true(age < NS_PER_S);
    }
    close_source(&source);
}

static int control_now(const char *device, uint32_t id)
{
    const int fd = open(device, O_RDWR);
    struct v4l2_control c = {.id = id};
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, VIDIOC_G_CTRL, &c), 0);
    close(fd);
    return c.value;
}

static void automatics_are_locked(void **state)
{
    (void)state;
    static const uint32_t values[] = {V4L2_CID_EXPOSURE_ABSOLUTE,
                                      V4L2_CID_WHITE_BALANCE_TEMPERATURE, V4L2_CID_FOCUS_ABSOLUTE,
                                      V4L2_CID_GAIN};
    char report[V4L2_REPORT_MAX];
    plug_camera();
    struct v4l2_settings s = settings_for(usb_device);
    s.lock = true;
    s.settle_ms = 300;
    struct frame_source source = open_as(&s, report);
    printf("  %s\n", report);
    assert_non_null(strstr(report, "exposure locked"));
    assert_non_null(strstr(report, "white balance locked"));
    assert_non_null(strstr(report, "focus locked"));
    assert_null(strstr(report, "another value"));
    assert_int_equal(control_now(usb_device, V4L2_CID_EXPOSURE_AUTO), V4L2_EXPOSURE_MANUAL);
    assert_int_equal(control_now(usb_device, V4L2_CID_POWER_LINE_FREQUENCY),
                     V4L2_CID_POWER_LINE_FREQUENCY_50HZ);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_int_equal(control_now(usb_device, values[i]), control_now(usb_device, values[i]));
    close_source(&source);
}

static void unplugged_and_plugged_in(void **state)
{
    (void)state;
    struct frame f;
    plug_camera();
    struct v4l2_settings s = settings_for(usb_device);
    struct frame_source source = open_as(&s, NULL);
    for (int i = 0; i < 5; i++)
        assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    int64_t begin = clock_monotonic_ns();
    end_far(NULL);
    int r;
    while ((r = next(&source, 2000, &f)) == 0 || r == -EBADMSG)
        ;
    printf("  unplugged: noticed after %.0f ms\n", (double)(clock_monotonic_ns() - begin) / 1e6);
    assert_int_equal(r, -ENODEV);
    assert_true(clock_monotonic_ns() - begin < NS_PER_S / 2);
    close_source(&source);
    begin = clock_monotonic_ns();
    plug_camera();
    s = settings_for(usb_device);
    source = open_as(&s, NULL);
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    printf("  plugged in: a picture after %.0f ms\n", (double)(clock_monotonic_ns() - begin) / 1e6);
    close_source(&source);
}

static void second_program_is_refused(void **state)
{
    (void)state;
    struct frame_source second;
    struct error err = {0};
    plug_camera();
    struct v4l2_settings s = settings_for(usb_device);
    struct frame_source source = open_as(&s, NULL);
    assert_int_equal(v4l2_open(&s, &second, NULL, &err), -EBUSY);
    assert_non_null(strstr(err.text, usb_device));
    close_source(&source);
}

// --- vivid ---

// By name: the driver's own controls have no public numbers.
static void order(const char *name, int value)
{
    const int fd = open(VIVID, O_RDWR);
    struct v4l2_queryctrl q = {.id = V4L2_CTRL_FLAG_NEXT_CTRL};
    assert_true(fd >= 0);
    for (; ioctl(fd, VIDIOC_QUERYCTRL, &q) == 0; q.id |= V4L2_CTRL_FLAG_NEXT_CTRL)
        if (strcmp((const char *)q.name, name) == 0) {
            struct v4l2_ext_control c = {.id = q.id, .value = value};
            struct v4l2_ext_controls all = {
                .which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &c};
            assert_int_equal(ioctl(fd, VIDIOC_S_EXT_CTRLS, &all), 0);
            close(fd);
            return;
        }
    fail_msg("vivid has no control \"%s\"", name);
}

static struct frame_source open_vivid(void)
{
    struct v4l2_settings s = settings_for(VIVID);
    s.width = 640;
    s.height = 360;
    s.frames_per_second = 30;
    return open_as(&s, NULL);
}

static void granted_is_not_what_was_asked(void **state)
{
    (void)state;
    char report[V4L2_REPORT_MAX];
    struct frame f;
    struct v4l2_settings s = settings_for(VIVID);
    s.width = 1000;
    s.height = 700;
    struct frame_source source = open_as(&s, report);
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    printf("  1000x700 MJPEG asked for: %s\n", report);
    assert_int_equal(f.format, FRAME_YUYV);
    assert_true(f.width != 1000 || f.height != 700);
    char granted[64];
    snprintf(granted, sizeof granted, "YUYV pictures of %dx%d", f.width, f.height);
    assert_non_null(strstr(report, granted));
    assert_int_equal(f.size, f.width * f.height * 2);
    close_source(&source);
}

static void gain_is_locked(void **state)
{
    (void)state;
    char report[V4L2_REPORT_MAX];
    struct v4l2_settings s = settings_for(VIVID);
    s.lock = true;
    s.settle_ms = 300;
    struct frame_source source = open_as(&s, report);
    printf("  %s\n", report);
    assert_non_null(strstr(report, "gain locked"));
    assert_int_equal(control_now(VIVID, V4L2_CID_AUTOGAIN), 0);
    close_source(&source);
}

static void broken_buffer_is_thrown_away(void **state)
{
    (void)state;
    struct frame f;
    struct frame_source source = open_vivid();
    int broken = 0;
    // Among several waiting the newest is taken, so that a broken one need not be seen: try again.
    for (int k = 0; k < 50 && broken < 3; k++) {
        assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
        order("Inject V4L2_BUF_FLAG_ERROR", 1);
        for (int i = 0, r = 0; i < 5 && r == 0; i++) {
            r = next(&source, 1000, &f);
            assert_true(r == 0 || r == -EBADMSG);
            broken += r == -EBADMSG;
        }
    }
    assert_int_equal(broken, 3);
    assert_int_equal(next(&source, 1000, &f), 0);
    close_source(&source);
}

// By the driver's own times and numbers, so that a busy machine may miss some.
static void rate_is_the_one_asked_for(void **state)
{
    (void)state;
    for (int rate = 5; rate <= 30; rate += 25) {
        struct frame first, last;
        struct v4l2_settings s = settings_for(VIVID);
        s.width = 640;
        s.height = 360;
        s.frames_per_second = rate;
        struct frame_source source = open_as(&s, NULL);
        assert_int_equal(next(&source, PATIENCE_MS, &first), 0);
        for (int i = 0; i < 5; i++)
            assert_int_equal(next(&source, PATIENCE_MS, &last), 0);
        const double granted = (double)(last.sequence - first.sequence) * (double)NS_PER_S /
                               (double)(last.time_ns - first.time_ns);
        printf("  %d pictures a second asked for: %.1f\n", rate, granted);
        assert_true(granted > 0.8 * rate && granted < 1.25 * rate);
        close_source(&source);
    }
}

static void dropped_frames_show_in_the_numbers(void **state)
{
    (void)state;
    struct frame f;
    struct frame_source source = open_vivid();
    order("Percentage of Dropped Buffers", 50);
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    uint32_t first = f.sequence;
    for (int i = 0; i < 10; i++)
        assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    order("Percentage of Dropped Buffers", 0);
    printf("  half the frames dropped: 10 frames, numbers grew by %u\n", f.sequence - first);
    assert_true(f.sequence - first > 10);
    close_source(&source);
}

// Each refusal of a buffer must not cost one for good.
static void refused_buffers_do_not_end_the_stream(void **state)
{
    (void)state;
    struct frame f;
    struct frame_source source = open_vivid();
    for (int i = 0; i < 12; i++) {
        assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
        order("Inject VIDIOC_QBUF Error", 1);
        int r = next(&source, 3000, &f);
        if (r == -ENODEV) { // then it is opened anew, as after any loss
            close_source(&source);
            source = open_vivid();
            r = next(&source, PATIENCE_MS, &f);
        }
        assert_int_equal(r, 0);
    }
    close_source(&source);
}

static void refused_start_can_be_tried_again(void **state)
{
    (void)state;
    static const char *const orders[] = {"Inject VIDIOC_REQBUFS Error",
                                         "Inject VIDIOC_STREAMON Error"};
    struct v4l2_settings s = settings_for(VIVID);
    for (size_t i = 0; i < 2; i++) {
        struct frame_source source;
        struct frame f;
        struct error err = {0};
        order(orders[i], 1);
        assert_true(v4l2_open(&s, &source, NULL, &err) < 0);
        assert_non_null(strstr(err.text, VIVID));
        assert_int_equal(v4l2_open(&s, &source, NULL, &err), 0);
        assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
        close_source(&source);
    }
}

static void fatal_error_is_a_loss(void **state)
{
    (void)state;
    struct frame f;
    int r;
    struct frame_source source = open_vivid();
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    order("Inject Fatal Streaming Error", 1);
    while ((r = next(&source, 2000, &f)) == 0)
        ;
    assert_int_equal(r, -ENODEV);
    close_source(&source);
    source = open_vivid(); // and it can be opened anew
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    close_source(&source);
}

// The last one: vivid does not come back.
static void disconnected_device_is_a_loss(void **state)
{
    (void)state;
    struct frame f;
    int r;
    struct frame_source source = open_vivid();
    assert_int_equal(next(&source, PATIENCE_MS, &f), 0);
    order("Disconnect", 1);
    const int64_t begin = clock_monotonic_ns();
    while ((r = next(&source, 2000, &f)) == 0)
        ;
    assert_int_equal(r, -ENODEV);
    printf("  disconnected: noticed after %.0f ms\n", (double)(clock_monotonic_ns() - begin) / 1e6);
    close_source(&source);
}

#define FED(test) cmocka_unit_test_teardown(test, end_far)

int main(int argc, char **argv)
{
    const struct CMUnitTest loopback[] = {FED(loopback_mjpeg), FED(loopback_yuyv),
                                          FED(nobody_writes)};
    const struct CMUnitTest usb[] = {FED(usb_frames), FED(stale_frames_are_not_used),
                                     FED(automatics_are_locked), FED(unplugged_and_plugged_in),
                                     FED(second_program_is_refused)};
    const struct CMUnitTest vivid[] = {
        cmocka_unit_test(granted_is_not_what_was_asked),
        cmocka_unit_test(gain_is_locked),
        cmocka_unit_test(rate_is_the_one_asked_for),
        cmocka_unit_test(broken_buffer_is_thrown_away),
        cmocka_unit_test(dropped_frames_show_in_the_numbers),
        cmocka_unit_test(refused_buffers_do_not_end_the_stream),
        cmocka_unit_test(refused_start_can_be_tried_again),
        cmocka_unit_test(fatal_error_is_a_loss),
        cmocka_unit_test(disconnected_device_is_a_loss),
    };
    frames_socket = argc > 2 ? argv[2] : "";
    if (argc > 2 && strcmp(argv[1], "loopback") == 0)
        return cmocka_run_group_tests(loopback, NULL, NULL);
    if (argc > 2 && strcmp(argv[1], "usb") == 0)
        return cmocka_run_group_tests(usb, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "vivid") == 0)
        return cmocka_run_group_tests(vivid, NULL, NULL);
    fprintf(stderr, "Usage: check-camera loopback|usb SOCKET, check-camera vivid\n");
    return 2;
}
