/*
 * test_shortlist.c - selected ids against a plain loop, what heed_model_set_shortlist() refuses, and searches with a
 * shortlist: the same in any company, whether output rows are copied or not, to the bit what teacher forcing says.
 */
#include <math.h>

#include "check.h"
#include "random_model.h"
#include "results.h"
#include "search/search.h"

enum { V = 61, LARGE_V = 1500, N_SENTENCES = 17, MAX_SOURCE = 9, MAX_TARGET = 20, MAX_IDS = LARGE_V * 200, EOS = 2 };

/* Lists of 0 to `most` ids for each source id. */
typedef struct {
    int32_t offsets[LARGE_V + 1], ids[MAX_IDS];
} lists;

static void make_lists(lists *l, int vocabulary, int most, uint32_t seed) {
    int n = 0;
    for (int i = 0; i < vocabulary; i++) {
        l->offsets[i] = n;
        for (int j = 0; j < i % (most + 1); j++)
            l->ids[n++] = (int32_t)((random_float(&seed) + 1.0f) * 0.5f * (float)vocabulary);
    }
    l->offsets[vocabulary] = n;
}

enum { SHARED_F32, SHARED_I8, SEPARATE_F32, SHARED_FIXED, N_KINDS };

/* Loads int8 numbers, their scale, and a fixed scale for the inputs. */
static void fill_fixed(heed_model *model, int index, uint32_t seed) {
    const float scale = 1.0f / 254.0f, alpha = 127.0f / 4.0f;
    int32_t rows, cols;
    heed_tensor_shape(model, index, &rows, &cols);
    const double dims[2] = {rows, cols}, scale_dims[1] = {rows}, alpha_dims[1] = {1};
    CHECK_INT(heed_tensor_begin(model, index, HEED_WEIGHT, HEED_I8, 2, dims), HEED_OK);
    for (int i = 0; i < rows * cols; i++) {
        const int8_t step = (int8_t)(random_float(&seed) * 127.0f);
        CHECK_INT(heed_tensor_write(model, &step, sizeof step), HEED_OK);
    }
    CHECK_INT(heed_tensor_begin(model, index, HEED_SCALE, HEED_F32, 1, scale_dims), HEED_OK);
    for (int r = 0; r < rows; r++) CHECK_INT(heed_tensor_write(model, &scale, sizeof scale), HEED_OK);
    CHECK_INT(heed_tensor_begin(model, index, HEED_ALPHA, HEED_F32, 1, alpha_dims), HEED_OK);
    CHECK_INT(heed_tensor_write(model, &alpha, sizeof alpha), HEED_OK);
}

static heed_model *make_model(int kind, int vocabulary) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    config_set(config, "vocab_size", vocabulary);
    config_set(config, "decoder_vocab_size", vocabulary);
    config_set(config, "decoder_layers", 1);
    config_set(config, "dtype", kind == SHARED_I8 || kind == SHARED_FIXED ? HEED_I8 : HEED_F32);
    config_set(config, "share_encoder_decoder_embeddings", kind != SEPARATE_F32);
    if (kind != SHARED_FIXED) return random_model(config, n, (uint32_t)kind, 1 << 20);

    heed_model *model;
    config_set(config, "activations", HEED_QUANTIZE_FIXED);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    for (int i = 0; i < heed_tensor_count(model); i++) {
        int32_t rows, cols;
        heed_tensor_shape(model, i, &rows, &cols);
        if (rows > 1) fill_fixed(model, i, (uint32_t)i);
        else CHECK_INT(fill_tensor(model, i, (uint32_t)i, 1 << 20), HEED_OK);
    }
    CHECK_INT(heed_model_finish(model, NULL), HEED_OK);
    return model;
}

/* A model with a shortlist of the first n_lists lists. */
static heed_model *model_with(int kind, int vocabulary, const lists *l, int n_first, int n_lists) {
    heed_model *model = make_model(kind, vocabulary);
    CHECK_INT(heed_model_set_shortlist(model, n_first, l->offsets, n_lists + 1, l->ids, l->offsets[n_lists]), HEED_OK);
    return model;
}

static int make_source(int32_t *ids, int i, int vocabulary) {
    uint32_t seed = (uint32_t)i + 5;
    const int n = 1 + i * 5 % MAX_SOURCE;
    for (int t = 0; t < n; t++) ids[t] = (int32_t)((random_float(&seed) + 1.0f) * 0.5f * (float)vocabulary);
    ids[n - 1] = EOS;
    return n;
}

