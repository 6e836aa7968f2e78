// The calibration store: it comes back as it was, and nothing that is not whole is believed.
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/io.h"
#include "config/calibration.h"
#include "tests/unit/io_faults.h"

static char folder[256];
static char path[300];

static int make_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/calibration.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/calibration.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

// Something in every part, with numbers that need all their digits.
static void measure(struct calibration *c, double seed)
{
    calibration_init(c, "my robot");
    struct calibration_verdict verdict = {true, 1790000000, seed, 1.0 / 3.0};
    c->panel.verdict = c->camera.verdict = c->lens.verdict = c->board.verdict = c->arm.verdict =
        c->stones.verdict = c->gripper.verdict = verdict;
    c->panel.estop_proven = true;
    c->camera.exposure_us = 12000;
    c->lens.lens = (struct lens){950.1, 950.2, 640.3, 360.4, -0.1, 0.01, 1e-5, -1e-5, 1.0 / 7.0};
    c->board.geometry.columns = c->board.geometry.rows = 19;
    for (int i = 0; i < 9; i++)
        c->board.geometry.homography[i] = sqrt(2.0 + i) * seed;
    c->board.geometry.mesh_x[4][4] = 0.1F;
    c->board.geometry.light_lines = true;
    c->board.a1 = VISION_A1_TOP_RIGHT;
    c->arm.map.columns = c->arm.map.rows = 9;
    c->arm.map.residual[8][8][1] = -0.123456789012345678;
    c->arm.map.a[5] = -468.0 / 7.0;
    (void)snprintf(c->stones.name[1], sizeof c->stones.name[1], "blue \"é\"");
    c->stones.models.colour[3].weight = 1e-20F;
    c->gripper.store_z[3] = -42.0000000001;
}

