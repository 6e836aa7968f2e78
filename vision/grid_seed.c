// Walks from crossing to crossing along real line segments (or from stone to stone next to it) and
// so numbers the points of a board.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/cvshim.h"
#include "vision/grid.h"

enum {
    BUCKET = 16,      // pixels
    NEIGHBOURS = 14,  // nearest spots looked at around a seed
    SEED_TRIES = 900, // strongest spots tried as seeds
};

static const double CELL_MIN = 7,
                    CELL_MAX = 130;   // between crossings, pixels of the working picture
static const float LINE_MIN = 0.012F; // contrast of the faintest line, log units

struct spots {
    const struct grid_image *image;
    double high; // distance of neighbours at most, pixels
    const struct cvshim_spot *spot;
    int count, crossings; // the first are crossings, joined by lines; the others are stones
    int columns, rows;    // buckets
    int *first;           // index of a bucket's first spot, -1 = none
    int *next;            // per spot
    int *owner;           // lattice that holds the spot, 0 = none
};

struct walker {
    int spot, i, j;
    double bu[2], bv[2]; // local steps along both axes, pixels
};

static int bucket_of(const struct spots *s, double x, double y)
{
    const int c = (int)x / BUCKET, r = (int)y / BUCKET;
    if (x < 0 || y < 0 || c >= s->columns || r >= s->rows)
        return -1;
    return r * s->columns + c;
}

// Spot nearest to (x, y) within `reach` pixels, or -1.
static int nearest(const struct spots *s, double x, double y, double reach)
{
    int best = -1;
    double best_d = reach * reach;
    const int steps = (int)(reach / BUCKET) + 1;
    for (int r = -steps; r <= steps; r++)
        for (int c = -steps; c <= steps; c++) {
            const int b = bucket_of(s, x + c * BUCKET, y + r * BUCKET);
            for (int k = b < 0 ? -1 : s->first[b]; k >= 0; k = s->next[k]) {
                const double dx = (double)s->spot[k].x - x, dy = (double)s->spot[k].y - y;
                if (dx * dx + dy * dy < best_d) {
                    best_d = dx * dx + dy * dy;
                    best = k;
                }
            }
        }
    return best;
}

static bool is_crossing(const struct spots *s, int k)
{
    return k < s->crossings;
}

static void position(const struct spots *s, int k, double ret[2])
{
    ret[0] = (double)s->spot[k].x;
    ret[1] = (double)s->spot[k].y;
}

// From where the line to a spot `length` pixels away shows: clear of the crossing itself, or of the
// stone that lies on it.
static double clear_of(const struct spots *s, int k, double length)
{
    static const double CROSSING = 0.14, RIM = 1.2; // of the length; stone radii
    return is_crossing(s, k) ? CROSSING : RIM * (double)s->spot[k].strength / length;
}

// Is there a dark line all the way between two spots, as far as no stone hides it? Two stones next
// to each other hide it altogether.
static bool line_between(const struct spots *s, int from, int to)
{
    static const double LEAST = 0.25; // of the way
    if (!is_crossing(s, from) && !is_crossing(s, to))
        return true;
    const struct grid_image *image = s->image;
    double a[2], b[2];
    position(s, from, a);
    position(s, to, b);
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
    const double t0 = clear_of(s, from, length), t1 = 1 - clear_of(s, to, length);
    if (t1 - t0 < LEAST)
        return false;
    const double side = fmin(fmax(2.5, 0.16 * length), 7);
    const double nx = -dy / length * side, ny = dx / length * side;
    const int steps = length < 24 ? 8 : 12;
    int dark = 0;
    for (int k = 0; k < steps; k++) {
        const double t = t0 + (t1 - t0) * (k + 0.5) / steps;
        const double x = a[0] + t * dx, y = a[1] + t * dy;
        float line = grid_image_at(image, x, y);
        // Crossings are found to a pixel or so: look to both sides by half of one.
        line = fminf(line, grid_image_at(image, x + 0.3 * nx, y + 0.3 * ny));
        line = fminf(line, grid_image_at(image, x - 0.3 * nx, y - 0.3 * ny));
        const float left = grid_image_at(image, x + nx, y + ny);
        const float right = grid_image_at(image, x - nx, y - ny);
        dark += fminf(left, right) - line > LINE_MIN;
    }
    return dark >= steps - 1 - steps / 8;
}

