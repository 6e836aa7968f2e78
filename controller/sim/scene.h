// scene: what the camera can see of the world at one moment. Flat, so that it can be handed from
// the loop's thread to the one that reads the camera.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller/sim/world.h"

enum { SCENE_STONES_MAX = 700, SCENE_MOVING_MAX = 3 };

struct scene_stone {
    float x, y, z;        // centre of the underside, table frame mm
    float radius, height; // mm
    float turn;           // radians
    int16_t id;           // the same stone has the same id from scene to scene
    int16_t colour;       // enum stone_colour
};

// A lamp mirrored in the board's sheet and in what lies there.
struct scene_glare {
    double x, y;     // table frame, mm: its middle
    double radius;   // mm: where it has faded to about half
    double strength; // light added in the middle, 1 = white; 0 = none
};

struct scene {
    double eye[3], target[3], roll_deg; // the camera's pose now
    double light[3]; // gain of red, green and blue light: clouds, switched lamps, exposure
    double blur;     // σ px
    struct scene_glare glare;
    double tool[3];             // table frame: x, y, z of the cup's lip
    double block[WORLD_BLOCKS]; // degrees clockwise each has turned since the beginning
    struct world_hand hand;
    int stones, moving;
    struct scene_stone stone[SCENE_STONES_MAX];   // at rest; far ones first
    struct scene_stone carried[SCENE_MOVING_MAX]; // on the cup or in the hand
};

// What of the camera and the light changes while it runs; kept with the world.
struct scene_light {
    double bump[6]; // added to eye and target, mm
    double blur;    // σ px, besides the setup's
    double gain;    // of all light
    struct scene_glare glare;
    double cloud;     // depth of a passing cloud, 0 = none
    int64_t cloud_ns; // when it began
    double drift;     // brightness changed by this fraction a minute
    int64_t drift_ns; // since then
};

// Fills the scene from the world at t_ns. Bowls and magazines show the stones on top.
void scene_take(struct scene *scene, const struct world *world, const struct scene_light *light,
                int64_t t_ns);
