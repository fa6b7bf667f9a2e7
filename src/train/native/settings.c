/* settings.c - see settings.h for the contract. */
#include "train/native/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train/adam.h"
#include "train/native/products.h"

static const char USAGE[] =
    "heed-train --train FILE[:SHARE] --dev [NAME=]FILE --spm FILE --out DIRECTORY [options]\n"
    "  FILE of pairs: UTF-8, source TAB target; --swap: target TAB source; a source may begin with >>xx<<, the token\n"
    "                             of the target's language, which must be a piece of --spm\n"
    "  --train FILE[:SHARE]       repeatable; target tokens are drawn by SHARE (1), not by the size of the files\n"
    "  --dev [NAME=]FILE          repeatable; held-out pairs, reported under NAME\n"
    "  --init FILE.safetensors    start from these weights, unless the directory has a checkpoint\n"
    "  --config KEY=NUMBER        of config.json, repeatable; default d_model=256, ffn 1024, 3+3 layers, 4 "
    "heads\n"
    "  --minutes N --steps N      stop after this total of all runs; default: when interrupted\n"
    "  --batch N --part N         target tokens per step (4096), and per computation of one thread (1024)\n"
    "  --longest N --join P       most ids per side (128); probability of joining neighbours into one pair (0.1)\n"
    "  --sample-source A --sample-target A\n"
    "                             cut words at random, p ~ exp(A score); 0: the most probable cut (0, 0)\n"
    "  --noise KIND=P,...         probabilities of capitals (both sides), small letters or Title Case (source), of a\n"
    "                             pair without full stops, of curly quotes (source), of typos in a word:\n"
    "                             capitals=P,small=P,title=P,stops=P,quotes=P,typos=P\n"
    "  --replace P                probability that a name or number on both sides is replaced by another (0)\n"
    "  --names FILE               names to insert, one per line; default: names that both sides of a pair have\n"
    "  --invent P                 probability that a name to insert is made of the head and tail of two (0)\n"
    "  --ema D                    model.safetensors is the exponential mean of the weights with decay D; 0: off (0)\n"
    "  --threads N --gemm NAME    default: all processors, the fastest product; --gemm f32: the fastest exact; --list\n"
    "  --optimizer adam|muon      muon: for the matrices of projections, see muon.h (adam)\n"
    "  --rate R --warmup N --schedule inverse-sqrt|constant|cosine --total N\n"
    "                             R: maximal rate; default 0.0007 after 2000 steps, then falling with the square "
    "root\n"
    "  --dropout P --smoothing E --clip N --seed N      0.1, 0.1, 1, 1\n"
    "  --attention-dropout P      of weights of attention (0)\n"
    "  --guided W --guided-head H weight of guided alignment (0) of head H (0) of the last decoder layer, by the\n"
    "                             links \"i-j i-j\" that heed-align writes into the last column of --train and --dev\n"
    "  --sampled-softmax N        the loss is over N words: a part's own, and others drawn to stand for the rest; 0: "
    "all (0)\n"
    "  --save-minutes N           between checkpoints (5)\n"
    "  --report N --evaluate N    steps between reports (50), and between evaluations with snapshots (500)\n"
    "  --keep N                   snapshots whose mean becomes model.safetensors (5)\n";

int settings_field(const char *name, size_t n) {
    for (int i = 0; heed_config_field(i); i++)
        if (strlen(heed_config_field(i)) == n && memcmp(heed_config_field(i), name, n) == 0) return i;
    fail("--config %s: unknown key of config.json", name);
}

static double number(const char *name, const char *text) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0') fail("%s: found '%s', expected a number", name, text);
    return value;
}

/* A number, truncated to an int. */
static int whole(const char *name, const char *text) {
    const double value = number(name, text);
    if (!(value >= -INT32_MAX && value <= INT32_MAX))
        fail("%s: found '%s', expected a number from %d to %d", name, text, -INT32_MAX, INT32_MAX);
    return (int)value;
}

static void set_config(settings *s, const char *text) {
    const char *equals = text ? strchr(text, '=') : NULL;
    if (equals == NULL) fail("--config: expected KEY=NUMBER");
    const int i = settings_field(text, (size_t)(equals - text));
    s->config[i] = whole(text, equals + 1);
    if (strncmp(text, "vocab_size=", 11) == 0) s->vocabulary_given = 1;
}

