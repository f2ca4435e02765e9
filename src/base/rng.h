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
uint64_t rng_next(Rng *rng);

uint32_t rng_below(Rng *rng, uint32_t count); /* 0 … count-1; count > 0 */
int rng_between(Rng *rng, int low, int high); /* both ends included */
double rng_unit(Rng *rng);                    /* in [0, 1) */
bool rng_chance(Rng *rng, double probability);
/* An index with a probability proportional to its weight; the weights must not all be 0. */
uint32_t rng_weighted(Rng *rng, const unsigned *weights, uint32_t count);
/* One of the alternatives of "a|b|c"; the length goes to *len. */
const char *rng_word(Rng *rng, const char *alternatives, size_t *len);

#endif
