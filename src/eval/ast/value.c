/* Values: their layout, making and copying them, conversions. */
#include "eval/ast/impl.h"

#include <math.h>
#include <string.h>

enum { MAX_WIDTH = 1 << 20, MAX_STRUCT_DEPTH = 16 };

/* ---- types ---- */

uint32_t bits_of_kind(TypeKind kind)
{
    switch (kind) {
    case TYPE_INT8:
    case TYPE_UINT8: return 8;
    case TYPE_INT16:
    case TYPE_UINT16: return 16;
    case TYPE_INT32:
    case TYPE_UINT32: return 32;
    case TYPE_BOOL: return 1;
    default: return 64;
    }
}

static Layout *new_layout(Evaluator *e, const Type *type, uint32_t offset, unsigned depth)
{
    if (depth > MAX_STRUCT_DEPTH)
        stop_unsupported(e, offset, "structs are nested too deeply");
    uint32_t count = type->decl->field_count;
    Layout *layout = ARENA_NEW(e->arena, Layout);
    layout->type = type;
    layout->field_cell = ARENA_ARRAY(e->arena, uint32_t, count);
    layout->field_array = ARENA_ARRAY(e->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!type->decl->fields[i].type)
            stop_unsupported(e, offset, "the type of field '%s' is not known", type->decl->fields[i].name->text);
        const Type *field = type_canonical(type->decl->fields[i].type);
        layout->field_cell[i] = layout->cells;
        layout->field_array[i] = layout->arrays;
        if (field->kind == TYPE_ARRAY)
            layout->arrays++;
        else if (field->kind == TYPE_STRUCT) {
            const Layout *inner = new_layout(e, field, offset, depth + 1);
            layout->cells += inner->cells;
            layout->arrays += inner->arrays;
        } else
            layout->cells += cells_of_type(e, field, offset);
    }
    return layout;
}

const Layout *struct_layout(Evaluator *e, const Type *type, uint32_t offset)
{
    const TableSlot *known = e->layouts.count ? table_find(&e->layouts, type) : NULL;
    if (known)
        return known->item;
    Layout *layout = new_layout(e, type, offset, 0);
    table_add(&e->layouts, e->arena, type)->item = layout;
    return layout;
}

uint32_t cells_of_type(Evaluator *e, const Type *type, uint32_t offset)
{
    if (type_is_single(type))
        return 1;
    if (type_is_composite(type)) {
        uint64_t width = (uint64_t)type->composite.rows * type->composite.cols;
        if (width > MAX_WIDTH)
            stop_unsupported(e, offset, "a value of %llu elements", (unsigned long long)width);
        return (uint32_t)width;
    }
    if (type->kind == TYPE_STRUCT)
        return struct_layout(e, type, offset)->cells;
    stop_unsupported(e, offset, "values of type %s are not evaluated", type_message(e, type));
}

const char *type_message(Evaluator *e, const Type *type)
{
    Text *text = &e->unit->scratch;
    text->len = 0;
    type_repr(type, text);
    return arena_strndup(e->arena, text->data, text->len);
}

const char *datum_text(Evaluator *e, const Datum *datum)
{
    switch (datum->kind) {
    case DATUM_VALUE:
    case DATUM_STRUCT:
    case DATUM_ARRAY:
    case DATUM_ELEMENT: return type_message(e, datum->type);
    case DATUM_TUPLE: return "a tuple";
    case DATUM_STATIC: return value_kind_name(datum->value->kind);
    case DATUM_SLICE: return "a slice";
    case DATUM_TILE: return "a tile";
    case DATUM_STACK: return "a stack";
    case DATUM_RANGE: return "a range";
    default: return "nothing";
    }
}

/* ---- making values ---- */

Dual *new_datum(Evaluator *e, const Type *type, uint32_t width, Datum *out)
{
    Dual *cells = scratch(e, width * sizeof *cells);
    *out = (Datum){.kind = type->kind == TYPE_STRUCT ? DATUM_STRUCT : DATUM_VALUE, .type = type, .cells = cells};
    return cells;
}

