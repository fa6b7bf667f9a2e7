/* vocab.c - see vocab.h for the contract. */
#include "text/vocab.h"

#include <float.h>
#include <string.h>

static int is_between(spm_bytes piece, const char *before, const char *after) {
    const size_t n = strlen(before), m = strlen(after);
    return piece.n > n + m && memcmp(piece.text, before, n) == 0 && memcmp(piece.text + piece.n - m, after, m) == 0;
}

static int is_language(spm_bytes piece) {
    if (piece.text[0] != '>' && piece.text[0] != '<') return 0; /* nearly all: this runs three times for each piece */
    return is_between(piece, ">>", "<<") || is_between(piece, "<2", ">");
}

static int is_text(int32_t type) {
    return type == HEED_PIECE_NORMAL || type == HEED_PIECE_USER_DEFINED || type == HEED_PIECE_UNUSED;
}

/* The type as heed uses it. */
static int32_t type_of(const spm_piece *piece) {
    return is_text(piece->type) && is_language(piece->text) ? HEED_PIECE_CONTROL : piece->type;
}

static heed_status refuse(heed_report *report, const char *rule, int32_t found) {
    return status_report(HEED_E_SPM, report, "pieces", rule, found);
}

static int compare(const char *a, size_t n_a, const unsigned char *b, size_t n_b) {
    const int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* Are the sorted keys all different?  If not, *found is the id of a key that occurs twice. */
static int all_differ(const heed_trie_key *keys, int32_t n, int32_t *found) {
    for (int32_t i = 1; i < n; i++) {
        const heed_trie_key *a = &keys[i - 1], *b = &keys[i];
        if (compare((const char *)a->text, (size_t)a->length, b->text, (size_t)b->length) == 0) {
            *found = a->value > b->value ? a->value : b->value;
            return 0;
        }
    }
    return 1;
}

static heed_status check_special(const spm_file *file, const spm_piece *pieces, heed_report *report) {
    uint8_t has_byte[256] = {0};
    int32_t unknown = 0;
    for (int32_t i = 0; i < file->n_pieces; i++) {
        if (pieces[i].type == HEED_PIECE_UNKNOWN && unknown++)
            return refuse(report, "one piece of type 2 (unknown)", i);
        if (pieces[i].type != HEED_PIECE_BYTE) continue;
        if (!file->byte_fallback) return refuse(report, "byte pieces only where trainer_spec.byte_fallback is set", i);
        const int byte = spm_byte_value(pieces[i].text);
        if (byte < 0) return refuse(report, "a byte piece of the form <0xNN>", i);
        has_byte[byte] = 1;
    }
    if (unknown == 0) return refuse(report, "one piece of type 2 (unknown)", 0);
    for (int32_t byte = 0; file->byte_fallback && byte < 256; byte++) {
        if (!has_byte[byte]) return refuse(report, "a piece for each of the 256 bytes", byte);
    }
    return HEED_OK;
}

heed_status vocab_draft_create(const spm_file *file, const spm_piece *pieces, heed_trie_key *keys, vocab_draft *draft,
                               heed_report *report) {
    const int32_t n = file->n_pieces;
    int32_t n_text = 0, n_reserved = 0, n_user = 0, found;
    *draft = (vocab_draft){.file = file, .pieces = pieces, .keys = keys};
    heed_status status = check_special(file, pieces, report);
    if (status != HEED_OK) return status;

    /* the first pass builds the trie of user-defined pieces, the second sorts all pieces again */
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < n; i++) {
            const int32_t type = type_of(&pieces[i]);
            const heed_trie_key key = {(const unsigned char *)pieces[i].text.text, (int32_t)pieces[i].text.n, i};
            if (pass == 0 && type == HEED_PIECE_USER_DEFINED) keys[n_text++] = key;
            if (pass == 1 && is_text(type) && type != HEED_PIECE_USER_DEFINED) keys[n_text++] = key;
            if (pass == 1 && !is_text(type)) keys[n - ++n_reserved] = key;
        }
        if (pass == 0) n_user = n_text;
    }
    if (n_text == 0) return refuse(report, "at least one piece that text can become", 0);
    draft->n_text = n_text;
    draft->n_reserved = n_reserved;

    trie_sort(keys, n_user);
    if (!all_differ(keys, n_user, &found)) return refuse(report, "each piece only once", found);
    status = trie_build(keys, n_user, &draft->user);
    if (status == HEED_OK) {
        trie_sort(keys, n_text);
        trie_sort(keys + n_text, n_reserved);
        if (!all_differ(keys, n_text, &found) || !all_differ(keys + n_text, n_reserved, &found)) {
            return refuse(report, "each piece only once", found);
        }
        status = trie_build(keys, n_text, &draft->all);
    }
    return status == HEED_E_SPM ? refuse(report, "no more pieces than a trie of 2^21 units holds", n) : status;
}

