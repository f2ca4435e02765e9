/* The small pieces that most of the emitted text consists of: room is made once for each, and little is called. */
#ifndef WEFT_EMIT_PIECE_H
#define WEFT_EMIT_PIECE_H

#include "emit/emit.h"

/* `prefix` has four letters. */
static inline void put_variable(Text *out, const IrVar *var, const char *prefix)
{
    enum { PREFIX = 4, DIGITS = 3 };
    if (out->cap - out->len < PREFIX + DIGITS)
        text_reserve(out, PREFIX + DIGITS);
    if (!var->bare) {
        memcpy(out->data + out->len, prefix, PREFIX);
        out->len += PREFIX;
    }
    if (var->label)
        text_str(out, var->label);
    else
        text_uint(out, var->index);
}

static inline void put_var(Text *out, const IrVar *var)
{
    put_variable(out, var, "var_");
}

static inline void put_adj(Text *out, const IrVar *var)
{
    put_variable(out, var, "adj_");
}

static inline void put_type(Text *out, const Type *type)
{
    type_ctype(type, out);
}

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
