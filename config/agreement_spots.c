// Where the arm fetches stones, puts them and waits: within its travel, off the board, apart.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/agreement.h"
#include "config/agreement_geometry.h"
#include "motion/stores.h"

// A store or tray: a rectangle of slots (one for a magazine or a heap), slot (0, 0) at (x, y).
struct area {
    const char *group, *what; // "stores", "store"
    int colour;               // 0-based
    double x, y, step;
    int columns, rows;
};

enum { AREAS_MAX = 2 * SETTINGS_COLOURS };

static void area_key(const struct area *area, const char *name, char ret[SCHEMA_KEY_MAX])
{
    (void)snprintf(ret, SCHEMA_KEY_MAX, "%s.colour%d.%s", area->group, area->colour + 1, name);
}

// The key by which a person put it where it is.
static void area_blame(const struct reading *reading, const struct area *area,
                       char ret[SCHEMA_KEY_MAX])
{
    static const char *const names[] = {"x", "y", "columns", "rows", "step"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        area_key(area, names[i], ret);
        if (agreement_given(reading, ret))
            return;
    }
    area_key(area, "x", ret);
}

static int slot_count(const struct area *area)
{
    return area->columns * area->rows;
}

static void slot_place(const struct area *area, int slot, double ret[2])
{
    const int column = slot % area->columns, row = slot / area->columns;
    ret[0] = area->x + column * area->step;
    ret[1] = area->y + row * area->step;
}

// "the tray", or which of its slots.
static void slot_name(const struct area *area, int slot, char *ret, size_t size)
{
    if (slot_count(area) == 1)
        (void)snprintf(ret, size, "the %s", area->what);
    else
        (void)snprintf(ret, size, "slot %d of the %s (column %d, row %d)", slot + 1, area->what,
                       slot % area->columns + 1, slot / area->columns + 1);
}

// How far the slot of `area` that is nearest to (x, y) is from there.
static double nearest_slot(const struct area *area, double x, double y)
{
    double column = fmin(area->columns - 1, fmax(0, round((x - area->x) / area->step)));
    double row = fmin(area->rows - 1, fmax(0, round((y - area->y) / area->step)));
    return hypot(area->x + column * area->step - x, area->y + row * area->step - y);
}

// --- one place, one area ---

static bool check_reach(struct reading *reading, const char *what, const char *key_x,
                        const char *key_y, const double at[2])
{
    const struct settings *s = &reading->settings;
    if (agreement_in_reach(s, at[0], at[1]))
        return true;
    bool bad_x = !agreement_in_reach_x(s, at[0]);
    char overshoot[64] = "";
    if (s->machine.approach > 0)
        (void)snprintf(overshoot, sizeof overshoot, " (it is approached from %g mm before it)",
                       s->machine.approach);
    agreement_fault(reading, bad_x ? key_x : key_y, bad_x ? "machine.travel_x" : "machine.travel_y",
                    "%s at (%g, %g) mm is off the machine's travel of x %g to %g, y %g to %g%s",
                    what, at[0], at[1], s->machine.margin - s->machine.travel_x, -s->machine.margin,
                    s->machine.margin - s->machine.travel_y, -s->machine.margin, overshoot);
    return false;
}

// Off the travel it may be anywhere: one fault is enough.
static bool check_off_board(struct reading *reading, const char *what, const char *key_x,
                            const char *key_y, const double at[2])
{
    if (!agreement_on_board(&reading->settings, at[0], at[1]))
        return true;
    agreement_fault(reading, key_x, key_y, "%s at (%g, %g) mm lies on the board", what, at[0],
                    at[1]);
    return false;
}

// The first slot is where x and y put it; the others are where columns and rows lead to.
static void check_slots(struct reading *reading, const struct area *area)
{
    char first_x[SCHEMA_KEY_MAX], first_y[SCHEMA_KEY_MAX];
    char columns[SCHEMA_KEY_MAX], rows[SCHEMA_KEY_MAX];
    area_key(area, "x", first_x);
    area_key(area, "y", first_y);
    area_key(area, "columns", columns);
    area_key(area, "rows", rows);
    for (int slot = 0; slot < slot_count(area); slot++) {
        char what[80];
        double at[2];
        slot_place(area, slot, at);
        if (agreement_in_reach(&reading->settings, at[0], at[1]) &&
            !agreement_on_board(&reading->settings, at[0], at[1]))
            continue;
        slot_name(area, slot, what, sizeof what);
        bool along_x = slot % area->columns > 0; // by which of the two it got there
        if (check_reach(reading, what, slot ? columns : first_x, slot ? rows : first_y, at))
            (void)check_off_board(reading, what,
                                  slot == 0 ? first_x
                                  : along_x ? columns
                                            : rows,
                                  slot == 0 || !along_x ? first_y : first_x, at);
        return; // one of them is enough
    }
}

