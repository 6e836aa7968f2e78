// The state table held to what the design promises of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/robot_state.h"

static void test_one_row_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < robot_row_count; i++) {
        for (size_t k = i + 1; k < robot_row_count; k++)
            assert_false(robot_rows[i].from == robot_rows[k].from &&
                         robot_rows[i].event == robot_rows[k].event);
        assert_ptr_equal(robot_row_find(robot_rows[i].from, robot_rows[i].event), &robot_rows[i]);
    }
    assert_null(robot_row_find(ROBOT_OVER, ROBOT_EV_PRESSED));
}

static void test_stop_from_everywhere(void **state)
{
    (void)state;
    for (int s = 0; s < ROBOT_STATES; s++) {
        const struct robot_row *row = robot_row_find((enum robot_state)s, ROBOT_EV_STOP);
        if (s == ROBOT_OVER)
            continue; // nothing moves there any more
        assert_non_null(row);
        assert_int_equal(row->to, ROBOT_STOPPED);
    }
}

static void test_stopped_is_left_only_by_reset(void **state)
{
    (void)state;
    for (size_t i = 0; i < robot_row_count; i++) {
        if (robot_rows[i].from == ROBOT_STOPPED && robot_rows[i].to != ROBOT_STOPPED)
            assert_int_equal(robot_rows[i].event, ROBOT_EV_RESET);
    }
}

// The arm moves only after homing, and works only where the board was looked at or a move judged. A
// stone that waits on the cup may be put away between turns.
static void test_ways_to_the_arm(void **state)
{
    (void)state;
    for (size_t i = 0; i < robot_row_count; i++) {
        const struct robot_row *r = &robot_rows[i];
        if (r->to == ROBOT_WORKING && r->from != ROBOT_WORKING)
            assert_true(r->from == ROBOT_LOOKING || r->from == ROBOT_JUDGING ||
                        r->from == ROBOT_HOLDING || r->event == ROBOT_EV_PUT_BACK);
        if (r->to == ROBOT_LOOKING)
            assert_int_not_equal(r->from, ROBOT_STOPPED);
    }
}

// People who were asked for help may have their hands anywhere: only what they say themselves leads
// to the arm.
static void test_asking_never_moves(void **state)
{
    (void)state;
    for (size_t i = 0; i < robot_row_count; i++) {
        const struct robot_row *r = &robot_rows[i];
        if (r->from != ROBOT_ASKING || r->to == ROBOT_ASKING)
            continue;
        bool looks_only = r->to == ROBOT_DECIDING || r->to == ROBOT_TURNING;
        bool by_people = r->event == ROBOT_EV_RETRY || r->event == ROBOT_EV_CHANGED ||
                         r->event == ROBOT_EV_PUT_BACK || r->event == ROBOT_EV_STOP;
        assert_true(looks_only || by_people);
    }
}

// Wherever the arm moves, a hand halts it.
static void test_a_hand_halts_the_arm(void **state)
{
    (void)state;
    static const enum robot_state MOVES[] = {ROBOT_HOMING, ROBOT_WORKING, ROBOT_RETREATING};
    for (size_t i = 0; i < sizeof MOVES / sizeof MOVES[0]; i++) {
        const struct robot_row *row = robot_row_find(MOVES[i], ROBOT_EV_HAND);
        assert_non_null(row);
        assert_int_equal(row->to, ROBOT_HOLDING);
        assert_int_equal(row->action, ROBOT_ACT_HOLD);
    }
    // What moves after a failed step does so where hands are watched for.
    for (size_t i = 0; i < robot_row_count; i++) {
        if (robot_rows[i].action == ROBOT_ACT_RECOVER)
            assert_int_equal(robot_rows[i].to, ROBOT_RETREATING);
    }
}

