// power-work: the loads of power.sh. Each does what a robot does with its disk, and gives a promise
// whenever something has been called saved.
//
//     power-work moves FOLDER DEVICE      plays games through a rules daemon; its state is in
//     FOLDER power-work calibration FILE DEVICE  saves a calibration again and again power-work
//     told DEVICE              reads what `tessera play` prints: a move told is a promise
//
// A promise is a text in a sector behind DEVICE's file system (power_log.h), rewritten each time:
//     moves GAME TOTAL MOVE…              TOTAL moves in all games; those of the last game
//     calibration GENERATION
//     game - TOTAL MOVE…
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/rng.h"
#include "config/calibration.h"
#include "tests/hil/power_daemon.h"
#include "tests/hil/power_log.h"

enum { SLOT_MOVES, SLOT_CALIBRATION, SLOT_GAME };
enum { GAME_MOVES_MAX = 60, PAUSE_US = 10000 };

static int device = -1;
static char *sector;

static _Noreturn void give_up(const char *what, const char *detail)
{
    fprintf(stderr, "power-work: %s: %s\n", what, detail);
    exit(1);
}

static void open_device(const char *path)
{
    device = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
    sector = aligned_alloc(POWER_SECTOR, POWER_SECTOR);
    if (device < 0 || !sector)
        give_up(path, "cannot be written");
}

static void promise(int slot, const char *text)
{
    memset(sector, 0, POWER_SECTOR);
    snprintf(sector, POWER_SECTOR, "%s", text);
    const off_t at = (off_t)(POWER_SYSTEM_BYTES + (unsigned)slot * POWER_SECTOR);
    if (pwrite(device, sector, POWER_SECTOR, at) != POWER_SECTOR)
        give_up("promise", "not written");
}

// ---- moves

static struct rules_client *open_client(const char *folder)
{
    struct rules_client *client;
    struct error err;
    if (power_daemon_open(folder, &client, &err) < 0)
        give_up(folder, err.text);
    return client;
}

static void new_game(struct rules_client *client, char name[RULES_GAME_NAME_MAX])
{
    json_t *state;
    struct error err;
    if (rules_client_call_wait(client, "game.new", json_pack("{s:s}", "variant", "pente-free"),
                               POWER_ANSWER_MS, &state, &err) < 0)
        give_up("game.new", err.text);
    snprintf(name, RULES_GAME_NAME_MAX, "%s", json_string_value(json_object_get(state, "game")));
    json_decref(state);
}

// One game of moves anywhere; those that are refused are not counted.
static void play_game(struct rules_client *client, struct rng *rng, long *total)
{
    char game[RULES_GAME_NAME_MAX], moves[POWER_SECTOR - 64] = "", text[POWER_SECTOR];
    size_t used = 0;
    bool over = false;
    new_game(client, game);
    for (int ply = 0; ply < GAME_MOVES_MAX && !over;) {
        char move[16];
        json_t *result;
        struct error err;
        snprintf(move, sizeof move, "%c%u", "ABCDEFGHJKLMNOPQRST"[rng_below(rng, 19)],
                 rng_below(rng, 19) + 1);
        json_t *ask = json_pack("{s:s,s:s,s:i}", "game", game, "move", move, "ply", ply);
        if (rules_client_call_wait(client, "game.play", ask, POWER_ANSWER_MS, &result, &err) < 0) {
            if (strcmp(err.code, "IllegalMove") != 0)
                give_up("game.play", err.text);
            continue;
        }
        over = !json_is_null(json_object_get(json_object_get(result, "state"), "result"));
        json_decref(result);
        ply++;
        ++*total;
        used += (size_t)snprintf(moves + used, sizeof moves - used, " %s", move);
        snprintf(text, sizeof text, "moves %s %ld%s", game, *total, moves);
        promise(SLOT_MOVES, text);
        usleep(PAUSE_US); // the processor is for the game, too
    }
}

static _Noreturn void work_moves(const char *folder)
{
    struct rules_client *client = open_client(folder);
    struct rng rng;
    long total = 0;
    rng_seed(&rng, 1);
    for (;;)
        play_game(client, &rng, &total);
}

// ---- calibration

static _Noreturn void work_calibration(const char *path)
{
    struct calibration calibration;
    struct error err;
    calibration_init(&calibration, "power");
    for (;;) {
        char text[64];
        if (calibration_save(NULL, path, &calibration, &err) < 0)
            give_up(path, err.text);
        snprintf(text, sizeof text, "calibration %lld", (long long)calibration.generation);
        promise(SLOT_CALIBRATION, text);
        usleep(PAUSE_US);
    }
}

// ---- a game

static int work_told(void)
{
    char line[1024], text[POWER_SECTOR], moves[POWER_SECTOR - 64] = "";
    size_t used = 0;
    int told = 0;
    while (fgets(line, sizeof line, stdin)) {
        char point[8];
        int number;
        fputs(line, stdout);
        if (sscanf(line, " %d. %*c %*s %7[A-T0-9]", &number, point) != 2 || number != told + 1)
            continue;
        told = number;
        used += (size_t)snprintf(moves + used, sizeof moves - used, " %s", point);
        snprintf(text, sizeof text, "game - %d%s", told, moves);
        promise(SLOT_GAME, text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        give_up("usage", "power-work moves FOLDER | calibration FILE | told, and the device");
    open_device(argv[argc - 1]);
    if (strcmp(argv[1], "moves") == 0 && argc == 4)
        work_moves(argv[2]);
    if (strcmp(argv[1], "calibration") == 0 && argc == 4)
        work_calibration(argv[2]);
    if (strcmp(argv[1], "told") == 0)
        return work_told();
    give_up(argv[1], "there is no such load");
}
