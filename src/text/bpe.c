/* bpe.c - see segment.h for the contract. */
#include <string.h>

#include "text/segment.h"
#include "text/utf8.h"

typedef struct {
    const heed_vocab *vocab;
    const char *text;
    bpe_symbol *symbols;
    bpe_pair *pairs; /* a heap: no child pairs[2i + 1], pairs[2i + 2] comes before pairs[i] */
    int32_t n_pairs;
    int32_t *splits; /* by id of an unused piece: bytes of its left half when it was last proposed */
} merger;

static int is_before(const bpe_pair *a, const bpe_pair *b) {
    return a->score > b->score || (a->score == b->score && a->left < b->left);
}

static void push(merger *m, bpe_pair pair) {
    int32_t i = m->n_pairs++;
    while (i > 0 && is_before(&pair, &m->pairs[(i - 1) / 2])) {
        m->pairs[i] = m->pairs[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    m->pairs[i] = pair;
}

static bpe_pair pop(merger *m) {
    const bpe_pair top = m->pairs[0], last = m->pairs[--m->n_pairs];
    int32_t i = 0;
    for (;;) {
        int32_t child = 2 * i + 1;
        if (child >= m->n_pairs) break;
        if (child + 1 < m->n_pairs && is_before(&m->pairs[child + 1], &m->pairs[child])) child++;
        if (!is_before(&m->pairs[child], &last)) break;
        m->pairs[i] = m->pairs[child];
        i = child;
    }
    m->pairs[i] = last;
    return top;
}

static void propose(merger *m, int32_t left, int32_t right) {
    if (left < 0 || right < 0) return;
    const bpe_symbol *a = &m->symbols[left], *b = &m->symbols[right];
    if (a->frozen || b->frozen) return;
    const int32_t length = a->length + b->length;
    const int32_t id = trie_find(&m->vocab->pieces, m->text + a->start, (size_t)length);
    if (id < 0) return;
    push(m, (bpe_pair){m->vocab->score[id], left, length});
    if (m->vocab->type[id] == HEED_PIECE_UNUSED) m->splits[id] = a->length;
}

/* Cuts text into symbols: user-defined pieces and single characters. */
static int32_t cut(merger *m, int32_t n) {
    int32_t count = 0;
    for (int32_t at = 0; at < n; count++) {
        size_t length;
        const int frozen = trie_longest(&m->vocab->user, m->text + at, (size_t)(n - at), &length) >= 0;
        if (!frozen) length = (size_t)utf8_lead_length(m->text + at, (size_t)(n - at));
        m->symbols[count] = (bpe_symbol){at, (int32_t)length, count - 1, count + 1, frozen};
        at += (int32_t)length;
    }
    m->symbols[count - 1].next = -1;
    return count;
}

static void merge(merger *m) {
    while (m->n_pairs > 0) {
        const bpe_pair top = pop(m);
        bpe_symbol *left = &m->symbols[top.left];
        if (left->length == 0 || left->next < 0) continue;
        bpe_symbol *right = &m->symbols[left->next];
        if (left->length + right->length != top.length) continue;
        left->length = top.length;
        right->length = 0;
        left->next = right->next;
        if (right->next >= 0) m->symbols[right->next].previous = top.left;
        propose(m, left->previous, top.left);
        propose(m, top.left, left->next);
    }
}

int32_t bpe_segment(int32_t *ids, int32_t *spans, const heed_vocab *vocab, const char *text, int32_t n,
                    bpe_symbol *symbols, bpe_pair *pairs, int32_t *splits) {
    merger m = {vocab, text, symbols, pairs, 0, splits};
    int32_t count = 0;
    if (n == 0) return 0;
    if (vocab->has_unused) memset(splits, 0, (size_t)vocab->n * sizeof *splits);
    const int32_t n_symbols = cut(&m, n);
    for (int32_t i = 1; i < n_symbols; i++) propose(&m, i - 1, i);
    merge(&m);

    /*
     * Unused pieces only lead to longer ones and are never results.  Take those left apart again, left half first.
     * The ends of right halves wait on a stack in `pairs`, whose heap is empty by then.
     */
    for (int32_t i = 0; i >= 0; i = symbols[i].next) {
        int32_t waiting = 0, start = symbols[i].start, end = start + symbols[i].length;
        for (;;) {
            const int32_t found = trie_find(&vocab->pieces, text + start, (size_t)(end - start));
            const int is_unused = found >= 0 && vocab->type[found] == HEED_PIECE_UNUSED;
            if (is_unused && splits[found] > 0) {
                pairs[waiting++].length = end;
                end = start + splits[found];
                continue;
            }
            ids[count] = found >= 0 ? found : vocab->unk;
            spans[2 * count] = start;
            spans[2 * count + 1] = end;
            count++;
            if (waiting == 0) break;
            start = end;
            end = pairs[--waiting].length;
        }
    }
    return count;
}
