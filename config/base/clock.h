// clock: nanoseconds, the only unit of time.
//
// int64 nanoseconds of CLOCK_MONOTONIC: 292 years before it overflows. Code that must also run on
// virtual time (the controller and all it drives) takes `now_ns` as an argument instead of asking
// here; this is for programs that live on real time only (daemon, engine, benchmarks).
#pragma once

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

// Seconds as ns, for a time that was computed from figures of a device or a file: what is negative
// or not a number is 0, and more than three years is three years, so that sums with it can't
// overflow.
int64_t clock_span_ns(double seconds);

// The monotonic clock, ns. Never fails, never goes back, says nothing about the time of day.
int64_t clock_monotonic_ns(void);

// The time of day, ns since 1970-01-01 UTC, as far as this machine knows it.
int64_t clock_realtime_ns(void);
