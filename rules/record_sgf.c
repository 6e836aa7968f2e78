// SGF FF[4] for games of the Pente family (F2): reading.
//
// Only the main line is followed. Moves are two letters (column from the left, row from the top)
// or, as pente.org writes them, points like K10. Which of B and W is colour 1 is seen from the
// first move. AE nodes after a move must name the stones that the rules remove; without them the
// captures are recomputed. A position that AB and AW set up before the first move is where the game
// starts.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules/notation.h"
#include "rules/record_internal.h"
#include "rules/record_sgf.h"

enum { IDENT_MAX = 16, GM_GOMOKU = 4, GM_PENTEORG = 100 };

struct sgf {
    struct reader *r;
    char first;    // 'B' or 'W': the letter of colour 1, 0 = not seen yet
    char winner;   // letter in RE, 0 = none
    bool resigned; // RE[W+R]
    bool root;     // still in the first node
    char rules[RECORD_VALUE_MAX];
    char size[8];
    char names[2][RECORD_VALUE_MAX], ranks[2][RECORD_VALUE_MAX]; // of B and W
    struct place rules_at, size_at;
    struct sgf_setup setup;
    // The last move's removed stones, and which of them AE has named.
    struct point removed[CAPTURED_MAX + POOFED_MAX];
    bool named[CAPTURED_MAX + POOFED_MAX];
    unsigned removed_count, named_count;
    struct place removed_at;
};

// One property value, unescaped (F2: \] \\ \:), cut to size. False when the text ends inside it.
static bool read_value(struct scanner *s, char *buf, size_t size)
{
    size_t length = 0;
    scan_next(s); // '['
    for (int c = scan_next(s); c != ']'; c = scan_next(s)) {
        if (c == '\\') {
            c = scan_next(s);
            if (c == '\r' && scan_peek(s) == '\n')
                c = scan_next(s);
            if (c == '\n')
                continue; // an escaped line end is none
        }
        if (c < 0)
            return false;
        if (length + 1 < size)
            buf[length++] = c == '\n' || c == '\r' || c == '\0' || c == '\t' ? ' ' : (char)c;
    }
    buf[length] = '\0';
    return true;
}

static void check_removed(struct sgf *sgf)
{
    if (sgf->named_count > 0 && sgf->named_count < sgf->removed_count)
        reader_fault(sgf->r, REASON_BAD_CAPTURES, sgf->r->record->stated_moves, sgf->removed_at,
                     "AE removes %u stones after move %u; by the rules it is %u.", sgf->named_count,
                     sgf->r->record->stated_moves, sgf->removed_count);
    sgf->removed_count = sgf->named_count = 0;
}

static void remember_removed(struct sgf *sgf)
{
    const struct effect *effect = &sgf->r->effect;
    for (unsigned i = 0; i < effect->captured_count; i++)
        sgf->removed[sgf->removed_count++] = effect->captured[i];
    for (unsigned i = 0; i < effect->poofed_count; i++)
        sgf->removed[sgf->removed_count++] = effect->poofed[i];
    memset(sgf->named, 0, sizeof sgf->named);
}

// The position that is set up becomes the game's. Who moves next is what PL or the first move says.
static void begin_setup(struct sgf *sgf)
{
    struct error err;
    if (sgf->setup.count == 0 || sgf->r->stopped)
        return;
    if (sgf_setup_apply(&sgf->setup, &sgf->r->record->game, &sgf->first, &err) == 0)
        return;
    reader_fault(sgf->r, REASON_BAD_SETUP, 0, sgf->setup.at, "%s", err.text);
    sgf->r->stopped = true;
}

