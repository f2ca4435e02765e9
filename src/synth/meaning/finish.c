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
    if (is_open(d, argument))
        return spell_open(d, argument);
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
    draft_push(d, &node->function.decorators, kernel_decorator(d));
    if (d->habits.docstring)
        draft_push(d, &node->function.body, draft_statement(d, draft_string(d, kernel_docstring(d))));
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
    choose_generic(d);
    if (d->has_generics)
        add_import(d, body, "typing", "Any");
    add_inline_hints(d);
    NodeList rest = {0};
    add_enums(d, &rest);
    add_constants(d, &rest);
    add_structs(d, &rest);
    draft_insert(d, &rest, rest.count, &d->module);
    draft_push(d, &rest, kernel_definition(d));
    add_overload(d, &rest);
    use_aliases(d, &rest);
    uint32_t imports = 0;
    while (imports < rest.count && rest.items[imports]->kind == NODE_IMPORT_FROM)
        draft_push(d, body, rest.items[imports++]);
    if (d->module_options) {
        Node *options = draft_word(d, "{\"enable_backward\": False}");
        draft_push(d, body, draft_statement(d, draft_call(d, draft_wp(d, "set_module_options"), &options, 1)));
    }
    add_aliases(d, body);
    for (uint32_t i = imports; i < rest.count; i++)
        draft_push(d, body, rest.items[i]);
    return module;
}

/* ---- the launch, as JSON ---- */

/* What is said about an argument, or about a field of one: a row of the same members for each. */
typedef struct ArgumentRow {
    const char *name, *field; /* field NULL: the argument itself */
    const char *type;
    uint32_t ndim;
    const uint32_t *shape;
    const Item *item;   /* a range, or */
    const Count *count; /* a value, or, with neither, a struct */
    const char *role;
} ArgumentRow;

static void write_shape(Text *out, const uint32_t *shape, uint32_t ndim)
{
    for (uint32_t i = 0; i < ndim; i++) {
        text_str(out, i ? ", " : "[");
        text_uint(out, shape[i]);
    }
    text_str(out, ndim ? "]" : "null");
}

static void write_range(Text *out, double low, double high)
{
    text_lit(out, ", \"low\": ");
    text_python_float(out, low);
    text_lit(out, ", \"high\": ");
    text_python_float(out, high);
    text_lit(out, ", \"value\": null");
}

static void write_numbers(Text *out, const ArgumentRow *row)
{
    if (row->item) {
        const Part *part = &row->item->part;
        bool starts_at_zero = part->role == PART_OUT || part->role == PART_ADD;
        write_range(out, starts_at_zero ? 0 : part->low, starts_at_zero ? 0 : part->high);
    } else if (row->count && row->ndim)
        write_range(out, row->count->value, row->count->value);
    else if (row->count)
        text_format(out, ", \"low\": null, \"high\": null, \"value\": %u.0", row->count->value);
    else
        text_lit(out, ", \"low\": null, \"high\": null, \"value\": null");
}

static void write_row(Text *out, const ArgumentRow *row)
{
    ADD_ALL(out, "{\"name\": \"", row->name, "\", \"field\": ");
    if (row->field)
        ADD_ALL(out, "\"", row->field, "\"");
    else
        text_lit(out, "null");
    ADD_ALL(out, ", \"type\": \"", row->type, "\", \"shape\": ");
    write_shape(out, row->shape, row->ndim);
    write_numbers(out, row);
    ADD_ALL(out, ", \"sorted\": ", row->item && row->item->part.kind == PART_OFFSETS ? "true" : "false",
            ", \"role\": \"", row->role, "\", \"quantity\": ");
    if (row->item)
        ADD_ALL(out, "\"", row->item->part.quantity->id, "\"}");
    else
        text_lit(out, "null}");
}

static const char *role_word(const Item *item)
{
    static const char *const words[] = {
        [PART_IN] = "input", [PART_OUT] = "output", [PART_ADD] = "sum", [PART_INOUT] = "inout"};
    return words[item->part.role];
}

