/* How names and types are spelled: parts of variables, members, every type. */
#include "emit/spell.h"

/* ---- names ---- */

char *put_part(char *to, const IrVar *var, const char *prefix)
{
    for (uint32_t i = 0; var->is_grouped && i < var->part->step_count; i++)
        *to++ = '(';
    bool pointed_at = var->is_grouped && var->part->root_is_reference;
    if (pointed_at)
        to = put_bytes(to, "*(", 2);
    to = put_variable(to, var->part->root, var->is_adjoint ? "adj_" : prefix);
    if (pointed_at)
        *to++ = ')';
    for (uint32_t i = 0; i < var->part->step_count; i++) {
        Name field = var->part->steps[i].field;
        if (var->is_grouped)
            *to++ = ')';
        *to++ = '.';
        to = put_bytes(to, field->text, field->len);
    }
    return to;
}

void put_texts(Text *out, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_str(out, texts[i]);
}

bool is_array_pointer(const Type *of, Name field)
{
    return type_strip_reference(of)->kind == TYPE_ARRAY && name_is(field, "ptr");
}

void put_field(Text *out, const Type *of, Name field)
{
    if (is_array_pointer(of, field))
        text_lit(out, "data");
    else
        text_add(out, field->text, field->len);
}

/* ---- types ---- */

static void put_scalar_type(Text *out, TypeKind kind)
{
    static const struct {
        const char *text;
        size_t len;
    } names[] = {
#define SCALAR(kind, python, ctype, code, suffix, bytes) [TYPE_##kind] = {ctype, sizeof ctype - 1},
#include "lang/scalar.def"
#undef SCALAR
    };
    if (kind < sizeof names / sizeof *names)
        text_add(out, names[kind].text, names[kind].len);
}

/* `dims`: how many of rows and columns are written. */
static void put_composite_type(Text *out, const Type *type, const char *name, unsigned dims)
{
    text_str(out, name);
    if (dims >= 1) {
        text_uint(out, type->composite.rows);
        text_lit(out, ", ");
    }
    if (dims >= 2) {
        text_uint(out, type->composite.cols);
        text_lit(out, ", ");
    }
    put_value_type(out, type->composite.dtype);
    text_char(out, '>');
}

static void put_array_type(Text *out, const Type *type)
{
    static const char *const names[] = {"wp::array_t<", "wp::indexedarray_t<", "wp::fabricarray_t<",
                                        "wp::indexedfabricarray_t<", "wp::fixedarray_t<"};
    text_str(out, names[type->array.cls]);
    if (type->array.cls == ARRAY_FIXED) {
        uint64_t size = 1;
        for (uint32_t i = 0; i < type->array.ndim; i++)
            size *= type->array.shape[i];
        text_uint(out, size);
        text_lit(out, ", ");
    }
    put_value_type(out, type->array.dtype);
    text_char(out, '>');
}

static void put_tuple_type(Text *out, const Type *type)
{
    text_lit(out, "wp::tuple_t<");
    for (uint32_t i = 0; i < type->tuple.count; i++) {
        if (i)
            text_lit(out, ", ");
        put_type(out, type->tuple.types[i]);
    }
    text_char(out, '>');
}

void put_value_type(Text *out, const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC: put_composite_type(out, type, "wp::vec_t<", 1); return;
    case TYPE_MAT: put_composite_type(out, type, "wp::mat_t<", 2); return;
    case TYPE_QUAT: put_composite_type(out, type, "wp::quat_t<", 0); return;
    case TYPE_TRANSFORM: put_composite_type(out, type, "wp::transform_t<", 0); return;
    case TYPE_ARRAY: put_array_type(out, type); return;
    case TYPE_STRUCT: text_str(out, type->decl->native_name); return;
    case TYPE_TUPLE: put_tuple_type(out, type); return;
    case TYPE_REF: put_type(out, type->target); return;
    case TYPE_NATIVE:
        text_lit(out, "wp::");
        text_str(out, type->native->native_name);
        return;
    case TYPE_SLICE: text_lit(out, "wp::slice_t"); return;
    case TYPE_STR: text_lit(out, "wp::str"); return;
    default: put_scalar_type(out, type->kind); return;
    }
}

void put_type(Text *out, const Type *type)
{
    put_value_type(out, type);
    if (type->kind == TYPE_REF)
        text_char(out, '*');
}
