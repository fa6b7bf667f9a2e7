/* pass.c - see pass.h for the contract: the layout of a pass, and its forward and backward halves but for output.c. */
#include "train/pass.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "layers/ffn.h"
#include "layers/norm.h"
#include "layers/positions.h"
#include "layers/relative.h"
#include "train/loss.h"
#include "train/output.h"
#include "train/random.h"

/* ---------------------------------------------------------------------------------- layout */

/* Space for attention: as if all sentences had this length, or for one of the greatest length.  Most are shorter. */
enum { COMMON = 64 };
/* Bounds of a slice of logits: with common vocabularies it stays in the second or third cache. */
enum { SLICE_FLOATS = 1 << 21, MAX_SLICE = 512 };

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }

static float *rows_of(float *first, int i, int rows, int cols) { return first + (size_t)i * rows * cols; }

static void layout_sublayer(pass_sublayer *kept, heed_arena *arena, const heed_pass *pass,
                            const architecture_sublayer *arch) {
    const size_t R = (size_t)pass->max_rows, D = (size_t)pass->parameters->arch.d_model;
    switch (arch->kind) {
        case SUBLAYER_SELF_ATTENTION:
        case SUBLAYER_CROSS_ATTENTION:
            kept->q = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->k = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->v = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->mix = arena_floats(arena, R, (size_t)arch->inner_dim, 1);
            kept->probs = arena_floats(arena, (size_t)arch->n_heads, (size_t)pass->max_cells, 1);
            break;
        case SUBLAYER_SSRU:
            kept->candidate = arena_floats(arena, R, D, 1);
            kept->forget = arena_floats(arena, R, D, 1);
            kept->cells = arena_floats(arena, R, D, 1);
            break;
        case SUBLAYER_FEED_FORWARD: kept->pre = arena_floats(arena, R, (size_t)arch->ffn_dim, 1); break;
        case SUBLAYER_GATED_FEED_FORWARD:
            kept->pre = arena_floats(arena, R, (size_t)arch->ffn_dim, 1);
            kept->linear = arena_floats(arena, R, (size_t)arch->ffn_dim, 1);
            break;
    }
}

