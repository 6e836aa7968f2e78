#include "controller/player.h"

#include <string.h>

bool player_is_you(const struct player *player)
{
    return strcmp(player->name, "you") == 0;
}

void player_free(struct player *player)
{
    if (player->ops)
        player->ops->free(player->impl);
    *player = (struct player){0};
}
