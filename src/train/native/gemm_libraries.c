/* gemm_libraries.c - oneDNN and OpenBLAS as matrix products, each if the build has it; see products.h. */
#include "train/native/products.h"

#if defined(HEED_OPENBLAS)
#include <cblas.h>

static void multiply_openblas(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb,
                              int b_flipped, int m, int n, int k, int add, float *scratch) {
    (void)scratch;
    cblas_sgemm(CblasRowMajor, a_flipped ? CblasTrans : CblasNoTrans, b_flipped ? CblasTrans : CblasNoTrans, m, n, k,
                1.0f, a, lda, b, ldb, add ? 1.0f : 0.0f, c, ldc);
}

const heed_gemm gemm_openblas = {"openblas", multiply_openblas, 0};
#endif

#if defined(HEED_ONEDNN)
#include <dnnl.h>

static void multiply_onednn(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb,
                            int b_flipped, int m, int n, int k, int add, float *scratch) {
    (void)scratch;
    dnnl_sgemm(a_flipped ? 'T' : 'N', b_flipped ? 'T' : 'N', m, n, k, 1.0f, a, lda, b, ldb, add ? 1.0f : 0.0f, c, ldc);
}

const heed_gemm gemm_onednn = {"onednn", multiply_onednn, 0};

#if DNNL_VERSION_MAJOR == 2
/* ------------------------------------------------------------------------------ bfloat16 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

#include "train/native/files.h"

/*
 * oneDNN compiles a product of given sizes on first use and keeps it in a cache of 1,024.  The number of tokens varies,
 * so sizes are rounded up to STEP and padded with zeros.  This leaves few sizes.
 */
enum { STEP = 64 };

typedef struct {
    void *block;
    size_t bytes;
} room;

/* Per thread: an engine, and room for both inputs and for a result with padded rows. */
static _Thread_local struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    room a, b, c;
} mine;

static void must(dnnl_status_t status) {
    if (status != dnnl_success) fail("oneDNN: status %d", (int)status);
}

static void *at_least(room *r, size_t bytes) {
    if (bytes > r->bytes) {
        free(r->block);
        r->block = allocate(bytes);
        r->bytes = bytes;
    }
    return r->block;
}

static int round_up(int n) { return (n + STEP - 1) / STEP * STEP; }

/*
 * Converts x [rows, cols] to bfloat16, ties to even, padded with zeros to [full_rows, full_cols].  Where the processor
 * converts, numbers below 2^-126 become 0, as in the product itself.
 */
static uint16_t *convert(room *r, const float *x, int ld, int rows, int cols, int full_rows, int full_cols) {
    uint16_t *to = at_least(r, (size_t)full_rows * full_cols * sizeof *to);
    memset(to + (size_t)rows * full_cols, 0, (size_t)(full_rows - rows) * full_cols * sizeof *to);
    for (int i = 0; i < rows; i++) {
        uint16_t *row = to + (size_t)i * full_cols;
        int j = 0;
#if defined(__AVX512BF16__)
        for (; j + 32 <= cols; j += 32) {
            const float *from = x + (size_t)i * ld + j;
            _mm512_storeu_si512(row + j,
                                (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from)));
        }
#endif
        for (; j < cols; j++) {
            uint32_t bits;
            memcpy(&bits, &x[(size_t)i * ld + j], sizeof bits);
            row[j] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        }
        memset(row + cols, 0, (size_t)(full_cols - cols) * sizeof *row);
    }
    return to;
}

/* [rows, cols] of a matrix whose rows (or, flipped, columns) are ld apart. */
static dnnl_memory_desc_t describe(int rows, int cols, int ld, int flipped, dnnl_data_type_t type) {
    const dnnl_dims_t sizes = {rows, cols}, strides = {flipped ? 1 : ld, flipped ? ld : 1};
    dnnl_memory_desc_t d;
    must(dnnl_memory_desc_init_by_strides(&d, 2, sizes, type, strides));
    return d;
}

