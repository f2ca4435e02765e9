/* Calls at module level: constructors, the intrinsics of intrinsic.def, and Python functions of the file. */
#include "front/static_impl.h"

#include <math.h>
#include <string.h>

enum { KEYWORD_ONLY = LIMIT_LOAD_ARGS }; /* no place among the positional arguments */

static const Value *spread_argument(Unit *unit, const Value *value, Args *args)
{
    if (value->kind != VALUE_TUPLE && value->kind != VALUE_LIST)
        return value->kind == VALUE_UNKNOWN ? value : value_unknown(unit->arena, "a starred argument is not followed");
    if (args->count + value->sequence.count > LIMIT_LOAD_ARGS)
        return value_unknown(unit->arena, "the call has too many arguments");
    for (uint32_t k = 0; k < value->sequence.count; k++)
        args->positional[args->count++] = value->sequence.items[k];
    return NULL;
}

static const Value *name_argument(Unit *unit, Name name, const Value *value, Args *args)
{
    if (args->named_count == sizeof args->named / sizeof *args->named)
        return value_unknown(unit->arena, "the keywords of the call are not followed");
    args->names[args->named_count] = name;
    args->named[args->named_count++] = value;
    return NULL;
}

/* `**options` */
static const Value *spread_keywords(Unit *unit, const Value *value, Args *args)
{
    const Value *failed = NULL;
    if (value->kind != VALUE_DICT || value->dict.unsure)
        return value->kind == VALUE_UNKNOWN ? value
                                            : value_unknown(unit->arena, "the keywords of the call are not followed");
    for (uint32_t i = 0; i < value->dict.count && !failed; i++) {
        const Value *key = value->dict.keys[i];
        failed = key->kind == VALUE_STR ? name_argument(unit, name_of(unit->names, key->str.text, key->str.len),
                                                        value->dict.values[i], args)
                                        : value_unknown(unit->arena, "the keywords of the call are not followed");
    }
    return failed;
}

/* NULL, or why the arguments cannot be told: all of them are evaluated in any case, since that may make functions and kernels. An
 * argument whose value is not known is one of them. */
static const Value *collect(Unit *unit, const Node *call, const Scope *scope, Args *args)
{
    const Value *failed = NULL;
    args->count = args->named_count = 0;
    for (uint32_t i = 0; i < call->call.args.count; i++) {
        const Node *node = call->call.args.items[i];
        bool starred = node->kind == NODE_STARRED;
        const Value *value = static_eval(unit, starred ? node->wrap.value : node, scope), *trouble = NULL;
        if (starred)
            trouble = spread_argument(unit, value, args);
        else if (args->count == LIMIT_LOAD_ARGS)
            trouble = value_unknown(unit->arena, "the call has too many arguments");
        else
            args->positional[args->count++] = value;
        failed = failed ? failed : trouble;
    }
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        const Node *keyword = call->call.keywords.items[i];
        const Value *value = static_eval(unit, keyword->keyword.value, scope);
        const Value *trouble = keyword->keyword.name ? name_argument(unit, keyword->keyword.name, value, args)
                                                     : spread_keywords(unit, value, args);
        failed = failed ? failed : trouble;
    }
    return failed;
}

/* The first argument that is not known; NULL: all are. */
static const Value *unknown_argument(const Args *args)
{
    for (uint32_t i = 0; i < args->count; i++)
        if (args->positional[i]->kind == VALUE_UNKNOWN)
            return args->positional[i];
    for (uint32_t i = 0; i < args->named_count; i++)
        if (args->named[i]->kind == VALUE_UNKNOWN)
            return args->named[i];
    return NULL;
}

/* What is not followed may call the functions, and change the dicts, that it is given. */
static void lose_arguments(Unit *unit, const Args *args)
{
    for (uint32_t i = 0; i < args->count + args->named_count; i++) {
        const Value *value = i < args->count ? args->positional[i] : args->named[i - args->count];
        if (value->kind == VALUE_PYTHON_FUNC) {
            lose_call(unit, value->python, LOST_NUMBERS);
            rename_function(value, name_cstr(unit->names, "__qualname__"),
                            value_unknown(unit->arena, "a call that is not followed is given the function"));
        } else if (value->kind == VALUE_DICT)
            dict_forget(value, "a dict is given to a call that is not followed");
        else
            forget_object(unit, value);
    }
}

const Value *given_argument(const Args *args, uint32_t position, const char *name)
{
    for (uint32_t i = 0; i < args->named_count; i++)
        if (name_is(args->names[i], name))
            return args->named[i];
    return position < LIMIT_LOAD_ARGS && position < args->count ? args->positional[position] : NULL;
}

const Type *type_of_value(const Value *value)
{
    if (!value)
        return NULL;
    return value->kind == VALUE_TYPE ? value->type : NULL;
}

/* ---- types that are called ---- */

static bool is_sequence(const Value *value)
{
    return value->kind == VALUE_TUPLE || value->kind == VALUE_LIST;
}

