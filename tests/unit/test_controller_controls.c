// The panel on the loop, its lines in our hand: what comes first, what is noticed without an edge,
// and what the outputs are when the panel is given up.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "controller/controls.h"

struct lines {
    struct loop *loop;
    struct controls *controls;
    int level[GPIO_LINES]; // or a negative errno
    int set_result;
    int fd;
    int edges; // how many the button's line reports
    bool open;
    char text[64]; // one letter an event, in order
};

static void note(struct lines *l, char c)
{
    const size_t n = strlen(l->text);
    assert_true(n + 1 < sizeof l->text);
    l->text[n] = c;
    l->text[n + 1] = '\0';
}

// --- the lines ---

static int lines_get(void *impl, enum gpio_line line)
{
    const struct lines *l = impl;
    assert_true(l->open);
    return l->level[line];
}

static int lines_set(void *impl, enum gpio_line line, int value)
{
    struct lines *l = impl;
    assert_true(l->open); // a closed line is whatever the board's resistors say
    if (l->set_result == 0)
        l->level[line] = value;
    return l->set_result;
}

static int lines_fd(void *impl)
{
    return ((struct lines *)impl)->fd;
}

static int lines_read_edge(void *impl, enum gpio_line *ret, int64_t *ret_ns)
{
    struct lines *l = impl;
    uint64_t count;
    if (l->edges == 0) {
        assert_true(read(l->fd, &count, sizeof count) == sizeof count || errno == EAGAIN);
        return -EAGAIN;
    }
    l->edges--;
    *ret = GPIO_BUTTON_DONE;
    *ret_ns = clock_monotonic_ns();
    return 0;
}

static void lines_close(void *impl)
{
    ((struct lines *)impl)->open = false;
}

static const struct gpio_ops lines_ops = {lines_get, lines_set, lines_fd, lines_read_edge,
                                          lines_close};

// --- what the panel says ---

static void on_estop(void *user, bool stop)
{
    note(user, stop ? 'E' : 'e');
}

static void on_pressed(void *user, enum gpio_line button)
{
    assert_int_equal(button, GPIO_BUTTON_DONE);
    note(user, 'p');
}

static void on_lost(void *user, const char *text)
{
    assert_true(text[0]);
    note(user, 'L');
}

static void on_time(void *user, int64_t now)
{
    (void)now;
    loop_exit(((struct lines *)user)->loop, 0);
}

static void run_for(struct lines *l, int milliseconds)
{
    struct loop_source *timer;
    assert_int_equal(
        loop_add_timer(l->loop, loop_now(l->loop) + milliseconds * NS_PER_MS, on_time, l, &timer),
        0);
    assert_int_equal(loop_run(l->loop), 0);
    loop_source_free(timer);
}

static int set_up(void **state)
{
    static struct lines l;
    struct error err = {0};
    l = (struct lines){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), .open = true};
    l.level[GPIO_LID] = -ENOENT;
    const struct gpio gpio = {.ops = &lines_ops, .impl = &l};
    const struct controls_events events = {
        .estop = on_estop, .pressed = on_pressed, .lost = on_lost, .user = &l};
    *state = &l;
    if (l.fd < 0 || loop_new_real(&l.loop) < 0)
        return -1;
    return controls_new(l.loop, &gpio, &events, &l.controls, &err);
}

static int tear_down(void **state)
{
    struct lines *l = *state;
    controls_free(l->controls);
    loop_free(l->loop);
    return close(l->fd);
}

// A kernel or a board may keep driving the lines of a program that has ended.
static void outputs_rest_before_the_lines_are_given_back(void **state)
{
    struct lines *l = *state;
    static const enum gpio_line outputs[] = {GPIO_PUMP, GPIO_VALVE, GPIO_LAMP_TURN,
                                             GPIO_LAMP_FAULT};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        l->level[outputs[i]] = 1;
    l->controls = controls_free(l->controls);
    assert_false(l->open);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        assert_int_equal(l->level[outputs[i]], 0);
}

static void estop_comes_before_a_button(void **state)
{
    struct lines *l = *state;
    const uint64_t one = 1;
    l->level[GPIO_BUTTON_DONE] = l->level[GPIO_ESTOP] = 1;
    l->edges = 1;
    assert_int_equal(write(l->fd, &one, sizeof one), sizeof one);
    run_for(l, 50);
    assert_string_equal(l->text, "Ep");
    assert_true(controls_estop(l->controls));
}

static void estop_is_read_without_an_edge(void **state)
{
    struct lines *l = *state;
    l->level[GPIO_ESTOP] = 1;
    run_for(l, 600);
    l->level[GPIO_ESTOP] = 0;
    run_for(l, 600);
    assert_string_equal(l->text, "Ee");
}

static void panel_that_is_gone_counts_as_stopped(void **state)
{
    struct lines *l = *state;
    l->level[GPIO_ESTOP] = -ENODEV;
    run_for(l, 600);
    assert_string_equal(l->text, "EL");
}

static void output_that_fails_is_said_once(void **state)
{
    struct lines *l = *state;
    l->set_result = -EIO;
    controls_lamp(l->controls, GPIO_LAMP_FAULT, true);
    assert_int_equal(controls_gripper(l->controls).set_pump(l->controls, 1), -EIO);
    assert_string_equal(l->text, "EL");
    assert_true(controls_estop(l->controls));
}

#define CHECK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK(outputs_rest_before_the_lines_are_given_back),
        CHECK(estop_comes_before_a_button),
        CHECK(estop_is_read_without_an_edge),
        CHECK(panel_that_is_gone_counts_as_stopped),
        CHECK(output_that_fails_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
