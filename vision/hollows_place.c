// The one way a Pentago board fits over the round things of a picture.
#include <math.h>

#include "vision/hollows.h"
#include "vision/linear.h"

enum {
    SEED_SPOTS = 90, // the strongest spots that may be a cell's corner
    MORE_SEEDS = 4,  // tried once a board was found, for other places it may have
    SEEDS_MAX = 60,  // cells of four spots, of one size
    GROW_ROUNDS = 8,
    AFFINE_BELOW = 9, // points: too few and too near for a perspective
};

static const double REACH = 1.55; // cells from what is matched already to what may be next
static const double NEAR = 0.30;  // cells a spot may lie off while growing
static const double SCORE_SURE = 0.93;
static const double STRAY = 0.5; // what a round thing between the points costs

struct search {
    const struct hollow_spots *spots;
    double seam;
    double marble;
    int size; // of these spots
    struct hollows_places straight, any;
};

static double let_out(double seam, int index)
{
    return index + (index >= HOLLOWS_SIDE / 2 ? seam : 0);
}

void hollows_plane(double seam, int n, double ret[2])
{
    ret[0] = let_out(seam, n % HOLLOWS_SIDE);
    ret[1] = let_out(seam, n / HOLLOWS_SIDE);
}

// --- growing ---

// C17 does not add a const below a pointer by itself.
static bool homography_of(double (*src)[2], double (*dst)[2], int count, double h[9])
{
    return homography_fit((const double(*)[2])src, (const double(*)[2])dst, count, h);
}

// x and y as linear functions of (u, v).
static bool affine_fit(double (*src)[2], double (*dst)[2], int count, double h[9])
{
    struct normal_equations x, y;
    normal_clear(&x, 3);
    normal_clear(&y, 3);
    for (int k = 0; k < count; k++) {
        const double j[3] = {src[k][0], src[k][1], 1};
        normal_add(&x, j, dst[k][0], 1);
        normal_add(&y, j, dst[k][1], 1);
    }
    h[6] = h[7] = 0;
    h[8] = 1;
    return normal_solve(&x, 0, h) && normal_solve(&y, 0, h + 3);
}

static bool fit(const struct search *s, struct hollows_placing *p)
{
    double src[HOLLOWS_POINTS][2], dst[HOLLOWS_POINTS][2];
    int count = 0;
    for (int n = 0; n < HOLLOWS_POINTS; n++) {
        if (p->spot[n] < 0)
            continue;
        hollows_plane(s->seam, n, src[count]);
        dst[count][0] = (double)s->spots->spot[p->spot[n]].x;
        dst[count][1] = (double)s->spots->spot[p->spot[n]].y;
        count++;
    }
    p->matched = count;
    return count < AFFINE_BELOW ? affine_fit(src, dst, count, p->h)
                                : homography_of(src, dst, count, p->h);
}

static double cell_px(const double h[9], double u, double v)
{
    double x0, y0, x1, y1, x2, y2;
    homography_apply(h, u, v, &x0, &y0);
    homography_apply(h, u + 0.5, v, &x1, &y1);
    homography_apply(h, u, v + 0.5, &x2, &y2);
    return 2 * sqrt(fabs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)));
}

int hollow_spots_nearest(const struct hollow_spots *spots, double x, double y, double reach)
{
    int best = -1;
    double least = reach * reach; // asked very often: without the roots
    for (int k = 0; k < spots->count; k++) {
        const double dx = (double)spots->spot[k].x - x, dy = (double)spots->spot[k].y - y;
        const double d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = k;
        }
    }
    return best;
}

static bool within_reach(const struct search *s, const bool had[HOLLOWS_POINTS], int n)
{
    double at[2], other[2];
    hollows_plane(s->seam, n, at);
    for (int m = 0; m < HOLLOWS_POINTS; m++) {
        hollows_plane(s->seam, m, other);
        if (had[m] && hypot(other[0] - at[0], other[1] - at[1]) < REACH + s->seam)
            return true;
    }
    return false;
}

