// arm_link: puts an arm on the loop: polls its descriptor, which comes and goes with the device,
// and wakes it at its deadlines.
#pragma once

#include "config/base/error.h"
#include "controller/loop.h"
#include "motion/arm.h"

struct arm_link;

int arm_link_new(struct loop *loop, struct arm *arm, struct arm_link **ret, struct error *err);
struct arm_link *arm_link_free(struct arm_link *link); // NULL allowed; the arm stays

// To be called after every arm_…() call that may have changed what the arm waits for.
void arm_link_update(struct arm_link *link);
