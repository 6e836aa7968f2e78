// rows: plays the two-colour games of rows and captures (the Pente and Gomoku families) with
// search.h, for engine.c.
#pragma once

#include "rules/engine/engine.h"
#include "rules/engine/level.h"

struct rows;

// Whether this player knows the game: two colours on a board of up to 19 lines.
bool rows_plays(const struct variant *variant);

int rows_new(unsigned hash_mib, int threads, struct rows **ret);
struct rows *rows_free(struct rows *rows);
void rows_forget(struct rows *rows);

// Makes the tables for the variant's rules ahead of time (see line_table_new). rows_plays must
// hold.
int rows_prepare(struct rows *rows, const struct variant *variant);

// As engine_think, for a game of rows in which a stone is due. `level` NULL = full strength.
int rows_think(struct rows *rows, const struct game *game, const struct engine_limits *limits,
               const struct level *level, struct rng *rng, atomic_int *stop, engine_report *report,
               void *user, struct engine_thought *ret);

// The value of the position for the colour to move, by a search within the limits.
int rows_value(struct rows *rows, const struct game *game, const struct engine_limits *limits,
               atomic_int *stop, int *ret_score);
