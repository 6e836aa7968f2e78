// The person: a task becomes a list of reaches, each a smooth way of the hand and something it does
// at the end.
#include "controller/sim/person.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "config/base/clock.h"
#include "controller/sim/person_private.h"

enum { STEPS_MAX = 6 * (PERSON_LIFTS_MAX + 6) };

// mm over the table
#define HEIGHT_TRAVEL 62.0
#define HEIGHT_HOVER  34.0
#define HEIGHT_TOUCH  9.0
#define HEIGHT_REST   14.0
// Where the arm comes from and where the hand waits, out of the picture.
#define SHOULDER_BACK 520.0
#define AWAY_BACK     330.0
#define SIMPLE_MOVE_S 2.05 // the steps of a simple move, at pace 1
#define BOARD_REACH   0.5  // of the pitch: a stone to lift is looked for so far from its point
#define SCATTER_MOST  0.4  // of the pitch

enum action {
    ACT_NONE,
    ACT_TAKE, // from the bowl of `colour`
    ACT_PUT,  // the stone in the hand, at the step's end
    ACT_PUT_TWO,
    ACT_LIFT,  // the stone near the step's end
    ACT_DROP,  // into a tray
    ACT_NUDGE, // the neighbour of the step's end
    ACT_TURN,  // `block` by `degrees`
    ACT_PRESS,
    ACT_GONE, // the hand is out of sight
};

struct step {
    double seconds;
    double to[3];
    enum action action;
    int colour;
    int block;
    double degrees;
};

struct person {
    struct loop *loop;
    const struct person_ops *ops;
    void *user;
    struct loop_source *timer;
    struct rng rng;
    struct step step[STEPS_MAX];
    int steps, at;
    double from[3], shoulder[2];
    int64_t start_ns; // of the present step
    double pace;      // multiplies all times
    bool present;
    int stone, second; // in the hand, -1 = none
    int result;
    person_done_fn *done;
    void *done_user;
};

// --- the list ---

static void add(struct person *p, double seconds, double x, double y, double z, enum action action,
                int colour)
{
    if (p->steps == STEPS_MAX)
        return; // cannot happen: sized for the largest task
    p->step[p->steps++] =
        (struct step){.seconds = seconds, .to = {x, y, z}, .action = action, .colour = colour};
}

static void away_point(const struct table_setup *s, double ret[2])
{
    setup_board_at(&s->board, 0.6 * (s->board.columns - 1), 0, ret);
    ret[1] = -AWAY_BACK;
}

static void point_of(const struct table_setup *s, int column, int row, double ret[2])
{
    setup_board_at(&s->board, column, row, ret);
}

// Where this person's fingers open when they mean (x, y).
static void scatter(struct person *p, const struct table_setup *s, double at[2])
{
    const double most = SCATTER_MOST * fmin(s->board.pitch_x, s->board.pitch_y);
    double dx = s->person.scatter * rng_gaussian(&p->rng);
    double dy = s->person.scatter * rng_gaussian(&p->rng);
    const double d = hypot(dx, dy);
    if (d > most) {
        dx *= most / d;
        dy *= most / d;
    }
    at[0] += dx;
    at[1] += dy;
}

static void add_take(struct person *p, const struct table_setup *s, int colour)
{
    const struct setup_place *bowl = &s->bowl[colour - 1];
    add(p, 0.45, bowl->x, bowl->y, HEIGHT_TRAVEL, ACT_NONE, 0);
    add(p, 0.20, bowl->x, bowl->y, HEIGHT_HOVER, ACT_TAKE, colour);
}

static void add_retreat(struct person *p, const struct table_setup *s)
{
    double away[2];
    away_point(s, away);
    add(p, 0.50, away[0], away[1], HEIGHT_TRAVEL, ACT_GONE, 0);
}

static void add_hover(struct person *p, const double at[2], double seconds)
{
    add(p, 0.45, at[0], at[1], HEIGHT_HOVER, ACT_NONE, 0);
    add(p, seconds, at[0] + 6, at[1] - 4, HEIGHT_HOVER + 8, ACT_NONE, 0);
}

static void add_put(struct person *p, const struct table_setup *s, int column, int row,
                    enum action action)
{
    double at[2];
    point_of(s, column, row, at);
    scatter(p, s, at);
    add(p, 0.50, at[0], at[1], HEIGHT_HOVER, ACT_NONE, 0);
    add(p, 0.22, at[0], at[1], HEIGHT_TOUCH, action, 0);
    add(p, 0.18, at[0] + 3, at[1] - 8, HEIGHT_HOVER, ACT_NONE, 0);
}

