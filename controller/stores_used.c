#include "controller/stores_used.h"

#include "controller/devices.h"

static bool by_one_of(const struct game *game, unsigned colour, unsigned seats)
{
    for (unsigned seat = 1; seat <= game->rules.seat_count; seat++) {
        if (seats >> (seat - 1) & 1 && game_seat_colour(game, seat) == colour)
            return true;
    }
    return false;
}

void stores_used(struct stores *stores, const struct game *game, unsigned robot_seats)
{
    for (size_t i = 0; i < game->entries; i++) {
        struct move move = game_move(game, i);
        if (move.kind != MOVE_PLACE || !by_one_of(game, move.colour, robot_seats))
            continue;
        int supply = devices_store(stores, STORE_SUPPLY, (int)move.colour);
        stores_will_take(stores, supply);
    }
}

static void put(struct stores *stores, const struct game *before, const struct point *points,
                int count)
{
    for (int i = 0; i < count; i++) {
        unsigned colour = game_at(before, points[i].x, points[i].y);
        stores_will_put(stores, devices_store(stores, STORE_CAPTURED, (int)colour));
    }
}

void stores_captured(struct stores *stores, const struct game *game, unsigned seats)
{
    struct game earlier;
    game_init(&earlier, &game->rules);
    for (size_t i = 0; i < game->entries; i++) {
        struct effect effect;
        struct move move = game_move(game, i);
        if (game_check(&earlier, move, &effect) != REASON_NONE)
            return;
        if (by_one_of(game, move.colour, seats)) {
            put(stores, &earlier, effect.captured, effect.captured_count);
            put(stores, &earlier, effect.poofed, effect.poofed_count);
        }
        game_play(&earlier, move, NULL);
    }
}
