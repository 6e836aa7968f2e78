// Settings files with one mistake each, made from the sample: `tessera-config check` exits with 2
// and names the right line and key, and no device is opened.
//
// The places are found by a scanner of its own for the sample's plain layout, not by the reader
// that is tested. Devices: the files the settings name are watched for being opened.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/schema.h"

enum {
    LINES_MAX = 1000,
    LINE_MAX_BYTES = 256,
    LEAST_MUTATIONS = 400,
};

static char line[LINES_MAX][LINE_MAX_BYTES];
static int lines;
static char folder[200];
static int watch = -1;
static int mutations;

// Where a key stands in the sample, 0-based.
struct place {
    int line;
    int key_column, value_column;
};

static struct place place_of(const char *key)
{
    char part[3][SCHEMA_KEY_MAX] = {"", "", ""};
    char wanted[SCHEMA_KEY_MAX * 3];
    for (int i = 0; i < lines; i++) {
        const char *text = line[i];
        int indent = (int)strspn(text, " ");
        char word[SCHEMA_KEY_MAX];
        if (text[indent] == '#' || sscanf(text + indent, "%63[a-z0-9_-]:", word) != 1)
            continue;
        int level = indent / 2;
        (void)snprintf(part[level], sizeof part[level], "%s", word);
        size_t length = 0;
        for (int l = 0; l <= level; l++)
            length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%s%s",
                                       l > 0 ? "." : "", part[l]);
        if (strcmp(wanted, key) == 0)
            return (struct place){i, indent, indent + (int)strlen(word) + 2};
    }
    fail_msg("%s is not in the sample", key);
    return (struct place){0};
}

