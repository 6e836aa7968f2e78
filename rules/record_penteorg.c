// pente.org text (F1): headers in brackets, moves in numbered pairs, the result last.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/notation.h"
#include "rules/record_internal.h"

enum { LINE_WIDTH = 80 };

// The site's headers in its order, with what to write where nothing is known. Game, Result and
// Rated are filled in from the game.
static const struct {
    const char *key, *unknown;
} headers[] = {
    {"Game", ""},
    {"Site", "Tessera"},
    {"Event", "-"},
    {"Round", "-"},
    {"Section", "-"},
    {"Date", "?"},
    {"Time", "?"},
    {"TimeControl", "-"},
    {"Rated", "N"},
    {"Player 1 Name", "?"},
    {"Player 2 Name", "?"},
    {"Player 1 Rating", "-"},
    {"Player 2 Rating", "-"},
    {"Player 1 Type", "Human"},
    {"Player 2 Type", "Human"},
    {"Result", ""},
};

// Headers of other sites with the same meaning.
static const struct {
    const char *other, *key;
} aliases[] = {
    {"GameType", "Game"},
    {"White", "Player 1 Name"},
    {"Black", "Player 2 Name"},
    {"WhiteRating", "Player 1 Rating"},
    {"BlackRating", "Player 2 Rating"},
    {"WhiteElo", "Player 1 Rating"},
    {"BlackElo", "Player 2 Rating"},
};

static const char swapped_key[] = "Player's Swapped?", choices_key[] = "Choices",
                  rules_key[] = "Rules";

struct header_set {
    char game[RECORD_VALUE_MAX], result[RECORD_VALUE_MAX], rules[RECORD_VALUE_MAX];
    char swapped[8], choices[RECORD_VALUE_MAX];
    struct place game_at;
    unsigned count;
};

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

// The header as the site spells it; programs differ in capitals, and some in the word.
static const char *site_key(const char *key)
{
    static const char *const own[] = {swapped_key, choices_key, rules_key};
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcasecmp(key, aliases[i].other) == 0)
            return aliases[i].key;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strcasecmp(key, headers[i].key) == 0)
            return headers[i].key;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcasecmp(key, own[i]) == 0)
            return own[i];
    return key;
}

static void store_header(struct reader *r, struct header_set *set, const char *key,
                         const char *value, struct place at)
{
    struct {
        const char *key;
        char *to;
        size_t size;
    } own[] = {{"Game", set->game, sizeof set->game},
               {"Result", set->result, sizeof set->result},
               {rules_key, set->rules, sizeof set->rules},
               {swapped_key, set->swapped, sizeof set->swapped},
               {choices_key, set->choices, sizeof set->choices}};
    set->count++;
    key = site_key(key);
    if (strcmp(key, "Game") == 0)
        set->game_at = at;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(key, own[i].key) == 0) {
            snprintf(own[i].to, own[i].size, "%s", value);
            return;
        }
    if (record_set_tag(r->record, key, value) != 0)
        reader_fault(r, REASON_TOO_LONG, 0, at, "There are more than %d headers.", RECORD_TAGS_MAX);
}

// Whether a header ends with the "] just read: behind it the next one begins (some files have
// several on a line), or the line holds no other end.
static bool header_ends(const struct scanner *s)
{
    size_t at = s->at;
    while (at < s->length && (s->text[at] == ' ' || s->text[at] == '\t'))
        at++;
    if (at < s->length && s->text[at] == '[')
        return true;
    for (char before = 0; at < s->length && s->text[at] != '\n' && s->text[at] != '\r'; at++) {
        if (before == '"' && s->text[at] == ']')
            return false;
        before = s->text[at];
    }
    return true;
}

