/* test_train.c - training: products, dropout, every gradient against central differences, a small task, errors. */
#include "check.h"
#include "random_model.h"
#include "train/adam.h"
#include "train/random.h"
#include "train/sampled.h"
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

/*
 * T5 v1.1: RMSNorm, position bias, gated GELU, no biases, and heads that are wider than D / H; tied, as T5 v1.0.  But
 * the embeddings are scaled: the norm of small ones is so steep that differences say little.
 */
static int t5_config(int32_t config[MAX_CONFIG]) {
    const int n = small_config(config);
    config_set(config, "activation_function", HEED_GELU_NEW);
    config_set(config, "normalize_before", 1);
    config_set(config, "add_final_layer_norm", 1);
    config_set(config, "positions", HEED_POSITIONS_NONE);
    config_set(config, "norm", HEED_RMS_NORM);
    config_set(config, "layer_norm_eps", 1000000);
    config_set(config, "head_dim", 7);
    config_set(config, "unscaled_attention", 1);
    config_set(config, "no_biases", 1);
    config_set(config, "gated_feed_forward", 1);
    config_set(config, "scale_logits", 1);
    config_set(config, "relative_buckets", 8);
    config_set(config, "relative_distance", 5);
    return n;
}

/* Ragged, with a sentence of one token on either side and ids that repeat. */
static const int32_t IDS[] = {5, 9, 9, 14,     2, 7,  8, 2,  /**/ 2, 11, 2, /**/ 20,
                              3, 2, 2, /**/ 4, 2, 13, 6, 22, 13,     17, 2};
static const int32_t LENGTHS[] = {5, 3, 1, 2, 3, 1, 2, 6};
enum { PAIRS = 4, TARGETS = 12, LINKED = 6 };
/* Of pair 0 one token with two links and one with one; none of pair 1; a token of one, in a pair of one; and more. */
static const heed_link LINKS[] = {{0, 1}, {0, 3}, {2, 4}, {0, 2}, {1, 0}, {4, 1}, {5, 0}, {5, 1}};
static const int N_LINKS[] = {3, 0, 1, 4};