static void layout_stack(pass_stack *s, heed_arena *arena, const heed_pass *pass, const train_stack *weights,
                         int is_decoder) {
    const size_t R = (size_t)pass->max_rows, D = (size_t)pass->parameters->arch.d_model;
    const int n = weights->n_sublayers;
    s->weights = weights;
    s->is_decoder = is_decoder;
    s->sublayers = arena_push(arena, (size_t)n, sizeof *s->sublayers);
    for (int i = 0; i < n; i++) {
        pass_sublayer unplaced, *kept = s->sublayers ? &s->sublayers[i] : &unplaced;
        layout_sublayer(kept, arena, pass, &weights->arch->sublayers[i % weights->arch->n_sublayers]);
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

/* ------------------------------------------------------------------------------- sublayers */

/* Tokens of the source or the target of pair i. */
static int length(const heed_pass *pass, int i, int is_target) {
    return is_target ? pass->pairs[i].n_target : pass->pairs[i].n_source;
}

static int stack_rows(const heed_pass *pass, const pass_stack *s) {
    return s->is_decoder ? pass->n_target : pass->n_source;
}

static float *stream_at(const heed_pass *pass, const pass_stack *s, int i) {
    return rows_of(s->stream, i, pass->max_rows, pass->parameters->arch.d_model);
}

static float *other_at(const heed_pass *pass, const pass_stack *s, int i) {
    return rows_of(s->other, i, pass->max_rows, pass->parameters->arch.d_model);
}

/* The input of sublayer i: the stream, or its norm. */
static const float *input_at(const heed_pass *pass, const pass_stack *s, int i) {
    return s->weights->sublayers[i].arch->normalize_before ? other_at(pass, s, i) : stream_at(pass, s, i);
}

/* A key for each sublayer's dropout; sublayer -1: the embedding. */
static uint64_t dropout_key(const heed_pass *pass, const pass_stack *s, int sublayer) {
    return random_key(pass->key, (uint64_t)s->is_decoder << 32 | (uint32_t)(sublayer + 1));
}

static void normalize(const heed_pass *pass, float *out, const float *x, const train_norm *w, int rows) {
    float *values = pass->context.weights;
    const heed_norm norm = {values + w->gain, w->is_rms ? NULL : values + w->bias, w->epsilon};
    norm_forward(out, x, NULL, &norm, rows, pass->parameters->arch.d_model);
}

static void sublayer_begin(const heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    if (w->arch->normalize_before)
        normalize(pass, other_at(pass, s, i), stream_at(pass, s, i), &w->norm, stack_rows(pass, s));
}

/* Adds the sublayer's output, pass->dy [R, D], to the stream. */
static void sublayer_end(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    const int rows = stack_rows(pass, s);
    const size_t n = (size_t)rows * pass->parameters->arch.d_model;
    dropout(pass->dy, n, pass->dropout, dropout_key(pass, s, i));
    if (w->arch->normalize_before) {
        k_add(stream_at(pass, s, i + 1), stream_at(pass, s, i), pass->dy, n);
    } else {
        k_add(other_at(pass, s, i), stream_at(pass, s, i), pass->dy, n);
        normalize(pass, stream_at(pass, s, i + 1), other_at(pass, s, i), &w->norm, rows);
    }
}

/*
 * pass->dx is the gradient of stream[i+1].  Sets pass->dy to the gradient of the sublayer's output.  With post-norm, dx
 * becomes the gradient of other[i].
 */
static void sublayer_end_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    if (!w->arch->normalize_before)
        norm_backward(&pass->context, pass->dx, pass->dx, other_at(pass, s, i), &w->norm, rows, D);
    memcpy(pass->dy, pass->dx, (size_t)rows * D * sizeof *pass->dy);
    dropout(pass->dy, (size_t)rows * D, pass->dropout, dropout_key(pass, s, i));
}

/* Where the gradient of sublayer i's input is written: the stream's, to which it is added, or that of its norm. */
static float *input_gradient(heed_pass *pass, const pass_stack *s, int i, int *add) {
    *add = !s->weights->sublayers[i].arch->normalize_before;
    return *add ? pass->dx : pass->dn;
}

static void sublayer_begin_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    if (!w->arch->normalize_before) return;
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    norm_backward(&pass->context, pass->dn, pass->dn, stream_at(pass, s, i), &w->norm, rows, D);
    k_add(pass->dx, pass->dx, pass->dn, (size_t)rows * D);
}

/* Whether the keys of sublayer i are the encoder's output. */
static int is_cross(const pass_stack *s, int i) {
    return s->weights->sublayers[i].arch->kind == SUBLAYER_CROSS_ATTENTION;
}

static float scale_of(const architecture_sublayer *arch) {
    return arch->is_scaled ? 1.0f / sqrtf((float)(arch->inner_dim / arch->n_heads)) : 1.0f;
}

/* The attention of pair `pair` in sublayer i of the stack. */
static attention_sentence sentence_of(const heed_pass *pass, const pass_stack *s, int i, int pair) {
    const int T = length(pass, pair, s->is_decoder);
    const architecture_sublayer *arch = s->weights->sublayers[i].arch;
    return (attention_sentence){.n_query = T,
                                .n_key = is_cross(s, i) ? length(pass, pair, 0) : T,
                                .n_heads = arch->n_heads,
                                .width = arch->inner_dim,
                                .scale = scale_of(arch),
                                .dbias = arch->has_position_bias ? s->dbias + pass->longest - 1 : NULL,
                                .bias_head = 2 * (size_t)pass->longest - 1,
                                .causal = s->weights->arch->is_causal && !is_cross(s, i),
                                .dropout = pass->attention_dropout,
                                .key = random_key(dropout_key(pass, s, i), (uint64_t)pair)};
}

