/* Types by name, and how an author spells them. */
#include "synth/context.h"

#include <string.h>

static const struct {
    const char *name;
    TypeKind kind;
} scalars[] = {
    {"int", TYPE_INT32},       {"int32", TYPE_INT32}, {"uint32", TYPE_UINT32},   {"float32", TYPE_FLOAT32},
    {"float64", TYPE_FLOAT64}, {"bool", TYPE_BOOL},   {"int64", TYPE_INT64},     {"uint64", TYPE_UINT64},
    {"uint8", TYPE_UINT8},     {"int16", TYPE_INT16}, {"float16", TYPE_FLOAT16}, {"uint16", TYPE_UINT16},
};

const Type *type_of(Synth *s, const char *name)
{
    const Type *real_type = s->style.real;
    if (strncmp(name, "vec", 3) == 0 && name[3] >= '2' && name[3] <= '9') {
        uint32_t length = (uint32_t)(name[3] - '0');
        if (name[4] == 'i' || name[4] == 'u')
            return type_vec(s->types, length, type_scalar(name[4] == 'i' ? TYPE_INT32 : TYPE_UINT32));
        if (!s->vectors[length] || s->vectors[length]->composite.dtype != real_type)
            s->vectors[length] = type_vec(s->types, length, real_type);
        return s->vectors[length];
    }
    if (strncmp(name, "mat", 3) == 0 && name[3] >= '2' && name[3] <= '9' && name[4])
        return type_mat(s->types, (uint32_t)(name[3] - '0'), (uint32_t)(name[4] - '0'), real_type);
    if (same_text(name, "float"))
        return real_type;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (same_text(scalars[i].name, name))
            return type_scalar(scalars[i].kind);
    if (same_text(name, "quat"))
        return type_quat(s->types, real_type);
    if (same_text(name, "transform"))
        return type_transform(s->types, real_type);
    if (same_text(name, "twist") || same_text(name, "spatial_vector"))
        return type_vec(s->types, 6, real_type);
    if (same_text(name, "spatial_matrix"))
        return type_mat(s->types, 6, 6, real_type);
    return NULL;
}

/* The letter after a composite's name: vec3d, mat22h; nothing for float32 unless the author writes vec3f. */
static const char *suffix_of(Synth *s, const Type *scalar)
{
    switch (scalar->kind) {
    case TYPE_FLOAT64: return "d";
    case TYPE_FLOAT16: return "h";
    case TYPE_INT32: return "i";
    case TYPE_UINT32: return "ui";
    case TYPE_UINT8: return "ub";
    case TYPE_INT64: return "l";
    default: return s->style.wp_scalars ? "f" : "";
    }
}

static const char *scalar_name(Synth *s, const Type *type)
{
    (void)s;
    for (size_t i = 1; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].kind == type->kind)
            return scalars[i].name;
    return "float32";
}

/* wp.types.vector(length=5, dtype=float), as real code has it for sizes without a name. */
static Node *sized_type(Synth *s, const Type *type)
{
    Node *node = node_new(s, NODE_CALL);
    Node *types = node_new(s, NODE_ATTRIBUTE);
    types->attribute.value = node_wp(s, "types");
    types->attribute.attr = intern(s, is_vec(type) ? "vector" : "matrix");
    node->call.func = types;
    Node *size = node_new(s, NODE_KEYWORD), *dtype = node_new(s, NODE_KEYWORD);
    size->keyword.name = intern(s, is_vec(type) ? "length" : "shape");
    if (is_vec(type)) {
        size->keyword.value = node_constant_int(s, type->composite.rows);
    } else {
        Node *shape = node_new(s, NODE_TUPLE);
        list_push(s, &shape->sequence.elts, node_constant_int(s, type->composite.rows));
        list_push(s, &shape->sequence.elts, node_constant_int(s, type->composite.cols));
        size->keyword.value = shape;
    }
    dtype->keyword.name = intern(s, "dtype");
    dtype->keyword.value = annotation(s, type_scalar_of(type));
    list_push(s, &node->call.keywords, size);
    list_push(s, &node->call.keywords, dtype);
    return node;
}

/* A size that has no name of its own gets one in the module: Vec5 = wp.types.vector(...). */
static Node *named_size(Synth *s, const Type *type)
{
    Name name = is_vec(type) ? intern_format(s, "vec%u%s", type->composite.rows,
                                             type_scalar_of(type)->kind == TYPE_FLOAT64 ? "d" : "")
                             : intern_format(s, "mat%u%u%s", type->composite.rows, type->composite.cols,
                                             type_scalar_of(type)->kind == TYPE_FLOAT64 ? "d" : "");
    for (uint32_t i = 0; i < s->module.count; i++) {
        const Node *node = s->module.items[i];
        if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->name.id == name)
            return node_name(s, name);
    }
    Node *assign_node = node_new(s, NODE_ASSIGN);
    list_push(s, &assign_node->assign.targets, node_name(s, name));
    assign_node->assign.value = sized_type(s, type);
    /* First: functions and structs below may use it. */
    list_push(s, &s->module, assign_node);
    memmove(s->module.items + 1, s->module.items, sizeof(Node *) * (s->module.count - 1));
    s->module.items[0] = assign_node;
    return node_name(s, name);
}

static bool has_name(const Type *type)
{
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    if (is_vec(type))
        return rows <= 4 || (rows == 6 && type_is_float(type_scalar_of(type)));
    return rows <= 4 && cols <= 4 ? rows == cols : rows == 6 && cols == 6;
}

