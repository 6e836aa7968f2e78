// The journal on a disk that fails, in every way a disk can.
#include "tests/unit/journal_fixture.h"

#include <errno.h>

#include "io_faults.h"

// Whichever call of a commit fails, and however often: the file holds what it held, and the next
// commit works when the disk does.
static void test_commit_fails(void **state)
{
    (void)state;
    static const struct {
        enum io_fault_call call;
        int error, times;
        const char *code;
    } cases[] = {
        {IO_WRITE, EIO, 1, "DiskFault"},       {IO_WRITE, ENOSPC, 2, "DiskFull"},
        {IO_WRITE, EDQUOT, 1, "DiskFull"},     {IO_FDATASYNC, EIO, 1, "DiskFault"},
        {IO_FDATASYNC, ENOSPC, 3, "DiskFull"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clean();
        struct io_faults faults = {.write_room = INT64_MAX};
        struct io_ops io = io_faults_ops(&faults);
        struct seen seen;
        struct journal_report report;
        struct journal *journal = open_ok(&io, &seen, &report);
        add(journal, "\"do\":\"a\"");
        assert_int_equal(journal_commit(journal, NULL), 0);
        faults.call = cases[i].call;
        faults.error = cases[i].error;
        faults.times = cases[i].times;
        faults.after = faults.made[cases[i].call];
        for (int n = 0; n < cases[i].times; n++) {
            struct error err = {0};
            add(journal, "\"do\":\"lost\"");
            assert_int_equal(journal_commit(journal, &err), -cases[i].error);
            assert_string_equal(err.code, cases[i].code);
            assert_non_null(strstr(err.text, "nothing was changed"));
            assert_false(journal_has_staged(journal));
        }
        add(journal, "\"do\":\"b\"");
        assert_int_equal(journal_commit(journal, NULL), 0);
        journal_free(journal);
        journal = open_ok(NULL, &seen, &report);
        assert_string_equal(seen.members, "\"do\":\"a\"\n\"do\":\"b\"\n");
        journal_free(journal);
    }
}

static void test_short_writes_and_interruptions(void **state)
{
    (void)state;
    for (int error = 0; error <= EINTR; error += EINTR) {
        clean();
        struct io_faults faults = {.write_room = INT64_MAX, .times = 1000, .error = error};
        faults.call = IO_WRITE;
        faults.times = error ? 3 : 5;
        struct io_ops io = io_faults_ops(&faults);
        struct seen seen;
        struct journal_report report;
        struct journal *journal = open_ok(&io, &seen, &report);
        add(journal, "\"do\":\"a\"");
        assert_int_equal(journal_commit(journal, NULL), 0);
        assert_true(faults.made[IO_WRITE] > 3);
        journal_free(journal);
        journal_free(open_ok(NULL, &seen, &report));
        assert_string_equal(seen.members, "\"do\":\"a\"\n");
    }
}

// Room for half a line; and the half cannot even be taken off again at once.
static void test_disk_fills_up(void **state)
{
    (void)state;
    struct io_faults faults = {.write_room = INT64_MAX};
    struct io_ops io = io_faults_ops(&faults);
    struct seen seen;
    struct journal_report report;
    struct error err;
    struct journal *journal = open_ok(&io, &seen, &report);
    add(journal, "\"do\":\"a\"");
    assert_int_equal(journal_commit(journal, NULL), 0);
    faults.write_room = 30;
    faults.call = IO_FTRUNCATE;
    faults.error = EIO;
    faults.times = 2;
    add(journal, "\"do\":\"lost\"");
    assert_int_equal(journal_commit(journal, &err), -ENOSPC);
    faults.write_room = INT64_MAX;
    add(journal, "\"do\":\"lost\""); // still cannot be cut back: refused before anything is written
    assert_int_equal(journal_commit(journal, &err), -EIO);
    add(journal, "\"do\":\"b\"");
    assert_int_equal(journal_commit(journal, NULL), 0);
    journal_free(journal);
    journal_free(open_ok(NULL, &seen, &report));
    assert_string_equal(seen.members, "\"do\":\"a\"\n\"do\":\"b\"\n");
}

static void test_open_fails(void **state)
{
    (void)state;
    size_t size;
    char *data = make_journal(3, &size);
    static const enum io_fault_call calls[] = {IO_OPEN, IO_READ, IO_FSYNC, IO_FTRUNCATE};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        write_journal(data, size - 5);
        struct io_faults faults = {
            .call = calls[i], .times = 1, .error = EIO, .write_room = INT64_MAX};
        struct io_ops io = io_faults_ops(&faults);
        struct journal_settings settings = {.folder = folder, .io = &io};
        struct seen seen = {.fail_at = -1};
        struct journal *journal;
        struct journal_report report;
        struct error err = {0};
        assert_int_equal(journal_open(&settings, see, &seen, &journal, &report, &err), -EIO);
        assert_true(err.text[0] != '\0' && err.file[0] != '\0');
    }
    free(data);
}

// With a full disk the torn end cannot be kept; the games come first.
static void test_torn_end_on_a_full_disk(void **state)
{
    (void)state;
    size_t size;
    char *data = make_journal(3, &size);
    write_journal(data, size - 5);
    struct io_faults faults = {.write_room = 0};
    struct io_ops io = io_faults_ops(&faults);
    struct seen seen;
    struct journal_report report;
    journal_free(open_ok(&io, &seen, &report));
    assert_int_equal(seen.count, 5);
    assert_true(report.torn_bytes > 0);
    assert_string_equal(report.torn_path, "");
    free(data);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_commit_fails), T(test_short_writes_and_interruptions), T(test_disk_fills_up),
        T(test_open_fails),   T(test_torn_end_on_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
