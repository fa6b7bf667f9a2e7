/* sublayer.c - see sublayer.h for the contract: what is around a sublayer, and all kinds but attention. */
#include "train/sublayer.h"

#include <string.h>

#include "kernels/kernels.h"
#include "layers/ffn.h"
#include "train/attend.h"
#include "train/backward.h"
#include "train/rows.h"

void sublayer_layout(pass_sublayer *kept, heed_arena *arena, const heed_pass *pass, const architecture_sublayer *arch) {
    const size_t R = (size_t)pass->max_rows, D = (size_t)pass->parameters->arch.d_model;
    switch (arch->kind) {
        case SUBLAYER_SELF_ATTENTION:
        case SUBLAYER_CROSS_ATTENTION:
            kept->q = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->k = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->v = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->mix = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->probs = arena_floats(arena, (size_t)arch->n_heads, (size_t)pass->max_cells, 1);
            break;
        case SUBLAYER_SSRU:
            kept->candidate = arena_floats(arena, R, D, 1);
            kept->forget = arena_floats(arena, R, D, 1);
            kept->cells = arena_floats(arena, R, D, 1);
            break;
        case SUBLAYER_FEED_FORWARD: kept->pre = arena_floats(arena, R, (size_t)arch->ffn_dim, 1); break;
        case SUBLAYER_GATED_FEED_FORWARD:
            kept->pre = arena_floats(arena, R, (size_t)arch->ffn_dim, 1);
            kept->linear = arena_floats(arena, R, (size_t)arch->ffn_dim, 1);
            break;
    }
}

static void sublayer_begin(const heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    if (w->arch->normalize_before)
        normalize(pass, other_at(pass, s, i), stream_at(pass, s, i), &w->norm, stack_rows(pass, s));
}

/* Adds the sublayer's output, pass->dy [R, D], to the stream. */
static void sublayer_end(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    const int rows = stack_rows(pass, s);
    const size_t n = (size_t)rows * pass->parameters->arch.d_model;
    dropout(pass->dy, n, pass->dropout, dropout_key(pass, s, i));
    if (w->arch->normalize_before) {
        k_add(stream_at(pass, s, i + 1), stream_at(pass, s, i), pass->dy, n);
    } else {
        k_add(other_at(pass, s, i), stream_at(pass, s, i), pass->dy, n);
        normalize(pass, stream_at(pass, s, i + 1), other_at(pass, s, i), &w->norm, rows);
    }
}

/*
 * pass->dx is the gradient of stream[i+1].  Sets pass->dy to the gradient of the sublayer's output.  With post-norm, dx
 * becomes the gradient of other[i].
 */
static void sublayer_end_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    if (!w->arch->normalize_before)
        norm_backward(&pass->context, pass->dx, pass->dx, other_at(pass, s, i), &w->norm, rows, D);
    memcpy(pass->dy, pass->dx, (size_t)rows * D * sizeof *pass->dy);
    dropout(pass->dy, (size_t)rows * D, pass->dropout, dropout_key(pass, s, i));
}

static void sublayer_begin_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    if (!w->arch->normalize_before) return;
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    norm_backward(&pass->context, pass->dn, pass->dn, stream_at(pass, s, i), &w->norm, rows, D);
    k_add(pass->dx, pass->dx, pass->dn, (size_t)rows * D);
}

/* hidden = activation(pre) */
static void activate(heed_pass *pass, const pass_stack *s, int i, size_t n) {
    memcpy(pass->hidden, s->sublayers[i].pre, n * sizeof *pass->hidden);
    activation_forward(pass->hidden, n, s->weights->sublayers[i].arch->activation);
}

static void feed_forward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const int rows = stack_rows(pass, s);
    affine_forward(&pass->context, s->sublayers[i].pre, input_at(pass, s, i), &w[FC1], rows);
    activate(pass, s, i, (size_t)rows * w[FC1].rows);
    affine_forward(&pass->context, pass->dy, pass->hidden, &w[FC2], rows);
}

static void feed_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const int rows = stack_rows(pass, s);
    const heed_activation activation = s->weights->sublayers[i].arch->activation;
    const size_t n = (size_t)rows * w[FC1].rows;
    int add;
    float *din = input_gradient(pass, s, i, &add);
    activate(pass, s, i, n);
    affine_backward(&pass->context, pass->dhidden, pass->dy, pass->hidden, &w[FC2], rows, 0);
    activation_backward(pass->dhidden, pass->dhidden, s->sublayers[i].pre, n, activation);
    affine_backward(&pass->context, din, pass->dhidden, input_at(pass, s, i), &w[FC1], rows, add);
}

