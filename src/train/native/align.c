/* align.c - see align.h for the contract: sentences in, iterations of both models on all threads, links out. */
#include "train/native/align.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "train/native/align_posterior.h"
#include "train/native/align_tables.h"
#include "train/native/files.h"
#include "train/native/words.h"
#include "train/random.h"

/* The prior of a count, and the weight of words that are spelled alike. */
#define PRIOR 0.1
#define ALIKE 0.01f
/* Smaller probabilities count as this one, so that none is 0. */
#define LEAST 1e-9f

enum { CHUNK = 256 };
/* Counts are stored as multiples of 1 / UNIT. */
#define UNIT 4294967296.0

typedef struct {
    align_link *links;
    int ends[CHUNK];
} chunk_links;

/* The parameters of one direction, beside the cells: t(y | x) of words x, y. */
typedef struct {
    float *scale;               /* [words x] 1 / w(x)      */
    float *empty;               /* [words y] t(y | no word) */
    _Atomic uint64_t *sum;      /* [words x]               */
    _Atomic uint64_t *lost;     /* [words y] of no word    */
    _Atomic uint32_t *distinct; /* [words x] partners  */
    float jump[JUMPS];
    _Atomic uint64_t jumps[JUMPS];
    int32_t n_x, n_y;
} direction;

struct aligner {
    align_options options;
    vocabulary sides[2];
    int32_t *words;
    size_t n_words, max_words;
    sentence *sentences;
    size_t n, max_sentences;
    cell_table table;
    direction to_target, to_source;
    chunk_links *linked;
    /* the current stage */
    int hidden; /* 1: the hidden Markov model */
    atomic_size_t next;
    void (*job)(aligner *a, size_t index, void *scratch);
    size_t n_jobs;
};

/* ------------------------------------------------------------------------------- reading in */

static uint64_t hash_bytes(const char *text, size_t n, uint64_t seed) {
    uint64_t h = random_mix(seed + n);
    for (; n >= 8; text += 8, n -= 8) {
        uint64_t part;
        memcpy(&part, text, 8);
        h = random_mix(h ^ part);
    }
    uint64_t rest = 0;
    memcpy(&rest, text, n);
    return random_mix(h ^ rest) | 1;
}

static int add_words(aligner *a, vocabulary *v, const char *text, size_t n, uint64_t language) {
    word words[ALIGN_LONGEST];
    char lower[1024];
    const size_t count = words_split(text, n, words, ALIGN_LONGEST);
    if (count > ALIGN_LONGEST) return 0;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = words[i].end - words[i].start;
        const size_t small = words_lower(text + words[i].start, bytes < sizeof lower ? bytes : sizeof lower, lower);
        a->words[a->n_words++] = vocabulary_add(v, hash_bytes(lower, small, 0), language);
    }
    return (int)count;
}

void aligner_add(aligner *a, const char *source, size_t n_source, const char *target, size_t n_target) {
    if (a->n == a->max_sentences)
        a->sentences =
            reallocate(a->sentences, (a->max_sentences = 2 * a->max_sentences + 1024) * sizeof *a->sentences);
    if (a->n_words + 2 * ALIGN_LONGEST > a->max_words)
        a->words = reallocate(a->words, (a->max_words = 2 * a->max_words + 2 * ALIGN_LONGEST) * sizeof *a->words);
    const size_t token = words_language(source, n_source), first = a->n_words;
    const uint64_t language = token ? hash_bytes(source, token, 1) : 0;
    const int I = add_words(a, &a->sides[0], source + token, n_source - token, language);
    const int J = add_words(a, &a->sides[1], target, n_target, language);
    if (I == 0 || J == 0) a->n_words = first;
    a->sentences[a->n++] = (sentence){.first = first, .I = I && J ? (uint16_t)I : 0, .J = I && J ? (uint16_t)J : 0};
}

/* ---------------------------------------------------------------------------------- threads */

/* Scratch memory of one thread, for sentences of ALIGN_LONGEST words. */
enum { SQUARE = ALIGN_LONGEST * ALIGN_LONGEST };
typedef struct {
    cell *cells[SQUARE];          /* [I, J] */
    float t1[SQUARE], t2[SQUARE]; /* [J, I] t(f | e); [I, J] t(e | f) */
    float p1[SQUARE], p2[SQUARE]; /* likewise, probabilities of links */
    float empty[ALIGN_LONGEST];
    posterior_scratch posterior;
} scratch;

static void *live(void *argument) {
    aligner *a = argument;
    scratch *s = allocate(sizeof *s);
    for (size_t i; (i = atomic_fetch_add(&a->next, 1)) < a->n_jobs;) a->job(a, i, s);
    free(s);
    return NULL;
}

/* Runs job(a, 0 .. n - 1) on all threads. */
static void in_parallel(aligner *a, void (*job)(aligner *, size_t, void *), size_t n) {
    pthread_t threads[256];
    a->job = job;
    a->n_jobs = n;
    atomic_store(&a->next, 0);
    for (int i = 1; i < a->options.threads; i++)
        if (pthread_create(&threads[i], NULL, live, a) != 0) fail("cannot start a thread");
    live(a);
    for (int i = 1; i < a->options.threads; i++) pthread_join(threads[i], NULL);
}

