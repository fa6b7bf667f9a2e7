/*
 * relative.h - relative position bias, as T5 has it: what is added to a score for the distance from query to key.
 *
 *     bias[h, t, s] = table[bucket(s - t), h]
 *
 * Near distances have a bucket each; farther ones share buckets, by the logarithm of the distance.  All layers of a
 * stack share one table.
 *
 * Depends on: nothing.  Used by: model/, train/.
 */
#ifndef HEED_LAYERS_RELATIVE_H
#define HEED_LAYERS_RELATIVE_H

/*
 * The bucket, 0 to n_buckets - 1, of `distance`, position of the key minus that of the query.  With is_causal no key is
 * ahead; otherwise half of the buckets are for keys ahead.  From max_distance on, all are in the last bucket.
 * 4 <= n_buckets, n_buckets / 2 < max_distance.  Cannot fail.
 */
int relative_bucket(int distance, int n_buckets, int max_distance, int is_causal);

/*
 * out [n_heads, 2 reach - 1] = the bias of each head for the distances -(reach - 1) ... reach - 1.
 *   table  [n_buckets, n_heads]
 */
void relative_fill(float *out, const float *table, int n_heads, int reach, int n_buckets, int max_distance,
                   int is_causal);

#endif /* HEED_LAYERS_RELATIVE_H */
