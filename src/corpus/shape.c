#include "corpus/shape.h"

#include "base/text.h"
#include "front/lexer.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

/* Names that mean something in every kernel, and so are kept. */
static bool is_kept_name(Name name)
{
    static const char *const kept[] = {"wp",  "float", "int", "bool",  "range", "dtype", "abs",
                                       "min", "max",   "len", "print", "round", "pow",   "sum"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (name_is(name, kept[i]))
            return true;
    return false;
}

/* Numbers for names, in the order in which they are first seen. */
typedef struct Renaming {
    Arena *arena;
    struct {
        Name name;
        uint32_t number;
    } * slots;
    uint32_t cap, count, next; /* slots in use; the next number */
} Renaming;

#define KEPT UINT32_MAX /* instead of a number: the name stays as it is */

static void renaming_init(Renaming *renaming, Arena *arena, uint32_t cap)
{
    *renaming = (Renaming){.arena = arena, .cap = cap};
    renaming->slots = arena_alloc(arena, sizeof *renaming->slots * cap);
}

static uint32_t name_slot(const Renaming *renaming, Name name)
{
    uint32_t slot = name->hash & (renaming->cap - 1);
    while (renaming->slots[slot].name && renaming->slots[slot].name != name)
        slot = (slot + 1) & (renaming->cap - 1);
    return slot;
}

static uint32_t number_of(Renaming *renaming, Name name)
{
    if (renaming->count * 2 >= renaming->cap) {
        Renaming larger;
        renaming_init(&larger, renaming->arena, renaming->cap * 2);
        for (uint32_t i = 0; i < renaming->cap; i++)
            if (renaming->slots[i].name)
                larger.slots[name_slot(&larger, renaming->slots[i].name)] = renaming->slots[i];
        larger.count = renaming->count;
        larger.next = renaming->next;
        *renaming = larger;
    }
    uint32_t slot = name_slot(renaming, name);
    if (!renaming->slots[slot].name) {
        renaming->slots[slot].name = name;
        renaming->slots[slot].number = is_kept_name(name) ? KEPT : renaming->next++;
        renaming->count++;
    }
    return renaming->slots[slot].number;
}

static void add_both(Text *full, Text *masked, const char *bytes, size_t len)
{
    text_add(full, bytes, len);
    text_add(masked, bytes, len);
}

static void add_name(Text *full, Text *masked, Renaming *renaming, const Token *token, bool attribute)
{
    uint32_t number = attribute ? KEPT : number_of(renaming, token->name);
    if (number == KEPT) {
        add_both(full, masked, token->name->text, token->name->len);
        return;
    }
    text_char(full, 'v');
    text_uint(full, number);
    text_char(masked, 'v');
    text_uint(masked, number);
}

Shape shape_of(Arena *arena, NameTable *names, const char *source, size_t len)
{
    Source text = {"", source, len};
    Lexer *lexer = ARENA_NEW(arena, Lexer);
    Text full, masked;
    Renaming renaming;
    Token token;
    TokenKind previous = TOKEN_NEWLINE;
    lexer_init(lexer, arena, names, &text);
    text_init_in(&full, arena);
    text_init_in(&masked, arena);
    text_reserve(&full, len + 64);
    text_reserve(&masked, len + 64);
    renaming_init(&renaming, arena, 128);
    for (lexer_next(lexer, &token); token.kind != TOKEN_END; lexer_next(lexer, &token)) {
        const char *bytes = lexer->text + token.start;
        size_t length = token.end - token.start;
        switch (token.kind) {
        case TOKEN_NAME: add_name(&full, &masked, &renaming, &token, previous == TOKEN_DOT); break;
        case TOKEN_NUMBER:
            text_add(&full, bytes, length);
            text_char(&masked, 'N');
            break;
        case TOKEN_STRING: add_both(&full, &masked, "S", 1); break;
        case TOKEN_NEWLINE: add_both(&full, &masked, "\n", 1); break;
        case TOKEN_INDENT: add_both(&full, &masked, "{", 1); break;
        case TOKEN_DEDENT: add_both(&full, &masked, "}", 1); break;
        default: add_both(&full, &masked, bytes, length); break;
        }
        add_both(&full, &masked, " ", 1);
        previous = token.kind;
    }
    XXH128_hash_t structure = XXH3_128bits(full.data, full.len);
    Shape shape = {.structure = structure.low64, .masked = XXH3_64bits(masked.data, masked.len)};
    snprintf(shape.structure_hex, sizeof shape.structure_hex, "%016" PRIx64 "%016" PRIx64, (uint64_t)structure.high64,
             (uint64_t)structure.low64);
    snprintf(shape.masked_hex, sizeof shape.masked_hex, "%016" PRIx64, shape.masked);
    return shape;
}