// [key "value"]; the value may itself hold quotation marks.
static void read_header(struct reader *r, struct header_set *set)
{
    struct place at = scan_place(&r->scan);
    char line[RECORD_KEY_MAX + RECORD_VALUE_MAX + 8];
    size_t length = 0;
    int before = 0;
    for (int c = scan_next(&r->scan); c >= 0 && c != '\n' && c != '\r'; c = scan_next(&r->scan)) {
        if (length + 1 < sizeof line)
            line[length] = c ? (char)c : '?';
        length++;
        if (before == '"' && c == ']' && length < sizeof line && header_ends(&r->scan))
            break;
        before = c;
    }
    line[length < sizeof line ? length : sizeof line - 1] = '\0';
    trim(line);
    char *open = strchr(line, '"'), *close = strrchr(line, '"');
    if (length >= sizeof line || !open || open == close || strcmp(close + 1, "]") != 0) {
        reader_fault(r, REASON_BAD_HEADER, 0, at,
                     "A header should look like [Game \"Pente\"]; this line does not, or is too "
                     "long.");
        return;
    }
    *open = *close = '\0';
    char *key = line + 1 + strspn(line + 1, " \t");
    trim(key);
    if (*key == '\0' || strlen(key) >= RECORD_KEY_MAX || strlen(open + 1) >= RECORD_VALUE_MAX) {
        reader_fault(r, REASON_BAD_HEADER, 0, at, "This header has no name, or is too long.");
        return;
    }
    store_header(r, set, key, open + 1, at);
}

static void skip_until(struct scanner *s, int stop)
{
    for (int c = scan_next(s); c >= 0 && c != stop; c = scan_next(s))
        ;
}

// A variation (…) with whatever it holds.
static void skip_variation(struct scanner *s)
{
    unsigned depth = 0;
    do {
        int c = scan_next(s);
        if (c < 0)
            return;
        if (c == '{')
            skip_until(s, '}');
        depth += c == '(';
        depth -= c == ')';
    } while (depth > 0);
}

// Blanks, commas and what comments on the game: {…}, lines from ';', '#' or '%' on, (…) and $1.
static void skip_blanks(struct scanner *s)
{
    for (;;) {
        scan_blanks(s);
        int c = scan_peek(s);
        if (c == '{')
            skip_until(s, '}');
        else if (c == '(')
            skip_variation(s);
        else if (c == ';' || c == '#' || c == '%')
            scan_line(s);
        else if (c == ',')
            scan_next(s);
        else if (c == '$')
            while (scan_peek(s) == '$' || isdigit(scan_peek(s)))
                scan_next(s);
        else
            return;
    }
}

static void add_choice(struct reader *r, enum move_kind kind)
{
    if (r->choice_count < CHOICES_MAX)
        r->choices[r->choice_count++] = kind;
}

static void read_choices(struct reader *r, const struct header_set *set)
{
    const struct variant *v = &r->record->game.rules;
    for (const char *at = set->choices; *at;) {
        size_t length = strcspn(at, ", ");
        struct move move;
        if (move_parse(v, at, length, &move) && move.kind >= MOVE_FIRST && move.kind <= MOVE_PASS)
            add_choice(r, (enum move_kind)move.kind);
        at += length + strspn(at + length, ", ");
    }
    if (set->swapped[0] == '\0' || r->choice_count > 0)
        return;
    // Seat 2 chooses (seat 1 in Banks' form); a swap is to take the other seat's colour.
    bool swap = strcasecmp(set->swapped, "Yes") == 0;
    unsigned chooser = v->protocol == PROTOCOL_DPENTE_PBM ? 1 : 2;
    add_choice(r, swap == (chooser == 2) ? MOVE_FIRST : MOVE_SECOND);
}

// Rated games of Pente and Keryo-Pente are played with the tournament opening.
static bool rated_means_tournament(const struct variant *v)
{
    return strcmp(v->name, "pente") == 0 || strcmp(v->name, "keryo") == 0;
}

static void begin(struct reader *r, const struct header_set *set)
{
    char name[2 * RECORD_VALUE_MAX + 2];
    const char *rated = record_tag(r->record, "Rated");
    snprintf(name, sizeof name, "%s%s%s", set->game[0] ? set->game : "Pente",
             set->rules[0] ? "; " : "", set->rules);
    struct place at = set->game_at.line ? set->game_at : (struct place){1, 1};
    reader_begin(r, name, at);
    struct game *game = &r->record->game;
    if (!r->rules && rated && strcasecmp(rated, "Y") == 0 && rated_means_tournament(&game->rules) &&
        game->rules.opening == OPENING_CENTRE) {
        struct variant rules = game->rules;
        rules.opening = OPENING_TOURNAMENT;
        if (variant_validate(&rules, NULL) == 0)
            game_init(game, &rules);
    }
    read_choices(r, set);
}

