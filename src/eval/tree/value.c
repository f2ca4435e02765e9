/* Values as cells: layouts, constants, conversions, and what `=`, `= {}` and `+=` do to a whole value. */
#include "eval/tree/machine.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

double tree_round(double value, CellKind kind)
{
    switch (kind) {
    case CELL_FLOAT16: return round_half(value);
    case CELL_BFLOAT16: return round_bfloat16(value);
    case CELL_FLOAT32: return (double)(float)value;
    default: return value;
    }
}

int64_t tree_wrap(int64_t value, TypeKind kind)
{
    switch (kind) {
    case TYPE_INT8: return (int8_t)value;
    case TYPE_UINT8: return (uint8_t)value;
    case TYPE_INT16: return (int16_t)value;
    case TYPE_UINT16: return (uint16_t)value;
    case TYPE_INT32:
    case TYPE_PY_INT: return (int32_t)value;
    case TYPE_UINT32: return (uint32_t)value;
    case TYPE_BOOL: return value != 0;
    default: return value;
    }
}

static CellKind float_kind(TypeKind kind, bool in_double)
{
    if (in_double)
        return CELL_FLOAT64;
    switch (kind) {
    case TYPE_FLOAT16: return CELL_FLOAT16;
    case TYPE_BFLOAT16: return CELL_BFLOAT16;
    case TYPE_FLOAT64: return CELL_FLOAT64;
    default: return CELL_FLOAT32;
    }
}

static bool is_float(const Type *type)
{
    return type_is_float(type) || type->kind == TYPE_PY_FLOAT;
}

/* Out of range as x86 does it: conversions to 32 bits and less go through 32, those to uint32 through 64. */
static int64_t truncated(double value, TypeKind kind)
{
    bool narrow = kind_traits[kind].is_narrow || kind == TYPE_INT32 || kind == TYPE_PY_INT;
    if (kind == TYPE_UINT64 && value >= 0x1p63)
        return value < 0x1p64 ? (int64_t)(uint64_t)value : INT64_MIN;
    if (narrow)
        return tree_wrap(value > -0x1p31 - 1 && value < 0x1p31 ? (int64_t)value : INT32_MIN, kind);
    return tree_wrap(value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN, kind);
}

Cell tree_convert(Cell value, const Type *from, const Type *to, bool in_double)
{
    Cell out;
    if (is_float(to)) {
        if (is_float(from))
            out.real = value.real;
        else
            out.real = from->kind == TYPE_UINT64 ? (double)(uint64_t)value.integer : (double)value.integer;
        out.real = tree_round(out.real, float_kind(to->kind, in_double));
    } else if (to->kind == TYPE_BOOL)
        out.integer = is_float(from) ? value.real != 0.0 : value.integer != 0;
    else if (is_float(from))
        out.integer = truncated(value.real, to->kind);
    else
        out.integer = tree_wrap(value.integer, to->kind);
    return out;
}

bool tree_truth(const Cell *value, const Type *type)
{
    if (type->kind == TYPE_ARRAY)
        return CONST_ARRAY_OF(value)->data != NULL;
    return is_float(type) ? value->real != 0.0 : value->integer != 0;
}

/* ---- layouts ---- */

enum { MAX_VALUE_CELLS = 1 << 20 };

typedef struct LayoutBuilder {
    Arena *arena;
    uint8_t *kinds; /* NULL: only count */
    uint32_t cells;
    bool in_double;
} LayoutBuilder;

static bool lay_cells(LayoutBuilder *b, CellKind first, uint32_t count)
{
    if (count > MAX_VALUE_CELLS - b->cells)
        return false;
    for (uint32_t i = 0; b->kinds && i < count; i++)
        b->kinds[b->cells + i] = (uint8_t)(i ? CELL_OTHER : first);
    b->cells += count;
    return true;
}

static bool lay_numbers(LayoutBuilder *b, const Type *scalar, uint32_t count)
{
    CellKind kind = is_float(scalar) ? float_kind(scalar->kind, b->in_double) : CELL_INTEGER;
    for (uint32_t i = 0; i < count; i++)
        if (!lay_cells(b, kind, 1))
            return false;
    return true;
}

static uint64_t fixed_count(const Type *type)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->array.ndim; i++)
        count *= type->array.shape[i];
    return count;
}

static bool lay_type(LayoutBuilder *b, const Type *type);

static bool lay_array(LayoutBuilder *b, const Type *type)
{
    if (type->array.cls == ARRAY_PLAIN)
        return lay_cells(b, CELL_ARRAY, ARRAY_CELLS);
    if (type->array.cls != ARRAY_FIXED || !lay_cells(b, CELL_FIXED, ARRAY_CELLS))
        return false;
    uint64_t count = fixed_count(type);
    for (uint64_t i = 0; i < count; i++)
        if (!lay_type(b, type->array.dtype))
            return false;
    return true;
}

