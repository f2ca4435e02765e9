/* From statements to a sample: the definition, its text, its description, its launch. */
#include "synth/argument_order.h"
#include "synth/context.h"
#include "synth/random.h"

#include <ctype.h>
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

/* ---- words ---- */

/* "a", "a and b", "a, b and c" of up to `max` parameters that are (or are not) outputs. */
static const char *list_params(Synth *s, bool outputs, uint32_t max)
{
    const char *names[4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->param_count && count < max && count < 4; i++) {
        const Param *param = &s->params[i];
        bool is_out = param->array >= 0 && s->arrays[param->array]->role != ROLE_INPUT;
        if (is_out == outputs && (outputs || param->array >= 0))
            names[count++] = param->name->text;
    }
    if (!count)
        return NULL;
    const char *text = names[0];
    for (uint32_t i = 1; i < count; i++)
        text = arena_format(s->arena, "%s%s%s", text, i + 1 == count ? " and " : ", ", names[i]);
    return text;
}

static const char *join_facts(Synth *s)
{
    const char *text = s->facts[0];
    uint32_t count = s->fact_count < 3 ? s->fact_count : 3;
    for (uint32_t i = 1; i < count; i++)
        text = arena_format(s->arena, "%s%s%s", text, i + 1 == count ? " and " : ", ", s->facts[i]);
    return text;
}

static const char *where_it_runs(Synth *s)
{
    const char *entity = s->entity ? s->entity : theme_entity(s);
    if (!*entity)
        return "";
    if (s->dims == 1)
        return arena_format(s->arena, PICK(s, "for each %s", "for every %s", "per %s"), entity);
    return arena_format(s->arena, PICK(s, "for each %s of a %u-D grid", "at every %s of a %u-D grid"), entity, s->dims);
}

static const char *describe(Synth *s)
{
    const char *outs = list_params(s, true, 3), *ins = list_params(s, false, 3), *at = where_it_runs(s);
    const char *text;
    if (s->description) {
        text = arena_format(s->arena, *at ? "%s %s" : "%s", s->description, at);
        if (chance(s, 0.4) && outs)
            text = arena_format(s->arena,
                                PICK(s, "%s and writes it to %s", "%s, stored in %s", "%s, with the result in %s"),
                                text, outs);
    } else if (s->fact_count) {
        text = arena_format(s->arena,
                            PICK(s, "%s, %s, and updates %s", "%s %s, then writes %s", "%s, %s before writing %s"), at,
                            join_facts(s), outs ? outs : "its outputs");
    } else if (ins) {
        text = arena_format(s->arena,
                            PICK(s, "computes %s %s from %s", "evaluates %s %s using %s", "derives %s %s out of %s",
                                 "fills %s %s with a combination of %s"),
                            outs ? outs : "the outputs", at, ins);
    } else {
        text = arena_format(s->arena, "computes %s %s", outs ? outs : "the outputs", at);
    }
    char *sentence = arena_format(s->arena, "%s.", text);
    sentence[0] = (char)toupper((unsigned char)sentence[0]);
    return sentence;
}

/* ---- names ---- */

/* Does a kernel's stem say by its first or last word that something is done? Then it needs no word more. */
static bool says_what_it_does(const char *stem)
{
    static const char *const verbs[] = {
        "accumulate", "activate",    "advance",   "align",     "apply",  "assemble", "attract", "cast",      "collect",
        "compute",    "decompose",   "deposit",   "draw",      "encode", "eval",     "filter",  "fold",      "hash",
        "integrate",  "interpolate", "intersect", "label",     "march",  "measure",  "merge",   "normalize", "pack",
        "project",    "reduce",      "relax",     "resolve",   "rotate", "sample",   "scatter", "smooth",    "solve",
        "summarize",  "sweep",       "trace",     "transform", "update"};
    size_t first = strcspn(stem, "_");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (verbs[i][0] == stem[0] && strncmp(verbs[i], stem, first) == 0 && !verbs[i][first])
            return true;
    const char *last = strrchr(stem, '_');
    return last && (same_text(last, "_pass") || same_text(last, "_step"));
}