static void split(heed_pair pairs[PAIRS]) {
    const int32_t *ids = IDS;
    const heed_link *links = LINKS;
    for (int i = 0; i < PAIRS; i++) {
        const int S = LENGTHS[2 * i], T = LENGTHS[2 * i + 1];
        pairs[i] = (heed_pair){.source = ids, .target = ids + S, .n_source = S, .n_target = T};
        ids += S + T;
        pairs[i].links = links;
        pairs[i].n_links = N_LINKS[i];
        links += N_LINKS[i];
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
    float *gradients; /* [n_floats] of no use but that a pass with gradients drops, or NULL */
} path;

static double loss_at(const path *p, double distance) {
    heed_pair pairs[PAIRS];
    split(pairs);
    pass_result sum = {0};
    for (size_t i = 0; i < p->n; i++) p->weights[p->at + i] = p->origin[i] + (float)(distance * p->direction[i]);
    pass_run(p->pass, p->weights, p->gradients, pairs, PAIRS, p->options, &sum);
    memcpy(p->weights + p->at, p->origin, p->n * sizeof(float));
    return sum.loss + (double)p->options->guided * sum.alignment;
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
 * differences say nothing, by biases that decide each of them.  Candidates of an SSRU have none: they are decided
 * by feature 0 of their input, which is large and nearly constant. */
static void spread(heed_trainer *t, int has_kink) {
    const heed_parameters *p = trainer_parameters(t);
    float *w = trainer_array(t, HEED_TRAIN_WEIGHTS);
    const int recurs = p->arch.decoder.sublayers[0].kind == SUBLAYER_SSRU;
    uint32_t seed = 99;
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *tensor = &p->tensors[i];
        const size_t n = (size_t)tensor->rows * tensor->cols;
        const int is_kinked = has_kink && is_named(t, i, "fc1");
        for (size_t j = 0; j < n; j++) {
            float *x = &w[tensor->offset + j];
            const int is_table = is_named(t, i, "shared");
            const int is_norm = is_named(t, i, "decoder.") && is_named(t, i, "norm.");
            if (recurs && (is_table || is_norm) && (int)j % tensor->cols == 0)
                *x = is_table ? 1.0f : is_named(t, i, "norm.weight") ? 0.1f : 2.0f;
            else if (is_named(t, i, "candidate"))
                *x = (int)j % tensor->cols ? 0.1f * random_float(&seed) : j / (size_t)tensor->cols % 2 ? 1.5f : -1.5f;
            else if (is_kinked) *x = tensor->rows == 1 ? (j % 2 ? 1.5f : -1.5f) : 0.1f * random_float(&seed);
            else *x += (is_named(t, i, "encoder_attn.") ? 0.6f : 0.3f) * random_float(&seed);
        }
    }
}

/* Elements of a tensor that are compared one by one: 6, or what the program's argument says. */
static size_t elements = 6;

static void check_gradients(const char *name, const int32_t *config, int n, int has_kink, const pass_options *extra,
                            int sampled) {
    heed_train_options o = PLAIN;
    heed_trainer *t;
    o.train_positions = 1;
    if (!CHECK_INT(trainer_create(config, n, &o, &gemm_plain, &t, NULL), HEED_OK)) return;
    spread(t, has_kink);
    const heed_parameters *p = trainer_parameters(t);
    float *weights = trainer_array(t, HEED_TRAIN_WEIGHTS), *gradients = trainer_array(t, HEED_TRAIN_GRADIENTS);

    heed_arena arena = {0};
    heed_pass pass;
    pass_layout(&pass, &arena, p, &gemm_plain, o.max_tokens, sampled);
    void *block = arena_block(&arena);
    pass_layout(&pass, &arena, p, &gemm_plain, o.max_tokens, sampled);

    pass_options options = extra ? *extra : (pass_options){0};
    options.smoothing = 0.1f;
    options.scale = 1.0f;
    float *unused = extra ? malloc(p->n_floats * sizeof *unused) : NULL;
    if (extra) memset(unused, 0, p->n_floats * sizeof *unused);
    heed_pair pairs[PAIRS];
    split(pairs);
    pass_result sum = {0};
    CHECK_INT(pass_capacity(&pass, pairs, PAIRS), PAIRS);
    pass_run(&pass, weights, gradients, pairs, PAIRS, &options, &sum);
    CHECK_INT(sum.tokens, TARGETS);
    CHECK_INT(sum.linked, extra && extra->guided > 0.0f ? LINKED : 0);

    double worst = 0.0;
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *tensor = &p->tensors[i];
        if (!tensor->trained) continue;
        const size_t size = (size_t)tensor->rows * tensor->cols, stride = size > elements ? size / elements | 1 : 1;
        const float *g = gradients + tensor->offset, one = 1.0f;
        float *origin = malloc(size * sizeof *origin), *along = malloc(size * sizeof *along);
        memcpy(origin, weights + tensor->offset, size * sizeof *origin);
        path p1 = {&pass, weights, &one, NULL, 0, 1, &options, unused};

        /* some, element by element, as a vector */
        double error = 0.0, norm = 0.0, whole = 0.0;
        for (size_t j = 0; j < size; j += stride) {
            p1.at = tensor->offset + j;
            p1.origin = origin + j;
            const double want = difference(&p1);
            error += (g[j] - want) * (g[j] - want);
            norm += want * want;
        }
        /* the noise of 10 differences is at most 1e-4, whatever the size of the gradient */
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
            const path all = {&pass, weights, along, origin, tensor->offset, size, &options, unused};
            const double off = fabs(difference(&all) / whole - 1.0);
            /* 1e-5: the noise of a difference, which shows where a gradient is small */
            if (!CHECK(off <= 1e-3 + 1e-5 / whole))
                printf("  %s %s: its norm is off by %.1e of %.1e\n", name, tensor->name, off * whole, whole);
            if (off > worst) worst = off;
        }
        free(origin);
        free(along);
    }
    printf("%s: norms of gradients differ from central differences by %.1e or less\n", name, worst);
    free(unused);
    arena_free_block(block);
    heed_trainer_free(t);
}

static void test_gradients(void) {
    /* the weight of guided alignment is such that its gradient is as large as that of the loss it is added to */
    const pass_options extra = {.guided = 2.0f, .guided_head = 1},
                       drops = {.attention_dropout = 0.3f, .key = 5, .guided = 2.0f}, drawn = {.key = 6};
    int32_t config[MAX_CONFIG];
    int n = small_config(config);
    check_gradients("post-norm, ReLU, shared", config, n, 1, NULL, 0);
    check_gradients("post-norm, ReLU, shared, guided", config, n, 1, &extra, 0);
    check_gradients("post-norm, ReLU, shared, sampled softmax", config, n, 1, &drawn, 15);
    config_set(config, "activation_function", HEED_SWISH);
    config_set(config, "share_encoder_decoder_embeddings", 0);
    check_gradients("post-norm, swish, separate, tied", config, n, 0, NULL, 0);
    n = other_config(config);
    check_gradients("pre-norm, GELU, separate, stored positions", config, n, 0, NULL, 0);
    check_gradients("pre-norm, GELU, sampled softmax", config, n, 0, &drawn, 16);
    check_gradients("pre-norm, GELU, attention dropout, guided", config, n, 0, &drops, 0);
    config_set(config, "decoder_cell", HEED_SSRU);
    check_gradients("pre-norm, GELU, SSRU", config, n, 0, &drops, 0);
    n = small_config(config);
    config_set(config, "decoder_cell", HEED_SSRU);
    config_set(config, "positions", HEED_POSITIONS_MARIAN);
    config_set(config, "layer_norm_eps", 1000000);
    check_gradients("post-norm, ReLU, SSRU, as Marian's", config, n, 1, NULL, 0);
    n = t5_config(config);
    config_set(config, "tie_word_embeddings", 0);
    config_set(config, "head_dim", 2); /* narrower than D / H */
    check_gradients("T5, sampled softmax, an output matrix of its own", config, n, 0, &drawn, 15);
    n = other_config(config);
    config_set(config, "position_offset", 2);
    check_gradients("pre-norm, GELU, stored positions from the third row on", config, n, 0, NULL, 0);
    config_set(config, "encoder_positions_stored", 0);
    config_set(config, "decoder_positions_stored", 0);
    config_set(config, "positions", HEED_POSITIONS_FAIRSEQ);
    check_gradients("pre-norm, GELU, fairseq's positions", config, n, 0, NULL, 0);
}

