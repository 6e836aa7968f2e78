#include "controller/cli/sight.h"

#include <string.h>

#include "config/base/text.h"

_Static_assert((int)BOARD_COVERED == (int)OBSERVATION_UNKNOWN, "one class, two names");
_Static_assert((int)POINTS_MAX >= (int)BOARD_POINTS_MAX, "every point seen can be drawn");

static const float SURE_AGAIN = 0.95F; // confidence at which a doubt ends

void sight_take(struct sight *ret, const struct observation *o, const struct sight *before,
                bool blocks)
{
    struct sight s = {.scene = o->scene.state,
                      .board = {.columns = o->columns, .rows = o->rows, .blocks = blocks}};
    for (int n = 0; n < o->columns * o->rows; n++) {
        const struct observation_point *p = &o->point[n];
        const bool was = before && before->board.doubted[n] && before->board.at[n] == p->best;
        s.board.at[n] = p->best;
        s.board.doubted[n] = p->best == OBSERVATION_UNKNOWN ||
                             !(p->confidence >= (was ? SURE_AGAIN : OBSERVATION_DOUBT));
        s.doubts += s.board.doubted[n];
        if (p->best <= COLOURS_MAX)
            s.stones[p->best]++;
    }
    *ret = s;
}

bool sight_same_board(const struct sight *a, const struct sight *b)
{
    const size_t points = (size_t)a->board.columns * (size_t)a->board.rows;
    return a->board.columns == b->board.columns && a->board.rows == b->board.rows &&
           memcmp(a->board.at, b->board.at, points * sizeof a->board.at[0]) == 0 &&
           memcmp(a->board.doubted, b->board.doubted, points * sizeof a->board.doubted[0]) == 0;
}

bool sight_same(const struct sight *a, const struct sight *b)
{
    return a->scene == b->scene && (a->scene != SCENE_STILL || sight_same_board(a, b));
}

const char *sight_scene_text(enum scene_state scene)
{
    static const char NO_BOARD[] = "no board is found: all of its lines must be in the picture, as "
                                   "many as board.columns and board.rows say";
    static const char *const TEXT[SCENE_STATE_COUNT] = {
        [SCENE_STILL] = "still",
        [SCENE_MOVING] = "something moves on the board",
        [SCENE_HAND] = "a hand, or the arm, is over the board",
        [SCENE_ARM] = "the arm is over the board",
        [SCENE_CAMERA_MOVED] = "the camera or the board was moved: the grid is looked for anew",
        [SCENE_LIGHT] = "the light changes",
        [SCENE_TOO_DARK] = "too dark to read: more light, or a longer exposure",
        [SCENE_OVEREXPOSED] = "too bright to read: less light, or a shorter exposure",
        [SCENE_BLURRED] = "out of focus, or the lens is dirty",
        [SCENE_NO_BOARD] = NO_BOARD,
    };
    return (unsigned)scene < SCENE_STATE_COUNT ? TEXT[scene] : "?";
}

static void add_stones(struct text *t, const struct sight *s, const struct colour_names *names)
{
    const char *thing = names->marbles ? "marble" : "stone";
    int all = 0, kinds = 0, said = 0;
    for (int c = 1; c <= COLOURS_MAX; c++) {
        all += s->stones[c];
        kinds += s->stones[c] > 0;
    }
    if (all == 0)
        text_put(t, "no %ss", thing);
    else
        text_put(t, "%d %s%s", all, thing, all == 1 ? "" : "s");
    for (int c = 1; c <= COLOURS_MAX; c++) {
        if (s->stones[c] == 0)
            continue;
        const char *name = names->name[c] ? names->name[c] : "of another colour";
        said++;
        const char *before = said == 1 ? ", " : said == kinds ? " and " : ", ";
        if (kinds == 1)
            text_put(t, "%s%s%s", before, all == 1 ? "" : "all ", name);
        else
            text_put(t, "%s%d %s", before, s->stones[c], name);
    }
}

