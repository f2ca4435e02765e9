/* Expressions at module level, in annotations and in wp.static(): evaluated as Python would. */
#include "front/static_impl.h"
#include "front/unit.h"

#include <math.h>
#include <string.h>

/* Takes as many steps from those that the module level may use. */
static bool spend(Unit *unit, uint32_t amount)
{
    uint32_t left = unit->step_limit > unit->steps ? unit->step_limit - unit->steps : 0;
    unit->steps += amount < left + 1 ? amount : left + 1;
    return unit->steps <= unit->step_limit;
}

void allow_file_steps(Unit *unit, const Source *source)
{
    enum { MOST = 1 << 30 };
    unit->steps = 0;
    unit->step_limit = LIMIT_LOAD_STEPS + LIMIT_LOOP_STEPS + (uint32_t)(source->len < MOST ? source->len : MOST);
}

void allow_kernel_steps(Unit *unit)
{
    unit->steps = 0;
    unit->step_limit = LIMIT_LOAD_STEPS;
}

bool step(Unit *unit)
{
    return spend(unit, 1);
}

const Value *too_long(Unit *unit)
{
    return value_unknown(unit->arena, "evaluating the module level takes more than %u steps", unit->step_limit);
}

/* ---- scopes ---- */

Scope *scope_new(Unit *unit, const Scope *parent, const char *qualname)
{
    Scope *scope = ARENA_NEW(unit->arena, Scope);
    scope->file = parent ? parent->file : NULL;
    scope->parent = parent;
    scope->qualname = qualname;
    return scope;
}

/* Where a name is in the table, or belongs. The table is not empty. Slots are numbers alone: a module may have millions. */
static uint32_t *binding_slot(const Scope *scope, Name name)
{
    uint32_t mask = scope->slot_count - 1, i = name->hash & mask;
    while (scope->slots[i] && scope->bindings[scope->slots[i] - 1].name != name)
        i = (i + 1) & mask;
    return &scope->slots[i];
}

static void add_slots(Unit *unit, Scope *scope)
{
    uint32_t *old = scope->slots;
    size_t old_size = scope->slot_count * sizeof *old;
    scope->slot_count = scope->slot_count ? scope->slot_count * 2 : 16;
    scope->slots = ARENA_ARRAY(unit->arena, uint32_t, scope->slot_count);
    for (uint32_t i = 0; i < scope->count; i++)
        *binding_slot(scope, scope->bindings[i].name) = i + 1;
    arena_give_back(unit->arena, old, old_size);
}

const Value *scope_find_here(const Scope *scope, Name name)
{
    uint32_t number = scope->slot_count ? *binding_slot(scope, name) : 0;
    return number ? scope->bindings[number - 1].value : NULL;
}

const Value *scope_find(const Scope *scope, Name name)
{
    for (; scope; scope = scope->parent) {
        const Value *value = scope_find_here(scope, name);
        if (value)
            return value;
    }
    return NULL;
}

void scope_bind(Unit *unit, Scope *scope, Name name, const Value *value)
{
    if (scope->count >= scope->slot_count / 2)
        add_slots(unit, scope);
    uint32_t *slot = binding_slot(scope, name);
    if (*slot) {
        scope->bindings[*slot - 1].value = value;
        return;
    }
    Binding *old = scope->bindings;
    uint32_t old_cap = scope->cap;
    ARENA_PUSH(unit->arena, scope->bindings, scope->count, scope->cap) = (Binding){name, value};
    if (scope->cap != old_cap)
        arena_give_back(unit->arena, old, old_cap * sizeof *old);
    *slot = scope->count;
}

/* ---- numbers ---- */

static double number_real(Number n)
{
    return n.is_int ? (double)n.integer : n.real;
}

static bool fits(BigInt value)
{
    BigInt limit = (BigInt)1 << LIMIT_INTEGER_BITS; /* far from overflow */
    return value < limit && value > -limit;
}

static BigInt floor_div(BigInt a, BigInt b)
{
    BigInt quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/* a * b, if that is small enough. */
static bool multiply(BigInt a, BigInt b, BigInt *out)
{
    return !__builtin_mul_overflow(a, b, out) && fits(*out);
}

/* By squaring: as many rounds as the exponent has bits. */
static const Value *int_power(Unit *unit, BigInt base, BigInt exponent)
{
    BigInt result = 1;
    bool known = true;
    for (; known && exponent > 0; exponent /= 2) {
        if (exponent % 2)
            known = multiply(result, base, &result);
        if (known && exponent > 1)
            known = multiply(base, base, &base);
    }
    return known ? value_int(unit->arena, result) : value_unknown(unit->arena, "the power is too large");
}

/* a // b as Python rounds it: from the remainder, not from the rounded quotient. */
static double float_floor_div(double a, double b, double *rest)
{
    double mod = fmod(a, b), div = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) {
        mod += b;
        div -= 1.0;
    } else if (mod == 0)
        mod = copysign(0.0, b);
    *rest = mod;
    if (div == 0)
        return copysign(0.0, a / b);
    double whole = floor(div);
    return div - whole > 0.5 ? whole + 1.0 : whole;
}

