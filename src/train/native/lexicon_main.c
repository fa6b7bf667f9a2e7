/*
 * lexicon_main.c - heed-lexicon: makes a shortlist, which words of the target each word of the source may become.
 *
 *     heed-lexicon --spm spm.model --out lex.s2t.bin aligned.tsv ...
 *
 * Reads what heed-align writes and counts linked tokens: links.h says which tokens two linked words link.  For each
 * piece of the source and each target language, the shortlist has the pieces that it is linked to most often.  One list
 * holds those of all languages, because a model has one shortlist.  Each piece is its own candidate, so that names,
 * numbers and signs can be copied.  The list of a language token has the most frequent pieces of that language; the
 * list of </s> has them if there is no language token.
 *
 * The file is Marian's, little-endian as this machine; js/formats/shortlist.js draws it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/native/encoder.h"
#include "train/native/files.h"
#include "train/native/links.h"
#include "train/native/words.h"
#include "train/random.h"

static const char USAGE[] =
    "heed-lexicon --spm FILE --out FILE [options] FILE ...\n"
    "  FILE of pairs with links, as heed-align writes them: source TAB target [TAB ...] TAB \"i-j i-j ...\"\n"
    "  --best N                   candidates of a piece for each target language (20)\n"
    "  --least N                  a candidate is linked at least so often (2)\n"
    "  --share P                  and to this share of the links of the piece, in that language (0.001)\n"
    "  --frequent N               most frequent pieces of a target language, in the list of its token (200)\n"
    "  --eos N                    id of </s> (2)\n";

enum { LONGEST = 512, MAX_LINKS = 4096 };
/* Pieces in all translations: padding, unknown and </s>, as heed's own models number them. */
enum { FIRST = 3 };

static const uint64_t MAGIC = 0xF11A48D5013417F5u;

/* Bits of an id: a key has three, and 0 is no key. */
enum { ID_BITS = 21, MAX_PIECES = (1 << ID_BITS) - 1 };

/* How often a piece of the source and one of the target are linked in pairs with a language. */
typedef struct {
    uint64_t key; /* (language + 1, source, target), plus 1; 0: free */
    uint32_t count;
} entry;

typedef struct {
    entry *entries; /* [slots] */
    size_t slots, n;
} table;

static void table_add(table *t, uint64_t key, uint32_t count) {
    if (2 * t->n >= t->slots) {
        const table before = *t;
        t->slots = before.slots ? 2 * before.slots : 1 << 16;
        t->entries = allocate(t->slots * sizeof *t->entries);
        memset(t->entries, 0, t->slots * sizeof *t->entries);
        t->n = 0;
        for (size_t i = 0; i < before.slots; i++)
            if (before.entries[i].key) table_add(t, before.entries[i].key - 1, before.entries[i].count);
        free(before.entries);
    }
    size_t at = (size_t)random_mix(key) & (t->slots - 1);
    while (t->entries[at].key && t->entries[at].key != key + 1) at = (at + 1) & (t->slots - 1);
    t->n += t->entries[at].key == 0;
    t->entries[at].key = key + 1;
    t->entries[at].count += count;
}

typedef struct {
    encoder encoder;
    link_mapper mapper;
    table links, pieces; /* pieces: of the target, with source 0 */
    size_t pairs, used;
} counts;

static uint64_t key_of(int32_t language, int32_t source, int32_t target) {
    return (uint64_t)(language + 1) << 2 * ID_BITS | (uint64_t)source << ID_BITS | (uint64_t)target;
}

