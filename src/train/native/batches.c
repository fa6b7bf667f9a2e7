/* batches.c - see batches.h for the contract. */
#include "train/native/batches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "train/random.h"

/*
 * Size of the windows in which pairs of a mixed corpus are sorted by language.  Only neighbours of one language are
 * joined.
 */
enum { WINDOW = 128 };

/* The uses of a pair's key.  JOIN and JOIN_HOW_MANY draw numbers; the others derive keys. */
enum { JOIN, JOIN_HOW_MANY, REPLACE, NOISE, CUT };

/* A corpus and the reading position. */
typedef struct {
    const corpus *corpus;
    double share; /* of all target tokens */
    uint64_t seed;
    int *order;        /* [n_pairs] of epoch `ordered` */
    long long ordered; /* -1: none                     */
    corpus_place at;
} source;

struct batches {
    batch_options options;
    encoder *encoder;
    const name_set *names;
    source *sources;
    int n_sources;
    draft draft;
    link_mapper *mapper; /* NULL: no links */
    int32_t *scratch;    /* [longest] */

    /* The caller has one of the two.  The thread makes the other, once the caller has asked for a batch. */
    batch batch[2];
    int given; /* index of the caller's */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int has_thread, ready, stopping;
};

/* ------------------------------------------------------------------------------------- ids */

static void batch_clear(batch *b) {
    b->n_pairs = b->tokens = b->n_skipped = 0;
    b->n_ids = b->n_links = 0;
}

static const encoder_cut PLAIN[2] = {{0.0, 0}, {0.0, 0}};

/* Add the draft's links to the last pair, whose ids are given. */
static void batch_link(batch *b, link_mapper *mapper, const draft *d, const int32_t *ids) {
    heed_pair *pair = &b->pairs[b->n_pairs - 1];
    const int32_t *all[2] = {ids, ids + pair->n_source};
    const int sizes[2] = {pair->n_source, pair->n_target}, first[2] = {d->language != NO_LANGUAGE, 0};
    link_side sides[2];
    const heed_link *links;
    for (int i = 0; i < 2; i++)
        sides[i] = (link_side){d->side[i].bytes, d->side[i].n, all[i], sizes[i], first[i], d->n_words[i]};
    const int n = links_of_tokens(mapper, &sides[SOURCE], &sides[TARGET], d->links, d->n_links, &links);
    if (b->n_links + (size_t)n > b->max_links)
        b->links = reallocate(b->links, (b->max_links = 2 * (b->n_links + (size_t)n)) * sizeof *b->links);
    if (n > 0) memcpy(b->links + b->n_links, links, (size_t)n * sizeof *links);
    b->n_links += (size_t)n;
    pair->n_links = n;
}

/*
 * Adds a pair; pointers to its ids are set when the array no longer moves.  Returns its target ids; 0 if it is too long
 * or empty.
 */
static int batch_add(batch *b, encoder *e, link_mapper *mapper, int longest, const draft *d,
                     const encoder_cut cuts[2]) {
    const text_buffer *from = &d->side[SOURCE], *to = &d->side[TARGET];
    const size_t room = b->n_ids + 2 * (size_t)longest;
    if (room > b->max_ids) b->ids = reallocate(b->ids, (b->max_ids = 2 * room) * sizeof *b->ids);
    if (b->n_pairs == b->max_pairs)
        b->pairs = reallocate(b->pairs, (size_t)(b->max_pairs = 2 * b->max_pairs + 256) * sizeof *b->pairs);
    int32_t *ids = b->ids + b->n_ids;
    const int S = encoder_encode(e, ids, longest, from->bytes, from->n, d->language, cuts[SOURCE]);
    if (S == 0) return 0;
    const int T = encoder_encode(e, ids + S, longest, to->bytes, to->n, NO_LANGUAGE, cuts[TARGET]);
    if (T == 0) return 0;
    b->pairs[b->n_pairs++] = (heed_pair){.n_source = S, .n_target = T};
    if (mapper && d->n_links > 0) batch_link(b, mapper, d, ids);
    b->n_ids += (size_t)S + (size_t)T;
    b->tokens += T;
    return T;
}

static void batch_point(batch *b) {
    const int32_t *ids = b->ids;
    size_t first_link = 0;
    for (int i = 0; i < b->n_pairs; i++) {
        if (b->pairs[i].n_links > 0) b->pairs[i].links = b->links + first_link;
        first_link += (size_t)b->pairs[i].n_links;
        b->pairs[i].source = ids;
        b->pairs[i].target = ids + b->pairs[i].n_source;
        ids = b->pairs[i].target + b->pairs[i].n_target;
    }
}

