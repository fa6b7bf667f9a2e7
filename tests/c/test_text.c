/*
 * test_text.c - the tokenizer: broken files are refused by name, no text breaks it, time is linear, memory is
 * counted, and on the golden models every result equals SentencePiece's (tests/golden/text/hashes.txt).
 *
 * As in test_alloc.c, arena.c is compiled here with a malloc that counts and can fail.
 */
#include <stdlib.h>

static long n_allocated, n_freed, fail_at;

static void *counting_malloc(size_t n) { return ++n_allocated == fail_at ? NULL : malloc(n); }

static void counting_free(void *p) {
    n_freed++;
    free(p);
}

#define malloc counting_malloc
#define free   counting_free
#include "base/arena.c"
#undef malloc
#undef free

#include <time.h>

#include "base/reader.h"
#include "check.h"
#include "spm_writer.h"
#include "text/trie.h"
#include "text/utf8.h"
#include "text_lines.h"

#define SPACE "\xE2\x96\x81"

static message model; /* big: not on the stack */

/* ------------------------------------------------------------------------------- the parts */

static void test_reader(void) {
    const unsigned char bytes[] = {0x96, 0x01, 0xFF, 1, 2, 3, 4, 9};
    heed_reader r = reader_over(bytes, sizeof bytes);
    CHECK_INT(reader_varint(&r), 150);
    CHECK_INT(reader_slice(&r, 1).at[0], 0xFF);
    CHECK_INT(reader_u32(&r), 0x04030201);
    CHECK_INT(reader_left(&r), 1);
    CHECK_INT(reader_u32(&r), 0); /* three bytes short */
    CHECK(r.bad && reader_left(&r) == 0);
    CHECK_INT(reader_varint(&r), 0);

    r = reader_over(bytes, sizeof bytes);
    const heed_reader slice = reader_slice(&r, UINT64_MAX);
    CHECK(r.bad && slice.bad && reader_left(&slice) == 0);

    memset(model.bytes, 0xFF, 11); /* no end after ten bytes */
    r = reader_over(model.bytes, 11);
    CHECK(reader_varint(&r) == 0 && r.bad);
    r = reader_over(NULL, 0);
    CHECK(reader_left(&r) == 0 && !r.bad);
}

static void test_utf8(void) {
    CHECK_INT(utf8_decode("a", 1), 1);
    CHECK_INT(utf8_decode("\0", 1), 1);
    CHECK_INT(utf8_decode("\xC3\xA9", 2), 2);
    CHECK_INT(utf8_decode("\xC3\xA9", 1), 0);
    CHECK_INT(utf8_decode("\xC1\xBF", 2), 0);         /* overlong */
    CHECK_INT(utf8_decode("\xE0\x9F\xBF", 3), 0);     /* overlong */
    CHECK_INT(utf8_decode("\xED\x9F\xBF", 3), 3);     /* U+D7FF */
    CHECK_INT(utf8_decode("\xED\xA0\x80", 3), 0);     /* a surrogate */
    CHECK_INT(utf8_decode("\xEF\xBF\xBD", 3), 3);     /* U+FFFD */
    CHECK_INT(utf8_decode("\xF0\x8F\xBF\xBF", 4), 0); /* overlong */
    CHECK_INT(utf8_decode("\xF4\x8F\xBF\xBF", 4), 4); /* U+10FFFF */
    CHECK_INT(utf8_decode("\xF4\x90\x80\x80", 4), 0);
    CHECK_INT(utf8_decode("\xF8\x88\x80\x80", 4), 0);
    CHECK_INT(utf8_decode("\x80", 1), 0);

    utf16_cursor cursor = {"a\xF0\x9F\x98\x80\xFF"
                           "b",
                           7, 0, 0};
    CHECK_INT(utf16_advance(&cursor, 1), 1);
    CHECK_INT(utf16_advance(&cursor, 4), 1); /* inside the character: before it */
    CHECK_INT(utf16_advance(&cursor, 5), 3);
    CHECK_INT(utf16_advance(&cursor, 6), 4);
    CHECK_INT(utf16_advance(&cursor, 7), 5);
}

