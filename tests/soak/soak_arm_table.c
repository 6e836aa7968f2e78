#include "soak_arm_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/base/rng.h"
#include "controller/sim/world.h"
#include "tests/sim/test_motion_table.h"

enum { GRID = 19, TRIES_MAX = 40, FULL_BOARD = 150, FULL_STORE = 40, PROGRESS_S = 60 };

static const double OFF_SLOT = 1.2; // mm beside its slot: nearer to its neighbour's than is safe

// Reads the line as an outsider does: after an alarm or banner came in whole, no motion may go out
// before $H has.
struct watch {
    char in[256], out[256];
    size_t in_length, out_length;
    bool lost;
    int violations;
};

struct soak {
    struct table_rig rig;
    struct rng rng;
    struct watch watch;
    struct table_soak_result *result;
    int8_t board[GRID][GRID]; // colour the arm was told to have put there
    int stones;
    int on_floor;     // at the last look; who looks after the table takes those up
    bool hurt_lately; // incidents are explained by a fault
};

static void watch_line(struct watch *w, enum transport_direction direction, const char *line)
{
    if (direction == TRANSPORT_IN) {
        if (strncmp(line, "ALARM:", 6) == 0 || strncmp(line, "Grbl 1.1", 8) == 0)
            w->lost = true;
    } else if (strcmp(line, "$H") == 0) {
        w->lost = false;
    } else if (w->lost && (strncmp(line, "G53", 3) == 0 || strncmp(line, "$J", 2) == 0)) {
        w->violations++;
    }
}

static void on_bytes(void *user, enum transport_direction direction, const void *data, size_t size)
{
    struct watch *w = user;
    char *line = direction == TRANSPORT_IN ? w->in : w->out;
    size_t *length = direction == TRANSPORT_IN ? &w->in_length : &w->out_length;
    const char *p = data;
    for (size_t i = 0; i < size; i++) {
        if (p[i] == '\n') {
            line[*length] = '\0';
            watch_line(w, direction, line);
            *length = 0;
        } else if (p[i] >= ' ' && !strchr("?!~", p[i]) && *length < sizeof w->in - 1) {
            line[(*length)++] = p[i];
        }
    }
}

static int count_incidents(struct soak *s)
{
    const struct world *w = table_world(s->rig.table);
    return w->incident_kind[INCIDENT_STRUCK] + w->incident_kind[INCIDENT_CRASH] +
           w->incident_kind[INCIDENT_STACKED] + w->incident_kind[INCIDENT_PRESSED];
}

// ---- faults ------------------------------------------------------------------------------------

// The mushroom button cuts the power of motors and pump; its second contact tells the computer.
static void press_estop(struct soak *s, bool pressed)
{
    table_estop(s->rig.table, pressed);
    arm_set_stop_input(s->rig.arm, ARM_STOP_ESTOP, pressed, loop_now(s->rig.loop));
    table_rig_update(&s->rig);
}

static void hurt(struct soak *s)
{
    struct table *t = s->rig.table;
    s->result->faults++;
    s->hurt_lately = true;
    switch (rng_below(&s->rng, 11)) {
    case 0:
        table_fault(t, FAULT_UNPLUG, 0);
        table_rig_wait(&s->rig, rng_range(&s->rng, 0.5, 5));
        table_fault(t, FAULT_REPLUG, 0);
        break;
    case 1:
        table_fault(t, FAULT_BROWN_OUT, 0);
        break;
    case 2:
        table_fault(t, FAULT_STALL_REPLIES, rng_range(&s->rng, 0.2, 12));
        break;
    case 3:
        table_fault(t, FAULT_LOSE_BYTES_IN, 1 + (double)rng_below(&s->rng, 3));
        break;
    case 4:
        table_fault(t, FAULT_LOSE_BYTES_OUT, 1 + (double)rng_below(&s->rng, 3));
        break;
    case 5:
        table_fault(t, FAULT_NOISE_OUT, 5);
        break;
    case 6:
        table_fault(t, FAULT_LIMIT_TRIP, 0);
        break;
    case 7:
        table_fault(t, FAULT_LOSE_STONE, rng_range(&s->rng, 0.05, 1));
        break;
    case 8:
        arm_stop(s->rig.arm, ARM_STOP_HAND, loop_now(s->rig.loop));
        table_rig_update(&s->rig);
        break;
    case 9:
        press_estop(s, true);
        table_rig_wait(&s->rig, rng_range(&s->rng, 0.1, 5));
        press_estop(s, false);
        break;
    default:
        table_fault(t, FAULT_PICK_FAILS, 1 + (double)rng_below(&s->rng, 5));
        break;
    }
}

