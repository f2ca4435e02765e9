/* A launch of a record as arguments of the kernels, and what must come out of it.
 *
 * The rows of an argument follow each other, and so do the parameters that belong to it: itself, its sizes, its gradient. */
#include "cuda/code.h"

#include <math.h>

typedef struct Binder {
    CudaText *text;
    const CudaFunction *function;
    const CudaRows *rows;
    uint32_t row; /* the next one */
    uint32_t param;
    CudaLaunch *launch;
    CudaNumber *args;
    uint32_t array; /* arrays that this kernel has met so far */
} Binder;

static void set_cell(const CudaLaunch *launch, uint8_t kind, CudaNumber *cell, const CudaRow *row, size_t index)
{
    if (kind == CUDA_F32 && !launch->wide)
        cell->real = (double)(float)row->reals[index];
    else if (kind == CUDA_F32 || kind == CUDA_F64)
        cell->real = row->reals[index];
    else
        cell->whole = row->wholes ? wrap_whole((CudaKind)kind, row->wholes[index]) : 0;
}

static const CudaRow *row_at(const Binder *b, uint32_t index)
{
    return &b->rows->items[index];
}

static bool is_of(const Binder *b, uint32_t index, const char *name)
{
    return index < b->rows->count && strcmp(row_at(b, index)->name, name) == 0;
}

/* ---- arrays ---- */

/* The array of the rows from b->row to `to`; false: they do not fit the element. */
static bool make_array(Binder *b, const CudaType *element, uint32_t to, CudaArray *array)
{
    Arena *arena = b->text->arena;
    size_t numbers = 0, cells = element->cells, start = 0;
    for (uint32_t i = b->row; i < to; i++)
        numbers += row_at(b, i)->count;
    array->elements = numbers / cells;
    if (!array->elements || array->elements * cells != numbers || to - b->row > 32 || element->has_pointers)
        return false;
    array->cells = cells;
    array->element = element;
    array->kinds = kinds_of(arena, element);
    array->data = ARENA_ARRAY(arena, CudaNumber, numbers);
    array->start = ARENA_ARRAY(arena, CudaNumber, numbers);
    array->adjoint = ARENA_ARRAY(arena, CudaNumber, numbers);
    for (uint32_t i = b->row; i < to; i++) {
        const CudaRow *row = row_at(b, i);
        size_t each = row->count / array->elements, k = 0;
        array->fields[array->field_count] = row->field;
        array->field_start[array->field_count++] = (uint32_t)start;
        if (start + each > cells)
            return false;
        for (size_t element_at = 0; element_at < array->elements; element_at++)
            for (size_t c = start; c < start + each; c++)
                set_cell(b->launch, array->kinds[c], &array->start[element_at * cells + c], row, k++);
        start += each;
    }
    array->field_start[array->field_count] = (uint32_t)start;
    memcpy(array->data, array->start, numbers * sizeof(CudaNumber));
    return start == cells;
}

/* The next array of this kernel; the first kernel makes it. */
static CudaArray *next_array(Binder *b, const CudaType *element, uint32_t to, bool in_struct)
{
    CudaLaunch *launch = b->launch;
    if (b->array < launch->array_count) {
        b->row = to;
        CudaArray *known = &launch->arrays[b->array++];
        return known->element == element ? known : NULL;
    }
    if (launch->array_count == launch->array_cap)
        return NULL;
    CudaArray *array = &launch->arrays[launch->array_count++];
    *array = (CudaArray){.name = row_at(b, b->row)->name, .field = in_struct ? row_at(b, b->row)->field : NULL};
    if (!make_array(b, element, to, array))
        return NULL;
    b->row = to;
    b->array++;
    return array;
}

static int64_t pointer_to_array(const Binder *b, const CudaArray *array, bool adjoint)
{
    return pointer_at(SEGMENT_ARRAYS + 2 * (uint32_t)(array - b->launch->arrays) + adjoint, 0);
}

/* ---- arguments ---- */

static int64_t size_in_row(const CudaRow *row, uint32_t dim)
{
    return dim < row->ndim ? (int32_t)row->shape[dim] : 0;
}

/* A value of the type from the next rows, at the place; `adjoint` gets the same with gradients instead of arrays. */
static bool bind_value(Binder *b, const CudaType *type, CudaNumber *place, CudaNumber *adjoint)
{
    if (b->row >= b->rows->count)
        return false;
    const CudaRow *row = row_at(b, b->row);
    if (!type->has_pointers && row->count == type->cells) {
        const uint8_t *kinds = kinds_of(b->text->arena, type);
        for (size_t i = 0; i < type->cells; i++)
            set_cell(b->launch, kinds[i], &place[i], row, i);
        b->row++;
        return true;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const CudaField *field = &type->fields[i];
        if (field->type->kind != CUDA_POINTER) {
            if (!bind_value(b, field->type, place + field->cell, adjoint + field->cell))
                return false;
            continue;
        }
        if (b->row >= b->rows->count)
            return false;
        const CudaRow *array_row = row_at(b, b->row);
        CudaArray *array = next_array(b, field->type->of, b->row + 1, true);
        if (!array || i + 1 == type->field_count || type->fields[i + 1].type->kind != CUDA_ARRAY)
            return false;
        place[field->cell].whole = pointer_to_array(b, array, false);
        adjoint[field->cell].whole = pointer_to_array(b, array, true);
        array->has_adjoint = true;
        const CudaField *sizes = &type->fields[++i];
        for (uint32_t d = 0; d < sizes->type->count; d++)
            place[sizes->cell + d].whole = adjoint[sizes->cell + d].whole = size_in_row(array_row, d);
    }
    return type->kind == CUDA_STRUCT && type->field_count;
}

