// The robot's log: what one program writes, the next one reads.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/robot_log.h"

static char folder[] = "/tmp/tessera-log-XXXXXX";

static struct robot_log_past past_of(const char *path)
{
    struct robot_log *log;
    struct robot_log_past past;
    struct error err;
    if (robot_log_open(path, &log, &past, &err) < 0)
        fail_msg("%s", err.text);
    robot_log_free(log);
    return past;
}

static void test_robot_log(void **state)
{
    (void)state;
    char path[64];
    struct error err;
    struct robot_log *log, *second;
    struct robot_log_past past;
    snprintf(path, sizeof path, "%s/robot", folder);
    assert_int_equal(robot_log_look(path, &past, &err), -ENOENT);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_false(past.open);
    assert_int_equal(robot_log_open(path, &second, &past, &err), -EBUSY);
    assert_int_equal(robot_log_look(path, &past, &err), -EBUSY);
    struct robot_log_game game = {
        .game = "g7", .variant = "pente", .robot_seats = 2, .level = 3, .seed = 99, .sim = true};
    assert_int_equal(robot_log_begin(log, &game, &err), 0);
    assert_int_equal(robot_log_intent(log, "placing a red stone on \"K10\"", 2, true, &err), 0);
    robot_log_free(log);

    // Looking leaves it to the next program to note that the stone has fallen.
    assert_int_equal(robot_log_look(path, &past, &err), 0);
    assert_true(past.open && past.step_open && past.held);
    past = past_of(path);
    assert_true(past.open && past.step_open && past.held);
    assert_int_equal(past.colour, 2);
    assert_string_equal(past.step, "placing a red stone on \"K10\"");
    assert_string_equal(past.game.game, "g7");
    assert_int_equal(past.game.robot_seats, 2);
    assert_int_equal(past.game.seed, 99);
    assert_true(past.game.sim);
    assert_false(past.game.automatic);

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_done(log, false, &err), 0);
    robot_log_free(log);
    past = past_of(path);
    // The program after that lost nothing; but where the one before left its stone nobody has seen.
    assert_true(past.open && !past.step_open && !past.held);
    assert_int_equal(past.fallen, 1u << 2);
    assert_string_equal(past.pending, "");
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    robot_log_free(log);
    assert_int_equal(past_of(path).fallen, 0);

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_intent(log, "lifting the blue stone off E5", 1, false, &err), 0);
    assert_int_equal(robot_log_done(log, true, &err), 0);
    assert_int_equal(robot_log_fell(log, 1, false, &err), 0);
    assert_int_equal(robot_log_change(log, "..1..", &err), 0);
    robot_log_free(log);
    past = past_of(path);
    // Nobody has seen where it lies since, nor what of the change has been done.
    assert_true(!past.step_open && !past.held && past.changed);
    assert_int_equal(past.fallen, 1u << 1);
    assert_string_equal(past.pending, "..1..");

    // Two of two colours fell, the last while nobody knew its own; one of them was found.
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    assert_int_equal(robot_log_fell(log, 1, false, &err), 0);
    assert_int_equal(robot_log_fell(log, 0, true, &err), 0);
    assert_int_equal(robot_log_fell(log, 2, false, &err), 0);
    assert_int_equal(robot_log_found(log, 2, "1.2..", &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_int_equal(past.fallen, 1u << 1 | 1u << 0);
    assert_string_equal(past.pending, "1.2..");
    assert_false(past.changed); // the game was not

    // A line that the power cut short is put aside.
    char file[80];
    snprintf(file, sizeof file, "%s/journal.jsonl", path);
    FILE *f = fopen(file, "ae");
    fputs("{\"seq\":10,\"safe\":9,\"do\":\"end\"", f);
    fclose(f);
    past = past_of(path);
    assert_true(past.open && past.torn);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_true(past.open && !past.fallen);
    assert_string_equal(past.pending, "");
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_end(log, &err), 0);
    robot_log_free(log);
    assert_false(past_of(path).open);
}