/* The definition: id by id. */
static int select_plainly(int32_t *out, const lists *l, int n_first, int n_lists, int is_shared, const int32_t *source,
                          int n, const int32_t *more, int n_more) {
    int wanted[V] = {0}, total = 0, n_out = 0;
    for (int id = 0; id < n_first; id++) wanted[id] = 1;
    for (int i = 0; i < n; i++) {
        if (is_shared) wanted[source[i]] = 1;
        for (int j = source[i] < n_lists ? l->offsets[source[i]] : 0;
             source[i] < n_lists && j < l->offsets[source[i] + 1]; j++)
            wanted[l->ids[j]] = 1;
    }
    for (int i = 0; i < n_more; i++) wanted[more[i]] = 1;
    for (int id = 0; id < V; id++) total += wanted[id];
    for (int id = n_first; id < V && total % 8 != 0; id++) {
        total += !wanted[id];
        wanted[id] = 1;
    }
    for (int id = 0; id < V; id++)
        if (wanted[id]) out[n_out++] = id;
    return n_out;
}

static lists l;

static void test_select(int kind) {
    static const int FIRST[] = {0, 1, 7, 8, 30, 60, V}, N_LISTS[] = {0, 20, V - 1, V};
    static const int32_t MORE[3] = {60, 3, 41};
    int32_t source[MAX_SOURCE], want[V], got[V + 1], n_got;
    make_lists(&l, V, 5, 3);
    for (int a = 0; a < 7; a++) {
        for (int b = 0; b < 4; b++) {
            heed_model *model = model_with(kind, V, &l, FIRST[a], N_LISTS[b]);
            for (int i = 0; i < N_SENTENCES; i++) {
                const int n = make_source(source, i, V), n_more = i % 4;
                const int n_want = select_plainly(want, &l, FIRST[a], N_LISTS[b], kind != SEPARATE_F32, source, n,
                                                  MORE, n_more);
                got[V] = -7;
                CHECK_INT(heed_model_select(model, source, n, MORE, n_more, got, &n_got), HEED_OK);
                CHECK_INT(n_got, n_want);
                CHECK(memcmp(got, want, (size_t)n_want * sizeof *want) == 0);
                CHECK_INT(got[V], -7);
                CHECK(n_got % 8 == 0 || n_got == V);
            }
            heed_model_free(model);
        }
    }
    heed_model *without = make_model(kind, V);
    CHECK_INT(heed_model_select(without, MORE, 3, NULL, 0, got, &n_got), HEED_OK);
    CHECK_INT(n_got, V);
    for (int id = 0; id < V; id++) CHECK_INT(got[id], id);
    heed_model_free(without);
}

static void test_refused(void) {
    const struct {
        int n_first, n_offsets, n_ids;
        int32_t offsets[3], ids[3];
        heed_status want;
    } CASES[] = {
        {-1, 3, 3, {0, 1, 3}, {4, 0, 5}, HEED_E_ARGUMENT},  {V + 1, 3, 3, {0, 1, 3}, {4, 0, 5}, HEED_E_ARGUMENT},
        {9, 0, 0, {0}, {0}, HEED_E_ARGUMENT},               {9, 1, 0, {1}, {0}, HEED_E_ARGUMENT},
        {9, -1, 0, {0}, {0}, HEED_E_ARGUMENT},              {9, V + 2, 3, {0, 1, 3}, {4, 0, 5}, HEED_E_ARGUMENT},
        {9, 3, 3, {1, 1, 3}, {4, 0, 5}, HEED_E_ARGUMENT},   {9, 3, 3, {0, 4, 3}, {4, 0, 5}, HEED_E_ARGUMENT},
        {9, 3, 3, {0, -1, 3}, {4, 0, 5}, HEED_E_ARGUMENT},  {9, 3, 2, {0, 1, 3}, {4, 0, 5}, HEED_E_ARGUMENT},
        {9, 3, -1, {0, 1, -1}, {4, 0, 5}, HEED_E_ARGUMENT}, {9, 3, 3, {0, 1, 3}, {4, V, 5}, HEED_E_ID},
        {9, 3, 3, {0, 1, 3}, {-1, 0, 5}, HEED_E_ID},        {V, 3, 3, {0, 1, 3}, {4, 0, 5}, HEED_OK},
        {9, 3, 3, {0, 1, 3}, {4, 0, 5}, HEED_E_STATE}, /* it has one */
    };
    static const int32_t IDS[] = {4, 0, V - 1}, OUTSIDE[] = {V}, NEGATIVE[] = {-1};
    heed_model *model = make_model(SHARED_F32, V);
    int32_t out[V], n_out = 5;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        CHECK_INT(heed_model_set_shortlist(model, CASES[i].n_first, CASES[i].offsets, CASES[i].n_offsets, CASES[i].ids,
                                           CASES[i].n_ids),
                  CASES[i].want);
    }
    CHECK_INT(heed_model_select(model, IDS, 0, IDS, 0, out, &n_out), HEED_E_LENGTH);
    CHECK_INT(n_out, 0);
    CHECK_INT(heed_model_select(model, IDS, 3, IDS, -1, out, &n_out), HEED_E_LENGTH);
    CHECK_INT(heed_model_select(model, OUTSIDE, 1, IDS, 0, out, &n_out), HEED_E_ID);
    CHECK_INT(heed_model_select(model, IDS, 3, NEGATIVE, 1, out, &n_out), HEED_E_ID);
    heed_model_free(model);
}

