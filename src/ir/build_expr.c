/* Expressions. */
#include "base/suggest.h"
#include "ir/build.h"

#include <string.h>

IrVar *load(Builder *b, IrVar *var)
{
    return var->type->kind == TYPE_REF ? call_builtin(b, "load", &var, 1, NULL).var : var;
}

/* ---- names and constants ---- */

const char *similar_builtin(Builder *b, const char *name)
{
    Suggestion near = suggestion_for(name, strlen(name));
    for (uint32_t i = 0; i < builtin_set_count(b->unit->builtins); i++) {
        const BuiltinSet *set = builtin_set_at(b->unit->builtins, i);
        if (!(set->overloads[0]->flags & BUILTIN_HIDDEN))
            suggestion_offer(&near, set->name, strlen(set->name));
    }
    return near.best ? arena_format(b->arena, "did you mean wp.%.*s?", (int)near.best_length, near.best) : NULL;
}

/* A name of the kernel or of the file that is spelled nearly the same. */
static const char *similar_name(Builder *b, Name name)
{
    Suggestion near = suggestion_for(name->text, name->len);
    for (uint32_t i = 0; i < b->symbols.count && i < LIMIT_SUGGESTIONS; i++)
        suggestion_offer(&near, b->symbols.items[i].name->text, b->symbols.items[i].name->len);
    for (const Scope *scope = b->code->scope; scope; scope = scope->parent)
        for (uint32_t i = 0; i < scope->count && i < LIMIT_SUGGESTIONS && !b->code->scope->file->star_import; i++)
            suggestion_offer(&near, scope->bindings[i].name->text, scope->bindings[i].name->len);
    return near.best ? arena_format(b->arena, "did you mean '%.*s'?", (int)near.best_length, near.best) : NULL;
}

static _Noreturn void fail_undefined(Builder *b, const Node *node)
{
    const Value *why = undefined_name(b->unit, b->code->scope, node->name.id);
    if (!why->wrong)
        unsupported(b, node, "%s", why->reason);
    fail_hint(b, node, similar_name(b, node->name.id), "%s", why->reason);
}

static Eval build_name(Builder *b, const Node *node)
{
    Symbol *symbol = find_symbol(b, node->name.id);
    if (symbol)
        return symbol->eval;
    const Value *value = scope_find(reference_scope(b->code, node->name.id), node->name.id);
    if (!value || value->kind == VALUE_NONE)
        fail_undefined(b, node);
    switch (value->kind) {
    case VALUE_UNKNOWN: fail_unknown(b, node, quoted(b, node->name.id->text), value);
    case VALUE_ENUM_MEMBER:
        unsupported(b, node,
                    "a member of an enum under a name of its own is not supported: write it with the name of the enum");
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_SCALAR:
    case VALUE_COMPOSITE: {
        Eval eval = eval_var(add_constant(b, value));
        eval.var->is_of_module = true;
        set_symbol(b, node->name.id, eval);
        table_add(&b->code->constants_read, b->unit->arena, node->name.id);
        return eval;
    }
    case VALUE_TYPE:
        if (value->type->kind == TYPE_STRUCT)
            use_struct(b, value->type);
        return eval_value(value);
    case VALUE_FUNC:
    case VALUE_BUILTIN:
    case VALUE_MODULE:
    case VALUE_FILE:
    case VALUE_ENUM_CLASS: return eval_value(value);
    case VALUE_CLASS:
        if (!value->class_object.is_object)
            return eval_value(value);
        fail(b, node, "'%s' is an object of the program, which a kernel cannot use", node->name.id->text);
    default:
        fail(b, node,
             "'%s' is %s, which a kernel cannot use; of the module it can use numbers, vectors, types and Warp "
             "functions",
             node->name.id->text, value_kind_name(value->kind));
    }
}

