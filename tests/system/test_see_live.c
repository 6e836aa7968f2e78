// `tessera see` without a photograph: what it says, draws and refuses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { ARGUMENTS_MAX = 24, PATH = 128, WORDS = 2048 };

static struct program ran;
static char folder[] = "/tmp/tessera-see-XXXXXX", state_setting[PATH], picture[PATH];

// Puts `tessera see` together: never this machine's settings, small pictures for speed.
static void arguments(const char *words, const char *ret[ARGUMENTS_MAX])
{
    static char copy[WORDS];
    const char *first[] = {"see",
                           "--config",
                           "/dev/null",
                           "--set",
                           state_setting,
                           "--set",
                           "camera.width=640",
                           "--set",
                           "camera.height=360"};
    int n = sizeof first / sizeof first[0];
    memcpy(ret, first, sizeof first);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word && n < ARGUMENTS_MAX - 1; word = strtok(NULL, " "))
        ret[n++] = word;
    ret[n] = NULL;
}

static int see(const char *words)
{
    const char *list[ARGUMENTS_MAX];
    arguments(words, list);
    program_free(&ran);
    return program_run(&ran, "tessera", list, 60);
}

static unsigned big_endian(const uint8_t *p)
{
    return (unsigned)p[0] << 24 | (unsigned)p[1] << 16 | (unsigned)p[2] << 8 | p[3];
}

