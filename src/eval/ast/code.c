/* Code of plans: its operations, the variables and their types. */
#include "eval/ast/code.h"

#include <string.h>

enum { TEMP_CELLS = 64, FIRST_OPS = 32, MAX_DEPTH = 16, MAX_ROUNDS = 8 };

/* ---- operations ---- */

Op *code_emit(Coder *c, OpFn *run, const Expr *x)
{
    if (c->count == c->cap) { /* in scratch: what is made is copied to the arena at last */
        c->cap = c->cap ? 2 * c->cap : FIRST_OPS;
        Op *bigger = scratch(c->e, c->cap * sizeof *bigger);
        if (c->count)
            memcpy(bigger, c->ops, c->count * sizeof *bigger);
        c->ops = bigger;
    }
    Op *op = &c->ops[c->count++];
    *op = (Op){.run = run, .x = x, .offset = x ? x->offset : 0};
    return op;
}

/* A statement begins. */
void code_step(Coder *c, uint32_t offset)
{
    if (c->count && c->label != c->count && code_last(c)->run == op_set) {
        code_last(c)->run = op_set_step;
        code_last(c)->offset = offset;
    } else
        code_emit(c, op_step, NULL)->offset = offset;
}

/* From each of these operations, a jump to behind the last one. */
void code_land(Coder *c, const uint32_t *jumps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        c->ops[jumps[i]].jump = (int32_t)(c->count - jumps[i]);
    c->label = c->count;
}

Dual *code_temp(Coder *c, uint32_t width)
{
    if (c->temp_cap - c->temp_next < width) {
        c->temp_cap = width > TEMP_CELLS ? width : TEMP_CELLS;
        c->temps = arena_take(c->e->arena, c->temp_cap * sizeof *c->temps);
        c->temp_next = 0;
    }
    Dual *cells = c->temps + c->temp_next;
    c->temp_next += width;
    return cells;
}

uint32_t code_width(const Type *type)
{
    if (type_is_single(type))
        return 1;
    uint64_t width = type_is_composite(type) ? (uint64_t)type->composite.rows * type->composite.cols : 0;
    return width <= MAX_CODE_WIDTH ? (uint32_t)width : 0;
}

Operand code_result(Coder *c, OpFn *run, const Expr *x, const Type *type)
{
    Operand out = {.kind = OPERAND_VALUE, .type = type, .can_move = true};
    const Layout *layout;
    uint32_t width = code_width(type);
    if (!width && code_struct(c->e, type, &layout)) {
        out.kind = OPERAND_STRUCT;
        width = layout->cells;
    }
    out.cells = code_temp(c, width ? width : 1);
    Op *op = code_emit(c, run, x);
    op->out = out.cells;
    op->type = type;
    op->width = width;
    return out;
}

Operand code_view(Coder *c, OpFn *run, const Expr *x, const Type *type)
{
    code_emit(c, run, x)->type = type;
    return (Operand){.kind = OPERAND_ARRAY, .type = type, .arrays = ARENA_NEW(c->e->arena, ArrayView)};
}

uint32_t cells_of_operand(const Coder *c, const Operand *value)
{
    const Layout *layout;
    if (value->kind == OPERAND_STRUCT)
        return code_struct(c->e, value->type, &layout) ? layout->cells : 0;
    return code_width(value->type);
}

/* Does the operation read cells, one after the other, that it has written by then? */
static bool overwrites_itself(const Op *op, const Dual *to)
{
    Dual *const *from = op->run == op_gather ? op->more : NULL;
    for (uint32_t i = 0; from && i < op->width; i++)
        if (from[i] >= to && from[i] < to + op->width)
            return true;
    return false;
}

/* Into a variable: the operation that made the value writes it there, or it is copied. */
void code_move(Coder *c, const Operand *value, Dual *to)
{
    if (value->can_move && c->count && code_last(c)->out == value->cells && !overwrites_itself(code_last(c), to)) {
        code_last(c)->out = to;
        return;
    }
    uint32_t width = cells_of_operand(c, value);
    Op *op = code_emit(c, width == 1 ? op_copy : op_copy_wide, NULL);
    op->out = to;
    op->in[0] = value->cells;
    op->width = width;
}

/* ---- structs ---- */

static bool has_layout(const Type *type, unsigned depth)
{
    bool known = depth < MAX_DEPTH;
    for (uint32_t i = 0; known && i < type->decl->field_count; i++) {
        const Type *field = type->decl->fields[i].type ? type_canonical(type->decl->fields[i].type) : NULL;
        known = field && (field->kind == TYPE_ARRAY || code_width(field) ||
                          (field->kind == TYPE_STRUCT && has_layout(field, depth + 1)));
    }
    return known;
}

bool code_struct(Evaluator *e, const Type *type, const Layout **layout)
{
    if (type->kind != TYPE_STRUCT || !has_layout(type, 0))
        return false;
    *layout = struct_layout(e, type, 0);
    return true;
}

/* ---- variables ---- */

void make_dynamic(Coder *c, uint32_t slot)
{
    c->changed |= !c->is_dynamic[slot];
    c->is_dynamic[slot] = true;
    c->is_typed[slot] = false;
}

/* The variable has values of this type. False: that is not always so. */
bool type_slot(Coder *c, uint32_t i, const Type *type)
{
    Slot *slot = &c->plan->slots[i];
    if (c->is_dynamic[i])
        return false;
    if (c->is_typed[i]) {
        if (slot->datum.type != type)
            make_dynamic(c, i);
        return slot->datum.type == type;
    }
    const Layout *layout = NULL;
    if (type->kind != TYPE_ARRAY && !code_width(type) && !code_struct(c->e, type, &layout)) {
        make_dynamic(c, i);
        return false;
    }
    slot_describe(c->e, slot, type, layout ? layout->cells : code_width(type),
                  layout ? layout->arrays : type->kind == TYPE_ARRAY);
    c->is_typed[i] = true;
    return true;
}

