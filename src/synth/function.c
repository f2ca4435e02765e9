/* Which row of functions.def a call is, and what type it gives. */
#include "synth/make.h"

#include <string.h>

bool function_accepts(char code, const Type *type, const Type *first)
{
    switch (code) {
    case 'f':
        return is_real(type) && (!first || type_scalar_of(first) == type || !type_is_float(type_scalar_of(first)));
    case 's': return type_is_scalar(type) && (!first || !type_is_scalar(first) || first == type);
    case 'i': return type->kind == TYPE_INT32;
    case 'u': return type->kind == TYPE_UINT32;
    case 'v': return is_vec(type) && type_is_float(type_scalar_of(type)) && (!first || !is_vec(first) || first == type);
    case '2':
    case '3':
    case '4':
        return is_vec(type) && type_is_float(type_scalar_of(type)) && type->composite.rows == (uint32_t)(code - '0');
    case 'S': return is_vec(type) && type->composite.rows == 6;
    case 'm': return is_mat(type) && (!first || !is_mat(first) || first == type);
    case 'M': return is_mat(type) && type->composite.rows == type->composite.cols && type->composite.rows <= 4;
    case '9': return is_mat(type) && type->composite.rows == 3 && type->composite.cols == 3;
    case '6': return is_mat(type) && type->composite.rows == 6;
    case 'q': return type->kind == TYPE_QUAT;
    case 't': return type->kind == TYPE_TRANSFORM;
    case 'a': return type->kind == TYPE_ARRAY;
    case 'b': return type->kind == TYPE_BOOL;
    case '=': return type == first;
    case 'e': return type == type_scalar_of(first);
    default: return false;
    }
}

const Function *function_find(const char *name, const Expr *args, uint32_t count)
{
    uint32_t rows;
    const Function *table = function_table(&rows);
    for (uint32_t i = 0; i < rows; i++) {
        const Function *function = &table[i];
        if (!same_text(function->name, name) || strlen(function->params) != count)
            continue;
        bool fits = true;
        for (uint32_t k = 0; k < count && fits; k++)
            fits = function_accepts(function->params[k], args[k].type, k ? args[0].type : NULL);
        if (fits)
            return function;
    }
    return NULL;
}

const Type *function_result(Synth *s, const char *code, const Expr *args, uint32_t count)
{
    const Type *first = count ? args[0].type : NULL;
    const Type *scalar = first ? type_scalar_of(first) : s->style.real;
    for (uint32_t i = 0; i < count && !type_is_float(scalar); i++)
        scalar = type_scalar_of(args[i].type);
    switch (*code) {
    case '=': return first;
    case 'e':
    case 'f': return scalar;
    case 'F': return type_scalar(TYPE_FLOAT32);
    case 'b': return type_scalar(TYPE_BOOL);
    case 'i': return type_scalar(TYPE_INT32);
    case 'u': return type_scalar(TYPE_UINT32);
    case '2':
    case '3':
    case '4':
        if (!type_is_float(scalar))
            scalar = type_scalar(TYPE_FLOAT32);
        return type_vec(s->types, (uint32_t)(*code - '0'), scalar);
    case 'S': return type_vec(s->types, 6, scalar);
    case '9': return type_mat(s->types, 3, 3, scalar);
    case '6': return type_mat(s->types, 6, 6, scalar);
    case 'q': return type_quat(s->types, scalar);
    case 't': return type_transform(s->types, scalar);
    case 'o': return type_mat(s->types, first->composite.rows, args[1].type->composite.rows, scalar);
    case 'T': return type_mat(s->types, first->composite.cols, first->composite.rows, scalar);
    case 'd': return type_mat(s->types, first->composite.rows, first->composite.rows, scalar);
    case 'g': return type_vec(s->types, first->composite.rows, scalar);
    default: return NULL;
    }
}
