/* pass.c - see pass.h for the contract: the layout of a pass, and the way through both stacks, forward and backward. */
#include "train/pass.h"

#include <string.h>

#include "kernels/kernels.h"
#include "layers/positions.h"
#include "layers/relative.h"
#include "train/attend.h"
#include "train/output.h"
#include "train/rows.h"
#include "train/sublayer.h"

/* ---------------------------------------------------------------------------------- layout */

/* Space for attention: as if all sentences had this length, or for one of the greatest length.  Most are shorter. */
enum { COMMON = 64 };
/* Bounds of a slice of logits: with common vocabularies it stays in the second or third cache. */
enum { SLICE_FLOATS = 1 << 21, MAX_SLICE = 512 };

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }

static void layout_stack(pass_stack *s, heed_arena *arena, const heed_pass *pass, const train_stack *weights,
                         int is_decoder) {
    const size_t R = (size_t)pass->max_rows, D = (size_t)pass->parameters->arch.d_model;
    const int n = weights->n_sublayers;
    s->weights = weights;
    s->is_decoder = is_decoder;
    s->sublayers = arena_push(arena, (size_t)n, sizeof *s->sublayers);
    for (int i = 0; i < n; i++) {
        pass_sublayer unplaced, *kept = s->sublayers ? &s->sublayers[i] : &unplaced;
        sublayer_layout(kept, arena, pass, &weights->arch->sublayers[i % weights->arch->n_sublayers]);
    }
    s->embedded = weights->arch->has_embedding_norm ? arena_floats(arena, R, D, 1) : NULL;
    s->stream = arena_floats(arena, (size_t)n + 1, R, D);
    s->other = arena_floats(arena, (size_t)n, R, D);
    if (weights->arch->n_buckets > 0) {
        const size_t H = (size_t)weights->arch->sublayers[0].n_heads, distances = 2 * (size_t)pass->longest - 1;
        s->bias = arena_floats(arena, H, distances, 1);
        s->dbias = arena_floats(arena, H, distances, 1);
    }
    s->out = weights->arch->has_final_norm ? arena_floats(arena, R, D, 1)
             : s->stream                   ? rows_of(s->stream, n, pass->max_rows, pass->parameters->arch.d_model)
                                           : NULL;
}

static int has_sinusoids(const architecture_stack *arch) {
    return arch->positions == POSITIONS_TABLE || arch->positions == POSITIONS_COMPUTED;
}

void pass_layout(heed_pass *pass, heed_arena *arena, const heed_parameters *parameters, const heed_gemm *gemm,
                 int max_rows, int sampled_softmax) {
    const heed_architecture *a = &parameters->arch;
    const int widest = architecture_widest_row(a), V = a->decoder.vocabulary;
    const size_t R = (size_t)max_rows, D = (size_t)a->d_model;

    *pass = (heed_pass){.parameters = parameters, .max_rows = max_rows};
    pass->longest = least(max_rows, a->n_positions);
    /* One sentence of the greatest length must fit, and the square of its length must be an int. */
    pass->longest = least(pass->longest, 32768);
    pass->max_cells =
        most(max_rows <= INT32_MAX / COMMON ? max_rows * COMMON : INT32_MAX, pass->longest * pass->longest);
    pass->slice = most(1, least(least(SLICE_FLOATS / V, MAX_SLICE), max_rows));

    layout_stack(&pass->encoder, arena, pass, &parameters->encoder, 0);
    layout_stack(&pass->decoder, arena, pass, &parameters->decoder, 1);
    if (has_sinusoids(&a->encoder) || has_sinusoids(&a->decoder)) {
        float *table = arena_floats(arena, (size_t)pass->longest, D, 1);
        if (table) positions_fill(table, a->position_offset, pass->longest, a->d_model, a->position_layout);
        pass->encoder.table = pass->decoder.table = table;
    }
    float **const vectors[] = {&pass->dx, &pass->dy, &pass->dn, &pass->dmemory};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = arena_floats(arena, R, D, 1);
    const size_t A = (size_t)architecture_widest_inner(a);
    float **const projected[] = {&pass->dq, &pass->dk, &pass->dv};
    for (size_t i = 0; i < sizeof projected / sizeof *projected; i++) *projected[i] = arena_floats(arena, R, A, 1);
    pass->hidden = arena_floats(arena, R, (size_t)widest, 1);
    pass->dhidden = arena_floats(arena, R, (size_t)widest, 1);
    pass->gate = architecture_is_gated(a) ? arena_floats(arena, R, (size_t)widest, 1) : NULL;
    pass->logits = arena_floats(arena, (size_t)pass->slice, (size_t)V, 1);
    sampled_layout(&pass->sampled, arena, parameters, max_rows, sampled_softmax);
    const int L = pass->longest;
    const size_t forward = attention_scratch_floats(most(L, 2), L, architecture_widest_head(a));
    const size_t backward = attention_train_floats(L, L, architecture_widest_head(a));
    pass->scratch = arena_floats(arena, forward > backward ? forward : backward, 1, 1);
    pass->dscores = arena_floats(arena, (size_t)L, (size_t)L, 1);
    pass->context.gemm = gemm;
    pass->context.scratch = arena_floats(arena, gemm->scratch_floats, 1, 1);
}

int pass_capacity(const heed_pass *pass, const heed_pair *pairs, int n) {
    int64_t source = 0, target = 0, cells = 0;
    for (int i = 0; i < n; i++) {
        const int64_t side = most(pairs[i].n_source, pairs[i].n_target);
        source += pairs[i].n_source;
        target += pairs[i].n_target;
        cells += side * side;
        if (source > pass->max_rows || target > pass->max_rows || cells > pass->max_cells || side > pass->longest)
            return i;
    }
    return n;
}

