#include "base/text.h"

#include <ctype.h>
#include <endian.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE2__
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

/* Where texts that have failed go: what is written there is never read. A thread takes a place when its first text fails, and
 * keeps it; of more threads than places, the last ones share one. As memory of each thread, it would be cleared at every start. */
enum { LOST_PLACES = 8 };
static char lost[LOST_PLACES][MOST_ROOM];
static atomic_uint lost_count;
static _Thread_local char *own_lost;

static char *lost_place(void)
{
    if (!own_lost) {
        unsigned number = atomic_fetch_add(&lost_count, 1);
        own_lost = lost[number < LOST_PLACES ? number : LOST_PLACES - 1];
    }
    return own_lost;
}

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
    text->data = lost_place(); /* of this thread, whichever used the text before */
    text->len = 0;
    text->cap = MOST_ROOM;
    return false;
}

void text_fail_like(Text *text, const Text *part)
{
    if (part->failed)
        fail(text);
}

bool text_reserve(Text *text, size_t more)
{
    if (text->failed)
        return fail(text);
    if (text->cap - text->len >= more)
        return true;
    size_t cap = text->cap < 128 ? 256 : text->cap <= SIZE_MAX / 2 ? text->cap * 2 : SIZE_MAX;
    if (cap - text->len < more)
        cap = more <= SIZE_MAX - text->len ? text->len + more : text->len;
    char *data = NULL;
    if (text->arena && arena_resize_last(text->arena, text->data, text->cap, cap))
        data = text->data;
    else if (text->arena)
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

/* Hundreds, tens, ones. */
#define DIGIT(d) ((char)('0' + (d)))
#define NUMBER(h, t, o)                                                                                                \
    {                                                                                                                  \
        (h)   ? DIGIT(h)                                                                                               \
        : (t) ? DIGIT(t)                                                                                               \
              : DIGIT(o),                                                                                              \
            (h)   ? DIGIT(t)                                                                                           \
            : (t) ? DIGIT(o)                                                                                           \
                  : '\0',                                                                                              \
            (h) ? DIGIT(o) : '\0',                                                                                     \
            (h)   ? 3                                                                                                  \
            : (t) ? 2                                                                                                  \
                  : 1                                                                                                  \
    }
#define TEN(h, t)                                                                                                      \
    NUMBER(h, t, 0), NUMBER(h, t, 1), NUMBER(h, t, 2), NUMBER(h, t, 3), NUMBER(h, t, 4), NUMBER(h, t, 5),              \
        NUMBER(h, t, 6), NUMBER(h, t, 7), NUMBER(h, t, 8), NUMBER(h, t, 9)
#define HUNDRED(h)                                                                                                     \
    TEN(h, 0), TEN(h, 1), TEN(h, 2), TEN(h, 3), TEN(h, 4), TEN(h, 5), TEN(h, 6), TEN(h, 7), TEN(h, 8), TEN(h, 9)
const char small_uints[1000][4] = {HUNDRED(0), HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4),
                                   HUNDRED(5), HUNDRED(6), HUNDRED(7), HUNDRED(8), HUNDRED(9)};

char *put_big_uint(char *to, uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char digits[UINT_ROOM];
    size_t at = sizeof digits;
    for (; value >= 10; value /= 100)
        memcpy(digits + (at -= 2), pairs + 2 * (value % 100), 2);
    if (value || at == sizeof digits)
        digits[--at] = (char)('0' + value);
    memcpy(to, digits + at, sizeof digits - at);
    return to + sizeof digits - at;
}

void text_int(Text *text, int64_t value)
{
    if (value < 0)
        text_char(text, '-');
    text_uint(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void text_fenced(Text *text, const char *language, const char *code, size_t len)
{
    while (len && isspace((unsigned char)code[len - 1]))
        len--;
    text_format(text, "```%s\n", language);
    text_add(text, code, len);
    text_lit(text, "\n```");
}

void text_format(Text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    text_reserve(text, 64); /* where it fails, there is room enough */
    size_t room = text->cap - text->len;
    int length = vsnprintf(text->data + text->len, room, format, args);
    size_t len = length > 0 ? (size_t)length : 0;
    va_end(args);
    bool fits = len < room;
    if (!fits && (fits = text_reserve(text, len + 1)))
        vsnprintf(text->data + text->len, len + 1, format, again);
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

const char *text_finish(Text *text)
{
    const char *string = text_cstr(text);
    if (text->arena && arena_resize_last(text->arena, text->data, text->cap, text->len + 1))
        text->cap = text->len + 1;
    return string;
}

size_t text_count(const Text *text, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < text->len; i++)
        count += text->data[i] == c;
    return count;
}

/* ---- strings of JSON ---- */

size_t utf8_length(const char *bytes, size_t left)
{
    const unsigned char *text = (const unsigned char *)bytes;
    static const struct {
        unsigned char mask, lead;
        unsigned long least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t more = 0; more < 4; more++) {
        if ((text[0] & forms[more].mask) != forms[more].lead)
            continue;
        unsigned long point = text[0] & (unsigned char)~forms[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if (i >= left || (text[i] & 0xc0) != 0x80)
                return 0;
            point = point << 6 | (text[i] & 0x3f);
        }
        bool fine = point >= forms[more].least && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
        return fine ? more + 1 : 0;
    }
    return 0;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Eight bytes at once: the top bit of each that is not plain; those behind the first one may be wrong. */
static uint64_t odd_bytes(const char *at)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    uint64_t bytes, quotes, slashes, dels;
    memcpy(&bytes, at, sizeof bytes);
    bytes = le64toh(bytes);
    quotes = bytes ^ ones * '"';
    slashes = bytes ^ ones * '\\';
    dels = bytes ^ ones * 0x7f;
    return (bytes | (bytes - ones * 0x20) | (quotes - ones) | (slashes - ones) | (dels - ones)) & tops;
}

size_t plain_length(const char *bytes, size_t len)
{
    size_t plain = 0;
    for (; len - plain >= 8; plain += 8) {
        uint64_t odd = odd_bytes(bytes + plain);
        if (odd)
            return plain + (size_t)__builtin_ctzll(odd) / 8;
    }
    while (plain < len && is_plain((unsigned char)bytes[plain]))
        plain++;
    return plain;
}

/* Copies what is plain; returns where that ends. `to` moves on, and has room for BLOCK bytes more. */
enum { BLOCK = 16 };
static inline const char *copy_plain(char **to, const char *at, const char *end)
{
#ifdef __SSE2__ /* looking and copying at once: without this, weft produce --no-verify takes 4 % more instructions */
    for (; end - at >= BLOCK; at += BLOCK, *to += BLOCK) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i odd = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)); /* and those that are no ASCII */
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)));
        _mm_storeu_si128((__m128i *)(void *)*to, bytes);
        unsigned found = (unsigned)_mm_movemask_epi8(odd);
        if (found) {
            int len = __builtin_ctz(found);
            *to += len;
            return at + len;
        }
    }
