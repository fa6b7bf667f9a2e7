/* trainer.c - see trainer.h for the contract. */
#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "train/adam.h"
#include "train/muon.h"
#include "train/random.h"

enum { N_ARRAYS = 4 }; /* HEED_TRAIN_WEIGHTS ... HEED_TRAIN_V */

struct heed_trainer {
    heed_train_options options;
    heed_parameters parameters;
    heed_pass pass;
    float *arrays[N_ARRAYS]; /* [n_floats] weights and gradients, [n_trained] moments */
    float *space;            /* [trainer_update_floats()] */
    heed_pair *pairs;        /* [max_tokens] of one pass */
    double steps;
    size_t bytes;
};

/* The name of the first option that is out of range, or NULL.  Every comparison is false for NaN, which is refused. */
static const char *wrong_option(const heed_train_options *o) {
    if (!(o->learning_rate >= 0.0f && o->learning_rate <= 1e6f)) return "learningRate";
    if (!(o->label_smoothing >= 0.0f && o->label_smoothing < 1.0f)) return "labelSmoothing";
    if (!(o->dropout >= 0.0f && o->dropout < 1.0f)) return "dropout";
    if (!(o->clip_norm >= 0.0f && o->clip_norm <= 1e30f)) return "clipNorm";
    if (o->schedule < SCHEDULE_INVERSE_SQRT || o->schedule > SCHEDULE_COSINE) return "schedule";
    if (o->warmup_steps < 0) return "warmupSteps";
    if (o->schedule == SCHEDULE_COSINE && o->total_steps <= o->warmup_steps) return "totalSteps";
    if (o->max_tokens < 1 || o->max_tokens > HEED_MAX_LENGTH) return "maxTokens";
    if (!(o->attention_dropout >= 0.0f && o->attention_dropout < 1.0f)) return "attentionDropout";
    if (!(o->guided >= 0.0f && o->guided <= 1e6f)) return "guided";
    if (o->sampled_softmax < 0 || o->sampled_softmax > HEED_MAX_VOCABULARY) return "sampledSoftmax";
    if (o->optimizer < OPTIMIZER_ADAM || o->optimizer > OPTIMIZER_MUON) return "optimizer";
    return NULL;
}

static void trainer_layout(heed_trainer *t, heed_arena *arena, const struct heed_model *model, const heed_gemm *gemm) {
    parameters_layout(&t->parameters, arena, model, t->options.train_positions != 0);
    for (int i = 0; i < N_ARRAYS; i++)
        t->arrays[i] = arena_floats(arena, i < HEED_TRAIN_M ? t->parameters.n_floats : t->parameters.n_trained, 1, 1);
    t->space = arena_floats(arena, trainer_update_floats(t), 1, 1);
    t->pairs = arena_push(arena, (size_t)t->options.max_tokens, sizeof *t->pairs);
    pass_layout(&t->pass, arena, &t->parameters, gemm, t->options.max_tokens, t->options.sampled_softmax);
}

/* Measures, allocates, and lays out again; only reads `model`. */
static heed_status allocate(const struct heed_model *model, const heed_train_options *options, const heed_gemm *gemm,
                         heed_trainer **out) {
    heed_trainer measured = {.options = *options};
    heed_arena arena = {0};
    arena_push(&arena, 1, sizeof measured);
    trainer_layout(&measured, &arena, model, gemm);
    if (arena_block(&arena) == NULL) return HEED_E_MEMORY;
    heed_trainer *t = arena_push(&arena, 1, sizeof *t);
    t->options = *options;
    t->bytes = arena.size;
    trainer_layout(t, &arena, model, gemm);
    *out = t;
    return HEED_OK;
}

