// One line of events.jsonl.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/json.h"
#include "vision/session.h"
#include "vision/session_private.h"

bool session_channel_fits(const char *channel)
{
    const size_t length = strnlen(channel, SESSION_CHANNEL_MAX);
    return length > 0 && length < SESSION_CHANNEL_MAX &&
           strspn(channel, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

static int parse_frame(const json_t *object, struct session_event *event, uint64_t *offset,
                       uint32_t *crc, struct error *err)
{
    int64_t seq = -1, at = -1, size = -1, sum = -1;
    int r = json_member_int(object, "seq", 0, UINT32_MAX, &seq, err);
    if (r >= 0)
        r = json_member_int(object, "offset", 0, INT64_MAX, &at, err);
    if (r >= 0)
        r = json_member_int(object, "size", 1, SESSION_FRAME_MAX, &size, err);
    if (r >= 0)
        r = json_member_int(object, "crc", 0, UINT32_MAX, &sum, err);
    if (r < 0)
        return r;
    if (seq < 0 || at < 0 || size < 0 || sum < 0)
        return error_set(err, -EBADMSG, "a frame needs \"seq\", \"offset\", \"size\" and \"crc\"");
    event->sequence = (uint32_t)seq;
    event->jpeg_size = (size_t)size;
    *offset = (uint64_t)at;
    *crc = (uint32_t)sum;
    return 0;
}

static int parse_object(const json_t *object, struct session_event *event, uint64_t *offset,
                        uint32_t *crc, char **buffer, struct error *err)
{
    const char *channel = NULL;
    if (!json_is_object(object))
        return error_set(err, -EBADMSG, "an event is a JSON object");
    int r = json_member_int(object, "t", INT64_MIN, INT64_MAX, &event->time_ns, err);
    if (r == 0)
        return error_set(err, -EBADMSG, "the event has no time \"t\"");
    if (r > 0)
        r = json_member_string(object, "ch", &channel, err);
    if (r < 0)
        return r;
    if (!channel || !session_channel_fits(channel))
        return error_set(err, -EBADMSG, "the event has no channel \"ch\" of up to %d letters",
                         SESSION_CHANNEL_MAX - 1);
    strncpy(event->channel, channel, sizeof event->channel - 1);
    if (strcmp(channel, "frame") == 0)
        return parse_frame(object, event, offset, crc, err);
    const json_t *data = json_object_get(object, "data");
    if (!data)
        return error_set(err, -EBADMSG, "the event has no \"data\"");
    *buffer = json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY);
    event->data = *buffer;
    return *buffer ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int session_parse_line(const char *line, size_t size, struct session_event *ret,
                       uint64_t *ret_offset, uint32_t *ret_crc, char **ret_buffer,
                       struct error *err)
{
    struct session_event event = {0};
    uint64_t offset = 0;
    uint32_t crc = 0;
    char *buffer = NULL;
    json_t *json = NULL;
    if (size > SESSION_LINE_MAX)
        return error_set(err, -EMSGSIZE, "the line is longer than %d bytes", SESSION_LINE_MAX);
    int r = json_read_text(line, size, NULL, &json, err);
    if (r != 0)
        return r == -ENOMEM ? r : -EBADMSG;
    r = parse_object(json, &event, &offset, &crc, &buffer, err);
    json_decref(json);
    if (r < 0) {
        free(buffer);
        return r == -ENOMEM ? r : -EBADMSG;
    }
    *ret = event;
    *ret_offset = offset;
    *ret_crc = crc;
    *ret_buffer = buffer;
    return 0;
}
