// record: games as text that other programs read and write.
//
//   pente.org text   headers in brackets, numbered moves, result             (records F1)
//   SGF              GM[4] RU[Pente], captures as a following AE node        (F2)
//   traditional      "1.)0,D1 2.)R3,R2D1* … 1-0"                             (F3)
//   booklet          Pentago: "1. 2/5 1R", one move a line                   (F4)
//   openspiel        Pentago: "a1s b2t …"                                    (F5)
//   number           Pentago: G. Irving's position number, one per ply       (F6)
//
// Reading forgives what real files do (CR LF, headers in any order, unknown headers, comments, a
// missing result, lower case) and plays every move through game_play. A file whose tail is wrong is
// not lost: the legal part is kept and `fault` says what is wrong, at which move, in which line.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "rules/game.h"

enum {
    RECORD_TEXT_MAX = 256 * 1024, // longest text that is read
    RECORD_TAGS_MAX = 24,
    RECORD_KEY_MAX = 32, // bytes with the NUL
    RECORD_VALUE_MAX = 128,
    RECORD_FAULT_MAX = 256,
};

enum record_format {
    RECORD_AUTO, // by what the text looks like (reading only)
    RECORD_PENTEORG,
    RECORD_SGF,
    RECORD_TRADITIONAL,
    RECORD_BOOKLET,
    RECORD_OPENSPIEL,
    RECORD_NUMBER,
};

enum stated_result {
    STATED_NONE,    // the text gives no result
    STATED_FIRST,   // 1-0
    STATED_SECOND,  // 0-1
    STATED_DRAW,    // 1/2-1/2
    STATED_UNKNOWN, // "?", "*", "0-0": nobody won (yet)
};

struct record_tag {
    char key[RECORD_KEY_MAX];     // as pente.org writes it: "Player 1 Name"
    char value[RECORD_VALUE_MAX]; // UTF-8, unescaped
};

struct record_fault {
    enum reason reason;          // REASON_NONE = the text is in order
    unsigned move;               // 1-based number of the stone (or choice) at fault, 0 = not a move
    int line, column;            // 1-based
    char text[RECORD_FAULT_MAX]; // sentence for people
};

struct record {
    struct game game; // all legal moves, played
    enum stated_result stated;
    unsigned stated_moves; // moves in the text, illegal tail included
    struct record_fault fault;
    unsigned tag_count;
    struct record_tag tags[RECORD_TAGS_MAX]; // except those that `game` and `stated` hold
};

// House variants that a record may name, beside the table. May be NULL.
struct variant_list {
    const struct variant *variants;
    size_t count;
};

// Reads a text. 0: *ret is filled, look at ret->fault. -EINVAL: not a record of that format at all,
// -E2BIG: longer than RECORD_TEXT_MAX; *ret is unchanged, err has line and column. `rules` (may be
// NULL) replaces the variant the text names, for formats that name none; the Pentago forms default
// to "pentago", the traditional form to "pente".
int record_read(const char *text, size_t length, enum record_format format,
                const struct variant *rules, const struct variant_list *house, struct record *ret,
                struct error *err);

// Starts a record of a game for writing: tags empty, the stated result from the game's.
void record_init(struct record *record, const struct game *game);

// The value of a tag, NULL when there is none.
const char *record_tag(const struct record *record, const char *key);

// Sets a tag (cut to its maximum). -ENOSPC when there are too many.
int record_set_tag(struct record *record, const char *key, const char *value);

// Writes the record into buf (NUL-terminated) and its length into *ret_length. -ENOSPC: buf is too
// small, -ENOTSUP: the format cannot express this game (err says why); buf is then undefined.
// RECORD_WRITE_MAX bytes always suffice.
enum { RECORD_WRITE_MAX = 64 * 1024 };
int record_write(const struct record *record, enum record_format format, char *buf, size_t size,
                 size_t *ret_length, struct error *err);

// "pente.org", "sgf", "traditional", "booklet", "openspiel", "number". -EINVAL for another name.
const char *record_format_name(enum record_format format);
int record_format_parse(const char *name, enum record_format *ret);