static Eval build_constant(Builder *b, const Node *node)
{
    switch (node->constant.kind) {
    case CONSTANT_BOOL: return eval_var(add_constant(b, value_bool(node->constant.truth)));
    case CONSTANT_INT: return eval_var(add_constant(b, value_int(b->unit->arena, constant_integer(node))));
    case CONSTANT_FLOAT: return eval_var(add_constant(b, value_float(b->unit->arena, node->constant.real)));
    case CONSTANT_STR:
        return eval_var(add_constant(b, value_str(b->unit->arena, node->constant.text, node->constant.len)));
    case CONSTANT_NONE: fail(b, node, "None cannot be used in a kernel");
    default: fail(b, node, "complex numbers, bytes and '...' cannot be used in a kernel");
    }
}

/* ---- operators ---- */

static IrVar *variable_of(Builder *b, Eval eval, const Node *node);

bool has_operator(Builder *b, OpKind op)
{
    const Value *value = scope_find(b->code->scope, name_cstr(b->unit->names, op_builtin(op)));
    return value && value->kind == VALUE_FUNC;
}

bool operator_fits(Builder *b, OpKind op, const Arg *args, uint32_t count)
{
    return operator_overload(b, op_builtin(op), args, count) != NULL;
}

Eval call_operator(Builder *b, OpKind op, Eval left, Eval right, const Node *at)
{
    Arg args[] = {{.eval = left}, {.eval = right}};
    Func *func = operator_overload(b, op_builtin(op), args, 2);
    if (func)
        return call_func(b, func, args, 2, at);
    Eval operands[] = {left, right};
    return call_builtin_evals(b, op_builtin(op), operands, 2, at);
}

Eval build_operator(Builder *b, OpKind op, IrVar *left, IrVar *right, const Node *at)
{
    return call_operator(b, op, eval_var(left), eval_var(right), at);
}

/* `x.ndim`, `v.length`: numbers of Python, which become constants only where they are passed to something. */
static bool is_python_int(const Eval *eval)
{
    return eval->kind == EVAL_VALUE && eval->value->kind == VALUE_INT;
}

Eval build_operand(Builder *b, const Node *node)
{
    Eval eval = build_expr(b, node);
    return is_python_int(&eval) ? eval : eval_var(variable_of(b, eval, node));
}

static Eval build_binary(Builder *b, const Node *node)
{
    Eval left = build_operand(b, node->bin_op.left);
    Eval right = build_operand(b, node->bin_op.right);
    return call_operator(b, node->bin_op.op, left, right, node);
}

bool is_literal(Builder *b, const Node *node)
{
    const StaticValue *resolved = node->kind == NODE_CALL ? code_static(b->code, node) : NULL;
    return node->kind == NODE_CONSTANT || (resolved && resolved->value->kind != VALUE_FUNC);
}

static Eval build_unary(Builder *b, const Node *node)
{
    IrVar *operand = build_var(b, node->unary_op.operand);
    const Value *constant = operand->constant;
    bool plain =
        constant && (constant->kind == VALUE_INT || constant->kind == VALUE_FLOAT || constant->kind == VALUE_BOOL);
    if (plain && node->unary_op.op == OP_U_SUB) {
        Number number;
        value_as_number(constant, false, &number);
        const Value *negated =
            number.is_int ? value_int(b->unit->arena, -number.integer) : value_float(b->unit->arena, -number.real);
        if (!is_literal(b, node->unary_op.operand))
            return eval_var(add_constant(b, negated));
        operand->constant = negated; /* nothing else refers to a literal's variable */
        return eval_var(operand);
    }
    return call_builtin(b, op_builtin(node->unary_op.op), &operand, 1, node);
}

