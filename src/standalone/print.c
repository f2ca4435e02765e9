/* Terms as CUDA text. */
#include "standalone/model.h"

#include "base/format.h"

#include <stdarg.h>
#include <string.h>

const char *fit(Translator *t, Piece piece, Tight at_least)
{
    return piece.tight < at_least ? arena_format(t->arena, "(%s)", piece.text) : piece.text;
}

const char *term_text(Translator *t, const Term *term, Tight at_least)
{
    return fit(t, print_term(t, term), at_least);
}

void line(Translator *t, const char *format, ...)
{
    enum { USUAL = 256 };
    va_list args;
    text_pad(t->out, ' ', 4 * (size_t)t->indent);
    text_reserve(t->out, USUAL);
    va_start(args, format);
    size_t room = t->out->cap - t->out->len, length = format_text(t->out->data + t->out->len, room, format, args);
    va_end(args);
    if (length >= room) {
        text_reserve(t->out, length + 1);
        va_start(args, format);
        format_text(t->out->data + t->out->len, length + 1, format, args);
        va_end(args);
    }
    t->out->len += length;
    text_char(t->out, '\n');
}

const char *zero_text(Translator *t, const Type *type)
{
    if (type_is_composite(type) || type->kind == TYPE_STRUCT)
        return arena_join(t->arena, c_type(t, type), "{}");
    if (type->kind == TYPE_BOOL)
        return "false";
    return type_is_float(type) ? number_text(t, 0, type->kind) : "0";
}

/* ---- arrays ---- */

static const char *sum_of_indices(Translator *t, const Term *root, Term *const *indices, uint32_t count,
                                  uint32_t from_dim)
{
    Piece sum = print_term(t, indices[0]);
    for (uint32_t i = 1; i < count; i++) {
        const char *left =
            arena_format(t->arena, "%s * %s", fit(t, sum, TIGHT_PRODUCT), array_size(t, root, from_dim + i));
        sum = (Piece){arena_format(t->arena, "%s + %s", left, term_text(t, indices[i], TIGHT_PRODUCT)), TIGHT_SUM};
    }
    return fit(t, sum, TIGHT_COMMA);
}

const char *array_pointer(Translator *t, const Term *array, bool adjoint)
{
    if (array->kind == TERM_VAR) {
        array->var->adjoint_used |= adjoint;
        return adjoint ? arena_join(t->arena, "adj_", array->var->text) : array->var->text;
    }
    if (array->kind == TERM_FIELD)
        return place_text(t, array, adjoint);
    uint32_t given = array->count - 1, ndim = given + array->type->array.ndim;
    Piece offset = {sum_of_indices(t, array->args[0], array->args + 1, given, 0),
                    given > 1 ? TIGHT_SUM : print_term(t, array->args[1]).tight};
    for (uint32_t i = given; i < ndim; i++)
        offset =
            (Piece){arena_format(t->arena, "%s * %s", fit(t, offset, TIGHT_PRODUCT), array_size(t, array->args[0], i)),
                    TIGHT_PRODUCT};
    return arena_format(t->arena, "%s + %s", array_pointer(t, array->args[0], adjoint), offset.text);
}

const char *array_size(Translator *t, const Term *array, uint32_t dim)
{
    if (array->kind == TERM_VAR) {
        array->var->dim_used[dim] = true;
        if (array->type->array.ndim == 1)
            return arena_join(t->arena, array->var->text, "_size");
        return arena_format(t->arena, "%s_dim%u", array->var->text, dim);
    }
    if (array->kind == TERM_FIELD)
        return arena_format(t->arena, "%s_dim[%u]", place_text(t, array, false), dim);
    return array_size(t, array->args[0], dim + array->count - 1);
}

/* ---- places ---- */

