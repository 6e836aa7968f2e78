// soak_vision [N] [--seed S] [--moves M] [--every-frame] [--keep DIR] [--chatty]
//
// Lets a simulated person play N turns (default 2000) at tables made from the seeds S, S+1, …
// (default 1): other cameras, lenses, lights, boards, stones and games, at most M turns (default
// 24) at each, with things going wrong on purpose. The eyes see JPEGs only. Prints one line a
// table, the figures, and exits with 1 when a bar of the project is broken: no wrong commit, 99 %
// of the turns read without a question, half of them within 0.5 s after the hand is gone.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/soak/vision_bout.h"

#define COMMITTED_MIN 0.99
#define MEDIAN_MAX_S  0.5

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float quantile(const struct bout_totals *t, double q)
{
    return t->delays ? t->delay[(int)(q * (t->delays - 1))] : 0;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int report(struct bout_totals *t, double seconds)
{
    qsort(t->delay, (size_t)t->delays, sizeof t->delay[0], by_value);
    printf("\n%-16s %6s %6s\n", "trouble", "turns", "failed");
    for (int k = 0; k < TROUBLES; k++)
        printf("%-16s %6d %6d\n", bout_trouble_name((enum bout_trouble)k), t->trouble[k],
               t->trouble_failed[k]);
    double share = t->moves ? (double)t->committed / t->moves : 0;
    printf("\n%d turns at %d tables in %.0f s, %d frames of %.1f ms in the eyes\n", t->moves,
           t->bouts, seconds, t->frames, t->frames ? 1e3 * t->cpu_vision_s / t->frames : 0);
    printf("wrong commits          %d\n", t->wrong);
    printf("without a question     %d (%.2f %%), after one %d, missed %d\n", t->committed,
           100 * share, t->asked, t->missed);
    printf("mistakes named         %d of %d\n", t->named, t->mistakes);
    printf("hand gone to commit    median %.2f s, 90 %% %.2f s, 99 %% %.2f s\n",
           (double)quantile(t, 0.5), (double)quantile(t, 0.9), (double)quantile(t, 0.99));
    bool good = t->wrong == 0 && share >= COMMITTED_MIN && t->named == t->mistakes &&
                (double)quantile(t, 0.5) <= MEDIAN_MAX_S;
    printf("%s\n", good ? "all bars are met" : "a bar is BROKEN");
    return good ? 0 : 1;
}

static int usage(void)
{
    fprintf(stderr, "usage: soak_vision [N] [--seed S] [--moves M] [--every-frame] [--keep DIR] "
                    "[--chatty]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option rows[] = {
        {"seed", required_argument, NULL, 's'},  {"moves", required_argument, NULL, 'm'},
        {"every-frame", no_argument, NULL, 'e'}, {"keep", required_argument, NULL, 'k'},
        {"chatty", no_argument, NULL, 'c'},      {0}};
    static struct bout_totals totals;
    struct bout_options o = {.seed = 1, .moves = 24};
    for (int id; (id = getopt_long(argc, argv, "", rows, NULL)) != -1;) {
        if (id == 's')
            o.seed = strtoull(optarg, NULL, 10);
        else if (id == 'm')
            o.moves = atoi(optarg);
        else if (id == 'e')
            o.every_frame = true;
        else if (id == 'k')
            o.keep = optarg;
        else if (id == 'c')
            o.chatty = true;
        else
            return usage();
    }
    int turns = optind < argc ? atoi(argv[optind]) : 2000;
    if (turns < 1 || turns > BOUT_MOVES_MAX || o.moves < 1)
        return usage();
    double began = now_s();
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (totals.moves < turns) {
        struct error err = {0};
        struct bout_options this = o;
        if (this.moves > turns - totals.moves)
            this.moves = turns - totals.moves;
        if (bout_play(&this, &totals, &err) < 0) {
            fprintf(stderr, "seed %llu: %s\n", (unsigned long long)o.seed, err.text);
            return 1;
        }
        o.seed++;
    }
    return report(&totals, now_s() - began);
}
