#include "vision/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/grid.h"
#include "vision/hollows.h"
#include "vision/locate.h"
#include "vision/overlay.h"
#include "vision/picture.h"
#include "vision/scene.h"
#include "vision/stones.h"
#include "vision/watch.h"

enum {
    LOCATE_EVERY_MS = 500, // frame time between two searches without a board
    LEARN_EVERY = 8,       // still frames between two updates of what is learned
    CONFIRM_LOOKS = 4,     // at a still board, until one finds it where it was found
};

static const double SCORE_ELSEWHERE = 0.85; // of a board found elsewhere: see lines_stay()

struct vision {
    struct vision_settings settings;
    struct picture_decoder *decoder;
    struct picture picture;
    bool have_picture, have_geometry;
    bool geometry_given; // from outside: to be checked against the first frame
    int confirm;         // looks left to find the board where it was found; 0: it is there
    int half_turned;     // the block that does not lie in its place, -1: none
    struct geometry geometry;
    struct sampler sampler;
    struct surface surface;
    struct bare bare;
    struct watch watch;
    struct scene_state_machine scene;
    struct stone_settings stones;
    struct vision_models models;
    struct stone_reading reading[BOARD_POINTS_MAX];
    struct observation_point point[BOARD_POINTS_MAX];
    bool point_known[BOARD_POINTS_MAX];
    bool have_expected;
    uint8_t expected[BOARD_POINTS_MAX];
    enum vision_arm arm;
    int64_t last_search_ns;
    bool searched;
    bool on_surface; // the starting models were fitted to this board's surface
    uint32_t frames; // observed since the geometry was found
};

struct vision_settings vision_settings_default(void)
{
    return (struct vision_settings){.columns = 19,
                                    .rows = 19,
                                    .pitch_x = 22,
                                    .pitch_y = 22,
                                    .stone_diameter = 16,
                                    .stone_height = 8,
                                    .colours = 2,
                                    .colour = {STONE_BLUE, STONE_RED, STONE_CLEAR, STONE_AMBER},
                                    .a1 = VISION_A1_BOTTOM_LEFT,
                                    .still_frames = 3,
                                    .still_ns = 250000000};
}

static int check_settings(const struct vision_settings *t, struct error *err)
{
    if (t->columns < BOARD_LINES_MIN || t->columns > BOARD_LINES_MAX || t->rows < BOARD_LINES_MIN ||
        t->rows > BOARD_LINES_MAX)
        return error_set(err, -EINVAL, "a board of %dx%d lines can't be read; 6 to 19 can",
                         t->columns, t->rows);
    if (!(t->pitch_x >= 3 && t->pitch_x <= 100) || !(t->pitch_y >= 3 && t->pitch_y <= 100))
        return error_set(err, -EINVAL, "the board's pitch must be between 3 and 100 mm");
    const double pitch = fmin(t->pitch_x, t->pitch_y);
    if (t->hollows && (t->columns != 6 || t->rows != 6))
        return error_set(err, -EINVAL, "a board of hollows has 6x6 of them, not %dx%d", t->columns,
                         t->rows);
    if (!(t->seam >= 0 && t->seam <= (t->hollows ? pitch : 0)))
        return error_set(err, -EINVAL, "a seam of %.1f mm fits no board of %s", t->seam,
                         t->hollows ? "hollows" : "lines");
    if (!(t->stone_diameter >= 0.3 * pitch && t->stone_diameter <= 1.05 * pitch))
        return error_set(err, -EINVAL,
                         "stones of %.1f mm don't fit a board with %.1f mm between its lines",
                         t->stone_diameter, pitch);
    if (!(t->stone_height >= 0 && t->stone_height <= t->stone_diameter))
        return error_set(err, -EINVAL, "a stone's height must be between 0 and its diameter");
    if (t->colours < 1 || t->colours > OBSERVATION_COLOURS_MAX)
        return error_set(err, -EINVAL, "1 to %d stone colours can be told apart, not %d",
                         OBSERVATION_COLOURS_MAX, t->colours);
    for (int k = 0; k < t->colours; k++)
        for (int j = 0; j <= k; j++)
            if (!stone_colour_name(t->colour[k]) || (j < k && t->colour[j] == t->colour[k]))
                return error_set(err, -EINVAL, "stone colour %d is unknown or named twice", k + 1);
    return 0;
}