static void add_doubts(struct text *t, const struct sight *s, const struct colour_names *names)
{
    struct point doubted[POINTS_MAX];
    char text[DIFFERENCES_TEXT_MAX];
    int count = 0;
    for (int n = 0; n < s->board.columns * s->board.rows; n++) {
        if (s->board.doubted[n])
            doubted[count++] =
                (struct point){(int8_t)(n % s->board.columns), (int8_t)(n / s->board.columns)};
    }
    if (count == 0)
        text_put(t, "; every point is sure");
    else
        text_put(t, "; not sure of %s",
                 points_text_named(doubted, count, names, text, sizeof text));
}

char *sight_text(const struct sight *sight, const struct colour_names *names, char *buf,
                 size_t size)
{
    struct text t = {buf, size, 0};
    text_put(&t, "%s", sight_scene_text(sight->scene));
    if (sight->scene != SCENE_STILL)
        return buf;
    text_put(&t, ": ");
    add_stones(&t, sight, names);
    add_doubts(&t, sight, names);
    return buf;
}

// --- for programs ---

static json_t *measures_json(const struct observation *o)
{
    const struct scene *s = &o->scene;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "motion", (double)s->motion,
                     "covered", (double)s->covered, "brightness", (double)s->brightness,
                     "overexposed", (double)s->overexposed, "sharpness", (double)s->sharpness,
                     "light_change", (double)s->light_change, "camera_shift",
                     (double)s->camera_shift, "rms_px", o->rms_px);
}

static char letter_of(unsigned class, const struct colour_names *names)
{
    const int colour = class >= 1 && class <= COLOURS_MAX && names->name[class]
                           ? stone_colour_parse(names->name[class])
                           : -1;
    if (class == 0)
        return '.';
    return colour < 0 ? '?' : stone_colour_letter((enum stone_colour)colour);
}

static void add_point(const struct sight *s, const struct observation *o, int n,
                      const struct colour_names *names, json_t *stones, json_t *unsure)
{
    const struct observation_point *p = &o->point[n];
    const struct point at = {(int8_t)(n % o->columns), (int8_t)(n / o->columns)};
    char name[DIFFERENCES_TEXT_MAX];
    points_text_named(&at, 1, names, name, sizeof name);
    if (s->board.doubted[n])
        json_array_append_new(unsure, json_string(name));
    if (p->best >= 1 && p->best <= COLOURS_MAX && names->name[p->best])
        json_array_append_new(stones,
                              json_pack("{s:s, s:s, s:f, s:[f, f]}", "point", name, "colour",
                                        names->name[p->best], "confidence", (double)p->confidence,
                                        "offset", (double)p->offset_x, (double)p->offset_y));
}

static void add_position(json_t *all, const struct sight *s, const struct observation *o,
                         const struct colour_names *names)
{
    json_t *rows = json_array(), *confidence = json_array(), *stones = json_array(),
           *unsure = json_array();
    for (int y = o->rows - 1; y >= 0; y--) {
        char row[BOARD_LINES_MAX + 1] = "";
        json_t *line = json_array();
        for (int x = 0; x < o->columns; x++) {
            const int n = y * o->columns + x;
            row[x] = letter_of(o->point[n].best, names);
            json_array_append_new(line, json_real((double)o->point[n].confidence));
            add_point(s, o, n, names, stones, unsure);
        }
        json_array_append_new(rows, json_string(row));
        json_array_append_new(confidence, line);
    }
    json_object_set_new(all, "rows", rows);
    json_object_set_new(all, "confidence", confidence);
    json_object_set_new(all, "stones", stones);
    json_object_set_new(all, "unsure", unsure);
}

json_t *sight_json(const struct sight *sight, const struct observation *o,
                   const struct colour_names *names)
{
    json_t *all = json_pack("{s:s, s:o*}", "scene", scene_state_name(sight->scene), "measures",
                            measures_json(o));
    if (all && sight->scene == SCENE_STILL)
        add_position(all, sight, o, names);
    return all;
}
