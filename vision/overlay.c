#include "vision/overlay.h"

#include <math.h>

struct ink {
    uint8_t r, g, b;
};

static const struct ink GRID = {0, 150, 90}, DOUBT = {255, 0, 0}, FOREIGN = {255, 160, 0};

static struct ink ink_of(enum stone_colour colour)
{
    static const struct ink INK[STONE_COLOUR_COUNT] = {
        [STONE_CLEAR] = {190, 240, 255}, [STONE_WHITE] = {255, 255, 255},
        [STONE_BLACK] = {0, 0, 0},       [STONE_RED] = {230, 30, 60},
        [STONE_BLUE] = {40, 90, 255},    [STONE_GREEN] = {20, 190, 60},
        [STONE_AMBER] = {255, 180, 20},
    };
    return INK[colour];
}

static void put(struct overlay *c, int x, int y, struct ink ink)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height)
        return;
    uint8_t *p = c->rgb + 3 * ((long)y * c->width + x);
    p[0] = ink.r;
    p[1] = ink.g;
    p[2] = ink.b;
}

static void dot(struct overlay *c, double x, double y, double radius, struct ink ink)
{
    const int x0 = (int)floor(x - radius), x1 = (int)ceil(x + radius);
    const int y0 = (int)floor(y - radius), y1 = (int)ceil(y + radius);
    for (int py = y0; py <= y1; py++)
        for (int px = x0; px <= x1; px++)
            if ((px - x) * (px - x) + (py - y) * (py - y) <= radius * radius)
                put(c, px, py, ink);
}

static void ring(struct overlay *c, double x, double y, double radius, double width, struct ink ink)
{
    const int reach = (int)ceil(radius + width);
    for (int py = -reach; py <= reach; py++)
        for (int px = -reach; px <= reach; px++)
            if (fabs(hypot(px, py) - radius) <= width / 2)
                put(c, (int)lround(x) + px, (int)lround(y) + py, ink);
}

// A grid line as the lens bends it: many short steps, wide enough to be seen on a large photograph.
static void grid_line(struct overlay *c, const struct geometry *g, double u0, double v0, double u1,
                      double v1)
{
    const int steps = 60 * BOARD_LINES_MAX;
    const double middle_u = (g->columns - 1) / 2.0, middle_v = (g->rows - 1) / 2.0;
    const double radius = geometry_cell_px(g, middle_u, middle_v) / 70;
    for (int k = 0; k <= steps; k++) {
        const double t = (double)k / steps;
        double x, y;
        geometry_board_to_image(g, u0 + t * (u1 - u0), v0 + t * (v1 - v0), &x, &y);
        if (x > -1 && y > -1 && x < c->width && y < c->height)
            dot(c, x, y, fmax(radius, 0.7), GRID);
    }
}

static void grid(struct overlay *c, const struct geometry *g)
{
    for (int i = 0; i < g->columns; i++)
        grid_line(c, g, i, 0, i, g->rows - 1);
    for (int j = 0; j < g->rows; j++)
        grid_line(c, g, 0, j, g->columns - 1, j);
}

void overlay_observation(struct overlay *canvas, const struct geometry *g,
                         const enum stone_colour *colour, const struct observation *o)
{
    grid(canvas, g);
    for (int n = 0; n < o->columns * o->rows; n++) {
        const struct observation_point *p = &o->point[n];
        const int column = n % o->columns, row = n / o->columns;
        const double u = column, v = row, cell = geometry_cell_px(g, u, v);
        double x, y;
        geometry_board_to_image(g, u + (double)p->offset_u, v + (double)p->offset_v, &x, &y);
        if (p->best == OBSERVATION_UNKNOWN)
            ring(canvas, x, y, 0.12 * cell, 2, FOREIGN);
        else if (p->best > 0)
            dot(canvas, x, y, 0.17 * cell, ink_of(colour[p->best - 1]));
        if (p->confidence < 0.9F)
            ring(canvas, x, y, 0.4 * cell, 2.5, DOUBT);
    }
}

static struct ink ink_of_letter(char letter)
{
    for (int k = 0; k < STONE_COLOUR_COUNT; k++)
        if (stone_colour_letter((enum stone_colour)k) == letter)
            return ink_of((enum stone_colour)k);
    return FOREIGN;
}

void overlay_photo(struct overlay *canvas, const struct photo_result *result)
{
    const struct geometry *g = &result->geometry;
    grid(canvas, g);
    for (int r = 0; r < result->size; r++)
        for (int c = 0; c < result->size; c++) {
            const double u = c, v = result->size - 1 - r, cell = geometry_cell_px(g, u, v);
            double x, y;
            geometry_board_to_image(g, u, v, &x, &y);
            if (result->row[r][c] != '.') {
                // A rim of the opposite shade: black dots show on black stones too.
                dot(canvas, x, y, 0.24 * cell,
                    result->row[r][c] == 'B' ? (struct ink){255, 255, 255} : (struct ink){0, 0, 0});
                dot(canvas, x, y, 0.17 * cell, ink_of_letter(result->row[r][c]));
            }
            if (result->unsure[r][c])
                ring(canvas, x, y, 0.42 * cell, fmax(2, 0.08 * cell), DOUBT);
        }
}