/* -------------------------------------------------------------------------------- the rest */

/* The words of a part: its targets, and the others each as often as the next, and each pair of them as the next. */
static void check_words_drawn(const heed_parameters *p, const float *weights, int words) {
    enum { V = 23, TIMES = 20000, CERTAIN = 3, OTHERS = V - CERTAIN };
    static const int32_t TARGETS_OF_A_PART[] = {5, 2, 5, 9};
    const int n_drawn = words - CERTAIN;
    const float weight = (float)OTHERS / (float)n_drawn, *rows = weights + p->output;
    const size_t D = (size_t)p->arch.d_model;
    int32_t together[V][V] = {{0}}; /* [id][id]: how often the id is there */
    heed_arena arena = {0};
    heed_sampled s;
    sampled_layout(&s, &arena, p, 4, words);
    void *block = arena_block(&arena);
    sampled_layout(&s, &arena, p, 4, words);
    int wrong = 0;
    for (uint64_t key = 0; key < TIMES; key++) {
        sampled_begin(&s, p);
        for (int i = 0; i < 4; i++) sampled_take(&s, TARGETS_OF_A_PART[i]);
        sampled_draw(&s, p, weights, key);
        wrong += s.columns.n != words || s.columns.certain != CERTAIN || s.columns.vocabulary != V ||
                 s.columns.weight != weight || s.ids[0] != 5 || s.ids[1] != 2 || s.ids[2] != 9;
        for (int i = 0; i < s.columns.n; i++) {
            for (int j = 0; j < s.columns.n; j++) together[s.ids[i]][s.ids[j]]++;
            wrong += s.weights[(size_t)words * D + i] != (i < CERTAIN ? 0.0f : logf(weight));
            wrong += s.place[s.ids[i]] != i || memcmp(s.weights + (size_t)i * D, rows + (size_t)s.ids[i] * D,
                                                      D * sizeof *rows) != 0;
        }
        for (int id = 0, n = 0; id < V; id++) {
            n += s.place[id] >= 0;
            wrong += s.place[id] < -1 || (id == V - 1 && n != words);
        }
    }
    CHECK_INT(wrong, 0);
    /* 4 standard deviations of a share of TIMES draws */
    const double share = (double)n_drawn / OTHERS, both = share * (n_drawn - 1) / (OTHERS - 1);
    for (int a = 0; a < V; a++) {
        for (int b = 0; b <= a; b++) {
            const int certain = (a == 5 || a == 2 || a == 9) + (b == 5 || b == 2 || b == 9);
            const double want = certain == 2 ? 1.0 : certain == 1 || a == b ? share : both;
            CHECK(fabs((double)together[a][b] / TIMES - want) <= 4.0 * sqrt(want * (1.0 - want) / TIMES));
        }
    }
    /* all words equally likely: the loss is that of the whole vocabulary, smoothed or not */
    float logits[V];
    for (int i = 0; i < words; i++) logits[i] = i < CERTAIN ? 0.0f : logf(weight);
    double likelihood = 0.0;
    const loss_columns columns = {words, CERTAIN, V, weight};
    CHECK(fabs(cross_entropy(logits, 1, &columns, 0.5f, 0.0f, &likelihood) - log(V)) <= 1e-6);
    CHECK(fabs(likelihood - log(V)) <= 1e-6);
    /* more targets than words: half as many are drawn all the same, or all that are left */
    sampled_begin(&s, p);
    for (int32_t id = 0; id < 4; id++) sampled_take(&s, id);
    s.words = 4;
    sampled_draw(&s, p, weights, 1);
    CHECK_INT(s.columns.n, 6);
    arena_free_block(block);
}

/* Few of the others, half of them, and most. */
static void test_words_drawn(void) {
    static const int WORDS[] = {10, 13, 14, 19, 22};
    int32_t config[MAX_CONFIG];
    heed_trainer *t;
    if (!CHECK_INT(heed_trainer_create(config, small_config(config), &PLAIN, &t, NULL), HEED_OK)) return;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        check_words_drawn(trainer_parameters(t), trainer_array(t, HEED_TRAIN_WEIGHTS), WORDS[i]);
    heed_trainer_free(t);
}

