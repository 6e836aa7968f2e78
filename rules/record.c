// Records: what all formats share, and the choice between them.
#include "rules/record.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules/notation.h"
#include "rules/record_internal.h"

int scan_next(struct scanner *s)
{
    int c = scan_peek(s);
    if (c < 0)
        return c;
    s->at++;
    s->column++;
    // A line ends with LF, CR LF, or, in old files, CR alone.
    if (c == '\n' || (c == '\r' && scan_peek(s) != '\n')) {
        s->line++;
        s->column = 1;
    }
    return c;
}

void scan_blanks(struct scanner *s)
{
    while (scan_peek(s) >= 0 && isspace(scan_peek(s)))
        scan_next(s);
}

void scan_line(struct scanner *s)
{
    for (int line = s->line; scan_peek(s) >= 0 && s->line == line;)
        scan_next(s);
}

size_t scan_word(struct scanner *s, const char *stops, char *buf, size_t size)
{
    size_t length = 0;
    for (int c = scan_peek(s); c >= 0 && !isspace(c) && (c == 0 || !strchr(stops, c));
         c = scan_peek(s)) {
        if (length + 1 < size)
            buf[length] = isprint(c) ? (char)c : '#'; // shown in messages, and in no valid word
        length++;
        scan_next(s);
    }
    buf[length < size ? length : size - 1] = '\0';
    if (length >= size)
        memcpy(buf + size - 4, "...", 3); // so that what was cut can't pass for a word
    return length;
}

static void write_list(struct writer *w, const char *format, va_list args)
{
    size_t left = w->size - w->length;
    int length = vsnprintf(w->buf + w->length, left, format, args);
    if ((size_t)length >= left)
        w->full = true;
    else
        w->length += (size_t)length;
}

void write_text(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_list(w, format, args);
    va_end(args);
}

void reader_fault(struct reader *r, enum reason reason, unsigned move, struct place at,
                  const char *format, ...)
{
    struct record_fault *fault = &r->record->fault;
    if (fault->reason != REASON_NONE)
        return;
    *fault =
        (struct record_fault){.reason = reason, .move = move, .line = at.line, .column = at.column};
    struct writer text = {fault->text, sizeof fault->text, 0, false};
    va_list args;
    va_start(args, format);
    write_list(&text, format, args);
    va_end(args);
}

void reader_begin(struct reader *r, const char *name, struct place at)
{
    struct variant found = r->rules ? *r->rules : *variant_find("pente");
    r->begun = true;
    struct error err;
    if (!r->rules && !record_rules_find(name, r->house, &found, &err)) {
        reader_fault(r, REASON_UNKNOWN_GAME, 0, at, "%s", err.text);
        r->stopped = true;
    }
    game_init(&r->record->game, &found);
}

// A stone stands where a choice is due: the header says what was chosen; without one nobody
// swapped, which moves no player to another colour.
static void make_due_choice(struct reader *r)
{
    struct game *game = &r->record->game;
    while (game_choice_pending(game)) {
        enum move_kind kept = game_choice_pending(game) == 1 ? MOVE_FIRST : MOVE_SECOND;
        enum move_kind kind =
            r->choices_used < r->choice_count ? r->choices[r->choices_used++] : kept;
        game_play(game, move_choice(game_choice_allowed(game, kind) ? kind : kept), NULL);
    }
}

void reader_result(struct reader *r, enum stated_result result)
{
    enum stated_result first = r->record->stated;
    if (r->ended) { // some files repeat it
        if (result != first && result != STATED_UNKNOWN)
            reader_fault(r, REASON_WRONG_RESULT, 0, scan_place(&r->scan),
                         "The text gives two results, %s and then %s. The first was kept.",
                         result_text(first), result_text(result));
        return;
    }
    r->record->stated = result;
    r->ended = result != STATED_UNKNOWN; // "?" may also stand for a remark on a move
}

bool reader_move(struct reader *r, struct move move, struct place at, const char *word)
{
    struct record *record = r->record;
    bool stone = move.kind == MOVE_PLACE || move.kind == MOVE_PAIR;
    record->stated_moves += stone;
    if (r->ended && !r->stopped) {
        reader_fault(r, REASON_GAME_OVER, record->stated_moves, at,
                     "Move %u, %s, stands after the result %s. Only what stands before the result "
                     "was read.",
                     record->stated_moves, word, result_text(record->stated));
        r->stopped = true;
    }
    if (r->stopped)
        return false;
    if (stone)
        make_due_choice(r);
    enum reason reason = game_play(&record->game, move, &r->effect);
    if (reason == REASON_NONE)
        return true;
    char sentence[RECORD_FAULT_MAX];
    reason_explain(reason, &record->game, &move, sentence, sizeof sentence);
    reader_fault(r, reason, record->stated_moves, at, "Move %u, %s, is not allowed. %.200s",
                 record->stated_moves, word, sentence);
    r->stopped = true;
    return false;
}

