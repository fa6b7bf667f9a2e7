/*
 * input.h - a fuzzer's bytes as numbers, and what must hold whatever they are; included by every target.
 *
 * When the bytes are used up every number is 0.
 */
#ifndef HEED_FUZZ_INPUT_H
#define HEED_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const uint8_t *at;
    size_t left;
} input;

static inline int take_byte(input *in) {
    if (in->left == 0) return 0;
    in->left--;
    return *in->at++;
}

/* low..high, evenly; at most 65536 numbers. */
static inline int take_between(input *in, int low, int high) {
    const int value = take_byte(in) << 8 | take_byte(in);
    return low + value % (high - low + 1);
}

static inline int32_t take_int32(input *in) {
    const uint32_t high = (uint32_t)take_between(in, 0, 65535), low = (uint32_t)take_between(in, 0, 65535);
    return (int32_t)(high << 16 | low);
}

/* The next n bytes where they lie, or as many as are left: *n. */
static inline const char *take_bytes(input *in, size_t *n) {
    const char *bytes = (const char *)in->at;
    if (*n > in->left) *n = in->left;
    in->at += *n;
    in->left -= *n;
    return bytes;
}

/* A promise of heed.h; libFuzzer reports the abort, with the input that led to it. */
#define REQUIRE(condition)                                                          \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#endif /* HEED_FUZZ_INPUT_H */
