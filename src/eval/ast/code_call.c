/* Code of calls: builtins and functions. */
#include "eval/ast/builtin.h"
#include "eval/ast/code.h"

#include <string.h>

static const Operand none = {.kind = OPERAND_NONE};

/* ---- arguments ---- */

bool code_kids(Coder *c, Expr *const *kids, uint32_t count, Operand *args)
{
    if (count > MAX_CODE_ARGS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const Expr *kid = kids[i];
        if (!kid)
            args[i] = (Operand){.kind = OPERAND_NOTHING};
        else if (kid->eval == eval_constant && kid->constant.rounded.kind == DATUM_STATIC)
            args[i] = (Operand){.kind = OPERAND_STATIC, .value = kid->constant.rounded.value};
        else
            args[i] = code_expr(c, kid);
        if (args[i].kind == OPERAND_NONE || (kid && args[i].kind == OPERAND_NOTHING))
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (kids[i])
            args[i] = code_load(c, args[i], kids[i]->offset);
    return true;
}

bool code_arguments(Coder *c, const Expr *x, Operand *args, uint32_t most)
{
    return x->count <= most && code_kids(c, x->kids, x->count, args);
}

static Datum datum_of(const Operand *value)
{
    switch (value->kind) {
    case OPERAND_VALUE:
        return (Datum){.kind = DATUM_VALUE, .writable = value->writable, .type = value->type, .cells = value->cells};
    case OPERAND_STRUCT:
        return (Datum){.kind = DATUM_STRUCT,
                       .writable = value->writable,
                       .type = value->type,
                       .cells = value->cells,
                       .arrays = value->arrays};
    case OPERAND_ARRAY: return (Datum){.kind = DATUM_ARRAY, .type = value->type, .arrays = value->arrays};
    case OPERAND_STATIC: return (Datum){.kind = DATUM_STATIC, .value = value->value};
    default: return (Datum){0};
    }
}

/* ---- builtins ---- */

static Operand code_where(Coder *c, const Expr *x, const Operand *args)
{
    bool fits = args[0].kind == OPERAND_VALUE && type_is_single(args[0].type) && args[1].kind == OPERAND_VALUE &&
                args[2].kind == OPERAND_VALUE && args[1].type == args[2].type;
    if (!fits)
        return none;
    Operand out = code_result(c, op_where, x, args[1].type);
    Op *op = code_last(c);
    op->in_type[0] = args[0].type;
    for (uint32_t i = 0; i < 3; i++)
        op->in[i] = args[i].cells;
    return out;
}

/* (array, i[, j…], value) */
static Operand code_atomic(Coder *c, const Expr *x, const Operand *args)
{
    const Operand *value = &args[x->count - 1];
    if (args[0].kind != OPERAND_ARRAY || value->kind != OPERAND_VALUE || args[0].type->array.ndim != x->count - 2)
        return none;
    for (uint32_t i = 1; i + 1 < x->count; i++)
        if (!is_int32(&args[i]))
            return none;
    Operand element = code_element(c, x, &args[0], &args[1]);
    if (element.kind == OPERAND_NONE || code_width(element.type) != code_width(value->type))
        return none;
    code_update(c, x, &element, value, (AtomicOp)x->call->row->variant);
    Operand old = {.kind = OPERAND_VALUE, .type = element.type, .cells = code_temp(c, code_width(element.type))};
    code_last(c)->out = old.cells;
    return old;
}

static Operand code_tid(Coder *c, const Expr *x, uint32_t dimension)
{
    Operand out = code_result(c, op_tid, x, type_scalar(TYPE_INT32));
    code_last(c)->skip = dimension;
    return out;
}

static BuiltinUse *use_builtin(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    BuiltinUse *use = arena_take(c->e->arena, sizeof *use + x->count * sizeof *use->args);
    *use = (BuiltinUse){.function = row->function};
    for (uint32_t i = 0; i < x->count; i++)
        use->args[i] = datum_of(&args[i]);
    Op *op = code_last(c);
    op->more = use;
    op->count = x->count;
    op->variant = row->variant;
    return use;
}

/* A builtin by its function. */
static Operand code_use(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    const Type *type;
    Operand out = {.kind = OPERAND_NOTHING};
    if (!code_builtin_type(c->e, row, x, args, &type))
        return none;
    if (type)
        out = code_result(c, op_use_builtin, x, type);
    else
        code_emit(c, op_use_builtin, x);
    use_builtin(c, x, row, args);
    return out;
}

/* wp.zeros(shape=4, dtype=float): a local array. */
static Operand code_zeros(Coder *c, const Expr *x, const Operand *args)
{
    const Type *dtype = args[1].kind == OPERAND_STATIC && args[1].value->kind == VALUE_TYPE
                            ? type_canonical(args[1].value->type)
                            : NULL;
    if (!dtype || !code_width(dtype) || !is_int32(&args[0]) || x->kids[0]->eval != eval_constant ||
        args[0].cells->integer < 1 || args[0].cells->integer > 1 << 20)
        return none;
    uint32_t dims[4] = {(uint32_t)args[0].cells->integer, 1, 1, 1};
    Operand out = code_view(c, op_use_array, x, type_fixed_array(c->e->unit->types, dtype, 1, dims));
    use_builtin(c, x, x->call->row, args)->array = out.arrays;
    return out;
}

/* ---- builtins with operations of their own ---- */

typedef enum Takes {
    TAKES_REAL,    /* a number that is a float32 or float64 */
    TAKES_NUMBERS, /* of one type */
    TAKES_VALUE,
    TAKES_TWO,        /* values of one type */
    TAKES_VECTOR,     /* of real numbers; also a quaternion */
    TAKES_TWO_POINTS, /* vectors of three, of one type */
    TAKES_TWO_PARTS   /* values of one type that have parts */
} Takes;

static const struct {
    BuiltinFn *function;
    OpFn *run;
    Takes takes;
} direct[] = {
    {math_map, op_map, TAKES_REAL},           {math_scalars, op_scalars, TAKES_NUMBERS},
    {math_signed, op_signed, TAKES_VALUE},    {math_min_max, op_extreme, TAKES_TWO},
    {vector_dot, op_dot, TAKES_TWO_PARTS},    {vector_cross, op_cross, TAKES_TWO_POINTS},
    {vector_length, op_length, TAKES_VECTOR}, {vector_normalize, op_normalize, TAKES_VECTOR},
};

static bool takes(Takes what, const Operand *args, uint32_t count)
{
    const Type *type = args[0].type;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind != OPERAND_VALUE || args[i].type != type)
            return false;
    bool is_real = count && is_float_kind(type_scalar_of(type)->kind);
    switch (what) {
    case TAKES_REAL: return count == 1 && (type->kind == TYPE_FLOAT32 || type->kind == TYPE_FLOAT64);
    case TAKES_NUMBERS: return count && count <= 3 && type_is_single(type);
    case TAKES_VALUE: return count == 1;
    case TAKES_TWO: return count == 2;
    case TAKES_VECTOR: return count == 1 && is_real && (type->kind == TYPE_VEC || type->kind == TYPE_QUAT);
    case TAKES_TWO_POINTS: return count == 2 && type->kind == TYPE_VEC && type->composite.rows == 3;
    default: return count == 2 && type_is_composite(type);
    }
}

