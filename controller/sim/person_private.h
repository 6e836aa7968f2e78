// Inside of the table: how it makes its person and asks where the hand is.
#pragma once

#include "controller/loop.h"
#include "controller/sim/person.h"
#include "controller/sim/world.h"

struct person_ops {
    struct world *(*world)(void *user); // brought up to now
    void (*changed)(void *user);        // the person has changed the world
    void (*press)(void *user);          // the "done" button
};

int person_new(struct loop *loop, const struct person_ops *ops, void *user, uint64_t seed,
               struct person **ret);
struct person *person_free(struct person *person);

// The hand at t, without its stones.
void person_pose(const struct person *person, int64_t t_ns, struct world_hand *hand);
