#include "vision/colour.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    char letter;
} COLOUR[STONE_COLOUR_COUNT] = {
    [STONE_CLEAR] = {"clear", 'C'}, [STONE_WHITE] = {"white", 'W'}, [STONE_BLACK] = {"black", 'B'},
    [STONE_RED] = {"red", 'R'},     [STONE_BLUE] = {"blue", 'U'},   [STONE_GREEN] = {"green", 'G'},
    [STONE_AMBER] = {"amber", 'A'},
};

const char *stone_colour_name(enum stone_colour colour)
{
    return (unsigned)colour < STONE_COLOUR_COUNT ? COLOUR[colour].name : NULL;
}

int stone_colour_parse(const char *name)
{
    for (int i = 0; i < STONE_COLOUR_COUNT; i++)
        if (strcmp(name, COLOUR[i].name) == 0)
            return i;
    return -EINVAL;
}

char stone_colour_letter(enum stone_colour colour)
{
    return (unsigned)colour < STONE_COLOUR_COUNT ? COLOUR[colour].letter : '?';
}
