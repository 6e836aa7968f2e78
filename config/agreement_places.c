#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/agreement.h"
#include "motion/stores.h"

// GRBL's machine space after homing is [-travel, 0] on every axis, whichever end the switch is on.
// machine.margin of it is kept free at both ends.

static const double DEGREES = 0.017453292519943295;

static bool in_span(double at, double travel, double margin)
{
    return at <= -margin && at >= margin - travel;
}

static bool in_reach(const struct settings *s, double x, double y)
{
    return in_span(x, s->machine.travel_x, s->machine.margin) &&
           in_span(y, s->machine.travel_y, s->machine.margin);
}

static void board_point(const struct settings *s, int column, int row, double *x, double *y)
{
    double c = cos(s->board.rotation * DEGREES);
    double n = sin(s->board.rotation * DEGREES);
    double bx = column * s->board.pitch_x;
    double by = row * s->board.pitch_y;
    *x = s->board.a1_x + c * bx - n * by;
    *y = s->board.a1_y + n * bx + c * by;
}

static void name_point(int column, int row, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%c%d", "ABCDEFGHJKLMNOPQRST"[column], row + 1);
}

static void check_board_reach(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    double width = (s->board.columns - 1) * s->board.pitch_x;
    double depth = (s->board.rows - 1) * s->board.pitch_y;
    double shorter = fmin(s->machine.travel_x, s->machine.travel_y);
    double longer = fmax(s->machine.travel_x, s->machine.travel_y);
    bool short_side = fmin(width, depth) > shorter; // else, if anything, the long one is too long
    if (short_side || fmax(width, depth) > longer) {
        bool wide = short_side ? width <= depth : width > depth;
        bool x_axis = (s->machine.travel_x <= s->machine.travel_y) == short_side;
        agreement_fault(reading, wide ? "board.pitch_x" : "board.pitch_y",
                        x_axis ? "machine.travel_x" : "machine.travel_y",
                        "a board of %g x %g mm is larger than the reach of %g x %g mm", width,
                        depth, s->machine.travel_x, s->machine.travel_y);
        return;
    }
    for (int corner = 0; corner < 4; corner++) {
        int column = corner % 2 ? s->board.columns - 1 : 0;
        int row = corner / 2 ? s->board.rows - 1 : 0;
        double x;
        double y;
        board_point(s, column, row, &x, &y);
        // A board put down by hand may lie a little differently, so the approach is all that is
        // asked for here; calibration checks the true place.
        if (in_reach(s, x - s->machine.approach, y - s->machine.approach) && in_reach(s, x, y))
            continue;
        char name[8];
        name_point(column, row, name, sizeof name);
        bool along_x = !in_span(x, s->machine.travel_x, s->machine.margin) ||
                       !in_span(x - s->machine.approach, s->machine.travel_x, s->machine.margin);
        const char *key = along_x ? "board.a1_x" : "board.a1_y";
        if (agreement_given(reading, "board.rotation") && !agreement_given(reading, key))
            key = "board.rotation";
        agreement_fault(reading, key, along_x ? "machine.travel_x" : "machine.travel_y",
                        "%s would lie at (%.1f, %.1f) mm, off the machine's travel of x %g to %g, "
                        "y %g to %g",
                        name, x, y, s->machine.margin - s->machine.travel_x, -s->machine.margin,
                        s->machine.margin - s->machine.travel_y, -s->machine.margin);
        return;
    }
}

// Whether a stone at (x, y) would lie among or against the stones on the board.
static bool on_board(const struct settings *s, double x, double y)
{
    double c = cos(s->board.rotation * DEGREES);
    double n = sin(s->board.rotation * DEGREES);
    double bx = c * (x - s->board.a1_x) + n * (y - s->board.a1_y);
    double by = -n * (x - s->board.a1_x) + c * (y - s->board.a1_y);
    double margin = s->stones.diameter;
    return bx > -margin && by > -margin &&
           bx < (s->board.columns - 1) * s->board.pitch_x + margin &&
           by < (s->board.rows - 1) * s->board.pitch_y + margin;
}