static const Value *float_op(Unit *unit, OpKind op, double a, double b)
{
    Arena *arena = unit->arena;
    double rest, result;
    bool divides = op == OP_DIV || op == OP_FLOOR_DIV || op == OP_MOD;
    if (divides && b == 0)
        return value_wrong(arena, "division by zero");
    switch (op) {
    case OP_ADD: return value_float(arena, a + b);
    case OP_SUB: return value_float(arena, a - b);
    case OP_MULT: return value_float(arena, a * b);
    case OP_DIV: return value_float(arena, a / b);
    case OP_FLOOR_DIV: return value_float(arena, float_floor_div(a, b, &rest));
    case OP_MOD: float_floor_div(a, b, &rest); return value_float(arena, rest);
    case OP_POW: /* Python raises an error, or answers with a complex number */
        result = pow(a, b);
        if ((!isfinite(result) && isfinite(a) && isfinite(b)) || isnan(result))
            return value_unknown(arena, "the power is not a finite number");
        return value_float(arena, result);
    default: return value_unknown(arena, "'%s' of floats is not computed", op_symbol(op));
    }
}

static const Value *int_op(Unit *unit, OpKind op, BigInt a, BigInt b)
{
    Arena *arena = unit->arena;
    if (!fits(a) || !fits(b))
        return value_unknown(arena, "the integer is too large");
    switch (op) {
    case OP_ADD: return value_int(arena, a + b);
    case OP_SUB: return value_int(arena, a - b);
    case OP_MULT: {
        BigInt product;
        return multiply(a, b, &product) ? value_int(arena, product) : value_unknown(arena, "the product is too large");
    }
    case OP_FLOOR_DIV: return b ? value_int(arena, floor_div(a, b)) : value_wrong(arena, "division by zero");
    case OP_MOD: return b ? value_int(arena, a - floor_div(a, b) * b) : value_wrong(arena, "division by zero");
    case OP_DIV: return b ? value_float(arena, (double)a / (double)b) : value_wrong(arena, "division by zero");
    case OP_POW: return b < 0 ? float_op(unit, op, (double)a, (double)b) : int_power(unit, a, b);
    case OP_BIT_AND: return value_int(arena, a & b);
    case OP_BIT_OR: return value_int(arena, a | b);
    case OP_BIT_XOR: return value_int(arena, a ^ b);
    case OP_L_SHIFT:
        return b >= 0 && b < 64 && fits(a >> 36 ? (BigInt)1 << 120 : a)
                   ? value_int(arena, a * ((BigInt)1 << b))
                   : value_unknown(arena, "the shift is too large");
    case OP_R_SHIFT:
        return b >= 0 ? value_int(arena, b > 120 ? (a < 0 ? -1 : 0) : a >> b)
                      : value_wrong(arena, "a shift by a negative number");
    default: return value_unknown(arena, "'%s' of integers is not computed", op_symbol(op));
    }
}

/* Vectors and matrices: element by element, rounded to their type as Warp's native code does. */
static const Value *composite_op(Unit *unit, OpKind op, const Value *a, const Value *b)
{
    Arena *arena = unit->arena;
    const Value *shape = a->kind == VALUE_COMPOSITE ? a : b;
    const Type *type = shape->composite.type;
    uint32_t count = shape->composite.count;
    bool both = a->kind == b->kind;
    TypeKind kind = type->composite.dtype->kind;
    bool is_float = kind == TYPE_FLOAT32 || kind == TYPE_FLOAT64;
    Number scalar = {0};
    if (!is_float || (both && !types_equal(a->composite.type, b->composite.type)) ||
        (both && op != OP_ADD && op != OP_SUB) || (!both && op != OP_MULT && !(op == OP_DIV && shape == a)) ||
        (!both && !value_as_number(shape == a ? b : a, true, &scalar)))
        return value_unknown(arena, "'%s' of these vectors or matrices is not computed", op_symbol(op));
    double factor = round_to_type(number_real(scalar), kind);
    Number *out = ARENA_ARRAY(arena, Number, count);
    for (uint32_t i = 0; i < count; i++) {
        double x = (both ? a : shape)->composite.elements[i].real;
        double y = both ? b->composite.elements[i].real : factor;
        out[i].real = op == OP_ADD ? x + y : op == OP_SUB ? x - y : op == OP_DIV ? x / y : x * y;
    }
    return value_composite(arena, type, out, count);
}

