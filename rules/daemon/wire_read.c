// JSON -> rules.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/wire.h"
#include "rules/notation.h"
#include "rules/position.h"

static bool add_text(char *buf, size_t *used, const char *text)
{
    int n = snprintf(buf + *used, VARIANT_VALUE_MAX - *used, "%s%s", *used ? "," : "", text);
    *used += n > 0 ? (size_t)n : 0;
    return *used < VARIANT_VALUE_MAX;
}

static bool scalar_text(const json_t *value, char *buf, size_t *used)
{
    char number[32];
    switch (json_typeof(value)) {
    case JSON_STRING:
        return add_text(buf, used, json_string_value(value));
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return add_text(buf, used, number);
    case JSON_TRUE:
        return add_text(buf, used, "true");
    case JSON_FALSE:
        return add_text(buf, used, "false");
    case JSON_NULL:
        return add_text(buf, used, "none");
    default:
        return false;
    }
}

// An option's value as variant_set() reads it. Lists may also be objects by colour
// ({"1":1,"2":2,"3":1}). False when it is nothing of the kind.
static bool option_text(const json_t *value, char buf[VARIANT_VALUE_MAX])
{
    size_t used = 0;
    buf[0] = '\0';
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!scalar_text(json_array_get(value, i), buf, &used))
                return false;
        return true;
    }
    if (json_is_object(value)) {
        for (unsigned colour = 1; colour <= json_object_size(value); colour++) {
            char key[16];
            snprintf(key, sizeof key, "%u", colour);
            const json_t *item = json_object_get(value, key);
            if (!item || !scalar_text(item, buf, &used))
                return false;
        }
        return true;
    }
    return scalar_text(value, buf, &used);
}

int wire_read_rules(const json_t *params, struct variant *house, const struct variant **ret_rules,
                    struct error *err)
{
    const char *name = json_string_value(json_object_get(params, "variant"));
    if (!name)
        return error_set_code(err, -EINVAL, "BadParams",
                              "\"variant\" must name a game, such as \"pente\".");
    const struct variant *row = variant_find(name);
    json_t *options = json_object_get(params, "options");
    bool plain = !options || json_is_null(options) ||
                 (json_is_object(options) && json_object_size(options) == 0);
    if (row && plain) {
        *ret_rules = row;
        return 0;
    }
    int r = variant_init(house, name, err);
    if (r < 0) {
        if (err)
            snprintf(err->code, sizeof err->code, "UnknownVariant");
        return r;
    }
    if (!json_is_object(options))
        return error_set_code(err, -EINVAL, "BadParams", "\"options\" must be an object.");
    const char *key;
    json_t *value;
    json_object_foreach(options, key, value)
    {
        char text[VARIANT_VALUE_MAX];
        if (strcmp(key, "name") == 0)
            return error_set_code(err, -EINVAL, "BadOption",
                                  "House rules keep the name of the game they change; give them "
                                  "a \"title\" instead.");
        if (!option_text(value, text))
            return error_set_code(
                err, -EINVAL, "BadOption",
                "The option \"%.40s\" takes a number, true or false, a name, or a list of these, "
                "of at most %d bytes.",
                key, VARIANT_VALUE_MAX - 1);
        r = variant_set(house, key, text, err);
        if (r < 0)
            return r;
    }
    r = variant_validate(house, err);
    if (r < 0) {
        if (err && !err->code[0])
            snprintf(err->code, sizeof err->code, "BadOption");
        return r;
    }
    *ret_rules = house;
    return 0;
}

int wire_read_counts(const json_t *json, const char *name, uint16_t max,
                     uint16_t counts[COLOURS_MAX + 1], struct error *err)
{
    if (!json_is_object(json))
        return error_set_code(err, -EINVAL, "BadParams",
                              "\"%s\" must be an object such as {\"1\":0,\"2\":0}.", name);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)json, key, value)
    {
        if (key[0] < '1' || key[0] > '0' + COLOURS_MAX || key[1] != '\0')
            return error_set_code(err, -EINVAL, "BadParams",
                                  "\"%s\": \"%.20s\" is no colour; they are \"1\" to \"%d\".", name,
                                  key, COLOURS_MAX);
        json_int_t count = json_is_integer(value) ? json_integer_value(value) : -1;
        if (count < 0 || count > max)
            return error_set_code(err, -EINVAL, "BadParams",
                                  "\"%s\": \"%s\" must be a whole number from 0 to %d.", name, key,
                                  max);
        counts[key[0] - '0'] = (uint16_t)count;
    }
    return 0;
}

// A coordinate that fits into a point; anything far away stays off every board.
static bool read_coordinate(const json_t *json, int8_t *ret)
{
    if (!json_is_integer(json))
        return false;
    json_int_t value = json_integer_value(json);
    *ret = (int8_t)(value < -1 || value > INT8_MAX ? -1 : value);
    return true;
}

