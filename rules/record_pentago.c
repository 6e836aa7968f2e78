// Pentago records: the booklet's notation (F4), OpenSpiel's (F5) and position numbers (F6).
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/notation.h"
#include "rules/record_internal.h"

static int need_pentago(const struct variant *rules, struct error *err)
{
    if (!rules || rules->family == FAMILY_PENTAGO)
        return 0;
    return error_set_code(err, -EINVAL, "BadRecord",
                          "This is the notation of a Pentago game, not of %s.", rules->title);
}

static int need_moves(const struct reader *r, const char *example, struct error *err)
{
    if (r->record->stated_moves > 0 || r->record->stated != STATED_NONE)
        return 0;
    return error_set_at(err, -EINVAL, "", 1, 1, "This should read like \"%s\"; there are no moves.",
                        example);
}

static bool is_twist(const char *word)
{
    return isdigit((unsigned char)word[0]) && isalpha((unsigned char)word[1]) && word[2] == '\0';
}

// A place, and the twist that follows it when there is one.
static void read_booklet_move(struct reader *r, const char *place_word, struct place at)
{
    struct scanner ahead = r->scan;
    char twist[WORD_MAX], word[2 * WORD_MAX];
    struct move move;
    scan_blanks(&ahead);
    scan_word(&ahead, "", twist, sizeof twist);
    bool twisted = is_twist(twist);
    if (twisted)
        r->scan = ahead;
    snprintf(word, sizeof word, "%s%s%s", place_word, twisted ? " " : "", twisted ? twist : "");
    if (move_parse(&r->record->game.rules, word, strlen(word), &move) && move.kind == MOVE_PLACE)
        reader_move(r, move, at, word);
    else
        reader_bad_move(r, REASON_MALFORMED, at, word);
}

int read_booklet(struct reader *r, struct error *err)
{
    int rc = need_pentago(r->rules, err);
    if (rc != 0)
        return rc;
    reader_begin(r, "pentago", scan_place(&r->scan));
    for (scan_blanks(&r->scan); scan_peek(&r->scan) >= 0; scan_blanks(&r->scan)) {
        char word[WORD_MAX];
        struct place at = scan_place(&r->scan);
        enum stated_result stated;
        scan_word(&r->scan, "", word, sizeof word);
        size_t digits = strspn(word, "0123456789");
        bool numbered = digits > 0 && word[digits] == '.';
        const char *move = numbered ? word + digits + 1 : word; // "3. 2/5", or joined: "3.2/5"
        if (*move == '\0')
            continue;
        if (result_parse(move, &stated))
            reader_result(r, stated);
        else
            read_booklet_move(r, move, at);
    }
    if (r->record->stated == STATED_NONE)
        reader_fault(r, REASON_NO_RESULT, 0, scan_place(&r->scan),
                     "The text ends without a result (1-0, 0-1, 1/2-1/2 or *).");
    return need_moves(r, "1. 2/5 1R", err);
}

int write_booklet(const struct record *record, struct writer *w, struct error *err)
{
    const struct game *game = &record->game;
    int rc = need_pentago(&game->rules, err);
    if (rc != 0)
        return -ENOTSUP;
    for (unsigned i = 0; i < game->ply; i++) {
        char word[MOVE_TEXT_MAX];
        write_text(w, "%u. %s\n", i + 1, move_format(&game->rules, game_move(game, i), word));
    }
    enum stated_result result = record_result(record);
    bool known = result == STATED_FIRST || result == STATED_SECOND || result == STATED_DRAW;
    write_text(w, "%s\n", known ? result_text(result) : "*");
    return 0;
}

int read_openspiel(struct reader *r, struct error *err)
{
    int rc = need_pentago(r->rules, err);
    if (rc != 0)
        return rc;
    // OpenSpiel always twists, and judges only after the twist.
    reader_begin(r, "pentago; twist=always; place_wins=false", scan_place(&r->scan));
    for (scan_blanks(&r->scan); scan_peek(&r->scan) >= 0; scan_blanks(&r->scan)) {
        char word[WORD_MAX];
        struct place at = scan_place(&r->scan);
        struct move move;
        scan_word(&r->scan, "", word, sizeof word);
        if (move_parse_openspiel(word, strlen(word), &move))
            reader_move(r, move, at, word);
        else
            reader_bad_move(r, REASON_MALFORMED, at, word);
    }
    return need_moves(r, "a1s b2t", err);
}

