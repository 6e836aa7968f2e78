// arena: memory for the JSON of one request, given back all at once.
//
// A request becomes a tree of some sixty small nodes that live for microseconds; allocating and
// freeing them one by one would take a third of the time that answering takes. Process-wide, as
// jansson's allocator is: only the daemon's own main() installs it.
#pragma once

#include <jansson.h>

// Lets jansson take its memory from the arena from now on. Trees made before must be gone.
void arena_install(void);

// Frees the one tree there is, and everything that was allocated beside it. `json` may be NULL.
// Where the arena is not installed, this is json_decref().
void arena_drop(json_t *json);