void reader_bad_move(struct reader *r, enum reason reason, struct place at, const char *word)
{
    if (r->ended) {
        reader_fault(r, REASON_BAD_TEXT, 0, at,
                     "The text goes on after the result %s, with \"%s\". Only what stands before "
                     "the result was read.",
                     result_text(r->record->stated), word);
        return;
    }
    unsigned number = ++r->record->stated_moves;
    if (r->stopped)
        return;
    reader_fault(r, reason, number, at, "Move %u should stand here, but \"%s\" is not a %s.",
                 number, word,
                 reason == REASON_BAD_POINT ? "point of the board" : "move of this game");
    r->stopped = true;
}

static const struct {
    const char *text;
    enum stated_result result;
} results[] = {
    {"1-0", STATED_FIRST}, {"0-1", STATED_SECOND}, {"1/2-1/2", STATED_DRAW},
    {"?", STATED_UNKNOWN}, {"*", STATED_UNKNOWN},  {"0-0", STATED_UNKNOWN},
};

bool result_parse(const char *word, enum stated_result *ret)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (strcmp(word, results[i].text) == 0) {
            *ret = results[i].result;
            return true;
        }
    return false;
}

const char *result_text(enum stated_result result)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (results[i].result == result)
            return results[i].text;
    return "?";
}

enum stated_result record_result(const struct record *record)
{
    const struct result *result = &record->game.result;
    if (!result->over)
        return record->stated;
    if (result->winner == 0)
        return result->how & HOW_RESIGN ? STATED_UNKNOWN : STATED_DRAW;
    return result->winner == 1   ? STATED_FIRST
           : result->winner == 2 ? STATED_SECOND
                                 : STATED_UNKNOWN;
}

// A colour of the given side.
static unsigned side_colour(const struct variant *v, unsigned side)
{
    for (unsigned c = 1; c <= v->colours; c++)
        if (v->sides[c] == side)
            return c;
    return 1;
}

// A game that ended on the board has the result that the board shows, whatever the text says.
static void compare_result(struct reader *r)
{
    enum stated_result shown = record_result(r->record), stated = r->record->stated;
    if (shown == stated || shown == STATED_UNKNOWN || stated == STATED_NONE ||
        stated == STATED_UNKNOWN)
        return;
    reader_fault(r, REASON_WRONG_RESULT, 0, scan_place(&r->scan),
                 "The text gives the result %s, but on the board the game ended %s with move %u.",
                 result_text(stated), result_text(shown), r->record->stated_moves);
}

void reader_finish(struct reader *r)
{
    struct record *record = r->record;
    struct game *game = &record->game;
    if (r->stopped)
        return;
    if (game->result.over) {
        compare_result(r);
        return;
    }
    while (r->choices_used < r->choice_count &&
           game_choice_allowed(game, r->choices[r->choices_used]))
        game_play(game, move_choice(r->choices[r->choices_used++]), NULL);
    unsigned sides = variant_side_count(&game->rules);
    if (r->resigned) {
        struct move move = move_choice(MOVE_RESIGN);
        if (sides == 2 && (record->stated == STATED_FIRST || record->stated == STATED_SECOND))
            move.colour =
                (uint8_t)side_colour(&game->rules, record->stated == STATED_FIRST ? 2 : 1);
        game_play(game, move, NULL);
    } else if (record->stated == STATED_DRAW) {
        // Not full and no rule made it a draw: the players agreed.
        for (unsigned side = 1; side <= sides; side++) {
            struct move move = move_choice(MOVE_DRAW);
            move.colour = (uint8_t)side_colour(&game->rules, side);
            game_play(game, move, NULL);
        }
    }
}

