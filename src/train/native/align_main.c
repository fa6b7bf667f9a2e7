/*
 * align_main.c - heed-align: finds the words of sentence pairs that translate each other.
 *
 *     heed-align [options] pairs.tsv ... > aligned.tsv
 *
 * Reads files of pairs and learns from all of them together.  Writes the same lines in the same order with one more
 * column: links "i-j" of word i of the source and word j of the target, counted from 0, as in words.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train/native/align.h"
#include "train/native/files.h"

static const char USAGE[] =
    "heed-align [options] FILE ... > ALIGNED\n"
    "  FILE of pairs: UTF-8, source TAB target [TAB ...]; a source may begin with a language token, >>xx<<\n"
    "  ALIGNED: the lines of all files, with a last column of links \"i-j\": source word, target word\n"
    "  --suffix S                 write the lines of each FILE to FILE with the suffix S instead\n"
    "  --model1 N --hmm N         iterations of each model (5, 5)\n"
    "  --threshold P              least product of a link's probabilities in both directions (0.2)\n"
    "  --threads N                default: all processors\n";

static void show(const char *stage, int iteration) { fprintf(stderr, "%s, iteration %d\n", stage, iteration); }

typedef struct {
    const char *path;
    char *text;
    size_t n;
} input;

/* The end of the line at `line`, and its columns. */
static char *line_end(const input *in, char *line) {
    char *end = memchr(line, '\n', (size_t)(in->text + in->n - line));
    return end ? end : in->text + in->n;
}

static void add_lines(aligner *a, const input *in) {
    size_t number_of = 1;
    for (char *line = in->text, *end; line < in->text + in->n; line = end + 1, number_of++) {
        end = line_end(in, line);
        char *tab = memchr(line, '\t', (size_t)(end - line));
        if (tab == NULL) fail("%s:%zu: no TAB in the line, expected source TAB target", in->path, number_of);
        char *stop = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
        aligner_add(a, line, (size_t)(tab - line), tab + 1, (size_t)((stop ? stop : end) - tab - 1));
    }
}

static size_t write_lines(const aligner *a, const input *in, size_t index, FILE *out) {
    for (char *line = in->text, *end; line < in->text + in->n; line = end + 1, index++) {
        int n;
        const align_link *links = aligner_links(a, index, &n);
        end = line_end(in, line);
        size_t bytes = (size_t)(end - line);
        if (bytes > 0 && line[bytes - 1] == '\r') bytes--;
        fwrite(line, 1, bytes, out);
        putc('\t', out);
        for (int i = 0; i < n; i++) fprintf(out, i ? " %d-%d" : "%d-%d", links[i].source, links[i].target);
        putc('\n', out);
    }
    return index;
}

int main(int argc, char **argv) {
    align_options options = {.model1 = 5, .hmm = 5, .threshold = 0.2, .threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    const char *suffix = NULL, **files = allocate((size_t)argc * sizeof *files);
    const command_option known[] = {
        {.name = "--suffix", .text = &suffix},
        {.name = "--model1", .whole = &options.model1, .least = 0, .most = 100},
        {.name = "--hmm", .whole = &options.hmm, .least = 0, .most = 100},
        {.name = "--threshold", .real = &options.threshold, .least = 1e-6, .most = 1},
        {.name = "--threads", .whole = &options.threads, .least = 1, .most = 256},
    };
    const int n = command_read(argv, USAGE, known, sizeof known / sizeof *known, files);
    if (n == 0) fail("a file of pairs is needed; --help lists all options");
    if (options.threads > 256) options.threads = 256;

    input *inputs = allocate((size_t)n * sizeof *inputs);
    aligner *a = aligner_create(&options);
    for (int i = 0; i < n; i++) {
        inputs[i].path = files[i];
        inputs[i].text = (char *)read_file(inputs[i].path, &inputs[i].n);
        add_lines(a, &inputs[i]);
    }
    aligner_learn(a, show);
    aligner_link(a);
    size_t index = 0;
    for (int i = 0; i < n; i++) {
        FILE *out = stdout;
        if (suffix) {
            char path[4096];
            if ((size_t)snprintf(path, sizeof path, "%s%s", inputs[i].path, suffix) >= sizeof path)
                fail("%s: the name is too long", inputs[i].path);
            out = fopen(path, "wb");
            if (out == NULL) fail("%s: cannot be written", path);
        }
        index = write_lines(a, &inputs[i], index, out);
        if (fflush(out) != 0 || ferror(out)) fail("the output of %s cannot be written", inputs[i].path);
        if (suffix) fclose(out);
        free(inputs[i].text);
    }
    aligner_free(a);
    free(inputs);
    free(files);
    return 0;
}
