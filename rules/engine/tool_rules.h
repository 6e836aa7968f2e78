// tool_rules: the rules and the start that `perft` and `playouts` are given on the command line.
//
// Words that are understood, in any order:
//
//     FIELD=VALUE                   one field of the rules, as in settings
//     options={'size': 13, 'twist': 'always', 'place_wins': False}
//                                   fields as the reference counts write them; {} = none. The
//                                   quotes may be missing, and the shell may have cut it at blanks
//     moves=4,4 7,7 5,3             the start: x,y from 0, in one word or several; "-" = none. In
//                                   Pentago x,y,t with the twist t = 0..8 of the playouts
//                                   (rules/README.md); first, second or pass for a choice
//     calls                         hash what was called, too
//
// A field may be given once only.
#pragma once

#include "rules/game.h"

enum {
    TOOL_WORD_MAX = 64,      // bytes of a field or a value with the NUL
    TOOL_OPTIONS_MAX = 2048, // bytes of options={…} with the NUL
    TOOL_MOVES_MAX = 8192,   // bytes of the moves with the NUL
};

struct tool_rules {
    struct variant variant;
    uint64_t fields_given;          // bit = index of a variant field
    char options[TOOL_OPTIONS_MAX]; // what was changed, as the reference writes it, without braces
    char moves[TOOL_MOVES_MAX];     // one blank between two; "" = none
    bool calls;
};

// Takes the row called `name`. Returns 0, or negative errno and why.
int tool_rules_init(struct tool_rules *rules, const char *name, struct error *err);

// Sets one field; `told`: it belongs to what `options` tells. Returns 0, or negative errno and why.
int tool_rules_set(struct tool_rules *rules, const char *field, const char *value, bool told,
                   struct error *err);

// Reads the words and validates the rules. Returns 0, or negative errno and why.
int tool_rules_read(struct tool_rules *rules, int count, char **words, struct error *err);

// Starts the game and plays the moves. Returns 0, or -EINVAL and which move cannot be played.
int tool_rules_start(const struct tool_rules *rules, struct game *game, struct error *err);
