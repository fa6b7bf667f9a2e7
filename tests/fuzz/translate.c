/*
 * translate.c - whole translation on tiny models: any calls of a session in any order with any options and ids. After
 * them a plain translation must give what a fresh session gave.
 */
#include <math.h>
#include <string.h>

#include "../c/random_model.h"
#include "input.h"

enum { D = 8, N_MODELS = 7, POSITIONS = 12, MAX_V = 19, HUGE_MODEL = 4, RECURRENT = 5 };
enum { MAX_SOURCE = 6, MAX_TARGET = 9, MAX_BEAMS = 4, MAX_BATCH = 4 };

typedef struct {
    int32_t ids[MAX_TARGET];
    int32_t n;
    float log_prob;
} result;

static heed_model *models[N_MODELS];
static int vocabulary[N_MODELS];
static result expected[N_MODELS];

/* Greedy, of a fixed source; HEED_OK unless the model's numbers overflow. */
static heed_status translate(heed_session *s, int unscored, result *r) {
    static const int32_t SOURCE[1] = {1};
    const heed_search_options rules = {.beams = 1, .max_tokens = 3, .length_penalty = 1.0f, .unscored = unscored};
    int32_t row, running = 1;
    heed_hypothesis h;
    heed_session_enable_heads(s);
    heed_search_end(s);
    memset(r, 0, sizeof *r);
    REQUIRE(heed_search_begin(s, &rules) == HEED_OK && heed_search_add(s, SOURCE, 1, &row) == HEED_OK);
    for (int i = 0; i < 3 && running; i++) REQUIRE(heed_search_step(s, &running) == HEED_OK);
    REQUIRE(running == 0 && heed_search_finished(s) == row);
    const heed_status status = heed_search_hypothesis(s, row, 0, &h);
    if (status != HEED_OK) return status;
    memcpy(r->ids, h.ids, (size_t)h.n * sizeof *h.ids);
    r->n = h.n;
    r->log_prob = h.log_prob;
    heed_search_end(s);
    return HEED_OK;
}

static heed_model *make_model(int index) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config), V = index == 2 ? 2 : MAX_V;
    config_set(config, "d_model", D);
    config_set(config, "encoder_layers", 1);
    config_set(config, "decoder_layers", 1 + index % 2);
    config_set(config, "encoder_attention_heads", 2);
    config_set(config, "encoder_ffn_dim", 9);
    config_set(config, "decoder_ffn_dim", 5);
    config_set(config, "vocab_size", V);
    config_set(config, "decoder_vocab_size", V);
    config_set(config, "eos_token_id", 1);
    config_set(config, "max_position_embeddings", POSITIONS);
    config_set(config, "normalize_before", index == 1);
    config_set(config, "dtype", index == 3 || index == 6 ? HEED_I8 : HEED_F32);
    config_set(config, "decoder_cell", index >= RECURRENT ? HEED_SSRU : HEED_SELF_ATTENTION);
    vocabulary[index] = V;
    if (index != HUGE_MODEL) return random_model(config, n, (uint32_t)index, 4096);

    /* one with numbers that are finite but overflow on their way */
    heed_model *model;
    static float huge[MAX_V * D];
    for (int i = 0; i < MAX_V * D; i++) huge[i] = i % 2 ? 3e38f : -3e38f;
    REQUIRE(heed_model_create(config, n, &model, NULL) == HEED_OK);
    for (int i = 0; i < heed_tensor_count(model); i++) {
        const double dims[2] = {MAX_V, D};
        if (heed_tensor_begin(model, i, 0, HEED_F32, 2, dims) == HEED_OK) heed_tensor_write(model, huge, sizeof huge);
        else fill_tensor(model, i, (uint32_t)i, 4096);
    }
    return heed_model_finish(model, NULL) == HEED_OK ? model : NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (int i = 0; i < N_MODELS; i++) {
        const heed_session_options options = {MAX_SOURCE, MAX_TARGET, MAX_BEAMS, MAX_BATCH};
        static const int32_t OFFSETS[] = {0, 0, 1, 1, 4, 4, 9}, IDS[] = {1, 0, 1, 1, 0, 1, 1, 0, 1};
        heed_session *s;
        REQUIRE((models[i] = make_model(i)) != NULL);
        const int n_lists = vocabulary[i] < 6 ? 2 : 6;
        if (i != 1)
            REQUIRE(heed_model_set_shortlist(models[i], i, OFFSETS, n_lists + 1, IDS, OFFSETS[n_lists]) == HEED_OK);
        REQUIRE(heed_session_create(models[i], &options, &s) == HEED_OK);
        REQUIRE(translate(s, 0, &expected[i]) == (i == HUGE_MODEL ? HEED_E_TENSOR_VALUE : HEED_OK));
        heed_session_free(s);
    }
    return 0;
}

