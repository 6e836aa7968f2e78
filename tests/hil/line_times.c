// line-times FILE: copies standard input to standard output, and writes "MILLISECONDS LINE" to FILE
// for each line, at the time it came (since the boot, as /proc/uptime counts).
#include <stdio.h>
#include <time.h>

enum { LINE_MAX_BYTES = 4096 };

int main(int argc, char **argv)
{
    char line[LINE_MAX_BYTES];
    FILE *times = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!times) {
        fprintf(stderr, "Usage: line-times FILE\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(times, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        struct timespec now;
        clock_gettime(CLOCK_BOOTTIME, &now);
        fprintf(times, "%lld %s", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000, line);
        fputs(line, stdout);
    }
    return 0;
}
