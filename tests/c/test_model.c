/* test_model.c - configuration rules, loading, and the passes of a model against each other. */
#include "check.h"
#include "kernels/kernels.h"
#include "layers/linear.h"
#include "model/model.h"
#include "random_model.h"
#include "search/search.h"

enum { V = 61, LONGEST = 150 };

static void check_rule(const char *field, int32_t value, const char *blamed) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    heed_model *model;
    heed_report report = {0};
    double bytes;
    config_set(config, field, value);
    CHECK_INT(heed_config_measure(config, n, &bytes, &report), HEED_E_CONFIG);
    CHECK(bytes == 0.0 && report.name && strcmp(report.name, blamed) == 0);
    report = (heed_report){0};
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    CHECK(model == NULL && report.name && strcmp(report.name, blamed) == 0 && report.rule && report.found == value);
}

static void test_config(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    heed_model *model;
    double bytes;
    CHECK_INT(heed_model_create(config, n - 1, &model, NULL), HEED_E_ARGUMENT);
    check_rule("d_model", 0, "d_model");
    check_rule("d_model", 1 << 30, "d_model");
    check_rule("encoder_layers", 1000000000, "encoder_layers");
    check_rule("decoder_layers", 0, "decoder_layers");
    check_rule("encoder_attention_heads", 5, "encoder_attention_heads");
    check_rule("decoder_attention_heads", 0, "decoder_attention_heads");
    check_rule("decoder_attention_heads", -4, "decoder_attention_heads");
    check_rule("encoder_ffn_dim", -1, "encoder_ffn_dim");
    check_rule("decoder_ffn_dim", 0, "decoder_ffn_dim");
    check_rule("activation_function", 4, "activation_function");
    check_rule("vocab_size", 0, "vocab_size");
    check_rule("decoder_vocab_size", 60, "decoder_vocab_size");
    check_rule("max_position_embeddings", 0, "max_position_embeddings");
    check_rule("max_position_embeddings", (1 << 16) + 1, "max_position_embeddings"); /* seconds of sines */
    check_rule("normalize_before", 2, "normalize_before");
    check_rule("tie_word_embeddings", -1, "tie_word_embeddings");
    check_rule("eos_token_id", V, "eos_token_id");
    check_rule("decoder_start_token_id", -1, "decoder_start_token_id");
    check_rule("dtype", HEED_F16, "dtype");
    check_rule("decoder_cell", 2, "decoder_cell");
    check_rule("positions", -1, "positions");
    check_rule("layer_norm_eps", 2000000001, "layer_norm_eps");
    check_rule("head_dim", -1, "head_dim");
    check_rule("head_dim", (1 << 16) + 1, "head_dim");
    check_rule("relative_buckets", 3, "relative_buckets");
    check_rule("relative_buckets", -4, "relative_buckets");

    /* rules of several fields */
    heed_report report = {0};
    config_set(config, "head_dim", 1 << 15); /* times 3 heads */
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    CHECK(strcmp(report.name, "encoder_attention_heads") == 0);
    config_set(config, "head_dim", 5);
    config_set(config, "decoder_cell", HEED_SSRU);
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    CHECK(strcmp(report.name, "head_dim") == 0);
    default_config(config);
    config_set(config, "relative_buckets", 32);
    for (int distance = 16; distance <= 17; distance++) {
        config_set(config, "relative_distance", distance);
        CHECK_INT(heed_model_create(config, n, &model, &report), distance == 16 ? HEED_E_CONFIG : HEED_OK);
        CHECK(distance == 17 || strcmp(report.name, "relative_distance") == 0);
        heed_model_free(model);
    }
    default_config(config);

    /* sizes that no memory holds: a status, not a wrapped product */
    config_set(config, "vocab_size", 1 << 24);
    config_set(config, "decoder_vocab_size", 1 << 24);
    config_set(config, "d_model", 1 << 16);
    config_set(config, "encoder_attention_heads", 1);
    config_set(config, "decoder_attention_heads", 1);
    if (sizeof(size_t) == 4) {
        CHECK_INT(heed_config_measure(config, n, &bytes, NULL), HEED_E_MEMORY);
        CHECK(bytes == 0.0);
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_E_MEMORY);
    }
}