/* Ids, mostly of the vocabulary; at most `most`.  Returns how many. */
static int take_ids(input *in, int32_t *ids, int most, int V) {
    const int n = take_byte(in) % (most + 1);
    for (int i = 0; i < n; i++) {
        const int byte = take_byte(in);
        ids[i] = byte < 250 ? byte % V : byte < 253 ? V : -1;
    }
    return n;
}

/* The rarer settings, each in half of the cases. */
static void begin_more(input *in, heed_search_options *o, int32_t lists[5][POSITIONS], int V) {
    static const float REPETITION[] = {0.0f, 1.0f, 1.5f, 0.5f, 0.001f, 1000.0f, -1.0f, NAN};
    const int flags = take_byte(in);
    o->early_stopping = flags & 1 ? take_byte(in) % 5 - 1 : 0;
    o->repetition_penalty = flags & 2 ? REPETITION[take_byte(in) % 8] : 0.0f;
    o->renormalize = (flags & 4) != 0;
    o->eos = lists[0];
    o->forced_bos = lists[1];
    o->forced_eos = lists[2];
    o->suppress = lists[3];
    o->begin_suppress = lists[4];
    if (flags & 8) o->n_eos = take_ids(in, lists[0], POSITIONS, V);
    if (flags & 16) o->n_forced_bos = take_ids(in, lists[1], 2, V);
    if (flags & 32) o->n_forced_eos = take_ids(in, lists[2], 3, V);
    if (flags & 64) o->n_suppress = take_ids(in, lists[3], POSITIONS, V);
    if (flags & 128) o->n_begin_suppress = take_ids(in, lists[4], POSITIONS, V);
}

/* Bytes of all kinds in turn, on the ids there are. */
static int take_byte_ids(input *in, int32_t ids[256], int V) {
    static const uint8_t BYTES[] = {0xC3, 0xA9, 0xE2, 0x82, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF, 0x41};
    const int first = take_byte(in);
    for (int i = 0; i < 256; i++) ids[i] = -1;
    for (int id = 0; id < V; id++) ids[BYTES[(first + id) % 12]] = first % 16 == 15 ? id - 2 : id;
    return first % 16 == 14 ? first : 256;
}

static void begin(input *in, heed_session *s, int V) {
    static const float PENALTIES[] = {1.0f, 0.0f, 0.6f, -1.0f, 1e30f, -1e30f, INFINITY, NAN};
    int32_t prefix[POSITIONS], bad_words[64], byte_ids[256];
    const int flags = take_byte(in);
    heed_search_options o = {.beams = take_byte(in) % 6, .max_tokens = take_byte(in) % 12};
    o.length_penalty = PENALTIES[take_byte(in) % 8];
    o.prefix = prefix;
    o.bad_words = bad_words;
    o.cut_runaways = (flags ^ o.max_tokens) & 1;
    o.byte_ids = byte_ids;
    if (o.beams & 2) o.n_byte_ids = take_byte_ids(in, byte_ids, V);
    if (flags & 1) o.min_tokens = take_byte(in) % 16 - 1;
    if (flags & 2) o.no_repeat_ngram = flags & 64 ? INT32_MAX : take_byte(in) % 8 - 1;
    if (flags & 4) o.n_prefix = take_ids(in, prefix, POSITIONS, V);
    if (flags & 8) {
        for (int words = take_byte(in) % 8; words > 0 && o.n_bad_words < 48; words--) {
            const int n = take_ids(in, bad_words + o.n_bad_words + 1, 5, V);
            bad_words[o.n_bad_words] = flags & 128 ? n + 1 : n;
            o.n_bad_words += n + 1;
        }
    }
    if (flags & 16) { /* every id, but for </s> perhaps */
        o.n_bad_words = 0;
        for (int id = flags & 32 ? 2 : 0; id < V; id++) {
            bad_words[o.n_bad_words++] = 1;
            bad_words[o.n_bad_words++] = id;
        }
    }
    int32_t lists[5][POSITIONS];
    const int more = take_byte(in);
    if (more % 2) begin_more(in, &o, lists, V);
    o.shortlist = (more & 2) != 0;
    o.attention = (more & 4) != 0;
    o.unscored = (more & 8) != 0;
    /* as the first rules, or for what is added from here on */
    const heed_status status = flags % 3 ? heed_search_begin(s, &o) : heed_search_rules(s, &o);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT || status == HEED_E_ID || status == HEED_E_LENGTH ||
            (status == HEED_E_STATE && flags % 3 == 0));
}

