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

/* Most types are scalars, composites of them, or arrays of both: these are written into room that was made once. With it, a
 * compilation needs 3 % fewer instructions (callgrind, weft_compile on the golden set). */
enum { SCALAR_ROOM = 16, COMPOSITE_ROOM = 32 + 2 * UINT_ROOM + SCALAR_ROOM, ARRAY_ROOM = 32 + UINT_ROOM };

static inline char *spell_scalar(char *to, TypeKind kind)
{
    static const struct {
        char text[SCALAR_ROOM];
        size_t len;
    } names[] = {
#define SCALAR(kind, family, python, ctype, code, suffix, bytes) [TYPE_##kind] = {ctype, sizeof ctype - 1},
#include "lang/scalar.def"
#undef SCALAR
    };
    if (kind >= sizeof names / sizeof *names)
        return to;
    memcpy(to, names[kind].text, SCALAR_ROOM);
    return to + names[kind].len;
}

/* A scalar or composite; needs COMPOSITE_ROOM. */
static char *spell_number(char *to, const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC: to = put_lit(put_uint(put_lit(to, "wp::vec_t<"), type->composite.rows), ", "); break;
    case TYPE_MAT:
        to = put_lit(put_uint(put_lit(to, "wp::mat_t<"), type->composite.rows), ", ");
        to = put_lit(put_uint(to, type->composite.cols), ", ");
        break;
    case TYPE_QUAT: to = put_lit(to, "wp::quat_t<"); break;
    case TYPE_TRANSFORM: to = put_lit(to, "wp::transform_t<"); break;
    default: return spell_scalar(to, type->kind);
    }
    to = spell_scalar(to, type->composite.dtype->kind);
    *to++ = '>';
    return to;
}

static bool is_number(const Type *type)
{
    return type_is_single(type) || type_is_composite(type);
}

static char *spell_array(char *to, const Type *type)
{
    uint64_t size = 1;
    switch (type->array.cls) {
    case ARRAY_PLAIN: return put_lit(to, "wp::array_t<");
    case ARRAY_INDEXED: return put_lit(to, "wp::indexedarray_t<");
    case ARRAY_FABRIC: return put_lit(to, "wp::fabricarray_t<");
    case ARRAY_INDEXED_FABRIC: return put_lit(to, "wp::indexedfabricarray_t<");
    case ARRAY_FIXED:
        for (uint32_t i = 0; i < type->array.ndim; i++)
            size *= type->array.shape[i];
        return put_lit(put_uint(put_lit(to, "wp::fixedarray_t<"), size), ", ");
    }
    return to;
}

static void put_array_type(Text *out, const Type *type)
{
    char *to = spell_array(text_room(out, ARRAY_ROOM + COMPOSITE_ROOM + 1), type);
    if (is_number(type->array.dtype)) {
        to = spell_number(to, type->array.dtype);
        *to++ = '>';
        text_end(out, to);
        return;
    }
    text_end(out, to);
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
    case TYPE_ARRAY: put_array_type(out, type); return;
    case TYPE_STRUCT: text_str(out, type->decl->native_name); return;
    case TYPE_TUPLE: put_tuple_type(out, type); return;
    case TYPE_REF: put_type(out, type->target); return;
    case TYPE_NATIVE:
        text_lit(out, "wp::");
        text_str(out, type->native->native_name);
        return;
    case TYPE_SLICE: text_lit(out, "wp::slice_t"); return;
    case TYPE_TILE:
    case TYPE_TILE_STACK: put_tile_type(out, type); return;
    case TYPE_STR: text_lit(out, "wp::str"); return;
    default: text_end(out, spell_number(text_room(out, COMPOSITE_ROOM), type)); return;
    }
}

void put_type(Text *out, const Type *type)
{
    put_value_type(out, type);
    if (type->kind == TYPE_REF)
        text_char(out, '*');
}
