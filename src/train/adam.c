/* adam.c - see adam.h for the contract. */
#include "train/adam.h"

#include <math.h>

static const double BETA1 = 0.9, BETA2 = 0.98, EPSILON = 1e-9;

double gradient_norm(const float *g, size_t n) {
    /* Floats sum within a strip, doubles sum the strips. */
    enum { STRIP = 1024, LANES_APART = 16 };
    double total = 0.0;
    for (size_t first = 0; first < n; first += STRIP) {
        const size_t end = n - first < STRIP ? n : first + STRIP;
        float sums[LANES_APART] = {0};
        size_t i = first;
        for (; end - i >= LANES_APART; i += LANES_APART)
            for (int j = 0; j < LANES_APART; j++) sums[j] += g[i + (size_t)j] * g[i + (size_t)j];
        for (; i < end; i++) sums[0] += g[i] * g[i];
        for (int j = 0; j < LANES_APART; j++) total += sums[j];
    }
    return sqrt(total);
}

void adam_update(float *w, float *m, float *v, const float *g, size_t n, float factor, double rate, double step) {
    const float b1 = (float)BETA1, b2 = (float)BETA2, epsilon = (float)EPSILON;
    const float step_size = (float)(rate / (1.0 - pow(BETA1, step)));
    const float root = (float)(1.0 / sqrt(1.0 - pow(BETA2, step)));
    for (size_t i = 0; i < n; i++) {
        const float gi = g[i] * factor;
        m[i] = b1 * m[i] + (1.0f - b1) * gi;
        v[i] = b2 * v[i] + (1.0f - b2) * (gi * gi);
        w[i] -= step_size * m[i] / (sqrtf(v[i]) * root + epsilon);
    }
}

double learning_rate(int schedule, double peak, double warmup, double total, double step) {
    if (step < warmup) return peak * step / warmup;
    if (schedule == SCHEDULE_CONSTANT) return peak;
    if (schedule == SCHEDULE_INVERSE_SQRT) return warmup > 0.0 ? peak * sqrt(warmup / step) : peak / sqrt(step);
    if (step >= total) return 0.0;
    return peak * 0.5 * (1.0 + cos(3.141592653589793 * (step - warmup) / (total - warmup)));
}
