/* decoder.c - see run.h for the contract: the decoder stack over rows of many hypotheses, or of one target. */
#include <string.h>

#include "kernels/kernels.h"
#include "layers/embedding.h"
#include "layers/ffn.h"
#include "model/run.h"
#include "model/stack.h"

/* values [n, D] */
static void note(const heed_run *run, int point, int layer, const float *values, int n) {
    tap_note(run->model, &run->taps, HEED_AT_DECODER + point, layer, values, (size_t)n * run->model->config.d_model);
}

static size_t cache_layer(const heed_run *run, int layer) {
    return (size_t)layer * run->n_places * run->model->config.d_model;
}

/* Rows of `from` [n, D] into the places of the cache at `to`. */
static void scatter(float *to, const float *from, const int32_t *places, int n, int d_model) {
    for (int i = 0; i < n; i++)
        memcpy(to + (size_t)places[i] * d_model, from + (size_t)i * d_model, (size_t)d_model * sizeof *to);
}

void decoder_read_source(heed_run *run, int first, int n, const int32_t *places) {
    const heed_stack *stack = &run->model->decoder;
    const int D = run->model->config.d_model;
    input_set(&run->input, run->x + (size_t)first * D, n, D);
    for (int l = 0; l < stack->n_layers; l++) {
        const heed_attention_weights *w = &stack->layers[l].encoder_attn;
        linear_forward(run->k, &run->input, &w->k_proj);
        linear_forward(run->v, &run->input, &w->v_proj);
        note(run, HEED_AT_CROSS + HEED_AT_K, l, run->k, n);
        note(run, HEED_AT_CROSS + HEED_AT_V, l, run->v, n);
        scatter(run->keys + cache_layer(run, l), run->k, places, n, D);
        scatter(run->values + cache_layer(run, l), run->v, places, n, D);
    }
}

/* Attention of every row over a list of its own: the past, or the source.  map: of all layers. */
static void attend(heed_run *run, const heed_decoder_row *rows, int n, int layer, int cross, float *map) {
    const int D = run->model->config.d_model, H = run->model->decoder.n_heads;
    const int at = HEED_AT_DECODER + (cross ? HEED_AT_CROSS : HEED_AT_SELF);
    const float *keys = run->keys + cache_layer(run, layer), *values = run->values + cache_layer(run, layer);
    const uint8_t *disabled = (cross ? run->cross_disabled : run->decoder_disabled) + (size_t)layer * H;
    const int map_cols = cross ? rows[0].n_source : n;
    float *layer_map =
        map ? map + (size_t)layer * H * n * map_cols : tap_room(run->model, &run->taps, at + HEED_AT_WEIGHTS, layer);

    for (int t = 0; t < n; t++) {
        const heed_attention_shape shape = {.n_query = 1,
                                            .n_key = cross ? rows[t].n_source : rows[t].position + 1,
                                            .n_heads = H,
                                            .d_model = D,
                                            .places = cross ? rows[t].source : rows[t].past,
                                            .disabled = disabled,
                                            .probs_row = (size_t)map_cols,
                                            .probs_head = (size_t)n * map_cols};
        float *probs = layer_map ? layer_map + (size_t)t * map_cols : NULL;
        attention_forward(run->mix + (size_t)t * D, probs, run->q + (size_t)t * D, keys, values, &shape, run->scratch);
        if (probs) /* the future is masked: exactly 0 */
            for (int h = 0; h < H; h++)
                memset(probs + h * shape.probs_head + shape.n_key, 0, (size_t)(map_cols - shape.n_key) * sizeof *probs);
        if (run->taps.n > 0)
            tap_scores(run->model, &run->taps, at + HEED_AT_SCORES, layer, run->q + (size_t)t * D, keys, &shape, t, n,
                       map_cols);
    }
    note(run, at - HEED_AT_DECODER + HEED_AT_Q, layer, run->q, n);
    note(run, at - HEED_AT_DECODER + HEED_AT_CONTEXT, layer, run->mix, n);
}

