/* Statements as text, and the entry point. */
#include "front/unparse_impl.h"

enum { INDENT_WIDTH = 4 };

static void write_statement(Unparser *u, const Node *node);

/* ---- lines and blocks ---- */

static void begin_line(Unparser *u)
{
    text_pad(u->out, ' ', (size_t)u->indent * INDENT_WIDTH);
}

static bool is_definition(const Node *node)
{
    return node->kind == NODE_FUNCTION_DEF || node->kind == NODE_ASYNC_FUNCTION_DEF || node->kind == NODE_CLASS_DEF;
}

static bool is_string_statement(const Node *node)
{
    return node->kind == NODE_EXPR && node->expr.value->kind == NODE_CONSTANT &&
           node->expr.value->constant.kind == CONSTANT_STR;
}

/* `documented`: a string that comes first is a docstring. */
static void write_statements(Unparser *u, const NodeList *body, bool documented)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        if (i > 0 && (is_definition(node) || is_definition(body->items[i - 1])))
            text_str(u->out, u->indent ? "\n" : "\n\n");
        if (i == 0 && documented && is_string_statement(node)) {
            begin_line(u);
            write_docstring(u, node->expr.value);
            text_char(u->out, '\n');
        } else {
            write_statement(u, node);
        }
    }
}

/* The colon, the end of the line and the indented statements. */
static void write_block(Unparser *u, const NodeList *body, bool documented)
{
    text_lit(u->out, ":\n");
    u->indent++;
    write_statements(u, body, documented);
    if (!body->count) {
        begin_line(u);
        text_lit(u->out, "pass\n");
    }
    u->indent--;
}

/* `else:` and `finally:`, where there is something in them. */
static void write_clause(Unparser *u, const char *word, const NodeList *body)
{
    if (!body->count)
        return;
    begin_line(u);
    text_str(u->out, word);
    write_block(u, body, false);
}

static void write_optional(Unparser *u, const char *before, const Node *node, Level level)
{
    if (!node)
        return;
    text_str(u->out, before);
    write_expression(u, node, level);
}

/* ---- definitions ---- */

static void write_decorators(Unparser *u, const NodeList *decorators)
{
    for (uint32_t i = 0; i < decorators->count; i++) {
        begin_line(u);
        text_char(u->out, '@');
        write_expression(u, decorators->items[i], LEVEL_NAMED);
        text_char(u->out, '\n');
    }
}

static void write_function(Unparser *u, const Node *node)
{
    write_decorators(u, &node->function.decorators);
    begin_line(u);
    text_str(u->out, node->kind == NODE_ASYNC_FUNCTION_DEF ? "async def " : "def ");
    write_name(u, node->function.name);
    text_char(u->out, '(');
    if (node->function.params)
        write_parameters(u, node->function.params);
    text_char(u->out, ')');
    write_optional(u, " -> ", node->function.returns, LEVEL_TEST);
    write_block(u, &node->function.body, true);
}

static void write_class(Unparser *u, const Node *node)
{
    write_decorators(u, &node->class_def.decorators);
    begin_line(u);
    text_lit(u->out, "class ");
    write_name(u, node->class_def.name);
    if (node->class_def.bases.count || node->class_def.keywords.count) {
        text_char(u->out, '(');
        write_arguments(u, &node->class_def.bases, &node->class_def.keywords, false);
        text_char(u->out, ')');
    }
    write_block(u, &node->class_def.body, true);
}

/* ---- compound statements ---- */

static void write_if(Unparser *u, const Node *node)
{
    text_lit(u->out, "if ");
    for (;;) {
        write_expression(u, node->if_stmt.test, LEVEL_NAMED);
        write_block(u, &node->if_stmt.body, false);
        const NodeList *orelse = &node->if_stmt.orelse;
        if (orelse->count != 1 || orelse->items[0]->kind != NODE_IF)
            break;
        node = orelse->items[0];
        begin_line(u);
        text_lit(u->out, "elif ");
    }
    write_clause(u, "else", &node->if_stmt.orelse);
}

static void write_for(Unparser *u, const Node *node)
{
    text_str(u->out, node->kind == NODE_ASYNC_FOR ? "async for " : "for ");
    write_expression(u, node->for_loop.target, LEVEL_STAR);
    text_lit(u->out, " in ");
    write_expression(u, node->for_loop.iter, LEVEL_STAR);
    write_block(u, &node->for_loop.body, false);
    write_clause(u, "else", &node->for_loop.orelse);
}

