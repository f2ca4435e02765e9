/* What a call expression calls, and what its arguments are. */
#include "ir/build.h"

#include <string.h>

/* ---- what is known while compiling ---- */

static bool is_type_call(const Node *node)
{
    return node->kind == NODE_CALL && node->call.func->kind == NODE_NAME && name_is(node->call.func->name.id, "type");
}

/* type(x), type(x).dtype, … */
static const Value *resolve_type_call(Builder *b, const Node *call, const Node *const *attributes, uint32_t count)
{
    if (call->call.args.count != 1)
        fail(b, call, "type() takes one argument");
    IrVar *var = build_var(b, call->call.args.items[0]);
    const Value *value = value_type(b->unit->arena, type_strip_reference(var->type));
    while (count) {
        const Node *attribute = attributes[--count];
        const Value *next = static_attribute(b->unit, value, attribute->attribute.attr);
        if (!next)
            fail(b, attribute, "%s has no attribute '%s'", value_kind_name(value->kind),
                 attribute->attribute.attr->text);
        value = next;
    }
    return value;
}

const Value *resolve_static(Builder *b, const Node *node, bool eval_types, Name *path, uint32_t *path_count)
{
    const Node *attributes[LIMIT_PATH];
    uint32_t count = 0;
    const Node *base = node;
    for (; base->kind == NODE_ATTRIBUTE; base = base->attribute.value) {
        if (count == LIMIT_PATH - 1)
            fail(b, node, "a dotted name cannot have more than %d parts", LIMIT_PATH - 1);
        attributes[count++] = base;
    }
    *path_count = 0;
    if (eval_types && is_type_call(base)) {
        path[(*path_count)++] = base->call.func->name.id;
        return resolve_type_call(b, base, attributes, count);
    }
    if (base->kind == NODE_NAME)
        path[(*path_count)++] = base->name.id;
    for (uint32_t i = count; i-- > 0;)
        path[(*path_count)++] = attributes[i]->attribute.attr;
    if (base->kind != NODE_NAME || find_symbol(b, base->name.id))
        return NULL;
    bool missing;
    return resolve_path(b->unit, reference_scope(b->code, path[0]), path, *path_count, &missing);
}

/* ---- wp.static ---- */

static Eval static_result(Builder *b, const Value *value, const Node *at)
{
    if (value->kind == VALUE_FUNC || value->kind == VALUE_BUILTIN)
        return eval_value(value);
    if (value_is_constant(value) || value->kind == VALUE_STR || value->kind == VALUE_STRUCT)
        return eval_var(add_constant(b, value));
    fail(b, at, "wp.static() gives %s, which cannot be used in a kernel", value_kind_name(value->kind));
}

typedef struct VariableSearch {
    Builder *b;
    const char *found;
} VariableSearch;

static void find_variable(const Node *node, void *user)
{
    VariableSearch *search = user;
    const Symbol *symbol = node->kind == NODE_NAME ? find_symbol(search->b, node->name.id) : NULL;
    if (!search->found && symbol && symbol->eval.kind == EVAL_VAR && !symbol->eval.var->constant)
        search->found = node->name.id->text;
    if (!search->found)
        node_children(node, find_variable, user);
}

/* The first variable of the kernel that an expression mentions, or NULL. */
static const char *variable_in(Builder *b, const Node *node)
{
    VariableSearch search = {b, NULL};
    find_variable(node, &search);
    return search.found;
}

/* One that depends on constants of the kernel, such as the variable of an unrolled loop. */
static Eval build_deferred_static(Builder *b, const Node *node)
{
    Scope *scope = scope_new(b->unit, b->code->scope, "");
    for (uint32_t i = 0; i < b->symbols.count; i++) {
        const Symbol *symbol = &b->symbols.items[i];
        if (symbol->eval.kind != EVAL_VAR)
            continue;
        const Value *constant = symbol->eval.var->constant;
        const Type *type = type_strip_reference(symbol->eval.var->type);
        scope_bind(b->unit, scope, symbol->name, constant ? constant : value_of_variable(b->unit->arena, type));
    }
    const Value *value = static_call_value(b->unit, node, scope);
    const char *variable =
        value->kind == VALUE_TYPE || (value->kind == VALUE_UNKNOWN && value->wrong) ? variable_in(b, node) : NULL;
    if (variable)
        fail(b, node, "wp.static() cannot use '%s', a variable of the kernel: it is evaluated while compiling",
             variable);
    if (value->kind == VALUE_UNKNOWN)
        fail_unknown(b, node, "the value of wp.static()", value);
    if (value->kind == VALUE_TYPE)
        fail(b, node, "wp.static() gives a type, which cannot be used as a value");
    Text *text = &b->unit->scratch;
    text->len = 0;
    static_code(b->code, static_argument(node), text);
    Code *code = b->code;
    StaticValue *entry = &ARENA_PUSH(b->unit->arena, code->deferred, code->deferred_count, code->deferred_cap);
    *entry = (StaticValue){node, value, arena_strndup(b->unit->arena, text->data, text->len), (uint32_t)text->len};
    return static_result(b, value, node);
}

