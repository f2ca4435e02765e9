/* Helper functions and structs of a kernel. They come first, while nothing else is in scope. */
#include "synth/make.h"

#include <math.h>
#include <string.h>

/* ---- functions ---- */

static Node *parameter(Synth *s, Name name, const Type *type)
{
    Node *node = node_new(s, NODE_ARG);
    node->arg.name = name;
    node->arg.annotation = annotation(s, type);
    return node;
}

Helper *function_begin(Synth *s, const char *names, uint32_t count, const char *const *param_names,
                       const Type *const *types, const Range *ranges, Expr *params)
{
    if (s->helper_count == MAX_HELPERS)
        give_up(s, "too many functions");
    Helper *helper = &s->helpers[s->helper_count++];
    *helper = (Helper){.name = fresh(s, names), .param_count = count, .annotated = chance(s, 0.5)};
    helper->taken = s->taken_count;
    helper->params_node = node_new(s, NODE_ARGUMENTS);
    s->in_function = true;
    forget_variables(s, 0);
    s->refined_count = 0;
    s->block_count = 1;
    s->blocks[0] = (Block){.kind = BLOCK_TOP, .list = &helper->body, .trips = 1};
    for (uint32_t i = 0; i < count; i++) {
        Name name = fresh(s, param_names[i]);
        helper->params[i] = types[i];
        helper->param_ranges[i] = ranges[i];
        list_push(s, &helper->params_node->arguments.args, parameter(s, name, types[i]));
        s->vars[i] = (Var){.name = name,
                           .type = types[i],
                           .range = ranges[i],
                           .flags = type_is_float(type_scalar_of(types[i])) ? EXPR_GENERIC : 0u};
        s->var_types[i] = types[i];
        s->types_met |= type_bit(types[i]);
        s->var_count = i + 1;
        params[i] = (Expr){.node = node_name(s, name),
                           .type = types[i],
                           .range = ranges[i],
                           .flags = s->vars[i].flags,
                           .var = (int)i + 1};
    }
    return helper;
}

void function_return(Synth *s, Helper *helper, const Expr *results, uint32_t count)
{
    Node *node = node_new(s, NODE_RETURN), *tuple = node_new(s, NODE_TUPLE);
    bool first = !helper->result_count;
    helper->result_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!results[i].type || (!first && helper->results[i] != results[i].type))
            give_up(s, "a function without a result");
        helper->results[i] = results[i].type;
        Range old = first ? results[i].range : helper->result_ranges[i];
        helper->result_ranges[i] = (Range){fmin(old.low, results[i].range.low), fmax(old.high, results[i].range.high)};
        list_push(s, &tuple->sequence.elts, results[i].node);
    }
    helper->type = helper->results[0];
    node->ret.value = count == 1 ? results[0].node : tuple;
    add_statement(s, node);
}

/* A parameter that nothing reads is not one. */
static void drop_unused(Helper *helper)
{
    NodeList *args = &helper->params_node->arguments.args;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < helper->param_count; i++) {
        bool used = false;
        for (uint32_t k = 0; k < helper->body.count && !used; k++)
            used = mentions(helper->body.items[k], args->items[i]->arg.name);
        if (!used)
            continue;
        args->items[kept] = args->items[i];
        helper->params[kept] = helper->params[i];
        helper->param_ranges[kept++] = helper->param_ranges[i];
    }
    helper->param_count = args->count = kept;
}

void function_end(Synth *s, Helper *helper)
{
    prune_function(s, &helper->body);
    drop_unused(helper);
    if (!helper->param_count)
        give_up(s, "a function without a parameter");
    Node *node = node_new(s, NODE_FUNCTION_DEF);
    node->function.name = helper->name;
    node->function.params = helper->params_node;
    node->function.body = helper->body;
    list_push(s, &node->function.decorators, node_wp(s, "func"));
    if (helper->annotated && helper->result_count == 1 && helper->type)
        node->function.returns = annotation(s, helper->type);
    list_push(s, &s->module, node);
    s->in_function = false;
    forget_names(s, helper->taken);
    forget_variables(s, 0);
    s->refined_count = 0;
    s->block_count = 1;
    s->blocks[0] = (Block){.kind = BLOCK_TOP, .list = &s->body, .trips = 1};
}

