/* tap.c - see tap.h for the contract. */
#include "model/tap.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

uint64_t tap_floats(const struct heed_model *model, int point, int layer, int n_source, int n_target) {
    const int is_decoder = point >= HEED_AT_DECODER, at = point - (is_decoder ? HEED_AT_DECODER : 0);
    const heed_stack *stack = is_decoder ? &model->decoder : &model->encoder;
    const int is_cross = at >= HEED_AT_CROSS && at < HEED_AT_CROSS + HEED_AT_PER_ATTENTION;
    const int part = is_cross ? at - HEED_AT_CROSS : at - HEED_AT_SELF;
    const int n_layers = at < HEED_AT_SELF ? 1 : stack->n_layers;
    const uint64_t D = (uint64_t)model->config.d_model, rows = (uint64_t)(is_decoder ? n_target : n_source);
    const uint64_t keys = is_cross ? (uint64_t)n_source : rows;

    if (at < 0 || at > HEED_AT_FINAL_NORM || (is_cross && !is_decoder) || layer < 0 || layer >= n_layers) return 0;
    if (at == HEED_AT_FC1) return rows * (uint64_t)stack->ffn_dim;
    if (at < HEED_AT_SELF || at >= HEED_AT_FC1) return rows * D;
    if (part == HEED_AT_K || part == HEED_AT_V) return keys * D;
    if (part == HEED_AT_SCORES || part == HEED_AT_WEIGHTS) return (uint64_t)stack->n_heads * rows * keys;
    return rows * D;
}

float *tap_room(const struct heed_model *model, const heed_taps *taps, int point, int layer) {
    float *room = taps->out;
    for (int i = 0; i < taps->n; i++) {
        const int32_t *one = taps->wanted + 2 * (size_t)i;
        if (one[0] == point && one[1] == layer) return room;
        room += (size_t)tap_floats(model, one[0], one[1], taps->n_source, taps->n_target);
    }
    return NULL;
}

void tap_note(const struct heed_model *model, const heed_taps *taps, int point, int layer, const float *values,
              size_t n) {
    float *room = tap_room(model, taps, point, layer);
    if (room) memcpy(room, values, n * sizeof *room);
}

void tap_scores(const struct heed_model *model, const heed_taps *taps, int point, int layer, const float *q,
                const float *k, const heed_attention_shape *shape, int row, int rows, int keys) {
    float *room = tap_room(model, taps, point, layer);
    if (room == NULL) return;
    const int Dh = shape->d_model / shape->n_heads;
    for (int h = 0; h < shape->n_heads; h++) {
        float *scores = room + ((size_t)h * rows + row) * keys;
        k_scores(scores, q + (size_t)h * Dh, k + (size_t)h * Dh, (size_t)shape->d_model, shape->places, shape->n_key,
                 Dh, 1.0f / sqrtf((float)Dh));
        for (int s = shape->n_key; s < keys; s++) scores[s] = -INFINITY;
    }
}
