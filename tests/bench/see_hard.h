// see_hard: photographs made harder in one way at a time: turned, tilted, darker, blurred … The
// truth follows. A guard against tuning to the photographs as they are. For bench_see.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tests/bench/see_truth.h"

int see_hard_kinds(void);
const char *see_hard_name(int kind);

// Makes the photograph harder. Returns a new JPEG (free() it) or NULL; `truth` moves along.
uint8_t *see_hard_make(int kind, const uint8_t *jpeg, size_t size, uint32_t seed,
                       struct see_truth *truth, size_t *ret_size);
