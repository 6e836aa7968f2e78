#include "config/doctor_page.h"

#include <stdlib.h>
#include <unistd.h>

static const char *level_name(enum doctor_level level)
{
    static const char *const NAMES[] = {"good", "warning", "bad"};
    return NAMES[level];
}

static void write_lines(const struct doctor_report *report, FILE *to)
{
    bool colour = isatty(fileno(to)) && !getenv("NO_COLOR");
    static const char *const COLOURS[] = {"\033[32m", "\033[33m", "\033[31m"};
    for (int i = 0; i < report->count; i++) {
        const struct doctor_line *line = &report->line[i];
        (void)fprintf(to, "%s%-8s%s %-20s %s\n", colour ? COLOURS[line->level] : "",
                      level_name(line->level), colour ? "\033[0m" : "", line->what, line->text);
        if (line->mend[0])
            (void)fprintf(to, "%-29s -> %s\n", "", line->mend);
    }
}

json_t *doctor_page_json(const struct doctor_report *report)
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

void doctor_page_write(const struct doctor_report *report, bool json, FILE *to)
{
    json_t *page = json ? doctor_page_json(report) : NULL;
    if (page) {
        (void)json_dumpf(page, to, JSON_INDENT(2));
        (void)fputc('\n', to);
    } else {
        write_lines(report, to);
    }
    json_decref(page);
}

int doctor_page_exit(const struct doctor_report *report)
{
    if (doctor_is_bad(report, "settings"))
        return 2;
    if (doctor_is_bad(report, "camera") || doctor_is_bad(report, "plotter") ||
        doctor_is_bad(report, "panel"))
        return 4;
    return doctor_worst(report) == DOCTOR_BAD ? 1 : 0;
}
