/*
 * test_bytes.c - characters that search spells byte by byte: against the encodings of all code points, and whole
 * searches of models that would say anything.
 */
#include "check.h"
#include "random_model.h"
#include "search/search.h"

/* ------------------------------------------------------------------- one row */

enum { OTHER = 256, END = 257, ROW = 258 }; /* ids of a row: a byte each, a piece of text, and </s> */

static int32_t identity[N_BYTES];

static int encode(uint32_t code, uint8_t bytes[4]) {
    const int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--, code >>= 6) bytes[i] = (uint8_t)(0x80 | (code & 0x3F));
    bytes[0] = (uint8_t)(n == 1 ? code : (0xF00u >> n & 0xFF) | code);
    return n;
}

/* Whether a character begins with these 1, 2 or 3 bytes, by their number in base 256. */
static struct {
    uint8_t one[256], two[1 << 16], three[1 << 24];
} beginnings;
static uint8_t length_of[256];

static void make_tables(void) {
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint8_t b[4];
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        const int n = encode(code, b);
        length_of[b[0]] = (uint8_t)n;
        beginnings.one[b[0]] = 1;
        if (n > 1) beginnings.two[b[0] << 8 | b[1]] = 1;
        if (n > 2) beginnings.three[b[0] << 16 | b[1] << 8 | b[2]] = 1;
    }
    for (int byte = 0; byte < N_BYTES; byte++) identity[byte] = byte;
}

/* Whether `byte` is one that may come after the n bytes of a character under way. */
static int continues(const int32_t *at, int n, int byte) {
    if (n == 0) return beginnings.one[byte];
    if (n == 1) return beginnings.two[at[0] << 8 | byte];
    if (n == 2) return beginnings.three[at[0] << 16 | at[1] << 8 | byte];
    return byte >= 0x80 && byte <= 0xBF;
}

/* All ids after ids [n], of which the last `open` are a character under way, with room for `left` more. */
static int check_row(const int32_t *ids, int n, int open, int left) {
    float scores[ROW];
    const int32_t end = END;
    const heed_search_options rules = {.n_byte_ids = N_BYTES, .byte_ids = identity, .n_eos = 1, .eos = &end};
    for (int i = 0; i < ROW; i++) scores[i] = (float)i;
    bytes_forbid(&(heed_scores){scores, NULL, ROW}, ids, n, left, &rules);
    int wrong = bytes_open(ids, n, &rules) != open;
    for (int id = 0; id < ROW; id++) {
        int allowed = open == 0;
        if (id < N_BYTES) {
            const int lead = open ? ids[n - open] : id;
            allowed = continues(ids + n - open, open, id) && (id < 0x80 || length_of[lead] - open <= left);
        }
        wrong += scores[id] != (allowed ? (float)id : -INFINITY);
    }
    return wrong;
}

static void test_rows(void) {
    int wrong = 0, rows = 0;
    for (int before = 0; before <= 3; before++) { /* after nothing, text, a byte that is broken, a whole character */
        int32_t ids[8] = {OTHER, before == 2 ? 0xA9 : 0xC3, 0xA9};
        const int from = before;
        int32_t *at = ids + from;
        for (int left = 0; left < 5; left++, rows++) wrong += check_row(ids, from, 0, left);
        for (at[0] = 0x80; at[0] < 256; at[0]++) {
            if (!beginnings.one[at[0]]) continue;
            for (int left = 0; left < 5; left++, rows++) wrong += check_row(ids, from + 1, 1, left);
            for (at[1] = 0x80; at[1] < 256; at[1]++) {
                const int two = beginnings.two[at[0] << 8 | at[1]] != 0;
                const int begins = beginnings.one[at[1]]; /* a character after one that is broken */
                const int open = two ? (length_of[at[0]] > 2 ? 2 : 0) : begins;
                wrong += check_row(ids, from + 2, open, 4);
                for (at[2] = 0x80; before == 0 && two && at[2] < 0xC0; at[2]++, rows++) {
                    const int three = beginnings.three[at[0] << 16 | at[1] << 8 | at[2]];
                    wrong += check_row(ids, 3, three && length_of[at[0]] == 4 ? 3 : 0, 4);
                }
            }
        }
    }
    CHECK_INT(wrong, 0);
    CHECK(rows > 10000);
    /* four trails in a row are of no character, nor are text and a trail */
    const int32_t trails[5] = {0xF0, 0x9F, 0x98, 0x80, 0x80}, text[3] = {0xE2, OTHER, 0x82};
    CHECK_INT(check_row(trails, 4, 0, 4), 0);
    CHECK_INT(check_row(trails, 5, 0, 4), 0);
    CHECK_INT(check_row(text, 3, 0, 4), 0);
}

