// The usual table, and unusual ones by seed.
#include "controller/sim/setup.h"

#include <math.h>

#include "config/base/rng.h"
#include "config/base/spacing.h"

static struct spacing columns_of(const struct setup_board *b)
{
    return (struct spacing){b->columns, b->pitch_x, b->seam};
}

static struct spacing rows_of(const struct setup_board *b)
{
    return (struct spacing){b->rows, b->pitch_y, b->seam};
}

void setup_board_at(const struct setup_board *b, double column, double row, double ret[2])
{
    const struct spacing columns = columns_of(b), rows = rows_of(b);
    ret[0] = spacing_at(&columns, column);
    ret[1] = spacing_at(&rows, row);
}

void setup_board_place(const struct setup_board *b, const double at[2], double *ret_column,
                       double *ret_row)
{
    const struct spacing columns = columns_of(b), rows = rows_of(b);
    *ret_column = spacing_place(&columns, at[0]);
    *ret_row = spacing_place(&rows, at[1]);
}

void setup_block_middle(const struct setup_board *b, int block, double ret[2])
{
    setup_board_at(b, block % 2 ? 1 : 4, block <= 2 ? 4 : 1, ret);
}

double setup_hollow_radius(const struct setup_board *b, double diameter)
{
    return fmin(0.54 * diameter, 0.44 * b->pitch_x);
}

static void default_camera(struct table_setup *s)
{
    s->camera = (struct setup_camera){
        .width = 1280,
        .height = 720,
        // In front of the person's side, looking down and away: the parked gantry stays behind the
        // board and never comes between it and the camera.
        .eye = {198, -98, 712},
        .target = {198, 210, 0},
        .roll_deg = 0.4,
        .lens = {.f = 1130,
                 .cx = 643.5,
                 .cy = 362.0,
                 .k1 = -0.11,
                 .k2 = 0.035,
                 .p1 = 0.0004,
                 .p2 = -0.0006},
        .fps = 15,
        .jpeg_quality = 88,
        .noise = 1.8,
        .vignetting = 0.22,
    };
}

void table_setup_default(struct table_setup *s)
{
    *s = (struct table_setup){
        .seed = 1,
        .board = {.kind = SETUP_BOARD_GRID,
                  .surface = SETUP_VINYL_CREAM,
                  .columns = 19,
                  .rows = 19,
                  .pitch_x = 22,
                  .pitch_y = 22,
                  .margin = 18,
                  .line_width = 0.9,
                  .askew = 0.4},
        .stones = {.colours = 2,
                   .colour = {STONE_BLUE, STONE_RED, STONE_GREEN, STONE_AMBER},
                   .diameter = 16,
                   .height = 8,
                   .spread = 0.015},
        .machine = {.a1_x = -498,
                    .a1_y = -468,
                    .rotation_deg = 0.15,
                    .scale = 1.0005,
                    .backlash = 0.06,
                    .travel = {600, 540, 60},
                    .feed_max = {200, 200, 50},
                    .accel = {1000, 1000, 300},
                    .pull_off = 2,
                    .surface_z = -50},
        .gripper = {.lateral_tolerance = 1.5, .height_tolerance = 0.8, .slip = 0.3},
        .light = {.lamp = {-330, 600, 760},
                  .lamp_size = 190,
                  .lamp_power = 1,
                  .ambient = 0.70,
                  .window = 0.16,
                  .window_from = 15,
                  .warmth = 0.35,
                  .gloss = 0.35},
        .person = {.scatter = 1.5, .move_s = 2.2, .hesitation = 0.12},
        .estop_cuts_power = true,
    };
    for (int c = 0; c < SETUP_COLOURS; c++) {
        // Colours 3 and 4 stand on the outside of 1 and 2.
        static const double Y[SETUP_COLOURS] = {-300, -200, -400, -100};
        s->store[c] = (struct setup_place){.x = -560, .y = Y[c], .count = 120};
        s->tray[c] = (struct setup_place){.x = -50, .y = Y[c], .width = 54, .height = 88};
        s->bowl[c] =
            (struct setup_place){.x = c % 2 ? 522 : -106, .y = c < 2 ? -4 : -106, .count = 120};
    }
    default_camera(s);
}

