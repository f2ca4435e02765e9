#include "mutate.h"

#include <ctype.h>
#include <stdio.h>

enum {
    STREAM_MUTATIONS = 31,
    MAX_WHOLE = 6000, /* larger sources are never taken whole: running all their kernels takes long */
    MAX_BLOCKS = 6,
    MAX_MUTATIONS = 8
};

/* ---- the pool ---- */

void pool_init(Pool *pool)
{
    memset(pool, 0, sizeof *pool);
    arena_init(&pool->arena);
}

void pool_free(Pool *pool)
{
    arena_free(&pool->arena);
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void add_words(Pool *pool, const PoolSource *source)
{
    for (size_t at = 0; at < source->len;) {
        size_t end = at;
        while (end < source->len && is_word_char(source->text[end]))
            end++;
        if (end > at)
            ARENA_PUSH(&pool->arena, pool->words, pool->word_count, pool->word_cap) =
                (Word){source->text + at, (uint32_t)(end - at)};
        at = end + 1;
    }
}

/* A block begins with a line at the margin; decorators belong to what they decorate. */
static void find_blocks(Pool *pool, PoolSource *source)
{
    uint32_t cap = 0;
    bool decorated = false;
    for (size_t at = 0; at < source->len;) {
        const char *line = source->text + at;
        bool at_margin = *line != '\n' && *line != ' ' && *line != '\t' && *line != '#' && *line != ')';
        if (at_margin && !decorated)
            ARENA_PUSH(&pool->arena, source->blocks, source->block_count, cap) = (uint32_t)at;
        if (at_margin)
            decorated = *line == '@';
        const char *end = memchr(line, '\n', source->len - at);
        at = end ? (size_t)(end - source->text) + 1 : source->len;
    }
    ARENA_PUSH(&pool->arena, source->blocks, source->block_count, cap) = (uint32_t)source->len;
    source->block_count--;
}

void pool_add(Pool *pool, const char *text, size_t len)
{
    PoolSource source = {.text = arena_strndup(&pool->arena, text, len), .len = len};
    find_blocks(pool, &source);
    add_words(pool, &source);
    ARENA_PUSH(&pool->arena, pool->sources, pool->count, pool->cap) = source;
}

/* ---- beginning with parts of sources ---- */

static void add_part(const PoolSource *source, uint32_t block, Text *out)
{
    text_add(out, source->text + source->blocks[block], source->blocks[block + 1] - source->blocks[block]);
}

/* Imports, constants and structs: what is not a kernel or a function. */
static bool is_context(const PoolSource *source, uint32_t block)
{
    const char *text = source->text + source->blocks[block];
    return (*text != '@' && strncmp(text, "def", 3) != 0) || strncmp(text, "@wp.struct", 10) == 0;
}

/* The context, and some neighbouring blocks: functions mostly stand near the kernels that call them. */
static void take_blocks(Rng *rng, const PoolSource *source, Text *out)
{
    uint32_t count = source->block_count, first = rng_below(rng, count), last = first + 1 + rng_below(rng, MAX_BLOCKS);
    for (uint32_t i = 0; i < count; i++)
        if (is_context(source, i) || (i >= first && i < last))
            add_part(source, i, out);
}

static const PoolSource *any_source(const Pool *pool, Rng *rng)
{
    const PoolSource *source = &pool->sources[rng_below(rng, pool->count)];
    while (!source->block_count)
        source = &pool->sources[rng_below(rng, pool->count)];
    return source;
}

static void begin(const Pool *pool, Rng *rng, Text *out)
{
    const PoolSource *source = any_source(pool, rng);
    if (source->len <= MAX_WHOLE && rng_below(rng, 3))
        text_add(out, source->text, source->len);
    else
        take_blocks(rng, source, out);
    if (rng_below(rng, 10) == 0)
        take_blocks(rng, any_source(pool, rng), out);
}

/* ---- changing a part ---- */

/* Puts `len` bytes in the place of those from `at` to `end`. */
static void replace(Text *text, size_t at, size_t end, const char *bytes, size_t len)
{
    size_t rest = text->len - end;
    char *copy = arena_strndup(text->arena, bytes, len); /* which may be of the text itself */
    text_reserve(text, len + 1);
    memmove(text->data + at + len, text->data + end, rest);
    if (len)
        memcpy(text->data + at, copy, len);
    text->len = at + len + rest;
}

static size_t any_place(const Text *text, Rng *rng)
{
    return rng_below(rng, (uint32_t)text->len + 1);
}

typedef struct Span {
    size_t at, end;
} Span;

/* The token at a random place: a name or number, or one other character. */
static Span any_token(const Text *text, Rng *rng)
{
    size_t at = any_place(text, rng);
    while (at < text->len && isspace((unsigned char)text->data[at]))
        at++;
    Span span = {at, at};
    if (at < text->len && !is_word_char(text->data[at]))
        return (Span){at, at + 1};
    while (span.at > 0 && is_word_char(text->data[span.at - 1]))
        span.at--;
    while (span.end < text->len && is_word_char(text->data[span.end]))
        span.end++;
    return span;
}

static Span line_around(const char *text, size_t len, size_t at)
{
    size_t end = at;
    while (at > 0 && text[at - 1] != '\n')
        at--;
    while (end < len && text[end] != '\n')
        end++;
    return (Span){at, end < len ? end + 1 : end};
}

static Span any_line(const Text *text, Rng *rng)
{
    return line_around(text->data, text->len, any_place(text, rng));
}

static void spoil_bytes(const Pool *pool, Rng *rng, Text *text)
{
    static const char *const odd[] = {"\xff", "\xc3", "\xef\xbb\xbf", "\xed\xa0\x80", "\xe2\x80\xae", "\r",
                                      "\t",   "\f",   "\\\n",         "\\",           "\"\"\"",       "'"};
    size_t at = any_place(text, rng), end = at + rng_below(rng, 40);
    (void)pool;
    end = end < text->len ? end : text->len;
    switch (rng_below(rng, 5)) {
    case 0:
        if (at < text->len)
            text->data[at] = (char)(text->data[at] ^ 1 << rng_below(rng, 8));
        break;
    case 1: replace(text, at, end, "", 0); break;
    case 2: replace(text, at, at, text->data + at, end - at); break;
    case 3: {
        const char *bytes = odd[rng_below(rng, sizeof odd / sizeof *odd)];
        replace(text, at, at, bytes, strlen(bytes));
        break;
    }
    default: replace(text, at, at, "\0", 1);
    }
}

static void spoil_number(const Pool *pool, Rng *rng, Text *text)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "2147483647",
                                          "-2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "1e38",
                                          "1e39",
                                          "1e-45",
                                          "1e308",
                                          "1e999",
                                          "0.0",
                                          "-0.0",
                                          "10**9",
                                          "2**31",
                                          "1<<40",
                                          "99999999999999999999",
                                          "0x7fffffff",
                                          "3.5",
                                          "100000",
                                          "1000000000",
                                          "True",
                                          "None",
                                          "1j",
                                          "\"text\"",
                                          "...",
                                          "1_000"};
    (void)pool;
    for (int tries = 0; tries < 20; tries++) {
        Span span = any_token(text, rng);
        if (span.at == span.end || !isdigit((unsigned char)text->data[span.at]))
            continue;
        const char *number = numbers[rng_below(rng, sizeof numbers / sizeof *numbers)];
        replace(text, span.at, span.end, number, strlen(number));
        return;
    }
}

