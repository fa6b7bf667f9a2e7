/*
 * heed.h - the public C interface: an encoder-decoder Transformer for translation.
 *
 *     text -> ids -> encoder -> decoder <-> search -> ids -> text
 *
 * A *model* holds weights.  After loading, only a shortlist and n-grams can be added to it.  A *session* holds
 * everything that a run writes: activations, key/value cache, search state.  A *tokenizer* is one SentencePiece file.
 * Model and session are one heap block each, and a model's shortlist and n-grams are others.  A tokenizer is two
 * blocks; the second grows with the longest text.  Only the heed_op_ functions also allocate, each for the time of one
 * call.  Several sessions may share a model.  Only one thread at a time may use an object.
 *
 * The host (JavaScript or a native program) parses JSON and the safetensors header.  This library
 * gets numbers, names and bytes, and checks them.
 *
 * Every function that can fail returns a heed_status, first sets its results to NULL or 0, and leaves its object
 * usable. No function prints, exits or aborts.
 *
 * Letters for shapes, everywhere:
 *     B batch   S source length   T target length   V vocabulary   L layers   N beams
 *     D model width   H heads   Dh = D/H   F feed-forward width
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HEED_H
#define HEED_H

#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"
#include "base/status.h"

typedef struct heed_model heed_model;
typedef struct heed_session heed_session;
typedef struct heed_tokenizer heed_tokenizer;

/* 1 if this build uses relaxed SIMD (heed-relaxed.wasm, heed-pairs.wasm): same results.  Cannot fail. */
int heed_relaxed(void);

/* ------------------------------------------------------------------------------------- hash */

/*
 * SHA-256 of the files of a model, which arrive in pieces.  heed_sha256_create allocates the state: HEED_E_MEMORY.
 * heed_sha256_update adds n bytes.  heed_sha256_end writes the digest [32] of all bytes and starts over.  Both cannot
 * fail.  heed_sha256_free accepts NULL.
 */
typedef struct heed_sha256 heed_sha256;
heed_status heed_sha256_create(heed_sha256 **out);
void heed_sha256_update(heed_sha256 *sha, const uint8_t *bytes, int32_t n);
void heed_sha256_end(heed_sha256 *sha, uint8_t *digest);
void heed_sha256_free(heed_sha256 *sha);

/* ------------------------------------------------------------------------------------ model */

/*
 * A configuration is an array of int32 in the order of heed_config_field(0), (1), ...  The fields are named as in
 * Hugging Face's MarianConfig (booleans are 0 or 1), plus
 *   dtype                      HEED_F32 or HEED_I8: arithmetic of the matrices
 *   decoder_cell               HEED_SELF_ATTENTION or HEED_SSRU: the first sublayer of a decoder layer
 *   positions                  HEED_POSITIONS_HF, _MARIAN, _FAIRSEQ: wavelengths of the sinusoids; _NONE
 *   position_offset            row of the first position in a stored table; its number in fairseq's sinusoids
 *   norm                       HEED_LAYER_NORM or HEED_RMS_NORM
 *   head_dim                   features of a head; 0: d_model / heads
 *   unscaled_attention         1: q . k is not divided by sqrt(head_dim)
 *   no_biases                  1: projections have none
 *   gated_feed_forward         1: activation(fc1 x) * (fc1_linear x) in place of activation(fc1 x)
 *   scale_logits               1: logits are divided by sqrt(d_model)
 *   relative_buckets           of a relative position bias that all layers of a stack share; 0: it has none
 *   relative_distance          from which on all distances are in the last bucket
 *   layer_norm_eps             in units of 1e-12; 0 means 1e-5, as MarianMT has it
 *   activations                HEED_QUANTIZE_: how int8 matrices take their inputs
 *   encoder_positions_stored   1: the file has model.encoder.embed_positions.weight
 *   decoder_positions_stored   1: the file has model.decoder.embed_positions.weight
 * heed_config_field returns NULL past the end.  Cannot fail.
 */
const char *heed_config_field(int index);

/*
 * Check `config` (heed_config_field order, n values) and compute the bytes that heed_model_create would allocate.
 * report: written on failure, may be NULL.  HEED_E_CONFIG names the key; HEED_E_MEMORY: more bytes than can exist.
 */
