/* Numbers and strings: from the token's text to a constant. */
#include "front/lexer_text.h"
#include "front/parser_impl.h"

#include <stdio.h>
#include <stdlib.h>

static Node *constant_new(Parser *p, ConstantKind kind, uint32_t start, uint32_t end)
{
    Node *node = node_new(p, NODE_CONSTANT, start);
    node->end = end;
    node->constant.kind = kind;
    return node;
}

/* ---- integers ---- */

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

/* The lexer has checked the digits. False: more than 127 bits. */
static bool read_integer(const char *at, const char *end, unsigned base, BigInt *value)
{
    const unsigned __int128 most = ~(unsigned __int128)0 >> 1;
    unsigned __int128 total = 0;
    for (; at < end; at++) {
        if (*at == '_')
            continue;
        unsigned digit = digit_value(*at);
        if (total > (most - digit) / base)
            return false;
        total = total * base + digit;
    }
    *value = (BigInt)total;
    return true;
}

/* Most integers are short: the same without 128-bit divisions. */
static bool read_short_integer(const char *at, const char *end, BigInt *value)
{
    uint64_t total = 0;
    if (end - at > 18)
        return false;
    for (; at < end; at++) {
        if (*at == '_')
            return false;
        total = total * 10 + (uint64_t)(*at - '0');
    }
    *value = (BigInt)total;
    return true;
}

/* ---- floats ---- */

/* The digits of a literal, without underscores and without the point, so that no locale matters. */
typedef struct Decimal {
    char digits[800]; /* more never change the nearest double, but for a sticky last one */
    size_t count;
    int64_t exponent; /* of ten, for the number that the digits make */
} Decimal;

/* Behind the `e`. Cut off where no number of digits in a source could undo it. */
static int64_t read_exponent(const char *at, const char *end)
{
    const int64_t most = 10000000000;
    int64_t exponent = 0;
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    for (; at < end && (*at | 0x20) != 'j'; at++)
        if (*at != '_' && exponent < most)
            exponent = exponent * 10 + (*at - '0');
    return negative ? -exponent : exponent;
}

static void read_decimal(const char *at, const char *end, Decimal *decimal)
{
    const int64_t out_of_range = 100000;
    bool fraction = false, dropped = false;
    int64_t exponent = 0;
    decimal->count = 0;
    for (; at < end && (*at | 0x20) != 'e' && (*at | 0x20) != 'j'; at++) {
        if (*at == '_')
            continue;
        if (*at == '.') {
            fraction = true;
            continue;
        }
        bool significant = decimal->count > 0 || *at != '0';
        bool kept = decimal->count < sizeof decimal->digits - 32; /* room for an exponent */
        if (significant && kept)
            decimal->digits[decimal->count++] = *at;
        else if (significant)
            dropped |= *at != '0';
        exponent += significant && !kept;
        exponent -= fraction;
    }
    if (dropped) {
        decimal->digits[decimal->count++] = '1';
        exponent--;
    }
    if (at < end && (*at | 0x20) == 'e')
        exponent += read_exponent(at + 1, end);
    decimal->exponent = exponent > out_of_range ? out_of_range : exponent < -out_of_range ? -out_of_range : exponent;
}

static double read_float(const char *at, const char *end)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    Decimal decimal;
    read_decimal(at, end, &decimal);
    if (decimal.count == 0)
        return 0.0;
    /* Up to 15 digits and a power of ten that is exact: one correctly rounded operation. */
    if (decimal.count <= 15 && decimal.exponent >= -22 && decimal.exponent <= 22) {
        uint64_t whole = 0;
        for (size_t i = 0; i < decimal.count; i++)
            whole = whole * 10 + (uint64_t)(decimal.digits[i] - '0');
        return decimal.exponent < 0 ? (double)whole / powers[-decimal.exponent]
                                    : (double)whole * powers[decimal.exponent];
    }
    char *tail = decimal.digits + decimal.count;
    snprintf(tail, sizeof decimal.digits - decimal.count, "e%lld", (long long)decimal.exponent);
    return strtod(decimal.digits, NULL);
}

