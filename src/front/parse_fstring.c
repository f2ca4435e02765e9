/* Formatted strings, by the rules of Python 3.11: the token ends at the first matching quote, a replacement
 * field holds neither a backslash nor a comment, and only one level of fields may nest in a format. */
#include "front/parser_impl.h"

#include <string.h>

/* One run of adjacent literals. As in Python, every node made for it has the position of the whole run,
 * but for a field's format, which has that of its own token, and the expressions in the fields. */
typedef struct FormatString {
    StringToken run, token;
    char *out;     /* where decoded text goes: as much room as the source has */
    char *literal; /* start of the literal that is being collected */
} FormatString;

static void parse_format(Parser *p, FormatString *format, uint32_t *at, uint32_t end, StringPrefix prefix,
                         uint32_t level);

static Node *format_node(Parser *p, NodeKind kind, StringToken position)
{
    Node *node = node_new(p, kind, position.start);
    node->end = position.end;
    return node;
}

/* What was collected since the last field becomes a constant, if it is anything. */
static void push_literal(Parser *p, FormatString *format, StringToken position)
{
    uint32_t len = (uint32_t)(format->out - format->literal);
    if (len > 0) {
        Node *node = format_node(p, NODE_CONSTANT, position);
        node->constant.kind = CONSTANT_STR;
        node->constant.text = format->literal;
        node->constant.len = len;
        scratch_push(p, node);
        format->out++; /* a NUL behind it: the quote or brace that follows left room for that */
    }
    format->literal = format->out;
}

/* ---- where a field's expression ends ---- */

/* Brackets and quotes that are open while the end of the expression is looked for. */
typedef struct FieldScan {
    char brackets[LIMIT_FIELD_BRACKETS];
    uint32_t depth;
    char quote; /* 0: outside of strings */
    bool triple;
} FieldScan;

static void scan_fail(Parser *p, uint32_t at, const char *message)
{
    parser_fail(p, at, at + 1, "f-string: %s", message);
}

/* At a quote: a string opens or closes. Returns its last byte. */
static uint32_t scan_quote(FieldScan *scan, const char *text, uint32_t at, uint32_t end)
{
    char c = text[at];
    bool three = end - at > 2 && text[at + 1] == c && text[at + 2] == c;
    if (!scan->quote) {
        scan->quote = c;
        scan->triple = three;
    } else if (c != scan->quote || (scan->triple && !three)) {
        return at;
    } else {
        scan->quote = 0;
        return scan->triple ? at + 2 : at;
    }
    return three ? at + 2 : at;
}

static bool scan_bracket(Parser *p, FieldScan *scan, uint32_t at)
{
    char c = p->lexer.text[at];
    if (c == '(' || c == '[' || c == '{') {
        if (scan->depth == LIMIT_FIELD_BRACKETS) {
            scan_fail(p, at, "too many nested parenthesis");
            return false;
        }
        scan->brackets[scan->depth++] = c;
        return true;
    }
    if (scan->depth == 0) {
        parser_fail(p, at, at + 1, "f-string: unmatched '%c'", c);
        return false;
    }
    char open = scan->brackets[--scan->depth];
    char close = open == '(' ? ')' : open == '[' ? ']' : '}';
    if (c != close)
        parser_fail(p, at, at + 1, "f-string: closing parenthesis '%c' does not match opening parenthesis '%c'", c,
                    open);
    return c == close;
}

/* Does the expression end at `at`, outside of brackets and strings? `!=`, `==`, `<=` and `>=` do not end it. */
static bool ends_field(const char *text, uint32_t *at, uint32_t end)
{
    char c = text[*at];
    if (c != '!' && c != ':' && c != '}' && c != '=' && c != '<' && c != '>')
        return false;
    if (*at + 1 < end && text[*at + 1] == '=' && c != ':' && c != '}') {
        ++*at;
        return false;
    }
    return c != '<' && c != '>';
}

/* The offset of what ends the expression that starts at `at`; 0 after an error. */
static uint32_t find_field_end(Parser *p, uint32_t at, uint32_t end)
{
    const char *text = p->lexer.text;
    uint32_t start = at;
    FieldScan scan;
    scan.depth = 0;
    scan.quote = 0;
    scan.triple = false;
    for (; at < end; at++) {
        char c = text[at];
        if (c == '\\') {
            parser_fail(p, at, at + 1, "f-string expression part cannot include a backslash");
            return 0;
        }
        if (c == '"' || c == '\'') {
            at = scan_quote(&scan, text, at, end);
        } else if (scan.quote) {
            continue;
        } else if (c == '#') {
            parser_fail(p, at, at + 1, "f-string expression part cannot include '#'");
            return 0;
        } else if (scan.depth == 0 && ends_field(text, &at, end)) {
            break;
        } else if (strchr("()[]{}", c) && !scan_bracket(p, &scan, at)) {
            return 0;
        }
    }
    if (at >= end || scan.quote || scan.depth) {
        if (scan.quote)
            scan_fail(p, start - 1, "unterminated string");
        else if (scan.depth)
            parser_fail(p, start - 1, start, "f-string: unmatched '%c'", scan.brackets[scan.depth - 1]);
        else
            scan_fail(p, start - 1, "expecting '}'");
        return 0;
    }
    return at;
}

/* ---- fields ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Parses what stands between the brace at `open` and the byte at `close` as if both were parentheses:
 * for the time of it, in the lexer's copy of the source, they are. */
