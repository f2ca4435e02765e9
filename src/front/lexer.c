#include "front/lexer.h"

#include "front/ast.h"
#include "front/lexer_text.h"

#include <endian.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Kept out of lexer_next, so that the common tokens need few registers. */
#define COLD __attribute__((noinline))

enum { TAB_STOP = 8, KEYWORD_SLOTS = 128, HEAD_LENGTH = sizeof(uint64_t) };

/* What a token that starts with this byte is. */
typedef enum CharClass {
    CHAR_OPERATOR, /* or nothing that Python knows */
    CHAR_NAME,
    CHAR_DIGIT,
    CHAR_BLANK,
    CHAR_NEWLINE,
    CHAR_COMMENT,
    CHAR_QUOTE,
    CHAR_BACKSLASH,
    CHAR_END /* the NUL behind the text: in it there is none */
} CharClass;

static const uint8_t class_of[256] = {
    [0] = CHAR_END,
    [' '] = CHAR_BLANK,
    ['\t'] = CHAR_BLANK,
    ['\f'] = CHAR_BLANK,
    ['\n'] = CHAR_NEWLINE,
    ['\r'] = CHAR_NEWLINE,
    ['#'] = CHAR_COMMENT,
    ['\\'] = CHAR_BACKSLASH,
    ['"'] = CHAR_QUOTE,
    ['\''] = CHAR_QUOTE,
    ['0' ... '9'] = CHAR_DIGIT,
    ['A' ... 'Z'] = CHAR_NAME,
    ['a' ... 'z'] = CHAR_NAME,
    ['_'] = CHAR_NAME,
    [0x80 ... 0xff] = CHAR_NAME,
};

/* The keyword with these letters, if any, is the only one in its slot. A collision is a
 * compiler warning (an initializer overridden), and the unit test looks up every keyword. */
#define KEYWORD_SLOT(first, last, length) (((first) + 11 * (last) + (length)) & (KEYWORD_SLOTS - 1))

