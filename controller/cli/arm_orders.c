#include "controller/cli/arm_orders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/notation.h"

enum { ROUNDS_MAX = 1000000 };

// What a verb's first argument is: a store may be left out; after a point it may follow.
enum argument { NOTHING, A_STORE, A_PLACE, A_POINT, STEPS };

struct verb {
    const char *name;
    enum argument argument;
    enum arm_job_kind kind;
    enum store_role role; // of its store
    bool uses_store;
};

static const struct verb verbs[] = {
    {"home", NOTHING, ARM_JOB_HOME, STORE_SUPPLY, false},
    {"park", NOTHING, ARM_JOB_PARK, STORE_SUPPLY, false},
    {"goto", A_PLACE, ARM_JOB_GOTO, STORE_SUPPLY, false},
    {"jog", STEPS, ARM_JOB_JOG, STORE_SUPPLY, false},
    {"pick", A_STORE, ARM_JOB_PICK, STORE_SUPPLY, true},
    {"ready", A_STORE, ARM_JOB_READY, STORE_SUPPLY, true},
    {"place", A_POINT, ARM_JOB_PLACE, STORE_SUPPLY, true},
    {"lift", A_POINT, ARM_JOB_LIFT, STORE_CAPTURED, true},
    {"drop", A_STORE, ARM_JOB_VENT, STORE_CAPTURED, true},
};

static const struct verb *find(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    }
    return NULL;
}

// --- arguments ---

static int read_point(const struct devices *d, const char *text, double ret[2], struct error *err)
{
    struct point p;
    const struct settings_board *b = &d->settings->board;
    if (!point_parse(text, strlen(text), &p) || p.x >= b->columns || p.y >= b->rows)
        return error_set(err, -EINVAL, "\"%s\" is no point of this board; K10 is one.", text);
    double board[2];
    settings_board_at(b, p.x, p.y, board);
    board_map_to_machine(&d->map, board, ret);
    return 0;
}

// An intersection, or X,Y[,Z] in machine millimetres.
static int read_place(const struct devices *d, const char *text, struct arm_job *job,
                      struct error *err)
{
    char rest;
    double at[2] = {0};
    if (sscanf(text, "%lf,%lf,%lf%c", &job->x, &job->y, &job->z, &rest) == 3) {
        job->use_z = true;
        return 0;
    }
    job->z = 0;
    if (sscanf(text, "%lf,%lf%c", &job->x, &job->y, &rest) == 2)
        return 0;
    if (strchr(text, ','))
        return error_set(err, -EINVAL,
                         "\"%s\" is no place: goto takes a point (K10) or machine millimetres as "
                         "X,Y or X,Y,Z.",
                         text);
    int r = read_point(d, text, at, err);
    job->x = at[0];
    job->y = at[1];
    return r;
}

static int read_steps(const char *text, struct arm_job *job, struct error *err)
{
    char rest;
    if (sscanf(text, "%lf,%lf,%lf%c", &job->x, &job->y, &job->z, &rest) != 3)
        return error_set(err, -EINVAL, "jog takes millimetres as X,Y,Z: jog 10,0,-2.");
    return 0;
}

static int whole_number(const char *text, int low, int high, int *ret)
{
    char *rest;
    errno = 0;
    long n = strtol(text, &rest, 10);
    if (errno || rest == text || *rest || n < low || n > high)
        return -EINVAL;
    *ret = (int)n;
    return 0;
}

// A store by its name ("tray 2") or by the colour it keeps.
static int read_store(const struct devices *d, const char *text, enum store_role role, int *ret,
                      struct error *err)
{
    int colour, found = stores_find(&d->stores, text);
    if (found < 0 && whole_number(text, 1, SETTINGS_COLOURS, &colour) == 0)
        found = devices_store(&d->stores, role, colour);
    if (found >= 0) {
        *ret = found;
        return 0;
    }
    char names[256] = "";
    for (int i = 0; i < d->stores.count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s\"%s\"", i ? ", " : "",
                 d->stores.store[i].name);
    }
    return error_set(err, -EINVAL, "there is no store \"%s\"; there are %s.", text, names);
}

static int missing(const struct verb *verb, struct error *err)
{
    static const char *const what[] = {
        [A_PLACE] = "a point, or X,Y or X,Y,Z in machine millimetres",
        [A_POINT] = "a point of the board such as K10",
        [STEPS] = "millimetres as X,Y,Z",
    };
    return error_set(err, -EINVAL, "%s takes %s.", verb->name, what[verb->argument]);
}

