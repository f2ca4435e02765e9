/* Constants as Warp hashes them: the bytes that they take in memory. */
#include "front/hash.h"

#include <math.h>
#include <string.h>

static void put_number(Number number, TypeKind kind, Text *out)
{
    double real = number.is_int ? (double)number.integer : number.real;
    BigInt integer = number.is_int ? number.integer : truncate_real(number.real);
    float single = (float)real;
    uint64_t bits = (uint64_t)wrap_bits(integer, 64, false);
    switch (kind) {
    case TYPE_FLOAT64: text_add(out, (const char *)&real, 8); return;
    case TYPE_FLOAT32:
    case TYPE_FLOAT16:
    case TYPE_BFLOAT16: text_add(out, (const char *)&single, 4); return;
    case TYPE_BOOL: text_char(out, real != 0); return;
    case TYPE_INT8:
    case TYPE_UINT8: text_add(out, (const char *)&bits, 1); return;
    case TYPE_INT16:
    case TYPE_UINT16: text_add(out, (const char *)&bits, 2); return;
    case TYPE_INT64:
    case TYPE_UINT64: text_add(out, (const char *)&bits, 8); return;
    default: text_add(out, (const char *)&bits, 4); return;
    }
}

/* A float16 inside a vector is stored as its two bytes. */
static uint16_t half_bits(double value)
{
    if (isnan(value))
        return 0x7e00;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    value = fabs(round_half(value));
    if (isinf(value))
        return sign | 0x7c00;
    if (value == 0)
        return sign;
    int exponent;
    double fraction = frexp(value, &exponent);
    if (exponent - 1 < -14)
        return sign | (uint16_t)ldexp(value, 24);
    return (uint16_t)(sign | (exponent - 1 + 15) << 10 | ((int)ldexp(fraction, 11) & 0x3ff));
}

static uint16_t bfloat16_bits(double value)
{
    float single = (float)round_bfloat16(value);
    uint32_t bits;
    memcpy(&bits, &single, 4);
    return (uint16_t)(bits >> 16);
}

static void put_element(Number number, TypeKind kind, Text *out)
{
    if (kind == TYPE_FLOAT16 || kind == TYPE_BFLOAT16) {
        uint16_t bits = kind == TYPE_FLOAT16 ? half_bits(number.real) : bfloat16_bits(number.real);
        text_add(out, (const char *)&bits, 2);
    } else
        put_number(number, kind, out);
}

static uint32_t align(size_t offset, uint32_t to)
{
    return (uint32_t)((offset + to - 1) / to * to);
}

/* As C aligns it. */
static uint32_t alignment_of(const Type *type)
{
    uint32_t most = 1;
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        uint32_t field = alignment_of(type_canonical(type->decl->fields[i].type));
        most = field > most ? field : most;
    }
    return type->kind == TYPE_STRUCT ? most : kind_traits[type_scalar_of(type)->kind].bytes;
}

static void pad(Text *out, size_t start, uint32_t to)
{
    for (uint32_t end = align(out->len - start, to); out->len - start < end;)
        text_char(out, '\0');
}

/* A struct as it lies in memory, gaps of zeros included. */
static void put_instance(const Value *value, Text *out)
{
    const StructDecl *decl = value->instance.type->decl;
    size_t start = out->len;
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Type *type = type_canonical(decl->fields[i].type);
        const Value *field = value->instance.fields[i];
        Number number;
        pad(out, start, alignment_of(type));
        if (field->kind == VALUE_STRUCT)
            put_instance(field, out);
        else if (field->kind == VALUE_COMPOSITE)
            for (uint32_t k = 0; k < field->composite.count; k++)
                put_element(field->composite.elements[k], type->composite.dtype->kind, out);
        else if (value_as_number(field, true, &number)) {
            if (number.is_int && type_is_float(type))
                number = (Number){.real = (double)number.integer};
            put_element(number, type->kind, out);
        }
    }
    pad(out, start, alignment_of(value->instance.type));
}

bool put_hashed_value(const Value *value, Text *out)
{
    Number number;
    switch (value->kind) {
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_ENUM_MEMBER:
        value_as_number(value, false, &number);
        put_number(number, TYPE_INT32, out);
        return true;
    case VALUE_FLOAT:
        value_as_number(value, false, &number);
        put_number(number, TYPE_FLOAT32, out);
        return true;
    case VALUE_SCALAR: put_number(value->scalar.number, value->scalar.type->kind, out); return true;
    case VALUE_COMPOSITE:
        for (uint32_t i = 0; i < value->composite.count; i++)
            put_element(value->composite.elements[i], value->composite.type->composite.dtype->kind, out);
        return true;
    case VALUE_STRUCT: put_instance(value, out); return true;
    default: return false;
    }
}
