// check-gpio GPIO-SIM: gpio_chip on the kernel's own GPIO driver. Run by
// test_gpio.sh with the chip's folder in sysfs; the chip has the label and names of a Raspberry
// Pi's.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "controller/gpio_chip.h"

enum { BUTTON = 27, ESTOP = 17, LAMP = 24, PUMP = 5, TAKEN = 12, WINDOW_MS = 20 };

static const char *folder; // of the chip in sysfs

static void pull(unsigned line, bool up)
{
    char path[300];
    snprintf(path, sizeof path, "%s/sim_gpio%u/pull", folder, line);
    const int fd = open(path, O_WRONLY);
    const char *text = up ? "pull-up" : "pull-down";
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

// What a volt-meter at the pin says.
static int seen(unsigned line)
{
    char path[300], digit = '?';
    snprintf(path, sizeof path, "%s/sim_gpio%u/value", folder, line);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, &digit, 1), 1);
    close(fd);
    return digit - '0';
}

static struct gpio_pin by_number(unsigned offset)
{
    return (struct gpio_pin){.wired = true, .chip = "pinctrl-bcm2711", .offset = offset};
}

static struct gpio_pin by_name(unsigned offset, const char *chip)
{
    struct gpio_pin pin = {.wired = true};
    snprintf(pin.name, sizeof pin.name, "GPIO%u", offset);
    snprintf(pin.chip, sizeof pin.chip, "%s", chip);
    return pin;
}

static struct gpio open_wiring(const struct gpio_wiring *wiring)
{
    struct gpio gpio;
    struct error err = {0};
    if (gpio_chip_open(wiring, &gpio, &err) < 0)
        fail_msg("%s", err.text);
    return gpio;
}

static struct gpio open_inputs(void)
{
    struct gpio_wiring w = {.debounce_ns = WINDOW_MS * NS_PER_MS};
    pull(BUTTON, true);
    pull(ESTOP, false);
    w.pin[GPIO_BUTTON_DONE] = by_number(BUTTON);
    w.pin[GPIO_BUTTON_DONE].active_low = true;
    w.pin[GPIO_ESTOP] = by_number(ESTOP);
    return open_wiring(&w);
}

// Waits for the next change that counts; 0, or -ETIME.
static int next_edge(struct gpio *gpio, int timeout_ms, enum gpio_line *ret, int64_t *ret_ns)
{
    const int64_t until = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
    for (;;) {
        int r = gpio->ops->read_edge(gpio->impl, ret, ret_ns);
        if (r != -EAGAIN)
            return r;
        const int left = (int)((until - clock_monotonic_ns()) / NS_PER_MS);
        struct pollfd p = {.fd = gpio->ops->fd(gpio->impl), .events = POLLIN};
        if (left <= 0 || poll(&p, 1, left) == 0)
            return -ETIME;
    }
}

static void library_says_which_it_is(void **state)
{
    int major = 0, minor = 0, end = 0;
    (void)state;
    assert_true(sscanf(gpio_chip_library(), "%d.%d%n", &major, &minor, &end) == 2 && end > 0);
    assert_in_range(major, 1, 2);
}

static void found_by_label_and_by_name(void **state)
{
    (void)state;
    const struct gpio_pin ways[] = {by_number(LAMP), by_name(LAMP, "pinctrl-bcm2711"),
                                    by_name(LAMP, "")};
    for (size_t i = 0; i < 3; i++) {
        struct gpio_wiring w = {0};
        w.pin[GPIO_LAMP_TURN] = ways[i];
        struct gpio gpio = open_wiring(&w);
        assert_int_equal(gpio.ops->set(gpio.impl, GPIO_LAMP_TURN, 1), 0);
        assert_int_equal(seen(LAMP), 1);
        assert_int_equal(gpio.ops->get(gpio.impl, GPIO_LAMP_TURN), 1);
        assert_int_equal(gpio.ops->get(gpio.impl, GPIO_PUMP), -ENOENT);
        gpio.ops->close(gpio.impl);
        assert_int_equal(seen(LAMP), 0);
    }
}

