/* status.c - see status.h for the contract. */
#include "base/status.h"

#include <stddef.h>

#define NAME(code) \
    case code: return #code

const char *heed_status_name(int status) {
    switch (status) {
        NAME(HEED_OK);
        NAME(HEED_E_ARGUMENT);
        NAME(HEED_E_MEMORY);
        NAME(HEED_E_ID);
        NAME(HEED_E_LENGTH);
        NAME(HEED_E_STATE);
        NAME(HEED_E_WASM);
        NAME(HEED_E_FILE);
        NAME(HEED_E_JSON);
        NAME(HEED_E_CONFIG);
        NAME(HEED_E_SAFETENSORS);
        NAME(HEED_E_TENSOR_MISSING);
        NAME(HEED_E_TENSOR_UNKNOWN);
        NAME(HEED_E_TENSOR_SHAPE);
        NAME(HEED_E_TENSOR_DTYPE);
        NAME(HEED_E_TENSOR_VALUE);
        NAME(HEED_E_HASH);
        NAME(HEED_E_SPM);
        NAME(HEED_E_VOCAB);
        NAME(HEED_E_TOKENIZER);
        NAME(HEED_E_LANGUAGE);
        NAME(HEED_E_DIVERGED);
        default: return "HEED_E_?";
    }
}

heed_status status_report(heed_status status, heed_report *report, const char *name, const char *rule, int32_t found) {
    if (report) *report = (heed_report){name, rule, found};
    return status;
}
