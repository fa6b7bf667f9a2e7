/*
 * cache.h - the keys and values, or the cells, of tokens that a decoder has read: a pool of rows.
 *
 * A *cache row* holds a key and a value for every decoder layer, of one token: of the source (cross-attention) or of a
 * target (self-attention).  A sequence is a list of cache rows.  Hypotheses with a common past list the same rows.  A
 * sentence that ends frees its rows at once.
 *
 * With SSRUs, the row of a target's token holds its cell in place of a key, and a target lists its last row only.  A
 * search never changes a row that is in use, so beams share cells as they share keys.
 *
 * Depends on: base/.  Used by: run.h, search/, heed.c.
 */
#ifndef HEED_MODEL_CACHE_H
#define HEED_MODEL_CACHE_H

#include "base/arena.h"

typedef struct {
    int n_rows, n_free, width;
    int32_t *free_rows;   /* [n_rows] stack of the rows without users */
    uint16_t *users;      /* [n_rows] number of lists with the row    */
    float *keys, *values; /* [layers, n_rows, A]                      */
} heed_cache;

/*
 * Lay a cache out in `arena` (which may only measure), all rows free.
 *   width  A : the numbers of a key, a value or a cell
 */
void cache_layout(heed_cache *cache, heed_arena *arena, int n_layers, int n_rows, int width);

/* Take a free row and give it one user.  n_free must be positive. */
int32_t cache_take(heed_cache *cache);
void cache_share(heed_cache *cache, const int32_t *rows, int n); /* add a user to each row                    */
void cache_drop(heed_cache *cache, const int32_t *rows, int n);  /* remove one; a row without users is free   */

/* All rows of a layer, [n_rows, A].  Cannot fail. */
float *cache_keys(const heed_cache *cache, int layer);
float *cache_values(const heed_cache *cache, int layer);
/* The cell [A] of a row of a layer.  Cannot fail. */
float *cache_cell(const heed_cache *cache, int layer, int32_t row);
/* Copy key and value [A] into a row of a layer.  Cannot fail. */
void cache_write(heed_cache *cache, int layer, int32_t row, const float *key, const float *value);

#endif /* HEED_MODEL_CACHE_H */
