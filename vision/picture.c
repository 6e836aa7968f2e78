#include "vision/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include "vision/photo.h"

struct picture_decoder {
    tjhandle turbo;
    uint8_t *scratch; // for pictures that must pass through RGB or be turned upright
    size_t scratch_capacity;
};

struct jpeg_header {
    int width, height, subsampling, colourspace;
};

int picture_decoder_new(struct picture_decoder **ret)
{
    struct picture_decoder *d = calloc(1, sizeof *d);
    if (!d)
        return -ENOMEM;
    d->turbo = tjInitDecompress();
    if (!d->turbo) {
        free(d);
        return -ENOMEM;
    }
    *ret = d;
    return 0;
}

struct picture_decoder *picture_decoder_free(struct picture_decoder *decoder)
{
    if (decoder) {
        tjDestroy(decoder->turbo);
        free(decoder->scratch);
        free(decoder);
    }
    return NULL;
}

void picture_release(struct picture *picture)
{
    free(picture->buffer);
    *picture = (struct picture){0};
}

// Lays the planes out in the picture's one buffer, which only ever grows.
static int picture_shape(struct picture *p, int width, int height, int chroma_width,
                         int chroma_height)
{
    const size_t luma = (size_t)width * (size_t)height;
    const size_t chroma = (size_t)chroma_width * (size_t)chroma_height;
    if (p->capacity < luma + 2 * chroma) {
        uint8_t *buffer = realloc(p->buffer, luma + 2 * chroma);
        if (!buffer)
            return -ENOMEM;
        p->buffer = buffer;
        p->capacity = luma + 2 * chroma;
    }
    p->width = width;
    p->height = height;
    p->chroma_width = chroma_width;
    p->chroma_height = chroma_height;
    p->luma = p->buffer;
    p->cb = chroma ? p->buffer + luma : NULL;
    p->cr = chroma ? p->buffer + luma + chroma : NULL;
    return 0;
}

static int scratch_reserve(struct picture_decoder *d, size_t size)
{
    if (d->scratch_capacity >= size)
        return 0;
    uint8_t *scratch = realloc(d->scratch, size);
    if (!scratch)
        return -ENOMEM;
    d->scratch = scratch;
    d->scratch_capacity = size;
    return 0;
}

// After a fault in a header libjpeg takes the next picture for the rest of the broken one (seen in
// libjpeg-turbo 2.1): only a new decoder forgets it.
static void start_afresh(struct picture_decoder *d)
{
    tjhandle fresh = tjInitDecompress();
    if (fresh) {
        tjDestroy(d->turbo);
        d->turbo = fresh;
    }
}

static int header_fault(struct picture_decoder *d, struct error *err)
{
    const char *why = tjGetErrorStr2(d->turbo);
    const bool kind = strstr(why, "recision") || strstr(why, "nsupported") ||
                      strstr(why, "ubsampling") || strstr(why, "SOF");
    const int r = kind ? error_set(err, -ENOTSUP,
                                   "a kind of JPEG that can't be read here (%s); save it as an "
                                   "ordinary 8-bit JPEG",
                                   why)
                       : error_set(err, -EBADMSG, "the JPEG header is broken (%s)", why);
    start_afresh(d);
    return r;
}

static int read_header(struct picture_decoder *d, const uint8_t *bytes, size_t size,
                       struct jpeg_header *ret, struct error *err)
{
    if (size == 0)
        return error_set(err, -ENODATA, "the picture is empty (0 bytes)");
    if (size < 4 || bytes[0] != 0xFF || bytes[1] != 0xD8)
        return error_set(err, -EBADMSG,
                         "this is not a JPEG picture; save it as JPEG and try again");
    struct jpeg_header h = {0};
    if (tjDecompressHeader3(d->turbo, bytes, (unsigned long)size, &h.width, &h.height,
                            &h.subsampling, &h.colourspace) != 0)
        return header_fault(d, err);
    if (h.width < 1 || h.height < 1)
        return error_set(err, -EBADMSG, "the JPEG header gives a size of %dx%d", h.width, h.height);
    *ret = h;
    return 0;
}