static void random_camera(struct table_setup *s, struct rng *rng)
{
    struct setup_camera *c = &s->camera;
    double size[2];
    setup_board_at(&s->board, s->board.columns - 1, s->board.rows - 1, size);
    const double w = size[0], h = size[1];
    const double tilt = rng_range(rng, 12, 38) * M_PI / 180, turn = rng_range(rng, -0.25, 0.25);
    c->lens.f = rng_range(rng, 900, 1500);
    // As near as shows the whole board with a little around it.
    const double distance = c->lens.f * (h + 110) / c->height * rng_range(rng, 1.0, 1.12);
    c->target[0] = w / 2 + rng_range(rng, -12, 12);
    c->target[1] = h / 2 + rng_range(rng, -4, 14);
    c->eye[0] = c->target[0] + distance * sin(tilt) * sin(turn);
    c->eye[1] = c->target[1] - distance * sin(tilt) * cos(turn);
    c->eye[2] = distance * cos(tilt);
    c->roll_deg = rng_range(rng, -4, 4);
    c->lens.cx = 640 + rng_range(rng, -12, 12);
    c->lens.cy = 360 + rng_range(rng, -12, 12);
    c->lens.k1 = rng_range(rng, -0.22, 0.06);
    c->lens.k2 = rng_range(rng, -0.02, 0.06);
    c->lens.p1 = rng_range(rng, -0.001, 0.001);
    c->lens.p2 = rng_range(rng, -0.001, 0.001);
    c->noise = rng_range(rng, 1.0, 3.5);
    c->blur = rng_range(rng, -0.6, 0.9);
    c->blur = fmax(0, c->blur);
    c->vignetting = rng_range(rng, 0, 0.4);
    c->jpeg_quality = 70 + (int)rng_below(rng, 26);
}

static void random_light(struct table_setup *s, struct rng *rng)
{
    struct setup_light *l = &s->light;
    l->lamp[0] = rng_range(rng, -500, 900);
    l->lamp[1] = rng_range(rng, -200, 900);
    l->lamp[2] = rng_range(rng, 700, 1800);
    l->lamp_size = rng_range(rng, 40, 300);
    l->ambient = rng_range(rng, 0.35, 2.0);
    l->window = rng_range(rng, 0, 0.4);
    l->window_from = rng_range(rng, 0, 360);
    l->warmth = rng_range(rng, 0, 1);
    l->gloss = rng_range(rng, 0, 0.8);
}

// Colours that somebody would really play with together.
static void random_stones(struct table_setup *s, struct rng *rng)
{
    static const enum stone_colour SETS[][SETUP_COLOURS] = {
        {STONE_BLUE, STONE_RED, STONE_GREEN, STONE_AMBER},
        {STONE_BLACK, STONE_WHITE, STONE_RED, STONE_BLUE},
        {STONE_CLEAR, STONE_BLUE, STONE_AMBER, STONE_GREEN},
        {STONE_GREEN, STONE_AMBER, STONE_BLUE, STONE_RED},
        {STONE_RED, STONE_CLEAR, STONE_BLUE, STONE_GREEN},
        {STONE_AMBER, STONE_BLUE, STONE_RED, STONE_GREEN},
    };
    const uint32_t set = rng_below(rng, sizeof SETS / sizeof SETS[0]);
    for (int c = 0; c < SETUP_COLOURS; c++)
        s->stones.colour[c] = SETS[set][c];
    s->stones.diameter = rng_range(rng, 14.5, 17.5);
    s->stones.height = s->stones.diameter * rng_range(rng, 0.42, 0.56);
    s->stones.spread = rng_range(rng, 0, 0.04);
}

