#include "lang/type.h"

#include <string.h>

static const Type simple_types[] = {
#define SIMPLE(name) [TYPE_##name] = {.kind = TYPE_##name, .shared = true}
#define SCALAR(name, family, python, ctype, code, suffix, bytes) SIMPLE(name),
#include "lang/scalar.def"
#undef SCALAR
    SIMPLE(STR), SIMPLE(FUNCTION), SIMPLE(ANY), SIMPLE(ANY_INT), SIMPLE(ANY_FLOAT), SIMPLE(ANY_SCALAR),
#undef SIMPLE
};

static const NativeType native_types[] = {
#define NO_FIELDS                                                                                                      \
    {                                                                                                                  \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define FIELDS(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define BOOL NATIVE_BOOL
#define INT32 NATIVE_INT32
#define FLOAT32 NATIVE_FLOAT32
#define VEC3 NATIVE_VEC3
#define VEC3_ARRAY NATIVE_VEC3_ARRAY
#define INT_ARRAY NATIVE_INT_ARRAY
#define NATIVE(python, native, code, fields) {python, native, code, fields},
#include "lang/native.def"
#undef NATIVE
    {0},
#undef BOOL
#undef INT32
#undef FLOAT32
#undef VEC3
#undef VEC3_ARRAY
#undef INT_ARRAY
};

const NativeType *native_type_find(const char *python_name)
{
    for (size_t i = 0; native_types[i].python_name; i++)
        if (strcmp(native_types[i].python_name, python_name) == 0)
            return &native_types[i];
    return NULL;
}

const NativeType *native_types_all(void)
{
    return native_types;
}

/* ---- making types ---- */

void types_init(TypeTable *table, TypeTable *base, Arena *arena, NameTable *names)
{
    *table = (TypeTable){.base = base, .arena = arena, .names = names};
}

static uint32_t mix(uint32_t hash, uintptr_t value)
{
    return (hash ^ (uint32_t)value ^ (uint32_t)((uint64_t)value >> 32)) * 16777619u;
}

static uint32_t hash_type(const Type *type)
{
    uint32_t hash = mix(2166136261u, type->kind);
    switch (type->kind) {
    case TYPE_VEC:
    case TYPE_MAT:
    case TYPE_QUAT:
    case TYPE_TRANSFORM:
        hash = mix(mix(mix(hash, type->composite.rows), type->composite.cols), (uintptr_t)type->composite.dtype);
        break;
    case TYPE_ARRAY:
        hash = mix(mix(mix(hash, type->array.cls), type->array.ndim), (uintptr_t)type->array.dtype);
        for (int i = 0; i < 4; i++)
            hash = mix(hash, type->array.shape[i]);
        break;
    case TYPE_NATIVE: hash = mix(hash, (uintptr_t)type->native); break;
    default: hash = mix(hash, (uintptr_t)type->target); break;
    }
    return hash;
}

static bool has_same_parts(const void *key, const void *wanted)
{
    const Type *a = key, *b = wanted;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case TYPE_VEC:
    case TYPE_MAT:
    case TYPE_QUAT:
    case TYPE_TRANSFORM:
        return a->composite.rows == b->composite.rows && a->composite.cols == b->composite.cols &&
               a->composite.dtype == b->composite.dtype;
    case TYPE_ARRAY:
        return a->array.cls == b->array.cls && a->array.ndim == b->array.ndim && a->array.dtype == b->array.dtype &&
               memcmp(a->array.shape, b->array.shape, sizeof a->array.shape) == 0;
    case TYPE_NATIVE: return a->native == b->native;
    default: return a->target == b->target;
    }
}

static uint32_t part_depth(const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC:
    case TYPE_MAT:
    case TYPE_QUAT:
    case TYPE_TRANSFORM: return type->composite.dtype->depth + 1;
    case TYPE_ARRAY: return type->array.dtype->depth + 1;
    case TYPE_REF:
    case TYPE_POINTER: return type->target->depth + 1;
    default: return 0;
    }
}

