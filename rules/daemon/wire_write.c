// Rules -> JSON.
#include <ctype.h>
#include <string.h>

#include "rules/daemon/wire.h"
#include "rules/notation.h"
#include "rules/position.h"

void wire_put_point(struct writer *w, struct point p)
{
    writer_literal(w, "[");
    writer_int(w, p.x);
    writer_literal(w, ",");
    writer_int(w, p.y);
    writer_literal(w, "]");
}

static void put_points(struct writer *w, const struct point *points, size_t count)
{
    writer_literal(w, "[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            writer_literal(w, ",");
        wire_put_point(w, points[i]);
    }
    writer_literal(w, "]");
}

void wire_put_counts(struct writer *w, const struct variant *rules,
                     const uint16_t counts[COLOURS_MAX + 1])
{
    for (unsigned colour = 1; colour <= rules->colours; colour++) {
        char key[] = "{\"1\":";
        key[0] = colour == 1 ? '{' : ',';
        key[2] = (char)('0' + colour);
        writer_bytes(w, key, 5);
        writer_int(w, counts[colour]);
    }
    writer_literal(w, "}");
}

void wire_put_move(struct writer *w, const struct variant *rules, struct move move)
{
    char text[MOVE_TEXT_MAX];
    writer_literal(w, "\"");
    writer_text(w, move_format(rules, move, text));
    writer_literal(w, "\"");
}

