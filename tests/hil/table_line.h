// table_line: a far end's line to the simulated table (tessera-table): a Unix socket, or in an
// emulated machine the character device that leads to that socket outside.
#pragma once

// Waits up to ten seconds for it. A file descriptor for reading and writing; ends the process with
// code 3 and a word on standard error when there is none.
int table_line_open(const char *path);
