// The world: its beginning, its frames, its stones and its book-keeping.
#include "controller/sim/world_private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define POCKET_SLIDE_NS INT64_C(250000000) // a stone slides into the empty pocket
#define POCKET_PLAY     0.25               // σ mm of a stone in its pocket
#define POCKET_LOOK_NS  INT64_C(20000000)  // … looked at so often while something is in the way

static const double RADIANS = M_PI / 180;

// --- frames ---

void world_table_to_machine(const struct table_setup *setup, const double table[2], double ret[2])
{
    const struct setup_machine *m = &setup->machine;
    const double skew = m->skew_deg * RADIANS, angle = m->rotation_deg * RADIANS;
    const double x = table[0] + table[1] * sin(skew), y = table[1] * cos(skew);
    ret[0] = m->a1_x + m->scale * (cos(angle) * x - sin(angle) * y);
    ret[1] = m->a1_y + m->scale * (sin(angle) * x + cos(angle) * y);
}

void world_machine_to_table(const struct table_setup *setup, const double machine[2], double ret[2])
{
    const struct setup_machine *m = &setup->machine;
    const double skew = m->skew_deg * RADIANS, angle = m->rotation_deg * RADIANS;
    const double u = (machine[0] - m->a1_x) / m->scale, v = (machine[1] - m->a1_y) / m->scale;
    const double x = cos(angle) * u + sin(angle) * v, y = -sin(angle) * u + cos(angle) * v;
    ret[1] = y / cos(skew);
    ret[0] = x - ret[1] * sin(skew);
}

double world_sheet_height(const struct setup_board *board, double x, double y)
{
    if (board->curl <= 0 && board->ripple <= 0)
        return 0;
    double size[2];
    setup_board_at(board, board->columns - 1, board->rows - 1, size);
    const double w = size[0] + 2 * board->margin, h = size[1] + 2 * board->margin;
    const double u = 2 * (x + board->margin) / w - 1, v = 2 * (y + board->margin) / h - 1;
    if (fabs(u) > 1 || fabs(v) > 1)
        return 0;
    const double corner = u * u * v * v;
    return board->curl * corner * corner + board->ripple * 0.5 * (1 + cos(7.0 * u + 1.3)) * v * v;
}

int world_tray_at(const struct table_setup *setup, double x, double y)
{
    double machine[2];
    world_table_to_machine(setup, (const double[2]){x, y}, machine);
    for (int i = 0; i < setup->stones.colours; i++) {
        const struct setup_place *tray = &setup->tray[i];
        if (fabs(machine[0] - tray->x) <= tray->width / 2 &&
            fabs(machine[1] - tray->y) <= tray->height / 2)
            return i;
    }
    return -1;
}

// --- the beginning ---

static int new_stone(struct world *world, int colour)
{
    int i = 0;
    while (i < world->stone_count && world->stone[i].place != PLACE_GONE)
        i++;
    if (i == WORLD_STONES_MAX)
        return -ENOSPC;
    if (i == world->stone_count)
        world->stone_count++;
    const struct setup_stones *s = &world->setup.stones;
    const double size = 1 + s->spread * fmax(-2.5, fmin(2.5, rng_gaussian(&world->rng)));
    world->stone[i] = (struct world_stone){
        .radius = s->diameter / 2 * size,
        // A stone's thickness varies less than its width: they are poured.
        .height = s->height * (1 + (size - 1) / 2),
        .turn = rng_range(&world->rng, 0, 2 * M_PI),
        .colour = (int8_t)colour,
        .holder = (int8_t)(colour - 1),
    };
    world->version++;
    return i;
}

void world_init(struct world *world, const struct table_setup *setup, int64_t t_ns)
{
    memset(world, 0, sizeof *world);
    world->setup = *setup;
    world->time_ns = t_ns;
    rng_seed(&world->rng, setup->seed ^ 0x776f726c64); // a stream of its own
    world->pick_failure = setup->gripper.failure;
    world->sensor_stuck = -1;
    world->hand.stone = world->hand.second = -1;
    for (int c = 0; c < setup->stones.colours; c++) {
        for (int k = 0; k < setup->store[c].count + setup->bowl[c].count; k++) {
            int i = new_stone(world, c + 1);
            if (i < 0)
                break;
            world->stone[i].place = k < setup->store[c].count ? PLACE_STORE : PLACE_BOWL;
            world->made++;
        }
    }
    for (int c = 0; c < SETUP_COLOURS; c++)
        world->store[c].exposed = -1;
    world_refill_pockets(world, t_ns);
    struct world_tool *tool = &world->tool;
    tool->powered = true;
    tool->touching = tool->sealed = -1;
    tool->lose_ns = INT64_MAX;
    // Switched on: the gantry stands where somebody left it, and the firmware calls that zero.
    const double rest[3] = {-setup->machine.travel[0] + 12, -25, -6};
    for (int a = 0; a < 3; a++)
        tool->lost[a] = -rest[a];
    world->vacuum = (struct world_vacuum){.tau_ns = 1e7, .since_ns = t_ns};
    world_move_tool(world, t_ns, (const double[3]){0, 0, 0}, false);
}

