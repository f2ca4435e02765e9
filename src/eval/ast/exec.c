/* Statements. */
#include "eval/ast/code.h"

#include <string.h>

static RunFlow run_block(Evaluator *e, const Block *block);

/* ---- what was computed ---- */

void keep_datum(const Evaluator *e, const Datum *datum, uint32_t offset)
{
    if (!e->run->journal)
        return;
    if (datum->kind == DATUM_TUPLE)
        for (uint32_t i = 0; i < datum->count; i++)
            keep_datum(e, &datum->items[i], offset);
    if (datum->kind != DATUM_VALUE)
        return;
    bool is_real = is_float_kind(type_scalar_of(datum->type)->kind);
    for (uint32_t i = 0; i < width_of(datum); i++)
        journal_add(e->run->journal, offset, is_real, (Cell){.integer = datum->cells[i].integer});
}

static void keep_assigned(const Evaluator *e, const Stmt *stmt)
{
    if (stmt->kind == STMT_NAME || stmt->kind == STMT_AUG_NAME)
        keep_datum(e, &e->current->slots[stmt->slot].datum, stmt->offset);
    else if (stmt->kind == STMT_RETURN && stmt->value)
        keep_datum(e, &e->current->result.datum, stmt->offset);
    else if (stmt->kind == STMT_TUPLE)
        for (uint32_t i = 0; i < stmt->slot_count; i++)
            keep_datum(e, &e->current->slots[stmt->slots[i]].datum, stmt->offset);
}

/* ---- assignments ---- */

static void run_tuple(Evaluator *e, const Stmt *stmt)
{
    Datum value;
    eval(e, stmt->value, &value);
    if (value.kind == DATUM_ELEMENT)
        load_datum(e, &value, stmt->offset);
    if (value.kind != DATUM_TUPLE || value.count != stmt->slot_count)
        stop_unsupported(e, stmt->offset, "%s cannot be assigned to %u names", datum_text(e, &value), stmt->slot_count);
    Datum *items = scratch(e, value.count * sizeof *items); /* a variable may be on both sides */
    for (uint32_t i = 0; i < value.count; i++) {
        items[i] = value.items[i];
        bool is_composite =
            items[i].kind == DATUM_STRUCT || (items[i].kind == DATUM_VALUE && !type_is_single(items[i].type));
        if (stmt->is_alias && is_composite && items[i].writable)
            stop_unsupported(e, stmt->offset, "two names of one variable, a part of which is assigned");
        if (items[i].kind == DATUM_VALUE || items[i].kind == DATUM_STRUCT)
            detach_datum(e, &items[i], stmt->offset);
    }
    for (uint32_t i = 0; i < value.count; i++) {
        Slot *slot = &e->current->slots[stmt->slots[i]];
        if (items[i].kind == DATUM_ELEMENT)
            slot->datum = items[i]; /* Warp keeps a reference here, and reads the element when it is used */
        else
            slot_set(e, slot, &items[i], stmt->offset);
    }
}

static void run_aug_name(Evaluator *e, const Stmt *stmt)
{
    Datum value, target, result;
    eval(e, stmt->value, &value);
    eval(e, stmt->place, &target);
    apply_operator(e, stmt->place, stmt->op, stmt->overload, &target, &value, &result);
    slot_set(e, &e->current->slots[stmt->slot], &result, stmt->offset);
}

AtomicOp atomic_of(OpKind op)
{
    switch (op) {
    case OP_ADD: return ATOMIC_ADD;
    case OP_SUB: return ATOMIC_SUB;
    case OP_BIT_AND: return ATOMIC_AND;
    case OP_BIT_OR: return ATOMIC_OR;
    default: return ATOMIC_XOR;
    }
}

/* An element of an array, or a part of one where the dialect has such atomics, and wide enough for them. */
static bool is_atomic_place(const Evaluator *e, const Stmt *stmt, const Datum *place)
{
    if (!stmt->is_atomic || place->kind != DATUM_ELEMENT || place->selection)
        return false;
    if (place->type->kind == TYPE_STRUCT || type_is_narrow(type_scalar_of(place->type)))
        return false;
    uint32_t width = type_parts(place->type);
    bool whole = width == place->storage->width && place->first_cell % width == 0;
    return (whole && stmt->place->eval == eval_subscript) || (e->unit->dialect->slots_by_reference && !stmt->overload);
}

