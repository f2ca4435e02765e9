/* From a named draft to a sample: the module and the launch. */
#include "synth/context.h"
#include "synth/meaning/draft.h"

#include <string.h>

/* ---- the module ---- */

static Name name_of_symbol(const Draft *d, uint32_t symbol)
{
    return d->symbols[symbol].name;
}

static Node *spell_argument(Draft *d, const Argument *argument)
{
    return spell_annotation(
        d, argument->structure ? name_of_symbol(d, argument->structure->symbol)->text : argument->type, argument->ndim);
}

static Node *kernel_definition(Draft *d)
{
    Node *node = draft_new(d, NODE_FUNCTION_DEF), *params = draft_new(d, NODE_ARGUMENTS);
    node->function.name = name_of_symbol(d, d->kernel);
    node->function.params = params;
    for (uint32_t i = 0; i < d->argument_count; i++) {
        Node *arg = draft_new(d, NODE_ARG);
        arg->arg.name = name_of_symbol(d, d->arguments[i].symbol);
        arg->arg.annotation = spell_argument(d, &d->arguments[i]);
        draft_push(d, &params->arguments.args, arg);
    }
    draft_push(d, &node->function.decorators, draft_wp(d, "kernel"));
    if (d->habits.docstring)
        draft_push(d, &node->function.body, draft_statement(d, draft_string(d, describe_kernel(d))));
    draft_insert(d, &node->function.body, node->function.body.count, &d->body);
    return node;
}

static Node *constant_definition(Draft *d, const DraftConstant *constant)
{
    Node *target = draft_word(d, name_of_symbol(d, constant->symbol)->text), *value = constant->value;
    if (d->habits.plain_constants || (constant->of_class && d->habits.enum_style == 2))
        return draft_assign(d, target, value);
    return draft_assign(d, target, draft_call(d, draft_wp(d, "constant"), &value, 1));
}

static void add_constants(Draft *d, NodeList *module)
{
    if (module->count && module->items[module->count - 1]->kind == NODE_IMPORT_FROM && d->constant_count)
        draft_push(d, module, draft_statement(d, draft_word(d, ""))); /* an empty line */
    for (uint32_t i = 0; i < d->constant_count; i++)
        if (!d->constants[i].of_class && name_of_symbol(d, d->constants[i].symbol))
            draft_push(d, module, constant_definition(d, &d->constants[i]));
}

/* from module import name */
static void add_import(Draft *d, NodeList *body, const char *module, const char *name)
{
    Node *import = draft_new(d, NODE_IMPORT_FROM), *alias = draft_new(d, NODE_ALIAS);
    import->import_from.module = name_cstr(&d->names, module);
    alias->alias.name = name_cstr(&d->names, name);
    draft_push(d, &import->import_from.names, alias);
    draft_push(d, body, import);
}

/* class Material(IntEnum): … */
static void add_enums(Draft *d, NodeList *module)
{
    bool imported = false;
    for (uint32_t i = 0; i < d->constant_count;) {
        uint32_t of_class = d->constants[i].of_class;
        if (!of_class) {
            i++;
            continue;
        }
        Node *node = draft_new(d, NODE_CLASS_DEF);
        node->class_def.name = name_of_symbol(d, of_class);
        draft_push(d, &node->class_def.bases, draft_word(d, "IntEnum"));
        for (; i < d->constant_count && d->constants[i].of_class == of_class; i++) {
            Node *value = d->symbols[d->constants[i].symbol].value;
            draft_push(d, &node->class_def.body,
                       draft_assign(d, draft_word(d, value->attribute.attr->text), d->constants[i].value));
        }
        if (!imported)
            add_import(d, module, "enum", "IntEnum");
        imported = true;
        draft_push(d, module, node);
    }
}

static void add_field(Draft *d, Node *node, uint32_t symbol, const char *type, uint32_t ndim)
{
    Node *field = draft_new(d, NODE_ANN_ASSIGN);
    field->ann_assign.target = draft_word(d, name_of_symbol(d, symbol)->text);
    field->ann_assign.annotation = spell_annotation(d, type, ndim);
    field->ann_assign.simple = true;
    draft_push(d, &node->class_def.body, field);
}

static void add_structs(Draft *d, NodeList *module)
{
    for (uint32_t i = 0; i < d->struct_count; i++) {
        Node *node = draft_new(d, NODE_CLASS_DEF);
        node->class_def.name = name_of_symbol(d, d->structs[i].symbol);
        draft_push(d, &node->class_def.decorators, draft_wp(d, "struct"));
        for (uint32_t k = 0; k < d->item_count; k++) {
            const Item *item = &d->items[k];
            if (item->field && item->owner == i)
                add_field(d, node, item->field, item->type, item->form == FORM_FIELD ? item->ndim : 0);
        }
        for (uint32_t k = 0; k < d->count_count; k++)
            if (d->counts[k].is_field && d->counts[k].owner == i)
                add_field(d, node, d->counts[k].field, "int", 0);
        draft_push(d, module, node);
    }
}