/* An id that ends leaves no room for more bytes; without byte_ids nothing is forbidden. */
static void test_ends(void) {
    float scores[ROW] = {0};
    const int32_t ends[3] = {0xC3, 0xA9, 0x0A}, after[2] = {OTHER, 0xE2}, last[2] = {0xE2, 0x82};
    heed_search_options rules = {.n_byte_ids = N_BYTES, .byte_ids = identity, .n_eos = 3, .eos = ends};
    bytes_forbid(&(heed_scores){scores, NULL, ROW}, after, 1, 9, &rules);
    CHECK(scores[0xC3] == -INFINITY && scores[0xC4] == 0.0f && scores[0x0A] == 0.0f);
    memset(scores, 0, sizeof scores);
    bytes_forbid(&(heed_scores){scores, NULL, ROW}, after, 2, 9, &rules);
    CHECK(scores[0xA9] == -INFINITY && scores[0xAA] == 0.0f);
    memset(scores, 0, sizeof scores);
    bytes_forbid(&(heed_scores){scores, NULL, ROW}, last, 2, 9, &rules);
    CHECK(scores[0xA9] == 0.0f);
    rules.n_byte_ids = 0;
    memset(scores, 0, sizeof scores);
    bytes_forbid(&(heed_scores){scores, NULL, ROW}, after, 2, 0, &rules);
    for (int id = 0; id < ROW; id++) CHECK(scores[id] == 0.0f);
    CHECK_INT(bytes_open(after, 2, &rules), 0);
}

/* Whether bytes of which only `present` exist can complete a character of which there are n bytes. */
static int can_complete(int32_t at[4], int n, const uint8_t *present) {
    if (n == length_of[at[0]]) return 1;
    for (int byte = 0x80; byte < 0xC0; byte++) {
        if (!present[byte] || !continues(at, n, byte)) continue;
        at[n] = byte;
        if (can_complete(at, n + 1, present)) return 1;
    }
    return 0;
}

/* Scores of some ids, as with a shortlist: no character begins that none of them continues. */
static void test_selected(void) {
    enum { SETS = 200 };
    const int32_t end = END;
    const heed_search_options rules = {.n_byte_ids = N_BYTES, .byte_ids = identity, .n_eos = 1, .eos = &end};
    uint32_t seed = 11;
    int n_allowed = 0, n_forbidden = 0;
    for (int set = 0; set < SETS; set++) {
        uint8_t present[N_BYTES];
        int32_t ids[ROW], text = OTHER, at[4];
        float scores[ROW];
        int n = 0;
        for (int byte = 0; byte < N_BYTES; byte++) {
            /* each trail alone, then none, then some */
            const int is_trail = byte >= 0x80 && byte < 0xC0, some = random_float(&seed) > 0.95f;
            present[byte] = (uint8_t)(!is_trail || (set < 64 ? byte == 0x80 + set : set > 64 && some));
            if (present[byte]) ids[n++] = byte;
        }
        ids[n++] = OTHER;
        for (int i = 0; i < n; i++) scores[i] = i % 3 ? (float)i : -INFINITY; /* what another rule forbids is there */
        bytes_forbid(&(heed_scores){scores, ids, n}, &text, 1, 4, &rules);
        for (int i = 0; i < n; i++) {
            at[0] = ids[i];
            const int allowed = ids[i] == OTHER || (beginnings.one[ids[i]] && can_complete(at, 1, present));
            CHECK(scores[i] == (allowed && i % 3 ? (float)i : -INFINITY));
            n_allowed += allowed && ids[i] >= 0xC0 && ids[i] < 0x100;
            n_forbidden += !allowed && ids[i] < 0x100 && beginnings.one[ids[i]];
        }
    }
    CHECK(n_allowed > 1000 && n_forbidden > 100);
}

