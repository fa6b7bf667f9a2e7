/* text.c - normaliser and segmentation: any bytes as text, by every kind of tokenizer. */
#include "tokenizers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    heed_tokenizer *t = golden_tokenizer(take_byte(&in) % N_TOKENIZERS);
    check_text(t, (const char *)in.at, in.left);
    return 0;
}