/* One line [n]: source, target, and links in the last column. */
static void count_line(counts *c, const char *path, size_t number, const char *line, size_t n) {
    int32_t ids[2][LONGEST];
    word_link words[MAX_LINKS];
    const char *tab = memchr(line, '\t', n), *end = line + n, *last = end;
    while (last > line && last[-1] != '\t') last--;
    const char *stop = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
    if (stop == NULL) fail("%s:%zu: found two columns at most, expected links in a third", path, number);
    const size_t token = words_language(line, (size_t)(tab - line));
    const int32_t language = token ? encoder_language(&c->encoder, line, token) : NO_LANGUAGE;
    if (token && language == NO_LANGUAGE)
        fail("%s:%zu: the vocabulary has no piece %.*s", path, number, (int)token, line);
    const int n_words = links_parse(last, (size_t)(end - last), 0, words, MAX_LINKS);
    if (n_words < 0) fail("%s:%zu: found other things than links \"i-j\" in the last column", path, number);
    c->pairs++;
    if (n_words == 0 || n_words > MAX_LINKS) return;

    const char *texts[2] = {line + token, tab + 1};
    const size_t bytes[2] = {(size_t)(tab - line) - token, (size_t)(stop - tab - 1)};
    link_side sides[2];
    for (int i = 0; i < 2; i++) {
        const int32_t of_side = i == 0 ? language : NO_LANGUAGE;
        const int count = encoder_encode(&c->encoder, ids[i], LONGEST, texts[i], bytes[i], of_side, (encoder_cut){0});
        const size_t n_split = words_split(texts[i], bytes[i], NULL, 0);
        if (count == 0) return;
        sides[i] = (link_side){.text = texts[i], .bytes = bytes[i], .ids = ids[i], .n = count,
                               .first = of_side != NO_LANGUAGE, .n_words = (int)n_split};
    }
    const heed_link *links;
    const int n_links = links_of_tokens(&c->mapper, &sides[0], &sides[1], words, n_words, &links);
    for (int i = 0; i < n_links; i++)
        table_add(&c->links, key_of(language, ids[0][links[i].source], ids[1][links[i].target]), 1);
    for (int i = 0; i < sides[1].n; i++) table_add(&c->pieces, key_of(language, 0, ids[1][i]), 1);
    c->used += n_links > 0;
}

