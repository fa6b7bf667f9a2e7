/* test_calls.c - every call of heed.h with each thing that can be wrong about it, and what looks inside a pass. */
#include "check.h"
#include "random_model.h"

enum { D = 24, V = 61, LE = 2, LD = 3, HE = 3, HD = 4, FE = 40, FD = 33, S = 5, T = 4 };

static const int32_t SOURCE[S] = {5, 9, 12, 40, 2}, TARGET[T] = {7, 7, 30, 2};

static void test_names(void) {
    static const struct {
        int code;
        const char *name;
    } NAMES[] = {{0, "HEED_OK"},
                 {1, "HEED_E_ARGUMENT"},
                 {2, "HEED_E_MEMORY"},
                 {3, "HEED_E_ID"},
                 {4, "HEED_E_LENGTH"},
                 {5, "HEED_E_STATE"},
                 {6, "HEED_E_WASM"},
                 {10, "HEED_E_FILE"},
                 {11, "HEED_E_JSON"},
                 {12, "HEED_E_CONFIG"},
                 {13, "HEED_E_SAFETENSORS"},
                 {14, "HEED_E_TENSOR_MISSING"},
                 {15, "HEED_E_TENSOR_UNKNOWN"},
                 {16, "HEED_E_TENSOR_SHAPE"},
                 {17, "HEED_E_TENSOR_DTYPE"},
                 {18, "HEED_E_TENSOR_VALUE"},
                 {19, "HEED_E_HASH"},
                 {20, "HEED_E_SPM"},
                 {21, "HEED_E_VOCAB"},
                 {22, "HEED_E_TOKENIZER"},
                 {23, "HEED_E_LANGUAGE"},
                 {30, "HEED_E_DIVERGED"}};
    size_t at = 0;
    for (int code = -2; code < 40; code++) {
        const int known = at < sizeof NAMES / sizeof NAMES[0] && NAMES[at].code == code;
        CHECK(strcmp(heed_status_name(code), known ? NAMES[at].name : "HEED_E_?") == 0);
        at += (size_t)known;
    }
    CHECK(heed_relaxed() == 0);
}

static void test_sha256(void) {
    static const uint8_t ABC[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
                                    0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
                                    0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    uint8_t digest[32];
    heed_sha256 *sha;
    CHECK_INT(heed_sha256_create(&sha), HEED_OK);
    for (int round = 0; round < 2; round++) { /* its end is a beginning */
        heed_sha256_update(sha, (const uint8_t *)"ab", 2);
        heed_sha256_update(sha, NULL, 0);
        heed_sha256_update(sha, (const uint8_t *)"c", 1);
        heed_sha256_end(sha, digest);
        CHECK(memcmp(digest, ABC, sizeof digest) == 0);
    }
    heed_sha256_free(sha);
    heed_sha256_free(NULL);
}

/* Each number of a configuration at its borders, and one past them. */
static void test_config(void) {
    static const struct {
        const char *name;
        int32_t low, high;
        int too_large; /* the highest would be a model of gigabytes: it is not made */
    } FIELDS[] = {{"d_model", 1, 65536, 1},
                  {"encoder_layers", 1, 256, 0},
                  {"decoder_layers", 1, 256, 0},
                  {"encoder_attention_heads", 1, 24, 0},
                  {"decoder_attention_heads", 1, 24, 0},
                  {"encoder_ffn_dim", 1, 65536, 0},
                  {"decoder_ffn_dim", 1, 65536, 0},
                  {"activation_function", 0, 3, 0},
                  {"vocab_size", 1, 16777216, 1},
                  {"decoder_vocab_size", 1, 16777216, 1},
                  {"max_position_embeddings", 1, 65536, 0},
                  {"normalize_before", 0, 1, 0},
                  {"normalize_embedding", 0, 1, 0},
                  {"add_final_layer_norm", 0, 1, 0},
                  {"scale_embedding", 0, 1, 0},
                  {"share_encoder_decoder_embeddings", 0, 1, 0},
                  {"tie_word_embeddings", 0, 1, 0},
                  {"encoder_positions_stored", 0, 1, 0},
                  {"decoder_positions_stored", 0, 1, 0},
                  {"eos_token_id", 0, V - 1, 0},
                  {"decoder_start_token_id", 0, V - 1, 0},
                  {"dtype", 0, 3, 0},
                  {"decoder_cell", 0, 1, 0},
                  {"positions", 0, 3, 0},
                  {"position_offset", 0, 65536, 1},
                  {"norm", 0, 1, 0},
                  {"unscaled_attention", 0, 1, 0},
                  {"no_biases", 0, 1, 0},
                  {"gated_feed_forward", 0, 1, 0},
                  {"scale_logits", 0, 1, 0},
                  {"layer_norm_eps", 0, 2000000000, 0}};
    int32_t config[MAX_CONFIG];
    heed_model *model;
    heed_report report;
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
        const char *name = FIELDS[i].name;
        const int is_width = strcmp(name, "d_model") == 0, is_vocabulary = strstr(name, "vocab_size") != NULL;
        for (int end = 0; end < 2; end++) {
            const int32_t border = end ? FIELDS[i].high : FIELDS[i].low, past = border + (end ? 1 : -1);
            const int n = default_config(config);
            if (is_width) {
                config_set(config, "encoder_attention_heads", 1);
                config_set(config, "decoder_attention_heads", 1);
            }
            if (is_vocabulary) {
                config_set(config, "share_encoder_decoder_embeddings", 0);
                config_set(config, "eos_token_id", 0);
            }
            config_set(config, name, past);
            CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
            CHECK(model == NULL && strcmp(report.name, name) == 0 && report.found == past && report.rule != NULL);
            CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_E_CONFIG);
            if (end && FIELDS[i].too_large) continue;
            config_set(config, name, border);
            CHECK_INT(heed_model_create(config, n, &model, &report), HEED_OK);
            CHECK(model != NULL && heed_model_bytes(model) > 0);
            heed_model_free(model);
        }
    }
    const int n = default_config(config);
    config_set(config, "dtype", 1);
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    config_set(config, "dtype", 0);
    config_set(config, "encoder_attention_heads", 5); /* does not divide 24 */
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    config_set(config, "encoder_attention_heads", 3);
    config_set(config, "decoder_vocab_size", V + 1); /* shared, and of another size */
    CHECK_INT(heed_model_create(config, n, &model, &report), HEED_E_CONFIG);
    CHECK(strcmp(report.name, "decoder_vocab_size") == 0);
    CHECK_INT(heed_model_create(config, n - 1, &model, &report), HEED_E_ARGUMENT);
    CHECK_INT(heed_model_create(config, n + 1, &model, &report), HEED_E_ARGUMENT);
}

