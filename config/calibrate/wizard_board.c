// The board: where its grid is in the picture, and how far its lines are apart.
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "config/calibrate/wizard.h"

enum { FRAMES = 3 }; // the best fit of so many counts

static const double LIMIT = 0.6; // px
// Hollows are shaded by the lamp, and their blocks have some play: each is seen less exactly than a
// crossing of lines. All of them together tell the grid to about a third of this.
static const double LIMIT_HOLLOWS = 0.08; // cells

static const char *corner_name(enum vision_a1 corner)
{
    static const char *const NAMES[] = {"bottom left", "bottom right", "top right", "top left"};
    return NAMES[corner];
}

static bool has_hollows(struct bench *b)
{
    return bench_settings(b)->board.points == SETTINGS_POINTS_HOLLOWS;
}

// A ruler along one edge is better than the sheet's own claim.
static int measure_pitch(struct bench *b, double *ret_x, double *ret_y)
{
    const struct settings_board *board = &bench_settings(b)->board;
    double size[2];
    settings_board_at(board, board->columns - 1, board->rows - 1, size);
    double width = size[0];
    double depth = size[1];
    const char *what = has_hollows(b) ? "from the middle of its first to that of its last hollow"
                                      : "from the first to the last line";
    char row[100];
    char column[100];
    (void)snprintf(row, sizeof row, "Length of row 1, %s, in mm", what);
    (void)snprintf(column, sizeof column, "Length of column A, %s, in mm", what);
    if (!bench_measure(b, row, width, &width) || !bench_measure(b, column, depth, &depth))
        return -ECANCELED;
    *ret_x = (width - board->seam) / (board->columns - 1);
    *ret_y = (depth - board->seam) / (board->rows - 1);
    return 0;
}

static void judge(struct bench *b, const struct geometry *g, struct wizard_result *ret)
{
    double cell = geometry_cell_px(g, (g->columns - 1) / 2.0, g->rows - 1);
    const char *corner = corner_name((enum vision_a1)bench_settings(b)->camera.a1);
    ret->figure = g->rms_px;
    ret->limit = has_hollows(b) ? LIMIT_HOLLOWS * cell : LIMIT;
    ret->passed = ret->figure <= ret->limit;
    if (ret->passed)
        (void)snprintf(ret->words, sizeof ret->words,
                       "A1 is at the %s of the picture, cells of %.0f px at the far side", corner,
                       cell);
    else if (has_hollows(b))
        (void)snprintf(ret->words, sizeof ret->words,
                       "the hollows are not seen where a board has them (A1 at the %s, cells of "
                       "%.0f px): push the blocks straight, give more even light, compare "
                       "board.pitch_x, pitch_y and seam with a ruler",
                       corner, cell);
    else
        (void)snprintf(ret->words, sizeof ret->words,
                       "the lines do not fit a flat board (A1 at the %s, cells of %.0f px): "
                       "lay it flat, weigh its corners down, calibrate the camera again",
                       corner, cell);
}

int wizard_board(struct bench *b, struct wizard_result *ret, struct error *err)
{
    struct calibration *c = bench_calibration(b);
    const struct settings *s = bench_settings(b);
    struct geometry best = {0};
    ret->what = "px RMS of the grid";
    ret->limit = LIMIT;
    bench_say(b, "The camera looks for the grid on the empty board. Nothing moves.");
    c->board.verdict.valid = false;
    double pitch_x;
    double pitch_y;
    int r = measure_pitch(b, &pitch_x, &pitch_y);
    if (r < 0)
        return error_set(err, r, "stopped");
    if (fabs(pitch_x - s->board.pitch_x) > 2 || fabs(pitch_y - s->board.pitch_y) > 2)
        return error_set(err, -EINVAL,
                         "pitches of %.2f x %.2f mm do not fit the settings' %.2f x %.2f: measure "
                         "again, or set board.pitch_x and board.pitch_y",
                         pitch_x, pitch_y, s->board.pitch_x, s->board.pitch_y);
    for (int i = 0; i < FRAMES; i++) {
        struct frame frame;
        struct geometry found = {0};
        bench_new_vision(b);
        struct vision *vision = bench_vision(b, err);
        r = vision ? bench_frame(b, &frame, err) : -EINVAL;
        if (r == 0)
            r = vision_locate(vision, &frame, &found, err);
        if (r < 0)
            return r;
        if (i == 0 || found.rms_px < best.rms_px)
            best = found;
    }
    best.pitch_x = pitch_x;
    best.pitch_y = pitch_y;
    c->board.geometry = best;
    c->board.a1 = (enum vision_a1)s->camera.a1;
    bench_new_vision(b);
    judge(b, &best, ret);
    if (bench_asks_nobody(b))
        return 0;
    char question[200];
    (void)snprintf(question, sizeof question,
                   "Is A1 (the left end of row 1, as the player sees it) at the %s of the picture?",
                   corner_name(c->board.a1));
    if (!bench_ask(b, question)) {
        ret->passed = false;
        (void)snprintf(ret->words, sizeof ret->words,
                       "set camera.a1 to the corner of the picture that is nearest to A1");
    }
    return 0;
}
