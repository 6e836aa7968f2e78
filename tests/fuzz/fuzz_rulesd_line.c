// Requests: any bytes in, one well-formed reply out for each line that asks for one.
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rules/daemon/line.h"
#include "rules/daemon/service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds)
        abort();
}

static void check_object(const char *line, size_t size)
{
    check(size > 0 && line[size - 1] == '\n' && size <= 2 * LINE_MAX_BYTES);
    check(memchr(line, '\n', size - 1) == NULL);
    json_t *json = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
    const char *version = json_string_value(json_object_get(json, "jsonrpc"));
    check(version && strcmp(version, "2.0") == 0);
    json_decref(json);
}

static void check_event(void *user, uint32_t game, const char *line, size_t size)
{
    (void)user;
    check(game > 0);
    check_object(line, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct store *store;
    struct service *service;
    struct line_reader *lines;
    struct session session = {.all_games = true};
    struct writer out = {0};
    if (store_new(&store) < 0 || service_new(store, check_event, NULL, &service) < 0 ||
        line_reader_new(&lines) < 0)
        abort();
    for (size_t at = 0; at < size;) {
        at += line_feed(lines, data + at, size - at);
        for (;;) {
            const char *line;
            size_t length;
            enum line_kind kind = line_next(lines, &line, &length);
            if (kind == LINE_NONE && at == size)
                kind = line_last(lines, &line, &length);
            if (kind == LINE_NONE)
                break;
            writer_cut(&out, 0);
            if (kind == LINE_TOO_LONG)
                service_refuse_long_line(&out);
            else
                service_handle(service, &session, line, length, &out);
            if (out.size)
                check_object(out.data, out.size);
        }
    }
    writer_clear(&out);
    line_reader_free(lines);
    service_free(service);
    store_free(store);
    return 0;
}
