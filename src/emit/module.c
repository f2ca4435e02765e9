/* Modules: structs, functions, kernels. */
#include "emit/target.h"

#include "weft.h"

#include <stdlib.h>
#include <string.h>

void emit_text_free(EmitText *text)
{
    text_free(&text->prelude);
    text_free(&text->forward);
    text_free(&text->backward);
}

void emit_text_clear(EmitText *text)
{
    text->prelude.len = text->forward.len = text->backward.len = 0;
    text->prelude_marks = text->forward_marks = text->backward_marks = (EmitMarks){0};
    text->layout = (EmitLayout){0};
}

void emit_text_init_in(EmitText *text, Arena *arena)
{
    *text = (EmitText){0};
    text_init_in(&text->prelude, arena);
    text_init_in(&text->forward, arena);
    text_init_in(&text->backward, arena);
}

/* ---- bodies ---- */

static inline void put_numbered(Text *out, const char *before, uint32_t number, const char *after)
{
    size_t before_len = strlen(before), after_len = strlen(after); /* known to the compiler */
    char *to = text_room(out, before_len + UINT_ROOM + after_len);
    text_end(out, put_bytes(put_uint(put_bytes(to, before, before_len), number), after, after_len));
}

/* Where a list of declarations has spelled a type: most variables have the type of another one before them. Copying that,
 * and what a backward kernel has in common with its forward one (ForwardBody), saves 5 % of the instructions of a compilation
 * (callgrind, weft_compile on the golden set). */
enum { SPELLED = 16 };
typedef struct SpelledType {
    const Type *type;
    size_t at, len;
} SpelledType;

static inline void put_again(Text *out, SpelledType *spelled, const Type *type, void (*put)(Text *, const Type *))
{
    SpelledType *known = &spelled[(uintptr_t)type / sizeof(Type) % SPELLED];
    if (known->type == type) {
        char *to = text_room(out, known->len);
        text_end(out, put_bytes(to, out->data + known->at, known->len));
        return;
    }
    *known = (SpelledType){.type = type, .at = out->len};
    put(out, type);
    known->len = out->len - known->at;
}

/* `wp::int32 var_12;` of a type that was spelled before, in one piece of room. False: it was not. */
static inline bool put_declaration_again(Text *out, const SpelledType *spelled, uint32_t margin, const Type *type,
                                         const char *before, uint32_t number, const char *after)
{
    enum { MOST_MARGIN = 16 };
    const SpelledType *known = &spelled[(uintptr_t)type / sizeof(Type) % SPELLED];
    size_t before_len = strlen(before), after_len = strlen(after); /* known to the compiler */
    if (known->type != type || margin > MOST_MARGIN)
        return false;
    char *to = text_room(out, MOST_MARGIN + known->len + before_len + UINT_ROOM + after_len);
    memset(to, ' ', MOST_MARGIN);
    to = put_bytes(to + margin, out->data + known->at, known->len);
    to = put_uint(put_bytes(to, before, before_len), number);
    text_end(out, put_bytes(to, after, after_len));
    return true;
}

static void put_declarations(const IrFunction *function, uint32_t margin, bool with_gradients, Text *out)
{
    SpelledType spelled[SPELLED] = {{0}};
    for (uint32_t i = 0; i < function->vars.count; i++) {
        const IrVar *var = function->vars.items[i];
        if (!var->constant && put_declaration_again(out, spelled, margin, var->type, " var_", i, ";\n"))
            continue;
        put_margin(out, margin);
        if (var->constant)
            text_lit(out, "const ");
        if (is_tile_or_stack(var->type)) {
            put_type(out, var->type);
            put_numbered(out, " var_", i, "");
            put_tile_initializer(out, var->type, with_gradients);
            text_lit(out, ";\n");
            continue;
        }
        put_again(out, spelled, var->type, put_type);
        put_numbered(out, " var_", i, var->constant ? " = " : ";\n");
        if (var->constant) {
            put_literal(out, var->constant);
            text_lit(out, ";\n");
        }
    }
}

