// centre: where a marble lies, felt with the cup.
//
// A hollow moves what is laid into it, so the eye does not see by how much the arm was off. But a
// cup takes hold only near a marble's top: the middle between the edges up to which it does is
// where the marble lies in the arm's own coordinates. It stays there meanwhile.
#pragma once

#include "config/calibrate/bench.h"

// The marble that lies near machine `at` (within about 5 mm), its top as high as the settings or an
// earlier wizard say. *ret = its middle, to about 0.1 mm. -ENOENT: none is felt.
int centre_feel(struct bench *bench, const double at[2], double ret[2], struct error *err);

// The same where the height is not known yet either: `expected`, to within 3 mm. *ret_contact as
// in handling_find_contact().
int centre_find_contact(struct bench *bench, const double at[2], double expected, double ret[2],
                        double *ret_contact, struct error *err);

// Whether what is laid on this board moves by itself to where a hollow is.
bool centre_moves_itself(const struct bench *bench);