static void spoil_token(const Pool *pool, Rng *rng, Text *text)
{
    static const char *const signs[] = {
        "+",     "-",    "*",    "/",      "//",      "%",      "**",     "@",  "&",  "|",    "^",    "<<",
        ">>",    "<",    "==",   "!=",     "=",       "+=",     "-=",     "*=", ":=", "->",   ",",    ":",
        ";",     ".",    "(",    ")",      "[",       "]",      "{",      "}",  "~",  "not ", " in ", " is ",
        " and ", " or ", " if ", " else ", "lambda ", "await ", "yield ", "*",  "**", "..."};
    Span span = any_token(text, rng), other = any_token(text, rng);
    if (span.end > text->len || other.end > text->len)
        return;
    const Word *word = &pool->words[rng_below(rng, pool->word_count)];
    const char *sign = signs[rng_below(rng, sizeof signs / sizeof *signs)];
    switch (rng_below(rng, 6)) {
    case 0: replace(text, span.at, span.end, word->text, word->len); break;
    case 1: replace(text, span.at, span.end, text->data + other.at, other.end - other.at); break;
    case 2: replace(text, span.at, span.end, "", 0); break;
    case 3: replace(text, span.at, span.at, text->data + span.at, span.end - span.at); break;
    case 4: replace(text, span.at, span.end, sign, strlen(sign)); break;
    default: replace(text, span.at, span.at, sign, strlen(sign));
    }
}

static void spoil_line(const Pool *pool, Rng *rng, Text *text)
{
    Span line = any_line(text, rng), other = any_line(text, rng);
    const PoolSource *source = any_source(pool, rng);
    switch (rng_below(rng, 7)) {
    case 0: replace(text, line.at, line.end, "", 0); break;
    case 1: replace(text, line.at, line.at, text->data + line.at, line.end - line.at); break;
    case 2: replace(text, line.at, line.at, text->data + other.at, other.end - other.at); break;
    case 3: replace(text, line.at, line.at, "    ", 4); break;
    case 4:
        if (line.end - line.at > 4 && text->data[line.at] == ' ')
            replace(text, line.at, line.at + 4, "", 0);
        break;
    case 5:
        if (line.end > line.at)
            replace(text, line.end - 1, line.end, " ", 1);
        break;
    default: {
        Span taken = line_around(source->text, source->len, rng_below(rng, (uint32_t)source->len + 1));
        replace(text, line.at, line.at, source->text + taken.at, taken.end - taken.at);
    }
    }
}

/* ---- nesting ---- */

static uint32_t any_depth(Rng *rng)
{
    static const uint32_t depths[] = {2, 5, 20, 60, 120, 190, 210, 500, 1100, 5000};
    return depths[rng_below(rng, sizeof depths / sizeof *depths)];
}

