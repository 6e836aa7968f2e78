// data_folder: where the records, positions and photographs lie that are not the project's own.
#pragma once

#include <stdlib.h>

// The folder that TESSERA_DATA names; NULL when it names none, and then a test skips and says so.
static inline const char *data_folder(void)
{
    const char *folder = getenv("TESSERA_DATA");
    return folder && *folder ? folder : NULL;
}