/* Attention of the rows of `s` over themselves or over the encoder's output; the result is in pass->dy. */
static void attend(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    const pass_sublayer *a = &s->sublayers[i];
    const float *in = input_at(pass, s, i), *memory = is_cross(s, i) ? pass->encoder.out : in;
    const int A = w->arch->inner_dim, H = w->arch->n_heads;
    const int rows = stack_rows(pass, s), memory_rows = is_cross(s, i) ? pass->n_source : rows;
    affine_forward(&pass->context, a->q, in, &w->linears[Q_PROJ], rows);
    affine_forward(&pass->context, a->k, memory, &w->linears[K_PROJ], memory_rows);
    affine_forward(&pass->context, a->v, memory, &w->linears[V_PROJ], memory_rows);

    const float *bias = w->arch->has_position_bias ? s->bias + pass->longest - 1 : NULL;
    float *probs = a->probs;
    size_t query = 0, key = 0;
    for (int pair = 0; pair < pass->n_pairs; pair++) {
        const attention_sentence sentence = sentence_of(pass, s, i, pair);
        const int T = sentence.n_query, S = sentence.n_key;
        heed_attention_shape shape = {.n_query = T,
                                      .n_key = S,
                                      .n_heads = H,
                                      .width = A,
                                      .scale = sentence.scale,
                                      .bias = bias,
                                      .bias_head = sentence.bias_head,
                                      .probs_row = (size_t)S,
                                      .probs_head = (size_t)T * S};
        if (sentence.causal) { /* each row over its past */
            shape.n_query = 1;
            for (int t = 0; t < T; t++) {
                const size_t row = query + (size_t)t * A;
                shape.n_key = t + 1;
                if (bias) shape.bias = bias - t; /* the only query is 0 to attention */
                attention_forward(a->mix + row, probs + (size_t)t * S, a->q + row, a->k + key, a->v + key, &shape,
                                  pass->scratch);
            }
        } else {
            attention_forward(a->mix + query, probs, a->q + query, a->k + key, a->v + key, &shape, pass->scratch);
        }
        if (sentence.dropout > 0.0f) attention_dropout(a->mix + query, probs, a->v + key, &sentence, pass->scratch);
        probs += (size_t)H * T * S;
        query += (size_t)T * A;
        key += (size_t)S * A;
    }
    affine_forward(&pass->context, pass->dy, a->mix, &w->linears[OUT_PROJ], rows);
}

/* Adds the alignment loss of the guided head to *sum; writes its gradient to dscores [T, S], unless that is NULL. */
static void guide(const heed_pass *pass, const float *probs, int i, float *dscores, pass_result *sum) {
    const heed_pair *pair = &pass->pairs[i];
    const size_t T = (size_t)pair->n_target, S = (size_t)pair->n_source;
    if (dscores) memset(dscores, 0, T * S * sizeof *dscores);
    sum->alignment += alignment_loss(dscores, probs + (size_t)pass->guided_head * T * S, pair->n_source, pair->links,
                                     pair->n_links, pass->guided, &sum->linked);
}

/* The last cross-attention of the decoder; one of its heads may be guided. */
static int guided_sublayer(const heed_pass *pass) {
    int i = pass->decoder.weights->n_sublayers - 1;
    while (!is_cross(&pass->decoder, i)) i--;
    return i;
}

