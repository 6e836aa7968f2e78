// A block that stands half turned: its rim lies over the round things of a picture at an angle.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vision/hollows.h"

enum {
    NEAR_MOST = 24,
    STEP_DEGREES = 3,
    ANGLE_LEAST = 7, // degrees: below, a block only stands askew
    ANGLE_MOST = 45, // beyond, it looks as if turned the other way round
};

static const double ASIDE = 0.2; // cells a spot may lie off its point

// A round thing around a block's middle, cells.
struct near {
    int spot;
    double x, y;
};

bool hollows_on_rim(int block, int n)
{
    const int column = n % HOLLOWS_SIDE, row = n / HOLLOWS_SIDE, side = HOLLOWS_SIDE / 2;
    return column / side + 2 * (row / side) == block && (column % side != 1 || row % side != 1);
}

static int collect(const struct hollow_spots *spots, const double h[9], double seam, int block,
                   struct near ret[NEAR_MOST])
{
    static const double WITHIN = 0.7, BEYOND = 1.75; // cells from the middle
    const int side = HOLLOWS_SIDE / 2;
    double inverse[9], middle[2];
    int count = 0;
    hollows_plane(seam, side * (block & 1) + 1 + HOLLOWS_SIDE * (side * (block >> 1) + 1), middle);
    if (!homography_invert(h, inverse))
        return 0;
    for (int k = 0; k < spots->count && count < NEAR_MOST; k++) {
        double u, v;
        homography_apply(inverse, (double)spots->spot[k].x, (double)spots->spot[k].y, &u, &v);
        const double away = hypot(u - middle[0], v - middle[1]);
        if (away > WITHIN && away < BEYOND)
            ret[count++] = (struct near){k, u - middle[0], v - middle[1]};
    }
    return count;
}

static double rim_at(const struct hollow_spots *spots, const struct near *near, int count,
                     double degrees, int ret_spot[HOLLOWS_RIM])
{
    static const int8_t RIM[HOLLOWS_RIM][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0},
                                               {1, 0},   {-1, 1}, {0, 1},  {1, 1}};
    const double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
    double sum = 0;
    for (int n = 0; n < HOLLOWS_RIM; n++) {
        const double x = c * RIM[n][0] - s * RIM[n][1], y = s * RIM[n][0] + c * RIM[n][1];
        double least = ASIDE;
        ret_spot[n] = -1;
        for (int k = 0; k < count; k++) {
            const double d = hypot(near[k].x - x, near[k].y - y);
            if (d < least) {
                least = d;
                ret_spot[n] = near[k].spot;
            }
        }
        if (ret_spot[n] >= 0)
            sum += hollow_spots_strength(spots, ret_spot[n]);
    }
    return sum;
}

double hollows_rim_turned(const struct hollow_spots *spots, const double h[9], double seam,
                          int block, int ret_spot[HOLLOWS_RIM])
{
    struct near near[NEAR_MOST];
    const int count = collect(spots, h, seam, block, near);
    double best = -1;
    for (int a = -ANGLE_MOST; a < ANGLE_MOST; a += STEP_DEGREES) {
        int spot[HOLLOWS_RIM];
        const double sum = abs(a) < ANGLE_LEAST ? -1 : rim_at(spots, near, count, a, spot);
        if (sum > best) {
            best = sum;
            memcpy(ret_spot, spot, sizeof spot);
        }
    }
    return best;
}

double hollows_rim_straight(const struct hollow_spots *spots, const double h[9], double seam,
                            int block)
{
    struct near near[NEAR_MOST];
    int spot[HOLLOWS_RIM];
    const int count = collect(spots, h, seam, block, near);
    return rim_at(spots, near, count, 0, spot);
}