// --- verbs ---

// What wears in a game, without using up stones: one stone is laid on the centre and the corner
// points in turn and lifted again.
static int plan_cycle(const struct devices *d, const char *text, struct arm_orders *o,
                      struct error *err)
{
    const struct settings_board *b = &d->settings->board;
    if (!text || whole_number(text, 1, ROUNDS_MAX, &o->rounds) < 0)
        return error_set(err, -EINVAL, "cycle takes how many stones to lay: 1 to %d.", ROUNDS_MAX);
    int supply = devices_store(&d->stores, STORE_SUPPLY, 1);
    if (supply < 0 || o->tray < 0)
        return error_set(err, -EINVAL, "cycle needs a store and a tray for colour 1.");
    const int right = b->columns - 1, far = b->rows - 1;
    const int points[5][2] = {{right / 2, far / 2}, {0, 0}, {right, far}, {0, far}, {right, 0}};
    for (int i = 0; i < 5; i++) {
        double board[2];
        settings_board_at(b, points[i][0], points[i][1], board);
        board_map_to_machine(&d->map, board, o->place[i]);
    }
    o->job[o->count++] = (struct arm_job){.kind = ARM_JOB_PICK, .store = supply};
    o->job[o->count++] = (struct arm_job){.kind = ARM_JOB_PLACE, .store = -1};
    o->job[o->count++] = (struct arm_job){.kind = ARM_JOB_LIFT, .store = -1};
    o->job[o->count++] = (struct arm_job){.kind = ARM_JOB_DROP, .store = o->tray};
    o->job[o->count++] = (struct arm_job){.kind = ARM_JOB_PARK, .store = -1};
    o->restart = 1;
    o->again = 2;
    o->until = 4;
    return 0;
}

static int plan_verb(const struct devices *d, const struct verb *verb, const char *const *words,
                     int count, struct arm_orders *o, struct error *err)
{
    struct arm_job job = {.kind = verb->kind, .store = -1};
    const char *first = count > 1 ? words[1] : NULL, *store = NULL;
    double at[2] = {0};
    int r = 0;
    if (verb->argument == NOTHING && first)
        return error_set(err, -EINVAL, "%s takes no argument.", verb->name);
    if (!first && verb->argument >= A_PLACE)
        return missing(verb, err);
    if (verb->argument == A_STORE)
        store = first;
    else if (verb->argument == A_PLACE)
        r = read_place(d, first, &job, err);
    else if (verb->argument == STEPS)
        r = read_steps(first, &job, err);
    if (verb->argument == A_POINT && (r = read_point(d, first, at, err)) == 0) {
        job.x = at[0];
        job.y = at[1];
        store = count > 2 ? words[2] : NULL;
    } else if (r == 0 && count > 2) {
        return error_set(err, -EINVAL, "%s takes one argument.", verb->name);
    }
    if (r == 0 && verb->uses_store)
        r = read_store(d, store ? store : "1", verb->role, &job.store, err);
    if (r == 0 && verb->kind != ARM_JOB_HOME)
        o->job[o->count++] = job;
    return r;
}

int arm_orders_read(const struct devices *devices, const char *const *words, int count,
                    struct arm_orders *ret, struct error *err)
{
    struct arm_orders o = {.rounds = 1, .tray = devices_store(&devices->stores, STORE_CAPTURED, 1)};
    int r = 0;
    if (strcmp(words[0], "status") == 0) {
        *ret = o;
        return count > 1 ? error_set(err, -EINVAL, "status takes no argument.") : 0;
    }
    o.job[o.count++] = (struct arm_job){.kind = ARM_JOB_HOME, .store = -1};
    const struct verb *verb = find(words[0]);
    if (strcmp(words[0], "cycle") == 0)
        r = plan_cycle(devices, count == 2 ? words[1] : NULL, &o, err);
    else if (verb)
        r = plan_verb(devices, verb, words, count, &o, err);
    else
        r = error_set(err, -EINVAL,
                      "the arm knows no \"%s\"; `tessera arm --help` lists what it does.",
                      words[0]);
    if (r == 0)
        *ret = o;
    return r;
}

struct arm_job arm_orders_job(const struct arm_orders *orders, int index, int round)
{
    struct arm_job job = orders->job[index];
    if (index >= orders->again && index < orders->until) {
        const double *at = orders->place[round % 5];
        job.x = at[0];
        job.y = at[1];
    }
    return job;
}
