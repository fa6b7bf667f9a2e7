/* attend.c - see attend.h for the contract. */
#include "model/attend.h"

#include <math.h>
#include <string.h>

#include "layers/attention.h"
#include "model/point.h"

/* The address for the tensor at point `at` of the sublayer, or NULL if it is not wanted. */
static float *point_of(const heed_run *run, const heed_sublayer *s, int at) { return run->points[s->first_point + at]; }

/* values [n, A] */
static void note(const heed_run *run, const heed_sublayer *s, int at, const float *values, int n) {
    point_note(point_of(run, s, at), values, (size_t)n * s->arch->inner_dim);
}

static void project_keys(heed_run *run, const heed_sublayer *s) {
    linear_forward(run->k, &run->input, &s->linears[K_PROJ]);
    linear_forward(run->v, &run->input, &s->linears[V_PROJ]);
    note(run, s, AT_K, run->k, run->input.m);
    note(run, s, AT_V, run->v, run->input.m);
}

static heed_attention_shape shape_of(const heed_run *run, const heed_sublayer *s, const float *position_bias) {
    const int n_heads = s->arch->n_heads, A = s->arch->inner_dim;
    return (heed_attention_shape){.n_heads = n_heads,
                                  .width = A,
                                  .scale = s->arch->is_scaled ? 1.0f / sqrtf((float)(A / n_heads)) : 1.0f,
                                  .bias = s->arch->has_position_bias ? position_bias + run->reach - 1 : NULL,
                                  .bias_head = 2 * (size_t)run->reach - 1,
                                  .disabled = run->disabled + s->first_head};
}

/* Attention of every row over the rows of its sentence.  No other step knows where a sentence begins and ends. */
static void attend_sentences(heed_run *run, const heed_sublayer *s, const heed_rows *rows) {
    float *probs = point_of(run, s, AT_WEIGHTS), *scores = point_of(run, s, AT_SCORES);
    heed_attention_shape shape = shape_of(run, s, run->position_bias[0]);
    size_t start = 0;
    for (int i = 0; i < rows->n_sentences; i++) {
        const int S = rows->lengths[i];
        shape.n_query = shape.n_key = S;
        shape.probs_row = (size_t)S;
        shape.probs_head = (size_t)S * S;
        attention_forward(run->mix + start, probs, run->q + start, run->k + start, run->v + start, &shape,
                          run->scratch);
        for (int t = 0; scores && t < S; t++)
            point_scores(scores, run->q + (size_t)t * shape.width, run->k, &shape, t, t, S, S);
        start += (size_t)S * shape.width;
    }
}

/* Attention of every token over a list of cache rows: those of its past or of its source. */
static void attend_cache(heed_run *run, const heed_sublayer *s, const heed_token *tokens, int n) {
    const int is_cross = s->arch->kind == SUBLAYER_CROSS_ATTENTION, cols = is_cross ? decoder_keys(tokens, n) : n;
    const float *keys = cache_keys(&run->cache, s->layer), *values = cache_values(&run->cache, s->layer);
    float *weights = point_of(run, s, AT_WEIGHTS), *scores = point_of(run, s, AT_SCORES);
    heed_attention_shape shape = shape_of(run, s, run->position_bias[1]);
    const float *bias = shape.bias;
    shape.n_query = 1;
    shape.probs_row = (size_t)cols;
    shape.probs_head = (size_t)n * cols;

    for (int t = 0; t < n; t++) {
        const size_t row = (size_t)t * shape.width;
        shape.n_key = is_cross ? tokens[t].n_source : tokens[t].n_past;
        shape.key_rows = is_cross ? tokens[t].source : tokens[t].past;
        if (bias) shape.bias = bias - tokens[t].position; /* the only query is 0 to attention */
        float *probs = weights ? weights + (size_t)t * cols : NULL;
        attention_forward(run->mix + row, probs, run->q + row, keys, values, &shape, run->scratch);
        for (int h = 0; probs && h < shape.n_heads; h++) /* the future is masked: exactly 0 */
            memset(probs + h * shape.probs_head + shape.n_key, 0, (size_t)(cols - shape.n_key) * sizeof *probs);
        point_scores(scores, run->q + row, keys, &shape, 0, t, n, cols);
    }
}

void attend_forward(heed_run *run, const heed_sublayer *s, const heed_rows *rows) {
    const int A = s->arch->inner_dim, n = rows->n;
    linear_forward(run->q, &run->input, &s->linears[Q_PROJ]);
    if (s->arch->kind == SUBLAYER_SELF_ATTENTION) {
        project_keys(run, s);
        for (int t = 0; rows->tokens && t < n; t++) {
            const heed_token *token = &rows->tokens[t];
            cache_write(&run->cache, s->layer, token->past[token->n_past - 1], run->k + (size_t)t * A,
                        run->v + (size_t)t * A);
        }
    }
    if (rows->tokens) attend_cache(run, s, rows->tokens, n);
    else attend_sentences(run, s, rows);
    note(run, s, AT_Q, run->q, n);
    note(run, s, AT_CONTEXT, run->mix, n);
    input_set(&run->input, run->mix, n, A);
    linear_forward(run->y, &run->input, &s->linears[OUT_PROJ]);
    point_note(point_of(run, s, AT_RESULT), run->y, (size_t)n * run->model->arch.d_model);
}

void attend_read_source(heed_run *run, const heed_sublayer *s, const int32_t *cache_rows) {
    const size_t A = (size_t)s->arch->inner_dim;
    project_keys(run, s);
    for (int i = 0; i < run->input.m; i++)
        cache_write(&run->cache, s->layer, cache_rows[i], run->k + (size_t)i * A, run->v + (size_t)i * A);
}
