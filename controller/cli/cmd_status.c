// tessera status and tessera doctor: what is there, what is wrong and what to do about it. Neither
// moves anything nor keeps a device open.
#include <stdio.h>
#include <stdlib.h>

#include "config/calibrate/health.h"
#include "config/doctor_page.h"
#include "controller/cli/commands.h"

static enum exit_code report(const char *name, int argc, char **argv, bool judge)
{
    struct common_options common;
    enum exit_code code;
    if (options_parse(options_find_command(name), NULL, &common, argc, argv, &code) < 0)
        return code;
    struct reading *reading = reading_new();
    struct doctor_report *page = calloc(1, sizeof *page);
    code = EXIT_FAILED;
    if (reading && page) {
        const struct settings_source source = options_source(&common);
        (void)reading_load(reading, &source); // its faults are part of the page
        if (judge)
            health_examine(reading, page);
        else
            health_status(reading, page);
        doctor_page_write(page, common.json, stdout);
        code = judge ? (enum exit_code)doctor_page_exit(page) : EXIT_DONE;
    }
    free(page);
    reading_free(reading);
    return code;
}

enum exit_code cmd_status(int argc, char **argv)
{
    return report("status", argc, argv, false);
}

enum exit_code cmd_doctor(int argc, char **argv)
{
    return report("doctor", argc, argv, true);
}
