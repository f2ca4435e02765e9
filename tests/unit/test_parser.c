/* The front end's text part: tokens, values of literals, errors with their positions, recovery, round trips.
 * The trees themselves are compared with CPython's by tests/python/test_parser_against_cpython.py. */
#include "front/lexer.h"
#include "front/lexer_text.h"
#include "front/parser.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Arena arena;
static NameTable names;
static Source source;
static DiagList diags;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static Node *parse_bytes(const char *text, size_t len)
{
    /* An exact copy: reading behind the end is an error that sanitizers see. */
    char *copy = malloc(len ? len : 1);
    if (len)
        memcpy(copy, text, len);
    source = (Source){"test.py", copy, len};
    diags_init(&diags, &arena);
    Node *tree = parse_module(&arena, &names, &source, &diags);
    source.text = arena_strndup(&arena, copy, len);
    free(copy);
    return tree;
}

static Node *parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

/* The value of the only statement, an expression. */
static Node *parse_value(const char *text)
{
    Node *tree = parse(text);
    assert_null(diags.first);
    assert_int_equal(tree->module.body.count, 1);
    assert_int_equal(tree->module.body.items[0]->kind, NODE_EXPR);
    return tree->module.body.items[0]->expr.value;
}

/* ---- tokens ---- */

static void expect_tokens(const char *text, const char *expected)
{
    Text spelled;
    text_init(&spelled);
    source = (Source){"test.py", text, strlen(text)};
    Lexer lexer;
    lexer_init(&lexer, &arena, &names, &source, 0);
    Token token;
    do {
        lexer_next(&lexer, &token);
        if (spelled.len)
            text_char(&spelled, ' ');
        if (token.kind == TOKEN_ERROR)
            text_format(&spelled, "error(%s)", lexer.error);
        else if (token.kind >= TOKEN_NAME && token.kind <= TOKEN_STRING)
            text_add(&spelled, text + token.start, token.end - token.start);
        else
            text_str(&spelled, token.kind == TOKEN_END       ? "END"
                               : token.kind == TOKEN_NEWLINE ? "NL"
                               : token.kind == TOKEN_INDENT  ? "IN"
                               : token.kind == TOKEN_DEDENT  ? "OUT"
                                                             : token_spelling(token.kind));
    } while (token.kind != TOKEN_END);
    assert_string_equal(text_cstr(&spelled), expected);
    text_free(&spelled);
}

static void test_every_keyword_and_operator_is_found(void **state)
{
    (void)state;
    for (TokenKind kind = TOKEN_FALSE; kind < TOKEN_KIND_COUNT; kind++) {
        source = (Source){"test.py", token_spelling(kind), strlen(token_spelling(kind))};
        Lexer lexer;
        Token token;
        lexer_init(&lexer, &arena, &names, &source, 0);
        lexer_next(&lexer, &token);
        assert_int_equal(token.kind, kind);
        assert_int_equal(token.end - token.start, source.len);
    }
}

static void test_lines_and_indentation(void **state)
{
    (void)state;
    expect_tokens("", "END");
    expect_tokens("a", "a NL END");
    expect_tokens("\n\n# x\n  # y\na\n\n", "a NL END");
    expect_tokens("if a:\n  b\n\n  # c\n  d\ne", "if a : NL IN b NL d NL OUT e NL END");
    expect_tokens("if a:\n\tb\n        c\n", "if a : NL IN b NL error(inconsistent use of tabs and spaces in "
                                             "indentation) c NL OUT END");
    expect_tokens("if a:\n    b\n  c\n", "if a : NL IN b NL error(unindent does not match any outer indentation "
                                         "level) OUT c NL END");
    expect_tokens("if a:\n  if b:\n   c\n", "if a : NL IN if b : NL IN c NL OUT OUT END");
    expect_tokens("f(a,\n  b\n)\n", "f ( a , b ) NL END");
    expect_tokens("a = \\\n  b\n", "a = b NL END");
    expect_tokens("a\r\nb\rc\n", "a NL b NL c NL END");
    expect_tokens("\xef\xbb\xbf"
                  "a",
                  "a NL END");
    expect_tokens("a;b;", "a ; b ; NL END");
    expect_tokens("a \\ b", "a error(unexpected character after line continuation character) b NL END");
    expect_tokens("a \\", "a error(unexpected end of file after a line continuation) NL END");
}

