// calibration: what the robot has measured about itself, and the file that keeps it.
//
// Plain data, no pointers. Each part is valid or not by itself, has the figure it was judged by and
// when it was measured, so that `calibrate all` can skip what still holds. What vision and motion
// can use as it is, is kept in their own structs.
//
// Frames (design section 2): board mm, machine mm, image pixels of the full frame.
//
// The file is JSON: schema version, machine, generation, CRC-32C, data. It is replaced atomically
// (temporary file, fsync, rename, fsync of the folder); the ten before it stay beside it as
// FILE.<generation>. A file that is truncated, damaged, of a newer schema or of another machine is
// refused with a sentence, and calibration_last_good() finds the newest one that would load. Files
// of older schemas are read; what they do not hold is as calibration_init() makes it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/base/error.h"
#include "config/base/io.h"
#include "motion/board_map.h"
#include "vision/geometry.h"
#include "vision/reader.h"

enum {
    CALIBRATION_SCHEMA = 3, // 2 brought board.light_lines, 3 board.seam_u and seam_v
    CALIBRATION_KEPT = 10,  // older generations beside the file
    CALIBRATION_NAME_MAX = 64,
    CALIBRATION_COLOURS = 4,
    CALIBRATION_FILE_MAX = 1 << 20, // bytes
};

struct calibration_verdict {
    bool valid;    // measured, and within its limit
    int64_t when;  // seconds since 1970-01-01 UTC
    double figure; // what it was judged by …
    double limit;  // … and the most (or for counts: least) that passes
};

// calibrate panel. figure = buttons and lamps proven, limit = those wired.
struct calibration_panel {
    struct calibration_verdict verdict;
    bool estop_proven; // pressed and released while nothing could move
};

// calibrate camera: what is locked. figure = sharpness.
struct calibration_camera {
    struct calibration_verdict verdict;
    int exposure_us, gain, white_balance_k, focus; // -1: the camera has no such control
    double light;                                  // mean grey level of the board, 0 … 255
};

// calibrate camera, lens. figure = RMS reprojection, px.
struct calibration_lens {
    struct calibration_verdict verdict;
    int width, height; // of the frames it was measured on
    struct lens lens;
    int views;
};

// calibrate board. figure = RMS of the grid, px.
struct calibration_board {
    struct calibration_verdict verdict;
    struct geometry geometry; // board → picture; the pitches in it are measured ones
    enum vision_a1 a1;        // corner of the picture nearest to A1
};

// calibrate arm. figure = RMS residual in mm on points that were not fitted.
struct calibration_arm {
    struct calibration_verdict verdict;
    double max_error;     // mm on those points
    struct board_map map; // board mm → machine mm
    double board_z[3];    // machine z of the board's surface = z0 + z1·x + z2·y (board mm)
    int points;
};

// calibrate stones. figure = confusions, limit = 0, in `looks` looks.
struct calibration_stones {
    struct calibration_verdict verdict;
    char name[CALIBRATION_COLOURS][CALIBRATION_NAME_MAX]; // "blue"; "" = not in play
    struct vision_models models;
    int looks;
};

// calibrate gripper. figure = picks that held, limit = picks tried.
struct calibration_gripper {
    struct calibration_verdict verdict;
    double contact_z;                    // machine z, cup's lip on a stone on the board
    double store_z[CALIBRATION_COLOURS]; // on the exposed stone of each store
    double grip_time, release_time;      // seconds
};

struct calibration {
    char machine[CALIBRATION_NAME_MAX]; // settings' machine.name
    int64_t generation;                 // grows by one at each save; 0 = never saved
    struct calibration_panel panel;
    struct calibration_camera camera;
    struct calibration_lens lens;
    struct calibration_board board;
    struct calibration_arm arm;
    struct calibration_stones stones;
    struct calibration_gripper gripper;
};

// Nothing measured yet, for the machine of this name.
void calibration_init(struct calibration *calibration, const char *machine);

// Reads a file. machine NULL = any. -ENOENT: there is none yet (calibrate first). Codes in err:
// CalibrationDamaged (truncated, not JSON, checksum, value out of range), CalibrationNewer,
// CalibrationOtherMachine. The sentence names the last good file when there is one.
int calibration_load(const char *path, const char *machine, struct calibration *ret,
                     struct error *err);

// The same from memory; `path` is named in errors. Offers no other file.
int calibration_read_text(const char *text, size_t size, const char *path, const char *machine,
                          struct calibration *ret, struct error *err);

// Keeps the file that stands at `path` as path.<generation>, puts the new one in its place under
// the next generation (written to calibration->generation) and drops what is older than the last
// CALIBRATION_KEPT. Whatever fails, a whole file stands at `path`. io NULL = the system's calls.
int calibration_save(const struct io_ops *io, const char *path, struct calibration *calibration,
                     struct error *err);

// The newest of path and path.<generation> that loads for `machine`. -ENOENT when none does.
int calibration_last_good(const char *path, const char *machine, char *ret_path, uint32_t size);