// Under a hand nothing moves, whatever ends meanwhile; and nothing that ends is missed.
static void test_holding_stands_still(void **state)
{
    (void)state;
    static const enum robot_event ends[] = {ROBOT_EV_DONE, ROBOT_EV_FAILED, ROBOT_EV_ARM_LOST};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct robot_row *row = robot_row_find(ROBOT_HOLDING, ends[i]);
        assert_non_null(row);
        assert_int_equal(row->to, ROBOT_HOLDING);
        assert_int_equal(row->action, ROBOT_ACT_NONE);
        assert_non_null(robot_row_find(ROBOT_WORKING, ends[i]));
    }
    for (size_t i = 0; i < robot_row_count; i++) {
        if (robot_rows[i].from == ROBOT_HOLDING && robot_rows[i].to != ROBOT_HOLDING)
            assert_true(robot_rows[i].event == ROBOT_EV_CLEAR ||
                        robot_rows[i].event == ROBOT_EV_STOP);
    }
}

// However unasked "done" comes, it is used or answered; only after the end nobody waits for
// anything.
static void test_done_is_never_dropped(void **state)
{
    (void)state;
    for (int s = 0; s < ROBOT_STATES; s++) {
        // While people are asked for help the button means "try again".
        if (s == ROBOT_OVER || s == ROBOT_ASKING)
            continue;
        const struct robot_row *row = robot_row_find((enum robot_state)s, ROBOT_EV_PRESSED);
        assert_non_null(row);
        assert_int_not_equal(row->action, ROBOT_ACT_NONE);
    }
}

// Whoever wants it tried again is told why not, where that means nothing. DECIDING lasts no time.
static void test_retry_is_never_dropped(void **state)
{
    (void)state;
    for (int s = 0; s < ROBOT_STATES; s++) {
        const struct robot_row *row = robot_row_find((enum robot_state)s, ROBOT_EV_RETRY);
        if (s == ROBOT_OVER || s == ROBOT_DECIDING)
            continue;
        assert_non_null(row);
        assert_int_not_equal(row->action, ROBOT_ACT_NONE);
    }
}

static void reach(bool *seen, int from)
{
    bool more = true;
    seen[from] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < robot_row_count; i++) {
            if (seen[robot_rows[i].from] && !seen[robot_rows[i].to])
                more = seen[robot_rows[i].to] = true;
        }
    }
}

static void test_reachable(void **state)
{
    (void)state;
    bool seen[ROBOT_STATES] = {false};
    reach(seen, ROBOT_STOPPED);
    for (int s = 0; s < ROBOT_STATES; s++)
        assert_true(seen[s]);
    // No state but the end is a trap: each leads to the end of the game.
    for (int s = 0; s < ROBOT_STATES; s++) {
        bool from_here[ROBOT_STATES] = {false};
        reach(from_here, s);
        assert_true(from_here[ROBOT_OVER]);
    }
}

static void test_graph(void **state)
{
    (void)state;
    size_t size = robot_state_graph(NULL, 0);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(robot_state_graph(text, size + 1), size);
    assert_int_equal(strlen(text), size);
    assert_memory_equal(text, "digraph tessera {", 17);
    assert_non_null(strstr(text, "\"stopped\" -> \"starting\" [label=\"reset / start\"]"));
    char small[64];
    robot_state_graph(small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
    free(text);
    for (int s = 0; s < ROBOT_STATES; s++) {
        assert_non_null(robot_state_name((enum robot_state)s));
        assert_non_null(robot_state_meaning((enum robot_state)s));
    }
    for (int e = 0; e < ROBOT_EVENTS; e++)
        assert_non_null(robot_event_name((enum robot_event)e));
    for (int a = 0; a < ROBOT_ACTIONS; a++)
        assert_non_null(robot_action_name((enum robot_action)a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row_each),
        cmocka_unit_test(test_stop_from_everywhere),
        cmocka_unit_test(test_stopped_is_left_only_by_reset),
        cmocka_unit_test(test_ways_to_the_arm),
        cmocka_unit_test(test_asking_never_moves),
        cmocka_unit_test(test_a_hand_halts_the_arm),
        cmocka_unit_test(test_holding_stands_still),
        cmocka_unit_test(test_done_is_never_dropped),
        cmocka_unit_test(test_retry_is_never_dropped),
        cmocka_unit_test(test_reachable),
        cmocka_unit_test(test_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
