#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/io.h"
#include "config/doctor.h"
#include "config/hardware.h"

// A device file this user should be able to open.
static void device_file(struct doctor_report *report, const char *what, const char *path,
                        const char *group)
{
    char mend[DOCTOR_TEXT_MAX];
    if (access(path, F_OK) < 0) {
        doctor_add(report, DOCTOR_BAD, what, "plug it in; tessera-config ports",
                   "%.200s is not there", path);
    } else if (access(path, R_OK | W_OK) < 0) {
        (void)snprintf(mend, sizeof mend, "sudo usermod -aG %s $USER, then log in anew", group);
        doctor_add(report, DOCTOR_BAD, what, mend, "%.200s is there, but this user may not open it",
                   path);
    } else {
        doctor_add(report, DOCTOR_GOOD, what, "", "%.200s is there and may be opened", path);
    }
}

// What a driver grants need not be what was asked for, and it says so to nobody.
static void granted_pictures(const struct settings_camera *c, struct doctor_report *report)
{
    struct hardware_format got;
    char mend[DOCTOR_TEXT_MAX];
    const char *wish = c->format == SETTINGS_FORMAT_YUYV ? "YUYV" : "MJPG";
    if (hardware_camera_would_give(c->device, wish, c->width, c->height, &got) < 0)
        return; // no camera at all: the line about the device tells more
    if (got.width == c->width && got.height == c->height && strcmp(got.name, wish) == 0) {
        doctor_add(report, DOCTOR_GOOD, "pictures", "", "%s of %d x %d, as asked for", got.name,
                   got.width, got.height);
        return;
    }
    (void)snprintf(mend, sizeof mend, "tessera-config set camera.width %d camera.height %d",
                   got.width, got.height);
    doctor_add(report, DOCTOR_WARNING, "pictures", mend,
               "the camera gives %s of %d x %d, not %s of %d x %d as the settings ask", got.name,
               got.width, got.height, wish, c->width, c->height);
}

static void camera(const struct settings *s, struct doctor_report *report)
{
    switch (s->camera.source) {
    case SETTINGS_CAMERA_V4L2:
        device_file(report, "camera", s->camera.device, "video");
        granted_pictures(&s->camera, report);
        break;
    case SETTINGS_CAMERA_PIPE:
        doctor_add(report, DOCTOR_GOOD, "camera", "", "pictures come from: %.200s",
                   s->camera.command);
        break;
    case SETTINGS_CAMERA_STILL:
    case SETTINGS_CAMERA_SESSION:
        if (access(s->camera.device, R_OK) == 0)
            doctor_add(report, DOCTOR_GOOD, "camera", "", "pictures come from the folder %.200s",
                       s->camera.device);
        else
            doctor_add(report, DOCTOR_BAD, "camera", "tessera-config set camera.device FOLDER",
                       "the folder of pictures %.200s cannot be read", s->camera.device);
        break;
    case SETTINGS_CAMERA_SIM:
        doctor_add(report, DOCTOR_GOOD, "camera", "", "simulated");
        break;
    }
}

// Whether a program of this name runs: some take serial ports for themselves.
static bool runs(const char *name)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    bool found = false;
    while (proc && !found && (entry = readdir(proc))) {
        char path[300];
        char *text;
        size_t size;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        (void)snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        if (io_read_file(NULL, path, 64, &text, &size, NULL) < 0)
            continue;
        text[strcspn(text, "\n")] = '\0';
        found = strcmp(text, name) == 0;
        free(text);
    }
    if (proc)
        (void)closedir(proc);
    return found;
}

static void auto_plotter(struct doctor_report *report)
{
    struct hardware_serial *serials = calloc(HARDWARE_MAX, sizeof *serials);
    int count = serials ? hardware_serials(serials, NULL) : 0;
    int usb = 0;
    for (int i = 0; i < count; i++)
        usb += serials[i].usb_vendor >= 0;
    if (usb == 1)
        doctor_add(report, DOCTOR_GOOD, "plotter", "", "one USB serial port is there");
    else if (usb == 0)
        doctor_add(report, DOCTOR_BAD, "plotter",
                   "plug it in and switch it on; tessera-config ports",
                   "no USB serial port is there");
    else
        doctor_add(report, DOCTOR_BAD, "plotter",
                   "tessera-config set serial.port /dev/serial/by-id/...",
                   "%d USB serial ports are there, so `auto` cannot choose", usb);
    free(serials);
}

