#include "judge/mend_line.h"

#include <ctype.h>
#include <stdlib.h>

static const char replacement[] = "\\ufffd";

/* The code unit of an escape \uXXXX at `at`; -1: there is none. */
static long escaped_unit(const char *at, const char *end)
{
    char digits[5] = "";
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)at[2 + i]))
            return -1;
        digits[i] = at[2 + i];
    }
    return strtol(digits, NULL, 16);
}

static bool is_high(long unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(long unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* Copies the escape at `at` and returns what follows it. */
static const char *mend_escape(const char *at, const char *end, Text *out)
{
    long unit = escaped_unit(at, end);
    size_t len = unit < 0 ? 2 : 6;
    if (len > (size_t)(end - at))
        len = (size_t)(end - at);
    if (is_high(unit) && is_low(escaped_unit(at + 6, end))) {
        text_add(out, at, 12);
        return at + 12;
    }
    if (unit == 0 || is_high(unit) || is_low(unit))
        text_str(out, replacement);
    else
        text_add(out, at, len);
    return at + len;
}

/* The length of the character at `at` in UTF-8; 0: it is not one. */
static size_t character_length(const unsigned char *at, const unsigned char *end)
{
    size_t len = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    if (!len || len > (size_t)(end - at) || *at == 0)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (len > 2) { /* longer than needed, half of a surrogate pair, or beyond the last character */
        unsigned second = at[1];
        if ((*at == 0xe0 && second < 0xa0) || (*at == 0xed && second > 0x9f) || (*at == 0xf0 && second < 0x90) ||
            (*at == 0xf4 && second > 0x8f))
            return 0;
    }
    return len;
}

void mend_line(const char *line, size_t len, Text *out)
{
    for (const char *at = line, *end = line + len; at < end;) {
        size_t own = character_length((const unsigned char *)at, (const unsigned char *)end);
        if (*at == '\\') {
            at = mend_escape(at, end, out);
        } else {
            if (own)
                text_add(out, at, own);
            else
                text_str(out, replacement);
            at += own ? own : 1;
        }
    }
}
