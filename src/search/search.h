/*
 * search.h - greedy and beam search over a batch whose sentences come and go.
 *
 * Every sentence has a batch row.  A step encodes new sentences together, runs one decoder pass over the newest token
 * of every live target of every batch row, and chooses the next targets of each sentence.  A finished sentence leaves
 * the pass at once, and its batch row can be used again between steps.  The result of a sentence does not depend on the
 * other sentences of the batch.
 *
 * Every sentence has its own rules.  They are kept as *rule sets* that sentences share: there are as many sets as
 * batch rows, but not more than HEED_MAX_RULE_SETS, and a set is free again when the last of its sentences is released.
 *
 * The search is that of Hugging Face's generate().  The score of a beam is a sum of log-probabilities.  A step takes
 * the best N (1 + number of ids that end) continuations, at least 2N.  Those that end and rank among the first N
 * become ended targets, of which the best N by score are kept; the others fill the N beams.  A sentence is done when N
 * targets have ended and early_stopping allows it.  At max_tokens the targets of the first N ranks end.  With one beam
 * this is greedy search, whose rules work on logits.
 *
 * With cut_runaways a target is not continued into a loop; other candidates replace it.  If there are none, and no
 * target has ended, the target without the loop's last id is the unfinished result.  A character that is spelled by
 * bytes is completed before the cut.
 *
 * With a shortlist, a sentence may only become the ids that are selected for it (model/shortlist.h).  Their rows of the
 * output matrix are copied when it starts: a step multiplies only these.  All sentences share the room for such *output
 * rows*; a sentence waits until there is enough.  There is enough for each source alone.  If rules ask for so many ids
 * that there is not, all logits are computed and the selected ones used, so that the result is the same.
 *
 * With n-grams, targets are ordered by the sum of their log-probability and of their gains (gains.c).  The score of an
 * ended target is computed from it.  The log-probability itself stays the model's, with its lexicon and rules.
 *
 * With a lexicon, ids become more probable by what a head of the last cross-attention looks at (lexicon.c), before all
 * rules.  It belongs to one sentence, not to its rules.
 *
 * All sentences share the cache rows.  If they run out, the youngest sentence is put back to wait and starts over
 * later; this costs time but does not change its result.  There are always enough rows for one sentence.  Without
 * reads_all_past a sentence takes a fixed number of rows at most, and waits until there are so many: none is put back.
 *
 * Depends on: base/, kernels/, model/, heed.h.  Used by: heed.c.
 */
#ifndef HEED_SEARCH_SEARCH_H
#define HEED_SEARCH_SEARCH_H

#include "base/arena.h"
#include "heed.h"
#include "model/ngrams.h"
#include "model/output.h"
#include "model/shortlist.h"

enum { ROW_FREE = 0, ROW_WAITING, ROW_RUNNING, ROW_FINISHED };

/* A target so far, or a finished one. */
typedef struct {
    int32_t *ids;        /* [max_target]; ids[-1] is the start token             */
    int32_t *cache_rows; /* [max_target] of the positions that were fed: all, or only the last: see reads_all_past */
    int n_ids, n_cache_rows;
    double log_prob; /* sum over the ids after the prefix                    */
    double gain;     /* what n-grams add to it, weighted; 0 without them     */
    float score;     /* (log_prob + gain) / (n_ids - n_prefix)^length_penalty, once it has ended */
    int finished;    /* it ended with an id that ends, which was not forced  */
} heed_target;

typedef struct {
    double log_prob, gain; /* of the target with this id */
    int32_t beam, id;
    int32_t fate; /* the live target it became, or HEED_PRUNED, HEED_ENDED */
} heed_candidate;

/* The rules of some sentences. */
typedef struct {
    heed_search_options options; /* its lists point into `ids` */
    int32_t *ids;                /* [max_target + 1 + N_BYTES + HEED_MAX_RULE_IDS] */
    int n_sentences;             /* sentences that have them */
} heed_rule_set;