static void check_place(struct reading *reading, const char *what, const char *key_x,
                        const char *key_y, double x, double y)
{
    const struct settings *s = &reading->settings;
    bool bad_x = !in_span(x, s->machine.travel_x, s->machine.margin);
    if (!in_reach(s, x, y))
        agreement_fault(reading, bad_x ? key_x : key_y,
                        bad_x ? "machine.travel_x" : "machine.travel_y",
                        "%s at (%g, %g) mm is off the machine's travel of x %g to %g, y %g to %g",
                        what, x, y, s->machine.margin - s->machine.travel_x, -s->machine.margin,
                        s->machine.margin - s->machine.travel_y, -s->machine.margin);
}

static void check_off_board(struct reading *reading, const char *what, const char *key_x,
                            const char *key_y, double x, double y)
{
    const struct settings *s = &reading->settings;
    if (in_reach(s, x, y) && on_board(s, x, y))
        agreement_fault(reading, key_x, key_y, "%s at (%g, %g) mm lies on the board", what, x, y);
}

enum { SPOTS_MAX = 2 * SETTINGS_COLOURS };

struct spots {
    int count;
    struct spot {
        char key_x[SCHEMA_KEY_MAX], key_y[SCHEMA_KEY_MAX];
        double x, y;
    } spot[SPOTS_MAX];
};

static void add_spot(struct reading *reading, struct spots *spots, const char *group, int colour,
                     const char *what, double x, double y)
{
    struct spot *spot = &spots->spot[spots->count++];
    *spot = (struct spot){.x = x, .y = y};
    (void)snprintf(spot->key_x, sizeof spot->key_x, "%s.colour%d.x", group, colour + 1);
    (void)snprintf(spot->key_y, sizeof spot->key_y, "%s.colour%d.y", group, colour + 1);
    check_place(reading, what, spot->key_x, spot->key_y, x, y);
    check_off_board(reading, what, spot->key_x, spot->key_y, x, y);
}

// Slots of a tray or store, and what they are called.
struct slots {
    const char *group, *what;
    double x, y, step;
    int colour, columns, rows;
};

static void slots_key(const struct slots *slots, const char *name, char ret[SCHEMA_KEY_MAX])
{
    (void)snprintf(ret, SCHEMA_KEY_MAX, "%s.colour%d.%s", slots->group, slots->colour + 1, name);
}

// The slot farthest from the first one.
static void check_slots(struct reading *reading, const struct slots *slots)
{
    int count = slots->columns * slots->rows;
    if (count == 1)
        return;
    char key_columns[SCHEMA_KEY_MAX];
    char key_rows[SCHEMA_KEY_MAX];
    char key_step[SCHEMA_KEY_MAX];
    char what[64];
    slots_key(slots, "columns", key_columns);
    slots_key(slots, "rows", key_rows);
    slots_key(slots, "step", key_step);
    (void)snprintf(what, sizeof what, "the last slot of the %s", slots->what);
    check_place(reading, what, key_columns, key_rows, slots->x + (slots->columns - 1) * slots->step,
                slots->y + (slots->rows - 1) * slots->step);
    if (count > STORE_SLOTS_MAX)
        agreement_fault(reading, key_columns, key_rows,
                        "%d slots are more than the %d a %s may have", count, STORE_SLOTS_MAX,
                        slots->what);
    if (slots->step < reading->settings.stones.diameter)
        agreement_fault(reading, key_step, "stones.diameter",
                        "slots %g mm apart are too near for stones of %g mm", slots->step,
                        reading->settings.stones.diameter);
}

static void check_tray(struct reading *reading, int colour)
{
    const struct settings_tray *t = &reading->settings.trays[colour];
    const struct slots slots = {"trays", "tray", t->x, t->y, t->step, colour, t->columns, t->rows};
    check_slots(reading, &slots);
}

static void check_store(struct reading *reading, int colour)
{
    const struct settings_store *s = &reading->settings.stores[colour];
    const struct slots slots = {"stores", "store", s->x,       s->y,
                                s->step,  colour,  s->columns, s->rows};
    char key_columns[SCHEMA_KEY_MAX];
    char key_capacity[SCHEMA_KEY_MAX];
    check_slots(reading, &slots);
    slots_key(&slots, "columns", key_columns);
    slots_key(&slots, "capacity", key_capacity);
    if (s->columns * s->rows == 1)
        return;
    if (s->capacity > s->columns * s->rows)
        agreement_fault(reading, key_capacity, key_columns,
                        "%d stones are more than the store's %d slots", s->capacity,
                        s->columns * s->rows);
    if (strcmp(reading->settings.serial.port, "sim") == 0)
        agreement_fault(reading, key_columns, "serial.port",
                        "the simulated table's stores are magazines: 1 column and 1 row");
}

