/*
 * test_ngrams.c - searches with n-grams: each step against a plain list of n-grams and a teacher-forced pass in double,
 * the same results in any company, nothing changed without a weight, and what is refused.
 */
#include "check.h"
#include "guard.h"
#include "model/model.h"
#include "random_model.h"
#include "results.h"

/* EOS is an id that this random model says now and then. */
enum { V = 61, EOS = 25, START = V, HEADS = 4, N_SENTENCES = 16, MAX_SOURCE = 9, MAX_TARGET = 14 };

static uint32_t seed = 11;
static int pick(int n) { return (int)((random_float(&seed) + 1.0f) * 0.5f * (float)n) % n; }

/* ------------------------------------------------------------------------------- the twin */

enum { LONGEST = 4, MOST_ITEMS = 900, MOST_BYTES = 8192 };

/* Ids and a number: an n-gram and its gain, or a context and what it keeps.  Both are in quarters. */
typedef struct {
    int32_t ids[LONGEST];
    int n, value;
} item;

typedef struct {
    item items[MOST_ITEMS];
    int n, is_sorted;
} item_list;

static item_list grams, contexts;

static int compare_ids(const int32_t *a, int n_a, const int32_t *b, int n_b) {
    if (n_a != n_b) return n_a - n_b;
    for (int i = 0; i < n_a; i++)
        if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}

static int compare_items(const void *a, const void *b) {
    const item *x = a, *y = b;
    return compare_ids(x->ids, x->n, y->ids, y->n);
}

static const item *find_item(const item_list *list, const int32_t *ids, int n) {
    item key = {.n = n};
    memcpy(key.ids, ids, (size_t)n * sizeof *ids);
    if (list->is_sorted) return bsearch(&key, list->items, (size_t)list->n, sizeof key, compare_items);
    for (int i = 0; i < list->n; i++)
        if (compare_items(&list->items[i], &key) == 0) return &list->items[i];
    return NULL;
}

static void add_item(item_list *list, const int32_t *ids, int n, int value) {
    item *added = &list->items[list->n++];
    memcpy(added->ids, ids, (size_t)n * sizeof *ids);
    added->n = n;
    added->value = value;
}

/* An n-gram with what it needs: itself without the first id and without the last, and its context. */
static void add_gram(const int32_t *ids, int n) {
    if (find_item(&grams, ids, n)) return;
    if (n > 2) {
        add_gram(ids, n - 1);
        add_gram(ids + 1, n - 1);
    }
    /* longer ones gain more, so that searches choose them */
    add_item(&grams, ids, n, pick(4) ? pick(41) - 20 + 6 * (n - 2) : pick(256) - 128);
    if (!find_item(&contexts, ids, n - 1)) add_item(&contexts, ids, n - 1, pick(4) ? pick(16) : pick(256));
}

/* Most have few different ids, so that searches meet long ones; some end the target. */
static void make_grams(void) {
    static const int32_t COMMON[] = {EOS, 3, 9, 10, 17, 21};
    const int32_t last[2] = {V - 1, V - 1}, begin[2] = {START, 0};
    memset(&grams, 0, sizeof grams);
    memset(&contexts, 0, sizeof contexts);
    while (grams.n + 8 < MOST_ITEMS) {
        int32_t ids[LONGEST];
        const int n = 2 + pick(LONGEST - 1), is_common = pick(5) > 0;
        for (int i = 0; i < n; i++) ids[i] = is_common ? COMMON[pick(6)] : pick(V);
        if (pick(3) == 0) ids[0] = START;
        add_gram(ids, n);
    }
    add_gram(last, 2);
    add_gram(begin, 2);
    grams.items[0].value = 127;
    grams.items[1].value = -128;
    contexts.items[0].value = 255;
    qsort(grams.items, (size_t)grams.n, sizeof grams.items[0], compare_items);
    qsort(contexts.items, (size_t)contexts.n, sizeof contexts.items[0], compare_items);
    grams.is_sorted = contexts.is_sorted = 1;
}

static size_t put_varint(uint8_t *to, size_t at, uint32_t x) {
    for (; x >= 128; x >>= 7) to[at++] = (uint8_t)(x | 128);
    to[at++] = (uint8_t)x;
    return at;
}

static int count_grams(int n) {
    int found = 0;
    for (int i = 0; i < grams.n; i++) found += grams.items[i].n == n;
    return found;
}

/* The number of grams of n ids with this context [n - 1]. */
static int count_after(const int32_t *context, int n) {
    int found = 0;
    for (int i = 0; i < grams.n; i++)
        found += grams.items[i].n == n && compare_ids(grams.items[i].ids, n - 1, context, n - 1) == 0;
    return found;
}

/* Context i of the n-grams of n ids, in the order of the bytes; 0: there are no more. */
static int context_at(int n, int i, int32_t *context) {
    if (n == 2) {
        context[0] = i;
        return i <= START;
    }
    for (int at = 0; at < grams.n; at++) {
        if (grams.items[at].n != n - 1 || i-- > 0) continue;
        memcpy(context, grams.items[at].ids, (size_t)(n - 1) * sizeof *context);
        return 1;
    }
    return 0;
}

