/* Constants and f-strings as text.
 *
 * Inside a field of an f-string, Python 3.11 allows neither a backslash nor the quotes of the f-string itself.
 * So there, a way to quote is tried and, where the text does not fit, taken back and the next one tried. */
#include "front/lexer_text.h"
#include "front/unparse_impl.h"

#include <math.h>

static const char *const quotes[QUOTE_STYLES] = {"\"", "'", "\"\"\"", "'''"};

static bool is_triple(QuoteStyle style)
{
    return style >= QUOTE_TRIPLE_DOUBLE;
}

/* ---- numbers ---- */

static void write_integer(Unparser *u, BigInt value)
{
    char digits[40];
    size_t at = sizeof digits;
    unsigned __int128 rest = value < 0 ? 0 - (unsigned __int128)value : (unsigned __int128)value;
    do
        digits[--at] = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    if (value < 0)
        text_char(u->out, '-');
    text_add(u->out, digits + at, sizeof digits - at);
}

/* No literal is infinite, but one that is too large reads as infinity. */
static void write_float(Unparser *u, double value)
{
    if (isnan(value))
        text_lit(u->out, "(1e309 - 1e309)");
    else if (isinf(value))
        text_str(u->out, value < 0 ? "-1e309" : "1e309");
    else
        text_python_float(u->out, value);
}

/* ---- strings ---- */

static void write_escape(Unparser *u, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    switch (c) {
    case '\n': text_lit(u->out, "\\n"); return;
    case '\r': text_lit(u->out, "\\r"); return;
    case '\t': text_lit(u->out, "\\t"); return;
    case '\\': text_lit(u->out, "\\\\"); return;
    case '"': text_lit(u->out, "\\\""); return;
    case '\'': text_lit(u->out, "\\'"); return;
    default: break;
    }
    char escape[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
    text_add(u->out, escape, sizeof escape);
}

/* A surrogate, which has no UTF-8, is kept as the three bytes that it would have. */
static bool is_surrogate(const char *text, size_t left)
{
    return left >= 3 && (unsigned char)text[0] == 0xed && (unsigned char)text[1] >= 0xa0;
}

static void write_surrogate(Unparser *u, const char *text)
{
    uint32_t code;
    utf8_decode(text, &code);
    text_format(u->out, "\\u%04x", (unsigned)code);
}

/* How the pieces of a literal differ. */
typedef struct Literal {
    QuoteStyle style;
    bool bytes;
    bool doubled_braces; /* the text of an f-string */
    bool escaped_braces; /* the format of a field, where doubling means nothing */
    bool keeps_newlines; /* a docstring */
} Literal;

/* Must the byte be written as an escape? */
static bool needs_escape(const Literal *literal, const char *text, size_t i, size_t len)
{
    unsigned char c = (unsigned char)text[i];
    if (c == (unsigned char)quotes[literal->style][0])
        return !is_triple(literal->style) || i + 1 == len || text[i + 1] == (char)c;
    if (c == '\n' || c == '\t')
        return !literal->keeps_newlines;
    if (literal->escaped_braces && (c == '{' || c == '}'))
        return true;
    return c < 0x20 || c == 0x7f || c == '\\' || (literal->bytes && c >= 0x80);
}

static void write_escaped(Unparser *u, const Literal *literal, const char *text, size_t len)
{
    size_t done = 0;
    for (size_t i = 0; i < len; i++) {
        bool surrogate = !literal->bytes && is_surrogate(text + i, len - i);
        bool brace = literal->doubled_braces && (text[i] == '{' || text[i] == '}');
        if (!surrogate && !brace && !needs_escape(literal, text, i, len))
            continue;
        text_add(u->out, text + done, i - done);
        if (surrogate) {
            write_surrogate(u, text + i);
            i += 2;
        } else if (brace) {
            text_char(u->out, text[i]);
            text_char(u->out, text[i]);
        } else {
            write_escape(u, (unsigned char)text[i]);
        }
        done = i + 1;
    }
    text_add(u->out, text + done, len - done);
}

/* The style that needs the fewest escapes. */
static QuoteStyle choose_quotes(const char *text, size_t len)
{
    bool has_double = len && memchr(text, '"', len), has_single = len && memchr(text, '\'', len);
    return has_double && !has_single ? QUOTE_SINGLE : QUOTE_DOUBLE;
}

/* ---- inside a field of an f-string ---- */

/* May text written from `from` on stand in the f-strings that are open? */
static bool fits(const Unparser *u, size_t from)
{
    const char *text = u->out->data + from;
    size_t len = u->out->len - from;
    if (len && memchr(text, '\\', len))
        return false;
    bool has_newline = len && memchr(text, '\n', len);
    for (int style = 0; style < QUOTE_STYLES; style++) {
        if (!(u->enclosing & 1u << style))
            continue;
        if (memmem(text, len, quotes[style], strlen(quotes[style])) || (has_newline && style <= QUOTE_SINGLE))
            return false;
    }
    return true;
}

/* Can the text stand unescaped between these quotes? */
static bool is_plain(const Literal *literal, const char *text, size_t len)
{
    Literal raw = *literal;
    raw.keeps_newlines = is_triple(raw.style);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        bool control = (c < 0x20 && c != '\n' && c != '\r' && c != 0) || c == 0x7f || c == '\t';
        if (!control && needs_escape(&raw, text, i, len))
            return false;
        if (!raw.bytes && is_surrogate(text + i, len - i))
            return false;
    }
    return true;
}

