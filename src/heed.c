/* heed.c - the public interface (heed.h): checks all arguments, then calls the other folders of src/. */
#include "heed.h"

#include <string.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "model/point.h"
#include "model/run.h"
#include "search/search.h"

_Static_assert((int)HEED_POINT_NAME_BYTES == (int)TENSOR_NAME_BYTES, "a host's name has room for every point's");

struct heed_session {
    const heed_model *model;
    heed_session_options options;
    heed_run run;
    heed_search search;
    int32_t *source_rows, *target_rows; /* [max_source], [max_target, at least 3] cache rows of a teacher-forced pass */
    int32_t *source, *target;           /* [max_source], [max_target] its ids                            */
    int n_source;
    heed_token *tokens;                 /* [max_target]                                                  */
    int n_forward;                      /* rows of run.x that heed_forward_logits may read               */
    int n_selected;                     /* ids in search.selected that it computes; 0: all               */
};

int heed_relaxed(void) {
#ifdef HEED_RELAXED
    return 1;
#else
    return 0;
#endif
}

/* ------------------------------------------------------------------------------------- hash */

struct heed_sha256 {
    sha256 state;
};

heed_status heed_sha256_create(heed_sha256 **out) {
    heed_arena arena = {0};
    arena_push(&arena, 1, sizeof(heed_sha256));
    *out = arena_block(&arena);
    if (!*out) return HEED_E_MEMORY;
    sha256_begin(&(*out)->state);
    return HEED_OK;
}

void heed_sha256_update(heed_sha256 *sha, const uint8_t *bytes, int32_t n) {
    sha256_update(&sha->state, bytes, (size_t)n);
}

void heed_sha256_end(heed_sha256 *sha, uint8_t *digest) {
    sha256_end(&sha->state, digest);
    sha256_begin(&sha->state);
}

void heed_sha256_free(heed_sha256 *sha) { arena_free_block(sha); }

/* ---------------------------------------------------------------------------------- session */

static int at_most(int a, int b) { return a < b ? a : b; }
static int at_least(int a, int b) { return a > b ? a : b; }

static int options_fit(const heed_model *model, const heed_session_options *o) {
    const int longest = at_most(model->config.max_position_embeddings, HEED_MAX_LENGTH);
    return model->ready && o->max_source >= 1 && o->max_source <= longest && o->max_target >= 1 &&
           o->max_target <= longest && o->max_beams >= 1 && o->max_beams <= HEED_MAX_BEAMS && o->max_batch >= 1 &&
           o->max_batch <= HEED_MAX_BATCH;
}

/*
 * Cache rows for one sentence of the greatest length, so that the oldest can always continue, and for the others of the
 * batch at a common length.  The greatest length for all would cost hundreds of megabytes that are seldom used.  If the
 * rows run out, sentences.c puts sentences back to wait.  Without reads_all_past, a target needs two, a token's and the
 * next one's, and sentences wait before they begin: there are fewer rows, as nothing is computed twice.
 */
static int count_cache_rows(const heed_model *model, const heed_session_options *o) {
    enum { COMMON = 64, COMMON_RECURRENT = 32, RECURRENT = 2 };
    const int reads_all = model->arch.decoder.reads_all_past, n_target = reads_all ? o->max_target : RECURRENT;
    const int longest = o->max_source + n_target * o->max_beams;
    const int common_source = at_most(o->max_source, reads_all ? COMMON : COMMON_RECURRENT);
    const int common = common_source + at_most(n_target, COMMON) * o->max_beams;
    return longest + (o->max_batch - 1) * common;
}