static const char *component_place(Translator *t, const Term *term, bool adjoint)
{
    const Term *base = term->args[0];
    const char *inside = place_text(t, base, adjoint);
    if (term->keeps_part)
        return arena_join(t->arena, inside, component_text(t, base->type, term->part));
    if (base->type->kind == TYPE_MAT)
        return arena_format(t->arena, "%s.m[%s][%s]", inside, term_text(t, term->args[1], TIGHT_COMMA),
                            term_text(t, term->args[2], TIGHT_COMMA));
    if (base->type->kind == TYPE_VEC && base->type->composite.rows > 4)
        return arena_format(t->arena, "%s.c[%s]", inside, term_text(t, term->args[1], TIGHT_COMMA));
    use_helper(t, "component_ref", base->type, NULL);
    return arena_format(t->arena, "component_ref(%s, %s)", inside, term_text(t, term->args[1], TIGHT_COMMA));
}

const char *place_text(Translator *t, const Term *place, bool adjoint)
{
    switch (place->kind) {
    case TERM_VAR: return adjoint ? arena_join(t->arena, "adj_", place->var->text) : place->var->text;
    case TERM_ELEMENT:
        return arena_format(t->arena, "%s[%s]", array_pointer(t, place->args[0], adjoint),
                            sum_of_indices(t, place->args[0], place->args + 1, place->count - 1, 0));
    case TERM_FIELD: return arena_format(t->arena, "%s.%s", place_text(t, place->args[0], adjoint), place->text);
    case TERM_COMPONENT: return component_place(t, place, adjoint);
    default: return term_text(t, place, TIGHT_PRIMARY);
    }
}

/* ---- values ---- */

static Piece print_component(Translator *t, const Term *term)
{
    const Term *base = term->args[0];
    bool is_place = base->kind == TERM_VAR || base->kind == TERM_ELEMENT || base->kind == TERM_FIELD ||
                    base->kind == TERM_COMPONENT;
    bool letters = base->type->kind != TYPE_MAT && base->type->composite.rows <= 4;
    if (!term->keeps_part && (letters || base->type->kind == TYPE_TRANSFORM)) {
        use_helper(t, "component", base->type, NULL);
        return (Piece){arena_format(t->arena, "component(%s, %s)", term_text(t, base, TIGHT_COMMA),
                                    term_text(t, term->args[1], TIGHT_COMMA)),
                       TIGHT_PRIMARY};
    }
    if (is_place)
        return (Piece){place_text(t, term, false), TIGHT_PRIMARY};
    const char *inside = term_text(t, base, TIGHT_PRIMARY);
    if (term->keeps_part)
        return (Piece){arena_join(t->arena, inside, component_text(t, base->type, term->part)), TIGHT_PRIMARY};
    if (base->type->kind == TYPE_MAT)
        return (Piece){arena_format(t->arena, "%s.m[%s][%s]", inside, term_text(t, term->args[1], TIGHT_COMMA),
                                    term_text(t, term->args[2], TIGHT_COMMA)),
                       TIGHT_PRIMARY};
    return (Piece){arena_format(t->arena, "%s.c[%s]", inside, term_text(t, term->args[1], TIGHT_COMMA)), TIGHT_PRIMARY};
}

static Piece print_construct(Translator *t, const Term *term)
{
    const Type *type = term->type;
    const char *name = c_type(t, type);
    if (!term->count)
        return (Piece){zero_text(t, type), TIGHT_PRIMARY};
    bool make = type->kind == TYPE_VEC && strncmp(name, "vec", 3) != 0;
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, make ? "make_%s(" : "%s{", name);
    for (uint32_t i = 0; i < term->count; i++) {
        const Type *wanted = type->kind == TYPE_STRUCT ? strip(type->decl->fields[i].type) : type->composite.dtype;
        bool narrow = type_is_int(wanted) && wanted->kind != TYPE_INT32 && term->args[i]->kind != TERM_LITERAL;
        if (i)
            text_lit(&text, ", ");
        if (narrow)
            text_format(&text, "(%s)%s", c_type(t, wanted), term_text(t, term->args[i], TIGHT_UNARY));
        else
            text_str(&text, term_text(t, term->args[i], TIGHT_CHOICE));
    }
    text_char(&text, make ? ')' : '}');
    return (Piece){text_cstr(&text), TIGHT_PRIMARY};
}