static Node *composite_name(Synth *s, const Type *type)
{
    const char *suffix = suffix_of(s, type_scalar_of(type));
    if (type->kind == TYPE_QUAT)
        return node_wp(s, arena_format(s->arena, "quat%s", suffix));
    if (type->kind == TYPE_TRANSFORM)
        return node_wp(s, arena_format(s->arena, "transform%s", suffix));
    if (!has_name(type))
        return named_size(s, type);
    if (type->composite.rows == 6)
        return node_wp(s, arena_format(s->arena, is_vec(type) ? "spatial_vector%s" : "spatial_matrix%s", suffix));
    if (is_vec(type))
        return node_wp(s, arena_format(s->arena, "vec%u%s", type->composite.rows, suffix));
    return node_wp(s, arena_format(s->arena, "mat%u%u%s", type->composite.rows, type->composite.cols, suffix));
}

static Node *new_callee(Synth *s, const Type *type)
{
    if (type_is_composite(type))
        return composite_name(s, type);
    if (!s->style.wp_scalars && (type->kind == TYPE_FLOAT32 || type->kind == TYPE_INT32))
        return node_name(s, s->context->common[type->kind == TYPE_INT32 ? COMMON_INT : COMMON_FLOAT]);
    return node_wp(s, scalar_name(s, type));
}

/* wp.array(dtype=T), wp.array2d(dtype=T), wp.array(dtype=T, ndim=2), wp.array[T] */
static Node *array_annotation(Synth *s, const Type *type)
{
    Node *dtype = annotation(s, type->array.dtype);
    uint32_t ndim = type->array.ndim;
    unsigned style = s->style.array_style;
    if (style == 2) {
        Node *node = node_new(s, NODE_SUBSCRIPT);
        node->subscript.value = ndim == 1 ? node_wp(s, "array") : node_wp(s, arena_format(s->arena, "array%ud", ndim));
        node->subscript.slice = dtype;
        return node;
    }
    Node *node = node_new(s, NODE_CALL);
    bool named = ndim > 1 && style != 3;
    node->call.func = node_wp(s, named                     ? arena_format(s->arena, "array%ud", ndim)
                                 : style == 1 && ndim == 1 ? "array1d"
                                                           : "array");
    Node *keyword = node_new(s, NODE_KEYWORD);
    keyword->keyword.name = name_cstr(&s->context->names, "dtype");
    keyword->keyword.value = dtype;
    list_push(s, &node->call.keywords, keyword);
    if (style == 3 && ndim > 1) {
        Node *count = node_new(s, NODE_KEYWORD);
        count->keyword.name = name_cstr(&s->context->names, "ndim");
        count->keyword.value = node_constant_int(s, ndim);
        list_push(s, &node->call.keywords, count);
    }
    return node;
}

static Node *new_annotation(Synth *s, const Type *type)
{
    if (type->kind == TYPE_ARRAY)
        return array_annotation(s, type);
    if (type->kind == TYPE_STRUCT)
        return node_name(s, type->decl->key);
    if (type->kind == TYPE_BOOL && !s->style.wp_scalars)
        return node_name(s, s->context->common[COMMON_BOOL]);
    return type_callee(s, type);
}

/* ---- spellings that all kernels share ---- */

enum { ARRAY_STYLES = 4, MAX_SPELLINGS = 512 };

/* How a type is written, as far as that was asked for: in either style of scalars, in every style of arrays. */
typedef struct Spelling {
    Node *callee[2], *annotation[2][ARRAY_STYLES];
    const char *repr;
} Spelling;

/* NULL: a type that only this kernel has, or one too many. */
static Spelling *spelling_of(Synth *s, const Type *type)
{
    const Type *element = type->kind == TYPE_ARRAY ? type->array.dtype : type;
    if (element->kind == TYPE_STRUCT || ((is_vec(element) || is_mat(element)) && !has_name(element)))
        return NULL;
    HashTable *table = &s->context->spellings;
    TableSlot *slot = table_find(table, type);
    if (!slot && table->count == MAX_SPELLINGS)
        return NULL;
    if (!slot)
        slot = table_add(table, &s->context->tables, type);
    if (!slot->item)
        slot->item = ARENA_NEW(&s->context->tables, Spelling);
    return slot->item;
}

/* Makes it in memory that lasts, unless it is there already. */
static Node *lasting(Synth *s, Node **known, Node *(*make)(Synth *, const Type *), const Type *type)
{
    if (!*known) {
        Arena *work = s->arena;
        s->arena = &s->context->tables;
        *known = make(s, type);
        s->arena = work;
    }
    return *known;
}

Node *type_callee(Synth *s, const Type *type)
{
    Spelling *spelling = spelling_of(s, type);
    return spelling ? lasting(s, &spelling->callee[s->style.wp_scalars], new_callee, type) : new_callee(s, type);
}

Node *annotation(Synth *s, const Type *type)
{
    Spelling *spelling = spelling_of(s, type);
    if (!spelling)
        return new_annotation(s, type);
    return lasting(s, &spelling->annotation[s->style.wp_scalars][s->style.array_style], new_annotation, type);
}

static const char *new_text(const Type *type, Arena *arena)
{
    Text text;
    text_init_in(&text, arena);
    type_repr(type, &text);
    return text_cstr(&text);
}

const char *type_text(Synth *s, const Type *type)
{
    if (type->kind == TYPE_STRUCT)
        return type->decl->key->text;
    if (type->kind == TYPE_ARRAY && type->array.dtype->kind == TYPE_STRUCT)
        return arena_format(s->arena, "array(ndim=%u, dtype=%s)", type->array.ndim, type->array.dtype->decl->key->text);
    Spelling *spelling = spelling_of(s, type);
    if (!spelling)
        return new_text(type, s->arena);
    if (!spelling->repr)
        spelling->repr = new_text(type, &s->context->tables);
    return spelling->repr;
}
