/* point.c - see point.h for the contract. */
#include "model/point.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

/* The first points of a stack, in the order of AT_EMBEDDING ... */
static const architecture_tensor STACK[N_STACK_POINTS] = {{"embedding", "nD"}, {"positions", "nD"}, {"input", "nD"}};
static const architecture_tensor POSITION_BIAS = {"position_bias", "Hnn"}, OUTPUT = {"output", "nD"};

/* The sublayer of the stack that has the point, or NULL if it is a point of the stack itself. */
static const heed_sublayer *sublayer_at(const heed_stack *stack, int point) {
    if (point < stack->first_point + N_STACK_POINTS || point == stack->output_point) return NULL;
    const heed_sublayer *s = stack->sublayers;
    while (point > s->norm_point) s++;
    return s;
}

static architecture_tensor tensor_at(const heed_stack *stack, const heed_sublayer *s, int point) {
    if (s == NULL) {
        const int at = point - stack->first_point;
        if (point == stack->output_point) return OUTPUT;
        return at == AT_POSITIONS && stack->arch->n_buckets > 0 ? POSITION_BIAS : STACK[at];
    }
    if (point == s->norm_point) return (architecture_tensor){s->arch->norm, "nD"};
    return architecture_parts(s->arch->kind)->points[point - s->first_point];
}

int point_describe(const struct heed_model *model, int point, int n_source, int n_target, char *name,
                   int32_t shape[3]) {
    if (name) name[0] = '\0';
    shape[0] = shape[1] = shape[2] = 1;
    if (point < 0 || point >= model->n_points) return 0;
    const int is_target = point >= model->decoder.first_point, n = is_target ? n_target : n_source;
    const heed_stack *stack = is_target ? &model->decoder : &model->encoder;
    const heed_sublayer *s = sublayer_at(stack, point);
    const architecture_tensor tensor = tensor_at(stack, s, point);
    const int m = s && s->arch->kind == SUBLAYER_CROSS_ATTENTION ? n_source : n;

    if (name)
        name_append_part(name, stack->arch->name, s ? s->layer : -1, s && point < s->norm_point ? s->arch->name : "",
                         tensor.name);
    int rank = 0;
    const architecture_sublayer *sized = s ? s->arch : &stack->arch->sublayers[0];
    for (; tensor.shape[rank]; rank++)
        shape[rank] = architecture_size(&model->arch, sized, tensor.shape[rank], n, m);
    return rank;
}

double point_floats(const struct heed_model *model, int point, int n_source, int n_target) {
    int32_t shape[3];
    const int rank = point_describe(model, point, n_source, n_target, NULL, shape);
    return rank ? (double)shape[0] * shape[1] * shape[2] : 0.0;
}

void point_note(float *out, const float *values, size_t n) {
    if (out) memcpy(out, values, n * sizeof *out);
}

void point_scores(float *out, const float *q, const float *k, const heed_attention_shape *shape, int query, int row,
                  int rows, int keys) {
    if (out == NULL) return;
    const int Dh = shape->width / shape->n_heads;
    for (int h = 0; h < shape->n_heads; h++) {
        float *scores = out + ((size_t)h * rows + row) * keys;
        k_scores(scores, q + (size_t)h * Dh, k + (size_t)h * Dh, (size_t)shape->width, shape->key_rows, shape->n_key,
                 Dh, shape->scale);
        if (shape->bias) k_add(scores, scores, attention_bias(shape, h, query), (size_t)shape->n_key);
        for (int s = shape->n_key; s < keys; s++) scores[s] = -INFINITY;
    }
}

void point_bias(float *out, const float *bias, int reach, int n_heads, int n) {
    for (int h = 0; out && h < n_heads; h++)
        for (int t = 0; t < n; t++, out += n)
            memcpy(out, bias + (size_t)h * (2 * (size_t)reach - 1) + reach - 1 - t, (size_t)n * sizeof *out);
}
