#include "controller/stores_used.h"

#include "controller/devices.h"

static bool by_robot(const struct game *game, unsigned colour, unsigned robot_seats)
{
    for (unsigned seat = 1; seat <= game->rules.seat_count; seat++) {
        if (robot_seats >> (seat - 1) & 1 && game_seat_colour(game, seat) == colour)
            return true;
    }
    return false;
}

void stores_used(struct stores *stores, const struct game *game, unsigned robot_seats)
{
    for (size_t i = 0; i < game->entries; i++) {
        struct move move = game_move(game, i);
        if (move.kind != MOVE_PLACE || !by_robot(game, move.colour, robot_seats))
            continue;
        int supply = devices_store(stores, STORE_SUPPLY, (int)move.colour);
        stores_will_take(stores, supply);
    }
}
