// doctor: what is wrong with this robot and what to do.
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/json.h"
#include "config/calibrate/health.h"
#include "config/calibration.h"
#include "config/cli/cli.h"
#include "config/doctor_page.h"
#include "config/paths.h"
#include "config/value.h"

// The folder of whoever runs this, and his name, are nobody's business: "/home/ada/x" goes out as
// "~/x", other homes as "/home/…/x".
static void print_private(const char *text, char *ret, size_t size)
{
    const char *home = getenv("HOME");
    size_t length = home ? strlen(home) : 0;
    size_t n = 0;
    while (*text && n + 16 < size) {
        if (length > 1 && strncmp(text, home, length) == 0) {
            ret[n++] = '~';
            text += length;
        } else if (strncmp(text, "/home/", 6) == 0) {
            n += (size_t)snprintf(ret + n, size - n, "/home/...");
            text += 6;
            text += strcspn(text, "/ \"'");
        } else {
            ret[n++] = *text++;
        }
    }
    ret[n] = '\0';
}

// Every string in it, whatever it is about.
static json_t *without_names(const json_t *value)
{
    if (json_is_string(value)) {
        char text[2 * DOCTOR_TEXT_MAX + SETTINGS_PATH_MAX];
        print_private(json_string_value(value), text, sizeof text);
        return json_string(text);
    }
    return json_deep_copy(value);
}

static json_t *lines_without_names(const json_t *lines)
{
    json_t *all = json_array();
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
    {
        json_t *copy = json_object();
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)line, key, value)
            json_object_set_new(copy, key, without_names(value));
        json_array_append_new(all, copy);
    }
    return all;
}

// What one needs to help from afar: the report, the settings in force, the calibration. No games,
// no pictures, no names but the robot's own, no home folders.
static int write_bundle(const struct reading *reading, const struct doctor_report *report,
                        const char *file, struct error *err)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < schema_key_count; i++) {
        char text[VALUE_TEXT_MAX];
        (void)value_print(&schema_keys[i], &reading->settings, text, sizeof text);
        json_t *plain = json_string(text);
        json_object_set_new(settings, schema_keys[i].key, without_names(plain));
        json_decref(plain);
    }
    char path[PATHS_MAX];
    json_t *calibration = NULL;
    if (paths_calibration(&reading->settings, path, sizeof path) == 0)
        (void)json_read_file(path, CALIBRATION_FILE_MAX, &calibration, NULL);
    json_t *doctor = doctor_page_json(report);
    json_object_set_new(doctor, "lines", lines_without_names(json_object_get(doctor, "lines")));
    json_t *bundle = json_pack("{s:o, s:o, s:o?}", "doctor", doctor, "settings", settings,
                               "calibration", calibration);
    char *text = bundle ? json_dumps(bundle, JSON_INDENT(1)) : NULL;
    int r = text ? atomic_file_write(NULL, file, text, strlen(text), 0644, err)
                 : error_set(err, -ENOMEM, "out of memory");
    free(text);
    json_decref(bundle);
    return r;
}

enum cli_exit cli_doctor(struct cli *cli)
{
    struct reading *reading = reading_new();
    struct doctor_report *report = calloc(1, sizeof *report);
    enum cli_exit code = CLI_FAILED;
    if (reading && report) {
        struct settings_source source = {
            .file = cli->file,
            .environment = (const char *const *)environ,
            .overrides = cli->overrides,
        };
        (void)reading_load(reading, &source); // its faults are part of the report
        health_examine(reading, report);
        doctor_page_write(report, cli->json, stdout);
        code = (enum cli_exit)doctor_page_exit(report);
        struct error err;
        if (cli->bundle && write_bundle(reading, report, cli->bundle, &err) < 0) {
            cli_complain(&err);
            code = CLI_FAILED;
        }
    }
    free(report);
    reading_free(reading);
    return code;
}