static void add_lift(struct person *p, const struct table_setup *s, const int point[2])
{
    double at[2];
    point_of(s, point[0], point[1], at);
    add(p, 0.40, at[0], at[1], HEIGHT_HOVER, ACT_NONE, 0);
    add(p, 0.25, at[0], at[1], HEIGHT_TOUCH, ACT_LIFT, 0);
    // The tray of its colour is known when it has been taken: see do_lift().
    add(p, 0.45, at[0], at[1], HEIGHT_TRAVEL, ACT_DROP, 0);
}

// The hand takes the block at its rim and goes round with it.
static void add_turn(struct person *p, const struct world *w, int block, int turn)
{
    enum { PARTS = 6 };
    const struct setup_board *b = &w->setup.board;
    double middle[2];
    setup_block_middle(b, block, middle);
    const double radius = 1.45 * fmin(b->pitch_x, b->pitch_y);
    const double degrees = turn * 90 - w->block_turn[block - 1];
    for (int i = 0; i <= PARTS; i++) {
        const double angle = -M_PI / 2 - (degrees * i / PARTS) * M_PI / 180;
        add(p, i ? 0.12 : 0.5, middle[0] + radius * cos(angle), middle[1] + radius * sin(angle),
            HEIGHT_TOUCH, i ? ACT_TURN : ACT_NONE, 0);
        p->step[p->steps - 1].block = block;
        p->step[p->steps - 1].degrees = degrees / PARTS;
    }
}

// --- what the hand does at the end of a step ---

static void do_take(struct person *p, struct world *w, int colour)
{
    if (world_hand_take(w, colour, &p->stone) < 0)
        p->result = -ENOENT;
}

static void do_put(struct person *p, struct world *w, const double at[3])
{
    if (p->stone >= 0)
        world_hand_put(w, p->stone, at[0], at[1]);
    p->stone = p->second;
    p->second = -1;
}

static void do_put_two(struct person *p, struct world *w, const struct step *s)
{
    const struct setup_board *b = &w->setup.board;
    do_put(p, w, s->to);
    do_take(p, w, s->colour);
    // The next free point beside; none free: it goes back into the bowl with the hand.
    static const int AROUND[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int i = 0; i < 4 && p->stone >= 0; i++) {
        double u, v, at[3] = {0};
        setup_board_place(b, s->to, &u, &v);
        u += AROUND[i][0];
        v += AROUND[i][1];
        setup_board_at(b, u, v, at);
        if (u < 0 || v < 0 || u > b->columns - 1 || v > b->rows - 1 ||
            world_find(w, at[0], at[1], b->pitch_x * 0.6) >= 0)
            continue;
        do_put(p, w, at);
    }
}

static void do_lift(struct person *p, struct world *w, const double at[3])
{
    const struct setup_board *b = &w->setup.board;
    if (world_hand_lift(w, at[0], at[1], BOARD_REACH * fmin(b->pitch_x, b->pitch_y), &p->stone) <
        0) {
        p->result = -ENOENT;
        return;
    }
    const struct setup_place *tray = &w->setup.tray[w->stone[p->stone].colour - 1];
    double to[2];
    world_machine_to_table(&w->setup, (const double[2]){tray->x, tray->y}, to);
    for (int i = p->at + 1; i < p->steps; i++) {
        if (p->step[i].action != ACT_DROP)
            continue;
        p->step[i].to[0] = to[0] + rng_range(&p->rng, -0.35, 0.35) * tray->width;
        p->step[i].to[1] = to[1] + rng_range(&p->rng, -0.35, 0.35) * tray->height;
        p->step[i].to[2] = HEIGHT_HOVER;
        break;
    }
}

static void do_nudge(struct person *p, struct world *w, const double at[3])
{
    // A neighbour, not the stone just placed.
    const double beside = 0.6 * w->setup.board.pitch_x;
    double near = 1.7 * w->setup.board.pitch_x;
    int stone = -1;
    for (int i = 0; i < w->stone_count; i++) {
        const struct world_stone *s = &w->stone[i];
        const double d = hypot(s->x - at[0], s->y - at[1]);
        if (s->place == PLACE_TABLE && d > beside && d < near) {
            near = d;
            stone = i;
        }
    }
    if (stone < 0)
        return;
    const double angle = rng_range(&p->rng, 0, 2 * M_PI), way = rng_range(&p->rng, 3, 6);
    world_nudge(w, stone, way * cos(angle), way * sin(angle));
}

