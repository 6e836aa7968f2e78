// What a frame of the simulated camera costs: an unchanged scene, the arm over the board, a hand
// over the board; and how fast the firmware runs. CPU time, so that other work does not count.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "controller/sim/plotter.h"
#include "controller/sim/render.h"

enum { ROUNDS = 41 };

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, double *sample, int n, const char *unit)
{
    qsort(sample, (size_t)n, sizeof sample[0], by_value);
    printf("%s\t%.3f\t%.3f\t%s\n", name, sample[n / 2], sample[n * 3 / 4] - sample[n / 4], unit);
}

static void frames(struct render *r, struct scene *scene, const char *name,
                   void (*change)(struct scene *, int))
{
    double sample[ROUNDS];
    struct frame frame;
    for (int i = 0; i < ROUNDS; i++) {
        if (change)
            change(scene, i);
        const double start = cpu_ms();
        if (render_frame(r, scene, (uint32_t)i, &frame, NULL) < 0)
            exit(1);
        sample[i] = cpu_ms() - start;
    }
    print(name, sample, ROUNDS, "ms");
}

static void move_arm(struct scene *scene, int i)
{
    scene->tool[0] = 40 + 8 * i;
    scene->tool[1] = 60 + 7 * i;
    scene->tool[2] = 22;
}

static void move_hand(struct scene *scene, int i)
{
    scene->tool[1] = 463;
    scene->hand = (struct world_hand){.present = true,
                                      .pinching = true,
                                      .x = 60 + 7 * i,
                                      .y = 120 + 3 * i,
                                      .z = 30,
                                      .angle = 0.1,
                                      .stone = -1,
                                      .second = -1};
}

static void swallow(void *user, int64_t t_ns, const void *data, size_t size)
{
    (void)user, (void)t_ns, (void)data, (void)size;
}

static void outputs(void *user, int64_t t_ns, bool spindle, bool mist, bool flood)
{
    (void)user, (void)t_ns, (void)spindle, (void)mist, (void)flood;
}

static double far_switch(void *user, int axis, bool at_min)
{
    (void)user, (void)axis, (void)at_min;
    return 100;
}

static void renamed(void *user, int64_t t_ns, const double at[3], const bool axis[3], bool homed)
{
    (void)user, (void)t_ns, (void)at, (void)axis, (void)homed;
}

static void stopped(void *user, int64_t t_ns, const double speed[3])
{
    (void)user, (void)t_ns, (void)speed;
}

// Lines of a path, through wire, parser and planner.
static void firmware(void)
{
    static const struct plotter_ops OPS = {.send = swallow,
                                           .outputs = outputs,
                                           .switch_distance = far_switch,
                                           .renamed = renamed,
                                           .stopped_dead = stopped};
    static struct plotter p;
    struct table_setup setup;
    double sample[ROUNDS];
    table_setup_default(&setup);
    plotter_init(&p, &setup);
    plotter_attach(&p, &OPS, NULL);
    plotter_restart(&p, 0);
    int64_t now = 2000000000;
    const char *unlock = "$X\n";
    for (int i = 0; unlock[i]; i++)
        plotter_receive(&p, now += 86806, (uint8_t)unlock[i]);
    for (int i = 0; i < ROUNDS; i++) {
        const double start = cpu_ms();
        for (int k = 0; k < 500; k++) {
            char line[64];
            snprintf(line, sizeof line, "G1F9000X%.2fY-%.2f\n", -1 - 0.5 * (k % 100), 1 + 0.1 * k);
            for (int c = 0; line[c]; c++)
                plotter_receive(&p, now += 86806, (uint8_t)line[c]);
            now += 20000000;
        }
        sample[i] = (cpu_ms() - start) * 1e3 / 500;
    }
    print("sim_firmware_line", sample, ROUNDS, "us");
}

int main(void)
{
    struct table_setup setup;
    struct render *r;
    struct world *world = malloc(sizeof *world);
    struct scene *scene = calloc(1, sizeof *scene);
    const struct scene_light light = {.gain = 1};
    if (!world || !scene)
        exit(1);
    table_setup_default(&setup);
    world_init(world, &setup, 0);
    for (int i = 0; i < 60; i++)
        world_add_stone(world, 1 + i % 2, 22 * (i * 7 % 19), 22 * (i * 5 % 19));
    scene_take(scene, world, &light, 0);
    scene->tool[1] = 463;
    const double start = cpu_ms();
    if (render_new(&setup, &r) < 0)
        exit(1);
    struct frame frame;
    render_frame(r, scene, 0, &frame, NULL);
    printf("sim_first_frame\t%.3f\t0\tms\n", cpu_ms() - start);
    frames(r, scene, "sim_frame_still", NULL);
    frames(r, scene, "sim_frame_arm", move_arm);
    frames(r, scene, "sim_frame_hand", move_hand);
    render_free(r);
    free(world);
    free(scene);
    firmware();
    return 0;
}
