// Stones as round things, darker or lighter than what lies around them.
#include <math.h>

#include "vision/cvshim.h"
#include "vision/grid.h"

static const double DARKER = 0.35, LIGHTER = 0.15; // than what is around, log units
static const double RADIUS_MIN = 4;                // pixels

static int longer_side(const struct grid_image *image)
{
    return image->width > image->height ? image->width : image->height;
}

float grid_usual_radius(const struct cvshim_spot *disc, int count)
{
    float best = 0;
    int most = 0;
    for (int k = 0; k < count; k++) {
        int votes = 0;
        for (int m = 0; m < count; m++)
            votes += fabsf(disc[m].strength - disc[k].strength) < 0.2F * disc[k].strength;
        if (votes > most) {
            most = votes;
            best = disc[k].strength;
        }
    }
    return best;
}

static int keep_usual(struct cvshim_spot *disc, int count)
{
    const float radius = grid_usual_radius(disc, count);
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (disc[k].strength > 0.6F * radius && disc[k].strength < 1.5F * radius)
            disc[kept++] = disc[k];
    return kept;
}

typedef int find_fn(const float *px, int width, int height, int sign, double contrast, int reach,
                    double radius_min, struct cvshim_spot *ret, int max);

// Dark ones and light ones, of each kind those of the usual size.
static int find_both(find_fn *find, const struct grid_image *image, int reach,
                     struct cvshim_spot *ret, int max)
{
    const int dark =
        find(image->px, image->width, image->height, -1, DARKER, reach, RADIUS_MIN, ret, max);
    if (dark < 0)
        return dark;
    const int kept = keep_usual(ret, dark);
    const int light = find(image->px, image->width, image->height, 1, LIGHTER, reach, RADIUS_MIN,
                           ret + kept, max - kept);
    return light < 0 ? light : kept + keep_usual(ret + kept, light);
}

int grid_find_discs(const struct grid_image *image, struct cvshim_spot *ret, int max)
{
    // The surroundings are taken over a third of the picture: within less, stones are the majority.
    return find_both(cvshim_discs, image, longer_side(image) / 3, ret, max);
}

int grid_find_studs(const struct grid_image *image, struct cvshim_spot *ret, int max)
{
    // More than a stone, less than a board.
    return find_both(cvshim_studs, image, longer_side(image) / 16, ret, max);
}