/* Is the next parameter called `before`, name, `behind`? */
static bool is_param(const Binder *b, const char *before, const char *name, const char *behind)
{
    if (b->param >= b->function->param_count || !b->function->params[b->param]->name)
        return false;
    const char *text = b->function->params[b->param]->name->text;
    size_t length = strlen(before), name_length = strlen(name);
    return strncmp(text, before, length) == 0 && strncmp(text + length, name, name_length) == 0 &&
           strcmp(text + length + name_length, behind) == 0;
}

/* The cells of the next parameter, which is bound by this. */
static CudaNumber *next_cells(Binder *b)
{
    return &b->args[b->function->params[b->param++]->place.slot];
}

/* The sizes of an array parameter that the kernel takes, and its gradient. */
static void bind_companions(Binder *b, const char *name, const CudaRow *row, CudaArray *array)
{
    static const char *const sizes[] = {"_dim0", "_dim1", "_dim2", "_dim3"};
    for (unsigned d = 0; d < 4; d++)
        if (is_param(b, "", name, sizes[d]) || (d == 0 && is_param(b, "", name, "_size")))
            next_cells(b)->whole = size_in_row(row, d);
    if (is_param(b, "adj_", name, "")) {
        array->has_adjoint = true;
        next_cells(b)->whole = pointer_to_array(b, array, true);
    }
}

static bool bind_argument(Binder *b)
{
    const Variable *param = b->function->params[b->param];
    const CudaRow *first = row_at(b, b->row);
    uint32_t to = b->row;
    while (is_of(b, to, first->name))
        to++;
    if (param->type->kind == CUDA_POINTER) {
        CudaArray *array = next_array(b, param->type->of, to, false);
        if (!array)
            return false;
        array->keeps_result |=
            b->param < 32 && b->function == b->text->kernels[0] && b->function->extremes >> b->param & 1;
        next_cells(b)->whole = pointer_to_array(b, array, false);
        bind_companions(b, param->name->text, first, array);
        return true;
    }
    CudaNumber *value = next_cells(b), *adjoint = ARENA_ARRAY(b->text->arena, CudaNumber, param->type->cells);
    if (!bind_value(b, param->type, value, adjoint) || b->row != to)
        return false;
    if (is_param(b, "adj_", param->name->text, "")) {
        if (b->function->params[b->param]->type != param->type)
            return false;
        memcpy(next_cells(b), adjoint, param->type->cells * sizeof *adjoint);
    }
    return true;
}

/* NULL: the launch does not fit. */
static CudaNumber *bind_kernel(CudaText *text, const CudaFunction *function, const CudaRows *rows, CudaLaunch *launch)
{
    Binder b = {.text = text, .function = function, .rows = rows, .launch = launch};
    b.args = ARENA_ARRAY(text->arena, CudaNumber, function->code->param_cells + 1);
    while (b.row < rows->count)
        if (b.param >= function->param_count || !function->params[b.param]->name || !bind_argument(&b))
            return NULL;
    for (uint32_t d = 0; d < 4 && b.param < function->param_count; d++)
        next_cells(&b)->whole = (int32_t)launch->dim[d];
    return b.param == function->param_count ? b.args : NULL;
}

CudaLaunch *cuda_launch(CudaText *text, const CudaExample *example, bool wide, const char **why)
{
    enum { MOST_ARRAYS = 64 };
    CudaLaunch *launch = ARENA_NEW(text->arena, CudaLaunch);
    *why = "the launch does not fit the kernel";
    launch->array_cap = example->inputs.count < MOST_ARRAYS ? example->inputs.count : MOST_ARRAYS;
    launch->arrays = ARENA_ARRAY(text->arena, CudaArray, launch->array_cap);
    launch->wide = wide;
    launch->threads = 1;
    for (uint32_t d = 0; d < 4; d++) {
        launch->dim[d] = d < example->ndim ? example->dim[d] : 1;
        launch->threads *= launch->dim[d];
    }
    launch->forward = bind_kernel(text, text->kernels[0], &example->inputs, launch);
    if (launch->forward && text->kernels[1])
        launch->backward = bind_kernel(text, text->kernels[1], &example->inputs, launch);
    return launch->forward && (launch->backward || !text->kernels[1]) ? launch : NULL;
}

