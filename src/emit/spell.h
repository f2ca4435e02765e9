/* How names and types are spelled in the emitted text. Most of it consists of these, so little is called: room is made
 * once for each. */
#ifndef WEFT_EMIT_SPELL_H
#define WEFT_EMIT_SPELL_H

#include "emit/emit.h"

/* `prefix` has four letters: "var_" or "adj_". There must be variable_room for it. */
enum { PREFIX = 4, VARIABLE_ROOM = PREFIX + UINT_ROOM };
char *put_part(char *to, const IrVar *var, const char *prefix);
static inline char *put_variable(char *to, const IrVar *var, const char *prefix)
{
    memcpy(to, prefix, PREFIX);
    if (var->digits[3]) { /* most of them */
        memcpy(to + PREFIX, var->digits, sizeof var->digits);
        return to + PREFIX + var->digits[3];
    }
    if (var->part)
        return put_part(to, var, prefix);
    if (var->label)
        return put_bytes(to + PREFIX, var->label->text, var->letters);
    return put_uint(to + PREFIX, var->index);
}

static inline size_t variable_room(const IrVar *var)
{
    return VARIABLE_ROOM + var->letters;
}

static inline void put_var(Text *out, const IrVar *var)
{
    text_end(out, put_variable(text_room(out, variable_room(var)), var, "var_"));
}

static inline void put_adj(Text *out, const IrVar *var)
{
    text_end(out, put_variable(text_room(out, variable_room(var)), var, "adj_"));
}

/* A member of something of type `of`. */
void put_field(Text *out, const Type *of, Name field);
bool is_array_pointer(const Type *of, Name field); /* the address of an array's memory: read as an integer */

void put_type(Text *out, const Type *type);       /* "wp::vec_t<3, wp::float32>", "T*" for a reference */
void put_value_type(Text *out, const Type *type); /* without the star */
void put_literal(Text *out, const Value *value);

/* A type that was spelled in a text, and is there to be copied. */
typedef struct SpelledPlace {
    size_t at, len;
} SpelledPlace;
static inline SpelledPlace put_type_here(Text *out, const Type *type)
{
    size_t at = out->len;
    put_type(out, type);
    return (SpelledPlace){at, out->len - at};
}

static inline void put_spelled(Text *out, SpelledPlace spelled)
{
    char *to = text_room(out, spelled.len);
    text_end(out, put_bytes(to, out->data + spelled.at, spelled.len));
}

/* The type of parameter i, first for all parameters and then again for their adjoints. */
enum { SPELLED_PARAMS = 16 }; /* of more, types are spelled anew */
static inline void put_param_type_of(Text *out, const Type *type, uint32_t i, bool again,
                                     SpelledPlace spelled[SPELLED_PARAMS])
{
    if (i >= SPELLED_PARAMS)
        put_type(out, type);
    else if (again)
        put_spelled(out, spelled[i]);
    else
        spelled[i] = put_type_here(out, type);
}

/* ---- tiles (tile.c) ---- */
static inline bool is_tile_or_stack(const Type *type)
{
    return type->kind == TYPE_TILE || type->kind == TYPE_TILE_STACK;
}
void put_tile_type(Text *out, const Type *type);
void put_tile_initializer(Text *out, const Type *type, bool with_gradient); /* " = …" in a declaration */
void put_tile_adjoint(Text *out, const IrVar *var);                         /* the declaration of an adjoint */

/* Several texts, one after the other: PUT(out, "struct ", name, "\n{\n"); */
void put_texts(Text *out, const char *const *texts, size_t count);
#define PUT(out, ...)                                                                                                  \
    do {                                                                                                               \
        const char *const texts[] = {__VA_ARGS__};                                                                     \
        put_texts(out, texts, sizeof texts / sizeof *texts);                                                           \
    } while (0)

static inline void put_margin(Text *out, size_t blanks)
{
    enum { USUAL = 32 };
    if (blanks > USUAL) {
        text_pad(out, ' ', blanks);
        return;
    }
    if (out->cap - out->len < USUAL)
        text_reserve(out, USUAL);
    memset(out->data + out->len, ' ', USUAL); /* two instructions, since the size is known */
    out->len += blanks;
}

#endif
