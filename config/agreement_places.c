// The board within the machine's travel, heights in their order, stones that fit.
#include <math.h>
#include <stdio.h>

#include "config/agreement.h"
#include "config/agreement_geometry.h"

static const double DEGREES = 0.017453292519943295;

static bool in_span(const struct settings *s, double at, double travel)
{
    return at <= -s->machine.margin && at - s->machine.approach >= s->machine.margin - travel;
}

bool agreement_in_reach_x(const struct settings *s, double x)
{
    return in_span(s, x, s->machine.travel_x);
}

bool agreement_in_reach(const struct settings *s, double x, double y)
{
    return agreement_in_reach_x(s, x) && in_span(s, y, s->machine.travel_y);
}

static void board_point(const struct settings *s, int column, int row, double *x, double *y)
{
    double c = cos(s->board.rotation * DEGREES);
    double n = sin(s->board.rotation * DEGREES);
    double at[2];
    settings_board_at(&s->board, column, row, at);
    *x = s->board.a1_x + c * at[0] - n * at[1];
    *y = s->board.a1_y + n * at[0] + c * at[1];
}

static void name_point(int column, int row, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%c%d", "ABCDEFGHJKLMNOPQRST"[column], row + 1);
}

static void check_board_reach(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    double size[2];
    settings_board_at(&s->board, s->board.columns - 1, s->board.rows - 1, size);
    double width = size[0];
    double depth = size[1];
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
        // A board put down by hand may lie a little differently: calibration checks the true place.
        if (agreement_in_reach(s, x, y))
            continue;
        char name[8];
        name_point(column, row, name, sizeof name);
        bool along_x = !agreement_in_reach_x(s, x);
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

bool agreement_on_board(const struct settings *s, double x, double y)
{
    double c = cos(s->board.rotation * DEGREES);
    double n = sin(s->board.rotation * DEGREES);
    double bx = c * (x - s->board.a1_x) + n * (y - s->board.a1_y);
    double by = -n * (x - s->board.a1_x) + c * (y - s->board.a1_y);
    double margin = s->stones.diameter;
    double size[2];
    settings_board_at(&s->board, s->board.columns - 1, s->board.rows - 1, size);
    return bx > -margin && by > -margin && bx < size[0] + margin && by < size[1] + margin;
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

// The farthest try to grip a stone must not touch, or even take, the one beside it.
static void check_search(struct reading *reading)
{
    const struct settings *s = &reading->settings;
    static const double REACH = 2.5; // steps: arm_program_spot() of motion/program.h
    const struct settings_gripper *g = &s->gripper;
    bool along_x = s->board.pitch_x <= s->board.pitch_y;
    double pitch = along_x ? s->board.pitch_x : s->board.pitch_y;
    double room = pitch - s->stones.diameter / 2 - g->cup_diameter / 2;
    if (g->retries && g->retry_step > 0 && REACH * g->retry_step > room)
        agreement_fault(reading, "gripper.retry_step", along_x ? "board.pitch_x" : "board.pitch_y",
                        "tries go %g mm aside, where a cup of %g mm touches the next stone; at "
                        "most %.1f mm",
                        REACH * g->retry_step, g->cup_diameter, fmax(0, floor(room * 4) / 10));
}

// Blocks that turn are squares of nine; nothing else has a seam.
static void check_blocks(struct reading *reading)
{
    const struct settings_board *b = &reading->settings.board;
    enum { POINTS = 6 };
    bool across = b->columns != POINTS;
    if (b->points == SETTINGS_POINTS_LINES) {
        if (b->seam > 0)
            agreement_fault(reading, "board.seam", "board.points",
                            "only a board of hollows has blocks with a seam between them; this "
                            "one has lines (board.points)");
        return;
    }
    if (across || b->rows != POINTS)
        agreement_fault(reading, "board.points", across ? "board.columns" : "board.rows",
                        "a board of hollows has 6 x 6 of them, not %d x %d", b->columns, b->rows);
    else if (fabs(b->pitch_x - b->pitch_y) > 0.02 * b->pitch_x)
        agreement_fault(
            reading, "board.pitch_y", "board.pitch_x",
            "blocks that turn have rows and columns equally far apart, not %g and %g mm",
            b->pitch_y, b->pitch_x);
    else if (b->seam > b->pitch_x)
        agreement_fault(reading, "board.seam", "board.pitch_x",
                        "a seam adds at most one pitch (%g mm) to the distance, not %g mm",
                        b->pitch_x, b->seam);
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
    agreement_spots(reading);
    check_heights(reading);
    check_stones(reading);
    check_search(reading);
    check_blocks(reading);
    check_homing(reading);
}
