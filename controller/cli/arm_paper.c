// Orders on paper: what the arm would do, as G-code and as a picture. Nothing is opened.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "controller/cli/arm_orders.h"
#include "motion/picture.h"

enum { TEXT_MAX = 8192, PICTURE_MAX = 262144 };

static void follow(struct arm_scene *scene, struct stores *stores, const struct arm_job *job,
                   const struct arm_program *program)
{
    memcpy(scene->at, program->end, sizeof scene->at);
    for (int i = 0; i < program->count; i++) {
        const struct arm_step *step = &program->step[i];
        if (step->kind == ARM_STEP_GRIP || step->kind == ARM_STEP_RELEASE)
            scene->holding = step->kind == ARM_STEP_GRIP;
        if (step->kind == ARM_STEP_TOOK)
            stores_took(stores, &step->store);
        if (step->kind == ARM_STEP_PUT)
            stores_put(stores, &step->store);
    }
    scene->down = scene->stay_low && arm_job_class(job->kind)->ends_raised;
}

static int write_picture(const struct arm_picture *picture, const char *path, struct error *err)
{
    static char svg[PICTURE_MAX];
    int length = arm_picture_svg(picture, svg, sizeof svg);
    if (length >= PICTURE_MAX)
        return error_set(err, -E2BIG, "the picture is too large.");
    FILE *file = fopen(path, "we");
    bool ok = file && fwrite(svg, 1, (size_t)length, file) == (size_t)length;
    ok = file && fclose(file) == 0 && ok;
    return ok ? 0 : error_set(err, -errno, "%s can't be written: %s.", path, strerror(errno));
}

int arm_orders_print(const struct arm_orders *orders, const struct devices *devices, bool text,
                     const char *plot, const char *title, struct error *err)
{
    static struct arm_program program[ARM_ORDERS_MAX];
    const struct arm_config *c = &devices->arm;
    const struct settings_machine *m = &devices->settings->machine;
    const struct settings_board *board = &devices->settings->board;
    const struct travel_limits limits = {
        .speed = {m->feed_xy, m->feed_xy, m->feed_z},
        .acceleration = {m->accel_xy, m->accel_xy, m->accel_z},
    };
    const double travel[3] = {m->travel_x, m->travel_y, m->travel_z};
    struct stores stores = devices->stores;
    struct arm_scene scene = {.config = c,
                              .stores = &stores,
                              .limits = &limits,
                              .travel = travel,
                              .at = {c->park[0], c->park[1], c->safe_z}};
    const struct arm_scene start = scene;
    double seconds = 0;
    for (int i = 0; i < orders->count; i++) {
        char code[TEXT_MAX];
        struct arm_job job = arm_orders_job(orders, i, 0);
        scene.stay_low =
            i + 1 < orders->count && arm_job_class(orders->job[i + 1].kind)->ends_raised;
        int r = arm_program_plan(&scene, &job, &program[i], err);
        if (r < 0)
            return r;
        if (text) {
            arm_program_text(&program[i], &limits, scene.at, code, sizeof code);
            printf("; %s\n%s", arm_job_class(job.kind)->name, code);
        }
        seconds += arm_program_seconds(&program[i], &limits, scene.at);
        follow(&scene, &stores, &job, &program[i]);
    }
    char caption[128];
    snprintf(caption, sizeof caption, "tessera arm %s: %.1f s at least, from the park place", title,
             seconds);
    const struct arm_picture picture = {.scene = &start,
                                        .programs = program,
                                        .count = orders->count,
                                        .title = caption,
                                        .map = &devices->map,
                                        .columns = board->columns,
                                        .rows = board->rows,
                                        .pitch_x = board->pitch_x,
                                        .pitch_y = board->pitch_y};
    return plot ? write_picture(&picture, plot, err) : 0;
}
