/*
 * test_rules.c - the rules of search on one row of logits, against Hugging Face's logits processors said plainly in
 * double, with random settings.  Whole searches are compared with transformers' own results in tests/generate.test.js.
 */
#include <stdlib.h>

#include "check.h"
#include "random_model.h"
#include "search/search.h"

enum { V = 23, LONGEST = 12, LIST = 6 };

static uint32_t seed = 3;
static int pick(int n) { return (int)((random_float(&seed) + 1.0f) * 0.5f * (float)n) % n; }

typedef struct {
    int32_t prefix[LONGEST], bad_words[4 * LIST], eos[LIST], bos[2], end[2], suppress[LIST], begin[LIST];
    heed_search_options o;
} rules;

static int fill(int32_t *ids, int most) {
    const int n = pick(most + 1);
    for (int i = 0; i < n; i++) ids[i] = pick(V);
    return n;
}

static void random_rules(rules *r) {
    memset(r, 0, sizeof *r);
    heed_search_options *o = &r->o;
    o->beams = 1 + pick(4);
    o->max_tokens = 2 + pick(LONGEST - 2);
    o->prefix = r->prefix;
    o->n_prefix = pick(2) ? fill(r->prefix, 3) : 0;
    if (pick(2)) o->min_tokens = pick(8);
    if (pick(2)) o->no_repeat_ngram = 1 + pick(3);
    if (pick(3) == 0) o->repetition_penalty = pick(2) ? 1.5f : 0.8f;
    o->renormalize = pick(2);
    o->eos = r->eos;
    o->n_eos = 1 + pick(pick(3) ? 1 : LIST);
    for (int i = 0; i < o->n_eos; i++) r->eos[i] = (i * 5 + 2) % V;
    o->bad_words = r->bad_words;
    for (int words = pick(4); words > 0; words--) {
        const int n = 1 + pick(3);
        r->bad_words[o->n_bad_words++] = n;
        for (int i = 0; i < n; i++) r->bad_words[o->n_bad_words++] = pick(V);
    }
    o->forced_bos = r->bos;
    o->n_forced_bos = pick(3) ? 0 : 1;
    r->bos[0] = pick(V);
    o->forced_eos = r->end;
    o->n_forced_eos = pick(3) ? 0 : 1 + pick(2);
    r->end[0] = 2;
    r->end[1] = 9;
    o->suppress = r->suppress;
    o->n_suppress = pick(2) ? 0 : fill(r->suppress, LIST);
    o->begin_suppress = r->begin;
    o->n_begin_suppress = pick(2) ? 0 : fill(r->begin, LIST);
}

static void log_softmax(double *x) {
    double sum = 0.0;
    for (int i = 0; i < V; i++) sum += exp(x[i]);
    for (int i = 0; i < V; i++) x[i] = x[i] > -INFINITY ? x[i] - log(sum) : -INFINITY;
}

static int is_any(const int32_t *list, int n, int id) {
    for (int i = 0; i < n; i++)
        if (list[i] == id) return 1;
    return 0;
}

/* Whether `word` [length] would be complete with the last of it after ids [n]. */
static int completes(const int32_t *word, int length, const int32_t *ids, int n) {
    return n >= length - 1 && (length == 1 || memcmp(ids + n - (length - 1), word, (size_t)(length - 1) * 4) == 0);
}

/* ids [n]: the start token, the prefix, and the new ones. */
static void process(double *scores, const int32_t *ids, int n, const heed_search_options *o) {
    const int prompt = 1 + o->n_prefix, max_length = prompt + o->max_tokens;
    if (o->beams > 1) log_softmax(scores);
    for (int id = 0; id < V; id++) {
        double *x = &scores[id];
        if (o->repetition_penalty != 0.0f && is_any(ids, n, id))
            *x = *x < 0.0 ? *x * (double)o->repetition_penalty : *x / (double)o->repetition_penalty;
        for (int at = 0; o->no_repeat_ngram && at + o->no_repeat_ngram <= n; at++)
            if (ids[at + o->no_repeat_ngram - 1] == id && completes(ids + at, o->no_repeat_ngram, ids, n))
                *x = -INFINITY;
        for (int at = 0; at < o->n_bad_words; at += o->bad_words[at] + 1)
            if (o->bad_words[at + o->bad_words[at]] == id && completes(o->bad_words + at + 1, o->bad_words[at], ids, n))
                *x = -INFINITY;
        if (n - prompt < o->min_tokens && is_any(o->eos, o->n_eos, id)) *x = -INFINITY;
        if (n == 1 && o->n_forced_bos) *x = is_any(o->forced_bos, o->n_forced_bos, id) ? 0.0 : -INFINITY;
        if (n == max_length - 1 && o->n_forced_eos) *x = is_any(o->forced_eos, o->n_forced_eos, id) ? 0.0 : -INFINITY;
        if (is_any(o->suppress, o->n_suppress, id)) *x = -INFINITY;
        if (n == (prompt > 1 || !o->n_forced_bos ? prompt : 2) && is_any(o->begin_suppress, o->n_begin_suppress, id))
            *x = -INFINITY;
    }
    if (o->beams == 1 || o->renormalize) log_softmax(scores);
}

/* rows with nothing allowed, one id, penalties, many ends, ends that were dropped, overflows */
static int kinds[6];

