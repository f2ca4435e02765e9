/* Code of expressions: names, operators, parts of values, elements of arrays. */
#include "eval/ast/code.h"

#include <string.h>

static const Operand none = {.kind = OPERAND_NONE};

/* ---- names and constants ---- */

static bool same_cells(const Dual *a, const Dual *b, uint32_t width)
{
    return !memcmp(a, b, width * sizeof *a);
}

/* A constant has two values, one for each way of rounding: its cells get that of the run (set_constants). */
static Operand code_constant(Coder *c, const Expr *x)
{
    const Datum *rounded = &x->constant.rounded, *exact = &x->constant.exact;
    uint32_t width = rounded->kind == DATUM_VALUE ? code_width(rounded->type) : 0;
    if (!width)
        return none;
    Operand out = {.kind = OPERAND_VALUE, .type = rounded->type, .cells = rounded->cells};
    if (!same_cells(rounded->cells, exact->cells, width)) {
        CodeConstant *constant = ARENA_NEW(c->e->arena, CodeConstant);
        *constant = (CodeConstant){ARENA_ARRAY(c->e->arena, Dual, width), x, width, c->e->constants};
        c->e->constants = constant;
        set_constant(c->e, constant);
        out.cells = constant->cells;
    }
    return out;
}

static Operand code_name(Coder *c, const Expr *x)
{
    Slot *slot = &c->plan->slots[x->slot];
    if (c->is_dynamic[x->slot] || !c->is_typed[x->slot])
        return none;
    if (!c->is_set[x->slot])
        code_emit(c, op_check_set, x)->more = slot;
    TypeKind kind = slot->datum.type->kind;
    return (Operand){.kind = kind == TYPE_ARRAY    ? OPERAND_ARRAY
                             : kind == TYPE_STRUCT ? OPERAND_STRUCT
                                                   : OPERAND_VALUE,
                     .writable = true,
                     .type = slot->datum.type,
                     .cells = slot->cells,
                     .arrays = slot->arrays};
}

/* ---- operators ---- */

