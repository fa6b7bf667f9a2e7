/* stack.c - see run.h for the contract: encoder and decoder, one loop over the sublayers of a description. */
#include <string.h>

#include "kernels/kernels.h"
#include "layers/embedding.h"
#include "layers/ffn.h"
#include "layers/positions.h"
#include "layers/ssru.h"
#include "model/attend.h"
#include "model/point.h"
#include "model/run.h"

/* Row `row` of run->x from an id and its position, and the points of it. */
static void embed(heed_run *run, const heed_stack *stack, int row, int32_t id, int position) {
    const heed_architecture *a = &run->model->arch;
    const size_t D = (size_t)a->d_model, at = (size_t)row * D;
    const float *vector = stack->embed_positions ? stack->embed_positions + (size_t)position * D : NULL;
    const float scale = stack->arch->embed_scale;
    float *const *points = run->points + stack->first_point;
    if (stack->arch->positions == POSITIONS_COMPUTED) {
        positions_fill(run->y, a->position_offset + position, 1, a->d_model, a->position_layout);
        vector = run->y;
    }
    embedding_forward(run->x + at, id, stack->embed_tokens, scale, vector);
    if (points[AT_EMBEDDING]) embedding_forward(points[AT_EMBEDDING] + at, id, stack->embed_tokens, scale, NULL);
    if (points[AT_POSITIONS] && stack->arch->n_buckets == 0) {
        if (vector) point_note(points[AT_POSITIONS] + at, vector, D);
        else memset(points[AT_POSITIONS] + at, 0, D * sizeof *run->y);
    }
    if (points[AT_INPUT]) point_note(points[AT_INPUT] + at, run->x + at, D);
}

/* Rows [first, first + m) of the input: the same bits, however many are computed together. */
static void feed_rows(heed_run *run, const heed_sublayer *s, const float *x, int first, int m) {
    const int D = run->model->arch.d_model, F = s->arch->ffn_dim;
    const size_t size = (size_t)m * F, at = (size_t)first * F;
    float *linear = s->arch->kind == SUBLAYER_GATED_FEED_FORWARD ? run->linear : NULL;
    float *const *points = run->points + s->first_point;
    input_set(&run->input, x + (size_t)first * D, m, D);
    ffn_factors(run->hidden, linear, &run->input, &s->linears[FC1], &s->linears[FC1_LINEAR], s->arch->activation);
    if (points[AT_FC1]) point_note(points[AT_FC1] + at, run->hidden, size);
    if (linear) {
        if (points[AT_FC1_LINEAR]) point_note(points[AT_FC1_LINEAR] + at, linear, size);
        k_multiply(run->hidden, run->hidden, linear, size);
        if (points[AT_GATED]) point_note(points[AT_GATED] + at, run->hidden, size);
    }
    const int together = s->linears[FC2].weight.is_sparse ? SPARSE_ROWS : m;
    for (int i = 0; i < m; i += together) {
        input_set(&run->input, run->hidden + (size_t)i * F, m - i < together ? m - i : together, F);
        linear_forward(run->y + (size_t)(first + i) * D, &run->input, &s->linears[FC2]);
    }
}

static void feed_forward(heed_run *run, const heed_sublayer *s, const float *x, int n) {
    for (int first = 0; first < n; first += FFN_ROWS) {
        const int left = n - first;
        feed_rows(run, s, x, first, left < FFN_ROWS ? left : FFN_ROWS);
    }
    point_note(run->points[s->first_point + AT_FC2], run->y, (size_t)n * run->model->arch.d_model);
}

