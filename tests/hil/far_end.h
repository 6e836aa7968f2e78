// far_end: starts and ends the programs that play what hangs on a cable, for the checks in C.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Starts `program` from the folder of this one. Fails the test when that can't be done.
pid_t far_end_start(const char *program, const char *const *arguments);
void far_end_kill(pid_t pid); // as a cable is pulled out: at once, no word

bool far_end_wait(bool (*true_now)(void), int timeout_ms); // looks every 5 ms
bool far_end_exists(const char *path, int timeout_ms);     // waits for the file
bool far_end_gone(const char *path, int timeout_ms);

int64_t far_end_cpu_ns(void); // processor time of this process so far
