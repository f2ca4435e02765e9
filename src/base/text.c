#include "base/text.h"

#include "base/format.h"

#include <endian.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

void text_init(Text *text)
{
    memset(text, 0, sizeof *text);
}

void text_init_in(Text *text, Arena *arena)
{
    text_init(text);
    text->arena = arena;
}

/* Where texts that have failed go: what is written there is never read. */
static _Thread_local char lost[MOST_ROOM];

void text_free(Text *text)
{
    if (!text->arena && !text->failed)
        free(text->data);
    text_init(text);
}

static bool fail(Text *text)
{
    if (text->on_failure)
        longjmp(*text->on_failure, 1);
    if (!text->failed)
        free(text->data);
    text->failed = true;
    text->data = lost; /* of this thread, whichever used the text before */
    text->len = 0;
    text->cap = sizeof lost;
    return false;
}

bool text_reserve(Text *text, size_t more)
{
    if (text->failed)
        return fail(text);
    if (text->cap - text->len >= more)
        return true;
    size_t cap = text->cap ? text->cap : 256;
    while (cap - text->len < more && cap <= SIZE_MAX / 2)
        cap *= 2;
    char *data = NULL;
    if (text->arena)
        data = arena_grow_raw(text->arena, text->data, text->len, cap);
    else if (cap - text->len >= more && !allocation_fails())
        data = realloc(text->data, cap);
    if (!data)
        return fail(text);
    text->data = data;
    text->cap = cap;
    return true;
}

__attribute__((noinline)) void text_copy_long(char *to, const char *from, size_t len)
{
    memcpy(to, from, len);
}

char *put_big_uint(char *to, uint64_t value)
{
    char digits[UINT_ROOM];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(to, digits + at, sizeof digits - at);
    return to + sizeof digits - at;
}

