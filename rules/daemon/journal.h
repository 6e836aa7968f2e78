// journal: what was promised, on disk.
//
// One append-only file of JSON lines in the state folder:
//
//     {"seq":12,"safe":11,"do":"play","game":"g1","ply":3,"move":"K10","crc":"1a2b3c4d"}
//
// `seq` counts up by one from 1. `crc` is the CRC-32C of every byte of the line before `,"crc"`.
// `safe` is the last sequence number that was on the disk when this line was written. It tells two
// kinds of damage apart after a power cut: a line that cannot be read and that no later line calls
// safe was never answered, so it is put aside with all after it; a damaged line that a later one
// calls safe had been promised to somebody, and then opening is refused rather than losing it.
//
// Lines are staged by journal_append() and reach the disk together by journal_commit(), which ends
// in fdatasync: several requests that came together cost one wait for the disk. Only after a commit
// has returned 0 may their replies be sent. When it fails, the file is put back to what it was.
//
// The folder also holds `lock`, which keeps a second daemon out, and `torn-*.jsonl`, what was put
// aside.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/base/io.h"

enum {
    JOURNAL_LINE_MAX = 128 * 1024, // bytes of a line; a request of 64 KiB fits with its frame
};

#define JOURNAL_FILE "journal.jsonl"

struct journal;

// Called for every line that is read back, in order. `line` is the whole JSON text, without its
// newline. A negative return stops the opening; err then says why.
typedef int journal_replay_fn(void *user, const char *line, size_t size, int64_t seq,
                              struct error *err);

// What opening found.
struct journal_report {
    int64_t lines;       // read back
    size_t torn_bytes;   // at the end, whose writer had got no answer; 0 = none
    int64_t torn_line;   // 1-based line number of the first of them
    char torn_path[256]; // where they are kept
};

struct journal_settings {
    const char *folder;      // made when it is missing
    const struct io_ops *io; // NULL = the system's calls
    bool salvage;            // put even promised lines aside when they are damaged
};

// Opens or makes the journal and replays it. -EBUSY: another daemon has the folder; -EBADMSG: a
// promised line is damaged, or the file was changed or written by another program (err has file and
// line); -EINVAL: it is no plain file; else the error of the disk.
int journal_open(const struct journal_settings *settings, journal_replay_fn *replay, void *user,
                 struct journal **ret, struct journal_report *ret_report, struct error *err);

// Only looks: replays the whole lines up to the end or the first damage, and changes nothing: no
// file is made, mended or kept locked. -EBUSY: in use; -ENOENT: there is no journal; -EACCES: who
// asks may not open it as journal_open() would; else as there.
int journal_look(const char *folder, journal_replay_fn *replay, void *user, struct error *err);

// After -EBUSY: whether the program that locked the folder is gone. What it had just forked, and
// was about to become another program, holds the lock then, and will not for long. False: it lives,
// or that can't be told.
bool journal_left_locked(const char *folder);

struct journal *journal_free(struct journal *journal); // drops what is staged; returns NULL

// Stages a line whose members (without braces, "do":… and so on) are given, and hands out its
// sequence number. -EMSGSIZE when it is too long, -ENOMEM.
int journal_append(struct journal *journal, const char *members, size_t size, int64_t *ret_seq);

bool journal_has_staged(const struct journal *journal);

// Brings the staged lines to the disk, all or none. On failure they are dropped, the file holds
// what it held before, and the next commit may be tried as soon as the fault is gone (room made).
int journal_commit(struct journal *journal, struct error *err);

// Drops what is staged.
void journal_discard(struct journal *journal);

// Checks one line (without its newline): true and its numbers when it is whole. For the fuzzer and
// for journal_open() itself.
bool journal_line_check(const char *line, size_t size, int64_t *ret_seq, int64_t *ret_safe);

// The same frame around members of the caller's choice: writes the line with a newline into buf.
// Returns its size, or -EMSGSIZE.
int journal_line_format(char *buf, size_t capacity, int64_t seq, int64_t safe, const char *members,
                        size_t size);
