/* Parts of values: attributes, subscripts, and the places that can be assigned. */
#include "eval/ast/number.h"

#include <limits.h>
#include <string.h>

/* ---- attributes ---- */

static int component_of(const Type *type, Name name)
{
    static const char letters[] = "xyzw";
    const char *found = name->len == 1 ? strchr(letters, name->text[0]) : NULL;
    uint32_t length = type->kind == TYPE_QUAT ? 4 : type->composite.rows;
    return found && (uint32_t)(found - letters) < length ? (int)(found - letters) : -1;
}

static void find_field(Evaluator *e, const Expr *x, const Type *type)
{
    Attribute *attribute = x->attribute;
    const Layout *layout = struct_layout(e, type, x->offset);
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        if (type->decl->fields[i].name == attribute->name) {
            attribute->seen = type;
            attribute->type = type_canonical(type->decl->fields[i].type);
            attribute->cell = layout->field_cell[i];
            attribute->array = layout->field_array[i];
            return;
        }
    stop_unsupported(e, x->offset, "%s has no field '%s'", type_message(e, type), attribute->name->text);
}

static void array_attribute(Evaluator *e, const Expr *x, const ArrayView *view, Datum *out)
{
    Name name = x->attribute->name;
    if (name_is(name, "shape") || name_is(name, "strides")) {
        *out = (Datum){.kind = DATUM_TUPLE, .count = view->ndim, .items = scratch(e, view->ndim * sizeof *out)};
        for (uint32_t i = 0; i < view->ndim; i++)
            new_int_datum(e, TYPE_INT32, view->shape[i], &out->items[i]);
        if (name_is(name, "shape"))
            return;
    } else if (name_is(name, "ndim")) {
        new_int_datum(e, TYPE_INT32, view->ndim, out);
        return;
    } else if (name_is(name, "size")) {
        int64_t size = 1;
        for (uint32_t i = 0; i < view->ndim; i++)
            size *= view->shape[i];
        new_int_datum(e, TYPE_INT32, size, out);
        return;
    } else if (name_is(name, "dtype")) {
        *out = (Datum){.kind = DATUM_STATIC, .value = value_type(e->arena, view->type->array.dtype)};
        return;
    }
    stop_unsupported(e, x->offset, "'%s' of an array is not evaluated", name->text);
}

static void static_attribute_of(Evaluator *e, const Expr *x, const Value *object, Datum *out)
{
    const Value *value = static_attribute(e->unit, object, x->attribute->name);
    if (!value || !datum_of_value(e, value, false, out))
        stop_unsupported(e, x->offset, "'%s' is not evaluated", x->attribute->name->text);
}

/* A part of a value: `cell` cells further on, of another type. */
static void narrow(Datum *place, const Type *type, uint32_t cell)
{
    if (place->kind == DATUM_ELEMENT)
        place->first_cell += cell;
    else
        place->cells += cell;
    place->type = type;
}

bool find_composite_part(Evaluator *e, Name name, const Type *type, const Type **part, uint32_t *cell)
{
    const Type *dtype = type->composite.dtype;
    if (type->kind == TYPE_VEC || type->kind == TYPE_QUAT) {
        int component = component_of(type, name);
        *part = dtype;
        *cell = (uint32_t)component;
        return component >= 0;
    }
    bool is_place = name_is(name, "p");
    if (type->kind != TYPE_TRANSFORM || (!is_place && !name_is(name, "q")))
        return false;
    *part = is_place ? type_vec(e->unit->types, 3, dtype) : type_quat(e->unit->types, dtype);
    *cell = is_place ? 0 : 3;
    return true;
}

/* True: the place is narrowed to a part of a vector, quaternion or transform. */
static bool composite_part(Evaluator *e, const Expr *x, Datum *place)
{
    const Type *part;
    uint32_t cell;
    if (!find_composite_part(e, x->attribute->name, place->type, &part, &cell))
        return false;
    narrow(place, part, cell);
    return true;
}

