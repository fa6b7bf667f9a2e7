/* muon.c - see muon.h for the contract. */
#include "train/muon.h"

#include <math.h>

#include "train/adam.h"

static const float MOMENTUM = 0.95f;
/* Jordan's quintic: the steepest at 0 that keeps singular values near 1. */
static const float A = 3.4445f, B = -4.7750f, C = 2.0315f;
/* Below this a matrix counts as 0. */
static const double LEAST_NORM = 1e-7;
/* The root mean square of a step of Adam is about this times the rate. */
static const double STEP_OF_ADAM = 0.2;
enum { TURNS = 5 };

/* x and next have its shape; s and polynomial are squares of its shorter side. */
size_t muon_floats(size_t n) { return 4 * n; }

void muon_update(float *w, float *m, const float *g, int rows, int cols, float factor, double rate,
                 const heed_gemm *gemm, float *space, float *scratch) {
    const int is_tall = rows > cols, least = is_tall ? cols : rows, most = is_tall ? rows : cols;
    const size_t n = (size_t)rows * cols, square = (size_t)least * least;
    float *x = space, *next = x + n, *s = next + n, *polynomial = s + square;
    for (size_t i = 0; i < n; i++) {
        const float gi = g[i] * factor;
        m[i] += (1.0f - MOMENTUM) * (gi - m[i]);
        x[i] = gi + MOMENTUM * (m[i] - gi);
    }
    const double norm = gradient_norm(x, n);
    const float whole = (float)(1.0 / (norm > LEAST_NORM ? norm : LEAST_NORM));
    for (size_t i = 0; i < n; i++) x[i] *= whole;

    for (int turn = 0; turn < TURNS; turn++) {
        /* of the shorter side: x x^T, or x^T x, whose polynomial stands on the other side of x */
        gemm->multiply(s, least, x, cols, is_tall, x, cols, !is_tall, least, least, most, 0, scratch);
        for (size_t i = 0; i < square; i++) polynomial[i] = B / C * s[i];
        gemm->multiply(polynomial, least, s, least, 0, s, least, 0, least, least, least, 1, scratch);
        for (size_t i = 0; i < square; i++) polynomial[i] *= C;
        for (size_t i = 0; i < n; i++) next[i] = A * x[i];
        if (is_tall) gemm->multiply(next, cols, x, cols, 0, polynomial, least, 0, rows, cols, least, 1, scratch);
        else gemm->multiply(next, cols, polynomial, least, 0, x, cols, 0, rows, cols, least, 1, scratch);
        float *const other = x;
        x = next;
        next = other;
    }
    const float step = (float)(rate * STEP_OF_ADAM * sqrt((double)most));
    for (size_t i = 0; i < n; i++) w[i] -= step * x[i];
}