/* ---- arguments ---- */

static bool is_defined(Builder *b, Name name)
{
    const Value *value = scope_find(reference_scope(b->code, name), name);
    return find_symbol(b, name) || (value && value->kind != VALUE_NONE);
}

static Eval constant_argument(Builder *b, const Value *value, const Node *node)
{
    switch (value->kind) {
    case VALUE_TYPE:
    case VALUE_FUNC:
    case VALUE_BUILTIN: return eval_value(value);
    case VALUE_ENUM_MEMBER: return eval_var(add_constant(b, value_int(b->unit->arena, value->member.value)));
    case VALUE_UNKNOWN: fail_unknown(b, node, "the argument", value);
    default:
        if (value_is_constant(value))
            return eval_var(add_constant(b, value));
        fail(b, node, "%s cannot be an argument here", value_kind_name(value->kind));
    }
}

/* An argument is first evaluated like any expression, then looked up as a name that is known now. So a constant
 * such as wp.pi makes two variables; the first one is not used. */
static Eval resolve_argument(Builder *b, const Node *node)
{
    Name path[LIMIT_PATH];
    uint32_t count;
    const Node *base = node;
    while (base->kind == NODE_ATTRIBUTE)
        base = base->attribute.value;
    if (is_type_call(base)) {
        const Value *value = resolve_static(b, node, true, path, &count);
        return constant_argument(b, value, node);
    }
    bool is_path = base->kind == NODE_NAME;
    Eval eval = {0};
    if (!is_path || is_defined(b, base->name.id))
        eval = build_expr(b, node);
    const Value *value = is_path ? resolve_static(b, node, true, path, &count) : NULL;
    if (value)
        return constant_argument(b, value, node);
    if (eval.kind == EVAL_VOID && is_path)
        return build_expr(b, node); /* reports the undefined name */
    if (eval.kind == EVAL_VOID)
        fail(b, node, "this call returns no value");
    return eval;
}

/* *v and *array[0:3]: as many arguments as there are elements. */
static uint32_t unpack(Builder *b, const Node *node, Arg *out, uint32_t max)
{
    const Node *value = node->wrap.value;
    int64_t start = 0, stop = 0, step = 1;
    bool sliced = value->kind == NODE_SUBSCRIPT && value->subscript.slice->kind == NODE_SLICE;
    IrVar *target = build_var(b, sliced ? value->subscript.value : value);
    const Type *type = type_strip_reference(target->type);
    bool array = type->kind == TYPE_ARRAY;
    if (!type_is_composite(type) && !(array && sliced))
        fail(b, node, "only vectors, matrices and slices of arrays can be unpacked, not %s", repr(b, type));
    if (array && type->array.ndim != 1)
        fail(b, node, "only arrays of one dimension can be unpacked");
    if (!array)
        stop = type->composite.rows;
    if (sliced) {
        const Node *slice = value->subscript.slice;
        const Node *parts[] = {slice->slice.step, slice->slice.lower, slice->slice.upper};
        int64_t *values[] = {&step, &start, &stop}, length = stop;
        if (array && !slice->slice.upper)
            fail(b, node, "unpacking a slice of an array needs an upper bound");
        for (int i = 0; i < 3; i++) {
            BigInt integer;
            if (!parts[i])
                continue;
            IrVar *var = build_var(b, parts[i]);
            if (!var->constant || !value_as_int(var->constant, &integer))
                fail(b, parts[i], "the bounds of this slice must be constants");
            if (integer < -1000000 || integer > 1000000)
                unsupported(b, parts[i], "unpacking a slice with bounds beyond a million is not supported");
            *values[i] = (int64_t)integer;
            if (!array && i > 0)
                *values[i] = *values[i] < 0 ? (*values[i] + length > 0 ? *values[i] + length : 0)
                                            : (*values[i] < length ? *values[i] : length);
        }
        if (step <= 0)
            unsupported(b, node, "unpacking a slice with a negative step is not supported");
        if (array && (start < 0 || stop < 0))
            fail(b, node, "the bounds of a slice of an array cannot be negative here");
    }
    uint32_t count = 0;
    for (int64_t i = start; i < stop; i += step) {
        if (count == max)
            fail(b, node, "a call cannot have more than %d arguments", LIMIT_CALL_ARGS);
        IrVar *args[] = {target, add_constant_int(b, i)};
        out[count++] = (Arg){.eval = call_builtin(b, array ? "address" : "extract", args, 2, node)};
    }
    if (!count)
        fail(b, node, "the slice is empty: there is nothing to unpack");
    return count;
}

