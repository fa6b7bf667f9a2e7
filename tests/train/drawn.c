/*
 * drawn.c - prints the batches that heed-train would learn from, told the same options, as many as --steps says.
 *
 *     pair TAB source ids TAB target ids          ids parted by spaces
 *                                                 with --guided and links: TAB source-target of tokens
 *     end TAB pairs left out TAB epoch TAB position of each corpus
 *
 * Used by ../train-data.test.js.
 */
#include <stdio.h>

#include "train/native/batches.h"
#include "train/native/settings.h"

static void print_ids(const int32_t *ids, int n) {
    for (int i = 0; i < n; i++) printf("%s%d", i ? " " : "\t", ids[i]);
}

int main(int argc, char **argv) {
    static settings s;
    static corpus corpora[MAX_CORPORA];
    static name_set names;
    encoder e;
    (void)argc;
    settings_read(&s, argv);
    encoder_begin(&e, s.spm, s.batches.sample[SOURCE] > 0.0 || s.batches.sample[TARGET] > 0.0);
    e.eos = s.config[settings_field("eos_token_id", 12)];
    for (int i = 0; i < s.n_train; i++) corpus_read(&corpora[i], s.train[i], &e, s.swap);
    if (s.batches.replace > 0.0 && s.names) names_read(&names, s.names);
    else if (s.batches.replace > 0.0) names_harvest(&names, &corpora[0]);
    batches *all = batches_create(corpora, s.shares, s.n_train, &e, &names, &s.batches);
    for (double step = 0; step < s.steps; step++) {
        const batch *b = batches_next(all);
        for (int i = 0; i < b->n_pairs; i++) {
            printf("pair");
            print_ids(b->pairs[i].source, b->pairs[i].n_source);
            print_ids(b->pairs[i].target, b->pairs[i].n_target);
            for (int k = 0; k < b->pairs[i].n_links; k++)
                printf("%s%d-%d", k ? " " : "\t", b->pairs[i].links[k].source, b->pairs[i].links[k].target);
            printf("\n");
        }
        printf("end\t%d", b->n_skipped);
        for (int i = 0; i < s.n_train; i++) printf("\t%lld\t%d", b->after[i].epoch, b->after[i].position);
        printf("\n");
    }
    batches_free(all);
    for (int i = 0; i < s.n_train; i++) corpus_free(&corpora[i]);
    names_free(&names);
    encoder_end(&e);
    return 0;
}
