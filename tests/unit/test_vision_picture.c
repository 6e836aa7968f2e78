// Pictures: every kind of JPEG is read or refused with a sentence; EXIF turns them upright.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include <cmocka.h>

#include "vision/mjpeg.h"
#include "vision/photo.h"
#include "vision/picture.h"

enum { W = 48, H = 32 };

static struct picture_decoder *decoder;
static struct picture picture;

static int set_up(void **state)
{
    (void)state;
    return picture_decoder_new(&decoder);
}

static int tear_down(void **state)
{
    (void)state;
    picture_decoder_free(decoder);
    picture_release(&picture);
    return 0;
}

// Left half red, right half blue; the top eight rows white.
static uint8_t *make(int format, int subsampling, unsigned long *ret_size)
{
    static uint8_t pixels[W * H * 4];
    const int bytes = tjPixelSize[format];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            uint8_t *p = pixels + (y * W + x) * bytes;
            const uint8_t red = y < 8 || x < W / 2 ? 255 : 0, blue = y < 8 || x >= W / 2 ? 255 : 0;
            const uint8_t green = y < 8 ? 255 : 0;
            if (format == TJPF_GRAY) {
                p[0] = y < 8 ? 255 : x < W / 2 ? 76 : 29;
            } else { // CMYK is stored inverted with black left out
                p[0] = red;
                p[1] = green;
                p[2] = blue;
                if (bytes == 4)
                    p[3] = 255;
            }
        }
    tjhandle turbo = tjInitCompress();
    unsigned char *jpeg = NULL;
    *ret_size = 0;
    assert_int_equal(
        tjCompress2(turbo, pixels, W, 0, H, format, &jpeg, ret_size, subsampling, 95, 0), 0);
    tjDestroy(turbo);
    return jpeg;
}

static void expect_red_and_blue(void)
{
    int cb, cr;
    assert_true(picture_luma_at(&picture, 20, 3) > 240);
    assert_true(abs((int)picture_luma_at(&picture, 8, 24) - 76) < 12);
    assert_true(abs((int)picture_luma_at(&picture, 40, 24) - 29) < 12);
    picture_chroma_at(&picture, 8, 24, &cb, &cr);
    assert_true(cr > 225);
    picture_chroma_at(&picture, 40, 24, &cb, &cr);
    assert_true(cb > 225);
}

static void reads_every_subsampling(void **state)
{
    (void)state;
    const int kinds[] = {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        unsigned long size;
        double scale;
        uint8_t *jpeg = make(TJPF_RGB, kinds[k], &size);
        assert_int_equal(picture_from_photo(decoder, jpeg, size, 0, &picture, &scale, NULL), 0);
        expect_red_and_blue();
        tjFree(jpeg);
    }
}

static void reads_grey_and_cmyk(void **state)
{
    (void)state;
    unsigned long size;
    double scale;
    int cb, cr;
    uint8_t *jpeg = make(TJPF_GRAY, TJSAMP_GRAY, &size);
    assert_int_equal(picture_from_photo(decoder, jpeg, size, 0, &picture, &scale, NULL), 0);
    assert_true(abs((int)picture_luma_at(&picture, 8, 24) - 76) < 12);
    picture_chroma_at(&picture, 8, 24, &cb, &cr);
    assert_int_equal(cb, 128);
    tjFree(jpeg);
    jpeg = make(TJPF_CMYK, TJSAMP_444, &size);
    assert_int_equal(picture_from_photo(decoder, jpeg, size, 0, &picture, &scale, NULL), 0);
    expect_red_and_blue();
    tjFree(jpeg);
}

// The JPEG with an EXIF segment that notes the orientation, in either byte order.
static uint8_t *with_orientation(const uint8_t *jpeg, size_t size, int orientation, bool big,
                                 size_t *ret_size)
{
    static const uint8_t LITTLE[] = {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0,    0, 'I', 'I',
                                     42,   0,    8, 0,  0,   0,   1,   0,   0x12, 1, 3,   0,
                                     1,    0,    0, 0,  0,   0,   0,   0,   0,    0, 0,   0};
    static const uint8_t BIG[] = {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,    'M', 'M',
                                  0,    42,   0, 0,  0,   8,   0,   1,   1, 0x12, 0,   3,
                                  0,    0,    0, 1,  0,   0,   0,   0,   0, 0,    0,   0};
    uint8_t *out = malloc(size + sizeof LITTLE);
    assert_non_null(out);
    memcpy(out, jpeg, 2);
    memcpy(out + 2, big ? BIG : LITTLE, sizeof LITTLE);
    out[2 + (big ? 29 : 28)] = (uint8_t)orientation;
    memcpy(out + 2 + sizeof LITTLE, jpeg + 2, size - 2);
    *ret_size = size + sizeof LITTLE;
    return out;
}

static void turns_photographs_upright(void **state)
{
    (void)state;
    // Where the white rows, on top of the stored picture, are seen: x0 x1 y0 y1 as shares.
    static const double WHITE[9][2] = {{0},      {.5, .1}, {.5, .1}, {.5, .9}, {.5, .9},
                                       {.1, .5}, {.9, .5}, {.9, .5}, {.1, .5}};
    // And the red part, at the left of the stored picture below the white.
    static const double RED[9][2] = {{0},      {.2, .7}, {.8, .7}, {.8, .3}, {.2, .3},
                                     {.7, .2}, {.3, .2}, {.3, .8}, {.7, .8}};
    unsigned long size;
    uint8_t *jpeg = make(TJPF_RGB, TJSAMP_444, &size);
    for (int o = 1; o <= 8; o++) {
        size_t tagged_size;
        uint8_t *tagged = with_orientation(jpeg, size, o, o & 1, &tagged_size);
        double scale;
        int width, height, cb, cr;
        assert_int_equal(picture_exif_orientation(tagged, tagged_size), o);
        assert_int_equal(picture_photo_size(decoder, tagged, tagged_size, &width, &height, NULL),
                         0);
        assert_int_equal(width, o >= 5 ? H : W);
        assert_int_equal(
            picture_from_photo(decoder, tagged, tagged_size, 0, &picture, &scale, NULL), 0);
        assert_int_equal(picture.width, width);
        assert_true(picture_luma_at(&picture, WHITE[o][0] * width, WHITE[o][1] * height) > 230);
        picture_chroma_at(&picture, RED[o][0] * width, RED[o][1] * height, &cb, &cr);
        assert_true(cr > 220);
        free(tagged);
    }
    tjFree(jpeg);
}

