/* Pieces of text that know how tightly they bind and which local names are in them; sets of such names; numbers as text. */
#include "standalone/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sets ---- */

static const Bits *new_word(Translator *t, uint32_t index, uint64_t word)
{
    Bits *bits = ARENA_NEW(t->arena, Bits);
    bits->index = index;
    bits->word = word;
    return bits;
}

static const Bits *new_halves(Translator *t, uint32_t index, uint32_t half, const Bits *low, const Bits *high)
{
    Bits *bits = ARENA_NEW(t->arena, Bits);
    *bits = (Bits){.index = index, .half = half, .halves = {low, high}};
    return bits;
}

const Bits *one_bit(Translator *t, uint32_t number)
{
    return new_word(t, number / 64, (uint64_t)1 << number % 64);
}

/* Could the words of b be in one of the halves of a? Which one is side_of(a, b). */
static bool spans(const Bits *a, const Bits *b)
{
    return a->half > b->half && ((a->index ^ b->index) & ~(2 * a->half - 1)) == 0;
}

static bool side_of(const Bits *a, const Bits *b)
{
    return b->index & a->half;
}

static bool are_alike(const Bits *a, const Bits *b)
{
    return a->index == b->index && a->half == b->half;
}

/* Two sets that have no word in common. */
static const Bits *join_apart(Translator *t, const Bits *a, const Bits *b)
{
    uint32_t half = (uint32_t)1 << (31 - __builtin_clz(a->index ^ b->index)); /* the first bit in which they differ */
    bool is_higher = a->index & half;
    return new_halves(t, a->index & ~(2 * half - 1), half, is_higher ? b : a, is_higher ? a : b);
}

/* Where one of them includes the other, it is the result: what asks whether a set has grown compares addresses. */
const Bits *join_bits(Translator *t, const Bits *a, const Bits *b)
{
    if (!b || a == b)
        return a;
    if (!a)
        return b;
    if (spans(b, a)) {
        bool side = side_of(b, a);
        const Bits *part = join_bits(t, b->halves[side], a);
        return part == b->halves[side]
                   ? b
                   : new_halves(t, b->index, b->half, side ? b->halves[0] : part, side ? part : b->halves[1]);
    }
    if (!are_alike(a, b) && !spans(a, b))
        return join_apart(t, a, b);
    if (!a->half) {
        uint64_t word = a->word | b->word;
        return word == a->word ? a : word == b->word ? b : new_word(t, a->index, word);
    }
    const Bits *parts[2] = {a->halves[0], a->halves[1]};
    for (int side = 0; side < 2; side++)
        if (are_alike(a, b) || side == side_of(a, b))
            parts[side] = join_bits(t, parts[side], are_alike(a, b) ? b->halves[side] : b);
    if (parts[0] == a->halves[0] && parts[1] == a->halves[1])
        return a;
    if (are_alike(a, b) && parts[0] == b->halves[0] && parts[1] == b->halves[1])
        return b;
    return new_halves(t, a->index, a->half, parts[0], parts[1]);
}

bool bits_meet(const Bits *a, const Bits *b)
{
    if (!a || !b)
        return false;
    if (spans(a, b))
        return bits_meet(a->halves[side_of(a, b)], b);
    if (spans(b, a))
        return bits_meet(a, b->halves[side_of(b, a)]);
    if (!are_alike(a, b))
        return false;
    return a->half ? bits_meet(a->halves[0], b->halves[0]) || bits_meet(a->halves[1], b->halves[1])
                   : (a->word & b->word) != 0;
}

uint32_t next_bit(const Bits *bits, uint32_t from)
{
    uint32_t index = from / 64;
    if (!bits || (bits->half && index >= bits->index + 2 * bits->half) || (!bits->half && index > bits->index))
        return UINT32_MAX;
    if (bits->half) {
        uint32_t low = index < bits->index + bits->half ? next_bit(bits->halves[0], from) : UINT32_MAX;
        return low != UINT32_MAX ? low : next_bit(bits->halves[1], from);
    }
    uint64_t word = bits->word & (index == bits->index ? ~(uint64_t)0 << from % 64 : ~(uint64_t)0);
    return word ? bits->index * 64 + (uint32_t)__builtin_ctzll(word) : UINT32_MAX;
}

/* ---- brackets ---- */

static const struct Operator {
    const char *text;
    size_t len;
    Tight tight, left, right; /* how tightly it binds, and what stands beside it must */
} operators[] = {
#define OPERATOR(text, tight, left, right) {text, sizeof(text) - 1, TIGHT_##tight, TIGHT_##left, TIGHT_##right},
#include "standalone/tight.def"
#undef OPERATOR
};

