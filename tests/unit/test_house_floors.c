// The floors of the house: a folder may include only from the floors below it, so that a forbidden
// arrow fails here instead of growing. Includes are written from the root, which is what makes them
// checkable: a quoted include without a folder is refused too.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

struct floor {
    const char *folder;
    const char *allowed[10]; // folders it may include, besides itself
};

// Longest prefix wins: config/base is another floor than config, controller/sim than controller.
static const struct floor FLOORS[] = {
    {"config/base", {NULL}},
    {"rules", {"config/base", NULL}},
    {"rules/daemon", {"config/base", "rules", NULL}},
    {"rules/engine", {"config/base", "rules", NULL}},
    {"vision", {"config/base", NULL}},
    {"motion", {"config/base", NULL}},
    {"config", {"config/base", "rules", "vision", "motion", NULL}},
    // The simulated table stands behind the edges: it knows the camera's and the panel's, never
    // what vision or motion make of them (checked below, file by file).
    {"controller/sim", {"config/base", "vision", "controller", NULL}},
    {"controller",
     {"config/base", "rules", "rules/daemon", "vision", "motion", "config", "controller/sim",
      NULL}},
    {"controller/cli",
     {"config/base", "rules", "rules/daemon", "vision", "motion", "config", "config/calibrate",
      "controller", "controller/sim", NULL}},
    // The wizards stand on top of the whole robot: they drive it as the controller does.
    {"config/calibrate",
     {"config/base", "rules", "vision", "motion", "config", "controller", "controller/sim", NULL}},
    {"config/cli",
     {"config/base", "vision", "motion", "config", "config/calibrate", "controller", NULL}},
};
enum { FLOOR_COUNT = sizeof FLOORS / sizeof FLOORS[0] };

// The edges of the controller and of vision that the simulated table implements, and the names of
// colours.
static const char *const SIM_EDGES[] = {"controller/loop.h", "controller/gpio.h",
                                        "vision/frame_source.h", "vision/colour.h"};

static int arrows_seen, files_seen, faults;

static const struct floor *floor_of(const char *path)
{
    const struct floor *best = NULL;
    for (size_t i = 0; i < FLOOR_COUNT; i++) {
        size_t length = strlen(FLOORS[i].folder);
        if (strncmp(path, FLOORS[i].folder, length) != 0 || path[length] != '/')
            continue;
        if (!best || length > strlen(best->folder))
            best = &FLOORS[i];
    }
    return best;
}

static bool arrow_allowed(const struct floor *from, const char *include)
{
    const struct floor *to = floor_of(include);
    if (!to)
        return false;
    if (to == from)
        return true;
    bool found = false;
    for (size_t i = 0; from->allowed[i]; i++)
        found = found || strcmp(from->allowed[i], to->folder) == 0;
    if (found && strcmp(from->folder, "controller/sim") == 0 &&
        strcmp(to->folder, "config/base") != 0) {
        for (size_t i = 0; i < sizeof SIM_EDGES / sizeof SIM_EDGES[0]; i++)
            if (strcmp(include, SIM_EDGES[i]) == 0)
                return true;
        return false;
    }
    return found;
}

static void check_line(const struct floor *from, const char *path, int number, const char *line)
{
    char include[256];
    if (strstr(line, "opencv2/") && strstr(line, "#include") &&
        strcmp(path, "vision/cvshim.cpp") != 0) {
        print_error("%s:%d: OpenCV may be seen in vision/cvshim.cpp only\n", path, number);
        faults++;
    }
    if (sscanf(line, " # include \"%255[^\"]\"", include) != 1 &&
        sscanf(line, "#include \"%255[^\"]\"", include) != 1)
        return;
    arrows_seen++;
    if (!arrow_allowed(from, include)) {
        print_error("%s:%d: %s may not include \"%s\"\n", path, number, from->folder, include);
        faults++;
    }
}

static void check_file(const char *root, const char *path)
{
    const struct floor *from = floor_of(path);
    if (!from)
        return;
    char full[4096], line[1024];
    snprintf(full, sizeof full, "%s/%s", root, path);
    FILE *file = fopen(full, "r");
    assert_non_null(file);
    files_seen++;
    for (int number = 1; fgets(line, sizeof line, file); number++)
        check_line(from, path, number, line);
    fclose(file);
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".cpp") == 0);
}

// Depth is that of the house, two floors of folders at most; no recursion needed.
static void check_folder(const char *root, const char *folder)
{
    char full[2048];
    snprintf(full, sizeof full, "%s/%s", root, folder);
    DIR *dir = opendir(full);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_source(entry->d_name))
            check_file(root, path);
    }
    closedir(dir);
}

static void test_every_arrow_points_down(void **state)
{
    (void)state;
    const char *root = getenv("TESSERA_SOURCE");
    assert_non_null(root);
    for (size_t i = 0; i < FLOOR_COUNT; i++)
        check_folder(root, FLOORS[i].folder);
    assert_true(files_seen > 2 && arrows_seen > 2);
    assert_int_equal(faults, 0);
}

static void test_forbidden_arrows_are_seen(void **state)
{
    (void)state;
    assert_false(arrow_allowed(floor_of("vision/reader.c"), "rules/game.h"));
    assert_false(arrow_allowed(floor_of("vision/reader.c"), "motion/arm.h"));
    assert_false(arrow_allowed(floor_of("motion/arm.c"), "controller/loop.h"));
    assert_false(arrow_allowed(floor_of("rules/game.c"), "rules/daemon/client.h"));
    assert_false(arrow_allowed(floor_of("controller/sim/world.c"), "vision/observation.h"));
    assert_false(arrow_allowed(floor_of("rules/game.c"), "game.h"));
    assert_true(arrow_allowed(floor_of("controller/table.c"), "motion/arm.h"));
    assert_true(arrow_allowed(floor_of("controller/sim/camera.c"), "vision/frame_source.h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_arrow_points_down),
        cmocka_unit_test(test_forbidden_arrows_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