/* All the numbers in the arguments, nested sequences and vectors flattened. */
static bool flatten(const Value *value, Number *out, uint32_t *count, uint32_t max, uint32_t depth)
{
    if (is_sequence(value)) {
        if (depth == LIMIT_TYPE_DEPTH) /* a list may hold itself */
            return false;
        for (uint32_t i = 0; i < value->sequence.count; i++)
            if (!flatten(value->sequence.items[i], out, count, max, depth + 1))
                return false;
        return true;
    }
    if (value->kind == VALUE_COMPOSITE) {
        for (uint32_t i = 0; i < value->composite.count; i++) {
            if (*count == max)
                return false;
            out[(*count)++] = value->composite.elements[i];
        }
        return true;
    }
    return *count < max && value_as_number(value, true, &out[(*count)++]);
}

static const Value *construct_composite(Unit *unit, const Type *type, const Args *args)
{
    uint64_t full = (uint64_t)type->composite.rows * (type->kind == TYPE_MAT ? type->composite.cols : 1);
    uint32_t size = (uint32_t)full;
    if (type_is_generic(type) || full > LIMIT_COMPOSITE || args->named_count)
        return value_unknown(unit->arena, "this constructor is not followed");
    Number *numbers = ARENA_ARRAY(unit->arena, Number, size);
    uint32_t count = 0;
    for (uint32_t i = 0; i < args->count; i++)
        if (!flatten(args->positional[i], numbers, &count, size, 0))
            return value_unknown(unit->arena, "the arguments of this constructor are not followed");
    bool fill = args->count == 1 && count == 1 && (type->kind == TYPE_VEC || type->kind == TYPE_MAT);
    bool identity_rotation = type->kind == TYPE_TRANSFORM && count == 3 && args->count == 1;
    for (uint32_t i = 1; fill && i < size; i++)
        numbers[i] = numbers[0];
    if (identity_rotation)
        numbers[6] = (Number){.is_int = true, .integer = 1};
    if (count && count != size && !fill && !identity_rotation)
        return value_unknown(unit->arena, "the number of values is not that of the type");
    return value_composite(unit->arena, type, numbers, size);
}

/* int("18") */
static const Value *int_of_text(Unit *unit, const Value *text)
{
    enum { MOST_DIGITS = 18 };
    BigInt value = 0;
    bool known = text->str.len && text->str.len <= MOST_DIGITS;
    for (uint32_t i = 0; known && i < text->str.len; i++) {
        char c = text->str.text[i];
        known = c >= '0' && c <= '9';
        value = value * 10 + (c - '0');
    }
    return known ? value_int(unit->arena, value) : value_unknown(unit->arena, "this conversion is not computed");
}

static const Value *construct(Unit *unit, const Type *type, const Args *args)
{
    Number number = {.is_int = true};
    if (type_is_composite(type))
        return construct_composite(unit, type, args);
    if (type->kind == TYPE_STRUCT && !args->count && !args->named_count)
        return make_instance(unit, type);
    const Value *given = args->count ? args->positional[0] : NULL;
    if (type->kind == TYPE_PY_INT && given && given->kind == VALUE_STR && args->count == 1 && !args->named_count)
        return int_of_text(unit, given);
    if (type->kind == TYPE_PY_INT && given && given->kind == VALUE_FOREIGN_MEMBER && args->count == 1)
        return value_int(unit->arena, given->member.value);
    if (args->count > 1 || args->named_count || (args->count && !value_as_number(args->positional[0], true, &number)))
        return value_unknown(unit->arena, "this conversion is not computed");
    if (type->kind == TYPE_PY_INT) {
        if (!number.is_int && !(fabs(number.real) < 1e30))
            return value_unknown(unit->arena, "this conversion is not computed");
        return value_int(unit->arena, number.is_int ? number.integer : truncate_real(number.real));
    }
    if (type->kind == TYPE_PY_FLOAT)
        return value_float(unit->arena, number.is_int ? (double)number.integer : number.real);
    if (given && type_is_scalar(type) && given->kind == VALUE_NUMPY)
        return scalar_of_numpy(unit, type, given);
    if (given && given->kind == VALUE_SCALAR && given->scalar.as_single)
        return value_unknown(unit->arena, "this conversion of a number of NumPy is not computed");
    if (type_is_scalar(type) || type->kind == TYPE_BOOL)
        return value_scalar(unit->arena, type, number);
    return value_unknown(unit->arena, "instances of this type are not followed");
}

/* ---- type constructors ---- */

static bool dimension(const Value *value, uint32_t *out)
{
    BigInt integer;
    if (!value)
        return false;
    if (value->kind == VALUE_TYPE && value->type->kind == TYPE_ANY) {
        *out = TYPE_DIM_ANY;
        return true;
    }
    if (!value_as_int(value, &integer) || integer < 1 || integer > LIMIT_SEQUENCE)
        return false;
    *out = (uint32_t)integer;
    return true;
}

/* A type that a function of Warp made for these arguments: see Value.made_by. */
static const Value *made_type(Unit *unit, const Type *type, const Type *dtype, const Args *args)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_TYPE;
    value->type = type;
    value->made_by = arena_format(unit->arena, "%u %p", args->count, (const void *)dtype);
    for (uint32_t i = 0; i < args->named_count; i++)
        value->made_by = arena_format(unit->arena, "%s %s", value->made_by, args->names[i]->text);
    return value;
}

