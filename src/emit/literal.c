/* Constants as literals of the emitted text. */
#include "emit/spell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void float_literal(double value, Text *out)
{
    if (isnan(value))
        text_lit(out, "NAN");
    else if (isinf(value))
        text_str(out, value < 0 ? "-INFINITY" : "INFINITY");
    else
        text_python_float(out, value);
}

/* Python's unicode-escape codec: what Warp puts between the quotes of a C string. */
static void escape_string(const char *text, uint32_t len, Text *out)
{
    for (uint32_t i = 0; i < len;) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80) {
            i++;
            switch (c) {
            case '\\': text_lit(out, "\\\\"); break;
            case '\n': text_lit(out, "\\n"); break;
            case '\r': text_lit(out, "\\r"); break;
            case '\t': text_lit(out, "\\t"); break;
            default:
                if (c < 0x20 || c == 0x7f)
                    text_format(out, "\\x%02x", c);
                else
                    text_char(out, (char)c);
            }
            continue;
        }
        unsigned more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        uint32_t code = c & (0x3fu >> more);
        for (i++; more && i < len; more--, i++)
            code = code << 6 | ((unsigned char)text[i] & 0x3fu);
        text_format(out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
    }
}

static void composite_literal(const Value *value, Text *out)
{
    const Type *dtype = value->composite.type->composite.dtype;
    text_lit(out, "wp::initializer_array<");
    text_uint(out, value->composite.count);
    text_char(out, ',');
    put_value_type(out, dtype);
    text_lit(out, ">{");
    for (uint32_t i = 0; i < value->composite.count; i++) {
        if (i)
            text_lit(out, ", ");
        Number element = value->composite.elements[i];
        if (dtype->kind == TYPE_BOOL)
            text_str(out, element.integer ? "true" : "false");
        else if (element.is_int)
            text_bigint(out, element.integer);
        else
            text_python_float(out, element.real);
    }
    text_char(out, '}');
}

/* The fewest digits that give the same float32. The limits of types are so large or small that NumPy writes an exponent. */
static void single_literal(double real, Text *out)
{
    enum { ENOUGH = 9 };
    char digits[32];
    for (int count = 1; count <= ENOUGH; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, real);
        if (strtof(digits, NULL) == (float)real)
            break;
    }
    text_str(out, digits);
}

static void scalar_literal(const Value *value, Text *out)
{
    Number number = value->scalar.number;
    TypeKind kind = value->scalar.type->kind;
    if (kind == TYPE_BOOL) {
        text_str(out, (number.is_int ? number.integer != 0 : number.real != 0) ? "true" : "false");
        return;
    }
    if (value->scalar.as_single)
        single_literal(number.real, out);
    else if (!number.is_int)
        float_literal(number.real, out);
    if (!number.is_int)
        return;
    text_bigint(out, number.integer);
    if (kind == TYPE_UINT64)
        text_lit(out, "ull");
    else if (kind == TYPE_INT64)
        text_lit(out, "ll");
    else if (kind == TYPE_UINT32)
        text_lit(out, "u");
}

static void struct_literal(const Value *value, Text *out)
{
    const StructDecl *decl = value->instance.type->decl;
    text_str(out, decl->native_name);
    text_char(out, '(');
    for (uint32_t i = 0; i < decl->field_count; i++) {
        if (i)
            text_lit(out, ", ");
        put_type(out, type_canonical(decl->fields[i].type));
        text_char(out, '(');
        put_literal(out, value->instance.fields[i]);
        text_char(out, ')');
    }
    text_char(out, ')');
}

void put_literal(Text *out, const Value *value)
{
    switch (value->kind) {
    case VALUE_BOOL: text_str(out, value->truth ? "true" : "false"); return;
    case VALUE_INT: text_bigint(out, value->integer); return;
    case VALUE_ENUM_MEMBER: text_bigint(out, value->member.value); return;
    case VALUE_FLOAT: float_literal(value->real, out); return;
    case VALUE_STR:
        text_char(out, '"');
        escape_string(value->str.text, value->str.len, out);
        text_char(out, '"');
        return;
    case VALUE_SCALAR: scalar_literal(value, out); return;
    case VALUE_COMPOSITE: composite_literal(value, out); return;
    case VALUE_STRUCT: struct_literal(value, out); return;
    default: return;
    }
}