static void test_loading(void) {
    int32_t config[MAX_CONFIG], part, rows, cols;
    const int n = default_config(config);
    heed_model *model;
    heed_report report;
    double bytes;
    CHECK_INT(heed_config_measure(config, n, &bytes, NULL), HEED_OK);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    CHECK(bytes == (double)heed_model_bytes(model));

    CHECK(heed_tensor_find(model, "nonsense", &part) == -1);
    CHECK(heed_tensor_find(model, "model.encoder.layers.0.fc1.bias.scale", &part) == -1);
    const int shared = heed_tensor_find(model, "model.shared.weight", &part);
    CHECK(shared >= 0 && part == HEED_WEIGHT);
    CHECK(heed_tensor_find(model, "model.shared.weight.scale", &part) == shared && part == HEED_SCALE);
    CHECK(heed_tensor_find(model, "lm_head.weight", &part) == shared && part == HEED_WEIGHT);
    CHECK(heed_tensor_find(model, "model.decoder.embed_tokens.weight", &part) == shared);
    heed_tensor_shape(model, shared, &rows, &cols);
    CHECK(rows == V && cols == 24);
    CHECK(heed_tensor_name(model, -1) == NULL && heed_tensor_name(model, heed_tensor_count(model)) == NULL);

    const double shape[2] = {V, 24}, transposed[2] = {24, V}, fraction[2] = {61.5, 24};
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, transposed), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, fraction), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 1, shape), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, 9, 2, shape), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F16, 1, shape), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, 999, 0, HEED_F32, 2, shape), HEED_E_STATE);
    CHECK_INT(heed_tensor_write(model, "x", 1), HEED_E_STATE);
    CHECK_INT(heed_model_finish(model, &report), HEED_E_TENSOR_MISSING);
    CHECK(report.name && strcmp(report.name, "model.shared.weight") == 0);

    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, shape), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, shape), HEED_E_STATE);
    float row[24] = {0};
    row[23] = NAN;
    CHECK_INT(heed_tensor_write(model, row, sizeof row), HEED_E_TENSOR_VALUE);
    heed_model_free(model);

    /* a scale is finite, but 127 times it is not: infinite weights */
    const double scales[1] = {V};
    float scale[V] = {0};
    scale[V - 1] = -3e36f;
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 1, scales), HEED_OK);
    CHECK_INT(heed_tensor_write(model, scale, sizeof scale), HEED_E_TENSOR_VALUE);
    heed_model_free(model);
    scale[V - 1] = -2.5e36f; /* 128 times it still is, and int8 goes down to -128 */
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 1, scales), HEED_OK);
    CHECK_INT(heed_tensor_write(model, scale, sizeof scale), HEED_OK);
    heed_model_free(model);

    const heed_session_options options = {8, 8, 1, 1};
    heed_session *session;
    config_set(config, "encoder_positions_stored", 1);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    const int positions = heed_tensor_find(model, "model.encoder.embed_positions.weight", &part);
    const double one_row[1] = {24}, one_number[1] = {1};
    CHECK_INT(heed_tensor_begin(model, positions, 0, HEED_F32, 1, one_row), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, positions, 0, HEED_F32, 1, one_number), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_E_STATE);
    CHECK(session == NULL && heed_session_bytes(model, &options) == 0);
    heed_model_free(model);
}

/* The encoder's output for a fixed source tells two sets of weights apart. */
static void fingerprint(const heed_model *model, float out[5 * 24]) {
    static const int32_t SOURCE[5] = {7, 3, 60, 7, 2};
    const heed_session_options options = {5, 1, 1, 1};
    heed_session *session;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_encode(session, SOURCE, 5, out), HEED_OK);
    heed_session_free(session);
}

static void test_pieces(int dtype) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    static const size_t PIECES[] = {1, 3, 95, 1 << 20};
    float want[5 * 24], got[5 * 24];
    config_set(config, "dtype", dtype);
    for (int i = 0; i < 4; i++) {
        heed_model *model = random_model(config, n, 1, PIECES[i]);
        if (!CHECK(model != NULL)) return;
        fingerprint(model, i ? got : want);
        if (i) CHECK(memcmp(got, want, sizeof got) == 0);
        heed_model_free(model);
    }
}

/* Weights that every element type can hold, written as each, must give one and the same model. */
static void test_dtypes(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    float want[5 * 24], got[5 * 24];
    for (int dtype = HEED_F32; dtype <= HEED_I8; dtype++) {
        heed_model *model;
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
        for (int i = 0; i < heed_tensor_count(model); i++) {
            int32_t rows, cols;
            heed_tensor_shape(model, i, &rows, &cols);
            const int element = rows == 1 && dtype == HEED_I8 ? HEED_F32 : dtype; /* vectors are never I8 */
            const double dims[2] = {rows, cols}, scale_dims[1] = {rows};
            /* a scale may come before its tensor or after it */
            for (int part = 0; part < (element == HEED_I8 ? 2 : 1); part++) {
                if (element == HEED_I8 && part == i % 2) {
                    CHECK_INT(heed_tensor_begin(model, i, 1, HEED_F32, 1, scale_dims), HEED_OK);
                    const float scale = 0.125f;
                    for (int r = 0; r < rows; r++) CHECK_INT(heed_tensor_write(model, &scale, sizeof scale), HEED_OK);
                    continue;
                }
                CHECK_INT(heed_tensor_begin(model, i, 0, element, 2, dims), HEED_OK);
                uint32_t seed = (uint32_t)i;
                for (int e = 0; e < rows * cols; e++) {
                    const int8_t eighths = (int8_t)(random_float(&seed) * 4.0f); /* -3/8 ... 3/8 */
                    const float value = (float)eighths * 0.125f;
                    uint32_t bits;
                    memcpy(&bits, &value, 4);
                    const uint16_t bf16 = (uint16_t)(bits >> 16);
                    const uint16_t half = value == 0.0f
                                              ? 0
                                              : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 |
                                                           (bits >> 13 & 1023));
                    const void *bytes = element == HEED_F32    ? (const void *)&value
                                        : element == HEED_F16  ? (const void *)&half
                                        : element == HEED_BF16 ? (const void *)&bf16
                                                               : (const void *)&eighths;
                    const size_t size = element == HEED_F32 ? 4 : element == HEED_I8 ? 1 : 2;
                    if (heed_tensor_write(model, bytes, size) != HEED_OK) CHECK(!"write");
                }
            }
        }
        CHECK_INT(heed_model_finish(model, NULL), HEED_OK);
        fingerprint(model, dtype == HEED_F32 ? want : got);
        if (dtype != HEED_F32) CHECK(memcmp(got, want, sizeof got) == 0);
        heed_model_free(model);
    }
}