static void session_layout(heed_session *s, heed_arena *arena) {
    const heed_session_options *o = &s->options;
    /* A pass holds the longest sequence, one step of the whole batch, or some sentences that are encoded together. */
    enum { ENTERING = 256 };
    const int longest = at_least(o->max_source, o->max_target);
    const int rows = at_least(at_least(longest, o->max_batch * o->max_beams), o->max_batch > 1 ? ENTERING : 1);
    run_layout(&s->run, arena, s->model, rows, longest, count_cache_rows(s->model, o));
    search_layout(&s->search, arena, &s->run, o->max_source, o->max_target, o->max_beams, o->max_batch);
    s->source_rows = arena_ints(arena, (size_t)o->max_source, 1);
    s->target_rows = arena_ints(arena, (size_t)at_least(o->max_target, 3), 1);
    s->source = arena_ints(arena, (size_t)o->max_source, 1);
    s->target = arena_ints(arena, (size_t)o->max_target, 1);
    s->tokens = arena_push(arena, (size_t)o->max_target, sizeof *s->tokens);
}

static heed_arena measure_session(const heed_model *model, const heed_session_options *options) {
    heed_session measured = {.model = model, .options = *options};
    heed_arena arena = {0};
    arena_push(&arena, 1, sizeof measured);
    session_layout(&measured, &arena);
    return arena;
}

size_t heed_session_bytes(const heed_model *model, const heed_session_options *options) {
    if (!options_fit(model, options)) return 0;
    const heed_arena arena = measure_session(model, options);
    return arena.overflow ? 0 : arena.used;
}

heed_status heed_session_create(const heed_model *model, const heed_session_options *options, heed_session **out) {
    *out = NULL;
    if (!model->ready) return HEED_E_STATE;
    if (!options_fit(model, options)) return HEED_E_ARGUMENT;
    heed_arena arena = measure_session(model, options);
    if (arena_block(&arena) == NULL) return HEED_E_MEMORY;
    heed_session *s = arena_push(&arena, 1, sizeof *s);
    s->model = model;
    s->options = *options;
    session_layout(s, &arena);
    *out = s;
    return HEED_OK;
}

void heed_session_free(heed_session *session) {
    if (session) arena_free_block(session->search.lexicons);
    arena_free_block(session);
}

/* The attention of `stack` (HEED_ENCODER ...) in a layer, or NULL if there is none. */
static const heed_sublayer *find_attention(const heed_model *model, int stack, int layer) {
    const heed_stack *in = stack == HEED_ENCODER ? &model->encoder : &model->decoder;
    const sublayer_kind kind = stack == HEED_CROSS ? SUBLAYER_CROSS_ATTENTION : SUBLAYER_SELF_ATTENTION;
    if (stack < HEED_ENCODER || stack > HEED_CROSS) return NULL;
    for (int i = 0; i < in->n_sublayers; i++)
        if (in->sublayers[i].layer == layer && in->sublayers[i].arch->kind == kind) return &in->sublayers[i];
    return NULL;
}

heed_status heed_session_set_head(heed_session *session, int stack, int layer, int head, int enabled) {
    const heed_sublayer *s = find_attention(session->model, stack, layer);
    if (s == NULL || head < 0 || head >= s->arch->n_heads) return HEED_E_ARGUMENT;
    session->run.disabled[s->first_head + head] = !enabled;
    return HEED_OK;
}

void heed_session_enable_heads(heed_session *session) {
    memset(session->run.disabled, 0, (size_t)session->model->n_heads);
}

heed_status heed_encode(heed_session *s, const int32_t *source, int n, float *out) {
    if (s->search.active) return HEED_E_STATE;
    const heed_status status = config_check_ids(source, n, s->options.max_source, s->model->config.vocab_size);
    if (status != HEED_OK) return status;
    s->n_forward = 0;
    encoder_forward(&s->run, source, &n, 1);
    memcpy(out, s->run.x, (size_t)n * s->model->arch.d_model * sizeof *out);
    return HEED_OK;
}

