// soak_arm [COUNT] [--seed N] [--trace]: seeded fault scenarios for the arm on a scripted GRBL.
// Exit 0: every invariant held in all of them. A failing seed is printed and can be run alone.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test_motion_chaos.h"

static int usage(void)
{
    fprintf(stderr, "usage: soak_arm [COUNT] [--seed N] [--trace]\n");
    return 2;
}

static int number(const char *text, unsigned long long *ret)
{
    char *end;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return errno || *end || end == text ? -1 : 0;
}

int main(int argc, char **argv)
{
    unsigned long long count = 10000, first = 1;
    FILE *trace = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0) {
            trace = stdout;
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            if (number(argv[++i], &first) < 0)
                return usage();
            count = 1;
        } else if (number(argv[i], &count) < 0) {
            return usage();
        }
    }
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
    }
    printf("scenarios %llu, broken %llu, faults %llu, jobs done %llu, jobs failed %llu, homings "
           "%llu, motion lines while unknown %llu, simulated hours %.1f\n",
           count, bad, faults, done, failed, homings, violations, hours);
    return bad ? 1 : 0;
}
