#include "vision/locate.h"

#include <errno.h>
#include <math.h>

#include "vision/grid.h"
#include "vision/hollows.h"
#include "vision/tags.h"

// Quarter turns that bring the corner of the settings to (0,0); the grid comes upright.
static int turns_by_settings(const struct vision_settings *t)
{
    switch (t->a1) {
    case VISION_A1_BOTTOM_RIGHT:
        return 1;
    case VISION_A1_TOP_RIGHT:
        return 2;
    case VISION_A1_TOP_LEFT:
        return 3;
    case VISION_A1_BOTTOM_LEFT:
        break;
    }
    return 0;
}

// After a bump the board lies nearly as before: the turn that moves A1 least.
static int turns_by_history(const struct geometry *before, const struct geometry *upright)
{
    int best = 0;
    double best_distance = INFINITY, x0, y0;
    geometry_board_to_image(before, 0, 0, &x0, &y0);
    for (int k = 0; k < 4; k++) {
        struct geometry g = *upright;
        double x, y;
        geometry_turn(&g, k);
        if (g.columns != before->columns || g.rows != before->rows)
            continue;
        geometry_board_to_image(&g, 0, 0, &x, &y);
        const double distance = hypot(x - x0, y - y0);
        if (distance < best_distance) {
            best_distance = distance;
            best = k;
        }
    }
    return best;
}

// After a push the board has the lines it had.
static enum grid_lines known_lines(const struct geometry *before)
{
    if (!before)
        return GRID_LINES_ANY;
    return before->light_lines ? GRID_LINES_LIGHT : GRID_LINES_DARK;
}

static struct grid_request request_for(const struct vision_settings *t,
                                       const struct geometry *before)
{
    const bool sideways = turns_by_settings(t) & 1;
    return (struct grid_request){.columns = sideways ? t->rows : t->columns,
                                 .rows = sideways ? t->columns : t->rows,
                                 .lines = known_lines(before)};
}

static double marble_cells(const struct vision_settings *t)
{
    return t->stone_diameter / sqrt(t->pitch_x * t->pitch_y);
}

static int find_hollows(const struct vision_settings *t, const struct picture *p,
                        const struct geometry *before, struct grid_result *ret,
                        const char **ret_why)
{
    const struct hollows_request request = {.seam = t->seam / sqrt(t->pitch_x * t->pitch_y),
                                            .marble = marble_cells(t),
                                            .cell = before ? hollows_cell_px(before) : 0,
                                            .lens = t->lens};
    return hollows_find(p->luma, p->width, p->height, &request, ret, ret_why);
}

int locate_refine(const struct vision_settings *settings, const struct picture *p, bool fit_lens,
                  struct geometry *g, struct grid_result *ret)
{
    return settings->hollows
               ? hollows_refine(p->luma, p->width, p->height, marble_cells(settings), g, ret)
               : grid_refine(p->luma, p->width, p->height, fit_lens, g, ret);
}

int locate_half_turned(const struct vision_settings *settings, const struct picture *p,
                       const struct geometry *g, int *ret_block)
{
    if (settings->hollows)
        return hollows_half_turned(p->luma, p->width, p->height, marble_cells(settings), g,
                                   ret_block);
    *ret_block = -1;
    return 0;
}

// Finds the grid by its lines or its hollows and turns it so that A1 lies where the tags, the last
// geometry or the settings have it. With tags the lines are also looked for between them.
static int find_grid(const struct vision_settings *t, const struct picture *p,
                     const struct geometry *before, struct grid_result *ret, const char **ret_why)
{
    const struct grid_request request = request_for(t, before);
    int turns = turns_by_settings(t);
    struct tags tags = {0};
    int r = t->tags ? tags_find(p->luma, p->width, p->height, &tags) : 0;
    if (r == 0 && t->hollows)
        r = find_hollows(t, p, before, ret, ret_why);
    else if (r == 0)
        r = grid_find(p->luma, p->width, p->height, &request, ret, ret_why);
    struct geometry *g = &ret->geometry;
    const int by_tags = r == 0 ? tags_turns(&tags, g, &turns) : -EINVAL;
    if (!t->hollows && (r == -ENOENT || (r == 0 && by_tags == -EINVAL))) {
        r = tags_seed(&tags, p->luma, p->width, p->height, t->columns, t->rows, g);
        ret->score = 1; // four tags around it
        return r;
    }
    if (r == 0)
        geometry_turn(g, by_tags != 0 && before ? turns_by_history(before, g) : turns);
    return r;
}

int locate_board(const struct vision_settings *settings, const struct picture *p,
                 const struct geometry *before, double least_score, struct geometry *ret,
                 struct error *err)
{
    struct grid_result found;
    const char *why = "";
    int r = find_grid(settings, p, before, &found, &why);
    if (r == -ENOENT)
        return error_set(err, r, "no board of %dx%d %s was found: %s", settings->columns,
                         settings->rows, settings->hollows ? "hollows" : "lines", why);
    if (r != 0)
        return error_set(err, r, "the search for the board failed");
    if (found.score < least_score)
        return error_set(err, -ENOENT, "the board's lines are seen where they were");
    struct geometry g = found.geometry;
    const bool known_lens = settings->lens.fx > 0;
    if (known_lens)
        g.lens = settings->lens;
    else if (before)
        g.lens = before->lens;
    r = locate_refine(settings, p, !known_lens && !before, &g, &found);
    if (r != 0)
        return error_set(err, -ENOENT, "a grid was found, but its lines could not be fitted");
    *ret = g;
    return 0;
}

double locate_distance(const struct geometry *before, const struct geometry *now)
{
    const double u = now->columns - 1, v = now->rows - 1;
    double farthest = 0;
    for (int corner = 0; corner < 4; corner++) {
        double x0, y0, x1, y1;
        geometry_board_to_image(before, corner & 1 ? u : 0, corner & 2 ? v : 0, &x0, &y0);
        geometry_board_to_image(now, corner & 1 ? u : 0, corner & 2 ? v : 0, &x1, &y1);
        farthest = fmax(farthest, hypot(x1 - x0, y1 - y0));
    }
    return farthest / geometry_cell_px(now, u / 2, v / 2);
}
