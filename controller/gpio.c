#include "controller/gpio.h"

#include <errno.h>
#include <string.h>

static const char *const names[GPIO_LINES] = {
    [GPIO_BUTTON_DONE] = "button-done",
    [GPIO_BUTTON_RESET] = "button-reset",
    [GPIO_ESTOP] = "estop",
    [GPIO_PICK_SENSOR] = "pick-sensor",
    [GPIO_LID] = "lid",
    [GPIO_LAMP_TURN] = "lamp-turn",
    [GPIO_LAMP_FAULT] = "lamp-fault",
    [GPIO_PUMP] = "pump",
    [GPIO_VALVE] = "valve",
};

const char *gpio_line_name(enum gpio_line line)
{
    return line >= 0 && line < GPIO_LINES ? names[line] : "unknown line";
}

int gpio_line_from_name(const char *name, enum gpio_line *ret)
{
    for (int i = 0; i < GPIO_LINES; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum gpio_line)i;
            return 0;
        }
    }
    return -ENOENT;
}
