#include "controller/player_board.h"

#include <stdio.h>

static int board_begin(void *impl, const struct game *game, struct error *err)
{
    (void)impl, (void)game, (void)err;
    return 0;
}

static void board_nothing(void *impl, const struct game *game)
{
    (void)impl, (void)game;
}

static void board_quiet(void *impl)
{
    (void)impl;
}

static const struct player_ops board_ops = {
    .begin = board_begin,
    .follow = board_nothing,
    .think = board_nothing,
    .stop = board_quiet,
    .free = board_quiet,
};

int player_board_new(const char *name, struct player *ret, struct error *err)
{
    (void)err;
    *ret = (struct player){.ops = &board_ops, .at_board = true};
    snprintf(ret->name, sizeof ret->name, "%s", name);
    return 0;
}
