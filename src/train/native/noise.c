/* noise.c - see noise.h for the contract. */
#include "train/native/noise.h"

#include <string.h>

#include "train/native/letters.h"
#include "train/random.h"

/* The uses of a key. */
enum { WHICH_CASE, WHETHER_STOP, WHETHER_TYPO, WHICH_LETTER, WHICH_KIND, WHICH_NEIGHBOUR, WHETHER_CURLY };

/* A run of bytes without spaces. */
typedef struct {
    size_t start, end;
} token;

static int next_token(const text_buffer *t, token *found) {
    size_t at = found->end;
    while (at < t->n && t->bytes[at] == ' ') at++;
    found->start = at;
    while (at < t->n && t->bytes[at] != ' ') at++;
    found->end = at;
    return found->start < found->end;
}

/*
 * Is it a word of prose: letters, hyphens and apostrophes, with punctuation around it?  *core is the word without it.
 */
static int is_plain(const text_buffer *t, token found, token *core) {
    static const char MARKS[] = ".,;:!?()\"'-";
    const char *b = t->bytes;
    size_t start = found.start, end = found.end;
    /* other bytes past ASCII are quotes and dashes outside a word, and anything inside */
    while (start < end && letter_bytes(b + start, end - start) == 0) {
        if ((unsigned char)b[start] < 0x80 && strchr(MARKS, b[start]) == NULL) return 0;
        start++;
    }
    size_t last = start;
    for (size_t at = start, n; at < end; at += n) {
        n = letter_bytes(b + at, end - at);
        if (n) last = at + n;
        else n = 1;
    }
    *core = (token){start, last};
    for (size_t at = last; at < end; at++)
        if ((unsigned char)b[at] < 0x80 && strchr(MARKS, b[at]) == NULL) return 0;
    for (size_t at = start, n; at < last; at += n) {
        n = letter_bytes(b + at, last - at);
        if (n == 0 && (unsigned char)b[at] < 0x80 && b[at] != '-' && b[at] != '\'') return 0;
        if (n == 0) n = 1;
    }
    return start < last;
}

typedef void change_letter(char *letter, size_t n);

/* Changes the letters of all plain words, or only the first of each. */
static void change_case(text_buffer *t, change_letter *change, int first_only) {
    token found = {0, 0}, core;
    while (next_token(t, &found)) {
        if (!is_plain(t, found, &core)) continue;
        for (size_t at = core.start, n; at < core.end; at += n ? n : 1) {
            n = letter_bytes(t->bytes + at, core.end - at);
            if (n) change(t->bytes + at, n);
            if (first_only) break;
        }
    }
}

/* The start of the final full stop and the spaces before it; t->n if there is none to remove. */
static size_t find_stop(const text_buffer *t) {
    size_t end = t->n;
    while (end > 0 && t->bytes[end - 1] == ' ') end--;
    if (end == 0 || (t->bytes[end - 1] != '.' && t->bytes[end - 1] != '!')) return t->n;
    end--;
    while (end > 0 && t->bytes[end - 1] == ' ') end--;
    /* "?!", "..." and "etc.)." are more than a full stop */
    return end == 0 || strchr(".!?)\"'", t->bytes[end - 1]) ? t->n : end;
}

static void drop_stops(draft *d) {
    const size_t source = find_stop(&d->side[SOURCE]), target = find_stop(&d->side[TARGET]);
    if (source == d->side[SOURCE].n || target == d->side[TARGET].n) return;
    d->side[SOURCE].n = source;
    d->side[TARGET].n = target;
}

/*
 * Curls the quotes of the source, as word processors do: one at the start of a word opens, any other closes.  One inside
 * text to be copied (an address, code) stays straight.
 */
static void curl_quotes(text_buffer *t) {
    static const char MARK[] = "\"'", *const CURLY[2][2] = {{"“", "”"}, {"‘", "’"}};
    token found = {0, 0}, core;
    while (next_token(t, &found)) {
        if (!is_plain(t, found, &core)) continue;
        for (size_t at = found.start; at < found.end; at++) {
            const char *const mark = strchr(MARK, t->bytes[at]);
            if (t->bytes[at] == '\0' || mark == NULL) continue;
            const char *const curly = CURLY[mark - MARK][at >= core.start];
            const size_t grown = strlen(curly) - 1;
            text_replace(t, at, 1, curly, grown + 1);
            if (at < core.start) core.start += grown;
            found.end += grown;
            at += grown;
        }
    }
}

