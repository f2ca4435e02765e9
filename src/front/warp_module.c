/* The attributes of the modules that a kernel file imports: warp, math, typing, enum, and Python's own names.
 * Everything is a row of a table; what has no row is unknown, and refused where a kernel needs it. */
#include "front/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct NamedNumber {
    const char *name;
    double value;
} NamedNumber;

static const NamedNumber warp_floats[] = {
#define WARP_FLOAT(name, value) {name, value},
#include "front/warp_module.def"
#undef WARP_FLOAT
    {NULL, 0},
};

static const NamedNumber warp_ints[] = {
#define WARP_INT(name, value) {name, value},
#include "front/warp_module.def"
#undef WARP_INT
    {NULL, 0},
};

/* An IntEnum: only the first leaves the text as it is. */
static const NamedNumber deterministic_modes[] = {
    {"NOT_GUARANTEED", 0},
    {"RUN_TO_RUN", 1},
    {"GPU_TO_GPU", 2},
    {NULL, 0},
};

static const NamedNumber math_floats[] = {
    {"pi", M_PI}, {"e", M_E}, {"tau", 2 * M_PI}, {"inf", INFINITY}, {"nan", NAN}, {NULL, 0},
};

static const struct {
    const char *module;
    Value value;
} intrinsics[] = {
#define INTRINSIC(number, module, own_name)                                                                            \
    {module, {.kind = VALUE_INTRINSIC, .intrinsic = {.name = own_name, .id = INTRINSIC_##number}}},
#include "front/intrinsic.def"
#undef INTRINSIC
};

static const struct {
    const char *name;
    TypeKind kind;
} simple_types[] = {
#define SCALAR(kind, family, python, ctype, code, suffix, bytes) {python, TYPE_##kind},
#include "lang/scalar.def"
#undef SCALAR
    {"Int", TYPE_ANY_INT},
    {"Float", TYPE_ANY_FLOAT},
    {"Scalar", TYPE_ANY_SCALAR},
    {"Function", TYPE_FUNCTION},
};

/* What exists in the warp module, but not for kernels: known by name, so that a message can say so. */
static const char *const warp_unusable[] = {
    "map",        "Tape",      "Mesh",   "HashGrid", "Bvh",   "Volume",           "config",       "utils",
    "from_numpy", "ones",      "full",   "empty",    "clone", "transform_expand", "zeros_like",   "ones_like",
    "empty_like", "full_like", "Device", "Stream",   "Event", "ScopedTimer",      "ScopedDevice", NULL,
};

/* ---- the table ---- */

typedef struct WarpEntry {
    const char *module; /* one of the names below, compared by pointer */
    const char *text;
    uint32_t len, hash;
    const Value *value; /* NULL: a library function */
} WarpEntry;

/* Builtins come in when they are first asked for. The table is made at every start, so it is small: with a HashTable and an object
 * for each entry and each of Python's functions, 60 kB more would be touched. */
struct WarpTable {
    Arena *arena;
    TypeTable *types;
    const BuiltinTable *builtins;
    uint16_t *places; /* numbers of entries from 1 on, by module and name; 0: free */
    uint32_t place_count;
    WarpEntry *entries;
    uint32_t count, cap;
    /* Of entries: those that are there from the beginning, and how many of them stand before vectors and the like. */
    uint32_t fixed_count, before_composites;
};

static const char *const modules[] = {"",
                                      "warp",
                                      "warp.types",
                                      "warp._src",
                                      "warp._src.types",
                                      "warp.config",
                                      "math",
                                      "numpy",
                                      "typing",
                                      "typing_extensions",
                                      "enum",
                                      "warp.DeterministicMode",
                                      "functools",
                                      "itertools",
                                      "os",
                                      "dataclasses",
                                      "ctypes"};
enum { PYTHON, WARP, WARP_TYPES, WARP_SRC, WARP_SRC_TYPES }; /* the first of them */

const char *known_module(const char *name)
{
    for (size_t i = 1; i < sizeof modules / sizeof *modules; i++)
        if (strcmp(modules[i], name) == 0)
            return modules[i];
    return NULL;
}

static const char *module_named(const char *name)
{
    return *name ? known_module(name) : modules[PYTHON];
}

static uint32_t hash_entry(const char *module, uint32_t hash)
{
    return hash ^ (uint32_t)((uintptr_t)module >> 3);
}

static bool is_entry(const WarpEntry *one, const WarpEntry *two)
{
    return one->hash == two->hash && one->module == two->module && one->len == two->len &&
           memcmp(one->text, two->text, one->len) == 0;
}

/* Where the number of the entry is, or would be. */
static uint16_t *find_place(const WarpTable *table, const WarpEntry *wanted)
{
    uint32_t mask = table->place_count - 1, at = hash_entry(wanted->module, wanted->hash) & mask;
    while (table->places[at] && !is_entry(&table->entries[table->places[at] - 1], wanted))
        at = (at + 1) & mask;
    return &table->places[at];
}

static void make_places(WarpTable *table, uint32_t count)
{
    if (count > UINT16_MAX)
        abort();
    table->places = ARENA_ARRAY(table->arena, uint16_t, count);
    table->place_count = count;
    for (uint32_t i = 0; i < table->count; i++)
        *find_place(table, &table->entries[i]) = (uint16_t)(i + 1);
}

/* The first entry of a name wins. */
static void add_entry(WarpTable *table, const char *module, const char *text, const Value *value)
{
    size_t len = strlen(text);
    WarpEntry entry = {module, text, (uint32_t)len, name_hash(text, len), value};
    if (table->count >= table->place_count / 2)
        make_places(table, 2 * table->place_count);
    uint16_t *place = find_place(table, &entry);
    if (*place)
        return;
    if (table->count ==
        table->cap) { /* the table is used again after a failure: nothing is changed before there is memory */
        size_t size = table->cap * sizeof entry;
        table->entries = arena_grow(table->arena, table->entries, size, 2 * size);
        table->cap *= 2;
    }
    table->entries[table->count++] = entry;
    *place = (uint16_t)table->count;
}

static void add_type(WarpTable *table, const char *module, const char *name, const Type *type)
{
    add_entry(table, module, name, value_type(table->arena, type));
}

static void add_module(WarpTable *table, const char *in, const char *name, const char *module)
{
    add_entry(table, module_named(in), name, value_known_module(table->arena, known_module(module)));
}

static void add_intrinsics(WarpTable *table)
{
    static const struct {
        const char *name;
        int id;
    } aliases[] = {
#define NUMPY_ALIAS(name, kind) {name, INTRINSIC_NUMPY_##kind},
#include "front/warp_module.def"
#undef NUMPY_ALIAS
    };
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
        add_entry(table, module_named(intrinsics[i].module), intrinsics[i].value.intrinsic.name, &intrinsics[i].value);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        for (size_t k = 0; k < sizeof intrinsics / sizeof *intrinsics; k++)
            if (intrinsics[k].value.intrinsic.id == aliases[i].id)
                add_entry(table, module_named("numpy"), aliases[i].name, &intrinsics[k].value);
}

/* ---- vec3, mat22d, quath ---- */

/* Each with the suffix of a scalar behind it, or with none. They come in when they are first asked for, too: there are so many that
 * they took a third of the time that the table takes. */
static const struct Composite {
    char name[16];
    TypeKind kind;
    uint32_t rows;
} composites[] = {
    {"vec2", TYPE_VEC, 2},           {"mat22", TYPE_MAT, 2},
    {"vec3", TYPE_VEC, 3},           {"mat33", TYPE_MAT, 3},
    {"vec4", TYPE_VEC, 4},           {"mat44", TYPE_MAT, 4},
    {"quat", TYPE_QUAT, 4},          {"transform", TYPE_TRANSFORM, 7},
    {"spatial_vector", TYPE_VEC, 6}, {"spatial_matrix", TYPE_MAT, 6},
};
enum { COMPOSITES = sizeof composites / sizeof *composites };

static const struct Suffix {
    const char *text;
    TypeKind kind;
} suffixes[] = {
    {"", TYPE_FLOAT32},
#define SCALAR(kind, family, python, ctype, code, suffix, bytes) {suffix, TYPE_##kind},
#include "lang/scalar.def"
#undef SCALAR
};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

/* Of integers, there are short vectors alone. */
static bool has_composite(const struct Composite *composite, const struct Suffix *suffix)
{
    bool is_first = suffix == suffixes, is_short = composite->kind == TYPE_VEC && composite->rows <= 4;
    return (is_first || suffix->text[0]) && suffix->kind != TYPE_BFLOAT16 &&
           (is_short || type_is_float(type_scalar(suffix->kind)));
}

static const Type *composite_type(WarpTable *table, const struct Composite *composite, TypeKind scalar)
{
    const Type *dtype = type_scalar(scalar);
    switch (composite->kind) {
    case TYPE_VEC: return type_vec(table->types, composite->rows, dtype);
    case TYPE_MAT: return type_mat(table->types, composite->rows, composite->rows, dtype);
    case TYPE_QUAT: return type_quat(table->types, dtype);
    default: return type_transform(table->types, dtype);
    }
}

/* NULL: it is none of them. */
static const Value *add_composite(WarpTable *table, Name name)
{
    for (size_t i = 0; i < COMPOSITES; i++) {
        size_t len = strlen(composites[i].name);
        if (name->text[0] != composites[i].name[0] || strncmp(name->text, composites[i].name, len) != 0)
            continue;
        for (size_t k = 0; k < SUFFIXES; k++)
            if (strcmp(name->text + len, suffixes[k].text) == 0 && has_composite(&composites[i], &suffixes[k])) {
                const Value *value = value_type(table->arena, composite_type(table, &composites[i], suffixes[k].kind));
                add_entry(table, modules[WARP], arena_strndup(table->arena, name->text, name->len), value);
                return value;
            }
    }
    return NULL;
}

static void add_types(WarpTable *table, const Dialect *dialect)
{
    bool query_kinds = dialect->query_kinds;
    const char *warp = module_named("warp"), *python = module_named("");
    for (size_t i = 0; i < sizeof simple_types / sizeof *simple_types; i++) {
        /* wp.int and wp.float do not exist: those are Python's. */
        bool is_python = simple_types[i].kind == TYPE_PY_INT || simple_types[i].kind == TYPE_PY_FLOAT;
        add_type(table, is_python ? python : warp, simple_types[i].name, type_scalar(simple_types[i].kind));
    }
    add_type(table, python, "bool", type_scalar(TYPE_BOOL));
    table->before_composites = table->count;
    for (const NativeType *native = native_types_all(); native->python_name; native++)
        if (native->python_name[0] >= 'A' && native->python_name[0] <= 'Z' &&
            (query_kinds || strcmp(native->python_name, "MeshQuery")))
            add_type(table, warp, native->python_name,
                     type_native(table->types, query_kinds && !strcmp(native->python_name, "MeshQueryAABB")
                                                   ? native_type_find("_MeshQueryAabb")
                                                   : native));
    if (dialect->hash_grid_query_names) {
        add_type(table, warp, "HashGridQueryH", type_native(table->types, native_type_find("_HashGridQueryH")));
        add_type(table, warp, "HashGridQueryD", type_native(table->types, native_type_find("_HashGridQueryD")));
    }
    add_type(table, module_named("typing"), "Any", type_scalar(TYPE_ANY));
    add_type(table, module_named("typing_extensions"), "Any", type_scalar(TYPE_ANY));
    add_type(table, module_named("warp._src.types"), "Any", type_scalar(TYPE_ANY));
}

static void add_numbers(WarpTable *table)
{
    for (const NamedNumber *row = warp_floats; row->name; row++)
        add_entry(table, module_named("warp"), row->name, value_float(table->arena, row->value));
    for (const NamedNumber *row = warp_ints; row->name; row++)
        add_entry(table, module_named("warp"), row->name, value_int(table->arena, (BigInt)row->value));
    for (const NamedNumber *row = deterministic_modes; row->name; row++)
        add_entry(table, module_named("warp.DeterministicMode"), row->name,
                  value_int(table->arena, (BigInt)row->value));
    for (const NamedNumber *row = math_floats; row->name; row++) {
        add_entry(table, module_named("math"), row->name, value_float(table->arena, row->value));
        if (strcmp(row->name, "tau"))
            add_entry(table, module_named("numpy"), row->name, value_float(table->arena, row->value));
    }
    add_entry(table, module_named("typing"), "TYPE_CHECKING", value_bool(false));
}

/* warp._src.types.float_types and its kin: tuples of types, in the order of the scalar table. Few files ask for one; NULL: it is
 * none of them. */
static const Value *add_type_group(WarpTable *table, Name name)
{
    static const struct {
        const char *name;
        TypeKind first, last;
        bool bool_too;
    } groups[] = {
        {"int_types", TYPE_INT8, TYPE_UINT64, false},
        {"float_types", TYPE_FLOAT16, TYPE_FLOAT64, false},
        {"scalar_types", TYPE_INT8, TYPE_FLOAT64, false},
        {"scalar_and_bool_types", TYPE_INT8, TYPE_FLOAT64, true},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!name_is(name, groups[i].name))
            continue;
        uint32_t count = (uint32_t)(groups[i].last - groups[i].first) + 1 + groups[i].bool_too;
        const Value **items = ARENA_ARRAY(table->arena, const Value *, count);
        for (uint32_t k = 0; k < count; k++) {
            bool extra = groups[i].bool_too && k + 1 == count;
            items[k] = value_type(table->arena, type_scalar(extra ? TYPE_BOOL : groups[i].first + k));
        }
        const Value *group = value_sequence(table->arena, VALUE_TUPLE, items, count);
        add_entry(table, modules[WARP_SRC_TYPES], groups[i].name, group);
        return group;
    }
    return NULL;
}

/* NULL: it is none of them. */
static const Value *add_unusable(WarpTable *table, Name name)
{
    for (size_t i = 0; warp_unusable[i]; i++)
        if (name_is(name, warp_unusable[i])) {
            const Value *value = value_unknown(table->arena, "wp.%s cannot be used in a kernel", warp_unusable[i]);
            add_entry(table, modules[WARP], warp_unusable[i], value);
            return value;
        }
    return NULL;
}

static const Value *add_builtin(WarpTable *table, const BuiltinSet *set)
{
    Value *value = ARENA_NEW(table->arena, Value);
    value->kind = VALUE_BUILTIN;
    value->builtin = set;
    add_entry(table, modules[WARP], set->name, value);
    return value;
}

WarpTable *warp_table_new(Arena *arena, TypeTable *types, const BuiltinTable *builtins)
{
    WarpTable *table = ARENA_NEW(arena, WarpTable);
    enum { USUAL = 640 };
    *table = (WarpTable){.arena = arena, .types = types, .builtins = builtins};
    table->entries = arena_take(arena, USUAL * sizeof *table->entries);
    table->cap = USUAL;
    make_places(table, 2048);
    add_intrinsics(table);
    add_types(table, builtins_dialect(builtins));
    add_numbers(table);
    add_module(table, "warp", "types", "warp.types");
    add_module(table, "warp", "config", "warp.config");
    add_module(table, "warp", "DeterministicMode", "warp.DeterministicMode");
    add_module(table, "warp.config", "DeterministicMode", "warp.DeterministicMode");
    add_module(table, "warp", "_src", "warp._src");
    add_module(table, "warp._src", "types", "warp._src.types");
    for (uint32_t i = 0; library_name_at(i); i++)
        add_entry(table, module_named("warp"), library_name_at(i), NULL);
    table->fixed_count = table->count;
    return table;
}

/* ---- looking things up ---- */

bool value_is_intrinsic(const Value *value, int id)
{
    return value && value->kind == VALUE_INTRINSIC && value->intrinsic.id == id;
}

static void make_table(Unit *unit)
{
    if (!unit->warp)
        unit->warp = warp_table_new(unit->arena, unit->types, unit->builtins);
}

/* What is not there from the beginning; NULL: there is no such name. */
static const Value *add_when_asked(WarpTable *table, const char *module, Name name)
{
    if (module == modules[WARP_SRC_TYPES])
        return add_type_group(table, name);
    if (module != modules[WARP])
        return NULL;
    const Value *value = add_composite(table, name);
    if (!value)
        value = add_unusable(table, name);
    if (!value && !builtin_is_hidden(table->builtins, name->text, name->len))
        value = add_builtin(table, builtin_find(table->builtins, name->text, name->len));
    return value;
}

/* What was found lately is found again without comparing texts: 2 % fewer instructions for a compilation (callgrind, weft_compile on
 * the golden set). */
static const Value *find(Unit *unit, const char *module, Name name)
{
    uint32_t hash = hash_entry(module, name->hash);
    FoundName *found = &unit->found[hash % FOUND_NAMES];
    if (found->name == name && found->module == module)
        return found->value;
    make_table(unit);
    WarpTable *table = unit->warp;
    WarpEntry wanted = {.module = module, .text = name->text, .len = name->len, .hash = name->hash};
    uint16_t number = *find_place(table, &wanted);
    const WarpEntry *entry = number ? &table->entries[number - 1] : NULL;
    if (entry && !entry->value)
        return library_function(unit, name); /* of this unit alone */
    const Value *value = entry ? entry->value : add_when_asked(table, module, name);
    *found = (FoundName){module, name, value};
    return value;
}

const Value *warp_attribute(Unit *unit, Name name)
{
    if (name_is(name, "__version__"))
        return value_str(unit->arena, unit->dialect->number, (uint32_t)strlen(unit->dialect->number));
    return find(unit, modules[WARP], name);
}

const Value *module_attribute(Unit *unit, const char *module, Name name)
{
    bool all_types = module == modules[WARP_SRC_TYPES];
    const Value *found = module == modules[WARP] ? warp_attribute(unit, name) : find(unit, module, name);
    if (!found && all_types)
        found = find(unit, modules[WARP_TYPES], name);
    if (!found && all_types)
        found = warp_attribute(unit, name);
    if (found || module == modules[WARP])
        return found;
    if (module == modules[WARP_TYPES] && warp_attribute(unit, name))
        return value_unknown(unit->arena, "there is no 'wp.types.%s'; it is called 'wp.%s'", name->text, name->text);
    return value_unknown(unit->arena, "weft does not know '%s.%s'", module, name->text);
}

/* Only names that these modules have in all of their versions. */
bool module_has_name_of_builtin(const char *module, Name name)
{
    static const char *const in_numpy[] = {
        "abs",     "add",    "argmax", "argmin",  "cbrt",     "ceil",    "copysign", "cos",       "cosh",     "cross",
        "degrees", "diag",   "dot",    "exp",     "float16",  "float32", "float64",  "floor",     "identity", "int16",
        "int32",   "int64",  "int8",   "invert",  "isfinite", "isinf",   "isnan",    "log",       "log10",    "log2",
        "max",     "min",    "mod",    "nonzero", "outer",    "radians", "rint",     "round",     "select",   "sign",
        "sin",     "sinh",   "sqrt",   "tan",     "tanh",     "tile",    "trace",    "transpose", "trunc",    "uint16",
        "uint32",  "uint64", "uint8",  "where",   "zeros",    NULL};
    static const char *const in_math[] = {"acos",  "asin",    "atan", "atan2", "ceil", "copysign", "cos",
                                          "cosh",  "degrees", "erf",  "erfc",  "exp",  "floor",    "isfinite",
                                          "isinf", "isnan",   "log",  "log10", "log2", "pow",      "radians",
                                          "sin",   "sinh",    "sqrt", "tan",   "tanh", "trunc",    NULL};
    if (strcmp(module, "warp") == 0)
        return true;
    const char *const *names = strcmp(module, "numpy") == 0 ? in_numpy : strcmp(module, "math") == 0 ? in_math : NULL;
    while (names && *names && !name_is(name, *names))
        names++;
    return names && *names;
}

static void import_name(Unit *unit, Scope *scope, const char *text)
{
    Name name = name_of(unit->names, text, strlen(text));
    if (text[0] != '_')
        scope_bind(unit, scope, name, warp_attribute(unit, name));
}

static void import_composites(Unit *unit, Scope *scope)
{
    for (size_t k = 0; k < SUFFIXES; k++)
        for (size_t i = 0; i < COMPOSITES; i++)
            if (has_composite(&composites[i], &suffixes[k]))
                import_name(unit, scope, arena_join(unit->arena, composites[i].name, suffixes[k].text));
}

static void import_entries(Unit *unit, Scope *scope, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (unit->warp->entries[i].module == modules[WARP])
            import_name(unit, scope, unit->warp->entries[i].text);
}

void import_warp_names(Unit *unit, Scope *scope)
{
    make_table(unit);
    uint32_t fixed = unit->warp->fixed_count, first = unit->warp->before_composites;
    import_entries(unit, scope, 0, first);
    import_composites(unit, scope);
    import_entries(unit, scope, first, fixed);
    for (uint32_t i = 0; i < builtin_set_count(unit->builtins); i++) {
        const char *name = builtin_set_at(unit->builtins, i)->name;
        if (!builtin_is_hidden(unit->builtins, name, strlen(name)))
            import_name(unit, scope, name);
    }
    for (size_t i = 0; warp_unusable[i]; i++)
        import_name(unit, scope, warp_unusable[i]);
}

const Value *python_builtin(Unit *unit, Name name)
{
    return find(unit, modules[PYTHON], name);
}
