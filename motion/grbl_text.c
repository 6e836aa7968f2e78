#include "motion/grbl_text.h"

#include <stddef.h>

// Error numbers 1–38: GRBL 1.1. From 39 on: grblHAL.
static const struct grbl_text errors[] = {
    {1, "expected command letter", "A G-code word had a value but no letter.",
     "Bytes were probably lost on the line; check cable and supply."},
    {2, "bad number format", "A number in a line could not be read.",
     "Bytes were probably lost on the line; check cable and supply."},
    {3, "invalid statement", "A $ command was not recognised.",
     "This firmware is not GRBL 1.1 or grblHAL, or bytes were lost."},
    {4, "value negative", "A value was negative where it must not be.",
     "Report this with the recorded session: the program should never send it."},
    {5, "homing not enabled", "Homing is switched off in the firmware.",
     "Fit limit switches and set $22=1; the arm cannot know its place without them."},
    {6, "step pulse too short", "The step pulse time must be 3 microseconds or more.",
     "Set $0 to 10."},
    {7, "settings unreadable", "The firmware could not read its stored settings.",
     "It took its defaults: write the machine's settings again."},
    {8, "not idle", "A $ command needs the machine at rest.", "Try again when it stands still."},
    {9, "locked", "G-code is locked out in alarm or jog state.", "Home the arm."},
    {10, "soft limits need homing", "Soft limits cannot be on while homing is off.",
     "Set $22=1, then $20=1."},
    {11, "line too long", "A line had more characters than the firmware reads.",
     "Two lines may have run together: bytes were lost; check the cable."},
    {12, "step rate too high", "A speed setting asks for more than 30 kHz of steps.",
     "Lower $110 to $112 or the steps per mm."},
    {13, "door open", "The safety door input is active.", "Close the door or lid."},
    {14, "start-up line too long", "A line for the EEPROM is too long.", "Shorten $N0 or $N1."},
    {15, "jog target outside travel", "The jog would leave the machine's travel; nothing moved.",
     "Jog less far."},
    {16, "bad jog command", "A jog had no '=' or held forbidden G-code.",
     "Bytes were probably lost on the line; check cable and supply."},
    {17, "laser mode needs PWM", "Laser mode needs a spindle output with PWM.", "Set $32=0."},
    {20, "unsupported command", "The firmware does not know a G-code word.",
     "Bytes were lost, or the firmware was built without it."},
    {21, "modal group violation", "Two words of one group stood in one line.",
     "Two lines may have run together: bytes were lost; check the cable."},
    {22, "undefined feed rate", "A feed move had no speed.",
     "Bytes were probably lost on the line; check cable and supply."},
    {23, "integer needed", "A word needs a whole number.",
     "Bytes were probably lost on the line; check cable and supply."},
    {24, "two axis commands", "Two words in one line both wanted the axes.",
     "Two lines may have run together: bytes were lost; check the cable."},
    {25, "repeated word", "A word stood twice in one line.",
     "Two lines may have run together: bytes were lost; check the cable."},
    {26, "no axis words", "A command that needs an axis had none.",
     "Bytes were probably lost on the line; check cable and supply."},
    {27, "bad line number", "A line number was not valid.", "Bytes were lost; check the cable."},
    {28, "missing value", "A command lacked a value it needs.",
     "Bytes were lost; check the cable."},
    {29, "work coordinates missing", "Only G54 to G59 exist.", "Bytes were lost; check the cable."},
    {30, "G53 needs G0 or G1", "Machine coordinates go with straight moves only.",
     "Bytes were lost; check the cable."},
    {31, "unused axis words", "Axis words stood in a line that does not use them.",
     "Bytes were lost; check the cable."},
    {32, "arc without axes", "An arc had no axis in its plane.",
     "Bytes were lost; check the cable."},
    {33, "invalid target", "A motion had a target that cannot be reached or computed.",
     "Bytes were lost; check the cable."},
    {34, "bad arc radius", "An arc's radius does not fit its ends.",
     "Bytes were lost; check the cable."},
    {35, "arc without offsets", "An arc had no centre.", "Bytes were lost; check the cable."},
    {36, "unused words", "A line held words nothing used.", "Bytes were lost; check the cable."},
    {37, "wrong tool offset axis", "A tool length offset is for another axis.",
     "Bytes were lost; check the cable."},
    {38, "tool number too high", "The tool number is too high.",
     "Bytes were lost; check the cable."},
    {39, "value out of range", "A parameter is outside its range.", "Check the setting named."},
    {40, "G-code not allowed now", "A tool change waits for confirmation.",
     "Finish the tool change at the machine."},
    {41, "plane not allowed", "The command does not go with the plane set.",
     "Send G17; another program may have changed it."},
    {42, "max feed rate exceeded", "The speed asked for is above the machine's.",
     "Lower the arm's speed in the settings."},
    {43, "R-value out of range", "A retract value is out of range.", "Bytes were lost."},
    {45, "expression error", "An expression could not be worked out.", "Bytes were lost."},
    {46, "homing required", "This firmware wants homing before anything else.", "Home the arm."},
    {47, "no tool data", "The tool is not in the tool table.", "Bytes were lost."},
    {48, "value word conflict", "A word was used twice for different things.", "Bytes were lost."},
    {49, "e-stop active", "The firmware's own emergency stop is active.", "Release it, then home."},
    {50, "motor fault", "A motor driver reports a fault.",
     "Switch off, let the driver cool, check its wiring."},
    {60, "SD card", "The SD card could not be used.", "Not needed here: take it out."},
    {79, "alarm active", "The alarm must be cleared first.", "Home the arm."},
};