typedef struct {
    int state;
    heed_rule_set *rules;
    unsigned age; /* the clock when it was added: greater is younger     */
    int n_source;
    int32_t *lexicon;                    /* [HEED_LEXICON_INTS] entries, see lexicon.c */
    int n_lexicon, lexicon_head;         /* int32s of all entries; 0: there are none. The head that aligns */
    int loop_limit, max_tokens;          /* of this sentence; loop_limit 0: loops are allowed */
    int32_t *source, *source_cache_rows; /* [max_source]                     */
    int n_live, n_ended;
    heed_target *live, *next;   /* [N] each; swapped after a step          */
    heed_target *ended;         /* [N] best first                          */
    heed_candidate *candidates; /* [N, k] of the last step, for each live target: k = candidates_of() */
    int32_t *n_candidates;      /* [N]                                   */
    int n_before;               /* live targets before the last step; 0: there was none */
    int first_output, n_outputs; /* output rows; 0: all rows of the output matrix are multiplied */
} heed_batch_row;

/* Rows of logits computed at a time: two tiles of the widest kernel, so that the output matrix is seldom read. */
enum { LOGIT_ROWS = 12 };
/*
 * Output rows for each sentence of a batch, which share them.  With Marian's shortlists a sentence of 8 to 32 tokens
 * needs 400 to 1100, one of 128 about 3000.  So of 35 sentences about 18 run at a time, which is as fast.
 */
enum { OUTPUT_ROWS = 352 };

typedef struct {
    heed_run *run;
    const struct heed_ngrams *ngrams; /* of the model when the session was created; NULL: it had none */
    heed_rule_set *sets;  /* [n_sets] */
    heed_rule_set *rules; /* one of the sets: for sentences that are added next */
    int n_sets;
    int max_source, max_target, max_beams, max_batch;
    int active; /* begun and not ended */
    unsigned clock;
    heed_batch_row *batch; /* [max_batch]                                     */
    heed_token *tokens;    /* [max_batch * max_beams] of a step               */
    int32_t *token_row;    /* which batch row and live target each token is of          */
    int32_t *token_beam;
    int32_t *newcomers; /* [run->max_rows] ids of the sentences to encode, one sentence after another */
    int32_t *lengths;   /* [max_batch] their lengths                       */
    int32_t *heads;     /* [max_beams] next candidate of each live target  */
    float *logits;      /* [LOGIT_ROWS, V]                                 */
    heed_linear outputs; /* output rows, which sentences share              */
    int32_t *output_ids; /* [outputs rows] the id of each                   */
    int32_t *selected;   /* [V] scratch: ids selected for a sentence; NULL: the model has no shortlist */
    float *scratch;     /* [max_target + 1, and at least V with n-grams] of next_candidates() */
    void *lexicons;       /* the block of the rows' lexicons; NULL: none was needed */
    const heed_sublayer *attended; /* the decoder's last cross-attention  */
    float *weights;     /* of its heads [n_heads, n_tokens, n_keys] in the last step: room for max_batch * max_beams
                           tokens and max_source keys                      */
    int n_tokens, n_keys; /* 0 tokens: the step did not keep them         */
} heed_search;

enum { N_BYTES = 256 };

/* search.c has the layout, search_step() and search_attention(); sentences.c has the others. */

/* Lay a search out in `arena` (which may only measure). */
void search_layout(heed_search *search, heed_arena *arena, heed_run *run, int max_source, int max_target, int max_beams,
                   int max_batch);

/* Begin with no sentences and no rules.  Cannot fail. */
void search_begin(heed_search *search);
/*
 * The rules of the sentences that are added from here on, checked as heed_search_rules() does; their lists are copied.
 * Returns 0 if every set has sentences with other rules; cannot fail right after search_begin().
 */