static void plotter(const struct settings *s, struct doctor_report *report)
{
    if (strcmp(s->serial.port, "sim") == 0) {
        doctor_add(report, DOCTOR_GOOD, "plotter", "", "simulated");
        return;
    }
    if (strcmp(s->serial.port, "auto") == 0)
        auto_plotter(report);
    else if (strncmp(s->serial.port, "tcp:", 4) == 0)
        doctor_add(report, DOCTOR_GOOD, "plotter", "", "over the network at %.200s",
                   s->serial.port + 4);
    else
        device_file(report, "plotter", s->serial.port, "dialout");
    static const struct {
        const char *program, *mend;
    } THIEVES[] = {
        {"brltty", "sudo apt purge brltty"},
        {"ModemManager", "sudo systemctl disable --now ModemManager"},
    };
    for (size_t i = 0; i < sizeof THIEVES / sizeof *THIEVES; i++)
        if (runs(THIEVES[i].program))
            doctor_add(report, DOCTOR_WARNING, "plotter", THIEVES[i].mend,
                       "%s runs: it takes USB serial ports for itself or resets the plotter",
                       THIEVES[i].program);
}

static const struct hardware_line *find_line(const struct hardware_gpio *chips, int count,
                                             const char *label, const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    bool numbered = *end == '\0';
    for (int c = 0; c < count; c++) {
        if (label[0] && strcmp(chips[c].label, label) != 0)
            continue;
        for (int i = 0; i < chips[c].lines && i < HARDWARE_LINES_MAX; i++)
            if (numbered ? i == number : strcmp(chips[c].line[i].name, name) == 0)
                return &chips[c].line[i];
    }
    return NULL;
}

static void gpio_lines(const struct settings *s, const struct hardware_gpio *chips, int count,
                       struct doctor_report *report)
{
    int wired = 0;
    int good = 0;
    int ours = 0;
    for (int i = 0; i < SETTINGS_GPIO_LINES; i++) {
        const char *name = s->gpio.pin[i].line;
        if (name[0] == '\0')
            continue;
        wired++;
        const struct hardware_line *line = find_line(chips, count, s->gpio.chip, name);
        if (!line)
            doctor_add(report, DOCTOR_BAD, "panel", "tessera-config ports --verbose",
                       "no GPIO line %s is found%s%s", name, s->gpio.chip[0] ? " on " : "",
                       s->gpio.chip);
        else if (line->consumer[0] && strncmp(line->consumer, "tessera", 7) != 0)
            doctor_add(report, DOCTOR_BAD, "panel", "end that program, or wire another line",
                       "GPIO line %s is used by %s", name, line->consumer);
        else
            good++;
        ours += line && line->consumer[0] != '\0';
    }
    if (good == wired)
        doctor_add(report, DOCTOR_GOOD, "panel", "", "all %d wired GPIO lines are there and %s",
                   wired, ours ? "used by tessera itself, which is running" : "free");
}

static void panel(const struct settings *s, struct doctor_report *report)
{
    if (s->gpio.backend != SETTINGS_GPIO_GPIOD) {
        doctor_add(report, DOCTOR_GOOD, "panel", "", "%s",
                   s->gpio.backend == SETTINGS_GPIO_SIM ? "simulated" : "none, by the settings");
        return;
    }
    struct hardware_gpio *chips = calloc(HARDWARE_MAX, sizeof *chips);
    int count = chips ? hardware_gpios(chips, NULL) : 0;
    bool denied = false;
    for (int i = 0; i < count; i++)
        denied = denied || chips[i].error == -EACCES;
    if (count <= 0)
        doctor_add(report, DOCTOR_BAD, "panel", "tessera-config set gpio.backend none",
                   "this computer has no GPIO");
    else if (denied)
        doctor_add(report, DOCTOR_BAD, "panel", "sudo usermod -aG gpio $USER, then log in anew",
                   "this user may not open the GPIO chips");
    else
        gpio_lines(s, chips, count, report);
    free(chips);
}

// Our udev rules give GPIO chips to their group and keep modem programs off the plotter.
static void udev_rules(const struct settings *s, struct doctor_report *report)
{
    static const char *const FOLDERS[] = {"/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"};
    bool hardware = s->gpio.backend == SETTINGS_GPIO_GPIOD || strcmp(s->serial.port, "sim") != 0;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS && hardware; i++) {
        char path[100];
        (void)snprintf(path, sizeof path, "%s/udev/rules.d/60-tessera.rules", FOLDERS[i]);
        if (access(path, R_OK) != 0)
            continue;
        doctor_add(report, DOCTOR_GOOD, "udev rules", "", "%s is there", path);
        return;
    }
    if (hardware)
        doctor_add(report, DOCTOR_WARNING, "udev rules",
                   "sudo cmake --install build/release --prefix /usr; sudo udevadm trigger",
                   "60-tessera.rules is not installed: GPIO may be root's alone, and modem "
                   "programs may reset the plotter");
}

void doctor_devices(const struct settings *settings, struct doctor_report *report)
{
    udev_rules(settings, report);
    camera(settings, report);
    plotter(settings, report);
    panel(settings, report);
}
