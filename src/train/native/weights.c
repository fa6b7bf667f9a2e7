/* weights.c - see weights.h for the contract. */
#include "train/native/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"

/* ------------------------------------------------------------------------------------ saving */

/* Hugging Face's shapes: a vector has one dimension, except this one. */
static int is_vector(const train_tensor *t) { return t->rows == 1 && strcmp(t->name, "final_logits_bias") != 0; }

/* The header, padded so that the data begins at a multiple of 8; *n its bytes.  Free it. */
static char *make_header(const heed_parameters *p, size_t *n) {
    const size_t room = (size_t)p->n_tensors * (TENSOR_NAME_BYTES + 120) + 64;
    char *text = allocate(room);
    size_t end = 0;
    *n = (size_t)snprintf(text, room, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *t = &p->tensors[i];
        const size_t bytes = (size_t)t->rows * t->cols * sizeof(float);
        *n += (size_t)snprintf(text + *n, room - *n, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[", t->name);
        if (!is_vector(t)) *n += (size_t)snprintf(text + *n, room - *n, "%d,", t->rows);
        *n += (size_t)snprintf(text + *n, room - *n, "%d],\"data_offsets\":[%zu,%zu]}", t->cols, end, end + bytes);
        end += bytes;
    }
    text[(*n)++] = '}';
    while (*n % 8 != 0) text[(*n)++] = ' ';
    return text;
}

void weights_save(const char *path, const heed_parameters *p, const float *values) {
    size_t n;
    char *text = make_header(p, &n);
    const unsigned long long length = n;
    writer w;
    write_begin(&w, path);
    write_bytes(&w, &length, sizeof length);
    write_bytes(&w, text, n);
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *t = &p->tensors[i];
        write_bytes(&w, values + t->offset, (size_t)t->rows * t->cols * sizeof(float));
    }
    write_end(&w);
    free(text);
}

/* ----------------------------------------------------------------------------------- loading */

/* A walk through the header, which is JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}. */
typedef struct {
    const char *path, *at, *end;
} scanner;

typedef struct {
    char name[TENSOR_NAME_BYTES], dtype[TENSOR_NAME_BYTES];
    unsigned long long shape[8], offsets[2];
    int n_shape, n_offsets;
} entry;

static _Noreturn void fail_header(const scanner *s) {
    fail("%s: not a safetensors file: its header is broken", s->path);
}

static char next_char(scanner *s) {
    while (s->at < s->end && strchr(" \t\r\n", *s->at)) s->at++;
    if (s->at == s->end) fail_header(s);
    return *s->at;
}

static void expect(scanner *s, char c) {
    if (next_char(s) != c) fail_header(s);
    s->at++;
}

/* After a value: 1 if another follows, 0 at the end of the list, `close`. */
static int has_more(scanner *s, char close) {
    const char c = next_char(s);
    if (c != ',' && c != close) fail_header(s);
    s->at++;
    return c == ',';
}

/* Reads a string without decoding escapes, because our names have none.  Cuts it if it does not fit. */
static void read_string(scanner *s, char *text, size_t room) {
    size_t n = 0;
    expect(s, '"');
    while (s->at < s->end && *s->at != '"') {
        const int length = *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
        for (int i = 0; i < length; i++, s->at++)
            if (n + 1 < room) text[n++] = *s->at;
    }
    text[n] = '\0';
    expect(s, '"');
}

/* Reads the numbers of a list into list [room]; returns their number. */
static int read_numbers(scanner *s, unsigned long long *list, int room) {
    int n = 0;
    expect(s, '[');
    if (next_char(s) == ']') {
        s->at++;
        return 0;
    }
    do {
        unsigned long long value = 0;
        if (next_char(s) < '0' || *s->at > '9' || n == room) fail_header(s);
        for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
            if (value > 1ull << 50) fail_header(s);
            value = 10 * value + (unsigned long long)(*s->at - '0');
        }
        list[n++] = value;
    } while (has_more(s, ']'));
    return n;
}

