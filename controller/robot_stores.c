// What the stores give and take, as their books have it, and what people do about one that is empty
// or full.
#include <stdio.h>

#include "controller/robot_private.h"

int robot_tray(const struct robot *r, unsigned colour)
{
    return devices_store(&r->o.devices->stores, STORE_CAPTURED, (int)colour);
}

// Into its colour's tray; while the board is put in order back into a supply tray, if one takes it.
int robot_store_for(const struct robot *r, const struct target_step *step, const double from[2],
                    const struct stores *left)
{
    struct error err;
    int store = robot_tray(r, step->colour);
    if (r->tidying)
        stores_return(left, step->colour, from[0], from[1], &store, &err); // else that tray
    return store;
}

bool robot_supply_for(struct robot *r, unsigned colour, const double to[2], struct stores *left,
                      int *ret_store)
{
    struct error err;
    if (stores_supply(left, (int)colour, to[0], to[1], ret_store, &err) < 0) {
        r->short_of = colour;
        arm_cancel(r->arm, loop_now(r->loop)); // the steps before it
        robot_arm_trouble(r, err.text);
        robot_raise(r, ROBOT_EV_FAILED);
        return false;
    }
    stores_will_take(left, *ret_store);
    return true;
}

// --- a full tray ---

static void join_names(const struct stores *stores, unsigned set, char *buf, size_t size)
{
    size_t length = 0;
    buf[0] = 0;
    for (int s = 0; s < stores->count; s++) {
        if (!(set >> s & 1) || length >= size)
            continue;
        length += (size_t)snprintf(buf + length, size - length, "%s\"%s\"", length ? " and " : "",
                                   stores->store[s].name);
    }
}

void robot_ask_to_empty(struct robot *r, unsigned full)
{
    char names[STORES_MAX * (STORE_NAME_MAX + 8)];
    bool one = (full & (full - 1)) == 0;
    join_names(&r->o.devices->stores, full, names, sizeof names);
    arm_cancel(r->arm, loop_now(r->loop)); // the steps before it
    arm_link_update(r->arm_link);
    if (r->parked)
        eye_set_arm(r->eye, VISION_ARM_PARKED);
    r->full = full;
    r->question_board = false;
    snprintf(r->question, sizeof r->question,
             "%s %s full. Empty %s, then %s: from then on %s as empty.", names, one ? "is" : "are",
             one ? "it" : "them", robot_reset_words(r), one ? "it counts" : "they count");
    robot_raise(r, ROBOT_EV_WRONG);
}

int robot_store_back(const struct robot *r, unsigned colour, const struct stores *left)
{
    struct error err;
    int store = robot_tray(r, colour);
    stores_return(left, (int)colour, r->settings->machine.park_x, r->settings->machine.park_y,
                  &store, &err); // else that tray
    return store;
}

// Lifts come before what is laid, and what is laid may need them all. What waits on the cup is put
// away before either.
bool robot_make_room(struct robot *r)
{
    struct stores left = r->o.devices->stores;
    unsigned full = 0;
    int kept = 0;
    if (robot_ahead_in_the_way(r))
        stores_will_put(&left, robot_store_back(r, robot_ahead_colour(r), &left));
    for (int i = 0; i < r->step_count; i++) {
        const struct target_step step = r->steps[i];
        double from[2];
        if (step.lift) {
            robot_board_to_machine(r, step.at, step.offset, from);
            int store = robot_store_for(r, &step, from, &left);
            bool fits = store < 0 || stores_room(&left, store) > 0;
            stores_will_put(&left, store);
            full |= fits ? 0 : 1u << store;
            if (!fits)
                continue;
        } else if (full) {
            continue;
        }
        r->steps[kept++] = step;
    }
    r->step_count = kept;
    if (kept || !full)
        return true;
    robot_ask_to_empty(r, full);
    return false;
}

// --- people's answer ---

bool robot_emptying_asked(const struct robot *r)
{
    return r->state == ROBOT_ASKING && r->full;
}

static void set_all(struct stores *stores, int s, bool full)
{
    const struct store *store = &stores->store[s];
    if (store->kind != STORE_TRAY)
        stores_set_count(stores, s, full ? store->capacity : 0);
    for (int slot = 0; store->kind == STORE_TRAY && slot < store->columns * store->rows; slot++)
        stores_set_slot(stores, s, slot, full && slot < store->capacity);
}

void robot_store_filled(struct robot *r)
{
    struct stores *stores = &r->o.devices->stores;
    int supply = r->short_of ? devices_store(stores, STORE_SUPPLY, (int)r->short_of) : -1;
    if (supply >= 0)
        set_all(stores, supply, true);
    for (int s = 0; s < stores->count; s++) {
        if (r->full >> s & 1)
            set_all(stores, s, false);
    }
    r->short_of = r->full = 0;
}