static const struct Keyword {
    char spelling[HEAD_LENGTH + 1]; /* no keyword is longer */
    uint8_t length, kind;
} keywords[KEYWORD_SLOTS] = {
#define KEYWORD(kind, spelling, first, last)                                                                           \
    [KEYWORD_SLOT(first, last, sizeof spelling - 1)] = {spelling, sizeof spelling - 1, TOKEN_##kind},
#include "lang/token.def"
};

/* What a byte means alone, before `=`, doubled, and doubled before `=`; 0: nothing (no operator is TOKEN_END).
 * `...` and `->` are the only others: see read_operator. */
static const struct Operator {
    uint8_t alone, equal, twice, twice_equal;
    int8_t bracket; /* opens (1) or closes (-1) one */
    bool single;    /* is never more than this byte, as most are */
} operators[128] = {
#define OPERATOR_BYTE(byte, alone, equal, twice, twice_equal, bracket)                                                 \
    [byte] = {TOKEN_##alone,       TOKEN_##equal, TOKEN_##twice,                                                       \
              TOKEN_##twice_equal, bracket,       !(TOKEN_##equal) && !(TOKEN_##twice) && (byte) != '.'},
#include "lang/token.def"
};

static const char *const spellings[TOKEN_KIND_COUNT] = {
#define TOKEN(kind, spelling) [TOKEN_##kind] = spelling,
#include "lang/token.def"
};

const char *token_spelling(TokenKind kind)
{
    return spellings[kind];
}

void watch_words(NameTable *names)
{
    name_watch(names, "static", WATCH_STATIC);
    name_watch(names, "Kernel", WATCH_KERNEL);
    for (OpKind op = 0; op < OP_KIND_COUNT; op++)
        if (op_builtin(op))
            name_watch(names, op_builtin(op), WATCH_OPERATOR);
}

static uint32_t offset_of(const Lexer *lexer, const char *at)
{
    return (uint32_t)(at - lexer->text);
}

void lexer_init(Lexer *lexer, Arena *arena, NameTable *names, const Source *source, size_t from)
{
    enum { PADDING = 16 };
    memset(lexer, 0, offsetof(Lexer, indents));
    lexer->indents[0] = (Indent){0, 0};
    lexer->names = names;
    if (!names->words)
        names->words = ARENA_ARRAY(names->arena, RecentWord, LEXER_RECENT_WORDS);
    lexer->recent = names->words;
    lexer->arena = arena;
    lexer->bad_text = UINT32_MAX;
    lexer->indent_count = 1;
    lexer->at_line_start = true;

    size_t len = source->len;
    if (len >= UINT32_MAX - PADDING) {
        lexer->error = "the source is too large";
        lexer->bad_text = 0;
        from = len = 0;
    }
    lexer->text_size = len + PADDING;
    lexer->text = arena_take(arena, lexer->text_size);
    if (from) /* whether it begins a line is seen there */
        lexer->text[from - 1] = source->text[from - 1];
    size_t bad = from + utf8_copy(lexer->text + from, source->text + from, len - from);
    memset(lexer->text + len, 0, PADDING);
    lexer->end = lexer->text + len;
    lexer->at = lexer->text + from;
    if (!from && len >= 3 && memcmp(lexer->text, "\xef\xbb\xbf", 3) == 0)
        lexer->at += 3;

    if (bad < len) {
        lexer->error = lexer->text[bad] ? "invalid UTF-8" : "the source contains a NUL byte";
        lexer->bad_text = (uint32_t)bad;
    }
    if (lexer->bad_text != UINT32_MAX)
        lexer->at = lexer->end;
}

void lexer_end(Lexer *lexer)
{
    arena_give_back(lexer->arena, lexer->text, lexer->text_size);
    lexer->text = lexer->end = NULL;
}

LexerMark lexer_mark(const Lexer *lexer)
{
    return (LexerMark){lexer->at, lexer->brackets, lexer->pending_dedents, lexer->kept ? lexer->kept->count : 0,
                       lexer->at_line_start};
}

void lexer_rewind(Lexer *lexer, LexerMark mark)
{
    lexer->at = mark.at;
    lexer->brackets = mark.brackets;
    lexer->pending_dedents = mark.pending_dedents;
    if (lexer->kept)
        lexer->kept->count = mark.kept;
    lexer->at_line_start = mark.at_line_start;
}

/* Every token ends here. */
static void finish(Lexer *lexer, Token *token, TokenKind kind, const char *start, const char *end)
{
    token->kind = kind;
    token->start = offset_of(lexer, start);
    token->end = offset_of(lexer, end);
    lexer->at = end;
}

static void finish_error(Lexer *lexer, Token *token, const char *start, const char *end, const char *message)
{
    lexer->error = message;
    finish(lexer, token, TOKEN_ERROR, start, end);
}

static const char *skip_newline(const char *at)
{
    return at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1);
}

static COLD const char *skip_comment(const Lexer *lexer, const char *at)
{
    while (*at != '\n' && *at != '\r' && at < lexer->end)
        at++;
    return at;
}

/* Behind a backslash at the end of a line. NULL: no line can follow, and `token` is the error. */
static COLD const char *skip_continuation(Lexer *lexer, Token *token, const char *backslash)
{
    const char *at = backslash + 1;
    if (*at != '\n' && *at != '\r') {
        finish_error(lexer, token, backslash, at,
                     at == lexer->end ? "unexpected end of file after a line continuation"
                                      : "unexpected character after line continuation character");
        return NULL;
    }
    at = skip_newline(at);
    if (at == lexer->end) {
        finish_error(lexer, token, backslash, at, "unexpected end of file after a line continuation");
        return NULL;
    }
    return at;
}

/* ---- the start of a logical line ---- */

/* Eight bytes of text as a number, the first one lowest. Behind the text come NUL bytes enough. */
static uint64_t load_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return le64toh(word);
}

#define EVERY_BYTE(value) (0x0101010101010101u * (value))

/* Finds the next line that is not blank, and measures it. NULL: `token` is an error. */
static const char *measure_indent(Lexer *lexer, Token *token, Indent *indent)
{
    const char *at = lexer->at;
    uint32_t continued_column = 0; /* a continued line has the indentation of its first part */
    *indent = (Indent){0, 0};
    for (; load_word(at) == EVERY_BYTE(' '); at += sizeof(uint64_t)) {
        indent->column += sizeof(uint64_t);
        indent->tab_one_column += sizeof(uint64_t);
    }
    for (;; at++) {
        if (*at == ' ') {
            indent->column++;
            indent->tab_one_column++;
        } else if (*at == '\t') {
            indent->column = (indent->column / TAB_STOP + 1) * TAB_STOP;
            indent->tab_one_column++;
        } else if (*at == '\f') {
            *indent = (Indent){0, 0};
        } else if (*at == '\\') {
            if (!continued_column)
                continued_column = indent->column;
            const char *next = skip_continuation(lexer, token, at);
            if (!next)
                return NULL;
            at = next - 1;
        } else if (*at == '#' || *at == '\n' || *at == '\r') {
            at = skip_comment(lexer, at);
            if (at == lexer->end)
                break;
            at = skip_newline(at) - 1;
            continued_column = 0;
            *indent = (Indent){0, 0};
        } else {
            break;
        }
    }
    if (at == lexer->end)
        *indent = (Indent){0, 0};
    else if (continued_column)
        indent->column = indent->tab_one_column = continued_column;
    return at;
}

