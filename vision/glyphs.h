// glyphs: letters and figures of 5 x 7 dots, enough to name points and scenes in a picture without
// a font. Internal to vision.
#pragma once

enum { GLYPH_COLUMNS = 5, GLYPH_ROWS = 7 };

// Row `y` (0 = top) of a character; bit GLYPH_COLUMNS - 1 is its leftmost dot. Small letters look
// like capitals; 0 for what has no glyph, as for a space.
unsigned glyph_row(char character, int y);
