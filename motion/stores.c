#include "motion/stores.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int check_one(const struct store *s, struct error *err)
{
    if (!s->name[0] || !memchr(s->name, '\0', sizeof s->name))
        return error_set(err, -EINVAL, "A store has no name. Give each store a name of its own.");
    if (s->colour < 0 || s->colour > STORE_COLOURS)
        return error_set(err, -EINVAL, "Store \"%s\": colour %d is not 1 to %d (0 = any).", s->name,
                         s->colour, STORE_COLOURS);
    if (!isfinite(s->x) || !isfinite(s->y) || !isfinite(s->z_contact) || !isfinite(s->z_release))
        return error_set(err, -EINVAL, "Store \"%s\": its position is not a number.", s->name);
    if (s->z_release < s->z_contact)
        return error_set(err, -EINVAL,
                         "Store \"%s\": stones would be let go below the place where they lie.",
                         s->name);
    if (s->kind == STORE_TRAY) {
        if (s->columns < 1 || s->rows < 1 || s->columns > STORE_SLOTS_MAX / s->rows)
            return error_set(err, -EINVAL, "Store \"%s\": %d x %d slots; 1 to %d are possible.",
                             s->name, s->columns, s->rows, STORE_SLOTS_MAX);
    } else if (s->capacity < 1 || s->count < 0 || s->count > s->capacity) {
        return error_set(err, -EINVAL, "Store \"%s\": %d stones do not fit a capacity of %d.",
                         s->name, s->count, s->capacity);
    }
    if (s->kind == STORE_BOWL && s->role == STORE_SUPPLY)
        return error_set(err, -EINVAL,
                         "Store \"%s\": the arm cannot take stones out of a bowl; use a feeder or "
                         "a tray for supply.",
                         s->name);
    return 0;
}

int stores_check(const struct stores *stores, struct error *err)
{
    if (stores->count < 0 || stores->count > STORES_MAX)
        return error_set(err, -EINVAL, "At most %d stores are possible.", STORES_MAX);
    for (int i = 0; i < stores->count; i++) {
        int r = check_one(&stores->store[i], err);
        if (r < 0)
            return r;
        for (int j = 0; j < i; j++) {
            if (strcmp(stores->store[i].name, stores->store[j].name) == 0)
                return error_set(err, -EINVAL, "Two stores are called \"%s\".",
                                 stores->store[i].name);
        }
    }
    return 0;
}

int stores_find(const struct stores *stores, const char *name)
{
    for (int i = 0; i < stores->count; i++) {
        if (strcmp(stores->store[i].name, name) == 0)
            return i;
    }
    return -ENOENT;
}

static int held(const struct store *s)
{
    if (s->kind != STORE_TRAY)
        return s->count;
    int n = 0;
    for (int i = 0; i < s->columns * s->rows; i++)
        n += s->full[i];
    return n;
}

static bool gives(const struct store *s, enum store_role role, int colour)
{
    // Out of a tray where stones lie as they fell nothing can be taken.
    return s->role == role && (role == STORE_SUPPLY || s->kind == STORE_TRAY) &&
           (role == STORE_SUPPLY ? !s->colour || s->colour == colour : s->colour == colour);
}

static int nearest(const struct stores *stores, enum store_role role, int colour, double x,
                   double y)
{
    int best = -1;
    double shortest = INFINITY;
    for (int i = 0; i < stores->count; i++) {
        const struct store *s = &stores->store[i];
        double distance = fmax(fabs(s->x - x), fabs(s->y - y));
        if (gives(s, role, colour) && held(s) > 0 && distance < shortest) {
            shortest = distance;
            best = i;
        }
    }
    return best;
}

int stores_supply(const struct stores *stores, int colour, double x, double y, int *ret_store,
                  struct error *err)
{
    int best = nearest(stores, STORE_SUPPLY, colour, x, y), any = -1;
    if (best < 0)
        best = nearest(stores, STORE_CAPTURED, colour, x, y);
    for (int i = 0; i < stores->count; i++) {
        if (gives(&stores->store[i], STORE_SUPPLY, colour))
            any = i;
    }
    if (best < 0 && any < 0)
        return error_set_code(err, -ENOENT, "NoStore", "No store is set up for colour %d.", colour);
    if (best < 0)
        return error_set_code(err, -ENOENT, "StoreEmpty",
                              "Store \"%s\" is empty. Fill it with stones of colour %d.",
                              stores->store[any].name, colour);
    *ret_store = best;
    return 0;
}