static void check_spots(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    struct spots spots = {0};
    for (int i = 0; i < SETTINGS_COLOURS; i++) {
        if (s->stores[i].capacity > 0) {
            add_spot(reading, &spots, "stores", i, "the store", s->stores[i].x, s->stores[i].y);
            check_store(reading, i);
        }
        if (s->stones.colour[i] != SETTINGS_STONE_NONE) {
            add_spot(reading, &spots, "trays", i, "the tray", s->trays[i].x, s->trays[i].y);
            check_tray(reading, i);
        }
    }
    for (int a = 0; a < spots.count; a++) {
        for (int b = 0; b < a; b++) {
            const struct spot *p = &spots.spot[a];
            const struct spot *q = &spots.spot[b];
            if (hypot(p->x - q->x, p->y - q->y) < s->stones.diameter)
                agreement_fault(reading, p->key_x, q->key_x,
                                "the two places are less than a stone apart");
        }
    }
    check_place(reading, "the place to wait", "machine.wait_x", "machine.wait_y", s->machine.wait_x,
                s->machine.wait_y);
    check_place(reading, "the parked arm", "machine.park_x", "machine.park_y", s->machine.park_x,
                s->machine.park_y);
    check_off_board(reading, "the parked arm", "machine.park_x", "machine.park_y",
                    s->machine.park_x, s->machine.park_y);
}

static void check_z(struct reading *reading, const char *key, double z)
{
    if (z < -reading->settings.machine.travel_z)
        agreement_fault(reading, key, "machine.travel_z",
                        "z %g mm is below the machine's travel of %g to 0", z,
                        -reading->settings.machine.travel_z);
}

static void check_heights(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    const struct settings_heights *h = &s->heights;
    check_z(reading, "heights.board", h->board);
    check_z(reading, "heights.contact", h->contact);
    check_z(reading, "heights.tray", h->tray);
    for (int i = 0; i < SETTINGS_COLOURS; i++) {
        char key[SCHEMA_KEY_MAX];
        (void)snprintf(key, sizeof key, "stores.colour%d.z", i + 1);
        if (s->stores[i].capacity > 0)
            check_z(reading, key, s->stores[i].z);
    }
    if (h->contact <= h->board)
        agreement_fault(reading, "heights.contact", "heights.board",
                        "the top of a stone (%g) must be above the board (%g)", h->contact,
                        h->board);
    else if (fabs(h->contact - (h->board + s->stones.height)) > s->stones.height / 2)
        agreement_fault(reading, "heights.contact", "stones.height",
                        "a stone of %g mm on the board at %g ends near %g, not at %g",
                        s->stones.height, h->board, h->board + s->stones.height, h->contact);
    double lowest = h->board + 2 * s->stones.height;
    if (h->travel <= lowest)
        agreement_fault(reading, "heights.travel", "stones.height",
                        "a carried stone would hit standing ones: travel must be above %g (board "
                        "and two stones)",
                        lowest);
    if (h->tray > h->travel)
        agreement_fault(reading, "heights.tray", "heights.travel",
                        "a tray at %g is above the travel height of %g", h->tray, h->travel);
}

static void check_stones(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    // Go stones are a little wider than the pitch and shove each other; more than that is a
    // mistake.
    static const double SHOVE = 1.05;
    bool along_x = s->board.pitch_x <= s->board.pitch_y;
    double pitch = along_x ? s->board.pitch_x : s->board.pitch_y;
    if (s->stones.diameter > SHOVE * pitch)
        agreement_fault(reading, "stones.diameter", along_x ? "board.pitch_x" : "board.pitch_y",
                        "stones of %g mm do not fit on intersections %g mm apart",
                        s->stones.diameter, pitch);
}

static void check_homing(struct reading *reading)
{
    const struct settings_machine *m = &reading->settings.machine;
    double least = fmin(m->travel_x, fmin(m->travel_y, m->travel_z));
    if (m->pull_off >= least / 2)
        agreement_fault(reading, "machine.pull_off",
                        least == m->travel_z ? "machine.travel_z" : "machine.travel_x",
                        "a pull-off of %g mm leaves nothing of a travel of %g mm", m->pull_off,
                        least);
}

void agreement_places(struct reading *reading)
{
    check_board_reach(reading);
    check_spots(reading);
    check_heights(reading);
    check_stones(reading);
    check_homing(reading);
}
