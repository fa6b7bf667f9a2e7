/*
 * kernels.c - how fast each kernel is, beside what the machine attains; run by `make bench-kernels` as wasm.
 *
 *     GOP/s = 2 M N K / time, a multiply and an add counting as two
 *
 * What is attainable is the speed of loops of the same instructions with operands in the first cache: f32 mul and add,
 * int8 the widest dot product the build has and the add that goes with it.  Every figure is the best of several short
 * runs, in processor time, as other programs only slow one down.  They do so for seconds, so those of products are
 * spread over several passes through all shapes.  Shapes are the matrices of two models: A d 256,
 * feed-forward 1024, vocabulary 8,000; B d 512, 2048, 32,000; M is the number of rows that are decoded or encoded
 * together.
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kernels.h"
#include "kernels/simd.h"

#ifdef HEED_RELAXED
#include "kernels/relaxed.h"
#ifdef HEED_PAIRS
#define BUILD "relaxed SIMD, pairs"
#else
#define BUILD "relaxed SIMD"
#endif
#else
#define BUILD "SIMD128"
#endif

enum { ROUNDS = 6, PASSES = 5, N_M = 5, N_SHAPES = 8 };
static const double ROUND_SECONDS = 0.003;
/* Before: the engine takes its time to compile for good, for the first functions most of all. */
static double warm_seconds = 0.3;
static const int ROWS[N_M] = {1, 4, 8, 20, 160};

/* Everything that one measured call needs. */
typedef struct {
    int m, n, k;
    float *x, *w, *bias, *out;
    int8_t *w8;
    float *w_scales, *scales;
    int32_t *sums, *zeros;
    void *rows;
} job;

static volatile float sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call: the best of ROUNDS, each long enough for the clock. */
NOINLINE double measure(void (*f)(job *), job *j) {
    double best = 1e9;
    int calls = 1;
    for (const double start = now(); now() - start < warm_seconds;) f(j);
    for (int round = 0; round < ROUNDS;) {
        const double start = now();
        for (int i = 0; i < calls; i++) f(j);
        const double seconds = now() - start;
        if (seconds < ROUND_SECONDS) {
            calls *= 2;
            continue;
        }
        if (seconds / calls < best) best = seconds / calls;
        round++;
    }
    return best;
}

/* ------------------------------------------------------------------------------ what is attainable */

/*
 * Four by two sums as in the tiles of the products.  The two operands are loaded anew for each step, as those of a
 * product are.  If they were the same, an engine that unrolls the loop could take products from the step before.  Four
 * steps are a turn of the loop, because engines add a check for interrupts to every turn.
 */
enum { PEAK_SUMS = 8, PEAK_STEPS = 2000, PEAK_TURN = 4, PEAK_FLOATS = 256 };

#define PEAK(name, multiply_add)                                                                                    \
    NOINLINE void name(job *j) {                                                                                    \
        v128_t acc[PEAK_SUMS], x[4], w[2];                                                                          \
        UNROLL for (int i = 0; i < 4; i++) x[i] = wasm_v128_load(j->x + 4 * i);                                     \
        UNROLL for (int i = 0; i < PEAK_SUMS; i++) acc[i] = wasm_i32x4_splat(0);                                    \
        KEEP_LOOP for (int t = 0; t < PEAK_STEPS; t += PEAK_TURN) {                                                 \
            const float *at = j->x + 8 * t % PEAK_FLOATS;                                                           \
            UNROLL for (int u = 0; u < PEAK_TURN; u++) {                                                            \
                UNROLL for (int i = 0; i < 2; i++) w[i] = wasm_v128_load(at + 8 * u + 4 * i);                       \
                UNROLL for (int i = 0; i < PEAK_SUMS; i++) acc[i] = multiply_add(x[i / 2], w[i % 2], acc[i]);       \
            }                                                                                                       \
        }                                                                                                           \
        UNROLL for (int i = 0; i < PEAK_SUMS; i++) wasm_v128_store(j->out + 4 * i, acc[i]);                         \
    }