void text_int(Text *text, int64_t value)
{
    if (value < 0)
        text_char(text, '-');
    text_uint(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void text_format(Text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    text_reserve(text, 64); /* where it fails, there is room enough */
    size_t room = text->cap - text->len, len = format_text(text->data + text->len, room, format, args);
    va_end(args);
    bool fits = len < room;
    if (!fits && (fits = text_reserve(text, len + 1)))
        format_text(text->data + text->len, len + 1, format, again);
    text->len += fits ? len : 0;
    va_end(again);
}

const char *text_cstr(Text *text)
{
    if (!text_reserve(text, 1))
        return "";
    text->data[text->len] = '\0';
    return text->data;
}

/* Sixteen bytes that are looked at together. */
typedef unsigned char Bytes __attribute__((vector_size(16)));

size_t text_count(const Text *text, char c)
{
    enum { MOST = 255 }; /* that a byte can count */
    size_t count = 0, at = 0;
    while (text->len - at >= sizeof(Bytes)) {
        Bytes counts = {0};
        for (unsigned i = 0; i < MOST && text->len - at >= sizeof counts; i++, at += sizeof counts) {
            Bytes block;
            memcpy(&block, text->data + at, sizeof block);
            counts -= (Bytes)(block == (unsigned char)c);
        }
        for (unsigned i = 0; i < sizeof counts; i++)
            count += counts[i];
    }
    for (; at < text->len; at++)
        count += text->data[at] == c;
    return count;
}

/* How many bytes come before one that JSON must escape: a control character, a quote, a backslash, DEL. */
static size_t plain_bytes(Bytes bytes)
{
    Bytes found = (Bytes)((bytes < 0x20) | (bytes == '"') | (bytes == '\\') | (bytes == 0x7f));
#ifdef __SSE2__
    return (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8((__m128i)found) | 1u << sizeof bytes);
#else
    uint64_t halves[2];
    memcpy(halves, &found, sizeof halves);
    if (!(halves[0] | halves[1]))
        return sizeof bytes;
    return halves[0] ? (size_t)__builtin_ctzll(le64toh(halves[0])) / 8
                     : 8 + (size_t)__builtin_ctzll(le64toh(halves[1])) / 8;
#endif
}

enum { MAX_ESCAPE = 6 };

/* Writes the character as JSON wants it, MAX_ESCAPE bytes at most; returns where the next one goes. */
static char *put_json_char(char *to, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorthand[128] = {['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
        *to++ = (char)c;
        return to;
    }
    *to++ = '\\';
    if (shorthand[c]) {
        *to++ = shorthand[c];
        return to;
    }
    memcpy(to, "u00", 3);
    to[3] = hex[c >> 4];
    to[4] = hex[c & 15];
    return to + 5;
}

/* Escaping: the next byte to read, and where the next one goes; there is room enough there. */
typedef struct Escape {
    const char *at, *end;
    char *to;
    size_t lines; /* that ended so far */
} Escape;

static void escape_blocks(Escape *escape)
{
    const char *at = escape->at;
    char *to = escape->to;
    while (escape->end - at >= (ptrdiff_t)sizeof(Bytes)) {
        Bytes block;
        memcpy(&block, at, sizeof block);
        memcpy(to, &block, sizeof block);
        size_t plain = plain_bytes(block);
        at += plain;
        to += plain;
        if (plain == sizeof block)
            continue;
        escape->lines += *at == '\n';
        to = put_json_char(to, (unsigned char)*at++);
    }
    escape->at = at;
    escape->to = to;
}

#ifdef __x86_64__
/* The same with blocks of twice the size, where the processor has them. */
__attribute__((target("avx2"))) static void escape_wide_blocks(Escape *escape)
{
    const __m256i last_control = _mm256_set1_epi8(0x1f), quote = _mm256_set1_epi8('"'),
                  backslash = _mm256_set1_epi8('\\'), del = _mm256_set1_epi8(0x7f);
    const char *at = escape->at, *last = escape->end - sizeof quote;
    char *to = escape->to;
    size_t lines = 0;
    while (at <= last) {
        __m256i block = _mm256_loadu_si256((const __m256i *)at);
        _mm256_storeu_si256((__m256i *)to, block);
        __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(block, last_control), block);
        __m256i found =
            _mm256_or_si256(_mm256_or_si256(control, _mm256_cmpeq_epi8(block, quote)),
                            _mm256_or_si256(_mm256_cmpeq_epi8(block, backslash), _mm256_cmpeq_epi8(block, del)));
        uint32_t special = (uint32_t)_mm256_movemask_epi8(found);
        if (!special) {
            at += sizeof block;
            to += sizeof block;
            continue;
        }
        unsigned plain = (unsigned)__builtin_ctz(special);
        at += plain;
        to += plain;
        if (*at == '\n') {
            memcpy(to, "\\n", 2);
            to += 2;
            lines++;
        } else {
            to = put_json_char(to, (unsigned char)*at);
        }
        at++;
    }
    escape->at = at;
    escape->to = to;
    escape->lines += lines;
}
#endif

/* The last bytes, which are no whole block: mostly there is nothing to escape in them. */
static void escape_tail(Escape *escape)
{
    size_t len = (size_t)(escape->end - escape->at);
    char copy[sizeof(Bytes)] = "               ";
    Bytes block;
    text_copy(copy, escape->at, len);
    memcpy(&block, copy, sizeof block);
    if (plain_bytes(block) >= len) {
        memcpy(escape->to, copy, sizeof copy);
        escape->at += len;
        escape->to += len;
    }
    for (; escape->at < escape->end; escape->at++) {
        escape->lines += *escape->at == '\n';
        escape->to = put_json_char(escape->to, (unsigned char)*escape->at);
    }
}

size_t text_json_string(Text *text, const char *bytes, size_t len)
{
    enum { PIECE = 4096, MAX_BLOCK = 32 };
    Escape escape = {.at = bytes};
    text_char(text, '"');
    while (len) {
        size_t piece = len < PIECE ? len : PIECE;
        escape.to = text_room(text, piece * MAX_ESCAPE + MAX_BLOCK);
        escape.end = escape.at + piece;
#ifdef __x86_64__
        if (piece >= MAX_BLOCK && __builtin_cpu_supports("avx2"))
            escape_wide_blocks(&escape);
#endif
        escape_blocks(&escape);
        escape_tail(&escape);
        text_end(text, escape.to);
        len -= piece;
    }
    text_char(text, '"');
    return escape.lines;
}

enum { NUMBER_SIZE = 40 };

/* Digits and exponent of the shortest decimal that reads back as `value` (finite, positive). */
static int shortest_digits(double value, char digits[NUMBER_SIZE], int *exponent)
{
    char buffer[NUMBER_SIZE];
    /* Any decimal of up to 15 digits survives, except below the normal range. */
    for (int precision = value < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        snprintf(buffer, sizeof buffer, "%.*e", precision - 1, value);
        bool same = strtod(buffer, NULL) == value;
        /* The nearest 16 digits may miss where the gaps around a power of two differ: try the neighbours. */
        for (int step = -1; !same && precision == 16 && step <= 1; step += 2) {
            char shifted[NUMBER_SIZE];
            memcpy(shifted, buffer, sizeof shifted);
            char *last = strchr(shifted, 'e') - 1;
            if (*last + step < '0' || *last + step > '9')
                continue;
            *last = (char)(*last + step);
            if (strtod(shifted, NULL) == value) {
                memcpy(buffer, shifted, sizeof buffer);
                same = true;
            }
        }
        if (same)
            break;
    }
    char *e = strchr(buffer, 'e');
    *exponent = atoi(e + 1);
    int count = 0;
    for (char *c = buffer; c < e; c++)
        if (*c != '.')
            digits[count++] = *c;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

/* Most constants in source texts have few digits: value = whole / 10^decimals exactly, as far as doubles go. */
static bool put_short_decimal(Text *text, double value)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    if (!(value >= 1e-4 && value < 1e6))
        return false;
    for (unsigned decimals = 0; decimals < sizeof powers / sizeof *powers; decimals++) {
        double whole = nearbyint(value * powers[decimals]);
        if (whole / powers[decimals] != value)
            continue;
        uint64_t digits = (uint64_t)whole, power = (uint64_t)powers[decimals], fraction = digits % power;
        text_uint(text, digits / power);
        text_char(text, '.');
        if (!decimals)
            text_char(text, '0');
        for (uint64_t unit = power / 10; unit; unit /= 10)
            text_char(text, (char)('0' + fraction / unit % 10));
        return true;
    }
    return false;
}

void text_python_float(Text *text, double value)
{
    if (isnan(value)) {
        text_lit(text, "nan");
        return;
    }
    if (signbit(value))
        text_char(text, '-');
    value = fabs(value);
    if (isinf(value)) {
        text_lit(text, "inf");
        return;
    }
    if (value == 0) {
        text_lit(text, "0.0");
        return;
    }
    if (put_short_decimal(text, value))
        return;
    char digits[NUMBER_SIZE];
    int exponent;
    int count = shortest_digits(value, digits, &exponent);
    if (exponent < -4 || exponent >= 16) {
        text_add(text, digits, 1);
        if (count > 1) {
            text_char(text, '.');
            text_add(text, digits + 1, (size_t)count - 1);
        }
        text_lit(text, "e");
        text_char(text, exponent < 0 ? '-' : '+');
        unsigned magnitude = (unsigned)abs(exponent);
        if (magnitude < 10)
            text_char(text, '0');
        text_uint(text, magnitude);
    } else if (exponent < 0) {
        text_lit(text, "0.");
        text_pad(text, '0', (size_t)(-exponent - 1));
        text_add(text, digits, (size_t)count);
    } else {
        int whole = exponent + 1;
        text_add(text, digits, (size_t)(count < whole ? count : whole));
        if (count < whole)
            text_pad(text, '0', (size_t)(whole - count));
        text_char(text, '.');
        if (count > whole)
            text_add(text, digits + whole, (size_t)(count - whole));
        else
            text_char(text, '0');
    }
}
