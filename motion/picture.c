#include "motion/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/text.h"

// mm around the travel; below it there is room for the legend.
static const double MARGIN = 14, LEGEND = 34;

// Tenths of a millimetre, by hand: printf's decimal point follows the user's language.
static void attribute(struct text *s, const char *name, double mm)
{
    long long n = llround(mm * 10);
    text_put(s, " %s=\"%s%lld.%lld\"", name, n < 0 ? "-" : "", llabs(n) / 10, llabs(n) % 10);
}

static void circle(struct text *s, const double at[2], double radius, const char *style)
{
    text_put(s, "<circle");
    attribute(s, "cx", at[0]);
    attribute(s, "cy", -at[1]);
    attribute(s, "r", radius);
    text_put(s, " %s/>\n", style);
}

static void line(struct text *s, const double from[2], const double to[2], const char *style)
{
    text_put(s, "<line");
    attribute(s, "x1", from[0]);
    attribute(s, "y1", -from[1]);
    attribute(s, "x2", to[0]);
    attribute(s, "y2", -to[1]);
    text_put(s, " %s/>\n", style);
}

static void rectangle(struct text *s, double x, double y, double width, double height,
                      const char *style)
{
    text_put(s, "<rect");
    attribute(s, "x", x);
    attribute(s, "y", y);
    attribute(s, "width", width);
    attribute(s, "height", height);
    text_put(s, " %s/>\n", style);
}

static void text(struct text *s, double x, double y, const char *style, const char *words)
{
    text_put(s, "<text");
    attribute(s, "x", x);
    attribute(s, "y", y);
    text_put(s, " font-family=\"sans-serif\" font-size=\"9\" %s>", style);
    for (; *words; words++) {
        if (strchr("<>&", *words))
            text_put(s, "&#%d;", *words);
        else
            text_put(s, "%c", *words);
    }
    text_put(s, "</text>\n");
}

// --- what stands there ---

static void board_point(const struct arm_picture *p, double column, double row, double ret[2])
{
    board_map_to_machine(
        p->map, (const double[2]){spacing_at(&p->columns, column), spacing_at(&p->rows, row)}, ret);
}

static void draw_board(struct text *s, const struct arm_picture *p)
{
    static const char thin[] = "stroke=\"#b9a88a\" stroke-width=\"0.7\"";
    static const char letters[] = "ABCDEFGHJKLMNOPQRST";
    double from[2], to[2];
    for (int c = 0; c < p->columns.count; c++) {
        board_point(p, c, 0, from);
        board_point(p, c, p->rows.count - 1, to);
        line(s, from, to, thin);
        board_point(p, c, -0.8, from);
        if (c < (int)sizeof letters - 1)
            text(s, from[0], -from[1] + 3, "text-anchor=\"middle\" fill=\"#978\"",
                 (const char[]){letters[c], 0});
    }
    for (int r = 0; r < p->rows.count; r++) {
        char number[12];
        board_point(p, 0, r, from);
        board_point(p, p->columns.count - 1, r, to);
        line(s, from, to, thin);
        snprintf(number, sizeof number, "%d", r + 1);
        board_point(p, -0.6, r, from);
        text(s, from[0], -from[1] + 3, "text-anchor=\"end\" fill=\"#978\"", number);
    }
}

static void draw_store(struct text *s, const struct store *store, double radius)
{
    static const char slot[] = "fill=\"none\" stroke=\"#a60\" stroke-dasharray=\"3 2\"";
    int slots = store->kind == STORE_TRAY ? store->columns * store->rows : 1;
    for (int i = 0; i < slots; i++) {
        int row = store->kind == STORE_TRAY ? i / store->columns : 0;
        double at[2] = {store->x + store->step_x * (i - row * store->columns),
                        store->y + store->step_y * row};
        circle(s, at, store->kind == STORE_BOWL ? 2 * radius : radius, slot);
    }
    text(s, store->x, -store->y - (store->kind == STORE_BOWL ? 2 : 1) * radius - 3,
         "text-anchor=\"middle\" fill=\"#a60\"", store->name);
}