/* ---- what is in them ---- */

double cuda_cell(const CudaArray *array, size_t cell, bool adjoint)
{
    const CudaNumber *number = &(adjoint ? array->adjoint : array->data)[cell];
    uint8_t kind = array->kinds[cell % array->cells];
    return kind == CUDA_F32 || kind == CUDA_F64 ? number->real : (double)number->whole;
}

void cuda_set_adjoint(const CudaLaunch *launch, CudaArray *array, size_t cell, double value)
{
    set_cell(launch, array->kinds[cell % array->cells], &array->adjoint[cell], &(CudaRow){.reals = &value}, 0);
}

void cuda_rewind(CudaLaunch *launch)
{
    for (uint32_t i = 0; i < launch->array_count; i++) {
        CudaArray *array = &launch->arrays[i];
        if (!array->keeps_result)
            memcpy(array->data, array->start, array->elements * array->cells * sizeof(CudaNumber));
    }
}

static bool same_field(const char *a, const char *b)
{
    return !a == !b && (!a || strcmp(a, b) == 0);
}

/* The array and the part of it that a row is about; NULL: there is none. */
static CudaArray *array_of_row(const CudaLaunch *launch, const CudaRow *row, uint32_t *part)
{
    for (uint32_t i = 0; i < launch->array_count; i++) {
        CudaArray *array = &launch->arrays[i];
        for (*part = 0; strcmp(array->name, row->name) == 0 && *part < array->field_count; ++*part)
            if (same_field(array->fields[*part], row->field))
                return array;
    }
    return NULL;
}

static size_t cell_of_row(const CudaArray *array, uint32_t part, size_t index)
{
    size_t each = array->field_start[part + 1] - array->field_start[part];
    return index / each * array->cells + array->field_start[part] + index % each;
}

/* Has the row as many numbers as the part of the array? */
static bool row_fits(const CudaArray *array, uint32_t part, const CudaRow *row)
{
    size_t each = array->field_start[part + 1] - array->field_start[part];
    return each && row->count <= each * array->elements;
}

bool cuda_set_cotangents(const CudaLaunch *launch, const CudaRows *rows)
{
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t part;
        const CudaRow *row = &rows->items[r];
        CudaArray *array = array_of_row(launch, row, &part);
        if (!array || !row_fits(array, part, row))
            return false;
        for (size_t i = 0; i < row->count; i++) {
            size_t cell = cell_of_row(array, part, i);
            set_cell(launch, array->kinds[cell % array->cells], &array->adjoint[cell], row, i);
        }
    }
    return true;
}

static bool row_agrees(Arena *arena, const CudaArray *array, uint32_t part, const CudaRow *row, bool adjoint,
                       const char **why)
{
    *why = "a row is too long";
    if (!row_fits(array, part, row))
        return false;
    for (size_t i = 0; i < row->count; i++) {
        double expected = row->reals[i], found = cuda_cell(array, cell_of_row(array, part, i), adjoint);
        if (fabs(found - expected) <= row->tolerance)
            continue;
        *why = arena_format(arena, "%s%s%s%s: element %zu: got %.9g, expected %.9g +- %.2g",
                            adjoint ? "gradient of " : "", array->name, array->fields[part] ? "." : "",
                            array->fields[part] ? array->fields[part] : "", i, found, expected, row->tolerance);
        return false;
    }
    return true;
}

bool cuda_outputs_agree(Arena *arena, const CudaLaunch *launch, const CudaRows *rows, const char **why)
{
    uint64_t seen = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t part;
        CudaArray *array = array_of_row(launch, &rows->items[r], &part);
        *why = "a row has no array";
        if (!array || !row_agrees(arena, array, part, &rows->items[r], false, why))
            return false;
        seen |= 1ull << (array - launch->arrays);
    }
    for (uint32_t i = 0; i < launch->array_count; i++) {
        const CudaArray *array = &launch->arrays[i];
        if (seen >> i & 1 ||
            memcmp(array->data, array->start, array->elements * array->cells * sizeof(CudaNumber)) == 0)
            continue;
        *why = arena_format(arena, "%s is changed", array->name);
        return false;
    }
    return true;
}

static bool has_row(const CudaRows *rows, const CudaRow *like)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (strcmp(rows->items[i].name, like->name) == 0 && same_field(rows->items[i].field, like->field))
            return true;
    return false;
}

bool cuda_gradients_agree(Arena *arena, const CudaLaunch *launch, const CudaExample *example, const char **why)
{
    const CudaRows *rows = &example->gradients;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t part;
        CudaArray *array = array_of_row(launch, &rows->items[i], &part);
        if (array && !has_row(&example->cotangents, &rows->items[i]) &&
            !row_agrees(arena, array, part, &rows->items[i], true, why))
            return false;
    }
    return true;
}
