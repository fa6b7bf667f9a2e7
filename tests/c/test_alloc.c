/*
 * test_alloc.c - who allocates, and what happens when it fails.
 *
 * The library's only calls of malloc and free are in arena.c, so this program compiles that file with
 * counting ones of its own; the archive's arena.o is then not linked.
 */
#include <stdlib.h>

static long n_allocated, n_freed, fail_at;

static void *counting_malloc(size_t n) { return ++n_allocated == fail_at ? NULL : malloc(n); }

static void counting_free(void *p) {
    n_freed++;
    free(p);
}

#define malloc counting_malloc
#define free   counting_free
#include "base/arena.c"
#undef malloc
#undef free

#include "check.h"
#include "random_model.h"

/* One of each: greedy, beams, teacher forcing.  Returns the status of the session's creation. */
static heed_status use(const heed_model *model) {
    static const int32_t SOURCE[4] = {8, 9, 10, 2};
    const heed_session_options options = {16, 32, 4, 3};
    float log_prob, out[4 * 24];
    int32_t running, row;
    heed_session *session;
    const heed_status status = heed_session_create(model, &options, &session);
    if (status != HEED_OK) return status;
    const long before = n_allocated;
    for (int beams = 1; beams <= 4; beams += 3) {
        const heed_search_options rules = {
            .beams = beams, .max_tokens = 32, .length_penalty = 1.0f, .ngrams = 0.5f};
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        for (int i = 0; i < 3; i++) CHECK_INT(heed_search_add(session, SOURCE + i, 4 - i, &row), HEED_OK);
        do CHECK_INT(heed_search_step(session, &running), HEED_OK);
        while (running);
        heed_search_end(session);
    }
    CHECK_INT(heed_forward(session, SOURCE, 4, SOURCE, 4), HEED_OK);
    CHECK(heed_forward_logits(session, 3, &log_prob) != NULL);
    CHECK_INT(heed_encode(session, SOURCE, 4, out), HEED_OK);
    CHECK_INT(n_allocated, before); /* nothing allocates after a session's creation */
    heed_session_free(session);
    return HEED_OK;
}

int main(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);

    heed_model *model = random_model(config, n, 1, 4096);
    CHECK(model != NULL);
    CHECK_INT(n_allocated, 1); /* a model is one block */
    CHECK_INT(use(model), HEED_OK);
    CHECK_INT(n_allocated, 2); /* so is a session */
    CHECK_INT(add_ngram(model), HEED_OK);
    CHECK_INT(n_allocated, 3); /* so are n-grams */
    CHECK_INT(use(model), HEED_OK);
    CHECK_INT(n_allocated, 4);
    CHECK_INT(add_ngram(model), HEED_E_STATE);
    CHECK_INT(n_allocated, 4); /* what is refused takes nothing */
    heed_model_free(model);
    CHECK_INT(n_freed, 4);

    for (fail_at = 1; fail_at <= 2; fail_at++) {
        n_allocated = n_freed = 0;
        heed_model *unlucky;
        const heed_status created = heed_model_create(config, n, &unlucky, NULL);
        CHECK_INT(created, fail_at == 1 ? HEED_E_MEMORY : HEED_OK);
        CHECK((unlucky == NULL) == (fail_at == 1));
        heed_model_free(unlucky);
        if (fail_at == 2) {
            n_allocated = 0;
            model = random_model(config, n, 1, 4096);
            CHECK_INT(use(model), HEED_E_MEMORY);
            CHECK_INT(use(model), HEED_OK); /* and the model is still good */
            heed_model_free(model);
        }
    }

    heed_arena arena = {0};
    arena_push(&arena, SIZE_MAX / 2, 4);
    CHECK(arena.overflow && arena_block(&arena) == NULL);
    arena = (heed_arena){0};
    arena_floats(&arena, 1 << 20, 1 << 20, SIZE_MAX / 4);
    CHECK(arena.overflow);
    return check_summary("alloc");
}