static const Value *sequence_op(Unit *unit, OpKind op, const Value *a, const Value *b)
{
    BigInt times = 1;
    bool repeat = op == OP_MULT && (value_as_int(b, &times) || value_as_int(a, &times));
    const Value *first = a->kind == VALUE_TUPLE || a->kind == VALUE_LIST ? a : b;
    if (repeat) {
        if (times < 0)
            times = 0;
        if (first->sequence.count && times > LIMIT_SEQUENCE / first->sequence.count)
            return value_unknown(unit->arena, "the sequence is too long");
        uint32_t count = first->sequence.count ? (uint32_t)times * first->sequence.count : 0;
        if (!spend(unit, count))
            return too_long(unit);
        const Value **items = ARENA_ARRAY(unit->arena, const Value *, count);
        for (uint32_t i = 0; i < count; i++)
            items[i] = first->sequence.items[i % first->sequence.count];
        return value_sequence(unit->arena, first->kind, items, count);
    }
    if (op == OP_ADD && a->kind == b->kind) {
        uint32_t count = a->sequence.count + b->sequence.count;
        if (count > LIMIT_SEQUENCE)
            return value_unknown(unit->arena, "the sequence is too long");
        if (!spend(unit, count))
            return too_long(unit);
        const Value **items = ARENA_ARRAY(unit->arena, const Value *, count);
        for (uint32_t i = 0; i < count; i++)
            items[i] = i < a->sequence.count ? a->sequence.items[i] : b->sequence.items[i - a->sequence.count];
        return value_sequence(unit->arena, a->kind, items, count);
    }
    return value_unknown(unit->arena, "'%s' of sequences is not computed", op_symbol(op));
}

static bool is_sequence(const Value *value)
{
    return value->kind == VALUE_TUPLE || value->kind == VALUE_LIST;
}

const Value *static_binary(Unit *unit, OpKind op, const Value *a, const Value *b)
{
    if (a->kind == VALUE_UNKNOWN)
        return a;
    if (b->kind == VALUE_UNKNOWN)
        return b;
    if ((a->kind == VALUE_TYPE && a->of_variable) || (b->kind == VALUE_TYPE && b->of_variable))
        return value_wrong(unit->arena, "it depends on a variable of the kernel");
    Number x, y;
    if (value_as_number(a, false, &x) && value_as_number(b, false, &y)) {
        if (x.is_int && y.is_int)
            return int_op(unit, op, x.integer, y.integer);
        return float_op(unit, op, number_real(x), number_real(y));
    }
    if (a->kind == VALUE_COMPOSITE || b->kind == VALUE_COMPOSITE)
        return composite_op(unit, op, a, b);
    if (is_sequence(a) || is_sequence(b))
        return sequence_op(unit, op, a, b);
    if (op == OP_ADD && a->kind == VALUE_STR && b->kind == VALUE_STR)
        return join_texts(unit, a, b);
    return value_unknown(unit->arena, "'%s' of %s and %s is not computed", op_symbol(op), value_kind_name(a->kind),
                         value_kind_name(b->kind));
}

static const Value *static_unary(Unit *unit, OpKind op, const Value *a)
{
    Number x;
    if (a->kind == VALUE_UNKNOWN)
        return a;
    if (op == OP_NOT) {
        bool known, truth = value_is_true(a, &known);
        return known ? value_bool(!truth) : value_wrong(unit->arena, "it depends on a variable of the kernel");
    }
    if (value_as_number(a, false, &x)) {
        if (op == OP_U_ADD)
            return value_number(unit->arena, x);
        if (op == OP_U_SUB)
            return x.is_int ? value_int(unit->arena, -x.integer) : value_float(unit->arena, -x.real);
        if (op == OP_INVERT && x.is_int)
            return value_int(unit->arena, ~x.integer);
    }
    if (a->kind == VALUE_COMPOSITE && op == OP_U_SUB)
        return composite_op(unit, OP_MULT, a, value_float(unit->arena, -1.0));
    return value_unknown(unit->arena, "'%s' of %s is not computed", op_symbol(op), value_kind_name(a->kind));
}

/* Compares tuples of numbers by the first pair that differs. False: an element is no integer. */
static bool compare_sequences(const Value *a, const Value *b, int *order)
{
    uint32_t count = a->sequence.count < b->sequence.count ? a->sequence.count : b->sequence.count;
    for (uint32_t i = 0; i < count; i++) {
        Number x, y;
        if (!value_as_number(a->sequence.items[i], false, &x) || !value_as_number(b->sequence.items[i], false, &y) ||
            !x.is_int || !y.is_int)
            return false;
        *order = x.integer < y.integer ? -1 : x.integer > y.integer;
        if (*order)
            return true;
    }
    *order = a->sequence.count < b->sequence.count ? -1 : a->sequence.count > b->sequence.count;
    return true;
}

/* -1, 0, 1; 2 where neither holds (NaN); false: not comparable here. */
static bool compare_values(const Value *a, const Value *b, int *order)
{
    Number x, y;
    if (value_as_number(a, false, &x) && value_as_number(b, false, &y)) {
        if (x.is_int && y.is_int)
            *order = x.integer < y.integer ? -1 : x.integer > y.integer;
        else {
            double p = number_real(x), q = number_real(y);
            *order = p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
        }
        return true;
    }
    if (a->kind == VALUE_STR && b->kind == VALUE_STR) {
        bool same = a->str.len == b->str.len && memcmp(a->str.text, b->str.text, a->str.len) == 0;
        *order = same ? 0 : 2;
        return true;
    }
    if (is_sequence(a) && a->kind == b->kind)
        return compare_sequences(a, b, order);
    if (a->kind == VALUE_TYPE && b->kind == VALUE_TYPE) {
        *order = types_equal(a->type, b->type) ? 0 : 2;
        return true;
    }
    if (a->kind == VALUE_NONE || b->kind == VALUE_NONE) {
        *order = a->kind == b->kind ? 0 : 2;
        return true;
    }
    return false;
}