static uint32_t build_args(Builder *b, const Node *node, Arg *args)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->call.args.count; i++) {
        const Node *arg = node->call.args.items[i];
        if (count == LIMIT_CALL_ARGS)
            fail(b, node, "a call cannot have more than %d arguments", LIMIT_CALL_ARGS);
        if (arg->kind == NODE_STARRED)
            count += unpack(b, arg, args + count, LIMIT_CALL_ARGS - count);
        else
            args[count++] = (Arg){.eval = resolve_argument(b, arg), .node = arg};
    }
    for (uint32_t i = 0; i < node->call.keywords.count; i++) {
        const Node *keyword = node->call.keywords.items[i];
        if (!keyword->keyword.name || count == LIMIT_CALL_ARGS)
            fail(b, keyword, "arguments cannot be passed with ** in a kernel, nor more than %d of them",
                 LIMIT_CALL_ARGS);
        args[count++] = (Arg){.eval = resolve_argument(b, keyword->keyword.value),
                              .node = keyword->keyword.value,
                              .keyword = keyword->keyword.name};
    }
    return count;
}

/* ---- the callee ---- */

typedef struct Callee {
    Func *func;
    const BuiltinSet *builtin;
    const Type *constructed; /* of a type's constructor */
    const Value *grad;
} Callee;

static const char *constructor_of(const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC: return "vector";
    case TYPE_MAT: return "matrix";
    case TYPE_QUAT: return "quaternion";
    case TYPE_TRANSFORM: return "transformation";
    default: return NULL;
    }
}

static const BuiltinSet *find_set(Builder *b, const char *name)
{
    return name ? builtin_find(b->unit->builtins, name, strlen(name)) : NULL;
}

static const char *path_text(Builder *b, const Name *path, uint32_t count)
{
    const char *text = "";
    for (uint32_t i = 0; i < count; i++)
        text = arena_format(b->arena, "%s%s%s", text, i ? "." : "", path[i]->text);
    return text;
}

static Callee type_callee(Builder *b, const Type *type, const char *attr, const Node *node)
{
    Callee callee = {.constructed = type_is_composite(type) ? type : NULL};
    if (type->kind == TYPE_STRUCT) {
        callee.constructed = type;
        return callee;
    }
    callee.builtin = find_set(b, attr); /* wp.spatial_vector and wp.float32 have constructors of their own name */
    if (!callee.builtin)
        callee.builtin = find_set(b, constructor_of(type));
    if (!callee.builtin && (type_is_scalar(type) || type->kind == TYPE_BOOL))
        callee.builtin = find_set(b, repr(b, type));
    if (!callee.builtin)
        fail(b, node, "%s cannot be constructed in a kernel", repr(b, type));
    return callee;
}

/* Warp calls its builtin NAME for whatever is called NAME in the text, be it a Python function, a class or a number, unless it is a
   type or a function with @wp.func; else the builtin that has the object's own __name__. A module must have something of that name. */
static const BuiltinSet *builtin_of_its_name(Builder *b, const Value *value, const Name *path, uint32_t count)
{
    bool missing;
    const Value *module =
        count == 2 ? resolve_path(b->unit, reference_scope(b->code, path[0]), path, 1, &missing) : NULL;
    if (!count || value->kind == VALUE_FILE)
        return NULL;
    if (value->kind == VALUE_MODULE || value->kind == VALUE_UNKNOWN)
        return module && module->kind == VALUE_MODULE && module_has_name_of_builtin(module->module, path[1])
                   ? find_set(b, path[1]->text)
                   : NULL;
    const BuiltinSet *found = find_set(b, path[count - 1]->text);
    const Value *own = found ? NULL : static_attribute(b->unit, value, name_cstr(b->unit->names, "__name__"));
    return own && own->kind == VALUE_STR ? builtin_find(b->unit->builtins, own->str.text, own->str.len) : found;
}

static Callee value_callee(Builder *b, const Value *value, const Name *path, uint32_t count, const Node *node)
{
    Callee callee = {0};
    const char *attr = count ? path[count - 1]->text : NULL;
    switch (value->kind) {
    case VALUE_FUNC: callee.func = value->func; return callee;
    case VALUE_BUILTIN: callee.builtin = value->builtin; return callee;
    case VALUE_GRAD: callee.grad = value->grad_of; return callee;
    case VALUE_TYPE: return type_callee(b, value->type, attr, node);
    default: break;
    }
    callee.builtin = builtin_of_its_name(b, value, path, count);
    if (callee.builtin)
        return callee;
    if (value->kind == VALUE_KERNEL)
        fail_hint(b, node, "make it a function with @wp.func, or launch both from Python",
                  "'%s' is a kernel, and a kernel cannot call another", path_text(b, path, count));
    if (value->kind == VALUE_UNKNOWN)
        fail_unknown(b, node, quoted(b, path_text(b, path, count)), value);
    if (value->kind == VALUE_PYTHON_FUNC)
        fail_hint(b, node, "decorate it with @wp.func", "'%s' is a Python function, which a kernel cannot call",
                  path_text(b, path, count));
    if (value->kind != VALUE_MODULE && value->kind != VALUE_INTRINSIC)
        fail(b, node, "%s cannot be called in a kernel", value_kind_name(value->kind));
    fail_hint(b, node, attr ? similar_builtin(b, attr) : NULL, "there is no builtin or Warp function '%s'",
              path_text(b, path, count));
}

