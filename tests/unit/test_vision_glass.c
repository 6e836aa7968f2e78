// Clear stones, and lamps mirrored in the board, on the simulated table's camera: what shows only
// against the look of the empty points, and what looks like a hand and is none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vision_rig.h"
#include "vision/bare.h"
#include "vision/rim.h"
#include "vision/veil.h"

enum { LINES = 19, PITCH = 22, STILL_FRAMES = 8 };

// A table with this sheet and these two kinds of stones, seen empty for a while.
static struct vision_rig *open_table(enum setup_surface surface, enum stone_colour first,
                                     enum stone_colour second)
{
    static const uint8_t NOTHING[LINES * LINES];
    struct table_setup setup;
    table_setup_default(&setup);
    setup.board.surface = surface;
    setup.stones.colour[0] = first;
    setup.stones.colour[1] = second;
    struct vision_rig *s = vision_rig_new(&setup);
    vision_expect(s->vision, NOTHING);
    vision_rig_look(s, 2 * STILL_FRAMES);
    assert_int_equal(s->seen.scene.state, SCENE_STILL);
    return s;
}

static void clear_stones_show_on(enum setup_surface surface)
{
    struct vision_rig *s = open_table(surface, STONE_BLUE, STONE_CLEAR);
    for (int k = 0; k < 12; k++) {
        const int column = (k * 7 + 3) % LINES, row = (k * 5 + 1) % LINES;
        assert_int_equal(table_put_stone(s->table, 2, PITCH * column + k % 3, PITCH * row), 0);
        vision_rig_look(s, STILL_FRAMES);
        assert_int_equal(vision_rig_wrong(s), 0);
    }
    vision_rig_free(s);
}

static void clear_stones_show_on_light_vinyl(void **state)
{
    (void)state;
    clear_stones_show_on(SETUP_VINYL_CREAM);
}

static void clear_stones_show_on_green_vinyl(void **state)
{
    (void)state;
    clear_stones_show_on(SETUP_VINYL_GREEN);
}

// The bright spot and the shadow of a clear stone lie away from the lamp: its centre does not.
static void a_clear_stone_lies_where_its_rim_is(void **state)
{
    (void)state;
    enum { STONES = 12 };
    static const uint8_t NOTHING[LINES * LINES];
    struct table_setup setup;
    double sum = 0;
    table_setup_random(4, &setup); // its lamp stands low
    setup.board.curl = setup.board.ripple = 0;
    setup.stones.colour[0] = STONE_CLEAR;
    setup.stones.colour[1] = STONE_BLUE;
    struct vision_rig *s = vision_rig_new(&setup);
    vision_expect(s->vision, NOTHING);
    vision_rig_look(s, 2 * STILL_FRAMES);
    for (int k = 0; k < STONES; k++)
        table_put_stone(s->table, 1, PITCH * ((k * 7 + 3) % LINES) + k % 3,
                        PITCH * ((k * 5 + 1) % LINES));
    vision_rig_look(s, STILL_FRAMES);
    for (int k = 0; k < STONES; k++) {
        const int n = (k * 5 + 1) % LINES * LINES + (k * 7 + 3) % LINES;
        const struct observation_point *p = &s->seen.point[n];
        assert_int_equal(p->best, 1);
        sum += hypot((double)p->offset_x - k % 3, (double)p->offset_y);
    }
    print_message("clear stones are seen %.2f mm off on the average\n", sum / STONES);
    assert_true(sum / STONES < 0.9);
    vision_rig_free(s);
}

// A picture of a pixel a millimetre, from straight above: a stone near the middle, and the shadow
// that it throws, hardly lighter.
enum { SIDE = 128, MIDDLE = SIDE / 2, SURFACE = 180, STONE = 90, SHADOW = 110 };

static uint8_t shade(double x, double y, const double at[2])
{
    const double stone = 8 - hypot(x - at[0], y - at[1]) + 0.5;
    const double shadow = 8 - hypot(x - at[0] - 5, y - at[1] + 4) + 0.5;
    const double s = fmin(fmax(stone, 0), 1), d = fmin(fmax(shadow, 0), 1);
    return (uint8_t)lround(s * STONE + (1 - s) * (d * SHADOW + (1 - d) * SURFACE));
}

static double off_by(float u, float v, const double at[2])
{
    return hypot(MIDDLE + PITCH * (double)u - at[0], MIDDLE - PITCH * (double)v - at[1]);
}