// A field's value, given as text, in the JSON type that reads best.
static void put_option(struct writer *w, const char *text)
{
    bool number = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    if (number || strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        writer_text(w, text);
    else
        writer_string(w, text);
}

void wire_put_options(struct writer *w, const struct variant *rules)
{
    bool first = true;
    writer_literal(w, "{");
    for (size_t i = 0; i < variant_field_count(); i++) {
        char value[VARIANT_VALUE_MAX];
        if (!variant_differs(rules, i, value, sizeof value))
            continue;
        writer_text(w, first ? "\"" : ",\"");
        first = false;
        writer_text(w, variant_field_name(i));
        writer_literal(w, "\":");
        put_option(w, value);
    }
    writer_literal(w, "}");
}

void wire_put_setup(struct writer *w, const struct variant *rules, const struct setup *setup)
{
    writer_literal(w, "{\"stones\":[");
    for (unsigned i = 0; i < setup->stone_count; i++)
        writer_format(w, "%s[%u,%d,%d]", i ? "," : "", setup->stones[i].colour,
                      setup->stones[i].at.x, setup->stones[i].at.y);
    writer_literal(w, "],\"ply\":");
    writer_int(w, setup->ply);
    writer_literal(w, ",\"captures\":");
    wire_put_counts(w, rules, setup->captures);
    writer_literal(w, ",\"stones_taken\":");
    wire_put_counts(w, rules, setup->stones_taken);
    writer_literal(w, "}");
}

void wire_put_players(struct writer *w, const struct player *players, unsigned count)
{
    writer_literal(w, "[");
    for (unsigned i = 0; i < count; i++) {
        writer_text(w, i ? ",{\"name\":" : "{\"name\":");
        writer_string(w, players[i].name);
        if (players[i].colour) {
            writer_literal(w, ",\"colour\":");
            writer_int(w, players[i].colour);
        }
        writer_literal(w, "}");
    }
    writer_literal(w, "]");
}

static void put_number_or_null(struct writer *w, unsigned number)
{
    if (number)
        writer_int(w, number);
    else
        writer_literal(w, "null");
}

static void put_how(struct writer *w, unsigned bits)
{
    writer_literal(w, "[");
    const char *name = how_name(&bits);
    for (bool first = true; name; name = how_name(&bits), first = false) {
        writer_text(w, first ? "\"" : ",\"");
        writer_text(w, name);
        writer_literal(w, "\"");
    }
    writer_literal(w, "]");
}

static void put_outcome(struct writer *w, const struct result *result)
{
    writer_literal(w, "\"winner\":");
    put_number_or_null(w, result->over ? result->winner : 0);
    writer_literal(w, ",\"draw\":");
    writer_bool(w, result->over && result->winner == 0 && !(result->how & HOW_RESIGN));
    writer_literal(w, ",\"how\":");
    put_how(w, result->how);
}

void wire_put_result(struct writer *w, const struct result *result)
{
    if (!result->over) {
        writer_literal(w, "null");
        return;
    }
    writer_literal(w, "{");
    put_outcome(w, result);
    writer_literal(w, "}");
}

static void put_calls(struct writer *w, const struct effect *effect)
{
    static const char *const names[] = {"[]", "[\"tria\"]", "[\"tessera\"]",
                                        "[\"tria\",\"tessera\"]"};
    writer_literal(w, ",\"calls\":");
    writer_text(w, names[effect->calls & (CALL_TRIA | CALL_TESSERA)]);
    if (!effect->call_count)
        return;
    writer_literal(w, ",\"formations\":[");
    for (unsigned i = 0; i < effect->call_count; i++) {
        const struct call *call = &effect->call[i];
        writer_text(w, i ? ",{\"kind\":" : "{\"kind\":");
        writer_text(w, call->kind == CALL_TRIA ? "\"tria\"" : "\"tessera\"");
        writer_literal(w, ",\"stones\":");
        put_points(w, call->stones, call->stone_count);
        writer_literal(w, ",\"blocks\":");
        put_points(w, call->blocks, call->block_count);
        writer_literal(w, "}");
    }
    writer_literal(w, "]");
}

// [[colour,x,y],…] by colour, then x, then y.
static void put_marbles(struct writer *w, const struct game *game)
{
    const char *separator = "";
    writer_literal(w, ",\"board\":[");
    for (unsigned colour = 1; colour <= 2; colour++)
        for (int x = 0; x < PENTAGO_SIZE; x++)
            for (int y = 0; y < PENTAGO_SIZE; y++)
                if (game_at(game, x, y) == colour) {
                    writer_text(w, separator);
                    separator = ",";
                    char marble[] = "[1,0,0]";
                    marble[1] = (char)('0' + colour);
                    marble[3] = (char)('0' + x);
                    marble[5] = (char)('0' + y);
                    writer_bytes(w, marble, 7);
                }
    writer_literal(w, "]");
}

static void put_refusal(struct writer *w, enum reason reason, const struct game *before,
                        const struct move *move)
{
    char sentence[ERROR_TEXT_MAX];
    writer_literal(w, "\"legal\":false,\"reason\":");
    writer_string(w, reason_name(reason));
    writer_literal(w, ",\"text\":");
    writer_string(w, reason_explain(reason, before, move, sentence, sizeof sentence));
}

void wire_put_effect(struct writer *w, const struct effect *effect, const struct game *before,
                     const struct move *move, const struct game *after)
{
    const struct variant *rules = &before->rules;
    if (effect->reason != REASON_NONE) {
        put_refusal(w, effect->reason, before, move);
        return;
    }
    writer_literal(w, "\"legal\":true,\"captured\":");
    put_points(w, effect->captured, effect->captured_count);
    writer_literal(w, ",\"poofed\":");
    put_points(w, effect->poofed, effect->poofed_count);
    put_calls(w, effect);
    writer_literal(w, ",\"twisted\":");
    writer_bool(w, effect->twisted);
    writer_literal(w, ",");
    put_outcome(w, &effect->result);
    writer_literal(w, ",\"scores\":");
    if (effect->scored)
        wire_put_counts(w, rules, effect->scores);
    else
        writer_literal(w, "null");
    writer_literal(w, ",\"captures\":");
    wire_put_counts(w, rules, effect->captures);
    writer_literal(w, ",\"stones_taken\":");
    wire_put_counts(w, rules, effect->stones_taken);
    writer_literal(w, ",\"friendly\":");
    wire_put_counts(w, rules, effect->friendly);
    writer_literal(w, ",\"next_colour\":");
    put_number_or_null(w, effect->next_colour);
    writer_literal(w, ",\"next_seat\":");
    put_number_or_null(w, effect->next_seat);
    writer_literal(w, ",\"choice_pending\":");
    put_number_or_null(w, effect->choice_pending);
    writer_literal(w, ",\"board_count\":");
    writer_int(w, effect->board_count);
    if (after && rules->family == FAMILY_PENTAGO)
        put_marbles(w, after);
}

static void put_rows(struct writer *w, const struct game *game)
{
    writer_literal(w, "[");
    for (unsigned y = game->rules.size; y-- > 0;) {
        char row[BOARD_SIZE_MAX + 1];
        position_row(game, y, row);
        writer_literal(w, "\"");
        writer_text(w, row);
        writer_text(w, y ? "\"," : "\"");
    }
    writer_literal(w, "]");
}

static void put_draw_offers(struct writer *w, unsigned bits)
{
    bool first = true;
    writer_literal(w, "[");
    for (unsigned side = 1; side <= COLOURS_MAX; side++) {
        if (!(bits >> side & 1))
            continue;
        if (!first)
            writer_literal(w, ",");
        first = false;
        writer_int(w, side);
    }
    writer_literal(w, "]");
}

void wire_put_position(struct writer *w, const struct game *game)
{
    const struct variant *rules = &game->rules;
    writer_literal(w, "\"variant\":");
    writer_string(w, rules->name);
    writer_literal(w, ",\"options\":");
    wire_put_options(w, rules);
    writer_literal(w, ",\"size\":");
    writer_int(w, rules->size);
    writer_literal(w, ",\"ply\":");
    writer_int(w, game->ply);
    writer_literal(w, ",\"board\":");
    put_rows(w, game);
    writer_literal(w, ",\"next_colour\":");
    put_number_or_null(w, game_next_colour(game));
    writer_literal(w, ",\"next_seat\":");
    put_number_or_null(w, game_next_seat(game));
    writer_literal(w, ",\"choice_pending\":");
    put_number_or_null(w, game_choice_pending(game));
    writer_literal(w, ",\"stones_due\":");
    writer_int(w, game->result.over ? 0 : game_stones_due(game));
    writer_literal(w, ",\"captures\":");
    wire_put_counts(w, rules, game->captures);
    writer_literal(w, ",\"stones_taken\":");
    wire_put_counts(w, rules, game->stones_taken);
    writer_literal(w, ",\"friendly\":");
    wire_put_counts(w, rules, game->friendly);
    writer_literal(w, ",\"scores\":");
    if (rules->scoring != SCORING_NONE && game->result.over) {
        uint16_t scores[COLOURS_MAX + 1] = {0};
        game_scores(game, scores);
        wire_put_counts(w, rules, scores);
    } else {
        writer_literal(w, "null");
    }
    writer_literal(w, ",\"draw_offers\":");
    put_draw_offers(w, game->draw_offers);
    writer_literal(w, ",\"result\":");
    wire_put_result(w, &game->result);
}
