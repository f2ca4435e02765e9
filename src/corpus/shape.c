#include "corpus/shape.h"

#include "base/text.h"

#include <xxhash.h>

/* Names that mean something in every kernel, and so are kept. */
static bool is_kept_name(Name name)
{
    enum { LONGEST = 5 };
    static const char *const kept[] = {"wp",  "float", "int", "bool",  "range", "dtype", "abs",
                                       "min", "max",   "len", "print", "round", "pow",   "sum"};
    for (size_t i = 0; name->len <= LONGEST && i < sizeof kept / sizeof *kept; i++)
        if (kept[i][0] == name->text[0] && name_is(name, kept[i]))
            return true;
    return false;
}

/* Numbers for names, in the order in which they are first seen. */
typedef struct NameNumbers {
    Arena *arena;
    HashTable by_name;
    uint32_t next;
} NameNumbers;

#define KEPT UINT32_MAX /* instead of a number: the name stays as it is */

static uint32_t number_of(NameNumbers *numbers, Name name)
{
    uint32_t known = numbers->by_name.count;
    TableSlot *slot = table_add(&numbers->by_name, numbers->arena, name);
    if (numbers->by_name.count > known)
        slot->number = is_kept_name(name) ? KEPT : numbers->next++;
    return slot->number;
}

/* The tokens with renamed names. The same without the numbers is made of the pieces between them. Both have room for
 * all there is to come. */
typedef struct Tokens {
    Text full, masked;
    size_t copied; /* how much of `full` is in `masked` */
} Tokens;

static char *add_name(char *to, NameNumbers *numbers, const Token *token, bool attribute)
{
    uint32_t number = attribute ? KEPT : number_of(numbers, token->name);
    if (number == KEPT)
        return put_bytes(to, token->name->text, token->name->len);
    *to++ = 'v';
    return put_uint(to, number);
}

static void copy_piece(Tokens *tokens)
{
    text_add(&tokens->masked, tokens->full.data + tokens->copied, tokens->full.len - tokens->copied);
    tokens->copied = tokens->full.len;
}

static char *add_number(Tokens *tokens, char *to, const char *bytes, size_t len)
{
    text_end(&tokens->full, to);
    copy_piece(tokens);
    text_char(&tokens->masked, 'N');
    tokens->copied += len;
    return put_bytes(to, bytes, len);
}

static void add_tokens(Tokens *tokens, const char *text, const Token *token, NameNumbers *numbers)
{
    TokenKind previous = TOKEN_NEWLINE;
    char *to = tokens->full.data;
    for (; token->kind != TOKEN_END; token++) {
        const char *bytes = text + token->start;
        size_t length = token->end - token->start;
        switch (token->kind) {
        case TOKEN_NAME: to = add_name(to, numbers, token, previous == TOKEN_DOT); break;
        case TOKEN_NUMBER: to = add_number(tokens, to, bytes, length); break;
        case TOKEN_STRING: *to++ = 'S'; break;
        case TOKEN_NEWLINE: *to++ = '\n'; break;
        case TOKEN_INDENT: *to++ = '{'; break;
        case TOKEN_DEDENT: *to++ = '}'; break;
        default: to = put_bytes(to, bytes, length); break;
        }
        *to++ = ' ';
        previous = token->kind;
    }
    text_end(&tokens->full, to);
    copy_piece(tokens);
}

static char *put_hex(char *to, uint64_t value)
{
    static const char hex[] = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4)
        *to++ = hex[value >> shift & 15];
    *to = '\0';
    return to;
}

Shape shape_of_tokens(Arena *arena, const char *text, const TokenList *list, uint32_t first)
{
    const Token *end = &list->items[list->count - 1]; /* TOKEN_END */
    enum { LONGEST = sizeof "v4294967295 " };         /* that is not taken from the source */
    size_t room = end->start + LONGEST * (size_t)(list->count - first) + UINT_ROOM;
    Tokens tokens = {.copied = 0};
    NameNumbers numbers = {.arena = arena};
    text_init_in(&tokens.full, arena);
    text_init_in(&tokens.masked, arena);
    text_reserve(&tokens.full, room);
    text_reserve(&tokens.masked, room);
    add_tokens(&tokens, text, &list->items[first], &numbers);
    XXH128_hash_t structure = XXH3_128bits(tokens.full.data, tokens.full.len);
    Shape shape = {.structure = structure.low64, .masked = XXH3_64bits(tokens.masked.data, tokens.masked.len)};
    put_hex(put_hex(shape.structure_hex, structure.high64), structure.low64);
    put_hex(shape.masked_hex, shape.masked);
    return shape;
}

Shape shape_of_source(Arena *arena, const char *text, size_t len)
{
    NameTable names;
    TokenList list = {0};
    Token token;
    names_init(&names, arena);
    Lexer *lexer = arena_alloc(arena, sizeof *lexer);
    lexer_init(lexer, arena, &names, &(Source){"", text, len}, 0);
    do {
        lexer_next(lexer, &token);
        ARENA_PUSH(arena, list.items, list.count, list.cap) = token;
    } while (token.kind != TOKEN_END);
    return shape_of_tokens(arena, text, &list, 0);
}