static void gated_feed_forward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const int rows = stack_rows(pass, s);
    const size_t n = (size_t)rows * w[FC1].rows;
    affine_forward(&pass->context, kept->pre, input_at(pass, s, i), &w[FC1], rows);
    affine_forward(&pass->context, kept->linear, input_at(pass, s, i), &w[FC1_LINEAR], rows);
    activate(pass, s, i, n);
    k_multiply(pass->hidden, pass->hidden, kept->linear, n);
    affine_forward(&pass->context, pass->dy, pass->hidden, &w[FC2], rows);
}

/* y = W2 (h * l),  h = activation(pre):  dh = l * (W2^T dy),  dl = h * (W2^T dy) */
static void gated_feed_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const int rows = stack_rows(pass, s);
    const size_t n = (size_t)rows * w[FC1].rows;
    const float *in = input_at(pass, s, i);
    int add;
    float *din = input_gradient(pass, s, i, &add), *hidden = pass->hidden, *product = pass->gate;
    activate(pass, s, i, n);
    k_multiply(product, hidden, kept->linear, n);
    affine_backward(&pass->context, pass->dhidden, pass->dy, product, &w[FC2], rows, 0);
    k_multiply(hidden, hidden, pass->dhidden, n); /* dl */
    affine_backward(&pass->context, din, hidden, in, &w[FC1_LINEAR], rows, add);
    k_multiply(pass->dhidden, pass->dhidden, kept->linear, n); /* dh */
    activation_backward(pass->dhidden, pass->dhidden, kept->pre, n, s->weights->sublayers[i].arch->activation);
    affine_backward(&pass->context, din, pass->dhidden, in, &w[FC1], rows, 1);
}

static void recur(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const float *in = input_at(pass, s, i);
    const int rows = stack_rows(pass, s);
    const size_t D = (size_t)pass->parameters->arch.d_model;
    affine_forward(&pass->context, kept->candidate, in, &w[CANDIDATE], rows);
    affine_forward(&pass->context, kept->forget, in, &w[FORGET], rows);
    k_sigmoid(kept->forget, (size_t)rows * D);
    size_t at = 0;
    for (int pair = 0; pair < pass->n_pairs; pair++)
        for (int t = 0; t < pair_length(pass, pair, s->is_decoder); t++, at += D)
            k_ssru(pass->dy + at, kept->cells + at, kept->candidate + at, kept->forget + at,
                   t ? kept->cells + at - D : NULL, D);
}

static void recur_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const float *in = input_at(pass, s, i);
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    float *const du = pass->dq, *const dz = pass->dk;
    int add;
    float *din = input_gradient(pass, s, i, &add);
    size_t at = 0;
    for (int pair = 0; pair < pass->n_pairs; pair++) {
        const int T = pair_length(pass, pair, s->is_decoder);
        ssru_backward(du + at, dz + at, pass->dy + at, kept->candidate + at, kept->forget + at, kept->cells + at,
                      pass->hidden, T, D);
        at += (size_t)T * D;
    }
    affine_backward(&pass->context, din, du, in, &w[CANDIDATE], rows, add);
    affine_backward(&pass->context, din, dz, in, &w[FORGET], rows, 1);
}

void sublayer_forward(heed_pass *pass, const pass_stack *s, int i) {
    sublayer_begin(pass, s, i);
    switch (s->weights->sublayers[i].arch->kind) {
        case SUBLAYER_SELF_ATTENTION:
        case SUBLAYER_CROSS_ATTENTION: attend_pairs(pass, s, i); break;
        case SUBLAYER_SSRU: recur(pass, s, i); break;
        case SUBLAYER_FEED_FORWARD: feed_forward(pass, s, i); break;
        case SUBLAYER_GATED_FEED_FORWARD: gated_feed_forward(pass, s, i); break;
    }
    sublayer_end(pass, s, i);
}

void sublayer_backward(heed_pass *pass, const pass_stack *s, int i) {
    sublayer_end_backward(pass, s, i);
    switch (s->weights->sublayers[i].arch->kind) {
        case SUBLAYER_SELF_ATTENTION:
        case SUBLAYER_CROSS_ATTENTION: attend_pairs_backward(pass, s, i); break;
        case SUBLAYER_SSRU: recur_backward(pass, s, i); break;
        case SUBLAYER_FEED_FORWARD: feed_backward(pass, s, i); break;
        case SUBLAYER_GATED_FEED_FORWARD: gated_feed_backward(pass, s, i); break;
    }
    sublayer_begin_backward(pass, s, i);
}