/* The bytes as heed.h describes them. */
static size_t write_grams(uint8_t *to) {
    int32_t context[LONGEST];
    size_t at = 4;
    memcpy(to, "NGR1", 4);
    at = put_varint(to, at, V);
    for (int n = 2; n <= LONGEST; n++) at = put_varint(to, at, (uint32_t)count_grams(n));
    for (int n = 2; n <= LONGEST; n++) {
        for (int i = 0; context_at(n, i, context); i++) at = put_varint(to, at, (uint32_t)count_after(context, n));
        for (int i = 0, previous = -1; i < grams.n; i++) {
            const item *gram = &grams.items[i];
            uint32_t passed = 0;
            if (gram->n != n) continue;
            if (previous < 0 || compare_ids(gram->ids, n - 1, gram[-1].ids, n - 1) != 0) previous = -1;
            for (int32_t id = previous + 1; id < gram->ids[n - 1]; id++) {
                memcpy(context, gram->ids, (size_t)n * sizeof *context);
                context[n - 1] = id;
                passed += n == 2 || find_item(&grams, context + 1, n - 1) != NULL;
            }
            at = put_varint(to, at, passed);
            previous = gram->ids[n - 1];
        }
        for (int i = 0; i < grams.n; i++)
            if (grams.items[i].n == n) to[at++] = (uint8_t)(int8_t)grams.items[i].value;
        for (int i = 0; context_at(n, i, context); i++)
            if (count_after(context, n) > 0) to[at++] = (uint8_t)find_item(&contexts, context, n - 1)->value;
    }
    return at;
}

/* How often each case of the twin came up, of the ids that were chosen. */
static struct {
    int level[LONGEST], start[LONGEST], negative, kept, shorter; /* level 0: in no list */
    int steps, changed, better_than_certain, ended, positive_score, unfinished, forced, dropped, penalised, lexicon;
} seen;

/* What an id gains after ids [n], in quarters.  *length: of the context whose list has it; *kept: by longer ones. */
static int gain_plainly(const int32_t *ids, int n, int32_t id, int *length, int *kept) {
    int32_t gram[LONGEST];
    *kept = 0;
    for (*length = n + 1 < LONGEST - 1 ? n + 1 : LONGEST - 1; *length > 0; --*length) {
        for (int i = 0; i < *length; i++) gram[i] = n - *length + i < 0 ? START : ids[n - *length + i];
        gram[*length] = id;
        const item *listed = find_item(&grams, gram, *length + 1), *context = find_item(&contexts, gram, *length);
        if (listed) return listed->value - *kept;
        if (context) *kept += context->value;
    }
    return -*kept;
}

/* The weighted gains of the ids [n] after the prefix. */
static double gain_of_target(const heed_search_options *rules, const int32_t *ids, int n) {
    int sum = 0, length, kept;
    for (int t = rules->n_prefix; t < n; t++) sum += gain_plainly(ids, t, ids[t], &length, &kept);
    return (double)rules->ngrams * 0.25 * sum;
}

static void note_choice(const int32_t *ids, int n, int32_t id) {
    int length, kept;
    const int gain = gain_plainly(ids, n, id, &length, &kept);
    seen.level[length]++;
    if (length == n + 1) seen.start[length]++;
    seen.negative += gain < 0;
    seen.kept += kept > 0;
    seen.shorter += length > 0 && length < LONGEST - 1 && kept > 0;
}

/* ------------------------------------------------------------------------------- sentences */

enum { ROOM = 40 };
typedef struct {
    int32_t source[MAX_SOURCE], entries[ROOM]; /* of a lexicon */
    int n, n_entries, head;
} sentence;

static sentence corpus[N_SENTENCES];

static void make_sentence(sentence *s) {
    memset(s, 0, sizeof *s);
    s->n = 1 + pick(MAX_SOURCE);
    s->head = pick(HEADS);
    for (int t = 0; t < s->n; t++) s->source[t] = pick(V);
    while (s->n_entries + 7 <= 7 * s->n && s->n_entries + 7 <= ROOM) {
        int32_t *entry = s->entries + s->n_entries;
        entry[0] = pick(s->n);
        entry[1] = entry[0] + 1;
        entry[2] = pick(1001);
        entry[3] = HEED_PLACE_ANY;
        entry[4] = 2;
        for (int i = 0; i < 2; i++) entry[5 + i] = pick(V);
        s->n_entries += 7;
    }
}

/* --------------------------------------------------------------------------------- searches */

/* The settings of a search that are not rules. */
typedef struct {
    const heed_model *model;
    heed_session *alone; /* for teacher-forced passes */
    int32_t point;       /* of the weights of the last cross-attention */
    int has_lexicon;
} twin;

static double log_sum(const double x[V]) {
    double most = -INFINITY, sum = 0.0;
    for (int id = 0; id < V; id++) most = x[id] > most ? x[id] : most;
    for (int id = 0; id < V; id++) sum += exp(x[id] - most);
    return most + log(sum);
}

/* Allows only these ids, with log-probability 0. */
static void force_plainly(double log_probs[V], const int32_t *ids, int n) {
    for (int id = 0; id < V; id++) log_probs[id] = -INFINITY;
    for (int i = 0; i < n; i++) log_probs[ids[i]] = 0.0;
    seen.forced++;
}

