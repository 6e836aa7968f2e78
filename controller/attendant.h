// attendant: whoever looks after a simulated table that plays by itself: presses the reset button
// after a stop, fills a store that has run low, and answers a question by trying again a few times.
#pragma once

#include <stdbool.h>

#include "controller/loop.h"
#include "controller/robot.h"

struct attendant;

// alone = nobody else is there. Otherwise he only presses the reset button once, at the start, and
// leaves the rest to people. gave_up is called when trying again has not helped; NULL allowed.
int attendant_new(struct loop *loop, struct table *table, bool alone, void (*gave_up)(void *user),
                  void *user, struct attendant **ret);
struct attendant *attendant_free(struct attendant *attendant);

// To be told of every new state of the robot.
void attendant_on_state(struct attendant *attendant, struct robot *robot, enum robot_state state);
