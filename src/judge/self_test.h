/* Does the judge hold on this machine? Attacks (attack.h) are given to it as answers, each beside a right one: none may pass or do harm, and each right one
 * must pass. The host is watched, too: a file that must stay as it is, files that must not appear, processes that must not stay. */
#ifndef WEFT_JUDGE_SELF_TEST_H
#define WEFT_JUDGE_SELF_TEST_H

#include "corpus/corpus.h"

typedef struct SelfTestOptions {
    bool all;         /* attacks, not only those of the short test */
    bool gpu;         /* those on a card */
    const char *cuda; /* then: the toolkit's folder; NULL: found */
    const char *warp; /* the version that kernels are made for */
    unsigned jobs;
    const atomic_int *stop;
    void (*progress)(const char *stage, uint64_t done, uint64_t of, void *user);
    void *user;
} SelfTestOptions;

typedef struct SelfTestRow {
    const char *name;
    bool holds;
    const char *words; /* why the answer did not pass; or what is wrong */
} SelfTestRow;

typedef struct SelfTest {
    Arena arena;
    SelfTestRow *rows;
    uint32_t count, cap, held;
    CorpusError error;
} SelfTest;

/* False: it could not be made, and test->error says why; with an empty message, it was stopped. To be freed in any case. */
bool judge_self_test(SelfTest *test, const SelfTestOptions *options);
void self_test_free(SelfTest *test);

#endif