/* The log-probabilities [V] of what follows ids [n], without n-grams; ids has room for one more. */
static void next_plain(const twin *with, const heed_search_options *rules, const sentence *s, int32_t *ids, int n,
                       double out[V]) {
    static float weights[HEADS * (MAX_TARGET + 1) * MAX_SOURCE];
    const size_t T = (size_t)n + 1, S = (size_t)s->n; /* row n sees the ids before it */
    const int is_greedy = rules->beams == 1;
    float log_prob, log_probs[MAX_TARGET + 1] = {0}, changed[MAX_TARGET + 1];
    int has[V] = {1}; /* the start token is 0 */
    double total;
    if (n < rules->n_prefix) {
        force_plainly(out, rules->prefix + n, 1);
        return;
    }
    ids[n] = EOS;
    CHECK_INT(heed_inspect(with->alone, s->source, s->n, ids, n + 1, &with->point, 1, weights, HEADS * T * S), HEED_OK);
    if (rules->shortlist) CHECK_INT(heed_forward_shortlist(with->alone), HEED_OK);
    const float *logits = heed_forward_logits(with->alone, n, &log_prob);
    for (int id = 0; id < V; id++) out[id] = (double)logits[id];
    if (!is_greedy || with->has_lexicon) {
        total = log_sum(out);
        for (int id = 0; id < V; id++) out[id] -= total;
    }
    for (int id = 0; with->has_lexicon && id < V; id++) { /* test_lexicon.c has its twin */
        ids[n] = id;
        log_probs[n] = (float)out[id];
        CHECK_INT(heed_lexicon_log_probs(with->model, s->entries, s->n_entries, ids, n + 1,
                                         weights + (size_t)s->head * T * S, s->n, log_probs, changed),
                  HEED_OK);
        seen.lexicon += changed[n] > log_probs[n];
        out[id] = (double)changed[n];
    }
    for (int t = 0; t < n; t++) has[ids[t]] = 1;
    for (int id = 0; rules->repetition_penalty > 0.0f && id < V; id++) {
        if (!has[id]) continue;
        const double penalty = (double)rules->repetition_penalty;
        out[id] = out[id] < 0.0 ? out[id] * penalty : out[id] / penalty;
        seen.penalised++;
    }
    if (n == 0 && rules->n_forced_bos > 0) force_plainly(out, rules->forced_bos, rules->n_forced_bos);
    if (n - rules->n_prefix == rules->max_tokens - 1 && rules->n_forced_eos > 0)
        force_plainly(out, rules->forced_eos, rules->n_forced_eos);
    for (int i = 0; i < rules->n_suppress; i++) out[rules->suppress[i]] = -INFINITY;
    if (!is_greedy) return;
    total = log_sum(out);
    for (int id = 0; id < V; id++) out[id] -= total;
}

enum { BEAMS = 3, BATCH = 4, CANDIDATES = 2 * BEAMS * BEAMS };
typedef struct {
    int32_t ids[BEAMS][MAX_TARGET + 1];
    double log_prob[BEAMS];
    int n_ids;
} live;

static int ends(const heed_search_options *rules, int32_t id) {
    for (int i = 0; i < rules->n_eos; i++)
        if (rules->eos[i] == id) return 1;
    return 0;
}

/* Log-probabilities are added as floats; a gain that is wrong by a quarter is more. */
enum { PER_MILLION = 20 };
static int is_close(double got, double want) { return fabs(got - want) <= PER_MILLION * 1e-6 * (1.0 + fabs(want)); }

/* What became of the candidates, which have a rank each. */
static void check_fates(const heed_search_options *rules, const int32_t *id, const int32_t *fate, const double *rank,
                        int n, int has_begun) {
    const double NEAR = 1e-4;
    for (int i = 0; i < n; i++) {
        int n_better = 0, n_no_worse = 0;
        const int is_end = has_begun && ends(rules, id[i]);
        for (int j = 0; j < n; j++) {
            n_better += rank[j] > rank[i] + NEAR;
            n_no_worse += j != i && rank[j] >= rank[i] - NEAR;
            if (is_end || (has_begun && ends(rules, id[j])) || fate[i] < 0) continue;
            if (fate[j] == HEED_PRUNED || fate[j] > fate[i]) CHECK(rank[i] >= rank[j] - NEAR);
        }
        if (is_end) CHECK(fate[i] == HEED_ENDED ? n_better < rules->beams : n_no_worse >= rules->beams);
        if (!is_end) CHECK(fate[i] == HEED_PRUNED || (fate[i] >= 0 && fate[i] < rules->beams));
    }
}

