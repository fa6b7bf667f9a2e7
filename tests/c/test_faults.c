/*
 * test_faults.c - every allocation fails once: the first of a task, the second, ... until the task needs no more.
 *
 * A task is a fresh load, a translation, a text, a training.  With any of its allocations failing it ends with
 * HEED_E_MEMORY and nothing allocated that was not before; run again, it gives the result of a run without a fault.
 * As in test_alloc.c, arena.c is compiled here with a malloc of its own.
 */
#include <stdlib.h>

static long n_allocated, n_live, fail_at; /* fail_at: 0: never */

static void *failing_malloc(size_t n) {
    void *p = ++n_allocated == fail_at ? NULL : malloc(n);
    n_live += p != NULL;
    return p;
}

static void counting_free(void *p) {
    n_live -= p != NULL;
    free(p);
}

#define malloc failing_malloc
#define free   counting_free
#include "base/arena.c"
#undef malloc
#undef free

#include "check.h"
#include "random_model.h"
#include "spm_writer.h"
#include "train/adam.h"
#include "train/trainer.h"

/* What a task computed, to be compared bit by bit: floats, ids, texts. */
typedef struct {
    unsigned char bytes[1 << 16];
    size_t n;
} result;

static void note(result *r, const void *bytes, size_t n) {
    if (!CHECK(r->n + n <= sizeof r->bytes)) return;
    memcpy(r->bytes + r->n, bytes, n);
    r->n += n;
}

typedef heed_status task(result *r);

/*
 * Run `f` with its n-th allocation failing, for every n there is, each time on objects that live on.
 *   fewest  allocations the task is known to make: were it fewer, the test would pass by testing nothing
 */
static void check_faults(const char *name, task *f, long fewest) {
    static result expected, again;
    expected.n = 0;
    fail_at = n_allocated = 0;
    CHECK_INT(f(&expected), HEED_OK);
    const long needed = n_allocated, live = n_live;
    if (!CHECK(needed >= fewest)) printf("    %s: %ld allocations\n", name, needed);
    for (long n = 1; n <= needed; n++) {
        again.n = n_allocated = 0;
        fail_at = n;
        CHECK_INT(f(&again), HEED_E_MEMORY);
        CHECK_INT(n_live, live);
        again.n = n_allocated = 0;
        fail_at = 0;
        CHECK_INT(f(&again), HEED_OK);
        CHECK_INT(n_live, live);
        if (!CHECK(again.n == expected.n && memcmp(again.bytes, expected.bytes, again.n) == 0))
            printf("    %s: another result after allocation %ld failed\n", name, n);
    }
    printf("%s: each of %ld allocations failed\n", name, needed);
}

/* For calls that make the first thing of a task, or nothing that stays. */
#define TRY(call)                               \
    do {                                        \
        const heed_status status_ = (call);     \
        if (status_ != HEED_OK) return status_; \
    } while (0)

/* ------------------------------------------------------------------------------------ model */

enum { V = 61, D = 24, TOKENS = 4 };
static const int32_t SOURCE[TOKENS] = {8, 9, 10, 2}, TARGET[TOKENS] = {11, 12, 13, 2};

static heed_model *model; /* of the tasks that come after loading */
static int dtype;