// The arms of a possible seed: neighbours joined to it by a line, nearest first in each direction.
static int find_arms(const struct spots *s, int seed, double arm[NEIGHBOURS][2])
{
    double p[2], near[NEIGHBOURS][3];
    int spot[NEIGHBOURS], count = 0;
    position(s, seed, p);
    // Nearest spots in rising distance, kept by insertion.
    const int steps = (int)(s->high / BUCKET) + 1;
    for (int r = -steps; r <= steps; r++)
        for (int c = -steps; c <= steps; c++) {
            const int b = bucket_of(s, p[0] + c * BUCKET, p[1] + r * BUCKET);
            for (int k = b < 0 ? -1 : s->first[b]; k >= 0; k = s->next[k]) {
                const double dx = (double)s->spot[k].x - p[0], dy = (double)s->spot[k].y - p[1];
                const double d = hypot(dx, dy);
                if (d < CELL_MIN || d > CELL_MAX ||
                    (count == NEIGHBOURS && d >= near[count - 1][2]))
                    continue;
                int at = count < NEIGHBOURS ? count++ : count - 1;
                for (; at > 0 && near[at - 1][2] > d; at--) {
                    memcpy(near[at], near[at - 1], sizeof near[0]);
                    spot[at] = spot[at - 1];
                }
                spot[at] = k;
                near[at][0] = dx;
                near[at][1] = dy;
                near[at][2] = d;
            }
        }
    int arms = 0;
    for (int n = 0; n < count; n++) {
        bool behind = false; // something nearer already lies in this direction
        for (int a = 0; a < arms; a++) {
            const double dot = arm[a][0] * near[n][0] + arm[a][1] * near[n][1];
            behind |= dot > 0.93 * hypot(arm[a][0], arm[a][1]) * near[n][2];
        }
        if (behind || !line_between(s, seed, spot[n]))
            continue;
        arm[arms][0] = near[n][0];
        arm[arms][1] = near[n][1];
        arms++;
    }
    return arms;
}

// A seed needs a straight pair of arms and one across it, all of about one length.
static bool seed_basis(const struct spots *s, int seed, double bu[2], double bv[2])
{
    double arm[NEIGHBOURS][2];
    const int arms = find_arms(s, seed, arm);
    for (int a = 0; a < arms; a++)
        for (int b = a + 1; b < arms; b++) {
            const double la = hypot(arm[a][0], arm[a][1]), lb = hypot(arm[b][0], arm[b][1]);
            const double straight = (arm[a][0] * arm[b][0] + arm[a][1] * arm[b][1]) / (la * lb);
            if (straight > -0.97 || la > 1.4 * lb || lb > 1.4 * la)
                continue;
            for (int c = 0; c < arms; c++) {
                const double lc = hypot(arm[c][0], arm[c][1]);
                const double cross = (arm[a][0] * arm[c][1] - arm[a][1] * arm[c][0]) / (la * lc);
                if (c == a || c == b || fabs(cross) < 0.6 || lc > 2.6 * la || la > 2.6 * lc)
                    continue;
                bu[0] = (arm[a][0] - arm[b][0]) / 2;
                bu[1] = (arm[a][1] - arm[b][1]) / 2;
                // v is to the left of u, as on the board (the picture's y points down).
                const double sign = bu[0] * arm[c][1] - bu[1] * arm[c][0] > 0 ? -1 : 1;
                bv[0] = sign * arm[c][0];
                bv[1] = sign * arm[c][1];
                return true;
            }
        }
    return false;
}

static int lattice_find(const struct grid_lattice *lattice, int i, int j)
{
    for (int k = 0; k < lattice->count; k++)
        if (lattice->node[k].i == i && lattice->node[k].j == j)
            return k;
    return -1;
}

static void lattice_add(struct spots *s, struct grid_lattice *lattice, const struct walker *w,
                        int owner)
{
    s->owner[w->spot] = owner;
    lattice->node[lattice->count++] =
        (struct grid_node){.i = w->i, .j = w->j, .x = s->spot[w->spot].x, .y = s->spot[w->spot].y};
}

