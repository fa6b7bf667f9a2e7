/* weights.c - configurations and the table of tensors: any numbers, names, shapes and bytes, in any order. */
#include <math.h>
#include <string.h>

#include "../c/random_model.h"
#include "input.h"

/* A number that is right now and then: small, or one that no rule lets through as a size. */
static int32_t take_number(input *in) {
    static const int32_t WILD[] = {-1, 0, INT32_MIN, INT32_MAX, 1 << 30, 65537, 16777217};
    const int kind = take_byte(in);
    if (kind < 248) return kind % (kind < 160 ? 4 : 12);
    return WILD[kind % (int)(sizeof WILD / sizeof *WILD)];
}

/* The model that an input changes: the least that has every kind of tensor. */
static int32_t usual_config[MAX_CONFIG];
static int n_config;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static const struct {
        const char *name;
        int32_t value;
    } SMALL[] = {{"d_model", 12},           {"encoder_layers", 1},         {"decoder_layers", 1},
                 {"encoder_ffn_dim", 5},    {"decoder_ffn_dim", 9},        {"vocab_size", 7},
                 {"decoder_vocab_size", 7}, {"max_position_embeddings", 9}};
    (void)argc, (void)argv;
    n_config = default_config(usual_config);
    for (size_t i = 0; i < sizeof SMALL / sizeof *SMALL; i++) config_set(usual_config, SMALL[i].name, SMALL[i].value);
    return 0;
}

static void fill_config(input *in, int32_t config[MAX_CONFIG]) {
    memcpy(config, usual_config, sizeof usual_config);
    for (int changes = take_byte(in) % 6; changes > 0; changes--) {
        const int field = take_byte(in) % n_config;
        config[field] = take_number(in);
    }
}

/* The name of a tensor, perhaps cut or with something behind it. */
static void find_name(input *in, const heed_model *model) {
    char name[256] = "";
    int32_t part;
    const char *known = heed_tensor_name(model, take_number(in));
    size_t n = known ? strlen(known) : 0, more = (size_t)take_byte(in) % 128;
    if (known) memcpy(name, known, n);
    n = take_byte(in) % 4 ? n : n / 2;
    const char *bytes = take_bytes(in, &more);
    memcpy(name + n, bytes, more);
    name[n + more] = '\0';
    const int index = heed_tensor_find(model, name, &part);
    REQUIRE(index >= -1 && index < heed_tensor_count(model) && part >= 0 && part <= 2);
}

/* Begin a tensor, mostly as it must be, and write some of it. */
static void load_some(input *in, heed_model *model) {
    static unsigned char bytes[1024];
    int32_t rows, cols;
    const int index = take_byte(in) % (heed_tensor_count(model) + 1), odd = take_byte(in);
    const int part = odd % 4 == 1 ? 1 + odd % 3 / 2 : 0, dtype = odd % 8 > 2 ? HEED_F32 : take_byte(in) % 6 - 1;
    heed_tensor_shape(model, index, &rows, &cols);
    double dims[2] = {part == HEED_ALPHA ? 1 + odd % 2 : part ? cols ? rows : 0 : rows, cols};
    int rank = part ? 1 : 2;
    if (odd >= 224) {
        dims[odd % 2] = odd % 3 ? take_number(in) : odd % 5 ? (double)NAN : 0x1p64;
        rank = odd % 7;
    }
    const heed_status begun = heed_tensor_begin(model, index, part, dtype, rank, dims);
    REQUIRE(begun == HEED_OK || begun == HEED_E_STATE || begun == HEED_E_TENSOR_SHAPE || begun == HEED_E_TENSOR_DTYPE);
    const int pieces = take_byte(in) % 8;
    for (int i = 0; i < pieces; i++) {
        size_t n = (size_t)take_between(in, 0, 700);
        memset(bytes, odd, n);
        size_t given = n < 64 ? n : 64;
        const char *from = take_bytes(in, &given);
        memcpy(bytes, from, given);
        const heed_status written = heed_tensor_write(model, bytes, n);
        REQUIRE(written == HEED_OK || written == HEED_E_STATE || written == HEED_E_TENSOR_VALUE);
    }
}

/* Every tensor still missing, as it must be: the same numbers in each, in pieces. */
static void load_rest(heed_model *model) {
    static float values[128];
    for (int i = 0; i < 128; i++) values[i] = (float)(i - 60) / 64.0f;
    for (int i = 0; i < heed_tensor_count(model); i++) {
        int32_t rows, cols;
        heed_tensor_shape(model, i, &rows, &cols);
        const double dims[2] = {rows, cols};
        if (heed_tensor_begin(model, i, 0, HEED_F32, 2, dims) != HEED_OK) continue;
        for (size_t left = (size_t)rows * (size_t)cols * sizeof *values; left > 0;) {
            const size_t n = left < sizeof values ? left : sizeof values;
            REQUIRE(heed_tensor_write(model, values, n) == HEED_OK);
            left -= n;
        }
    }
}

static void use(input *in, const heed_model *model, int32_t d_model) {
    const heed_session_options options = {take_number(in), take_number(in), take_number(in) % 9, take_number(in)};
    const size_t bytes = heed_session_bytes(model, &options);
    heed_session *session;
    float *row = malloc((size_t)d_model * sizeof *row), *out;
    const int32_t source[4] = {0, take_number(in), 0, 0};
    if (row == NULL) exit(2);
    for (int i = -1; i <= heed_tensor_count(model); i++) {
        int32_t rows, cols;
        heed_tensor_shape(model, i, &rows, &cols);
        if (cols <= d_model) heed_tensor_row(model, i, take_number(in), row);
    }
    free(row);
    if (bytes > 1 << 18) return; /* mostly a matter of clearing memory */
    const heed_status status = heed_session_create(model, &options, &session);
    REQUIRE((status == HEED_OK) == (bytes > 0));
    if (status != HEED_OK) return;
    const int n = options.max_source < 4 ? options.max_source : 4;
    out = malloc((size_t)n * (size_t)d_model * sizeof *out);
    if (out == NULL) exit(2);
    const heed_status encoded = heed_encode(session, source, n, out);
    REQUIRE(encoded == HEED_OK || encoded == HEED_E_ID);
    free(out);
    heed_session_free(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int32_t config[MAX_CONFIG];
    input in = {data, size};
    heed_report report = {0};
    heed_model *model;
    fill_config(&in, config);
    const heed_status created = heed_model_create(config, n_config, &model, &report);
    REQUIRE(created == HEED_OK || created == HEED_E_CONFIG);
    REQUIRE((created == HEED_OK) == (model != NULL) && (created == HEED_OK || (report.name && report.rule)));
    if (model == NULL) return 0;
    for (int steps = take_byte(&in) % 12; steps > 0; steps--) {
        const int what = take_byte(&in);
        if (what < 96) find_name(&in, model);
        else load_some(&in, model);
    }
    if (take_byte(&in) % 4) load_rest(model);
    const heed_status finished = heed_model_finish(model, &report);
    REQUIRE(finished == HEED_OK || finished == HEED_E_STATE || finished == HEED_E_TENSOR_MISSING ||
            finished == HEED_E_TENSOR_VALUE);
    REQUIRE(heed_model_parameters(model) >= 0.0 && heed_model_bytes(model) > 0);
    use(&in, model, config[0]);
    heed_model_free(model);
    return 0;
}
