/* search.c - see search.h for the contract: batch rows, steps, and the beams of a sentence. */
#include "search/search.h"

#include <math.h>
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

    search->run = run;
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
    search->logits = arena_floats(arena, LOGIT_ROWS, (size_t)run->model->output->rows, 1);
    search->penalised = arena_floats(arena, (size_t)max_target + 1, 1, 1);
    search->attended = run->model->decoder.sublayers + run->model->decoder.n_sublayers;
    do search->attended--;
    while (search->attended->arch->kind != SUBLAYER_CROSS_ATTENTION);
    search->weights = arena_floats(arena, (size_t)search->attended->arch->n_heads, max_rows, (size_t)max_source);
    if (run->model->shortlist) {
        const int V = run->model->output->rows, rows = count_output_rows(run->model, max_source, max_target, max_batch);
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

/* One of the lists of a heed_search_options. */
typedef struct {
    const int32_t **ids;
    int n;
} rule_list;

enum { N_LISTS = 8 };

static void lists_of(heed_search_options *rules, rule_list lists[N_LISTS]) {
    lists[0] = (rule_list){&rules->prefix, rules->n_prefix};
    lists[1] = (rule_list){&rules->bad_words, rules->n_bad_words};
    lists[2] = (rule_list){&rules->eos, rules->n_eos};
    lists[3] = (rule_list){&rules->forced_bos, rules->n_forced_bos};
    lists[4] = (rule_list){&rules->forced_eos, rules->n_forced_eos};
    lists[5] = (rule_list){&rules->suppress, rules->n_suppress};
    lists[6] = (rule_list){&rules->begin_suppress, rules->n_begin_suppress};
    lists[7] = (rule_list){&rules->byte_ids, rules->n_byte_ids};
}

/*
 * Whether all rules are equal.  Equal rules may count as unequal: 0 and -0, or other padding on 64-bit hosts.  They
 * then take two sets, and the results are the same.
 */
static int rules_equal(heed_search_options a, heed_search_options b) {
    rule_list of_a[N_LISTS], of_b[N_LISTS];
    lists_of(&a, of_a);
    lists_of(&b, of_b);
    for (int i = 0; i < N_LISTS; i++) {
        const size_t bytes = (size_t)of_a[i].n * sizeof **of_a[i].ids;
        if (of_a[i].n != of_b[i].n || (bytes > 0 && memcmp(*of_a[i].ids, *of_b[i].ids, bytes) != 0)) return 0;
        *of_a[i].ids = *of_b[i].ids = NULL;
    }
    return memcmp(&a, &b, sizeof a) == 0;
}

void search_begin(heed_search *search) {
    search_end(search);
    search->active = 1;
    search->n_tokens = 0;
}

int search_rules(heed_search *search, const heed_search_options *rules) {
    heed_search_options wanted = *rules;
    heed_rule_set *set = NULL;
    rule_list lists[N_LISTS];
    if (wanted.n_eos == 0) {
        wanted.n_eos = 1;
        wanted.eos = &search->run->model->config.eos_token_id;
    }
    for (int i = 0; i < search->n_sets; i++) {
        heed_rule_set *each = &search->sets[i];
        if (each->n_sentences == 0) set = each;
        else if (rules_equal(each->options, wanted)) {
            search->rules = each;
            return 1;
        }
    }
    if (set == NULL) return 0;
    set->options = wanted;
    lists_of(&set->options, lists);
    int32_t *at = set->ids;
    for (int i = 0; i < N_LISTS; i++) {
        if (lists[i].n > 0) memcpy(at, *lists[i].ids, (size_t)lists[i].n * sizeof *at);
        *lists[i].ids = at;
        at += lists[i].n;
    }
    search->rules = set;
    return 1;
}

int search_add(heed_search *search, const int32_t *source, int n) {
    const heed_search_options *rules = &search->rules->options;
    for (int i = 0; i < search->max_batch; i++) {
        heed_batch_row *row = &search->batch[i];
        if (row->state != ROW_FREE) continue;
        memcpy(row->source, source, (size_t)n * sizeof *source);
        row->n_source = n;
        row->n_live = row->n_ended = row->n_before = 0;
        row->rules = search->rules;
        row->rules->n_sentences++;
        row->loop_limit = rules->cut_runaways ? runaway_loop_limit(source, n) : 0;
        row->max_tokens = rules->max_tokens;
        if (rules->cut_runaways) {
            const int most = runaway_max_tokens(n), least = rules->min_tokens; /* </s> is allowed after `least` */
            if (row->max_tokens - most > least) row->max_tokens = least + most;
        }
        row->age = search->clock++;
        row->state = ROW_WAITING;
        return i;
    }
    return -1;
}

static void drop_target(heed_run *run, heed_target *target) {
    cache_drop(&run->cache, target->cache_rows, target->n_cache_rows);
    target->n_cache_rows = 0;
}

/* Free the sentence's cache rows and output rows. */
static void drop_rows(heed_search *search, heed_batch_row *row) {
    if (row->state != ROW_RUNNING) return;
    row->n_outputs = 0;
    cache_drop(&search->run->cache, row->source_cache_rows, row->n_source);
    for (int b = 0; b < row->n_live; b++) drop_target(search->run, &row->live[b]);
}

void search_release(heed_search *search, int row) {
    heed_batch_row *released = &search->batch[row];
    if (released->state == ROW_FREE) return;
    drop_rows(search, released);
    released->rules->n_sentences--;
    released->state = ROW_FREE;
}

void search_end(heed_search *search) {
    for (int i = 0; i < search->max_batch; i++) search_release(search, i);
    search->active = 0;
}

static heed_batch_row *oldest_waiting(heed_search *search) {
    heed_batch_row *oldest = NULL;
    for (int i = 0; i < search->max_batch; i++) {
        heed_batch_row *row = &search->batch[i];
        if (row->state == ROW_WAITING && (!oldest || row->age < oldest->age)) oldest = row;
    }
    return oldest;
}

static int count_running(const heed_search *search) {
    int n = 0;
    for (int i = 0; i < search->max_batch; i++) n += search->batch[i].state == ROW_RUNNING;
    return n;
}

/* Start a sentence: take cache rows for its source, and begin with one empty target. */
static void enter(heed_search *search, heed_batch_row *row) {
    for (int t = 0; t < row->n_source; t++) row->source_cache_rows[t] = cache_take(&search->run->cache);
    row->live[0].n_ids = row->live[0].n_cache_rows = 0;
    row->live[0].log_prob = 0.0;
    row->n_live = 1;
    row->n_ended = 0;
    row->state = ROW_RUNNING;
}

int search_select(heed_search *search, const heed_search_options *rules, const int32_t *source, int n,
                  const int32_t *more, int n_more) {
    const heed_ids lists[] = {{rules->prefix, rules->n_prefix},
                              {rules->eos, rules->n_eos},
                              {rules->forced_bos, rules->n_forced_bos},
                              {rules->forced_eos, rules->n_forced_eos},
                              {more, n_more}};
    const int n_lists = sizeof lists / sizeof lists[0];
    return shortlist_select(search->run->model, search->selected, source, n, lists, n_lists);
}

static int has_shortlist(const heed_search *search, const heed_batch_row *row) {
    return search->selected && row->rules->options.shortlist;
}

/* The first of n output rows that are free, side by side, or -1. */
static int find_outputs(const heed_search *search, int n) {
    int at = 0;
    for (int i = 0; i < search->max_batch && at + n <= search->outputs.weight.rows; i++) {
        const heed_batch_row *row = &search->batch[i];
        const int end = row->first_output + panel_rows(row->n_outputs);
        if (row->n_outputs == 0 || row->first_output >= at + n || end <= at) continue;
        at = end;
        i = -1; /* what was passed may reach there */
    }
    return at + n <= search->outputs.weight.rows ? at : -1;
}

/*
 * Copy the output rows that a new sentence needs, if it has a shortlist.  Returns 0 if it must wait for others to free
 * theirs.
 */
static int take_outputs(heed_search *search, heed_batch_row *row) {
    if (!has_shortlist(search, row)) return 1;
    const int n = search_select(search, &row->rules->options, row->source, row->n_source, NULL, 0);
    if (panel_rows(n) > search->outputs.weight.rows) return 1; /* too many: all logits are computed */
    const int first = find_outputs(search, panel_rows(n));
    if (first < 0) return 0;
    output_copy(&search->outputs, first, search->run->model, search->selected, n);
    memcpy(search->output_ids + first, search->selected, (size_t)n * sizeof *search->selected);
    row->first_output = first;
    row->n_outputs = n;
    return 1;
}

/*
 * The most cache rows that a sentence takes, without reads_all_past: its source, and for each beam the cell of the last
 * token and the next one's.
 */
static int most_rows(const heed_batch_row *row) { return row->n_source + 2 * row->rules->options.beams; }

/*
 * Whether there are cache rows for a waiting sentence.  Without reads_all_past, running sentences keep the rights to
 * the most that they can take, so that none is ever put back.  Else a margin, for about as many tokens as the source
 * has, keeps the new sentence from being put back at once.
 */
static int has_rows(const heed_search *search, const heed_batch_row *row) {
    const heed_cache *cache = &search->run->cache;
    if (search->run->model->arch.decoder.reads_all_past)
        return cache->n_free >= row->n_source * (1 + row->rules->options.beams);
    int rows = most_rows(row);
    for (int i = 0; i < search->max_batch; i++)
        if (search->batch[i].state == ROW_RUNNING) rows += most_rows(&search->batch[i]);
    return rows <= cache->n_rows;
}

/*
 * Encode waiting sentences, oldest first, as many as fit into one pass, until there are no cache rows or output rows
 * for the next.  If none runs, there are rows for any.
 */
static void admit(heed_search *search) {
    heed_run *run = search->run;
    heed_batch_row *row;
    int running = count_running(search);
    for (;;) {
        int n = 0, rows = 0, first = 0;
        while ((row = oldest_waiting(search)) != NULL && rows + row->n_source <= run->max_rows) {
            if (running > 0 && !has_rows(search, row)) break;
            if (!take_outputs(search, row)) break;
            memcpy(search->newcomers + rows, row->source, (size_t)row->n_source * sizeof *row->source);
            search->lengths[n] = row->n_source;
            search->token_row[n++] = (int32_t)(row - search->batch);
            rows += row->n_source;
            enter(search, row);
            running++;
        }
        if (n == 0) return;
        encoder_forward(run, search->newcomers, search->lengths, n);
        for (int i = 0; i < n; i++) {
            row = &search->batch[search->token_row[i]];
            decoder_read_source(run, first, row->n_source, row->source_cache_rows);
            first += row->n_source;
        }
    }
}

/* Put the youngest running sentence back to wait.  It is never the only one, because the cache has rows for one. */
static void evict_youngest(heed_search *search) {
    heed_batch_row *youngest = NULL;
    for (int i = 0; i < search->max_batch; i++) {
        heed_batch_row *row = &search->batch[i];
        if (row->state == ROW_RUNNING && (!youngest || row->age > youngest->age)) youngest = row;
    }
    drop_rows(search, youngest);
    youngest->n_live = youngest->n_before = 0;
    youngest->state = ROW_WAITING;
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

/* The decoder's pass over the tokens.  If rules of one ask for it, weights of the last cross-attention are kept. */
static void read_tokens(heed_search *search, int n) {
    float **point = &search->run->points[search->attended->first_point + AT_WEIGHTS];
    search->n_tokens = 0;
    for (int i = 0; i < n && search->n_tokens == 0; i++)
        if (search->batch[search->token_row[i]].rules->options.attention) search->n_tokens = n;
    search->n_keys = decoder_keys(search->tokens, n);
    if (search->n_tokens > 0) *point = search->weights;
    decoder_forward(search->run, search->tokens, n);
    *point = NULL;
}

int search_attention(const heed_search *search, int row, const int32_t *heads, int n_heads, float *out) {
    const heed_batch_row *of = &search->batch[row];
    int n = 0;
    if (of->n_before == 0 || !of->rules->options.attention) return 0;
    for (int t = 0; t < search->n_tokens; t++) {
        if (search->token_row[t] != row) continue;
        for (int i = 0; i < n_heads; i++, out += of->n_source)
            memcpy(out, search->weights + ((size_t)heads[i] * search->n_tokens + t) * search->n_keys,
                   (size_t)of->n_source * sizeof *out);
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

int candidates_of(const heed_search_options *rules) { return rules->beams == 1 ? 1 : 2 * rules->beams; }

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
            else if (has_shortlist(search, row)) keep_selected(search, row, &logits);
            row->n_candidates[b] = next_candidates(row->candidates + (size_t)b * k, k, &logits, &row->live[b], b, left,
                                                   rules, search->penalised);
        }
    }
}

/* 0 for a log-probability of 0, even if the length is 0 too. */
static float score_of(double log_prob, int length, float length_penalty) {
    return log_prob < 0.0 ? (float)(log_prob / pow(length, length_penalty)) : 0.0f;
}

/* How many new ids at the end are an incomplete character, which other rules left no way to complete. */
static int count_open(const heed_target *target, const heed_search_options *rules) {
    const int n_new = target->n_ids - rules->n_prefix, open = bytes_open(target->ids, target->n_ids, rules);
    return open < n_new ? open : n_new;
}

/*
 * Keep an ended target if it is among the N best.  last_id: the id that ends it, or -1 if there is none; then an
 * incomplete character at the end is removed.
 */
static void keep_ended(heed_batch_row *row, const heed_search_options *rules, const heed_target *target,
                       int32_t last_id, double log_prob, int finished) {
    const int n_old = last_id < 0 ? target->n_ids - count_open(target, rules) : target->n_ids, n_last = last_id >= 0;
    const float score = score_of(log_prob, target->n_ids + n_last - rules->n_prefix, rules->length_penalty);
    if (row->n_ended == rules->beams && !(score > row->ended[row->n_ended - 1].score)) return;

    int at = row->n_ended < rules->beams ? row->n_ended++ : row->n_ended - 1;
    heed_target room = row->ended[at];
    for (; at > 0 && row->ended[at - 1].score < score; at--) row->ended[at] = row->ended[at - 1];
    memcpy(room.ids, target->ids, (size_t)n_old * sizeof *room.ids);
    if (n_last) room.ids[n_old] = last_id;
    room.n_ids = n_old + n_last;
    room.log_prob = log_prob;
    room.score = score;
    room.finished = finished;
    row->ended[at] = room;
}

/* *next is the target and one more id; both share the target's cache rows. */
static void extend(heed_run *run, heed_target *next, const heed_target *target, const heed_candidate *c) {
    memcpy(next->ids, target->ids, (size_t)target->n_ids * sizeof *next->ids);
    memcpy(next->cache_rows, target->cache_rows, (size_t)target->n_cache_rows * sizeof *next->cache_rows);
    next->ids[target->n_ids] = c->id;
    next->n_ids = target->n_ids + 1;
    next->n_cache_rows = target->n_cache_rows;
    next->log_prob = c->log_prob;
    cache_share(&run->cache, next->cache_rows, next->n_cache_rows);
}

/* Whether the last id continues a loop that is too long.  Never before min_tokens, nor within a character of bytes. */
static int loops(const heed_batch_row *row, const heed_target *target, const heed_search_options *rules) {
    const int n = target->n_ids - rules->n_prefix;
    return row->loop_limit > 0 && n > rules->min_tokens && bytes_open(target->ids, target->n_ids - 1, rules) == 0 &&
           runaway_loops(target->ids + rules->n_prefix, n, row->loop_limit);
}

/*
 * Takes the best candidate that was not taken yet, or returns NULL.  The candidates of each beam are sorted, and
 * heads [n_live] are the next of each.
 */
static heed_candidate *take_best(const heed_batch_row *row, int32_t *heads, int k) {
    int best = -1;
    for (int b = 0; b < row->n_live; b++) {
        if (heads[b] == row->n_candidates[b]) continue;
        if (best < 0 || candidate_precedes(&row->candidates[(size_t)b * k + heads[b]],
                                           &row->candidates[(size_t)best * k + heads[best]]))
            best = b;
    }
    return best < 0 ? NULL : &row->candidates[(size_t)best * k + heads[best]++];
}

static void finish(heed_search *search, heed_batch_row *row) {
    drop_rows(search, row);
    row->n_live = 0;
    row->state = ROW_FINISHED;
}

/* Whether N targets have ended, and by early_stopping no live target (of n_new ids) counts as better. */
static int is_done(const heed_batch_row *row, const heed_search_options *rules, int n_new) {
    const float penalty = rules->length_penalty;
    if (row->n_ended < rules->beams || rules->early_stopping == HEED_EARLY_TRUE) return row->n_ended >= rules->beams;
    /* with a positive penalty, a longer target divides its sum by more */
    const int length = rules->early_stopping == HEED_EARLY_NEVER && penalty > 0.0f ? row->max_tokens : n_new;
    return score_of(row->live[0].log_prob, length, penalty) <= row->ended[row->n_ended - 1].score;
}

/* Choose the next live targets from this step's candidates; the sentence may finish. */
static void advance(heed_search *search, heed_batch_row *row, int32_t *heads) {
    const heed_search_options *rules = &row->rules->options;
    const int N = rules->beams, k = candidates_of(rules);
    const int most = N == 1 ? 1 : N * (rules->n_eos > 1 ? 1 + rules->n_eos : 2);
    const int n_new = row->live[0].n_ids + 1 - rules->n_prefix; /* <= 0 in the prefix, where no id ends */
    const int is_last = n_new >= row->max_tokens;
    const int is_forced = n_new == rules->max_tokens && rules->n_forced_eos > 0;
    heed_candidate *c;
    int n_next = 0;

    memset(heads, 0, (size_t)row->n_live * sizeof *heads);
    /* candidates that continue a loop have no rank */
    for (int taken = 0, rank = 0; taken < most && n_next < N && !(is_last && rank >= N); taken++) {
        if ((c = take_best(row, heads, k)) == NULL) break;
        const heed_target *target = &row->live[c->beam];
        if (n_new < 1 || !next_ends(rules, c->id)) {
            heed_target *next = &row->next[n_next];
            extend(search->run, next, target, c);
            if (loops(row, next, rules)) {
                drop_target(search->run, next);
                continue;
            }
            c->fate = n_next++;
            if (is_last) keep_ended(row, rules, next, -1, next->log_prob, 0);
        } else if (rank < N) {
            c->fate = HEED_ENDED;
            keep_ended(row, rules, target, c->id, c->log_prob, !is_forced);
        }
        rank++;
    }
    for (int b = 0; n_next == 0 && row->n_ended == 0 && b < row->n_live; b++) /* nothing can follow: end */
        keep_ended(row, rules, &row->live[b], -1, row->live[b].log_prob, 0);
    for (int b = 0; b < row->n_live; b++) drop_target(search->run, &row->live[b]);

    row->n_before = row->n_live;
    heed_target *live = row->next;
    row->next = row->live;
    row->live = live;
    row->n_live = n_next;
    if (n_next == 0 || is_last || is_done(row, rules, n_new)) finish(search, row);
}

/* Whether the logits of a live target are not finite. */
static int has_failed(const heed_batch_row *row) {
    for (int b = 0; b < row->n_live; b++)
        if (row->n_candidates[b] < 0) return 1;
    return 0;
}

int search_step(heed_search *search) {
    heed_run *run = search->run;
    admit(search);
    while (count_tokens(search) > run->cache.n_free) evict_youngest(search);

    const int n_tokens = gather_tokens(search);
    if (n_tokens > 0) {
        read_tokens(search, n_tokens);
        drop_past(search, n_tokens);
        choose_candidates(search, n_tokens);
        for (int i = 0; i < search->max_batch; i++) {
            heed_batch_row *row = &search->batch[i];
            if (row->state != ROW_RUNNING) continue;
            if (has_failed(row)) {
                row->n_ended = row->n_before = 0;
                finish(search, row);
            } else advance(search, row, search->heads);
        }
    }
    int unfinished = 0;
    for (int i = 0; i < search->max_batch; i++)
        unfinished += search->batch[i].state == ROW_WAITING || search->batch[i].state == ROW_RUNNING;
    return unfinished;
}
