// input: lines of standard input, read ahead by a thread of their own, so that a "stop" is seen
// while the engine thinks.
//
// Lines end in LF or CRLF. Control characters other than tab are dropped, as GTP asks; a line
// longer than INPUT_LINE_MAX loses its end.
#pragma once

#include <stdatomic.h>
#include <stddef.h>

enum {
    INPUT_LINE_MAX = 65536, // bytes with the NUL
    INPUT_QUEUE_MAX = 1024, // lines read ahead; then the reader waits
};

struct input;

// Starts reading fd (borrowed). `is_stop` is asked for every line as it arrives; when it says yes
// *stop becomes 1 at once (and the line is queued all the same). Returns 0 or negative errno.
int input_new(int fd, int (*is_stop)(const char *line), atomic_int *stop, struct input **ret);

// Waits for the next line; the caller frees it. NULL at the end of the input.
char *input_next(struct input *input);

// 1 while a line is waiting or the input has ended: what pondering takes as its stop.
atomic_int *input_waiting(struct input *input);

// Ends the thread. Accepts NULL, returns NULL.
struct input *input_free(struct input *input);