/* ------------------------------------------------------------- whole searches */

enum { V = 61, EOS = 25, FIRST = 3, N_PIECES = 16, MAX_SOURCE = 12, MAX_TARGET = 60 };

/* Bytes that have pieces, ids FIRST and on: of each kind of range in the table some, and some that begin nothing. */
static const uint8_t PIECES[N_PIECES] = {0x0A, 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                         0xC1, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xF5};
static int32_t byte_ids[N_BYTES];

typedef struct {
    int n, finished, steps; /* steps of the search */
    int32_t ids[MAX_TARGET];
} result;

/* All hypotheses of a source, best first; how many. */
static int search(heed_session *s, const heed_search_options *rules, int seed, result *out) {
    int32_t source[MAX_SOURCE], row, running = 1, steps = 0;
    uint32_t state = (uint32_t)seed;
    const int n = 1 + seed % MAX_SOURCE;
    for (int i = 0; i < n; i++) source[i] = (int32_t)((random_float(&state) + 1.0f) * 0.5f * (V - 1));
    CHECK_INT(heed_search_begin(s, rules), HEED_OK);
    CHECK_INT(heed_search_add(s, source, n, &row), HEED_OK);
    while (running > 0 && CHECK_INT(heed_search_step(s, &running), HEED_OK)) steps++;
    const int found = heed_search_hypotheses(s, row);
    for (int i = 0; i < found; i++) {
        heed_hypothesis h;
        CHECK_INT(heed_search_hypothesis(s, row, i, &h), HEED_OK);
        CHECK(h.log_prob <= 0.0f && isfinite(h.score));
        out[i] = (result){.n = h.n, .finished = h.finished, .steps = steps};
        memcpy(out[i].ids, h.ids, (size_t)h.n * sizeof *h.ids);
    }
    heed_search_end(s);
    return found;
}

/* Bytes of ids [n] that are part of no whole character; *whole counts the characters of more than one byte. */
static int broken(const int32_t *ids, int n, int *whole) {
    int count = 0;
    for (int at = 0; at < n; at++) {
        int32_t bytes[4];
        int m = 0, lead;
        for (; m < 4 && at + m < n; m++) {
            const int id = ids[at + m];
            if (id < FIRST || id >= FIRST + N_PIECES) break;
            bytes[m] = PIECES[id - FIRST];
        }
        if (m == 0 || (lead = bytes[0]) < 0x80) continue;
        int same = 1;
        while (same < m && length_of[lead] > same && continues(bytes, same, bytes[same])) same++;
        if (length_of[lead] == 0 || same < length_of[lead]) count++;
        else at += same - 1, (*whole)++;
    }
    return count;
}

/* Rules that meet those of bytes, by number. */
static heed_search_options rules_of(int kind) {
    static const int32_t prefix[2] = {40, FIRST + 11}, bos = FIRST + 13, eos = EOS, ends[2] = {EOS, FIRST + 9};
    static const int32_t words[] = {1, FIRST + 2, 2, FIRST + 11, FIRST + 5};
    static const int32_t suppressed[3] = {FIRST + 4, FIRST + 5, FIRST + 6};
    heed_search_options o = {.beams = 1 + kind % 4, .max_tokens = 3 + kind % 37, .length_penalty = 1.0f};
    const int more = kind / 4;
    if (more & 1) o.n_prefix = 2, o.prefix = prefix; /* E2: a character under way */
    if (more & 2) o.n_forced_eos = 1, o.forced_eos = &eos;
    if (more & 4) o.n_bad_words = 5, o.bad_words = words;
    if (more & 8) o.cut_runaways = 1;
    if (more & 16) o.min_tokens = 7;
    if (more & 32) o.no_repeat_ngram = 2;
    if (more & 64) o.n_forced_bos = 1, o.forced_bos = &bos; /* F0 */
    if (more & 128) o.n_suppress = 3, o.suppress = suppressed;
    if (more & 256) o.n_eos = 2, o.eos = ends; /* C3 ends */
    return o;
}

