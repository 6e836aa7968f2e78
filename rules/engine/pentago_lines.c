#include "rules/engine/pentago_lines.h"

#include <pthread.h>

// For a pattern of lane 0: how many holes of each line it holds there, and which lines it touches.
struct lane_counts {
    uint32_t ones, twos, touched;
};

static struct lane_counts lane_table[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The rules core's table says which lines a pattern does not prevent; a line's holes in lane 0 are
// those whose absence prevents it.
static void make_table(void)
{
    uint32_t holds[9];
    for (unsigned i = 0; i < 9; i++)
        holds[i] = ~pentago_lane_lines[511u & ~(1u << i)];
    for (unsigned pattern = 0; pattern < 512; pattern++) {
        struct lane_counts *c = &lane_table[pattern];
        for (unsigned i = 0; i < 9; i++) {
            if (!(pattern >> i & 1))
                continue;
            c->twos ^= c->ones & holds[i];
            c->ones ^= holds[i];
            c->touched |= holds[i];
        }
    }
}

static inline uint32_t rotate(uint32_t lines, unsigned lane)
{
    return lane ? pentago_rotl32(lines, 8 * lane) : lines;
}

static unsigned turned(unsigned pattern, int which)
{
    unsigned rim = pattern & 0xff;
    if (which == 1)
        rim = rim << 2 | rim >> 6;
    else if (which == 2)
        rim = rim >> 2 | rim << 6;
    return (pattern & 0x100) | (rim & 0xff);
}

void pentago_block_sums(uint64_t own, uint64_t enemy, struct pentago_block_sum sum[4][3])
{
    pthread_once(&once, make_table);
    for (unsigned lane = 0; lane < 4; lane++) {
        unsigned mine = own >> 16 * lane & PENTAGO_LANE, yours = enemy >> 16 * lane & PENTAGO_LANE;
        for (int which = 0; which < 3; which++) {
            const struct lane_counts *c = &lane_table[turned(mine, which)];
            sum[lane][which].ones = rotate(c->ones, lane);
            sum[lane][which].twos = rotate(c->twos, lane);
            sum[lane][which].touched = rotate(lane_table[turned(yours, which)].touched, lane);
        }
    }
}

void pentago_all_sums(struct pentago_block_sum sum[4][3], struct pentago_line_sum ret[9])
{
    struct pentago_line_sum low = pentago_add2(&sum[0][0], &sum[1][0]);
    struct pentago_line_sum high = pentago_add2(&sum[2][0], &sum[3][0]), pair;
    ret[0] = pentago_add4(&low, &high);
    for (int which = 1; which < 3; which++) {
        pair = pentago_add2(&sum[0][which], &sum[1][0]);
        ret[which] = pentago_add4(&pair, &high);
        pair = pentago_add2(&sum[0][0], &sum[1][which]);
        ret[2 + which] = pentago_add4(&pair, &high);
        pair = pentago_add2(&sum[2][which], &sum[3][0]);
        ret[4 + which] = pentago_add4(&low, &pair);
        pair = pentago_add2(&sum[2][0], &sum[3][which]);
        ret[6 + which] = pentago_add4(&low, &pair);
    }
}
