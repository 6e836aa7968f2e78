// The firmware's lines, one by one, whole and hurt.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "motion/grbl_parse.h"
#include "motion/grbl_text.h"

static struct grbl_reply parse(const char *line)
{
    struct grbl_reply r;
    grbl_parse(line, strlen(line), &r);
    return r;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum grbl_reply_kind kind;
        int number;
    } cases[] = {
        {"ok", GRBL_REPLY_OK, 0},
        {"error:9", GRBL_REPLY_ERROR, 9},
        {"ALARM:11", GRBL_REPLY_ALARM, 11},
        {"", GRBL_REPLY_NONE, 0},
        {"Grbl 1.1h ['$' for help]", GRBL_REPLY_BANNER, 0},
        {"GrblHAL 1.1f ['$' or '$HELP' for help]", GRBL_REPLY_BANNER, 0},
        {"[MSG:'$H'|'$X' to unlock]", GRBL_REPLY_MESSAGE, 0},
        {"[MSG:Reset to continue]", GRBL_REPLY_MESSAGE, 0},
        {"[VER:1.1h.20190825:]", GRBL_REPLY_VERSION, 0},
        {"[G54:0.000,0.000,0.000]", GRBL_REPLY_OFFSET, 0},
        {"[TLO:0.000]", GRBL_REPLY_OFFSET, 0},
        {"[GC:G0 G54 G17 G21 G90 G94 M5 M9 T0 F0 S0]", GRBL_REPLY_MESSAGE, 0},
        {">G20:ok", GRBL_REPLY_MESSAGE, 0},
        {"[PLUGIN:Grbl networking v0.1]", GRBL_REPLY_MESSAGE, 0},
        {"[FIRMWARE:grblHAL]", GRBL_REPLY_MESSAGE, 0},
        {"[NEWOPT:ENUMS,RT+,HOME,ES,SED]", GRBL_REPLY_MESSAGE, 0},
        {"[AXS:3:XYZ]", GRBL_REPLY_MESSAGE, 0},
        {"Grbl 1.1f ['$' or '$HELP' for help]", GRBL_REPLY_BANNER, 0},
        // hurt: never an ok that was none, never a banner or alarm overlooked
        {"o", GRBL_REPLY_GARBAGE, 0},
        {"okk", GRBL_REPLY_GARBAGE, 0},
        {"okok", GRBL_REPLY_GARBAGE, 0},
        {" ok", GRBL_REPLY_GARBAGE, 0},
        {"error:", GRBL_REPLY_GARBAGE, 0},
        {"error:1x", GRBL_REPLY_GARBAGE, 0},
        {"rror:9", GRBL_REPLY_GARBAGE, 0},
        {"LARM:1", GRBL_REPLY_ALARM, 0},
        {"ALARM:", GRBL_REPLY_ALARM, 0},
        {"okALARM:3", GRBL_REPLY_ALARM, 0},
        {"rbl 1.1h ['$' for help]", GRBL_REPLY_BANNER, 0},
        {"Gbl 1.1h ['$' for hel", GRBL_REPLY_BANNER, 0},
        {"<Idle|MPos:0.000,0.000,0.000|FS:0,0", GRBL_REPLY_GARBAGE, 0},
        {"<Idle|MPos:0.000,0.0<Idle|MPos:0.000,0.000,0.000>", GRBL_REPLY_GARBAGE, 0},
        {"<Idle|MPos:0.000,0.000>", GRBL_REPLY_GARBAGE, 0},
        {"<Idle|MPos:1e5,0.000,0.000>", GRBL_REPLY_GARBAGE, 0},
        {"<Idel|MPos:0.000,0.000,0.000>", GRBL_REPLY_GARBAGE, 0},
        {"<>", GRBL_REPLY_GARBAGE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct grbl_reply r = parse(cases[i].line);
        if (r.kind != cases[i].kind || r.number != cases[i].number)
            fail_msg("\"%s\" gives kind %d, number %d", cases[i].line, (int)r.kind, r.number);
    }
}

static void test_status(void **state)
{
    (void)state;
    struct grbl_reply r =
        parse("<Hold:1|MPos:-598.000,-538.004,-2.100|Bf:15,128|FS:600,1000|Ov:100,"
              "100,100|Pn:XPDQ|WCO:1.000,2.000,-3.500>");
    assert_int_equal(r.kind, GRBL_REPLY_STATUS);
    const struct grbl_status *s = &r.status;
    assert_int_equal(s->state, GRBL_STATE_HOLD);
    assert_int_equal(s->substate, 1);
    assert_true(s->has_machine && s->has_offset && s->has_buffer && !s->has_work);
    assert_true(s->machine[0] == -598.0 && s->machine[1] == -538.004 && s->machine[2] == -2.1);
    assert_true(s->offset[2] == -3.5);
    assert_true(s->feed == 10);
    assert_int_equal(s->planner_free, 15);
    assert_int_equal(s->rx_free, 128);
    assert_int_equal(s->pins, GRBL_PIN_X | GRBL_PIN_PROBE | GRBL_PIN_DOOR);
    r = parse("<Alarm:11|WPos:1.0,2.0,3.0,4.0|FS:0,0,0>"); // grblHAL, four axes
    assert_int_equal(r.kind, GRBL_REPLY_STATUS);
    assert_true(r.status.has_work && r.status.work[2] == 3 && r.status.substate == 11);
    // All that a talkative grblHAL adds, and pins of axes this program does not have.
    r = parse("<Alarm:11|MPos:0.000,-1.500,0.000|Bf:100,1023|FS:0,0,0|Pn:XabE|WCS:G54|Ov:100,100,"
              "100|A:|Sc:|MPG:0|H:0,7|T:0|TLR:0|FW:grblHAL|In:-1|SD:0|Ln:99>");
    assert_int_equal(r.kind, GRBL_REPLY_STATUS);
    assert_true(r.status.machine[1] == -1.5 && r.status.rx_free == 1023);
    assert_int_equal(r.status.pins, GRBL_PIN_X | GRBL_PIN_ESTOP);
}

