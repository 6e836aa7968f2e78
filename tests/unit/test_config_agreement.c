// Values that are fine one by one and wrong together: each is refused, at the place of the value a
// person wrote, naming both keys.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/presets.h"
#include "config/reading.h"

struct expected {
    const char *yaml;
    int line, column;
    const char *keys; // how the sentence begins
    const char *text; // what else is in it
};

static const struct expected DISAGREEMENTS[] = {
    // the board and the reach
    {"board:\n  pitch_x: 40\n", 2, 12,
     "board.pitch_x, machine.travel_x: ", "720 x 396 mm is larger than the reach of 600 x 540 mm"},
    {"machine:\n  travel_x: 380\n", 2, 13, "machine.travel_x, board.pitch_x",
     "larger than the reach"},
    {"board:\n  a1_x: -190\n", 2, 9, "board.a1_x, machine.travel_x",
     "T1 would lie at (206.0, -468.0)"},
    {"board:\n  a1_y: -539.7\n", 2, 9, "board.a1_y, machine.travel_y",
     "A1 would lie at (-498.0, -539.7)"},
    {"board:\n  rotation: 30\n", 2, 13, "board.rotation, machine.travel_x", "would lie at"},
    {"board:\n  a1_x: -598\nmachine:\n  approach: 2\n", 2, 9, "board.a1_x", "A1 would lie"},
    // stores, trays, park
    {"stores:\n  colour1:\n    x: -601\n", 3, 8, "stores.colour1.x, machine.travel_x",
     "off the machine's travel of x -599.5 to -0.5"},
    {"stores:\n  colour2:\n    y: -545\n", 3, 8, "stores.colour2.y, machine.travel_y",
     "the store at (-560, -545) mm is off"},
    {"stores: {colour1: {x: -300, y: -300}}\n", 1, 23, "stores.colour1.x, stores.colour1.y",
     "lies on the board"},
    {"stores:\n  colour3: {capacity: 10, x: -560, y: -305}\n", 2, 30,
     "stores.colour3.x, stores.colour1.x", "less than a stone apart"},
    {"stores:\n  colour1:\n    columns: 4\n    rows: 5\n    x: -590\n    y: -400\n    capacity: "
     "21\n",
     7, 15, "stores.colour1.capacity, stores.colour1.columns",
     "21 stones are more than the store's 20"},
    {"trays:\n  colour1:\n    x: 0\n", 3, 8, "trays.colour1.x", "the tray at (0, -300) mm is off"},
    {"trays:\n  colour1:\n    columns: 4\n", 3, 14, "trays.colour1.columns",
     "slot 4 of the tray (column 4, row 1) at (10, -300) mm is off"},
    // not its first slot, not its last, but those between lie on the board
    {"trays: {colour1: {x: -560, y: -480, columns: 6, step: 100}}\n", 1, 46,
     "trays.colour1.columns, trays.colour1.x",
     "slot 2 of the tray (column 2, row 1) at (-460, -480) mm lies on the board"},
    // a corner of the tray that is neither of them, on a turned board
    {"board: {rotation: 20, a1_x: -400, columns: 13, rows: 13}\ngame: {variant: pente; size=13}\n"
     "stores:\n  colour1: {x: -580, y: -300, columns: 4, rows: 4, step: 32}\n",
     4, 40, "stores.colour1.columns, stores.colour1.x",
     "slot 8 of the store (column 4, row 2) at (-484, -268) mm lies on the board"},
    {"trays:\n  colour1:\n    rows: 6\n", 3, 11, "trays.colour1.rows, trays.colour2.x",
     "the tray at (-50, -200) mm is less than a stone from the tray of colour 1"},
    {"stores: {colour1: {x: -590, y: -420, columns: 2, rows: 8}}\ntrays:\n  colour2:\n    x: "
     "-580\n    y: -330\n",
     4, 8, "trays.colour2.x, stores.colour1.x",
     "the tray at (-580, -330) mm is less than a stone from the store of colour 1"},
    {"machine:\n  park_x: -50\n  park_y: -310\n", 2, 11, "machine.park_x, trays.colour1.x",
     "stands over the tray of colour 1"},
    {"machine:\n  park_x: -599\n  approach: 2\n", 2, 11, "machine.park_x, machine.travel_x",
     "(it is approached from 2 mm before it)"},
    {"trays:\n  colour1:\n    columns: 3\n    step: 6\n", 4, 11,
     "trays.colour1.step, stones.diameter", "too near"},
    {"trays:\n  colour1: {rows: 32, columns: 5, step: 5}\n", 2, 32,
     "trays.colour1.columns, trays.colour1.rows", "160 slots are more than the 128"},
    {"machine:\n  park_x: -300\n  park_y: -300\n", 2, 11, "machine.park_x",
     "the parked arm at (-300, -300) mm lies on the board"},
    {"machine:\n  wait_x: -600\n", 2, 11, "machine.wait_x", "the place to wait"},
    // heights
    {"heights:\n  contact: -52\n", 2, 12, "heights.contact, heights.board",
     "must be above the board"},
    {"heights:\n  contact: -30\n", 2, 12, "heights.contact, stones.height",
     "ends near -42, not at -30"},
    {"heights:\n  travel: -40\n", 2, 11, "heights.travel, stones.height",
     "a carried stone would hit standing ones"},
    {"heights:\n  tray: -10\n", 2, 9, "heights.tray, heights.travel", "above the travel height"},
    {"machine:\n  travel_z: 45\n", 2, 13, "machine.travel_z, heights.board",
     "z -50 mm is below the machine's travel"},
    {"stores:\n  colour1:\n    z: -61\n", 3, 8, "stores.colour1.z, machine.travel_z",
     "below the machine's travel"},
    {"machine:\n  pull_off: 40\n", 2, 13, "machine.pull_off, machine.travel_z", "leaves nothing"},
    // blocks of hollows
    {"board:\n  seam: 5\n", 2, 9, "board.seam, board.points", "only a board of hollows"},
    {"board:\n  points: hollows\n", 2, 11, "board.points, board.columns",
     "has 6 x 6 of them, not 19 x 19"},
    {"game: {variant: pentago}\nboard: {columns: 6, rows: 6, points: hollows, pitch_y: 25}\n", 2,
     56, "board.pitch_y, board.pitch_x", "equally far apart"},
    {"game: {variant: pentago}\nboard: {columns: 6, rows: 6, points: hollows, seam: 25}\n", 2, 53,
     "board.seam, board.pitch_x", "at most one pitch"},
    // stones
    {"stones:\n  diameter: 24\n", 2, 13, "stones.diameter, board.pitch_x", "do not fit"},
    {"gripper:\n  retry_step: 4.5 mm\n", 2, 15, "gripper.retry_step, board.pitch_x", "at most 4.0"},
    {"stones:\n  colour2: blue\n", 2, 12, "stones.colour2, stones.colour1", "the same colour"},
    {"stones:\n  colour2: none\n", 2, 12, "stones.colour2", "at least two colours"},
    {"stones:\n  colour4: green\n", 2, 12, "stones.colour3", ""},
    // wiring
    {"gpio:\n  lamp-turn:\n    line: GPIO17\n", 3, 11, "gpio.lamp-turn.line, gpio.estop.line",
     "both use line GPIO17"},
    {"gpio:\n  estop:\n    line: \"\"\n", 3, 11, "gpio.estop.line, safety.estop_required",
     "nothing may move without an e-stop"},
    {"gpio:\n  valve: {line: \"\"}\n", 2, 17, "gpio.valve.line, gripper.kind",
     "needs the vent valve"},
    {"gpio:\n  pick-sensor: {line: \"\"}\n", 2, 23, "gpio.pick-sensor.line, gripper.sensor",
     "on GPIO"},
    {"gpio:\n  button-done: {line: \"\"}\n", 2, 23, "gpio.button-done.line, game.done",
     "by the button"},
    {"gpio:\n  backend: none\ngripper: {kind: magnet, sensor: none}\n", 2, 12,
     "gpio.backend, safety.estop_required", "there is no panel"},
    // two worlds
    {"camera:\n  source: sim\n", 2, 11, "camera.source, serial.port",
     "a real arm must not be led by the simulated camera"},
    {"gpio:\n  backend: sim\n", 2, 12, "gpio.backend, serial.port",
     "must not have a simulated e-stop"},
    {"serial:\n  port: sim\n", 2, 9, "serial.port, gpio.backend", "no use for a real pump"},
    // camera
    {"camera:\n  source: pipe\n", 2, 11, "camera.source, camera.command", "write the command"},
    {"camera:\n  device: \"\"\n", 2, 11, "camera.device, camera.source", "name the device"},
    {"camera:\n  power_line: 55\n", 2, 15, "camera.power_line", "50 or 60"},
    // gripper
    {"gripper:\n  kind: servo\n  servo_open: 5\n  servo_closed: 5\n", 4, 17, "gripper.servo_closed",
     "the same servo position"},
    {"gripper:\n  kind: servo\n  output: coolant\n", 3, 11, "gripper.output, gripper.kind", "M3 S"},
    // the game
    {"game:\n  variant: pnete\n", 2, 12, "game.variant", "pente"},
    {"game:\n  variant: pente-points4\n", 2, 12, "game.variant", "colours"},
    {"board:\n  columns: 13\n", 2, 12, "board.columns, game.variant", "19 x 19"},
    {"game:\n  variant: gomoku-free\n", 2, 12, "game.variant, board.columns", "15 x 15"},
    // games of one's own
    {"house:\n  game1: \"office: pente\"\n", 2, 10, "house.game1", "NAME = GAME"},
    {"house:\n  game1: pente = keryo; size=13\n", 2, 10, "house.game1", "already"},
    {"house:\n  game4: office = chess\n", 2, 10, "house.game4", "no game called"},
    {"house:\n  game2: office = pente; gaol=6\n", 2, 10, "house.game2", "no field"},
    {"house:\n  game2: office = pente; size=3\n", 2, 10, "house.game2", "5 to 19"},
    {"house:\n  game1: many = pente-team\ngame:\n  variant: many\n", 4, 12, "game.variant",
     "colours"},
};

