#include "config/base/clock.h"

#include <time.h>

static const double SPAN_MAX = 1e8; // seconds

int64_t clock_span_ns(double seconds)
{
    if (!(seconds > 0))
        return 0;
    return (int64_t)((seconds < SPAN_MAX ? seconds : SPAN_MAX) * 1e9);
}

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts); // cannot fail for the two clocks that are asked for here
    return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_realtime_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}