/* May a row of the builtin table have it? Such types are in its table, whoever needs one first: a row is read when it is first
 * used, and there must be one type of each kind. There are not so many of them that a table that lives long would grow. */
static bool is_common(const Type *type)
{
    enum { USUAL = 8 };
    const Type *part = NULL;
    switch (type->kind) {
    case TYPE_VEC:
    case TYPE_MAT:
    case TYPE_QUAT:
    case TYPE_TRANSFORM:
        part = type->composite.dtype;
        if (type->composite.rows > USUAL || type->composite.cols > USUAL)
            return false;
        break;
    case TYPE_ARRAY:
        part = type->array.dtype;
        if (type->array.shape[0])
            return false;
        break;
    case TYPE_NATIVE: return true;
    default: part = type->target; break;
    }
    return part->shared;
}

static const Type *intern(TypeTable *table, Type type)
{
    type.hash = hash_type(&type);
    bool common = is_common(&type);
    while (common && table->base)
        table = table->base;
    for (const TypeTable *base = table->base; base; base = base->base) {
        const TableSlot *known = table_find_like(&base->index, type.hash, has_same_parts, &type);
        if (known)
            return known->key;
    }
    TableSlot *slot = table_add_like(&table->index, table->arena, type.hash, has_same_parts, &type);
    if (slot->key)
        return slot->key;
    Type *made = ARENA_NEW(table->arena, Type);
    *made = type;
    made->depth = part_depth(&type);
    made->shared = !table->base;
    return slot->key = made;
}

const Type *type_scalar(TypeKind kind)
{
    return &simple_types[kind];
}

static const Type *composite(TypeTable *table, TypeKind kind, uint32_t rows, uint32_t cols, const Type *dtype)
{
    /* Warp writes quat_t<float> where Python's own float was given; vectors and matrices become float32. */
    if (kind == TYPE_VEC || kind == TYPE_MAT)
        dtype = type_canonical(dtype);
    return intern(table, (Type){.kind = kind, .composite = {rows, cols, dtype}});
}

const Type *type_vec(TypeTable *table, uint32_t length, const Type *dtype)
{
    return composite(table, TYPE_VEC, length, 1, dtype);
}

const Type *type_mat(TypeTable *table, uint32_t rows, uint32_t cols, const Type *dtype)
{
    return composite(table, TYPE_MAT, rows, cols, dtype);
}

const Type *type_quat(TypeTable *table, const Type *dtype)
{
    return composite(table, TYPE_QUAT, 4, 1, dtype);
}

const Type *type_transform(TypeTable *table, const Type *dtype)
{
    return composite(table, TYPE_TRANSFORM, 7, 1, dtype);
}

const Type *type_array(TypeTable *table, ArrayClass cls, const Type *dtype, uint32_t ndim)
{
    return type_array_as_given(table, cls, type_canonical(dtype), ndim);
}

const Type *type_array_as_given(TypeTable *table, ArrayClass cls, const Type *dtype, uint32_t ndim)
{
    return intern(table, (Type){.kind = TYPE_ARRAY, .array = {.cls = cls, .ndim = ndim, .dtype = dtype}});
}

const Type *type_fixed_array(TypeTable *table, const Type *dtype, uint32_t ndim, const uint32_t *shape)
{
    Type type = {.kind = TYPE_ARRAY, .array = {.cls = ARRAY_FIXED, .ndim = ndim, .dtype = type_canonical(dtype)}};
    memcpy(type.array.shape, shape, ndim * sizeof *shape);
    return intern(table, type);
}

const Type *type_ref(TypeTable *table, const Type *target)
{
    return intern(table, (Type){.kind = TYPE_REF, .target = target});
}

static const Type *type_pointer(TypeTable *table, const Type *target)
{
    return intern(table, (Type){.kind = TYPE_POINTER, .target = target});
}

const Type *type_native(TypeTable *table, const NativeType *native)
{
    return intern(table, (Type){.kind = TYPE_NATIVE, .native = native});
}

