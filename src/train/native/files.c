/* files.c - see files.h for the contract. */
#include "train/native/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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
    if (p == NULL) fail("out of memory: %zu bytes are needed", bytes);
    return p;
}

double number_between(const char *name, const char *text, double least, double most) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most))
        fail("%s: found '%s', expected a number from %g to %g", name, text, least, most);
    return value;
}

int command_read(char **argv, const char *usage, const command_option *options, int n, const char **files) {
    int n_files = 0;
    for (int i = 1; argv[i]; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        if (strncmp(name, "--", 2) != 0) {
            files[n_files++] = name;
            continue;
        }
        const char *value = argv[++i];
        int k = 0;
        if (value == NULL) fail("%s: found no value, expected one; --help lists the options", name);
        while (k < n && strcmp(options[k].name, name) != 0) k++;
        if (k == n) fail("%s: no such option; --help lists them", name);
        const command_option *o = &options[k];
        if (o->text) *o->text = value;
        if (o->whole) *o->whole = (int)number_between(name, value, o->least, o->most);
        if (o->real) *o->real = number_between(name, value, o->least, o->most);
    }
    return n_files;
}

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
    if (ferror(file)) fail("%s: cannot read the file", path);
    fclose(file);
    bytes[*n] = '\0';
    return bytes;
}

/* ---------------------------------------------------------------------------------- saving */

void write_begin(writer *w, const char *path) {
    w->path = path;
    snprintf(w->beside, sizeof w->beside, "%s.writing", path);
    w->file = fopen(w->beside, "wb");
    if (w->file == NULL) fail("%s: %s", w->beside, strerror(errno));
}

void write_bytes(writer *w, const void *bytes, size_t n) {
    if (fwrite(bytes, 1, n, w->file) != n) fail("%s: %s", w->beside, strerror(errno));
}

void write_end(writer *w) {
    if (fflush(w->file) != 0 || fsync(fileno(w->file)) != 0 || fclose(w->file) != 0 || rename(w->beside, w->path) != 0)
        fail("%s: %s", w->path, strerror(errno));
}

/* ------------------------------------------------------------------------------ checkpoints */

/* The last character is the format's version. */
static const char MAGIC[8] = "heed-t2";

/* Fields of a configuration when the format was made.  Later ones are at the end, and 0 in older checkpoints. */
enum { FIRST_FIELDS = 22, MORE_FIELDS = sizeof(heed_config) / sizeof(int32_t) - FIRST_FIELDS };

/* The sizes distinguish checkpoints of different models. */
typedef union {
    struct {
        char magic[8];
        unsigned long long n_floats, n_trained;
        int32_t config[FIRST_FIELDS];
        progress p;
        int32_t more[MORE_FIELDS];
    } is;
    unsigned char bytes[CHECKPOINT_HEADER];
} header;

_Static_assert(sizeof(header) == CHECKPOINT_HEADER, "the header's fields fit");
_Static_assert(offsetof(heed_config, decoder_cell) == FIRST_FIELDS * sizeof(int32_t), "later fields follow the first");

static header describe(heed_trainer *trainer) {
    const heed_parameters *p = trainer_parameters(trainer);
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.is.magic, MAGIC, sizeof h.is.magic);
    h.is.n_floats = p->n_floats;
    h.is.n_trained = p->n_trained;
    memcpy(h.is.config, &p->config, sizeof h.is.config);
    memcpy(h.is.more, (const char *)&p->config + sizeof h.is.config, sizeof h.is.more);
    return h;
}

void checkpoint_save(const char *path, heed_trainer *trainer, const float *mean, const progress *p) {
    header h = describe(trainer);
    writer w;
    h.is.p = *p;
    h.is.p.has_mean = mean != NULL;
    write_begin(&w, path);
    write_bytes(&w, &h, sizeof h);
    write_bytes(&w, trainer_array(trainer, HEED_TRAIN_WEIGHTS), h.is.n_floats * sizeof(float));
    write_bytes(&w, trainer_array(trainer, HEED_TRAIN_M), h.is.n_trained * sizeof(float));
    write_bytes(&w, trainer_array(trainer, HEED_TRAIN_V), h.is.n_trained * sizeof(float));
    if (mean) write_bytes(&w, mean, h.is.n_floats * sizeof(float));
    write_end(&w);
}

/* The header of a checkpoint; NULL if there is no file, else the file, open after the header. */
static FILE *open_checkpoint(const char *path, header *h) {
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno == ENOENT) return NULL;
    if (file == NULL) fail("%s: %s", path, strerror(errno));
    const int whole = fread(h, sizeof *h, 1, file) == 1;
    if (memcmp(h->is.magic, MAGIC, 6) != 0) fail("%s: not a checkpoint", path);
    if (memcmp(h->is.magic, MAGIC, sizeof MAGIC) != 0)
        fail("%s: found a checkpoint of format %.7s, expected %s; train in another directory, with --init to use its "
             "model.safetensors",
             path, h->is.magic, MAGIC);
    if (!whole) fail("%s: cut short", path);
    return file;
}

int checkpoint_product(const char *path, char *name) {
    header h = {0};
    FILE *file = open_checkpoint(path, &h);
    if (file == NULL) return 0;
    fclose(file);
    memcpy(name, h.is.p.product, sizeof h.is.p.product);
    name[sizeof h.is.p.product - 1] = '\0';
    return 1;
}

static void check_corpora(const char *path, const progress *found, const progress *expected) {
    if (found->n_corpora != expected->n_corpora)
        fail("%s: its run had %d --train files, found %d", path, found->n_corpora, expected->n_corpora);
    for (int i = 0; i < expected->n_corpora; i++)
        if (found->corpora[i].n_pairs != expected->corpora[i].n_pairs)
            fail("%s: --train file %d had %d pairs, found %d", path, i + 1, found->corpora[i].n_pairs,
                 expected->corpora[i].n_pairs);
}

int checkpoint_load(const char *path, heed_trainer *trainer, float *mean, progress *p) {
    header h = {0}, want = describe(trainer);
    FILE *file = open_checkpoint(path, &h);
    if (file == NULL) return 0;
    if (memcmp(&h, &want, offsetof(header, is.p)) != 0 || memcmp(h.is.more, want.is.more, sizeof h.is.more) != 0)
        fail("%s: a checkpoint of another model", path);
    check_corpora(path, &h.is.p, p);
    const size_t n = h.is.n_floats, trained = h.is.n_trained;
    if (fread(trainer_array(trainer, HEED_TRAIN_WEIGHTS), sizeof(float), n, file) != n ||
        fread(trainer_array(trainer, HEED_TRAIN_M), sizeof(float), trained, file) != trained ||
        fread(trainer_array(trainer, HEED_TRAIN_V), sizeof(float), trained, file) != trained ||
        (mean && h.is.p.has_mean && fread(mean, sizeof(float), n, file) != n))
        fail("%s: cut short", path);
    fclose(file);
    *p = h.is.p;
    if (heed_trainer_set_steps(trainer, p->steps) != HEED_OK) fail("%s: after %g steps?", path, p->steps);
    return 1;
}
