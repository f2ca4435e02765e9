/* Syntax tree to steps: print, printf, assert and the checks of wp.expect_…, all of which become printf(). */
#include "standalone/model.h"

#include <string.h>

/* A text as it stands in a literal of C; `is_format`: what follows a percent sign means something. */
static const char *literal_text(Translator *t, const char *text, size_t length, bool is_format)
{
    Text out = text_in(t->arena);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            text_lit(&out, "\\n");
        else if (c == '"' || c == '\\' || c == '?') /* two question marks could be a trigraph */
            text_format(&out, "\\%c", c);
        else if (c < ' ' || c > '~')
            text_format(&out, "\\%03o", c);
        else
            text_format(&out, c == '%' && !is_format ? "%%%%" : "%c", c);
    }
    return text_cstr(&out);
}

static void message_step(Translator *t, const char *format, Term *const *values, uint32_t count)
{
    new_step(t, STEP_PRINT, values, count)->format = arena_format(t->arena, "\"%s\"", format);
}

static const char *conversion(const Type *type)
{
    if (type_is_float(type))
        return "%g";
    switch (type->kind) {
    case TYPE_BOOL: return "%s";
    case TYPE_INT64: return "%lld";
    case TYPE_UINT64:
    case TYPE_HANDLE: return "%llu";
    case TYPE_UINT32: return "%u";
    default: return "%d";
    }
}

bool is_text(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_STR;
}

/* print(value): its parts in a line, a matrix row by row. */
static void lower_print(Translator *t, const Node *node)
{
    const Node *arg = node->call.args.count == 1 ? node->call.args.items[0] : NULL;
    const char *format = "";
    REFUSE_IF(t, node, !arg || node->call.keywords.count, "print() of anything but one value is not translated");
    if (is_text(arg)) {
        format = literal_text(t, arg->constant.text, arg->constant.len, false);
        message_step(t, arena_join(t->arena, format, "\\n"), NULL, 0);
        return;
    }
    Term *value = to_term(t, arg), *parts[MAX_ARGS];
    const Type *type = value->type;
    uint32_t count = type ? type_parts(type) : 0;
    REFUSE_IF(t, node, !count || count > MAX_ARGS || !type_is_value(type) || type->kind == TYPE_STRUCT,
              "print() of this type is not translated");
    bool composite = type_is_composite(type);
    if (composite && value->kind != TERM_VAR)
        value = hoist(t, value, "value");
    uint32_t cols = composite && type->kind == TYPE_MAT ? type->composite.cols : count;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = composite ? part_term(t, value, i) : value;
        format =
            arena_format(t->arena, "%s%s%s", format, conversion(type_scalar_of(type)), (i + 1) % cols ? " " : "\\n");
    }
    message_step(t, format, parts, count);
}

static void lower_printf(Translator *t, const Node *node)
{
    const NodeList *args = &node->call.args;
    const Node *first = args->count ? args->items[0] : NULL;
    REFUSE_IF(t, node, !first || !is_text(first) || node->call.keywords.count, "printf() needs its text right here");
    REFUSE_IF(t, node, args->count > MAX_ARGS, "too many arguments");
    Term *values[MAX_ARGS];
    for (uint32_t i = 1; i < args->count; i++) {
        values[i - 1] = to_term(t, args->items[i]);
        REFUSE_IF(t, args->items[i], !values[i - 1]->type || !type_is_scalar(values[i - 1]->type),
                  "printf() of this type is not translated");
    }
    message_step(t, literal_text(t, first->constant.text, first->constant.len, true), values, args->count - 1);
}

/* A message with the line where something does not hold. `what` is part of a literal. */
static void complain_if(Translator *t, Term *condition, const Node *node, const char *what)
{
    uint32_t line = source_position(t->current->source->code->scope->file->source, node->start).line;
    Step *step = new_step(t, STEP_IF, &condition, 1);
    Block *outer = t->block;
    t->block = &step->body;
    message_step(t, arena_format(t->arena, "line %u: %s does not hold\\n", line, what), NULL, 0);
    t->block = outer;
}

/* wp.expect_eq(a, b) and the like. */
static void lower_expect(Translator *t, const Node *node, const char *name)
{
    const Type *type = type_scalar(TYPE_BOOL);
    const NodeList *args = &node->call.args;
    bool is_near = strcmp(name, "expect_near") == 0;
    REFUSE_IF(t, node, args->count < 2 || args->count > (is_near ? 3u : 2u) || node->call.keywords.count,
              "this call is not translated");
    Term *pair[] = {to_term(t, args->items[0]), to_term(t, args->items[1])};
    const char *compared = strcmp(name, "expect_eq") == 0 ? "!=" : "==";
    if (is_near) {
        const Type *number = pair[0]->type;
        REFUSE_IF(t, node, !type_is_float(number), "expect_near() of this type is not translated");
        Term *distance = op_term(t, "sub", pair, 2, number, node);
        pair[1] = args->count > 2 ? to_term(t, args->items[2]) : real_term(t, number, 1e-6);
        pair[0] = op_term(t, "abs", &distance, 1, number, node);
        compared = ">";
    }
    complain_if(t, op_term(t, compared, pair, 2, type, node), node, arena_format(t->arena, "wp.%s()", name));
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
    const char *text = literal_text(t, t->current->source->code->scope->file->source->text + test->start,
                                    test->end - test->start, false);
    complain_if(t, op_term(t, "unot", &condition, 1, type_scalar(TYPE_BOOL), node), node,
                arena_join(t->arena, "assert ", text));
}
