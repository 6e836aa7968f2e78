#include "rules/engine/worth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = sizeof(struct worth) / sizeof(int16_t) };

extern const uint8_t worth_pente_data[2 * NUMBERS];

int worth_knows(const struct line_rules *rules)
{
    return rules->win_length == 5 && !rules->exact && rules->pairs && !rules->triples &&
           !rules->two_a_turn;
}

int worth_new(struct worth **ret)
{
    int16_t number[NUMBERS];
    struct worth *worth = malloc(sizeof *worth);
    if (!worth)
        return -ENOMEM;
    for (int i = 0; i < NUMBERS; i++)
        number[i] = (int16_t)(worth_pente_data[2 * i] | worth_pente_data[2 * i + 1] << 8);
    memcpy(worth, number, sizeof *worth);
    *ret = worth;
    return 0;
}

struct worth *worth_free(struct worth *worth)
{
    free(worth);
    return NULL;
}

static uint32_t mirror(uint32_t code)
{
    uint32_t image = 0;
    for (int i = 0; i < 2 * WORTH_REACH; i++)
        image |= (code >> 2 * i & 3) << 2 * (2 * WORTH_REACH - 1 - i);
    return image;
}

// Whether a board has such a line: what lies beyond its edge goes on to the line's end.
static int is_possible(uint32_t code)
{
    for (int side = 0; side < 2; side++) {
        int outside = 0;
        for (int j = 0; j < WORTH_REACH; j++) {
            int at = side ? WORTH_REACH + j : WORTH_REACH - 1 - j;
            int off = (code >> 2 * at & 3) == 3;
            if (outside && !off)
                return 0;
            outside = off;
        }
    }
    return 1;
}

void worth_number(uint16_t *index)
{
    uint16_t count = 0;
    for (uint32_t code = 0; code < LINE_CLOSED(WORTH_REACH); code++) {
        uint32_t image = mirror(code);
        if (!is_possible(code))
            index[code] = WORTH_NO_CODE;
        else
            index[code] = image < code ? index[image] : count++;
    }
}