heed_status heed_config_measure(const int32_t *config, int n, double *bytes, heed_report *report);

/*
 * Check `config` (heed_config_field order, n values) and allocate a model with empty weights.
 * report: written on failure, may be NULL.  HEED_E_CONFIG names the key; HEED_E_MEMORY.
 */
heed_status heed_model_create(const int32_t *config, int n, heed_model **out, heed_report *report);
/* Accepts NULL.  Afterwards sessions of the model can only be freed. */
void heed_model_free(heed_model *model);

/* Bytes of the model's block. */
size_t heed_model_bytes(const heed_model *model);
/* Number of parameters in all loaded tensors; tied ones count once, scales of int8 do not count. */
double heed_model_parameters(const heed_model *model);

/*
 * The table of tensors.  heed_tensor_find returns the index of the tensor that `name` (UTF-8, 0-terminated) belongs to,
 * or -1.  It sets *part to HEED_WEIGHT if the name is the tensor's, to HEED_SCALE if it is "<tensor>.scale" (F32
 * [rows], for an I8 tensor), and to HEED_ALPHA if it is "<tensor>.alpha".  Aliases (tied copies in checkpoints) return
 * the index of the tensor that they are tied to.  If a file has several names of one index, load the one that equals
 * heed_tensor_name(index), or else the first, and skip the others.
 *
 * An alpha is F32 [1] or [2]: the fixed scale of the matrix's inputs, as Marian's quantised models have it, and the
 * multiplier q of its weights, weight = int8 / q.  Without q, 1 / scale is used, which may differ in the last bit.
 * The I8 tensor has one scale for all rows then.  Alphas are used with `activations` HEED_QUANTIZE_FIXED and
 * HEED_QUANTIZE_SATURATING only.
 */
int heed_tensor_find(const heed_model *model, const char *name, int32_t *part);
int heed_tensor_count(const heed_model *model);
const char *heed_tensor_name(const heed_model *model, int index); /* NULL out of range */
/* Expected shape: rows, cols.  A vector of n has rows 1, cols n and is [n] or [1, n] in a file. */
void heed_tensor_shape(const heed_model *model, int index, int32_t *rows, int32_t *cols);

/*
 * Load one tensor: begin, then write its bytes in order, in pieces of any size; the last piece completes it.  dtype is
 * that of the file; rank is 1 or 2; dims [rank].  HEED_E_TENSOR_SHAPE / _DTYPE at begin.  HEED_E_TENSOR_VALUE for NaN
 * or infinity, also of a scale times 128, and for an alpha or q that is not positive.  HEED_E_STATE for too many bytes,
 * for a begin before the previous tensor is complete, and for a tensor that is already loaded or not in the table.
 * After a failed write the model can only be freed.
 */
heed_status heed_tensor_begin(heed_model *model, int index, int part, int dtype, int rank, const double *dims);
heed_status heed_tensor_write(heed_model *model, const void *bytes, size_t n);

/* out [cols] = row `row` of a tensor, as products use it.  HEED_E_ARGUMENT: no such row. */
heed_status heed_tensor_row(const heed_model *model, int index, int row, float *out);

/*
 * Make the model usable.  HEED_E_TENSOR_MISSING names the first missing tensor, HEED_E_TENSOR_VALUE an .alpha that does
 * not fit its tensor.
 */
heed_status heed_model_finish(heed_model *model, heed_report *report);

/*
 * Give a model a shortlist: which target ids a sentence may become, by the ids of its source.
 *   offsets [n_offsets], ids [n_ids]  copied: the likely translations of source id i are ids[offsets[i]] to
 *                                     ids[offsets[i + 1] - 1]; source ids from n_offsets - 1 up have none
 *   n_first  ids below it are selected for every sentence
 * The selected ids of a sentence are those below n_first, the lists of its source, the ids of the source themselves if
 * both sides share a vocabulary, ids that the caller adds, and then, until their number is a multiple of 8, the
 * smallest others.  Sessions that are created later use it.
 * HEED_E_STATE: the model has one.  HEED_E_ARGUMENT: n_first is not within 0..V, n_offsets not within 1..(source
 * vocabulary + 1), or the offsets do not rise from 0 to n_ids.  HEED_E_ID: a target id is outside the vocabulary.
 * HEED_E_MEMORY.  After a failure the model is what it was.
 */