static void test_names_numbers_and_strings(void **state)
{
    (void)state;
    expect_tokens("a->b:=c...d.e", "a -> b := c ... d . e NL END");
    expect_tokens("x**=y//=z>>=w<<=v@=u", "x **= y //= z >>= w <<= v @= u NL END");
    expect_tokens("gr\xc3\xb6\xc3\x9f"
                  "e = \xce\xb1_1",
                  "gr\xc3\xb6\xc3\x9f"
                  "e = \xce\xb1_1 NL END");
    expect_tokens("a_rather_long_name a_rather_long_nome", "a_rather_long_name a_rather_long_nome NL END");
    expect_tokens("1_000 0xFF_ff 0b1_0 0o17 1. .5 1e5 1_0.2_5e-1_0 3j 1.5J", "1_000 0xFF_ff 0b1_0 0o17 1. .5 1e5 "
                                                                             "1_0.2_5e-1_0 3j 1.5J NL END");
    expect_tokens("1if 2else 3or", "1 if 2 else 3 or NL END");
    expect_tokens("r'a' B\"b\" Rb'''c''' fR\"d\" u'e'", "r'a' B\"b\" Rb'''c''' fR\"d\" u'e' NL END");
    expect_tokens("'a\\'b' \"\"\"x\"y\n\"\"\"", "'a\\'b' \"\"\"x\"y\n\"\"\" NL END");
    expect_tokens("'a\\\nb'", "'a\\\nb' NL END");
    expect_tokens("ur'a'", "ur 'a' NL END");
}

static void test_wrong_tokens(void **state)
{
    (void)state;
    expect_tokens("a ? b", "a error(invalid character '?') b NL END");
    expect_tokens("a ! b", "a error(invalid character '!') b NL END");
    expect_tokens("a \xe2\x82\xac b", "a error(invalid character '\xe2\x82\xac' (U+20AC)) b NL END");
    expect_tokens("a\x01", "a error(invalid non-printable character U+0001) NL END");
    expect_tokens("1abc", "error(invalid decimal literal) abc NL END");
    expect_tokens("1__0", "error(invalid decimal literal) _0 NL END");
    expect_tokens("0x", "error(invalid hexadecimal literal) NL END");
    expect_tokens("0o8", "error(invalid digit '8' in octal literal) 8 NL END");
    expect_tokens("0b12", "error(invalid digit '2' in binary literal) 2 NL END");
    expect_tokens("012", "error(leading zeros in decimal integer literals are not permitted; use an 0o prefix for "
                         "octal integers) NL END");
    expect_tokens("'a\nb", "error(unterminated string literal) NL b NL END");
    expect_tokens("'''a\nb", "error(unterminated triple-quoted string literal) NL END");
}

/* ---- the values of literals ---- */

static void expect_integer(const char *text, uint64_t high, uint64_t low)
{
    Node *node = parse_value(text);
    assert_int_equal(node->constant.kind, CONSTANT_INT);
    assert_int_equal((uint64_t)(constant_integer(node) >> 64), high);
    assert_int_equal((uint64_t)constant_integer(node), low);
}

static void expect_float(const char *text, double value)
{
    Node *node = parse_value(text);
    assert_int_equal(node->constant.kind, CONSTANT_FLOAT);
    assert_true(node->constant.real == value);
}

static void test_numbers(void **state)
{
    (void)state;
    expect_integer("0", 0, 0);
    expect_integer("00_0", 0, 0);
    expect_integer("1_000_000", 0, 1000000);
    expect_integer("18446744073709551615", 0, UINT64_MAX);
    expect_integer("18446744073709551616", 1, 0);
    expect_integer("170141183460469231731687303715884105727", INT64_MAX, UINT64_MAX);
    expect_integer("0x7fffffffffffffffffffffffffffffff", INT64_MAX, UINT64_MAX);
    expect_integer("0b1111_0000", 0, 0xf0);
    expect_integer("0o777", 0, 0777);
    expect_float("1.", 1);
    expect_float(".5", 0.5);
    expect_float("1e400", INFINITY);
    expect_float("1e-400", 0);
    expect_float("0e999999999999999999999", 0);
    expect_float("09.5", 9.5);
    expect_float("0.1", 0.1);
    expect_float("1_0.2_5e-1", 1.025);
    expect_float("3.4028234663852886e38", 3.4028234663852886e38);
    expect_float("2.2250738585072014e-308", 2.2250738585072014e-308);
    expect_float("5e-324", 5e-324);
    expect_float("9007199254740993.0", 9007199254740992.0);
    expect_float("9007199254740993.00000000000000000000000000000001", 9007199254740994.0);
    assert_int_equal(parse_value("2.5j")->constant.kind, CONSTANT_COMPLEX);
    assert_true(parse_value("2.5j")->constant.real == 2.5);
}

