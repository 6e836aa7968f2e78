// Two slots in a mapped file, guarded by flock.
#include "controller/sim/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 2, SLOT_ALIGN = 64 };

#define MAGIC UINT64_C(0x54534d5441424c31) // also the layout's version

struct header {
    uint64_t magic, size;
    // Number of the commit each slot holds, 0 = none; the higher one counts.
    _Atomic uint64_t number[SLOTS];
};

struct table_file {
    int fd;
    size_t size, slot_size, map_size;
    struct header *header;
    unsigned char *slot[SLOTS];
    uint64_t number;
};

static int newest(const struct header *h)
{
    return h->number[1] > h->number[0];
}

static int map(struct table_file *f, const char *path, struct error *err)
{
    struct stat st;
    if (fstat(f->fd, &st) < 0)
        return error_set(err, -errno, "%s: %s.", path, strerror(errno));
    const bool fresh = st.st_size == 0;
    if (!fresh && st.st_size != (off_t)f->map_size)
        return error_set(err, -EBADMSG,
                         "%s is not a simulated table of this version. Choose another file, or "
                         "delete it to begin with a new table.",
                         path);
    // A hole in a mapped file ends the program (SIGBUS) when the disk is full by then.
    int full = posix_fallocate(f->fd, 0, (off_t)f->map_size);
    if (full && fresh)
        (void)!ftruncate(f->fd, 0);
    if (full)
        return error_set(err, -full,
                         "%s: no room for the simulated table (%zu KB): %s. Make room, or choose "
                         "another folder with --state.",
                         path, f->map_size / 1024, strerror(full));
    void *p = mmap(NULL, f->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    if (p == MAP_FAILED)
        return error_set(err, -errno, "%s: %s.", path, strerror(errno));
    f->header = p;
    for (int i = 0; i < SLOTS; i++)
        f->slot[i] = (unsigned char *)p + SLOT_ALIGN + (size_t)i * f->slot_size;
    // Fresh, or whoever made it was killed at that.
    if (!f->header->magic) {
        f->header->size = f->size;
        f->header->magic = MAGIC;
    }
    if (f->header->magic != MAGIC || f->header->size != f->size)
        return error_set(err, -EBADMSG,
                         "%s is not a simulated table of this version. Choose another file, or "
                         "delete it to begin with a new table.",
                         path);
    return 0;
}

int table_file_open(const char *path, void *state, size_t size, bool *ret_found,
                    struct table_file **ret, struct error *err)
{
    struct table_file *f = calloc(1, sizeof *f);
    if (!f)
        return error_set(err, -ENOMEM, "Out of memory.");
    f->size = size;
    f->slot_size = (size + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    f->map_size = SLOT_ALIGN + SLOTS * f->slot_size;
    f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int r = 0;
    if (f->fd < 0)
        r = error_set(err, -errno, "%s: %s.", path, strerror(errno));
    else if (flock(f->fd, LOCK_EX | LOCK_NB) < 0)
        r = error_set(err, -EBUSY,
                      "%s is the simulated table of another running program. Stop that one first.",
                      path);
    else
        r = map(f, path, err);
    if (r < 0 || !f->header) { // no header only with an error
        table_file_close(f);
        return r;
    }
    const struct header *h = f->header;
    const int slot = newest(h);
    f->number = h->number[slot];
    *ret_found = f->number > 0;
    if (*ret_found)
        memcpy(state, f->slot[slot], size);
    *ret = f;
    return 0;
}

void table_file_commit(struct table_file *f, const void *state)
{
    const int slot = !newest(f->header);
    atomic_store_explicit(&f->header->number[slot], 0, memory_order_seq_cst);
    memcpy(f->slot[slot], state, f->size);
    atomic_store_explicit(&f->header->number[slot], ++f->number, memory_order_seq_cst);
}

struct table_file *table_file_close(struct table_file *f)
{
    if (!f)
        return NULL;
    if (f->header)
        munmap(f->header, f->map_size);
    if (f->fd >= 0)
        close(f->fd);
    free(f);
    return NULL;
}