heed_status heed_model_set_shortlist(heed_model *model, int n_first, const int32_t *offsets, int n_offsets,
                                     const int32_t *ids, int n_ids);
/*
 * The same of a file of Marian's (data/shortlist.h), without its first 16 bytes: u64 n_first, a number that nothing
 * needs, n_offsets, n_ids; u64 offsets [n_offsets]; u32 ids [n_ids].  All of it little-endian, and n bytes exactly;
 * n_offsets is the source vocabulary or one more.
 *   checksum  written: that of these bytes, by Marian's rule; only if the counts fit each other, and there is
 *             memory
 */
heed_status heed_model_read_shortlist(heed_model *model, const void *bytes, size_t n, uint64_t *checksum);
/*
 * Give a model n-grams: which target ids follow each other, and how much more probable an id is after some others than
 * anywhere: its gain, a natural logarithm (model/ngrams.h).  Searches use them whose rules have a weight for them, in
 * sessions that are created later.
 *   bytes [n]  "NGR1"; V; how many n-grams of two ids there are, of three, of four; then of each of these lengths:
 *              - how many each context has, in order: the ids 0 to V - 1 and the start of a target; then the n-grams of
 *                the length before
 *              - their last ids, which ascend in a context: how many are passed over since the one before, or since
 *                id 0.  After a context of several ids, count only those listed after it without its first id
 *              - their gains, signed bytes, in quarters
 *              - of each context that has some: its backoff, a byte, in quarters; the gain of every other id is lower
 *                by so much than after the context without its first id
 *              Numbers are varints: 7 bits a byte, the low ones first.
 * HEED_E_STATE: the model has some.  HEED_E_ARGUMENT: the bytes are not of this form, or V is not the model's or above
 * 65535.  HEED_E_MEMORY.  After a failure the model is what it was.
 */
heed_status heed_model_set_ngrams(heed_model *model, const void *bytes, size_t n);
/*
 * The selected ids of source [n], which has its own </s>, and of more [n_more] ids: ascending, *n_out of them.  Without
 * a shortlist all ids are.
 *   out  room for V ids, all of it may be overwritten
 * HEED_E_ID, HEED_E_LENGTH (n is not within 1..HEED_MAX_LENGTH, n_more not within 0..HEED_MAX_LENGTH).
 */
heed_status heed_model_select(const heed_model *model, const int32_t *source, int n, const int32_t *more, int n_more,
                              int32_t *out, int32_t *n_out);

/* ---------------------------------------------------------------------------------- session */

typedef struct {
    int32_t max_source; /* tokens of the longest source                      */
    int32_t max_target; /* tokens of the longest target                      */
    int32_t max_beams;  /* hypotheses of one sentence                        */
    int32_t max_batch;  /* sentences decoded together                        */
} heed_session_options;

/* Bytes of a session; 0 if the options are out of range or the session cannot fit in memory. */
size_t heed_session_bytes(const heed_model *model, const heed_session_options *options);
heed_status heed_session_create(const heed_model *model, const heed_session_options *options, heed_session **out);
void heed_session_free(heed_session *session); /* accepts NULL */

enum { HEED_ENCODER = 0, HEED_DECODER = 1, HEED_CROSS = 2 };
/* Disable a head (its output becomes zero; its weights are still computed) or enable it again.  HEED_E_ARGUMENT. */
heed_status heed_session_set_head(heed_session *session, int stack, int layer, int head, int enabled);
void heed_session_enable_heads(heed_session *session);

/* Write the encoder output of one source to out [n, D].  HEED_E_ID, HEED_E_LENGTH, HEED_E_STATE (search running). */
heed_status heed_encode(heed_session *session, const int32_t *source, int n, float *out);

/*
 * Teacher-forced pass: row t is computed from source and target[0..t-1], and predicts target[t].
 * Afterwards heed_forward_logits(t) returns row t until the next call on the session.
 * HEED_E_ID, HEED_E_LENGTH, HEED_E_STATE (search running).
 */