/* The number e of a matrix of test_int8, in steps. */
static int8_t step_of(int e, int cols, uint32_t *seed) {
    return e % cols ? (int8_t)(random_float(seed) * 127.0f) : e % 2 ? 127 : -127;
}

/* The rows of tensor i are the ones that were written, in panels and in groups. */
static void check_rows(const heed_model *model, int i, int rows, int cols) {
    float row[128];
    uint32_t seed = (uint32_t)i;
    if (!CHECK(cols <= 128)) return;
    for (int r = 0, e = 0; r < rows; r++) {
        CHECK_INT(heed_tensor_row(model, i, r, row), HEED_OK);
        for (int c = 0; c < cols; c++, e++)
            CHECK(fabsf(row[c] - (float)step_of(e, cols, &seed) / 127.0f) < 1e-6f); /* rounded twice */
    }
}

/*
 * A matrix of k/127 with +-127/127 in each row is exact in int8: quantised while loading and read from an I8 file it
 * must be one and the same.  The encoder's output is close to that of f32 arithmetic: its activations carry 7 bits, so
 * an error of about 1/127 of a row's range in each of few layers; a wrong scale, sum or zero point is off by its whole.
 */
static void test_int8(void) {
    enum {
        F32_ARITHMETIC, FROM_F32, FROM_I8, ROWS_ALPHAS, ROWS8, FIXED_NO_ALPHAS, FIXED_ALPHAS, SATURATING_NO_ALPHAS, RUNS
    };
    static const int ACTIVATIONS[RUNS] = {
        [ROWS8] = HEED_QUANTIZE_ROWS8, [FIXED_NO_ALPHAS] = HEED_QUANTIZE_FIXED, [FIXED_ALPHAS] = HEED_QUANTIZE_FIXED,
        [SATURATING_NO_ALPHAS] = HEED_QUANTIZE_SATURATING};
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    float out[RUNS][5 * 24];
    for (int run = 0; run < RUNS; run++) {
        heed_model *model;
        config_set(config, "dtype", run ? HEED_I8 : HEED_F32);
        config_set(config, "activations", ACTIVATIONS[run]);
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
        for (int i = 0; i < heed_tensor_count(model); i++) {
            int32_t rows, cols;
            heed_tensor_shape(model, i, &rows, &cols);
            if (rows == 1) {
                CHECK_INT(fill_tensor(model, i, (uint32_t)i, 4096), HEED_OK);
                continue;
            }
            const double dims[2] = {rows, cols}, scale_dims[1] = {rows};
            uint32_t seed = (uint32_t)i;
            CHECK_INT(heed_tensor_begin(model, i, 0, run >= FROM_I8 ? HEED_I8 : HEED_F32, 2, dims), HEED_OK);
            for (int e = 0; e < rows * cols; e++) {
                const int8_t step = step_of(e, cols, &seed);
                const float value = (float)step / 127.0f;
                const int is_i8 = run >= FROM_I8;
                if (heed_tensor_write(model, is_i8 ? (const void *)&step : (const void *)&value, is_i8 ? 1 : 4))
                    CHECK(!"write");
            }
            if (run < FROM_I8) continue;
            const float scale = 1.0f / 127.0f;
            CHECK_INT(heed_tensor_begin(model, i, 1, HEED_F32, 1, scale_dims), HEED_OK);
            for (int r = 0; r < rows; r++) CHECK_INT(heed_tensor_write(model, &scale, sizeof scale), HEED_OK);
            if (run == ROWS_ALPHAS || run == ROWS8 || run == FIXED_ALPHAS) {
                const float alpha = 8.0f + (float)(i % 7); /* matrices of one input have different ones here */
                CHECK_INT(heed_tensor_begin(model, i, HEED_ALPHA, HEED_F32, 1, &(const double){1}), HEED_OK);
                CHECK_INT(heed_tensor_write(model, &alpha, sizeof alpha), HEED_OK);
            }
        }
        CHECK_INT(heed_model_finish(model, NULL), HEED_OK);
        for (int i = 0; i < heed_tensor_count(model); i++) {
            int32_t rows, cols;
            heed_tensor_shape(model, i, &rows, &cols);
            if (rows > 1) check_rows(model, i, rows, cols);
        }
        fingerprint(model, out[run]);
        heed_model_free(model);
    }
    CHECK(memcmp(out[FROM_F32], out[FROM_I8], sizeof out[0]) == 0);
    CHECK(memcmp(out[ROWS_ALPHAS], out[FROM_I8], sizeof out[0]) == 0);
    CHECK(memcmp(out[FIXED_NO_ALPHAS], out[ROWS8], sizeof out[0]) == 0);
    CHECK(memcmp(out[SATURATING_NO_ALPHAS], out[ROWS8], sizeof out[0]) == 0);
    CHECK(memcmp(out[F32_ARITHMETIC], out[FROM_F32], sizeof out[0]) != 0);
    CHECK(memcmp(out[ROWS8], out[FROM_F32], sizeof out[0]) != 0);
    CHECK(memcmp(out[FIXED_ALPHAS], out[ROWS8], sizeof out[0]) != 0);
    CHECK_NEAR("int8 against f32", out[FROM_F32], out[F32_ARITHMETIC], 5 * 24, 1e-3);
    CHECK_NEAR("rows of 8 bits against f32", out[ROWS8], out[F32_ARITHMETIC], 5 * 24, 4e-4);
    /* steps of an eighth, clamped at 16 or less: coarse, but a wrong scale or shift is off by more than its whole */
    CHECK_NEAR("fixed scales against f32", out[FIXED_ALPHAS], out[F32_ARITHMETIC], 5 * 24, 0.05);
}