/* Of a struct: what all of its fields are, or both. */
static const char *struct_role(const Draft *d, uint32_t owner)
{
    bool read = false, written = false;
    for (uint32_t k = 0; k < d->item_count; k++)
        if (d->items[k].field && d->items[k].owner == owner) {
            read |= d->items[k].part.role == PART_IN || d->items[k].part.role == PART_INOUT;
            written |= d->items[k].part.role != PART_IN;
        }
    return !written ? "input" : read ? "inout" : "output";
}

static void write_fields(Draft *d, Text *out, ArgumentRow row, uint32_t owner)
{
    for (uint32_t k = 0; k < d->item_count; k++) {
        const Item *item = &d->items[k];
        if (!item->field || item->owner != owner)
            continue;
        row.field = name_of_symbol(d, item->field)->text;
        row.ndim = item->form == FORM_FIELD ? item->ndim : 0;
        row.type = type_repr_of(d, item->type, row.ndim);
        row.shape = item->shape;
        row.item = item;
        row.role = role_word(item);
        text_lit(out, ", ");
        write_row(out, &row);
    }
    for (uint32_t k = 0; k < d->count_count; k++)
        if (d->counts[k].is_field && d->counts[k].owner == owner) {
            row = (ArgumentRow){.name = row.name, .field = name_of_symbol(d, d->counts[k].field)->text};
            row.type = type_repr_of(d, "int", 0);
            row.count = &d->counts[k];
            row.role = "size";
            text_lit(out, ", ");
            write_row(out, &row);
        }
}

static void write_argument(Draft *d, Text *out, const Argument *argument)
{
    const char *type = argument->structure ? name_of_symbol(d, argument->structure->symbol)->text : argument->type;
    ArgumentRow row = {.name = name_of_symbol(d, argument->symbol)->text,
                       .type = type_repr_of(d, type, argument->ndim),
                       .ndim = argument->ndim,
                       .shape = argument->shape};
    if (argument->structure) {
        uint32_t owner = (uint32_t)(argument->structure - d->structs);
        row.role = struct_role(d, owner);
        write_row(out, &row);
        write_fields(d, out, row, owner);
        return;
    }
    row.item = argument->item;
    row.count = argument->item ? NULL : argument->count;
    row.role = argument->item ? role_word(argument->item) : "size";
    write_row(out, &row);
}

/* Returns where the list of arguments begins. */
static size_t write_launch(Draft *d, Text *out)
{
    text_lit(out, LAUNCH_HEAD);
    for (uint32_t i = 0; i < d->launch_dims; i++) {
        text_str(out, i ? ", " : "[");
        text_uint(out, d->dim[i]);
    }
    text_char(out, ']');
    if (d->block_dim)
        text_format(out, LAUNCH_BLOCK "%u", d->block_dim);
    text_lit(out, LAUNCH_ARGUMENTS);
    size_t start = out->len;
    for (uint32_t i = 0; i < d->argument_count; i++) {
        text_str(out, i ? ", " : "[");
        write_argument(d, out, &d->arguments[i]);
    }
    text_lit(out, "]}");
    return start;
}

/* ---- all of it ---- */

void finish_draft(Draft *d, SynthSample *sample)
{
    SynthContext *context = d->context;
    note_arguments(d);
    context->plain.len = context->source.len = context->launch.len = 0;
    const Node *module = whole_module(d);
    unparse_readable(module, &context->plain);
    lay_out_text(d, &context->plain, &context->source);
    size_t arguments = write_launch(d, &context->launch);
    sample->kernel_name = name_of_symbol(d, d->kernel)->text;
    sample->source = text_cstr(&context->source);
    sample->source_len = context->source.len;
    sample->launch = text_cstr(&context->launch);
    sample->launch_len = context->launch.len;
    sample->arguments = sample->launch + arguments;
    describe_sample(d, module, sample);
}
