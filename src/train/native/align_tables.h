/*
 * align_tables.h - the hash tables of the aligner: its words, and the pairs of words that occur together; and where the
 * words of a pair of sentences are.
 *
 * Depends on: files.h, train/random.h.  Used by: align.c.
 */
#ifndef HEED_TRAIN_NATIVE_ALIGN_TABLES_H
#define HEED_TRAIN_NATIVE_ALIGN_TABLES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Words by hash: with 64 bits, two of a million words collide with a probability of one in ten million. */
typedef struct {
    uint64_t *keys; /* [slots], 0: free */
    int32_t *ids;   /* [slots] */
    size_t slots;
    uint64_t *spelling; /* [n] hash of the letters only */
    int32_t n, room;
} vocabulary;

/* The id of a word of this spelling in this language, a new one if it was not there. */
int32_t vocabulary_add(vocabulary *v, uint64_t spelling, uint64_t language);
void vocabulary_free(vocabulary *v);

/* The words of a pair of sentences. */
typedef struct {
    size_t first; /* in words: first those of the source, then those of the target */
    uint16_t I, J;
} sentence;

/* A pair of words that occur together.  The slot is chosen by half of the hash and checked by the other. */
typedef struct {
    _Atomic uint32_t check; /* 0: free */
    float weight;           /* w(e, f) of align.h */
    _Atomic uint64_t count; /* count(e, f), in units of 2^-32 */
} cell;

typedef struct {
    cell *cells; /* [n] */
    size_t n;
} cell_table;

/* About how many distinct pairs of words, one of each side, sentences [n] have.  `words` has those of all sentences. */
size_t cells_estimate(const int32_t *words, const sentence *sentences, size_t n);
/*
 * Insert the pairs of words of a sentence, of weight 1.  Each that is new adds 1 to distinct_e and distinct_f, of its
 * two words.  Threads may insert at the same time.  The table has room for all.
 */
void cells_insert(cell_table *table, const int32_t *words, const sentence *s, _Atomic uint32_t *distinct_e,
                  _Atomic uint32_t *distinct_f);
/* cells [I, J] = where the pairs of words of a sentence are; all were inserted. */
void cells_find(const cell_table *table, const int32_t *words, const sentence *s, cell **cells);

#endif /* HEED_TRAIN_NATIVE_ALIGN_TABLES_H */
