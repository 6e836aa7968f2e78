#include "controller/cli/console.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/cli/typed.h"
#include "rules/notation.h"

struct console {
    struct loop *loop;
    struct console_options options;
    struct play *play;
    void (*stopped)(void *user);
    void *user;
    bool tty; // standard output is a terminal
    FILE *talk;
    struct loop_source *ending[LOOP_ENDINGS];
    struct typed *typed;
    bool typist_watches; // sits at a terminal and reads the answers
    bool answering;      // what was typed last has not been answered yet
    bool ended;          // nothing more will be typed
    bool left;           // what the robot still says is of no use to anybody
    unsigned entries;    // of the game, as last heard
    char result[256];    // the robot's sentence about the end
};

static const char HELP[] = "  K10            put your stone there (on the simulated table)\n"
                           "  2/5 1R         Pentago: hole 5 of block 2, then block 1 clockwise\n"
                           "  done           your move is done (as the button)\n"
                           "  undo           take back, to your last move\n"
                           "  resign, draw   give up; offer or accept a draw\n"
                           "  first, second, pass   when colours are to be chosen\n"
                           "  stop, start    stop the arm at once; go on after a stop\n"
                           "  retry          try again what the robot asks about\n"
                           "  tidy           when the game is over, put the stones away\n"
                           "  board          show the board\n"
                           "  quit           leave; `tessera play --resume` goes on later\n";

static struct board_style style_of(const struct console *c)
{
    return board_style_for(fileno(c->talk), robot_colours(play_robot(c->play)));
}

static void show_board(struct console *c, FILE *to, const struct game *game)
{
    char text[BOARD_VIEW_MAX];
    struct board_style style = board_style_for(fileno(to), robot_colours(play_robot(c->play)));
    fprintf(to, "\n%s", board_view(game, &style, text, sizeof text));
    fflush(to);
}

static void leave(struct console *c)
{
    c->left = true;
    c->stopped(c->user);
}

// --- what is typed ---

// Words that need no turn. The others wait, where nobody sits at a terminal who could be told;
// resigning too, or it would overtake the moves that stand before it.
static bool always_heard(const char *word)
{
    static const char *const words[] = {"stop", "start", "retry", "tidy"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

// To the game. False: it can't take this now, and the one who typed it isn't there to try again.
static bool say_word(struct console *c, const char *word)
{
    struct error err;
    bool patient = !c->typist_watches;
    if (patient && c->answering && !always_heard(word))
        return false;
    int r = play_say(c->play, word, &err);
    if (patient && (r == -EAGAIN || r == -EBUSY))
        return false;
    if (r < 0)
        fprintf(c->talk, "%s\n", err.text);
    c->answering = c->answering || (r == 0 && !always_heard(word));
    return true;
}

static bool keep_for_later(struct console *c)
{
    if (c->typist_watches)
        fprintf(c->talk, "just a moment: the game has not begun yet. I keep that in mind.\n");
    return false;
}

static bool on_word(void *user, char *word)
{
    struct console *c = user;
    bool begun = c->play && play_robot(c->play), taken = true;
    word += strspn(word, " \t");
    size_t n = strlen(word);
    while (n && strchr(" \t\r", word[n - 1]))
        word[--n] = 0;
    if (strcmp(word, "help") == 0 || strcmp(word, "?") == 0)
        fputs(HELP, c->talk);
    else if (strcmp(word, "quit") == 0 || strcmp(word, "exit") == 0)
        leave(c);
    else if (!begun)
        taken = keep_for_later(c);
    else if (strcmp(word, "board") == 0)
        show_board(c, c->talk, play_game(c->play));
    else // Enter alone is the button on the screen.
        taken = say_word(c, n ? word : "done");
    fflush(c->talk);
    return taken;
}

// Nobody types any more. Where nobody else can lay a stone either, the game waits for --resume,
// once the last word has been answered.
static void on_no_more(void *user)
{
    struct console *c = user;
    c->ended = true;
    if (c->options.only_typed && !c->answering)
        leave(c);
}

// It is somebody's turn to say or do something.
static void listen_again(struct console *c)
{
    c->answering = false;
    typed_go_on(c->typed);
    if (c->ended && !c->left)
        on_no_more(c);
}

static void on_signal(void *user, int signo)
{
    (void)signo;
    struct console *c = user;
    leave(c);
}

// --- what is said ---

static void say(struct console *c, const char *mark, const char *text)
{
    fprintf(c->talk, "%s%s\n", mark, text);
    fflush(c->talk);
}

void console_news(void *console, enum robot_news kind, const char *text)
{
    struct console *c = console;
    if (kind == ROBOT_NEWS_RESULT)
        snprintf(c->result, sizeof c->result, "%s", text);
    if (c->left || (c->options.quiet && kind != ROBOT_NEWS_QUESTION))
        return;
    static const char *const marks[] = {
        [ROBOT_NEWS_DOING] = "  ",      [ROBOT_NEWS_TURN] = "> ",     [ROBOT_NEWS_CALL] = "  ",
        [ROBOT_NEWS_HINT] = "  note: ", [ROBOT_NEWS_QUESTION] = "? ", [ROBOT_NEWS_TROUBLE] = "! ",
        [ROBOT_NEWS_RESULT] = "= ",
    };
    if (kind == ROBOT_NEWS_CALL) {
        char call[64];
        snprintf(call, sizeof call, "\"%s!\"", text);
        say(c, marks[kind], call);
        return;
    }
    if (kind == ROBOT_NEWS_RESULT && !c->tty)
        return; // comes with the result
    say(c, marks[kind], text);
}

void console_state(void *console, enum robot_state state)
{
    struct console *c = console;
    if (c->options.verbose)
        fprintf(c->talk, "  [%s]\n", robot_state_name(state));
    if (state == ROBOT_WATCHING || state == ROBOT_ASKING) {
        listen_again(c);
    } else if (state == ROBOT_TURNING) {
        // Not a time for moves, but what takes the turn back, or gives up, need not wait for it.
        c->answering = false;
        typed_go_on(c->typed);
    }
}

static void say_taken_back(struct console *c, unsigned count)
{
    if (count == 1)
        fprintf(c->talk, "  the last move is taken back\n");
    else
        fprintf(c->talk, "  the last %u moves are taken back\n", count);
}

void console_position(void *console, const struct game *game, const struct rules_effect *effect)
{
    struct console *c = console;
    unsigned before = c->entries;
    c->entries = game->entries;
    if (c->options.quiet || !c->play || !play_robot(c->play))
        return;
    if (effect && game->entries) {
        struct move move = game_move(game, game->entries - 1u);
        char text[MOVE_TEXT_MAX], legend[64], captured[128];
        struct board_style style = style_of(c);
        fprintf(c->talk, "%3u. %s %s", game->entries,
                board_legend(&style, move.colour, legend, sizeof legend),
                move_format(&game->rules, move, text));
        if (effect->effect.captured_count)
            fprintf(c->talk, ", captures %s",
                    points_text(effect->effect.captured, effect->effect.captured_count, captured,
                                sizeof captured));
        fputc('\n', c->talk);
    } else if (game->entries < before) {
        say_taken_back(c, before - game->entries);
    }
    if (c->tty)
        show_board(c, c->talk, game);
    fflush(c->talk);
}

// --- the result ---

static json_t *moves_json(const struct game *game)
{
    json_t *moves = json_array();
    for (size_t i = 0; i < game->entries; i++) {
        char text[MOVE_TEXT_MAX];
        json_array_append_new(moves,
                              json_string(move_format(&game->rules, game_move(game, i), text)));
    }
    return moves;
}

static json_t *counts_json(const struct robot_counts *n)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "moves", n->moves,
                     "captured", n->captured, "placed", n->placed, "lifted", n->lifted,
                     "picks_failed", n->picks_failed, "picks_retried", n->picks_retried,
                     "questions", n->questions, "hints", n->hints, "hands", n->hands, "homings",
                     n->homings, "observations", n->observations);
}