int vision_new(const struct vision_settings *settings, struct vision **ret, struct error *err)
{
    int r = check_settings(settings, err);
    if (r != 0)
        return r;
    struct vision *v = calloc(1, sizeof *v);
    if (!v || picture_decoder_new(&v->decoder) != 0) {
        free(v);
        return error_set(err, -ENOMEM, "out of memory");
    }
    v->settings = *settings;
    if (v->settings.still_frames < 1)
        v->settings.still_frames = 3;
    if (v->settings.still_ns <= 0)
        v->settings.still_ns = 250000000;
    stones_default_models(settings, &v->models);
    v->stones = (struct stone_settings){
        .colours = settings->colours,
        .diameter = settings->stone_diameter,
        .height = settings->stone_height,
        .radius_u = (float)(settings->stone_diameter / 2 / settings->pitch_x),
        .radius_v = (float)(settings->stone_diameter / 2 / settings->pitch_y),
        .hollows = settings->hollows};
    for (int k = 0; k < settings->colours; k++)
        v->stones.transparent[k] = settings->colour[k] == STONE_CLEAR;
    *ret = v;
    return 0;
}

struct vision *vision_free(struct vision *vision)
{
    if (vision) {
        picture_decoder_free(vision->decoder);
        picture_release(&vision->picture);
        free(vision);
    }
    return NULL;
}

// --- where the board is --------------------------------------------------------------------------

static void use_geometry(struct vision *v, const struct geometry *g)
{
    v->geometry = *g;
    v->geometry.pitch_x = v->settings.pitch_x;
    v->geometry.pitch_y = v->settings.pitch_y;
    v->have_geometry = true;
    v->geometry_given = false;
    v->half_turned = -1;
    v->frames = 0;
    sampler_build(&v->sampler, &v->geometry, v->settings.hollows, v->settings.lens.fx > 0,
                  v->settings.stone_height, &v->picture);
    watch_build(&v->watch, &v->sampler);
    watch_read(&v->watch, &v->picture);
    watch_learn(&v->watch);
    v->stones.line_contrast = stones_line_contrast(&v->sampler, &v->picture);
    memset(v->point_known, 0, sizeof v->point_known);
    scene_restart(&v->scene);
}

// Under a large hand, half a board and half a table may look like a board that was pushed. While
// lines are seen where the board was, only a whole board elsewhere will do.
static bool lines_stay(const struct vision *v)
{
    static const float SEEN = 0.4F, SHIFT = 0.05F; // of the watched pieces; cells
    return v->watch.seen > SEEN && hypotf(v->watch.shift_u, v->watch.shift_v) < SHIFT;
}

static int search(struct vision *v, struct error *err)
{
    static const double PUSHED = 3; // cells
    const struct geometry *before = v->have_geometry ? &v->geometry : NULL;
    const double least = before && lines_stay(v) ? SCORE_ELSEWHERE : 0;
    struct geometry g;
    const int r = locate_board(&v->settings, &v->picture, before, least, &g, err);
    if (r != 0)
        return r;
    // Seen from another place, empty points look otherwise; after a push they do not.
    if (before && locate_distance(before, &g) > PUSHED)
        bare_forget(&v->bare);
    use_geometry(v, &g);
    v->confirm = CONFIRM_LOOKS;
    return 0;
}

