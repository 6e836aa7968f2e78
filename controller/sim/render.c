// A frame: layers, moving things, the sensor, compression.
#include "controller/sim/render.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/crc32c.h"
#include "config/base/rng.h"
#include "controller/sim/render_private.h"

enum { BLUR_MAX = 8 }; // pixels to each side

static void *picture(const struct render *r, size_t bytes_a_pixel)
{
    return calloc((size_t)r->width * (size_t)r->height, bytes_a_pixel);
}

static int make_noise(struct render *r)
{
    r->noise = malloc(NOISE_TILE);
    if (!r->noise)
        return -ENOMEM;
    struct rng rng;
    rng_seed(&rng, r->setup.seed ^ 0x6e6f697365);
    for (int i = 0; i < NOISE_TILE; i++) {
        const double v = r->setup.camera.noise * rng_gaussian(&rng);
        r->noise[i] = (int8_t)lrint(fmax(-100, fmin(100, v)));
    }
    return 0;
}

static void set_machine(struct render *r)
{
    double at[3][2];
    static const double FROM[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    for (int i = 0; i < 3; i++)
        world_table_to_machine(&r->setup, FROM[i], at[i]);
    for (int c = 0; c < 2; c++) {
        r->to_machine[3 * c] = (float)(at[1][c] - at[0][c]);
        r->to_machine[3 * c + 1] = (float)(at[2][c] - at[0][c]);
        r->to_machine[3 * c + 2] = (float)at[0][c];
    }
}

int render_new(const struct table_setup *setup, struct render **ret)
{
    struct render *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->setup = *setup;
    r->width = setup->camera.width;
    r->height = setup->camera.height;
    r->ground_x = picture(r, sizeof(float));
    r->ground_y = picture(r, sizeof(float));
    r->empty = picture(r, 3);
    r->still = picture(r, 3);
    r->work = picture(r, 3);
    r->out = picture(r, 3);
    r->jpeg = tjInitCompress();
    int result =
        !r->ground_x || !r->ground_y || !r->empty || !r->still || !r->work || !r->out || !r->jpeg
            ? -ENOMEM
            : make_noise(r);
    if (result == 0) {
        tone_set(r);
        light_set(r);
        set_machine(r);
    }
    if (result < 0) {
        render_free(r);
        return result;
    }
    *ret = r;
    return 0;
}

struct render *render_free(struct render *r)
{
    if (!r)
        return NULL;
    free(r->ground_x);
    free(r->ground_y);
    free(r->empty);
    free(r->still);
    free(r->work);
    free(r->out);
    free(r->noise);
    for (int i = 0; i < HAND_POSES; i++) {
        free(r->hand[i].rgba);
        free(r->hand[i].shadow);
    }
    for (int i = 0; i < CACHED_MAX; i++)
        tjFree(r->cached[i].data);
    if (r->jpeg)
        tjDestroy(r->jpeg);
    free(r);
    return NULL;
}

const uint8_t *render_pixels(const struct render *r)
{
    return r->out;
}

// --- layers ---

static void set_pose(struct render *r, const struct scene *scene)
{
    bool moved = !r->has_pose || r->roll_deg != scene->roll_deg;
    for (int a = 0; a < 3; a++)
        moved = moved || r->eye[a] != scene->eye[a] || r->target[a] != scene->target[a];
    if (moved) {
        view_set(&r->view, &r->setup.camera, scene->eye, scene->target, scene->roll_deg);
        memcpy(r->eye, scene->eye, sizeof r->eye);
        memcpy(r->target, scene->target, sizeof r->target);
        r->roll_deg = scene->roll_deg;
        r->has_pose = true;
    }
    bool turned = false;
    for (int b = 0; r->setup.board.hollows && b < WORLD_BLOCKS; b++) {
        turned = turned || r->block[b] != scene->block[b];
        r->block[b] = scene->block[b];
    }
    if (moved)
        background_draw(r);
    else if (turned)
        background_draw_board(r);
    stones_draw(r, scene, moved || turned);
}

static void copy_rect(const struct render *r, uint8_t *to, const uint8_t *from, struct rect a)
{
    for (int y = a.y0; y < a.y1; y++) {
        const size_t at = 3 * pixel_at(r, a.x0, y);
        memcpy(to + at, from + at, 3 * (size_t)(a.x1 - a.x0));
    }
}

static void draw_moving(struct render *r, const struct scene *scene)
{
    const struct rect all = {0, 0, r->width, r->height};
    copy_rect(r, r->work, r->still, all);
    if (scene->glare.strength > 0)
        light_glare(r, &scene->glare);
    gantry_shadow(r, scene->tool);
    if (scene->hand.present)
        hand_shadow(r, &scene->hand);
    for (int i = 0; i < scene->moving; i++)
        stone_draw(r, r->work, &scene->carried[i], all);
    if (scene->hand.present)
        hand_draw(r, &scene->hand);
    gantry_draw(r, scene->tool);
}

// --- the sensor ---

// sum[i] += tap · from[i]; the taps make 256 together, so 16 bits hold it.
static void add_tap(uint16_t *sum, const uint8_t *from, int tap, int n)
{
    const uint16_t t = (uint16_t)tap;
    for (int i = 0; i < n; i++)
        sum[i] = (uint16_t)(sum[i] + t * from[i]);
}

static void start_sum(uint16_t *sum, int n)
{
    for (int i = 0; i < n; i++)
        sum[i] = 128;
}

static void end_sum(const uint16_t *sum, uint8_t *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (uint8_t)(sum[i] >> 8);
}

static int clamp_line(int v, int n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}

// Blurs work in place: along lines into out, then across lines back. `tap` has half + 1 entries.
static void blur(struct render *r, const int *tap, int half, uint16_t *sum, uint8_t *padded)
{
    const int w = 3 * r->width, h = r->height;
    for (int y = 0; y < h; y++) {
        const uint8_t *line = r->work + (size_t)y * (size_t)w;
        for (int k = 0; k < half; k++) { // the edges go on
            memcpy(padded + (size_t)k * 3, line, 3);
            memcpy(padded + (size_t)(w + (half + k) * 3), line + w - 3, 3);
        }
        memcpy(padded + (size_t)half * 3, line, (size_t)w);
        start_sum(sum, w);
        for (int k = -half; k <= half; k++)
            add_tap(sum, padded + (size_t)(half + k) * 3, tap[abs(k)], w);
        end_sum(sum, r->out + (size_t)y * (size_t)w, w);
    }
    for (int y = 0; y < h; y++) {
        start_sum(sum, w);
        for (int k = -half; k <= half; k++)
            add_tap(sum, r->out + (size_t)clamp_line(y + k, h) * (size_t)w, tap[abs(k)], w);
        end_sum(sum, r->work + (size_t)y * (size_t)w, w);
    }
}

static int defocus(struct render *r, double sigma)
{
    int tap[BLUR_MAX + 1] = {0}, others = 0;
    const int half = (int)fmin(BLUR_MAX, ceil(2.5 * sigma));
    double total = 0;
    for (int k = -half; k <= half; k++)
        total += exp(-k * k / (2 * sigma * sigma));
    for (int k = 1; k <= half; k++) {
        tap[k] = (int)lrint(256 * exp(-k * k / (2 * sigma * sigma)) / total);
        others += 2 * tap[k];
    }
    tap[0] = 256 - others;
    const size_t w = 3 * (size_t)r->width;
    uint16_t *sum = malloc(w * sizeof *sum);
    uint8_t *padded = malloc(w + 6 * BLUR_MAX);
    if (sum && padded)
        blur(r, tap, half, sum, padded);
    const int result = sum && padded ? 0 : -ENOMEM;
    free(sum);
    free(padded);
    return result;
}

static void change_light(struct render *r, const double gain[3])
{
    uint8_t map[3][256];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 256; i++)
            map[c][i] = tone8(r, r->linear[i] * (float)gain[c]);
    const size_t n = 3 * (size_t)r->width * (size_t)r->height;
    for (size_t i = 0; i < n; i += 3) {
        r->work[i] = map[0][r->work[i]];
        r->work[i + 1] = map[1][r->work[i + 1]];
        r->work[i + 2] = map[2][r->work[i + 2]];
    }
}

