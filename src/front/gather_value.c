#include "front/gather_impl.h"

#include <math.h>
#include <string.h>

static const char *put_items(Gatherer *g, const Value *const *items, uint32_t count, const char *open,
                             const char *close)
{
    Text text = text_in(g->arena);
    text_str(&text, open);
    for (uint32_t i = 0; i < count; i++) {
        const char *item = gather_value(g, items[i]);
        if (!item)
            return NULL;
        text_str(&text, i ? ", " : "");
        text_str(&text, item);
    }
    text_str(&text, count == 1 && *open == '(' ? "," : "");
    text_str(&text, close);
    return text_cstr(&text);
}

static const char *put_dict(Gatherer *g, const Value *value)
{
    Text text = text_in(g->arena);
    text_char(&text, '{');
    if (value->dict.unsure)
        return NULL;
    for (uint32_t i = 0; i < value->dict.count; i++) {
        const char *key = gather_value(g, value->dict.keys[i]);
        const char *item = key ? gather_value(g, value->dict.values[i]) : NULL;
        if (!item)
            return NULL;
        text_format(&text, "%s%s: %s", i ? ", " : "", key, item);
    }
    text_char(&text, '}');
    return text_cstr(&text);
}

static void put_real(double real, Text *out)
{
    if (isnan(real))
        text_lit(out, "wp.nan");
    else if (isinf(real))
        text_str(out, real < 0 ? "-wp.inf" : "wp.inf");
    else
        text_python_float(out, real);
}

static void put_number(Number number, Text *out)
{
    if (number.is_int)
        text_bigint(out, number.integer);
    else
        put_real(number.real, out);
}

static const char *put_text(Gatherer *g, const Value *value)
{
    Text text = text_in(g->arena);
    Node node = {.kind = NODE_CONSTANT,
                 .constant = {.kind = CONSTANT_STR, .text = value->str.text, .len = value->str.len}};
    unparse(&node, &text);
    return text_cstr(&text);
}

/* wp.vec3f(1.0, 2.0, 3.0), wp.float64(0.5) */
static const char *put_numbers(Gatherer *g, const Type *type, const Number *numbers, uint32_t count)
{
    const char *made = gather_type(g, type);
    Text text = text_in(g->arena);
    if (!made)
        return NULL;
    text_format(&text, "%s(", made);
    for (uint32_t i = 0; i < count; i++) {
        text_str(&text, i ? ", " : "");
        put_number(numbers[i], &text);
    }
    text_char(&text, ')');
    return text_cstr(&text);
}

/* ---- types ---- */

/* Does Warp have a name for it, such as vec3f? */
static bool has_name(const Type *type)
{
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    switch (type->kind) {
    case TYPE_VEC: return rows >= 2 && rows <= 4;
    case TYPE_MAT: return rows >= 2 && rows <= 4 && rows == cols && type_is_float(type->composite.dtype);
    default: return true;
    }
}

static bool is_spatial(const Type *type)
{
    return type->composite.dtype->kind == TYPE_FLOAT32 && type->composite.rows == 6 &&
           type->composite.cols == (type->kind == TYPE_VEC ? 1 : 6);
}

static const char *composite_text(Gatherer *g, const Type *type)
{
    Text text = text_in(g->arena);
    const char *dtype = gather_type(g, type->composite.dtype);
    if (type_is_generic(type) || !dtype)
        return NULL;
    if (has_name(type)) {
        text_lit(&text, "wp.");
        type_repr(type, &text);
    } else if (is_spatial(type))
        text_format(&text, "wp.spatial_%s", type->kind == TYPE_VEC ? "vector" : "matrix");
    else if (type->kind == TYPE_VEC)
        text_format(&text, "wp.types.vector(length=%u, dtype=%s)", type->composite.rows, dtype);
    else
        text_format(&text, "wp.types.matrix(shape=(%u, %u), dtype=%s)", type->composite.rows, type->composite.cols,
                    dtype);
    return text_cstr(&text);
}

static const char *array_text(Gatherer *g, const Type *type)
{
    static const char *const classes[] = {"array", "indexedarray", "fabricarray", "indexedfabricarray"};
    const char *dtype = type->array.cls == ARRAY_FIXED ? NULL : gather_type(g, type->array.dtype);
    if (!dtype)
        return NULL;
    return arena_format(g->arena, type->array.ndim > 1 ? "wp.%s(dtype=%s, ndim=%u)" : "wp.%s(dtype=%s)",
                        classes[type->array.cls], dtype, type->array.ndim);
}