int search_rules(heed_search *search, const heed_search_options *rules);
/* The batch row of the new sentence, or -1 if none is free.  1 <= n <= max_source, ids checked, rules set. */
int search_add(heed_search *search, const int32_t *source, int n);
/*
 * One step; returns how many sentences are not finished.  A sentence whose logits are not finite finishes without a
 * target; the others continue.  Cannot fail.
 */
int search_step(heed_search *search);
/*
 * The weights of the last step of a batch row, as heed_search_attention() gives them; returns how many rows of
 * out [., n_heads, n_source].  Cannot fail: the heads are checked.
 */
int search_attention(const heed_search *search, int row, const int32_t *heads, int n_heads, float *out);
/* Makes room for lexicons at the first call; 0 if there is no memory.  The caller frees the block `lexicons`. */
int search_make_lexicons(heed_search *search);
/*
 * A lexicon for a batch row that waits; replaces the one before, and stays if the sentence starts over.  Its entries
 * [n] are copied; n may be 0.  Cannot fail: heed_search_lexicon() has checked that they are complete and have room.
 */
void search_lexicon(heed_search *search, int row, int head, const int32_t *entries, int n);
/* Free a batch row and what its sentence holds; nothing happens if it is free.  Cannot fail. */
void search_release(heed_search *search, int row);
/* Free all batch rows.  Cannot fail. */
void search_end(heed_search *search);

/*
 * Write the ids that a sentence may become to search->selected.
 *   more [n_more]  ids to add to those that its rules may ask for: its prefix, and what ends it
 * Returns how many.  Cannot fail: search->selected is there.
 */
int search_select(heed_search *search, const heed_search_options *rules, const int32_t *source, int n,
                  const int32_t *more, int n_more);

/*
 * sentences.c: which sentences run, and the rows that they hold.  Cannot fail.
 *
 * Encode waiting sentences, oldest first, as many as fit into one pass, until there are no cache rows or output rows
 * for the next.  If none runs, there are rows for any.
 */
void sentences_admit(heed_search *search);
/* Put the youngest running sentence back to wait.  It is never the only one, because the cache has rows for one. */
void sentences_evict_youngest(heed_search *search);
/* Free the cache rows and output rows of a sentence, if it runs; the caller sets another state. */
void sentence_drop_rows(heed_search *search, heed_batch_row *row);
/* Free the cache rows of one target. */
void target_drop_rows(heed_run *run, heed_target *target);
/* Whether a sentence may only become the ids that are selected for it. */
int sentence_has_shortlist(const heed_search *search, const heed_batch_row *row);

/*
 * beams.c: the targets of a sentence, live and ended.  Cannot fail.
 *
 * Choose the next live targets from this step's candidates; the sentence may finish.  If the logits of a live target
 * were not finite, the sentence finishes without a target.
 */
void beams_advance(heed_search *search, heed_batch_row *row);
/* How many candidates each live target has at most. */
int candidates_of(const heed_search_options *rules);

/* Scores of some ids, which ascend. */
typedef struct {
    float *scores;      /* [n] */
    const int32_t *ids; /* [n]; NULL: 0..n-1 */
    int n;
} heed_scores;

/* Where the score of an id is, or NULL if it has none.  Cannot fail: 0 <= id < V. */
float *scores_find(const heed_scores *scores, int32_t id);

/*
 * next.c: the best next ids by one row of logits, after all rules, in the order of Hugging Face's logits processors.
 *   out [k]  k = 1 in greedy search, else 2N; written: at most k candidates, best first, among them the best N that do
 *            not end, if there are N
 *   logits  n > 0; the scores are overwritten
 *   scratch [target->n_ids + 1], and at least logits->n with n-grams; overwritten
 *   left   how many ids may still be added, including this one
 *   rules  n_eos >= 1
 *   ngrams  used if the rules have a weight for them; may be NULL
 * Returns how many candidates, or -1 if the logits are not finite, because activations have overflowed.
 */
int next_candidates(heed_candidate *out, int k, const heed_scores *logits, const heed_target *target, int beam,
                    int left, const heed_search_options *rules, const struct heed_ngrams *ngrams, float *scratch);
