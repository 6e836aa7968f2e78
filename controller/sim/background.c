// The empty table: wood, the printed sheet, trays, magazines, bowls. Drawn once for a pose.
#include <math.h>
#include <string.h>

#include "controller/sim/blocks.h"

enum { STRIDE = 4 };

#define TRAY_RIM     4.0f
#define STORE_HALF   21.0f
#define POCKET       9.0f
#define BOWL_RADIUS  47.0f
#define BOWL_RIM     4.5f
#define CORNER       7.0f // radius of the sheet's corners
#define BORDER       5.0f // the thin printed frame, from the sheet's edge
#define STAR_RADIUS  2.0f
#define SHEET_SHADOW 2.2f // mm its own shadow reaches
#define BASE_SHADOW  5.0f // … that of a Pentago board's base

struct place {
    float x, y;   // table point
    float px, py; // mm a pixel covers
};

static const struct {
    struct rgb sheet, ink, frame;
} SURFACES[SETUP_SURFACES] = {
    [SETUP_VINYL_CREAM] = {{0.78f, 0.70f, 0.53f}, {0.085f, 0.06f, 0.05f}, {0.42f, 0.24f, 0.12f}},
    [SETUP_VINYL_GREEN] = {{0.13f, 0.33f, 0.19f}, {0.72f, 0.72f, 0.62f}, {0.45f, 0.55f, 0.40f}},
    [SETUP_VINYL_BLACK] = {{0.055f, 0.055f, 0.06f}, {0.62f, 0.60f, 0.52f}, {0.40f, 0.32f, 0.15f}},
    [SETUP_WOOD] = {{0.62f, 0.40f, 0.19f}, {0.05f, 0.035f, 0.03f}, {0.30f, 0.16f, 0.07f}},
};

struct rgb stone_paint(enum stone_colour colour)
{
    static const struct rgb PAINT[STONE_COLOUR_COUNT] = {
        [STONE_CLEAR] = {0.5f, 0.55f, 0.55f},  [STONE_WHITE] = {0.8f, 0.8f, 0.78f},
        [STONE_BLACK] = {0.03f, 0.03f, 0.03f}, [STONE_RED] = {0.5f, 0.03f, 0.03f},
        [STONE_BLUE] = {0.03f, 0.08f, 0.5f},   [STONE_GREEN] = {0.03f, 0.3f, 0.08f},
        [STONE_AMBER] = {0.7f, 0.35f, 0.03f},
    };
    return PAINT[colour];
}

// Part of a pixel `size` mm wide that lies inside, `inside` mm from the edge.
static float coverage(float inside, float size)
{
    return clampf(inside / size + 0.5f, 0, 1);
}

// --- table top ---

static struct rgb table_top(float x, float y)
{
    const float plank = floor_to((y + 31) / 118);
    const float seam = fabsf((y + 31) / 118 - plank - 0.5f);
    const float shift = plank * 371.3f;
    const float warp = texture_fractal((x + shift) * 0.006f, y * 0.02f, 3);
    const float grain = texture_fractal((x + shift) * 0.012f, y * 0.23f + 9 * warp, 4);
    const float pores = texture_noise((x + shift) * 0.07f, y * 1.9f);
    float t = 0.25f + 0.75f * grain + 0.16f * (texture_hash((int32_t)plank, 7) - 0.5f);
    t *= 0.93f + 0.07f * pores;
    const struct rgb dark = {0.085f, 0.045f, 0.024f}, bright = {0.235f, 0.130f, 0.068f};
    struct rgb c = mix_rgb(dark, bright, clampf(t, 0, 1));
    return scale_rgb(c, 1 - 0.55f * smoothf(0.494f, 0.4995f, seam));
}

// --- the sheet ---

static float star_at(int n, int i)
{
    const int edge = n >= 13 ? 3 : 2;
    if (n < 9)
        return 0;
    return i == edge || i == n - 1 - edge || (n % 2 && i == n / 2);
}

// How much of the pixel is ink of the grid.
static float ink(const struct setup_board *b, const struct place *p)
{
    const float u = p->x / (float)b->pitch_x, v = p->y / (float)b->pitch_y;
    const float w = (float)(b->columns - 1) * (float)b->pitch_x;
    const float h = (float)(b->rows - 1) * (float)b->pitch_y, half = (float)b->line_width / 2;
    const float column = clampf(roundf(u), 0, (float)(b->columns - 1));
    const float row = clampf(roundf(v), 0, (float)(b->rows - 1));
    const float dx = fabsf(p->x - column * (float)b->pitch_x);
    const float dy = fabsf(p->y - row * (float)b->pitch_y);
    const float in_x = coverage(minf(p->x + half, w + half - p->x), p->px);
    const float in_y = coverage(minf(p->y + half, h + half - p->y), p->py);
    // A line thinner than a pixel covers only part of it.
    const float vertical = minf(coverage(half - dx, p->px), 2 * half / p->px) * in_y;
    const float horizontal = minf(coverage(half - dy, p->py), 2 * half / p->py) * in_x;
    float best = maxf(vertical, horizontal);
    if (star_at(b->columns, (int)column) * star_at(b->rows, (int)row) > 0)
        best = maxf(best, coverage(STAR_RADIUS - sqrtf(dx * dx + dy * dy), p->px));
    return best;
}

