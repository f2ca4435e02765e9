#include "corpus/text_sizes.h"

#include <stdio.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

const char *const measured_columns[MEASURED_COLUMNS] = {"python_source", "cuda_forward", "cuda_backward",
                                                        "cuda_readable", "cpp_forward",  "cpp_backward"};

/* A character of the same kind as the escaped one. */
static unsigned char unescaped(char letter)
{
    return strchr("nrtbfu", letter) ? ' ' : (unsigned char)letter;
}

/* How bytes count. A text has a hundred thousand of them: a table is four times as fast as asking for each. */
enum { BYTE_OTHER, BYTE_WORD, BYTE_SPACE, BYTE_SPECIAL };
static const unsigned char byte_kinds[256] = {
    [' '] = BYTE_SPACE,        ['\t'] = BYTE_SPACE, ['\n'] = BYTE_SPACE,         ['\v'] = BYTE_SPACE,
    ['\f'] = BYTE_SPACE,       ['\r'] = BYTE_SPACE, ['0' ... '9'] = BYTE_WORD,   ['A' ... 'Z'] = BYTE_WORD,
    ['a' ... 'z'] = BYTE_WORD, ['_'] = BYTE_WORD,   [0x80 ... 0xff] = BYTE_WORD, ['"'] = BYTE_SPECIAL,
    ['\\'] = BYTE_SPECIAL};

/* ---- sixteen bytes at once: a tenth of the instructions ---- */

typedef unsigned char Bytes __attribute__((vector_size(16)));

static Bytes load_bytes(const char *at)
{
    Bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* In these three, 255 is yes, of bytes of ASCII. */
static Bytes are_words(Bytes c)
{
    return (Bytes)((c | 32) - 'a' < 26) | (Bytes)(c - '0' < 10) | (Bytes)(c == '_');
}

static Bytes are_spaces(Bytes c) /* what is escaped by a letter counts as one */
{
    return (Bytes)(c <= ' ') | (Bytes)(c == 127);
}

/* Each byte is the one before it; the first one is the last of `before`. */
static Bytes bytes_before(Bytes bytes, Bytes before)
{
#ifdef __SSE2__
    return (Bytes)_mm_or_si128(_mm_slli_si128((__m128i)bytes, 1), _mm_srli_si128((__m128i)before, 15));
#else
    Bytes moved = {before[sizeof before - 1]};
    memcpy((char *)&moved + 1, &bytes, sizeof bytes - 1);
    return moved;
#endif
}

/* Where tokens begin: at a word behind no word, and at whatever is no space. `words`: where there were some in the bytes before,
 * and then in these. */
static Bytes are_starts(Bytes c, Bytes *words)
{
    Bytes before = *words;
    *words = are_words(c);
    return (*words & ~bytes_before(*words, before)) | ~(*words | are_spaces(c));
}

static uint64_t sum_bytes(Bytes counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof counts; i++)
        sum += counts[i];
    return sum;
}

bool measure_text(const char *text, size_t len, TextSize *size)
{
    enum { WIDTH = sizeof(Bytes), MOST_ROUNDS = 255 };
    char last[WIDTH];
    Bytes any = {0}, words = {0};
    uint64_t tokens = 0;
    size_t at = 0;
    while (at + WIDTH <= len) {
        Bytes counts = {0};
        for (int round = 0; round < MOST_ROUNDS && at + WIDTH <= len; round++, at += WIDTH) {
            Bytes c = load_bytes(text + at);
            any |= c;
            counts -= are_starts(c, &words);
        }
        tokens += sum_bytes(counts);
    }
    memset(last, ' ', sizeof last);
    if (at < len)
        memcpy(last, text + at, len - at);
    Bytes c = load_bytes(last);
    any |= c;
    tokens += sum_bytes(-are_starts(c, &words));
    *size = (TextSize){len, tokens};
    Bytes high = any & 128;
    return !sum_bytes(high);
}

void count_tokens(const char *text, size_t len, TextSize *size)
{
    unsigned before = BYTE_SPACE;
    *size = (TextSize){.bytes = len};
    for (size_t i = 0; i < len; i++) {
        unsigned kind = byte_kinds[(unsigned char)text[i]];
        kind = kind == BYTE_SPECIAL ? BYTE_OTHER : kind;
        size->tokens += (kind == BYTE_WORD && before != BYTE_WORD) || kind == BYTE_OTHER;
        before = kind;
    }
}

/* ---- in a record ---- */

/* A string in JSON, from behind its first quote on; returns its last one. */
static const char *measure_string(const char *at, const char *end, TextSize *size)
{
    unsigned before = BYTE_SPACE;
    uint64_t bytes = 0, tokens = 0;
    for (; at < end; at++, bytes++) {
        unsigned kind = byte_kinds[(unsigned char)*at];
        if (kind == BYTE_SPECIAL) {
            if (*at == '"')
                break;
            if (++at < end) {
                kind = *at == '"' || *at == '\\' ? BYTE_OTHER : byte_kinds[unescaped(*at)];
                at += *at == 'u' ? 4 : 0;
            }
        }
        tokens += (kind == BYTE_WORD && before != BYTE_WORD) || kind == BYTE_OTHER;
        before = kind;
    }
    size->bytes += bytes;
    size->tokens += tokens;
    return at < end ? at : end;
}

void measure_texts(const char *record, size_t len, TextSize sizes[MEASURED_COLUMNS])
{
    const char *at = record, *end = record + len;
    for (int i = 0; i < MEASURED_COLUMNS; i++) {
        char key[40];
        size_t key_len = (size_t)snprintf(key, sizeof key, ", \"%s\": ", measured_columns[i]);
        sizes[i] = (TextSize){0};
        /* Quotes in a string are escaped: what looks like a key is one. */
        const char *found = memmem(at, (size_t)(end - at), key, key_len);
        if (!found)
            continue;
        at = found + key_len;
        if (at < end && *at == '"')
            at = measure_string(at + 1, end, &sizes[i]);
    }
}