/* The arguments of a call, arrays with the sizes that the function wants; `adjoint`: the gradients of arrays, too. */
void print_call_args(Translator *t, const Term *call, Text *out, bool adjoint)
{
    for (uint32_t i = 0; i < call->count; i++) {
        const Term *arg = call->args[i];
        const Var *param = call->routine->params ? call->routine->params[i] : NULL;
        if (out->len && out->data[out->len - 1] != '(')
            text_lit(out, ", ");
        if (arg->type->kind != TYPE_ARRAY) {
            text_str(out, term_text(t, arg, TIGHT_CHOICE));
            if (adjoint && arg->type->kind == TYPE_STRUCT && param && param->adjoint_used)
                text_format(out, ", %s", place_text(t, arg, true));
            continue;
        }
        text_str(out, array_pointer(t, arg, false));
        for (uint32_t dim = 0; param && dim < arg->type->array.ndim; dim++)
            if (param->dim_used[dim])
                text_format(out, ", %s", array_size(t, arg, dim));
        if (adjoint && param && param->adjoint_used)
            text_format(out, ", %s", array_pointer(t, arg, true));
    }
}

static Piece print_call(Translator *t, const Term *term)
{
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, "%s(", term->routine->name);
    print_call_args(t, term, &text, false);
    text_char(&text, ')');
    return (Piece){text_cstr(&text), TIGHT_PRIMARY};
}

static Piece print_op(Translator *t, const Term *term)
{
    Piece args[4];
    if (!term->op->text)
        return print_construct(t, term);
    for (uint32_t i = 0; i < term->count; i++)
        args[i] = term->args[i]->type->kind == TYPE_ARRAY ? (Piece){array_pointer(t, term->args[i], false), TIGHT_SUM}
                                                          : print_term(t, term->args[i]);
    use_helpers(t, term->op->uses, term);
    Piece piece = expand(t, term->op->text, term, args, NULL);
    if (term->type->kind == TYPE_FLOAT16 && strcmp(term->op->name, "convert") != 0) /* rounded after each operation */
        piece = (Piece){arena_format(t->arena, "float16(%s)", piece.text), TIGHT_PRIMARY};
    return piece;
}

static Piece print_new_term(Translator *t, const Term *term)
{
    switch (term->kind) {
    case TERM_LITERAL:
        if (t->thread && strcmp(term->text, "thread") == 0)
            return (Piece){t->thread, TIGHT_PRIMARY};
        return (Piece){term->text, term->tight};
    case TERM_VAR: return (Piece){term->var->text, TIGHT_PRIMARY};
    case TERM_FIELD: {
        const Term *base = term->args[0];
        if (base->kind == TERM_OP || base->kind == TERM_CALL || base->kind == TERM_CHOICE)
            return (Piece){arena_format(t->arena, "%s.%s", term_text(t, base, TIGHT_PRIMARY), term->text),
                           TIGHT_PRIMARY};
        return (Piece){place_text(t, term, false), TIGHT_PRIMARY};
    }
    case TERM_ELEMENT: return (Piece){place_text(t, term, false), TIGHT_PRIMARY};
    case TERM_COMPONENT: return print_component(t, term);
    case TERM_SHAPE: return (Piece){array_size(t, term->args[0], term->part), TIGHT_PRIMARY};
    case TERM_VIEW: return (Piece){array_pointer(t, term, false), TIGHT_SUM};
    case TERM_OP: return print_op(t, term);
    case TERM_CALL: return print_call(t, term);
    case TERM_CHOICE:
        return (Piece){arena_format(t->arena, "%s ? %s : %s", term_text(t, term->args[0], TIGHT_OR),
                                    term_text(t, term->args[1], TIGHT_OR), term_text(t, term->args[2], TIGHT_OR)),
                       TIGHT_CHOICE};
    }
    return (Piece){"", TIGHT_PRIMARY};
}

/* The text is kept: forward and backward bodies write most terms several times. */
Piece print_term(Translator *t, const Term *term)
{
    if (!term->printed.text)
        ((Term *)term)->printed = print_new_term(t, term);
    return term->printed;
}