// Tries the neighbour in direction d of a walker. True: `ret` is a new node.
static bool step(const struct spots *s, const struct grid_lattice *lattice, const struct walker *w,
                 int d, int owner, struct walker *ret)
{
    static const int DI[4] = {1, 0, -1, 0}, DJ[4] = {0, 1, 0, -1};
    const double *b = DI[d] ? w->bu : w->bv;
    const double sign = DI[d] + DJ[d];
    double p[2], q[2];
    position(s, w->spot, p);
    const double length = hypot(b[0], b[1]);
    const bool exact = is_crossing(s, w->spot);
    const double reach = fmax(2.5, (exact ? 0.2 : 0.3) * length);
    const int k = nearest(s, p[0] + sign * b[0], p[1] + sign * b[1], reach);
    if (k < 0 || s->owner[k] == owner || abs(w->i + DI[d]) > GRID_BOX_MAX ||
        abs(w->j + DJ[d]) > GRID_BOX_MAX || lattice_find(lattice, w->i + DI[d], w->j + DJ[d]) >= 0)
        return false;
    position(s, k, q);
    if (!line_between(s, w->spot, k))
        return false;
    *ret = *w;
    ret->spot = k;
    ret->i += DI[d];
    ret->j += DJ[d];
    double *nb = DI[d] ? ret->bu : ret->bv;
    // Crossings are where they are; stones lie about theirs, so one step says less.
    const double share = exact && is_crossing(s, k) ? 0.5 : 0.2;
    nb[0] = (1 - share) * nb[0] + share * sign * (q[0] - p[0]);
    nb[1] = (1 - share) * nb[1] + share * sign * (q[1] - p[1]);
    return true;
}

static void walk(struct spots *s, const struct walker *seed, int owner, struct walker *queue,
                 struct grid_lattice *lattice)
{
    int head = 0, tail = 0;
    lattice->count = 0;
    queue[tail++] = *seed;
    lattice_add(s, lattice, seed, owner);
    while (head < tail) {
        const struct walker w = queue[head++];
        for (int d = 0; d < 4; d++) {
            struct walker next;
            if (lattice->count >= GRID_NODES_MAX || !step(s, lattice, &w, d, owner, &next))
                continue;
            lattice_add(s, lattice, &next, owner);
            queue[tail++] = next;
        }
    }
}

static int keep_largest(struct grid_lattice *ret, int count, int max,
                        const struct grid_lattice *lattice)
{
    int at = count;
    while (at > 0 && ret[at - 1].count < lattice->count)
        at--;
    if (at >= max)
        return count;
    const int moved = (count < max ? count : max - 1) - at;
    memmove(&ret[at + 1], &ret[at], (size_t)moved * sizeof *ret);
    ret[at] = *lattice;
    return count < max ? count + 1 : max;
}

static int search(struct spots *s, struct walker *queue, struct grid_lattice *scratch,
                  struct grid_lattice *ret, int max)
{
    enum { SMALLEST = 6 };
    int found = 0, owner = 0;
    for (int n = 0; n < s->count && n < SEED_TRIES; n++) {
        const int k = (s->crossings + n) % s->count; // stones first: there are few, and no others
        struct walker seed = {.spot = k};
        if (s->owner[k] != 0 || !seed_basis(s, k, seed.bu, seed.bv))
            continue;
        walk(s, &seed, ++owner, queue, scratch);
        if (scratch->count >= SMALLEST)
            found = keep_largest(ret, found, max, scratch);
    }
    return found;
}

static int seed_from(struct spots *s, struct grid_lattice *ret, int max)
{
    s->columns = s->image->width / BUCKET + 1;
    s->rows = s->image->height / BUCKET + 1;
    const size_t buckets = (size_t)s->columns * (size_t)s->rows;
    struct walker *queue = calloc(GRID_NODES_MAX, sizeof *queue);
    struct grid_lattice *scratch = malloc(sizeof *scratch);
    s->first = malloc(buckets * sizeof *s->first);
    s->next = malloc(GRID_SPOTS_MAX * sizeof *s->next);
    s->owner = calloc(GRID_SPOTS_MAX, sizeof *s->owner);
    int found = -ENOMEM;
    if (queue && scratch && s->first && s->next && s->owner) {
        for (size_t b = 0; b < buckets; b++)
            s->first[b] = -1;
        for (int k = s->count - 1; k >= 0; k--) {
            const int b = bucket_of(s, (double)s->spot[k].x, (double)s->spot[k].y);
            s->next[k] = b < 0 ? -1 : s->first[b];
            if (b >= 0)
                s->first[b] = k;
        }
        found = search(s, queue, scratch, ret, max);
    }
    free(queue);
    free(scratch);
    free(s->first);
    free(s->next);
    free(s->owner);
    return found;
}

