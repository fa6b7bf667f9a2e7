/* test_train.c - training: every gradient against central differences, dropout, batches in parts, errors, a small task. */
#include "check.h"
#include "random_model.h"
#include "train/adam.h"
#include "train/random.h"
#include "train/trainer.h"

static const heed_train_options PLAIN = {
    .learning_rate = 0.01f, .schedule = SCHEDULE_CONSTANT, .seed = 7, .model_seed = 3, .max_tokens = 64};

/* d 12, 2 + 2 layers, 23 pieces: post-norm, ReLU, everything shared and tied. */
static int small_config(int32_t config[MAX_CONFIG]) {
    const int n = default_config(config);
    config_set(config, "d_model", 12);
    config_set(config, "encoder_attention_heads", 3);
    config_set(config, "decoder_attention_heads", 2);
    config_set(config, "decoder_layers", 2);
    config_set(config, "encoder_ffn_dim", 20);
    config_set(config, "decoder_ffn_dim", 17);
    config_set(config, "vocab_size", 23);
    config_set(config, "decoder_vocab_size", 23);
    config_set(config, "max_position_embeddings", 24);
    return n;
}

/* Pre-norm, GELU, nothing shared, every optional tensor there. */
static int other_config(int32_t config[MAX_CONFIG]) {
    const int n = small_config(config);
    config_set(config, "activation_function", HEED_GELU);
    config_set(config, "normalize_before", 1);
    config_set(config, "normalize_embedding", 1);
    config_set(config, "add_final_layer_norm", 1);
    config_set(config, "share_encoder_decoder_embeddings", 0);
    config_set(config, "tie_word_embeddings", 0);
    config_set(config, "decoder_vocab_size", 29);
    config_set(config, "encoder_positions_stored", 1);
    config_set(config, "decoder_positions_stored", 1);
    return n;
}

/* Ragged, with a sentence of one token on either side and ids that repeat. */
static const int32_t IDS[] = {5, 9, 9, 14, 2, 7, 8, 2, /**/ 2, 11, 2, /**/ 20, 3, 2, 2, /**/ 4, 2, 13, 6, 22, 13, 17, 2};
static const int32_t LENGTHS[] = {5, 3, 1, 2, 3, 1, 2, 6};
enum { PAIRS = 4, TARGETS = 12 };

static void split(heed_pair pairs[PAIRS]) {
    const int32_t *ids = IDS;
    for (int i = 0; i < PAIRS; i++) {
        const int S = LENGTHS[2 * i], T = LENGTHS[2 * i + 1];
        pairs[i] = (heed_pair){ids, ids + S, S, T};
        ids += S + T;
    }
}

static int is_named(const heed_trainer *t, int index, const char *part) {
    return strstr(heed_trainer_tensor_name(t, index), part) != NULL;
}

/* ------------------------------------------------------------------------------- gradients */

/*
 * The loss as a function of one number: of how far the weights of a tensor are moved along a direction.
 */
typedef struct {
    heed_pass *pass;
    float *weights;
    const float *direction, *origin; /* [n] the step for 1.0, and the tensor's own values */
    size_t at, n;
    const pass_options *options;
} path;

static double loss_at(const path *p, double distance) {
    heed_pair pairs[PAIRS];
    split(pairs);
    pass_result sum = {0};
    for (size_t i = 0; i < p->n; i++) p->weights[p->at + i] = p->origin[i] + (float)(distance * p->direction[i]);
    pass_run(p->pass, p->weights, NULL, pairs, PAIRS, p->options, &sum);
    memcpy(p->weights + p->at, p->origin, p->n * sizeof(float));
    return sum.loss;
}

/* The derivative from four losses: its error falls with eps^4, its noise is what floats leave, 2e-6 / eps here. */
static double stencil(const path *p, double eps) {
    const double far = loss_at(p, 2 * eps) - loss_at(p, -2 * eps), near = loss_at(p, eps) - loss_at(p, -eps);
    return (8.0 * near - far) / (12.0 * eps);
}

/*
 * Which eps is best differs from weight to weight: it is doubled from 0.01, and of the estimates that one counts which
 * differs least from the one before: a choice that knows nothing of the gradient to be tested.
 */
static double difference(const path *p) {
    double last = stencil(p, 0.01), best = last, least = INFINITY;
    for (double eps = 0.02; eps < 0.4; eps *= 2.0) {
        const double estimate = stencil(p, eps);
        if (fabs(estimate - last) < least) {
            least = fabs(estimate - last);
            best = estimate;
        }
        last = estimate;
    }
    return best;
}

/* Spread the weights, so that nothing is near 0 by initialisation; ReLU's units are kept away from the kink, where
 * differences say nothing, by biases that decide each of them. */