static void write_while(Unparser *u, const Node *node)
{
    text_lit(u->out, "while ");
    write_expression(u, node->while_loop.test, LEVEL_NAMED);
    write_block(u, &node->while_loop.body, false);
    write_clause(u, "else", &node->while_loop.orelse);
}

static void write_with_item(Unparser *u, const Node *node)
{
    write_expression(u, node->with_item.context, LEVEL_TEST);
    write_optional(u, " as ", node->with_item.vars, LEVEL_ATOM);
}

static void write_with(Unparser *u, const Node *node)
{
    const NodeList *items = &node->with.items;
    text_str(u->out, node->kind == NODE_ASYNC_WITH ? "async with " : "with ");
    /* `with (a, b):` would be two items, not a tuple. */
    const Node *first = items->count == 1 ? items->items[0] : NULL;
    bool lone_tuple = first && !first->with_item.vars && first->with_item.context->kind == NODE_TUPLE;
    if (lone_tuple)
        text_char(u->out, '(');
    for (uint32_t i = 0; i < items->count; i++) {
        if (i > 0)
            text_lit(u->out, ", ");
        write_with_item(u, items->items[i]);
    }
    if (lone_tuple)
        text_char(u->out, ')');
    write_block(u, &node->with.body, false);
}

static void write_handler(Unparser *u, const Node *node, bool is_star)
{
    begin_line(u);
    text_str(u->out, is_star ? "except*" : "except");
    write_optional(u, " ", node->handler.type, LEVEL_TEST);
    if (node->handler.name) {
        text_lit(u->out, " as ");
        write_name(u, node->handler.name);
    }
    write_block(u, &node->handler.body, false);
}

static void write_try(Unparser *u, const Node *node)
{
    text_lit(u->out, "try");
    write_block(u, &node->try_stmt.body, false);
    for (uint32_t i = 0; i < node->try_stmt.handlers.count; i++)
        write_handler(u, node->try_stmt.handlers.items[i], node->kind == NODE_TRY_STAR);
    write_clause(u, "else", &node->try_stmt.orelse);
    write_clause(u, "finally", &node->try_stmt.finalbody);
}

/* ---- match ---- */

/* Where a pattern stands decides what it may be without parentheses. */
typedef enum PatternPlace { PLACE_ANY, PLACE_OR, PLACE_CLOSED } PatternPlace;

static void write_pattern(Unparser *u, const Node *node, PatternPlace place);

static void write_patterns(Unparser *u, const NodeList *parts, uint32_t from)
{
    for (uint32_t i = from; i < parts->count; i++) {
        if (i > from)
            text_lit(u->out, ", ");
        write_pattern(u, parts->items[i], PLACE_ANY);
    }
}

static void write_class_pattern(Unparser *u, const Node *node)
{
    const NodeList *parts = &node->pattern.parts;
    uint32_t first_keyword = parts->count - node->pattern.keyword_count;
    write_expression(u, parts->items[0], LEVEL_ATOM);
    text_char(u->out, '(');
    for (uint32_t i = 1; i < parts->count; i++) {
        if (i > 1)
            text_lit(u->out, ", ");
        if (i >= first_keyword) {
            write_name(u, node->pattern.keywords[i - first_keyword]);
            text_char(u->out, '=');
        }
        write_pattern(u, parts->items[i], PLACE_ANY);
    }
    text_char(u->out, ')');
}

static void write_mapping_pattern(Unparser *u, const Node *node)
{
    uint32_t count = node->pattern.parts.count / 2;
    text_char(u->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_lit(u->out, ", ");
        write_expression(u, node->pattern.parts.items[i], LEVEL_SUM);
        text_lit(u->out, ": ");
        write_pattern(u, node->pattern.parts.items[count + i], PLACE_ANY);
    }
    if (node->pattern.name) {
        text_str(u->out, count ? ", **" : "**");
        write_name(u, node->pattern.name);
    }
    text_char(u->out, '}');
}

static void write_name_or_wildcard(Unparser *u, Name name)
{
    if (name)
        write_name(u, name);
    else
        text_char(u->out, '_');
}