#endif
    size_t plain = plain_length(at, (size_t)(end - at));
    *to = put_bytes(*to, at, plain);
    return at + plain;
}

/* Writes what is not plain, and returns how many bytes it was. */
static size_t add_escaped(Text *text, const char *at, size_t left)
{
    size_t len = utf8_length(at, left);
    if (len > 1)
        text_add(text, at, len);
    else if (!len)
        text_lit(text, "\\ufffd");
    else
        text_format(text, "\\u%04x", (unsigned)*at);
    return len ? len : 1;
}

size_t text_json_string(Text *text, const char *bytes, size_t len)
{
    static const char shorthand[256] = {['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    const char *at = len ? bytes : "", *end = at + len; /* an empty text may have no bytes at all */
    size_t lines = 0;
    text_char(text, '"');
    do {
        size_t room = 2 * (size_t)(end - at) + BLOCK; /* unless one comes that has no shorthand */
        if (text->cap - text->len < room && !text_reserve(text, room))
            return lines;
        char *to = text->data + text->len;
        at = copy_plain(&to, at, end);
        for (; at < end && shorthand[(unsigned char)*at]; at = copy_plain(&to, at + 1, end)) {
            *to++ = '\\';
            *to++ = shorthand[(unsigned char)*at];
            lines += *at == '\n';
        }
        text_end(text, to);
        if (at < end)
            at += add_escaped(text, at, (size_t)(end - at));
    } while (at < end);
    text_char(text, '"');
    return lines;
}

/* ---- numbers ---- */

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

/* Most constants in source texts have few digits: value = whole / 10^decimals exactly, as far as doubles go. Without this,
 * compiling the golden set takes 5 % more instructions (callgrind on weft extract -d both). */
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

/* The shortest digits by exact integers, as Steele and White do it: digits of the fraction come out one by one, until what is left
 * is within half the gap to the next double. For magnitudes from 2^-60 to 2^53, so that everything fits into 128 bits; 0: another
 * one. A float32 takes 1,340 instructions in place of 13,800 (callgrind). */
static int exact_digits(double value, char digits[NUMBER_SIZE], int *exponent)
{
    int binary;
    uint64_t whole = (uint64_t)ldexp(frexp(value, &binary), 53);
    int point = 53 - binary; /* bits behind the point */
    if (point < 0 || point > 112)
        return 0;
    bool uneven = whole == (uint64_t)1 << 52; /* the double below is half as far away as the one above */
    int bits = point + 2;
    unsigned __int128 one = (unsigned __int128)1 << bits, rest = (unsigned __int128)whole << 2, above = 2;
    unsigned __int128 below = uneven ? 1 : 2;
    char *end = put_uint(digits, (uint64_t)(rest >> bits)), *to = rest >> bits ? end : digits;
    *exponent = rest >> bits ? (int)(end - digits) - 1 : -1;
    for (rest &= one - 1; rest;) {
        rest *= 10, above *= 10, below *= 10;
        int digit = (int)(rest >> bits);
        rest &= one - 1;
        bool down = rest<below, up = rest + above> one;
        if (up && (!down || rest * 2 + (digit & 1) > one)) /* a tie goes to the even digit */
            digit++;
        if (to == digits && !digit)
            --*exponent; /* zeros before the first digit do not count */
        else
            *to++ = (char)('0' + digit);
        if (down || up)
            break;
    }
    while (to - digits > 1 && to[-1] == '0')
        to--;
    return (int)(to - digits);
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
    int count = exact_digits(value, digits, &exponent);
    if (!count)
        count = shortest_digits(value, digits, &exponent);
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

void text_rounded_float(Text *text, double value, int digits)
{
    char rounded[NUMBER_SIZE];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
    text_python_float(text, strtod(rounded, NULL));
}
