// The simulated camera: pictures that agree with geometry, come out the same every time, and show
// what happens; the mailbox between loop and reader.
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include <cmocka.h>

#include "config/base/crc32c.h"
#include "controller/sim/table.h"
#include "controller/sim/world.h"

static struct loop *loop;
static struct table *table;
static struct table_setup setup;
static struct loop_source *timer;
static uint8_t *picture; // decoded, RGB
static int width, height;

static void stop(void *user, int64_t now_ns)
{
    (void)user, (void)now_ns;
    loop_exit(loop, 0);
}

static void run(double seconds)
{
    loop_source_set_due(timer, loop_now(loop) + (int64_t)(seconds * 1e9));
    assert_int_equal(loop_run(loop), 0);
}

static void start(void)
{
    struct error err;
    assert_int_equal(loop_new_virtual(1000000000, &loop), 0);
    if (table_new(&setup, loop, NULL, &table, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(loop_add_timer(loop, INT64_MAX, stop, NULL, &timer), 0);
}

static int set_up_full(void **state)
{
    (void)state;
    table_setup_default(&setup);
    setup.person.hesitation = 0;
    start();
    return 0;
}

// Half the size: most tests need no more, and are run under sanitizers too.
static void halve(void)
{
    struct setup_camera *c = &setup.camera;
    c->width = 640;
    c->height = 360;
    c->lens.f /= 2;
    c->lens.cx /= 2;
    c->lens.cy /= 2;
}

static int set_up(void **state)
{
    (void)state;
    table_setup_default(&setup);
    setup.person.hesitation = 0;
    halve();
    start();
    return 0;
}

static void finish(void)
{
    table_free(table);
    loop_source_free(timer);
    loop_free(loop);
}

static int tear_down(void **state)
{
    (void)state;
    finish();
    free(picture);
    picture = NULL;
    return 0;
}

static int read_frame(struct frame *frame)
{
    struct frame_source *source = table_camera(table);
    return source->ops->read(source->impl, frame, NULL);
}

static void decode(const struct frame *frame)
{
    int sampling, space;
    tjhandle t = tjInitDecompress();
    assert_int_equal(
        tjDecompressHeader3(t, frame->data, frame->size, &width, &height, &sampling, &space), 0);
    free(picture);
    picture = malloc((size_t)width * (size_t)height * 3);
    assert_int_equal(
        tjDecompress2(t, frame->data, frame->size, picture, width, 0, height, TJPF_RGB, 0), 0);
    tjDestroy(t);
}

static void look(void)
{
    struct frame frame;
    run(0.1);
    assert_int_equal(read_frame(&frame), 0);
    assert_int_equal(frame.format, FRAME_JPEG);
    decode(&frame);
}

// Mean colour of the 5×5 pixels around where a table point shows.
static void colour_at(double x, double y, double z, double ret[3])
{
    const double point[3] = {x, y, z};
    double at[2];
    table_project(table, point, at);
    ret[0] = ret[1] = ret[2] = 0;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            const int px = (int)lround(at[0]) + dx, py = (int)lround(at[1]) + dy;
            assert_true(px >= 0 && py >= 0 && px < width && py < height);
            for (int c = 0; c < 3; c++)
                ret[c] += picture[3 * (py * width + px) + c] / 25.0;
        }
    }
}

static void stones_show_where_geometry_says(void **state)
{
    (void)state;
    static const int AT[][3] = {{0, 0, 1},   {18, 0, 2}, {0, 18, 2},
                                {18, 18, 1}, {9, 9, 1},  {5, 13, 2}};
    for (int i = 0; i < 6; i++)
        table_put_stone(table, AT[i][2], AT[i][0] * 22, AT[i][1] * 22);
    look();
    assert_int_equal(width, 1280);
    assert_int_equal(height, 720);
    for (int i = 0; i < 6; i++) {
        double c[3];
        colour_at(AT[i][0] * 22, AT[i][1] * 22, 5, c);
        if (AT[i][2] == 1 ? c[2] < c[0] + 50 : c[0] < c[2] + 50)
            fail_msg("stone %d shows as %.0f %.0f %.0f", i, c[0], c[1], c[2]);
    }
    double c[3];
    colour_at(9.5 * 22, 3.5 * 22, 0, c); // bare sheet
    assert_true(c[0] > 150 && c[1] > 140 && c[2] > 100);
}

