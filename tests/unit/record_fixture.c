#include "tests/unit/record_fixture.h"

struct record record;
struct error err;
char out[RECORD_WRITE_MAX];
size_t out_length;

int read_as(enum record_format format, const char *text)
{
    return record_read(text, strlen(text), format, NULL, NULL, &record, &err);
}

void expect_fault(enum record_format format, const char *text, enum reason reason, unsigned move,
                  unsigned kept, int line, int column)
{
    if (read_as(format, text) != 0)
        fail_msg("not read at all: %s", err.text);
    if (record.fault.reason != reason)
        fail_msg("fault \"%s\" (%s), expected \"%s\"", reason_name(record.fault.reason),
                 record.fault.text, reason_name(reason));
    assert_int_equal(record.fault.move, move);
    assert_int_equal(record.game.ply, kept);
    assert_int_equal(record.fault.line, line);
    assert_int_equal(record.fault.column, column);
    if (reason != REASON_NONE)
        assert_true(strlen(record.fault.text) > 20);
}

void expect_clean(enum record_format format, const char *text, unsigned moves)
{
    if (read_as(format, text) != 0)
        fail_msg("not read at all: %s", err.text);
    if (record.fault.reason != REASON_NONE)
        fail_msg("%s", record.fault.text);
    assert_int_equal(record.game.ply, moves);
}
