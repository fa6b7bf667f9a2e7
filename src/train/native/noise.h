/*
 * noise.h - pairs as people type them: with slips of the finger, without a full stop, in capitals.
 *
 *     capitals  both sides in capitals, ß as it is: who shouts is answered so
 *     small     the source in small letters
 *     title     The Source With A Capital At Each Word: an English headline, whose translation is an ordinary sentence
 *     stops     both sides without their last "." or "!", if both have one
 *     typos     in a word of the source of four letters or more, not in its first letter: two letters swapped, one
 *               dropped, one doubled, or one of the neighbouring key
 *
 * What has to be copied stays: a word with a digit or with a sign inside it (an address, a placeholder, code) never
 * changes, nor does a word with a typo if the target has it too (a name).  The number of words stays, but for the full
 * stop's.
 *
 * Depends on: draft.h, letters.h, train/random.h.  Used by: batches.c.
 */
#ifndef HEED_TRAIN_NATIVE_NOISE_H
#define HEED_TRAIN_NATIVE_NOISE_H

#include <stdint.h>

#include "train/native/draft.h"

/* Probabilities: of a pair, typos of a word.  Of capitals, small and title a pair gets one at most. */
typedef struct {
    double typos, stops, capitals, small, title;
} noise_options;

/* Alter the draft as `key` of random.h decides. */
void noise_apply(draft *d, const noise_options *options, uint64_t key);

#endif /* HEED_TRAIN_NATIVE_NOISE_H */
