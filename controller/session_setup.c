#include "controller/session_setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"
#include "rules/notation.h"

int session_setup_settings(const json_t *setup, struct settings *ret, struct error *err)
{
    const char *key, *variant = json_string_value(json_object_get(setup, "variant"));
    json_t *value;
    char why[ERROR_TEXT_MAX];
    settings_default(ret);
    // What a key would change that is younger than the session: never the session.
    ret->game.straighten = SETTINGS_STRAIGHTEN_NEVER;
    json_object_foreach(json_object_get(setup, "settings"), key, value)
    {
        const struct schema_key *row = schema_find(key);
        const char *text = json_string_value(value);
        if (!row || !text)
            return error_set(err, -EINVAL,
                             "the session was recorded with the setting %s, which this program "
                             "does not know.",
                             key);
        if (value_store(row, text, ret, why, sizeof why) < 0)
            return error_set(err, -EINVAL, "the session's setting %s: %s.", key, why);
    }
    if (variant)
        snprintf(ret->game.variant, sizeof ret->game.variant, "%s", variant);
    return 0;
}

int session_setup_play(const json_t *setup, struct game *game, struct error *err)
{
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(setup, "moves"), i, value)
    {
        const char *text = json_string_value(value);
        struct move move;
        if (!text || !move_parse(&game->rules, text, strlen(text), &move) ||
            game_play(game, move, NULL) != REASON_NONE)
            return error_set(err, -EBADMSG,
                             "move %zu before the recording, \"%s\", can't be played.", i + 1,
                             text ? text : "");
    }
    return 0;
}
