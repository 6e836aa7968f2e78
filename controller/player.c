#include "controller/player.h"

void player_free(struct player *player)
{
    if (player->ops)
        player->ops->free(player->impl);
    *player = (struct player){0};
}
