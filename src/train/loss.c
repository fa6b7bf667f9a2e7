/* loss.c - see loss.h for the contract. */
#include "train/loss.h"

#include <float.h>
#include <math.h>

#include "train/vector.h"

/* The sum of x [n]; *max becomes the greatest of *max and x. */
static float sum_and_max(const float *x, int n, float *max) {
    const int whole = n - n % LANES;
    vec greatest = vec_all(*max), total = vec_all(0.0f);
    for (int i = 0; i < whole; i += LANES) {
        const vec v = vec_load(x + i);
        greatest = vec_max(v, greatest);
        total += v;
    }
    float sum = vec_sum(total);
    *max = vec_greatest(greatest);
    for (int i = whole; i < n; i++) {
        *max = x[i] > *max ? x[i] : *max;
        sum += x[i];
    }
    return sum;
}

double cross_entropy(float *logits, int label, const loss_columns *columns, float smoothing, float scale,
                     double *likelihood) {
    const int n = columns->n, certain = columns->certain, whole = n - n % LANES;
    const float weight = columns->weight, V = (float)columns->vocabulary, target = logits[label];

    float max = target;
    const float ones = sum_and_max(logits, certain, &max);
    const float others = sum_and_max(logits + certain, n - certain, &max) - logf(weight) * (float)(n - certain);
    const float mean = (ones + weight * others) / V;

    /* e^(x - max), kept in place of x: one exponential serves the loss and its gradient */
    vec sums = vec_all(0.0f);
    for (int i = 0; i < whole; i += LANES) {
        const vec e = vec_exp(vec_load(logits + i) - max);
        vec_store(logits + i, e);
        sums += e;
    }
    if (whole < n) {
        const vec e = vec_exp(vec_load_part(logits + whole, n - whole, -INFINITY) - max);
        vec_store_part(logits + whole, e, n - whole);
        sums += e;
    }
    const float sum = vec_sum(sums);

    if (scale != 0.0f) {
        const float factor = scale / sum, shift = scale * smoothing / V;
        for (int i = 0; i < certain; i++) logits[i] = logits[i] * factor - shift;
        for (int i = certain; i < n; i++) logits[i] = logits[i] * factor - shift * weight;
        logits[label] -= scale * (1.0f - smoothing);
    }
    /* in double: the differences of finite-difference tests are in the last bits */
    const double log_sum = (double)max + log((double)sum);
    *likelihood += log_sum - target;
    return (1.0 - smoothing) * (log_sum - target) + smoothing * (log_sum - mean);
}

double alignment_loss(float *dscores, const float *probs, int n_key, const heed_link *links, int n, float scale,
                      int *linked) {
    const size_t S = (size_t)n_key;
    double loss = 0.0;
    for (int i = 0, end; i < n; i = end) {
        const size_t row = (size_t)links[i].target * S;
        for (end = i + 1; end < n && links[end].target == links[i].target; end++) {}
        const float share = 1.0f / (float)(end - i);
        if (dscores)
            for (size_t s = 0; s < S; s++) dscores[row + s] = scale * probs[row + s];
        for (int k = i; k < end; k++) {
            /* a probability that has run out of float's range keeps its gradient, and a finite loss */
            const float p = probs[row + (size_t)links[k].source];
            loss -= (double)share * log(p > FLT_MIN ? (double)p : (double)FLT_MIN);
            if (dscores) dscores[row + (size_t)links[k].source] -= scale * share;
        }
        ++*linked;
    }
    return loss;
}