void batch_of_corpus(batch *out, const corpus *c, encoder *e, const batch_options *options) {
    draft d = {.is_linked = options->guided};
    link_mapper mapper;
    *out = (batch){0};
    if (options->guided) link_mapper_begin(&mapper, e->tokenizer);
    for (int i = 0; i < c->n_pairs; i++) {
        draft_begin(&d, &c->pairs[i]);
        if (batch_add(out, e, options->guided ? &mapper : NULL, options->longest, &d, PLAIN) == 0) out->n_skipped++;
    }
    batch_point(out);
    draft_free(&d);
    if (options->guided) link_mapper_end(&mapper);
}

void batch_free(batch *out) {
    free(out->pairs);
    free(out->ids);
    free(out->links);
}

/* ------------------------------------------------------------------------------------ order */

/* Sorts by language, then by position in the file, because pairs of one kind are often neighbours there. */
static void sort_window(const text_pair *pairs, int *order, int n) {
    for (int i = 1; i < n; i++) {
        const int moved = order[i], language = pairs[moved].language;
        int j = i;
        for (; j > 0; j--) {
            const int before = order[j - 1], other = pairs[before].language;
            if (other < language || (other == language && before < moved)) break;
            order[j] = before;
        }
        order[j] = moved;
    }
}

static void shuffle(source *s, double join) {
    const int n = s->corpus->n_pairs;
    const uint64_t key = random_key(s->seed, (uint64_t)s->at.epoch);
    for (int i = 0; i < n; i++) s->order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(random_uniform(key, (uint64_t)i) * (i + 1)), other = s->order[j];
        s->order[j] = s->order[i];
        s->order[i] = other;
    }
    for (int i = 0; join > 0.0 && s->corpus->has_languages && i < n; i += WINDOW)
        sort_window(s->corpus->pairs, s->order + i, n - i < WINDOW ? n - i : WINDOW);
    s->ordered = s->at.epoch;
}

/* The pair that comes next, or NULL at the end of the epoch. */
static const text_pair *peek(const source *s) {
    return s->at.position < s->corpus->n_pairs ? &s->corpus->pairs[s->order[s->at.position]] : NULL;
}

/* ---------------------------------------------------------------------------------- drawing */

/* Ids of one side without </s>; `longest` if there are more than fit. */
static int measure(batches *b, const text_pair *pair, int side) {
    const int32_t language = side == SOURCE ? pair->language : NO_LANGUAGE;
    const int n = encoder_encode(b->encoder, b->scratch, b->options.longest, pair->text[side],
                                 (size_t)pair->bytes[side], language, PLAIN[side]);
    return n ? n - 1 : b->options.longest;
}

/* Joins two to five pairs of a language, if they fit: moves the position past them. */
static void join_next(batches *b, source *s, const text_pair *first, uint64_t key) {
    const int wanted = 2 + (int)(random_uniform(key, JOIN_HOW_MANY) * 4.0);
    int n_source = measure(b, first, SOURCE), n_target = measure(b, first, TARGET);
    for (int n = 1; n < wanted; n++, s->at.position++) {
        const text_pair *next = peek(s);
        if (next == NULL || next->language != first->language) return;
        n_source += measure(b, next, SOURCE) - (next->language != NO_LANGUAGE);
        n_target += measure(b, next, TARGET);
        if (n_source >= b->options.longest || n_target >= b->options.longest) return;
    }
}

/* The pairs of the epoch from `first` to the position of s. */
static const draft *draft_of(batches *b, const source *s, int first) {
    const text_pair *pairs = s->corpus->pairs;
    draft_begin(&b->draft, &pairs[s->order[first]]);
    for (int i = first + 1; i < s->at.position; i++) draft_add(&b->draft, &pairs[s->order[i]]);
    return &b->draft;
}

/* Alters the draft as the options say. */
static void alter(batches *b, draft *d, uint64_t key) {
    const double replace = b->options.replace;
    if (replace > 0.0)
        replace_apply(d, names_for(b->names, d->language), replace, b->options.invent, random_key(key, REPLACE));
    noise_apply(d, &b->options.noise, random_key(key, NOISE));
}

/* Draws the next pair of s into the batch.  Returns its target ids, or 0 if it is too long. */
static int draw(batches *b, batch *out, source *s) {
    const batch_options *o = &b->options;
    if (s->at.position == s->corpus->n_pairs) {
        s->at.epoch++;
        s->at.position = 0;
    }
    if (s->ordered != s->at.epoch) shuffle(s, o->join);
    const uint64_t key = random_key(random_key(s->seed, ~(uint64_t)s->at.epoch), (uint64_t)s->at.position);
    const encoder_cut cuts[2] = {{o->sample[SOURCE], random_key(key, CUT + SOURCE)},
                                 {o->sample[TARGET], random_key(key, CUT + TARGET)}};
    const int first = s->at.position;
    const text_pair *pair = peek(s);
    s->at.position++;
    if (random_uniform(key, JOIN) < o->join) join_next(b, s, pair, key);
    draft_of(b, s, first);
    alter(b, &b->draft, key);
    int drawn = batch_add(out, b->encoder, b->mapper, o->longest, &b->draft, cuts);
    /* a pair that has become too long is used unaltered */
    if (drawn == 0) drawn = batch_add(out, b->encoder, b->mapper, o->longest, draft_of(b, s, first), PLAIN);
    if (drawn == 0) out->n_skipped++;
    return drawn;
}