static const char inconsistent_tabs[] = "inconsistent use of tabs and spaces in indentation";

/* Leaves every block that the line is not in; it is no deeper than they are. True: `token` is an error. */
static bool close_blocks(Lexer *lexer, Token *token, const char *at, Indent indent)
{
    while (lexer->indents[lexer->indent_count - 1].column > indent.column) {
        lexer->indent_count--;
        lexer->pending_dedents++;
    }
    Indent around = lexer->indents[lexer->indent_count - 1];
    if (around.column != indent.column)
        finish_error(lexer, token, lexer->at, at, "unindent does not match any outer indentation level");
    else if (around.tab_one_column != indent.tab_one_column)
        finish_error(lexer, token, lexer->at, at, inconsistent_tabs);
    else
        return false;
    return true;
}

/* The line is deeper than the one before. */
static void open_block(Lexer *lexer, Token *token, const char *at, Indent indent)
{
    const char *line = lexer->at;
    if (lexer->indent_count == LIMIT_INDENTS) {
        finish_error(lexer, token, line, at, "too many levels of indentation");
        return;
    }
    bool consistent = indent.tab_one_column > lexer->indents[lexer->indent_count - 1].tab_one_column;
    lexer->indents[lexer->indent_count++] = indent;
    if (consistent)
        finish(lexer, token, TOKEN_INDENT, line, at);
    else
        finish_error(lexer, token, line, at, inconsistent_tabs);
}

/* Compares the next line with the blocks that are open. True: `token` is an INDENT or an error. */
static bool compare_indent(Lexer *lexer, Token *token)
{
    Indent indent;
    const char *at = measure_indent(lexer, token, &indent);
    lexer->at_line_start = false;
    if (!at)
        return true;
    if (indent.column > lexer->indents[lexer->indent_count - 1].column) {
        open_block(lexer, token, at, indent);
        return true;
    }
    if (close_blocks(lexer, token, at, indent)) {
        lexer->at_line_start = lexer->pending_dedents > 0;
        return true;
    }
    lexer->at = at;
    return false;
}

/* True: `token` says how the indentation changed, or that the text is over. */
static COLD bool read_line_start(Lexer *lexer, Token *token)
{
    if (lexer->bad_text != UINT32_MAX) {
        token->kind = TOKEN_ERROR;
        token->start = lexer->bad_text;
        token->end = lexer->bad_text + 1;
        lexer->bad_text = UINT32_MAX;
        return true;
    }
    if (!lexer->pending_dedents && compare_indent(lexer, token))
        return true;
    bool at_end = lexer->at == lexer->end;
    if (lexer->pending_dedents) {
        lexer->pending_dedents--;
        lexer->at_line_start = lexer->pending_dedents > 0 || at_end;
        finish(lexer, token, TOKEN_DEDENT, lexer->at, lexer->at);
        return true;
    }
    lexer->at_line_start = at_end;
    if (at_end)
        finish(lexer, token, TOKEN_END, lexer->at, lexer->at);
    return at_end;
}

/* ---- tokens ---- */

/* How many of the next bytes belong to an ASCII name, up to NAME_STEP of them. Several bytes in one go, because the end of a name
 * is what a processor cannot predict: a loop over the bytes would pay for that each time. */
#ifdef __SSE2__
enum { NAME_STEP = 16 };
static __m128i is_between(__m128i bytes, char first, char last)
{
    __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8((char)(last - first))), above);
}

