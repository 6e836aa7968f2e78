// The store: what it knows survives a restart, a torn journal and a failing disk; what failed never
// happened.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/clock.h"
#include "config/base/io.h"
#include "config/base/rng.h"
#include "io_faults.h"
#include "rules/daemon/store.h"

static char folder[64];
static char path[128];

static void clean(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    assert_int_equal(system(command), 0); // NOLINT: a name made by mkdtemp
}

static int set_up(void **state)
{
    (void)state;
    // Memory where there is some: what is tested here is not the disk.
    snprintf(folder, sizeof folder, "%s/test_rulesd_store.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/" JOURNAL_FILE, folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    clean();
    return rmdir(folder);
}

static struct store *open_store(const struct io_ops *io)
{
    struct store *store;
    struct journal_settings settings = {.folder = folder, .io = io};
    struct journal_report report;
    struct error err = {0};
    assert_int_equal(store_new(&store), 0);
    if (store_open(store, &settings, &report, &err) < 0)
        print_error("%s:%d: %s\n", err.file, err.line, err.text);
    assert_int_equal(err.number, 0);
    return store;
}

// ---- everything a store knows, as text

static void describe_game(struct store *store, uint32_t number, struct writer *w)
{
    const struct game *game = store_game(store, number);
    struct summary summary;
    unsigned count;
    store_summary(store, number, &summary);
    const struct player *players = store_players(store, number, &count);
    wire_put_players(w, players, count);
    if (store_setup(store, number))
        wire_put_setup(w, &game->rules, store_setup(store, number));
    wire_put_position(w, game);
    writer_format(w, " %u %d %llu:", summary.ply, summary.result.over,
                  (unsigned long long)game_hash(game));
    for (unsigned i = 0; i < game->entries; i++)
        wire_put_move(w, &game->rules, game_move(game, i));
    writer_literal(w, "\n");
}

static void describe(struct store *store, struct writer *w)
{
    writer_cut(w, 0);
    for (uint32_t number = 1; number <= store_game_count(store); number++)
        describe_game(store, number, w);
    char name[16];
    for (uint32_t number = 1;; number++) {
        snprintf(name, sizeof name, "m%u", number);
        if (!store_find_match(store, name))
            break;
        const struct match *match = store_match(store, number);
        const struct match_game *games = store_match_games(store, number);
        writer_format(w, "m%u: %u games, %u %u, over %d, winner %u, next %u:", number, match->games,
                      match->totals[1], match->totals[2], match->over, match->winner,
                      match->next_start);
        for (unsigned i = 0; i < match->games; i++)
            writer_format(w, " %u/%u/%u/g%u", games[i].starter, games[i].winner, games[i].scores[1],
                          games[i].game);
        writer_literal(w, "\n");
    }
    assert_int_equal(w->error, 0);
}

static void assert_same(const struct writer *a, const struct writer *b)
{
    if (a->size == 0 && b->size == 0)
        return;
    if (a->size != b->size || memcmp(a->data, b->data, a->size) != 0)
        print_error("wanted:\n%.*s\ngot:\n%.*s\n", (int)a->size, a->data, (int)b->size, b->data);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

// ---- random changes

static int new_random_game(struct store *store, struct rng *rng, struct error *err)
{
    struct variant house = variant_table[rng_below(rng, (uint32_t)variant_table_count)];
    struct player players[2] = {{"Ann", 1}, {"\"Bob\"\n", 2}};
    static struct setup setup;
    struct beginning beginning = {.rules = &house, .players = players};
    beginning.player_count = rng_below(rng, 3);
    if (house.family == FAMILY_PENTE && rng_below(rng, 3) == 0) {
        assert_int_equal(variant_set(&house, "size", "9", NULL), 0);
        assert_int_equal(variant_set(&house, "title", "Small \"one\"", NULL), 0);
    }
    if (house.protocol == PROTOCOL_NONE && rng_below(rng, 3) == 0) {
        memset(&setup, 0, sizeof setup);
        setup.stone_count = 3;
        for (unsigned i = 0; i < 3; i++) {
            setup.stones[i].colour = (uint8_t)(1 + i % 2);
            setup.stones[i].at = (struct point){(int8_t)i, (int8_t)(i * 2 % 5)};
        }
        setup.ply = (uint16_t)(24 + house.seat_count);
        setup.captures[1] = 1;
        setup.stones_taken[1] = 2;
        beginning.setup = &setup;
    }
    uint32_t number;
    return store_new_game(store, &beginning, &number, err);
}

static struct move random_move(struct rng *rng, const struct game *game)
{
    static struct move moves[LEGAL_MAX];
    uint32_t kind = rng_below(rng, 100);
    if (kind < 4 || game->result.over) {
        struct move move = move_choice(kind < 1 ? MOVE_RESIGN : MOVE_DRAW);
        move.colour = (uint8_t)(1 + rng_below(rng, game->rules.colours));
        return move;
    }
    size_t count = game_legal(game, moves);
    struct move move = moves[rng_below(rng, (uint32_t)count)];
    if (move.kind == MOVE_PLACE && game_stones_due(game) == 2 && count > 1) {
        struct move other = moves[rng_below(rng, (uint32_t)count)];
        if (other.x != move.x || other.y != move.y)
            return move_pair(0, (struct point){move.x, move.y}, (struct point){other.x, other.y});
    }
    return move;
}

// One change of any kind, not yet committed. 0, or the store's refusal.
static int change_something(struct store *store, struct rng *rng, struct error *err)
{
    uint32_t games = store_game_count(store), kind = rng_below(rng, 100);
    enum reason reason;
    struct effect effect;
    uint32_t number;
    if (games == 0 || kind < 4)
        return new_random_game(store, rng, err);
    if (kind < 6) {
        struct match match;
        match_init(&match, kind & 1 ? MATCH_POINTS : MATCH_WINS, 3);
        return store_new_match(store, &match, &number, err);
    }
    if (kind < 9 && (number = store_find_match(store, "m1")) != 0) {
        struct match_game played = {.scores = {0, 1, 0, 0, 0}};
        played.winner = (uint8_t)rng_below(rng, 3);
        played.game = rng_below(rng, games + 1);
        return store_record_match(store, number, &played, &reason, err);
    }
    number = 1 + rng_below(rng, games);
    const struct game *game = store_game(store, number);
    if (kind < 15 && game->entries > 0) {
        unsigned most = game->entries < 4 ? game->entries : 4;
        return store_undo(store, number, 1 + rng_below(rng, most), err);
    }
    if (game->result.over)
        return 0;
    return store_play(store, number, random_move(rng, game), &effect, &reason, err);
}

static void test_random_life(void **state)
{
    (void)state;
    struct writer before = {0}, after = {0};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        clean();
        struct rng rng;
        rng_seed(&rng, seed);
        struct store *store = open_store(NULL);
        for (int session = 0; session < 4; session++) {
            for (int i = 0; i < 300; i++) {
                assert_int_equal(change_something(store, &rng, NULL), 0);
                if (rng_below(&rng, 10) == 0)
                    assert_int_equal(store_commit(store, NULL), 0);
            }
            assert_int_equal(store_commit(store, NULL), 0);
            describe(store, &before);
            store_free(store);
            store = open_store(NULL);
            describe(store, &after);
            assert_same(&before, &after);
        }
        store_free(store);
    }
    writer_clear(&before);
    writer_clear(&after);
}

// The disk fails now and then: what was refused is undone exactly, what was accepted is there after
// a restart.
static void test_random_life_on_a_bad_disk(void **state)
{
    (void)state;
    struct writer before = {0}, after = {0};
    static const enum io_fault_call calls[] = {IO_WRITE, IO_FDATASYNC, IO_WRITE};
    static const int errors[] = {EIO, EIO, ENOSPC};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        clean();
        struct rng rng;
        rng_seed(&rng, seed);
        struct io_faults faults = {.write_room = INT64_MAX};
        struct io_ops io = io_faults_ops(&faults);
        struct store *store = open_store(&io);
        int failed = 0;
        describe(store, &before);
        for (int batch = 0; batch < 150; batch++) {
            for (uint32_t i = rng_below(&rng, 8); i > 0; i--)
                assert_int_equal(change_something(store, &rng, NULL), 0);
            uint32_t which = rng_below(&rng, 9);
            faults.times = which < 3;
            if (which < 3) {
                faults.call = calls[which];
                faults.error = errors[which];
                faults.after = faults.made[calls[which]];
            }
            struct error err = {0};
            if (store_commit(store, &err) < 0) {
                failed++;
                assert_true(err.code[0] != '\0');
                describe(store, &after);
                assert_same(&before, &after);
            }
            describe(store, &before);
        }
        assert_true(failed > 10);
        store_free(store);
        store = open_store(NULL);
        describe(store, &after);
        assert_same(&before, &after);
        store_free(store);
    }
    writer_clear(&before);
    writer_clear(&after);
}