// The darkest pixel across a grid line, to a quarter of a pixel, is where table_project() says.
static void lines_show_where_geometry_says(void **state)
{
    (void)state;
    look();
    double worst = 0;
    for (int c = 1; c < 18; c += 4) {
        for (int r = 0; r < 18; r += 3) {
            const double point[3] = {c * 22, (r + 0.5) * 22, 0};
            double at[2], sum = 0, weight = 0;
            table_project(table, point, at);
            const int y = (int)lround(at[1]);
            const double shift = 0; // the line is nearly upright here
            for (int x = (int)at[0] - 4; x <= (int)at[0] + 5; x++) {
                const uint8_t *p = picture + 3 * (y * width + x);
                const double dark = fmax(0, 225 - (p[0] + p[1] + p[2]) / 3.0 - 35);
                sum += dark * x;
                weight += dark;
            }
            assert_true(weight > 20);
            worst = fmax(worst, fabs(sum / weight - at[0] - shift));
        }
    }
    if (worst > 0.6)
        fail_msg("a line is %.2f pixels off", worst);
}

static void far_cells_are_large_enough(void **state)
{
    (void)state;
    double a[2], b[2];
    table_project(table, (const double[3]){198, 396, 0}, a);
    table_project(table, (const double[3]){198, 374, 0}, b);
    assert_true(hypot(a[0] - b[0], a[1] - b[1]) > 24);
    // The whole board and the trays are in the picture.
    static const double SEEN[][3] = {{-18, -18, 0}, {414, -18, 0}, {-18, 414, 0},
                                     {414, 414, 0}, {470, 120, 0}, {470, 310, 0}};
    for (int i = 0; i < 6; i++) {
        table_project(table, SEEN[i], a);
        assert_true(a[0] > 4 && a[0] < 1276 && a[1] > 4 && a[1] < 716);
    }
}

static void frames_are_numbered_and_fresh(void **state)
{
    struct frame first, second;
    (void)state;
    assert_int_equal(read_frame(&first), -EAGAIN);
    run(0.07);
    assert_int_equal(read_frame(&first), 0);
    assert_int_equal(read_frame(&second), -EAGAIN);
    run(1.0);
    assert_int_equal(read_frame(&second), 0);
    assert_int_equal(second.sequence, first.sequence + 15);
    assert_true(loop_now(loop) - second.time_ns < 70000000);
    struct frame_source *source = table_camera(table);
    struct pollfd p = {.fd = source->ops->fd(source->impl), .events = POLLIN};
    assert_int_equal(poll(&p, 1, 0), 0);
    run(0.07);
    assert_int_equal(poll(&p, 1, 0), 1);
}

static uint32_t checksum_after(double seconds)
{
    struct frame frame;
    run(seconds);
    assert_int_equal(read_frame(&frame), 0);
    return crc32c(0, frame.data, frame.size);
}

static void the_same_table_gives_the_same_pictures(void **state)
{
    uint32_t sum[2][3];
    (void)state;
    for (int i = 0; i < 2; i++) {
        table_put_stone(table, 1, 100, 100);
        const struct person_task task = {.colour = 2, .column = 9, .row = 9};
        person_do(table_person(table), &task, NULL, NULL);
        sum[i][0] = checksum_after(0.1);
        sum[i][1] = checksum_after(1.2);
        sum[i][2] = checksum_after(3);
        finish();
        start();
    }
    assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
    assert_true(sum[0][0] != sum[0][2]);
}

