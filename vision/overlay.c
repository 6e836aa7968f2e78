#include "vision/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vision/glyphs.h"

struct ink {
    uint8_t r, g, b;
};

static const struct ink GRID = {0, 150, 90}, SURE = {120, 255, 90}, DOUBT = {255, 0, 0},
                        FOREIGN = {255, 160, 0}, TRACK = {0, 0, 0}, LIGHT = {255, 255, 255};
static const double SURE_ODDS = 4; // nats at which a ring is closed: 0.982

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

// Mixes the ink into a pixel; `share` of it, 0..1.
static void blend(struct overlay *c, int x, int y, struct ink ink, double share)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height || share <= 0)
        return;
    const uint8_t with[3] = {ink.r, ink.g, ink.b};
    uint8_t *p = c->rgb + 3 * ((long)y * c->width + x);
    for (int k = 0; k < 3; k++)
        p[k] = (uint8_t)(p[k] + fmin(share, 1) * (with[k] - p[k]) + 0.5);
}

// A part of a ring, `share` of it from the top clockwise; radius 0 and a whole share: a disc as
// wide as `width`. Its edges are smooth: at 24 pixels a cell that is what keeps it legible.
static void arc(struct overlay *c, double x, double y, double radius, double width, double share,
                struct ink ink)
{
    const double turn = 2 * acos(-1), reach = radius + width / 2 + 1;
    for (int py = (int)floor(y - reach); py <= (int)ceil(y + reach); py++)
        for (int px = (int)floor(x - reach); px <= (int)ceil(x + reach); px++) {
            const double angle = atan2(px - x, y - py);
            if ((angle < 0 ? angle + turn : angle) <= share * turn)
                blend(c, px, py, ink, width / 2 - fabs(hypot(px - x, py - y) - radius) + 0.5);
        }
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

// The rim of a hollow, as wide as most are, as the picture's perspective has it.
static void hollow(struct overlay *c, const struct geometry *g, double u, double v)
{
    enum { STEPS = 180 };
    const double rim = 0.31, radius = geometry_cell_px(g, u, v) / 70, turn = 2 * acos(-1);
    for (int k = 0; k < STEPS; k++) {
        const double angle = turn * k / STEPS;
        double x, y;
        geometry_board_to_image(g, u + rim * cos(angle), v + rim * sin(angle), &x, &y);
        if (x > -1 && y > -1 && x < c->width && y < c->height)
            dot(c, x, y, fmax(radius, 0.7), GRID);
    }
}

static void grid(struct overlay *c, const struct geometry *g)
{
    for (int n = 0; c->hollows && n < g->columns * g->rows; n++) {
        const int row = n / g->columns;
        hollow(c, g, n % g->columns, row);
    }
    if (c->hollows)
        return;
    for (int i = 0; i < g->columns; i++)
        grid_line(c, g, i, 0, i, g->rows - 1);
    for (int j = 0; j < g->rows; j++)
        grid_line(c, g, 0, j, g->columns - 1, j);
}

// --- text ---

enum { GLYPH_STEP = GLYPH_COLUMNS + 1 };

static int text_width(const char *text, int scale)
{
    return (int)strlen(text) * GLYPH_STEP * scale - scale;
}

// `grown` pixels larger on every side than its dots.
static void write_dots(struct overlay *c, int x, int y, int scale, int grown, const char *text,
                       struct ink ink)
{
    for (; *text; text++, x += GLYPH_STEP * scale)
        for (int row = 0; row < GLYPH_ROWS; row++)
            for (int column = 0; column < GLYPH_COLUMNS; column++) {
                if (!(glyph_row(*text, row) >> (GLYPH_COLUMNS - 1 - column) & 1U))
                    continue;
                for (int dy = -grown; dy < scale + grown; dy++)
                    for (int dx = -grown; dx < scale + grown; dx++)
                        put(c, x + column * scale + dx, y + row * scale + dy, ink);
            }
}

// Top left corner at (x, y); dark round its edges, so that it can be read on anything.
static void write_text(struct overlay *c, int x, int y, int scale, const char *text, struct ink ink)
{
    write_dots(c, x, y, scale, (scale + 1) / 2, text, TRACK);
    write_dots(c, x, y, scale, 0, text, ink);
}

static int within(double middle, int size, int room)
{
    const int first = (int)lround(middle) - size / 2, most = room - size - 1;
    return first < 1 ? 1 : first > most ? most : first;
}

// `text` so many cells away from a point; within the picture if the point is, also where the board
// fills it.
static void label(struct overlay *c, const struct geometry *g, const double point[2],
                  const double away[2], int scale, const char *text)
{
    double x, y;
    geometry_board_to_image(g, point[0], point[1], &x, &y);
    if (!(x >= 0 && y >= 0 && x < c->width && y < c->height))
        return;
    geometry_board_to_image(g, point[0] + away[0], point[1] + away[1], &x, &y);
    write_text(c, within(x, text_width(text, scale), c->width),
               within(y, GLYPH_ROWS * scale, c->height), scale, text, LIGHT);
}

// What people call columns and rows. Not on the smallest board: it is Pentago's, whose holes are
// counted within their blocks.
static void labels(struct overlay *c, const struct geometry *g)
{
    static const double BELOW[2] = {0, -0.85}, BESIDE[2] = {-1.05, 0}; // two figures are wider
    const int scale =
        (int)fmax(geometry_cell_px(g, (g->columns - 1) / 2.0, (g->rows - 1) / 2.0) / 14, 1);
    if (g->columns <= BOARD_LINES_MIN)
        return;
    for (int i = 0; i < g->columns; i++)
        label(c, g, (const double[]){i, 0}, BELOW, scale,
              (const char[]){(char)('A' + i + (i >= 8)), 0}); // no I
    for (int j = 0; j < g->rows; j++) {
        char text[16];
        snprintf(text, sizeof text, "%d", j + 1);
        label(c, g, (const double[]){0, j}, BESIDE, scale, text);
    }
}

// The scene and how much there is to doubt, in the top left corner: green when it may be read.
static void caption(struct overlay *c, const struct observation *o)
{
    const int scale = c->width / 420 > 1 ? c->width / 420 : 1;
    char text[80];
    int stones = 0, doubts = 0;
    for (int n = 0; n < o->columns * o->rows; n++) {
        stones += o->point[n].best > 0 && o->point[n].best != OBSERVATION_UNKNOWN;
        doubts +=
            o->point[n].best == OBSERVATION_UNKNOWN || o->point[n].confidence < OBSERVATION_DOUBT;
    }
    if (o->scene.state == SCENE_STILL)
        snprintf(text, sizeof text, "still: %d stone%s, %d doubt%s", stones, stones == 1 ? "" : "s",
                 doubts, doubts == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%s", scene_state_name(o->scene.state));
    for (int y = 0; y < (GLYPH_ROWS + 6) * scale; y++)
        for (int x = 0; x < text_width(text, scale) + 6 * scale; x++)
            blend(c, x, y, TRACK, 0.7);
    write_text(c, 3 * scale, 3 * scale, scale, text,
               o->scene.state != SCENE_STILL ? FOREIGN
               : doubts                      ? DOUBT
                                             : SURE);
}

// --- marks ---

// How far a ring closes: all the way round where the odds are so good that a few looks at the same
// point leave no doubt, half at 0.88; and never so little that it can't be seen.
static double closed_by(double confidence)
{
    const double odds = log(fmax(confidence, 1e-6) / fmax(1 - confidence, 1e-6));
    return fmin(fmax(odds / SURE_ODDS, 0.06), 1);
}

// A ring round the stone that closes with the confidence, on a dark track that shows how much of it
// is missing; the reading as a dot in the middle. Doubts are red and thicker.
static void mark(struct overlay *c, double x, double y, double cell, const struct ink *reading,
                 double confidence, bool doubt)
{
    const double radius = 0.41 * cell, width = fmax((doubt ? 0.13 : 0.08) * cell, 1.5);
    if (reading || doubt)
        arc(c, x, y, radius, width + fmax(0.05 * cell, 1.5), 1, TRACK);
    if (doubt) // all round, that a doubt is red however little the ring has closed
        arc(c, x, y, radius, width / 3, 1, DOUBT);
    if (reading || doubt)
        arc(c, x, y, radius, width, closed_by(confidence), doubt ? DOUBT : SURE);
    if (reading) {
        // A rim of the opposite shade: the dot shows on a stone of its own colour too.
        const bool dark = reading->r + reading->g + reading->b < 3 * 64;
        arc(c, x, y, 0, 2 * 0.19 * cell, 1, dark ? LIGHT : TRACK);
        arc(c, x, y, 0, 2 * 0.13 * cell, 1, *reading);
    }
}

void overlay_observation(struct overlay *canvas, const struct geometry *g,
                         const enum stone_colour *colour, const struct observation *o)
{
    caption(canvas, o);
    if (!g)
        return;
    grid(canvas, g);
    labels(canvas, g);
    for (int n = 0; n < o->columns * o->rows; n++) {
        const struct observation_point *p = &o->point[n];
        const int column = n % o->columns, row = n / o->columns;
        const double u = column, v = row, cell = geometry_cell_px(g, u, v);
        double x, y;
        geometry_board_to_image(g, u + (double)p->offset_u, v + (double)p->offset_v, &x, &y);
        if (p->best == OBSERVATION_UNKNOWN) {
            arc(canvas, x, y, 0.12 * cell, 2, 1, FOREIGN);
            continue;
        }
        const struct ink ink = p->best > 0 ? ink_of(colour[p->best - 1]) : TRACK;
        mark(canvas, x, y, cell, p->best > 0 ? &ink : NULL, (double)p->confidence,
             p->confidence < OBSERVATION_DOUBT);
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
    labels(canvas, g);
    for (int r = 0; r < result->size; r++)
        for (int c = 0; c < result->size; c++) {
            const double u = c, v = result->size - 1 - r, cell = geometry_cell_px(g, u, v);
            const struct ink ink = ink_of_letter(result->row[r][c]);
            double x, y;
            geometry_board_to_image(g, u, v, &x, &y);
            mark(canvas, x, y, cell, result->row[r][c] != '.' ? &ink : NULL,
                 (double)result->confidence[r][c], result->unsure[r][c]);
        }
}
