/* Code of statements; the variables and their types. */
#include "eval/ast/code.h"

#include <string.h>

enum { TEMP_CELLS = 256, MAX_DEPTH = 16, MAX_ROUNDS = 8 };

/* ---- operations ---- */

Op *code_emit(Coder *c, OpFn *run, const Expr *x)
{
    Op *op = &ARENA_PUSH(c->e->arena, c->ops, c->count, c->cap);
    *op = (Op){.run = run, .x = x, .offset = x ? x->offset : 0};
    return op;
}

Dual *code_temp(Coder *c, uint32_t width)
{
    if (c->temp_cap - c->temp_next < width) {
        c->temp_cap = width > TEMP_CELLS ? width : TEMP_CELLS;
        c->temps = ARENA_ARRAY(c->e->arena, Dual, c->temp_cap);
        c->temp_next = 0;
    }
    Dual *cells = c->temps + c->temp_next;
    c->temp_next += width;
    return cells;
}

uint32_t code_width(const Type *type)
{
    uint32_t width = type_is_single(type)      ? 1
                     : type_is_composite(type) ? type->composite.rows * type->composite.cols
                                               : 0;
    return width <= MAX_CODE_WIDTH ? width : 0;
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

static uint32_t cells_of_operand(const Coder *c, const Operand *value)
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

static void make_dynamic(Coder *c, uint32_t slot)
{
    c->changed |= !c->is_dynamic[slot];
    c->is_dynamic[slot] = true;
    c->is_typed[slot] = false;
}

/* The variable has values of this type. False: that is not always so. */
static bool type_slot(Coder *c, uint32_t i, const Type *type)
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

static DatumKind kind_of(const Operand *value)
{
    return value->kind == OPERAND_STRUCT ? DATUM_STRUCT : DATUM_VALUE;
}

/* Values that can be copied cell by cell. */
static bool is_plain(const Coder *c, const Operand *value)
{
    const Layout *layout;
    return value->kind == OPERAND_VALUE || (value->kind == OPERAND_STRUCT && code_struct(c->e, value->type, &layout) &&
                                            !layout->arrays && layout->cells);
}

static void end_set(Coder *c, Slot *slot, DatumKind kind)
{
    Op *op = code_emit(c, op_end_set, NULL);
    op->more = slot;
    op->variant = (int)kind;
}

static bool assign(Coder *c, uint32_t slot, const Operand *value)
{
    if (!is_plain(c, value) || !type_slot(c, slot, value->type))
        return false;
    code_move(c, value, c->plan->slots[slot].cells);
    c->is_set[slot] = true;
    return true;
}

/* ---- statements ---- */

static void code_block(Coder *c, Block *block);

/* Another name of a local array would be a copy of it. */
static bool assign_array(Coder *c, const Stmt *stmt, const Operand *value)
{
    bool is_copy = value->type->array.cls == ARRAY_FIXED && stmt->value->eval == eval_name;
    if (is_copy || !type_slot(c, stmt->slot, value->type))
        return false;
    Op *op = code_emit(c, op_set_array, NULL);
    op->more = &c->plan->slots[stmt->slot];
    op->view = value->arrays;
    c->is_set[stmt->slot] = true;
    return true;
}

static bool code_name_assign(Coder *c, const Stmt *stmt)
{
    Operand value = code_load(c, code_expr(c, stmt->value), stmt->offset);
    if (value.kind == OPERAND_ARRAY)
        return assign_array(c, stmt, &value);
    if (!assign(c, stmt->slot, &value))
        return false;
    end_set(c, &c->plan->slots[stmt->slot], kind_of(&value));
    return true;
}

/* i, j = wp.tid(), what a function gives, or values that are all known before the first is assigned. */
static bool code_tuple_assign(Coder *c, const Stmt *stmt)
{
    Operand values[MAX_RESULTS];
    uint32_t count = stmt->slot_count;
    if (count > MAX_RESULTS || !code_items(c, stmt->value, values, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_plain(c, &values[i]) || (stmt->is_alias && values[i].writable && !type_is_single(values[i].type)))
            return false;
        if (values[i].writable) {
            Operand copy = code_result(c, op_copy_wide, NULL, values[i].type);
            code_last(c)->in[0] = values[i].cells;
            values[i] = copy;
        }
        values[i].can_move = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!assign(c, stmt->slots[i], &values[i]))
            return false;
        Op *op = code_emit(c, op_set, NULL);
        op->more = &c->plan->slots[stmt->slots[i]];
        op->variant = (int)kind_of(&values[i]);
    }
    code_emit(c, op_end, NULL);
    return true;
}

static bool code_aug_name(Coder *c, const Stmt *stmt)
{
    if (stmt->overload)
        return false;
    Operand value = code_expr(c, stmt->value), target = code_expr(c, stmt->place);
    target = code_load(c, target, stmt->place->offset);
    value = code_load(c, value, stmt->place->offset);
    Operand result = code_binary(c, stmt->place, stmt->op, &target, &value);
    if (!assign(c, stmt->slot, &result))
        return false;
    end_set(c, &c->plan->slots[stmt->slot], kind_of(&result));
    return true;
}