heed_status heed_forward(heed_session *session, const int32_t *source, int n_source, const int32_t *target,
                         int n_target);
/*
 * Logits [V] of row t in session memory, valid until the next call, and *log_prob of target[t].  NULL: t is out of
 * range.
 */
const float *heed_forward_logits(heed_session *session, int t, float *log_prob);
/*
 * log_prob of target[0..n-1], n <= n_target, as heed_forward_logits() gives them, in less time: out [n].
 * HEED_E_ARGUMENT: there is no such row.
 */
heed_status heed_forward_log_probs(heed_session *session, int n, float *out);
/*
 * From here to the next pass, the logits are those of a search with the model's shortlist: -infinity unless the id is
 * selected, and log_prob is the probability among the selected ids.  The ids of the target and the model's eos_token_id
 * are added to what is selected for the source.  Without a shortlist nothing changes.  HEED_E_STATE: no pass.
 */
heed_status heed_forward_shortlist(heed_session *session);

/*
 * Points of a pass at which heed_inspect() can look, 0, 1, ... in the order of the pass.  n is S in the encoder and T
 * in the decoder, m the keys: S in cross-attention, else n.
 *   encoder. and decoder.
 *     embedding  [n, D] rows of E, scaled      positions  [n, D]      input  [n, D] their sum
 *     output     [n, D] of the whole stack
 *     position_bias  [H, n, n] in place of positions, if the stack has it: what all its layers add to scores
 *   encoder.layers.0.self_attn., decoder.layers.0.self_attn. and decoder.layers.0.encoder_attn., ...
 *     q  [n, A] not yet scaled      k, v  [m, A]      A is the features of all heads, mostly D
 *     scores   [H, n, m] q . k / sqrt(Dh), or q . k if unscaled; in self-attention with the position_bias; -infinity
 *              where masked; computed for this, so up to rounding what the softmax read
 *     weights  [H, n, m] softmax(scores), of a disabled head too
 *     context  [n, A] weights v, heads side by side      output  [n, D] after out_proj
 *   decoder.layers.0.ssru., ... in place of decoder.layers.0.self_attn., ...
 *     candidate, forget, cell, output  [n, D] u, f, c and y of layers/ssru.h
 *   encoder.layers.0. and decoder.layers.0., ...
 *     fc1  [n, F] after the activation      fc2  [n, D]
 *     fc1_linear, gated  [n, F] of gated networks: the other factor, and the product with fc1
 *     self_attn_layer_norm or ssru_layer_norm, encoder_attn_layer_norm, final_layer_norm  [n, D] after residual and
 *     norm; of pre-norm models: what the norm gives
 */
enum { HEED_POINT_NAME_BYTES = 80 };
/*
 * Of point `index` in a pass over S = n_source and T = n_target tokens:
 *   name   [HEED_POINT_NAME_BYTES] written, 0-terminated
 *   shape  [3] written; dimensions that it does not have are 1
 * Returns the number of dimensions; 0: there is no such point, or n_source or n_target is negative.
 */
int heed_point(const heed_model *model, int index, int n_source, int n_target, char *name, int32_t *shape);
/*
 * heed_forward(), and its tensors at the points `wanted` [n_wanted], no two alike.
 *   out [n_out]  written, one tensor after the other, in the order of `wanted`
 * HEED_E_ARGUMENT: there is no such point, or one is there twice, or n_out is not the sum of their sizes; else as
 * heed_forward().  Afterwards heed_forward_logits() gives the logits.
 */
heed_status heed_inspect(heed_session *session, const int32_t *source, int n_source, const int32_t *target,
                         int n_target, const int32_t *wanted, int n_wanted, float *out, size_t n_out);

/* ----------------------------------------------------------------------------------- search */

/*
 * The settings of Hugging Face's generate(), with the same meaning.  0 is neutral, except for beams and max_tokens.
 * "New" ids come after decoder_start_token_id and the prefix.  The rules from repetition_penalty on apply in this
 * order, to the log-probabilities of beams and to the logits of greedy search.  They also count the start token and the
 * prefix. Lists are copied.
 */
