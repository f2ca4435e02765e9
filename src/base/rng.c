#include "base/rng.h"

#include "base/choice.h"

#include <string.h>

Rng rng_at(uint64_t seed, uint64_t index, uint64_t stream)
{
    uint64_t key = rng_mix(seed + RNG_GOLDEN);
    key = rng_mix(key ^ rng_mix(index + 2 * RNG_GOLDEN));
    key = rng_mix(key ^ rng_mix(stream + 3 * RNG_GOLDEN));
    return (Rng){key, 0};
}

int rng_between(Rng *rng, int low, int high)
{
    return low + (int)rng_below(rng, (uint32_t)(high - low + 1));
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