heed_status heed_forward(heed_session *s, const int32_t *source, int n_source, const int32_t *target, int n_target) {
    const heed_config *c = &s->model->config;
    heed_run *run = &s->run;
    if (s->search.active) return HEED_E_STATE;
    heed_status status = config_check_ids(source, n_source, s->options.max_source, c->vocab_size);
    if (status == HEED_OK) status = config_check_ids(target, n_target, s->options.max_target, c->decoder_vocab_size);
    if (status != HEED_OK) return status;

    /* without reads_all_past, tokens take turns with two rows: (a), (a, b), (b, a), (a, b), ... */
    const int reads_all = s->model->arch.decoder.reads_all_past, n_rows = reads_all ? n_target : 2;
    s->n_source = n_source;
    for (int i = 0; i < n_source; i++) {
        s->source[i] = source[i];
        s->source_rows[i] = cache_take(&run->cache);
    }
    for (int t = 0; t < n_rows; t++) s->target_rows[t] = cache_take(&run->cache);
    if (!reads_all) s->target_rows[2] = s->target_rows[0];
    for (int t = 0; t < n_target; t++) {
        s->target[t] = target[t];
        s->tokens[t] = (heed_token){.id = t ? target[t - 1] : c->decoder_start_token_id,
                                    .position = t,
                                    .past = s->target_rows + (reads_all || t == 0 ? 0 : (t + 1) % 2),
                                    .n_past = reads_all || t == 0 ? t + 1 : 2,
                                    .source = s->source_rows,
                                    .n_source = n_source};
    }
    encoder_forward(run, source, &n_source, 1);
    decoder_read_source(run, 0, n_source, s->source_rows);
    decoder_forward(run, s->tokens, n_target);
    cache_drop(&run->cache, s->source_rows, n_source);
    cache_drop(&run->cache, s->target_rows, n_rows);
    s->n_forward = n_target;
    s->n_selected = 0;
    return HEED_OK;
}

int heed_point(const heed_model *model, int index, int n_source, int n_target, char *name, int32_t *shape) {
    return point_describe(model, n_source < 0 || n_target < 0 ? -1 : index, n_source, n_target, name, shape);
}

heed_status heed_inspect(heed_session *s, const int32_t *source, int n_source, const int32_t *target, int n_target,
                         const int32_t *wanted, int n_wanted, float *out, size_t n_out) {
    if (n_source < 1 || n_target < 1) return HEED_E_LENGTH; /* point_floats() is 0 */
    float **points = s->run.points;
    heed_status status = HEED_OK;
    size_t total = 0;
    for (int i = 0; i < n_wanted && status == HEED_OK; i++) {
        const double floats = point_floats(s->model, wanted[i], n_source, n_target);
        if (floats == 0.0 || floats > (double)(n_out - total) || points[wanted[i]]) {
            status = HEED_E_ARGUMENT;
        } else {
            points[wanted[i]] = out + total;
            total += (size_t)floats;
        }
    }
    if (total != n_out) status = HEED_E_ARGUMENT;
    if (status == HEED_OK) status = heed_forward(s, source, n_source, target, n_target);
    memset(points, 0, (size_t)s->model->n_points * sizeof *points);
    return status;
}

const float *heed_forward_logits(heed_session *s, int t, float *log_prob) {
    *log_prob = 0.0f;
    if (t < 0 || t >= s->n_forward) return NULL;
    const int V = s->model->output->rows, n = s->n_selected;
    float *logits = s->search.logits;
    output_forward(&s->run, logits, t, 1);
    if (n == 0) *log_prob = output_log_prob(&s->run, logits, s->target[t]);
    else {
        const float logit = logits[s->target[t]]; /* the target's ids are selected */
        *log_prob = logit - output_restrict(&s->run, logits, s->search.selected, n, logits + V);
    }
    return logits;
}