uint32_t tree_native_cells(const Type *type)
{
    static const struct {
        const char *name;
        uint32_t cells;
    } known[] = {{"range_t", RANGE_CELLS}, {"shape_t", SHAPE_CELLS}, {"slice_t", SLICE_CELLS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(type->native->native_name, known[i].name) == 0)
            return known[i].cells;
    return 0;
}

static bool lay_type(LayoutBuilder *b, const Type *type)
{
    type = type_canonical(type);
    if (type_is_scalar(type) || type->kind == TYPE_BOOL || type->kind == TYPE_HANDLE)
        return lay_numbers(b, type, 1);
    if (type_is_composite(type))
        return lay_numbers(b, type->composite.dtype, type_parts(type));
    switch (type->kind) {
    case TYPE_ARRAY: return lay_array(b, type);
    case TYPE_REF: return lay_cells(b, CELL_OTHER, REF_CELLS);
    case TYPE_STR: return lay_cells(b, CELL_OTHER, 1);
    case TYPE_TILE:
    case TYPE_TILE_STACK: return lay_cells(b, CELL_OTHER, TILE_CELLS);
    case TYPE_SLICE: return lay_cells(b, CELL_OTHER, SLICE_CELLS);
    case TYPE_STRUCT:
        for (uint32_t i = 0; i < type->decl->field_count; i++)
            if (!lay_type(b, type->decl->fields[i].type))
                return false;
        return type->decl->field_count || lay_cells(b, CELL_OTHER, 1);
    case TYPE_TUPLE:
        for (uint32_t i = 0; i < type->tuple.count; i++)
            if (!lay_type(b, type->tuple.types[i]))
                return false;
        return type->tuple.count || lay_cells(b, CELL_OTHER, 1);
    case TYPE_NATIVE: return tree_native_cells(type) && lay_cells(b, CELL_OTHER, tree_native_cells(type));
    default: return false;
    }
}

static Uniform uniform_of(const TreeLayout *layout)
{
    uint8_t kind = layout->cells ? layout->kinds[0] : CELL_OTHER;
    for (uint32_t i = 1; i < layout->cells; i++)
        if (layout->kinds[i] != kind)
            return UNIFORM_NOT;
    switch (kind) {
    case CELL_FLOAT32: return UNIFORM_FLOAT32;
    case CELL_FLOAT64: return UNIFORM_FLOAT64;
    case CELL_INTEGER: return UNIFORM_INTEGER;
    default: return UNIFORM_NOT;
    }
}

TreeLayout *tree_layout(Arena *arena, const Type *type, bool in_double)
{
    LayoutBuilder builder = {.arena = arena, .in_double = in_double};
    if (!lay_type(&builder, type))
        return NULL;
    TreeLayout *layout = ARENA_NEW(arena, TreeLayout);
    uint8_t *kinds = arena_alloc(arena, builder.cells);
    layout->cells = builder.cells;
    layout->kinds = builder.kinds = kinds;
    builder.cells = 0;
    lay_type(&builder, type);
    layout->uniform = uniform_of(layout);
    if (type->kind == TYPE_ARRAY && type->array.cls == ARRAY_FIXED) {
        /* The default constructor makes a one-dimensional array of all elements, whatever the shape. */
        TreeArray *fixed = ARENA_NEW(arena, TreeArray);
        uint64_t count = fixed_count(type);
        fixed->size = layout->cells - ARRAY_CELLS;
        fixed->width = (uint32_t)((uint64_t)fixed->size / (count ? count : 1));
        fixed->shape[0].integer = (int64_t)count;
        fixed->strides[0] = fixed->width;
        fixed->ndim = 1;
        layout->fixed = fixed;
    }
    return layout;
}

static uint32_t cells_of(Arena *arena, const Type *type)
{
    LayoutBuilder builder = {.arena = arena};
    return lay_type(&builder, type) ? builder.cells : 0;
}

bool tree_field(Arena *arena, const Type *aggregate, Name field, TreeField *out)
{
    *out = (TreeField){0};
    if (aggregate->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < aggregate->decl->field_count; i++) {
            const StructField *member = &aggregate->decl->fields[i];
            out->type = type_canonical(member->type);
            out->cells = cells_of(arena, out->type);
            if (member->name == field)
                return out->cells != 0;
            out->offset += out->cells;
        }
    } else if (aggregate->kind == TYPE_ARRAY && name_is(field, "shape")) {
        *out = (TreeField){.offset = offsetof(TreeArray, shape) / sizeof(Cell), .cells = SHAPE_CELLS};
        return true;
    } else if (aggregate->kind == TYPE_TRANSFORM && (name_is(field, "p") || name_is(field, "q"))) {
        *out = name_is(field, "p") ? (TreeField){.cells = 3} : (TreeField){.offset = 3, .cells = 4};
        return true;
    }
    return false;
}

