/* SHA-256, from FIPS 180-4: with the processor's own instructions where it has them, with vectors or in plain C elsewhere. A library
 * for it would take longer to load than a small file takes to compile. */
#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

/* Of the cube roots of the first 64 primes, the first 32 bits behind the point. */
_Alignas(16) static const uint32_t round_constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Of the square roots of the first 8 primes. */
static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

typedef void Compress(uint32_t state[8], const unsigned char *blocks, size_t count);

/* ---- what all but the processor's own instructions share ---- */

static uint32_t rotate(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

static uint32_t read_word(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static void write_word(unsigned char *bytes, uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(bytes, &word, sizeof word);
}

/* The exclusive or of a word rotated by three amounts: rotated by their differences, one after the other, it needs no copies. */
static uint32_t mix(uint32_t word, int first, int second, int third)
{
    return rotate(rotate(rotate(word, third - second) ^ word, second - first) ^ word, first);
}

/* A round writes two of the eight words; which is which moves on by one from round to round. Written out eight times, none is
 * copied. `both` is a ^ b of the round before, and so b ^ c of this one: with it, the majority of a, b and c takes three steps.
 * 2,650 instructions for a block instead of 3,960 (callgrind, gcc -O3). */
#define ROUND(a, b, c, d, e, f, g, h, i, k)                                                                            \
    do {                                                                                                               \
        uint32_t one = h + WORD(i, k) + mix(e, 6, 11, 25) + CHOICE(e, f, g), ab = a ^ b;                               \
        d += one;                                                                                                      \
        h = one + mix(a, 2, 13, 22) + (b ^ (ab & both));                                                               \
        both = ab;                                                                                                     \
    } while (0)

/* All rounds of a block, whose words have their constants added: WORD(i, k), k < 8. */
#define ROUNDS_OF(state)                                                                                               \
    do {                                                                                                               \
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];                                               \
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];                                               \
        uint32_t both = b ^ c;                                                                                         \
        for (int i = 0; i < ROUNDS; i += 8) {                                                                          \
            ROUND(a, b, c, d, e, f, g, h, i, 0);                                                                       \
            ROUND(h, a, b, c, d, e, f, g, i, 1);                                                                       \
            ROUND(g, h, a, b, c, d, e, f, i, 2);                                                                       \
            ROUND(f, g, h, a, b, c, d, e, i, 3);                                                                       \
            ROUND(e, f, g, h, a, b, c, d, i, 4);                                                                       \
            ROUND(d, e, f, g, h, a, b, c, i, 5);                                                                       \
            ROUND(c, d, e, f, g, h, a, b, i, 6);                                                                       \
            ROUND(b, c, d, e, f, g, h, a, i, 7);                                                                       \
        }                                                                                                              \
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;                                                    \
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;                                                    \
    } while (0)

/* ---- plain C ---- */

#define CHOICE(e, f, g) (g ^ (e & (f ^ g)))
#define WORD(i, k) words[(i) + (k)]

static void expand(uint32_t words[ROUNDS], const unsigned char *block)
{
    for (int i = 0; i < 16; i++)
        words[i] = read_word(block + 4 * i);
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        uint32_t low = rotate(rotate(a, 11) ^ a, 7) ^ a >> 3, high = rotate(rotate(b, 2) ^ b, 17) ^ b >> 10;
        words[i] = words[i - 16] + low + words[i - 7] + high;
    }
    for (int i = 0; i < ROUNDS; i++)
        words[i] += round_constants[i];
}

static void compress_plainly(uint32_t state[8], const unsigned char *blocks, size_t count)
{
    for (; count; count--, blocks += BLOCK) {
        uint32_t words[ROUNDS];
        expand(words, blocks);
        ROUNDS_OF(state);
    }
}

#undef CHOICE
#undef WORD

/* What the processor can do, the C library has found out already. Asking again, as the compiler's own functions do before main(),
 * takes 0.1 ms of a start on a virtual machine, which every such question leaves. */
#if defined __x86_64__ && __has_include(<sys/platform/x86.h>)
#include <immintrin.h>
#include <sys/platform/x86.h>

/* ---- x86 with vectors, of two blocks at a time, and rotations into another register: 1,800 instructions for a block (callgrind,
 * gcc -O3) ---- */

#define VECTORS __attribute__((target("avx2,bmi,bmi2")))
#define CHOICE(e, f, g) (e & f) + (~e & g)
#define WORD(i, k) words[2 * (i) + (k) / 4 * 8 + (k) % 4]

/* Four words of each block. */
static inline VECTORS __m256i load_words(const unsigned char *one, const unsigned char *two)
{
    const __m256i big_endian = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)one);
    __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm_loadu_si128((const __m128i *)(const void *)two), 1);
    return _mm256_shuffle_epi8(both, big_endian);
}

/* Of two words, each of them twice in 64 bits, what the second of the words after the next depends on. */
static inline VECTORS __m256i mix_late(__m256i pairs)
{
    __m256i rotated = _mm256_xor_si256(_mm256_srli_epi64(pairs, 17), _mm256_srli_epi64(pairs, 19));
    return _mm256_xor_si256(rotated, _mm256_srli_epi32(pairs, 10));
}

