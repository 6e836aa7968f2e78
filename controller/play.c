#include "controller/play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/io.h"
#include "config/calibration.h"
#include "config/paths.h"
#include "controller/attendant.h"
#include "controller/player_board.h"
#include "controller/player_engine.h"
#include "controller/player_sim.h"
#include "rules/notation.h"

enum { PATH_SIZE = 4096 };

struct play {
    struct loop *loop;
    struct play_options options;
    struct play_events events;
    char state[PATH_SIZE], record[PATH_SIZE];
    struct devices devices;
    bool devices_open;
    struct robot_log *log;
    struct robot_log_past past;
    struct referee *referee;
    struct recorder *recorder;
    struct attendant *attendant;
    char note[ERROR_TEXT_MAX];
    char calibration[PATHS_MAX];
    bool calibrated;
    struct player players[SEATS_MAX];
    struct robot *robot;
};

// --- players ---

static unsigned robot_seats(const struct play *p, const struct variant *rules)
{
    switch (p->options.seats) {
    case PLAY_ROBOT_FIRST:
        return 1;
    case PLAY_ROBOT_SECOND:
        return 2;
    case PLAY_ROBOT_BOTH:
        return (1u << rules->seat_count) - 1;
    case PLAY_ROBOT_ALTERNATE: // than in the game before, whoever has played in it
        return p->past.game.robot_seats == 2 ? 1 : 2;
    case PLAY_ROBOT_NONE:
        break;
    }
    return 0;
}

static struct engine_options engine_of(const struct play *p, uint64_t seed)
{
    const struct settings_engine *s = &p->options.settings->engine;
    struct engine_options e = {.command = s->command, .level = p->options.level, .seed = seed};
    e.threads = p->options.fast ? 1 : s->threads;
    e.hash = s->hash;
    e.gomocup = s->protocol != SETTINGS_ENGINE_GTP;
    // The strongest level has no bound of its own; the others play by theirs and are then the same
    // on a slow machine and on a fast one.
    bool timed = !p->options.fast || p->options.level >= 10 || (s->command[0] != 0);
    e.move_time = timed ? s->move_time : 0;
    return e;
}

static void on_player_move(void *user, unsigned seat, struct move move)
{
    struct play *p = user;
    robot_on_player_move(p->robot, seat, move);
}

static void on_player_failed(void *user, unsigned seat, const struct error *err)
{
    struct play *p = user;
    robot_on_player_failed(p->robot, seat, err);
}

static int make_player(struct play *p, unsigned seat, bool robot, struct error *err)
{
    const struct settings *s = p->options.settings;
    struct player *ret = &p->players[seat - 1];
    const struct player_events events = {
        .move = on_player_move, .failed = on_player_failed, .user = p};
    struct engine_options engine = engine_of(p, p->options.seed + seat);
    if (robot)
        return player_engine_new(p->loop, &engine, seat, &events, ret, err);
    if (!p->devices.table)
        return player_board_new("you", ret, err);
    engine.command = "";
    engine.threads = 1;
    const struct player_sim_options sim = {
        .table = p->devices.table,
        .engine = p->options.automatic ? &engine : NULL,
        .lifts = s->game.lifter == SETTINGS_LIFTER_PERSON,
        .seat = seat,
        .events = events,
    };
    return player_sim_new(p->loop, &sim, ret, err);
}

// --- the robot's news, on their way to the user ---

static void on_state(void *user, enum robot_state state)
{
    struct play *p = user;
    if (p->attendant)
        attendant_on_state(p->attendant, p->robot, state);
    p->events.robot.state(p->events.robot.user, state);
}

static void on_news(void *user, enum robot_news kind, const char *text)
{
    struct play *p = user;
    p->events.robot.news(p->events.robot.user, kind, text);
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    struct play *p = user;
    p->events.robot.position(p->events.robot.user, game, effect);
}

static void on_confirmed(void *user, const struct game *game)
{
    struct play *p = user;
    if (p->events.robot.confirmed)
        p->events.robot.confirmed(p->events.robot.user, game);
}

static void on_over(void *user, const struct game *game)
{
    struct play *p = user;
    p->events.robot.over(p->events.robot.user, game);
}

static void fail(struct play *p, const struct error *err)
{
    p->events.failed(p->events.robot.user, err);
}

