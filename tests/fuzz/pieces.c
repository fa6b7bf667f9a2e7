/*
 * pieces.c - segmentation with any pieces: a SentencePiece file is made of the bytes, and text is cut with it both by
 * the core and by the plain loops below, which know neither trie nor heap.
 */
#include <float.h>
#include <string.h>

#include "../c/spm_writer.h"
#include "tokenizers.h"

enum { MOST_PIECES = 32, MOST_TEXT = 96, MOST_PIECE = 24 };

typedef struct {
    char text[MOST_PIECE];
    int n, type;
    float score;
} piece;

typedef struct {
    piece pieces[MOST_PIECES]; /* piece 0 is the unknown one */
    int n, is_bpe, byte_fallback;
    int bytes_from; /* id of <0x00> */
} recipe;

/* Few letters, so that pieces meet in text; one of two bytes, U+2581, and a byte that is no character. */
static const char *const LETTERS[] = {"a", "b", "c", ">", "<", "\xE2\x96\x81", "\xC3\xA9", "\xFF", "a", "b"};

static int take_letters(input *in, char *text, int most, int room) {
    int n = 0;
    for (int count = 1 + take_byte(in) % most; count > 0; count--) {
        const char *letter = LETTERS[take_byte(in) % (int)(sizeof LETTERS / sizeof *LETTERS)];
        const int length = (int)strlen(letter);
        if (n + length > room) break;
        memcpy(text + n, letter, (size_t)length);
        n += length;
    }
    return n;
}

static int is_text(const piece *p) {
    const int is_language = p->n > 4 && memcmp(p->text, ">>", 2) == 0 && memcmp(p->text + p->n - 2, "<<", 2) == 0;
    return !is_language &&
           (p->type == HEED_PIECE_NORMAL || p->type == HEED_PIECE_USER_DEFINED || p->type == HEED_PIECE_UNUSED);
}

/* Id of the piece that text [n] can become, or -1. */
static int find(const recipe *r, const char *text, int n) {
    for (int i = 1; i < r->n; i++)
        if (is_text(&r->pieces[i]) && r->pieces[i].n == n && memcmp(r->pieces[i].text, text, (size_t)n) == 0) return i;
    return -1;
}

static void take_recipe(input *in, recipe *r) {
    static const int TYPES[] = {HEED_PIECE_NORMAL, HEED_PIECE_NORMAL,       HEED_PIECE_NORMAL,
                                HEED_PIECE_NORMAL, HEED_PIECE_USER_DEFINED, HEED_PIECE_UNUSED};
    const int flags = take_byte(in);
    memset(r, 0, sizeof *r);
    r->is_bpe = flags % 2;
    r->byte_fallback = flags % 32 == 31; /* seldom: 256 pieces take their time */
    r->pieces[0] = (piece){"<unk>", 5, HEED_PIECE_UNKNOWN, 0.0f};
    r->pieces[1] = (piece){"a", 1, HEED_PIECE_NORMAL, -2.0f};
    r->n = 2;
    for (int count = take_byte(in) % (MOST_PIECES - 2); count > 0; count--) {
        piece *p = &r->pieces[r->n];
        p->n = take_letters(in, p->text, 5, MOST_PIECE);
        const int kind = take_byte(in);
        p->type = TYPES[kind % (flags & 64 ? 6 : flags & 32 ? 5 : 4)];
        p->score = kind < 250 ? (float)-(kind / 6 % 8) : kind < 253 ? 3e38f : -3e38f;
        int known = 0; /* a file may give no piece twice */
        for (int i = 0; i < r->n; i++) {
            const piece *other = &r->pieces[i];
            known |= other->n == p->n && memcmp(other->text, p->text, (size_t)p->n) == 0;
        }
        if (!known) r->n++;
    }
    r->bytes_from = r->n;
}

static heed_tokenizer *make(const recipe *r) {
    static message m;
    heed_tokenizer *t;
    char name[8];
    m.n = 0;
    for (int i = 0; i < r->n; i++) {
        const piece *p = &r->pieces[i];
        put_piece_n(&m, p->text, (size_t)p->n, p->score, p->type);
    }
    for (int i = 0; r->byte_fallback && i < 256; i++) {
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        put_piece(&m, name, 0, HEED_PIECE_BYTE);
    }
    put_trainer(&m, r->is_bpe ? 2 : 1, r->byte_fallback);
    REQUIRE(create(&m, m.n, &t, NULL) == HEED_OK);
    return t;
}

static int letter_length(const char *text, int n) {
    const unsigned char lead = (unsigned char)*text;
    const int length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return length < n ? length : n;
}

