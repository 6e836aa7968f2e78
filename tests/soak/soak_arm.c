// soak_arm [COUNT] [--seed N] [--trace] [--table | --scenarios]
//
// Two parts, each COUNT strong (10000): seeded fault scenarios for the arm on a scripted GRBL, and
// stones placed and lifted on the simulated table with faults at random moments. Exit 0: every
// invariant held. A failing seed is printed and can be run alone (--scenarios --seed N --trace).
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak_arm_table.h"
#include "tests/unit/test_motion_chaos.h"

enum { PROGRESS = 2000 }; // scenarios between two words about how far it is

static int usage(void)
{
    fprintf(stderr, "usage: soak_arm [COUNT] [--seed N] [--trace] [--table | --scenarios]\n");
    return 2;
}

static int number(const char *text, unsigned long long *ret)
{
    char *end;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return errno || *end || end == text ? -1 : 0;
}

static int scenarios(unsigned long long first, unsigned long long count, FILE *trace)
{
    unsigned long long bad = 0, faults = 0, done = 0, failed = 0, homings = 0, violations = 0;
    double hours = 0;
    for (unsigned long long seed = first; seed < first + count; seed++) {
        struct chaos_result r;
        chaos_run(seed, trace, &r);
        faults += (unsigned long long)r.faults;
        done += (unsigned long long)r.jobs_done;
        failed += (unsigned long long)r.jobs_failed;
        homings += (unsigned long long)r.homings;
        violations += (unsigned long long)r.violations;
        hours += r.seconds / 3600;
        if (!r.ok) {
            bad++;
            printf("seed %llu: %s\n", seed, r.why);
        }
        if ((seed - first + 1) % PROGRESS == 0)
            fprintf(stderr, "soak_arm: %llu of %llu scenarios, %llu broken\n", seed - first + 1,
                    count, bad);
    }
    printf("scenarios %llu, broken %llu, faults %llu, jobs done %llu, jobs failed %llu, homings "
           "%llu, motion lines while unknown %llu, simulated hours %.1f\n",
           count, bad, faults, done, failed, homings, violations, hours);
    return bad ? 1 : 0;
}

static int on_table(unsigned long long seed, unsigned long long count)
{
    struct table_soak_result r;
    int failed = table_soak(count > 10000000 ? 10000000 : (int)count, seed, &r);
    printf(
        "table: placed %d (%d picked ahead), lifted %d, faults %d, grips retried %d, nothing "
        "gripped %d, dropped "
        "%d, recoveries %d, stones unaccounted for %d, collisions %d, motion lines while unknown "
        "%d, bytes lost in the receive buffer %llu, simulated hours %.1f\n",
        r.placed, r.ahead, r.lifted, r.faults, r.retries, r.not_gripped, r.dropped, r.recoveries,
        r.unaccounted, r.incidents, r.blind_motion, r.bytes_lost, r.hours);
    return failed || r.unaccounted || r.incidents || r.blind_motion || r.bytes_lost ? 1 : 0;
}

int main(int argc, char **argv)
{
    unsigned long long count = 10000, first = 1;
    bool table = true, script = true, one = false, counted = false;
    FILE *trace = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0) {
            trace = stdout;
        } else if (strcmp(argv[i], "--table") == 0) {
            script = false;
        } else if (strcmp(argv[i], "--scenarios") == 0) {
            table = false;
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            if (number(argv[++i], &first) < 0)
                return usage();
            one = true;
        } else if (number(argv[i], &count) < 0) {
            return usage();
        } else {
            counted = true;
        }
    }
    if (!table && !script)
        return usage();
    int bad = 0;
    if (script)
        bad |= scenarios(first, one && !counted ? 1 : count, trace);
    if (table)
        bad |= on_table(first, count);
    return bad;
}