static void empty_tray(struct soak *s, int tray)
{
    table_empty_tray(s->rig.table, tray + 1);
    memset(s->rig.stores.store[2 + tray].full, 0, sizeof s->rig.stores.store[2 + tray].full);
}

// What camera and person do after a fault in the real game: look where stones lie, put the cup in
// order, take up what fell beside a point.
static bool recover(struct soak *s)
{
    double at[3];
    for (int i = 0; i < 8; i++) {
        if (arm_position(s->rig.arm, at) && arm_held(s->rig.arm) == ARM_HELD_NO)
            return true;
        s->result->recoveries++;
        table_rig_wait(&s->rig, 1);
        table_rig_home(&s->rig);
        table_rig_wait(&s->rig, 0.2);
    }
    return false;
}

// A stone that fell into a tray lies beside its slot: who looks after the table empties the tray.
static void tidy_trays(struct soak *s)
{
    const struct world *w = table_world(s->rig.table);
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *stone = &w->stone[i];
        int tray = stone->place == PLACE_TABLE ? world_tray_at(&w->setup, stone->x, stone->y) : -1;
        if (tray < 0)
            continue;
        const struct store *t = &s->rig.stores.store[2 + tray];
        double at[2];
        board_map_to_machine(&s->rig.map, (double[]){stone->x, stone->y}, at);
        double column = round((at[0] - t->x) / t->step_x), row = round((at[1] - t->y) / t->step_y);
        if (hypot(at[0] - t->x - column * t->step_x, at[1] - t->y - row * t->step_y) > OFF_SLOT)
            empty_tray(s, tray);
    }
}

static void look(struct soak *s)
{
    static int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    const struct world *w = table_world(s->rig.table);
    // Fallen stones anywhere off the points and off the stores are taken up by hand.
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *stone = &w->stone[i];
        if (stone->place != PLACE_TABLE || world_tray_at(&w->setup, stone->x, stone->y) >= 0)
            continue;
        double c = round(stone->x / 22), r = round(stone->y / 22);
        bool on_point = c >= 0 && c < GRID && r >= 0 && r < GRID &&
                        hypot(stone->x - 22 * c, stone->y - 22 * r) < 5;
        if (!on_point || !s->board[(int)r][(int)c])
            table_take_stone(s->rig.table, stone->x, stone->y);
    }
    struct table_ledger l;
    table_ledger(s->rig.table, &l);
    s->on_floor = l.floor;
    table_truth(s->rig.table, truth);
    for (int r = 0; r < GRID; r++) {
        for (int c = 0; c < GRID; c++) {
            int8_t *mine = &s->board[r][c], seen = truth[r * GRID + c];
            if (*mine == seen)
                continue;
            if (*mine && !seen)
                s->stones--;
            *mine = seen > 0 ? seen : 0;
        }
    }
}

// ---- work --------------------------------------------------------------------------------------

// Where a stone of this point lies, as the camera sees it.
static void seen_at(const struct soak *s, int column, int row, double ret[2])
{
    const struct world *w = table_world(s->rig.table);
    ret[0] = 22.0 * column;
    ret[1] = 22.0 * row;
    int i = world_find(w, ret[0], ret[1], 11);
    if (i < 0)
        return;
    ret[0] = w->stone[i].x;
    ret[1] = w->stone[i].y;
}