/* ------------------------------------------------------------------------------------ typos */

/* The keys beside each letter, where English, German, French and Spanish keyboards roughly agree. */
static const char *neighbours(char small) {
    static const char *const KEYS[26] = {"sq", "vn", "xv", "sf", "wr", "dg", "fh", "gj", "uo", "hk", "jl", "k",  "n",
                                         "bm", "ip", "o",  "wa", "et", "ad", "ry", "yi", "cb", "qe", "zc", "tu", "xs"};
    return KEYS[small - 'a'];
}

static int contains(const text_buffer *t, const char *word, size_t n) {
    return memmem(t->bytes, t->n, word, n) != NULL;
}

/* Makes a typo in the word at *core; returns the number of bytes it has grown by. */
static long make_typo(text_buffer *t, token core, uint64_t key) {
    enum { MOST_LETTERS = 64, SWAP = 0, DROP = 1, DOUBLE = 2 };
    size_t starts[MOST_LETTERS + 1], n = 0;
    for (size_t at = core.start; at < core.end; n++) {
        const size_t bytes = letter_bytes(t->bytes + at, core.end - at);
        if (bytes == 0 || n == MOST_LETTERS) return 0; /* a hyphen, or no word */
        starts[n] = at;
        at += bytes;
    }
    starts[n] = core.end;
    if (n < 4) return 0;
    size_t i = 1 + (size_t)(random_uniform(key, WHICH_LETTER) * (double)(n - 1));
    const int kind = (int)(random_uniform(key, WHICH_KIND) * 4.0);
    if (kind == SWAP && i == n - 1) i--;
    const size_t before = t->n, at = starts[i], bytes = starts[i + 1] - at;
    char letters[4];
    memcpy(letters, t->bytes + at, bytes);
    if (kind == SWAP) {
        const size_t next = starts[i + 2] - starts[i + 1];
        memmove(t->bytes + at, t->bytes + at + bytes, next);
        memcpy(t->bytes + at + next, letters, bytes);
    } else if (kind == DROP) {
        text_replace(t, at, bytes, "", 0);
    } else if (kind == DOUBLE) {
        text_replace(t, at, 0, letters, bytes);
    } else if (bytes == 1) {
        const int is_capital = letter_is_capital(letters, 1);
        letter_make_small(letters, 1);
        const char *keys = neighbours(letters[0]);
        letters[0] = keys[(int)(random_uniform(key, WHICH_NEIGHBOUR) * (double)strlen(keys))];
        if (is_capital) letter_capitalise(letters, 1);
        t->bytes[at] = letters[0];
    }
    return (long)t->n - (long)before;
}

static void add_typos(draft *d, double probability, uint64_t key) {
    text_buffer *t = &d->side[SOURCE];
    token found = {0, 0}, core;
    for (uint64_t i = 0; next_token(t, &found); i++) {
        if (random_uniform(key, i) >= probability || !is_plain(t, found, &core)) continue;
        if (contains(&d->side[TARGET], t->bytes + core.start, core.end - core.start)) continue;
        found.end += (size_t)make_typo(t, core, random_key(key, i));
    }
}

void noise_apply(draft *d, const noise_options *o, uint64_t key) {
    const double which = random_uniform(key, WHICH_CASE);
    if (which < o->capitals) {
        change_case(&d->side[SOURCE], letter_capitalise, 0);
        change_case(&d->side[TARGET], letter_capitalise, 0);
    } else if (which < o->capitals + o->small) {
        change_case(&d->side[SOURCE], letter_make_small, 0);
    } else if (which < o->capitals + o->small + o->title) {
        change_case(&d->side[SOURCE], letter_capitalise, 1);
    }
    if (random_uniform(key, WHETHER_STOP) < o->stops) drop_stops(d);
    if (random_uniform(key, WHETHER_CURLY) < o->quotes) curl_quotes(&d->side[SOURCE]);
    if (o->typos > 0.0) add_typos(d, o->typos, random_key(key, WHETHER_TYPO));
}