/* Where all words are drawn, loss and gradient are those of the whole softmax. */
static void test_all_words_drawn(void) {
    int32_t config[MAX_CONFIG];
    const int n = other_config(config);
    heed_train_options o = PLAIN;
    heed_trainer *whole, *drawn;
    heed_train_result a, b;
    o.label_smoothing = 0.1f;
    if (!CHECK_INT(heed_trainer_create(config, n, &o, &whole, NULL), HEED_OK)) return;
    o.sampled_softmax = 64;
    if (!CHECK_INT(heed_trainer_create(config, n, &o, &drawn, NULL), HEED_OK)) return;
    CHECK_INT(heed_trainer_step(whole, IDS, LENGTHS, PAIRS, &a), HEED_OK);
    CHECK_INT(heed_trainer_step(drawn, IDS, LENGTHS, PAIRS, &b), HEED_OK);
    CHECK(fabsf(a.loss - b.loss) <= 1e-6f * a.loss && fabsf(a.likelihood - b.likelihood) <= 1e-6f * a.likelihood);
    const float *x = trainer_array(whole, HEED_TRAIN_GRADIENTS), *y = trainer_array(drawn, HEED_TRAIN_GRADIENTS);
    float most = 0.0f, off = 0.0f;
    for (size_t i = 0; i < trainer_parameters(whole)->n_floats; i++) {
        most = fmaxf(most, fabsf(x[i]));
        off = fmaxf(off, fabsf(x[i] - y[i]));
    }
    /* sums in another order */
    CHECK(most > 0.01f && off <= 1e-6f * most);
    heed_trainer_free(whole);
    heed_trainer_free(drawn);
}

/* What splitmix64 gives from 0 on, as published; keys and numbers that a run to be resumed relies on. */
static void test_random(void) {
    static const uint64_t FIRST[3] = {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu};
    for (uint64_t i = 0; i < 3; i++) CHECK(random_mix(i * 0x9e3779b97f4a7c15u) == FIRST[i]);
    CHECK(random_key(5, 0) == random_mix(5 ^ FIRST[0]));
    CHECK(random_uniform(5, 0) == (double)(random_mix(5 ^ FIRST[0]) >> 11) / 9007199254740992.0);
}

/* Every element is dropped or scaled, the share is as asked, and the key decides. */
static void test_dropout(void) {
    enum { N = 100003 };
    static float x[N], again[N];
    static const float SHARES[] = {0.1f, 0.5f, 0.9f};
    for (int k = 0; k < 3; k++) {
        int dropped = 0, odd = 0;
        for (int i = 0; i < N; i++) x[i] = again[i] = 1.0f;
        dropout(x, N, SHARES[k], 77);
        dropout(again, N, SHARES[k], 77);
        for (int i = 0; i < N; i++) {
            dropped += x[i] == 0.0f;
            odd += x[i] != 0.0f && x[i] != 1.0f / (1.0f - SHARES[k]);
        }
        CHECK(memcmp(x, again, sizeof x) == 0 && odd == 0);
        /* five deviations of a binomial share */
        const double p = SHARES[k];
        CHECK(fabs(dropped - N * p) < 5.0 * sqrt(N * p * (1.0 - p)));
        dropout(again, N, SHARES[k], 78);
        CHECK(memcmp(x, again, sizeof x) != 0);
    }
    for (int i = 0; i < N; i++) x[i] = 3.0f;
    dropout(x, N, 0.0f, 77);
    CHECK(x[0] == 3.0f && x[N - 1] == 3.0f);
}

