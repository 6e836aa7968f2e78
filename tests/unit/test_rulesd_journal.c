// The journal: every way a file can end, every way a disk can fail.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/io.h"
#include "config/base/rng.h"
#include "io_faults.h"
#include "rules/daemon/journal.h"

static char folder[64];
static char path[128];

static int set_up(void **state)
{
    (void)state;
    // Memory where there is some: what is tested here is not the disk.
    snprintf(folder, sizeof folder, "%s/test_rulesd_journal.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/" JOURNAL_FILE, folder);
    return 0;
}

static void clean(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    assert_int_equal(system(command), 0); // NOLINT: a name made by mkdtemp
}

static int tear_down(void **state)
{
    (void)state;
    clean();
    return rmdir(folder);
}

// What was replayed: the sequence numbers, and the members as text.
struct seen {
    int64_t count, last;
    char members[4096];
    int fail_at; // -1 = never
};

static int see(void *user, const char *line, size_t size, int64_t seq, struct error *err)
{
    struct seen *seen = user;
    if (seen->count == seen->fail_at)
        return error_set(err, -EBADMSG, "no sense");
    seen->count++;
    assert_int_equal(seq, seen->last + 1);
    seen->last = seq;
    const char *members = memmem(line, size, "\"do\"", 4);
    const char *end = memmem(line, size, ",\"crc\"", 6);
    size_t length = strlen(seen->members);
    if (length + 100 < sizeof seen->members)
        snprintf(seen->members + length, sizeof seen->members - length, "%.*s\n",
                 (int)(end - members), members);
    return 0;
}

static struct journal *open_ok(const struct io_ops *io, struct seen *seen,
                               struct journal_report *report)
{
    struct journal_settings settings = {.folder = folder, .io = io};
    struct journal *journal;
    struct error err = {0};
    memset(seen, 0, sizeof *seen);
    seen->fail_at = -1;
    int r = journal_open(&settings, see, seen, &journal, report, &err);
    if (r < 0)
        print_error("%s: %s\n", err.file, err.text);
    assert_int_equal(r, 0);
    return journal;
}

static void add(struct journal *journal, const char *members)
{
    int64_t seq;
    assert_int_equal(journal_append(journal, members, strlen(members), &seq), 0);
}

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

// A journal of `batches` commits of several lines each; its bytes.
static char *make_journal(int batches, size_t *ret_size)
{
    struct seen seen;
    struct journal_report report;
    struct journal *journal = open_ok(NULL, &seen, &report);
    for (int b = 0; b < batches; b++) {
        for (int i = 0; i <= b % 3; i++) {
            char members[64];
            snprintf(members, sizeof members, "\"do\":\"play\",\"n\":%d", b * 10 + i);
            add(journal, members);
        }
        assert_int_equal(journal_commit(journal, NULL), 0);
    }
    journal_free(journal);
    char *data;
    assert_int_equal(io_read_file(NULL, path, 1 << 20, &data, ret_size, NULL), 0);
    return data;
}

static void write_journal(const char *data, size_t size)
{
    clean();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(io_write_all(NULL, fd, data, size), 0);
    close(fd);
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

// Position of line n (0-based) in the data.
static size_t line_at(const char *data, int n)
{
    size_t at = 0;
    while (n > 0)
        n -= data[at++] == '\n';
    return at;
}

static int open_damaged(bool salvage, struct seen *seen, struct journal_report *report,
                        struct error *err)
{
    struct journal_settings settings = {.folder = folder, .salvage = salvage};
    struct journal *journal;
    memset(seen, 0, sizeof *seen);
    seen->fail_at = -1;
    int r = journal_open(&settings, see, seen, &journal, report, err);
    if (r == 0)
        journal_free(journal);
    return r;
}

// Batches of 1, 2, 3, 1, 2, 3, 1 lines: 13 in all, the last one a batch of its own.
static void test_damage_to_a_promise(void **state)
{
    (void)state;
    size_t size;
    char *data = make_journal(7, &size);
    for (int line = 0; line < 13; line++) {
        size_t at = line_at(data, line) + 20;
        data[at] ^= 4;
        write_journal(data, size);
        data[at] ^= 4;
        struct seen seen;
        struct journal_report report;
        struct error err = {0};
        int r = open_damaged(false, &seen, &report, &err);
        if (line == 12) { // nothing behind it says that it had been answered
            assert_int_equal(r, 0);
            assert_int_equal(seen.count, 12);
            continue;
        }
        assert_int_equal(r, -EBADMSG);
        assert_int_equal(err.line, line + 1);
        assert_string_equal(err.file, path);
        assert_non_null(strstr(err.text, "--salvage"));
        struct stat st; // and nothing was touched
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, size);
        assert_int_equal(open_damaged(true, &seen, &report, &err), 0);
        assert_int_equal(seen.count, line);
        assert_int_equal(stat(report.torn_path, &st), 0);
        assert_int_equal(st.st_size, size - line_at(data, line));
    }
    free(data);
}