/* ---- numbers ---- */

/* The base that a prefix such as `0x` names; 0: there is no prefix. */
static unsigned prefix_base(const char *at)
{
    if (at[0] != '0')
        return 0;
    switch (at[1] | 0x20) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 0;
    }
}

static bool is_float(const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at == '.' || (*at | 0x20) == 'e')
            return true;
    return false;
}

Node *parse_number(Parser *p)
{
    const char *at = p->lexer.text + p->token.start, *end = p->lexer.text + p->token.end;
    Node *node = constant_new(p, CONSTANT_INT, p->token.start, p->token.end);
    BigInt integer = 0;
    unsigned base = prefix_base(at);
    bool fits = true;
    if (base) {
        fits = read_integer(at + 2, end, base, &integer);
    } else if ((end[-1] | 0x20) == 'j' || is_float(at, end)) {
        node->constant.kind = (end[-1] | 0x20) == 'j' ? CONSTANT_COMPLEX : CONSTANT_FLOAT;
        node->constant.real = read_float(at, end);
    } else if (!read_short_integer(at, end, &integer)) {
        fits = read_integer(at, end, 10, &integer);
    }
    if (node->constant.kind == CONSTANT_INT)
        constant_set_integer(p->arena, node, integer);
    if (fits)
        advance(p);
    else
        parser_fail(p, node->start, node->end, "integer literal too large");
    return node;
}

/* ---- strings ---- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* `\x41`, `\u0041`, `\U00000041`, behind the letter. NULL: an error was reported. */
static const char *read_hex_escape(Parser *p, const char *at, const char *end, unsigned digits, uint32_t *code)
{
    const char *escape = at - 2;
    *code = 0;
    for (unsigned i = 0; i < digits; i++, at++) {
        if (at == end || !is_hex(*at)) {
            uint32_t start = (uint32_t)(escape - p->lexer.text);
            parser_fail(p, start, (uint32_t)(at - p->lexer.text), "truncated \\%c escape: it needs %u hex digits",
                        escape[1], digits);
            return NULL;
        }
        *code = *code << 4 | digit_value(*at);
    }
    if (*code > 0x10ffff) {
        uint32_t start = (uint32_t)(escape - p->lexer.text);
        parser_fail(p, start, (uint32_t)(at - p->lexer.text), "illegal Unicode character in escape");
        return NULL;
    }
    return at;
}

static const char *read_octal_escape(const char *at, const char *end, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 3 && at < end && *at >= '0' && *at <= '7'; i++, at++)
        *code = *code << 3 | (uint32_t)(*at - '0');
    return at;
}

/* The character that a one-letter escape stands for; 0: none. */
static char simple_escape(char letter)
{
    switch (letter) {
    case '\\':
    case '\'':
    case '"': return letter;
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return 0;
    }
}

/* At a backslash. Appends what the escape means; returns what follows it, or NULL after an error. */
static const char *decode_escape(Parser *p, char **out, const char *at, const char *end, bool bytes)
{
    char letter = at[1], simple = simple_escape(letter);
    uint32_t code;
    if (simple) {
        *(*out)++ = simple;
        return at + 2;
    }
    if (letter == '\n' || letter == '\r')
        return at + (letter == '\r' && at[2] == '\n' ? 3 : 2);
    const char *next;
    if (letter >= '0' && letter <= '7') {
        next = read_octal_escape(at + 1, end, &code);
    } else if (letter == 'x') {
        next = read_hex_escape(p, at + 2, end, 2, &code);
    } else if (!bytes && letter == 'u') {
        next = read_hex_escape(p, at + 2, end, 4, &code);
    } else if (!bytes && letter == 'U') {
        next = read_hex_escape(p, at + 2, end, 8, &code);
    } else if (!bytes && letter == 'N') {
        uint32_t start = (uint32_t)(at - p->lexer.text);
        Diag *diag = parser_fail(p, start, start + 2, "\\N{...} escapes are not supported");
        if (diag) {
            diag->kind = DIAG_UNSUPPORTED;
            diag->hint = "write the character itself, or its number as \\uXXXX";
        }
        return NULL;
    } else {
        *(*out)++ = '\\'; /* not an escape: Python keeps the backslash */
        return at + 1;
    }
    if (next && bytes)
        *(*out)++ = (char)code;
    else if (next)
        *out += encode_code_point(*out, code);
    return next;
}