/* All sentences, `batch` at a time at most. */
static void translate(const heed_model *model, const heed_search_options *rules, int batch, int vocabulary,
                      result out[N_SENTENCES]) {
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, rules->beams, batch};
    int32_t sources[N_SENTENCES][MAX_SOURCE];
    int lengths[N_SENTENCES];
    for (int i = 0; i < N_SENTENCES; i++) lengths[i] = make_source(sources[i], i, vocabulary);
    results_of(model, &options, rules, sources[0], lengths, N_SENTENCES, out);
}

static int contains(const int32_t *ids, int n, int32_t id) {
    for (int i = 0; i < n; i++)
        if (ids[i] == id) return 1;
    return 0;
}

/*
 * Each result is of selected ids, and its log-probability that of teacher forcing among them, to the bit.  Returns how
 * many sentences select more ids than one sentence has output rows.
 */
static int check_forced(const heed_model *model, const heed_search_options *rules, const result results[N_SENTENCES]) {
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 1, 1};
    heed_session *session;
    int32_t source[MAX_SOURCE], n_selected;
    static int32_t selected[LARGE_V];
    static float all[LARGE_V], log_probs[MAX_TARGET];
    int n_large = 0;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_forward_shortlist(session), HEED_E_STATE);
    for (int i = 0; i < N_SENTENCES; i++) {
        const result *r = &results[i];
        const int n = make_source(source, i, LARGE_V);
        double sum = 0.0;
        float log_prob;
        CHECK_INT(heed_model_select(model, source, n, rules->prefix, rules->n_prefix, selected, &n_selected), HEED_OK);
        CHECK(n_selected < LARGE_V);
        n_large += n_selected > OUTPUT_ROWS;
        CHECK_INT(heed_forward(session, source, n, r->ids, r->n), HEED_OK);
        memcpy(all, heed_forward_logits(session, r->n - 1, &log_prob), sizeof all);
        CHECK_INT(heed_forward_shortlist(session), HEED_OK);
        const float *last = heed_forward_logits(session, r->n - 1, &log_prob);
        for (int id = 0; id < LARGE_V; id++)
            CHECK(last[id] == (contains(selected, n_selected, id) ? all[id] : -INFINITY));
        CHECK_INT(heed_forward_log_probs(session, r->n, log_probs), HEED_OK);
        for (int t = 0; t < r->n; t++) {
            CHECK(contains(selected, n_selected, r->ids[t]));
            heed_forward_logits(session, t, &log_prob);
            CHECK(log_probs[t] == log_prob);
            if (t >= rules->n_prefix) sum += log_prob;
        }
        CHECK((float)sum == r->log_prob);
    }
    heed_session_free(session);
    return n_large;
}

/*
 * A sentence that selects more than OUTPUT_ROWS has output rows, and others wait for theirs.  Some ids, all of them
 * selected, end sentences at different times, so that free rows lie between others.  In the last variants the lists are
 * short and the rules ask for so many ids that a sentence has no output rows alone, but has in a batch.
 */