// Rows are counted from the top: on a board of another size every stone would lie elsewhere.
static void check_size(struct sgf *sgf, const char *name)
{
    struct reader *r = sgf->r;
    struct variant rules, sized;
    if (!sgf->size[0])
        return;
    if (r->rules)
        rules = *r->rules;
    else if (!record_rules_find(name, r->house, &rules, NULL))
        return; // reader_begin will say so
    sized = rules;
    if (variant_set(&sized, "size", sgf->size, NULL) == 0 &&
        (r->rules ? sized.size == rules.size : variant_validate(&sized, NULL) == 0))
        return;
    reader_fault(r, REASON_UNKNOWN_GAME, 0, sgf->size_at,
                 "SZ[%s] is not the size of a board on which %s is played%s.", sgf->size,
                 rules.title, r->rules ? " here" : "");
    r->stopped = true;
}

// The rules are known once the first node is read, a set-up is whole at the first move.
static void begin(struct sgf *sgf)
{
    char name[2 * RECORD_VALUE_MAX];
    const char *rules = sgf->rules[0] ? sgf->rules : "Pente";
    sgf->root = false;
    if (sgf->r->begun)
        return;
    check_size(sgf, rules);
    snprintf(name, sizeof name, "%s%s%s", rules, sgf->size[0] ? "; size=" : "", sgf->size);
    reader_begin(sgf->r, name, sgf->rules_at);
    begin_setup(sgf);
}

static void read_move(struct sgf *sgf, char letter, const char *value, struct place at)
{
    struct reader *r = sgf->r;
    struct point p;
    if (sgf->first == 0)
        sgf->first = letter;
    begin(sgf);
    check_removed(sgf);
    const struct game *game = &r->record->game;
    if (r->record->stated_moves >= GAME_ENTRIES_MAX) {
        reader_fault(r, REASON_TOO_LONG, r->record->stated_moves, at,
                     "A game has at most %d moves.", GAME_ENTRIES_MAX);
        r->stopped = true;
        return;
    }
    if (!sgf_point(value, game->rules.size, &p)) {
        reader_bad_move(r, value[0] ? REASON_BAD_POINT : REASON_MALFORMED, at,
                        value[0] ? value : "a pass");
        return;
    }
    unsigned colour = letter == sgf->first ? 1 : 2;
    if (reader_move(r, move_place(colour, p.x, p.y), at, value))
        remember_removed(sgf);
}

static void name_removed(struct sgf *sgf, struct point p, struct place at)
{
    char text[MOVE_TEXT_MAX];
    for (unsigned i = 0; i < sgf->removed_count; i++)
        if (point_equal(sgf->removed[i], p)) {
            sgf->named_count += !sgf->named[i];
            sgf->named[i] = true;
            return;
        }
    reader_fault(sgf->r, REASON_BAD_CAPTURES, sgf->r->record->stated_moves, at,
                 "AE removes %s after move %u; by the rules that stone stays.",
                 point_format(p, text), sgf->r->record->stated_moves);
    sgf->r->stopped = true;
}

static void read_empty(struct sgf *sgf, const char *value, struct place at)
{
    struct point a, b;
    begin(sgf);
    if (sgf->r->stopped)
        return;
    sgf->removed_at = at;
    if (!sgf_points(value, sgf->r->record->game.rules.size, &a, &b)) {
        reader_fault(sgf->r, REASON_BAD_POINT, sgf->r->record->stated_moves, at,
                     "AE[%.20s] names no point of the board.", value);
        return;
    }
    for (int8_t y = a.y; y <= b.y; y++)
        for (int8_t x = a.x; x <= b.x; x++)
            name_removed(sgf, (struct point){x, y}, at);
}

// AB and AW belong before the first move; later they would change a game that is being played.
static void read_setup(struct sgf *sgf, char letter, const char *value, struct place at)
{
    if (!sgf->r->begun && sgf_setup_add(&sgf->setup, letter, value, at))
        return;
    reader_fault(sgf->r, REASON_BAD_SETUP, sgf->r->record->stated_moves, at,
                 sgf->r->begun ? "A%c puts stones on the board in the middle of the game; that is "
                                 "only possible before the first move."
                               : "A%c sets up more stones than a board has points, or names no "
                                 "point.",
                 letter);
    sgf->r->stopped = true;
}

