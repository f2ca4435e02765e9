/* C types of values. */
#include "standalone/model.h"

#include <string.h>

static const struct {
    const char *c, *suffix;
} scalars[] = {
    [TYPE_INT8] = {"int8_t", "b"},      [TYPE_UINT8] = {"uint8_t", "ub"},   [TYPE_INT16] = {"int16_t", "s"},
    [TYPE_UINT16] = {"uint16_t", "us"}, [TYPE_INT32] = {"int", "i"},        [TYPE_UINT32] = {"uint32_t", "u"},
    [TYPE_INT64] = {"int64_t", "l"},    [TYPE_UINT64] = {"uint64_t", "ul"}, [TYPE_FLOAT32] = {"float", "f"},
    [TYPE_FLOAT64] = {"double", "d"},   [TYPE_FLOAT16] = {"float16", "h"},  [TYPE_BOOL] = {"bool", "p"},
    [TYPE_HANDLE] = {"uint64_t", "ul"},
};

static const char *scalar_ctype(const Type *type)
{
    return type->kind < sizeof scalars / sizeof *scalars ? scalars[type->kind].c : NULL;
}

bool any_scalar(const Type *type, bool (*test)(const Type *scalar))
{
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return any_scalar(type->array.dtype, test);
    if (type->kind == TYPE_TILE)
        return any_scalar(type->tile->dtype, test);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        if (any_scalar(type->decl->fields[i].type, test))
            return true;
    return type->kind != TYPE_STRUCT && test(type_scalar_of(type));
}

bool is_float_type(const Type *type)
{
    return type && any_scalar(type, type_is_float);
}

static bool is_cuda_vector(const Type *type)
{
    TypeKind kind = type->composite.dtype->kind;
    return type->kind == TYPE_VEC && type->composite.rows >= 2 && type->composite.rows <= 4 &&
           (kind == TYPE_FLOAT32 || kind == TYPE_INT32 || kind == TYPE_UINT32);
}

static bool has_letters(const Type *type)
{
    return type->kind == TYPE_QUAT || (type->kind == TYPE_VEC && type->composite.rows <= 4);
}

Piece component_text(Translator *t, const Type *type, uint32_t index)
{
    static const char *const letters[] = {".x", ".y", ".z", ".w"};
    static const char *const transform[] = {".p.x", ".p.y", ".p.z", ".q.x", ".q.y", ".q.z", ".q.w"};
    uint32_t cols = type->composite.cols;
    if (has_letters(type))
        return piece_of(index < 4 ? letters[index] : ".c");
    if (type->kind == TYPE_TRANSFORM)
        return piece_of(transform[index % 7]);
    if (type->kind == TYPE_MAT)
        return piece_of(arena_format(t->arena, ".m[%u][%u]", index / cols, index % cols));
    return piece_of(arena_format(t->arena, ".c[%u]", index));
}

/* ---- vectors, matrices, … ---- */

static const char *const cuda_vectors[][3] = {
    {"float2", "float3", "float4"}, {"int2", "int3", "int4"}, {"uint2", "uint3", "uint4"}};

static const char *composite_name(Translator *t, const Type *type)
{
    TypeKind kind = type->composite.dtype->kind;
    const char *suffix = scalars[kind].suffix;
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    if (is_cuda_vector(type))
        return cuda_vectors[kind == TYPE_FLOAT32 ? 0 : kind == TYPE_INT32 ? 1 : 2][rows - 2];
    switch (type->kind) {
    case TYPE_VEC: return arena_format(t->arena, "vec%u%s", rows, suffix);
    case TYPE_MAT: return arena_format(t->arena, rows > 9 || cols > 9 ? "mat%ux%u%s" : "mat%u%u%s", rows, cols, suffix);
    case TYPE_QUAT: return arena_join(t->arena, "quat", suffix);
    default: return arena_join(t->arena, "transform", suffix);
    }
}