const Type *type_query_parent(TypeTable *table, const Type *type)
{
    static const char *const parents[] = {"BvhQuery", "MeshQuery"};
    for (size_t i = 0; type->kind == TYPE_NATIVE && i < sizeof parents / sizeof *parents; i++) {
        const char *name = type->native->python_name; /* a kind has the name of its parent, behind a line, and more */
        if (name[0] == '_' && strncmp(name + 1, parents[i], strlen(parents[i])) == 0)
            return type_native(table, native_type_find(parents[i]));
    }
    return type;
}

const Type *type_tuple(TypeTable *table, const Type **types, uint32_t count, TupleForm form)
{
    Type *type = ARENA_NEW(table->arena, Type);
    type->kind = TYPE_TUPLE;
    type->tuple.types = types;
    type->tuple.count = count;
    type->tuple.annotation = form != TUPLE_VALUE;
    type->tuple.ellipsis = form == TUPLE_REPEATED;
    for (uint32_t i = 0; i < count; i++)
        if (types[i]->depth >= type->depth)
            type->depth = types[i]->depth + 1;
    return type;
}

const Type *type_slice(TypeTable *table)
{
    Type *type = ARENA_NEW(table->arena, Type);
    type->kind = TYPE_SLICE;
    return type;
}

static const Type *wrap_tile(TypeTable *table, TypeKind kind, const TileType *tile)
{
    Type *type = ARENA_NEW(table->arena, Type);
    type->kind = kind;
    type->tile = ARENA_NEW(table->arena, TileType);
    *type->tile = *tile;
    type->depth = tile->dtype->depth + 1;
    return type;
}

const Type *type_tile(TypeTable *table, const Type *dtype, uint32_t ndim, const uint32_t *shape, const int32_t *strides,
                      TileStorage storage)
{
    TileType tile = {.dtype = type_canonical(dtype), .ndim = ndim, .storage = storage};
    int32_t stride = 1;
    for (uint32_t i = ndim; i-- > 0; stride *= (int32_t)shape[i]) {
        tile.shape[i] = shape[i];
        tile.strides[i] = strides ? strides[i] : stride;
    }
    return wrap_tile(table, TYPE_TILE, &tile);
}

const Type *type_tile_copy(TypeTable *table, const Type *tile)
{
    return wrap_tile(table, tile->kind, tile->tile);
}

const Type *type_tile_stack(TypeTable *table, const Type *dtype, uint32_t capacity)
{
    TileType stack = {.dtype = type_canonical(dtype), .ndim = 1, .shape = {capacity}, .storage = TILE_SHARED};
    return wrap_tile(table, TYPE_TILE_STACK, &stack);
}

const Type *type_struct(TypeTable *table, StructDecl *decl)
{
    Type *type = ARENA_NEW(table->arena, Type);
    for (uint32_t i = decl->field_count; i-- > 0;) /* the first of a name counts */
        table_add(&decl->by_name, table->arena, decl->fields[i].name)->number = i;
    type->kind = TYPE_STRUCT;
    type->decl = decl;
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (decl->fields[i].type->depth >= type->depth)
            type->depth = decl->fields[i].type->depth + 1;
    return type;
}

/* ---- asking ---- */

enum { FAMILY_INT, FAMILY_FLOAT, FAMILY_OTHER };

const KindTraits kind_traits[] = {
#define SCALAR(name, family, python, ctype, code, suffix, size)                                                        \
    [TYPE_##name] = {.is_single = true,                                                                                \
                     .is_int = FAMILY_##family == FAMILY_INT,                                                          \
                     .is_float = FAMILY_##family == FAMILY_FLOAT,                                                      \
                     .is_narrow = FAMILY_##family == FAMILY_INT && (size) < 4,                                         \
                     .bytes = (size)},
#include "lang/scalar.def"
#undef SCALAR
    [TYPE_VEC] = {.is_composite = true},     [TYPE_MAT] = {.is_composite = true},
    [TYPE_QUAT] = {.is_composite = true},    [TYPE_TRANSFORM] = {.is_composite = true},
    [TYPE_ANY] = {.is_generic = true},       [TYPE_ANY_INT] = {.is_generic = true},
    [TYPE_ANY_FLOAT] = {.is_generic = true}, [TYPE_ANY_SCALAR] = {.is_generic = true},
};

