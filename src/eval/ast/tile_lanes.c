/* The lanes of a block, together: statements, expressions that may meet tiles, and calls of functions. */
#include "eval/ast/tile.h"

#include <string.h>

/* ---- lanes ---- */

void enter_lane(Evaluator *e, uint32_t lane)
{
    e->lane = lane;
    memcpy(e->index, e->lane_index[lane], sizeof e->index);
    if (e->current->lane_slots)
        e->current->slots = e->current->lane_slots[lane];
}

void need_all_lanes(Evaluator *e, const LaneSet *set, uint32_t offset)
{
    if (set->count == e->lane_count)
        return;
    stop_run(e, FINDING_NOT_UNIFORM, offset,
             "only %u of the %u lanes of a block come to this tile operation: it waits for all of them", set->count,
             e->lane_count);
}

static void make_lane_slots(Evaluator *e, Plan *plan)
{
    if (plan->lane_cap >= e->lane_count)
        return;
    Slot **slots = ARENA_ARRAY(e->arena, Slot *, e->lane_count);
    for (uint32_t i = 0; i < e->lane_count; i++) {
        slots[i] = ARENA_ARRAY(e->arena, Slot, plan->slot_count);
        for (uint32_t k = 0; k < plan->slot_count; k++)
            slots[i][k] = (Slot){.name = plan->slots[k].name,
                                 .assigned = plan->slots[k].assigned,
                                 .may_be_tile = plan->slots[k].may_be_tile};
    }
    plan->lane_slots = slots;
    plan->lane_results = ARENA_ARRAY(e->arena, Slot, e->lane_count);
    plan->lane_cap = e->lane_count;
}

static LaneSet new_set(Evaluator *e)
{
    return (LaneSet){.lanes = scratch(e, e->lane_count * sizeof(uint32_t))};
}

static LaneSet copy_set(Evaluator *e, const LaneSet *set)
{
    LaneSet copy = new_set(e);
    memcpy(copy.lanes, set->lanes, set->count * sizeof *set->lanes);
    copy.count = set->count;
    return copy;
}

static Datum *new_data(Evaluator *e)
{
    Datum *data = scratch(e, e->lane_count * sizeof *data);
    memset(data, 0, e->lane_count * sizeof *data);
    return data;
}

#define FOR_LANES(e, set, lane)                                                                                        \
    for (uint32_t k_ = 0, lane; k_ < (set)->count && (lane = (set)->lanes[k_], enter_lane(e, lane), true); k_++)

/* ---- expressions ---- */

void eval_given(Evaluator *e, const Expr *x, Datum *out)
{
    *out = x->given[e->lane];
}

void eval_tile_call(Evaluator *e, const Expr *x, Datum *out)
{
    (void)out;
    stop_unsupported(e, x->offset, "'%s' is called where not all lanes of a block are", x->call->name);
}

/* A copy of the expression whose parts that may meet tiles have been evaluated, for every lane. */
static Expr *with_parts_given(Evaluator *e, const Expr *x, const LaneSet *set, uint32_t first)
{
    Expr *copy = scratch(e, sizeof *copy);
    *copy = *x;
    copy->kids = scratch(e, x->count * sizeof *copy->kids);
    for (uint32_t i = 0; i < x->count; i++) {
        copy->kids[i] = x->kids[i];
        if (i < first || !x->kids[i] || !x->kids[i]->meets_tiles)
            continue;
        Datum *data = new_data(e);
        lanes_eval(e, x->kids[i], set, data);
        Expr *given = scratch(e, sizeof *given);
        *given = (Expr){.eval = eval_given, .offset = x->kids[i]->offset, .given = data};
        copy->kids[i] = given;
    }
    return copy;
}

static void eval_each(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    FOR_LANES(e, set, lane)
    eval(e, x, &out[lane]);
}

static void load_each(Evaluator *e, const LaneSet *set, Datum *data, uint32_t offset)
{
    FOR_LANES(e, set, lane)
    load_datum(e, &data[lane], offset);
}

