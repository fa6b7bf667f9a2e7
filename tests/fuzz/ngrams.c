/*
 * ngrams.c - any bytes as n-grams: those that heed_model_set_ngrams() accepts are a tree whose lists are sorted.  What
 * they add to the scores of a target is what a plain walk over its contexts says.
 */
#include <math.h>
#include <string.h>

#include "../c/random_model.h"
#include "base/arena.h"
#include "input.h"
#include "model/model.h"
#include "search/search.h"

enum { N_MODELS = 3, MAX_V = 33, MOST = 6 };

static const int SIZES[N_MODELS] = {3, 8, MAX_V};

/* One for all inputs: to make one takes longer than what is tried with it. */
static heed_model *model_of(int index) {
    static heed_model *models[N_MODELS];
    if (models[index]) return models[index];
    int32_t config[MAX_CONFIG];
    heed_model *model;
    const int n = smallest_config(config);
    config_set(config, "decoder_attention_heads", 1);
    config_set(config, "vocab_size", SIZES[index]);
    config_set(config, "decoder_vocab_size", SIZES[index]);
    REQUIRE(heed_model_create(config, n, &model, NULL) == HEED_OK);
    return models[index] = model;
}

/* The lists are sorted and within the vocabulary, and an n-gram's last ids are one without its first. */
static void check_tree(const struct heed_ngrams *ngrams) {
    for (int at = 0; at < NGRAM_LEVELS; at++) {
        const ngram_level *level = &ngrams->levels[at];
        REQUIRE(level->n_contexts == (at ? ngrams->levels[at - 1].n : ngrams->n_ids + 1));
        REQUIRE(level->starts[0] == 0 && level->starts[level->n_contexts] == level->n);
        for (int c = 0; c < level->n_contexts; c++) {
            const int start = level->starts[c], end = level->starts[c + 1];
            REQUIRE(start <= end && (start < end || level->backoffs[c] == 0));
            for (int i = start; i < end; i++) {
                REQUIRE(level->ids[i] < ngrams->n_ids && (i == start || level->ids[i - 1] < level->ids[i]));
                if (at == 0) continue;
                const int shorter = level->shorter[i];
                REQUIRE(shorter >= 0 && shorter < ngrams->levels[at - 1].n);
                REQUIRE(ngrams->levels[at - 1].ids[shorter] == level->ids[i]);
            }
        }
    }
}

/* Where an n-gram [n + 1] is on its level, by looking at each, or -1. */
static int find_plainly(const struct heed_ngrams *ngrams, const int32_t *ids, int n) {
    const int context = n == 1 ? ids[0] : find_plainly(ngrams, ids, n - 1);
    const ngram_level *level = &ngrams->levels[n - 1];
    if (context < 0) return -1;
    for (int i = level->starts[context]; i < level->starts[context + 1]; i++)
        if (level->ids[i] == ids[n]) return i;
    return -1;
}

/* What an id gains after a target [n], in quarters. */
static int gain_plainly(const struct heed_ngrams *ngrams, const int32_t *target, int n, int32_t id) {
    int backoff = 0;
    for (int k = n + 1 < NGRAM_LEVELS ? n + 1 : NGRAM_LEVELS; k > 0; k--) {
        int32_t gram[NGRAM_LEVELS + 1];
        for (int i = 0; i < k; i++) gram[i] = n - k + i < 0 ? ngrams->n_ids : target[n - k + i];
        gram[k] = id;
        const int at = find_plainly(ngrams, gram, k);
        const int context = k == 1 ? gram[0] : find_plainly(ngrams, gram, k - 1);
        if (at >= 0) return ngrams->levels[k - 1].gains[at] - backoff;
        if (context >= 0) backoff += ngrams->levels[k - 1].backoffs[context];
    }
    return -backoff;
}

static void use(const struct heed_ngrams *ngrams, input *in) {
    const int n = take_byte(in) % MOST, V = ngrams->n_ids;
    int32_t ids[MOST];
    float scores[MAX_V] = {0}, before[MAX_V];
    heed_gains gains;
    for (int i = 0; i < n; i++) ids[i] = take_byte(in) % V;
    const heed_target target = {.ids = ids, .n_ids = n};
    gains_begin(&gains, ngrams, 1.0f, &target);
    for (int id = 0; id < V; id++) before[id] = -1.0f;
    gains_raise(&gains, &(heed_scores){scores, NULL, V}, before);
    for (int id = 0; id < V; id++) { /* quarters: exact */
        double raised;
        const int is_listed = gains_find(&gains, id, &raised);
        REQUIRE((double)scores[id] == raised && before[id] == (is_listed ? 0.0f : -1.0f));
        REQUIRE(gains_all(&gains) + raised == 0.25 * gain_plainly(ngrams, ids, n, id));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char MAGIC[4] = {'N', 'G', 'R', '1'};
    input in = {data, size}, targets;
    const int way = take_byte(&in), V = SIZES[way % N_MODELS];
    size_t n_used = (size_t)take_byte(&in) % 16, n_bytes = size;
    const char *used = take_bytes(&in, &n_used), *rest = take_bytes(&in, &n_bytes);
    const size_t n_head = way & 128 ? 0 : sizeof MAGIC + 1; /* mostly the right beginning */
    heed_model *model = model_of(way % N_MODELS);
    char *bytes = malloc(n_head + n_bytes); /* a read beyond its end is seen */
    REQUIRE(bytes != NULL || n_head + n_bytes == 0);
    if (n_head) {
        memcpy(bytes, MAGIC, sizeof MAGIC);
        bytes[sizeof MAGIC] = (char)V;
    }
    if (n_bytes) memcpy(bytes + n_head, rest, n_bytes);
    const heed_status status = heed_model_set_ngrams(model, bytes, n_head + n_bytes);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT);
    REQUIRE((model->ngrams != NULL) == (status == HEED_OK));
    if (status == HEED_OK) {
        REQUIRE(heed_model_set_ngrams(model, bytes, n_head + n_bytes) == HEED_E_STATE);
        memset(bytes, -1, n_head + n_bytes); /* they were copied */
        check_tree(model->ngrams);
        targets = (input){(const uint8_t *)used, n_used};
        do use(model->ngrams, &targets);
        while (targets.left > 0);
    }
    free(bytes);
    arena_free_block(model->ngrams);
    model->ngrams = NULL;
    return 0;
}