static const Value *make_vector_type(Unit *unit, const Args *args)
{
    uint32_t length;
    const Type *dtype = type_of_value(given_argument(args, 1, "dtype"));
    if (!dimension(given_argument(args, 0, "length"), &length) || !dtype)
        return value_unknown(unit->arena, "the vector type has no known length and dtype");
    unit->makes_pairs |= length == 2 && type_is_float(type_canonical(dtype));
    return made_type(unit, type_vec(unit->types, length, dtype), dtype, args);
}

static const Value *make_matrix_type(Unit *unit, const Args *args)
{
    uint32_t rows, cols;
    const Value *shape = given_argument(args, 0, "shape");
    const Type *dtype = type_of_value(given_argument(args, 1, "dtype"));
    if (!shape || !is_sequence(shape) || shape->sequence.count != 2 || !dtype ||
        !dimension(shape->sequence.items[0], &rows) || !dimension(shape->sequence.items[1], &cols))
        return value_unknown(unit->arena, "the matrix type has no known shape and dtype");
    return made_type(unit, type_mat(unit->types, rows, cols, dtype), dtype, args);
}

/* The array class and number of dimensions that an intrinsic such as wp.array2d stands for. */
static bool array_intrinsic(int id, ArrayClass *cls, uint32_t *ndim)
{
    static const struct {
        int id;
        ArrayClass cls;
        uint32_t ndim;
    } rows[] = {
#define ARRAY_TYPE(id, cls, ndim) {INTRINSIC_##id, ARRAY_##cls, ndim},
#include "front/warp_module.def"
#undef ARRAY_TYPE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == id) {
            *cls = rows[i].cls;
            *ndim = rows[i].ndim;
            return true;
        }
    return false;
}

static const Value *make_array_type(Unit *unit, ArrayClass cls, uint32_t ndim, const Args *args)
{
    const Value *dtype_value = given_argument(args, KEYWORD_ONLY, "dtype"),
                *ndim_value = given_argument(args, KEYWORD_ONLY, "ndim");
    const Type *dtype = dtype_value ? type_of_value(dtype_value) : type_scalar(TYPE_ANY);
    const Value *shape = given_argument(args, KEYWORD_ONLY, "shape");
    if (cls == ARRAY_FIXED && dtype && shape && !args->count) {
        uint32_t dims[4] = {0}, count = is_sequence(shape) ? shape->sequence.count : 1;
        for (uint32_t i = 0; i < count && count <= 4; i++)
            if (!dimension(is_sequence(shape) ? shape->sequence.items[i] : shape, &dims[i]))
                count = 5;
        if (count >= 1 && count <= 4)
            return value_type(unit->arena, type_fixed_array(unit->types, dtype, count, dims));
    }
    if (!args->count && dtype_value && dtype_value->kind == VALUE_UNKNOWN)
        return dtype_value;
    if (args->count || !dtype || cls == ARRAY_FIXED)
        return value_unknown(unit->arena, "this makes an array, which only a running program can do");
    if (ndim_value && ndim_value->kind != VALUE_NONE && !dimension(ndim_value, &ndim))
        return value_unknown(unit->arena, "the number of dimensions is not known");
    if (ndim > 4)
        return value_unknown(unit->arena, "arrays have at most four dimensions");
    bool fabric = cls == ARRAY_FABRIC || cls == ARRAY_INDEXED_FABRIC;
    return value_type(unit->arena, fabric ? type_array_as_given(unit->types, cls, dtype, ndim)
                                          : type_array(unit->types, cls, dtype, ndim));
}

static bool is_text(const Value *value, const char *text)
{
    return value->kind == VALUE_STR && value->str.len == strlen(text) && !memcmp(value->str.text, text, value->str.len);
}