// libjpeg goes on after faults and only warns. Stray bytes between markers are harmless (many
// phones write them); missing or damaged image data is not.
static int check_decode(struct picture_decoder *d, int result, struct error *err)
{
    if (result == 0)
        return 0;
    const char *why = tjGetErrorStr2(d->turbo);
    if (tjGetErrorCode(d->turbo) == TJERR_WARNING && strstr(why, "xtraneous"))
        return 0;
    const int r = strstr(why, "remature")
                      ? error_set(err, -EBADMSG, "the picture is cut off: its file ends too early")
                      : error_set(err, -EBADMSG, "the JPEG data are damaged (%s)", why);
    start_afresh(d);
    return r;
}

static bool planes_are_ycc(const struct jpeg_header *h)
{
    return h->colourspace == TJCS_YCbCr || h->colourspace == TJCS_GRAY;
}

static int decode_planes(struct picture_decoder *d, const uint8_t *bytes, size_t size,
                         const struct jpeg_header *h, int width, int height, struct picture *p,
                         struct error *err)
{
    const bool grey = h->colourspace == TJCS_GRAY || h->subsampling == TJSAMP_GRAY;
    const int cw = grey ? 0 : tjPlaneWidth(1, width, h->subsampling);
    const int ch = grey ? 0 : tjPlaneHeight(1, height, h->subsampling);
    // TurboJPEG pads the luma plane to whole chroma samples.
    const int lw = tjPlaneWidth(0, width, h->subsampling);
    const int lh = tjPlaneHeight(0, height, h->subsampling);
    if (picture_shape(p, lw, lh, cw, ch) != 0)
        return error_set(err, -ENOMEM, "out of memory for a picture of %dx%d", width, height);
    unsigned char *planes[3] = {p->luma, p->cb, p->cr};
    int strides[3] = {lw, cw, cw};
    return check_decode(d,
                        tjDecompressToYUVPlanes(d->turbo, bytes, (unsigned long)size, planes, width,
                                                strides, height, TJFLAG_LIMITSCANS),
                        err);
}

