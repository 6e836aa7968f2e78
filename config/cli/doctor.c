// doctor: what is wrong with this robot and what to do.
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/json.h"
#include "config/calibration.h"
#include "config/cli/cli.h"
#include "config/doctor.h"
#include "config/paths.h"
#include "config/value.h"

static const char *level_name(enum doctor_level level)
{
    static const char *const NAMES[] = {"good", "warning", "bad"};
    return NAMES[level];
}

static void print_lines(const struct doctor_report *report)
{
    bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    static const char *const COLOURS[] = {"\033[32m", "\033[33m", "\033[31m"};
    for (int i = 0; i < report->count; i++) {
        const struct doctor_line *line = &report->line[i];
        (void)printf("%s%-8s%s %-20s %s\n", colour ? COLOURS[line->level] : "",
                     level_name(line->level), colour ? "\033[0m" : "", line->what, line->text);
        if (line->mend[0])
            (void)printf("%-29s -> %s\n", "", line->mend);
    }
}

static json_t *report_json(const struct doctor_report *report)
{
    json_t *lines = json_array();
    for (int i = 0; i < report->count; i++) {
        const struct doctor_line *line = &report->line[i];
        json_array_append_new(lines, json_pack("{s:s, s:s, s:s, s:s}", "level",
                                               level_name(line->level), "what", line->what, "text",
                                               line->text, "mend", line->mend));
    }
    return json_pack("{s:s, s:o}", "worst", level_name(doctor_worst(report)), "lines", lines);
}

// What one needs to help from afar: the report, the settings in force, the calibration. No games,
// no pictures, no names but the robot's own.
static int write_bundle(const struct reading *reading, const struct doctor_report *report,
                        const char *file, struct error *err)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < schema_key_count; i++) {
        char text[VALUE_TEXT_MAX];
        (void)value_print(&schema_keys[i], &reading->settings, text, sizeof text);
        json_object_set_new(settings, schema_keys[i].key, json_string(text));
    }
    char path[PATHS_MAX];
    json_t *calibration = NULL;
    if (paths_calibration(&reading->settings, path, sizeof path) == 0)
        (void)json_read_file(path, CALIBRATION_FILE_MAX, &calibration, NULL);
    json_t *bundle = json_pack("{s:o, s:o, s:o?}", "doctor", report_json(report), "settings",
                               settings, "calibration", calibration);
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
        (void)reading_load(reading, &source);
        doctor_examine(reading, report);
        json_t *json = cli->json ? report_json(report) : NULL;
        if (json)
            (void)json_dumpf(json, stdout, JSON_INDENT(2));
        else
            print_lines(report);
        if (json)
            (void)putchar('\n');
        json_decref(json);
        code = doctor_worst(report) == DOCTOR_BAD ? CLI_FAILED : CLI_DONE;
        struct error err;
        if (cli->output && write_bundle(reading, report, cli->output, &err) < 0) {
            cli_complain(&err);
            code = CLI_FAILED;
        }
    }
    free(report);
    reading_free(reading);
    return code;
}