void new_int_datum(Evaluator *e, TypeKind kind, int64_t integer, Datum *out)
{
    *new_scalar(e, type_scalar(kind), out) = (Dual){.integer = integer};
}

void new_real_datum(Evaluator *e, TypeKind kind, double real, Datum *out)
{
    *new_scalar(e, type_scalar(kind), out) = (Dual){.real = real};
}

void new_bool_datum(Evaluator *e, bool truth, Datum *out)
{
    new_int_datum(e, TYPE_BOOL, truth, out);
}

static Dual cell_of_number(const Evaluator *e, Number number, TypeKind kind)
{
    Dual cell = {0};
    if (is_float_kind(kind)) {
        double real = number.is_int ? (double)number.integer : number.real;
        cell.real = e->in_double ? real : round_to_type(real, kind);
    } else if (kind == TYPE_BOOL)
        cell.integer = number.is_int ? number.integer != 0 : number.real != 0;
    else
        cell.integer = (int64_t)wrap_to_type(number.is_int              ? number.integer
                                             : fabs(number.real) < 1e18 ? (BigInt)number.real
                                                                        : 0,
                                             kind);
    return cell;
}

static bool set_cells(Evaluator *e, const Value *value, const Type *type, Dual *cells)
{
    Number number;
    if (type_is_single(type)) {
        if (!value_as_number(value, true, &number))
            return false;
        *cells = cell_of_number(e, number, type->kind);
        return true;
    }
    if (value->kind == VALUE_COMPOSITE && type_is_composite(type)) {
        for (uint32_t i = 0; i < value->composite.count; i++)
            cells[i] = cell_of_number(e, value->composite.elements[i], type->composite.dtype->kind);
        return true;
    }
    if (value->kind != VALUE_STRUCT || type->kind != TYPE_STRUCT)
        return false;
    const Layout *layout = struct_layout(e, type, 0);
    if (layout->arrays)
        return false;
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        const Value *field = value->instance.fields[i];
        if (field && !set_cells(e, field, type_canonical(type->decl->fields[i].type), cells + layout->field_cell[i]))
            return false;
    }
    return true;
}

bool datum_of_value(Evaluator *e, const Value *value, bool permanent, Datum *out)
{
    const Type *type;
    switch (value->kind) {
    case VALUE_TYPE:
    case VALUE_FUNC:
    case VALUE_BUILTIN:
    case VALUE_MODULE:
    case VALUE_FILE:
    case VALUE_ENUM_CLASS:
    case VALUE_CLASS:
    case VALUE_STR:
    case VALUE_INTRINSIC:
    case VALUE_GRAD: *out = (Datum){.kind = DATUM_STATIC, .value = value}; return true;
    case VALUE_STRUCT: type = value->instance.type; break;
    case VALUE_ENUM_MEMBER: type = type_scalar(TYPE_INT32); break;
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_SCALAR:
    case VALUE_COMPOSITE: type = value_variable_type(value); break;
    default: return false;
    }
    if (!type)
        return false;
    type = type_canonical(type);
    uint32_t width = cells_of_type(e, type, 0);
    Dual *cells = permanent ? ARENA_ARRAY(e->arena, Dual, width) : scratch(e, width * sizeof *cells);
    memset(cells, 0, width * sizeof *cells);
    *out = (Datum){.kind = type->kind == TYPE_STRUCT ? DATUM_STRUCT : DATUM_VALUE, .type = type, .cells = cells};
    return set_cells(e, value, type, cells);
}

/* ---- copying ---- */

void detach_datum(Evaluator *e, Datum *datum, uint32_t offset)
{
    if (!datum->writable)
        return;
    const Dual *from = datum->cells;
    uint32_t width = cells_of_type(e, datum->type, offset);
    Dual *to = scratch(e, width * sizeof *to);
    memcpy(to, from, width * sizeof *to);
    datum->cells = to;
    datum->writable = false;
    if (datum->kind == DATUM_STRUCT && struct_layout(e, datum->type, offset)->arrays) {
        size_t size = struct_layout(e, datum->type, offset)->arrays * sizeof(ArrayView);
        datum->arrays = memcpy(scratch(e, size), datum->arrays, size);
    }
}