static size_t chunks(const aligner *a) { return (a->n + CHUNK - 1) / CHUNK; }
static size_t chunk_end(const aligner *a, size_t index) {
    return (index + 1) * CHUNK < a->n ? (index + 1) * CHUNK : a->n;
}

/* --------------------------------------------------------------------------------- the models */

static void count(_Atomic uint64_t *to, float value) {
    atomic_fetch_add_explicit(to, (uint64_t)((double)value * UNIT), memory_order_relaxed);
}

/* p [J, I] of t [J, I] and s->empty [J].  If `learn`, the expected jumps are added to d. */
static void read_direction(const aligner *a, direction *d, float *p, const float *t, int I, int J, int learn,
                           scratch *s) {
    float jumps[JUMPS];
    if (!a->hidden) {
        posterior_even(p, t, s->empty, I, J);
        return;
    }
    posterior_hidden(p, t, s->empty, I, J, d->jump, learn ? jumps : NULL, &s->posterior);
    if (!learn) return;
    for (int i = ALIGN_LONGEST - I; i <= ALIGN_LONGEST + I; i++) count(&d->jumps[i], jumps[i]);
}

/* The probabilities of links in both directions: s->p1 [J, I], s->p2 [I, J]. */
static void read_pair(aligner *a, const sentence *q, int learn, scratch *s) {
    const int I = q->I, J = q->J;
    const int32_t *e = a->words + q->first, *f = e + I;
    direction *d1 = &a->to_target, *d2 = &a->to_source;
    cells_find(&a->table, a->words, q, s->cells);
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++) {
            const float w = s->cells[i * J + j]->weight;
            const float alike = a->sides[0].spelling[e[i]] == a->sides[1].spelling[f[j]] ? ALIKE : 0.0f;
            s->t1[j * I + i] = w * d1->scale[e[i]] + LEAST + alike;
            s->t2[i * J + j] = w * d2->scale[f[j]] + LEAST + alike;
        }
    for (int j = 0; j < J; j++) s->empty[j] = d1->empty[f[j]];
    read_direction(a, d1, s->p1, s->t1, I, J, learn, s);
    for (int i = 0; i < I; i++) s->empty[i] = d2->empty[e[i]];
    read_direction(a, d2, s->p2, s->t2, J, I, learn, s);
}

static void learn_chunk(aligner *a, size_t index, void *room) {
    scratch *s = room;
    for (size_t k = index * CHUNK; k < chunk_end(a, index); k++) {
        const sentence *q = &a->sentences[k];
        const int I = q->I, J = q->J;
        const int32_t *e = a->words + q->first, *f = e + I;
        if (I == 0) continue;
        read_pair(a, q, 1, s);
        float lost[ALIGN_LONGEST];
        for (int j = 0; j < J; j++) lost[j] = 1.0f;
        for (int i = 0; i < I; i++) {
            float sum = 0.0f, rest = 1.0f;
            for (int j = 0; j < J; j++) {
                const float p1 = s->p1[j * I + i], p2 = s->p2[i * J + j], both = p1 * p2;
                rest -= p2;
                lost[j] -= p1;
                if (both < 1e-5f) continue;
                count(&s->cells[i * J + j]->count, both);
                count(&a->to_source.sum[f[j]], both);
                sum += both;
            }
            count(&a->to_target.sum[e[i]], sum);
            count(&a->to_source.lost[e[i]], rest > 0.0f ? rest : 0.0f);
        }
        for (int j = 0; j < J; j++) count(&a->to_target.lost[f[j]], lost[j] > 0.0f ? lost[j] : 0.0f);
    }
}

/* e^digamma(x), x > 0: by its recurrence to 7, then by the asymptotic series. */
static double exp_digamma(double x) {
    double shift = 0.0;
    for (; x < 7.0; x += 1.0) shift += 1.0 / x;
    const double y = 1.0 / (x * x);
    return exp(log(x) - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y / 252.0)) - shift);
}

enum { CELLS = 1 << 16 };
static void weigh_cells(aligner *a, size_t index, void *unused) {
    (void)unused;
    const size_t end = (index + 1) * CELLS < a->table.n ? (index + 1) * CELLS : a->table.n;
    for (size_t i = index * CELLS; i < end; i++) {
        cell *c = &a->table.cells[i];
        if (c->check == 0) continue;
        c->weight = (float)exp_digamma((double)c->count / UNIT + PRIOR);
        c->count = 0;
    }
}

