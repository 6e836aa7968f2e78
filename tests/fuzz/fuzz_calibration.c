// Any bytes as a calibration: refused, or what was read can be written and read again.
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/json.h"
#include "config/calibration.h"
#include "config/calibration_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct calibration calibration;
    struct error err;
    // Past the checksum, which would keep the fuzzer out: the fields themselves …
    json_t *json;
    if (json_read_text((const char *)data, size, "fuzz.json", &json, &err) == 0) {
        json_t *fields = json_object_get(json, "data");
        int schema =
            json_integer_value(json_object_get(json, "schema")) == 1 ? 1 : CALIBRATION_SCHEMA;
        calibration_init(&calibration, "fuzz");
        if (calibration_fields_read(fields ? fields : json, schema, &calibration, &err) == 0) {
            json_t *written = calibration_fields_write(&calibration);
            struct calibration again;
            calibration_init(&again, "fuzz");
            if (!written ||
                calibration_fields_read(written, CALIBRATION_SCHEMA, &again, &err) < 0 ||
                // Both began as zeros, padding too. NOLINTNEXTLINE
                memcmp(&again, &calibration, sizeof again) != 0)
                abort();
            json_decref(written);
        } else if (err.text[0] == '\0') {
            abort();
        }
        json_decref(json);
    }
    // … and the file as a whole.
    if (calibration_read_text((const char *)data, size, "fuzz.json", NULL, &calibration, &err) <
            0 &&
        err.text[0] == '\0')
        abort();
    return 0;
}