int grid_seed_crossings(const struct grid_image *image, struct grid_lattice *ret, int max)
{
    struct cvshim_spot *spot = calloc(GRID_SPOTS_MAX, sizeof *spot);
    if (!spot)
        return -ENOMEM;
    struct spots s = {.image = image, .high = CELL_MAX, .spot = spot};
    s.count = cvshim_crossings(image->px, image->width, image->height, spot, GRID_SPOTS_MAX);
    s.crossings = s.count;
    const int found = s.count < 0 ? s.count : seed_from(&s, ret, max);
    free(spot);
    return found;
}

int grid_seed_discs(const struct grid_image *image, const struct cvshim_spot *disc, int count,
                    struct grid_lattice *ret, int max)
{
    const double radius = (double)grid_usual_radius(disc, count);
    // Up to small stones with room between.
    struct spots s = {.image = image,
                      .high = 3.4 * radius,
                      .spot = disc,
                      .count = count < GRID_SPOTS_MAX ? count : GRID_SPOTS_MAX};
    return count < 6 ? 0 : seed_from(&s, ret, max);
}

// Do two lines go out from here that are not one? Flaws of a line pass for crossings, too.
static bool two_lines(const struct grid_image *image, double x, double y)
{
    enum { RING = 32, QUARTER = RING / 4 };
    static const double RADIUS = 6; // pixels: less than half of the smallest board's cells
    static const float SHARE = 0.4F;
    float ring[RING], level = 0;
    for (int k = 0; k < RING; k++) {
        const double angle = 2 * 3.14159265358979 * k / RING;
        ring[k] = grid_image_at(image, x + RADIUS * cos(angle), y + RADIUS * sin(angle));
        level += ring[k] / RING;
    }
    int first = 0;
    for (int k = 1; k < RING; k++)
        if (ring[k] < ring[first])
            first = k;
    float across = level;
    for (int k = -QUARTER / 2; k <= QUARTER / 2; k++) {
        across = fminf(across, ring[(first + QUARTER + k + RING) % RING]);
        across = fminf(across, ring[(first - QUARTER + k + RING) % RING]);
    }
    return level - across > fmaxf(LINE_MIN, SHARE * (level - ring[first]));
}

// What may be a crossing of two lines on a board with stones: around those there are rims and
// bright spots, which pass for crossings.
static int keep_clear(const struct grid_image *image, struct cvshim_spot *spot, int count,
                      const struct cvshim_spot *disc, int discs)
{
    static const float RIM = 1.3F; // stone radii
    int kept = 0;
    for (int k = 0; k < count; k++) {
        bool clear = two_lines(image, (double)spot[k].x, (double)spot[k].y);
        for (int d = 0; d < discs && clear; d++)
            clear = hypotf(spot[k].x - disc[d].x, spot[k].y - disc[d].y) > RIM * disc[d].strength;
        if (clear)
            spot[kept++] = spot[k];
    }
    return kept;
}

int grid_seed_both(const struct grid_image *image, const struct cvshim_spot *disc, int count,
                   struct grid_lattice *ret, int max)
{
    struct cvshim_spot *spot = calloc(GRID_SPOTS_MAX, sizeof *spot);
    if (!spot)
        return -ENOMEM;
    struct spots s = {.image = image, .high = CELL_MAX, .spot = spot};
    int found = cvshim_crossings(image->px, image->width, image->height, spot, GRID_SPOTS_MAX);
    if (found >= 0) {
        s.crossings = keep_clear(image, spot, found, disc, count);
        s.count = s.crossings;
        for (int d = 0; d < count && s.count < GRID_SPOTS_MAX; d++)
            spot[s.count++] = disc[d];
        found = seed_from(&s, ret, max);
    }
    free(spot);
    return found;
}