static struct rgb sheet(const struct setup_board *b, const struct place *p, float inside)
{
    struct rgb c = SURFACES[b->surface].sheet;
    if (b->surface == SETUP_WOOD) {
        const float warp = texture_fractal(p->x * 0.01f, p->y * 0.006f, 3);
        c = scale_rgb(c, 0.86f + 0.28f * texture_fractal(p->x * 0.3f + 12 * warp, p->y * 0.01f, 3));
    } else {
        // A woven back shows through the vinyl; it has been rolled up and used.
        const float weave = texture_noise(p->x * 1.3f, p->y * 1.3f) - 0.5f;
        const float used = texture_fractal(p->x * 0.018f, p->y * 0.018f, 3) - 0.5f;
        c = scale_rgb(c, 1 + 0.035f * weave + 0.07f * used);
    }
    const float frame = coverage(0.45f - fabsf(inside - BORDER), p->px);
    c = mix_rgb(c, SURFACES[b->surface].frame, 0.75f * frame);
    const float black = ink(b, p) * (0.90f + 0.10f * texture_noise(p->x * 0.9f, p->y * 0.9f));
    return mix_rgb(c, SURFACES[b->surface].ink, black);
}

// --- what stands around ---

static struct rgb tray(const struct setup_place *t, struct rgb under, const struct rgb paint,
                       float x, float y, float size, const struct light *light)
{
    const float hw = (float)t->width / 2, hh = (float)t->height / 2;
    const float inside = blocks_inside(x, y, hw + TRAY_RIM, hh + TRAY_RIM, 6);
    if (inside < -14)
        return under;
    under = scale_rgb(under, 1 - 0.45f * expf(minf(0, inside) / 4) * (inside < 0));
    if (inside < -size)
        return under;
    const float felt = blocks_inside(x, y, hw, hh, 3);
    const float fibre = texture_noise(x * 2.1f, y * 2.1f);
    struct rgb rim = {0.36f, 0.22f, 0.11f};
    rim = scale_rgb(rim, 0.85f + 0.3f * texture_fractal(x * 0.05f, y * 0.4f, 2));
    struct rgb cloth = mix_rgb((struct rgb){0.075f, 0.085f, 0.09f}, paint, 0.10f);
    cloth = scale_rgb(cloth, 0.85f + 0.3f * fibre);
    // The walls shade the felt on the lamp's side.
    const float lx = (float)(light->lamp[0] - light->centre_x) / 900;
    const float ly = (float)(light->lamp[1] - light->centre_y) / 900;
    const float wall = minf(hw - x * copysignf(1, lx), (hh - y * copysignf(1, ly)));
    cloth = scale_rgb(cloth, 0.55f + 0.45f * smoothf(0, 9, wall));
    struct rgb c = mix_rgb(rim, cloth, coverage(felt, size));
    return mix_rgb(under, c, coverage(inside, size));
}

static struct rgb magazine(struct rgb under, struct rgb paint, float x, float y, float size)
{
    const float inside = blocks_inside(x, y, STORE_HALF, STORE_HALF, 6);
    if (inside < -12)
        return under;
    if (inside < 0)
        under = scale_rgb(under, 1 - 0.4f * expf(inside / 4));
    const float d = sqrtf(x * x + y * y);
    struct rgb c = {0.30f, 0.31f, 0.33f};
    c = scale_rgb(c, 0.95f + 0.1f * texture_noise(x * 0.8f, y * 0.8f));
    c = mix_rgb(c, paint, coverage(1.1f - fabsf(d - POCKET - 4), size));
    c = mix_rgb(c, (struct rgb){0.10f, 0.10f, 0.11f}, coverage(POCKET - d, size));
    const float screw =
        sqrtf((fabsf(x) - 16) * (fabsf(x) - 16) + (fabsf(y) - 16) * (fabsf(y) - 16));
    c = mix_rgb(c, (struct rgb){0.10f, 0.10f, 0.10f}, coverage(1.8f - screw, size));
    return mix_rgb(under, c, coverage(inside, size));
}