/* Where an annotation says that tiles are kept: false for what weft does not know. */
static bool annotated_storage(const Args *args, TileStorage *out)
{
    const Value *storage = given_argument(args, KEYWORD_ONLY, "storage");
    static const char *const others[] = {"layout", "strides", "owner"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (given_argument(args, KEYWORD_ONLY, others[i]))
            return false;
    *out = storage && is_text(storage, "shared") ? TILE_SHARED : TILE_REGISTER;
    return !storage || *out == TILE_SHARED || is_text(storage, "register");
}

/* wp.tile(dtype=float, shape=(8, 4)) and wp.tile_stack(capacity=64, dtype=int), as annotations. */
static const Value *make_tile_type(Unit *unit, bool stack, const Args *args)
{
    const Value *dtype_value = given_argument(args, KEYWORD_ONLY, "dtype"),
                *shape = given_argument(args, KEYWORD_ONLY, stack ? "capacity" : "shape");
    const Type *dtype = dtype_value ? type_of_value(dtype_value) : NULL;
    uint32_t dims[TILE_DIMS], count = shape && is_sequence(shape) ? shape->sequence.count : 1;
    bool known = dtype && shape && !args->count && count >= 1 && count <= TILE_DIMS;
    for (uint32_t i = 0; known && i < count; i++)
        known = dimension(is_sequence(shape) ? shape->sequence.items[i] : shape, &dims[i]) && dims[i];
    TileStorage storage = TILE_REGISTER;
    if (!known || (stack ? count != 1 : !annotated_storage(args, &storage)))
        return value_unknown(unit->arena, "this is not a type of tiles that weft knows");
    const Type *type = stack ? type_tile_stack(unit->types, dtype, dims[0])
                             : type_tile(unit->types, dtype, count, dims, NULL, storage);
    type->tile->declared_shared = storage == TILE_SHARED;
    return value_type(unit->arena, type);
}

static const Type *tuple_annotation(Unit *unit, const Node *slice, const Scope *scope)
{
    uint32_t count = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
    const Type **types = ARENA_ARRAY(unit->arena, const Type *, count);
    bool ellipsis = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Node *node = slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice;
        const Value *value = static_eval(unit, node, scope);
        if (value->kind == VALUE_ELLIPSIS && i == 1 && count == 2) {
            ellipsis = true;
            continue;
        }
        types[kept] = type_of_value(value);
        if (!types[kept++])
            return NULL;
    }
    const Type *tuple = type_tuple(unit->types, types, kept, ellipsis ? TUPLE_REPEATED : TUPLE_ANNOTATION);
    return tuple;
}

/* wp.tile[float, 8, 4], or wp.tile[float] for any shape. */
static const Type *tile_annotation(Unit *unit, const Node *slice, const Scope *scope)
{
    uint32_t count = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1, shape[TILE_DIMS];
    const Node *const *items = slice->kind == NODE_TUPLE ? (const Node *const *)slice->sequence.elts.items : &slice;
    const Type *dtype = count && count <= TILE_DIMS + 1 ? type_of_value(static_eval(unit, items[0], scope)) : NULL;
    for (uint32_t i = 1; dtype && i < count; i++)
        if (!dimension(static_eval(unit, items[i], scope), &shape[i - 1]) || !shape[i - 1])
            return NULL;
    return dtype ? type_tile(unit->types, dtype, count - 1, shape, NULL, TILE_REGISTER) : NULL;
}

static const Type *array_subscript(Unit *unit, ArrayClass cls, uint32_t ndim, const Node *slice, const Scope *scope)
{
    const Node *dtype_node = slice;
    if (slice->kind == NODE_TUPLE && slice->sequence.elts.count == 2) {
        dtype_node = slice->sequence.elts.items[0];
        if (!dimension(static_eval(unit, slice->sequence.elts.items[1], scope), &ndim) || ndim > 4)
            return NULL;
    }
    const Type *dtype = type_of_value(static_eval(unit, dtype_node, scope));
    return dtype && cls != ARRAY_FIXED ? type_array(unit->types, cls, dtype, ndim) : NULL;
}

const Type *subscript_annotation(Unit *unit, const Value *object, const Node *slice, const Scope *scope)
{
    ArrayClass cls;
    uint32_t ndim;
    if (object->kind == VALUE_TYPE && object->type->kind == TYPE_NATIVE &&
        !strcmp(object->type->native->python_name, "HashGridQuery")) {
        const Type *dtype = type_of_value(static_eval(unit, slice, scope));
        TypeKind kind = dtype ? type_canonical(dtype)->kind : TYPE_ANY;
        const char *name = kind == TYPE_FLOAT16   ? "_HashGridQueryH"
                           : kind == TYPE_FLOAT32 ? "HashGridQuery"
                           : kind == TYPE_FLOAT64 ? "_HashGridQueryD"
                                                  : NULL;
        return name ? type_native(unit->types, native_type_find(name)) : NULL;
    }
    if (object->kind != VALUE_INTRINSIC)
        return NULL;
    int id = object->intrinsic.id;
    if (id == INTRINSIC_TUPLE || id == INTRINSIC_TYPING_TUPLE)
        return tuple_annotation(unit, slice, scope);
    if (id == INTRINSIC_WP_REF) {
        const Type *target = type_of_value(static_eval(unit, slice, scope));
        return target ? type_ref(unit->types, target) : NULL;
    }
    if (id == INTRINSIC_WP_TILE)
        return tile_annotation(unit, slice, scope);
    return array_intrinsic(id, &cls, &ndim) ? array_subscript(unit, cls, ndim, slice, scope) : NULL;
}

/* ---- functions of numbers ---- */

