/* attend.c - see attend.h for the contract. */
#include "train/attend.h"

#include <math.h>
#include <string.h>

#include "train/backward.h"
#include "train/loss.h"
#include "train/random.h"
#include "train/rows.h"

/* Whether the keys of sublayer i are the encoder's output. */
static int is_cross(const pass_stack *s, int i) {
    return s->weights->sublayers[i].arch->kind == SUBLAYER_CROSS_ATTENTION;
}

static float scale_of(const architecture_sublayer *arch) {
    return arch->is_scaled ? 1.0f / sqrtf((float)(arch->inner_dim / arch->n_heads)) : 1.0f;
}

/* The attention of pair `pair` in sublayer i of the stack. */
static attention_sentence sentence_of(const heed_pass *pass, const pass_stack *s, int i, int pair) {
    const int T = pair_length(pass, pair, s->is_decoder);
    const architecture_sublayer *arch = s->weights->sublayers[i].arch;
    return (attention_sentence){.n_query = T,
                                .n_key = is_cross(s, i) ? pair_length(pass, pair, 0) : T,
                                .n_heads = arch->n_heads,
                                .width = arch->inner_dim,
                                .scale = scale_of(arch),
                                .dbias = arch->has_position_bias ? s->dbias + pass->longest - 1 : NULL,
                                .bias_head = 2 * (size_t)pass->longest - 1,
                                .causal = s->weights->arch->is_causal && !is_cross(s, i),
                                .dropout = pass->attention_dropout,
                                .key = random_key(dropout_key(pass, s, i), (uint64_t)pair)};
}

void attend_pairs(heed_pass *pass, const pass_stack *s, int i) {
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

void attend_pairs_backward(heed_pass *pass, const pass_stack *s, int i) {
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

void attend_guided_loss(const heed_pass *pass, pass_result *result) {
    const int last = guided_sublayer(pass);
    const float *probs = pass->decoder.sublayers[last].probs;
    const size_t heads = (size_t)pass->decoder.weights->sublayers[last].arch->n_heads;
    for (int i = 0; i < pass->n_pairs; i++) {
        guide(pass, probs, i, NULL, result);
        probs += heads * pass->pairs[i].n_target * pass->pairs[i].n_source;
    }
}