static bool try_plain_string(Unparser *u, Literal *literal, const char *text, size_t len)
{
    for (int style = 0; style < QUOTE_STYLES; style++) {
        literal->style = (QuoteStyle)style;
        if ((u->enclosing & 1u << style) || !is_plain(literal, text, len))
            continue;
        size_t mark = u->out->len;
        if (literal->bytes)
            text_char(u->out, 'b');
        text_str(u->out, quotes[style]);
        text_add(u->out, text, len);
        text_str(u->out, quotes[style]);
        if (fits(u, mark))
            return true;
        u->out->len = mark;
    }
    return false;
}

/* The quotes at the start of the text, or what stands before the next quote. */
static size_t run_length(const char *text, size_t len)
{
    bool quoted = text[0] == '"' || text[0] == '\'';
    size_t run = 1;
    while (run < len && (quoted ? text[run] == text[0] : text[run] != '"' && text[run] != '\''))
        run++;
    return run;
}

/* No backslash is allowed here: where no single way to quote will do, adjacent literals each hold a run of
 * characters that one way can quote. */
static void write_plain_string(Unparser *u, const char *text, size_t len, bool bytes)
{
    Literal literal = {.bytes = bytes};
    if (u->failed || try_plain_string(u, &literal, text, len))
        return;
    u->failed = len == 0;
    while (len > 0 && !u->failed) {
        size_t run = run_length(text, len);
        if (!try_plain_string(u, &literal, text, run)) {
            run = 1;
            u->failed = !try_plain_string(u, &literal, text, run);
        }
        text += run;
        len -= run;
        if (len > 0)
            text_char(u->out, ' ');
    }
}

/* ---- constants ---- */

static void write_string(Unparser *u, const char *text, size_t len, bool bytes)
{
    if (u->enclosing) {
        write_plain_string(u, text, len, bytes);
        return;
    }
    Literal literal = {.style = choose_quotes(text, len), .bytes = bytes};
    if (bytes)
        text_char(u->out, 'b');
    text_str(u->out, quotes[literal.style]);
    write_escaped(u, &literal, text, len);
    text_str(u->out, quotes[literal.style]);
}

void write_constant(Unparser *u, const Node *node)
{
    switch (node->constant.kind) {
    case CONSTANT_NONE: text_lit(u->out, "None"); break;
    case CONSTANT_ELLIPSIS: text_lit(u->out, "..."); break;
    case CONSTANT_BOOL: text_str(u->out, node->constant.truth ? "True" : "False"); break;
    case CONSTANT_INT: write_integer(u, constant_integer(node)); break;
    case CONSTANT_FLOAT: write_float(u, node->constant.real); break;
    case CONSTANT_COMPLEX:
        write_float(u, node->constant.real);
        text_char(u->out, 'j');
        break;
    case CONSTANT_STR: write_string(u, node->constant.text, node->constant.len, false); break;
    case CONSTANT_BYTES: write_string(u, node->constant.text, node->constant.len, true); break;
    }
}

void write_docstring(Unparser *u, const Node *node)
{
    Literal literal = {.style = QUOTE_TRIPLE_DOUBLE, .keeps_newlines = true};
    text_lit(u->out, "\"\"\"");
    write_escaped(u, &literal, node->constant.text, node->constant.len);
    text_lit(u->out, "\"\"\"");
}

/* ---- f-strings ---- */

static void write_format_parts(Unparser *u, const NodeList *values, QuoteStyle style, bool in_format);

