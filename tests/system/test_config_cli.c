// tessera-config as a person uses it: the program itself, files in a folder of its own.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "config/calibration.h"

enum { OUTPUT_MAX = 1 << 20 };

static char folder[200];
static char output[OUTPUT_MAX]; // of the last run
static char errors[OUTPUT_MAX];

static int make_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%.150s/cli.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) < 0)
        return -1;
    return setenv("XDG_STATE_HOME", folder, 1) || setenv("STATE_DIRECTORY", folder, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[300];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir("/") || system(command);
}

static void read_into(const char *path, char *ret)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t got = fread(ret, 1, OUTPUT_MAX - 1, file);
    ret[got] = '\0';
    fclose(file);
}

// Runs "tessera-config <arguments>" through the shell, in the folder. Returns the exit code.
static int run(const char *arguments)
{
    char command[2000];
    (void)snprintf(command, sizeof command, "'%s/tessera-config' %s >out.txt 2>err.txt </dev/null",
                   getenv("TESSERA_BIN"), arguments);
    int status = system(command);
    read_into("out.txt", output);
    read_into("err.txt", errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_run(int code, const char *arguments)
{
    int got = run(arguments);
    if (got != code)
        fail_msg("tessera-config %s: exit %d, expected %d\n%s%s", arguments, got, code, output,
                 errors);
}

static void expect_in(const char *where, const char *text)
{
    if (!strstr(where, text))
        fail_msg("expected \"%s\" in\n%s", text, where);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_usage(void **state)
{
    (void)state;
    expect_run(0, "--help");
    expect_in(output, "calibrat");
    expect_run(0, "--version");
    expect_in(output, "tessera-config ");
    static const char *const WRONG[] = {"",
                                        "dance",
                                        "--dance",
                                        "set board.rows",
                                        "check a b",
                                        "keys --format xml",
                                        "show --config"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        expect_run(2, WRONG[i]);
        expect_in(errors, "--help");
        assert_string_equal(output, "");
    }
    expect_run(1, "keys lubrication");
    // A full disk is noticed.
    if (access("/dev/full", W_OK) == 0) {
        char command[600];
        (void)snprintf(command, sizeof command, "'%s/tessera-config' keys >/dev/full 2>err.txt",
                       getenv("TESSERA_BIN"));
        int status = system(command);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    }
}

// Each command tells its own use, with the options it has and no others.
static void test_help(void **state)
{
    (void)state;
    static const char *const COMMANDS[] = {"init",   "check",   "show",      "set",
                                           "keys",   "ports",   "doctor",    "calibrate",
                                           "backup", "restore", "completion"};
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        char arguments[64], usage[64];
        (void)snprintf(usage, sizeof usage, "Usage: tessera-config %s ", COMMANDS[i]);
        (void)snprintf(arguments, sizeof arguments, "%s --help", COMMANDS[i]);
        expect_run(0, arguments);
        assert_true(strncmp(output, usage, strlen(usage)) == 0);
        expect_in(output, "--config FILE");
        assert_int_equal(strstr(output, "--bundle") != NULL, strcmp(COMMANDS[i], "doctor") == 0);
        assert_int_equal(strstr(output, "--yes") != NULL,
                         strcmp(COMMANDS[i], "init") == 0 || strcmp(COMMANDS[i], "calibrate") == 0);
        (void)snprintf(arguments, sizeof arguments, "-h -- %s nonsense", COMMANDS[i]);
        expect_run(0, arguments);
        assert_true(strncmp(output, usage, strlen(usage)) == 0);
    }
}

static void test_first_evening(void **state)
{
    (void)state;
    expect_run(0, "init --sim etc/t.yaml");
    expect_in(output, "etc/t.yaml is written");
    expect_run(0, "check etc/t.yaml");
    expect_run(0, "--config etc/t.yaml show camera.source");
    assert_string_equal(output, "sim\n");
    // A second one is refused, or made with the first one kept.
    expect_run(2, "init --sim etc/t.yaml");
    expect_in(errors, "--force");
    expect_run(0, "init --sim --force --preset go-board etc/t.yaml");
    assert_int_equal(access("etc/t.yaml.1", F_OK), 0);
    expect_run(0, "--config etc/t.yaml show stones");
    expect_in(output, "stones.colour2                   white");
    expect_run(2, "init --sim --preset raspery other.yaml");
    expect_in(errors, "raspberry-pi-5");
    assert_int_equal(access("other.yaml", F_OK), -1);
}

static void test_set_keeps_the_rest(void **state)
{
    (void)state;
    static const char BEFORE[] = "# mine\nboard:\n  pitch_x: 22 # measured twice\n"
                                 "gpio: {estop: {line: GPIO4}}\n";
    write_file("t.yaml", BEFORE);
    assert_int_equal(chmod("t.yaml", 0640), 0);
    expect_run(0, "--config t.yaml set board.pitch_x '21.5 mm'");
    expect_in(output, "board.pitch_x is now 21.5 mm");
    expect_in(output, "starts anew");
    read_into("t.yaml", output);
    assert_string_equal(output, "# mine\nboard:\n  pitch_x: 21.5 mm # measured twice\n"
                                "gpio: {estop: {line: GPIO4}}\n");
    struct stat st;
    assert_int_equal(stat("t.yaml", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    // Through a link.
    assert_int_equal(symlink("t.yaml", "link.yaml"), 0);
    expect_run(0, "--config link.yaml set board.pitch_x 21");
    assert_int_equal(lstat("link.yaml", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    expect_run(0, "--config t.yaml show board.pitch_x");
    assert_string_equal(output, "21\n");
    // What would not fit together is refused, together it is taken.
    expect_run(2, "--config t.yaml set stones.diameter 25");
    expect_in(errors, "t.yaml is unchanged");
    expect_run(0, "--config t.yaml set stones.diameter 25 board.pitch_x 24 board.pitch_y 24 "
                  "board.a1_x -520 board.a1_y -490");
    expect_run(0, "check t.yaml");
    expect_run(2, "--config t.yaml set board.pitch_x 22s");
    expect_run(2, "--config t.yaml set board.pich_x 22");
    expect_in(errors, "did you mean board.pitch_x?");
    expect_run(1, "--config absent.yaml set board.pitch_x 22");
    expect_in(errors, "init");
}

static void test_origin(void **state)
{
    (void)state;
    write_file("t.yaml", "engine:\n  level: 3\n  hash: 32\n");
    assert_int_equal(mkdir("t.yaml.d", 0700), 0);
    write_file("t.yaml.d/a.yaml", "engine: {hash: 16}\n");
    (void)setenv("TESSERA_ENGINE_THREADS", "2", 1);
    expect_run(0, "--config t.yaml --set engine.move_time=500ms show --origin engine");
    (void)unsetenv("TESSERA_ENGINE_THREADS");
    expect_in(output, "engine.level                     3                    # t.yaml:2:10\n");
    expect_in(output, "16                   # t.yaml.d/a.yaml:1:16\n");
    expect_in(output, "2                    # environment TESSERA_ENGINE_THREADS\n");
    expect_in(output, "0.5                  # command line\n");
    expect_in(output, "gtp                  # default\n");
    expect_run(0, "--config t.yaml --json show --origin engine.level");
    json_t *json = json_loads(output, 0, NULL);
    assert_non_null(json);
    const json_t *level = json_object_get(json, "engine.level");
    assert_int_equal(json_integer_value(json_object_get(level, "value")), 3);
    assert_string_equal(json_string_value(json_object_get(level, "origin")), "t.yaml:2:10");
    json_decref(json);
    // The environment counts for what a program would see, not for a file that is named.
    (void)setenv("TESSERA_ENGINE_THREADS", "0", 1);
    expect_run(2, "--config t.yaml check");
    expect_in(errors, "environment: engine.threads: 0 is out of range");
    expect_run(0, "check t.yaml");
    (void)unsetenv("TESSERA_ENGINE_THREADS");
}

static void test_check_as_json(void **state)
{
    (void)state;
    write_file("t.yaml", "board:\n  rows: 99\n  colums: 19\n");
    expect_run(2, "check --json t.yaml");
    json_t *json = json_loads(output, 0, NULL);
    assert_non_null(json);
    const json_t *faults = json_object_get(json, "faults");
    assert_int_equal(json_array_size(faults), 2);
    const json_t *second = json_array_get(faults, 1);
    assert_string_equal(json_string_value(json_object_get(second, "file")), "t.yaml");
    assert_int_equal(json_integer_value(json_object_get(second, "line")), 3);
    assert_int_equal(json_integer_value(json_object_get(second, "column")), 3);
    json_decref(json);
}

static void test_listings(void **state)
{
    (void)state;
    expect_run(0, "keys --json");
    json_t *json = json_loads(output, 0, NULL);
    assert_true(json_array_size(json) > 100);
    json_decref(json);
    expect_run(0, "keys pitch");
    expect_in(output, "board.pitch_x\n    Distance between neighbouring columns.\n"
                      "    number: 8 to 100 mm. Default: 22 mm.");
    expect_run(0, "ports --json");
    json = json_loads(output, 0, NULL);
    assert_true(json_is_array(json_object_get(json, "cameras")));
    assert_true(json_is_array(json_object_get(json, "serial")));
    assert_true(json_is_array(json_object_get(json, "gpio")));
    json_decref(json);
    expect_run(0, "completion");
    assert_int_equal(system("bash -n out.txt"), 0);
    int status = system("bash -c '. ./out.txt; COMP_WORDS=(tessera-config set camera.source v); "
                        "COMP_CWORD=3; _tessera_config; echo \"${COMPREPLY[*]}\"' >reply.txt");
    assert_int_equal(status, 0);
    read_into("reply.txt", output);
    assert_string_equal(output, "v4l2\n");
}

static void save_calibration(double figure)
{
    struct calibration c;
    struct error err;
    calibration_init(&c, "simulated table");
    c.lens.verdict = (struct calibration_verdict){true, 1, figure, 0.5};
    assert_int_equal(calibration_save(NULL, "calibration-sim.json", &c, &err), 0);
}

static double present_figure(void)
{
    struct calibration c;
    struct error err;
    if (calibration_load("calibration-sim.json", "simulated table", &c, &err) < 0)
        fail_msg("%s", err.text);
    return c.lens.verdict.figure;
}

static void test_backup_and_restore(void **state)
{
    (void)state;
    expect_run(0, "init --sim t.yaml");
    assert_int_equal(mkdir("t.yaml.d", 0700), 0);
    write_file("t.yaml.d/a.yaml", "engine: {hash: 16}\n");
    save_calibration(0.25);
    expect_run(0, "--config t.yaml backup b.json");
    struct stat st;
    assert_int_equal(stat("b.json", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    save_calibration(0.75);
    write_file("t.yaml.d/a.yaml", "engine: {hash: 99}\n");
    expect_run(0, "--config t.yaml set engine.level 9");
    expect_run(0, "--config t.yaml restore b.json");
    assert_true(present_figure() == 0.25);
    expect_run(0, "--config t.yaml show engine");
    expect_in(output, "engine.level                     5");
    expect_in(output, "engine.hash                      16");
    // Nothing was lost by it.
    read_into("t.yaml.1", output);
    expect_in(output, "level: 9");
    read_into("t.yaml.d/a.yaml.1", output);
    expect_in(output, "99");
    // A generation by its name, as the message about a damaged file offers it.
    write_file("calibration-sim.json", "{\"schema\": 1,");
    struct calibration c;
    struct error err;
    assert_int_equal(calibration_load("calibration-sim.json", NULL, &c, &err), -EINVAL);
    expect_in(err.text, "tessera-config restore calibration-sim.json.2");
    expect_run(0, "--config t.yaml restore calibration-sim.json.2");
    assert_true(present_figure() == 0.75);
}

static void test_doctor(void **state)
{
    (void)state;
    expect_run(0, "init --sim t.yaml");
    expect_run(1, "--config t.yaml doctor"); // nothing is calibrated
    expect_in(output, "bad      calibration ");
    expect_in(output, "-> tessera-config calibrate all");
    struct calibration c;
    struct error err;
    calibration_init(&c, "simulated table");
    const struct calibration_verdict fine = {true, (int64_t)time(NULL), 0.25, 0.5};
    c.panel.verdict = c.camera.verdict = c.board.verdict = c.arm.verdict = c.stones.verdict =
        c.gripper.verdict = fine;
    assert_int_equal(calibration_save(NULL, "calibration-sim.json", &c, &err), 0);
    expect_run(0, "--config t.yaml doctor --bundle bundle.json");
    expect_in(output, "good     settings");
    expect_in(output, "good     calibration arm      0.25, limit 0.5, 0 days old");
    read_into("bundle.json", output);
    json_t *json = json_loads(output, 0, NULL);
    assert_true(json_is_object(json_object_get(json, "calibration")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json, "settings"), "serial.port")),
        "sim");
    json_decref(json);
    // An old part is a warning, a failed one is bad, with the command that mends it.
    c.arm.verdict.when -= 400 * 86400;
    assert_int_equal(calibration_save(NULL, "calibration-sim.json", &c, &err), 0);
    expect_run(0, "--config t.yaml doctor");
    expect_in(output, "warning  calibration arm");
    c.stones.verdict.valid = false;
    assert_int_equal(calibration_save(NULL, "calibration-sim.json", &c, &err), 0);
    expect_run(1, "--config t.yaml --json doctor");
    expect_in(output, "\"mend\": \"tessera-config calibrate stones\"");
    write_file("t.yaml", "board:\n  rows: 99\n");
    expect_run(2, "--config t.yaml doctor");
    expect_in(output, "t.yaml:2: board.rows");
    // Devices that are not there.
    write_file("t.yaml", "camera: {device: /nonexistent}\nserial: {port: /nonexistent}\n");
    expect_run(4, "--config t.yaml doctor");
    expect_in(output, "bad      camera               /nonexistent is not there");
    expect_in(output, "bad      plotter              /nonexistent is not there");
}

// What changes from one moment to the next by itself.
static void drop_line(char *text, const char *what)
{
    char *line = strstr(text, what);
    while (line && line > text && line[-1] != '\n')
        line--;
    char *end = line ? strchr(line, '\n') : NULL;
    if (end)
        memmove(line, end + 1, strlen(end + 1) + 1);
}

// `tessera doctor` is the same page, and each line that is not good says what to do.
static void test_both_doctors(void **state)
{
    (void)state;
    static char ours[OUTPUT_MAX];
    static const char *const SETTINGS[] = {
        "camera: {source: sim}\nserial: {port: sim}\ngpio: {backend: sim}\n",
        "camera: {device: /nonexistent}\nserial: {port: /nonexistent}\n",
        "camera: {source: still, device: /nonexistent}\nboard:\n  rows: 99\n",
    };
    static const int EXITS[] = {1, 4, 2};
    for (size_t i = 0; i < sizeof EXITS / sizeof *EXITS; i++) {
        write_file("t.yaml", SETTINGS[i]);
        expect_run(EXITS[i], "--config t.yaml doctor");
        (void)snprintf(ours, sizeof ours, "%s", output);
        char command[1000];
        (void)snprintf(command, sizeof command,
                       "'%s/tessera' doctor --config t.yaml >out.txt 2>err.txt </dev/null",
                       getenv("TESSERA_BIN"));
        int status = system(command);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), EXITS[i]);
        read_into("out.txt", output);
        static const char *const CHANGING[] = {" temperature ", " disk "};
        for (size_t k = 0; k < sizeof CHANGING / sizeof *CHANGING; k++) {
            drop_line(ours, CHANGING[k]);
            drop_line(output, CHANGING[k]);
        }
        assert_string_equal(output, ours);
        expect_run(EXITS[i], "--config t.yaml --json doctor");
        json_t *page = json_loads(output, 0, NULL);
        json_t *line;
        size_t n;
        json_array_foreach(json_object_get(page, "lines"), n, line)
        {
            const char *level = json_string_value(json_object_get(line, "level"));
            const char *mend = json_string_value(json_object_get(line, "mend"));
            assert_true(strcmp(level, "good") == 0 || mend[0]);
        }
        json_decref(page);
    }
}

static void test_calibrate(void **state)
{
    (void)state;
    expect_run(0, "init --sim t.yaml");
    expect_run(2, "--config t.yaml calibrate wheels");
    expect_in(errors, "panel, camera, board");
    expect_run(2, "--config t.yaml calibrate all --output all.png");
    expect_in(errors, "one part");
    // Questions without an answer stop it before anything moves.
    expect_run(0, "--config t.yaml calibrate panel");
    expect_in(output, "PASS panel: 5 of the wired parts proven (limit 5)");
    expect_run(1, "--config t.yaml calibrate arm --yes");
    expect_in(errors, "calibrate board");
    // For the dashboard: the same steps as lines of JSON.
    expect_run(0, "--config t.yaml --json calibrate panel --yes");
    int results = 0;
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *event = json_loads(line, 0, NULL);
        assert_non_null(event);
        const char *kind = json_string_value(json_object_get(event, "event"));
        if (strcmp(kind, "result") == 0) {
            results++;
            assert_true(json_is_true(json_object_get(event, "passed")));
        }
        json_decref(event);
    }
    assert_int_equal(results, 1);
    struct calibration c;
    struct error err;
    assert_int_equal(calibration_load("calibration-sim.json", "simulated table", &c, &err), 0);
    assert_true(c.panel.estop_proven && c.panel.verdict.valid && c.generation == 2);
    // A damaged calibration is not written over unasked.
    write_file("calibration-sim.json", "{");
    expect_run(1, "--config t.yaml calibrate panel --yes");
    expect_in(errors, "damaged");
    expect_run(0, "--config t.yaml calibrate panel --yes --force");
}

// What calibration says the board is, and where the camera sees it now.
static void test_drift(void **state)
{
    (void)state;
    expect_run(0, "init --sim t.yaml");
    expect_run(0, "--config t.yaml calibrate camera --yes");
    expect_run(0, "--config t.yaml calibrate board --yes");
    struct stat st;
    assert_int_equal(stat("calibrate-board.png", &st), 0); // the picture
    assert_true(st.st_size > 10000);
    expect_run(1, "--config t.yaml doctor"); // the arm was not calibrated
    expect_in(output, "good     drift");
    expect_run(1, "--config t.yaml --set sim.table=random --set sim.seed=2 doctor");
    expect_in(output, "bad      drift");
    expect_in(output, "-> tessera-config --force calibrate board");
    // A stone that isn't found is no missing device.
    expect_run(0, "--config t.yaml calibrate panel --yes");
    expect_run(1, "--config t.yaml --set stores.colour1.z=-30 calibrate arm --yes");
    expect_in(errors, "no stone was felt");
    expect_run(4, "--config t.yaml --set camera.source=v4l2 --set camera.device=/dev/nothing "
                  "--set serial.port=/dev/nothing --set gpio.backend=none "
                  "--set safety.estop_required=false --set gripper.kind=magnet "
                  "--set gripper.sensor=none --set game.done=still calibrate camera --yes");
}

// A bundle goes to strangers.
static void test_bundle_is_private(void **state)
{
    (void)state;
    assert_int_equal(setenv("HOME", folder, 1), 0);
    write_file("t.yaml", "camera: {source: pipe, command: \"/home/grace/bin/eye --key 1\"}\n"
                         "serial: {port: sim}\ngpio: {backend: sim}\n");
    char set[400];
    (void)snprintf(set, sizeof set, "--config t.yaml set paths.state %s/deep/state", folder);
    expect_run(0, set);
    expect_run(1, "--config t.yaml doctor --bundle bundle.json");
    read_into("bundle.json", output);
    assert_null(strstr(output, "grace"));
    assert_null(strstr(output, folder));
    expect_in(output, "~/deep/state");
    expect_in(output, "/home/.../bin/eye --key 1");
}

static void test_bad_backups(void **state)
{
    (void)state;
    expect_run(0, "init --sim t.yaml");
    write_file("before.yaml", "");
    save_calibration(0.25);
    expect_run(0, "--config t.yaml backup b.json");
    static const struct {
        const char *text, *expect;
    } BAD[] = {
        {"", "no JSON"},
        {"{\"tessera_backup\": 2}", "tessera_backup"},
        {"{\"tessera_backup\": 1, \"settings\": \"board: {rows: 99}\"}", "board.rows"},
        {"{\"tessera_backup\": 1, \"drop_ins\": {\"../x.yaml\": \"\"}}", "strange name"},
        {"{\"tessera_backup\": 1, \"calibration\": \"{}\"}", "damaged"},
        {"{\"some\": \"thing\"}", "damaged"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        write_file("bad.json", BAD[i].text);
        expect_run(1, "--config t.yaml restore bad.json");
        expect_in(errors, BAD[i].expect);
        expect_run(0, "--config t.yaml check");
        assert_true(present_figure() == 0.25);
        assert_int_equal(access("t.yaml.1", F_OK), -1);
    }
    // Another machine's calibration is not taken.
    expect_run(0, "--config t.yaml set machine.name other");
    expect_run(1, "--config t.yaml restore calibration-sim.json");
    expect_in(errors, "\"simulated table\", but the settings say \"other\"");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_usage),
        TEST(test_help),
        TEST(test_first_evening),
        TEST(test_set_keeps_the_rest),
        TEST(test_origin),
        TEST(test_check_as_json),
        TEST(test_listings),
        TEST(test_backup_and_restore),
        TEST(test_bad_backups),
        TEST(test_doctor),
        TEST(test_both_doctors),
        TEST(test_drift),
        TEST(test_bundle_is_private),
        TEST(test_calibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
