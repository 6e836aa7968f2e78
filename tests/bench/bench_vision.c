// `./dev bench vision`: what a frame costs, on frames of the simulated table (a stone appears every
// few frames). Decode is TurboJPEG alone into planes; observe is everything the reader does
// besides; locate finds the board from nothing, relocate where it lies after the camera was jolted
// (the longest of the pictures after that, decoding and all). Processor time, so that other
// programs don't count. Memory is that of the whole process, renderer and frames included.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "controller/loop.h"
#include "controller/sim/table.h"
#include "vision/picture.h"
#include "vision/reader.h"

enum { FRAMES = 24, ROUNDS = 12, LOCATES = 5, JOLTS = 8, CALM = 30 };
static const double JOLT = 8; // mm, and tenths of a degree

struct recorded { // two of them: before the camera was jolted, and after
    uint8_t *jpeg[FRAMES];
    size_t size[FRAMES];
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void stop(void *user, int64_t now_ns)
{
    (void)now_ns;
    loop_exit(user, 0);
}

static int record(int width, int height, struct recorded ret[2])
{
    struct table_setup setup;
    struct loop *loop;
    struct table *table;
    struct error err = {0};
    table_setup_default(&setup);
    // The same camera with more or fewer pixels.
    const double zoom = (double)width / setup.camera.width;
    setup.camera.width = width;
    setup.camera.height = height;
    setup.camera.lens.f *= zoom;
    setup.camera.lens.cx = (setup.camera.lens.cx + 0.5) * zoom - 0.5;
    setup.camera.lens.cy = (setup.camera.lens.cy + 0.5) * zoom - 0.5;
    if (loop_new_virtual(0, &loop) != 0 || table_new(&setup, loop, NULL, &table, &err) != 0) {
        fprintf(stderr, "bench_vision: %s\n", err.text);
        return -1;
    }
    srand(11);
    for (int k = 0; k < 60; k++)
        table_put_stone(table, 1 + k % 2, 22 * (k * 7 % 19), 22 * (k * 5 % 19));
    for (int k = 0; k < 2 * FRAMES; k++) {
        struct recorded *r = &ret[k / FRAMES];
        if (k == FRAMES)
            table_fault(table, FAULT_CAMERA_BUMP, JOLT);
        struct frame frame;
        struct loop_source *timer;
        struct frame_source *camera = table_camera(table);
        if (k % 6 == 5)
            table_put_stone(table, 1 + k % 2, 22 * (k % 19), 22 * (k % 17) + 1);
        loop_add_timer(loop, loop_now(loop) + 100000000, stop, loop, &timer);
        loop_run(loop);
        if (camera->ops->read(camera->impl, &frame, &err) != 0)
            return -1;
        r->size[k % FRAMES] = frame.size;
        r->jpeg[k % FRAMES] = malloc(frame.size);
        if (!r->jpeg[k % FRAMES])
            return -1;
        memcpy(r->jpeg[k % FRAMES], frame.data, frame.size);
    }
    table_free(table);
    loop_free(loop);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double print(const char *name, double *value, int count, const char *unit)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    printf("%s\t%.3f\t%.3f\t%s\n", name, value[count / 2],
           value[count * 9 / 10] - value[count / 10], unit);
    return value[count / 2];
}

// Resident memory of this process, MB; 0 where the system doesn't tell.
static double memory_mb(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    const int read = file ? fscanf(file, "%ld %ld", &pages, &resident) : 0;
    if (file)
        fclose(file);
    return read == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6 : 0;
}

// The camera is jolted there and back; each time the board has to be found again.
static int measure_jolts(const char *size, const struct recorded r[2], struct vision *vision,
                         int64_t time_ns)
{
    double longest[JOLTS] = {0};
    struct observation seen;
    for (int jolt = 0; jolt < JOLTS; jolt++) {
        const struct recorded *now = &r[(jolt + 1) % 2];
        for (int k = 0; k < CALM; k++, time_ns += 66000000) {
            const int last = FRAMES - 1; // nothing moves any more
            const struct frame frame = {.format = FRAME_JPEG,
                                        .data = now->jpeg[last],
                                        .size = now->size[last],
                                        .time_ns = time_ns};
            const double start = now_ms();
            if (vision_observe(vision, &frame, &seen, NULL) != 0)
                return -1;
            longest[jolt] = fmax(longest[jolt], now_ms() - start);
        }
        if (seen.scene.state != SCENE_STILL) {
            fprintf(stderr, "bench_vision: not found after jolt %d: %s\n", jolt,
                    scene_state_name(seen.scene.state));
            return -1;
        }
    }
    char name[64];
    snprintf(name, sizeof name, "vision_%s_relocate", size);
    print(name, longest, JOLTS, "ms");
    return 0;
}

static int measure(const char *size, const struct recorded r[2])
{
    static double decode[ROUNDS * FRAMES], whole[ROUNDS * FRAMES], own[ROUNDS * FRAMES];
    static struct observation seen;
    struct picture_decoder *decoder;
    struct picture picture = {0};
    struct vision *vision;
    struct vision_settings settings = vision_settings_default();
    char name[64];
    int count = 0;
    if (picture_decoder_new(&decoder) != 0 || vision_new(&settings, &vision, NULL) != 0)
        return -1;
    struct geometry geometry;
    struct frame frame = {.format = FRAME_JPEG, .data = r->jpeg[0], .size = r->size[0]};
    double locate[LOCATES];
    for (int k = 0; k < LOCATES; k++) {
        const double start = now_ms();
        if (vision_locate(vision, &frame, &geometry, NULL) != 0)
            return -1;
        locate[k] = now_ms() - start;
    }
    int64_t time_ns = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < FRAMES; k++, time_ns += 66000000) {
            frame = (struct frame){
                .format = FRAME_JPEG, .data = r->jpeg[k], .size = r->size[k], .time_ns = time_ns};
            // Interleaved, so that both meet the same machine.
            const double a = now_ms();
            picture_from_frame(decoder, &frame, &picture, NULL);
            const double b = now_ms();
            vision_observe(vision, &frame, &seen, NULL);
            const double c = now_ms();
            if (round == 0)
                continue; // warm up
            decode[count] = b - a;
            whole[count] = c - b;
            own[count] = fmax(0, (c - b) - (b - a));
            count++;
        }
    snprintf(name, sizeof name, "vision_%s_decode", size);
    const double d = print(name, decode, count, "ms/frame");
    snprintf(name, sizeof name, "vision_%s_observe", size);
    const double o = print(name, own, count, "ms/frame");
    snprintf(name, sizeof name, "vision_%s_pipeline", size);
    const double w = print(name, whole, count, "ms/frame");
    printf("vision_%s_observe_ratio\t%.3f\t0\tof decode\n", size, o / d);
    printf("vision_%s_pipeline_ratio\t%.3f\t0\tof decode\n", size, w / d);
    snprintf(name, sizeof name, "vision_%s_locate", size);
    print(name, locate, LOCATES, "ms");
    if (measure_jolts(size, r, vision, time_ns) != 0)
        return -1;
    printf("vision_%s_memory\t%.1f\t0\tMB\n", size, memory_mb());
    picture_decoder_free(decoder);
    picture_release(&picture);
    vision_free(vision);
    return 0;
}

int main(void)
{
    static const struct {
        const char *name;
        int width, height;
    } SIZE[] = {{"720p", 1280, 720}, {"1080p", 1920, 1080}};
    for (int k = 0; k < 2; k++) {
        static struct recorded r[2];
        if (record(SIZE[k].width, SIZE[k].height, r) != 0 || measure(SIZE[k].name, r) != 0)
            return 1;
        for (int f = 0; f < 2 * FRAMES; f++)
            free(r[f / FRAMES].jpeg[f % FRAMES]);
    }
    return 0;
}