/* All weights, in pieces of 1,000 bytes, then one row of each tensor. */
static heed_status load_model(result *r) {
    int32_t config[MAX_CONFIG], rows, cols;
    float row[V];
    heed_model *m;
    const int n = default_config(config);
    config_set(config, "dtype", dtype);
    const heed_status status = heed_model_create(config, n, &m, NULL);
    CHECK((m == NULL) == (status != HEED_OK));
    if (status != HEED_OK) return status;
    for (int i = 0; i < heed_tensor_count(m); i++) {
        CHECK_INT(fill_tensor(m, i, (uint32_t)i, 1000), HEED_OK);
        heed_tensor_shape(m, i, &rows, &cols);
        CHECK(cols <= V);
        CHECK_INT(heed_tensor_row(m, i, rows - 1, row), HEED_OK);
        note(r, row, (size_t)cols * sizeof *row);
    }
    CHECK_INT(heed_model_finish(m, NULL), HEED_OK);
    const int32_t offsets[3] = {0, 1, 2};
    int32_t selected[V], n_selected;
    const heed_status shortlisted = heed_model_set_shortlist(m, 8, offsets, 3, SOURCE, 2);
    CHECK_INT(heed_model_select(m, SOURCE, 1, NULL, 0, selected, &n_selected), HEED_OK);
    CHECK_INT(n_selected, shortlisted == HEED_OK ? 16 : V);
    const heed_status counted = add_ngram(m);
    CHECK_INT(add_ngram(m), counted == HEED_OK ? HEED_E_STATE : HEED_OK);
    heed_model_free(m);
    return shortlisted == HEED_OK ? counted : shortlisted;
}

/* Three sentences at once, with so many beams. */
static heed_status translate(result *r, int beams) {
    const heed_session_options sizes = {16, 32, 4, 3};
    const int32_t ends[2] = {2, 7}, never[1] = {5};
    const heed_search_options rules = {.beams = beams,
                                       .max_tokens = 24,
                                       .length_penalty = 1.0f,
                                       .no_repeat_ngram = 3,
                                       .repetition_penalty = 1.2f,
                                       .n_eos = 2,
                                       .eos = ends,
                                       .n_forced_eos = 1,
                                       .forced_eos = ends,
                                       .n_suppress = 1,
                                       .suppress = never,
                                       .renormalize = 1};
    int32_t running, row;
    heed_hypothesis h;
    heed_session *s;
    const heed_status status = heed_session_create(model, &sizes, &s);
    CHECK((s == NULL) == (status != HEED_OK));
    if (status != HEED_OK) return status;
    CHECK_INT(heed_search_begin(s, &rules), HEED_OK);
    for (int i = 0; i < 3; i++) CHECK_INT(heed_search_add(s, SOURCE + i, TOKENS - i, &row), HEED_OK);
    do CHECK_INT(heed_search_step(s, &running), HEED_OK);
    while (running);
    for (row = heed_search_finished(s); row >= 0; row = heed_search_finished(s)) {
        for (int rank = 0; rank < heed_search_hypotheses(s, row); rank++) {
            CHECK_INT(heed_search_hypothesis(s, row, rank, &h), HEED_OK);
            note(r, h.ids, (size_t)h.n * sizeof *h.ids);
            note(r, &h.score, sizeof h.score);
        }
        CHECK_INT(heed_search_release(s, row), HEED_OK);
    }
    heed_session_free(s);
    return HEED_OK;
}

static heed_status translate_greedily(result *r) { return translate(r, 1); }
static heed_status translate_with_beams(result *r) { return translate(r, 4); }

/* Encoder output, all attention maps and logits of a pass, and what inspection shows of it. */
static heed_status look_inside(result *r) {
    enum { MAPS = (2 * 3 + 2 * 3 * 4) * TOKENS * TOKENS };
    static float maps[MAPS], out[TOKENS * D + 4 * TOKENS * TOKENS + TOKENS * 33];
    const int32_t wanted[3] = {point_named(model, "encoder.layers.1.self_attn.q"),
                               point_named(model, "decoder.layers.2.encoder_attn.scores"),
                               point_named(model, "decoder.layers.0.fc1")};
    const heed_session_options sizes = {TOKENS, TOKENS, 1, 1};
    float hidden[TOKENS * D], log_prob;
    heed_session *s;
    TRY(heed_session_create(model, &sizes, &s));
    CHECK_INT(heed_encode(s, SOURCE, TOKENS, hidden), HEED_OK);
    note(r, hidden, sizeof hidden);
    CHECK_INT(forward_maps(s, model, SOURCE, TOKENS, TARGET, TOKENS, maps, MAPS), HEED_OK);
    note(r, maps, sizeof maps);
    for (int t = 0; t < TOKENS; t++) {
        note(r, heed_forward_logits(s, t, &log_prob), V * sizeof(float));
        note(r, &log_prob, sizeof log_prob);
    }
    CHECK_INT(heed_inspect(s, SOURCE, TOKENS, TARGET, TOKENS, wanted, 3, out, sizeof out / sizeof *out), HEED_OK);
    note(r, out, sizeof out);
    heed_session_free(s);
    return HEED_OK;
}

