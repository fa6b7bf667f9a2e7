/* files.c - see files.h for the contract. */
#include "train/native/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("heed-train: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

_Noreturn void fail_status(const char *what, heed_status status) {
    fail("%s: %s", what, status == HEED_E_MEMORY ? "out of memory" : heed_status_name(status));
}

void *allocate(size_t bytes) { return reallocate(NULL, bytes); }

void *reallocate(void *block, size_t bytes) {
    void *p = realloc(block, bytes ? bytes : 1);
    if (p == NULL) fail("out of memory: %zu bytes are wanted", bytes);
    return p;
}

unsigned char *read_file(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail("%s: %s", path, strerror(errno));
    size_t room = 1 << 16;
    unsigned char *bytes = allocate(room + 1);
    *n = 0;
    for (size_t got; (got = fread(bytes + *n, 1, room - *n, file)) > 0;) {
        *n += got;
        if (*n == room) bytes = reallocate(bytes, (room *= 2) + 1);
    }
    if (ferror(file)) fail("%s: cannot be read", path);
    fclose(file);
    bytes[*n] = '\0';
    return bytes;
}

/* ---------------------------------------------------------------------------------- saving */

typedef struct {
    FILE *file;
    const char *path;
    char beside[4096];
} writer;

static void write_begin(writer *w, const char *path) {
    w->path = path;
    snprintf(w->beside, sizeof w->beside, "%s.writing", path);
    w->file = fopen(w->beside, "wb");
    if (w->file == NULL) fail("%s: %s", w->beside, strerror(errno));
}

static void write_bytes(writer *w, const void *bytes, size_t n) {
    if (fwrite(bytes, 1, n, w->file) != n) fail("%s: %s", w->beside, strerror(errno));
}

static void write_end(writer *w) {
    if (fflush(w->file) != 0 || fsync(fileno(w->file)) != 0 || fclose(w->file) != 0 || rename(w->beside, w->path) != 0)
        fail("%s: %s", w->path, strerror(errno));
}

/* ------------------------------------------------------------------------------ checkpoints */

static const char MAGIC[8] = "heed-t1";

/* The sizes tell one model's checkpoint from another's. */
typedef struct {
    char magic[8];
    unsigned long long n_floats, n_trained;
    heed_config config;
    progress p;
} header;

static header describe(heed_trainer *trainer) {
    const heed_parameters *p = trainer_parameters(trainer);
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.n_floats = p->n_floats;
    h.n_trained = p->n_trained;
    h.config = p->config;
    return h;
}

void checkpoint_save(const char *path, heed_trainer *trainer, const progress *p) {
    header h = describe(trainer);
    writer w;
    h.p = *p;
    write_begin(&w, path);
    write_bytes(&w, &h, sizeof h);
    write_bytes(&w, trainer_array(trainer, HEED_TRAIN_WEIGHTS), h.n_floats * sizeof(float));
    write_bytes(&w, trainer_array(trainer, HEED_TRAIN_M), h.n_trained * sizeof(float));
    write_bytes(&w, trainer_array(trainer, HEED_TRAIN_V), h.n_trained * sizeof(float));
    write_end(&w);
}

int checkpoint_product(const char *path, char *name) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    header h;
    const int whole = fread(&h, sizeof h, 1, file) == 1 && memcmp(h.magic, MAGIC, sizeof h.magic) == 0;
    fclose(file);
    if (!whole) fail("%s: not a checkpoint", path);
    memcpy(name, h.p.product, sizeof h.p.product);
    name[sizeof h.p.product - 1] = '\0';
    return 1;
}

int checkpoint_load(const char *path, heed_trainer *trainer, progress *p) {
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno == ENOENT) return 0;
    if (file == NULL) fail("%s: %s", path, strerror(errno));
    header h, want = describe(trainer);
    int whole = fread(&h, sizeof h, 1, file) == 1;
    if (!whole || memcmp(&h, &want, offsetof(header, p)) != 0) fail("%s: a checkpoint of another model", path);
    whole = fread(trainer_array(trainer, HEED_TRAIN_WEIGHTS), sizeof(float), h.n_floats, file) == h.n_floats &&
            fread(trainer_array(trainer, HEED_TRAIN_M), sizeof(float), h.n_trained, file) == h.n_trained &&
            fread(trainer_array(trainer, HEED_TRAIN_V), sizeof(float), h.n_trained, file) == h.n_trained;
    if (!whole) fail("%s: cut short", path);
    fclose(file);
    if (h.p.n_pairs != p->n_pairs) fail("%s: of a corpus of %d pairs, found %d", path, h.p.n_pairs, p->n_pairs);
    *p = h.p;
    if (heed_trainer_set_steps(trainer, h.p.steps) != HEED_OK) fail("%s: after %g steps?", path, h.p.steps);
    return 1;
}

/* ------------------------------------------------------------------------------ safetensors */

/* The header, padded so that the data begins at a multiple of 8; *n its bytes.  Free it. */
static char *make_header(const heed_parameters *p, size_t *n) {
    const size_t room = (size_t)p->n_tensors * (TENSOR_NAME_BYTES + 120) + 64;
    char *text = allocate(room);
    size_t end = 0;
    *n = (size_t)snprintf(text, room, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *t = &p->tensors[i];
        const size_t bytes = (size_t)t->rows * t->cols * sizeof(float);
        /* Hugging Face's shapes: a vector has one dimension, but for this one */
        const int is_vector = t->rows == 1 && strcmp(t->name, "final_logits_bias") != 0;
        *n += (size_t)snprintf(text + *n, room - *n, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[", t->name);
        if (!is_vector) *n += (size_t)snprintf(text + *n, room - *n, "%d,", t->rows);
        *n += (size_t)snprintf(text + *n, room - *n, "%d],\"data_offsets\":[%zu,%zu]}", t->cols, end, end + bytes);
        end += bytes;
    }
    text[(*n)++] = '}';
    while (*n % 8 != 0) text[(*n)++] = ' ';
    return text;
}

void safetensors_save(const char *path, const heed_parameters *p, const float *values) {
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

void safetensors_load(const char *path, const heed_parameters *p, float *values) {
    size_t n, header_bytes;
    unsigned char *bytes = read_file(path, &n);
    char *text = make_header(p, &header_bytes);
    /* only files of our own making: header and all */
    if (n != 8 + header_bytes + p->n_floats * sizeof(float) || memcmp(bytes + 8, text, header_bytes) != 0)
        fail("%s: not a file that heed-train wrote for this model", path);
    const unsigned char *at = bytes + 8 + header_bytes;
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *t = &p->tensors[i];
        const size_t size = (size_t)t->rows * t->cols * sizeof(float);
        memcpy(values + t->offset, at, size);
        at += size;
    }
    free(text);
    free(bytes);
}
