/* Terms as CUDA text. */
#include "standalone/model.h"

#include <string.h>

Piece term_text(Translator *t, const Term *term, Tight at_least)
{
    return fit(t, print_term(t, term), at_least);
}

Piece zero_text(Translator *t, const Type *type)
{
    if (type_is_composite(type) || type->kind == TYPE_STRUCT)
        return GLUE(t, TIGHT_PRIMARY, c_type(t, type), LIT("{}"));
    switch (type->kind) {
    case TYPE_BOOL: return LIT("false");
    case TYPE_FLOAT16: return LIT("float16(0.0f)");
    case TYPE_FLOAT32: return LIT("0.0f");
    case TYPE_FLOAT64: return LIT("0.0");
    default: return LIT("0");
    }
}

Piece start_text(Translator *t, const Type *type)
{
    return type_is_composite(type) || type->kind == TYPE_STRUCT ? LIT("{}") : zero_text(t, type);
}

Piece adjoint_name(Translator *t, const Var *var)
{
    if (!var->adjoint.text) {
        char *text = arena_take(t->arena, var->label.length + sizeof "adj_");
        char *end = put_bytes(put_lit(text, "adj_"), var->label.text, var->label.length);
        *end = '\0';
        Piece name = PIECE(text, end - text, TIGHT_NAME);
        name.is_plain = true;
        if (var->type->kind != TYPE_ARRAY)
            name.uses = name_set(t, t->locals++);
        ((Var *)var)->adjoint = name;
    }
    return var->adjoint;
}

/* ---- arrays ---- */

static Piece sum_of_indices(Translator *t, const Term *root, Term *const *indices, uint32_t count)
{
    Piece sum = print_term(t, indices[0]);
    for (uint32_t i = 1; i < count; i++)
        sum = GLUE(t, TIGHT_SUM, fit(t, sum, TIGHT_PRODUCT), LIT(" * "), array_size(t, root, i), LIT(" + "),
                   term_text(t, indices[i], TIGHT_PRODUCT));
    return sum;
}

Piece array_pointer(Translator *t, const Term *array, bool adjoint)
{
    if (array->kind == TERM_VAR) {
        array->var->adjoint_used |= adjoint;
        return adjoint ? adjoint_name(t, array->var) : array->var->label;
    }
    if (array->kind == TERM_FIELD)
        return place_text(t, array, adjoint);
    uint32_t given = array->count - 1, ndim = given + array->type->array.ndim;
    Piece offset = sum_of_indices(t, array->args[0], array->args + 1, given);
    for (uint32_t i = given; i < ndim; i++)
        offset = GLUE(t, TIGHT_PRODUCT, fit(t, offset, TIGHT_PRODUCT), LIT(" * "), array_size(t, array->args[0], i));
    return GLUE(t, TIGHT_SUM, array_pointer(t, array->args[0], adjoint), LIT(" + "), offset);
}

Piece array_size(Translator *t, const Term *array, uint32_t dim)
{
    if (array->kind == TERM_VAR) {
        static const char *const ends[] = {"_dim0", "_dim1", "_dim2", "_dim3"};
        bool is_only = array->type->array.ndim == 1;
        array->var->dim_used[dim] = true;
        return GLUE(t, TIGHT_PRIMARY, array->var->label, is_only ? LIT("_size") : PIECE(ends[dim], 5, TIGHT_PRIMARY));
    }
    if (array->kind == TERM_FIELD)
        return GLUE(t, TIGHT_PRIMARY, place_text(t, array, false), LIT("_dim["), piece_int(t, dim), LIT("]"));
    return array_size(t, array->args[0], dim + array->count - 1);
}

/* ---- places ---- */

/* A part of something whose text is there; what has letters for parts has them in place of numbers. */
static Piece numbered_part(Translator *t, const Term *term, Piece inside)
{
    if (term->keeps_part)
        return part_of(t, inside, component_text(t, term->args[0]->type, term->part));
    Piece index = term_text(t, term->args[1], TIGHT_COMMA);
    if (term->args[0]->type->kind == TYPE_MAT)
        return GLUE(t, TIGHT_PRIMARY, inside, LIT(".m["), index, LIT("]["), term_text(t, term->args[2], TIGHT_COMMA),
                    LIT("]"));
    return GLUE(t, TIGHT_PRIMARY, inside, LIT(".c["), index, LIT("]"));
}

