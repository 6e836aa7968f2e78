// game_internal: what the files of the game share with each other and with nobody else.
#pragma once

#include "rules/game.h"

// Steps of the opening protocols; what they mean stands in stage.c.
enum stage { STAGE_PLAY, STAGE_LAY, STAGE_CHOICE, STAGE_LAY_MORE, STAGE_LAST_CHOICE };

// The eight directions as steps between cells; direction d + 4 is the opposite of d, so that an
// axis is a pair (d, d + 4).
extern const int16_t direction_step[8];

// What a move changes and undo cannot derive, packed into history_entry.before.
uint8_t before_pack(const struct game *game);
void before_unpack(struct game *game, uint8_t before);

// Stirs 64 bits (splitmix64's finaliser): Zobrist keys without a table.
static inline uint64_t stir(uint64_t v)
{
    v = (v + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    v = (v ^ v >> 27) * 0x94D049BB133111EBull;
    return v ^ v >> 31;
}

static inline uint64_t stone_key(unsigned cell, unsigned colour)
{
    return stir(cell * 8 + colour);
}

// Key of what a colour has taken; nothing taken has the key 0.
static inline uint64_t counter_key(unsigned colour, unsigned stones, unsigned rows)
{
    return stones || rows ? stir(0x10000 + ((colour * 4096ull + stones) * 4096 + rows)) : 0;
}

// Colour whose turn it is by ply alone (also when the game is over).
unsigned game_turn_colour(const struct game *game);

// stage.c
void stage_begin(struct game *game);
void stage_after_stone(struct game *game);
void stage_choose(struct game *game, enum move_kind choice);
bool stage_waits(const struct game *game);
unsigned stage_seat(const struct game *game);
bool stage_allows(const struct game *game, enum move_kind choice);

// pente.c: lays a stone on an empty cell, removes what is captured and poofed, judges the game.
// What was done is left in *entry.
void pente_lay(struct game *game, unsigned cell, struct history_entry *entry);
void pente_undo(struct game *game, const struct history_entry *entry);
void pente_removed(const struct history_entry *entry, struct effect *effect);
void pente_setup_standing(struct game *game);

// hash.c: stones and counters, from scratch.
uint64_t game_stones_hash(const struct game *game);

// pentago_game.c
enum reason pentago_check(const struct game *game, struct move move);
void pentago_lay(struct game *game, struct move move, struct history_entry *entry);
void pentago_undo(struct game *game, const struct history_entry *entry);
size_t pentago_legal(const struct game *game, struct move out[LEGAL_MAX]);

// row.c: rows and whether a capture can break them.
unsigned row_length(const struct game *game, unsigned cell, unsigned axis);
bool row_wins(const struct game *game, unsigned cell);
bool row_standing(const struct game *game, unsigned colour, bool unbreakable);

// calls.c: the formations the last entry made.
void calls_find(const struct game *before, const struct game *after, struct effect *effect);
