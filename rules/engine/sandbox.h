// sandbox: what a foreign program may do on this computer: think, read, and talk on the pipes it
// was given. Applied by a process to itself just before it becomes that program; nothing can be
// taken back afterwards, and all of it is inherited.
//
// Closed: writing, making and removing files, sockets other than local ones, tracing other
// processes, new privileges, memory beyond the limit. The program dies with whoever started it.
// Needs no privileges. A kernel without Landlock (before 5.13) can't close the files; the rest
// holds.
#pragma once

#include <stdint.h>

#include "config/base/error.h"

enum { SANDBOX_MEMORY_MIB = 4096 };

// Returns 0; negative errno with *err when even what every kernel has was refused.
int sandbox_enter(uint64_t memory_mib, struct error *err);
