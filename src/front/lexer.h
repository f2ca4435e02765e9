/* Python text to tokens, on demand: the parser asks for one token at a time.
 *
 * The lexer works on its own copy of the source, followed by NUL bytes, so that no scanning
 * loop needs to know where the text ends. It never allocates for a token; names are interned.
 * Literals are only delimited here, their values are made by the parser (parse_literal.c). */
#ifndef WEFT_FRONT_LEXER_H
#define WEFT_FRONT_LEXER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/limits.h"
#include "base/name.h"

typedef enum TokenKind {
#define TOKEN(kind, spelling) TOKEN_##kind,
#include "lang/token.def"
    TOKEN_KIND_COUNT
} TokenKind;

typedef struct Token {
    TokenKind kind;
    uint32_t start, end; /* byte offsets; `end` is exclusive */
    Name name;           /* of TOKEN_NAME */
} Token;

typedef struct TokenList {
    Token *items;
    uint32_t count, cap;
} TokenList;

enum { LEXER_KNOWN_BRACKETS = 64 }; /* of more, the lexer does not know where they were opened */

/* A line's indentation, with tab stops of eight and of one: where the two measures order
 * two lines differently, the indentation depends on the reader's tab width. */
typedef struct Indent {
    uint32_t column, tab_one_column;
} Indent;

/* A cache of words, in front of the table of keywords and that of names; it lives as long as that one. */
enum { LEXER_RECENT_WORDS = 512 };
typedef struct RecentWord {
    uint64_t head; /* the first eight bytes */
    uint32_t len;  /* 0: none */
    TokenKind kind;
    Name name; /* NULL: a keyword */
} RecentWord;

/* Words of a source text without which much need not be done: whether one is there at all, the table of names knows. */
enum { WATCH_STATIC = 1, WATCH_KERNEL = 2, WATCH_OPERATOR = 4 /* names of functions that overload operators */ };
void watch_words(NameTable *names); /* of a new table */

typedef struct Lexer {
    NameTable *names;
    Arena *arena;     /* for the copy and for composed messages */
    char *text, *end; /* the copy; at `end` stands a NUL */
    size_t text_size;
    const char *at;    /* the next byte to read */
    uint32_t brackets; /* open ones: inside them, line ends mean nothing */
    bool at_line_start;
    bool recovering; /* after an error, a line that looks like a statement closes all brackets */
    uint32_t pending_dedents;
    uint32_t indent_count; /* the first is column 0 and never leaves */
    const char *error;     /* what is wrong with the last TOKEN_ERROR */
    uint32_t bad_text;     /* where the text as a whole was found wrong; UINT32_MAX: it is right */
    TokenList *kept;       /* every token that was read and not taken back; NULL: nobody wants them */
    RecentWord *recent;    /* names->words */
    /* as far as the counts above say */
    Indent indents[LIMIT_INDENTS];
    uint32_t bracket_starts[LEXER_KNOWN_BRACKETS];
} Lexer;

/* The tokens from an offset on; the text before it is not looked at. */
void lexer_init(Lexer *lexer, Arena *arena, NameTable *names, const Source *source, size_t from);

void lexer_end(Lexer *lexer); /* gives the copy back: nothing may be read any more */

/* The next token. After the end of the text, TOKEN_END for ever; after an error, what follows it. */
void lexer_next(Lexer *lexer, Token *token);

/* Where the lexer stands, to come back after looking ahead within one logical line. */
typedef struct LexerMark {
    const char *at;
    uint32_t brackets, pending_dedents, kept;
    bool at_line_start;
} LexerMark;
LexerMark lexer_mark(const Lexer *lexer);
void lexer_rewind(Lexer *lexer, LexerMark mark);

const char *token_spelling(TokenKind kind);

/* For string tokens: the letters before the quote. */
typedef struct StringPrefix {
    bool raw, bytes, format;
    uint32_t length; /* of the prefix */
} StringPrefix;
StringPrefix string_prefix(const char *token_text);

#endif