static void test_searches(heed_session *s) {
    static result plain[4], masked[4], none[4];
    int n_broken = 0, n_whole = 0, ignored = 0, finished = 0;
    int32_t no_pieces[N_BYTES];
    for (int i = 0; i < N_BYTES; i++) no_pieces[i] = -1;
    for (int kind = 0; kind < 4 * 512; kind++) {
        heed_search_options rules = rules_of(kind);
        const int n_plain = search(s, &rules, kind, plain);
        rules.n_byte_ids = N_BYTES;
        rules.byte_ids = byte_ids;
        const int n = search(s, &rules, kind, masked);
        CHECK(n >= 1);
        for (int i = 0; i < n; i++) {
            const int length = masked[i].n;
            /* a prefix that is left alone with its open character is the caller's */
            const int own = length <= rules.n_prefix ? length : 0;
            CHECK_INT(broken(masked[i].ids + own, length - own, &n_whole), 0);
            CHECK(length >= rules.n_prefix && length <= rules.n_prefix + rules.max_tokens);
            finished += masked[i].finished;
        }
        for (int i = 0; i < n_plain; i++) n_broken += broken(plain[i].ids, plain[i].n, &ignored);
        rules.byte_ids = no_pieces;
        CHECK_INT(search(s, &rules, kind, none), n_plain);
        CHECK(memcmp(none, plain, (size_t)n_plain * sizeof *none) == 0);
    }
    CHECK(n_broken > 1000 && n_whole > 1000 && finished > 100); /* else there was nothing to see */
}

/* Of pieces of which only `allowed` [n] may be said. */
static heed_search_options only(const int32_t *allowed, int n, int32_t *words) {
    heed_search_options o = {.beams = 1, .max_tokens = MAX_TARGET, .length_penalty = 1.0f, .bad_words = words};
    for (int id = 0; id < V; id++) {
        int is_allowed = 0;
        for (int i = 0; i < n; i++) is_allowed |= allowed[i] == id;
        if (is_allowed) continue;
        words[o.n_bad_words++] = 1;
        words[o.n_bad_words++] = id;
    }
    o.n_byte_ids = N_BYTES;
    o.byte_ids = byte_ids;
    return o;
}