/* More digits than are kept: those left out still decide a tie. */
static void test_very_long_float(void **state)
{
    (void)state;
    char text[2100];
    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    text[2000] = '\0';
    expect_float(text, 9007199254740992.0);
    text[1999] = '1';
    expect_float(text, 9007199254740994.0);
}

static void check_string(const char *text, ConstantKind kind, const char *value, size_t len)
{
    Node *node = parse_value(text);
    assert_int_equal(node->constant.kind, kind);
    assert_int_equal(node->constant.len, len);
    assert_memory_equal(node->constant.text, value, len);
    assert_int_equal(node->constant.text[len], '\0');
}

static void test_strings(void **state)
{
    (void)state;
#define STR(text, value) check_string(text, CONSTANT_STR, value, sizeof value - 1)
#define BYTES(text, value) check_string(text, CONSTANT_BYTES, value, sizeof value - 1)
    STR("''", "");
    STR("'a' \"b\" '''c'''", "abc");
    STR("'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"'", "\a\b\f\n\r\t\v\\'\"");
    STR("'\\0\\12\\1234\\777'", "\0\12\123"
                                "4\xc7\xbf");
    STR("'\\x41\\u00e9\\U0001F600'", "A\xc3\xa9\xf0\x9f\x98\x80");
    STR("'\\ud800'", "\xed\xa0\x80");
    STR("'\\d'", "\\d");
    STR("r'\\n\\''", "\\n\\'");
    STR("'a\\\nb'", "ab");
    STR("'a\\\r\nb'", "ab");
    STR("'''a\r\nb\rc'''", "a\nb\nc");
    STR("u'\xc3\xa9'", "\xc3\xa9");
    BYTES("b'\\xff\\u0041\\777'", "\xff\\u0041\xff");
    BYTES("rb'\\x' b'y'", "\\xy");
#undef STR
#undef BYTES
}

static void test_formatted_strings(void **state)
{
    (void)state;
    Node *node = parse_value("f'a{{{x!r:>{w}}}}b' 'c' f'{y=}'");
    assert_int_equal(node->kind, NODE_JOINED_STR);
    assert_int_equal(node->joined_str.values.count, 4);
    Node **parts = node->joined_str.values.items;
    assert_string_equal(parts[0]->constant.text, "a{");
    assert_int_equal(parts[1]->formatted_value.conversion, 'r');
    assert_int_equal(parts[1]->formatted_value.format_spec->joined_str.values.count, 2);
    assert_int_equal(parts[1]->formatted_value.value->start, 6);
    assert_string_equal(parts[2]->constant.text, "}bcy=");
    assert_int_equal(parts[3]->formatted_value.conversion, 'r');
    assert_int_equal(parse_value("f''")->joined_str.values.count, 0);
    assert_int_equal(parse_value("f'{a != b}'")->joined_str.values.count, 1);
    assert_int_equal(parse_value("f'{a, b}'")->joined_str.values.items[0]->formatted_value.value->start, 2);
}

/* ---- trees ---- */

static void test_positions_of_definitions(void **state)
{
    (void)state;
    Node *tree = parse("x\nif x:\n    @a\n    @b(\n)\n    async def f(): pass\n");
    assert_null(diags.first);
    Node *function = tree->module.body.items[1]->if_stmt.body.items[0];
    assert_int_equal(function->kind, NODE_ASYNC_FUNCTION_DEF);
    assert_int_equal(function->function.first_line, 8);
    assert_int_equal(function->start, 29);
    assert_int_equal(function->function.def_start, 35);
    assert_int_equal(function->function.decorators.count, 2);
}