static void act(struct person *p, const struct step *s)
{
    struct world *w = p->ops->world(p->user);
    switch (s->action) {
    case ACT_NONE:
        return;
    case ACT_TAKE:
        do_take(p, w, s->colour);
        break;
    case ACT_PUT:
    case ACT_DROP:
        do_put(p, w, s->to);
        break;
    case ACT_PUT_TWO:
        do_put_two(p, w, s);
        break;
    case ACT_LIFT:
        do_lift(p, w, s->to);
        break;
    case ACT_NUDGE:
        do_nudge(p, w, s->to);
        break;
    case ACT_TURN:
        world_turn_block(w, s->block, s->degrees);
        break;
    case ACT_PRESS:
        p->ops->press(p->user);
        break;
    case ACT_GONE:
        p->present = false;
        break;
    }
    w->hand.stone = p->stone;
    w->hand.second = p->second;
    p->ops->changed(p->user);
}

// --- time ---

static int64_t step_ns(const struct person *p)
{
    return clock_span_ns(p->step[p->at].seconds * p->pace);
}

static void put_back(struct person *p)
{
    struct world *w = p->ops->world(p->user);
    if (p->stone >= 0)
        world_hand_return(w, p->stone);
    if (p->second >= 0)
        world_hand_return(w, p->second);
    p->stone = p->second = -1;
    w->hand = (struct world_hand){.stone = -1, .second = -1};
    p->ops->changed(p->user);
}

static void finish(struct person *p, int result)
{
    p->present = false;
    p->steps = 0;
    put_back(p);
    person_done_fn *done = p->done;
    p->done = NULL;
    if (done)
        done(p->done_user, result);
}

static void step_over(void *user, int64_t now_ns)
{
    struct person *p = user;
    const struct step s = p->step[p->at];
    act(p, &s);
    for (int a = 0; a < 3; a++)
        p->from[a] = s.to[a];
    p->start_ns = now_ns;
    if (++p->at < p->steps)
        loop_source_set_due(p->timer, now_ns + step_ns(p));
    else
        finish(p, p->result);
}

void person_pose(const struct person *p, int64_t t_ns, struct world_hand *hand)
{
    hand->present = p->present;
    if (!p->present)
        return;
    const struct step *s = &p->step[p->at];
    double u = (double)(t_ns - p->start_ns) / (double)(step_ns(p) + 1);
    u = fmax(0, fmin(1, u));
    u = u * u * u * (10 + u * (6 * u - 15)); // least jerk (Flash and Hogan 1985)
    hand->x = p->from[0] + (s->to[0] - p->from[0]) * u;
    hand->y = p->from[1] + (s->to[1] - p->from[1]) * u;
    hand->z = p->from[2] + (s->to[2] - p->from[2]) * u;
    // Longer ways go in a bow over the stones.
    const double way = hypot(s->to[0] - p->from[0], s->to[1] - p->from[1]);
    hand->z += fmin(45, 0.15 * way) * 4 * u * (1 - u);
    hand->angle = atan2(hand->x - p->shoulder[0], hand->y - p->shoulder[1]);
    hand->pinching = p->stone >= 0 || s->action == ACT_LIFT;
}

static int begin(struct person *p, person_done_fn *done, void *user)
{
    const struct table_setup *s = &p->ops->world(p->user)->setup;
    double away[2];
    away_point(s, away);
    p->from[0] = away[0];
    p->from[1] = away[1];
    p->from[2] = HEIGHT_TRAVEL;
    p->shoulder[0] = away[0];
    p->shoulder[1] = -SHOULDER_BACK;
    p->at = 0;
    p->stone = p->second = -1;
    p->result = 0;
    p->done = done;
    p->done_user = user;
    p->present = true;
    p->start_ns = loop_now(p->loop);
    p->pace = s->person.move_s / SIMPLE_MOVE_S * rng_range(&p->rng, 0.85, 1.25);
    p->ops->changed(p->user);
    return loop_source_set_due(p->timer, p->start_ns + step_ns(p));
}

// --- tasks ---

static bool on_board(const struct table_setup *s, int column, int row)
{
    return column >= 0 && row >= 0 && column < s->board.columns && row < s->board.rows;
}

static void add_place(struct person *p, const struct table_setup *s, const struct person_task *task)
{
    double at[2];
    int colour = task->colour;
    if (task->blunders & PERSON_WRONG_COLOUR)
        colour = colour % s->stones.colours + 1;
    point_of(s, task->column, task->row, at);
    add_take(p, s, colour);
    if (task->blunders & PERSON_HESITATES || rng_double(&p->rng) < s->person.hesitation) {
        add_hover(p, at, rng_range(&p->rng, 0.4, 1.2));
        if (rng_below(&p->rng, 2)) {
            const double back[2] = {at[0] * 0.5 + 150, -60};
            add_hover(p, back, rng_range(&p->rng, 0.3, 1.0));
        }
    }
    add_put(p, s, task->column, task->row,
            task->blunders & PERSON_TWO_STONES ? ACT_PUT_TWO : ACT_PUT);
    p->step[p->steps - 2].colour = colour;
    if (task->blunders & PERSON_NUDGES)
        add(p, 0.15, at[0] + 4, at[1] - 6, HEIGHT_TOUCH + 4, ACT_NUDGE, 0);
    if (task->blunders & PERSON_RESTS) {
        add(p, 0.4, at[0] + 40, at[1] - 60, HEIGHT_REST, ACT_NONE, 0);
        add(p, 3.0, at[0] + 42, at[1] - 61, HEIGHT_REST, ACT_NONE, 0);
    }
}

