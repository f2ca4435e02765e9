/* The attributes of the modules that a kernel file imports: warp, math, typing, enum, and Python's own names.
 * Everything is a row of a table; what has no row is unknown, and refused where a kernel needs it. */
#include "front/unit.h"

#include <math.h>
#include <string.h>

typedef struct NamedNumber {
    const char *name;
    double value;
} NamedNumber;

static const NamedNumber warp_floats[] = {
    {"E", M_E}, {"e", M_E}, {"INF", INFINITY}, {"inf", INFINITY}, {"NAN", NAN}, {"nan", NAN},
    {"LOG2E", M_LOG2E}, {"log2e", M_LOG2E}, {"LOG10E", M_LOG10E}, {"log10e", M_LOG10E},
    {"LN2", M_LN2}, {"ln2", M_LN2}, {"LN10", M_LN10}, {"ln10", M_LN10},
    {"PHI", 1.618033988749895}, {"phi", 1.618033988749895}, {"PI", M_PI}, {"pi", M_PI},
    {"HALF_PI", M_PI_2}, {"half_pi", M_PI_2}, {"TAU", 2 * M_PI}, {"tau", 2 * M_PI}, {NULL, 0},
};

static const NamedNumber warp_ints[] = {
    {"TIMING_KERNEL", 1}, {"TIMING_KERNEL_BUILTIN", 2}, {"TIMING_MEMCPY", 4}, {"TIMING_MEMSET", 8},
    {"TIMING_GRAPH", 16}, {"TIMING_ALL", 4294967295.0}, {"LOG_DEBUG", 10}, {"LOG_INFO", 20},
    {"LOG_WARNING", 30}, {"LOG_ERROR", 40}, {NULL, 0},
};

static const NamedNumber math_floats[] = {
    {"pi", M_PI}, {"e", M_E}, {"tau", 2 * M_PI}, {"inf", INFINITY}, {"nan", NAN}, {NULL, 0},
};

static const struct { const char *module, *name; int id; } intrinsics[] = {
#define INTRINSIC(id, module, name) {module, name, INTRINSIC_##id},
#include "front/intrinsic.def"
#undef INTRINSIC
};

static const struct { const char *name; TypeKind kind; } simple_types[] = {
#define SCALAR(kind, python, ctype, code, suffix, bytes) {python, TYPE_##kind},
#include "lang/scalar.def"
#undef SCALAR
    {"Int", TYPE_ANY_INT}, {"Float", TYPE_ANY_FLOAT}, {"Scalar", TYPE_ANY_SCALAR}, {"Function", TYPE_FUNCTION},
};

/* What exists in the warp module, but not for kernels: known by name, so that a message can say so. */
static const char *const warp_unusable[] = {
    "launch", "launch_tiled", "map", "Tape", "Mesh", "HashGrid", "Bvh", "Volume", "tile", "tile_stack", "config",
    "utils", "from_numpy", "ones", "full", "empty", "clone", "transform_expand", "zeros_like", "ones_like",
    "empty_like", "full_like", "Device", "Stream", "Event", "ScopedTimer", "ScopedDevice", NULL,
};

bool value_is_intrinsic(const Value *value, int id)
{
    return value && value->kind == VALUE_INTRINSIC && value->intrinsic.id == id;
}

static const Value *intrinsic_value(Unit *unit, const char *module, const char *name)
{
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++) {
        if (strcmp(intrinsics[i].module, module) || strcmp(intrinsics[i].name, name))
            continue;
        Value *value = ARENA_NEW(unit->arena, Value);
        value->kind = VALUE_INTRINSIC;
        value->intrinsic.name = intrinsics[i].name;
        value->intrinsic.id = intrinsics[i].id;
        return value;
    }
    return NULL;
}

static const Value *module_value(Unit *unit, const char *name)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_MODULE;
    value->module = name;
    return value;
}

static const NamedNumber *find_number(const NamedNumber *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static const Type *scalar_by_suffix(const char *suffix)
{
    static const struct { const char *suffix; TypeKind kind; } rows[] = {
#define SCALAR(kind, python, ctype, code, suffix, bytes) {suffix, TYPE_##kind},
#include "lang/scalar.def"
#undef SCALAR
    };
    if (!*suffix)
        return type_scalar(TYPE_FLOAT32);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].suffix, suffix) == 0 && rows[i].kind != TYPE_BFLOAT16)
            return type_scalar(rows[i].kind);
    return NULL;
}

/* vec3, vec2ub, mat44d, quatf, transformh, spatial_vectord, … */
static const Type *composite_alias(Unit *unit, const char *name)
{
    TypeTable *types = unit->types;
    bool is_vec = strncmp(name, "vec", 3) == 0, is_mat = strncmp(name, "mat", 3) == 0;
    if (is_vec && name[3] >= '2' && name[3] <= '4') {
        const Type *dtype = scalar_by_suffix(name + 4);
        return dtype ? type_vec(types, (uint32_t)(name[3] - '0'), dtype) : NULL;
    }
    static const struct { const char *prefix; } prefixes[] = {{"quat"}, {"transform"}, {"spatial_vector"}, {"spatial_matrix"}};
    const char *suffix = NULL;
    size_t which = 0;
    if (is_mat && name[3] >= '2' && name[3] <= '4' && name[4] == name[3])
        suffix = name + 5;
    for (size_t i = 0; !suffix && i < 4; i++) {
        size_t len = strlen(prefixes[i].prefix);
        if (strncmp(name, prefixes[i].prefix, len) == 0 && strlen(name) <= len + 1) {
            suffix = name + len;
            which = i;
        }
    }
    const Type *dtype = suffix ? scalar_by_suffix(suffix) : NULL;
    if (!dtype || !type_is_float(dtype))
        return NULL;
    if (is_mat) {
        uint32_t size = (uint32_t)(name[3] - '0');
        return type_mat(types, size, size, dtype);
    }
    switch (which) {
    case 0: return type_quat(types, dtype);
    case 1: return type_transform(types, dtype);
    case 2: return type_vec(types, 6, dtype);
    default: return type_mat(types, 6, 6, dtype);
    }
}

