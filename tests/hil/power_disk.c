// power-disk LOG                        prints how many records the log of a disk has
// power-disk LOG BASE OUT CUT SEED      makes OUT, the disk as a power cut after the first CUT
//                                       records would have left it, and prints the promises given
//                                       until then, one a line
//
// BASE is the disk before the log began. All that was written up to the last flush before the cut
// is on the disk. Of what came after, the drive's cache has kept an arbitrary part: with SEED 0
// all, with SEED 1 nothing, otherwise each block of 4 KiB by a throw of the dice, so that long
// writes tear.
//
// User-mode Linux (6.1 at least) answers a flush without asking its host, so flushes are not in the
// log. But ext4 asks for them around two blocks of its journal, the one that commits and the one
// that says where it begins: one flush before it, and one after it, before anybody is told that his
// data are safe. Those are put in.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/error.h"
#include "config/base/io.h"
#include "config/base/rng.h"
#include "tests/hil/power_log.h"

enum { LOG_MAX = 1 << 30, BLOCK = 4096 };

// How a block of the journal begins, big-endian: magic number and type (include/linux/jbd2.h).
static const unsigned char journal_mark[7] = {0xc0, 0x3b, 0x39, 0x98, 0, 0, 0};
enum { JOURNAL_COMMIT = 2, JOURNAL_START = 4 };

struct log {
    char *data;
    size_t size;
};

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "power-disk: %s\n", what);
    exit(2);
}

static void load(const char *path, size_t limit, char **ret, size_t *ret_size)
{
    struct error err;
    if (io_read_file(NULL, path, limit, ret, ret_size, &err) < 0)
        give_up(err.text);
}

// The record at *at, and its data; moves *at behind it. NULL at the end and at half a record.
static const char *next(const struct log *log, size_t *at, struct power_record *ret)
{
    if (log->size - *at < sizeof *ret)
        return NULL;
    memcpy(ret, log->data + *at, sizeof *ret);
    const size_t length = ret->kind == POWER_WRITE ? ret->length : 0;
    if (log->size - *at - sizeof *ret < length)
        return NULL;
    const char *data = log->data + *at + sizeof *ret;
    *at += sizeof *ret + length;
    return data;
}

static long count(const struct log *log)
{
    struct power_record record;
    size_t at = 0;
    long n = 0;
    while (next(log, &at, &record))
        n++;
    return n;
}

static bool is_between_flushes(const struct power_record *record, const char *data)
{
    return record->kind == POWER_WRITE && record->length > sizeof journal_mark &&
           record->offset < POWER_SYSTEM_BYTES &&
           memcmp(data, journal_mark, sizeof journal_mark) == 0 &&
           (data[sizeof journal_mark] == JOURNAL_COMMIT ||
            data[sizeof journal_mark] == JOURNAL_START);
}

// The record behind the last flush among the first `cut`: from there on nothing is certain.
static long first_uncertain(const struct log *log, long cut)
{
    struct power_record record;
    size_t at = 0;
    long first = 0;
    const char *data;
    for (long i = 0; i < cut && (data = next(log, &at, &record)); i++) {
        if (record.kind == POWER_FLUSH)
            first = i + 1;
        else if (is_between_flushes(&record, data)) // and it itself, when something came after it
            first = i + 1 < cut ? i + 1 : i;
    }
    return first;
}

static void put(char *disk, const struct power_record *record, const char *data, size_t from,
                size_t n)
{
    if (record->kind == POWER_ERASE)
        memset(disk + record->offset + from, 0, n);
    else
        memcpy(disk + record->offset + from, data + from, n);
}

static void make_disk(const struct log *log, char *disk, size_t size, long cut, uint64_t seed)
{
    const long uncertain = first_uncertain(log, cut);
    struct power_record record;
    struct rng rng;
    size_t at = 0;
    const char *data;
    rng_seed(&rng, seed);
    for (long i = 0; i < cut && (data = next(log, &at, &record)); i++) {
        if (record.kind == POWER_FLUSH)
            continue;
        if (record.offset > size || record.length > size - record.offset)
            give_up("the log writes beyond the end of the disk; do they belong together?");
        // Promises are notes of ours, not the file system's: they count from the moment they are
        // given.
        const bool certain = i < uncertain || seed == 0 || record.offset >= POWER_SYSTEM_BYTES;
        for (size_t from = 0; from < record.length; from += BLOCK) {
            const size_t left = record.length - from, n = left < BLOCK ? left : BLOCK;
            if (certain || (seed != 1 && rng_below(&rng, 2)))
                put(disk, &record, data, from, n);
        }
    }
}

static void print_promises(const char *disk)
{
    for (int i = 0; i < POWER_PROMISES; i++) {
        const char *text = disk + POWER_SYSTEM_BYTES + (size_t)i * POWER_SECTOR;
        printf("%.*s\n", (int)strnlen(text, POWER_SECTOR - 1), text);
    }
}

int main(int argc, char **argv)
{
    struct log log;
    char *disk;
    size_t size;
    if (argc != 2 && argc != 6)
        give_up("usage: power-disk LOG [BASE OUT CUT SEED]");
    load(argv[1], LOG_MAX, &log.data, &log.size);
    if (argc == 2) {
        printf("%ld\n", count(&log));
        free(log.data);
        return 0;
    }
    load(argv[2], POWER_DISK_BYTES, &disk, &size);
    if (size != POWER_DISK_BYTES)
        give_up("the base is not a disk of power.sh");
    make_disk(&log, disk, size, strtol(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
    print_promises(disk);
    FILE *out = fopen(argv[3], "wbe");
    if (!out || fwrite(disk, 1, size, out) != size || fclose(out) != 0)
        give_up("the disk cannot be written");
    free(disk);
    free(log.data);
    return 0;
}
