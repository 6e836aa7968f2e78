#include "rules/engine/gomocup_player.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/base/clock.h"
#include "rules/engine/guest.h"

enum { COMMAND_MAX = 3072, LINES_MAX = 10000 };
#define START_NS (15 * NS_PER_S)
#define GRACE_NS (2 * NS_PER_S) // beyond its budget: a slow start of a thread is no crime

struct gomocup_player {
    struct guest *guest; // NULL until asked, and after a fault
    char *launcher;
    char command[COMMAND_MAX];
    struct game known; // what the brain knows, its own last move included
    bool follows;      // `known` holds
};

int gomocup_player_new(const char *launcher, const char *command, struct gomocup_player **ret,
                       struct error *err)
{
    struct gomocup_player *p = calloc(1, sizeof *p);
    if (!p)
        return error_set(err, -ENOMEM, "There is not enough memory.");
    if (snprintf(p->command, sizeof p->command, "%s", command) >= (int)sizeof p->command ||
        !*command) {
        free(p);
        return error_set(err, -EINVAL, "The command of the player is empty or too long.");
    }
    p->launcher = launcher ? strdup(launcher) : NULL;
    if (launcher && !p->launcher) {
        free(p);
        return error_set(err, -ENOMEM, "There is not enough memory.");
    }
    *ret = p;
    return 0;
}

struct gomocup_player *gomocup_player_free(struct gomocup_player *p)
{
    if (p) {
        guest_free(p->guest, "END\n");
        free(p->launcher);
        free(p);
    }
    return NULL;
}

static int tell(struct gomocup_player *p, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int tell(struct gomocup_player *p, struct error *err, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return guest_send(p->guest, line, err);
}

// The next line that is an answer: brains may chat with MESSAGE and DEBUG in between.
static int hear(struct gomocup_player *p, int64_t end, const char **ret, struct error *err)
{
    for (int i = 0; i < LINES_MAX; i++) {
        int r = guest_line(p->guest, end, ret, err);
        if (r < 0)
            return r;
        if (**ret && strncasecmp(*ret, "MESSAGE", 7) != 0 && strncasecmp(*ret, "DEBUG", 5) != 0)
            return 0;
    }
    return error_set(err, -EPROTO, "The player talks and talks instead of moving.");
}

static int expect_ok(struct gomocup_player *p, const char *asked, struct error *err)
{
    const char *line;
    int r = hear(p, clock_monotonic_ns() + START_NS, &line, err);
    if (r == 0 && strncasecmp(line, "OK", 2) != 0)
        r = error_set(err, -EPROTO, "The player refuses \"%s\": %.100s", asked, line);
    return r;
}

// Starts the program if need be, and a new game in it.
static int begin(struct gomocup_player *p, const struct game *game, struct error *err)
{
    const struct variant *v = &game->rules;
    char start[32];
    int r = p->guest ? 0 : guest_new(p->launcher, p->command, &p->guest, err);
    // The rule number is Gomocup's; "game" is Tessera's addition, which others ignore.
    if (r == 0)
        r = tell(p, err, "INFO rule %d\nINFO game %s\n", v->exact ? 1 : 0, v->name);
    snprintf(start, sizeof start, "START %d", v->size);
    if (r == 0)
        r = tell(p, err, "%s\n", start);
    return r < 0 ? r : expect_ok(p, start, err);
}

static int row_of(const struct game *game, int y)
{
    return game->rules.size - 1 - y; // Gomocup counts rows from the top
}

static int lay_position(struct gomocup_player *p, const struct game *game, struct error *err)
{
    unsigned me = game_next_colour(game);
    int size = game->rules.size, r = tell(p, err, "BOARD\n");
    // In the order played while every stone still lies; else by rows.
    bool whole = game->stones == game->entries;
    for (unsigned i = 0; whole && i < game->entries; i++)
        whole = game_move(game, i).kind == MOVE_PLACE;
    for (unsigned i = 0; whole && r == 0 && i < game->entries; i++) {
        struct move m = game_move(game, i);
        r = tell(p, err, "%d,%d,%d\n", m.x, row_of(game, m.y),
                 (unsigned)game_at(game, m.x, m.y) == me ? 1 : 2);
    }
    for (int i = 0; !whole && r == 0 && i < size * size; i++) {
        int x = i % size, y = i / size;
        if (game_at(game, x, y))
            r = tell(p, err, "%d,%d,%d\n", x, row_of(game, y),
                     (unsigned)game_at(game, x, y) == me ? 1 : 2);
    }
    return r < 0 ? r : tell(p, err, "DONE\n");
}

// Whether the game is what the brain knows and one move more.
static bool one_move_on(const struct gomocup_player *p, const struct game *game)
{
    if (!p->follows || !variant_same_rules(&p->known.rules, &game->rules) ||
        game->entries != p->known.entries + 1u)
        return false;
    for (unsigned i = 0; i < p->known.entries; i++)
        if (!move_equal(game_move(game, i), game_move(&p->known, i)))
            return false;
    return game_move(game, game->entries - 1u).kind == MOVE_PLACE;
}

static int put_question(struct gomocup_player *p, const struct game *game, int64_t budget_ns,
                        struct error *err)
{
    bool goes_on = p->guest && one_move_on(p, game);
    int r = goes_on ? 0 : begin(p, game, err);
    long ms = (long)(budget_ns / NS_PER_MS);
    if (r == 0)
        r = tell(p, err, "INFO timeout_turn %ld\nINFO timeout_match 0\n", ms > 0 ? ms : 1);
    if (r < 0)
        return r;
    if (goes_on) {
        struct move last = game_move(game, game->entries - 1u);
        return tell(p, err, "TURN %d,%d\n", last.x, row_of(game, last.y));
    }
    return game->stones ? lay_position(p, game, err) : tell(p, err, "BEGIN\n");
}

static int ask(struct gomocup_player *p, const struct game *game, int64_t budget_ns,
               struct move *ret, struct error *err)
{
    const char *line = "";
    int x, y, used = 0, r = put_question(p, game, budget_ns, err);
    if (r == 0)
        r = hear(p, clock_monotonic_ns() + budget_ns + GRACE_NS, &line, err);
    if (r < 0)
        return r;
    if (sscanf(line, "%d,%d%n", &x, &y, &used) != 2 || line[used + (int)strspn(line + used, " ")])
        return error_set(err, -EPROTO, "The player answers \"%.100s\", which is no move.", line);
    y = row_of(game, y);
    if (x < 0 || y < 0 || x >= game->rules.size || y >= game->rules.size)
        return error_set(err, -EPROTO, "The player moves off the board: %.100s.", line);
    *ret = move_place(game_next_colour(game), x, y);
    return 0;
}

int gomocup_player_think(struct gomocup_player *p, const struct game *game, int64_t budget_ns,
                         struct move *ret, struct error *err)
{
    const struct variant *v = &game->rules;
    if (v->family != FAMILY_PENTE || v->colours != 2 || v->connect6 || game_choice_pending(game))
        return error_set(err, -ENOTSUP, "The Gomocup protocol has no words for this game (%s).",
                         v->name);
    int r = ask(p, game, budget_ns, ret, err);
    p->follows = r == 0;
    if (r < 0) {
        p->guest = guest_free(p->guest, "END\n");
        return r;
    }
    p->known = *game;
    p->follows = game_play(&p->known, *ret, NULL) == REASON_NONE;
    return 0;
}