/* Where lanes choose between tiles, an element comes from the tile that its lane has chosen. */
static void join_chosen(Evaluator *e, const Expr *x, const LaneSet *set, Datum *data)
{
    bool tiles = set->count > 0;
    for (uint32_t i = 0; i < set->count; i++)
        tiles &= data[set->lanes[i]].kind == DATUM_TILE;
    if (!tiles)
        return;
    need_all_lanes(e, set, x->offset);
    const Tile first = *data[0].tile;
    Tile *tile = new_tile(e, first.type, first.ndim, first.shape, x->offset);
    for (uint32_t n = 0; n < tile_size(tile); n++) {
        const Tile *from = data[n % e->lane_count].tile;
        if (!same_shape(from, &first) || from->width != first.width)
            stop_unsupported(e, x->offset, "a choice between tiles of different shapes");
        memcpy(tile_element(tile, n), tile_element(from, n), first.width * sizeof(Dual));
    }
    set_result(e, x, tile, data);
}

static void split_by_test(Evaluator *e, const LaneSet *set, const Datum *tests, uint32_t offset, LaneSet *yes,
                          LaneSet *no)
{
    *yes = new_set(e);
    *no = new_set(e);
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t lane = set->lanes[i];
        LaneSet *side = datum_truth(e, &tests[lane], offset) ? yes : no;
        side->lanes[side->count++] = lane;
    }
}

static void lanes_test(Evaluator *e, const Expr *x, const LaneSet *set, LaneSet *yes, LaneSet *no)
{
    Datum *tests = new_data(e);
    lanes_eval(e, x, set, tests);
    load_each(e, set, tests, x->offset);
    split_by_test(e, set, tests, x->offset, yes, no);
}

static void lanes_if_exp(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    LaneSet sides[2];
    lanes_test(e, x->kids[0], set, &sides[0], &sides[1]);
    for (uint32_t i = 0; i < 2; i++) {
        if (!sides[i].count)
            continue;
        lanes_eval(e, x->kids[i + 1], &sides[i], out);
        load_each(e, &sides[i], out, x->offset);
    }
    join_chosen(e, x, set, out);
}

static void lanes_and_or(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    LaneSet undecided = copy_set(e, set);
    for (uint32_t i = 0; i < x->count && undecided.count; i++) {
        LaneSet yes, no;
        lanes_test(e, x->kids[i], &undecided, &yes, &no);
        FOR_LANES(e, &yes, lane)
        new_bool_datum(e, true, &out[lane]);
        FOR_LANES(e, &no, other)
        new_bool_datum(e, false, &out[other]);
        undecided = x->op == OP_AND ? yes : no;
    }
}

static void lanes_binary(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    Expr *given = with_parts_given(e, x, set, 0);
    Datum *sides[2];
    bool tiles = false;
    for (uint32_t i = 0; i < 2; i++) {
        sides[i] = new_data(e);
        eval_each(e, given->kids[i], set, sides[i]);
        load_each(e, set, sides[i], x->offset);
        tiles |= sides[i][set->lanes[0]].kind == DATUM_TILE;
    }
    if (tiles) {
        need_all_lanes(e, set, x->offset);
        tile_binary(e, x, x->binary.op, sides[0], sides[1], out);
        return;
    }
    FOR_LANES(e, set, lane)
    apply_operator(e, x, x->binary.op, x->binary.overload, &sides[0][lane], &sides[1][lane], &out[lane]);
}

static void lanes_unary(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    Expr *given = with_parts_given(e, x, set, 0);
    Datum *operand = new_data(e);
    eval_each(e, given->kids[0], set, operand);
    if (operand[set->lanes[0]].kind != DATUM_TILE)
        eval_each(e, given, set, out);
    else if (x->op != OP_U_SUB)
        stop_unsupported(e, x->offset, "this operator of a tile");
    else {
        need_all_lanes(e, set, x->offset);
        tile_negate(e, x, operand[0].tile, out);
    }
}

/* The object and the indices of a subscript, for every lane; true: the object is a tile. */
static bool subscript_parts(Evaluator *e, const Expr *x, const LaneSet *set, Datum **parts)
{
    for (uint32_t i = 0; i < x->count; i++) {
        parts[i] = new_data(e);
        lanes_eval(e, x->kids[i], set, parts[i]);
        if (i == 0 && parts[0][set->lanes[0]].kind != DATUM_TILE)
            return false;
        load_each(e, set, parts[i], x->offset);
    }
    return true;
}

static void lanes_subscript(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    Datum **parts = scratch(e, x->count * sizeof *parts);
    if (x->kids[0]->meets_tiles && subscript_parts(e, x, set, parts)) {
        tile_subscript(e, x, set, parts, out);
        return;
    }
    eval_each(e, with_parts_given(e, x, set, 0), set, out);
}