void table_setup_random(uint64_t seed, struct table_setup *s)
{
    struct rng rng;
    table_setup_default(s);
    rng_seed(&rng, seed);
    s->seed = seed;
    // Clear and amber stones need a board they can be told from: black vinyl is for light ones.
    static const enum setup_surface SHEETS[] = {SETUP_VINYL_CREAM, SETUP_VINYL_CREAM, SETUP_WOOD,
                                                SETUP_VINYL_GREEN};
    s->board.surface = SHEETS[rng_below(&rng, sizeof SHEETS / sizeof SHEETS[0])];
    s->board.line_width = rng_range(&rng, 0.7, 1.3);
    s->board.margin = rng_range(&rng, 12, 19); // wider would lie under the trays
    s->board.curl = fmax(0, rng_range(&rng, -3, 3));
    s->board.ripple = fmax(0, rng_range(&rng, -0.8, 0.8));
    random_stones(s, &rng);
    random_camera(s, &rng);
    random_light(s, &rng);
    s->person.scatter = rng_range(&rng, 0.8, 2.2);
    s->person.move_s = rng_range(&rng, 1.6, 2.8);
    s->person.skin = (int)rng_below(&rng, 4);
    s->person.sleeve = (int)rng_below(&rng, 4);
    // Of a board of hollows; nobody plays with black marbles on black blocks, or white on white.
    static const enum setup_blocks BLOCKS[] = {SETUP_BLOCKS_BIRCH, SETUP_BLOCKS_BIRCH,
                                               SETUP_BLOCKS_WALNUT, SETUP_BLOCKS_RED};
    s->board.made_of = BLOCKS[rng_below(&rng, sizeof BLOCKS / sizeof BLOCKS[0])];
    s->board.askew = rng_range(&rng, 0, 0.8);
}

void setup_use_hollows(struct setup_board *b)
{
    static const double RIM = 4; // mm of the base that shows beside the blocks
    b->hollows = true;
    b->curl = b->ripple = 0;
    b->margin = (b->pitch_x + b->seam) / 2 + RIM;
}

void table_setup_pentago(uint64_t seed, struct table_setup *s)
{
    struct rng rng;
    struct setup_board *b = &s->board;
    rng_seed(&rng, seed ^ 0x70656e7461676f);
    b->kind = SETUP_BOARD_BLOCKS;
    b->columns = b->rows = 6;
    b->pitch_x = b->pitch_y = seed ? rng_range(&rng, 25, 32) : 28;
    b->seam = seed ? b->pitch_x * rng_range(&rng, 0.03, 0.40) : 5;
    setup_use_hollows(b);
    b->askew = seed ? rng_range(&rng, 0, 0.8) : 0.4;
    static const enum stone_colour SETS[][2] = {{STONE_BLACK, STONE_WHITE},
                                                {STONE_WHITE, STONE_BLACK},
                                                {STONE_BLACK, STONE_RED},
                                                {STONE_BLUE, STONE_RED}};
    const uint32_t set = seed ? rng_below(&rng, sizeof SETS / sizeof SETS[0]) : 0;
    s->stones.colours = 2;
    s->stones.colour[0] = SETS[set][0];
    s->stones.colour[1] = SETS[set][1];
    // White marbles on white blocks are not sold, nor are red ones on red.
    do
        b->made_of =
            seed ? (enum setup_blocks)rng_below(&rng, SETUP_BLOCKS_KINDS) : SETUP_BLOCKS_BIRCH;
    while ((b->made_of == SETUP_BLOCKS_RED && set >= 2) ||
           (b->made_of == SETUP_BLOCKS_WHITE && set < 2));
    s->stones.diameter = seed ? b->pitch_x * rng_range(&rng, 0.55, 0.68) : 17;
    s->stones.height = 0.5 * s->stones.diameter; // what stands out of the hollow
    s->stones.spread = 0.01;
    s->person.scatter = fmin(s->person.scatter, 1.5);
}

void table_setup_uncalibrated(uint64_t seed, struct table_setup *s)
{
    struct rng rng;
    table_setup_random(seed, s);
    rng_seed(&rng, seed ^ 0x63616c6962726174);
    struct setup_machine *m = &s->machine;
    // Who sets a plotter up lays the board flat; one that is not is a fault of its own.
    s->board.curl = fmin(s->board.curl, 1.0);
    s->board.ripple = fmin(s->board.ripple, 0.5);
    m->a1_x += rng_range(&rng, -3, 3);
    m->a1_y += rng_range(&rng, -3, 3);
    m->rotation_deg = rng_range(&rng, -0.6, 0.6);
    m->scale = rng_range(&rng, 0.997, 1.003);
    m->skew_deg = rng_range(&rng, -0.15, 0.15);
    m->backlash = rng_range(&rng, 0, 0.15);
    m->surface_z = rng_range(&rng, -51, -49);
}
