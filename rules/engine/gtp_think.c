#include <limits.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/gtp_commands.h"
#include "rules/engine/review.h"
#include "rules/engine/teach.h"
#include "rules/notation.h"

enum { ANALYZE_LINES = 5 };

static void generate(struct gtp_request *r, int play)
{
    struct session *s = r->session;
    struct engine_thought thought;
    struct error err;
    char text[MOVE_TEXT_MAX];
    unsigned colour = r->count ? gtp_colour_of(s, r->argument[0]) : game_next_colour(&s->game);
    if (s->game.result.over) {
        gtp_refuse(r, "the game is over");
        return;
    }
    if (!game_choice_pending(&s->game) && colour != game_next_colour(&s->game)) {
        gtp_refuse(r, "it is %s's turn", gtp_colour_name(game_next_colour(&s->game)));
        return;
    }
    int64_t start = clock_monotonic_ns();
    if (session_think(s, false, &thought, &err) < 0) {
        gtp_refuse(r, "%s", err.text);
        return;
    }
    if (play && s->clock.set)
        gameclock_spend(&s->clock, game_next_colour(&s->game), clock_monotonic_ns() - start);
    if (session_resigns(s, &thought)) {
        gtp_answer(r, "resign");
        return;
    }
    if (play && game_play(&s->game, thought.line[0].move, NULL) != REASON_NONE)
        gtp_refuse(r, "the engine found no legal move");
    else
        gtp_answer(r, "%s", move_format(&s->variant, thought.line[0].move, text));
}

void gtp_do_genmove(struct gtp_request *r)
{
    generate(r, 1);
}

void gtp_do_reg_genmove(struct gtp_request *r)
{
    generate(r, 0);
}

void gtp_do_time_settings(struct gtp_request *r)
{
    long main_s, byo_s, stones;
    if (!gtp_number(r->argument[0], 0, 1000000, &main_s) || r->count < 3 ||
        !gtp_number(r->argument[1], 0, 1000000, &byo_s) ||
        !gtp_number(r->argument[2], 0, 10000, &stones)) {
        gtp_refuse(r, "syntax error: time_settings MAIN BYO_YOMI STONES");
        return;
    }
    gameclock_start(&r->session->clock, main_s * NS_PER_S, byo_s * NS_PER_S, (int)stones, 0);
    gtp_answer(r, "%s", "");
}

void gtp_do_clock(struct gtp_request *r)
{
    long main_ms, increment_ms = 0;
    if (!gtp_number(r->argument[0], 1, 1000000000, &main_ms) ||
        (r->count > 1 && !gtp_number(r->argument[1], 0, 86400000, &increment_ms))) {
        gtp_refuse(r, "syntax error: tessera-clock MILLISECONDS [INCREMENT]");
        return;
    }
    gameclock_start(&r->session->clock, main_ms * NS_PER_MS, 0, 0, increment_ms * NS_PER_MS);
    gtp_answer(r, "%s", "");
}

void gtp_do_clock_left(struct gtp_request *r)
{
    unsigned colour = gtp_colour_of(r->session, r->argument[0]);
    long ms;
    if (!colour || r->count < 2 || !gtp_number(r->argument[1], 0, 1000000000, &ms)) {
        gtp_refuse(r, "syntax error: tessera-clock_left COLOUR MILLISECONDS");
        return;
    }
    gameclock_tell(&r->session->clock, colour, ms * NS_PER_MS, 0);
    gtp_answer(r, "%s", "");
}

void gtp_do_time_left(struct gtp_request *r)
{
    unsigned colour = gtp_colour_of(r->session, r->argument[0]);
    long seconds, stones;
    if (!colour || r->count < 3 || !gtp_number(r->argument[1], 0, 1000000, &seconds) ||
        !gtp_number(r->argument[2], 0, 10000, &stones)) {
        gtp_refuse(r, "syntax error: time_left COLOUR SECONDS STONES");
        return;
    }
    gameclock_tell(&r->session->clock, colour, seconds * NS_PER_S, (int)stones);
    gtp_answer(r, "%s", "");
}

void gtp_do_move_time(struct gtp_request *r)
{
    long ms;
    if (!gtp_number(r->argument[0], 1, 86400000, &ms)) {
        gtp_refuse(r, "syntax error: tessera-move_time MILLISECONDS");
        return;
    }
    r->session->move_time_ns = ms * NS_PER_MS;
    r->session->clock.set = false;
    gtp_answer(r, "%s", "");
}