/* OPERAND_NONE: it has none of its own. */
static Operand code_direct(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    const Type *type;
    size_t i = 0, count = sizeof direct / sizeof *direct;
    while (i < count && direct[i].function != row->function)
        i++;
    if (i == count || !takes(direct[i].takes, args, x->count) || !code_builtin_type(c->e, row, x, args, &type))
        return none;
    Operand out = code_result(c, direct[i].run, x, type);
    Op *op = code_last(c);
    op->in_type[0] = args[0].type;
    op->variant = row->variant;
    op->count = code_width(args[0].type);
    for (uint32_t k = 0; k < 3; k++)
        op->in[k] = args[k < x->count ? k : 0].cells;
    return out;
}

static Operand code_builtin(Coder *c, const Expr *x)
{
    const BuiltinRow *row = x->call->row;
    Operand args[MAX_CODE_ARGS];
    if (row->function == math_convert)
        return code_type_call(c, x, type_scalar((TypeKind)row->variant));
    if (row->function == build_matrix || row->function == build_vector)
        return code_sized(c, x, row->function == build_matrix);
    if (!code_arguments(c, x, args, MAX_CODE_ARGS) || x->count < row->min_args || x->count > row->max_args)
        return none;
    if (row->function == misc_tid)
        return x->call->expected < 2 ? code_tid(c, x, 0) : none;
    if (row->function == misc_where)
        return code_where(c, x, args);
    if (row->function == build_zeros)
        return code_zeros(c, x, args);
    if (row->function == misc_atomic && row->variant != ATOMIC_CAS)
        return code_atomic(c, x, args);
    Operand out = code_direct(c, x, row, args);
    return out.kind == OPERAND_NONE ? code_use(c, x, row, args) : out;
}

bool is_range_call(const Expr *x)
{
    return x->eval == eval_call_builtin && x->call->row->function == misc_range && x->count >= 1 && x->count <= 3;
}

/* ---- functions ---- */