bool type_is_scalar(const Type *type)
{
    return type_is_int(type) || type_is_float(type);
}

bool type_is_value(const Type *type)
{
    return type_is_scalar(type) || type->kind == TYPE_BOOL || type_is_composite(type);
}

bool type_is_generic(const Type *type)
{
    if (kind_traits[type->kind].is_generic)
        return true;
    if (type->kind == TYPE_ARRAY)
        return type_is_generic(type->array.dtype);
    if (type->kind == TYPE_TUPLE)
        return type->tuple.annotation;
    if (type->kind == TYPE_TILE)
        return type->tile->ndim == 0 || type_is_generic(type->tile->dtype);
    if (type_is_composite(type))
        return type_is_generic(type->composite.dtype) || type->composite.rows == TYPE_DIM_ANY ||
               type->composite.cols == TYPE_DIM_ANY;
    return false;
}

uint32_t type_tile_size(const Type *tile)
{
    uint32_t size = 1;
    for (uint32_t i = 0; i < tile->tile->ndim; i++)
        size *= tile->tile->shape[i];
    return size;
}

bool type_tile_is_dense(const Type *type)
{
    const TileType *tile = type->tile;
    int32_t stride = 1;
    for (uint32_t i = 0; i < tile->ndim; i++) {
        uint32_t axis = tile->column_major ? i : tile->ndim - 1 - i;
        if (tile->strides[axis] != stride)
            return false;
        stride *= (int32_t)tile->shape[axis];
    }
    return true;
}

const Type *type_canonical(const Type *type)
{
    if (type->kind == TYPE_PY_INT)
        return type_scalar(TYPE_INT32);
    if (type->kind == TYPE_PY_FLOAT)
        return type_scalar(TYPE_FLOAT32);
    return type;
}

const Type *type_strip_reference(const Type *type)
{
    return type->kind == TYPE_REF ? type->target : type;
}

const Type *type_scalar_of(const Type *type)
{
    return type_is_composite(type) ? type_canonical(type->composite.dtype) : type;
}

uint32_t type_parts(const Type *type)
{
    return type_is_composite(type) ? type->composite.rows * type->composite.cols : 1;
}

uint32_t type_length(const Type *type)
{
    return type->composite.rows;
}

static const Type *native_member(TypeTable *table, const NativeField *field)
{
    const Type *vec3 = type_vec(table, 3, type_scalar(TYPE_FLOAT32));
    switch (field->type) {
    case NATIVE_BOOL: return type_scalar(TYPE_BOOL);
    case NATIVE_INT32: return type_scalar(TYPE_INT32);
    case NATIVE_FLOAT32: return type_scalar(TYPE_FLOAT32);
    case NATIVE_VEC3: return vec3;
    case NATIVE_VEC3_ARRAY: return type_array(table, ARRAY_PLAIN, vec3, 1);
    case NATIVE_INT_ARRAY: return type_array(table, ARRAY_PLAIN, type_scalar(TYPE_INT32), 1);
    }
    return NULL;
}

static const Type *array_member(TypeTable *table, const Type *type, Name name)
{
    ArrayClass cls = type->array.cls;
    bool fabric = cls == ARRAY_FABRIC || cls == ARRAY_INDEXED_FABRIC;
    if (fabric)
        return name_is(name, "size") ? type_scalar(TYPE_UINT64) : NULL;
    if (name_is(name, "shape"))
        return type_native(table, native_type_find("shape_t"));
    if (name_is(name, "ptr") && cls != ARRAY_INDEXED)
        return type_pointer(table, type->array.dtype);
    return NULL;
}