// The grid has moved a little, or a stored geometry is new: refine from where it was.
static bool refine(struct vision *v, double shift_u, double shift_v)
{
    struct geometry g = v->geometry;
    struct grid_result found;
    double *h = g.homography;
    for (int r = 0; r < 3; r++)
        h[3 * r + 2] += h[3 * r] * shift_u + h[3 * r + 1] * shift_v;
    if (locate_refine(&v->settings, &v->picture, false, &g, &found) != 0)
        return false;
    use_geometry(v, &g);
    return true;
}

static bool fits_picture(const struct vision *v)
{
    // The luma plane may be padded by a pixel or so.
    return abs(v->geometry.image_width - v->picture.width) < 16 &&
           abs(v->geometry.image_height - v->picture.height) < 16;
}

// Not for each picture; true at most so often.
static bool search_is_due(struct vision *v, int64_t now)
{
    if (v->searched && now >= v->last_search_ns &&
        now - v->last_search_ns < LOCATE_EVERY_MS * INT64_C(1000000))
        return false;
    v->searched = true;
    v->last_search_ns = now;
    return true;
}

static void locate_when_due(struct vision *v, int64_t now)
{
    if (!search_is_due(v, now))
        return;
    if (v->geometry_given && fits_picture(v) && refine(v, 0, 0)) {
        v->confirm = 0;
        return;
    }
    v->geometry_given = false;
    search(v, NULL);
}

int vision_locate(struct vision *vision, const struct frame *frame, struct geometry *ret,
                  struct error *err)
{
    int r = picture_from_frame(vision->decoder, frame, &vision->picture, err);
    if (r != 0)
        return r;
    vision->have_picture = true;
    vision->have_geometry = false;
    r = search(vision, err);
    if (r == 0) {
        surface_forget(&vision->surface);
        *ret = vision->geometry;
    }
    return r;
}

bool vision_geometry(const struct vision *vision, struct geometry *ret)
{
    if (!vision->have_geometry)
        return false;
    *ret = vision->geometry;
    return true;
}

int vision_set_geometry(struct vision *vision, const struct geometry *geometry, struct error *err)
{
    if (geometry->columns != vision->settings.columns || geometry->rows != vision->settings.rows)
        return error_set(
            err, -EINVAL, "the stored geometry is of a board of %dx%d lines, not %dx%d",
            geometry->columns, geometry->rows, vision->settings.columns, vision->settings.rows);
    double inverse[9];
    for (int k = 0; k < 9; k++)
        if (!isfinite(geometry->homography[k]))
            return error_set(err, -EINVAL, "the stored geometry holds figures that are no numbers");
    if (!homography_invert(geometry->homography, inverse) || !(geometry->lens.fx > 0) ||
        !(geometry->lens.fy > 0))
        return error_set(err, -EINVAL, "the stored geometry is no view of a board");
    vision->geometry = *geometry;
    vision->geometry_given = true;
    vision->have_geometry = false;
    vision->searched = false;
    return 0;
}

void vision_reset(struct vision *vision)
{
    vision->have_geometry = vision->geometry_given = vision->searched = false;
    surface_forget(&vision->surface);
    bare_forget(&vision->bare);
    scene_restart(&vision->scene);
    memset(vision->point_known, 0, sizeof vision->point_known);
}

// --- what is on it -------------------------------------------------------------------------------