// Characters of the move number that begins a word: "12", "12." or, before a move of the second
// player, "12..."; a move may be joined to it. 0: none, or too long to be one.
static size_t move_number(const char *word)
{
    enum { DIGITS_MAX = 4 };
    size_t digits = strspn(word, "0123456789"), dots = strspn(word + digits, ".");
    bool number = digits > 0 && digits <= DIGITS_MAX && (dots > 0 || word[digits] == '\0');
    return number ? digits + dots : 0;
}

// "K10!" and "K10?!" praise or blame a move; "?" alone is a result.
static void drop_praise(char *word)
{
    size_t length = strlen(word);
    while (length > 1 && (word[length - 1] == '!' || word[length - 1] == '?'))
        word[--length] = '\0';
}

static void read_word(struct reader *r, char *word, struct place at)
{
    struct move move;
    enum stated_result result;
    size_t number = move_number(word);
    word += number; // "12.K10", "12...L11"
    if (number > 0 && !*word)
        return;
    drop_praise(word);
    if (result_parse(word, &result)) {
        reader_result(r, result);
        return;
    }
    if (strcasecmp(word, "Resign") == 0 || strcasecmp(word, "Forfeit") == 0) {
        r->resigned = true;
        return;
    }
    if (r->record->stated_moves >= GAME_ENTRIES_MAX) {
        reader_fault(r, REASON_TOO_LONG, r->record->stated_moves, at,
                     "A game has at most %d moves.", GAME_ENTRIES_MAX);
        r->stopped = true;
    } else if (move_parse(&r->record->game.rules, word, strlen(word), &move) &&
               move.kind <= MOVE_PASS) {
        reader_move(r, move, at, word);
    } else {
        reader_bad_move(r, REASON_BAD_POINT, at, word);
    }
}

// A collection: what follows the first game is not mixed up with it.
static void another_game(struct reader *r, struct place at)
{
    if (r->record->stated == STATED_NONE)
        return; // the missing result is told first
    reader_fault(r, REASON_BAD_TEXT, 0, at,
                 "Headers follow after the moves, as if another game began here. Only the game "
                 "before them was read.");
}

// The result stands twice: in its header and behind the moves.
static void check_result(struct reader *r, const struct header_set *set)
{
    struct record *record = r->record;
    enum stated_result header = STATED_NONE;
    (void)result_parse(set->result, &header);
    bool decided = header != STATED_NONE && header != STATED_UNKNOWN;
    if (record->stated == STATED_NONE) {
        reader_fault(r, REASON_NO_RESULT, 0, scan_place(&r->scan),
                     "The text ends without a result (1-0, 0-1, 1/2-1/2 or ?). Perhaps it was cut "
                     "off; all moves up to here were read.");
        record->stated = header;
    } else if (r->ended && decided && header != record->stated) {
        reader_fault(r, REASON_WRONG_RESULT, 0, scan_place(&r->scan),
                     "The header gives the result %s, the moves end with %s.", result_text(header),
                     result_text(record->stated));
    }
}

int read_penteorg(struct reader *r, struct error *err)
{
    struct header_set set = {0};
    bool anything = false;
    for (skip_blanks(&r->scan); scan_peek(&r->scan) == '['; skip_blanks(&r->scan))
        read_header(r, &set);
    begin(r, &set);
    for (; scan_peek(&r->scan) >= 0; skip_blanks(&r->scan)) {
        char word[WORD_MAX];
        struct place at = scan_place(&r->scan);
        if (scan_peek(&r->scan) == '[') {
            another_game(r, at);
            break;
        }
        scan_word(&r->scan, "{;,($", word, sizeof word);
        read_word(r, word, at);
        anything = true;
    }
    if (!anything && set.count == 0)
        return error_set_at(err, -EINVAL, "", 1, 1,
                            "There are neither headers nor moves in this text.");
    check_result(r, &set);
    return 0;
}

static bool canonical(const char *key)
{
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strcmp(headers[i].key, key) == 0)
            return true;
    return false;
}

static void write_rules(const struct record *record, struct writer *w, const char *skip)
{
    char fields[RECORD_VALUE_MAX * 2];
    struct writer differing = {fields, sizeof fields, 0, false};
    fields[0] = '\0';
    record_write_fields(&differing, &record->game.rules, skip);
    w->full |= differing.full || differing.length >= RECORD_VALUE_MAX;
    if (differing.length > 2)
        write_text(w, "[%s \"%s\"]\r\n", rules_key, fields + 2);
}

