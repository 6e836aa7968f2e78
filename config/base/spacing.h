// spacing: where the points of a board lie along one of its sides.
//
// Points are `pitch` apart. Where a board is made of blocks that turn (Pentago's), the two halves
// of a side are further apart by `seam`: with six points and a seam of 8 mm the fourth lies
// 3 * pitch + 8 from the first.
//
// A *place* is counted in points: whole numbers are points, 1.5 is the middle between the second
// and the third. Within 0.4 of a point a hundredth of a place is a hundredth of the pitch, on both
// sides of the seam; the seam itself is squeezed into what remains between the two halves. So
// whoever looks around a point in places need not know of the seam.
//
// Lengths are in whatever unit pitch and seam have: millimetres, or cells with a pitch of 1.
#pragma once

struct spacing {
    int count;    // points, at least 2; even where there is a seam
    double pitch; // between neighbours, > 0
    double seam;  // by which the two in the middle are further apart, >= 0
};

double spacing_at(const struct spacing *s, double place);     // length from the first point
double spacing_place(const struct spacing *s, double length); // the reverse of spacing_at()
double spacing_length(const struct spacing *s);               // from the first point to the last
// How many units of length a step of a place is worth there: the pitch, but for the seam.
double spacing_step(const struct spacing *s, double place);
