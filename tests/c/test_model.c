/* test_model.c - configuration rules, loading, and the passes of a model against each other. */
#include "check.h"
#include "random_model.h"

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
    check_rule("activation_function", 3, "activation_function");
    check_rule("vocab_size", 0, "vocab_size");
    check_rule("decoder_vocab_size", 60, "decoder_vocab_size");
    check_rule("max_position_embeddings", 0, "max_position_embeddings");
    check_rule("max_position_embeddings", (1 << 16) + 1, "max_position_embeddings"); /* seconds of sines */
    check_rule("normalize_before", 2, "normalize_before");
    check_rule("tie_word_embeddings", -1, "tie_word_embeddings");
    check_rule("eos_token_id", V, "eos_token_id");
    check_rule("decoder_start_token_id", -1, "decoder_start_token_id");
    check_rule("dtype", HEED_F16, "dtype");

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
    int32_t config[MAX_CONFIG], is_scale, rows, cols;
    const int n = default_config(config);
    heed_model *model;
    heed_report report;
    double bytes;
    CHECK_INT(heed_config_measure(config, n, &bytes, NULL), HEED_OK);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    CHECK(bytes == (double)heed_model_bytes(model));

    CHECK(heed_tensor_find(model, "nonsense", &is_scale) == -1);
    CHECK(heed_tensor_find(model, "model.encoder.layers.0.fc1.bias.scale", &is_scale) == -1);
    const int shared = heed_tensor_find(model, "model.shared.weight", &is_scale);
    CHECK(shared >= 0 && !is_scale);
    CHECK(heed_tensor_find(model, "model.shared.weight.scale", &is_scale) == shared && is_scale);
    CHECK(heed_tensor_find(model, "lm_head.weight", &is_scale) == shared && !is_scale);
    CHECK(heed_tensor_find(model, "model.decoder.embed_tokens.weight", &is_scale) == shared);
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
    const int positions = heed_tensor_find(model, "model.encoder.embed_positions.weight", &is_scale);
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

/*
 * A matrix of k/127 with +-127/127 in each row is exact in int8: quantised while loading and read from an I8 file it
 * must be one and the same.  The encoder's output is close to that of f32 arithmetic: its activations carry 7 bits, so
 * an error of about 1/127 of a row's range in each of few layers; a wrong scale, sum or zero point is off by its whole.
 */
static void test_int8(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    float out[3][5 * 24];
    for (int run = 0; run < 3; run++) { /* f32 arithmetic; int8 from F32; int8 from I8 */
        heed_model *model;
        config_set(config, "dtype", run ? HEED_I8 : HEED_F32);
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
            CHECK_INT(heed_tensor_begin(model, i, 0, run == 2 ? HEED_I8 : HEED_F32, 2, dims), HEED_OK);
            for (int e = 0; e < rows * cols; e++) {
                const int8_t step = e % cols ? (int8_t)(random_float(&seed) * 127.0f) : e % 2 ? 127 : -127;
                const float value = (float)step / 127.0f;
                if (heed_tensor_write(model, run == 2 ? (const void *)&step : (const void *)&value, run == 2 ? 1 : 4))
                    CHECK(!"write");
            }
            if (run < 2) continue;
            const float scale = 1.0f / 127.0f;
            CHECK_INT(heed_tensor_begin(model, i, 1, HEED_F32, 1, scale_dims), HEED_OK);
            for (int r = 0; r < rows; r++) CHECK_INT(heed_tensor_write(model, &scale, sizeof scale), HEED_OK);
        }
        CHECK_INT(heed_model_finish(model, NULL), HEED_OK);
        fingerprint(model, out[run]);
        heed_model_free(model);
    }
    CHECK(memcmp(out[1], out[2], sizeof out[1]) == 0);
    CHECK(memcmp(out[0], out[1], sizeof out[1]) != 0);
    CHECK_NEAR("int8 against f32", out[1], out[0], 5 * 24, 1e-3);
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

int main(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    test_config();
    test_loading();
    test_pieces(HEED_F32);
    test_pieces(HEED_I8);
    test_int8();
    test_dtypes();
    test_forward(config, n);
    config_set(config, "normalize_before", 1);
    config_set(config, "add_final_layer_norm", 1);
    config_set(config, "normalize_embedding", 1);
    config_set(config, "activation_function", HEED_GELU);
    config_set(config, "tie_word_embeddings", 0);
    config_set(config, "encoder_positions_stored", 1);
    test_forward(config, n);
    config_set(config, "dtype", HEED_I8);
    test_forward(config, n);
    config_set(config, "dtype", HEED_F32);
    config_set(config, "share_encoder_decoder_embeddings", 0);
    config_set(config, "vocab_size", 70);
    config_set(config, "activation_function", HEED_SWISH);
    test_forward(config, n);
    return check_summary("model");
}
