// edit: changes one value in the text of a settings file and nothing else.
//
// Comments, order, quotes and spacing of the rest stay byte for byte. A missing key goes behind its
// neighbours, a missing section to the end. The result is read back before it is handed over: it
// holds the new value and every other setting as before, or the edit is refused.
#pragma once

#include <stddef.h>

#include "config/base/error.h"
#include "config/schema.h"

// `value` is what a person would write, without quotes; it must fit the key. `file` is named in
// errors. The caller frees *ret_text (NUL-terminated, *ret_size without the NUL).
// -EINVAL: the value does not fit, or the text has faults.
int edit_set(const char *text, size_t size, const char *file, const struct schema_key *key,
             const char *value, char **ret_text, size_t *ret_size, struct error *err);
