/* Expressions: names, operators, conditions, wp.static(). */
#include "eval/ast/number.h"

#include <limits.h>
#include <string.h>

/* ---- names and constants ---- */

void eval_constant(Evaluator *e, const Expr *x, Datum *out)
{
    *out = e->in_double ? x->constant.exact : x->constant.rounded;
}

_Noreturn void stop_unset(Evaluator *e, const Slot *slot, uint32_t offset)
{
    stop_run(e, FINDING_UNSET_VARIABLE, offset, "'%s' has no value here", slot->name->text);
}

void eval_name(Evaluator *e, const Expr *x, Datum *out)
{
    const Slot *slot = &e->current->slots[x->slot];
    *out = slot->datum;
    if (out->kind == DATUM_NOTHING)
        stop_unset(e, slot, x->offset);
}

void eval_unsupported(Evaluator *e, const Expr *x, Datum *out)
{
    (void)out;
    stop_unsupported(e, x->offset, "%s", x->message);
}

/* ---- operators ---- */

/* The function of the file that overloads an operator is called where it fits; the builtin otherwise. */
void apply_operator(Evaluator *e, const Expr *x, OpKind op, Func *overload, Datum *left, Datum *right, Datum *out)
{
    if (left->kind == DATUM_ELEMENT)
        load_datum(e, left, x->offset);
    if (right->kind == DATUM_ELEMENT)
        load_datum(e, right, x->offset);
    if (overload) {
        Datum args[] = {*left, *right};
        Passed passed = {.args = args, .count = 2};
        Func *func = find_func(e, overload, &passed);
        if (func) {
            call_overload(e, x, func, &passed, out);
            return;
        }
    }
    binary_builtin(e, x, op, left, right, out);
}

void eval_binary(Evaluator *e, const Expr *x, Datum *out)
{
    Datum rooms[2];
    const Datum *left = eval_operand(e, x->kids[0], &rooms[0]);
    const Datum *right = eval_operand(e, x->kids[1], &rooms[1]);
    if (left->kind == DATUM_VALUE && right->kind == DATUM_VALUE && !x->binary.overload) {
        if (left->type != right->type || !plain_result(e, left->type, x->binary.op, left->cells, right->cells, out))
            binary_builtin(e, x, x->binary.op, left, right, out);
        return;
    }
    if (left != &rooms[0])
        rooms[0] = *left;
    if (right != &rooms[1])
        rooms[1] = *right;
    apply_operator(e, x, x->binary.op, x->binary.overload, &rooms[0], &rooms[1], out);
}

static void negate(Evaluator *e, const Expr *x, const Datum *operand, Datum *out)
{
    Math m = math_for(e, type_scalar_of(operand->type), x->offset);
    uint32_t width = width_of(operand);
    Dual *cells = new_datum(e, operand->type, width, out);
    negate_cells(&m, operand->type, operand->cells, width, cells);
}

void eval_unary(Evaluator *e, const Expr *x, Datum *out)
{
    Datum operand;
    eval_loaded(e, x->kids[0], &operand);
    if (x->op == OP_NOT) {
        new_bool_datum(e, !datum_truth(e, &operand, x->offset), out);
        return;
    }
    if (operand.kind != DATUM_VALUE)
        stop_unsupported(e, x->offset, "an operator of %s", datum_text(e, &operand));
    if (x->op == OP_U_SUB)
        negate(e, x, &operand, out);
    else if (x->op == OP_INVERT && !is_float_kind(type_scalar_of(operand.type)->kind)) {
        uint32_t width = width_of(&operand);
        Dual *cells = new_datum(e, operand.type, width, out);
        invert_cells(type_scalar_of(operand.type)->kind, operand.cells, width, cells);
    } else if (x->op == OP_U_ADD) {
        *out = operand;
        detach_datum(e, out, x->offset);
    } else
        stop_unsupported(e, x->offset, "an operator of %s", datum_text(e, &operand));
}

static double as_double(const Dual *a, TypeKind kind)
{
    if (is_float_kind(kind))
        return a->real;
    return kind == TYPE_UINT64 ? (double)(uint64_t)a->integer : (double)a->integer;
}