static const Value *compare_one(Unit *unit, OpKind op, const Value *a, const Value *b)
{
    int order;
    if (op == OP_IN || op == OP_NOT_IN) {
        const Value *found = value_contains(unit, b, a);
        return found->kind == VALUE_BOOL ? value_bool(found->truth == (op == OP_IN)) : found;
    }
    bool by_identity = op == OP_EQ || op == OP_IS || op == OP_NOT_EQ || op == OP_IS_NOT;
    if (by_identity && !compare_values(a, b, &order)) {
        Equality equal = values_equal(a, b);
        if (equal != EQUAL_UNSURE)
            return value_bool((equal == EQUAL_YES) == (op == OP_EQ || op == OP_IS));
    }
    if (!compare_values(a, b, &order))
        return value_unknown(unit->arena, "%s and %s are not compared", value_kind_name(a->kind),
                             value_kind_name(b->kind));
    switch (op) {
    case OP_EQ:
    case OP_IS: return value_bool(order == 0);
    case OP_NOT_EQ:
    case OP_IS_NOT: return value_bool(order != 0);
    case OP_LT: return value_bool(order == -1);
    case OP_LT_E: return value_bool(order == -1 || order == 0);
    case OP_GT: return value_bool(order == 1);
    default: return value_bool(order == 1 || order == 0);
    }
}

static const Value *eval_compare(Unit *unit, const Node *node, const Scope *scope)
{
    const Value *left = static_eval(unit, node->compare.left, scope);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        const Value *right = static_eval(unit, node->compare.comparators.items[i], scope);
        if (left->kind == VALUE_UNKNOWN)
            return left;
        if (right->kind == VALUE_UNKNOWN)
            return right;
        const Value *result = compare_one(unit, node->compare.ops[i], left, right);
        if (result->kind == VALUE_UNKNOWN || !result->truth)
            return result;
        left = right;
    }
    return value_bool(true);
}

/* ---- the rest of the expressions ---- */

static const Value *eval_constant(Unit *unit, const Node *node)
{
    switch (node->constant.kind) {
    case CONSTANT_NONE: return value_none();
    case CONSTANT_BOOL: return value_bool(node->constant.truth);
    case CONSTANT_INT: return value_int(unit->arena, constant_integer(node));
    case CONSTANT_FLOAT: return value_float(unit->arena, node->constant.real);
    case CONSTANT_STR: return value_str(unit->arena, node->constant.text, node->constant.len);
    case CONSTANT_ELLIPSIS: {
        Value *value = ARENA_NEW(unit->arena, Value);
        value->kind = VALUE_ELLIPSIS;
        return value;
    }
    default: return value_unknown(unit->arena, "complex numbers and bytes cannot be used in kernels");
    }
}

const Value *undefined_name(Unit *unit, const Scope *scope, Name name)
{
    const char *star_import = scope->file->star_import;
    bool star_of_warp = star_import && strcmp(star_import, "warp") == 0;
    if (star_of_warp && builtin_find(unit->builtins, name->text, name->len))
        return value_wrong(unit->arena,
                           "'%s' does not come with 'from warp import *'; write 'import warp as wp' and wp.%s",
                           name->text, name->text);
    if (star_import)
        return value_unknown(unit->arena, "'%s' may come from 'from %s import *', whose names weft does not all know",
                             name->text, star_import);
    if (name_is(name, "wp") || name_is(name, "warp"))
        return value_wrong(unit->arena, "'%s' is not defined: the file lacks 'import warp%s'", name->text,
                           name_is(name, "wp") ? " as wp" : "");
    const Value *own = warp_attribute(unit, name);
    if (own)
        return value_wrong(unit->arena, "'%s' is not defined; write wp.%s", name->text, name->text);
    return value_wrong(unit->arena, "'%s' is not defined", name->text);
}

static const Value *eval_name(Unit *unit, const Node *node, const Scope *scope)
{
    const Value *value = scope_find(scope, node->name.id);
    const char *module = scope->file->module_name;
    if (!value && module && name_is(node->name.id, "__name__"))
        return value_str(unit->arena, module, (uint32_t)strlen(module));
    if (!value)
        value = python_builtin(unit, node->name.id);
    return value ? value : undefined_name(unit, scope, node->name.id);
}