static uint8_t clamp_byte(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// RGB and CMYK JPEGs (rare: scanners, print shops) pass through four bytes a pixel.
static int decode_by_pixels(struct picture_decoder *d, const uint8_t *bytes, size_t size,
                            const struct jpeg_header *h, int width, int height, struct picture *p,
                            struct error *err)
{
    const bool cmyk = h->colourspace == TJCS_CMYK || h->colourspace == TJCS_YCCK;
    const size_t pixels = (size_t)width * (size_t)height;
    if (scratch_reserve(d, pixels * 4) != 0 || picture_shape(p, width, height, width, height) != 0)
        return error_set(err, -ENOMEM, "out of memory for a picture of %dx%d", width, height);
    const int r =
        check_decode(d,
                     tjDecompress2(d->turbo, bytes, (unsigned long)size, d->scratch, width, 0,
                                   height, cmyk ? TJPF_CMYK : TJPF_RGBX, TJFLAG_LIMITSCANS),
                     err);
    if (r != 0)
        return r;
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *s = d->scratch + 4 * i;
        // Adobe's CMYK is stored inverted, so that ink times black is the light left over.
        const int k = cmyk ? s[3] : 255;
        const int red = s[0] * k / 255, green = s[1] * k / 255, blue = s[2] * k / 255;
        p->luma[i] = clamp_byte((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
        p->cb[i] = clamp_byte(128 + ((-11059 * red - 21709 * green + 32768 * blue) >> 16));
        p->cr[i] = clamp_byte(128 + ((32768 * red - 27439 * green - 5329 * blue) >> 16));
    }
    return 0;
}

static int decode(struct picture_decoder *d, const uint8_t *bytes, size_t size,
                  const struct jpeg_header *h, int width, int height, struct picture *p,
                  struct error *err)
{
    return planes_are_ycc(h) ? decode_planes(d, bytes, size, h, width, height, p, err)
                             : decode_by_pixels(d, bytes, size, h, width, height, p, err);
}

static int from_yuyv(const struct frame *f, struct picture *p, struct error *err)
{
    if (f->width < 2 || f->height < 1 || f->width % 2 != 0)
        return error_set(err, -EBADMSG, "a YUYV frame of %dx%d", f->width, f->height);
    if (f->width > PICTURE_FRAME_SIDE_MAX || f->height > PICTURE_FRAME_SIDE_MAX)
        return error_set(err, -EMSGSIZE, "a frame of %dx%d is larger than %dx%d", f->width,
                         f->height, PICTURE_FRAME_SIDE_MAX, PICTURE_FRAME_SIDE_MAX);
    const size_t pairs = (size_t)f->width / 2 * (size_t)f->height;
    if (f->size < pairs * 4)
        return error_set(err, -EBADMSG, "half a frame: %zu of %zu bytes", f->size, pairs * 4);
    if (picture_shape(p, f->width, f->height, f->width / 2, f->height) != 0)
        return error_set(err, -ENOMEM, "out of memory for a frame");
    uint8_t *cb = p->luma + 2 * pairs, *cr = cb + pairs; // as picture_shape() laid them out
    for (size_t i = 0; i < pairs; i++) {
        p->luma[2 * i] = f->data[4 * i];
        cb[i] = f->data[4 * i + 1];
        p->luma[2 * i + 1] = f->data[4 * i + 2];
        cr[i] = f->data[4 * i + 3];
    }
    return 0;
}

int picture_from_frame(struct picture_decoder *decoder, const struct frame *frame,
                       struct picture *picture, struct error *err)
{
    if (frame->format == FRAME_YUYV)
        return from_yuyv(frame, picture, err);
    struct jpeg_header h = {0};
    const int r = read_header(decoder, frame->data, frame->size, &h, err);
    if (r != 0)
        return r == -ENODATA || r == -ENOTSUP ? -EBADMSG : r;
    if (h.width > PICTURE_FRAME_SIDE_MAX || h.height > PICTURE_FRAME_SIDE_MAX)
        return error_set(err, -EMSGSIZE, "a frame of %dx%d is larger than %dx%d", h.width, h.height,
                         PICTURE_FRAME_SIDE_MAX, PICTURE_FRAME_SIDE_MAX);
    return decode(decoder, frame->data, frame->size, &h, h.width, h.height, picture, err);
}

// --- photographs ---------------------------------------------------------------------------------

static int read_photo_header(struct picture_decoder *d, const uint8_t *bytes, size_t size,
                             struct jpeg_header *ret, struct error *err)
{
    if (size > PHOTO_BYTES_MAX)
        return error_set(err, -EMSGSIZE, "the file is larger than %d MiB", PHOTO_BYTES_MAX >> 20);
    const int r = read_header(d, bytes, size, ret, err);
    if (r != 0)
        return r;
    if ((int64_t)ret->width * ret->height > PHOTO_PIXELS_MAX)
        return error_set(err, -EMSGSIZE, "a picture of %dx%d has more than %d megapixels",
                         ret->width, ret->height, PHOTO_PIXELS_MAX / 1000000);
    return 0;
}

int picture_photo_size(struct picture_decoder *decoder, const uint8_t *bytes, size_t size,
                       int *ret_width, int *ret_height, struct error *err)
{
    struct jpeg_header h = {0};
    const int r = read_photo_header(decoder, bytes, size, &h, err);
    if (r != 0)
        return r;
    const bool sideways = picture_exif_orientation(bytes, size) >= 5;
    *ret_width = sideways ? h.height : h.width;
    *ret_height = sideways ? h.width : h.height;
    return 0;
}

// Turns one plane upright. Orientation as in EXIF: 2..4 mirror or turn in place, 5..8 swap the
// sides.
static void turn_plane(const uint8_t *src, int width, int height, int orientation, uint8_t *dst)
{
    const bool sideways = orientation >= 5;
    const int out_width = sideways ? height : width, out_height = sideways ? width : height;
    const bool flip_x =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool flip_y =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    for (int y = 0; y < out_height; y++)
        for (int x = 0; x < out_width; x++) {
            int sx = sideways ? y : x, sy = sideways ? x : y;
            sx = flip_x ? width - 1 - sx : sx;
            sy = flip_y ? height - 1 - sy : sy;
            dst[(size_t)y * (size_t)out_width + (size_t)x] =
                src[(size_t)sy * (size_t)width + (size_t)sx];
        }
}

static int turn_upright(struct picture_decoder *d, int orientation, struct picture *p)
{
    const size_t luma = (size_t)p->width * (size_t)p->height;
    const size_t chroma = (size_t)p->chroma_width * (size_t)p->chroma_height;
    if (scratch_reserve(d, luma + 2 * chroma) != 0)
        return -ENOMEM;
    memcpy(d->scratch, p->buffer, luma + 2 * chroma);
    turn_plane(d->scratch, p->width, p->height, orientation, p->luma);
    if (chroma) {
        turn_plane(d->scratch + luma, p->chroma_width, p->chroma_height, orientation, p->cb);
        turn_plane(d->scratch + luma + chroma, p->chroma_width, p->chroma_height, orientation,
                   p->cr);
    }
    return orientation >= 5
               ? picture_shape(p, p->height, p->width, p->chroma_height, p->chroma_width)
               : 0;
}

int picture_from_photo(struct picture_decoder *decoder, const uint8_t *bytes, size_t size,
                       int longest, struct picture *picture, double *ret_scale, struct error *err)
{
    struct jpeg_header h = {0};
    int r = read_photo_header(decoder, bytes, size, &h, err);
    if (r != 0)
        return r;
    int divide = 1; // the decoder can shrink by 2, 4 and 8 while it reads
    while (longest > 0 && divide < 8 &&
           (h.width > h.height ? h.width : h.height) / divide > longest)
        divide *= 2;
    const int width = (h.width + divide - 1) / divide, height = (h.height + divide - 1) / divide;
    r = decode(decoder, bytes, size, &h, width, height, picture, err);
    if (r != 0)
        return r;
    const int orientation = picture_exif_orientation(bytes, size);
    if (orientation != 1 && turn_upright(decoder, orientation, picture) != 0)
        return error_set(err, -ENOMEM, "out of memory for a picture of %dx%d", h.width, h.height);
    *ret_scale = 1.0 / divide;
    return 0;
}

// --- samples -------------------------------------------------------------------------------------

double picture_luma_at(const struct picture *p, double x, double y)
{
    x = fmin(fmax(x, 0), p->width - 1);
    y = fmin(fmax(y, 0), p->height - 1);
    int x0 = (int)x, y0 = (int)y;
    x0 = x0 > p->width - 2 ? (p->width > 1 ? p->width - 2 : 0) : x0;
    y0 = y0 > p->height - 2 ? (p->height > 1 ? p->height - 2 : 0) : y0;
    const double fx = x - x0, fy = y - y0;
    const uint8_t *a = p->luma + (size_t)y0 * (size_t)p->width + (size_t)x0;
    const uint8_t *b = p->height > 1 ? a + p->width : a;
    const int step = p->width > 1 ? 1 : 0;
    return (1 - fy) * ((1 - fx) * a[0] + fx * a[step]) + fy * ((1 - fx) * b[0] + fx * b[step]);
}

void picture_chroma_at(const struct picture *p, double x, double y, int *ret_cb, int *ret_cr)
{
    if (p->chroma_width == 0) {
        *ret_cb = *ret_cr = 128;
        return;
    }
    int cx = (int)(x * p->chroma_width / p->width), cy = (int)(y * p->chroma_height / p->height);
    cx = cx < 0 ? 0 : cx >= p->chroma_width ? p->chroma_width - 1 : cx;
    cy = cy < 0 ? 0 : cy >= p->chroma_height ? p->chroma_height - 1 : cy;
    const size_t at = (size_t)cy * (size_t)p->chroma_width + (size_t)cx;
    *ret_cb = p->cb[at];
    *ret_cr = p->cr[at];
}

void picture_to_rgb(const struct picture *p, uint8_t *rgb)
{
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            int cb, cr;
            picture_chroma_at(p, x, y, &cb, &cr);
            cb -= 128;
            cr -= 128;
            const int luma = p->luma[(size_t)y * (size_t)p->width + (size_t)x];
            *rgb++ = clamp_byte(luma + (91881 * cr) / 65536);
            *rgb++ = clamp_byte(luma - (22554 * cb + 46802 * cr) / 65536);
            *rgb++ = clamp_byte(luma + (116130 * cb) / 65536);
        }
}