void vocab_draft_free(vocab_draft *draft) {
    arena_free_block((void *)draft->all.units);
    arena_free_block((void *)draft->user.units);
    draft->all.units = draft->user.units = NULL;
}

static heed_trie place_trie(heed_arena *arena, const heed_trie *from) {
    uint32_t *units = arena_push(arena, from->n, sizeof *units);
    if (units && from->n) memcpy(units, from->units, from->n * sizeof *units);
    return (heed_trie){units, from->n};
}

void vocab_place(heed_arena *arena, const vocab_draft *draft, heed_vocab *vocab) {
    const spm_file *file = draft->file;
    const int32_t n = file->n_pieces;
    char *text = arena_push(arena, file->piece_bytes, 1);
    int32_t *start = arena_ints(arena, (size_t)n + 1, 1);
    float *score = arena_floats(arena, (size_t)n, 1, 1);
    uint8_t *type = arena_push(arena, (size_t)n, 1);
    int32_t *reserved = arena_ints(arena, (size_t)draft->n_reserved, 1);
    const heed_trie all = place_trie(arena, &draft->all);
    const heed_trie user = place_trie(arena, &draft->user);
    if (arena->base == NULL || arena->overflow) return;

    *vocab = (heed_vocab){.n = n,
                          .is_bpe = file->model_type == SPM_BPE,
                          .byte_fallback = file->byte_fallback,
                          .text = text,
                          .start = start,
                          .score = score,
                          .type = type,
                          .reserved = reserved,
                          .n_reserved = draft->n_reserved,
                          .pieces = all,
                          .user = user};
    /*
     * start values as in SentencePiece: FLT_MIN exceeds all log-probabilities, so it stays and scores user-defined
     * pieces
 */
    vocab->min_score = FLT_MAX;
    vocab->max_score = FLT_MIN;
    for (int32_t i = 0; i < n; i++) {
        const spm_piece *piece = &draft->pieces[i];
        memcpy(text + start[i], piece->text.text, piece->text.n);
        start[i + 1] = start[i] + (int32_t)piece->text.n;
        score[i] = piece->score;
        type[i] = (uint8_t)type_of(piece);
        if (piece->type == HEED_PIECE_NORMAL && piece->score < vocab->min_score) vocab->min_score = piece->score;
        if (piece->type == HEED_PIECE_NORMAL && piece->score > vocab->max_score) vocab->max_score = piece->score;
        if (piece->type == HEED_PIECE_UNKNOWN) vocab->unk = i;
        if (piece->type == HEED_PIECE_BYTE) vocab->byte_id[spm_byte_value(piece->text)] = i;
        if (type[i] == HEED_PIECE_UNUSED) vocab->has_unused = 1;
    }
    for (int32_t i = 0; i < draft->n_reserved; i++) reserved[i] = draft->keys[draft->n_text + i].value;
}

int32_t vocab_find(const heed_vocab *vocab, const char *text, size_t n) {
    int32_t lo = 0, hi = vocab->n_reserved;
    while (lo < hi) {
        const int32_t middle = lo + (hi - lo) / 2, id = vocab->reserved[middle], at = vocab->start[id];
        const int order =
            compare(text, n, (const unsigned char *)vocab->text + at, (size_t)(vocab->start[id + 1] - at));
        if (order == 0) return id;
        if (order < 0) hi = middle;
        else lo = middle + 1;
    }
    const int32_t id = trie_find(&vocab->pieces, text, n);
    return id >= 0 ? id : vocab->unk;
}
