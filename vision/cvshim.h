// cvshim: the only way to OpenCV. A few coarse functions, each a whole use case over plain buffers
// that the caller owns. None throws: whatever OpenCV throws ends here as -EIO (or -ENOMEM).
//
// OpenCV's own C interface no longer compiles as C in version 4.6 and is gone in version 5; its C++
// types would spread through the project. So this header is plain C and its one implementation is
// the only C++ file, and the only place that may ask for OpenCV's version.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A point where something was found, in pixels, and how strongly.
struct cvshim_spot {
    float x, y, strength;
};

// Shrinks (or copies) an 8-bit plane with area averaging; strides are the widths.
int cvshim_shrink(const uint8_t *src, int width, int height, uint8_t *dst, int dst_width,
                  int dst_height);

// log(luma + 4) smoothed by a Gaussian of `sigma` pixels (0: none), as floats of the same size:
// differences in it are ratios of light, the same in shade and in the sun.
int cvshim_log_luma(const uint8_t *src, int width, int height, double sigma, float *dst);

// Where two dark lines cross: local maxima of the smaller curvature of `image` (floats, as from
// cvshim_log_luma), strongest first, at most `max`. Returns how many, or a negative errno.
int cvshim_crossings(const float *image, int width, int height, struct cvshim_spot *ret, int max);

// Round things of about one size that are darker (sign < 0) or lighter (sign > 0) than what lies
// around them: peaks of the distance from the rim of the areas that differ by more than `contrast`
// (log units) from the median within `reach` pixels. `strength` is the radius. Returns how many.
int cvshim_discs(const float *image, int width, int height, int sign, double contrast, int reach,
                 double min_radius, struct cvshim_spot *ret, int max);

// The same, but against the lightest (sign < 0) or darkest of what lies within `reach` pixels all
// around: so they may cover most of a small board. Their own bright spots do not count.
int cvshim_studs(const float *image, int width, int height, int sign, double contrast, int reach,
                 double min_radius, struct cvshim_spot *ret, int max);

// Lens and focal length from `views` pictures of flat grids: board[i] (cells or mm) and image[i]
// (pixels), counts[v] points in view v one after the other. ret_lens: fx fy cx cy k1 k2 p1 p2 k3;
// ret_rms in pixels.
int cvshim_calibrate_lens(const float (*board)[2], const float (*image)[2], const int *counts,
                          int views, int width, int height, double ret_lens[9], double *ret_rms);

#ifdef __cplusplus
}
#endif