enum { HEED_EARLY_FALSE = 0, HEED_EARLY_TRUE = 1, HEED_EARLY_NEVER = 2 };
typedef struct {
    int32_t beams;        /* N; 1: greedy */
    int32_t max_tokens;   /* new ids, including the one that ends */
    float length_penalty; /* score = (log-probability + gains of n-grams) / (new ids)^length_penalty */
    /*
     * When to stop after N have ended.  TRUE: at once.  FALSE: if the best unfinished one has no better score at its
     * length than the worst of them.  NEVER: likewise, but with its score at max_tokens if length_penalty > 0 and
     * that is greater.
     */
    int32_t early_stopping;
    int32_t n_prefix;
    const int32_t *prefix; /* ids at the start of every target; not part of the score or its length */
    int32_t n_eos;
    const int32_t *eos; /* ids that end; none: the model's eos_token_id */

    float repetition_penalty; /* 0.001 to 1000: for ids in the target, negative scores are multiplied by it and others
                                 are divided by it; 0, 1: off */
    int32_t no_repeat_ngram;  /* no sequence of this many ids occurs twice; 0: off */
    int32_t n_bad_words;      /* int32s at bad_words */
    const int32_t *bad_words; /* sequences never produced: n, id...id, n, ... */
    int32_t min_tokens;       /* least new ids before one that ends */
    int32_t n_forced_bos;
    const int32_t *forced_bos; /* the first id, unless there is a prefix; log-probability 0; if several, any of them */
    int32_t n_forced_eos;
    const int32_t *forced_eos; /* the id at max_tokens, likewise */
    int32_t n_suppress;
    const int32_t *suppress; /* never chosen */
    int32_t n_begin_suppress;
    const int32_t *begin_suppress; /* not chosen first: after the prefix, or after forced_bos */
    int32_t renormalize;           /* 1: beams share probabilities among allowed ids, as greedy search always does */
    /*
     * 1: stop hypotheses that have run away, as unfinished: those that repeat themselves far more than their source,
     * and those of more than 32 tokens plus 4 per source token; but not before min_tokens.  Beams that loop are
     * replaced by others.  It counts tokens, not characters, so it may stop a target too early that is spelled by
     * single characters from a source of long pieces.
     */
    int32_t cut_runaways;
    /*
     * 256: the id of each byte's piece, or -1; an id stands for one byte.  They make the bytes of a target valid UTF-8:
     * after min_tokens has been applied, ids that would break a character are forbidden.  A character begins only if
     * max_tokens has room for all of it, and the shortlist, if there is one, selects a byte that can be its second.
     * The caller is responsible for the prefix and forced ids.  If other rules forbid every id that completes a
     * character, its bytes are removed from the unfinished target; log_prob and score keep them.  0: off.
     */
    int32_t n_byte_ids;
    const int32_t *byte_ids;
    /*
     * 1: if the model has a shortlist, only ids that it selects for the source may follow, besides those in prefix,
     * eos, forced_bos and forced_eos; probabilities are those among them, and other logits are not computed.
     */
    int32_t shortlist;
    /* 1: greedy search computes no probabilities: log_prob and score are 0.  The ids are the same.  Beams need them. */
    int32_t unscored;
    /* 1: each step keeps the weights of the last decoder layer's cross-attention, for heed_search_attention() */
    int32_t attention;
    /*
     * Of the model's n-grams, if it has some: how much the gain of an id counts beside its log-probability, 0 to 1.
     * Hypotheses are ordered by the sum of both, and their score is computed from it.  0: not at all.
     */
    float ngrams;
} heed_search_options;

/*
 * Start a search without sentences; drop the current one.  HEED_E_ARGUMENT (beams past the session's, a number out of
 * range, torn bad_words, neither 0 nor 256 byte_ids, more than HEED_MAX_RULE_IDS int32s in all lists but prefix and
 * byte_ids), HEED_E_ID, HEED_E_LENGTH (prefix + max_tokens past the session's).
 */
