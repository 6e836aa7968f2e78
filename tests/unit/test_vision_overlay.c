// The pictures for people: rings that close with the confidence, doubts in red, nothing drawn
// outside the picture.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vision/overlay.h"

enum { WIDTH = 640, HEIGHT = 520, LINES = 9, GREY = 128, CELL = 50 };

static const enum stone_colour COLOURS[2] = {STONE_BLUE, STONE_RED};

struct drawing {
    struct overlay canvas;
    struct geometry geometry;
    struct observation seen; // an empty board, every point sure
};

static void draw(struct drawing *d)
{
    memset(d->canvas.rgb, GREY, (size_t)WIDTH * HEIGHT * 3);
    overlay_observation(&d->canvas, &d->geometry, COLOURS, &d->seen);
}

// A board seen from straight above: cells of 50 pixels, the lowest line at y = 440.
static int set_up(void **state)
{
    struct drawing *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->canvas = (struct overlay){
        .width = WIDTH, .height = HEIGHT, .rgb = malloc((size_t)WIDTH * HEIGHT * 3)};
    assert_non_null(d->canvas.rgb);
    const double corners[4][2] = {{120, 440}, {520, 440}, {520, 40}, {120, 40}};
    assert_int_equal(geometry_from_corners(corners, LINES, LINES, WIDTH, HEIGHT, &d->geometry), 0);
    d->seen.columns = d->seen.rows = LINES;
    d->seen.colours = 2;
    for (int n = 0; n < LINES * LINES; n++)
        d->seen.point[n].confidence = 1;
    *state = d;
    return 0;
}

static int tear_down(void **state)
{
    struct drawing *d = *state;
    free(d->canvas.rgb);
    free(d);
    return 0;
}

static void set(struct drawing *d, int column, int row, int class, float confidence)
{
    struct observation_point *p = &d->seen.point[row * LINES + column];
    p->best = (uint8_t) class;
    p->confidence = confidence;
}

static const uint8_t *pixel(const struct drawing *d, double x, double y)
{
    return d->canvas.rgb + 3 * (lround(y) * WIDTH + lround(x));
}

static bool is_red(const uint8_t *p)
{
    return p[0] > 200 && p[1] < 60 && p[2] < 60;
}

static bool is_green(const uint8_t *p)
{
    return p[1] > 200 && p[0] < 160 && p[2] < 160;
}

// Which part of the ring round a point has this look, `out` cells from the middle.
static double part(const struct drawing *d, int column, int row, double out,
                   bool (*look)(const uint8_t *p))
{
    int hits = 0;
    for (int k = 0; k < 360; k++) {
        const double a = k * acos(-1) / 180;
        hits +=
            look(pixel(d, 120 + CELL * (column + out * sin(a)), 440 - CELL * (row + out * cos(a))));
    }
    return hits / 360.0;
}

static void rings_close_with_confidence(void **state)
{
    struct drawing *d = *state;
    static const float SURE[] = {0.91F, 0.93F, 0.95F, 0.97F, 0.983F, 1};
    double last = 0.4;
    for (int k = 0; k < 6; k++)
        set(d, 1 + k, 4, 1 + k % 2, SURE[k]);
    draw(d);
    for (int k = 0; k < 6; k++) {
        const double share = part(d, 1 + k, 4, 0.41, is_green);
        assert_true(k == 5 ? share >= last : share > last + 0.05);
        assert_true(part(d, 1 + k, 4, 0.41, is_red) == 0);
        last = share;
    }
    assert_true(last > 0.99);
    // From the top clockwise: what a ring lacks, it lacks at its left.
    assert_true(is_green(pixel(d, 120 + CELL * 1.41, 440 - CELL * 4)));
    assert_false(is_green(pixel(d, 120 + CELL * 0.59, 440 - CELL * 4 - 4)));
}

static void doubts_are_red(void **state)
{
    struct drawing *d = *state;
    set(d, 2, 2, 1, 0.5F);
    set(d, 4, 2, 2, 0.8F);
    set(d, 6, 2, 0, 0.6F); // empty, but not surely
    draw(d);
    for (int column = 2; column <= 6; column += 2) {
        assert_true(part(d, column, 2, 0.41, is_red) > 0.99);
        assert_true(part(d, column, 2, 0.41, is_green) == 0);
    }
    // The thick part tells how sure it is all the same.
    const double least = part(d, 2, 2, 0.46, is_red), more = part(d, 4, 2, 0.46, is_red);
    assert_true(least > 0.02 && least < 0.1);
    assert_true(more > 0.3 && more < 0.4);
}

static void dots_have_the_stones_colour_at_its_centre(void **state)
{
    struct drawing *d = *state;
    set(d, 2, 6, 1, 1);
    set(d, 5, 6, 2, 1);
    d->seen.point[6 * LINES + 5].offset_u = 0.3F;
    draw(d);
    const uint8_t *blue = pixel(d, 120 + CELL * 2, 440 - CELL * 6);
    const uint8_t *red = pixel(d, 120 + CELL * 5.3, 440 - CELL * 6);
    assert_true(blue[2] > 200 && blue[0] < 100);
    assert_true(red[0] > 200 && red[2] < 100);
}

