#include "rules/engine/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/notation.h"

enum {
    MOVES_EXPECTED = 22, // more own moves in a game of Pente, for dividing the main time
    MOVES_PENTAGO = 14,
};

// A person who went away doesn't keep the processor busy for ever.
#define PONDER_NS (600 * NS_PER_S)

// Kept back so that an answer is never late: scheduling, the last poll, writing it.
#define MARGIN_NS (6 * NS_PER_MS)

int session_new(const struct session_options *options, int in, FILE *out,
                int (*is_stop)(const char *line), struct session **ret, struct error *err)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, -ENOMEM, "There is not enough memory.");
    s->options = *options;
    s->out = out;
    s->move_time_ns = options->move_time_ns;
    int r = engine_new(&options->engine, &s->engine, err);
    if (r == 0)
        r = session_set_game(s, options->variant, NULL, err);
    if (r == 0 && options->brain)
        r = gomocup_player_new("/proc/self/exe", options->brain, &s->brain, err);
    if (r == 0 && is_stop) {
        r = input_new(in, is_stop, &s->stop, &s->input);
        if (r < 0)
            error_set(err, r, "The input cannot be read: %s.", strerror(-r));
    }
    if (r < 0) {
        session_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

struct session *session_free(struct session *s)
{
    if (!s)
        return NULL;
    input_free(s->input);
    gomocup_player_free(s->brain);
    engine_free(s->engine);
    free(s);
    return NULL;
}

int session_set_game(struct session *s, const char *name, char *const changes[], struct error *err)
{
    struct variant v;
    int r = variant_init(&v, name, err);
    for (int i = 0; r == 0 && changes && changes[i]; i++) {
        char field[64];
        const char *equals = strchr(changes[i], '=');
        if (!equals || (size_t)(equals - changes[i]) >= sizeof field)
            return error_set(err, -EINVAL, "\"%s\" is not of the form field=value.", changes[i]);
        memcpy(field, changes[i], (size_t)(equals - changes[i]));
        field[equals - changes[i]] = '\0';
        r = variant_set(&v, field, equals + 1, err);
    }
    if (r == 0)
        r = variant_validate(&v, err);
    if (r < 0)
        return r;
    if (engine_prepare(s->engine, &v) < 0)
        return error_set(err, -ENOMEM, "There is not enough memory for this game.");
    s->variant = v;
    game_init(&s->game, &s->variant);
    gameclock_restart(&s->clock);
    return 0;
}

int64_t session_budget(const struct session *s)
{
    if (!s->clock.set)
        return s->move_time_ns;
    int played = s->game.ply / s->variant.colours;
    int expected = s->variant.family == FAMILY_PENTAGO ? MOVES_PENTAGO : MOVES_EXPECTED;
    int more = expected - played > 8 ? expected - played : 8;
    return gameclock_budget(&s->clock, game_next_colour(&s->game), more);
}

static int think_once(struct session *s, const struct game *game, int64_t deadline,
                      bool full_strength, struct engine_thought *ret, struct error *err)
{
    struct engine_limits limits = {.deadline_ns = deadline, .nodes = s->options.nodes};
    return engine_think(s->engine, game, &limits, full_strength, &s->stop, NULL, NULL, ret, err);
}

static int ask_brain(struct session *s, int64_t budget, struct engine_thought *ret,
                     struct error *err)
{
    struct move move;
    struct effect effect;
    char text[MOVE_TEXT_MAX], why[256];
    int r = gomocup_player_think(s->brain, &s->game, budget, &move, err);
    if (r < 0)
        return r;
    if (game_check(&s->game, move, &effect) != REASON_NONE)
        return error_set(err, -EPROTO, "%.60s wants to play %s, which is not allowed: %s",
                         s->options.brain, move_format(&s->variant, move, text),
                         reason_explain(effect.reason, &s->game, &move, why, sizeof why));
    *ret = (struct engine_thought){.line_count = 1, .line[0] = {.move = move, .win_chance = 0.5}};
    return 0;
}

int session_think(struct session *s, bool full_strength, struct engine_thought *ret,
                  struct error *err)
{
    int64_t now = clock_monotonic_ns(), budget = session_budget(s);
    if (s->brain && !full_strength)
        return ask_brain(s, budget, ret, err);
    // With nodes limited and no clock, time must not decide anything: results can be repeated.
    int64_t deadline = s->options.nodes && !s->clock.set
                           ? 0
                           : now + (budget > 2 * MARGIN_NS ? budget - MARGIN_NS : budget / 2);
    if (game_stones_due(&s->game) < 2)
        return think_once(s, &s->game, deadline, full_strength, ret, err);
    static _Thread_local struct game after;
    int64_t half = deadline ? now + (deadline - now) / 2 : 0;
    int r = think_once(s, &s->game, half, full_strength, ret, err);
    after = s->game;
    if (r < 0 || game_play(&after, ret->line[0].move, NULL) != REASON_NONE || after.result.over)
        return r;
    struct move first = ret->line[0].move;
    r = think_once(s, &after, deadline, full_strength, ret, err);
    if (r == 0) {
        struct move second = ret->line[0].move;
        ret->line[0].move = move_pair(first.colour, (struct point){first.x, first.y},
                                      (struct point){second.x, second.y});
    }
    return r;
}

void session_ponder(struct session *s)
{
    static _Thread_local struct engine_thought thought;
    struct engine_limits limits = {.deadline_ns = clock_monotonic_ns() + PONDER_NS};
    if (s->options.ponder && !s->brain && !s->options.nodes && !s->game.result.over)
        engine_think(s->engine, &s->game, &limits, true, input_waiting(s->input), NULL, NULL,
                     &thought, NULL);
}

bool session_resigns(const struct session *s, const struct engine_thought *thought)
{
    const struct engine_line *best = &thought->line[0];
    return s->options.resign && best->proven && best->score < 0;
}
