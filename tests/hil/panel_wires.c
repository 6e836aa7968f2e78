// panel-wires PANEL GPIO-SIM: the wires between the simulated table's panel and a gpio-sim
// chip. GPIO-SIM is the chip's folder in sysfs; line N there is enum gpio_line N.
//
// Buttons, e-stop and pick sensor become pulls of the kernel's lines; what the kernel drives is
// told to the table. The wiring is safe when released: nothing drives the valve's line = low =
// vented, so that one is inverted here, as its coil would be.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/gpio.h"
#include "hil/table_line.h"

enum { PERIOD_MS = 2, SENSOR_PERIODS = 2 };

// Which of the computer's lines each is, and whether a low level there means yes. What is not named
// here hangs on nothing.
static const struct {
    int offset;
    bool active_low;
} WIRING[GPIO_LINES] = {
    [GPIO_BUTTON_DONE] = {27, true}, [GPIO_BUTTON_RESET] = {22, true},
    [GPIO_ESTOP] = {17, false},      [GPIO_PICK_SENSOR] = {23, true},
    [GPIO_LAMP_TURN] = {24, false},  [GPIO_LAMP_FAULT] = {25, false},
    [GPIO_PUMP] = {5, false},        [GPIO_VALVE] = {6, true},
};

struct wires {
    int table;                               // the panel's socket
    FILE *lines;                             // the same, line by line
    int pull[GPIO_LINES], value[GPIO_LINES]; // files of the inputs, of the outputs
    int level[GPIO_LINES];
};

static int open_line(const char *folder, enum gpio_line line, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/sim_gpio%d/%s", folder, WIRING[line].offset, file);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        perror(path);
        exit(1);
    }
    return fd;
}

static void pull(struct wires *w, enum gpio_line line, int level)
{
    if (w->level[line] == level)
        return;
    w->level[line] = level;
    const char *text = (level != 0) != WIRING[line].active_low ? "pull-up" : "pull-down";
    if (pwrite(w->pull[line], text, strlen(text), 0) < 0)
        perror("panel-wires: pull");
}

static bool is_output(int line)
{
    return line >= GPIO_LAMP_TURN;
}

static bool is_wired(int line)
{
    return WIRING[line].offset != 0;
}

// "edge NAME VALUE" comes unasked; the reply to a question begins with "ok".
static void take(struct wires *w, const char *text, enum gpio_line asked)
{
    char name[32];
    int level;
    enum gpio_line line;
    if (sscanf(text, "edge %31s %d", name, &level) == 2 && gpio_line_from_name(name, &line) == 0 &&
        is_wired((int)line) && !is_output((int)line))
        pull(w, line, level);
    else if (asked < GPIO_LINES && sscanf(text, "ok %d", &level) == 1)
        pull(w, asked, level);
}

// Up to the reply; edges may come before it.
static void hear_reply(struct wires *w, enum gpio_line asked)
{
    char text[256];
    do {
        if (!fgets(text, sizeof text, w->lines))
            exit(0); // the table has ended
        take(w, text, asked);
    } while (strncmp(text, "ok", 2) != 0);
}

static void ask(struct wires *w, enum gpio_line line)
{
    dprintf(w->table, "get %s\n", gpio_line_name(line));
    hear_reply(w, line);
}

static void drive(struct wires *w, enum gpio_line line)
{
    char digit;
    if (pread(w->value[line], &digit, 1, 0) != 1)
        return;
    const int level = (digit == '1') != WIRING[line].active_low;
    if (w->level[line] == level)
        return;
    w->level[line] = level;
    dprintf(w->table, "set %s %d\n", gpio_line_name(line), level);
    hear_reply(w, GPIO_LINES);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Usage: panel-wires PANEL GPIO-SIM\n");
        return 2;
    }
    struct wires w = {.table = table_line_open(argv[1])};
    w.lines = fdopen(w.table, "r");
    for (int i = 0; i < GPIO_LINES; i++) {
        w.level[i] = -1;
        if (!is_wired(i))
            continue;
        if (is_output(i))
            w.value[i] = open_line(argv[2], (enum gpio_line)i, "value");
        else
            w.pull[i] = open_line(argv[2], (enum gpio_line)i, "pull");
    }
    for (int i = 0; i < GPIO_LINES; i++)
        if (is_wired(i) && !is_output(i))
            ask(&w, (enum gpio_line)i);
    for (unsigned period = 0;; period++) {
        struct pollfd p = {.fd = w.table, .events = POLLIN};
        // An edge, perhaps several: what stays in the buffer comes with the next question's reply.
        char text[256];
        if (poll(&p, 1, PERIOD_MS) > 0) {
            if (!fgets(text, sizeof text, w.lines))
                return 0;
            take(&w, text, GPIO_LINES);
        }
        for (int i = GPIO_LAMP_TURN; i < GPIO_LINES; i++)
            drive(&w, (enum gpio_line)i);
        if (period % SENSOR_PERIODS == 0) // its level is worked out when it is asked for
            ask(&w, GPIO_PICK_SENSOR);
    }
}