// Matches all points within reach of those matched to the spots nearest to where they should be.
static void match(const struct search *s, struct hollows_placing *p, double near, bool all)
{
    bool had[HOLLOWS_POINTS];
    for (int n = 0; n < HOLLOWS_POINTS; n++)
        had[n] = p->spot[n] >= 0;
    for (int n = 0; n < HOLLOWS_POINTS; n++) {
        double at[2], x, y;
        if (!all && !within_reach(s, had, n))
            continue;
        hollows_plane(s->seam, n, at);
        homography_apply(p->h, at[0], at[1], &x, &y);
        p->spot[n] = hollow_spots_nearest(s->spots, x, y, near * cell_px(p->h, at[0], at[1]));
    }
}

static bool grow(const struct search *s, struct hollows_placing *p)
{
    for (int round = 0; round < GROW_ROUNDS; round++) {
        const int before = p->matched;
        if (!fit(s, p))
            return false;
        match(s, p, NEAR, false);
        p->matched = 0;
        for (int n = 0; n < HOLLOWS_POINTS; n++)
            p->matched += p->spot[n] >= 0;
        if (p->matched < 4)
            return false;
        if (round > 1 && p->matched <= before)
            break;
    }
    return p->matched > HOLLOWS_POINTS / 2 && fit(s, p);
}

// --- verdict ---

// A board seen from above: its corners go round, none is behind the camera, and its cells are of
// about one size.
static bool plausible(const struct search *s, const struct hollows_placing *p)
{
    const double far = HOLLOWS_SIDE - 1 + s->seam;
    double least = INFINITY, most = 0;
    for (int k = 0; k < 4; k++) {
        const double u = k == 1 || k == 2 ? far : 0, v = k >= 2 ? far : 0;
        const double w = p->h[6] * u + p->h[7] * v + p->h[8];
        const double middle = p->h[6] * far / 2 + p->h[7] * far / 2 + p->h[8];
        if (!(w * middle > 0))
            return false;
        const double cell = cell_px(p->h, u, v);
        least = fmin(least, cell);
        most = fmax(most, cell);
    }
    return least > 0 && most < 3 * least;
}

double hollow_spots_strength(const struct hollow_spots *spots, int spot)
{
    return fmin(1, (double)spots->spot[spot].strength / HOLLOWS_STRONG);
}

// A board one row off leaves a row of round things just beside it. Returns what that costs.
static double left_out(const struct search *s, const struct hollows_placing *p)
{
    enum { ALLOWED = 2 }; // of a side's six
    static const double COST = 2;
    const double far = HOLLOWS_SIDE - 1 + s->seam;
    int excess = 0;
    for (int side = 0; side < 4; side++) {
        int seen = 0;
        for (int k = 0; k < HOLLOWS_SIDE; k++) {
            const double along = let_out(s->seam, k), beyond = side & 1 ? far + 1 : -1;
            const double u = side & 2 ? along : beyond, v = side & 2 ? beyond : along;
            double x, y;
            homography_apply(p->h, u, v, &x, &y);
            const int spot =
                hollow_spots_nearest(s->spots, x, y, HOLLOWS_MATCHED * cell_px(p->h, u, v));
            seen += spot >= 0 && (double)s->spots->spot[spot].strength > HOLLOWS_STRONG;
        }
        excess += seen > ALLOWED ? seen - ALLOWED : 0;
    }
    return COST * excess;
}

static double block_strength(const struct search *s, const struct hollows_placing *p, int block)
{
    double sum = 0;
    for (int n = 0; n < HOLLOWS_POINTS; n++)
        if (hollows_on_rim(block, n) && p->spot[n] >= 0)
            sum += hollow_spots_strength(s->spots, p->spot[n]);
    return sum;
}

// Matches what lies where p has it, and returns how much of it shows.
static double match_whole(const struct search *s, struct hollows_placing *p)
{
    double sum = 0;
    match(s, p, HOLLOWS_MATCHED, true);
    for (int n = 0; n < HOLLOWS_POINTS; n++) {
        if (p->turned && hollows_on_rim(p->block, n))
            p->spot[n] = -1;
        if (p->spot[n] >= 0)
            sum += hollow_spots_strength(s->spots, p->spot[n]);
    }
    return p->turned ? sum + hollows_rim_turned(s->spots, p->h, s->seam, p->block, p->rim) : sum;
}

