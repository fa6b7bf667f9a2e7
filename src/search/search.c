/* search.c - see search.h for the contract: the layout of a search, and one step of all sentences that run. */
#include "search/search.h"

#include <string.h>

#include "kernels/kernels.h"

static void layout_targets(heed_target **targets, heed_arena *arena, int n, int max_target, int32_t start,
                           int with_cache_rows) {
    *targets = arena_push(arena, (size_t)n, sizeof **targets);
    for (int i = 0; i < n; i++) {
        int32_t *ids = arena_ints(arena, (size_t)max_target + 1, 1);
        int32_t *cache_rows = with_cache_rows ? arena_ints(arena, (size_t)max_target, 1) : NULL;
        if (*targets == NULL) continue;
        ids[0] = start;
        (*targets)[i].ids = ids + 1;
        (*targets)[i].cache_rows = cache_rows;
    }
}

/* OUTPUT_ROWS for each sentence, but at least the most that one may select, with a prefix of any length. */
static int count_output_rows(const heed_model *model, int max_source, int max_target, int max_batch) {
    const int all = panel_rows(model->output->rows), common = all < OUTPUT_ROWS ? all : OUTPUT_ROWS;
    const int longest = panel_rows(shortlist_most(model, max_source, max_target));
    return longest > max_batch * common ? longest : max_batch * common;
}

void search_layout(heed_search *search, heed_arena *arena, heed_run *run, int max_source, int max_target, int max_beams,
                   int max_batch) {
    const size_t max_rows = (size_t)max_batch * max_beams;
    const int32_t start = run->model->config.decoder_start_token_id;
    const int V = run->model->output->rows;

    search->run = run;
    search->ngrams = run->model->ngrams;
    search->max_source = max_source;
    search->max_target = max_target;
    search->max_beams = max_beams;
    search->max_batch = max_batch;
    search->n_sets = max_batch < HEED_MAX_RULE_SETS ? max_batch : HEED_MAX_RULE_SETS;
    search->sets = arena_push(arena, (size_t)search->n_sets, sizeof *search->sets);
    for (int i = 0; i < search->n_sets; i++) {
        int32_t *ids = arena_ints(arena, (size_t)max_target + 1 + N_BYTES + HEED_MAX_RULE_IDS, 1);
        if (search->sets) search->sets[i].ids = ids;
    }
    search->batch = arena_push(arena, (size_t)max_batch, sizeof *search->batch);
    search->tokens = arena_push(arena, max_rows, sizeof *search->tokens);
    search->token_row = arena_ints(arena, max_rows, 1);
    search->token_beam = arena_ints(arena, max_rows, 1);
    search->newcomers = arena_ints(arena, (size_t)run->max_rows, 1);
    search->lengths = arena_ints(arena, (size_t)max_batch, 1);
    search->heads = arena_ints(arena, (size_t)max_beams, 1);
    search->logits = arena_floats(arena, LOGIT_ROWS, (size_t)V, 1);
    search->scratch = arena_floats(arena, (size_t)(search->ngrams && max_target < V ? V : max_target + 1), 1, 1);
    search->attended = run->model->decoder.sublayers + run->model->decoder.n_sublayers;
    do search->attended--;
    while (search->attended->arch->kind != SUBLAYER_CROSS_ATTENTION);
    search->weights = arena_floats(arena, (size_t)search->attended->arch->n_heads, max_rows, (size_t)max_source);
    if (run->model->shortlist) {
        const int rows = count_output_rows(run->model, max_source, max_target, max_batch);
        output_layout(&search->outputs, arena, run->model, rows);
        search->output_ids = arena_ints(arena, (size_t)rows, 1);
        search->selected = arena_ints(arena, (size_t)V, 1);
    }
    for (int i = 0; i < max_batch; i++) {
        heed_batch_row unplaced, *row = search->batch ? &search->batch[i] : &unplaced;
        row->source = arena_ints(arena, (size_t)max_source, 1);
        row->source_cache_rows = arena_ints(arena, (size_t)max_source, 1);
        layout_targets(&row->live, arena, max_beams, max_target, start, 1);
        layout_targets(&row->next, arena, max_beams, max_target, start, 1);
        layout_targets(&row->ended, arena, max_beams, max_target, start, 0);
        row->candidates = arena_push(arena, (size_t)max_beams * 2 * max_beams, sizeof *row->candidates);
        row->n_candidates = arena_ints(arena, (size_t)max_beams, 1);
    }
}

