/* normalizer.c - see normalizer.h for the contract. */
#include "text/normalizer.h"

#include <string.h>

#include "base/reader.h"
#include "text/utf8.h"

enum { MAX_MATCHES = 32 }; /* SentencePiece looks no further than 32 rules that are prefixes of one another */

/* Bytes of the longest of several strings that each end in NUL. */
static size_t longest_string(spm_bytes strings) {
    size_t longest = 0, start = 0;
    for (size_t i = 0; i < strings.n; i++) {
        if (strings.text[i] != 0) continue;
        if (i - start > longest) longest = i - start;
        start = i + 1;
    }
    return longest;
}

heed_status normalizer_check(const spm_normalizer *from, const char *name, heed_report *report) {
    spm_bytes blob, strings;
    const char *broken = NULL;
    heed_status status = HEED_OK;
    if (from->charsmap.n == 0) return HEED_OK;
    if (!spm_split_charsmap(from->charsmap, &blob, &strings)) {
        broken = "a size, a trie and replacements that fill it exactly";
    } else if (strings.text[strings.n - 1] != 0) {
        broken = "replacements that end in NUL";
    } else if (longest_string(strings) > SPM_LONGEST) {
        broken = "replacements of at most 1024 bytes";
    } else {
        heed_normalizer draft;
        heed_arena arena = {0};
        normalizer_place(&arena, from, &draft);
        void *block = arena_block(&arena); /* the file's bytes may lie unaligned: check a copy */
        if (block == NULL) return HEED_E_MEMORY;
        normalizer_place(&arena, from, &draft);
        status = trie_check(&draft.rules, (uint32_t)strings.n, &broken);
        arena_free_block(block);
    }
    if (broken == NULL) return status;
    return status_report(HEED_E_SPM, report, name, broken, (int32_t)from->charsmap.n);
}

void normalizer_place(heed_arena *arena, const spm_normalizer *from, heed_normalizer *normalizer) {
    spm_bytes blob = {"", 0}, strings = {"", 0};
    if (from->charsmap.n) spm_split_charsmap(from->charsmap, &blob, &strings);
    const size_t n = blob.n / 4;
    uint32_t *units = arena_push(arena, n, sizeof *units);
    char *copy = arena_push(arena, strings.n, 1);
    if (arena->base == NULL || arena->overflow) return;

    heed_reader reader = reader_over(blob.text, blob.n);
    for (size_t i = 0; i < n; i++) units[i] = reader_u32(&reader);
    memcpy(copy, strings.text, strings.n);
    *normalizer = (heed_normalizer){.add_dummy_prefix = from->add_dummy_prefix,
                                    .remove_extra_whitespaces = from->remove_extra_whitespaces,
                                    .escape_whitespaces = from->escape_whitespaces,
                                    .rules = {units, (uint32_t)n},
                                    .strings = copy};
}

/* The result of one step: n bytes, which replace `consumed` bytes of the input. */
typedef struct {
    const char *text;
    size_t n, consumed;
} step;

static step next_step(const heed_normalizer *normalizer, const char *text, size_t n) {
    size_t length = 0;
    if (normalizer->user && trie_longest(normalizer->user, text, n, &length) >= 0) return (step){text, length, length};

    if (normalizer->rules.n) {
        uint32_t state = trie_root(&normalizer->rules);
        int32_t value, rule = -1;
        int matches = 0;
        for (size_t i = 0; i < n && trie_step(&normalizer->rules, &state, (unsigned char)text[i], &value); i++) {
            if (value < 0) continue;
            rule = value;
            length = i + 1;
            if (++matches == MAX_MATCHES) break;
        }
        if (rule >= 0) return (step){normalizer->strings + rule, strlen(normalizer->strings + rule), length};
    }
    length = (size_t)utf8_decode(text, n);
    return length ? (step){text, length, length} : (step){UTF8_REPLACEMENT, sizeof UTF8_REPLACEMENT - 1, 1};
}

/* Append bytes made from the input at `origin`.  Beyond the capacity only the length is counted. */
static void put(heed_normalized *out, const char *bytes, size_t n, int32_t origin) {
    if (n <= out->capacity && out->length <= out->capacity - n) {
        for (size_t i = 0; i < n; i++) out->text[out->length + i] = bytes[i];
        for (size_t i = 0; out->map && i < n; i++) out->map[out->length + i] = origin;
    }
    out->length = n > SIZE_MAX - out->length ? SIZE_MAX : out->length + n;
}

static int is_space(const step *s) { return s->n == 1 && s->text[0] == ' '; }

heed_status normalizer_run(const heed_normalizer *normalizer, const char *utf8, size_t n, heed_normalized *out) {
    const int trim = normalizer->remove_extra_whitespaces;
    const char *space = normalizer->escape_whitespaces ? UTF8_SPACE : " ";
    const size_t n_space = strlen(space);
    utf16_cursor cursor = {utf8, n, 0, 0};
    size_t at = 0;
    out->length = 0;
    if (n > INT32_MAX) return HEED_E_LENGTH;

    while (trim && at < n) {
        const step s = next_step(normalizer, utf8 + at, n - at);
        if (!is_space(&s)) break;
        at += s.consumed;
    }
    int32_t origin = utf16_advance(&cursor, at);
    if (at == n) { /* no text, or only spaces: no dummy prefix either */
        if (out->map) out->map[0] = origin;
        return HEED_OK;
    }
    if (normalizer->add_dummy_prefix && !normalizer->whitespace_as_suffix) put(out, space, n_space, origin);

    int after_space = trim;
    while (at < n) {
        step s = next_step(normalizer, utf8 + at, n - at);
        at += s.consumed;
        while (after_space && s.n > 0 && *s.text == ' ') s = (step){s.text + 1, s.n - 1, s.consumed};
        if (s.n > 0) {
            for (size_t i = 0, run; i < s.n; i += run + 1) {
                for (run = 0; i + run < s.n && s.text[i + run] != ' ';) run++;
                put(out, s.text + i, run, origin);
                if (i + run < s.n) put(out, space, n_space, origin);
            }
            after_space = trim && s.text[s.n - 1] == ' ';
        }
        if (out->length > INT32_MAX) return HEED_E_LENGTH;
        origin = utf16_advance(&cursor, at);
    }
    if (out->length <= out->capacity) { /* else the caller calls again with more room */
        while (trim && out->length >= n_space && memcmp(out->text + out->length - n_space, space, n_space) == 0) {
            out->length -= n_space;
            if (out->map) origin = out->map[out->length];
        }
    }
    if (normalizer->add_dummy_prefix && normalizer->whitespace_as_suffix) put(out, space, n_space, origin);
    if (out->length > INT32_MAX) return HEED_E_LENGTH;
    if (out->map && out->length <= out->capacity) out->map[out->length] = origin;
    return HEED_OK;
}