static void weigh(direction *d, int hidden) {
    double lost = 0.0, jumps = 0.0;
    for (int i = 0; i < d->n_x; i++) {
        d->scale[i] = (float)(1.0 / exp_digamma((double)d->sum[i] / UNIT + PRIOR * d->distinct[i] + 1e-6));
        d->sum[i] = 0;
    }
    for (int i = 0; i < d->n_y; i++) lost += (double)d->lost[i] / UNIT + 1.0;
    for (int i = 0; i < d->n_y; i++) {
        d->empty[i] = (float)(((double)d->lost[i] / UNIT + 1.0) / lost);
        d->lost[i] = 0;
    }
    if (!hidden) return;
    for (int i = 0; i < JUMPS; i++) jumps += (double)d->jumps[i] / UNIT + 0.01;
    for (int i = 0; i < JUMPS; i++) {
        d->jump[i] = (float)(((double)d->jumps[i] / UNIT + 0.01) / jumps);
        d->jumps[i] = 0;
    }
}

/* ------------------------------------------------------------------------------ from outside */

aligner *aligner_create(const align_options *options) {
    aligner *a = allocate(sizeof *a);
    memset(a, 0, sizeof *a);
    a->options = *options;
    return a;
}

static void *zeros(size_t n, size_t bytes) {
    void *block = allocate(n * bytes);
    memset(block, 0, n * bytes);
    return block;
}

static void direction_begin(direction *d, int32_t n_x, int32_t n_y) {
    *d = (direction){.n_x = n_x, .n_y = n_y};
    d->scale = zeros((size_t)n_x, sizeof *d->scale);
    d->empty = zeros((size_t)n_y, sizeof *d->empty);
    d->sum = zeros((size_t)n_x, sizeof *d->sum);
    d->lost = zeros((size_t)n_y, sizeof *d->lost);
    d->distinct = zeros((size_t)n_x, sizeof *d->distinct);
    for (int i = 0; i < n_x; i++) d->scale[i] = 1.0f / (float)n_y;
    for (int i = 0; i < n_y; i++) d->empty[i] = 1.0f / (float)n_y;
    /* at the start, the next word is the most likely, and near words are likelier than far ones */
    for (int i = 0; i < JUMPS; i++) d->jump[i] = 1.0f / (1.0f + (float)abs(i - ALIGN_LONGEST - 1));
}

static void direction_end(direction *d) {
    free(d->scale);
    free(d->empty);
    free(d->sum);
    free(d->lost);
    free(d->distinct);
}

static void insert_chunk(aligner *a, size_t index, void *unused) {
    (void)unused;
    for (size_t k = index * CHUNK; k < chunk_end(a, index); k++)
        cells_insert(&a->table, a->words, &a->sentences[k], a->to_target.distinct, a->to_source.distinct);
}

void aligner_learn(aligner *a, void (*report)(const char *stage, int iteration)) {
    direction_begin(&a->to_target, a->sides[0].n, a->sides[1].n);
    direction_begin(&a->to_source, a->sides[1].n, a->sides[0].n);
    a->table.n = cells_estimate(a->words, a->sentences, a->n) * 3 / 2;
    a->table.cells = zeros(a->table.n, sizeof *a->table.cells);
    in_parallel(a, insert_chunk, chunks(a));
    const int first = a->options.model1;
    for (int i = 0; i < first + a->options.hmm; i++) {
        a->hidden = i >= first;
        in_parallel(a, learn_chunk, chunks(a));
        in_parallel(a, weigh_cells, (a->table.n + CELLS - 1) / CELLS);
        weigh(&a->to_target, a->hidden);
        weigh(&a->to_source, a->hidden);
        if (report) report(a->hidden ? "hidden Markov model" : "model 1", (a->hidden ? i - first : i) + 1);
    }
}

static void link_chunk(aligner *a, size_t index, void *room) {
    scratch *s = room;
    chunk_links *to = &a->linked[index];
    int n = 0, most = 0;
    to->links = NULL;
    for (size_t k = index * CHUNK; k < chunk_end(a, index); k++) {
        const sentence *q = &a->sentences[k];
        const int I = q->I, J = q->J;
        if (I > 0) read_pair(a, q, 0, s);
        for (int j = 0; j < J; j++)
            for (int i = 0; i < I; i++) {
                if ((double)(s->p1[j * I + i] * s->p2[i * J + j]) < a->options.threshold) continue;
                if (n == most) to->links = reallocate(to->links, (size_t)(most = 2 * most + 4096) * sizeof *to->links);
                to->links[n++] = (align_link){.source = (uint8_t)i, .target = (uint8_t)j};
            }
        to->ends[k - index * CHUNK] = n;
    }
}

void aligner_link(aligner *a) {
    a->linked = zeros(chunks(a), sizeof *a->linked);
    in_parallel(a, link_chunk, chunks(a));
}

const align_link *aligner_links(const aligner *a, size_t i, int *n) {
    const chunk_links *c = &a->linked[i / CHUNK];
    const int first = i % CHUNK ? c->ends[i % CHUNK - 1] : 0;
    *n = c->ends[i % CHUNK] - first;
    return c->links + first;
}

void aligner_free(aligner *a) {
    for (size_t i = 0; a->linked && i < chunks(a); i++) free(a->linked[i].links);
    for (int i = 0; i < 2; i++) vocabulary_free(&a->sides[i]);
    direction_end(&a->to_target);
    direction_end(&a->to_source);
    free(a->linked);
    free(a->table.cells);
    free(a->sentences);
    free(a->words);
    free(a);
}
