/*
 * cache.h - what a decoder keeps of the tokens it has read: a pool of rows.
 *
 * A *cache row* holds a key and a value for every decoder layer, of one token: of the source (cross-attention) or of a
 * target (self-attention).  A sequence is a list of cache rows, so hypotheses share their past by naming the same rows,
 * and a sentence that ends frees its rows at once.
 *
 * Depends on: base/.  Used by: run.h, search/, heed.c.
 */
#ifndef HEED_MODEL_CACHE_H
#define HEED_MODEL_CACHE_H

#include "base/arena.h"

typedef struct {
    int n_rows, n_free, d_model;
    int32_t *free_rows;   /* [n_rows] stack of those that nobody uses */
    uint16_t *users;      /* [n_rows] lists that name the row         */
    float *keys, *values; /* [layers, n_rows, D]                      */
} heed_cache;

/* Lay a cache out in `arena` (which may only measure), all rows free. */
void cache_layout(heed_cache *cache, heed_arena *arena, int n_layers, int n_rows, int d_model);

/* Take a free row, with one user.  There must be one: callers look at n_free first. */
int32_t cache_take(heed_cache *cache);
void cache_share(heed_cache *cache, const int32_t *rows, int n); /* one user more                            */
void cache_drop(heed_cache *cache, const int32_t *rows, int n);  /* one user fewer; without users they are free */

/* All rows of a layer, [n_rows, D].  Cannot fail. */
float *cache_keys(const heed_cache *cache, int layer);
float *cache_values(const heed_cache *cache, int layer);
/* Copy key and value [D] into a row of a layer.  Cannot fail. */
void cache_write(heed_cache *cache, int layer, int32_t row, const float *key, const float *value);

#endif /* HEED_MODEL_CACHE_H */
