// tessera session: makes sessions of videos and photographs, and smaller or more private copies.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/atomic_file.h"
#include "config/base/clock.h"
#include "config/base/log.h"
#include "controller/cli/commands.h"
#include "controller/film_import.h"
#include "controller/session_edit.h"

struct arguments {
    struct common_options common;
    const char *variant, *colours, *from, *to, *fps, *hold;
    int size;
};

// A number of seconds or of pictures a second.
static int parse_number(const char *option, const char *text, double low, double high, double *ret,
                        struct error *err)
{
    char *end;
    if (!text)
        return 0;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= low && value <= high))
        return error_set(err, -EINVAL, "--%s takes a number from %g to %g, not \"%s\".", option,
                         low, high, text);
    *ret = value;
    return 0;
}

// --- import ---

static int add_setting(struct common_options *common, char *buf, size_t size, const char *key,
                       const char *value, struct error *err)
{
    if (common->set_count == OPTIONS_SET_MAX)
        return error_set(err, -EINVAL, "too many --set.");
    snprintf(buf, size, "%s=%s", key, value);
    options_add_set(common, buf);
    return 0;
}

// --colours stands for settings; --set says everything else.
static int choose_colours(struct arguments *a, char texts[SETTINGS_COLOURS][128], struct error *err)
{
    int r = 0;
    char list[128], key[32];
    snprintf(list, sizeof list, "%s", a->colours ? a->colours : "");
    int colour = 0;
    for (char *save = NULL, *w = strtok_r(list, ",", &save); r == 0 && w;
         w = strtok_r(NULL, ",", &save)) {
        if (++colour > SETTINGS_COLOURS)
            return error_set(err, -EINVAL, "--colours takes at most %d.", SETTINGS_COLOURS);
        snprintf(key, sizeof key, "stones.colour%d", colour);
        r = add_setting(&a->common, texts[colour - 1], 128, key, w, err);
    }
    return r;
}

// The settings of this table. Game and size come last: the robot's own table, which the settings
// file describes, may be another one.
static int choose_table(struct arguments *a, struct settings *ret, struct error *err)
{
    char texts[SETTINGS_COLOURS][128];
    int r = choose_colours(a, texts, err);
    if (r < 0)
        return r;
    if (options_settings(&a->common, ret) != EXIT_DONE)
        return error_set(err, -EINVAL, "these settings can't be used.");
    if (a->variant)
        snprintf(ret->game.variant, sizeof ret->game.variant, "%s", a->variant);
    if (a->size)
        ret->board.columns = ret->board.rows = a->size;
    return 0;
}

static void on_decision(void *user, const char *json)
{
    fprintf(user, "%s\n", json);
}

// Reads the new film once: what comes out is what is expected from then on.
static int bless(const char *folder, bool print, struct error *err)
{
    char *text = NULL, path[4096];
    size_t size = 0;
    struct replay_report report;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return error_set(err, -ENOMEM, "out of memory");
    int r = replay_run(folder, on_decision, memory, &report, err);
    if (fclose(memory) != 0 && r == 0)
        r = error_set(err, -ENOMEM, "out of memory");
    snprintf(path, sizeof path, "%.4000s/expected.jsonl", folder);
    if (r == 0)
        r = atomic_file_write(NULL, path, text, size, 0644, err);
    if (r == 0 && print)
        fwrite(text, 1, size, stdout);
    free(text);
    return r;
}

