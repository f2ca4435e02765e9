/* Launches: laying out arguments, copying. */
#include "eval/launch.h"

#include <string.h>

enum { MAX_STRUCT_DEPTH = 16, MAX_CELLS = 1 << 28 };

const char *finding_name(FindingKind kind)
{
    static const char *const names[] = {
#define FINDING(kind, name) name,
#include "eval/finding.def"
#undef FINDING
    };
    return names[kind];
}

/* Cells of a value without arrays, structs included; false: it has other parts. */
static bool count_cells(const Type *type, unsigned depth, uint32_t *count)
{
    if (!type)
        return false; /* its annotation could not be read */
    type = type_canonical(type);
    if (type_is_single(type) || type_is_composite(type)) {
        *count += type_parts(type);
        return true;
    }
    if (type->kind != TYPE_STRUCT || depth == MAX_STRUCT_DEPTH)
        return false;
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        if (!count_cells(type->decl->fields[i].type, depth + 1, count))
            return false;
    return true;
}

uint32_t launch_cells_of(const Type *type)
{
    uint32_t count = 0;
    count_cells(type, 0, &count);
    return count;
}

static uint32_t fill_cell_types(const Type *type, const Type **out)
{
    type = type_canonical(type);
    uint32_t count = 0;
    for (; type->kind != TYPE_STRUCT && count < type_parts(type); count++)
        out[count] = type_scalar_of(type);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        count += fill_cell_types(type->decl->fields[i].type, out + count);
    return count;
}

static bool init_value(Unit *unit, LaunchValue *value, const Type *type, const uint32_t *shape, unsigned depth)
{
    Arena *arena = unit->arena;
    memset(value, 0, sizeof *value);
    if (!type)
        return false;
    value->type = type = type_canonical(type);
    value->count = 1;
    const Type *element = type;
    if (type->kind == TYPE_ARRAY) {
        static const uint32_t one[4] = {1, 1, 1, 1};
        if (!shape)
            shape = one;
        if (type->array.cls != ARRAY_PLAIN || type->array.ndim < 1 || type->array.ndim > 4)
            return false;
        value->ndim = type->array.ndim;
        for (uint32_t i = 0; i < value->ndim; i++) {
            value->shape[i] = shape[i];
            value->count *= shape[i];
            if (value->count > MAX_CELLS)
                return false;
        }
        element = type_canonical(type->array.dtype);
    } else if (type->kind == TYPE_STRUCT) {
        if (depth == MAX_STRUCT_DEPTH)
            return false;
        value->field_count = type->decl->field_count;
        value->fields = ARENA_ARRAY(arena, LaunchValue, value->field_count);
        for (uint32_t i = 0; i < value->field_count; i++)
            if (!init_value(unit, &value->fields[i], type->decl->fields[i].type, shape, depth + 1))
                return false;
        return true;
    }
    if (!count_cells(element, 0, &value->width) || value->count * value->width > MAX_CELLS)
        return false;
    value->cell_types = ARENA_ARRAY(arena, const Type *, value->width);
    fill_cell_types(element, value->cell_types);
    value->cells = ARENA_ARRAY(arena, Cell, value->count * value->width);
    return true;
}

bool launch_value_init(Unit *unit, LaunchValue *value, const Type *type, const uint32_t *shape)
{
    return init_value(unit, value, type, shape, 0);
}

static void *copy_bytes(Arena *arena, const void *bytes, size_t size)
{
    if (!bytes)
        return NULL;
    return memcpy(arena_take(arena, size), bytes, size);
}

static void copy_value(Arena *arena, LaunchValue *to, const LaunchValue *from)
{
    size_t cells = from->count * from->width;
    *to = *from;
    to->cells = copy_bytes(arena, from->cells, cells * sizeof *from->cells);
    to->tangents = copy_bytes(arena, from->tangents, cells * sizeof *from->tangents);
    to->gradients = copy_bytes(arena, from->gradients, cells * sizeof *from->gradients);
    if (!from->field_count)
        return;
    to->fields = ARENA_ARRAY(arena, LaunchValue, from->field_count);
    for (uint32_t i = 0; i < from->field_count; i++)
        copy_value(arena, &to->fields[i], &from->fields[i]);
}

Launch *launch_copy(Arena *arena, const Launch *launch)
{
    Launch *copy = ARENA_NEW(arena, Launch);
    *copy = *launch;
    copy->args = ARENA_ARRAY(arena, LaunchValue, launch->arg_count);
    for (uint32_t i = 0; i < launch->arg_count; i++)
        copy_value(arena, &copy->args[i], &launch->args[i]);
    return copy;
}

static void restore_value(LaunchValue *to, const LaunchValue *from)
{
    if (from->cells)
        memcpy(to->cells, from->cells, from->count * from->width * sizeof *from->cells);
    for (uint32_t i = 0; i < from->field_count; i++)
        restore_value(&to->fields[i], &from->fields[i]);
}

void launch_restore(Launch *launch, const Launch *from)
{
    launch->threads = from->threads;
    launch->thread_count = from->thread_count;
    for (uint32_t i = 0; i < from->arg_count; i++)
        restore_value(&launch->args[i], &from->args[i]);
}

/* ---- threads ---- */

uint64_t launch_size(const Launch *launch)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < launch->ndim && i < 4; i++)
        count *= launch->dim[i];
    return count;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t launch_step(uint64_t count, uint64_t step)
{
    step = step ? step : 1;
    while (count && common_divisor(step, count) != 1)
        step++;
    return step;
}

void launch_thread(const Launch *launch, uint64_t i, uint32_t index[4])
{
    uint64_t number = launch->threads ? launch->threads[i] : i;
    for (uint32_t k = 4; k-- > 0;) {
        uint32_t length = k < launch->ndim && launch->dim[k] ? launch->dim[k] : 1;
        index[k] = (uint32_t)(k ? number % length : number);
        number /= length;
    }
}

void launch_visit_value(LaunchValue *a, LaunchValue *b, LaunchVisitor *visit, void *user)
{
    for (uint32_t i = 0; i < a->field_count; i++)
        launch_visit_value(&a->fields[i], &b->fields[i], visit, user);
    if (!a->field_count)
        visit(a, b, user);
}

void launch_visit(const Launch *a, const Launch *b, LaunchVisitor *visit, void *user)
{
    for (uint32_t i = 0; i < a->arg_count; i++)
        launch_visit_value(&a->args[i], &b->args[i], visit, user);
}