/* Only the second matrix after a ReLU, in int8, reads rows that are mostly 0; where sums saturate, none does. */
static void test_groups(int activations) {
    for (int dtype = HEED_F32; dtype <= HEED_I8; dtype++)
        for (int activation = HEED_RELU; activation <= HEED_GELU_NEW; activation++)
            for (int is_gated = 0; is_gated < 2; is_gated++) {
                int32_t config[MAX_CONFIG];
                const int n = default_config(config);
                if (dtype != HEED_F32 && dtype != HEED_I8) continue;
                config_set(config, "dtype", dtype);
                config_set(config, "activations", dtype == HEED_I8 ? activations : 0);
                config_set(config, "activation_function", activation);
                config_set(config, "gated_feed_forward", is_gated);
                heed_model *model = random_model(config, n, 3, 4096);
                if (!CHECK(model != NULL)) return;
                int n_found = 0;
                for (int i = 0; i < model->encoder.n_sublayers; i++) {
                    const heed_sublayer *s = &model->encoder.sublayers[i];
                    const int has_ffn = s->arch->ffn_dim > 0;
                    const int expected = has_ffn && dtype == HEED_I8 && activation == HEED_RELU && !is_gated &&
                                         activations != HEED_QUANTIZE_SATURATING;
                    CHECK_INT(s->linears[FC1].weight.is_sparse, 0);
                    CHECK_INT(s->linears[FC2].weight.is_sparse, expected);
                    n_found += has_ffn;
                }
                CHECK(n_found > 0);
                heed_model_free(model);
            }
}

/* What an .alpha must be, alone and beside its matrix. */
static void test_alpha(void) {
    static const char NAME[] = "model.encoder.layers.0.fc1.weight";
    enum { N = 40, K = 24 };
    int32_t config[MAX_CONFIG], part;
    const int n = default_config(config);
    const double one[2] = {1, 1}, two[2] = {1, 2}, three[2] = {1, 3}, turned[2] = {2, 1}, *matrix = (double[]){N, K};
    const double scale_dims[1] = {N};
    heed_model *model;
    heed_report report;
    config_set(config, "dtype", HEED_I8);
    config_set(config, "activations", HEED_QUANTIZE_FIXED);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    const int fc1 = heed_tensor_find(model, NAME, &part);
    CHECK(heed_tensor_find(model, "model.encoder.layers.0.fc1.weight.alpha", &part) == fc1 && part == HEED_ALPHA);
    CHECK_INT(heed_tensor_find(model, "model.encoder.layers.0.fc1.weight.alpha.scale", &part), -1);
    CHECK_INT(heed_tensor_find(model, "model.encoder.layers.0.fc1.bias.alpha", &part), -1);
    CHECK_INT(heed_tensor_find(model, ".alpha", &part), -1);
    const int bias = heed_tensor_find(model, "model.encoder.layers.0.fc1.bias", &part);
    CHECK_INT(heed_tensor_begin(model, bias, HEED_ALPHA, HEED_F32, 1, one), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA + 1, HEED_F32, 1, one), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, fc1, -1, HEED_F32, 1, one), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F16, 1, one), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 2, three), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 2, turned), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 0, one), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 2, two), HEED_OK);
    CHECK_INT(heed_tensor_write(model, (const float[]){3.0f, 127.0f}, 8), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 1, one), HEED_E_STATE);
    heed_model_free(model);

    const float bad[] = {0.0f, -0.0f, -1.0f, NAN, INFINITY, -INFINITY, 1e-37f};
    for (size_t i = 0; i < 2 * sizeof bad / sizeof *bad; i++) { /* as alpha, then as q */
        const float pair[2] = {i % 2 ? 5.0f : bad[i / 2], i % 2 ? bad[i / 2] : 5.0f};
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
        CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 1, &two[1]), HEED_OK);
        CHECK_INT(heed_tensor_write(model, pair, sizeof pair), HEED_E_TENSOR_VALUE);
        heed_model_free(model);
    }

    /* with its matrix: right; of F32; of rows with different scales; of another q; of a scale that is zero */
    for (int kind = 0; kind < 5; kind++) {
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
        for (int i = 0; i < heed_tensor_count(model); i++)
            if (i != fc1) CHECK_INT(fill_tensor(model, i, (uint32_t)i, 4096), HEED_OK);
        const int8_t zeros[4 * N * K] = {0};
        const float pair[2] = {5.0f, kind == 3 ? 4.01f : 4.0f};
        CHECK_INT(heed_tensor_begin(model, fc1, HEED_WEIGHT, kind == 1 ? HEED_F32 : HEED_I8, 2, matrix), HEED_OK);
        CHECK_INT(heed_tensor_write(model, zeros, kind == 1 ? sizeof zeros : sizeof zeros / 4), HEED_OK);
        if (kind != 1) CHECK_INT(heed_tensor_begin(model, fc1, HEED_SCALE, HEED_F32, 1, scale_dims), HEED_OK);
        for (int r = 0; r < N && kind != 1; r++) {
            const float scale = kind == 4 ? 0.0f : kind == 2 && r == N - 1 ? 0.125f : 0.25f;
            CHECK_INT(heed_tensor_write(model, &scale, sizeof scale), HEED_OK);
        }
        CHECK_INT(heed_tensor_begin(model, fc1, HEED_ALPHA, HEED_F32, 1, kind == 4 ? one : &two[1]), HEED_OK);
        CHECK_INT(heed_tensor_write(model, pair, kind == 4 ? 4 : 8), HEED_OK);
        CHECK_INT(heed_model_finish(model, &report), kind ? HEED_E_TENSOR_VALUE : HEED_OK);
        CHECK(kind == 0 || (report.name && strcmp(report.name, NAME) == 0));
        heed_model_free(model);
    }

    config_set(config, "activations", 4);
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    config_set(config, "activations", HEED_QUANTIZE_ROWS8);
    config_set(config, "dtype", HEED_F32);
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    CHECK(strcmp(report.name, "activations") == 0 && report.found == HEED_QUANTIZE_ROWS8);
}