/* The candidates of a step: those of the best sums of log-probability and gain. */
static void check_candidates(const twin *with, heed_session *session, int row, const sentence *s, live *before,
                             const heed_search_options *rules) {
    int32_t beam[CANDIDATES], id[CANDIDATES], fate[CANDIDATES], n = 0;
    const int k = rules->beams == 1 ? 1 : 2 * rules->beams, at = before->n_ids;
    float log_prob[CANDIDATES];
    double ranks[CANDIDATES], log_probs[V], rank[V];
    if (heed_search_candidates(session, row, beam, id, fate, log_prob, &n) == HEED_E_STATE) return; /* free */
    for (int i = 0, same; i < n; i += same) {
        double least = INFINITY, most = -INFINITY;
        int length, kept, likeliest = 0, allowed = 0, is_in[V] = {0};
        int32_t *ids = before->ids[beam[i]];
        const double sum = before->log_prob[beam[i]], gain = gain_of_target(rules, ids, at);
        next_plain(with, rules, s, ids, at, log_probs);
        for (int other = 0; other < V; other++) {
            rank[other] = log_probs[other];
            if (at >= rules->n_prefix)
                rank[other] += (double)rules->ngrams * 0.25 * gain_plainly(ids, at, other, &length, &kept);
            if (log_probs[other] > log_probs[likeliest]) likeliest = other;
        }
        for (int e = 0; rules->n_eos > rules->beams && rules->beams > 1 && e < rules->n_eos; e++) {
            int n_better = 0; /* an id that ends has to be among the best N */
            for (int other = 0; other < V; other++) n_better += rank[other] > rank[rules->eos[e]];
            if (n_better < rules->beams) continue;
            seen.dropped++;
            is_in[rules->eos[e]] = 1;
        }
        for (int other = 0; other < V; other++) allowed += rank[other] > -INFINITY && !is_in[other];
        for (same = 0; i + same < n && beam[i + same] == beam[i]; same++) {
            const int32_t found = id[i + same];
            const double want = rules->unscored ? 0.0 : sum + log_probs[found];
            ranks[i + same] = (rules->unscored ? 0.0 : sum) + gain + rank[found];
            CHECK(!is_in[found]);
            if (!CHECK(is_close((double)log_prob[i + same], want)))
                printf("    got %.9g, want %.9g; rank %.9g\n", (double)log_prob[i + same], want, rank[found]);
            if (want == 0.0) CHECK(log_prob[i + same] == 0.0f); /* unscored, or all of it was forced */
            CHECK(log_prob[i + same] <= 0.0f);
            CHECK(rank[found] <= least + 1e-4); /* best first */
            least = rank[found];
            is_in[found] = 1;
            seen.better_than_certain += ranks[i + same] > 0.0;
        }
        for (int other = 0; other < V; other++)
            if (!is_in[other] && rank[other] > most) most = rank[other];
        CHECK(same == (k < allowed ? k : allowed) && most <= least + 1e-4);
        seen.changed += id[i] != likeliest;
        seen.steps++;
        if (at >= rules->n_prefix) note_choice(ids, at, id[i]);
    }
    check_fates(rules, id, fate, ranks, n, at >= rules->n_prefix);
    for (int i = 0; i < n; i++) seen.ended += fate[i] == HEED_ENDED;
}

/* The live hypotheses of a sentence that goes on are made of the candidates with a rank. */
static void check_live(heed_session *session, int row, const live *before) {
    int32_t beam[CANDIDATES], id[CANDIDATES], fate[CANDIDATES], n;
    const int at = before->n_ids;
    float log_prob[CANDIDATES];
    if (heed_search_candidates(session, row, beam, id, fate, log_prob, &n) == HEED_E_STATE) return; /* free */
    for (int i = 0; i < n; i++) {
        heed_hypothesis h;
        if (fate[i] < 0) continue;
        CHECK_INT(heed_search_hypothesis(session, row, fate[i], &h), HEED_OK);
        CHECK(h.n == at + 1 && h.ids[at] == id[i] && h.log_prob == log_prob[i] && h.score == 0.0f);
        CHECK(memcmp(h.ids, before->ids[beam[i]], (size_t)at * sizeof *h.ids) == 0);
    }
}

/* The hypotheses of a finished sentence: the model's log-probability, and the score that orders them. */
static void check_hypotheses(const twin *with, heed_session *session, int row, const sentence *s,
                             const heed_search_options *rules) {
    const int n = heed_search_hypotheses(session, row);
    double log_probs[V], last = INFINITY;
    CHECK(n >= 1 && n <= rules->beams);
    for (int rank = 0; rank < n; rank++) {
        int32_t ids[MAX_TARGET + 1];
        double sum = 0.0, want;
        heed_hypothesis h;
        CHECK_INT(heed_search_hypothesis(session, row, rank, &h), HEED_OK);
        for (int t = 0; t < h.n; t++) {
            memcpy(ids, h.ids, (size_t)t * sizeof *ids);
            next_plain(with, rules, s, ids, t, log_probs);
            sum += log_probs[h.ids[t]];
        }
        want = (sum + gain_of_target(rules, h.ids, h.n)) /
               pow((double)(h.n - rules->n_prefix), (double)rules->length_penalty);
        CHECK(is_close((double)h.log_prob, rules->unscored ? 0.0 : sum));
        CHECK(is_close((double)h.score, rules->unscored ? 0.0 : want));
        CHECK((double)h.score <= last);
        last = (double)h.score;
        seen.positive_score += h.score > 0.0f;
        seen.unfinished += !h.finished;
    }
}