// Cut at any byte, the journal gives the games as they were after some change, and the more bytes,
// the later.
static void test_every_prefix(void **state)
{
    (void)state;
    enum { CHANGES = 60 };
    static struct writer snapshots[CHANGES + 1];
    struct rng rng;
    rng_seed(&rng, 4);
    struct store *store = open_store(NULL);
    describe(store, &snapshots[0]);
    char *data;
    size_t size;
    size_t ends[CHANGES + 1] = {0};
    for (int i = 1; i <= CHANGES; i++) {
        assert_int_equal(change_something(store, &rng, NULL), 0);
        assert_int_equal(store_commit(store, NULL), 0);
        describe(store, &snapshots[i]);
        assert_int_equal(io_read_file(NULL, path, 1 << 20, &data, &ends[i], NULL), 0);
        free(data);
    }
    store_free(store);
    assert_int_equal(io_read_file(NULL, path, 1 << 20, &data, &size, NULL), 0);
    struct writer after = {0};
    int stage = 0;
    for (size_t cut = 0; cut <= size; cut += cut % 64 < 8 ? 1 : 13) {
        clean();
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(io_write_all(NULL, fd, data, cut), 0);
        close(fd);
        while (stage < CHANGES && ends[stage + 1] <= cut)
            stage++;
        store = open_store(NULL);
        describe(store, &after);
        assert_same(&snapshots[stage], &after);
        store_free(store);
    }
    for (int i = 0; i <= CHANGES; i++)
        writer_clear(&snapshots[i]);
    writer_clear(&after);
    free(data);
}

