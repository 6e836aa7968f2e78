// ports: what is plugged in, and what is missing.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/cli/cli.h"
#include "config/hardware.h"

enum {
    PROBE_SECONDS = 6,
    FIRMWARE_MAX = 256,
};

struct found {
    struct hardware_camera camera[HARDWARE_MAX];
    struct hardware_serial serial[HARDWARE_MAX];
    struct hardware_gpio gpio[HARDWARE_MAX];
    char firmware[HARDWARE_MAX][FIRMWARE_MAX]; // at each serial port; "" = not asked
    int cameras, serials, gpios;
};

static void print_camera(const struct hardware_camera *camera)
{
    (void)printf("  %s\n", camera->by_id[0] ? camera->by_id : camera->path);
    if (camera->error) {
        (void)printf("      cannot be asked: %s%s\n", strerror(-camera->error),
                     camera->error == -13 ? "; add yourself to the group video" : "");
        return;
    }
    (void)printf("      %s%s%s, %s\n     ", camera->by_id[0] ? camera->path : "",
                 camera->by_id[0] ? ", " : "", camera->name, camera->bus);
    for (int i = 0; i < camera->formats; i++)
        (void)printf(" %s up to %d x %d%s", camera->format[i].name, camera->format[i].width,
                     camera->format[i].height, i + 1 < camera->formats ? "," : "\n");
    if (camera->formats == 0)
        (void)printf(" no formats\n");
}

static void print_serial(const struct hardware_serial *serial, const char *firmware)
{
    (void)printf("  %s\n      %s%s%s", serial->by_id[0] ? serial->by_id : serial->path,
                 serial->by_id[0] ? serial->path : "", serial->by_id[0] ? ", " : "",
                 serial->name[0] ? serial->name : "no name");
    if (serial->usb_vendor >= 0)
        (void)printf(", USB %04x:%04x %s", (unsigned)serial->usb_vendor,
                     (unsigned)serial->usb_product, serial->usb_serial);
    if (!serial->readable)
        (void)printf("; not yours to open: add yourself to the group dialout");
    (void)printf("\n");
    if (firmware[0])
        (void)printf("      %s\n", firmware);
}

static void print_gpio(const struct hardware_gpio *chip, bool verbose)
{
    (void)printf("  %s", chip->path);
    if (chip->error) {
        (void)printf("  cannot be asked: %s%s\n", strerror(-chip->error),
                     chip->error == -13 ? "; add yourself to the group gpio" : "");
        return;
    }
    int named = 0;
    for (int i = 0; i < chip->lines && i < HARDWARE_LINES_MAX; i++)
        named += chip->line[i].name[0] != '\0';
    (void)printf("  label %s, %d lines, %d with a name\n", chip->label, chip->lines, named);
    for (int i = 0; i < chip->lines && i < HARDWARE_LINES_MAX; i++) {
        const struct hardware_line *line = &chip->line[i];
        if (line->consumer[0] || (verbose && line->name[0]))
            (void)printf("      %3d %-20s %s%s\n", i, line->name[0] ? line->name : "-",
                         line->consumer[0] ? "used by " : "free", line->consumer);
    }
}

static void print_all(const struct cli *cli, const struct found *found)
{
    (void)printf("Cameras:\n");
    for (int i = 0; i < found->cameras; i++)
        print_camera(&found->camera[i]);
    if (found->cameras == 0)
        (void)printf("  none. A USB camera shows up when it is plugged in; a CSI camera is used "
                     "by camera.source pipe with rpicam-vid\n");
    (void)printf("Serial ports:\n");
    for (int i = 0; i < found->serials; i++)
        print_serial(&found->serial[i], found->firmware[i]);
    if (found->serials == 0)
        (void)printf("  none. Is the plotter's USB cable plugged in and its power on?\n");
    (void)printf("GPIO chips:\n");
    for (int i = 0; i < found->gpios; i++)
        print_gpio(&found->gpio[i], cli->verbose);
    if (found->gpios == 0)
        (void)printf("  none. A computer without GPIO plays with gpio.backend none\n");
}

