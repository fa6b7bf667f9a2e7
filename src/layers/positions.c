/* positions.c - see positions.h for the contract. */
#include "layers/positions.h"

#include <math.h>
#include <stddef.h>

void positions_fill(float *out, int n, int d, int layout) {
    const int sines = d / 2 + d % 2;
    for (int j = 0; j < sines; j++) {
        const double wavelength = pow(10000.0, 2.0 * j / d);
        const int sine = layout == POSITIONS_HALVES ? j : 2 * j;
        const int cosine = layout == POSITIONS_HALVES ? sines + j : 2 * j + 1;
        for (int pos = 0; pos < n; pos++) {
            float *row = out + (size_t)pos * (size_t)d;
            const double angle = pos / wavelength;
            row[sine] = (float)sin(angle);
            if (cosine < d) row[cosine] = (float)cos(angle);
        }
    }
}