/* @wp.func(inline=True) on a few small functions, @wp.func(inline=False) on fewer long ones. */
static void add_inline_hints(Draft *d)
{
    enum { SMALL = 3, LONG = 12 };
    for (uint32_t i = 0; d->meaning->dialect.inline_hints && i < d->module.count; i++) {
        Node *node = d->module.items[i];
        if (node->kind != NODE_FUNCTION_DEF)
            continue;
        uint32_t count = node->function.body.count;
        bool small = count <= SMALL;
        if (!(small || count >= LONG) || !perhaps(d, small ? 0.05 : 0.02))
            continue;
        Node **decorator = &node->function.decorators.items[0];
        *decorator = draft_call(d, *decorator, NULL, 0);
        draft_push(d, &(*decorator)->call.keywords,
                   draft_keyword(d, "inline", draft_word(d, small ? "True" : "False")));
    }
}

static Node *whole_module(Draft *d)
{
    Node *module = draft_new(d, NODE_MODULE);
    NodeList *body = &module->module.body;
    if (d->has_generics)
        add_import(d, body, "typing", "Any");
    add_inline_hints(d);
    add_enums(d, body);
    add_constants(d, body);
    add_structs(d, body);
    draft_insert(d, body, body->count, &d->module);
    draft_push(d, body, kernel_definition(d));
    return module;
}

/* ---- the launch, as JSON ---- */

static void write_number(Text *out, double value, const char *type)
{
    if (type_is_integer(type))
        text_int(out, (int64_t)value);
    else
        text_python_float(out, value);
}

static void write_shape(Text *out, const uint32_t *shape, uint32_t ndim)
{
    if (!ndim)
        return;
    text_lit(out, "\"shape\": [");
    for (uint32_t i = 0; i < ndim; i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, shape[i]);
    }
    text_lit(out, "], ");
}

static void write_values(Text *out, const Item *item)
{
    const Part *part = &item->part;
    bool starts_at_zero = part->role == PART_OUT || part->role == PART_ADD;
    text_lit(out, "\"range\": [");
    write_number(out, starts_at_zero ? 0 : part->low, part->quantity->type);
    text_lit(out, ", ");
    write_number(out, starts_at_zero ? 0 : part->high, part->quantity->type);
    text_char(out, ']');
    if (part->kind == PART_OFFSETS)
        text_lit(out, ", \"sorted\": true");
    if (part->role != PART_IN)
        text_lit(out, ", \"output\": true");
}

static void write_fields(const Draft *d, Text *out, uint32_t owner)
{
    const char *between = "";
    text_lit(out, "\"fields\": {");
    for (uint32_t k = 0; k < d->item_count; k++) {
        const Item *item = &d->items[k];
        if (!item->field || item->owner != owner)
            continue;
        text_format(out, "%s\"%s\": {", between, name_of_symbol(d, item->field)->text);
        if (item->form == FORM_FIELD)
            write_shape(out, item->shape, item->ndim);
        write_values(out, item);
        text_char(out, '}');
        between = ", ";
    }
    for (uint32_t k = 0; k < d->count_count; k++)
        if (d->counts[k].is_field && d->counts[k].owner == owner) {
            text_format(out, "%s\"%s\": {\"value\": %u}", between, name_of_symbol(d, d->counts[k].field)->text,
                        d->counts[k].value);
            between = ", ";
        }
    text_char(out, '}');
}

static void write_launch(const Draft *d, Text *out)
{
    text_lit(out, "{\"dim\": [");
    for (uint32_t i = 0; i < d->launch_dims; i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, d->dim[i]);
    }
    text_lit(out, "], \"args\": {");
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Argument *argument = &d->arguments[i];
        text_format(out, "%s\"%s\": {", i ? ", " : "", name_of_symbol(d, argument->symbol)->text);
        write_shape(out, argument->shape, argument->ndim);
        if (argument->structure)
            write_fields(d, out, (uint32_t)(argument->structure - d->structs));
        else if (argument->item)
            write_values(out, argument->item);
        else if (argument->ndim)
            text_format(out, "\"range\": [%u, %u]", argument->count->value, argument->count->value);
        else
            text_format(out, "\"value\": %u", argument->count->value);
        text_char(out, '}');
    }
    text_lit(out, "}}");
}

/* ---- all of it ---- */

static void list_arguments(Draft *d, SynthSample *sample)
{
    sample->arg_count = d->argument_count;
    sample->arg_names = ARENA_ARRAY(d->arena, const char *, d->argument_count + 1);
    sample->arg_types = ARENA_ARRAY(d->arena, const char *, d->argument_count + 1);
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Argument *argument = &d->arguments[i];
        const char *type = argument->structure ? name_of_symbol(d, argument->structure->symbol)->text : argument->type;
        sample->arg_names[i] = name_of_symbol(d, argument->symbol)->text;
        sample->arg_types[i] = type_repr_of(d, type, argument->ndim);
    }
}

void finish_draft(Draft *d, SynthSample *sample)
{
    SynthContext *context = d->context;
    context->plain.len = context->source.len = context->launch.len = 0;
    unparse(whole_module(d), &context->plain);
    lay_out_text(d, &context->plain, &context->source);
    write_launch(d, &context->launch);
    sample->kernel_name = name_of_symbol(d, d->kernel)->text;
    sample->source = text_cstr(&context->source);
    sample->source_len = context->source.len;
    sample->launch = text_cstr(&context->launch);
    sample->launch_len = context->launch.len;
    list_arguments(d, sample);
    describe_sample(d, sample);
}
