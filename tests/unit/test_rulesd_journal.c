// The journal: what is written comes back, wherever a power cut ends it.
#include "tests/unit/journal_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_written_and_read_back(void **state)
{
    (void)state;
    struct seen seen;
    struct journal_report report;
    struct journal *journal = open_ok(NULL, &seen, &report);
    assert_int_equal(report.lines, 0);
    assert_false(journal_has_staged(journal));
    add(journal, "\"do\":\"a\"");
    add(journal, "\"do\":\"b\"");
    assert_true(journal_has_staged(journal));
    assert_int_equal(journal_commit(journal, NULL), 0);
    assert_int_equal(journal_commit(journal, NULL), 0); // nothing staged
    add(journal, "\"do\":\"c\"");
    assert_int_equal(journal_commit(journal, NULL), 0);
    add(journal, "\"do\":\"never\"");
    journal_free(journal);
    journal = open_ok(NULL, &seen, &report);
    assert_int_equal(report.lines, 3);
    assert_int_equal(report.torn_bytes, 0);
    assert_string_equal(seen.members, "\"do\":\"a\"\n\"do\":\"b\"\n\"do\":\"c\"\n");
    add(journal, "\"do\":\"d\"");
    assert_int_equal(journal_commit(journal, NULL), 0);
    journal_free(journal);
    journal = open_ok(NULL, &seen, &report);
    assert_int_equal(seen.count, 4);
    journal_free(journal);
    assert_null(journal_free(NULL));
}

static void test_line_format(void **state)
{
    (void)state;
    char line[200];
    int64_t seq, safe;
    int n = journal_line_format(line, sizeof line, 12, 11, "\"do\":\"x\"", 8);
    assert_int_equal(line[n - 1], '\n');
    assert_true(journal_line_check(line, (size_t)n - 1, &seq, &safe));
    assert_int_equal(seq, 12);
    assert_int_equal(safe, 11);
    // Every flipped bit is found.
    for (int bit = 0; bit < 8 * (n - 1); bit++) {
        line[bit / 8] = (char)(line[bit / 8] ^ 1 << bit % 8);
        assert_false(journal_line_check(line, (size_t)n - 1, &seq, &safe));
        line[bit / 8] = (char)(line[bit / 8] ^ 1 << bit % 8);
    }
    for (int size = 0; size < n - 1; size++)
        assert_false(journal_line_check(line, (size_t)size, &seq, &safe));
    assert_int_equal(journal_line_format(line, 90, 1, 0, "\"do\":\"x\"", 8), -EMSGSIZE);
    n = journal_line_format(line, sizeof line, 5, 5, "\"do\":\"x\"", 8);
    assert_false(journal_line_check(line, (size_t)n - 1, &seq, &safe)); // cannot have been safe
}

static void test_too_long(void **state)
{
    (void)state;
    struct seen seen;
    struct journal_report report;
    struct journal *journal = open_ok(NULL, &seen, &report);
    char *members = malloc(JOURNAL_LINE_MAX);
    int64_t seq;
    memset(members, 'x', JOURNAL_LINE_MAX);
    assert_int_equal(journal_append(journal, members, JOURNAL_LINE_MAX, &seq), -EMSGSIZE);
    assert_false(journal_has_staged(journal));
    snprintf(members, 7, "\"do\":\"");
    members[6] = 'x'; // over the NUL
    members[JOURNAL_LINE_MAX - 101] = '"';
    assert_int_equal(journal_append(journal, members, JOURNAL_LINE_MAX - 100, &seq), 0);
    assert_int_equal(journal_commit(journal, NULL), 0);
    add(journal, "\"do\":\"b\"");
    assert_int_equal(journal_commit(journal, NULL), 0);
    journal_free(journal);
    free(members);
    journal = open_ok(NULL, &seen, &report);
    assert_int_equal(seen.count, 2);
    journal_free(journal);
}

static int64_t count_lines(const char *data, size_t size)
{
    int64_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n';
    return n;
}

// Whatever a power cut leaves of the last write: all whole lines come back, the rest is kept aside,
// and the journal goes on from there.
static void test_every_prefix(void **state)
{
    (void)state;
    size_t size;
    char *data = make_journal(7, &size);
    for (size_t cut = 0; cut <= size; cut++) {
        write_journal(data, cut);
        struct seen seen;
        struct journal_report report;
        struct journal *journal = open_ok(NULL, &seen, &report);
        int64_t whole = count_lines(data, cut);
        assert_int_equal(seen.count, whole);
        size_t line_start = cut;
        while (line_start > 0 && data[line_start - 1] != '\n')
            line_start--;
        assert_int_equal(report.torn_bytes, cut - line_start);
        if (report.torn_bytes) {
            char *kept;
            size_t kept_size;
            assert_int_equal(report.torn_line, whole + 1);
            assert_int_equal(io_read_file(NULL, report.torn_path, 1 << 20, &kept, &kept_size, NULL),
                             0);
            assert_int_equal(kept_size, cut - line_start);
            assert_memory_equal(kept, data + line_start, kept_size);
            free(kept);
        }
        add(journal, "\"do\":\"next\"");
        assert_int_equal(journal_commit(journal, NULL), 0);
        journal_free(journal);
        journal = open_ok(NULL, &seen, &report);
        assert_int_equal(seen.count, whole + 1);
        assert_int_equal(report.torn_bytes, 0);
        journal_free(journal);
    }
    free(data);
}