void tree_list_fields(Arena *arena, const Type *aggregate, HashTable *by_name)
{
    uint32_t offset = 0;
    for (uint32_t i = 0; i < aggregate->decl->field_count; i++) {
        const StructField *member = &aggregate->decl->fields[i];
        TableSlot *slot = table_add(by_name, arena, member->name);
        const Type *type = type_canonical(member->type);
        uint32_t cells = cells_of(arena, type);
        if (!slot->item) {
            TreeField *field = slot->item = ARENA_NEW(arena, TreeField);
            *field = (TreeField){.offset = offset, .cells = cells, .type = type};
        }
        offset += cells;
    }
}

/* ---- constants ---- */

static bool constant_number(const Value *value, const Type *scalar, bool in_double, Cell *out)
{
    Number number;
    if (value->kind == VALUE_BOOL)
        number = (Number){.is_int = true, .integer = value->truth};
    else if (!value_as_number(value, true, &number))
        return false;
    if (is_float(scalar)) {
        double real = number.is_int ? (double)number.integer : number.real;
        out->real = tree_round(real, float_kind(scalar->kind, in_double));
    } else if (number.is_int)
        out->integer = (int64_t)wrap_to_type(number.integer, scalar->kind == TYPE_PY_INT ? TYPE_INT32 : scalar->kind);
    else
        out->integer = truncated(number.real, scalar->kind);
    return true;
}

bool tree_constant(const Value *value, const Type *type, bool in_double, Cell *out)
{
    if (value->kind == VALUE_STR)
        return true;
    if (value->kind == VALUE_COMPOSITE) {
        const Type *scalar = type_scalar_of(value->composite.type);
        for (uint32_t i = 0; i < value->composite.count; i++) {
            Value element = {.kind = VALUE_SCALAR};
            element.scalar.type = scalar;
            element.scalar.number = value->composite.elements[i];
            if (!constant_number(&element, scalar, in_double, &out[i]))
                return false;
        }
        return true;
    }
    if (type->kind == TYPE_STRUCT && value->kind == VALUE_STRUCT) {
        for (uint32_t i = 0; i < type->decl->field_count; i++) {
            const Type *field = type_canonical(type->decl->fields[i].type);
            if (field->kind == TYPE_ARRAY || !value->instance.fields[i] ||
                !tree_constant(value->instance.fields[i], field, in_double, out))
                return false;
            out += cells_of(NULL, field);
        }
        return true;
    }
    return (type_is_scalar(type) || type->kind == TYPE_BOOL || type->kind == TYPE_HANDLE || type->kind == TYPE_PY_INT ||
            type->kind == TYPE_PY_FLOAT) &&
           constant_number(value, type, in_double, out);
}

/* ---- whole values ---- */

static void clear_fixed(Cell *value, const TreeLayout *layout)
{
    TreeArray *array = ARRAY_OF(value);
    memset(value, 0, layout->cells * sizeof *value);
    *array = *layout->fixed;
    array->data = value + ARRAY_CELLS;
}

void tree_clear(Cell *value, const TreeLayout *layout)
{
    if (layout->fixed)
        clear_fixed(value, layout);
    else
        memset(value, 0, layout->cells * sizeof *value);
}

void tree_copy(Cell *to, const Cell *from, const TreeLayout *layout)
{
    if (layout->cells == 1) {
        memcpy(to, from, sizeof *to); /* not an assignment: it may be a pointer */
        return;
    }
    memmove(to, from, layout->cells * sizeof *to);
    if (layout->fixed)
        ARRAY_OF(to)->data = to + ARRAY_CELLS;
}

void tree_accumulate(Cell *sum, const Cell *more, const TreeLayout *layout)
{
    uint32_t count = layout->cells;
    if (layout->uniform == UNIFORM_FLOAT32) {
        for (uint32_t i = 0; i < count; i++)
            sum[i].real = (double)(float)(sum[i].real + more[i].real);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        switch (layout->kinds[i]) {
        case CELL_FLOAT64: sum[i].real += more[i].real; break;
        case CELL_FLOAT32: sum[i].real = (double)(float)(sum[i].real + more[i].real); break;
        case CELL_FLOAT16:
        case CELL_BFLOAT16: sum[i].real = tree_round(sum[i].real + more[i].real, layout->kinds[i]); break;
        /* `array += array` goes through a generic add() that returns an empty array; in structs they are left out. */
        case CELL_ARRAY:
            if (layout->cells == ARRAY_CELLS)
                memset(sum, 0, sizeof(TreeArray));
            i += ARRAY_CELLS - 1;
            break;
        case CELL_FIXED: clear_fixed(sum, layout); return;
        default: break;
        }
}
