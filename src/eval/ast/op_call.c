/* Operations: builtins and functions. */
#include "eval/ast/builtin.h"
#include "eval/ast/code.h"

#include <string.h>

const Op *op_tid(Evaluator *e, const Op *op)
{
    *op->out = (Dual){.integer = e->index[op->skip]};
    return op + 1;
}

static void use(Evaluator *e, const Op *op, Datum *outcome)
{
    const BuiltinUse *use = op->more;
    Datum args[MAX_CODE_ARGS];
    memcpy(args, use->args, op->count * sizeof *args);
    *outcome = (Datum){0};
    Call call = {e, op->x, args, op->count, op->variant, outcome};
    use->function(&call);
}

const Op *op_use_builtin(Evaluator *e, const Op *op)
{
    Datum outcome;
    ScratchMark mark = scratch_mark(e);
    use(e, op, &outcome);
    if (op->out)
        take_outcome(e, op, &outcome);
    scratch_release(e, mark);
    return op + 1;
}

const Op *op_use_array(Evaluator *e, const Op *op)
{
    Datum outcome;
    ScratchMark mark = scratch_mark(e);
    use(e, op, &outcome);
    if (outcome.kind != DATUM_ARRAY || outcome.type != op->type)
        stop_unforeseen(e, op, &outcome);
    *((const BuiltinUse *)op->more)->array = *outcome.arrays;
    scratch_release(e, mark);
    return op + 1;
}

const Op *op_use_several(Evaluator *e, const Op *op)
{
    const BuiltinUse *used = op->more;
    Datum outcome;
    ScratchMark mark = scratch_mark(e);
    use(e, op, &outcome);
    if (outcome.kind != DATUM_TUPLE || outcome.count != op->width)
        stop_unforeseen(e, op, &outcome);
    for (uint32_t i = 0; i < op->width; i++) {
        const Datum *item = &outcome.items[i], *to = &used->items[i];
        if (item->kind != DATUM_VALUE || item->type != to->type)
            stop_unforeseen(e, op, item);
        memcpy(to->cells, item->cells, width_of(item) * sizeof *to->cells);
    }
    scratch_release(e, mark);
    return op + 1;
}

static void pass(Slot *slot, const CodeArgument *given)
{
    slot->datum.kind = given->datum.kind;
    for (uint32_t i = 0; i < given->cells; i++)
        slot->cells[i] = given->datum.cells[i];
    for (uint32_t i = 0; i < given->arrays; i++)
        slot->arrays[i] = given->datum.arrays[i];
    if (given->datum.kind == DATUM_ARRAY) /* a local array is passed by reference */
        slot->arrays->type = slot->datum.type;
}

const Op *op_call(Evaluator *e, const Op *op)
{
    const CodeCall *call = op->more;
    Plan *plan = call->plan, *caller = e->current;
    enter_plan(e, op->x, plan);
    count_step(e, op->x->offset);
    for (uint32_t i = call->count; i < plan->slot_count; i++)
        plan->slots[i].datum.kind = DATUM_NOTHING;
    for (uint32_t i = 0; i < call->count; i++)
        pass(&plan->slots[i], &call->args[i]);
    plan->result.datum.kind = DATUM_NOTHING;
    run_plan(e, plan);
    leave_plan(e, plan, caller);
    if (op->out)
        memcpy(op->out, plan->result.cells, op->width * sizeof *op->out);
    return op + 1;
}
