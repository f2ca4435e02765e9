/* C types of values. Those that any program may have are kept in the library: what they look like says which one it is. */
#include "standalone/entry.h"

#include <string.h>

#define SCALAR(c, suffix)                                                                                              \
    {                                                                                                                  \
        c, sizeof c - 1, suffix                                                                                        \
    }
static const struct {
    const char *c;
    uint32_t length;
    const char *suffix;
} scalars[] = {
    [TYPE_INT8] = SCALAR("int8_t", "b"),      [TYPE_UINT8] = SCALAR("uint8_t", "ub"),
    [TYPE_INT16] = SCALAR("int16_t", "s"),    [TYPE_UINT16] = SCALAR("uint16_t", "us"),
    [TYPE_INT32] = SCALAR("int", "i"),        [TYPE_UINT32] = SCALAR("uint32_t", "u"),
    [TYPE_INT64] = SCALAR("int64_t", "l"),    [TYPE_UINT64] = SCALAR("uint64_t", "ul"),
    [TYPE_FLOAT32] = SCALAR("float", "f"),    [TYPE_FLOAT64] = SCALAR("double", "d"),
    [TYPE_FLOAT16] = SCALAR("float16", "h"),  [TYPE_BOOL] = SCALAR("bool", "p"),
    [TYPE_HANDLE] = SCALAR("uint64_t", "ul"),
};

static const char *scalar_ctype(const Type *type)
{
    return type->kind < sizeof scalars / sizeof *scalars ? scalars[type->kind].c : NULL;
}

const char *type_suffix(const Type *scalar)
{
    return scalar_ctype(scalar) ? scalars[scalar->kind].suffix : "x";
}

uint32_t parts_of(const Type *type)
{
    return type_is_composite(type) ? type->composite.rows * type->composite.cols : 1;
}

bool is_float_type(const Type *type)
{
    if (!type || type_is_scalar(type))
        return type && type_is_float(type);
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return is_float_type(type->array.dtype);
    if (type->kind != TYPE_STRUCT)
        return type_is_float(type_scalar_of(type));
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        if (is_float_type(type->decl->fields[i].type))
            return true;
    return false;
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
    if (has_letters(type))
        return index < 4 ? PIECE(letters[index], 2, TIGHT_PRIMARY) : LIT(".c");
    if (type->kind == TYPE_TRANSFORM)
        return PIECE(transform[index % 7], 4, TIGHT_PRIMARY);
    if (type->kind == TYPE_MAT)
        return GLUE(t, TIGHT_PRIMARY, LIT(".m["), piece_int(t, index / type->composite.cols), LIT("]["),
                    piece_int(t, index % type->composite.cols), LIT("]"));
    return GLUE(t, TIGHT_PRIMARY, LIT(".c["), piece_int(t, index), LIT("]"));
}

/* ---- types that are kept ---- */

uint64_t look_of(const Type *type)
{
    if (!type)
        return 0;
    bool composite = type_is_composite(type);
    uint64_t scalar = composite ? type->composite.dtype->kind : type->kind;
    scalar = scalar == TYPE_HANDLE ? TYPE_UINT64 : scalar;
    return composite
               ? (uint64_t)type->kind << 56 | scalar << 48 | (uint64_t)type->composite.rows << 24 | type->composite.cols
               : scalar + 1;
}

