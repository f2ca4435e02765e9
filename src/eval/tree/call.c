/* Calls: choosing the row of a builtin, handing arguments to functions, running them. */
#include "eval/tree/tape.h"
#include "eval/tree/tile.h"

#include <string.h>

/* ---- rows ---- */

/* Components of vectors come first: most calls of "extract" are theirs. */
static const TreeFamily *const families[] = {
    &tree_component_family, &tree_memory_family,  &tree_array_family,  &tree_arithmetic_family, &tree_element_family,
    &tree_scalar_family,    &tree_integer_family, &tree_vector_family, &tree_matrix_family,     &tree_quaternion_family,
    &tree_spatial_family,   &tree_random_family,  &tree_noise_family,  &tree_decompose_family,  &tree_geometry_family,
};

static bool letter_fits(char letter, const Type *type)
{
    switch (letter) {
    case 'n': return true;
    case 's': return type_is_single(type);
    case 'v': return type->kind == TYPE_VEC;
    case 'm': return type->kind == TYPE_MAT;
    case 'q': return type->kind == TYPE_QUAT;
    case 't': return type->kind == TYPE_TRANSFORM;
    case 'c': return type_is_composite(type);
    case 'x': return type_is_single(type) || type_is_composite(type);
    case 'a': return type->kind == TYPE_ARRAY;
    case 'h': return type->kind == TYPE_NATIVE && strcmp(type->native->native_name, "shape_t") == 0;
    default: return false;
    }
}

static bool form_fits(const char *form, const TreeArg *args, uint32_t count)
{
    uint32_t i = 0;
    for (; *form && *form != '*'; form++, i++)
        if (i == count || !args[i].type || !letter_fits(*form, args[i].type))
            return false;
    return *form == '*' || i == count;
}

static enum TreeVariant variant_of(const Type *type, bool in_double)
{
    const Type *scalar = type_scalar_of(type);
    switch (scalar->kind) {
    case TYPE_FLOAT16: return in_double ? VARIANT_DOUBLE : VARIANT_HALF;
    case TYPE_BFLOAT16: return in_double ? VARIANT_DOUBLE : VARIANT_BFLOAT16;
    case TYPE_FLOAT32:
    case TYPE_PY_FLOAT: return in_double ? VARIANT_DOUBLE : VARIANT_FLOAT;
    case TYPE_FLOAT64: return VARIANT_DOUBLE;
    case TYPE_UINT64:
    case TYPE_HANDLE: return VARIANT_UINT64;
    default: return VARIANT_INT;
    }
}

static bool is_named(const TreeRow *row, const char *native)
{
    return row->name[0] == native[0] && strcmp(row->name, native) == 0;
}

typedef struct KnownRow {
    uint32_t family, row; /* the first of a name */
} KnownRow;

static KnownRow first_row(TreeProgram *program, const char *native)
{
    enum { ROWS = 1 << 16 };
    TableSlot *slot = table_add(&program->known_rows, program->arena, native);
    if (slot->number) /* 1 + both */
        return (KnownRow){(slot->number - 1) / ROWS, (slot->number - 1) % ROWS};
    KnownRow known = {0};
    for (; known.family < sizeof families / sizeof *families; known.family++, known.row = 0)
        for (; known.row < families[known.family]->count; known.row++)
            if (is_named(&families[known.family]->rows[known.row], native)) {
                slot->number = known.family * ROWS + known.row + 1;
                return known;
            }
    return known;
}

static TreeMatch search_row(TreeProgram *program, const char *native, const TreeArg *args, uint32_t count,
                            const Type *of)
{
    enum TreeVariant variant = of ? variant_of(of, program->in_double) : VARIANT_FLOAT;
    KnownRow known = first_row(program, native);
    uint32_t i = known.row;
    for (uint32_t f = known.family; f < sizeof families / sizeof *families; f++, i = 0)
        for (; i < families[f]->count; i++) {
            const TreeRow *row = &families[f]->rows[i];
            if (is_named(row, native) && row->forward[variant] && form_fits(row->form, args, count))
                return (TreeMatch){row, variant};
        }
    return (TreeMatch){.variant = variant};
}

