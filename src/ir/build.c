/* Kernels and functions: the frame around the builder. */
#include "ir/build.h"
#include "ir/tile_history.h"

#include <stdarg.h>
#include <string.h>

/* ---- errors ---- */

static const char *param_types(Builder *b, const Func *func)
{
    Text text;
    text_init_in(&text, b->arena);
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        text_str(&text, i ? ", " : "");
        type_repr(func->code.params[i].type, &text);
    }
    return text_cstr(&text);
}

/* In a function of Warp's library there is no place to show: the mistake is in the call. */
static _Noreturn void fail_in_library(Builder *b, DiagKind kind, const char *message)
{
    const Node *at = b->library_call;
    const Source *source = b->module->kernel->code->scope->file->source;
    Diag *diag = diag_add(&b->unit->diags, source, kind, at->start, at->end, "wp.%s() does not work with (%s)",
                          b->library->key->text, param_types(b, b->library));
    diag->hint = arena_format(b->unit->arena, "inside it, %s", message);
    diag->kernel = b->module->kernel->kernel->key->text;
    longjmp(*b->failure, 1);
}

static _Noreturn void fail_with(Builder *b, DiagKind kind, const Node *at, const char *hint, const char *message)
{
    if (b->library_call)
        fail_in_library(b, kind, message);
    uint32_t start = at ? at->start : b->statement, end = at ? at->end : b->statement;
    Diag *diag = diag_add(&b->unit->diags, b->code->scope->file->source, kind, start, end, "%s", message);
    diag->hint = hint ? arena_strndup(b->unit->arena, hint, strlen(hint)) : NULL;
    diag->kernel = b->module->kernel->kernel->key->text;
    longjmp(*b->failure, 1);
}

#define FORMAT_MESSAGE(message, format)                                                                                \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    const char *message = arena_format_list(b->arena, format, args);                                                   \
    va_end(args)

void fail(Builder *b, const Node *at, const char *format, ...)
{
    FORMAT_MESSAGE(message, format);
    fail_with(b, DIAG_ERROR, at, NULL, message);
}

void fail_hint(Builder *b, const Node *at, const char *hint, const char *format, ...)
{
    FORMAT_MESSAGE(message, format);
    fail_with(b, DIAG_ERROR, at, hint, message);
}

void unsupported(Builder *b, const Node *at, const char *format, ...)
{
    FORMAT_MESSAGE(message, format);
    fail_with(b, DIAG_UNSUPPORTED, at, NULL, message);
}

void fail_unknown(Builder *b, const Node *at, const char *what, const Value *unknown)
{
    const char *message = arena_format(b->arena, "%s is not known: %s", what, unknown->reason);
    fail_with(b, unknown->wrong ? DIAG_ERROR : DIAG_UNSUPPORTED, at, NULL, message);
}

const char *spelled(Builder *b, const Type *type)
{
    const Type *canonical = type_canonical(type);
    return canonical->kind == TYPE_FLOAT32 ? "float"
           : canonical->kind == TYPE_INT32 ? "int"
           : canonical->kind == TYPE_BOOL  ? "bool"
           : type->kind == TYPE_STRUCT     ? repr(b, type)
                                           : arena_format(b->arena, "wp.%s", repr(b, type));
}

const char *called_name(const char *builtin, const Node *at)
{
    if (!at)
        return builtin;
    switch (at->kind) {
    case NODE_BIN_OP: return op_symbol(at->bin_op.op);
    case NODE_AUG_ASSIGN: return op_symbol(at->aug_assign.op);
    case NODE_UNARY_OP: return op_symbol(at->unary_op.op);
    case NODE_CALL:
        if (at->call.func->kind == NODE_NAME)
            return at->call.func->name.id->text;
        return at->call.func->kind == NODE_ATTRIBUTE ? at->call.func->attribute.attr->text : builtin;
    default: return builtin;
    }
}

