// Which N x N lines of a grown lattice are the board: where its lines end.
#include <math.h>

#include "vision/grid_field.h"

float field_seen(const struct field *f, const struct grid_arm *arm)
{
    if (!arm->inside || fabsf(arm->offset) > 0.2F)
        return 0;
    const float x = arm->contrast / f->threshold;
    return x < 0.7F ? 0 : x > 1.3F ? 1 : (x - 0.7F) / 0.6F;
}

int field_arms_seen(struct field *f, int i, int j)
{
    int count = 0;
    for (int d = 0; d < 4; d++)
        count += field_seen(f, &field_at(f, i, j)->arm[d]) > 0.5F;
    return count;
}

bool field_crossing_seen(struct field *f, int i, int j)
{
    const struct grid_arm *arm = field_at(f, i, j)->arm;
    return field_seen(f, &arm[GRID_EAST]) + field_seen(f, &arm[GRID_WEST]) > 0.5F &&
           field_seen(f, &arm[GRID_NORTH]) + field_seen(f, &arm[GRID_SOUTH]) > 0.5F;
}

bool field_looks_like_stone(struct field *f, int i, int j)
{
    static const float LEAST = 0.08F, SHADE = 0.9F; // log units
    const struct field_node *node = field_at(f, i, j);
    // A stone lies on the board; in the dark of a table everything differs from everything.
    const bool on_board = !f->have_surface || fabsf(node->around - f->surface) < SHADE;
    return on_board && fabsf(node->stone) > LEAST && field_arms_seen(f, i, j) <= 1;
}

// A board's frame runs along its border like a line of it, but no line goes inwards from it.
static double frame_cost(const double seen[4], const bool edge[4])
{
    double cost = 0;
    for (int d = 0; d < 4; d++) {
        const double along = seen[(d + 1) & 3] + seen[(d + 3) & 3];
        if (edge[d] && along > 1 && seen[(d + 2) & 3] < 0.5)
            cost += along + 1;
    }
    return cost;
}

// What one crossing says about being inside the window (in) with the edges given.
static double node_score(struct field *f, int i, int j, bool in, const bool edge[4])
{
    static const float PLAIN = 0.25F; // log units: a stone of a board, no grain of a table
    static const double STONE = 1.5, STONE_BESIDE = 0.75, NOTHING = 1.5, OUTSIDE = 6;
    const struct field_node *node = field_at(f, i, j);
    const bool stone = field_looks_like_stone(f, i, j);
    double score = 0, seen[4];
    for (int d = 0; d < 4; d++) {
        seen[d] = (double)field_seen(f, &node->arm[d]);
        score += in && !edge[d] ? seen[d] : -seen[d];
    }
    if (!in)
        return score - (stone && fabsf(node->stone) > PLAIN ? STONE_BESIDE : 0);
    if (stone)
        score += STONE;
    else if (field_arms_seen(f, i, j) == 0)
        score -= NOTHING; // a bare place without lines
    else
        score -= frame_cost(seen, edge);
    return node->inside ? score : score - OUTSIDE;
}

static double window_score(struct field *f, int a, int b, int columns, int rows)
{
    double score = 0;
    for (int j = f->j0; j <= f->j1; j++)
        for (int i = f->i0; i <= f->i1; i++) {
            const bool in = i >= a && j >= b && i < a + columns && j < b + rows;
            const bool edge[4] = {i == a + columns - 1, j == b + rows - 1, i == a, j == b};
            score += node_score(f, i, j, in, edge);
        }
    return score;
}

// Makes the window's lower left corner (0,0) and the box the window.
static void shift_origin(struct field *f, int du, int dv, int columns, int rows)
{
    double *h = f->g.homography;
    for (int r = 0; r < 3; r++)
        h[3 * r + 2] += h[3 * r] * du + h[3 * r + 1] * dv;
    for (int k = 0; k < 8; k++)
        h[k] /= h[8];
    h[8] = 1;
    f->g.columns = columns;
    f->g.rows = rows;
    f->i0 = f->j0 = 0;
    f->i1 = columns - 1;
    f->j1 = rows - 1;
    field_forget(f);
}

static void make_room(int *from, int *to, int lines)
{
    while (*to - *from + 1 < lines && *to - *from + 1 < GRID_BOX_MAX) {
        if (*from > -FIELD_BASE)
            (*from)--;
        if (*to - *from + 1 < lines && *to < FIELD_SPAN - FIELD_BASE - 1)
            (*to)++;
    }
}

// The best place of a columns x rows window in the box; `ret_margin` is how much worse the next
// best is.
static double best_window(struct field *f, int columns, int rows, int *ret_a, int *ret_b,
                          double *ret_margin)
{
    double best = -INFINITY, second = -INFINITY;
    for (int b = f->j0; b + rows <= f->j1 + 1; b++)
        for (int a = f->i0; a + columns <= f->i1 + 1; a++) {
            const double s = window_score(f, a, b, columns, rows);
            second = fmax(second, fmin(s, best));
            if (s > best) {
                best = s;
                *ret_a = a;
                *ret_b = b;
            }
        }
    *ret_margin = best - second;
    return best;
}

bool field_select_board(struct field *f, const struct grid_request *request)
{
    static const int SIZE[4] = {19, 15, 13, 9};
    const int sizes = request->columns ? 1 : 4;
    const int largest_i = request->columns ? request->columns : SIZE[0];
    const int largest_j = request->columns ? request->rows : SIZE[0];
    double best = -INFINITY;
    int at[2] = {0, 0}, columns = 0, rows = 0;
    // A board whose last lines lie under stones stopped growing early.
    make_room(&f->i0, &f->i1, largest_i + 4);
    make_room(&f->j0, &f->j1, largest_j + 4);
    field_measure(f, 0.25);
    // One score for all sizes: lines seen outside of a window speak against it as bare places
    // within it do.
    for (int k = 0; k < sizes; k++) {
        const int c = request->columns ? request->columns : SIZE[k];
        const int r = request->columns ? request->rows : SIZE[k];
        int a = 0, b = 0;
        double margin;
        const double score = best_window(f, c, r, &a, &b, &margin);
        if (score > best) {
            best = score;
            f->margin = margin / (c < r ? c : r);
            columns = c;
            rows = r;
            at[0] = a;
            at[1] = b;
        }
    }
    if (columns == 0)
        return false;
    shift_origin(f, at[0], at[1], columns, rows);
    return true;
}