static double math_value(int id, double x, double y)
{
    switch (id) {
    case INTRINSIC_MATH_SQRT: return sqrt(x);
    case INTRINSIC_MATH_SIN: return sin(x);
    case INTRINSIC_MATH_COS: return cos(x);
    case INTRINSIC_MATH_TAN: return tan(x);
    case INTRINSIC_MATH_ASIN: return asin(x);
    case INTRINSIC_MATH_ACOS: return acos(x);
    case INTRINSIC_MATH_ATAN: return atan(x);
    case INTRINSIC_MATH_ATAN2: return atan2(x, y);
    case INTRINSIC_MATH_EXP: return exp(x);
    case INTRINSIC_MATH_LOG: return log(x);
    case INTRINSIC_MATH_LOG2: return log2(x);
    case INTRINSIC_MATH_LOG10: return log10(x);
    case INTRINSIC_MATH_POW: return pow(x, y);
    case INTRINSIC_MATH_FABS: return fabs(x);
    case INTRINSIC_MATH_HYPOT: return hypot(x, y);
    case INTRINSIC_MATH_RADIANS: return x * (M_PI / 180.0);
    case INTRINSIC_MATH_DEGREES: return x * (180.0 / M_PI);
    default: return NAN;
    }
}

static const Value *call_math(Unit *unit, int id, const Args *args)
{
    Number x = {0}, y = {0};
    bool binary = id == INTRINSIC_MATH_ATAN2 || id == INTRINSIC_MATH_POW || id == INTRINSIC_MATH_HYPOT;
    if (args->count != 1u + binary || args->named_count || !value_as_number(args->positional[0], true, &x) ||
        (binary && !value_as_number(args->positional[1], true, &y)))
        return value_unknown(unit->arena, "this call of a math function is not computed");
    double p = x.is_int ? (double)x.integer : x.real, q = y.is_int ? (double)y.integer : y.real;
    if (id == INTRINSIC_MATH_FLOOR || id == INTRINSIC_MATH_CEIL) {
        double whole = id == INTRINSIC_MATH_FLOOR ? floor(p) : ceil(p);
        return fabs(whole) < 1e18 ? value_int(unit->arena, (BigInt)whole)
                                  : value_unknown(unit->arena, "the number is too large");
    }
    double result = math_value(id, p, q);
    return isfinite(result) ? value_float(unit->arena, result)
                            : value_unknown(unit->arena, "the result of the math function is not a finite number");
}

static const Value *make_range(Unit *unit, const Args *args)
{
    BigInt bounds[3] = {0, 0, 1};
    if (args->count < 1 || args->count > 3)
        return value_unknown(unit->arena, "this range is not known");
    for (uint32_t i = 0; i < args->count; i++)
        if (!value_as_int(args->positional[i], &bounds[args->count == 1 ? 1 : i]))
            return value_unknown(unit->arena, "this range is not known");
    const Value **items = NULL;
    uint32_t count = 0, cap = 0;
    for (BigInt i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : bounds[2] < 0 && i > bounds[1]; i += bounds[2]) {
        if (count == LIMIT_SEQUENCE)
            return value_unknown(unit->arena, "the range is too long");
        if (!step(unit))
            return too_long(unit);
        const Value *item = value_int(unit->arena, i);
        ARENA_PUSH(unit->arena, items, count, cap) = item;
    }
    return value_sequence(unit->arena, VALUE_LIST, items, count);
}

static const Value *best_of(Unit *unit, const Args *args, bool largest)
{
    const Value *const *items = args->positional;
    uint32_t count = args->count;
    if (count == 1 && is_sequence(items[0])) {
        count = items[0]->sequence.count;
        items = items[0]->sequence.items;
    }
    const Value *best = NULL;
    Number best_number = {0};
    for (uint32_t i = 0; i < count; i++) {
        Number number;
        if (!value_as_number(items[i], false, &number))
            return value_unknown(unit->arena, "min() and max() are computed for numbers only");
        double a = number.is_int ? (double)number.integer : number.real;
        double b = best_number.is_int ? (double)best_number.integer : best_number.real;
        if (!best || (largest ? a > b : a < b)) {
            best = items[i];
            best_number = number;
        }
    }
    return best ? best : value_wrong(unit->arena, "min() and max() need at least one value");
}

static const Value *fold(Unit *unit, const Args *args, OpKind op, BigInt start)
{
    if (args->count != 1 || !is_sequence(args->positional[0]))
        return value_unknown(unit->arena, "this sum or product is not computed");
    const Value *total = value_int(unit->arena, start);
    for (uint32_t i = 0; i < args->positional[0]->sequence.count; i++)
        total = static_binary(unit, op, total, args->positional[0]->sequence.items[i]);
    return total;
}

static const Value *value_length(Unit *unit, const Value *value)
{
    switch (value->kind) {
    case VALUE_TUPLE:
    case VALUE_LIST: return value_int(unit->arena, value->sequence.count);
    case VALUE_DICT:
        return value->dict.unsure ? value_unknown(unit->arena, "%s", value->dict.unsure)
                                  : value_int(unit->arena, value->dict.count);
    case VALUE_STR: return value_int(unit->arena, value->str.len);
    case VALUE_COMPOSITE: return value_int(unit->arena, value->composite.type->composite.rows);
    case VALUE_ENUM_CLASS: return value_int(unit->arena, value->enum_class->count);
    case VALUE_TYPE: /* in wp.static(), a variable of the kernel stands for its type */
        if (type_is_composite(value->type))
            return value_int(unit->arena, value->type->composite.rows);
        if (value->type->kind == TYPE_TUPLE) /* the ellipsis counts as an element */
            return value_int(unit->arena, value->type->tuple.count + value->type->tuple.ellipsis);
        return value_unknown(unit->arena, "the length is not known");
    default: return value_unknown(unit->arena, "the length is not known");
    }
}