TreeMatch tree_find_row(Compiler *c, const char *native, const TreeArg *args, uint32_t count, const TreeArg *first_out)
{
    enum { RECENT = sizeof c->recent / sizeof *c->recent, TYPES = sizeof c->recent[0].types / sizeof(const Type *) };
    const Type *of = count ? args[0].type : first_out ? first_out->type : NULL;
    const Type *second = count > 1 ? args[1].type : NULL, *third = count > 2 ? args[2].type : NULL;
    KnownMatch *known = &c->recent[(hash_address(native) ^ hash_address(of)) % RECENT];
    bool same = known->native == native && known->count == count && known->types[0] == of &&
                known->types[1] == second && known->types[2] == third;
    if (same && count <= TYPES)
        return known->found;
    *known = (KnownMatch){native, count, {of, second, third}, search_row(c->program, native, args, count, of)};
    return known->found;
}

/* ---- running a function ---- */

/* In pieces: a copy of many KB takes long to begin, and so does a memcpy() that the compiler writes out. */
static void copy_image(const TreeCode *code, Cell *frame)
{
    enum { PIECE = 256 };
    for (uint32_t at = 0, end = code->cells; at < end; at += PIECE)
        memmove(frame + at, code->image + at, (end - at < PIECE ? end - at : PIECE) * sizeof *frame);
}

void tree_begin_frame(const TreeCode *code, Cell *frame)
{
    copy_image(code, frame);
    for (uint32_t i = 0; i < code->fixed_count; i++)
        tree_clear(frame + code->fixed[i].offset, code->fixed[i].layout);
    if (code->tile_count)
        tree_clear_tiles(code);
}

const TreeCode *tree_enter_call(Machine *m, const Op *op)
{
    const CallPlan *plan = op->detail;
    Cell *frame = m->top;
    tree_begin_frame(plan->code, frame);
    for (uint32_t i = 0; i < plan->count; i++) {
        const Pass *pass = &plan->passes[i];
        Cell *from = tree_at(m, pass->from);
        if (pass->kind == PASS_ADDRESS)
            REF_OF(frame + pass->to)->at = from;
        else if (pass->kind == PASS_CELL)
            memcpy(frame + pass->to, from, sizeof *from);
        else if (pass->kind == PASS_ARRAY)
            memcpy(frame + pass->to, from, sizeof(TreeArray));
        else
            tree_copy(frame + pass->to, from, pass->layout);
    }
    return plan->code;
}

static void run_call(Machine *m, const Op *op)
{
    Cell *frame = m->top;
    tree_run_code(m, tree_enter_call(m, op), frame);
}

const TreeFn tree_op_call = run_call;

/* ---- planning a call ---- */

typedef struct Planner {
    Compiler *c;
    CallPlan *plan;
    uint32_t cap;
} Planner;

static void add_pass(Planner *p, PassKind kind, int32_t from, uint32_t to, const TreeLayout *layout)
{
    if (kind == PASS_VALUE && layout->cells == 1)
        kind = PASS_CELL;
    ARENA_PUSH(p->c->arena, p->plan->passes, p->plan->count, p->cap) = (Pass){kind, from, to, layout};
}

static void pass_value(Planner *p, const TreeArg *arg, int32_t to, const TreeLayout *layout)
{
    if (to < 0) {
        add_pass(p, PASS_ADDRESS, arg->value, (uint32_t)~to, NULL);
        return;
    }
    bool array_from_fixed = layout->kinds[0] == CELL_ARRAY && arg->layout && arg->layout->kinds[0] == CELL_FIXED;
    add_pass(p, array_from_fixed ? PASS_ARRAY : PASS_VALUE, arg->value, (uint32_t)to, layout);
}

static Planner plan_call(Compiler *c, const TreeCode *code)
{
    Planner p = {.c = c, .plan = ARENA_NEW(c->arena, CallPlan)};
    p.plan->code = code;
    return p;
}

static void reserve_for(const Planner *p)
{
    uint32_t needed = p->plan->code->stack;
    if (p->c->code->stack < needed)
        p->c->code->stack = needed;
}

static void emit_plan(Planner *p)
{
    Compiler *c = p->c;
    tree_emit(c, tree_op_call)->detail = p->plan;
    reserve_for(p);
}

/* The parameter that the i-th argument is for: functions as arguments are not passed. */
static uint32_t next_param(const IrFunction *function, uint32_t param)
{
    while (param < function->params.count && function->params.items[param]->type->kind == TYPE_FUNCTION)
        param++;
    return param;
}

static void pass_arguments(Planner *p, const TreeArg *args, uint32_t count)
{
    const TreeCode *code = p->plan->code;
    uint32_t param = 0;
    for (uint32_t i = 0; i < count; i++, param++) {
        param = next_param(code->function, param);
        if (param == code->function->params.count)
            tree_refuse(p->c, "a call with too many arguments");
        pass_value(p, &args[i], code->params[param], code->param_layouts[param]);
    }
}

