/* replace.c - see replace.h for the contract. */
#include "train/native/replace.h"

#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"
#include "train/native/letters.h"
#include "train/native/words.h"
#include "train/random.h"

/* Text that is only read. */
typedef struct {
    const char *bytes;
    size_t n;
} view;

static view view_of(const text_buffer *t) { return (view){t->bytes, t->n}; }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/*
 * Is the character that begins or ends at `at` a letter?  All characters past ASCII count as letters, except the signs
 * below U+00C0 and in U+2000-U+2FFF: quotes, dashes, spaces, currencies.
 */
static int letter_behind(view t, size_t at) {
    if (at == t.n) return 0;
    const unsigned char c = (unsigned char)t.bytes[at];
    return c < 0x80 ? letter_bytes(t.bytes + at, 1) > 0 : c != 0xC2 && c != 0xE2;
}
static int letter_before(view t, size_t at) {
    size_t back = at;
    if (at == 0) return 0;
    do back--;
    while (back > 0 && at - back < 4 && ((unsigned char)t.bytes[back] & 0xC0) == 0x80);
    return letter_behind(t, back);
}

/* ------------------------------------------------------------------------------------ names */

/* The end of the name that begins at `at`, or `at`. */
static size_t name_end(view t, size_t at) {
    size_t end = at, letters = 0;
    if (!letter_is_capital(t.bytes + at, t.n - at)) return at;
    for (size_t n; (n = letter_bytes(t.bytes + end, t.n - end)) > 0; end += n, letters++)
        if (letters > 0 && letter_is_capital(t.bytes + end, t.n - end)) return at;
    return letters >= 3 ? end : at;
}

/* Is the word inside a sentence?  Only if a space precedes it, and a letter, a digit or a comma precedes that. */
static int is_inside(view t, size_t at) {
    return at >= 2 && t.bytes[at - 1] == ' ' &&
           (t.bytes[at - 2] == ',' || is_digit(t.bytes[at - 2]) || letter_before(t, at - 1));
}

/* May a name end here?  Yes before a space, the end or punctuation; no before a hyphen or the dot of an address. */
static int ends_well(view t, size_t end) {
    static const char SIGNS[] = " .,;:!?)'\"";
    if (end == t.n) return 1;
    if (strchr(SIGNS, t.bytes[end]) == NULL) return 0;
    return t.bytes[end] == ' ' || t.bytes[end] == '\'' || end + 1 == t.n || !letter_behind(t, end + 1);
}

/* The start of the only occurrence of text [n]; t.n if it occurs never or several times. */
static size_t find_once(view t, const char *text, size_t n) {
    const char *first = memmem(t.bytes, t.n, text, n);
    if (first == NULL) return t.n;
    const size_t at = (size_t)(first - t.bytes);
    return memmem(first + 1, t.n - at - 1, text, n) ? t.n : at;
}

