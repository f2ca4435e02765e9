#include "gpu/arguments.h"

#include <string.h>

/* ---- sizes ---- */

static void count_arrays(const LaunchValue *value, uint32_t *count, size_t *largest)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        count_arrays(&value->fields[i], count, largest);
    if (value->type->kind != TYPE_ARRAY)
        return;
    size_t size = value->count * layout_size(value->type->array.dtype);
    *largest = size > *largest ? size : *largest;
    *count += 1;
}

/* ---- copying ---- */

static void pack_elements(const LaunchValue *array, unsigned char *to)
{
    const Type *element = array->type->array.dtype;
    size_t size = layout_size(element);
    memset(to, 0, array->count * size);
    for (size_t i = 0; i < array->count; i++)
        layout_put(element, array->cells + i * array->width, to + i * size);
}

static void pack_gradients(const LaunchValue *array, Arena *arena, unsigned char *to)
{
    LaunchValue copy = *array;
    copy.cells = ARENA_ARRAY(arena, Cell, array->count * array->width);
    for (size_t i = 0; i < array->count * array->width; i++)
        if (type_is_float(array->cell_types[i % array->width]))
            copy.cells[i].real = array->gradients[i];
    pack_elements(&copy, to);
}

/* Repeats what lies at the beginning of an array until its end. */
static bool repeat_content(Machine *machine, const DeviceArray *placed, size_t filled, GpuError *error)
{
    bool done = true;
    while (done && filled < placed->size) {
        size_t more = filled < placed->size - filled ? filled : placed->size - filled;
        done = machine->copy(machine, placed->data + filled, placed->data, more, error);
        filled += more;
    }
    return done;
}

static bool place_array(Arguments *arguments, const LaunchValue *array, const LaunchValue *content, GpuError *error)
{
    Machine *machine = arguments->machine;
    DeviceArray *placed = &arguments->arrays[arguments->array_count++];
    size_t element = layout_size(array->type->array.dtype), filled = content->count * element;
    placed->size = array->count * element;
    if (!placed->size || !filled)
        return true;
    pack_elements(content, arguments->scratch);
    if (!machine->alloc(machine, placed->size, &placed->data, error) ||
        !machine->write(machine, placed->data, arguments->scratch, filled, error) ||
        !repeat_content(machine, placed, filled, error))
        return false;
    if (!array->gradients)
        return true;
    pack_gradients(array, arguments->arena, arguments->scratch);
    return machine->alloc(machine, placed->size, &placed->grad, error) &&
           machine->write(machine, placed->grad, arguments->scratch, placed->size, error);
}

static bool place_arrays(Arguments *arguments, const LaunchValue *value, const LaunchValue *content, GpuError *error)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        if (!place_arrays(arguments, &value->fields[i], &content->fields[i], error))
            return false;
    return value->type->kind != TYPE_ARRAY || place_array(arguments, value, content, error);
}

/* ---- packing ---- */

static size_t aligned(size_t at, const Type *type)
{
    size_t align = layout_align(type);
    return (at + align - 1) / align * align;
}

/* Writes an argument and its adjoint. Arrays: the gradient is the adjoint's data. A struct's plain fields are passed as
 * their own adjoints, other plain values get zero: that is what Warp's tape does. */
static void pack_value(Arguments *arguments, const LaunchValue *value, bool inside, unsigned char *to,
                       unsigned char *adjoint)
{
    if (value->type->kind == TYPE_ARRAY) {
        const DeviceArray *array = &arguments->arrays[arguments->next_array++];
        layout_put_array(value, array->data, array->grad, to);
        if (array->grad)
            layout_put_array(value, array->grad, 0, adjoint);
        return;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < value->field_count; i++) {
        const Type *type = value->type->decl->fields[i].type;
        at = aligned(at, type);
        pack_value(arguments, &value->fields[i], true, to + at, adjoint + at);
        at += layout_size(type);
    }
    if (value->field_count)
        return;
    layout_put(value->type, value->cells, to);
    if (inside)
        layout_put(value->type, value->cells, adjoint);
}

