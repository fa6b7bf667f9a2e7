/*
 * shortlist.c - any numbers as a shortlist: those that heed_model_set_shortlist() accepts select ids of the vocabulary,
 * in order, with the ids that were asked for, and the same ones each time.
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
    const int n = default_config(config);
    config_set(config, "d_model", 8);
    config_set(config, "encoder_attention_heads", 1);
    config_set(config, "encoder_layers", 1);
    config_set(config, "decoder_layers", 1);
    config_set(config, "max_position_embeddings", 2);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    int32_t offsets[MOST + 1] = {0}, ids[MOST], source[MOST], more[MOST], out[2][MOST], n_out, again;
    const int index = take_byte(&in) % N_MODELS, V = SIZES[index][1];
    const int n_first = take_byte(&in) - 2, n_offsets = take_numbers(&in, offsets + 1, 1);
    int n_ids = take_numbers(&in, ids, 0);
    if (offsets[n_offsets] >= 0 && offsets[n_offsets] < n_ids) n_ids = offsets[n_offsets]; /* mostly right */
    heed_model *model = model_of(index);
    const heed_status status = heed_model_set_shortlist(model, n_first, offsets, n_offsets + 1, ids, n_ids);
    REQUIRE(status == HEED_OK || status == HEED_E_ARGUMENT || status == HEED_E_ID);
    while (status == HEED_OK && in.left > 0) {
        const int n = take_numbers(&in, source, 0), n_more = take_numbers(&in, more, 0);
        const heed_status selected = heed_model_select(model, source, n, more, n_more, out[0], &n_out);
        REQUIRE(selected == HEED_OK || selected == HEED_E_ID || selected == HEED_E_LENGTH);
        if (selected != HEED_OK) continue;
        REQUIRE(n_out <= V && (n_out % 8 == 0 || n_out == V) && n_out >= n_first);
        for (int i = 0; i < n_out; i++) REQUIRE(out[0][i] >= (i ? out[0][i - 1] + 1 : 0) && out[0][i] < V);
        for (int i = 0, at; i < n_more; i++) {
            for (at = 0; at < n_out && out[0][at] != more[i];) at++;
            REQUIRE(at < n_out);
        }
        REQUIRE(heed_model_select(model, source, n, more, n_more, out[1], &again) == HEED_OK);
        REQUIRE(again == n_out && memcmp(out[0], out[1], (size_t)n_out * sizeof *out[0]) == 0);
    }
    arena_free_block(model->shortlist);
    model->shortlist = NULL;
    return 0;
}