static Piece component_place(Translator *t, const Term *term, bool adjoint)
{
    const Type *type = term->args[0]->type;
    Piece inside = place_text(t, term->args[0], adjoint);
    if (term->keeps_part || type->kind == TYPE_MAT || (type->kind == TYPE_VEC && type->composite.rows > 4))
        return numbered_part(t, term, inside);
    use_helper(t, "component_ref", type, NULL);
    return GLUE(t, TIGHT_PRIMARY, LIT("component_ref("), inside, LIT(", "), term_text(t, term->args[1], TIGHT_COMMA),
                LIT(")"));
}

static Piece element_text(Translator *t, const Term *element, bool adjoint)
{
    Piece pointer = fit(t, array_pointer(t, element->args[0], adjoint), TIGHT_PRIMARY);
    Piece index = sum_of_indices(t, element->args[0], element->args + 1, element->count - 1);
    Piece whole = GLUE(t, TIGHT_PRIMARY, pointer, LIT("["), index, LIT("]"));
    whole.is_plain = pointer.is_plain && index.is_plain;
    return whole;
}

Piece place_text(Translator *t, const Term *place, bool adjoint)
{
    switch (place->kind) {
    case TERM_VAR: return adjoint ? adjoint_name(t, place->var) : place->var->label;
    case TERM_ELEMENT: return adjoint ? element_text(t, place, true) : print_term(t, place);
    case TERM_FIELD:
        return part_of(t, place_text(t, place->args[0], adjoint),
                       GLUE(t, TIGHT_PRIMARY, LIT("."), piece_of(place->text)));
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
        return GLUE(t, TIGHT_PRIMARY, LIT("component("), term_text(t, base, TIGHT_COMMA), LIT(", "),
                    term_text(t, term->args[1], TIGHT_COMMA), LIT(")"));
    }
    return is_place ? place_text(t, term, false) : numbered_part(t, term, term_text(t, base, TIGHT_PRIMARY));
}

/* Room for the pieces of a text whose number is not known. */
static Piece *piece_room(Translator *t, uint32_t count)
{
    return arena_take(t->arena, count * sizeof(Piece));
}

static Piece print_construct(Translator *t, const Term *term)
{
    const Type *type = term->type;
    Piece name = c_type(t, type);
    if (!term->count)
        return zero_text(t, type);
    bool make = type->kind == TYPE_VEC && strncmp(name.text, "vec", 3) != 0;
    Piece *parts = piece_room(t, 3 + 5 * term->count);
    uint32_t count = 0;
    if (make)
        parts[count++] = LIT("make_");
    parts[count++] = name;
    for (uint32_t i = 0; i < term->count; i++) {
        const Type *wanted = type->kind == TYPE_STRUCT ? strip(type->decl->fields[i].type) : type->composite.dtype;
        bool narrow = type_is_int(wanted) && wanted->kind != TYPE_INT32 && term->args[i]->kind != TERM_LITERAL;
        parts[count++] = i ? LIT(", ") : make ? LIT("(") : LIT("{");
        if (narrow) {
            parts[count++] = LIT("(");
            parts[count++] = c_type(t, wanted);
            parts[count++] = LIT(")");
        }
        parts[count++] = term_text(t, term->args[i], narrow ? TIGHT_UNARY : TIGHT_CHOICE);
    }
    parts[count++] = make ? LIT(")") : LIT("}");
    return glue(t, TIGHT_PRIMARY, parts, count);
}