/* Reads the description of a tensor, or the metadata, after its name. */
static void read_entry(scanner *s, entry *e) {
    char key[TENSOR_NAME_BYTES], text[TENSOR_NAME_BYTES];
    const int is_metadata = strcmp(e->name, "__metadata__") == 0;
    expect(s, '{');
    if (next_char(s) == '}') {
        s->at++;
        return;
    }
    do {
        read_string(s, key, sizeof key);
        expect(s, ':');
        if (is_metadata) read_string(s, text, sizeof text);
        else if (strcmp(key, "dtype") == 0) read_string(s, e->dtype, sizeof e->dtype);
        else if (strcmp(key, "shape") == 0) e->n_shape = read_numbers(s, e->shape, 8);
        else if (strcmp(key, "data_offsets") == 0) e->n_offsets = read_numbers(s, e->offsets, 2);
        else fail_header(s);
    } while (has_more(s, '}'));
}

static void check_entry(const char *path, const entry *e, const train_tensor *t) {
    char found[160], *at = found;
    const int vector = is_vector(t);
    *at = '\0';
    for (int i = 0; i < e->n_shape; i++)
        at += snprintf(at, 24, "%s%llu", i ? ", " : "", e->shape[i]); /* 8 numbers of at most 17 digits */
    if (strcmp(e->dtype, "F32") != 0) fail("%s: %s: found dtype %s, expected F32", path, e->name, e->dtype);
    if (e->n_shape != (vector ? 1 : 2) || e->shape[e->n_shape - 1] != (unsigned long long)t->cols ||
        (!vector && e->shape[0] != (unsigned long long)t->rows)) {
        if (vector) fail("%s: %s: found shape [%s], expected [%d]", path, e->name, found, t->cols);
        fail("%s: %s: found shape [%s], expected [%d, %d]", path, e->name, found, t->rows, t->cols);
    }
}

static const train_tensor *find_tensor(const heed_parameters *p, const char *name) {
    for (int i = 0; i < p->n_tensors; i++)
        if (strcmp(p->tensors[i].name, name) == 0) return &p->tensors[i];
    return NULL;
}

/* Copy a tensor from the data [n] of the file. */
static void take(const char *path, const entry *e, const train_tensor *t, const unsigned char *data, size_t n,
                 float *values) {
    const size_t count = (size_t)t->rows * t->cols;
    float *to = values + t->offset;
    check_entry(path, e, t);
    if (e->n_offsets != 2 || e->offsets[1] > n || e->offsets[0] > e->offsets[1] ||
        e->offsets[1] - e->offsets[0] != count * sizeof *to)
        fail("%s: %s: its bytes are not all in the file; is the file truncated?", path, e->name);
    memcpy(to, data + e->offsets[0], count * sizeof *to);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(to[i])) fail("%s: %s: found a number that is not finite", path, e->name);
}

void weights_load(const char *path, const heed_parameters *p, float *values) {
    size_t n;
    unsigned char *bytes = read_file(path, &n), *seen = allocate((size_t)p->n_tensors);
    unsigned long long length = 0;
    if (n >= sizeof length) memcpy(&length, bytes, sizeof length);
    if (n < sizeof length || length < 2 || length > n - sizeof length)
        fail("%s: not a safetensors file, or truncated", path);
    memset(seen, 0, (size_t)p->n_tensors);
    scanner s = {.path = path, .at = (char *)bytes + sizeof length, .end = (char *)bytes + sizeof length + length};
    const unsigned char *data = (unsigned char *)s.end;
    expect(&s, '{');
    do {
        entry e = {0};
        read_string(&s, e.name, sizeof e.name);
        expect(&s, ':');
        read_entry(&s, &e);
        if (strcmp(e.name, "__metadata__") == 0) continue;
        const train_tensor *t = find_tensor(p, e.name);
        if (t == NULL) fail("%s: %s: unknown tensor, not one of this model", path, e.name);
        if (seen[t - p->tensors]++) fail("%s: %s: there twice", path, e.name);
        take(path, &e, t, data, n - (size_t)(data - bytes), values);
    } while (has_more(&s, '}'));
    for (int i = 0; i < p->n_tensors; i++)
        if (!seen[i]) fail("%s: %s: missing", path, p->tensors[i].name);
    free(seen);
    free(bytes);
}