static void put_adjoint_declarations(const IrFunction *function, uint32_t margin, Text *out)
{
    SpelledType spelled[SPELLED] = {{0}};
    for (uint32_t i = 0; i < function->vars.count; i++) {
        if (put_declaration_again(out, spelled, margin, function->vars.items[i]->type, " adj_", i, " = {};\n"))
            continue;
        put_margin(out, margin);
        if (is_tile_or_stack(function->vars.items[i]->type)) {
            put_tile_adjoint(out, function->vars.items[i]);
            text_lit(out, ";\n");
            continue;
        }
        put_again(out, spelled, function->vars.items[i]->type, put_value_type);
        put_numbered(out, " adj_", i, " = {};\n");
    }
}

/* What functions are put into. */
typedef struct Prelude {
    const IrModule *module;
    const Target *target;
    EmitMarks *marks; /* NULL: nobody asks for them */
    EmitLayout *layout;
    Text *out;
} Prelude;

/* In another file, the places of statements are those of that file. */
static void mark_function(const Prelude *prelude, const IrFunction *function, Walk *walk)
{
    const Unit *unit = prelude->module->unit;
    walk->marks = function->code->scope->file == unit->main ? prelude->marks : NULL;
    walk->arena = unit->building;
}

static void put_forward_body(const Prelude *prelude, const IrFunction *function)
{
    Walk walk = {.out = prelude->out, .margin = 4, .leave = "return"};
    put_declarations(function, walk.margin, false, walk.out);
    mark_function(prelude, function, &walk);
    walk_forward(&walk, &function->body, 0);
    mark_statement(&walk, NO_STATEMENT);
}

/* What comes behind the declarations and the replay; `leave` ends a thread's work. */
static void put_reverse_end(const IrFunction *function, Walk *walk)
{
    walk_reverse(walk, &function->body, 0);
    mark_statement(walk, NO_STATEMENT);
    begin_line(walk, 0);
    text_str(walk->out, walk->leave);
    end_line(walk);
}

static void put_reverse_body(const Prelude *prelude, const IrFunction *function)
{
    Walk walk = {.out = prelude->out, .margin = 4, .leave = "return"};
    put_declarations(function, walk.margin, true, walk.out);
    put_adjoint_declarations(function, walk.margin, walk.out);
    walk_replay(&walk, &function->body, 0);
    mark_function(prelude, function, &walk);
    put_reverse_end(function, &walk);
}

/* ---- structs ---- */

bool accumulates(const Type *type)
{
    if (type->kind == TYPE_STRUCT)
        return true;
    if (type->kind == TYPE_ARRAY)
        return false;
    return type_is_scalar(type_scalar_of(type)) && !type_is_narrow(type_scalar_of(type));
}

static void put_struct_constructor(const StructDecl *decl, Text *out)
{
    const char *name = decl->native_name;
    if (decl->field_count)
        PUT(out, "    ", name, "() = default;\n");
    PUT(out, "    CUDA_CALLABLE ", name, "(");
    for (uint32_t i = 0; i < decl->field_count; i++) {
        if (i)
            text_lit(out, ",\n    ");
        put_type(out, type_canonical(decl->fields[i].type));
        PUT(out, " const& ", decl->fields[i].name->text, i ? " = {}" : "");
    }
    text_lit(out, ")\n");
    for (uint32_t i = 0; i < decl->field_count; i++)
        PUT(out, i ? "        , " : "        : ", decl->fields[i].name->text, "{", decl->fields[i].name->text, "}\n");
    text_lit(out, "    {\n    }\n");
}

static void put_struct_accumulation(const StructDecl *decl, bool of_tiles, Text *out)
{
    PUT(out, "    CUDA_CALLABLE ", decl->native_name, "& operator += (const ", decl->native_name, "& rhs)\n    {");
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (accumulates(type_canonical(decl->fields[i].type)))
            PUT(out, "    ", decl->fields[i].name->text, " += rhs.", decl->fields[i].name->text, ";\n");
    if (out->data[out->len - 1] != '\n')
        text_char(out, '\n');
    text_lit(out, "        return *this;}\n");
    if (of_tiles)
        put_struct_differences(decl, out);
    text_lit(out, "};\n");
}

