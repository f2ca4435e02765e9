#include "base/rng.h"

#include "base/text.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

enum { BLOCK = 16 };

/* Bit i: byte i of a block is a bar. */
static unsigned bars(const char block[BLOCK])
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)block), _mm_set1_epi8('|')));
#else
    unsigned found = 0;
    for (unsigned i = 0; i < BLOCK; i++)
        found |= (unsigned)(block[i] == '|') << i;
    return found;
#endif
}

/* The same of fewer bytes, up to the end of a text of this length. */
static unsigned bars_at_end(const char *end, size_t left, size_t len)
{
    if (len >= BLOCK) /* those before them may be looked at, too */
        return bars(end - BLOCK) >> (BLOCK - left);
    char block[BLOCK] = {0};
    text_copy(block, end - left, left);
    return bars(block);
}

const char *rng_word(Rng *rng, const char *alternatives, size_t *len)
{
    enum { KNOWN = 32 };
    size_t whole = strlen(alternatives);
    const char *ends[KNOWN + 1], *end = alternatives + whole; /* of the first words */
    uint32_t count = 0;
    for (const char *at = alternatives; at < end; at += BLOCK) {
        size_t left = (size_t)(end - at);
        for (unsigned found = left < BLOCK ? bars_at_end(end, left, whole) : bars(at); found; found &= found - 1) {
            if (count < KNOWN)
                ends[count] = at + __builtin_ctz(found);
            count++;
        }
    }
    ends[count < KNOWN ? count : KNOWN] = end;
    count++;
    uint32_t chosen = rng_below(rng, count), known = chosen < KNOWN ? chosen : KNOWN - 1;
    const char *word = known ? ends[known - 1] + 1 : alternatives;
    for (end = ends[known]; known < chosen; known++) {
        word = end + 1;
        end = word + strcspn(word, "|");
    }
    *len = (size_t)(end - word);
    return word;
}
