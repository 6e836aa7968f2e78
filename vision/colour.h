// colour: the names of stone colours, and the letters that stand for them in drawings.
#pragma once

enum stone_colour {
    STONE_CLEAR,
    STONE_WHITE,
    STONE_BLACK,
    STONE_RED,
    STONE_BLUE,
    STONE_GREEN,
    STONE_AMBER,
    STONE_COLOUR_COUNT,
};

// "clear", "white", … for a valid colour; NULL otherwise.
const char *stone_colour_name(enum stone_colour colour);

// The colour of that name, or -EINVAL.
int stone_colour_parse(const char *name);

// The letter in drawings: C W B R U G A (U = blue, because B is black).
char stone_colour_letter(enum stone_colour colour);
