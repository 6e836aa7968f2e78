// game: one game of any variant: the position, its history, and the one door through which moves
// enter.
//
// A struct game has a fixed size, holds no pointer and needs no clean-up: copy it with `=`. Nothing
// here allocates, does I/O or keeps state elsewhere, so games on several threads do not meet.
//
//     struct game game;
//     game_init(&game, variant_find("pente"));
//     struct effect effect;
//     enum reason reason = game_play(&game, move_place(0, 9, 9), &effect);
//
// game_play judges a move in one indivisible step, always in this order (rules/README.md, A1):
// legality; the stone is laid; captures, and poofs, all found on that one position and removed
// together; win; draw; next colour. In Pentago: marble; five (which ends the game there); twist;
// fives of both; full board. A refused move changes nothing.
//
// Words: a *colour* is 1..4 in turn order; a *side* is what wins: a colour, or partners together;
// a *seat* is a person, 1.. in turn order. *ply* counts stones laid, *entries* counts what stands
// in the history (stones, and choices of colour).
//
// Fields of struct game may be read; only the functions below change them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/pentago.h"
#include "rules/point.h"
#include "rules/reason.h"
#include "rules/variant.h"

enum {
    // The longest game. Two-player Pente needs at most 377 (A1); where partners' stones, poofs or
    // missing goals let captured points be refilled for ever, the game is a draw at this length.
    GAME_ENTRIES_MAX = 1024,
    CAPTURED_MAX = 24, // eight directions, three stones each
    POOFED_MAX = 9,    // four lines, two stones beside the new one each
    CALLS_MAX = 16,    // formations listed for one move
    CALL_POINTS_MAX = 6,
    SETUP_PLY_MAX = 4000, // of a free position
    SETUP_COUNTER_MAX = 1000,
    LEGAL_MAX = POINTS_MAX, // Pentago: 36 holes × 9 twists = 324 also fits

    // Cells are kept with a border, so that walking off the board meets GAME_BORDER.
    GAME_STRIDE = BOARD_SIZE_MAX + 1,
    GAME_CELLS = GAME_STRIDE * (BOARD_SIZE_MAX + 2) + 1,
    GAME_BORDER = 7,
};

// Index of (x, y) in game.cells. The neighbour to the right is +1, above +GAME_STRIDE.
static inline unsigned game_cell(int x, int y)
{
    return (unsigned)((y + 1) * GAME_STRIDE + x + 1);
}

static inline struct point game_cell_point(unsigned cell)
{
    return (struct point){(int8_t)(cell % GAME_STRIDE - 1), (int8_t)(cell / GAME_STRIDE - 1)};
}

enum move_kind {
    MOVE_PLACE,  // one stone at (x, y); in Pentago also the twist, block 0 = none
    MOVE_PAIR,   // Connect6: stones at (x, y) and (x2, y2)
    MOVE_FIRST,  // choice: take colour 1
    MOVE_SECOND, // choice: take colour 2
    MOVE_PASS,   // choice: lay two more stones (swap2)
    MOVE_RESIGN, // by the side `colour` belongs to (0 = of the person who acts now)
    MOVE_DRAW,   // offer or accept a draw, by that side
};

struct move {
    uint8_t kind;   // enum move_kind
    uint8_t colour; // 0 = whoever's turn it is; otherwise checked against the turn
    int8_t x, y;
    int8_t x2, y2;
    int8_t block; // Pentago: 0 = no twist, else 1..4 as the rule book numbers them
    int8_t turn;  // enum pentago_turn; anything else with a block is refused as bad_twist
};

static inline struct move move_place(unsigned colour, int x, int y)
{
    return (struct move){MOVE_PLACE, (uint8_t)colour, (int8_t)x, (int8_t)y, 0, 0, 0, 0};
}

static inline struct move move_twist(unsigned colour, int x, int y, int block, int turn)
{
    return (struct move){MOVE_PLACE, (uint8_t)colour, (int8_t)x,   (int8_t)y, 0,
                         0,          (int8_t)block,   (int8_t)turn};
}