heed_status heed_search_begin(heed_session *session, const heed_search_options *options);
/*
 * Sets the rules of sentences that are added from now on; earlier sentences keep theirs.  A session holds as many
 * different rules at a time as sentences, but at most HEED_MAX_RULE_SETS.  HEED_E_STATE: it holds as many already, so
 * release a sentence first (or no search begun); else as heed_search_begin().  On failure the previous rules stay in
 * force.
 */
heed_status heed_search_rules(heed_session *session, const heed_search_options *options);
/*
 * Put a source into a free batch row, with the rules of the last heed_search_begin() or heed_search_rules(), and set
 * *row to its number.  HEED_E_STATE: no free batch row, or no search begun.  Sentences may be added between any two
 * steps; they join the running batch.
 */
heed_status heed_search_add(heed_session *session, const int32_t *source, int n, int32_t *row);
/*
 * A lexicon of a batch row whose source was just added: words that translate words of the source, beside what the model
 * knows.  It replaces an earlier one; n = 0 removes it.  In each step an entry has at most one next id: the one after
 * the longest beginning of it that ends the target; else its first, if the target does not have the whole entry.  The
 * step adds to the probability of that id s times the weight with which a head looks at the entry's source tokens; s is
 * its share S, or S (2 - S) where the entry has begun.  Where entries of the same source tokens have begun and go on
 * with different ids, or one has ended there, none of them adds anything: the model chooses the form.  All entries
 * together add 0.99 at most, and the other probabilities shrink by as much.  Rules come after it.  The score of a
 * hypothesis is by these probabilities.
 * The first id of an entry for AFTER is not added: it is what comes before the word, such as the apostrophe of "l'", or
 * "du" of "du port".  With a share of 0 it only keeps the word from beginning there.
 * The entries of one word have the same source tokens and follow each other: those for AFTER, then FIRST, then LATER or
 * ANY.  Only one of them begins:
 *   LATER does not if the target begins with FIRST;
 *   FIRST, LATER and ANY do not if the target has one for AFTER or goes on with it;
 *   AFTER does not if the target has one for another place or goes on with it.
 *   head     of the last decoder layer's cross-attention: one that aligns
 *   entries  [n] int32s: first, end   its source tokens, from first to before end
 *                        share        of the weight, in thousandths
 *                        place        where in the target it may begin: FIRST is after the prefix or forced_bos
 *                        n_ids, ids   what it becomes; n_ids > 0, or > 1 for HEED_PLACE_AFTER
 * The search copies them.  HEED_E_ARGUMENT: no such batch row or head, or an entry is torn or out of range.  HEED_E_ID.
 * HEED_E_LENGTH: more than HEED_LEXICON_INTS.  HEED_E_MEMORY.  HEED_E_STATE: the batch row is free, runs or has
 * finished.  After a failure it has the lexicon that it had.
 */
enum { HEED_PLACE_ANY = 0, HEED_PLACE_FIRST = 1, HEED_PLACE_LATER = 2, HEED_PLACE_AFTER = 3 };
enum { HEED_LEXICON_INTS = 2048 };
heed_status heed_search_lexicon(heed_session *session, int row, int head, const int32_t *entries, int n);
/*
 * The log-probabilities of a target in a search with a lexicon, without prefix, forced_bos, shortlist and rules, from
 * those of a pass over S = n_source and T = n_target tokens.  T has no upper limit.  Row t is that from which target[t]
 * is chosen.
 *   entries    [n], as above; may be NULL if n is 0
 *   target     [T] its ids
 *   weights    [T, S] of the head that aligns, in the last decoder layer's cross-attention, from heed_inspect()
 *   log_probs  [T] from heed_forward_logits()
 *   out        [T] written, but not after a failure
 * HEED_E_ARGUMENT: an entry is torn or out of range, n is negative, or S is below 1.  HEED_E_ID: of an entry or of the
 * target.  HEED_E_LENGTH: more than HEED_LEXICON_INTS, or T is below 1.
 */
heed_status heed_lexicon_log_probs(const heed_model *model, const int32_t *entries, int n, const int32_t *target,
                                   int n_target, const float *weights, int n_source, const float *log_probs,
                                   float *out);
