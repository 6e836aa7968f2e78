// Traditional Pente notation (F3): distances from the centre, a star for every captured row.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules/notation.h"
#include "rules/record_internal.h"

// "R2U3**": the stars are counted and cut off.
static unsigned cut_stars(char *word)
{
    size_t length = strlen(word);
    unsigned stars = 0;
    while (length > 0 && word[length - 1] == '*') {
        word[--length] = '\0';
        stars++;
    }
    return stars;
}

static void read_stone(struct reader *r, char *word, struct place at)
{
    struct game *game = &r->record->game;
    unsigned stars = cut_stars(word), colour = game_next_colour(game);
    unsigned before = game->captures[colour];
    struct point p;
    if (!point_parse_traditional(word, strlen(word), game->rules.size, &p)) {
        reader_bad_move(r, REASON_BAD_POINT, at, word);
        return;
    }
    if (!reader_move(r, move_place(0, p.x, p.y), at, word))
        return;
    // Writers may forget the stars, but stars that are there must be right.
    unsigned captured = game->captures[colour] - before;
    if (stars == 0 || stars == captured)
        return;
    reader_fault(r, REASON_BAD_CAPTURES, r->record->stated_moves, at,
                 "Move %u, %s, is marked with %u captures; by the rules it makes %u.",
                 r->record->stated_moves, word, stars, captured);
    game_undo(game);
    r->stopped = true;
}

int read_traditional(struct reader *r, struct error *err)
{
    reader_begin(r, "Pente", scan_place(&r->scan));
    for (scan_blanks(&r->scan); scan_peek(&r->scan) >= 0; scan_blanks(&r->scan)) {
        char word[WORD_MAX];
        struct place at = scan_place(&r->scan);
        enum stated_result stated;
        size_t length = scan_word(&r->scan, ",)", word, sizeof word);
        int stop = scan_peek(&r->scan);
        if (stop == ',' || stop == ')')
            scan_next(&r->scan);
        size_t digits = strspn(word, "0123456789");
        bool number = digits > 0 && strcmp(word + digits, ".") == 0 && stop == ')';
        if (number || length == 0)
            continue;
        if (result_parse(word, &stated)) {
            reader_result(r, stated);
            continue;
        }
        read_stone(r, word, at);
    }
    if (r->record->stated_moves == 0 && r->record->stated == STATED_NONE)
        return error_set_at(err, -EINVAL, "", 1, 1,
                            "This should read like \"1.)0,D1 2.)R3,R2D1\"; there are no moves.");
    if (r->record->stated == STATED_NONE)
        reader_fault(r, REASON_NO_RESULT, 0, scan_place(&r->scan),
                     "The text ends without a result (1-0, 0-1, 1/2-1/2 or ?).");
    return 0;
}

// Rows captured by a history entry.
static unsigned rows_captured(const struct history_entry *entry)
{
    unsigned rows = 0;
    for (unsigned captured = entry->captured; captured; captured >>= 2)
        rows += (captured & 3) != 0;
    return rows;
}

int write_traditional(const struct record *record, struct writer *w, struct error *err)
{
    const struct game *game = &record->game;
    const struct variant *v = &game->rules;
    if (v->family == FAMILY_PENTAGO || v->seat_count != 2 || v->protocol != PROTOCOL_NONE ||
        v->size % 2 == 0)
        return error_set_code(err, -ENOTSUP, "BadFormat",
                              "The traditional notation is for two-player Pente on an odd board.");
    for (unsigned i = 0; i < game->ply; i++) {
        const struct history_entry *entry = &game->history[i];
        char point[MOVE_TEXT_MAX];
        if (i % 2 == 0)
            write_text(w, "%s%u.)", i ? " " : "", i / 2 + 1);
        write_text(w, "%s%s", i % 2 ? "," : "",
                   point_format_traditional(game_cell_point(entry->cell), v->size, point));
        for (unsigned row = rows_captured(entry); row > 0; row--)
            write_text(w, "*");
    }
    write_text(w, "%s%s\n", game->ply ? " " : "", result_text(record_result(record)));
    return 0;
}