/* Memory that was used before has anything in it: the lines before the text are not to be found there. */
static void test_a_text_that_begins_in_the_middle(void **state)
{
    static const char text[] = "\n\n\ndef f():\n    pass\n";
    (void)state;
    memset(arena_take(&arena, 4000), 'x', 4000);
    arena_reset(&arena);
    names_init(&names, &arena);
    source = (Source){"test.py", text, sizeof text - 1};
    diags_init(&diags, &arena);
    Node *tree = parse_module_from(&arena, &names, &source, 3, &diags);
    assert_int_equal(tree->module.body.items[0]->function.first_line, 3);
}

static void test_node_path(void **state)
{
    (void)state;
    Name parts[4];
    assert_int_equal(node_path(parse_value("wp.types.vector"), parts, 4), 3);
    assert_string_equal(parts[0]->text, "wp");
    assert_string_equal(parts[2]->text, "vector");
    assert_int_equal(node_path(parse_value("a.b.c.d.e"), parts, 4), 0);
    assert_int_equal(node_path(parse_value("f().b"), parts, 4), 0);
}

static void collect_kind(const Node *child, void *user)
{
    text_str(user, node_kind_name(child->kind));
    text_char(user, ' ');
}

static void test_children_come_in_the_order_of_python_fields(void **state)
{
    (void)state;
    Text kinds;
    text_init(&kinds);
    Node *tree = parse("@d\ndef f(a, *b, c=1, **k) -> [r]:\n    pass\n");
    node_children(tree->module.body.items[0], collect_kind, &kinds);
    assert_string_equal(text_cstr(&kinds), "arguments Pass Name List ");
    kinds.len = 0;
    node_children(parse_value("a if b() else [c]"), collect_kind, &kinds);
    assert_string_equal(text_cstr(&kinds), "Call Name List ");
    kinds.len = 0;
    node_children(parse_value("{**a, b: 1}"), collect_kind, &kinds);
    assert_string_equal(text_cstr(&kinds), "Name Name Constant ");
    text_free(&kinds);
}

static void test_dump(void **state)
{
    (void)state;
    Text dump;
    text_init(&dump);
    Node *tree = parse("a = -1\nb.c += 'x'\n");
    ast_dump(tree, &source, &dump);
    assert_string_equal(text_cstr(&dump), "Module  1:0-3:0\n"
                                          "  Assign  1:0-1:6\n"
                                          "    Name a store  1:0-1:1\n"
                                          "    UnaryOp USub  1:4-1:6\n"
                                          "      Constant 1  1:5-1:6\n"
                                          "  AugAssign Add  2:0-2:10\n"
                                          "    Attribute c  2:0-2:3\n"
                                          "      Name b  2:0-2:1\n"
                                          "    Constant \"x\"  2:7-2:10\n");
    text_free(&dump);
}

/* ---- errors ---- */

/* All errors of the text, as `start-end: message` lines. */
static void expect_errors(const char *text, const char *expected)
{
    Text found;
    text_init(&found);
    parse(text);
    for (const Diag *diag = diags.first; diag; diag = diag->next)
        text_format(&found, "%u-%u: %s\n", diag->offset, diag->offset + diag->length, diag->message);
    assert_string_equal(text_cstr(&found), expected);
    text_free(&found);
}

