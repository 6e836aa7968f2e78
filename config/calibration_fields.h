// calibration_fields: the calibration as JSON, by one table that serves both directions.
#pragma once

#include <jansson.h>

#include "config/base/error.h"
#include "config/calibration.h"

// A new object with every field; NULL when out of memory or when a number is not finite.
json_t *calibration_fields_write(const struct calibration *calibration);

// Fills *ret from the object of a file of this schema; what later schemas brought stays as it was
// in *ret. -EINVAL with a sentence that names the field that is missing, of another type or out of
// range; *ret is then half filled.
int calibration_fields_read(const json_t *data, int schema, struct calibration *ret,
                            struct error *err);
