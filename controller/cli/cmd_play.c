// tessera play: a game on the table.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/log.h"
#include "controller/cli/commands.h"
#include "controller/cli/console.h"
#include "controller/play.h"

enum { PATH_SIZE = 4096 };

struct table_game {
    struct loop *loop;
    struct console *console;
    struct play *play;
    uint64_t seed;
    struct error error; // why it ended early
};

static void on_stopped(void *user)
{
    struct table_game *g = user;
    if (g->play && play_robot(g->play))
        robot_stop(play_robot(g->play), "the program is left");
    log_notice("stopped. `tessera play --resume` goes on with this game.");
    loop_exit(g->loop, EXIT_STOPPED);
}

static void on_ready(void *user)
{
    struct table_game *g = user;
    console_set_play(g->console, g->play);
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
        {"first", PLAY_ROBOT_FIRST},
        {"second", PLAY_ROBOT_SECOND},
        {"both", PLAY_ROBOT_BOTH},
        {"none", PLAY_ROBOT_NONE},
    };
    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, text) == 0) {
            *ret = names[i].seats;
            return 0;
        }
    }
    if (text)
        return error_set(err, -EINVAL,
                         "--seat is the robot's: first, second, both or none, not "
                         "\"%s\".",
                         text);
    *ret = settings->game.robot == SETTINGS_SEAT_FIRST ? PLAY_ROBOT_FIRST : PLAY_ROBOT_SECOND;
    return 0;
}

// A game is resumed on the table it was played on.
static int look_back(const char *state, struct robot_log_game *ret, struct error *err)
{
    char folder[PATH_SIZE];
    struct robot_log *log;
    struct robot_log_past past;
    snprintf(folder, sizeof folder, "%.4000s/robot", state);
    int r = robot_log_open(folder, &log, &past, err);
    if (r < 0)
        return r;
    robot_log_free(log);
    if (!past.open)
        return error_set(err, -ENOENT, "there is no unfinished game to go on with in %s.", state);
    *ret = past.game;
    if (past.step_open && past.step[0])
        log_notice("the robot was interrupted while %s; it will look what came of it.", past.step);
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

enum exit_code cmd_play(int argc, char **argv)
{
    const struct command *command = options_find_command("play");
    struct common_options common;
    struct play_options options = {0};
    const char *variant = NULL, *seat = NULL, *state = NULL, *record = NULL;
    bool real_time = false;
    uint64_t seed = UINT64_MAX;
    int level = 0;
    const struct option_row rows[] = {
        {"auto", NULL, "a simulated person plays too (with --sim)", OPTION_FLAG, &options.automatic,
         0, 0},
        {"variant", "NAME", "the game: pente, keryo-pente, …", OPTION_TEXT, &variant, 0, 0},
        {"level", "N", "the robot's strength, 1 to 10", OPTION_NUMBER, &level, 1, 10},
        {"seat", "SEAT", "the robot's seat: first, second, both, none", OPTION_TEXT, &seat, 0, 0},
        {"seed", "N", "seed of everything random", OPTION_SEED, &seed, 0, 0},
        {"record", "DIR", "write a session for `tessera replay`", OPTION_TEXT, &record, 0, 0},
        {"resume", NULL, "go on with the unfinished game", OPTION_FLAG, &options.resume, 0, 0},
        {"state", "DIR", "folder of journals and world", OPTION_TEXT, &state, 0, 0},
        {"real-time", NULL, "with --auto: as slowly as it really is", OPTION_FLAG, &real_time, 0,
         0},
        {0},
    };
    enum exit_code code;
    int first = options_parse(command, rows, &common, argc, argv, &code);
    if (first < 0)
        return code;
    if (first < argc)
        return options_usage(command, "play takes no argument such as \"%s\"", argv[first]);

    struct settings settings;
    struct error err;
    struct robot_log_game past = {0};
    char folder[PATH_SIZE], seed_setting[40], state_setting[PATH_SIZE];
    if (state) {
        snprintf(state_setting, sizeof state_setting, "paths.state=%.4000s", state);
        options_add_set(&common, state_setting);
    }
    if (options.resume) {
        code = options_settings(&common, &settings);
        if (code != EXIT_DONE)
            return code;
        if (options_state_folder(&settings, folder, sizeof folder, &err) < 0 ||
            look_back(folder, &past, &err) < 0)
            return options_fail(&err);
        common.sim = common.sim || past.sim;
        options.automatic = past.automatic;
        seed = past.seed;
    }
    if (options.automatic && !common.sim)
        return options_usage(command, "--auto needs the simulated table: add --sim");
    if (seed != UINT64_MAX) {
        snprintf(seed_setting, sizeof seed_setting, "sim.seed=%llu", (unsigned long long)seed);
        options_add_set(&common, seed_setting);
    }
    code = options_settings(&common, &settings);
    if (code != EXIT_DONE)
        return code;
    if (options_state_folder(&settings, folder, sizeof folder, &err) < 0 ||
        parse_seats(seat, &settings, &options.seats, &err) < 0)
        return options_fail(&err);

    bool virtual_clock = common.sim && options.automatic && !real_time;
    struct table_game game = {.seed = seed == UINT64_MAX ? (uint64_t)settings.sim.seed : seed};
    options.settings = &settings;
    options.variant = variant ? variant : settings.game.variant;
    options.level = level ? level : settings.engine.level;
    options.seed = game.seed;
    options.state = folder;
    options.record = record;
    options.fast = virtual_clock;
    const struct console_options console = {.json = common.json,
                                            .quiet = common.quiet,
                                            .verbose = common.verbose,
                                            .interactive = !options.automatic};
    return run_game(&game, &options, &console, virtual_clock);
}
