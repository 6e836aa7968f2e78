#include "tests/unit/service_fixture.h"

struct store *store;
struct service *service;
struct session session;
struct writer out;
int events;

static void count_event(void *user, uint32_t game, const char *line, size_t size)
{
    (void)user;
    json_t *json = json_loadb(line, size, 0, NULL);
    assert_non_null(json);
    char name[16];
    snprintf(name, sizeof name, "g%u", game);
    const json_t *params = json_object_get(json, "params");
    assert_string_equal(json_string_value(json_object_get(params, "game")), name);
    json_decref(json);
    events++;
}

int set_up(void **state)
{
    (void)state;
    memset(&session, 0, sizeof session);
    events = 0;
    return store_new(&store) || service_new(store, count_event, NULL, &service);
}

int tear_down(void **state)
{
    (void)state;
    writer_clear(&out);
    service = service_free(service);
    store = store_free(store);
    return 0;
}

json_t *call(const char *method, json_t *params, bool *ret_error)
{
    json_t *request = json_pack("{s:s,s:i,s:s,s:o*}", "jsonrpc", "2.0", "id", 7, "method", method,
                                "params", params);
    char *line = json_dumps(request, JSON_COMPACT);
    writer_cut(&out, 0);
    service_handle(service, &session, line, strlen(line), &out);
    free(line);
    json_decref(request);
    json_t *reply = json_loadb(out.data, out.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(reply);
    assert_int_equal(out.data[out.size - 1], '\n');
    assert_int_equal(json_integer_value(json_object_get(reply, "id")), 7);
    *ret_error = json_object_get(reply, "error") != NULL;
    json_t *part = json_incref(json_object_get(reply, *ret_error ? "error" : "result"));
    assert_non_null(part);
    json_decref(reply);
    return part;
}

json_t *ask_json(const char *method, json_t *params)
{
    bool error;
    json_t *result = call(method, params, &error);
    if (error)
        print_error("%s: %s\n", method, json_dumps(result, 0));
    assert_false(error);
    return result;
}

json_t *params_of(const char *text)
{
    char *copy = strdup(text);
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    json_t *params = json_loads(copy, 0, NULL);
    if (!params)
        print_error("not JSON: %s\n", copy);
    assert_non_null(params);
    free(copy);
    return params;
}

json_t *ask(const char *method, const char *params)
{
    return ask_json(method, params_of(params));
}

void ok(const char *method, const char *params)
{
    json_decref(ask(method, params));
}

void fails_json(const char *method, json_t *params, const char *code, const char *reason)
{
    bool failed;
    json_t *error = call(method, params, &failed);
    if (!failed)
        print_error("%s worked: %s\n", method, json_dumps(error, 0));
    assert_true(failed);
    const json_t *data = json_object_get(error, "data");
    assert_string_equal(json_string_value(json_object_get(data, "code")), code);
    assert_true(json_string_length(json_object_get(data, "text")) > 10);
    if (reason)
        assert_string_equal(json_string_value(json_object_get(data, "reason")), reason);
    else
        assert_null(json_object_get(data, "reason"));
    bool params_wrong = strcmp(code, "BadParams") == 0;
    assert_int_equal(json_integer_value(json_object_get(error, "code")), params_wrong ? -32602 : 1);
    json_decref(error);
}

void fails(const char *method, const char *params, const char *code, const char *reason)
{
    fails_json(method, params_of(params), code, reason);
}

void shows(json_t *result, const char *key, const char *wanted)
{
    char *text = json_dumps(json_object_get(result, key), JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    for (char *p = text; *p; p++)
        *p = *p == '"' ? '\'' : *p;
    assert_string_equal(text, wanted);
    free(text);
}
