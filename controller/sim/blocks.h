// blocks: what a Pentago board of hollows looks like (setup_board.hollows). Inside of the renderer.
#pragma once

#include "controller/sim/render_private.h"

// A spot of the board: what it is made of, and how much light falls on it, a level one that nothing
// shades having 1.
struct block_face {
    struct rgb albedo;
    float lamp, ambient;
    float gloss; // of the setup's gloss
};

// The board at table point (x, y), `inside` mm from the edge of its base (< 0: outside), in a pixel
// px mm wide. Returns how much of the pixel it covers, 0 … 1.
float blocks_face(const struct render *r, float x, float y, float px, float inside,
                  struct block_face *ret);

// Distance inside (> 0) a rectangle about the origin with round corners.
float blocks_inside(float x, float y, float half_w, float half_h, float corner);