/* Whether an id ends a hypothesis. */
int next_ends(const heed_search_options *rules, int32_t id);
/* How many ids of a target come before the first that is chosen: its prefix, or a forced one. */
int next_begin(const heed_search_options *rules);
/* Better first: higher sum of log-probability and gain, then lower beam, then lower id. */
int candidate_precedes(const heed_candidate *a, const heed_candidate *b);

/* What an entry of a lexicon begins with, in int32s; its ids follow.  heed.h says what they are. */
typedef struct {
    int32_t first, end, share, place, n_ids;
} heed_lexicon_entry;

/*
 * lexicon.c: the entry at entries[at] of n int32s, 0 <= at <= n; returns how many it takes with its ids.  0: there is
 * none, or it is torn.  Nothing else of it is checked.  Cannot fail.
 */
int lexicon_next(const int32_t *entries, int n, int at, heed_lexicon_entry *entry);
/*
 * Raise the scores of the next ids of a sentence's lexicon.  An id without a score is passed over.
 *   scores  of the target, before any rule; they stay as they are if they are not finite
 *   weights  [n_source] of the head that aligns, for this target
 * Cannot fail: heed_search_lexicon() has checked the entries.
 */
void lexicon_apply(const heed_batch_row *row, const heed_scores *scores, const heed_target *target,
                   const float *weights);
/*
 * The log-probability of target[t] with entries [n_entries].  Every id has a score.
 *   target    [t + 1]
 *   weights   [n_source] of the head that aligns, for row t
 *   log_prob  of the model alone
 * Cannot fail: heed_lexicon_log_probs() has checked the entries.
 */
float lexicon_log_prob(const int32_t *entries, int n_entries, const int32_t *target, int t, const float *weights,
                       float log_prob);

/* What n-grams say of the ids that may follow a target. */
typedef struct {
    ngram_list lists[NGRAM_LEVELS]; /* [n] of a context of one id, of two, of three */
    int n;
    double unit; /* by which the lists' numbers are multiplied */
} heed_gains;

/* gains.c.  Cannot fail. */
void gains_begin(heed_gains *gains, const struct heed_ngrams *ngrams, float weight, const heed_target *target);
/*
 * Raise the scores of the ids that are listed by what they gain more than the others.
 *   before [scores->n]  written where a score is raised: what it was
 */
void gains_raise(const heed_gains *gains, const heed_scores *scores, float *before);
/* Whether a list has an id.  *raised: by how much gains_raise() raises it, else 0. */
int gains_find(const heed_gains *gains, int id, double *raised);
/* What every id gains, to which *raised is added. */
double gains_all(const heed_gains *gains);

/*
 * bytes.c: with byte_ids, the bytes of a target are UTF-8 (Unicode, table 3-7).  Without, both functions do nothing.
 * bytes_open() returns how many of the last ids are the beginning of an incomplete character.  bytes_forbid() forbids
 * each id that would break a character.  After an incomplete character, these are all ids but the bytes that continue
 * it and leave room for the rest.  Otherwise, these are bytes that begin no character, or one of more than `left`
 * bytes, or one of which no second byte has a score.
 *   ids [n]  the target so far, without the start token
 * Cannot fail.
 */
int bytes_open(const int32_t *ids, int n, const heed_search_options *rules);
void bytes_forbid(const heed_scores *scores, const int32_t *ids, int n, int left, const heed_search_options *rules);

/*
 * runaway.c: translations that repeat themselves or do not end.  The ids end in a loop if more than `limit` of the last
 * ids are copies of one sequence, at least three copies.  The limit grows with the length of the source and with what
 * the source itself repeats.  Cannot fail.
 */
int runaway_loop_limit(const int32_t *source, int n);
int runaway_loops(const int32_t *ids, int n, int limit);
/* The most new tokens for a source of n_source tokens. */
int runaway_max_tokens(int n_source);

#endif /* HEED_SEARCH_SEARCH_H */