static Node *parse_field_expression(Parser *p, uint32_t open, uint32_t close)
{
    char *text = p->lexer.text, closing = text[close];
    uint32_t first = open + 1, last_end = p->last_end, outer_end = p->field_end;
    while (first < close && is_blank(text[first]))
        first++;
    if (first == close) {
        parser_fail(p, open, close, "f-string: empty expression not allowed");
        return error_node(p);
    }
    Token token = p->token;
    LexerMark mark = lexer_mark(&p->lexer);
    text[close] = ')';
    p->lexer.at = text + open + 1;
    p->lexer.brackets++;
    p->lexer.at_line_start = false;
    p->field_end = close;
    advance(p);
    bool spans_parentheses;
    Node *node = parse_in_parentheses(p, &spans_parentheses);
    if (spans_parentheses) {
        node->start = open;
        node->end = close + 1;
    }
    if (!at(p, TOKEN_RIGHT_PAREN) || p->token.start != close)
        parser_fail_expected(p, "the end of the f-string field");
    text[close] = closing;
    p->field_end = outer_end;
    lexer_rewind(&p->lexer, mark);
    p->last_end = last_end;
    if (p->failed) {
        p->failed_at = token;
        return error_node(p);
    }
    p->token = token;
    return node;
}

/* `{expression = !r :format}`; `*at` is at the brace, and behind the closing one afterwards. */
static void parse_field(Parser *p, FormatString *format, uint32_t *at, uint32_t end, StringPrefix prefix,
                        uint32_t level)
{
    const char *text = p->lexer.text;
    uint32_t open = *at;
    if (level >= LIMIT_FIELD_NESTING) {
        scan_fail(p, open, "expressions nested too deeply");
        return;
    }
    uint32_t close = find_field_end(p, open + 1, end);
    if (!close)
        return;
    Node *value = parse_field_expression(p, open, close);
    if (p->failed)
        return;
    *at = close;
    bool shows_source = text[*at] == '=';
    if (shows_source) {
        ++*at;
        while (*at < end && is_blank(text[*at]))
            ++*at;
        format->out = decode_string(p, format->out, open + 1, *at, (StringPrefix){.raw = true});
    }
    push_literal(p, format, format->run);
    Node *node = format_node(p, NODE_FORMATTED_VALUE, format->run);
    node->formatted_value.value = value;
    if (*at < end && text[*at] == '!') {
        char conversion = *at + 1 < end ? text[*at + 1] : 0;
        if (conversion != 's' && conversion != 'r' && conversion != 'a') {
            scan_fail(p, *at, "invalid conversion character: expected 's', 'r', or 'a'");
            return;
        }
        node->formatted_value.conversion = conversion;
        *at += 2;
    }
    if (*at < end && text[*at] == ':') {
        uint32_t mark = p->scratch_count;
        ++*at;
        parse_format(p, format, at, end, prefix, level + 1);
        push_literal(p, format, format->token);
        node->formatted_value.format_spec = format_node(p, NODE_JOINED_STR, format->token);
        node->formatted_value.format_spec->joined_str.values = scratch_take(p, mark);
    }
    if (*at >= end || text[*at] != '}') {
        scan_fail(p, open, "expecting '}'");
        return;
    }
    ++*at;
    if (shows_source && !node->formatted_value.format_spec && !node->formatted_value.conversion)
        node->formatted_value.conversion = 'r';
    scratch_push(p, node);
}

/* ---- literals and fields in turn ---- */

/* The end of the literal text at `at`. Level 0: doubled braces belong to it, and are cut to one by the caller. */
static uint32_t literal_end(const char *text, uint32_t at, uint32_t end, bool raw)
{
    for (; at < end; at++) {
        char c = text[at];
        if (c == '{' || c == '}')
            break;
        if (c == '\\' && !raw && at + 1 < end && text[at + 1] != '{' && text[at + 1] != '}')
            at++;
    }
    return at < end ? at : end;
}

/* Text and fields up to `end`, or, inside a field's format, up to its closing brace. */
static void parse_format(Parser *p, FormatString *format, uint32_t *at, uint32_t end, StringPrefix prefix,
                         uint32_t level)
{
    const char *text = p->lexer.text;
    while (*at < end && !p->failed) {
        uint32_t stop = literal_end(text, *at, end, prefix.raw);
        format->out = decode_string(p, format->out, *at, stop, prefix);
        *at = stop;
        if (stop == end || p->failed)
            return;
        char brace = text[stop];
        if (level == 0 && stop + 1 < end && text[stop + 1] == brace) {
            *format->out++ = brace;
            *at += 2;
        } else if (brace == '{') {
            parse_field(p, format, at, end, prefix, level);
        } else if (level == 0) {
            scan_fail(p, stop, "single '}' is not allowed");
        } else {
            return;
        }
    }
}

Node *parse_fstrings(Parser *p, const StringToken *tokens, uint32_t count)
{
    FormatString format = {.run = {tokens[0].start, tokens[count - 1].end}};
    uint32_t mark = p->scratch_count;
    size_t room = 1;
    for (uint32_t i = 0; i < count; i++)
        room += tokens[i].end - tokens[i].start;
    format.out = format.literal = arena_alloc(p->arena, room);
    if (!enter(p))
        return error_node(p);
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        StringPrefix prefix = string_prefix(p->lexer.text + tokens[i].start);
        StringToken inside = string_inside(p, tokens[i], prefix);
        format.token = tokens[i];
        if (prefix.format)
            parse_format(p, &format, &inside.start, inside.end, prefix, 0);
        else
            format.out = decode_string(p, format.out, inside.start, inside.end, prefix);
    }
    push_literal(p, &format, format.run);
    leave(p);
    Node *node = format_node(p, NODE_JOINED_STR, format.run);
    node->joined_str.values = scratch_take(p, mark);
    return node;
}
