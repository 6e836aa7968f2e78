// Pentago's small board found cold, with marbles all over it: it must be found where it is, or not
// at all - one line off, every marble would seem to have moved.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/rng.h"
#include "controller/sim/world.h"
#include "tests/unit/vision_rig.h"
#include "vision/hollows.h"
#include "vision/locate.h"
#include "vision/picture.h"

enum { LINES = 6, FRAMES = 6 };

static void pentago_table(bool random, uint64_t seed, struct table_setup *ret)
{
    if (random)
        table_setup_random(seed, ret);
    else
        table_setup_default(ret);
    ret->seed = seed;
    ret->board.kind = SETUP_BOARD_BLOCKS;
    ret->board.columns = ret->board.rows = LINES;
}

// So many marbles, `outer` of ten of them on the two rows along which the camera looks.
static void put_marbles(struct vision_rig *rig, uint64_t seed, int count, unsigned outer)
{
    struct rng rng;
    bool taken[LINES][LINES] = {{false}};
    rng_seed(&rng, seed);
    for (int k = 0; k < count;) {
        const uint32_t column = rng_below(&rng, LINES);
        const bool border = rng_below(&rng, 10) < outer;
        const uint32_t row = border ? (LINES - 1) * rng_below(&rng, 2) : rng_below(&rng, LINES);
        if (taken[row][column])
            continue;
        taken[row][column] = true;
        double at[2];
        setup_board_at(&rig->setup.board, column, row, at);
        assert_int_equal(table_put_stone(rig->table, 1 + k % 2, at[0], at[1]), 0);
        k++;
    }
}

// How far off a new reader finds it, cells; < 0: not at all.
static double found_cold(bool random, uint64_t seed, int count, unsigned outer)
{
    struct table_setup setup;
    pentago_table(random, seed, &setup);
    struct vision_rig *rig = vision_rig_new(&setup);
    put_marbles(rig, seed, count, outer);
    vision_rig_look(rig, FRAMES);
    const double error = vision_rig_grid_error(rig);
    vision_rig_free(rig);
    return error;
}

static void found_where_it_is(void **state)
{
    (void)state;
    static const struct {
        bool random;
        uint64_t seed;
        int count;
        unsigned outer;
    } CASES[] = {
        {false, 17, 20, 0}, // once found with lines between its lines
        {false, 22, 34, 0}, // between the marbles of a bowl
        {false, 2, 32, 0},  {false, 30, LINES * LINES, 0},
        {false, 41, 14, 8}, // the nearest and the farthest row full
        {true, 10, 10, 0},  // rims of marbles taken for crossings
        {true, 47, 20, 0},  // the frame taken for the border line
        {true, 25, 26, 0},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const double error =
            found_cold(CASES[k].random, CASES[k].seed, CASES[k].count, CASES[k].outer);
        print_message("%s table %d, %d marbles: %.2f cells off\n",
                      CASES[k].random ? "random" : "default", (int)CASES[k].seed, CASES[k].count,
                      error);
        assert_true(error >= 0 && error < 0.2);
    }
}

// The same view in fewer pixels; what is hard to see on a random table needs all of them.
static void make_smaller(struct setup_camera *camera)
{
    const double scale = 800.0 / camera->width;
    camera->width = 800;
    camera->height = (int)(camera->height * scale);
    camera->lens.f *= scale;
    camera->lens.cx *= scale;
    camera->lens.cy *= scale;
}

static void hollows_table(bool random, uint64_t seed, struct table_setup *ret)
{
    if (random)
        table_setup_random(seed, ret);
    else
        table_setup_default(ret);
    table_setup_pentago(random ? seed : 0, ret);
    ret->seed = seed;
    ret->camera.noise_frames = 2; // a scene that does not change costs little
    if (!random)
        make_smaller(&ret->camera);
}