/* NULL: there is none of its own. */
static OpFn *number_operation(TypeKind kind, OpKind op)
{
    static const struct {
        OpKind op;
        OpFn *on_ints, *on_floats, *on_doubles;
    } rows[] = {
        {OP_ADD, op_add_int, op_add_float, op_add_double},
        {OP_SUB, op_sub_int, op_sub_float, op_sub_double},
        {OP_MULT, op_mul_int, op_mul_float, op_mul_double},
        {OP_DIV, NULL, op_div_float, op_div_double},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return kind == TYPE_INT32     ? rows[i].on_ints
                   : kind == TYPE_FLOAT32 ? rows[i].on_floats
                   : kind == TYPE_FLOAT64 ? rows[i].on_doubles
                                          : NULL;
    return NULL;
}

/* As plain_parts(). */
static OpFn *parts_operation(OpKind op, const Type *a, const Type *b)
{
    const Type *whole = type_is_composite(a) ? a : b, *scalar = whole->composite.dtype;
    if (scalar->kind != TYPE_FLOAT32 && scalar->kind != TYPE_FLOAT64)
        return op_binary;
    if (a == b)
        return op == OP_ADD ? op_add_parts : op == OP_SUB ? op_sub_parts : op_binary;
    if (op == OP_MULT && (a == scalar || b == scalar))
        return a == scalar ? op_scale_left : op_scale_right;
    return op == OP_DIV && b == scalar ? op_div_parts : op_binary;
}

/* A product with a matrix, of real numbers. */
static bool is_matrix_product(OpKind op, const Type *a, const Type *b)
{
    bool is_product = op == OP_MULT || op == OP_MAT_MULT, is_real = is_float_kind(type_scalar_of(a)->kind);
    return is_product && is_real && a->kind == TYPE_MAT && (b->kind == TYPE_MAT || b->kind == TYPE_VEC);
}

static OpFn *choose_operation(const Expr *x, OpKind op, const Type *a, const Type *b)
{
    if (is_matrix_product(op, a, b))
        return op_matrix_product;
    if (!type_is_single(a) || !type_is_single(b))
        return parts_operation(op, a, b);
    OpFn *own = number_operation(a->kind, op);
    return own ? own : x && number_operator(op) ? op_number : op_binary;
}

Operand code_binary(Coder *c, const Expr *x, OpKind op, const Operand *left, const Operand *right)
{
    if (left->kind != OPERAND_VALUE || right->kind != OPERAND_VALUE)
        return none;
    const Type *type = code_binary_type(c->e, op, left->type, right->type);
    if (!type || !code_width(type))
        return none;
    Operand out = code_result(c, choose_operation(x, op, left->type, right->type), x, type);
    Op *last = code_last(c);
    last->in[0] = left->cells;
    last->in[1] = right->cells;
    last->in_type[0] = left->type;
    last->in_type[1] = right->type;
    last->variant = (int)op;
    if (last->run == op_number)
        last->number = number_operator(op);
    if (last->run == op_matrix_product) {
        last->count = left->type->composite.rows;
        last->skip = left->type->composite.cols;
        last->variant = right->type->kind == TYPE_MAT;
        out.can_move = false; /* it reads its operands several times */
    }
    return out;
}

static Operand code_binary_expr(Coder *c, const Expr *x)
{
    if (x->binary.overload)
        return none;
    Operand left = code_expr(c, x->kids[0]);
    if (left.kind == OPERAND_NONE)
        return none;
    Operand right = code_expr(c, x->kids[1]);
    left = code_load(c, left, x->offset);
    right = code_load(c, right, x->offset);
    return code_binary(c, x, x->binary.op, &left, &right);
}

static Operand truth_result(Coder *c, OpFn *run, const Expr *x, const Operand *value)
{
    Operand out = code_result(c, run, x, type_scalar(TYPE_BOOL));
    code_last(c)->in[0] = value->cells;
    code_last(c)->in_type[0] = value->type;
    return out;
}

static bool is_number(const Operand *value)
{
    return value->kind == OPERAND_VALUE && type_is_single(value->type);
}

static Operand code_unary(Coder *c, const Expr *x)
{
    Operand value = code_loaded(c, x->kids[0]);
    if (value.kind != OPERAND_VALUE)
        return none;
    if (x->op == OP_NOT)
        return is_number(&value) ? truth_result(c, op_not, x, &value) : none;
    bool is_int = !is_float_kind(type_scalar_of(value.type)->kind);
    if (x->op != OP_U_SUB && x->op != OP_U_ADD && !(x->op == OP_INVERT && is_int))
        return none;
    Operand out = code_result(c,
                              x->op == OP_U_SUB    ? op_negate
                              : x->op == OP_INVERT ? op_invert
                                                   : op_copy_wide,
                              x, value.type);
    code_last(c)->in[0] = value.cells;
    return out;
}

static OpFn *comparison(OpKind op, const Type *a, const Type *b)
{
    static const struct {
        OpKind op;
        OpFn *on_ints, *on_reals;
    } rows[] = {
        {OP_EQ, op_equal_ints, op_equal_reals},     {OP_NOT_EQ, op_unequal_ints, op_unequal_reals},
        {OP_LT, op_less_ints, op_less_reals},       {OP_LT_E, op_at_most_ints, op_at_most_reals},
        {OP_GT, op_greater_ints, op_greater_reals}, {OP_GT_E, op_at_least_ints, op_at_least_reals},
    };
    bool are_real = a->kind == TYPE_FLOAT32 || a->kind == TYPE_FLOAT64;
    for (size_t i = 0; a == b && (are_real || a->kind == TYPE_INT32) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return are_real ? rows[i].on_reals : rows[i].on_ints;
    return op_compare_any;
}

static Operand code_compare(Coder *c, const Expr *x)
{
    if (x->count != 2)
        return none;
    Operand left = code_expr(c, x->kids[0]);
    if (left.kind == OPERAND_NONE)
        return none;
    Operand right = code_expr(c, x->kids[1]);
    left = code_load(c, left, x->kids[0]->offset);
    right = code_load(c, right, x->kids[1]->offset);
    if (!is_number(&left) || !is_number(&right))
        return none;
    Operand out = truth_result(c, comparison(x->ops[0], left.type, right.type), x, &left);
    Op *last = code_last(c);
    last->in[1] = right.cells;
    last->in_type[1] = right.type;
    last->variant = (int)x->ops[0];
    return out;
}

static Operand code_and_or(Coder *c, const Expr *x)
{
    enum { MOST = 16 };
    uint32_t jumps[MOST];
    Operand out = none;
    if (x->count > MOST || !x->count)
        return none;
    for (uint32_t i = 0; i < x->count; i++) {
        Operand value = code_loaded(c, x->kids[i]);
        if (!is_number(&value))
            return none;
        Operand decision = truth_result(c, op_decide, x, &value);
        if (i)
            code_last(c)->out = out.cells;
        else
            out = decision;
        code_last(c)->count = x->op == OP_AND;
        jumps[i] = c->count - 1;
    }
    code_land(c, jumps, x->count);
    out.can_move = false;
    return out;
}

static Operand code_if_exp(Coder *c, const Expr *x)
{
    Operand test = code_loaded(c, x->kids[0]);
    if (!is_number(&test))
        return none;
    Op *unless = code_emit(c, op_unless, x);
    unless->in[0] = test.cells;
    unless->in_type[0] = test.type;
    uint32_t branch = c->count - 1;
    Operand first = code_loaded(c, x->kids[1]);
    if (first.kind != OPERAND_VALUE)
        return none;
    Operand out = code_result(c, op_copy_wide, x, first.type);
    code_last(c)->in[0] = first.cells;
    code_emit(c, op_jump, x);
    uint32_t end = c->count - 1;
    code_land(c, &branch, 1);
    Operand second = code_loaded(c, x->kids[2]);
    if (second.kind != OPERAND_VALUE || second.type != first.type)
        return none;
    second.can_move = false;
    code_move(c, &second, out.cells);
    code_land(c, &end, 1);
    out.can_move = false;
    return out;
}

/* ---- attributes ---- */

/* A part of a place: `cell` cells further on. */
static Operand part_of(const Operand *place, const Type *type, uint32_t cell)
{
    Operand out = *place;
    out.type = type;
    out.can_move = false;
    if (out.kind == OPERAND_ELEMENT)
        out.skip += cell;
    else
        out.cells += cell;
    return out;
}

static Operand code_field(Coder *c, const Expr *x, const Operand *object)
{
    const Type *type = object->type;
    const Layout *layout;
    if (!code_struct(c->e, type, &layout))
        return none;
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        if (type->decl->fields[i].name != x->attribute->name)
            continue;
        const Type *field = type_canonical(type->decl->fields[i].type);
        if (field->kind == TYPE_ARRAY)
            return object->kind == OPERAND_ELEMENT ? none
                                                   : (Operand){.kind = OPERAND_ARRAY,
                                                               .type = field,
                                                               .arrays = object->arrays + layout->field_array[i]};
        Operand out = part_of(object, field, layout->field_cell[i]);
        if (out.kind != OPERAND_ELEMENT) {
            out.kind = field->kind == TYPE_STRUCT ? OPERAND_STRUCT : OPERAND_VALUE;
            out.arrays = object->arrays ? object->arrays + layout->field_array[i] : NULL;
        }
        return out;
    }
    return none;
}

/* `reading`: as in attribute_of(). */
static Operand code_attribute(Coder *c, const Expr *x, const Operand *object, bool reading)
{
    if (object->kind != OPERAND_VALUE && object->kind != OPERAND_STRUCT && object->kind != OPERAND_ELEMENT)
        return none;
    const Type *type = object->type, *part;
    uint32_t cell;
    if (type->kind == TYPE_STRUCT)
        return code_field(c, x, object);
    if (!type_is_composite(type) || !find_composite_part(c->e, x->attribute->name, type, &part, &cell))
        return none;
    Operand out = part_of(object, part, cell);
    return reading ? code_load(c, out, x->offset) : out;
}

/* ---- subscripts ---- */

static bool constant_index(const Operand *index, const Expr *x, uint32_t length, uint32_t *out)
{
    if (x->eval != eval_constant || index->cells->integer < 0 || index->cells->integer >= length)
        return false;
    *out = (uint32_t)index->cells->integer;
    return true;
}

/* A part of a vector by its index. Where that is computed, the part of an element or variable is a place, and of any other
 * value it is copied. */
static Operand code_part(Coder *c, const Expr *x, const Operand *whole, const Operand *index, const Expr *index_expr,
                         uint32_t length, const Type *type, bool reading)
{
    uint32_t width = code_width(type), known;
    if (constant_index(index, index_expr, length, &known))
        return part_of(whole, type, known * width);
    Operand out = *whole;
    if (whole->kind == OPERAND_ELEMENT) {
        out.at = code_result(c, op_part, x, type_scalar(TYPE_INT64)).cells;
        code_last(c)->in[0] = whole->at;
        code_last(c)->width = width;
        out.type = type;
    } else if (width != 1)
        return none;
    else if (reading) {
        out = code_result(c, op_component, x, type);
        code_last(c)->in[0] = whole->cells;
    } else {
        out.kind = OPERAND_PART;
        out.type = type;
        out.at = code_result(c, op_part_at, x, type_scalar(TYPE_INT64)).cells;
    }
    code_last(c)->in[1] = index->cells;
    code_last(c)->count = length;
    return out;
}

/* m[i, j] of a variable or another value. */
static Operand code_matrix_cell(Coder *c, const Expr *x, const Operand *matrix, const Operand *indices, bool reading)
{
    const Type *dtype = matrix->type->composite.dtype;
    Operand out = code_result(c, reading ? op_matrix_cell : op_matrix_at, x, reading ? dtype : type_scalar(TYPE_INT64));
    Op *op = code_last(c);
    op->in[0] = matrix->cells;
    op->in[1] = indices[0].cells;
    op->in[2] = indices[1].cells;
    op->count = matrix->type->composite.rows;
    op->skip = matrix->type->composite.cols;
    if (reading)
        return out;
    Operand place = *matrix;
    place.kind = OPERAND_PART;
    place.type = dtype;
    place.at = out.cells;
    return place;
}

/* What is left of the indices when those of the array are used. */
static Operand code_select(Coder *c, const Expr *x, const Operand *whole, const Operand *indices, uint32_t count,
                           bool reading)
{
    const Type *type = whole->type;
    const Expr *const *exprs = (const Expr *const *)(x->kids + x->count - count);
    if (!type_is_composite(type) || !code_width(type) || whole->kind == OPERAND_PART)
        return none;
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    if (type->kind != TYPE_MAT)
        return count == 1 ? code_part(c, x, whole, indices, exprs[0], rows * cols, type->composite.dtype, reading)
                          : none;
    Operand row = *whole;
    uint32_t known;
    if (count == 2 && !constant_index(&indices[0], exprs[0], rows, &known) && whole->kind != OPERAND_ELEMENT)
        return code_matrix_cell(c, x, whole, indices, reading);
    if (count > 2)
        return none;
    row = code_part(c, x, whole, indices, exprs[0], rows, type_vec(c->e->unit->types, cols, type->composite.dtype),
                    reading);
    if (count == 1 || row.kind == OPERAND_NONE)
        return row;
    return code_part(c, x, &row, indices + 1, exprs[1], cols, type->composite.dtype, reading);
}

static bool code_indices(Coder *c, const Expr *x, Operand *indices)
{
    uint32_t count = x->count - 1;
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = code_expr(c, x->kids[i + 1]);
        if (indices[i].kind == OPERAND_NONE)
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = code_load(c, indices[i], x->kids[i + 1]->offset);
        if (!is_int32(&indices[i]))
            return false;
    }
    return true;
}