static void test_settings(void **state)
{
    (void)state;
    struct grbl_reply r = parse("$130=600.000");
    assert_true(r.kind == GRBL_REPLY_SETTING && r.number == 130 && r.value == 600);
    r = parse("$110=12000 (x max rate, mm/min)");
    assert_true(r.kind == GRBL_REPLY_SETTING && r.value == 12000);
    assert_int_equal(parse("$N0=G20").kind, GRBL_REPLY_MESSAGE);
    assert_int_equal(parse("$74=my wifi").kind, GRBL_REPLY_MESSAGE);
    assert_int_equal(parse("$74=Grbl 1.1 of Ann").kind, GRBL_REPLY_MESSAGE); // no banner
    assert_int_equal(parse("$130=60Grbl 1.1h ['$' for help]").kind, GRBL_REPLY_BANNER);
    r = parse("[OPT:VNMGL,35,1024,3,0]");
    assert_true(r.kind == GRBL_REPLY_OPTIONS && r.planner_blocks == 35 && r.rx_bytes == 1024);
    r = parse("[OPT:V]");
    assert_true(r.kind == GRBL_REPLY_OPTIONS && r.rx_bytes == 0);
}

static void test_text_is_printable(void **state)
{
    (void)state;
    struct grbl_reply r = parse("\x01\x1b[31mhello\xff");
    assert_int_equal(r.kind, GRBL_REPLY_GARBAGE);
    assert_string_equal(r.text, "..[31mhello.");
}

// Every single lost byte of every report: read right, or not at all; never read wrong silently in
// a field that motion relies on, except digits (which no protocol without a checksum can tell).
static void test_lost_bytes(void **state)
{
    (void)state;
    static const char line[] = "<Idle|MPos:-598.000,-538.000,-2.000|FS:0,0|WCO:0.000,0.000,0.000>";
    for (size_t cut = 0; cut < sizeof line - 1; cut++) {
        char hurt[sizeof line];
        memcpy(hurt, line, cut);
        memcpy(hurt + cut, line + cut + 1, sizeof line - cut - 1);
        struct grbl_reply r = parse(hurt);
        assert_true(r.kind == GRBL_REPLY_STATUS || r.kind == GRBL_REPLY_GARBAGE);
        if (r.kind == GRBL_REPLY_STATUS)
            assert_int_equal(r.status.state, GRBL_STATE_IDLE);
    }
}

static void assert_text(const struct grbl_text *text, int number)
{
    assert_int_equal(text->number, number); // and not that of an unknown one
    assert_true(text->name[0] && text->means[0] && text->advice[0]);
    assert_true(text->means[strlen(text->means) - 1] == '.');
    assert_true(text->advice[strlen(text->advice) - 1] == '.');
}

// Every number that Grbl 1.1 and grblHAL have, and nothing else.
static void test_texts(void **state)
{
    (void)state;
    for (int i = 1; i <= 84; i++)
        if (i != 59 && !(i >= 67 && i <= 69))
            assert_text(grbl_error_text(i), i);
    for (int i = 1; i <= 20; i++) {
        assert_text(grbl_alarm_text(i, false), i);
        assert_text(grbl_alarm_text(i, true), i);
    }
    assert_string_equal(grbl_alarm_text(2, false)->name, "soft limit");
    assert_string_equal(grbl_alarm_text(10, false)->name, "homing second switch");
    assert_string_equal(grbl_alarm_text(10, true)->name, "e-stop");
    assert_string_equal(grbl_error_text(15)->name, "jog target outside travel");
    assert_string_equal(grbl_error_text(45)->name, "limits engaged");
    assert_string_equal(grbl_error_text(46)->name, "homing required");
    assert_string_equal(grbl_error_text(50)->name, "e-stop active");
    assert_string_equal(grbl_error_text(51)->name, "motor fault");
    assert_string_equal(grbl_error_text(999)->name, "unknown error");
    assert_string_equal(grbl_alarm_text(99, true)->name, "unknown alarm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_status),
        cmocka_unit_test(test_settings),   cmocka_unit_test(test_text_is_printable),
        cmocka_unit_test(test_lost_bytes), cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