static void judge(const struct search *s, struct hollows_placing *p)
{
    double inverse[9];
    bool used[HOLLOW_SPOTS_MAX] = {false};
    p->score = 0;
    double sum = match_whole(s, p);
    for (int n = 0; n < HOLLOWS_POINTS; n++)
        if (p->spot[n] >= 0)
            used[p->spot[n]] = true;
    for (int n = 0; p->turned && n < HOLLOWS_RIM; n++)
        if (p->rim[n] >= 0)
            used[p->rim[n]] = true;
    if (!homography_invert(p->h, inverse))
        return;
    for (int k = 0; k < s->spots->count; k++) {
        double u, v;
        homography_apply(inverse, (double)s->spots->spot[k].x, (double)s->spots->spot[k].y, &u, &v);
        const double far = HOLLOWS_SIDE - 1 + s->seam;
        if (!used[k] && u > 0 && v > 0 && u < far && v < far &&
            s->spots->spot[k].strength > (float)HOLLOWS_STRONG)
            sum -= STRAY;
    }
    p->score = (sum - left_out(s, p)) / HOLLOWS_POINTS;
}

// The same place with the block that fits least half turned. False: the others don't fit either.
static bool turn_block(const struct search *s, struct hollows_placing *p)
{
    static const double OTHERS = 0.75; // share of the other blocks' rims that must show
    double strength[HOLLOWS_BLOCKS], sum = 0;
    p->block = 0;
    for (int block = 0; block < HOLLOWS_BLOCKS; block++) {
        strength[block] = block_strength(s, p, block);
        sum += strength[block];
        if (strength[block] < strength[p->block])
            p->block = block;
    }
    if (sum - strength[p->block] < OTHERS * (HOLLOWS_BLOCKS - 1) * HOLLOWS_RIM)
        return false;
    p->turned = true;
    for (int round = 0; round < 2; round++) {
        // What it shows by chance where its points should be has bent the fit.
        for (int n = 0; n < HOLLOWS_POINTS; n++)
            if (hollows_on_rim(p->block, n))
                p->spot[n] = -1;
        if (!fit(s, p))
            return false;
        match(s, p, HOLLOWS_MATCHED, true);
    }
    return plausible(s, p);
}

// How far two placings' corners are apart, cells; a board laid down otherwise round is the same.
static double apart(const struct search *s, const struct hollows_placing *a,
                    const struct hollows_placing *b)
{
    double sum_a[2] = {0}, sum_b[2] = {0};
    const double far = HOLLOWS_SIDE - 1 + s->seam;
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        double nearest = INFINITY;
        double x, y;
        homography_apply(a->h, k & 1 ? far : 0, k & 2 ? far : 0, &x, &y);
        sum_a[0] += x / 4;
        sum_a[1] += y / 4;
        for (int m = 0; m < 4; m++) {
            double x2, y2;
            homography_apply(b->h, m & 1 ? far : 0, m & 2 ? far : 0, &x2, &y2);
            nearest = fmin(nearest, hypot(x2 - x, y2 - y));
            if (k == 0) {
                sum_b[0] += x2 / 4;
                sum_b[1] += y2 / 4;
            }
        }
        worst = fmax(worst, nearest);
    }
    const double middle = hypot(sum_a[0] - sum_b[0], sum_a[1] - sum_b[1]);
    return fmax(worst, middle) / cell_px(a->h, far / 2, far / 2);
}

static void enter(const struct search *s, const struct hollows_placing *p,
                  struct hollows_places *places)
{
    static const double SAME = 0.4; // cells
    if (p->score > places->best.score) {
        if (places->best.score > 0 && apart(s, p, &places->best) > SAME)
            places->next = places->best;
        places->best = *p;
    } else if (p->score > places->next.score && apart(s, p, &places->best) > SAME) {
        places->next = *p;
    }
}

// A board that lies straight is not looked for in any other way.
static void weigh(struct search *s, struct hollows_placing *p)
{
    judge(s, p);
    enter(s, p, &s->straight);
    enter(s, p, &s->any);
    if (s->straight.best.score > SCORE_SURE || !turn_block(s, p))
        return;
    judge(s, p);
    enter(s, p, &s->any);
}

// --- seeds ---

struct seed {
    int spot[4]; // (0,0) (1,0) (0,1) (1,1), u to the right, v upwards
};

