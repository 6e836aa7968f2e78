// tessera see: reads positions from photographs, or looks through the robot's own eyes.
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/atomic_file.h"
#include "config/base/io.h"
#include "config/base/log.h"
#include "controller/cli/commands.h"
#include "controller/cli/see_live.h"
#include "rules/notation.h"
#include "vision/photo.h"

static int parse_colours(const char *list, struct photo_settings *ret, struct error *err)
{
    char text[128];
    snprintf(text, sizeof text, "%s", list);
    ret->colours = 0;
    for (char *save = NULL, *w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        int colour = stone_colour_parse(w);
        if (colour < 0)
            return error_set(err, -EINVAL, "--colours: there is no stone colour \"%s\".", w);
        if (ret->colours == PHOTO_COLOURS_MAX)
            return error_set(err, -EINVAL, "--colours: at most %d.", PHOTO_COLOURS_MAX);
        ret->colour[ret->colours++] = (enum stone_colour)colour;
    }
    return ret->colours >= 2 ? 0 : error_set(err, -EINVAL, "--colours needs at least two.");
}

static int parse_corners(const char *list, struct photo_settings *ret, struct error *err)
{
    const char *p = list;
    for (int i = 0; i < 8; i++) {
        char *end;
        ret->corner[i / 2][i % 2] = strtod(p, &end);
        if (end == p || (i < 7 && *end != ',') || (i == 7 && *end))
            return error_set(err, -EINVAL,
                             "--corners takes eight numbers: x,y of the corners top left, top "
                             "right, bottom right, bottom left.");
        p = end + 1;
    }
    ret->have_corners = true;
    return 0;
}

static json_t *corners_json(const struct photo_result *r)
{
    json_t *corners = json_array();
    for (int i = 0; i < 4; i++)
        json_array_append_new(corners, json_pack("[f, f]", r->corner[i][0], r->corner[i][1]));
    return corners;
}

static void print_json(const char *image, const struct photo_result *r)
{
    json_t *o = json_pack("{s:s, s:b}", "image", image, "found", r->found);
    if (!r->found)
        json_object_set_new(o, "why", json_string(r->why));
    json_t *rows = json_array(), *confidence = json_array(), *unsure = json_array();
    for (int y = 0; r->found && y < r->size; y++) {
        json_t *line = json_array();
        json_array_append_new(rows, json_string(r->row[y]));
        for (int x = 0; x < r->size; x++) {
            char name[MOVE_TEXT_MAX];
            json_array_append_new(line, json_real((double)r->confidence[y][x]));
            if (r->unsure[y][x]) // rows come from the top, points count from the bottom
                json_array_append_new(
                    unsure, json_string(point_format(
                                (struct point){(int8_t)x, (int8_t)(r->size - 1 - y)}, name)));
        }
        json_array_append_new(confidence, line);
    }
    if (r->found) {
        json_object_set_new(o, "corners", corners_json(r));
        json_object_set(o, "rows", rows);
        json_object_set(o, "confidence", confidence);
        json_object_set(o, "unsure", unsure);
    }
    json_decref(rows);
    json_decref(confidence);
    json_decref(unsure);
    json_dumpf(o, stdout, JSON_COMPACT | JSON_REAL_PRECISION(4));
    putchar('\n');
    json_decref(o);
}

static void print_drawing(const char *image, const struct photo_result *r)
{
    printf("%s: ", image);
    if (!r->found) {
        printf("no board found: %s\n", r->why);
        return;
    }
    printf("a board of %d lines, %d points to look at again\n", r->size, r->unsure_count);
    for (int y = 0; y < r->size; y++) {
        printf("%3d ", r->size - y);
        for (int x = 0; x < r->size; x++)
            printf("%c%c", r->row[y][x], r->unsure[y][x] ? '?' : ' ');
        putchar('\n');
    }
    printf("    ");
    for (int x = 0; x < r->size; x++)
        printf("%c ", 'A' + x + (x >= 8));
    putchar('\n');
}

