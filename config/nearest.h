// nearest: which of the known words somebody may have meant.
//
// Damerau–Levenshtein distance (optimal string alignment: insert, delete, replace, swap of
// neighbours), case ignored, '-' and '_' alike. For dotted keys a match of the last part alone
// counts too, so that "pitch_x" finds "board.pitch_x".
#pragma once

enum { NEAREST_WORD_MAX = 64 };

struct nearest {
    const char *text;
    const char *best;
    int distance;
};

void nearest_begin(struct nearest *nearest, const char *text);
void nearest_offer(struct nearest *nearest, const char *word); // kept, not copied

// The best word offered, or NULL when none is within a third of the text's letters.
const char *nearest_found(const struct nearest *nearest);

// The distance itself; NEAREST_WORD_MAX when a word is too long to bother.
int nearest_distance(const char *a, const char *b);
