#include "rules/engine/points.h"

#include "config/base/clock.h"
#include "rules/engine/reach.h"

enum {
    NO_WIN = -10000, // less than any lead
    MOVES_MAX = 48,
};

struct solver {
    struct game game;
    const struct engine_limits *limits;
    atomic_int *stop;
    unsigned me; // the side that can win now
    uint64_t nodes;
    bool finished;
};

struct choice {
    struct move move;
    int lead; // that is sure after it
};

struct choices {
    int count;
    struct choice choice[MOVES_MAX];
};

bool points_count(const struct variant *variant)
{
    return variant->scoring != SCORING_NONE;
}

int points_lead(const struct game *game, unsigned side)
{
    uint16_t scores[COLOURS_MAX + 1];
    int mine = 0, best = 0;
    game_scores(game, scores);
    for (unsigned c = 1; c <= game->rules.colours; c++) {
        if (game->rules.sides[c] == side)
            mine += scores[c];
        else if (scores[c] > best)
            best = scores[c];
    }
    return mine - best;
}

// At every position: there are hundreds of points to look at in each.
static bool poll_now(struct solver *s)
{
    s->nodes++;
    if (!s->finished)
        s->finished = (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed)) ||
                      (s->limits->deadline_ns && clock_monotonic_ns() >= s->limits->deadline_ns) ||
                      (s->limits->nodes && s->nodes >= s->limits->nodes);
    return s->finished;
}

static unsigned side_to_move(const struct game *game)
{
    return game->rules.sides[game_next_colour(game)];
}

// Shortest row that scores when it is left on the board.
static int scoring_row(const struct variant *v)
{
    return v->scoring == SCORING_POINTS2 ? 4 : 3;
}

// Whether a stone of the colour here may win.
static bool may_win(const struct game *game, struct move m, unsigned colour)
{
    return reach_open(game, m.x, m.y, colour) >= game->rules.win_len - 1 ||
           (game->rules.goal && reach_takes(game, m.x, m.y, colour));
}

// Whether a stone of the colour here earns a point, or (when `far`) makes a four that may.
static bool may_earn(const struct game *game, struct move m, unsigned colour, bool far)
{
    return reach_takes(game, m.x, m.y, colour) ||
           reach_row(game, m.x, m.y, colour) >= scoring_row(&game->rules) ||
           (far && reach_open(game, m.x, m.y, colour) >= game->rules.win_len - 2);
}

// Whether anybody's stone here may change who wins or what is scored.
static bool may_matter(const struct game *game, struct move m)
{
    for (unsigned c = 1; c <= game->rules.colours; c++)
        if (may_win(game, m, c) || may_earn(game, m, c, true))
            return true;
    return false;
}

// The best lead from winning with this very stone, NO_WIN when none wins.
static int win_now(struct solver *s, const struct move *legal, size_t count, struct move *ret)
{
    unsigned colour = game_next_colour(&s->game);
    int best = NO_WIN;
    for (size_t i = 0; i < count; i++) {
        if (!may_win(&s->game, legal[i], colour) ||
            game_play(&s->game, legal[i], NULL) != REASON_NONE)
            continue;
        if (s->game.result.over && s->game.result.winner == s->me) {
            int lead = points_lead(&s->game, s->me);
            if (lead > best) {
                best = lead;
                *ret = legal[i];
            }
        }
        game_undo(&s->game);
    }
    return best;
}

// The moves that put the win off for a point.
static void list_delays(const struct game *game, const struct move *legal, size_t count, bool far,
                        struct choices *ret)
{
    unsigned colour = game_next_colour(game);
    ret->count = 0;
    for (size_t i = 0; i < count && ret->count < MOVES_MAX; i++)
        if (may_earn(game, legal[i], colour, far))
            ret->choice[ret->count++] = (struct choice){legal[i], NO_WIN};
}

// Everybody's replies that can matter, and one of those that can't. Returns how many.
static int list_replies(const struct game *game, const struct move *legal, size_t count,
                        struct move *ret)
{
    int found = 0;
    bool quiet = false;
    for (size_t i = 0; i < count; i++) {
        bool matters = may_matter(game, legal[i]);
        if (matters || !quiet)
            ret[found++] = legal[i];
        quiet |= !matters;
    }
    return found;
}

static int value(struct solver *s, int delays, int alpha);

// The winner's turn: the lead from winning now or after more delays.
static int my_value(struct solver *s, int delays)
{
    struct move legal[LEGAL_MAX], win;
    size_t count = game_legal(&s->game, legal);
    int best = win_now(s, legal, count, &win);
    if (best == NO_WIN || delays < 1)
        return best;
    struct choices list;
    list_delays(&s->game, legal, count, delays > 1, &list);
    for (int i = 0; i < list.count && !s->finished; i++) {
        if (game_play(&s->game, list.choice[i].move, NULL) != REASON_NONE)
            continue;
        int lead = value(s, delays - 1, best);
        game_undo(&s->game);
        best = lead > best ? lead : best;
    }
    return best;
}