static void print_json(struct console *c, const struct game *game, uint64_t seed)
{
    json_t *rows = json_array();
    for (int y = game->rules.size - 1; y >= 0; y--) {
        char row[BOARD_SIZE_MAX + 1];
        for (int x = 0; x < game->rules.size; x++)
            row[x] = (char)(game_at(game, x, y) ? '0' + (int)game_at(game, x, y) : '.');
        json_array_append_new(rows, json_stringn(row, game->rules.size));
    }
    json_t *all =
        json_pack("{s:s, s:s, s:I, s:s, s:i, s:o, s:o, s:o}", "game", play_game_name(c->play),
                  "variant", game->rules.name, "seed", (json_int_t)seed, "result", c->result,
                  "winner", game->result.winner, "moves", moves_json(game), "board", rows, "counts",
                  counts_json(robot_counts(play_robot(c->play))));
    json_dumpf(all, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(all);
}

void console_result(struct console *c, const struct game *game, uint64_t seed)
{
    const struct robot_counts *n = robot_counts(play_robot(c->play));
    if (c->options.json) {
        print_json(c, game, seed);
    } else {
        if (!c->tty) {
            show_board(c, stdout, game);
            printf("%s\n", c->result);
        }
        printf("%d moves", n->moves);
        if (game->rules.capture) // there are games without
            printf(", %d stones captured", n->captured);
        printf("; the arm placed %d and lifted %d; %d picks tried again, %d failed; %d questions\n",
               n->placed, n->lifted, n->picks_retried, n->picks_failed, n->questions);
    }
    fflush(stdout);
}

// --- making ---

int console_new(struct loop *loop, const struct console_options *options,
                void (*stopped)(void *user), void *user, struct console **ret, struct error *err)
{
    struct console *c = calloc(1, sizeof *c);
    if (!c)
        return error_set(err, -ENOMEM, "out of memory");
    *c = (struct console){.loop = loop, .options = *options, .stopped = stopped, .user = user};
    c->tty = isatty(STDOUT_FILENO) && !options->json;
    c->talk = c->tty ? stdout : stderr;
    c->typist_watches = isatty(STDIN_FILENO);
    int r = loop_add_endings(loop, on_signal, c, c->ending);
    if (r == 0 && options->interactive) {
        const struct typed_events typed = {.line = on_word, .end = on_no_more, .user = c};
        r = typed_new(loop, STDIN_FILENO, &typed, &c->typed);
    }
    if (r < 0) {
        console_free(c);
        return error_set(err, r, "the terminal can't be watched: %s.", strerror(-r));
    }
    *ret = c;
    return 0;
}

struct console *console_free(struct console *c)
{
    if (!c)
        return NULL;
    typed_free(c->typed);
    for (int i = 0; i < LOOP_ENDINGS; i++)
        loop_source_free(c->ending[i]);
    free(c);
    return NULL;
}

void console_set_play(struct console *c, struct play *play)
{
    c->play = play;
    typed_go_on(c->typed);
}