const char *counted(Builder *b, uint32_t count, const char *noun)
{
    return arena_format(b->arena, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

const char *quoted(Builder *b, const char *name)
{
    return arena_format(b->arena, "'%s'", name);
}

const char *repr(Builder *b, const Type *type)
{
    Text text;
    text_init_in(&text, b->arena);
    type_repr(type, &text);
    return text_cstr(&text);
}

const char *eval_repr(Builder *b, const Eval *eval)
{
    if (eval->kind == EVAL_VAR)
        return repr(b, type_strip_reference(eval->var->type));
    if (eval->kind == EVAL_VALUE && eval->value->kind == VALUE_TYPE)
        return repr(b, eval->value->type);
    if (eval->kind == EVAL_VALUE)
        return value_kind_name(eval->value->kind);
    return eval->kind == EVAL_LIST ? "several values" : "no value";
}

/* ---- structs: parts before wholes ---- */

static void list_struct(IrModule *module, const Type *type)
{
    if (table_has(&module->structs_listed, type))
        return;
    table_add(&module->structs_listed, module->unit->building, type);
    ARENA_PUSH(module->unit->building, module->structs, module->struct_count, module->struct_cap) = type;
}

void use_struct(Builder *b, const Type *type)
{
    /* Last in, first out, then backwards: the order in which Warp lists them. */
    const Type **stack = NULL, **order = NULL;
    uint32_t stack_count = 0, stack_cap = 0, order_count = 0, order_cap = 0;
    ARENA_PUSH(b->arena, stack, stack_count, stack_cap) = type;
    while (stack_count) {
        const Type *top = stack[--stack_count];
        ARENA_PUSH(b->arena, order, order_count, order_cap) = top;
        if (order_count > LIMIT_STRUCT_PARTS)
            fail(b, NULL, "struct '%s' holds too many structs, counted with those inside them", type->decl->key->text);
        for (uint32_t i = 0; i < top->decl->field_count; i++) {
            const Type *field = top->decl->fields[i].type;
            const Type *part = field->kind == TYPE_ARRAY ? field->array.dtype : field;
            if (part->kind == TYPE_STRUCT)
                ARENA_PUSH(b->arena, stack, stack_count, stack_cap) = part;
        }
    }
    while (order_count)
        list_struct(b->module, order[--order_count]);
}

static void use_param_structs(Builder *b)
{
    for (uint32_t i = 0; i < b->function->params.count; i++) {
        const Type *type = b->function->params.items[i]->type;
        if (type->kind == TYPE_STRUCT)
            use_struct(b, type);
        else if (type->kind == TYPE_ARRAY && type->array.cls == ARRAY_PLAIN && type->array.dtype->kind == TYPE_STRUCT)
            use_struct(b, type->array.dtype);
    }
}

/* ---- functions ---- */

static void add_params(Builder *b)
{
    IrVarList *params = &b->function->params;
    for (uint32_t i = 0; i < b->code->param_count; i++) {
        const Param *param = &b->code->params[i];
        IrVar *var = unlisted_var(b, type_canonical(param->type));
        var->is_parameter = true;
        var->index = i;
        var->label = param->name;
        var->letters = param->name->len;
        if (var->type->kind == TYPE_REF || var->type->kind == TYPE_ARRAY) {
            IrPath *origin = ARENA_NEW(b->arena, IrPath);
            origin->root = var;
            origin->root_is_reference = var->type->kind == TYPE_REF;
            var->origin = origin;
        }
        ARENA_PUSH(b->arena, params->items, params->count, params->cap) = var;
        Eval eval = eval_var(var);
        for (uint32_t k = 0; b->func && k < b->func->callable_count; k++)
            if (b->func->callables[k].param == param->name)
                eval = eval_value(b->func->callables[k].target);
        set_symbol(b, param->name, eval);
    }
}

static void check_return_type(Builder *b)
{
    IrFunction *function = b->function;
    const Type *annotated = b->code->return_type;
    const Node *at = b->returned;
    const char *name = b->code->def->function.name->text;
    if (!function->returns || !b->code->has_return || !annotated)
        return;
    if (annotated->kind == TYPE_TUPLE) {
        if (annotated->tuple.count != function->return_count)
            fail(b, at, "'%s' is annotated to return %s, but this returns %s", name,
                 counted(b, annotated->tuple.count, "value"), counted(b, function->return_count, "value"));
        for (uint32_t i = 0; i < function->return_count; i++)
            if (!types_match(annotated->tuple.types[i], function->returns[i]->type))
                fail(b, at, "result %u of '%s' is annotated as %s, but this returns %s", i + 1, name,
                     repr(b, annotated->tuple.types[i]), repr(b, function->returns[i]->type));
        return;
    }
    if (function->return_count > 1)
        fail(b, at, "'%s' is annotated to return %s, but this returns %u values", name, repr(b, annotated),
             function->return_count);
    const Type *actual = function->returns[0]->type;
    bool fixed = actual->kind == TYPE_ARRAY && actual->array.cls == ARRAY_FIXED;
    if (fixed && annotated->kind == TYPE_ARRAY && annotated->array.cls == ARRAY_PLAIN)
        fail(b, at, "a local array cannot be returned as an array: its storage ends with the function");
    if (!types_equal(annotated, actual))
        fail_hint(b, at,
                  arena_format(b->arena, "write -> %s in the definition, or convert the value", spelled(b, actual)),
                  "'%s' is annotated to return %s, but this returns %s", name, repr(b, annotated), repr(b, actual));
}

/* A @wp.func_native: the body is C++, the annotation alone gives the result. */
static void build_native_result(Builder *b)
{
    const Type *type = b->code->return_type;
    if (!b->code->has_return || !type)
        return;
    if (!type_is_value(type) && type->kind != TYPE_ARRAY)
        fail(b, b->code->def->function.returns, "a native function cannot return %s", repr(b, type));
    b->function->returns = ARENA_ARRAY(b->arena, IrVar *, 1);
    b->function->returns[0] = unlisted_var(b, type_canonical(type));
    b->function->return_count = 1;
}

static void build_code(Builder *b)
{
    const Node *def = b->code->def;
    IrFunction *function = b->function;
    b->code->deferred = NULL; /* what an earlier build found may belong to another instance */
    b->code->deferred_count = b->code->deferred_cap = 0;
    b->code->constants_read = (HashTable){0};
    enum { USUAL = 32 }; /* variables and nodes: lists need not grow from nothing */
    if (!function->vars.cap) {
        function->vars.items = arena_take(b->arena, USUAL * sizeof *function->vars.items);
        function->body.items = arena_take(b->arena, USUAL * sizeof *function->body.items);
        function->vars.cap = function->body.cap = USUAL;
    }
    b->region = &function->body;
    add_params(b);
    for (uint32_t i = 0; i < def->function.body.count; i++) {
        const Node *node = def->function.body.items[i];
        if (node->kind == NODE_EXPR && is_literal(b, node->expr.value))
            continue; /* docstrings and other bare constants */
        build_statement(b, node);
    }
    const Node *last = def->function.body.items[def->function.body.count - 1];
    if (function->returns && function->return_count == 1 && last->kind != NODE_RETURN)
        add_node(b, IR_RETURN_DEFAULT);
    if (b->func && b->func->is_snippet && def->function.decorators.count == 1)
        build_native_result(b);
    check_return_type(b);
    use_param_structs(b);
}

static void list_function(IrModule *module, IrFunction *function)
{
    ARENA_PUSH(module->unit->building, module->functions, module->function_count, module->function_cap) = function;
}

IrFunction *build_function(Builder *caller, Func *func, const Node *at)
{
    HashTable *begun = &caller->module->begun;
    const TableSlot *known = table_find(begun, func);
    if (known && !known->item)
        fail(caller, at, "function '%s' calls itself, and recursion is not possible in kernels", func->key->text);
    if (known) {
        for (uint32_t i = 0; i < caller->module->unlisted.count; i++)
            if (caller->module->unlisted.items[i] == func)
                unsupported(caller, at,
                            "function '%s' was used by wp.tile_map() before under the name of another overload",
                            func->key->text);
        return known->item;
    }
    if (func->code.refused)
        fail_with(caller, func->code.refused->kind, at, NULL,
                  arena_format(caller->arena, "function '%s' %s", func->key->text, func->code.refused->message));
    if (func->number_lost)
        unsupported(caller, at,
                    "the number in Warp's name of function '%s' is not known: others of this name may be made where "
                    "weft does not "
                    "follow",
                    func->key->text);
    if (func->numbered_after)
        unsupported(caller, at,
                    "the number in Warp's name of function '%s' depends on package '%s', which is not among the files",
                    func->key->text, func->numbered_after);
    if (caller->depth > LIMIT_FUNCTION_DEPTH)
        unsupported(caller, at, "more than %d functions call each other in a row", LIMIT_FUNCTION_DEPTH);
    bool is_library = func->code.scope->file->is_library;
    table_add(begun, caller->arena, func);
    IrFunction *function = ARENA_NEW(caller->arena, IrFunction);
    Builder b = {.unit = caller->unit,
                 .arena = caller->arena,
                 .module = caller->module,
                 .function = function,
                 .code = &func->code,
                 .func = func,
                 .depth = caller->depth + 1,
                 .nesting = caller->nesting,
                 .library = caller->library ? caller->library
                            : is_library    ? func
                                            : NULL,
                 .library_call = caller->library_call ? caller->library_call
                                 : is_library         ? at
                                                      : NULL,
                 .failure = caller->failure,
                 .statement = func->code.def->start};
    function->func = func;
    function->code = &func->code;
    build_code(&b);
    table_find(begun, func)->item = function;
    list_function(caller->module, function);
    return function;
}

IrFunction *build_unlisted(Builder *caller, Func *func, const Node *at)
{
    IrModule *module = caller->module;
    uint32_t count = module->function_count;
    bool known = table_has(&module->begun, func);
    IrFunction *function = known ? table_find(&module->begun, func)->item : build_function(caller, func, at);
    for (uint32_t i = count; i < module->function_count; i++)
        ARENA_PUSH(caller->arena, module->unlisted.items, module->unlisted.count, module->unlisted.cap) =
            module->functions[i]->func;
    module->function_count = count;
    if (!function)
        fail(caller, at, "function '%s' calls itself, and recursion is not possible in kernels", func->key->text);
    return function;
}

/* ---- kernels ---- */

static const Node *find_value_return(const NodeList *body);

static const Node *value_return_in(const Node *node)
{
    const Node *found = NULL;
    switch (node->kind) {
    case NODE_RETURN: return node->ret.value ? node : NULL;
    case NODE_IF:
        found = find_value_return(&node->if_stmt.body);
        return found ? found : find_value_return(&node->if_stmt.orelse);
    case NODE_FOR:
        found = find_value_return(&node->for_loop.body);
        return found ? found : find_value_return(&node->for_loop.orelse);
    case NODE_WHILE:
        found = find_value_return(&node->while_loop.body);
        return found ? found : find_value_return(&node->while_loop.orelse);
    default: return NULL;
    }
}

static const Node *find_value_return(const NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *found = value_return_in(body->items[i]);
        if (found)
            return found;
    }
    return NULL;
}

static const Value *kernel_option(const Kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->option_count; i++)
        if (strcmp(kernel->options[i].name, name) == 0)
            return kernel->options[i].value;
    return NULL;
}

