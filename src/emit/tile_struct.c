/* What structs that are elements of tiles have besides: differences, atomic additions, exchange between threads. */
#include "emit/target.h"

#include <string.h>

/* ---- which structs ---- */

static bool holds(const Type *whole, const StructDecl *part, uint32_t depth)
{
    if (whole->kind != TYPE_STRUCT || !depth)
        return false;
    if (memcmp(whole->decl->hash, part->hash, sizeof part->hash) == 0)
        return true;
    for (uint32_t i = 0; i < whole->decl->field_count; i++)
        if (holds(whole->decl->fields[i].type, part, depth - 1))
            return true;
    return false;
}

static bool has_tile_of(const IrVarList *vars, const StructDecl *decl)
{
    for (uint32_t i = 0; i < vars->count; i++) {
        const Type *type = vars->items[i]->type;
        if (is_tile_or_stack(type) && holds(type->tile->dtype, decl, type->depth))
            return true;
    }
    return false;
}

bool is_struct_of_tiles(const IrModule *module, const StructDecl *decl)
{
    if (!module->uses_tiles)
        return false;
    for (uint32_t i = 0; i <= module->function_count; i++) {
        const IrFunction *function = i < module->function_count ? module->functions[i] : module->kernel;
        if (has_tile_of(&function->vars, decl) || has_tile_of(&function->params, decl))
            return true;
    }
    return false;
}

/* ---- members ---- */

void put_struct_differences(const StructDecl *decl, Text *out)
{
    const char *name = decl->native_name;
    PUT(out, "    CUDA_CALLABLE ", name, "& operator -= (const ", name, "& rhs)\n    {");
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (accumulates(type_canonical(decl->fields[i].type)))
            PUT(out, "    ", decl->fields[i].name->text, " -= rhs.", decl->fields[i].name->text, ";\n");
    if (out->data[out->len - 1] != '\n')
        text_char(out, '\n');
    PUT(out, "        return *this;}\n\n    CUDA_CALLABLE ", name, " operator - () const\n    {\n        ", name,
        " ret = *this;\n");
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (accumulates(type_canonical(decl->fields[i].type)))
            PUT(out, "    ret.", decl->fields[i].name->text, " = -ret.", decl->fields[i].name->text, ";\n");
    text_lit(out, "        return ret;\n    }\n");
}

/* ---- functions ---- */

static const char *scope_of(const Type *type)
{
    return type->kind == TYPE_STRUCT ? "" : "wp::";
}

static void put_sums(const char *name, Text *out)
{
    PUT(out, "CUDA_CALLABLE void adj_add(const ", name, "& a, const ", name, "& b, ", name, "& adj_a, ", name,
        "& adj_b, const ", name, "& adj_ret)\n{\n    adj_a += adj_ret;\n    adj_b += adj_ret;\n}\n\n");
    PUT(out, "CUDA_CALLABLE ", name, " sub(const ", name, "& a, const ", name, "& b)\n{\n    ", name,
        " ret = a;\n    ret -= b;\n    return ret;\n}\n\n");
    PUT(out, "CUDA_CALLABLE void adj_sub(const ", name, "& a, const ", name, "& b, ", name, "& adj_a, ", name,
        "& adj_b, const ", name, "& adj_ret)\n{\n    adj_a += adj_ret;\n    adj_b -= adj_ret;\n}\n\n");
}

static void put_atomics(const StructDecl *decl, Text *out)
{
    const char *name = decl->native_name;
    PUT(out, "CUDA_CALLABLE ", name, " atomic_add(", name, "* p, ", name, " t)\n{\n    ", name, " old {};\n");
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Type *type = type_canonical(decl->fields[i].type);
        const char *field = decl->fields[i].name->text;
        if (accumulates(type))
            PUT(out, "    old.", field, " = ", scope_of(type), "atomic_add(&p->", field, ", t.", field, ");\n");
        else
            PUT(out, "    old.", field, " = p->", field, ";\n");
    }
    text_lit(out, "    return old;\n}\n\n");
    PUT(out, "CUDA_CALLABLE ", name, " tile_atomic_add_value(", name, "* p, ", name,
        " t)\n{\n    return atomic_add(p, t);\n}\n\n");
    PUT(out, "CUDA_CALLABLE ", name, " tile_adj_atomic_add_value(", name, "* p, ", name, " t)\n{\n    ", name,
        " old {};\n    adj_atomic_add(p, t);\n    return old;\n}\n\n");
}

static void put_exchange(const StructDecl *decl, const char *function, const char *params, const char *args, Text *out)
{
    const char *name = decl->native_name;
    PUT(out, "CUDA_CALLABLE ", name, " ", function, "(", name, " val, ", params, ")\n{\n    ", name, " ret {};\n");
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const char *field = decl->fields[i].name->text;
        PUT(out, "    ret.", field, " = ", scope_of(decl->fields[i].type), function, "(val.", field, ", ", args,
            ");\n");
    }
    text_lit(out, "    return ret;\n}\n\n");
}

void put_struct_tile_functions(const StructDecl *decl, Text *out)
{
    put_sums(decl->native_name, out);
    put_atomics(decl, out);
    text_lit(out, "#if defined(__CUDA_ARCH__)\n");
    put_exchange(decl, "warp_shuffle_down", "int offset, int mask", "offset, mask", out);
    put_exchange(decl, "warp_shuffle_xor", "int lane_mask", "lane_mask", out);
    text_lit(out, "#endif\n\n");
}
