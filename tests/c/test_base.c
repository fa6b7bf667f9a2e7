/* test_base.c - the arena measures what it places and refuses what does not fit; status names are pinned; SHA-256 gives
 * what FIPS 180-4 and its test vectors say, whatever the pieces. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "base/status.h"
#include "check.h"

static void lay_out(heed_arena *arena, float **x, int32_t **y) {
    *x = arena_floats(arena, 3, 5, 7);
    *y = arena_ints(arena, 2, 9);
}

static void test_measure_then_place(void) {
    heed_arena arena = {0};
    float *x;
    int32_t *y;
    lay_out(&arena, &x, &y);
    CHECK(x == NULL && y == NULL && !arena.overflow);
    CHECK_INT(arena.used, 432 + 80); /* 105 floats and 18 ints, each rounded up to 16 bytes */

    void *block = arena_block(&arena);
    CHECK(block != NULL);
    lay_out(&arena, &x, &y);
    CHECK(x != NULL && y != NULL && !arena.overflow);
    CHECK_INT((uintptr_t)x % ARENA_ALIGN, 0);
    CHECK_INT((uintptr_t)y % ARENA_ALIGN, 0);
    CHECK_INT(arena.used, arena.size);
    for (int i = 0; i < 105; i++) CHECK(x[i] == 0.0f);

    CHECK(arena_push(&arena, 1, 1) == NULL);
    CHECK(arena.overflow);
    arena_free_block(block);
    arena_free_block(NULL);
}

static void test_sizes_that_wrap(void) {
    heed_arena arena = {0};
    CHECK(arena_push(&arena, SIZE_MAX / 2, 3) == NULL && arena.overflow);
    CHECK(arena_block(&arena) == NULL);

    heed_arena product = {0};
    arena_floats(&product, SIZE_MAX / 8, 4, 4);
    CHECK(product.overflow);

    heed_arena sum = {0};
    arena_push(&sum, SIZE_MAX - 64, 1);
    arena_push(&sum, 128, 1);
    CHECK(sum.overflow);
}

/* Sizes at the border: of a product, of a sum, of a block, and of nothing. */
static void test_borders(void) {
    const size_t most = (SIZE_MAX - ARENA_ALIGN) / ARENA_ALIGN * ARENA_ALIGN; /* of what is left room to round up */
    const struct {
        size_t d0, d1, d2;
        int overflow;
    } floats[] = {{5, 0, 3, 0},
                  {0, 5, 3, 0},
                  {5, 3, 0, 0},
                  {0, 0, 0, 0},
                  {SIZE_MAX, 0, SIZE_MAX, 0},
                  {SIZE_MAX, 2, 0, 1},
                  {SIZE_MAX / 2, 2, 2, 1},
                  {SIZE_MAX / 2 + 1, 2, 1, 1}, /* 0, were it not looked at */
                  {1, SIZE_MAX / 2 + 1, 2, 1},
                  {most / 4, 1, 1, 0},
                  {1, most / 4, 1, 0},
                  {1, 1, most / 4, 0},
                  {most / 4 + 4, 1, 1, 1}};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        heed_arena arena = {0};
        CHECK(arena_floats(&arena, floats[i].d0, floats[i].d1, floats[i].d2) == NULL);
        CHECK_INT(arena.overflow != 0, floats[i].overflow);
        CHECK(arena.overflow || arena.used >= floats[i].d0 * floats[i].d1 * floats[i].d2 * sizeof(float));
        CHECK(arena_floats(&arena, 1, 1, 1) == NULL && (!floats[i].overflow || arena.overflow)); /* it stays */
        if (floats[i].d2 != 1) continue;
        heed_arena ints = {0};
        CHECK(arena_ints(&ints, floats[i].d0, floats[i].d1) == NULL);
        CHECK_INT(ints.overflow != 0, floats[i].overflow);
    }
    heed_arena ints = {0};
    CHECK(arena_ints(&ints, 7, 0) == NULL && !ints.overflow && ints.used == 0);
    CHECK(arena_push(&ints, 7, 0) == NULL && !ints.overflow && ints.used == 0);
    arena_push(&ints, most, 1);
    CHECK(!ints.overflow && ints.used == most);
    arena_push(&ints, SIZE_MAX - most + 1, 1);
    CHECK(ints.overflow);

    heed_arena full = {0};
    arena_push(&full, 33, 1);
    CHECK_INT(full.used, 48);
    void *block = arena_block(&full);
    if (!CHECK(block != NULL)) return;
    CHECK_INT((uintptr_t)block % ARENA_ALIGN, 0);
    CHECK(arena_push(&full, 16, 1) == block && arena_push(&full, 17, 1) == (unsigned char *)block + 16);
    CHECK(!full.overflow && full.used == 48);
    CHECK(arena_push(&full, 1, 1) == NULL && full.overflow);
    arena_free_block(block);
}

