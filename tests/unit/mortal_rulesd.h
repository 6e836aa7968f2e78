// mortal_rulesd: a rules daemon that dies when a test wants it to. A script in front of the real
// one.
#pragma once

// Writes the script folder/name, which runs `program`. While there is a file "deaf" in the folder,
// the daemon dies over the next request and never gets it; "dumb": it has carried it out, and never
// answers. The first death removes that file, unless there is one "for-good".
void mortal_rulesd_write(const char *folder, const char *name, const char *program);

// Makes, removes such a file.
void mortal_rulesd_touch(const char *folder, const char *file);
void mortal_rulesd_remove(const char *folder, const char *file);