/* A lexicon for any batch row and for a target, mostly of whole entries. */
static void lexicon(input *in, heed_session *s, const heed_model *model, int V) {
    enum { MOST = HEED_LEXICON_INTS, MOST_IDS = 7 };
    int32_t entries[MOST + 5 + MOST_IDS] = {0};
    const int row = take_byte(in) % (MAX_BATCH + 2) - 1, head = take_byte(in) % 4 - 1, most = take_byte(in) % 8;
    int n = 0;
    for (int i = 0; i < most && n < MOST; i++) {
        int32_t *entry = entries + n;
        const int span = take_byte(in), kind = take_byte(in);
        entry[0] = span % 4 - (span == 255);
        entry[1] = entry[0] + (span < 240 ? span / 4 % 4 : 1 << 20);
        entry[2] = kind < 251 ? kind * 4 : take_int32(in);
        entry[3] = kind % 4 + (kind == 251) - (kind == 252);
        const int n_ids = take_ids(in, entry + 5, MOST_IDS, V);
        entry[4] = kind < 253 ? n_ids : take_int32(in);
        n += 5 + n_ids;
    }
    if (most == 7) n = HEED_LEXICON_INTS + take_byte(in) % 3 - 1;
    heed_status status = heed_search_lexicon(s, row, head, n > 0 ? entries : NULL, n);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT || status == HEED_E_STATE || status == HEED_E_ID ||
            status == HEED_E_LENGTH);

    int32_t target[POSITIONS];
    float weights[POSITIONS * POSITIONS], log_probs[POSITIONS] = {0.0f}, out[POSITIONS] = {0.0f};
    const int n_target = take_ids(in, target, POSITIONS, V), n_source = take_byte(in) % (POSITIONS + 1);
    for (int i = 0; i < POSITIONS * POSITIONS; i++) weights[i] = 1.0f / POSITIONS;
    status = heed_lexicon_log_probs(model, n > 0 ? entries : NULL, n, target, n_target, weights, n_source, log_probs,
                                    out);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT || status == HEED_E_ID || status == HEED_E_LENGTH);
    for (int t = 0; t < n_target; t++) REQUIRE(out[t] <= 1e-6f);
}

static void look(const heed_session *s, int row, int V, const heed_session_options *sizes) {
    static const int32_t HEADS[2] = {1, 0};
    float attended[MAX_BEAMS * 2 * MAX_SOURCE];
    int32_t rows;
    heed_search_attention(s, row, HEADS, 2, attended, &rows);
    REQUIRE(rows >= 0 && rows <= sizes->max_beams);
    const int n = heed_search_hypotheses(s, row);
    heed_hypothesis h;
    float before = INFINITY;
    REQUIRE(n >= 0 && n <= sizes->max_beams);
    const heed_status status = heed_search_hypothesis(s, row, n, &h);
    REQUIRE((status == HEED_E_ARGUMENT || (status == HEED_E_TENSOR_VALUE && n == 0)) && h.ids == NULL);
    for (int rank = 0; rank < n; rank++) {
        REQUIRE(heed_search_hypothesis(s, row, rank, &h) == HEED_OK);
        REQUIRE(h.n >= 0 && h.n <= sizes->max_target && !isnan(h.score) && h.log_prob <= 0.0f);
        for (int i = 0; i < h.n; i++) REQUIRE(h.ids[i] >= 0 && h.ids[i] < V);
        if (heed_search_finished(s) == row) REQUIRE(h.score <= before);
        before = h.score;
    }
}

static void step(heed_session *s, int V, const heed_session_options *sizes) {
    int32_t running;
    const heed_status status = heed_search_step(s, &running);
    REQUIRE(status == HEED_OK || status == HEED_E_STATE);
    REQUIRE(running >= 0 && running <= sizes->max_batch);
    for (int row = -1; row <= sizes->max_batch; row++) look(s, row, V, sizes);
}

