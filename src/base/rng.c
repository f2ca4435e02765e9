#include "base/rng.h"

#include "base/choice.h"

#include <string.h>

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

/* The finaliser of splitmix64: every bit of the input reaches every bit of the result. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

Rng rng_at(uint64_t seed, uint64_t index, uint64_t stream)
{
    uint64_t key = mix(seed + GOLDEN);
    key = mix(key ^ mix(index + 2 * GOLDEN));
    key = mix(key ^ mix(stream + 3 * GOLDEN));
    return (Rng){key, 0};
}

uint64_t rng_next(Rng *rng)
{
    return mix(rng->key + GOLDEN * ++rng->counter);
}

uint32_t rng_below(Rng *rng, uint32_t count)
{
    return (uint32_t)(((rng_next(rng) >> 32) * count) >> 32);
}

int rng_between(Rng *rng, int low, int high)
{
    return low + (int)rng_below(rng, (uint32_t)(high - low + 1));
}

double rng_unit(Rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

bool rng_chance(Rng *rng, double probability)
{
    return rng_unit(rng) < probability;
}

uint32_t rng_weighted(Rng *rng, const unsigned *weights, uint32_t count)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += weights[i];
    uint32_t draw = rng_below(rng, total);
    for (uint32_t i = 0; i < count; i++) {
        if (draw < weights[i])
            return i;
        draw -= weights[i];
    }
    return count - 1;
}

const char *rng_word(Rng *rng, const char *alternatives, size_t *len)
{
    uint32_t count = 1;
    for (const char *bar = alternatives; (bar = strchr(bar, '|')); bar++)
        count++;
    const char *word;
    choice_at(alternatives, rng_below(rng, count), &word, len);
    return word;
}