static int find(const heed_model *model, const char *name) {
    int32_t part;
    const int index = heed_tensor_find(model, name, &part);
    CHECK(index >= 0 && part == HEED_WEIGHT);
    return index;
}

static void test_tensors(void) {
    int32_t config[MAX_CONFIG], rows, cols, part;
    const int n = default_config(config);
    const double matrix[3] = {V, D, 1}, other[2] = {V, D + 1}, vector[2] = {D, D}, row[2] = {1, D}, many[1] = {V};
    static float values[V * D];
    static int8_t small[V * D];
    heed_model *model;
    heed_report report;
    float out[FE];

    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    const int count = heed_tensor_count(model);
    const int shared = find(model, "model.shared.weight"), bias = find(model, "model.encoder.layers.0.fc2.bias");
    CHECK(heed_tensor_name(model, -1) == NULL && heed_tensor_name(model, count) == NULL);
    heed_tensor_shape(model, count, &rows, &cols);
    CHECK(rows == 0 && cols == 0);
    heed_tensor_shape(model, -1, &rows, &cols);
    CHECK(rows == 0 && cols == 0);
    heed_tensor_shape(model, shared, &rows, &cols);
    CHECK(rows == V && cols == D);
    CHECK_INT(heed_tensor_find(model, "model.shared.weight.scale", &part), shared);
    CHECK_INT(part, HEED_SCALE);
    CHECK_INT(heed_tensor_find(model, "model.shared", &part), -1);

    CHECK_INT(heed_tensor_begin(model, -1, 0, HEED_F32, 2, matrix), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, count, 0, HEED_F32, 2, matrix), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, -1, 2, matrix), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, 4, 2, matrix), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, bias, 0, HEED_I8, 1, vector), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_I8, 1, many), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F16, 1, many), HEED_E_TENSOR_DTYPE);
    CHECK_INT(heed_tensor_begin(model, bias, 1, HEED_F32, 1, vector), HEED_E_STATE); /* has no scale */
    for (int rank = 0; rank < 4; rank++)
        if (rank != 2) CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, rank, matrix), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, other), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, vector), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, bias, 0, HEED_F32, 1, many), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, bias, 0, HEED_F32, 2, vector), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 1, vector), HEED_E_TENSOR_SHAPE);
    CHECK_INT(heed_tensor_write(model, values, 4), HEED_E_STATE);
    CHECK_INT(heed_tensor_write(model, values, 0), HEED_OK);
    CHECK_INT(heed_model_finish(model, &report), HEED_E_TENSOR_MISSING);
    CHECK(strcmp(report.name, heed_tensor_name(model, 0)) == 0);
    CHECK_INT(heed_model_finish(model, NULL), HEED_E_TENSOR_MISSING);
    CHECK(heed_model_parameters(model) == 0.0);

    /* a vector as a row, in two pieces; nothing else begins meanwhile, and it is there once */
    for (int i = 0; i < V * D; i++) values[i] = (float)i * 0.25f - 9.0f;
    CHECK_INT(heed_tensor_begin(model, bias, 0, HEED_F32, 2, row), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, matrix), HEED_E_STATE);
    CHECK_INT(heed_model_finish(model, &report), HEED_E_STATE);
    CHECK_INT(heed_tensor_write(model, values, 7), HEED_OK);
    CHECK_INT(heed_tensor_write(model, (const char *)values + 7, D * sizeof *values - 7), HEED_OK);
    CHECK_INT(heed_tensor_write(model, values, 1), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, bias, 0, HEED_F32, 1, vector), HEED_E_STATE);
    CHECK(heed_model_parameters(model) == (double)D);
    CHECK_INT(heed_tensor_row(model, bias, 0, out), HEED_OK);
    CHECK(memcmp(out, values, D * sizeof *out) == 0);
    CHECK_INT(heed_tensor_row(model, bias, 1, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_tensor_row(model, bias, -1, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_tensor_row(model, -1, 0, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_tensor_row(model, count, 0, out), HEED_E_ARGUMENT);

    /* int8 into floats: each row times its scale, which may come first, and must come */
    for (int i = 0; i < V * D; i++) small[i] = (int8_t)(i % 255 - 127);
    for (int i = 0; i < V; i++) values[i] = (float)(i + 1) * 0.5f;
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 1, many), HEED_OK);
    CHECK_INT(heed_tensor_write(model, values, V * sizeof *values), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 1, many), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_I8, 2, matrix), HEED_OK);
    CHECK_INT(heed_tensor_write(model, small, sizeof small), HEED_OK);
    for (int i = 0; i < count; i++)
        if (i != shared && i != bias) CHECK_INT(fill_tensor(model, i, (uint32_t)i, 100), HEED_OK);
    CHECK_INT(heed_model_finish(model, &report), HEED_OK);
    CHECK_INT(heed_tensor_row(model, shared, 3, out), HEED_OK);
    for (int i = 0; i < D; i++) CHECK(out[i] == (float)small[3 * D + i] * 2.0f);
    CHECK_INT(heed_model_finish(model, NULL), HEED_E_STATE);
    CHECK_INT(heed_tensor_begin(model, shared, 0, HEED_F32, 2, matrix), HEED_E_STATE);
    heed_model_free(model);

    /* a scale that nothing needs, and one that is missing */
    for (int kind = 0; kind < 2; kind++) {
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
        for (int i = 0; i < count; i++)
            if (i != shared) CHECK_INT(fill_tensor(model, i, (uint32_t)i, 4096), HEED_OK);
        CHECK_INT(heed_tensor_begin(model, shared, 0, kind ? HEED_I8 : HEED_F32, 2, matrix), HEED_OK);
        CHECK_INT(heed_tensor_write(model, values, kind ? sizeof small : sizeof values), HEED_OK);
        if (!kind) {
            CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 2, many), HEED_E_TENSOR_SHAPE);
            CHECK_INT(heed_tensor_begin(model, shared, 1, HEED_F32, 1, many), HEED_OK);
            CHECK_INT(heed_tensor_write(model, values, V * sizeof *values), HEED_OK);
        }
        CHECK_INT(heed_model_finish(model, &report), HEED_E_TENSOR_MISSING);
        CHECK(strcmp(report.name, "model.shared.weight") == 0 && strstr(report.rule, ".scale") != NULL);
        heed_model_free(model);
    }

    /* what is no number, in each type; a scale is held against what it will be multiplied by */
    static const struct {
        int dtype, part;
        uint32_t bits;
        heed_status status;
    } BAD[] = {{HEED_F32, 0, 0x7f800000u, HEED_E_TENSOR_VALUE},
               {HEED_F32, 0, 0x7fc00000u, HEED_E_TENSOR_VALUE},
               {HEED_F32, 0, 0x7f7fffffu, HEED_OK},
               {HEED_F32, 1, 0x7f7fffffu, HEED_E_TENSOR_VALUE},
               {HEED_F32, 1, 0x7b7fffffu, HEED_OK},
               {HEED_F16, 0, 0xfc00u, HEED_E_TENSOR_VALUE},
               {HEED_F16, 0, 0x7c01u, HEED_E_TENSOR_VALUE},
               {HEED_F16, 0, 0xfbffu, HEED_OK},
               {HEED_BF16, 0, 0xff80u, HEED_E_TENSOR_VALUE},
               {HEED_BF16, 0, 0xff7fu, HEED_OK}};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        const size_t width = BAD[i].dtype == HEED_F32 ? 4 : 2, elements = BAD[i].part ? V : V * D;
        unsigned char bytes[V * D * 4] = {0};
        memcpy(bytes + 5 * width, &BAD[i].bits, width);
        CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
        const int rank = BAD[i].part ? 1 : 2;
        CHECK_INT(heed_tensor_begin(model, shared, BAD[i].part, BAD[i].dtype, rank, BAD[i].part ? many : matrix),
                  HEED_OK);
        CHECK_INT(heed_tensor_write(model, bytes, elements * width), BAD[i].status);
        heed_model_free(model);
    }
    /* half floats by their bits: the smallest, a subnormal below zero, one, the largest; and bfloat16 */
    static const uint16_t HALF[6] = {0x0001, 0x83ff, 0x3c00, 0x7bff, 0x8000, 0x0400};
    static const float MEANT[6] = {0x1p-24f, -0x1.ff8p-15f, 1.0f, 65504.0f, -0.0f, 0x1p-14f};
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    unsigned char bytes[D * 2] = {0};
    memcpy(bytes, HALF, sizeof HALF);
    CHECK_INT(heed_tensor_begin(model, bias, 0, HEED_F16, 1, vector), HEED_OK);
    CHECK_INT(heed_tensor_write(model, bytes, sizeof bytes), HEED_OK);
    CHECK_INT(heed_tensor_row(model, bias, 0, out), HEED_OK);
    CHECK(memcmp(out, MEANT, sizeof MEANT) == 0);
    const int norm = find(model, "model.encoder.layers.0.final_layer_norm.bias");
    CHECK_INT(heed_tensor_begin(model, norm, 0, HEED_BF16, 1, vector), HEED_OK);
    CHECK_INT(heed_tensor_write(model, bytes, sizeof bytes), HEED_OK);
    CHECK_INT(heed_tensor_row(model, norm, 0, out), HEED_OK);
    CHECK(out[2] == 0.0078125f && out[3] == 0x1.fep+120f);
    heed_model_free(model);
}