int person_do(struct person *p, const struct person_task *task, person_done_fn *done, void *user)
{
    const struct table_setup *s = &p->ops->world(p->user)->setup;
    if (person_busy(p))
        return -EBUSY;
    if (task->lifts < 0 || task->lifts > PERSON_LIFTS_MAX || task->colour < 0 ||
        task->colour > s->stones.colours || (task->colour && !on_board(s, task->column, task->row)))
        return -EINVAL;
    for (int i = 0; i < task->lifts; i++)
        if (!on_board(s, task->lift[i][0], task->lift[i][1]))
            return -EINVAL;
    if (task->block < 0 || task->block > WORLD_BLOCKS ||
        (task->block && s->board.kind != SETUP_BOARD_BLOCKS))
        return -EINVAL;
    const bool press = task->press && !(task->blunders & PERSON_NO_BUTTON);
    p->steps = 0;
    if (press && task->blunders & PERSON_EARLY_BUTTON)
        add(p, 0.1, 0, -AWAY_BACK, HEIGHT_TRAVEL, ACT_PRESS, 0);
    if (task->colour)
        add_place(p, s, task);
    for (int i = 0; i < task->lifts; i++)
        add_lift(p, s, task->lift[i]);
    if (task->block)
        add_turn(p, p->ops->world(p->user), task->block, task->turn);
    add_retreat(p, s);
    if (press && !(task->blunders & PERSON_EARLY_BUTTON)) {
        double away[2];
        away_point(s, away);
        add(p, 0.25, away[0], away[1], HEIGHT_TRAVEL, ACT_PRESS, 0);
    }
    return begin(p, done, user);
}

int person_move_stone(struct person *p, const int from[2], const int to[2], person_done_fn *done,
                      void *user)
{
    const struct table_setup *s = &p->ops->world(p->user)->setup;
    if (person_busy(p))
        return -EBUSY;
    if (!on_board(s, from[0], from[1]) || !on_board(s, to[0], to[1]))
        return -EINVAL;
    double at[2];
    p->steps = 0;
    point_of(s, from[0], from[1], at);
    add(p, 0.60, at[0], at[1], HEIGHT_HOVER, ACT_NONE, 0);
    add(p, 0.25, at[0], at[1], HEIGHT_TOUCH, ACT_LIFT, 0);
    add_put(p, s, to[0], to[1], ACT_PUT);
    add_retreat(p, s);
    return begin(p, done, user);
}

int person_reach(struct person *p, int column, int row, double seconds, person_done_fn *done,
                 void *user)
{
    const struct table_setup *s = &p->ops->world(p->user)->setup;
    if (person_busy(p))
        return -EBUSY;
    if (!on_board(s, column, row))
        return -EINVAL;
    double at[2];
    p->steps = 0;
    point_of(s, column, row, at);
    add(p, 0.55, at[0], at[1], HEIGHT_HOVER, ACT_NONE, 0);
    add(p, seconds, at[0] + 2, at[1] - 2, HEIGHT_HOVER, ACT_NONE, 0);
    add_retreat(p, s);
    return begin(p, done, user);
}

bool person_busy(const struct person *p)
{
    return p->steps > 0;
}

void person_stop(struct person *p)
{
    if (!person_busy(p))
        return;
    loop_source_set_due(p->timer, INT64_MAX);
    finish(p, -ECANCELED);
}

// --- life ---

int person_new(struct loop *loop, const struct person_ops *ops, void *user, uint64_t seed,
               struct person **ret)
{
    struct person *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->loop = loop;
    p->ops = ops;
    p->user = user;
    p->stone = p->second = -1;
    rng_seed(&p->rng, seed ^ 0x706572736f6e);
    int r = loop_add_timer(loop, INT64_MAX, step_over, p, &p->timer);
    if (r < 0) {
        free(p);
        return r;
    }
    *ret = p;
    return 0;
}

struct person *person_free(struct person *p)
{
    if (!p)
        return NULL;
    loop_source_free(p->timer);
    free(p);
    return NULL;
}
