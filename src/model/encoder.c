/* encoder.c - see run.h for the contract: the encoder stack over a ragged batch. */
#include "kernels/kernels.h"
#include "layers/embedding.h"
#include "layers/ffn.h"
#include "model/run.h"
#include "model/stack.h"

static void self_attention(heed_run *run, const heed_attention_weights *w, const int *lengths, int n,
                           int rows, const uint8_t *disabled, float *probs) {
    const int D = run->model->config.d_model;
    linear_forward(run->q, &run->input, &w->q_proj);
    linear_forward(run->k, &run->input, &w->k_proj);
    linear_forward(run->v, &run->input, &w->v_proj);

    /* the only step that knows where a sentence begins and ends */
    size_t start = 0;
    for (int i = 0; i < n; i++) {
        const int S = lengths[i];
        const heed_attention_shape shape = {.n_query = S,
                                            .n_key = S,
                                            .n_heads = run->model->encoder.n_heads,
                                            .d_model = D,
                                            .disabled = disabled,
                                            .probs_row = (size_t)S,
                                            .probs_head = (size_t)S * S};
        attention_forward(run->mix + start, probs, run->q + start, run->k + start, run->v + start, &shape, run->scratch);
        start += (size_t)S * D;
    }
    input_set(&run->input, run->mix, rows, D);
    linear_forward(run->y, &run->input, &w->out_proj);
}

void encoder_forward(heed_run *run, const int32_t *ids, const int *lengths, int n, float *probs) {
    const struct heed_model *m = run->model;
    const heed_stack *stack = &m->encoder;
    const int D = m->config.d_model, H = stack->n_heads;

    int rows = 0;
    for (int i = 0; i < n; i++)
        for (int t = 0; t < lengths[i]; t++, rows++)
            embedding_forward(run->x + (size_t)rows * D, ids[rows], t, stack->embed_tokens, m->embed_scale,
                              stack->embed_positions);
    stack_begin(run, stack, rows);

    for (int l = 0; l < stack->n_layers; l++) {
        const heed_layer *layer = &stack->layers[l];
        float *layer_probs = probs ? probs + (size_t)l * H * lengths[0] * lengths[0] : NULL;

        sublayer_input(run, &layer->self_attn.norm, rows);
        self_attention(run, &layer->self_attn, lengths, n, rows, run->encoder_disabled + (size_t)l * H, layer_probs);
        sublayer_output(run, &layer->self_attn.norm, rows);

        sublayer_input(run, &layer->final_layer_norm, rows);
        ffn_forward(run->y, run->hidden, &run->input, &layer->fc1, &layer->fc2, m->config.activation_function);
        sublayer_output(run, &layer->final_layer_norm, rows);
    }
    stack_end(run, stack, rows);
}