static void missing_chip_and_line_are_named(void **state)
{
    (void)state;
    struct gpio gpio;
    struct error err = {0};
    struct gpio_wiring w = {0};
    w.pin[GPIO_PUMP] = by_name(PUMP, "pinctrl-rp1");
    assert_int_equal(gpio_chip_open(&w, &gpio, &err), -ENOENT);
    assert_non_null(strstr(err.text, "pinctrl-rp1"));
    w.pin[GPIO_PUMP] = by_name(99, "");
    assert_int_equal(gpio_chip_open(&w, &gpio, &err), -ENOENT);
    assert_non_null(strstr(err.text, "GPIO99"));
    w.pin[GPIO_PUMP] = by_number(99);
    assert_int_equal(gpio_chip_open(&w, &gpio, &err), -ENOENT);
    assert_non_null(strstr(err.text, "99"));
}

static void low_means_yes(void **state)
{
    (void)state;
    struct gpio_wiring w = {0};
    w.pin[GPIO_PUMP] = by_number(PUMP);
    w.pin[GPIO_PUMP].active_low = true;
    struct gpio gpio = open_wiring(&w);
    assert_int_equal(seen(PUMP), 1); // off
    assert_int_equal(gpio.ops->set(gpio.impl, GPIO_PUMP, 1), 0);
    assert_int_equal(seen(PUMP), 0);
    gpio.ops->close(gpio.impl);
    gpio = open_inputs();
    assert_int_equal(gpio.ops->get(gpio.impl, GPIO_BUTTON_DONE), 0);
    pull(BUTTON, false);
    assert_int_equal(gpio.ops->get(gpio.impl, GPIO_BUTTON_DONE), 1);
    gpio.ops->close(gpio.impl);
}

static void resistors_are_asked_for(void **state)
{
    (void)state;
    struct gpio_wiring w = {0};
    w.pin[GPIO_BUTTON_RESET] = by_number(22);
    w.pin[GPIO_BUTTON_RESET].bias = GPIO_BIAS_PULL_UP;
    pull(22, false);
    struct gpio gpio = open_wiring(&w);
    assert_int_equal(gpio.ops->get(gpio.impl, GPIO_BUTTON_RESET), 1);
    gpio.ops->close(gpio.impl);
}

// Pulls the button up and down `times` with a millisecond between, ending `up`. False: this machine
// was too busy, and what was meant as bouncing lasted longer than a press.
static bool bounce(int times, bool up, int64_t *ret_last)
{
    bool quick = true;
    int64_t last = clock_monotonic_ns();
    for (int i = times; i >= 0; i--) {
        pull(BUTTON, (i % 2 == 0) == up);
        const int64_t now = clock_monotonic_ns();
        quick = quick && now - last < WINDOW_MS * NS_PER_MS / 2;
        last = now;
        if (i > 0)
            usleep(1000);
    }
    *ret_last = last;
    return quick;
}

static void bouncing_button_counts_once(void **state)
{
    (void)state;
    struct gpio gpio = open_inputs();
    enum gpio_line line;
    int64_t when, last;
    int pressed = 0;
    for (int tries = 0; pressed < 5 && tries < 100; tries++) {
        const bool up = gpio.ops->get(gpio.impl, GPIO_BUTTON_DONE) == 1; // let go, or pressed
        if (!bounce(10, up, &last)) {
            while (next_edge(&gpio, 200, &line, &when) == 0)
                ;
            continue;
        }
        assert_int_equal(next_edge(&gpio, 1000, &line, &when), 0);
        assert_int_equal(line, GPIO_BUTTON_DONE);
        assert_true(when - last >= WINDOW_MS * NS_PER_MS * 9 / 10);
        assert_int_equal(next_edge(&gpio, 60, &line, &when), -ETIME);
        pressed++;
    }
    assert_int_equal(pressed, 5);
    gpio.ops->close(gpio.impl);
}

