// power-check FOLDER PROMISES: is all there that had been promised before the power was cut?
//
// FOLDER is what a file system check has brought back of the disk of power.sh: moves/,
// calibration.json, robot/. PROMISES has the promises' texts, one a line (power_work.c). Prints
// what is missing; exit 1 then, 0 if all is there, 2 if it cannot be told.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/calibration.h"
#include "tests/hil/power_daemon.h"

enum { LINE = 8192 };

static int missing;

static void lost(const char *what, const char *detail)
{
    printf("LOST %s: %s\n", what, detail);
    missing = 1;
}

static struct rules_client *open_client(const char *folder, const char *what)
{
    struct rules_client *client;
    struct error err;
    if (power_daemon_open(folder, &client, &err) < 0) {
        lost(what, err.text);
        return NULL;
    }
    return client;
}

static json_t *ask(struct rules_client *client, const char *method, json_t *params,
                   const char *what)
{
    json_t *result;
    struct error err;
    if (rules_client_call_wait(client, method, params, POWER_ANSWER_MS, &result, &err) == 0)
        return result;
    lost(what, err.text);
    return NULL;
}

// Moves in all games, and the name of the newest game ("" = none).
static long count_moves(const json_t *list, char newest[RULES_GAME_NAME_MAX])
{
    size_t i;
    json_t *game;
    long total = 0, number = 0;
    newest[0] = '\0';
    json_array_foreach(json_object_get(list, "games"), i, game)
    {
        const char *name = json_string_value(json_object_get(game, "game"));
        total += (long)json_integer_value(json_object_get(game, "ply"));
        if (name && strtol(name + 1, NULL, 10) > number) {
            number = strtol(name + 1, NULL, 10);
            snprintf(newest, RULES_GAME_NAME_MAX, "%s", name);
        }
    }
    return total;
}

// `promised` = the last game's moves, separated by blanks; the game has to begin with them.
static void check_game(const json_t *state, char *promised, const char *what)
{
    const json_t *moves = json_object_get(state, "moves");
    size_t i = 0;
    char *rest;
    for (char *move = strtok_r(promised, " \n", &rest); move; move = strtok_r(NULL, " \n", &rest)) {
        const char *there = json_string_value(json_array_get(moves, i++));
        char text[128];
        if (there && strcmp(there, move) == 0)
            continue;
        snprintf(text, sizeof text, "move %zu was %s, now it is %s", i, move,
                 there ? there : "missing");
        lost(what, text);
        return;
    }
}

// promise = "GAME TOTAL MOVE…"; GAME - = the newest.
static void check_moves(const char *folder, char *promise, const char *what)
{
    char game[RULES_GAME_NAME_MAX] = "-", newest[RULES_GAME_NAME_MAX], text[128];
    long total = 0;
    int used = 0;
    sscanf(promise, "%15s %ld%n", game, &total, &used);
    if (total == 0 && access(folder, F_OK) < 0)
        return;
    struct rules_client *client = open_client(folder, what);
    json_t *list = client ? ask(client, "game.list", json_pack("{s:i}", "limit", 500), what) : NULL;
    if (list) {
        const long there = count_moves(list, newest);
        if (there < total) {
            snprintf(text, sizeof text, "%ld moves were promised, %ld are there", total, there);
            lost(what, text);
        } else if (total > 0) {
            const char *name = strcmp(game, "-") == 0 ? newest : game;
            json_t *state = ask(client, "game.state", json_pack("{s:s}", "game", name), what);
            if (state)
                check_game(state, promise + used, what);
            json_decref(state);
        }
    }
    json_decref(list);
    rules_client_free(client);
}

// The calibration promised, or the one that was being saved when the power went.
static void check_calibration(const char *path, const char *promise)
{
    struct calibration calibration;
    struct error err;
    char text[128];
    const long long promised = strtoll(promise, NULL, 10);
    if (promised == 0 && access(path, F_OK) < 0)
        return;
    if (calibration_load(path, "power", &calibration, &err) < 0) {
        lost("calibration", err.text);
    } else if (calibration.generation < promised || calibration.generation > promised + 1) {
        snprintf(text, sizeof text, "generation %lld was promised, %lld is there", promised,
                 (long long)calibration.generation);
        lost("calibration", text);
    }
}

int main(int argc, char **argv)
{
    char moves[LINE] = "", calibration[LINE] = "", game[LINE] = "", path[4096];
    FILE *promises = argc == 3 ? fopen(argv[2], "re") : NULL;
    if (!promises || !getenv("TESSERA_BIN")) {
        fprintf(stderr, "usage: TESSERA_BIN=BIN power-check FOLDER PROMISES\n");
        return 2;
    }
    if (!fgets(moves, LINE, promises) || !fgets(calibration, LINE, promises) ||
        !fgets(game, LINE, promises)) {
        fprintf(stderr, "power-check: %s does not have three promises\n", argv[2]);
        return 2;
    }
    fclose(promises);
    snprintf(path, sizeof path, "%s/moves", argv[1]);
    check_moves(path, moves + strcspn(moves, " \n"), "moves");
    snprintf(path, sizeof path, "%s/calibration.json", argv[1]);
    check_calibration(path, calibration + strcspn(calibration, " \n"));
    snprintf(path, sizeof path, "%s/robot/games", argv[1]);
    check_moves(path, game + strcspn(game, " \n"), "game");
    return missing;
}