/* The operator of two sides at a place; NULL: none. */
static const struct Operator *find_operator(const char *at)
{
    static const bool starts_none[256] = {
        /* mostly so */
        ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true, ['@'] = true,
        ['('] = true,         [')'] = true,         ['{'] = true,         ['}'] = true, [']'] = true,
        [','] = true,         [';'] = true,         [' '] = true,         ['\0'] = true};
    if (starts_none[(unsigned char)*at])
        return NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (*at == *operators[i].text && strncmp(at, operators[i].text, operators[i].len) == 0)
            return &operators[i];
    return NULL;
}

/* How tightly what is filled in must bind: by what stands left and right of it. Operators of two sides stand between blanks. */
static Tight slot_tight(const char *start, const char *slot, Piece piece)
{
    const struct Operator *next = find_operator(slot + 1 + (slot[1] == ' ')), *before = NULL;
    Tight tight = next ? next->left : TIGHT_COMMA, other = TIGHT_COMMA;
    if (slot > start && strchr("-!~)", slot[-1])) /* a sign, or a cast */
        other = TIGHT_UNARY;
    else if (slot > start + 2 && slot[-1] == ' ') {
        const char *left = slot - 2;
        while (left > start && left[-1] != ' ')
            left--;
        before = find_operator(left);
        other = before ? before->right : TIGHT_COMMA;
    }
    if (next && next->tight == TIGHT_OR &&
        piece.tight == TIGHT_OR) /* but `and` in `or` has brackets: compilers ask for them */
        tight = TIGHT_OR;
    return other > tight ? other : tight;
}

/* How tightly a whole text binds: by its loosest operator outside of brackets. */
static Tight text_tight(const char *text)
{
    static const int8_t nesting[256] = {['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1};
    Tight tight = TIGHT_PRIMARY;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        depth += nesting[(unsigned char)*at];
        const struct Operator *operator= !depth && * at == ' ' ? find_operator(at + 1) : NULL;
        if (operator&& operator->tight<tight)
            tight = operator->tight;
    }
    if (tight != TIGHT_PRIMARY)
        return tight;
    bool is_cast = text[0] == '(' && strchr(text, ')')[1];
    return text[0] == '-' ? TIGHT_SIGN : is_cast || strchr("!~", text[0]) ? TIGHT_UNARY : tight;
}

/* ---- pieces ---- */

Piece join_pieces(Translator *t, const char *format, const Piece *pieces)
{
    Piece whole = {.tight = text_tight(format)};
    Text text = text_in(t->arena);
    for (const char *at = format;; pieces++) {
        const char *slot = at;
        while (*slot && *slot != '@')
            slot++;
        text_add(&text, at, (size_t)(slot - at));
        if (!*slot)
            break;
        Piece piece = fit(t, *pieces, slot_tight(format, slot, *pieces));
        text_str(&text, piece.text);
        whole.uses = join_bits(t, whole.uses, piece.uses);
        whole.has_effect |= piece.has_effect;
        at = slot + 1;
    }
    whole.text = text_cstr(&text);
    return whole;
}

Piece add_item(Translator *t, Piece list, Piece item)
{
    return *list.text ? JOIN(t, "@, @", list, item) : item;
}

Piece fit(Translator *t, Piece piece, Tight at_least)
{
    return piece.tight < at_least ? JOIN(t, "(@)", piece) : piece;
}

Piece negative(Translator *t, Piece piece)
{
    if (piece.negated)
        return *piece.negated;
    Piece *kept = ARENA_NEW(t->arena, Piece);
    *kept = piece;
    piece = JOIN(t, "-@", piece);
    piece.negated = kept;
    return piece;
}

Piece part_of(Translator *t, Piece whole, Piece part)
{
    Piece piece = JOIN(t, "@@", fit(t, whole, TIGHT_PRIMARY), part);
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

/* A float with up to six decimals, without printing and reading it for each number of them: its product with 10^6 is exact in a
 * double. NULL: it has more. */
static const char *few_decimals(Translator *t, float value)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    for (size_t digits = 1; digits < sizeof powers / sizeof *powers; digits++) {
        double size = fabs((double)value), whole = nearbyint(size * powers[digits]);
        if ((double)(float)(whole / powers[digits]) != size)
            continue;
        Text text = text_in(t->arena);
        uint64_t unit = (uint64_t)powers[digits];
        text_str(&text, signbit(value) ? "-" : "");
        text_uint(&text, (uint64_t)whole / unit);
        text_char(&text, '.');
        while (unit /= 10)
            text_char(&text, (char)('0' + (uint64_t)whole / unit % 10));
        text_char(&text, 'f');
        return text_finish(&text);
    }
    return NULL;
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
    const char *short_text = single && is_usual ? few_decimals(t, (float)value) : NULL;
    if (short_text)
        return short_text;
    for (int digits = 1; !single && is_usual && digits <= 6 && !is_found; digits++) {
        snprintf(text, sizeof text, "%.*f", digits, value);
        is_found = reads_as(text, value, single);
    }
    for (int digits = 1; digits <= 17 && !is_found; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        is_found = reads_as(text, value, single);
    }
    return arena_format(t->arena, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", single ? "f" : "");
}
