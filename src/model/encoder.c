/* encoder.c - see run.h for the contract: the encoder stack over a ragged batch. */
#include <string.h>

#include "kernels/kernels.h"
#include "layers/embedding.h"
#include "layers/ffn.h"
#include "model/run.h"
#include "model/stack.h"

/* values [rows, D] */
static void note(const heed_run *run, int point, int layer, const float *values, int rows) {
    tap_note(run->model, &run->taps, point, layer, values, (size_t)rows * run->model->config.d_model);
}

static void self_attention(heed_run *run, const heed_attention_weights *w, const int *lengths, int n, int rows,
                           int layer, float *probs) {
    const int D = run->model->config.d_model, H = run->model->encoder.n_heads;
    enum { AT = HEED_AT_ENCODER + HEED_AT_SELF };
    linear_forward(run->q, &run->input, &w->q_proj);
    linear_forward(run->k, &run->input, &w->k_proj);
    linear_forward(run->v, &run->input, &w->v_proj);

    /* the only step that knows where a sentence begins and ends */
    size_t start = 0;
    for (int i = 0; i < n; i++) {
        const int S = lengths[i];
        const heed_attention_shape shape = {.n_query = S,
                                            .n_key = S,
                                            .n_heads = H,
                                            .d_model = D,
                                            .disabled = run->encoder_disabled + (size_t)layer * H,
                                            .probs_row = (size_t)S,
                                            .probs_head = (size_t)S * S};
        attention_forward(run->mix + start, probs, run->q + start, run->k + start, run->v + start, &shape,
                          run->scratch);
        for (int t = 0; run->taps.n > 0 && t < S; t++)
            tap_scores(run->model, &run->taps, AT + HEED_AT_SCORES, layer, run->q + (size_t)t * D, run->k, &shape, t, S,
                       S);
        start += (size_t)S * D;
    }
    note(run, AT + HEED_AT_Q, layer, run->q, rows);
    note(run, AT + HEED_AT_K, layer, run->k, rows);
    note(run, AT + HEED_AT_V, layer, run->v, rows);
    note(run, AT + HEED_AT_CONTEXT, layer, run->mix, rows);
    input_set(&run->input, run->mix, rows, D);
    linear_forward(run->y, &run->input, &w->out_proj);
    note(run, AT + HEED_AT_RESULT, layer, run->y, rows);
}

/* What ids at positions 0..n-1 gave. */
static void note_embedding(heed_run *run, const int32_t *ids, int n) {
    const size_t D = (size_t)run->model->config.d_model;
    const heed_stack *stack = &run->model->encoder;
    float *embedding = tap_room(run->model, &run->taps, HEED_AT_ENCODER + HEED_AT_EMBEDDING, 0);
    memset(run->y, 0, D * sizeof *run->y);
    for (int t = 0; embedding && t < n; t++)
        embedding_forward(embedding + t * D, ids[t], 0, stack->embed_tokens, run->model->embed_scale, run->y);
    note(run, HEED_AT_ENCODER + HEED_AT_POSITIONS, 0, stack->embed_positions, n);
    note(run, HEED_AT_ENCODER + HEED_AT_INPUT, 0, run->x, n);
}

void encoder_forward(heed_run *run, const int32_t *ids, const int *lengths, int n, float *probs) {
    const struct heed_model *m = run->model;
    const heed_stack *stack = &m->encoder;
    const int D = m->config.d_model, H = stack->n_heads;
    enum {
        SELF_NORM = HEED_AT_ENCODER + HEED_AT_SELF + HEED_AT_NORM,
        FINAL_NORM = HEED_AT_ENCODER + HEED_AT_FINAL_NORM
    };

    int rows = 0;
    for (int i = 0; i < n; i++)
        for (int t = 0; t < lengths[i]; t++, rows++)
            embedding_forward(run->x + (size_t)rows * D, ids[rows], t, stack->embed_tokens, m->embed_scale,
                              stack->embed_positions);
    if (run->taps.n > 0) note_embedding(run, ids, rows);
    stack_begin(run, stack, rows);

    for (int l = 0; l < stack->n_layers; l++) {
        const heed_layer *layer = &stack->layers[l];
        float *layer_probs = probs ? probs + (size_t)l * H * lengths[0] * lengths[0]
                                   : tap_room(m, &run->taps, HEED_AT_ENCODER + HEED_AT_SELF + HEED_AT_WEIGHTS, l);

        sublayer_input(run, &layer->self_attn.norm, rows, SELF_NORM, l);
        self_attention(run, &layer->self_attn, lengths, n, rows, l, layer_probs);
        sublayer_output(run, &layer->self_attn.norm, rows, SELF_NORM, l);

        sublayer_input(run, &layer->final_layer_norm, rows, FINAL_NORM, l);
        ffn_forward(run->y, run->hidden, &run->input, &layer->fc1, &layer->fc2, m->config.activation_function);
        tap_note(m, &run->taps, HEED_AT_ENCODER + HEED_AT_FC1, l, run->hidden, (size_t)rows * stack->ffn_dim);
        note(run, HEED_AT_ENCODER + HEED_AT_FC2, l, run->y, rows);
        sublayer_output(run, &layer->final_layer_norm, rows, FINAL_NORM, l);
    }
    stack_end(run, stack, rows);
    note(run, HEED_AT_ENCODER + HEED_AT_OUTPUT, 0, run->x, rows);
}
