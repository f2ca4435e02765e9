/* Pieces of text: glued together with their lengths at hand, so that nothing is measured or formatted twice. */
#include "standalone/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Piece glue(Translator *t, Tight tight, const Piece *parts, uint32_t count)
{
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length += parts[i].length;
    char *text = arena_take(t->arena, length + 1), *at = text;
    uint64_t uses = 0;
    for (uint32_t i = 0; i < count; i++) {
        text_copy(at, parts[i].text, parts[i].length);
        at += parts[i].length;
        uses |= parts[i].uses;
    }
    *at = '\0';
    return (Piece){text, (uint32_t)length, tight, uses};
}

Piece fit(Translator *t, Piece piece, Tight at_least)
{
    return piece.tight < at_least ? GLUE(t, TIGHT_PRIMARY, LIT("("), piece, LIT(")")) : piece;
}

Piece piece_of(const char *text)
{
    return (Piece){text, (uint32_t)strlen(text), TIGHT_PRIMARY, 0};
}

Piece piece_uint(Translator *t, uint32_t number)
{
    static const char single[] = "0\0"
                                 "1\0"
                                 "2\0"
                                 "3\0"
                                 "4\0"
                                 "5\0"
                                 "6\0"
                                 "7\0"
                                 "8\0"
                                 "9";
    if (number < 10)
        return (Piece){single + 2 * (size_t)number, 1, TIGHT_PRIMARY, 0};
    char digits[12];
    uint32_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    uint32_t length = (uint32_t)sizeof digits - at;
    return (Piece){arena_strndup(t->arena, digits + at, length), length, TIGHT_PRIMARY, 0};
}

bool is_simple(Piece piece)
{
    for (uint32_t i = 0; i < piece.length; i++)
        switch (piece.text[i]) {
        case ' ':
        case '(':
        case '*':
        case '/':
        case '+':
        case '-': return false;
        default: break;
        }
    return true;
}

/* ---- numbers ---- */

static const char *with_suffix(Translator *t, bool minus, uint64_t number, int digits, bool single)
{
    char text[32];
    uint32_t at = sizeof text;
    text[--at] = '\0';
    if (single)
        text[--at] = 'f';
    for (int i = 0; i < digits; i++, number /= 10)
        text[--at] = (char)('0' + number % 10);
    text[--at] = '.';
    do
        text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    if (minus)
        text[--at] = '-';
    return arena_strndup(t->arena, text + at, sizeof text - 1 - at);
}

/* The shortest decimal fraction that is read as the value, where a few digits do; or NULL. */
static const char *short_fraction(Translator *t, double value, bool single)
{
    enum { MOST_DIGITS = 6 };
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    double size = fabs(value);
    if ((size < 1e-4 && size != 0) || size >= 1e6)
        return NULL;
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        double scaled = rint(size * tens[digits]), read = scaled / tens[digits];
        if (single ? (float)read == (float)size : read == size)
            return with_suffix(t, signbit(value), (uint64_t)scaled, digits, single);
    }
    return NULL;
}

const char *number_text(Translator *t, double value, TypeKind kind)
{
    char text[64];
    bool single = kind == TYPE_FLOAT32;
    if (kind == TYPE_FLOAT16)
        return arena_format(t->arena, "float16(%s)", number_text(t, round_half(value), TYPE_FLOAT32));
    if (isnan(value))
        return single ? "NAN" : "(double)NAN";
    value = round_to_type(value, kind);
    if (isinf(value))
        return value > 0 ? "INFINITY" : "-INFINITY";
    const char *fraction = short_fraction(t, value, single);
    if (fraction)
        return fraction;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? (float)strtod(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    bool plain = !strpbrk(text, ".e");
    return arena_format(t->arena, "%s%s%s", text, plain ? ".0" : "", single ? "f" : "");
}