// A board without lines, found by its hollows and marbles, and read.
static void hollows_are_found_and_read(void **state)
{
    (void)state;
    static const struct {
        bool random;
        uint64_t seed;
        int count;
    } CASES[] = {
        {true, 1, 7},   // white, hardly any contrast in its hollows
        {true, 5, 35},  // walnut; with so little seam that a row off nearly fits
        {true, 36, 30}, // black marbles on black blocks
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        struct table_setup setup;
        hollows_table(CASES[k].random, CASES[k].seed, &setup);
        struct vision_rig *rig = vision_rig_new(&setup);
        put_marbles(rig, CASES[k].seed, CASES[k].count, 0);
        vision_rig_look(rig, 3);
        const double error = vision_rig_grid_error(rig);
        print_message("%s hollows %d, %d marbles: %.3f cells off\n",
                      CASES[k].random ? "random" : "default", (int)CASES[k].seed, CASES[k].count,
                      error);
        assert_true(error >= 0 && error < 0.1);
        assert_int_equal(vision_rig_wrong(rig), 0);
        vision_rig_free(rig);
    }
}

// Where the board was tells how large its hollows are. A camera that has come much nearer since
// shows them larger: then they are looked for at any size.
static void hollows_are_found_at_any_size(void **state)
{
    (void)state;
    struct table_setup setup;
    hollows_table(false, 6, &setup);
    struct vision_rig *rig = vision_rig_new(&setup);
    put_marbles(rig, 6, 9, 0);
    struct picture_decoder *decoder;
    struct picture picture = {0};
    struct frame frame;
    assert_int_equal(picture_decoder_new(&decoder), 0);
    while (!vision_rig_frame(rig, &frame))
        ;
    assert_int_equal(picture_from_frame(decoder, &frame, &picture, NULL), 0);
    struct hollows_request request = {.seam = setup.board.seam / setup.board.pitch_x,
                                      .marble = setup.stones.diameter / setup.board.pitch_x};
    struct grid_result any, wrong;
    const char *why = "";
    const int width = picture.width, height = picture.height;
    assert_int_equal(hollows_find(picture.luma, width, height, &request, &any, &why), 0);
    request.cell = hollows_cell_px(&any.geometry) / 2.5;
    assert_int_equal(hollows_find(picture.luma, width, height, &request, &wrong, &why), 0);
    assert_true(locate_distance(&any.geometry, &wrong.geometry) < 0.01);
    picture_release(&picture);
    picture_decoder_free(decoder);
    vision_rig_free(rig);
}

// Half way round under the eye, a block's rim has neither marbles nor hollows where the board has
// them.
static void a_block_half_turned_is_seen(void **state)
{
    (void)state;
    struct table_setup setup;
    hollows_table(false, 100, &setup);
    struct vision_rig *rig = vision_rig_new(&setup);
    static const int8_t MARBLES[][2] = {{3, 3}, {5, 3}, {4, 4}, {0, 0}, {2, 4}, {4, 1}};
    vision_rig_look(rig, 5);
    for (size_t k = 0; k < sizeof MARBLES / sizeof MARBLES[0]; k++) {
        double at[2];
        setup_board_at(&setup.board, MARBLES[k][0], MARBLES[k][1], at);
        assert_int_equal(table_put_stone(rig->table, 1, at[0], at[1]), 0);
    }
    assert_int_equal(table_turn_block(rig->table, 2, 35), 0);
    vision_rig_look(rig, 6);
    assert_int_equal(rig->seen.half_turned, 4);
    int unknown = 0;
    for (int n = 0; n < LINES * LINES; n++) {
        const bool turned = n % LINES >= 3 && n / LINES >= 3;
        unknown += rig->seen.point[n].best == OBSERVATION_UNKNOWN;
        assert_true(turned || rig->seen.point[n].best != OBSERVATION_UNKNOWN);
    }
    assert_int_equal(unknown, HOLLOWS_RIM);
    assert_int_equal(rig->seen.point[4 * LINES + 4].best, 1); // its middle stays
    vision_rig_free(rig);
}

static void look_half_turned(struct vision_rig *rig, int block)
{
    static const float KNOWN = 0.9F;
    int unknown = 0;
    vision_rig_look(rig, 6);
    assert_in_range(vision_rig_grid_error(rig) * 1000, 0, 120);
    assert_int_equal(rig->seen.scene.state, SCENE_STILL);
    assert_int_equal(rig->seen.half_turned, 1 + block);
    for (int n = 0; n < LINES * LINES; n++) {
        const bool aside = hollows_on_rim(block, n);
        unknown += aside && rig->seen.point[n].best == OBSERVATION_UNKNOWN;
        assert_true(aside || rig->seen.point[n].confidence > KNOWN);
    }
    assert_int_equal(unknown, HOLLOWS_RIM);
}