static void on_gave_up(void *user)
{
    struct play *p = user;
    struct error err;
    error_set_code(&err, -ENOTRECOVERABLE, "NeedsHelp",
                   "the robot needs help that nobody is there to give. `tessera play --resume` "
                   "goes on with this game.");
    fail(p, &err);
}

static void on_helper_does(void *user, const char *what)
{
    on_news(user, ROBOT_NEWS_DOING, what);
}

// --- once the rules daemon has the game ---

static int note_game(struct play *p, unsigned seats, struct error *err)
{
    struct robot_log_game game = {.robot_seats = seats,
                                  .level = p->options.level,
                                  .seed = p->options.seed,
                                  .sim = p->devices.table != NULL,
                                  .automatic = p->options.automatic};
    snprintf(game.game, sizeof game.game, "%s", referee_state(p->referee)->game);
    snprintf(game.variant, sizeof game.variant, "%s", referee_game(p->referee)->rules.name);
    game.size = referee_game(p->referee)->rules.size;
    return robot_log_begin(p->log, &game, err);
}

static int open_recorder(struct play *p, struct error *err)
{
    if (!p->record[0])
        return 0;
    const struct recorder_setup setup = {
        .settings = p->options.settings,
        .game = referee_game(p->referee),
        .players = p->players,
        .gpio = p->devices.has_gpio ? &p->devices.gpio : NULL,
        .calibration = p->calibrated ? p->calibration : NULL,
        .fast = p->options.fast,
        .resumed = p->options.resume,
        .fallen = p->options.resume ? p->past.fallen : 0,
        .pending = p->options.resume ? p->past.pending : NULL,
        .changed = p->options.resume && p->past.changed,
    };
    return recorder_new(p->loop, p->record, &setup, &p->recorder, err);
}

