#include "corpus/launch_rows.h"

#include <string.h>

/* Shapes are those of the rows; what follows the dimensions of an array are those of its elements. */
static CheckLaunch describe(const Compiled *compiled, const CudaExample *example)
{
    const Code *code = compiled->module->kernel->code;
    CheckLaunch out = {.ndim = example->ndim, .block_dim = example->block_dim};
    out.args = ARENA_ARRAY(compiled->unit->arena, CheckArg, example->inputs.count + 1);
    for (uint32_t d = 0; d < out.ndim; d++)
        out.dim[d] = example->dim[d];
    for (uint32_t i = 0; i < example->inputs.count; i++) {
        const CudaRow *row = &example->inputs.items[i];
        uint32_t p = 0;
        while (p < code->param_count && strcmp(code->params[p].name->text, row->name) != 0)
            p++;
        const Type *type = p < code->param_count ? type_canonical(code->params[p].type) : NULL;
        bool is_array = type && type->kind == TYPE_ARRAY;
        CheckArg *arg = &out.args[out.arg_count++];
        *arg = (CheckArg){.name = row->field && !is_array
                                      ? arena_format(compiled->unit->arena, "%s.%s", row->name, row->field)
                                      : row->name,
                          .ndim = is_array ? type->array.ndim : 0};
        if (row->field && !is_array)
            arg->ndim = row->ndim < 4 ? row->ndim : 4;
        for (uint32_t d = 0; d < arg->ndim && d < row->ndim; d++)
            arg->shape[d] = row->shape[d];
    }
    return out;
}

typedef struct Rows {
    const CudaRows *list;
    uint32_t next;
} Rows;

/* The value from the next rows; of an array of structs, each row is one of their fields. */
static bool fill_value(LaunchValue *value, Rows *rows)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        if (!fill_value(&value->fields[i], rows))
            return false;
    for (uint32_t done = 0; !value->field_count && done < value->width;) {
        if (rows->next == rows->list->count)
            return false;
        const CudaRow *row = &rows->list->items[rows->next++];
        size_t each = value->count ? row->count / value->count : 0;
        if (!each || each * value->count != row->count || done + each > value->width)
            return false;
        for (size_t i = 0; i < row->count; i++) {
            size_t cell = i / each * value->width + done + i % each;
            bool is_real = launch_cell_is_real(value, cell);
            if (is_real == (row->wholes != NULL))
                return false;
            if (is_real)
                value->cells[cell].real = row->reals[i];
            else
                value->cells[cell].integer = row->wholes[i];
        }
        done += (uint32_t)each;
    }
    return true;
}

Launch *launch_of_rows(const Compiled *compiled, const CudaExample *example, const char **why)
{
    CheckLaunch description = describe(compiled, example);
    Launch *launch = check_make_launch(compiled->unit, compiled->module, &description, 1, why);
    Rows rows = {.list = &example->inputs};
    for (uint32_t i = 0; launch && i < launch->arg_count; i++)
        if (!fill_value(&launch->args[i], &rows))
            launch = NULL;
    if (launch && rows.next == rows.list->count)
        return launch;
    *why = "the launch does not fit the kernel";
    return NULL;
}

static void list_arrays(LaunchValue *value, LaunchValue **list, uint32_t *count, uint32_t most)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        list_arrays(&value->fields[i], list, count, most);
    if (value->type->kind == TYPE_ARRAY && *count < most)
        list[(*count)++] = value;
}

uint32_t launch_arrays(Launch *launch, LaunchValue **arrays, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        list_arrays(&launch->args[i], arrays, &count, most);
    return count;
}