// What is left of partial redrawing equals drawing everything anew.
static void small_changes_draw_the_same_as_everything(void **state)
{
    struct frame frame;
    (void)state;
    setup.camera.noise = 0;
    finish();
    start();
    for (int i = 0; i < 40; i++)
        table_put_stone(table, 1 + i % 2, 22 * (i * 7 % 19), 22 * (i * 3 % 19));
    look();
    table_take_stone(table, 22 * 7, 22 * 3);
    table_put_stone(table, 2, 22 * 9 + 3, 22 * 9);
    look();
    uint8_t *partial = picture;
    picture = NULL;
    table_fault(table, FAULT_CAMERA_BUMP, 1e-12); // another pose: everything anew
    run(0.1);
    assert_int_equal(read_frame(&frame), 0);
    decode(&frame);
    int worst = 0;
    for (int i = 0; i < 3 * width * height; i++)
        worst = abs(partial[i] - picture[i]) > worst ? abs(partial[i] - picture[i]) : worst;
    free(partial);
    if (worst > 8)
        fail_msg("a pixel differs by %d", worst);
}

static void a_hand_comes_into_the_picture(void **state)
{
    double before[3], over[3], after[3];
    (void)state;
    look();
    colour_at(20.5 * 11, 6.5 * 11, 0, before);
    const struct person_task task = {.colour = 1, .column = 9, .row = 9};
    assert_int_equal(person_do(table_person(table), &task, NULL, NULL), 0);
    double most = 0;
    for (int i = 0; i < 30; i++) {
        look();
        colour_at(20.5 * 11, 6.5 * 11, 0, over);
        most = fmax(most, fabs(over[2] - before[2]));
    }
    assert_true(most > 40);
    run(3);
    look();
    colour_at(20.5 * 11, 6.5 * 11, 0, after);
    assert_true(fabs(after[0] - before[0]) < 8);
}

static void light_and_lens_can_change(void **state)
{
    double before[3], c[3];
    (void)state;
    look();
    colour_at(100, 110 + 11, 0, before);
    table_fault(table, FAULT_LIGHT_GAIN, 0.5);
    look();
    colour_at(100, 110 + 11, 0, c);
    assert_true(c[0] < before[0] - 30);
    table_fault(table, FAULT_LIGHT_GAIN, 1);
    table_fault(table, FAULT_LIGHT_CLOUD, 0.5);
    run(1.9);
    look();
    colour_at(100, 110 + 11, 0, c);
    assert_true(c[0] < before[0] - 30);
    run(2.5);
    look();
    colour_at(100, 110 + 11, 0, c);
    assert_true(fabs(c[0] - before[0]) < 5);

    // A lamp mirrored in the sheet brightens the board somewhere, until it is switched off.
    double most = 0;
    table_fault(table, FAULT_LIGHT_GLARE, 0.8);
    look();
    for (int k = 0; k < 18 * 18; k++) {
        const int column = k % 18, row = k / 18;
        colour_at(22 * column + 11, 22 * row + 11, 0, c);
        most = fmax(most, fmin(c[0], c[2]));
    }
    assert_true(most > 235);
    table_fault(table, FAULT_LIGHT_GLARE, 0);
    look();
    colour_at(100, 110 + 11, 0, c);
    assert_true(fabs(c[0] - before[0]) < 5);

    double at[2], moved[2];
    table_project(table, (const double[3]){198, 198, 0}, at);
    table_fault(table, FAULT_CAMERA_BUMP, 6);
    table_project(table, (const double[3]){198, 198, 0}, moved);
    assert_true(hypot(at[0] - moved[0], at[1] - moved[1]) > 1);
    look();
    table_put_stone(table, 1, 198, 198);
    look();
    colour_at(198, 198, 5, c); // still where geometry says
    assert_true(c[2] > c[0] + 50);
    table_fault(table, FAULT_CAMERA_BLUR, 3);
    look();
}