/* Random keys over few letters, so that they share beginnings and ends. */
static void test_trie(void) {
    enum { N = 3000, LENGTH = 12 };
    static unsigned char text[N][LENGTH + 1];
    static heed_trie_key keys[N];
    sequence_state = 7;
    for (int32_t i = 0; i < N; i++) {
        const int32_t length = 1 + (int32_t)below(LENGTH);
        for (int32_t j = 0; j < length; j++) text[i][j] = (unsigned char)(below(9) ? 0xF8 + below(7) : 1 + below(255));
        keys[i] = (heed_trie_key){text[i], length, i};
    }
    trie_sort(keys, N);
    int32_t n = 0;
    for (int32_t i = 0; i < N; i++) {
        const heed_trie_key *last = n ? &keys[n - 1] : NULL;
        const int order = last ? strcmp((const char *)last->text, (const char *)keys[i].text) : -1;
        CHECK(order <= 0);
        if (order < 0) keys[n++] = keys[i];
    }
    heed_trie trie;
    CHECK_INT(trie_build(keys, n, &trie), HEED_OK);
    int wrong = 0;
    for (int32_t i = 0; i < n; i++) {
        size_t length;
        wrong += trie_find(&trie, (const char *)keys[i].text, (size_t)keys[i].length) != keys[i].value;
        wrong += trie_longest(&trie, (const char *)keys[i].text, LENGTH + 1, &length) != keys[i].value;
        wrong += length != (size_t)keys[i].length; /* the NUL behind it leads nowhere */
    }
    CHECK_INT(wrong, 0);
    CHECK(n > 2000);

    const char *broken;
    CHECK_INT(trie_check(&trie, N, &broken), HEED_OK);
    CHECK(broken == NULL); /* what we build passes the test for what others built */
    CHECK_INT(trie_check(&trie, 10, &broken), HEED_OK);
    CHECK(broken != NULL);
    const heed_trie none = {trie.units, 0}, endless = {trie.units, UINT32_MAX};
    CHECK_INT(trie_check(&none, N, &broken), HEED_OK);
    CHECK(broken != NULL);
    CHECK_INT(trie_check(&endless, N, &broken), HEED_OK);
    CHECK(broken != NULL);
    arena_free_block((void *)trie.units);

    /* a trie that ends inside a block, at its exact size: bytes that would lead behind it lead nowhere */
    uint32_t *units = malloc(3 * sizeof *units);
    if (units == NULL) exit(3);
    units[0] = 1u << 10;
    units[1] = 0x80000000u;
    units[2] = 3 | 0x100 | 99u << 10; /* byte 3 leads from state 1 here, and on to a leaf that is not there */
    const heed_trie cut = {units, 3};
    int32_t value;
    for (int byte = 0; byte < 256; byte++) {
        uint32_t state = trie_root(&cut);
        CHECK_INT(trie_step(&cut, &state, (unsigned char)byte, &value), byte == 3);
    }
    CHECK_INT(trie_find(&cut, "\3", 1), -1);
    free(units);

    CHECK_INT(trie_build(keys, 0, &trie), HEED_OK);
    CHECK(trie.n == 0 && trie_find(&trie, "a", 1) == -1);
}

/* ------------------------------------------------------------------------------- bad files */

static void expect_fault(const char *name, const char *rule) {
    heed_tokenizer *tokenizer;
    heed_report report = {0};
    CHECK_INT(create(&model, model.n, &tokenizer, &report), HEED_E_SPM);
    CHECK(tokenizer == NULL);
    const int same_name = name ? report.name && strcmp(report.name, name) == 0 : report.name == NULL;
    if (!CHECK(same_name && report.rule && strcmp(report.rule, rule) == 0)) {
        printf("    want %s: %s\n    got  %s: %s\n", name ? name : "-", rule, report.name ? report.name : "-",
               report.rule ? report.rule : "-");
    }
}