const Type *type_member(TypeTable *table, const Type *type, Name name)
{
    if (type->kind == TYPE_ARRAY)
        return array_member(table, type, name);
    if (type->kind == TYPE_STRUCT) {
        const TableSlot *slot = table_find(&type->decl->by_name, name);
        return slot ? type_canonical(type->decl->fields[slot->number].type) : NULL;
    }
    if (type->kind == TYPE_NATIVE) {
        for (const NativeField *field = type->native->fields; field->name; field++)
            if (name_is(name, field->name))
                return native_member(table, field);
    }
    return NULL;
}

/* ---- comparing ---- */

static bool generic_covers(const Type *generic, const Type *type)
{
    switch (generic->kind) {
    case TYPE_ANY: return true;
    case TYPE_ANY_INT: return type_is_int(type) || type->kind == TYPE_ANY_INT;
    case TYPE_ANY_FLOAT: return type_is_float(type) || type->kind == TYPE_ANY_FLOAT;
    case TYPE_ANY_SCALAR: return type_is_scalar(type) || type->kind == TYPE_ANY_SCALAR;
    default: return false;
    }
}

static bool equal_simple(const Type *a, const Type *b, bool generic)
{
    a = type_canonical(a);
    b = type_canonical(b);
    if (a == b)
        return true;
    if (generic && (generic_covers(a, b) || generic_covers(b, a)))
        return true;
    return (a->kind == TYPE_HANDLE && b->kind == TYPE_UINT64) || (a->kind == TYPE_UINT64 && b->kind == TYPE_HANDLE);
}

static bool equal_dims(uint32_t a, uint32_t b, bool generic)
{
    return a == b || (generic && (a == TYPE_DIM_ANY || b == TYPE_DIM_ANY));
}

static bool equal_types(const Type *a, const Type *b, bool generic);

static bool equal_tuples(const Type *a, const Type *b, bool generic)
{
    if (!generic)
        return a == b; /* without generics, tuples are compared by identity */
    if (a->kind != TYPE_TUPLE || b->kind != TYPE_TUPLE)
        return false;
    if (a->tuple.count == 0 || b->tuple.count == 0)
        return true; /* a bare `tuple` */
    if (a->tuple.ellipsis || b->tuple.ellipsis) {
        const Type *repeated = a->tuple.ellipsis ? a : b, *other = a->tuple.ellipsis ? b : a;
        for (uint32_t i = 0; i < other->tuple.count; i++)
            if (!equal_types(other->tuple.types[i], repeated->tuple.types[0], true))
                return false;
        return true;
    }
    if (a->tuple.count != b->tuple.count)
        return false;
    for (uint32_t i = 0; i < a->tuple.count; i++)
        if (!equal_types(a->tuple.types[i], b->tuple.types[i], true))
            return false;
    return true;
}

static bool equal_types(const Type *a, const Type *b, bool generic)
{
    if (a == b)
        return true;
    if (a->kind == TYPE_TUPLE || b->kind == TYPE_TUPLE) {
        if (generic && (a->kind == TYPE_ANY || b->kind == TYPE_ANY))
            return false; /* a sequence only matches a sequence */
        return equal_tuples(a, b, generic);
    }
    if (type_is_composite(a) && a->kind == b->kind)
        return equal_dims(a->composite.rows, b->composite.rows, generic) &&
               equal_dims(a->composite.cols, b->composite.cols, generic) &&
               equal_simple(a->composite.dtype, b->composite.dtype, generic);
    if (a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY)
        return a->array.cls == b->array.cls && equal_types(a->array.dtype, b->array.dtype, generic);
    if (a->kind == TYPE_ARRAY)
        return false;
    if ((a->kind == TYPE_TILE || a->kind == TYPE_TILE_STACK) && a->kind == b->kind)
        return equal_types(a->tile->dtype, b->tile->dtype, generic);
    if (a->kind == TYPE_SLICE)
        return b->kind == TYPE_SLICE;
    return equal_simple(a, b, generic);
}

bool types_equal(const Type *a, const Type *b)
{
    return equal_types(a, b, false);
}