static void the_camera_fails_on_demand(void **state)
{
    struct frame frame;
    (void)state;
    run(0.1);
    table_fault(table, FAULT_CAMERA_GONE, 1);
    assert_int_equal(read_frame(&frame), -ENODEV);
    run(0.3);
    table_fault(table, FAULT_CAMERA_GONE, 0);
    assert_int_equal(read_frame(&frame), -EAGAIN); // no old frame comes out
    run(0.1);
    assert_int_equal(read_frame(&frame), 0);
    const uint32_t sequence = frame.sequence;
    table_fault(table, FAULT_CAMERA_STALL, 1);
    run(1);
    assert_int_equal(read_frame(&frame), -EAGAIN);
    table_fault(table, FAULT_CAMERA_STALL, 0);
    run(0.1);
    assert_int_equal(read_frame(&frame), 0);
    assert_in_range(frame.sequence, sequence + 1, sequence + 2); // none was counted meanwhile
    table_fault(table, FAULT_CAMERA_TRUNCATE, 1);
    run(0.1);
    assert_int_equal(read_frame(&frame), 0);
    assert_false(frame.data[frame.size - 2] == 0xff && frame.data[frame.size - 1] == 0xd9);
    run(0.1);
    assert_int_equal(read_frame(&frame), 0);
    assert_true(frame.data[frame.size - 2] == 0xff && frame.data[frame.size - 1] == 0xd9);
}

static void repeated_noise_costs_nothing(void **state)
{
    uint32_t sum[8];
    (void)state;
    setup.camera.noise_frames = 4;
    finish();
    start();
    for (int i = 0; i < 8; i++)
        sum[i] = checksum_after(1 / 15.0 + 1e-6);
    assert_memory_equal(sum, sum + 4, 4 * sizeof sum[0]);
    assert_true(sum[0] != sum[1]);
    table_put_stone(table, 1, 198, 198);
    assert_true(checksum_after(0.07) != sum[0]);
}

static void random_tables_show_the_whole_board(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        finish();
        table_setup_uncalibrated(seed, &setup);
        start();
        for (int i = 0; i < 4; i++) {
            const double p[3] = {i & 1 ? 396 : 0, i & 2 ? 396 : 0, 0};
            double at[2];
            table_project(table, p, at);
            if (!(at[0] > 2 && at[0] < 1278 && at[1] > 2 && at[1] < 718))
                fail_msg("seed %d: corner %d is at %.0f, %.0f", (int)seed, i, at[0], at[1]);
        }
        if (seed == 1)
            look();
    }
}

// --- another thread, real time ---

struct reader {
    int frames, errors;
    uint32_t last;
};

static void *read_camera(void *user)
{
    struct reader *reader = user;
    struct frame_source *source = table_camera(table);
    for (int i = 0; i < 200 && reader->frames < 8; i++) {
        struct pollfd p = {.fd = source->ops->fd(source->impl), .events = POLLIN};
        struct frame frame;
        if (poll(&p, 1, 100) <= 0 || read_frame(&frame) != 0)
            continue;
        reader->errors += frame.sequence <= reader->last || frame.size < 1000;
        reader->last = frame.sequence;
        reader->frames++;
    }
    loop_post(loop, stop, NULL);
    return NULL;
}

static void a_worker_thread_reads_on_the_real_loop(void **state)
{
    (void)state;
    finish();
    assert_int_equal(loop_new_real(&loop), 0);
    assert_int_equal(table_new(&setup, loop, NULL, &table, NULL), 0);
    assert_int_equal(loop_add_timer(loop, INT64_MAX, stop, NULL, &timer), 0);
    const struct person_task task = {.colour = 1, .column = 9, .row = 9};
    person_do(table_person(table), &task, NULL, NULL);
    struct reader reader = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_camera, &reader), 0);
    assert_int_equal(loop_run(loop), 0);
    pthread_join(thread, NULL);
    assert_int_equal(reader.frames, 8);
    assert_int_equal(reader.errors, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define F(name) cmocka_unit_test_setup_teardown(name, set_up_full, tear_down)
    const struct CMUnitTest tests[] = {
        F(stones_show_where_geometry_says),
        F(lines_show_where_geometry_says),
        F(far_cells_are_large_enough),
        T(frames_are_numbered_and_fresh),
        T(the_same_table_gives_the_same_pictures),
        T(small_changes_draw_the_same_as_everything),
        T(a_hand_comes_into_the_picture),
        T(light_and_lens_can_change),
        T(the_camera_fails_on_demand),
        T(repeated_noise_costs_nothing),
        T(random_tables_show_the_whole_board),
        T(a_worker_thread_reads_on_the_real_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
