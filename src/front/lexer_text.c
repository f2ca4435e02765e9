#include "front/lexer_text.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

const uint8_t ascii_name_chars[256] = {
    ['_'] = 1,
    ['a' ... 'z'] = 1,
    ['A' ... 'Z'] = 1,
    ['0' ... '9'] = 1,
};

/* ---- UTF-8 ---- */

/* Bytes of the sequence at `text`, 0 if it is invalid: overlong, a surrogate, out of range or cut off. */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length <= 1 || length > left)
        return length <= left ? length : 0;
    uint32_t code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool valid = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return valid ? length : 0;
}

/* A stretch of bytes is copied. Is none of them NUL or above 0x7f? It is the common case. */
#ifdef __SSE2__
enum { STRETCH = 32 };
static bool copy_plain(char *to, const char *text)
{
    const __m128i *from = (const __m128i *)(const void *)text;
    __m128i one = _mm_loadu_si128(from), two = _mm_loadu_si128(from + 1), zero = _mm_setzero_si128();
    _mm_storeu_si128((__m128i *)(void *)to, one);
    _mm_storeu_si128((__m128i *)(void *)to + 1, two);
    __m128i plain = _mm_and_si128(_mm_cmpgt_epi8(one, zero), _mm_cmpgt_epi8(two, zero));
    return _mm_movemask_epi8(plain) == 0xffff;
}
#else
enum { STRETCH = 8 };
static bool copy_plain(char *to, const char *text)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t word;
    memcpy(&word, text, sizeof word);
    memcpy(to, &word, sizeof word);
    return !((word | (word - ones)) & tops);
}
#endif

size_t utf8_copy(char *to, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        while (len - i >= STRETCH && copy_plain(to + i, text + i))
            i += STRETCH;
        for (size_t end = len - i < STRETCH ? len : i + STRETCH; i < end;) {
            size_t length = text[i] ? sequence_length((const unsigned char *)text + i, len - i) : 0;
            if (!length) {
                memcpy(to + i, text + i, len - i);
                return i;
            }
            for (; length; length--, i++)
                to[i] = text[i];
        }
    }
    return len;
}

const char *utf8_decode(const char *text, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    *code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        *code = *code << 6 | (at[i] & 0x3f);
    return text + length;
}

size_t encode_code_point(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00u >> length) | code);
    return length;
}

/* ---- names ---- */

typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

static const CodeRange start_ranges[] = {
#define START(first, last) {first, last},
#include "front/lexer_unicode.def"
};

static const CodeRange continue_ranges[] = {
#define CONTINUE(first, last) {first, last},
#include "front/lexer_unicode.def"
};

static bool in_ranges(const CodeRange *ranges, size_t count, uint32_t code)
{
    while (count > 0) {
        const CodeRange *middle = &ranges[count / 2];
        if (code < middle->first) {
            count /= 2;
        } else if (code > middle->last) {
            ranges = middle + 1;
            count -= count / 2 + 1;
        } else {
            return true;
        }
    }
    return false;
}

#define IN_RANGES(ranges, code) in_ranges(ranges, sizeof(ranges) / sizeof *(ranges), code)

const char *skip_name_start(const char *text)
{
    uint32_t code;
    const char *next = utf8_decode(text, &code);
    return IN_RANGES(start_ranges, code) ? next : NULL;
}

const char *skip_name_part(const char *text)
{
    uint32_t code;
    const char *next = utf8_decode(text, &code);
    return IN_RANGES(start_ranges, code) || IN_RANGES(continue_ranges, code) ? next : NULL;
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_digit_of(char c, unsigned base)
{
    if (base == 16 && ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
        return true;
    return c >= '0' && c < (char)('0' + (base < 10 ? base : 10));
}

/* Digits with single underscores between them. */
static const char *skip_digits(const char *at, const char **message)
{
    for (;;) {
        while (is_digit(*at))
            at++;
        if (*at != '_')
            return at;
        at++;
        if (!is_digit(*at)) {
            *message = "invalid decimal literal";
            return at;
        }
    }
}

/* `1if x else y` is legal: a keyword that may follow an expression needs no space before it. */
static bool continues_with_keyword(const char *at)
{
    static const char *const followers[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++)
        if (strncmp(at, followers[i], strlen(followers[i])) == 0)
            return true;
    return false;
}

static const char *end_number(const char *at, const char *complaint, const char **message)
{
    bool goes_on = is_ascii_name_char(*at) || (signed char)*at < 0;
    if (goes_on && !continues_with_keyword(at))
        *message = complaint;
    return at;
}

/* Behind `0x`, `0o` or `0b`. */
static const char *skip_based(Arena *arena, const char *at, unsigned base, const char **message)
{
    const char *complaint = base == 16  ? "invalid hexadecimal literal"
                            : base == 8 ? "invalid octal literal"
                                        : "invalid binary literal";
    do {
        if (*at == '_')
            at++;
        if (!is_digit_of(*at, base)) {
            *message = complaint;
            break;
        }
        while (is_digit_of(*at, base))
            at++;
    } while (*at == '_');
    if (base < 10 && is_digit(*at)) {
        *message = arena_format(arena, "invalid digit '%c' in %s literal", *at, base == 8 ? "octal" : "binary");
        return at;
    }
    return *message ? at : end_number(at, complaint, message);
}

/* Behind the whole part: a fraction, an exponent, a `j`. */
static const char *skip_float_tail(const char *at, bool leading_zeros, const char **message)
{
    bool is_integer = true;
    if (*at == '.') {
        is_integer = false;
        at++;
        if (is_digit(*at))
            at = skip_digits(at, message);
    }
    if (!*message && (*at | 0x20) == 'e') {
        const char *digits = at + (at[1] == '+' || at[1] == '-' ? 2 : 1);
        if (is_digit(*digits)) {
            is_integer = false;
            at = skip_digits(digits, message);
        } else if (digits == at + 2) {
            *message = "invalid decimal literal";
        }
    }
    if (*message)
        return at;
    if ((*at | 0x20) == 'j')
        return end_number(at + 1, "invalid imaginary literal", message);
    if (is_integer && leading_zeros) {
        *message = "leading zeros in decimal integer literals are not permitted; "
                   "use an 0o prefix for octal integers";
        return at;
    }
    return end_number(at, "invalid decimal literal", message);
}

const char *skip_number(Arena *arena, const char *text, const char **message)
{
    const char *at = text;
    if (*at == '0') {
        switch (at[1] | 0x20) {
        case 'x': return skip_based(arena, at + 2, 16, message);
        case 'o': return skip_based(arena, at + 2, 8, message);
        case 'b': return skip_based(arena, at + 2, 2, message);
        default: break;
        }
    }
    const char *first_nonzero = at;
    while (*first_nonzero == '0' || (*first_nonzero == '_' && first_nonzero > at))
        first_nonzero++;
    bool leading_zeros = *at == '0' && is_digit(*first_nonzero);
    if (*at != '.')
        at = skip_digits(at, message);
    return *message ? at : skip_float_tail(at, leading_zeros, message);
}