/* C = A B in all its forms against three loops, at awkward sizes. */
static void test_products(void) {
    static const int SIZES[] = {1, 2, 3, 5, 7, 11, 12, 13, 15, 16, 17, 31, 33, 63, 67};
    enum { N_SIZES = sizeof SIZES / sizeof SIZES[0], LONG = 530 };
    static float a[80 * LONG], b[80 * LONG], c[80 * LONG], want[80 * LONG];
    float *scratch = malloc(gemm_plain.scratch_floats * sizeof *scratch);
    uint32_t seed = 5;
    for (int t = 0; t < 120; t++) {
        /* one of the three may be past a block */
        int size[3];
        for (int i = 0; i < 3; i++) size[i] = SIZES[(t * 7 + i * 4 + t / 15 * i) % N_SIZES];
        if (t % 4 < 3) size[t % 4] = LONG;
        const int m = size[0], n = size[1], k = size[2], a_flipped = t % 2, b_flipped = t / 2 % 2, add = t / 4 % 2;
        if ((size_t)m * k > sizeof a / 4 || (size_t)n * k > sizeof b / 4 || (size_t)m * n > sizeof c / 4) continue;
        for (int i = 0; i < m * k; i++) a[i] = random_float(&seed);
        for (int i = 0; i < n * k; i++) b[i] = random_float(&seed);
        for (int i = 0; i < m * n; i++) want[i] = c[i] = random_float(&seed);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = add ? want[i * n + j] : 0.0;
                for (int p = 0; p < k; p++)
                    sum += (double)a[a_flipped ? p * m + i : i * k + p] * b[b_flipped ? j * k + p : p * n + j];
                want[i * n + j] = (float)sum;
            }
        gemm_plain.multiply(c, n, a, a_flipped ? m : k, a_flipped, b, b_flipped ? k : n, b_flipped, m, n, k, add,
                            scratch);
        double worst = 0.0;
        for (int i = 0; i < m * n; i++) worst = fmax(worst, fabs((double)c[i] - want[i]));
        /* k roundings of sums of up to sqrt(k) / 3 */
        if (!CHECK(worst < 1e-6 * k))
            printf("  %d x %d x %d, flipped %d %d, add %d: %g\n", m, n, k, a_flipped, b_flipped, add, worst);
    }
    free(scratch);
}

static void test_learning(int cell) {
    int32_t config[MAX_CONFIG];
    const int n = small_config(config);
    config_set(config, "decoder_cell", cell);
    heed_train_result first, result;
    heed_trainer *t;
    CHECK_INT(heed_trainer_create(config, n, &PLAIN, &t, NULL), HEED_OK);
    CHECK_INT(heed_trainer_evaluate(t, IDS, LENGTHS, PAIRS, &first), HEED_OK);
    CHECK(first.tokens == TARGETS && first.gradient_norm == 0.0f && fabsf(first.loss - first.likelihood) < 1e-6f);
    for (int i = 0; i < 200; i++) CHECK_INT(heed_trainer_step(t, IDS, LENGTHS, PAIRS, &result), HEED_OK);
    CHECK_INT(heed_trainer_evaluate(t, IDS, LENGTHS, PAIRS, &result), HEED_OK);
    /* all targets begin with the same start token: only a working cross-attention can tell the first words apart */
    CHECK(first.loss > 2.0f && result.loss < 0.05f);
    CHECK(heed_trainer_steps(t) == 200.0);
    heed_trainer_free(t);
}

/* Rates by hand: the rise, the peak, and what follows, of each schedule. */
static void test_rates(void) {
    for (int schedule = SCHEDULE_INVERSE_SQRT; schedule <= SCHEDULE_COSINE; schedule++) {
        CHECK(learning_rate(schedule, 0.5, 100.0, 300.0, 1.0) == 0.005);
        CHECK(learning_rate(schedule, 0.5, 100.0, 300.0, 99.0) == 0.495);
        CHECK(learning_rate(schedule, 0.5, 100.0, 300.0, 100.0) == 0.5);
    }
    CHECK(learning_rate(SCHEDULE_CONSTANT, 0.5, 100.0, 0.0, 1e6) == 0.5);
    CHECK(learning_rate(SCHEDULE_CONSTANT, 0.5, 0.0, 0.0, 1.0) == 0.5);
    CHECK(learning_rate(SCHEDULE_INVERSE_SQRT, 0.5, 100.0, 0.0, 400.0) == 0.25);
    CHECK(learning_rate(SCHEDULE_INVERSE_SQRT, 0.5, 0.0, 0.0, 1.0) == 0.5);
    CHECK(learning_rate(SCHEDULE_INVERSE_SQRT, 0.5, 0.0, 0.0, 4.0) == 0.25);
    CHECK(fabs(learning_rate(SCHEDULE_COSINE, 0.5, 100.0, 300.0, 200.0) - 0.25) < 1e-15);
    CHECK(fabs(learning_rate(SCHEDULE_COSINE, 0.5, 100.0, 300.0, 150.0) - 0.25 * (1.0 + sqrt(0.5))) < 1e-15);
    CHECK(learning_rate(SCHEDULE_COSINE, 0.5, 100.0, 300.0, 300.0) == 0.0);
    CHECK(learning_rate(SCHEDULE_COSINE, 0.5, 100.0, 300.0, 301.0) == 0.0);
}

