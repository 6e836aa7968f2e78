// A Pentago board as it is sold: four blocks of nine round hollows on a base, each standing a
// little as the last turn left it. No lines anywhere.
#include <math.h>

#include "controller/sim/blocks.h"

#define GAP     0.9f  // mm between two blocks
#define CORNER  3.5f  // mm: radius of a block's corners
#define EDGE    1.3f  // mm of a block's edge that is rounded off
#define CHAMFER 0.9f  // mm of a hollow's rim that is broken
#define SHADE   4.0f  // mm a block's shadow reaches on those below it
#define DEPTH   0.46f // of a hollow, in its rim's radius

struct finish {
    struct rgb light, dark; // grain goes from one to the other
    float grain;            // how much it shows
    struct rgb hollow;      // times the surface: end grain and wear inside
};

static const struct finish FINISHES[SETUP_BLOCKS_KINDS] = {
    [SETUP_BLOCKS_BIRCH] = {{0.66f, 0.48f, 0.29f}, {0.50f, 0.33f, 0.17f}, 1, {0.86f, 0.82f, 0.76f}},
    [SETUP_BLOCKS_WALNUT] = {{0.22f, 0.12f, 0.065f},
                             {0.10f, 0.052f, 0.028f},
                             1,
                             {0.9f, 0.88f, 0.85f}},
    [SETUP_BLOCKS_BLACK] = {{0.032f, 0.032f, 0.034f}, {0.025f, 0.025f, 0.027f}, 0.3f, {1, 1, 1}},
    [SETUP_BLOCKS_RED] = {{0.36f, 0.030f, 0.026f}, {0.31f, 0.024f, 0.022f}, 0.3f, {1, 1, 1}},
    [SETUP_BLOCKS_WHITE] = {{0.74f, 0.73f, 0.70f}, {0.70f, 0.69f, 0.66f}, 0.3f, {1, 1, 1}},
};

static float coverage(float inside, float size)
{
    return clampf(inside / size + 0.5f, 0, 1);
}

// What is the same for all pixels of the board.
struct block_view {
    const struct setup_board *b;
    float pitch, half, rim; // mm; half a block's side, a hollow's radius
    float lamp_x, lamp_y;   // towards the lamp, mm a mm of height
    float soft;             // of the lamp's shadows, mm a mm of height
    float eye_x, eye_y;     // further from the eye, mm a mm of depth
};

static void view_of(const struct render *r, float x, float y, struct block_view *ret)
{
    const struct light *l = &r->light;
    const struct setup_board *b = &r->setup.board;
    *ret = (struct block_view){.b = b, .pitch = (float)b->pitch_x};
    ret->half = (float)(1.5 * b->pitch_x + b->seam / 2) - GAP / 2;
    ret->rim = (float)setup_hollow_radius(b, r->setup.stones.diameter);
    ret->lamp_x = ((float)l->lamp[0] - x) / (float)l->lamp[2];
    ret->lamp_y = ((float)l->lamp[1] - y) / (float)l->lamp[2];
    ret->soft = (float)(l->size / l->lamp[2]);
    ret->eye_x = (x - (float)r->view.eye[0]) / (float)r->view.eye[2];
    ret->eye_y = (y - (float)r->view.eye[1]) / (float)r->view.eye[2];
}

static struct rgb material(enum setup_blocks kind, int block, float x, float y)
{
    const struct finish *f = &FINISHES[kind];
    const float sx = x + 131.7f * (float)block, sy = y + 57.3f * (float)block;
    const float warp = texture_fractal(sx * 0.011f, sy * 0.035f, 3);
    const float grain = texture_fractal(sx * 0.02f, sy * 0.34f + 7 * warp, 3);
    const float pores = texture_noise(sx * 0.25f, sy * 2.3f);
    const float t =
        clampf(0.5f + f->grain * (1.5f * (grain - 0.5f) + 0.16f * (pores - 0.5f)), 0, 1);
    return mix_rgb(f->dark, f->light, t);
}

// Light of the lamp on a slope (rise a mm along x and y), a level face having 1.
static float lit(const struct block_view *v, float sx, float sy)
{
    const float n = sqrtf(1 + sx * sx + sy * sy);
    return maxf(0, 1 - sx * v->lamp_x - sy * v->lamp_y) / n;
}

// How deep the hollow is at `d` mm from its middle.
static float depth_at(const struct block_view *v, float d)
{
    const float h = DEPTH * v->rim, ball = (v->rim * v->rim + h * h) / (2 * h);
    return d >= v->rim ? 0 : sqrtf(ball * ball - d * d) - (ball - h);
}

// The inside of a hollow, seen through its opening at (x, y) from its middle.
static void hollow(const struct block_view *v, float x, float y, struct block_face *face)
{
    float qx = x, qy = y, depth = 0;
    for (int k = 0; k < 4; k++) { // the ray goes on until it meets the wall
        depth = depth_at(v, minf(sqrtf(qx * qx + qy * qy), v->rim));
        qx = x + v->eye_x * depth;
        qy = y + v->eye_y * depth;
    }
    const float h = DEPTH * v->rim, ball = (v->rim * v->rim + h * h) / (2 * h);
    const float d = minf(sqrtf(qx * qx + qy * qy), v->rim);
    const float fall = 1 / sqrtf(ball * ball - d * d);
    // Whether the rim stands between here and the lamp.
    const float ox = qx + v->lamp_x * depth, oy = qy + v->lamp_y * depth;
    const float out = v->rim - sqrtf(ox * ox + oy * oy);
    const float open = smoothf(-1, 1, out / (0.25f + v->soft * depth));
    face->lamp = lit(v, qx * fall, qy * fall) * open;
    face->ambient = 1 - 0.38f * depth / h;
    face->gloss = 0.25f;
}

