#include "controller/evidence.h"

#include <math.h>
#include <string.h>

void evidence_clear(struct evidence *e)
{
    e->frames = 0;
    memset(e->point, 0, sizeof e->point);
}

static void fade(struct evidence *e)
{
    int points = e->columns * e->rows;
    for (int p = 0; p < points; p++) {
        for (int c = 0; c < OBSERVATION_CLASSES; c++)
            e->point[p].sum[c] /= 2;
        e->point[p].offset_x /= 2;
        e->point[p].offset_y /= 2;
    }
    e->frames /= 2;
}

void evidence_add(struct evidence *e, const struct observation *o)
{
    e->scene = o->scene;
    e->seen = true;
    bool same_board = e->columns == o->columns && e->rows == o->rows && e->colours == o->colours;
    if (o->scene.state != SCENE_STILL || !same_board)
        evidence_clear(e);
    e->columns = o->columns;
    e->rows = o->rows;
    e->colours = o->colours;
    if (o->scene.state != SCENE_STILL)
        return;
    if (!e->frames)
        e->since_ns = o->time_ns;
    e->until_ns = o->time_ns;
    if (e->frames == EVIDENCE_FRAMES)
        fade(e);
    e->frames++;
    int points = e->columns * e->rows;
    for (int p = 0; p < points; p++) {
        const struct observation_point *from = &o->point[p];
        for (int c = 0; c < OBSERVATION_CLASSES; c++)
            e->point[p].sum[c] += (double)from->log_likelihood[c];
        e->point[p].offset_x += (double)from->offset_x;
        e->point[p].offset_y += (double)from->offset_y;
    }
}

double evidence_log(const struct evidence *e, int point, int class)
{
    if (!e->frames)
        return 0;
    double looks = e->frames < EVIDENCE_LOOKS ? e->frames : EVIDENCE_LOOKS;
    return e->point[point].sum[class] / e->frames * looks;
}

int evidence_best(const struct evidence *e, int point, double *ret_margin)
{
    int best = 0;
    double first = -INFINITY, second = -INFINITY;
    for (int c = 0; c <= e->colours; c++) {
        double log = evidence_log(e, point, c);
        if (log > first) {
            second = first;
            first = log;
            best = c;
        } else if (log > second) {
            second = log;
        }
    }
    if (ret_margin)
        *ret_margin = first - second;
    return best;
}

bool evidence_covered(const struct evidence *e, int point)
{
    int best = evidence_best(e, point, NULL);
    return evidence_log(e, point, OBSERVATION_UNKNOWN) > evidence_log(e, point, best);
}

void evidence_offset(const struct evidence *e, int point, double ret[2])
{
    double n = e->frames ? e->frames : 1;
    ret[0] = e->point[point].offset_x / n;
    ret[1] = e->point[point].offset_y / n;
}
