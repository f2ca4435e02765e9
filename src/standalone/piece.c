/* Pieces of text that know how tightly they bind and which local names are in them; sets of such names; numbers as text. */
#include "standalone/model.h"

#include <math.h>
#include <stdio.h>

/* ---- sets ---- */

static Bits *new_bits(Translator *t, uint32_t count)
{
    Bits *bits = arena_alloc(t->arena, sizeof *bits + count * sizeof *bits->words);
    bits->count = count;
    return bits;
}

const Bits *one_bit(Translator *t, uint32_t number)
{
    Bits *bits = new_bits(t, number / 64 + 1);
    bits->words[number / 64] = (uint64_t)1 << number % 64;
    return bits;
}

/* Is all of b in a? */
static bool includes(const Bits *a, const Bits *b)
{
    for (uint32_t i = 0; b && i < b->count; i++)
        if (b->words[i] & ~(a && i < a->count ? a->words[i] : 0))
            return false;
    return true;
}

const Bits *join_bits(Translator *t, const Bits *a, const Bits *b)
{
    if (includes(a, b))
        return a;
    if (includes(b, a))
        return b;
    Bits *bits = new_bits(t, a->count > b->count ? a->count : b->count);
    for (uint32_t i = 0; i < bits->count; i++)
        bits->words[i] = (i < a->count ? a->words[i] : 0) | (i < b->count ? b->words[i] : 0);
    return bits;
}

bool bits_meet(const Bits *a, const Bits *b)
{
    for (uint32_t i = 0; a && b && i < a->count && i < b->count; i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

bool has_bit(const Bits *bits, uint32_t number)
{
    return bits && number / 64 < bits->count && bits->words[number / 64] >> number % 64 & 1;
}

/* ---- pieces ---- */

void add_piece(Translator *t, Joint *joint, Piece piece)
{
    text_str(&joint->text, piece.text);
    joint->uses = join_bits(t, joint->uses, piece.uses);
    joint->has_effect |= piece.has_effect;
}

Piece end_joint(Joint *joint, Tight tight)
{
    return (Piece){
        .text = text_cstr(&joint->text), .tight = tight, .uses = joint->uses, .has_effect = joint->has_effect};
}

Piece join_pieces(Translator *t, Tight tight, const char *format, const Piece *pieces)
{
    Joint joint = {0};
    text_init_in(&joint.text, t->arena);
    for (; *format; format++) {
        if (*format == '@')
            add_piece(t, &joint, *pieces++);
        else
            text_char(&joint.text, *format);
    }
    return end_joint(&joint, tight);
}

Piece fit(Translator *t, Piece piece, Tight at_least)
{
    return piece.tight < at_least ? JOIN(t, TIGHT_PRIMARY, "(@)", piece) : piece;
}

Piece negative(Translator *t, Piece piece)
{
    if (piece.negated)
        return *piece.negated;
    Piece *kept = ARENA_NEW(t->arena, Piece);
    *kept = piece;
    piece = JOIN(t, TIGHT_SIGN, "-@", fit(t, piece, TIGHT_UNARY));
    piece.negated = kept;
    return piece;
}

Piece opposite(Translator *t, Piece condition)
{
    return JOIN(t, TIGHT_UNARY, "!@", fit(t, condition, TIGHT_UNARY));
}

Piece part_of(Translator *t, Piece whole, Piece part)
{
    Piece piece = JOIN(t, TIGHT_PRIMARY, "@@", fit(t, whole, TIGHT_PRIMARY), part);
    piece.is_plain = whole.is_plain;
    return piece;
}

Piece field_of(Translator *t, Piece whole, const char *field)
{
    return part_of(t, whole, piece_of(arena_join(t->arena, ".", field)));
}

Piece piece_of(const char *text)
{
    return (Piece){.text = text, .tight = TIGHT_PRIMARY};
}

Piece piece_int(Translator *t, int64_t number)
{
    Piece piece = piece_of(arena_format(t->arena, "%lld", (long long)number));
    if (number < 0)
        piece.tight = TIGHT_SIGN;
    return piece;
}

/* ---- numbers ---- */

static bool reads_as(const char *text, double value, bool single)
{
    return single ? (float)strtod(text, NULL) == (float)value : strtod(text, NULL) == value;
}

const char *number_text(Translator *t, double value, TypeKind kind)
{
    char text[64];
    bool single = kind == TYPE_FLOAT32, is_found = false;
    if (kind == TYPE_FLOAT16)
        return arena_format(t->arena, "float16(%s)", number_text(t, round_half(value), TYPE_FLOAT32));
    if (isnan(value))
        return single ? "NAN" : "(double)NAN";
    value = round_to_type(value, kind);
    if (isinf(value))
        return value > 0 ? "INFINITY" : "-INFINITY";
    bool is_usual = value == 0 || (fabs(value) >= 1e-4 && fabs(value) < 1e6);
    for (int digits = 1; is_usual && digits <= 6 && !is_found; digits++) {
        snprintf(text, sizeof text, "%.*f", digits, value);
        is_found = reads_as(text, value, single);
    }
    for (int digits = 1; digits <= 17 && !is_found; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        is_found = reads_as(text, value, single);
    }
    return arena_format(t->arena, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", single ? "f" : "");
}
