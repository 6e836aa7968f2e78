#include "config/base/spacing.h"

// Half the part of a place that the seam is squeezed into.
#define HALF 0.1

static double middle(const struct spacing *s)
{
    return (s->count - 1) / 2.0;
}

double spacing_at(const struct spacing *s, double place)
{
    const double beyond = (place - middle(s) + HALF) / (2 * HALF);
    const double share = beyond <= 0 ? 0 : beyond >= 1 ? 1 : beyond;
    return place * s->pitch + share * s->seam;
}

double spacing_place(const struct spacing *s, double length)
{
    const double from = (middle(s) - HALF) * s->pitch, strip = 2 * HALF * s->pitch + s->seam;
    if (length <= from)
        return length / s->pitch;
    if (length >= from + strip)
        return (length - s->seam) / s->pitch;
    return middle(s) - HALF + 2 * HALF * (length - from) / strip;
}

double spacing_length(const struct spacing *s)
{
    return (s->count - 1) * s->pitch + s->seam;
}

double spacing_step(const struct spacing *s, double place)
{
    const double off = place - middle(s);
    return s->pitch + (off > -HALF && off < HALF ? s->seam / (2 * HALF) : 0);
}