static int run(char *const argv[], char *output, size_t size)
{
    int pipe_fd[2];
    assert_int_equal(pipe(pipe_fd), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(pipe_fd[1], STDERR_FILENO);
        (void)close(pipe_fd[0]);
        execv(argv[0], argv);
        _exit(127);
    }
    (void)close(pipe_fd[1]);
    size_t got = 0;
    ssize_t n;
    while (got + 1 < size && (n = read(pipe_fd[0], output + got, size - 1 - got)) > 0)
        got += (size_t)n;
    output[got] = '\0';
    (void)close(pipe_fd[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool anything_opened(void)
{
    struct pollfd poll_fd = {.fd = watch, .events = POLLIN};
    return poll(&poll_fd, 1, 0) > 0;
}

static void check_file(int expected_exit, int expected_line, int expected_column, const char *key)
{
    char path[256];
    char program[512];
    char output[8192];
    (void)snprintf(path, sizeof path, "%s/t.yaml", folder);
    (void)snprintf(program, sizeof program, "%s/tessera-config", getenv("TESSERA_BIN"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < lines; i++)
        fputs(line[i], file);
    fclose(file);
    char *argv[] = {program, (char *)"--quiet", (char *)"check", path, NULL};
    int code = run(argv, output, sizeof output);
    char where[300];
    (void)snprintf(where, sizeof where, "%s:%d:%d: ", path, expected_line, expected_column);
    bool right = code == expected_exit;
    if (expected_exit == 2)
        right = right && strncmp(output, where, strlen(where)) == 0 && strstr(output, key);
    if (!right)
        fail_msg("expected exit %d and %s%s, got exit %d and\n%s", expected_exit, where, key, code,
                 output);
    if (anything_opened())
        fail_msg("a device was opened by the check of\n%s", output);
    mutations++;
}

// Puts `text` in place of `length` bytes of a line, checks, puts the line back.
static void mutate(struct place place, int column, int length, const char *text, int at_line,
                   int at_column, const char *key)
{
    char old[LINE_MAX_BYTES];
    char *target = line[place.line];
    memcpy(old, target, sizeof old);
    int n = snprintf(target, LINE_MAX_BYTES, "%.*s%s%s", column, old, text, old + column + length);
    assert_true(n < LINE_MAX_BYTES);
    check_file(2, at_line + 1, at_column + 1, key);
    memcpy(target, old, sizeof old);
}

static void mutate_value(const struct schema_key *key, const char *text)
{
    struct place place = place_of(key->key);
    int length = (int)strcspn(line[place.line] + place.value_column, "\n");
    mutate(place, place.value_column, length, text, place.line, place.value_column, key->key);
}

// --- the kinds of mistakes ---

static void misspelt_key(const struct schema_key *key)
{
    struct place place = place_of(key->key);
    // A letter doubled is never another key.
    char twice[3] = {line[place.line][place.key_column], line[place.line][place.key_column], '\0'};
    mutate(place, place.key_column, 1, twice, place.line, place.key_column, key->key);
}

static void missing_value(const struct schema_key *key)
{
    struct place place = place_of(key->key);
    int length = (int)strcspn(line[place.line] + place.value_column, "\n");
    mutate(place, place.value_column, length, "", place.line, place.key_column, key->key);
}

static void doubled_key(const struct schema_key *key)
{
    struct place place = place_of(key->key);
    char twice[2 * LINE_MAX_BYTES];
    (void)snprintf(twice, sizeof twice, "%s", line[place.line]);
    mutate(place, 0, 0, twice, place.line + 1, place.key_column, key->key);
}

static void wrong_value(const struct schema_key *key)
{
    char text[300];
    switch (key->kind) {
    case SCHEMA_INTEGER:
    case SCHEMA_REAL:
        (void)snprintf(text, sizeof text, "%.10g", key->max + 1);
        mutate_value(key, text);
        (void)snprintf(text, sizeof text, "%.10g", key->min - 1);
        mutate_value(key, text);
        (void)snprintf(text, sizeof text, "%.10g %s", key->max,
                       key->unit == SCHEMA_SECONDS ? "mm" : "s");
        mutate_value(key, text);
        mutate_value(key, "many");
        mutate_value(key, "0x10");
        mutate_value(key, ".nan");
        break;
    case SCHEMA_BOOLEAN:
        mutate_value(key, "maybe");
        mutate_value(key, "1");
        break;
    case SCHEMA_CHOICE:
        (void)snprintf(text, sizeof text, "%sx", key->initial);
        mutate_value(key, text);
        break;
    case SCHEMA_TEXT:
        mutate_value(key, "\"two\\nlines\"");
        break;
    }
    mutate_value(key, "[1, 2]");
    mutate_value(key, "*alias");
    mutate_value(key, "!!str x");
}

static void test_mutations(void **state)
{
    (void)state;
    // What the programs would open if they opened anything.
    check_file(0, 0, 0, "");
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct schema_key *key = &schema_keys[i];
        // Every kind of mistake somewhere, a few at every key: each run is a process.
        misspelt_key(key);
        if (i % 4 == 0)
            missing_value(key);
        if (i % 4 == 1)
            doubled_key(key);
        if (i % 4 == 2 || key->kind == SCHEMA_BOOLEAN)
            wrong_value(key);
    }
    print_message("%d mutated files\n", mutations - 1);
    assert_true(mutations > LEAST_MUTATIONS);
}

static void read_sample(void)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/config/samples/tessera.yaml", getenv("TESSERA_SOURCE"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (lines = 0; lines < LINES_MAX && fgets(line[lines], LINE_MAX_BYTES, file); lines++)
        continue;
    assert_true(feof(file) || fgetc(file) == EOF);
    fclose(file);
}

static void name_device(const char *key, const char *name)
{
    struct place place = place_of(key);
    char path[256];
    (void)snprintf(path, sizeof path, "%s/devices/%s", folder, name);
    (void)snprintf(line[place.line] + place.value_column,
                   LINE_MAX_BYTES - (size_t)place.value_column, "\"%s\"\n", path);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
}

static int setup(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%.150s/mutations.XXXXXX",
                   temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    char devices[256];
    (void)snprintf(devices, sizeof devices, "%s/devices", folder);
    if (mkdir(devices, 0700) < 0)
        return -1;
    read_sample();
    name_device("camera.device", "video0");
    name_device("serial.port", "ttyUSB0");
    watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return watch < 0 || inotify_add_watch(watch, devices, IN_OPEN) < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[300];
    (void)close(watch);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mutations, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