int stores_return(const struct stores *stores, int colour, double x, double y, int *ret_store,
                  struct error *err)
{
    static const struct {
        enum store_role role;
        enum store_kind kind;
    } best_first[] = {{STORE_SUPPLY, STORE_TRAY},
                      {STORE_CAPTURED, STORE_TRAY},
                      {STORE_SUPPLY, STORE_BOWL},
                      {STORE_CAPTURED, STORE_BOWL}};
    int best = -1, full = -1;
    for (size_t k = 0; k < sizeof best_first / sizeof *best_first && best < 0; k++) {
        double shortest = INFINITY;
        for (int i = 0; i < stores->count; i++) {
            const struct store *s = &stores->store[i];
            if (s->role != best_first[k].role || s->kind != best_first[k].kind ||
                (s->colour && s->colour != colour))
                continue;
            double distance = fmax(fabs(s->x - x), fabs(s->y - y));
            if (stores_room(stores, i) == 0) {
                full = i;
            } else if (distance < shortest) {
                shortest = distance;
                best = i;
            }
        }
    }
    if (best < 0 && full < 0)
        return error_set_code(err, -ENOSPC, "NoStore",
                              "No tray is set up that takes stones of colour %d.", colour);
    if (best < 0)
        return error_set_code(err, -ENOSPC, "StoreFull", "\"%s\" is full. Empty it.",
                              stores->store[full].name);
    *ret_store = best;
    return 0;
}

static const struct store *get(const struct stores *stores, int store)
{
    return store >= 0 && store < stores->count ? &stores->store[store] : NULL;
}

static int first_slot(const struct store *s, bool full)
{
    for (int i = 0; i < s->columns * s->rows; i++) {
        if (s->full[i] == full)
            return i;
    }
    return -1;
}

static struct store_point point_of(const struct store *s, int store, int slot, double z)
{
    struct store_point p = {.store = store, .slot = slot, .x = s->x, .y = s->y, .z = z};
    if (s->kind == STORE_TRAY) {
        int row = slot / s->columns;
        p.x += s->step_x * (slot % s->columns);
        p.y += s->step_y * row;
    }
    return p;
}

int stores_next_pick(const struct stores *stores, int store, struct store_point *ret,
                     struct error *err)
{
    const struct store *s = get(stores, store);
    if (!s)
        return error_set(err, -EINVAL, "There is no store number %d.", store);
    if (s->kind == STORE_BOWL)
        return error_set(
            err, -EPERM,
            "The arm cannot take stones out of \"%s\": they lie anywhere in it, not in "
            "slots.",
            s->name);
    int slot = s->kind == STORE_TRAY ? first_slot(s, true) : 0;
    if (held(s) == 0 || slot < 0)
        return error_set_code(err, -ENODATA, "StoreEmpty", "Store \"%s\" is empty. Fill it.",
                              s->name);
    *ret = point_of(s, store, slot, s->z_contact);
    return 0;
}

int stores_next_drop(const struct stores *stores, int store, struct store_point *ret,
                     struct error *err)
{
    const struct store *s = get(stores, store);
    if (!s)
        return error_set(err, -EINVAL, "There is no store number %d.", store);
    int slot = s->kind == STORE_TRAY ? first_slot(s, false) : 0;
    if (stores_room(stores, store) == 0 || slot < 0)
        return error_set_code(err, -ENOSPC, "StoreFull", "\"%s\" is full. Empty it.", s->name);
    *ret = point_of(s, store, slot, s->z_release);
    return 0;
}

static void book(struct stores *stores, const struct store_point *point, int change)
{
    if (!get(stores, point->store))
        return;
    struct store *s = &stores->store[point->store];
    if (s->kind == STORE_TRAY) {
        if (point->slot >= 0 && point->slot < s->columns * s->rows)
            s->full[point->slot] = change > 0;
    } else if (s->count + change >= 0 && s->count + change <= s->capacity) {
        s->count += change;
    }
}

void stores_took(struct stores *stores, const struct store_point *point)
{
    book(stores, point, -1);
}

void stores_put(struct stores *stores, const struct store_point *point)
{
    book(stores, point, 1);
}

void stores_will_take(struct stores *plan, int store)
{
    struct store_point point = {.store = -1};
    struct error err;
    if (stores_next_pick(plan, store, &point, &err) == 0)
        stores_took(plan, &point);
}

void stores_will_put(struct stores *plan, int store)
{
    struct store_point point = {.store = -1};
    struct error err;
    if (stores_next_drop(plan, store, &point, &err) == 0)
        stores_put(plan, &point);
}

int stores_set_count(struct stores *stores, int store, int count)
{
    if (!get(stores, store))
        return -EINVAL;
    struct store *s = &stores->store[store];
    if (s->kind == STORE_TRAY || count < 0 || count > s->capacity)
        return -EINVAL;
    s->count = count;
    return 0;
}

int stores_set_slot(struct stores *stores, int store, int slot, bool full)
{
    if (!get(stores, store))
        return -EINVAL;
    struct store *s = &stores->store[store];
    if (s->kind != STORE_TRAY || slot < 0 || slot >= s->columns * s->rows)
        return -EINVAL;
    s->full[slot] = full;
    return 0;
}

int stores_stones(const struct stores *stores, int store)
{
    const struct store *s = get(stores, store);
    return s ? held(s) : 0;
}

int stores_room(const struct stores *stores, int store)
{
    const struct store *s = get(stores, store);
    if (!s)
        return 0;
    return (s->kind == STORE_TRAY ? s->columns * s->rows : s->capacity) - held(s);
}

bool stores_low(const struct stores *stores, int store)
{
    const struct store *s = get(stores, store);
    return s && s->role == STORE_SUPPLY && held(s) <= s->low;
}
