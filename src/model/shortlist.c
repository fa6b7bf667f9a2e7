/* shortlist.c - see shortlist.h and heed.h for the contract. */
#include "model/shortlist.h"

#include <string.h>

#include "heed.h"

/* A selection has as many ids as fill whole panels of a product, as Marian's has. */
enum { WHOLE = 8 };

static void layout(struct heed_shortlist *shortlist, heed_arena *arena, int n_lists, int n_ids) {
    shortlist->offsets = arena_ints(arena, (size_t)n_lists + 1, 1);
    shortlist->ids = arena_ints(arena, (size_t)n_ids, 1);
}

static heed_status check(const heed_config *c, int n_first, const int32_t *offsets, int n_offsets, const int32_t *ids,
                         int n_ids) {
    const int V = c->decoder_vocab_size;
    if (n_first < 0 || n_first > V || n_offsets < 1 || n_offsets > c->vocab_size + 1 || n_ids < 0)
        return HEED_E_ARGUMENT;
    if (offsets[0] != 0 || offsets[n_offsets - 1] != n_ids) return HEED_E_ARGUMENT;
    for (int i = 1; i < n_offsets; i++)
        if (offsets[i] < offsets[i - 1]) return HEED_E_ARGUMENT;
    return n_ids == 0 ? HEED_OK : config_check_ids(ids, n_ids, n_ids, V);
}

static int longest_list(const int32_t *offsets, int n_offsets) {
    int longest = 0;
    for (int i = 1; i < n_offsets; i++)
        if (offsets[i] - offsets[i - 1] > longest) longest = offsets[i] - offsets[i - 1];
    return longest;
}

/* A shortlist of the model with room for its numbers, or NULL: no memory. */
static struct heed_shortlist *create(int n_offsets, int n_ids) {
    struct heed_shortlist measured, *made;
    heed_arena arena = {0};
    arena_push(&arena, 1, sizeof measured);
    layout(&measured, &arena, n_offsets - 1, n_ids);
    if (arena_block(&arena) == NULL) return NULL;
    made = arena_push(&arena, 1, sizeof *made);
    layout(made, &arena, n_offsets - 1, n_ids);
    return made;
}

/* The shortlist, whose numbers are checked, becomes the model's. */
static void use(heed_model *model, struct heed_shortlist *made, int n_first, int n_offsets) {
    made->n_first = n_first;
    made->n_lists = n_offsets - 1;
    made->longest = longest_list(made->offsets, n_offsets);
    model->shortlist = made;
}

heed_status heed_model_set_shortlist(heed_model *model, int n_first, const int32_t *offsets, int n_offsets,
                                     const int32_t *ids, int n_ids) {
    if (model->shortlist) return HEED_E_STATE;
    const heed_status status = check(&model->config, n_first, offsets, n_offsets, ids, n_ids);
    if (status != HEED_OK) return status;
    struct heed_shortlist *made = create(n_offsets, n_ids);
    if (made == NULL) return HEED_E_MEMORY;
    memcpy(made->offsets, offsets, (size_t)n_offsets * sizeof *offsets);
    if (n_ids > 0) memcpy(made->ids, ids, (size_t)n_ids * sizeof *ids);
    use(model, made, n_first, n_offsets);
    return HEED_OK;
}

/* Files are little-endian, like wasm and every supported host.  memcpy, because bytes are not aligned. */
static uint64_t word_at(const unsigned char *bytes, size_t i) {
    uint64_t word;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    return word;
}