static void test_bad_pieces(void) {
    const char *cut = "a whole SentencePiece model; this file is cut off, or something else";
    put_small_model(&model, 1);
    model.n -= 1;
    expect_fault(NULL, cut);
    for (int i = 0; i < 3; i++) {
        static const char *const others[] = {"<!DOCTYPE html><html>", "version https://git-lfs", "{\"a\": 1}"};
        model.n = strlen(others[i]);
        memcpy(model.bytes, others[i], model.n);
        expect_fault(NULL, cut);
    }

    model.n = 0;
    expect_fault("pieces", "at least one piece");
    put_small_model(&model, 1);
    put_piece(&model, "", 0, HEED_PIECE_NORMAL);
    expect_fault("pieces", "a piece that is not empty");
    put_small_model(&model, 1);
    put_piece_n(&model, "a\0b", 3, 0, HEED_PIECE_NORMAL);
    expect_fault("pieces", "a piece without NUL bytes");
    put_small_model(&model, 1);
    put_piece(&model, "c", NAN, HEED_PIECE_NORMAL);
    expect_fault("pieces", "a score that is a finite number");
    put_small_model(&model, 1);
    put_piece(&model, "c", -INFINITY, HEED_PIECE_NORMAL);
    expect_fault("pieces", "a score that is a finite number");
    put_small_model(&model, 1);
    put_piece(&model, "c", 0, 7);
    expect_fault("pieces", "a type from 1 (normal) to 6 (byte)");
    put_small_model(&model, 1);
    put_piece(&model, "ab", 0, HEED_PIECE_UNUSED);
    expect_fault("pieces", "each piece only once");
    put_small_model(&model, 1);
    put_piece(&model, "</s>", 0, HEED_PIECE_CONTROL);
    expect_fault("pieces", "each piece only once");
    put_small_model(&model, 1);
    put_piece(&model, "<u>", 0, HEED_PIECE_UNKNOWN);
    expect_fault("pieces", "one piece of type 2 (unknown)");
    model.n = 0;
    put_piece(&model, "a", 0, HEED_PIECE_NORMAL);
    expect_fault("pieces", "one piece of type 2 (unknown)");
    model.n = 0;
    put_piece(&model, "<unk>", 0, HEED_PIECE_UNKNOWN);
    expect_fault("pieces", "at least one piece that text can become");

    put_small_model(&model, 3);
    expect_fault("trainer_spec.model_type", "1 (unigram) or 2 (BPE)");

    /* what is long makes few letters much text, or much work */
    static char longest[1025];
    heed_tokenizer *t;
    memset(longest, 'x', sizeof longest);
    for (size_t n = 1024; n <= 1025; n++) {
        put_small_model(&model, 1);
        put_piece_n(&model, longest, n, 0, HEED_PIECE_NORMAL);
        if (n > 1024) {
            expect_fault("pieces", "a piece of at most 1024 bytes");
        } else if (CHECK_INT(create(&model, model.n, &t, NULL), HEED_OK)) {
            heed_tokenizer_free(t);
        }
        put_small_model(&model, 1);
        put_unk_surface(&model, longest, n);
        if (n > 1024) {
            expect_fault("trainer_spec.unk_surface", "at most 1024 bytes");
        } else if (CHECK_INT(create(&model, model.n, &t, NULL), HEED_OK)) {
            heed_tokenizer_free(t);
        }
    }
    put_small_model(&model, 1);
    put_piece(&model, "<0x41>", 0, HEED_PIECE_BYTE);
    expect_fault("pieces", "byte pieces only where trainer_spec.byte_fallback is set");
    put_trainer(&model, 1, 1);
    expect_fault("pieces", "a piece for each of the 256 bytes");
    put_piece(&model, "<0x4g>", 0, HEED_PIECE_BYTE);
    expect_fault("pieces", "a byte piece of the form <0xNN>");
}