static const Value *call_number_function(Unit *unit, int id, const Args *args)
{
    Number number;
    const Value *first = args->count ? args->positional[0] : NULL;
    switch (id) {
    case INTRINSIC_LEN:
        return args->count == 1 ? value_length(unit, first) : value_wrong(unit->arena, "len() takes one argument");
    case INTRINSIC_RANGE: return make_range(unit, args);
    case INTRINSIC_MIN:
    case INTRINSIC_MAX: return best_of(unit, args, id == INTRINSIC_MAX);
    case INTRINSIC_SUM: return fold(unit, args, OP_ADD, 0);
    case INTRINSIC_MATH_PROD: return fold(unit, args, OP_MULT, 1);
    case INTRINSIC_POW:
        if (args->count == 2)
            return static_binary(unit, OP_POW, first, args->positional[1]);
        break;
    case INTRINSIC_ABS:
        if (args->count == 1 && value_as_number(first, false, &number)) {
            number.integer = number.integer < 0 ? -number.integer : number.integer;
            number.real = fabs(number.real);
            return value_number(unit->arena, number);
        }
        break;
    case INTRINSIC_ROUND:
        if (args->count == 1 && value_as_number(first, false, &number) && (number.is_int || fabs(number.real) < 1e18))
            return number.is_int ? first : value_int(unit->arena, (BigInt)nearbyint(number.real));
        break;
    case INTRINSIC_TUPLE:
    case INTRINSIC_LIST:
        if (!args->count && !args->named_count)
            return value_sequence(unit->arena, id == INTRINSIC_TUPLE ? VALUE_TUPLE : VALUE_LIST, NULL, 0);
        first = first ? iterated(unit, first) : NULL;
        if (args->count == 1 && is_sequence(first))
            return value_sequence(unit->arena, id == INTRINSIC_TUPLE ? VALUE_TUPLE : VALUE_LIST, first->sequence.items,
                                  first->sequence.count);
        break;
    default: break;
    }
    return value_unknown(unit->arena, "this call is not computed");
}

/* ---- Warp's own ---- */

static const Value *call_overload(Unit *unit, const Node *call, const Args *args)
{
    const Value *kernel_value = given_argument(args, 0, "kernel"), *types_value = given_argument(args, 1, "arg_types");
    if (!kernel_value || kernel_value->kind != VALUE_KERNEL || !types_value)
        return value_unknown(unit->arena, "this overload is not followed");
    Kernel *kernel = kernel_value->kernel;
    if (kernel->code.refused || !kernel->is_generic)
        return value_unknown(unit->arena, "this kernel cannot be overloaded");
    uint32_t count = kernel->code.param_count;
    const Type **types = ARENA_ARRAY(unit->arena, const Type *, count);
    if (types_value->kind == VALUE_LIST && types_value->sequence.count == count) {
        for (uint32_t i = 0; i < count; i++)
            types[i] = type_of_value(types_value->sequence.items[i]);
    } else if (types_value->kind == VALUE_DICT && !types_value->dict.unsure) {
        for (uint32_t i = 0; i < count; i++)
            types[i] = kernel->code.params[i].type;
        for (uint32_t k = 0; k < types_value->dict.count; k++)
            for (uint32_t i = 0; i < count; i++)
                if (types_value->dict.keys[k]->kind == VALUE_STR &&
                    strncmp(kernel->code.params[i].name->text, types_value->dict.keys[k]->str.text,
                            types_value->dict.keys[k]->str.len) == 0 &&
                    kernel->code.params[i].name->len == types_value->dict.keys[k]->str.len)
                    types[i] = type_of_value(types_value->dict.values[k]);
    } else
        return value_unknown(unit->arena, "this overload is not followed");
    Kernel *overload = kernel_add_overload(unit, kernel, types, count, call);
    if (!overload)
        return value_unknown(unit->arena, "this overload is not valid");
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_KERNEL;
    value->kernel = overload;
    return value;
}

/* wp.Kernel(func, key, module, options): other arguments are not followed. */
static const Value *make_kernel_object(Unit *unit, const Node *call, const Args *args, const Scope *scope)
{
    static const char *const names[] = {"func", "key", "module", "options"};
    KernelParts parts = {.at = call};
    const Value **out[] = {&parts.function, &parts.key, &parts.module, &parts.options};
    for (uint32_t i = 0; i < 4; i++)
        *out[i] = given_argument(args, i, names[i]);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 4; i++)
        found += *out[i] != NULL;
    parts.has_more = found < args->count + args->named_count;
    return declare_kernel_object(unit, &parts, scope);
}

/* setattr(function, name, value) */
static const Value *set_attribute(Unit *unit, const Args *args)
{
    const Value *name = args->count == 3 ? args->positional[1] : NULL;
    bool renames =
        name && !args->named_count && name->kind == VALUE_STR &&
        rename_function(args->positional[0], name_of(unit->names, name->str.text, name->str.len), args->positional[2]);
    return renames ? value_none() : value_unknown(unit->arena, "this call of setattr() is not followed");
}