heed_status trainer_create(const int32_t *config, int n, const heed_train_options *options, const heed_gemm *gemm,
                           heed_trainer **out, heed_report *report) {
    *out = NULL;
    const char *wrong = wrong_option(options);
    if (wrong) return status_report(HEED_E_ARGUMENT, report, wrong, "is out of range", 0);
    heed_config c;
    heed_status status = config_read(&c, config, n, report);
    if (status != HEED_OK) return status;
    if (c.dtype != HEED_F32)
        return status_report(HEED_E_CONFIG, report, "dtype", "must be f32: int8 weights cannot learn", c.dtype);
    if (options->guided_head < 0 || options->guided_head >= c.decoder_attention_heads)
        return status_report(HEED_E_ARGUMENT, report, "guidedHead", "is not a head of the decoder",
                             options->guided_head);

    /* A temporary model, whose table of tensors is read. */
    struct heed_model *model;
    status = model_create(&c, &model);
    if (status != HEED_OK) return status;
    status = allocate(model, options, gemm, out);
    arena_free_block(model);
    if (status != HEED_OK) return status;
    heed_trainer *t = *out;
    if (t->options.learning_rate == 0.0f)
        t->options.learning_rate =
            1.0f / sqrtf((float)c.d_model * (float)(options->warmup_steps ? options->warmup_steps : 1));
    parameters_initialize(t->arrays[HEED_TRAIN_WEIGHTS], &t->parameters, (uint32_t)options->model_seed);
    return HEED_OK;
}

heed_status heed_trainer_create(const int32_t *config, int n, const heed_train_options *options, heed_trainer **out,
                                heed_report *report) {
    return trainer_create(config, n, options, &gemm_plain, out, report);
}

void heed_trainer_free(heed_trainer *trainer) { arena_free_block(trainer); }

size_t heed_trainer_bytes(const heed_trainer *trainer) { return trainer->bytes; }

/* --------------------------------------------------------------------------------- tensors */

static const train_tensor *find(const heed_trainer *t, int index) {
    return index >= 0 && index < t->parameters.n_tensors ? &t->parameters.tensors[index] : NULL;
}

int heed_trainer_tensor_count(const heed_trainer *trainer) { return trainer->parameters.n_tensors; }

const char *heed_trainer_tensor_name(const heed_trainer *trainer, int index) {
    const train_tensor *tensor = find(trainer, index);
    return tensor ? tensor->name : NULL;
}

void heed_trainer_tensor_shape(const heed_trainer *trainer, int index, int32_t *rows, int32_t *cols) {
    const train_tensor *tensor = find(trainer, index);
    *rows = tensor ? tensor->rows : 0;
    *cols = tensor ? tensor->cols : 0;
}

/* *values = the tensor's n floats in the array `what`. */
static heed_status locate(const heed_trainer *t, int index, int what, size_t n, float **values) {
    const train_tensor *tensor = find(t, index);
    *values = NULL;
    if (tensor == NULL || what < 0 || what >= N_ARRAYS || (what >= HEED_TRAIN_M && !tensor->trained))
        return HEED_E_ARGUMENT;
    if (n != (size_t)tensor->rows * tensor->cols) return HEED_E_TENSOR_SHAPE;
    *values = t->arrays[what] + tensor->offset;
    return HEED_OK;
}

heed_status heed_trainer_get_values(const heed_trainer *trainer, int index, int what, float *values, size_t n) {
    float *from;
    const heed_status status = locate(trainer, index, what, n, &from);
    if (status == HEED_OK) memcpy(values, from, n * sizeof *values);
    return status;
}

heed_status heed_trainer_set_values(heed_trainer *trainer, int index, int what, const float *values, size_t n) {
    float *to;
    const heed_status status = locate(trainer, index, what, n, &to);
    if (status != HEED_OK) return status;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return HEED_E_TENSOR_VALUE;
    memcpy(to, values, n * sizeof *to);
    return HEED_OK;
}

double heed_trainer_steps(const heed_trainer *trainer) { return trainer->steps; }

heed_status heed_trainer_set_steps(heed_trainer *trainer, double steps) {
    if (!(steps >= 0.0 && steps <= 0x1p53 && steps == floor(steps))) return HEED_E_ARGUMENT;
    trainer->steps = steps;
    return HEED_OK;
}