/* Each option at its borders, and past them. */
static void test_options(void) {
    static const struct {
        const char *name;
        size_t at;
        int is_float;
        double value;
        int fits;
    } CASES[] = {
#define OPTION(name, field, value, fits) {name, offsetof(heed_train_options, field), 1, value, fits}
#define NUMBER(name, field, value, fits) \
    { name, offsetof(heed_train_options, field), 0, value, fits }
        OPTION("learningRate", learning_rate, -1e-9, 0),
        OPTION("learningRate", learning_rate, 1.1e6, 0),
        OPTION("learningRate", learning_rate, NAN, 0),
        OPTION("learningRate", learning_rate, 1e6, 1),
        OPTION("learningRate", learning_rate, 0.0, 1),
        OPTION("labelSmoothing", label_smoothing, -0.1, 0),
        OPTION("labelSmoothing", label_smoothing, 1.0, 0),
        OPTION("labelSmoothing", label_smoothing, NAN, 0),
        OPTION("labelSmoothing", label_smoothing, 0.9, 1),
        OPTION("dropout", dropout, -0.1, 0),
        OPTION("dropout", dropout, 1.0, 0),
        OPTION("dropout", dropout, NAN, 0),
        OPTION("dropout", dropout, 0.9, 1),
        OPTION("clipNorm", clip_norm, -1.0, 0),
        OPTION("clipNorm", clip_norm, 1.1e30, 0),
        OPTION("clipNorm", clip_norm, NAN, 0),
        OPTION("clipNorm", clip_norm, 1e30, 1),
        NUMBER("schedule", schedule, -1, 0),
        NUMBER("schedule", schedule, 3, 0),
        NUMBER("schedule", schedule, 0, 1),
        NUMBER("warmupSteps", warmup_steps, -1, 0),
        NUMBER("warmupSteps", warmup_steps, 0, 1),
        NUMBER("totalSteps", schedule, 2, 0),
        NUMBER("maxTokens", max_tokens, 0, 0),
        NUMBER("maxTokens", max_tokens, (1 << 20) + 1, 0),
        NUMBER("maxTokens", max_tokens, 1, 1),
        OPTION("attentionDropout", attention_dropout, -0.1, 0),
        OPTION("attentionDropout", attention_dropout, 1.0, 0),
        OPTION("attentionDropout", attention_dropout, NAN, 0),
        OPTION("attentionDropout", attention_dropout, 0.9, 1),
        OPTION("guided", guided, -0.1, 0),
        OPTION("guided", guided, 1.1e6, 0),
        OPTION("guided", guided, NAN, 0),
        OPTION("guided", guided, 1e6, 1),
        NUMBER("guidedHead", guided_head, -1, 0),
        NUMBER("guidedHead", guided_head, 2, 0),
        NUMBER("guidedHead", guided_head, 1, 1),
        NUMBER("sampledSoftmax", sampled_softmax, -1, 0),
        NUMBER("sampledSoftmax", sampled_softmax, (1 << 24) + 1, 0),
        NUMBER("sampledSoftmax", sampled_softmax, 1, 1),
        NUMBER("optimizer", optimizer, -1, 0),
        NUMBER("optimizer", optimizer, 2, 0),
        NUMBER("optimizer", optimizer, 1, 1),
#undef OPTION
#undef NUMBER
    };
    int32_t config[MAX_CONFIG], rows, cols;
    const int n = small_config(config);
    heed_trainer *t;
    heed_report report;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        heed_train_options o = PLAIN;
        const float f = (float)CASES[i].value;
        const int32_t number = CASES[i].is_float ? 0 : (int32_t)CASES[i].value;
        memcpy((char *)&o + CASES[i].at, CASES[i].is_float ? (const void *)&f : (const void *)&number, 4);
        CHECK_INT(heed_trainer_create(config, n, &o, &t, &report), CASES[i].fits ? HEED_OK : HEED_E_ARGUMENT);
        CHECK(CASES[i].fits ? t != NULL : t == NULL && strcmp(report.name, CASES[i].name) == 0);
        heed_trainer_free(t);
    }
    heed_train_options o = PLAIN;
    o.schedule = SCHEDULE_COSINE;
    o.warmup_steps = 5;
    o.total_steps = 5;
    CHECK_INT(heed_trainer_create(config, n, &o, &t, &report), HEED_E_ARGUMENT);
    CHECK(strcmp(report.name, "totalSteps") == 0);
    o.total_steps = 6;
    CHECK_INT(heed_trainer_create(config, n, &o, &t, &report), HEED_OK);
    CHECK(heed_trainer_bytes(t) > 1000);
    const int count = heed_trainer_tensor_count(t);
    heed_trainer_tensor_shape(t, 0, &rows, &cols);
    CHECK(rows == 23 && cols == 12);
    heed_trainer_tensor_shape(t, count, &rows, &cols);
    CHECK(rows == 0 && cols == 0);
    heed_trainer_tensor_shape(t, -1, &rows, &cols);
    CHECK(rows == 0 && cols == 0);
    CHECK(heed_trainer_tensor_name(t, count) == NULL && heed_trainer_tensor_name(t, count - 1) != NULL);
    heed_trainer_free(t);

    /* no rate: the paper's, (d_model warmup)^-0.5 at its peak, which is step 4 */
    static const int32_t ids[] = {1, 2, 3, 2}, lengths[] = {2, 2};
    heed_train_result result;
    for (int warmup = 0; warmup <= 4; warmup += 4) {
        o = PLAIN;
        o.schedule = SCHEDULE_INVERSE_SQRT;
        o.learning_rate = 0.0f;
        o.warmup_steps = warmup;
        CHECK_INT(heed_trainer_create(config, n, &o, &t, NULL), HEED_OK);
        for (int step = 0; step < 4; step++) CHECK_INT(heed_trainer_step(t, ids, lengths, 1, &result), HEED_OK);
        const float peak = 1.0f / sqrtf(12.0f * (warmup ? 4.0f : 1.0f));
        CHECK(fabsf(result.learning_rate - (warmup ? peak : peak / 2.0f)) < 1e-6f);
        heed_trainer_free(t);
    }

    /* clipping: the step is that of a gradient of the norm allowed, and Adam's second step shows it */
    float free_values[23 * 12], clipped[23 * 12];
    for (int clip = 0; clip < 2; clip++) {
        o = PLAIN;
        o.clip_norm = clip ? 0.01f : 0.0f;
        CHECK_INT(heed_trainer_create(config, n, &o, &t, NULL), HEED_OK);
        CHECK_INT(heed_trainer_step(t, ids, lengths, 1, &result), HEED_OK);
        CHECK(result.gradient_norm > 0.1f);
        float *m = clip ? clipped : free_values;
        CHECK_INT(heed_trainer_get_values(t, 0, HEED_TRAIN_M, m, 23 * 12), HEED_OK);
        heed_trainer_free(t);
    }
    for (int i = 0; i < 23 * 12; i++) free_values[i] *= 0.01f / result.gradient_norm;
    CHECK_NEAR("clipped moments", clipped, free_values, 23 * 12, 1e-8); /* 1e-6 of the norm, squared, and rounding */
}