/* Sentences come one after another into a batch that runs; every step is that of the twin. */
static void test_twin(const heed_model *model, heed_search_options rules, int has_lexicon) {
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, BEAMS, BATCH};
    const heed_session_options pass = {MAX_SOURCE, MAX_TARGET + 1, 1, 1};
    static const int32_t END[1] = {EOS};
    static live before[BATCH];
    twin with = {model, NULL, point_named(model, "decoder.layers.2.encoder_attn.weights"), has_lexicon};
    int of[BATCH] = {0}, added = 0, done = 0;
    int32_t row, running;
    heed_session *session;
    heed_hypothesis h;
    if (rules.n_eos == 0) {
        rules.n_eos = 1;
        rules.eos = END;
    }
    rules.max_tokens = MAX_TARGET - rules.n_prefix;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_session_create(model, &pass, &with.alone), HEED_OK);
    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    for (int steps = 0; done < N_SENTENCES && steps < 1000; steps++) {
        const sentence *s = &corpus[added % N_SENTENCES];
        if (added < N_SENTENCES && heed_search_add(session, s->source, s->n, &row) == HEED_OK) {
            if (has_lexicon) CHECK_INT(heed_search_lexicon(session, row, s->head, s->entries, s->n_entries), HEED_OK);
            of[row] = added++;
        }
        memset(before, 0, sizeof before); /* what has just begun has one empty hypothesis */
        for (row = 0; row < BATCH; row++) {
            for (int rank = 0; rank < heed_search_hypotheses(session, row); rank++) {
                CHECK_INT(heed_search_hypothesis(session, row, rank, &h), HEED_OK);
                memcpy(before[row].ids[rank], h.ids, (size_t)h.n * sizeof *h.ids);
                before[row].log_prob[rank] = (double)h.log_prob;
                before[row].n_ids = h.n;
            }
        }
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (row = 0; row < BATCH; row++)
            check_candidates(&with, session, row, &corpus[of[row]], &before[row], &rules);
        for (int f; (f = heed_search_finished(session)) >= 0; done++) {
            check_hypotheses(&with, session, f, &corpus[of[f]], &rules);
            CHECK_INT(heed_search_release(session, f), HEED_OK);
        }
        for (row = 0; row < BATCH; row++) check_live(session, row, &before[row]);
    }
    CHECK_INT(done, N_SENTENCES);
    heed_session_free(with.alone);
    heed_session_free(session);
}

static const int32_t PREFIX[2] = {9, 10}, FORCED[2] = {4, 3}, FORCED_END[1] = {5}, ENDS[3] = {EOS, 3, 17};
static const int32_t NO[2] = {21, 9};

static const struct {
    heed_search_options rules;
    int has_lexicon;
} SEARCHES[] = {
    {{.beams = 1, .ngrams = 0.3f, .length_penalty = 1.0f}, 0},
    {{.beams = 1, .ngrams = 1.0f, .length_penalty = 1.0f, .unscored = 1}, 0},
    {{.beams = 3, .ngrams = 0.3f, .length_penalty = 1.0f}, 0},
    {{.beams = 3, .ngrams = 1.0f, .length_penalty = 0.6f, .early_stopping = HEED_EARLY_NEVER}, 0},
    {{.beams = 1, .ngrams = 0.5f, .n_prefix = 2, .prefix = PREFIX}, 0},
    {{.beams = 3, .ngrams = 0.5f, .n_prefix = 2, .prefix = PREFIX, .n_forced_bos = 1, .forced_bos = FORCED}, 0},
    {{.beams = 1, .ngrams = 0.5f, .n_forced_bos = 1, .forced_bos = FORCED}, 0},
    {{.beams = 2,
      .ngrams = 0.2f,
      .n_forced_bos = 2,
      .forced_bos = FORCED,
      .n_forced_eos = 1,
      .forced_eos = FORCED_END},
     0},
    {{.beams = 1, .ngrams = 0.3f, .repetition_penalty = 1.3f, .n_suppress = 2, .suppress = NO}, 0},
    {{.beams = 3, .ngrams = 0.3f, .repetition_penalty = 1.3f, .n_suppress = 2, .suppress = NO}, 0},
    {{.beams = 2, .ngrams = 0.3f, .length_penalty = 1.0f, .n_eos = 3, .eos = ENDS}, 0},
    {{.beams = 1, .ngrams = 0.1f, .length_penalty = 1.0f}, 1},
    {{.beams = 3, .ngrams = 0.1f, .length_penalty = 1.0f}, 1},
};

static void check_seen(int has_shortlist) {
    for (int length = 0; length < LONGEST; length++) CHECK(seen.level[length] > 10);
    for (int length = 1; length < LONGEST; length++) CHECK(seen.start[length] > 0);
    CHECK(seen.negative > 10 && seen.kept > 10 && seen.shorter > 10);
    CHECK(seen.changed > 100 && seen.steps > seen.changed + 10 && seen.better_than_certain > 10);
    CHECK(seen.ended > 10 && seen.unfinished > 10 && seen.positive_score > 0);
    CHECK(seen.forced > 10 && seen.dropped > 10 && seen.penalised > 10 && (seen.lexicon > 10) == !has_shortlist);
}