// Another's turn: everybody plays against the winner.
static int their_value(struct solver *s, int delays, int alpha)
{
    struct move legal[LEGAL_MAX], reply[LEGAL_MAX];
    int count = list_replies(&s->game, legal, game_legal(&s->game, legal), reply), worst = -NO_WIN;
    for (int i = 0; i < count && worst > alpha; i++) {
        if (game_play(&s->game, reply[i], NULL) != REASON_NONE)
            continue;
        int lead = value(s, delays, alpha);
        game_undo(&s->game);
        worst = lead < worst ? lead : worst;
        if (s->finished)
            return NO_WIN;
    }
    return worst;
}

// The lead that is sure; values up to `alpha` are not exact. Means nothing once finished.
static int value(struct solver *s, int delays, int alpha)
{
    if (s->game.result.over)
        return points_lead(&s->game, s->me);
    if (poll_now(s))
        return NO_WIN;
    return side_to_move(&s->game) == s->me ? my_value(s, delays) : their_value(s, delays, alpha);
}

static void answer(const struct choice *c, int score_sign, int plies, struct engine_thought *ret)
{
    *ret = (struct engine_thought){.line_count = 1, .depth = plies, .selective_depth = plies};
    struct engine_line *line = &ret->line[0];
    line->move = line->pv[0] = c->move;
    line->pv_length = 1;
    line->score = score_sign * (ENGINE_WIN - plies);
    line->proven = true;
    line->plies = plies;
    line->win_chance = score_sign > 0;
    line->depth = plies;
}

// Puts the win off as long as that is sure to earn more. Every delay is safe for itself: however
// much a later one promises, one that could cost the win or a point at once is not played.
static int put_off(struct solver *s, const struct move *legal, size_t count, int delays,
                   struct choice *best)
{
    struct choices list;
    int now = best->lead, used = 0;
    list_delays(&s->game, legal, count, delays > 1, &list);
    for (int ahead = 0; ahead < delays && !s->finished; ahead++) {
        for (int i = 0; i < list.count && !s->finished; i++) {
            struct choice *c = &list.choice[i];
            if ((ahead && c->lead < now) || game_play(&s->game, c->move, NULL) != REASON_NONE)
                continue;
            int lead = value(s, ahead, ahead ? best->lead : now - 1);
            game_undo(&s->game);
            if (s->finished)
                break;
            if (!ahead)
                c->lead = lead;
            if (lead > best->lead) {
                *best = (struct choice){c->move, lead};
                used = ahead + 1;
            }
        }
    }
    return used;
}

// Two colours, and the other one wins next whatever is played: what keeps the most. Returns 0 when
// some move stops the win.
static int lose_least(struct solver *s, const struct move *legal, size_t count, int delays,
                      struct choice *best)
{
    struct move reply[LEGAL_MAX];
    int replies = list_replies(&s->game, legal, count, reply);
    unsigned winner = 3 - game_next_colour(&s->game);
    int best_key = NO_WIN;
    s->me = 3 - s->me;
    for (int i = 0; i < replies; i++) {
        // At equal points what the winner has to look at most: a stone on a winning point.
        int stands_in = may_win(&s->game, reply[i], winner);
        if (game_play(&s->game, reply[i], NULL) != REASON_NONE)
            continue;
        int lead = s->game.result.over ? NO_WIN : my_value(s, delays);
        game_undo(&s->game);
        if (s->finished || lead == NO_WIN)
            return 0;
        if (stands_in - 2 * lead > best_key) {
            *best = (struct choice){reply[i], -lead};
            best_key = stands_in - 2 * lead;
        }
    }
    return best->lead > NO_WIN;
}

int points_end(const struct game *game, const struct engine_limits *limits, int delays,
               atomic_int *stop, struct engine_thought *ret, int *ret_lead)
{
    static _Thread_local struct solver s;
    static _Thread_local struct move legal[LEGAL_MAX];
    const struct variant *v = &game->rules;
    s = (struct solver){.limits = limits, .stop = stop, .me = side_to_move(game)};
    s.game = *game;
    size_t count = game_legal(game, legal);
    struct choice best = {.lead = NO_WIN};
    best.lead = win_now(&s, legal, count, &best.move);
    if (best.lead > NO_WIN) {
        int used = put_off(&s, legal, count, delays, &best);
        answer(&best, 1, 1 + used * v->colours, ret);
    } else if (v->colours == 2 && lose_least(&s, legal, count, delays > 0, &best)) {
        answer(&best, -1, 2, ret);
    } else {
        return 0;
    }
    ret->nodes = s.nodes;
    *ret_lead = best.lead;
    return 1;
}
