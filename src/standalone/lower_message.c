/* Syntax tree to steps: print, printf, assert and the checks of wp.expect_…, all of which become printf(). */
#include "standalone/model.h"

#include <string.h>

/* A text as a literal of C; `is_format`: what follows a percent sign means something. */
static void add_literal(Text *out, const char *text, size_t length, bool is_format)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            text_lit(out, "\\n");
        else if (c == '"' || c == '\\' || c == '?') /* two question marks could be a trigraph */
            text_format(out, "\\%c", c);
        else if (c < ' ' || c > '~')
            text_format(out, "\\%03o", c);
        else
            text_str(out, c == '%' && !is_format ? "%%" : (char[]){(char)c, '\0'});
    }
}

static Step *message_step(Translator *t, const Text *format, Term **values, uint32_t count)
{
    Step *step = new_step(t, STEP_PRINT);
    step->format = arena_format(t->arena, "\"%.*s\"", (int)format->len, format->data ? format->data : "");
    step->values = ARENA_ARRAY(t->arena, Term *, count);
    if (count)
        memcpy(step->values, values, count * sizeof *values);
    step->count = count;
    return step;
}

static const char *conversion(const Type *type)
{
    if (type->kind == TYPE_BOOL)
        return "%s";
    if (type_is_float(type))
        return "%g";
    switch (type->kind) {
    case TYPE_INT64: return "%lld";
    case TYPE_UINT64:
    case TYPE_HANDLE: return "%llu";
    case TYPE_UINT32: return "%u";
    default: return "%d";
    }
}

/* print(value): its parts in a line, a matrix row by row. */
static void lower_print(Translator *t, const Node *node)
{
    const Node *arg = node->call.args.count == 1 ? node->call.args.items[0] : NULL;
    Text format;
    text_init_in(&format, t->arena);
    if (!arg || node->call.keywords.count)
        refuse(t, node, "print() of anything but one value is not translated");
    if (arg->kind == NODE_CONSTANT && arg->constant.kind == CONSTANT_STR) {
        add_literal(&format, arg->constant.text, arg->constant.len, false);
        text_lit(&format, "\\n");
        message_step(t, &format, NULL, 0);
        return;
    }
    Term *value = to_term(t, arg), *parts[MAX_ARGS];
    uint32_t count = value->type ? parts_of(value->type) : 0;
    if (!count || count > MAX_ARGS || !(type_is_value(value->type) && value->type->kind != TYPE_STRUCT))
        refuse(t, node, "print() of this type is not translated");
    bool composite = type_is_composite(value->type);
    if (composite && value->kind != TERM_VAR)
        value = hoist(t, value, "value");
    uint32_t cols = composite && value->type->kind == TYPE_MAT ? value->type->composite.cols : count;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = composite ? part_term(t, value, i) : value;
        text_str(&format, conversion(type_scalar_of(value->type)));
        text_str(&format, (i + 1) % cols ? " " : "\\n");
    }
    message_step(t, &format, parts, count);
}

static void lower_printf(Translator *t, const Node *node)
{
    const NodeList *args = &node->call.args;
    const Node *first = args->count ? args->items[0] : NULL;
    if (!first || first->kind != NODE_CONSTANT || first->constant.kind != CONSTANT_STR || node->call.keywords.count)
        refuse(t, node, "printf() needs its text right here");
    if (args->count > MAX_ARGS)
        refuse(t, node, "too many arguments");
    Text format;
    text_init_in(&format, t->arena);
    add_literal(&format, first->constant.text, first->constant.len, true);
    Term *values[MAX_ARGS];
    for (uint32_t i = 1; i < args->count; i++) {
        values[i - 1] = to_term(t, args->items[i]);
        if (!values[i - 1]->type || !type_is_scalar(values[i - 1]->type))
            refuse(t, args->items[i], "printf() of this type is not translated");
    }
    message_step(t, &format, values, args->count - 1);
}

/* A message with the line where something does not hold. `what` is part of a literal. */
static void complain_if(Translator *t, Term *condition, const Node *node, const Text *what)
{
    Step *step = new_step(t, STEP_IF);
    step->value = condition;
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, "line %u: %.*s does not hold\\n", source_position(t->unit->main->source, node->start).line,
                (int)what->len, what->data);
    Block *outer = t->block;
    t->block = &step->body;
    message_step(t, &text, NULL, 0);
    t->block = outer;
}

/* wp.expect_eq(a, b) and the like. */
static void lower_expect(Translator *t, const Node *node, const char *name)
{
    const Type *type = type_scalar(TYPE_BOOL);
    const NodeList *args = &node->call.args;
    bool is_near = strcmp(name, "expect_near") == 0;
    if (args->count < 2 || args->count > (is_near ? 3u : 2u) || node->call.keywords.count)
        refuse(t, node, "this call is not translated");
    Term *pair[] = {to_term(t, args->items[0]), to_term(t, args->items[1])}, *differs;
    if (is_near) {
        const Type *number = pair[0]->type;
        if (!type_is_float(number))
            refuse(t, node, "expect_near() of this type is not translated");
        Term *distance = op_term(t, "sub", pair, 2, number, node);
        Term *tolerance =
            args->count > 2 ? to_term(t, args->items[2]) : literal_term(t, number, number_text(t, 1e-6, number->kind));
        Term *compared[] = {op_term(t, "abs", &distance, 1, number, node), tolerance};
        differs = op_term(t, ">", compared, 2, type, node);
    } else
        differs = op_term(t, strcmp(name, "expect_eq") == 0 ? "!=" : "==", pair, 2, type, node);
    Text name_text;
    text_init_in(&name_text, t->arena);
    text_format(&name_text, "wp.%s()", name);
    complain_if(t, differs, node, &name_text);
}

void lower_message(Translator *t, const Node *node, const char *name)
{
    if (strcmp(name, "print") == 0)
        lower_print(t, node);
    else if (strcmp(name, "printf") == 0)
        lower_printf(t, node);
    else if (strncmp(name, "expect_", 7) == 0)
        lower_expect(t, node, name);
    else
        refuse(t, node, "wp.%s() is not translated", name);
}

/* Nothing ends here: outside of debug mode, Warp goes on, too. */
void lower_assert(Translator *t, const Node *node)
{
    const Node *test = node->assert_stmt.test;
    Term *condition = to_term(t, test);
    Text text;
    text_init_in(&text, t->arena);
    text_lit(&text, "assert ");
    add_literal(&text, t->unit->main->source->text + test->start, test->end - test->start, false);
    complain_if(t, op_term(t, "unot", &condition, 1, type_scalar(TYPE_BOOL), node), node, &text);
}
