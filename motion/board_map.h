// board_map: board millimetres to machine millimetres.
//
// Board frame: origin at A1, x to the right along row 1, y away from the player. Machine frame: the
// plotter's coordinates after homing. The map is affine (position, rotation, scale, skew of a
// curled board) plus, where it helps, a table of residuals interpolated bilinearly over the board.
// Plain data: the calibration store keeps it as it is.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"

enum {
    BOARD_MAP_NODES = 9, // residual table: at most 9 × 9 nodes
    BOARD_MAP_POINTS = 400,
};

struct board_map {
    // machine_x = a[0]·x + a[1]·y + a[2];  machine_y = a[3]·x + a[4]·y + a[5]
    double a[6];
    int columns, rows;     // residual nodes; 0 = no table
    double x0, y0;         // board position of node (0,0), mm
    double step_x, step_y; // distance of nodes, mm (> 0 when there is a table)
    double residual[BOARD_MAP_NODES][BOARD_MAP_NODES][2]; // [row][column]{dx,dy}, machine mm
};

struct board_map_pair {
    double board[2], machine[2]; // mm
};

struct board_map board_map_from_pose(double origin_x, double origin_y, double rotation_deg,
                                     double scale);

// Least squares from at least 3 pairs that are not on one line (-EINVAL otherwise). *ret_rms: mm
// left over, NULL allowed. From exactly three points nothing is left over; use four or more.
int board_map_fit(const struct board_map_pair *pairs, int count, struct board_map *ret,
                  double *ret_rms, struct error *err);

// Adds a residual table from pairs measured on a full grid (rows × columns, row by row, x and y
// ascending; where a board has seams the grid is uneven, the table's nodes never are). Leaves out a
// table that does not lower the error by cross-check.
int board_map_fit_grid(const struct board_map_pair *pairs, int columns, int rows,
                       struct board_map *ret, double *ret_rms, struct error *err);

void board_map_to_machine(const struct board_map *map, const double board[2], double ret[2]);
// -EDOM when the map cannot be turned round.
int board_map_to_board(const struct board_map *map, const double machine[2], double ret[2]);

// Whether the numbers make sense: finite, not degenerate, scale within 0.5 … 2, residuals ≤ 5 mm.
int board_map_check(const struct board_map *map, struct error *err);