static void tell_obstacles(struct soak *s)
{
    static struct travel_obstacle o[GRID * GRID];
    int n = 0;
    for (int r = 0; r < GRID; r++) {
        for (int c = 0; c < GRID; c++) {
            double board[2], at[2];
            if (!s->board[r][c])
                continue;
            seen_at(s, c, r, board);
            board_map_to_machine(&s->rig.map, board, at);
            o[n++] = (struct travel_obstacle){at[0], at[1], 9, -42};
        }
    }
    arm_set_obstacles(s->rig.arm, o, n);
}

static void keep_stores(struct soak *s)
{
    const struct world *w = table_world(s->rig.table);
    for (int c = 0; c < 2; c++) {
        if (stores_room(&s->rig.stores, 2 + c) < 2)
            empty_tray(s, c);
        if (world_count(w, PLACE_STORE, c + 1) < FULL_STORE / 2)
            table_fill_store(s->rig.table, c + 1, FULL_STORE / 2);
        stores_set_count(&s->rig.stores, c, FULL_STORE);
    }
}

static bool idle(struct table_rig *rig)
{
    return !arm_busy(rig->arm);
}

static void perhaps_hurt(struct soak *s)
{
    if (rng_below(&s->rng, 8) > 0)
        return;
    table_rig_wait(&s->rig, rng_range(&s->rng, 0, 4));
    hurt(s);
}

// The stone is picked ahead and waits, parked with the arm, as while a person thinks. False: it did
// not come to that, or has fallen since.
static bool pick_ahead(struct soak *s, int store)
{
    const struct arm_job jobs[2] = {{.kind = ARM_JOB_PICK, .store = store},
                                    {.kind = ARM_JOB_PARK, .store = -1}};
    for (int i = 0; i < 2; i++) {
        if (arm_submit(s->rig.arm, &jobs[i], loop_now(s->rig.loop), NULL, NULL) < 0)
            return false;
    }
    perhaps_hurt(s);
    table_rig_run(&s->rig, idle, 200);
    table_rig_wait(&s->rig, rng_range(&s->rng, 0, 20));
    double at[3];
    s->result->ahead++;
    return arm_position(s->rig.arm, at) && arm_check_held(s->rig.arm) == ARM_HELD_YES;
}

// One stone placed or lifted, perhaps with a fault on the way.
static void one_stone(struct soak *s)
{
    int c = (int)rng_below(&s->rng, GRID), r = (int)rng_below(&s->rng, GRID);
    struct arm_job job = {.x = 22.0 * c, .y = 22.0 * r, .kind = ARM_JOB_LIFT};
    int8_t colour = s->board[r][c];
    double at[2];
    seen_at(s, c, r, at);
    if (colour) {
        job.x = at[0];
        job.y = at[1];
        job.store = 1 + colour;
    } else if (s->stones < FULL_BOARD) {
        job.kind = ARM_JOB_PLACE;
        job.store = (int)rng_below(&s->rng, 2);
    } else {
        return;
    }
    tell_obstacles(s);
    if (job.kind == ARM_JOB_PLACE && rng_below(&s->rng, 3) == 0 && !pick_ahead(s, job.store))
        return;
    int done = s->rig.jobs_done;
    double machine[2];
    board_map_to_machine(&s->rig.map, (double[]){job.x, job.y}, machine);
    job.x = machine[0];
    job.y = machine[1];
    if (arm_submit(s->rig.arm, &job, loop_now(s->rig.loop), NULL, NULL) < 0)
        return;
    perhaps_hurt(s);
    table_rig_run(&s->rig, idle, 200);
    if (s->rig.jobs_done == done + 1) {
        s->board[r][c] = job.kind == ARM_JOB_PLACE ? (int8_t)(job.store + 1) : 0;
        s->stones += job.kind == ARM_JOB_PLACE ? 1 : -1;
        *(job.kind == ARM_JOB_PLACE ? &s->result->placed : &s->result->lifted) += 1;
        return;
    }
    s->result->dropped += s->rig.last.reason == ARM_STONE_LOST;
    s->result->not_gripped += s->rig.last.reason == ARM_NOTHING_GRIPPED;
}