static void attend_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_sublayer *w = &s->weights->sublayers[i];
    const pass_sublayer *a = &s->sublayers[i];
    const float *in = input_at(pass, s, i), *memory = is_cross(s, i) ? pass->encoder.out : in;
    const int A = w->arch->inner_dim, H = w->arch->n_heads;
    const int rows = stack_rows(pass, s), memory_rows = is_cross(s, i) ? pass->n_source : rows;
    const int is_guided = pass->guided > 0.0f && s->is_decoder && i == guided_sublayer(pass);
    float *dmix = pass->hidden; /* unused here, and at least A wide */
    int add;
    float *din = input_gradient(pass, s, i, &add);

    affine_backward(&pass->context, dmix, pass->dy, a->mix, &w->linears[OUT_PROJ], rows, 0);
    const float *probs = a->probs;
    size_t query = 0, key = 0;
    for (int pair = 0; pair < pass->n_pairs; pair++) {
        attention_sentence sentence = sentence_of(pass, s, i, pair);
        const int T = sentence.n_query, S = sentence.n_key;
        if (is_guided && pass->pairs[pair].n_links > 0) {
            pass_result unused = {0};
            guide(pass, probs, pair, pass->dscores, &unused);
            sentence.dscores = pass->dscores;
            sentence.guided_head = pass->guided_head;
        }
        attention_backward(pass->dq + query, pass->dk + key, pass->dv + key, dmix + query, probs, a->q + query,
                           a->k + key, a->v + key, &sentence, pass->scratch);
        probs += (size_t)H * T * S;
        query += (size_t)T * A;
        key += (size_t)S * A;
    }
    affine_backward(&pass->context, din, pass->dq, in, &w->linears[Q_PROJ], rows, add);
    float *dmemory = is_cross(s, i) ? pass->dmemory : din;
    affine_backward(&pass->context, dmemory, pass->dk, memory, &w->linears[K_PROJ], memory_rows, 1);
    affine_backward(&pass->context, dmemory, pass->dv, memory, &w->linears[V_PROJ], memory_rows, 1);
}

/* hidden = activation(pre) */
static void activate(heed_pass *pass, const pass_stack *s, int i, size_t n) {
    memcpy(pass->hidden, s->sublayers[i].pre, n * sizeof *pass->hidden);
    activation_forward(pass->hidden, n, s->weights->sublayers[i].arch->activation);
}

static void feed_forward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const int rows = stack_rows(pass, s);
    affine_forward(&pass->context, s->sublayers[i].pre, input_at(pass, s, i), &w[FC1], rows);
    activate(pass, s, i, (size_t)rows * w[FC1].rows);
    affine_forward(&pass->context, pass->dy, pass->hidden, &w[FC2], rows);
}

static void feed_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const int rows = stack_rows(pass, s);
    const heed_activation activation = s->weights->sublayers[i].arch->activation;
    const size_t n = (size_t)rows * w[FC1].rows;
    int add;
    float *din = input_gradient(pass, s, i, &add);
    activate(pass, s, i, n);
    affine_backward(&pass->context, pass->dhidden, pass->dy, pass->hidden, &w[FC2], rows, 0);
    activation_backward(pass->dhidden, pass->dhidden, s->sublayers[i].pre, n, activation);
    affine_backward(&pass->context, din, pass->dhidden, input_at(pass, s, i), &w[FC1], rows, add);
}

static void gated_feed_forward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const int rows = stack_rows(pass, s);
    const size_t n = (size_t)rows * w[FC1].rows;
    affine_forward(&pass->context, kept->pre, input_at(pass, s, i), &w[FC1], rows);
    affine_forward(&pass->context, kept->linear, input_at(pass, s, i), &w[FC1_LINEAR], rows);
    activate(pass, s, i, n);
    k_multiply(pass->hidden, pass->hidden, kept->linear, n);
    affine_forward(&pass->context, pass->dy, pass->hidden, &w[FC2], rows);
}

/* y = W2 (h * l),  h = activation(pre):  dh = l * (W2^T dy),  dl = h * (W2^T dy) */
static void gated_feed_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const int rows = stack_rows(pass, s);
    const size_t n = (size_t)rows * w[FC1].rows;
    const float *in = input_at(pass, s, i);
    int add;
    float *din = input_gradient(pass, s, i, &add), *hidden = pass->hidden, *product = pass->gate;
    activate(pass, s, i, n);
    k_multiply(product, hidden, kept->linear, n);
    affine_backward(&pass->context, pass->dhidden, pass->dy, product, &w[FC2], rows, 0);
    k_multiply(hidden, hidden, pass->dhidden, n); /* dl */
    affine_backward(&pass->context, din, hidden, in, &w[FC1_LINEAR], rows, add);
    k_multiply(pass->dhidden, pass->dhidden, kept->linear, n); /* dh */
    activation_backward(pass->dhidden, pass->dhidden, kept->pre, n, s->weights->sublayers[i].arch->activation);
    affine_backward(&pass->context, din, pass->dhidden, in, &w[FC1], rows, 1);
}