/* The four words that follow sixteen others. */
static inline VECTORS __m256i next_words(__m256i first, __m256i second, __m256i third, __m256i last)
{
    const __m256i to_low = _mm256_broadcastsi128_si256(_mm_set_epi64x(-1, 0x0b0a090803020100));
    const __m256i to_high = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0b0a090803020100, -1));
    __m256i early = _mm256_alignr_epi8(second, first, 4);
    __m256i seven = _mm256_xor_si256(_mm256_srli_epi32(early, 7), _mm256_slli_epi32(early, 25));
    __m256i eighteen = _mm256_xor_si256(_mm256_srli_epi32(early, 18), _mm256_slli_epi32(early, 14));
    __m256i mixed = _mm256_xor_si256(_mm256_xor_si256(seven, eighteen), _mm256_srli_epi32(early, 3));
    __m256i words = _mm256_add_epi32(_mm256_add_epi32(first, mixed), _mm256_alignr_epi8(last, third, 4));
    __m256i low = mix_late(_mm256_shuffle_epi32(last, 0xfa));
    words = _mm256_add_epi32(words, _mm256_shuffle_epi8(low, to_low));
    __m256i high = mix_late(_mm256_shuffle_epi32(words, 0x50)); /* the first two are needed for the others */
    return _mm256_add_epi32(words, _mm256_shuffle_epi8(high, to_high));
}

/* With the constant of their rounds. */
static inline VECTORS void put_sums(__m256i *sums, __m256i group, int i)
{
    const __m128i *constants = (const __m128i *)(const void *)round_constants;
    _mm256_store_si256(&sums[i], _mm256_add_epi32(group, _mm256_broadcastsi128_si256(_mm_load_si128(&constants[i]))));
}

/* Of both blocks, four words of one by four of the other. */
static inline VECTORS void expand_two(__m256i sums[ROUNDS / 4], const unsigned char *one, const unsigned char *two)
{
    __m256i group[4];
    for (int i = 0; i < 4; i++) {
        group[i] = load_words(one + 16 * i, two + 16 * i);
        put_sums(sums, group[i], i);
    }
#pragma GCC unroll 12
    for (int i = 4; i < ROUNDS / 4; i++) {
        group[i & 3] = next_words(group[i & 3], group[(i + 1) & 3], group[(i + 2) & 3], group[(i + 3) & 3]);
        put_sums(sums, group[i & 3], i);
    }
}

static VECTORS void compress_with_vectors(uint32_t state[8], const unsigned char *blocks, size_t count)
{
    for (size_t done = 0; done < count; done += 2) {
        _Alignas(32) uint32_t both_words[2 * ROUNDS];
        bool is_last = done + 1 == count;
        const unsigned char *block = blocks + done * BLOCK;
        expand_two((__m256i *)(void *)both_words, block, is_last ? block : block + BLOCK);
        for (int k = 0; k < 2 - is_last; k++) {
            const uint32_t *words = both_words + 4 * k;
            ROUNDS_OF(state);
        }
    }
}

#undef WORD
#undef CHOICE

/* ---- x86 with SHA instructions ---- */

/* The instructions hold the state as two registers, (f e b a) and (h g d c) from the lowest lane up, and do two rounds each. */
__attribute__((target("sha,sse4.1"))) static void compress_natively(uint32_t state[8], const unsigned char *blocks,
                                                                    size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)&state[0]);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)&state[4]);
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; count; count--, blocks += BLOCK) {
        __m128i words[4], abef_before = abef, cdgh_before = cdgh;
        for (int i = 0; i < 4; i++) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i));
            words[i] = _mm_shuffle_epi8(bytes, big_endian);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i now = words[i & 3];
            const __m128i *constants = (const __m128i *)(const void *)&round_constants[4 * i];
            __m128i sum = _mm_add_epi32(now, _mm_load_si128(constants));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            if (i < 12) { /* the four words that are needed four groups later */
                __m128i next = words[(i + 1) & 3], third = words[(i + 2) & 3], last = words[(i + 3) & 3];
                __m128i seven = _mm_alignr_epi8(last, third, 4);
                __m128i partly = _mm_add_epi32(_mm_sha256msg1_epu32(now, next), seven);
                words[i & 3] = _mm_sha256msg2_epu32(partly, last);
            }
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)&state[0], _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)&state[4], _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_instructions(void)
{
    return CPU_FEATURE_ACTIVE(SSSE3) && CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(SHA);
}

static bool has_vectors(void)
{
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2);
}

/* NULL: not on this processor. */
static Compress *compress_by(Sha256Way way)
{
    switch (way) {
    case SHA256_NATIVELY: return has_instructions() ? compress_natively : NULL;
    case SHA256_WITH_VECTORS: return has_vectors() ? compress_with_vectors : NULL;
    default: return compress_plainly;
    }
}
#else
static Compress *compress_by(Sha256Way way)
{
    return way == SHA256_PLAINLY ? compress_plainly : NULL;
}
#endif

static Compress *choose(void)
{
    static _Atomic(Compress *) chosen; /* asking takes longer than hashing a kernel */
    for (Sha256Way way = SHA256_WAYS; !chosen && way-- > 0;)
        chosen = compress_by(way);
    return chosen;
}

/* ---- a text ---- */

static void hash_with(Compress *compress, const unsigned char *data, size_t len, unsigned char out[32])
{
    uint32_t state[8];
    unsigned char tail[2 * BLOCK] = {0};
    size_t rest = len % BLOCK, padded = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    memcpy(state, first_state, sizeof state);
    compress(state, data, len / BLOCK);
    if (rest)
        memcpy(tail, data + len - rest, rest);
    tail[rest] = 0x80;
    write_word(tail + padded - 8, (uint32_t)((uint64_t)len >> 29));
    write_word(tail + padded - 4, (uint32_t)(len << 3));
    compress(state, tail, padded / BLOCK);
    for (int i = 0; i < 8; i++)
        write_word(out + 4 * i, state[i]);
}

void sha256(const void *data, size_t len, unsigned char out[32])
{
    hash_with(choose(), data, len, out);
}

bool sha256_by(Sha256Way way, const void *data, size_t len, unsigned char out[32])
{
    Compress *compress = compress_by(way);
    if (compress)
        hash_with(compress, data, len, out);
    return compress;
}