// --- magazines ---

// The stone just taken is still being lifted out.
static bool pocket_blocked(const struct world *world, const double at[2])
{
    const struct world_tool *tool = &world->tool;
    if (!tool->held)
        return false;
    const struct world_stone *s = &world->stone[tool->sealed];
    return s->z < s->height + 1 && hypot(s->x - at[0], s->y - at[1]) < 2 * s->radius;
}

static void fill_pocket(struct world *world, int store, int64_t t_ns)
{
    struct world_store *s = &world->store[store];
    if (s->exposed >= 0 && world->stone[s->exposed].place != PLACE_STORE) {
        s->exposed = -1;
        s->ready_ns = t_ns + POCKET_SLIDE_NS;
    }
    if (s->exposed >= 0 || t_ns < s->ready_ns)
        return;
    const struct setup_place *place = &world->setup.store[store];
    double at[2];
    world_machine_to_table(&world->setup, (const double[2]){place->x, place->y}, at);
    if (pocket_blocked(world, at)) {
        s->ready_ns = t_ns + POCKET_LOOK_NS;
        return;
    }
    for (int i = 0; i < world->stone_count; i++) {
        struct world_stone *stone = &world->stone[i];
        if (stone->place != PLACE_STORE || stone->holder != store)
            continue;
        stone->x = at[0] + POCKET_PLAY * fmax(-2, fmin(2, rng_gaussian(&world->rng)));
        stone->y = at[1] + POCKET_PLAY * fmax(-2, fmin(2, rng_gaussian(&world->rng)));
        stone->z = 0;
        s->exposed = i;
        world->version++;
        return;
    }
}

void world_refill_pockets(struct world *world, int64_t t_ns)
{
    for (int c = 0; c < world->setup.stones.colours; c++)
        fill_pocket(world, c, t_ns);
}

// --- hands ---

int world_hand_take(struct world *world, int colour, int *ret_stone)
{
    for (int i = 0; i < world->stone_count; i++) {
        struct world_stone *stone = &world->stone[i];
        if (stone->place == PLACE_BOWL && stone->colour == colour) {
            stone->place = PLACE_HAND;
            world->version++;
            *ret_stone = i;
            return 0;
        }
    }
    return -ENOENT;
}

int world_find(const struct world *world, double x, double y, double reach)
{
    int best = -1;
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *stone = &world->stone[i];
        const double d = hypot(stone->x - x, stone->y - y);
        if (stone->place == PLACE_TABLE && d <= reach) {
            reach = d;
            best = i;
        }
    }
    return best;
}

int world_hand_lift(struct world *world, double x, double y, double reach, int *ret_stone)
{
    int i = world_find(world, x, y, reach);
    if (i < 0)
        return -ENOENT;
    world->stone[i].place = PLACE_HAND;
    world->version++;
    *ret_stone = i;
    return 0;
}

void world_hand_put(struct world *world, int stone, double x, double y)
{
    struct world_stone *s = &world->stone[stone];
    s->x = x;
    s->y = y;
    s->place = PLACE_TABLE;
    world_land(world, stone, 0);
}

void world_hand_return(struct world *world, int stone)
{
    world->stone[stone].place = PLACE_BOWL;
    world->version++;
}

void world_nudge(struct world *world, int stone, double dx, double dy)
{
    world->stone[stone].x += dx;
    world->stone[stone].y += dy;
    world_settle(world, stone);
}

static int marbles_on_board(const struct world *world)
{
    const struct setup_board *b = &world->setup.board;
    double far[2];
    setup_board_at(b, b->columns - 1, b->rows - 1, far);
    int count = 0;
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *s = &world->stone[i];
        count += s->place == PLACE_TABLE && s->x > -b->pitch_x / 2 && s->y > -b->pitch_y / 2 &&
                 s->x < far[0] + b->pitch_x / 2 && s->y < far[1] + b->pitch_y / 2;
    }
    return count;
}

