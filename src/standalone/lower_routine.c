/* Syntax tree to steps: whole routines, and the comments of their source. */
#include "standalone/model.h"

#include <string.h>

/* ---- comments ---- */

static const char *line_start(const char *text, const char *at)
{
    const char *end = memrchr(text, '\n', (size_t)(at - text));
    return end ? end + 1 : text;
}

/* A backslash at the end of a line would make the next one a comment, too. */
static void add_comment_line(Text *out, const char *text, size_t length)
{
    for (bool ends = true; length && ends;) {
        char last = text[length - 1];
        bool trigraph = length > 2 && memcmp(text + length - 3, "?\?/", 3) == 0; /* a backslash, too */
        ends = trigraph || last == '\\' || (unsigned char)last <= ' ';
        length -= trigraph ? 3 : ends;
    }
    for (size_t i = 0; i < length; i++)
        text_char(out, (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i]);
    text_char(out, '\n');
}

static const char *skip(const char *at, const char *marks)
{
    return at + strspn(at, marks);
}

static const char *text_of_routine(const Translator *t)
{
    return t->current->source->code->scope->file->source->text;
}

/* The lines right above that hold nothing but a comment, without the sign; NULL: none. */
static const char *comment_above(Translator *t, const Node *node)
{
    const char *text = text_of_routine(t), *here = line_start(text, text + node->start), *first = here;
    while (first > text && *skip(line_start(text, first - 1), " \t") == '#')
        first = line_start(text, first - 1);
    Text out = text_in(t->arena);
    for (const char *at = first; at < here; at += strcspn(at, "\n") + 1) {
        const char *end = at + strcspn(at, "\n"), *word = skip(at, " \t#");
        add_comment_line(&out, word, word < end ? (size_t)(end - word) : 0);
    }
    return first < here ? text_cstr(&out) : NULL;
}

/* On the line of a statement. */
static const char *comment_behind(Translator *t, const Node *node)
{
    const char *at = skip(text_of_routine(t) + node->end, " \t)");
    if (*at != '#')
        return NULL;
    at = skip(at, "# ");
    Text out = text_in(t->arena);
    add_comment_line(&out, at, strcspn(at, "\n"));
    return arena_strndup(t->arena, out.data, out.len - 1);
}

void add_comments(Translator *t, const Node *node, Step *first, Step *last)
{
    const Func *func = t->current->source->func;
    if (func && func->code.scope->file->is_library)
        return; /* its source is another text */
    first->comment = comment_above(t, node);
    if (node->kind == NODE_ASSIGN || node->kind == NODE_AUG_ASSIGN || node->kind == NODE_EXPR)
        last->remark = comment_behind(t, node);
}

/* ---- routines ---- */

/* As a comment in C, without the empty lines at both ends. */
static const char *docstring(Translator *t, const Node *def)
{
    const NodeList *body = &def->function.body;
    const Node *first = body->count && body->items[0]->kind == NODE_EXPR ? body->items[0]->expr.value : NULL;
    if (!first || !is_text(first))
        return "";
    Text out = text_in(t->arena);
    uint32_t empty = 0; /* lines since the last one with a text */
    for (const char *at = first->constant.text, *end = at + first->constant.len, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        while (at < stop && (unsigned char)*at <= ' ')
            at++;
        empty += at == stop;
        for (; at < stop && empty; empty--)
            text_str(&out, out.len ? "// \n" : "");
        if (at < stop) {
            text_lit(&out, "// ");
            add_comment_line(&out, at, (size_t)(stop - at));
        }
    }
    return text_cstr(&out);
}

static const char *routine_name(Translator *t, const IrFunction *source)
{
    return source->is_kernel ? t->kernel_name : t->function_names[table_find(&t->functions, source->func)->number];
}

static void lower_params(Translator *t, Routine *routine)
{
    const Code *code = routine->source->code;
    routine->params = ARENA_ARRAY(t->arena, Var *, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) { /* types have their names first */
        const Type *element = element_type(strip(code->params[i].type));
        if (element->kind == TYPE_STRUCT)
            c_type(t, element);
    }
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Param *param = &code->params[i];
        const Type *type = strip(param->type);
        if (type->kind == TYPE_FUNCTION)
            continue;
        REFUSE_IF(t, code->def, type->kind == TYPE_TILE, "a function of tiles");
        REFUSE_IF(t, code->def, param->type->kind == TYPE_REF, "a parameter of the type wp.ref");
        REFUSE_IF(t, code->def, type->kind == TYPE_ARRAY && (type->array.cls != ARRAY_PLAIN || type->array.ndim > 4),
                  "the array '%s' is of a class that is not translated", param->name->text);
        Var *var = new_var(t, param->name, type, param->name->text);
        var->is_param = true;
        routine->params[routine->param_count++] = var;
    }
}

Routine *lower_routine(Translator *t, const IrFunction *source)
{
    Routine *routine = ARENA_NEW(t->arena, Routine), *outer = t->current;
    Block *outer_block = t->block;
    REFUSE_IF(t, NULL, source->func && source->func->is_snippet, "'%s' is native code", source->func->key->text);
    routine->source = source;
    routine->is_kernel = source->is_kernel;
    routine->name = routine_name(t, source);
    t->current = routine;
    lower_params(t, routine);
    routine->comment = docstring(t, source->code->def);
    lower_body(t, &routine->body, &source->code->def->function.body);
    ARENA_PUSH(t->arena, t->routines.items, t->routines.count, t->routines.cap) = routine;
    if (!routine->is_kernel)
        table_find(&t->functions, source->func)->item = routine;
    if (routine->result_count > 1) /* one struct holds them */
        routine->result_struct =
            arena_join(t->arena, routine->name, t->library->loading_wide ? "_result_d" : "_result");
    t->current = outer;
    t->block = outer_block;
    return routine;
}

Routine *routine_of_func(Translator *t, const Func *func, const Node *at)
{
    const TableSlot *slot = table_find(&t->functions, func);
    if (!slot)
        refuse(t, at, "the function '%s' was not built", func->key->text);
    return slot->item ? slot->item : lower_routine(t, t->module->functions[slot->number]);
}