void gtp_do_level(struct gtp_request *r)
{
    struct error err;
    long level;
    if (!gtp_number(r->argument[0], -1000, 1000, &level))
        gtp_refuse(r, "syntax error: tessera-level 1..%d", ENGINE_LEVELS);
    else if (engine_set_level(r->session->engine, (int)level, &err) < 0)
        gtp_refuse(r, "%s", err.text);
    else if (engine_prepare(r->session->engine, &r->session->variant) < 0)
        gtp_refuse(r, "there is not enough memory");
    else
        gtp_answer(r, "%s", "");
}

void gtp_do_seed(struct gtp_request *r)
{
    long seed;
    if (!gtp_number(r->argument[0], 0, LONG_MAX, &seed)) {
        gtp_refuse(r, "syntax error: tessera-seed NUMBER");
        return;
    }
    engine_set_seed(r->session->engine, (uint64_t)seed);
    engine_forget(r->session->engine);
    gtp_answer(r, "%s", "");
}

void gtp_do_resign(struct gtp_request *r)
{
    int on = r->count && strcmp(r->argument[0], "on") == 0;
    if (!on && !(r->count && strcmp(r->argument[0], "off") == 0)) {
        gtp_refuse(r, "syntax error: tessera-resign on|off");
        return;
    }
    r->session->options.resign = on;
    gtp_answer(r, "%s", "");
}

static void print_lines(void *user, const struct engine_thought *thought)
{
    struct gtp_request *r = user;
    FILE *out = r->session->out;
    const struct variant *v = &r->session->variant;
    char text[MOVE_TEXT_MAX];
    gtp_answer(r, "\n");
    for (int i = 0; i < thought->line_count; i++) {
        const struct engine_line *line = &thought->line[i];
        fprintf(out, "%sinfo move %s score %d win %.3f%s depth %d nodes %llu pv", i ? " " : "",
                move_format(v, line->move, text), line->score, line->win_chance,
                line->proven ? " proven" : "", line->depth, (unsigned long long)thought->nodes);
        for (int k = 0; k < line->pv_length; k++)
            fprintf(out, " %s", move_format(v, line->pv[k], text));
    }
    fflush(out);
}

void gtp_do_analyze(struct gtp_request *r)
{
    struct session *s = r->session;
    static struct engine_thought thought;
    struct error err;
    long ms, lines = ANALYZE_LINES;
    if (!gtp_number(r->argument[0], 1, 86400000, &ms) ||
        (r->count > 1 && !gtp_number(r->argument[1], 1, ENGINE_LINES_MAX, &lines))) {
        gtp_refuse(r, "syntax error: tessera-analyze MILLISECONDS [CANDIDATES]");
        return;
    }
    struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + ms * NS_PER_MS,
                                   .nodes = s->options.nodes,
                                   .lines = (int)lines};
    if (engine_think(s->engine, &s->game, &limits, true, &s->stop, print_lines, r, &thought, &err) <
        0)
        gtp_refuse(r, "%s", err.text);
    else
        print_lines(r, &thought);
}

void gtp_do_teach(struct gtp_request *r)
{
    struct session *s = r->session;
    static struct engine_thought thought;
    static char text[TEACH_TEXT_MAX];
    struct error err;
    if (session_think(s, true, &thought, &err) < 0) {
        gtp_refuse(r, "%s", err.text);
        return;
    }
    teach_explain(&s->game, &thought, text, sizeof text);
    gtp_answer(r, "%s", text);
}

static void print_review(void *user, const struct game *before, size_t entry,
                         const struct review_move *move)
{
    struct gtp_request *r = user;
    char played[MOVE_TEXT_MAX], best[MOVE_TEXT_MAX];
    const struct variant *v = &before->rules;
    gtp_answer(r, "\n%zu %s %.2f -> %.2f", entry + 1, move_format(v, move->played, played),
               move->chance_before, move->chance_after);
    if (move->mark != REVIEW_FINE)
        gtp_answer(r, " %s, better %s", review_mark_name(move->mark),
                   move_format(v, move->best, best));
    fflush(r->session->out);
}

void gtp_do_review(struct gtp_request *r)
{
    struct session *s = r->session;
    struct error err;
    long ms = 200;
    if (r->count && !gtp_number(r->argument[0], 1, 600000, &ms))
        gtp_refuse(r, "syntax error: tessera-review [MILLISECONDS]");
    else if (review_game(s->engine, &s->game, ms, s->options.nodes, &s->stop, print_review, r,
                         &err) < 0)
        gtp_refuse(r, "%s", err.text);
    else
        gtp_answer(r, "%s", "");
}