static void test_row(void) {
    rules r;
    float logits[V], row[V], room[LONGEST + 4];
    int32_t ids[LONGEST + 4];
    double want[V];
    random_rules(&r);
    const int prompt = 1 + r.o.n_prefix, n = prompt + pick(r.o.max_tokens), N = r.o.beams, k = N == 1 ? 1 : 2 * N;
    for (int i = 0; i < n; i++) ids[i] = pick(V);
    memcpy(ids + 1, r.prefix, (size_t)r.o.n_prefix * sizeof *ids);
    for (int i = 0; i < V; i++) want[i] = (double)(row[i] = logits[i] = 4.0f * random_float(&seed));
    process(want, ids, n, &r.o);

    const heed_target target = {.ids = ids + 1, .n_ids = n - 1, .log_prob = -1.5};
    heed_candidate found[2 * LIST];
    const int left = r.o.max_tokens - (n - prompt);
    const int n_found = next_candidates(found, k, &(heed_scores){row, NULL, V}, &target, 3, left, &r.o, NULL, room);
    if (N == 1) {
        /* the same id without probabilities, and the same failures */
        heed_candidate alike[1];
        heed_search_options unscored = r.o;
        unscored.unscored = 1;
        memcpy(row, logits, sizeof row);
        CHECK_INT(next_candidates(alike, 1, &(heed_scores){row, NULL, V}, &target, 3, left, &unscored, NULL, room),
                  n_found);
        if (n_found) CHECK(alike[0].id == found[0].id && alike[0].beam == 3 && alike[0].log_prob == -1.5);
        const int at = 1 + pick(V - 1);
        for (int kind = 0; kind < 2; kind++) {
            float twin[V];
            memcpy(row, logits, sizeof row);
            row[at] = kind ? NAN : INFINITY;
            memcpy(twin, row, sizeof row);
            const int want_n =
                next_candidates(found, 1, &(heed_scores){twin, NULL, V}, &target, 3, left, &r.o, NULL, room);
            CHECK_INT(next_candidates(alike, 1, &(heed_scores){row, NULL, V}, &target, 3, left, &unscored, NULL, room),
                      want_n);
            kinds[5] += want_n < 0;
        }
        memcpy(row, logits, sizeof row);
        next_candidates(found, 1, &(heed_scores){row, NULL, V}, &target, 3, left, &r.o, NULL, room);
    }
    int allowed = 0, goes_on = 0;
    for (int id = 0; id < V; id++) allowed += want[id] > -INFINITY;
    kinds[0] += allowed == 0;
    kinds[1] += allowed == 1;
    kinds[2] += r.o.repetition_penalty != 0.0f;
    kinds[3] += r.o.n_eos > N && N > 1;
    CHECK(n_found <= k && (allowed == 0) == (n_found == 0));
    for (int i = 0; i < n_found; i++) {
        const int id = found[i].id;
        /* 32-bit logits of 4 at most, and a penalty of 1.5: each of three roundings is 2^-22 at most */
        CHECK(found[i].beam == 3 && fabs(found[i].log_prob + 1.5 - want[id]) < 4e-6);
        CHECK(i == 0 || found[i].log_prob <= found[i - 1].log_prob);
        for (int j = 0; j < i; j++) CHECK(found[j].id != id);
        goes_on += !next_ends(&r.o, id);
    }
    /* all that is better than the last that goes on is there, but for ends that rank N or lower */
    int might = 0, dropped = 0;
    for (int id = 0; id < V; id++) {
        int rank = 0, is_there = 0;
        for (int other = 0; other < V; other++) rank += want[other] > want[id] + 1e-5;
        for (int i = 0; i < n_found; i++) is_there |= found[i].id == id;
        if (!(want[id] > -INFINITY)) CHECK(!is_there);
        else if (rank + 1 < N || (N == 1 && rank == 0)) {
            int ties = 0; /* of two that float cannot tell apart either may come first */
            for (int other = 0; other < V; other++) ties += other != id && fabs(want[other] - want[id]) <= 1e-5;
            CHECK(is_there || ties);
        }
        might += want[id] > -INFINITY && !next_ends(&r.o, id);
        dropped += !is_there && next_ends(&r.o, id) && rank < k;
    }
    kinds[4] += dropped > 0 && N > 1;
    if (N > 1) CHECK(goes_on >= (might < N ? might : N));
}

int main(void) {
    for (int i = 0; i < 20000; i++) test_row();
    for (int i = 0; i < 6; i++) CHECK(kinds[i] > 100); /* else there was nothing to see */

    /* an overflow is told where a rule leaves one id, or none */
    rules r;
    int32_t ids[2] = {0, 1};
    float room[4];
    heed_candidate found[4];
    const heed_target target = {.ids = ids + 1};
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int kind = 0; kind < 12; kind++) {
        float logits[V];
        memset(&r, 0, sizeof r);
        for (int i = 0; i < V; i++) logits[i] = bad[kind % 3];
        r.o = (heed_search_options){.beams = 1 + kind % 2, .max_tokens = 4, .n_eos = 1, .eos = r.eos};
        r.o.n_forced_bos = kind % 4 == 1;
        r.o.forced_bos = r.bos;
        r.o.renormalize = kind > 5;
        const heed_scores scores = {logits, NULL, V};
        CHECK_INT(next_candidates(found, kind % 2 ? 4 : 1, &scores, &target, 0, 4, &r.o, NULL, room), -1);
    }
    return check_summary("rules");
}