static void check_area(struct reading *reading, const struct area *area)
{
    char columns[SCHEMA_KEY_MAX], rows[SCHEMA_KEY_MAX], step[SCHEMA_KEY_MAX];
    double diameter = reading->settings.stones.diameter;
    check_slots(reading, area);
    if (slot_count(area) == 1)
        return;
    area_key(area, "columns", columns);
    area_key(area, "rows", rows);
    area_key(area, "step", step);
    if (slot_count(area) > STORE_SLOTS_MAX)
        agreement_fault(reading, columns, rows, "%d slots are more than the %d a %s may have",
                        slot_count(area), STORE_SLOTS_MAX, area->what);
    if (area->step < diameter)
        agreement_fault(reading, step, "stones.diameter",
                        "slots %g mm apart are too near for stones of %g mm", area->step, diameter);
}

static void check_capacity(struct reading *reading, const struct area *area, int capacity)
{
    char key_columns[SCHEMA_KEY_MAX], key_capacity[SCHEMA_KEY_MAX];
    area_key(area, "columns", key_columns);
    area_key(area, "capacity", key_capacity);
    if (slot_count(area) == 1)
        return;
    if (capacity > slot_count(area))
        agreement_fault(reading, key_capacity, key_columns,
                        "%d stones are more than the store's %d slots", capacity, slot_count(area));
    if (strcmp(reading->settings.serial.port, "sim") == 0)
        agreement_fault(reading, key_columns, "serial.port",
                        "the simulated table's stores are magazines: 1 column and 1 row");
}

// --- all of them ---

static int list_areas(const struct settings *s, struct area ret[AREAS_MAX])
{
    int count = 0;
    for (int i = 0; i < SETTINGS_COLOURS; i++) {
        const struct settings_store *store = &s->stores[i];
        const struct settings_tray *tray = &s->trays[i];
        if (store->capacity > 0)
            ret[count++] = (struct area){
                "stores", "store", i, store->x, store->y, store->step, store->columns, store->rows};
        if (s->stones.colour[i] != SETTINGS_STONE_NONE)
            ret[count++] = (struct area){"trays",    "tray",        i,         tray->x, tray->y,
                                         tray->step, tray->columns, tray->rows};
    }
    return count;
}

// Stones of two areas must not touch.
static void check_apart(struct reading *reading, const struct area *a, const struct area *b)
{
    char key_a[SCHEMA_KEY_MAX], key_b[SCHEMA_KEY_MAX], name[80];
    area_blame(reading, a, key_a);
    area_blame(reading, b, key_b);
    for (int slot = 0; slot < slot_count(a); slot++) {
        double at[2];
        slot_place(a, slot, at);
        if (nearest_slot(b, at[0], at[1]) >= reading->settings.stones.diameter)
            continue;
        slot_name(a, slot, name, sizeof name);
        if (slot_count(a) == 1 && slot_count(b) == 1)
            agreement_fault(reading, key_a, key_b, "the two places are less than a stone apart");
        else
            agreement_fault(reading, key_a, key_b,
                            "%s at (%g, %g) mm is less than a stone from the %s of colour %d", name,
                            at[0], at[1], b->what, b->colour + 1);
        return;
    }
}

// The parked arm must leave the board to the camera and the stones to people.
static void check_park(struct reading *reading, const struct area *areas, int count)
{
    static const char KEY_X[] = "machine.park_x", KEY_Y[] = "machine.park_y";
    static const char WHAT[] = "the parked arm";
    const struct settings *s = &reading->settings;
    const double park[2] = {s->machine.park_x, s->machine.park_y};
    if (!check_reach(reading, WHAT, KEY_X, KEY_Y, park) ||
        !check_off_board(reading, WHAT, KEY_X, KEY_Y, park))
        return;
    for (int i = 0; i < count; i++) {
        char key[SCHEMA_KEY_MAX];
        area_blame(reading, &areas[i], key);
        if (nearest_slot(&areas[i], park[0], park[1]) < s->stones.diameter) {
            agreement_fault(reading, KEY_X, key,
                            "%s at (%g, %g) mm stands over the %s of colour %d, and nobody gets at "
                            "its stones",
                            WHAT, park[0], park[1], areas[i].what, areas[i].colour + 1);
            return;
        }
    }
}

void agreement_spots(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    struct area areas[AREAS_MAX];
    int count = list_areas(s, areas);
    for (int a = 0; a < count; a++) {
        check_area(reading, &areas[a]);
        if (strcmp(areas[a].group, "stores") == 0)
            check_capacity(reading, &areas[a], s->stores[areas[a].colour].capacity);
        for (int b = 0; b < a; b++)
            check_apart(reading, &areas[a], &areas[b]);
    }
    (void)check_reach(reading, "the place to wait", "machine.wait_x", "machine.wait_y",
                      (double[]){s->machine.wait_x, s->machine.wait_y});
    check_park(reading, areas, count);
}