static void run_aug_place(Evaluator *e, const Stmt *stmt)
{
    Datum value, place, current, result;
    if (e->unit->dialect->augmented_target_first) {
        eval_place(e, stmt->place, &place);
        eval_loaded(e, stmt->value, &value);
    } else {
        eval_loaded(e, stmt->value, &value);
        eval_place(e, stmt->place, &place);
    }
    keep_datum(e, &value, stmt->offset);
    if (is_atomic_place(e, stmt, &place)) {
        atomic_update(e, stmt->place, &place, atomic_of(stmt->op), &value, NULL, NULL);
        return;
    }
    current = place;
    if (place.selection)
        eval_loaded(e, stmt->place, &current);
    else if (place.kind == DATUM_ELEMENT) {
        load_datum(e, &current, stmt->offset);
        bool whole = stmt->place->eval == eval_subscript && width_of(&current) == place.storage->width;
        if (e->run->path_sum && whole) /* named twice: read and stored */
            path_sum_element(e->run->path_sum, place.first_cell);
    }
    apply_operator(e, stmt->place, stmt->op, stmt->overload, &current, &value, &result);
    store_place(e, &place, &result, stmt->offset);
}

/* ---- control flow ---- */

static void eval_range(Evaluator *e, const Expr *x, uint32_t offset, Datum *range)
{
    eval_loaded(e, x, range);
    if (range->kind != DATUM_RANGE)
        stop_unsupported(e, offset, "a loop over %s", datum_text(e, range));
}

static RunFlow run_for(Evaluator *e, const Stmt *stmt)
{
    Datum range;
    eval_range(e, stmt->value, stmt->offset, &range);
    int64_t start = range.bounds[0], end = range.bounds[1], step = range.bounds[2];
    if (step == 0)
        return RUN_NEXT;
    Slot *slot = &e->current->slots[stmt->slot];
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step) {
        count_step(e, stmt->offset);
        Dual cell = {.integer = i};
        Datum index = {.kind = DATUM_VALUE, .type = type_scalar(TYPE_INT32), .cells = &cell};
        slot_set(e, slot, &index, stmt->offset);
        RunFlow flow = run_block(e, &stmt->body);
        if (flow == RUN_BREAK || flow == RUN_RETURN)
            return flow == RUN_RETURN ? flow : RUN_NEXT;
    }
    return RUN_NEXT;
}

static bool test(Evaluator *e, const Expr *x)
{
    Datum value;
    eval_loaded(e, x, &value);
    return datum_truth(e, &value, x->offset);
}

static RunFlow run_while(Evaluator *e, const Stmt *stmt)
{
    ScratchMark mark = scratch_mark(e);
    while (test(e, stmt->value)) {
        scratch_release(e, mark);
        count_step(e, stmt->offset);
        RunFlow flow = run_block(e, &stmt->body);
        if (flow == RUN_BREAK || flow == RUN_RETURN)
            return flow == RUN_RETURN ? flow : RUN_NEXT;
    }
    return RUN_NEXT;
}

static void run_return(Evaluator *e, const Stmt *stmt)
{
    Datum value;
    if (!stmt->value)
        return;
    eval(e, stmt->value, &value);
    if (value.kind == DATUM_ELEMENT)
        load_datum(e, &value, stmt->offset);
    if (value.kind == DATUM_NOTHING)
        return;
    slot_set(e, &e->current->result, &value, stmt->offset);
}