/* -1, 0, 1; 2: unordered. As C++ compares two scalars, after the usual conversions. */
static int compare_scalars(const Evaluator *e, const Dual *a, TypeKind ka, const Dual *b, TypeKind kb)
{
    bool fa = is_float_kind(ka), fb = is_float_kind(kb);
    if (fa || fb) {
        double x = as_double(a, ka), y = as_double(b, kb);
        bool narrow = ka != TYPE_FLOAT64 && kb != TYPE_FLOAT64 && !e->in_double;
        if (narrow && !fa)
            x = (float)x;
        if (narrow && !fb)
            y = (float)y;
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    }
    uint32_t ba = bits_of_kind(ka), bb = bits_of_kind(kb);
    bool ua = is_unsigned_kind(ka) && ba >= 32, ub = is_unsigned_kind(kb) && bb >= 32;
    bool as_unsigned = (ua && (ub || ba >= bb)) || (ub && bb >= ba);
    if (!as_unsigned)
        return a->integer < b->integer ? -1 : a->integer > b->integer;
    uint64_t mask = ba == 64 || bb == 64 ? UINT64_MAX : UINT32_MAX;
    uint64_t x = (uint64_t)a->integer & mask, y = (uint64_t)b->integer & mask;
    return x < y ? -1 : x > y;
}

static bool holds(OpKind op, int order)
{
    switch (op) {
    case OP_EQ: return order == 0;
    case OP_NOT_EQ: return order != 0;
    case OP_LT: return order == -1;
    case OP_LT_E: return order == -1 || order == 0;
    case OP_GT: return order == 1;
    default: return order == 1 || order == 0;
    }
}

/* Two numbers of one of the types that most are of. */
static bool compare_alike(Evaluator *e, OpKind op, const Dual *a, const Dual *b, bool are_real)
{
    if (are_real) {
        double x = a->real, y = b->real;
        if (e->run->path_sum)
            path_sum_numbers(e->run->path_sum, x, y);
        return holds(op, x < y ? -1 : x > y ? 1 : x == y ? 0 : 2);
    }
    int64_t i = a->integer, k = b->integer;
    if (e->run->path_sum)
        path_sum_numbers(e->run->path_sum, (double)i, (double)k);
    return holds(op, (i > k) - (i < k));
}

bool compare_data(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b)
{
    if (a->kind != DATUM_VALUE || b->kind != DATUM_VALUE)
        stop_unsupported(e, x->offset, "%s and %s are not compared", datum_text(e, a), datum_text(e, b));
    TypeKind kind = a->type->kind;
    if (a->type == b->type && (kind == TYPE_INT32 || kind == TYPE_FLOAT32 || kind == TYPE_FLOAT64))
        return compare_alike(e, op, a->cells, b->cells, kind != TYPE_INT32);
    TypeKind ka = type_scalar_of(a->type)->kind, kb = type_scalar_of(b->type)->kind;
    if (type_is_single(a->type) && type_is_single(b->type)) {
        if (e->run->path_sum)
            path_sum_numbers(e->run->path_sum, as_double(a->cells, ka), as_double(b->cells, kb));
        return holds(op, compare_scalars(e, a->cells, ka, b->cells, kb));
    }
    uint32_t width = width_of(a);
    if (width != width_of(b) || (op != OP_EQ && op != OP_NOT_EQ))
        stop_unsupported(e, x->offset, "%s and %s are not compared", datum_text(e, a), datum_text(e, b));
    bool equal = true;
    for (uint32_t i = 0; i < width; i++)
        equal &= compare_scalars(e, &a->cells[i], ka, &b->cells[i], kb) == 0;
    return equal == (op == OP_EQ);
}

static bool compare_two(Evaluator *e, const Expr *x)
{
    Datum rooms[2];
    const Datum *data[] = {eval_operand(e, x->kids[0], &rooms[0]), eval_operand(e, x->kids[1], &rooms[1])};
    for (uint32_t i = 0; i < 2; i++)
        if (data[i]->kind == DATUM_ELEMENT)
            load_datum(e, &rooms[i], x->kids[i]->offset);
    return compare_data(e, x, x->ops[0], data[0], data[1]);
}