static const char float16_text[] =
    "// A number of 16 bits: computed with as float, rounded to the nearest when it is made.\n"
    "struct float16 {\n"
    "    uint16_t bits;\n"
    "    float16() = default;\n"
    "    __host__ __device__ float16(float value)\n"
    "    {\n"
    "        float size = fabsf(value), unit = 0.000000059604644775390625f; // the smallest one\n"
    "        for (int i = 0; i < 29 && size >= unit * 2048.0f; ++i)\n"
    "            unit *= 2.0f;\n"
    "        float steps = rintf(size / unit);\n"
    "        bits = (uint16_t)(size < 65520.0f ? 0 : 0x7c00);\n"
    "        if (size < 65520.0f) {\n"
    "            int exponent = 0;\n"
    "            for (; exponent < 30 && unit > 0.000000059604644775390625f; ++exponent)\n"
    "                unit *= 0.5f;\n"
    "            bits = (uint16_t)((exponent << 10) + (int)steps);\n"
    "        } else if (size != size)\n"
    "            bits = 0x7e00;\n"
    "        if (value < 0.0f)\n"
    "            bits |= 0x8000;\n"
    "    }\n"
    "    __host__ __device__ operator float() const\n"
    "    {\n"
    "        int exponent = bits >> 10 & 31, fraction = bits & 1023;\n"
    "        float size = (exponent ? fraction + 1024 : fraction) * 0.000000059604644775390625f;\n"
    "        for (int i = 1; i < exponent; ++i)\n"
    "            size *= 2.0f;\n"
    "        if (exponent == 31)\n"
    "            size = fraction ? NAN : INFINITY;\n"
    "        return bits & 0x8000 ? -size : size;\n"
    "    }\n"
    "    __host__ __device__ float16 &operator+=(float value) { return *this = (float)*this + value; }\n"
    "};\n";

static const char *composite_name(Arena *arena, const Type *type)
{
    const char *suffix = type_suffix(type->composite.dtype);
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    if (is_cuda_vector(type)) {
        TypeKind kind = type->composite.dtype->kind;
        return arena_format(arena, "%s%u", kind == TYPE_FLOAT32 ? "float" : kind == TYPE_INT32 ? "int" : "uint", rows);
    }
    switch (type->kind) {
    case TYPE_VEC: return arena_format(arena, "vec%u%s", rows, suffix);
    case TYPE_MAT: return arena_format(arena, rows > 9 || cols > 9 ? "mat%ux%u%s" : "mat%u%u%s", rows, cols, suffix);
    case TYPE_QUAT: return arena_join(arena, "quat", suffix);
    default: return arena_join(arena, "transform", suffix);
    }
}

static const char *declaration(Arena *arena, const TypeEntry *entry, const Type *type)
{
    static const char *const letters[] = {"", "x", "x, y", "x, y, z", "x, y, z, w"};
    const char *name = entry->name.text, *scalar = scalar_ctype(type->composite.dtype);
    uint32_t rows = type->composite.rows;
    if (type->kind == TYPE_MAT)
        return arena_format(arena, "struct %s {\n    %s m[%u][%u];\n};\n", name, scalar, rows, type->composite.cols);
    if (type->kind == TYPE_TRANSFORM)
        return arena_format(arena, "struct %s {\n    %s p;\n    %s q;\n};\n", name, entry->parts[0]->name.text,
                            entry->parts[1]->name.text);
    if (has_letters(type))
        return arena_format(arena, "struct %s {\n    %s %s;\n};\n", name, scalar, letters[rows]);
    return arena_format(arena, "struct %s {\n    %s c[%u];\n};\n", name, scalar, rows);
}

static TypeEntry *find_entry(StandaloneLibrary *library, uint64_t shape, bool *is_new)
{
    TypeEntry **slot = &library->types[look_slot(shape)];
    for (TypeEntry *entry = *slot; entry; entry = entry->next)
        if (entry->shape == shape)
            return entry;
    TypeEntry *entry = ARENA_NEW(&library->arena, TypeEntry);
    entry->shape = shape;
    entry->need.is_kept = *is_new = true;
    entry->next = *slot;
    return *slot = entry;
}

static TypeEntry *float16_entry(StandaloneLibrary *library)
{
    bool is_new = false;
    TypeEntry *entry = find_entry(library, look_of(type_scalar(TYPE_FLOAT16)), &is_new);
    entry->name = LIT("float16");
    set_need(&entry->need, "float16", float16_text, sizeof float16_text - 1);
    return entry;
}

static TypeEntry *composite_entry(Translator *t, const Type *type)
{
    bool is_new = false;
    Arena *arena = &t->library->arena;
    TypeEntry *entry = find_entry(t->library, look_of(type), &is_new);
    if (!is_new)
        return entry;
    const Type *dtype = type->composite.dtype;
    entry->name = piece_of(composite_name(arena, type));
    if (is_cuda_vector(type))
        return entry; /* CUDA declares it */
    if (type->kind == TYPE_TRANSFORM) {
        entry->parts[0] = composite_entry(t, type_vec(t->unit->types, 3, dtype));
        entry->parts[1] = composite_entry(t, type_quat(t->unit->types, dtype));
    } else if (dtype->kind == TYPE_FLOAT16)
        entry->parts[0] = float16_entry(t->library);
    const char *text = declaration(arena, entry, type);
    set_need(&entry->need, entry->name.text, text, strlen(text));
    return entry;
}