static void draw_table(struct text *s, const struct arm_picture *p)
{
    const struct arm_scene *scene = p->scene;
    if (p->map)
        draw_board(s, p);
    for (int i = 0; i < scene->obstacle_count; i++) {
        const struct travel_obstacle *o = &scene->obstacles[i];
        circle(s, (const double[2]){o->x, o->y}, o->radius, "fill=\"#bcd\" stroke=\"#678\"");
    }
    for (int i = 0; i < scene->stores->count; i++)
        draw_store(s, &scene->stores->store[i], scene->config->stone_radius);
}

// --- the way ---

static const char EMPTY[] = "stroke=\"#1f6fb5\" stroke-width=\"1.4\"";
static const char LOADED[] = "stroke=\"#c0392b\" stroke-width=\"3\" stroke-linecap=\"round\" "
                             "stroke-opacity=\"0.75\"";
static const char GRIPS[] = "fill=\"#c0392b\"";
static const char RELEASES[] = "fill=\"#fff\" stroke=\"#c0392b\" stroke-width=\"1.6\"";

static void draw_way(struct text *s, const struct arm_picture *p)
{
    double at[3];
    memcpy(at, p->scene->at, sizeof at);
    bool holding = p->scene->holding;
    circle(s, at, 4, "fill=\"none\" stroke=\"#1f6fb5\" stroke-width=\"1.4\"");
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->programs[i].count; k++) {
            const struct arm_step *step = &p->programs[i].step[k];
            for (int n = 0; n < step->points; n++) {
                line(s, at, step->point[n], holding ? LOADED : EMPTY);
                memcpy(at, step->point[n], sizeof at);
            }
            if (step->kind != ARM_STEP_GRIP && step->kind != ARM_STEP_RELEASE)
                continue;
            holding = step->kind == ARM_STEP_GRIP;
            circle(s, at, 3, holding ? GRIPS : RELEASES);
        }
    }
}

static void draw_legend(struct text *s, double x, double y)
{
    static const double LINE = 24, COLUMN = 112;
    const char *const words[] = {"empty cup", "with a stone", "grips", "lets go"};
    for (int i = 0; i < 4; i++) {
        double left = x + COLUMN * i, middle = left + LINE / 2;
        if (i < 2)
            line(s, (const double[2]){left, -y}, (const double[2]){left + LINE, -y},
                 i ? LOADED : EMPTY);
        else
            circle(s, (const double[2]){middle, -y}, 3, i == 2 ? GRIPS : RELEASES);
        text(s, left + LINE + 5, y + 3, "fill=\"#333\"", words[i]);
    }
}

int arm_picture_svg(const struct arm_picture *p, char *buf, size_t size)
{
    struct text s = {buf, size, 0};
    double width = 600, height = 540;
    if (p->scene->travel) {
        width = p->scene->travel[0];
        height = p->scene->travel[1];
    }
    long long left = llround(-width - MARGIN), top = llround(-MARGIN - 14);
    long long across = llround(width + 2 * MARGIN), down = llround(height + MARGIN + 14 + LEGEND);
    text_put(&s,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%lld %lld %lld %lld\" "
             "width=\"%lld\" height=\"%lld\">\n",
             left, top, across, down, across * 3 / 2, down * 3 / 2);
    rectangle(&s, (double)left, (double)top, (double)across, (double)down, "fill=\"#fff\"");
    rectangle(&s, -width, 0, width, height, "fill=\"#faf8f3\" stroke=\"#888\"");
    text(&s, -width, -8, "fill=\"#333\"", p->title ? p->title : "");
    text(&s, 0, -8, "fill=\"#777\" text-anchor=\"end\"", "0, 0");
    draw_table(&s, p);
    draw_way(&s, p);
    draw_legend(&s, -width, height + LEGEND / 2);
    text_put(&s, "</svg>\n");
    return (int)s.length;
}
