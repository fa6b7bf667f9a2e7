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

void positions_fill(float *out, int first, int n, int d, int layout) {
    const int is_marian = layout == POSITIONS_MARIAN_HALVES;
    const int sines = d / 2 + d % 2;
    for (int j = 0; j < sines; j++) {
        const double wavelength = is_marian ? 0.0 : pow(10000.0, 2.0 * j / d);
        const float frequency = is_marian ? marian_frequency(j, sines) : 0.0f;
        const int sine = layout == POSITIONS_INTERLEAVED ? 2 * j : j;
        const int cosine = layout == POSITIONS_INTERLEAVED ? 2 * j + 1 : sines + j;
        for (int i = 0; i < n; i++) {
            float *row = out + (size_t)i * (size_t)d;
            const int pos = first + i;
            const float marian = (float)pos * frequency;
            const double angle = is_marian ? marian : pos / wavelength;
            row[sine] = (float)sin(angle);
            if (cosine < d) row[cosine] = (float)cos(angle);
        }
    }
}
