/*
 * load.c - a tensor's bytes, in pieces of any size, into the model: see model.h and heed.h.
 *
 * Each row is collected if it arrives in parts, converted to floats, checked, and stored in the layout of the kernels.
 * So there is never a second copy of the weights.
 */
#include <math.h>
#include <string.h>

#include "heed.h"
#include "model/model.h"

enum { N_DTYPES = HEED_I8 + 1 };

static const size_t ELEMENT_BYTES[N_DTYPES] = {4, 2, 2, 1};

static uint8_t *loaded(heed_tensor *t, int part) {
    return part == HEED_ALPHA ? &t->alpha_loaded : part ? &t->scale_loaded : &t->loaded;
}

heed_status heed_tensor_begin(heed_model *model, int index, int part, int dtype, int rank, const double *dims) {
    heed_loader *l = &model->loader;
    if (index < 0 || index >= model->n_tensors || model->ready || l->tensor) return HEED_E_STATE;
    heed_tensor *t = &model->tensors[index];
    if (part < HEED_WEIGHT || part > HEED_ALPHA || (part && !t->matrix) || *loaded(t, part)) return HEED_E_STATE;
    if (dtype < 0 || dtype >= N_DTYPES) return HEED_E_TENSOR_DTYPE;
    if (part ? dtype != HEED_F32 : dtype == HEED_I8 && !t->matrix) return HEED_E_TENSOR_DTYPE;

    /* a scale is one row of t->rows numbers, an alpha of 1 or 2; a vector may be written [n] or [1, n] */
    const int has_q = part == HEED_ALPHA && (rank == 1 || rank == 2) && dims[rank - 1] == 2;
    const int rows = part ? 1 : t->rows, cols = part == HEED_ALPHA ? 1 + has_q : part ? t->rows : t->cols;
    const int fits = rank == 2 ? dims[0] == rows && dims[1] == cols : rank == 1 && rows == 1 && dims[0] == cols;
    if (!fits || (t->matrix && !part && rank != 2)) return HEED_E_TENSOR_SHAPE;

    l->tensor = t;
    l->part = part;
    l->dtype = dtype;
    l->row = 0;
    l->n_rows = rows;
    l->row_elements = cols;
    l->row_bytes = (size_t)cols * ELEMENT_BYTES[dtype];
    l->filled = 0;
    return HEED_OK;
}

/* Files are little-endian, like wasm and every supported host.  memcpy, because bytes are not aligned. */
static float float_from_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float float_from_half(uint32_t h) {
    const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 31) return float_from_bits(sign | 0x7f800000u | mantissa << 13);
    if (exponent) return float_from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
    const float magnitude = (float)mantissa * 0x1p-24f; /* subnormal, or zero */
    return sign ? -magnitude : magnitude;
}

static void decode_row(float *out, const unsigned char *bytes, int n, int dtype) {
    if (dtype == HEED_F32) memcpy(out, bytes, (size_t)n * sizeof *out);
    else if (dtype == HEED_I8)
        for (int i = 0; i < n; i++) out[i] = (float)(int8_t)bytes[i];
    else
        for (int i = 0; i < n; i++) {
            const uint32_t bits = bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
            out[i] = dtype == HEED_F16 ? float_from_half(bits) : float_from_bits(bits << 16);
        }
}

/* Is every element finite, and still so when it is multiplied by `factor`? */
static int all_finite(const float *x, int n, float factor) {
    float zero = 0.0f; /* stays 0 unless a product is infinite or NaN */
    for (int i = 0; i < n; i++) zero += x[i] * factor * 0.0f;
    return zero == 0.0f;
}

/* Positive, and small enough and large enough for 127 / x to be so too? */
static int is_multiplier(float x) { return x > 0.0f && x < INFINITY && 127.0f / x < INFINITY; }

static heed_status store_alpha(heed_loader *l, heed_matrix *w) {
    const float *x = l->floats;
    if (!is_multiplier(x[0]) || (l->row_elements > 1 && !is_multiplier(x[1]))) return HEED_E_TENSOR_VALUE;
    w->alpha = x[0];
    w->q = l->row_elements > 1 ? x[1] : 0.0f;
    return HEED_OK;
}