/* The tokens in order: each reads the cell of its predecessor, which this pass may have just written. */
static void recur(heed_run *run, const heed_sublayer *s, const heed_rows *rows) {
    const int D = run->model->arch.d_model;
    float *const *points = run->points + s->first_point;
    float *candidate = run->k, *forget = run->q, *cells = points[AT_CELL];
    ssru_gates(candidate, forget, &run->input, &s->linears[CANDIDATE], &s->linears[FORGET]);
    for (int t = 0; t < rows->n; t++) {
        const heed_token *token = &rows->tokens[t];
        const int32_t *own = token->past + token->n_past - 1;
        const size_t at = (size_t)t * D;
        const float *before = token->n_past > 1 ? cache_cell(&run->cache, s->layer, own[-1]) : NULL;
        float *cell = cache_cell(&run->cache, s->layer, *own);
        ssru_step(run->y + at, cell, candidate + at, forget + at, before, D);
        if (cells) point_note(cells + at, cell, (size_t)D);
    }
    point_note(points[AT_CANDIDATE], candidate, (size_t)rows->n * D);
    point_note(points[AT_FORGET], forget, (size_t)rows->n * D);
    point_note(points[AT_OUTPUT], run->y, (size_t)rows->n * D);
}

/*
 * From the embedded rows in run->x to the stack's output in run->x.
 *
 *     post-norm   y = f(x);        x = norm(x + y)
 *     pre-norm    y = f(norm(x));  x = x + y
 */
static void stack_forward(heed_run *run, const heed_stack *stack, const heed_rows *rows) {
    const int D = run->model->arch.d_model, n = rows->n;
    const size_t size = (size_t)n * D;
    float *x = run->x, *y = run->y;

    if (stack->arch->n_buckets > 0) {
        float *wanted = run->points[stack->first_point + AT_POSITIONS];
        const float *bias = run->position_bias[stack->arch->is_causal];
        point_bias(wanted, bias, run->reach, stack->arch->sublayers[0].n_heads, n);
    }
    if (stack->arch->has_embedding_norm) norm_forward(x, x, NULL, &stack->layernorm_embedding, n, D);
    for (int i = 0; i < stack->n_sublayers; i++) {
        const heed_sublayer *s = &stack->sublayers[i];
        const int is_before = s->arch->normalize_before;
        float *normed = run->points[s->norm_point];

        if (is_before) {
            norm_forward(y, x, NULL, &s->norm, n, D);
            point_note(normed, y, size);
        }
        input_set(&run->input, is_before ? y : x, n, D);
        switch (s->arch->kind) {
            case SUBLAYER_SELF_ATTENTION:
            case SUBLAYER_CROSS_ATTENTION: attend_forward(run, s, rows); break;
            case SUBLAYER_SSRU: recur(run, s, rows); break;
            case SUBLAYER_FEED_FORWARD:
            case SUBLAYER_GATED_FEED_FORWARD: feed_forward(run, s, is_before ? y : x, n); break;
        }
        if (is_before) {
            k_add(x, x, y, size);
        } else {
            norm_forward(x, x, y, &s->norm, n, D);
            point_note(normed, x, size);
        }
    }
    if (stack->arch->has_final_norm) norm_forward(x, x, NULL, &stack->layer_norm, n, D);
    point_note(run->points[stack->output_point], x, size);
}

void encoder_forward(heed_run *run, const int32_t *ids, const int *lengths, int n) {
    heed_rows rows = {.lengths = lengths, .n_sentences = n};
    for (int i = 0; i < n; i++)
        for (int t = 0; t < lengths[i]; t++, rows.n++) embed(run, &run->model->encoder, rows.n, ids[rows.n], t);
    stack_forward(run, &run->model->encoder, &rows);
}

void decoder_read_source(heed_run *run, int first, int n, const int32_t *cache_rows) {
    const heed_stack *stack = &run->model->decoder;
    const int D = run->model->arch.d_model;
    input_set(&run->input, run->x + (size_t)first * D, n, D);
    for (int i = 0; i < stack->n_sublayers; i++)
        if (stack->sublayers[i].arch->kind == SUBLAYER_CROSS_ATTENTION)
            attend_read_source(run, &stack->sublayers[i], cache_rows);
}

int decoder_keys(const heed_token *tokens, int n) {
    int most = 0;
    for (int t = 0; t < n; t++)
        if (tokens[t].n_source > most) most = tokens[t].n_source;
    return most;
}

void decoder_forward(heed_run *run, const heed_token *tokens, int n) {
    const heed_rows rows = {.n = n, .tokens = tokens};
    for (int t = 0; t < n; t++) embed(run, &run->model->decoder, t, tokens[t].id, tokens[t].position);
    stack_forward(run, &run->model->decoder, &rows);
}
