/*
 * status.h - all status codes, with fixed numbers.
 *
 * A number never changes its meaning.  A new code gets the next number of its group.  The names are in status.c only;
 * hosts read them from there.
 *
 * Depends on: nothing.  Used by: everyone.
 */
#ifndef HEED_BASE_STATUS_H
#define HEED_BASE_STATUS_H

#include <stdint.h>

typedef enum {
    HEED_OK = 0,
    /* 1-9: the caller */
    HEED_E_ARGUMENT = 1, /* an option or size is out of range                    */
    HEED_E_MEMORY = 2,   /* out of memory                                        */
    HEED_E_ID = 3,       /* a token id is outside the vocabulary                 */
    HEED_E_LENGTH = 4,   /* a sequence is empty, or longer than model or session allow */
    HEED_E_STATE = 5,    /* the object is disposed, busy, or calls came out of order */
    HEED_E_WASM = 6,     /* the wasm module is missing, not ours, or broke        */
    /* 10-19: the model's files */
    HEED_E_FILE = 10,        /* a file is missing or cannot be read                */
    HEED_E_JSON = 11,        /* not JSON, or not of the expected form              */
    HEED_E_CONFIG = 12,      /* config.json asks for something unsupported or impossible */
    HEED_E_SAFETENSORS = 13, /* the container breaks the format's rules            */
    HEED_E_TENSOR_MISSING = 14,
    HEED_E_TENSOR_UNKNOWN = 15,
    HEED_E_TENSOR_SHAPE = 16,
    HEED_E_TENSOR_DTYPE = 17,
    HEED_E_TENSOR_VALUE = 18, /* NaN or infinity, in a file or in a result of its weights */
    HEED_E_HASH = 19,         /* sha256 or size differs from heed.json */
    /* 20-29: text */
    HEED_E_SPM = 20,       /* not a SentencePiece model, or its fields contradict each other */
    HEED_E_VOCAB = 21,     /* vocab.json lacks what the model needs */
    HEED_E_TOKENIZER = 22, /* the model came without a tokenizer */
    HEED_E_LANGUAGE = 23,  /* the language is not one of the model's */
    /* 30-39: training */
    HEED_E_DIVERGED = 30 /* the loss or a gradient is not finite; the step changed no weight */
} heed_status;

/* "HEED_E_MEMORY" and so on; "HEED_E_?" for any other number.  Static. */
const char *heed_status_name(int status);

/* What failed, so that the host can name it.  Strings are static or owned by the model. */
typedef struct {
    const char *name; /* config key, tensor name, field of a file; NULL if none  */
    const char *rule; /* what was expected, in words; NULL if the status says it */
    int32_t found;    /* the offending number                                    */
} heed_report;

/* Write *report, unless it is NULL.  Returns `status`. */
heed_status status_report(heed_status status, heed_report *report, const char *name, const char *rule, int32_t found);

#endif /* HEED_BASE_STATUS_H */