static void shrinks_while_decoding(void **state)
{
    (void)state;
    unsigned long size;
    double scale;
    uint8_t *jpeg = make(TJPF_RGB, TJSAMP_420, &size);
    assert_int_equal(picture_from_photo(decoder, jpeg, size, 30, &picture, &scale, NULL), 0);
    assert_true(scale == 0.5);
    assert_int_equal(picture.width, W / 2);
    tjFree(jpeg);
}

static void refuses_with_a_sentence(void **state)
{
    (void)state;
    struct error err = {0};
    double scale;
    unsigned long size;
    uint8_t *jpeg = make(TJPF_RGB, TJSAMP_420, &size);
    assert_int_equal(picture_from_photo(decoder, jpeg, 0, 0, &picture, &scale, &err), -ENODATA);
    assert_non_null(strstr(err.text, "empty"));
    assert_int_equal(picture_from_photo(decoder, jpeg, size - 60, 0, &picture, &scale, &err),
                     -EBADMSG);
    assert_non_null(strstr(err.text, "cut off"));
    const uint8_t png[] = "\x89PNG\r\n\x1a\n        ";
    assert_int_equal(picture_from_photo(decoder, png, sizeof png, 0, &picture, &scale, &err),
                     -EBADMSG);
    assert_non_null(strstr(err.text, "not a JPEG"));
    // The frame header says 12 bits, then a size beyond every limit.
    for (size_t k = 0; k + 9 < size; k++)
        if (jpeg[k] == 0xFF && jpeg[k + 1] == 0xC0) {
            jpeg[k + 4] = 12; // bits
            assert_int_equal(picture_from_photo(decoder, jpeg, size, 0, &picture, &scale, &err),
                             -ENOTSUP);
            jpeg[k + 4] = 8;
            jpeg[k + 5] = jpeg[k + 7] = 0xFA;
            assert_int_equal(picture_from_photo(decoder, jpeg, size, 0, &picture, &scale, &err),
                             -EMSGSIZE);
            const struct frame frame = {.format = FRAME_JPEG, .data = jpeg, .size = size};
            assert_int_equal(picture_from_frame(decoder, &frame, &picture, &err), -EMSGSIZE);
        }
    tjFree(jpeg);
}

static void reads_yuyv(void **state)
{
    (void)state;
    static uint8_t yuyv[W * H * 2];
    struct error err = {0};
    int cb, cr;
    for (int k = 0; k < W * H / 2; k++) {
        yuyv[4 * k] = 100;
        yuyv[4 * k + 1] = 90;
        yuyv[4 * k + 2] = 102;
        yuyv[4 * k + 3] = 160;
    }
    struct frame frame = {
        .format = FRAME_YUYV, .data = yuyv, .size = sizeof yuyv, .width = W, .height = H};
    assert_int_equal(picture_from_frame(decoder, &frame, &picture, &err), 0);
    picture_chroma_at(&picture, 5, 5, &cb, &cr);
    assert_int_equal(cb, 90);
    assert_int_equal(cr, 160);
    frame.size /= 2;
    assert_int_equal(picture_from_frame(decoder, &frame, &picture, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "half a frame"));
}

static void cuts_a_stream_into_pictures(void **state)
{
    (void)state;
    unsigned long size;
    size_t tagged_size, start;
    uint8_t *jpeg = make(TJPF_RGB, TJSAMP_420, &size);
    uint8_t *tagged = with_orientation(jpeg, size, 1, false, &tagged_size);
    // A thumbnail's end marker within the metadata must not end the picture.
    tagged[2 + 34] = 0xFF;
    tagged[2 + 35] = 0xD9;
    uint8_t *stream = malloc(10 + tagged_size + size);
    assert_non_null(stream);
    snprintf((char *)stream, 11, "--frame\r\n ");
    memcpy(stream + 10, tagged, tagged_size);
    memcpy(stream + 10 + tagged_size, jpeg, size);
    const size_t whole = 10 + tagged_size + size;
    assert_int_equal(mjpeg_find(stream, whole, &start), tagged_size);
    assert_int_equal(start, 10);
    assert_int_equal(mjpeg_find(stream, 10 + tagged_size - 1, &start), 0);
    assert_int_equal(start, 10);
    assert_int_equal(mjpeg_find(stream + 10 + tagged_size, size, &start), size);
    // One that was cut off is skipped for the next.
    memcpy(stream + 300, jpeg, size);
    assert_int_equal(mjpeg_find(stream, 300 + size, &start), size);
    assert_int_equal(start, 300);
    free(stream);
    free(tagged);
    tjFree(jpeg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_subsampling),     cmocka_unit_test(reads_grey_and_cmyk),
        cmocka_unit_test(turns_photographs_upright),   cmocka_unit_test(shrinks_while_decoding),
        cmocka_unit_test(refuses_with_a_sentence),     cmocka_unit_test(reads_yuyv),
        cmocka_unit_test(cuts_a_stream_into_pictures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