/* Ever larger blocks, which begin in memory that was used before and may end in some that never was. */
static void test_zeroed(void) {
    enum { PIECE = 4099 };
    for (int n = 1; n <= 4096; n *= 2) {
        heed_arena arena = {0};
        size_t dirty = 0;
        for (int i = 0; i < n; i++) arena_push(&arena, PIECE, 1);
        void *block = arena_block(&arena);
        if (!CHECK(block != NULL)) return;
        for (int i = 0; i < n; i++) {
            unsigned char *p = arena_push(&arena, PIECE, 1);
            for (int j = 0; j < PIECE; j++) dirty += p[j] != 0;
            memset(p, 0xA5, PIECE);
        }
        CHECK_INT(dirty, 0);
        arena_free_block(block);
    }
}

static void test_status_names(void) {
    CHECK(strcmp(heed_status_name(0), "HEED_OK") == 0);
    CHECK(strcmp(heed_status_name(12), "HEED_E_CONFIG") == 0);
    CHECK(strcmp(heed_status_name(23), "HEED_E_LANGUAGE") == 0);
    CHECK(strcmp(heed_status_name(-1), "HEED_E_?") == 0);
    CHECK(strcmp(heed_status_name(1 << 30), "HEED_E_?") == 0);
}

/* `text` over and over, n bytes in pieces of at most `piece`, against a digest in hexadecimal. */
static void check_sha256(const char *text, size_t n, size_t piece, const char *expected) {
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_DIGEST], bytes[256];
    char found[2 * SHA256_DIGEST + 1] = {0};
    const size_t period = strlen(text);
    sha256 s;
    sha256_begin(&s);
    for (size_t at = 0, taken; at < n; at += taken) {
        taken = n - at < piece ? n - at : piece;
        for (size_t i = 0; i < taken; i++) bytes[i] = (unsigned char)text[(at + i) % period];
        sha256_update(&s, bytes, taken);
    }
    sha256_update(&s, NULL, 0);
    sha256_end(&s, digest);
    for (int i = 0; i < SHA256_DIGEST; i++) {
        found[2 * i] = digits[digest[i] >> 4];
        found[2 * i + 1] = digits[digest[i] & 15];
    }
    if (strcmp(found, expected) != 0) printf("sha256 of %zu bytes in pieces of %zu: %s\n", n, piece, found);
    CHECK(strcmp(found, expected) == 0);
}

static void test_sha256(void) {
    static const size_t pieces[] = {1, 3, 55, 63, 64, 65, 127, 256};
    const char *long_text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        check_sha256("", 0, pieces[i], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check_sha256("abc", 3, pieces[i], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check_sha256(long_text, 56, pieces[i], "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        check_sha256("a", 1000000, pieces[i], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

int main(void) {
    test_measure_then_place();
    test_sizes_that_wrap();
    test_borders();
    test_zeroed();
    test_status_names();
    test_sha256();
    return check_summary("test_base");
}
