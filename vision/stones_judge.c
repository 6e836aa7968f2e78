// What was measured at a point, weighed: how likely each class is; the colours' models.
#include <math.h>

#include "vision/stones.h"

void stones_default_models(const struct vision_settings *settings, struct vision_models *ret)
{
    // Against light vinyl; glass and resin stones of the shops' usual shades.
    static const struct vision_colour_model NAMED[STONE_COLOUR_COUNT] = {
        [STONE_CLEAR] = {{-0.15F, 0.00F, 0.00F}, {0.25F, 0.05F, 0.05F}, 0},
        [STONE_WHITE] = {{0.15F, 0.02F, -0.02F}, {0.20F, 0.06F, 0.06F}, 0},
        [STONE_BLACK] = {{-1.80F, 0.00F, 0.00F}, {0.60F, 0.15F, 0.15F}, 0},
        [STONE_RED] = {{-0.95F, -0.15F, 0.65F}, {0.50F, 0.20F, 0.35F}, 0},
        [STONE_BLUE] = {{-1.05F, 0.65F, -0.20F}, {0.50F, 0.40F, 0.20F}, 0},
        [STONE_GREEN] = {{-0.80F, -0.10F, -0.35F}, {0.50F, 0.20F, 0.20F}, 0},
        [STONE_AMBER] = {{-0.35F, -0.40F, 0.25F}, {0.35F, 0.25F, 0.20F}, 0},
    };
    *ret = (struct vision_models){.version = VISION_MODEL_VERSION, .colours = settings->colours};
    for (int k = 0; k < settings->colours; k++)
        ret->colour[k] = NAMED[settings->colour[k]];
}

void stones_models_on(const float surface[VISION_FEATURES], struct vision_models *models)
{
    static const float VINYL[VISION_FEATURES] = {5.25F, -0.09F, 0.03F};
    // How much of the difference may be the light's and the exposure's.
    static const float DOUBT[VISION_FEATURES] = {0.35F, 0.35F, 0.35F};
    for (int c = 0; c < models->colours; c++) {
        struct vision_colour_model *m = &models->colour[c];
        for (int k = 0; k < VISION_FEATURES && m->weight == 0; k++) {
            const float shift = VINYL[k] - surface[k];
            m->mean[k] += shift;
            m->deviation[k] = hypotf(m->deviation[k], DOUBT[k] * shift);
        }
    }
}

// Log density of a feature under a Gaussian with long tails, against a fixed unit.
static float log_density(float x, float mean, float deviation, float unit)
{
    const float z = (x - mean) / deviation;
    const float q = 0.5F * z * z;
    // Beyond four deviations the density falls like a power: one bad feature never decides alone.
    const float tail = q < 8 ? q : 8 + 2.5F * logf(q / 8);
    return -tail - logf(deviation / unit);
}

static float colour_density(const struct vision_colour_model *m, const float *feature)
{
    static const float UNIT[VISION_FEATURES] = {0.10F, 0.03F, 0.03F};
    float sum = 0;
    for (int k = 0; k < VISION_FEATURES; k++)
        sum += log_density(feature[k], m->mean[k], m->deviation[k], UNIT[k]);
    return sum;
}

// The likeliest way in which the mirrored lamp may have changed the stone's look, if one is there.
static float stone_density(const struct vision_colour_model *m, const struct stone_reading *r)
{
    float best = colour_density(m, r->feature);
    for (int k = 0; k < r->looks; k++)
        best = fmaxf(best, colour_density(m, r->look[k]));
    return best - logf(1 + (float)r->looks);
}

static float penalty(float excess, float deviation, float most)
{
    if (excess <= 0)
        return 0;
    const float z = excess / deviation;
    return -fminf(0.5F * z * z, most);
}

// A marble lies in its hollow; one that is clearly seen beside lies in the hollow of a block that
// stands askew or half turned: neither a marble on this point nor an empty hollow.
static float beside_hollow(const struct stone_reading *r)
{
    static const float CLEAR = 0.7F, ASIDE = 0.22F; // score; cells
    if (!r->disc || r->score < CLEAR)
        return 0;
    return penalty(hypotf(r->offset_u, r->offset_v) - ASIDE, 0.03F, 20);
}

// A hollow is round itself, and dark where the lamp does not shine in; never much lighter than what
// is around. Where its look is remembered, that says more.
static float hollow_likelihood(const struct stone_reading *r)
{
    static const struct vision_colour_model HOLLOW = {{-0.25F, 0, 0}, {0.22F, 0.05F, 0.05F}, 0};
    static const float LIGHTEST = 0.12F, GLINT = 0.15F; // log units
    const float change = r->remembered ? penalty(r->change - 0.36F, 0.07F, 9) : 0;
    // Marbles mirror the lamp, hollows do not.
    const float mirrors = penalty(r->glint - GLINT, 0.1F, 12);
    return colour_density(&HOLLOW, r->feature) + penalty(r->feature[0] - LIGHTEST, 0.08F, 10) +
           mirrors + change;
}