static void write_bare_pattern(Unparser *u, const Node *node)
{
    const NodeList *parts = &node->pattern.parts;
    switch (node->pattern.kind) {
    case PATTERN_VALUE:
    case PATTERN_SINGLETON: write_expression(u, parts->items[0], LEVEL_SUM); break;
    case PATTERN_SEQUENCE:
        text_char(u->out, '[');
        write_patterns(u, parts, 0);
        text_char(u->out, ']');
        break;
    case PATTERN_MAPPING: write_mapping_pattern(u, node); break;
    case PATTERN_CLASS: write_class_pattern(u, node); break;
    case PATTERN_STAR:
        text_char(u->out, '*');
        write_name_or_wildcard(u, node->pattern.name);
        break;
    case PATTERN_AS:
        if (parts->count) {
            write_pattern(u, parts->items[0], PLACE_OR);
            text_lit(u->out, " as ");
        }
        write_name_or_wildcard(u, node->pattern.name);
        break;
    case PATTERN_OR:
        for (uint32_t i = 0; i < parts->count; i++) {
            if (i > 0)
                text_lit(u->out, " | ");
            write_pattern(u, parts->items[i], PLACE_CLOSED);
        }
        break;
    }
}

static void write_pattern(Unparser *u, const Node *node, PatternPlace place)
{
    bool bound = node->pattern.kind == PATTERN_AS && node->pattern.parts.count;
    bool parentheses = (bound && place != PLACE_ANY) || (node->pattern.kind == PATTERN_OR && place == PLACE_CLOSED);
    if (parentheses)
        text_char(u->out, '(');
    write_bare_pattern(u, node);
    if (parentheses)
        text_char(u->out, ')');
}

static void write_case(Unparser *u, const Node *node)
{
    begin_line(u);
    text_lit(u->out, "case ");
    write_pattern(u, node->match_case.pattern, PLACE_ANY);
    write_optional(u, " if ", node->match_case.guard, LEVEL_NAMED);
    write_block(u, &node->match_case.body, false);
}

static void write_match(Unparser *u, const Node *node)
{
    text_lit(u->out, "match ");
    write_expression(u, node->match.subject, LEVEL_NAMED);
    text_lit(u->out, ":\n");
    u->indent++;
    for (uint32_t i = 0; i < node->match.cases.count; i++)
        write_case(u, node->match.cases.items[i]);
    u->indent--;
}

/* ---- simple statements ---- */

static const char *const op_symbols[OP_KIND_COUNT] = {
#define OP(kind, python_class, symbol, precedence, builtin) [OP_##kind] = symbol,
#include "lang/op.def"
#undef OP
};

static void write_assign(Unparser *u, const Node *node)
{
    for (uint32_t i = 0; i < node->assign.targets.count; i++) {
        write_expression(u, node->assign.targets.items[i], LEVEL_STAR);
        text_lit(u->out, " = ");
    }
    write_expression(u, node->assign.value, LEVEL_ANY);
}

static void write_ann_assign(Unparser *u, const Node *node)
{
    const Node *target = node->ann_assign.target;
    bool parentheses = target->kind == NODE_NAME && !node->ann_assign.simple;
    if (parentheses)
        text_char(u->out, '(');
    write_expression(u, target, LEVEL_ATOM);
    if (parentheses)
        text_char(u->out, ')');
    text_lit(u->out, ": ");
    write_expression(u, node->ann_assign.annotation, LEVEL_TEST);
    write_optional(u, " = ", node->ann_assign.value, LEVEL_ANY);
}

static void write_alias(Unparser *u, const Node *node)
{
    write_name(u, node->alias.name);
    if (node->alias.asname) {
        text_lit(u->out, " as ");
        write_name(u, node->alias.asname);
    }
}

static void write_aliases(Unparser *u, const NodeList *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (i > 0)
            text_lit(u->out, ", ");
        write_alias(u, names->items[i]);
    }
}

static void write_import_from(Unparser *u, const Node *node)
{
    text_lit(u->out, "from ");
    text_pad(u->out, '.', node->import_from.level);
    write_name(u, node->import_from.module);
    text_lit(u->out, " import ");
    write_aliases(u, &node->import_from.names);
}