/* Does the text of the expression hold the colon of a lambda outside of all brackets? It would end the field. */
static bool has_bare_lambda(const Node *node)
{
    switch (node->kind) {
    case NODE_LAMBDA: return true;
    case NODE_IF_EXP: return has_bare_lambda(node->if_exp.orelse);
    case NODE_YIELD:
    case NODE_YIELD_FROM: return node->wrap.value && has_bare_lambda(node->wrap.value);
    case NODE_TUPLE:
        for (uint32_t i = 0; i < node->sequence.elts.count; i++)
            if (has_bare_lambda(node->sequence.elts.items[i]))
                return true;
        return false;
    default: return false;
    }
}

static void write_field_expression(Unparser *u, const Node *value)
{
    size_t start = u->out->len;
    bool bracketed = has_bare_lambda(value);
    if (bracketed)
        text_char(u->out, '(');
    write_expression(u, value, LEVEL_ANY);
    if (bracketed)
        text_char(u->out, ')');
    if (u->out->len > start && u->out->data[start] == '{') { /* two braces would be a literal one */
        text_char(u->out, ' ');
        memmove(u->out->data + start + 1, u->out->data + start, u->out->len - start - 1);
        u->out->data[start] = ' ';
    }
}

static void write_field(Unparser *u, const Node *node, QuoteStyle style)
{
    unsigned enclosing = u->enclosing;
    text_char(u->out, '{');
    size_t start = u->out->len;
    u->enclosing |= 1u << style;
    write_field_expression(u, node->formatted_value.value);
    if (!fits(u, start))
        u->failed = true;
    u->enclosing = enclosing;
    if (node->formatted_value.conversion) {
        text_char(u->out, '!');
        text_char(u->out, node->formatted_value.conversion);
    }
    if (node->formatted_value.format_spec) {
        text_char(u->out, ':');
        write_format_parts(u, &node->formatted_value.format_spec->joined_str.values, style, true);
    }
    text_char(u->out, '}');
}

static void write_format_literal(Unparser *u, const Node *node, QuoteStyle style, bool in_format)
{
    const char *text = node->constant.text;
    size_t len = node->constant.len;
    Literal literal = {.style = style, .doubled_braces = !in_format, .escaped_braces = in_format};
    if (!u->enclosing) {
        write_escaped(u, &literal, text, len);
        return;
    }
    if (!is_plain(&literal, text, len)) {
        u->failed = true;
        return;
    }
    for (size_t i = 0; i < len; i++) {
        text_char(u->out, text[i]);
        if (!in_format && (text[i] == '{' || text[i] == '}'))
            text_char(u->out, text[i]);
    }
}

static void write_format_parts(Unparser *u, const NodeList *values, QuoteStyle style, bool in_format)
{
    for (uint32_t i = 0; i < values->count && !u->failed; i++) {
        const Node *value = values->items[i];
        if (value->kind == NODE_FORMATTED_VALUE)
            write_field(u, value, style);
        else if (value->kind == NODE_CONSTANT && value->constant.kind == CONSTANT_STR)
            write_format_literal(u, value, style, in_format);
    }
}

/* One literal, in the first style that works. */
static bool try_joined(Unparser *u, const NodeList *values)
{
    for (int style = 0; style < QUOTE_STYLES; style++) {
        if (u->enclosing & 1u << style)
            continue;
        size_t mark = u->out->len;
        u->failed = false;
        text_char(u->out, 'f');
        text_str(u->out, quotes[style]);
        write_format_parts(u, values, (QuoteStyle)style, false);
        text_str(u->out, quotes[style]);
        if (!u->failed && (!u->enclosing || fits(u, mark)))
            return true;
        u->out->len = mark;
    }
    u->failed = true;
    return false;
}

/* Where no style works for all of it, each part gets its own literal. */
void write_joined_string(Unparser *u, const Node *node)
{
    const NodeList *values = &node->joined_str.values;
    if (u->failed || try_joined(u, values))
        return;
    try_joined(u, &(NodeList){0}); /* an empty one: that it is an f-string must not depend on the parts */
    for (uint32_t i = 0; i < values->count && !u->failed; i++) {
        Node *value = values->items[i];
        text_char(u->out, ' ');
        if (value->kind == NODE_FORMATTED_VALUE)
            try_joined(u, &(NodeList){&value, 1, 1});
        else
            write_string(u, value->constant.text, value->constant.len, false);
    }
}
