/* The small pieces that most of the emitted text consists of: room is made once for each, and little is called. */
#ifndef WEFT_EMIT_PIECE_H
#define WEFT_EMIT_PIECE_H

#include "emit/emit.h"

/* `prefix` has four letters. There must be VARIABLE_ROOM and, for those that have one, room for the label. */
enum { PREFIX = 4, VARIABLE_ROOM = PREFIX + UINT_ROOM };
static inline char *put_variable(char *to, const IrVar *var, const char *prefix)
{
    if (!var->bare)
        to = put_bytes(to, prefix, PREFIX);
    if (var->label)
        return put_bytes(to, var->label, var->label_len);
    memcpy(to, var->digits, sizeof var->digits);
    return to + var->digit_count;
}

static inline void put_var(Text *out, const IrVar *var)
{
    text_end(out, put_variable(text_room(out, VARIABLE_ROOM + var->label_len), var, "var_"));
}

static inline void put_adj(Text *out, const IrVar *var)
{
    text_end(out, put_variable(text_room(out, VARIABLE_ROOM + var->label_len), var, "adj_"));
}

static inline void put_type(Text *out, const Type *type)
{
    if (type->ctype && type->kind != TYPE_REF)
        text_add(out, type->ctype, type->ctype_len);
    else
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