static void test_errors(void) {
    int32_t config[MAX_CONFIG];
    const int n = small_config(config);
    heed_train_options o = PLAIN;
    heed_report report;
    heed_trainer *t;
    heed_train_result result;

    o.dropout = 1.0f;
    CHECK_INT(heed_trainer_create(config, n, &o, &t, &report), HEED_E_ARGUMENT);
    CHECK(t == NULL && strcmp(report.name, "dropout") == 0);
    o = PLAIN;
    o.learning_rate = NAN;
    CHECK_INT(heed_trainer_create(config, n, &o, &t, NULL), HEED_E_ARGUMENT);
    o = PLAIN;
    o.schedule = SCHEDULE_COSINE;
    CHECK_INT(heed_trainer_create(config, n, &o, &t, NULL), HEED_E_ARGUMENT);
    config_set(config, "dtype", HEED_I8);
    CHECK_INT(heed_trainer_create(config, n, &PLAIN, &t, &report), HEED_E_CONFIG);
    CHECK(strcmp(report.name, "dtype") == 0);
    config_set(config, "dtype", HEED_F32);
    config_set(config, "d_model", 13);
    CHECK_INT(heed_trainer_create(config, n, &PLAIN, &t, &report), HEED_E_CONFIG);
    if (sizeof(size_t) == 4) { /* sizes that no memory holds: a status, not a wrapped product */
        small_config(config);
        config_set(config, "vocab_size", 1 << 20);
        config_set(config, "decoder_vocab_size", 1 << 20);
        config_set(config, "d_model", 384);
        CHECK_INT(heed_trainer_create(config, n, &PLAIN, &t, NULL), HEED_E_MEMORY);
        o = PLAIN;
        o.max_tokens = 1 << 20;
        small_config(config);
        config_set(config, "max_position_embeddings", 1 << 16);
        CHECK_INT(heed_trainer_create(config, n, &o, &t, NULL), HEED_E_MEMORY);
    }

    small_config(config);
    CHECK_INT(heed_trainer_create(config, n, &PLAIN, &t, NULL), HEED_OK);
    const int32_t ids[] = {1, 2, 3, 2}, wrong[] = {1, 2, 23, 2}, below[] = {1, 2, 3, -1}, lengths[] = {2, 2},
                  none[] = {4, 0}, minus[] = {-1, 4};
    static int32_t many[64], long_one[2] = {25, 2};
    CHECK_INT(heed_trainer_step(t, ids, lengths, 0, &result), HEED_E_ARGUMENT);
    CHECK_INT(heed_trainer_step(t, wrong, lengths, 1, &result), HEED_E_ID);
    CHECK_INT(heed_trainer_step(t, below, lengths, 1, &result), HEED_E_ID);
    CHECK_INT(heed_trainer_evaluate(t, ids, lengths, 0, &result), HEED_E_ARGUMENT);
    CHECK_INT(heed_trainer_step(t, ids, none, 1, &result), HEED_E_LENGTH);
    CHECK_INT(heed_trainer_step(t, ids, minus, 1, &result), HEED_E_LENGTH);
    CHECK_INT(heed_trainer_step(t, many, long_one, 1, &result), HEED_E_LENGTH); /* 24 positions */
    /* links out of their pair, or of their order */
    const int32_t two[] = {1, 2, 3, 2, 4, 5, 2, 2}, sizes[] = {2, 2, 3, 1};
    const int32_t good[] = {0, 1, 1, 0, 0, 2}, counts[] = {2, 1};
    for (int i = 0; i < 6; i++)
        for (int value = -1; value <= 3; value++) {
            int32_t links[6];
            memcpy(links, good, sizeof links);
            links[i] = value;
            const int least = i == 2 ? links[0] : 0, end = i == 0 ? links[2] + 1 : i == 4 ? 1 : i == 5 ? 3 : 2;
            const int fits = value >= least && value < end;
            if (fits) continue;
            CHECK_INT(heed_trainer_step_guided(t, two, sizes, links, counts, 2, &result), HEED_E_ARGUMENT);
        }
    const int32_t minus_one[] = {2, -1};
    CHECK_INT(heed_trainer_step_guided(t, two, sizes, good, minus_one, 2, &result), HEED_E_ARGUMENT);
    CHECK(heed_trainer_steps(t) == 0.0);
    float values[23 * 12];
    /* a count that no run reaches would be undefined as an integer */
    const double not_steps[] = {-1.0, 0.5, 1e300, NAN, INFINITY};
    for (int i = 0; i < 5; i++) CHECK_INT(heed_trainer_set_steps(t, not_steps[i]), HEED_E_ARGUMENT);
    CHECK(heed_trainer_steps(t) == 0.0);
    CHECK_INT(heed_trainer_set_steps(t, 9.0), HEED_OK);
    CHECK(heed_trainer_steps(t) == 9.0);
    CHECK_INT(heed_trainer_set_steps(t, 0.0), HEED_OK);
    CHECK_INT(heed_trainer_get_values(t, 0, HEED_TRAIN_WEIGHTS, values, 23 * 12), HEED_OK);
    CHECK_INT(heed_trainer_get_values(t, 0, HEED_TRAIN_WEIGHTS, values, 3), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_trainer_get_values(t, 999, HEED_TRAIN_WEIGHTS, values, 3), HEED_E_ARGUMENT);
    CHECK_INT(heed_trainer_get_values(t, 0, 4, values, 23 * 12), HEED_E_ARGUMENT);
    CHECK_INT(heed_trainer_get_values(t, 1, HEED_TRAIN_M, values, 23), HEED_E_ARGUMENT); /* final_logits_bias */
    CHECK(strcmp(heed_trainer_tensor_name(t, 1), "final_logits_bias") == 0 && heed_trainer_tensor_name(t, -1) == NULL);
    values[5] = INFINITY;
    CHECK_INT(heed_trainer_set_values(t, 0, HEED_TRAIN_WEIGHTS, values, 23 * 12), HEED_E_TENSOR_VALUE);
    values[5] = 3e38f;
    for (int i = 0; i < 23 * 12; i++) values[i] = 3e38f;
    CHECK_INT(heed_trainer_set_values(t, 0, HEED_TRAIN_WEIGHTS, values, 23 * 12), HEED_OK);
    CHECK_INT(heed_trainer_step(t, ids, lengths, 1, &result), HEED_E_DIVERGED);
    CHECK(heed_trainer_steps(t) == 0.0);
    heed_trainer_free(t);
    heed_trainer_free(NULL);
}

