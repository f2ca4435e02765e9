/* Code of constructors and conversions. */
#include "eval/ast/code.h"

#include <string.h>

static const Operand none = {.kind = OPERAND_NONE};

Operand code_convert(Coder *c, const Expr *x, Operand value, const Type *type, uint32_t offset)
{
    if (value.kind != OPERAND_VALUE || !type_is_single(value.type) || !type_is_single(type))
        return none;
    Operand out = code_result(c, value.type == type ? op_copy : op_convert, x, type);
    Op *op = code_last(c);
    op->in[0] = value.cells;
    op->in_type[0] = value.type;
    op->offset = offset;
    return out;
}

static Operand code_fill(Coder *c, const Expr *x, const Type *type, Dual *cell)
{
    Operand out = code_result(c, op_fill, x, type);
    code_last(c)->in[0] = cell;
    return out;
}

/* As construct_composite(). */
static Operand code_composite(Coder *c, const Expr *x, const Type *type, const Operand *args, uint32_t count)
{
    Dual *cells[MAX_CODE_WIDTH];
    const Type *dtype = type->composite.dtype;
    uint32_t width = code_width(type), next = 0;
    if (!width || (type->kind == TYPE_TRANSFORM && count == 1))
        return none;
    if (count == 0)
        return code_fill(c, x, type, ARENA_NEW(c->e->arena, Dual));
    if (count == 1 && args[0].kind == OPERAND_VALUE && type_is_single(args[0].type)) {
        Operand cell = type->kind == TYPE_QUAT ? none : code_convert(c, x, args[0], dtype, x->offset);
        return cell.kind == OPERAND_NONE ? none : code_fill(c, x, type, cell.cells);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t given = args[i].kind == OPERAND_VALUE ? code_width(args[i].type) : 0;
        if (!given || given > width - next)
            return none;
        for (uint32_t k = 0; k < given; k++) {
            Operand cell = {.kind = OPERAND_VALUE, .type = type_scalar_of(args[i].type), .cells = args[i].cells + k};
            if (cell.type != dtype)
                cell = code_convert(c, x, cell, dtype, x->offset);
            cells[next++] = cell.cells;
        }
    }
    if (next != width)
        return none;
    Operand out = code_result(c, op_gather, x, type);
    code_last(c)->more = memcpy(ARENA_ARRAY(c->e->arena, Dual *, width), cells, width * sizeof *cells);
    return out;
}

Operand code_construct(Coder *c, const Expr *x, const Type *type, const Operand *args, uint32_t count)
{
    const Layout *layout;
    type = type_canonical(type);
    if (x->call->keywords)
        return none;
    if (type_is_composite(type))
        return code_composite(c, x, type, args, count);
    if (count == 0 && (type_is_single(type) || (code_struct(c->e, type, &layout) && !layout->arrays && layout->cells)))
        return code_fill(c, x, type, ARENA_NEW(c->e->arena, Dual));
    return count == 1 ? code_convert(c, x, args[0], type, x->offset) : none;
}

static bool constant_size(const Expr *x, uint32_t *size)
{
    const Datum *value = x->eval == eval_constant ? &x->constant.rounded : NULL;
    if (!value || value->kind != DATUM_VALUE || value->type->kind != TYPE_INT32 || value->cells->integer < 1 ||
        value->cells->integer > MAX_CODE_WIDTH)
        return false;
    *size = (uint32_t)value->cells->integer;
    return true;
}

/* wp.matrix(…, shape=(2, 2), dtype=float), wp.vector(…, length=5, dtype=float) */
Operand code_sized(Coder *c, const Expr *x, bool is_matrix)
{
    const Name *keywords = x->call->keywords;
    Operand args[MAX_CODE_ARGS];
    const Type *dtype = NULL;
    uint32_t rows = 0, cols = 0, count = x->count;
    for (uint32_t i = 0; keywords && i < x->count; i++) {
        const Expr *kid = x->kids[i];
        if (!keywords[i])
            continue;
        count = count < i ? count : i;
        bool is_tuple = kid->eval == eval_tuple && kid->count == 2;
        bool is_type = kid->eval == eval_constant && kid->constant.rounded.kind == DATUM_STATIC &&
                       kid->constant.rounded.value->kind == VALUE_TYPE;
        if (name_is(keywords[i], "dtype") && is_type)
            dtype = type_canonical(kid->constant.rounded.value->type);
        else if (!(is_matrix && name_is(keywords[i], "shape") && is_tuple && constant_size(kid->kids[0], &rows) &&
                   constant_size(kid->kids[1], &cols)) &&
                 !(!is_matrix && name_is(keywords[i], "length") && constant_size(kid, &rows)))
            return none;
    }
    if (!code_kids(c, x->kids, count, args))
        return none;
    for (uint32_t i = 0; !dtype && i < count; i++)
        dtype = args[i].kind == OPERAND_VALUE ? type_scalar_of(args[i].type) : NULL;
    if (!is_matrix && !rows && count > 1)
        rows = count;
    if (!rows || (is_matrix && !cols) || !dtype || !type_is_single(dtype))
        return none;
    TypeTable *types = c->e->unit->types;
    return code_composite(c, x, is_matrix ? type_mat(types, rows, cols, dtype) : type_vec(types, rows, dtype), args,
                          count);
}

/* wp.float64(0.1): the number as it is written. */
static Operand code_wide_literal(Coder *c, const Expr *x, const Type *type)
{
    Datum datum;
    ScratchMark mark = scratch_mark(c->e);
    Operand out = none;
    if (wide_literal(c->e, x, type, &datum)) {
        out = (Operand){.kind = OPERAND_VALUE, .type = datum.type, .cells = ARENA_NEW(c->e->arena, Dual)};
        *out.cells = *datum.cells;
    }
    scratch_release(c->e, mark);
    return out;
}

Operand code_type_call(Coder *c, const Expr *x, const Type *type)
{
    Operand args[MAX_CODE_ARGS], literal = code_wide_literal(c, x, type);
    if (literal.kind != OPERAND_NONE)
        return literal;
    return code_arguments(c, x, args, MAX_CODE_ARGS) ? code_construct(c, x, type, args, x->count) : none;
}
