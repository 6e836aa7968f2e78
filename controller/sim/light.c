// Light: a lamp of some size, light from everywhere, a window; the camera's exposure and tone
// curve.
#include <math.h>

#include "controller/sim/render_private.h"

#define BOARD_WHITE 0.68f // linear level that a cream board is exposed to
#define CREAM       0.70f // its reflectance
#define KNEE        0.78f // above, highlights are compressed

static float encode(float v)
{
    return v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static float decode(float v)
{
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static float compress(float v)
{
    return v <= KNEE ? v : KNEE + (1 - KNEE) * (1 - expf(-(v - KNEE) / (1 - KNEE)));
}

static float expand(float v)
{
    return v <= KNEE ? v : KNEE - (1 - KNEE) * logf(maxf(1e-3f, 1 - (v - KNEE) / (1 - KNEE)));
}

void tone_set(struct render *r)
{
    for (int i = 0; i < TONE_STEPS; i++) {
        const float v = ((float)i + 0.5f) * TONE_TOP / TONE_STEPS;
        r->tone[i] = (uint8_t)lrintf(255 * clampf(encode(compress(v)), 0, 1));
    }
    for (int i = 0; i < 256; i++)
        r->linear[i] = expand(decode((float)i / 255));
    for (int s = 0; s <= SHADES; s++)
        for (int i = 0; i < 256; i++)
            r->shade[s][i] = tone8(r, r->linear[i] * (float)s / SHADES);
}

void light_set(struct render *r)
{
    const struct setup_light *s = &r->setup.light;
    const struct setup_board *b = &r->setup.board;
    struct light *l = &r->light;
    double size[2];
    setup_board_at(b, b->columns - 1, b->rows - 1, size);
    l->centre_x = size[0] / 2;
    l->centre_y = size[1] / 2;
    double d2 = 0;
    for (int a = 0; a < 3; a++) {
        l->lamp[a] = s->lamp[a];
        const double d = s->lamp[a] - (a == 0 ? l->centre_x : a == 1 ? l->centre_y : 0);
        d2 += d * d;
    }
    l->lamp_distance2 = d2;
    l->lamp_cosine = s->lamp[2] / sqrt(d2);
    l->size = s->lamp_size;
    l->window = s->window;
    l->window_x = cos(s->window_from * M_PI / 180);
    l->window_y = sin(s->window_from * M_PI / 180);
    l->gloss = s->gloss;
    // The camera exposes for the sum, so only the shares of lamp and ambient light matter.
    const double sum = s->lamp_power + s->ambient, white = BOARD_WHITE / CREAM;
    const float lamp = (float)(s->lamp_power / sum * white);
    const float ambient = (float)(s->ambient / sum * white);
    const float w = (float)s->warmth;
    l->lamp_share = (float)(s->lamp_power / sum);
    // White balance takes most of the lamp's colour away and gives the rest to the shadows.
    l->lamp_colour = (struct rgb){lamp * (1 + 0.10f * w), lamp, lamp * (1 - 0.16f * w)};
    l->ambient_colour = (struct rgb){ambient * (1 - 0.08f * w), ambient, ambient * (1 + 0.14f * w)};
}

void light_at(const struct light *l, double x, double y, double z, struct rgb *ret_lamp,
              struct rgb *ret_ambient)
{
    const double dx = l->lamp[0] - x, dy = l->lamp[1] - y, dz = l->lamp[2] - z;
    const double d2 = dx * dx + dy * dy + dz * dz;
    const double lamp = l->lamp_distance2 / d2 * (dz / sqrt(d2)) / l->lamp_cosine;
    const double side = ((x - l->centre_x) * l->window_x + (y - l->centre_y) * l->window_y) / 400;
    *ret_lamp = scale_rgb(l->lamp_colour, (float)lamp);
    *ret_ambient = scale_rgb(l->ambient_colour, (float)fmax(0.3, 1 + l->window * side));
}

struct rgb light_on(const struct light *l, const double at[3], const double normal[3])
{
    struct rgb lamp, ambient;
    light_at(l, at[0], at[1], at[2], &lamp, &ambient);
    double d[3], n2 = 0, cosine = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = l->lamp[a] - at[a];
        n2 += d[a] * d[a];
        cosine += d[a] * normal[a];
    }
    const double n = sqrt(n2);
    const double level = d[2] / n; // light_at() is for level surfaces
    const double face = fmax(0, cosine / n) / fmax(0.1, level);
    return add_rgb(scale_rgb(lamp, (float)face),
                   scale_rgb(ambient, (float)(0.6 + 0.4 * normal[2])));
}

float vignette(const struct render *r, int x, int y)
{
    const float dx = (float)x - (float)r->view.lens.cx, dy = (float)y - (float)r->view.lens.cy;
    const float d2 =
        (dx * dx + dy * dy) / ((float)(r->width * r->width + r->height * r->height) / 4);
    return 1 - (float)r->setup.camera.vignetting * d2 * (0.7f + 0.3f * d2);
}

// Light that the sheet mirrors is added to what lies under it, also to the stones.
void light_glare(struct render *r, const struct scene_glare *g)
{
    const double reach = 2.6 * g->radius;
    const double low[3] = {g->x - reach, g->y - reach, 0};
    const double high[3] = {g->x + reach, g->y + reach, 0};
    const struct rect area = rect_clip(r, rect_of_box(r, low, high));
    const float scale = (float)(1 / (1.44 * g->radius * g->radius));
    for (int y = area.y0; y < area.y1; y++) {
        for (int x = area.x0; x < area.x1; x++) {
            const size_t at = pixel_at(r, x, y);
            const float dx = r->ground_x[at] - (float)g->x, dy = r->ground_y[at] - (float)g->y;
            const float q = (dx * dx + dy * dy) * scale;
            if (q > 4.6F)
                continue;
            const float more = (float)g->strength * (expf(-q) - 0.01F);
            struct rgb c = get_rgb(r, r->work + 3 * at);
            c.r += more;
            c.g += more;
            c.b += more * 0.93F;
            put_rgb(r, r->work + 3 * at, c);
        }
    }
}