static void bad_charsmap(const char *rule, uint32_t size, const uint32_t *units, size_t n, const char *strings,
                         size_t m) {
    put_small_model(&model, 1);
    put_charsmap(&model, size, units, n, strings, m);
    expect_fault("normalizer_spec.precompiled_charsmap", rule);
}

static void test_bad_charsmaps(void) {
    enum { LEAF = 0x100 };
    const uint32_t leaf = 0x80000000u;
    const char *sizes = "a size, a trie and replacements that fill it exactly";
    /* root at 0 leads to state 1; 'a' = 0x61 is unit 0x60, whose state is 0x60 ^ 2 = 0x62 */
    uint32_t units[256];
    for (int i = 0; i < 256; i++) units[i] = leaf;
    units[0] = 1u << 10;
    units[0x60] = 'a' | LEAF | 2u << 10;
    units[0x62] = leaf | 0;

    put_small_model(&model, 1);
    put_charsmap(&model, 1024, units, 256, "b", 2);
    heed_tokenizer *tokenizer;
    heed_encoding out;
    CHECK_INT(create(&model, model.n, &tokenizer, NULL), HEED_OK);
    CHECK_INT(heed_tokenizer_encode(tokenizer, "a", 1, &out), HEED_OK);
    CHECK(out.n == 2 && memcmp(out.normalized, SPACE "b", 4) == 0);
    heed_tokenizer_free(tokenizer);

    bad_charsmap(sizes, 1025, units, 256, "b", 2);
    bad_charsmap(sizes, 0, units, 256, "b", 2);
    bad_charsmap(sizes, 1026, units, 256, "b", 2);
    bad_charsmap(sizes, 0xFFFFFFFFu, units, 256, "b", 2);
    bad_charsmap("replacements that end in NUL", 1024, units, 256, "bc", 2);
    static char two[2050];
    memset(two, 'x', sizeof two);
    two[1024] = two[2049] = 0;
    put_small_model(&model, 1);
    put_charsmap(&model, 1024, units, 256, two, 1025);
    CHECK_INT(create(&model, model.n, &tokenizer, NULL), HEED_OK);
    heed_tokenizer_free(tokenizer);
    two[0] = 0;
    two[1024] = 'x';
    bad_charsmap("replacements of at most 1024 bytes", 1024, units, 256, two, 2050);
    units[0x62] = leaf | 2;
    bad_charsmap("numbers inside the table of replacements", 1024, units, 256, "b", 2);
    units[0x62] = 'b';
    bad_charsmap("a leaf where a key ends", 1024, units, 256, "b", 2);
    units[0x60] = 'a' | 1000u << 10;
    bad_charsmap("offsets inside the trie", 1024, units, 256, "b", 2);
    units[0x60] = 'a' | 0x61u << 10; /* a state of its own: 0x60 ^ 0x61 = 1, the root's */
    bad_charsmap("a trie without circles", 1024, units, 256, "b", 2);
    units[0] = 0; /* byte 0 leads from the root to the root */
    bad_charsmap("a trie without circles", 1024, units, 256, "b", 2);
    units[0] = 1u << 21;
    bad_charsmap("offsets inside the trie", 1024, units, 256, "b", 2);
}