bool types_match(const Type *a, const Type *b)
{
    return equal_types(a, b, true);
}

/* What a scalar is declared as: a handle is a 64-bit integer; Python's int and float keep their own words. */
static TypeKind declared_kind(const Type *type)
{
    return type->kind == TYPE_HANDLE ? TYPE_UINT64 : type->kind;
}

static uint64_t fixed_size(const Type *array)
{
    uint64_t size = 1;
    for (uint32_t i = 0; array->array.cls == ARRAY_FIXED && i < array->array.ndim; i++)
        size *= array->array.shape[i];
    return size;
}

bool types_have_one_form(const Type *a, const Type *b)
{
    a = type_strip_reference(a);
    b = type_strip_reference(b);
    if (a == b)
        return true;
    if (declared_kind(a) != declared_kind(b))
        return false;
    switch (a->kind) {
    case TYPE_VEC:
    case TYPE_MAT:
    case TYPE_QUAT:
    case TYPE_TRANSFORM:
        return a->composite.rows == b->composite.rows && a->composite.cols == b->composite.cols &&
               types_have_one_form(a->composite.dtype, b->composite.dtype);
    case TYPE_ARRAY:
        return a->array.cls == b->array.cls && fixed_size(a) == fixed_size(b) &&
               types_have_one_form(a->array.dtype, b->array.dtype);
    case TYPE_STRUCT: return strcmp(a->decl->native_name, b->decl->native_name) == 0;
    case TYPE_TUPLE:
        for (uint32_t i = 0; a->tuple.count == b->tuple.count && i < a->tuple.count; i++)
            if ((a->tuple.types[i]->kind == TYPE_REF) != (b->tuple.types[i]->kind == TYPE_REF) ||
                !types_have_one_form(a->tuple.types[i], b->tuple.types[i]))
                return false;
        return a->tuple.count == b->tuple.count;
    case TYPE_NATIVE: return strcmp(a->native->native_name, b->native->native_name) == 0;
    case TYPE_TILE:
    case TYPE_TILE_STACK:
        return types_have_one_form(a->tile->dtype, b->tile->dtype) && a->tile->ndim == b->tile->ndim &&
               a->tile->storage == b->tile->storage && a->tile->is_view == b->tile->is_view &&
               memcmp(a->tile->shape, b->tile->shape, sizeof a->tile->shape) == 0 &&
               memcmp(a->tile->strides, b->tile->strides, sizeof a->tile->strides) == 0;
    default: return true; /* scalars of one kind, slices, … */
    }
}

static bool array_class_fits(ArrayClass argument, ArrayClass parameter)
{
    return argument == parameter || (argument == ARRAY_FIXED && parameter == ARRAY_PLAIN);
}

bool type_matches_template(const Type *argument, const Type *template_type)
{
    argument = type_canonical(argument);
    template_type = type_canonical(template_type);
    if (type_is_generic(argument))
        return false;
    if (template_type->kind == TYPE_ARRAY && argument->kind == TYPE_ARRAY &&
        array_class_fits(argument->array.cls, template_type->array.cls))
        return type_matches_template(argument->array.dtype, template_type->array.dtype) &&
               argument->array.ndim == template_type->array.ndim;
    if (template_type->kind == TYPE_TILE && argument->kind == TYPE_TILE)
        return type_matches_template(argument->tile->dtype, template_type->tile->dtype);
    if (!type_is_generic(template_type))
        return types_equal(argument, template_type);
    if (kind_traits[template_type->kind].is_generic)
        return generic_covers(template_type, argument);
    if (type_is_composite(template_type))
        return type_is_composite(argument) && (argument->kind == TYPE_MAT) == (template_type->kind == TYPE_MAT) &&
               type_matches_template(argument->composite.dtype, template_type->composite.dtype) &&
               equal_dims(argument->composite.rows, template_type->composite.rows, true) &&
               equal_dims(argument->composite.cols, template_type->composite.cols, true);
    return template_type->kind == TYPE_TUPLE;
}