static size_t count_name_bytes(const char *text)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    __m128i letters = is_between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
    __m128i others = _mm_or_si128(is_between(bytes, '0', '9'), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    return (size_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(_mm_or_si128(letters, others)));
}
#else
enum { NAME_STEP = 8 };
static size_t count_name_bytes(const char *text)
{
    const uint64_t tops = EVERY_BYTE(0x80u), word = load_word(text);
    uint64_t ascii = word & ~tops, lower = ascii | EVERY_BYTE(0x20u);
    uint64_t letters = (lower + EVERY_BYTE(0x80u - 'a')) & ~(lower + EVERY_BYTE(0x7fu - 'z'));
    uint64_t digits = (ascii + EVERY_BYTE(0x80u - '0')) & ~(ascii + EVERY_BYTE(0x7fu - '9'));
    uint64_t underscores = ~((ascii ^ EVERY_BYTE('_')) + EVERY_BYTE(0x7fu));
    uint64_t others = ~((letters | digits | underscores) & ~word) & tops;
    return others ? (size_t)__builtin_ctzll(others) / 8 : NAME_STEP;
}
#endif

/* The first bytes of a word of this length, NUL where it is shorter. */
static uint64_t head_of(const char *text, size_t len)
{
    uint64_t head = load_word(text);
    return len < HEAD_LENGTH ? head & (((uint64_t)1 << 8 * len) - 1) : head;
}

static TokenKind keyword_kind(const char *text, size_t len, uint64_t head)
{
    if (len < 2 || len > HEAD_LENGTH)
        return TOKEN_NAME;
    unsigned first = (unsigned char)text[0], last = (unsigned char)text[len - 1];
    const struct Keyword *keyword = &keywords[KEYWORD_SLOT(first, last, len)];
    return keyword->length == len && load_word(keyword->spelling) == head ? keyword->kind : TOKEN_NAME;
}

/* A source repeats few words often: those seen last are found without hashing the whole word. */
static RecentWord *recent_word(Lexer *lexer, size_t len, uint64_t head)
{
    uint64_t mixed = (head ^ len) * 0x9e3779b97f4a7c15u;
    return &lexer->recent[mixed >> 32 & (LEXER_RECENT_WORDS - 1)];
}

static bool is_recent(const RecentWord *recent, const char *text, size_t len, uint64_t head)
{
    if (recent->head != head || recent->len != len)
        return false;
    return len <= HEAD_LENGTH ||
           load_word(recent->name->text + len - HEAD_LENGTH) == load_word(text + len - HEAD_LENGTH);
}

/* The last thing that is done for a token, so that lexer_next saves no registers for the words that are there already: 1 % fewer
 * instructions for a compilation (callgrind, weft_compile on the golden set). */
static COLD void finish_new_word(Lexer *lexer, Token *token, const char *start, const char *end, uint64_t head)
{
    size_t len = (size_t)(end - start);
    TokenKind kind = keyword_kind(start, len, head);
    Name name = kind == TOKEN_NAME ? name_of(lexer->names, start, len) : NULL;
    if (!name || !name->watch) /* of those that are watched, the table counts every use */
        *recent_word(lexer, len, head) = (RecentWord){head, (uint32_t)len, kind, name};
    token->name = name;
    finish(lexer, token, kind, start, end);
}

/* At all other bytes a string goes on. */
static const bool may_end_string[256] = {
    ['\0'] = true, ['\n'] = true, ['\r'] = true, ['\\'] = true, ['"'] = true, ['\''] = true};

static COLD void read_string(Lexer *lexer, Token *token, const char *start, const char *quote)
{
    char delimiter = *quote;
    bool triple = quote[1] == delimiter && quote[2] == delimiter;
    const char *at = quote + (triple ? 3 : 1);
    for (;; at++) {
        while (!may_end_string[(unsigned char)*at])
            at++;
        char c = *at;
        if (c == delimiter && (!triple || (at[1] == c && at[2] == c))) {
            finish(lexer, token, TOKEN_STRING, start, at + (triple ? 3 : 1));
            return;
        }
        if (c == '\\') {
            at++;
            if (at[0] == '\r' && at[1] == '\n')
                at++;
        } else if ((c == '\n' || c == '\r') && !triple) {
            break;
        }
        if (at >= lexer->end)
            break;
    }
    if (at > lexer->end)
        at = lexer->end;
    finish_error(lexer, token, start, at,
                 triple ? "unterminated triple-quoted string literal" : "unterminated string literal");
}

static bool is_string_prefix(const char *text, size_t len)
{
    char letters[2] = {0, 0};
    if (len > 2)
        return false;
    for (size_t i = 0; i < len; i++)
        letters[i] = (char)(text[i] | 0x20);
    char a = letters[0], b = letters[1];
    if (b == 'r' && a != 'r') {
        b = a;
        a = 'r';
    }
    return (!b && (a == 'r' || a == 'b' || a == 'u' || a == 'f')) || (a == 'r' && (b == 'b' || b == 'f'));
}