static void reserve_cells(Evaluator *e, Slot *slot, uint32_t width)
{
    if (slot->cell_cap >= width)
        return;
    slot->cells = ARENA_ARRAY(e->arena, Dual, width);
    slot->cell_cap = width;
}

static void reserve_arrays(Evaluator *e, Slot *slot, uint32_t count)
{
    if (slot->array_cap >= count)
        return;
    slot->arrays = ARENA_ARRAY(e->arena, ArrayView, count);
    slot->array_cap = count;
}

void slot_describe(Evaluator *e, Slot *slot, const Type *type, uint32_t cells, uint32_t arrays)
{
    reserve_cells(e, slot, cells);
    reserve_arrays(e, slot, arrays);
    slot->datum = (Datum){.type = type};
    if (type->kind != TYPE_ARRAY) {
        slot->datum.writable = true;
        slot->datum.cells = slot->cells;
    }
    if (arrays)
        slot->datum.arrays = slot->arrays;
}

static void keep_tuple(Evaluator *e, Slot *slot, Datum *tuple, uint32_t offset)
{
    if (slot->item_cap < tuple->count) {
        slot->items = ARENA_ARRAY(e->arena, Slot, tuple->count);
        slot->item_data = ARENA_ARRAY(e->arena, Datum, tuple->count);
        slot->item_cap = tuple->count;
    }
    for (uint32_t i = 0; i < tuple->count; i++) {
        slot_set(e, &slot->items[i], &tuple->items[i], offset);
        slot->item_data[i] = slot->items[i].datum;
    }
    tuple->items = slot->item_data;
}

/* A number, a vector, an element that is one. */
static void set_value(Evaluator *e, Slot *slot, const Datum *datum, uint32_t offset)
{
    const Type *type = datum->type;
    bool is_described = slot_is_described(slot, type);
    uint32_t width = type_is_single(type) ? 1 : cells_of_type(e, type, offset);
    if (datum->kind == DATUM_ELEMENT)
        note_read(e, datum, width, offset);
    reserve_cells(e, slot, width);
    if (datum->kind == DATUM_ELEMENT)
        fetch_cells(datum->storage, datum->first_cell, width, slot->cells);
    else if (width)
        memmove(slot->cells, datum->cells, width * sizeof *slot->cells);
    if (is_described)
        slot->datum.kind = DATUM_VALUE;
    else
        slot->datum = (Datum){.kind = DATUM_VALUE, .writable = true, .type = type, .cells = slot->cells};
}

void slot_set_any(Evaluator *e, Slot *slot, const Datum *datum, uint32_t offset)
{
    Datum loaded;
    if (datum->kind == DATUM_VALUE || (datum->kind == DATUM_ELEMENT && datum->type->kind != TYPE_STRUCT)) {
        set_value(e, slot, datum, offset);
        return;
    }
    if (datum->kind == DATUM_ELEMENT) {
        loaded = *datum;
        load_datum(e, &loaded, offset);
        datum = &loaded;
    }
    Datum out = *datum;
    switch (datum->kind) {
    case DATUM_NOTHING: stop_run(e, FINDING_UNSUPPORTED, offset, "a call without a result is used as a value");
    case DATUM_VALUE:
    case DATUM_STRUCT: {
        uint32_t width = cells_of_type(e, datum->type, offset);
        reserve_cells(e, slot, width);
        if (width)
            memmove(slot->cells, datum->cells, width * sizeof *slot->cells);
        out.cells = slot->cells;
        out.writable = true;
        if (datum->kind == DATUM_STRUCT) {
            uint32_t count = struct_layout(e, datum->type, offset)->arrays;
            reserve_arrays(e, slot, count);
            if (count)
                memmove(slot->arrays, datum->arrays, count * sizeof *slot->arrays);
            out.arrays = slot->arrays;
        }
        break;
    }
    case DATUM_ARRAY:
        reserve_arrays(e, slot, 1);
        slot->arrays[0] = *datum->arrays;
        out.arrays = slot->arrays;
        break;
    case DATUM_TUPLE: keep_tuple(e, slot, &out, offset); break;
    case DATUM_TILE: tile_slot_set(e, slot, &out); break;
    case DATUM_SLICE:
    case DATUM_RANGE:
        memmove(slot->bounds, datum->bounds, sizeof slot->bounds);
        out.bounds = slot->bounds;
        break;
    default: break;
    }
    slot->datum = out;
}