/* The call; NULL: there is no code for it. */
static CodeCall *code_callee(Coder *c, const Expr *x)
{
    Operand args[MAX_CODE_ARGS];
    Datum data[MAX_CODE_ARGS];
    if (x->call->keywords || !code_arguments(c, x, args, MAX_CODE_ARGS))
        return NULL;
    for (uint32_t i = 0; i < x->count; i++) {
        if (args[i].kind == OPERAND_STATIC || args[i].kind == OPERAND_NOTHING)
            return NULL;
        data[i] = datum_of(&args[i]);
    }
    Passed passed = {.args = data, .count = x->count};
    Func *func = x->call->callee->func, *head = func->head ? func->head : func;
    func = find_func(c->e, head, &passed);
    Plan *plan = func ? code_variant(c->e, plan_of(c->e, &func->code, func), &passed) : NULL;
    if (!plan || !plan->takes_cells)
        return NULL;
    CodeCall *call = arena_take(c->e->arena, sizeof *call + x->count * sizeof *call->args);
    *call = (CodeCall){.plan = plan, .count = x->count};
    for (uint32_t i = 0; i < x->count; i++) {
        const Layout *layout;
        bool is_struct = code_struct(c->e, args[i].type, &layout);
        call->args[i] = (CodeArgument){.datum = data[i],
                                       .cells = is_struct ? layout->cells : code_width(args[i].type),
                                       .arrays = is_struct ? layout->arrays : args[i].kind == OPERAND_ARRAY};
    }
    return call;
}

static Operand code_function(Coder *c, const Expr *x)
{
    Operand out = {.kind = OPERAND_NOTHING};
    CodeCall *call = code_callee(c, x);
    if (!call || call->plan->result_count > 1)
        return none;
    if (call->plan->result_count)
        out = code_result(c, op_call, x, call->plan->result_types[0]);
    else
        code_emit(c, op_call, x);
    code_last(c)->more = call;
    return out;
}

/* Results of a function lie with its plan until the next call. */
static bool code_results(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    CodeCall *call = code_callee(c, x);
    const Plan *plan = call ? call->plan : NULL;
    if (!plan || plan->result_count != count || count < 2)
        return false;
    code_emit(c, op_call, x)->more = call;
    for (uint32_t i = 0; i < count; i++)
        items[i] =
            (Operand){.kind = OPERAND_VALUE, .type = plan->result_types[i], .cells = plan->result.items[i].cells};
    return true;
}

/* type(x)(…) */
static Operand code_type_of(Coder *c, const Expr *x)
{
    const Expr *callee = x->kids[0];
    Operand like, args[MAX_CODE_ARGS];
    if (callee->eval != eval_call_builtin || callee->call->row->function != misc_type || callee->count != 1 ||
        !code_arguments(c, callee, &like, 1) || like.kind != OPERAND_VALUE)
        return none;
    return code_kids(c, x->kids + 1, x->count - 1, args) ? code_construct(c, x, like.type, args, x->count - 1) : none;
}

Operand code_call(Coder *c, const Expr *x)
{
    if (x->eval == eval_call_builtin)
        return code_builtin(c, x);
    if (x->eval == eval_call_dynamic)
        return code_type_of(c, x);
    const Value *callee = x->call->callee;
    return callee->kind == VALUE_TYPE   ? code_type_call(c, x, callee->type)
           : callee->kind == VALUE_FUNC ? code_function(c, x)
                                        : none;
}

/* ---- several values ---- */

static bool code_several(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    Operand arg;
    const Type *types[3];
    if (x->count != 1 || !code_arguments(c, x, &arg, 1) || arg.kind != OPERAND_VALUE ||
        code_several_types(c->e->unit->types, x->call->row, arg.type, types) != count)
        return false;
    code_emit(c, op_use_several, x)->width = count;
    BuiltinUse *use = use_builtin(c, x, x->call->row, &arg);
    for (uint32_t i = 0; i < count; i++) {
        if (!code_width(types[i]))
            return false;
        items[i] = (Operand){.kind = OPERAND_VALUE, .type = types[i], .cells = code_temp(c, code_width(types[i]))};
        use->items[i] = operand_datum(types[i], items[i].cells);
    }
    return true;
}

bool code_items(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    if (x->eval == eval_call_value)
        return x->call->callee->kind == VALUE_FUNC && code_results(c, x, items, count);
    if (x->eval == eval_call_builtin && x->call->row->function != misc_tid)
        return code_several(c, x, items, count);
    if (x->eval == eval_call_builtin) {
        for (uint32_t i = 0; i < count; i++)
            items[i] = code_tid(c, x, i);
        return x->call->expected == count && !x->count;
    }
    if (x->eval != eval_tuple || x->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = code_expr(c, x->kids[i]);
        if (items[i].kind == OPERAND_NONE)
            return false;
    }
    return true;
}