static void self_attention(heed_run *run, const heed_decoder_row *rows, int n, int layer, float *map) {
    const heed_attention_weights *w = &run->model->decoder.layers[layer].self_attn;
    const int D = run->model->config.d_model;
    linear_forward(run->q, &run->input, &w->q_proj);
    linear_forward(run->k, &run->input, &w->k_proj);
    linear_forward(run->v, &run->input, &w->v_proj);
    note(run, HEED_AT_SELF + HEED_AT_K, layer, run->k, n);
    note(run, HEED_AT_SELF + HEED_AT_V, layer, run->v, n);
    for (int t = 0; t < n; t++) {
        const int32_t *own = &rows[t].past[rows[t].position];
        scatter(run->keys + cache_layer(run, layer), run->k + (size_t)t * D, own, 1, D);
        scatter(run->values + cache_layer(run, layer), run->v + (size_t)t * D, own, 1, D);
    }
    attend(run, rows, n, layer, 0, map);
    input_set(&run->input, run->mix, n, D);
    linear_forward(run->y, &run->input, &w->out_proj);
    note(run, HEED_AT_SELF + HEED_AT_RESULT, layer, run->y, n);
}

static void cross_attention(heed_run *run, const heed_decoder_row *rows, int n, int layer, float *map) {
    const heed_attention_weights *w = &run->model->decoder.layers[layer].encoder_attn;
    linear_forward(run->q, &run->input, &w->q_proj);
    attend(run, rows, n, layer, 1, map);
    input_set(&run->input, run->mix, n, run->model->config.d_model);
    linear_forward(run->y, &run->input, &w->out_proj);
    note(run, HEED_AT_CROSS + HEED_AT_RESULT, layer, run->y, n);
}

/* What a row's id and position gave; rows are positions 0..n-1. */
static void note_embedding(heed_run *run, const heed_decoder_row *rows, int n) {
    const size_t D = (size_t)run->model->config.d_model;
    const heed_stack *stack = &run->model->decoder;
    float *embedding = tap_room(run->model, &run->taps, HEED_AT_DECODER + HEED_AT_EMBEDDING, 0);
    memset(run->y, 0, D * sizeof *run->y);
    for (int t = 0; embedding && t < n; t++)
        embedding_forward(embedding + t * D, rows[t].id, 0, stack->embed_tokens, run->model->embed_scale, run->y);
    note(run, HEED_AT_POSITIONS, 0, stack->embed_positions, n);
    note(run, HEED_AT_INPUT, 0, run->x, n);
}

void decoder_forward(heed_run *run, const heed_decoder_row *rows, int n, const heed_decoder_maps *maps) {
    const struct heed_model *m = run->model;
    const heed_stack *stack = &m->decoder;
    const int D = m->config.d_model;
    enum {
        SELF_NORM = HEED_AT_DECODER + HEED_AT_SELF + HEED_AT_NORM,
        CROSS_NORM = HEED_AT_DECODER + HEED_AT_CROSS + HEED_AT_NORM,
        FINAL_NORM = HEED_AT_DECODER + HEED_AT_FINAL_NORM
    };

    for (int t = 0; t < n; t++)
        embedding_forward(run->x + (size_t)t * D, rows[t].id, rows[t].position, stack->embed_tokens, m->embed_scale,
                          stack->embed_positions);
    if (run->taps.n > 0) note_embedding(run, rows, n);
    stack_begin(run, stack, n);

    for (int l = 0; l < stack->n_layers; l++) {
        const heed_layer *layer = &stack->layers[l];

        sublayer_input(run, &layer->self_attn.norm, n, SELF_NORM, l);
        self_attention(run, rows, n, l, maps ? maps->decoder : NULL);
        sublayer_output(run, &layer->self_attn.norm, n, SELF_NORM, l);

        sublayer_input(run, &layer->encoder_attn.norm, n, CROSS_NORM, l);
        cross_attention(run, rows, n, l, maps ? maps->cross : NULL);
        sublayer_output(run, &layer->encoder_attn.norm, n, CROSS_NORM, l);

        sublayer_input(run, &layer->final_layer_norm, n, FINAL_NORM, l);
        ffn_forward(run->y, run->hidden, &run->input, &layer->fc1, &layer->fc2, m->config.activation_function);
        tap_note(m, &run->taps, HEED_AT_DECODER + HEED_AT_FC1, l, run->hidden, (size_t)n * stack->ffn_dim);
        note(run, HEED_AT_FC2, l, run->y, n);
        sublayer_output(run, &layer->final_layer_norm, n, FINAL_NORM, l);
    }
    stack_end(run, stack, n);
    note(run, HEED_AT_OUTPUT, 0, run->x, n);
}

void output_forward(heed_run *run, float *logits, int first, int n) {
    const struct heed_model *m = run->model;
    const int D = m->config.d_model;
    input_set(&run->input, run->x + (size_t)first * D, n, D);
    matrix_multiply(logits, &run->input, m->output, m->final_logits_bias);
}

float output_log_prob(const heed_run *run, const float *logits, int id) {
    return logits[id] - k_log_sum_exp(logits, run->model->output->rows);
}
