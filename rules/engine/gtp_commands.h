// gtp_commands: the commands of gtp.c, by what they are about (private to gtp*.c).
#pragma once

#include "rules/engine/session.h"

enum { GTP_ARGUMENTS_MAX = 1024 };

// One command being answered.
struct gtp_request {
    struct session *session;
    char *argument[GTP_ARGUMENTS_MAX + 1]; // NULL-terminated, the command's name not among them
    int count;
    const char *id; // "" or digits
    int answered;
};

// Starts the answer with "=" or "?" when that has not been done, and adds to it.
void gtp_answer(struct gtp_request *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void gtp_refuse(struct gtp_request *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Reads a whole number within the bounds. 1 = done; text may be NULL.
int gtp_number(const char *text, long low, long high, long *ret);

// The colour a word names (0 = none), and its name.
unsigned gtp_colour_of(const struct session *s, const char *text);
const char *gtp_colour_name(unsigned colour);

// The game: gtp_game.c.
void gtp_do_boardsize(struct gtp_request *r);
void gtp_do_clear_board(struct gtp_request *r);
void gtp_do_komi(struct gtp_request *r);
void gtp_do_play(struct gtp_request *r);
void gtp_do_play_sequence(struct gtp_request *r);
void gtp_do_undo(struct gtp_request *r);
void gtp_do_showboard(struct gtp_request *r);
void gtp_do_set_game(struct gtp_request *r);
void gtp_do_list_games(struct gtp_request *r);
void gtp_do_rules_game_id(struct gtp_request *r);
void gtp_do_rules_board(struct gtp_request *r);
void gtp_do_rules_board_size(struct gtp_request *r);
void gtp_do_rules_legal_moves(struct gtp_request *r);
void gtp_do_rules_side_to_move(struct gtp_request *r);
void gtp_do_rules_final_result(struct gtp_request *r);
void gtp_do_final_score(struct gtp_request *r);

// Thinking and clocks: gtp_think.c.
void gtp_do_genmove(struct gtp_request *r);
void gtp_do_reg_genmove(struct gtp_request *r);
void gtp_do_time_settings(struct gtp_request *r);
void gtp_do_time_left(struct gtp_request *r);
void gtp_do_clock(struct gtp_request *r);
void gtp_do_clock_left(struct gtp_request *r);
void gtp_do_move_time(struct gtp_request *r);
void gtp_do_level(struct gtp_request *r);
void gtp_do_seed(struct gtp_request *r);
void gtp_do_resign(struct gtp_request *r);
void gtp_do_analyze(struct gtp_request *r);
void gtp_do_teach(struct gtp_request *r);
void gtp_do_review(struct gtp_request *r);
