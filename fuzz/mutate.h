/* Sources spoiled at random: bytes, tokens, lines, nesting, and parts of other sources.
 *
 * What comes out depends only on the pool and on (seed, index), so that a finding can be made again. */
#ifndef WEFT_FUZZ_MUTATE_H
#define WEFT_FUZZ_MUTATE_H

#include "base/rng.h"
#include "base/text.h"

typedef struct PoolSource {
    const char *text;
    size_t len;
    uint32_t *blocks; /* where its top-level statements start; the last entry is its length */
    uint32_t block_count;
} PoolSource;

typedef struct Word {
    const char *text;
    uint32_t len;
} Word;

/* What mutated files are made of. */
typedef struct Pool {
    Arena arena;
    PoolSource *sources;
    uint32_t count, cap;
    Word *words; /* names and numbers of all of them */
    uint32_t word_count, word_cap;
} Pool;

void pool_init(Pool *pool);
void pool_add(Pool *pool, const char *text, size_t len); /* copies it */
void pool_free(Pool *pool);

/* File `index` of `seed`; the pool must not be empty. */
void mutate(const Pool *pool, uint64_t seed, uint64_t index, Text *out);

#endif
