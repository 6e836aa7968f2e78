#include "config/calibrate/wizard.h"

#include <string.h>
#include <time.h>

static struct calibration_verdict *panel_verdict(struct calibration *c)
{
    return &c->panel.verdict;
}

static struct calibration_verdict *camera_verdict(struct calibration *c)
{
    return &c->camera.verdict;
}

static struct calibration_verdict *board_verdict(struct calibration *c)
{
    return &c->board.verdict;
}

static struct calibration_verdict *arm_verdict(struct calibration *c)
{
    return &c->arm.verdict;
}

static struct calibration_verdict *stones_verdict(struct calibration *c)
{
    return &c->stones.verdict;
}

static struct calibration_verdict *gripper_verdict(struct calibration *c)
{
    return &c->gripper.verdict;
}

const struct wizard wizards[] = {
    {"panel", "Panel and e-stop", false, wizard_panel, panel_verdict},
    {"camera", "Camera and lens", false, wizard_camera, camera_verdict},
    {"board", "Board", false, wizard_board, board_verdict},
    {"arm", "Camera and arm", true, wizard_arm, arm_verdict},
    {"stones", "Stones", true, wizard_stones, stones_verdict},
    {"gripper", "Gripper", true, wizard_gripper, gripper_verdict},
};

const int wizard_count = sizeof wizards / sizeof *wizards;

const struct wizard *wizard_find(const char *name)
{
    for (int i = 0; i < wizard_count; i++)
        if (strcmp(wizards[i].name, name) == 0)
            return &wizards[i];
    return NULL;
}

int wizard_run(const struct wizard *wizard, struct bench *bench, struct wizard_result *ret,
               struct error *err)
{
    *ret = (struct wizard_result){0};
    int r = wizard->run(bench, ret, err);
    struct error unseen;
    if (r == 0 && bench_snap(bench, &unseen) < 0)
        bench_say(bench, "There is no picture: %s", unseen.text);
    struct calibration_verdict *verdict = wizard->verdict(bench_calibration(bench));
    verdict->valid = r == 0 && ret->passed;
    if (r < 0)
        return r;
    verdict->when = (int64_t)time(NULL);
    verdict->figure = ret->figure;
    verdict->limit = ret->limit;
    return 0;
}