static void put_struct_adjoint(const StructDecl *decl, Text *out)
{
    PUT(out, "static CUDA_CALLABLE void adj_", decl->native_name, "(");
    for (uint32_t i = 0; i < decl->field_count; i++) {
        put_type(out, type_canonical(decl->fields[i].type));
        text_lit(out, " const&,\n    ");
    }
    for (uint32_t i = 0; i < decl->field_count; i++) {
        put_type(out, type_canonical(decl->fields[i].type));
        PUT(out, " & adj_", decl->fields[i].name->text, ",\n    ");
    }
    PUT(out, decl->native_name, " & adj_ret)\n{\n");
    for (uint32_t i = 0; i < decl->field_count; i++)
        PUT(out, "    adj_", decl->fields[i].name->text, " ",
            decl->fields[i].type->kind == TYPE_ARRAY ? "=" : "+=", " adj_ret.", decl->fields[i].name->text, ";\n");
    text_lit(out, "}\n");
}

static void put_struct(const StructDecl *decl, bool of_tiles, Text *out)
{
    const char *name = decl->native_name;
    PUT(out, "struct ", name, "\n{\n");
    for (uint32_t i = 0; i < decl->field_count; i++) {
        text_lit(out, "    ");
        put_type(out, type_canonical(decl->fields[i].type));
        PUT(out, " ", decl->fields[i].name->text, ";\n");
    }
    if (!decl->field_count)
        text_lit(out, "    char _dummy_;\n");
    text_char(out, '\n');
    put_struct_constructor(decl, out);
    text_char(out, '\n');
    put_struct_accumulation(decl, of_tiles, out);
    text_char(out, '\n');
    put_struct_adjoint(decl, out);
    PUT(out, "\nCUDA_CALLABLE ", name, " add(const ", name, "& a, const ", name, "& b)\n{\n    ");
    PUT(out, of_tiles ? "" : "return ", name, of_tiles ? " ret = a;\n    ret += b;\n    return ret;\n}\n" : "();\n}\n");
    PUT(out, "\nCUDA_CALLABLE void adj_atomic_add(", name, "* p, ", name, " t)\n{\n");
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Type *type = type_canonical(decl->fields[i].type);
        PUT(out, "    ", type->kind == TYPE_STRUCT ? "" : "wp::", "adj_atomic_add(&p->", decl->fields[i].name->text,
            ", t.", decl->fields[i].name->text, ");\n");
    }
    text_lit(out, "}\n\n");
    if (of_tiles)
        put_struct_tile_functions(decl, out);
}

static bool is_same_struct(const void *key, const void *wanted)
{
    return memcmp(((const StructDecl *)key)->hash, ((const StructDecl *)wanted)->hash, 32) == 0;
}

static void put_structs(const IrModule *module, Text *out)
{
    HashTable seen = {0};
    for (uint32_t i = 0; i < module->struct_count; i++) {
        const StructDecl *decl = module->structs[i]->decl;
        uint32_t hash;
        memcpy(&hash, decl->hash, sizeof hash);
        TableSlot *slot = table_add_like(&seen, module->unit->building, hash, is_same_struct, decl);
        if (!slot->key)
            put_struct(decl, is_struct_of_tiles(module, decl), out);
        slot->key = decl;
    }
}

/* ---- code of the vendor's library ---- */

static int by_symbol(const void *a, const void *b)
{
    return strcmp(((const IrLibraryCode *)a)->symbol, ((const IrLibraryCode *)b)->symbol);
}

static void put_library(const IrModule *module, Text *out)
{
    if (!module->library_count)
        return;
    if (module->unit->dialect->library_marked)
        text_lit(out, "#define WP_LTO_LINK_INPUTS 1\n");
    IrLibraryCode *codes = ARENA_ARRAY(module->unit->building, IrLibraryCode, module->library_count);
    memcpy(codes, module->library, module->library_count * sizeof *codes);
    if (module->unit->dialect->library_sorted)
        qsort(codes, module->library_count, sizeof *codes, by_symbol);
    text_lit(out, "extern \"C\" {\n");
    for (uint32_t i = 0; i < module->library_count; i++)
        PUT(out, codes[i].declaration, "\n");
    text_lit(out, "}\n");
}

