/* positions.c - see positions.h for the contract. */
#include "layers/positions.h"

#include <math.h>
#include <stddef.h>

/* Marian's frequency j of n.  A single one has no step: it is 1. */
static float marian_frequency(int j, int n) {
    if (n == 1) return 1.0f;
    const float step = (float)log(10000.0) / (float)(n - 1);
    return (float)exp(-(float)j * step);
}

void positions_fill(float *out, int n, int d, int layout) {
    const int sines = d / 2 + d % 2;
    for (int j = 0; j < sines; j++) {
        const double wavelength = pow(10000.0, 2.0 * j / d);
        const float frequency = layout == POSITIONS_MARIAN_HALVES ? marian_frequency(j, sines) : 0.0f;
        const int sine = layout == POSITIONS_INTERLEAVED ? 2 * j : j;
        const int cosine = layout == POSITIONS_INTERLEAVED ? 2 * j + 1 : sines + j;
        for (int pos = 0; pos < n; pos++) {
            float *row = out + (size_t)pos * (size_t)d;
            const float marian = (float)pos * frequency;
            const double angle = layout == POSITIONS_MARIAN_HALVES ? marian : pos / wavelength;
            row[sine] = (float)sin(angle);
            if (cosine < d) row[cosine] = (float)cos(angle);
        }
    }
}
