// rulesd_daemon: a real tessera-rulesd in a scratch folder, for system tests, benchmarks and soaks.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "rules/daemon/client.h"

struct daemon {
    char folder[64]; // scratch, made by daemon_new()
    char socket[96];
    char state[96];
    char program[256];
    pid_t pid; // 0 = not running
};

// Makes the scratch folder and finds the program ($TESSERA_BIN, or beside or above this one).
// in_memory: the folder lies in memory where there is some, for tests that are not about the disk.
void daemon_new(struct daemon *daemon, bool in_memory);

// Starts it and waits until it listens. False when it does not within ten seconds.
bool daemon_start(struct daemon *daemon);

// Sends the signal, waits for the end and returns the wait status.
int daemon_stop(struct daemon *daemon, int signo);

// Stops it and removes the scratch folder.
void daemon_free(struct daemon *daemon);

// A client of it; aborts the test program when it cannot be had.
struct rules_client *daemon_client(const struct daemon *daemon);

// A plain blocking connection, for what a well-behaved client does not do.
int daemon_connect(const struct daemon *daemon);