/* Encode and decode a few lines with a model that may be anything: nothing may go wrong but the status. */
static void use(const message *m, size_t n) {
    heed_tokenizer *tokenizer;
    heed_encoding out;
    heed_report report = {0};
    const heed_status status = create(m, n, &tokenizer, &report);
    if (status != HEED_OK) {
        CHECK(tokenizer == NULL && status == HEED_E_SPM && report.rule != NULL);
        return;
    }
    for (int i = 0; i < 12; i++) {
        line l;
        if (i % 3 == 0) mixed_line(&l, i);
        else if (i % 3 == 1) broken_line(&l, i);
        else letters_line(&l, i);
        const heed_status encoded = heed_tokenizer_encode(tokenizer, l.bytes, l.n, &out);
        if (!CHECK(encoded == HEED_OK)) continue;
        int32_t at = 0;
        for (int32_t j = 0; j < out.n; j++) {
            CHECK(out.ids[j] >= 0 && out.ids[j] < heed_tokenizer_size(tokenizer));
            CHECK(out.spans[2 * j] == at && out.spans[2 * j + 1] > at);
            CHECK(out.offsets[2 * j] <= out.offsets[2 * j + 1]);
            at = out.spans[2 * j + 1];
        }
        const char *text;
        size_t length;
        const int32_t cuts[2] = {(int32_t)(l.n / 2), (int32_t)(l.n - l.n / 2)};
        CHECK_INT(heed_tokenizer_decode(tokenizer, l.bytes, cuts, 2, &text, &length), HEED_OK);
    }
    heed_tokenizer_free(tokenizer);
}

/* A model with everything in it: charsmap, bytes, user-defined and unused pieces. */
static void put_rich_model(message *m, int model_type) {
    uint32_t units[256];
    for (int i = 0; i < 256; i++) units[i] = 0x80000000u;
    units[0] = 1u << 10;
    units[0x60] = 'a' | 0x100 | 2u << 10;
    units[0x62] = 0x80000000u;
    put_small_model(m, model_type);
    put_piece(m, "bb", -1, HEED_PIECE_UNUSED);
    put_piece(m, "abb", -1, HEED_PIECE_USER_DEFINED);
    for (int i = 0; i < 256; i++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        put_piece(m, name, 0, HEED_PIECE_BYTE);
    }
    put_trainer(m, model_type, 1);
    put_charsmap(m, 1024, units, 256, "b a", 4);
}

static void test_every_prefix_and_bit(void) {
    for (int type = 1; type <= 2; type++) {
        put_small_model(&model, type);
        for (size_t n = 0; n < model.n; n++) use(&model, n);
        for (size_t i = 0; i < model.n; i++) {
            for (int bit = 0; bit < 8; bit++) {
                model.bytes[i] ^= (unsigned char)(1 << bit);
                use(&model, model.n);
                model.bytes[i] ^= (unsigned char)(1 << bit);
            }
        }
        put_rich_model(&model, type);
        use(&model, model.n);
        const size_t map = model.n - 1024 - 8; /* the bytes of the charsmap stand at the end */
        for (size_t i = map; i < model.n; i++) {
            const unsigned char old = model.bytes[i];
            for (int change = 1; change <= 0x80; change *= 2) {
                model.bytes[i] = (unsigned char)(old ^ change);
                use(&model, model.n);
            }
            model.bytes[i] = old;
        }
    }
}

/* --------------------------------------------------------------------------------- results */

static heed_tokenizer *small_tokenizer(int model_type) {
    heed_tokenizer *tokenizer;
    put_small_model(&model, model_type);
    CHECK_INT(create(&model, model.n, &tokenizer, NULL), HEED_OK);
    return tokenizer;
}

static void expect_ids(heed_tokenizer *tokenizer, const char *text, int n, const int32_t *ids) {
    heed_encoding out;
    CHECK_INT(heed_tokenizer_encode(tokenizer, text, strlen(text), &out), HEED_OK);
    if (!CHECK(out.n == n && (n == 0 || memcmp(out.ids, ids, (size_t)n * sizeof *ids) == 0))) {
        printf("    '%s' gives", text);
        for (int32_t i = 0; i < out.n; i++) printf(" %d", (int)out.ids[i]);
        printf("\n");
    }
}

