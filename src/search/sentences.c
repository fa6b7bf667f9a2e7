/* sentences.c - sentences come and go: their rules, when each may run, and the rows it then holds.  See search.h. */
#include <string.h>

#include "kernels/kernels.h"
#include "search/search.h"

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
        row->n_live = row->n_ended = row->n_before = row->n_lexicon = 0;
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

void target_drop_rows(heed_run *run, heed_target *target) {
    cache_drop(&run->cache, target->cache_rows, target->n_cache_rows);
    target->n_cache_rows = 0;
}

void sentence_drop_rows(heed_search *search, heed_batch_row *row) {
    if (row->state != ROW_RUNNING) return;
    row->n_outputs = 0;
    cache_drop(&search->run->cache, row->source_cache_rows, row->n_source);
    for (int b = 0; b < row->n_live; b++) target_drop_rows(search->run, &row->live[b]);
}

void search_release(heed_search *search, int row) {
    heed_batch_row *released = &search->batch[row];
    if (released->state == ROW_FREE) return;
    sentence_drop_rows(search, released);
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
    row->live[0].log_prob = row->live[0].gain = 0.0;
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

int sentence_has_shortlist(const heed_search *search, const heed_batch_row *row) {
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
    if (!sentence_has_shortlist(search, row)) return 1;
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

void sentences_admit(heed_search *search) {
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

void sentences_evict_youngest(heed_search *search) {
    heed_batch_row *youngest = NULL;
    for (int i = 0; i < search->max_batch; i++) {
        heed_batch_row *row = &search->batch[i];
        if (row->state == ROW_RUNNING && (!youngest || row->age > youngest->age)) youngest = row;
    }
    sentence_drop_rows(search, youngest);
    youngest->n_live = youngest->n_before = 0;
    youngest->state = ROW_WAITING;
}