static const struct {
    const char *name;
    int (*read)(struct reader *r, struct error *err);
    int (*write)(const struct record *record, struct writer *w, struct error *err);
} formats[] = {
    [RECORD_AUTO] = {"auto", NULL, NULL},
    [RECORD_PENTEORG] = {"pente.org", read_penteorg, write_penteorg},
    [RECORD_SGF] = {"sgf", read_sgf, write_sgf},
    [RECORD_TRADITIONAL] = {"traditional", read_traditional, write_traditional},
    [RECORD_BOOKLET] = {"booklet", read_booklet, write_booklet},
    [RECORD_OPENSPIEL] = {"openspiel", read_openspiel, write_openspiel},
    [RECORD_NUMBER] = {"number", read_number, write_number},
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const char *record_format_name(enum record_format format)
{
    return (unsigned)format < FORMAT_COUNT ? formats[format].name : "";
}

int record_format_parse(const char *name, enum record_format *ret)
{
    for (unsigned i = RECORD_PENTEORG; i < FORMAT_COUNT; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *ret = (enum record_format)i;
            return 0;
        }
    return -EINVAL;
}

// What a text looks like by its first word or two.
static enum record_format guess(struct scanner s)
{
    char first[WORD_MAX], second[WORD_MAX];
    struct move move;
    scan_blanks(&s);
    int c = scan_peek(&s);
    if (c == '(')
        return RECORD_SGF;
    if (c == '[' || c == '{' || c == '#' || c == '%')
        return RECORD_PENTEORG;
    scan_word(&s, "", first, sizeof first);
    scan_blanks(&s);
    scan_word(&s, "", second, sizeof second);
    if (strstr(first, ".)"))
        return RECORD_TRADITIONAL;
    if (strchr(first, '/') || (strchr(first, '.') && strchr(second, '/')))
        return RECORD_BOOKLET;
    if (move_parse_openspiel(first, strlen(first), &move))
        return RECORD_OPENSPIEL;
    size_t digits = strspn(first, "0123456789");
    if (digits > 0 && (first[digits] == '\0' || strcmp(first + digits, "m") == 0))
        return RECORD_NUMBER;
    return RECORD_PENTEORG;
}

int record_read(const char *text, size_t length, enum record_format format,
                const struct variant *rules, const struct variant_list *house, struct record *ret,
                struct error *err)
{
    if (length > RECORD_TEXT_MAX)
        return error_set_code(err, -E2BIG, "BadRecord",
                              "A game record may have at most %d KiB; this one has %zu.",
                              RECORD_TEXT_MAX / 1024, length / 1024);
    if ((unsigned)format >= FORMAT_COUNT)
        return error_set_code(err, -EINVAL, "BadRecord", "There is no such format of records.");
    struct record record;
    memset(&record, 0, offsetof(struct record, game.history));
    memset(&record.stated, 0, sizeof record - offsetof(struct record, stated));
    struct reader reader = {
        .scan = {text, length, 0, 1, 1}, .record = &record, .rules = rules, .house = house};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader.scan.at = 3; // a byte order mark is no part of the text
    if (format == RECORD_AUTO)
        format = guess(reader.scan);
    int rc = formats[format].read(&reader, err);
    if (rc != 0)
        return rc;
    reader_finish(&reader);
    *ret = record;
    return 0;
}

void record_init(struct record *record, const struct game *game)
{
    record->game = *game;
    memset(&record->stated, 0, sizeof *record - offsetof(struct record, stated));
    record->stated = STATED_UNKNOWN;
    record->stated = record_result(record);
    record->stated_moves = game->ply;
}

const char *record_tag(const struct record *record, const char *key)
{
    for (unsigned i = 0; i < record->tag_count; i++)
        if (strcmp(record->tags[i].key, key) == 0)
            return record->tags[i].value;
    return NULL;
}

int record_set_tag(struct record *record, const char *key, const char *value)
{
    struct record_tag *tag = NULL;
    for (unsigned i = 0; i < record->tag_count; i++)
        if (strcmp(record->tags[i].key, key) == 0)
            tag = &record->tags[i];
    if (!tag) {
        if (record->tag_count == RECORD_TAGS_MAX)
            return -ENOSPC;
        tag = &record->tags[record->tag_count++];
        snprintf(tag->key, sizeof tag->key, "%s", key);
    }
    size_t length = strlen(value);
    if (length >= sizeof tag->value) {
        length = sizeof tag->value - 1;
        while (length > 0 && ((unsigned char)value[length] & 0xC0) == 0x80)
            length--; // do not cut a UTF-8 character in two
    }
    memcpy(tag->value, value, length);
    tag->value[length] = '\0';
    return 0;
}

static bool began_from_setup(const struct game *game)
{
    struct game start = *game;
    while (game_undo(&start))
        ;
    unsigned counters = 0;
    for (unsigned c = 1; c <= COLOURS_MAX; c++)
        counters |= start.stones_taken[c] | start.captures[c];
    return start.stones != 0 || start.ply != 0 || counters != 0;
}

int record_write(const struct record *record, enum record_format format, char *buf, size_t size,
                 size_t *ret_length, struct error *err)
{
    if (format == RECORD_AUTO || (unsigned)format >= FORMAT_COUNT)
        return error_set_code(err, -ENOTSUP, "BadFormat",
                              "Games are written as pente.org, sgf, "
                              "traditional, booklet, openspiel or "
                              "number.");
    if (size == 0)
        return -ENOSPC;
    if (format != RECORD_SGF && began_from_setup(&record->game))
        return error_set_code(err, -ENOTSUP, "BadFormat",
                              "This game began from a position that was set up; a %s record can't "
                              "say so, SGF can.",
                              formats[format].name);
    struct writer w = {buf, size, 0, false};
    buf[0] = '\0'; // a game without moves may have no text at all
    int rc = formats[format].write(record, &w, err);
    if (rc != 0)
        return rc;
    if (w.full)
        return error_set(err, -ENOSPC, "The record does not fit into %zu bytes.", size);
    *ret_length = w.length;
    return 0;
}
