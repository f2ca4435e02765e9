/* The types of expressions in a draft whose data is laid out, as far as they can be told. */
#include "synth/meaning/outline.h"

#include <string.h>

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(*words, text) == 0)
            return true;
    return false;
}

/* The type of one number of a vector, a matrix or a scalar; NULL: of nothing known. */
static const char *type_of_number(const char *type)
{
    if (!type || strcmp(type, "int") == 0 || strncmp(type, "uint", 4) == 0)
        return type;
    char last = type[strlen(type) - 1];
    bool composite = strncmp(type, "vec", 3) == 0 || strncmp(type, "mat", 3) == 0;
    if (strcmp(type, "float64") == 0 || (composite && last == 'd'))
        return "float64";
    return composite && last == 'i' ? "int" : "float";
}

static const char *type_of_call(Inference *inference, const Node *node)
{
    static const char *const scalars[] = {"length", "dot",   "sqrt",      "exp",   "log",         "sin",  "cos",
                                          "tan",    "atan2", "acos",      "asin",  "pow",         "atan", "tanh",
                                          "floor",  "ceil",  "length_sq", "trace", "determinant", NULL};
    static const char *const same[] = {"normalize", "min",       "max",    "clamp", "abs",  "cross",
                                       "inverse",   "transpose", "cw_mul", "lerp",  "sign", NULL};
    static const char *const types[] = {"vec2", "vec3",      "vec4",   "mat22", "mat33", "mat44",
                                        "quat", "transform", "uint32", "vec2i", "vec3i", NULL};
    Draft *d = inference->d;
    const Node *function = node->call.func;
    const Node *first = node->call.args.count ? node->call.args.items[0] : NULL;
    if (function->kind == NODE_NAME && function->fact) {
        for (uint32_t i = 0; i < d->function_count; i++)
            if (d->functions[i].symbol == function->fact - 1 && d->functions[i].law)
                return d->functions[i].law->result_count == 1 ? d->functions[i].law->results[0]->type : NULL;
        return NULL;
    }
    if (function->kind == NODE_NAME)
        return name_is(function->name.id, "float") ? "float" : name_is(function->name.id, "int") ? "int" : NULL;
    const char *name = function->attribute.attr->text;
    if (is_one_of(name, types))
        return name_is(function->attribute.attr, "uint32") ? "uint32"
               : d->arena                                  ? arena_strndup(d->arena, name, strlen(name))
                                                           : name;
    if (strcmp(name, "randf") == 0 || strcmp(name, "randn") == 0)
        return "float";
    if (is_one_of(name, scalars))
        return first ? type_of_number(type_of_node(inference, first)) : NULL;
    bool of_components = node->call.args.count == 1 && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0);
    const char *type = is_one_of(name, same) && first ? type_of_node(inference, first) : NULL;
    return of_components ? type_of_number(type) : type;
}

static const char *type_of_field(Inference *inference, const Node *node)
{
    Draft *d = inference->d;
    for (uint32_t i = 0; node->fact && i < d->item_count; i++)
        if (d->items[i].field == node->fact - 1)
            return d->items[i].form == FORM_ELEMENT || !d->items[i].ndim ? d->items[i].type : NULL;
    for (uint32_t i = 0; node->fact && i < d->count_count; i++)
        if (d->counts[i].is_field && d->counts[i].field == node->fact - 1)
            return "int";
    if (node->fact || node->attribute.attr->len != 1)
        return NULL;
    const char *whole = type_of_node(inference, node->attribute.value); /* p.x */
    return whole ? type_of_number(whole) : "float";
}

static const char *type_of_element(Inference *inference, const Node *node)
{
    Draft *d = inference->d;
    const Node *array = node->subscript.value;
    uint32_t indices = node->subscript.slice->kind == NODE_TUPLE ? node->subscript.slice->sequence.elts.count : 1;
    if (array->kind == NODE_NAME && array->fact)
        for (uint32_t i = 0; i < d->argument_count; i++)
            if (d->arguments[i].symbol == array->fact - 1 && d->arguments[i].ndim)
                return d->arguments[i].ndim == indices ? d->arguments[i].type : NULL;
    if (array->kind == NODE_ATTRIBUTE && array->fact)
        for (uint32_t i = 0; i < d->item_count; i++)
            if (d->items[i].field == array->fact - 1 && d->items[i].form == FORM_FIELD && d->items[i].ndim)
                return d->items[i].ndim == indices ? d->items[i].type : NULL;
    if (array->kind == NODE_ATTRIBUTE && !array->fact && name_is(array->attribute.attr, "shape"))
        return "int";
    const char *type = type_of_node(inference, array);
    if (!type || strncmp(type, "vec", 3) != 0)
        return type && strncmp(type, "mat", 3) == 0 && indices == 2 ? type_of_number(type) : NULL;
    return type_of_number(type);
}