static bool option_truth(const Kernel *kernel, const char *name, bool otherwise)
{
    const Value *value = kernel_option(kernel, name);
    bool known, truth = value && value_is_true(value, &known);
    return value ? truth : otherwise;
}

/* Functions that only the generated adjoint calls: they are built after everything else. */
static void build_deferred(Builder *b)
{
    for (uint32_t i = 0; i < b->module->deferred_functions.count; i++)
        build_function(b, b->module->deferred_functions.items[i], NULL);
    for (uint32_t i = 0; i <= b->module->function_count; i++) {
        IrFunction *function = i < b->module->function_count ? b->module->functions[i] : b->module->kernel;
        for (uint32_t k = 0; k < function->called.count; k++) {
            Func *extras[] = {function->called.items[k]->custom_grad, function->called.items[k]->custom_replay};
            for (int e = 0; e < 2; e++)
                if (extras[e])
                    build_function(b, extras[e], NULL);
        }
    }
}

/* Whatever a function with an adjoint calls needs one, too. */
static void propagate_backward(Builder *b, bool kernel_backward)
{
    IrModule *module = b->module;
    bool changed = true;
    for (uint32_t i = 0; b->unit->dialect->adjoint_by_kernel && i < module->function_count; i++)
        module->functions[i]->func->used_by_backward = false; /* what only a custom gradient calls needs none */
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i <= module->function_count; i++) {
            IrFunction *function = i < module->function_count ? module->functions[i] : module->kernel;
            if (!(function->func ? function->func->used_by_backward : kernel_backward))
                continue;
            for (uint32_t k = 0; k < function->called.count; k++)
                if (!function->called.items[k]->used_by_backward)
                    changed = function->called.items[k]->used_by_backward = true;
        }
    }
    for (uint32_t i = 0; i <= module->function_count; i++) {
        IrFunction *function = i < module->function_count ? module->functions[i] : module->kernel;
        if (!(function->func ? function->func->used_by_backward : kernel_backward))
            continue;
        for (uint32_t k = 0; k < function->reference_calls.count; k++) {
            Func *callee = function->reference_calls.items[k];
            if (!callee->custom_grad && !(callee->snippet && callee->adj_snippet))
                fail_hint(b, NULL, "write @wp.kernel(enable_backward=False), or a native function with adj_snippet",
                          "function '%s' has wp.ref parameters and cannot be called from a kernel with a backward pass",
                          callee->key->text);
        }
    }
}

