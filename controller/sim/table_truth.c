// What only tests may know, and what only owners may do.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "controller/sim/table_private.h"
#include "controller/sim/view.h"

// The intersection nearest to (x, y), -1 = more than half a pitch beside the grid.
static int point_at(const struct setup_board *b, double x, double y)
{
    double u, v;
    setup_board_place(b, (const double[2]){x, y}, &u, &v);
    const int column = (int)lround(u), row = (int)lround(v);
    if (column < 0 || row < 0 || column >= b->columns || row >= b->rows)
        return -1;
    return row * b->columns + column;
}

void table_truth(struct table *t, int8_t ret[SETUP_LINES_MAX * SETUP_LINES_MAX])
{
    const struct world *w = table_world(t);
    memset(ret, 0, SETUP_LINES_MAX * SETUP_LINES_MAX);
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        const int point = s->place == PLACE_TABLE ? point_at(&w->setup.board, s->x, s->y) : -1;
        if (point >= 0)
            ret[point] = ret[point] ? -1 : s->colour;
    }
}

static void count_table(const struct world *w, const struct world_stone *s,
                        struct table_ledger *ret)
{
    if (point_at(&w->setup.board, s->x, s->y) >= 0)
        ret->board[s->colour]++;
    else if (world_tray_at(&w->setup, s->x, s->y) >= 0)
        ret->tray[s->colour]++;
    else
        ret->beside++;
}

void table_ledger(struct table *t, struct table_ledger *ret)
{
    const struct world *w = table_world(t);
    *ret = (struct table_ledger){.total = w->made - w->taken, .incidents = w->incident_count};
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        switch ((enum world_place)s->place) {
        case PLACE_GONE:
            break;
        case PLACE_STORE:
            ret->store[s->colour]++;
            break;
        case PLACE_BOWL:
            ret->bowl[s->colour]++;
            break;
        case PLACE_TABLE:
            count_table(w, s, ret);
            break;
        case PLACE_CUP:
            ret->cup++;
            break;
        case PLACE_HAND:
            ret->hand++;
            break;
        case PLACE_FLOOR:
            ret->floor++;
            break;
        }
    }
}

const struct world *table_world(struct table *t)
{
    table_now(t);
    table_rearm(t);
    return &t->state->world;
}

void table_project(struct table *t, const double point[3], double ret_pixel[2])
{
    const struct table_setup *s = table_setup_of(t);
    const struct scene_light *l = &t->state->light;
    struct view view;
    double eye[3], target[3];
    for (int a = 0; a < 3; a++) {
        eye[a] = s->camera.eye[a] + l->bump[a];
        target[a] = s->camera.target[a] + l->bump[3 + a];
    }
    view_set(&view, &s->camera, eye, target, s->camera.roll_deg);
    if (!view_project(&view, point[0], point[1], point[2], ret_pixel))
        ret_pixel[0] = ret_pixel[1] = NAN;
}

void table_fill_store(struct table *t, int colour, int count)
{
    struct world *w = &t->state->world;
    table_now(t);
    for (int k = 0; k < count; k++) {
        const int i = world_add_stone(w, colour, 0, 0);
        if (i < 0)
            break;
        w->stone[i].place = PLACE_STORE;
    }
    table_rearm(t);
}

void table_empty_tray(struct table *t, int colour)
{
    struct world *w = &t->state->world;
    table_now(t);
    for (int i = 0; i < w->stone_count; i++) {
        struct world_stone *s = &w->stone[i];
        if (s->place != PLACE_TABLE || world_tray_at(&w->setup, s->x, s->y) != colour - 1)
            continue;
        s->place = PLACE_STORE;
        s->holder = (int8_t)(s->colour - 1);
        w->version++;
    }
    table_rearm(t);
}

int table_put_stone(struct table *t, int colour, double x, double y)
{
    table_now(t);
    const int r = world_add_stone(&t->state->world, colour, x, y);
    table_rearm(t);
    return r < 0 ? r : 0;
}

int table_take_stone(struct table *t, double x, double y)
{
    table_now(t);
    const int r = world_remove_stone(&t->state->world, x, y);
    table_rearm(t);
    return r;
}

int table_turn_block(struct table *t, int block, double degrees)
{
    if (t->state->world.setup.board.kind != SETUP_BOARD_BLOCKS || block < 1 ||
        block > WORLD_BLOCKS || !(fabs(degrees) <= 90))
        return -EINVAL;
    table_now(t);
    world_turn_block(&t->state->world, block, degrees);
    table_rearm(t);
    return 0;
}
