/* links.c - see links.h for the contract. */
#include "train/native/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/spm.h"
#include "train/native/files.h"
#include "train/native/words.h"

int links_parse(const char *text, size_t n, int swap, word_link *links, int room) {
    int count = 0;
    for (size_t i = 0; i < n;) {
        int32_t sides[2];
        for (int side = 0; side < 2; side++) {
            const size_t start = i;
            sides[side] = 0;
            for (; i < n && text[i] >= '0' && text[i] <= '9' && i - start < 7; i++)
                sides[side] = 10 * sides[side] + text[i] - '0';
            if (i == start || (side == 0 && (i == n || text[i++] != '-'))) return -1;
        }
        if (i < n && (text[i++] != ' ' || i == n)) return -1;
        if (count < room) links[count] = (word_link){.source = sides[swap], .target = sides[!swap]};
        count++;
    }
    return count;
}

/* ------------------------------------------------------------------------------ characters */

/* Characters that normalisers may turn into several or none; the last represents all combining accents. */
static const char *const SPECIAL[] = {"\xE2\x80\xA6", "\xC2\xAD",     "\xE2\x80\x8B",
                                      "\xE2\x81\xA0", "\xEF\xBB\xBF", "\xCC\x81"};
enum { N_SPECIAL = sizeof SPECIAL / sizeof *SPECIAL, ACCENT = N_SPECIAL - 1 };

