#include "rules/engine/gtp.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/gtp_commands.h"

typedef void handler(struct gtp_request *r);

static void begin(struct gtp_request *r, int ok)
{
    if (!r->answered++)
        fprintf(r->session->out, "%c%s ", ok ? '=' : '?', r->id);
}

void gtp_answer(struct gtp_request *r, const char *format, ...)
{
    va_list args;
    begin(r, 1);
    va_start(args, format);
    vfprintf(r->session->out, format, args);
    va_end(args);
}

void gtp_refuse(struct gtp_request *r, const char *format, ...)
{
    va_list args;
    begin(r, 0);
    va_start(args, format);
    vfprintf(r->session->out, format, args);
    va_end(args);
}

int gtp_number(const char *text, long low, long high, long *ret)
{
    char *end;
    errno = 0;
    long value = text ? strtol(text, &end, 10) : 0;
    if (!text || errno || *end || end == text || value < low || value > high)
        return 0;
    *ret = value;
    return 1;
}

unsigned gtp_colour_of(const struct session *s, const char *text)
{
    static const char *const names[][3] = {{"b", "black", "1"}, {"w", "white", "2"}, {"3"}, {"4"}};
    for (unsigned c = 0; text && c < s->variant.colours; c++)
        for (int i = 0; i < 3 && names[c][i]; i++)
            if (strcasecmp(text, names[c][i]) == 0)
                return c + 1;
    return 0;
}

const char *gtp_colour_name(unsigned colour)
{
    static const char *const names[] = {"", "black", "white", "3", "4"};
    return names[colour <= COLOURS_MAX ? colour : 0];
}

static void do_protocol_version(struct gtp_request *r)
{
    gtp_answer(r, "2");
}

static void do_name(struct gtp_request *r)
{
    gtp_answer(r, "Tessera");
}

static void do_version(struct gtp_request *r)
{
    gtp_answer(r, TESSERA_VERSION);
}

static void do_quit(struct gtp_request *r)
{
    gtp_answer(r, "%s", "");
}

static void do_stop(struct gtp_request *r)
{
    gtp_answer(r, "%s", "");
}

static void do_analyze_commands(struct gtp_request *r)
{
    gtp_answer(r, "string/Teach/tessera-teach\n"
                  "string/Show result/gogui-rules_final_result\n"
                  "string/Legal moves/gogui-rules_legal_moves");
}

static void do_known_command(struct gtp_request *r);
static void do_list_commands(struct gtp_request *r);

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
    {"boardsize", gtp_do_boardsize},
    {"clear_board", gtp_do_clear_board},
    {"komi", gtp_do_komi},
    {"play", gtp_do_play},
    {"genmove", gtp_do_genmove},
    {"reg_genmove", gtp_do_reg_genmove},
    {"undo", gtp_do_undo},
    {"showboard", gtp_do_showboard},
    {"time_settings", gtp_do_time_settings},
    {"time_left", gtp_do_time_left},
    {"final_score", gtp_do_final_score},
    {"stop", do_stop},
    {"gogui-analyze_commands", do_analyze_commands},
    {"gogui-play_sequence", gtp_do_play_sequence},
    {"gogui-rules_game_id", gtp_do_rules_game_id},
    {"gogui-rules_board", gtp_do_rules_board},
    {"gogui-rules_board_size", gtp_do_rules_board_size},
    {"gogui-rules_legal_moves", gtp_do_rules_legal_moves},
    {"gogui-rules_side_to_move", gtp_do_rules_side_to_move},
    {"gogui-rules_final_result", gtp_do_rules_final_result},
    {"tessera-set_game", gtp_do_set_game},
    {"tessera-list_games", gtp_do_list_games},
    {"tessera-move_time", gtp_do_move_time},
    {"tessera-clock", gtp_do_clock},
    {"tessera-clock_left", gtp_do_clock_left},
    {"tessera-level", gtp_do_level},
    {"tessera-seed", gtp_do_seed},
    {"tessera-resign", gtp_do_resign},
    {"tessera-analyze", gtp_do_analyze},
    {"tessera-teach", gtp_do_teach},
    {"tessera-review", gtp_do_review},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return i;
    return -1;
}

static void do_known_command(struct gtp_request *r)
{
    gtp_answer(r, "%s", r->count && find_command(r->argument[0]) >= 0 ? "true" : "false");
}

static void do_list_commands(struct gtp_request *r)
{
    for (int i = 0; i < COMMANDS; i++)
        gtp_answer(r, "%s%s", i ? "\n" : "", commands[i].name);
}

// Splits a line (changing it) into id, command and arguments. Returns the command, NULL when the
// line holds none.
static char *split(char *line, struct gtp_request *r)
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
    for (char *a; word && r->count < GTP_ARGUMENTS_MAX && (a = strtok_r(NULL, " \t", &save));)
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
    static struct gtp_request r;
    for (char *line; (line = input_next(session->input)); free(line)) {
        r = (struct gtp_request){.session = session};
        char *name = split(line, &r);
        if (!name)
            continue;
        int command = find_command(name), quit = 0;
        if (command < 0)
            gtp_refuse(&r, "unknown command");
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
        if (command >= 0 && commands[command].handle == gtp_do_genmove)
            session_ponder(session);
    }
    return 0;
}