// The choices of colour in the game's history, as a header.
static void write_choices(const struct record *record, struct writer *w)
{
    const struct game *game = &record->game;
    const char *separator = "";
    char choices[RECORD_VALUE_MAX];
    struct writer list = {choices, sizeof choices, 0, false};
    for (unsigned i = 0; i < game->entries; i++) {
        enum move_kind kind = (enum move_kind)game->history[i].kind;
        char text[MOVE_TEXT_MAX];
        if (kind != MOVE_FIRST && kind != MOVE_SECOND && kind != MOVE_PASS)
            continue;
        write_text(&list, "%s%s", separator, move_format(&game->rules, move_choice(kind), text));
        separator = ",";
    }
    if (list.length == 0)
        return;
    if (game->rules.protocol != PROTOCOL_SWAP2)
        write_text(w, "[%s \"%s\"]\r\n", swapped_key, game->swapped ? "Yes" : "No");
    else
        write_text(w, "[%s \"%s\"]\r\n", choices_key, choices);
}

static const char *header_value(const struct record *record, const char *key, const char *unknown,
                                const char *game_name)
{
    const struct variant *v = &record->game.rules;
    if (strcmp(key, "Game") == 0)
        return game_name;
    if (strcmp(key, "Result") == 0)
        return result_text(record_result(record));
    if (strcmp(key, "Rated") == 0 && rated_means_tournament(v))
        return v->opening == OPENING_TOURNAMENT ? "Y" : "N";
    const char *value = record_tag(record, key);
    return value ? value : unknown;
}

static void write_word(struct writer *w, size_t *column, const char *word)
{
    size_t length = strlen(word);
    if (*column > 0 && *column + 1 + length > LINE_WIDTH) {
        write_text(w, "\r\n");
        *column = 0;
    }
    write_text(w, "%s%s", *column ? " " : "", word);
    *column += length + (*column ? 1 : 0);
}

static void write_moves(const struct record *record, struct writer *w)
{
    const struct game *game = &record->game;
    size_t column = 0;
    unsigned laid = 0, round = game->rules.seat_count;
    for (unsigned i = 0; i < game->entries; i++) {
        struct move move = game_move(game, i);
        char word[MOVE_TEXT_MAX];
        if (move.kind == MOVE_RESIGN) {
            write_word(w, &column, "Resign");
            continue;
        }
        if (move.kind != MOVE_PLACE)
            continue;
        if (laid % round == 0) {
            snprintf(word, sizeof word, "%u.", laid / round + 1);
            write_word(w, &column, word);
        }
        laid++;
        write_word(w, &column, move_format(&game->rules, move, word));
    }
    write_word(w, &column, result_text(record_result(record)));
    write_text(w, "\r\n");
}

// The name for the Game header. The tournament openings of Pente and Keryo-Pente are no games of
// their own there but a matter of being rated.
static const char *split_rules(struct record *record)
{
    struct variant *v = &record->game.rules;
    if (strcmp(v->name, "pente-tournament") == 0)
        snprintf(v->name, sizeof v->name, "pente");
    else if (strcmp(v->name, "keryo-tournament") == 0)
        snprintf(v->name, sizeof v->name, "keryo");
    return record_site_name(v);
}

int write_penteorg(const struct record *given, struct writer *w, struct error *err)
{
    struct record record = *given;
    const char *name = split_rules(&record);
    if (record.game.rules.family == FAMILY_PENTAGO)
        return error_set_code(err, -ENOTSUP, "BadFormat",
                              "pente.org records are not for Pentago; use booklet or openspiel.");
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        write_text(w, "[%s \"%s\"]\r\n", headers[i].key,
                   header_value(&record, headers[i].key, headers[i].unknown, name));
    bool rated = rated_means_tournament(&record.game.rules) &&
                 (record.game.rules.opening == OPENING_TOURNAMENT ||
                  record.game.rules.opening == OPENING_CENTRE);
    write_rules(&record, w, rated ? "opening" : NULL);
    write_choices(&record, w);
    for (unsigned i = 0; i < record.tag_count; i++)
        if (!canonical(record.tags[i].key))
            write_text(w, "[%s \"%s\"]\r\n", record.tags[i].key, record.tags[i].value);
    write_text(w, "\r\n");
    write_moves(&record, w);
    return 0;
}