bool world_turned_since(const struct world *world)
{
    return world->turned_with == marbles_on_board(world);
}

void world_turn_block(struct world *world, int block, double degrees)
{
    const struct setup_board *b = &world->setup.board;
    double middle[2];
    setup_block_middle(b, block, middle);
    const double half[2] = {1.5 * b->pitch_x, 1.5 * b->pitch_y};
    double *turned = &world->block_turn[block - 1], *askew = &world->block_askew[block - 1];
    *turned += degrees;
    if (fabs(*turned) > 89.9) { // it snaps in
        const double stands = b->hollows ? b->askew * rng_gaussian(&world->rng) : 0;
        degrees += stands - *askew;
        *askew = stands;
        world->block_quarters[block - 1] += *turned > 0 ? 1 : -1;
        *turned = 0;
        world->turned_with = marbles_on_board(world);
    }
    const double angle = -degrees * M_PI / 180; // clockwise, seen from above
    for (int i = 0; i < world->stone_count; i++) {
        struct world_stone *s = &world->stone[i];
        const double dx = s->x - middle[0], dy = s->y - middle[1];
        if (s->place != PLACE_TABLE || fabs(dx) > half[0] || fabs(dy) > half[1])
            continue;
        s->x = middle[0] + dx * cos(angle) - dy * sin(angle);
        s->y = middle[1] + dx * sin(angle) + dy * cos(angle);
        s->turn += angle;
    }
    world->version++;
}

double world_block_angle(const struct world *world, int block)
{
    return world->block_turn[block - 1] + world->block_askew[block - 1];
}

void world_hollow_at(const struct world *world, double column, double row, double ret[2])
{
    const struct setup_board *b = &world->setup.board;
    setup_board_at(b, column, row, ret);
    if (!b->hollows)
        return;
    double middle[2];
    const int block = (row < 2.5 ? 3 : 1) + (column > 2.5);
    setup_block_middle(b, block, middle);
    const double angle = -world_block_angle(world, block) * M_PI / 180;
    const double dx = ret[0] - middle[0], dy = ret[1] - middle[1];
    ret[0] = middle[0] + dx * cos(angle) - dy * sin(angle);
    ret[1] = middle[1] + dx * sin(angle) + dy * cos(angle);
}

// --- owner and tests ---

int world_add_stone(struct world *world, int colour, double x, double y)
{
    int i = new_stone(world, colour);
    if (i < 0)
        return i;
    struct world_stone *s = &world->stone[i];
    s->x = x;
    s->y = y;
    s->z = world_sheet_height(&world->setup.board, x, y);
    s->place = PLACE_TABLE;
    world->made++;
    return i;
}

int world_remove_stone(struct world *world, double x, double y)
{
    const struct setup_board *b = &world->setup.board;
    int i = world_find(world, x, y, fmin(b->pitch_x, b->pitch_y) / 2);
    if (i < 0)
        return -ENOENT;
    world->stone[i].place = PLACE_GONE;
    world->taken++;
    world->version++;
    return 0;
}

int world_count(const struct world *world, enum world_place place, int colour)
{
    int n = 0;
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *stone = &world->stone[i];
        n += stone->place == (int8_t)place && (!colour || stone->colour == colour);
    }
    return n;
}

void world_incident(struct world *world, enum world_incident_kind kind, int stone, int other,
                    double x, double y)
{
    world->incident[world->incident_count++ % WORLD_INCIDENTS_KEPT] = (struct world_incident){
        .time_ns = world->time_ns, .kind = kind, .stone = stone, .other = other, .x = x, .y = y};
    world->incident_kind[kind]++;
}

const char *world_incident_name(enum world_incident_kind kind)
{
    static const char *const NAMES[INCIDENT_KINDS] = {
        [INCIDENT_STRUCK] = "a standing stone was struck",
        [INCIDENT_PRESSED] = "the cup was pressed into something",
        [INCIDENT_DROPPED] = "a stone was dropped",
        [INCIDENT_STACKED] = "a stone was let go over another one",
        [INCIDENT_FLOOR] = "a stone fell off the table",
        [INCIDENT_HAND] = "the arm moved within reach of a hand",
        [INCIDENT_CRASH] = "the gantry ran against its end",
    };
    return NAMES[kind];
}