// In a batch that was never answered the disk may have written the second line before the first.
static void test_damage_within_the_last_batch(void **state)
{
    (void)state;
    size_t size;
    char *data = make_journal(6, &size); // ends in a batch of three
    for (int line = 9; line < 12; line++) {
        size_t at = line_at(data, line);
        char kept[16];
        memcpy(kept, data + at, sizeof kept);
        memset(data + at, 0, sizeof kept);
        write_journal(data, size);
        memcpy(data + at, kept, sizeof kept);
        struct seen seen;
        struct journal_report report;
        struct error err = {0};
        assert_int_equal(open_damaged(false, &seen, &report, &err), 0);
        assert_int_equal(seen.count, line);
        assert_int_equal(report.torn_bytes, size - at);
    }
    free(data);
}

// A pipe, a socket or a folder that has the journal's name: refused with a sentence, not waited
// for.
static void test_no_plain_file(void **state)
{
    (void)state;
    struct seen seen;
    struct journal_report report;
    struct error err = {0};
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(open_damaged(false, &seen, &report, &err), -EINVAL);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.text, "not a plain file"));
    assert_int_equal(open_damaged(true, &seen, &report, &err), -EINVAL);
    clean();
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_int_equal(open_damaged(false, &seen, &report, &err), -EINVAL);
    clean();
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(open_damaged(false, &seen, &report, &err), -EISDIR);
    assert_string_equal(err.file, path);
}

static void test_rubbish(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 17);
    for (int round = 0; round < 200; round++) {
        char rubbish[3000] = {0};
        size_t size = rng_below(&rng, sizeof rubbish);
        for (size_t i = 0; i < size; i++)
            rubbish[i] = (char)rng_below(&rng, round % 2 ? 256 : 11);
        if (size > 0)
            rubbish[0] |= 1; // not the zeros of a block that never came
        write_journal(rubbish, size);
        struct seen seen;
        struct journal_report report;
        struct error err;
        if (size > 0) {
            assert_int_equal(open_damaged(false, &seen, &report, &err), -EBADMSG);
            assert_int_equal(err.line, 1);
            assert_string_equal(err.file, path);
        }
        assert_int_equal(open_damaged(true, &seen, &report, &err), 0);
        assert_int_equal(seen.count, 0);
        assert_int_equal(report.torn_bytes, size);
    }
}

static void refuses(const char *data, size_t size, int line, const char *text)
{
    struct seen seen;
    struct journal_report report;
    struct error err = {0};
    struct stat st;
    write_journal(data, size);
    assert_int_equal(open_damaged(false, &seen, &report, &err), -EBADMSG);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.text, text));
    assert_int_equal(stat(path, &st), 0); // and nothing was touched
    assert_int_equal(st.st_size, size);
}

// The journal of `size` bytes with CR before each newline from line `first` (0-based) on.
static char *with_returns(const char *data, size_t size, int first, size_t *ret_size)
{
    char *changed = malloc(2 * size);
    size_t n = 0;
    int line = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\n' && line++ >= first)
            changed[n++] = '\r';
        changed[n++] = data[i];
    }
    *ret_size = n;
    return changed;
}

// What a power cut does not do: the daemon says what it is and does not begin an empty journal.
static void test_changed_by_others(void **state)
{
    (void)state;
    size_t size, changed_size;
    char *data = make_journal(5, &size); // 9 lines
    for (int first = 0; first < 9; first++) {
        char *changed = with_returns(data, size, first, &changed_size);
        refuses(changed, changed_size, first + 1, "carriage return");
        free(changed);
    }
    static const char mark[] = {'\xEF', '\xBB', '\xBF'}; // of the byte order
    char *marked = malloc(sizeof mark + size);
    memcpy(marked, mark, sizeof mark);        // NOLINT: bytes, no string
    memcpy(marked + sizeof mark, data, size); // NOLINT: bytes, no string
    refuses(marked, sizeof mark + size, 1, "not a journal");
    free(marked);
    static const char *const foreign[] = {"hello", "hello\nworld\n",       "{\n  \"seq\": 1,\n",
                                          "\n",    "[server]\nport = 7\n", "{\"seq\":1}\n"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        refuses(foreign[i], strlen(foreign[i]), 1, "not a journal");
    // Zeros where the first block of the first write should be are a power cut's.
    struct seen seen;
    struct journal_report report;
    struct error err = {0};
    char zeros[4096] = {0};
    write_journal(zeros, sizeof zeros);
    assert_int_equal(open_damaged(false, &seen, &report, &err), 0);
    assert_int_equal(report.torn_bytes, sizeof zeros);
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
        T(test_written_and_read_back),
        T(test_line_format),
        T(test_too_long),
        T(test_every_prefix),
        T(test_damage_to_a_promise),
        T(test_damage_within_the_last_batch),
        T(test_no_plain_file),
        T(test_rubbish),
        T(test_changed_by_others),
        T(test_replay_refuses),
        T(test_one_daemon_a_folder),
        T(test_commit_fails),
        T(test_short_writes_and_interruptions),
        T(test_disk_fills_up),
        T(test_open_fails),
        T(test_torn_end_on_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