/* weft_math.cuh names the types that are used most; the others get their names here. */
static const char *composite_ctype(Translator *t, const Type *type)
{
    const char *name = composite_name(t, type);
    if (is_cuda_vector(type) || is_shared(t->library, name) || find_need(&t->types, name))
        return name;
    const char *scalar = c_type(t, type->composite.dtype).text, *text;
    uint32_t rows = type->composite.rows;
    switch (type->kind) {
    case TYPE_VEC: text = arena_format(t->arena, "vec<%s, %u>", scalar, rows); break;
    case TYPE_MAT: text = arena_format(t->arena, "mat<%s, %u, %u>", scalar, rows, type->composite.cols); break;
    case TYPE_QUAT: text = arena_format(t->arena, "quat<%s>", scalar); break;
    default: text = arena_format(t->arena, "transform<%s>", scalar); break;
    }
    add_need(t->arena, &t->types, name, arena_format(t->arena, "using %s = %s;\n", name, text));
    return name;
}

/* ---- structs ---- */

static bool are_like_sizes(const char *array, const char *name)
{
    size_t length = strlen(array);
    return strncmp(name, array, length) == 0 && (!name[length] || strcmp(name + length, "_dim") == 0);
}

static bool is_field_taken(const StructNames *names, uint32_t count, const char *wanted)
{
    bool taken = strcmp(names->name, wanted) == 0;
    for (uint32_t i = 0; i < count; i++)
        taken |= are_like_sizes(names->fields[i], wanted) || are_like_sizes(wanted, names->fields[i]);
    return taken;
}

const StructNames *struct_names(Translator *t, const StructDecl *decl)
{
    const TableSlot *known = table_find(&t->structs, decl);
    if (known)
        return known->item;
    for (uint32_t i = 0; i < decl->field_count; i++) { /* a field may not be called like a type */
        const Type *element = element_type(strip(decl->fields[i].type));
        if (element->kind == TYPE_STRUCT)
            struct_names(t, element->decl);
    }
    StructNames *names = ARENA_NEW(t->arena, StructNames);
    names->decl = decl;
    names->name = global_name(t, decl->key->text);
    names->fields = ARENA_ARRAY(t->arena, const char *, decl->field_count);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const char *stem = changed_name(t, decl->fields[i].name->text, NAME_FIELD), *name = stem;
        for (uint32_t k = 2; is_field_taken(names, i, name) || find_text(&t->globals, name); k++)
            name = arena_format(t->arena, "%s_%u", stem, k);
        names->fields[i] = name;
    }
    return table_add(&t->structs, t->arena, decl)->item = names;
}

static const char *struct_ctype(Translator *t, const StructDecl *decl)
{
    const StructNames *names = struct_names(t, decl);
    if (find_need(&t->types, names->name))
        return names->name;
    Text text = text_in(t->arena);
    text_format(&text, "struct %s {\n", names->name);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Type *field = strip(decl->fields[i].type);
        const char *type = c_type(t, element_type(field)).text, *label = names->fields[i];
        if (field->kind == TYPE_ARRAY)
            text_format(&text, "    %s *%s;\n    int %s_dim[%u];\n", type, label, label, field->array.ndim);
        else
            text_format(&text, "    %s %s;\n", type, label);
    }
    text_lit(&text, "};\n");
    add_need(t->arena, &t->types, names->name, text_cstr(&text));
    return names->name;
}

const Type *element_type(const Type *type)
{
    return type->kind == TYPE_ARRAY ? strip(type->array.dtype) : type;
}

Piece c_type(Translator *t, const Type *type)
{
    if (scalar_ctype(type))
        return piece_of(scalar_ctype(type));
    if (type_is_composite(type) && scalar_ctype(type->composite.dtype))
        return piece_of(composite_ctype(t, type));
    if (type->kind == TYPE_STRUCT)
        return piece_of(struct_ctype(t, type->decl));
    Text text = text_in(t->arena);
    type_repr(type, &text);
    refuse(t, NULL, "the type %s is not translated", text_cstr(&text));
}