static void call_function(Compiler *c, const IrCall *call, const Func *func)
{
    const IrFunction *function = tree_function_of(c, func);
    bool is_recorded =
        c->code->kind == CODE_RECORDED && call->reverse && (!func->custom_grad || tree_tape_derives(c, function));
    const TreeCode *code = tree_code_for(c, function, is_recorded ? CODE_RECORDED : CODE_FORWARD);
    TreeArg *args = tree_args(c, call->arg_count);
    for (uint32_t i = 0; i < call->arg_count; i++)
        args[i] = tree_operand(c, &call->args[i], NULL);
    Planner p = plan_call(c, code);
    pass_arguments(&p, args, call->arg_count);
    for (uint32_t i = 0; i < code->result_count; i++) {
        int32_t out;
        if (i < call->output_count)
            out = tree_arg(c, call->outputs[i]).value;
        else /* a result that nobody takes */
            out = (int32_t)tree_temporary(c, tree_layout_of(c, code->function->returns[i]->type)->cells);
        add_pass(&p, PASS_ADDRESS, out, (uint32_t)~code->results[i], NULL);
    }
    emit_plan(&p);
}

/* What a reverse function is called with: values, results (if taken), adjoints, adjoints of results. */
typedef struct ReverseArgs {
    TreeArg *args;          /* value and adjoint of each argument */
    const bool *by_pointer; /* the adjoint is the offset of a reference already */
    uint32_t count;
    TreeArg *results;
    uint32_t result_count;
} ReverseArgs;

static Planner plan_custom_reverse(Compiler *c, const IrFunction *function, const ReverseArgs *given)
{
    for (uint32_t i = 0; i < function->params.count; i++)
        if (function->params.items[i]->type->kind == TYPE_TILE)
            tree_refuse(c, "a custom gradient of a function of tiles");
    const TreeCode *code = tree_code_for(c, function, CODE_CUSTOM_REVERSE);
    Planner p = plan_call(c, code);
    uint32_t param = 0, inputs = function->func->custom_reverse_inputs;
    for (uint32_t i = 0; i < given->count; i++, param++) {
        param = next_param(function, param);
        if (param >= inputs)
            tree_refuse(c, "a custom gradient with fewer parameters than its function");
        pass_value(&p, &given->args[i], code->params[param], code->param_layouts[param]);
        const TreeLayout *pointer =
            tree_layout_of(c, type_ref(c->program->module->unit->types, type_scalar(TYPE_INT32)));
        add_pass(&p, given->by_pointer[i] ? PASS_VALUE : PASS_ADDRESS, given->args[i].adjoint,
                 (uint32_t)~code->param_adjoints[param], pointer);
    }
    param = inputs;
    for (uint32_t i = 0; i < given->result_count; i++, param++) {
        param = next_param(function, param);
        if (param >= function->params.count)
            tree_refuse(c, "a custom gradient without parameters for the adjoints of the results");
        int32_t to = code->params[param];
        add_pass(&p, PASS_ADDRESS, given->results[i].adjoint, (uint32_t)(to < 0 ? ~to : to), NULL);
    }
    if (next_param(function, param) < function->params.count)
        tree_refuse(c, "a custom gradient with parameters that nothing is given for");
    return p;
}

static Planner plan_reverse(Compiler *c, const Func *func, const ReverseArgs *given)
{
    if (func->custom_grad && !tree_tape_derives(c, tree_function_of(c, func)))
        return plan_custom_reverse(c, tree_function_of(c, func->custom_grad), given);
    const TreeCode *code = tree_code_for(c, tree_function_of(c, func), CODE_REVERSE);
    const TreeLayout *pointer = tree_layout_of(c, type_ref(c->program->module->unit->types, type_scalar(TYPE_INT32)));
    if (given->result_count != code->result_count)
        tree_refuse(c, "a function called for other results than it has");
    Planner p = plan_call(c, code);
    pass_arguments(&p, given->args, given->count);
    uint32_t param = 0;
    for (uint32_t i = 0; i < given->count; i++, param++) {
        param = next_param(code->function, param);
        add_pass(&p, given->by_pointer[i] ? PASS_VALUE : PASS_ADDRESS, given->args[i].adjoint,
                 (uint32_t)~code->param_adjoints[param], pointer);
    }
    for (uint32_t i = 0; i < code->result_count; i++) {
        add_pass(&p, PASS_ADDRESS, given->results[i].value, (uint32_t)~code->results[i], NULL);
        add_pass(&p, PASS_ADDRESS, given->results[i].adjoint, (uint32_t)~code->adj_results[i], NULL);
    }
    return p;
}

