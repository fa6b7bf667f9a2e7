/* unigram.c - see segment.h for the contract. */
#include "text/segment.h"
#include "text/utf8.h"

/* What an unknown character costs below the least probable piece. */
static const float UNKNOWN_PENALTY = 10.0f;

/* A path replaces only a worse one, so of equal ones the piece that begins first stays. */
static void offer(unigram_node *node, double score, int32_t start, int32_t id) {
    if (node->start >= 0 && score <= (double)node->score) return;
    *node = (unigram_node){(float)score, start, id};
}

int32_t unigram_segment(int32_t *ids, int32_t *spans, const heed_vocab *vocab, const char *text, int32_t n,
                        unigram_node *nodes) {
    const float unknown_score = vocab->min_score - UNKNOWN_PENALTY;
    for (int32_t i = 0; i <= n; i++) nodes[i] = (unigram_node){0.0f, -1, -1};

    for (int32_t start = 0; start < n;) {
        const float score_here = nodes[start].score;
        const int32_t character = utf8_lead_length(text + start, (size_t)(n - start));
        uint32_t state = trie_root(&vocab->pieces);
        int32_t id;
        int has_character = 0;
        for (int32_t end = start; end < n && trie_step(&vocab->pieces, &state, (unsigned char)text[end], &id);) {
            end++;
            if (id < 0 || vocab->type[id] == HEED_PIECE_UNUSED) continue;
            /* add in double and store as float, as SentencePiece does, so that ties are decided alike */
            double score = vocab->score[id];
            if (vocab->type[id] == HEED_PIECE_USER_DEFINED)
                score = (double)((float)(end - start) * vocab->max_score) - 0.1;
            offer(&nodes[end], score + (double)score_here, start, id);
            has_character |= end - start == character;
        }
        if (!has_character) {
            const float score = unknown_score + score_here;
            offer(&nodes[start + character], (double)score, start, vocab->unk);
        }
        start += character;
    }

    int32_t count = 0;
    for (int32_t end = n; end > 0; end = nodes[end].start) count++;
    for (int32_t end = n, i = count - 1; end > 0; end = nodes[end].start, i--) {
        ids[i] = nodes[end].id;
        spans[2 * i] = nodes[end].start;
        spans[2 * i + 1] = end;
    }
    return count;
}
