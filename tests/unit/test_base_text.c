// Errors, the log and JSON: what people read and write.
#include <errno.h>
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

#include "config/base/error.h"
#include "config/base/json.h"
#include "config/base/log.h"
#include "config/base/text.h"

static void test_error_format(void **state)
{
    (void)state;
    struct error err;
    char buf[200];
    assert_int_equal(error_set(&err, -EINVAL, "bad %d", 7), -EINVAL);
    assert_string_equal(error_format(&err, buf, sizeof buf), "bad 7");
    assert_int_equal(error_set_code(&err, -EPERM, "IllegalMove", "no"), -EPERM);
    assert_string_equal(err.code, "IllegalMove");
    error_set_at(&err, -EINVAL, "f.yaml", 0, 0, "x");
    assert_string_equal(error_format(&err, buf, sizeof buf), "f.yaml: x");
    error_set_at(&err, -EINVAL, "f.yaml", 3, 0, "x");
    assert_string_equal(error_format(&err, buf, sizeof buf), "f.yaml:3: x");
    error_set_at(&err, -EINVAL, "f.yaml", 3, 9, "x");
    assert_string_equal(error_format(&err, buf, sizeof buf), "f.yaml:3:9: x");
    assert_string_equal(error_format(&err, buf, 5), "f.ya");
    assert_int_equal(error_set(NULL, -EIO, "dropped"), -EIO);
}

static char captured[4096];

// Runs `say` with standard error led into a file, and JOURNAL_STREAM as systemd would set it.
static void capture(void (*say)(void), bool journal)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    struct stat st;
    fstat(STDERR_FILENO, &st);
    char stream[64];
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)st.st_dev,
             (uintmax_t)st.st_ino + (journal ? 0 : 1));
    setenv("JOURNAL_STREAM", stream, 1);
    log_open("prog", LOG_LEVEL_INFO);
    say();
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    captured[fread(captured, 1, sizeof captured - 1, file)] = '\0';
    fclose(file);
}

static void say_some(void)
{
    log_error("lost %s", "it");
    log_debug("not shown");
    log_info("two\nlines\x1b[31m");
    struct error err;
    error_set_at(&err, -EINVAL, "f.yaml", 3, 9, "x");
    log_struct_error(LOG_LEVEL_WARNING, &err);
}

static void test_log_lines(void **state)
{
    (void)state;
    capture(say_some, false);
    assert_string_equal(captured, "prog: lost it\nprog: two?lines?[31m\nprog: f.yaml:3:9: x\n");
    capture(say_some, true);
    assert_string_equal(captured, "<3>lost it\n<6>two?lines?[31m\n<4>f.yaml:3:9: x\n");
}

static void say_once(void)
{
    struct log_once once = {0};
    log_once_over(&once, "back 0");
    for (int i = 0; i < 3; i++)
        log_once(&once, LOG_LEVEL_WARNING, "gone %d", i);
    log_once_over(&once, "back");
    log_once_over(&once, "back again");
    log_once(&once, LOG_LEVEL_WARNING, "gone again");
}

static void test_log_once(void **state)
{
    (void)state;
    capture(say_once, false);
    assert_string_equal(captured, "prog: gone 0\nprog: back\nprog: gone again\n");
}

static void say_long(void)
{
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    log_error("%s", text);
}

static void test_log_long(void **state)
{
    (void)state;
    capture(say_long, false);
    assert_int_equal(strlen(captured), 1023);
    assert_int_equal(captured[1022], '\n');
}

static void test_json_places(void **state)
{
    (void)state;
    struct error err;
    json_t *json;
    static const struct {
        const char *text;
        int line;
    } bad[] = {
        {"{\"a\":1,\n \"a\":2}", 2},
        {"{\"a\":1}\nx", 2},
        {"", 1},
        {"{\"a\":\n\n}", 3},
        {"[1,2", 1},
        {"\"\\u0000\"", 1},
        {"\"\xff\"", 1},
        {"nul", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(json_read_text(bad[i].text, strlen(bad[i].text), "f.json", &json, &err),
                         -EINVAL);
        assert_string_equal(err.file, "f.json");
        assert_int_equal(err.line, bad[i].line);
        assert_true(err.text[0] != '\0');
    }
    assert_int_equal(json_read_text("7", 1, NULL, &json, &err), 0);
    json_decref(json);
    assert_int_equal(json_read_file("/nonexistent/f.json", 100, &json, &err), -ENOENT);
}

static void test_json_members(void **state)
{
    (void)state;
    struct error err;
    json_t *json, *part;
    const char *text = "{\"s\":\"x\",\"i\":7,\"d\":1.5,\"b\":true,\"a\":[],\"o\":{},\"n\":null}";
    assert_int_equal(json_read_text(text, strlen(text), NULL, &json, &err), 0);
    const char *s = NULL;
    int64_t i = 0;
    double d = 0;
    bool b = false;
    assert_int_equal(json_member_string(json, "s", &s, &err), 1);
    assert_string_equal(s, "x");
    assert_int_equal(json_member_int(json, "i", 0, 7, &i, &err), 1);
    assert_int_equal(i, 7);
    assert_int_equal(json_member_int(json, "i", 0, 6, &i, &err), -EINVAL);
    assert_non_null(strstr(err.text, "\"i\" must lie between 0 and 6, not 7"));
    assert_int_equal(json_member_double(json, "d", 0, 2, &d, &err), 1);
    assert_int_equal(json_member_double(json, "i", 0, 9, &d, &err), 1);
    assert_true(d == 7);
    assert_int_equal(json_member_double(json, "d", 0, 1, &d, &err), -EINVAL);
    assert_int_equal(json_member_bool(json, "b", &b, &err), 1);
    assert_true(b);
    assert_int_equal(json_member_array(json, "a", &part, &err), 1);
    assert_int_equal(json_member_object(json, "o", &part, &err), 1);
    // Absent and null are the same; another type is named.
    assert_int_equal(json_member_int(json, "n", 0, 1, &i, &err), 0);
    assert_int_equal(json_member_int(json, "missing", 0, 1, &i, &err), 0);
    assert_int_equal(i, 7);
    assert_int_equal(json_member_int(json, "d", 0, 9, &i, &err), -EINVAL);
    assert_string_equal(err.text, "\"d\" must be a whole number.");
    assert_int_equal(json_member_string(json, "i", &s, &err), -EINVAL);
    assert_int_equal(json_member_double(json, "s", 0, 1, &d, &err), -EINVAL);
    assert_int_equal(json_member_bool(json, "i", &b, &err), -EINVAL);
    assert_int_equal(json_member_array(json, "o", &part, &err), -EINVAL);
    assert_int_equal(json_member_object(json, "a", &part, &err), -EINVAL);
    json_decref(json);
}

static void test_text_is_cut(void **state)
{
    (void)state;
    char buf[8];
    struct text t = {buf, sizeof buf, 0};
    text_put(&t, "%s", "");
    assert_string_equal(buf, "");
    text_put(&t, "%d-", 12);
    text_put(&t, "%s", "3456789");
    assert_string_equal(buf, "12-3456");
    text_put(&t, "more");
    assert_string_equal(buf, "12-3456");
    assert_int_equal(t.length, 14);
    struct text none = {NULL, 0, 0};
    text_put(&none, "counted");
    assert_int_equal(none.length, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_format), cmocka_unit_test(test_log_lines),
        cmocka_unit_test(test_log_once),     cmocka_unit_test(test_log_long),
        cmocka_unit_test(test_json_places),  cmocka_unit_test(test_json_members),
        cmocka_unit_test(test_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
