/* A launch of a record as arguments of the kernels, and what must come out of it.
 *
 * The rows of an argument follow each other, and so do the parameters that belong to it: itself, its sizes, its gradient. */
#include "cuda/impl.h"

#include <math.h>
#include <stdio.h>

typedef struct Binder {
    CudaText *text;
    const CudaFunction *function;
    const json_t *rows;
    size_t row; /* the next one */
    uint32_t param;
    CudaLaunch *launch;
    uint32_t array; /* arrays that this kernel has met so far */
    const char *why;
} Binder;

static size_t numbers_in(const json_t *row)
{
    const json_t *floats = json_object_get(row, "floats");
    return json_array_size(json_is_array(floats) ? floats : json_object_get(row, "ints"));
}

static void set_cell(const CudaType *type, char *place, size_t cell, const json_t *row, size_t index)
{
    const json_t *floats = json_object_get(row, "floats");
    const json_t *item = json_array_get(json_is_array(floats) ? floats : json_object_get(row, "ints"), index);
    cell_set(type, place, cell, json_number_value(item), json_is_integer(item) ? json_integer_value(item) : 0);
}

static const json_t *row_at(const Binder *b, size_t index)
{
    return json_array_get(b->rows, index);
}

static bool is_of(const Binder *b, size_t index, const char *name)
{
    return index < json_array_size(b->rows) && strcmp(json_member_string(row_at(b, index), "name"), name) == 0;
}

static const char *field_of_row(const json_t *row)
{
    const json_t *field = json_object_get(row, "field");
    return json_is_string(field) ? json_string_value(field) : NULL;
}

/* ---- arrays ---- */

static bool all_real(const CudaType *type)
{
    if (type->kind == CUDA_ARRAY)
        return all_real(type->of);
    for (uint32_t i = 0; i < type->field_count; i++)
        if (!all_real(type->fields[i].type))
            return false;
    return type->kind == CUDA_STRUCT || is_real(type);
}

/* The array of the rows from b->row to `to`; false: they do not fit the element. */
static bool make_array(Binder *b, const CudaType *element, size_t to, CudaArray *array)
{
    Arena *arena = b->text->arena;
    size_t numbers = 0, cells = cells_of(element), start = 0;
    for (size_t i = b->row; i < to; i++)
        numbers += numbers_in(row_at(b, i));
    array->elements = cells ? numbers / cells : 0;
    if (!array->elements || array->elements * cells != numbers || to - b->row > 32)
        return false;
    array->cells = cells;
    array->element = element;
    array->is_float = all_real(element);
    array->bytes = array->elements * element->size;
    array->data = arena_alloc(arena, array->bytes);
    array->start = arena_alloc(arena, array->bytes);
    array->adjoint = arena_alloc(arena, array->bytes);
    for (size_t i = b->row; i < to; i++) {
        const json_t *row = row_at(b, i);
        size_t each = numbers_in(row) / array->elements;
        array->fields[array->field_count] = field_of_row(row);
        array->field_start[array->field_count++] = (uint32_t)start;
        for (size_t k = 0; k < each * array->elements; k++)
            set_cell(element, array->start, k / each * cells + start + k % each, row, k);
        start += each;
    }
    array->field_start[array->field_count] = (uint32_t)start;
    memcpy(array->data, array->start, array->bytes);
    return start == cells;
}

/* The next array of this kernel; the first kernel makes it. */
static CudaArray *next_array(Binder *b, const CudaType *element, size_t to, bool in_struct)
{
    CudaLaunch *launch = b->launch;
    if (b->array < launch->array_count) {
        b->row = to;
        CudaArray *known = &launch->arrays[b->array++];
        return known->element == element ? known : NULL;
    }
    CudaArray *array = &ARENA_PUSH(b->text->arena, launch->arrays, launch->array_count, launch->array_cap);
    *array = (CudaArray){.name = json_member_string(row_at(b, b->row), "name"),
                         .field = in_struct ? field_of_row(row_at(b, b->row)) : NULL};
    if (!make_array(b, element, to, array))
        return NULL;
    b->row = to;
    b->array++;
    return array;
}

/* ---- arguments ---- */

static int32_t size_in_row(const json_t *row, size_t dim)
{
    return (int32_t)json_integer_value(json_array_get(json_object_get(row, "shape"), dim));
}

static bool holds_pointers(const CudaType *type)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (holds_pointers(type->fields[i].type))
            return true;
    return type->kind == CUDA_POINTER;
}

