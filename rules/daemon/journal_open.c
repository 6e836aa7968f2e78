// Opening the journal: the lock, reading back, and telling a torn end from a damaged promise.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules/daemon/journal_private.h"

enum {
    BUFFER_SIZE = 2 * JOURNAL_LINE_MAX,
    TORN_FILES_MAX = 1000,
};

// Reads the file piece by piece, so that a long journal needs no memory of its length.
struct scan {
    struct journal *journal;
    char *buffer;
    size_t begin, end;
    bool at_end;     // of the file
    off_t offset;    // of buffer[begin] in the file
    int64_t line_no; // 1-based, of the line at `begin`
};

static int refill(struct scan *scan)
{
    memmove(scan->buffer, scan->buffer + scan->begin, scan->end - scan->begin);
    scan->end -= scan->begin;
    scan->begin = 0;
    size_t got = 0;
    int r = io_read_all(scan->journal->io, scan->journal->fd, scan->buffer + scan->end,
                        BUFFER_SIZE - scan->end, &got);
    if (r < 0)
        return r;
    scan->end += got;
    scan->at_end = scan->end < BUFFER_SIZE;
    return 0;
}

// The next line without its newline: 1, or 0 when no newline is left (then *ret_size is the rest),
// or a negative errno. A line longer than any of ours comes in pieces: none of them is whole.
static int next_line(struct scan *scan, const char **ret_line, size_t *ret_size)
{
    for (;;) {
        char *line = scan->buffer + scan->begin;
        char *newline = memchr(line, '\n', scan->end - scan->begin);
        if (!newline && !scan->at_end && scan->end - scan->begin < BUFFER_SIZE) {
            int r = refill(scan);
            if (r < 0)
                return r;
            continue;
        }
        *ret_line = line;
        *ret_size = newline ? (size_t)(newline - line) : scan->end - scan->begin;
        return newline || !scan->at_end;
    }
}

static void step_over(struct scan *scan, size_t size)
{
    size_t whole = size < scan->end - scan->begin ? size + 1 : size;
    scan->begin += whole;
    scan->offset += (off_t)whole;
    scan->line_no++;
}

// Replays whole lines until the end or the first one that is not whole.
static int replay_lines(struct scan *scan, journal_replay_fn *replay, void *user, struct error *err)
{
    struct journal *journal = scan->journal;
    for (;;) {
        const char *line;
        size_t size;
        int r = next_line(scan, &line, &size);
        if (r < 0)
            return error_set_at(err, r, journal->path, (int)scan->line_no, 0, "cannot be read: %s",
                                strerror(-r));
        int64_t seq, safe;
        if (r == 0 || !journal_line_check(line, size, &seq, &safe) || seq != journal->seq + 1)
            return 0;
        struct error inner = {0};
        r = replay(user, line, size, seq, &inner);
        if (r < 0)
            return error_set_at(err, r, journal->path, (int)scan->line_no, 0, "%s", inner.text);
        step_over(scan, size);
        journal->seq = seq;
        journal->size = scan->offset;
    }
}

// Looks for a line behind the damage that calls the damaged one safe. 1 = there is one.
static int promised(struct scan *scan)
{
    for (;;) {
        const char *line;
        size_t size;
        int r = next_line(scan, &line, &size);
        if (r <= 0)
            return r;
        int64_t seq, safe;
        if (journal_line_check(line, size, &seq, &safe) && safe > scan->journal->seq)
            return 1;
        step_over(scan, size);
    }
}

// Every byte of a torn line is the one we write there, or the zero of a block that never came.
static bool begins_like_first_line(const char *line, size_t size, bool whole)
{
    static const char head[] = "{\"seq\":1,\"safe\":0,";
    for (size_t i = 0; i < size && i < sizeof head - 1; i++)
        if (line[i] != head[i] && line[i] != '\0')
            return false;
    return !whole || size >= sizeof head - 1;
}

// What a power cut does not do to a journal: another program has changed it, or wrote it. 0, or
// -EBADMSG and what it is.
static int refuse_foreign(struct scan *scan, struct error *err)
{
    const struct journal *journal = scan->journal;
    const char *line;
    size_t size;
    int64_t seq, safe;
    int r = next_line(scan, &line, &size);
    if (r < 0)
        return error_set_at(err, r, journal->path, (int)scan->line_no, 0, "cannot be read: %s",
                            strerror(-r));
    if (size > 0 && line[size - 1] == '\r' && journal_line_check(line, size - 1, &seq, &safe))
        return error_set_at(err, -EBADMSG, journal->path, (int)scan->line_no, 0,
                            "this line is whole but ends in a carriage return, as after a copy "
                            "through Windows. Nothing is lost: take them off the line ends (sed -i "
                            "'s/\\r$//') and start again");
    if (journal->seq == 0 && !begins_like_first_line(line, size, r > 0))
        return error_set_at(err, -EBADMSG, journal->path, (int)scan->line_no, 0,
                            "this is not a journal of tessera-rulesd. Move the file away, or put "
                            "the right one in its place; to begin an empty one, start once with "
                            "--salvage: this one is then kept beside it");
    return 0;
}