/*
 * Encode new sentences, then run one decoder step for all.  *running is set to the number of unfinished sentences.
 * HEED_E_STATE: no search begun.  If the activations of a sentence overflow, it ends without a hypothesis and the
 * others continue.
 */
heed_status heed_search_step(heed_session *session, int32_t *running);
/* A batch row whose sentence is finished, or -1. */
int heed_search_finished(const heed_session *session);
/* Hypotheses of a batch row, best first: ended ones, or live ones while it runs.  0: it failed, waits or is free. */
int heed_search_hypotheses(const heed_session *session, int row);
/*
 * How many ids, from the first one on, all hypotheses of a batch row have in common, live and ended ones.  The result
 * begins with them, whichever wins, without the bytes of a character that the length limit leaves incomplete.  0: it
 * failed, waits or is free.
 */
int heed_search_agreed(const heed_session *session, int row);
typedef struct {
    const int32_t *ids; /* without decoder_start_token_id; in session memory until the next call that changes it */
    int32_t n;
    float log_prob; /* sum of natural-log probabilities of the new ids, after all rules: 0 for a forced one */
    float score; /* by log_prob and the gains of n-grams: the order of hypotheses; 0 while the sentence runs */
    /* 0: stopped by max_tokens (also with forced_eos), by cut_runaways, or because no id is allowed to follow */
    int32_t finished;
} heed_hypothesis;
/*
 * HEED_E_ARGUMENT: the batch row has no such hypothesis.  HEED_E_TENSOR_VALUE: the sentence failed, because the weights
 * are too large to compute with.
 */
heed_status heed_search_hypothesis(const heed_session *session, int row, int rank, heed_hypothesis *out);
/*
 * The candidates of the last step of a batch row: up to 2 beams continuations (1 in greedy search) of each of its live
 * hypotheses, those of one hypothesis best first, by log-probability and gain.
 *   beam, id, fate, log_prob [*n] written; room for beams * 2 beams each
 *     beam      rank of the hypothesis before the step      id  the id that was added
 *     fate      its rank after the step, HEED_PRUNED or HEED_ENDED
 *     log_prob  sum of log-probabilities, without gains
 * *n is 0 if there was no step, if the sentence failed, or if it was put back to wait, after which it starts over.
 * HEED_E_ARGUMENT: no such batch row.  HEED_E_STATE: the batch row is free.
 */
enum { HEED_PRUNED = -1, HEED_ENDED = -2 };
heed_status heed_search_candidates(const heed_session *session, int row, int32_t *beam, int32_t *id, int32_t *fate,
                                   float *log_prob, int32_t *n);
/*
 * Cross-attention of the last step of a batch row, whose rules have `attention`: of each hypothesis that was live
 * before the step, by rank, the weights with which it looked at each source token to choose what follows.  They are
 * those of a teacher-forced pass (heed_inspect(), point "weights" of the last layer's encoder_attn), bit for bit.
 *   heads  [n_heads] of the layer
 *   out    [*n, n_heads, source] written; room for beams * n_heads * source
 * *n is 0 if there was no step with such rules, if the sentence failed, or if it was put back to wait.
 * HEED_E_ARGUMENT: no such batch row, no such head, or n_heads is not positive.  HEED_E_STATE: the batch row is free.
 */
heed_status heed_search_attention(const heed_session *session, int row, const int32_t *heads, int n_heads, float *out,
                                  int32_t *n);
/* Free the batch row; an unfinished sentence is dropped.  HEED_E_ARGUMENT: no such batch row. */
heed_status heed_search_release(heed_session *session, int row);
/* Drop everything. */
void heed_search_end(heed_session *session);

/* -------------------------------------------------------------------------------- tokenizer */

/* Read a SentencePiece model (unigram or BPE); `bytes` may be freed afterwards.  HEED_E_SPM, HEED_E_MEMORY. */
heed_status heed_tokenizer_create(const void *bytes, size_t n, heed_tokenizer **out, heed_report *report);
void heed_tokenizer_free(heed_tokenizer *tokenizer); /* accepts NULL */
int heed_tokenizer_size(const heed_tokenizer *tokenizer);
/* Bytes of piece `id` (UTF-8, not 0-terminated), its length and type; NULL if out of range. */
const char *heed_tokenizer_piece(const heed_tokenizer *tokenizer, int id, int32_t *n, int32_t *type);
/* The types of all pieces [heed_tokenizer_size]. */
const uint8_t *heed_tokenizer_types(const heed_tokenizer *tokenizer);