static void test_error_messages(void **state)
{
    (void)state;
    expect_errors("x = )", "4-5: expected an expression, found ')'\n");
    expect_errors("f(a b)", "4-5: expected ',' or ')', found 'b'\n");
    expect_errors("f(a,", "1-2: '(' was never closed\n");
    expect_errors("f(a\nreturn 1\n", "1-2: '(' was never closed\n");
    expect_errors("if a\n  b\n", "4-5: expected ':', found end of line\n");
    expect_errors("if a:\nb\n", "6-7: expected an indented block after 'if' statement\n");
    expect_errors("a\n  b\n", "4-4: unexpected indent\n");
    expect_errors("else: pass", "0-4: 'else' without a statement that it belongs to\n");
    expect_errors("f() = 1", "0-3: cannot assign to function call\n");
    expect_errors("a, 1 = b", "3-4: cannot assign to literal\n");
    expect_errors("None = b", "0-4: cannot assign to None\n");
    expect_errors("for f() in x: pass", "4-7: cannot assign to function call\n");
    expect_errors("del a + b", "6-7: expected end of line, found '+'\n");
    expect_errors("del (a, 1)", "8-9: cannot delete literal\n");
    expect_errors("(a, b) += 1", "0-6: 'tuple' is an illegal expression for augmented assignment\n");
    expect_errors("a, b: int", "0-4: only single target (not tuple) can be annotated\n");
    expect_errors("f(a=1, b)", "7-8: positional argument follows keyword argument\n");
    expect_errors("f(**a, *b)", "7-8: iterable argument unpacking follows keyword argument unpacking\n");
    expect_errors("f(a.b=1)", "2-5: expression cannot contain assignment\n");
    expect_errors("f(x for x in y, 1)", "2-14: generator expression must be parenthesized\n");
    expect_errors("def f(a=1, b): pass", "11-12: non-default argument follows default argument\n");
    expect_errors("def f(*): pass", "7-8: named arguments must follow bare *\n");
    expect_errors("def f(*, /): pass", "9-10: / must be ahead of *\n");
    expect_errors("(*a)", "1-3: cannot use starred expression here\n");
    expect_errors("from a import b,", "15-16: trailing comma not allowed without surrounding parentheses\n");
    expect_errors("try: pass\nx", "10-11: expected 'except' or 'finally' block, found 'x'\n");
    expect_errors("@a\nx", "3-4: expected 'def' or 'class' after a decorator, found 'x'\n");
    expect_errors("a b\n", "2-3: expected end of line, found 'b'\n");
    expect_errors("170141183460469231731687303715884105728", "0-39: integer literal too large\n");
    expect_errors("'\\N{DASH}'", "1-3: \\N{...} escapes are not supported\n");
    expect_errors("'\\x4'", "1-4: truncated \\x escape: it needs 2 hex digits\n");
    expect_errors("'\\U00110000'", "1-11: illegal Unicode character in escape\n");
    expect_errors("b'\xc3\xa9'", "2-3: bytes can only contain ASCII literal characters\n");
    expect_errors("'a' b'b'", "0-8: cannot mix bytes and nonbytes literals\n");
    expect_errors("a = 1\n\xff", "6-7: invalid UTF-8\n");
}

static void test_errors_in_formatted_strings(void **state)
{
    (void)state;
    expect_errors("f'{}'", "2-3: f-string: empty expression not allowed\n");
    expect_errors("f'{a'", "2-3: f-string: expecting '}'\n");
    expect_errors("f'}'", "2-3: f-string: single '}' is not allowed\n");
    expect_errors("f'{a\\n}'", "4-5: f-string expression part cannot include a backslash\n");
    expect_errors("f'{a#}'", "4-5: f-string expression part cannot include '#'\n");
    expect_errors("f'{a!x}'", "4-5: f-string: invalid conversion character: expected 's', 'r', or 'a'\n");
    expect_errors("f'{a:{b:{c}}}'", "8-9: f-string: expressions nested too deeply\n");
    expect_errors("f'{(a]}'", "5-6: f-string: closing parenthesis ']' does not match opening parenthesis '('\n");
    expect_errors("x = f'{a b}' + 1", "9-10: expected the end of the f-string field, found 'b'\n");
    expect_errors("f'{a +}'", "6-7: expected an expression, found the end of the f-string field\n");
}

static void test_nul_bytes_are_refused(void **state)
{
    (void)state;
    parse_bytes("a\0b", 3);
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.first->message, "the source contains a NUL byte");
    assert_int_equal(diags.first->offset, 1);
}

/* ---- recovery ---- */

static void test_recovery_goes_on_with_the_next_statement(void **state)
{
    (void)state;
    expect_errors("a b\nc\nd e\n", "2-3: expected end of line, found 'b'\n8-9: expected end of line, found 'e'\n");
    expect_errors("def f():\n  a b\n  c\nd e\n", "13-14: expected end of line, found 'b'\n"
                                                 "21-22: expected end of line, found 'e'\n");
    expect_errors("def f(a b):\n  c\n  d e\nx y\n", "8-9: expected ',' or ')', found 'b'\n"
                                                    "24-25: expected end of line, found 'y'\n");
    expect_errors("if a\n  b\nelse:\n  c\nx y\n", "4-5: expected ':', found end of line\n"
                                                  "21-22: expected end of line, found 'y'\n");
    expect_errors("f(a b\ndef g():\n  c d\n", "4-5: expected ',' or ')', found 'b'\n"
                                              "19-20: expected end of line, found 'd'\n");
    expect_errors("f(a b,\n  c)\nd\n", "4-5: expected ',' or ')', found 'b'\n");
    expect_errors("match a:\n  case 1: pass\n  x\nb c\n", "26-27: expected 'case', found 'x'\n"
                                                          "30-31: expected end of line, found 'c'\n");
    Node *tree = parse("a b\nc = 1\nif d:\n  e f\n  g\n");
    assert_int_equal(tree->module.body.count, 2);
    assert_int_equal(tree->module.body.items[1]->if_stmt.body.count, 1);
}

