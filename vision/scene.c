#include "vision/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float DARK = 22;            // median luma below which colours can't be told
static const float OVEREXPOSED = 0.25F;  // share of the surface at full scale
static const float BLURRED = 0.35F;      // contrast of lines against what was learned
static const float LIGHT_JUMP = 0.05F;   // change of the surface's luma in one frame
static const float SHIFT_FOLLOW = 0.05F; // cells
static const float GRID_LOST = 0.4F;     // share of watched line pieces still seen
enum {
    FOREIGN_CELLS = 3, // connected cells that make a hand
    LOST_FRAMES = 3,
    COVERED_FRAMES = 15,
    SHIFTED_FRAMES = 6,
};

// Every second sample of every second row of the patch's middle: 13 samples in a quincunx.
static int signature_index(int k)
{
    static const int8_t AT[SIGNATURE][2] = {{0, 0},   {-3, 0}, {3, 0},  {0, -3}, {0, 3},
                                            {-2, -2}, {2, -2}, {-2, 2}, {2, 2},  {-4, -3},
                                            {4, 3},   {-3, 4}, {3, -4}};
    return (PATCH_HALF + AT[k][1]) * PATCH + PATCH_HALF + AT[k][0];
}

void scene_restart(struct scene_state_machine *m)
{
    memset(m, 0, sizeof *m);
    m->state = SCENE_MOVING;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// Mean difference of each point's samples from the frame before, after the common change of light
// was taken out.
static void compare_points(struct scene_state_machine *m, const struct sampler *s,
                           const struct picture *p, float gain, float difference[BOARD_POINTS_MAX])
{
    const int count = s->columns * s->rows;
    int index[SIGNATURE];
    for (int k = 0; k < SIGNATURE; k++)
        index[k] = signature_index(k);
    const int scale = (int)lroundf(gain * 256);
    for (int n = 0; n < count; n++) {
        int moved = 0, since_read = 0;
        for (int k = 0; k < SIGNATURE; k++) {
            const int now = p->luma[s->patch_luma[n][index[k]]];
            moved += abs(now - (m->signature[n][k] * scale >> 8));
            since_read += abs(now - m->read_signature[n][k]);
            m->signature[n][k] = (uint8_t)now;
        }
        difference[n] = (float)moved / SIGNATURE;
        m->point_changed[n] = !m->started || (float)since_read / SIGNATURE > 2.5F + 2 * m->noise;
        if (m->point_changed[n])
            memcpy(m->read_signature[n], m->signature[n], SIGNATURE);
    }
}

static float moved_share(struct scene_state_machine *m, const struct sampler *s,
                         const float difference[BOARD_POINTS_MAX])
{
    const int count = s->columns * s->rows;
    float sorted[BOARD_POINTS_MAX];
    memcpy(sorted, difference, (size_t)count * sizeof sorted[0]);
    qsort(sorted, (size_t)count, sizeof sorted[0], compare_floats);
    // The median is noise as long as less than half the board moves; it may rise only slowly.
    const float noise = sorted[count / 2];
    m->noise = m->noise == 0 ? fminf(noise, 6) : m->noise + 0.1F * (fminf(noise, 12) - m->noise);
    const float limit = 4 + 3 * m->noise;
    int moved = 0;
    for (int n = 0; n < count; n++)
        moved += difference[n] > limit;
    return (float)moved / (float)count;
}

static void judge_camera(struct scene_state_machine *m, const struct surface *surface,
                         const struct watch *w)
{
    // A hand hides lines too; but after a jolt, lines and stones lie where the surface was, and
    // that looks like a large hand. So a covered grid is looked for as well, only later.
    const bool covered = surface->foreign_count * 5 > surface->cells;
    const bool dark = surface->brightness < DARK, calm = m->motion == 0 && !dark;
    const bool lost = w->seen < GRID_LOST && calm;
    const float shift = hypotf(w->shift_u, w->shift_v);
    m->lost_frames = lost ? m->lost_frames + 1 : 0;
    m->shifted_frames = shift > SHIFT_FOLLOW && !lost && calm ? m->shifted_frames + 1 : 0;
    // Shifted by whole cells the lines fit again: after a jolt the whole board is looked for.
    const bool jolted = m->large_motion && calm && (shift > SHIFT_FOLLOW || covered || lost);
    m->want_search = m->lost_frames >= (covered ? COVERED_FRAMES : LOST_FRAMES) || jolted;
    if (m->large_motion && calm && !jolted)
        m->large_motion = false;
    m->want_refine = m->shifted_frames >= SHIFTED_FRAMES && !m->want_search && !m->large_motion;
}

static enum scene_state judge(const struct scene_state_machine *m, const struct scene_input *input,
                              const struct surface *surface, const struct watch *w)
{
    const bool foreign = surface->foreign_largest >= FOREIGN_CELLS;
    const enum scene_state hand = input->arm == VISION_ARM_OVER_BOARD ? SCENE_ARM : SCENE_HAND;
    if (surface->brightness < DARK)
        return SCENE_TOO_DARK;
    if (surface->overexposed > OVEREXPOSED)
        return SCENE_OVEREXPOSED;
    if (fabsf(surface->light_change) > LIGHT_JUMP)
        return SCENE_LIGHT;
    if (m->want_search || m->large_motion)
        return SCENE_CAMERA_MOVED;
    if (foreign)
        return hand;
    if (m->motion > 0)
        return input->arm == VISION_ARM_OVER_BOARD ? SCENE_ARM : SCENE_MOVING;
    if (w->learned > 0 && w->contrast < BLURRED * w->learned)
        return m->lost_frames > 0 && w->contrast < 0.02F ? SCENE_CAMERA_MOVED : SCENE_BLURRED;
    return SCENE_STILL;
}

void scene_update(struct scene_state_machine *m, const struct scene_input *input,
                  const struct sampler *s, const struct surface *surface, const struct watch *watch,
                  const struct picture *p)
{
    float difference[BOARD_POINTS_MAX];
    const float gain = 1 + fmaxf(-0.5F, fminf(1, surface->light_change));
    compare_points(m, s, p, m->started ? gain : 1, difference);
    m->motion = m->started ? moved_share(m, s, difference) : 0;
    m->now_ns = input->time_ns;
    if (m->motion > 0.7F && fabsf(surface->light_change) < LIGHT_JUMP)
        m->large_motion = true;
    judge_camera(m, surface, watch);
    const enum scene_state now = m->started ? judge(m, input, surface, watch) : SCENE_MOVING;
    m->started = true;
    if (now != SCENE_STILL) {
        m->state = now;
        m->quiet_frames = 0;
        return;
    }
    if (m->quiet_frames++ == 0)
        m->quiet_since_ns = input->time_ns;
    // What it was goes on until the picture has been quiet for long enough.
    if (m->quiet_frames >= input->still_frames &&
        input->time_ns - m->quiet_since_ns >= input->still_ns)
        m->state = SCENE_STILL;
    else if (m->state != SCENE_STILL)
        m->state = SCENE_MOVING;
}

void scene_report(const struct scene_state_machine *m, const struct surface *surface,
                  const struct watch *watch, struct scene *ret)
{
    *ret = (struct scene){.state = m->state,
                          .still_ns = m->state == SCENE_STILL ? m->now_ns - m->quiet_since_ns : 0,
                          .motion = m->motion,
                          .brightness = surface->brightness,
                          .overexposed = surface->overexposed,
                          .sharpness = watch->learned > 0 ? watch->contrast / watch->learned : 1,
                          .light_change = surface->light_change,
                          .camera_shift = hypotf(watch->shift_u, watch->shift_v)};
}