static void spread(heed_trainer *t, int has_kink) {
    const heed_parameters *p = trainer_parameters(t);
    float *w = trainer_array(t, HEED_TRAIN_WEIGHTS);
    uint32_t seed = 99;
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *tensor = &p->tensors[i];
        const size_t n = (size_t)tensor->rows * tensor->cols;
        const int is_kinked = has_kink && is_named(t, i, "fc1");
        for (size_t j = 0; j < n; j++) {
            float *x = &w[tensor->offset + j];
            if (is_kinked) *x = tensor->rows == 1 ? (j % 2 ? 1.5f : -1.5f) : 0.1f * random_float(&seed);
            else *x += (is_named(t, i, "encoder_attn.") ? 0.6f : 0.3f) * random_float(&seed);
        }
    }
}

static void check_gradients(const char *name, const int32_t *config, int n, int has_kink) {
    heed_train_options o = PLAIN;
    heed_trainer *t;
    o.train_positions = 1;
    if (!CHECK_INT(trainer_create(config, n, &o, &gemm_plain, &t, NULL), HEED_OK)) return;
    spread(t, has_kink);
    const heed_parameters *p = trainer_parameters(t);
    float *weights = trainer_array(t, HEED_TRAIN_WEIGHTS), *gradients = trainer_array(t, HEED_TRAIN_GRADIENTS);

    heed_arena arena = {0};
    heed_pass pass;
    pass_layout(&pass, &arena, p, &gemm_plain, o.max_tokens);
    void *block = arena_block(&arena);
    pass_layout(&pass, &arena, p, &gemm_plain, o.max_tokens);

    const pass_options options = {.smoothing = 0.1f, .scale = 1.0f};
    heed_pair pairs[PAIRS];
    split(pairs);
    pass_result sum = {0};
    CHECK_INT(pass_capacity(&pass, pairs, PAIRS), PAIRS);
    pass_run(&pass, weights, gradients, pairs, PAIRS, &options, &sum);
    CHECK_INT(sum.tokens, TARGETS);

    double worst = 0.0;
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *tensor = &p->tensors[i];
        if (!tensor->trained) continue;
        const size_t size = (size_t)tensor->rows * tensor->cols, stride = size > 40 ? size / 40 | 1 : 1;
        const float *g = gradients + tensor->offset, one = 1.0f;
        float *origin = malloc(size * sizeof *origin), *along = malloc(size * sizeof *along);
        memcpy(origin, weights + tensor->offset, size * sizeof *origin);
        path p1 = {&pass, weights, &one, NULL, 0, 1, &options};

        /* element by element, up to 40 of them, as a vector */
        double error = 0.0, norm = 0.0, whole = 0.0;
        for (size_t j = 0; j < size; j += stride) {
            p1.at = tensor->offset + j;
            p1.origin = origin + j;
            const double want = difference(&p1);
            error += (g[j] - want) * (g[j] - want);
            norm += want * want;
        }
        /* the noise of 40 differences is about 1e-4, whatever the size of the gradient */
        if (!CHECK(sqrt(error) <= 1e-3 * sqrt(norm) + 1e-4))
            printf("  %s %s: off by %.1e of %.1e\n", name, tensor->name, sqrt(error), sqrt(norm));

        /* and all elements at once, along the gradient itself, where the derivative is its norm */
        for (size_t j = 0; j < size; j++) whole += (double)g[j] * g[j];
        whole = sqrt(whole);
        /* softmax does not see a constant added to all scores: k_proj.bias has no gradient */
        if (is_named(t, i, "k_proj.bias")) {
            CHECK(whole < 1e-5);
        } else {
            for (size_t j = 0; j < size; j++) along[j] = (float)(g[j] / whole);
            const path all = {&pass, weights, along, origin, tensor->offset, size, &options};
            const double off = fabs(difference(&all) / whole - 1.0);
            if (!CHECK(off <= 1e-3)) printf("  %s %s: its norm is off by %.1e of %.1e\n", name, tensor->name, off * whole, whole);
            if (off > worst) worst = off;
        }
        free(origin);
        free(along);
    }
    printf("%s: norms of gradients differ from central differences by %.1e or less\n", name, worst);
    arena_free_block(block);
    heed_trainer_free(t);
}

static void test_gradients(void) {
    int32_t config[MAX_CONFIG];
    int n = small_config(config);
    check_gradients("post-norm, ReLU, shared", config, n, 1);
    config_set(config, "activation_function", HEED_SWISH);
    config_set(config, "share_encoder_decoder_embeddings", 0);
    check_gradients("post-norm, swish, separate, tied", config, n, 0);
    n = other_config(config);
    check_gradients("pre-norm, GELU, separate, stored positions", config, n, 0);
}

int main(void) {
    test_gradients();
    return check_summary("train");
}
