/*
 * toy.c - learns to reverse strings of 3 to 10 digits, natively: the whole way from fresh weights to translations.
 *
 * Prints the share that a greedy search gets exactly right; exit code 1 if it is below 99 %. Run by
 * tests/train-native.test.js.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heed.h"
#include "train/adam.h"
#include "train/random.h"
#include "train/trainer.h"

/* 0 start, 2 </s>, digit d is 3 + d */
enum {
    END = 2,
    FIRST_DIGIT = 3,
    VOCABULARY = 13,
    LONGEST = 11,
    BATCH = 64,
    STEPS = 1000,
    TRIALS = 1000,
    MAX_FIELDS = 64
};

static const struct {
    const char *name;
    int32_t value;
} CONFIG[] = {{"d_model", 64},
              {"encoder_layers", 2},
              {"decoder_layers", 2},
              {"encoder_attention_heads", 4},
              {"decoder_attention_heads", 4},
              {"encoder_ffn_dim", 128},
              {"decoder_ffn_dim", 128},
              {"vocab_size", VOCABULARY},
              {"decoder_vocab_size", VOCABULARY},
              {"max_position_embeddings", 16},
              {"scale_embedding", 1},
              {"share_encoder_decoder_embeddings", 1},
              {"tie_word_embeddings", 1},
              {"eos_token_id", END}};

static int configure(int32_t config[MAX_FIELDS]) {
    int n = 0;
    for (; heed_config_field(n); n++) {
        config[n] = 0;
        for (size_t i = 0; i < sizeof CONFIG / sizeof CONFIG[0]; i++)
            if (strcmp(heed_config_field(n), CONFIG[i].name) == 0) config[n] = CONFIG[i].value;
    }
    return n;
}

static void must(heed_status status, const char *what) {
    if (status == HEED_OK) return;
    fprintf(stderr, "%s: %s\n", what, heed_status_name(status));
    exit(1);
}

static uint64_t drawn;

/* A string and its reverse into ids; returns the ids of a side. */
static int draw(int32_t *source, int32_t *target) {
    const int n = 3 + (int)(random_uniform(1, drawn++) * 8.0);
    for (int i = 0; i < n; i++) source[i] = target[n - 1 - i] = FIRST_DIGIT + (int)(random_uniform(2, drawn++) * 10.0);
    source[n] = target[n] = END;
    return n + 1;
}

static void learn(heed_trainer *trainer) {
    static int32_t ids[BATCH * 2 * LONGEST], lengths[BATCH * 2];
    for (int step = 0; step < STEPS; step++) {
        int32_t *at = ids;
        heed_train_result result;
        for (int i = 0; i < BATCH; i++) {
            int32_t source[LONGEST], target[LONGEST];
            const int n = draw(source, target);
            memcpy(at, source, (size_t)n * sizeof *at);
            memcpy(at + n, target, (size_t)n * sizeof *at);
            at += 2 * n;
            lengths[2 * i] = lengths[2 * i + 1] = n;
        }
        must(heed_trainer_step(trainer, ids, lengths, BATCH, &result), "step");
    }
}

static heed_model *to_model(const heed_trainer *trainer, const int32_t *config, int n) {
    heed_model *model;
    must(heed_model_create(config, n, &model, NULL), "model");
    for (int i = 0; i < heed_tensor_count(model); i++) {
        int32_t rows, cols;
        heed_tensor_shape(model, i, &rows, &cols);
        const size_t size = (size_t)rows * (size_t)cols;
        const double dims[2] = {rows, cols};
        float *values = malloc(size * sizeof *values);
        if (values == NULL) exit(1);
        must(heed_trainer_get_values(trainer, i, HEED_TRAIN_WEIGHTS, values, size), heed_tensor_name(model, i));
        must(heed_tensor_begin(model, i, 0, HEED_F32, 2, dims), heed_tensor_name(model, i));
        must(heed_tensor_write(model, values, size * sizeof *values), heed_tensor_name(model, i));
        free(values);
    }
    must(heed_model_finish(model, NULL), "model");
    return model;
}

static int count_right(const heed_model *model) {
    const heed_session_options options = {LONGEST, LONGEST + 4, 1, 1};
    const heed_search_options greedy = {.beams = 1, .max_tokens = LONGEST + 4, .length_penalty = 1.0f};
    heed_session *session;
    int right = 0;
    must(heed_session_create(model, &options, &session), "session");
    must(heed_search_begin(session, &greedy), "search");
    for (int i = 0; i < TRIALS; i++) {
        int32_t source[LONGEST], target[LONGEST], slot, running = 1;
        heed_hypothesis h;
        const int n = draw(source, target);
        must(heed_search_add(session, source, n, &slot), "search");
        while (running) must(heed_search_step(session, &running), "search");
        must(heed_search_hypothesis(session, slot, 0, &h), "search");
        right += h.n == n && memcmp(h.ids, target, (size_t)n * sizeof *target) == 0;
        must(heed_search_release(session, slot), "search");
    }
    heed_session_free(session);
    return right;
}

int main(void) {
    const heed_train_options options = {.learning_rate = 0.004f,
                                        .schedule = SCHEDULE_COSINE,
                                        .warmup_steps = 200,
                                        .total_steps = STEPS,
                                        .clip_norm = 1.0f,
                                        .seed = 1,
                                        .model_seed = 1,
                                        .max_tokens = 512};
    int32_t config[MAX_FIELDS];
    const int n = configure(config);
    const clock_t start = clock();
    heed_trainer *trainer;
    must(heed_trainer_create(config, n, &options, &trainer, NULL), "trainer");
    learn(trainer);
    heed_model *model = to_model(trainer, config, n);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    const int right = count_right(model);
    printf("%d of %d strings reversed exactly after %d steps, %.1f seconds\n", right, TRIALS, STEPS, seconds);
    heed_model_free(model);
    heed_trainer_free(trainer);
    return right < TRIALS * 99 / 100;
}