static int count_tokens(const heed_search *search) {
    int n = 0;
    for (int i = 0; i < search->max_batch; i++)
        if (search->batch[i].state == ROW_RUNNING) n += search->batch[i].n_live;
    return n;
}

/* The last token of each live target, with a new cache row.  Returns how many. */
static int gather_tokens(heed_search *search) {
    int n = 0;
    for (int i = 0; i < search->max_batch; i++) {
        heed_batch_row *row = &search->batch[i];
        if (row->state != ROW_RUNNING) continue;
        for (int b = 0; b < row->n_live; b++, n++) {
            heed_target *target = &row->live[b];
            target->cache_rows[target->n_cache_rows++] = cache_take(&search->run->cache);
            search->tokens[n] = (heed_token){.id = target->ids[target->n_ids - 1],
                                             .position = target->n_ids,
                                             .past = target->cache_rows,
                                             .n_past = target->n_cache_rows,
                                             .source = row->source_cache_rows,
                                             .n_source = row->n_source};
            search->token_row[n] = i;
            search->token_beam[n] = b;
        }
    }
    return n;
}

/* Whether a step keeps the weights of a sentence. */
static int wants_attention(const heed_batch_row *row) { return row->rules->options.attention || row->n_lexicon > 0; }

/* The decoder's pass over the tokens.  If one sentence wants them, weights of the last cross-attention are kept. */
static void read_tokens(heed_search *search, int n) {
    float **point = &search->run->points[search->attended->first_point + AT_WEIGHTS];
    search->n_tokens = 0;
    for (int i = 0; i < n && search->n_tokens == 0; i++)
        if (wants_attention(&search->batch[search->token_row[i]])) search->n_tokens = n;
    search->n_keys = decoder_keys(search->tokens, n);
    if (search->n_tokens > 0) *point = search->weights;
    decoder_forward(search->run, search->tokens, n);
    *point = NULL;
}

/* The weights of a head for a token of the last step: [n_keys]. */
static const float *weights_at(const heed_search *search, int head, int token) {
    return search->weights + ((size_t)head * search->n_tokens + token) * search->n_keys;
}

static void layout_lexicons(heed_search *search, heed_arena *arena) {
    for (int i = 0; i < search->max_batch; i++) search->batch[i].lexicon = arena_ints(arena, HEED_LEXICON_INTS, 1);
}

int search_make_lexicons(heed_search *search) {
    heed_arena arena = {0};
    if (search->lexicons) return 1;
    layout_lexicons(search, &arena);
    search->lexicons = arena_block(&arena);
    if (search->lexicons) layout_lexicons(search, &arena);
    return search->lexicons != NULL;
}

void search_lexicon(heed_search *search, int row, int head, const int32_t *entries, int n) {
    heed_batch_row *of = &search->batch[row];
    if (n > 0) memcpy(of->lexicon, entries, (size_t)n * sizeof *entries);
    of->n_lexicon = n;
    of->lexicon_head = head;
}

int search_attention(const heed_search *search, int row, const int32_t *heads, int n_heads, float *out) {
    const heed_batch_row *of = &search->batch[row];
    int n = 0;
    if (of->n_before == 0 || !of->rules->options.attention) return 0;
    for (int t = 0; t < search->n_tokens; t++) {
        if (search->token_row[t] != row) continue;
        for (int i = 0; i < n_heads; i++, out += of->n_source)
            memcpy(out, weights_at(search, heads[i], t), (size_t)of->n_source * sizeof *out);
        n++;
    }
    return n;
}