static void test_replay_refuses(void **state)
{
    (void)state;
    size_t size;
    char *data = make_journal(4, &size);
    struct journal_settings settings = {.folder = folder};
    struct seen seen = {.fail_at = 2};
    struct journal *journal;
    struct journal_report report;
    struct error err;
    assert_int_equal(journal_open(&settings, see, &seen, &journal, &report, &err), -EBADMSG);
    assert_int_equal(err.line, 3);
    assert_string_equal(err.text, "no sense");
    free(data);
}

static void test_one_daemon_a_folder(void **state)
{
    (void)state;
    struct seen seen;
    struct journal_report report;
    struct journal *journal = open_ok(NULL, &seen, &report);
    struct journal_settings settings = {.folder = folder};
    struct journal *other;
    struct error err;
    assert_int_equal(journal_open(&settings, see, &seen, &other, &report, &err), -EBUSY);
    assert_string_equal(err.file, folder);
    journal_free(journal);
    journal_free(open_ok(NULL, &seen, &report));
}

// What a killed daemon had forked still holds the lock; it will let go.
static void test_lock_of_the_dead(void **state)
{
    (void)state;
    struct seen seen;
    struct journal_report report;
    int left[2];
    assert_int_equal(pipe2(left, O_CLOEXEC), 0);
    pid_t daemon = fork();
    assert_true(daemon >= 0);
    if (daemon == 0) {
        open_ok(NULL, &seen, &report);
        pid_t child = fork();
        if (child > 0) {
            if (write(left[1], &child, sizeof child) < 0)
                _exit(1);
            kill(getpid(), SIGKILL);
        }
        pause();
        _exit(0);
    }
    pid_t child;
    assert_int_equal(read(left[0], &child, sizeof child), sizeof child);
    assert_int_equal(waitpid(daemon, NULL, 0), daemon);
    struct journal_settings settings = {.folder = folder};
    struct journal *journal;
    struct error err;
    assert_int_equal(journal_open(&settings, see, &seen, &journal, &report, &err), -EBUSY);
    assert_true(journal_left_locked(folder));
    assert_int_equal(kill(child, SIGKILL), 0);
    for (int r = -EBUSY; r == -EBUSY;)
        r = journal_open(&settings, see, &seen, &journal, &report, &err);
    assert_false(journal_left_locked(folder)); // we live
    journal_free(journal);
    close(left[0]);
    close(left[1]);
}

// Who looks sees the whole lines and leaves everything as it was, a torn end too.
static void test_looking_changes_nothing(void **state)
{
    (void)state;
    struct seen seen = {.fail_at = -1};
    struct journal_report report;
    struct error err;
    size_t size, after;
    assert_int_equal(journal_look(folder, see, &seen, &err), -ENOENT);
    assert_int_equal(access(path, F_OK), -1);
    char *data = make_journal(4, &size), *held;
    write_journal(data, size - 3); // and takes the lock's file away
    assert_int_equal(journal_look(folder, see, &seen, &err), 0);
    const int64_t whole = seen.count;
    assert_true(whole > 0);
    assert_int_equal(io_read_file(NULL, path, 1 << 20, &held, &after, NULL), 0);
    assert_int_equal(after, size - 3);
    assert_memory_equal(held, data, after);
    free(held);
    free(data);

    struct journal *journal = open_ok(NULL, &seen, &report); // puts the end aside
    assert_int_equal(seen.count, whole);
    assert_true(report.torn_bytes > 0);
    assert_int_equal(journal_look(folder, see, &seen, &err), -EBUSY);
    assert_string_equal(err.file, folder);
    journal_free(journal);
    seen = (struct seen){.fail_at = -1};
    assert_int_equal(journal_look(folder, see, &seen, &err), 0);
    assert_int_equal(seen.count, whole);
    seen = (struct seen){.fail_at = 1};
    assert_int_equal(journal_look(folder, see, &seen, &err), -EBADMSG);
    assert_int_equal(err.line, 2);
    journal_free(open_ok(NULL, &seen, &report)); // nobody kept it locked
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_written_and_read_back),
        T(test_line_format),
        T(test_too_long),
        T(test_every_prefix),
        T(test_replay_refuses),
        T(test_one_daemon_a_folder),
        T(test_lock_of_the_dead),
        T(test_looking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