/*
 * A product with fixed scales, written down once more as the engine computes it: sums of u8 x s8, a factor and a
 * prepared bias that are rounded on their way.  If it saturates, the sum of each pair is clamped to 16 bits.  Matrices
 * of two alphas take turns over one input, and copied rows give the same numbers.
 */
static void test_fixed(int saturates) {
    enum { ROWS = 3, N = 9, K = 37 };
    const float alphas[2] = {7.3f, 8.778423f}, q = 164.34801f;
    float x[ROWS * K], out[ROWS * N], bias[N];
    int8_t w[2][N * K];
    const int activations = saturates ? HEED_QUANTIZE_SATURATING : HEED_QUANTIZE_FIXED;
    const int32_t copied[2] = {8, 3};
    heed_matrix matrices[2];
    heed_linear copies = {0};
    heed_input input;
    heed_arena arena = {0};
    uint32_t seed = 5;
    int lost = 0;
    CHECK(1.0f / (alphas[1] * q) != 1.0f / alphas[1] * (1.0f / q)); /* so the order of roundings shows */
    for (int pass = 0; pass < 2; pass++) { /* measures, then lays out */
        for (int i = 0; i < 2; i++) matrix_layout(&matrices[i], &arena, N, K, HEED_I8, activations, 0);
        matrix_layout(&copies.weight, &arena, 2, K, HEED_I8, activations, 0);
        copies.bias = arena_floats(&arena, 2, 1, 1);
        input_layout(&input, &arena, ROWS, quantized_bytes(ROWS, K), HEED_I8, activations);
        if (pass == 0 && !CHECK(arena_block(&arena) != NULL)) return;
    }
    for (int i = 0; i < ROWS * K; i++) x[i] = 16.0f * random_float(&seed);
    for (int i = 0; i < N; i++) bias[i] = random_float(&seed);
    for (int i = 0; i < 2; i++) {
        matrices[i].alpha = alphas[i];
        matrices[i].q = q;
        for (int e = 0; e < N * K; e++) w[i][e] = (int8_t)(127.0f * random_float(&seed));
        for (int r = 0; r < N; r++) matrix_set_row_i8(&matrices[i], r, w[i] + r * K);
    }
    input_set(&input, x, ROWS, K);
    for (int turn = 0; turn < 4; turn++) {
        const int i = turn % 2;
        const float alpha = alphas[i], *b = turn < 2 ? bias : NULL;
        matrix_multiply(out, &input, &matrices[i], b);
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < N; c++) {
                int s = 0, sum = 0;
                for (int k = 0, pair = 0; k < K; k++) {
                    const float rounded = nearbyintf(x[r * K + k] * alpha);
                    const int xi = rounded < -127.0f ? -127 : rounded > 127.0f ? 127 : (int)rounded;
                    pair += (xi + 127) * w[i][c * K + k];
                    sum += w[i][c * K + k];
                    if (k % 2 == 0 && k + 1 < K) continue;
                    const int clamped = pair < INT16_MIN ? INT16_MIN : pair > INT16_MAX ? INT16_MAX : pair;
                    lost += clamped != pair;
                    s += saturates ? clamped : pair;
                    pair = 0;
                }
                const float alpha_steps = 127.0f / alpha, weight_steps = 127.0f / q, both = alpha_steps * weight_steps;
                const float shift = both / 127.0f, prepared = (b ? b[c] : 0.0f) - shift * (float)sum;
                const float product = alpha * q, factor = 1.0f / product, scaled = (float)s * factor;
                CHECK(out[r * N + c] == scaled + prepared);
            }
        if (turn != 0) continue;
        float few[ROWS * 2];
        linear_copy_rows(&copies, 0, &matrices[0], bias, copied, 2);
        linear_forward(few, &input, &copies);
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < 2; c++) CHECK(few[r * 2 + c] == out[r * N + copied[c]]);
    }
    CHECK(lost > 20);
    arena_free_block(arena.base);
}

/* The log-probabilities of more rows than are computed at a time are those of the rows one by one, to the bit. */
static void test_log_probs(const int32_t *config, int n) {
    enum { S = 5, T = 2 * LOGIT_ROWS + 3 };
    static const int32_t SOURCE[S] = {5, 17, 3, 44, 2};
    const heed_session_options options = {S, T, 1, 1};
    heed_session *session;
    heed_model *model = random_model(config, n, 3, 4096);
    int32_t target[T];
    float all[T], log_prob;
    if (!CHECK(model != NULL)) return;
    for (int t = 0; t < T; t++) target[t] = (7 * t + 3) % V;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_forward(session, SOURCE, S, target, T), HEED_OK);
    CHECK_INT(heed_forward_log_probs(session, T, all), HEED_OK);
    for (int t = 0; t < T; t++) {
        CHECK(heed_forward_logits(session, t, &log_prob) != NULL && all[t] == log_prob && log_prob < 0.0f);
        CHECK(t == 0 || all[t] != all[t - 1]);
    }
    heed_session_free(session);
    heed_model_free(model);
}

