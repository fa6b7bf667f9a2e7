/* run.c - see run.h for the contract: layout and places. */
#include "model/run.h"

static int widest_ffn(const heed_config *c) {
    return c->encoder_ffn_dim > c->decoder_ffn_dim ? c->encoder_ffn_dim : c->decoder_ffn_dim;
}

static int widest_head(const heed_config *c) {
    const int fewest = c->encoder_attention_heads < c->decoder_attention_heads ? c->encoder_attention_heads
                                                                               : c->decoder_attention_heads;
    return c->d_model / fewest;
}

void run_layout(heed_run *run, heed_arena *arena, const struct heed_model *model, int max_rows, int max_keys,
                int n_places) {
    const heed_config *c = &model->config;
    const size_t D = (size_t)c->d_model, R = (size_t)max_rows;

    run->model = model;
    run->max_rows = max_rows;
    run->max_keys = max_keys;
    run->x = arena_floats(arena, R, D, 1);
    run->y = arena_floats(arena, R, D, 1);
    run->q = arena_floats(arena, R, D, 1);
    run->k = arena_floats(arena, R, D, 1);
    run->v = arena_floats(arena, R, D, 1);
    run->mix = arena_floats(arena, R, D, 1);
    run->hidden = arena_floats(arena, R, (size_t)widest_ffn(c), 1);
    input_layout(&run->input, arena, max_rows, c->d_model > widest_ffn(c) ? c->d_model : widest_ffn(c), c->dtype);
    run->scratch = arena_floats(arena, attention_scratch_floats(max_keys, max_keys, widest_head(c)), 1, 1);
    run->encoder_disabled = arena_push(arena, (size_t)c->encoder_layers, (size_t)c->encoder_attention_heads);
    run->decoder_disabled = arena_push(arena, (size_t)c->decoder_layers, (size_t)c->decoder_attention_heads);
    run->cross_disabled = arena_push(arena, (size_t)c->decoder_layers, (size_t)c->decoder_attention_heads);
    run->taps = (heed_taps){0};
    run->n_places = run->n_free = n_places;
    run->free_places = arena_ints(arena, (size_t)n_places, 1);
    run->users = arena_push(arena, (size_t)n_places, sizeof *run->users);
    run->keys = arena_floats(arena, (size_t)c->decoder_layers, (size_t)n_places, D);
    run->values = arena_floats(arena, (size_t)c->decoder_layers, (size_t)n_places, D);
    if (run->free_places)
        for (int i = 0; i < n_places; i++) run->free_places[i] = n_places - 1 - i; /* lowest first off the stack */
}

int32_t run_take_place(heed_run *run) {
    const int32_t place = run->free_places[--run->n_free];
    run->users[place] = 1;
    return place;
}

void run_share_places(heed_run *run, const int32_t *places, int n) {
    for (int i = 0; i < n; i++) run->users[places[i]]++;
}

void run_drop_places(heed_run *run, const int32_t *places, int n) {
    for (int i = 0; i < n; i++)
        if (--run->users[places[i]] == 0) run->free_places[run->n_free++] = places[i];
}
