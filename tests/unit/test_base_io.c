// Files to the last byte, with every fault the system calls can have.
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

#include "config/base/atomic_file.h"
#include "config/base/clock.h"
#include "config/base/io.h"
#include "io_faults.h"

static char folder[64];
static char path[128];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_base_io.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); // NOLINT: a name made by mkdtemp
}

static void assert_content(const char *wanted)
{
    char *data;
    size_t size;
    assert_int_equal(io_read_file(NULL, path, 1000, &data, &size, NULL), 0);
    assert_int_equal(size, strlen(wanted));
    assert_string_equal(data, wanted);
    free(data);
}

static int count_files(void)
{
    char command[128];
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *pipe = popen(command, "r"); // NOLINT: a name made by mkdtemp
    int n = -1;
    assert_int_equal(fscanf(pipe, "%d", &n), 1);
    pclose(pipe);
    return n;
}

static void test_write_goes_on(void **state)
{
    (void)state;
    for (int error = 0; error <= EINTR; error += EINTR) { // short counts, then interruptions
        struct io_faults faults = {
            .call = IO_WRITE, .times = 5, .error = error, .write_room = INT64_MAX};
        struct io_ops io = io_faults_ops(&faults);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        assert_int_equal(io_write_all(&io, fd, "hello, world", 12), 0);
        close(fd);
        assert_content("hello, world");
        assert_true(faults.made[IO_WRITE] > 3);
    }
}

static void test_write_fails(void **state)
{
    (void)state;
    struct io_faults faults = {.write_room = 5};
    struct io_ops io = io_faults_ops(&faults);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(io_write_all(&io, fd, "hello, world", 12), -ENOSPC);
    close(fd);
    assert_content("hello");
}

static void test_read_goes_on(void **state)
{
    (void)state;
    assert_int_equal(atomic_file_write(NULL, path, "hello", 5, 0600, NULL), 0);
    for (int error = 0; error <= EINTR; error += EINTR) {
        struct io_faults faults = {
            .call = IO_READ, .times = 3, .error = error, .write_room = INT64_MAX};
        struct io_ops io = io_faults_ops(&faults);
        char *data;
        size_t size;
        assert_int_equal(io_read_file(&io, path, 5, &data, &size, NULL), 0);
        assert_int_equal(size, 5);
        assert_string_equal(data, "hello");
        free(data);
    }
}

static void test_read_refuses(void **state)
{
    (void)state;
    struct error err;
    char *data;
    size_t size;
    assert_int_equal(io_read_file(NULL, path, 5, &data, &size, &err), -ENOENT);
    assert_string_equal(err.file, path);
    assert_int_equal(atomic_file_write(NULL, path, "hello!", 6, 0600, NULL), 0);
    assert_int_equal(io_read_file(NULL, path, 5, &data, &size, &err), -EFBIG);
    struct io_faults faults = {.call = IO_READ, .times = 1, .error = EIO, .write_room = INT64_MAX};
    struct io_ops io = io_faults_ops(&faults);
    assert_int_equal(io_read_file(&io, path, 50, &data, &size, &err), -EIO);
}

static void test_read_large(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *text = malloc(SIZE);
    for (int i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i % 26);
    assert_int_equal(atomic_file_write(NULL, path, text, SIZE, 0600, NULL), 0);
    char *data;
    size_t size;
    assert_int_equal(io_read_file(NULL, path, SIZE, &data, &size, NULL), 0);
    assert_int_equal(size, SIZE);
    assert_memory_equal(data, text, SIZE);
    free(data);
    free(text);
}

