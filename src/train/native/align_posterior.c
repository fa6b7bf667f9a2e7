/* align_posterior.c - see align_posterior.h for the contract. */
#include "train/native/align_posterior.h"

#include <string.h>

/* The probability that a word has no word, and the part of a jump's probability that is the same for all jumps. */
#define EMPTY 0.02f
#define EVEN  0.1f

void posterior_even(float *p, const float *t, const float *empty, int I, int J) {
    const float each = (1.0f - EMPTY) / (float)I;
    for (int j = 0; j < J; j++) {
        float sum = EMPTY * empty[j];
        for (int i = 0; i < I; i++) sum += each * t[j * I + i];
        for (int i = 0; i < I; i++) p[j * I + i] = each * t[j * I + i] / sum;
    }
}

/*
 * State i' is the last word that wrote a word; I is the start.  Words of no word keep the state, so they share its
 * future.
 */
void posterior_hidden(float *p, const float *t, const float *empty, int I, int J, const float *jump, float *jumps,
                      posterior_scratch *s) {
    const int learn = jumps != NULL;
    float *const move = s->move;
    for (int from = 0; from <= I; from++) {
        const float *to = jump + ALIGN_LONGEST - (from < I ? from : -1); /* the start is before word 0 */
        float sum = 0.0f;
        for (int i = 0; i < I; i++) sum += to[i];
        for (int i = 0; i < I; i++)
            move[from * I + i] = (1.0f - EMPTY) * ((1.0f - EVEN) * to[i] / sum + EVEN / (float)I);
    }
    const int N = I + 1;
    for (int j = 0; j < J; j++) {
        float *here = s->here + j * N, *stay = s->stay + j * N, sum = 0.0f;
        const float *before = here - N;
        if (j == 0) {
            for (int i = 0; i < I; i++) here[i] = move[I * I + i], stay[i] = 0.0f;
            stay[I] = EMPTY * empty[0];
        } else {
            for (int i = 0; i < I; i++) here[i] = 0.0f;
            for (int from = 0; from <= I; from++) {
                const float b = before[from], *m = move + from * I;
                for (int i = 0; i < I; i++) here[i] += b * m[i];
            }
            for (int i = 0; i <= I; i++) stay[i] = EMPTY * empty[j] * before[i];
        }
        for (int i = 0; i < I; i++) {
            here[i] = here[i] * t[j * I + i] + stay[i];
            sum += here[i];
        }
        here[I] = stay[I];
        sum += stay[I];
        const float scale = 1.0f / sum;
        for (int i = 0; i <= I; i++) here[i] *= scale, stay[i] *= scale;
    }
    if (learn) memset(s->moves, 0, (size_t)N * I * sizeof *s->moves);
    float *future = s->future[0], *past = s->future[1];
    for (int i = 0; i <= I; i++) future[i] = 1.0f;
    for (int j = J - 1; j >= 0; j--) {
        const float *here = s->here + j * N, *stay = s->stay + j * N;
        float sum = 0.0f;
        for (int i = 0; i <= I; i++) sum += here[i] * future[i];
        const float scale = 1.0f / sum;
        for (int i = 0; i < I; i++) {
            const float wrote = (here[i] - stay[i]) * future[i] * scale;
            p[j * I + i] = wrote > 0.0f ? wrote : 0.0f;
            s->ahead[i] = t[j * I + i] * future[i];
        }
        if (j == 0 && !learn) break;
        /* for each move [from, i]: the probability of what follows, and how often the move is used */
        const float *before = j > 0 ? here - N : NULL;
        float total = 0.0f, norm = 0.0f;
        for (int from = j > 0 ? 0 : I; from <= I; from++) {
            const float *m = move + from * I;
            float dot = 0.0f;
            for (int i = 0; i < I; i++) dot += m[i] * s->ahead[i];
            past[from] = dot + EMPTY * empty[j] * future[from];
            total += past[from] * (before ? before[from] : 1.0f);
            norm = past[from] > norm ? past[from] : norm;
        }
        if (learn)
            for (int from = j > 0 ? 0 : I; from <= I; from++) {
                const float b = (before ? before[from] : 1.0f) / total;
                for (int i = 0; i < I; i++) s->moves[from * I + i] += b * s->ahead[i];
            }
        for (int i = 0; i <= I && j > 0; i++) past[i] /= norm;
        float *other = future;
        future = past;
        past = other;
    }
    if (!learn) return;
    memset(jumps, 0, JUMPS * sizeof *jumps);
    for (int from = 0; from <= I; from++)
        for (int i = 0; i < I; i++)
            jumps[ALIGN_LONGEST + i - (from < I ? from : -1)] += s->moves[from * I + i] * move[from * I + i];
}