static bool has_fault(const struct reading *reading, const struct expected *expected)
{
    for (size_t i = 0; i < faults_kept(reading->faults); i++) {
        const struct error *fault = &reading->faults->fault[i];
        bool same_place = fault->line == expected->line && fault->column == expected->column;
        if (expected->text[0] == '\0') // about an absent key: it stands nowhere
            same_place = fault->line == 0 && strcmp(fault->file, "defaults") == 0;
        if (same_place && strncmp(fault->text, expected->keys, strlen(expected->keys)) == 0 &&
            strstr(fault->text, expected->text))
            return true;
    }
    return false;
}

static void test_disagreements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof DISAGREEMENTS / sizeof *DISAGREEMENTS; i++) {
        const struct expected *expected = &DISAGREEMENTS[i];
        struct reading *reading = reading_new();
        int r =
            reading_text(reading, expected->yaml, strlen(expected->yaml), "t.yaml", READING_FILE);
        if (r < 0)
            fail_msg("%s: %s", expected->yaml, reading->faults->fault[0].text);
        assert_int_equal(reading_agree(reading), -22);
        if (!has_fault(reading, expected)) {
            for (size_t f = 0; f < faults_kept(reading->faults); f++) {
                char text[1024];
                print_error("%s\n", error_format(&reading->faults->fault[f], text, sizeof text));
            }
            fail_msg("expected %d:%d %s…%s in\n%s", expected->line, expected->column,
                     expected->keys, expected->text, expected->yaml);
        }
        reading_free(reading);
    }
}