static void pack_arguments(Arguments *arguments, Arena *arena)
{
    const Launch *launch = arguments->launch;
    PackedLaunch *packed = &arguments->packed;
    size_t size = 0;
    arguments->offsets = ARENA_ARRAY(arena, size_t, launch->arg_count);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        arguments->offsets[i] = size = aligned(size, launch->args[i].type);
        size += layout_size(launch->args[i].type);
    }
    *packed = (PackedLaunch){.threads = launch_thread_count(launch),
                             .args = arena_alloc(arena, size + 16),
                             .adjoints = arena_alloc(arena, size + 16),
                             .offsets = arguments->offsets,
                             .arg_count = launch->arg_count};
    layout_put_bounds(launch, packed->bounds);
    for (uint32_t i = 0; i < launch->arg_count; i++)
        pack_value(arguments, &launch->args[i], false, packed->args + arguments->offsets[i],
                   packed->adjoints + arguments->offsets[i]);
}

bool arguments_make_tiled(Arguments *arguments, Arena *arena, Machine *machine, const Launch *launch,
                          const Launch *content, GpuError *error)
{
    uint32_t count = 0;
    size_t largest = 0;
    *arguments = (Arguments){.machine = machine, .arena = arena, .launch = launch};
    for (uint32_t i = 0; i < launch->arg_count; i++)
        count_arrays(&content->args[i], &count, &largest);
    arguments->arrays = ARENA_ARRAY(arena, DeviceArray, count);
    arguments->scratch = arena_alloc(arena, largest + 1);
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (!place_arrays(arguments, &launch->args[i], &content->args[i], error)) {
            arguments_release(arguments);
            return false;
        }
    pack_arguments(arguments, arena);
    return true;
}

bool arguments_make(Arguments *arguments, Arena *arena, Machine *machine, const Launch *launch, GpuError *error)
{
    return arguments_make_tiled(arguments, arena, machine, launch, launch, error);
}

void arguments_set_block(Arguments *arguments, unsigned block, unsigned shared)
{
    arguments->packed.block = block;
    arguments->packed.shared = shared;
}

bool arguments_launch(Arguments *arguments, void *function, bool backward, GpuError *error)
{
    PackedLaunch packed = arguments->packed;
    if (!backward)
        packed.adjoints = NULL;
    return arguments->machine->launch(arguments->machine, function, &packed, error);
}

/* ---- fetching ---- */

static bool fetch_array(Arguments *arguments, LaunchValue *array, GpuError *error)
{
    const DeviceArray *placed = &arguments->arrays[arguments->next_array++];
    const Type *element = array->type->array.dtype;
    size_t size = layout_size(element);
    if (!placed->size)
        return true;
    if (!arguments->machine->read(arguments->machine, arguments->scratch, placed->data, placed->size, error))
        return false;
    for (size_t i = 0; i < array->count; i++)
        layout_get(element, arguments->scratch + i * size, array->cells + i * array->width);
    if (!placed->grad)
        return true;
    if (!arguments->machine->read(arguments->machine, arguments->scratch, placed->grad, placed->size, error))
        return false;
    Cell *cells = ARENA_ARRAY(arguments->arena, Cell, array->width);
    for (size_t i = 0; i < array->count; i++) {
        layout_get(element, arguments->scratch + i * size, cells);
        for (uint32_t k = 0; k < array->width; k++)
            if (type_is_float(array->cell_types[k]))
                array->gradients[i * array->width + k] = cells[k].real;
    }
    return true;
}

static bool fetch_arrays(Arguments *arguments, LaunchValue *value, GpuError *error)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        if (!fetch_arrays(arguments, &value->fields[i], error))
            return false;
    return value->type->kind != TYPE_ARRAY || fetch_array(arguments, value, error);
}

bool arguments_fetch(Arguments *arguments, Launch *into, GpuError *error)
{
    arguments->next_array = 0;
    for (uint32_t i = 0; i < into->arg_count; i++)
        if (!fetch_arrays(arguments, &into->args[i], error))
            return false;
    return true;
}

void arguments_release(Arguments *arguments)
{
    Machine *machine = arguments->machine;
    for (uint32_t i = 0; i < arguments->array_count; i++) {
        if (arguments->arrays[i].data)
            machine->release(machine, arguments->arrays[i].data);
        if (arguments->arrays[i].grad)
            machine->release(machine, arguments->arrays[i].grad);
    }
    arguments->array_count = 0;
}
