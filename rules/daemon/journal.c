#include "rules/daemon/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "config/base/crc32c.h"
#include "rules/daemon/journal_private.h"
#include "rules/daemon/writer.h"

enum {
    FRAME_MAX = 96, // bytes that the frame adds to the members
    CRC_TAIL = 18,  // of `,"crc":"xxxxxxxx"}`
};

int journal_line_format(char *buf, size_t capacity, int64_t seq, int64_t safe, const char *members,
                        size_t size)
{
    if (size > JOURNAL_LINE_MAX - FRAME_MAX || size + FRAME_MAX > capacity)
        return -EMSGSIZE;
    int head = snprintf(buf, capacity, "{\"seq\":%" PRId64 ",\"safe\":%" PRId64 ",", seq, safe);
    memcpy(buf + head, members, size);
    size_t body = (size_t)head + size;
    int tail = snprintf(buf + body, capacity - body, ",\"crc\":\"%08" PRIx32 "\"}\n",
                        crc32c(0, buf, body));
    return (int)body + tail;
}

// Reads `literal` and then a number of up to 18 digits; NULL when it is not there.
static const char *scan_number(const char *p, const char *end, const char *literal, int64_t *ret)
{
    size_t size = strlen(literal);
    if ((size_t)(end - p) < size || memcmp(p, literal, size) != 0)
        return NULL;
    p += size;
    int64_t number = 0;
    int digits = 0;
    for (; p < end && *p >= '0' && *p <= '9' && digits < 18; p++, digits++)
        number = number * 10 + (*p - '0');
    if (digits == 0 || p == end || *p != ',')
        return NULL;
    *ret = number;
    return p;
}

static bool scan_hex(const char *p, uint32_t *ret)
{
    uint32_t value = 0;
    for (int i = 0; i < 8; i++) {
        char c = p[i];
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint32_t)(c - 'a' + 10);
        else
            return false;
    }
    *ret = value;
    return true;
}

bool journal_line_check(const char *line, size_t size, int64_t *ret_seq, int64_t *ret_safe)
{
    if (size < CRC_TAIL || size > JOURNAL_LINE_MAX)
        return false;
    const char *tail = line + size - CRC_TAIL;
    uint32_t crc;
    if (memcmp(tail, ",\"crc\":\"", 8) != 0 || !scan_hex(tail + 8, &crc) ||
        memcmp(tail + 16, "\"}", 2) != 0 || crc32c(0, line, size - CRC_TAIL) != crc)
        return false;
    int64_t seq, safe;
    const char *p = scan_number(line, tail, "{\"seq\":", &seq);
    p = p ? scan_number(p, tail, ",\"safe\":", &safe) : NULL;
    if (!p || safe >= seq)
        return false;
    *ret_seq = seq;
    *ret_safe = safe;
    return true;
}

int journal_append(struct journal *journal, const char *members, size_t size, int64_t *ret_seq)
{
    char *line = malloc(size + FRAME_MAX);
    if (!line)
        return -ENOMEM;
    int64_t seq = journal->staged_seq + 1;
    int n = journal_line_format(line, size + FRAME_MAX, seq, journal->seq, members, size);
    if (n > 0) {
        size_t before = journal->staged.size;
        writer_bytes(&journal->staged, line, (size_t)n);
        if (journal->staged.error) {
            journal->staged.error = 0;
            writer_cut(&journal->staged, before);
            n = -ENOMEM;
        }
    }
    free(line);
    if (n < 0)
        return n;
    journal->staged_seq = seq;
    *ret_seq = seq;
    return 0;
}

bool journal_has_staged(const struct journal *journal)
{
    return journal->staged.size > 0;
}

void journal_discard(struct journal *journal)
{
    writer_cut(&journal->staged, 0);
    journal->staged_seq = journal->seq;
}

static int explain_failure(const struct journal *journal, int r, struct error *err)
{
    if (r == -ENOSPC || r == -EDQUOT)
        return error_set_code(err, r, "DiskFull",
                              "The disk is full, so nothing was changed. Make room where %s "
                              "lies and try again.",
                              journal->path);
    return error_set_code(err, r, "DiskFault",
                          "This could not be written to the disk (%s), so nothing was changed. "
                          "Check the disk that holds %s and try again.",
                          strerror(-r), journal->path);
}

// Takes off whatever a failed commit has left behind the last good line.
static int cut_back(struct journal *journal)
{
    if (journal->io->ftruncate(journal->io->user, journal->fd, journal->size) < 0)
        return -errno;
    journal->must_cut = false;
    return 0;
}

int journal_commit(struct journal *journal, struct error *err)
{
    if (journal->staged.size == 0)
        return 0;
    int r = journal->must_cut ? cut_back(journal) : 0;
    if (r == 0) {
        journal->must_cut = true;
        r = io_write_all(journal->io, journal->fd, journal->staged.data, journal->staged.size);
    }
    if (r == 0)
        r = io_fdatasync(journal->io, journal->fd);
    if (r < 0) {
        journal_discard(journal);
        cut_back(journal); // when even this fails, the next commit begins with it
        return explain_failure(journal, r, err);
    }
    journal->must_cut = false;
    journal->size += (off_t)journal->staged.size;
    journal->seq = journal->staged_seq;
    writer_cut(&journal->staged, 0);
    return 0;
}

struct journal *journal_free(struct journal *journal)
{
    if (!journal)
        return NULL;
    if (journal->fd >= 0)
        close(journal->fd);
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    writer_clear(&journal->staged);
    free(journal);
    return NULL;
}
