// tessera play: a game on the table.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/log.h"
#include "config/paths.h"
#include "config/presets.h"
#include "config/schema.h"
#include "config/value.h"
#include "controller/cli/commands.h"
#include "controller/cli/console.h"
#include "controller/play.h"
#include "rules/variant.h"

enum { PATH_SIZE = 4096 };

struct table_game {
    struct loop *loop;
    struct console *console;
    struct play *play;
    uint64_t seed;
    bool leaving;       // as soon as the arm has put its stone away
    struct error error; // why it ended early
};

static void leave(struct table_game *g)
{
    g->leaving = false;
    if (g->play && play_robot(g->play))
        robot_stop(play_robot(g->play), "the program is left");
    log_notice("stopped. `tessera play --resume` goes on with this game.");
    loop_exit(g->loop, EXIT_STOPPED);
}

// What hangs on the cup falls when the program ends. Asked a second time, it ends at once.
static void on_stopped(void *user)
{
    struct table_game *g = user;
    bool waits = !g->leaving && g->play && play_robot(g->play);
    if (waits && robot_put_away(play_robot(g->play))) {
        g->leaving = true;
        log_notice("the arm puts the %s on its cup away first.",
                   robot_colours(play_robot(g->play))->marbles ? "marble" : "stone");
    } else {
        leave(g);
    }
}

static void on_ready(void *user)
{
    struct table_game *g = user;
    console_set_play(g->console, g->play);
    if (play_note(g->play))
        log_notice("%s", play_note(g->play));
}

static void on_failed(void *user, const struct error *err)
{
    struct table_game *g = user;
    g->error = *err;
    loop_exit(g->loop, (int)options_fail(err));
}

static void on_news(void *user, enum robot_news kind, const char *text)
{
    struct table_game *g = user;
    console_news(g->console, kind, text);
}

static void on_state(void *user, enum robot_state state)
{
    struct table_game *g = user;
    console_state(g->console, state);
    if (g->leaving && state != ROBOT_WORKING && state != ROBOT_RETREATING && state != ROBOT_HOLDING)
        leave(g);
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    struct table_game *g = user;
    console_position(g->console, game, effect);
}

static void on_over(void *user, const struct game *game)
{
    struct table_game *g = user;
    console_result(g->console, game, g->seed);
    if (play_record_trouble(g->play))
        log_warning("the recorded session is incomplete: %s", play_record_trouble(g->play));
    loop_exit(g->loop, EXIT_DONE);
}

static int parse_seats(const char *text, const struct settings *settings, enum play_seats *ret,
                       struct error *err)
{
    static const struct {
        const char *name;
        enum play_seats seats;
    } names[] = {
        {"first", PLAY_ROBOT_FIRST}, {"second", PLAY_ROBOT_SECOND},       {"both", PLAY_ROBOT_BOTH},
        {"none", PLAY_ROBOT_NONE},   {"alternate", PLAY_ROBOT_ALTERNATE},
    };
    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, text) == 0) {
            *ret = names[i].seats;
            return 0;
        }
    }
    if (text)
        return error_set(err, -EINVAL,
                         "--seat is the robot's: first, second, both, none or alternate, not "
                         "\"%s\".",
                         text);
    static const enum play_seats by_settings[] = {
        [SETTINGS_SEAT_FIRST] = PLAY_ROBOT_FIRST,
        [SETTINGS_SEAT_SECOND] = PLAY_ROBOT_SECOND,
        [SETTINGS_SEAT_ALTERNATE] = PLAY_ROBOT_ALTERNATE,
    };
    *ret = by_settings[settings->game.robot];
    return 0;
}

// A game is resumed on the table it was played on, by those who played it.
static int look_back(const char *state, bool sim, struct robot_log_past *ret, struct error *err)
{
    char folder[PATH_SIZE];
    int tries = 0, r;
    snprintf(folder, sizeof folder, "%.4000s/robot", state);
    do
        r = robot_log_look(folder, ret, err);
    while (r == -EBUSY && robot_log_wait(folder, tries++));
    if (r < 0 && r != -ENOENT)
        return r;
    if (!ret->open)
        log_warning("there is no unfinished game in %s: a new one begins%s.", state,
                    ret->game.sim && !sim
                        ? " on the real table (--sim is the simulated one, where the last was)"
                        : "");
    else if (ret->step_open && ret->step[0])
        log_notice("the robot was interrupted while %s; it will look what came of it.", ret->step);
    return 0;
}

