// What reading settings and calibration costs: both are read at every start of every program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "config/calibration.h"
#include "config/reading.h"
#include "config/text.h"

enum { ROUNDS = 51 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, double *ms)
{
    qsort(ms, ROUNDS, sizeof *ms, by_size);
    printf("%s\t%.3f\t%.3f\tms\n", name, ms[ROUNDS / 2], ms[ROUNDS * 9 / 10] - ms[ROUNDS / 10]);
}

static void bench_settings(void)
{
    double ms[ROUNDS];
    char *text = NULL;
    size_t size;
    struct settings settings;
    settings_default(&settings);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    text_sample(out, &settings, NULL);
    fclose(out);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin = clock_monotonic_ns();
        struct reading *reading = reading_new();
        if (!reading || reading_text(reading, text, size, "bench", READING_FILE) < 0 ||
            reading_agree(reading) < 0)
            exit(1);
        reading_free(reading);
        ms[i] = (double)(clock_monotonic_ns() - begin) / 1e6;
    }
    free(text);
    print("config: all settings from one file", ms);
}

static void bench_calibration(void)
{
    double ms[ROUNDS];
    struct calibration c;
    struct error err;
    char path[] = "/tmp/bench-calibration.XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return;
    calibration_init(&c, "bench");
    if (remove(path) < 0 || calibration_save(NULL, path, &c, &err) < 0)
        exit(1);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin = clock_monotonic_ns();
        if (calibration_load(path, "bench", &c, &err) < 0)
            exit(1);
        ms[i] = (double)(clock_monotonic_ns() - begin) / 1e6;
    }
    remove(path);
    print("config: calibration loaded and checked", ms);
}

int main(void)
{
    bench_settings();
    bench_calibration();
    return 0;
}
