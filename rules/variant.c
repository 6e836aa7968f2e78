#include "rules/variant.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct variant *variant_find(const char *name)
{
    for (size_t i = 0; i < variant_table_count; i++)
        if (strcmp(variant_table[i].name, name) == 0)
            return &variant_table[i];
    return NULL;
}

// Names that contain the word asked for, or its beginning, so that "team" or "pente team" helps.
static bool near_name(const char *name, const char *asked)
{
    size_t length = strcspn(asked, " -_");
    char start[VARIANT_NAME_MAX];
    if (length == 0 || length >= sizeof start)
        return false;
    for (size_t i = 0; i < length; i++)
        start[i] = (char)tolower((unsigned char)asked[i]);
    start[length] = '\0';
    return strstr(name, start) != NULL;
}

int variant_init(struct variant *ret, const char *name, struct error *err)
{
    const struct variant *found = variant_find(name);
    if (found) {
        *ret = *found;
        return 0;
    }
    char near[ERROR_TEXT_MAX - 96] = ""; // holds the whole table
    size_t used = 0;
    for (int pass = 0; pass < 2 && used == 0; pass++)
        for (size_t i = 0; i < variant_table_count && used + VARIANT_NAME_MAX < sizeof near; i++)
            if (pass == 1 || near_name(variant_table[i].name, name))
                used += (size_t)snprintf(near + used, sizeof near - used, "%s%s", used ? ", " : "",
                                         variant_table[i].name);
    return error_set_code(err, -ENOENT, "UnknownVariant",
                          "There is no game called \"%.40s\". There are: %s.", name, near);
}

unsigned variant_side_count(const struct variant *variant)
{
    unsigned count = 0;
    for (unsigned c = 1; c <= variant->colours; c++)
        if (variant->sides[c] > count)
            count = variant->sides[c];
    return count;
}

bool variant_same_rules(const struct variant *a, const struct variant *b)
{
    // Field by field as text: padding and what follows from other fields have no say.
    for (size_t i = 0; i < variant_field_count(); i++) {
        const char *name = variant_field_name(i);
        char left[VARIANT_SOURCE_MAX], right[VARIANT_SOURCE_MAX];
        if (strcmp(name, "name") == 0 || strcmp(name, "title") == 0 || strcmp(name, "source") == 0)
            continue;
        variant_get(a, name, left, sizeof left);
        variant_get(b, name, right, sizeof right);
        if (strcmp(left, right) != 0)
            return false;
    }
    return a->family == b->family;
}

static int check_seats(const struct variant *v, struct error *err)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < v->seat_count; i++) {
        if (v->seats[i] > seen + 1)
            return error_set(err, -EINVAL,
                             "seats: colour %u sits before colour %u. Colours are numbered in turn "
                             "order: write for example \"1,2\" or \"1,2,1,2\".",
                             v->seats[i], seen + 1);
        if (v->seats[i] > seen)
            seen = v->seats[i];
    }
    if (seen < 2)
        return error_set(err, -EINVAL, "seats: a game needs two to four colours.");
    unsigned sides = variant_side_count(v), present = 0;
    for (unsigned c = 1; c <= v->colours; c++)
        present |= 1u << v->sides[c];
    if (sides < 2 || present != (2u << sides) - 2)
        return error_set(err, -EINVAL,
                         "sides: give every colour a side, numbered from 1 without a gap, at least "
                         "two of them, for example \"1,2,1,2\" for two teams.");
    return 0;
}

static int check_captures(const struct variant *v, struct error *err)
{
    if (v->goal > 0 && v->capture == 0)
        return error_set(err, -EINVAL,
                         "goal: nothing can be captured in this game, so captures "
                         "can't win it. Set capture, or goal to none.");
    if (v->poof && (v->capture == 0 || v->colours != 2 || v->goal_unit != GOAL_STONES))
        return error_set(err, -EINVAL, "poof: needs two colours, captures, and a goal in stones.");
    if (v->boat && (v->capture == 0 || v->colours != 2))
        return error_set(err, -EINVAL, "boat: needs two colours and captures.");
    if (v->connect6 && v->capture != 0)
        return error_set(err, -EINVAL, "connect6: two stones a turn don't go with captures.");
    return 0;
}

static int check_opening(const struct variant *v, struct error *err)
{
    bool two = v->seat_count == 2;
    if (v->connect6 && (!two || v->protocol != PROTOCOL_NONE))
        return error_set(err, -EINVAL, "connect6: needs two seats and no protocol.");
    if (v->connect6 && v->opening != OPENING_FREE && v->opening != OPENING_CENTRE)
        return error_set(err, -EINVAL, "connect6: the opening can only be free or centre.");
    if (v->protocol != PROTOCOL_NONE && !two)
        return error_set(err, -EINVAL, "protocol: choosing colours needs exactly two seats.");
    if ((v->opening == OPENING_TOURNAMENT || v->opening == OPENING_GPENTE) && v->size < 7)
        return error_set(err, -EINVAL,
                         "opening: on %u lines no point is three lines away from the centre. "
                         "The tournament opening needs at least 7.",
                         v->size);
    return 0;
}

int variant_validate(const struct variant *v, struct error *err)
{
    if (v->family == FAMILY_PENTAGO) {
        if (v->size != PENTAGO_SIZE || v->seat_count != 2 || v->win_len != 5 || v->exact ||
            v->capture != 0 || v->opening != OPENING_FREE || v->protocol != PROTOCOL_NONE ||
            v->connect6 || v->poof || v->boat || v->scoring != SCORING_NONE)
            return error_set(err, -EINVAL,
                             "Pentago has a fixed board of 6 by 6, two players and five in a row; "
                             "only neutral, twist and place_wins can be changed.");
    } else if (v->win_len > v->size) {
        return error_set(err, -EINVAL, "win_len: a row of %u does not fit on %u lines.", v->win_len,
                         v->size);
    }
    int rc = check_seats(v, err);
    if (rc == 0)
        rc = check_captures(v, err);
    if (rc == 0)
        rc = check_opening(v, err);
    return rc;
}
