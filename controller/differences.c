#include "controller/differences.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules/notation.h"

// A sentence under construction, cut to its room.
struct text {
    char *buf;
    size_t size, used;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
    if (t->used + 1 >= t->size)
        return;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->buf + t->used, t->size - t->used, format, ap);
    va_end(ap);
    if (n > 0)
        t->used += (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
}

void differences_add(struct differences *d, int x, int y, unsigned expected, unsigned seen)
{
    if (d->count == DIFFERENCES_MAX)
        return;
    d->list[d->count++] =
        (struct board_difference){{(int8_t)x, (int8_t)y}, (uint8_t)expected, (uint8_t)seen};
}

const char *count_word(int count)
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    static char digits[16];
    if (count >= 0 && count <= 12)
        return words[count];
    snprintf(digits, sizeof digits, "%d", count);
    return digits;
}

char *points_text(const struct point *points, int count, char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    char name[MOVE_TEXT_MAX];
    buf[0] = 0;
    int named = count <= DIFFERENCES_NAMED ? count : DIFFERENCES_NAMED - 1;
    for (int i = 0; i < named; i++)
        add(&t, "%s%s",
            i == 0           ? ""
            : i == count - 1 ? " and "
                             : ", ",
            point_format(points[i], name));
    if (named < count)
        add(&t, " and %d more", count - named);
    return buf;
}

// The points of all differences that go from one class to another.
static int select_points(const struct differences *d, unsigned expected, unsigned seen,
                         struct point *ret)
{
    int count = 0;
    for (int i = 0; i < d->count; i++) {
        if (d->list[i].expected == expected && d->list[i].seen == seen)
            ret[count++] = d->list[i].at;
    }
    return count;
}

static void sentence_start(struct text *t)
{
    if (t->used)
        add(t, "; ");
}

static void say_colour(struct text *t, const struct differences *d,
                       const struct colour_names *names, unsigned c)
{
    struct point fresh[DIFFERENCES_MAX], gone[DIFFERENCES_MAX];
    char points[128], name[MOVE_TEXT_MAX], other[MOVE_TEXT_MAX];
    int n = select_points(d, 0, c, fresh), m = select_points(d, c, 0, gone);
    if (n == 1 && m == 1) {
        sentence_start(t);
        add(t, "the %s stone on %s has moved to %s", names->name[c], point_format(gone[0], name),
            point_format(fresh[0], other));
        return;
    }
    if (n) {
        sentence_start(t);
        add(t, n == 1 ? "%s %s stone is new: %s" : "%s %s stones are new: %s",
            n == 1 ? "a" : count_word(n), names->name[c],
            points_text(fresh, n, points, sizeof points));
    }
    if (m) {
        sentence_start(t);
        if (m == 1)
            add(t, "the %s stone on %s is gone", names->name[c], point_format(gone[0], name));
        else
            add(t, "%s %s stones are gone: %s", count_word(m), names->name[c],
                points_text(gone, m, points, sizeof points));
    }
}

static void say_recoloured(struct text *t, const struct differences *d,
                           const struct colour_names *names)
{
    for (int i = 0; i < d->count; i++) {
        const struct board_difference *x = &d->list[i];
        if (!x->expected || !x->seen)
            continue;
        char name[MOVE_TEXT_MAX];
        sentence_start(t);
        add(t, "on %s lies a %s stone instead of a %s one", point_format(x->at, name),
            names->name[x->seen], names->name[x->expected]);
    }
}

// When a single stone is all that is new, the rules can tell why it is no move.
static void say_why(struct text *t, const struct differences *d, const struct game *game,
                    const struct colour_names *names)
{
    if (!game || d->count != 1 || d->list[0].expected)
        return;
    unsigned turn = game_next_colour(game);
    if (!turn)
        return;
    if (d->list[0].seen != turn) {
        add(t, ", but it is %s's turn", names->name[turn]);
        return;
    }
    struct move move = move_place(turn, d->list[0].at.x, d->list[0].at.y);
    enum reason reason = game_check(game, move, NULL);
    if (reason == REASON_NONE)
        return;
    char why[256];
    add(t, ". %s", reason_explain(reason, game, &move, why, sizeof why));
}

char *differences_text(const struct differences *d, const struct game *game,
                       const struct colour_names *names, char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    buf[0] = 0;
    for (unsigned c = 1; c <= COLOURS_MAX; c++) {
        if (names->name[c])
            say_colour(&t, d, names, c);
    }
    say_recoloured(&t, d, names);
    say_why(&t, d, game, names);
    return buf;
}