/* ----------------------------------------------------------------------------------- steps */

static heed_status check_pairs(const heed_trainer *t, const int32_t *ids, const int32_t *lengths, int n,
                               int64_t *tokens) {
    const heed_config *c = &t->parameters.config;
    *tokens = 0;
    if (n < 1) return HEED_E_ARGUMENT;
    for (int i = 0; i < n; i++) {
        heed_status status = config_check_ids(ids, lengths[2 * i], t->pass.longest, c->vocab_size);
        if (status != HEED_OK) return status;
        ids += lengths[2 * i];
        status = config_check_ids(ids, lengths[2 * i + 1], t->pass.longest, c->decoder_vocab_size);
        if (status != HEED_OK) return status;
        ids += lengths[2 * i + 1];
        *tokens += lengths[2 * i + 1];
    }
    return *tokens > INT32_MAX ? HEED_E_LENGTH : HEED_OK;
}

static heed_status check_links(const int32_t *lengths, const int32_t *links, const int32_t *n_links, int n) {
    for (int i = 0; i < n; i++) {
        if (n_links[i] < 0) return HEED_E_ARGUMENT;
        for (int k = 0, last = 0; k < n_links[i]; k++, links += 2) {
            if (links[0] < last || links[0] >= lengths[2 * i + 1] || links[1] < 0 || links[1] >= lengths[2 * i])
                return HEED_E_ARGUMENT;
            last = links[0];
        }
    }
    return HEED_OK;
}

/* All pairs, in as many passes as they need.  links, n_links: NULL if there are none. */
static void run(heed_trainer *t, const int32_t *ids, const int32_t *lengths, const int32_t *links,
                const int32_t *n_links, int n, int64_t tokens, float *gradients, pass_result *sum) {
    pass_options options = {.dropout = t->options.dropout,
                            .smoothing = t->options.label_smoothing,
                            .scale = 1.0f / (float)tokens,
                            .attention_dropout = t->options.attention_dropout,
                            .guided = links ? t->options.guided : 0.0f,
                            .guided_head = t->options.guided_head};
    const heed_link *link = (const heed_link *)links;
    for (int i = 0, part = 0; i < n; part++) {
        const int32_t *next = ids;
        int some = n - i < t->options.max_tokens ? n - i : t->options.max_tokens;
        for (int j = 0; j < some; j++) {
            const int S = lengths[2 * (i + j)], T = lengths[2 * (i + j) + 1];
            t->pairs[j] = (heed_pair){.source = next, .target = next + S, .n_source = S, .n_target = T};
            if (links) {
                t->pairs[j].links = link;
                t->pairs[j].n_links = n_links[i + j];
                link += n_links[i + j];
            }
            next += S + T;
        }
        some = pass_capacity(&t->pass, t->pairs, some); /* at least 1: lengths were checked */
        options.key = trainer_key(t, part);
        pass_run(&t->pass, t->arrays[HEED_TRAIN_WEIGHTS], gradients, t->pairs, some, &options, sum);
        ids = t->pairs[some - 1].target + t->pairs[some - 1].n_target;
        if (links) link = t->pairs[some - 1].links + t->pairs[some - 1].n_links;
        i += some;
    }
}

static void report_sum(const pass_result *sum, heed_train_result *result) {
    result->loss = (float)(sum->loss / sum->tokens);
    result->likelihood = (float)(sum->likelihood / sum->tokens);
    result->tokens = sum->tokens;
    result->linked = sum->linked;
    if (sum->linked > 0) result->alignment = (float)(sum->alignment / sum->linked);
}

heed_status heed_trainer_step(heed_trainer *t, const int32_t *ids, const int32_t *lengths, int n,
                              heed_train_result *result) {
    return heed_trainer_step_guided(t, ids, lengths, NULL, NULL, n, result);
}

