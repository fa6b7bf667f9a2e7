/* decode.c - pieces to text: any ids and any strings, in any order. */
#include "tokenizers.h"

enum { MOST = 512, ROOM = 1 << 15, STRING = 192 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char pieces[ROOM];
    static int32_t lengths[MOST];
    input in = {data, size};
    heed_tokenizer *t = golden_tokenizer(take_byte(&in) % N_TOKENIZERS);
    const char *text;
    size_t length, used = 0;
    int n = 0;
    for (; n < MOST && in.left > 0; n++) {
        /* a byte says whether a piece of the file follows or a string, and how long that is */
        const int kind = take_byte(&in);
        size_t bytes = kind < STRING ? 0 : (size_t)(kind - STRING);
        const char *piece;
        if (kind < STRING) {
            int32_t n_piece, type;
            piece = heed_tokenizer_piece(t, (kind << 8 | take_byte(&in)) % heed_tokenizer_size(t), &n_piece, &type);
            bytes = (size_t)n_piece;
        } else {
            piece = take_bytes(&in, &bytes);
        }
        if (bytes > ROOM - used) break;
        memcpy(pieces + used, piece, bytes);
        used += bytes;
        lengths[n] = (int32_t)bytes;
    }
    /* at its exact size, so that a read past the end is seen */
    char *exact = malloc(used ? used : 1);
    if (exact == NULL) return 0;
    memcpy(exact, pieces, used);
    REQUIRE(heed_tokenizer_decode(t, exact, lengths, n, &text, &length) == HEED_OK);
    REQUIRE(text != NULL);
    free(exact);

    if (n > 0) {
        lengths[n - 1] = -1;
        REQUIRE(heed_tokenizer_decode(t, pieces, lengths, n, &text, &length) == HEED_E_ARGUMENT);
        REQUIRE(text == NULL && length == 0);
    }
    return 0;
}