/* A value of the type from the next rows, at the place; `adjoint` gets the same with gradients instead of arrays. */
static bool bind_value(Binder *b, const CudaType *type, char *place, char *adjoint)
{
    const json_t *row = row_at(b, b->row);
    if (!row)
        return false;
    if (!holds_pointers(type) && numbers_in(row) == cells_of(type) && cells_of(type)) {
        for (size_t i = 0; i < cells_of(type); i++)
            set_cell(type, place, i, row, i);
        b->row++;
        return true;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const CudaField *field = &type->fields[i];
        if (field->type->kind != CUDA_POINTER) {
            if (!bind_value(b, field->type, place + field->offset, adjoint + field->offset))
                return false;
            continue;
        }
        const json_t *array_row = row_at(b, b->row);
        CudaArray *array = next_array(b, field->type->of, b->row + 1, true);
        if (!array || i + 1 == type->field_count || type->fields[i + 1].type->kind != CUDA_ARRAY)
            return false;
        memcpy(place + field->offset, &array->data, sizeof array->data);
        memcpy(adjoint + field->offset, &array->adjoint, sizeof array->adjoint);
        array->has_adjoint = true;
        const CudaField *sizes = &type->fields[++i];
        for (uint32_t d = 0; d < sizes->type->count; d++) {
            int32_t size = size_in_row(array_row, d);
            memcpy(place + sizes->offset + d * sizeof size, &size, sizeof size);
            memcpy(adjoint + sizes->offset + d * sizeof size, &size, sizeof size);
        }
    }
    return type->kind == CUDA_STRUCT && type->field_count;
}

static bool is_param(const Binder *b, const char *format, const char *name, unsigned number)
{
    char wanted[300];
    snprintf(wanted, sizeof wanted, format, name, number);
    return b->param < b->function->param_count && b->function->params[b->param].name &&
           name_is(b->function->params[b->param].name, wanted);
}

/* The sizes of an array parameter that the kernel takes, and its gradient. */
static void bind_companions(Binder *b, void **args, const char *name, const json_t *row, CudaArray *array)
{
    for (unsigned d = 0; d < 4; d++)
        if (is_param(b, d ? "%s_dim%u" : "%s_size", name, d) || is_param(b, "%s_dim%u", name, d)) {
            int32_t *size = ARENA_NEW(b->text->arena, int32_t);
            *size = size_in_row(row, d);
            args[b->param++] = size;
        }
    if (is_param(b, "adj_%s", name, 0)) {
        array->has_adjoint = true;
        args[b->param++] = &array->adjoint;
    }
}

static bool bind_argument(Binder *b, void **args)
{
    Arena *arena = b->text->arena;
    const Parameter *param = &b->function->params[b->param];
    const json_t *first = row_at(b, b->row);
    const char *name = json_member_string(first, "name");
    size_t to = b->row;
    while (is_of(b, to, name))
        to++;
    if (param->type->kind == CUDA_POINTER) {
        uint32_t index = b->array;
        CudaArray *array = next_array(b, param->type->of, to, false);
        if (!array)
            return false;
        array = &b->launch->arrays[index];
        array->keeps_result |=
            b->param < 32 && b->function == b->text->kernels[0] && b->function->extremes >> b->param & 1;
        args[b->param++] = &array->data;
        bind_companions(b, args, param->name->text, first, array);
        return true;
    }
    char *value = arena_alloc(arena, param->type->size), *adjoint = arena_alloc(arena, param->type->size);
    args[b->param++] = value;
    if (!bind_value(b, param->type, value, adjoint) || b->row != to)
        return false;
    if (is_param(b, "adj_%s", param->name->text, 0))
        args[b->param++] = adjoint;
    return true;
}

/* NULL: the launch does not fit. */
static void **bind_kernel(CudaText *text, const CudaFunction *function, const json_t *rows, CudaLaunch *launch)
{
    Binder b = {.text = text, .function = function, .rows = rows, .launch = launch};
    void **args = ARENA_ARRAY(text->arena, void *, function->param_count + 1);
    while (b.row < json_array_size(rows))
        if (b.param >= function->param_count || !function->params[b.param].name || !bind_argument(&b, args))
            return NULL;
    for (uint32_t d = 0; d < 4 && b.param < function->param_count; d++) {
        int32_t *size = ARENA_NEW(text->arena, int32_t);
        *size = (int32_t)launch->dim[d];
        args[b.param++] = size;
    }
    return b.param == function->param_count ? args : NULL;
}

CudaLaunch *cuda_launch(CudaText *text, const json_t *json, const char **why)
{
    enum { MOST_ARRAYS = 64 }; /* reserved at once: arguments point into them */
    CudaLaunch *launch = ARENA_NEW(text->arena, CudaLaunch);
    const json_t *dim = json_object_get(json, "dim"), *rows = json_object_get(json, "inputs");
    *why = "the launch does not fit the kernel";
    launch->arrays = ARENA_ARRAY(text->arena, CudaArray, MOST_ARRAYS);
    launch->array_cap = MOST_ARRAYS;
    launch->threads = 1;
    for (size_t d = 0; d < 4; d++) {
        launch->dim[d] = d < json_array_size(dim) ? (uint32_t)json_integer_value(json_array_get(dim, d)) : 1;
        launch->threads *= launch->dim[d];
    }
    launch->forward = bind_kernel(text, text->kernels[0], rows, launch);
    if (launch->forward && text->kernels[1])
        launch->backward = bind_kernel(text, text->kernels[1], rows, launch);
    return launch->forward && launch->array_cap == MOST_ARRAYS && (launch->backward || !text->kernels[1]) ? launch
                                                                                                          : NULL;
}