heed_status heed_forward_log_probs(heed_session *s, int n, float *out) {
    if (n < 0 || n > s->n_forward) return HEED_E_ARGUMENT;
    const size_t V = (size_t)s->model->output->rows;
    float *logits = s->search.logits;
    if (s->n_selected > 0)
        for (int t = 0; t < n; t++) heed_forward_logits(s, t, &out[t]);
    else
        for (int t = 0, rows; t < n; t += rows) {
            rows = n - t < LOGIT_ROWS ? n - t : LOGIT_ROWS;
            output_forward(&s->run, logits, t, rows);
            for (int i = 0; i < rows; i++)
                out[t + i] = output_log_prob(&s->run, logits + (size_t)i * V, s->target[t + i]);
        }
    return HEED_OK;
}

heed_status heed_forward_shortlist(heed_session *s) {
    const heed_search_options rules = {.n_eos = 1, .eos = &s->model->config.eos_token_id};
    if (s->n_forward == 0) return HEED_E_STATE;
    if (s->search.selected)
        s->n_selected = search_select(&s->search, &rules, s->source, s->n_source, s->target, s->n_forward);
    return HEED_OK;
}

/* ----------------------------------------------------------------------------------- search */

/* Checks ids [n] of a list, which may be empty.  *left: how many int32s this list and the next ones may have. */
static heed_status check_list(const int32_t *ids, int n, int vocabulary, int *left) {
    if (n < 0 || n > *left) return HEED_E_ARGUMENT;
    *left -= n;
    return n == 0 || config_check_ids(ids, n, n, vocabulary) == HEED_OK ? HEED_OK : HEED_E_ID;
}

static heed_status check_bad_words(const int32_t *words, int n, int vocabulary, int *left) {
    if (n < 0 || n > *left) return HEED_E_ARGUMENT;
    *left -= n;
    for (int i = 0; i < n; i += words[i] + 1) {
        if (words[i] < 1 || words[i] >= n - i) return HEED_E_ARGUMENT;
        if (config_check_ids(words + i + 1, words[i], n, vocabulary) != HEED_OK) return HEED_E_ID;
    }
    return HEED_OK;
}

static heed_status check_byte_ids(const int32_t *ids, int n, int vocabulary) {
    if (n != 0 && n != N_BYTES) return HEED_E_ARGUMENT;
    for (int i = 0; i < n; i++)
        if (ids[i] < -1 || ids[i] >= vocabulary) return HEED_E_ID;
    return HEED_OK;
}

/* False for NaN. */
static int is_within(float x, float low, float high) { return x >= low && x <= high; }

static heed_status check_rules(const heed_session *s, const heed_search_options *o) {
    const int V = s->model->config.decoder_vocab_size, longest = s->options.max_target;
    int left = HEED_MAX_RULE_IDS;
    if (o->beams < 1 || o->beams > s->options.max_beams || o->max_tokens < 1 || o->min_tokens < 0 ||
        o->no_repeat_ngram < 0 || o->n_prefix < 0 || o->early_stopping < HEED_EARLY_FALSE ||
        o->early_stopping > HEED_EARLY_NEVER || !(o->length_penalty - o->length_penalty == 0.0f) ||
        !(o->repetition_penalty == 0.0f || is_within(o->repetition_penalty, 0.001f, 1000.0f)) ||
        !is_within(o->ngrams, 0.0f, 1.0f))
        return HEED_E_ARGUMENT;
    if (o->n_prefix > longest || o->max_tokens > longest - o->n_prefix) return HEED_E_LENGTH;
    if (o->n_prefix > 0 && config_check_ids(o->prefix, o->n_prefix, longest, V) != HEED_OK) return HEED_E_ID;
    heed_status status = check_bad_words(o->bad_words, o->n_bad_words, V, &left);
    if (status == HEED_OK) status = check_list(o->eos, o->n_eos, V, &left);
    if (status == HEED_OK) status = check_list(o->forced_bos, o->n_forced_bos, V, &left);
    if (status == HEED_OK) status = check_list(o->forced_eos, o->n_forced_eos, V, &left);
    if (status == HEED_OK) status = check_list(o->suppress, o->n_suppress, V, &left);
    if (status == HEED_OK) status = check_list(o->begin_suppress, o->n_begin_suppress, V, &left);
    if (status == HEED_OK) status = check_byte_ids(o->byte_ids, o->n_byte_ids, V);
    return status;
}