/* Without reads_all_past, a live target's last cache row is all that its next token reads: free the one before it. */
static void drop_past(heed_search *search, int n_tokens) {
    if (search->run->model->arch.decoder.reads_all_past) return;
    for (int i = 0; i < n_tokens; i++) {
        heed_target *target = &search->batch[search->token_row[i]].live[search->token_beam[i]];
        if (target->n_cache_rows < 2) continue;
        cache_drop(&search->run->cache, target->cache_rows, 1);
        target->cache_rows[0] = target->cache_rows[1];
        target->n_cache_rows = 1;
    }
}

/* How many tokens from `first` on have their logits computed together: of one sentence, or of all output rows. */
static int count_together(const heed_search *search, int first, int n_tokens) {
    const int32_t row = search->token_row[first];
    int n = 1;
    for (; n < LOGIT_ROWS && first + n < n_tokens; n++) {
        const int32_t next = search->token_row[first + n];
        if (next != row && (search->batch[row].n_outputs > 0 || search->batch[next].n_outputs > 0)) break;
    }
    return n;
}

/* All logits of a sentence with a shortlist become those of the selected ids. */
static void keep_selected(heed_search *search, const heed_batch_row *row, heed_scores *logits) {
    logits->ids = search->selected;
    logits->n = search_select(search, &row->rules->options, row->source, row->n_source, NULL, 0);
    for (int i = 0; i < logits->n; i++) logits->scores[i] = logits->scores[logits->ids[i]];
}

static void choose_candidates(heed_search *search, int n_tokens) {
    for (int first = 0, n; first < n_tokens; first += n) {
        const heed_batch_row *leader = &search->batch[search->token_row[first]];
        const int at = leader->first_output, is_part = leader->n_outputs > 0;
        const int width = is_part ? leader->n_outputs : search->run->model->output->rows;
        n = count_together(search, first, n_tokens);
        if (is_part) output_forward_copies(search->run, search->logits, first, n, &search->outputs, at, width);
        else output_forward(search->run, search->logits, first, n);
        for (int i = 0; i < n; i++) {
            heed_batch_row *row = &search->batch[search->token_row[first + i]];
            const heed_search_options *rules = &row->rules->options;
            const int k = candidates_of(rules), b = search->token_beam[first + i];
            const int left = row->max_tokens - (row->live[b].n_ids - rules->n_prefix);
            heed_scores logits = {.scores = search->logits + (size_t)i * width, .n = width};
            if (is_part) logits.ids = search->output_ids + at;
            else if (sentence_has_shortlist(search, row)) keep_selected(search, row, &logits);
            if (row->n_lexicon > 0)
                lexicon_apply(row, &logits, &row->live[b], weights_at(search, row->lexicon_head, first + i));
            row->n_candidates[b] = next_candidates(row->candidates + (size_t)b * k, k, &logits, &row->live[b], b, left,
                                                   rules, search->ngrams, search->scratch);
        }
    }
}

int search_step(heed_search *search) {
    heed_run *run = search->run;
    sentences_admit(search);
    while (count_tokens(search) > run->cache.n_free) sentences_evict_youngest(search);

    const int n_tokens = gather_tokens(search);
    if (n_tokens > 0) {
        read_tokens(search, n_tokens);
        drop_past(search, n_tokens);
        choose_candidates(search, n_tokens);
        for (int i = 0; i < search->max_batch; i++) {
            heed_batch_row *row = &search->batch[i];
            if (row->state == ROW_RUNNING) beams_advance(search, row);
        }
    }
    int unfinished = 0;
    for (int i = 0; i < search->max_batch; i++)
        unfinished += search->batch[i].state == ROW_WAITING || search->batch[i].state == ROW_RUNNING;
    return unfinished;
}