char *decode_string(Parser *p, char *out, uint32_t from, uint32_t to, StringPrefix prefix)
{
    const char *at = p->lexer.text + from, *end = p->lexer.text + to;
    size_t len = to - from;
    bool escapes = !prefix.raw && memchr(at, '\\', len);
    if (!escapes && !prefix.bytes && !memchr(at, '\r', len)) { /* most strings stand there as they are */
        memcpy(out, at, len);
        return out + len;
    }
    while (at < end) {
        char c = *at;
        if (c == '\\' && !prefix.raw) {
            at = decode_escape(p, &out, at, end, prefix.bytes);
            if (!at)
                break;
        } else if (c == '\r') {
            *out++ = '\n'; /* every line end is one newline */
            at += at[1] == '\n' ? 2 : 1;
        } else if (prefix.bytes && (signed char)c < 0) {
            uint32_t where = (uint32_t)(at - p->lexer.text);
            parser_fail(p, where, where + 1, "bytes can only contain ASCII literal characters");
            break;
        } else {
            *out++ = c;
            at++;
        }
    }
    return out;
}

/* Between the quotes. */
StringToken string_inside(const Parser *p, StringToken token, StringPrefix prefix)
{
    const char *quote = p->lexer.text + token.start + prefix.length;
    bool triple = token.end - token.start >= prefix.length + 6 && quote[1] == quote[0] && quote[2] == quote[0];
    uint32_t width = triple ? 3 : 1;
    return (StringToken){token.start + prefix.length + width, token.end - width};
}

/* Adjacent literals without an `f` are one constant. */
static Node *join_strings(Parser *p, const StringToken *tokens, uint32_t count, bool bytes)
{
    uint32_t start = tokens[0].start, end = tokens[count - 1].end;
    Node *node = constant_new(p, bytes ? CONSTANT_BYTES : CONSTANT_STR, start, end);
    size_t room = 1;
    for (uint32_t i = 0; i < count; i++)
        room += tokens[i].end - tokens[i].start;
    char *text = arena_alloc(p->arena, room), *out = text;
    for (uint32_t i = 0; i < count; i++) {
        StringPrefix prefix = string_prefix(p->lexer.text + tokens[i].start);
        StringToken inside = string_inside(p, tokens[i], prefix);
        out = decode_string(p, out, inside.start, inside.end, prefix);
    }
    node->constant.text = text;
    node->constant.len = (uint32_t)(out - text);
    return node;
}

Node *parse_strings(Parser *p)
{
    StringToken first = {0, 0}, *tokens = &first;
    uint32_t count = 0, cap = 1, bytes = 0, formats = 0;
    while (at(p, TOKEN_STRING)) {
        StringPrefix prefix = string_prefix(p->lexer.text + p->token.start);
        bytes += prefix.bytes;
        formats += prefix.format;
        StringToken token = {p->token.start, p->token.end};
        ARENA_PUSH(p->arena, tokens, count, cap) = token;
        advance(p);
    }
    if (bytes && bytes < count) {
        parser_fail(p, tokens[0].start, tokens[count - 1].end, "cannot mix bytes and nonbytes literals");
        return error_node(p);
    }
    return formats ? parse_fstrings(p, tokens, count) : join_strings(p, tokens, count, bytes > 0);
}
