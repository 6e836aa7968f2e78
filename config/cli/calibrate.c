// calibrate: the wizards on a terminal, or as lines of JSON for the dashboard.
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/io.h"
#include "config/calibrate/sim_seed.h"
#include "config/calibrate/wizard.h"
#include "config/cli/cli.h"
#include "config/paths.h"
#include "config/value.h"

enum { ANSWER_MAX = 100 };

struct session {
    const struct cli *cli;
    struct settings settings;
    struct calibration calibration;
    char path[PATHS_MAX];
    struct bench *bench;
    int failed;
};

// --- people ---

static void print_event(const char *kind, const char *text)
{
    json_t *event = json_pack("{s:s, s:s}", "event", kind, "text", text);
    (void)json_dumpf(event, stdout, JSON_COMPACT);
    (void)putchar('\n');
    (void)fflush(stdout);
    json_decref(event);
}

static void say(void *user, const char *text)
{
    const struct session *session = user;
    if (session->cli->json)
        print_event("step", text);
    else if (!session->cli->quiet)
        (void)fprintf(stderr, "  %s\n", text);
}

static bool read_answer(const struct session *session, const char *text, const char *hint,
                        char answer[ANSWER_MAX])
{
    if (session->cli->json)
        print_event("question", text);
    else
        (void)fprintf(stderr, "  %s %s ", text, hint);
    if (!fgets(answer, ANSWER_MAX, stdin))
        return false;
    answer[strcspn(answer, "\n")] = '\0';
    return true;
}

static bool ask(void *user, const char *text)
{
    char answer[ANSWER_MAX];
    return read_answer(user, text, "[y/n]", answer) && (answer[0] == 'y' || answer[0] == 'Y');
}

static bool measure(void *user, const char *text, double proposed, double *ret)
{
    char answer[ANSWER_MAX];
    char hint[40];
    (void)snprintf(hint, sizeof hint, "[%g]", proposed);
    for (;;) {
        if (!read_answer(user, text, hint, answer))
            return false;
        char *end;
        *ret = answer[0] ? strtod(answer, &end) : proposed;
        if (answer[0] == '\0' || (*end == '\0' && *ret > 0 && *ret < 5000))
            return true;
        say(user, "Write a number of millimetres, such as 396.");
    }
}

// --- running ---

