// The table of variants. A row that names no field keeps the base of two-player Pente; see
// rules/README.md for the sources that the letters stand for.
#include "rules/variant.h"

#define ROWS_2  (1u << 2)
#define ROWS_23 (1u << 2 | 1u << 3)

#define WHITE_FIRST                                                                                \
    {                                                                                              \
        "", "white", "black", "green", "amber"                                                     \
    }
#define BLACK_FIRST                                                                                \
    {                                                                                              \
        "", "black", "white", "green", "amber"                                                     \
    }

// NOLINTBEGIN(bugprone-macro-parentheses): a string in parentheses does not initialise an array.
// Two-player Pente (A1, A2): what the rows of the family start from.
#define PENTE(NAME, TITLE, SOURCE)                                                                 \
    .name = NAME, .title = TITLE, .source = SOURCE, .family = FAMILY_PENTE, .size = 19,            \
    .colours = 2, .seat_count = 2, .seats = {1, 2}, .sides = {0, 1, 2, 3, 4},                      \
    .labels = WHITE_FIRST, .win_len = 5, .capture = ROWS_2, .goal = 10, .goal_unit = GOAL_STONES,  \
    .opening = OPENING_CENTRE, .protocol = PROTOCOL_NONE, .scoring = SCORING_NONE,                 \
    .run_rule = RUN_EXACT, .tria = TRIA_STRICT, .tessera = TESSERA_THREAT,                         \
    .calls = CALLS_COURTESY, .neutral = NEUTRAL_RULEBOOK, .twist = TWIST_OPTIONAL,                 \
    .place_wins = true
// NOLINTEND(bugprone-macro-parentheses)

// The overrides below are the point of the table: later initialisers win.
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif

const struct variant variant_table[] = {
    {PENTE("pente", "Pente", "S0 basic rules; S1; S3")},
    {PENTE("pente-tournament", "Pente, tournament opening", "S0 advanced rules; P when rated"),
     .opening = OPENING_TOURNAMENT},
    {PENTE("pente-site", "Pente as on the web site", "S1"), .opening = OPENING_TOURNAMENT},
    {PENTE("pente-dutch", "Pente, Dutch rules", "S3"), .labels = BLACK_FIRST, .tria = TRIA_ANY,
     .tessera = TESSERA_SOLID, .calls = CALLS_MANDATORY},
    {PENTE("pente-free", "Pente, free opening", "S0 without the centre rule (resolution B3)"),
     .opening = OPENING_FREE},
    {PENTE("pente-points", "Points Pente for two", "S0 Points"), .scoring = SCORING_POINTS2},
    {PENTE("pente-partners", "Pente for partners", "S0 four players, two colours"), .seat_count = 4,
     .seats = {1, 2, 1, 2}},
    {PENTE("pente-team", "Team Pente", "S0 Team"), .colours = 4, .seat_count = 4,
     .seats = {1, 2, 3, 4}, .sides = {0, 1, 2, 1, 2}},
    {PENTE("pente-points3", "Points Pente for three", "S0 Points, 3-4 players"), .colours = 3,
     .seat_count = 3, .seats = {1, 2, 3}, .win_len = 4, .goal = 4, .goal_unit = GOAL_CAPTURES,
     .scoring = SCORING_POINTS34},
    {PENTE("pente-points4", "Points Pente for four", "S0 Points, 3-4 players"), .colours = 4,
     .seat_count = 4, .seats = {1, 2, 3, 4}, .win_len = 4, .goal = 4, .goal_unit = GOAL_CAPTURES,
     .scoring = SCORING_POINTS34},
    {PENTE("keryo", "Keryo-Pente", "P; PBM; WP (R. Tesh 1983)"), .capture = ROWS_23, .goal = 15},
    {PENTE("keryo-tournament", "Keryo-Pente, tournament opening", "P when rated"),
     .capture = ROWS_23, .goal = 15, .opening = OPENING_TOURNAMENT},
    {PENTE("g-pente", "G-Pente", "P (resolution B40)"), .opening = OPENING_GPENTE},
    {PENTE("d-pente", "D-Pente", "P (resolution B41)"), .opening = OPENING_FREE,
     .protocol = PROTOCOL_DPENTE},
    {PENTE("d-pente-pbm", "D-Pente (Banks)", "PBM (resolution B41)"),
     .protocol = PROTOCOL_DPENTE_PBM},
    {PENTE("dk-pente", "DK-Pente", "P"), .capture = ROWS_23, .goal = 15, .opening = OPENING_FREE,
     .protocol = PROTOCOL_DPENTE},
    {PENTE("swap2-pente", "Swap2-Pente", "P; vint.ee; AP (resolution B42)"),
     .opening = OPENING_FREE, .protocol = PROTOCOL_SWAP2},
    {PENTE("swap2-keryo", "Swap2-Keryo", "P; vint.ee; AP (resolution B42)"), .capture = ROWS_23,
     .goal = 15, .opening = OPENING_FREE, .protocol = PROTOCOL_SWAP2},
    {PENTE("poof", "Poof-Pente", "P and its tests; BK (resolution B43)"), .poof = true,
     .opening = OPENING_TOURNAMENT},
    {PENTE("boat", "Boat-Pente", "P; AP overtime capture (resolution B44)"), .boat = true,
     .opening = OPENING_TOURNAMENT},
    {PENTE("o-pente", "O-Pente", "P"), .capture = ROWS_23, .goal = 15, .poof = true, .boat = true,
     .opening = OPENING_TOURNAMENT},
    {PENTE("gomoku", "Gomoku", "P"), .labels = BLACK_FIRST, .exact = true, .capture = 0, .goal = 0},
    {PENTE("gomoku-free", "Gomoku, freestyle", "PBM"), .labels = BLACK_FIRST, .size = 15,
     .capture = 0, .goal = 0, .opening = OPENING_FREE},
    {PENTE("connect6", "Connect6", "P; BGA; BK"), .labels = BLACK_FIRST, .win_len = 6, .capture = 0,
     .goal = 0, .connect6 = true, .tria = TRIA_OFF, .tessera = TESSERA_OFF, .calls = CALLS_OFF},
    {PENTE("pentago", "Pentago", "S2; GI for fives made by a twist"), .family = FAMILY_PENTAGO,
     .size = PENTAGO_SIZE, .capture = 0, .goal = 0, .opening = OPENING_FREE, .tria = TRIA_OFF,
     .tessera = TESSERA_OFF, .calls = CALLS_OFF},
};

const size_t variant_table_count = sizeof variant_table / sizeof variant_table[0];
