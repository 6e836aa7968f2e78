// The whole table on a virtual loop: tty, panel, faults, truth, and a life after SIGKILL.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/crc32c.h"
#include "tests/sim/host_rig.h"

static struct host host;

// The exposed stone of magazine 1, and K10.
static const char *const PICK_AND_PLACE[] = {
    "@wait 1300", "$H",        "@to -61.5 168 22", "@to -61.5 168 8", "G4 P0",
    "@pump 1",    "@wait 200", "@to -61.5 168 22", "@to 198 198 22",  "@to 198 198 8",
    "G4 P0",      "@pump 0",   "@wait 150",        "@to 198 198 22",  "G4 P0",
    NULL};

static int set_up(void **state)
{
    (void)state;
    host_setup(&host);
    host_start(&host, NULL);
    host_open(&host);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    host_account(&host);
    host_stop(&host);
    return 0;
}

// --- arm ---

static void opening_resets_the_board(void **state)
{
    (void)state;
    host_run(&host, 0.95);
    assert_int_equal(host.length, 0);
    host_run(&host, 0.15);
    assert_true(host_said(&host, "\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n"));
}

static void set_hupcl(int fd, bool on)
{
    struct termios t;
    assert_int_equal(tcgetattr(fd, &t), 0);
    t.c_cflag = on ? t.c_cflag | HUPCL : t.c_cflag & ~(tcflag_t)HUPCL;
    assert_int_equal(tcsetattr(fd, TCSANOW, &t), 0);
}

// Only a rising DTR resets: not a second program, and not one that comes after a close without
// HUPCL.
static void the_board_hears_only_a_rising_dtr(void **state)
{
    (void)state;
    host_run(&host, 1.3);
    assert_true(host_said(&host, "Grbl 1.1h"));
    host_forget(&host);
    const int second = open(table_serial_path(host.table), O_RDWR | O_NOCTTY | O_CLOEXEC);
    host_run(&host, 1.3);
    assert_false(host_said(&host, "Grbl"));
    close(second);

    static const bool HUPCL_AT_CLOSE[] = {false, true};
    for (int i = 0; i < 2; i++) {
        set_hupcl(host.fd, HUPCL_AT_CLOSE[i]);
        host.io = loop_source_free(host.io);
        close(host.fd);
        host.fd = -1;
        host_run(&host, 0.2);
        host_open(&host);
        host_forget(&host);
        host_run(&host, 1.3);
        assert_int_equal(host_said(&host, "Grbl 1.1h"), HUPCL_AT_CLOSE[i]);
        static const char *const ASK[] = {"@raw ?", "@wait 50", NULL};
        host_play(&host, ASK); // it answers in either case
        assert_true(host_said(&host, "<Alarm"));
    }
}

static void a_stone_is_taken_and_placed(void **state)
{
    (void)state;
    host_play(&host, PICK_AND_PLACE);
    assert_int_equal(host.errors, 0);
    assert_int_equal(host_truth_at(&host, 9, 9), 1);
    assert_int_equal(host_stones_on_board(&host), 1);
    struct table_ledger l;
    table_ledger(host.table, &l);
    assert_int_equal(l.store[1], host.setup.store[0].count - 1);
    if (l.incidents)
        fail_msg("%s", world_incident_name(table_world(host.table)->incident[0].kind));
}

static void the_pick_sensor_tells_edges(void **state)
{
    (void)state;
    struct gpio *gpio = table_gpio(host.table);
    host_play(&host, PICK_AND_PLACE);
    enum gpio_line line;
    int64_t first, second;
    assert_int_equal(gpio->ops->read_edge(gpio->impl, &line, &first), 0);
    assert_int_equal(line, GPIO_PICK_SENSOR);
    assert_int_equal(gpio->ops->read_edge(gpio->impl, &line, &second), 0);
    assert_true(second > first + 1000000000);
    assert_int_equal(gpio->ops->read_edge(gpio->impl, &line, &second), -EAGAIN);
    assert_int_equal(gpio->ops->get(gpio->impl, GPIO_PICK_SENSOR), 0);
    assert_int_equal(gpio->ops->set(gpio->impl, GPIO_ESTOP, 1), -EPERM);
}

static void the_same_script_gives_the_same_bytes(void **state)
{
    (void)state;
    uint32_t log[2], picture[2];
    for (int i = 0; i < 2; i++) {
        struct frame frame;
        struct frame_source *camera = table_camera(host.table);
        host_play(&host, PICK_AND_PLACE);
        log[i] = host.log;
        assert_int_equal(camera->ops->read(camera->impl, &frame, NULL), 0);
        picture[i] = crc32c(0, frame.data, frame.size);
        if (i == 0) {
            host_stop(&host);
            set_up(NULL);
        }
    }
    assert_int_equal(log[0], log[1]);
    assert_int_equal(picture[0], picture[1]);
}

