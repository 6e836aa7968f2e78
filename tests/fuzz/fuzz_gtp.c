// Any bytes on the engine's input: both protocols must answer or refuse, and come back.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "rules/engine/gomocup.h"
#include "rules/engine/gtp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The pipe holds what is fed, so that nobody has to write while the session reads.
enum { INPUT_MAX = 32768 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *null;
    struct session_options options = {
        .engine = {.level = 10, .threads = 1, .hash_mib = 1, .seed = 1},
        .variant = "pente",
        .move_time_ns = 2 * NS_PER_MS,
        .nodes = 50,
    };
    struct session *session;
    struct error err;
    int fds[2];
    if (!null)
        null = fopen("/dev/null", "w");
    if (!null || size < 1 || size > INPUT_MAX || pipe(fds) < 0)
        return 0;
    int gomocup = data[0] & 1;
    if (write(fds[1], data + 1, size - 1) != (ssize_t)(size - 1))
        abort();
    close(fds[1]);
    if (session_new(&options, fds[0], null, gomocup ? gomocup_is_stop : gtp_is_stop, &session,
                    &err) == 0) {
        // A clock in the input must not make one run long.
        if (gomocup)
            gomocup_run(session);
        else
            gtp_run(session);
        session_free(session);
    }
    close(fds[0]);
    return 0;
}