static const char kept_name[] = "func";

typedef struct KeptOptions {
    Value value;
    const Node *call;
} KeptOptions;

const Node *kept_options(const Value *value)
{
    bool is_kept = value->kind == VALUE_INTRINSIC && value->intrinsic.name == kept_name;
    return is_kept ? ((const KeptOptions *)(const void *)value)->call : NULL;
}

/* NULL: options that are no constants may mean something else where a function is decorated. */
static const Value *keep_options(Unit *unit, const Node *call)
{
    for (uint32_t i = 0; i < call->call.keywords.count; i++)
        if (!call->call.keywords.items[i]->keyword.name ||
            call->call.keywords.items[i]->keyword.value->kind != NODE_CONSTANT)
            return NULL;
    KeptOptions *kept = ARENA_NEW(unit->arena, KeptOptions);
    kept->value.kind = VALUE_INTRINSIC;
    kept->value.intrinsic.name = kept_name;
    kept->value.intrinsic.id = INTRINSIC_WP_FUNC;
    kept->call = call;
    return call->call.args.count ? NULL : &kept->value;
}

/* wp.func(function) makes a function under a number that is not followed. */
static const Value *lose_function(Unit *unit, const Node *call, const Args *args)
{
    const Value *function = given_argument(args, 0, "f");
    const Value *kept = function ? NULL : keep_options(unit, call);
    if (kept)
        return kept;
    if (function && function->kind == VALUE_PYTHON_FUNC) {
        const Value *name = function_qualname(unit, function->python);
        lose_number(unit, name->kind == VALUE_STR ? arena_strndup(unit->arena, name->str.text, name->str.len)
                                                  : function->python->qualname);
    }
    return value_unknown(unit->arena, "wp.func() is followed only as a decorator");
}

static const Value *call_intrinsic(Unit *unit, const Node *call, int id, const Args *args, const Scope *scope)
{
    ArrayClass cls;
    uint32_t ndim;
    const Type *type;
    if (array_intrinsic(id, &cls, &ndim))
        return make_array_type(unit, cls, ndim, args);
    if (id == INTRINSIC_WP_TILE || id == INTRINSIC_WP_TILE_STACK)
        return make_tile_type(unit, id == INTRINSIC_WP_TILE_STACK, args);
    switch (id) {
    case INTRINSIC_WP_CONSTANT:
    case INTRINSIC_WP_STATIC:
        return args->count == 1 ? args->positional[0]
                                : value_unknown(unit->arena, "wp.constant() and wp.static() take one argument");
    case INTRINSIC_WP_VECTOR: return make_vector_type(unit, args);
    case INTRINSIC_WP_MATRIX: return make_matrix_type(unit, args);
    case INTRINSIC_WP_QUATERNION:
    case INTRINSIC_WP_TRANSFORMATION:
        type = type_of_value(given_argument(args, 0, "dtype"));
        if (!type)
            return value_unknown(unit->arena, "the dtype is not known");
        return made_type(
            unit, id == INTRINSIC_WP_QUATERNION ? type_quat(unit->types, type) : type_transform(unit->types, type),
            type, args);
    case INTRINSIC_WP_KERNEL: return declare_called_kernel(unit, call, args->count ? args->positional[0] : NULL, scope);
    case INTRINSIC_WP_KERNEL_CLASS: return make_kernel_object(unit, call, args, scope);
    case INTRINSIC_SETATTR: return set_attribute(unit, args);
    case INTRINSIC_WP_FUNC: return lose_function(unit, call, args);
    case INTRINSIC_NUMPY_IINFO: return int_limits(unit, given_argument(args, 0, "type"));
    case INTRINSIC_NUMPY_FINFO: return float_limits(unit, given_argument(args, 0, "dtype"));
    case INTRINSIC_WP_DTYPE_FROM_NUMPY: return numpy_type(unit, given_argument(args, 0, "dtype"));
    case INTRINSIC_WP_OVERLOAD: return call_overload(unit, call, args);
    case INTRINSIC_WP_LAUNCH:
    case INTRINSIC_WP_LAUNCH_TILED: return run_launch(unit, call, args);
    case INTRINSIC_WP_SET_MODULE_OPTIONS:
        scope->file->module_made = true;
        set_module_options(unit, module_named_by(unit, scope->file, given_argument(args, 1, "module")),
                           given_argument(args, 0, "options"));
        return value_none();
    case INTRINSIC_WP_GRAD: {
        if (args->count != 1 || (args->positional[0]->kind != VALUE_FUNC && args->positional[0]->kind != VALUE_BUILTIN))
            return value_unknown(unit->arena, "wp.grad() takes a Warp function");
        Value *value = ARENA_NEW(unit->arena, Value);
        value->kind = VALUE_GRAD;
        value->grad_of = args->positional[0];
        return value;
    }
    case INTRINSIC_WP_MODULE:
    case INTRINSIC_WP_GET_MODULE: { /* a module of its own: known by its name */
        const Value *name = given_argument(args, 0, "name");
        return name && name->kind == VALUE_STR
                   ? name
                   : value_unknown(unit->arena, "the name of the module is not a known string");
    }
    case INTRINSIC_WP_INIT:
    case INTRINSIC_PRINT: return value_none();
    default:
        if (id >= INTRINSIC_MATH_SQRT && id <= INTRINSIC_MATH_DEGREES)
            return call_math(unit, id, args);
        const Value *result = call_sequence_function(unit, id, args);
        return result ? result : call_number_function(unit, id, args);
    }
}