static void write_name_list(Unparser *u, const char *word, const Node *node)
{
    text_str(u->out, word);
    for (uint32_t i = 0; i < node->names.count; i++) {
        text_str(u->out, i > 0 ? ", " : " ");
        write_name(u, node->names.items[i]);
    }
}

static void write_simple(Unparser *u, const Node *node)
{
    switch (node->kind) {
    case NODE_RETURN:
        text_lit(u->out, "return");
        write_optional(u, " ", node->ret.value, LEVEL_STAR);
        break;
    case NODE_DELETE:
        text_lit(u->out, "del ");
        write_expressions(u, &node->del.targets, LEVEL_ATOM);
        break;
    case NODE_ASSIGN: write_assign(u, node); break;
    case NODE_AUG_ASSIGN:
        write_expression(u, node->aug_assign.target, LEVEL_ATOM);
        text_char(u->out, ' ');
        text_str(u->out, op_symbols[node->aug_assign.op]);
        text_lit(u->out, "= ");
        write_expression(u, node->aug_assign.value, LEVEL_ANY);
        break;
    case NODE_ANN_ASSIGN: write_ann_assign(u, node); break;
    case NODE_RAISE:
        text_lit(u->out, "raise");
        write_optional(u, " ", node->raise.exc, LEVEL_TEST);
        write_optional(u, " from ", node->raise.cause, LEVEL_TEST);
        break;
    case NODE_ASSERT:
        text_lit(u->out, "assert ");
        write_expression(u, node->assert_stmt.test, LEVEL_TEST);
        write_optional(u, ", ", node->assert_stmt.message, LEVEL_TEST);
        break;
    case NODE_IMPORT:
        text_lit(u->out, "import ");
        write_aliases(u, &node->import.names);
        break;
    case NODE_IMPORT_FROM: write_import_from(u, node); break;
    case NODE_GLOBAL: write_name_list(u, "global", node); break;
    case NODE_NONLOCAL: write_name_list(u, "nonlocal", node); break;
    case NODE_EXPR: write_expression(u, node->expr.value, LEVEL_ANY); break;
    case NODE_PASS: text_lit(u->out, "pass"); break;
    case NODE_BREAK: text_lit(u->out, "break"); break;
    case NODE_CONTINUE: text_lit(u->out, "continue"); break;
    case NODE_TYPE_ALIAS:
        text_lit(u->out, "type ");
        write_name(u, node->type_alias.name);
        write_optional(u, " = ", node->type_alias.value, LEVEL_TEST);
        break;
    default: break;
    }
    text_char(u->out, '\n');
}

/* ---- dispatch ---- */

static void write_statement(Unparser *u, const Node *node)
{
    if (is_definition(node)) {
        node->kind == NODE_CLASS_DEF ? write_class(u, node) : write_function(u, node);
        return;
    }
    begin_line(u);
    switch (node->kind) {
    case NODE_IF: write_if(u, node); break;
    case NODE_FOR:
    case NODE_ASYNC_FOR: write_for(u, node); break;
    case NODE_WHILE: write_while(u, node); break;
    case NODE_WITH:
    case NODE_ASYNC_WITH: write_with(u, node); break;
    case NODE_TRY:
    case NODE_TRY_STAR: write_try(u, node); break;
    case NODE_MATCH: write_match(u, node); break;
    default: write_simple(u, node); break;
    }
}

static void write_piece(Unparser *u, const Node *node)
{
    text_reserve(u->out, 1); /* so that even an empty piece has a place to go */
    switch (node->kind) {
    case NODE_MODULE: write_statements(u, &node->module.body, true); return;
    case NODE_ALIAS: write_alias(u, node); return;
    case NODE_WITH_ITEM: write_with_item(u, node); return;
    case NODE_MATCH_CASE: write_case(u, node); return;
    case NODE_PATTERN: write_pattern(u, node, PLACE_ANY); return;
    case NODE_EXCEPT_HANDLER: write_handler(u, node, false); return;
    default: break;
    }
    switch (node_family(node->kind)) {
    case 's': write_statement(u, node); break;
    case 'e': write_expression(u, node, LEVEL_ANY); break;
    default: write_helper(u, node); break;
    }
}

void unparse(const Node *node, Text *out)
{
    write_piece(&(Unparser){.out = out}, node);
}

void unparse_readable(const Node *node, Text *out)
{
    write_piece(&(Unparser){.out = out, .readable = true}, node);
}