static void call_reverse(Compiler *c, const Func *func, const ReverseArgs *given)
{
    Planner p = plan_reverse(c, func, given);
    emit_plan(&p);
}

static void reverse_function_call(Compiler *c, const IrCall *call)
{
    ReverseArgs given = {.args = tree_args(c, call->arg_count),
                         .count = call->arg_count,
                         .results = tree_args(c, call->output_count),
                         .result_count = call->output_count};
    bool *by_pointer = ARENA_ARRAY(c->arena, bool, call->arg_count + 1);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        by_pointer[i] = call->adj_args[i].kind == OPERAND_POINTER;
        given.args[i] = tree_operand(c, &call->args[i], &call->adj_args[i]);
    }
    for (uint32_t i = 0; i < call->output_count; i++)
        given.results[i] = tree_arg(c, call->outputs[i]);
    given.by_pointer = by_pointer;
    call_reverse(c, call->func, &given);
}

static void adjoint_of_builtin(Compiler *c, const IrCall *call)
{
    bool with_output = call->builtin->flags & BUILTIN_NEEDS_OUTPUT;
    uint32_t inputs = call->builtin->param_count;
    if (call->arg_count != inputs * 2 + with_output + 1)
        tree_refuse(c, "this call of a gradient");
    TreeArg *args = tree_args(c, inputs), *out = tree_args(c, 1);
    for (uint32_t i = 0; i < inputs; i++) {
        args[i] = tree_operand(c, &call->args[i], NULL);
        args[i].adjoint = tree_operand(c, &call->args[inputs + with_output + i], NULL).value;
    }
    out[0] = tree_operand(c, &call->args[call->arg_count - 1], NULL);
    out[0].adjoint = out[0].value;
    if (with_output)
        out[0].value = tree_operand(c, &call->args[inputs], NULL).value;
    TreeMatch found = tree_find_row(c, call->builtin->native, args, inputs, out);
    if (!found.row)
        tree_refuse(c, "the gradient of '%s'", call->builtin->name);
    TreeFn reverse = found.row->reverse[found.variant];
    if (!reverse)
        return;
    Op *op = tree_emit(c, reverse);
    op->args = args;
    op->arg_count = inputs;
    op->outs = out;
    op->out_count = 1;
    op->number = (uint32_t)type_scalar_of(inputs ? args[0].type : out[0].type)->kind;
}

/* wp.grad: variables stand where adjoints do elsewhere. */
void tree_emit_adjoint_call(Compiler *c, const IrCall *call)
{
    if (call->builtin) {
        adjoint_of_builtin(c, call);
        return;
    }
    const IrFunction *function = tree_function_of(c, call->func);
    uint32_t inputs = 0, results = function->returns ? function->return_count : 0;
    for (uint32_t i = 0; i < function->params.count; i++)
        inputs += function->params.items[i]->type->kind != TYPE_FUNCTION;
    uint32_t extra = results > 1 ? results : 0;
    if (call->arg_count != inputs * 2 + extra + results)
        tree_refuse(c, "this call of a gradient");
    ReverseArgs given = {
        .args = tree_args(c, inputs), .count = inputs, .results = tree_args(c, results), .result_count = results};
    given.by_pointer = ARENA_ARRAY(c->arena, bool, inputs + 1);
    for (uint32_t i = 0; i < inputs; i++) {
        given.args[i] = tree_operand(c, &call->args[i], NULL);
        given.args[i].adjoint = tree_operand(c, &call->args[inputs + extra + i], NULL).value;
    }
    for (uint32_t i = 0; i < results; i++) {
        given.results[i].adjoint = tree_operand(c, &call->args[inputs * 2 + extra + i], NULL).value;
        given.results[i].value =
            extra ? tree_operand(c, &call->args[inputs + i], NULL).value : given.results[i].adjoint;
    }
    call_reverse(c, call->func, &given);
}

/* ---- builtins ---- */

typedef struct BuiltinCall {
    TreeMatch found;
    TreeArg *args, *outs;
    uint32_t number;
} BuiltinCall;

/* Most operands are variables whose places are known, and are their own adjoints: without a call, half of what it took to
 * describe operands was saved. NULL: it is something else. */