// The picture is a whole PNG of that size: nobody finds it half written.
static void assert_picture(unsigned width, unsigned height)
{
    static const uint8_t SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t head[24], tail[12];
    FILE *file = fopen(picture, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    assert_int_equal(fseek(file, -(long)sizeof tail, SEEK_END), 0);
    assert_int_equal(fread(tail, 1, sizeof tail, file), sizeof tail);
    fclose(file);
    assert_memory_equal(head, SIGNATURE, sizeof SIGNATURE);
    assert_int_equal(big_endian(head + 16), width);
    assert_int_equal(big_endian(head + 20), height);
    assert_memory_equal(tail + 4, "IEND", 4);
    assert_int_equal(unlink(picture), 0);
}

static void test_looks_once(void **state)
{
    (void)state;
    char words[WORDS];
    const char *scene;
    double time, sharpness;
    json_t *rows, *confidence, *stones, *unsure;
    snprintf(words, sizeof words, "--sim --once --json --annotate %s", picture);
    assert_int_equal(see(words), 0);
    assert_string_equal(ran.told, "");
    json_t *all = json_loads(ran.said, 0, NULL); // one line, nothing after it
    assert_non_null(all);
    assert_int_equal(json_unpack(all, "{s:F, s:s, s:{s:F}, s:o, s:o, s:o, s:o}", "time", &time,
                                 "scene", &scene, "measures", "sharpness", &sharpness, "rows",
                                 &rows, "confidence", &confidence, "stones", &stones, "unsure",
                                 &unsure),
                     0);
    assert_string_equal(scene, "still");
    assert_true(time > 0 && time < 5);
    assert_true(sharpness > 0.5);
    assert_int_equal(json_array_size(rows), 19);
    assert_int_equal(json_array_size(confidence), 19);
    assert_int_equal(json_array_size(stones), 0);
    assert_int_equal(json_array_size(unsure), 0);
    for (size_t y = 0; y < 19; y++)
        assert_string_equal(json_string_value(json_array_get(rows, y)), "...................");
    json_decref(all);
    assert_picture(640, 360);
}

static bool has_stone(const json_t *stones, const char *at, const char *with)
{
    size_t i;
    json_t *stone;
    const char *point, *colour;
    double confidence, x, y;
    json_array_foreach(stones, i, stone)
    {
        assert_int_equal(json_unpack(stone, "{s:s, s:s, s:F, s:[F, F]}", "point", &point, "colour",
                                     &colour, "confidence", &confidence, "offset", &x, &y),
                         0);
        if (strcmp(point, at) == 0)
            return strcmp(colour, with) == 0 && confidence > 0.9 && x * x + y * y < 11 * 11;
    }
    return false;
}

// A recording of seven moves: every position is told, once, and hands between them.
static void test_tells_what_changes(void **state)
{
    (void)state;
    static const char *const MOVES[] = {"K10", "L11", "J9", "M12", "K8", "K12", "H10"};
    char words[WORDS];
    size_t most = 0, hands = 0, stills = 0;
    double last = -1;
    snprintf(words, sizeof words,
             "--json --annotate %s --set camera.source=session --set "
             "camera.device=%s/sessions/fast-play",
             picture, getenv("TESSERA_TESTS"));
    assert_int_equal(see(words), 0);
    for (char *save = NULL, *line = strtok_r(ran.said, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        json_t *all = json_loads(line, 0, NULL);
        assert_non_null(all);
        const char *scene = json_string_value(json_object_get(all, "scene"));
        const json_t *stones = json_object_get(all, "stones");
        double time = json_real_value(json_object_get(all, "time"));
        assert_true(time > last);
        last = time;
        hands += strcmp(scene, "hand") == 0;
        assert_int_equal(strcmp(scene, "still") == 0, stones != NULL);
        if (stones) {
            size_t count = json_array_size(stones);
            assert_true(count <= 7 && count >= most);
            for (size_t k = 0; k < count; k++)
                assert_true(has_stone(stones, MOVES[k], k % 2 ? "red" : "blue"));
            most = count;
            stills++;
        }
        json_decref(all);
    }
    assert_int_equal(most, 7);
    assert_true(stills >= 8 && stills < 16);
    assert_true(hands >= 4);
    assert_picture(640, 360);
}

static void test_watches_until_stopped(void **state)
{
    (void)state;
    const char *list[ARGUMENTS_MAX];
    arguments("--sim", list);
    program_free(&ran);
    program_start(&ran, "tessera", list);
    assert_true(program_expect(&ran, "still: no stones; every point is sure", 30));
    assert_true(program_expect(&ran, "    X blue   O red\n", 5));
    assert_int_equal(kill(ran.pid, SIGINT), 0);
    assert_int_equal(program_wait(&ran, 10), 3);
    assert_non_null(strstr(ran.told, "Ctrl-C ends it"));
    assert_non_null(strstr(ran.said, "\n19  . . . ."));
}

// What a game keeps locked while it is played: without a camera of its own nobody looks.
static void test_leaves_a_game_its_camera(void **state)
{
    (void)state;
    char path[PATH];
    snprintf(path, sizeof path, "%s/robot", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/robot/lock", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(see("--sim --once"), 1);
    assert_non_null(strstr(ran.told, "a game is being played with the state in"));
    assert_string_equal(ran.said, "");
    close(fd);
}

static void assert_file_holds(const char *path, const char *text)
{
    char held[WORDS];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    held[fread(held, 1, sizeof held - 1, file)] = 0;
    fclose(file);
    assert_string_equal(held, text);
}

// Whoever only looks leaves a game's log as it is: its torn end is the next game's to put aside.
static void test_leaves_a_game_its_log(void **state)
{
    (void)state;
    static const char TORN[] = "{\"seq\":1,\"safe\":0,\"do\":\"beg";
    const char *doctor[] = {"doctor", "--sim",       "--config", "/dev/null",
                            "--set",  state_setting, NULL};
    char log[PATH], path[PATH + 16];
    snprintf(log, sizeof log, "%s/robot", folder);
    assert_true(mkdir(log, 0700) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/lock", log);
    assert_true(unlink(path) == 0 || errno == ENOENT);
    snprintf(path, sizeof path, "%s/journal.jsonl", log);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TORN, file);
    assert_int_equal(fclose(file), 0);

    assert_int_equal(see("--sim --once"), 0);
    program_free(&ran);
    assert_int_equal(program_run(&ran, "tessera", doctor, 60), 1); // nothing is calibrated
    assert_non_null(strstr(ran.said, "none is unfinished"));
    assert_file_holds(path, TORN);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(log), 0); // nothing else is there
}

// Copies the recording up to the picture that was seen so many seconds after its first one.
static void cut_recording(const char *from, const char *to, double seconds)
{
    static const char *const FILES[] = {"frames.mjpeg", "meta.yaml", "events.jsonl"};
    char path[3 * PATH], line[4096];
    double first = -1, t;
    size_t n;
    assert_int_equal(mkdir(to, 0700), 0);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", from, FILES[i]);
        FILE *in = fopen(path, "rb");
        snprintf(path, sizeof path, "%s/%s", to, FILES[i]);
        FILE *out = fopen(path, "wb");
        assert_true(in && out);
        if (i < 2) {
            while ((n = fread(line, 1, sizeof line, in)) > 0)
                assert_int_equal(fwrite(line, 1, n, out), n);
        } else {
            while (fgets(line, sizeof line, in) && sscanf(line, "{\"t\":%lf", &t) == 1) {
                if (first < 0 && strstr(line, "\"frame\""))
                    first = t;
                if (first >= 0 && t > first + seconds * 1e9 + 1e6)
                    break;
                fputs(line, out);
            }
        }
        fclose(in);
        assert_int_equal(fclose(out), 0);
    }
}

// The drawing is of the picture that is told: no other need follow, with a hand in it perhaps.
static void test_draws_what_it_tells(void **state)
{
    (void)state;
    char words[WORDS], whole[PATH * 2], cut[PATH];
    double time;
    snprintf(whole, sizeof whole, "%s/sessions/fast-play", getenv("TESSERA_TESTS"));
    snprintf(cut, sizeof cut, "%s/cut", folder);
    snprintf(words, sizeof words,
             "--once --json --set camera.source=session --set camera.device=%s", whole);
    assert_int_equal(see(words), 0);
    json_t *all = json_loads(ran.said, 0, NULL);
    assert_int_equal(json_unpack(all, "{s:F}", "time", &time), 0);
    json_decref(all);
    cut_recording(whole, cut, time);
    snprintf(words, sizeof words,
             "--once --annotate %s --set camera.source=session --set camera.device=%s", picture,
             cut);
    assert_int_equal(see(words), 0);
    assert_string_equal(ran.told, "");
    assert_non_null(strstr(ran.said, "still: no stones"));
    assert_picture(640, 360);
}

// On a full disk nothing was done, and that is said once.
static void test_notices_lost_words(void **state)
{
    (void)state;
    static const char *const COMMANDS[] = {
        "see --sim --once",
        "see --sim --once --json",
        "see --sim --once --json --annotate seen.png",
        "status --sim",
        "graph",
        "--help",
    };
    char command[WORDS], said[WORDS];
    if (access("/dev/full", W_OK) < 0) {
        print_message("skipped: there is no /dev/full here to lose words on\n");
        skip();
    }
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        bool sim = strstr(COMMANDS[i], "--sim");
        snprintf(command, sizeof command, "cd '%s' && '%s/tessera' %s %s%s 2>&1 >/dev/full", folder,
                 getenv("TESSERA_BIN"), COMMANDS[i], sim ? "--config /dev/null --set " : "",
                 sim ? state_setting : "");
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        said[fread(said, 1, sizeof said - 1, pipe)] = 0;
        int status = pclose(pipe);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 1);
        const char *const first = strstr(said, "can't be written: No space left");
        assert_non_null(first);
        assert_null(strstr(first + 1, "can't be written"));
    }
}

