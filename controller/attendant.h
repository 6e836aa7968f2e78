// attendant: whoever looks after a simulated table that plays by itself: presses the reset button
// after a stop, fills a store that has run low, and answers a question by trying again a few times.
#pragma once

#include <stdbool.h>

#include "controller/loop.h"
#include "controller/robot.h"

struct attendant;

struct attendant_events {
    void (*does)(void *user,
                 const char *what); // "the simulated helper presses reset"; NULL allowed
    void (*gave_up)(void *user);    // trying again has not helped; NULL allowed
    void *user;
};

// alone = nobody else is there. Otherwise he only presses the reset button once, at the start, and
// leaves the rest to people.
int attendant_new(struct loop *loop, struct table *table, bool alone,
                  const struct attendant_events *events, struct attendant **ret);
struct attendant *attendant_free(struct attendant *attendant);

// To be told of every new state of the robot.
void attendant_on_state(struct attendant *attendant, struct robot *robot, enum robot_state state);
