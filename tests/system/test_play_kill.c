// SIGKILL at random moments, and `tessera play --resume` goes on with the same game each
// time.
//
// The rules daemon's journal must only ever grow: the moves of a game after a kill begin with the
// moves before it. When a game ends before all kills are spent, another one is begun.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "config/base/rng.h"
#include "tests/system/program.h"

enum { MOVES_MAX = 400, RUN_SECONDS = 400, TOLD_SHOWN = 700 };

struct journal_moves {
    char game[16];
    int count;
    char move[MOVES_MAX][16];
};

static char folder[] = "/tmp/tessera-kill-XXXXXX";

// The moves of the newest game in the daemon's journal; whole lines only.
static void read_journal(struct journal_moves *ret)
{
    char path[64], line[8192];
    memset(ret, 0, sizeof *ret);
    snprintf(path, sizeof path, "%s/games/journal.jsonl", folder);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        json_t *entry = json_loads(line, 0, NULL);
        const char *what = entry ? json_string_value(json_object_get(entry, "do")) : NULL;
        const char *game = entry ? json_string_value(json_object_get(entry, "game")) : NULL;
        const char *move = entry ? json_string_value(json_object_get(entry, "move")) : NULL;
        if (what && game && strcmp(what, "new") == 0) {
            ret->count = 0;
            snprintf(ret->game, sizeof ret->game, "%s", game);
        } else if (what && move && strcmp(what, "play") == 0) {
            assert_true(ret->count < MOVES_MAX);
            snprintf(ret->move[ret->count++], sizeof ret->move[0], "%s", move);
        }
        json_decref(entry);
    }
    if (f)
        fclose(f);
}

static bool continues(const struct journal_moves *before, const struct journal_moves *after)
{
    if (strcmp(before->game, after->game) != 0 || after->count < before->count)
        return false;
    for (int i = 0; i < before->count; i++) {
        if (strcmp(before->move[i], after->move[i]) != 0)
            return false;
    }
    return true;
}

// What the finished game's own account says must be what the journal holds.
static void check_result(const struct program *p, const struct journal_moves *journal)
{
    json_t *result = json_loads(p->said, 0, NULL);
    assert_non_null(result);
    assert_string_equal(json_string_value(json_object_get(result, "game")), journal->game);
    json_t *moves = json_object_get(result, "moves");
    assert_int_equal(json_array_size(moves), journal->count);
    for (int i = 0; i < journal->count; i++)
        assert_string_equal(json_string_value(json_array_get(moves, (size_t)i)), journal->move[i]);
    json_decref(result);
}

static void go_on_after_kills(const char *variant, int wanted)
{
    static struct journal_moves before, after;
    struct rng rng;
    int kills = 0, games = 0;
    bool fresh = true;
    rng_seed(&rng, 20);
    memset(&before, 0, sizeof before);
    while (kills < wanted || !fresh) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", 40 + games);
        const char *const begin[] = {"play",   "--sim",  "--auto",  "--level", "2",
                                     "--seed", seed,     "--state", folder,    "--variant",
                                     variant,  "--json", "--quiet", NULL};
        const char *const resume[] = {"play",    "--sim", "--auto", "--resume",
                                      "--state", folder,  "--json", NULL};
        struct program p;
        int code;
        program_start(&p, "tessera", fresh ? begin : resume);
        bool killed = kills < wanted ? program_kill_after(&p, rng_range(&rng, 0.1, 5), &code)
                                     : (code = program_wait(&p, RUN_SECONDS), false);
        read_journal(&after);
        // Killed between the game's end and the program's own, the next one begins a new game.
        bool over = !fresh && strstr(p.told, "there is no unfinished game");
        games += over;
        if (!fresh && !over && !continues(&before, &after))
            fail_msg("after kill %d the game %s with %d moves became %s with %d", kills,
                     before.game, before.count, after.game, after.count);
        if (!killed) {
            if (code != 0)
                fail_msg("it ended with %d after %d kills: … %s", code, kills,
                         p.told + (strlen(p.told) > TOLD_SHOWN ? strlen(p.told) - TOLD_SHOWN : 0));
            check_result(&p, &after);
            games++;
        }
        kills += killed;
        // Killed before this game was begun, there is nothing to go on with.
        fresh = !killed || (fresh && strcmp(before.game, after.game) == 0);
        before = after;
        program_free(&p);
    }
    print_message("%d kills in %d games\n", kills, games);
    assert_true(games > 0);
}

static void test_kill(void **state)
{
    (void)state;
    go_on_after_kills("pente", 20);
}

// There a block may have been half turned, by a person for himself or for the robot.
static void test_kill_in_pentago(void **state)
{
    (void)state;
    go_on_after_kills("pentago", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill),
                                       cmocka_unit_test(test_kill_in_pentago)};
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(folder))
        return 1;
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || r;
}