static void test_twins(int32_t *config, int n) {
    static uint8_t bytes[MOST_BYTES];
    static const int32_t NONE = 0;
    for (int kind = 0; kind < 4; kind++) {
        config_set(config, "decoder_cell", kind == 1 ? HEED_SSRU : HEED_SELF_ATTENTION);
        config_set(config, "dtype", kind == 2 ? HEED_I8 : HEED_F32);
        heed_model *model = random_model(config, n, 5, 4096);
        if (!CHECK(model != NULL)) return;
        if (kind == 3) CHECK_INT(heed_model_set_shortlist(model, 24, &NONE, 1, NULL, 0), HEED_OK);
        make_grams();
        CHECK_INT(heed_model_set_ngrams(model, bytes, write_grams(bytes)), HEED_OK);
        memset(bytes, -1, sizeof bytes); /* the model has copied them */
        memset(&seen, 0, sizeof seen);
        for (size_t i = 0; i < sizeof SEARCHES / sizeof SEARCHES[0]; i++) {
            heed_search_options rules = SEARCHES[i].rules;
            if (kind == 3 && SEARCHES[i].has_lexicon) continue; /* heed_lexicon_log_probs() knows no shortlist */
            rules.shortlist = kind == 3;
            for (int s = 0; s < N_SENTENCES; s++) make_sentence(&corpus[s]);
            const long failed = check_failed;
            test_twin(model, rules, SEARCHES[i].has_lexicon);
            if (check_failed > failed) printf("    kind %d, search %d\n", kind, (int)i);
        }
        check_seen(kind == 3);
        heed_model_free(model);
    }
    config_set(config, "decoder_cell", HEED_SELF_ATTENTION);
    config_set(config, "dtype", HEED_F32);
}

/* ---------------------------------------------------------------------------------- company */

/* The results of all sentences, so many at a time. */
static void translate(const heed_model *model, const heed_search_options *rules, int batch, result out[N_SENTENCES]) {
    const heed_session_options options = {MAX_SOURCE, RESULT_IDS, rules->beams, batch};
    int32_t sources[N_SENTENCES * MAX_SOURCE];
    int lengths[N_SENTENCES];
    for (int i = 0; i < N_SENTENCES; i++) {
        memcpy(sources + (size_t)i * MAX_SOURCE, corpus[i].source, sizeof corpus[i].source);
        lengths[i] = corpus[i].n;
    }
    results_of(model, &options, rules, sources, lengths, N_SENTENCES, out);
}

/*
 * Without a weight, n-grams change no bit; with one, the result is the same in any company, also of a sentence that
 * starts over, as those of RESULT_IDS tokens do; and the same ids are found without probabilities.
 */
static void test_company(const heed_model *plain, const heed_model *model, heed_search_options rules) {
    static result none[N_SENTENCES], all[N_SENTENCES], got[N_SENTENCES];
    int n_other = 0;
    rules.length_penalty = 1.0f;
    for (int i = 0; i < N_SENTENCES; i++) make_sentence(&corpus[i]);
    translate(plain, &rules, 1, none);
    translate(model, &rules, 1, got);
    CHECK(memcmp(none, got, sizeof got) == 0);
    translate(model, &rules, 5, got);
    CHECK(memcmp(none, got, sizeof got) == 0);
    rules.ngrams = 0.25f;
    translate(plain, &rules, 5, got); /* a weight for n-grams that the model does not have */
    CHECK(memcmp(none, got, sizeof got) == 0);
    translate(model, &rules, 1, all);
    for (int i = 0; i < N_SENTENCES; i++) n_other += memcmp(&none[i], &all[i], sizeof all[i]) != 0;
    CHECK(n_other > N_SENTENCES / 2);
    for (int batch = 2; batch <= N_SENTENCES; batch += 5) {
        translate(model, &rules, batch, got);
        CHECK(memcmp(all, got, sizeof got) == 0);
    }
    if (rules.beams > 1) return;
    rules.unscored = 1;
    translate(model, &rules, 5, got);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK(got[i].n == all[i].n && memcmp(got[i].ids, all[i].ids, sizeof got[i].ids) == 0);
        CHECK(got[i].log_prob == 0.0f && got[i].score == 0.0f);
    }
}

/* --------------------------------------------------------------------------------- refusals */

/*
 * V = 3; n-grams 0 1, 1 2, S 0, 0 1 2, S 0 1 and S 0 1 2, where S is the start.  Of each length: counts, passed ids,
 * gains, kept.
 */
static const uint8_t SMALL[] = {'N', 'G', 'R', '1', 3, 3, 2, 1,            /*    */
                                1,   1,   0,   1,   1, 2, 0, 8, 9, 10, 1, 2, 3, /*  8 */
                                1,   0,   1,   0,   0, 11, 12, 4, 5,       /* 21 */
                                0,   1,   0,   13,  6};                    /* 30 */
enum { N_SMALL = sizeof SMALL, MAGIC_AT = 0, V_AT = 4, SIZES_AT = 5 };

/* A copy that ends where its block ends: nothing after it is read. */
static heed_status set_copy(heed_model *model, const uint8_t *bytes, size_t n) {
    guard g;
    uint8_t *copy = guard_new(&g, n);
    memcpy(copy, bytes, n);
    const heed_status status = heed_model_set_ngrams(model, copy, n);
    CHECK(guard_end(&g));
    return status;
}

static void forget(heed_model *model) {
    arena_free_block(model->ngrams);
    model->ngrams = NULL;
}