static const Type *warp_type(Unit *unit, const char *name)
{
    for (size_t i = 0; i < sizeof simple_types / sizeof *simple_types; i++)
        if (strcmp(simple_types[i].name, name) == 0)
            /* wp.int and wp.float do not exist: those are Python's. */
            return simple_types[i].kind == TYPE_PY_INT || simple_types[i].kind == TYPE_PY_FLOAT
                       ? NULL : type_scalar(simple_types[i].kind);
    const Type *alias = composite_alias(unit, name);
    if (alias)
        return alias;
    const NativeType *native = name[0] == '_' ? NULL : native_type_find(name);
    bool exported = native && native->python_name[0] >= 'A' && native->python_name[0] <= 'Z';
    return exported ? type_native(unit->types, native) : NULL;
}

const Value *warp_attribute(Unit *unit, Name name)
{
    const Value *found = intrinsic_value(unit, "warp", name->text);
    if (found)
        return found;
    const Type *type = warp_type(unit, name->text);
    if (type)
        return value_type(unit->arena, type);
    const NamedNumber *number = find_number(warp_floats, name->text);
    if (number)
        return value_float(unit->arena, number->value);
    if ((number = find_number(warp_ints, name->text)))
        return value_int(unit->arena, (BigInt)number->value);
    if (name_is(name, "types"))
        return module_value(unit, "warp.types");
    if (name_is(name, "config"))
        return module_value(unit, "warp.config");
    if (name_is(name, "_src"))
        return module_value(unit, "warp._src");
    if ((found = library_function(unit, name)))
        return found;
    const BuiltinSet *builtin = builtin_find(unit->builtins, name->text, name->len);
    if (builtin && !(builtin->overloads[0]->flags & BUILTIN_HIDDEN)) {
        Value *value = ARENA_NEW(unit->arena, Value);
        value->kind = VALUE_BUILTIN;
        value->builtin = builtin;
        return value;
    }
    for (size_t i = 0; warp_unusable[i]; i++)
        if (name_is(name, warp_unusable[i]))
            return value_unknown(unit->arena, "wp.%s cannot be used here", name->text);
    return NULL;
}

/* warp._src.types.float_types and its kin: tuples of types, in the order of the scalar table. */
static const Value *type_group(Unit *unit, Name name)
{
    static const struct { const char *name; TypeKind first, last; bool bool_too; } groups[] = {
        {"int_types", TYPE_INT8, TYPE_UINT64, false}, {"float_types", TYPE_FLOAT16, TYPE_FLOAT64, false},
        {"scalar_types", TYPE_INT8, TYPE_FLOAT64, false}, {"scalar_and_bool_types", TYPE_INT8, TYPE_FLOAT64, true},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!name_is(name, groups[i].name))
            continue;
        uint32_t count = (uint32_t)(groups[i].last - groups[i].first) + 1 + groups[i].bool_too;
        const Value **items = ARENA_ARRAY(unit->arena, const Value *, count);
        for (uint32_t k = 0; k < count; k++) {
            bool extra = groups[i].bool_too && k + 1 == count;
            items[k] = value_type(unit->arena, type_scalar(extra ? TYPE_BOOL : groups[i].first + k));
        }
        return value_sequence(unit->arena, VALUE_TUPLE, items, count);
    }
    return NULL;
}

static const Value *types_attribute(Unit *unit, Name name)
{
    const Value *group = type_group(unit, name);
    if (group)
        return group;
    const Value *found = intrinsic_value(unit, "warp.types", name->text);
    return found ? found : warp_attribute(unit, name);
}

const Value *module_attribute(Unit *unit, const char *module, Name name)
{
    if (strcmp(module, "warp") == 0)
        return warp_attribute(unit, name);
    if (strcmp(module, "warp.types") == 0 || strcmp(module, "warp._src.types") == 0)
        return types_attribute(unit, name);
    if (strcmp(module, "warp._src") == 0 && name_is(name, "types"))
        return module_value(unit, "warp._src.types");
    const Value *found = intrinsic_value(unit, module, name->text);
    if (found)
        return found;
    bool is_math = strcmp(module, "math") == 0;
    if (is_math || strcmp(module, "numpy") == 0) {
        const NamedNumber *number = find_number(math_floats, name->text);
        if (number && (is_math || strcmp(name->text, "tau")))
            return value_float(unit->arena, number->value);
    }
    if (strcmp(module, "typing") == 0 || strcmp(module, "typing_extensions") == 0) {
        if (name_is(name, "Any"))
            return value_type(unit->arena, type_scalar(TYPE_ANY));
        if (name_is(name, "TYPE_CHECKING"))
            return value_bool(false);
    }
    return value_unknown(unit->arena, "'%s.%s' is not in this file", module, name->text);
}

const Value *python_builtin(Unit *unit, Name name)
{
    if (name_is(name, "int"))
        return value_type(unit->arena, type_scalar(TYPE_PY_INT));
    if (name_is(name, "float"))
        return value_type(unit->arena, type_scalar(TYPE_PY_FLOAT));
    if (name_is(name, "bool"))
        return value_type(unit->arena, type_scalar(TYPE_BOOL));
    return intrinsic_value(unit, "", name->text);
}
