#include "motion/capture_order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Seconds between the places of the problem, worked out once.
struct table {
    int n, d;
    double start[CAPTURE_MAX];                // start -> stone
    double carry[CAPTURE_MAX][CAPTURE_DROPS]; // stone -> drop
    double empty[CAPTURE_DROPS][CAPTURE_MAX]; // drop -> stone
    double end[CAPTURE_DROPS];                // drop -> end
    unsigned allowed[CAPTURE_MAX];            // drops a stone may go to
};

static double seconds(const struct capture_problem *p, double x0, double y0, double x1, double y1)
{
    double from[3] = {x0, y0, 0}, to[3] = {x1, y1, 0};
    return travel_line(p->limits, from, to, 0);
}

static void fill_table(const struct capture_problem *p, struct table *t)
{
    memset(t, 0, sizeof *t);
    t->n = p->stone_count;
    t->d = p->drop_count;
    for (int i = 0; i < t->n; i++) {
        const struct capture_stone *s = &p->stones[i];
        t->start[i] = seconds(p, p->start[0], p->start[1], s->x, s->y);
        t->allowed[i] = s->drops & ((1u << (unsigned)t->d) - 1);
        for (int e = 0; e < t->d; e++) {
            t->carry[i][e] = seconds(p, s->x, s->y, p->drops[e].x, p->drops[e].y);
            t->empty[e][i] = seconds(p, p->drops[e].x, p->drops[e].y, s->x, s->y);
        }
    }
    for (int e = 0; e < t->d; e++) {
        if (p->end)
            t->end[e] = seconds(p, p->drops[e].x, p->drops[e].y, p->end[0], p->end[1]);
    }
}

// Cheapest way to have cleared the set `before` and to stand above stone i; *ret_drop = where the
// cup came from (-1: the start).
static double reach(const struct table *t, const double *cost, unsigned before, int i,
                    int *ret_drop)
{
    *ret_drop = -1;
    if (before == 0)
        return t->start[i];
    double best = INFINITY;
    for (int d = 0; d < t->d; d++) {
        double c = cost[before * CAPTURE_DROPS + (unsigned)d] + t->empty[d][i];
        if (c < best) {
            best = c;
            *ret_drop = d;
        }
    }
    return best;
}

// cost[set][drop]: least seconds to have cleared `set`, the last stone having gone to `drop`.
static void fill_cost(const struct table *t, double *cost)
{
    unsigned sets = 1u << (unsigned)t->n;
    for (unsigned k = 0; k < sets * CAPTURE_DROPS; k++)
        cost[k] = INFINITY;
    for (unsigned set = 0; set < sets; set++) {
        for (int i = 0; i < t->n; i++) {
            unsigned bit = 1u << (unsigned)i;
            if (set & bit)
                continue;
            int drop;
            double here = reach(t, cost, set, i, &drop);
            for (int e = 0; e < t->d; e++) {
                double *c = &cost[(set | bit) * CAPTURE_DROPS + (unsigned)e];
                if (t->allowed[i] >> (unsigned)e & 1 && here + t->carry[i][e] < *c)
                    *c = here + t->carry[i][e];
            }
        }
    }
}

// Walks back from the cheapest end: at every set the last stone is the one that explains its cost.
static double trace(const struct table *t, const double *cost, struct capture_step *steps)
{
    unsigned set = (1u << (unsigned)t->n) - 1;
    int drop = 0;
    double total = INFINITY;
    for (int e = 0; e < t->d; e++) {
        double c = cost[set * CAPTURE_DROPS + (unsigned)e] + t->end[e];
        if (c < total) {
            total = c;
            drop = e;
        }
    }
    for (int k = t->n - 1; k >= 0; k--) {
        double best = INFINITY;
        int stone = 0, previous = 0; // one is found: each set was reached by its last stone
        for (int i = 0; i < t->n; i++) {
            unsigned bit = 1u << (unsigned)i;
            if (!(set & bit) || !(t->allowed[i] >> (unsigned)drop & 1))
                continue;
            int from;
            double c = reach(t, cost, set & ~bit, i, &from) + t->carry[i][drop];
            if (c < best) {
                best = c;
                stone = i;
                previous = from;
            }
        }
        steps[k] = (struct capture_step){stone, drop};
        set &= ~(1u << (unsigned)stone);
        drop = previous < 0 ? 0 : previous; // < 0: this was the first
    }
    return total;
}