heed_status heed_trainer_step_guided(heed_trainer *t, const int32_t *ids, const int32_t *lengths, const int32_t *links,
                                     const int32_t *n_links, int n, heed_train_result *result) {
    int64_t tokens;
    pass_result sum = {0};
    *result = (heed_train_result){0};
    heed_status status = check_pairs(t, ids, lengths, n, &tokens);
    if (status == HEED_OK && links) status = check_links(lengths, links, n_links, n);
    if (status != HEED_OK) return status;
    memset(t->arrays[HEED_TRAIN_GRADIENTS], 0, t->parameters.n_floats * sizeof(float));
    run(t, ids, lengths, links, n_links, n, tokens, t->arrays[HEED_TRAIN_GRADIENTS], &sum);
    report_sum(&sum, result);
    trainer_change change;
    status = trainer_update_begin(t, result, &change);
    if (status != HEED_OK) return status;
    for (int i = 0; i < t->parameters.n_tensors; i++)
        trainer_update_tensor(t, &change, i, t->pass.context.gemm, t->space, t->pass.context.scratch);
    trainer_update_end(t, &change);
    return HEED_OK;
}

heed_status heed_trainer_evaluate(heed_trainer *t, const int32_t *ids, const int32_t *lengths, int n,
                                  heed_train_result *result) {
    int64_t tokens;
    pass_result sum = {0};
    *result = (heed_train_result){0};
    const heed_status status = check_pairs(t, ids, lengths, n, &tokens);
    if (status != HEED_OK) return status;
    run(t, ids, lengths, NULL, NULL, n, tokens, NULL, &sum);
    report_sum(&sum, result);
    return HEED_OK;
}

const heed_parameters *trainer_parameters(const heed_trainer *trainer) { return &trainer->parameters; }

float *trainer_array(heed_trainer *trainer, int what) { return trainer->arrays[what]; }

uint64_t trainer_key(const heed_trainer *t, int part) {
    return random_key(random_key((uint32_t)t->options.seed, (uint64_t)t->steps), (uint64_t)part);
}

size_t trainer_update_floats(const heed_trainer *t) {
    return t->options.optimizer == OPTIMIZER_MUON ? muon_floats(t->parameters.largest_projection) : 0;
}

heed_status trainer_update_begin(const heed_trainer *t, heed_train_result *result, trainer_change *change) {
    const heed_train_options *o = &t->options;
    const double norm = gradient_norm(t->arrays[HEED_TRAIN_GRADIENTS], t->parameters.n_trained);
    change->step = t->steps + 1.0;
    change->rate = learning_rate(o->schedule, o->learning_rate, o->warmup_steps, o->total_steps, change->step);
    /* 1e-6 as in PyTorch's clip_grad_norm_, where it keeps the quotient finite */
    change->factor = o->clip_norm > 0.0f && norm > o->clip_norm ? (float)(o->clip_norm / (norm + 1e-6)) : 1.0f;
    result->gradient_norm = (float)norm;
    result->learning_rate = (float)change->rate;
    return isfinite(norm) && isfinite(result->loss) ? HEED_OK : HEED_E_DIVERGED;
}

void trainer_update_tensor(heed_trainer *t, const trainer_change *change, int index, const heed_gemm *gemm,
                           float *space, float *scratch) {
    const train_tensor *tensor = &t->parameters.tensors[index];
    const size_t at = tensor->offset, n = (size_t)tensor->rows * tensor->cols;
    if (!tensor->trained) return;
    float *w = t->arrays[HEED_TRAIN_WEIGHTS] + at, *g = t->arrays[HEED_TRAIN_GRADIENTS] + at;
    float *m = t->arrays[HEED_TRAIN_M] + at, *v = t->arrays[HEED_TRAIN_V] + at;
    if (tensor->projects && t->options.optimizer == OPTIMIZER_MUON)
        muon_update(w, m, g, tensor->rows, tensor->cols, change->factor, change->rate, gemm, space, scratch);
    else adam_update(w, m, v, g, n, change->factor, change->rate, change->step);
}

void trainer_update_end(heed_trainer *t, const trainer_change *change) { t->steps = change->step; }
