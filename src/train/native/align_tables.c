/* align_tables.c - see align_tables.h for the contract. */
#include "train/native/align_tables.h"

#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"
#include "train/random.h"

/* ------------------------------------------------------------------------------------ words */

static void vocabulary_grow(vocabulary *v) {
    const size_t before = v->slots;
    uint64_t *keys = v->keys;
    int32_t *ids = v->ids;
    v->slots = before ? 2 * before : 1 << 12;
    v->keys = allocate(v->slots * sizeof *v->keys);
    v->ids = allocate(v->slots * sizeof *v->ids);
    memset(v->keys, 0, v->slots * sizeof *v->keys);
    for (size_t i = 0; i < before; i++) {
        if (keys[i] == 0) continue;
        size_t at = keys[i] & (v->slots - 1);
        while (v->keys[at]) at = (at + 1) & (v->slots - 1);
        v->keys[at] = keys[i];
        v->ids[at] = ids[i];
    }
    free(keys);
    free(ids);
}

int32_t vocabulary_add(vocabulary *v, uint64_t spelling, uint64_t language) {
    const uint64_t key = random_key(spelling, language) | 1;
    if ((size_t)v->n * 2 >= v->slots) vocabulary_grow(v);
    size_t at = key & (v->slots - 1);
    while (v->keys[at] && v->keys[at] != key) at = (at + 1) & (v->slots - 1);
    if (v->keys[at] == 0) {
        if (v->n == v->room)
            v->spelling = reallocate(v->spelling, (size_t)(v->room = 2 * v->room + 1024) * sizeof *v->spelling);
        v->keys[at] = key;
        v->ids[at] = v->n;
        v->spelling[v->n++] = spelling;
    }
    return v->ids[at];
}

void vocabulary_free(vocabulary *v) {
    free(v->keys);
    free(v->ids);
    free(v->spelling);
}

/* ------------------------------------------------------------------------------------ cells */

static uint64_t cell_hash(int32_t e, int32_t f) { return random_mix((uint64_t)(uint32_t)e << 32 | (uint32_t)f); }
static size_t cell_home(const cell_table *table, uint64_t hash) { return (size_t)((hash >> 32) * table->n >> 32); }
static uint32_t cell_check(uint64_t hash) { return (uint32_t)hash ? (uint32_t)hash : 1; }

static int compare_hashes(const void *x, const void *y) {
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

size_t cells_estimate(const int32_t *words, const sentence *sentences, size_t n) {
    enum { SAMPLE = 64 }; /* one pair of so many is counted */
    uint64_t *seen = NULL;
    size_t n_seen = 0, room = 0, distinct = 0;
    for (size_t k = 0; k < n; k++) {
        const sentence s = sentences[k];
        const int32_t *e = words + s.first, *f = e + s.I;
        for (int i = 0; i < s.I; i++)
            for (int j = 0; j < s.J; j++) {
                const uint64_t h = cell_hash(e[i], f[j]);
                if (h % SAMPLE != 0) continue;
                if (n_seen == room) seen = reallocate(seen, (room = 2 * room + 1024) * sizeof *seen);
                seen[n_seen++] = h;
            }
    }
    if (n_seen > 0) qsort(seen, n_seen, sizeof *seen, compare_hashes);
    for (size_t i = 0; i < n_seen; i++) distinct += i == 0 || seen[i] != seen[i - 1];
    free(seen);
    /* the sample of a small corpus is unreliable: add room for all pairs of a thousand sentences */
    return distinct * SAMPLE + (1 << 16);
}

void cells_insert(cell_table *table, const int32_t *words, const sentence *s, _Atomic uint32_t *distinct_e,
                  _Atomic uint32_t *distinct_f) {
    const int I = s->I, J = s->J;
    const int32_t *e = words + s->first, *f = e + I;
    for (int i = 0; i < I; i++) {
        for (int j = 0; j < J; j++) __builtin_prefetch(&table->cells[cell_home(table, cell_hash(e[i], f[j]))]);
        for (int j = 0; j < J; j++) {
            const uint64_t h = cell_hash(e[i], f[j]);
            const uint32_t check = cell_check(h);
            for (size_t at = cell_home(table, h);; at = at + 1 < table->n ? at + 1 : 0) {
                uint32_t found = 0;
                if (atomic_compare_exchange_strong(&table->cells[at].check, &found, check)) {
                    table->cells[at].weight = 1.0f;
                    atomic_fetch_add_explicit(&distinct_e[e[i]], 1, memory_order_relaxed);
                    atomic_fetch_add_explicit(&distinct_f[f[j]], 1, memory_order_relaxed);
                    break;
                }
                if (found == check) break;
            }
        }
    }
}

/* Prefetches all cells before it reads the first. */
void cells_find(const cell_table *table, const int32_t *words, const sentence *s, cell **cells) {
    const int32_t *e = words + s->first, *f = e + s->I;
    for (int i = 0; i < s->I; i++)
        for (int j = 0; j < s->J; j++) {
            cells[i * s->J + j] = &table->cells[cell_home(table, cell_hash(e[i], f[j]))];
            __builtin_prefetch(cells[i * s->J + j]);
        }
    for (int i = 0; i < s->I; i++)
        for (int j = 0; j < s->J; j++) {
            const uint32_t check = cell_check(cell_hash(e[i], f[j]));
            cell *c = cells[i * s->J + j];
            while (c->check != check) c = c + 1 < table->cells + table->n ? c + 1 : table->cells;
            cells[i * s->J + j] = c;
        }
}