/* ---- plans ---- */

static bool always_returns(const Block *block)
{
    const Stmt *last = block->count ? &block->items[block->count - 1] : NULL;
    return last && (last->kind == STMT_RETURN ||
                    (last->kind == STMT_IF && always_returns(&last->body) && always_returns(&last->orelse)));
}

static void code_body(Coder *c, const Datum *args, uint32_t count)
{
    Plan *plan = c->plan;
    memset(c->is_set, false, plan->slot_count);
    memset(c->is_typed, false, plan->slot_count);
    plan->result_count = 0;
    c->changed = false;
    c->count = 0;
    for (uint32_t i = 0; i < count; i++)
        c->is_set[i] = type_slot(c, i, args[i].type);
    code_block(c, &plan->body);
    code_emit(c, op_end, NULL);
}

static bool returns_value(const Block *block)
{
    bool found = false;
    for (uint32_t i = 0; i < block->count; i++) {
        const Stmt *stmt = &block->items[i];
        found |=
            (stmt->kind == STMT_RETURN && stmt->value) || returns_value(&stmt->body) || returns_value(&stmt->orelse);
    }
    return found;
}

void code_plan(Evaluator *e, Plan *plan, const Datum *args, uint32_t count)
{
    Coder c = {.e = e, .plan = plan};
    ScratchMark mark = scratch_mark(e);
    uint32_t slots = plan->slot_count + 1, rounds = 0;
    c.is_set = ARENA_ARRAY(e->arena, bool, slots);
    c.is_dynamic = ARENA_ARRAY(e->arena, bool, slots);
    c.is_typed = ARENA_ARRAY(e->arena, bool, slots);
    plan->has_code = true;
    e->coding++;
    plan->result_is_dynamic = returns_value(&plan->body) && !always_returns(&plan->body);
    do
        code_body(&c, args, count);
    while (c.changed && ++rounds < MAX_ROUNDS);
    e->coding--;
    if (!c.changed) /* else earlier code may rely on a stale type */
        plan->ops = memcpy(arena_take(e->arena, c.count * sizeof *c.ops), c.ops, c.count * sizeof *c.ops);
    scratch_release(e, mark);
    if (!plan->ops)
        return;
    plan->takes_cells = !plan->result_is_dynamic;
    for (uint32_t i = 0; i < count; i++)
        plan->takes_cells &= c.is_typed[i];
}

/* ---- constants ---- */

void set_constant(const Evaluator *e, CodeConstant *constant)
{
    const Datum *value = e->in_double ? &constant->x->constant.exact : &constant->x->constant.rounded;
    memcpy(constant->cells, value->cells, constant->width * sizeof *constant->cells);
}

void set_constants(Evaluator *e)
{
    for (CodeConstant *constant = e->constants; constant; constant = constant->next)
        set_constant(e, constant);
}

/* ---- one plan for each list of types ---- */

/* The types that the parameters have, with these arguments. False: not all are values, structs and arrays in a row. */
static bool parameter_types(Evaluator *e, const Plan *plan, const Passed *passed, Datum *params)
{
    if (passed->keywords || passed->count != plan->code->param_count || passed->count > MAX_CODE_ARGS)
        return false;
    for (uint32_t i = 0; i < passed->count; i++) {
        const Datum *given = &passed->args[i];
        if (given->kind != DATUM_VALUE && given->kind != DATUM_STRUCT && given->kind != DATUM_ARRAY)
            return false;
        params[i] = (Datum){.kind = given->kind, .type = parameter_type(e, given)};
    }
    return true;
}

static bool has_types(const Plan *plan, const Datum *params, uint32_t count)
{
    if (!params || !plan->signature)
        return !params && !plan->signature;
    for (uint32_t i = 0; i < count; i++)
        if (plan->signature[i] != params[i].type)
            return false;
    return true;
}

static void sign(Evaluator *e, Plan *plan, const Datum *params, uint32_t count)
{
    plan->has_signature = true;
    if (!params)
        return;
    plan->signature = ARENA_ARRAY(e->arena, const Type *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        plan->signature[i] = params[i].type;
}

Plan *code_variant(Evaluator *e, Plan *plan, const Passed *passed)
{
    Datum room[MAX_CODE_ARGS], *params = room;
    if (e->has_tiles || plan->refused)
        return plan;
    if (!parameter_types(e, plan, passed, params))
        params = NULL;
    Plan *variant = plan->has_signature ? plan : NULL;
    while (variant && !has_types(variant, params, passed->count))
        variant = variant->next_variant;
    if (!variant) {
        variant = plan;
        if (plan->has_signature) {
            variant = lower_plan(e, plan->code, plan->func);
            variant->base = plan;
            variant->next_variant = plan->next_variant;
            plan->next_variant = variant;
        }
        sign(e, variant, params, passed->count);
    }
    if (e->uses_code && params && !variant->has_code && e->coding < MAX_DEPTH)
        code_plan(e, variant, params, passed->count);
    return variant;
}

bool code_kernel(Evaluator *e, const Datum *args, uint32_t count)
{
    Plan *plan = e->main;
    if (e->run->journal || e->has_tiles)
        return false;
    if (!plan->has_signature) {
        sign(e, plan, args, count);
        e->uses_code = true;
        code_plan(e, plan, args, count);
    } else if (!has_types(plan, args, count))
        plan->ops = NULL; /* its variables may lie elsewhere from now on */
    return true;
}