static void read_choice(struct sgf *sgf, const char *value, struct place at)
{
    struct move move;
    begin(sgf);
    if (move_parse(&sgf->r->record->game.rules, value, strlen(value), &move) &&
        move.kind >= MOVE_FIRST && move.kind <= MOVE_PASS)
        reader_move(sgf->r, move, at, value);
    else
        reader_bad_move(sgf->r, REASON_BAD_CHOICE, at, value);
}

// "2024-05-31" to the site's "05/31/2024"; anything else stays.
static void set_date(struct record *record, const char *value)
{
    int year, month, day, used = 0;
    char text[32];
    if (sscanf(value, "%4d-%2d-%2d%n", &year, &month, &day, &used) == 3 && value[used] == '\0' &&
        used == 10) {
        snprintf(text, sizeof text, "%02d/%02d/%04d", month, day, year);
        value = text;
    }
    record_set_tag(record, "Date", value);
}

static void read_result(struct sgf *sgf, const char *value)
{
    struct record *record = sgf->r->record;
    if (strcmp(value, "0") == 0 || strcmp(value, "Draw") == 0 || strcmp(value, "D") == 0) {
        record->stated = STATED_DRAW;
    } else if ((value[0] == 'B' || value[0] == 'W') && value[1] == '+') {
        sgf->winner = value[0];
        sgf->resigned = strcmp(value + 2, "R") == 0 || strcmp(value + 2, "Resign") == 0;
    } else {
        record->stated = STATED_UNKNOWN;
    }
}

static void read_game_number(struct sgf *sgf, const char *value, struct place at)
{
    bool site = strlen(value) == 3 && value[0] == '1';
    if (strcmp(value, "4") == 0 || site)
        return;
    reader_fault(sgf->r, REASON_UNKNOWN_GAME, 0, at,
                 "GM[%.8s] is another game: GM[4] with RU[Pente] (or another name) is meant for "
                 "these.",
                 value);
    sgf->r->stopped = true;
}

// Copies a value that was cut to its maximum.
static void keep(char *to, size_t size, const char *value)
{
    size_t length = strlen(value);
    memcpy(to, value, length < size ? length : size - 1);
    to[length < size ? length : size - 1] = '\0';
}

// SZ[19]; some programs write SZ[19:19] for a square.
static void read_size(struct sgf *sgf, const char *value, struct place at)
{
    sgf->size_at = at;
    size_t length = strcspn(value, ":");
    keep(sgf->size, sizeof sgf->size, value);
    if (value[length] == ':' && length < sizeof sgf->size && strlen(value + length + 1) == length &&
        strncmp(value, value + length + 1, length) == 0)
        sgf->size[length] = '\0';
}

static void read_root(struct sgf *sgf, const char *ident, const char *value, struct place at)
{
    static const struct {
        const char *ident, *key;
    } tags[] = {{"EV", "Event"}, {"RO", "Round"}, {"PC", "Site"}, {"TM", "TimeControl"}};
    if (strcmp(ident, "GM") == 0)
        read_game_number(sgf, value, at);
    else if (strcmp(ident, "SZ") == 0)
        read_size(sgf, value, at);
    else if (strcmp(ident, "PB") == 0 || strcmp(ident, "PW") == 0)
        keep(sgf->names[ident[1] == 'W'], RECORD_VALUE_MAX, value);
    else if (strcmp(ident, "BR") == 0 || strcmp(ident, "WR") == 0)
        keep(sgf->ranks[ident[0] == 'W'], RECORD_VALUE_MAX, value);
    else if (strcmp(ident, "PL") == 0 && (value[0] == 'B' || value[0] == 'W'))
        sgf->first = value[0];
    else if (strcmp(ident, "DT") == 0)
        set_date(sgf->r->record, value);
    else if (strcmp(ident, "RE") == 0)
        read_result(sgf, value);
    else if (strcmp(ident, "RU") == 0) {
        keep(sgf->rules, sizeof sgf->rules, value);
        sgf->rules_at = at;
    }
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (strcmp(ident, tags[i].ident) == 0)
            record_set_tag(sgf->r->record, tags[i].key, value);
}

