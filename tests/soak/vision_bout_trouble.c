#include "tests/soak/vision_bout_private.h"

enum {
    NAMING_S = 6,  // until a mistake counts as not reported
    BUMPS_MAX = 2, // further ones would push the board out of the picture
};

static const struct {
    const char *name;
    int share; // of 1000 turns
    bool mistake;
} TROUBLE[TROUBLES] = {
    [TROUBLE_NONE] = {"nothing", 420, false},
    [TROUBLE_HESITATES] = {"hesitates", 60, false},
    [TROUBLE_RESTS] = {"hand rests", 50, false},
    [TROUBLE_NUDGE] = {"stone nudged", 70, false},
    [TROUBLE_FAST] = {"fast play", 70, false},
    [TROUBLE_LATE_LIFT] = {"lifts late", 60, false},
    [TROUBLE_LAMP] = {"lamp switched", 50, false},
    [TROUBLE_CLOUD] = {"cloud", 40, false},
    [TROUBLE_GLARE] = {"glare", 40, false},
    [TROUBLE_DRIFT] = {"exposure drifts", 20, false},
    [TROUBLE_BUMP] = {"camera bumped", 30, false},
    [TROUBLE_TRUNCATED] = {"broken frames", 20, false},
    [TROUBLE_WRONG_COLOUR] = {"wrong colour", 25, true},
    [TROUBLE_TWO_STONES] = {"two stones", 20, true},
    [TROUBLE_MOVED] = {"stone moved", 25, true},
};

const char *bout_trouble_name(enum bout_trouble trouble)
{
    return TROUBLE[trouble].name;
}

bool bout_trouble_is_mistake(enum bout_trouble trouble)
{
    return TROUBLE[trouble].mistake;
}

enum bout_trouble bout_choose_trouble(struct rng *rng)
{
    int dice = (int)rng_below(rng, 1000);
    for (int t = 0; t < TROUBLES; t++) {
        dice -= TROUBLE[t].share;
        if (dice < 0)
            return (enum bout_trouble)t;
    }
    return TROUBLE_NONE;
}

unsigned bout_blunder(enum bout_trouble trouble)
{
    switch (trouble) {
    case TROUBLE_HESITATES:
        return PERSON_HESITATES;
    case TROUBLE_RESTS:
        return PERSON_RESTS;
    case TROUBLE_NUDGE:
        return PERSON_NUDGES;
    case TROUBLE_WRONG_COLOUR:
        return PERSON_WRONG_COLOUR;
    case TROUBLE_TWO_STONES:
        return PERSON_TWO_STONES;
    default:
        return 0;
    }
}

double bout_disturb(struct bout *b, enum bout_trouble trouble)
{
    double pause = rng_below(&b->rng, 2) ? rng_range(&b->rng, 0.3, 2) : 0;
    switch (trouble) {
    case TROUBLE_LAMP:
        table_fault(b->table, FAULT_LIGHT_GAIN, rng_range(&b->rng, 0.55, 1.2));
        return pause;
    case TROUBLE_CLOUD:
        table_fault(b->table, FAULT_LIGHT_CLOUD, rng_range(&b->rng, 0.5, 0.85));
        return 0;
    case TROUBLE_GLARE:
        table_fault(b->table, FAULT_LIGHT_GLARE, rng_range(&b->rng, 0.1, 0.7));
        return pause;
    case TROUBLE_DRIFT:
        table_fault(b->table, FAULT_EXPOSURE_DRIFT, rng_range(&b->rng, -0.15, 0.15));
        return 0;
    case TROUBLE_BUMP:
        if (b->bumps++ < BUMPS_MAX)
            table_fault(b->table, FAULT_CAMERA_BUMP, rng_range(&b->rng, 1, 6));
        return pause;
    case TROUBLE_TRUNCATED:
        table_fault(b->table, FAULT_CAMERA_TRUNCATE, 1 + rng_below(&b->rng, 6));
        return 0;
    default:
        return 0;
    }
}

// Lets the mistake lie until it is named, then has it put right by `mend`.
static int be_told(struct bout *b)
{
    b->totals->mistakes++;
    int r = 0;
    for (int i = 0; r == 0 && !b->named && !b->over && i < NAMING_S * BOUT_FPS; i++)
        r = bout_step(b);
    if (b->named)
        b->totals->named++;
    else if (!b->over)
        bout_fail(b, "a mistake was not named:", "");
    return r;
}

int bout_lay_wrongly(struct bout *b, enum bout_trouble trouble, struct move move)
{
    int8_t lies[SETUP_LINES_MAX * SETUP_LINES_MAX];
    struct person_task task = {.colour = (int)game_next_colour(&b->truth),
                               .column = move.x,
                               .row = move.y,
                               .blunders = bout_blunder(trouble)};
    b->mistaken = true;
    int r = bout_do_task(b, &task);
    if (r == 0)
        r = be_told(b);
    // Everything the game doesn't know goes back.
    struct person_task mend = {0};
    int n = b->setup.board.columns;
    table_truth(b->table, lies);
    for (int i = 0; i < n * b->setup.board.rows; i++) {
        if (lies[i] > 0 && game_at(&b->truth, i % n, i / n) == 0)
            bout_add_lift(&mend, (struct point){(int8_t)(i % n), (int8_t)(i / n)});
    }
    if (r == 0 && mend.lifts)
        r = bout_do_task(b, &mend);
    return r;
}

int bout_move_wrongly(struct bout *b)
{
    int n = b->setup.board.columns, from[2] = {-1, -1}, to[2] = {-1, -1};
    for (int i = 0; i < BOUT_TRIES && (from[0] < 0 || to[0] < 0); i++) {
        int x = (int)rng_below(&b->rng, (uint32_t)n), y = (int)rng_below(&b->rng, (uint32_t)n);
        int *at = game_at(&b->truth, x, y) ? from : to;
        if (at == to && bout_has_neighbour(&b->truth, x, y) && rng_below(&b->rng, 4))
            continue; // mostly far from the others, where it is surely not in anybody's way
        at[0] = x;
        at[1] = y;
    }
    if (from[0] < 0 || to[0] < 0)
        return 0;
    b->mistaken = true;
    int r =
        bout_finish_task(b, person_move_stone(table_person(b->table), from, to, bout_on_done, b));
    if (r == 0)
        r = be_told(b);
    if (r == 0)
        r = bout_finish_task(b,
                             person_move_stone(table_person(b->table), to, from, bout_on_done, b));
    return r;
}

// The mistake has been put right: from here on the board is fair again.
int bout_after_mistake(struct bout *b)
{
    int r = bout_wait(b, 0.3);
    b->mistaken = b->named = b->asked = false;
    if (r == 0 && !bout_is_fair(b))
        b->over = true; // the hand pushed something else: nothing can be concluded from here
    return r;
}
