#include "tests/unit/mortal_rulesd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_SIZE = 96 };

static FILE *make(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, name), 1, sizeof path - 1);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    return f;
}

// It dies with all its group, which the client has made; also when the real one ends by itself, as
// it does while its dying predecessor still holds the lock.
void mortal_rulesd_write(const char *folder, const char *name, const char *program)
{
    FILE *f = make(folder, name);
    fprintf(f,
            "#!/bin/sh\ncd '%s'\npass() {\n  while IFS= read -r line; do\n"
            "    if [ -e $1 ]; then [ -e for-good ] || rm $1; kill -9 0; fi\n"
            "    printf '%%s\\n' \"$line\"\n  done\n}\n"
            "pass deaf | { '%s' \"$@\"; kill -9 0; } | pass dumb\n",
            folder, program);
    assert_int_equal(fchmod(fileno(f), 0700), 0);
    fclose(f);
}

void mortal_rulesd_touch(const char *folder, const char *file)
{
    fclose(make(folder, file));
}

void mortal_rulesd_remove(const char *folder, const char *file)
{
    char path[PATH_SIZE];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, file), 1, sizeof path - 1);
    assert_int_equal(unlink(path), 0);
}