static void test_forward(const int32_t *config, int n) {
    enum { S = 9, T = 7, LE = 2, LD = 3, HE = 3, HD = 4 };
    static const int32_t SOURCE[S] = {5, 17, 3, 44, 44, 9, 60, 1, 2}, TARGET[T] = {9, 8, 7, 30, 31, 9, 2};
    enum { ENCODER = LE * HE * S * S, DECODER = LD * HD * T * T, MAPS = ENCODER + DECODER + LD * HD * T * S };
    static float maps[MAPS], out[S * 24];
    const float *encoder = maps, *decoder = maps + ENCODER, *cross = decoder + DECODER;
    const heed_session_options options = {S, T, 1, 1};
    heed_session *session;
    heed_model *model = random_model(config, n, 3, 4096);
    float log_prob, first[V];
    if (!CHECK(model != NULL)) return;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);

    CHECK(heed_forward_logits(session, 0, &log_prob) == NULL);
    CHECK_INT(forward_maps(session, model, SOURCE, S, TARGET, T, maps, MAPS), HEED_OK);
    CHECK(heed_forward_logits(session, T, &log_prob) == NULL);
    for (int t = 0; t < T; t++) {
        const float *logits = heed_forward_logits(session, t, &log_prob);
        double total = 0.0;
        for (int i = 0; i < V; i++) total += exp((double)logits[i] - logits[TARGET[t]]);
        CHECK(fabs(log_prob + log(total)) < 1e-5); /* float log-softmax against double */
    }
    for (int r = 0; r < LE * HE * S; r++) {
        double sum = 0.0;
        for (int s = 0; s < S; s++) sum += encoder[r * S + s];
        CHECK(fabs(sum - 1.0) < 1e-6);
    }
    for (int r = 0; r < LD * HD * T; r++) {
        double sum = 0.0, future = 0.0, source = 0.0;
        for (int t = 0; t < T; t++) *(t <= r % T ? &sum : &future) += decoder[r * T + t];
        for (int s = 0; s < S; s++) source += cross[r * S + s];
        CHECK(fabs(sum - 1.0) < 1e-6 && future == 0.0 && fabs(source - 1.0) < 1e-6);
    }

    /* row 0 does not see the target's later ids */
    memcpy(first, heed_forward_logits(session, 0, &log_prob), sizeof first);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET + 1, T - 1), HEED_OK);
    CHECK(memcmp(first, heed_forward_logits(session, 0, &log_prob), sizeof first) == 0);

    /* a head switched off changes the numbers; switched on again they return */
    CHECK_INT(heed_session_set_head(session, HEED_CROSS, LD - 1, HD - 1, 0), HEED_OK);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET, T), HEED_OK);
    CHECK(memcmp(first, heed_forward_logits(session, 0, &log_prob), sizeof first) != 0);
    heed_session_enable_heads(session);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET, T), HEED_OK);
    CHECK(memcmp(first, heed_forward_logits(session, 0, &log_prob), sizeof first) == 0);
    CHECK_INT(heed_session_set_head(session, HEED_ENCODER, LE, 0, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_session_set_head(session, HEED_DECODER, 0, HD, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_session_set_head(session, 3, 0, 0, 0), HEED_E_ARGUMENT);

    const int32_t bad[2] = {1, 70}, negative[1] = {-1};
    CHECK_INT(heed_encode(session, bad, 2, out), HEED_E_ID);
    CHECK_INT(heed_encode(session, negative, 1, out), HEED_E_ID);
    CHECK_INT(heed_encode(session, SOURCE, 0, out), HEED_E_LENGTH);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET, T + 1), HEED_E_LENGTH);
    CHECK_INT(heed_forward(session, SOURCE, S + 1, TARGET, T), HEED_E_LENGTH);
    CHECK_INT(heed_encode(session, SOURCE, S, out), HEED_OK);
    heed_session_free(session);
    heed_model_free(model);
}

/* The tensor at a point of a pass, n floats. */
static void read_point(heed_session *session, const heed_model *model, const char *name, const int32_t *source, int S,
                       const int32_t *target, int T, float *out, size_t n) {
    const int32_t point = point_named(model, name);
    if (CHECK(point >= 0)) CHECK_INT(heed_inspect(session, source, S, target, T, &point, 1, out, n), HEED_OK);
}

/* out [T] = feature j of x [T, 24] W^T + b in double. */
static void project(double *out, const heed_model *model, const char *weight, const char *bias, const float *x, int T,
                    int j) {
    int32_t part;
    float row[24], b[40] = {0}; /* the widest bias is that of an encoder's fc1 */
    CHECK_INT(heed_tensor_row(model, heed_tensor_find(model, weight, &part), j, row), HEED_OK);
    if (bias) CHECK_INT(heed_tensor_row(model, heed_tensor_find(model, bias, &part), 0, b), HEED_OK);
    for (int t = 0; t < T; t++) {
        out[t] = (double)b[j];
        for (int i = 0; i < 24; i++) out[t] += (double)row[i] * (double)x[t * 24 + i];
    }
}