// A new file beside the journal for what is taken off it.
static int open_torn(const struct journal *journal, const char *folder, char *ret_path,
                     size_t capacity)
{
    for (int i = 1; i <= TORN_FILES_MAX; i++) {
        int n = snprintf(ret_path, capacity, "%s/torn-%" PRId64 "-%d.jsonl", folder,
                         journal->seq + 1, i);
        if (n < 0 || (size_t)n >= capacity)
            return -ENAMETOOLONG;
        int fd = journal->io->open(journal->io->user, ret_path, O_WRONLY | O_CREAT | O_EXCL, 0640);
        if (fd >= 0 || errno != EEXIST)
            return fd >= 0 ? fd : -errno;
    }
    return -EEXIST;
}

static int copy_tail(const struct journal *journal, int to, char *buffer)
{
    if (lseek(journal->fd, journal->size, SEEK_SET) < 0)
        return -errno;
    for (;;) {
        size_t got = 0;
        int r = io_read_all(journal->io, journal->fd, buffer, BUFFER_SIZE, &got);
        if (r < 0)
            return r;
        if (got == 0)
            return io_fsync(journal->io, to);
        r = io_write_all(journal->io, to, buffer, got);
        if (r < 0)
            return r;
    }
}

// Puts what stands behind the last good line aside and cuts it off.
static int put_aside(struct scan *scan, const struct journal_settings *settings,
                     struct journal_report *report, struct error *err)
{
    struct journal *journal = scan->journal;
    char path[sizeof report->torn_path];
    int to = open_torn(journal, settings->folder, path, sizeof path);
    int r = to < 0 ? to : copy_tail(journal, to, scan->buffer);
    if (to >= 0)
        close(to);
    if (r == 0)
        memcpy(report->torn_path, path, sizeof path);
    else if (to >= 0)
        unlink(path);
    // A torn end that was promised to nobody is no reason to stay down when the disk is full.
    if (r < 0 && settings->salvage)
        return error_set_at(err, r, path, 0, 0, "the damaged part cannot be kept here: %s",
                            strerror(-r));
    if (journal->io->ftruncate(journal->io->user, journal->fd, journal->size) < 0)
        return error_set_at(err, -errno, journal->path, 0, 0, "its torn end cannot be cut: %s",
                            strerror(errno));
    r = io_fsync(journal->io, journal->fd);
    return r < 0 ? error_set_at(err, r, journal->path, 0, 0, "%s", strerror(-r)) : 0;
}

// What is to become of the rest of the file, which is not ours as it stands.
static int judge_rest(struct scan *scan, const struct journal_settings *settings,
                      struct journal_report *report, struct error *err)
{
    const char *path = scan->journal->path;
    int r = settings->salvage ? 0 : refuse_foreign(scan, err);
    if (r < 0)
        return r;
    report->torn_line = scan->line_no;
    r = promised(scan);
    if (r < 0)
        return error_set_at(err, r, path, (int)scan->line_no, 0, "cannot be read: %s",
                            strerror(-r));
    if (r > 0 && !settings->salvage)
        return error_set_at(err, -EBADMSG, path, (int)report->torn_line, 0,
                            "this line is damaged, and moves behind it have been answered. To "
                            "play on with what stands before it, start once with --salvage: the "
                            "rest is then kept beside the journal");
    return put_aside(scan, settings, report, err);
}

static int read_back(struct journal *journal, const struct journal_settings *settings,
                     journal_replay_fn *replay, void *user, struct journal_report *report,
                     struct error *err)
{
    struct scan scan = {.journal = journal, .line_no = 1, .buffer = malloc(BUFFER_SIZE)};
    if (!scan.buffer)
        return error_set(err, -ENOMEM, "out of memory");
    struct stat st;
    int r = replay_lines(&scan, replay, user, err);
    if (r == 0 && fstat(journal->fd, &st) < 0)
        r = error_set_at(err, -errno, journal->path, 0, 0, "%s", strerror(errno));
    if (r == 0 && st.st_size > journal->size) {
        report->torn_bytes = (size_t)(st.st_size - journal->size);
        r = judge_rest(&scan, settings, report, err);
    }
    report->lines = journal->seq;
    free(scan.buffer);
    return r;
}

// For journal_left_locked(); the lock itself does not need it, so a full disk does not matter.
static void sign_lock(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < n)
        errno = 0;
}