/* An operand in many brackets, calls or signs; or many operands in a row. */
static void nest_expression(const Pool *pool, Rng *rng, Text *text)
{
    static const struct Form {
        const char *before, *after;
    } forms[] = {{"(", ")"},
                 {"-", ""},
                 {"wp.sin(", ")"},
                 {"[", "]"},
                 {"", " + 1.0"},
                 {"not ", ""},
                 {"", "[0]"},
                 {"", ".x"},
                 {"float(", ")"},
                 {"", " if i < 1 else 2.0"},
                 {"wp.where(True, ", ", 1.0)"},
                 {"wp.vec3(", ")"},
                 {"{", "}"},
                 {"", " * 2"},
                 {"lambda: ", ""},
                 {"wp.static(", ")"},
                 {"", " < 2"},
                 {"", " and True"},
                 {"f'{", "}'"},
                 {"wp.min(1.0, ", ")"},
                 {"2 ** ", ""},
                 {"(-1) ** ", ""}};
    Span span = any_token(text, rng);
    if (span.end > text->len)
        return;
    const struct Form *form = &forms[rng_below(rng, sizeof forms / sizeof *forms)];
    uint32_t depth = any_depth(rng);
    Text nested;
    (void)pool;
    text_init_in(&nested, text->arena);
    for (uint32_t i = 0; i < depth; i++)
        text_str(&nested, form->before);
    text_add(&nested, text->data + span.at, span.end - span.at);
    for (uint32_t i = 0; i < depth; i++)
        text_str(&nested, form->after);
    replace(text, span.at, span.end, nested.data, nested.len);
}

/* Blocks inside of blocks, in front of a line. */
static void nest_statements(const Pool *pool, Rng *rng, Text *text)
{
    static const char *const heads[] = {"if True:",
                                        "for _k in range(2):",
                                        "while False:",
                                        "for _k in range(n):",
                                        "with x:",
                                        "try:",
                                        "def inner():",
                                        "class Inner:",
                                        "if x > 0.0:",
                                        "elif x < 1.0:",
                                        "else:",
                                        "match x:",
                                        "for i in range(100000):",
                                        "while True:",
                                        "async def f():",
                                        "@wp.func"};
    Span line = any_line(text, rng);
    const char *head = heads[rng_below(rng, sizeof heads / sizeof *heads)];
    uint32_t depth = any_depth(rng) % 130 + 1, indent = 0;
    Text nested;
    (void)pool;
    while (line.at + indent < line.end && text->data[line.at + indent] == ' ')
        indent++;
    text_init_in(&nested, text->arena);
    for (uint32_t i = 0; i < depth; i++) {
        text_pad(&nested, ' ', indent + i * 4);
        text_str(&nested, head);
        text_char(&nested, '\n');
    }
    text_pad(&nested, ' ', depth * 4);
    text_add(&nested, text->data + line.at, line.end - line.at);
    replace(text, line.at, line.end, nested.data, nested.len);
}

/* Functions that call the one before, some of them several times: what is built grows faster than the text. */
static void chain_functions(const Pool *pool, Rng *rng, Text *text)
{
    uint32_t count = 2 + rng_below(rng, 60), calls = 1 + rng_below(rng, 4), nested = 1 + rng_below(rng, 190);
    (void)pool;
    text_lit(text, "\n\n@wp.func\ndef chain_0(x: float):\n    return x + 1.0\n");
    for (uint32_t i = 1; i < count; i++) {
        text_format(text, "\n\n@wp.func\ndef chain_%u(x: float):\n    return ", i);
        for (uint32_t k = 0; k < calls; k++)
            text_format(text, "%schain_%u(x)", k ? " + " : "", i - 1);
        if (calls == 1)
            for (uint32_t k = 0; k < nested; k++)
                text_lit(text, " + wp.sin(x)");
        text_char(text, '\n');
    }
    text_format(text,
                "\n\n@wp.kernel\ndef chained(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = chain_%u(a[i])\n",
                count - 1);
}

void mutate(const Pool *pool, uint64_t seed, uint64_t index, Text *out)
{
    static const struct Way {
        unsigned weight;
        void (*spoil)(const Pool *pool, Rng *rng, Text *text);
    } ways[] = {{6, spoil_bytes},     {6, spoil_number},    {14, spoil_token},   {8, spoil_line},
                {4, nest_expression}, {2, nest_statements}, {1, chain_functions}};
    enum { WAYS = sizeof ways / sizeof *ways };
    unsigned weights[WAYS];
    Rng rng = rng_at(seed, index, STREAM_MUTATIONS);
    for (int i = 0; i < WAYS; i++)
        weights[i] = ways[i].weight;
    begin(pool, &rng, out);
    for (uint32_t i = 1 + (rng_below(&rng, 2) ? 0 : rng_below(&rng, MAX_MUTATIONS)); i > 0; i--)
        ways[rng_weighted(&rng, weights, WAYS)].spoil(pool, &rng, out);
}
