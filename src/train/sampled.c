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

void sampled_draw(heed_sampled *s, const heed_parameters *p, const float *weights, uint64_t key) {
    loss_columns *c = &s->columns;
    const int V = c->vocabulary, others = V - c->n, half = (s->words + 1) / 2;
    const int wanted = s->words - c->n > half ? s->words - c->n : half, drawn = wanted < others ? wanted : others;
    c->certain = c->n;
    if (drawn == others) {
        for (int32_t id = 0; id < V; id++) sampled_take(s, id);
    } else {
        for (uint64_t i = 0; c->n < c->certain + drawn; i++)
            sampled_take(s, (int32_t)(random_uniform(key, i) * (double)V));
        c->weight = (float)others / (float)drawn;
    }

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
