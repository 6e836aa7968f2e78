// SGF FF[4] for games of the Pente family (F2): writing.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules/notation.h"
#include "rules/record_internal.h"
#include "rules/record_sgf.h"

static void write_value(struct writer *w, const char *ident, const char *value)
{
    write_text(w, "%s[", ident);
    for (; *value; value++)
        write_text(w, "%s%c", strchr("]\\:", *value) ? "\\" : "", *value);
    write_text(w, "]");
}

static void write_point(struct writer *w, struct point p, unsigned size)
{
    write_text(w, "[%c%c]", 'a' + p.x, 'a' + (int)size - 1 - p.y);
}

static void write_rules(struct writer *w, const struct variant *v)
{
    char text[RECORD_VALUE_MAX * 2];
    struct writer rules = {text, sizeof text, 0, false};
    write_text(&rules, "%s", record_site_name(v));
    record_write_fields(&rules, v, "size"); // SZ says the size
    w->full |= rules.full || rules.length >= RECORD_VALUE_MAX;
    write_value(w, "RU", text);
}

static void write_result(struct writer *w, const struct record *record)
{
    const struct variant *v = &record->game.rules;
    enum stated_result result = record_result(record);
    const char *how = record->game.result.how & HOW_RESIGN ? "R" : "";
    if (result == STATED_DRAW)
        write_text(w, "RE[0]");
    else if (result == STATED_FIRST || result == STATED_SECOND)
        write_text(w, "RE[%c+%s]", sgf_letter(v, result == STATED_FIRST ? 1 : 2), how);
    else
        write_text(w, "RE[?]");
}

static void write_tags(struct writer *w, const struct record *record)
{
    const struct variant *v = &record->game.rules;
    const struct {
        const char *key;
        char ident[3];
    } tags[] = {
        {"Player 1 Name", {'P', sgf_letter(v, 1), 0}},
        {"Player 2 Name", {'P', sgf_letter(v, 2), 0}},
        {"Player 1 Rating", {sgf_letter(v, 1), 'R', 0}},
        {"Player 2 Rating", {sgf_letter(v, 2), 'R', 0}},
        {"Event", "EV"},
        {"Round", "RO"},
        {"Site", "PC"},
        {"TimeControl", "TM"},
    };
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const char *value = record_tag(record, tags[i].key);
        if (value)
            write_value(w, tags[i].ident, value);
    }
    const char *date = record_tag(record, "Date");
    char iso[RECORD_VALUE_MAX];
    int year, month, day, used = 0;
    if (date && sscanf(date, "%2d/%2d/%4d%n", &month, &day, &year, &used) == 3 && used == 10 &&
        date[used] == '\0') {
        snprintf(iso, sizeof iso, "%04d-%02d-%02d", year, month, day);
        date = iso;
    }
    if (date)
        write_value(w, "DT", date);
}

static void write_stone(struct writer *w, struct game *replay, struct move move)
{
    struct effect effect;
    char point[MOVE_TEXT_MAX];
    unsigned size = replay->rules.size;
    write_text(w, "\n;%c", sgf_letter(&replay->rules, move.colour));
    write_point(w, (struct point){move.x, move.y}, size);
    game_play(replay, move, &effect);
    if (effect.captured_count + effect.poofed_count == 0)
        return;
    write_text(w, "C[captures");
    for (unsigned i = 0; i < effect.captured_count; i++)
        write_text(w, " %s", point_format(effect.captured[i], point));
    for (unsigned i = 0; i < effect.poofed_count; i++)
        write_text(w, "%s %s", i ? "" : " loses", point_format(effect.poofed[i], point));
    write_text(w, "]\n;AE");
    for (unsigned i = 0; i < effect.captured_count; i++)
        write_point(w, effect.captured[i], size);
    for (unsigned i = 0; i < effect.poofed_count; i++)
        write_point(w, effect.poofed[i], size);
}

// The stones of one colour that stand before the first move.
static void write_setup_stones(struct writer *w, const struct game *start, unsigned colour)
{
    unsigned size = start->rules.size;
    bool any = false;
    for (int x = 0; x < (int)size; x++)
        for (int y = 0; y < (int)size; y++) {
            if (game_at(start, x, y) != colour)
                continue;
            if (!any)
                write_text(w, "\nA%c", sgf_letter(&start->rules, colour));
            any = true;
            write_point(w, (struct point){(int8_t)x, (int8_t)y}, size);
        }
}

// Whether the reader comes to the same position: SGF has no words for plies and stones taken.
static bool setup_can_be_said(const struct game *start)
{
    for (unsigned c = 1; c <= COLOURS_MAX; c++)
        if (start->stones_taken[c] != 0 || start->captures[c] != 0)
            return false;
    return start->ply == sgf_setup_ply(&start->rules, start->stones,
                                       variant_turn_colour(&start->rules, start->ply));
}

int write_sgf(const struct record *record, struct writer *w, struct error *err)
{
    const struct game *game = &record->game;
    const struct variant *v = &game->rules;
    if (v->family == FAMILY_PENTAGO || v->colours != 2)
        return error_set_code(err, -ENOTSUP, "BadFormat",
                              "SGF knows two colours of stones on one board, so %s can't be "
                              "written as SGF.",
                              v->title);
    struct game replay = *game;
    while (game_undo(&replay))
        ;
    if (!setup_can_be_said(&replay))
        return error_set_code(err, -ENOTSUP, "BadFormat",
                              "This game began from a position with stones taken, or with a count "
                              "of moves, that SGF has no words for.");
    write_text(w, "(;FF[4]GM[4]CA[UTF-8]AP[Tessera:%s]SZ[%u]\n", TESSERA_VERSION, v->size);
    write_rules(w, v);
    write_tags(w, record);
    write_text(w, "PL[%c]", sgf_letter(v, variant_turn_colour(v, replay.ply)));
    write_result(w, record);
    write_setup_stones(w, &replay, 1);
    write_setup_stones(w, &replay, 2);
    for (unsigned i = 0; i < game->entries; i++) {
        struct move move = game_move(game, i);
        char text[MOVE_TEXT_MAX];
        if (move.kind == MOVE_PLACE) {
            write_stone(w, &replay, move);
        } else if (move.kind != MOVE_RESIGN && move.kind != MOVE_DRAW) {
            write_text(w, "\n;CHOICE[%s]", move_format(v, move, text));
            game_play(&replay, move, NULL);
        }
    }
    write_text(w, ")\n");
    return 0;
}
