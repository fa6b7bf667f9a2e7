/*
 * noise.h - makes pairs look typed by people: with typos, without a full stop, in capitals.
 *
 *     capitals  both sides in capitals; ß does not change
 *     small     the source in small letters
 *     title     The Source With A Capital At Each Word: an English headline, translated by an ordinary sentence
 *     stops     both sides without their last "." or "!", if both have one
 *     quotes    “curly” quotes and ’ in the source, where it has straight ones
 *     typos     in a word of the source with four letters or more, after its first letter: two letters swapped, one
 *               dropped, one doubled, or one replaced by a neighbouring key
 *
 * Text to be copied does not change: a word with a digit or with a sign inside (an address, a placeholder, code) stays
 * as it is, and a word that is also in the target (a name) gets no typo.  The number of words does not change, except
 * for the full stop.
 *
 * Depends on: draft.h, letters.h, train/random.h.  Used by: batches.c.
 */
#ifndef HEED_TRAIN_NATIVE_NOISE_H
#define HEED_TRAIN_NATIVE_NOISE_H

#include <stdint.h>

#include "train/native/draft.h"

/* Probabilities, per pair; typos: per word.  A pair gets at most one of capitals, small and title. */
typedef struct {
    double typos, stops, quotes, capitals, small, title;
} noise_options;

/* Alter the draft; `key` of random.h decides how. */
void noise_apply(draft *d, const noise_options *options, uint64_t key);

#endif /* HEED_TRAIN_NATIVE_NOISE_H */