static void test_errors_are_limited(void **state)
{
    (void)state;
    Text text;
    text_init(&text);
    for (int i = 0; i < 2 * LIMIT_SYNTAX_ERRORS; i++)
        text_lit(&text, "a b\nf'{c d}'\n");
    parse(text_cstr(&text));
    assert_int_equal(diags.count, LIMIT_SYNTAX_ERRORS);
    text_free(&text);
}

/* ---- depth ---- */

static void repeat(Text *text, const char *piece, int count)
{
    for (int i = 0; i < count; i++)
        text_str(text, piece);
}

static void expect_depth(const char *before, const char *piece, int count, const char *after, const char *message)
{
    Text text;
    text_init(&text);
    text_str(&text, before);
    repeat(&text, piece, count);
    text_str(&text, after);
    parse(text_cstr(&text));
    if (message) {
        assert_non_null(diags.first);
        assert_string_equal(diags.first->message, message);
    } else {
        assert_null(diags.first);
    }
    text_free(&text);
}

static void test_depth_is_limited(void **state)
{
    (void)state;
    const char *nested = "nested too deeply", *chained = "expression nested too deeply";
    expect_depth("x", "+x", LIMIT_PARSE_CHAIN, "", NULL);
    expect_depth("x", "+x", LIMIT_PARSE_CHAIN + 1, "", chained);
    expect_depth("x", "+x", 100000, "", chained);
    expect_depth("x", ".x", 100000, "", chained);
    expect_depth("x", "()", 100000, "", chained);
    expect_depth("", "(", 1000000, "", nested);
    expect_depth("", "[", 1000000, "", nested);
    expect_depth("", "-", 100000, "x", nested);
    expect_depth("", "not ", 100000, "x", nested);
    expect_depth("", "lambda: ", 100000, "x", nested);
    expect_depth("", "x ** ", 100000, "x", nested);
    expect_depth("", "x if y else ", 100000, "x", nested);
    expect_depth("match x:\n  case ", "[", 100000, ": pass", nested);
    expect_depth("if x: pass\n", "elif x: pass\n", LIMIT_PARSE_CHAIN, "", NULL);
    expect_depth("if x: pass\n", "elif x: pass\n", LIMIT_PARSE_CHAIN + 1, "", "too many elif clauses");
    /* Siblings do not add up; nested chains do. */
    expect_depth("[", "x + x + x, ", 10000, "]", NULL);
    expect_depth("x", " < x", 100000, "", NULL);
    expect_depth("x", " or x", 100000, "", NULL);
    expect_depth("((((((x+x+x+x)+x+x+x)+x+x+x)+x+x+x)+x+x+x)", "+x", LIMIT_PARSE_CHAIN - 10, ")", chained);
}

/* ---- unparse ---- */

static void expect_unparsed(const char *text, const char *expected)
{
    Text out;
    text_init(&out);
    Node *tree = parse(text);
    assert_null(diags.first);
    unparse(tree, &out);
    assert_string_equal(text_cstr(&out), expected);
    Text again;
    text_init(&again);
    tree = parse(text_cstr(&out));
    assert_null(diags.first);
    unparse(tree, &again);
    assert_string_equal(text_cstr(&again), text_cstr(&out));
    text_free(&again);
    text_free(&out);
}