// Spots at about the distance of a cell from spot k, to the right of it (up to 45 degrees off), or
// above. The nearest two. Returns how many.
static int neighbours(const struct search *s, int k, bool above, int ret[2])
{
    const struct hollow_spots *spots = s->spots;
    // The spots are marbles or hollows that are a little larger.
    const double cell = 2 * (double)spots->radius / s->marble;
    double length[2] = {INFINITY, INFINITY};
    int count = 0;
    ret[0] = ret[1] = -1;
    for (int m = 0; m < spots->count; m++) {
        double dx = (double)(spots->spot[m].x - spots->spot[k].x);
        double dy = (double)(spots->spot[k].y - spots->spot[m].y);
        if (above) {
            const double turned = dx;
            dx = dy;
            dy = -turned;
        }
        const double d = hypot(dx, dy);
        if (d < 0.62 * cell || d > 1.35 * cell || dx <= 0 || fabs(dy) > dx)
            continue;
        const int at = d < length[0] ? 0 : d < length[1] ? 1 : 2;
        if (at == 2)
            continue;
        if (at == 0) {
            length[1] = length[0];
            ret[1] = ret[0];
        }
        length[at] = d;
        ret[at] = m;
        count = count < 2 ? count + 1 : 2;
    }
    return count;
}

static int find_seeds(const struct search *s, struct seed ret[SEEDS_MAX])
{
    const struct hollow_spots *spots = s->spots;
    int count = 0;
    for (int k = 0; k < spots->count && k < SEED_SPOTS; k++) {
        int right[2], up[2];
        const int rights = neighbours(s, k, false, right), ups = neighbours(s, k, true, up);
        for (int a = 0; a < rights; a++)
            for (int b = 0; b < ups && count < SEEDS_MAX; b++) {
                const struct cvshim_spot *o = &spots->spot[k], *r = &spots->spot[right[a]],
                                         *u = &spots->spot[up[b]];
                const double lr = hypot((double)(r->x - o->x), (double)(r->y - o->y));
                const double lu = hypot((double)(u->x - o->x), (double)(u->y - o->y));
                const double across =
                    (double)((r->x - o->x) * (o->y - u->y) - (o->y - r->y) * (u->x - o->x));
                if (lr > 1.7 * lu || lu > 1.7 * lr || across < 0.8 * lr * lu)
                    continue;
                const int other =
                    hollow_spots_nearest(spots, (double)(r->x + u->x - o->x),
                                         (double)(r->y + u->y - o->y), 0.2 * (lr + lu) / 2);
                if (other >= 0)
                    ret[count++] = (struct seed){{k, right[a], up[b], other}};
            }
    }
    return count;
}

// The cell may be any of a block's four, in any block.
static void try_seed(struct search *s, const struct seed *seed)
{
    for (int c = 0; c < HOLLOWS_SIDE - 1; c++)
        for (int r = 0; r < HOLLOWS_SIDE - 1; r++) {
            if (c == HOLLOWS_SIDE / 2 - 1 || r == HOLLOWS_SIDE / 2 - 1)
                continue; // across a seam
            struct hollows_placing p = {.matched = 4, .size = s->size};
            for (int n = 0; n < HOLLOWS_POINTS; n++)
                p.spot[n] = -1;
            for (int k = 0; k < 4; k++)
                p.spot[(r + (k >> 1)) * HOLLOWS_SIDE + c + (k & 1)] = seed->spot[k];
            if (!grow(s, &p) || !plausible(s, &p))
                continue;
            weigh(s, &p);
        }
}

static void search_sizes(struct search *s, const struct hollow_spots spots[HOLLOW_SIZES])
{
    struct seed seed[SEEDS_MAX];
    for (s->size = 0; s->size < HOLLOW_SIZES; s->size++) {
        const double before = s->any.best.score;
        s->spots = &spots[s->size];
        if (s->spots->count < HOLLOWS_POINTS / 2)
            continue;
        const int seeds = find_seeds(s, seed);
        int more = MORE_SEEDS;
        for (int k = 0; k < seeds && more > 0; k++) {
            try_seed(s, &seed[k]);
            more -= s->any.best.score > SCORE_SURE;
        }
        if (s->any.best.score <= before && before > SCORE_SURE)
            break; // it gets no better
    }
}

void hollows_place(const struct hollow_spots spots[HOLLOW_SIZES], double seam, double marble,
                   struct hollows_places *ret_straight, struct hollows_places *ret_any)
{
    struct search s = {.seam = seam, .marble = marble};
    search_sizes(&s, spots);
    *ret_straight = s.straight;
    *ret_any = s.any;
}
