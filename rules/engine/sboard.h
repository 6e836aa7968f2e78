// sboard: the search's own board for two-colour games without a twist (the Pente and Gomoku
// families, Connect6). Everything the search asks at every node is kept up to date by make and
// unmake: what a stone of either player on any empty point would make and take (see line.h), which
// points win, make a four or capture, and the sum of all points' values.
//
// It plays by the same rules as rules/game.h (a test compares them move by move over random games
// of every variant), but knows nothing of openings and choices: the caller asks the rules core.
//
// Points are *cells*: indices into a board with a margin, so that no line ever needs an edge test.
// Players are 0 and 1 here (colours 1 and 2).
#pragma once

#include <stdint.h>

#include "rules/engine/line.h"

enum {
    SB_SIZE_MAX = 19,
    SB_STRIDE = 24, // 19 points and a margin of 5, shared by neighbouring rows
    SB_CELLS = 704,
    SB_FIRST = 5 * SB_STRIDE + 5, // the cell of point (0, 0), bit 0 of the sets
    SB_WORDS = 8,                 // so that all 19 rows fit in: 18 · 24 + 19 bits
    SB_SEEN_MAX = 40,             // points that see a point: 4 directions, at most 5 to each side
    SB_DEPTH_MAX = 256,           // moves that can be made from the position that was set
    SB_REMOVED_MAX = 34, // stones that can leave the board in one move (24 captured, 9 poofed)
    SB_NO_CELL = 0,      // never on the board
};

// Sets of empty points, kept for each player.
enum sb_set {
    SB_WIN_ROW, // a stone here completes a winning row
    SB_FOUR,    // … makes a four or an open four
    SB_THREE,   // … makes an open three
    SB_TAKE,    // … captures
    SB_SETS,
};

struct sb_rules {
    int size;
    struct line_rules line;
    int goal;   // stones to capture, 0 = captures never win
    int scored; // each capture is a point, whoever wins: worth more to the evaluation
    int poof;
    int boat; // with line.two_a_turn there is neither poof nor boat, and nothing is captured
};

// The sets, and how many members each has.
struct sb_sets {
    uint64_t set[2][SB_SETS][SB_WORDS];
    int count[2][SB_SETS];
};

// What the points around a new stone were worth before.
struct sb_seen {
    struct line_value value[SB_SEEN_MAX];
    uint16_t id[SB_SEEN_MAX];
};

struct sb_undo {
    struct sb_seen seen;
    struct sb_sets sets;
    uint64_t hash;
    int64_t totals;
    uint16_t cell;
    uint8_t removed_count;
    int8_t winner;
    uint8_t taken[2];
    uint8_t standing[2];
    uint8_t left;
    uint16_t removed[SB_REMOVED_MAX];
    uint8_t removed_owner[SB_REMOVED_MAX];
};

// What is known of a point. One that isn't empty is worth nothing, but its codes are kept up.
struct sb_point {
    struct line_value value; // the sum of its four lines
    uint32_t code[4];        // at least LINE_CLOSED when the point isn't empty
    uint16_t id[4];
};

struct sboard {
    struct sb_rules rules;
    const struct line_table *table;
    int8_t winner; // -1 the game goes on, 0 or 1, 2 = draw
    int side;      // who moves
    int left;      // stones that the side still lays in this turn: 1, or 2 in Connect6
    int empty;     // points without a stone
    int depth;     // moves made since sb_set
    uint64_t hash; // position, stones taken and side to move
    uint8_t taken[2];
    uint8_t standing[2]; // boat: a row stands that the other may still break
    int64_t totals;      // sum of the lines' worth over the empty points (line.h)
    struct sb_sets sets;
    uint32_t rows[SB_SIZE_MAX + 4]; // stones of both, bit x+2 of rows[y+2]: for the candidates
    uint8_t state[SB_CELLS];        // 0 empty, 1, 2, 3 off the board
    struct sb_point point[SB_CELLS];
    struct sb_undo undo[SB_DEPTH_MAX];
};

extern const int sb_step[4]; // from a cell to the next along each direction

static inline int sb_cell(int x, int y)
{
    return (y + 5) * SB_STRIDE + x + 5;
}

static inline int sb_x(int cell)
{
    return cell % SB_STRIDE - 5;
}

static inline int sb_y(int cell)
{
    return cell / SB_STRIDE - 5;
}

static inline uint32_t sb_counts(const struct sboard *b, int player, int cell)
{
    return (uint32_t)(b->point[cell].value.counts >> (player ? 32 : 0));
}

static inline int sb_score(const struct sboard *b, int player, int cell)
{
    return line_score(b->point[cell].value.scores, player);
}

// What the lines are worth to `player` if he is to move (in the units of the table's worth).
static inline int sb_worth(const struct sboard *b, int player)
{
    return line_score(b->totals, player);
}

static inline int sb_has(const struct sboard *b, int player, enum sb_set set, int cell)
{
    uint32_t bit = (uint32_t)(cell - SB_FIRST);
    return (int)(b->sets.set[player][set][bit >> 6] >> (bit & 63) & 1);
}

// An empty board. `table` (made for rules->line) must outlive it. `rules` must be within the
// limits above; size odd or even, 3 … 19.
void sb_init(struct sboard *b, const struct sb_rules *rules, const struct line_table *table);

// Lays a position: stones[y * size + x] = 0, 1 or 2; `side` 0 or 1, who lays `left` stones now. In
// boat games a row that stands counts as one the side to move must break.
void sb_set(struct sboard *b, const uint8_t *stones, const int taken[2], int side, int left);

// Plays a stone of the side to move, whose turn it may still be afterwards (see left), on an empty
// cell while the game goes on and depth < SB_DEPTH_MAX; sets winner. Captures, poof and boat as the
// rules say.
void sb_make(struct sboard *b, int cell);
void sb_unmake(struct sboard *b);

// Passes the turn (for the null move and for asking what the other side threatens).
void sb_pass(struct sboard *b);

// Whether a stone of `player` on `cell` would win at once (as if it were their turn).
int sb_wins_at(struct sboard *b, int player, int cell);

// The stones that `player` would capture on `cell`.
static inline int sb_takes_at(const struct sboard *b, int player, int cell)
{
    uint32_t counts = sb_counts(b, player, cell);
    return (int)(2 * LINE_PAIRS(counts) + 3 * LINE_TRIPLES(counts));
}

// Lists cells where `player` would win at once, at most `limit` of them. Returns how many.
int sb_winning_cells(struct sboard *b, int player, int limit, uint16_t *cells);

// Lists the members of a set, at most `limit`. Returns how many.
int sb_members(const struct sboard *b, int player, enum sb_set set, int limit, uint16_t *cells);
