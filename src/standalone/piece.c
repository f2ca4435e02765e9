/* Pieces of text that know how tightly they bind and which local names are in them. */
#include "standalone/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets of local names ---- */

static NameSet *new_set(Translator *t, uint32_t count)
{
    NameSet *set = arena_alloc(t->arena, sizeof *set + count * sizeof *set->words);
    set->count = count;
    return set;
}

const NameSet *name_set(Translator *t, uint32_t number)
{
    NameSet *set = new_set(t, number / 64 + 1);
    set->words[number / 64] = (uint64_t)1 << number % 64;
    return set;
}

const NameSet *join_names(Translator *t, const NameSet *a, const NameSet *b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    NameSet *set = new_set(t, a->count > b->count ? a->count : b->count);
    for (uint32_t i = 0; i < set->count; i++)
        set->words[i] = (i < a->count ? a->words[i] : 0) | (i < b->count ? b->words[i] : 0);
    return set;
}

bool names_meet(const NameSet *a, const NameSet *b)
{
    for (uint32_t i = 0; a && b && i < a->count && i < b->count; i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

/* ---- pieces ---- */

Piece glue(Translator *t, Tight tight, const Piece *parts, uint32_t count)
{
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length += parts[i].length;
    char *text = arena_take(t->arena, length + 1), *at = text;
    Piece whole = PIECE(text, length, tight);
    for (uint32_t i = 0; i < count; i++) {
        text_copy(at, parts[i].text, parts[i].length);
        at += parts[i].length;
        whole.uses = join_names(t, whole.uses, parts[i].uses);
        whole.has_effect |= parts[i].has_effect;
    }
    *at = '\0';
    return whole;
}

Piece fit(Translator *t, Piece piece, Tight at_least)
{
    return piece.tight < at_least ? GLUE(t, TIGHT_PRIMARY, LIT("("), piece, LIT(")")) : piece;
}

Piece negative(Translator *t, Piece piece)
{
    if (piece.negated)
        return *piece.negated;
    Piece *kept = ARENA_NEW(t->arena, Piece);
    *kept = piece;
    piece = GLUE(t, TIGHT_SIGN, LIT("-"), fit(t, piece, TIGHT_UNARY));
    piece.negated = kept;
    return piece;
}

Piece opposite(Translator *t, Piece condition)
{
    return GLUE(t, TIGHT_UNARY, LIT("!"), fit(t, condition, TIGHT_UNARY));
}

Piece part_of(Translator *t, Piece whole, Piece part)
{
    Piece piece = GLUE(t, TIGHT_PRIMARY, fit(t, whole, TIGHT_PRIMARY), part);
    piece.is_plain = whole.is_plain;
    return piece;
}

Piece piece_of(const char *text)
{
    return PIECE(text, strlen(text), TIGHT_PRIMARY);
}

Piece piece_int(Translator *t, int64_t number)
{
    Piece piece = piece_of(arena_format(t->arena, "%lld", (long long)number));
    if (number < 0)
        piece.tight = TIGHT_SIGN;
    return piece;
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