static void assert_refused(const char *words, int code, const char *because)
{
    assert_int_equal(see(words), code);
    assert_non_null(strstr(ran.told, because));
    assert_string_equal(ran.said, "");
}

static void test_refuses(void **state)
{
    (void)state;
    assert_refused("--size 13", 2, "are for photographs");
    assert_refused("--once photo.jpg", 2, "--once is for the camera");
    assert_refused("--sim --annotate -", 2, "--annotate writes a file");
    assert_refused("--set camera.device=/dev/no-such-camera", 4, "tessera-config ports");
    assert_refused("--set camera.source=pipe --set camera.command=false", 4, "has ended");
    assert_refused("--set camera.source=session --set camera.device=/nowhere", 1,
                   "no recorded session");
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(state_setting, sizeof state_setting, "paths.state=%s", folder);
    snprintf(picture, sizeof picture, "%s/seen.png", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[PATH];
    program_free(&ran);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_once),
        cmocka_unit_test(test_tells_what_changes),
        cmocka_unit_test(test_watches_until_stopped),
        cmocka_unit_test(test_leaves_a_game_its_camera),
        cmocka_unit_test(test_leaves_a_game_its_log),
        cmocka_unit_test(test_draws_what_it_tells),
        cmocka_unit_test(test_notices_lost_words),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
