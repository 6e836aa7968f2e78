// picture: one decoded image as it comes out of a JPEG or a camera: a luma plane and two chroma
// planes of the same or a lower resolution. Nothing is converted to RGB unless it is to be shown.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base/error.h"
#include "vision/frame_source.h"

enum { PICTURE_FRAME_SIDE_MAX = 4096 };

struct picture {
    int width, height;               // luma
    int chroma_width, chroma_height; // 0: grey picture
    uint8_t *luma;                   // stride = width
    uint8_t *cb, *cr;                // stride = chroma_width
    uint8_t *buffer;                 // owner of the planes
    size_t capacity;
};

struct picture_decoder;

int picture_decoder_new(struct picture_decoder **ret);
struct picture_decoder *picture_decoder_free(struct picture_decoder *decoder);

void picture_release(struct picture *picture); // frees the planes; leaves an empty picture

// Decodes a camera's frame; reuses the picture's buffer. Errors as vision_observe().
int picture_from_frame(struct picture_decoder *decoder, const struct frame *frame,
                       struct picture *picture, struct error *err);

// Decodes a photograph upright (EXIF orientation applied), shrunk by a power of two so that its
// longer side is at most `longest` (0: as it is). ret_scale = decoded width / original width.
// Errors as photo_read().
int picture_from_photo(struct picture_decoder *decoder, const uint8_t *bytes, size_t size,
                       int longest, struct picture *picture, double *ret_scale, struct error *err);

// Width and height of the upright photograph without decoding it. Errors as photo_read().
int picture_photo_size(struct picture_decoder *decoder, const uint8_t *bytes, size_t size,
                       int *ret_width, int *ret_height, struct error *err);

// EXIF orientation 1..8 of a JPEG file, 1 when it has none or a broken one.
int picture_exif_orientation(const uint8_t *bytes, size_t size);

// Bilinear samples; coordinates outside are clamped to the border.
double picture_luma_at(const struct picture *p, double x, double y);
// Chroma nearest to luma coordinates, 128 = neutral.
void picture_chroma_at(const struct picture *p, double x, double y, int *ret_cb, int *ret_cr);

// RGB of the whole picture, width*height*3 bytes (JFIF matrix).
void picture_to_rgb(const struct picture *p, uint8_t *rgb);
