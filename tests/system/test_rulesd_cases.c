// Every judged position of $TESSERA_DATA/rules/cases.jsonl, through position.check over the socket.
// Only the fields that a case expects are compared.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/base/json.h"
#include "rulesd_daemon.h"
#include "tests/data_folder.h"

struct outcome {
    json_t *wanted; // the case
    int *failed;
};

static void compare(void *user, const json_t *result, const struct error *err)
{
    struct outcome *outcome = user;
    const char *id = json_string_value(json_object_get(outcome->wanted, "id"));
    if (err) {
        print_error("%s: %s: %s\n", id, err->code, err->text);
        (*outcome->failed)++;
        return;
    }
    const char *key;
    json_t *wanted;
    json_object_foreach(json_object_get(outcome->wanted, "expect"), key, wanted)
    {
        const json_t *got = json_object_get(result, key);
        if (json_equal(got, wanted))
            continue;
        char *text = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY);
        print_error("%s: %s is %s\n", id, key, text ? text : "absent");
        free(text);
        (*outcome->failed)++;
    }
}

static void test_cases(void **state)
{
    (void)state;
    const char *data = data_folder();
    if (!data) {
        print_message("TESSERA_DATA is not set: the judged positions are not tried\n");
        skip();
    }
    char path[512];
    snprintf(path, sizeof path, "%s/rules/cases.jsonl", data);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    struct daemon daemon;
    daemon_new(&daemon, true);
    assert_true(daemon_start(&daemon));
    struct rules_client *client = daemon_client(&daemon);
    static struct outcome outcomes[5000];
    static char line[64 * 1024];
    size_t count = 0;
    int failed = 0;
    while (fgets(line, sizeof line, file) && count < 5000) {
        json_t *json;
        assert_int_equal(json_read_text(line, strlen(line), path, &json, NULL), 0);
        assert_true(json_object_size(json_object_get(json, "expect")) > 0);
        outcomes[count] = (struct outcome){json, &failed};
        json_t *params = json_copy(json); // id, expect and why are not looked at
        assert_int_equal(
            rules_client_call(client, "position.check", params, compare, &outcomes[count]), 0);
        if (++count % 1000 == 0)
            assert_int_equal(rules_client_wait(client, 20000), 0);
    }
    assert_true(feof(file)); // every line was tried
    fclose(file);
    assert_int_equal(rules_client_wait(client, 20000), 0);
    print_message("%zu positions\n", count);
    rules_client_free(client);
    daemon_free(&daemon);
    for (size_t i = 0; i < count; i++)
        json_decref(outcomes[i].wanted);
    assert_true(count > 100);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
