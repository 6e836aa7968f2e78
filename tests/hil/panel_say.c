// panel-say PANEL-SOCKET COMMAND...: one command to the simulated table
// (controller/sim/table_serve.h lists them). Prints the reply without its "ok". With --wait PREFIX
// before the command it then waits for an unasked line that begins so, and prints that. Exit: 0; 1
// refused; 3 nothing came in 120 s.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "hil/table_line.h"

enum { PATIENCE_S = 120 };

int main(int argc, char **argv)
{
    const char *wait = NULL;
    int first = 2;
    if (argc > 4 && strcmp(argv[2], "--wait") == 0) {
        wait = argv[3];
        first = 4;
    }
    if (argc <= first) {
        fprintf(stderr, "Usage: panel-say PANEL-SOCKET [--wait PREFIX] COMMAND...\n");
        return 2;
    }
    const int line_to_table = table_line_open(argv[1]);
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(line_to_table, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    FILE *table = fdopen(line_to_table, "r+");
    char line[1100] = "";
    for (int i = first; i < argc; i++)
        dprintf(fileno(table), "%s%s", argv[i], i + 1 < argc ? " " : "\n");
    bool replied = false;
    while (fgets(line, sizeof line, table)) {
        if (strncmp(line, "error", 5) == 0) {
            fputs(line, stderr);
            return 1;
        }
        if (strncmp(line, "ok", 2) == 0) {
            replied = true;
            if (!wait) {
                fputs(line[2] == ' ' ? line + 3 : line + 2, stdout);
                return 0;
            }
        } else if (wait && replied && strncmp(line, wait, strlen(wait)) == 0) {
            fputs(line, stdout);
            return 0;
        }
    }
    fprintf(stderr, "panel-say: the table says nothing\n");
    return 3;
}
