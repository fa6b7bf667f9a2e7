/*
 * shortlist.h - which target ids a sentence may become, by the ids of its source.
 *
 * A model may have a shortlist: a list of target ids for each source id, its likely translations.  The *selected* ids
 * of a sentence are
 *   - the first n_first ids, which are the most frequent pieces,
 *   - the lists of its source ids, </s> included,
 *   - the source ids themselves, if both sides share a vocabulary: names and numbers are copied,
 *   - ids that the caller adds,
 *   - the smallest ids from n_first up that are not selected yet, until their number is a multiple of 8.
 * This is the rule of Marian's lexical shortlist (data/shortlist.cpp), but for one sentence instead of a batch, so that
 * a sentence does not depend on others.  A search multiplies only the selected rows of the output matrix.
 *
 * Depends on: base/, model.h.  Used by: search/, heed.c.
 */
#ifndef HEED_MODEL_SHORTLIST_H
#define HEED_MODEL_SHORTLIST_H

#include "model/model.h"

struct heed_shortlist {
    int n_first, n_lists; /* source ids from n_lists up have no list */
    int longest;          /* ids of the longest list */
    int32_t *offsets;     /* [n_lists + 1] list i is ids[offsets[i]] ... ids[offsets[i + 1] - 1] */
    int32_t *ids;         /* [offsets[n_lists]] */
};

/* Some ids, which may be none. */
typedef struct {
    const int32_t *ids;
    int n;
} heed_ids;

/*
 * Write the selected ids of source [n] to out, ascending.
 *   out  room for V, the target's vocabulary      more [n_more]  lists of ids to add, all of them checked
 * Returns how many.  Cannot fail: the model has a shortlist.
 */
int shortlist_select(const struct heed_model *model, int32_t *out, const int32_t *source, int n, const heed_ids *more,
                     int n_more);

/* The most ids that a source of n tokens and n_more ids of the caller select.  Cannot fail: as above. */
int shortlist_most(const struct heed_model *model, int n, int n_more);

#endif /* HEED_MODEL_SHORTLIST_H */
