/* Code of parts of values, of elements of arrays, and of the places that can be assigned. */
#include "eval/ast/code.h"

static const Operand none = {.kind = OPERAND_NONE};

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

/* As a value. */
Operand code_part_expr(Coder *c, const Expr *x)
{
    Operand object = x->eval == eval_subscript ? code_shape(c, x) : none;
    if (object.kind != OPERAND_NONE)
        return object;
    object = code_expr(c, x->kids[0]);
    return x->eval == eval_attribute ? code_attribute(c, x, &object, true) : code_subscript(c, x, &object, true);
}