/* The arguments of a call, arrays with the sizes that the function wants; `adjoint`: the gradients of arrays, too. */
Piece print_call_args(Translator *t, const Term *call, bool adjoint)
{
    Piece *parts = piece_room(t, 1 + 14 * call->count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        const Term *arg = call->args[i];
        const Var *param = call->routine->params ? call->routine->params[i] : NULL;
        bool is_array = arg->type->kind == TYPE_ARRAY;
        if (i)
            parts[count++] = LIT(", ");
        parts[count++] = is_array ? array_pointer(t, arg, false) : term_text(t, arg, TIGHT_CHOICE);
        for (uint32_t dim = 0; is_array && param && dim < arg->type->array.ndim; dim++)
            if (param->dim_used[dim]) {
                parts[count++] = LIT(", ");
                parts[count++] = array_size(t, arg, dim);
            }
        if (adjoint && param && param->adjoint_used && (is_array || arg->type->kind == TYPE_STRUCT)) {
            parts[count++] = LIT(", ");
            parts[count++] = is_array ? array_pointer(t, arg, true) : place_text(t, arg, true);
        }
    }
    return glue(t, TIGHT_COMMA, parts, count);
}

static Piece print_call(Translator *t, const Term *term)
{
    Piece call =
        GLUE(t, TIGHT_PRIMARY, piece_of(term->routine->name), LIT("("), print_call_args(t, term, false), LIT(")"));
    call.has_effect |= term->routine->writes_arrays;
    return call;
}

static bool is_narrow(const Type *type)
{
    return type->kind == TYPE_INT8 || type->kind == TYPE_UINT8 || type->kind == TYPE_INT16 || type->kind == TYPE_UINT16;
}

static Piece print_op(Translator *t, const Term *term)
{
    Piece args[4];
    if (term->op->is_construct)
        return print_construct(t, term);
    for (uint32_t i = 0; i < term->count; i++) {
        bool is_array = term->args[i]->type->kind == TYPE_ARRAY;
        args[i] = is_array ? array_pointer(t, term->args[i], false) : print_term(t, term->args[i]);
        if (is_array)
            args[i].tight = TIGHT_SUM;
    }
    use_helpers(t, &term->op->uses, term);
    Piece piece = expand(t, term->op, &term->op->text, term, args, NULL);
    if (term->type->kind == TYPE_FLOAT16 && !term->op->is_convert) /* rounded after each operation */
        piece = GLUE(t, TIGHT_PRIMARY, LIT("float16("), piece, LIT(")"));
    if (is_narrow(term->type) && !term->op->is_convert) /* C computes with int */
        piece = GLUE(t, TIGHT_UNARY, LIT("("), c_type(t, term->type), LIT(")"), fit(t, piece, TIGHT_UNARY));
    return piece;
}

static Piece print_new_term(Translator *t, const Term *term)
{
    switch (term->kind) {
    case TERM_LITERAL: /* the others have their text from the start */
        if (!term->constant)
            return t->thread;
        term->constant->is_used = true;
        return piece_of(term->text);
    case TERM_VAR: return term->var->label;
    case TERM_FIELD: {
        const Term *base = term->args[0];
        if (base->kind == TERM_OP || base->kind == TERM_CALL || base->kind == TERM_CHOICE)
            return GLUE(t, TIGHT_PRIMARY, term_text(t, base, TIGHT_PRIMARY), LIT("."), piece_of(term->text));
        return place_text(t, term, false);
    }
    case TERM_ELEMENT: return element_text(t, term, false);
    case TERM_COMPONENT: return print_component(t, term);
    case TERM_SHAPE: return array_size(t, term->args[0], term->part);
    case TERM_VIEW: return array_pointer(t, term, false);
    case TERM_OP: return print_op(t, term);
    case TERM_CALL: return print_call(t, term);
    case TERM_CHOICE:
        return GLUE(t, TIGHT_CHOICE, term_text(t, term->args[0], TIGHT_OR), LIT(" ? "),
                    term_text(t, term->args[1], TIGHT_OR), LIT(" : "), term_text(t, term->args[2], TIGHT_OR));
    }
    return LIT("");
}

/* The text is kept: forward and backward bodies write most terms several times. */
Piece print_term(Translator *t, const Term *term)
{
    if (!term->printed.text)
        ((Term *)term)->printed = print_new_term(t, term);
    return term->printed;
}
