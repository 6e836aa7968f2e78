// tessera replay: a recorded session through the same code.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/atomic_file.h"
#include "config/base/clock.h"
#include "config/base/io.h"
#include "config/base/log.h"
#include "controller/cli/commands.h"
#include "controller/replay.h"

enum { EXPECTED_MAX = 16 << 20, PATH_SIZE = 4096, DIFFERENCES_SHOWN = 10 };

struct comparison {
    bool check, print;
    char *expected;  // what is left of expected.jsonl
    char *decisions; // all that came out, for --bless
    size_t size, room;
    int line, differences;
    bool out_of_memory;
};

static void keep(struct comparison *c, const char *json)
{
    size_t n = strlen(json);
    if (c->size + n + 2 > c->room) {
        size_t room = 2 * (c->size + n + 2);
        char *decisions = realloc(c->decisions, room);
        if (!decisions) {
            c->out_of_memory = true;
            return;
        }
        c->decisions = decisions;
        c->room = room;
    }
    memcpy(c->decisions + c->size, json, n);
    c->decisions[c->size + n] = '\n';
    c->size += n + 1;
    c->decisions[c->size] = 0;
}

static void differ(struct comparison *c, const char *expected, const char *got)
{
    if (++c->differences <= DIFFERENCES_SHOWN)
        log_warning("expected.jsonl:%d: expected %s, got %s", c->line,
                    expected ? expected : "nothing more", got ? got : "nothing more");
}

// Cuts one line off what is expected; NULL at its end.
static const char *next_expected(struct comparison *c)
{
    if (!c->expected || !*c->expected)
        return NULL;
    char *line = c->expected, *newline = strchr(line, '\n');
    c->expected = newline ? newline + 1 : line + strlen(line);
    if (newline)
        *newline = 0;
    c->line++;
    return line;
}

static void on_decision(void *user, const char *json)
{
    struct comparison *c = user;
    if (c->print)
        printf("%s\n", json);
    keep(c, json);
    if (!c->check)
        return;
    const char *expected = next_expected(c);
    if (!expected || strcmp(expected, json) != 0)
        differ(c, expected, json);
}

static enum exit_code finish(struct comparison *c, const char *folder,
                             const struct replay_report *report, bool bless)
{
    struct error err;
    char path[PATH_SIZE];
    log_notice("%zu decisions from %zu pictures and %zu bytes of the plotter, %.1f s of play.",
               report->decisions, report->frames, report->serial_bytes,
               (double)report->span_ns / (double)NS_PER_S);
    if (report->deviation_mm > 0.001)
        log_notice("the arm was sent up to %.2f mm beside the recorded targets.",
                   report->deviation_mm);
    if (c->out_of_memory)
        return options_fail(&(struct error){.number = -ENOMEM, .text = "out of memory"});
    if (c->check) {
        for (const char *rest; (rest = next_expected(c));)
            differ(c, rest, NULL);
        if (c->differences) {
            log_error("%d decisions differ from the recorded ones.", c->differences);
            return EXIT_FAILED;
        }
        log_notice("all decisions are as recorded.");
    }
    if (!bless)
        return EXIT_DONE;
    snprintf(path, sizeof path, "%.4000s/expected.jsonl", folder);
    if (atomic_file_write(NULL, path, c->decisions ? c->decisions : "", c->size, 0644, &err) < 0)
        return options_fail(&err);
    log_notice("%s now holds these decisions. Say in the commit why they changed.", path);
    return EXIT_DONE;
}

enum exit_code cmd_replay(int argc, char **argv)
{
    const struct command *command = options_find_command("replay");
    struct common_options common;
    struct comparison comparison = {0};
    bool bless = false;
    const struct option_row rows[] = {
        {"check", NULL, "compare with expected.jsonl; exit 1 when they differ", OPTION_FLAG,
         &comparison.check, 0, 0},
        {"bless", NULL, "make what comes out the new expected.jsonl", OPTION_FLAG, &bless, 0, 0},
        {0},
    };
    enum exit_code code;
    int first = options_parse(command, rows, &common, argc, argv, &code);
    if (first < 0)
        return code;
    if (argc - first != 1)
        return options_usage(command, "replay takes the folder of one session");
    const char *folder = argv[first];
    char path[PATH_SIZE], *expected = NULL;
    size_t size;
    struct error err;
    struct replay_report report;
    snprintf(path, sizeof path, "%.4000s/expected.jsonl", folder);
    if (comparison.check &&
        io_read_file(&io_system, path, EXPECTED_MAX, &expected, &size, &err) < 0)
        return options_fail(&err);
    comparison.expected = expected;
    comparison.print = !comparison.check && !bless && !common.quiet;
    code = replay_run(folder, on_decision, &comparison, &report, &err) < 0
               ? options_fail(&err)
               : finish(&comparison, folder, &report, bless);
    free(expected);
    free(comparison.decisions);
    return code;
}