/* bytes: of the next row, which may be l->bytes. */
static heed_status store_row(heed_loader *l, const unsigned char *bytes) {
    heed_tensor *t = l->tensor;
    if (t->matrix && t->matrix->i8 && !l->part && l->dtype == HEED_I8) { /* stored unchanged */
        matrix_set_row_i8(t->matrix, l->row, (const int8_t *)bytes);
        return HEED_OK;
    }
    decode_row(l->floats, bytes, l->row_elements, l->dtype);
    if (l->part == HEED_ALPHA) return store_alpha(l, t->matrix);
    if (!all_finite(l->floats, l->row_elements, l->part ? 128.0f : 1.0f)) return HEED_E_TENSOR_VALUE;
    if (l->part) memcpy(t->scales, l->floats, (size_t)l->row_elements * sizeof *t->scales);
    else if (t->matrix) matrix_set_row(t->matrix, l->row, l->floats, (int8_t *)l->bytes);
    else memcpy(t->plain + (size_t)l->row * t->cols, l->floats, (size_t)t->cols * sizeof *t->plain);
    return HEED_OK;
}

heed_status heed_tensor_write(heed_model *model, const void *data, size_t n) {
    const unsigned char *bytes = data;
    heed_loader *l = &model->loader;
    while (n > 0) {
        if (l->tensor == NULL) return HEED_E_STATE;
        const unsigned char *row = bytes;
        size_t take = l->row_bytes - l->filled;
        if (take > n) take = n;
        if (take < l->row_bytes) { /* else the whole row is read where it is */
            memcpy(l->bytes + l->filled, bytes, take);
            row = l->bytes;
        }
        l->filled += take;
        bytes += take;
        n -= take;
        if (l->filled < l->row_bytes) break;

        const heed_status status = store_row(l, row);
        if (status != HEED_OK) return status;
        l->filled = 0;
        if (++l->row == l->n_rows) {
            *loaded(l->tensor, l->part) = 1;
            if (!l->part) l->tensor->file_dtype = (uint8_t)l->dtype;
            l->tensor = NULL;
        }
    }
    return HEED_OK;
}

/* Applies the scales of a float matrix.  A file has them before or after their tensor, so this waits for both. */
static void apply_scales(heed_loader *l, heed_tensor *t) {
    for (int r = 0; r < t->rows; r++) {
        matrix_get_row(l->floats, t->matrix, r);
        for (int c = 0; c < t->cols; c++) l->floats[c] *= t->scales[r];
        matrix_set_row(t->matrix, r, l->floats, NULL);
    }
}

/* Does an .alpha fit the tensor: one scale for all rows, which is 1 / q?  Completes q. */
static int fits_alpha(const heed_tensor *t) {
    for (int r = 1; r < t->rows; r++)
        if (t->scales[r] != t->scales[0]) return 0;
    if (t->matrix->q == 0.0f) t->matrix->q = 1.0f / t->scales[0];
    return fabsf(t->matrix->q * t->scales[0] - 1.0f) < 1e-5f;
}

heed_status heed_model_finish(heed_model *model, heed_report *report) {
    status_report(HEED_OK, report, NULL, NULL, 0);
    if (model->ready || model->loader.tensor) return HEED_E_STATE;
    for (int i = 0; i < model->n_tensors; i++) {
        const heed_tensor *t = &model->tensors[i];
        if (!t->loaded && (!t->optional || t->scale_loaded))
            return status_report(HEED_E_TENSOR_MISSING, report, t->name, NULL, 0);
        if (t->loaded && (t->file_dtype == HEED_I8) != t->scale_loaded)
            return status_report(HEED_E_TENSOR_MISSING, report, t->name,
                                 "an I8 tensor needs its .scale, and only an I8 tensor may have one", 0);
        if (t->alpha_loaded && (!t->scale_loaded || !fits_alpha(t)))
            return status_report(HEED_E_TENSOR_VALUE, report, t->name,
                                 "an .alpha needs an I8 tensor with one .scale for all rows, the inverse of its q", 0);
    }
    for (int i = 0; i < model->n_tensors; i++)
        if (model->tensors[i].scale_loaded && model->tensors[i].matrix->f32)
            apply_scales(&model->loader, &model->tensors[i]);
    model->ready = 1;
    return HEED_OK;
}
