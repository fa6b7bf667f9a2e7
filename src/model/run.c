/* run.c - see run.h for the contract: the layout of a run. */
#include "model/run.h"

#include "kernels/kernels.h"
#include "layers/attention.h"
#include "layers/relative.h"

/* The position bias of a stack at all distances within reach; NULL if it has none, or while measuring. */
static float *lay_out_bias(heed_arena *arena, const heed_stack *stack, int reach) {
    const architecture_stack *a = stack->arch;
    if (a->n_buckets == 0) return NULL;
    const int n_heads = a->sublayers[0].n_heads;
    float *bias = arena_floats(arena, (size_t)n_heads, 2 * (size_t)reach - 1, 1);
    if (bias)
        relative_fill(bias, stack->position_bias, n_heads, reach, a->n_buckets, a->max_distance, a->is_causal);
    return bias;
}

void run_layout(heed_run *run, heed_arena *arena, const struct heed_model *model, int max_rows, int max_keys,
                int n_cache_rows) {
    const heed_architecture *a = &model->arch;
    const int widest = architecture_widest_row(a);
    const int hidden_rows = max_rows < FFN_ROWS ? max_rows : FFN_ROWS;
    const size_t D = (size_t)a->d_model, A = (size_t)architecture_widest_inner(a), R = (size_t)max_rows;
    const size_t inner_bytes = quantized_bytes(max_rows, (int)A), hidden_bytes = quantized_bytes(hidden_rows, widest);
    const size_t whole = inner_bytes > hidden_bytes ? inner_bytes : hidden_bytes;
    const int sparse_rows = hidden_rows < SPARSE_ROWS ? hidden_rows : SPARSE_ROWS;
    const size_t sparse = sparse_bytes(sparse_rows, architecture_widest_relu(a));

    run->model = model;
    run->max_rows = max_rows;
    run->x = arena_floats(arena, R, D, 1);
    run->y = arena_floats(arena, R, D, 1);
    run->q = arena_floats(arena, R, A, 1);
    run->k = arena_floats(arena, R, A, 1);
    run->v = arena_floats(arena, R, A, 1);
    run->mix = arena_floats(arena, R, A, 1);
    run->hidden = arena_floats(arena, (size_t)hidden_rows, (size_t)widest, 1);
    run->linear = architecture_is_gated(a) ? arena_floats(arena, (size_t)hidden_rows, (size_t)widest, 1) : NULL;
    run->reach = max_keys;
    run->position_bias[0] = lay_out_bias(arena, &model->encoder, max_keys);
    run->position_bias[1] = lay_out_bias(arena, &model->decoder, max_keys);
    input_layout(&run->input, arena, max_rows, sparse > whole ? sparse : whole, model->config.dtype,
                 model->config.activations);
    run->scratch = arena_floats(arena, attention_scratch_floats(max_keys, max_keys, architecture_widest_head(a)), 1, 1);
    run->disabled = arena_push(arena, (size_t)model->n_heads, 1);
    run->points = arena_push(arena, (size_t)model->n_points, sizeof *run->points);
    cache_layout(&run->cache, arena, a->decoder.n_layers, n_cache_rows, architecture_cache_width(a));
}
