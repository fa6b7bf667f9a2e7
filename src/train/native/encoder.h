/*
 * encoder.h - text to ids for training: pieces of a SentencePiece model and a final </s>.
 *
 * A language token, >>xx<<, is a piece that text never becomes.  The caller passes it: see corpus.h.
 *
 * Depends on: heed.h, sampling.h, words.h.  Used by: corpus.c, batches.c, lexicon_main.c, main.c.
 */
#ifndef HEED_TRAIN_NATIVE_ENCODER_H
#define HEED_TRAIN_NATIVE_ENCODER_H

#include <stddef.h>

#include "heed.h"
#include "train/native/sampling.h"

enum { NO_LANGUAGE = -1 };

/* How a text is cut into pieces: alpha 0, the most probable cut; else at random, see sampling.h. */
typedef struct {
    double alpha;
    uint64_t key;
} encoder_cut;

typedef struct {
    heed_tokenizer *tokenizer;
    sampler *sampler; /* NULL: only the most probable cut */
    int32_t eos;
    int32_t *languages; /* [n_languages] ids of the pieces >>xx<< */
    int n_languages;
} encoder;

/*
 * Read the SentencePiece model at `path`; samples: random cuts are needed too.  Ends the program with a message on
 * failure.  The caller sets eos.
 */
void encoder_begin(encoder *e, const char *path, int samples);
void encoder_end(encoder *e);

/* The id of the token text [n], or NO_LANGUAGE if the model has no such piece. */
int32_t encoder_language(const encoder *e, const char *text, size_t n);

/*
 * ids [room] = language (unless it is NO_LANGUAGE), text [n] and </s>.  Returns their number; 0 if the text has no ids
 * or more than `room`.
 */
int encoder_encode(encoder *e, int32_t *ids, int room, const char *text, size_t n, int32_t language, encoder_cut cut);

#endif /* HEED_TRAIN_NATIVE_ENCODER_H */