static bool is_bare(const uint8_t *p)
{
    return p[0] == GREY && p[1] == GREY && p[2] == GREY;
}

// Sure and empty: only the grid's lines. Covered: neither sure nor a doubt.
static void sure_empty_points_stay_bare(void **state)
{
    struct drawing *d = *state;
    set(d, 4, 4, OBSERVATION_UNKNOWN, 0.2F);
    draw(d);
    assert_true(part(d, 2, 2, 0.41, is_bare) > 0.9);
    assert_true(part(d, 4, 4, 0.41, is_bare) > 0.9);
    assert_true(part(d, 4, 4, 0.12, is_bare) < 0.2);
}

// A board that reaches beyond the picture on every side, and a confidence that is no number.
static void draws_only_inside_the_picture(void **state)
{
    struct drawing *d = *state;
    const double corners[4][2] = {{-90, 560}, {700, 500}, {660, -60}, {-30, -10}};
    assert_int_equal(geometry_from_corners(corners, LINES, LINES, WIDTH, HEIGHT, &d->geometry), 0);
    for (int n = 0; n < LINES * LINES; n++)
        set(d, n % LINES, n / LINES, n % 7 ? n % 3 : OBSERVATION_UNKNOWN, n % 2 ? 1 : 0.6F);
    set(d, 4, 4, 1, NAN);
    draw(d); // the sanitizers watch
    assert_true(part(d, 4, 4, 0, is_bare) < 1);
}

// How many pixels of a part of the picture were drawn on.
static int drawn(const struct drawing *d, int x0, int y0, int x1, int y1)
{
    int count = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            count += !is_bare(pixel(d, x, y));
    return count;
}

// Every column and row has its name beside it, J follows H, and the scene is said in the corner,
// also where no board is found.
static void names_are_written(void **state)
{
    struct drawing *d = *state;
    draw(d);
    for (int i = 0; i < LINES; i++) {
        const int x = 120 + CELL * i, y = 440 - CELL * i;
        assert_true(drawn(d, x - 10, 440 + 30, x + 10, 440 + 55) > 40); // below row 1
        assert_true(drawn(d, 120 - 65, y - 10, 120 - 40, y + 10) > 20); // left of column A
    }
    int hooks = 0; // only a J has dots at its lower left
    for (int y = 484; y < 492; y++)
        hooks += pixel(d, 120 + CELL * 8 - 7, y)[0] == 255;
    assert_true(hooks >= 3);

    const int still = drawn(d, 0, 0, 300, 20);
    assert_true(still > 500);
    d->seen.scene.state = SCENE_HAND;
    draw(d);
    assert_true(drawn(d, 0, 0, 300, 20) < still / 2);
    memset(d->canvas.rgb, GREY, (size_t)WIDTH * HEIGHT * 3);
    d->seen.scene.state = SCENE_NO_BOARD;
    overlay_observation(&d->canvas, NULL, COLOURS, &d->seen);
    assert_true(drawn(d, 0, 0, 300, 20) > 300);
    assert_int_equal(drawn(d, 0, 20, WIDTH, HEIGHT), 0);
}

static void photographs_have_the_same_marks(void **state)
{
    struct drawing *d = *state;
    struct photo_result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->found = true;
    r->size = LINES;
    r->geometry = d->geometry;
    for (int y = 0; y < LINES; y++) {
        memset(r->row[y], '.', LINES);
        for (int x = 0; x < LINES; x++)
            r->confidence[y][x] = 1;
    }
    r->row[1][3] = 'B'; // the rows come from the top
    r->row[1][5] = 'W';
    r->unsure[1][5] = true; // however high the odds
    memset(d->canvas.rgb, GREY, (size_t)WIDTH * HEIGHT * 3);
    overlay_photo(&d->canvas, r);
    assert_true(part(d, 3, LINES - 2, 0.41, is_green) > 0.99);
    assert_true(part(d, 5, LINES - 2, 0.41, is_red) > 0.99);
    assert_true(part(d, 4, 4, 0.41, is_bare) > 0.9);
    free(r);
}

// A board of hollows has no lines to draw.
static void hollows_are_circles(void **state)
{
    struct drawing *d = *state;
    draw(d);
    assert_false(is_bare(pixel(d, 120 + CELL * 3.5, 440 - CELL * 3)));
    d->canvas.hollows = true;
    draw(d);
    assert_true(is_bare(pixel(d, 120 + CELL * 3.5, 440 - CELL * 3)));
    assert_true(part(d, 3, 3, 0.31, is_bare) < 0.2);
    assert_true(part(d, 3, 3, 0.2, is_bare) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rings_close_with_confidence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(doubts_are_red, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dots_have_the_stones_colour_at_its_centre, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sure_empty_points_stay_bare, set_up, tear_down),
        cmocka_unit_test_setup_teardown(draws_only_inside_the_picture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hollows_are_circles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(photographs_have_the_same_marks, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