#ifdef HEED_RELAXED
/* what comes out past 0..127 does not matter here */
INLINE v128_t dot_add(v128_t a, v128_t b, v128_t c) { return dot_i8_u7(b, a, c); }
#else
INLINE v128_t dot_add(v128_t a, v128_t b, v128_t c) { return wasm_i32x4_add(wasm_i32x4_dot_i16x8(a, b), c); }
#endif

PEAK(peak_f32, mul_add)
PEAK(peak_i8, dot_add)

/* ------------------------------------------------------------------------------ products */

static void gemm_f32(job *j) { k_gemm_f32(j->out, j->n, j->x, j->k, j->w, j->bias, j->m, j->n, j->k); }

static void gemm_i8(job *j) {
    k_gemm_i8(j->out, j->n, j->rows, j->scales, j->zeros, j->w8, j->w_scales, j->sums, j->bias, j->m, j->n, j->k);
}

static void quantize(job *j) { k_quantize_rows(j->rows, j->scales, j->zeros, j->x, j->k, j->m, j->k); }

static void gemm_i8_whole(job *j) {
    quantize(j);
    gemm_i8(j);
}

static void gemm_sparse_whole(job *j) {
    k_quantize_sparse(j->rows, j->scales, j->zeros, j->x, j->k, j->m, j->k, 0.0f);
    k_gemm_sparse(j->out, j->n, j->rows, j->scales, j->zeros, j->w8, j->w_scales, j->sums, j->bias, j->m, j->n, j->k);
}

static void gemm_8_whole(job *j) {
    k_quantize_rows_8(j->rows, j->scales, j->zeros, j->x, j->k, j->m, j->k, 0.0f);
    k_gemm_i8_8(j->out, j->n, j->rows, j->scales, j->zeros, j->w8, j->w_scales, j->sums, j->bias, j->m, j->n, j->k);
}

static void gemm_fixed_whole(job *j) {
    k_quantize_rows_8(j->rows, j->scales, j->zeros, j->x, j->k, j->m, j->k, 100.0f);
    k_gemm_fixed(j->out, j->n, j->rows, j->scales, j->zeros, j->w8, 0.5f, 0.5f, j->sums, j->bias, j->m, j->n, j->k);
}

/* ------------------------------------------------------------------------------ rows */

static void scores(job *j) { k_scores(j->out, j->x, j->w, (size_t)j->k, NULL, j->n, 64, 0.125f); }
static void weighted_sum(job *j) { k_weighted_sum(j->out, j->x, j->w, (size_t)j->k, NULL, j->n, 64); }
static void softmax(job *j) { k_softmax(j->x, j->n); }
static void log_sum_exp(job *j) { sink = k_log_sum_exp(j->x, j->n); }
static void arg_max(job *j) { sink = (float)k_argmax(j->x, j->n); }
static void layer_norm(job *j) { k_layer_norm(j->out, j->x, j->w, j->bias, j->bias, j->n, 1e-5f); }
static void relu(job *j) { k_relu(j->out, (size_t)j->n); }

/* Of fresh numbers: applied again and again these two end in denormals. */
static void gelu(job *j) {
    memcpy(j->out, j->x, (size_t)j->n * sizeof *j->x);
    k_gelu(j->out, (size_t)j->n);
}

static void swish(job *j) {
    memcpy(j->out, j->x, (size_t)j->n * sizeof *j->x);
    k_swish(j->out, (size_t)j->n);
}

static void add(job *j) { k_add(j->out, j->x, j->w, (size_t)j->n); }

/* All memory is taken at the start, for a memory that grows moves or slows what is measured. */
static unsigned char *pool;
static size_t pool_used;
enum { POOL_BYTES = 160 << 20 };

static void *memory(size_t bytes) {
    void *p = pool + pool_used;
    pool_used += (bytes + 63) / 64 * 64;
    if (pool == NULL || pool_used > POOL_BYTES) {
        puts("out of memory");
        exit(1);
    }
    return p;
}