/* `reading`: components of array elements are read now, as Warp does; fields of structs stay places. */
static void attribute_of(Evaluator *e, const Expr *x, const Datum *object, bool reading, Datum *out)
{
    if (object->kind == DATUM_STATIC) {
        static_attribute_of(e, x, object->value, out);
        return;
    }
    if (object->kind == DATUM_ARRAY) {
        array_attribute(e, x, object->arrays, out);
        return;
    }
    *out = *object;
    bool has_type = object->kind == DATUM_VALUE || object->kind == DATUM_STRUCT || object->kind == DATUM_ELEMENT;
    if (has_type && object->type->kind == TYPE_STRUCT) {
        if (x->attribute->seen != object->type)
            find_field(e, x, object->type);
        const Attribute *attribute = x->attribute;
        if (attribute->type->kind == TYPE_ARRAY) {
            if (object->kind == DATUM_ELEMENT)
                stop_unsupported(e, x->offset, "an array in a struct in an array");
            *out = (Datum){.kind = DATUM_ARRAY, .type = attribute->type, .arrays = object->arrays + attribute->array};
            return;
        }
        narrow(out, attribute->type, attribute->cell);
        if (out->kind != DATUM_ELEMENT) {
            out->kind = attribute->type->kind == TYPE_STRUCT ? DATUM_STRUCT : DATUM_VALUE;
            out->arrays = object->arrays ? object->arrays + attribute->array : NULL;
        }
        return;
    }
    if (has_type && type_is_composite(object->type) && composite_part(e, x, out)) {
        if (reading && out->kind == DATUM_ELEMENT)
            load_datum(e, out, x->offset);
        return;
    }
    if (has_type) {
        Attribute *attribute = x->attribute;
        if (attribute->seen != object->type || !attribute->value)
            attribute->value = value_type(e->arena, object->type);
        attribute->seen = object->type;
        static_attribute_of(e, x, attribute->value, out);
    } else
        stop_unsupported(e, x->offset, "%s has no attributes", datum_text(e, object));
}

void eval_attribute(Evaluator *e, const Expr *x, Datum *out)
{
    Datum room;
    attribute_of(e, x, eval_operand(e, x->kids[0], &room), true, out);
}

/* ---- subscripts ---- */

static int32_t slice_bound(Evaluator *e, const Expr *kid, int32_t missing)
{
    if (!kid)
        return missing;
    Datum datum;
    eval_loaded(e, kid, &datum);
    return (int32_t)datum_int(e, &datum, kid->offset);
}

void eval_slice(Evaluator *e, const Expr *x, Datum *out)
{
    int32_t *bounds = scratch(e, 3 * sizeof *bounds);
    bounds[0] = slice_bound(e, x->kids[0], INT32_MAX);
    bounds[1] = slice_bound(e, x->kids[1], INT32_MIN);
    bounds[2] = slice_bound(e, x->kids[2], 1);
    *out = (Datum){.kind = DATUM_SLICE, .bounds = bounds};
}

uint32_t part_index(Evaluator *e, int64_t index, uint32_t length, uint32_t offset)
{
    if (index < -(int64_t)length || index >= (int64_t)length)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "index %lld of %u components", (long long)index, length);
    return (uint32_t)(index < 0 ? index + length : index);
}

static uint32_t component_index(Evaluator *e, const Datum *index, uint32_t length, uint32_t offset)
{
    return part_index(e, datum_int(e, index, offset), length, offset);
}

/* Python's slice.indices(). */
static uint32_t slice_indices(Evaluator *e, const Datum *slice, uint32_t length, uint32_t *out, uint32_t offset)
{
    int64_t step = slice->bounds[2], n = length, start, end;
    if (step == 0)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "the step of a slice is zero");
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    start = slice->bounds[0] == INT32_MAX ? (step > 0 ? low : high) : slice->bounds[0];
    end = slice->bounds[1] == INT32_MIN ? (step > 0 ? high : low) : slice->bounds[1];
    if (slice->bounds[0] != INT32_MAX)
        start = start < 0 ? (start + n > low ? start + n : low) : (start < high ? start : high);
    if (slice->bounds[1] != INT32_MIN)
        end = end < 0 ? (end + n > low ? end + n : low) : (end < high ? end : high);
    uint32_t count = 0;
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
        out[count++] = (uint32_t)i;
    return count;
}

