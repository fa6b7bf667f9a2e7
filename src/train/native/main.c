/*
 * main.c - heed-train: trains a model from a file of sentence pairs, until told to stop, and goes on where it stopped.
 *
 *     heed-train --train pairs.tsv --dev pairs.tsv --spm model.spm --out directory [options]
 *
 * In the directory: checkpoint (all there is to know, written every few minutes and when interrupted), snapshot-N (the
 * weights at the last evaluations), model.safetensors (their mean), log.tsv (one line a report).
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
#include <time.h>
#include <unistd.h>

#include "train/adam.h"
#include "train/native/corpus.h"
#include "train/native/files.h"
#include "train/native/products.h"
#include "train/native/workers.h"

enum { MAX_KEEP = 32, MAX_FIELDS = 64 };

typedef struct {
    const char *train, *dev, *spm, *out, *gemm;
    int swap, batch, part, longest, threads, report, evaluate, keep;
    double join, minutes, steps, save_minutes;
    heed_train_options learn;
    int32_t config[MAX_FIELDS];
    int n_fields, vocabulary_given;
} settings;

static const char USAGE[] =
    "heed-train --train FILE --dev FILE --spm FILE --out DIRECTORY [options]\n"
    "  FILE of pairs: UTF-8, source TAB target; --swap: target TAB source\n"
    "  --config KEY=NUMBER        of config.json, any number of times; default d_model=256, ffn 1024, 3+3 layers, 4 "
    "heads\n"
    "  --minutes N --steps N      stop after (of all runs together); default: when interrupted\n"
    "  --batch N --part N         target tokens of a step (4096), of what one thread computes at a time (1024)\n"
    "  --longest N --join P       ids of a side (128); probability that neighbours are joined into one pair (0.1)\n"
    "  --threads N --gemm NAME    default: all processors, the fastest product; --gemm f32: the fastest exact; --list\n"
    "  --rate R --warmup N --schedule inverse-sqrt|constant|cosine --total N\n"
    "                             R: greatest rate; default 0.0007 after 2000 steps, then falling with the square "
    "root\n"
    "  --dropout P --smoothing E --clip N --seed N      0.1, 0.1, 1, 1\n"
    "  --save-minutes N           between checkpoints (5)\n"
    "  --report N --evaluate N    steps between lines (50), between evaluations and snapshots (500)\n"
    "  --keep N                   snapshots whose mean becomes model.safetensors (5)\n";

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -------------------------------------------------------------------------------- settings */

static int field_index(const char *name, size_t n) {
    for (int i = 0; heed_config_field(i); i++)
        if (strlen(heed_config_field(i)) == n && memcmp(heed_config_field(i), name, n) == 0) return i;
    fail("--config %s: no such key", name);
}

static double number(const char *name, const char *text) {
    char *end;
    if (text == NULL) fail("%s: what?", name);
    const double value = strtod(text, &end);
    if (end == text || *end != '\0') fail("%s: found '%s', expected a number", name, text);
    return value;
}

static void set_config(settings *s, const char *text) {
    const char *equals = text ? strchr(text, '=') : NULL;
    if (equals == NULL) fail("--config: expected KEY=NUMBER");
    const int i = field_index(text, (size_t)(equals - text));
    s->config[i] = (int32_t)number(text, equals + 1);
    if (strncmp(text, "vocab_size=", 11) == 0) s->vocabulary_given = 1;
}