static float empty_likelihood(const struct stone_reading *r)
{
    static const struct vision_colour_model BARE = {{-0.03F, 0, 0}, {0.10F, 0.03F, 0.03F}, 0};
    // A stone's shadow darkens a bare point without tinting it; its lines stay visible.
    static const struct vision_colour_model SHADED = {{-0.35F, 0, 0}, {0.30F, 0.05F, 0.05F}, 0};
    const float bare = colour_density(&BARE, r->feature);
    const float shaded = colour_density(&SHADED, r->feature) - 1.0F;
    const float change = r->remembered ? penalty(r->change - 0.36F, 0.07F, 9) : 0;
    float round = penalty(r->score - 0.35F, 0.12F, 8) + change;
    // The edge of a mirrored lamp is round as well; the lines go on below it.
    if (r->looks && r->second_line > 0.6F)
        round = fmaxf(round, -3);
    return fmaxf(bare, shaded) + penalty(0.6F - r->second_line, 0.13F, 9) + round;
}

// A stone is round, hides the lines unless it is clear, and makes its point look otherwise than
// when it was empty.
static float shape_likelihood(const struct stone_reading *r, bool hollows, bool transparent)
{
    static const float MIRRORS = 0.35F; // log units
    const float change = r->remembered ? penalty(0.5F - r->change, 0.1F, 10) : 0;
    const float hides = transparent && r->remembered ? penalty(r->lines - 0.5F, 0.4F, 6)
                                                     : penalty(r->lines - 0.35F, 0.2F, 6);
    float round = penalty(0.72F - r->score, 0.13F, 10);
    // A marble as dark as its block is told by the lamp that it mirrors.
    if (hollows)
        round = fmaxf(round, penalty(MIRRORS - r->glint, 0.08F, 10));
    return round + hides + change;
}

static void soft_max(const struct stone_settings *t, struct observation_point *p)
{
    float best = -1e30F, sum = 0;
    for (int k = 0; k < OBSERVATION_CLASSES; k++) {
        if (k > t->colours && k != OBSERVATION_UNKNOWN)
            continue;
        if (p->log_likelihood[k] > best) {
            best = p->log_likelihood[k];
            p->best = (uint8_t)k;
        }
    }
    for (int k = 0; k < OBSERVATION_CLASSES; k++)
        if (k <= t->colours || k == OBSERVATION_UNKNOWN)
            sum += expf(p->log_likelihood[k] - best);
    p->confidence = 1 / sum;
}

void stones_judge(const struct stone_settings *settings, const struct vision_models *models,
                  const struct geometry *g, const struct stone_reading *reading,
                  struct observation_point *ret)
{
    static const float UNKNOWN = -17, IMPOSSIBLE = -60;
    const struct stone_reading *r = reading;
    *ret = (struct observation_point){0};
    for (int k = 0; k < OBSERVATION_CLASSES; k++)
        ret->log_likelihood[k] = IMPOSSIBLE;
    if (r->blocked) {
        // Nothing was seen: every class explains that equally well, "covered" best.
        for (int k = 0; k <= settings->colours; k++)
            ret->log_likelihood[k] = -5;
        ret->log_likelihood[OBSERVATION_UNKNOWN] = 0;
        soft_max(settings, ret);
        return;
    }
    ret->log_likelihood[0] = settings->hollows ? hollow_likelihood(r) : empty_likelihood(r);
    for (int k = 0; k < settings->colours; k++)
        ret->log_likelihood[k + 1] =
            stone_density(&models->colour[k], r) +
            shape_likelihood(r, settings->hollows, settings->transparent[k]);
    for (int k = 0; settings->hollows && k <= settings->colours; k++)
        ret->log_likelihood[k] += beside_hollow(r);
    ret->log_likelihood[OBSERVATION_UNKNOWN] = UNKNOWN;
    soft_max(settings, ret);
    if (ret->best >= 1 && ret->best <= settings->colours) {
        ret->offset_u = r->offset_u;
        ret->offset_v = r->offset_v;
        ret->offset_x = (float)(g->pitch_x * (double)r->offset_u);
        ret->offset_y = (float)(g->pitch_y * (double)r->offset_v);
    }
}

void stones_learn(const struct stone_settings *settings, struct vision_models *models, int colour,
                  const struct stone_reading *reading)
{
    // What lies below a clear stone looks different at every point.
    const bool transparent = settings->transparent[colour];
    static const float FLOOR[VISION_FEATURES] = {0.12F, 0.04F, 0.04F};
    static const float WEIGHT_MAX = 60;
    struct vision_colour_model *m = &models->colour[colour];
    if (reading->looks)
        return; // that is the lamp's look
    // The name's own wide model counts as four samples.
    const float rate = 1 / (m->weight + 4);
    for (int k = 0; k < VISION_FEATURES; k++) {
        const float d = reading->feature[k] - m->mean[k];
        m->mean[k] += rate * d;
        const float variance = (1 - rate) * (m->deviation[k] * m->deviation[k] + rate * d * d);
        m->deviation[k] = fmaxf(transparent ? 2 * FLOOR[k] : FLOOR[k], sqrtf(variance));
    }
    m->weight = fminf(m->weight + 1, WEIGHT_MAX);
}