static inline const TreeArg *known_arg(const Compiler *c, const IrVar *var)
{
    bool is_known = !var->part && !var->is_parameter && c->vars[var->index].layout;
    return is_known ? &c->vars[var->index] : NULL;
}

static inline const TreeArg *known_operand(const Compiler *c, const IrOperand *value, const IrOperand *adjoint)
{
    bool is_plain = value->kind == OPERAND_VAR;
    if (adjoint)
        is_plain = is_plain && adjoint->kind == OPERAND_VAR && adjoint->var == value->var;
    return is_plain ? known_arg(c, value->var) : NULL;
}

static void describe(Compiler *c, const IrCall *call, bool reverse, BuiltinCall *out)
{
    out->args = tree_args(c, call->arg_count + call->output_count);
    out->outs = out->args + call->arg_count;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const IrOperand *adjoint = reverse ? &call->adj_args[i] : NULL;
        const TreeArg *known = known_operand(c, &call->args[i], adjoint);
        out->args[i] = known ? *known : tree_operand(c, &call->args[i], adjoint);
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        const TreeArg *known = known_arg(c, call->outputs[i]);
        out->outs[i] = known ? *known : tree_arg(c, call->outputs[i]);
    }
    if (call->constructed) {
        out->found = (TreeMatch){&tree_join_row, VARIANT_FLOAT};
        return;
    }
    const Type *first = call->arg_count ? out->args[0].type : NULL;
    if (first && first->kind == TYPE_TUPLE && strcmp(call->builtin->native, "extract") == 0) {
        out->found = (TreeMatch){&tree_part_row, VARIANT_FLOAT};
        for (uint32_t i = 0; i < first->tuple.count && i < (uint32_t)call->template_args[0].number; i++)
            out->number += tree_layout_of(c, first->tuple.types[i])->cells;
        return;
    }
    out->found =
        tree_find_row(c, call->builtin->native, out->args, call->arg_count, call->output_count ? out->outs : NULL);
    if (!out->found.row)
        tree_refuse(c, "the builtin '%s' in this form", call->builtin->name);
    const Type *of = call->arg_count ? out->args[0].type : call->output_count ? out->outs[0].type : NULL;
    out->number = of ? (uint32_t)type_scalar_of(of)->kind : 0;
}

static bool changes_first_argument(const IrCall *call)
{
    static const char ending[] = "_inplace";
    size_t len = call->builtin ? strlen(call->builtin->name) : 0;
    return len >= sizeof ending && strcmp(call->builtin->name + len - (sizeof ending - 1), ending) == 0;
}

static void emit_builtin(Compiler *c, const IrCall *call, bool reverse)
{
    BuiltinCall described = {0};
    const IrVar *first = call->arg_count && call->args[0].kind == OPERAND_VAR ? call->args[0].var : NULL;
    if (first && first->constant && changes_first_argument(call))
        tree_refuse_constant(c, first);
    describe(c, call, reverse, &described);
    const TreeRow *row = described.found.row;
    enum TreeVariant variant = described.found.variant;
    TreeFn run = reverse ? row->reverse[variant] : row->forward[variant];
    if (!run)
        return;
    Op *op = tree_emit(c, run);
    op->args = described.args;
    op->arg_count = call->arg_count;
    op->outs = described.outs;
    op->out_count = call->output_count;
    op->number = described.number;
    TreeChoice *choose = reverse ? row->quick_reverse : row->quick_forward;
    if (choose)
        choose(op, variant);
    if (!reverse && c->code->kind == CODE_FORWARD)
        tree_emit_probe(c, call, described.args, described.outs);
}

void tree_emit_on_call(Compiler *c, const IrCall *call, TreeFn run)
{
    BuiltinCall described = {0};
    describe(c, call, true, &described);
    Op *op = tree_emit(c, run);
    op->args = described.args;
    op->arg_count = call->arg_count;
    op->outs = described.outs;
    op->out_count = call->output_count;
}

/* What a call that is not replayed would have set: in C++, the variable holds whatever was there before. */
static void run_unset(Machine *m, const Op *op)
{
    if (m->leftover && op->number)
        tree_remark(m, op, FINDING_UNSET_VARIABLE,
                    "the reverse pass reads what this call returned, and does not repeat it");
    for (uint32_t i = 0; i < op->out_count; i++) {
        Cell *cells = RESULT(i);
        for (uint32_t k = 0; k < op->outs[i].cells; k++)
            if (op->outs[i].layout->kinds[k] == CELL_INTEGER)
                cells[k].integer = m->leftover ? LEFTOVER_INTEGER : 0;
            else if (op->outs[i].layout->kinds[k] < CELL_INTEGER)
                cells[k].real = m->leftover ? LEFTOVER_REAL : 0;
    }
}