static Eval build_compare(Builder *b, const Node *node)
{
    uint32_t count = node->compare.comparators.count;
    IrVar *left = build_var(b, node->compare.left);
    IrVar **right = ARENA_ARRAY(b->arena, IrVar *, count);
    for (uint32_t i = 0; i < count; i++)
        right[i] = build_var(b, node->compare.comparators.items[i]);
    for (uint32_t i = 0; i < count; i++)
        if (!op_builtin(node->compare.ops[i]))
            fail_hint(b, node, "compare with == or !=, joined by 'and' or 'or'", "'%s' cannot be used in a kernel",
                      op_symbol(node->compare.ops[i]));
    IrVar *output = add_var(b, type_scalar(TYPE_BOOL), NULL);
    left = load(b, left);
    IrVar *previous = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (previous && previous->type != right[i]->type)
            fail(b, node->compare.comparators.items[i],
                 "the operands of a chain of comparisons must have the same type, not %s and %s",
                 repr(b, previous->type), repr(b, right[i]->type));
        previous = right[i] = load(b, right[i]);
    }
    IrNode *compare = add_node(b, IR_COMPARE);
    compare->compare = (IrCompare){output, left, right, node->compare.ops, count};
    return eval_var(output);
}

/* `a and b`: the second operand is computed only where it decides. */
static Eval build_logic(Builder *b, const Node *node)
{
    bool is_and = node->bool_op.op == OP_AND;
    IrVar *output = add_var(b, type_scalar(TYPE_BOOL), NULL);
    IrVar *first = load(b, build_var(b, node->bool_op.values.items[0]));
    IrNode *set = add_node(b, IR_SET);
    set->set.target = output;
    set->set.value = first;
    for (uint32_t i = 1; i < node->bool_op.values.count; i++) {
        IrNode *guard = add_node(b, IR_IF);
        guard->if_node = ARENA_NEW(b->arena, IrIf);
        guard->if_node->condition = guard->if_node->reverse_condition = output;
        guard->if_node->negated = !is_and;
        IrRegion *outer = b->region;
        b->region = &guard->if_node->body;
        IrVar *value = load(b, build_var(b, node->bool_op.values.items[i]));
        IrNode *logic = add_node(b, IR_LOGIC);
        logic->set.target = output;
        logic->set.value = value;
        logic->set.op = node->bool_op.op;
        b->region = outer;
    }
    return eval_var(output);
}

/* One arm of a conditional expression. */
static IrVar *build_arm(Builder *b, IrVar *condition, bool negated, const Node *expr)
{
    IrVar *loaded = load(b, condition);
    IrNode *node = add_node(b, IR_IF);
    node->if_node = ARENA_NEW(b->arena, IrIf);
    node->if_node->condition = loaded;
    node->if_node->negated = negated;
    IrRegion *outer = b->region;
    b->region = &node->if_node->body;
    IrVar *value = build_var(b, expr);
    bool copied = value->type->kind == TYPE_REF && b->unit->dialect->ternary_copies;
    value = copied ? call_builtin(b, "copy", &value, 1, expr).var : load(b, value);
    b->region = outer;
    node->if_node->reverse_condition = load(b, condition);
    return value;
}

static Eval build_conditional(Builder *b, const Node *node)
{
    IrVar *condition = build_var(b, node->if_exp.test);
    if (condition->constant) {
        bool known, truth = value_is_true(condition->constant, &known);
        return build_expr(b, truth ? node->if_exp.body : node->if_exp.orelse);
    }
    IrVar *body = build_arm(b, condition, false, node->if_exp.body);
    IrVar *orelse = build_arm(b, condition, true, node->if_exp.orelse);
    IrVar *args[] = {condition, body, orelse};
    return call_builtin(b, "where", args, 3, node);
}

/* ---- attributes ---- */

const char *vector_components(const Type *type)
{
    static const char *const names[] = {"", "x", "xy", "xyz", "xyzw"};
    uint32_t length = type->composite.rows;
    return names[length > 4 ? 4 : length];
}