/* Narrows a place by the indices of a vector or matrix; slices and columns make a selection. */
static void select_part(Evaluator *e, const Expr *x, Datum *place, const Datum *indices, uint32_t count)
{
    const Type *type = place->type;
    bool is_matrix = type->kind == TYPE_MAT;
    uint32_t rows = type->composite.rows, cols = is_matrix ? type->composite.cols : 1;
    if (!type_is_composite(type) || count > (is_matrix ? 2u : 1u) || place->selection)
        stop_unsupported(e, x->offset, "%u indices of %s", count, type_message(e, type));
    if (!is_matrix)
        rows = rows * type->composite.cols;
    bool row_slice = indices[0].kind == DATUM_SLICE, col_slice = count > 1 && indices[1].kind == DATUM_SLICE;
    if (!row_slice && !col_slice) {
        uint32_t row = component_index(e, &indices[0], rows, x->offset);
        if (!is_matrix)
            narrow(place, type->composite.dtype, row);
        else if (count == 1)
            narrow(place, type_vec(e->unit->types, cols, type->composite.dtype), row * cols);
        else
            narrow(place, type->composite.dtype, row * cols + component_index(e, &indices[1], cols, x->offset));
        return;
    }
    uint32_t *row_list = scratch(e, (rows + 1) * sizeof *row_list),
             *col_list = scratch(e, (cols + 1) * sizeof *col_list);
    uint32_t row_count = 1, col_count = cols;
    if (row_slice)
        row_count = slice_indices(e, &indices[0], rows, row_list, x->offset);
    else
        row_list[0] = component_index(e, &indices[0], rows, x->offset);
    for (uint32_t i = 0; i < cols; i++)
        col_list[i] = i;
    if (col_slice)
        col_count = slice_indices(e, &indices[1], cols, col_list, x->offset);
    else if (count > 1) {
        col_list[0] = component_index(e, &indices[1], cols, x->offset);
        col_count = 1;
    }
    uint32_t total = row_count * col_count, next = 0;
    if (!total)
        stop_unsupported(e, x->offset, "an empty slice of %s", type_message(e, type));
    uint32_t *selection = scratch(e, total * sizeof *selection);
    for (uint32_t r = 0; r < row_count; r++)
        for (uint32_t c = 0; c < col_count; c++)
            selection[next++] = row_list[r] * cols + col_list[c];
    bool stays_matrix = is_matrix && row_slice && (count == 1 || col_slice);
    place->type = stays_matrix ? type_mat(e->unit->types, row_count, col_count, type->composite.dtype)
                               : type_vec(e->unit->types, total, type->composite.dtype);
    place->selection = selection;
    place->count = total;
}

/* Reads the cells of a selection. */
static void gather(Evaluator *e, Datum *place, uint32_t offset)
{
    const uint32_t *selection = place->selection;
    uint32_t count = place->count;
    const Type *type = place->type;
    if (place->kind == DATUM_ELEMENT) {
        Dual *cells = scratch(e, count * sizeof *cells);
        for (uint32_t i = 0; i < count; i++) {
            Datum cell = {.kind = DATUM_ELEMENT,
                          .type = type->composite.dtype,
                          .storage = place->storage,
                          .first_cell = place->first_cell + selection[i]};
            load_datum(e, &cell, offset);
            cells[i] = *cell.cells;
        }
        *place = (Datum){.kind = DATUM_VALUE, .type = type, .cells = cells};
        return;
    }
    const Dual *from = place->cells;
    Dual *cells = new_datum(e, type, count, place);
    for (uint32_t i = 0; i < count; i++)
        cells[i] = from[selection[i]];
}

static bool is_number(const Expr *x)
{
    return x->eval == eval_constant || (x->eval == eval_unary && x->kids[0]->eval == eval_constant);
}

/* Indices that are written as numbers count from the front, so that only computed ones are left below zero. */
static void count_from_front(Evaluator *e, const Expr *x, const ArrayView *view, Datum *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_number(x->kids[i + 1]) || indices[i].kind != DATUM_VALUE)
            continue;
        int64_t index = datum_int(e, &indices[i], x->offset);
        if (index < 0 && index >= -(int64_t)view->shape[i])
            new_int_datum(e, TYPE_INT32, index + view->shape[i], &indices[i]);
    }
}