static enum exit_code run_game(struct table_game *g, const struct play_options *options,
                               const struct console_options *console, bool virtual_clock)
{
    struct error err;
    const struct play_events events = {
        .robot = {.news = on_news,
                  .state = on_state,
                  .position = on_position,
                  .over = on_over,
                  .user = g},
        .ready = on_ready,
        .failed = on_failed,
    };
    int r = virtual_clock ? loop_new_virtual(0, &g->loop) : loop_new_real(&g->loop);
    if (r < 0)
        return options_fail(&(struct error){.number = r, .text = "no event loop"});
    r = console_new(g->loop, console, on_stopped, g, &g->console, &err);
    if (r == 0)
        r = play_new(g->loop, options, &events, &g->play, &err);
    enum exit_code code;
    if (r == 0) {
        r = loop_run(g->loop);
        if (r < 0) {
            error_set(&err, r, "the event loop has stopped: %s.", strerror(-r));
            code = options_fail(&err);
        } else {
            code = (enum exit_code)r;
        }
    } else {
        code = options_fail(&err);
    }
    play_free(g->play);
    console_free(g->console);
    loop_free(g->loop);
    return code;
}

// What the command line says.
struct arguments {
    struct common_options common;
    const char *variant, *seat, *state, *record;
    bool automatic, resume, real_time;
    uint64_t seed;
    int level;
    // Settings that --seed, --state and --variant stand for.
    char seed_setting[40], state_setting[PATH_SIZE + 16], variant_setting[64];
    char preset_setting[PRESET_VALUES_MAX][64];
    char columns_setting[24], rows_setting[24];
};

void cmd_play_games(void)
{
    printf(
        "\nGames for --variant; a word such as \"; size=13\" after the name changes one (a house "
        "rule\nto keep goes into the settings: house.game1):\n");
    for (size_t i = 0; i < variant_table_count; i++)
        printf("  %-20s %s\n", variant_table[i].name, variant_table[i].title);
    printf("Those for more than two colours need stones.colour3 and 4 set. In Pentago the arm "
           "lays\nthe robot's marble and asks a person to turn the block.\n");
}

static enum exit_code parse(struct arguments *a, int argc, char **argv)
{
    const struct command *command = options_find_command("play");
    const struct option_row rows[] = {
        {"auto", NULL, "a simulated person plays too (with --sim)", OPTION_FLAG, &a->automatic, 0,
         0},
        {"variant", "NAME", "the game: keryo, \"pente; size=13\", …", OPTION_TEXT, &a->variant, 0,
         0},
        {"level", "N", "the robot's strength, 1 to 10 (engine.level)", OPTION_NUMBER, &a->level, 1,
         10},
        {"seat", "SEAT", "the robot's: first, second, alternate, both, none", OPTION_TEXT, &a->seat,
         0, 0},
        {"seed", "N", "seed of everything random", OPTION_SEED, &a->seed, 0, 0},
        {"record", "DIR", "write a session for `tessera replay`", OPTION_TEXT, &a->record, 0, 0},
        {"resume", NULL, "go on with the unfinished game", OPTION_FLAG, &a->resume, 0, 0},
        {"state", "DIR", "where the game is kept (paths.state)", OPTION_TEXT, &a->state, 0, 0},
        {"real-time", NULL, "with --auto: as slowly as it really is", OPTION_FLAG, &a->real_time, 0,
         0},
        {0},
    };
    enum exit_code code;
    *a = (struct arguments){.seed = UINT64_MAX};
    if (options_parse(command, rows, &a->common, argc, argv, &code) < 0)
        return code == EXIT_DONE ? EXIT_HELPED : code;
    return EXIT_DONE;
}

// By --sim, or because the settings say so.
static bool simulated(const struct settings *settings)
{
    return settings->camera.source == SETTINGS_CAMERA_SIM;
}

// Adds what a preset says of board and stones, unless the settings say something of that
// themselves.
static bool add_preset(struct arguments *a, const struct settings *settings,
                       const struct preset *preset)
{
    struct settings usual;
    settings_default(&usual);
    for (int i = 0; i < PRESET_VALUES_MAX && preset->value[i][0]; i++) {
        const struct schema_key *key = schema_find(preset->value[i][0]);
        if (strcmp(key->key, "game.variant") != 0 && !value_equal(key, settings, &usual))
            return false;
    }
    for (int i = 0; i < PRESET_VALUES_MAX && preset->value[i][0]; i++) {
        if (strcmp(preset->value[i][0], "game.variant") == 0)
            continue; // that is settled, perhaps with words after its name
        snprintf(a->preset_setting[i], sizeof a->preset_setting[i], "%s=%s", preset->value[i][0],
                 preset->value[i][1]);
        options_add_set(&a->common, a->preset_setting[i]);
    }
    return true;
}

