#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void text_init(Text *text)
{
    memset(text, 0, sizeof *text);
}

void text_init_in(Text *text, Arena *arena)
{
    text_init(text);
    text->arena = arena;
}

void text_free(Text *text)
{
    if (!text->arena)
        free(text->data);
    text_init(text);
}

void text_reserve(Text *text, size_t more)
{
    if (text->cap - text->len >= more)
        return;
    size_t cap = text->cap ? text->cap : 256;
    while (cap - text->len < more) {
        if (cap > SIZE_MAX / 2)
            break;
        cap *= 2;
    }
    char *data = NULL;
    if (text->arena)
        data = arena_grow(text->arena, text->data, text->len, cap);
    else if (cap - text->len >= more)
        data = realloc(text->data, cap);
    if (!data) {
        if (text->on_failure)
            longjmp(*text->on_failure, 1);
        fprintf(stderr, "weft: out of memory\n");
        abort();
    }
    text->data = data;
    text->cap = cap;
}

void text_big_uint(Text *text, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    text_add(text, digits + at, sizeof digits - at);
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
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len > 0) {
        text_reserve(text, (size_t)len + 1);
        vsnprintf(text->data + text->len, (size_t)len + 1, format, again);
        text->len += (size_t)len;
    }
    va_end(again);
}

const char *text_cstr(Text *text)
{
    text_reserve(text, 1);
    text->data[text->len] = '\0';
    return text->data;
}

/* How many of eight bytes come before one that JSON must escape: a control character, a quote, a backslash, DEL. */
static size_t plain_bytes(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) /* one load, whatever the byte order */
        word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\'), del = word ^ (ones * 0x7f);
    uint64_t found = ((word - ones * 0x20) | (quote - ones) | (backslash - ones) | (del - ones)) & ~word & tops;
    return found ? (size_t)__builtin_ctzll(found) / 8 : 8; /* the lowest one found is never a false one */
}

void text_json_string(Text *text, const char *bytes, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    text_char(text, '"');
    size_t done = 0;
    for (size_t i = 0; i < len; i++) {
        for (size_t plain = 8; plain == 8 && i + 8 <= len; i += plain)
            plain = plain_bytes(bytes + i);
        if (i == len)
            break;
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
            continue;
        text_add(text, bytes + done, i - done);
        done = i + 1;
        switch (c) {
        case '\n': text_lit(text, "\\n"); break;
        case '\t': text_lit(text, "\\t"); break;
        case '\r': text_lit(text, "\\r"); break;
        case '"': text_lit(text, "\\\""); break;
        case '\\': text_lit(text, "\\\\"); break;
        default: {
            char escape[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            text_add(text, escape, sizeof escape);
        }
        }
    }
    text_add(text, bytes + done, len - done);
    text_char(text, '"');
}

/* Digits and exponent of the shortest decimal that reads back as `value` (finite, positive). */
static int shortest_digits(double value, char digits[18], int *exponent)
{
    char buffer[40];
    /* Any decimal of up to 15 digits survives, except below the normal range. */
    for (int precision = value < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        snprintf(buffer, sizeof buffer, "%.*e", precision - 1, value);
        bool same = strtod(buffer, NULL) == value;
        /* The nearest 16 digits may miss where the gaps around a power of two differ: try the neighbours. */
        for (int step = -1; !same && precision == 16 && step <= 1; step += 2) {
            char shifted[40];
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
    char digits[18];
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
