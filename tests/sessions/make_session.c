// make_session FOLDER SEED LEVEL: records a game on the simulated table as a session small enough
// to keep in the repository: fewer pixels, stronger compression, and noise that repeats, so that an
// unchanged picture is kept once. How tests/sessions/first-game was made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/play.h"
#include "tests/sim/sim_settings.h"

static struct loop *loop;
static int result = 1;

static void on_news(void *user, enum robot_news kind, const char *text)
{
    (void)user;
    if (kind == ROBOT_NEWS_RESULT || kind == ROBOT_NEWS_TROUBLE || kind == ROBOT_NEWS_QUESTION)
        printf("%s\n", text);
}

static void on_state(void *user, enum robot_state state)
{
    (void)user, (void)state;
}

static void on_position(void *user, const struct game *game, const struct rules_effect *effect)
{
    (void)user, (void)game, (void)effect;
}

static void on_over(void *user, const struct game *game)
{
    struct play **play = user;
    printf("%d moves, %d stones captured\n", game->ply, robot_counts(play_robot(*play))->captured);
    result = 0;
    loop_exit(loop, 0);
}

static void on_ready(void *user)
{
    (void)user;
}

static void on_failed(void *user, const struct error *err)
{
    (void)user;
    printf("%s\n", err->text);
    loop_exit(loop, 1);
}

static int load_settings(const char *state, const char *seed, struct settings *ret,
                         struct error *err)
{
    char number[64];
    const char *const more[] = {number, "camera.width=576", "camera.height=324", NULL};
    snprintf(number, sizeof number, "sim.seed=%s", seed);
    return sim_settings_load(state, more, ret, err);
}

static void record_game(const struct play_options *options)
{
    struct play *play = NULL;
    struct error err;
    const struct play_events events = {.robot = {.news = on_news,
                                                 .state = on_state,
                                                 .position = on_position,
                                                 .over = on_over,
                                                 .user = &play},
                                       .ready = on_ready,
                                       .failed = on_failed};
    if (loop_new_virtual(0, &loop) < 0)
        return;
    if (play_new(loop, options, &events, &play, &err) < 0)
        printf("%s\n", err.text);
    else
        loop_run(loop);
    play_free(play);
    loop_free(loop);
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct error err;
    char state[] = "/tmp/tessera-session-XXXXXX";
    if (argc != 4 || !mkdtemp(state)) {
        fprintf(stderr, "usage: make_session FOLDER SEED LEVEL\n");
        return 2;
    }
    if (load_settings(state, argv[2], &settings, &err) < 0)
        return printf("%s\n", err.text), 1;
    struct table_setup table;
    devices_table_setup(&settings, &table);
    table.camera.jpeg_quality = 45;
    table.camera.noise_frames = 1;
    const struct play_options options = {
        .settings = &settings,
        .variant = "pente",
        .seats = PLAY_ROBOT_SECOND,
        .automatic = true,
        .fast = true,
        .level = atoi(argv[3]),
        .seed = (uint64_t)atoi(argv[2]),
        .state = state,
        .table = &table,
        .record = argv[1],
    };
    record_game(&options);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", state);
    return system(command) || result;
}