/* Each setting of the normaliser as a file says it: true is what a silent file means, false is another text. */
static void test_settings(void) {
    static const int32_t USUAL[] = {6, 3, 5}, NO_PREFIX[] = {4, 3, 5}, ALL_SPACES[] = {6, 3, 3, 5},
                         PLAIN[] = {0, 4, 0, 5};
    static const struct {
        unsigned field;
        const int32_t *ids;
        int n;
    } WITHOUT[] = {{3, NO_PREFIX, 3}, {4, ALL_SPACES, 4}, {5, PLAIN, 4}};
    for (size_t i = 0; i < 3; i++) {
        for (unsigned value = 0; value < 2; value++) {
            heed_tokenizer *t;
            static message spec;
            spec.n = 0;
            put_small_model(&model, 1);
            put_int(&spec, WITHOUT[i].field, value);
            put_bytes(&model, 3, spec.bytes, spec.n);
            CHECK_INT(create(&model, model.n, &t, NULL), HEED_OK);
            if (value) expect_ids(t, "a  b", 3, USUAL);
            else expect_ids(t, "a  b", WITHOUT[i].n, WITHOUT[i].ids);
            heed_tokenizer_free(t);
        }
    }
}

/* Bytes in place of the unknown, where the unknown piece is not the first. */
static void test_unknown_second(void) {
    heed_tokenizer *t;
    char name[8];
    model.n = 0;
    put_piece(&model, SPACE "a", -1, HEED_PIECE_NORMAL);
    put_piece(&model, "<unk>", 0, HEED_PIECE_UNKNOWN);
    for (int i = 0; i < 256; i++) {
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        put_piece(&model, name, 0, HEED_PIECE_BYTE);
    }
    put_trainer(&model, 1, 1);
    CHECK_INT(create(&model, model.n, &t, NULL), HEED_OK);
    expect_ids(t, "a a!", 3, (const int32_t[]){0, 0, 2 + '!'});
    heed_tokenizer_free(t);
}

/* Text never becomes a control, unknown-by-name or language token. */
static void test_reserved(void) {
    for (int type = 1; type <= 2; type++) {
        heed_tokenizer *t = small_tokenizer(type);
        int32_t n, kind;
        CHECK(heed_tokenizer_piece(t, 8, &n, &kind) != NULL);
        CHECK_INT(kind, HEED_PIECE_CONTROL); /* >>fra<<, which the file calls user-defined */
        CHECK_INT(n, 7);
        CHECK(heed_tokenizer_piece(t, 9, &n, &kind) == NULL && heed_tokenizer_piece(t, -1, &n, &kind) == NULL);
        expect_ids(t, "</s>", 2, (const int32_t[]){3, 0});
        expect_ids(t, "<s> a", 3, (const int32_t[]){3, 0, 6});
        expect_ids(t, ">>fra<<", 4, (const int32_t[]){3, 0, 4, 0}); /* _ >>fr a << */
        /* _ ab and _a b cost the same: the longer last piece came first, the left merge goes first */
        if (type == 1) expect_ids(t, "ab", 2, (const int32_t[]){3, 7});
        else expect_ids(t, "ab", 2, (const int32_t[]){6, 5});
        expect_ids(t, "", 0, NULL);
        expect_ids(t, "   ", 0, NULL);
        heed_tokenizer_free(t);
    }
}

static void expect_text(heed_tokenizer *tokenizer, const char *const *pieces, int n, const char *want) {
    char all[256];
    int32_t lengths[16];
    size_t used = 0, length;
    const char *text;
    for (int i = 0; i < n; i++) {
        lengths[i] = (int32_t)strlen(pieces[i]);
        memcpy(all + used, pieces[i], (size_t)lengths[i]);
        used += (size_t)lengths[i];
    }
    CHECK_INT(heed_tokenizer_decode(tokenizer, all, lengths, n, &text, &length), HEED_OK);
    if (!CHECK(length == strlen(want) && memcmp(text, want, length) == 0)) {
        printf("    got '%.*s', want '%s'\n", (int)length, text, want);
    }
}