static int import(struct arguments *a, const char *source, const char *folder, struct error *err)
{
    struct import_options options = import_options_default();
    struct import_report report = {0};
    struct settings settings;
    struct game *game = malloc(sizeof *game);
    struct film *film = NULL;
    char meta[1024];
    int r = game ? 0 : error_set(err, -ENOMEM, "out of memory");
    if (r == 0)
        r = parse_number("fps", a->fps, 1, 120, &options.fps, err);
    if (r == 0)
        r = parse_number("hold", a->hold, 0.2, 60, &options.hold, err);
    if (r == 0)
        r = choose_table(a, &settings, err);
    if (r == 0)
        r = film_game(&settings, game, err);
    if (r == 0) {
        snprintf(meta, sizeof meta,
                 "name: %.200s\nboard: %d lines\ncamera: real\nvariant: %s\n"
                 "notes: made of %.400s by tessera session import\n",
                 folder, settings.board.columns, settings.game.variant, source);
        r = film_new(folder, meta, &settings, game, &film, err);
    }
    if (r == 0)
        r = film_import(source, &options, film, &report, err);
    if (r == 0) {
        r = film_close(film, err);
        film = NULL;
    }
    if (r == 0) {
        log_notice("%u pictures, %.1f s of film; reading the game...", report.pictures,
                   report.seconds);
        r = bless(folder, !a->common.quiet, err);
    }
    film_free(film);
    free(game);
    return r;
}

// --- the table of verbs ---

static int run_import(struct arguments *a, const char *source, const char *to, struct error *err)
{
    return import(a, source, to, err);
}

static int64_t to_ns(double seconds)
{
    return isinf(seconds) ? INT64_MAX : (int64_t)(seconds * (double)NS_PER_S);
}

static void tell(const struct edit_report *report, const char *to)
{
    log_notice("%s: %u pictures, %.1f s, %u decisions.", to, report->frames, report->seconds,
               report->decisions);
    if (report->unlocated)
        log_notice("in %u pictures no board was found; they are grey.", report->unlocated);
}

static int run_trim(struct arguments *a, const char *from, const char *to, struct error *err)
{
    double begin = 0, end = INFINITY;
    struct edit_report report = {0};
    int r = parse_number("from", a->from, 0, 1e6, &begin, err);
    if (r == 0)
        r = parse_number("to", a->to, 0, 1e6, &end, err);
    if (r == 0 && !(begin < end))
        r = error_set(err, -EINVAL, "--from must lie before --to.");
    if (r == 0)
        r = session_trim(from, to_ns(begin), to_ns(end), to, &report, err);
    if (r == 0)
        tell(&report, to);
    return r;
}

static int run_blank(struct arguments *a, const char *from, const char *to, struct error *err)
{
    (void)a;
    struct edit_report report = {0};
    int r = session_blank(from, to, &report, err);
    if (r == 0)
        tell(&report, to);
    return r;
}

enum exit_code cmd_session(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(struct arguments *a, const char *from, const char *to, struct error *err);
    } verbs[] = {{"import", run_import}, {"trim", run_trim}, {"blank", run_blank}};
    const struct command *command = options_find_command("session");
    struct arguments a = {0};
    const struct option_row rows[] = {
        {"variant", "V", "import: the game that is played", OPTION_TEXT, &a.variant, 0, 0},
        {"size", "N", "import: lines of the board", OPTION_NUMBER, &a.size, 6, 19},
        {"colours", "LIST", "import: stones in turn order, such as black,white", OPTION_TEXT,
         &a.colours, 0, 0},
        {"fps", "N", "import: pictures a second (default 5)", OPTION_TEXT, &a.fps, 0, 0},
        {"hold", "S", "import: seconds each photo is shown (default 4)", OPTION_TEXT, &a.hold, 0,
         0},
        {"from", "S", "trim: seconds from the beginning to leave out", OPTION_TEXT, &a.from, 0, 0},
        {"to", "S", "trim: seconds from the beginning where to end", OPTION_TEXT, &a.to, 0, 0},
        {0},
    };
    enum exit_code code;
    struct error err = {0};
    int first = options_parse(command, rows, &a.common, argc, argv, &code);
    if (first < 0)
        return code;
    if (argc - first != 3)
        return options_usage(command, "session takes a verb, what to read and the folder to make");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(argv[first], verbs[i].name) == 0)
            return verbs[i].run(&a, argv[first + 1], argv[first + 2], &err) < 0 ? options_fail(&err)
                                                                                : EXIT_DONE;
    }
    return options_usage(command, "there is no verb \"%s\"", argv[first]);
}