// Points whose samples changed are read again; the others in turn, so that each is fresh within a
// second or so even when nothing seems to change.
static void read_points(struct vision *v)
{
    enum { ROUND = 24 };
    const int count = v->sampler.columns * v->sampler.rows;
    bool any = false;
    for (int n = 0; n < count; n++) {
        const bool turn = (v->frames + (uint32_t)n) % ROUND == 0;
        if (v->point_known[n] && !turn && !v->scene.point_changed[n])
            continue;
        stones_measure(&v->stones, &v->sampler, &v->surface, &v->bare, &v->picture,
                       n % v->sampler.columns, n / v->sampler.columns, &v->reading[n]);
        v->point_known[n] = any = true;
    }
    if (!any)
        return;
    struct stone_reading resolved[BOARD_POINTS_MAX];
    memcpy(resolved, v->reading, (size_t)count * sizeof resolved[0]);
    stones_resolve(&v->stones, &v->sampler, resolved);
    static const struct stone_reading NOTHING = {.blocked = true};
    for (int n = 0; n < count; n++) {
        const bool aside = v->half_turned >= 0 && hollows_on_rim(v->half_turned, n);
        stones_judge(&v->stones, &v->models, &v->geometry, aside ? &NOTHING : &resolved[n],
                     &v->point[n]);
    }
}

// Beyond doubt: the position says so as well, or nothing round was seen; and the lines show as they
// do where nothing lies. Where both say so they may be pale: a lamp is mirrored there.
static bool surely_empty(const struct vision *v, int n)
{
    static const float SURE = 0.8F, LINES = 0.5F, ALL_LINES = 0.85F, PALE_LINES = 0.25F;
    static const float UNCHANGED = 0.2F, SHADED = 0.4F;
    const struct stone_reading *r = &v->reading[n];
    const bool expected = v->have_expected && v->expected[n] == 0;
    if ((v->have_expected && !expected) || v->point[n].best != 0 || v->point[n].confidence < SURE ||
        r->blocked || r->looks)
        return false;
    if (r->remembered)
        return r->change < (r->second_line > ALL_LINES ? SHADED : UNCHANGED);
    if (r->disc)
        return expected && r->second_line > ALL_LINES;
    return r->second_line > (expected ? PALE_LINES : LINES);
}

// Empty points show how they look, each in its turn.
static void remember_bare(struct vision *v)
{
    enum { ROUND = 240 };
    const int count = v->sampler.columns * v->sampler.rows;
    // Stones that hide what is below are seen without; and where a real board was pushed a little
    // or a shadow has moved on, empty points look otherwise as well.
    // Blocks that turn bring other grain below every point.
    if (!stones_any_transparent(&v->stones) || v->stones.hollows)
        return;
    for (int n = 0; n < count; n++) {
        const bool turn = (v->frames + (uint32_t)n) % ROUND == 0;
        if ((turn || !v->bare.known[n]) && surely_empty(v, n))
            stones_remember(&v->sampler, &v->surface, &v->picture, n % v->sampler.columns,
                            n / v->sampler.columns, &v->bare);
    }
}

// Slow learning from what is beyond doubt: the surface where nothing lies, and stones the position
// says are there and that look like it.
static void learn_slowly(struct vision *v)
{
    if (v->scene.state != SCENE_STILL)
        return;
    remember_bare(v);
    if (v->frames % LEARN_EVERY != 0)
        return;
    surface_learn(&v->surface, &v->sampler, 0.05F);
    if (!v->have_expected)
        return;
    const int count = v->sampler.columns * v->sampler.rows;
    for (int n = 0; n < count; n++) {
        const int c = v->expected[n];
        if (c >= 1 && v->reading[n].disc && !v->reading[n].blocked && v->point[n].best == c &&
            v->point[n].confidence > 0.95F)
            stones_learn(&v->stones, &v->models, c - 1, &v->reading[n]);
    }
}

static void fill_observation(const struct vision *v, const struct frame *frame,
                             struct observation *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->time_ns = frame->time_ns;
    ret->sequence = frame->sequence;
    ret->columns = v->settings.columns;
    ret->rows = v->settings.rows;
    ret->colours = v->settings.colours;
    const int count = ret->columns * ret->rows;
    if (!v->have_geometry) {
        ret->scene.state = SCENE_NO_BOARD;
        for (int n = 0; n < count; n++) {
            struct stone_reading nothing = {.blocked = true};
            stones_judge(&v->stones, &v->models, &v->geometry, &nothing, &ret->point[n]);
        }
        return;
    }
    scene_report(&v->scene, &v->surface, &v->watch, &ret->scene);
    ret->rms_px = v->geometry.rms_px;
    ret->half_turned = v->half_turned + 1;
    memcpy(ret->point, v->point, (size_t)count * sizeof ret->point[0]);
    int covered = 0;
    for (int n = 0; n < count; n++)
        covered += v->point[n].best == OBSERVATION_UNKNOWN;
    ret->scene.covered = (float)covered / (float)count;
}

