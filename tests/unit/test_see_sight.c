// What one look tells a person and a program: sentences, the drawing, doubts at the limit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/cli/sight.h"

enum { LINES = 9 };

static const struct colour_names NAMES = {.name = {NULL, "blue", "red", "white"}};

static struct observation *looked(void)
{
    static struct observation o;
    memset(&o, 0, sizeof o);
    o.columns = o.rows = LINES;
    o.colours = 3;
    for (int n = 0; n < LINES * LINES; n++)
        o.point[n].confidence = 1;
    return &o;
}

static void set(struct observation *o, int column, int row, int class, float confidence)
{
    struct observation_point *p = &o->point[row * LINES + column];
    p->best = (uint8_t) class;
    p->confidence = confidence;
}

static void assert_says(const struct observation *o, const char *expected)
{
    struct sight s;
    char text[SIGHT_TEXT_MAX];
    sight_take(&s, o, NULL, false);
    assert_string_equal(sight_text(&s, &NAMES, text, sizeof text), expected);
}

static void test_sentences(void **state)
{
    (void)state;
    struct observation *o = looked();
    assert_says(o, "still: no stones; every point is sure");
    set(o, 0, 0, 2, 1);
    assert_says(o, "still: 1 stone, red; every point is sure");
    set(o, 1, 0, 2, 0.95F);
    assert_says(o, "still: 2 stones, all red; every point is sure");
    set(o, 8, 8, 1, 0.89F);
    assert_says(o, "still: 3 stones, 1 blue and 2 red; not sure of J9");
    set(o, 4, 4, 3, 1);
    set(o, 4, 5, OBSERVATION_UNKNOWN, 1); // covered: nobody knows
    assert_says(o, "still: 4 stones, 1 blue, 2 red and 1 white; not sure of E6 and J9");
    for (int x = 0; x < LINES; x++)
        set(o, x, 2, 0, 0.2F);
    assert_says(o, "still: 4 stones, 1 blue, 2 red and 1 white; not sure of A3, B3, C3, D3, E3 "
                   "and 6 more");
    for (int scene = SCENE_STILL + 1; scene < SCENE_STATE_COUNT; scene++) {
        o->scene.state = (enum scene_state)scene;
        assert_says(o, sight_scene_text(o->scene.state)); // nothing of the stones
        assert_true(strlen(sight_scene_text(o->scene.state)) > 10);
    }
}

// A point at the limit is one doubt, not ten lines a second.
static void test_doubts_do_not_flicker(void **state)
{
    (void)state;
    struct observation *o = looked();
    struct sight before, now;
    set(o, 3, 3, 1, 0.91F);
    sight_take(&before, o, NULL, false);
    assert_int_equal(before.doubts, 0);
    set(o, 3, 3, 1, 0.89F);
    sight_take(&now, o, &before, false);
    assert_int_equal(now.doubts, 1);
    assert_false(sight_same(&before, &now));
    before = now;
    set(o, 3, 3, 1, 0.91F);
    sight_take(&now, o, &before, false);
    assert_true(sight_same(&before, &now));
    set(o, 3, 3, 2, 0.91F); // another stone is another question
    sight_take(&now, o, &before, false);
    assert_int_equal(now.doubts, 0);
    set(o, 3, 3, 1, 0.96F);
    sight_take(&now, o, &before, false);
    assert_int_equal(now.doubts, 0);
    // Under a hand nobody cares for the stones.
    o->scene.state = SCENE_HAND;
    sight_take(&before, o, NULL, false);
    set(o, 5, 5, 2, 1);
    sight_take(&now, o, NULL, false);
    assert_true(sight_same(&before, &now));
    assert_false(sight_same_board(&before, &now));
}

static void test_drawings(void **state)
{
    (void)state;
    const struct board_style style = {.colours = NAMES};
    struct observation *o = looked();
    struct sight s;
    char text[BOARD_VIEW_MAX];
    set(o, 0, 8, 1, 1);
    set(o, 1, 8, 2, 0.5F);
    set(o, 8, 8, OBSERVATION_UNKNOWN, 1);
    sight_take(&s, o, NULL, false);
    board_view_seen(&s.board, &style, text, sizeof text);
    assert_non_null(strstr(text, "    A B C D E F G H J\n"
                                 " 9  X O?. . . . . . ??9\n"
                                 " 8  . . . . . . . . . 8\n"));
    o->columns = o->rows = 6; // Pentago's: rows of six from here on
    memset(o->point, 0, sizeof o->point);
    for (int n = 0; n < 36; n++)
        o->point[n].confidence = 1;
    o->point[32].best = 2; // third of the top row, at the seam
    o->point[32].confidence = 0.3F;
    sight_take(&s, o, NULL, true);
    board_view_seen(&s.board, &style, text, sizeof text);
    assert_non_null(strstr(text, "    block 1  block 2\n    . . O?   . . .\n    . . .    . . .\n"));
}

static void test_for_programs(void **state)
{
    (void)state;
    struct observation *o = looked();
    struct sight s;
    const char *point, *colour;
    double x, y, confidence;
    set(o, 2, 8, 1, 0.97F);
    o->point[8 * LINES + 2].offset_x = 1.5F;
    o->point[8 * LINES + 2].offset_y = -0.5F;
    set(o, 3, 8, 3, 1);
    set(o, 4, 8, OBSERVATION_UNKNOWN, 1);
    sight_take(&s, o, NULL, false);
    json_t *all = sight_json(&s, o, &NAMES);
    assert_int_equal(json_array_size(json_object_get(all, "rows")), LINES);
    assert_string_equal(json_string_value(json_array_get(json_object_get(all, "rows"), 0)),
                        "..UW?....");
    assert_int_equal(json_array_size(json_object_get(all, "stones")), 2);
    assert_int_equal(json_unpack(json_array_get(json_object_get(all, "stones"), 0),
                                 "{s:s, s:s, s:F, s:[F, F]}", "point", &point, "colour", &colour,
                                 "confidence", &confidence, "offset", &x, &y),
                     0);
    assert_string_equal(point, "C9");
    assert_string_equal(colour, "blue");
    assert_true(x > 1.4 && y < -0.4 && confidence > 0.96);
    assert_string_equal(json_string_value(json_array_get(json_object_get(all, "unsure"), 0)), "E9");
    json_decref(all);
    o->scene.state = SCENE_LIGHT;
    sight_take(&s, o, NULL, false);
    all = sight_json(&s, o, &NAMES);
    assert_string_equal(json_string_value(json_object_get(all, "scene")), "light changes");
    assert_null(json_object_get(all, "rows")); // what is not read is not told
    assert_non_null(json_object_get(json_object_get(all, "measures"), "light_change"));
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_doubts_do_not_flicker),
        cmocka_unit_test(test_drawings),
        cmocka_unit_test(test_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