// Turned until it rests, a block is read like the others.
static void turn_home(struct vision_rig *rig, int block, int degrees)
{
    const int home = degrees < 0 ? -90 : 90;
    assert_int_equal(table_turn_block(rig->table, block, home - degrees), 0);
    vision_rig_look(rig, 14);
    assert_int_equal(rig->seen.half_turned, 0);
    assert_int_equal(rig->seen.scene.state, SCENE_STILL);
    assert_int_equal(vision_rig_wrong(rig), 0);
}

// Nobody has seen where the board lies before one of its blocks was left half turned.
static void found_with_a_block_half_turned(void **state)
{
    (void)state;
    static const struct {
        bool random;
        uint64_t seed;
        int turned, degrees, block; // as rules and as vision count them
    } CASES[] = {{false, 911, 1, -45, 2}, {true, 3, 4, 20, 1}};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        struct table_setup setup;
        hollows_table(CASES[k].random, CASES[k].seed, &setup);
        struct vision_rig *rig = vision_rig_new(&setup);
        put_marbles(rig, CASES[k].seed, 11, 0);
        assert_int_equal(table_turn_block(rig->table, CASES[k].turned, CASES[k].degrees), 0);
        look_half_turned(rig, CASES[k].block);
        if (k == 0)
            turn_home(rig, CASES[k].turned, CASES[k].degrees);
        vision_rig_free(rig);
    }
}

// Sharpness, and whether the camera moved, are told by the seams. After a turn a block stands a
// little askew, and they are a little elsewhere, wider or narrower.
static void blocks_askew_are_no_blur(void **state)
{
    (void)state;
    enum { TURNS = WORLD_BLOCKS };
    struct table_setup setup;
    hollows_table(false, 27, &setup);
    struct vision_rig *rig = vision_rig_new(&setup);
    vision_rig_look(rig, 4);
    float sharpness = 1, shift = 0;
    for (int k = 0; k < TURNS; k++) {
        assert_int_equal(table_turn_block(rig->table, 1 + k, 90), 0);
        vision_rig_look(rig, 1);
        sharpness = fminf(sharpness, rig->seen.scene.sharpness);
        shift = fmaxf(shift, rig->seen.scene.camera_shift);
    }
    print_message("sharpness goes down to %.2f, the seams shift by %.3f cells\n", (double)sharpness,
                  (double)shift);
    assert_true(sharpness > 0.9F);
    assert_true(shift < 0.03F);
    vision_rig_look(rig, 4);
    assert_int_equal(rig->seen.scene.state, SCENE_STILL);
    vision_rig_free(rig);
}

// One row of hollows is beyond the picture's edge: what shows is no board.
static void hollows_cut_off_are_no_board(void **state)
{
    (void)state;
    struct table_setup setup;
    hollows_table(false, 4, &setup);
    setup.camera.target[1] += 32;
    setup.camera.eye[1] += 32;
    struct vision_rig *rig = vision_rig_new(&setup);
    put_marbles(rig, 4, 12, 0);
    vision_rig_look(rig, 1);
    assert_true(vision_rig_grid_error(rig) < 0);
    vision_rig_free(rig);
}

// The lines of one direction end beyond the picture's lower edge: five of six rows show. Nothing
// says that it is the nearest that is missing, so no board of six is found.
static void not_found_when_a_row_is_cut_off(void **state)
{
    (void)state;
    struct table_setup setup;
    pentago_table(false, 3, &setup);
    setup.camera.target[1] += 70;
    setup.camera.eye[1] += 70;
    struct vision_rig *rig = vision_rig_new(&setup);
    put_marbles(rig, 3, 18, 4);
    vision_rig_look(rig, FRAMES);
    assert_true(vision_rig_grid_error(rig) < 0);
    assert_int_equal(rig->seen.scene.state, SCENE_NO_BOARD);
    vision_rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_where_it_is),
        cmocka_unit_test(hollows_are_found_and_read),
        cmocka_unit_test(hollows_are_found_at_any_size),
        cmocka_unit_test(a_block_half_turned_is_seen),
        cmocka_unit_test(found_with_a_block_half_turned),
        cmocka_unit_test(blocks_askew_are_no_blur),
        cmocka_unit_test(hollows_cut_off_are_no_board),
        cmocka_unit_test(not_found_when_a_row_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