static void test_unparse_expressions(void **state)
{
    (void)state;
#define SAME(text) expect_unparsed(text "\n", text "\n")
    SAME("a + b * c - (d - e)");
    SAME("(a + b) * c");
    SAME("-a ** -b");
    SAME("(-a) ** b");
    SAME("(a ** b) ** c");
    SAME("not a == b");
    SAME("(not a) == b");
    SAME("a < b <= c is not d not in e");
    SAME("(a < b) < c");
    SAME("a or b and not c");
    SAME("(a or b) and c");
    SAME("(a or b) or c");
    SAME("a if b else c if d else e");
    SAME("(a if b else c) if d else e");
    SAME("lambda x, /, y=1, *z, w: x");
    SAME("lambda: 0");
    SAME("f(a, *b, c=1, **d)");
    SAME("f(x for x in y if x if z)");
    SAME("f((x for x in y), 1)");
    SAME("a[1, 2:3, ::4, ...]");
    SAME("a[1:2,]");
    SAME("a[b := 1]");
    SAME("(1).real + 1.0.real");
    SAME("(a, b)[0]");
    SAME("()");
    SAME("x = a, *b");
    SAME("x = (a,)");
    SAME("x = yield a, b");
    SAME("print((yield), a := 1)");
    SAME("[a for b, c in d for e in (yield)]");
    SAME("{**a, b: c}");
    SAME("{x: y async for x, y in z}");
    SAME("await a ** 2");
    SAME("~(a | b) << c");
    SAME("1e+16 + 1e-05 + 0.1 + 1e309");
    SAME("2.5j");
#undef SAME
    expect_unparsed("((a) + ((b)))\n", "a + b\n");
    expect_unparsed("x = (a, b)\n", "x = a, b\n");
}

/* Parentheses for the reader change nothing that is meant. */
static void expect_readable(const char *text, const char *expected)
{
    Text out;
    text_init(&out);
    unparse_readable(parse(text), &out);
    assert_null(diags.first);
    assert_string_equal(text_cstr(&out), expected);
    text_free(&out);
    expect_unparsed(expected, text);
}

static void test_unparse_readable(void **state)
{
    (void)state;
    expect_readable("x = a + 1 & 63\n", "x = (a + 1) & 63\n");
    expect_readable("x = a | 1 << b - 1\n", "x = a | (1 << (b - 1))\n");
    expect_readable("x = a | b | c\n", "x = a | b | c\n");
    expect_readable("x = a >> b & 1 == 1\n", "x = ((a >> b) & 1) == 1\n");
    expect_readable("x = a // 2 % 2\n", "x = (a // 2) % 2\n");
    expect_readable("x = a or b and not c\n", "x = a or (b and not c)\n");
    expect_readable("x = a and b or c\n", "x = (a and b) or c\n");
    expect_readable("x = a * b + -c / d\n", "x = a * b + -c / d\n");
}

static void test_unparse_strings(void **state)
{
    (void)state;
    expect_unparsed("x = 'a'\n", "x = \"a\"\n");
    expect_unparsed("x = 'a\"b'\n", "x = 'a\"b'\n");
    expect_unparsed("x = 'a\"b\\'c\\n\\t\\x00\\\\\xc3\xa9'\n", "x = \"a\\\"b'c\\n\\t\\x00\\\\\xc3\xa9\"\n");
    expect_unparsed("x = '\\ud800'\n", "x = \"\\ud800\"\n");
    expect_unparsed("x = b'a\\xff'\n", "x = b\"a\\xff\"\n");
    expect_unparsed("def f():\n    'one\\n    \"two\"'\n", "def f():\n    \"\"\"one\n    \"two\\\"\"\"\"\n");
    expect_unparsed("f'a{x!r:>{w}}{{}}'\n", "f\"a{x!r:>{w}}{{}}\"\n");
    expect_unparsed("f'{x=}'\n", "f\"x={x!r}\"\n");
    expect_unparsed("f\"{a['b']}\"\n", "f\"{a['b']}\"\n");
    expect_unparsed("f'{ {1: 2}[1] }'\n", "f\"{ {1: 2}[1]}\"\n");
    expect_unparsed("f'{(lambda: 1)}'\n", "f\"{(lambda: 1)}\"\n");
    expect_unparsed("f'''{f\"{r''}\"}'''\n", "f\"{f'''{''}'''}\"\n");
    expect_unparsed("f'''{f\"{a['b']}\"}'''\n", "f\"{f'''{a['b']}'''}\"\n");
}

