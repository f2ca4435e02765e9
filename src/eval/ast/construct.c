/* Constructors: scalars, vectors, matrices, quaternions, transforms, structs, local arrays. */
#include "eval/ast/number.h"

#include <string.h>

/* ---- cells of the arguments ---- */

/* Every cell of the arguments, converted, one after the other; fewer or more than `width`: refused. */
static void fill_cells(const Call *call, const Datum *args, uint32_t count, const Type *dtype, Dual *cells,
                       uint32_t width)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        refuse_if(call, args[i].kind != DATUM_VALUE);
        TypeKind from = type_scalar_of(args[i].type)->kind;
        uint32_t given = width_of(&args[i]);
        refuse_if(call, given > width - next);
        for (uint32_t k = 0; k < given; k++)
            cells[next++] = convert_scalar(call->e, args[i].cells[k], from, dtype->kind, call->x->offset);
    }
    refuse_if(call, next != width);
}

static const Datum *keyword(const Call *call, const char *name, uint32_t *positional)
{
    const Name *keywords = call->x->call->keywords;
    const Datum *found = NULL;
    *positional = call->count;
    for (uint32_t i = 0; keywords && i < call->count; i++)
        if (keywords[i]) {
            *positional = *positional < i ? *positional : i;
            if (name_is(keywords[i], name))
                found = &call->args[i];
        }
    return found;
}

static const Type *dtype_of(const Call *call, const Datum *datum)
{
    if (!datum || datum->kind == DATUM_NOTHING)
        return NULL;
    refuse_if(call, datum->kind != DATUM_STATIC || datum->value->kind != VALUE_TYPE);
    return type_canonical(datum->value->type);
}

static const Type *scalar_of_args(const Call *call, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (call->args[i].kind == DATUM_VALUE)
            return type_scalar_of(call->args[i].type);
    return type_scalar(TYPE_FLOAT32);
}

static void zero(Dual *cells, uint32_t width)
{
    memset(cells, 0, width * sizeof *cells);
}

/* ---- by type ---- */

static void construct_composite(const Call *call, const Type *type, const Datum *args, uint32_t count)
{
    uint32_t width = type->composite.rows * type->composite.cols;
    const Type *dtype = type->composite.dtype;
    Dual *cells = result_value(call, type, width);
    if (count == 0) {
        zero(cells, width);
        return;
    }
    bool fills = type->kind == TYPE_VEC || type->kind == TYPE_MAT || type->kind == TYPE_TRANSFORM;
    if (count == 1 && is_scalar(&args[0]) && fills) {
        Dual cell = convert_scalar(call->e, args[0].cells[0], args[0].type->kind, dtype->kind, call->x->offset);
        for (uint32_t i = 0; i < width; i++)
            cells[i] = cell;
        return;
    }
    if (type->kind == TYPE_TRANSFORM && count == 1 && args[0].kind == DATUM_VALUE) { /* a transform, or a translation */
        fill_cells(call, args, 1, dtype, cells, width_of(&args[0]) == 7 ? 7 : 3);
        if (width_of(&args[0]) == 3) {
            zero(cells + 3, 4);
            cells[6].real = 1;
        }
        return;
    }
    fill_cells(call, args, count, dtype, cells, width);
}