static void build_kernel(Builder *b)
{
    Kernel *kernel = b->kernel;
    const Node *def = kernel->code.def;
    if (kernel->module->unsupported)
        unsupported(b, def, "%s changes the generated text in a way that weft does not support",
                    kernel->module->unsupported);
    if (kernel->code.has_return)
        fail_hint(b, def->function.returns, "leave the annotation out, or write -> None",
                  "a kernel cannot return a value");
    const Node *returned = find_value_return(&def->function.body);
    if (returned)
        fail_hint(b, returned, "write the result to an element of an array parameter",
                  "a kernel cannot return a value");
    for (uint32_t i = 0; i < kernel->code.param_count; i++)
        if (kernel->code.params[i].type->kind == TYPE_REF)
            fail(b, def, "a parameter of a kernel cannot be a wp.ref: only functions take references");
    build_code(b);
    build_deferred(b);
    check_tiles_of_functions(b);
    if (b->module->uses_tiles && option_truth(kernel, "enable_cuda_smem_spilling", false))
        unsupported(b, def,
                    "enable_cuda_smem_spilling depends on how much shared memory the tiles of a kernel take, which "
                    "weft does not know");
    propagate_backward(b, option_truth(kernel, "enable_backward", true));
}

IrModule *ir_build(Unit *unit, Kernel *kernel)
{
    jmp_buf failure;
    Arena *arena = unit->building;
    IrModule *module = ARENA_NEW(arena, IrModule);
    module->unit = unit;
    module->options = kernel->module;
    module->kernel = ARENA_NEW(arena, IrFunction);
    module->kernel->kernel = kernel;
    module->kernel->code = &kernel->code;
    module->kernel->is_kernel = true;
    if (kernel->code.refused)
        return NULL;
    module->enable_backward = option_truth(kernel, "enable_backward", kernel->module->enable_backward);
    module->grid_stride = option_truth(kernel, "grid_stride", kernel->module->default_grid_stride);
    Builder b = {.unit = unit,
                 .arena = arena,
                 .module = module,
                 .function = module->kernel,
                 .code = &kernel->code,
                 .kernel = kernel,
                 .failure = &failure,
                 .statement = kernel->code.def->start};
    if (setjmp(failure))
        return NULL;
    build_kernel(&b);
    module->kernel->kernel_dim = count_thread_indices(&kernel->code.def->function.body);
    return module;
}