/* The pattern does not matter, only that nothing is denormal or zero. */
static void fill(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = (float)((i * 7919 + 13) % 1021) / 1021.0f - 0.49f;
}

static job new_job(int m, int n, int k) {
    const size_t columns = (size_t)panel_rows(n), padded = (size_t)quantized_cols(k);
    job j = {.m = m, .n = n, .k = k};
    pool_used = 0; /* the job before is over */
    j.x = memory(((size_t)m * (size_t)k + columns + 64) * 4);
    j.w = memory(columns * (size_t)k * 4);
    j.out = memory((size_t)m * columns * 4);
    j.bias = memory(columns * 4);
    j.w8 = memory(columns * padded);
    j.w_scales = memory(columns * 4);
    j.sums = memory(columns * 4);
    j.scales = memory((size_t)m * 4);
    j.zeros = memory((size_t)m * 4);
    const size_t whole = quantized_bytes(m, k), sparse = sparse_bytes(m, k);
    j.rows = memory(whole > sparse ? whole : sparse);
    fill(j.x, (size_t)m * (size_t)k + columns + 64);
    fill(j.w, columns * (size_t)k);
    fill(j.out, (size_t)m * columns);
    fill(j.bias, columns);
    fill(j.w_scales, columns);
    memset(j.sums, 0, columns * 4);
    for (size_t i = 0; i < columns * padded; i++) j.w8[i] = (int8_t)(i * 31 % 255 - 127);
    quantize(&j);
    return j;
}

/* The fastest of the loops f so far, each step of which does `operations`. */
static double attain(void (*f)(job *), double operations, double *best) {
    job j = new_job(1, 4 * PEAK_SUMS, 512);
    const double rate = 1e-9 * operations * PEAK_SUMS * PEAK_STEPS / measure(f, &j);
    if (rate > *best) *best = rate;
    return *best;
}

static double attain_f32(void) {
    static double best;
    return attain(peak_f32, 8.0, &best);
}

static double attain_i8(void) {
    static double best;
#ifdef HEED_RELAXED
    return attain(peak_i8, 32.0, &best);
#else
    return attain(peak_i8, 16.0, &best);
#endif
}

static void products(const char *name, void (*f)(job *), double (*peak)(void)) {
    static const struct {
        const char *what;
        int n, k;
    } shapes[N_SHAPES] = {{"A  d x d", 256, 256},       {"A  ffn x d", 1024, 256},    {"A  d x ffn", 256, 1024},
                          {"A  vocabulary", 8000, 256}, {"B  d x d", 512, 512},       {"B  ffn x d", 2048, 512},
                          {"B  d x ffn", 512, 2048},    {"B  vocabulary", 32000, 512}};
    double best[N_SHAPES][N_M] = {{0}}, attainable = 0.0;
    for (int pass = 0; pass < PASSES; pass++) {
        attainable = peak();
        for (int s = 0; s < N_SHAPES; s++) {
            job j = new_job(ROWS[N_M - 1], shapes[s].n, shapes[s].k);
            for (int i = 0; i < N_M; i++) {
                j.m = ROWS[i];
                const double rate = 2e-9 * j.m * j.n * j.k / measure(f, &j);
                if (rate > best[s][i]) best[s][i] = rate;
            }
        }
    }
    printf("\n%-32s", name);
    for (int i = 0; i < N_M; i++) printf("   M=%-9d", ROWS[i]);
    for (int s = 0; s < N_SHAPES; s++) {
        printf("\n  %-15s %5d x %-5d ", shapes[s].what, shapes[s].n, shapes[s].k);
        for (int i = 0; i < N_M; i++) printf("  %6.1f %3.0f %%", best[s][i], 100.0 * best[s][i] / attainable);
    }
    printf("\n");
}

/* Rows in which `percent` of 100 numbers are not 0, at other places in each row. */
static void fill_after_relu(float *x, size_t n, unsigned percent) {
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (state >> 8) % 100 < percent ? (float)(state >> 24) + 1.0f : 0.0f;
    }
}

