#include "rules/engine/gomocup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"

struct brain {
    struct session *session;
    char game[VARIANT_NAME_MAX]; // "" until INFO game: then by INFO rule
    int exact, size;
    bool ready; // START or RECTSTART was accepted
    int64_t turn_ns, match_ns, left_ns;
};

static int starts_with(const char *line, const char *word)
{
    size_t n = strlen(word);
    return strncasecmp(line, word, n) == 0 && (line[n] == '\0' || line[n] == ' ');
}

int gomocup_is_stop(const char *line)
{
    return starts_with(line, "END") || starts_with(line, "STOP") || starts_with(line, "YXSTOP");
}

static void say(struct brain *b, const char *line)
{
    fprintf(b->session->out, "%s\n", line);
}

static void complain(struct brain *b, const char *text)
{
    fprintf(b->session->out, "ERROR %s\n", text);
}

static int new_game(struct brain *b, int size)
{
    struct error err;
    char change[32], *changes[] = {change, "opening=free", NULL};
    const char *name = b->game[0] ? b->game : b->exact ? "gomoku" : "gomoku-free";
    snprintf(change, sizeof change, "size=%d", size);
    // A game that was asked for keeps its own opening rule; a manager's Gomoku has none.
    if (b->game[0])
        changes[1] = NULL;
    if (session_set_game(b->session, name, changes, &err) < 0) {
        complain(b, err.text);
        return -1;
    }
    b->size = size;
    b->ready = true;
    return 0;
}

static void start(struct brain *b, const char *rest)
{
    char *end;
    long size = strtol(rest, &end, 10);
    if (end == rest || *end || size < BOARD_SIZE_MIN || size > BOARD_SIZE_MAX)
        complain(b, "unsupported size or other error");
    else if (new_game(b, (int)size) == 0)
        say(b, "OK");
}

static int point_of(const struct brain *b, const char *text, struct point *ret, int *ret_end)
{
    int x, y;
    if (sscanf(text, "%d,%d%n", &x, &y, ret_end) != 2 || x < 0 || y < 0 || x >= b->size ||
        y >= b->size)
        return -1;
    // Gomocup counts rows from the top.
    *ret = (struct point){(int8_t)x, (int8_t)(b->size - 1 - y)};
    return 0;
}

static void set_budget(struct brain *b)
{
    int64_t budget = b->turn_ns > 0 ? b->turn_ns : 50 * NS_PER_MS;
    if (b->match_ns > 0 && b->left_ns / 16 < budget)
        budget = b->left_ns / 16;
    b->session->move_time_ns = budget > NS_PER_MS ? budget : NS_PER_MS;
}

static void move(struct brain *b)
{
    struct engine_thought thought;
    struct error err;
    struct session *s = b->session;
    set_budget(b);
    if (s->game.result.over) {
        complain(b, "the game is over");
        return;
    }
    if (session_think(s, false, &thought, &err) < 0) {
        complain(b, err.text);
        return;
    }
    struct move m = thought.line[0].move;
    if (m.kind != MOVE_PLACE || game_play(&s->game, m, NULL) != REASON_NONE) {
        complain(b, "this game has moves that the protocol cannot say");
        return;
    }
    fprintf(s->out, "%d,%d\n", m.x, b->size - 1 - m.y);
}

static int play_point(struct brain *b, const char *rest)
{
    struct point p;
    int end;
    if (point_of(b, rest, &p, &end) < 0 ||
        game_play(&b->session->game, move_place(0, p.x, p.y), NULL) != REASON_NONE) {
        complain(b, "not a legal move");
        return -1;
    }
    return 0;
}