/* "xyz" becomes "x, y, z". */
static const char *spaced(Builder *b, const char *letters)
{
    Text text;
    text_init_in(&text, b->arena);
    for (const char *c = letters; *c; c++) {
        text_str(&text, c == letters ? "" : ", ");
        text_char(&text, *c);
    }
    return text_cstr(&text);
}

IrVar *component_index(Builder *b, const Node *node, const Type *type)
{
    Name attr = node->attribute.attr;
    const char *components = vector_components(type);
    const char *found = attr->len == 1 ? strchr(components, attr->text[0]) : NULL;
    if (!found)
        fail(b, node, "%s has no component '%s'; its components are %s", repr(b, type), attr->text,
             spaced(b, components));
    return add_constant_int(b, found - components);
}

bool is_differentiable_value(const Type *type)
{
    return type->kind == TYPE_STRUCT || type_is_float(type_scalar_of(type));
}

static Eval member_by_address(Builder *b, IrVar *aggregate, const Type *type, Name field)
{
    const Type *aggregate_type = type_strip_reference(aggregate->type);
    if (type->kind == TYPE_POINTER)
        type = type_scalar(TYPE_UINT64);
    IrVar *out = add_var(b, type_ref(b->unit->types, type), NULL);
    const IrPath *origin = aggregate_type->kind == TYPE_ARRAY ? NULL : origin_of(b, aggregate);
    IrNode *member = add_node(b, IR_MEMBER);
    member->member.target = out;
    member->member.aggregate = aggregate;
    member->member.field = field;
    member->member.differentiable = is_differentiable_value(type);
    if (origin)
        member->member.origin = out->origin = extend_field(b, origin, aggregate_type, field);
    return eval_var(out);
}

static Eval component_of(Builder *b, const Node *node, IrVar *aggregate, const Type *type)
{
    IrVar *index = component_index(b, node, type);
    IrVar *args[] = {aggregate, index};
    Eval out = call_builtin(b, "extract", args, 2, node);
    const IrPath *origin = origin_of(b, aggregate);
    if (origin)
        out.var->origin = extend_indices(b, origin, STEP_INDEX, type, &args[1], 1);
    return out;
}

static Eval transform_part(Builder *b, const Node *node, IrVar *aggregate)
{
    Name attr = node->attribute.attr;
    if (!name_is(attr, "p") && !name_is(attr, "q"))
        fail(b, node, "a transform has the parts 'p' and 'q', not '%s'", attr->text);
    const char *getter = name_is(attr, "p") ? "transform_get_translation" : "transform_get_rotation";
    Eval out = call_builtin(b, getter, &aggregate, 1, node);
    const IrPath *origin = origin_of(b, aggregate);
    if (origin)
        out.var->origin = extend_field(b, origin, type_strip_reference(aggregate->type), attr);
    return out;
}

static _Noreturn void fail_no_attribute(Builder *b, const Node *node, const Type *type)
{
    Name attr = node->attribute.attr;
    if (type->kind != TYPE_STRUCT)
        fail(b, node, "%s has no attribute '%s' in a kernel", repr(b, type), attr->text);
    Suggestion near = suggestion_for(attr->text, attr->len);
    Text fields;
    text_init_in(&fields, b->arena);
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        Name field = type->decl->fields[i].name;
        suggestion_offer(&near, field->text, field->len);
        text_str(&fields, i ? ", " : "its fields are ");
        text_str(&fields, field->text);
    }
    const char *hint = near.best ? arena_format(b->arena, "did you mean '%.*s'?", (int)near.best_length, near.best)
                                 : text_cstr(&fields);
    fail_hint(b, node, hint, "struct '%s' has no field '%s'", type->decl->key->text, attr->text);
}

/* What a type itself knows: x.dtype, v.length. */
static Eval type_attribute(Builder *b, const Node *node, const Type *type)
{
    const Value *value = static_attribute(b->unit, value_type(b->unit->arena, type), node->attribute.attr);
    if (!value)
        fail_no_attribute(b, node, type);
    if (type->kind == TYPE_NATIVE && value_is_constant(value))
        return eval_var(add_constant(b, value));
    return eval_value(value);
}

