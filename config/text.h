// text: what is generated from the schema for people to read.
#pragma once

#include <stdio.h>

#include "config/settings.h"

// A commented YAML file with every setting in it. Reads back as `settings`. `head` (may be NULL) is
// put in front as a comment, line by line.
void text_sample(FILE *out, const struct settings *settings, const char *head);

// The section SETTINGS of the man page, in scdoc.
void text_manual(FILE *out);

// Completion of tessera-config for bash: commands, options, keys, choices.
void text_completion(FILE *out);

// One value as YAML: quoted when it is text.
void text_value(FILE *out, const struct settings *settings, size_t key_index);
