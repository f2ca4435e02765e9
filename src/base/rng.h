/* Random numbers by counter: the n-th draw of a stream is a function of (seed, index, stream, n) alone.
 *
 * So sample i can be made anywhere, in any order, and comes out the same. */
#ifndef WEFT_BASE_RNG_H
#define WEFT_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Rng {
    uint64_t key, counter;
} Rng;

Rng rng_at(uint64_t seed, uint64_t index, uint64_t stream);

#define RNG_GOLDEN 0x9e3779b97f4a7c15u

/* The finaliser of splitmix64: every bit of the input reaches every bit of the result. */
static inline uint64_t rng_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t rng_next(Rng *rng)
{
    return rng_mix(rng->key + RNG_GOLDEN * ++rng->counter);
}

/* 0 … count-1; count > 0 */
static inline uint32_t rng_below(Rng *rng, uint32_t count)
{
    return (uint32_t)(((rng_next(rng) >> 32) * count) >> 32);
}

/* In [0, 1). */
static inline double rng_unit(Rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

int rng_between(Rng *rng, int low, int high); /* both ends included */
bool rng_chance(Rng *rng, double probability);
/* An index with a probability proportional to its weight; the weights must not all be 0. */
uint32_t rng_weighted(Rng *rng, const unsigned *weights, uint32_t count);
/* One of the alternatives of "a|b|c"; the length goes to *len. */
const char *rng_word(Rng *rng, const char *alternatives, size_t *len);

#endif