/*
 * Text to SentencePiece ids.  n bytes of UTF-8 (invalid bytes become U+FFFD as in SentencePiece).
 * Time is linear in n for unigram, n log n for BPE, both times the longest piece.  HEED_E_LENGTH: the normalised
 * text exceeds 2 GiB; HEED_E_MEMORY.  The result is valid until the tokenizer's next call.
 */
typedef struct {
    int32_t n;              /* pieces                                                        */
    const int32_t *ids;     /* [n] SentencePiece ids (not vocab.json's)                      */
    const int32_t *offsets; /* [2n] UTF-16 start, end of each piece in the input             */
    const int32_t *spans;   /* [2n] byte start, end of each piece's text in `normalized`     */
    const char *normalized; /* UTF-8                                                         */
} heed_encoding;
heed_status heed_tokenizer_encode(heed_tokenizer *tokenizer, const char *utf8, size_t n, heed_encoding *out);

/*
 * Pieces to text, like SentencePiece's DecodePieces: control pieces vanish, byte pieces join into characters, unknown
 * strings do not change, U+2581 becomes a space, and the dummy prefix is removed.
 *   pieces  all pieces' UTF-8 one after another; lengths [n] their bytes
 * *text (UTF-8, *length bytes) is valid until the tokenizer's next call.
 */
heed_status heed_tokenizer_decode(heed_tokenizer *tokenizer, const char *pieces, const int32_t *lengths, int n,
                                  const char **text, size_t *length);

/* ------------------------------------------------------------------ ops: the parts, as taught */

/*
 * Row-major float matrices; outputs first.  Sizes must be positive (HEED_E_ARGUMENT) and their
 * products fit in memory.  Inputs and outputs do not overlap.  Pointers may be NULL only where stated.
 */
heed_status heed_op_softmax(float *out, const float *x, int rows, int cols);
/* out [m, n] = a [m, k] b [k, n]: what makes Q, K and V of x. */
heed_status heed_op_matmul(float *out, const float *a, const float *b, int m, int n, int k);
heed_status heed_op_cosine_similarity(float *out /* [m, n] */, const float *a /* [m, k] */, const float *b /* [n, k] */,
                                      int m, int n, int k);
/* layout: one of layers/positions.h, 0 to 2.  out [positions, d_model]. */
heed_status heed_op_positional_encoding(float *out, int positions, int d_model, int layout);
/* out [n, cols] = table[ids] * scale.  HEED_E_ID. */
heed_status heed_op_embedding(float *out, const int32_t *ids, int n, const float *table, int rows, int cols,
                              float scale);
/* scores [n, m] = q k^T * scale (-infinity where masked), weights [n, m] = softmax(scores), out [n, dv] = weights v.
 * q [n, dk], k [m, dk], v [m, dv]; causal: query t sees keys 0..t. */
heed_status heed_op_attention(float *scores, float *weights, float *out, const float *q, const float *k, const float *v,
                              int n, int m, int dk, int dv, float scale, int causal);
/* query [n, d], memory [m, d]; wq, wk, wv [d, d], wo [d, d]: y = x W.  weights [heads, n, m], out [n, d]. */
heed_status heed_op_multi_head_attention(float *weights, float *out, const float *query, const float *memory,
                                         const float *wq, const float *wk, const float *wv, const float *wo, int n,
                                         int m, int d, int heads, int causal);
/* Per row; gain and bias [cols] may be NULL (1 and 0). */
heed_status heed_op_layer_norm(float *out, const float *x, const float *gain, const float *bias, int rows, int cols,
                               float epsilon);
/* out [n, d] = activation(x w1 + b1) w2 + b2;  w1 [d, f], w2 [f, d]. */
heed_status heed_op_feed_forward(float *out, const float *x, const float *w1, const float *b1, const float *w2,
                                 const float *b2, int n, int d, int f, int activation);

#endif /* HEED_H */