static uint32_t begin(struct store *store, const char *variant)
{
    uint32_t number = 0;
    struct beginning beginning = {.rules = variant_find(variant)};
    assert_int_equal(store_new_game(store, &beginning, &number, NULL), 0);
    return number;
}

static enum reason play(struct store *store, uint32_t number, struct move move)
{
    struct effect effect;
    enum reason reason;
    assert_int_equal(store_play(store, number, move, &effect, &reason, NULL), 0);
    return reason;
}

// More games than positions are kept: the forgotten ones are worked out again.
static void test_many_games(void **state)
{
    (void)state;
    enum { GAMES = 3 * STORE_LIVE_MAX };
    struct store *store;
    assert_int_equal(store_new(&store), 0);
    for (int i = 0; i < GAMES; i++)
        assert_int_equal(begin(store, "pente-free"), i + 1);
    for (int ply = 0; ply < 6; ply++)
        for (uint32_t number = 1; number <= GAMES; number++)
            assert_int_equal(play(store, number, move_place(0, ply * 2, (int)number % 19)), 0);
    for (uint32_t number = 1; number <= GAMES; number++) {
        assert_int_equal(store_game(store, number)->ply, 6);
        assert_int_equal(game_at(store_game(store, number), 10, (int)number % 19), 2);
    }
    assert_int_equal(store_commit(store, NULL), 0);
    store_free(store);
    assert_null(store_free(NULL));
}

