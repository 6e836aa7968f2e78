#include "tests/unit/vision_rig.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "controller/loop.h"

static const int64_t FRAME_NS = 100000000;

static void new_reader(struct vision_rig *rig)
{
    struct vision_settings settings = vision_settings_default();
    settings.columns = rig->setup.board.columns;
    settings.rows = rig->setup.board.rows;
    settings.pitch_x = rig->setup.board.pitch_x;
    settings.pitch_y = rig->setup.board.pitch_y;
    settings.hollows = rig->setup.board.hollows;
    settings.seam = rig->setup.board.seam;
    settings.stone_diameter = rig->setup.stones.diameter;
    settings.stone_height = rig->setup.stones.height;
    settings.colours = rig->setup.stones.colours;
    for (int k = 0; k < settings.colours; k++)
        settings.colour[k] = rig->setup.stones.colour[k];
    assert_int_equal(vision_new(&settings, &rig->vision, NULL), 0);
}

struct vision_rig *vision_rig_new(const struct table_setup *setup)
{
    struct vision_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    rig->setup = *setup;
    assert_int_equal(loop_new_virtual(0, &rig->loop), 0);
    assert_int_equal(table_new(setup, rig->loop, NULL, &rig->table, NULL), 0);
    new_reader(rig);
    return rig;
}

struct vision_rig *vision_rig_free(struct vision_rig *rig)
{
    if (rig) {
        vision_free(rig->vision);
        table_free(rig->table);
        loop_free(rig->loop);
        free(rig);
    }
    return NULL;
}

static void stop(void *user, int64_t now_ns)
{
    (void)now_ns;
    loop_exit(user, 0);
}

bool vision_rig_frame(struct vision_rig *rig, struct frame *ret)
{
    struct frame_source *camera = table_camera(rig->table);
    struct loop_source *timer;
    assert_int_equal(
        loop_add_timer(rig->loop, loop_now(rig->loop) + FRAME_NS, stop, rig->loop, &timer), 0);
    loop_run(rig->loop);
    loop_source_free(timer);
    const int r = camera->ops->read(camera->impl, ret, NULL);
    if (r != -EAGAIN)
        assert_int_equal(r, 0);
    return r == 0;
}

void vision_rig_look(struct vision_rig *rig, int frames)
{
    for (int k = 0; k < frames; k++) {
        struct frame frame;
        if (vision_rig_frame(rig, &frame))
            assert_int_equal(vision_observe(rig->vision, &frame, &rig->seen, NULL), 0);
    }
}

void vision_rig_forget(struct vision_rig *rig)
{
    vision_free(rig->vision);
    new_reader(rig);
}

int vision_rig_wrong(const struct vision_rig *rig)
{
    const int columns = rig->setup.board.columns, rows = rig->setup.board.rows;
    int8_t truth[SETUP_LINES_MAX * SETUP_LINES_MAX];
    int wrong = 0;
    table_truth(rig->table, truth);
    for (int n = 0; n < columns * rows; n++) {
        if ((int)rig->seen.point[n].best == (int)truth[n])
            continue;
        print_message("%d,%d: %d lies there, %d was read\n", n % columns, n / columns, truth[n],
                      rig->seen.point[n].best);
        wrong++;
    }
    return wrong;
}

double vision_rig_grid_error(const struct vision_rig *rig)
{
    const struct setup_board *b = &rig->setup.board;
    struct geometry g;
    double worst = 0;
    if (!vision_geometry(rig->vision, &g))
        return -1;
    for (int corner = 0; corner < 4; corner++) {
        const double u = corner & 1 ? b->columns - 1 : 0, v = corner & 2 ? b->rows - 1 : 0;
        double at[3] = {0}, there[2], x, y;
        setup_board_at(b, u, v, at);
        table_project(rig->table, at, there);
        geometry_board_to_image(&g, u, v, &x, &y);
        worst = fmax(worst, hypot(x - there[0], y - there[1]) / geometry_cell_px(&g, u, v));
    }
    return worst;
}
