// power_daemon: what the programs of power.sh ask the rules daemon.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "rules/daemon/client.h"

enum { POWER_ANSWER_MS = 60000 }; // a machine that has just started is slow

// A daemon of our own, with its state in this folder.
static inline int power_daemon_open(const char *folder, struct rules_client **ret,
                                    struct error *err)
{
    char program[4096];
    snprintf(program, sizeof program, "%s/tessera-rulesd", getenv("TESSERA_BIN"));
    const struct rules_client_settings settings = {.state = folder,
                                                   .program = program,
                                                   .name = "power",
                                                   .only_spawn = true,
                                                   .timeout_ns =
                                                       POWER_ANSWER_MS * INT64_C(1000000)};
    return rules_client_open(&settings, ret, err);
}