static void test_unparse_statements(void **state)
{
    (void)state;
    expect_unparsed("import a.b as c, d\nfrom . import *\nfrom ..a import (b as c, d)\n",
                    "import a.b as c, d\nfrom . import *\nfrom ..a import b as c, d\n");
    expect_unparsed("@a\ndef f(x: int, y: int=1, *z, w=2, **k) -> int: return x\nx = 1\n",
                    "@a\ndef f(x: int, y: int = 1, *z, w=2, **k) -> int:\n    return x\n\n\nx = 1\n");
    expect_unparsed("class A(b, c=d):\n  x: int\n  (y): int = 1\n  def f(self): pass\n",
                    "class A(b, c=d):\n    x: int\n    (y): int = 1\n\n    def f(self):\n        pass\n");
    expect_unparsed("if a: b\nelif c: d\nelse: e\n", "if a:\n    b\nelif c:\n    d\nelse:\n    e\n");
    expect_unparsed("for a, b in c, d:\n  break\nelse: continue\n",
                    "for a, b in c, d:\n    break\nelse:\n    continue\n");
    expect_unparsed("while a: pass\n", "while a:\n    pass\n");
    expect_unparsed("with (a as b, c): pass\nwith ((a, b)): pass\nwith (a, b) as c: pass\n",
                    "with a as b, c:\n    pass\nwith ((a, b)):\n    pass\nwith (a, b) as c:\n    pass\n");
    expect_unparsed("try: a\nexcept b as c: d\nexcept: e\nelse: f\nfinally: g\n",
                    "try:\n    a\nexcept b as c:\n    d\nexcept:\n    e\nelse:\n    f\nfinally:\n    g\n");
    expect_unparsed("try: a\nexcept* b: c\n", "try:\n    a\nexcept* b:\n    c\n");
    expect_unparsed("del a, (b, c)\nraise a from b\nassert a, b\nglobal a, b\na @= b\n",
                    "del a, (b, c)\nraise a from b\nassert a, b\nglobal a, b\na @= b\n");
    expect_unparsed("match a, b:\n  case [1, *_] | {'k': -1, **r} if x: pass\n  case A(b, c=(d | e) as f): pass\n",
                    "match (a, b):\n    case [1, *_] | {\"k\": -1, **r} if x:\n        pass\n"
                    "    case A(b, c=d | e as f):\n        pass\n");
    expect_unparsed("match = 1\nmatch(x)\nmatch[1]\ntype = 2\ntype X = int\n",
                    "match = 1\nmatch(x)\nmatch[1]\ntype = 2\ntype X = int\n");
}

/* ---- memory ---- */

/* Whichever allocation fails, control comes back to the owner of the arena and nothing is lost. */
static void test_running_out_of_memory(void **state)
{
    (void)state;
    Text text;
    text_init(&text);
    repeat(&text, "def f(a, b=1):\n    x = [a + 'text', f'{b}', {a: b for a in b}]\n", 200);
    for (volatile unsigned n = 1; n < 12; n++) {
        jmp_buf recovery;
        volatile bool failed = true;
        arena_reset(&arena);
        arena.on_failure = &recovery;
        if (setjmp(recovery) == 0) {
            arena_fail_after(n);
            names_init(&names, &arena);
            source = (Source){"test.py", text.data, text.len};
            diags_init(&diags, &arena);
            parse_module(&arena, &names, &source, &diags);
            failed = false;
        }
        arena_fail_after(0);
        arena.on_failure = NULL;
        if (!failed)
            assert_null(diags.first);
    }
    text_free(&text);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_every_keyword_and_operator_is_found),
        TEST(test_lines_and_indentation),
        TEST(test_names_numbers_and_strings),
        TEST(test_wrong_tokens),
        TEST(test_numbers),
        TEST(test_very_long_float),
        TEST(test_strings),
        TEST(test_formatted_strings),
        TEST(test_positions_of_definitions),
        TEST(test_a_text_that_begins_in_the_middle),
        TEST(test_node_path),
        TEST(test_children_come_in_the_order_of_python_fields),
        TEST(test_dump),
        TEST(test_error_messages),
        TEST(test_errors_in_formatted_strings),
        TEST(test_nul_bytes_are_refused),
        TEST(test_recovery_goes_on_with_the_next_statement),
        TEST(test_errors_are_limited),
        TEST(test_depth_is_limited),
        TEST(test_unparse_expressions),
        TEST(test_unparse_readable),
        TEST(test_unparse_strings),
        TEST(test_unparse_statements),
        TEST(test_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
