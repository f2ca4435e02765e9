/* From statements to a sample: the definition, its text, its launch. */
#include "synth/argument_order.h"
#include "synth/context.h"
#include "synth/random/parts.h"

#include <string.h>

/* ---- parameters ---- */

static int rank_of(const Synth *s, const Param *param, int order)
{
    bool is_out = param->array >= 0 && s->arrays[param->array]->role != ROLE_INPUT, is_array = param->array >= 0;
    return argument_rank(is_array, is_out, order);
}

static void order_params(Synth *s)
{
    int order = choose_argument_order(&s->rng);
    for (uint32_t i = 1; i < s->param_count; i++)
        for (uint32_t k = i; k > 0 && rank_of(s, &s->params[k], order) < rank_of(s, &s->params[k - 1], order); k--) {
            Param swapped = s->params[k];
            s->params[k] = s->params[k - 1];
            s->params[k - 1] = swapped;
        }
}

static Node *definition(Synth *s, Name name)
{
    Node *node = node_new(s, NODE_FUNCTION_DEF), *params = node_new(s, NODE_ARGUMENTS);
    node->function.name = name;
    list_reserve(s, &params->arguments.args, s->param_count);
    list_reserve(s, &node->function.body, s->body.count);
    for (uint32_t i = 0; i < s->param_count; i++) {
        Node *arg = node_new(s, NODE_ARG);
        arg->arg.name = s->params[i].name;
        arg->arg.annotation = annotation(s, s->params[i].type);
        list_push(s, &params->arguments.args, arg);
    }
    node->function.params = params;
    list_push(s, &node->function.decorators, node_wp(s, "kernel"));
    for (uint32_t i = 0; i < s->body.count; i++)
        list_push(s, &node->function.body, s->body.items[i]);
    return node;
}

/* ---- layout ---- */

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

static void lay_out(const Synth *s, const char *text, size_t len, Text *out)
{
    const size_t widest = s->style.tall ? 60 : LINE_WIDTH;
    text_reserve(out, len + len / 2);
    for (const char *line = text, *end = text + len; line < end;) {
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

/* ---- the launch, as JSON ---- */

static void write_number(Text *out, double value, const Type *type)
{
    if (type_is_float(type_scalar_of(type)))
        text_python_float(out, value);
    else
        text_int(out, (int64_t)value);
}

static void write_range(Text *out, Range range, const Type *type)
{
    text_lit(out, "\"range\": [");
    write_number(out, range.low, type);
    text_lit(out, ", ");
    write_number(out, range.high, type);
    text_char(out, ']');
}

static void write_array(Text *out, const Array *array)
{
    text_lit(out, "\"shape\": [");
    for (uint32_t i = 0; i < array->ndim; i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, array->shape[i]);
    }
    text_lit(out, "], ");
    write_range(out, array->range, array->dtype);
    if (array->sorted)
        text_lit(out, ", \"sorted\": true");
    if (array->role != ROLE_INPUT)
        text_lit(out, ", \"output\": true");
}

static void write_launch(const Synth *s, Text *out)
{
    text_lit(out, "{\"dim\": [");
    for (uint32_t i = 0; i < s->dims; i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, s->dim[i]);
    }
    text_lit(out, "], \"args\": {");
    for (uint32_t i = 0; i < s->param_count; i++) {
        const Param *param = &s->params[i];
        text_str(out, i ? ", \"" : "\"");
        text_str(out, param->name->text);
        text_lit(out, "\": {");
        if (param->array >= 0) {
            write_array(out, s->arrays[param->array]);
        } else if (param->exact) {
            text_lit(out, "\"value\": ");
            write_number(out, param->range.low, param->type);
        } else {
            write_range(out, param->range, param->type);
        }
        text_char(out, '}');
    }
    text_lit(out, "}}");
}

void finish(Synth *s, SynthSample *sample)
{
    Text *plain = &s->context->plain, *source = &s->context->source, *launch_text = &s->context->launch;
    order_params(s);
    Name name = fresh(s, "random_kernel");
    Node *module = node_new(s, NODE_MODULE);
    for (uint32_t i = 0; i < s->module.count; i++)
        list_push(s, &module->module.body, s->module.items[i]);
    sample->description = "A well-defined kernel out of random expressions and statements, for testing compilers; it "
                          "computes nothing in particular.";
    list_push(s, &module->module.body, definition(s, name));
    plain->len = source->len = launch_text->len = 0;
    unparse(module, plain);
    lay_out(s, plain->data, plain->len, source);
    write_launch(s, launch_text);
    sample->kernel_name = name->text;
    sample->source = text_cstr(source);
    sample->source_len = source->len;
    sample->launch = text_cstr(launch_text);
    sample->launch_len = launch_text->len;
    sample->arg_count = s->param_count;
    sample->arg_names = ARENA_ARRAY(s->arena, const char *, s->param_count + 1);
    sample->arg_types = ARENA_ARRAY(s->arena, const char *, s->param_count + 1);
    for (uint32_t i = 0; i < s->param_count; i++) {
        sample->arg_names[i] = s->params[i].name->text;
        sample->arg_types[i] = type_text(s, s->params[i].type);
    }
}
