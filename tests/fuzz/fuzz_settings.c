// Any bytes as a settings file: faults or settings, and an edit of it keeps all other settings.
#include <stdint.h>
#include <stdlib.h>

#include "config/edit.h"
#include "config/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading *reading = reading_new();
    if (!reading)
        return 0;
    int r = reading_text(reading, (const char *)data, size, "fuzz.yaml", READING_FILE);
    // A file is either taken without a word or refused with one that has a place.
    if ((r == 0) != (reading->faults->count == 0))
        abort();
    for (size_t i = 0; i < faults_kept(reading->faults); i++)
        if (reading->faults->fault[i].text[0] == '\0' ||
            (size <= 65536 && reading->faults->fault[i].line < 1))
            abort();
    (void)reading_agree(reading);
    static const char *const KEYS[] = {"board.pitch_x", "gpio.estop.line", "sim.seed"};
    static const char *const VALUES[] = {"21.5", "GPIO9", "77"};
    for (size_t i = 0; r == 0 && i < sizeof KEYS / sizeof *KEYS; i++) {
        char *text;
        size_t text_size;
        struct error err; // edit_set proves its own result
        if (edit_set((const char *)data, size, "fuzz.yaml", schema_find(KEYS[i]), VALUES[i], &text,
                     &text_size, &err) == 0)
            free(text);
    }
    reading_free(reading);
    return 0;
}
