/* How much shared memory a kernel with tiles takes: what Warp gives a launch. */
#include "ir/tile_shared.h"

#include "lang/type.h"

static uint64_t round_up(uint64_t size, uint64_t to)
{
    return (size + to - 1) / to * to;
}

static uint64_t alignment(const Type *type)
{
    type = type_canonical(type);
    uint64_t most = 1;
    if (type->kind == TYPE_ARRAY)
        return 8;
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        uint64_t own = alignment(type->decl->fields[i].type);
        most = own > most ? own : most;
    }
    return type->kind == TYPE_STRUCT ? most : kind_traits[type_scalar_of(type)->kind].bytes;
}

/* Of an element, in C++. */
static uint64_t native_size(const Type *type)
{
    enum { ARRAY_BYTES = 56 };
    type = type_canonical(type);
    uint64_t size = 0;
    if (type->kind == TYPE_ARRAY)
        return ARRAY_BYTES;
    if (type->kind != TYPE_STRUCT)
        return (uint64_t)type_parts(type) * kind_traits[type_scalar_of(type)->kind].bytes;
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        size = round_up(size, alignment(type->decl->fields[i].type)) + native_size(type->decl->fields[i].type);
    return round_up(size ? size : 1, alignment(type));
}

static uint64_t own_bytes(const IrFunction *function)
{
    enum { LINE = 16 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < function->vars.count; i++) {
        const Type *type = function->vars.items[i]->type;
        if (type->kind == TYPE_TILE_STACK)
            bytes += round_up(type->tile->shape[0] * native_size(type->tile->dtype), LINE) + LINE;
        if (type->kind != TYPE_TILE || type->tile->storage != TILE_SHARED || type->tile->is_view)
            continue;
        uint64_t count = 1;
        for (uint32_t k = 0; k < type->tile->ndim; k++)
            count *= type->tile->shape[k];
        bytes += round_up(count * native_size(type->tile->dtype), LINE);
    }
    return bytes;
}

static SharedBytes bytes_of(const IrModule *module, const IrFunction *function, uint32_t depth)
{
    enum { DEEPEST = 64 };
    uint64_t own = own_bytes(function), called = function->transform_bytes, called_back = 2 * called;
    for (uint32_t i = 0; depth < DEEPEST && i < function->called.count; i++)
        for (uint32_t k = 0; k < module->function_count; k++) {
            if (module->functions[k]->func != function->called.items[i])
                continue;
            SharedBytes bytes = bytes_of(module, module->functions[k], depth + 1);
            called = bytes.forward > called ? bytes.forward : called;
            called_back = bytes.backward > called_back ? bytes.backward : called_back;
        }
    return (SharedBytes){own + called, 2 * own + (called > called_back ? called : called_back)};
}

SharedBytes ir_shared_bytes(const IrModule *module)
{
    return module->uses_tiles ? bytes_of(module, module->kernel, 0) : (SharedBytes){0, 0};
}