/*
 * Feed-forward networks compute some rows at a time: here 64 and 6.  Every row of the points is where it belongs, and
 * is that of its formula in double: 40 products of numbers below 1, or 24 of numbers below 4, are off by less than
 * 1e-5.
 */
static void test_hidden_rows(int is_gated) {
    enum { S = 70, D = 24, F = 40 };
    static float input[S * D], fc1[S * F], fc1_linear[S * F], gated[S * F], fc2[S * D];
    static const int32_t TARGET[1] = {2};
    const heed_session_options options = {S, 1, 1, 1};
    int32_t config[MAX_CONFIG], source[S], part;
    float row[F], bias[D];
    heed_session *session;
    const int n = default_config(config);
    config_set(config, "gated_feed_forward", is_gated);
    for (int i = 0; i < S; i++) source[i] = i % 60;
    heed_model *model = random_model(config, n, 3, 4096);
    if (!CHECK(model != NULL)) return;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    read_point(session, model, "encoder.layers.1.self_attn_layer_norm", source, S, TARGET, 1, input, S * D);
    read_point(session, model, "encoder.layers.1.fc1", source, S, TARGET, 1, fc1, S * F);
    read_point(session, model, "encoder.layers.1.fc2", source, S, TARGET, 1, fc2, S * D);
    if (is_gated) {
        read_point(session, model, "encoder.layers.1.fc1_linear", source, S, TARGET, 1, fc1_linear, S * F);
        read_point(session, model, "encoder.layers.1.gated", source, S, TARGET, 1, gated, S * F);
    }
    for (int j = 0; j < F; j++) {
        double sum[S], linear[S];
        project(sum, model, "model.encoder.layers.1.fc1.weight", "model.encoder.layers.1.fc1.bias", input, S, j);
        for (int t = 0; t < S; t++) CHECK(fabs(fc1[t * F + j] - fmax(sum[t], 0.0)) < 1e-5);
        if (!is_gated) continue;
        project(linear, model, "model.encoder.layers.1.fc1_linear.weight", "model.encoder.layers.1.fc1_linear.bias",
                input, S, j);
        for (int t = 0; t < S; t++) CHECK(fabs(fc1_linear[t * F + j] - linear[t]) < 1e-5);
    }
    const float *hidden = is_gated ? gated : fc1;
    for (int i = 0; is_gated && i < S * F; i++) CHECK(gated[i] == fc1[i] * fc1_linear[i]);
    heed_tensor_row(model, heed_tensor_find(model, "model.encoder.layers.1.fc2.bias", &part), 0, bias);
    for (int j = 0; j < D; j++) {
        heed_tensor_row(model, heed_tensor_find(model, "model.encoder.layers.1.fc2.weight", &part), j, row);
        for (int t = 0; t < S; t++) {
            double sum = (double)bias[j];
            for (int i = 0; i < F; i++) sum += (double)row[i] * (double)hidden[t * F + i];
            CHECK(fabs(fc2[t * D + j] - sum) < 1e-5);
        }
    }
    heed_session_free(session);
    heed_model_free(model);
}

/*
 * An SSRU against its formula in double, from the input of each layer on: 24 products of numbers near 1 are off by less
 * than 1e-5, and cells are averages.  Three tokens and then more: rows of the cache are used again.
 */