void need_type(Translator *t, TypeEntry *entry)
{
    if (t->asked) {
        ARENA_PUSH(t->arena, t->asked->items, t->asked->count, t->asked->cap) = (Asked){.type = entry};
        return;
    }
    if (entry->need.mark == t->serial)
        return;
    for (int i = 0; i < 2; i++)
        if (entry->parts[i])
            need_type(t, entry->parts[i]);
    if (entry->need.text)
        add_need(t, &t->types, &entry->need);
}

/* ---- structs ---- */

static bool is_field_taken(const StructNames *names, uint32_t count, const char *wanted)
{
    if (strcmp(names->name, wanted) == 0)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(names->fields[i]);
        if (strncmp(wanted, names->fields[i], length) == 0 && (!wanted[length] || strcmp(wanted + length, "_dim") == 0))
            return true;
        if (strncmp(names->fields[i], wanted, strlen(wanted)) == 0 &&
            strcmp(names->fields[i] + strlen(wanted), "_dim") == 0)
            return true;
    }
    return false;
}

const StructNames *struct_names(Translator *t, const StructDecl *decl)
{
    for (const StructNames *known = t->structs; known; known = known->next)
        if (known->decl == decl)
            return known;
    for (uint32_t i = 0; i < decl->field_count; i++) { /* a field may not be called like a type */
        const Type *type = strip(decl->fields[i].type),
                   *element = type->kind == TYPE_ARRAY ? strip(type->array.dtype) : type;
        if (element->kind == TYPE_STRUCT)
            struct_names(t, element->decl);
    }
    StructNames *names = ARENA_NEW(t->arena, StructNames);
    names->decl = decl;
    names->name = global_name(t, decl->key->text);
    names->fields = ARENA_ARRAY(t->arena, const char *, decl->field_count);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const char *stem = changed_name(t, decl->fields[i].name->text, NAME_FIELD), *name = stem;
        for (uint32_t k = 2; is_field_taken(names, i, name) || is_global_name(t, name); k++)
            name = arena_format(t->arena, "%s_%u", stem, k);
        names->fields[i] = name;
    }
    names->next = t->structs;
    return t->structs = names;
}

static Piece struct_ctype(Translator *t, const Type *type)
{
    const StructDecl *decl = type->decl;
    const StructNames *names = struct_names(t, decl);
    Piece name = piece_of(names->name);
    if (find_need(&t->types, name.text))
        return name;
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, "struct %s {\n", name.text);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Type *field = strip(decl->fields[i].type);
        const char *label = names->fields[i];
        if (field->kind == TYPE_ARRAY) {
            text_format(&text, "    %s *%s;\n    int %s_dim[%u];\n", c_type(t, strip(field->array.dtype)).text, label,
                        label, field->array.ndim);
            continue;
        }
        text_format(&text, "    %s %s;\n", c_type(t, field).text, label);
    }
    text_lit(&text, "};\n");
    new_need(t, &t->types, name.text, text_cstr(&text), text.len);
    return name;
}

Piece c_type(Translator *t, const Type *type)
{
    if (type->kind == TYPE_FLOAT16)
        need_type(t, float16_entry(t->library));
    if (scalar_ctype(type))
        return PIECE(scalars[type->kind].c, scalars[type->kind].length, TIGHT_PRIMARY);
    if (type_is_composite(type) && scalar_ctype(type->composite.dtype)) {
        TypeEntry *entry = composite_entry(t, type);
        need_type(t, entry);
        return entry->name;
    }
    if (type->kind == TYPE_STRUCT)
        return struct_ctype(t, type);
    Text text;
    text_init_in(&text, t->arena);
    type_repr(type, &text);
    refuse(t, NULL, "the type %s is not translated", text_cstr(&text));
}
