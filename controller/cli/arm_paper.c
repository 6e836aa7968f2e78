// Orders on paper: what the arm would do, as G-code and as a picture. Nothing is opened.
#include <errno.h>
#include <jansson.h>
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

// The lines that go to the plotter; comments are for people.
static json_t *code_lines(char *code)
{
    json_t *lines = json_array();
    char *rest;
    for (char *line = strtok_r(code, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] != ';')
            json_array_append_new(lines, json_string(line));
    }
    return lines;
}

// What is planned: a program for each job, and where it begins.
struct plan {
    const struct arm_orders *orders;
    struct travel_limits limits;
    struct arm_program program[ARM_ORDERS_MAX];
    double from[ARM_ORDERS_MAX][3];
    double seconds; // at least, for all
};

static const char *job_name(const struct plan *plan, int i)
{
    return arm_job_class(plan->orders->job[i].kind)->name;
}

static void print_text(const struct plan *plan)
{
    char code[TEXT_MAX];
    for (int i = 0; i < plan->orders->count; i++) {
        arm_program_text(&plan->program[i], &plan->limits, plan->from[i], code, sizeof code);
        printf("; %s\n%s", job_name(plan, i), code);
    }
    if (plan->orders->count == 0)
        printf("; status\n; asks the plotter for its state; nothing moves\n");
}

static void print_json(const struct plan *plan)
{
    char code[TEXT_MAX];
    json_t *jobs = json_array();
    for (int i = 0; i < plan->orders->count; i++) {
        const struct arm_program *program = &plan->program[i];
        arm_program_text(program, &plan->limits, plan->from[i], code, sizeof code);
        json_array_append_new(jobs,
                              json_pack("{s:s, s:f, s:o}", "job", job_name(plan, i), "seconds",
                                        arm_program_seconds(program, &plan->limits, plan->from[i]),
                                        "gcode", code_lines(code)));
    }
    json_t *all = json_pack("{s:o, s:f}", "jobs", jobs, "seconds", plan->seconds);
    json_dumpf(all, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(all);
}

// From the park place on, one job after the other.
static int plan_orders(struct plan *plan, struct arm_scene scene, const struct stores *full,
                       struct error *err)
{
    const struct arm_orders *orders = plan->orders;
    struct stores stores = *full;
    scene.stores = &stores;
    for (int i = 0; i < orders->count; i++) {
        struct arm_job job = arm_orders_job(orders, i, 0);
        scene.stay_low =
            i + 1 < orders->count && arm_job_class(orders->job[i + 1].kind)->ends_raised;
        int r = arm_program_plan(&scene, &job, &plan->program[i], err);
        if (r < 0)
            return r;
        memcpy(plan->from[i], scene.at, sizeof plan->from[i]);
        plan->seconds += arm_program_seconds(&plan->program[i], &plan->limits, scene.at);
        follow(&scene, &stores, &job, &plan->program[i]);
    }
    return 0;
}

int arm_orders_print(const struct arm_orders *orders, const struct devices *devices,
                     enum arm_paper paper, const char *plot, const char *title, struct error *err)
{
    static struct plan plan; // large
    const struct arm_config *c = &devices->arm;
    const struct settings_machine *m = &devices->settings->machine;
    const struct settings_board *board = &devices->settings->board;
    const double travel[3] = {m->travel_x, m->travel_y, m->travel_z};
    plan = (struct plan){
        .orders = orders,
        .limits = {.speed = {m->feed_xy, m->feed_xy, m->feed_z},
                   .acceleration = {m->accel_xy, m->accel_xy, m->accel_z}},
    };
    const struct arm_scene start = {.config = c,
                                    .stores = &devices->stores,
                                    .limits = &plan.limits,
                                    .travel = travel,
                                    .at = {c->park[0], c->park[1], c->safe_z}};
    int r = plan_orders(&plan, start, &devices->stores, err);
    if (r < 0)
        return r;
    if (paper == ARM_PAPER_TEXT)
        print_text(&plan);
    else if (paper == ARM_PAPER_JSON)
        print_json(&plan);
    char caption[128];
    snprintf(caption, sizeof caption, "tessera arm %s: %.1f s at least, from the park place", title,
             plan.seconds);
    const struct arm_picture picture = {.scene = &start,
                                        .programs = plan.program,
                                        .count = orders->count,
                                        .title = caption,
                                        .map = &devices->map,
                                        .columns = settings_columns(board),
                                        .rows = settings_rows(board)};
    return plot ? write_picture(&picture, plot, err) : 0;
}