/* ------------------------------------------------------------------------------------- text */

static message spm;
static heed_tokenizer *tokenizer; /* of check_growth(), whose texts are ever longer */
static size_t text_bytes;

static heed_status load_tokenizer(result *r) {
    heed_tokenizer *t;
    heed_encoding e;
    const heed_status status = create(&spm, spm.n, &t, NULL);
    CHECK((t == NULL) == (status != HEED_OK));
    if (status != HEED_OK) return status;
    CHECK_INT(heed_tokenizer_encode(t, "ab a b", 6, &e), HEED_OK);
    note(r, e.ids, (size_t)e.n * sizeof *e.ids);
    heed_tokenizer_free(t);
    return HEED_OK;
}

/* A text longer than any before: the tokenizer takes more room, once for pieces and once for text. */
static heed_status encode_long(result *r) {
    static char text[1 << 19], copy[1 << 12];
    heed_encoding e;
    for (size_t i = 0; i < text_bytes; i++) text[i] = "ab a"[i % 4];
    const heed_status status = heed_tokenizer_encode(tokenizer, text, text_bytes, &e);
    CHECK((e.ids == NULL) == (status != HEED_OK) && (status == HEED_OK || e.n == 0));
    if (status != HEED_OK) return status;
    note(r, &e.n, sizeof e.n);
    memcpy(copy, e.normalized, sizeof copy); /* the whole would not fit a result */
    note(r, copy, sizeof copy);
    note(r, e.ids, sizeof copy);
    return HEED_OK;
}

static heed_status decode_long(result *r) {
    static char pieces[1 << 19];
    static int32_t lengths[1 << 18];
    const char *text;
    size_t length;
    const int n = (int)(text_bytes / 2);
    for (int i = 0; i < n; i++) {
        memcpy(pieces + 2 * i, "ab", 2);
        lengths[i] = 2;
    }
    const heed_status status = heed_tokenizer_decode(tokenizer, pieces, lengths, n, &text, &length);
    CHECK((text == NULL) == (status != HEED_OK));
    if (status != HEED_OK) return status;
    note(r, &length, sizeof length);
    note(r, text, 1000);
    return HEED_OK;
}

/*
 * A tokenizer keeps the room it once took, so each text fails once, twice as long as the one before, and the tokenizer
 * serves texts it has room for in between.
 */
static void check_growth(const char *name, task *f) {
    static result once, twice;
    heed_encoding e;
    fail_at = 0;
    if (!CHECK_INT(create(&spm, spm.n, &tokenizer, NULL), HEED_OK)) return;
    text_bytes = 1 << 13;
    for (int i = 0; i < 3; i++, text_bytes *= 2) {
        const long live = n_live;
        once.n = twice.n = n_allocated = 0;
        fail_at = 1;
        CHECK_INT(f(&once), HEED_E_MEMORY);
        CHECK_INT(n_allocated, 1);
        CHECK_INT(n_live, live);
        CHECK_INT(heed_tokenizer_encode(tokenizer, "ab a b", 6, &e), HEED_OK);
        CHECK_INT(e.n, 5);
        fail_at = 0;
        once.n = 0;
        CHECK_INT(f(&once), HEED_OK);
        CHECK_INT(f(&twice), HEED_OK);
        CHECK_INT(n_allocated, 2); /* the second time there was room */
        CHECK_INT(n_live, live);
        CHECK(once.n == twice.n && memcmp(once.bytes, twice.bytes, once.n) == 0);
    }
    heed_tokenizer_free(tokenizer);
    printf("%s: the tokenizer outlived 3 failures to grow\n", name);
}