static int is_blank(const unsigned char *text, size_t bytes) {
    if (bytes == 1) return text[0] <= ' ' || text[0] == 0x7F;
    if (bytes == 2) return text[0] == 0xC2 && text[1] == 0xA0;
    if (bytes != 3) return 0;
    const unsigned code = (text[0] & 0xFu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
    return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
           code == 0x205F || code == 0x3000 || code == 0x2581;
}

/* Characters of text [n] that are not white space; special: the number that each of SPECIAL becomes; NULL: 1. */
static int characters_of(const char *text, size_t n, const int8_t *special) {
    const unsigned char *at = (const unsigned char *)text, *end = at + n;
    int sum = 0;
    for (size_t bytes; at < end; at += bytes) {
        bytes = *at < 0xC0 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
        if (bytes > (size_t)(end - at)) bytes = (size_t)(end - at);
        int count = !is_blank(at, bytes);
        for (int i = 0; special && bytes > 1 && i < N_SPECIAL; i++)
            if (strlen(SPECIAL[i]) == bytes && memcmp(at, SPECIAL[i], bytes) == 0) count = special[i];
        if (special && bytes == 2 && (*at == 0xCC || (*at == 0xCD && at[1] < 0xB0))) count = special[ACCENT];
        sum += count;
    }
    return sum;
}

/* The number of characters in the ids of a text. */
static int encoded_characters(const link_mapper *m, heed_tokenizer *tokenizer, const char *text) {
    heed_encoding e;
    int sum = 0;
    const heed_status status = heed_tokenizer_encode(tokenizer, text, strlen(text), &e);
    if (status != HEED_OK) fail_status("the tokenizer", status);
    for (int i = 0; i < e.n; i++) sum += m->characters[e.ids[i]];
    return sum;
}

void link_mapper_begin(link_mapper *m, heed_tokenizer *tokenizer) {
    *m = (link_mapper){.n_pieces = heed_tokenizer_size(tokenizer)};
    m->characters = allocate((size_t)m->n_pieces);
    for (int id = 0; id < m->n_pieces; id++) {
        int32_t n, type;
        const char *piece = heed_tokenizer_piece(tokenizer, id, &n, &type);
        int count = -1;
        const int byte = type == HEED_PIECE_BYTE ? spm_byte_value((spm_bytes){piece, (size_t)n}) : -1;
        if (byte >= 0) count = (byte & 0xC0) != 0x80 && byte > ' ';
        else if (type == HEED_PIECE_NORMAL || type == HEED_PIECE_USER_DEFINED)
            count = characters_of(piece, (size_t)n, NULL);
        m->characters[id] = (int8_t)(count > INT8_MAX ? -1 : count);
    }
    for (int i = 0; i < N_SPECIAL; i++) {
        char text[8];
        snprintf(text, sizeof text, "e%se", SPECIAL[i]);
        m->special[i] = (int8_t)(encoded_characters(m, tokenizer, text) - encoded_characters(m, tokenizer, "ee"));
    }
}

void link_mapper_end(link_mapper *m) {
    free(m->characters);
    free(m->room);
}

/* ----------------------------------------------------------------------------------- tokens */

/* The words [first, end) of a token, or the tokens [first, end) of a word. */
typedef struct {
    int32_t first, end;
} range;

/* words_of [n tokens], tokens_of [n_words]; 0 if characters do not match. */
static int match(const link_mapper *m, const link_side *s, const word *words, int n_words, range *words_of,
                 range *tokens_of) {
    for (int w = 0; w < n_words; w++) tokens_of[w] = (range){0, 0};
    for (int t = 0; t < s->n; t++) words_of[t] = (range){0, 0};
    /* characters before the end of the token, and of the word */
    int token_end = 0, word_end = 0, w = 0;
    size_t at = 0;
    for (int t = s->first; t < s->n - 1; t++) {
        const int32_t id = s->ids[t];
        const int count = id >= 0 && id < m->n_pieces ? m->characters[id] : -1;
        if (count < 0) return 0;
        const int start = token_end;
        token_end += count;
        if (count == 0) continue; /* a space, or a continuation of a character */
        /* skip words that end at or before the start */
        while (w < n_words && word_end <= start) {
            word_end += characters_of(s->text + words[w].start, words[w].end - words[w].start, m->special);
            at = words[w].end;
            w++;
        }
        if (word_end <= start) return 0; /* the text has fewer characters */
        words_of[t].first = w - 1;
        while (w < n_words && word_end < token_end) {
            word_end += characters_of(s->text + words[w].start, words[w].end - words[w].start, m->special);
            at = words[w].end;
            w++;
        }
        if (word_end < token_end) return 0;
        words_of[t].end = w;
        for (int k = words_of[t].first; k < w; k++) {
            if (tokens_of[k].end == 0) tokens_of[k].first = t;
            tokens_of[k].end = t + 1;
        }
    }
    return token_end == word_end && characters_of(s->text + at, s->bytes - at, m->special) == 0;
}

int links_of_tokens(link_mapper *m, const link_side *source, const link_side *target, const word_link *words,
                    int n_words, const heed_link **links) {
    const link_side *sides[2] = {source, target};
    const size_t most = (size_t)source->n * (size_t)target->n + 1;
    /* a side has at most as many words as bytes */
    size_t bytes = most * sizeof(heed_link) + (size_t)source->n;
    for (int i = 0; i < 2; i++)
        bytes += sides[i]->bytes * (sizeof(word) + sizeof(range)) + (size_t)sides[i]->n * sizeof(range);
    if (bytes > m->n_room) m->room = reallocate(m->room, m->n_room = 2 * bytes);
    heed_link *out = m->room;
    range *next = (range *)(out + most), *words_of[2], *tokens_of[2];
    int counts[2];
    *links = out;
    for (int i = 0; i < 2; i++) {
        const link_side *s = sides[i];
        words_of[i] = next;
        tokens_of[i] = words_of[i] + s->n;
        word *split = (word *)(tokens_of[i] + s->bytes);
        next = (range *)(split + s->bytes);
        counts[i] = (int)words_split(s->text, s->bytes, split, s->bytes);
        if (counts[i] != s->n_words && counts[i] != s->n_words - 1) return 0;
        if (!match(m, s, split, counts[i], words_of[i], tokens_of[i])) return 0;
    }
    char *marked = (char *)next;
    int n = 0;
    for (int t = target->first; t < target->n - 1; t++) {
        memset(marked, 0, (size_t)source->n);
        for (int k = 0; k < n_words; k++) {
            const word_link *l = &words[k];
            if (l->target < words_of[1][t].first || l->target >= words_of[1][t].end) continue;
            if (l->source < 0 || l->source >= counts[0]) continue;
            const range tokens = tokens_of[0][l->source];
            memset(marked + tokens.first, 1, (size_t)(tokens.end - tokens.first));
        }
        for (int s = 0; s < source->n; s++)
            if (marked[s]) out[n++] = (heed_link){.target = t, .source = s};
    }
    out[n++] = (heed_link){.target = target->n - 1, .source = source->n - 1};
    return n;
}