static bool read_point(const json_t *json, size_t first, struct point *ret)
{
    return read_coordinate(json_array_get(json, first), &ret->x) &&
           read_coordinate(json_array_get(json, first + 1), &ret->y);
}

static bool read_colour(const json_t *json, uint8_t *ret)
{
    if (!json_is_integer(json))
        return false;
    json_int_t value = json_integer_value(json);
    if (value < 1)
        return false;
    *ret = (uint8_t)(value > UINT8_MAX ? UINT8_MAX : value);
    return true;
}

static int read_setup_stone(const json_t *stone, size_t i, struct setup *ret, struct error *err)
{
    uint8_t colour;
    struct point at;
    if (json_array_size(stone) != 3 || !read_colour(json_array_get(stone, 0), &colour) ||
        !read_point(stone, 1, &at))
        return error_set_code(err, -EINVAL, "BadSetup",
                              "Stone %zu of the setup is not [colour,x,y].", i + 1);
    ret->stones[i].colour = colour;
    ret->stones[i].at = at;
    return 0;
}

int wire_read_setup(const json_t *json, struct setup *ret, struct error *err)
{
    const json_t *stones = json_object_get(json, "stones");
    size_t count = json_array_size(stones);
    if (!json_is_object(json) || (stones && !json_is_array(stones)))
        return error_set_code(err, -EINVAL, "BadSetup",
                              "A setup is an object with a list \"stones\" of [colour,x,y].");
    if (count > POINTS_MAX)
        return error_set_code(err, -EINVAL, "BadSetup",
                              "The setup has %zu stones; no board holds more than %d.", count,
                              POINTS_MAX);
    ret->stone_count = (uint16_t)count;
    for (size_t i = 0; i < count; i++) {
        int r = read_setup_stone(json_array_get(stones, i), i, ret, err);
        if (r < 0)
            return r;
    }
    const json_t *ply = json_object_get(json, "ply");
    json_int_t number = ply ? json_integer_value(ply) : (json_int_t)count;
    if ((ply && !json_is_integer(ply)) || number < 0 || number > GAME_ENTRIES_MAX)
        return error_set_code(err, -EINVAL, "BadSetup",
                              "\"ply\" of the setup must be a whole number from 0 to %d.",
                              GAME_ENTRIES_MAX);
    ret->ply = (uint16_t)number;
    memset(ret->captures, 0, sizeof ret->captures);
    memset(ret->stones_taken, 0, sizeof ret->stones_taken);
    const json_t *captures = json_object_get(json, "captures");
    const json_t *taken = json_object_get(json, "stones_taken");
    int r = captures ? wire_read_counts(captures, "captures", POINTS_MAX, ret->captures, err) : 0;
    if (r == 0 && taken)
        r = wire_read_counts(taken, "stones_taken", POINTS_MAX, ret->stones_taken, err);
    return r;
}

int wire_read_players(const json_t *params, struct player ret[SEATS_MAX], unsigned *ret_count,
                      struct error *err)
{
    const json_t *players = json_object_get(params, "players");
    if (!players || json_is_null(players)) {
        *ret_count = 0;
        return 0;
    }
    size_t count = json_array_size(players);
    if (!json_is_array(players) || count > SEATS_MAX)
        return error_set_code(err, -EINVAL, "BadPlayers",
                              "\"players\" must be a list of at most %d {\"name\":…,\"colour\":…}.",
                              SEATS_MAX);
    for (size_t i = 0; i < count; i++) {
        const json_t *player = json_array_get(players, i);
        const json_t *name = json_object_get(player, "name");
        const json_t *colour = json_object_get(player, "colour");
        memset(&ret[i], 0, sizeof ret[i]);
        bool good = json_is_object(player) && (!name || json_is_string(name));
        if (good && name && json_string_length(name) >= PLAYER_NAME_MAX)
            return error_set_code(err, -EINVAL, "BadPlayers",
                                  "The name of player %zu is longer than %d bytes.", i + 1,
                                  PLAYER_NAME_MAX - 1);
        if (good && colour && !json_is_null(colour))
            good = read_colour(colour, &ret[i].colour) && ret[i].colour <= COLOURS_MAX;
        if (!good)
            return error_set_code(err, -EINVAL, "BadPlayers",
                                  "Player %zu is not {\"name\":…,\"colour\":1 to %d}.", i + 1,
                                  COLOURS_MAX);
        if (name)
            memcpy(ret[i].name, json_string_value(name), json_string_length(name));
    }
    *ret_count = (unsigned)count;
    return 0;
}

