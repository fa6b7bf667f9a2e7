/*
 * vocab.h - the pieces of a SentencePiece model, found by text and by id.
 *
 * Two kinds that never mix.  Pieces that *text* may become (normal, user-defined, unused) are in a trie.  Pieces that
 * text must never become (control, unknown, byte) are in a sorted list that only decoding reads.  A language token,
 * >>xxx<< of MarianMT or <2xx> of MADLAD, is of the second kind whatever type the file gives it.
 *
 * Depends on: base/, text/spm.h, text/trie.h.  Used by: the rest of text/.
 */
#ifndef HEED_TEXT_VOCAB_H
#define HEED_TEXT_VOCAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "text/spm.h"
#include "text/trie.h"

typedef struct {
    int32_t n;
    int32_t unk; /* id of the unknown piece                            */
    int is_bpe, byte_fallback;
    int has_unused;             /* some piece is HEED_PIECE_UNUSED                           */
    float min_score, max_score; /* of the normal pieces                             */
    const char *text;           /* all pieces, one after another                      */
    const int32_t *start;       /* [n + 1] piece i is text[start[i] .. start[i + 1])  */
    const float *score;         /* [n]                                                */
    const uint8_t *type;        /* [n] HEED_PIECE_NORMAL ...                                 */
    const int32_t *reserved;    /* [n_reserved] ids of the second kind, by their text */
    int32_t n_reserved;
    int32_t byte_id[256]; /* if byte_fallback: the piece of each byte           */
    heed_trie pieces;     /* those of the first kind                            */
    heed_trie user;       /* the user-defined ones among them                   */
} heed_vocab;

/* A vocabulary under construction: read from the file, not yet placed in an arena. */
typedef struct {
    const spm_file *file;
    const spm_piece *pieces; /* [n_pieces]                                        */
    heed_trie_key *keys;     /* [n_pieces] scratch: text pieces, then the reserved */
    int32_t n_text, n_reserved;
    heed_trie all, user; /* built here, copied by vocab_place()               */
} vocab_draft;

/*
 * Check the pieces against each other and build the tries.  keys [n_pieces] is scratch that must live until
 * vocab_place().  HEED_E_SPM with *report (a piece given twice, no or two unknown pieces, byte pieces that do not fit
 * byte_fallback, no piece for text), HEED_E_MEMORY.  Always call vocab_draft_free() after.
 */
heed_status vocab_draft_create(const spm_file *file, const spm_piece *pieces, heed_trie_key *keys, vocab_draft *draft,
                               heed_report *report);
void vocab_draft_free(vocab_draft *draft);

/* Lay the vocabulary out in an arena; *vocab is written unless the arena measures. */
void vocab_place(heed_arena *arena, const vocab_draft *draft, heed_vocab *vocab);

/* The id of any piece, reserved ones first, by its exact text; vocab->unk if there is none. */
int32_t vocab_find(const heed_vocab *vocab, const char *text, size_t n);

#endif /* HEED_TEXT_VOCAB_H */