Operand code_element(Coder *c, const Expr *x, const Operand *array, const Operand *indices)
{
    uint32_t ndim = array->type->array.ndim;
    const Type *dtype = type_canonical(array->type->array.dtype);
    const Layout *layout;
    if (!code_width(dtype) && (!code_struct(c->e, dtype, &layout) || layout->arrays))
        return none;
    Operand at = code_result(c, op_address, x, type_scalar(TYPE_INT64));
    Op *op = code_last(c);
    op->view = array->arrays;
    op->count = ndim;
    for (uint32_t i = 0; i < ndim; i++)
        op->in[i] = indices[i].cells;
    return (Operand){.kind = OPERAND_ELEMENT, .type = dtype, .element = dtype, .arrays = array->arrays, .at = at.cells};
}

/* Fewer indices than dimensions: as index_view(). */
static Operand code_subarray(Coder *c, const Expr *x, const Operand *array, const Operand *indices)
{
    const Type *type = array->type;
    uint32_t count = x->count - 1;
    ArrayClass class = type->array.cls == ARRAY_FIXED ? ARRAY_PLAIN : type->array.cls;
    Operand out =
        code_view(c, op_view, x, type_array(c->e->unit->types, class, type->array.dtype, type->array.ndim - count));
    Op *op = code_last(c);
    op->view = array->arrays;
    op->more = out.arrays;
    op->count = count;
    for (uint32_t i = 0; i < count; i++)
        op->in[i] = indices[i].cells;
    return out;
}

