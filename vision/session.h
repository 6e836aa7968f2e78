// session: a recorded session, a folder that replays every input of the controller.
//
//   meta.yaml      name, board, camera, lens, light, date, notes (written once by the owner)
//   events.jsonl   one JSON object a line: {"t":ns,"ch":"…",…}, append-only
//   frames.mjpeg   the camera's own JPEGs one after the other, never re-encoded
//
// A frame is an event {"t":…,"ch":"frame","seq":…,"offset":…,"size":…,"crc":…} (crc = CRC-32C of
// its bytes). Every other channel carries any JSON value under "data":
// {"t":…,"ch":"serial","data":…}. Frames reach the disk before their event, so after a crash
// everything up to the last whole line is good; the reader drops an unfinished last line and
// refuses anything else that is broken, with the line.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "vision/frame_source.h"

enum {
    SESSION_CHANNEL_MAX = 24,     // bytes of a channel name with its NUL; [a-z0-9._-]
    SESSION_LINE_MAX = 64 << 10,  // bytes of a line in events.jsonl
    SESSION_FRAME_MAX = 16 << 20, // bytes of one JPEG
};

struct session_writer;
struct session_reader;

struct session_event {
    int64_t time_ns;
    char channel[SESSION_CHANNEL_MAX];
    const char *data;    // JSON text of "data"; NULL for frames. Borrowed until the next call
    const uint8_t *jpeg; // the frame's bytes; NULL for other channels. Borrowed
    size_t jpeg_size;
    uint32_t sequence;
    int line; // in events.jsonl, 1-based
};

// Makes the folder (parents must exist). -EEXIST: it holds a session already. `meta_yaml` is
// written as it is.
int session_writer_new(const char *folder, const char *meta_yaml, struct session_writer **ret,
                       struct error *err);
// Flushes and closes; returns NULL. Errors of the last write are lost here: call _flush() first.
struct session_writer *session_writer_free(struct session_writer *writer);

// After an error (disk full…) the writer refuses everything with the same error: what stands is
// whole. -EINVAL: bad channel, data that is no JSON value, time going backwards. -EMSGSIZE: over a
// limit.
int session_write_event(struct session_writer *writer, int64_t time_ns, const char *channel,
                        const char *json, struct error *err);
int session_write_frame(struct session_writer *writer, int64_t time_ns, uint32_t sequence,
                        const uint8_t *jpeg, size_t size, struct error *err);
int session_writer_flush(struct session_writer *writer, struct error *err);

int session_reader_new(const char *folder, struct session_reader **ret, struct error *err);
struct session_reader *session_reader_free(struct session_reader *reader);
// Next event in order. -ENODATA: the end. -EBADMSG: a broken line or frame (err has file and line).
int session_reader_next(struct session_reader *reader, struct session_event *ret,
                        struct error *err);
void session_reader_rewind(struct session_reader *reader);

// One line of events.jsonl, without its newline, as the reader parses it (offered for fuzzing).
// ret_offset and ret_crc are written for frames only. *ret->data points into *ret_buffer, which is
// malloc'ed (free() it; NULL for frames).
int session_parse_line(const char *line, size_t size, struct session_event *ret,
                       uint64_t *ret_offset, uint32_t *ret_crc, char **ret_buffer,
                       struct error *err);

// A frame source that plays a session's frames in order, also those that are recorded as "again":
// the same bytes as the frame before (`fast`: as soon as asked; otherwise not before their time
// since the first read, CLOCK_MONOTONIC).
int session_source_open(const char *folder, bool fast, struct frame_source *ret, struct error *err);