heed_status heed_model_read_shortlist(heed_model *model, const void *from, size_t n, uint64_t *checksum) {
    enum { FIRST, BEST, OFFSETS, IDS, HEAD };
    const unsigned char *bytes = from;
    const size_t size = sizeof(uint64_t);
    const heed_config *c = &model->config;
    if (model->shortlist) return HEED_E_STATE;
    if (n < HEAD * size) return HEED_E_ARGUMENT;
    const uint64_t n_first = word_at(bytes, FIRST), n_offsets = word_at(bytes, OFFSETS), n_ids = word_at(bytes, IDS);
    const uint64_t sources = (uint64_t)c->vocab_size;
    /* a model of Marian's has one more id than its vocabulary: padding */
    if (n_first > (uint64_t)c->decoder_vocab_size || (n_offsets != sources && n_offsets != sources + 1) ||
        n_ids > INT32_MAX || n != (HEAD + n_offsets) * size + n_ids * sizeof(int32_t))
        return HEED_E_ARGUMENT;

    struct heed_shortlist *made = create((int)n_offsets, (int)n_ids);
    if (made == NULL) return HEED_E_MEMORY;
    uint64_t sum = 0, above = 0;
    for (size_t i = 0; i < n / size; i++) sum ^= word_at(bytes, i) + 0x9e3779b9u + (sum << 6) + (sum >> 2);
    for (size_t i = 0; i < n_offsets; i++) {
        const uint64_t offset = word_at(bytes, HEAD + i);
        made->offsets[i] = (int32_t)offset;
        above |= offset >> 31;
    }
    copy_bytes(made->ids, bytes + (HEAD + n_offsets) * size, (size_t)n_ids * sizeof *made->ids);
    *checksum = sum;
    const heed_status status = above ? HEED_E_ARGUMENT
                                     : check(c, (int)n_first, made->offsets, (int)n_offsets, made->ids, (int)n_ids);
    if (status == HEED_OK) use(model, made, (int)n_first, (int)n_offsets);
    else arena_free_block(made);
    return status;
}

/* Select ids [n].  Returns how many were not selected before. */
static int add(uint8_t *flags, const int32_t *ids, int n) {
    int added = 0;
    for (int i = 0; i < n; i++) {
        added += !flags[ids[i]];
        flags[ids[i]] = 1;
    }
    return added;
}

int shortlist_select(const struct heed_model *model, int32_t *out, const int32_t *source, int n, const heed_ids *more,
                     int n_more) {
    const struct heed_shortlist *shortlist = model->shortlist;
    const heed_config *c = &model->config;
    const int V = c->decoder_vocab_size;
    int selected = shortlist->n_first, next = 0;
    /* the flags are the last quarter of `out`; ids are written from the front, each after its flag was read */
    uint8_t *flags = (uint8_t *)out + 3 * (size_t)V;

    memset(flags, 1, (size_t)shortlist->n_first);
    memset(flags + shortlist->n_first, 0, (size_t)(V - shortlist->n_first));
    for (int i = 0; i < n; i++) {
        if (source[i] >= shortlist->n_lists) continue;
        const int32_t *range = shortlist->offsets + source[i];
        selected += add(flags, shortlist->ids + range[0], range[1] - range[0]);
    }
    if (c->share_encoder_decoder_embeddings) selected += add(flags, source, n);
    for (int i = 0; i < n_more; i++) selected += add(flags, more[i].ids, more[i].n);
    for (int32_t id = shortlist->n_first; id < V && selected % WHOLE != 0; id++) selected += add(flags, &id, 1);
    for (int32_t id = 0; next < selected; id++)
        if (flags[id]) out[next++] = id;
    return selected;
}

int shortlist_most(const struct heed_model *model, int n, int n_more) {
    const struct heed_shortlist *shortlist = model->shortlist;
    const int V = model->config.decoder_vocab_size, own = model->config.share_encoder_decoder_embeddings ? 1 : 0;
    const int64_t most = (int64_t)n * (shortlist->longest + own) + shortlist->n_first + n_more + WHOLE;
    return most < V ? (int)most : V;
}

heed_status heed_model_select(const heed_model *model, const int32_t *source, int n, const int32_t *more, int n_more,
                              int32_t *out, int32_t *n_out) {
    const heed_config *c = &model->config;
    const heed_ids added = {more, n_more};
    heed_status status = config_check_ids(source, n, HEED_MAX_LENGTH, c->vocab_size);
    *n_out = 0;
    if (status == HEED_OK && n_more != 0)
        status = config_check_ids(more, n_more, HEED_MAX_LENGTH, c->decoder_vocab_size);
    if (status != HEED_OK) return status;
    if (model->shortlist) *n_out = shortlist_select(model, out, source, n, &added, 1);
    else
        for (; *n_out < c->decoder_vocab_size; ++*n_out) out[*n_out] = *n_out;
    return HEED_OK;
}