// A block's upper side at (x, y) from its middle, turned with it; `inside` from its edge.
static void top(const struct block_view *v, float x, float y, float px, float inside,
                float turned_c, float turned_s, struct block_face *face)
{
    const float column = clampf(roundf(x / v->pitch), -1, 1),
                row = clampf(roundf(y / v->pitch), -1, 1);
    const float bx = x - column * v->pitch, by = y - row * v->pitch; // in the block's own turn
    const float hx = bx * turned_c - by * turned_s, hy = bx * turned_s + by * turned_c;
    const float d = sqrtf(hx * hx + hy * hy), within = coverage(v->rim - d, px);
    face->gloss = 1;
    face->lamp = face->ambient = 1;
    if (d < v->rim + CHAMFER && d > 0.1f) { // falls off towards the hollow
        const float steep = 0.7f * smoothf(v->rim + CHAMFER, v->rim, d);
        face->lamp = lit(v, hx / d * steep, hy / d * steep);
    } else if (inside < EDGE) { // and towards the outside
        const float steep = 0.9f * (1 - inside / EDGE) * (1 - inside / EDGE);
        const bool along_x = fabsf(x) > fabsf(y);
        const float ex = along_x ? copysignf(steep, x) : 0, ey = along_x ? 0 : copysignf(steep, y);
        face->lamp = lit(v, -(ex * turned_c - ey * turned_s), -(ex * turned_s + ey * turned_c));
        face->ambient = 1 - 0.25f * steep;
    }
    if (within <= 0)
        return;
    struct block_face in = {0};
    hollow(v, hx, hy, &in);
    face->lamp = mixf(face->lamp, in.lamp, within);
    face->ambient = mixf(face->ambient, in.ambient, within);
    face->gloss = mixf(1, in.gloss, within);
    face->albedo = mul_rgb(face->albedo,
                           mix_rgb((struct rgb){1, 1, 1}, FINISHES[v->b->made_of].hollow, within));
}

// The base: in the dark between the blocks, in their shadow beside them.
static void base(const struct block_view *v, float nearest, struct block_face *face)
{
    const struct rgb c = FINISHES[v->b->made_of].dark;
    const float narrow = smoothf(0, 3.5f, nearest);
    face->albedo = scale_rgb(c, 0.55f);
    face->lamp = 0.15f + 0.75f * narrow;
    face->ambient = 0.22f + 0.6f * narrow;
    face->gloss = 0;
}

// Adds `more` of another face to `share` of one.
static void blend(struct block_face *face, float share, const struct block_face *other, float more)
{
    const float t = more / (share + more);
    face->albedo = mix_rgb(face->albedo, other->albedo, t);
    face->lamp = mixf(face->lamp, other->lamp, t);
    face->ambient = mixf(face->ambient, other->ambient, t);
    face->gloss = mixf(face->gloss, other->gloss, t);
}

// The blocks at (x, y): how much of the pixel they cover, and from how near the nearest edge is
// where they do not. One that is being turned lies over the others.
static float draw_blocks(const struct render *r, const struct block_view *v, float x, float y,
                         float px, struct block_face *face, float *ret_nearest)
{
    float covered = 0;
    *ret_nearest = 1e9f;
    for (int n = 0; n < 2 * WORLD_BLOCKS && covered < 1; n++) {
        const int k = n % WORLD_BLOCKS;
        const bool turning = fabs(remainder(r->block[k], 90)) > 5;
        if (turning != (n < WORLD_BLOCKS))
            continue;
        double middle[2];
        setup_block_middle(v->b, k + 1, middle);
        // Clockwise turns, seen from above: the pixel is turned back into the block's own frame.
        const float angle = -(float)(r->block[k] * M_PI / 180), c = cosf(angle), s = sinf(angle);
        const float dx = x - (float)middle[0], dy = y - (float)middle[1];
        const float bx = dx * c + dy * s, by = dy * c - dx * s;
        const float inside = blocks_inside(bx, by, v->half, v->half, CORNER);
        *ret_nearest = minf(*ret_nearest, maxf(0, -inside));
        const float on = (1 - covered) * coverage(inside, px);
        if (on <= 0)
            continue;
        struct block_face own = {.albedo = material(v->b->made_of, k, bx, by)};
        top(v, bx, by, px, maxf(0, inside), c, s, &own);
        // The one on top shades those below it.
        if (*ret_nearest < SHADE && n >= WORLD_BLOCKS && inside > SHADE)
            own.lamp *= 1 - 0.4f * (1 - *ret_nearest / SHADE);
        blend(face, covered, &own, on);
        covered += on;
    }
    return covered;
}

float blocks_face(const struct render *r, float x, float y, float px, float inside,
                  struct block_face *face)
{
    struct block_view v;
    view_of(r, x, y, &v);
    *face = (struct block_face){0};
    if (inside < -v.half)
        return 0;
    float nearest;
    const float on = draw_blocks(r, &v, x, y, px, face, &nearest);
    const float under = (1 - on) * coverage(inside, px);
    if (under > 0) {
        struct block_face own;
        base(&v, nearest, &own);
        blend(face, on, &own, under);
    }
    return on + under;
}

float blocks_inside(float x, float y, float half_w, float half_h, float corner)
{
    const float qx = fabsf(x) - half_w + corner, qy = fabsf(y) - half_h + corner;
    const float ox = maxf(qx, 0), oy = maxf(qy, 0);
    return corner - sqrtf(ox * ox + oy * oy) - minf(maxf(qx, qy), 0);
}