static void a_rim_is_found_beside_a_shadow(void **state)
{
    (void)state;
    static const double AT[2] = {MIDDLE + 3.5, MIDDLE - 2.8};
    static uint8_t luma[SIDE * SIDE];
    static struct sampler s;
    const double corner[4][2] = {{20, 108}, {108, 108}, {108, 20}, {20, 20}};
    assert_int_equal(geometry_from_corners(corner, 5, 5, SIDE, SIDE, &s.geometry), 0);
    s.geometry.pitch_x = s.geometry.pitch_y = PITCH;
    s.pose = (struct pose){.x = 2 * PITCH, .y = 2 * PITCH, .z = 1e6};
    for (int k = 0; k < SIDE * SIDE; k++)
        luma[k] = shade(k % SIDE, k / SIDE, AT); // NOLINT: whole pixels
    const struct picture picture = {.width = SIDE, .height = SIDE, .luma = luma};
    const struct rim_look look = {.column = 2,
                                  .row = 2,
                                  .diameter = 16,
                                  .height = 8,
                                  .surface = SAMPLER_LOG[SURFACE],
                                  .stone = SAMPLER_LOG[STONE] - SAMPLER_LOG[SURFACE]};
    struct rim_look clear = look; // darker or lighter, whatever differs
    clear.stone = 0;
    float u = 0.3F, v = 0;
    assert_true(rim_centre(&s, &picture, &look, &u, &v));
    assert_true(off_by(u, v, AT) < 0.5);
    u = 0.3F, v = 0;
    assert_true(rim_centre(&s, &picture, &clear, &u, &v));
    assert_true(off_by(u, v, AT) < 1);
    memset(luma, SHADOW, sizeof luma);
    u = 0.3F, v = 0;
    assert_false(rim_centre(&s, &picture, &look, &u, &v));
    assert_true(u == 0.3F && v == 0);
}

// Where the lamp is mirrored changes with every fault. Stones in its middle may be unknown; they
// are never taken for another colour, and the mirrored lamp is never taken for a hand.
static void a_mirrored_lamp_is_no_hand_on(enum setup_surface surface)
{
    struct vision_rig *s = open_table(surface, STONE_BLUE, STONE_RED);
    for (int k = 0; k < LINES; k++)
        table_put_stone(s->table, 1 + k % 2, PITCH * (k * 7 % LINES), PITCH * (k * 5 % LINES));
    vision_rig_look(s, STILL_FRAMES);
    for (int k = 0; k < 8; k++) {
        table_fault(s->table, FAULT_LIGHT_GLARE, 0.35);
        vision_rig_look(s, STILL_FRAMES);
        assert_int_equal(s->seen.scene.state, SCENE_STILL);
        assert_int_equal(vision_rig_wrong(s), 0);
    }
    vision_rig_free(s);
}

// Bold lines on a coloured board: the camera's chroma is coarser than they are.
static void bold_lines_are_no_stones(void **state)
{
    (void)state;
    struct table_setup setup;
    table_setup_uncalibrated(49, &setup);
    assert_int_equal(setup.board.surface, SETUP_WOOD);
    assert_int_equal(setup.stones.colour[0], STONE_CLEAR);
    struct vision_rig *s = vision_rig_new(&setup);
    vision_rig_look(s, 2 * STILL_FRAMES);
    assert_int_equal(vision_rig_wrong(s), 0);
    vision_rig_free(s);
}

// A noisy camera that compresses hard rounds chroma by many levels: that is no hand.
static void rounded_chroma_is_no_hand(void **state)
{
    (void)state;
    struct table_setup setup;
    table_setup_uncalibrated(23, &setup);
    assert_int_equal(setup.board.surface, SETUP_VINYL_GREEN);
    struct vision_rig *s = vision_rig_new(&setup);
    vision_rig_look(s, STILL_FRAMES);
    for (int column = 0; column < 19; column += 3)
        for (int row = 0; row < 19; row += 3)
            table_put_stone(s->table, 1 + (column + row) % 2, PITCH * column, PITCH * row);
    vision_rig_look(s, STILL_FRAMES);
    for (int k = 0; k < 4 * STILL_FRAMES; k++) {
        vision_rig_look(s, 1);
        assert_int_equal(s->seen.scene.state, SCENE_STILL);
    }
    vision_rig_free(s);
}

// Where a lamp is mirrored the lines are pale; that the point is empty is known all the same.
static void clear_stones_show_where_a_lamp_is_mirrored(void **state)
{
    (void)state;
    enum { COLUMN = 9, ROW = 12, CLEAR = 2 };
    static const uint8_t NOTHING[LINES * LINES];
    struct table_setup setup;
    table_setup_uncalibrated(24, &setup);
    assert_int_equal(setup.stones.colour[CLEAR - 1], STONE_CLEAR);
    struct vision_rig *s = vision_rig_new(&setup);
    vision_expect(s->vision, NOTHING);
    vision_rig_look(s, 2 * STILL_FRAMES);
    assert_int_equal(table_put_stone(s->table, CLEAR, PITCH * COLUMN, PITCH * ROW), 0);
    vision_rig_look(s, STILL_FRAMES);
    assert_int_equal(s->seen.point[ROW * LINES + COLUMN].best, CLEAR);
    vision_rig_free(s);
}

// A lamp that is mirrored in a coloured sheet when the board is seen for the first time: nobody
// knows yet how the board looks without it.
static void a_lamp_mirrored_from_the_start_is_no_hand(void **state)
{
    (void)state;
    struct table_setup setup;
    table_setup_uncalibrated(15, &setup);
    assert_int_equal(setup.board.surface, SETUP_VINYL_GREEN);
    struct vision_rig *s = vision_rig_new(&setup);
    vision_rig_look(s, 2 * STILL_FRAMES);
    assert_int_equal(s->seen.scene.state, SCENE_STILL);
    assert_int_equal(vision_rig_wrong(s), 0);
    vision_rig_free(s);
}