static void unplug(struct host *h)
{
    table_fault(h->table, FAULT_UNPLUG, 0);
}

static void an_unplugged_cable_hangs_up_and_motion_ends(void **state)
{
    static const char *const SCRIPT[] = {"@wait 1300", "$H", "G90 G0 X-300", "@wait 300", "@call",
                                         "@wait 3000", NULL};
    (void)state;
    host.call = unplug;
    host_play(&host, SCRIPT);
    assert_true(host.hung_up);
    assert_null(table_serial_path(host.table));
    int fd;
    assert_int_equal(table_serial_open(host.table, &fd), -ENODEV);
    // F11: what was planned has been finished.
    assert_true(fabs(table_world(host.table)->tool.machine[0] + 300) < 0.1);
    table_fault(host.table, FAULT_REPLUG, 0);
    host_forget(&host);
    host_open(&host);
    host_run(&host, 1.2);
    assert_true(host_said(&host, "Grbl 1.1h"));
    static const char *const AGAIN[] = {"$H", "$G", NULL};
    host_play(&host, AGAIN);
    assert_int_equal(host.errors, 0);
}

static void faults_on_the_wire(void **state)
{
    static const char *const UNLOCK[] = {"@wait 1300", "$X", NULL};
    static const char *const ASK[] = {"@raw $G\n", "@wait 200", NULL};
    (void)state;
    host_play(&host, UNLOCK);

    table_fault(host.table, FAULT_STALL_REPLIES, 2);
    host_forget(&host);
    host_play(&host, ASK);
    assert_int_equal(host.length, 0);
    host_run(&host, 2);
    assert_true(host_said(&host, "ok"));

    table_fault(host.table, FAULT_LOSE_BYTES_OUT, 20);
    host_forget(&host);
    host_play(&host, ASK);
    assert_false(host_said(&host, "[GC:"));
    assert_true(host_said(&host, "ok"));

    table_fault(host.table, FAULT_LOSE_BYTES_IN, 1);
    host_forget(&host);
    host_play(&host, ASK);
    assert_true(host_said(&host, "error:")); // "G" alone

    host_forget(&host);
    table_fault(host.table, FAULT_NOISE_OUT, 40);
    host_run(&host, 0.1);
    assert_int_equal(host.length, 40);

    table_fault(host.table, FAULT_WRONG_BAUD, 1);
    host_forget(&host);
    host_play(&host, ASK);
    host_run(&host, 0.5);
    assert_false(host_said(&host, "[GC:"));
    table_fault(host.table, FAULT_WRONG_BAUD, 0);
    static const char *const RESET[] = {"@raw \x18", "@wait 300", "@raw $G\n", "@wait 200", NULL};
    host_forget(&host);
    host_play(&host, RESET);
    assert_true(host_said(&host, "[GC:"));

    table_fault(host.table, FAULT_BROWN_OUT, 0);
    host_forget(&host);
    host_run(&host, 1.5);
    assert_true(host_said(&host, "Grbl 1.1h"));
    table_fault(host.table, FAULT_LIMIT_TRIP, 0);
    host_run(&host, 1);
}

static void a_strict_board_wants_its_baud_rate(void **state)
{
    (void)state;
    host_stop(&host);
    host_setup(&host);
    host.setup.firmware.strict_baud = true;
    host_start(&host, NULL);
    host_open(&host);
    host_run(&host, 1.5);
    assert_true(host_said(&host, "Grbl"));
    struct termios t;
    assert_int_equal(tcgetattr(host.fd, &t), 0);
    cfsetspeed(&t, B9600);
    assert_int_equal(tcsetattr(host.fd, TCSANOW, &t), 0);
    static const char *const ASK[] = {"@raw $G\n", "@wait 300", NULL};
    host_forget(&host);
    host_play(&host, ASK);
    assert_false(host_said(&host, "[GC:"));
}

static void press_estop(struct host *h)
{
    table_estop(h->table, true);
}