/* Rows of a model can be read back, which is how training starts from one. */
static void test_rows(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    heed_model *model = random_model(config, n, 3, 100);
    uint32_t seed = 3;
    float row[24];
    if (!CHECK(model != NULL)) return;
    for (int r = 0; r < 61; r++) {
        CHECK_INT(heed_tensor_row(model, 0, r, row), HEED_OK);
        for (int i = 0; i < 24; i++) CHECK(row[i] == 0.5f * random_float(&seed));
    }
    CHECK_INT(heed_tensor_row(model, 0, 61, row), HEED_E_ARGUMENT);
    CHECK_INT(heed_tensor_row(model, 0, -1, row), HEED_E_ARGUMENT);
    CHECK_INT(heed_tensor_row(model, -1, 0, row), HEED_E_ARGUMENT);
    CHECK_INT(heed_tensor_row(model, heed_tensor_count(model), 0, row), HEED_E_ARGUMENT);
    heed_model_free(model);
}

int main(int count, char **arguments) {
    if (count > 1) elements = (size_t)strtoul(arguments[1], NULL, 10);
    test_rows();
    test_products();
    test_random();
    test_dropout();
    test_gradients();
    test_words_drawn();
    test_all_words_drawn();
    test_learning(HEED_SELF_ATTENTION);
    test_learning(HEED_SSRU);
    test_rates();
    test_options();
    test_errors();
    return check_summary("train");
}