/* ---- calls ---- */

static void lanes_tile_call(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    const TileRow *row = x->call->tile;
    if (!row->alone)
        need_all_lanes(e, set, x->offset);
    if (x->count > TILE_MAX_ARGS)
        stop_unsupported(e, x->offset, "'%s' with %u arguments", row->name, x->count);
    TileCall call = {.e = e, .x = x, .count = x->count, .positional = x->count, .variant = row->variant, .out = out};
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->call->keywords && x->call->keywords[i] && call.positional > i)
            call.positional = i;
        call.args[i] = new_data(e);
        lanes_eval(e, x->kids[i], set, call.args[i]);
        load_each(e, set, call.args[i], x->offset);
    }
    enter_lane(e, set->lanes[0]);
    tile_call_omitting(&call, row);
    if (!row->alone)
        return;
    for (uint32_t i = 1; i < set->count; i++) { /* every lane by itself */
        TileCall one = call;
        enter_lane(e, set->lanes[i]);
        row->function(&one);
    }
}

static void lanes_block(Evaluator *e, const Block *block, const LaneSet *set, RunFlow *flow);

/* Results are copied: the next call of the function makes its tiles anew. */
static void take_results(Evaluator *e, const Expr *x, const LaneSet *set, const Plan *plan, Datum *out)
{
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t lane = set->lanes[i];
        out[lane] = plan->lane_results[lane].datum;
    }
    const Datum *first = &out[set->lanes[0]];
    bool tuple = first->kind == DATUM_TUPLE;
    uint32_t count = tuple ? first->count : 1;
    Datum *part = new_data(e);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < set->count; i++)
            part[set->lanes[i]] = tuple ? out[set->lanes[i]].items[k] : out[set->lanes[i]];
        if (part[set->lanes[0]].kind != DATUM_TILE) {
            FOR_LANES(e, set, lane)
            if (part[lane].kind == DATUM_VALUE || part[lane].kind == DATUM_STRUCT)
                detach_datum(e, &part[lane], x->offset);
        } else {
            const Tile *tile = copy_tile(e, part[set->lanes[0]].tile, x->offset);
            set_tile(e, keep_tile(e, x->site, k, tile), part);
        }
        for (uint32_t i = 0; i < set->count; i++) {
            if (tuple)
                out[set->lanes[i]].items[k] = part[set->lanes[i]];
            else
                out[set->lanes[i]] = part[set->lanes[i]];
        }
    }
}

static void run_function(Evaluator *e, const Expr *x, Plan *plan, const LaneSet *set, Passed *passed, Datum *out)
{
    make_lane_slots(e, plan);
    enter_plan(e, x, plan);
    Plan *caller = e->current;
    e->current = plan;
    RunFlow *flow = scratch(e, e->lane_count * sizeof *flow);
    FOR_LANES(e, set, lane)
    {
        count_step(e, x->offset);
        bind_parameters(e, x, plan, &passed[lane]);
        plan->lane_results[lane].datum.kind = DATUM_NOTHING;
        flow[lane] = RUN_NEXT;
    }
    lanes_block(e, &plan->body, set, flow);
    leave_plan(e, plan, caller);
    take_results(e, x, set, plan, out);
}

static void lanes_function_call(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    Expr *given = with_parts_given(e, x, set, 0);
    Passed *passed = scratch(e, e->lane_count * sizeof *passed);
    const Value *callee = x->call->callee;
    uint32_t first = x->eval == eval_call_dynamic ? 1 : 0;
    if (first) {
        Datum *functions = new_data(e);
        eval_each(e, given->kids[0], set, functions);
        if (functions[set->lanes[0]].kind != DATUM_STATIC)
            stop_unsupported(e, x->offset, "%s cannot be called", datum_text(e, &functions[set->lanes[0]]));
        callee = functions[set->lanes[0]].value;
    }
    FOR_LANES(e, set, lane)
    eval_arguments(e, given, first, &passed[lane]);
    if (callee->kind == VALUE_FUNC) {
        run_function(e, x, plan_for(e, x, callee, &passed[set->lanes[0]]), set, passed, out);
        return;
    }
    FOR_LANES(e, set, other)
    call_given(e, x, callee, &passed[other], &out[other]);
}

static void lanes_builtin(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    eval_each(e, with_parts_given(e, x, set, 0), set, out);
    join_chosen(e, x, set, out);
}