StringPrefix string_prefix(const char *text)
{
    StringPrefix prefix = {0};
    for (; text[prefix.length] != '"' && text[prefix.length] != '\''; prefix.length++) {
        char letter = (char)(text[prefix.length] | 0x20);
        prefix.raw |= letter == 'r';
        prefix.bytes |= letter == 'b';
        prefix.format |= letter == 'f';
    }
    return prefix;
}

/* A character that nothing in Python starts with. */
static COLD void read_invalid(Lexer *lexer, Token *token, const char *at)
{
    uint32_t code;
    const char *next = utf8_decode(at, &code);
    const char *message;
    if (code <= 0x20 || code == 0x7f)
        message = arena_format(lexer->arena, "invalid non-printable character U+%04X", (unsigned)code);
    else if (code < 0x80)
        message = arena_format(lexer->arena, "invalid character '%c'", (char)code);
    else
        message = arena_format(lexer->arena, "invalid character '%.*s' (U+%04X)", (int)(next - at), at, (unsigned)code);
    finish_error(lexer, token, at, next, message);
}

/* A name with other letters than ASCII's. Returns its end; NULL: nothing may start with its first character. */
static COLD const char *skip_unicode_name(const char *start)
{
    const char *at = start;
    if ((signed char)*at < 0) {
        at = skip_name_start(at);
        if (!at)
            return NULL;
    }
    for (;;) {
        while (is_ascii_name_char(*at))
            at++;
        const char *next = (signed char)*at < 0 ? skip_name_part(at) : NULL;
        if (!next)
            return at;
        at = next;
    }
}

/* Never a keyword; but a string may follow, of which the letters before it are ASCII alone. */
static COLD void read_unicode_name(Lexer *lexer, Token *token, const char *start)
{
    const char *end = skip_unicode_name(start);
    if (!end) {
        read_invalid(lexer, token, start);
        return;
    }
    finish_new_word(lexer, token, start, end, head_of(start, (size_t)(end - start)));
}

/* A name of NAME_STEP bytes or more. */
static COLD void read_long_name(Lexer *lexer, Token *token, const char *start)
{
    size_t len = NAME_STEP;
    for (size_t more = len; more == NAME_STEP; len += more)
        more = count_name_bytes(start + len);
    const char *end = start + len;
    uint64_t head = load_word(start);
    const RecentWord *recent = recent_word(lexer, len, head);
    if ((signed char)*end < 0)
        read_unicode_name(lexer, token, start);
    else if (recent->head != head || recent->len != len || memcmp(recent->name->text, start, len) != 0)
        finish_new_word(lexer, token, start, end, head);
    else {
        token->name = recent->name;
        finish(lexer, token, TOKEN_NAME, start, end);
    }
}

static void read_name(Lexer *lexer, Token *token, const char *start)
{
    size_t len = count_name_bytes(start);
    if (len == NAME_STEP) {
        read_long_name(lexer, token, start);
        return;
    }
    uint64_t head = head_of(start, len);
    const char *end = start + len;
    if ((signed char)*end < 0) {
        read_unicode_name(lexer, token, start);
        return;
    }
    if ((*end == '"' || *end == '\'') && is_string_prefix(start, len)) {
        read_string(lexer, token, start, end);
        return;
    }
    const RecentWord *recent = recent_word(lexer, len, head);
    if (!is_recent(recent, start, len, head)) {
        finish_new_word(lexer, token, start, end, head);
        return;
    }
    token->name = recent->name;
    finish(lexer, token, recent->kind, start, end);
}

static COLD void read_number(Lexer *lexer, Token *token, const char *start)
{
    const char *message = NULL;
    const char *at = skip_number(lexer->arena, start, &message);
    if (message)
        finish_error(lexer, token, start, at, message);
    else
        finish(lexer, token, TOKEN_NUMBER, start, at);
}

static void count_bracket(Lexer *lexer, const char *at, int bracket)
{
    if (bracket > 0) {
        if (lexer->brackets < LEXER_KNOWN_BRACKETS)
            lexer->bracket_starts[lexer->brackets] = offset_of(lexer, at);
        lexer->brackets++;
    } else if (bracket < 0 && lexer->brackets > 0) {
        lexer->brackets--;
    }
}