static struct rgb bowl(struct rgb under, float x, float y, float size)
{
    const float d = sqrtf(x * x + y * y), inside = BOWL_RADIUS - d;
    if (inside < -16)
        return under;
    if (inside < 0)
        under = scale_rgb(under, 1 - 0.5f * expf(inside / 5));
    const float rings = texture_noise(d * 0.6f, 3) * 0.2f + texture_fractal(x * 0.03f, y * 0.2f, 3);
    struct rgb wood = mix_rgb((struct rgb){0.30f, 0.16f, 0.07f}, (struct rgb){0.50f, 0.29f, 0.14f},
                              clampf(rings, 0, 1));
    const float hollow = inside - BOWL_RIM;
    // Deeper is darker; the far wall catches the light.
    const float deep = smoothf(0, 26, hollow);
    struct rgb in = scale_rgb(wood, 0.72f - 0.34f * deep + 0.20f * (y / BOWL_RADIUS) * (1 - deep));
    const float edge = 1 + 0.35f * (1 - fabsf(inside - BOWL_RIM / 2) / BOWL_RIM * 2);
    struct rgb c = mix_rgb(scale_rgb(wood, edge), in, coverage(hollow, size));
    return mix_rgb(under, c, coverage(inside, size));
}

static struct rgb around(const struct render *r, const struct place *p)
{
    const struct table_setup *s = &r->setup;
    struct rgb c = table_top(p->x, p->y);
    const float *m = r->to_machine;
    const float mx = m[0] * p->x + m[1] * p->y + m[2], my = m[3] * p->x + m[4] * p->y + m[5];
    for (int i = 0; i < s->stones.colours; i++) {
        const struct rgb paint = stone_paint(s->stones.colour[i]);
        c = tray(&s->tray[i], c, paint, mx - (float)s->tray[i].x, my - (float)s->tray[i].y, p->px,
                 &r->light);
        c = magazine(c, paint, mx - (float)s->store[i].x, my - (float)s->store[i].y, p->px);
        c = bowl(c, p->x - (float)s->bowl[i].x, p->y - (float)s->bowl[i].y, p->px);
    }
    return c;
}

// --- all of it ---

static struct block_face face_of(const struct render *r, const struct place *p, float *ret_on_sheet)
{
    const struct setup_board *b = &r->setup.board;
    double size[2];
    setup_board_at(b, b->columns - 1, b->rows - 1, size);
    const float hw = (float)(size[0] / 2 + b->margin), hh = (float)(size[1] / 2 + b->margin);
    const float x = p->x - (float)r->light.centre_x, y = p->y - (float)r->light.centre_y;
    const float inside = blocks_inside(x, y, hw, hh, CORNER);
    struct block_face face = {.lamp = 1, .ambient = 1, .gloss = 1};
    const float on =
        b->hollows ? blocks_face(r, p->x, p->y, p->px, inside, &face) : coverage(inside, p->px);
    *ret_on_sheet = on;
    if (on > 0 && !b->hollows)
        face.albedo = sheet(b, p, inside);
    if (on < 1) {
        struct rgb c = around(r, p);
        const float thick = b->hollows ? BASE_SHADOW : SHEET_SHADOW;
        if (inside < 0 && inside > -5 * thick)
            c = scale_rgb(c, 1 - 0.45f * expf(inside / thick));
        face.albedo = mix_rgb(c, face.albedo, on);
        face.lamp = mixf(1, face.lamp, on);
        face.ambient = mixf(1, face.ambient, on);
    }
    face.gloss *= on;
    return face;
}

// The lamp mirrored in the vinyl: a broad sheen.
static float sheen(const struct render *r, const double at[3])
{
    const struct light *l = &r->light;
    double to_eye[3], to_lamp[3], half[3], n = 0, e = 0, h = 0;
    for (int a = 0; a < 3; a++) {
        to_eye[a] = r->view.eye[a] - at[a];
        to_lamp[a] = l->lamp[a] - at[a];
        e += to_eye[a] * to_eye[a];
        n += to_lamp[a] * to_lamp[a];
    }
    for (int a = 0; a < 3; a++) {
        half[a] = to_eye[a] / sqrt(e) + to_lamp[a] / sqrt(n);
        h += half[a] * half[a];
    }
    const double cosine = half[2] / sqrt(h);
    if (cosine < 0.9)
        return 0;
    return (float)(l->gloss * (0.10 * pow(cosine, 60) + 0.5 * pow(cosine, 700)));
}