static void test_search(int kind) {
    enum { N_EOS = 50, N_FORCED = 900 };
    static const int32_t PREFIX[2] = {1357, 9};
    static const int BATCHES[] = {2, 3, 4, 6, 8, N_SENTENCES};
    static result alone[N_SENTENCES], got[N_SENTENCES];
    static int32_t eos[N_EOS], forced[N_FORCED];
    for (int i = 0; i < N_EOS; i++) eos[i] = 2 + 3 * i;
    for (int i = 0; i < N_FORCED; i++) forced[i] = LARGE_V - 1 - i;
    for (int variant = 0; variant < 6; variant++) {
        const int has_forced = variant >= 4;
        make_lists(&l, LARGE_V, has_forced ? 9 : 99, 9);
        heed_model *model = model_with(kind, LARGE_V, &l, 155, LARGE_V);
        heed_search_options rules = {.beams = variant % 2 ? 3 : 1, .max_tokens = 12, .length_penalty = 1.0f};
        rules.shortlist = 1;
        rules.eos = eos;
        rules.n_eos = N_EOS;
        if (variant == 2 || variant == 3) {
            rules.prefix = PREFIX;
            rules.n_prefix = 2;
        }
        if (has_forced) {
            rules.forced_bos = forced;
            rules.n_forced_bos = N_FORCED;
        }
        translate(model, &rules, 1, LARGE_V, alone);
        if (!has_forced) {
            const int n_large = check_forced(model, &rules, alone);
            CHECK(n_large > 2 && n_large < N_SENTENCES - 2);
        }
        for (size_t i = 0; i < sizeof BATCHES / sizeof BATCHES[0]; i++) {
            translate(model, &rules, BATCHES[i], LARGE_V, got);
            CHECK(memcmp(alone, got, sizeof got) == 0);
        }
        heed_model_free(model);
    }
}

/* Of n sentences with the same source, so many begin in the first step, each with so many output rows. */
static void check_begun(const heed_model *model, const heed_search_options *rules, const int32_t *source, int n,
                        int want_running, int want_outputs) {
    heed_run run = {0};
    heed_search search = {0};
    heed_arena arena = {0};
    void *block = NULL;
    int running = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass > 0) block = arena_block(&arena);
        run_layout(&run, &arena, model, MAX_SOURCE * n, MAX_TARGET, (MAX_SOURCE + MAX_TARGET) * n);
        search_layout(&search, &arena, &run, MAX_SOURCE, MAX_TARGET, 1, n);
    }
    if (!CHECK(block != NULL)) return;
    search_begin(&search);
    CHECK(search_rules(&search, rules));
    for (int i = 0; i < n; i++) CHECK_INT(search_add(&search, source, MAX_SOURCE), i);
    CHECK_INT(search_step(&search), n);
    for (int i = 0; i < n; i++) {
        if (search.batch[i].state != ROW_RUNNING) continue;
        CHECK_INT(search.batch[i].n_outputs, want_outputs);
        running++;
    }
    CHECK_INT(running, want_running);
    search_end(&search);
    arena_free_block(block);
}

/*
 * There are OUTPUT_ROWS for each sentence, and at least as many as the source that selects the most needs, with the
 * longest prefix.  Here nothing is selected twice: 8 first ids, 900 of lists, 9 of the source, and 19 of the prefix.
 */
static void test_output_rows(void) {
    enum { LIST = 100, N_FIRST = 8, MOST = 936, N_PREFIX = MAX_TARGET - 1, N_FORCED = 1000, WITH_FORCED = 1424 };
    static int32_t forced[N_FORCED];
    int32_t source[MAX_SOURCE], prefix[N_PREFIX];
    for (int i = 0; i <= LARGE_V; i++) l.offsets[i] = LIST * i;
    for (int i = 0; i < LIST * LARGE_V; i++) l.ids[i] = N_FIRST + i % (LIST * MAX_SOURCE);
    for (int i = 0; i < MAX_SOURCE; i++) source[i] = N_FIRST + LIST * MAX_SOURCE + 1 + i;
    for (int i = 0; i < N_PREFIX; i++) prefix[i] = LARGE_V - N_PREFIX + i;
    for (int i = 0; i < N_FORCED; i++) forced[i] = 400 + i;
    heed_model *model = model_with(SHARED_I8, LARGE_V, &l, N_FIRST, LARGE_V);
    heed_search_options rules = {.beams = 1, .max_tokens = 1, .length_penalty = 1.0f, .shortlist = 1};
    rules.prefix = prefix;
    rules.n_prefix = N_PREFIX;
    for (int n = 1; n <= 8; n++) {
        const int fit = n * OUTPUT_ROWS / MOST;
        check_begun(model, &rules, source, n, fit > 1 ? fit : 1, MOST);
    }
    /* more than there is for one: all logits are computed, unless a batch has the rows */
    rules.forced_eos = forced;
    rules.n_forced_eos = N_FORCED;
    check_begun(model, &rules, source, 1, 1, 0);
    const int enough = (WITH_FORCED + OUTPUT_ROWS - 1) / OUTPUT_ROWS;
    check_begun(model, &rules, source, enough - 1, enough - 1, 0);
    check_begun(model, &rules, source, enough, 1, WITH_FORCED);
    heed_model_free(model);
}

