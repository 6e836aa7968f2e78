// SGF: points, and positions that are set up before the first move (AB, AW, PL).
#include "rules/record_sgf.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "rules/notation.h"

char sgf_letter(const struct variant *v, unsigned colour)
{
    bool black_first = strcmp(v->labels[1], "black") == 0;
    return (colour == 1) == black_first ? 'B' : 'W';
}

bool sgf_point(const char *value, unsigned size, struct point *ret)
{
    if (islower((unsigned char)value[0]) && islower((unsigned char)value[1]) && value[2] == '\0') {
        *ret = (struct point){(int8_t)(value[0] - 'a'), (int8_t)((int)size - 1 - (value[1] - 'a'))};
        return true;
    }
    return point_parse(value, strlen(value), ret);
}

static void sort(int8_t *low, int8_t *high)
{
    int8_t swapped = *low;
    if (*low <= *high)
        return;
    *low = *high;
    *high = swapped;
}

bool sgf_points(const char *value, unsigned size, struct point *ret_low, struct point *ret_high)
{
    struct point a, b;
    char first[3] = "", second[3] = "";
    if (strlen(value) == 5 && value[2] == ':') {
        memcpy(first, value, 2);
        memcpy(second, value + 3, 2);
        if (!sgf_point(first, size, &a) || !sgf_point(second, size, &b))
            return false;
        sort(&a.x, &b.x);
        sort(&a.y, &b.y);
    } else {
        if (!sgf_point(value, size, &a))
            return false;
        b = a;
    }
    *ret_low = a;
    *ret_high = b;
    return true;
}

bool sgf_setup_add(struct sgf_setup *setup, char letter, const char *value, struct place at)
{
    size_t length = strlen(value);
    struct point low, high;
    if (setup->count == POINTS_MAX || length >= sizeof setup->values[0].value ||
        !sgf_points(value, BOARD_SIZE_MAX, &low, &high))
        return false;
    if (setup->count == 0)
        setup->at = at;
    setup->values[setup->count].letter = letter;
    memcpy(setup->values[setup->count++].value, value, length + 1);
    return true;
}

unsigned sgf_setup_ply(const struct variant *v, unsigned stones, unsigned next)
{
    // A turn comes round within as many plies as there are seats, in Connect6 within four.
    for (unsigned ply = stones; ply < stones + 4; ply++)
        if (next == 0 || variant_turn_colour(v, ply) == next)
            return ply;
    return stones;
}

static int expand(const struct sgf_setup *setup, unsigned size, char first, struct setup *ret,
                  struct error *err)
{
    for (unsigned i = 0; i < setup->count; i++) {
        struct point low, high;
        unsigned colour = setup->values[i].letter == first ? 1 : 2;
        if (!sgf_points(setup->values[i].value, size, &low, &high))
            continue; // cannot be: sgf_setup_add has looked
        for (int8_t y = low.y; y <= high.y; y++)
            for (int8_t x = low.x; x <= high.x; x++) {
                if (ret->stone_count == POINTS_MAX)
                    return error_set_code(err, -EINVAL, "BadSetup", "Too many stones are set up.");
                ret->stones[ret->stone_count].colour = (uint8_t)colour;
                ret->stones[ret->stone_count++].at = (struct point){x, y};
            }
    }
    return 0;
}

int sgf_setup_apply(const struct sgf_setup *setup, struct game *game, char *letter,
                    struct error *err)
{
    struct setup position = {0};
    const struct variant rules = game->rules;
    if (rules.family != FAMILY_PENTE || rules.colours != 2)
        return error_set_code(err, -EINVAL, "BadSetup",
                              "SGF can set up black and white stones only; %s is not played with "
                              "just these.",
                              rules.title);
    char first = sgf_letter(&rules, 1);
    int rc = expand(setup, rules.size, first, &position, err);
    if (rc != 0)
        return rc;
    unsigned next = *letter == 0 ? 0 : *letter == first ? 1 : 2;
    position.ply = (uint16_t)sgf_setup_ply(&rules, position.stone_count, next);
    rc = game_setup(game, &rules, &position, err);
    if (rc == 0)
        *letter = first;
    return rc;
}