static void construct_struct(Evaluator *e, const Expr *x, const Type *type, const Passed *passed, Datum *out)
{
    const Layout *layout = struct_layout(e, type, x->offset);
    Dual *cells = new_datum(e, type, layout->cells, out);
    zero(cells, layout->cells);
    out->arrays = layout->arrays ? scratch(e, layout->arrays * sizeof *out->arrays) : NULL;
    for (uint32_t i = 0; i < layout->arrays; i++)
        out->arrays[i] = (ArrayView){0};
    if (!passed->count)
        return;
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        const Type *field = type_canonical(type->decl->fields[i].type);
        const Datum *given = NULL;
        for (uint32_t k = 0; k < passed->count; k++) {
            Name name = passed->keywords ? passed->keywords[k] : NULL;
            if (name ? name == type->decl->fields[i].name : k == i)
                given = &passed->args[k];
        }
        if (!given)
            stop_unsupported(e, x->offset, "field '%s' is not given", type->decl->fields[i].name->text);
        if (field->kind == TYPE_ARRAY && given->kind == DATUM_ARRAY)
            out->arrays[layout->field_array[i]] = *given->arrays;
        else if (field->kind == TYPE_STRUCT && given->kind == DATUM_STRUCT && given->type == field) {
            const Layout *inner = struct_layout(e, field, x->offset);
            memcpy(cells + layout->field_cell[i], given->cells, inner->cells * sizeof *cells);
            if (inner->arrays)
                memcpy(out->arrays + layout->field_array[i], given->arrays, inner->arrays * sizeof *out->arrays);
        } else if (given->kind == DATUM_VALUE && field->kind != TYPE_STRUCT && field->kind != TYPE_ARRAY &&
                   width_of(given) == cells_of_type(e, field, x->offset)) {
            TypeKind from = type_scalar_of(given->type)->kind, to = type_scalar_of(field)->kind;
            for (uint32_t k = 0; k < width_of(given); k++)
                cells[layout->field_cell[i] + k] = convert_scalar(e, given->cells[k], from, to, x->offset);
        } else
            stop_unsupported(e, x->offset, "field '%s' cannot be %s", type->decl->fields[i].name->text,
                             datum_text(e, given));
    }
}

static const char *constructor_name(const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC: return "vector";
    case TYPE_MAT: return "matrix";
    case TYPE_QUAT: return "quaternion";
    case TYPE_TRANSFORM: return "transformation";
    default: return "scalar";
    }
}

/* dtype=…, length=… and shape=… only repeat what the type says. */
static uint32_t drop_redundant(const Passed *passed, Datum *args)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < passed->count; i++) {
        Name name = passed->keywords ? passed->keywords[i] : NULL;
        if (name && (name_is(name, "dtype") || name_is(name, "length") || name_is(name, "shape")))
            continue;
        args[count++] = passed->args[i];
    }
    return count;
}

bool wide_literal(Evaluator *e, const Expr *x, const Type *type, Datum *out)
{
    Number number;
    bool wide = type->kind == TYPE_FLOAT64 || type->kind == TYPE_INT64 || type->kind == TYPE_UINT64;
    if (!wide || !x->call->literal || !value_as_number(x->call->literal, true, &number))
        return false;
    if (type->kind == TYPE_FLOAT64)
        new_real_datum(e, TYPE_FLOAT64, number.is_int ? (double)number.integer : number.real, out);
    else if (number.is_int)
        new_int_datum(e, type->kind, (int64_t)wrap_to_type(number.integer, type->kind), out);
    else
        return false;
    return true;
}

void construct_value(Evaluator *e, const Expr *x, const Type *type, const Passed *passed, Datum *out)
{
    type = type_canonical(type);
    if (type->kind == TYPE_STRUCT) {
        construct_struct(e, x, type, passed, out);
        return;
    }
    Datum *args = scratch(e, (passed->count + 1) * sizeof *args);
    uint32_t count = drop_redundant(passed, args);
    Call call = {e, x, args, count, 0, out};
    if (type_is_composite(type)) {
        construct_composite(&call, type, args, count);
        return;
    }
    if (!type_is_single(type) || count > 1)
        stop_unsupported(e, x->offset, "%s %s is not constructed", constructor_name(type), type_message(e, type));
    if (count == 0) {
        result_scalar(&call, type, number_zero());
        return;
    }
    if (!is_scalar(&args[0]))
        stop_unsupported(e, x->offset, "%s cannot be converted to %s", datum_text(e, &args[0]), type_message(e, type));
    result_scalar(&call, type, convert_scalar(e, args[0].cells[0], args[0].type->kind, type->kind, x->offset));
}

/* ---- by name: wp.vector(…), wp.matrix(…) ---- */

