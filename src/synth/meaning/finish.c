/* From a named draft to a sample: the definition, its text, the launch, the description. */
#include "synth/context.h"
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <string.h>

enum { MAX_ARGUMENTS = MAX_ITEMS + MAX_COUNTS };

/* A parameter of the kernel. */
typedef struct Argument {
    Name name;
    const char *type;
    uint32_t ndim;
    const Item *item;   /* or */
    const Count *count; /* one of them */
} Argument;

typedef struct Finisher {
    Draft *d;
    Argument arguments[MAX_ARGUMENTS];
    uint32_t count;
} Finisher;

/* ---- parameters ---- */

static bool is_output(const Argument *argument)
{
    return argument->item && argument->item->part.role != PART_IN;
}

static int rank_of(const Argument *argument, int order)
{
    bool is_array = argument->ndim > 0, is_out = is_output(argument);
    switch (order) {
    case 0: return is_out ? 2 : is_array ? 0 : 1; /* arrays, scalars, outputs */
    case 1: return is_out ? 2 : is_array ? 1 : 0; /* scalars first */
    case 2: return is_out ? 1 : is_array ? 0 : 2; /* scalars last */
    case 3: return is_out ? 1 : 0;                /* as they came, outputs last */
    default: return 0;                            /* as they came */
    }
}

static void collect_arguments(Finisher *f)
{
    static const unsigned weights[] = {38, 14, 20, 22, 6};
    Draft *d = f->d;
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        if (item->present && item->form == FORM_ARGUMENT)
            f->arguments[f->count++] = (Argument){.name = d->symbols[item->symbol].name,
                                                  .type = item->part.quantity->type,
                                                  .ndim = item->part.axis_count,
                                                  .item = item};
    }
    for (uint32_t i = 0; i < d->count_count; i++)
        if (d->counts[i].is_argument)
            f->arguments[f->count++] =
                (Argument){.name = d->symbols[d->counts[i].symbol].name, .type = "int", .count = &d->counts[i]};
    int order = (int)rng_weighted(&d->rng, weights, 5);
    for (uint32_t i = 1; i < f->count; i++)
        for (uint32_t k = i; k > 0 && rank_of(&f->arguments[k], order) < rank_of(&f->arguments[k - 1], order); k--) {
            Argument swapped = f->arguments[k];
            f->arguments[k] = f->arguments[k - 1];
            f->arguments[k - 1] = swapped;
        }
}

/* ---- words ---- */

static const char *describe(Finisher *f)
{
    Draft *d = f->d;
    char *text = arena_format(d->arena, "%s.", d->scene->says);
    text[0] = (char)toupper((unsigned char)text[0]);
    return text;
}

/* ---- the module ---- */

static Node *kernel_definition(Finisher *f)
{
    Draft *d = f->d;
    Node *node = draft_new(d, NODE_FUNCTION_DEF), *params = draft_new(d, NODE_ARGUMENTS);
    node->function.name = d->symbols[d->kernel].name;
    node->function.params = params;
    for (uint32_t i = 0; i < f->count; i++) {
        Node *arg = draft_new(d, NODE_ARG);
        arg->arg.name = f->arguments[i].name;
        arg->arg.annotation = spell_annotation(d, f->arguments[i].type, f->arguments[i].ndim);
        draft_push(d, &params->arguments.args, arg);
    }
    draft_push(d, &node->function.decorators, draft_wp(d, "kernel"));
    if (d->habits.docstring)
        draft_push(d, &node->function.body, draft_statement(d, draft_string(d, describe(f))));
    draft_insert(d, &node->function.body, node->function.body.count, &d->body);
    return node;
}

static Node *constant_definition(Draft *d, const DraftConstant *constant)
{
    Node *target = draft_name(d, constant->symbol), *value = constant->value;
    target->name.id = d->symbols[constant->symbol].name;
    return draft_assign(d, target, draft_call(d, draft_wp(d, "constant"), &value, 1));
}

