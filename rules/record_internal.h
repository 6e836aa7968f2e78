// record_internal: what the formats share: a scanner that knows its place, a writer that cannot
// overflow, and a reader that plays what it reads and remembers the first fault.
#pragma once

#include "rules/record.h"

struct scanner {
    const char *text;
    size_t length, at;
    int line, column; // of the byte at `at`, 1-based
};

struct place {
    int line, column;
};

// The next byte, or -1 at the end.
static inline int scan_peek(const struct scanner *s)
{
    return s->at < s->length ? (unsigned char)s->text[s->at] : -1;
}

static inline struct place scan_place(const struct scanner *s)
{
    return (struct place){s->line, s->column};
}

int scan_next(struct scanner *s);
void scan_blanks(struct scanner *s); // spaces, tabs, line ends
void scan_line(struct scanner *s);   // the rest of the line, its end included

// Reads bytes up to a blank or one of `stops`; always terminated, and ending in "..." when it was
// cut. Returns the full length.
size_t scan_word(struct scanner *s, const char *stops, char *buf, size_t size);

struct writer {
    char *buf;
    size_t size, length;
    bool full; // something did not fit
};

void write_text(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { WORD_MAX = 40, CHOICES_MAX = 4 };

struct reader {
    struct scanner scan;
    struct record *record;
    const struct variant *rules; // given by the caller, or NULL
    const struct variant_list *house;
    bool begun;                          // the game has been set up
    bool stopped;                        // a move was refused: what follows is only counted
    bool ended;                          // the result has been read: no move may follow
    bool resigned;                       // the text says that somebody resigned, and not who
    struct effect effect;                // of the last move played
    unsigned choice_count, choices_used; // choices of colour that a header announces
    enum move_kind choices[CHOICES_MAX];
};

// Remembers a fault unless there was one before.
void reader_fault(struct reader *r, enum reason reason, unsigned move, struct place at,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

// Starts the game, once in every reading, by the rules called `name` ("Pente", "pente-team;
// size=13"), or by the caller's. An unknown name is a fault, and moves are then only counted.
void reader_begin(struct reader *r, const char *name, struct place at);

// Plays a move that stands at `at` as `word`. False when it was refused or is past a refused one.
bool reader_move(struct reader *r, struct move move, struct place at, const char *word);

// A result that stands where the moves end.
void reader_result(struct reader *r, enum stated_result result);

// A word that should be a move and is none.
void reader_bad_move(struct reader *r, enum reason reason, struct place at, const char *word);

// "1-0" and so on. False when the word is no result.
bool result_parse(const char *word, enum stated_result *ret);
const char *result_text(enum stated_result result);

// Ends the reading: what the stated result says about a game that did not end on the board.
void reader_finish(struct reader *r);

// Names of the rules as pente.org and SGF files have them. record_rules_find also reads fields that
// differ: "Pente; size=13; tria=any". False: no such game, or a field that is none; err says which.
bool record_rules_find(const char *name, const struct variant_list *house, struct variant *ret,
                       struct error *err);
const char *record_site_name(const struct variant *variant);

// Writes "; field=value" for each field of the rules that differs from those of the same name in
// the table, `skip` (may be NULL) aside.
void record_write_fields(struct writer *w, const struct variant *variant, const char *skip);

// The result to write: of the game when it is over, else what was stated.
enum stated_result record_result(const struct record *record);

int read_penteorg(struct reader *r, struct error *err);
int read_sgf(struct reader *r, struct error *err);
int read_traditional(struct reader *r, struct error *err);
int read_booklet(struct reader *r, struct error *err);
int read_openspiel(struct reader *r, struct error *err);
int read_number(struct reader *r, struct error *err);

int write_penteorg(const struct record *record, struct writer *w, struct error *err);
int write_sgf(const struct record *record, struct writer *w, struct error *err);
int write_traditional(const struct record *record, struct writer *w, struct error *err);
int write_booklet(const struct record *record, struct writer *w, struct error *err);
int write_openspiel(const struct record *record, struct writer *w, struct error *err);
int write_number(const struct record *record, struct writer *w, struct error *err);