static const char *struct_text(Gatherer *g, const StructDecl *decl)
{
    const char *name = decl->key->text;
    if (table_has(&g->done, decl))
        return name;
    table_add(&g->done, g->arena, decl);
    Text text = text_in(g->arena);
    text_format(&text, "\n\n@wp.struct\nclass %s:\n", name);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const char *type = gather_type(g, decl->fields[i].type);
        if (!type)
            return NULL;
        text_format(&text, "    %s: %s\n", decl->fields[i].name->text, type);
    }
    text_str(&text, decl->field_count ? "\n\n" : "    pass\n\n\n");
    if (!gather_claim(g, &g->top, decl->key, NULL, decl))
        return NULL;
    text_add(&g->data, text.data, text.len);
    return name;
}

const char *gather_type(Gatherer *g, const Type *type)
{
    const char *made = NULL;
    if (type->kind == TYPE_PY_INT || type->kind == TYPE_PY_FLOAT)
        made = type->kind == TYPE_PY_INT ? "int" : "float";
    else if (type->kind == TYPE_STR)
        made = "str";
    else if (type_is_single(type) && type->kind != TYPE_HANDLE) {
        Text text = text_in(g->arena);
        text_lit(&text, "wp.");
        type_repr(type, &text);
        made = text_cstr(&text);
    } else if (type_is_composite(type))
        made = composite_text(g, type);
    else if (type->kind == TYPE_ARRAY)
        made = array_text(g, type);
    else if (type->kind == TYPE_STRUCT)
        made = struct_text(g, type->decl);
    else if (type->kind == TYPE_NATIVE)
        made = arena_format(g->arena, "wp.%s", type->native->python_name);
    else if (type->kind == TYPE_FUNCTION)
        made = "wp.Function";
    else if (type->kind == TYPE_ANY) {
        gather_import(g, "typing", "typing");
        made = "typing.Any";
    }
    if (!made)
        gather_fail(g, "a type cannot be written out");
    return made;
}

/* ---- all kinds ---- */

static const char *intrinsic_text(Gatherer *g, const Value *value)
{
    static const struct {
        const char *module, *name;
        int id;
    } all[] = {
#define INTRINSIC(id, module, name) {module, name, INTRINSIC_##id},
#include "front/intrinsic.def"
#undef INTRINSIC
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].id != value->intrinsic.id)
            continue;
        if (!*all[i].module)
            return all[i].name;
        if (strcmp(all[i].module, "warp") == 0)
            return arena_format(g->arena, "wp.%s", all[i].name);
        gather_import(g, all[i].module, all[i].module);
        return arena_format(g->arena, "%s.%s", all[i].module, all[i].name);
    }
    return NULL;
}

const char *gather_value(Gatherer *g, const Value *value)
{
    Text text = text_in(g->arena);
    enum { MOST_DEPTH = 200 };
    if (g->why || g->depth > MOST_DEPTH) {
        gather_fail(g, "it is nested too deeply");
        return NULL;
    }
    g->depth++;
    const char *made = NULL;
    switch (value->kind) {
    case VALUE_NONE: made = "None"; break;
    case VALUE_BOOL: made = value->truth ? "True" : "False"; break;
    case VALUE_INT:
        text_bigint(&text, value->integer);
        made = text_cstr(&text);
        break;
    case VALUE_FLOAT:
        put_real(value->real, &text);
        made = text_cstr(&text);
        break;
    case VALUE_STR: made = put_text(g, value); break;
    case VALUE_SCALAR: made = put_numbers(g, value->scalar.type, &value->scalar.number, 1); break;
    case VALUE_COMPOSITE:
        made = put_numbers(g, value->composite.type, value->composite.elements, value->composite.count);
        break;
    case VALUE_ENUM_MEMBER: made = gather_member(g, value); break;
    case VALUE_TUPLE: made = put_items(g, value->sequence.items, value->sequence.count, "(", ")"); break;
    case VALUE_LIST: made = put_items(g, value->sequence.items, value->sequence.count, "[", "]"); break;
    case VALUE_DICT: made = value->dict.is_set ? NULL : put_dict(g, value); break;
    case VALUE_TYPE: made = gather_type(g, value->type); break;
    case VALUE_FUNC: made = gather_function(g, value->func); break;
    case VALUE_BUILTIN: made = arena_format(g->arena, "wp.%s", value->builtin->name); break;
    case VALUE_PYTHON_FUNC: made = gather_python(g, value->python); break;
    case VALUE_INTRINSIC: made = intrinsic_text(g, value); break;
    case VALUE_GRAD: {
        const char *inner = gather_value(g, value->grad_of);
        made = inner ? arena_format(g->arena, "wp.grad(%s)", inner) : NULL;
        break;
    }
    default: break;
    }
    g->depth--;
    if (!made)
        gather_fail(g, "%s cannot be written out", value_kind_name(value->kind));
    return made;
}