static Node *whole_module(Finisher *f)
{
    Draft *d = f->d;
    Node *module = draft_new(d, NODE_MODULE);
    for (uint32_t i = 0; i < d->constant_count; i++)
        if (d->symbols[d->constants[i].symbol].name)
            draft_push(d, &module->module.body, constant_definition(d, &d->constants[i]));
    draft_insert(d, &module->module.body, module->module.body.count, &d->module);
    draft_push(d, &module->module.body, kernel_definition(f));
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

static void write_item(Text *out, const Item *item)
{
    const Part *part = &item->part;
    const char *type = part->quantity->type;
    bool starts_at_zero = part->role == PART_OUT || part->role == PART_ADD;
    if (part->axis_count) {
        text_lit(out, "\"shape\": [");
        for (uint32_t i = 0; i < part->axis_count; i++) {
            text_str(out, i ? ", " : "");
            text_uint(out, item->shape[i]);
        }
        text_lit(out, "], ");
    }
    text_lit(out, "\"range\": [");
    write_number(out, starts_at_zero ? 0 : part->low, type);
    text_lit(out, ", ");
    write_number(out, starts_at_zero ? 0 : part->high, type);
    text_char(out, ']');
    if (part->kind == PART_OFFSETS)
        text_lit(out, ", \"sorted\": true");
    if (part->role != PART_IN)
        text_lit(out, ", \"output\": true");
}

static void write_launch(const Finisher *f, Text *out)
{
    const Draft *d = f->d;
    text_lit(out, "{\"dim\": [");
    for (uint32_t i = 0; i < d->scene->dims; i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, d->dim[i]);
    }
    text_lit(out, "], \"args\": {");
    for (uint32_t i = 0; i < f->count; i++) {
        text_str(out, i ? ", \"" : "\"");
        text_str(out, f->arguments[i].name->text);
        text_lit(out, "\": {");
        if (f->arguments[i].item)
            write_item(out, f->arguments[i].item);
        else
            text_format(out, "\"value\": %u", f->arguments[i].count->value);
        text_char(out, '}');
    }
    text_lit(out, "}}");
}

/* ---- the text ---- */

enum { LINE_WIDTH = 100 };

/* A signature that is too long gets a line for each parameter, as formatters do it. */
static void write_signature(const char *line, size_t len, Text *out)
{
    static const signed char depths[256] = {['('] = 1, ['['] = 1, [')'] = -1, [']'] = -1};
    const char *from = (const char *)memchr(line, '(', len) + 1, *end = line + len;
    int depth = 0;
    text_add(out, line, (size_t)(from - line));
    text_lit(out, "\n    ");
    for (const char *c = from; c < end; c++) {
        depth += depths[(unsigned char)*c];
        if (depth < 0) {
            text_add(out, from, (size_t)(c - from));
            text_lit(out, ",\n");
            text_add(out, c, (size_t)(end - c));
            return;
        }
        if (*c == ',' && depth == 0) {
            text_add(out, from, (size_t)(c - from));
            text_lit(out, ",\n    ");
            from = c + 2; /* behind the space */
        }
    }
}

static void lay_out(const Draft *d, const Text *text, Text *out)
{
    const size_t widest = d->habits.tall ? 60 : LINE_WIDTH;
    text_reserve(out, text->len + text->len / 2);
    for (const char *line = text->data, *end = text->data + text->len; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        size_t width = (size_t)(stop - line);
        if (width > widest && memcmp(line, "def ", 4) == 0)
            write_signature(line, width, out);
        else
            text_add(out, line, width);
        text_char(out, '\n');
        line = stop + 1;
    }
}

void finish_draft(Draft *d, SynthSample *sample)
{
    SynthContext *context = d->context;
    Finisher finisher = {.d = d}, *f = &finisher;
    for (uint32_t i = 0; i < d->scene->dims; i++) {
        uint32_t number = 0;
        for (uint32_t k = 0; k < i; k++)
            number += d->scene->entities[k] == d->scene->entities[i];
        d->dim[i] = count_of(d, d->scene->entities[i], number)->value;
    }
    collect_arguments(f);
    context->plain.len = context->source.len = context->launch.len = 0;
    unparse(whole_module(f), &context->plain);
    lay_out(d, &context->plain, &context->source);
    write_launch(f, &context->launch);
    sample->description = describe(f);
    sample->kernel_name = d->symbols[d->kernel].name->text;
    sample->source = text_cstr(&context->source);
    sample->source_len = context->source.len;
    sample->launch = text_cstr(&context->launch);
    sample->launch_len = context->launch.len;
    sample->arg_count = f->count;
    sample->arg_names = ARENA_ARRAY(d->arena, const char *, f->count + 1);
    sample->arg_types = ARENA_ARRAY(d->arena, const char *, f->count + 1);
    for (uint32_t i = 0; i < f->count; i++) {
        sample->arg_names[i] = f->arguments[i].name->text;
        sample->arg_types[i] = type_repr_of(d, f->arguments[i].type, f->arguments[i].ndim);
    }
}