static void set_defaults(settings *s) {
    static const char *const CONFIG[] = {"d_model=256",
                                         "encoder_layers=3",
                                         "decoder_layers=3",
                                         "encoder_attention_heads=4",
                                         "decoder_attention_heads=4",
                                         "encoder_ffn_dim=1024",
                                         "decoder_ffn_dim=1024",
                                         "activation_function=0",
                                         "max_position_embeddings=512",
                                         "scale_embedding=1",
                                         "share_encoder_decoder_embeddings=1",
                                         "tie_word_embeddings=1",
                                         "eos_token_id=2",
                                         "decoder_start_token_id=0"};
    *s = (settings){.batch = 4096,
                    .part = 1024,
                    .longest = 128,
                    .report = 50,
                    .evaluate = 500,
                    .keep = 5,
                    .join = 0.1,
                    .minutes = 1e9,
                    .steps = 1e15,
                    .save_minutes = 5,
                    .learn = {.learning_rate = 7e-4f,
                              .label_smoothing = 0.1f,
                              .dropout = 0.1f,
                              .clip_norm = 1.0f,
                              .schedule = SCHEDULE_INVERSE_SQRT,
                              .warmup_steps = 2000,
                              .total_steps = 100000,
                              .seed = 1,
                              .model_seed = 1,
                              .max_tokens = 1}};
    while (heed_config_field(s->n_fields)) s->n_fields++;
    for (size_t i = 0; i < sizeof CONFIG / sizeof CONFIG[0]; i++) set_config(s, CONFIG[i]);
}

static int schedule_of(const char *name) {
    static const char *const NAMES[] = {"inverse-sqrt", "constant", "cosine"};
    for (int i = 0; i < 3; i++)
        if (name && strcmp(name, NAMES[i]) == 0) return i;
    fail("--schedule: expected inverse-sqrt, constant or cosine");
}

static void read_arguments(settings *s, char **argv) {
    const struct {
        const char *name;
        const char **text;
        int *whole;
        int32_t *whole32;
        double *real;
        float *real32;
    } OPTIONS[] = {
        {"--train", &s->train, 0, 0, 0, 0},
        {"--dev", &s->dev, 0, 0, 0, 0},
        {"--spm", &s->spm, 0, 0, 0, 0},
        {"--out", &s->out, 0, 0, 0, 0},
        {"--gemm", &s->gemm, 0, 0, 0, 0},
        {"--batch", 0, &s->batch, 0, 0, 0},
        {"--part", 0, &s->part, 0, 0, 0},
        {"--longest", 0, &s->longest, 0, 0, 0},
        {"--threads", 0, &s->threads, 0, 0, 0},
        {"--report", 0, &s->report, 0, 0, 0},
        {"--evaluate", 0, &s->evaluate, 0, 0, 0},
        {"--keep", 0, &s->keep, 0, 0, 0},
        {"--join", 0, 0, 0, &s->join, 0},
        {"--minutes", 0, 0, 0, &s->minutes, 0},
        {"--steps", 0, 0, 0, &s->steps, 0},
        {"--save-minutes", 0, 0, 0, &s->save_minutes, 0},
        {"--rate", 0, 0, 0, 0, &s->learn.learning_rate},
        {"--dropout", 0, 0, 0, 0, &s->learn.dropout},
        {"--smoothing", 0, 0, 0, 0, &s->learn.label_smoothing},
        {"--clip", 0, 0, 0, 0, &s->learn.clip_norm},
        {"--warmup", 0, 0, &s->learn.warmup_steps, 0, 0},
        {"--total", 0, 0, &s->learn.total_steps, 0, 0},
        {"--seed", 0, 0, &s->learn.seed, 0, 0},
    };
    for (int i = 1; argv[i]; i++) {
        const char *name = argv[i];
        size_t k = 0;
        if (strcmp(name, "--help") == 0) {
            fputs(USAGE, stdout);
            exit(0);
        } else if (strcmp(name, "--list") == 0) {
            product_list();
            exit(0);
        } else if (strcmp(name, "--swap") == 0) {
            s->swap = 1;
            continue;
        }
        const char *value = argv[++i];
        if (value == NULL) fail("%s: what?", name);
        if (strcmp(name, "--config") == 0) {
            set_config(s, value);
            continue;
        } else if (strcmp(name, "--schedule") == 0) {
            s->learn.schedule = schedule_of(value);
            continue;
        }
        while (k < sizeof OPTIONS / sizeof OPTIONS[0] && strcmp(OPTIONS[k].name, name) != 0) k++;
        if (k == sizeof OPTIONS / sizeof OPTIONS[0]) fail("%s: no such option; --help lists them", name);
        if (OPTIONS[k].text) *OPTIONS[k].text = value;
        if (OPTIONS[k].whole) *OPTIONS[k].whole = (int)number(name, value);
        if (OPTIONS[k].whole32) *OPTIONS[k].whole32 = (int32_t)number(name, value);
        if (OPTIONS[k].real) *OPTIONS[k].real = number(name, value);
        if (OPTIONS[k].real32) *OPTIONS[k].real32 = (float)number(name, value);
    }
    if (!s->train || !s->spm || !s->out) fail("--train, --spm and --out are needed; --help lists all options");
    if (s->threads < 1) s->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (s->longest < 2 || s->part < s->longest || s->batch < 1 || s->keep < 1 || s->keep > MAX_KEEP || s->report < 1 ||
        s->evaluate < 1 || s->threads < 1 || s->threads > 256)
        fail("an option is out of range: 2 <= longest <= part, 1 <= batch, keep <= %d, report, evaluate, threads",
             MAX_KEEP);
    s->learn.model_seed = s->learn.seed;
}