// The grid is not where it was: a small shift is followed, a large one found again.
static void follow_camera(struct vision *v, int64_t now)
{
    if (v->scene.want_refine) {
        if (refine(v, (double)v->watch.shift_u, (double)v->watch.shift_v))
            return;
        v->scene.want_refine = false;
    }
    if (!v->scene.want_search)
        return;
    if (!search_is_due(v, now))
        return;
    search(v, NULL);
}

static void find_anew(struct vision *v)
{
    v->have_geometry = v->searched = false;
    surface_forget(&v->surface);
    bare_forget(&v->bare);
}

// Once the board has settled, one of its blocks may stand half turned: its hollows are not where
// they should be. If it stood so when the board was found, the surface was learned from the wrong
// places; when it lies in its place, all starts anew.
static void look_at_blocks(struct vision *v, bool settled, int64_t now)
{
    int block;
    if (!settled && (v->half_turned < 0 || !search_is_due(v, now)))
        return;
    if (locate_half_turned(&v->settings, &v->picture, &v->geometry, &block) != 0)
        return;
    if (block < 0 && v->half_turned >= 0)
        find_anew(v);
    v->half_turned = block;
}

// What was found while a hand or the arm lay over the border may be a line off. So the board is
// looked for once more where all of it shows, and counts as still only when it is found in the same
// place twice.
static void confirm(struct vision *v)
{
    static const double SAME = 0.3; // cells
    struct geometry g;
    if (v->confirm == 0 || v->scene.state != SCENE_STILL)
        return;
    const int r = locate_board(&v->settings, &v->picture, &v->geometry, 0, &g, NULL);
    if (r == 0 && locate_distance(&v->geometry, &g) < SAME) {
        v->confirm = 0;
    } else if (r != 0 && --v->confirm > 0) {
        scene_restart(&v->scene);
    } else {
        find_anew(v);
    }
}

// Blocks are of any wood or colour; what marbles look like beside it follows from that.
static void use_surface(struct vision *v)
{
    float look[VISION_FEATURES];
    if (!v->settings.hollows || v->on_surface)
        return;
    surface_usual(&v->surface, &v->sampler, look);
    stones_models_on(look, &v->models);
    v->on_surface = true;
    memset(v->point_known, 0, sizeof v->point_known);
}

static void read_board(struct vision *v, int64_t now)
{
    surface_read(&v->surface, &v->sampler, &v->picture);
    watch_read(&v->watch, &v->picture);
    const struct scene_input input = {.time_ns = now,
                                      .still_frames = v->settings.still_frames,
                                      .still_ns = v->settings.still_ns,
                                      .arm = v->arm};
    const enum scene_state before = v->scene.state;
    scene_update(&v->scene, &input, &v->sampler, &v->surface, &v->watch, &v->picture);
    confirm(v);
    const bool settled = v->scene.state == SCENE_STILL && before != SCENE_STILL;
    if (v->have_geometry)
        look_at_blocks(v, settled, now);
    if (!v->have_geometry)
        return;
    // What was read while a hand covered the surface around it may be wrong though the point itself
    // has not changed since.
    if (settled)
        memset(v->point_known, 0, sizeof v->point_known);
    use_surface(v);
    read_points(v);
    if (!v->surface.learned && v->surface.foreign_largest < 4)
        surface_learn(&v->surface, &v->sampler, 1);
    learn_slowly(v);
}

