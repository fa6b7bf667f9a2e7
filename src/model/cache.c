/* cache.c - see cache.h for the contract. */
#include "model/cache.h"

#include <string.h>

void cache_layout(heed_cache *cache, heed_arena *arena, int n_layers, int n_rows, int width) {
    const size_t L = (size_t)n_layers, A = (size_t)width;
    *cache = (heed_cache){.n_rows = n_rows, .n_free = n_rows, .width = width};
    cache->free_rows = arena_ints(arena, (size_t)n_rows, 1);
    cache->users = arena_push(arena, (size_t)n_rows, sizeof *cache->users);
    cache->keys = arena_floats(arena, L, (size_t)n_rows, A);
    cache->values = arena_floats(arena, L, (size_t)n_rows, A);
    if (cache->free_rows)
        for (int i = 0; i < n_rows; i++) cache->free_rows[i] = n_rows - 1 - i; /* lowest first off the stack */
}

int32_t cache_take(heed_cache *cache) {
    const int32_t row = cache->free_rows[--cache->n_free];
    cache->users[row] = 1;
    return row;
}

void cache_share(heed_cache *cache, const int32_t *rows, int n) {
    for (int i = 0; i < n; i++) cache->users[rows[i]]++;
}

void cache_drop(heed_cache *cache, const int32_t *rows, int n) {
    for (int i = 0; i < n; i++)
        if (--cache->users[rows[i]] == 0) cache->free_rows[cache->n_free++] = rows[i];
}

static size_t start_of(const heed_cache *cache, int layer) { return (size_t)layer * cache->n_rows * cache->width; }

float *cache_keys(const heed_cache *cache, int layer) { return cache->keys + start_of(cache, layer); }

float *cache_values(const heed_cache *cache, int layer) { return cache->values + start_of(cache, layer); }

float *cache_cell(const heed_cache *cache, int layer, int32_t row) {
    return cache_keys(cache, layer) + (size_t)row * cache->width;
}

void cache_write(heed_cache *cache, int layer, int32_t row, const float *key, const float *value) {
    const size_t A = (size_t)cache->width, at = start_of(cache, layer) + (size_t)row * A;
    memcpy(cache->keys + at, key, A * sizeof *key);
    memcpy(cache->values + at, value, A * sizeof *value);
}