static char *read_file(const char *name, size_t *ret_size)
{
    enum { LARGEST = 1 << 20 };
    char *text = calloc(1, LARGEST);
    FILE *file = fopen(name, "r");
    assert_non_null(text);
    assert_non_null(file);
    *ret_size = fread(text, 1, LARGEST - 1, file);
    fclose(file);
    return text;
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void save(double seed)
{
    struct calibration c;
    struct error err;
    measure(&c, seed);
    if (calibration_save(NULL, path, &c, &err) < 0)
        fail_msg("%s", err.text);
}

static double figure_of(const char *name)
{
    struct calibration c;
    struct error err;
    if (calibration_load(name, "my robot", &c, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    return c.panel.verdict.figure;
}

static void test_it_comes_back(void **state)
{
    (void)state;
    struct calibration c;
    struct calibration again;
    struct error err;
    measure(&c, 1.0);
    assert_int_equal(calibration_load(path, NULL, &again, &err), -ENOENT);
    assert_non_null(strstr(err.text, "calibrate all"));
    assert_int_equal(calibration_save(NULL, path, &c, &err), 0);
    assert_int_equal(c.generation, 1);
    memset(&again, 0x5A, sizeof again);
    assert_int_equal(calibration_load(path, "my robot", &again, &err), 0);
    // Not memcmp: padding is nobody's. Saving it again must give the same data.
    assert_true(again.lens.lens.k3 == 1.0 / 7.0);
    assert_true(again.arm.map.residual[8][8][1] == c.arm.map.residual[8][8][1]);
    assert_true(again.board.geometry.mesh_x[4][4] == 0.1F);
    assert_true(again.stones.models.colour[3].weight == 1e-20F);
    assert_string_equal(again.stones.name[1], "blue \"é\"");
    assert_int_equal(again.board.a1, VISION_A1_TOP_RIGHT);
    assert_true(again.panel.estop_proven && again.gripper.verdict.valid);
    assert_int_equal(again.camera.gain, -1);
    size_t size;
    char *first = read_file(path, &size);
    char *data = strstr(first, "\"data\"");
    char *end = strstr(first, "\"generation\"");
    assert_non_null(data);
    *end = '\0';
    assert_int_equal(calibration_save(NULL, path, &again, &err), 0);
    assert_int_equal(again.generation, 2);
    char *second = read_file(path, &size);
    assert_non_null(strstr(second, data));
    free(first);
    free(second);
}

static void test_not_finite(void **state)
{
    (void)state;
    save(1.0);
    struct calibration c;
    struct error err;
    measure(&c, 2.0);
    c.arm.map.a[0] = NAN;
    assert_true(calibration_save(NULL, path, &c, &err) < 0);
    assert_non_null(strstr(err.text, "not finite"));
    assert_true(figure_of(path) == 1.0);
}

static void test_ten_are_kept(void **state)
{
    (void)state;
    for (int i = 1; i <= 25; i++)
        save(i);
    assert_true(figure_of(path) == 25.0);
    int count = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += strncmp(entry->d_name, "calibration.json", 16) == 0;
    closedir(dir);
    assert_int_equal(count, 1 + CALIBRATION_KEPT);
    for (int i = 15; i <= 24; i++) {
        char older[320];
        (void)snprintf(older, sizeof older, "%s.%d", path, i);
        assert_true(figure_of(older) == (double)i);
    }
}

static void expect_refused(const char *code, const char *text)
{
    struct calibration c;
    struct calibration untouched;
    struct error err;
    memset(&c, 0x5A, sizeof c);
    untouched = c;
    assert_int_equal(calibration_load(path, "my robot", &c, &err), -EINVAL);
    assert_string_equal(err.code, code);
    assert_string_equal(err.file, path);
    if (!strstr(err.text, text))
        fail_msg("expected %s, got %s", text, err.text);
    assert_memory_equal(&c, &untouched, sizeof c);
}

// At every length: refused. Now and then as a file: the generation before is offered.
static void test_truncated(void **state)
{
    (void)state;
    save(1.0);
    save(2.0);
    size_t size;
    char *whole = read_file(path, &size);
    char offer[400];
    (void)snprintf(offer, sizeof offer, "tessera-config restore %s.1", path);
    for (size_t length = 0; length < size; length++) { // the last byte is the closing brace
        struct calibration c;
        struct error err;
        assert_int_equal(calibration_read_text(whole, length, path, NULL, &c, &err), -EINVAL);
        assert_string_equal(err.code, "CalibrationDamaged");
        if (length % 500 == 0) {
            write_file(path, whole, length);
            expect_refused("CalibrationDamaged", offer);
        }
    }
    free(whole);
}

// Every byte changed in turn: refused, or it says the same (spacing, the time of saving, the 17th
// digit of a number).
static void test_flipped(void **state)
{
    (void)state;
    save(1.0);
    struct calibration original;
    struct error err;
    size_t size;
    char *whole = read_file(path, &size);
    assert_int_equal(calibration_read_text(whole, size, path, NULL, &original, &err), 0);
    int passed = 0;
    for (size_t i = 0; i < size; i++) {
        char old = whole[i];
        whole[i] = (char)(old ^ (1 << (i % 7)));
        struct calibration c;
        if (calibration_read_text(whole, size, path, NULL, &c, &err) == 0) {
            // Both began as zeros, padding too. NOLINTNEXTLINE
            if (memcmp(&c, &original, sizeof c) != 0)
                fail_msg("byte %zu changed from %c to %c and was believed", i, old, whole[i]);
            passed++;
        }
        whole[i] = old;
    }
    assert_true(passed < 100);
    free(whole);
}

static void replace_text(const char *from, const char *to)
{
    size_t size;
    char *text = read_file(path, &size);
    char *at = strstr(text, from);
    assert_non_null(at);
    char *out;
    int n = asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_true(n > 0);
    write_file(path, out, (size_t)n);
    free(out);
    free(text);
}

static void test_strangers(void **state)
{
    (void)state;
    save(1.0);
    replace_text("\"schema\": 3", "\"schema\": 4");
    expect_refused("CalibrationNewer", "newer version of Tessera (schema 4");
    unlink(path);
    save(1.0);
    // Another robot's name pasted in: the checksum covers it.
    replace_text("\"machine\": \"my robot\"", "\"machine\": \"my other\"");
    expect_refused("CalibrationOtherMachine", "\"my other\", but the settings say \"my robot\"");
    unlink(path);
    save(1.0);
    replace_text("\"estop_proven\": true", "\"estop_proven\": false");
    expect_refused("CalibrationDamaged", "checksum");
    struct calibration c;
    struct error err;
    unlink(path);
    measure(&c, 1.0);
    assert_int_equal(calibration_save(NULL, path, &c, &err), 0);
    assert_int_equal(calibration_load(path, "another", &c, &err), -EINVAL);
    assert_int_equal(calibration_load(path, NULL, &c, &err), 0);
}

// A file as the first schema wrote it is read; what it does not hold is not made up.
static void test_older_schema(void **state)
{
    (void)state;
    char old[600];
    struct calibration c;
    struct error err;
    (void)snprintf(old, sizeof old, "%s/fuzz/corpus/calibration/schema-1.json",
                   getenv("TESSERA_TESTS"));
    assert_int_equal(calibration_load(old, "tessera", &c, &err), 0);
    assert_true(c.panel.verdict.valid && c.board.verdict.valid && c.gripper.verdict.valid);
    assert_int_equal(c.board.geometry.columns, 19);
    assert_false(c.board.geometry.light_lines);
    // Written again it is of today's schema, and holds the same and more.
    assert_int_equal(calibration_save(NULL, path, &c, &err), 0);
    struct calibration again;
    assert_int_equal(calibration_load(path, "tessera", &again, &err), 0);
    c.generation = again.generation;
    assert_memory_equal(&c, &again, sizeof c);
    size_t size;
    char *text = read_file(path, &size);
    assert_non_null(strstr(text, "\"schema\": 3"));
    free(text);
}

// A file that is whole by its checksum and still makes no sense.
static void test_last_good(void **state)
{
    (void)state;
    char good[400];
    assert_int_equal(calibration_last_good(path, "my robot", good, sizeof good), -ENOENT);
    for (int i = 1; i <= 4; i++)
        save(i);
    assert_int_equal(calibration_last_good(path, "my robot", good, sizeof good), 0);
    assert_string_equal(good, path);
    write_file(path, "{", 1);
    char expect[400];
    (void)snprintf(expect, sizeof expect, "%s.3", path);
    assert_int_equal(calibration_last_good(path, "my robot", good, sizeof good), 0);
    assert_string_equal(good, expect);
    write_file(expect, "{", 1);
    assert_int_equal(calibration_last_good(path, "my robot", good, sizeof good), 0);
    (void)snprintf(expect, sizeof expect, "%s.2", path);
    assert_string_equal(good, expect);
    assert_int_equal(calibration_last_good(path, "another", good, sizeof good), -ENOENT);
    // A new one goes on after the newest, and the damaged one is still there to look at.
    save(9.0);
    assert_true(figure_of(path) == 9.0);
    struct calibration c;
    struct error err;
    assert_int_equal(calibration_load(path, NULL, &c, &err), 0);
    assert_int_equal(c.generation, 4);
}

// Each step of saving fails in turn; a whole file stands there every time, and the next save works.
static void test_every_step_may_fail(void **state)
{
    (void)state;
    save(1.0);
    static const enum io_fault_call CALLS[] = {IO_OPEN, IO_WRITE, IO_FSYNC, IO_RENAME};
    int failed = 0;
    for (size_t k = 0; k < sizeof CALLS / sizeof *CALLS; k++) {
        for (int after = 0; after < 3; after++) {
            struct io_faults faults = {.call = CALLS[k],
                                       .after = after,
                                       .times = 1,
                                       .error = EIO,
                                       .write_room = INT64_MAX};
            struct io_ops io = io_faults_ops(&faults);
            struct calibration c;
            struct error err = {0};
            double before = figure_of(path);
            measure(&c, before + 1.0);
            int r = calibration_save(&io, path, &c, &err);
            double now = figure_of(path);
            if (r == 0) {
                assert_true(now == before + 1.0);
            } else {
                failed++;
                assert_int_equal(r, -EIO);
                assert_true(err.text[0] != '\0');
                // Only the sync of the folder comes after the rename.
                assert_true(now == before || (CALLS[k] == IO_FSYNC && now == before + 1.0) ||
                            (CALLS[k] == IO_OPEN && now == before + 1.0));
            }
        }
    }
    assert_true(failed >= 5);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    for (int64_t room = 0; room < st.st_size; room += st.st_size / 10) {
        struct io_faults faults = {.write_room = room};
        struct io_ops io = io_faults_ops(&faults);
        struct calibration c;
        struct error err;
        double before = figure_of(path);
        measure(&c, before + 1.0);
        assert_int_equal(calibration_save(&io, path, &c, &err), -ENOSPC);
        assert_non_null(strstr(err.text, "disk is full"));
        assert_true(figure_of(path) == before);
    }
    save(100.0);
    assert_true(figure_of(path) == 100.0);
    DIR *dir = opendir(folder); // no temporary file is left behind
    for (const struct dirent *entry; (entry = readdir(dir));)
        assert_null(strstr(entry->d_name, ".new"));
    closedir(dir);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_it_comes_back), TEST(test_not_finite), TEST(test_ten_are_kept),
        TEST(test_truncated),     TEST(test_flipped),    TEST(test_strangers),
        TEST(test_older_schema),  TEST(test_last_good),  TEST(test_every_step_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
