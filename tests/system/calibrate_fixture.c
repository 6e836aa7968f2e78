#include "tests/system/calibrate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/devices.h"

enum { NOISE_FRAMES = 4 };

static void say(void *user, const char *text)
{
    struct fixture *f = user;
    f->said++;
    if (f->when && strstr(text, f->when)) {
        table_fault(bench_table(f->bench), f->fault, f->value);
        f->when = NULL;
    }
}

static bool ask(void *user, const char *text)
{
    struct fixture *f = user;
    return f->answer && f->answer(f, text);
}

static bool measure(void *user, const char *text, double proposed, double *ret)
{
    (void)user;
    (void)text;
    *ret = proposed;
    return true;
}

static struct fixture *begin(const char *const *overrides, const struct table_setup *table,
                             bool yes)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    char file[512];
    struct error err;
    (void)snprintf(file, sizeof file, "%s/config/samples/sim.yaml", getenv("TESSERA_SOURCE"));
    struct settings_source source = {.file = file, .overrides = overrides};
    if (settings_load(&source, &f->settings, &err) < 0)
        fail_msg("%s", err.text);
    // Noise that repeats spares the rendering of a picture in which nothing has changed.
    if (table)
        f->table = *table;
    else
        devices_table_setup(&f->settings, &f->table);
    f->table.camera.noise_frames = NOISE_FRAMES;
    calibration_init(&f->calibration, f->settings.machine.name);
    const struct bench_options options = {
        .settings = &f->settings,
        .calibration = &f->calibration,
        .people = {.say = say, .ask = ask, .measure = measure, .user = f},
        .yes = yes,
        .table = &f->table,
        .arm = true,
    };
    if (bench_open(&options, &f->bench, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

struct fixture *fixture_begin(const struct table_setup *table, bool yes)
{
    return begin(NULL, table, yes);
}

struct fixture *fixture_begin_small(bool yes)
{
    static const char *const SMALL[] = {"board.columns=13", "board.rows=13",
                                        "game.variant=pente; size=13", NULL};
    return begin(SMALL, NULL, yes);
}

struct fixture *fixture_begin_hollows(double off_x, double off_y)
{
    static const char *const HOLLOWS[] = {
        "board.columns=6",      "board.rows=6",          "board.pitch_x=28",
        "board.pitch_y=28",     "board.points=hollows",  "board.seam=5",
        "stones.diameter=17",   "stones.height=8.5",     "stones.colour1=black",
        "stones.colour2=white", "heights.contact=-41.5", "game.variant=pentago",
        "camera.width=800",     "camera.height=450",     NULL};
    struct fixture *f = begin(HOLLOWS, NULL, true);
    struct table_setup table = f->table;
    fixture_end(f);
    table.machine.a1_x += off_x;
    table.machine.a1_y += off_y;
    return begin(HOLLOWS, &table, true);
}

void fixture_end(struct fixture *f)
{
    bench_free(f->bench);
    free(f);
}

int fixture_run(struct fixture *f, const char *name, struct wizard_result *ret, struct error *err)
{
    *err = (struct error){0};
    return wizard_run(wizard_find(name), f->bench, ret, err);
}

void fixture_expect_pass(struct fixture *f, const char *name)
{
    struct wizard_result result;
    struct error err;
    if (fixture_run(f, name, &result, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    if (!result.passed)
        fail_msg("%s: %g (limit %g): %s", name, result.figure, result.limit, result.words);
    print_message("%s: %.3g %s; %s\n", name, result.figure, result.what, result.words);
}
