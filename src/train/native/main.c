/*
 * main.c - heed-train: trains a model from files of sentence pairs until it is stopped, and can continue later.
 *
 *     heed-train --train pairs.tsv --dev pairs.tsv --spm model.spm --out directory [options]
 *
 * Writes to the directory: checkpoint (the whole state, every few minutes and when interrupted), snapshot-N (the
 * weights at the last evaluations), model.safetensors (their mean, or with --ema the exponential mean of all weights),
 * log.tsv (one line per report: "train", "dev", or "dev:NAME" for a held-out file with a name).
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "train/native/batches.h"
#include "train/native/corpus.h"
#include "train/native/files.h"
#include "train/native/mean.h"
#include "train/native/products.h"
#include "train/native/settings.h"
#include "train/native/weights.h"
#include "train/native/workers.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

/* The libraries would start threads beside ours.  They read these variables when they are loaded, so start again. */
static void want_one_thread_in_libraries(char **argv) {
    if (getenv("HEED_TRAIN_STARTED")) return;
    setenv("HEED_TRAIN_STARTED", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

/* ------------------------------------------------------------------------------------- run */

typedef struct {
    settings s;
    heed_trainer *trainer;
    workers *workers;
    encoder encoder;
    corpus train[MAX_CORPORA];
    batch dev[MAX_HELD];
    batches *batches;
    name_set names;
    float *mean; /* of the weights; NULL without --ema */
    progress done;
    int n_skipped;  /* pairs too long to use, since the last report */
    double started; /* now() minus the seconds of earlier runs */
    FILE *log;
    char path[4096];
} run;

static const char *in_out(run *r, const char *name) {
    snprintf(r->path, sizeof r->path, "%s/%s", r->s.out, name);
    return r->path;
}

/* The product that --gemm names.  A continued run keeps its product, so that results stay the same to the last bit. */
static const heed_gemm *choose_product(run *r) {
    const char *name = r->s.gemm;
    if (name && strcmp(name, "f32") == 0) return product_fastest(1);
    if (name && strcmp(name, "auto") == 0) return product_fastest(0);
    if (name == NULL && !checkpoint_product(in_out(r, "checkpoint"), r->done.product)) return product_fastest(0);
    if (name == NULL) name = r->done.product;
    const heed_gemm *gemm = product_find(name);
    if (gemm == NULL) fail("--gemm %s: unsupported by this build; --list shows its products", name);
    return gemm;
}

static void save(run *r) {
    r->done.steps = heed_trainer_steps(r->trainer);
    r->done.seconds = now() - r->started;
    checkpoint_save(in_out(r, "checkpoint"), r->trainer, r->mean, &r->done);
}

/* The newest snapshot replaces the oldest. */
static void snapshot_name(run *r, int index, char *name, size_t room) {
    snprintf(name, room, "snapshot-%d.safetensors", index % r->s.keep);
}

static void snapshot(run *r) {
    char name[64];
    snapshot_name(r, (int)(heed_trainer_steps(r->trainer) / r->s.evaluate), name, sizeof name);
    weights_save(in_out(r, name), trainer_parameters(r->trainer), trainer_array(r->trainer, HEED_TRAIN_WEIGHTS));
}

/*
 * Writes model.safetensors: with --ema the exponential mean of the weights; else the mean of the snapshots, or the
 * current weights if there are none.
 */
static void finish(run *r) {
    const heed_parameters *p = trainer_parameters(r->trainer);
    if (r->mean) {
        weights_save(in_out(r, "model.safetensors"), p, r->mean);
        printf("model.safetensors: the exponential mean of the weights\n");
        return;
    }
    float *sum = allocate(p->n_floats * sizeof *sum), *one = allocate(p->n_floats * sizeof *one);
    int n = 0;
    memset(sum, 0, p->n_floats * sizeof *sum);
    for (int k = 0; k < r->s.keep; k++) {
        char name[64];
        snapshot_name(r, k, name, sizeof name);
        if (access(in_out(r, name), R_OK) != 0) continue;
        weights_load(r->path, p, one);
        for (size_t i = 0; i < p->n_floats; i++) sum[i] += one[i];
        n++;
    }
    if (n == 0) memcpy(sum, trainer_array(r->trainer, HEED_TRAIN_WEIGHTS), p->n_floats * sizeof *sum);
    for (size_t i = 0; n > 1 && i < p->n_floats; i++) sum[i] /= (float)n;
    weights_save(in_out(r, "model.safetensors"), p, sum);
    if (n == 0) printf("model.safetensors: the current weights\n");
    else printf("model.safetensors: the mean of %d snapshots\n", n);
    free(sum);
    free(one);
}

/* The epochs read of each corpus so far, e.g. 0.25,1.90. */
static void write_epochs(const run *r, FILE *file) {
    const corpus_place *p = r->done.corpora;
    if (r->done.n_corpora == 1) fprintf(file, "%lld", p->epoch);
    for (int i = 0; r->done.n_corpora > 1 && i < r->done.n_corpora; i++)
        fprintf(file, "%s%.2f", i ? "," : "", (double)p[i].epoch + (double)p[i].position / p[i].n_pairs);
}

/* The mean alignment loss of linked target tokens; 0 if there are none. */
static double alignment_of(const pass_result *sum) { return sum->linked ? sum->alignment / sum->linked : 0.0; }

static void log_line(run *r, const char *kind, double loss, double norm, double rate, double speed, double alignment) {
    const double steps = heed_trainer_steps(r->trainer);
    fprintf(r->log, "%s\t%.0f\t", kind, steps);
    write_epochs(r, r->log);
    fprintf(r->log, "\t%.0f\t%.1f\t%.6f\t%.4f\t%.3g\t%.0f\t%.4f\n", r->done.tokens, now() - r->started, loss, norm,
            rate, speed, alignment);
    fflush(r->log);
}

/* Evaluates the held-out files and writes a snapshot, of the mean of the weights if there is one. */
static void evaluate(run *r) {
    if (r->mean) mean_swap(r->mean, r->trainer);
    for (int i = 0; i < r->s.n_dev; i++) {
        const char *name = r->s.dev[i].name;
        char kind[128];
        const pass_result sum = workers_run(r->workers, r->dev[i].pairs, r->dev[i].n_pairs, &r->s.learn, 0);
        const double likelihood = sum.likelihood / sum.tokens;
        printf("step %.0f: %s%sheld-out -log p %.4f per token, perplexity %.2f", heed_trainer_steps(r->trainer), name,
               *name ? ": " : "", likelihood, exp(likelihood));
        if (sum.linked) printf(", alignment %.4f", alignment_of(&sum));
        printf("\n");
        snprintf(kind, sizeof kind, *name ? "dev:%s" : "dev", name);
        log_line(r, kind, likelihood, 0.0, 0.0, 0.0, alignment_of(&sum));
    }
    snapshot(r);
    if (r->mean) mean_swap(r->mean, r->trainer);
}

/* Minutes left until the limit of --minutes or --steps; negative without a limit. */
static double minutes_left(const run *r) {
    const double minutes = (now() - r->started) / 60.0, steps = heed_trainer_steps(r->trainer);
    if (r->s.minutes < 1e8) return r->s.minutes - minutes;
    return r->s.steps < 1e14 && steps > 0.0 ? minutes * (r->s.steps / steps - 1.0) : -1.0;
}

static int is_over(const run *r) {
    return interrupted || now() - r->started >= 60.0 * r->s.minutes || heed_trainer_steps(r->trainer) >= r->s.steps;
}

static void print_place(const run *r, long long step) {
    const corpus_place *p = r->done.corpora;
    printf("step %lld, epoch", step);
    if (r->done.n_corpora == 1) {
        printf(" %lld (%2.0f %%)", p->epoch + 1, 100.0 * p->position / p->n_pairs);
    } else {
        printf("s ");
        write_epochs(r, stdout);
    }
}

static void learn(run *r) {
    double loss = 0.0, tokens = 0.0, since = now(), saved = since;
    pass_result guided = {0};
    while (!is_over(r)) {
        const batch *b = batches_next(r->batches);
        const pass_result sum = workers_run(r->workers, b->pairs, b->n_pairs, &r->s.learn, 1);
        heed_train_result result = {.loss = (float)(sum.loss / sum.tokens), .tokens = sum.tokens};
        if (workers_update(r->workers, &result) != HEED_OK) fail("the loss is not finite; try a lower --rate");
        if (r->mean) mean_update(r->mean, r->trainer, r->s.ema);
        r->done.tokens += sum.tokens;
        memcpy(r->done.corpora, b->after, sizeof r->done.corpora);
        r->n_skipped += b->n_skipped;
        loss += sum.loss;
        tokens += sum.tokens;
        guided.alignment += sum.alignment;
        guided.linked += sum.linked;

        const long long step = (long long)heed_trainer_steps(r->trainer);
        const double time = now();
        if (step % r->s.report == 0) {
            const double speed = tokens / (time - since), left = minutes_left(r);
            print_place(r, step);
            printf(": loss %.4f, %.0f tokens/s, norm %.2f, rate %.2e", loss / tokens, speed,
                   (double)result.gradient_norm, (double)result.learning_rate);
            if (guided.linked) printf(", alignment %.4f", alignment_of(&guided));
            if (r->n_skipped) printf(", %d too long", r->n_skipped);
            if (left >= 0.0) printf(", %.0f min left", left);
            printf("\n");
            fflush(stdout);
            r->n_skipped = 0;
            log_line(r, "train", loss / tokens, result.gradient_norm, result.learning_rate, speed,
                     alignment_of(&guided));
            loss = tokens = 0.0;
            guided = (pass_result){0};
            since = time;
        }
        if (step % r->s.evaluate == 0) evaluate(r);
        if (time - saved >= 60.0 * r->s.save_minutes) {
            save(r);
            saved = time;
        }
    }
}

/* Two runs in one directory would overwrite each other's files.  The lock ends with the process. */
static void lock(run *r) {
    const int file = open(in_out(r, "lock"), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) fail("%s: %s", r->path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0) fail("%s: another heed-train is running in this directory", r->s.out);
}

/* Takes the vocabulary size from the tokenizer, unless --config sets it. */
static void set_vocabulary(run *r) {
    if (r->s.vocabulary_given) return;
    r->s.config[settings_field("vocab_size", 10)] = r->s.config[settings_field("decoder_vocab_size", 18)] =
        heed_tokenizer_size(r->encoder.tokenizer);
}

static void read_corpora(run *r) {
    int n_linked = 0;
    r->done.n_corpora = r->s.n_train;
    for (int i = 0; i < r->s.n_train; i++) {
        corpus_read(&r->train[i], r->s.train[i], &r->encoder, r->s.swap);
        r->done.corpora[i].n_pairs = r->train[i].n_pairs;
        n_linked += r->train[i].n_linked > 0;
    }
    if (r->s.batches.guided && n_linked == 0)
        fail("--guided: no pair of --train has links \"i-j\" in its last column; heed-align writes them");
    for (int i = 0; i < r->s.n_dev; i++) {
        corpus c;
        corpus_read(&c, r->s.dev[i].path, &r->encoder, r->s.swap);
        batch_of_corpus(&r->dev[i], &c, &r->encoder, &r->s.batches);
        corpus_free(&c);
        if (r->dev[i].n_pairs == 0)
            fail("%s: no pair of at most --longest %d ids a side", r->s.dev[i].path, r->s.batches.longest);
    }
    if (r->s.batches.replace > 0.0 && r->s.names) names_read(&r->names, r->s.names);
    for (int i = 0; r->s.batches.replace > 0.0 && !r->s.names && i < r->s.n_train; i++)
        names_harvest(&r->names, &r->train[i]);
}

/* Continues from the checkpoint, or starts a new run. */
static void begin(run *r) {
    if (r->s.ema > 0.0) r->mean = mean_create(r->trainer);
    if (checkpoint_load(in_out(r, "checkpoint"), r->trainer, r->mean, &r->done)) {
        batches_go_to(r->batches, r->done.corpora);
        printf("continuing after step %.0f, %.0f minutes\n", r->done.steps, r->done.seconds / 60.0);
        if (r->done.has_mean && !r->mean) printf("without --ema: the mean of the weights so far is dropped\n");
    } else if (r->s.init) {
        weights_load(r->s.init, trainer_parameters(r->trainer), trainer_array(r->trainer, HEED_TRAIN_WEIGHTS));
    }
    /* a new mean begins as the weights */
    if (r->mean && !r->done.has_mean) mean_restart(r->mean, r->trainer);
}

static void describe(const run *r, const heed_gemm *gemm) {
    printf("%zu parameters; %d threads, product %s\n", trainer_parameters(r->trainer)->n_trained, r->s.threads,
           gemm->name);
    for (int i = 0; i < r->s.n_train; i++) {
        printf("%s: %d pairs (%d lines skipped), share %g", r->s.train[i], r->train[i].n_pairs, r->train[i].n_skipped,
               r->s.shares[i]);
        if (r->s.batches.guided) printf(", %d with links", r->train[i].n_linked);
        printf("\n");
    }
    int n_names = 0;
    for (int i = 0; i < r->names.n; i++) n_names += r->names.lists[i].n;
    if (r->s.batches.replace > 0.0) printf("%d names to replace others\n", n_names);
    for (int i = 0; i < r->s.n_dev; i++)
        printf("%s: %d pairs held out (%d too long)\n", r->s.dev[i].path, r->dev[i].n_pairs, r->dev[i].n_skipped);
}

int main(int argc, char **argv) {
    static run r;
    heed_report report = {0};
    (void)argc;
    want_one_thread_in_libraries(argv);
    settings_read(&r.s, argv);
    encoder_begin(&r.encoder, r.s.spm, r.s.batches.sample[SOURCE] > 0.0 || r.s.batches.sample[TARGET] > 0.0);
    set_vocabulary(&r);
    if (mkdir(r.s.out, 0777) != 0 && errno != EEXIST) fail("%s: %s", r.s.out, strerror(errno));
    lock(&r);
    const heed_gemm *gemm = choose_product(&r);

    /* the trainer's own pass is unused, so its size is one token */
    const heed_status status = trainer_create(r.s.config, r.s.n_fields, &r.s.learn, gemm, &r.trainer, &report);
    if (status == HEED_E_MEMORY) fail_status("the trainer", status);
    if (status != HEED_OK)
        fail("%s %s: %s", heed_status_name(status), report.name ? report.name : "", report.rule ? report.rule : "");
    const heed_parameters *p = trainer_parameters(r.trainer);
    r.encoder.eos = p->config.eos_token_id;
    read_corpora(&r);
    r.workers = workers_create(r.trainer, gemm, r.s.threads, r.s.part, r.s.learn.sampled_softmax);
    r.batches = batches_create(r.train, r.s.shares, r.s.n_train, &r.encoder, &r.names, &r.s.batches);
    begin(&r);
    snprintf(r.done.product, sizeof r.done.product, "%s", gemm->name);
    r.started = now() - r.done.seconds;
    describe(&r, gemm);
    fflush(stdout);
    r.log = fopen(in_out(&r, "log.tsv"), "a");
    if (r.log == NULL) fail("%s: %s", r.path, strerror(errno));
    if (ftell(r.log) == 0) fputs("kind\tstep\tepoch\ttokens\tseconds\tloss\tnorm\trate\tspeed\talignment\n", r.log);

    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    learn(&r);
    save(&r);
    finish(&r);

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("stopped after step %.0f, %.1f minutes; peak memory %ld MB\n", r.done.steps, r.done.seconds / 60.0,
           usage.ru_maxrss / 1024);
    workers_free(r.workers);
    batches_free(r.batches);
    for (int i = 0; i < r.s.n_train; i++) corpus_free(&r.train[i]);
    for (int i = 0; i < r.s.n_dev; i++) batch_free(&r.dev[i]);
    names_free(&r.names);
    free(r.mean);
    encoder_end(&r.encoder);
    heed_trainer_free(r.trainer);
    fclose(r.log);
    return 0;
}
