/*
 * sampling.h - cuts normalised text into pieces at random, as SentencePiece samples: other ids each time.
 *
 *     p(cut of the text into pieces x_1 ... x_n)  ~  exp(alpha sum_i score(x_i))
 *
 * Forward filtering computes the sum over all cuts of each prefix of the text.  Backward sampling draws pieces from the
 * end (Kudo 2018, "Subword Regularization", with all cuts instead of the l best).  With alpha near 0 all cuts are
 * equally likely; a large alpha leaves only the most probable one.
 *
 * Depends on: text/, files.h, train/random.h.  Used by: encoder.c.
 */
#ifndef HEED_TRAIN_NATIVE_SAMPLING_H
#define HEED_TRAIN_NATIVE_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

typedef struct sampler sampler;

/*
 * For the SentencePiece model `spm` [bytes], which a tokenizer has accepted; it is not kept.  NULL if it is not a
 * unigram model, because only those can be sampled.
 */
sampler *sampler_create(const void *spm, size_t bytes);
void sampler_free(sampler *s); /* NULL is fine */

/*
 * Cuts the normalised text [n], n > 0, into *ids, valid until the next call.  Returns their number.
 *   alpha > 0; key: of random.h; the same key gives the same cut
 */
int32_t sampler_cut(sampler *s, const char *text, int32_t n, double alpha, uint64_t key, const int32_t **ids);

#endif /* HEED_TRAIN_NATIVE_SAMPLING_H */