static Operand code_subscript(Coder *c, const Expr *x, const Operand *object, bool reading)
{
    enum { MOST = 6 };
    Operand indices[MOST];
    uint32_t count = x->count - 1;
    if (count > MOST || !count || object->kind == OPERAND_NONE || !code_indices(c, x, indices))
        return none;
    if (object->kind == OPERAND_ARRAY) {
        uint32_t ndim = object->type->array.ndim;
        if (ndim < 1 || ndim > 4)
            return none;
        if (count < ndim)
            return code_subarray(c, x, object, indices);
        Operand element = code_element(c, x, object, indices);
        if (count == ndim || element.kind == OPERAND_NONE)
            return element;
        Operand part = code_select(c, x, &element, indices + ndim, count - ndim, reading);
        return reading ? code_load(c, part, x->offset) : part;
    }
    if (object->kind != OPERAND_VALUE && object->kind != OPERAND_ELEMENT)
        return none;
    Operand part = code_select(c, x, object, indices, count, reading);
    return reading ? code_load(c, part, x->offset) : part;
}

/* array.shape[0] */
static Operand code_shape(Coder *c, const Expr *x)
{
    const Expr *attribute = x->kids[0], *index = x->kids[1];
    uint32_t before = c->count;
    if (attribute->eval != eval_attribute || !name_is(attribute->attribute->name, "shape") || x->count != 2 ||
        index->eval != eval_constant)
        return none;
    Operand array = code_expr(c, attribute->kids[0]), which = code_constant(c, index);
    if (array.kind != OPERAND_ARRAY || !is_int32(&which) || which.cells->integer < 0 ||
        which.cells->integer >= array.type->array.ndim) {
        c->count = before;
        return none;
    }
    Operand out = code_result(c, op_shape, x, type_scalar(TYPE_INT32));
    code_last(c)->view = array.arrays;
    code_last(c)->skip = (uint32_t)which.cells->integer;
    return out;
}