/* The libraries would start threads of their own beside ours.  They read this when they are loaded: so, once more. */
static void want_one_thread_in_libraries(char **argv) {
    if (getenv("HEED_TRAIN_STARTED")) return;
    setenv("HEED_TRAIN_STARTED", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

/* The tokenizer says how many pieces there are, unless --config did. */
static void set_vocabulary(settings *s) {
    if (s->vocabulary_given) return;
    size_t n;
    unsigned char *bytes = read_file(s->spm, &n);
    heed_tokenizer *tokenizer;
    const heed_status status = heed_tokenizer_create(bytes, n, &tokenizer, NULL);
    free(bytes);
    if (status != HEED_OK) fail_status(s->spm, status);
    s->config[field_index("vocab_size", 10)] = s->config[field_index("decoder_vocab_size", 18)] =
        heed_tokenizer_size(tokenizer);
    heed_tokenizer_free(tokenizer);
}

/* ------------------------------------------------------------------------------------- run */

typedef struct {
    settings s;
    heed_trainer *trainer;
    workers *workers;
    corpus train, dev;
    batches batches;
    progress done;
    double started; /* now() minus the seconds of earlier runs */
    FILE *log;
    char path[4096];
} run;

static const char *in_out(run *r, const char *name) {
    snprintf(r->path, sizeof r->path, "%s/%s", r->s.out, name);
    return r->path;
}

/* What --gemm asks for; a run that goes on keeps the product it had, for the sake of the last bits. */
static const heed_gemm *choose_product(run *r) {
    const char *name = r->s.gemm;
    if (name && strcmp(name, "f32") == 0) return product_fastest(1);
    if (name && strcmp(name, "auto") == 0) return product_fastest(0);
    if (name == NULL && !checkpoint_product(in_out(r, "checkpoint"), r->done.product)) return product_fastest(0);
    if (name == NULL) name = r->done.product;
    const heed_gemm *gemm = product_find(name);
    if (gemm == NULL) fail("--gemm %s: this build has no such product; --list shows those it has", name);
    return gemm;
}

static void save(run *r) {
    r->done.steps = heed_trainer_steps(r->trainer);
    r->done.epoch = r->batches.epoch;
    r->done.position = r->batches.position;
    r->done.seconds = now() - r->started;
    checkpoint_save(in_out(r, "checkpoint"), r->trainer, &r->done);
}

/* Snapshots go round: the newest takes the place of the oldest. */
static void snapshot_name(run *r, int index, char *name, size_t room) {
    snprintf(name, room, "snapshot-%d.safetensors", index % r->s.keep);
}

static void snapshot(run *r) {
    char name[64];
    snapshot_name(r, (int)(heed_trainer_steps(r->trainer) / r->s.evaluate), name, sizeof name);
    safetensors_save(in_out(r, name), trainer_parameters(r->trainer), trainer_array(r->trainer, HEED_TRAIN_WEIGHTS));
}

/* model.safetensors: the mean of the snapshots there are, or the weights as they are if there is none. */
static void average(run *r) {
    const heed_parameters *p = trainer_parameters(r->trainer);
    float *sum = allocate(p->n_floats * sizeof *sum), *one = allocate(p->n_floats * sizeof *one);
    int n = 0;
    memset(sum, 0, p->n_floats * sizeof *sum);
    for (int k = 0; k < r->s.keep; k++) {
        char name[64];
        snapshot_name(r, k, name, sizeof name);
        if (access(in_out(r, name), R_OK) != 0) continue;
        safetensors_load(r->path, p, one);
        for (size_t i = 0; i < p->n_floats; i++) sum[i] += one[i];
        n++;
    }
    if (n == 0) memcpy(sum, trainer_array(r->trainer, HEED_TRAIN_WEIGHTS), p->n_floats * sizeof *sum);
    for (size_t i = 0; n > 1 && i < p->n_floats; i++) sum[i] /= (float)n;
    safetensors_save(in_out(r, "model.safetensors"), p, sum);
    printf("model.safetensors: the mean of %d snapshots\n", n);
    free(sum);
    free(one);
}

static void log_line(run *r, const char *kind, double loss, double norm, double rate, double speed) {
    const double steps = heed_trainer_steps(r->trainer);
    fprintf(r->log, "%s\t%.0f\t%lld\t%.0f\t%.1f\t%.6f\t%.4f\t%.3g\t%.0f\n", kind, steps, r->batches.epoch,
            r->done.tokens, now() - r->started, loss, norm, rate, speed);
    fflush(r->log);
}

static void evaluate(run *r) {
    if (r->dev.n_pairs > 0) {
        const pass_result sum = workers_run(r->workers, r->dev.pairs, r->dev.n_pairs, &r->s.learn, 0);
        const double likelihood = sum.likelihood / sum.tokens;
        printf("step %.0f: held-out -log p %.4f a token, perplexity %.2f\n", heed_trainer_steps(r->trainer), likelihood,
               exp(likelihood));
        log_line(r, "dev", likelihood, 0.0, 0.0, 0.0);
    }
    snapshot(r);
}

/* What the minutes or steps that were asked for leave, in minutes; negative if nobody asked. */
static double minutes_left(const run *r) {
    const double minutes = (now() - r->started) / 60.0, steps = heed_trainer_steps(r->trainer);
    if (r->s.minutes < 1e8) return r->s.minutes - minutes;
    return r->s.steps < 1e14 && steps > 0.0 ? minutes * (r->s.steps / steps - 1.0) : -1.0;
}

static int is_over(const run *r) {
    return interrupted || now() - r->started >= 60.0 * r->s.minutes || heed_trainer_steps(r->trainer) >= r->s.steps;
}

static void learn(run *r) {
    double loss = 0.0, tokens = 0.0, since = now(), saved = since;
    while (!is_over(r)) {
        batches_next(&r->batches, r->s.batch);
        const pass_result sum = workers_run(r->workers, r->batches.pairs, r->batches.n_pairs, &r->s.learn, 1);
        heed_train_result result = {.loss = (float)(sum.loss / sum.tokens), .tokens = sum.tokens};
        if (trainer_update(r->trainer, &result) != HEED_OK) fail("the loss is not finite: a lower --rate?");
        r->done.tokens += sum.tokens;
        loss += sum.loss;
        tokens += sum.tokens;

        const long long step = (long long)heed_trainer_steps(r->trainer);
        const double time = now();
        if (step % r->s.report == 0) {
            const double speed = tokens / (time - since), left = minutes_left(r);
            printf("step %lld, epoch %lld (%2.0f %%): loss %.4f, %.0f tokens/s, norm %.2f, rate %.2e", step,
                   r->batches.epoch + 1, 100.0 * r->batches.position / r->train.n_pairs, loss / tokens, speed,
                   (double)result.gradient_norm, (double)result.learning_rate);
            if (left >= 0.0) printf(", %.0f min left", left);
            printf("\n");
            fflush(stdout);
            log_line(r, "train", loss / tokens, result.gradient_norm, result.learning_rate, speed);
            loss = tokens = 0.0;
            since = time;
        }
        if (step % r->s.evaluate == 0) evaluate(r);
        if (time - saved >= 60.0 * r->s.save_minutes) {
            save(r);
            saved = time;
        }
    }
}

/* Two at once in one directory would write over each other.  The lock goes with the process, however it ends. */
static void lock(run *r) {
    const int file = open(in_out(r, "lock"), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) fail("%s: %s", r->path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0) fail("%s: another heed-train is at work there", r->s.out);
}

int main(int argc, char **argv) {
    static run r;
    heed_report report = {0};
    (void)argc;
    want_one_thread_in_libraries(argv);
    set_defaults(&r.s);
    read_arguments(&r.s, argv);
    set_vocabulary(&r.s);
    if (mkdir(r.s.out, 0777) != 0 && errno != EEXIST) fail("%s: %s", r.s.out, strerror(errno));
    lock(&r);
    const heed_gemm *gemm = choose_product(&r);

    /* the trainer's own pass stays unused: of one token */
    const heed_status status = trainer_create(r.s.config, r.s.n_fields, &r.s.learn, gemm, &r.trainer, &report);
    if (status == HEED_E_MEMORY) fail_status("the trainer", status);
    if (status != HEED_OK)
        fail("%s %s: %s", heed_status_name(status), report.name ? report.name : "", report.rule ? report.rule : "");
    const heed_parameters *p = trainer_parameters(r.trainer);
    corpus_read(&r.train, r.s.train, r.s.spm, p->config.eos_token_id, r.s.swap, r.s.longest);
    if (r.s.dev) corpus_read(&r.dev, r.s.dev, r.s.spm, p->config.eos_token_id, r.s.swap, r.s.longest);
    r.workers = workers_create(r.trainer, gemm, r.s.threads, r.s.part);
    batches_begin(&r.batches, &r.train, (uint64_t)r.s.learn.seed, r.s.join, r.s.longest);

    r.done.n_pairs = r.train.n_pairs;
    if (checkpoint_load(in_out(&r, "checkpoint"), r.trainer, &r.done)) {
        r.batches.epoch = r.done.epoch;
        r.batches.position = r.done.position;
        printf("going on after step %.0f, %.0f minutes\n", r.done.steps, r.done.seconds / 60.0);
    }
    snprintf(r.done.product, sizeof r.done.product, "%s", gemm->name);
    r.started = now() - r.done.seconds;
    printf("%zu parameters; %d pairs (%d skipped), %lld target tokens; %d held out; %d threads, product %s\n",
           p->n_trained, r.train.n_pairs, r.train.n_skipped, r.train.tokens, r.dev.n_pairs, r.s.threads, gemm->name);
    fflush(stdout);
    r.log = fopen(in_out(&r, "log.tsv"), "a");
    if (r.log == NULL) fail("%s: %s", r.path, strerror(errno));
    if (ftell(r.log) == 0) fputs("kind\tstep\tepoch\ttokens\tseconds\tloss\tnorm\trate\tspeed\n", r.log);

    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    learn(&r);
    save(&r);
    average(&r);

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("stopped after step %.0f, %.1f minutes; peak memory %ld MB\n", r.done.steps, r.done.seconds / 60.0,
           usage.ru_maxrss / 1024);
    workers_free(r.workers);
    heed_trainer_free(r.trainer);
    fclose(r.log);
    return 0;
}