// Stopped before it heard whether the rules took moves back: the length of the game tells.
static void test_robot_log_undo(void **state)
{
    (void)state;
    char path[64];
    struct error err;
    struct robot_log *log;
    struct robot_log_past past;
    const struct robot_log_game game = {.game = "g8", .variant = "pente", .robot_seats = 1};
    snprintf(path, sizeof path, "%s/robot", folder);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_begin(log, &game, &err), 0);
    assert_int_equal(robot_log_change(log, "1....", &err), 0);
    assert_int_equal(robot_log_undo(log, 4, "1.2..", &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_true(past.undo_open);

    struct robot_log_past refused = past;
    assert_int_equal(robot_log_open(path, &log, &refused, &err), 0);
    assert_int_equal(robot_log_settle_undo(log, &refused, 6, &err), 0);
    assert_string_equal(refused.pending, "1....");
    robot_log_free(log);
    past = past_of(path); // and the program after that need not ask
    assert_false(past.undo_open);
    assert_true(past.changed); // by the change before
    assert_string_equal(past.pending, "1....");

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_undo(log, 4, "1.2..", &err), 0);
    robot_log_free(log);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_settle_undo(log, &past, 4, &err), 0);
    assert_string_equal(past.pending, "1.2..");
    assert_int_equal(robot_log_settle_undo(log, &past, 9, &err), 0); // settled is settled
    assert_string_equal(past.pending, "1.2..");
    robot_log_free(log);
    past = past_of(path);
    assert_false(past.undo_open);
    assert_string_equal(past.pending, "1.2..");

    // Refused, it has changed nothing, and what was found before it is all there is.
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    assert_int_equal(robot_log_found(log, 1, "...1.", &err), 0);
    assert_int_equal(robot_log_undo(log, 4, "1.2..", &err), 0);
    robot_log_free(log);
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_settle_undo(log, &past, 6, &err), 0);
    robot_log_free(log);
    assert_false(past.changed);
    past = past_of(path);
    assert_false(past.changed || past.undo_open);
    assert_string_equal(past.pending, "...1.");

    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_int_equal(robot_log_undo(log, 2, "..2..", &err), 0);
    assert_int_equal(robot_log_seen(log, &err), 0);
    robot_log_free(log);
    past = past_of(path);
    assert_false(past.undo_open);
    assert_string_equal(past.pending, "");
}

// Holds the log, as what a killed program has just started does, until told to end.
static pid_t hold(const char *path, int *ret_end)
{
    int ready[2], end[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    pid_t child = fork();
    if (child == 0) {
        struct robot_log *log;
        struct robot_log_past past;
        struct error err;
        bool held = robot_log_open(path, &log, &past, &err) == 0;
        (void)!write(ready[1], &byte, 1);
        (void)!read(end[0], &byte, 1);
        _exit(!held);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    close(end[0]);
    *ret_end = end[1];
    return child;
}

static void test_robot_log_waits(void **state)
{
    (void)state;
    char path[64];
    struct error err;
    struct robot_log *log;
    struct robot_log_past past;
    snprintf(path, sizeof path, "%s/robot", folder);
    past_of(path);
    int end, status;
    pid_t child = hold(path, &end);
    assert_int_equal(robot_log_look(path, &past, &err), -EBUSY);
    assert_true(robot_log_wait(path, 0));
    assert_int_equal(write(end, "", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(end);
    assert_int_equal(status, 0);
    assert_int_equal(robot_log_look(path, &past, &err), 0);
    // Who goes on playing is not waited for.
    assert_int_equal(robot_log_open(path, &log, &past, &err), 0);
    assert_true(robot_log_wait(path, 0));
    assert_false(robot_log_wait(path, 20));
    robot_log_free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robot_log),
        cmocka_unit_test(test_robot_log_undo),
        cmocka_unit_test(test_robot_log_waits),
    };
    if (!mkdtemp(folder))
        return 1;
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || r;
}