static void test_sessions(heed_model *model) {
    static const heed_session_options OPTIONS[] = {
        {0, 6, 2, 2},  {-1, 6, 2, 2}, {161, 6, 2, 2},  {4, 0, 2, 2},  {4, 161, 2, 2}, {4, 6, 0, 2},
        {4, 6, 65, 2}, {4, 6, 2, 0},  {4, 6, 2, 1025}, {4, 6, -1, 2}, {4, 6, 2, -1},  {INT32_MAX, 6, 2, 2},
    };
    const heed_session_options fits = {S, T + 1, 2, 2}, most = {160, 160, 1, 1};
    static float out[S * D];
    heed_session *session;
    float log_prob;
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        CHECK(heed_session_bytes(model, &OPTIONS[i]) == 0);
        CHECK_INT(heed_session_create(model, &OPTIONS[i], &session), HEED_E_ARGUMENT);
        CHECK(session == NULL);
    }
    CHECK_INT(heed_session_create(model, &most, &session), HEED_OK);
    heed_session_free(session);
    heed_session_free(NULL);

    int32_t config[MAX_CONFIG];
    heed_model *empty;
    CHECK_INT(heed_model_create(config, default_config(config), &empty, NULL), HEED_OK);
    CHECK_INT(heed_session_create(empty, &fits, &session), HEED_E_STATE);
    CHECK(session == NULL && heed_session_bytes(empty, &fits) == 0);
    heed_model_free(empty);

    CHECK_INT(heed_session_create(model, &fits, &session), HEED_OK);
    CHECK(heed_session_bytes(model, &fits) > sizeof out);
    static const int32_t HEADS[][3] = {{-1, 0, 0}, {3, 0, 0},  {0, -1, 0}, {0, LE, 0}, {0, 0, -1},
                                       {0, 0, HE}, {1, LD, 0}, {1, 0, HD}, {2, LD, 0}, {2, 0, HD}};
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        CHECK_INT(heed_session_set_head(session, HEADS[i][0], HEADS[i][1], HEADS[i][2], 0), HEED_E_ARGUMENT);
    for (int stack = 0; stack < 3; stack++)
        CHECK_INT(heed_session_set_head(session, stack, stack ? LD - 1 : LE - 1, stack ? HD - 1 : HE - 1, 1), HEED_OK);

    const int32_t below[1] = {-1}, above[1] = {V};
    CHECK_INT(heed_encode(session, SOURCE, 0, out), HEED_E_LENGTH);
    CHECK_INT(heed_encode(session, SOURCE, -1, out), HEED_E_LENGTH);
    CHECK_INT(heed_encode(session, SOURCE, S + 1, out), HEED_E_LENGTH);
    CHECK_INT(heed_encode(session, below, 1, out), HEED_E_ID);
    CHECK_INT(heed_encode(session, above, 1, out), HEED_E_ID);
    CHECK_INT(heed_forward(session, SOURCE, 0, TARGET, T), HEED_E_LENGTH);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET, 0), HEED_E_LENGTH);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET, T + 2), HEED_E_LENGTH);
    CHECK_INT(heed_forward(session, SOURCE, S, above, 1), HEED_E_ID);
    CHECK_INT(heed_forward(session, below, 1, TARGET, T), HEED_E_ID);
    CHECK(heed_forward_logits(session, 0, &log_prob) == NULL);
    CHECK_INT(heed_forward_log_probs(session, 1, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_forward(session, SOURCE, S, TARGET, T), HEED_OK);
    CHECK_INT(heed_forward_log_probs(session, -1, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_forward_log_probs(session, T + 1, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_forward_log_probs(session, 0, out), HEED_OK);
    CHECK(heed_forward_logits(session, -1, &log_prob) == NULL && log_prob == 0.0f);
    CHECK(heed_forward_logits(session, T, &log_prob) == NULL);
    CHECK(heed_forward_logits(session, T - 1, &log_prob) != NULL && log_prob < 0.0f);
    CHECK_INT(heed_encode(session, SOURCE, S, out), HEED_OK);
    CHECK(heed_forward_logits(session, 0, &log_prob) == NULL); /* what it would read is gone */
    heed_session_free(session);
}

/* The points of a pass as they are documented, in their order. */
typedef struct {
    char name[HEED_POINT_NAME_BYTES];
    int32_t shape[3], rank;
    int is_decoder, is_cross;
} expected_point;

static int expect_points(expected_point *points) {
    static const struct {
        const char *name;
        int rank;
        char rows, cols; /* of the last two dimensions: n rows, m keys, D, F; of three the first is H */
    } PARTS[] = {{"q", 2, 'n', 'D'},       {"k", 2, 'm', 'D'},       {"v", 2, 'm', 'D'},     {"scores", 3, 'n', 'm'},
                 {"weights", 3, 'n', 'm'}, {"context", 2, 'n', 'D'}, {"output", 2, 'n', 'D'}};
    int n = 0;
    for (int is_decoder = 0; is_decoder < 2; is_decoder++) {
        const char *stack = is_decoder ? "decoder" : "encoder";
        const int rows = is_decoder ? T : S, heads = is_decoder ? HD : HE, ffn = is_decoder ? FD : FE;
#define POINT(n_dims, d0, d1, d2, ...)                                                          \
    do {                                                                                        \
        expected_point *p = &points[n++];                                                       \
        *p = (expected_point){.shape = {d0, d1, d2}, .rank = n_dims, .is_decoder = is_decoder}; \
        snprintf(p->name, sizeof p->name, __VA_ARGS__);                                         \
    } while (0)
        POINT(2, rows, D, 1, "%s.embedding", stack);
        POINT(2, rows, D, 1, "%s.positions", stack);
        POINT(2, rows, D, 1, "%s.input", stack);
        for (int layer = 0; layer < (is_decoder ? LD : LE); layer++) {
            for (int is_cross = 0; is_cross <= is_decoder; is_cross++) {
                const char *name = is_cross ? "encoder_attn" : "self_attn";
                const int keys = is_cross ? S : rows;
                for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
                    const int d0 = PARTS[i].rows == 'm' ? keys : rows, d1 = PARTS[i].cols == 'm' ? keys : D;
                    if (PARTS[i].rank == 3)
                        POINT(3, heads, d0, d1, "%s.layers.%d.%s.%s", stack, layer, name, PARTS[i].name);
                    else POINT(2, d0, d1, 1, "%s.layers.%d.%s.%s", stack, layer, name, PARTS[i].name);
                    points[n - 1].is_cross = is_cross;
                }
                POINT(2, rows, D, 1, "%s.layers.%d.%s_layer_norm", stack, layer, name);
            }
            POINT(2, rows, ffn, 1, "%s.layers.%d.fc1", stack, layer);
            POINT(2, rows, D, 1, "%s.layers.%d.fc2", stack, layer);
            POINT(2, rows, D, 1, "%s.layers.%d.final_layer_norm", stack, layer);
        }
        POINT(2, rows, D, 1, "%s.output", stack);
#undef POINT
    }
    return n;
}

static void test_inspect(heed_model *model) {
    enum { MOST = 400, ROOM = 60000 };
    static float out[ROOM], again[ROOM], encoded[S * D];
    static expected_point points[MOST];
    int32_t wanted[MOST], shape[3];
    size_t begin[MOST], total = 0;
    char name[HEED_POINT_NAME_BYTES];
    const heed_session_options options = {S, T, 1, 1};
    heed_session *session;
    const int n = expect_points(points);
    for (int i = 0; i < n; i++) {
        CHECK_INT(heed_point(model, i, S, T, name, shape), points[i].rank);
        CHECK(strcmp(name, points[i].name) == 0 && memcmp(shape, points[i].shape, sizeof shape) == 0);
        wanted[i] = i;
        begin[i] = total;
        total += (size_t)shape[0] * shape[1] * shape[2];
    }
    if (!CHECK(n > 80 && n < MOST && total < ROOM)) return;
    CHECK(heed_point(model, -1, S, T, name, shape) == 0 && heed_point(model, n, S, T, name, shape) == 0);
    CHECK(heed_point(model, 0, -1, T, name, shape) == 0 && heed_point(model, 0, S, -1, name, shape) == 0);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (size_t i = 0; i < total; i++) out[i] = NAN;
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, wanted, n, out, total), HEED_OK);
    for (size_t i = 0; i < total; i++) CHECK(!isnan(out[i])); /* all was written */

    /* each alone is what it is among the others, and the pass is what it is without */
    for (int i = 0; i < n; i++) {
        const size_t floats = (i + 1 < n ? begin[i + 1] : total) - begin[i];
        CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, wanted + i, 1, again, floats), HEED_OK);
        CHECK(memcmp(again, out + begin[i], floats * sizeof *out) == 0);
        CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, wanted + i, 1, again, floats - 1), HEED_E_ARGUMENT);
        CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, wanted + i, 1, again, floats + 1), HEED_E_ARGUMENT);
    }
    CHECK_INT(heed_encode(session, SOURCE, S, encoded), HEED_OK);
    for (int i = 0; i < n; i++) {
        const float *x = out + begin[i], *scores = x;
        const int rows = points[i].is_decoder ? T : S;
        if (strcmp(points[i].name, "encoder.output") == 0) CHECK(memcmp(x, encoded, sizeof encoded) == 0);
        if (strstr(points[i].name, ".input")) { /* the two before it, added up */
            const float *e = out + begin[i - 2], *p = out + begin[i - 1];
            for (int j = 0; j < rows * D; j++) CHECK(fabsf(x[j] - (e[j] + p[j])) < 1e-5f);
        }
        if (!strstr(points[i].name, ".scores")) continue;
        const int keys = points[i].shape[2];
        const size_t size = (size_t)points[i].shape[0] * rows * keys;
        x = out + begin[i + 1];
        for (size_t row = 0; row < size / (size_t)keys; row++) {
            float sum = 0.0f;
            for (int k = 0; k < keys; k++) sum += expf(scores[row * keys + k]);
            for (int k = 0; k < keys; k++) {
                const float p = expf(scores[row * keys + k]) / sum;
                CHECK(fabsf(p - x[row * keys + k]) < 1e-5f); /* a softmax in floats */
                const int is_masked = points[i].is_decoder && !points[i].is_cross && k > (int)(row % T);
                CHECK(is_masked == (scores[row * keys + k] == -INFINITY));
            }
        }
    }
    float log_prob;
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, wanted, 1, out, S * D), HEED_OK);
    CHECK(heed_forward_logits(session, 0, &log_prob) != NULL);
    const int32_t none[2] = {n, -1}, twice[2] = {0, 0};
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, none, 1, out, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, none + 1, 1, out, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, twice, 2, out, 2 * S * D), HEED_E_ARGUMENT);
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, T, twice, 1, out, S * D),
              HEED_OK); /* what was refused is gone */
    CHECK_INT(heed_inspect(session, SOURCE, -1, TARGET, T, wanted, 1, out, 0), HEED_E_LENGTH);
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, -1, wanted, 1, out, 0), HEED_E_LENGTH);
    CHECK_INT(heed_inspect(session, SOURCE, 0, TARGET, T, wanted, 0, out, 0), HEED_E_LENGTH);
    CHECK_INT(heed_inspect(session, SOURCE, 0, TARGET, T, wanted, 1, out, 0), HEED_E_LENGTH);
    CHECK_INT(heed_inspect(session, SOURCE, S, TARGET, 0, wanted + n - 1, 1, out, 0), HEED_E_LENGTH);
    heed_session_free(session);
}

