#include "controller/park_place.h"

#include <math.h>

static const double STEP_MM = 10; // between places that are tried along x
enum { SAMPLES = 7 };             // points of the board a side that stand for all

// H = K (r1 r2 t) up to a factor: the columns of K^-1 H give the camera's turn and place.
bool park_camera(const struct geometry *g, double ret[3])
{
    double m[3][3], r3[3];
    for (int k = 0; k < 3; k++) {
        double pitch = k == 0 ? g->pitch_x : k == 1 ? g->pitch_y : 1; // cells to mm
        double w = g->homography[6 + k] / pitch;
        m[0][k] = (g->homography[k] / pitch - g->lens.cx * w) / g->lens.fx;
        m[1][k] = (g->homography[3 + k] / pitch - g->lens.cy * w) / g->lens.fy;
        m[2][k] = w;
    }
    double size = 0;
    for (int k = 0; k < 2; k++)
        size += sqrt(m[0][k] * m[0][k] + m[1][k] * m[1][k] + m[2][k] * m[2][k]) / 2;
    if (!(size > 0) || !isfinite(size))
        return false;
    double scale = (m[2][2] < 0 ? -1 : 1) / size; // the board is before the camera
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            m[i][k] *= scale;
    }
    r3[0] = m[1][0] * m[2][1] - m[2][0] * m[1][1];
    r3[1] = m[2][0] * m[0][1] - m[0][0] * m[2][1];
    r3[2] = m[0][0] * m[1][1] - m[1][0] * m[0][1];
    for (int k = 0; k < 3; k++) {
        ret[k] = 0;
        for (int i = 0; i < 3; i++)
            ret[k] -= (k < 2 ? m[i][k] : r3[i]) * m[i][2];
    }
    return isfinite(ret[0]) && isfinite(ret[1]) && ret[2] > 0;
}

static void board_point(const struct park_question *q, double u, double v, double ret[2])
{
    const struct geometry *g = q->geometry;
    double size[2];
    geometry_board_mm(g, g->columns - 1, g->rows - 1, size);
    const double board[2] = {u * size[0], v * size[1]};
    board_map_to_machine(q->map, board, ret);
}

// From the board and its stores to the place and back, mean seconds; only x and y.
static double way(const struct park_question *q, const double park[2])
{
    double sum = 0;
    const double at[3] = {park[0], park[1], 0};
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        double to[3] = {0};
        int column = i % SAMPLES, row = i / SAMPLES;
        board_point(q, column / (SAMPLES - 1.0), row / (SAMPLES - 1.0), to);
        sum += travel_line(&q->limits, at, to, 0) / (SAMPLES * SAMPLES);
    }
    for (int i = 0; i < q->stores; i++) {
        const double to[3] = {q->store[i][0], q->store[i][1], 0};
        sum += travel_line(&q->limits, at, to, 0) / q->stores;
    }
    return sum;
}

bool park_place(const struct park_question *q, double ret[2])
{
    double eye[3], seen[2], far = -INFINITY;
    if (!park_camera(q->geometry, eye))
        return false;
    board_map_to_machine(q->map, eye, seen);
    for (int corner = 0; corner < 4; corner++) {
        double at[2];
        board_point(q, corner & 1, corner >> 1, at);
        far = fmax(far, at[1] + q->stone_radius);
    }
    double best[2] = {0, fmax(far, seen[1]) + q->reach}, least = INFINITY;
    if (best[1] > -q->margin)
        return false;
    best[1] = fmax(best[1], q->margin - q->travel[1]);
    int places = (int)((q->travel[0] - 2 * q->margin) / STEP_MM) + 1;
    for (int i = 0; i < places; i++) {
        const double place[2] = {q->margin - q->travel[0] + i * STEP_MM, best[1]};
        double seconds = way(q, place);
        if (seconds < least) {
            least = seconds;
            best[0] = place[0];
        }
    }
    ret[0] = best[0];
    ret[1] = best[1];
    return isfinite(least);
}