/* ---------------------------------------------------------------------------------- stacks */

/* Token t of pair i that the stack reads.  The decoder reads the start token, then the target but its last token. */
static int32_t input_id(const heed_pass *pass, const pass_stack *s, int i, int t) {
    if (!s->is_decoder) return pass->pairs[i].source[t];
    return t ? pass->pairs[i].target[t - 1] : pass->parameters->config.decoder_start_token_id;
}

static void embed(heed_pass *pass, const pass_stack *s) {
    const architecture_stack *arch = s->weights->arch;
    const size_t D = (size_t)pass->parameters->arch.d_model;
    const float *values = pass->context.weights;
    const size_t first = s->weights->embed_positions + (size_t)pass->parameters->arch.position_offset * D;
    const float *positions = arch->positions == POSITIONS_STORED ? values + first : s->table;
    float *const to = s->embedded ? s->embedded : s->stream;
    float *x = to;
    for (int i = 0; i < pass->n_pairs; i++)
        for (int t = 0; t < pair_length(pass, i, s->is_decoder); t++, x += D) {
            k_scale(x, values + s->weights->embed_tokens + (size_t)input_id(pass, s, i, t) * D, arch->embed_scale, D);
            if (arch->positions != POSITIONS_ABSENT) k_add(x, x, positions + (size_t)t * D, D);
        }
    const int rows = stack_rows(pass, s);
    if (s->embedded) normalize(pass, s->stream, to, &s->weights->layernorm_embedding, rows);
    dropout(s->stream, (size_t)rows * D, pass->dropout, dropout_key(pass, s, -1));
}

static void embed_backward(heed_pass *pass, const pass_stack *s) {
    const architecture_stack *arch = s->weights->arch;
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    const int offset = pass->parameters->arch.position_offset;
    float *gradients = pass->context.gradients, *dx = pass->dx;
    dropout(dx, (size_t)rows * D, pass->dropout, dropout_key(pass, s, -1));
    if (s->embedded) norm_backward(&pass->context, dx, dx, s->embedded, &s->weights->layernorm_embedding, rows, D);
    for (int i = 0; i < pass->n_pairs; i++)
        for (int t = 0; t < pair_length(pass, i, s->is_decoder); t++, dx += D) {
            embedding_backward(gradients + s->weights->embed_tokens, dx, input_id(pass, s, i, t), arch->embed_scale, D);
            if (arch->positions == POSITIONS_STORED)
                embedding_backward(gradients + s->weights->embed_positions, dx, t + offset, 1.0f, D);
        }
}

static void stack_forward(heed_pass *pass, const pass_stack *s) {
    const train_stack *w = s->weights;
    embed(pass, s);
    if (s->bias) {
        const architecture_stack *arch = w->arch;
        relative_fill(s->bias, pass->context.weights + w->position_bias, arch->sublayers[0].n_heads, pass->longest,
                      arch->n_buckets, arch->max_distance, arch->is_causal);
    }
    for (int i = 0; i < w->n_sublayers; i++) sublayer_forward(pass, s, i);
    if (w->arch->has_final_norm)
        normalize(pass, s->out, stream_at(pass, s, w->n_sublayers), &w->layer_norm, stack_rows(pass, s));
}

/* pass->dx is the gradient of s->out. */
static void stack_backward(heed_pass *pass, const pass_stack *s) {
    const train_stack *w = s->weights;
    if (w->arch->has_final_norm)
        norm_backward(&pass->context, pass->dx, pass->dx, stream_at(pass, s, w->n_sublayers), &w->layer_norm,
                      stack_rows(pass, s), pass->parameters->arch.d_model);
    const int H = w->arch->sublayers[0].n_heads, longest = pass->longest;
    if (s->dbias) memset(s->dbias, 0, (size_t)H * (2 * (size_t)longest - 1) * sizeof *s->dbias);
    for (int i = w->n_sublayers - 1; i >= 0; i--) sublayer_backward(pass, s, i);
    if (s->dbias)
        relative_backward(pass->context.gradients + w->position_bias, s->dbias, H, longest, w->arch->n_buckets,
                          w->arch->max_distance, w->arch->is_causal);
    embed_backward(pass, s);
}

/* ------------------------------------------------------------------------------------ pass */

void pass_run(heed_pass *pass, float *weights, float *gradients, const heed_pair *pairs, int n,
              const pass_options *options, pass_result *result) {
    pass->context.weights = weights;
    pass->context.gradients = gradients;
    pass->pairs = pairs;
    pass->n_pairs = n;
    pass->dropout = gradients ? options->dropout : 0.0f;
    pass->attention_dropout = gradients ? options->attention_dropout : 0.0f;
    pass->key = options->key;
    pass->guided = options->guided * options->scale;
    pass->guided_head = options->guided_head;
    pass->n_source = pass->n_target = 0;
    for (int i = 0; i < n; i++) {
        pass->n_source += pairs[i].n_source;
        pass->n_target += pairs[i].n_target;
    }
    stack_forward(pass, &pass->encoder);
    stack_forward(pass, &pass->decoder);
    output_run(pass, options, result);
    if (pass->guided > 0.0f) attend_guided_loss(pass, result);
    if (gradients == NULL) return;

    const size_t source = (size_t)pass->n_source * pass->parameters->arch.d_model;
    memset(pass->dmemory, 0, source * sizeof *pass->dmemory);
    stack_backward(pass, &pass->decoder);
    memcpy(pass->dx, pass->dmemory, source * sizeof *pass->dx);
    stack_backward(pass, &pass->encoder);
}
