/* Terms as CUDA text. */
#include "standalone/model.h"

#include <string.h>

Piece zero_text(Translator *t, const Type *type)
{
    if (type_is_composite(type) || type->kind == TYPE_STRUCT)
        return JOIN(t, "@{}", c_type(t, type));
    return piece_of(type_is_float(type) ? number_text(t, 0, type->kind) : type->kind == TYPE_BOOL ? "false" : "0");
}

Piece adjoint_name(Translator *t, Var *var)
{
    if (!var->adjoint.text) {
        Piece name = {.text = arena_join(t->arena, "adj_", var->text), .tight = TIGHT_NAME, .is_plain = true};
        if (var->type->kind != TYPE_ARRAY)
            name.uses = one_bit(t, t->locals++);
        var->adjoint = name;
    }
    return var->adjoint;
}

/* ---- arrays ---- */

static Piece sum_of_indices(Translator *t, Term *root, Term *const *indices, uint32_t count)
{
    Piece sum = print_term(t, indices[0]);
    for (uint32_t i = 1; i < count; i++)
        sum = JOIN(t, "@ * @ + @", sum, array_size(t, root, i), print_term(t, indices[i]));
    return sum;
}

static Piece array_pointer(Translator *t, Term *array, bool adjoint)
{
    if (array->kind == TERM_VAR)
        array->var->adjoint_used |= adjoint;
    if (array->kind == TERM_VAR || array->kind == TERM_FIELD)
        return place_text(t, array, adjoint);
    uint32_t given = array->count - 1, ndim = given + array->type->array.ndim;
    Piece offset = sum_of_indices(t, array->args[0], array->args + 1, given);
    for (uint32_t i = given; i < ndim; i++)
        offset = JOIN(t, "@ * @", offset, array_size(t, array->args[0], i));
    return JOIN(t, "@ + @", array_pointer(t, array->args[0], adjoint), offset);
}

Piece array_size(Translator *t, Term *array, uint32_t dim)
{
    if (array->kind == TERM_VAR) {
        array->var->dim_used[dim] = true;
        return array->type->array.ndim == 1 ? JOIN(t, "@_size", array->var->label)
                                            : JOIN(t, "@_dim@", array->var->label, piece_int(t, dim));
    }
    if (array->kind == TERM_FIELD)
        return JOIN(t, "@_dim[@]", place_text(t, array, false), piece_int(t, dim));
    return array_size(t, array->args[0], dim + array->count - 1);
}

/* ---- places ---- */

/* A part, by its number or by what is known only at run time; component() finds it among parts that have letters for names. */
static Piece print_component(Translator *t, Term *term, bool adjoint)
{
    const Type *type = term->args[0]->type;
    Piece inside = place_text(t, term->args[0], adjoint);
    if (term->keeps_part)
        return part_of(t, inside, component_text(t, type, term->part));
    Piece index = print_term(t, term->args[1]);
    if (type->kind == TYPE_MAT)
        return JOIN(t, "@.m[@][@]", inside, index, print_term(t, term->args[2]));
    if (type->kind == TYPE_VEC && type->composite.rows > 4)
        return JOIN(t, "@.c[@]", inside, index);
    return JOIN(t, "component(@, @)", inside, index);
}

static Piece element_text(Translator *t, Term *element, bool adjoint)
{
    Piece pointer = array_pointer(t, element->args[0], adjoint);
    Piece index = sum_of_indices(t, element->args[0], element->args + 1, element->count - 1);
    Piece whole = JOIN(t, "@[@]", pointer, index);
    whole.is_plain = pointer.is_plain && index.is_plain;
    return whole;
}

static Piece cell_text(Translator *t, Term *cell, bool adjoint)
{
    Piece index = print_term(t, cell->args[1]), whole = JOIN(t, "@[@]", place_text(t, cell->args[0], adjoint), index);
    whole.is_plain = index.is_plain;
    return whole;
}

Piece place_text(Translator *t, Term *place, bool adjoint)
{
    switch (place->kind) {
    case TERM_CELL: return adjoint ? cell_text(t, place, true) : print_term(t, place);
    case TERM_VAR: return adjoint ? adjoint_name(t, place->var) : place->var->label;
    case TERM_ELEMENT: return adjoint ? element_text(t, place, true) : print_term(t, place);
    case TERM_FIELD: return field_of(t, place_text(t, place->args[0], adjoint), place->text);
    case TERM_COMPONENT: return print_component(t, place, adjoint);
    default: return print_term(t, place);
    }
}