static void read_property(struct sgf *sgf, const char *ident, const char *value, struct place at)
{
    if (strcmp(ident, "B") == 0 || strcmp(ident, "W") == 0)
        read_move(sgf, ident[0], value, at);
    else if (strcmp(ident, "AE") == 0)
        read_empty(sgf, value, at);
    else if (strcmp(ident, "CHOICE") == 0)
        read_choice(sgf, value, at);
    else if (strcmp(ident, "AB") == 0 || strcmp(ident, "AW") == 0)
        read_setup(sgf, ident[1], value, at);
    else if (sgf->root)
        read_root(sgf, ident, value, at);
}

// Properties up to the end of the node. False at a fault of the text itself.
static bool read_node(struct sgf *sgf)
{
    struct scanner *s = &sgf->r->scan;
    for (scan_blanks(s); scan_peek(s) >= 0 && isalpha(scan_peek(s)); scan_blanks(s)) {
        char ident[IDENT_MAX] = "", value[RECORD_VALUE_MAX] = "";
        size_t length = 0;
        struct place at = scan_place(s);
        for (int c = scan_peek(s); c >= 0 && isalpha(c); c = scan_peek(s)) {
            // Lower case letters of old files (FF[3]: "Black") are no part of the name.
            if (isupper(c) && length + 1 < sizeof ident)
                ident[length++] = (char)c;
            scan_next(s);
        }
        ident[length] = '\0';
        scan_blanks(s);
        if (scan_peek(s) != '[')
            return false;
        for (; scan_peek(s) == '['; scan_blanks(s)) {
            if (!read_value(s, value, sizeof value))
                return false;
            read_property(sgf, ident, value, at);
        }
    }
    return true;
}

static void finish(struct sgf *sgf)
{
    struct record *record = sgf->r->record;
    begin(sgf);
    check_removed(sgf);
    char first = sgf->first;
    if (first == 0) // no move and no PL: by what the colours of this game are called
        first = sgf_letter(&record->game.rules, 1);
    bool white_first = first == 'W';
    for (unsigned player = 0; player < 2; player++) {
        const char *name = sgf->names[white_first ^ (player == 1)];
        const char *rank = sgf->ranks[white_first ^ (player == 1)];
        if (name[0])
            record_set_tag(record, player ? "Player 2 Name" : "Player 1 Name", name);
        if (rank[0])
            record_set_tag(record, player ? "Player 2 Rating" : "Player 1 Rating", rank);
    }
    if (sgf->winner)
        record->stated = sgf->winner == first ? STATED_FIRST : STATED_SECOND;
    sgf->r->resigned = sgf->resigned;
}

// Text before "(;", such as the head of a mail, is no part of the file. False when there is none.
static bool skip_to_tree(struct scanner *s)
{
    for (; scan_peek(s) >= 0; scan_next(s)) {
        if (scan_peek(s) != '(')
            continue;
        struct scanner ahead = *s;
        scan_next(&ahead);
        scan_blanks(&ahead);
        if (scan_peek(&ahead) == ';' || scan_peek(&ahead) == '(')
            return true;
    }
    return false;
}

int read_sgf(struct reader *r, struct error *err)
{
    struct sgf sgf = {.r = r, .root = true, .rules_at = {1, 1}};
    struct scanner *s = &r->scan;
    if (!skip_to_tree(s))
        return error_set_at(err, -EINVAL, "", s->line, s->column,
                            "An SGF file begins with \"(;\"; this text has none.");
    // The main line is the first branch everywhere: "(" goes into it, the first ")" ends it.
    for (int c = scan_peek(s); c != ')'; c = scan_peek(s)) {
        bool whole = c == ';' || c == '(' || (c >= 0 && isspace(c));
        if (whole)
            scan_next(s);
        if (c == ';')
            whole = read_node(&sgf);
        if (!whole) {
            reader_fault(r, REASON_BAD_TEXT, 0, scan_place(s),
                         "The text breaks off here, or this is not SGF. All moves before it were "
                         "read.");
            break;
        }
    }
    finish(&sgf);
    return 0;
}
