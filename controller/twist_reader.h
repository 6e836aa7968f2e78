// twist_reader: Pentago turns that are not finished, or were made the wrong way round.
//
// A turn is a marble and then a block, so for a while the board shows half of it. People stop
// there: they think, or the block sticks half way. What they should do next is said in their words.
#pragma once

#include "controller/move_reader.h"

// Called when no whole turn explains the board. Sets kind, move, block and turn of *ret and returns
// true when one of these does:
//   PARTIAL, block 0      the marble `move` lies, and no block was turned
//   PARTIAL, block 1..4   everything fits but this block's rim: it stands half turned (move.colour
//                         0: the new marble has not been seen, it may be on that block)
//   WRONG, block 1..4     this block was turned, and no marble was laid
bool twist_reader_judge(const struct game *game, const struct evidence *e,
                        const struct sureness *sure, struct reading *ret);

// The block of a hole, 1..4 as the rule book numbers them.
int twist_block_at(int x, int y);