static bool fits(const struct capture_problem *p, const struct capture_step *steps)
{
    int used[CAPTURE_DROPS] = {0};
    for (int i = 0; i < p->stone_count; i++) {
        if (++used[steps[i].drop] > p->drops[steps[i].drop].room)
            return false;
    }
    return true;
}

// Makes room for stone i: breadth first over drops, moving stones already assigned on to other
// drops they may go to. False when no shifting helps.
static bool assign(const struct capture_problem *p, const struct table *t, int i, int *to,
                   int used[CAPTURE_DROPS])
{
    int via_stone[CAPTURE_DROPS], queue[CAPTURE_DROPS], head = 0, tail = 0;
    for (int e = 0; e < t->d; e++)
        via_stone[e] = -1;
    int stone = i;
    for (;;) {
        for (int e = 0; e < t->d; e++) {
            if (t->allowed[stone] >> (unsigned)e & 1 && via_stone[e] < 0) {
                via_stone[e] = stone;
                queue[tail++] = e;
            }
        }
        // Next stone whose drop is reached and full; a drop with room ends the search.
        int found = -1;
        for (int q = 0; q < tail && found < 0; q++) {
            if (used[queue[q]] < p->drops[queue[q]].room)
                found = queue[q];
        }
        if (found >= 0) {
            used[found]++;
            for (;;) {
                int moved = via_stone[found], before = to[moved];
                to[moved] = found;
                if (moved == i)
                    return true;
                found = before;
            }
        }
        stone = -1;
        while (head < tail && stone < 0) {
            for (int j = 0; j < t->n && stone < 0; j++) {
                bool opens = false;
                for (int e = 0; e < t->d; e++)
                    opens |= t->allowed[j] >> (unsigned)e & 1 && via_stone[e] < 0;
                if (to[j] == queue[head] && opens)
                    stone = j;
            }
            if (stone < 0)
                head++;
        }
        if (stone < 0)
            return false;
    }
}

// Trays nearly full: share the drops out first, nearest first where there is room.
static int share_out(const struct capture_problem *p, struct table *t, struct error *err)
{
    int to[CAPTURE_MAX], used[CAPTURE_DROPS] = {0};
    for (int i = 0; i < t->n; i++)
        to[i] = -1;
    for (int i = 0; i < t->n; i++) {
        int best = -1;
        for (int e = 0; e < t->d; e++) {
            if (t->allowed[i] >> (unsigned)e & 1 && used[e] < p->drops[e].room &&
                (best < 0 || t->carry[i][e] < t->carry[i][best]))
                best = e;
        }
        if (best >= 0) {
            to[i] = best;
            used[best]++;
        } else if (!assign(p, t, i, to, used)) {
            return error_set_code(err, -ENOSPC, "TraysFull",
                                  "The capture trays cannot take %d more stones. Empty them, then "
                                  "go on.",
                                  t->n);
        }
    }
    for (int i = 0; i < t->n; i++)
        t->allowed[i] = 1u << (unsigned)to[i];
    return 0;
}

int capture_order(const struct capture_problem *problem, struct capture_step *steps, double *ret_s,
                  struct error *err)
{
    int n = problem->stone_count;
    if (n < 0 || n > CAPTURE_MAX || problem->drop_count < 0 || problem->drop_count > CAPTURE_DROPS)
        return error_set(err, -E2BIG, "At most %d stones and %d trays are planned at once.",
                         CAPTURE_MAX, CAPTURE_DROPS);
    struct table t;
    fill_table(problem, &t);
    for (int i = 0; i < n; i++) {
        if (!isfinite(t.start[i]))
            return error_set(err, -EINVAL, "The place of stone %d is not a number.", i + 1);
        if (!t.allowed[i])
            return error_set(err, -EINVAL, "No tray takes stone %d of %d.", i + 1, n);
    }
    double total = 0;
    if (n > 0) {
        double *cost = calloc((size_t)CAPTURE_DROPS << (unsigned)n, sizeof *cost);
        if (!cost)
            return error_set(err, -ENOMEM, "Out of memory.");
        struct capture_step plan[CAPTURE_MAX] = {{0, 0}};
        fill_cost(&t, cost);
        total = trace(&t, cost, plan);
        int r = 0;
        if (!fits(problem, plan) && (r = share_out(problem, &t, err)) == 0) {
            fill_cost(&t, cost);
            total = trace(&t, cost, plan);
        }
        free(cost);
        if (r < 0)
            return r;
        memcpy(steps, plan, sizeof *plan * (size_t)n);
    }
    if (ret_s)
        *ret_s = total + n * problem->lift_s;
    return 0;
}
