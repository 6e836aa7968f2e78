// A program as G-code, for people and for the wire.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/text.h"
#include "motion/dialect.h"
#include "motion/program.h"

void arm_step_line(const struct arm_step *step, int i, const double from[3], char *buf, size_t size)
{
    const struct dialect_move move = {
        .from = i > 0 ? step->point[i - 1] : from,
        .to = step->point[i],
        .feed = step->feed[i],
        .jog = step->kind == ARM_STEP_JOG,
    };
    dialect_grbl.move(&move, buf, size);
}

static const char *step_name(enum arm_step_kind kind)
{
    switch (kind) {
    case ARM_STEP_HOME:
        return "find the home corner";
    case ARM_STEP_LEG:
        return "leg";
    case ARM_STEP_JOG:
        return "jog";
    case ARM_STEP_GRIP:
        return "vacuum on";
    case ARM_STEP_RELEASE:
        return "let go";
    case ARM_STEP_REST:
        return "gripper at rest";
    case ARM_STEP_DWELL:
        return "dwell";
    case ARM_STEP_EXPECT_HELD:
        return "pick sensor: held?";
    case ARM_STEP_EXPECT_CARRIED:
        return "pick sensor: still held?";
    case ARM_STEP_EXPECT_FREE:
        return "pick sensor: free?";
    case ARM_STEP_TOOK:
        return "book: one stone less";
    case ARM_STEP_PUT:
        return "book: one stone more";
    }
    return "?";
}

int arm_program_text(const struct arm_program *program, const struct travel_limits *limits,
                     const double from[3], char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    double at[3], clock = 0;
    char number[24];
    memcpy(at, from, sizeof at);
    for (int i = 0; i < program->count; i++) {
        const struct arm_step *step = &program->step[i];
        double seconds = arm_step_seconds(step, limits, at);
        dialect_number(number, sizeof number, clock);
        text_put(&t, "; %s s  %s", number, step_name(step->kind));
        if (seconds > 0) {
            dialect_number(number, sizeof number, seconds);
            text_put(&t, ", %s s", number);
        }
        text_put(&t, "\n");
        clock += seconds;
        if (step->kind == ARM_STEP_HOME)
            text_put(&t, "%s\n%s\n", dialect_grbl.home, dialect_grbl.modal[0]);
        for (int k = 0; k < step->points; k++) {
            char line[80];
            arm_step_line(step, k, at, line, sizeof line);
            text_put(&t, "%s\n", line);
        }
        if (step->kind == ARM_STEP_LEG)
            text_put(&t, "%s\n", dialect_grbl.settle);
        if (step->points > 0)
            memcpy(at, step->point[step->points - 1], sizeof at);
    }
    dialect_number(number, sizeof number, clock);
    text_put(&t, "; %s s at least\n", number);
    return (int)t.length;
}
