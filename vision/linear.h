// linear: small dense systems of linear equations (least squares by normal equations).
#pragma once

#include <stdbool.h>

enum { LINEAR_MAX = 12 }; // unknowns

// Symmetric normal equations of a weighted least-squares problem, filled row by row.
struct normal_equations {
    int n;
    double a[LINEAR_MAX][LINEAR_MAX], b[LINEAR_MAX];
};

void normal_clear(struct normal_equations *ne, int n);
// Adds the equation jacobian . x = residual with a weight (weight >= 0).
void normal_add(struct normal_equations *ne, const double *jacobian, double residual,
                double weight);
// Solves (A + lambda diag(A)) x = b. false: singular.
bool normal_solve(const struct normal_equations *ne, double lambda, double *ret_x);