static void test_ssru(void) {
    enum { S = 3, T = 7, D = 24, LD = 3 };
    static const int32_t SOURCE[S] = {5, 17, 2}, TARGET[T] = {9, 8, 7, 30, 31, 9, 2};
    static float input[T * D], candidate[T * D], forget[T * D], cell[T * D], output[T * D], normed[T * D], maps[4096];
    int32_t config[MAX_CONFIG], part, points[64];
    const int n = default_config(config);
    const heed_session_options options = {S, T, 1, 1}, longer = {S, T + 50, 1, 1};
    heed_session *session;
    config_set(config, "decoder_cell", HEED_SSRU);
    const size_t bytes_per_target = 2 * 3 * D * sizeof(float); /* of an attention's cache row */
    heed_model *model = random_model(config, n, 3, 4096);
    if (!CHECK(model != NULL)) return;
    CHECK(heed_tensor_find(model, "model.decoder.layers.0.ssru.candidate.bias", &part) == -1);
    CHECK(heed_tensor_find(model, "model.decoder.layers.0.self_attn.q_proj.weight", &part) == -1);
    CHECK(heed_tensor_find(model, "model.encoder.layers.0.self_attn.q_proj.weight", &part) >= 0);
    /* no cache row for each token of a target; what is left grows by its ids and its rows of a pass */
    heed_model *attention = NULL;
    config_set(config, "decoder_cell", HEED_SELF_ATTENTION);
    CHECK((attention = random_model(config, n, 3, 4096)) != NULL);
    const size_t growth = heed_session_bytes(model, &longer) - heed_session_bytes(model, &options);
    const size_t more = heed_session_bytes(attention, &longer) - heed_session_bytes(attention, &options);
    CHECK(more - growth >= 50 * bytes_per_target);
    heed_model_free(attention);

    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (int layer = 0; layer < LD; layer++) {
        char name[HEED_POINT_NAME_BYTES], weight[96], forget_weight[96], bias[96];
        if (layer == 0) strcpy(name, "decoder.input");
        else snprintf(name, sizeof name, "decoder.layers.%d.final_layer_norm", layer - 1);
        read_point(session, model, name, SOURCE, S, TARGET, T, input, T * D);
        const char *const parts[] = {"ssru.candidate", "ssru.forget", "ssru.cell", "ssru.output", "ssru_layer_norm"};
        float *const to[] = {candidate, forget, cell, output, normed};
        for (int i = 0; i < 5; i++) {
            snprintf(name, sizeof name, "decoder.layers.%d.%s", layer, parts[i]);
            read_point(session, model, name, SOURCE, S, TARGET, T, to[i], T * D);
        }
        snprintf(weight, sizeof weight, "model.decoder.layers.%d.ssru.candidate.weight", layer);
        snprintf(forget_weight, sizeof forget_weight, "model.decoder.layers.%d.ssru.forget.weight", layer);
        snprintf(bias, sizeof bias, "model.decoder.layers.%d.ssru.forget.bias", layer);
        for (int j = 0; j < D; j++) {
            double u[T], z[T], c = 0.0;
            project(u, model, weight, NULL, input, T, j);
            project(z, model, forget_weight, bias, input, T, j);
            for (int t = 0; t < T; t++) {
                const double f = 1.0 / (1.0 + exp(-z[t]));
                c = f * c + (1.0 - f) * u[t];
                const int at = t * D + j;
                CHECK(fabs(candidate[at] - u[t]) < 1e-5 && fabs(forget[at] - f) < 1e-5);
                CHECK(fabs(cell[at] - c) < 1e-5 && output[at] == fmaxf(cell[at], 0.0f));
            }
        }
        /* norm(x + y): of mean 0 before gain and bias are undone */
        float gain[D], shift[D];
        snprintf(weight, sizeof weight, "model.decoder.layers.%d.ssru_layer_norm.weight", layer);
        snprintf(bias, sizeof bias, "model.decoder.layers.%d.ssru_layer_norm.bias", layer);
        heed_tensor_row(model, heed_tensor_find(model, weight, &part), 0, gain);
        heed_tensor_row(model, heed_tensor_find(model, bias, &part), 0, shift);
        for (int t = 0; t < T; t++) {
            double sum[D], mean = 0.0, variance = 0.0;
            for (int j = 0; j < D; j++) sum[j] = (double)input[t * D + j] + (double)output[t * D + j];
            for (int j = 0; j < D; j++) mean += sum[j] / D;
            for (int j = 0; j < D; j++) variance += (sum[j] - mean) * (sum[j] - mean) / D;
            for (int j = 0; j < D; j++) {
                const double z = (sum[j] - mean) / sqrt(variance + 1e-5);
                CHECK(fabs(normed[t * D + j] - (z * (double)gain[j] + (double)shift[j])) < 1e-5);
            }
        }
    }
    /* the decoder has no heads of its own; those of the encoder and the cross-attention are there */
    CHECK_INT(heed_session_set_head(session, HEED_DECODER, 0, 0, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_session_set_head(session, HEED_CROSS, 0, 0, 0), HEED_OK);
    CHECK(point_named(model, "decoder.layers.0.self_attn.weights") == -1);
    CHECK_INT(map_points(model, points), 2 + LD);
    CHECK_INT(forward_maps(session, model, SOURCE, S, TARGET, T, maps, 2 * 3 * S * S + LD * 4 * T * S), HEED_OK);
    heed_session_free(session);
    heed_model_free(model);
}

/* The norms use the epsilon of the configuration: of a row of one value, the variance is 0 and only it is left. */
static void test_epsilon(void) {
    static const int32_t SOURCE[2] = {7, 2};
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    const heed_session_options options = {2, 1, 1, 1};
    float out[3][2 * 24];
    for (int run = 0; run < 3; run++) { /* absent; the same, said; another */
        heed_session *session;
        config_set(config, "layer_norm_eps", run == 0 ? 0 : run == 1 ? 10000000 : 1000000000);
        heed_model *model = random_model(config, n, 1, 4096);
        if (!CHECK(model != NULL)) return;
        CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
        CHECK_INT(heed_encode(session, SOURCE, 2, out[run]), HEED_OK);
        heed_session_free(session);
        heed_model_free(model);
    }
    CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
    CHECK(memcmp(out[0], out[2], sizeof out[0]) != 0);
}

int main(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    test_hidden_rows(0);
    test_hidden_rows(1);
    test_ssru();
    test_epsilon();
    test_config();
    test_loading();
    test_pieces(HEED_F32);
    test_pieces(HEED_I8);
    test_int8();
    test_alpha();
    test_groups(HEED_QUANTIZE_ROWS);
    test_groups(HEED_QUANTIZE_SATURATING);
    test_fixed(0);
    test_fixed(1);
    test_dtypes();
    test_forward(config, n);
    test_log_probs(config, n);
    config_set(config, "normalize_before", 1);
    config_set(config, "add_final_layer_norm", 1);
    config_set(config, "normalize_embedding", 1);
    config_set(config, "activation_function", HEED_GELU);
    config_set(config, "tie_word_embeddings", 0);
    config_set(config, "encoder_positions_stored", 1);
    test_forward(config, n);
    test_log_probs(config, n);
    config_set(config, "dtype", HEED_I8);
    test_forward(config, n);
    test_log_probs(config, n);
    config_set(config, "dtype", HEED_F32);
    config_set(config, "share_encoder_decoder_embeddings", 0);
    config_set(config, "vocab_size", 70);
    config_set(config, "activation_function", HEED_SWISH);
    test_forward(config, n);
    test_log_probs(config, n);
    return check_summary("model");
}
