// value: between what a person writes for a key and the member of struct settings.
//
// A number may carry a unit of the key's quantity: "22", "22 mm", "2.2cm" are the same pitch;
// "22 s" is refused. Numbers are decimal as in JSON: no octal, no hexadecimal, no nan or inf, none
// of YAML's other spellings, so that 010 or 1_000 cannot mean something else than it seems. The
// programs never set LC_NUMERIC, so the point is always a point.
#pragma once

#include <stddef.h>

#include "config/schema.h"
#include "config/settings.h"

enum { VALUE_TEXT_MAX = SETTINGS_COMMAND_MAX };

// Parses `text` and stores it. 0, or -EINVAL: *settings is untouched and `ret_why` holds a sentence
// without key and place: what is wrong, what is allowed, the nearest choice.
int value_store(const struct schema_key *key, const char *text, struct settings *settings,
                char *ret_why, size_t size);

// The member as a person would write it, without unit. Returns ret.
char *value_print(const struct schema_key *key, const struct settings *settings, char *ret,
                  size_t size);

// Whether both have the same value for the key.
bool value_equal(const struct schema_key *key, const struct settings *a, const struct settings *b);

// What is allowed, for people: "8 to 100 mm", "true or false, yes or no", "v4l2, pipe, …". Returns
// ret.
char *value_allowed(const struct schema_key *key, char *ret, size_t size);
