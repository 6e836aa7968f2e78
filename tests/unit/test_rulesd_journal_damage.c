// Journals that something else has changed: what was promised is never passed over in silence.
#include "tests/unit/journal_fixture.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/base/rng.h"

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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_damage_to_a_promise), T(test_damage_within_the_last_batch),
        T(test_no_plain_file),       T(test_rubbish),
        T(test_changed_by_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
