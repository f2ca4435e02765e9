/* Code of statements. */
#include "eval/ast/code.h"

#include <string.h>

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

/* A variable, or the result, has its value now. */
static void set(Coder *c, Slot *slot, DatumKind kind)
{
    Op *op = code_emit(c, op_set, NULL);
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

/* ---- assignments ---- */

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
    set(c, &c->plan->slots[stmt->slot], kind_of(&value));
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
        set(c, &c->plan->slots[stmt->slots[i]], kind_of(&values[i]));
    }
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
    set(c, &c->plan->slots[stmt->slot], kind_of(&result));
    return true;
}

static bool code_place_assign(Coder *c, const Stmt *stmt)
{
    Operand value = code_expr(c, stmt->value), place = code_place(c, stmt->place);
    return code_store(c, &place, value, stmt->offset);
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
        code_update(c, stmt->place, &place, &value, atomic_of(stmt->op));
        return true;
    }
    Operand current = code_part_value(c, &place);
    Operand result = code_binary(c, stmt->place, stmt->op, &current, &value);
    if (result.kind != OPERAND_VALUE || !code_store(c, &place, result, stmt->offset))
        return false;
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
    if (!x)
        return true;
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
    set(c, &plan->result, is_tuple ? DATUM_TUPLE : kind_of(values));
    return true;
}

/* ---- branches and loops ---- */

/* Jumps out of a loop, to be told where to. */
typedef struct Jumps {
    uint32_t *items, count, cap;
} Jumps;

struct CodeLoop {
    Jumps breaks, continues;
};

static void add_jump(Coder *c, Jumps *jumps)
{
    code_emit(c, op_jump, NULL);
    ARENA_PUSH(c->e->arena, jumps->items, jumps->count, jumps->cap) = c->count - 1;
}

static void land_all(Coder *c, const Jumps *jumps)
{
    if (jumps->count)
        code_land(c, jumps->items, jumps->count);
}

static void jump_back(Coder *c, OpFn *run, uint32_t to, void *more)
{
    Op *op = code_emit(c, run, NULL);
    op->more = more;
    op->jump = (int32_t)to - (int32_t)(c->count - 1);
}

/* Jumps, somewhere, unless the condition holds: the place of that jump. */
static uint32_t code_unless(Coder *c, const Expr *x)
{
    uint32_t start = c->count;
    Operand value = code_loaded(c, x);
    if (value.kind != OPERAND_VALUE || !type_is_single(value.type)) {
        c->count = start;
        value = code_result(c, op_test, x, type_scalar(TYPE_BOOL));
    }
    Op *op = code_emit(c, op_unless, x);
    op->in[0] = value.cells;
    op->in_type[0] = value.type;
    return c->count - 1;
}

/* What is set on both ways. */
static void join_sets(const Coder *c, const bool *other)
{
    for (uint32_t i = 0; i < c->plan->slot_count; i++)
        c->is_set[i] &= other[i];
}

static bool *copy_sets(const Coder *c)
{
    uint32_t count = c->plan->slot_count;
    return memcpy(ARENA_ARRAY(c->e->arena, bool, count + 1), c->is_set, count);
}

static void code_if(Coder *c, const Stmt *stmt)
{
    uint32_t branch = code_unless(c, stmt->value), end;
    bool *before = copy_sets(c);
    code_block(c, &stmt->body);
    if (!stmt->orelse.count) {
        code_land(c, &branch, 1);
        join_sets(c, before);
        return;
    }
    code_emit(c, op_jump, NULL);
    end = c->count - 1;
    code_land(c, &branch, 1);
    bool *after = copy_sets(c);
    memcpy(c->is_set, before, c->plan->slot_count);
    code_block(c, &stmt->orelse);
    code_land(c, &end, 1);
    join_sets(c, after);
}