static struct rgb shade_point(const struct render *r, const struct place *p, float z)
{
    const struct setup_board *b = &r->setup.board;
    struct rgb lamp, ambient;
    float on_sheet;
    const struct block_face face = face_of(r, p, &on_sheet);
    light_at(&r->light, p->x, p->y, z, &lamp, &ambient);
    float tilt = 1;
    if (on_sheet > 0 && (b->curl > 0 || b->ripple > 0)) {
        const double step = 2, x = p->x, y = p->y, h = world_sheet_height(b, x, y);
        const double sx = (world_sheet_height(b, x + step, y) - h) / step;
        const double sy = (world_sheet_height(b, x, y + step) - h) / step;
        const struct light *l = &r->light;
        const double lx = (l->lamp[0] - x) / l->lamp[2], ly = (l->lamp[1] - y) / l->lamp[2];
        tilt = (float)fmax(0.5, fmin(1.3, 1 - sx * lx - sy * ly));
    }
    struct rgb out = mul_rgb(
        face.albedo, add_rgb(scale_rgb(lamp, tilt * face.lamp), scale_rgb(ambient, face.ambient)));
    if (on_sheet > 0 && r->light.gloss > 0) {
        const double at[3] = {p->x, p->y, z};
        out = add_rgb(out, scale_rgb(lamp, face.gloss * sheen(r, at)));
    }
    return out;
}

// Fills in the table point behind every pixel: traced for one pixel in STRIDE × STRIDE, and between
// those bilinear, which errs by less than a hundredth of a millimetre.
static void ground_at(const struct render *r, double x, double y, float ret[2])
{
    double ray[3];
    view_ray(&r->view, x, y, ray);
    // Above the horizon: as far away as matters.
    const double t = ray[2] < -0.02 ? -r->view.eye[2] / ray[2] : r->view.eye[2] / 0.02;
    ret[0] = (float)(r->view.eye[0] + t * ray[0]);
    ret[1] = (float)(r->view.eye[1] + t * ray[1]);
}

static void trace_ground(struct render *r)
{
    for (int by = 0; by < r->height; by += STRIDE) {
        float right[2][2], left[2][2];
        ground_at(r, 0, by, right[0]);
        ground_at(r, 0, by + STRIDE, right[1]);
        for (int bx = 0; bx < r->width; bx += STRIDE) {
            memcpy(left, right, sizeof left);
            ground_at(r, bx + STRIDE, by, right[0]);
            ground_at(r, bx + STRIDE, by + STRIDE, right[1]);
            for (int k = 0; k < STRIDE * STRIDE; k++) {
                const int dx = k % STRIDE, dy = k / STRIDE;
                if (bx + dx >= r->width || by + dy >= r->height)
                    continue;
                const float u = (float)dx / STRIDE, v = (float)dy / STRIDE;
                const size_t i = pixel_at(r, bx + dx, by + dy);
                r->ground_x[i] =
                    mixf(mixf(left[0][0], right[0][0], u), mixf(left[1][0], right[1][0], u), v);
                r->ground_y[i] =
                    mixf(mixf(left[0][1], right[0][1], u), mixf(left[1][1], right[1][1], u), v);
            }
        }
    }
}

static struct place place_of(const struct render *r, int x, int y, float *ret_z)
{
    const size_t i = pixel_at(r, x, y);
    const size_t right = pixel_at(r, x + 1 < r->width ? x + 1 : x - 1, y);
    const size_t down = pixel_at(r, x, y + 1 < r->height ? y + 1 : y - 1);
    struct place p = {r->ground_x[i], r->ground_y[i], 0, 0};
    p.px = fabsf(r->ground_x[right] - p.x) + fabsf(r->ground_x[down] - p.x);
    p.py = fabsf(r->ground_y[right] - p.y) + fabsf(r->ground_y[down] - p.y);
    float z = 0;
    // A sheet that stands up is met sooner on the way down.
    for (int k = 0; k < 3; k++) {
        z = (float)world_sheet_height(&r->setup.board, p.x, p.y);
        if (z <= 0)
            break;
        const float t = z / (float)r->view.eye[2];
        p.x = r->ground_x[i] + ((float)r->view.eye[0] - r->ground_x[i]) * t;
        p.y = r->ground_y[i] + ((float)r->view.eye[1] - r->ground_y[i]) * t;
    }
    *ret_z = z;
    return p;
}

static void draw_in(struct render *r, struct rect a)
{
    for (int y = a.y0; y < a.y1; y++) {
        for (int x = a.x0; x < a.x1; x++) {
            float z;
            const struct place p = place_of(r, x, y, &z);
            const struct rgb c = scale_rgb(shade_point(r, &p, z), vignette(r, x, y));
            put_rgb(r, r->empty + 3 * pixel_at(r, x, y), c);
        }
    }
}

void background_draw(struct render *r)
{
    trace_ground(r);
    draw_in(r, (struct rect){0, 0, r->width, r->height});
}

void background_draw_board(struct render *r)
{
    const struct setup_board *b = &r->setup.board;
    const double beyond = b->margin + 10; // a block that turns reaches over the base
    double size[2];
    setup_board_at(b, b->columns - 1, b->rows - 1, size);
    draw_in(r, rect_of_box(r, (const double[3]){-beyond, -beyond, 0},
                           (const double[3]){size[0] + beyond, size[1] + beyond, 0}));
}