void index_array(Evaluator *e, const Expr *x, const ArrayView *view, Datum *indices, uint32_t count, Datum *out)
{
    if (e->run->front_only)
        count_from_front(e, x, view, indices, count);
    index_view(e, view, indices, count, x->offset, out);
}

enum { MAX_INDICES = 16 };

/* An element of an array by numbers that count from the front. False: it is something else. */
static bool plain_element(Evaluator *e, const ArrayView *view, const Datum *const *indices, Datum *out)
{
    if (!view->storage)
        return false;
    int64_t at = view->offset;
    for (uint32_t i = 0; i < view->ndim; i++) {
        if (indices[i]->kind != DATUM_VALUE || indices[i]->type->kind != TYPE_INT32)
            return false;
        int64_t index = indices[i]->cells->integer;
        if (index < 0 || index >= view->shape[i])
            return false;
        at += index * view->stride[i];
    }
    size_t first = (size_t)at * view->storage->width;
    if (e->run->path_sum)
        path_sum_element(e->run->path_sum, first);
    *out = (Datum){.kind = DATUM_ELEMENT,
                   .type = type_canonical(view->type->array.dtype),
                   .storage = view->storage,
                   .first_cell = first};
    return true;
}

/* A component of a vector, likewise. */
static bool plain_component(const Datum *object, const Datum *index, Datum *out)
{
    const Type *type = object->type;
    if (object->selection || type->kind == TYPE_MAT || !type_is_composite(type) || index->kind != DATUM_VALUE ||
        index->type->kind != TYPE_INT32)
        return false;
    int64_t i = index->cells->integer;
    if (i < 0 || i >= (int64_t)type->composite.rows * type->composite.cols)
        return false;
    *out = *object;
    narrow(out, type->composite.dtype, (uint32_t)i);
    return true;
}

static void subscript_of(Evaluator *e, const Expr *x, const Datum *object, bool reading, Datum *out)
{
    uint32_t count = x->count - 1, used = 0;
    Datum indices[MAX_INDICES];
    const Datum *given[MAX_INDICES];
    indices[0].kind = DATUM_NOTHING;
    for (uint32_t i = 0; i < count; i++)
        given[i] = eval_operand(e, x->kids[i + 1], &indices[i]);
    for (uint32_t i = 0; i < count; i++)
        if (given[i]->kind == DATUM_ELEMENT)
            load_datum(e, &indices[i], x->kids[i + 1]->offset);
    if (object->kind == DATUM_ARRAY && object->arrays->ndim == count && plain_element(e, object->arrays, given, out))
        return;
    if (object->kind == DATUM_VALUE && count == 1 && plain_component(object, given[0], out))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (given[i] != &indices[i])
            indices[i] = *given[i];
    *out = *object;
    if (out->kind == DATUM_ARRAY) {
        used = count < out->arrays->ndim ? count : out->arrays->ndim;
        index_array(e, x, object->arrays, indices, used, out);
        if (used == count)
            return;
        if (out->kind == DATUM_ARRAY)
            stop_unsupported(e, x->offset, "too many indices of an array");
    }
    if (out->kind == DATUM_TUPLE) {
        uint32_t i = component_index(e, &indices[0], out->count, x->offset);
        if (count != 1)
            stop_unsupported(e, x->offset, "several indices of a tuple");
        *out = object->items[i];
        return;
    }
    if (out->kind != DATUM_VALUE && out->kind != DATUM_ELEMENT)
        stop_unsupported(e, x->offset, "%s has no elements", datum_text(e, out));
    select_part(e, x, out, indices + used, count - used);
    if (reading && out->selection)
        gather(e, out, x->offset);
    else if (reading && out->kind == DATUM_ELEMENT)
        load_datum(e, out, x->offset);
}

void eval_subscript(Evaluator *e, const Expr *x, Datum *out)
{
    Datum room;
    subscript_of(e, x, eval_operand(e, x->kids[0], &room), true, out);
}