static Name kernel_name(Synth *s)
{
    static const char *const verbs[] = {"compute",  "update", "evaluate", "apply",  "process", "advance",
                                        "estimate", "blend",  "refresh",  "derive", "resolve", "gather"};
    const char *stem = s->kernel_stem;
    if (stem)
        return fresh(
            s, about(s, stem, says_what_it_does(stem) ? "*|*_kernel" : "*|*_kernel|compute_*|*_pass|eval_*|*_step"));
    const char *first = NULL, *second = NULL;
    for (uint32_t i = 0; i < s->param_count; i++) {
        const Param *param = &s->params[i];
        if (param->array < 0)
            continue;
        if (s->arrays[param->array]->role == ROLE_INPUT)
            first = first && chance(s, 0.5) ? first : param->name->text;
        else
            second = param->name->text;
    }
    if (!first || (second && strlen(second) > 7 && chance(s, 0.4)))
        first = second ? second : "values";
    first = bare_word(s, first);
    char *entity = arena_strndup(s->arena, theme_entity(s), strlen(theme_entity(s)));
    for (char *c = entity; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    const char *verb = verbs[below(s, 12)];
    return fresh(s, chance(s, 0.5)
                        ? arena_format(s->arena, "%s_%s", verb, first)
                        : arena_format(s->arena, "%s_%s_%s|%s_%s_per_%s", verb, entity, first, verb, first, entity));
}

static Node *string_statement(Synth *s, const char *text)
{
    Node *node = node_new(s, NODE_EXPR), *string = node_new(s, NODE_CONSTANT);
    string->constant.kind = CONSTANT_STR;
    string->constant.text = text;
    string->constant.len = (uint32_t)strlen(text);
    node->expr.value = string;
    return node;
}

/* Above a statement, sometimes, what the description says of it: "sums 4 terms" becomes "# sum 4 terms". */
static void remark(Synth *s, const Node *statement, NodeList *body)
{
    if (!s->style.comments)
        return;
    for (uint32_t i = 0; i < s->fact_count; i++)
        if (s->fact_nodes[i] == statement && chance(s, 0.5)) {
            const char *fact = s->facts[i], *rest = fact + strcspn(fact, " ");
            list_push(s, body, comment_node(s, arena_format(s->arena, "%.*s%s", (int)(rest - fact) - 1, fact, rest)));
            return;
        }
}

static Node *definition(Synth *s, Name name)
{
    Node *node = node_new(s, NODE_FUNCTION_DEF), *params = node_new(s, NODE_ARGUMENTS);
    node->function.name = name;
    list_reserve(s, &params->arguments.args, s->param_count);
    list_reserve(s, &node->function.body, s->body.count + 1);
    for (uint32_t i = 0; i < s->param_count; i++) {
        Node *arg = node_new(s, NODE_ARG);
        arg->arg.name = s->params[i].name;
        arg->arg.annotation = annotation(s, s->params[i].type);
        list_push(s, &params->arguments.args, arg);
    }
    node->function.params = params;
    list_push(s, &node->function.decorators, node_wp(s, "kernel"));
    if (s->style.docstring)
        list_push(s, &node->function.body, string_statement(s, describe(s)));
    for (uint32_t i = 0; i < s->body.count; i++) {
        remark(s, s->body.items[i], &node->function.body);
        list_push(s, &node->function.body, s->body.items[i]);
    }
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

static void write_fields(Text *out, const Struct *strukt)
{
    text_lit(out, "\"fields\": {");
    for (uint32_t i = 0; i < strukt->field_count; i++) {
        text_str(out, i ? ", \"" : "\"");
        text_str(out, strukt->fields[i].name->text);
        text_lit(out, "\": {");
        write_range(out, strukt->fields[i].range, strukt->fields[i].type);
        text_char(out, '}');
    }
    text_char(out, '}');
}

static const Struct *struct_of(const Synth *s, const Type *type)
{
    for (uint32_t i = 0; i < s->struct_count; i++)
        if (s->structs[i].type == type)
            return &s->structs[i];
    return NULL;
}

static void write_array(const Synth *s, Text *out, const Array *array)
{
    text_lit(out, "\"shape\": [");
    for (uint32_t i = 0; i < array->ndim; i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, array->shape[i]);
    }
    text_lit(out, "], ");
    if (array->dtype->kind == TYPE_STRUCT)
        write_fields(out, struct_of(s, array->dtype));
    else
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
            write_array(s, out, s->arrays[param->array]);
        } else if (param->strukt >= 0) {
            write_fields(out, &s->structs[param->strukt]);
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
    Name name = kernel_name(s);
    Node *module = node_new(s, NODE_MODULE);
    for (uint32_t i = 0; i < s->module.count; i++)
        list_push(s, &module->module.body, s->module.items[i]);
    sample->description = describe(s);
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
