// stones: what lies on each point, as likelihoods. Internal to the reader.
#pragma once

#include "vision/bare.h"
#include "vision/observation.h"
#include "vision/reader.h"
#include "vision/sampler.h"
#include "vision/surface.h"

enum { STONE_LOOKS = 6 };

struct stone_settings {
    int colours;
    bool transparent[OBSERVATION_COLOURS_MAX]; // the lines below show through
    float radius_u, radius_v;                  // of a stone, cells
    double diameter, height;                   // of a stone, mm
    bool hollows;                              // there are no lines; what is empty is a hollow
    float line_contrast; // log units: what a bare line's contrast was when learned
};

// Some stones are clear: how empty points look has to be known to see them.
bool stones_any_transparent(const struct stone_settings *settings);

// What was measured at one point.
struct stone_reading {
    bool blocked;                   // the surface around is covered by something foreign
    bool disc;                      // something round lies here
    float feature[VISION_FEATURES]; // at the disc's centre, or at the point when there is none
    float glint;                    // the brightest spot in it, against the surface; hollows only
    float score;                    // of the disc against its surroundings, 0..1
    float lines;                    // share of the four arms' contrast that is visible, about 0..1
    float second_line;              // the same of the second least visible arm
    float offset_u, offset_v;       // of the disc's centre from the point, cells (parallax removed)
    bool remembered;                // how the point looks when it is empty is known;
    float change; // then: how much like a disc of something new it differs from that, 0..1
    // Where a lamp is mirrored in the sheet: what `feature` may be without it.
    int looks;
    float look[STONE_LOOKS][VISION_FEATURES];
    // Where the disc lies far off the point and some stones are clear: the best one nearer to it. A
    // neighbour's stone may have outshone a stone that differs less from the surface.
    struct stone_disc {
        float score; // 0 = there is none
        float offset_u, offset_v;
        float feature[VISION_FEATURES];
    } nearer;
    float bare_feature[VISION_FEATURES]; // at the point itself
    float bare_score;
};

// Starting models by colour name: wide, until stones were seen.
void stones_default_models(const struct vision_settings *settings, struct vision_models *ret);

// Contrast of a bare line in this picture, log units.
float stones_line_contrast(const struct sampler *s, const struct picture *p);

// The starting models were made for light vinyl. On a surface of that look (mean log luma, cb and
// cr over luma) a stone that keeps its own look differs from what is around it otherwise. Changes
// only models that have learned nothing yet.
void stones_models_on(const float surface[VISION_FEATURES], struct vision_models *models);

void stones_measure(const struct stone_settings *settings, const struct sampler *s,
                    const struct surface *surface, const struct bare *bare, const struct picture *p,
                    int column, int row, struct stone_reading *ret);

// Remembers how the point looks now: it is empty.
void stones_remember(const struct sampler *s, const struct surface *surface,
                     const struct picture *p, int column, int row, struct bare *bare);

// Two points may see the same stone, lying between them: the nearer keeps it.
void stones_resolve(const struct stone_settings *settings, const struct sampler *s,
                    struct stone_reading *reading);

// Likelihoods of one reading.
void stones_judge(const struct stone_settings *settings, const struct vision_models *models,
                  const struct geometry *g, const struct stone_reading *reading,
                  struct observation_point *ret);

// Moves a colour's model towards a reading of a stone known to be of that colour, unless a lamp is
// mirrored there.
void stones_learn(const struct stone_settings *settings, struct vision_models *models, int colour,
                  const struct stone_reading *reading);