// The same house rules again and again are kept once; other ones are not mistaken for them.
static void test_house_rules_are_kept_once(void **state)
{
    (void)state;
    struct store *store;
    struct summary first, summary;
    uint32_t number;
    assert_int_equal(store_new(&store), 0);
    for (int i = 0; i < 40; i++) {
        struct variant house;
        memset(&house, i, sizeof house); // what is between the fields does not count
        assert_int_equal(variant_init(&house, "pente", NULL), 0);
        assert_int_equal(variant_set(&house, "size", i < 20 ? "13" : "15", NULL), 0);
        assert_int_equal(variant_set(&house, "title", i % 2 ? "Odd" : "Even", NULL), 0);
        struct beginning beginning = {.rules = &house};
        assert_int_equal(store_new_game(store, &beginning, &number, NULL), 0);
    }
    for (uint32_t i = 1; i <= 40; i++) {
        store_summary(store, (i - 1) % 2 + 1, &first);
        store_summary(store, i, &summary);
        assert_true((summary.rules == first.rules) == (i <= 20));
        assert_int_equal(summary.rules->size, i <= 20 ? 13 : 15);
    }
    store_free(store);
}

static void test_names(void **state)
{
    (void)state;
    struct store *store;
    assert_int_equal(store_new(&store), 0);
    for (int i = 0; i < 12; i++)
        begin(store, "pente");
    assert_int_equal(store_find_game(store, "g1"), 1);
    assert_int_equal(store_find_game(store, "g12"), 12);
    static const char *const none[] = {
        "", "g", "g0", "g13", "g01", "G1", "m1", "g1x", "g1 ", "g99999999999999999999999", "1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(store_find_game(store, none[i]), 0);
    assert_int_equal(store_find_match(store, "m1"), 0);
    store_free(store);
}

static void test_find_played(void **state)
{
    (void)state;
    struct store *store;
    struct effect effect;
    static struct game game;
    assert_int_equal(store_new(&store), 0);
    uint32_t number = begin(store, "swap2-pente");
    play(store, number, move_place(1, 1, 1));
    play(store, number, move_place(2, 2, 2));
    play(store, number, move_place(0, 3, 3));
    play(store, number, move_choice(MOVE_FIRST)); // at ply 3, as the next stone
    play(store, number, move_place(2, 4, 4));
    assert_true(store_find_played(store, number, move_place(0, 1, 1), 0, &game, &effect));
    assert_int_equal(game.ply, 1);
    assert_int_equal(effect.next_colour, 2);
    assert_true(store_find_played(store, number, move_place(1, 3, 3), 2, &game, &effect));
    assert_int_equal(effect.choice_pending, 2);
    assert_false(store_find_played(store, number, move_place(2, 3, 3), 2, &game, &effect));
    assert_false(store_find_played(store, number, move_place(1, 3, 3), 1, &game, &effect));
    assert_false(store_find_played(store, number, move_place(1, 3, 4), 2, &game, &effect));
    assert_true(store_find_played(store, number, move_choice(MOVE_FIRST), 3, &game, &effect));
    assert_int_equal(game.ply, 3);
    assert_true(store_find_played(store, number, move_place(2, 4, 4), 3, &game, &effect));
    assert_int_equal(game.ply, 4);
    assert_false(store_find_played(store, number, move_place(0, 5, 5), 4, &game, &effect));
    store_free(store);
}

// A journal whose moves the rules refuse (a mended rule, a hand): that game ends there and says so,
// the others are not touched.
static void test_illegal_journal(void **state)
{
    (void)state;
    static const char *const members[] = {
        "\"do\":\"new\",\"game\":\"g1\",\"variant\":\"pente\",\"options\":{}",
        "\"do\":\"new\",\"game\":\"g2\",\"variant\":\"pente\",\"options\":{}",
        "\"do\":\"play\",\"game\":\"g1\",\"ply\":0,\"move\":\"K10\"",
        "\"do\":\"play\",\"game\":\"g1\",\"ply\":1,\"move\":\"K10\"",
        "\"do\":\"play\",\"game\":\"g2\",\"ply\":0,\"move\":\"K10\"",
        "\"do\":\"play\",\"game\":\"g1\",\"ply\":2,\"move\":\"K11\"",
    };
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 6; i++) {
        char line[300];
        int n = journal_line_format(line, sizeof line, i + 1, i, members[i], strlen(members[i]));
        fwrite(line, 1, (size_t)n, file);
    }
    fclose(file);
    struct store *store = open_store(NULL);
    struct summary summary;
    store_summary(store, 1, &summary);
    assert_non_null(strstr(summary.damage, "move 2"));
    assert_non_null(strstr(summary.damage, "K10"));
    assert_int_equal(summary.ply, 1);
    struct effect effect;
    enum reason reason;
    struct error err;
    assert_int_equal(store_play(store, 1, move_place(0, 3, 3), &effect, &reason, &err), -EBADMSG);
    assert_string_equal(err.code, "DamagedGame");
    assert_int_equal(store_undo(store, 1, 1, &err), -EBADMSG);
    store_summary(store, 2, &summary);
    assert_null(summary.damage);
    assert_int_equal(play(store, 2, move_place(0, 3, 3)), REASON_NONE);
    store_free(store);
}

