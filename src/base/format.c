#include "base/format.h"

#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct Out {
    char *at, *end;
    size_t missed; /* bytes that did not fit */
} Out;

static inline void put(Out *out, const char *bytes, size_t len)
{
    size_t room = (size_t)(out->end - out->at);
    if (len > room) {
        out->missed += len - room;
        len = room;
    }
    text_copy(out->at, bytes, len);
    out->at += len;
}

static void put_number(Out *out, uint64_t magnitude, int negative)
{
    char digits[21];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative)
        digits[--at] = '-';
    put(out, digits + at, sizeof digits - at);
}

/* Writes the conversion behind the `%`. Returns what follows it; NULL: a kind that only the C library knows. */
static const char *put_conversion(Out *out, const char *at, va_list *args)
{
    switch (*at) {
    case 's': {
        const char *string = va_arg(*args, const char *);
        string = string ? string : "(null)";
        put(out, string, strlen(string));
        return at + 1;
    }
    case 'u': put_number(out, va_arg(*args, unsigned), 0); return at + 1;
    case 'd': {
        int value = va_arg(*args, int);
        put_number(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
        return at + 1;
    }
    case 'c': put(out, &(char){(char)va_arg(*args, int)}, 1); return at + 1;
    case '%': put(out, at, 1); return at + 1;
    case '.':
        if (at[1] == '*' && at[2] == 's') {
            int most = va_arg(*args, int);
            const char *string = va_arg(*args, const char *);
            put(out, string, most < 0 ? strlen(string) : strnlen(string, (size_t)most));
            return at + 3;
        }
        return NULL;
    case 'l':
        if (at[1] != 'l' || at[2] != 'u')
            return NULL;
        put_number(out, va_arg(*args, unsigned long long), 0);
        return at + 3;
    default: return NULL;
    }
}

size_t format_text(char *out, size_t size, const char *format, va_list args)
{
    Out to = {out, out + size - 1, 0};
    va_list rest;
    va_copy(rest, args);
    for (const char *at = format; *at;) {
        if (*at != '%') { /* what stands between conversions is mostly a sign or two */
            if (to.at < to.end)
                *to.at++ = *at;
            else
                to.missed++;
            at++;
            continue;
        }
        at = put_conversion(&to, at + 1, &rest);
        if (!at) {
            va_end(rest);
            int len = vsnprintf(out, size, format, args);
            return len < 0 ? 0 : (size_t)len;
        }
    }
    va_end(rest);
    *to.at = '\0';
    return (size_t)(to.at - out) + to.missed;
}
