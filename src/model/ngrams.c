/* ngrams.c - see ngrams.h and heed.h for the contract. */
#include "model/ngrams.h"

#include "base/reader.h"
#include "heed.h"
#include "model/model.h"

static const char MAGIC[4] = {'N', 'G', 'R', '1'};

static void layout(struct heed_ngrams *ngrams, heed_arena *arena, const int32_t sizes[NGRAM_LEVELS]) {
    for (int i = 0; i < NGRAM_LEVELS; i++) {
        ngram_level *level = &ngrams->levels[i];
        level->n_contexts = i == 0 ? ngrams->n_ids + 1 : sizes[i - 1];
        level->n = sizes[i];
        level->starts = arena_ints(arena, (size_t)level->n_contexts + 1, 1);
        level->ids = arena_push(arena, (size_t)level->n, sizeof *level->ids);
        level->gains = arena_push(arena, (size_t)level->n, sizeof *level->gains);
        level->backoffs = arena_push(arena, (size_t)level->n_contexts, sizeof *level->backoffs);
        level->shorter = i == 0 ? NULL : arena_ints(arena, (size_t)level->n, 1);
    }
}

static struct heed_ngrams *create(int n_ids, const int32_t sizes[NGRAM_LEVELS]) {
    struct heed_ngrams measured = {.n_ids = n_ids}, *made;
    heed_arena arena = {0};
    arena_push(&arena, 1, sizeof measured);
    layout(&measured, &arena, sizes);
    if (arena_block(&arena) == NULL) return NULL;
    made = arena_push(&arena, 1, sizeof *made);
    made->n_ids = n_ids;
    layout(made, &arena, sizes);
    return made;
}

/* How many n-grams each context has.  Returns 0 if that is malformed. */
static int read_starts(ngram_level *level, heed_reader *in) {
    for (int i = 0; i < level->n_contexts; i++) {
        const uint64_t n = reader_varint(in);
        if (n > (uint64_t)(level->n - level->starts[i])) return 0;
        level->starts[i + 1] = level->starts[i] + (int32_t)n;
    }
    return level->starts[level->n_contexts] == level->n;
}

/* The context of a level's n-grams without its first id: on the level below it has [*first, *end). */
static void find_shorter(const struct heed_ngrams *ngrams, int at, int context, int32_t *first, int32_t *end) {
    const ngram_level *below = &ngrams->levels[at - 1];
    /* a context of level 1 is an n-gram of level 0, whose last id is the context there */
    const int32_t of = at == 1 ? below->ids[context] : below->shorter[context];
    *first = below->starts[of];
    *end = below->starts[of + 1];
}

/* The last ids, each as how many are passed over since the one before: of all ids, or of those after the shorter
 * context.  Returns 0 if one does not exist. */
static int read_ids(const struct heed_ngrams *ngrams, int at, heed_reader *in) {
    const ngram_level *level = &ngrams->levels[at];
    for (int context = 0; context < level->n_contexts; context++) {
        int32_t next = 0, end = ngrams->n_ids;
        if (level->starts[context] == level->starts[context + 1]) continue;
        if (at > 0) find_shorter(ngrams, at, context, &next, &end);
        for (int i = level->starts[context]; i < level->starts[context + 1]; i++) {
            const uint64_t passed = reader_varint(in);
            if (passed >= (uint64_t)(end - next)) return 0;
            next += (int32_t)passed;
            level->ids[i] = at > 0 ? ngrams->levels[at - 1].ids[next] : (uint16_t)next;
            if (at > 0) level->shorter[i] = next;
            next++;
        }
    }
    return 1;
}

static uint8_t read_byte(heed_reader *in) {
    const heed_reader one = reader_slice(in, 1);
    return one.bad ? 0 : *one.at;
}

static int read_level(const struct heed_ngrams *ngrams, int at, heed_reader *in) {
    ngram_level level = ngrams->levels[at];
    if (!read_starts(&level, in) || !read_ids(ngrams, at, in)) return 0;
    const heed_reader gains = reader_slice(in, (uint64_t)level.n);
    if (!gains.bad) copy_bytes(level.gains, gains.at, (size_t)level.n);
    for (int i = 0; i < level.n_contexts; i++)
        if (level.starts[i] < level.starts[i + 1]) level.backoffs[i] = read_byte(in);
    return !in->bad;
}

static int read_magic(heed_reader *in) {
    int is_good = 1;
    for (size_t i = 0; i < sizeof MAGIC; i++) is_good &= read_byte(in) == (uint8_t)MAGIC[i];
    return is_good;
}

heed_status heed_model_set_ngrams(heed_model *model, const void *bytes, size_t n) {
    const int V = model->config.decoder_vocab_size;
    heed_reader in = reader_over(bytes, n);
    int32_t sizes[NGRAM_LEVELS];
    if (model->ngrams) return HEED_E_STATE;
    if (!read_magic(&in) || reader_varint(&in) != (uint64_t)V || V > UINT16_MAX) return HEED_E_ARGUMENT;
    for (int i = 0; i < NGRAM_LEVELS; i++) {
        const uint64_t size = reader_varint(&in);
        if (size > n || size > INT32_MAX) return HEED_E_ARGUMENT; /* each takes more than a byte */
        sizes[i] = (int32_t)size;
    }
    struct heed_ngrams *made = create(V, sizes);
    if (made == NULL) return HEED_E_MEMORY;
    int is_good = 1;
    for (int i = 0; i < NGRAM_LEVELS && is_good; i++) is_good = read_level(made, i, &in);
    if (!is_good || reader_left(&in) > 0) {
        arena_free_block(made);
        return HEED_E_ARGUMENT;
    }
    model->ngrams = made;
    return HEED_OK;
}

int ngrams_find(const ngram_list *list, int id) {
    int low = 0, high = list->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (list->ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low < list->n && list->ids[low] == id ? low : -1;
}

static ngram_list list_of(const ngram_level *level, int context) {
    const int start = level->starts[context];
    return (ngram_list){level->ids + start, level->gains + start, level->starts[context + 1] - start,
                        level->backoffs[context]};
}

/* The list of a context [n], or an empty one.  The context's first id may be V, the start. */
static ngram_list find_list(const struct heed_ngrams *ngrams, const int32_t *context, int n) {
    ngram_list list = list_of(&ngrams->levels[0], context[0]);
    for (int i = 1; i < n; i++) {
        const int at = ngrams_find(&list, context[i]);
        if (at < 0) return (ngram_list){0};
        list = list_of(&ngrams->levels[i], (int)(list.ids - ngrams->levels[i - 1].ids) + at);
    }
    return list;
}

int ngrams_after(const struct heed_ngrams *ngrams, const int32_t *ids, int n, ngram_list lists[NGRAM_LEVELS]) {
    int32_t context[NGRAM_LEVELS];
    const int most = n + 1 < NGRAM_LEVELS ? n + 1 : NGRAM_LEVELS;
    for (int k = 1; k <= most; k++) {
        for (int i = 0; i < k; i++) context[i] = n - k + i < 0 ? ngrams->n_ids : ids[n - k + i];
        lists[k - 1] = find_list(ngrams, context, k);
    }
    return most;
}