/* The time of the products that leave out what is 0, as a share of the time of those of whole rows. */
static void after_relu(void) {
    static const unsigned PERCENT[] = {10, 20, 30, 50};
    static const int SHAPES[3][2] = {{256, 1024}, {512, 2048}, {1024, 8192}};
    enum { N_PERCENT = sizeof PERCENT / sizeof *PERCENT, N_ROWS = 4 }; /* not the last of ROWS */
    printf("\nafter a ReLU: time of k_quantize_sparse + k_gemm_sparse, k_quantize_rows + k_gemm_i8 being 100 %%\n%-32s",
           "  numbers that are not 0");
    for (int i = 0; i < N_ROWS; i++) printf("   M=%-9d", ROWS[i]);
    for (int s = 0; s < 3; s++)
        for (int p = 0; p < N_PERCENT; p++) {
            double best[2][N_ROWS];
            for (int pass = 0; pass < PASSES; pass++)
                for (int i = 0; i < N_ROWS; i++) {
                    job j = new_job(ROWS[i], SHAPES[s][0], SHAPES[s][1]);
                    fill_after_relu(j.x, (size_t)j.m * (size_t)j.k, PERCENT[p]);
                    const double whole = measure(gemm_i8_whole, &j), sparse = measure(gemm_sparse_whole, &j);
                    if (pass == 0 || whole < best[0][i]) best[0][i] = whole;
                    if (pass == 0 || sparse < best[1][i]) best[1][i] = sparse;
                }
            printf("\n  %c  d x ffn  %5d x %-5d  %2u %%", "AB "[s], SHAPES[s][0], SHAPES[s][1], PERCENT[p]);
            for (int i = 0; i < N_ROWS; i++) printf("  %9.0f %%", 100.0 * best[1][i] / best[0][i]);
        }
    printf("\n");
}

/* `per_element` operations, or 1 for elements alone; n elements, or n rows of 64 for attention. */
static void row(const char *name, void (*f)(job *), const char *unit, double per_element) {
    static const int sizes[] = {64, 256, 1024, 8000};
    printf("  %-30s", name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        job j = new_job(1, sizes[i], 512);
        printf("  %6.2f n=%-5d", 1e-9 * sizes[i] * per_element / measure(f, &j), sizes[i]);
    }
    printf("  %s\n", unit);
}

int main(void) {
    pool = malloc(POOL_BYTES);
    const double f32 = attain_f32(), i8 = attain_i8();
    warm_seconds = 0.03;
    printf("%s, one thread, GOP/s and its share of what is attainable: f32 %.1f, int8 %.1f\n", BUILD, f32, i8);
    products("k_gemm_f32", gemm_f32, attain_f32);
    products("k_gemm_i8", gemm_i8, attain_i8);
    products("k_quantize_rows + k_gemm_i8", gemm_i8_whole, attain_i8);
    products("k_quantize_rows_8 + k_gemm_i8_8", gemm_8_whole, attain_i8);
    products("k_quantize_rows_8 + k_gemm_fixed", gemm_fixed_whole, attain_i8);
    after_relu();
    printf("\nrows\n");
    row("k_scores, 64 of 512 columns", scores, "GOP/s", 128.0);
    row("k_weighted_sum, likewise", weighted_sum, "GOP/s", 128.0);
    row("k_softmax", softmax, "Gelem/s", 1.0);
    row("k_log_sum_exp", log_sum_exp, "Gelem/s", 1.0);
    row("k_argmax", arg_max, "Gelem/s", 1.0);
    row("k_layer_norm + residual", layer_norm, "Gelem/s", 1.0);
    row("k_relu", relu, "Gelem/s", 1.0);
    row("k_gelu", gelu, "Gelem/s", 1.0);
    row("k_swish", swish, "Gelem/s", 1.0);
    row("k_add", add, "Gelem/s", 1.0);
    return 0;
}