/* ---- functions ---- */

typedef struct ParamText { /* `,\n    ` between the parameters of a signature */
    Text *out;
    bool any;
} ParamText;

static Text *next_param(ParamText *params)
{
    if (params->any)
        text_lit(params->out, ",\n    ");
    params->any = true;
    return params->out;
}

static bool is_passed(const IrVar *param)
{
    return param->type->kind != TYPE_FUNCTION;
}

/* Functions are templates of the types of their tiles: a tile parameter `t` is of type `tile_t`. */
static void put_template(const IrFunction *function, uint32_t count, Text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const IrVar *param = function->params.items[i];
        if (!is_tile_or_stack(param->type))
            continue;
        PUT(out, any ? ", " : "template<", "typename tile_", param->label->text);
        any = true;
    }
    text_str(out, any ? ">\n" : "");
}

/* As the parameters of the function itself have it; their adjoints, with `plain`. */
static void put_param_type(const IrVar *param, bool plain, Text *out)
{
    if (is_tile_or_stack(param->type))
        PUT(out, "tile_", param->label->text, plain ? "" : "&");
    else
        put_type(out, param->type);
}

static const Type *adjoint_type(const IrModule *module, const Type *type)
{
    /* The gradient of an indexed array is a plain one. */
    if (type->kind == TYPE_ARRAY && type->array.cls == ARRAY_INDEXED)
        return type_array(module->unit->types, ARRAY_PLAIN, type->array.dtype, type->array.ndim);
    return type;
}

static void put_adjoint_param(const IrModule *module, const IrVar *param, ParamText *params)
{
    Text *out = next_param(params);
    if (is_tile_or_stack(param->type))
        put_param_type(param, true, out);
    else
        put_type(out, adjoint_type(module, param->type));
    text_str(out, param->type->kind == TYPE_REF ? " adj_" : " & adj_");
    text_str(out, param->label->text);
}

static bool has_single_result(const IrFunction *function)
{
    return function->returns && function->return_count == 1;
}

static void put_result_type(const IrFunction *function, Text *out)
{
    if (has_single_result(function))
        put_type(out, function->returns[0]->type);
    else
        text_lit(out, "void");
}

static void put_result_params(const IrFunction *function, const char *name, ParamText *params)
{
    for (uint32_t i = 0; function->return_count != 1 && i < function->return_count; i++) {
        Text *out = next_param(params);
        put_type(out, function->returns[i]->type);
        text_format(out, " & %s_%u", name, i);
    }
}

static void put_function_prefix(const Prelude *prelude, const Func *func)
{
    EmitLayout *layout = prelude->layout;
    Text *out = prelude->out;
    static const char *const hints[] = {
        [INLINE_UNSAID] = "", [INLINE_NEVER] = "WP_NOINLINE ", [INLINE_ALWAYS] = "WP_FORCEINLINE "};
    text_lit(out, "static ");
    text_str(out, hints[func->inlining]);
    ARENA_PUSH(prelude->module->unit->building, layout->prefixes, layout->prefix_count, layout->prefix_cap) = out->len;
    text_str(out, prelude->target->function_prefix);
}

static void put_forward_function(const Prelude *prelude, const IrFunction *function)
{
    Text *out = prelude->out;
    if (function->func->skip_forward)
        return;
    put_template(function, function->params.count, out);
    put_function_prefix(prelude, function->func);
    put_result_type(function, out);
    PUT(out, " ", function->func->native, "(\n    ");
    ParamText params = {out, false};
    for (uint32_t i = 0; i < function->params.count; i++)
        if (is_passed(function->params.items[i])) {
            put_param_type(function->params.items[i], false, next_param(&params));
            text_char(out, ' ');
            put_var(out, function->params.items[i]);
        }
    put_result_params(function, "ret", &params);
    text_lit(out, ")\n{\n");
    put_forward_body(prelude, function);
    text_lit(out, "}\n\n");
}