/* ---- what is in them ---- */

double cuda_cell(const CudaArray *array, size_t cell, bool adjoint)
{
    return cell_get(array->element, adjoint ? array->adjoint : array->data, cell);
}

void cuda_set_adjoint(CudaArray *array, size_t cell, double value)
{
    cell_set(array->element, array->adjoint, cell, value, 0);
}

void cuda_restart(CudaLaunch *launch)
{
    for (uint32_t i = 0; i < launch->array_count; i++) {
        memcpy(launch->arrays[i].data, launch->arrays[i].start, launch->arrays[i].bytes);
        memset(launch->arrays[i].adjoint, 0, launch->arrays[i].bytes);
    }
}

void cuda_rewind(CudaLaunch *launch)
{
    for (uint32_t i = 0; i < launch->array_count; i++)
        if (!launch->arrays[i].keeps_result)
            memcpy(launch->arrays[i].data, launch->arrays[i].start, launch->arrays[i].bytes);
}

/* The array and the part of it that a row is about; NULL: there is none. */
static CudaArray *array_of_row(const CudaLaunch *launch, const json_t *row, uint32_t *part)
{
    const char *name = json_member_string(row, "name"), *field = field_of_row(row);
    for (uint32_t i = 0; i < launch->array_count; i++) {
        CudaArray *array = &launch->arrays[i];
        for (*part = 0; strcmp(array->name, name) == 0 && *part < array->field_count; ++*part)
            if (!array->fields[*part] == !field && (!field || strcmp(array->fields[*part], field) == 0))
                return array;
    }
    return NULL;
}

static size_t cell_of_row(const CudaArray *array, uint32_t part, size_t index)
{
    size_t each = array->field_start[part + 1] - array->field_start[part];
    return index / each * array->cells + array->field_start[part] + index % each;
}

bool cuda_set_cotangents(const CudaLaunch *launch, const json_t *rows)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        uint32_t part;
        CudaArray *array = array_of_row(launch, row, &part);
        for (size_t i = 0; array && i < numbers_in(row); i++)
            set_cell(array->element, array->adjoint, cell_of_row(array, part, i), row, i);
        if (!array)
            return false;
    }
    return true;
}

static bool row_agrees(Arena *arena, const CudaArray *array, uint32_t part, const json_t *row, bool adjoint,
                       const char **why)
{
    const json_t *floats = json_object_get(row, "floats"), *tolerance = json_object_get(row, "tolerance");
    const json_t *numbers = json_is_array(floats) ? floats : json_object_get(row, "ints");
    double slack = json_is_number(tolerance) ? json_number_value(tolerance) : 0;
    for (size_t i = 0; i < json_array_size(numbers); i++) {
        double expected = json_number_value(json_array_get(numbers, i));
        double found = cuda_cell(array, cell_of_row(array, part, i), adjoint);
        if (fabs(found - expected) <= slack)
            continue;
        *why = arena_format(arena, "%s%s%s%s: number %zu is %.9g instead of %.9g, which may differ by %.2g",
                            adjoint ? "gradient of " : "", array->name, array->fields[part] ? "." : "",
                            array->fields[part] ? array->fields[part] : "", i, found, expected, slack);
        return false;
    }
    return true;
}

static bool rows_agree(Arena *arena, const CudaLaunch *launch, const json_t *rows, bool adjoint, uint64_t *seen,
                       const char **why)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        uint32_t part;
        CudaArray *array = array_of_row(launch, row, &part);
        *why = "a row has no array";
        if (!array || !row_agrees(arena, array, part, row, adjoint, why))
            return false;
        *seen |= 1ull << (array - launch->arrays);
    }
    return true;
}

bool cuda_outputs_agree(Arena *arena, const CudaLaunch *launch, const json_t *rows, const char **why)
{
    uint64_t seen = 0;
    if (!rows_agree(arena, launch, rows, false, &seen, why))
        return false;
    for (uint32_t i = 0; i < launch->array_count; i++) {
        const CudaArray *array = &launch->arrays[i];
        if (seen >> i & 1 || memcmp(array->data, array->start, array->bytes) == 0)
            continue;
        *why = arena_format(arena, "%s is changed", array->name);
        return false;
    }
    return true;
}

static bool has_row(const json_t *rows, const json_t *like)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        if (json_equal(json_object_get(row, "name"), json_object_get(like, "name")) &&
            json_equal(json_object_get(row, "field"), json_object_get(like, "field")))
            return true;
    }
    return false;
}

bool cuda_gradients_agree(Arena *arena, const CudaLaunch *launch, const json_t *rows, const json_t *cotangents,
                          const char **why)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        uint32_t part;
        CudaArray *array = array_of_row(launch, row, &part);
        if (array && !has_row(cotangents, row) && !row_agrees(arena, array, part, row, true, why))
            return false;
    }
    return true;
}