/* The corpus that is furthest behind its share of the tokens. */
static source *most_behind(const batches *b) {
    source *best = b->sources;
    for (int i = 1; i < b->n_sources; i++)
        if (b->sources[i].at.behind > best->at.behind) best = &b->sources[i];
    return best;
}

static void make(batches *b, batch *out) {
    int in_vain = 0;
    batch_clear(out);
    while (out->tokens < b->options.tokens) {
        source *s = most_behind(b);
        const int drawn = draw(b, out, s);
        for (int i = 0; i < b->n_sources; i++) b->sources[i].at.behind += b->sources[i].share * drawn;
        s->at.behind -= drawn;
        in_vain = drawn ? 0 : in_vain + 1;
        /* in the worst case a pair that fits is first in one epoch and last in the next */
        if (in_vain / 2 > s->corpus->n_pairs)
            fail("%s: no pair of at most --longest %d ids a side", s->corpus->path, b->options.longest);
    }
    batch_point(out);
    for (int i = 0; i < b->n_sources; i++) out->after[i] = b->sources[i].at;
}

/* ------------------------------------------------------------------------------- the thread */

/* Makes a batch whenever there is room for one.  The number of batches depends only on the number of requests. */
static void *work(void *argument) {
    batches *b = argument;
    for (;;) {
        make(b, &b->batch[!b->given]);
        pthread_mutex_lock(&b->mutex);
        b->ready = 1;
        pthread_cond_signal(&b->changed);
        while (b->ready && !b->stopping) pthread_cond_wait(&b->changed, &b->mutex);
        const int is_over = b->ready;
        pthread_mutex_unlock(&b->mutex);
        if (is_over) return NULL;
    }
}

const batch *batches_next(batches *b) {
    if (!b->has_thread && pthread_create(&b->thread, NULL, work, b) != 0) fail("cannot start a thread");
    b->has_thread = 1;
    pthread_mutex_lock(&b->mutex);
    while (!b->ready) pthread_cond_wait(&b->changed, &b->mutex);
    b->given = !b->given;
    b->ready = 0;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    return &b->batch[b->given];
}

/* --------------------------------------------------------------------------------- the whole */

batches *batches_create(const corpus *corpora, const double *shares, int n, encoder *e, const name_set *names,
                        const batch_options *options) {
    batches *b = allocate(sizeof *b);
    double sum = 0.0;
    *b = (batches){.options = *options, .encoder = e, .names = names, .n_sources = n};
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (options->guided) {
        b->draft.is_linked = 1;
        b->mapper = allocate(sizeof *b->mapper);
        link_mapper_begin(b->mapper, e->tokenizer);
    }
    b->sources = allocate((size_t)n * sizeof *b->sources);
    b->scratch = allocate((size_t)options->longest * sizeof *b->scratch);
    for (int i = 0; i < n; i++) sum += shares[i];
    for (int i = 0; i < n; i++) {
        /* each corpus has its own order, so a file that is given twice is not read in step */
        const uint64_t seed = i == 0 ? options->seed : random_key(options->seed, ~(uint64_t)i);
        b->sources[i] = (source){.corpus = &corpora[i], .share = shares[i] / sum, .seed = seed, .ordered = -1};
        b->sources[i].at.n_pairs = corpora[i].n_pairs;
        b->sources[i].order = allocate((size_t)corpora[i].n_pairs * sizeof *b->sources[i].order);
    }
    return b;
}

void batches_free(batches *b) {
    if (b->has_thread) {
        pthread_mutex_lock(&b->mutex);
        b->stopping = 1;
        pthread_cond_signal(&b->changed);
        pthread_mutex_unlock(&b->mutex);
        pthread_join(b->thread, NULL);
    }
    pthread_mutex_destroy(&b->mutex);
    pthread_cond_destroy(&b->changed);
    for (int i = 0; i < b->n_sources; i++) free(b->sources[i].order);
    for (int i = 0; i < 2; i++) batch_free(&b->batch[i]);
    draft_free(&b->draft);
    if (b->mapper) link_mapper_end(b->mapper);
    free(b->mapper);
    free(b->scratch);
    free(b->sources);
    free(b);
}

void batches_go_to(batches *b, const corpus_place *places) {
    for (int i = 0; i < b->n_sources; i++) b->sources[i].at = places[i];
}