/* A Warp function outside a kernel runs as Python. */
static const Value *call_function(Unit *unit, const Func *func, Args *args)
{
    const Func *head = func->head;
    const Node *def = head->code.def;
    if (head->overloads.count + head->templates.count != 1 || head->is_snippet || head->library_digest ||
        def->function.params->arguments.defaults.count)
        return value_unknown(unit->arena, "a call of the Warp function '%s' is not followed", head->key->text);
    PythonFunc python = {.def = def, .scope = head->code.scope, .qualname = head->key->text};
    return call_python(unit, &python, args->positional, args->count, args->names, args->named, args->named_count);
}

static const Value *call_known(Unit *unit, const Node *call, const Value *callee, Args *args, const Scope *scope)
{
    switch (callee->kind) {
    case VALUE_TYPE: return construct(unit, callee->type, args);
    case VALUE_INTRINSIC: return call_intrinsic(unit, call, callee->intrinsic.id, args, scope);
    case VALUE_FUNC: return call_function(unit, callee->func, args);
    case VALUE_BUILTIN:
        return value_unknown(unit->arena, "wp.%s() outside a kernel is not computed", callee->builtin->name);
    default: return value_unknown(unit->arena, "a call of %s is not followed", value_kind_name(callee->kind));
    }
}

/* Kernels and arrays are made of types alone: what else is not known about their arguments does not matter. */
static bool takes_unknown(const Value *callee)
{
    return value_is_intrinsic(callee, INTRINSIC_WP_SET_MODULE_OPTIONS) ||
           value_is_intrinsic(callee, INTRINSIC_WP_KERNEL) || value_is_intrinsic(callee, INTRINSIC_WP_KERNEL_CLASS) ||
           value_is_intrinsic(callee, INTRINSIC_WP_OVERLOAD) || value_is_intrinsic(callee, INTRINSIC_SETATTR) ||
           value_is_intrinsic(callee, INTRINSIC_WP_LAUNCH) || value_is_intrinsic(callee, INTRINSIC_WP_LAUNCH_TILED);
}

const Value *static_call(Unit *unit, const Node *call, const Value *callee, const Scope *scope)
{
    Args args;
    const Value *failed = collect(unit, call, scope, &args);
    if (!failed && callee->kind == VALUE_PYTHON_FUNC)
        return call_python(unit, callee->python, args.positional, args.count, args.names, args.named, args.named_count);
    if (!failed && !takes_unknown(callee))
        failed = unknown_argument(&args);
    const Value *result = callee->kind == VALUE_UNKNOWN ? callee
                          : failed                      ? failed
                                                        : call_known(unit, call, callee, &args, scope);
    if (result->kind == VALUE_UNKNOWN) {
        const PythonFunc *ran = NULL;
        const Value *object =
            !failed && callee->kind == VALUE_CLASS ? construct_object(unit, callee, &args, &ran) : NULL;
        if (object && !object->class_object.changeable)
            return object;
        if (object)
            forget_object(unit, object);
        lose_arguments(unit, &args); /* by the methods, if not by the constructor */
        if (callee->kind == VALUE_PYTHON_FUNC)
            lose_call(unit, callee->python, LOST_ALL);
        if (callee->kind == VALUE_CLASS)
            lose_methods(unit, callee, ran);
    }
    return result;
}

const Value *attribute_of_call(Unit *unit, const Node *call, const Value *cls, Name name, const Scope *scope)
{
    Args args;
    const PythonFunc *ran = NULL;
    const Value *failed = collect(unit, call, scope, &args);
    const Value *object = failed ? NULL : construct_object(unit, cls, &args, &ran);
    const Value *value = object ? static_attribute(unit, object, name) : NULL;
    bool is_method = value && value->kind == VALUE_PYTHON_FUNC;
    if (object)
        forget_object(unit, object);
    lose_arguments(unit, &args);
    lose_methods(unit, cls, ran);
    if (failed)
        return failed;
    return value && !is_method ? value : value_unknown(unit->arena, "a call of a class is not followed");
}

const Value *static_method(Unit *unit, const Node *call, const Value *object, const Scope *scope)
{
    Args args;
    const Value *failed = collect(unit, call, scope, &args);
    if (failed || args.named_count) {
        lose_arguments(unit, &args);
        if (object->kind == VALUE_DICT)
            dict_forget(object, "a dict is changed by a method that is not followed");
        return failed ? failed : value_unknown(unit->arena, "this call of a method is not followed");
    }
    return call_method(unit, object, call->call.func->attribute.attr, args.positional, args.count);
}
