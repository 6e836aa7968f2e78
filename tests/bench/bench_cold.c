// `./dev bench cold`: what `tessera see` takes for a photograph of 12 megapixels, from the start of
// the program to its end: all of it, with loading and decoding. The photograph is of the simulated
// table with a full game on it. Wall-clock and processor time; both count what the machine does
// besides only in their spread.
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "controller/loop.h"
#include "controller/sim/table.h"

enum { ROUNDS = 9, WIDTH = 4000, HEIGHT = 3000, LINES = 19, STONES = 110 };

#define FRAME_NS INT64_C(200000000) // until the camera has one

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print(const char *name, double *value)
{
    qsort(value, ROUNDS, sizeof *value, by_value);
    printf("%s\t%.0f\t%.0f\tms\n", name, value[ROUNDS / 2], value[ROUNDS - 1] - value[0]);
}

static int write_frame(const struct frame *frame, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    const size_t written = fwrite(frame->data, 1, frame->size, file);
    return fclose(file) == 0 && written == frame->size ? 0 : -1;
}

static void stop(void *user, int64_t now_ns)
{
    (void)now_ns;
    loop_exit(user, 0);
}

// The table's own camera with more pixels.
static int photograph(const char *path)
{
    struct table_setup setup;
    struct loop *loop = NULL;
    struct table *table = NULL;
    struct frame frame;
    struct error err = {0};
    table_setup_default(&setup);
    const double zoom = (double)HEIGHT / setup.camera.height;
    setup.camera.lens.f *= zoom;
    setup.camera.lens.cx += (WIDTH / zoom - setup.camera.width) / 2; // in the middle of 4:3
    setup.camera.lens.cx = (setup.camera.lens.cx + 0.5) * zoom - 0.5;
    setup.camera.lens.cy = (setup.camera.lens.cy + 0.5) * zoom - 0.5;
    setup.camera.width = WIDTH;
    setup.camera.height = HEIGHT;
    int r = loop_new_virtual(0, &loop);
    if (r == 0)
        r = table_new(&setup, loop, NULL, &table, &err);
    for (int k = 0; r == 0 && k < STONES; k++) {
        const int column = 3 * k % LINES, row = 3 * k / LINES;
        r = table_put_stone(table, 1 + k % 2, 22 * column, 22 * row);
    }
    struct loop_source *timer;
    if (r == 0)
        r = loop_add_timer(loop, loop_now(loop) + FRAME_NS, stop, loop, &timer);
    if (r == 0) {
        loop_run(loop);
        struct frame_source *camera = table_camera(table);
        r = camera->ops->read(camera->impl, &frame, &err);
    }
    if (r == 0)
        r = write_frame(&frame, path);
    if (r != 0)
        fprintf(stderr, "bench_cold: no photograph: %s\n", err.text);
    table_free(table);
    loop_free(loop);
    return r;
}

static double ms(const struct timeval *t)
{
    return (double)t->tv_sec * 1e3 + (double)t->tv_usec / 1e3;
}

static int see(const char *program, const char *photograph, double *ret_wall, double *ret_cpu)
{
    char *const argv[] = {(char *)program, (char *)"see", (char *)photograph, NULL};
    char *const envp[] = {NULL};
    posix_spawn_file_actions_t quiet;
    struct timespec start, end;
    struct rusage used;
    pid_t child;
    int status = 1;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    clock_gettime(CLOCK_MONOTONIC, &start);
    const int r = posix_spawn(&child, program, &quiet, NULL, argv, envp);
    if (r == 0)
        wait4(child, &status, 0, &used);
    clock_gettime(CLOCK_MONOTONIC, &end);
    posix_spawn_file_actions_destroy(&quiet);
    if (r != 0 || status != 0)
        return -1;
    *ret_wall =
        (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
    *ret_cpu = ms(&used.ru_utime) + ms(&used.ru_stime);
    return 0;
}

int main(void)
{
    char folder[] = "/tmp/bench-cold-XXXXXX", path[PATH_MAX], own[PATH_MAX] = "";
    char program[PATH_MAX + sizeof "/../bin/tessera"];
    double wall[ROUNDS], cpu[ROUNDS];
    if (readlink("/proc/self/exe", own, sizeof own - 1) < 0 || !mkdtemp(folder))
        return 1;
    snprintf(program, sizeof program, "%s/../bin/tessera", dirname(own));
    snprintf(path, sizeof path, "%s/photograph.jpg", folder);
    int r = photograph(path);
    for (int k = 0; r == 0 && k < ROUNDS; k++)
        r = see(program, path, &wall[k], &cpu[k]);
    if (r == 0) {
        print("cold_see_12mp", wall);
        print("cold_see_12mp_cpu", cpu);
    } else {
        fprintf(stderr, "bench_cold: `tessera see` of it failed\n");
    }
    unlink(path);
    rmdir(folder);
    return r == 0 ? 0 : 1;
}