int write_openspiel(const struct record *record, struct writer *w, struct error *err)
{
    const struct game *game = &record->game;
    if (need_pentago(&game->rules, err) != 0)
        return -ENOTSUP;
    for (unsigned i = 0; i < game->ply; i++) {
        char word[MOVE_TEXT_MAX];
        if (!move_format_openspiel(game_move(game, i), word))
            return error_set_code(err, -ENOTSUP, "BadFormat",
                                  "Move %u has no twist; OpenSpiel's notation always has one.",
                                  i + 1);
        write_text(w, "%s%s", i ? " " : "", word);
    }
    write_text(w, "\n");
    return 0;
}

static bool same_position(struct pentago a, struct pentago b)
{
    return a.marbles[0] == b.marbles[0] && a.marbles[1] == b.marbles[1];
}

// The legal move that leads to the position; the first of several. With `marble` the position is
// the one before any twist.
static bool move_to(const struct game *game, struct pentago position, bool marble, struct move *ret)
{
    struct move legal[LEGAL_MAX];
    size_t count = game_legal(game, legal);
    unsigned colour = game_next_colour(game);
    for (size_t i = 0; i < count; i++) {
        struct pentago after = game->pentago;
        after.marbles[colour - 1] |= pentago_bit((unsigned)legal[i].x, (unsigned)legal[i].y);
        if (legal[i].block != 0 && !marble)
            after = pentago_twist(after, pentago_lane((unsigned)legal[i].block),
                                  (enum pentago_turn)legal[i].turn);
        if (same_position(after, position)) {
            *ret = legal[i];
            return true;
        }
    }
    return false;
}

// "70931694577586528m": m = the marble is laid, the twist is still to come.
static bool parse_number(const char *word, struct pentago *ret, bool *ret_marble)
{
    size_t digits = strspn(word, "0123456789");
    *ret_marble = strcmp(word + digits, "m") == 0;
    if (digits == 0 || digits > 20 || (word[digits] != '\0' && !*ret_marble))
        return false;
    errno = 0;
    unsigned long long number = strtoull(word, NULL, 10);
    return errno == 0 && pentago_from_number(number, ret);
}

int read_number(struct reader *r, struct error *err)
{
    struct place at = scan_place(&r->scan);
    bool waiting = false; // a position with 'm' waits for the one after the twist
    int rc = need_pentago(r->rules, err);
    if (rc != 0)
        return rc;
    reader_begin(r, "pentago", at);
    const struct game *game = &r->record->game;
    for (scan_blanks(&r->scan); scan_peek(&r->scan) >= 0; scan_blanks(&r->scan)) {
        char word[WORD_MAX];
        struct pentago position;
        struct move move = move_place(0, 0, 0);
        bool marble;
        at = scan_place(&r->scan);
        scan_word(&r->scan, "", word, sizeof word);
        if (!parse_number(word, &position, &marble) ||
            (!r->stopped && !game->result.over && !move_to(game, position, marble, &move))) {
            reader_bad_move(r, REASON_MALFORMED, at, word);
            continue;
        }
        struct move place = move_place(0, move.x, move.y);
        bool wins =
            marble && game_check(game, place, &r->effect) == REASON_NONE && r->effect.result.over;
        waiting = marble && !wins;
        if (!waiting)
            reader_move(r, wins ? place : move, at, word);
    }
    if (waiting)
        reader_bad_move(r, REASON_BAD_TEXT, at, "(end of the text)");
    return need_moves(r, "729 31851225", err);
}

int write_number(const struct record *record, struct writer *w, struct error *err)
{
    const struct game *game = &record->game;
    if (need_pentago(&game->rules, err) != 0)
        return -ENOTSUP;
    struct game replay;
    game_init(&replay, &game->rules);
    for (unsigned i = 0; i < game->ply; i++) {
        struct move move = game_move(game, i);
        game_play(&replay, move, NULL);
        // A marble that wins leaves its twist untaken.
        bool untwisted = replay.result.over && move.block == 0 && game->rules.place_wins &&
                         replay.result.how == HOW_FIVE;
        write_text(w, "%llu%s\n", (unsigned long long)pentago_number(replay.pentago),
                   untwisted ? "m" : "");
    }
    return 0;
}