/* One byte changed: what the bytes are refused for, and the nearest that are not. */
static void test_bytes(const int32_t *config, int n) {
    static const struct {
        int at, value;
        heed_status want;
    } CASES[] = {
        {MAGIC_AT, 'M', HEED_E_ARGUMENT},
        {MAGIC_AT + 3, '2', HEED_E_ARGUMENT},
        {V_AT, 2, HEED_E_ARGUMENT},
        {V_AT, 4, HEED_E_ARGUMENT},
        {SIZES_AT, 2, HEED_E_ARGUMENT}, /* fewer than the counts say, then more */
        {SIZES_AT, 4, HEED_E_ARGUMENT},
        {SIZES_AT, N_SMALL, HEED_E_ARGUMENT},
        {SIZES_AT, N_SMALL + 1, HEED_E_ARGUMENT},
        {SIZES_AT + 1, 1, HEED_E_ARGUMENT},
        {SIZES_AT + 1, 3, HEED_E_ARGUMENT},
        {SIZES_AT + 2, 0, HEED_E_ARGUMENT},
        {SIZES_AT + 2, 2, HEED_E_ARGUMENT},
        {8, 0, HEED_E_ARGUMENT}, /* how many a context has */
        {8, 2, HEED_E_ARGUMENT},
        {10, 1, HEED_E_ARGUMENT},
        {11, 0, HEED_E_ARGUMENT},
        {21, 0, HEED_E_ARGUMENT},
        {22, 1, HEED_E_ARGUMENT},
        {31, 0, HEED_E_ARGUMENT},
        {31, 2, HEED_E_ARGUMENT},
        {13, 2, HEED_OK}, /* the last id: of three, then past them */
        {13, 3, HEED_E_ARGUMENT},
        {12, 3, HEED_E_ARGUMENT},
        {14, 3, HEED_E_ARGUMENT},
        {14, 2, HEED_E_ARGUMENT}, /* S 2: 2 has no list for S 2 1 to be in */
        {24, 1, HEED_E_ARGUMENT}, /* after a shorter context with one id */
        {25, 1, HEED_E_ARGUMENT},
        {32, 1, HEED_E_ARGUMENT},
        {24, 127, HEED_E_ARGUMENT},
        {15, 0x80, HEED_OK}, /* any gain, and any that is kept */
        {34, 0xff, HEED_OK},
    };
    /* two n-grams after 0 and none else: their last ids are 0 and 2, then 0 and 3 */
    static const uint8_t PAIR[] = {'N', 'G', 'R', '1', 3, 2, 0, 0, 2, 0, 0, 0, 0, 1, 8, 9, 1, 0, 0};
    enum { SECOND = 13 };
    /* counts that do not add up: one of two n-grams; and 3, 2^32 - 1, which are 2 if they wrap around */
    static const uint8_t LESS[] = {'N', 'G', 'R', '1', 3, 2, 0, 0, 1, 0, 0, 0, 0, 8, 9, 1, 0, 0};
    static const uint8_t WRAPPED[] = {'N',  'G',  'R',  '1', 3, 2, 0, 0, 3, 0xff, 0xff, 0xff,
                                      0xff, 0x0f, 0,    0,   0, 0, 0, 8, 9, 1,    0,    0};
    int32_t small[MAX_CONFIG];
    uint8_t bytes[N_SMALL + 1] = {0};
    heed_model *model;
    memcpy(small, config, sizeof small);
    config_set(small, "vocab_size", 3);
    config_set(small, "decoder_vocab_size", 3);
    config_set(small, "eos_token_id", 2);
    if (!CHECK_INT(heed_model_create(small, n, &model, NULL), HEED_OK)) return;
    CHECK_INT(heed_model_set_ngrams(model, NULL, 0), HEED_E_ARGUMENT);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        memcpy(bytes, SMALL, N_SMALL);
        bytes[CASES[i].at] = (uint8_t)CASES[i].value;
        if (!CHECK_INT(set_copy(model, bytes, N_SMALL), CASES[i].want)) printf("    case %d\n", (int)i);
        CHECK((model->ngrams != NULL) == (CASES[i].want == HEED_OK));
        forget(model);
    }
    /* any byte at all: of gains and of what is kept all are good, of the others at least that which is there */
    for (int at = 0; at < N_SMALL; at++) {
        int n_good = 0;
        memcpy(bytes, SMALL, N_SMALL);
        for (int value = 0; value < 256; value++) {
            bytes[at] = (uint8_t)value;
            const heed_status status = set_copy(model, bytes, N_SMALL);
            CHECK(status == HEED_OK || status == HEED_E_ARGUMENT);
            n_good += status == HEED_OK;
            CHECK(value != SMALL[at] || status == HEED_OK);
            forget(model);
        }
        const int is_free = (at >= 15 && at < 21) || (at >= 26 && at < 30) || at >= 33;
        CHECK(is_free ? n_good == 256 : n_good >= 1 && n_good <= 3);
    }
    for (size_t n_bytes = 0; n_bytes < N_SMALL; n_bytes++)
        CHECK_INT(set_copy(model, SMALL, n_bytes), HEED_E_ARGUMENT);
    memcpy(bytes, SMALL, N_SMALL);
    bytes[N_SMALL] = 0;
    CHECK_INT(set_copy(model, bytes, N_SMALL + 1), HEED_E_ARGUMENT);
    memcpy(bytes, PAIR, sizeof PAIR);
    CHECK_INT(set_copy(model, bytes, sizeof PAIR), HEED_OK);
    forget(model);
    bytes[SECOND] = 2;
    CHECK_INT(set_copy(model, bytes, sizeof PAIR), HEED_E_ARGUMENT);
    CHECK_INT(set_copy(model, LESS, sizeof LESS), HEED_E_ARGUMENT);
    CHECK_INT(set_copy(model, WRAPPED, sizeof WRAPPED), HEED_E_ARGUMENT);
    heed_model_free(model);
}