// A clear stone that touches a red one: the red one differs more from the sheet, and half of it
// lies in the clear one's patch.
static void a_clear_stone_is_seen_beside_a_stronger_one(void **state)
{
    (void)state;
    enum { RED = 1, CLEAR = 2, PAIRS = 16, APART = 17 };
    static const int ASIDE[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int wrong = 0;
    struct vision_rig *s = open_table(SETUP_VINYL_CREAM, STONE_RED, STONE_CLEAR);
    for (int k = 0; k < PAIRS; k++) {
        const int column = 2 + k % 4 * 5, row = 2 + k / 4 * 5;
        const int *aside = ASIDE[(k + k / 4) % 4];
        const double x = PITCH * column, y = PITCH * row, clear = k % 3 - 1, near = clear + APART;
        table_put_stone(s->table, CLEAR, x + clear * aside[0], y + clear * aside[1]);
        vision_rig_look(s, STILL_FRAMES);
        table_put_stone(s->table, RED, x + near * aside[0], y + near * aside[1]);
        vision_rig_look(s, STILL_FRAMES);
        wrong += vision_rig_wrong(s);
    }
    assert_int_equal(wrong, 0);
    vision_rig_free(s);
}

static void a_mirrored_lamp_is_no_hand_on_light_vinyl(void **state)
{
    (void)state;
    a_mirrored_lamp_is_no_hand_on(SETUP_VINYL_CREAM);
}

static void a_mirrored_lamp_is_no_hand_on_green_vinyl(void **state)
{
    (void)state;
    a_mirrored_lamp_is_no_hand_on(SETUP_VINYL_GREEN);
}

static void a_veil_is_even_light_and_can_be_lifted(void **state)
{
    (void)state;
    const struct veil_pixel green = {120, -0.05F, -0.12F};
    const struct veil_pixel skin = {150, -0.10F, 0.15F}, dark = {60, -0.05F, -0.12F};
    // A fifth of white added to each colour of the green.
    const struct veil_pixel veiled = {162.3F, -0.027F, -0.070F};
    float veil[3];
    assert_true(veil_between(green, veiled, veil));
    for (int k = 0; k < 3; k++) {
        assert_true(veil[k] > 0.17F && veil[k] < 0.23F);
    }
    const struct veil_pixel lifted = veil_lift(veiled, veil);
    assert_true(lifted.luma > 118 && lifted.luma < 122);
    assert_true(lifted.cr > -0.13F && lifted.cr < -0.11F);
    assert_true(veil_most(veiled, veil) > 1);
    assert_false(veil_between(green, skin, veil));
    assert_false(veil_between(green, dark, veil));
    assert_false(veil_between(green, green, veil));
}

static void a_look_is_remembered_and_followed(void **state)
{
    (void)state;
    static struct bare bare;
    float look[PATCH * PATCH], change[PATCH * PATCH];
    for (int k = 0; k < PATCH * PATCH; k++)
        look[k] = k % PATCH == PATCH_HALF ? -0.4F : 0; // a line
    assert_false(bare_compare(&bare, 5, look, change));
    bare_learn(&bare, 5, look);
    assert_true(bare_compare(&bare, 5, look, change));
    for (int k = 0; k < PATCH * PATCH; k++)
        assert_true(change[k] == 0);
    look[100] = 0.5F;
    assert_true(bare_compare(&bare, 5, look, change));
    assert_true(change[100] == 1 && change[101] == 0);
    for (int k = 0; k < 60; k++)
        bare_learn(&bare, 5, look);
    assert_true(bare_compare(&bare, 5, look, change));
    assert_true(change[100] == 0);
    bare_forget(&bare);
    assert_false(bare_compare(&bare, 5, look, change));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_veil_is_even_light_and_can_be_lifted),
        cmocka_unit_test(a_look_is_remembered_and_followed),
        cmocka_unit_test(a_rim_is_found_beside_a_shadow),
        cmocka_unit_test(a_clear_stone_lies_where_its_rim_is),
        cmocka_unit_test(clear_stones_show_on_light_vinyl),
        cmocka_unit_test(clear_stones_show_on_green_vinyl),
        cmocka_unit_test(bold_lines_are_no_stones),
        cmocka_unit_test(rounded_chroma_is_no_hand),
        cmocka_unit_test(clear_stones_show_where_a_lamp_is_mirrored),
        cmocka_unit_test(a_clear_stone_is_seen_beside_a_stronger_one),
        cmocka_unit_test(a_lamp_mirrored_from_the_start_is_no_hand),
        cmocka_unit_test(a_mirrored_lamp_is_no_hand_on_light_vinyl),
        cmocka_unit_test(a_mirrored_lamp_is_no_hand_on_green_vinyl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
