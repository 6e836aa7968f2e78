// power-table ROBOT [behind]: the simulated table as a robot finds it after a power cut. ROBOT is
// its state folder. A table doesn't forget when a computer loses its power: the stones lie as the
// game in the rules daemon's journal says. With `behind`, the robot had not yet laid its last
// stone. Exit 3: that game is over.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/loop.h"
#include "controller/sim/table.h"
#include "tests/hil/power_daemon.h"

enum { ROBOT_COLOUR = 2, SEED = 7, GAME_OVER = 3 };

static _Noreturn void give_up(const char *what, const char *detail)
{
    fprintf(stderr, "power-table: %s: %s\n", what, detail);
    exit(1);
}

static json_t *ask(struct rules_client *client, const char *method, json_t *params)
{
    json_t *result;
    struct error err;
    if (rules_client_call_wait(client, method, params, POWER_ANSWER_MS, &result, &err) < 0)
        give_up(method, err.text);
    return result;
}

// The state of the newest game.
static json_t *newest_game(const char *robot)
{
    char folder[4096], name[RULES_GAME_NAME_MAX] = "";
    struct rules_client *client;
    struct error err;
    snprintf(folder, sizeof folder, "%s/games", robot);
    if (power_daemon_open(folder, &client, &err) < 0)
        give_up(folder, err.text);
    json_t *list = ask(client, "game.list", json_object()), *game;
    size_t i;
    json_array_foreach(json_object_get(list, "games"), i, game)
    {
        const char *other = json_string_value(json_object_get(game, "game"));
        if (other && strtol(other + 1, NULL, 10) > (*name ? strtol(name + 1, NULL, 10) : 0))
            snprintf(name, sizeof name, "%s", other);
    }
    json_decref(list);
    json_t *state = ask(client, "game.state", json_pack("{s:s}", "game", name));
    rules_client_free(client);
    return state;
}

// The column and row of the last move, when the robot made it.
static bool robot_moved_last(const json_t *state, int *ret_column, int *ret_row)
{
    const json_t *moves = json_object_get(state, "moves");
    const size_t n = json_array_size(moves);
    const char *move = json_string_value(json_array_get(moves, n - 1));
    if (n % ROBOT_COLOUR != 0 || !move || move[0] < 'A')
        return false;
    *ret_column = move[0] - 'A' - (move[0] > 'I');
    *ret_row = atoi(move + 1) - 1;
    return true;
}

static void lay_stones(struct table *table, const json_t *state, bool behind)
{
    const json_t *rows = json_object_get(state, "board");
    const int size = (int)json_array_size(rows);
    const struct setup_board *board = &table_setup_of(table)->board;
    int column = -1, row = -1;
    if (behind && !robot_moved_last(state, &column, &row))
        column = row = -1;
    for (int y = 0; y < size; y++) {
        const char *line = json_string_value(json_array_get(rows, (size_t)(size - 1 - y)));
        for (int x = 0; line && line[x]; x++) {
            if (line[x] == '.' || (x == column && y == row))
                continue;
            if (table_put_stone(table, line[x] - '0', x * board->pitch_x, y * board->pitch_y) < 0)
                give_up("table", "a stone cannot be laid");
        }
    }
}

int main(int argc, char **argv)
{
    char path[4096];
    struct table_setup setup;
    struct loop *loop;
    struct table *table;
    struct error err;
    if (argc < 2 || !getenv("TESSERA_BIN"))
        give_up("usage", "TESSERA_BIN=BIN power-table ROBOT [behind]");
    snprintf(path, sizeof path, "%s/table.world", argv[1]);
    if (unlink(path) < 0 && errno != ENOENT)
        give_up(path, strerror(errno));
    json_t *state = newest_game(argv[1]);
    if (!json_is_null(json_object_get(state, "result"))) {
        json_decref(state);
        return GAME_OVER;
    }
    table_setup_default(&setup);
    setup.seed = SEED;
    if (loop_new_virtual(0, &loop) < 0 || table_new(&setup, loop, path, &table, &err) < 0)
        give_up(path, err.text);
    lay_stones(table, state, argc > 2);
    table_free(table);
    loop_free(loop);
    json_decref(state);
    return 0;
}