static const Value *eval_items(Unit *unit, const NodeList *elts, ValueKind kind, const Scope *scope)
{
    const Value **items = NULL;
    uint32_t count = 0, cap = 0;
    for (uint32_t i = 0; i < elts->count; i++) {
        bool starred = elts->items[i]->kind == NODE_STARRED;
        const Value *value = static_eval(unit, starred ? elts->items[i]->wrap.value : elts->items[i], scope);
        if (starred && !is_sequence(value))
            return value->kind == VALUE_UNKNOWN ? value
                                                : value_unknown(unit->arena, "a starred element is not followed");
        uint32_t more = starred ? value->sequence.count : 1;
        if (count + more > LIMIT_SEQUENCE)
            return value_unknown(unit->arena, "the sequence is too long");
        for (uint32_t k = 0; k < more; k++)
            ARENA_PUSH(unit->arena, items, count, cap) = starred ? value->sequence.items[k] : value;
    }
    return value_sequence(unit->arena, kind, items, count);
}

static const Value *eval_dict(Unit *unit, const Node *node, const Scope *scope)
{
    uint32_t count = node->dict.values.count;
    const Value *dict = value_dict(unit, count);
    for (uint32_t i = 0; i < count; i++) {
        const Node *key = node->dict.keys.items[i];
        const Value *key_value = key ? static_eval(unit, key, scope) : NULL;
        const Value *value = static_eval(unit, node->dict.values.items[i], scope);
        if (key)
            dict_put(unit, dict, key_value, value);
        else
            dict_merge(unit, dict, value);
    }
    return dict;
}

static const Value *eval_set(Unit *unit, const Node *node, const Scope *scope)
{
    const Value *items = eval_items(unit, &node->sequence.elts, VALUE_LIST, scope);
    return items->kind == VALUE_LIST ? value_set(unit, items->sequence.items, items->sequence.count) : items;
}

static const Value *index_sequence(Unit *unit, const Value *object, BigInt index)
{
    uint32_t count = object->kind == VALUE_COMPOSITE ? object->composite.count : object->sequence.count;
    if (index < 0)
        index += count;
    if (index < 0 || index >= count)
        return value_wrong(unit->arena, "the index is out of range");
    if (object->kind == VALUE_COMPOSITE)
        return composite_element(unit->arena, object, (uint32_t)index);
    return object->sequence.items[(uint32_t)index];
}

/* A bound of a slice, from the end where it is negative. False: it is not known. */
static bool slice_bound(Unit *unit, const Node *node, const Scope *scope, uint32_t count, BigInt *bound)
{
    if (!node)
        return true;
    if (!value_as_int(static_eval(unit, node, scope), bound))
        return false;
    *bound += *bound < 0 ? count : 0;
    *bound = *bound < 0 ? 0 : *bound > count ? count : *bound;
    return true;
}

static const Value *slice_sequence(Unit *unit, const Value *object, const Node *slice, const Scope *scope)
{
    uint32_t count = is_sequence(object) ? object->sequence.count : 0;
    BigInt first = 0, last = count;
    bool known = is_sequence(object) && !slice->slice.step &&
                 slice_bound(unit, slice->slice.lower, scope, count, &first) &&
                 slice_bound(unit, slice->slice.upper, scope, count, &last);
    if (!known)
        return value_unknown(unit->arena, "slices are not followed");
    uint32_t length = last > first ? (uint32_t)(last - first) : 0;
    const Value **items = ARENA_ARRAY(unit->arena, const Value *, length);
    for (uint32_t i = 0; i < length; i++)
        items[i] = object->sequence.items[(uint32_t)first + i];
    return value_sequence(unit->arena, object->kind, items, length);
}

static const Value *eval_subscript(Unit *unit, const Node *node, const Scope *scope)
{
    const Value *object = static_eval(unit, node->subscript.value, scope);
    if (object->kind == VALUE_UNKNOWN)
        return object;
    const Type *annotated = subscript_annotation(unit, object, node->subscript.slice, scope);
    if (annotated)
        return value_type(unit->arena, annotated);
    if (node->subscript.slice->kind == NODE_SLICE)
        return slice_sequence(unit, object, node->subscript.slice, scope);
    const Value *index = static_eval(unit, node->subscript.slice, scope);
    if (index->kind == VALUE_UNKNOWN || value_is_intrinsic(object, INTRINSIC_TYPING_LITERAL))
        return index;
    BigInt at;
    bool vector = object->kind == VALUE_COMPOSITE && object->composite.type->kind != TYPE_MAT;
    if ((is_sequence(object) || vector) && value_as_int(index, &at))
        return index_sequence(unit, object, at);
    if (value_is_intrinsic(object, INTRINSIC_WP_NUMPY_TYPES))
        return numpy_type(unit, index);
    if (object->kind == VALUE_DICT)
        return dict_item(unit, object, index);
    return value_unknown(unit->arena, "%s is not indexed here", value_kind_name(object->kind));
}

static const Value *eval_bool_op(Unit *unit, const Node *node, const Scope *scope)
{
    const Value *value = NULL;
    for (uint32_t i = 0; i < node->bool_op.values.count; i++) {
        value = static_eval(unit, node->bool_op.values.items[i], scope);
        bool known, truth = value_is_true(value, &known);
        if (!known || truth == (node->bool_op.op == OP_OR))
            return value;
    }
    return value;
}

