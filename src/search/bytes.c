/* bytes.c - characters that are spelled byte by byte: see search.h for the contract. */
#include <math.h>

#include "search/search.h"

enum { FIRST_TRAIL = 0x80, LAST_TRAIL = 0xBF, N_TRAILS = LAST_TRAIL - FIRST_TRAIL + 1, LONGEST_CHARACTER = 4 };

/* A character that lacks its last bytes. */
typedef struct {
    int n, missing; /* bytes present (0: there is no such character), bytes missing */
    int low, high;  /* the range of the next byte                                   */
} open_character;

/* The byte, from 0x80 up, that the id stands for, or -1. */
static int byte_of(int32_t id, const int32_t *byte_ids) {
    for (int byte = FIRST_TRAIL; byte < 256; byte++)
        if (byte_ids[byte] == id) return byte;
    return -1;
}

/* Bytes of the character that begins with this one, or 0. */
static int length_from(int byte) {
    if (byte < 0x80) return 1;
    if (byte < 0xC2 || byte > 0xF4) return 0; /* C0 and C1: overlong; F5: past U+10FFFF */
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/*
 * The range of the byte after a first byte, from table 3-7 of the Unicode standard.  It excludes overlong forms,
 * surrogates and codes past U+10FFFF.
 */
static int second_from(int lead) { return lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : FIRST_TRAIL; }
static int second_to(int lead) { return lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : LAST_TRAIL; }

/* The character at the end of ids [n] that lacks its last bytes. */
static open_character find_open(const int32_t *ids, int n, const int32_t *byte_ids) {
    const open_character none = {0};
    int after = -1; /* the byte that follows `byte` */
    for (int there = 1; there < LONGEST_CHARACTER && there <= n; there++) {
        const int byte = byte_of(ids[n - there], byte_ids), length = length_from(byte);
        if (byte < 0) return none;
        if (byte > LAST_TRAIL) {
            if (length <= there) return none;
            if (there == 1) return (open_character){1, length - 1, second_from(byte), second_to(byte)};
            if (after < second_from(byte) || after > second_to(byte)) return none;
            return (open_character){there, length - there, FIRST_TRAIL, LAST_TRAIL};
        }
        after = byte;
    }
    return none;
}

int bytes_open(const int32_t *ids, int n, const heed_search_options *rules) {
    return rules->n_byte_ids == 0 ? 0 : find_open(ids, n, rules->byte_ids).n;
}

void bytes_forbid(const heed_scores *scores, const int32_t *ids, int n, int left, const heed_search_options *rules) {
    const int32_t *id_of = rules->byte_ids;
    float kept[N_TRAILS], *score;
    if (rules->n_byte_ids == 0) return;

    const open_character open = find_open(ids, n, id_of);
    if (open.n == 0) {
        int lowest = 256, highest = 0; /* of the trails that have scores; they come before all first bytes */
        for (int byte = FIRST_TRAIL; byte < 256; byte++) {
            if (id_of[byte] < 0 || (score = scores_find(scores, id_of[byte])) == NULL) continue;
            if (byte <= LAST_TRAIL) {
                if (lowest > byte) lowest = byte;
                highest = byte;
            }
            /* each range of second bytes has one end in common with that of trails, so these two bytes tell */
            const int has_second = lowest <= second_to(byte) && highest >= second_from(byte);
            const int length = length_from(byte), room = next_ends(rules, id_of[byte]) ? 1 : left;
            if (length == 0 || length > room || !has_second) *score = -INFINITY;
        }
        return;
    }
    for (int byte = open.low; byte <= open.high; byte++) {
        const int32_t id = id_of[byte];
        const int fits = id >= 0 && open.missing <= (next_ends(rules, id) ? 1 : left);
        kept[byte - FIRST_TRAIL] = fits && (score = scores_find(scores, id)) != NULL ? *score : -INFINITY;
    }
    for (int i = 0; i < scores->n; i++) scores->scores[i] = -INFINITY;
    for (int byte = open.low; byte <= open.high; byte++)
        if (id_of[byte] >= 0 && (score = scores_find(scores, id_of[byte])) != NULL) *score = kept[byte - FIRST_TRAIL];
}