// BOARD: stones as "x,y,who" until DONE; who = 1 own, 2 the other's, in the order played.
static void board(struct brain *b)
{
    struct setup setup = {0};
    struct error err;
    int bad = 0, own = 0;
    char *line;
    while ((line = input_next(b->session->input)) && !starts_with(line, "DONE")) {
        struct point p;
        int end = 0, who = 0;
        if (point_of(b, line, &p, &end) < 0 || sscanf(line + end, ",%d", &who) != 1 || who < 1 ||
            who > 2 || setup.stone_count == POINTS_MAX) {
            bad = 1;
        } else {
            setup.stones[setup.stone_count].colour = (uint8_t)who;
            setup.stones[setup.stone_count++].at = p;
            own += who == 1;
        }
        free(line);
    }
    free(line);
    // It is our turn. When both have as many stones we began and are colour 1.
    int first = 2 * own == setup.stone_count;
    setup.ply = setup.stone_count;
    for (int i = 0; i < setup.stone_count && !first; i++)
        setup.stones[i].colour = (uint8_t)(3 - setup.stones[i].colour);
    if (bad || game_setup(&b->session->game, &b->session->variant, &setup, &err) < 0)
        complain(b, bad ? "a stone cannot be read" : err.text);
    else
        move(b);
}

static void info(struct brain *b, const char *rest)
{
    char key[32], value[64];
    if (sscanf(rest, "%31s %63s", key, value) != 2)
        return;
    long number = strtol(value, NULL, 10);
    if (number < 0 || number > 1000000000)
        number = 1000000000;
    if (strcmp(key, "timeout_turn") == 0)
        b->turn_ns = number * NS_PER_MS;
    else if (strcmp(key, "timeout_match") == 0)
        b->match_ns = number * NS_PER_MS;
    else if (strcmp(key, "time_left") == 0)
        b->left_ns = number * NS_PER_MS;
    else if (strcmp(key, "rule") == 0)
        b->exact = number & 1;
    else if (strcmp(key, "game") == 0 && variant_find(value))
        snprintf(b->game, sizeof b->game, "%.*s", VARIANT_NAME_MAX - 1, value);
}

static void take_back(struct brain *b, const char *rest)
{
    struct point p;
    int end;
    struct game *g = &b->session->game;
    if (!g->entries || point_of(b, rest, &p, &end) < 0) {
        complain(b, "nothing to take back there");
        return;
    }
    struct move last = game_move(g, g->entries - 1u);
    if (last.x != p.x || last.y != p.y)
        complain(b, "that is not the last stone");
    else if (game_undo(g))
        say(b, "OK");
}

static void obey(struct brain *b, char *line)
{
    const char *rest = strchr(line, ' ');
    rest = rest ? rest + 1 : "";
    if (starts_with(line, "START")) {
        start(b, rest);
    } else if (starts_with(line, "RECTSTART")) {
        complain(b, "rectangular boards are not supported");
    } else if (starts_with(line, "INFO")) {
        info(b, rest);
    } else if (starts_with(line, "ABOUT")) {
        say(b, "name=\"Tessera\", version=\"" TESSERA_VERSION "\"");
    } else if (starts_with(line, "STOP") || starts_with(line, "YXSTOP")) {
        atomic_store(&b->session->stop, 0);
    } else if (!b->ready) {
        complain(b, "START comes first");
    } else if (starts_with(line, "BEGIN")) {
        move(b);
    } else if (starts_with(line, "TURN")) {
        if (play_point(b, rest) == 0)
            move(b);
    } else if (starts_with(line, "BOARD")) {
        board(b);
    } else if (starts_with(line, "PLAY")) {
        if (play_point(b, rest) == 0)
            fprintf(b->session->out, "%s\n", rest);
    } else if (starts_with(line, "TAKEBACK")) {
        take_back(b, rest);
    } else if (starts_with(line, "RESTART")) {
        if (new_game(b, b->size) == 0)
            say(b, "OK");
    } else {
        fprintf(b->session->out, "UNKNOWN %.40s\n", line);
    }
}

int gomocup_run(struct session *session)
{
    struct brain b = {.session = session, .turn_ns = session->move_time_ns};
    for (char *line; (line = input_next(session->input)); free(line)) {
        if (starts_with(line, "END")) {
            free(line);
            break;
        }
        if (line[0])
            obey(&b, line);
        if (fflush(session->out) != 0 || ferror(session->out)) {
            free(line);
            return -EPIPE;
        }
    }
    return 0;
}