static const Value *attribute_of(Unit *unit, const Value *object, Name name)
{
    if (object->kind == VALUE_UNKNOWN)
        return object;
    const Value *value = static_attribute(unit, object, name);
    return value ? value
                 : value_unknown(unit->arena, "%s has no attribute '%s' that weft knows", value_kind_name(object->kind),
                                 name->text);
}

static const Value *eval_attribute(Unit *unit, const Node *node, const Scope *scope)
{
    const Node *call = node->attribute.value->kind == NODE_CALL ? node->attribute.value : NULL;
    const Value *cls = call ? plain_value(unit, call->call.func, scope) : NULL;
    if (cls && cls->kind == VALUE_CLASS && !cls->class_object.is_object)
        return attribute_of_call(unit, call, cls, node->attribute.attr, scope);
    return attribute_of(unit, static_eval(unit, node->attribute.value, scope), node->attribute.attr);
}

static bool has_methods(const Value *value)
{
    return is_sequence(value) || value->kind == VALUE_DICT || value->kind == VALUE_STR;
}

static const Value *eval_call(Unit *unit, const Node *node, const Scope *scope)
{
    const Node *func = node->call.func;
    if (func->kind != NODE_ATTRIBUTE)
        return static_call(unit, node, static_eval(unit, func, scope), scope);
    const Value *object = static_eval(unit, func->attribute.value, scope);
    if (has_methods(object))
        return static_method(unit, node, object, scope);
    const Value *callee = attribute_of(unit, object, func->attribute.attr);
    if (object->kind == VALUE_CLASS && object->class_object.is_object && callee->kind == VALUE_PYTHON_FUNC) {
        lose_call(unit, callee->python, LOST_ALL);
        forget_object(unit, object);
        callee = value_unknown(unit->arena, "methods of objects are not followed");
    }
    return static_call(unit, node, callee, scope);
}

static const Value *eval_lambda(Unit *unit, const Node *node, const Scope *scope)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_PYTHON_FUNC;
    value->python =
        python_func(unit, node, node->lambda.params, scope, arena_format(unit->arena, "%s<lambda>", scope->qualname));
    return value;
}

static const Value *eval_node(Unit *unit, const Node *node, const Scope *scope)
{
    switch (node->kind) {
    case NODE_CONSTANT: return eval_constant(unit, node);
    case NODE_NAME: return eval_name(unit, node, scope);
    case NODE_ATTRIBUTE: return eval_attribute(unit, node, scope);
    case NODE_SUBSCRIPT: return eval_subscript(unit, node, scope);
    case NODE_TUPLE: return eval_items(unit, &node->sequence.elts, VALUE_TUPLE, scope);
    case NODE_LIST: return eval_items(unit, &node->sequence.elts, VALUE_LIST, scope);
    case NODE_DICT: return eval_dict(unit, node, scope);
    case NODE_SET: return eval_set(unit, node, scope);
    case NODE_BIN_OP:
        return static_binary(unit, node->bin_op.op, static_eval(unit, node->bin_op.left, scope),
                             static_eval(unit, node->bin_op.right, scope));
    case NODE_UNARY_OP: return static_unary(unit, node->unary_op.op, static_eval(unit, node->unary_op.operand, scope));
    case NODE_COMPARE: return eval_compare(unit, node, scope);
    case NODE_BOOL_OP: return eval_bool_op(unit, node, scope);
    case NODE_IF_EXP: {
        bool known, truth = value_is_true(static_eval(unit, node->if_exp.test, scope), &known);
        if (!known) {
            lose_statement(unit, node, scope);
            return value_unknown(unit->arena, "it depends on a condition that is not known");
        }
        return static_eval(unit, truth ? node->if_exp.body : node->if_exp.orelse, scope);
    }
    case NODE_CALL: return eval_call(unit, node, scope);
    case NODE_LIST_COMP:
    case NODE_DICT_COMP:
    case NODE_GENERATOR_EXP: return eval_comprehension(unit, node, scope);
    case NODE_JOINED_STR: return eval_fstring(unit, node, scope);
    case NODE_LAMBDA: return eval_lambda(unit, node, scope);
    default:
        lose_statement(unit, node, scope);
        return value_unknown(unit->arena, "%s is not evaluated at module level", node_kind_words(node->kind));
    }
}

const Value *static_eval(Unit *unit, const Node *node, const Scope *scope)
{
    if (!step(unit))
        return too_long(unit);
    if (unit->eval_depth >= LIMIT_LOAD_DEPTH)
        return value_unknown(unit->arena, "the expression is nested too deeply");
    unit->eval_depth++;
    const Value *value = eval_node(unit, node, scope);
    unit->eval_depth--;
    if (value->kind == VALUE_UNKNOWN && node->kind != NODE_NAME)
        return note_object(unit, node, scope, value);
    if (value->kind == VALUE_TYPE && value->type->depth > LIMIT_TYPE_DEPTH)
        return value_unknown(unit->arena, "types are nested more than %d deep", LIMIT_TYPE_DEPTH);
    return value;
}