static const struct grbl_text alarms[] = {
    {1, "hard limit", "A limit switch was hit in motion; the position is lost.",
     "Look what the arm ran into. If nothing: noise on the limit wires. Then home."},
    {2, "soft limit", "A move would have left the machine's travel; it was stopped.",
     "Check $130 to $132 and the calibration, then home."},
    {3, "reset in motion", "The firmware was reset while the arm moved; steps may be lost.",
     "Home the arm."},
    {4, "probe not ready", "The probe was already touching when probing began.",
     "Check the pick sensor's wiring."},
    {5, "probe without contact", "The probe touched nothing.", "Check the pick sensor's wiring."},
    {6, "homing interrupted", "Homing was stopped by a reset.", "Home again."},
    {7, "door during homing", "The door input became active while homing.",
     "Close the lid and home again."},
    {8, "homing pull-off failed", "A limit switch stayed pressed after backing off.",
     "Check the switch and its wire, or raise $27."},
    {9, "homing found no switch", "A limit switch was not found within the travel.",
     "Check switches, motors and $130 to $132."},
    {10, "homing second switch", "The second motor's switch was not found in time.",
     "Check both switches of the twin axis."},
    {11, "homing required", "The firmware wants homing before anything else.", "Home the arm."},
    {12, "limits engaged", "A limit switch is pressed.", "Free the arm by hand, then home."},
    {13, "probe protection", "The probe was touched in motion.", "Check the pick sensor's wiring."},
    {14, "spindle fault", "The spindle did not reach its speed.",
     "Vacuum on M3: set the firmware not to wait for a spindle."},
    {15, "homing second switch (auto-square)", "The second motor's switch was not found.",
     "Check both switches of the twin axis."},
    {16, "power-on self-test failed", "The firmware's self-test failed.",
     "Switch the plotter off and on; if it stays, replace its board."},
    {17, "motor fault", "A motor driver reports a fault.",
     "Switch off, let the driver cool, check its wiring."},
    {18, "homing failed", "Homing failed for a bad configuration.", "Check $22 to $27."},
    {19, "spindle link", "The spindle's serial link failed.", "Check its wiring."},
    {20, "I/O expander", "An input/output expander does not answer.", "Check its wiring."},
};

static const struct grbl_text unknown_error = {
    0, "unknown error", "The firmware refused a line with a number this program does not know.",
    "Look the number up in the firmware's manual."};
static const struct grbl_text unknown_alarm = {
    0, "unknown alarm", "The firmware raised an alarm this program does not know.",
    "Look the number up in the firmware's manual, then home."};

static const struct grbl_text *find(const struct grbl_text *table, size_t count, int number,
                                    const struct grbl_text *otherwise)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].number == number)
            return &table[i];
    }
    return otherwise;
}

const struct grbl_text *grbl_error_text(int number)
{
    return find(errors, sizeof errors / sizeof *errors, number, &unknown_error);
}

const struct grbl_text *grbl_alarm_text(int number)
{
    return find(alarms, sizeof alarms / sizeof *alarms, number, &unknown_alarm);
}
