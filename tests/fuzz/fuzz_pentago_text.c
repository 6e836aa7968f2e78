// The readers of Pentago records; the first byte chooses the format and the rules.
#include "tests/fuzz/fuzz_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum record_format formats[] = {RECORD_AUTO, RECORD_BOOKLET, RECORD_OPENSPIEL,
                                                 RECORD_NUMBER};
    if (size == 0)
        return 0;
    struct variant rules = *variant_find("pentago");
    rules.place_wins = !(data[0] & 4);
    rules.twist = data[0] & 8 ? TWIST_ALWAYS : TWIST_OPTIONAL;
    fuzz_record(data + 1, size - 1, formats[data[0] & 3], data[0] & 3 ? &rules : NULL);
    return 0;
}