/* True also for equal NaNs. */
static int same_bits(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

/* A pass, perhaps with some of its tensors. */
static void forward(input *in, heed_session *s, const heed_model *model, int V) {
    enum { MOST = 64, ROOM = 1 << 15 };
    static float out[ROOM];
    char name[HEED_POINT_NAME_BYTES];
    int32_t source[POSITIONS], target[POSITIONS], wanted[MOST], shape[3];
    float log_prob;
    size_t total = 0;
    int n = 0;
    const int n_source = take_ids(in, source, POSITIONS, V), n_target = take_ids(in, target, POSITIONS, V);
    const int first = take_byte(in) % MOST - 1, most = take_byte(in) % MOST;
    for (; n < most && heed_point(model, first + n, n_source, n_target, name, shape) > 0; n++) {
        wanted[n] = first + n;
        total += (size_t)shape[0] * shape[1] * shape[2];
    }
    REQUIRE(total <= ROOM);
    const heed_status status = heed_inspect(s, source, n_source, target, n_target, wanted, n, out, total);
    REQUIRE(status == HEED_OK || status == HEED_E_STATE || status == HEED_E_ID || status == HEED_E_LENGTH);
    if (status != HEED_OK) return;
    if (most % 2) REQUIRE(heed_forward_shortlist(s) == HEED_OK);
    REQUIRE(heed_forward_log_probs(s, n_target, out) == HEED_OK);
    REQUIRE(heed_forward_logits(s, n_target - 1, &log_prob) != NULL && same_bits(out[n_target - 1], log_prob));
}

static void call(input *in, heed_session *s, const heed_model *model, int V, const heed_session_options *sizes) {
    int32_t ids[POSITIONS], row;
    float out[POSITIONS * D], log_prob;
    heed_status status;
    const int what = take_byte(in);
    switch (what < 230 ? what % 10 : 10) {
        case 0: begin(in, s, V); break;
        case 1:
            status = heed_search_add(s, ids, take_ids(in, ids, POSITIONS, V), &row);
            REQUIRE((status == HEED_OK) == (row >= 0) && row < sizes->max_batch);
            break;
        case 2: heed_search_release(s, take_byte(in) % 8 - 1); break;
        case 3: heed_search_end(s); break;
        case 4: forward(in, s, model, V); break;
        case 5: heed_encode(s, ids, take_ids(in, ids, POSITIONS, V), out); break;
        case 6: heed_forward_logits(s, take_byte(in) % 16 - 1, &log_prob); break;
        case 7: {
            const int stack = take_byte(in) % 5 - 1, layer = take_byte(in) % 4 - 1, head = take_byte(in) % 6 - 1;
            heed_session_set_head(s, stack, layer, head, take_byte(in) % 2);
            break;
        }
        case 10: lexicon(in, s, model, V); break;
        default:
            for (int steps = take_byte(in) % 8; steps >= 0; steps--) step(s, V, sizes);
            break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    const int index = take_byte(&in) % N_MODELS, V = vocabulary[index];
    const heed_session_options sizes = {.max_source = take_byte(&in) % MAX_SOURCE + 1,
                                        .max_target = take_byte(&in) % (MAX_TARGET - 4) + 5,
                                        .max_beams = take_byte(&in) % MAX_BEAMS + 1,
                                        .max_batch = take_byte(&in) % MAX_BATCH + 1};
    heed_session *s;
    const heed_status expects = index == HUGE_MODEL ? HEED_E_TENSOR_VALUE : HEED_OK;
    result r;
    REQUIRE(heed_session_create(models[index], &sizes, &s) == HEED_OK);
    for (int calls = 0; calls < 64 && in.left > 0; calls++) call(&in, s, models[index], V, &sizes);
    REQUIRE(translate(s, 0, &r) == expects && memcmp(&r, &expected[index], sizeof r) == 0);
    /* without probabilities: the same ids; numbers that overflow are perhaps not noticed */
    const heed_status status = translate(s, 1, &r);
    REQUIRE(status == expects || expects != HEED_OK);
    if (expects == HEED_OK) {
        REQUIRE(r.n == expected[index].n && memcmp(r.ids, expected[index].ids, sizeof r.ids) == 0 && r.log_prob == 0.0f);
    }
    heed_session_free(s);
    return 0;
}