/* ---- attributes ---- */

static const Value *volume_attribute(Unit *unit, Name name)
{
    static const struct {
        const char *name;
        int value;
    } rows[] = {
#define VOLUME_INT(name, value) {name, value},
#include "front/warp_module.def"
#undef VOLUME_INT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name_is(name, rows[i].name))
            return value_int(unit->arena, rows[i].value);
    return NULL;
}

static const Value *type_attribute(Unit *unit, const Type *type, Name name)
{
    if (type_is_value(type) && name_is(name, "dtype"))
        return value_type(unit->arena, type_scalar_of(type));
    if (type_is_value(type) && name_is(name, "length"))
        return value_int(unit->arena, type_parts(type));
    if (type_is_scalar(type) && name_is(name, "_type_"))
        return ctype_of(unit, type);
    if (type->kind == TYPE_ARRAY && name_is(name, "dtype"))
        return value_type(unit->arena, type->array.dtype);
    if (type->kind == TYPE_NATIVE && strcmp(type->native->python_name, "Volume") == 0)
        return volume_attribute(unit, name);
    if (type->kind == TYPE_ARRAY && name_is(name, "ndim") && type->array.ndim)
        return value_int(unit->arena, type->array.ndim);
    return NULL;
}

/* What `dtype.__name__` is; NULL: that is not known. */
static const char *type_own_name(Unit *unit, const Value *value)
{
    const Type *type = value->type;
    if (type->kind == TYPE_STRUCT || value->made_by)
        return NULL;
    if (!type_is_scalar(type) && type->kind != TYPE_BOOL && !type_is_composite(type))
        return NULL;
    Text out;
    text_init_in(&out, unit->arena);
    bool spatial = (type->kind == TYPE_VEC || type->kind == TYPE_MAT) && type->composite.rows == 6;
    if (spatial) {
        TypeKind kind = type->composite.dtype->kind;
        text_str(&out, type->kind == TYPE_VEC ? "spatial_vector" : "spatial_matrix");
        text_char(&out, kind == TYPE_FLOAT16 ? 'h' : kind == TYPE_FLOAT32 ? 'f' : 'd');
        return text_cstr(&out);
    }
    type_repr(type, &out);
    bool usual = true; /* else it has a class whose name does not tell its parts */
    for (size_t i = 0; i < out.len; i++)
        usual &= out.data[i] != '(' && out.data[i] != ' ' && out.data[i] != ',';
    return usual ? text_cstr(&out) : NULL;
}

static const Value *own_name(Unit *unit, const Value *value)
{
    const char *name = NULL;
    if (value->kind == VALUE_PYTHON_FUNC && value->python->names && value->python->names->name)
        return value->python->names->name;
    if (value->kind == VALUE_TYPE)
        name = type_own_name(unit, value);
    else if (value->kind == VALUE_PYTHON_FUNC)
        name = value->python->def->kind == NODE_LAMBDA ? "<lambda>" : value->python->def->function.name->text;
    else if (value->kind == VALUE_FUNC)
        name = value->func->code.def->function.name->text;
    else if (value->kind == VALUE_INTRINSIC)
        name = value->intrinsic.name;
    else if (value->kind == VALUE_CLASS && !value->class_object.changeable)
        name = value->class_object.name->text[0] == '<' ? NULL : value->class_object.name->text;
    else if (value->kind == VALUE_ENUM_CLASS)
        name = value->enum_class->name->text;
    return name ? value_str(unit->arena, name, (uint32_t)strlen(name)) : NULL;
}

static const Value *enum_attribute(const EnumClass *cls, Name name)
{
    for (uint32_t i = 0; i < cls->count; i++)
        if (cls->member_names[i] == name)
            return cls->members[i];
    const Value *function = cls->scope ? scope_find_here(cls->scope, name) : NULL;
    bool plain = function && function->kind == VALUE_PYTHON_FUNC && !function->python->is_property;
    return plain || (function && function->kind == VALUE_FUNC) ? function : NULL;
}

/* A property of the class, called for a member; or another member. */
static const Value *member_attribute(Unit *unit, const Value *member, Name name)
{
    const EnumClass *cls = member->member.cls;
    const Value *own = cls->scope ? scope_find_here(cls->scope, name) : NULL;
    if (own && own->kind == VALUE_PYTHON_FUNC && own->python->is_property)
        return call_python(unit, own->python, &member, 1, NULL, NULL, 0);
    return own && own->kind == VALUE_ENUM_MEMBER ? own : NULL;
}

/* A component of a vector or quaternion, a part of a transform. */
static const Value *composite_attribute(Unit *unit, const Value *object, Name name)
{
    const Type *type = object->composite.type, *dtype = type->composite.dtype;
    static const char components[] = "xyzw";
    const char *found = name->len == 1 ? strchr(components, name->text[0]) : NULL;
    if ((type->kind == TYPE_VEC || type->kind == TYPE_QUAT) && found) {
        uint32_t index = (uint32_t)(found - components);
        return index < object->composite.count ? composite_element(unit->arena, object, index)
                                               : value_wrong(unit->arena, "the vector has no component of this name");
    }
    if (type->kind == TYPE_TRANSFORM && name_is(name, "p"))
        return value_composite(unit->arena, type_vec(unit->types, 3, dtype), object->composite.elements, 3);
    if (type->kind == TYPE_TRANSFORM && name_is(name, "q"))
        return value_composite(unit->arena, type_quat(unit->types, dtype), object->composite.elements + 3, 4);
    return NULL;
}

/* A module is known by its kernel. */
static const Value *kernel_module(Unit *unit, const Value *kernel)
{
    Value *module = ARENA_NEW(unit->arena, Value);
    *module = *kernel;
    module->is_module = true;
    return module;
}

const Value *static_attribute(Unit *unit, const Value *object, Name name)
{
    if (name_is(name, "__name__") && own_name(unit, object))
        return own_name(unit, object);
    if (object->kind == VALUE_PYTHON_FUNC && name_is(name, "__qualname__"))
        return function_qualname(unit, object->python);
    switch (object->kind) {
    case VALUE_COMPOSITE: return composite_attribute(unit, object, name);
    case VALUE_STRUCT: return instance_field(object, name);
    case VALUE_SCALAR:
        return name_is(name, "value") && !object->scalar.as_single ? value_number(unit->arena, object->scalar.number)
                                                                   : NULL;
    case VALUE_MODULE: return module_attribute(unit, object->module, name);
    case VALUE_FILE: return file_attribute(unit, object->file, name);
    case VALUE_TYPE: {
        const Value *member = object->members ? scope_find_here(object->members, name) : NULL;
        return member ? member : type_attribute(unit, object->type, name);
    }
    case VALUE_INTRINSIC: /* os.environ.get() is os.getenv() */
        return object->intrinsic.id == INTRINSIC_OS_ENVIRON && name_is(name, "get")
                   ? module_attribute(unit, known_module("os"), name_of(unit->names, "getenv", 6))
                   : NULL;
    case VALUE_KERNEL: return name_is(name, "module") ? kernel_module(unit, object) : NULL;
    case VALUE_FUNC: return object->func->attributes ? scope_find_here(object->func->attributes, name) : NULL;
    case VALUE_ENUM_CLASS: return enum_attribute(object->enum_class, name);
    case VALUE_FOREIGN_MEMBER:
    case VALUE_ENUM_MEMBER:
        if (name_is(name, "value"))
            return value_int(unit->arena, object->member.value);
        if (name_is(name, "name"))
            return value_str(unit->arena, object->member.name->text, object->member.name->len);
        return member_attribute(unit, object, name);
    case VALUE_CLASS: {
        const Value *member = NULL;
        for (const Value *cls = object; cls && !member; cls = cls->class_object.base)
            member = scope_find_here(cls->class_object.scope, name);
        if (!member && object->class_object.derived)
            return value_unknown(unit->arena, "class '%s' has bases or decorators that are not followed",
                                 object->class_object.name->text);
        bool is_property = member && object->class_object.is_object && member->kind == VALUE_PYTHON_FUNC &&
                           member->python->is_property;
        return is_property ? call_python(unit, member->python, &object, 1, NULL, NULL, 0) : member;
    }
    default: return NULL;
    }
}

/* `missing`: the last attribute is not there, and the value is that of the others. */
static const Value *follow_attributes(Unit *unit, const Value *value, const Name *parts, uint32_t count, bool *missing)
{
    for (uint32_t i = 0; value && i < count; i++) {
        if (value->kind == VALUE_UNKNOWN)
            return value;
        const Value *next = static_attribute(unit, value, parts[i]);
        if (next)
            value = next;
        else if (i + 1 < count)
            return NULL;
        else
            *missing = true;
    }
    return value;
}

const Value *resolve_path(Unit *unit, const Scope *scope, const Name *parts, uint32_t count, bool *missing)
{
    *missing = false;
    const Value *value = scope_find(scope, parts[0]);
    if (value && value->kind == VALUE_NONE)
        value = NULL;
    if (!value)
        value = warp_attribute(unit, parts[0]);
    if (!value)
        value = python_builtin(unit, parts[0]);
    return value ? follow_attributes(unit, value, parts + 1, count - 1, missing) : NULL;
}

const Value *resolve_kernel_path(Unit *unit, const Scope *scope, const Name *parts, uint32_t count, bool *missing)
{
    const Value *root = resolve_path(unit, scope, parts, 1, missing);
    bool parts_known = unit->dialect->constant_parts && root && root->kind == VALUE_COMPOSITE;
    bool whole = root && value_is_constant(root) && root->kind != VALUE_ENUM_MEMBER && !parts_known;
    return root && !whole ? follow_attributes(unit, root, parts + 1, count - 1, missing) : root;
}