/* A local array is a value: another name gets a copy. */
static void copy_local_array(Evaluator *e, Slot *slot, Datum *array)
{
    const Storage *from = array->arrays->storage;
    size_t cells = from->count * from->width;
    if (!slot->copy || slot->copy->count * slot->copy->width != cells) {
        slot->copy = ARENA_NEW(e->arena, Storage);
        slot->copy->cells = ARENA_ARRAY(e->arena, Cell, cells);
        slot->copy->tangents = ARENA_ARRAY(e->arena, double, cells);
    }
    slot->copy->count = from->count;
    slot->copy->width = from->width;
    if (slot->copy != from) {
        memcpy(slot->copy->cells, from->cells, cells * sizeof *from->cells);
        memcpy(slot->copy->tangents, from->tangents, cells * sizeof *from->tangents);
    }
    ArrayView *view = scratch(e, sizeof *view);
    *view = *array->arrays;
    view->storage = slot->copy;
    array->arrays = view;
}

static void run_name(Evaluator *e, const Stmt *stmt)
{
    Datum value;
    Slot *slot = &e->current->slots[stmt->slot];
    eval(e, stmt->value, &value);
    if (value.kind == DATUM_ARRAY && value.type->array.cls == ARRAY_FIXED && stmt->value->eval == eval_name &&
        value.arrays->storage)
        copy_local_array(e, slot, &value);
    slot_set(e, slot, &value, stmt->offset);
}

static RunFlow run_statement(Evaluator *e, const Stmt *stmt)
{
    Datum value, place;
    switch (stmt->kind) {
    case STMT_NAME: run_name(e, stmt); return RUN_NEXT;
    case STMT_TUPLE: run_tuple(e, stmt); return RUN_NEXT;
    case STMT_PLACE:
        eval(e, stmt->value, &value);
        eval_place(e, stmt->place, &place);
        keep_datum(e, &value, stmt->offset);
        store_place(e, &place, &value, stmt->offset);
        return RUN_NEXT;
    case STMT_AUG_NAME: run_aug_name(e, stmt); return RUN_NEXT;
    case STMT_AUG_PLACE: run_aug_place(e, stmt); return RUN_NEXT;
    case STMT_EXPR: eval(e, stmt->value, &value); return RUN_NEXT;
    case STMT_IF: return run_block(e, test(e, stmt->value) ? &stmt->body : &stmt->orelse);
    case STMT_FOR: return run_for(e, stmt);
    case STMT_WHILE: return run_while(e, stmt);
    case STMT_BREAK: return RUN_BREAK;
    case STMT_CONTINUE: return RUN_CONTINUE;
    case STMT_RETURN: run_return(e, stmt); return RUN_RETURN;
    case STMT_UNSUPPORTED: break;
    }
    stop_unsupported(e, stmt->offset, "%s", stmt->message);
}

RunFlow run_one(Evaluator *e, const Stmt *stmt)
{
    count_step(e, stmt->offset);
    RunFlow flow = run_statement(e, stmt);
    if (e->run->journal)
        keep_assigned(e, stmt);
    return flow;
}

static RunFlow run_block(Evaluator *e, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Stmt *stmt = &block->items[i];
        ScratchMark mark = scratch_mark(e);
        RunFlow flow = run_one(e, stmt);
        scratch_release(e, mark);
        if (flow != RUN_NEXT)
            return flow;
    }
    return RUN_NEXT;
}

void run_plan(Evaluator *e, Plan *plan)
{
    e->current = plan;
    if (plan->ops && e->uses_code)
        run_code(e, plan->ops);
    else
        run_block(e, &plan->body);
}

/* ---- among code ---- */

/* A statement that has none. */
const Op *op_statement(Evaluator *e, const Op *op)
{
    ScratchMark mark = scratch_mark(e);
    run_statement(e, op->statement);
    scratch_release(e, mark);
    return op + 1;
}

const Op *op_test(Evaluator *e, const Op *op)
{
    ScratchMark mark = scratch_mark(e);
    *op->out = (Dual){.integer = test(e, op->x)};
    scratch_release(e, mark);
    return op + 1;
}

const Op *op_range(Evaluator *e, const Op *op)
{
    Datum range;
    ScratchMark mark = scratch_mark(e);
    eval_range(e, op->x, op->offset, &range);
    for (uint32_t i = 0; i < 3; i++)
        op->out[i] = (Dual){.integer = range.bounds[i]};
    scratch_release(e, mark);
    return op + 1;
}