static void read_operator(Lexer *lexer, Token *token, const char *at)
{
    const struct Operator *row = &operators[(unsigned char)*at];
    if (row->single) {
        count_bracket(lexer, at, row->bracket);
        finish(lexer, token, row->alone, at, at + 1);
        return;
    }
    TokenKind kind = row->alone;
    uint32_t len = 1;
    if (at[1] == '=' && row->equal) {
        kind = row->equal;
        len = 2;
    } else if (row->twice && at[1] == at[0]) {
        len = at[2] == '=' ? 3 : 2;
        kind = len == 3 ? row->twice_equal : row->twice;
    } else if (kind == TOKEN_MINUS && at[1] == '>') {
        kind = TOKEN_ARROW;
        len = 2;
    } else if (kind == TOKEN_DOT && at[1] >= '0' && at[1] <= '9') {
        read_number(lexer, token, at);
        return;
    } else if (kind == TOKEN_DOT && at[1] == '.' && at[2] == '.') {
        kind = TOKEN_ELLIPSIS;
        len = 3;
    } else if (!kind) {
        read_invalid(lexer, token, at);
        return;
    }
    finish(lexer, token, kind, at, at + len);
}

/* Does the line at `at` look like a new statement, although a bracket is open? Only asked after an error. */
static COLD bool looks_like_statement(const Lexer *lexer, const char *at)
{
    uint32_t column = 0;
    for (; *at == ' ' || *at == '\t'; at++)
        column = *at == ' ' ? column + 1 : (column / TAB_STOP + 1) * TAB_STOP;
    if (column > lexer->indents[lexer->indent_count - 1].column)
        return false;
    size_t len = count_name_bytes(at);
    TokenKind kind = keyword_kind(at, len, head_of(at, len));
    return *at == '@' || kind == TOKEN_DEF || kind == TOKEN_CLASS || kind == TOKEN_IF || kind == TOKEN_FOR ||
           kind == TOKEN_WHILE || kind == TOKEN_WITH || kind == TOKEN_TRY || kind == TOKEN_IMPORT ||
           kind == TOKEN_FROM || kind == TOKEN_RETURN || kind == TOKEN_ASYNC;
}

static COLD void read_end(Lexer *lexer, Token *token)
{
    if (lexer->brackets || lexer->at_line_start) {
        finish(lexer, token, TOKEN_END, lexer->end, lexer->end);
        return;
    }
    lexer->at_line_start = true;
    finish(lexer, token, TOKEN_NEWLINE, lexer->end, lexer->end);
}

static void read_token(Lexer *lexer, Token *token)
{
    if (lexer->at_line_start && read_line_start(lexer, token))
        return;
    const char *at = lexer->at;
    at += *at == ' '; /* most tokens have no blank before them, or one */
    for (;;) {
        switch ((CharClass)class_of[(unsigned char)*at]) {
        case CHAR_BLANK: at++; break;
        case CHAR_NAME: read_name(lexer, token, at); return;
        case CHAR_DIGIT: read_number(lexer, token, at); return;
        case CHAR_OPERATOR: read_operator(lexer, token, at); return;
        case CHAR_QUOTE: read_string(lexer, token, at, at); return;
        case CHAR_COMMENT: at = skip_comment(lexer, at); break;
        case CHAR_NEWLINE: {
            const char *next = skip_newline(at);
            if (lexer->brackets && lexer->recovering && looks_like_statement(lexer, next))
                lexer->brackets = 0;
            if (!lexer->brackets) {
                lexer->at_line_start = true;
                finish(lexer, token, TOKEN_NEWLINE, at, next);
                return;
            }
            at = next;
            break;
        }
        case CHAR_BACKSLASH:
            at = skip_continuation(lexer, token, at);
            if (!at)
                return;
            break;
        case CHAR_END: read_end(lexer, token); return;
        }
    }
}

static COLD void next_token(Lexer *lexer, Token *token)
{
    read_token(lexer, token);
    if (lexer->kept)
        ARENA_PUSH(lexer->arena, lexer->kept->items, lexer->kept->count, lexer->kept->cap) = *token;
}

/* Names and operators inside a line, which most tokens are, need none of the registers that the others do. */
void lexer_next(Lexer *lexer, Token *token)
{
    const char *at = lexer->at + (*lexer->at == ' ');
    CharClass class = class_of[(unsigned char)*at];
    bool plain = !lexer->at_line_start && !lexer->kept;
    if (plain && class == CHAR_NAME)
        read_name(lexer, token, at);
    else if (plain && class == CHAR_OPERATOR)
        read_operator(lexer, token, at);
    else
        next_token(lexer, token);
}