/* *v as an argument: the call spreads the cells. */
void eval_unpack(Evaluator *e, const Expr *x, Datum *out)
{
    eval_loaded(e, x->kids[0], out);
    if (out->kind == DATUM_VALUE && type_is_composite(out->type)) {
        const Datum value = *out;
        bool is_matrix = value.type->kind == TYPE_MAT;
        uint32_t count = is_matrix ? value.type->composite.rows : width_of(&value),
                 cols = is_matrix ? value.type->composite.cols : 1;
        const Type *type =
            is_matrix ? type_vec(e->unit->types, cols, value.type->composite.dtype) : value.type->composite.dtype;
        *out = (Datum){.kind = DATUM_TUPLE, .count = count, .items = scratch(e, count * sizeof *out)};
        for (uint32_t i = 0; i < count; i++)
            out->items[i] = (Datum){.kind = DATUM_VALUE, .type = type, .cells = value.cells + i * cols};
    } else if (out->kind == DATUM_ARRAY && out->arrays->ndim == 1) {
        const ArrayView view = *out->arrays;
        *out = (Datum){.kind = DATUM_TUPLE, .count = view.shape[0], .items = scratch(e, view.shape[0] * sizeof *out)};
        for (uint32_t i = 0; i < view.shape[0]; i++) {
            Datum index;
            new_int_datum(e, TYPE_INT32, i, &index);
            index_view(e, &view, &index, 1, x->offset, &out->items[i]);
        }
    } else if (out->kind != DATUM_TUPLE)
        stop_unsupported(e, x->offset, "%s cannot be unpacked", datum_text(e, out));
}

/* ---- places ---- */

void eval_place(Evaluator *e, const Expr *x, Datum *out)
{
    Datum object;
    if (x->eval == eval_attribute) {
        eval_place(e, x->kids[0], &object);
        attribute_of(e, x, &object, false, out);
    } else if (x->eval == eval_subscript) {
        eval_place(e, x->kids[0], &object);
        subscript_of(e, x, &object, false, out);
    } else
        eval(e, x, out);
}

void store_place(Evaluator *e, const Datum *place, const Datum *value, uint32_t offset)
{
    Datum loaded = *value;
    if (loaded.kind == DATUM_ELEMENT)
        load_datum(e, &loaded, offset);
    if (place->kind == DATUM_ARRAY && loaded.kind == DATUM_ARRAY) { /* a field of a struct */
        *place->arrays = *loaded.arrays;
        return;
    }
    bool fits = (loaded.kind == DATUM_VALUE || loaded.kind == DATUM_STRUCT) &&
                (place->kind == DATUM_VALUE || place->kind == DATUM_STRUCT || place->kind == DATUM_ELEMENT);
    uint32_t width = fits ? place->selection ? place->count : cells_of_type(e, place->type, offset) : 0;
    if (!fits || (place->kind != DATUM_ELEMENT && !place->writable))
        stop_unsupported(e, offset, "%s cannot be stored here", datum_text(e, &loaded));
    Dual *cells = loaded.cells;
    TypeKind from = type_scalar_of(loaded.type)->kind, to = type_scalar_of(place->type)->kind;
    uint32_t given = cells_of_type(e, loaded.type, offset);
    if (given != width || (from != to && type_is_single(type_scalar_of(loaded.type)))) {
        if (given != width && given != 1)
            stop_unsupported(e, offset, "%s cannot be stored as %s", datum_text(e, &loaded),
                             type_message(e, place->type));
        cells = scratch(e, width * sizeof *cells);
        for (uint32_t i = 0; i < width; i++)
            cells[i] = convert_scalar(e, loaded.cells[given == 1 ? 0 : i], from, to, offset);
    }
    if (place->selection) {
        for (uint32_t i = 0; i < width; i++) {
            if (place->kind != DATUM_ELEMENT) {
                place->cells[place->selection[i]] = cells[i];
                continue;
            }
            Datum cell = {.kind = DATUM_ELEMENT,
                          .type = place->type->composite.dtype,
                          .storage = place->storage,
                          .first_cell = place->first_cell + place->selection[i]};
            store_element_cells(e, &cell, &cells[i], offset);
        }
    } else if (place->kind == DATUM_ELEMENT)
        store_element_cells(e, place, cells, offset);
    else {
        memmove(place->cells, cells, width * sizeof *cells);
        if (place->kind == DATUM_STRUCT && struct_layout(e, place->type, offset)->arrays)
            memmove(place->arrays, loaded.arrays,
                    struct_layout(e, place->type, offset)->arrays * sizeof *place->arrays);
    }
}