static int annotate(const char *path, const struct photo_result *r, const char *bytes, size_t size,
                    struct error *err)
{
    uint8_t *png;
    size_t png_size;
    int result = photo_annotate(r, (const uint8_t *)bytes, size, &png, &png_size, err);
    if (result < 0)
        return result;
    result = atomic_file_write(NULL, path, png, png_size, 0644, err);
    free(png);
    return result;
}

static int see(const char *image, const struct photo_settings *settings, const char *picture,
               bool json, struct error *err)
{
    char *bytes;
    size_t size;
    struct photo_result *result = malloc(sizeof *result);
    if (!result)
        return error_set(err, -ENOMEM, "out of memory");
    int r = io_read_file(&io_system, image, PHOTO_BYTES_MAX, &bytes, &size, err);
    if (r == 0) {
        r = photo_read(settings, (const uint8_t *)bytes, size, result, err);
        if (r == 0 && json)
            print_json(image, result);
        else if (r == 0)
            print_drawing(image, result);
        if (r == 0 && picture)
            r = annotate(picture, result, bytes, size, err);
        free(bytes);
    }
    free(result);
    return r;
}

// Of the photographs' options only the picture is for the camera: what board and stones are is in
// the settings.
static enum exit_code see_camera(struct common_options *common, struct see_live_options *live)
{
    struct settings settings;
    enum exit_code code = options_settings(common, &settings);
    live->json = common->json;
    return code == EXIT_DONE ? see_live(&settings, live) : code;
}

static enum exit_code see_photos(char **images, int count, const struct photo_settings *settings,
                                 const char *picture, bool json)
{
    enum exit_code code = EXIT_DONE;
    struct error err;
    for (int i = 0; i < count; i++) {
        if (see(images[i], settings, picture, json, &err) < 0) {
            log_error("%s: %s", images[i], err.text);
            code = EXIT_FAILED; // the others are read all the same
        }
    }
    return code;
}

enum exit_code cmd_see(int argc, char **argv)
{
    const struct command *command = options_find_command("see");
    struct common_options common;
    struct photo_settings settings = photo_settings_default();
    struct see_live_options live = {0};
    const char *colours = NULL, *corners = NULL;
    int size = 0;
    const struct option_row rows[] = {
        {"once", NULL, "camera: end after the first settled reading", OPTION_FLAG, &live.once, 0,
         0},
        {"annotate", "OUT.png", "draw over the picture what was read", OPTION_TEXT, &live.picture,
         0, 0},
        {"size", "N", "photo: lines of the board (default 19)", OPTION_NUMBER, &size, 6, 19},
        {"colours", "LIST", "photo: stone colours, such as black,white", OPTION_TEXT, &colours, 0,
         0},
        {"corners", "X,Y,…", "photo: corners in pixels, TL TR BR BL", OPTION_TEXT, &corners, 0, 0},
        {0},
    };
    enum exit_code code;
    struct error err;
    int first = options_parse(command, rows, &common, argc, argv, &code);
    if (first < 0)
        return code;
    const int images = argc - first;
    if (live.picture && strcmp(live.picture, "-") == 0)
        return options_usage(command, "--annotate writes a file: name one, such as seen.png");
    if (images == 0 && (size || colours || corners))
        return options_usage(command,
                             "--size, --colours and --corners are for photographs, and none is "
                             "named: the camera's board and stones are in the settings");
    if (images == 0)
        return see_camera(&common, &live);
    if (live.once)
        return options_usage(command, "--once is for the camera, not for photographs");
    if (live.picture && images > 1)
        return options_usage(command, "--annotate takes one photo at a time");
    if (size)
        settings.size = size;
    if ((colours && parse_colours(colours, &settings, &err) < 0) ||
        (corners && parse_corners(corners, &settings, &err) < 0))
        return options_fail(&err);
    return see_photos(argv + first, images, &settings, live.picture, common.json);
}