static int seat_everybody(struct play *p, unsigned seats, struct error *err)
{
    for (unsigned seat = 1; seat <= referee_game(p->referee)->rules.seat_count; seat++) {
        int r = make_player(p, seat, seats >> (seat - 1) & 1, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int set_up(struct play *p, struct error *err)
{
    unsigned seats = p->options.resume ? p->past.game.robot_seats
                                       : robot_seats(p, &referee_game(p->referee)->rules);
    int r = p->options.resume
                ? robot_log_settle_undo(p->log, &p->past, referee_game(p->referee)->entries, err)
                : note_game(p, seats, err);
    if (r == 0)
        r = seat_everybody(p, seats, err);
    if (r == 0)
        r = open_recorder(p, err);
    const struct robot_options options = {
        .loop = p->loop,
        .settings = p->options.settings,
        .devices = &p->devices,
        .referee = p->referee,
        .log = p->log,
        .recorder = p->recorder,
        .players = p->players,
        .resumed = p->options.resume,
        .fallen = p->options.resume ? p->past.fallen : 0,
        .pending = p->options.resume ? p->past.pending : NULL,
        .changed = p->options.resume && p->past.changed,
        .fast = p->options.fast,
    };
    const struct robot_events events = {.news = on_news,
                                        .state = on_state,
                                        .position = on_position,
                                        .confirmed = on_confirmed,
                                        .over = on_over,
                                        .user = p};
    if (r == 0 && p->devices.table) {
        const struct attendant_events helper = {
            .does = on_helper_does, .gave_up = on_gave_up, .user = p};
        r = attendant_new(p->loop, p->devices.table, p->options.automatic, &helper, &p->attendant);
        if (r < 0)
            error_set(err, r, "no attendant: %s.", strerror(-r));
    }
    return r == 0 ? robot_new(&options, &events, &p->robot, err) : r;
}

static void on_game(void *user, const struct rules_effect *effect, const struct error *err)
{
    (void)effect;
    struct play *p = user;
    struct error own;
    if (!err && set_up(p, &own) < 0)
        err = &own;
    if (err) {
        fail(p, err);
        return;
    }
    p->events.ready(p->events.robot.user);
    robot_start(p->robot);
}

// --- making ---

static int path_in(const struct play *p, const char *name, char ret[PATH_SIZE], struct error *err)
{
    int n = snprintf(ret, PATH_SIZE, "%s/%s", p->state, name);
    return n < PATH_SIZE ? 0 : error_set(err, -ENAMETOOLONG, "the path %s is too long.", p->state);
}

// A robot that was never calibrated, or another one's figures: the settings' own have to do. What
// is damaged is refused, because somebody relies on it.
static int load_calibration(struct play *p, struct calibration *ret, bool *ret_found,
                            struct error *err)
{
    int r = paths_calibration(p->options.settings, p->calibration, sizeof p->calibration);
    r = r < 0 ? error_set(err, r, "there is no folder for the calibration: set paths.state.")
              : calibration_load(p->calibration, p->options.settings->machine.name, ret, err);
    *ret_found = p->calibrated = r == 0;
    if (r < 0 && strcmp(err->code, "CalibrationOtherMachine") == 0)
        snprintf(p->note, sizeof p->note, "%s", err->text);
    return r == -ENOENT || p->note[0] ? 0 : r;
}

static int open_table(struct play *p, struct error *err)
{
    char world[PATH_SIZE];
    struct calibration calibration;
    bool calibrated = false;
    int r = path_in(p, "table.world", world, err);
    if (r == 0)
        r = load_calibration(p, &calibration, &calibrated, err);
    if (r < 0)
        return r;
    if (!p->options.resume && unlink(world) < 0 && errno != ENOENT)
        return error_set(err, -errno, "%s can't be removed: %s.", world, strerror(errno));
    r = devices_open_on(p->loop, p->options.settings, calibrated ? &calibration : NULL, DEVICES_ALL,
                        world, p->options.table, &p->devices, err);
    p->devices_open = r == 0;
    return r;
}

static int open_referee(struct play *p, struct error *err)
{
    char journal[PATH_SIZE];
    int r = path_in(p, "games", journal, err);
    const char *socket = p->options.settings->rules.socket;
    const struct rules_client_settings settings = {
        .socket = socket[0] ? socket : NULL,
        .state = journal,
        .program = p->options.rulesd,
        .name = "tessera",
        .only_connect = socket[0] != 0,
        .only_spawn = socket[0] == 0,
    };
    if (r == 0)
        r = referee_new(p->loop, &settings, &p->referee, err);
    if (r < 0)
        return r;
    r = p->options.resume ? referee_continue(p->referee, p->past.game.game, on_game, p)
                          : referee_begin(p->referee, p->options.variant, NULL, 0, on_game, p);
    return r < 0 ? error_set(err, r, "the game can't be begun: %s.", strerror(-r)) : 0;
}

// What the interrupted game was played with is what it goes on with; without one, one is begun.
static void take_past(struct play *p)
{
    p->options.resume = p->past.open;
    if (!p->past.open)
        return;
    p->options.automatic = p->past.game.automatic;
    p->options.level = p->past.game.level;
    p->options.seed = p->past.game.seed;
}

static int open_log(struct play *p, const char *folder, struct error *err)
{
    int tries = 0, r;
    do
        r = robot_log_open(folder, &p->log, &p->past, err);
    while (r == -EBUSY && robot_log_wait(folder, tries++));
    return r;
}

int play_new(struct loop *loop, const struct play_options *options,
             const struct play_events *events, struct play **ret, struct error *err)
{
    struct play *p = calloc(1, sizeof *p);
    if (!p)
        return error_set(err, -ENOMEM, "out of memory");
    p->loop = loop;
    p->options = *options;
    p->events = *events;
    snprintf(p->state, sizeof p->state, "%s", options->state);
    if (options->record)
        snprintf(p->record, sizeof p->record, "%s", options->record);
    char folder[PATH_SIZE];
    int r = io_make_folder(p->state, 0700, err);
    if (r == 0)
        r = path_in(p, "robot", folder, err);
    if (r == 0)
        r = open_log(p, folder, err);
    if (r == 0 && options->resume)
        take_past(p);
    if (r == 0)
        r = open_table(p, err);
    if (r == 0 && p->options.automatic && !p->devices.table)
        r = error_set(err, -EINVAL, "--auto needs the simulated table: add --sim.");
    if (r == 0)
        r = open_referee(p, err);
    if (r < 0) {
        play_free(p);
        return r;
    }
    *ret = p;
    return 0;
}

struct play *play_free(struct play *p)
{
    if (!p)
        return NULL;
    robot_free(p->robot);
    for (int i = 0; i < SEATS_MAX; i++)
        player_free(&p->players[i]);
    attendant_free(p->attendant);
    referee_free(p->referee);
    recorder_free(p->recorder);
    if (p->devices_open)
        devices_close(&p->devices);
    robot_log_free(p->log);
    free(p);
    return NULL;
}

struct robot *play_robot(struct play *p)
{
    return p->robot;
}

const struct game *play_game(const struct play *p)
{
    return referee_game(p->referee);
}

struct player *play_player(struct play *p, unsigned seat)
{
    return &p->players[seat - 1];
}

struct table *play_table(struct play *p)
{
    return p->devices.table;
}

const char *play_game_name(const struct play *p)
{
    return referee_state(p->referee)->game;
}

const struct robot_log_past *play_past(const struct play *p)
{
    return &p->past;
}

const char *play_note(const struct play *p)
{
    return p->note[0] ? p->note : NULL;
}

const char *play_record_trouble(const struct play *p)
{
    return recorder_trouble(p->recorder);
}

// --- words ---

// The seat a word is about: the person whose turn it is, or else the first person.
static unsigned speaker(const struct play *p)
{
    const struct game *game = referee_game(p->referee);
    unsigned seat = game_choice_pending(game) ? game_choice_pending(game) : game_next_seat(game);
    if (seat && p->players[seat - 1].at_board)
        return seat;
    for (unsigned s = 1; s <= game->rules.seat_count; s++) {
        if (p->players[s - 1].at_board)
            return s;
    }
    return 1;
}

static int say_move(struct play *p, const char *words, struct error *err)
{
    struct move move;
    unsigned seat = speaker(p);
    struct player *player = &p->players[seat - 1];
    if (!move_parse(&referee_game(p->referee)->rules, words, strlen(words), &move))
        return error_set(err, -EINVAL,
                         "\"%.40s\" is neither a %s nor a word I know; \"help\" lists them.", words,
                         referee_game(p->referee)->rules.family == FAMILY_PENTAGO
                             ? "marble and a turn such as 2/5 1R"
                             : "point such as K10");
    // The simulated hand would lay it beside the stone that lies there: read as another move.
    if (p->devices.table && move.kind == MOVE_PLACE &&
        game_at(referee_game(p->referee), move.x, move.y))
        return error_set(err, -EEXIST, "%.8s is occupied; choose an empty point.", words);
    if (robot_state(p->robot) != ROBOT_WATCHING || !player->at_board)
        return error_set(err, -EAGAIN, "it is not your turn yet.");
    if (!p->devices.table && move.kind == MOVE_PLACE)
        return error_set(err, -EINVAL, "put your stone on the board; the camera sees it.");
    if (!p->devices.table) {
        robot_on_player_move(p->robot, seat, move);
        return 0;
    }
    int r = player_sim_type(player, move);
    if (r == -EPERM)
        return error_set(err, r, "it is not your turn yet.");
    if (r == -EBUSY)
        return error_set(err, r, "the hand is still busy.");
    return r < 0 ? error_set(err, r, "that can't be done: %s.", strerror(-r)) : 0;
}

static int on_rules_answer(int r, struct error *err)
{
    if (r == -EBUSY)
        return error_set(err, r, "just a moment: the rules daemon is being asked something else.");
    if (r == -ESTALE)
        return error_set(err, r,
                         "the rules daemon has not told yet what became of the last request; say "
                         "it again when the robot goes on.");
    if (r == -EPERM)
        return error_set(err, r, "too late: the stones are being put away.");
    if (r == -EALREADY)
        return error_set(err, r, "the game is over already.");
    if (r == -ENODATA)
        return error_set(err, r, "there is nothing to take back.");
    return r < 0 ? error_set(err, r, "that can't be done: %s.", strerror(-r)) : 0;
}

int play_say(struct play *p, const char *words, struct error *err)
{
    if (!p->robot)
        return error_set(err, -EAGAIN, "the game has not begun yet.");
    if (strcmp(words, "undo") == 0)
        return on_rules_answer(robot_undo(p->robot, speaker(p)), err);
    if (strcmp(words, "resign") == 0)
        return on_rules_answer(robot_resign(p->robot, speaker(p)), err);
    if (strcmp(words, "draw") == 0)
        return on_rules_answer(robot_offer_draw(p->robot, speaker(p)), err);
    if (strcmp(words, "done") == 0)
        robot_press_done(p->robot);
    else if (strcmp(words, "start") == 0)
        robot_reset(p->robot);
    else if (strcmp(words, "stop") == 0)
        robot_stop(p->robot, "somebody typed \"stop\"");
    else if (strcmp(words, "retry") == 0)
        robot_retry(p->robot);
    else if (strcmp(words, "tidy") == 0)
        robot_tidy(p->robot);
    else
        return say_move(p, words, err);
    return 0;
}