static inline struct move move_pair(unsigned colour, struct point a, struct point b)
{
    return (struct move){MOVE_PAIR, (uint8_t)colour, a.x, a.y, b.x, b.y, 0, 0};
}

static inline struct move move_choice(enum move_kind kind)
{
    return (struct move){(uint8_t)kind, 0, 0, 0, 0, 0, 0, 0};
}

bool move_equal(struct move a, struct move b);

// How a game ended; several bits for one win with several reasons.
enum how {
    HOW_FIVE = 1 << 0,     // the winning row (of whatever length the variant asks)
    HOW_CAPTURES = 1 << 1, // the capture goal
    HOW_FULL = 1 << 2,     // draw: no empty point
    HOW_BOTH = 1 << 3,     // draw: a twist made five for both
    HOW_LENGTH = 1 << 4,   // draw: GAME_ENTRIES_MAX reached
    HOW_RESIGN = 1 << 5,
    HOW_AGREED = 1 << 6, // draw by agreement
};

// Stable names: "five", "captures", "full", "both", "length", "resign", "agreed".
// Returns the name of the lowest bit in *bits and clears it, NULL when none is left.
const char *how_name(unsigned *bits);

struct result {
    bool over;
    uint8_t winner; // side, 0 = draw (when over)
    uint8_t how;    // enum how bits
};

struct history_entry {
    uint16_t cell;     // game cell; Pentago: hole
    uint16_t captured; // 2 bits per direction: 0, 2 or 3 stones
    uint16_t poofed;   // 3 bits per axis: see pente.c
    uint8_t kind : 4;  // enum move_kind
    uint8_t twist : 4; // Pentago: 0 none, else 1 + 2*lane + (anticlockwise)
    uint8_t before;    // what the move changed and cannot be derived: see pente.c
};

struct game {
    struct variant rules;
    uint64_t stones_hash; // Zobrist of stones and counters; game_hash adds the turn
    struct pentago pentago;
    uint16_t stones;                        // on the board
    uint16_t points;                        // of the board
    uint16_t ply;                           // stones laid, those before a free setup included
    uint16_t entries;                       // in history
    uint16_t stones_taken[COLOURS_MAX + 1]; // enemy stones that each colour took (or won by poof)
    uint16_t captures[COLOURS_MAX + 1];     // rows that each colour took
    uint16_t friendly[COLOURS_MAX + 1];     // partner's stones that each colour took off
    struct result result;
    uint8_t stage;       // of the opening protocol, see stage.c
    bool swapped;        // seat 1 plays colour 2
    uint8_t standing;    // boat: bit c = colour c has a row that won unless it is broken now
    uint8_t draw_offers; // bit s = side s has offered a draw since the last move
    uint8_t setup_stage; // as at the start of the history
    uint16_t spoil_count;
    uint8_t cells[GAME_CELLS]; // colour, 0 empty, GAME_BORDER outside (Pente family)
    struct history_entry history[GAME_ENTRIES_MAX];
    uint8_t spoils[GAME_ENTRIES_MAX + POINTS_MAX]; // colours of captured stones (> 2 colours)
};

// A free position: what stands on the board, how many stones were laid to get there, and what was
// taken so far. Counters that are not given are 0.
struct setup {
    uint16_t stone_count;
    struct {
        uint8_t colour;
        struct point at;
    } stones[POINTS_MAX];
    uint16_t ply; // decides whose turn it is and whether an opening rule applies
    uint16_t stones_taken[COLOURS_MAX + 1];
    uint16_t captures[COLOURS_MAX + 1];
};

enum call_kind { CALL_TRIA = 1, CALL_TESSERA = 2 };

// One formation the move made, and the points that matter about it: for a tessera those where the
// next stone wins (two of them: one stone cannot stop it), for a tria those where an enemy stone
// stops it from becoming an unblocked four.
struct call {
    enum call_kind kind;
    uint8_t stone_count, block_count;
    struct point stones[CALL_POINTS_MAX];
    struct point blocks[CALL_POINTS_MAX];
};