static void put_reverse_signature(const IrModule *module, const IrFunction *function, Text *out)
{
    const Func *func = function->func;
    uint32_t inputs = func->custom_reverse ? func->custom_reverse_inputs : function->params.count;
    ParamText params = {out, false};
    for (uint32_t i = 0; i < function->params.count && i < inputs; i++)
        if (is_passed(function->params.items[i])) {
            put_param_type(function->params.items[i], false, next_param(&params));
            text_char(out, ' ');
            put_var(out, function->params.items[i]);
        }
    put_result_params(function, "ret", &params);
    for (uint32_t i = 0; i < function->params.count && i < inputs; i++)
        if (is_passed(function->params.items[i]))
            put_adjoint_param(module, function->params.items[i], &params);
    put_result_params(function, "adj_ret", &params);
    if (has_single_result(function)) {
        put_type(next_param(&params), function->returns[0]->type);
        text_lit(out, " & adj_ret");
    }
    for (uint32_t i = inputs; func->custom_reverse && i < function->params.count; i++) {
        const IrVar *param = function->params.items[i];
        put_param_type(param, true, next_param(&params));
        text_str(out, param->type->kind == TYPE_REF ? " " : " & ");
        put_var(out, param);
    }
}

static void put_reverse_function(const Prelude *prelude, const IrFunction *function, bool backward)
{
    const Func *func = function->func;
    Text *out = prelude->out;
    if (func->skip_reverse)
        return;
    put_template(function, function->params.count, out);
    put_function_prefix(prelude, func);
    PUT(out, "void adj_", func->native, "(\n    ");
    put_reverse_signature(prelude->module, function, out);
    text_lit(out, ")\n{\n");
    bool wanted = ((backward && func->used_by_backward) || func->force_adjoint) && !func->uses_grad;
    if (func->custom_reverse)
        put_forward_body(prelude, function);
    else if (wanted)
        put_reverse_body(prelude, function);
    text_lit(out, "}\n\n");
}

/* ---- native functions: the user's own C++ ---- */

static void put_snippet_params(const IrFunction *function, ParamText *params, bool adjoint)
{
    for (uint32_t i = 0; i < function->params.count; i++) {
        const IrVar *param = function->params.items[i];
        bool reference = param->type->kind == TYPE_REF;
        Text *out = next_param(params);
        put_param_type(param, adjoint, out);
        text_format(out,
                    reference ? " _wp_ref_%s%s"
                    : adjoint ? " & %s%s"
                              : " %s%s",
                    adjoint ? "adj_" : "", param->label->text);
    }
}

static void put_snippet_aliases(const IrFunction *function, bool adjoint, Text *out)
{
    for (uint32_t i = 0; i < function->params.count; i++) {
        const IrVar *param = function->params.items[i];
        const char *prefix = adjoint ? "adj_" : "";
        if (param->type->kind != TYPE_REF)
            continue;
        text_lit(out, "    ");
        put_type(out, param->type->target);
        PUT(out, "& ", prefix, param->label->text, " = *_wp_ref_", prefix, param->label->text, ";\n");
    }
}

static void put_snippet_text(const Value *snippet, Text *out)
{
    if (snippet)
        text_add(out, snippet->str.text, snippet->str.len);
    text_lit(out, "}\n\n");
}

static void put_forward_snippet(const IrFunction *function, const char *prefix, const Value *snippet, Text *out)
{
    put_template(function, function->params.count, out);
    text_lit(out, "static CUDA_CALLABLE ");
    put_result_type(function, out);
    PUT(out, " ", prefix, function->func->native, "(\n    ");
    ParamText params = {out, false};
    put_snippet_params(function, &params, false);
    text_lit(out, ")\n{\n");
    put_snippet_aliases(function, false, out);
    put_snippet_text(snippet, out);
}

static void put_reverse_snippet(const IrModule *module, const IrFunction *function, Text *out)
{
    put_template(function, function->params.count, out);
    PUT(out, "static CUDA_CALLABLE void adj_", function->func->native, "(\n    ");
    ParamText params = {out, false};
    put_snippet_params(function, &params, false);
    for (uint32_t i = 0; i < function->params.count; i++) {
        const IrVar *param = function->params.items[i];
        Text *text = next_param(&params);
        if (is_tile_or_stack(param->type))
            put_param_type(param, true, text);
        else
            put_type(text, adjoint_type(module, param->type));
        text_format(text, param->type->kind == TYPE_REF ? " _wp_ref_adj_%s" : " & adj_%s", param->label->text);
    }
    if (has_single_result(function)) {
        put_type(next_param(&params), function->returns[0]->type);
        text_lit(out, " & adj_ret");
    }
    text_lit(out, ")\n{\n");
    /* Every reference and its adjoint, one parameter after the other. */
    put_snippet_aliases(function, false, out);
    put_snippet_aliases(function, true, out);
    put_snippet_text(function->func->adj_snippet, out);
}