static void test_senseless_journal(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "\"do\":\"play\",\"game\":\"g1\",\"ply\":0,\"move\":\"K10\"",
        "\"do\":\"new\",\"game\":\"g1\",\"variant\":\"penta\",\"options\":{}",
        "\"do\":\"new\",\"game\":\"g1\",\"variant\":\"pente\",\"moves\":[7]",
        "\"do\":\"new\",\"game\":\"g1\",\"variant\":\"pente\",\"setup\":7",
        "\"do\":\"dance\"",
        "\"dont\":\"new\"",
        "\"do\":\"undo\",\"game\":\"g1\",\"plies\":1",
        "\"do\":\"match-game\",\"match\":\"m1\",\"winner\":1",
        "\"do\":\"match\",\"match\":\"m1\",\"kind\":0,\"target\":-1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        clean();
        char line[300];
        int n = journal_line_format(line, sizeof line, 1, 0, lines[i], strlen(lines[i]));
        FILE *file = fopen(path, "w");
        fwrite(line, 1, (size_t)n, file);
        fclose(file);
        struct store *store;
        struct journal_settings settings = {.folder = folder};
        struct journal_report report;
        struct error err = {0};
        assert_int_equal(store_new(&store), 0);
        assert_true(store_open(store, &settings, &report, &err) < 0);
        assert_int_equal(err.line, 1);
        assert_string_equal(err.file, path);
        assert_true(err.text[0] != '\0');
        store_free(store);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct store *store;
    struct error err;
    struct effect effect;
    enum reason reason;
    assert_int_equal(store_new(&store), 0);
    uint32_t number = begin(store, "pente-free");
    assert_int_equal(store_undo(store, number, 1, &err), -ENOENT);
    assert_string_equal(err.code, "NothingToUndo");
    // Offering a draw again and again is remembered once; offers and moves in turns are bounded.
    struct move offer = move_choice(MOVE_DRAW);
    offer.colour = 1;
    for (int i = 0; i < 2 * STORE_MOVES_MAX; i++)
        assert_int_equal(store_play(store, number, offer, &effect, &reason, &err), 0);
    assert_int_equal(store_game(store, number)->draw_offers, 1 << 1);
    struct error refusal;
    error_set_code(&refusal, -EIO, "DiskFault", "no disk");
    store_refuse(store, &refusal);
    assert_int_equal(store_play(store, number, move_place(0, 1, 1), &effect, &reason, &err), -EIO);
    assert_string_equal(err.code, "DiskFault");
    assert_int_equal(store_game(store, number)->ply, 0);
    store_refuse(store, NULL);
    assert_int_equal(play(store, number, move_place(0, 1, 1)), REASON_NONE);
    assert_int_equal(play(store, number, move_place(0, 1, 1)), REASON_OCCUPIED);
    struct move illegal[] = {move_place(0, 0, 0), move_place(0, 0, 0)};
    struct beginning beginning = {
        .rules = variant_find("pente-free"), .moves = illegal, .move_count = 2};
    assert_int_equal(store_new_game(store, &beginning, &number, &err), -EPERM);
    assert_non_null(strstr(err.text, "Move 2"));
    assert_int_equal(store_game_count(store), 1);
    store_free(store);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_random_life), T(test_random_life_on_a_bad_disk), T(test_every_prefix),
        T(test_many_games),  T(test_house_rules_are_kept_once), T(test_names),
        T(test_find_played), T(test_illegal_journal),           T(test_senseless_journal),
        T(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
