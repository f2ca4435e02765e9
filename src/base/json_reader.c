#include "base/json_reader.h"

#include "base/text.h"

#include <endian.h>

bool reader_take_word(JsonReader *r, const char *word)
{
    size_t len = strlen(word);
    if (reader_peek(r) != *word || (size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

JsonString reader_string(JsonReader *r)
{
    reader_expect(r, '"');
    const char *start = r->at;
    for (size_t len = 1; len && !r->failed;) {
        r->at += plain_length(r->at, (size_t)(r->end - r->at));
        bool is_other = r->at < r->end && (unsigned char)*r->at >= 0x20 && *r->at != '"' && *r->at != '\\';
        len = is_other ? utf8_length(r->at, (size_t)(r->end - r->at)) : 0;
        r->at += len;
    }
    JsonString string = {.text = start, .len = (size_t)(r->at - start)};
    r->failed |= r->at == r->end || *r->at != '"';
    r->at += !r->failed;
    return string;
}

static bool is_name(JsonString string, const char *name)
{
    return string.len && *string.text == *name && strlen(name) == string.len &&
           memcmp(string.text, name, string.len) == 0;
}

unsigned reader_member(JsonReader *r, const char *const *names, unsigned count)
{
    JsonString name = reader_string(r);
    unsigned i = 0;
    reader_expect(r, ':');
    while (i < count && !is_name(name, names[i]))
        i++;
    return i;
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Up to eight digits at once: how many there are. A digit at a time takes twice as many instructions. */
static unsigned read_digits(const char *at, uint64_t *value)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t bytes, others;
    memcpy(&bytes, at, sizeof bytes);
    bytes = le64toh(bytes) ^ ones * '0';
    others = ((bytes + ones * 0x76) | bytes) & ones * 0x80; /* exact up to the first one */
    unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (!count)
        return 0;
    bytes <<= 64 - 8 * count;                                      /* zeros come first */
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffu;     /* of two digits each */
    bytes = ((bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffu); /* of four */
    bytes = ((bytes * 10000 + (bytes >> 32)) & 0xffffffffu);
    *value = bytes;
    return count;
}

static inline const char *add_digits(uint64_t *digits, const char *at, const char *end)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    if (end - at >= 8) {
        uint64_t more = 0;
        unsigned count = read_digits(at, &more);
        *digits = *digits * powers[count] + more;
        at += count;
    }
    for (; at < end && is_digit(*at); at++) /* mostly one of them, or none */
        *digits = *digits * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Behind the e; *end: where it ends, or where it begins, if there is no digit. */
static int read_exponent(const char *at, const char **end)
{
    int power = 0;
    const char *begin = at;
    bool is_negative = at < *end && *at == '-';
    at += at < *end && (*at == '-' || *at == '+');
    const char *first = at;
    for (; at < *end && is_digit(*at); at++)
        power = power < 1000 ? power * 10 + (*at - '0') : power;
    *end = at > first ? at : begin;
    return is_negative ? -power : power;
}

/* What has too many digits for a double. */
static JsonNumber read_long_number(JsonReader *r, const char *end, bool is_whole)
{
    char text[64];
    size_t len = (size_t)(end - r->at);
    r->failed |= len >= sizeof text;
    len = r->failed ? 0 : len;
    memcpy(text, r->at, len);
    text[len] = 0;
    r->at = end;
    return (JsonNumber){.real = strtod(text, NULL), .whole = is_whole ? strtoll(text, NULL, 10) : 0};
}

static inline JsonNumber read_number(JsonReader *r)
{
    enum { MOST_LENGTH = 19, MOST_POWER = 22 };
    static const double powers[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool is_negative = reader_peek(r) == '-';
    const char *first = r->at + is_negative, *at = first, *end = r->end;
    uint64_t digits = 0;
    int power = 0;
    for (; at < end && is_digit(*at); at++) /* mostly one or two of them */
        digits = digits * 10 + (uint64_t)(*at - '0');
    const char *whole_end = at;
    r->failed |= at == first || (at > first + 1 && *first == '0');
    if (at < end && *at == '.') {
        at = add_digits(&digits, at + 1, end);
        power = (int)(whole_end + 1 - at);
        r->failed |= !power;
    }
    ptrdiff_t length = at - first;
    if (at < end && (*at == 'e' || *at == 'E')) {
        power += read_exponent(at + 1, &end);
        r->failed |= end == at + 1;
        at = end;
    }
    if (length > MOST_LENGTH || digits >> 53 || power < -MOST_POWER || power > MOST_POWER)
        return read_long_number(r, at, at == whole_end);
    /* Both are exact, so that one operation rounds as strtod does. */
    double real = power < 0 ? (double)(int64_t)digits / powers[-power] : (double)(int64_t)digits * powers[power];
    int64_t whole = at == whole_end ? (int64_t)digits : 0;
    r->at = at;
    return (JsonNumber){.real = is_negative ? -real : real, .whole = is_negative ? -whole : whole};
}

JsonNumber reader_number(JsonReader *r)
{
    return read_number(r);
}

size_t reader_most_numbers(const JsonReader *r)
{
    const char *end = memchr(r->at, ']', (size_t)(r->end - r->at));
    return (size_t)((end ? end : r->end) - r->at) / 2 + 1; /* a digit and a comma each */
}

size_t reader_numbers(JsonReader *r, JsonNumber *numbers)
{
    size_t count = 0;
    reader_expect(r, '[');
    if (r->failed || reader_take(r, ']'))
        return 0;
    do {
        bool is_null = reader_peek(r) == 'n' && reader_take_word(r, "null");
        numbers[count++] = is_null ? (JsonNumber){0} : read_number(r);
    } while (!r->failed && reader_take(r, ','));
    reader_expect(r, ']');
    return count;
}

/* ---- what nobody asks for ---- */

void reader_skip_numbers(JsonReader *r)
{
    reader_expect(r, '[');
    const char *end = memchr(r->at, ']', (size_t)(r->end - r->at));
    r->at = end ? end : r->end;
    reader_expect(r, ']');
}

void reader_skip(JsonReader *r)
{
    uint32_t depth = 0;
    do {
        char c = reader_peek(r);
        if (c == '"') {
            reader_string(r);
        } else {
            depth += c == '[' || c == '{';
            depth -= depth && (c == ']' || c == '}');
            r->at += c != 0;
            while (r->at < r->end && !strchr(" \n\t\r,:[]{}\"", *r->at)) /* the rest of a number or word */
                r->at++;
        }
        r->failed |= !c;
    } while (depth && !r->failed);
}
