#include "report/overview.h"

#include "front/parser.h"

#include <setjmp.h>
#include <string.h>

const RealSize real_sizes[SIZE_COUNT] = {
#define REAL_SIZE(kind, title, p5, p25, p50, p75, p90, p99) {#kind, title, p5, p25, p50, p75, p90, p99},
#define REAL_BUILTIN(name, share)
#include "report/real.def"
#undef REAL_SIZE
#undef REAL_BUILTIN
};

const RealBuiltin real_builtins[BUILTIN_COUNT] = {
#define REAL_SIZE(kind, title, p5, p25, p50, p75, p90, p99)
#define REAL_BUILTIN(name, share) {#name, share},
#include "report/real.def"
#undef REAL_SIZE
#undef REAL_BUILTIN
};

typedef struct Measure {
    KernelSizes *out;
    unsigned depth;
} Measure;

static void note_call(const Node *call, KernelSizes *out)
{
    const Node *function = call->call.func;
    if (function->kind != NODE_ATTRIBUTE || function->attribute.value->kind != NODE_NAME ||
        !name_is(function->attribute.value->name.id, "wp"))
        return;
    for (int i = 0; i < BUILTIN_COUNT; i++)
        if (name_is(function->attribute.attr, real_builtins[i].name))
            out->calls[i] = true;
}

static void visit(const Node *node, void *user)
{
    Measure *measure = user;
    bool nests = node->kind == NODE_IF || node->kind == NODE_FOR || node->kind == NODE_WHILE;
    unsigned *depth = &measure->out->sizes[SIZE_nesting_depth];
    if (is_statement(node))
        measure->out->sizes[SIZE_statements]++;
    if (node->kind == NODE_CALL)
        note_call(node, measure->out);
    measure->depth += nests;
    if (measure->depth > *depth)
        *depth = measure->depth;
    node_children(node, visit, user);
    measure->depth -= nests;
}

static unsigned count_lines(const char *source, size_t len)
{
    unsigned lines = 0;
    for (const char *at = source, *end = source + len; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        for (const char *c = at; c < line_end; c++)
            if (*c != ' ' && *c != '\t' && *c != '\r') {
                lines++;
                break;
            }
        at = line_end + 1;
    }
    return lines;
}

static const Node *last_function(const Node *module)
{
    for (uint32_t i = module->module.body.count; i-- > 0;)
        if (module->module.body.items[i]->kind == NODE_FUNCTION_DEF)
            return module->module.body.items[i];
    return NULL;
}

void measure_source(Arena *arena, const char *source, size_t len, KernelSizes *out)
{
    NameTable names;
    DiagList diags;
    Measure measure = {out, 0};
    memset(out, 0, sizeof *out);
    arena_reset(arena);
    names_init(&names, arena);
    diags_init(&diags, arena);
    const Node *kernel = last_function(parse_module(arena, &names, &(Source){"record", source, len}, &diags));
    if (!kernel)
        return;
    out->sizes[SIZE_source_lines] = count_lines(source, len);
    out->sizes[SIZE_arguments] = kernel->function.params->arguments.args.count;
    for (uint32_t i = 0; i < kernel->function.body.count; i++)
        visit(kernel->function.body.items[i], &measure);
}