static void the_estop_cuts_motors_and_pump(void **state)
{
    static const char *const SCRIPT[] = {"@wait 1300",
                                         "$H",
                                         "@to -61.5 168 22",
                                         "@to -61.5 168 8",
                                         "G4 P0",
                                         "@pump 1",
                                         "@wait 200",
                                         "@to -61.5 168 22",
                                         "@to 198 198 22",
                                         "@wait 1300",
                                         "@call",
                                         "@wait 3000",
                                         NULL};
    (void)state;
    host.call = press_estop;
    host_play(&host, SCRIPT);
    struct gpio *gpio = table_gpio(host.table);
    assert_int_equal(gpio->ops->get(gpio->impl, GPIO_ESTOP), 1);
    const struct world *w = table_world(host.table);
    assert_int_equal(world_count(w, PLACE_CUP, 0), 0); // dropped on the way
    assert_true(w->tool.x > 0 && w->tool.x < 170);
    assert_true(fabs(w->tool.lost[0]) > 50); // the firmware counted on
    // Let out, homed: everything is right again.
    table_estop(host.table, false);
    static const char *const HOME[] = {"$H", NULL};
    host_play(&host, HOME);
    assert_true(fabs(table_world(host.table)->tool.lost[0]) < 0.1);
}

// A stone on the cup; then the panel's lines are released, as when the robot's program is killed.
static const char *const CARRY[] = {"@wait 1300", "$H",      "@to -61.5 168 22", "@to -61.5 168 8",
                                    "G4 P0",      "@pump 1", "@wait 200",        "@to -61.5 168 22",
                                    NULL};

static int stones_on_cup(void)
{
    struct table_ledger l;
    table_ledger(host.table, &l);
    return l.cup;
}

static void a_released_valve_goes_to_its_rest(void **state)
{
    (void)state;
    struct gpio *gpio = table_gpio(host.table);
    host_play(&host, CARRY);
    assert_int_equal(stones_on_cup(), 1);
    gpio->ops->close(gpio->impl);
    host_run(&host, 0.3);
    assert_int_equal(stones_on_cup(), 0); // vented without current

    host_stop(&host);
    host_setup(&host);
    host.setup.gripper.valve_shut_at_rest = true;
    host_start(&host, NULL);
    host_open(&host);
    host_play(&host, CARRY);
    gpio = table_gpio(host.table);
    gpio->ops->close(gpio->impl);
    host_run(&host, 0.3);
    assert_int_equal(stones_on_cup(), 1); // the sealed line holds it,
    host_run(&host, 10);
    assert_int_equal(stones_on_cup(), 0); // but not for ever
}

static void a_chip_that_goes_is_silent(void **state)
{
    static const char *const HOME[] = {"@wait 1300", "$H", NULL};
    (void)state;
    host_play(&host, HOME);
    struct gpio *gpio = table_gpio(host.table);
    assert_int_equal(gpio->ops->set(gpio->impl, GPIO_PUMP, 1), 0);
    table_fault(host.table, FAULT_PANEL_GONE, 1);
    table_estop(host.table, true);
    struct pollfd p = {.fd = gpio->ops->fd(gpio->impl), .events = POLLIN};
    assert_int_equal(poll(&p, 1, 0), 0);
    assert_int_equal(gpio->ops->get(gpio->impl, GPIO_ESTOP), -ENODEV);
    assert_int_equal(gpio->ops->set(gpio->impl, GPIO_PUMP, 1), -ENODEV);
    assert_false(table_world(host.table)->vacuum.pump);
}

static void vacuum_by_mcode(void **state)
{
    static const char *const SCRIPT[] = {
        "@wait 1300",    "$H",        "@to -61.5 168 22", "@to -61.5 168 8",
        "M3 S1000",      "@wait 200", "@to -61.5 168 22", "@to 198 198 22",
        "@to 198 198 8", "M5",        "@wait 150",        "@to 198 198 22",
        "G4 P0",         NULL};
    (void)state;
    host_stop(&host);
    host_setup(&host);
    host.setup.gripper.vacuum_by_mcode = true;
    host.setup.gripper.probe_is_sensor = true;
    host_start(&host, NULL);
    host_open(&host);
    host_play(&host, SCRIPT);
    assert_int_equal(host_truth_at(&host, 9, 9), 1);
}

// --- after SIGKILL ---

static void die(struct host *h)
{
    (void)h;
    kill(getpid(), SIGKILL);
}

// A child carries a stone and dies on the way; `die_after` ms into the last leg.
static void child(const char *file, const char *die_after)
{
    const char *const script[] = {
        "@wait 1300", "$H",        "@to -61.5 168 22", "@to -61.5 168 8", "G4 P0",
        "@pump 1",    "@wait 200", "@to -61.5 168 22", "@to 198 198 22",  die_after,
        "@call",      NULL};
    host_setup(&host);
    host.call = die;
    host_start(&host, file);
    host_open(&host);
    host_play(&host, script);
    _exit(1);
}