/* ---- elements ---- */

/* The address that was emitted last: reading and writing can find the element themselves. */
static bool is_just_found(const Coder *c, const Operand *element)
{
    return c->count && code_last(c)->run == op_address && code_last(c)->out == element->at;
}

static Op *element_operation(Coder *c, const Operand *element, OpFn *at, OpFn *one, OpFn *any)
{
    Op *op;
    if (is_just_found(c, element)) {
        op = code_last(c);
        op->run = op->count == 1 ? one : any;
    } else {
        op = code_emit(c, at, NULL);
        op->in[0] = element->at;
    }
    op->view = element->arrays;
    op->skip = element->skip;
    op->type = element->type;
    return op;
}

static uint32_t element_width(const Coder *c, const Type *type)
{
    const Layout *layout;
    return code_struct(c->e, type, &layout) ? layout->cells : code_width(type);
}

Operand code_load(Coder *c, Operand value, uint32_t offset)
{
    if (value.kind != OPERAND_ELEMENT)
        return value;
    Op *op = element_operation(c, &value, op_load_at, op_load_1, op_load);
    Operand out = {
        .kind = value.type->kind == TYPE_STRUCT ? OPERAND_STRUCT : OPERAND_VALUE, .type = value.type, .can_move = true};
    op->width = element_width(c, value.type);
    op->offset = offset;
    op->out = out.cells = code_temp(c, op->width);
    return out;
}

