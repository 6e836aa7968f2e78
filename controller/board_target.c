#include "controller/board_target.h"

#include <math.h>
#include <string.h>

struct sureness sureness_default(void)
{
    return (struct sureness){.doubt = 0, .wrong = 12, .tell = 4, .frames = 3};
}

void board_target_init(struct board_target *t, int size)
{
    memset(t, 0, sizeof *t);
    t->size = size;
    board_target_settle(t);
}

void board_target_set(struct board_target *t, const struct game *game)
{
    for (int y = 0; y < t->size; y++) {
        for (int x = 0; x < t->size; x++) {
            int i = y * t->size + x;
            uint8_t want = (uint8_t)game_at(game, x, y);
            if (want == t->want[i])
                continue;
            // A change that is taken back while the arm is at it may have been made or not.
            if (t->before[i] == TARGET_SETTLED || t->before[i] == want)
                t->before[i] = t->want[i];
            t->want[i] = want;
        }
    }
}

void board_target_format(const struct board_target *t, char ret[POINTS_MAX + 1])
{
    int count = t->size * t->size;
    for (int i = 0; i < count; i++) {
        bool pending = t->before[i] != TARGET_SETTLED && t->before[i] != t->want[i];
        ret[i] = pending ? (char)('0' + t->before[i]) : '.';
    }
    ret[count] = 0;
}

void board_target_add(struct board_target *t, const char *pending)
{
    size_t count = (size_t)t->size * (size_t)t->size;
    if (!pending || strlen(pending) != count)
        return;
    for (size_t i = 0; i < count; i++) {
        int before = pending[i] - '0';
        if (before >= 0 && before <= COLOURS_MAX && before != t->want[i])
            t->before[i] = (uint8_t)before;
    }
}

// In Connect6 a turn is two stones, and two entries.
static bool undo_turn(struct game *game)
{
    bool undone = game_undo(game);
    if (undone && game->rules.connect6 && game_stones_due(game) == 1)
        game_undo(game);
    return undone;
}

void board_target_resume(struct board_target *t, const struct game *game, const char *pending)
{
    struct game earlier = *game;
    board_target_init(t, t->size);
    if (undo_turn(&earlier)) {
        board_target_set(t, &earlier);
        board_target_settle(t);
    }
    board_target_set(t, game);
    board_target_add(t, pending);
}

void board_target_clear(struct board_target *t)
{
    for (int i = 0; i < t->size * t->size; i++) {
        if (t->want[i] && t->before[i] == TARGET_SETTLED)
            t->before[i] = t->want[i];
        t->want[i] = 0;
    }
}

void board_target_settle(struct board_target *t)
{
    memset(t->before, TARGET_SETTLED, sizeof t->before);
}

bool board_target_pending(const struct board_target *t)
{
    for (int i = 0; i < t->size * t->size; i++) {
        if (t->before[i] != TARGET_SETTLED && t->before[i] != t->want[i])
            return true;
    }
    return false;
}

static void add_step(struct target_report *r, bool lift, int colour, int x, int y,
                     const struct evidence *e)
{
    if (r->step_count == TARGET_STEPS_MAX)
        return; // the rest is seen, and done, the next time
    struct target_step step = {
        .lift = lift, .colour = (uint8_t)colour, .at = {(int8_t)x, (int8_t)y}};
    int at = r->step_count;
    if (lift) {
        evidence_offset(e, y * e->columns + x, step.offset);
        at = 0;
        while (at < r->step_count && r->step[at].lift)
            at++;
        memmove(&r->step[at + 1], &r->step[at], (size_t)(r->step_count - at) * sizeof step);
    }
    r->step[at] = step;
    r->step_count++;
}

static void compare_point(const struct board_target *t, const struct evidence *e,
                          const struct sureness *sure, int x, int y, struct target_report *r)
{
    int i = y * t->size + x, p = y * e->columns + x;
    int want = t->want[i], before = t->before[i];
    bool pending = before != TARGET_SETTLED && before != want;
    int seen = want;
    if (pending && evidence_log(e, p, before) > evidence_log(e, p, want))
        seen = before;
    int best = evidence_best(e, p, NULL);
    double against = evidence_log(e, p, best) - evidence_log(e, p, seen);
    double between =
        pending ? fabs(evidence_log(e, p, before) - evidence_log(e, p, want)) : INFINITY;
    if (against > sure->wrong && !evidence_covered(e, p)) {
        differences_add(&r->wrong, x, y, (unsigned)want, (unsigned)best);
    } else if (against > sure->doubt || between < sure->tell) {
        r->unsure[r->unsure_count++] = (struct point){(int8_t)x, (int8_t)y};
    } else if (seen != want) {
        if (before)
            add_step(r, true, before, x, y, e);
        if (want)
            add_step(r, false, want, x, y, e);
    }
}

void board_target_compare(const struct board_target *t, const struct evidence *e,
                          const struct sureness *sure, struct target_report *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->verdict = TARGET_WAIT;
    if (e->frames < sure->frames || e->columns != t->size || e->rows != t->size)
        return;
    for (int y = 0; y < t->size; y++) {
        for (int x = 0; x < t->size; x++)
            compare_point(t, e, sure, x, y, ret);
    }
    if (ret->wrong.count)
        ret->verdict = TARGET_WRONG;
    else if (ret->unsure_count)
        ret->verdict = TARGET_UNSURE;
    else
        ret->verdict = ret->step_count ? TARGET_WORK : TARGET_SAME;
}