/* ---- the module ---- */

static void put_function_forward(const Prelude *prelude, const IrFunction *function)
{
    if (!function->func->is_snippet) {
        put_forward_function(prelude, function);
        return;
    }
    put_forward_snippet(function, "", function->func->snippet, prelude->out);
    if (function->func->replay_snippet)
        put_forward_snippet(function, "replay_", function->func->replay_snippet, prelude->out);
}

static bool functions_have_adjoints(const IrModule *module)
{
    return module->unit->dialect->adjoint_by_kernel ? module->enable_backward : module->options->enable_backward;
}

static void put_functions(const Prelude *prelude)
{
    const IrModule *module = prelude->module;
    HashTable gradients = {0}; /* custom ones */
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!module->functions[i]->func->uses_grad && module->functions[i]->func->custom_grad)
            table_add(&gradients, module->unit->building, module->functions[i]->func->custom_grad);
    /* Functions, then adjoints (custom ones first), then functions that call adjoints themselves. */
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!module->functions[i]->func->uses_grad)
            put_function_forward(prelude, module->functions[i]);
    for (int custom = 1; custom >= 0; custom--)
        for (uint32_t i = 0; i < module->function_count; i++) {
            const IrFunction *function = module->functions[i];
            if (function->func->uses_grad || table_has(&gradients, function->func) != custom)
                continue;
            if (function->func->is_snippet)
                put_reverse_snippet(module, function, prelude->out);
            else
                put_reverse_function(prelude, function, functions_have_adjoints(module));
        }
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i]->func->uses_grad)
            put_function_forward(prelude, module->functions[i]);
}

/* ---- kernels ---- */

/* The body of a forward kernel in its text: the backward kernel has the same declarations, and replays most nodes as they
 * are. Both are copied. */
typedef struct ForwardBody {
    const Text *text;
    size_t start;
    const size_t *nodes; /* where each node of the body begins, and where the last one ends */
} ForwardBody;

static ForwardBody put_forward_kernel(const IrModule *module, const Target *target, EmitMarks *marks, EmitText *text)
{
    const IrRegion *region = &module->kernel->body;
    size_t *nodes = ARENA_ARRAY(module->unit->building, size_t, region->count + 1);
    Text *out = &text->forward;
    Walk walk = {.out = out,
                 .margin = target->kernel_margin,
                 .leave = target->leave(module),
                 .marks = marks,
                 .arena = module->unit->building};
    target->open_kernel(module, false, out);
    ForwardBody body = {.text = out, .start = out->len, .nodes = nodes};
    put_declarations(module->kernel, walk.margin, false, out);
    for (uint32_t i = 0; i < region->count; i++) {
        nodes[i] = out->len;
        mark_statement(&walk, region->items[i]->source);
        put_forward_node(&walk, region->items[i], 0);
    }
    mark_statement(&walk, NO_STATEMENT);
    nodes[region->count] = out->len;
    text->layout.forward = (EmitBody){body.start, out->len};
    text->layout.module = walk.splits_lines ? NULL : module;
    target->close_kernel(module, out);
    return body;
}

static void put_kernel_replay(Walk *walk, const IrRegion *region, const ForwardBody *forward)
{
    for (uint32_t i = 0, next; i < region->count; i = next) {
        for (next = i; next < region->count && replays_alike(region->items[next]);)
            next++;
        text_add(walk->out, forward->text->data + forward->nodes[i], forward->nodes[next] - forward->nodes[i]);
        if (next < region->count)
            put_replay_node(walk, region->items[next++], 0);
    }
}

