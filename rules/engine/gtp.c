#include "rules/engine/gtp.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/review.h"
#include "rules/engine/teach.h"
#include "rules/notation.h"
#include "rules/position.h"

enum {
    ARGUMENTS_MAX = 1024,
    ANALYZE_LINES = 5,
    BOARD_TEXT_MAX = 8192,
};

// One command being answered.
struct request {
    struct session *session;
    char *argument[ARGUMENTS_MAX + 1]; // NULL-terminated, the command's name not among them
    int count;
    const char *id; // "" or digits
    int answered;
};

typedef void handler(struct request *r);

static void begin(struct request *r, int ok)
{
    if (!r->answered++)
        fprintf(r->session->out, "%c%s ", ok ? '=' : '?', r->id);
}

static void answer(struct request *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void answer(struct request *r, const char *format, ...)
{
    va_list args;
    begin(r, 1);
    va_start(args, format);
    vfprintf(r->session->out, format, args);
    va_end(args);
}

static void refuse(struct request *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void refuse(struct request *r, const char *format, ...)
{
    va_list args;
    begin(r, 0);
    va_start(args, format);
    vfprintf(r->session->out, format, args);
    va_end(args);
}

static int number(const char *text, long low, long high, long *ret)
{
    char *end;
    errno = 0;
    long value = text ? strtol(text, &end, 10) : 0;
    if (!text || errno || *end || end == text || value < low || value > high)
        return 0;
    *ret = value;
    return 1;
}

static unsigned colour_of(const struct session *s, const char *text)
{
    static const char *const names[][3] = {{"b", "black", "1"}, {"w", "white", "2"}, {"3"}, {"4"}};
    for (unsigned c = 0; text && c < s->variant.colours; c++)
        for (int i = 0; i < 3 && names[c][i]; i++)
            if (strcasecmp(text, names[c][i]) == 0)
                return c + 1;
    return 0;
}

static const char *colour_name(unsigned colour)
{
    static const char *const names[] = {"", "black", "white", "3", "4"};
    return names[colour <= COLOURS_MAX ? colour : 0];
}

static void do_protocol_version(struct request *r)
{
    answer(r, "2");
}

static void do_name(struct request *r)
{
    answer(r, "Tessera");
}

static void do_version(struct request *r)
{
    answer(r, TESSERA_VERSION);
}

static void do_quit(struct request *r)
{
    answer(r, "%s", "");
}

static void do_boardsize(struct request *r)
{
    struct session *s = r->session;
    struct error err;
    long size;
    if (!number(r->argument[0], 1, BOARD_SIZE_MAX, &size)) {
        refuse(r, "boardsize not an integer from 1 to %d", BOARD_SIZE_MAX);
        return;
    }
    char change[32], *changes[2] = {change, NULL};
    snprintf(change, sizeof change, "size=%ld", size);
    if (size != s->variant.size && session_set_game(s, s->variant.name, changes, &err) < 0)
        refuse(r, "unacceptable size: %s", err.text);
    else
        answer(r, "%s", "");
}

static void do_clear_board(struct request *r)
{
    struct session *s = r->session;
    game_init(&s->game, &s->variant);
    for (int c = 0; c <= COLOURS_MAX; c++)
        s->clock.left_ns[c] = -1;
    answer(r, "%s", "");
}

static void do_komi(struct request *r)
{
    answer(r, "%s", ""); // there is none in these games
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

static int play_text(struct request *r, unsigned colour, const char *text)
{
    struct session *s = r->session;
    struct move move;
    char why[256];
    if (!move_parse(&s->variant, text, strlen(text), &move)) {
        refuse(r, "syntax error: \"%s\" is not a move of this game", text);
        return -1;
    }
    if (move.kind == MOVE_PLACE || move.kind == MOVE_PAIR)
        move.colour = (uint8_t)colour;
    enum reason reason = game_play(&s->game, move, NULL);
    if (reason == REASON_NONE)
        return 0;
    reason_explain(reason, &s->game, &move, why, sizeof why);
    refuse(r, "illegal move: %s", why);
    return -1;
}

static void do_play(struct request *r)
{
    unsigned colour = colour_of(r->session, r->argument[0]);
    char text[64];
    if (!colour || r->count < 2) {
        refuse(r, "syntax error: play COLOUR MOVE");
        return;
    }
    join(r->argument + 1, text, sizeof text);
    if (play_text(r, colour, text) == 0)
        answer(r, "%s", "");
}

static void do_play_sequence(struct request *r)
{
    struct session *s = r->session;
    struct game before = s->game;
    for (int i = 0; i + 1 < r->count; i += 2) {
        unsigned colour = colour_of(s, r->argument[i]);
        if (!colour)
            refuse(r, "syntax error: \"%s\" is not a colour", r->argument[i]);
        if (!colour || play_text(r, colour, r->argument[i + 1]) < 0) {
            s->game = before;
            return;
        }
    }
    answer(r, "%s", "");
}

static void generate(struct request *r, int play)
{
    struct session *s = r->session;
    struct engine_thought thought;
    struct error err;
    char text[MOVE_TEXT_MAX];
    unsigned colour = r->count ? colour_of(s, r->argument[0]) : game_next_colour(&s->game);
    if (s->game.result.over) {
        refuse(r, "the game is over");
        return;
    }
    if (!game_choice_pending(&s->game) && colour != game_next_colour(&s->game)) {
        refuse(r, "it is %s's turn", colour_name(game_next_colour(&s->game)));
        return;
    }
    if (session_think(s, false, &thought, &err) < 0) {
        refuse(r, "%s", err.text);
        return;
    }
    if (session_resigns(s, &thought)) {
        answer(r, "resign");
        return;
    }
    if (play && game_play(&s->game, thought.line[0].move, NULL) != REASON_NONE)
        refuse(r, "the engine found no legal move");
    else
        answer(r, "%s", move_format(&s->variant, thought.line[0].move, text));
}

static void do_genmove(struct request *r)
{
    generate(r, 1);
}

static void do_reg_genmove(struct request *r)
{
    generate(r, 0);
}

static void do_undo(struct request *r)
{
    if (game_undo(&r->session->game))
        answer(r, "%s", "");
    else
        refuse(r, "cannot undo");
}

static void do_showboard(struct request *r)
{
    static char text[BOARD_TEXT_MAX];
    position_draw(&r->session->game, NULL, text, sizeof text);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    answer(r, "\n%s", text);
}

static void do_time_settings(struct request *r)
{
    long main_s, byo_s, stones;
    if (!number(r->argument[0], 0, 1000000, &main_s) || r->count < 3 ||
        !number(r->argument[1], 0, 1000000, &byo_s) || !number(r->argument[2], 0, 10000, &stones)) {
        refuse(r, "syntax error: time_settings MAIN BYO_YOMI STONES");
        return;
    }
    struct session_clock *clock = &r->session->clock;
    // "Byo-yomi without stones" means no limit at all.
    *clock = (struct session_clock){.main_ns = main_s * NS_PER_S,
                                    .byo_ns = byo_s * NS_PER_S,
                                    .byo_stones = (int)stones,
                                    .set = !(byo_s > 0 && stones == 0)};
    for (int c = 0; c <= COLOURS_MAX; c++)
        clock->left_ns[c] = -1;
    answer(r, "%s", "");
}

static void do_time_left(struct request *r)
{
    unsigned colour = colour_of(r->session, r->argument[0]);
    long seconds, stones;
    if (!colour || r->count < 3 || !number(r->argument[1], 0, 1000000, &seconds) ||
        !number(r->argument[2], 0, 10000, &stones)) {
        refuse(r, "syntax error: time_left COLOUR SECONDS STONES");
        return;
    }
    r->session->clock.left_ns[colour] = seconds * NS_PER_S;
    r->session->clock.stones_left[colour] = (int)stones;
    r->session->clock.set = true;
    answer(r, "%s", "");
}

static void do_set_game(struct request *r)
{
    struct error err;
    if (!r->count)
        refuse(r, "syntax error: tessera-set_game VARIANT [FIELD=VALUE]...");
    else if (session_set_game(r->session, r->argument[0], r->argument + 1, &err) < 0)
        refuse(r, "%s", err.text);
    else
        answer(r, "%s", "");
}

static void do_list_games(struct request *r)
{
    for (size_t i = 0; i < variant_table_count; i++)
        answer(r, "%s%s", i ? "\n" : "", variant_table[i].name);
}

static void do_move_time(struct request *r)
{
    long ms;
    if (!number(r->argument[0], 1, 86400000, &ms)) {
        refuse(r, "syntax error: tessera-move_time MILLISECONDS");
        return;
    }
    r->session->move_time_ns = ms * NS_PER_MS;
    r->session->clock.set = false;
    answer(r, "%s", "");
}

static void do_level(struct request *r)
{
    struct error err;
    long level;
    if (!number(r->argument[0], -1000, 1000, &level))
        refuse(r, "syntax error: tessera-level 1..%d", ENGINE_LEVELS);
    else if (engine_set_level(r->session->engine, (int)level, &err) < 0)
        refuse(r, "%s", err.text);
    else
        answer(r, "%s", "");
}

static void do_seed(struct request *r)
{
    long seed;
    if (!number(r->argument[0], 0, LONG_MAX, &seed)) {
        refuse(r, "syntax error: tessera-seed NUMBER");
        return;
    }
    engine_set_seed(r->session->engine, (uint64_t)seed);
    engine_forget(r->session->engine);
    answer(r, "%s", "");
}

static void do_resign(struct request *r)
{
    int on = r->count && strcmp(r->argument[0], "on") == 0;
    if (!on && !(r->count && strcmp(r->argument[0], "off") == 0)) {
        refuse(r, "syntax error: tessera-resign on|off");
        return;
    }
    r->session->options.resign = on;
    answer(r, "%s", "");
}

static void print_lines(void *user, const struct engine_thought *thought)
{
    struct request *r = user;
    FILE *out = r->session->out;
    const struct variant *v = &r->session->variant;
    char text[MOVE_TEXT_MAX];
    answer(r, "\n");
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

static void do_analyze(struct request *r)
{
    struct session *s = r->session;
    static struct engine_thought thought;
    struct error err;
    long ms, lines = ANALYZE_LINES;
    if (!number(r->argument[0], 1, 86400000, &ms) ||
        (r->count > 1 && !number(r->argument[1], 1, ENGINE_LINES_MAX, &lines))) {
        refuse(r, "syntax error: tessera-analyze MILLISECONDS [CANDIDATES]");
        return;
    }
    struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + ms * NS_PER_MS,
                                   .nodes = s->options.nodes,
                                   .lines = (int)lines};
    if (engine_think(s->engine, &s->game, &limits, true, &s->stop, print_lines, r, &thought, &err) <
        0)
        refuse(r, "%s", err.text);
    else
        print_lines(r, &thought);
}

static void do_teach(struct request *r)
{
    struct session *s = r->session;
    static struct engine_thought thought;
    static char text[TEACH_TEXT_MAX];
    struct error err;
    if (session_think(s, true, &thought, &err) < 0) {
        refuse(r, "%s", err.text);
        return;
    }
    teach_explain(&s->game, &thought, text, sizeof text);
    answer(r, "%s", text);
}

static void print_review(void *user, const struct game *before, size_t entry,
                         const struct review_move *move)
{
    struct request *r = user;
    char played[MOVE_TEXT_MAX], best[MOVE_TEXT_MAX];
    const struct variant *v = &before->rules;
    answer(r, "\n%zu %s %.2f -> %.2f", entry + 1, move_format(v, move->played, played),
           move->chance_before, move->chance_after);
    if (move->mark != REVIEW_FINE)
        answer(r, " %s, better %s", review_mark_name(move->mark), move_format(v, move->best, best));
    fflush(r->session->out);
}

static void do_review(struct request *r)
{
    struct session *s = r->session;
    struct error err;
    long ms = 200;
    if (r->count && !number(r->argument[0], 1, 600000, &ms))
        refuse(r, "syntax error: tessera-review [MILLISECONDS]");
    else if (review_game(s->engine, &s->game, ms, s->options.nodes, &s->stop, print_review, r,
                         &err) < 0)
        refuse(r, "%s", err.text);
    else
        answer(r, "%s", "");
}

static void do_stop(struct request *r)
{
    answer(r, "%s", "");
}

static void do_rules_game_id(struct request *r)
{
    answer(r, "%s", r->session->variant.title);
}

static void do_rules_board(struct request *r)
{
    const struct game *g = &r->session->game;
    int size = g->rules.size;
    answer(r, "\n");
    for (int y = size - 1; y >= 0; y--) {
        for (int x = 0; x < size; x++)
            answer(r, "%s%c", x ? " " : "", ".XO34"[game_at(g, x, y)]);
        answer(r, "%s", y ? "\n" : "");
    }
}

static void do_rules_board_size(struct request *r)
{
    answer(r, "%d", r->session->variant.size);
}

static void do_rules_legal_moves(struct request *r)
{
    static struct move legal[LEGAL_MAX];
    struct session *s = r->session;
    char text[MOVE_TEXT_MAX];
    static const enum move_kind choices[] = {MOVE_FIRST, MOVE_SECOND, MOVE_PASS};
    answer(r, "%s", "");
    for (int i = 0; i < 3; i++)
        if (game_choice_pending(&s->game) && game_choice_allowed(&s->game, choices[i]))
            answer(r, "%s ", move_format(&s->variant, move_choice(choices[i]), text));
    size_t count = s->game.result.over ? 0 : game_legal(&s->game, legal);
    for (size_t i = 0; i < count; i++)
        answer(r, "%s%s", i ? " " : "", move_format(&s->variant, legal[i], text));
}

static void do_rules_side_to_move(struct request *r)
{
    unsigned colour = game_next_colour(&r->session->game);
    answer(r, "%s", colour_name(colour ? colour : 1));
}

static void do_rules_final_result(struct request *r)
{
    const struct game *g = &r->session->game;
    if (!g->result.over) {
        answer(r, "The game is not over.");
        return;
    }
    unsigned how = g->result.how;
    if (g->result.winner)
        answer(r, "Side %u wins", g->result.winner);
    else
        answer(r, "Draw");
    for (const char *name, *glue = " by "; (name = how_name(&how)); glue = " and ")
        answer(r, "%s%s", glue, name);
}

static void do_final_score(struct request *r)
{
    const struct game *g = &r->session->game;
    if (!g->result.over)
        refuse(r, "the game is not over");
    else
        answer(r, "%s", !g->result.winner ? "0" : g->result.winner == 1 ? "B+1" : "W+1");
}

static void do_analyze_commands(struct request *r)
{
    answer(r, "string/Teach/tessera-teach\n"
              "string/Show result/gogui-rules_final_result\n"
              "string/Legal moves/gogui-rules_legal_moves");
}

static void do_known_command(struct request *r);
static void do_list_commands(struct request *r);

static const struct {
    const char *name;
    handler *handle;
} commands[] = {
    {"protocol_version", do_protocol_version},
    {"name", do_name},
    {"version", do_version},
    {"known_command", do_known_command},
    {"list_commands", do_list_commands},
    {"quit", do_quit},
    {"boardsize", do_boardsize},
    {"clear_board", do_clear_board},
    {"komi", do_komi},
    {"play", do_play},
    {"genmove", do_genmove},
    {"reg_genmove", do_reg_genmove},
    {"undo", do_undo},
    {"showboard", do_showboard},
    {"time_settings", do_time_settings},
    {"time_left", do_time_left},
    {"final_score", do_final_score},
    {"stop", do_stop},
    {"gogui-analyze_commands", do_analyze_commands},
    {"gogui-play_sequence", do_play_sequence},
    {"gogui-rules_game_id", do_rules_game_id},
    {"gogui-rules_board", do_rules_board},
    {"gogui-rules_board_size", do_rules_board_size},
    {"gogui-rules_legal_moves", do_rules_legal_moves},
    {"gogui-rules_side_to_move", do_rules_side_to_move},
    {"gogui-rules_final_result", do_rules_final_result},
    {"tessera-set_game", do_set_game},
    {"tessera-list_games", do_list_games},
    {"tessera-move_time", do_move_time},
    {"tessera-level", do_level},
    {"tessera-seed", do_seed},
    {"tessera-resign", do_resign},
    {"tessera-analyze", do_analyze},
    {"tessera-teach", do_teach},
    {"tessera-review", do_review},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return i;
    return -1;
}

static void do_known_command(struct request *r)
{
    answer(r, "%s", r->count && find_command(r->argument[0]) >= 0 ? "true" : "false");
}

static void do_list_commands(struct request *r)
{
    for (int i = 0; i < COMMANDS; i++)
        answer(r, "%s%s", i ? "\n" : "", commands[i].name);
}

// Splits a line (changing it) into id, command and arguments. Returns the command, NULL when the
// line holds none.
static char *split(char *line, struct request *r)
{
    char *comment = strchr(line, '#'), *save = NULL;
    if (comment)
        *comment = '\0';
    char *word = strtok_r(line, " \t", &save);
    r->id = "";
    if (word && isdigit((unsigned char)*word)) {
        r->id = word;
        word = strtok_r(NULL, " \t", &save);
    }
    r->count = 0;
    for (char *a; word && r->count < ARGUMENTS_MAX && (a = strtok_r(NULL, " \t", &save));)
        r->argument[r->count++] = a;
    r->argument[r->count] = NULL;
    return word;
}

int gtp_is_stop(const char *line)
{
    while (isdigit((unsigned char)*line) || isspace((unsigned char)*line))
        line++;
    return strncmp(line, "stop", 4) == 0 && (!line[4] || isspace((unsigned char)line[4]));
}

int gtp_run(struct session *session)
{
    static struct request r;
    for (char *line; (line = input_next(session->input)); free(line)) {
        r = (struct request){.session = session};
        char *name = split(line, &r);
        if (!name)
            continue;
        int command = find_command(name), quit = 0;
        if (command < 0)
            refuse(&r, "unknown command");
        else
            commands[command].handle(&r);
        quit = command >= 0 && commands[command].handle == do_quit;
        // A stop that came while nothing was running must not end the next search.
        if (command >= 0 && commands[command].handle == do_stop)
            atomic_store(&session->stop, 0);
        fputs("\n\n", session->out);
        if (fflush(session->out) != 0 || ferror(session->out)) {
            free(line);
            return -EPIPE;
        }
        if (quit) {
            free(line);
            break;
        }
    }
    return 0;
}