heed_status heed_search_begin(heed_session *s, const heed_search_options *o) {
    const heed_status status = check_rules(s, o);
    if (status != HEED_OK) return status;
    search_begin(&s->search);
    search_rules(&s->search, o);
    s->n_forward = 0;
    return HEED_OK;
}

heed_status heed_search_rules(heed_session *s, const heed_search_options *o) {
    if (!s->search.active) return HEED_E_STATE;
    const heed_status status = check_rules(s, o);
    if (status != HEED_OK) return status;
    return search_rules(&s->search, o) ? HEED_OK : HEED_E_STATE;
}

heed_status heed_search_add(heed_session *s, const int32_t *source, int n, int32_t *row) {
    *row = -1;
    if (!s->search.active) return HEED_E_STATE;
    const heed_status status = config_check_ids(source, n, s->options.max_source, s->model->config.vocab_size);
    if (status != HEED_OK) return status;
    *row = search_add(&s->search, source, n);
    return *row < 0 ? HEED_E_STATE : HEED_OK;
}

static const heed_batch_row *find_row(const heed_session *s, int row) {
    return row >= 0 && row < s->options.max_batch ? &s->search.batch[row] : NULL;
}

/* Checks entries of a lexicon [n] for a source of n_source ids. */
static heed_status check_entries(const heed_model *model, const int32_t *entries, int n, int n_source) {
    heed_lexicon_entry entry;
    int at = 0;
    if (n < 0) return HEED_E_ARGUMENT;
    if (n > HEED_LEXICON_INTS) return HEED_E_LENGTH;
    for (int size; (size = lexicon_next(entries, n, at, &entry)) > 0; at += size) {
        if (entry.first < 0 || entry.first >= entry.end || entry.end > n_source || entry.share < 0 ||
            entry.share > 1000 || entry.place < HEED_PLACE_ANY || entry.place > HEED_PLACE_AFTER ||
            (entry.place == HEED_PLACE_AFTER && entry.n_ids < 2))
            return HEED_E_ARGUMENT;
        const heed_status status = config_check_ids(entries + at + size - entry.n_ids, entry.n_ids, entry.n_ids,
                                                    model->config.decoder_vocab_size);
        if (status != HEED_OK) return status;
    }
    return at < n ? HEED_E_ARGUMENT : HEED_OK;
}

heed_status heed_search_lexicon(heed_session *s, int row, int head, const int32_t *entries, int n) {
    const heed_batch_row *of = find_row(s, row);
    if (of == NULL || head < 0 || head >= s->search.attended->arch->n_heads) return HEED_E_ARGUMENT;
    if (!s->search.active || of->state != ROW_WAITING) return HEED_E_STATE;
    const heed_status status = check_entries(s->model, entries, n, of->n_source);
    if (status != HEED_OK) return status;
    if (n > 0 && !search_make_lexicons(&s->search)) return HEED_E_MEMORY;
    search_lexicon(&s->search, row, head, entries, n);
    return HEED_OK;
}

heed_status heed_lexicon_log_probs(const heed_model *model, const int32_t *entries, int n, const int32_t *target,
                                   int n_target, const float *weights, int n_source, const float *log_probs,
                                   float *out) {
    heed_status status = n_source < 1 ? HEED_E_ARGUMENT : check_entries(model, entries, n, n_source);
    if (status == HEED_OK) status = config_check_ids(target, n_target, n_target, model->config.decoder_vocab_size);
    for (int t = 0; t < n_target && status == HEED_OK; t++)
        out[t] = lexicon_log_prob(entries, n, target, t, weights + (size_t)t * n_source, log_probs[t]);
    return status;
}