static void code_while(Coder *c, const Stmt *stmt)
{
    CodeLoop loop = {0}, *outer = c->loop;
    bool *before = copy_sets(c);
    uint32_t top = c->count, exit;
    c->label = top;
    exit = code_unless(c, stmt->value);
    code_emit(c, op_step, NULL)->offset = stmt->offset;
    c->loop = &loop;
    code_block(c, &stmt->body);
    c->loop = outer;
    jump_back(c, op_jump, top, NULL);
    for (uint32_t i = 0; i < loop.continues.count; i++)
        c->ops[loop.continues.items[i]].jump = (int32_t)top - (int32_t)loop.continues.items[i];
    code_land(c, &exit, 1);
    land_all(c, &loop.breaks);
    join_sets(c, before);
}

/* range(…) of integers, or anything else that must turn out to be a range. */
static void code_bounds(Coder *c, const Stmt *stmt, CodeRange *range)
{
    const Expr *x = stmt->value;
    Operand bounds[3];
    uint32_t start = c->count;
    bool known = is_range_call(x) && code_arguments(c, x, bounds, 3);
    for (uint32_t i = 0; known && i < x->count; i++) {
        known = is_int32(&bounds[i]);
        range->bounds[x->count > 1 ? i : 1] = bounds[i].cells;
    }
    if (known)
        return;
    c->count = start;
    Dual *cells = ARENA_ARRAY(c->e->arena, Dual, 3);
    for (uint32_t i = 0; i < 3; i++)
        range->bounds[i] = &cells[i];
    Op *op = code_emit(c, op_range, x);
    op->out = cells;
    op->offset = stmt->offset;
}

static void code_for(Coder *c, const Stmt *stmt)
{
    static const Dual zero = {.integer = 0}, one = {.integer = 1};
    CodeLoop loop = {0}, *outer = c->loop;
    CodeRange *range = ARENA_NEW(c->e->arena, CodeRange);
    *range = (CodeRange){.bounds = {&zero, NULL, &one}, .slot = &c->plan->slots[stmt->slot], .offset = stmt->offset};
    code_bounds(c, stmt, range);
    code_emit(c, op_range_begin, NULL)->more = range;
    uint32_t begin = c->count - 1;
    bool *before = copy_sets(c);
    c->is_set[stmt->slot] = range->is_typed = type_slot(c, stmt->slot, type_scalar(TYPE_INT32));
    c->loop = &loop;
    code_block(c, &stmt->body);
    c->loop = outer;
    land_all(c, &loop.continues);
    jump_back(c, op_range_next, begin + 1, range);
    code_land(c, &begin, 1);
    land_all(c, &loop.breaks);
    join_sets(c, before);
}

/* ---- statements ---- */

static bool code_simple(Coder *c, const Stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_NAME: return code_name_assign(c, stmt);
    case STMT_TUPLE: return code_tuple_assign(c, stmt);
    case STMT_PLACE: return code_place_assign(c, stmt);
    case STMT_AUG_NAME: return code_aug_name(c, stmt);
    case STMT_AUG_PLACE: return code_aug_place(c, stmt);
    case STMT_EXPR: return code_expr(c, stmt->value).kind != OPERAND_NONE;
    case STMT_RETURN: return code_return(c, stmt);
    default: return false;
    }
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

static void code_statement(Coder *c, const Stmt *stmt)
{
    c->temp_next = 0;
    code_step(c, stmt->offset);
    uint32_t start = c->count;
    switch (stmt->kind) {
    case STMT_IF: code_if(c, stmt); return;
    case STMT_FOR: code_for(c, stmt); return;
    case STMT_WHILE: code_while(c, stmt); return;
    case STMT_BREAK:
    case STMT_CONTINUE:
        if (c->loop)
            add_jump(c, stmt->kind == STMT_BREAK ? &c->loop->breaks : &c->loop->continues);
        else
            code_emit(c, op_end, NULL);
        return;
    default: break;
    }
    if (!code_simple(c, stmt)) {
        c->count = start;
        code_emit(c, op_statement, NULL)->statement = stmt;
        forget_assigned(c, stmt);
    }
    if (stmt->kind == STMT_RETURN)
        code_emit(c, op_end, NULL);
}

void code_block(Coder *c, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        code_statement(c, &block->items[i]);
}