void eval_compare(Evaluator *e, const Expr *x, Datum *out)
{
    if (x->count == 2) {
        new_bool_datum(e, compare_two(e, x), out);
        return;
    }
    Datum local[4];
    Datum *data = x->count <= 4 ? local : scratch(e, x->count * sizeof *data);
    for (uint32_t i = 0; i < x->count; i++)
        eval(e, x->kids[i], &data[i]);
    for (uint32_t i = 0; i < x->count; i++)
        if (data[i].kind == DATUM_ELEMENT)
            load_datum(e, &data[i], x->kids[i]->offset);
    bool truth = true;
    for (uint32_t i = 0; truth && i + 1 < x->count; i++)
        truth = compare_data(e, x, x->ops[i], &data[i], &data[i + 1]);
    new_bool_datum(e, truth, out);
}

void eval_and_or(Evaluator *e, const Expr *x, Datum *out)
{
    bool truth = x->op == OP_AND;
    for (uint32_t i = 0; i < x->count && truth == (x->op == OP_AND); i++) {
        Datum value;
        eval_loaded(e, x->kids[i], &value);
        truth = datum_truth(e, &value, x->kids[i]->offset);
    }
    new_bool_datum(e, truth, out);
}

void eval_if_exp(Evaluator *e, const Expr *x, Datum *out)
{
    Datum test;
    eval_loaded(e, x->kids[0], &test);
    eval_loaded(e, x->kids[datum_truth(e, &test, x->kids[0]->offset) ? 1 : 2], out);
    if (out->kind == DATUM_VALUE || out->kind == DATUM_STRUCT)
        detach_datum(e, out, x->offset);
}

void eval_tuple(Evaluator *e, const Expr *x, Datum *out)
{
    Datum *items = scratch(e, x->count * sizeof *items);
    for (uint32_t i = 0; i < x->count; i++)
        eval(e, x->kids[i], &items[i]);
    *out = (Datum){.kind = DATUM_TUPLE, .count = x->count, .items = items};
}

/* ---- wp.static() that depends on variables of the kernel ---- */

static const Value *value_of_slot(Evaluator *e, const Datum *datum)
{
    if (datum->kind == DATUM_STATIC)
        return datum->value;
    if (datum->kind == DATUM_ARRAY)
        return value_type(e->arena, datum->type);
    if (datum->kind != DATUM_VALUE)
        return NULL;
    if (datum->type->kind == TYPE_INT32)
        return value_int(e->arena, datum->cells->integer);
    return value_type(e->arena, datum->type);
}

/* Types and integers: what a wp.static() can depend on. */
static uint64_t slots_key(const Evaluator *e, const Plan *plan)
{
    uint64_t key = 14695981039346656037u + e->in_double;
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        const Datum *datum = &plan->slots[i].datum;
        bool is_int = datum->kind == DATUM_VALUE && datum->type->kind == TYPE_INT32;
        const void *what = datum->kind == DATUM_STATIC    ? (const void *)datum->value
                           : datum->kind == DATUM_NOTHING ? NULL
                                                          : datum->type;
        key = (key ^ (uintptr_t)what) * 1099511628211u;
        key = (key ^ (is_int ? (uint64_t)datum->cells->integer : i)) * 1099511628211u;
    }
    return key;
}

void eval_deferred_static(Evaluator *e, const Expr *x, Datum *out)
{
    enum { MAX_SEEN = 10000 };
    const Plan *plan = e->current;
    Deferred *deferred = x->deferred;
    uint64_t key = slots_key(e, plan);
    for (const DeferredValue *seen = deferred->seen; seen; seen = seen->next)
        if (seen->key == key) {
            *out = seen->datum;
            return;
        }
    if (deferred->count++ == MAX_SEEN)
        stop_unsupported(e, x->offset, "a wp.static() with too many values");
    Scope *scope = scope_new(e->unit, plan->code->scope, "");
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        const Value *value = value_of_slot(e, &plan->slots[i].datum);
        if (value)
            scope_bind(e->unit, scope, plan->slots[i].name, value);
    }
    const Value *value = static_call_value(e->unit, deferred->node, scope);
    if (value->kind == VALUE_UNKNOWN || !datum_of_value(e, value, true, out))
        stop_unsupported(e, x->offset, "the value of wp.static() is not known");
    DeferredValue *seen = ARENA_NEW(e->arena, DeferredValue);
    *seen = (DeferredValue){key, *out, deferred->seen};
    deferred->seen = seen;
}
