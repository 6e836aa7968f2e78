#include "vision/linear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void normal_clear(struct normal_equations *ne, int n)
{
    assert(n > 0 && n <= LINEAR_MAX);
    memset(ne, 0, sizeof *ne);
    ne->n = n;
}

void normal_add(struct normal_equations *ne, const double *jacobian, double residual, double weight)
{
    for (int i = 0; i < ne->n; i++) {
        const double wj = weight * jacobian[i];
        for (int k = i; k < ne->n; k++)
            ne->a[i][k] += wj * jacobian[k];
        ne->b[i] += wj * residual;
    }
}

// Gaussian elimination with partial pivoting: the systems have at most twelve unknowns.
bool normal_solve(const struct normal_equations *ne, double lambda, double *ret_x)
{
    const int n = ne->n;
    double a[LINEAR_MAX][LINEAR_MAX + 1] = {{0}};
    double largest = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            a[i][k] = i <= k ? ne->a[i][k] : ne->a[k][i];
        a[i][i] *= 1 + lambda;
        a[i][n] = ne->b[i];
        largest = fmax(largest, fabs(a[i][i]));
    }
    for (int col = 0; col < n; col++) {
        int pivot = col;
        for (int i = col + 1; i < n; i++)
            if (fabs(a[i][col]) > fabs(a[pivot][col]))
                pivot = i;
        if (!(fabs(a[pivot][col]) > largest * 1e-15))
            return false;
        for (int k = 0; k <= n; k++) {
            const double swap = a[col][k];
            a[col][k] = a[pivot][k];
            a[pivot][k] = swap;
        }
        for (int i = col + 1; i < n; i++) {
            const double factor = a[i][col] / a[col][col];
            for (int k = col; k <= n; k++)
                a[i][k] -= factor * a[col][k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = a[i][n];
        for (int k = i + 1; k < n; k++)
            sum -= a[i][k] * ret_x[k];
        ret_x[i] = sum / a[i][i];
    }
    return true;
}
