/* run.c - see run.h for the contract: the layout of a run. */
#include "model/run.h"

#include "layers/attention.h"

void run_layout(heed_run *run, heed_arena *arena, const struct heed_model *model, int max_rows, int max_keys,
                int n_cache_rows) {
    const heed_architecture *a = &model->arch;
    const int widest = architecture_widest_row(a);
    const size_t D = (size_t)a->d_model, R = (size_t)max_rows;

    run->model = model;
    run->max_rows = max_rows;
    run->x = arena_floats(arena, R, D, 1);
    run->y = arena_floats(arena, R, D, 1);
    run->q = arena_floats(arena, R, D, 1);
    run->k = arena_floats(arena, R, D, 1);
    run->v = arena_floats(arena, R, D, 1);
    run->mix = arena_floats(arena, R, D, 1);
    run->hidden = arena_floats(arena, R, (size_t)widest, 1);
    input_layout(&run->input, arena, max_rows, widest, model->config.dtype, model->config.activations);
    run->scratch = arena_floats(arena, attention_scratch_floats(max_keys, max_keys, architecture_widest_head(a)), 1, 1);
    run->disabled = arena_push(arena, (size_t)model->n_heads, 1);
    run->points = arena_push(arena, (size_t)model->n_points, sizeof *run->points);
    cache_layout(&run->cache, arena, a->decoder.n_layers, n_cache_rows, a->d_model);
}