static void recur(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const float *in = input_at(pass, s, i);
    const int rows = stack_rows(pass, s);
    const size_t D = (size_t)pass->parameters->arch.d_model;
    affine_forward(&pass->context, kept->candidate, in, &w[CANDIDATE], rows);
    affine_forward(&pass->context, kept->forget, in, &w[FORGET], rows);
    k_sigmoid(kept->forget, (size_t)rows * D);
    size_t at = 0;
    for (int pair = 0; pair < pass->n_pairs; pair++)
        for (int t = 0; t < length(pass, pair, s->is_decoder); t++, at += D)
            k_ssru(pass->dy + at, kept->cells + at, kept->candidate + at, kept->forget + at,
                   t ? kept->cells + at - D : NULL, D);
}

static void recur_backward(heed_pass *pass, const pass_stack *s, int i) {
    const train_linear *w = s->weights->sublayers[i].linears;
    const pass_sublayer *kept = &s->sublayers[i];
    const float *in = input_at(pass, s, i);
    const int rows = stack_rows(pass, s), D = pass->parameters->arch.d_model;
    float *const du = pass->dq, *const dz = pass->dk;
    int add;
    float *din = input_gradient(pass, s, i, &add);
    size_t at = 0;
    for (int pair = 0; pair < pass->n_pairs; pair++) {
        const int T = length(pass, pair, s->is_decoder);
        ssru_backward(du + at, dz + at, pass->dy + at, kept->candidate + at, kept->forget + at, kept->cells + at,
                      pass->hidden, T, D);
        at += (size_t)T * D;
    }
    affine_backward(&pass->context, din, du, in, &w[CANDIDATE], rows, add);
    affine_backward(&pass->context, din, dz, in, &w[FORGET], rows, 1);
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
        for (int t = 0; t < length(pass, i, s->is_decoder); t++, x += D) {
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
        for (int t = 0; t < length(pass, i, s->is_decoder); t++, dx += D) {
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
    for (int i = 0; i < w->n_sublayers; i++) {
        sublayer_begin(pass, s, i);
        switch (w->sublayers[i].arch->kind) {
            case SUBLAYER_SELF_ATTENTION:
            case SUBLAYER_CROSS_ATTENTION: attend(pass, s, i); break;
            case SUBLAYER_SSRU: recur(pass, s, i); break;
            case SUBLAYER_FEED_FORWARD: feed_forward(pass, s, i); break;
            case SUBLAYER_GATED_FEED_FORWARD: gated_feed_forward(pass, s, i); break;
        }
        sublayer_end(pass, s, i);
    }
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
    for (int i = w->n_sublayers - 1; i >= 0; i--) {
        sublayer_end_backward(pass, s, i);
        switch (w->sublayers[i].arch->kind) {
            case SUBLAYER_SELF_ATTENTION:
            case SUBLAYER_CROSS_ATTENTION: attend_backward(pass, s, i); break;
            case SUBLAYER_SSRU: recur_backward(pass, s, i); break;
            case SUBLAYER_FEED_FORWARD: feed_backward(pass, s, i); break;
            case SUBLAYER_GATED_FEED_FORWARD: gated_feed_backward(pass, s, i); break;
        }
        sublayer_begin_backward(pass, s, i);
    }
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
    if (pass->guided > 0.0f) {
        const int last = guided_sublayer(pass);
        const float *probs = pass->decoder.sublayers[last].probs;
        const size_t heads = (size_t)pass->decoder.weights->sublayers[last].arch->n_heads;
        for (int i = 0; i < n; i++) {
            guide(pass, probs, i, NULL, result);
            probs += heads * pairs[i].n_target * pairs[i].n_source;
        }
    }
    if (gradients == NULL) return;

    const size_t source = (size_t)pass->n_source * pass->parameters->arch.d_model;
    memset(pass->dmemory, 0, source * sizeof *pass->dmemory);
    stack_backward(pass, &pass->decoder);
    memcpy(pass->dx, pass->dmemory, source * sizeof *pass->dx);
    stack_backward(pass, &pass->encoder);
}