static void execute(float *c, int ldc, const uint16_t *a, int a_flipped, const uint16_t *b, int b_flipped, int m, int n,
                    int k, int add) {
    const dnnl_memory_desc_t descs[3] = {describe(m, k, a_flipped ? m : k, a_flipped, dnnl_bf16),
                                         describe(k, n, b_flipped ? k : n, b_flipped, dnnl_bf16),
                                         describe(m, n, ldc, 0, dnnl_f32)};
    void *const data[3] = {(void *)(uintptr_t)a, (void *)(uintptr_t)b, c};
    dnnl_primitive_attr_t attributes;
    dnnl_post_ops_t after;
    dnnl_matmul_desc_t product;
    dnnl_primitive_desc_t planned;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[3] = {{.arg = DNNL_ARG_SRC}, {.arg = DNNL_ARG_WEIGHTS}, {.arg = DNNL_ARG_DST}};

    must(dnnl_primitive_attr_create(&attributes));
    must(dnnl_post_ops_create(&after));
    if (add) must(dnnl_post_ops_append_sum(after, 1.0f));
    must(dnnl_primitive_attr_set_post_ops(attributes, after));
    must(dnnl_matmul_desc_init(&product, &descs[0], &descs[1], NULL, &descs[2]));
    must(dnnl_primitive_desc_create(&planned, &product, attributes, mine.engine, NULL));
    must(dnnl_primitive_create(&primitive, planned));
    for (int i = 0; i < 3; i++) must(dnnl_memory_create(&arguments[i].memory, &descs[i], mine.engine, data[i]));
    must(dnnl_primitive_execute(primitive, mine.stream, 3, arguments));
    must(dnnl_stream_wait(mine.stream));
    for (int i = 0; i < 3; i++) dnnl_memory_destroy(arguments[i].memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(planned);
    dnnl_post_ops_destroy(after);
    dnnl_primitive_attr_destroy(attributes);
}

static void multiply_bf16(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb,
                          int b_flipped, int m, int n, int k, int add, float *scratch) {
    (void)scratch;
    if (mine.engine == NULL) {
        must(dnnl_engine_create(&mine.engine, dnnl_cpu, 0));
        must(dnnl_stream_create(&mine.stream, mine.engine, dnnl_stream_default_flags));
    }
    const int M = round_up(m), K = round_up(k);
    const uint16_t *x = a_flipped ? convert(&mine.a, a, lda, k, m, K, M) : convert(&mine.a, a, lda, m, k, M, K);
    const uint16_t *w = b_flipped ? convert(&mine.b, b, ldb, n, k, n, K) : convert(&mine.b, b, ldb, k, n, K, n);
    if (M == m) {
        execute(c, ldc, x, a_flipped, w, b_flipped, m, n, K, add);
        return;
    }
    float *padded = at_least(&mine.c, (size_t)M * n * sizeof *padded);
    execute(padded, n, x, a_flipped, w, b_flipped, M, n, K, 0);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float *to = c + (size_t)i * ldc + j;
            *to = (add ? *to : 0.0f) + padded[(size_t)i * n + j];
        }
}

const heed_gemm gemm_onednn_bf16 = {"onednn-bf16", multiply_bf16, 0};

int onednn_has_bf16(void) {
    const dnnl_memory_desc_t x = describe(STEP, STEP, STEP, 0, dnnl_bf16), y = describe(STEP, STEP, STEP, 0, dnnl_f32);
    dnnl_engine_t engine;
    dnnl_matmul_desc_t product;
    dnnl_primitive_desc_t planned;
    must(dnnl_engine_create(&engine, dnnl_cpu, 0));
    must(dnnl_matmul_desc_init(&product, &x, &x, NULL, &y));
    const dnnl_status_t status = dnnl_primitive_desc_create(&planned, &product, NULL, engine, NULL);
    if (status == dnnl_success) dnnl_primitive_desc_destroy(planned);
    dnnl_engine_destroy(engine);
    if (status != dnnl_unimplemented) must(status);
    return status == dnnl_success;
}
#endif
#endif