static void put_backward_kernel(const IrModule *module, const Target *target, const ForwardBody *forward,
                                EmitMarks *marks, EmitText *text)
{
    const IrFunction *kernel = module->kernel;
    Text *out = &text->backward;
    Walk walk = {.out = out, .margin = target->kernel_margin, .leave = target->leave(module)};
    target->open_kernel(module, true, out);
    text->layout.backward.start = out->len;
    if (module->uses_tiles)
        put_declarations(kernel, walk.margin, true, out);
    else
        text_add(out, forward->text->data + forward->start, forward->nodes[0] - forward->start);
    put_adjoint_declarations(kernel, walk.margin, out);
    put_kernel_replay(&walk, &kernel->body, forward);
    walk.marks = marks;
    walk.arena = module->unit->building;
    put_reverse_end(kernel, &walk);
    text->layout.backward.end = out->len;
    target->close_kernel(module, out);
}

/* Each text is finished before the next one begins, so that an arena that holds them needs no room for what they might become. */
enum { USUAL_KERNEL = 4096 }; /* bytes */
static void finish_prelude(const IrModule *module, const Target *target, EmitText *out)
{
    if (target->argument_struct)
        target->argument_struct(module, &out->prelude);
    text_finish(&out->prelude);
    text_reserve(&out->forward, USUAL_KERNEL);
}

static void finish_forward(EmitText *out)
{
    text_finish(&out->forward);
    text_reserve(&out->backward, out->forward.len + USUAL_KERNEL);
}

static void put_module(const IrModule *module, bool backward, const Target *target, EmitText *out)
{
    bool marked = module->unit->keep_lines;
    const Prelude prelude = {module, target, marked ? &out->prelude_marks : NULL, &out->layout, &out->prelude};
    put_library(module, &out->prelude);
    put_structs(module, &out->prelude);
    put_functions(&prelude);
    out->layout.functions_end = out->prelude.len;
    out->layout.function_prefix = target->function_prefix;
    out->layout.margin = target->kernel_margin;
    out->layout.leave = target->leave(module);
    finish_prelude(module, target, out);
    ForwardBody forward = put_forward_kernel(module, target, marked ? &out->forward_marks : NULL, out);
    if (!backward)
        return;
    finish_forward(out);
    put_backward_kernel(module, target, &forward, marked ? &out->backward_marks : NULL, out);
}

static void copy_module(const IrModule *module, bool backward, const Target *target, const EmitText *other,
                        EmitText *out)
{
    copy_functions(other, target, &out->prelude);
    finish_prelude(module, target, out);
    target->open_kernel(module, false, &out->forward);
    copy_body(other, &other->forward, other->layout.forward, module, target, &out->forward);
    target->close_kernel(module, &out->forward);
    if (!backward)
        return;
    finish_forward(out);
    target->open_kernel(module, true, &out->backward);
    copy_body(other, &other->backward, other->layout.backward, module, target, &out->backward);
    target->close_kernel(module, &out->backward);
}

void emit_module(const IrModule *module, bool backward, Device device, const EmitText *other, EmitText *out)
{
    static const Target *const targets[DEVICE_COUNT] = {[DEVICE_CUDA] = &target_cuda, [DEVICE_CPU] = &target_cpp};
    const Target *target = targets[device];
    backward &= module->enable_backward;
    if (!module->unit->keep_lines && can_copy(other, module, target))
        copy_module(module, backward, target, other, out);
    else
        put_module(module, backward, target, out);
    if (target->entry_points)
        target->entry_points(module, backward, backward ? &out->backward : &out->forward);
    text_finish(backward ? &out->backward : &out->forward);
}

void emit_preamble(const Dialect *dialect, Device device, uint32_t block_dim, Text *out)
{
    uint32_t usual = block_dim ? block_dim : (uint32_t)WEFT_BLOCK_DIM;
    text_format(out, "#define WP_TILE_BLOCK_DIM %u\n", device == DEVICE_CUDA ? usual : 1);
    if (device == DEVICE_CUDA)
        text_str(out, dialect->more_kernel_options ? cuda_options_preamble : target_cuda.preamble);
    else
        text_str(out, dialect->cpu_task_templates ? cpp_task_preamble : target_cpp.preamble);
}