static void test_decode(void) {
    heed_tokenizer *t = small_tokenizer(1);
    expect_text(t, (const char *const[]){SPACE "a", "b", SPACE "a", "</s>"}, 4, "ab a");
    expect_text(t, (const char *const[]){"<s>", ">>fra<<", SPACE, SPACE "a"}, 4, "a");
    expect_text(t, (const char *const[]){"a", "<unk>", "b"}, 3, "a \xE2\x81\x87 b");
    /* strings that are no pieces of the file */
    expect_text(t, (const char *const[]){SPACE "zebra", SPACE "x" SPACE "y"}, 2, "zebra x y");
    expect_text(t, (const char *const[]){"<0x41>", ""}, 2, "<0x41>");
    expect_text(t, NULL, 0, "");
    const char *text;
    size_t length;
    CHECK_INT(heed_tokenizer_decode(t, "a", (const int32_t[]){-1}, 1, &text, &length), HEED_E_ARGUMENT);
    CHECK_INT(heed_tokenizer_decode(t, "a", (const int32_t[]){1}, -1, &text, &length), HEED_E_ARGUMENT);
    CHECK(text == NULL && length == 0);
    CHECK_INT(heed_tokenizer_decode(t, "a", NULL, -1, &text, &length), HEED_E_ARGUMENT);
    heed_tokenizer_free(t);

    put_rich_model(&model, 1);
    CHECK_INT(create(&model, model.n, &t, NULL), HEED_OK);
    expect_text(t, (const char *const[]){"<0xE2>", "<0x82>", "<0xAC>", "<0xE2>", "<0x82>", "a"}, 6,
                "\xE2\x82\xAC\xEF\xBF\xBD\xEF\xBF\xBD"
                "a");
    heed_tokenizer_free(t);
}

/* A million bytes of what could be slow.  The limit is a hundred times what it takes, and far below n^2. */
static void test_linear(void) {
    enum { N = 1000000, SECONDS = 20 };
    static char text[N];
    for (int type = 1; type <= 2; type++) {
        for (int kind = 0; kind < 5; kind++) {
            heed_tokenizer *t = small_tokenizer(type);
            heed_encoding out;
            for (size_t i = 0; i < N; i++) {
                static const char *const patterns[] = {"aa", "ab", "\xCC\x81", "  ", "\xE2\xE2"};
                text[i] = patterns[kind][i % 2];
            }
            const clock_t start = clock();
            CHECK_INT(heed_tokenizer_encode(t, text, N, &out), HEED_OK);
            CHECK((double)(clock() - start) / CLOCKS_PER_SEC < SECONDS);
            if (out.n) CHECK_INT(out.offsets[2 * out.n - 1], kind == 2 ? N / 2 : N);
            const int32_t want[] = {1000000, 500001, 2, 0, 2};
            CHECK_INT(out.n, want[kind]);
            heed_tokenizer_free(t);
        }
    }
}

/* Two blocks at creation, none for texts of ordinary length, one for the first long one. */
static void test_memory(void) {
    static char text[100000];
    heed_encoding out;
    memset(text, 'a', sizeof text);
    n_allocated = n_freed = 0;
    heed_tokenizer *t = small_tokenizer(1);
    CHECK_INT(n_allocated - n_freed, 2); /* the tokenizer and its work: all else of loading is given back */
    long before = n_allocated;
    CHECK_INT(heed_tokenizer_encode(t, text, 4000, &out), HEED_OK);
    CHECK_INT(n_allocated, before);

    fail_at = n_allocated + 1;
    CHECK_INT(heed_tokenizer_encode(t, text, sizeof text, &out), HEED_E_MEMORY);
    CHECK(out.n == 0 && out.ids == NULL);
    fail_at = 0;
    CHECK_INT(heed_tokenizer_encode(t, text, 4000, &out), HEED_OK); /* it is still usable */
    CHECK_INT(out.n, 4000);
    before = n_allocated;
    CHECK_INT(heed_tokenizer_encode(t, text, sizeof text, &out), HEED_OK);
    CHECK_INT(heed_tokenizer_encode(t, text, sizeof text, &out), HEED_OK);
    CHECK_INT(n_allocated, before + 1);
    heed_tokenizer_free(t);
    heed_tokenizer_free(NULL);
    CHECK_INT(n_allocated - n_freed, 1); /* the one that failed */

    put_rich_model(&model, 2);
    int failures = 0;
    for (long at = 1;; at++) { /* every allocation of loading fails once */
        n_allocated = n_freed = 0;
        fail_at = at;
        const heed_status status = create(&model, model.n, &t, NULL);
        fail_at = 0;
        if (status == HEED_OK) break;
        CHECK(status == HEED_E_MEMORY && t == NULL);
        CHECK_INT(n_allocated - n_freed, 1); /* nothing is kept */
        failures++;
    }
    heed_tokenizer_free(t);
    CHECK(failures > 4);
}