static json_t *camera_json(const struct hardware_camera *camera)
{
    json_t *formats = json_array();
    for (int i = 0; i < camera->formats; i++)
        json_array_append_new(formats, json_pack("{s:s, s:i, s:i}", "name", camera->format[i].name,
                                                 "width", camera->format[i].width, "height",
                                                 camera->format[i].height));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s}", "path", camera->path, "by_id", camera->by_id,
                     "name", camera->name, "bus", camera->bus, "formats", formats, "error",
                     camera->error ? strerror(-camera->error) : "");
}

static json_t *gpio_json(const struct hardware_gpio *chip)
{
    json_t *lines = json_array();
    for (int i = 0; i < chip->lines && i < HARDWARE_LINES_MAX; i++)
        json_array_append_new(lines, json_pack("{s:s, s:s}", "name", chip->line[i].name, "consumer",
                                               chip->line[i].consumer));
    return json_pack("{s:s, s:s, s:o, s:s}", "path", chip->path, "label", chip->label, "lines",
                     lines, "error", chip->error ? strerror(-chip->error) : "");
}

static void print_json(const struct found *found)
{
    json_t *cameras = json_array();
    json_t *serials = json_array();
    json_t *gpios = json_array();
    for (int i = 0; i < found->cameras; i++)
        json_array_append_new(cameras, camera_json(&found->camera[i]));
    for (int i = 0; i < found->serials; i++) {
        const struct hardware_serial *s = &found->serial[i];
        json_array_append_new(
            serials, json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:s}", "path", s->path, "by_id",
                               s->by_id, "name", s->name, "usb_vendor", s->usb_vendor,
                               "usb_product", s->usb_product, "usb_serial", s->usb_serial,
                               "allowed", (int)s->readable, "firmware", found->firmware[i]));
    }
    for (int i = 0; i < found->gpios; i++)
        json_array_append_new(gpios, gpio_json(&found->gpio[i]));
    json_t *all =
        json_pack("{s:o, s:o, s:o}", "cameras", cameras, "serial", serials, "gpio", gpios);
    (void)json_dumpf(all, stdout, JSON_INDENT(2));
    (void)putchar('\n');
    json_decref(all);
}

static void probe(struct found *found)
{
    for (int i = 0; i < found->serials; i++) {
        if (!found->serial[i].readable)
            continue;
        struct error err;
        struct grbl_machine machine;
        if (hardware_serial_ask(found->serial[i].path, 115200, PROBE_SECONDS, &machine, &err) < 0)
            (void)snprintf(found->firmware[i], FIRMWARE_MAX, "%.200s", err.text);
        else
            (void)snprintf(found->firmware[i], FIRMWARE_MAX, "%s, travel %g x %g x %g mm%s%s",
                           machine.hal ? "grblHAL" : "GRBL 1.1", machine.travel[0],
                           machine.travel[1], machine.travel[2],
                           machine.homing_enabled ? "" : ", homing is off ($22=0)",
                           machine.motors_hold ? "" : ", motors let go at rest ($1 is not 255)");
    }
}

enum cli_exit cli_ports(struct cli *cli)
{
    struct found *found = calloc(1, sizeof *found);
    struct error err = {0};
    if (!found) {
        (void)fprintf(stderr, "tessera-config: out of memory\n");
        return CLI_FAILED;
    }
    enum cli_exit code = CLI_DONE;
    found->cameras = hardware_cameras(found->camera, &err);
    found->serials = hardware_serials(found->serial, &err);
    found->gpios = hardware_gpios(found->gpio, &err);
    if (found->cameras < 0 || found->serials < 0 || found->gpios < 0) {
        cli_complain(&err);
        code = CLI_FAILED;
    } else {
        if (cli->probe)
            probe(found);
        if (cli->json)
            print_json(found);
        else
            print_all(cli, found);
    }
    free(found);
    return code;
}