void lanes_eval(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out)
{
    if (!x->meets_tiles || x->eval == eval_name)
        eval_each(e, x, set, out);
    else if (x->eval == eval_tile_call)
        lanes_tile_call(e, x, set, out);
    else if (x->eval == eval_binary)
        lanes_binary(e, x, set, out);
    else if (x->eval == eval_unary)
        lanes_unary(e, x, set, out);
    else if (x->eval == eval_subscript)
        lanes_subscript(e, x, set, out);
    else if (x->eval == eval_if_exp)
        lanes_if_exp(e, x, set, out);
    else if (x->eval == eval_and_or)
        lanes_and_or(e, x, set, out);
    else if (x->eval == eval_call_builtin)
        lanes_builtin(e, x, set, out);
    else if (x->eval == eval_call_dynamic || x->eval == eval_call_value)
        lanes_function_call(e, x, set, out);
    else
        eval_each(e, with_parts_given(e, x, set, 0), set, out);
}

/* ---- statements ---- */

static void assign_name(Evaluator *e, const Stmt *stmt, const LaneSet *set)
{
    Datum *data = new_data(e);
    lanes_eval(e, stmt->value, set, data);
    const Datum *first = &data[set->lanes[0]];
    if (first->kind == DATUM_TILE || first->kind == DATUM_STACK)
        need_all_lanes(e, set, stmt->offset);
    if (first->kind == DATUM_TILE && stmt->value->eval == eval_name) {
        Slot *slot = &e->current->lane_slots[0][stmt->slot];
        if (!slot->site)
            slot->site = ARENA_NEW(e->arena, TileSite);
        set_tile(e, keep_tile(e, slot->site, 0, copy_tile(e, first->tile, stmt->offset)), data);
    }
    FOR_LANES(e, set, lane)
    slot_set(e, &e->current->slots[stmt->slot], &data[lane], stmt->offset);
}

/* The variable that a place is a part of must not be a tile. */
static void check_place(Evaluator *e, const Expr *place, uint32_t offset)
{
    while (place->eval == eval_attribute || place->eval == eval_subscript)
        place = place->kids[0];
    if (place->eval == eval_tile_call ||
        (place->eval == eval_name && e->current->slots[place->slot].datum.kind == DATUM_TILE))
        stop_unsupported(e, offset, "a part of a tile's element is assigned");
}

/* Runs the statement lane after lane, its parts given. */
static void run_given(Evaluator *e, const Stmt *stmt, const LaneSet *set, RunFlow *flow)
{
    Stmt copy = *stmt;
    Expr value = {0};
    if (stmt->value && stmt->value->meets_tiles) {
        Datum *data = new_data(e);
        lanes_eval(e, stmt->value, set, data);
        value = (Expr){.eval = eval_given, .offset = stmt->value->offset, .given = data};
        copy.value = &value;
    }
    if (stmt->place && stmt->place->meets_tiles)
        copy.place = with_parts_given(e, stmt->place, set, 1);
    enter_lane(e, set->lanes[0]);
    if (stmt->place && (stmt->kind == STMT_PLACE || stmt->kind == STMT_AUG_PLACE))
        check_place(e, stmt->place, stmt->offset);
    FOR_LANES(e, set, lane)
    flow[lane] = run_one(e, &copy);
}

/* `t[…] = x` and `t[…] op= x`; false: it is not a tile. */
static bool assign_element(Evaluator *e, const Stmt *stmt, const LaneSet *set)
{
    const Expr *place = stmt->place;
    if (place->eval != eval_subscript || !place->kids[0]->meets_tiles)
        return false;
    Datum **parts = scratch(e, place->count * sizeof *parts);
    Datum *value = new_data(e), *object = new_data(e);
    lanes_eval(e, place->kids[0], set, object);
    if (object[set->lanes[0]].kind != DATUM_TILE)
        return false;
    lanes_eval(e, stmt->value, set, value);
    load_each(e, set, value, stmt->offset);
    subscript_parts(e, place, set, parts);
    need_all_lanes(e, set, stmt->offset);
    tile_subscript_store(e, place, set, parts, value, stmt->kind == STMT_AUG_PLACE ? &stmt->op : NULL, stmt->offset);
    return true;
}