static heed_status hash(result *r) {
    heed_sha256 *sha;
    uint8_t digest[32];
    TRY(heed_sha256_create(&sha));
    heed_sha256_update(sha, spm.bytes, (int32_t)spm.n);
    heed_sha256_end(sha, digest);
    note(r, digest, sizeof digest);
    heed_sha256_free(sha);
    return HEED_OK;
}

/* --------------------------------------------------------------------------------- the rest */

static heed_status attend(result *r) {
    static float x[6 * 8], w[8 * 8], weights[2 * 6 * 6], out[6 * 8];
    uint32_t seed = 5;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = random_float(&seed);
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) w[i] = random_float(&seed);
    TRY(heed_op_multi_head_attention(weights, out, x, x, w, w, w, w, 6, 6, 8, 2, 0));
    note(r, weights, sizeof weights);
    note(r, out, sizeof out);
    TRY(heed_op_feed_forward(out, x, w, w, w, w, 6, 8, 8, HEED_GELU));
    note(r, out, sizeof out);
    TRY(heed_op_matmul(out, x, w, 6, 8, 8));
    note(r, out, sizeof out);
    return HEED_OK;
}

/* Two steps with dropout, then the weights. */
static heed_status train(result *r) {
    static const heed_train_options OPTIONS = {.learning_rate = 0.01f,
                                               .dropout = 0.1f,
                                               .schedule = SCHEDULE_CONSTANT,
                                               .seed = 7,
                                               .model_seed = 3,
                                               .max_tokens = 16};
    static const int32_t IDS[] = {8, 9, 10, 2, 11, 12, 2, 5, 2, 6, 7, 2}, LENGTHS[] = {4, 3, 2, 3};
    static float values[V * D];
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    heed_trainer *t;
    heed_train_result step;
    const heed_status status = heed_trainer_create(config, n, &OPTIONS, &t, NULL);
    CHECK((t == NULL) == (status != HEED_OK));
    if (status != HEED_OK) return status;
    for (int i = 0; i < 2; i++) CHECK_INT(heed_trainer_step(t, IDS, LENGTHS, 2, &step), HEED_OK);
    note(r, &step.loss, sizeof step.loss);
    CHECK_INT(heed_trainer_get_values(t, 0, HEED_TRAIN_WEIGHTS, values, V * D), HEED_OK);
    note(r, values, sizeof values);
    heed_trainer_free(t);
    return HEED_OK;
}

int main(void) {
    int32_t config[MAX_CONFIG];
    for (dtype = HEED_F32; dtype <= HEED_I8; dtype += HEED_I8 - HEED_F32) {
        const int n = default_config(config);
        config_set(config, "dtype", dtype);
        check_faults("a model's weights", load_model, 3);
        fail_at = 0;
        model = random_model(config, n, 1, 4096);
        if (!CHECK(model != NULL)) return check_summary("faults");
        check_faults("greedy", translate_greedily, 1);
        check_faults("four beams", translate_with_beams, 1);
        check_faults("maps, logits, inspection", look_inside, 1);
        heed_model_free(model);
    }

    static const uint32_t UNITS[] = {1u << 10, 0x80000000u}; /* a trie of no rules; its root is state 1 */
    for (int type = 1; type <= 2; type++) {
        put_small_model(&spm, type);
        put_charsmap(&spm, sizeof UNITS, UNITS, 2, "", 1);
        check_faults("a tokenizer", load_tokenizer, 6);
        check_growth("encoding", encode_long);
        check_growth("decoding", decode_long);
    }
    check_faults("a hash", hash, 1);
    check_faults("operations", attend, 1);
    check_faults("training", train, 2);
    CHECK_INT(n_live, 0);
    return check_summary("faults");
}