/* A vocabulary of 65535 ids fits, one more does not. */
static void test_large(const int32_t *config, int n) {
    int32_t large[MAX_CONFIG];
    memcpy(large, config, sizeof large);
    config_set(large, "d_model", 8);
    config_set(large, "encoder_attention_heads", 1);
    config_set(large, "decoder_attention_heads", 1);
    for (int32_t size = 65535; size <= 65536; size++) {
        const size_t head = 4, n_bytes = head + 3 + 3 + (size_t)size + 1;
        uint8_t *bytes = malloc(n_bytes);
        heed_model *model;
        config_set(large, "vocab_size", size);
        config_set(large, "decoder_vocab_size", size);
        if (!CHECK(bytes != NULL) || !CHECK_INT(heed_model_create(large, n, &model, NULL), HEED_OK)) return;
        memset(bytes, 0, n_bytes);
        memcpy(bytes, "NGR1", head);
        CHECK_INT((int)put_varint(bytes, head, (uint32_t)size), (int)head + 3);
        CHECK_INT(set_copy(model, bytes, n_bytes), size == 65535 ? HEED_OK : HEED_E_ARGUMENT);
        heed_model_free(model);
        free(bytes);
    }
}

/* After each refusal a model is what it was: without n-grams, then with those that it has. */
static void test_refused(const heed_model *plain, heed_model *model, const uint8_t *good, size_t n) {
    static result none[N_SENTENCES], all[N_SENTENCES], got[N_SENTENCES];
    static uint8_t bytes[MOST_BYTES + 1];
    const heed_search_options rules = {.beams = 2, .max_tokens = 12, .length_penalty = 1.0f, .ngrams = 0.5f};
    for (int i = 0; i < N_SENTENCES; i++) make_sentence(&corpus[i]);
    translate(plain, &rules, 4, none);
    for (size_t less = 0; less < n; less++) CHECK_INT(set_copy(model, good, less), HEED_E_ARGUMENT);
    memcpy(bytes, good, n);
    CHECK_INT(set_copy(model, bytes, n + 1), HEED_E_ARGUMENT);
    for (int change = -1; change <= 1; change += 2) {
        bytes[V_AT] = (uint8_t)(V + change);
        CHECK_INT(set_copy(model, bytes, n), HEED_E_ARGUMENT);
    }
    translate(model, &rules, 4, got);
    CHECK(memcmp(none, got, sizeof got) == 0);
    CHECK_INT(set_copy(model, good, n), HEED_OK);
    translate(model, &rules, 4, all);
    CHECK(memcmp(none, all, sizeof all) != 0);
    CHECK_INT(set_copy(model, good, n), HEED_E_STATE);
    CHECK_INT(set_copy(model, bytes, n), HEED_E_STATE); /* also wrong ones */
    CHECK_INT(set_copy(model, bytes, 0), HEED_E_STATE);
    translate(model, &rules, 4, got);
    CHECK(memcmp(all, got, sizeof got) == 0);
}

static void test_weights(const heed_model *model) {
    static const struct {
        float weight;
        heed_status want;
    } CASES[] = {{0.0f, HEED_OK},
                 {1.0f, HEED_OK},
                 {1e-40f, HEED_OK},
                 {-1e-40f, HEED_E_ARGUMENT},
                 {1.0000001f, HEED_E_ARGUMENT},
                 {-0.5f, HEED_E_ARGUMENT},
                 {2.0f, HEED_E_ARGUMENT},
                 {INFINITY, HEED_E_ARGUMENT},
                 {-INFINITY, HEED_E_ARGUMENT},
                 {NAN, HEED_E_ARGUMENT}};
    const heed_session_options options = {4, 8, 2, 2};
    heed_search_options rules = {.beams = 2, .max_tokens = 8};
    heed_session *session;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        rules.ngrams = CASES[i].weight;
        CHECK_INT(heed_search_begin(session, &rules), CASES[i].want);
        rules.ngrams = 0.0f;
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        rules.ngrams = CASES[i].weight;
        CHECK_INT(heed_search_rules(session, &rules), CASES[i].want);
    }
    heed_session_free(session);
}

int main(void) {
    static const int32_t NO_END[1] = {EOS};
    static uint8_t bytes[MOST_BYTES];
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    config_set(config, "eos_token_id", EOS);
    test_twins(config, n);
    test_bytes(config, n);
    test_large(config, n);
    heed_model *plain = random_model(config, n, 5, 4096), *model = random_model(config, n, 5, 4096);
    if (!CHECK(plain != NULL && model != NULL)) return check_summary("ngrams");
    make_grams();
    test_refused(plain, model, bytes, write_grams(bytes));
    test_weights(model);
    test_weights(plain);
    test_company(plain, model, (heed_search_options){.beams = 1, .max_tokens = 30});
    test_company(plain, model, (heed_search_options){.beams = 3, .max_tokens = 30, .n_prefix = 2, .prefix = PREFIX});
    test_company(plain, model,
                 (heed_search_options){.beams = 2, .max_tokens = RESULT_IDS, .n_suppress = 1, .suppress = NO_END});
    heed_model_free(model);
    heed_model_free(plain);
    return check_summary("ngrams");
}