static _Noreturn void fail_no_member(Builder *b, const Node *node, const Value *object)
{
    Name attr = node->attribute.attr;
    if (object->kind == VALUE_MODULE && is_followed_package(b->unit, object->module, attr))
        unsupported(b, node, "what is in module '%s.%s' is not followed here", object->module, attr->text);
    if (object->kind == VALUE_MODULE)
        fail_hint(b, node, similar_builtin(b, attr->text), "module '%s' has nothing named '%s' that kernels can use",
                  object->module, attr->text);
    fail(b, node, "%s has no attribute '%s'", value_kind_name(object->kind), attr->text);
}

static Eval static_member(Builder *b, const Node *node, const Value *object)
{
    Name attr = node->attribute.attr;
    const Value *value = static_attribute(b->unit, object, attr);
    if (!value)
        fail_no_member(b, node, object);
    if (value->kind == VALUE_UNKNOWN) {
        const BuiltinSet *set =
            object->kind == VALUE_MODULE ? builtin_find(b->unit->builtins, attr->text, attr->len) : NULL;
        if (set)
            return eval_value(value); /* the call decides */
        fail_unknown(b, node, quoted(b, attr->text), value);
    }
    bool is_constant = value->kind == VALUE_ENUM_MEMBER || value_is_constant(value);
    if (is_constant && object->kind == VALUE_FUNC) /* Warp makes a variable of it later, where it is used */
        unsupported(b, node, "a value cannot be read from an attribute of a function");
    if (value->kind == VALUE_ENUM_MEMBER)
        return eval_var(add_constant(b, value_int(b->unit->arena, value->member.value)));
    if (is_constant)
        return eval_var(add_constant(b, value));
    return eval_value(value);
}

static bool has_parts(const Type *type)
{
    return type->kind == TYPE_VEC || type->kind == TYPE_QUAT || type->kind == TYPE_TRANSFORM ||
           type->kind == TYPE_STRUCT;
}

/* A field of a constant has the type that the struct says, whatever number it was given. */
static const Value *typed_field(Builder *b, const Type *type, const Value *value)
{
    Number number;
    const Type *plain = type->kind == TYPE_HANDLE ? type_scalar(TYPE_UINT64) : type_canonical(type);
    bool scalar = type_is_scalar(plain) && value_as_number(value, true, &number);
    return scalar ? value_scalar(b->unit->arena, plain, number) : value;
}

static Eval constant_field(Builder *b, const Node *node, const Value *object)
{
    const StructDecl *decl = object->instance.type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (decl->fields[i].name == node->attribute.attr)
            return eval_var(add_constant(b, typed_field(b, decl->fields[i].type, object->instance.fields[i])));
    fail_no_attribute(b, node, object->instance.type);
}

Eval build_attribute(Builder *b, const Node *node, const Eval *given)
{
    Eval aggregate = given ? *given : build_expr(b, node->attribute.value);
    if (aggregate.kind == EVAL_VALUE && aggregate.value->kind == VALUE_TYPE)
        return type_attribute(b, node, aggregate.value->type);
    if (aggregate.kind == EVAL_VALUE)
        return static_member(b, node, aggregate.value);
    if (aggregate.kind != EVAL_VAR)
        fail(b, node, "several values have no attributes");
    IrVar *var = aggregate.var;
    const Type *type = type_strip_reference(var->type);
    if (var->constant && !(b->unit->dialect->constant_parts && has_parts(type)))
        return aggregate; /* also for vectors, before parts were known: Warp yields the whole constant */
    if (var->constant && var->constant->kind == VALUE_STRUCT)
        return constant_field(b, node, var->constant);
    Name attr = node->attribute.attr;
    bool of_type = name_is(attr, "dtype") || name_is(attr, "length");
    if (type->kind == TYPE_VEC || type->kind == TYPE_QUAT)
        return of_type ? type_attribute(b, node, type) : component_of(b, node, var, type);
    if (type->kind == TYPE_TRANSFORM)
        return of_type ? type_attribute(b, node, type) : transform_part(b, node, var);
    const Type *member = type_member(b->unit->types, type, attr);
    if (member)
        return member_by_address(b, var, member, attr);
    return type_attribute(b, node, type);
}