static void emit_unset(Compiler *c, const IrCall *call)
{
    if (!call->output_count || call->outputs[0]->type->kind == TYPE_REF || tree_is_tile_call(c, call))
        return;
    TreeArg *outs = tree_args(c, call->output_count);
    for (uint32_t i = 0; i < call->output_count; i++)
        outs[i] = tree_arg(c, call->outputs[i]);
    Op *op = tree_emit(c, run_unset);
    op->outs = outs;
    op->out_count = call->output_count;
}

static bool is_read(const Compiler *c, int32_t value)
{
    for (uint32_t i = 0; i < c->op_count; i++)
        for (uint32_t k = 0; k < c->ops[i].arg_count; k++)
            if (c->ops[i].args[k].value == value)
                return true;
    return false;
}

void tree_note_unset(Compiler *c)
{
    for (uint32_t i = 0; i < c->op_count; i++)
        if (c->ops[i].run == run_unset && is_read(c, c->ops[i].outs[0].value))
            c->ops[i].number = c->program->reads_unset = true;
}

void tree_emit_call(Compiler *c, const IrCall *call, bool replay)
{
    if (replay && call->replay == REPLAY_NOTHING) {
        emit_unset(c, call);
        return;
    }
    if (!call->func) {
        if (tree_is_tile_call(c, call))
            tree_emit_tile_call(c, call, false);
        else
            emit_builtin(c, call, false);
        return;
    }
    bool custom = replay && call->replay == REPLAY_CUSTOM;
    if (custom && !call->func->custom_replay)
        tree_refuse(c, "a native function");
    call_function(c, call, custom ? call->func->custom_replay : call->func);
}

void tree_emit_reverse_call(Compiler *c, const IrCall *call)
{
    if (!call->reverse)
        return;
    if (call->func)
        reverse_function_call(c, call);
    else if (tree_is_tile_call(c, call))
        tree_emit_tile_call(c, call, true);
    else
        emit_builtin(c, call, true);
}

/* ---- functions of elements ---- */

/* Of overloads, Warp may name one for other types than those of the elements; no compiler takes that. */
static void check_element_types(Compiler *c, const IrFunction *function, const ElementCall *element)
{
    for (uint32_t i = 0; i < element->count && i < function->params.count; i++)
        if (!types_equal(type_canonical(function->params.items[i]->type), type_canonical(element->args[i].type)))
            tree_refuse(c, "an overload of '%s' for elements of another type, which Warp names here",
                        function->func->key->text);
}

bool tree_element_function(Compiler *c, const Func *func, ElementCall *element, bool reverse)
{
    check_element_types(c, tree_function_of(c, func), element);
    const TreeCode *code = tree_code_for(c, tree_function_of(c, func), CODE_FORWARD);
    Planner p = plan_call(c, code);
    pass_arguments(&p, element->args, element->count);
    if (code->result_count != 1)
        tree_refuse(c, "a function of elements with several results");
    add_pass(&p, PASS_ADDRESS, element->out->value, (uint32_t)~code->results[0], NULL);
    reserve_for(&p);
    element->forward = (Op){.run = tree_op_call, .source = c->source, .detail = p.plan};
    if (!reverse)
        return false;
    ReverseArgs given = {.args = element->args, .count = element->count, .results = element->out, .result_count = 1};
    given.by_pointer = ARENA_ARRAY(c->arena, bool, element->count + 1);
    p = plan_reverse(c, func, &given);
    reserve_for(&p);
    element->reverse = (Op){.run = tree_op_call, .source = c->source, .detail = p.plan};
    return true;
}

bool tree_element_builtin(Compiler *c, const char *native, ElementCall *element, bool reverse)
{
    TreeMatch found = tree_find_row(c, native, element->args, element->count, element->out);
    if (!found.row)
        tree_refuse(c, "the builtin '%s' of elements of a tile", native);
    element->forward = (Op){.run = found.row->forward[found.variant],
                            .args = element->args,
                            .outs = element->out,
                            .arg_count = element->count,
                            .out_count = 1,
                            .source = c->source,
                            .number = (uint32_t)type_scalar_of(element->args[0].type)->kind};
    element->reverse = element->forward;
    element->reverse.run = found.row->reverse[found.variant];
    return reverse && element->reverse.run;
}
