#include "rules/daemon/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    BLOCK_SIZE = 256 * 1024, // more than most requests need
    BLOCKS_MAX = 256,        // 64 MiB: no line of 64 KiB can become a larger tree
    ALIGNMENT = 16,
};

static struct {
    bool installed;
    char *blocks[BLOCKS_MAX];
    unsigned block_count;
    unsigned current; // block that is being filled
    size_t used;      // bytes of it
} arena;

static bool next_block(void)
{
    unsigned next = arena.block_count == 0 ? 0 : arena.current + 1;
    if (next == arena.block_count) {
        char *block = next < BLOCKS_MAX ? malloc(BLOCK_SIZE) : NULL;
        if (!block)
            return false;
        arena.blocks[arena.block_count++] = block;
    }
    arena.current = next;
    arena.used = 0;
    return true;
}

static void *take(size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > BLOCK_SIZE)
        return NULL;
    if ((arena.block_count == 0 || arena.used + size > BLOCK_SIZE) && !next_block())
        return NULL;
    void *memory = arena.blocks[arena.current] + arena.used;
    arena.used += size;
    return memory;
}

static void leave(void *memory)
{
    (void)memory; // comes back with all the rest
}

void arena_install(void)
{
    arena.installed = true;
    json_set_alloc_funcs(take, leave);
}

void arena_drop(json_t *json)
{
    if (!arena.installed) {
        json_decref(json);
        return;
    }
    while (arena.block_count > 1) // only a giant needs more than one
        free(arena.blocks[--arena.block_count]);
    arena.current = 0;
    arena.used = 0;
}
