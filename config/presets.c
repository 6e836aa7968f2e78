#include "config/presets.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"

// The header of all Raspberry Pis has the same line names; chips go by label, because their numbers
// changed between kernels. Outputs are such that released lines (pull-down) mean: pump off.
const struct preset presets[] = {
    {"raspberry-pi-5", "Raspberry Pi 5", "Raspberry Pi 5", {{"gpio.chip", "pinctrl-rp1"}, {0}}},
    {"raspberry-pi-4",
     "Raspberry Pi 4, Compute Module 4",
     "Raspberry Pi 4",
     {{"gpio.chip", "pinctrl-bcm2711"}, {0}}},
    {"raspberry-pi",
     "Raspberry Pi 0 to 3",
     "Raspberry Pi",
     {{"gpio.chip", "pinctrl-bcm2835"}, {0}}},
    // The lines have no names there: numbers are bank * 32 + pin (PA1 = 1, PC4 = 68).
    {"orange-pi-pc",
     "Orange Pi PC, Plus, One (Allwinner H3)",
     "Orange Pi",
     {{"gpio.chip", "1c20800.pinctrl"},
      {"gpio.estop.line", "1"},
      {"gpio.button-done.line", "0"},
      {"gpio.button-reset.line", "3"},
      {"gpio.pick-sensor.line", "68"},
      {"gpio.lamp-turn.line", "71"},
      {"gpio.lamp-fault.line", "2"},
      {"gpio.pump.line", "7"},
      {"gpio.valve.line", "8"},
      {0}}},
    {"pc",
     "A computer without GPIO",
     NULL,
     {{"gpio.backend", "none"},
      {"gripper.kind", "vacuum-mcode"},
      {"gripper.sensor", "probe"},
      {"game.done", "still"},
      {"safety.estop_required", "false"},
      {0}}},
    {"grbl-vacuum",
     "Plotter whose spindle output drives the pump",
     NULL,
     {{"gripper.kind", "vacuum-mcode"},
      {"gripper.output", "spindle"},
      {"gripper.sensor", "none"},
      {0}}},
    {"grbl-servo",
     "Pen plotter with a servo on the spindle output",
     NULL,
     {{"gripper.kind", "servo"}, {"gripper.output", "spindle"}, {"gripper.sensor", "none"}, {0}}},
    {"grbl-magnet",
     "Plotter with an electromagnet on the coolant output",
     NULL,
     {{"gripper.kind", "magnet"}, {"gripper.output", "coolant"}, {"gripper.sensor", "none"}, {0}}},
    {"go-board",
     "Japanese Go board with Go stones",
     NULL,
     {{"board.pitch_x", "22.0"},
      {"board.pitch_y", "23.7"},
      {"stones.diameter", "22.2"},
      {"stones.height", "9"},
      {"stones.colour1", "black"},
      {"stones.colour2", "white"},
      {"heights.contact", "-41"},
      {"heights.travel", "-28"},
      {"board.a1_y", "-490"},
      {0}}},
    {"pentago-board",
     "Pentago board as it is sold: four blocks of nine hollows, with marbles",
     NULL,
     {{"game.variant", "pentago"},
      {"board.columns", "6"},
      {"board.rows", "6"},
      {"board.points", "hollows"},
      {"board.pitch_x", "28"},
      {"board.pitch_y", "28"},
      {"board.seam", "5"},
      {"stones.diameter", "17"},
      {"stones.height", "8.5"}, // what stands out of the hollow
      {"stones.colour1", "black"},
      {"stones.colour2", "white"},
      {"heights.contact", "-41.5"},
      {0}}},
    {"sim",
     "The simulated table",
     NULL,
     {{"machine.name", "simulated table"},
      {"camera.source", "sim"},
      {"serial.port", "sim"},
      {"gpio.backend", "sim"},
      {0}}},
};

const size_t preset_count = sizeof presets / sizeof *presets;

const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; i < preset_count; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}

const struct preset *preset_for_model(const char *model)
{
    for (size_t i = 0; i < preset_count; i++)
        if (presets[i].model && strstr(model, presets[i].model))
            return &presets[i];
    return preset_find("pc");
}

void preset_apply(const struct preset *preset, struct settings *settings)
{
    for (int i = 0; i < PRESET_VALUES_MAX && preset->value[i][0]; i++) {
        char why[ERROR_TEXT_MAX];
        int r = value_store(schema_find(preset->value[i][0]), preset->value[i][1], settings, why,
                            sizeof why);
        assert(r == 0); // a test applies them all
        (void)r;
    }
}