static bool is_composite(const char *type)
{
    return strcmp(type, "float") != 0 && strcmp(type, "float64") != 0 && strcmp(type, "int") != 0;
}

static const char *type_of_operation(Inference *inference, const Node *node)
{
    const char *left = type_of_node(inference, node->bin_op.left), *right = type_of_node(inference, node->bin_op.right);
    if (!left || !right)
        return NULL;
    if (strncmp(left, "mat", 3) == 0 || strncmp(left, "quat", 4) == 0 || strncmp(left, "transform", 9) == 0)
        return is_composite(right) ? right : left;
    if (is_composite(left))
        return left;
    if (is_composite(right))
        return right;
    return strcmp(left, "int") == 0 ? right : left;
}

const char *type_of_node(Inference *inference, const Node *node)
{
    Draft *d = inference->d;
    switch (node->kind) {
    case NODE_CONSTANT:
        return node->constant.kind == CONSTANT_FLOAT ? "float" : node->constant.kind == CONSTANT_INT ? "int" : NULL;
    case NODE_NAME:
        if (!node->fact)
            return NULL;
        for (uint32_t i = 0; i < d->argument_count; i++)
            if (d->arguments[i].symbol == node->fact - 1)
                return d->arguments[i].ndim ? NULL : d->arguments[i].type;
        for (uint32_t i = 0; i < d->constant_count; i++)
            if (d->constants[i].symbol == node->fact - 1)
                return type_of_node(inference, d->constants[i].value);
        return inference->types[node->fact - 1];
    case NODE_ATTRIBUTE: return type_of_field(inference, node);
    case NODE_SUBSCRIPT: return type_of_element(inference, node);
    case NODE_BIN_OP: return type_of_operation(inference, node);
    case NODE_UNARY_OP: return type_of_node(inference, node->unary_op.operand);
    case NODE_IF_EXP: return type_of_node(inference, node->if_exp.body);
    case NODE_CALL: return type_of_call(inference, node);
    default: return NULL;
    }
}

static void note_type(Inference *inference, const Node *target, const char *type)
{
    if (target->kind == NODE_NAME && target->fact && !inference->types[target->fact - 1])
        inference->types[target->fact - 1] = type;
}

static void infer_statement(Node **place, void *user)
{
    Inference *inference = user;
    Node *node = *place;
    if (node->kind == NODE_ASSIGN) {
        const Node *target = node->assign.targets.items[0];
        if (is_thread_statement(node)) {
            for (uint32_t i = 0; i < inference->d->dims; i++)
                inference->types[inference->d->tid[i]] = "int";
            note_type(inference, target, "int");
        } else
            note_type(inference, target, type_of_node(inference, node->assign.value));
    }
    if (node->kind == NODE_FOR)
        note_type(inference, node->for_loop.target, "int");
    draft_slots(node, infer_statement, user);
}

void infer_types(Draft *d, Inference *inference)
{
    *inference = (Inference){d, ARENA_ARRAY(d->arena, const char *, MAX_SYMBOLS)};
    for (uint32_t i = 0; i < d->symbol_count; i++)
        inference->types[i] = d->symbols[i].type;
    for (uint32_t i = 0; i < d->body.count; i++)
        infer_statement(&d->body.items[i], inference);
}

/* ---- what types are good for beside functions ---- */

static bool is_matrix(const char *type)
{
    return type && strncmp(type, "mat", 3) == 0;
}

static void mark_product(Node **place, void *user)
{
    Inference *inference = user;
    Node *node = *place;
    draft_slots(node, mark_product, user);
    if (node->kind != NODE_BIN_OP || node->bin_op.op != OP_MULT ||
        !is_matrix(type_of_node(inference, node->bin_op.left)))
        return;
    const char *right = type_of_node(inference, node->bin_op.right);
    if (is_matrix(right) || (right && strncmp(right, "vec", 3) == 0))
        node->bin_op.op = OP_MAT_MULT;
}

void style_matrix_products(Draft *d)
{
    if (!d->habits.at_signs)
        return;
    Inference inference;
    infer_types(d, &inference);
    for (uint32_t i = 0; i < d->body.count; i++)
        mark_product(&d->body.items[i], &inference);
}