static void a_killed_process_leaves_the_world(void **state)
{
    static const char *const MOMENTS[] = {"@wait 1000", "@wait 1600", "@wait 3500"};
    (void)state;
    char folder[] = "/tmp/tessera-sim-XXXXXX", file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/table", folder);
    for (int i = 0; i < 3; i++) {
        int status;
        const pid_t pid = fork();
        if (pid == 0)
            child(file, MOMENTS[i]);
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

        host_stop(&host);
        host_setup(&host);
        host_start(&host, file);
        struct table_ledger l;
        table_ledger(host.table, &l);
        assert_int_equal(l.cup, 0); // fell when the pump line was released
        assert_int_equal(l.total, 480);
        assert_int_equal(l.store[1], 119 - i);
        const struct world *w = table_world(host.table);
        assert_true(hypot(w->tool.x - 198, w->tool.y - 198) < 0.2); // finished its leg
        host_open(&host);
        host_run(&host, 1.3);
        static const char *const ASK[] = {"@raw ?", "@wait 50", NULL};
        host_play(&host, ASK);
        assert_true(host_said(&host, "<Alarm|MPos:0.000,0.000,0.000"));
        static const char *const HOME[] = {"$H", NULL};
        host_play(&host, HOME);
        assert_int_equal(host.errors, 0);
        if (i < 2) { // the next child needs the file
            host_stop(&host);
            set_up(NULL);
        }
    }
    unlink(file);
    rmdir(folder);
}

static void a_file_has_one_table(void **state)
{
    (void)state;
    char folder[] = "/tmp/tessera-sim-XXXXXX", file[64];
    struct table *other;
    struct error err;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/table", folder);
    assert_int_equal(table_new(NULL, host.loop, file, &other, &err), -EINVAL);
    unlink(file);
    assert_int_equal(table_new(&host.setup, host.loop, file, &other, &err), 0);
    struct table *second;
    assert_int_equal(table_new(&host.setup, host.loop, file, &second, &err), -EBUSY);
    table_free(other);
    int fd = open(file, O_WRONLY | O_TRUNC);
    assert_true(write(fd, "no table", 8) == 8);
    close(fd);
    assert_int_equal(table_new(&host.setup, host.loop, file, &other, &err), -EBADMSG);
    unlink(file);
    rmdir(folder);
}

// The whole file has its place on the disk, or a full one would end the program in mid-game; one
// that was only begun is begun anew.
static void a_file_has_no_holes(void **state)
{
    (void)state;
    char folder[] = "/tmp/tessera-sim-XXXXXX", file[64];
    struct table *table;
    struct error err;
    struct stat st;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/table", folder);
    assert_int_equal(table_new(&host.setup, host.loop, file, &table, &err), 0);
    table_free(table);
    assert_int_equal(stat(file, &st), 0);
    assert_true((off_t)st.st_blocks * 512 >= st.st_size);
    assert_int_equal(truncate(file, 0), 0);
    assert_int_equal(truncate(file, st.st_size), 0);
    assert_int_equal(table_new(&host.setup, host.loop, file, &table, &err), 0);
    table_free(table);
    assert_int_equal(stat(file, &st), 0);
    assert_true((off_t)st.st_blocks * 512 >= st.st_size);
    unlink(file);
    rmdir(folder);
}

static void bad_setups_are_refused(void **state)
{
    (void)state;
    struct table *other;
    struct error err;
    struct table_setup s = host.setup;
    s.board.columns = 25;
    assert_int_equal(table_new(&s, host.loop, NULL, &other, &err), -EINVAL);
    s = host.setup;
    s.stones.colours = 5;
    assert_int_equal(table_new(&s, host.loop, NULL, &other, &err), -EINVAL);
    s = host.setup;
    s.store[0].count = 5000;
    assert_int_equal(table_new(&s, host.loop, NULL, &other, &err), -EINVAL);
    s = host.setup;
    s.camera.eye[2] = -5;
    assert_int_equal(table_new(&s, host.loop, NULL, &other, &err), -EINVAL);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(opening_resets_the_board),
        T(the_board_hears_only_a_rising_dtr),
        T(a_stone_is_taken_and_placed),
        T(the_pick_sensor_tells_edges),
        T(the_same_script_gives_the_same_bytes),
        T(an_unplugged_cable_hangs_up_and_motion_ends),
        T(faults_on_the_wire),
        T(a_strict_board_wants_its_baud_rate),
        T(the_estop_cuts_motors_and_pump),
        T(a_released_valve_goes_to_its_rest),
        T(a_chip_that_goes_is_silent),
        T(vacuum_by_mcode),
        T(a_killed_process_leaves_the_world),
        T(a_file_has_one_table),
        T(a_file_has_no_holes),
        T(bad_setups_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
