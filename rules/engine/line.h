// line: what one more stone on an empty point would do along one of its four directions.
//
// A point's neighbourhood in one direction is its *code*: 2 bits for each of the 2·reach points
// around it, from the far left to the far right, the point itself left out (0 empty, 1 first
// player, 2 second player, 3 off the board). A table made once for each set of rules turns a code
// into a small id, and an id into everything the search wants to know about that line for both
// players: what the stone would make (five, open four, four, …), what it would capture, what it
// would threaten to capture and what it would expose. The search then only adds up four lines.
//
// The classes are exact within the reach, found by playing the line out, not by a list of shapes:
//   five        the stone completes a winning row
//   open four   afterwards two or more points on this line would win
//   four        afterwards exactly one point on this line would win
//   open three  one more stone could make an open four
//   three       one more stone could make a four
//   open two, two, one   the same, further back
#pragma once

#include <stdint.h>

enum line_class {
    LINE_NONE,
    LINE_ONE,
    LINE_TWO,
    LINE_OPEN_TWO,
    LINE_THREE,
    LINE_OPEN_THREE,
    LINE_FOUR,
    LINE_OPEN_FOUR,
    LINE_FIVE,
    LINE_CLASSES,
};

// The rules that a line depends on.
struct line_rules {
    int win_length; // 3 … 6
    int exact;      // longer rows don't win
    int pairs;      // two stones are captured
    int triples;    // three stones are captured too (Keryo)
    int two_a_turn; // Connect6: a turn lays two stones (only the scores depend on it)
};

// Counts for one player, packed so that the four directions of a point add up without carrying
// into each other. Five, open four, … count directions; pairs and triples count captures.
enum {
    LINE_FIVE_SHIFT = 0,       // 3 bits
    LINE_OPEN_FOUR_SHIFT = 3,  // 3 bits
    LINE_FOUR_SHIFT = 6,       // 3 bits
    LINE_OPEN_THREE_SHIFT = 9, // 3 bits
    LINE_PAIR_SHIFT = 12,      // 4 bits
    LINE_TRIPLE_SHIFT = 16,    // 4 bits
    LINE_MENACE_SHIFT = 20,    // 4 bits: stones that could be captured next, from this stone's side
    LINE_EXPOSED_SHIFT = 24,   // 3 bits: the stone would stand in a row that can be captured
    LINE_THREE_SHIFT = 27,     // 3 bits
};
#define LINE_FIVES(counts)       ((counts) >> LINE_FIVE_SHIFT & 7)
#define LINE_OPEN_FOURS(counts)  ((counts) >> LINE_OPEN_FOUR_SHIFT & 7)
#define LINE_FOURS(counts)       ((counts) >> LINE_FOUR_SHIFT & 7)
#define LINE_OPEN_THREES(counts) ((counts) >> LINE_OPEN_THREE_SHIFT & 7)
#define LINE_PAIRS(counts)       ((counts) >> LINE_PAIR_SHIFT & 15)
#define LINE_TRIPLES(counts)     ((counts) >> LINE_TRIPLE_SHIFT & 15)
#define LINE_MENACES(counts)     ((counts) >> LINE_MENACE_SHIFT & 15)
#define LINE_EXPOSED(counts)     ((counts) >> LINE_EXPOSED_SHIFT & 7)
#define LINE_THREES(counts)      ((counts) >> LINE_THREE_SHIFT & 7)

// What one line adds to its point: player 1's counts in the low half of `counts`, player 2's in
// the high half; and each player's positional value as one number, second · 2³² + first, which
// adds and subtracts like two (line_score takes it apart).
struct line_value {
    uint64_t counts;
    int64_t scores;
};

static inline int32_t line_score(int64_t scores, int player)
{
    int32_t first = (int32_t)(uint32_t)(uint64_t)scores;
    return player ? (int32_t)((scores - first) >> 32) : first;
}

static inline int64_t line_scores(int32_t first, int32_t second)
{
    return (int64_t)second * ((int64_t)1 << 32) + first;
}

// The code of every line through a point that is not empty (and codes above it): worth nothing.
#define LINE_CLOSED(reach) (1u << 4 * (reach))

struct line_table {
    struct line_rules rules;
    int reach;                // points looked at on each side
    uint16_t *id;             // [LINE_CLOSED(reach) + 1], by code
    struct line_value *value; // by id
    // By id, what the line is worth to player 1 when he is to move, and to player 2 when he is, put
    // together like scores: learned (worth.h, in its units), or the difference of the scores.
    int64_t *worth;
    int ids;
    struct worth *learned; // or NULL, when nothing was learned about these rules
};

// Makes the table for `rules` (a few milliseconds; a quarter of a second for reach 5).
// Returns 0, -EINVAL for rules outside the limits, -ENOMEM. The caller frees it.
int line_table_new(const struct line_rules *rules, struct line_table **ret);
struct line_table *line_table_free(struct line_table *table);