static void test_ways_out(heed_session *s) {
    static result r[4];
    int32_t words[2 * V];
    int whole = 0;
    /* F0 9F 9F 9F, again and again: the loop is cut between two characters */
    const int32_t loop[2] = {FIRST + 13, FIRST + 5};
    heed_search_options o = only(loop, 2, words);
    o.cut_runaways = 1;
    for (int seed = 0; seed < 12; seed++) {
        CHECK_INT(search(s, &o, seed, r), 1);
        CHECK(r[0].n >= 16 && r[0].n < 40 && r[0].n % 4 == 0 && !r[0].finished);
        CHECK_INT(r[0].steps, r[0].n + 1); /* the one that was not taken: no byte was taken back */
        CHECK_INT(broken(r[0].ids, r[0].n, &whole), 0);
    }
    /* the greatest length: no character is begun that does not fit */
    o.cut_runaways = 0;
    for (int most = 1; most < 20; most++) {
        o.max_tokens = most;
        CHECK_INT(search(s, &o, most, r), 1);
        CHECK_INT(r[0].n, most / 4 * 4);
    }
    /* that of the sentence, where loops are no reason to end */
    const int32_t various[10] = {FIRST + 4, FIRST + 5, FIRST + 6, FIRST + 7, FIRST + 11, FIRST + 13, 40, 41, 42, 43};
    int begins_none = 0;
    o = only(various, 10, words);
    o.no_repeat_ngram = 5;
    for (int seed = 0; seed < 40 * MAX_SOURCE; seed += MAX_SOURCE) { /* one token */
        o.cut_runaways = 0;
        search(s, &o, seed, r);
        const int at_36 = bytes_open(r[0].ids, 36, &o);
        o.cut_runaways = 1;
        search(s, &o, seed, r);
        CHECK(r[0].n == 36 && r[0].steps == 36);
        begins_none += at_36 > 0;
    }
    CHECK(begins_none > 0);
    /* E2 and no byte to go on with: it goes, beside what came before it */
    const int32_t stuck[2] = {40, FIRST + 11};
    o = only(stuck, 2, words);
    for (int beams = 1; beams <= 4; beams++) {
        o.beams = beams;
        for (int seed = 0; seed < 12; seed++) {
            const int n = search(s, &o, seed, r);
            for (int i = 0; i < n; i++)
                for (int t = 0; t < r[i].n; t++) CHECK_INT(r[i].ids[t], 40);
        }
    }
    /* a prefix stays as it is where there is no room to complete its last character */
    o = (heed_search_options){.beams = 1, .max_tokens = 1, .n_prefix = 2, .prefix = stuck};
    o.n_byte_ids = N_BYTES;
    o.byte_ids = byte_ids;
    CHECK_INT(search(s, &o, 1, r), 1);
    CHECK(r[0].n == 2 && memcmp(r[0].ids, stuck, sizeof stuck) == 0);
    /* what is forced is, and goes if it is the beginning of a character at the end */
    const int32_t lead = FIRST + 13;
    o = (heed_search_options){.beams = 1, .max_tokens = 1, .n_forced_bos = 1, .forced_bos = &lead};
    CHECK_INT(search(s, &o, 1, r), 1);
    CHECK_INT(r[0].n, 1);
    o.n_byte_ids = N_BYTES;
    o.byte_ids = byte_ids;
    CHECK_INT(search(s, &o, 1, r), 1);
    CHECK_INT(r[0].n, 0);
}

static void test_refused(heed_session *s) {
    int32_t ids[N_BYTES + 1];
    memcpy(ids, byte_ids, sizeof byte_ids);
    heed_search_options o = {.beams = 1, .max_tokens = 1, .n_byte_ids = N_BYTES, .byte_ids = ids};
    static const int32_t COUNTS[] = {-1, 1, N_BYTES - 1, N_BYTES + 1};
    for (int i = 0; i < 4; i++) {
        o.n_byte_ids = COUNTS[i];
        CHECK_INT(heed_search_begin(s, &o), HEED_E_ARGUMENT);
    }
    o.n_byte_ids = N_BYTES;
    for (int i = 0; i < 2; i++) {
        ids[N_BYTES - 1] = i ? V : -2;
        CHECK_INT(heed_search_begin(s, &o), HEED_E_ID);
    }
    ids[N_BYTES - 1] = -1;
    CHECK_INT(heed_search_begin(s, &o), HEED_OK);
}

int main(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 4, 1};
    heed_session *session;
    config_set(config, "eos_token_id", EOS);
    heed_model *model = random_model(config, n, 5, 4096);
    if (!CHECK(model != NULL)) return check_summary("bytes");
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (int i = 0; i < N_BYTES; i++) byte_ids[i] = -1;
    for (int i = 0; i < N_PIECES; i++) byte_ids[PIECES[i]] = FIRST + i;

    make_tables();
    test_rows();
    test_ends();
    test_selected();
    test_searches(session);
    test_ways_out(session);
    test_refused(session);
    heed_session_free(session);
    heed_model_free(model);
    return check_summary("bytes");
}