int wire_check_players(const struct player *players, unsigned count, const struct variant *rules,
                       struct error *err)
{
    if (count > rules->seat_count)
        return error_set_code(err, -EINVAL, "BadPlayers",
                              "There are %u players, but this game has seats for %u.", count,
                              rules->seat_count);
    unsigned left[COLOURS_MAX + 1] = {0}; // seats of each colour
    for (unsigned seat = 0; seat < rules->seat_count; seat++)
        left[rules->seats[seat]]++;
    for (unsigned i = 0; i < count; i++) {
        unsigned colour = players[i].colour;
        if (colour > rules->colours)
            return error_set_code(err, -EINVAL, "BadPlayers",
                                  "Player %u has colour %u, but this game has colours 1 to %u.",
                                  i + 1, colour, rules->colours);
        if (colour != 0 && left[colour]-- == 0)
            return error_set_code(err, -EINVAL, "BadPlayers",
                                  "Player %u has colour %u, which others play already.", i + 1,
                                  colour);
    }
    return 0;
}

// [block, "cw" | "ccw"]. Anything else that looks like it becomes a twist that the game refuses.
static bool read_twist(const json_t *json, struct move *move)
{
    if (!json || json_is_null(json))
        return true;
    const json_t *block = json_array_get(json, 0);
    const char *turn = json_string_value(json_array_get(json, 1));
    if (json_array_size(json) != 2 || !json_is_integer(block) || !turn)
        return false;
    json_int_t number = json_integer_value(block);
    move->block = (int8_t)(number < 1 || number > PENTAGO_BLOCKS ? INT8_MAX : number);
    move->turn = (int8_t)(strcmp(turn, "cw") == 0    ? PENTAGO_CLOCKWISE
                          : strcmp(turn, "ccw") == 0 ? PENTAGO_ANTICLOCKWISE
                                                     : 0);
    return true;
}

static bool read_move_object(const json_t *json, struct move *ret)
{
    const json_t *colour = json_object_get(json, "colour");
    const json_t *place = json_object_get(json, "place");
    const json_t *second = json_object_get(json, "second");
    uint8_t number = 0;
    struct point at, other;
    if ((colour && !read_colour(colour, &number)) || json_array_size(place) != 2 ||
        !read_point(place, 0, &at))
        return false;
    struct move move = move_place(number, at.x, at.y);
    if (second) {
        if (json_array_size(second) != 2 || !read_point(second, 0, &other))
            return false;
        move = move_pair(number, at, other);
    }
    if (!read_twist(json_object_get(json, "twist"), &move))
        return false;
    *ret = move;
    return true;
}

bool wire_read_move(const json_t *json, const struct variant *rules, struct move *ret)
{
    if (json_is_string(json))
        return move_parse(rules, json_string_value(json), json_string_length(json), ret);
    if (json_is_object(json))
        return read_move_object(json, ret);
    uint8_t colour;
    struct point at;
    if (json_array_size(json) != 3 || !read_colour(json_array_get(json, 0), &colour) ||
        !read_point(json, 1, &at))
        return false;
    *ret = move_place(colour, at.x, at.y);
    return true;
}

int wire_read_board(const json_t *json, const struct variant *rules, seen_board ret,
                    struct error *err)
{
    enum { DRAWING_MAX = BOARD_SIZE_MAX * (2 * BOARD_SIZE_MAX + 1) };
    char drawing[DRAWING_MAX];
    const char *text = json_string_value(json);
    size_t size = text ? json_string_length(json) : 0;
    if (json_is_array(json)) {
        if (json_array_size(json) != rules->size)
            return error_set_code(err, -EINVAL, "BadBoard",
                                  "The board drawn has %zu of the %u rows of this game.",
                                  json_array_size(json), rules->size);
        for (size_t i = 0; i < json_array_size(json); i++) {
            const json_t *row = json_array_get(json, i);
            size_t length = json_string_length(row);
            if (!json_is_string(row) || size + length + 1 > sizeof drawing)
                return error_set_code(err, -EINVAL, "BadBoard", "Row %zu of the board is no row.",
                                      i + 1);
            memcpy(drawing + size, json_string_value(row), length);
            size += length;
            drawing[size++] = '\n';
        }
        text = drawing;
    }
    if (!text)
        return error_set_code(err, -EINVAL, "BadBoard",
                              "\"board\" must be a list of rows, the top row first, with '.', the "
                              "digits of the colours and '?' for points that were not seen.");
    unsigned lines;
    struct error inner = {0};
    if (position_parse(text, size, ret, &lines, &inner) < 0)
        return error_set_code(err, -EINVAL, "BadBoard", "Row %d of the board, place %d: %s",
                              inner.line, inner.column, inner.text);
    if (lines != rules->size)
        return error_set_code(err, -EINVAL, "BadBoard",
                              "The board has %u rows, but this game is played on %u.", lines,
                              rules->size);
    return 0;
}
