#include "rules/engine/teach.h"

#include <stdio.h>
#include <string.h>

#include "config/base/text.h"
#include "rules/engine/points.h"
#include "rules/notation.h"

enum { THREATS_MAX = 12 };

static void say_points(struct text *t, const struct point *points, int count, const char *last)
{
    char text[MOVE_TEXT_MAX];
    for (int i = 0; i < count; i++)
        text_put(t, "%s%s", !i ? "" : i + 1 < count ? ", " : last, point_format(points[i], text));
}

static int same_stones(const struct call *a, const struct call *b)
{
    if (a->kind != b->kind || a->stone_count != b->stone_count)
        return 0;
    for (int i = 0; i < a->stone_count; i++)
        if (!point_equal(a->stones[i], b->stones[i]))
            return 0;
    return 1;
}

// All formations of the others' colours on the board, each once, fours first.
static int find_threats(const struct game *game, unsigned me, struct call *threats)
{
    int count = 0;
    unsigned my_side = game->rules.sides[me];
    static const enum call_kind kinds[] = {CALL_TESSERA, CALL_TRIA};
    for (int k = 0; k < 2; k++) {
        for (int y = 0; y < game->rules.size; y++) {
            for (int x = 0; x < game->rules.size; x++) {
                struct call found[CALLS_MAX];
                unsigned colour = game_at(game, x, y);
                if (!colour || game->rules.sides[colour] == my_side)
                    continue;
                size_t n = game_calls_at(game, x, y, colour, found);
                for (size_t i = 0; i < n; i++) {
                    int known = found[i].kind != kinds[k] || count == THREATS_MAX;
                    for (int j = 0; !known && j < count; j++)
                        known = same_stones(&threats[j], &found[i]);
                    if (!known)
                        threats[count++] = found[i];
                }
            }
        }
    }
    return count;
}

static int takes_part_of(const struct effect *effect, const struct call *threat)
{
    for (int i = 0; i < effect->captured_count; i++)
        for (int k = 0; k < threat->stone_count; k++)
            if (point_equal(effect->captured[i], threat->stones[k]))
                return 1;
    return 0;
}

// Legal moves that capture a stone of the threat.
static int find_captures(const struct game *game, const struct call *threat, struct point *points)
{
    static _Thread_local struct move legal[LEGAL_MAX];
    size_t count = game->rules.capture ? game_legal(game, legal) : 0;
    int found = 0;
    for (size_t i = 0; i < count && found < CALL_POINTS_MAX; i++) {
        struct effect effect;
        if (game_check(game, legal[i], &effect) == REASON_NONE && takes_part_of(&effect, threat))
            points[found++] = (struct point){legal[i].x, legal[i].y};
    }
    return found;
}

static void explain_threat(struct text *t, const struct game *game, const struct call *threat)
{
    struct point captures[CALL_POINTS_MAX];
    int taken = find_captures(game, threat, captures);
    unsigned colour = game_at(game, threat->stones[0].x, threat->stones[0].y);
    const char *who = game->rules.labels[colour];
    if (threat->kind == CALL_TESSERA && threat->block_count > 1)
        text_put(t, "Colour %u (%s) has a four (tessera) that wins at ", colour, who);
    else if (threat->kind == CALL_TESSERA)
        text_put(t, "Colour %u (%s) has a four and wins next at ", colour, who);
    else
        text_put(t, "Colour %u (%s) has an open three (tria): block at ", colour, who);
    say_points(t, threat->blocks, threat->block_count, " or ");
    if (threat->kind == CALL_TESSERA)
        text_put(t, threat->block_count > 1 ? ": one stone can't stop both" : ": block there");
    if (taken) {
        text_put(t, threat->kind == CALL_TESSERA && threat->block_count > 1
                        ? ", but you can take a pair at "
                        : ", or take a pair at ");
        say_points(t, captures, taken, " or ");
    }
    text_put(t, ". ");
}

// Whether a stone of the other colour on (x, y) would take a pair of `me`.
static bool loses_pair(const struct game *game, int x, int y, unsigned me)
{
    int size = game->rules.size;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int ex = x + 3 * dx, ey = y + 3 * dy;
            if ((dx || dy) && ex >= 0 && ey >= 0 && ex < size && ey < size &&
                game_at(game, x + dx, y + dy) == me &&
                game_at(game, x + 2 * dx, y + 2 * dy) == me && game_at(game, ex, ey) == 3 - me)
                return true;
        }
    }
    return false;
}

// Pairs that the other side can take with the next stone.
static void explain_hanging(struct text *t, const struct game *game, unsigned me)
{
    struct point points[CALL_POINTS_MAX];
    int count = 0;
    if (!(game->rules.capture & 1 << 2) || game->rules.colours != 2)
        return;
    for (int y = 0; y < game->rules.size; y++)
        for (int x = 0; x < game->rules.size && count < CALL_POINTS_MAX; x++)
            if (!game_at(game, x, y) && loses_pair(game, x, y, me))
                points[count++] = (struct point){(int8_t)x, (int8_t)y};
    if (!count)
        return;
    text_put(t, "A pair of yours can be taken at ");
    say_points(t, points, count, " and ");
    text_put(t, ". ");
}

// In games for points: what the move is about when the end is near. False when it isn't.
static bool explain_points(struct text *t, const struct game *game, const struct engine_line *best)
{
    struct engine_thought now;
    struct engine_limits none = {0};
    char move[MOVE_TEXT_MAX];
    int lead;
    if (!points_count(&game->rules) || !best->proven ||
        !points_end(game, &none, 0, NULL, &now, &lead))
        return false;
    if (best->score < 0)
        text_put(t, "The game is lost; this keeps the most points.");
    else if (best->plies > 1)
        text_put(t,
                 "You could win at once at %s, but nobody can stop the win, and this earns more "
                 "points first.",
                 move_format(&game->rules, now.line[0].move, move));
    else
        text_put(t, "It wins at once, %d points ahead.", lead);
    return true;
}

static void explain_outlook(struct text *t, const struct game *game, const struct engine_line *best)
{
    if (explain_points(t, game, best))
        return;
    if (best->proven && best->score > 0 && best->plies == 1)
        text_put(t, "It wins at once.");
    else if (best->proven && best->score > 0 && best->plies)
        text_put(t, "It wins by force in %d moves.", (best->plies + 1) / 2);
    else if (best->proven && best->score > 0)
        text_put(t, "The position is won.");
    else if (best->proven && best->score < 0)
        text_put(t, "The position is lost against best play; this holds out longest.");
    else if (best->proven)
        text_put(t, "With best play the game is drawn.");
    else
        text_put(t, "The chance to win is about %d in 100.", (int)(100 * best->win_chance + 0.5));
}

char *teach_explain(const struct game *game, const struct engine_thought *thought, char *buf,
                    size_t size)
{
    struct text t = {buf, size, 0};
    const struct engine_line *best = &thought->line[0];
    char move[MOVE_TEXT_MAX];
    if (!size)
        return buf;
    buf[0] = '\0';
    unsigned me = game_next_colour(game);
    if (game->rules.family == FAMILY_PENTE && me && !game_choice_pending(game)) {
        struct call threats[THREATS_MAX];
        int count = find_threats(game, me, threats);
        for (int i = 0; i < count; i++)
            explain_threat(&t, game, &threats[i]);
        explain_hanging(&t, game, me);
        if (!count)
            text_put(&t, "Nothing has to be stopped now. ");
    }
    text_put(&t, "I would play %s. ", move_format(&game->rules, best->move, move));
    explain_outlook(&t, game, best);
    return buf;
}