static Node *helper_call(Synth *s, const Helper *helper, const Expr *args)
{
    Node *nodes[MAX_HELPER_PARAMS];
    for (uint32_t i = 0; i < helper->param_count; i++) {
        if (!args[i].type || args[i].type != helper->params[i])
            return NULL;
        if (args[i].range.low < helper->param_ranges[i].low || args[i].range.high > helper->param_ranges[i].high)
            return NULL;
        nodes[i] = args[i].node;
    }
    return node_call(s, node_name(s, helper->name), nodes, helper->param_count);
}

static unsigned looped(const Helper *helper, const Expr *args)
{
    unsigned flags = 0;
    for (uint32_t i = 0; i < helper->param_count; i++)
        flags |= args[i].flags & EXPR_LOOPED;
    return flags;
}

Expr call_helper(Synth *s, const Helper *helper, const Expr *args)
{
    Node *node = helper_call(s, helper, args);
    if (!node || helper->result_count != 1)
        return refused(s, "arguments outside of a function's ranges");
    return (Expr){.node = node,
                  .type = helper->type,
                  .range = helper->result_ranges[0],
                  .flags = (type_is_float(type_scalar_of(helper->type)) ? EXPR_GENERIC : 0u) | looped(helper, args)};
}

void call_helper_many(Synth *s, const Helper *helper, const Expr *args, const char *const *names, Expr *out)
{
    Node *node = helper_call(s, helper, args);
    if (!node)
        give_up(s, "arguments outside of a function's ranges");
    let_many(s, names, out, helper->result_count, node, helper->results, helper->result_ranges);
    for (uint32_t i = 0; i < helper->result_count; i++)
        s->vars[out[i].var - 1].flags |= looped(helper, args);
}

/* ---- structs ---- */

Struct *struct_new(Synth *s, const char *names)
{
    if (s->struct_count == MAX_STRUCTS)
        give_up(s, "too many structs");
    Struct *strukt = &s->structs[s->struct_count++];
    *strukt = (Struct){.name = fresh(s, names)};
    return strukt;
}

void struct_field(Synth *s, Struct *strukt, const char *names, const Type *type, double low, double high)
{
    if (strukt->field_count == MAX_FIELDS)
        give_up(s, "too many fields");
    char text[NAME_SIZE];
    pick_name(s, names, text);
    for (uint32_t i = 0; i < strukt->field_count; i++)
        if (name_is(strukt->fields[i].name, text))
            return;
    strukt->fields[strukt->field_count++] = (Field){intern(s, text), type, {low, high}};
}

void struct_end(Synth *s, Struct *strukt)
{
    StructDecl *decl = ARENA_NEW(s->arena, StructDecl);
    decl->key = strukt->name;
    Type *type = ARENA_NEW(s->arena, Type);
    type->kind = TYPE_STRUCT;
    type->decl = decl;
    strukt->type = type;
    Node *node = node_new(s, NODE_CLASS_DEF);
    node->class_def.name = strukt->name;
    list_push(s, &node->class_def.decorators, node_wp(s, "struct"));
    for (uint32_t i = 0; i < strukt->field_count; i++) {
        Node *field = node_new(s, NODE_ANN_ASSIGN);
        field->ann_assign.target = node_name(s, strukt->fields[i].name);
        field->ann_assign.annotation = annotation(s, strukt->fields[i].type);
        field->ann_assign.simple = true;
        list_push(s, &node->class_def.body, field);
    }
    list_push(s, &s->module, node);
}

Expr struct_param(Synth *s, const Struct *strukt, const char *names)
{
    Expr value = scalar_param(s, names, type_scalar(TYPE_INT32), 0, 0);
    Param *param = &s->params[s->param_count - 1];
    param->type = strukt->type;
    param->strukt = (int)(strukt - s->structs);
    value.type = strukt->type;
    return value;
}

Expr random_field(Synth *s, Expr value, const Struct *strukt, const Type *type)
{
    uint32_t start = below(s, strukt->field_count ? strukt->field_count : 1);
    for (uint32_t i = 0; i < strukt->field_count; i++) {
        const Field *field = &strukt->fields[(start + i) % strukt->field_count];
        if (field->type == type)
            return member(s, value, field->name->text);
    }
    return refused(s, "no field of that type");
}