static bool code_place_assign(Coder *c, const Stmt *stmt)
{
    Operand value = code_expr(c, stmt->value), place = code_place(c, stmt->place);
    if (!code_store(c, &place, value, stmt->offset))
        return false;
    code_emit(c, op_end, NULL);
    return true;
}

/* As is_atomic_place(), for elements and parts of them. */
static bool is_atomic(const Coder *c, const Stmt *stmt, const Operand *place)
{
    bool is_whole = place->type == place->element && stmt->place->eval == eval_subscript;
    return stmt->is_atomic && code_width(place->type) && !type_is_narrow(type_scalar_of(place->type)) &&
           (is_whole ||
            (code_width(place->type) != code_width(place->element) && c->e->unit->dialect->slots_by_reference));
}

static bool code_aug_place(Coder *c, const Stmt *stmt)
{
    Operand value, place;
    if (stmt->overload)
        return false;
    if (c->e->unit->dialect->augmented_target_first) {
        place = code_place(c, stmt->place);
        value = code_loaded(c, stmt->value);
    } else {
        value = code_loaded(c, stmt->value);
        place = code_place(c, stmt->place);
    }
    if (value.kind != OPERAND_VALUE)
        return false;
    if (place.kind == OPERAND_ELEMENT) {
        if (!is_atomic(c, stmt, &place) || code_width(value.type) != code_width(place.type))
            return false;
        Op *op = code_emit(c, op_update, stmt->place);
        op->in[0] = place.at;
        op->in[1] = value.cells;
        op->in_type[1] = value.type;
        op->view = place.arrays;
        op->type = place.type;
        op->skip = place.skip;
        op->variant = (int)atomic_of(stmt->op);
        code_emit(c, op_end, NULL);
        return true;
    }
    Operand current = code_part_value(c, &place);
    Operand result = code_binary(c, stmt->place, stmt->op, &current, &value);
    if (result.kind != OPERAND_VALUE || !code_store(c, &place, result, stmt->offset))
        return false;
    code_emit(c, op_end, NULL);
    return true;
}

/* The condition of a branch or loop: a number. */
static bool code_test(Coder *c, Stmt *stmt)
{
    Operand value = code_loaded(c, stmt->value);
    if (value.kind != OPERAND_VALUE || !type_is_single(value.type))
        return false;
    stmt->tested = value.cells;
    stmt->tests_real = is_float_kind(value.type->kind);
    code_emit(c, op_end, NULL);
    return true;
}

/* Where the results of a function lie: in its result, or in the items of that if they are several. */
static void describe_results(Coder *c, const Operand *values, uint32_t count)
{
    Plan *plan = c->plan;
    Slot *result = &plan->result;
    plan->result_count = count;
    if (count == 1) {
        slot_describe(c->e, result, values->type, cells_of_operand(c, values), 0);
        plan->result_types[0] = values->type;
        return;
    }
    result->items = ARENA_ARRAY(c->e->arena, Slot, count);
    result->item_data = ARENA_ARRAY(c->e->arena, Datum, count);
    result->item_cap = count;
    for (uint32_t i = 0; i < count; i++) {
        plan->result_types[i] = values[i].type;
        slot_describe(c->e, &result->items[i], values[i].type, cells_of_operand(c, &values[i]), 0);
        result->items[i].datum.kind = DATUM_VALUE;
        result->item_data[i] = result->items[i].datum;
    }
    result->datum = (Datum){.count = count, .items = result->item_data};
}

static bool fits_results(const Plan *plan, const Operand *values, uint32_t count)
{
    bool fits = plan->result_count == count;
    for (uint32_t i = 0; fits && i < count; i++)
        fits = plan->result_types[i] == values[i].type;
    return fits;
}

static bool code_return(Coder *c, const Stmt *stmt)
{
    Plan *plan = c->plan;
    const Expr *x = stmt->value;
    Operand values[MAX_RESULTS];
    if (!x) {
        code_emit(c, op_end, NULL);
        return true;
    }
    bool is_tuple = x->eval == eval_tuple && x->count > 1;
    uint32_t count = is_tuple ? x->count : 1;
    if (!plan->func || plan->result_is_dynamic || count > MAX_RESULTS)
        return false;
    if (is_tuple && !code_items(c, x, values, count))
        return false;
    if (!is_tuple)
        values[0] = code_expr(c, x);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = code_load(c, values[i], stmt->offset);
        if (!is_plain(c, &values[i]) || (is_tuple && values[i].kind != OPERAND_VALUE))
            return false;
    }
    if (!plan->result_count)
        describe_results(c, values, count);
    if (!fits_results(plan, values, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        values[i].can_move &= !is_tuple;
        code_move(c, &values[i], is_tuple ? plan->result.items[i].cells : plan->result.cells);
    }
    end_set(c, &plan->result, is_tuple ? DATUM_TUPLE : kind_of(values));
    return true;
}

