/* workers.c - see workers.h for the contract. */
#include "train/native/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"

typedef struct {
    workers *all;
    int index;
    pthread_t thread;
    void *block;
    heed_pass pass;
    float *gradients; /* the first worker uses the trainer's */
    float *space;     /* of an update */
    pass_result sum;
} worker;

typedef struct {
    const heed_pair *pairs;
    int n;
} part;

/* The gradients are added slice by slice, so that each slice of all workers is in the cache. */
enum { GRAIN = 1 << 14 };

struct workers {
    heed_trainer *trainer;
    int n, max_tokens;
    worker *each;
    pthread_barrier_t start, middle, end;
    int stopping;
    const trainer_change *change; /* an update; NULL: a pass */
    atomic_int next_tensor;       /* of the update */
    /* the job */
    part *parts;
    int n_parts, max_parts, learn;
    pass_options options;
};

static void compute(worker *me) {
    workers *w = me->all;
    me->sum = (pass_result){0};
    if (w->learn) memset(me->gradients, 0, trainer_parameters(w->trainer)->n_floats * sizeof(float));
    for (int i = me->index; i < w->n_parts; i += w->n) {
        pass_options o = w->options;
        o.key = trainer_key(w->trainer, i);
        pass_run(&me->pass, trainer_array(w->trainer, HEED_TRAIN_WEIGHTS), w->learn ? me->gradients : NULL,
                 w->parts[i].pairs, w->parts[i].n, &o, &me->sum);
    }
}

static void add_up(worker *me) {
    workers *w = me->all;
    const size_t n = trainer_parameters(w->trainer)->n_trained;
    float *sum = w->each[0].gradients;
    for (size_t at = (size_t)me->index * GRAIN; at < n; at += (size_t)w->n * GRAIN) {
        const size_t end = n - at < GRAIN ? n : at + GRAIN;
        for (int k = 1; k < w->n; k++) {
            const float *other = w->each[k].gradients;
            for (size_t i = at; i < end; i++) sum[i] += other[i];
        }
    }
}

/* Each worker takes the next tensor when it is free.  Embeddings come first: they take longest. */
static void update(worker *me) {
    workers *w = me->all;
    const int n = trainer_parameters(w->trainer)->n_tensors;
    for (int i = atomic_fetch_add(&w->next_tensor, 1); i < n; i = atomic_fetch_add(&w->next_tensor, 1))
        trainer_update_tensor(w->trainer, w->change, i, me->pass.context.gemm, me->space, me->pass.context.scratch);
}

static void work(worker *me) {
    workers *w = me->all;
    if (w->change) {
        update(me);
        pthread_barrier_wait(&w->end);
        return;
    }
    compute(me);
    pthread_barrier_wait(&w->middle);
    if (w->learn) add_up(me);
    pthread_barrier_wait(&w->end);
}

static void *live(void *argument) {
    worker *me = argument;
    for (;;) {
        pthread_barrier_wait(&me->all->start);
        if (me->all->stopping) return NULL;
        work(me);
    }
}

workers *workers_create(heed_trainer *trainer, const heed_gemm *gemm, int n, int max_tokens, int sampled_softmax) {
    const heed_parameters *p = trainer_parameters(trainer);
    workers *w = allocate(sizeof *w);
    *w = (workers){.trainer = trainer, .n = n, .max_tokens = max_tokens};
    w->each = allocate((size_t)n * sizeof *w->each);
    pthread_barrier_init(&w->start, NULL, (unsigned)n);
    pthread_barrier_init(&w->middle, NULL, (unsigned)n);
    pthread_barrier_init(&w->end, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        worker *me = &w->each[i];
        heed_arena arena = {0};
        *me = (worker){.all = w, .index = i};
        pass_layout(&me->pass, &arena, p, gemm, max_tokens, sampled_softmax);
        if (i > 0) arena_floats(&arena, p->n_floats, 1, 1);
        arena_floats(&arena, trainer_update_floats(trainer), 1, 1);
        me->block = arena_block(&arena);
        if (me->block == NULL) fail("out of memory: %zu bytes of activations are needed", arena.used);
        pass_layout(&me->pass, &arena, p, gemm, max_tokens, sampled_softmax);
        me->gradients = i > 0 ? arena_floats(&arena, p->n_floats, 1, 1) : trainer_array(trainer, HEED_TRAIN_GRADIENTS);
        me->space = arena_floats(&arena, trainer_update_floats(trainer), 1, 1);
        if (i > 0 && pthread_create(&me->thread, NULL, live, me) != 0) fail("cannot start a thread");
    }
    return w;
}

pass_result workers_run(workers *w, const heed_pair *pairs, int n, const heed_train_options *options, int learn) {
    long long tokens = 0;
    for (int i = 0; i < n; i++) tokens += pairs[i].n_target;
    /* parts of even size, so that every worker is busy until the end */
    const long long rounds = (tokens + (long long)w->n * w->max_tokens - 1) / ((long long)w->n * w->max_tokens);
    const long long share = (tokens + rounds * w->n - 1) / (rounds * w->n);

    w->n_parts = 0;
    for (int i = 0; i < n;) {
        const int most = pass_capacity(&w->each[0].pass, pairs + i, n - i);
        if (most == 0) fail("a pair of %d and %d ids is too long for a part", pairs[i].n_source, pairs[i].n_target);
        int count = 0;
        for (long long sum = 0; count < most && (count == 0 || sum + pairs[i + count].n_target <= share); count++)
            sum += pairs[i + count].n_target;
        if (w->n_parts == w->max_parts)
            w->parts = reallocate(w->parts, (size_t)(w->max_parts = 2 * w->max_parts + 16) * sizeof *w->parts);
        w->parts[w->n_parts++] = (part){pairs + i, count};
        i += count;
    }
    w->learn = learn;
    w->options = (pass_options){.dropout = options->dropout,
                                .smoothing = options->label_smoothing,
                                .scale = 1.0f / (float)tokens,
                                .attention_dropout = options->attention_dropout,
                                .guided = options->guided,
                                .guided_head = options->guided_head};
    pthread_barrier_wait(&w->start);
    work(&w->each[0]);
    pass_result sum = {0};
    for (int k = 0; k < w->n; k++) {
        sum.loss += w->each[k].sum.loss;
        sum.likelihood += w->each[k].sum.likelihood;
        sum.alignment += w->each[k].sum.alignment;
        sum.tokens += w->each[k].sum.tokens;
        sum.linked += w->each[k].sum.linked;
    }
    return sum;
}

heed_status workers_update(workers *w, heed_train_result *result) {
    trainer_change change;
    const heed_status status = trainer_update_begin(w->trainer, result, &change);
    if (status != HEED_OK) return status;
    w->change = &change;
    atomic_store(&w->next_tensor, 0);
    pthread_barrier_wait(&w->start);
    work(&w->each[0]);
    w->change = NULL;
    trainer_update_end(w->trainer, &change);
    return HEED_OK;
}

void workers_free(workers *w) {
    w->stopping = 1;
    pthread_barrier_wait(&w->start);
    for (int i = 0; i < w->n; i++) {
        if (i > 0) pthread_join(w->each[i].thread, NULL);
        arena_free_block(w->each[i].block);
    }
    pthread_barrier_destroy(&w->start);
    pthread_barrier_destroy(&w->middle);
    pthread_barrier_destroy(&w->end);
    free(w->parts);
    free(w->each);
    free(w);
}
