/* decoder.c - see run.h for the contract: the decoder stack over rows of many hypotheses, or of one target. */
#include <string.h>

#include "kernels/kernels.h"
#include "layers/embedding.h"
#include "layers/ffn.h"
#include "model/run.h"
#include "model/stack.h"

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
        scatter(run->keys + cache_layer(run, l), run->k, places, n, D);
        scatter(run->values + cache_layer(run, l), run->v, places, n, D);
    }
}

/* Attention of every row over a list of its own: the past, or the source. */
static void attend(heed_run *run, const heed_decoder_row *rows, int n, int layer, int cross, float *map) {
    const int D = run->model->config.d_model, H = run->model->decoder.n_heads;
    const float *keys = run->keys + cache_layer(run, layer), *values = run->values + cache_layer(run, layer);
    const uint8_t *disabled = (cross ? run->cross_disabled : run->decoder_disabled) + (size_t)layer * H;
    const int map_cols = cross ? rows[0].n_source : n;

    for (int t = 0; t < n; t++) {
        const heed_attention_shape shape = {.n_query = 1,
                                            .n_key = cross ? rows[t].n_source : rows[t].position + 1,
                                            .n_heads = H,
                                            .d_model = D,
                                            .places = cross ? rows[t].source : rows[t].past,
                                            .disabled = disabled,
                                            .probs_row = (size_t)map_cols,
                                            .probs_head = (size_t)n * map_cols};
        float *probs = map ? map + ((size_t)layer * H * n + t) * map_cols : NULL;
        attention_forward(run->mix + (size_t)t * D, probs, run->q + (size_t)t * D, keys, values, &shape, run->scratch);
        if (probs) /* the future is masked: exactly 0 */
            for (int h = 0; h < H; h++)
                memset(probs + h * shape.probs_head + shape.n_key, 0, (size_t)(map_cols - shape.n_key) * sizeof *probs);
    }
}

static void self_attention(heed_run *run, const heed_decoder_row *rows, int n, int layer, float *map) {
    const heed_attention_weights *w = &run->model->decoder.layers[layer].self_attn;
    const int D = run->model->config.d_model;
    linear_forward(run->q, &run->input, &w->q_proj);
    linear_forward(run->k, &run->input, &w->k_proj);
    linear_forward(run->v, &run->input, &w->v_proj);
    for (int t = 0; t < n; t++) {
        const int32_t *own = &rows[t].past[rows[t].position];
        scatter(run->keys + cache_layer(run, layer), run->k + (size_t)t * D, own, 1, D);
        scatter(run->values + cache_layer(run, layer), run->v + (size_t)t * D, own, 1, D);
    }
    attend(run, rows, n, layer, 0, map);
    input_set(&run->input, run->mix, n, D);
    linear_forward(run->y, &run->input, &w->out_proj);
}

static void cross_attention(heed_run *run, const heed_decoder_row *rows, int n, int layer, float *map) {
    const heed_attention_weights *w = &run->model->decoder.layers[layer].encoder_attn;
    linear_forward(run->q, &run->input, &w->q_proj);
    attend(run, rows, n, layer, 1, map);
    input_set(&run->input, run->mix, n, run->model->config.d_model);
    linear_forward(run->y, &run->input, &w->out_proj);
}

void decoder_forward(heed_run *run, const heed_decoder_row *rows, int n, const heed_decoder_maps *maps) {
    const struct heed_model *m = run->model;
    const heed_stack *stack = &m->decoder;
    const int D = m->config.d_model;

    for (int t = 0; t < n; t++)
        embedding_forward(run->x + (size_t)t * D, rows[t].id, rows[t].position, stack->embed_tokens, m->embed_scale,
                          stack->embed_positions);
    stack_begin(run, stack, n);

    for (int l = 0; l < stack->n_layers; l++) {
        const heed_layer *layer = &stack->layers[l];

        sublayer_input(run, &layer->self_attn.norm, n);
        self_attention(run, rows, n, l, maps ? maps->decoder : NULL);
        sublayer_output(run, &layer->self_attn.norm, n);

        sublayer_input(run, &layer->encoder_attn.norm, n);
        cross_attention(run, rows, n, l, maps ? maps->cross : NULL);
        sublayer_output(run, &layer->encoder_attn.norm, n);

        sublayer_input(run, &layer->final_layer_norm, n);
        ffn_forward(run->y, run->hidden, &run->input, &layer->fc1, &layer->fc2, m->config.activation_function);
        sublayer_output(run, &layer->final_layer_norm, n);
    }
    stack_end(run, stack, n);
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