/* ---- places ---- */

Operand code_place(Coder *c, const Expr *x)
{
    if (x->eval != eval_attribute && x->eval != eval_subscript)
        return code_expr(c, x);
    Operand object = code_place(c, x->kids[0]);
    return x->eval == eval_attribute ? code_attribute(c, x, &object, false) : code_subscript(c, x, &object, false);
}

/* The present value of a variable, or of a part of it. */
Operand code_part_value(Coder *c, const Operand *place)
{
    if (!place->writable || place->kind == OPERAND_VALUE)
        return place->writable ? *place : none;
    if (place->kind != OPERAND_PART)
        return none;
    Operand out = code_result(c, op_read_part, NULL, place->type);
    code_last(c)->in[0] = place->cells;
    code_last(c)->in[1] = place->at;
    return out;
}

bool code_store(Coder *c, const Operand *place, Operand value, uint32_t offset)
{
    value = code_load(c, value, offset);
    bool is_value = value.kind == OPERAND_VALUE || value.kind == OPERAND_STRUCT;
    bool is_part = place->kind == OPERAND_VALUE || place->kind == OPERAND_PART;
    bool is_place = place->kind == OPERAND_ELEMENT || (is_part && place->writable);
    if (!is_value || !is_place)
        return false;
    if (value.type != place->type) {
        if (!type_is_single(value.type) || !type_is_single(place->type))
            return false;
        value = code_convert(c, NULL, value, place->type, offset);
    }
    if (place->kind == OPERAND_VALUE) {
        value.can_move &= type_is_single(value.type);
        code_move(c, &value, place->cells);
        return true;
    }
    if (place->kind == OPERAND_PART) {
        Op *op = code_emit(c, op_store_part, NULL);
        op->out = place->cells;
        op->in[0] = value.cells;
        op->in[1] = place->at;
        return true;
    }
    Op *op = element_operation(c, place, op_store_at, op_store_1, op_store);
    op->more = value.cells;
    op->out = NULL;
    op->width = element_width(c, place->type);
    op->offset = offset;
    return true;
}

void code_update(Coder *c, const Expr *x, const Operand *element, const Operand *value, AtomicOp kind)
{
    Op *op = code_emit(c, op_update, x);
    op->in[0] = element->at;
    op->in[1] = value->cells;
    op->in_type[1] = value->type;
    op->view = element->arrays;
    op->type = element->type;
    op->skip = element->skip;
    op->width = code_width(element->type);
    op->variant = (int)kind;
}

/* ---- expressions ---- */

Operand code_expr(Coder *c, const Expr *x)
{
    if (x->eval == eval_name)
        return code_name(c, x);
    if (x->eval == eval_constant)
        return code_constant(c, x);
    if (x->eval == eval_binary)
        return code_binary_expr(c, x);
    if (x->eval == eval_unary)
        return code_unary(c, x);
    if (x->eval == eval_compare)
        return code_compare(c, x);
    if (x->eval == eval_and_or)
        return code_and_or(c, x);
    if (x->eval == eval_if_exp)
        return code_if_exp(c, x);
    if (x->eval == eval_call_builtin || x->eval == eval_call_value || x->eval == eval_call_dynamic)
        return code_call(c, x);
    if (x->eval == eval_attribute) {
        Operand object = code_expr(c, x->kids[0]);
        return code_attribute(c, x, &object, true);
    }
    if (x->eval == eval_subscript) {
        Operand object = code_shape(c, x);
        if (object.kind != OPERAND_NONE)
            return object;
        object = code_expr(c, x->kids[0]);
        return code_subscript(c, x, &object, true);
    }
    return none;
}
