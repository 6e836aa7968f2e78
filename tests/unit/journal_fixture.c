#include "tests/unit/journal_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

char folder[64], path[128];

int set_up(void **state)
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

void clean(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    assert_int_equal(system(command), 0); // NOLINT: a name made by mkdtemp
}

int tear_down(void **state)
{
    (void)state;
    clean();
    return rmdir(folder);
}

int see(void *user, const char *line, size_t size, int64_t seq, struct error *err)
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

struct journal *open_ok(const struct io_ops *io, struct seen *seen, struct journal_report *report)
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

void add(struct journal *journal, const char *members)
{
    int64_t seq;
    assert_int_equal(journal_append(journal, members, strlen(members), &seq), 0);
}

// A journal of `batches` commits of several lines each; its bytes.
char *make_journal(int batches, size_t *ret_size)
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

void write_journal(const char *data, size_t size)
{
    clean();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(io_write_all(NULL, fd, data, size), 0);
    close(fd);
}
