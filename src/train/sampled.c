/* sampled.c - see sampled.h for the contract. */
#include "train/sampled.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "train/random.h"

void sampled_layout(heed_sampled *s, heed_arena *arena, const heed_parameters *p, int max_rows, int words) {
    *s = (heed_sampled){.words = words};
    if (words == 0) return;
    const size_t V = (size_t)p->arch.decoder.vocabulary, D = (size_t)p->arch.d_model;
    const size_t most = (size_t)words + (size_t)max_rows, n = most < V ? most : V;
    s->ids = arena_push(arena, n, sizeof *s->ids);
    s->place = arena_push(arena, V, sizeof *s->place);
    s->weights = arena_floats(arena, n, D + 1, 1);
    s->gradients = arena_floats(arena, n, D, 1);
}

void sampled_begin(heed_sampled *s, const heed_parameters *p) {
    s->columns = (loss_columns){.vocabulary = p->arch.decoder.vocabulary, .weight = 1.0f};
    memset(s->place, -1, (size_t)s->columns.vocabulary * sizeof *s->place);
}

void sampled_take(heed_sampled *s, int32_t id) {
    if (s->place[id] >= 0) return;
    s->place[id] = s->columns.n;
    s->ids[s->columns.n++] = id;
}

/*
 * Takes n words of those that are not taken, each as likely as the next.  If these are most of them, the few that are
 * left out are drawn instead, because the last of many would be hit seldom: no more than V numbers are needed in the
 * mean.
 */
static void draw(heed_sampled *s, int n, uint64_t key) {
    enum { LEFT_OUT = -2 };
    const int V = s->columns.vocabulary, out = V - s->columns.n - n, end = s->columns.n + n;
    uint64_t i = 0;
    if (n <= out) {
        while (s->columns.n < end) sampled_take(s, (int32_t)(random_uniform(key, i++) * (double)V));
        return;
    }
    for (int left = out; left > 0;) {
        int32_t *place = &s->place[(int32_t)(random_uniform(key, i++) * (double)V)];
        left -= *place == -1;
        if (*place == -1) *place = LEFT_OUT;
    }
    for (int32_t id = 0; id < V; id++) {
        if (s->place[id] == LEFT_OUT) s->place[id] = -1;
        else sampled_take(s, id);
    }
}

void sampled_draw(heed_sampled *s, const heed_parameters *p, const float *weights, uint64_t key) {
    loss_columns *c = &s->columns;
    const int V = c->vocabulary, others = V - c->n, half = (s->words + 1) / 2;
    const int wanted = s->words - c->n > half ? s->words - c->n : half, drawn = wanted < others ? wanted : others;
    c->certain = c->n;
    draw(s, drawn, key);
    if (drawn < others) c->weight = (float)others / (float)drawn;

    const size_t D = (size_t)p->arch.d_model;
    const float *rows = weights + p->output, *bias = weights + p->final_logits_bias;
    float *const biases = s->weights + (size_t)c->n * D, extra = logf(c->weight);
    for (int i = 0; i < c->n; i++) {
        memcpy(s->weights + (size_t)i * D, rows + (size_t)s->ids[i] * D, D * sizeof *rows);
        biases[i] = bias[s->ids[i]] + (i < c->certain ? 0.0f : extra);
    }
    memset(s->gradients, 0, (size_t)c->n * D * sizeof *s->gradients);
}

void sampled_add(const heed_sampled *s, const heed_parameters *p, float *gradients) {
    const size_t D = (size_t)p->arch.d_model;
    for (int i = 0; i < s->columns.n; i++) {
        float *row = gradients + p->output + (size_t)s->ids[i] * D;
        k_add(row, row, s->gradients + (size_t)i * D, D);
    }
}