static Eval call_callee(Builder *b, const Callee *callee, const Node *node, uint32_t expected_outputs)
{
    Arg *args = ARENA_ARRAY(b->arena, Arg, node->call.args.count + node->call.keywords.count + 1);
    bool starred = false;
    for (uint32_t i = 0; i < node->call.args.count; i++)
        starred |= node->call.args.items[i]->kind == NODE_STARRED;
    if (starred)
        args = ARENA_ARRAY(b->arena, Arg, LIMIT_CALL_ARGS);
    bool is_struct = callee->constructed && callee->constructed->kind == TYPE_STRUCT;
    if (is_struct)
        use_struct(b, callee->constructed);
    uint32_t count = build_args(b, node, args);
    if (is_struct)
        return call_struct(b, callee->constructed, args, count, node);
    if (callee->grad)
        return call_grad(b, callee->grad, args, count, node);
    if (callee->func)
        return call_func(b, callee->func, args, count, node);
    return call_set(b, callee->builtin, args, count, callee->constructed, expected_outputs, node);
}

static Eval build_grad_value(Builder *b, const Node *node)
{
    if (node->call.args.count != 1 || node->call.keywords.count)
        fail(b, node, "wp.grad() takes one argument, a function");
    Eval target = resolve_argument(b, node->call.args.items[0]);
    if (target.kind != EVAL_VALUE || (target.value->kind != VALUE_FUNC && target.value->kind != VALUE_BUILTIN))
        fail(b, node, "wp.grad() takes a builtin or a function with @wp.func, not %s", eval_repr(b, &target));
    Value *grad = ARENA_NEW(b->unit->arena, Value);
    grad->kind = VALUE_GRAD;
    grad->grad_of = target.value;
    return eval_value(grad);
}

static Eval build_address_of(Builder *b, const Node *node)
{
    if (node->call.args.count != 1 || node->call.keywords.count)
        fail(b, node, "wp.address_of() takes one argument");
    const Node *arg = node->call.args.items[0];
    if (arg->kind != NODE_NAME && arg->kind != NODE_SUBSCRIPT && arg->kind != NODE_ATTRIBUTE)
        fail(b, arg, "wp.address_of() needs a variable, an array element, or a struct field");
    Eval eval = build_expr(b, arg);
    const IrPath *origin;
    IrOperand pointer = reference_operand(b, arg, &eval, NULL, "wp.address_of()", &origin);
    IrVar *output = add_var(b, type_scalar(TYPE_UINT64), NULL);
    IrNode *address = add_node(b, IR_ADDRESS_OF);
    address->address.target = output;
    address->address.pointer = pointer;
    return eval_var(output);
}

Eval build_call_node(Builder *b, const Node *node, uint32_t expected_outputs)
{
    const Node *func = node->call.func;
    const StaticValue *resolved = code_static(b->code, node);
    if (resolved)
        return static_result(b, resolved->value, node);
    if (b->func && !b->func->generic_parent && func->kind == NODE_ATTRIBUTE && name_is(func->attribute.attr, "tid"))
        fail_hint(b, node, "call wp.tid() in the kernel and pass the indices on",
                  "wp.tid() can only be called in a kernel");
    Name path[LIMIT_PATH];
    uint32_t count = 0;
    const StaticValue *resolved_func = func->kind == NODE_CALL ? code_static(b->code, func) : NULL;
    const Value *value = resolved_func ? resolved_func->value : resolve_static(b, func, true, path, &count);
    if (!value) {
        Eval eval = build_expr(b, func);
        if (eval.kind != EVAL_VALUE)
            fail(b, func, "%s cannot be called", eval_repr(b, &eval));
        value = eval.value;
    }
    if (value_is_intrinsic(value, INTRINSIC_WP_ADDRESS_OF))
        return build_address_of(b, node);
    if (value_is_intrinsic(value, INTRINSIC_WP_STATIC))
        return build_deferred_static(b, node);
    if (value_is_intrinsic(value, INTRINSIC_WP_GRAD))
        return build_grad_value(b, node);
    Callee callee = value_callee(b, value, path, count, func);
    return call_callee(b, &callee, node, expected_outputs);
}