static void short_touch_does_not_count(void **state)
{
    (void)state;
    struct gpio gpio = open_inputs();
    enum gpio_line line;
    int64_t when, last;
    bool quick = false;
    for (int tries = 0; !quick && tries < 100; tries++) {
        pull(BUTTON, false);
        quick = bounce(1, true, &last);
        const int r = next_edge(&gpio, 100, &line, &when);
        if (quick)
            assert_int_equal(r, -ETIME);
        while (!quick && next_edge(&gpio, 200, &line, &when) == 0)
            ;
    }
    assert_true(quick);
    gpio.ops->close(gpio.impl);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void estop_counts_at_once(void **state)
{
    enum { PRESSES = 200 };
    int64_t took[PRESSES];
    (void)state;
    struct gpio gpio = open_inputs();
    enum gpio_line line;
    int64_t when;
    for (int i = 0; i < PRESSES; i++) {
        const int64_t begin = clock_monotonic_ns();
        pull(ESTOP, i % 2 == 0);
        assert_int_equal(next_edge(&gpio, 500, &line, &when), 0);
        took[i] = clock_monotonic_ns() - begin;
        assert_int_equal(line, GPIO_ESTOP);
        assert_int_equal(gpio.ops->get(gpio.impl, GPIO_ESTOP), i % 2 == 0);
        // The kernel's time is that of the edge, on the clock that everything else uses.
        assert_true(when >= begin && when <= begin + took[i]);
    }
    qsort(took, PRESSES, sizeof took[0], compare);
    const int64_t median = took[PRESSES / 2];
    printf("  e-stop edge to program, nothing else running: median %.2f, worst of %d %.2f ms\n",
           (double)median / 1e6, PRESSES, (double)took[PRESSES - 1] / 1e6);
    // The buttons' window is not waited for. A busy machine may delay some, not half of them.
    assert_true(median < WINDOW_MS * NS_PER_MS / 2);
    gpio.ops->close(gpio.impl);
}

// The kernel keeps 16 edges of a line and drops others: which are dropped must not matter.
static void lost_edges_are_caught(void **state)
{
    (void)state;
    for (int changes = 100; changes <= 101; changes++) {
        struct gpio gpio = open_inputs();
        enum gpio_line line;
        int64_t when;
        for (int i = 1; i <= changes; i++)
            pull(ESTOP, i % 2);
        if (changes % 2) {
            assert_int_equal(next_edge(&gpio, 500, &line, &when), 0);
            assert_int_equal(line, GPIO_ESTOP);
        }
        assert_int_equal(next_edge(&gpio, 60, &line, &when), -ETIME);
        assert_int_equal(gpio.ops->get(gpio.impl, GPIO_ESTOP), changes % 2);
        // The line is not deaf afterwards.
        pull(ESTOP, changes % 2 == 0);
        assert_int_equal(next_edge(&gpio, 500, &line, &when), 0);
        gpio.ops->close(gpio.impl);
    }
}

static void holder_of_a_busy_line_is_named(void **state)
{
    (void)state;
    struct gpio gpio, mine;
    struct error err = {0};
    struct gpio_wiring w = {0};
    w.pin[GPIO_LAMP_TURN] = by_number(TAKEN);
    assert_int_equal(gpio_chip_open(&w, &gpio, &err), -EBUSY);
    assert_non_null(strstr(err.text, "fan-control"));
    w.pin[GPIO_LAMP_TURN] = by_number(LAMP);
    mine = open_wiring(&w);
    assert_int_equal(gpio_chip_open(&w, &gpio, &err), -EBUSY);
    assert_non_null(strstr(err.text, "tessera"));
    mine.ops->close(mine.impl);
    mine = open_wiring(&w); // nothing of the failed ones is left
    mine.ops->close(mine.impl);
}

// Nobody is left to switch the pump off: the kernel has to, by releasing the line.
static void killed_program_releases_its_outputs(void **state)
{
    (void)state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct gpio_wiring w = {0};
        w.pin[GPIO_PUMP] = by_number(PUMP);
        w.pin[GPIO_LAMP_TURN] = by_number(LAMP);
        struct gpio gpio;
        if (gpio_chip_open(&w, &gpio, NULL) == 0) {
            gpio.ops->set(gpio.impl, GPIO_PUMP, 1);
            gpio.ops->set(gpio.impl, GPIO_LAMP_TURN, 1);
        }
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(seen(PUMP) + seen(LAMP), 2);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(seen(PUMP) + seen(LAMP), 0);
    close(ready[0]);
    close(ready[1]);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "Usage: check-gpio GPIO-SIM\n");
        return 2;
    }
    folder = argv[1];
    printf("  libgpiod %s\n", gpio_chip_library());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_says_which_it_is),
        cmocka_unit_test(found_by_label_and_by_name),
        cmocka_unit_test(missing_chip_and_line_are_named),
        cmocka_unit_test(low_means_yes),
        cmocka_unit_test(resistors_are_asked_for),
        cmocka_unit_test(bouncing_button_counts_once),
        cmocka_unit_test(short_touch_does_not_count),
        cmocka_unit_test(estop_counts_at_once),
        cmocka_unit_test(lost_edges_are_caught),
        cmocka_unit_test(holder_of_a_busy_line_is_named),
        cmocka_unit_test(killed_program_releases_its_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