bool journal_left_locked(const char *folder)
{
    char path[PATH_MAX], *text = NULL, *end;
    size_t size;
    int n = snprintf(path, sizeof path, "%s/lock", folder);
    if (n < 0 || (size_t)n >= sizeof path || io_read_file(NULL, path, 32, &text, &size, NULL) < 0)
        return false;
    long holder = strtol(text, &end, 10);
    bool signed_by_one = end != text && *end == '\n' && holder > 0;
    free(text);
    return signed_by_one && kill((pid_t)holder, 0) < 0 && errno == ESRCH;
}

// The folder's lock, made only with O_CREAT in `flags`; `kind` as for flock().
static int lock_folder(const char *folder, int flags, int kind, int *ret_fd, struct error *err)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/lock", folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return error_set_at(err, -ENAMETOOLONG, folder, 0, 0, "the name is too long");
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640);
    if (fd < 0)
        return error_set_at(err, -errno, path, 0, 0, "cannot be %s: %s",
                            flags & O_CREAT ? "made" : "opened", strerror(errno));
    if (flock(fd, kind | LOCK_NB) == 0) {
        if (kind == LOCK_EX)
            sign_lock(fd);
        *ret_fd = fd;
        return 0;
    }
    int r = -errno;
    close(fd);
    if (r == -EWOULDBLOCK)
        return error_set_at(err, -EBUSY, folder, 0, 0,
                            "another tessera-rulesd keeps its games here; stop it, or give this "
                            "one a folder of its own with --state");
    return error_set_at(err, r, path, 0, 0, "cannot be locked: %s", strerror(-r));
}

static int open_file(struct journal *journal, const char *folder, int flags, struct error *err)
{
    int n = snprintf(journal->path, sizeof journal->path, "%s/" JOURNAL_FILE, folder);
    if (n < 0 || (size_t)n >= sizeof journal->path)
        return error_set_at(err, -ENAMETOOLONG, folder, 0, 0, "the name is too long");
    // Not to block: what has the name may be a pipe or a device, where waiting has no end.
    journal->fd = journal->io->open(journal->io->user, journal->path,
                                    flags | O_APPEND | O_NONBLOCK | O_NOCTTY, 0640);
    if (journal->fd < 0)
        return error_set_at(err, -errno, journal->path, 0, 0, "cannot be opened: %s",
                            strerror(errno));
    struct stat st;
    if (fstat(journal->fd, &st) < 0)
        return error_set_at(err, -errno, journal->path, 0, 0, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return error_set_at(err, -EINVAL, journal->path, 0, 0,
                            "this is not a plain file, so no games can be kept in it; take it "
                            "away, or give another folder with --state");
    return 0;
}

// The name itself must outlive a power cut, or the first game would be lost with it.
static int sync_name(const struct journal *journal, const char *folder, struct error *err)
{
    int r = io_fsync_parent(journal->io, journal->path);
    return r < 0 ? error_set_at(err, r, folder, 0, 0, "cannot be synced: %s", strerror(-r)) : 0;
}

int journal_open(const struct journal_settings *settings, journal_replay_fn *replay, void *user,
                 struct journal **ret, struct journal_report *ret_report, struct error *err)
{
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return error_set(err, -ENOMEM, "out of memory");
    journal->io = settings->io ? settings->io : &io_system;
    journal->fd = journal->lock_fd = -1;
    struct journal_report report = {0};
    int r = io_make_folder(settings->folder, 0750, err);
    if (r == 0)
        r = lock_folder(settings->folder, O_RDWR | O_CREAT, LOCK_EX, &journal->lock_fd, err);
    if (r == 0)
        r = open_file(journal, settings->folder, O_RDWR | O_CREAT, err);
    if (r == 0)
        r = sync_name(journal, settings->folder, err);
    if (r == 0)
        r = read_back(journal, settings, replay, user, &report, err);
    if (r < 0) {
        journal_free(journal);
        return r;
    }
    journal->staged_seq = journal->seq;
    *ret = journal;
    *ret_report = report;
    return 0;
}

int journal_look(const char *folder, journal_replay_fn *replay, void *user, struct error *err)
{
    struct journal journal = {.io = &io_system, .fd = -1};
    // Shared, so that two who look don't take each other for a daemon; and let go at once, so that
    // no daemon that starts meanwhile takes this for one.
    int lock_fd = -1;
    int r = lock_folder(folder, O_RDONLY, LOCK_SH, &lock_fd, err);
    if (r == 0)
        close(lock_fd);
    else if (r != -ENOENT)
        return r;
    r = open_file(&journal, folder, O_RDWR, err);
    struct scan scan = {.journal = &journal, .line_no = 1};
    if (r == 0) {
        scan.buffer = malloc(BUFFER_SIZE);
        r = scan.buffer ? replay_lines(&scan, replay, user, err)
                        : error_set(err, -ENOMEM, "out of memory");
    }
    free(scan.buffer);
    if (journal.fd >= 0)
        close(journal.fd);
    return r;
}