/* FNV-1a. */
static uint64_t hash(const char *text, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

/* The index of a name in the table, or the free index where it belongs. */
static int place_of(const name_list *list, const char *text, size_t n) {
    int place = (int)(hash(text, n) % (uint64_t)list->n_places);
    for (; list->places[place] >= 0; place = (place + 1) % list->n_places) {
        const shared_name *other = &list->names[list->places[place]];
        if (other->n == n && memcmp(other->text, text, n) == 0) break;
    }
    return place;
}

static int has_name(const name_list *list, const char *text, size_t n) {
    return list != NULL && list->n > 0 && list->places[place_of(list, text, n)] >= 0;
}

/*
 * Finds the next name from *at on that both sides have: returns 1 and sets its starts and its length.  Any word has a
 * capital at the beginning of a sentence, so there it must be in the list `known`, which may be NULL.
 */
static int next_name(view source, view target, const name_list *known, size_t *at, size_t places[2], size_t *n) {
    for (size_t i = *at; i < source.n; i++) {
        if (i > 0 && source.bytes[i - 1] != ' ') continue;
        const size_t end = name_end(source, i), bytes = end - i;
        if (bytes == 0 || !ends_well(source, end)) continue;
        const size_t there = find_once(target, source.bytes + i, bytes);
        if (there == target.n || find_once(source, source.bytes + i, bytes) != i) continue;
        if ((there > 0 && target.bytes[there - 1] != ' ') || !ends_well(target, there + bytes)) continue;
        if (!(is_inside(source, i) && is_inside(target, there)) && !has_name(known, source.bytes + i, bytes)) continue;
        places[SOURCE] = i;
        places[TARGET] = there;
        *n = bytes;
        *at = end;
        return 1;
    }
    return 0;
}

static void names_add(name_list *list, const char *text, size_t n) {
    if (list->n == list->max) { /* the table is at least twice as large as the list */
        list->max = 2 * list->max + 512;
        list->n_places = 2 * list->max + 1;
        list->names = reallocate(list->names, (size_t)list->max * sizeof *list->names);
        list->places = reallocate(list->places, (size_t)list->n_places * sizeof *list->places);
        for (int i = 0; i < list->n_places; i++) list->places[i] = -1;
        for (int i = 0; i < list->n; i++) list->places[place_of(list, list->names[i].text, list->names[i].n)] = i;
    }
    const int place = place_of(list, text, n);
    if (list->places[place] >= 0) return;
    list->places[place] = list->n;
    list->names[list->n++] = (shared_name){text, n};
}

/* The list of a language, created if it does not exist. */
static name_list *list_of(name_set *set, int32_t language) {
    for (int i = 0; i < set->n; i++)
        if (set->lists[i].language == language) return &set->lists[i];
    set->lists = reallocate(set->lists, ((size_t)set->n + 1) * sizeof *set->lists);
    set->lists[set->n] = (name_list){.language = language};
    return &set->lists[set->n++];
}

void names_harvest(name_set *set, const corpus *c) {
    for (int i = 0; i < c->n_pairs; i++) {
        const text_pair *p = &c->pairs[i];
        const view source = {p->text[SOURCE], (size_t)p->bytes[SOURCE]};
        const view target = {p->text[TARGET], (size_t)p->bytes[TARGET]};
        size_t at = 0, places[2], n;
        while (next_name(source, target, NULL, &at, places, &n))
            names_add(list_of(set, p->language), source.bytes + places[SOURCE], n);
    }
}

void names_read(name_set *set, const char *path) {
    size_t n;
    set->file = (char *)read_file(path, &n);
    name_list *list = list_of(set, NO_LANGUAGE);
    int number = 0;
    for (char *line = set->file, *end, *all = set->file + n; line < all; line = end + 1) {
        number++;
        end = memchr(line, '\n', (size_t)(all - line));
        if (end == NULL) end = all;
        const size_t bytes = (size_t)(end - line);
        word only;
        if (words_split(line, bytes, &only, 1) != 1 || only.end - only.start != bytes)
            fail("%s, line %d: found '%.*s', expected one word", path, number, (int)bytes, line);
        names_add(list, line, bytes);
    }
    if (list->n < 2) fail("%s: found %d names, expected 2 or more", path, list->n);
}

const name_list *names_for(const name_set *set, int32_t language) {
    if (set->file) return set->lists;
    for (int i = 0; i < set->n; i++)
        if (set->lists[i].language == language) return &set->lists[i];
    return NULL;
}

void names_free(name_set *set) {
    for (int i = 0; i < set->n; i++) {
        free(set->lists[i].names);
        free(set->lists[i].places);
    }
    free(set->lists);
    free(set->file);
}

static int count_letters(const shared_name *name) {
    int n = 0;
    for (size_t at = 0, bytes; (bytes = letter_bytes(name->text + at, name->n - at)) > 0; at += bytes) n++;
    return n;
}

/* The bytes of the first letters of a name. */
static size_t bytes_of(const shared_name *name, int letters) {
    size_t at = 0;
    while (letters-- > 0) at += letter_bytes(name->text + at, name->n - at);
    return at;
}

static const shared_name *any_name(const name_list *list, double uniform) {
    return &list->names[(int)(uniform * list->n)];
}

static void replace_names(draft *d, const name_list *list, double probability, double invent, uint64_t key) {
    text_buffer *source = &d->side[SOURCE], *target = &d->side[TARGET];
    size_t at = 0, places[2], n;
    if (list == NULL || list->n < 2) return;
    for (uint64_t i = 0; next_name(view_of(source), view_of(target), list, &at, places, &n); i += 6) {
        if (random_uniform(key, i) >= probability) continue;
        const shared_name *head = any_name(list, random_uniform(key, i + 1)), *tail = head;
        size_t end = head->n, start = head->n;
        if (random_uniform(key, i + 2) < invent) { /* two letters or more of one name, one or more of the other */
            tail = any_name(list, random_uniform(key, i + 3));
            end = bytes_of(head, 2 + (int)(random_uniform(key, i + 4) * (count_letters(head) - 2)));
            start = bytes_of(tail, 1 + (int)(random_uniform(key, i + 5) * (count_letters(tail) - 1)));
        }
        for (int side = 0; side < 2; side++) {
            text_replace(&d->side[side], places[side], n, head->text, end);
            text_replace(&d->side[side], places[side] + end, 0, tail->text + start, tail->n - start);
        }
        at = places[SOURCE] + end + tail->n - start;
    }
}

/* ---------------------------------------------------------------------------------- numbers */

/* Finds the next run of digits from *at on: returns 1, sets its start, and moves *at past it. */
static int next_digits(view t, size_t *at, size_t *start) {
    while (*at < t.n && !is_digit(t.bytes[*at])) (*at)++;
    *start = *at;
    while (*at < t.n && is_digit(t.bytes[*at])) (*at)++;
    return *at > *start;
}

/* The start of the only run of these digits; t.n if there is none, several, or one that must stay. */
static size_t find_number(view t, const char *digits, size_t n) {
    size_t at = 0, start, found = t.n;
    while (next_digits(t, &at, &start)) {
        if (at - start != n || memcmp(t.bytes + start, digits, n) != 0) continue;
        if (found != t.n) return t.n;
        if ((start > 0 && (t.bytes[start - 1] == ':' || letter_before(t, start))) ||
            (at < t.n && (t.bytes[at] == ':' || letter_behind(t, at))))
            return t.n;
        found = start;
    }
    return found;
}

/* A digit from `least` to 9. */
static char any_digit(int least, uint64_t key, uint64_t index) {
    return (char)('0' + least + (int)(random_uniform(key, index) * (10 - least)));
}

static void other_number(char *digits, size_t n, uint64_t key) {
    const int is_year =
        n == 4 && (memcmp(digits, "18", 2) == 0 || memcmp(digits, "19", 2) == 0 || memcmp(digits, "20", 2) == 0);
    for (size_t i = is_year ? 2 : 0; i < n; i++) {
        if (i > 0) digits[i] = any_digit(0, key, i);
        else if (n == 1) digits[i] = any_digit(2, key, i);
        else if (digits[i] != '0') digits[i] = any_digit(1, key, i);
    }
}

static void replace_numbers(draft *d, double probability, uint64_t key) {
    text_buffer *source = &d->side[SOURCE], *target = &d->side[TARGET];
    size_t at = 0, start;
    for (uint64_t i = 0; next_digits(view_of(source), &at, &start); i++) {
        char *digits = source->bytes + start;
        const size_t n = at - start;
        if (random_uniform(key, i) >= probability || (n == 1 && (*digits == '0' || *digits == '1'))) continue;
        const size_t there = find_number(view_of(target), digits, n);
        if (there == target->n || find_number(view_of(source), digits, n) != start) continue;
        other_number(digits, n, random_key(key, i));
        memcpy(target->bytes + there, digits, n);
    }
}

void replace_apply(draft *d, const name_list *list, double probability, double invent, uint64_t key) {
    replace_numbers(d, probability, random_key(key, 0));
    replace_names(d, list, probability, invent, random_key(key, 1));
}
