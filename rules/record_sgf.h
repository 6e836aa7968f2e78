// record_sgf: what reading and writing SGF share: points, letters of colours, and positions that
// are set up before the first move.
//
// SGF says neither how many stones were laid before such a position nor what was taken. The
// smallest number of plies is assumed that puts the stones there and makes it the right one's turn,
// and that nothing was taken. Colour 1 is then the one that begins by its name, as in files written
// here.
#pragma once

#include "rules/record_internal.h"

// The letter of a colour as this project writes it: W for the one that is called white.
char sgf_letter(const struct variant *v, unsigned colour);

// A point as "jj", or as "K10" on pente.org. *ret may be off the board.
bool sgf_point(const char *value, unsigned size, struct point *ret);

// A point, or a rectangle "jj:kk", as its lower left and upper right corner.
bool sgf_points(const char *value, unsigned size, struct point *ret_low, struct point *ret_high);

// Values of AB and AW as they stand in the text: the size of the board may come after them.
struct sgf_setup {
    unsigned count;
    struct place at; // of the first
    struct {
        char letter;   // 'B' or 'W'
        char value[6]; // "jj", "jj:kk" or "K10"
    } values[POINTS_MAX];
};

// False when the value can name no point, or when there are too many.
bool sgf_setup_add(struct sgf_setup *setup, char letter, const char *value, struct place at);

// Starts the game, whose rules are known, from the position. *letter is the one to move (0 = not
// said) and becomes the letter of colour 1. -EINVAL and why; the game is then unchanged.
int sgf_setup_apply(const struct sgf_setup *setup, struct game *game, char *letter,
                    struct error *err);

// Plies before a position of so many stones in which `next` is to move (0 = whoever it is).
unsigned sgf_setup_ply(const struct variant *v, unsigned stones, unsigned next);
