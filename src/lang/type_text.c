/* Types as text: codes in signatures, and words for people. */
#include "lang/type.h"

typedef struct ScalarInfo {
    const char *python_name, *code, *suffix;
} ScalarInfo;

static const ScalarInfo scalar_info[] = {
#define SCALAR(kind, family, python, ctype, code, suffix, bytes) [TYPE_##kind] = {python, code, suffix},
#include "lang/scalar.def"
#undef SCALAR
};

static void code_dim(uint32_t dim, Text *out)
{
    if (dim == TYPE_DIM_ANY)
        text_char(out, '?');
    else
        text_uint(out, dim);
}

void type_code(const Type *type, Text *out)
{
    static const char *const array_codes[] = {"a", "ia", "fa", "ifa", "a"};
    switch (type->kind) {
    case TYPE_ANY: text_char(out, '?'); return;
    case TYPE_ANY_INT: text_lit(out, "i?"); return;
    case TYPE_ANY_FLOAT: text_lit(out, "f?"); return;
    case TYPE_ANY_SCALAR: text_lit(out, "s?"); return;
    case TYPE_FUNCTION: text_char(out, 'c'); return;
    case TYPE_STR: text_lit(out, "str"); return;
    case TYPE_VEC:
        text_char(out, 'v');
        code_dim(type->composite.rows, out);
        type_code(type->composite.dtype, out);
        return;
    case TYPE_MAT:
        text_char(out, 'm');
        code_dim(type->composite.rows, out);
        code_dim(type->composite.cols, out);
        type_code(type->composite.dtype, out);
        return;
    case TYPE_QUAT:
        text_char(out, 'q');
        type_code(type->composite.dtype, out);
        return;
    case TYPE_TRANSFORM:
        text_char(out, 't');
        type_code(type->composite.dtype, out);
        return;
    case TYPE_ARRAY:
        text_str(out, array_codes[type->array.cls]);
        code_dim(type->array.ndim, out);
        type_code(type->array.dtype, out);
        return;
    case TYPE_STRUCT: text_str(out, type->decl->native_name); return;
    case TYPE_TUPLE:
        text_str(out, type->tuple.annotation ? "tpl" : "tplt");
        text_uint(out, type->tuple.count + type->tuple.ellipsis);
        for (uint32_t i = 0; i < type->tuple.count; i++)
            type_code(type->tuple.types[i], out);
        if (type->tuple.ellipsis)
            text_char(out, '?');
        return;
    case TYPE_REF:
        text_lit(out, "ref");
        type_code(type->target, out);
        return;
    case TYPE_NATIVE: text_str(out, type->native->code ? type->native->code : type->native->python_name); return;
    case TYPE_TILE:
    case TYPE_TILE_STACK:
        text_char(out, 't');
        text_char(out, type->tile->storage == TILE_SHARED ? 's' : 'r');
        for (uint32_t i = 0; i < type->tile->ndim; i++)
            text_uint(out, type->tile->shape[i]);
        if (!type->tile->ndim)
            text_char(out, '?');
        type_code(type->tile->dtype, out);
        return;
    case TYPE_SLICE:
    case TYPE_POINTER: return; /* never part of a signature */
    default: text_str(out, scalar_info[type->kind].code); return;
    }
}

static void repr_named(const char *name, const Type *dtype, Text *out)
{
    text_str(out, name);
    if (type_is_single(dtype) && scalar_info[dtype->kind].suffix[0])
        text_str(out, scalar_info[dtype->kind].suffix);
    else {
        text_lit(out, "(dtype=");
        type_repr(dtype, out);
        text_char(out, ')');
    }
}

static void repr_dim(uint32_t dim, Text *out)
{
    if (dim == TYPE_DIM_ANY)
        text_lit(out, "Any");
    else
        text_uint(out, dim);
}

static void repr_vec_or_mat(const Type *type, Text *out)
{
    const Type *dtype = type->composite.dtype;
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    bool is_mat = type->kind == TYPE_MAT;
    bool short_name =
        type_is_scalar(dtype) && scalar_info[dtype->kind].suffix[0] && rows && rows <= 4 && cols && cols <= 4;
    if (short_name) {
        text_str(out, is_mat ? "mat" : "vec");
        text_uint(out, rows);
        if (is_mat)
            text_uint(out, cols);
        text_str(out, scalar_info[dtype->kind].suffix);
        return;
    }
    text_str(out, is_mat ? "matrix(shape=(" : "vector(length=");
    repr_dim(rows, out);
    if (is_mat) {
        text_lit(out, ", ");
        repr_dim(cols, out);
        text_char(out, ')');
    }
    text_lit(out, ", dtype=");
    type_repr(dtype, out);
    text_char(out, ')');
}

static void repr_tile(const Type *type, Text *out)
{
    bool stack = type->kind == TYPE_TILE_STACK;
    text_str(out, stack ? "tile_stack(capacity=" : "tile(shape=");
    if (stack)
        text_uint(out, type->tile->shape[0]);
    else if (!type->tile->ndim)
        text_lit(out, "Any");
    else {
        text_char(out, '(');
        for (uint32_t i = 0; i < type->tile->ndim; i++) {
            text_str(out, i ? ", " : "");
            text_uint(out, type->tile->shape[i]);
        }
        text_str(out, type->tile->ndim == 1 ? ",)" : ")");
    }
    text_lit(out, ", dtype=");
    type_repr(type->tile->dtype, out);
    text_char(out, ')');
}

void type_repr(const Type *type, Text *out)
{
    static const char *const array_names[] = {"array", "indexedarray", "fabricarray", "indexedfabricarray",
                                              "fixedarray"};
    switch (type->kind) {
    case TYPE_VEC:
    case TYPE_MAT: repr_vec_or_mat(type, out); return;
    case TYPE_QUAT: repr_named("quat", type->composite.dtype, out); return;
    case TYPE_TRANSFORM: repr_named("transform", type->composite.dtype, out); return;
    case TYPE_ARRAY:
        text_str(out, array_names[type->array.cls]);
        text_lit(out, "(ndim=");
        repr_dim(type->array.ndim, out);
        text_lit(out, ", dtype=");
        type_repr(type->array.dtype, out);
        text_char(out, ')');
        return;
    case TYPE_STRUCT: text_add(out, type->decl->key->text, type->decl->key->len); return;
    case TYPE_TUPLE:
        text_lit(out, "tuple(");
        for (uint32_t i = 0; i < type->tuple.count; i++) {
            if (i)
                text_lit(out, ", ");
            type_repr(type->tuple.types[i], out);
        }
        text_char(out, ')');
        return;
    case TYPE_REF: type_repr(type->target, out); return;
    case TYPE_NATIVE: text_str(out, type->native->python_name); return;
    case TYPE_SLICE: text_lit(out, "slice"); return;
    case TYPE_TILE:
    case TYPE_TILE_STACK: repr_tile(type, out); return;
    case TYPE_POINTER: text_lit(out, "pointer"); return;
    case TYPE_STR: text_lit(out, "str"); return;
    case TYPE_FUNCTION: text_lit(out, "Function"); return;
    case TYPE_ANY: text_lit(out, "Any"); return;
    case TYPE_ANY_INT: text_lit(out, "Int"); return;
    case TYPE_ANY_FLOAT: text_lit(out, "Float"); return;
    case TYPE_ANY_SCALAR: text_lit(out, "Scalar"); return;
    default: text_str(out, scalar_info[type->kind].python_name); return;
    }
}