// A game that isn't the settings' own: board and stones must fit this one. The simulated table
// brings the board that it needs, where the settings name no other.
static void set_game(struct arguments *a, const struct settings *settings, const char *name,
                     unsigned size)
{
    const struct settings_board *b = &settings->board;
    snprintf(a->variant_setting, sizeof a->variant_setting, "game.variant=%.*s; size=%u",
             VARIANT_NAME_MAX - 1, name, size);
    options_add_set(&a->common, a->variant_setting);
    bool sim = a->common.sim || simulated(settings);
    if (!sim || b->columns != BOARD_SIZE_MAX || b->rows != BOARD_SIZE_MAX)
        return;
    if (strcmp(name, "pentago") == 0 && add_preset(a, settings, preset_find("pentago-board")))
        return;
    snprintf(a->columns_setting, sizeof a->columns_setting, "board.columns=%u", size);
    snprintf(a->rows_setting, sizeof a->rows_setting, "board.rows=%u", size);
    options_add_set(&a->common, a->columns_setting);
    options_add_set(&a->common, a->rows_setting);
}

static enum exit_code choose_game(struct arguments *a, const struct settings *settings)
{
    const struct command *command = options_find_command("play");
    const struct schema_key *lines = schema_find("board.columns");
    struct variant variant;
    struct error err;
    if (settings_variant(settings, a->variant, &variant, &err) < 0)
        return options_usage(command, "%s", err.text);
    if (variant.size < lines->min || variant.size > lines->max)
        return options_usage(command,
                             "%s on %u x %u points: the boards this robot plays on have %g to %g "
                             "lines each way",
                             variant.name, variant.size, variant.size, lines->min, lines->max);
    set_game(a, settings, variant.name, variant.size);
    return EXIT_DONE;
}

// Settings and the folder of the state; what an unfinished game was played with is added first.
static enum exit_code load(struct arguments *a, struct settings *ret, char *folder, size_t size)
{
    struct error err;
    struct robot_log_past past = {0};
    if (a->state) {
        snprintf(a->state_setting, sizeof a->state_setting, "paths.state=%.4000s", a->state);
        options_add_set(&a->common, a->state_setting);
    }
    // A game other than the settings' own may be the very one for their board.
    enum exit_code code = options_values(&a->common, ret);
    if (code != EXIT_DONE)
        return code;
    int r = paths_state(ret, folder, size);
    if (r < 0)
        return options_fail(
            &(struct error){.number = r, .text = "there is no folder for the state: use --state."});
    if (a->resume && look_back(folder, a->common.sim || simulated(ret), &past, &err) < 0)
        return options_fail(&err);
    if (past.open) {
        a->common.sim = a->common.sim || past.game.sim;
        a->automatic = past.game.automatic;
        a->seed = past.game.seed;
        if (past.game.size)
            set_game(a, ret, past.game.variant, past.game.size);
    } else if (a->variant) {
        code = choose_game(a, ret);
        if (code != EXIT_DONE)
            return code;
    }
    if (a->seed != UINT64_MAX) {
        snprintf(a->seed_setting, sizeof a->seed_setting, "sim.seed=%llu",
                 (unsigned long long)a->seed);
        options_add_set(&a->common, a->seed_setting);
    }
    return options_settings(&a->common, ret);
}

enum exit_code cmd_play(int argc, char **argv)
{
    struct arguments a;
    struct settings settings;
    struct error err;
    char folder[PATHS_MAX];
    enum exit_code code = parse(&a, argc, argv);
    struct variant variant;
    char rules[VARIANT_TEXT_MAX];
    if (code == EXIT_DONE)
        code = load(&a, &settings, folder, sizeof folder);
    if (code == EXIT_DONE &&
        settings_variant(&settings, a.variant ? a.variant : settings.game.variant, &variant, &err) <
            0)
        code = options_usage(options_find_command("play"), "%s", err.text);
    if (code != EXIT_DONE)
        return code == EXIT_HELPED ? EXIT_DONE : code;
    bool sim = simulated(&settings);
    if (a.automatic && !sim)
        return options_usage(options_find_command("play"),
                             "--auto needs the simulated table: add --sim");
    (void)variant_format(&variant, rules, sizeof rules); // always fits
    struct table_game game = {.seed = (uint64_t)settings.sim.seed};
    struct play_options options = {
        .settings = &settings,
        .variant = rules,
        .automatic = a.automatic,
        .fast = sim && a.automatic && !a.real_time,
        .level = a.level ? a.level : settings.engine.level,
        .seed = game.seed,
        .state = folder,
        .record = a.record,
        .resume = a.resume,
    };
    if (parse_seats(a.seat, &settings, &options.seats, &err) < 0)
        return options_fail(&err);
    const struct console_options console = {.json = a.common.json,
                                            .quiet = a.common.quiet,
                                            .verbose = a.common.verbose,
                                            .interactive = !a.automatic,
                                            .only_typed = !a.automatic && sim};
    return run_game(&game, &options, &console, options.fast);
}
