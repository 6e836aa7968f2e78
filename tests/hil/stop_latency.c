// stop-latency PULL STOPS-LOG COUNT [SEED]: from the edge of the emergency stop to the stopping
// byte on the wire. PULL is the pull of its line in gpio-sim, STOPS-LOG what usb-plotter writes.
// Presses COUNT times at random moments and prints the distribution; and how late sleeps of 1 ms
// were meanwhile, which is this kernel's own share. Exit: 0; 1 when p99 is over 10 ms or a press
// had no answer within a second. Only where sleeps are late by more than 5 ms (p99), because this
// machine had no processor for the kernel, may p99 be later by as much.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "config/base/rng.h"

enum {
    PRESSES_MAX = 10000,
    LIMIT_MS = 10,
    USUAL_LATE_MS = 5,
    HELD_MS = 60,
    PAUSE_MS = 80,
    LOOK_US = 1000
};

static int64_t took[PRESSES_MAX], late[PRESSES_MAX * 100];
static int lates;

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t quantile(const int64_t *sorted, int count, int percent)
{
    return sorted[(int64_t)(count - 1) * percent / 100];
}

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static void print(const char *what, int64_t *values, int count)
{
    if (count == 0)
        return;
    qsort(values, (size_t)count, sizeof values[0], compare);
    printf("  %-28s %6d times: median %.2f, p90 %.2f, p99 %.2f, worst %.2f ms\n", what, count,
           ms(quantile(values, count, 50)), ms(quantile(values, count, 90)),
           ms(quantile(values, count, 99)), ms(quantile(values, count, 100)));
}

static void nap(int64_t ns)
{
    for (const int64_t until = clock_monotonic_ns() + ns; clock_monotonic_ns() < until;) {
        const int64_t before = clock_monotonic_ns();
        nanosleep(&(struct timespec){.tv_nsec = LOOK_US * 1000L}, NULL);
        if (lates < PRESSES_MAX * 100)
            late[lates++] = clock_monotonic_ns() - before - LOOK_US * NS_PER_US;
    }
}

static void pull(int fd, const char *how)
{
    if (pwrite(fd, how, strlen(how), 0) < 0) {
        perror("stop-latency: the line can't be pulled");
        exit(1);
    }
}

// The first stopping byte after `begin`; 0 = none within a second. Reads on where it stopped.
static int64_t stopped_at(FILE *log, int64_t begin)
{
    while (clock_monotonic_ns() - begin < NS_PER_S) {
        long long when;
        unsigned code;
        const long at = ftell(log);
        if (fscanf(log, "%lld %x", &when, &code) == 2 && fgetc(log) == '\n') {
            if (when >= begin)
                return when;
            continue;
        }
        clearerr(log);
        fseek(log, at, SEEK_SET); // half a line: the rest is on its way
        nap(LOOK_US * NS_PER_US);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "Usage: stop-latency PULL STOPS-LOG COUNT [SEED]\n");
        return 2;
    }
    const int line = open(argv[1], O_RDWR | O_CLOEXEC);
    FILE *log = fopen(argv[2], "r");
    const int count = atoi(argv[3]);
    struct rng rng;
    rng_seed(&rng, argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
    if (line < 0 || !log || count < 1 || count > PRESSES_MAX) {
        perror("stop-latency");
        return 2;
    }
    for (int i = 0; i < count; i++) {
        const int64_t begin = clock_monotonic_ns();
        pull(line, "pull-up");
        const int64_t at = stopped_at(log, begin);
        if (!at) {
            printf("  press %d: no stopping byte within a second\n", i + 1);
            return 1;
        }
        took[i] = at - begin;
        nap(HELD_MS * NS_PER_MS);
        pull(line, "pull-down");
        nap((PAUSE_MS + (int64_t)rng_below(&rng, 60)) * NS_PER_MS);
    }
    print("e-stop edge to stopping byte", took, count);
    print("sleep of 1 ms was late by", late, lates);
    const int64_t own = lates ? quantile(late, lates, 99) - USUAL_LATE_MS * NS_PER_MS : 0;
    const int64_t limit = LIMIT_MS * NS_PER_MS + (own > 0 ? own : 0);
    if (own > 0)
        printf("  this machine is busy with other things: p99 may be %.2f ms\n", ms(limit));
    return quantile(took, count, 99) > limit;
}