static void check_range(const char *name, double value, double least, double most) {
    if (!(value >= least && value <= most))
        fail("%s: found %g, expected a number from %g to %g", name, value, least, most);
}

/* typos=0.01,stops=0.03 */
static void set_noise(noise_options *o, char *text) {
    const struct {
        const char *name;
        double *value;
    } KINDS[] = {{"typos", &o->typos},
                 {"stops", &o->stops},
                 {"quotes", &o->quotes},
                 {"capitals", &o->capitals},
                 {"small", &o->small},
                 {"title", &o->title}};
    for (char *kind = strtok(text, ","); kind; kind = strtok(NULL, ",")) {
        char *equals = strchr(kind, '=');
        size_t k = 0;
        if (equals) *equals = '\0';
        while (k < sizeof KINDS / sizeof KINDS[0] && strcmp(KINDS[k].name, kind) != 0) k++;
        if (equals == NULL || k == sizeof KINDS / sizeof KINDS[0])
            fail("--noise: found '%s', expected typos=P, stops=P, quotes=P, capitals=P, small=P or title=P", kind);
        *KINDS[k].value = number("--noise", equals + 1);
        check_range("--noise", *KINDS[k].value, 0.0, 1.0);
    }
    check_range("--noise: capitals, small and title together", o->capitals + o->small + o->title, 0.0, 1.0);
}

/* FILE or FILE:SHARE; the text after the last colon is a share only if all of it is a number. */
static void add_corpus(settings *s, char *text) {
    if (s->n_train == MAX_CORPORA) fail("--train: found more than %d files", MAX_CORPORA);
    char *colon = strrchr(text, ':'), *end = NULL;
    double share = 1.0;
    if (colon) share = strtod(colon + 1, &end);
    if (colon && end != colon + 1 && *end == '\0') *colon = '\0';
    else share = 1.0;
    if (!(share > 0.0 && share <= 1e9)) fail("--train %s: found a share of %g, expected one above 0", text, share);
    s->shares[s->n_train] = share;
    s->train[s->n_train++] = text;
}