static bool assign_in_place(Evaluator *e, const Stmt *stmt, const LaneSet *set)
{
    uint32_t first = set->lanes[0];
    enter_lane(e, first);
    const Slot *slot = &e->current->slots[stmt->slot];
    if (slot->datum.kind != DATUM_TILE)
        return false;
    need_all_lanes(e, set, stmt->offset);
    Datum *value = new_data(e);
    lanes_eval(e, stmt->value, set, value);
    load_each(e, set, value, stmt->offset);
    if (stmt->op == OP_MULT || stmt->op == OP_DIV) {
        Datum *target = new_data(e), *out = new_data(e);
        set_tile(e, slot->datum.tile, target);
        tile_binary(e, stmt->place, stmt->op, target, value, out);
        FOR_LANES(e, set, lane)
        slot_set(e, &e->current->slots[stmt->slot], &out[lane], stmt->offset);
    } else
        tile_in_place(e, stmt->place, stmt->op, slot->datum.tile, value);
    return true;
}

static void drop_stopped(LaneSet *set, const RunFlow *flow)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (flow[set->lanes[i]] == RUN_NEXT)
            set->lanes[kept++] = set->lanes[i];
    set->count = kept;
}

/* After an iteration: lanes that go on with the next one. */
static void drop_ended(LaneSet *set, RunFlow *flow)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t lane = set->lanes[i];
        if (flow[lane] == RUN_NEXT || flow[lane] == RUN_CONTINUE)
            set->lanes[kept++] = lane;
        if (flow[lane] != RUN_RETURN)
            flow[lane] = RUN_NEXT;
    }
    set->count = kept;
}

static void lanes_for(Evaluator *e, const Stmt *stmt, const LaneSet *given, RunFlow *flow)
{
    LaneSet set = copy_set(e, given);
    Datum *ranges = new_data(e);
    int64_t *next = scratch(e, e->lane_count * sizeof *next);
    lanes_eval(e, stmt->value, &set, ranges);
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t lane = set.lanes[i];
        if (ranges[lane].kind != DATUM_RANGE)
            stop_unsupported(e, stmt->offset, "a loop over %s", datum_text(e, &ranges[lane]));
        next[lane] = ranges[lane].bounds[0];
    }
    for (;;) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < set.count; i++) {
            uint32_t lane = set.lanes[i];
            int64_t end = ranges[lane].bounds[1], step = ranges[lane].bounds[2];
            if (step > 0 ? next[lane] < end : step < 0 && next[lane] > end)
                set.lanes[kept++] = lane;
        }
        set.count = kept;
        if (!kept)
            return;
        ScratchMark mark = scratch_mark(e);
        FOR_LANES(e, &set, lane)
        {
            count_step(e, stmt->offset);
            Dual cell = {.integer = next[lane]};
            Datum index = {.kind = DATUM_VALUE, .type = type_scalar(TYPE_INT32), .cells = &cell};
            slot_set(e, &e->current->slots[stmt->slot], &index, stmt->offset);
            next[lane] += ranges[lane].bounds[2];
        }
        lanes_block(e, &stmt->body, &set, flow);
        drop_ended(&set, flow);
        scratch_release(e, mark);
    }
}

static void lanes_while(Evaluator *e, const Stmt *stmt, const LaneSet *given, RunFlow *flow)
{
    LaneSet set = copy_set(e, given);
    while (set.count) {
        ScratchMark mark = scratch_mark(e);
        LaneSet yes, no;
        lanes_test(e, stmt->value, &set, &yes, &no);
        memcpy(set.lanes, yes.lanes, yes.count * sizeof *yes.lanes);
        set.count = yes.count;
        scratch_release(e, mark);
        for (uint32_t i = 0; i < set.count; i++)
            count_step(e, stmt->offset);
        lanes_block(e, &stmt->body, &set, flow);
        drop_ended(&set, flow);
    }
}

static void lanes_return(Evaluator *e, const Stmt *stmt, const LaneSet *set, RunFlow *flow)
{
    Datum *data = new_data(e);
    if (stmt->value) {
        lanes_eval(e, stmt->value, set, data);
        load_each(e, set, data, stmt->offset);
    }
    FOR_LANES(e, set, lane)
    {
        if (data[lane].kind != DATUM_NOTHING)
            slot_set(e, &e->current->lane_results[lane], &data[lane], stmt->offset);
        flow[lane] = RUN_RETURN;
    }
}