/* With all ids, and with rules that do not want it, it is as if there were none. */
static void test_all(int kind) {
    static result plain[N_SENTENCES], got[N_SENTENCES];
    const int32_t none = 0;
    for (int vocabulary = V; vocabulary <= LARGE_V; vocabulary += LARGE_V - V) {
        heed_model *all = make_model(kind, vocabulary), *few = make_model(kind, vocabulary);
        heed_model *without = make_model(kind, vocabulary);
        CHECK_INT(heed_model_set_shortlist(all, vocabulary, &none, 1, NULL, 0), HEED_OK);
        CHECK_INT(heed_model_set_shortlist(few, 8, &none, 1, NULL, 0), HEED_OK);
        for (int beams = 1; beams <= 4; beams += 3) {
            heed_search_options rules = {.beams = beams, .max_tokens = 12, .length_penalty = 1.0f};
            rules.no_repeat_ngram = 3;
            rules.repetition_penalty = 1.2f;
            rules.shortlist = 1;
            translate(without, &rules, 4, vocabulary, plain);
            translate(all, &rules, 4, vocabulary, got);
            CHECK(memcmp(plain, got, sizeof got) == 0);
            translate(all, &rules, 1, vocabulary, got);
            CHECK(memcmp(plain, got, sizeof got) == 0);
            translate(few, &rules, 4, vocabulary, got);
            CHECK(memcmp(plain, got, sizeof got) != 0);
            rules.shortlist = 0;
            translate(few, &rules, 4, vocabulary, got);
            CHECK(memcmp(plain, got, sizeof got) == 0);
        }
        heed_model_free(all);
        heed_model_free(few);
        heed_model_free(without);
    }
}

/* Sentences with and without one in the same batch; forced ids that no list has; rules for ids without a score. */
static void test_rules(int kind) {
    enum { BATCH = 4 };
    static const int32_t FORCED[1] = {58}, BAD[4] = {1, 59, 1, 0};
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 2, BATCH};
    const int32_t none = 0;
    int32_t source[MAX_SOURCE], row, running = 1;
    heed_session *before, *session;
    heed_hypothesis h;
    heed_model *model = make_model(kind, V);
    const heed_search_options plain = {.beams = 2, .max_tokens = 12, .length_penalty = 1.0f};
    heed_search_options rules = plain;
    rules.shortlist = 1;
    rules.forced_bos = rules.forced_eos = FORCED;
    rules.n_forced_bos = rules.n_forced_eos = 1;
    rules.bad_words = BAD;
    rules.n_bad_words = 4;
    rules.repetition_penalty = 2.0f;
    rules.suppress = BAD + 1;
    rules.n_suppress = 1;
    CHECK_INT(heed_session_create(model, &options, &before), HEED_OK);
    CHECK_INT(heed_model_set_shortlist(model, 8, &none, 1, NULL, 0), HEED_OK);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_search_begin(session, &plain), HEED_OK);
    for (int i = 0; i < BATCH; i++) {
        const int n = make_source(source, i, V);
        CHECK_INT(heed_search_rules(session, i % 2 ? &rules : &plain), HEED_OK);
        CHECK_INT(heed_search_add(session, source, n, &row), HEED_OK);
    }
    while (running > 0) CHECK_INT(heed_search_step(session, &running), HEED_OK);
    for (int i = 1; i < BATCH; i += 2) {
        const int n = make_source(source, i, V);
        CHECK_INT(heed_search_hypothesis(session, i, 0, &h), HEED_OK);
        CHECK(h.n > 0 && h.ids[0] == FORCED[0]);
        for (int t = 0; t < h.n; t++)
            CHECK(h.ids[t] != 0 && (h.ids[t] < 16 || h.ids[t] == FORCED[0] || contains(source, n, h.ids[t])));
    }
    heed_session_free(session);

    /* a session that was there before the shortlist goes on without */
    float with, without;
    CHECK_INT(heed_search_begin(before, &rules), HEED_OK);
    CHECK_INT(heed_search_add(before, source, 1, &row), HEED_OK);
    CHECK_INT(heed_search_step(before, &running), HEED_OK);
    heed_search_end(before);
    CHECK_INT(heed_forward(before, source, 1, source, 1), HEED_OK);
    heed_forward_logits(before, 0, &without);
    CHECK_INT(heed_forward_shortlist(before), HEED_OK);
    heed_forward_logits(before, 0, &with);
    CHECK(with == without);
    heed_session_free(before);
    heed_model_free(model);
}

int main(void) {
    for (int kind = 0; kind < N_KINDS; kind++) {
        test_select(kind);
        test_search(kind);
        test_all(kind);
        test_rules(kind);
    }
    test_output_rows();
    test_refused();
    return check_summary("shortlist");
}