/* Ends of the pieces of text [n], and their ids; returns how many.  0 is the unknown piece. */
static int cut_unigram(const recipe *r, const char *text, int n, int *ends, int *ids) {
    static float best[4 * MOST_TEXT];
    static int from[4 * MOST_TEXT], id[4 * MOST_TEXT];
    float least = FLT_MAX, greatest = FLT_MIN;
    for (int i = 0; i < r->n; i++) {
        const piece *p = &r->pieces[i];
        if (p->type == HEED_PIECE_NORMAL && p->score < least) least = p->score;
        if (p->type == HEED_PIECE_NORMAL && p->score > greatest) greatest = p->score;
    }
    for (int i = 0; i <= n; i++) from[i] = -1;
    best[0] = 0.0f;
    for (int start = 0; start < n; start += letter_length(text + start, n - start)) {
        const int letter = letter_length(text + start, n - start);
        int has_letter = 0;
        for (int end = start + 1; end <= n + 1; end++) {
            int found = end <= n ? find(r, text + start, end - start) : 0;
            double score;
            if (end > n) { /* at last: the letter is unknown */
                if (has_letter) break;
                end = start + letter;
                score = (double)(least - 10.0f + best[start]);
            } else if (found < 0 || r->pieces[found].type == HEED_PIECE_UNUSED) {
                continue;
            } else {
                score = r->pieces[found].type == HEED_PIECE_USER_DEFINED
                            ? (double)((float)(end - start) * greatest) - 0.1
                            : (double)r->pieces[found].score;
                score += (double)best[start];
                has_letter |= end - start == letter;
            }
            if (from[end] < 0 || !(score <= (double)best[end])) {
                best[end] = (float)score;
                from[end] = start;
                id[end] = found;
            }
            if (found == 0) break;
        }
    }
    int count = 0;
    for (int end = n; end > 0; end = from[end]) count++;
    for (int end = n, i = count; end > 0; end = from[end]) {
        ends[--i] = end;
        ids[i] = id[end];
    }
    return count;
}

static int cut_bpe(const recipe *r, const char *text, int n, int *ends, int *ids) {
    static int frozen[4 * MOST_TEXT];
    int count = 0;
    for (int at = 0; at < n; count++) {
        int length = 0;
        for (int i = 1; i < r->n; i++) {
            const piece *p = &r->pieces[i];
            const int fits = is_text(p) && p->type == HEED_PIECE_USER_DEFINED && p->n <= n - at && p->n > length;
            if (fits && memcmp(p->text, text + at, (size_t)p->n) == 0) length = p->n;
        }
        frozen[count] = length > 0;
        at += length ? length : letter_length(text + at, n - at);
        ends[count] = at;
    }
    for (;;) {
        int best = -1;
        float score = 0.0f;
        for (int i = 0; i + 1 < count; i++) {
            const int start = i ? ends[i - 1] : 0;
            const int id = frozen[i] || frozen[i + 1] ? -1 : find(r, text + start, ends[i + 1] - start);
            if (id < 0 || (best >= 0 && r->pieces[id].score <= score)) continue;
            best = i;
            score = r->pieces[id].score;
        }
        if (best < 0) break;
        count--;
        for (int i = best; i < count; i++) ends[i] = ends[i + 1];
        for (int i = best + 1; i < count; i++) frozen[i] = frozen[i + 1];
    }
    for (int i = 0; i < count; i++) {
        const int start = i ? ends[i - 1] : 0, id = find(r, text + start, ends[i] - start);
        ids[i] = id < 0 ? 0 : id;
    }
    return count;
}

/* Neighbouring unknown pieces are one, or all become bytes. */
static int settle(const recipe *r, const char *text, int count, const int *ends, const int *ids, int32_t *out) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (ids[i] != 0) {
            out[n++] = ids[i];
        } else if (r->byte_fallback) {
            for (int at = i ? ends[i - 1] : 0; at < ends[i]; at++) out[n++] = r->bytes_from + (unsigned char)text[at];
        } else if (i == 0 || ids[i - 1] != 0) {
            out[n++] = 0;
        }
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char text[MOST_TEXT];
    static int ends[4 * MOST_TEXT], ids[4 * MOST_TEXT];
    static int32_t want[4 * MOST_TEXT];
    input in = {data, size};
    recipe r;
    heed_encoding out;
    take_recipe(&in, &r);
    heed_tokenizer *t = make(&r);
    const int n_text = take_letters(&in, text, 40, MOST_TEXT);
    check_text(t, text, (size_t)n_text);

    int has_unused = 0; /* how BPE takes those apart depends on the order of its heap */
    for (int i = 0; i < r.n; i++) has_unused |= r.pieces[i].type == HEED_PIECE_UNUSED;
    REQUIRE(heed_tokenizer_encode(t, text, (size_t)n_text, &out) == HEED_OK);
    if (out.n > 0 && !(r.is_bpe && has_unused)) {
        const int n = out.spans[2 * out.n - 1];
        REQUIRE(n < 4 * MOST_TEXT);
        const int count = (r.is_bpe ? cut_bpe : cut_unigram)(&r, out.normalized, n, ends, ids);
        REQUIRE(settle(&r, out.normalized, count, ends, ids, want) == out.n);
        REQUIRE(memcmp(want, out.ids, (size_t)out.n * sizeof *want) == 0);
    }
    heed_tokenizer_free(t);
    return 0;
}