/* range(…) of integers. */
static bool code_range(Coder *c, Stmt *stmt)
{
    const Expr *x = stmt->value;
    Operand bounds[3];
    if (!is_range_call(x) || !code_arguments(c, x, bounds, 3))
        return false;
    for (uint32_t i = 0; i < x->count; i++) {
        if (!is_int32(&bounds[i]))
            return false;
        stmt->bounds[x->count > 1 ? i : 1] = bounds[i].cells;
    }
    code_emit(c, op_end, NULL);
    return true;
}

static bool code_expression(Coder *c, const Stmt *stmt)
{
    if (code_expr(c, stmt->value).kind == OPERAND_NONE)
        return false;
    code_emit(c, op_end, NULL);
    return true;
}

static bool code_own(Coder *c, Stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_NAME: return code_name_assign(c, stmt);
    case STMT_TUPLE: return code_tuple_assign(c, stmt);
    case STMT_PLACE: return code_place_assign(c, stmt);
    case STMT_AUG_NAME: return code_aug_name(c, stmt);
    case STMT_AUG_PLACE: return code_aug_place(c, stmt);
    case STMT_EXPR: return code_expression(c, stmt);
    case STMT_IF:
    case STMT_WHILE: return code_test(c, stmt);
    case STMT_FOR: return code_range(c, stmt);
    case STMT_RETURN: return code_return(c, stmt);
    case STMT_BREAK:
    case STMT_CONTINUE: code_emit(c, op_end, NULL); return true;
    case STMT_UNSUPPORTED: break;
    }
    return false;
}

/* What a statement without code assigns can be of any type. */
static void forget_assigned(Coder *c, const Stmt *stmt)
{
    if (stmt->kind == STMT_NAME || stmt->kind == STMT_AUG_NAME)
        make_dynamic(c, stmt->slot);
    for (uint32_t i = 0; stmt->kind == STMT_TUPLE && i < stmt->slot_count; i++)
        make_dynamic(c, stmt->slots[i]);
    if (stmt->kind == STMT_RETURN && stmt->value) {
        c->changed |= !c->plan->result_is_dynamic;
        c->plan->result_is_dynamic = true;
    }
}

/* A block that may not run: what it sets is not set after it. */
static void code_branch(Coder *c, Block *block, const bool *before, bool *after)
{
    uint32_t count = c->plan->slot_count;
    memcpy(c->is_set, before, count);
    code_block(c, block);
    for (uint32_t i = 0; i < count; i++)
        after[i] &= c->is_set[i];
}

static void code_statement(Coder *c, Stmt *stmt)
{
    c->count = 0;
    c->temp_next = 0;
    stmt->code = NULL;
    if (code_own(c, stmt)) {
        Op *code = ARENA_ARRAY(c->e->arena, Op, c->count);
        memcpy(code, c->ops, c->count * sizeof *code);
        stmt->code = code;
    } else
        forget_assigned(c, stmt);
    if (stmt->kind != STMT_IF && stmt->kind != STMT_FOR && stmt->kind != STMT_WHILE)
        return;
    uint32_t count = c->plan->slot_count;
    bool *before = ARENA_ARRAY(c->e->arena, bool, 2 * count + 1), *after = before + count;
    memcpy(before, c->is_set, count);
    memset(after, true, count);
    if (stmt->kind == STMT_FOR && type_slot(c, stmt->slot, type_scalar(TYPE_INT32)))
        c->is_set[stmt->slot] = true;
    bool *inside = ARENA_ARRAY(c->e->arena, bool, count + 1);
    memcpy(inside, c->is_set, count);
    code_branch(c, &stmt->body, inside, after);
    code_branch(c, &stmt->orelse, before, after);
    memcpy(c->is_set, after, count);
}

static void code_block(Coder *c, Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        code_statement(c, &block->items[i]);
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
    for (uint32_t i = 0; i < count; i++)
        c->is_set[i] = type_slot(c, i, args[i].type);
    code_block(c, &plan->body);
}

static void forget_code(Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        block->items[i].code = NULL;
        forget_code(&block->items[i].body);
        forget_code(&block->items[i].orelse);
    }
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
    uint32_t slots = plan->slot_count + 1, rounds = 0;
    c.is_set = ARENA_ARRAY(e->arena, bool, slots);
    c.is_dynamic = ARENA_ARRAY(e->arena, bool, slots);
    c.is_typed = ARENA_ARRAY(e->arena, bool, slots);
    plan->has_code = plan->is_coding = true;
    plan->result_is_dynamic = returns_value(&plan->body) && !always_returns(&plan->body);
    do
        code_body(&c, args, count);
    while (c.changed && ++rounds < MAX_ROUNDS);
    plan->is_coding = false;
    if (c.changed) { /* code of statements before may rely on what is not so */
        forget_code(&plan->body);
        return;
    }
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
    if (e->uses_code && params && !variant->has_code)
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
        forget_code(&plan->body); /* its variables may lie elsewhere from now on */
    return true;
}
