// How much a refined lattice looks like a whole board, from signs that wrong lattices lack.
#include <math.h>
#include <stdlib.h>

#include "vision/grid_field.h"

// Each was chosen on photographs from what right grids and the best wrong ones beside them get.
static const double RMS_FREE = 0.05; // cells: folds of a sheet may leave that
static const double RMS_COST = 4;    // per cell beyond: lines met by chance lie anywhere
static const double BEYOND_COST = 0.5;
static const double BARE_FREE = 0.85, BARE_COST = 0.4;
static const float BARE_STEP = 0.15F; // log units between a cell and those near it

// Share of the points that show crossing lines or something like a stone.
static double points_explained(struct field *f)
{
    int explained = 0;
    for (int j = 0; j < f->g.rows; j++)
        for (int i = 0; i < f->g.columns; i++)
            explained += field_crossing_seen(f, i, j) || field_looks_like_stone(f, i, j);
    return (double)explained / (f->g.rows * f->g.columns);
}

// Share of the border's points from which a line goes on outwards: there, the board is larger.
static double lines_beyond(struct field *f)
{
    const int columns = f->g.columns, rows = f->g.rows;
    double seen = 0;
    for (int j = 0; j < rows; j++)
        seen += (double)field_seen(f, &field_at(f, 0, j)->arm[GRID_WEST]) +
                (double)field_seen(f, &field_at(f, columns - 1, j)->arm[GRID_EAST]);
    for (int i = 0; i < columns; i++)
        seen += (double)field_seen(f, &field_at(f, i, 0)->arm[GRID_SOUTH]) +
                (double)field_seen(f, &field_at(f, i, rows - 1)->arm[GRID_NORTH]);
    return seen / (2.0 * (columns + rows));
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// Median of the cells within two of (i, j).
static float median_near(const float *cell, int columns, int rows, int i, int j)
{
    float value[25];
    int count = 0;
    for (int y = j - 2; y <= j + 2; y++)
        for (int x = i - 2; x <= i + 2; x++)
            if (x >= 0 && y >= 0 && x < columns && y < rows)
                value[count++] = cell[y * columns + x];
    qsort(value, (size_t)count, sizeof *value, compare_floats);
    return value[count / 2];
}

// Share of the cells whose middle looks like its neighbours': there the bare board shows even
// between four stones. A lattice laid askew over the stones has stones there.
static double cells_bare(const struct field *f)
{
    const int columns = f->g.columns - 1, rows = f->g.rows - 1;
    float cell[BOARD_POINTS_MAX];
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            cell[j * columns + i] = field_disc_mean(f, i + 0.5, j + 0.5, 0.08);
    int bare = 0;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            bare +=
                fabsf(cell[j * columns + i] - median_near(cell, columns, rows, i, j)) < BARE_STEP;
    return (double)bare / (columns * rows);
}

double field_score(struct field *f, double rms)
{
    if (rms < 0)
        return 0;
    return points_explained(f) - BEYOND_COST * lines_beyond(f) -
           RMS_COST * fmax(0, rms - RMS_FREE) - BARE_COST * fmax(0, BARE_FREE - cells_bare(f));
}