/* ---- values ---- */

static Piece print_construct(Translator *t, Term *term)
{
    const Type *type = term->type;
    Piece name = c_type(t, type), items = LIT("");
    if (!term->count)
        return zero_text(t, type);
    for (uint32_t i = 0; i < term->count; i++) {
        const Type *wanted = type->kind == TYPE_STRUCT ? strip(type->decl->fields[i].type) : type->composite.dtype;
        bool narrow = type_is_int(wanted) && wanted->kind != TYPE_INT32 && term->args[i]->kind != TERM_LITERAL;
        Piece item = print_term(t, term->args[i]);
        items = add_item(t, items, narrow ? JOIN(t, "(@)@", c_type(t, wanted), item) : item);
    }
    bool make = type->kind == TYPE_VEC && strncmp(name.text, "vec", 3) != 0;
    return JOIN(t, make ? "make_@(@)" : "@{@}", name, items);
}

/* The arguments of a call, arrays with the sizes that the function wants; `adjoint`: the gradients of arrays, too. */
Piece print_call_args(Translator *t, Term *call, bool adjoint)
{
    Piece items = LIT("");
    for (uint32_t i = 0; i < call->count; i++) {
        Term *arg = call->args[i];
        Var *param = call->routine->params ? call->routine->params[i] : NULL;
        bool is_array = arg->type->kind == TYPE_ARRAY;
        items = add_item(t, items, is_array ? array_pointer(t, arg, false) : print_term(t, arg));
        for (uint32_t dim = 0; is_array && param && dim < arg->type->array.ndim; dim++)
            if (param->dim_used[dim])
                items = add_item(t, items, array_size(t, arg, dim));
        if (adjoint && param && param->adjoint_used && (is_array || arg->type->kind == TYPE_STRUCT))
            items = add_item(t, items, is_array ? array_pointer(t, arg, true) : place_text(t, arg, true));
    }
    return items;
}

static Piece print_call(Translator *t, Term *term)
{
    Piece call = JOIN(t, "@(@)", piece_of(term->routine->name), print_call_args(t, term, false));
    call.has_effect |= term->routine->writes_arrays;
    return call;
}

static Piece print_op(Translator *t, Term *term)
{
    Piece args[4];
    TypeKind kind = term->type->kind;
    if (term->op == &construct_op)
        return print_construct(t, term);
    for (uint32_t i = 0; i < term->count; i++) {
        bool is_array = term->args[i]->type->kind == TYPE_ARRAY;
        args[i] = is_array ? array_pointer(t, term->args[i], false) : print_term(t, term->args[i]);
        if (is_array)
            args[i].tight = TIGHT_SUM;
    }
    use_section(t, term->op->name);
    Piece piece = expand(t, term->op->text, term, args, NULL);
    if (strcmp(term->op->name, "convert") == 0)
        return piece;
    if (kind == TYPE_FLOAT16) /* rounded after each operation */
        return JOIN(t, "float16(@)", piece);
    if (kind == TYPE_INT8 || kind == TYPE_UINT8 || kind == TYPE_INT16 || kind == TYPE_UINT16) /* C computes with int */
        return JOIN(t, "(@)@", c_type(t, term->type), piece);
    return piece;
}

static Piece print_new_term(Translator *t, Term *term)
{
    switch (term->kind) {
    case TERM_LITERAL: /* the others have their text from the start */
        if (!term->constant)
            return t->thread;
        term->constant->is_used = true;
        return piece_of(term->text);
    case TERM_VAR: return term->var->label;
    case TERM_FIELD: return place_text(t, term, false);
    case TERM_ELEMENT: return element_text(t, term, false);
    case TERM_CELL: return cell_text(t, term, false);
    case TERM_COMPONENT: return print_component(t, term, false);
    case TERM_SHAPE: return array_size(t, term->args[0], term->part);
    case TERM_VIEW: return array_pointer(t, term, false);
    case TERM_TUPLE: break;
    case TERM_OP: return print_op(t, term);
    case TERM_CALL: return print_call(t, term);
    case TERM_CHOICE:
        return JOIN(t, "@ ? @ : @", print_term(t, term->args[0]), print_term(t, term->args[1]),
                    print_term(t, term->args[2]));
    }
    return LIT("");
}

/* The text is kept: forward and backward bodies write most terms several times. */
Piece print_term(Translator *t, Term *term)
{
    if (!term->printed.text)
        term->printed = print_new_term(t, term);
    return term->printed;
}