// Without a fault since the last look, every point must hold what the arm says.
static void account(struct soak *s)
{
    static int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    struct table_ledger l;
    table_truth(s->rig.table, truth);
    table_ledger(s->rig.table, &l);
    for (int r = 0; r < GRID; r++) {
        for (int c = 0; c < GRID; c++)
            s->result->unaccounted += truth[r * GRID + c] != s->board[r][c];
    }
    s->result->unaccounted +=
        l.floor - s->on_floor + (arm_held(s->rig.arm) == ARM_HELD_NO ? l.cup : 0);
}

// Long runs say once a minute how far they are; on standard error, so that the same seed prints the
// same result.
static void tell_progress(const struct soak *s, int stones, time_t *next)
{
    time_t now = time(NULL);
    if (*next == 0)
        *next = now + PROGRESS_S;
    if (now < *next)
        return;
    *next = now + PROGRESS_S;
    const struct table_soak_result *r = s->result;
    fprintf(stderr, "soak_arm: %d of %d stones, %d faults, %d unaccounted for, %d collisions\n",
            r->placed + r->lifted, stones, r->faults, r->unaccounted, r->incidents);
}

static void tell_incidents(const struct soak *s, int64_t since)
{
    const struct world *w = table_world(s->rig.table);
    for (int i = 0; i < WORLD_INCIDENTS_KEPT && i < w->incident_count; i++) {
        const struct world_incident *n = &w->incident[i];
        if (n->time_ns >= since)
            fprintf(stderr, "soak_arm: %.3f s, at %.1f, %.1f mm: %s\n", (double)n->time_ns / 1e9,
                    n->x, n->y, world_incident_name(n->kind));
    }
}

int table_soak(int stones, uint64_t seed, struct table_soak_result *ret)
{
    static struct soak s; // too large for a stack
    struct table_setup setup;
    struct error err = {0};
    memset(&s, 0, sizeof s);
    memset(ret, 0, sizeof *ret);
    s.result = ret;
    rng_seed(&s.rng, seed);
    table_setup_default(&setup);
    setup.seed = seed;
    if (table_rig_setup(&s.rig, &setup, &err) < 0) {
        fprintf(stderr, "soak_arm: %s\n", err.text);
        return -1;
    }
    s.rig.transport->tap = on_bytes;
    s.rig.transport->tap_user = &s.watch;
    table_fault(s.rig.table, FAULT_PICK_RATE, 0.03);
    int result = 0, incidents = 0;
    time_t next = 0;
    int64_t since = 0;
    while (result == 0 && ret->placed + ret->lifted < stones) {
        if (!recover(&s)) {
            fprintf(stderr, "soak_arm: the arm did not come back to work: %s\n", s.rig.text);
            result = -1;
            break;
        }
        tell_progress(&s, stones, &next);
        s.hurt_lately = false;
        look(&s);
        tidy_trays(&s);
        keep_stores(&s);
        incidents = count_incidents(&s);
        since = loop_now(s.rig.loop);
        double at[3];
        for (int i = 0; i < TRIES_MAX && !s.hurt_lately && arm_position(s.rig.arm, at) &&
                        ret->placed + ret->lifted < stones;
             i++) {
            one_stone(&s);
            if (arm_held(s.rig.arm) != ARM_HELD_NO)
                break;
            if (!s.hurt_lately && s.rig.last.kind == ARM_EVENT_DONE)
                account(&s);
            keep_stores(&s);
        }
        if (!s.hurt_lately && count_incidents(&s) > incidents) {
            ret->incidents += count_incidents(&s) - incidents;
            tell_incidents(&s, since);
        }
    }
    ret->blind_motion = s.watch.violations;
    ret->retries = s.rig.retries;
    ret->bytes_lost = table_overflows(s.rig.table);
    ret->hours = (double)loop_now(s.rig.loop) / 3.6e12;
    table_rig_teardown(&s.rig);
    return result;
}