static void test_unusual_but_right(void **state)
{
    (void)state;
    static const char *const FINE[] = {
        // a Japanese Go board: not square, stones a little wider than its pitch
        "board: {pitch_x: 22.0, pitch_y: 23.7}\nstones: {diameter: 22.2, colour1: black, colour2: "
        "white}\n",
        // a servo plotter without a panel
        "gpio: {backend: none}\ngripper: {kind: servo, sensor: none}\nsafety: {estop_required: "
        "false}\n"
        "game: {done: still}\n",
        // two lines of the same name on purpose are still refused, but sim lines do not matter
        "camera: {source: sim}\nserial: {port: sim}\ngpio: {backend: sim, pump: {line: X}, valve: "
        "{line: X}}\n",
        // the board turned by a quarter
        "board: {a1_x: -102, a1_y: -468, rotation: 90}\n",
        // a tray of slots
        "trays: {colour1: {x: -50, y: -420, columns: 2, rows: 5, step: 20}}\n",
        // no store for a colour: its place does not matter
        "stores: {colour4: {capacity: 0, x: -5000, y: -5000}}\n",
    };
    for (size_t i = 0; i < sizeof FINE / sizeof *FINE; i++) {
        struct reading *reading = reading_new();
        int r = reading_text(reading, FINE[i], strlen(FINE[i]), "t.yaml", READING_FILE);
        if (r == 0)
            r = reading_agree(reading);
        if (r < 0)
            fail_msg("%s: %s", FINE[i], reading->faults->fault[0].text);
        reading_free(reading);
    }
}

static void test_every_preset_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < preset_count; i++) {
        struct reading *reading = reading_new();
        struct settings before = reading->settings;
        preset_apply(&presets[i], &reading->settings);
        assert_memory_not_equal(&before, &reading->settings, sizeof before);
        for (int v = 0; v < PRESET_VALUES_MAX && presets[i].value[v][0]; v++)
            assert_non_null(schema_find(presets[i].value[v][0]));
        int r = reading_agree(reading);
        if (r < 0)
            fail_msg("%s: %s", presets[i].name, reading->faults->fault[0].text);
        reading_free(reading);
    }
    assert_string_equal(preset_for_model("Raspberry Pi 5 Model B Rev 1.0")->name, "raspberry-pi-5");
    assert_string_equal(preset_for_model("Raspberry Pi 3 Model B Plus Rev 1.3")->name,
                        "raspberry-pi");
    assert_string_equal(preset_for_model("ThinkPad")->name, "pc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disagreements),
        cmocka_unit_test(test_unusual_but_right),
        cmocka_unit_test(test_every_preset_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