/* ---- reading values ---- */

int64_t datum_int(Evaluator *e, const Datum *datum, uint32_t offset)
{
    if (datum->kind != DATUM_VALUE || !type_is_single(datum->type) || is_float_kind(datum->type->kind))
        stop_unsupported(e, offset, "an integer is expected here, not %s", datum_text(e, datum));
    return datum->cells->integer;
}

bool datum_truth(Evaluator *e, const Datum *datum, uint32_t offset)
{
    if (datum->kind == DATUM_ARRAY)
        return datum->arrays->storage && datum->arrays->storage->count;
    if (datum->kind != DATUM_VALUE || !type_is_single(datum->type))
        stop_unsupported(e, offset, "a condition is expected here, not %s", datum_text(e, datum));
    return is_float_kind(datum->type->kind) ? datum->cells->real != 0 : datum->cells->integer != 0;
}

static Dual real_to_integer(Evaluator *e, double real, TypeKind to, uint32_t offset)
{
    if (!isfinite(real))
        stop_run(e, FINDING_NOT_FINITE, offset, "a value that is not finite is converted to an integer");
    double whole = trunc(real);
    uint32_t bits = bits_of_kind(to);
    double low = is_unsigned_kind(to) ? 0 : -ldexp(1, (int)bits - 1);
    double high = ldexp(1, (int)(is_unsigned_kind(to) ? bits : bits - 1));
    if (whole < low || whole >= high)
        stop_run(e, FINDING_INTEGER_OVERFLOW, offset, "%g does not fit into the integer type it is converted to", real);
    Dual out = {0};
    if (to == TYPE_UINT64 || to == TYPE_HANDLE)
        out.integer = (int64_t)(uint64_t)whole;
    else
        out.integer = (int64_t)whole;
    return out;
}

Dual convert_scalar(Evaluator *e, Dual number, TypeKind from, TypeKind to, uint32_t offset)
{
    Dual out = {0};
    if (from == to)
        return number;
    bool from_float = is_float_kind(from), to_float = is_float_kind(to);
    if (to == TYPE_BOOL) {
        out.integer = from_float ? number.real != 0 : number.integer != 0;
        return out;
    }
    if (from_float && to_float) {
        out.real = e->in_double ? number.real : round_to_type(number.real, to);
        out.tangent = number.tangent;
        if (isfinite(number.real) && !isfinite(out.real))
            stop_run(e, FINDING_NOT_FINITE, offset, "%g is too large for the type it is converted to", number.real);
        return out;
    }
    if (from_float)
        return real_to_integer(e, number.real, to, offset);
    if (to_float) {
        double real =
            from == TYPE_UINT64 || from == TYPE_HANDLE ? (double)(uint64_t)number.integer : (double)number.integer;
        if (to == TYPE_FLOAT32 && !e->in_double)
            real = from == TYPE_UINT64 || from == TYPE_HANDLE ? (double)(float)(uint64_t)number.integer
                                                              : (double)(float)number.integer;
        out.real = e->in_double ? real : round_to_type(real, to);
        return out;
    }
    out.integer = (int64_t)wrap_to_type((BigInt)number.integer, to);
    return out;
}