/* ---- the rest ---- */

Eval build_tuple_var(Builder *b, IrVar **items, uint32_t count, const Node *at)
{
    return call_builtin(b, "tuple", items, count, at);
}

static Eval build_tuple(Builder *b, const Node *node)
{
    uint32_t count = node->sequence.elts.count;
    IrVar **items = ARENA_ARRAY(b->arena, IrVar *, count);
    for (uint32_t i = 0; i < count; i++)
        items[i] = build_var(b, node->sequence.elts.items[i]);
    return build_tuple_var(b, items, count, node);
}

static IrVar *variable_of(Builder *b, Eval eval, const Node *node)
{
    if (is_python_int(&eval))
        fail_hint(b, node, "convert it: int(...)",
                  "a number that belongs to a type can only be an operand or an argument here");
    if (eval.kind == EVAL_VAR)
        return eval.var;
    if (eval.kind == EVAL_VOID)
        fail(b, node, "this call returns no value");
    if (eval.kind == EVAL_VALUE && (eval.value->kind == VALUE_FUNC || eval.value->kind == VALUE_BUILTIN))
        unsupported(b, node, "a value is expected here, not %s", eval_repr(b, &eval)); /* f, g = one, other */
    fail(b, node, "a value is expected here, not %s", eval_repr(b, &eval));
}

IrVar *build_var(Builder *b, const Node *node)
{
    return variable_of(b, build_expr(b, node), node);
}

IrVar *target_var(Builder *b, const Node *node)
{
    return variable_of(b, build_target(b, node), node);
}

void enter_nesting(Builder *b, const Node *node)
{
    if (++b->nesting > LIMIT_NESTING)
        unsupported(b, node, "expressions and statements are nested more than %d deep, through the functions called",
                    LIMIT_NESTING);
}

static Eval build_any(Builder *b, const Node *node)
{
    switch (node->kind) {
    case NODE_NAME: return build_name(b, node);
    case NODE_CONSTANT: return build_constant(b, node);
    case NODE_ATTRIBUTE: return build_attribute(b, node, NULL);
    case NODE_SUBSCRIPT: return build_subscript(b, node);
    case NODE_SLICE: return build_slice(b, node);
    case NODE_CALL: return build_call_node(b, node, 0);
    case NODE_BIN_OP: return build_binary(b, node);
    case NODE_UNARY_OP: return build_unary(b, node);
    case NODE_COMPARE: return build_compare(b, node);
    case NODE_BOOL_OP: return build_logic(b, node);
    case NODE_IF_EXP: return build_conditional(b, node);
    case NODE_TUPLE: return build_tuple(b, node);
    case NODE_LIST:
        fail_hint(b, node, "use a vector such as wp.vec3(), or wp.zeros(shape=N, dtype=...)",
                  "a list cannot be used in a kernel");
    case NODE_JOINED_STR:
        fail_hint(b, node, "print the values themselves, or use wp.printf() with a format",
                  "an f-string cannot be used in a kernel");
    case NODE_LAMBDA: fail_hint(b, node, "write a function with @wp.func", "a lambda cannot be used in a kernel");
    default: fail(b, node, "%s cannot be used in a kernel", node_kind_words(node->kind));
    }
}

Eval build_expr(Builder *b, const Node *node)
{
    enter_nesting(b, node);
    Eval eval = build_any(b, node);
    if (b->unit->keep_types)
        note_eval(b, node, &eval);
    b->nesting--;
    return eval;
}