/* By language and source, then the most frequent first. */
static int compare(const void *x, const void *y) {
    const entry *a = x, *b = y;
    const uint64_t lists[2] = {(a->key - 1) >> ID_BITS, (b->key - 1) >> ID_BITS};
    if (lists[0] != lists[1]) return lists[0] < lists[1] ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The entries alone, sorted. */
static void table_sort(table *t) {
    size_t n = 0;
    for (size_t i = 0; i < t->slots; i++)
        if (t->entries[i].key) t->entries[n++] = t->entries[i];
    t->slots = t->n = n;
    if (n > 0) qsort(t->entries, n, sizeof *t->entries, compare);
}

/* Candidates: source << 32 | target. */
typedef struct {
    uint64_t *pairs; /* [n] */
    size_t n, room;
} selection;

static void select_one(selection *s, int32_t source, int32_t target) {
    if (s->n == s->room) s->pairs = reallocate(s->pairs, (s->room = 2 * s->room + 1024) * sizeof *s->pairs);
    s->pairs[s->n++] = (uint64_t)source << 32 | (uint64_t)target;
}

static int compare_pairs(const void *x, const void *y) {
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* Each pair once, in order. */
static void selection_sort(selection *s) {
    size_t n = 0;
    if (s->n > 0) qsort(s->pairs, s->n, sizeof *s->pairs, compare_pairs);
    for (size_t i = 0; i < s->n; i++)
        if (n == 0 || s->pairs[n - 1] != s->pairs[i]) s->pairs[n++] = s->pairs[i];
    s->n = n;
}

/*
 * Selects the first `best` of each source and language in a sorted table, if they have `least` counts and their share.
 * of_language: they go to the list of their language's token, or of </s> if there is none; else to that of their
 * source.
 */
static void select_best(selection *s, const table *t, int best, uint32_t least, double share, int32_t eos,
                        int of_language) {
    for (size_t from = 0, to; from < t->n; from = to) {
        const uint64_t list = (t->entries[from].key - 1) >> ID_BITS;
        double sum = 0.0;
        for (to = from; to < t->n && (t->entries[to].key - 1) >> ID_BITS == list; to++) sum += t->entries[to].count;
        const int32_t language = (int32_t)(list >> ID_BITS) - 1, source = (int32_t)(list & MAX_PIECES);
        for (size_t i = from; i < to && i - from < (size_t)best; i++) {
            const entry *e = &t->entries[i];
            if (e->count < least || e->count < share * sum) break;
            const int32_t at = !of_language ? source : language == NO_LANGUAGE ? eos : language;
            select_one(s, at, (int32_t)((e->key - 1) & MAX_PIECES));
        }
    }
}

/* Each piece of the n, but for the tokens of languages, which the table has. */
static void select_copies(selection *s, const table *t, int n) {
    unsigned char *is_language = allocate((size_t)n);
    memset(is_language, 0, (size_t)n);
    for (size_t i = 0; i < t->n; i++) {
        const uint64_t language = (t->entries[i].key - 1) >> 2 * ID_BITS;
        if (language > 0) is_language[language - 1] = 1;
    }
    for (int32_t i = FIRST; i < n; i++)
        if (!is_language[i]) select_one(s, i, i);
    free(is_language);
}

static void write_u64(uint64_t *checksum, writer *w, uint64_t value) {
    if (checksum) *checksum ^= value + 0x9e3779b9 + (*checksum << 6) + (*checksum >> 2);
    if (w) write_bytes(w, &value, sizeof value);
}

/* All that the checksum is of, to the checksum or to the file. */
static void put_lists(const selection *s, int n, int best, uint64_t *checksum, writer *w) {
    const size_t m = s->n;
    const uint64_t head[] = {FIRST, (uint64_t)best, (uint64_t)n + 1, m};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) write_u64(checksum, w, head[i]);
    size_t at = 0;
    for (int i = 0; i <= n; i++) {
        write_u64(checksum, w, at);
        while (at < m && s->pairs[at] >> 32 == (uint64_t)i) at++;
    }
    for (at = 0; at + 1 < m; at += 2)
        write_u64(checksum, w, (s->pairs[at] & UINT32_MAX) | (s->pairs[at + 1] & UINT32_MAX) << 32);
    const uint32_t last = at < m ? (uint32_t)s->pairs[at] : 0;
    if (w && at < m) write_bytes(w, &last, sizeof last);
}

int main(int argc, char **argv) {
    const char *spm = NULL, *out = NULL, **files = allocate((size_t)argc * sizeof *files);
    int best = 20, frequent = 200, eos = 2, least = 2;
    double share = 0.001;
    const command_option options[] = {
        {.name = "--spm", .text = &spm},
        {.name = "--out", .text = &out},
        {.name = "--best", .whole = &best, .least = 1, .most = 1e6},
        {.name = "--least", .whole = &least, .least = 1, .most = 1e9},
        {.name = "--share", .real = &share, .least = 0, .most = 1},
        {.name = "--frequent", .whole = &frequent, .least = 0, .most = 1e6},
        {.name = "--eos", .whole = &eos, .least = 0, .most = 1e6},
    };
    const int n_files = command_read(argv, USAGE, options, sizeof options / sizeof *options, files);
    if (!spm || !out || n_files == 0) fail("--spm, --out and a file with links are needed; --help lists all options");

    counts c = {0};
    encoder_begin(&c.encoder, spm, 0);
    const int n = heed_tokenizer_size(c.encoder.tokenizer);
    if (n > MAX_PIECES) fail("%s: found %d pieces, expected %d at most", spm, n, MAX_PIECES);
    if (eos >= n) fail("--eos: found %d, expected an id below %d, as %s has", eos, n, spm);
    c.encoder.eos = eos;
    link_mapper_begin(&c.mapper, c.encoder.tokenizer);
    for (int i = 0; i < n_files; i++) {
        size_t bytes, row = 1;
        char *text = (char *)read_file(files[i], &bytes);
        for (char *line = text, *end; line < text + bytes; line = end + 1, row++) {
            end = memchr(line, '\n', (size_t)(text + bytes - line));
            if (end == NULL) end = text + bytes;
            count_line(&c, files[i], row, line, (size_t)(end - line));
        }
        free(text);
    }
    table_sort(&c.links);
    table_sort(&c.pieces);
    selection s = {0};
    select_best(&s, &c.links, best, (uint32_t)least, share, eos, 0);
    select_best(&s, &c.pieces, frequent, (uint32_t)least, 0.0, eos, 1);
    select_copies(&s, &c.pieces, n);
    selection_sort(&s);

    uint64_t checksum = 0;
    writer w;
    put_lists(&s, n, best, &checksum, NULL);
    write_begin(&w, out);
    write_u64(NULL, &w, MAGIC);
    write_u64(NULL, &w, checksum);
    put_lists(&s, n, best, NULL, &w);
    write_end(&w);
    fprintf(stderr, "%zu of %zu pairs have links of tokens; %d lists of %.1f pieces\n", c.used, c.pairs, n,
            (double)s.n / n);
    link_mapper_end(&c.mapper);
    encoder_end(&c.encoder);
    free(c.links.entries);
    free(c.pieces.entries);
    free(s.pairs);
    free(files);
    return 0;
}
