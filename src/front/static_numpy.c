/* Types and numbers of NumPy, as far as module levels use them for kernels. */
#include "front/static_impl.h"

const Value *numpy_type(Unit *unit, const Value *value)
{
    static const struct {
        int id;
        TypeKind kind;
    } rows[] = {
#define NUMPY_TYPE(name, kind) {INTRINSIC_NUMPY_##kind, TYPE_##kind},
#include "front/warp_module.def"
#undef NUMPY_TYPE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (value_is_intrinsic(value, rows[i].id))
            return value_type(unit->arena, type_scalar(rows[i].kind));
    return value_unknown(unit->arena, "the type of NumPy is not known");
}

static Value *new_limits(Unit *unit, const char *name)
{
    Value *limits = ARENA_NEW(unit->arena, Value);
    limits->kind = VALUE_CLASS;
    limits->class_object.name = name_cstr(unit->names, name);
    limits->class_object.scope = scope_new(unit, NULL, "");
    return limits;
}

static const char ctype_name[] = "<ctype>";

const Value *ctype_of(Unit *unit, const Type *scalar)
{
    static const uint8_t sizes[] = {
#define SCALAR(kind, family, python, ctype, code, suffix, bytes) [TYPE_##kind] = bytes,
#include "lang/scalar.def"
#undef SCALAR
    };
    Value *ctype = new_limits(unit, ctype_name);
    scope_bind(unit, ctype->class_object.scope, name_cstr(unit->names, "<size>"),
               value_int(unit->arena, sizes[scalar->kind]));
    return ctype;
}

const Value *size_of_ctype(Unit *unit, const Value *ctype)
{
    bool known = ctype && ctype->kind == VALUE_CLASS && name_is(ctype->class_object.name, ctype_name);
    return known ? scope_find_here(ctype->class_object.scope, name_cstr(unit->names, "<size>"))
                 : value_unknown(unit->arena, "the size of this type is not known");
}

/* numpy.iinfo(type): an object with the limits of the type, which are integers of Python. */
const Value *int_limits(Unit *unit, const Value *type)
{
    const Value *scalar = type && type->kind == VALUE_INTRINSIC ? numpy_type(unit, type) : NULL;
    TypeKind kind = scalar && scalar->kind == VALUE_TYPE ? scalar->type->kind : TYPE_ANY;
    if (kind < TYPE_INT8 || kind > TYPE_UINT64)
        return value_unknown(unit->arena, "the type of numpy.iinfo() is not known");
    BigInt all = wrap_to_type(-1, kind), half = 1; /* all bits are set */
    while (all < 0 && wrap_to_type(half, kind) > 0)
        half *= 2;
    Value *limits = new_limits(unit, "<iinfo>");
    Scope *scope = limits->class_object.scope;
    scope_bind(unit, scope, name_cstr(unit->names, "max"), value_int(unit->arena, all > 0 ? all : half - 1));
    scope_bind(unit, scope, name_cstr(unit->names, "min"), value_int(unit->arena, all > 0 ? 0 : -half));
    return limits;
}

static void bind_limit(Unit *unit, Scope *scope, TypeKind kind, const char *name, double real)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_NUMPY;
    value->scalar.type = type_scalar(kind);
    value->scalar.number.real = real;
    scope_bind(unit, scope, name_cstr(unit->names, name), value);
}

/* numpy.finfo(type): an object with the limits of the type, which are numbers of NumPy. */
const Value *float_limits(Unit *unit, const Value *type)
{
    static const struct {
        TypeKind kind;
        double eps, max, tiny;
    } rows[] = {
        {TYPE_FLOAT16, 0x1p-10, 65504.0, 0x1p-14},
        {TYPE_FLOAT32, 0x1p-23, 0x1.fffffep127, 0x1p-126},
        {TYPE_FLOAT64, 0x1p-52, 0x1.fffffffffffffp1023, 0x1p-1022},
    };
    const Value *scalar = type && type->kind == VALUE_INTRINSIC ? numpy_type(unit, type) : NULL;
    bool python = type && type->kind == VALUE_TYPE && type->type->kind == TYPE_PY_FLOAT;
    TypeKind kind = python ? TYPE_FLOAT64 : scalar && scalar->kind == VALUE_TYPE ? scalar->type->kind : TYPE_ANY;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind != kind)
            continue;
        Value *limits = new_limits(unit, "<finfo>");
        Scope *scope = limits->class_object.scope;
        bind_limit(unit, scope, kind, "eps", rows[i].eps);
        bind_limit(unit, scope, kind, "max", rows[i].max);
        bind_limit(unit, scope, kind, "min", -rows[i].max);
        bind_limit(unit, scope, kind, "tiny", rows[i].tiny);
        bind_limit(unit, scope, kind, "smallest_normal", rows[i].tiny);
        return limits;
    }
    return value_unknown(unit->arena, "the type of numpy.finfo() is not known");
}

/* A scalar of Warp keeps the number of NumPy that it is given, and is printed as that is. */
const Value *scalar_of_numpy(Unit *unit, const Type *type, const Value *numpy)
{
    TypeKind from = numpy->scalar.type->kind;
    if (!type_is_float(type) || from == TYPE_FLOAT16)
        return value_unknown(unit->arena, "this conversion of a number of NumPy is not computed");
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_SCALAR;
    value->scalar.type = type;
    value->scalar.number = numpy->scalar.number;
    value->scalar.as_single = from == TYPE_FLOAT32;
    return value;
}