// What a move did. Lists are ordered by x, then y. Colour-indexed arrays use [1]..[colours].
struct effect {
    enum reason reason; // REASON_NONE = accepted; otherwise nothing below is set
    uint8_t captured_count, poofed_count;
    struct point captured[CAPTURED_MAX];
    struct point poofed[POOFED_MAX];
    uint8_t calls; // enum call_kind bits: new formations of the mover, none on a winning move
    uint8_t call_count;
    struct call call[CALLS_MAX];
    bool twisted; // Pentago: a block was really turned (not after a winning marble)
    struct result result;
    bool scored; // the variant has points and the game is over
    uint16_t scores[COLOURS_MAX + 1];
    uint16_t stones_taken[COLOURS_MAX + 1], captures[COLOURS_MAX + 1], friendly[COLOURS_MAX + 1];
    uint8_t next_colour;    // 0 when the game is over
    uint8_t next_seat;      // 0 when the game is over
    uint8_t choice_pending; // seat that must choose a colour now, 0 = none
    uint16_t board_count;   // stones on the board
};

// Starts a game. The variant is copied; it must be valid (variant_validate).
void game_init(struct game *game, const struct variant *variant);

// Starts from a free position. -EINVAL and why when it cannot be (off the board, two stones on one
// point, a colour the variant has not); *game is then unchanged. Rows and counters are not judged:
// the game runs unless the board is full.
int game_setup(struct game *game, const struct variant *variant, const struct setup *setup,
               struct error *err);

// Plays a move. REASON_NONE: done, and *effect (may be NULL, which is faster) says what happened.
// Otherwise nothing changed and only effect->reason is set.
enum reason game_play(struct game *game, struct move move, struct effect *effect);

// The same judgement without playing. With effect == NULL only legality is looked at.
enum reason game_check(const struct game *game, struct move move, struct effect *effect);

// Takes back the last entry (a stone with its captures and twist, a choice, a resignation or an
// agreed draw). False when the history is empty.
bool game_undo(struct game *game);

// All legal moves, into out[LEGAL_MAX]; returns their number. Connect6: single stones (any two
// different ones also form a legal pair when two are due). Pentago: every place with every twist,
// "no twist" first where it is allowed; a placement that wins at once is listed once, untwisted.
// Resignation and draw offers are always possible and not listed.
size_t game_legal(const struct game *game, struct move out[LEGAL_MAX]);

// Colour at a point of the board: 0 empty.
unsigned game_at(const struct game *game, int x, int y);

unsigned game_next_colour(const struct game *game);    // 0 when the game is over
unsigned game_next_seat(const struct game *game);      // 0 when the game is over
unsigned game_choice_pending(const struct game *game); // seat that chooses, 0 = none
bool game_choice_allowed(const struct game *game, enum move_kind choice);
unsigned game_stones_due(const struct game *game); // stones left in this turn: 1, or 2 in Connect6
unsigned game_seat_colour(const struct game *game, unsigned seat); // colour that a seat plays now

// Points of each colour if the game ended as it stands (all 0 without scoring).
void game_scores(const struct game *game, uint16_t scores[COLOURS_MAX + 1]);

// Rows of `length` (by rule) of one colour on the board, as the points variants count them.
unsigned game_count_runs(const struct game *game, unsigned colour, unsigned length,
                         enum run_rule rule);

// Formations of the colour on lines through (x, y): what a call could be about. Returns their
// number; out has room for CALLS_MAX.
size_t game_calls_at(const struct game *game, int x, int y, unsigned colour,
                     struct call out[CALLS_MAX]);

// Fingerprint of everything that decides how the game can go on: stones, counters, turn, opening
// and choice. Equal for positions reached by different orders of moves.
uint64_t game_hash(const struct game *game);

// The same computed from the position alone (for tests).
uint64_t game_hash_recomputed(const struct game *game);

// The move in history entry i (0-based), as it was played, with its colour.
struct move game_move(const struct game *game, size_t i);

// Empty points or holes left.
static inline unsigned game_empty(const struct game *game)
{
    return (unsigned)(game->points - game->stones);
}
