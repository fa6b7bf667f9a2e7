/* test_base.c - the arena measures what it places and refuses what does not fit; status names are pinned. */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
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

static void test_status_names(void) {
    CHECK(strcmp(heed_status_name(0), "HEED_OK") == 0);
    CHECK(strcmp(heed_status_name(12), "HEED_E_CONFIG") == 0);
    CHECK(strcmp(heed_status_name(23), "HEED_E_LANGUAGE") == 0);
    CHECK(strcmp(heed_status_name(-1), "HEED_E_?") == 0);
    CHECK(strcmp(heed_status_name(1 << 30), "HEED_E_?") == 0);
}

int main(void) {
    test_measure_then_place();
    test_sizes_that_wrap();
    test_status_names();
    return check_summary("test_base");
}