int vision_observe(struct vision *vision, const struct frame *frame, struct observation *ret,
                   struct error *err)
{
    struct vision *v = vision;
    const int r = picture_from_frame(v->decoder, frame, &v->picture, err);
    if (r != 0)
        return r;
    v->have_picture = true;
    if (v->have_geometry && !fits_picture(v)) // another camera, another format
        v->have_geometry = false;
    if (!v->have_geometry)
        locate_when_due(v, frame->time_ns);
    if (v->have_geometry)
        read_board(v, frame->time_ns);
    fill_observation(v, frame, ret);
    if (v->have_geometry) {
        v->frames++;
        follow_camera(v, frame->time_ns);
    }
    return 0;
}

// --- knowledge from outside ----------------------------------------------------------------------

void vision_expect(struct vision *vision, const uint8_t *classes)
{
    vision->have_expected = classes != NULL;
    if (classes)
        memcpy(vision->expected, classes,
               (size_t)vision->settings.columns * (size_t)vision->settings.rows);
}

void vision_set_arm(struct vision *vision, enum vision_arm arm)
{
    // It may have put another stone where one lay: of much the same light, that looks like no
    // change.
    if (vision->arm != arm)
        memset(vision->point_known, 0, sizeof vision->point_known);
    vision->arm = arm;
}

void vision_models(const struct vision *vision, struct vision_models *ret)
{
    *ret = vision->models;
}

int vision_set_models(struct vision *vision, const struct vision_models *models, struct error *err)
{
    if (models->version != VISION_MODEL_VERSION)
        return error_set(err, -EINVAL, "colour models of version %d; this program reads version %d",
                         models->version, VISION_MODEL_VERSION);
    if (models->colours != vision->settings.colours)
        return error_set(err, -EINVAL, "colour models of %d colours for a game with %d",
                         models->colours, vision->settings.colours);
    for (int k = 0; k < models->colours; k++)
        for (int f = 0; f < VISION_FEATURES; f++)
            if (!isfinite(models->colour[k].mean[f]) ||
                !(models->colour[k].deviation[f] > 0.001F) || !(models->colour[k].weight >= 0))
                return error_set(err, -EINVAL, "the model of colour %d holds no usable figures",
                                 k + 1);
    vision->models = *models;
    vision->on_surface = true;
    return 0;
}

int vision_learn(struct vision *vision, const uint8_t *classes, struct error *err)
{
    struct vision *v = vision;
    if (!v->have_geometry || v->frames == 0 || v->scene.state != SCENE_STILL)
        return error_set(err, -EAGAIN, "the board was not seen still; learn from another frame");
    const int count = v->sampler.columns * v->sampler.rows;
    surface_learn(&v->surface, &v->sampler, 0.5F);
    for (int n = 0; n < count; n++)
        if (classes[n] >= 1 && classes[n] <= v->settings.colours && v->reading[n].disc &&
            !v->reading[n].blocked)
            stones_learn(&v->stones, &v->models, classes[n] - 1, &v->reading[n]);
    for (int n = 0; n < count; n++)
        v->point_known[n] = false;
    return 0;
}

int vision_overlay_size(const struct vision *vision, int *ret_width, int *ret_height)
{
    if (!vision->have_picture)
        return -EAGAIN;
    *ret_width = vision->picture.width;
    *ret_height = vision->picture.height;
    return 0;
}

int vision_overlay(const struct vision *vision, const struct observation *o, uint8_t *rgb)
{
    if (!vision->have_picture)
        return -EAGAIN;
    picture_to_rgb(&vision->picture, rgb);
    struct overlay canvas = {.width = vision->picture.width,
                             .height = vision->picture.height,
                             .rgb = rgb,
                             .hollows = vision->settings.hollows};
    overlay_observation(&canvas, vision->have_geometry ? &vision->geometry : NULL,
                        vision->settings.colour, o);
    return 0;
}
