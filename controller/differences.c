#include "controller/differences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/text.h"
#include "rules/notation.h"

enum { MOVED_REACH = 2 }; // points: a stone that was pushed lies so near to where it was

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

// "K10"; of Pentago's board "2/5".
static char *name_point(struct point p, const struct colour_names *names, char *buf)
{
    if (!names->marbles)
        return point_format(p, buf);
    const struct variant *pentago = variant_find("pentago");
    return move_format(pentago, move_place(0, p.x, p.y), buf);
}

char *points_text_named(const struct point *points, int count, const struct colour_names *names,
                        char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    char name[MOVE_TEXT_MAX];
    buf[0] = 0;
    int named = count <= DIFFERENCES_NAMED ? count : DIFFERENCES_NAMED - 1;
    for (int i = 0; i < named; i++)
        text_put(&t, "%s%s",
                 i == 0           ? ""
                 : i == count - 1 ? " and "
                                  : ", ",
                 name_point(points[i], names, name));
    if (named < count)
        text_put(&t, " and %d more", count - named);
    return buf;
}

char *points_text(const struct point *points, int count, char *buf, size_t size)
{
    static const struct colour_names stones = {.marbles = false};
    return points_text_named(points, count, &stones, buf, size);
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
    if (t->length)
        text_put(t, "; ");
}

static const char *stone_word(const struct colour_names *names)
{
    return names->marbles ? "marble" : "stone";
}

static const char *article(const char *word)
{
    return strchr("aeiou", word[0]) ? "an" : "a";
}

static int distance(struct point a, struct point b)
{
    int dx = abs(a.x - b.x), dy = abs(a.y - b.y);
    return dx > dy ? dx : dy;
}

static void drop_point(struct point *points, int *count, int at)
{
    memmove(&points[at], &points[at + 1], (size_t)(*count - at - 1) * sizeof points[0]);
    --*count;
}

// Takes the closest pair of a vanished and a new stone out of the lists. False: none are so close.
static bool next_moved(struct point *gone, int *gone_count, struct point *fresh, int *fresh_count,
                       int reach, struct point *ret_from, struct point *ret_to)
{
    int best = reach + 1, from = 0, to = 0;
    for (int i = 0; i < *gone_count; i++) {
        for (int j = 0; j < *fresh_count; j++) {
            if (distance(gone[i], fresh[j]) >= best)
                continue;
            best = distance(gone[i], fresh[j]);
            from = i;
            to = j;
        }
    }
    if (best > reach)
        return false;
    *ret_from = gone[from];
    *ret_to = fresh[to];
    drop_point(gone, gone_count, from);
    drop_point(fresh, fresh_count, to);
    return true;
}

static void say_fresh(struct text *t, const char *colour, const struct colour_names *names,
                      const struct point *fresh, int n)
{
    char points[128];
    if (!n)
        return;
    sentence_start(t);
    text_put(t, n == 1 ? "%s %s %s is new: %s" : "%s %s %ss are new: %s",
             n == 1 ? article(colour) : count_word(n), colour, stone_word(names),
             points_text_named(fresh, n, names, points, sizeof points));
}

static void say_gone(struct text *t, const char *colour, const struct colour_names *names,
                     const struct point *gone, int m)
{
    char points[128];
    if (!m)
        return;
    sentence_start(t);
    if (m == 1)
        text_put(t, "the %s %s on %s is gone", colour, stone_word(names),
                 name_point(gone[0], names, points));
    else
        text_put(t, "%s %s %ss are gone: %s", count_word(m), colour, stone_word(names),
                 points_text_named(gone, m, names, points, sizeof points));
}

static void say_colour(struct text *t, const struct differences *d,
                       const struct colour_names *names, unsigned c)
{
    struct point fresh[DIFFERENCES_MAX], gone[DIFFERENCES_MAX], from[DIFFERENCES_NAMED],
        to[DIFFERENCES_NAMED];
    char name[MOVE_TEXT_MAX], other[MOVE_TEXT_MAX];
    int n = select_points(d, 0, c, fresh), m = select_points(d, c, 0, gone), moved = 0;
    int reach = n == 1 && m == 1 ? BOARD_SIZE_MAX : MOVED_REACH;
    while (moved < DIFFERENCES_NAMED &&
           next_moved(gone, &m, fresh, &n, reach, &from[moved], &to[moved]))
        moved++;
    say_fresh(t, names->name[c], names, fresh, n);
    for (int i = 0; i < moved; i++) {
        sentence_start(t);
        text_put(t, "the %s %s on %s has moved to %s", names->name[c], stone_word(names),
                 name_point(from[i], names, name), name_point(to[i], names, other));
    }
    say_gone(t, names->name[c], names, gone, m);
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
        text_put(t, "on %s lies %s %s %s instead of %s %s one", name_point(x->at, names, name),
                 article(names->name[x->seen]), names->name[x->seen], stone_word(names),
                 article(names->name[x->expected]), names->name[x->expected]);
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
        text_put(t, ", but it is %s's turn", names->name[turn]);
        return;
    }
    struct move move = move_place(turn, d->list[0].at.x, d->list[0].at.y);
    enum reason reason = game_check(game, move, NULL);
    if (reason == REASON_NONE)
        return;
    char why[256];
    text_put(t, ". %s", reason_explain(reason, game, &move, why, sizeof why));
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
