/* relative.c - see relative.h for the contract. */
#include "layers/relative.h"

#include <math.h>
#include <stddef.h>

int relative_bucket(int distance, int n_buckets, int max_distance, int is_causal) {
    const int n = is_causal ? n_buckets : n_buckets / 2, exact = n / 2;
    const int first = !is_causal && distance > 0 ? n : 0;
    const int away = distance < 0 ? -distance : is_causal ? 0 : distance;
    if (away < exact) return first + away;
    const double part = log((double)away / exact) / log((double)max_distance / exact);
    const int bucket = away < max_distance ? exact + (int)(part * (n - exact)) : n - 1;
    return first + (bucket < n ? bucket : n - 1);
}

void relative_fill(float *out, const float *table, int n_heads, int reach, int n_buckets, int max_distance,
                   int is_causal) {
    const int row = 2 * reach - 1;
    for (int i = 0; i < row; i++) {
        const int bucket = relative_bucket(i - reach + 1, n_buckets, max_distance, is_causal);
        for (int h = 0; h < n_heads; h++) out[(size_t)h * row + i] = table[(size_t)bucket * n_heads + h];
    }
}