/* wp.cast(value, type): the same bits. */
void build_cast(Call *call)
{
    const Type *to = dtype_of(call, &call->args[1]);
    const Datum *from = &call->args[0];
    refuse_if(call, !to || !is_scalar(from) || !type_is_single(to));
    TypeKind a = from->type->kind, b = to->kind;
    Dual number = from->cells[0], out = {0};
    if (a == TYPE_FLOAT32 && (b == TYPE_INT32 || b == TYPE_UINT32)) {
        float single = (float)number.real;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        out.integer = b == TYPE_INT32 ? (int64_t)(int32_t)bits : (int64_t)bits;
    } else if (b == TYPE_FLOAT32 && (a == TYPE_INT32 || a == TYPE_UINT32)) {
        uint32_t bits = (uint32_t)number.integer;
        float single;
        memcpy(&single, &bits, sizeof single);
        out.real = (double)single;
    } else if ((a == TYPE_FLOAT64 && (b == TYPE_INT64 || b == TYPE_UINT64)) ||
               (b == TYPE_FLOAT64 && (a == TYPE_INT64 || a == TYPE_UINT64)))
        out.integer = number.integer; /* a union already */
    else if (a == b)
        out = number;
    else if (is_float_kind(a) || is_float_kind(b) || bits_of_kind(a) != bits_of_kind(b))
        refuse_arguments(call);
    else
        out.integer = (int64_t)wrap_to_type((BigInt)number.integer, b);
    result_scalar(call, to, out);
}

void build_vector(Call *call)
{
    uint32_t count;
    const Type *dtype = dtype_of(call, keyword(call, "dtype", &count));
    const Datum *length_arg = keyword(call, "length", &count);
    uint32_t length = count;
    if (count == 1 && is_vec(&call->args[0], 0))
        length = call->args[0].type->composite.rows;
    if (length_arg) {
        int64_t given = datum_int(call->e, length_arg, call->x->offset);
        refuse_if(call, given < 1 || given > 1 << 16);
        length = (uint32_t)given;
    }
    if (!dtype)
        dtype = scalar_of_args(call, count);
    refuse_if(call, !length || !type_is_single(dtype));
    construct_composite(call, type_vec(call->e->unit->types, length, dtype), call->args, count);
}

void build_matrix(Call *call)
{
    uint32_t count;
    const Type *dtype = dtype_of(call, keyword(call, "dtype", &count));
    const Datum *shape = keyword(call, "shape", &count);
    uint32_t rows = 0, cols = 0;
    if (count == 1 && is_mat(&call->args[0], 0, 0)) {
        rows = call->args[0].type->composite.rows;
        cols = call->args[0].type->composite.cols;
    }
    if (shape && shape->kind == DATUM_TUPLE && shape->count == 2) {
        int64_t r = datum_int(call->e, &shape->items[0], call->x->offset),
                c = datum_int(call->e, &shape->items[1], call->x->offset);
        refuse_if(call, (uint64_t)r > 1024 || (uint64_t)c > 1024);
        rows = (uint32_t)r;
        cols = (uint32_t)c;
    }
    if (!dtype)
        dtype = scalar_of_args(call, count);
    refuse_if(call, !rows || !cols || !type_is_single(dtype));
    construct_composite(call, type_mat(call->e->unit->types, rows, cols, dtype), call->args, count);
}

/* The arguments but for dtype=…; the others are in their order, whether they are named or not. */
static Datum *without_dtype(const Call *call, uint32_t *count)
{
    const Name *keywords = call->x->call->keywords;
    Datum *args = scratch(call->e, (call->count + 1) * sizeof *args);
    *count = 0;
    for (uint32_t i = 0; i < call->count; i++)
        if (!keywords || !keywords[i] || !name_is(keywords[i], "dtype"))
            args[(*count)++] = call->args[i];
    return args;
}

void build_by_dtype(Call *call) /* by the kind: a quaternion, a transform, a spatial vector */
{
    TypeTable *types = call->e->unit->types;
    uint32_t count;
    const Type *dtype = dtype_of(call, keyword(call, "dtype", &count));
    const Value *callee = call->x->call->callee;
    bool is_spatial = call->variant == TYPE_VEC;
    if (is_spatial && callee && callee->kind == VALUE_TYPE && callee->type->kind == TYPE_VEC)
        dtype = callee->type->composite.dtype;
    const Datum *args = without_dtype(call, &count);
    dtype = dtype ? dtype : scalar_of_args(call, count);
    construct_composite(call,
                        is_spatial                   ? type_vec(types, 6, dtype)
                        : call->variant == TYPE_QUAT ? type_quat(types, dtype)
                                                     : type_transform(types, dtype),
                        args, count);
}

