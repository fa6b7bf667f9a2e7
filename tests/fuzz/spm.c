/* spm.c - the reader of SentencePiece files: any bytes make a tokenizer that works, or a report. */
#include "tokenizers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* a space, letters, a language token, an invalid byte, two characters beyond ASCII, NUL, a combining mark */
    static const char TEXT[] = " a b>>fra<<ab\xFF \xC3\xA9\xF0\x9F\x98\x80\0 e\xCC\x81 ";
    heed_tokenizer *t;
    heed_report report = {0};
    const heed_status status = heed_tokenizer_create(data, size, &t, &report);
    if (status != HEED_OK) {
        REQUIRE(t == NULL && (status == HEED_E_SPM || status == HEED_E_MEMORY));
        REQUIRE(status == HEED_E_MEMORY || report.rule != NULL);
        return 0;
    }
    REQUIRE(heed_tokenizer_size(t) > 0);
    check_text(t, TEXT, 0);
    check_text(t, TEXT, sizeof TEXT - 1);
    /* bytes of the file are the text that its own pieces are found in */
    check_text(t, (const char *)data, size < 64 ? size : 64);
    heed_tokenizer_free(t);
    return 0;
}