// Each line gets another piece of the noise tile in every frame.
static void add_noise(struct render *r, uint32_t number)
{
    const int w = 3 * r->width;
    for (int y = 0; y < r->height; y++) {
        uint32_t h = number * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca6bu;
        h = (h ^ (h >> 15)) * 0xc2b2ae35u;
        const int8_t *noise = r->noise + (h >> 8) % (uint32_t)(NOISE_TILE - w);
        const uint8_t *from = r->work + (size_t)y * (size_t)w;
        uint8_t *to = r->out + (size_t)y * (size_t)w;
        for (int x = 0; x < w; x++) {
            const int v = from[x] + noise[x];
            to[x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    }
}

static int compress(struct render *r, unsigned char **data, unsigned long *size, struct error *err)
{
    // The handle remembers the last buffer it grew and frees it when it grows the next: with more
    // than one kept picture each must start from nothing.
    tjFree(*data);
    *data = NULL;
    *size = 0;
    if (tjCompress2(r->jpeg, r->out, r->width, 0, r->height, TJPF_RGB, data, size, TJSAMP_420,
                    r->setup.camera.jpeg_quality, TJFLAG_FASTDCT) < 0)
        return error_set(err, -EIO, "The simulated camera cannot compress its picture: %s.",
                         tjGetErrorStr2(r->jpeg));
    return 0;
}

// --- frames ---

static uint32_t scene_key(const struct scene *s, uint32_t noise)
{
    uint32_t key = crc32c(noise, s->eye, offsetof(struct scene, hand));
    const struct world_hand *h = &s->hand;
    if (h->present) {
        const double hand[5] = {h->x, h->y, h->z, h->angle, h->pinching};
        key = crc32c(key, hand, sizeof hand);
    }
    key = crc32c(key, s->stone, (size_t)s->stones * sizeof s->stone[0]);
    return crc32c(key, s->carried, (size_t)s->moving * sizeof s->carried[0]);
}

static int draw(struct render *r, const struct scene *scene, uint32_t noise)
{
    int result = scene->hand.present ? hand_sprites_make(r) : 0;
    if (result < 0)
        return result;
    set_pose(r, scene);
    draw_moving(r, scene);
    if (scene->light[0] != 1 || scene->light[1] != 1 || scene->light[2] != 1)
        change_light(r, scene->light);
    if (scene->blur > 0.05)
        result = defocus(r, scene->blur);
    add_noise(r, noise);
    return result;
}

int render_frame(struct render *r, const struct scene *scene, uint32_t sequence,
                 struct frame *frame, struct error *err)
{
    const int period = r->setup.camera.noise_frames;
    const uint32_t noise = period > 0 ? sequence % (uint32_t)period : sequence;
    const uint32_t key = scene_key(scene, noise);
    struct cached *c = &r->cached[noise % CACHED_MAX];
    if (period <= 0 || !c->valid || c->key != key) {
        c->valid = false;
        int result = draw(r, scene, noise);
        if (result < 0)
            return error_set(err, result, "Not enough memory for the simulated camera's picture.");
        result = compress(r, &c->data, &c->size, err);
        if (result < 0)
            return result;
        c->valid = true;
        c->key = key;
    }
    frame->data = c->data;
    frame->size = c->size;
    frame->width = r->width;
    frame->height = r->height;
    return 0;
}
