#include <stdlib.h>
#include <string.h>

#include "rules/engine/gtp_commands.h"
#include "rules/notation.h"
#include "rules/position.h"

enum { BOARD_TEXT_MAX = 8192 };

void gtp_do_boardsize(struct gtp_request *r)
{
    struct session *s = r->session;
    struct error err;
    long size;
    if (!gtp_number(r->argument[0], 1, BOARD_SIZE_MAX, &size)) {
        gtp_refuse(r, "boardsize not an integer from 1 to %d", BOARD_SIZE_MAX);
        return;
    }
    char change[32], *changes[2] = {change, NULL};
    snprintf(change, sizeof change, "size=%ld", size);
    if (size != s->variant.size && session_set_game(s, s->variant.name, changes, &err) < 0)
        gtp_refuse(r, "unacceptable size: %s", err.text);
    else
        gtp_answer(r, "%s", "");
}

void gtp_do_clear_board(struct gtp_request *r)
{
    struct session *s = r->session;
    game_init(&s->game, &s->variant);
    gameclock_restart(&s->clock);
    gtp_answer(r, "%s", "");
}

void gtp_do_komi(struct gtp_request *r)
{
    gtp_answer(r, "%s", ""); // there is none in these games
}

// The move's words joined again: Pentago's have a blank in them.
static void join(char *const words[], char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? " " : "", words[i]);
    }
}

static int play_text(struct gtp_request *r, unsigned colour, const char *text)
{
    struct session *s = r->session;
    struct move move;
    char why[256];
    if (!move_parse(&s->variant, text, strlen(text), &move)) {
        gtp_refuse(r, "syntax error: \"%s\" is not a move of this game", text);
        return -1;
    }
    if (move.kind == MOVE_PLACE || move.kind == MOVE_PAIR)
        move.colour = (uint8_t)colour;
    enum reason reason = game_play(&s->game, move, NULL);
    if (reason == REASON_NONE)
        return 0;
    reason_explain(reason, &s->game, &move, why, sizeof why);
    gtp_refuse(r, "illegal move: %s", why);
    return -1;
}

void gtp_do_play(struct gtp_request *r)
{
    unsigned colour = gtp_colour_of(r->session, r->argument[0]);
    char text[64];
    if (!colour || r->count < 2) {
        gtp_refuse(r, "syntax error: play COLOUR MOVE");
        return;
    }
    join(r->argument + 1, text, sizeof text);
    if (play_text(r, colour, text) == 0)
        gtp_answer(r, "%s", "");
}

void gtp_do_play_sequence(struct gtp_request *r)
{
    struct session *s = r->session;
    struct game before = s->game;
    for (int i = 0; i + 1 < r->count; i += 2) {
        unsigned colour = gtp_colour_of(s, r->argument[i]);
        if (!colour)
            gtp_refuse(r, "syntax error: \"%s\" is not a colour", r->argument[i]);
        if (!colour || play_text(r, colour, r->argument[i + 1]) < 0) {
            s->game = before;
            return;
        }
    }
    gtp_answer(r, "%s", "");
}

void gtp_do_undo(struct gtp_request *r)
{
    if (game_undo(&r->session->game))
        gtp_answer(r, "%s", "");
    else
        gtp_refuse(r, "cannot undo");
}

void gtp_do_showboard(struct gtp_request *r)
{
    static char text[BOARD_TEXT_MAX];
    position_draw(&r->session->game, NULL, text, sizeof text);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    gtp_answer(r, "\n%s", text);
}

void gtp_do_set_game(struct gtp_request *r)
{
    struct error err;
    if (!r->count)
        gtp_refuse(r, "syntax error: tessera-set_game VARIANT [FIELD=VALUE]...");
    else if (session_set_game(r->session, r->argument[0], r->argument + 1, &err) < 0)
        gtp_refuse(r, "%s", err.text);
    else
        gtp_answer(r, "%s", "");
}

void gtp_do_list_games(struct gtp_request *r)
{
    for (size_t i = 0; i < variant_table_count; i++)
        gtp_answer(r, "%s%s", i ? "\n" : "", variant_table[i].name);
}

void gtp_do_rules_game_id(struct gtp_request *r)
{
    gtp_answer(r, "%s", r->session->variant.title);
}

void gtp_do_rules_board(struct gtp_request *r)
{
    const struct game *g = &r->session->game;
    int size = g->rules.size;
    gtp_answer(r, "\n");
    for (int y = size - 1; y >= 0; y--) {
        for (int x = 0; x < size; x++)
            gtp_answer(r, "%s%c", x ? " " : "", ".XO34"[game_at(g, x, y)]);
        gtp_answer(r, "%s", y ? "\n" : "");
    }
}

void gtp_do_rules_board_size(struct gtp_request *r)
{
    gtp_answer(r, "%d", r->session->variant.size);
}

void gtp_do_rules_legal_moves(struct gtp_request *r)
{
    static struct move legal[LEGAL_MAX];
    struct session *s = r->session;
    char text[MOVE_TEXT_MAX];
    static const enum move_kind choices[] = {MOVE_FIRST, MOVE_SECOND, MOVE_PASS};
    gtp_answer(r, "%s", "");
    for (int i = 0; i < 3; i++)
        if (game_choice_pending(&s->game) && game_choice_allowed(&s->game, choices[i]))
            gtp_answer(r, "%s ", move_format(&s->variant, move_choice(choices[i]), text));
    size_t count = s->game.result.over ? 0 : game_legal(&s->game, legal);
    for (size_t i = 0; i < count; i++)
        gtp_answer(r, "%s%s", i ? " " : "", move_format(&s->variant, legal[i], text));
}

void gtp_do_rules_side_to_move(struct gtp_request *r)
{
    unsigned colour = game_next_colour(&r->session->game);
    gtp_answer(r, "%s", gtp_colour_name(colour ? colour : 1));
}

void gtp_do_rules_final_result(struct gtp_request *r)
{
    const struct game *g = &r->session->game;
    if (!g->result.over) {
        gtp_answer(r, "The game is not over.");
        return;
    }
    unsigned how = g->result.how;
    if (g->result.winner)
        gtp_answer(r, "Side %u wins", g->result.winner);
    else
        gtp_answer(r, "Draw");
    for (const char *name, *glue = " by "; (name = how_name(&how)); glue = " and ")
        gtp_answer(r, "%s%s", glue, name);
}

void gtp_do_final_score(struct gtp_request *r)
{
    const struct game *g = &r->session->game;
    if (!g->result.over)
        gtp_refuse(r, "the game is not over");
    else
        gtp_answer(r, "%s", !g->result.winner ? "0" : g->result.winner == 1 ? "B+1" : "W+1");
}
