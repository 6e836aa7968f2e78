// Any bytes from the firmware, at any time, while a person or program does anything to the arm: no
// crash, no hang, no unbounded memory, and never more in flight than the protocol allows.
//
// The input is a little program: a byte c; c < 0xc0: the next c bytes come from the firmware;
// else: an act. FUZZ_DIALECT says which firmware is spoken to. Time moves on by acts only, so that
// an input means the same every time.
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "motion/arm.h"
#include "motion/transport_impl.h"

#ifndef FUZZ_DIALECT
#define FUZZ_DIALECT "grbl"
enum { LINE_LONGEST = 70 };
#else
enum { LINE_LONGEST = 96 }; // numbered
#endif

struct wire {
    const uint8_t *in;
    size_t in_size;
    bool gone;
    size_t motion_lines; // sent
    char line[256];
    size_t length;
};

static int wire_fd(void *impl)
{
    return ((struct wire *)impl)->gone ? -1 : 0;
}

static ssize_t wire_read(void *impl, void *buf, size_t size)
{
    struct wire *w = impl;
    if (w->gone)
        return -ENODEV;
    size_t n = w->in_size < size ? w->in_size : size;
    if (n == 0)
        return -EAGAIN;
    memcpy(buf, w->in, n);
    w->in += n;
    w->in_size -= n;
    return (ssize_t)n;
}

static ssize_t wire_write(void *impl, const void *buf, size_t size)
{
    struct wire *w = impl;
    const char *p = buf;
    if (w->gone)
        return -ENODEV;
    for (size_t i = 0; i < size; i++) {
        if (p[i] == '\n') {
            if (w->length > LINE_LONGEST)
                abort();
            w->length = 0;
        } else if (p[i] >= ' ' && p[i] != '?' && p[i] != '!' && p[i] != '~') {
            if (w->length == sizeof w->line)
                abort();
            w->line[w->length++] = p[i];
        }
    }
    return (ssize_t)size;
}

static int wire_reopen(void *impl, struct error *err)
{
    (void)err;
    ((struct wire *)impl)->gone = false;
    return 0;
}

static void wire_hang_up(void *impl)
{
    ((struct wire *)impl)->gone = true;
}

static void wire_free(void *impl)
{
    (void)impl;
}

static const struct transport_ops wire_ops = {
    .fd = wire_fd,
    .read = wire_read,
    .write = wire_write,
    .reopen = wire_reopen,
    .hang_up = wire_hang_up,
    .free = wire_free,
};

static int set_line(void *user, int value)
{
    (void)user;
    (void)value;
    return 0;
}

static int sensed;

static int get_sensor(void *user)
{
    (void)user;
    return sensed;
}

struct table {
    struct wire wire;
    struct transport *transport;
    struct gripper *gripper;
    struct stores stores;
    struct arm *arm;
    int64_t now;
};

static void run(struct table *t, short revents)
{
    // A hang would be work that is never done: the arm asks to be called at once for ever.
    for (int i = 0; i < 1000; i++) {
        arm_process(t->arm, t->now, revents);
        revents = t->wire.in_size && arm_fd(t->arm) >= 0 ? POLLIN : 0;
        if (!revents && arm_deadline(t->arm) > t->now)
            return;
    }
    abort();
}

static void act(struct table *t, uint8_t code, uint8_t value)
{
    struct arm_job job = {.kind = (enum arm_job_kind)(value % ARM_JOB_KINDS),
                          .x = -10.0 * (value % 60),
                          .y = -9.0 * (value % 61),
                          .z = -(value % 50),
                          .use_z = value & 1,
                          .store = value % 3 - 1};
    struct error err;
    switch (code & 15) {
    case 0:
    case 1:
        t->now += 1000000LL << (value % 16); // 1 ms … 33 s
        break;
    case 2:
        arm_reset(t->arm, t->now, &err);
        break;
    case 3:
        arm_stop(t->arm, ARM_STOP_PERSON, t->now);
        break;
    case 4:
        arm_hold(t->arm, t->now);
        break;
    case 5:
        arm_resume(t->arm, t->now);
        break;
    case 6:
        t->wire.gone = true;
        break;
    case 7:
        sensed = value % 4 == 3 ? -EIO : value % 3 == 2 ? -ENOENT : value & 1;
        break;
    case 8:
        arm_cancel(t->arm, t->now);
        break;
    case 9:
        arm_jog_cancel(t->arm, t->now);
        break;
    case 10:
        arm_set_stop_input(t->arm, ARM_STOP_ESTOP, value & 1, t->now);
        break;
    default:
        arm_submit(t->arm, &job, t->now, NULL, &err);
    }
}

static int make(struct table *t)
{
    struct gripper_lines lines = {NULL, set_line, set_line, get_sensor};
    struct arm_config config = arm_config_default();
    config.dialect = dialect_find(FUZZ_DIALECT);
    struct arm_hooks hooks = {.event = NULL};
    struct error err;
    t->stores.count = 2;
    t->stores.store[0] = (struct store){.name = "feeder",
                                        .kind = STORE_FEEDER,
                                        .x = -560,
                                        .y = -300,
                                        .z_contact = -42,
                                        .z_release = -42,
                                        .capacity = 50,
                                        .count = 50};
    t->stores.store[1] = (struct store){.name = "tray",
                                        .kind = STORE_TRAY,
                                        .role = STORE_CAPTURED,
                                        .x = -50,
                                        .y = -300,
                                        .z_contact = -42,
                                        .z_release = -42,
                                        .columns = 2,
                                        .rows = 3,
                                        .step_x = 20,
                                        .step_y = -20};
    if (transport_make(&wire_ops, &t->wire, "fuzz", &t->transport) < 0 ||
        gripper_new_gpio(&lines, &t->gripper) < 0)
        return -1;
    return arm_new(&config, 115200, t->transport, t->gripper, &t->stores, &hooks, 0, &t->arm, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table t;
    memset(&t, 0, sizeof t);
    sensed = 1;
    if (make(&t) == 0) {
        for (size_t i = 0; i < size;) {
            uint8_t c = data[i++];
            if (c < 0xc0) {
                t.wire.in = data + i;
                t.wire.in_size = c < size - i ? c : size - i;
                i += t.wire.in_size;
                run(&t, POLLIN);
                t.wire.in_size = 0;
            } else if (i < size) {
                act(&t, c, data[i++]);
                run(&t, t.wire.gone ? POLLHUP : 0);
            }
            const struct grbl_counts *counts = grbl_counts(arm_grbl(t.arm));
            if (counts->peak_in_flight > LINE_LONGEST + 1)
                abort(); // one line in flight, no more
        }
    }
    arm_free(t.arm);
    gripper_free(t.gripper);
    transport_free(t.transport);
    return 0;
}