static void print_result(const struct session *session, const struct wizard *wizard,
                         const struct wizard_result *result)
{
    if (session->cli->json) {
        json_t *event =
            json_pack("{s:s, s:s, s:b, s:f, s:f, s:s, s:s}", "event", "result", "part",
                      wizard->name, "passed", (int)result->passed, "figure", result->figure,
                      "limit", result->limit, "what", result->what, "text", result->words);
        (void)json_dumpf(event, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
        (void)putchar('\n');
        (void)fflush(stdout);
        json_decref(event);
        return;
    }
    (void)printf("%s %s: %.3g %s (limit %.3g)%s%s\n", result->passed ? "PASS" : "FAIL",
                 wizard->name, result->figure, result->what, result->limit,
                 result->words[0] ? "; " : "", result->words);
    (void)fflush(stdout);
}

static int open_bench(struct session *session, bool arm, struct error *err)
{
    const struct bench_options options = {
        .settings = &session->settings,
        .calibration = &session->calibration,
        .people = {.say = say, .ask = ask, .measure = measure, .user = session},
        .yes = session->cli->yes,
        .arm = arm,
    };
    return bench_open(&options, &session->bench, err);
}

static int save(struct session *session, struct error *err)
{
    char folder[PATHS_MAX];
    int r = paths_state(&session->settings, folder, sizeof folder);
    if (r == 0)
        r = io_make_folder(folder, 0755, err);
    return r == 0 ? calibration_save(NULL, session->path, &session->calibration, err) : r;
}

// --output, else calibrate-<part>.png beside the calibration.
static int picture_path(const struct session *session, const char *part, char *ret, size_t size)
{
    char folder[PATHS_MAX];
    int length;
    if (session->cli->output) {
        length = snprintf(ret, size, "%s", session->cli->output);
    } else {
        int r = paths_state(&session->settings, folder, sizeof folder);
        if (r == 0)
            r = io_make_folder(folder, 0755, NULL);
        if (r < 0)
            return r;
        length = snprintf(ret, size, "%s/calibrate-%s.png", folder, part);
    }
    return length < (int)size ? 0 : -ENAMETOOLONG;
}

static int run_one(struct session *session, const struct wizard *wizard, struct error *err)
{
    struct wizard_result result;
    char picture[PATHS_MAX + 40];
    if (!session->cli->quiet && !session->cli->json)
        (void)fprintf(stderr, "%s\n", wizard->title);
    int r = picture_path(session, wizard->name, picture, sizeof picture);
    bench_want_picture(session->bench, r == 0 ? picture : NULL);
    r = wizard_run(wizard, session->bench, &result, err);
    if (r < 0) {
        struct error other; // what went wrong first is what matters
        if (r != -ECANCELED && bench_park(session->bench, &other) == 0)
            (void)bench_snap(session->bench, &other);
    } else {
        session->failed += !result.passed;
        print_result(session, wizard, &result);
    }
    char text[sizeof picture + 20];
    (void)snprintf(text, sizeof text, "The picture is %s", picture);
    if (bench_snapped(session->bench))
        say(session, text);
    return r == 0 ? save(session, err) : r;
}

// What still holds is skipped; nothing after a failed part can be trusted.
static int run_all(struct session *session, struct error *err)
{
    int r = 0;
    for (int i = 0; i < wizard_count && r == 0 && session->failed == 0; i++) {
        const struct calibration_verdict *verdict = wizards[i].verdict(&session->calibration);
        if (verdict->valid && !session->cli->force)
            (void)fprintf(stderr, "%s: still valid (%.3g, limit %.3g); --force measures it again\n",
                          wizards[i].title, verdict->figure, verdict->limit);
        else
            r = run_one(session, &wizards[i], err);
    }
    return r;
}

static int load(struct session *session, struct error *err)
{
    int r = paths_calibration(&session->settings, session->path, sizeof session->path);
    if (r < 0)
        return error_set(err, r, "there is no folder for the calibration: set paths.state");
    const char *machine = session->settings.machine.name;
    r = calibration_load(session->path, machine, &session->calibration, err);
    if (r != -ENOENT && r < 0 && !session->cli->force)
        return r; // damaged or another machine's: --force begins anew, and the file is kept
    if (r < 0)
        calibration_init(&session->calibration, machine);
    return 0;
}

static enum cli_exit exit_code(const struct session *session, int r)
{
    if (r == -ECANCELED)
        return CLI_STOPPED;
    bool opening = !session->bench; // later, what is not found is a stone
    if (r == -ENODEV || (r == -ENOENT && opening))
        return CLI_NO_DEVICE;
    return r < 0 || session->failed > 0 ? CLI_FAILED : CLI_DONE;
}

static int add_overrides(struct cli *cli, struct sim_seed *seed)
{
    if (!cli->sim && !cli->seed)
        return 0;
    if (cli->override_count + SIM_SEED_SETTINGS + 3 > CLI_OVERRIDES_MAX)
        return -E2BIG;
    for (int i = 0; settings_sim_overrides[i]; i++)
        cli->overrides[cli->override_count++] = settings_sim_overrides[i];
    for (int i = 0; i < seed->count; i++)
        cli->overrides[cli->override_count++] = seed->text[i];
    return 0;
}

enum cli_exit cli_calibrate(struct cli *cli)
{
    const struct wizard *wizard = wizard_find(cli->arguments[0]);
    bool all = strcmp(cli->arguments[0], "all") == 0;
    struct sim_seed seed = {0};
    if (!wizard && !all)
        return cli_usage(
            "calibrate panel, camera, board, arm, stones, gripper or all, not \"%.40s\"",
            cli->arguments[0]);
    if (all && cli->output)
        return cli_usage("--output is for the picture of one part; `all` makes six, which lie "
                         "beside the calibration");
    if (cli_take_seed(cli, &seed) < 0)
        return CLI_USAGE;
    if (add_overrides(cli, &seed) < 0)
        return cli_usage("--set is given too often");
    struct reading *reading = cli_read_settings(cli);
    if (!reading)
        return CLI_USAGE;
    struct session *session = calloc(1, sizeof *session);
    struct error err = {.number = -ENOMEM, .text = "out of memory"};
    int r = session ? 0 : -ENOMEM;
    if (r == 0) {
        session->cli = cli;
        session->settings = reading->settings;
        r = load(session, &err);
    }
    if (r == 0)
        r = open_bench(session, all || wizard->needs_arm, &err);
    if (r == 0)
        r = all ? run_all(session, &err) : run_one(session, wizard, &err);
    if (r < 0)
        cli_complain(&err);
    if (r == -ECANCELED)
        (void)fprintf(stderr, "What was finished is kept: the same command goes on from there.\n");
    enum cli_exit code = session ? exit_code(session, r) : CLI_FAILED;
    if (session)
        bench_free(session->bench);
    free(session);
    reading_free(reading);
    return code;
}