// Whichever call fails, the old file stands whole and no other file is left beside it.
static void test_atomic_keeps_old(void **state)
{
    (void)state;
    static const struct {
        enum io_fault_call call;
        int error, wanted;
    } cases[] = {
        {IO_OPEN, EACCES, -EACCES}, {IO_WRITE, EIO, -EIO},      {IO_WRITE, ENOSPC, -ENOSPC},
        {IO_FSYNC, EIO, -EIO},      {IO_RENAME, EROFS, -EROFS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(atomic_file_write(NULL, path, "old", 3, 0600, NULL), 0);
        struct io_faults faults = {
            .call = cases[i].call, .times = 1, .error = cases[i].error, .write_room = INT64_MAX};
        struct io_ops io = io_faults_ops(&faults);
        struct error err;
        assert_int_equal(atomic_file_write(&io, path, "new", 3, 0600, &err), cases[i].wanted);
        assert_non_null(strstr(err.text, "keeps its old content"));
        assert_string_equal(err.file, path);
        assert_content("old");
        assert_int_equal(count_files(), 1);
    }
}

static void test_atomic_says_when_unsure(void **state)
{
    (void)state;
    struct io_faults faults = {
        .call = IO_FSYNC, .after = 1, .times = 1, .error = EIO, .write_room = INT64_MAX};
    struct io_ops io = io_faults_ops(&faults);
    struct error err;
    assert_int_equal(atomic_file_write(&io, path, "new", 3, 0600, &err), -EIO);
    assert_non_null(strstr(err.text, "is replaced"));
    // A file system that cannot sync folders is no failure.
    memset(&faults, 0, sizeof faults);
    faults = (struct io_faults){
        .call = IO_FSYNC, .after = 1, .times = 1, .error = EINVAL, .write_room = INT64_MAX};
    assert_int_equal(atomic_file_write(&io, path, "newer", 5, 0640, &err), 0);
    assert_content("newer");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 5);
}

static void test_sync_after_interruption(void **state)
{
    (void)state;
    struct io_faults faults = {
        .call = IO_FDATASYNC, .times = 2, .error = EINTR, .write_room = INT64_MAX};
    struct io_ops io = io_faults_ops(&faults);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(io_fdatasync(&io, fd), 0);
    assert_int_equal(faults.made[IO_FDATASYNC], 3);
    close(fd);
}

static void test_make_folder(void **state)
{
    (void)state;
    char deep[200];
    struct error err;
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    assert_int_equal(io_make_folder(deep, 0700, &err), 0);
    assert_int_equal(io_make_folder(deep, 0700, &err), 0);
    snprintf(deep, sizeof deep, "%s/a/b/c/", folder);
    assert_int_equal(io_make_folder(deep, 0700, &err), 0);
    assert_int_equal(atomic_file_write(NULL, path, "x", 1, 0600, NULL), 0);
    snprintf(deep, sizeof deep, "%s/sub", path);
    assert_int_equal(io_make_folder(deep, 0700, &err), -ENOTDIR);
    assert_int_equal(io_make_folder(path, 0700, &err), -ENOTDIR);
    assert_int_equal(io_make_folder("", 0700, &err), -ENAMETOOLONG);
}

static void test_a_span_can_not_overflow(void **state)
{
    (void)state;
    assert_int_equal(clock_span_ns(1.5), 1500000000);
    assert_int_equal(clock_span_ns(-1), 0);
    assert_int_equal(clock_span_ns((double)NAN), 0);
    const int64_t longest = clock_span_ns((double)INFINITY);
    assert_int_equal(clock_span_ns(1.4e20), longest);
    assert_true(longest > 0 && longest < INT64_MAX / 2);
}

static void test_clock(void **state)
{
    (void)state;
    int64_t before = clock_monotonic_ns();
    usleep(2000);
    int64_t after = clock_monotonic_ns();
    assert_true(after - before >= 2 * NS_PER_MS);
    assert_true(clock_realtime_ns() > INT64_C(1600000000) * NS_PER_S);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_write_goes_on),
        T(test_write_fails),
        T(test_read_goes_on),
        T(test_read_refuses),
        T(test_read_large),
        T(test_atomic_keeps_old),
        T(test_atomic_says_when_unsure),
        T(test_sync_after_interruption),
        T(test_make_folder),
        T(test_clock),
        T(test_a_span_can_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
