/*
 * shortlist.c - any numbers as a shortlist: those that heed_model_set_shortlist() accepts select ids of the vocabulary,
 * in order, with the ids that were asked for, and the same ones each time.  Written as a file of Marian's, they say the
 * same to heed_model_read_shortlist(), which also reads files with other bytes and other lengths.
 */
#include <string.h>

#include "../c/random_model.h"
#include "base/arena.h"
#include "input.h"
#include "model/model.h"

enum { N_MODELS = 3, MOST = 64 };

static const int SIZES[N_MODELS][2] = {{19, 19}, {5, 33}, {8, 8}}; /* source ids, target ids */

/* One for all inputs: to make one takes longer than what is tried with it. */
static heed_model *model_of(int index) {
    static heed_model *models[N_MODELS];
    if (models[index]) return models[index];
    int32_t config[MAX_CONFIG];
    heed_model *model;
    const int n = smallest_config(config);
    config_set(config, "share_encoder_decoder_embeddings", SIZES[index][0] == SIZES[index][1]);
    config_set(config, "vocab_size", SIZES[index][0]);
    config_set(config, "decoder_vocab_size", SIZES[index][1]);
    REQUIRE(heed_model_create(config, n, &model, NULL) == HEED_OK);
    return models[index] = model;
}

/* Small numbers that rise, mostly. */
static int take_numbers(input *in, int32_t *out, int rises) {
    const int n = take_byte(in) % MOST;
    int32_t last = 0;
    for (int i = 0; i < n; i++) {
        const int byte = take_byte(in);
        out[i] = byte == 255 ? take_int32(in) : rises ? (last += byte % 4) : byte % 40;
    }
    return n;
}

typedef struct {
    int n_first, n_offsets, n_ids;
    int32_t offsets[MOST + 1], ids[MOST];
} lists;

static void forget(heed_model *model) {
    arena_free_block(model->shortlist);
    model->shortlist = NULL;
}

/* Selects what the input asks for, twice. */
static void use_lists(const heed_model *model, const lists *l, int V, input *in) {
    int32_t source[MOST], more[MOST], out[2][MOST], n_out, again;
    while (in->left > 0) {
        const int n = take_numbers(in, source, 0), n_more = take_numbers(in, more, 0);
        const heed_status selected = heed_model_select(model, source, n, more, n_more, out[0], &n_out);
        REQUIRE(selected == HEED_OK || selected == HEED_E_ID || selected == HEED_E_LENGTH);
        if (selected != HEED_OK) continue;
        REQUIRE(n_out <= V && (n_out % 8 == 0 || n_out == V) && (l == NULL || n_out >= l->n_first));
        for (int i = 0; i < n_out; i++) REQUIRE(out[0][i] >= (i ? out[0][i - 1] + 1 : 0) && out[0][i] < V);
        for (int i = 0, at; i < n_more; i++) {
            for (at = 0; at < n_out && out[0][at] != more[i];) at++;
            REQUIRE(at < n_out);
        }
        REQUIRE(heed_model_select(model, source, n, more, n_more, out[1], &again) == HEED_OK);
        REQUIRE(again == n_out && memcmp(out[0], out[1], (size_t)n_out * sizeof *out[0]) == 0);
    }
}

enum { WORD = sizeof(uint64_t), HEAD = 4 };

/* The lists as a file, without its first 16 bytes.  Returns its length. */
static size_t write_file(unsigned char *to, const lists *l) {
    uint64_t words[HEAD + MOST + 1] = {(uint64_t)l->n_first, 100, (uint64_t)l->n_offsets, (uint64_t)l->n_ids};
    for (int i = 0; i < l->n_offsets; i++) words[HEAD + i] = (uint64_t)l->offsets[i];
    const size_t head = (size_t)(HEAD + l->n_offsets) * WORD, tail = (size_t)l->n_ids * sizeof *l->ids;
    memcpy(to, words, head);
    memcpy(to + head, l->ids, tail);
    return head + tail;
}

/* expected: what heed_model_set_shortlist() said of the same lists. */
static void read_file(heed_model *model, const lists *l, int sources, int V, heed_status expected, input *in) {
    unsigned char bytes[(HEAD + MOST + 1) * WORD + MOST * sizeof(int32_t)];
    const size_t whole = write_file(bytes, l);
    uint64_t checksum = 0;
    size_t size = whole;
    const int changes = take_byte(in) % 4;
    for (int i = 0; i < changes; i++) bytes[take_between(in, 0, (int)whole - 1)] = (unsigned char)take_byte(in);
    if (take_byte(in) % 8 == 1) size = (size_t)take_between(in, 0, (int)whole - 1);
    /* a block of its own: a read beyond its end is seen */
    unsigned char *file = malloc(size + 1);
    REQUIRE(file != NULL);
    memcpy(file + 1, bytes, size); /* where words are not aligned */
    const heed_status status = heed_model_read_shortlist(model, file + 1, size, &checksum);
    free(file);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT || status == HEED_E_ID);
    if (changes == 0) {
        const int fits = size == whole && (l->n_offsets == sources || l->n_offsets == sources + 1);
        REQUIRE(status == (fits ? expected : HEED_E_ARGUMENT));
    }
    if (status == HEED_OK) use_lists(model, changes ? NULL : l, V, in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    lists l = {0};
    const int index = take_byte(&in) % N_MODELS, sources = SIZES[index][0], V = SIZES[index][1];
    const int way = take_byte(&in);
    l.n_first = take_byte(&in) - 2;
    l.n_offsets = take_numbers(&in, l.offsets + 1, 1) + 1;
    if (way & 2) { /* a file has a list for each source id, and one for padding */
        const int wanted = sources + (way >> 2 & 1);
        for (; l.n_offsets < wanted; l.n_offsets++) l.offsets[l.n_offsets] = l.offsets[l.n_offsets - 1];
        l.n_offsets = wanted;
    }
    const int32_t end = l.offsets[l.n_offsets - 1];
    l.n_ids = take_numbers(&in, l.ids, 0);
    if (end >= 0 && end < l.n_ids) l.n_ids = end; /* mostly right */
    heed_model *model = model_of(index);
    const heed_status status = heed_model_set_shortlist(model, l.n_first, l.offsets, l.n_offsets, l.ids, l.n_ids);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT || status == HEED_E_ID);
    if (way & 1) {
        forget(model);
        read_file(model, &l, sources, V, status, &in);
    } else if (status == HEED_OK) {
        use_lists(model, &l, V, &in);
    }
    forget(model);
    return 0;
}
