#include "front/value.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static Value *new_sized(Arena *arena, ValueKind kind, size_t size)
{
    Value *value = arena_alloc(arena, size);
    value->kind = kind;
    return value;
}

static Value *new_value(Arena *arena, ValueKind kind)
{
    return new_sized(arena, kind, sizeof(Value));
}

/* One with a single member of the union. */
#define NEW_WITH(arena, kind, member) new_sized(arena, kind, offsetof(Value, member) + sizeof((Value *)NULL)->member)

static Value *new_unknown(Arena *arena, const char *format, va_list args)
{
    Value *value = new_value(arena, VALUE_UNKNOWN);
    value->reason = arena_format_list(arena, format, args);
    return value;
}

const Value *value_unknown(Arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const Value *value = new_unknown(arena, format, args);
    va_end(args);
    return value;
}

const Value *value_wrong(Arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Value *value = new_unknown(arena, format, args);
    va_end(args);
    value->wrong = true;
    return value;
}

const Value *value_none(void)
{
    static const Value none = {.kind = VALUE_NONE};
    return &none;
}

const Value *value_bool(bool truth)
{
    static const Value truths[] = {{.kind = VALUE_BOOL, .truth = false}, {.kind = VALUE_BOOL, .truth = true}};
    return &truths[truth];
}

const Value *value_int(Arena *arena, BigInt integer)
{
    Value *value = NEW_WITH(arena, VALUE_INT, integer);
    value->integer = integer;
    return value;
}

const Value *value_float(Arena *arena, double real)
{
    Value *value = NEW_WITH(arena, VALUE_FLOAT, real);
    value->real = real;
    return value;
}

const Value *value_str(Arena *arena, const char *text, uint32_t len)
{
    Value *value = NEW_WITH(arena, VALUE_STR, str);
    value->str.text = text;
    value->str.len = len;
    return value;
}

const Value *value_number(Arena *arena, Number number)
{
    return number.is_int ? value_int(arena, number.integer) : value_float(arena, number.real);
}

const Value *value_scalar(Arena *arena, const Type *type, Number number)
{
    Value *value = new_value(arena, VALUE_SCALAR);
    value->scalar.type = type;
    value->scalar.number = number;
    return value;
}

const Value *value_type(Arena *arena, const Type *type)
{
    Value *value = new_value(arena, VALUE_TYPE);
    value->type = type;
    return value;
}

const Value *value_of_variable(Arena *arena, const Type *type)
{
    Value *value = new_value(arena, VALUE_TYPE);
    value->type = type;
    value->of_variable = true;
    return value;
}

const Value *value_known_module(Arena *arena, const char *module)
{
    Value *value = ARENA_NEW(arena, Value);
    value->kind = VALUE_MODULE;
    value->module = module;
    return value;
}

const Value *value_file(Arena *arena, const File *file)
{
    Value *value = ARENA_NEW(arena, Value);
    value->kind = VALUE_FILE;
    value->file = file;
    return value;
}

const Value *value_sequence(Arena *arena, ValueKind kind, const Value **items, uint32_t count)
{
    Value *value = new_value(arena, kind);
    value->sequence.items = items;
    value->sequence.count = count;
    value->sequence.appendable = kind == VALUE_LIST ? value : NULL;
    return value;
}

const Value *value_composite(Arena *arena, const Type *type, const Number *elements, uint32_t count)
{
    const Type *dtype = type->composite.dtype;
    Value *value = new_value(arena, VALUE_COMPOSITE);
    value->composite.type = type;
    value->composite.count = count;
    value->composite.elements = ARENA_ARRAY(arena, Number, count);
    for (uint32_t i = 0; i < count; i++) {
        Number *element = &value->composite.elements[i];
        if (type_is_float(dtype)) {
            element->real =
                round_to_type(elements[i].is_int ? (double)elements[i].integer : elements[i].real, dtype->kind);
        } else {
            BigInt integer = elements[i].is_int ? elements[i].integer : truncate_real(elements[i].real);
            element->is_int = true;
            element->integer = dtype->kind == TYPE_BOOL ? integer != 0 : wrap_to_type(integer, dtype->kind);
        }
    }
    return value;
}

const Value *composite_element(Arena *arena, const Value *composite, uint32_t index)
{
    const Type *dtype = composite->composite.type->composite.dtype;
    Number number = composite->composite.elements[index];
    if (dtype->kind == TYPE_BOOL)
        return value_bool(number.integer != 0);
    bool plain = dtype->kind == TYPE_FLOAT32 || dtype->kind == TYPE_INT32;
    return plain ? value_number(arena, number) : value_scalar(arena, dtype, number);
}

/* ---- asking ---- */

bool value_is_constant(const Value *value)
{
    switch (value->kind) {
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_SCALAR:
    case VALUE_COMPOSITE:
    case VALUE_ENUM_MEMBER: return true;
    default: return false;
    }
}