/* ---------------------------------------------------------------------- equal to SentencePiece */

#ifndef __wasm__ /* the wasm programs have no files: there tests/text.test.js makes this comparison */

static heed_tokenizer *load(const char *path) {
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[1 << 20];
    heed_tokenizer *tokenizer = NULL;
    if (file == NULL) return NULL;
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK_INT(heed_tokenizer_create(bytes, n, &tokenizer, NULL), HEED_OK);
    return tokenizer;
}

/* CRC of: number of ids, ids, offsets, bytes of the decoded text, the text. */
static uint32_t add_result(uint32_t crc, heed_tokenizer *t, const line *l) {
    static char pieces[1 << 16];
    static int32_t lengths[4096];
    heed_encoding out;
    const char *text;
    size_t length, used = 0;
    if (!CHECK(heed_tokenizer_encode(t, l->bytes, l->n, &out) == HEED_OK && out.n <= 4096)) return crc;
    crc = crc32_of(crc, &out.n, 4);
    crc = crc32_of(crc, out.ids, (size_t)out.n * 4);
    crc = crc32_of(crc, out.offsets, (size_t)out.n * 8);
    for (int32_t i = 0; i < out.n; i++) {
        int32_t type;
        const char *piece = heed_tokenizer_piece(t, out.ids[i], &lengths[i], &type);
        memcpy(pieces + used, piece, (size_t)lengths[i]);
        used += (size_t)lengths[i];
    }
    CHECK_INT(heed_tokenizer_decode(t, pieces, lengths, out.n, &text, &length), HEED_OK);
    const int32_t n = (int32_t)length;
    crc = crc32_of(crc, &n, 4);
    return crc32_of(crc, text, length);
}

static void test_golden(void) {
    static const struct {
        const char *name;
        void (*make)(line *l, int i);
    } sets[] = {{"points", points_line}, {"mixed", mixed_line}, {"broken", broken_line}, {"letters", letters_line}};
    char path[256], set[16];
    int count, compared = 0;
    unsigned long crc;
    FILE *file = fopen("tests/golden/text/hashes.txt", "r");
    if (!CHECK(file != NULL)) return;
    while (fscanf(file, "%255s %15s %d %lx", path, set, &count, &crc) == 4) {
        for (int s = 0; s < 4; s++) {
            if (strcmp(set, sets[s].name) != 0) continue;
            heed_tokenizer *t = load(path);
            if (t == NULL) {
                printf("test_text: skipped: %s is missing\n", path);
                continue;
            }
            uint32_t got = 0;
            for (int i = 0; i < count; i++) {
                line l;
                sets[s].make(&l, i);
                got = add_result(got, t, &l);
            }
            if (!CHECK(got == crc)) printf("    %s, set %s: got %08x, want %08lx\n", path, set, (unsigned)got, crc);
            compared++;
            heed_tokenizer_free(t);
        }
    }
    fclose(file);
    CHECK(compared > 40);
}
#endif

int main(void) {
    test_reader();
    test_utf8();
    test_trie();
    test_bad_pieces();
    test_bad_charsmaps();
    test_every_prefix_and_bit();
    test_settings();
    test_unknown_second();
    test_reserved();
    test_decode();
    test_linear();
    test_memory();
#ifndef __wasm__
    test_golden();
#endif
    return check_summary("test_text");
}