heed_status heed_search_step(heed_session *s, int32_t *running) {
    *running = 0;
    if (!s->search.active) return HEED_E_STATE;
    *running = search_step(&s->search);
    return HEED_OK;
}

int heed_search_finished(const heed_session *s) {
    for (int i = 0; i < s->options.max_batch; i++)
        if (s->search.batch[i].state == ROW_FINISHED) return i;
    return -1;
}

int heed_search_hypotheses(const heed_session *s, int row) {
    const heed_batch_row *found = find_row(s, row);
    if (found == NULL || found->state == ROW_FREE || found->state == ROW_WAITING) return 0;
    return found->state == ROW_FINISHED ? found->n_ended : found->n_live;
}

int heed_search_agreed(const heed_session *s, int row) {
    const heed_batch_row *found = find_row(s, row);
    const int n_live = found && found->state == ROW_RUNNING ? found->n_live : 0;
    if (heed_search_hypotheses(s, row) == 0) return 0;
    const heed_target *first = n_live > 0 ? &found->live[0] : &found->ended[0];
    int n = first->n_ids;
    for (int i = 0; i < n_live + found->n_ended; i++) {
        const heed_target *other = i < n_live ? &found->live[i] : &found->ended[i - n_live];
        int common = 0;
        while (common < n && common < other->n_ids && other->ids[common] == first->ids[common]) common++;
        n = common;
    }
    return n;
}

heed_status heed_search_hypothesis(const heed_session *s, int row, int rank, heed_hypothesis *out) {
    const heed_batch_row *found = find_row(s, row);
    *out = (heed_hypothesis){0};
    if (found && found->state == ROW_FINISHED && found->n_ended == 0) return HEED_E_TENSOR_VALUE;
    if (rank < 0 || rank >= heed_search_hypotheses(s, row)) return HEED_E_ARGUMENT;
    const heed_target *target = found->state == ROW_FINISHED ? &found->ended[rank] : &found->live[rank];
    *out = (heed_hypothesis){.ids = target->ids,
                             .n = target->n_ids,
                             .log_prob = (float)target->log_prob,
                             .score = target->score,
                             .finished = target->finished};
    return HEED_OK;
}

heed_status heed_search_attention(const heed_session *s, int row, const int32_t *heads, int n_heads, float *out,
                                  int32_t *n) {
    *n = 0;
    if (find_row(s, row) == NULL || n_heads < 1) return HEED_E_ARGUMENT;
    for (int i = 0; i < n_heads; i++)
        if (heads[i] < 0 || heads[i] >= s->search.attended->arch->n_heads) return HEED_E_ARGUMENT;
    if (!s->search.active || find_row(s, row)->state == ROW_FREE) return HEED_E_STATE;
    *n = search_attention(&s->search, row, heads, n_heads, out);
    return HEED_OK;
}

heed_status heed_search_candidates(const heed_session *s, int row, int32_t *beam, int32_t *id, int32_t *fate,
                                   float *log_prob, int32_t *n) {
    const heed_batch_row *from = find_row(s, row);
    *n = 0;
    if (from == NULL) return HEED_E_ARGUMENT;
    if (!s->search.active || from->state == ROW_FREE) return HEED_E_STATE;
    const int k = candidates_of(&from->rules->options);
    for (int b = 0; b < from->n_before; b++) {
        for (int i = 0; i < from->n_candidates[b]; i++, (*n)++) {
            const heed_candidate *c = &from->candidates[(size_t)b * k + i];
            beam[*n] = c->beam;
            id[*n] = c->id;
            fate[*n] = c->fate;
            log_prob[*n] = (float)c->log_prob;
        }
    }
    return HEED_OK;
}

heed_status heed_search_release(heed_session *s, int row) {
    if (find_row(s, row) == NULL) return HEED_E_ARGUMENT;
    search_release(&s->search, row);
    return HEED_OK;
}

void heed_search_end(heed_session *s) { search_end(&s->search); }