static void lanes_if(Evaluator *e, const Stmt *stmt, const LaneSet *set, RunFlow *flow)
{
    LaneSet yes, no;
    lanes_test(e, stmt->value, set, &yes, &no);
    if (yes.count)
        lanes_block(e, &stmt->body, &yes, flow);
    if (no.count)
        lanes_block(e, &stmt->orelse, &no, flow);
}

static void lanes_statement(Evaluator *e, const Stmt *stmt, const LaneSet *set, RunFlow *flow)
{
    Datum *data;
    if (!stmt->meets_tiles) {
        FOR_LANES(e, set, lane)
        flow[lane] = run_one(e, stmt);
        return;
    }
    for (uint32_t i = 0; i < set->count; i++)
        count_step(e, stmt->offset);
    switch (stmt->kind) {
    case STMT_NAME: assign_name(e, stmt, set); return;
    case STMT_IF: lanes_if(e, stmt, set, flow); return;
    case STMT_FOR: lanes_for(e, stmt, set, flow); return;
    case STMT_WHILE: lanes_while(e, stmt, set, flow); return;
    case STMT_RETURN: lanes_return(e, stmt, set, flow); return;
    case STMT_EXPR:
        data = new_data(e);
        lanes_eval(e, stmt->value, set, data);
        return;
    case STMT_AUG_NAME:
        if (assign_in_place(e, stmt, set))
            return;
        break;
    case STMT_PLACE:
    case STMT_AUG_PLACE:
        if (assign_element(e, stmt, set))
            return;
        break;
    default: break;
    }
    run_given(e, stmt, set, flow);
}

static void lanes_block(Evaluator *e, const Block *block, const LaneSet *given, RunFlow *flow)
{
    LaneSet set = copy_set(e, given);
    for (uint32_t i = 0; i < block->count && set.count; i++) {
        ScratchMark mark = scratch_mark(e);
        lanes_statement(e, &block->items[i], &set, flow);
        drop_stopped(&set, flow);
        scratch_release(e, mark);
    }
}

/* ---- blocks ---- */

static void run_tile_block(Evaluator *e, const Datum *args, uint32_t count)
{
    Plan *plan = e->main;
    LaneSet set = new_set(e);
    RunFlow *flow = scratch(e, e->lane_count * sizeof *flow);
    e->current = plan;
    e->depth = 0;
    for (uint32_t lane = 0; lane < e->lane_count; lane++) {
        enter_lane(e, lane);
        for (uint32_t i = 0; i < plan->slot_count; i++)
            plan->slots[i].datum.kind = DATUM_NOTHING;
        for (uint32_t i = 0; i < count; i++)
            slot_set(e, &plan->slots[i], &args[i], 0);
        set.lanes[set.count++] = lane;
        flow[lane] = RUN_NEXT;
    }
    lanes_block(e, &plan->body, &set, flow);
}

void tile_run_blocks(Evaluator *e, const Datum *args, uint32_t count)
{
    enum { MAX_BLOCK = 1024 };
    const Launch *launch = e->launch;
    uint64_t running = launch_running(launch), lanes = launch->block_dim ? launch->block_dim : 1;
    uint32_t place = e->kernel->code.def->start;
    if (lanes > MAX_BLOCK)
        stop_unsupported(e, place, "a block of %llu lanes", (unsigned long long)lanes);
    if (running % lanes)
        stop_run(e, FINDING_NOT_UNIFORM, place,
                 "a launch of %llu threads leaves a block of %llu lanes incomplete, and tile operations wait for all",
                 (unsigned long long)running, (unsigned long long)lanes);
    e->lane_count = (uint32_t)lanes;
    e->lane_index = arena_alloc(e->arena, lanes * sizeof *e->lane_index);
    make_lane_slots(e, e->main);
    ScratchMark mark = {e->first_scratch, e->first_scratch->data};
    for (uint64_t block = 0; block < running / lanes; block++) {
        e->thread = (uint32_t)block; /* lanes wait for each other: races are between blocks */
        for (uint32_t lane = 0; lane < lanes; lane++)
            launch_thread(launch, block * lanes + lane, e->lane_index[lane]);
        scratch_release(e, mark);
        run_tile_block(e, args, count);
        e->run->threads += e->lane_count;
        const RunBudget *budget = &e->run->budget;
        if (budget->steps && e->steps >= budget->steps && e->run->threads >= budget->threads)
            break;
    }
}
