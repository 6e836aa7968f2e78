#include "rules/engine/gameclock.h"

void gameclock_restart(struct gameclock *clock)
{
    for (unsigned c = 0; c <= COLOURS_MAX; c++) {
        clock->side[c].left_ns = clock->main_ns > 0 ? clock->main_ns : clock->byo_ns;
        clock->side[c].stones = clock->main_ns > 0 ? 0 : clock->byo_stones;
    }
}

void gameclock_start(struct gameclock *clock, int64_t main_ns, int64_t byo_ns, int byo_stones,
                     int64_t increment_ns)
{
    bool byo = byo_ns > 0 && byo_stones > 0;
    *clock = (struct gameclock){.set = byo || byo_ns <= 0,
                                .main_ns = main_ns,
                                .byo_ns = byo ? byo_ns : 0,
                                .byo_stones = byo ? byo_stones : 0,
                                .increment_ns = increment_ns};
    gameclock_restart(clock);
}

void gameclock_tell(struct gameclock *clock, unsigned colour, int64_t left_ns, int stones)
{
    clock->set = true;
    clock->side[colour].left_ns = left_ns;
    clock->side[colour].stones = stones;
}

int64_t gameclock_budget(const struct gameclock *clock, unsigned colour, int moves)
{
    const struct gameclock_side *side = &clock->side[colour];
    int64_t left = side->left_ns > 0 ? side->left_ns : 0;
    if (side->stones > 0)
        return left / side->stones;
    int64_t budget = left / moves;
    if (clock->byo_ns > 0)
        return budget + clock->byo_ns / clock->byo_stones / 2;
    // An increment comes after the move: it must be paid from what is left now.
    budget += clock->increment_ns * 4 / 5;
    int64_t most = left / 10 * 6;
    return budget < most ? budget : most;
}

static void count_stone(const struct gameclock *clock, struct gameclock_side *side)
{
    if (--side->stones > 0)
        return;
    side->left_ns = clock->byo_ns; // the next period
    side->stones = clock->byo_stones;
}

void gameclock_spend(struct gameclock *clock, unsigned colour, int64_t ns)
{
    struct gameclock_side *side = &clock->side[colour];
    side->left_ns -= ns;
    if (side->stones > 0) {
        count_stone(clock, side);
    } else if (side->left_ns <= 0 && clock->byo_ns > 0) {
        // The move that used up the main time is the first of the first period.
        side->left_ns += clock->byo_ns;
        side->stones = clock->byo_stones;
        count_stone(clock, side);
    } else {
        side->left_ns += clock->increment_ns;
    }
}