static void test_search_calls(heed_model *model) {
    const heed_session_options options = {S, 8, 2, 2};
    static int32_t words[4100];
    const int32_t prefix[2] = {3, V}, empty_word[2] = {0, 1}, torn[2] = {2, 1}, foreign[2] = {1, V}, minus[2] = {1, -1};
    int32_t beam[16], id[16], fate[16], count, row, running;
    float log_prob[16];
    float attended[2 * S];
    heed_session *session;
    heed_hypothesis h;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    const heed_search_options fits = {.beams = 2, .max_tokens = 8, .length_penalty = 1.0f};
    struct {
        heed_search_options o;
        heed_status status;
    } wrong[] = {{fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT},
                 {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT},
                 {fits, HEED_E_LENGTH},   {fits, HEED_E_LENGTH},   {fits, HEED_E_ID},       {fits, HEED_E_ARGUMENT},
                 {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ARGUMENT}, {fits, HEED_E_ID},       {fits, HEED_E_ID}};
    wrong[0].o.beams = 0;
    wrong[1].o.beams = 3;
    wrong[2].o.max_tokens = 0;
    wrong[3].o.min_tokens = -1;
    wrong[4].o.no_repeat_ngram = -1;
    wrong[5].o.n_prefix = -1;
    wrong[6].o.n_bad_words = -1;
    wrong[7].o.length_penalty = INFINITY;
    wrong[8].o.n_prefix = 9;
    wrong[9].o.max_tokens = 9;
    wrong[10].o.max_tokens = 6;
    wrong[10].o.n_prefix = 2;
    wrong[10].o.prefix = prefix;
    wrong[11].o.n_bad_words = 4097;
    wrong[11].o.bad_words = words;
    wrong[12].o.n_bad_words = wrong[13].o.n_bad_words = wrong[14].o.n_bad_words = wrong[15].o.n_bad_words = 2;
    wrong[12].o.bad_words = empty_word;
    wrong[13].o.bad_words = torn;
    wrong[14].o.bad_words = foreign;
    wrong[15].o.bad_words = minus;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_INT(heed_search_begin(session, &wrong[i].o), wrong[i].status);
        CHECK_INT(heed_search_step(session, &running), HEED_E_STATE);
    }
    /* lists: of ids there are, not too many in all; and what is no setting */
    struct {
        heed_search_options o;
        heed_status status;
    } lists[] = {
        {{.n_eos = -1, .eos = minus}, HEED_E_ARGUMENT},
        {{.n_eos = 2, .eos = minus}, HEED_E_ID},
        {{.n_forced_bos = 2, .forced_bos = foreign}, HEED_E_ID},
        {{.n_forced_eos = 2, .forced_eos = foreign}, HEED_E_ID},
        {{.n_suppress = 2, .suppress = foreign}, HEED_E_ID},
        {{.n_begin_suppress = 2, .begin_suppress = minus}, HEED_E_ID},
        {{.n_suppress = 4000, .suppress = words, .n_begin_suppress = 97, .begin_suppress = words}, HEED_E_ARGUMENT},
        {{.n_suppress = 4000, .suppress = words, .n_begin_suppress = 96, .begin_suppress = words}, HEED_OK},
        {{.early_stopping = -1}, HEED_E_ARGUMENT},
        {{.early_stopping = 3}, HEED_E_ARGUMENT},
        {{.repetition_penalty = -1.0f}, HEED_E_ARGUMENT},
        {{.repetition_penalty = 1e-4f}, HEED_E_ARGUMENT},
        {{.repetition_penalty = 1001.0f}, HEED_E_ARGUMENT},
        {{.repetition_penalty = NAN}, HEED_E_ARGUMENT},
        {{.ngrams = 1.0f}, HEED_OK},
        {{.ngrams = 1.01f}, HEED_E_ARGUMENT},
        {{.ngrams = -0.01f}, HEED_E_ARGUMENT},
        {{.ngrams = NAN}, HEED_E_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        lists[i].o.beams = 2;
        lists[i].o.max_tokens = 8;
        CHECK_INT(heed_search_begin(session, &lists[i].o), lists[i].status);
        heed_search_end(session);
    }
    for (int i = 0; i < 4096; i += 2) words[i] = 1;
    heed_search_options full = fits;
    full.n_bad_words = 4096;
    full.bad_words = words;
    CHECK_INT(heed_search_begin(session, &full), HEED_OK);

    for (int beams = 1; beams <= 2; beams++) {
        heed_search_options o = fits;
        o.beams = beams;
        CHECK_INT(heed_search_begin(session, &o), HEED_OK);
        CHECK_INT(heed_search_candidates(session, -1, beam, id, fate, log_prob, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_candidates(session, 2, beam, id, fate, log_prob, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_candidates(session, 0, beam, id, fate, log_prob, &count), HEED_E_STATE);
        static const int32_t HEADS[2] = {0, HD}, MINUS[1] = {-1};
        CHECK_INT(heed_search_attention(session, -1, HEADS, 1, attended, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_attention(session, 2, HEADS, 1, attended, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_attention(session, 0, HEADS, 0, attended, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_attention(session, 0, HEADS, 2, attended, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_attention(session, 0, MINUS, 1, attended, &count), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_attention(session, 0, HEADS, 1, attended, &count), HEED_E_STATE);
        CHECK_INT(heed_search_add(session, SOURCE, S, &row), HEED_OK);
        CHECK_INT(heed_search_candidates(session, row, beam, id, fate, log_prob, &count), HEED_OK);
        CHECK_INT(count, 0);
        CHECK_INT(heed_search_hypotheses(session, row), 0);
        for (int step = 0; step < 3; step++) {
            CHECK_INT(heed_search_step(session, &running), HEED_OK);
            CHECK_INT(running, 1);
            CHECK_INT(heed_search_candidates(session, row, beam, id, fate, log_prob, &count), HEED_OK);
            CHECK_INT(count, beams == 1 ? 1 : step ? 8 : 4);
            for (int i = 0; i < count; i++) {
                CHECK(i == 0 || beam[i] != beam[i - 1] || log_prob[i] <= log_prob[i - 1]);
                CHECK(log_prob[i] < 0.0f && fate[i] >= HEED_ENDED);
                if (fate[i] < 0) continue;
                CHECK_INT(heed_search_hypothesis(session, row, fate[i], &h), HEED_OK);
                CHECK_INT(h.n, step + 1);
                CHECK(h.ids[step] == id[i] && h.log_prob == log_prob[i]);
            }
        }
        CHECK_INT(heed_search_finished(session), -1);
        CHECK_INT(heed_search_hypothesis(session, row, -1, &h), HEED_E_ARGUMENT);
        CHECK(h.ids == NULL && h.n == 0);
        CHECK_INT(heed_search_hypothesis(session, row, beams, &h), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_hypotheses(session, -1), 0);
        CHECK_INT(heed_search_hypotheses(session, 2), 0);
        CHECK_INT(heed_search_release(session, 2), HEED_E_ARGUMENT);
        heed_search_end(session);
        CHECK_INT(heed_search_candidates(session, row, beam, id, fate, log_prob, &count), HEED_E_STATE);
    }
    heed_session_free(session);
}

/* Each size of each operation, absent, negative, and so large that a product of two is no size. */
static void test_ops(void) {
    enum { N = 6 };
    static float x[64], y[64], z[64];
    static int32_t ids[2] = {0, 1};
    static const int32_t WRONG[] = {0, -1, INT32_MIN};
    for (int what = 0; what < N; what++) {
        for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
            int s[N] = {2, 2, 2, 2, 2, 2};
            s[what] = WRONG[i];
            if (what < 2) {
                CHECK_INT(heed_op_softmax(y, x, s[0], s[1]), HEED_E_ARGUMENT);
                CHECK_INT(heed_op_positional_encoding(y, s[0], s[1], 0), HEED_E_ARGUMENT);
                CHECK_INT(heed_op_layer_norm(y, x, NULL, NULL, s[0], s[1], 1e-5f), HEED_E_ARGUMENT);
            }
            if (what < 3) {
                CHECK_INT(heed_op_matmul(y, x, z, s[0], s[1], s[2]), HEED_E_ARGUMENT);
                CHECK_INT(heed_op_cosine_similarity(y, x, z, s[0], s[1], s[2]), HEED_E_ARGUMENT);
                CHECK_INT(heed_op_embedding(y, ids, s[0], x, s[1], s[2], 1.0f), HEED_E_ARGUMENT);
                CHECK_INT(heed_op_feed_forward(y, x, x, x, x, x, s[0], s[1], s[2], 0), HEED_E_ARGUMENT);
            }
            if (what < 4) {
                CHECK_INT(heed_op_attention(y, y, y, x, x, x, s[0], s[1], s[2], s[3], 1.0f, 0), HEED_E_ARGUMENT);
                CHECK_INT(heed_op_multi_head_attention(y, y, x, x, x, x, x, x, s[0], s[1], s[2], s[3], 0),
                          HEED_E_ARGUMENT);
            }
        }
    }
    CHECK_INT(heed_op_positional_encoding(y, 2, 2, 3), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_positional_encoding(y, 2, 2, -1), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_layer_norm(y, x, NULL, NULL, 2, 2, -1.0f), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_layer_norm(y, x, NULL, NULL, 2, 2, NAN), HEED_E_ARGUMENT);
    /* each side fits, their product is no size */
    CHECK_INT(heed_op_feed_forward(y, x, x, x, x, x, 1, INT32_MAX, INT32_MAX, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_feed_forward(y, x, x, x, x, x, 2, 2, 2, 4), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_feed_forward(y, x, x, x, x, x, 2, 2, 2, -1), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_multi_head_attention(y, y, x, x, x, x, x, x, 2, 2, 2, 3, 0), HEED_E_ARGUMENT);
    ids[1] = 2;
    CHECK_INT(heed_op_embedding(y, ids, 2, x, 2, 2, 1.0f), HEED_E_ID);
    ids[1] = -1;
    CHECK_INT(heed_op_embedding(y, ids, 2, x, 2, 2, 1.0f), HEED_E_ID);
}

int main(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    test_names();
    test_sha256();
    test_config();
    test_tensors();
    test_ops();
    heed_model *model = random_model(config, n, 3, 4096);
    if (!CHECK(model != NULL)) return check_summary("calls");
    test_sessions(model);
    test_inspect(model);
    test_search_calls(model);
    heed_model_free(model);
    config_set(config, "normalize_before", 1); /* the norms stand elsewhere */
    config_set(config, "add_final_layer_norm", 1);
    config_set(config, "normalize_embedding", 1);
    model = random_model(config, n, 3, 4096);
    if (CHECK(model != NULL)) test_search_calls(model);
    heed_model_free(model);
    return check_summary("calls");
}