void build_from_lines(Call *call) /* matrix_from_rows, matrix_from_cols */
{
    bool as_cols = call->variant;
    const Type *first = call->args[0].kind == DATUM_VALUE ? call->args[0].type : NULL;
    refuse_if(call, !first || first->kind != TYPE_VEC);
    uint32_t length = first->composite.rows, count = call->count;
    uint32_t rows = as_cols ? length : count, cols = as_cols ? count : length;
    Dual *cells = result_value(call, type_mat(call->e->unit->types, rows, cols, first->composite.dtype), rows * cols);
    for (uint32_t i = 0; i < count; i++) {
        refuse_if(call, call->args[i].kind != DATUM_VALUE || !types_equal(call->args[i].type, first));
        for (uint32_t k = 0; k < length; k++)
            cells[as_cols ? k * cols + i : i * cols + k] = call->args[i].cells[k];
    }
}

void build_identity(Call *call)
{
    TypeTable *types = call->e->unit->types;
    const Type *dtype = type_scalar(TYPE_FLOAT32);
    if (call->variant == 0) { /* wp.identity(n, dtype) */
        int64_t n = datum_int(call->e, &call->args[0], call->x->offset);
        dtype = dtype_of(call, &call->args[1]);
        refuse_if(call, n < 1 || n > 1024 || !dtype || !type_is_single(dtype));
        uint32_t size = (uint32_t)n;
        Dual *cells = result_value(call, type_mat(types, size, size, dtype), size * size);
        zero(cells, size * size);
        for (uint32_t i = 0; i < size; i++) {
            if (is_float_kind(dtype->kind))
                cells[i * size + i].real = 1;
            else
                cells[i * size + i].integer = 1;
        }
        return;
    }
    if (call->count && call->args[0].kind != DATUM_NOTHING)
        dtype = dtype_of(call, &call->args[0]);
    uint32_t width = call->variant == 1 ? 4 : 7;
    Dual *cells = result_value(call, width == 4 ? type_quat(types, dtype) : type_transform(types, dtype), width);
    zero(cells, width);
    cells[width - 1].real = 1;
}

/* ---- local arrays ---- */

/* The memory belongs to the place of the call, as the variable does in the compiled kernel. */
void build_zeros(Call *call)
{
    Evaluator *e = call->e;
    const Type *dtype = dtype_of(call, &call->args[1]);
    const Datum *shape = &call->args[0];
    uint32_t dims[4] = {1, 1, 1, 1}, ndim = shape->kind == DATUM_TUPLE ? shape->count : 1;
    size_t count = 1;
    refuse_if(call, !dtype || ndim < 1 || ndim > 4);
    for (uint32_t i = 0; i < ndim; i++) {
        int64_t size = datum_int(e, shape->kind == DATUM_TUPLE ? &shape->items[i] : shape, call->x->offset);
        refuse_if(call, size < 1 || size > 1 << 20 || (count *= (size_t)size) > 1 << 20);
        dims[i] = (uint32_t)size;
    }
    refuse_if(call, dtype->kind == TYPE_STRUCT && struct_layout(e, dtype, call->x->offset)->arrays);
    uint32_t width = cells_of_type(e, dtype, call->x->offset);
    CallSite *site = call->x->call;
    if (!site->zeros || site->zeros->count < count || site->zeros->width != width) {
        site->zeros = ARENA_NEW(e->arena, Storage);
        site->zeros->cells = ARENA_ARRAY(e->arena, Cell, count * width);
        site->zeros->tangents = ARENA_ARRAY(e->arena, double, count *width);
    }
    site->zeros->count = count;
    site->zeros->width = width;
    memset(site->zeros->cells, 0, count * width * sizeof(Cell));
    memset(site->zeros->tangents, 0, count * width * sizeof(double));
    ArrayView *view = scratch(e, sizeof *view);
    view_of_storage(site->zeros, type_fixed_array(e->unit->types, dtype, ndim, dims), ndim, dims, view);
    view_datum(view, call->out);
}