bool value_as_number(const Value *value, bool unwrap, Number *out)
{
    memset(out, 0, sizeof *out);
    out->is_int = true;
    switch (value->kind) {
    case VALUE_BOOL: out->integer = value->truth; return true;
    case VALUE_INT: out->integer = value->integer; return true;
    case VALUE_ENUM_MEMBER: out->integer = value->member.value; return true;
    case VALUE_FLOAT:
        out->is_int = false;
        out->real = value->real;
        return true;
    case VALUE_NUMPY:
    case VALUE_SCALAR: *out = value->scalar.number; return unwrap;
    default: return false;
    }
}

bool value_as_int(const Value *value, BigInt *out)
{
    Number number;
    if (!value_as_number(value, false, &number) || !number.is_int)
        return false;
    *out = number.integer;
    return true;
}

bool value_is_true(const Value *value, bool *known)
{
    *known = true;
    Number number;
    if (value_as_number(value, true, &number))
        return number.is_int ? number.integer != 0 : number.real != 0;
    switch (value->kind) {
    case VALUE_NONE: return false;
    case VALUE_STR: return value->str.len > 0;
    case VALUE_TUPLE:
    case VALUE_LIST: return value->sequence.count > 0;
    case VALUE_DICT: *known = !value->dict.unsure; return value->dict.count > 0;
    case VALUE_UNKNOWN: *known = false; return false;
    case VALUE_TYPE: *known = !value->of_variable; return true;
    default: return true;
    }
}

const Type *value_variable_type(const Value *value)
{
    switch (value->kind) {
    case VALUE_BOOL: return type_scalar(TYPE_BOOL);
    case VALUE_INT:
    case VALUE_ENUM_MEMBER: return type_scalar(TYPE_INT32);
    case VALUE_FLOAT: return type_scalar(TYPE_FLOAT32);
    case VALUE_STR: return type_scalar(TYPE_STR);
    case VALUE_SCALAR: return value->scalar.type;
    case VALUE_COMPOSITE: return value->composite.type;
    case VALUE_STRUCT: return value->instance.type;
    default: return NULL;
    }
}

const char *value_kind_name(ValueKind kind)
{
    static const char *const names[] = {
#define VALUE(kind, words) words,
#include "front/value.def"
#undef VALUE
    };
    return names[kind];
}

/* ---- numbers in memory ---- */

/* Round-to-nearest-even to a float with `mantissa` stored bits and smallest normal exponent `min_exponent`. */
static double round_mantissa(double value, int mantissa, int min_exponent, double largest)
{
    if (value == 0 || isnan(value) || isinf(value))
        return value;
    int exponent;
    frexp(value, &exponent); /* value = f * 2^exponent, 0.5 <= |f| < 1 */
    int lowest = exponent - 1 < min_exponent ? min_exponent : exponent - 1;
    double unit = ldexp(1.0, lowest - mantissa);
    double rounded = nearbyint(value / unit) * unit;
    return fabs(rounded) > largest ? copysign(INFINITY, value) : rounded;
}

double round_half(double value)
{
    return round_mantissa((float)value, 10, -14, 65504.0);
}

double round_bfloat16(double value)
{
    return round_mantissa((float)value, 7, -126, 3.3895313892515355e38);
}

double round_to_type(double value, TypeKind kind)
{
    switch (kind) {
    case TYPE_FLOAT16: return round_half(value);
    case TYPE_BFLOAT16: return round_bfloat16(value);
    case TYPE_FLOAT32:
    case TYPE_PY_FLOAT: return (float)value;
    default: return value;
    }
}

BigInt wrap_bits(BigInt value, unsigned bits, bool is_signed)
{
    BigInt modulus = (BigInt)1 << bits;
    value &= modulus - 1;
    return is_signed && (value >> (bits - 1)) ? value - modulus : value;
}

BigInt truncate_real(double value)
{
    return fabs(value) < 1e36 ? (BigInt)value : 0;
}

BigInt wrap_to_type(BigInt value, TypeKind kind)
{
    switch (kind) {
    case TYPE_INT8: return wrap_bits(value, 8, true);
    case TYPE_UINT8: return wrap_bits(value, 8, false);
    case TYPE_INT16: return wrap_bits(value, 16, true);
    case TYPE_UINT16: return wrap_bits(value, 16, false);
    case TYPE_INT32:
    case TYPE_PY_INT: return wrap_bits(value, 32, true);
    case TYPE_UINT32: return wrap_bits(value, 32, false);
    case TYPE_INT64: return wrap_bits(value, 64, true);
    default: return wrap_bits(value, 64, false);
    }
}

/* ---- writing ---- */

void text_bigint(Text *out, BigInt value)
{
    if (value >= 0 && value <= UINT32_MAX) { /* nearly all; the division below is slow */
        text_uint(out, (uint64_t)value);
        return;
    }
    char digits[40];
    size_t at = sizeof digits;
    unsigned __int128 magnitude = value < 0 ? 0 - (unsigned __int128)value : (unsigned __int128)value;
    do
        digits[--at] = (char)('0' + (int)(magnitude % 10));
    while (magnitude /= 10);
    if (value < 0)
        text_char(out, '-');
    text_add(out, digits + at, sizeof digits - at);
}
