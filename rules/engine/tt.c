#include "rules/engine/tt.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    WAYS = 4, // 64 bytes: one cache line
    MIB_MAX = 65536,
    DEPTH_BIAS = 64,
    AGE_BITS = 6,
};

struct entry {
    _Atomic uint64_t check; // hash ^ data
    _Atomic uint64_t data;
};

struct bucket {
    struct entry way[WAYS];
};

struct tt {
    struct bucket *bucket;
    uint64_t mask;
    unsigned age;
};

// data: score 16, eval 16, move 12, depth 8, bound 2, age 6, from the low bits up.
static uint64_t pack(const struct tt_hit *h, unsigned age)
{
    return (uint64_t)(uint16_t)h->score | (uint64_t)(uint16_t)h->eval << 16 |
           (uint64_t)(h->move & 4095) << 32 | (uint64_t)(uint8_t)(h->depth + DEPTH_BIAS) << 44 |
           (uint64_t)h->bound << 52 | (uint64_t)age << 54;
}

static int depth_of(uint64_t data)
{
    return (int)(data >> 44 & 255) - DEPTH_BIAS;
}

static unsigned age_of(uint64_t data)
{
    return (unsigned)(data >> 54) & ((1u << AGE_BITS) - 1);
}

int tt_new(unsigned mib, struct tt **ret)
{
    if (mib < 1 || mib > MIB_MAX)
        return -EINVAL;
    struct tt *tt = calloc(1, sizeof *tt);
    if (!tt)
        return -ENOMEM;
    uint64_t count = 1;
    while (count * 2 * sizeof(struct bucket) <= (uint64_t)mib << 20)
        count *= 2;
    // Pages of its own: they begin at a cache line, and cost nothing until they are written.
    size_t size = count * sizeof *tt->bucket;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        free(tt);
        return -ENOMEM;
    }
    // Large ones, if the system has them: nearly every look would miss the small ones' addresses.
    madvise(pages, size, MADV_HUGEPAGE);
    tt->bucket = pages;
    tt->mask = count - 1;
    *ret = tt;
    return 0;
}

struct tt *tt_free(struct tt *tt)
{
    if (!tt)
        return NULL;
    munmap(tt->bucket, (tt->mask + 1) * sizeof *tt->bucket);
    free(tt);
    return NULL;
}

static void write_zeros(struct tt *tt)
{
    for (uint64_t i = 0; i <= tt->mask; i++) {
        for (int w = 0; w < WAYS; w++) {
            struct entry *e = &tt->bucket[i].way[w];
            atomic_store_explicit(&e->data, 0, memory_order_relaxed);
            atomic_store_explicit(&e->check, 0, memory_order_relaxed);
        }
    }
}

void tt_clear(struct tt *tt)
{
    // Given back, its pages are zeros when they are next touched. Looking at each would map them
    // all, and where every page counts (user-mode Linux) that alone was more than a process may
    // have.
    if (madvise(tt->bucket, (tt->mask + 1) * sizeof *tt->bucket, MADV_DONTNEED) < 0)
        write_zeros(tt);
    tt->age = 0;
}

void tt_age(struct tt *tt)
{
    tt->age = (tt->age + 1) & ((1u << AGE_BITS) - 1);
}

void tt_prefetch(const struct tt *tt, uint64_t hash)
{
    __builtin_prefetch(&tt->bucket[hash & tt->mask]);
}

int tt_get(const struct tt *tt, uint64_t hash, struct tt_hit *ret)
{
    struct bucket *bucket = &tt->bucket[hash & tt->mask];
    for (int w = 0; w < WAYS; w++) {
        uint64_t data = atomic_load_explicit(&bucket->way[w].data, memory_order_relaxed);
        uint64_t check = atomic_load_explicit(&bucket->way[w].check, memory_order_relaxed);
        if ((check ^ data) != hash || !data)
            continue;
        ret->score = (int16_t)data;
        ret->eval = (int16_t)(data >> 16);
        ret->move = (int)(data >> 32 & 4095);
        ret->depth = depth_of(data);
        ret->bound = (enum tt_bound)(data >> 52 & 3);
        return 1;
    }
    return 0;
}

void tt_put(struct tt *tt, uint64_t hash, const struct tt_hit *hit)
{
    struct bucket *bucket = &tt->bucket[hash & tt->mask];
    struct entry *victim = NULL;
    int lowest = 1 << 30;
    for (int w = 0; w < WAYS; w++) {
        struct entry *e = &bucket->way[w];
        uint64_t data = atomic_load_explicit(&e->data, memory_order_relaxed);
        uint64_t check = atomic_load_explicit(&e->check, memory_order_relaxed);
        if ((check ^ data) == hash && data) {
            // A shallower result without news doesn't replace a deeper one.
            if (hit->bound != TT_EXACT && depth_of(data) > hit->depth + 3 &&
                age_of(data) == tt->age)
                return;
            victim = e;
            break;
        }
        int worth = data ? depth_of(data) - (age_of(data) == tt->age ? 0 : 128) : -1000;
        if (worth < lowest) {
            lowest = worth;
            victim = e;
        }
    }
    uint64_t data = pack(hit, tt->age);
    atomic_store_explicit(&victim->data, data, memory_order_relaxed);
    atomic_store_explicit(&victim->check, hash ^ data, memory_order_relaxed);
}

int tt_fill(const struct tt *tt)
{
    uint64_t last = tt->mask < 249 ? tt->mask : 249, used = 0;
    for (uint64_t i = 0; i <= last; i++) {
        for (int w = 0; w < WAYS; w++) {
            uint64_t data = atomic_load_explicit(&tt->bucket[i].way[w].data, memory_order_relaxed);
            used += data && age_of(data) == tt->age;
        }
    }
    return (int)(used * 1000 / ((last + 1) * WAYS));
}
