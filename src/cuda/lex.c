/* Tokens. */
#include "cuda/syntax.h"

#include <stdarg.h>

void cannot(CudaText *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->why = arena_format_list(t->arena, format, args);
    va_end(args);
    longjmp(t->failed, 1);
}

/* What a character may be; of all others, the next one decides. */
typedef enum CharKind { CHAR_OTHER, CHAR_BLANK, CHAR_LETTER, CHAR_DIGIT } CharKind;

static CharKind char_kind(char c)
{
    static const uint8_t kinds[256] = {
        [' '] = CHAR_BLANK,          ['\t' ... '\r'] = CHAR_BLANK, ['a' ... 'z'] = CHAR_LETTER,
        ['A' ... 'Z'] = CHAR_LETTER, ['_'] = CHAR_LETTER,          ['0' ... '9'] = CHAR_DIGIT,
    };
    return kinds[(unsigned char)c];
}

static bool is_word_char(char c)
{
    return char_kind(c) >= CHAR_LETTER;
}

void define_words(CudaText *t)
{
    static const char *const extremes[] = {"atomic_min", "atomic_max", "atomicMin", "atomicMax"};
    static const char *const words[] = {
#define WORD(name, text) [WORD_##name] = text,
#include "cuda/word.def"
#undef WORD
    };
    for (Word word = WORD_NONE + 1; word < WORD_COUNT; word++)
        meaning_of(t, name_cstr(&t->names, words[word]))->word = word;
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        meaning_of(t, name_cstr(&t->names, extremes[i]))->is_extreme = true;
}

/* Lines between #if and #endif tell a compiler names that are known here. The only other line with # includes weft_math.cuh. */
static const char *skip_directive(CudaText *t, const char *at)
{
    static const char include[] = "#include \"weft_math.cuh\"";
    if (strncmp(at, include, sizeof include - 1) == 0) {
        attach_header(t);
        return at + sizeof include - 1;
    }
    const char *end = strncmp(at, "#if", 3) == 0 ? strstr(at, "#endif") : NULL;
    if (!end)
        cannot(t, "a line that starts with # is not understood");
    return end + strlen("#endif");
}

/* Returns the same place: there is none. */
static const char *skip_comment(CudaText *t, const char *at)
{
    if (*at == '#')
        return skip_directive(t, at);
    if (at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return at;
    if (at[1] == '/')
        return at + strcspn(at, "\n");
    const char *end = strstr(at + 2, "*/");
    if (!end)
        cannot(t, "a comment does not end");
    return end + 2;
}

static const char *skip_blank(CudaText *t, const char *at)
{
    for (;;) {
        while (char_kind(*at) == CHAR_BLANK)
            at++;
        const char *behind = *at == '/' || *at == '#' ? skip_comment(t, at) : at;
        if (behind == at)
            return at;
        at = behind;
    }
}

/* <<= and >>=; what ends in =; what is doubled; -> */
static uint32_t sign_length(const char *at)
{
    bool doubled = at[0] == at[1];
    if (doubled && (at[0] == '<' || at[0] == '>'))
        return at[2] == '=' ? 3 : 2;
    if (at[1] == '=' && strchr("+-*/%&|^=!<>", at[0]))
        return 2;
    if (doubled && strchr("+-&|", at[0]))
        return 2;
    return at[0] == '-' && at[1] == '>' ? 2 : 1;
}

static uint32_t number_length(const char *at)
{
    uint32_t length = 0;
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    while (is_word_char(at[length]) || at[length] == '.' ||
           (!hex && length && (at[length] == '+' || at[length] == '-') &&
            (at[length - 1] == 'e' || at[length - 1] == 'E')))
        length++;
    return length;
}

static uint32_t text_length(CudaText *t, const char *at)
{
    uint32_t length = 1;
    while (at[length] != '"') {
        if (!at[length])
            cannot(t, "a text does not end");
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    }
    return length + 1;
}

void read_tokens(CudaText *t, const char *text)
{
    read_part_tokens(t, text, text + strlen(text));
}

void read_part_tokens(CudaText *t, const char *text, const char *end)
{
    t->token_cap = (uint32_t)(end - text) / 4 + 16; /* most texts have fewer; growing took a third of the time */
    t->tokens = arena_take(t->arena, t->token_cap * sizeof *t->tokens);
    t->token_count = t->at = 0;
    for (const char *at = skip_blank(t, text);; at = at < end ? skip_blank(t, at) : at) {
        Token *next = &ARENA_PUSH(t->arena, t->tokens, t->token_count, t->token_cap);
        *next = (Token){.text = at};
        if (at >= end)
            return;
        CharKind kind = char_kind(*at);
        if (kind == CHAR_LETTER) {
            uint32_t length = 1;
            while (is_word_char(at[length]))
                length++;
            next->kind = CT_NAME;
            next->length = length;
            next->name = name_of(&t->names, at, length);
            next->word = next->name->id < t->meaning_count ? t->meanings[next->name->id].word : WORD_NONE;
        } else if (kind == CHAR_DIGIT || (*at == '.' && char_kind(at[1]) == CHAR_DIGIT)) {
            next->kind = CT_NUMBER;
            next->length = number_length(at);
        } else if (*at == '"') {
            next->kind = CT_TEXT;
            next->length = text_length(t, at);
        } else {
            next->kind = CT_SIGN;
            next->length = sign_length(at);
            for (uint32_t i = 0; i < next->length; i++)
                next->sign |= (uint32_t)(unsigned char)at[i] << 8 * i;
        }
        at += next->length;
    }
}

void expect_sign(CudaText *t, uint32_t sign)
{
    if (!take_sign(t, sign))
        cannot(t, "'%c' is expected before '%.20s'", (char)sign, cuda_token(t)->text);
}

Name next_name(CudaText *t)
{
    if (cuda_token(t)->kind != CT_NAME)
        cannot(t, "a name is expected before '%.20s'", cuda_token(t)->text);
    return t->tokens[t->at++].name;
}

void enter_text(CudaText *t)
{
    enum { DEEPEST = 500 };
    if (++t->depth > DEEPEST)
        cannot(t, "it is nested too deeply");
}

void skip_braces(CudaText *t)
{
    uint32_t depth = 0;
    do {
        if (cuda_token(t)->kind == CT_END)
            cannot(t, "a brace is not closed");
        depth += at_sign(t, '{');
        depth -= at_sign(t, '}');
        t->at++;
    } while (depth);
}