/* FILE or NAME=FILE; a name has no slash. */
static void add_held(settings *s, char *text) {
    if (s->n_dev == MAX_HELD) fail("--dev: found more than %d files", MAX_HELD);
    char *equals = strchr(text, '='), *slash = strchr(text, '/');
    const int named = equals && equals > text && (slash == NULL || slash > equals);
    if (named) *equals = '\0';
    held *h = &s->dev[s->n_dev++];
    *h = (held){.name = named ? text : "", .path = named ? equals + 1 : text};
    for (int i = 0; i + 1 < s->n_dev; i++)
        if (strcmp(s->dev[i].name, h->name) == 0)
            fail("--dev: two files have the name '%s'; give each its own, NAME=FILE", h->name);
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
    *s = (settings){.part = 1024,
                    .report = 50,
                    .evaluate = 500,
                    .keep = 5,
                    .batches = {.tokens = 4096, .longest = 128, .join = 0.1},
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

static int optimizer_of(const char *name) {
    if (strcmp(name, "adam") != 0 && strcmp(name, "muon") != 0) fail("--optimizer: expected adam or muon");
    return strcmp(name, "muon") == 0 ? OPTIMIZER_MUON : OPTIMIZER_ADAM;
}

void settings_read(settings *s, char **argv) {
    set_defaults(s);
    const struct {
        const char *name;
        const char **text;
        int *whole;
        int32_t *whole32;
        double *real;
        float *real32;
    } OPTIONS[] = {
        {"--spm", &s->spm, 0, 0, 0, 0},
        {"--out", &s->out, 0, 0, 0, 0},
        {"--init", &s->init, 0, 0, 0, 0},
        {"--names", &s->names, 0, 0, 0, 0},
        {"--gemm", &s->gemm, 0, 0, 0, 0},
        {"--batch", 0, &s->batches.tokens, 0, 0, 0},
        {"--part", 0, &s->part, 0, 0, 0},
        {"--longest", 0, &s->batches.longest, 0, 0, 0},
        {"--threads", 0, &s->threads, 0, 0, 0},
        {"--report", 0, &s->report, 0, 0, 0},
        {"--evaluate", 0, &s->evaluate, 0, 0, 0},
        {"--keep", 0, &s->keep, 0, 0, 0},
        {"--join", 0, 0, 0, &s->batches.join, 0},
        {"--sample-source", 0, 0, 0, &s->batches.sample[SOURCE], 0},
        {"--sample-target", 0, 0, 0, &s->batches.sample[TARGET], 0},
        {"--replace", 0, 0, 0, &s->batches.replace, 0},
        {"--invent", 0, 0, 0, &s->batches.invent, 0},
        {"--ema", 0, 0, 0, &s->ema, 0},
        {"--minutes", 0, 0, 0, &s->minutes, 0},
        {"--steps", 0, 0, 0, &s->steps, 0},
        {"--save-minutes", 0, 0, 0, &s->save_minutes, 0},
        {"--rate", 0, 0, 0, 0, &s->learn.learning_rate},
        {"--dropout", 0, 0, 0, 0, &s->learn.dropout},
        {"--attention-dropout", 0, 0, 0, 0, &s->learn.attention_dropout},
        {"--guided", 0, 0, 0, 0, &s->learn.guided},
        {"--guided-head", 0, 0, &s->learn.guided_head, 0, 0},
        {"--sampled-softmax", 0, 0, &s->learn.sampled_softmax, 0, 0},
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
        char *value = argv[++i];
        if (value == NULL) fail("%s: found no value, expected one; --help lists the options", name);
        if (strcmp(name, "--config") == 0) {
            set_config(s, value);
            continue;
        } else if (strcmp(name, "--train") == 0) {
            add_corpus(s, value);
            continue;
        } else if (strcmp(name, "--dev") == 0) {
            add_held(s, value);
            continue;
        } else if (strcmp(name, "--noise") == 0) {
            set_noise(&s->batches.noise, value);
            continue;
        } else if (strcmp(name, "--optimizer") == 0) {
            s->learn.optimizer = optimizer_of(value);
            continue;
        } else if (strcmp(name, "--schedule") == 0) {
            s->learn.schedule = schedule_of(value);
            continue;
        }
        while (k < sizeof OPTIONS / sizeof OPTIONS[0] && strcmp(OPTIONS[k].name, name) != 0) k++;
        if (k == sizeof OPTIONS / sizeof OPTIONS[0]) fail("%s: no such option; --help lists them", name);
        if (OPTIONS[k].text) *OPTIONS[k].text = value;
        if (OPTIONS[k].whole) *OPTIONS[k].whole = whole(name, value);
        if (OPTIONS[k].whole32) *OPTIONS[k].whole32 = whole(name, value);
        if (OPTIONS[k].real) *OPTIONS[k].real = number(name, value);
        if (OPTIONS[k].real32) *OPTIONS[k].real32 = (float)number(name, value);
    }
    if (s->n_train == 0 || !s->spm || !s->out) fail("--train, --spm and --out are required; --help lists all options");
    if (s->threads < 1) s->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (s->batches.longest < 2 || s->part < s->batches.longest || s->batches.tokens < 1 || s->keep < 1 ||
        s->keep > MAX_KEEP || s->report < 1 || s->evaluate < 1 || s->threads < 1 || s->threads > 256)
        fail("an option is out of range: 2 <= longest <= part, 1 <= batch, keep <= %d, report, evaluate, threads",
             MAX_KEEP);
    check_range("--sample-source", s->batches.sample[SOURCE], 0.0, 100.0);
    check_range("--sample-target", s->batches.sample[TARGET], 0.0, 100.0);
    check_range("--join", s->batches.join, 0.0, 1.0);
    check_range("--replace", s->batches.replace, 0.0, 1.0);
    check_range("--invent", s->batches.invent, 0.0, 1.0);
    check_range("--ema", s->ema, 0.0, 0.9999999);
    if (s->names && s->batches.replace == 0.0) fail("--names: unused without --replace; add --replace or drop --names");
    if (s->batches.invent > 0.0 && s->batches.replace == 0.0)
        fail("--invent: unused without --replace; add --replace or drop --invent");
    s->batches.seed = (uint64_t)s->learn.seed;
    s->learn.model_seed = s->learn.seed;
    s->batches.guided = s->learn.guided > 0.0f;
}
